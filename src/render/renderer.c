#include "render/render.h"

#include "render/color.h"
#include "render/device.h"
#include "render/passes.h"

#include <stdlib.h>
#include <string.h>

struct snRenderer {
    snRendererDef def;
    snDevice device;
    GLuint programs[SN_PROGRAM_COUNT];
    snTargets targets;
    snTextures textures;
    GLuint frameBuffer;    // the block Frame
    GLuint compareSampler; // reads the shadow map with comparison; the other unit reads depths
    GLuint emptyArray;
};

static snStatus checkSize(int width, int height, snError *error)
{
    if (width >= 1 && height >= 1 && width <= 8192 && height <= 8192) return SN_OK;
    return snFail(error, SN_ERROR_ARGUMENT,
                  "a picture of %d x %d pixels cannot be drawn; each side is 1 to 8192", width,
                  height);
}

static snStatus checkDef(const snRendererDef *def, snError *error)
{
    if (def->shadowSize < 64 || def->shadowSize > 4096)
        return snFail(error, SN_ERROR_ARGUMENT,
                      "a shadow map of %d texels cannot be made; give 64 to 4096", def->shadowSize);
    return checkSize(def->width, def->height, error);
}

// Everything that needs the context to be current.
static snStatus fillDevice(snRenderer *renderer, snError *error)
{
    const snGl *gl = &renderer->device.gl;
    snStatus status = snPrograms_Make(gl, renderer->programs, error);
    if (status) return status;
    gl->GenVertexArrays(1, &renderer->emptyArray);
    gl->GenBuffers(1, &renderer->frameBuffer);
    gl->BindBuffer(GL_UNIFORM_BUFFER, renderer->frameBuffer);
    gl->BufferData(GL_UNIFORM_BUFFER, sizeof(snFrameBlock), NULL, GL_DYNAMIC_DRAW);
    gl->BindBufferBase(GL_UNIFORM_BUFFER, 0, renderer->frameBuffer);
    gl->GenSamplers(1, &renderer->compareSampler);
    GLuint sampler = renderer->compareSampler;
    gl->SamplerParameteri(sampler, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
    gl->SamplerParameteri(sampler, GL_TEXTURE_COMPARE_FUNC, GL_LEQUAL);
    gl->SamplerParameteri(sampler, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    gl->SamplerParameteri(sampler, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    gl->SamplerParameteri(sampler, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    gl->SamplerParameteri(sampler, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    gl->BindSampler(SN_UNIT_SHADOW_MAP, sampler);
    status = snTargets_Make(gl, &renderer->targets, renderer->def.shadowSize, error);
    if (status) return status;
    return snTargets_Resize(gl, &renderer->targets, renderer->def.width, renderer->def.height,
                            renderer->def.samples, error);
}

snStatus snRenderer_Make(snRenderer **result, const snRendererDef *def, snError *error)
{
    *result = NULL;
    snStatus status = checkDef(def, error);
    if (status) return status;
    snRenderer *renderer = calloc(1, sizeof *renderer);
    if (!renderer) return snFailMemory(error);
    renderer->def = *def;
    snDeviceScope scope;
    status = snDevice_Make(&renderer->device, def->library, error);
    if (!status) status = snDevice_Enter(&renderer->device, &scope, error);
    if (!status) {
        status = fillDevice(renderer, error);
        snDevice_Leave(&renderer->device, &scope);
    }
    if (status)
        snRenderer_Destroy(renderer);
    else
        *result = renderer;
    return status;
}

void snRenderer_Destroy(snRenderer *renderer)
{
    if (!renderer) return;
    const snGl *gl = &renderer->device.gl;
    snDeviceScope scope;
    if (renderer->device.context != EGL_NO_CONTEXT &&
        snDevice_Enter(&renderer->device, &scope, NULL) == SN_OK) {
        snTargets_Destroy(gl, &renderer->targets);
        snTextures_Destroy(gl, &renderer->textures);
        snPrograms_Destroy(gl, renderer->programs);
        gl->DeleteBuffers(1, &renderer->frameBuffer);
        gl->DeleteSamplers(1, &renderer->compareSampler);
        gl->DeleteVertexArrays(1, &renderer->emptyArray);
        snDevice_Leave(&renderer->device, &scope);
    }
    snDevice_Destroy(&renderer->device);
    free(renderer);
}

snStatus snRenderer_Resize(snRenderer *renderer, int width, int height, snError *error)
{
    snStatus status = checkSize(width, height, error);
    if (status) return status;
    snDeviceScope scope;
    status = snDevice_Enter(&renderer->device, &scope, error);
    if (status) return status;
    renderer->def.width = width, renderer->def.height = height;
    status = snTargets_Resize(&renderer->device.gl, &renderer->targets, width, height,
                              renderer->def.samples, error);
    snDevice_Leave(&renderer->device, &scope);
    return status;
}

void snRenderer_ForgetTextures(snRenderer *renderer)
{
    snDeviceScope scope;
    if (snDevice_Enter(&renderer->device, &scope, NULL)) return;
    snTextures_Destroy(&renderer->device.gl, &renderer->textures);
    snDevice_Leave(&renderer->device, &scope);
}

// The device's rows run upwards and its colours are premultiplied; pictures' are not.
static void turnAndSeparate(snImage *image)
{
    size_t row = 4 * (size_t)image->width;
    for (int y = 0; y < image->height / 2; y++) {
        uint8_t *a = &image->pixels[row * (size_t)y];
        uint8_t *b = &image->pixels[row * (size_t)(image->height - 1 - y)];
        for (size_t i = 0; i < row; i++) {
            uint8_t swap = a[i];
            a[i] = b[i], b[i] = swap;
        }
    }
    for (size_t i = 0; i < row * (size_t)image->height; i += 4) {
        uint8_t *p = &image->pixels[i];
        if (p[3] == 255 || p[3] == 0) continue;
        for (int c = 0; c < 3; c++) {
            float linear = snColor_ToLinear((float)p[c] / 255.0f) * 255.0f / (float)p[3];
            p[c] = (uint8_t)(snColor_ToSrgb(linear) * 255.0f + 0.5f);
        }
    }
}

static snStatus readPicture(snRenderer *renderer, snImage *image, snError *error)
{
    const snGl *gl = &renderer->device.gl;
    const snTargets *targets = &renderer->targets;
    if (!image->pixels || image->width != targets->width || image->height != targets->height) {
        static const float nothing[4] = {0};
        snStatus status = snImage_Make(image, targets->width, targets->height, nothing, error);
        if (status) return status;
    }
    int width = targets->width, height = targets->height;
    int w = targets->scale * width, h = targets->scale * height;
    gl->BindFramebuffer(GL_READ_FRAMEBUFFER, targets->picture);
    gl->BindFramebuffer(GL_DRAW_FRAMEBUFFER, targets->resolved);
    gl->BlitFramebuffer(0, 0, w, h, 0, 0, w, h, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    gl->BindFramebuffer(GL_READ_FRAMEBUFFER, targets->resolved);
    gl->BindFramebuffer(GL_DRAW_FRAMEBUFFER, targets->final);
    gl->BlitFramebuffer(0, 0, w, h, 0, 0, width, height, GL_COLOR_BUFFER_BIT,
                        targets->scale > 1 ? GL_LINEAR : GL_NEAREST); // halving averages 2 x 2
    gl->BindFramebuffer(GL_READ_FRAMEBUFFER, targets->final);
    gl->PixelStorei(GL_PACK_ALIGNMENT, 4);
    gl->ReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, image->pixels);
    GLenum code = gl->GetError();
    if (code == GL_OUT_OF_MEMORY) return snFailMemory(error);
    if (code != GL_NO_ERROR)
        return snFail(error, SN_ERROR_UNSUPPORTED, "drawing failed with OpenGL error 0x%x", code);
    turnAndSeparate(image);
    return SN_OK;
}

static void drawLabels(const snScene *scene, snImage *image)
{
    for (int i = 0; i < scene->labelCount; i++) {
        const snLabel *label = &scene->labels[i];
        if (!label->text) continue;
        snImage_Text(image, label->x * (float)image->width, label->y * (float)image->height,
                     label->size, label->align, label->color, label->text);
    }
}

static snStatus drawScene(snRenderer *renderer, const snScene *scene, const snFrame *frame,
                          snImage *image, snError *error)
{
    const snGl *gl = &renderer->device.gl;
    snGpuScene gpu;
    snStatus status = snGpuScene_Make(gl, &gpu, scene, frame, &renderer->textures, error);
    if (status) return status;
    gl->BindBuffer(GL_UNIFORM_BUFFER, renderer->frameBuffer);
    gl->BufferSubData(GL_UNIFORM_BUFFER, 0, sizeof frame->block, &frame->block);
    snPass pass = {.gl = gl,
                   .programs = renderer->programs,
                   .targets = &renderer->targets,
                   .frame = frame,
                   .scene = scene,
                   .gpu = &gpu,
                   .emptyArray = renderer->emptyArray};
    snPass_ShadowMap(&pass);
    snPass_Ground(&pass);
    snPass_Occlusion(&pass);
    snPass_Picture(&pass);
    status = readPicture(renderer, image, error);
    snGpuScene_Destroy(gl, &gpu);
    return status;
}

snStatus snRenderer_Draw(snRenderer *renderer, const snScene *scene, const snCamera *camera,
                         snImage *image, snError *error)
{
    const int counts[5] = {scene->surfaceCount, scene->lineCount, scene->pointCount,
                           scene->boneCount, scene->labelCount};
    for (int i = 0; i < 5; i++)
        if (counts[i] < 0)
            return snFail(error, SN_ERROR_ARGUMENT, "the scene has a negative count (%d)",
                          counts[i]);
    snFrame frame;
    int scale = renderer->targets.scale;
    snStatus status = snFrame_Make(&frame, scene, camera, scale * renderer->def.width,
                                   scale * renderer->def.height, error);
    if (status) return status;
    snDeviceScope scope;
    status = snDevice_Enter(&renderer->device, &scope, error);
    if (status) return status;
    status = drawScene(renderer, scene, &frame, image, error);
    snDevice_Leave(&renderer->device, &scope);
    if (!status) drawLabels(scene, image);
    return status;
}
