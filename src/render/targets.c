#include "render/targets.h"

#include "core/error.h"

static snStatus checkComplete(const snGl *gl, const char *what, snError *error)
{
    GLenum code = gl->CheckFramebufferStatus(GL_FRAMEBUFFER);
    if (code == GL_FRAMEBUFFER_COMPLETE && gl->GetError() != GL_OUT_OF_MEMORY) return SN_OK;
    return snFail(error, SN_ERROR_UNSUPPORTED,
                  "the OpenGL driver cannot draw into %s (code 0x%x); try a smaller picture", what,
                  code);
}

static void destroyTarget(const snGl *gl, snTarget *target)
{
    gl->DeleteTextures(1, &target->texture);
    gl->DeleteFramebuffers(1, &target->framebuffer);
    *target = (snTarget){0};
}

static void makeTexture(const snGl *gl, snTarget *target, GLenum format, int width, int height,
                        GLint filter)
{
    target->width = width, target->height = height;
    gl->GenTextures(1, &target->texture);
    gl->BindTexture(GL_TEXTURE_2D, target->texture);
    gl->TexStorage2D(GL_TEXTURE_2D, 1, format, width, height);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, filter);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, filter);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    gl->GenFramebuffers(1, &target->framebuffer);
    gl->BindFramebuffer(GL_FRAMEBUFFER, target->framebuffer);
}

static snStatus makeDepth(const snGl *gl, snTarget *target, int width, int height, snError *error)
{
    makeTexture(gl, target, GL_DEPTH_COMPONENT24, width, height, GL_NEAREST);
    gl->FramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, target->texture,
                             0);
    static const GLenum none = GL_NONE;
    gl->DrawBuffers(1, &none);
    gl->ReadBuffer(GL_NONE);
    return checkComplete(gl, "a depth map", error);
}

static snStatus makeGrey(const snGl *gl, snTarget pair[2], int width, int height, snError *error)
{
    for (int i = 0; i < 2; i++) {
        makeTexture(gl, &pair[i], GL_R8, width, height, GL_LINEAR);
        gl->FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D,
                                 pair[i].texture, 0);
        snStatus status = checkComplete(gl, "a light map", error);
        if (status) return status;
    }
    return SN_OK;
}

snStatus snTargets_Make(const snGl *gl, snTargets *targets, int shadowSize, snError *error)
{
    snStatus status = makeDepth(gl, &targets->shadow, shadowSize, shadowSize, error);
    if (!status) status = makeDepth(gl, &targets->underside, 256, 256, error);
    if (!status) status = makeGrey(gl, targets->groundShadow, 384, 384, error);
    if (!status) status = makeGrey(gl, targets->groundAmbient, 160, 160, error);
    return status;
}

static void destroyPicture(const snGl *gl, snTargets *targets)
{
    destroyTarget(gl, &targets->early);
    destroyTarget(gl, &targets->occlusion[0]);
    destroyTarget(gl, &targets->occlusion[1]);
    GLuint buffers[4] = {targets->pictureColor, targets->pictureDepth, targets->resolvedColor,
                         targets->finalColor};
    gl->DeleteRenderbuffers(4, buffers);
    GLuint framebuffers[3] = {targets->picture, targets->resolved, targets->final};
    gl->DeleteFramebuffers(3, framebuffers);
    targets->pictureColor = targets->pictureDepth = targets->resolvedColor = 0;
    targets->picture = targets->resolved = 0;
    targets->finalColor = targets->final = 0;
}

static GLuint attachBuffer(const snGl *gl, GLenum place, GLenum format, int samples, int width,
                           int height)
{
    GLuint buffer;
    gl->GenRenderbuffers(1, &buffer);
    gl->BindRenderbuffer(GL_RENDERBUFFER, buffer);
    gl->RenderbufferStorageMultisample(GL_RENDERBUFFER, samples, format, width, height);
    gl->FramebufferRenderbuffer(GL_FRAMEBUFFER, place, GL_RENDERBUFFER, buffer);
    return buffer;
}

static snStatus makeColor(const snGl *gl, GLuint *framebuffer, GLuint *color, int width, int height,
                          snError *error)
{
    gl->GenFramebuffers(1, framebuffer);
    gl->BindFramebuffer(GL_FRAMEBUFFER, *framebuffer);
    *color = attachBuffer(gl, GL_COLOR_ATTACHMENT0, GL_SRGB8_ALPHA8, 0, width, height);
    return checkComplete(gl, "a picture", error);
}

static snStatus makePicture(const snGl *gl, snTargets *targets, int samples, snError *error)
{
    int width = targets->scale * targets->width, height = targets->scale * targets->height;
    gl->GenFramebuffers(1, &targets->picture);
    gl->BindFramebuffer(GL_FRAMEBUFFER, targets->picture);
    targets->pictureColor =
        attachBuffer(gl, GL_COLOR_ATTACHMENT0, GL_SRGB8_ALPHA8, samples, width, height);
    targets->pictureDepth =
        attachBuffer(gl, GL_DEPTH_STENCIL_ATTACHMENT, GL_DEPTH24_STENCIL8, samples, width, height);
    return checkComplete(gl, "a picture", error);
}

// Colours are in sRGB targets: blending and the averaging of samples happen in linear light.
snStatus snTargets_Resize(const snGl *gl, snTargets *targets, int width, int height, int samples,
                          snError *error)
{
    destroyPicture(gl, targets);
    targets->width = width, targets->height = height;
    targets->scale = samples >= 16 ? 2 : 1;
    GLint most = 1;
    gl->GetIntegerv(GL_MAX_SAMPLES, &most);
    if (samples >= 16) samples = 4;
    if (samples > most) samples = most;
    if (samples < 2) samples = 0;
    int halfWidth = (width + 1) / 2, halfHeight = (height + 1) / 2;
    snStatus status = makeDepth(gl, &targets->early, halfWidth, halfHeight, error);
    if (!status) status = makeGrey(gl, targets->occlusion, halfWidth, halfHeight, error);
    if (status) return status;
    status = makePicture(gl, targets, samples, error);
    int w = targets->scale * width, h = targets->scale * height;
    if (!status) status = makeColor(gl, &targets->resolved, &targets->resolvedColor, w, h, error);
    if (!status)
        status = makeColor(gl, &targets->final, &targets->finalColor, width, height, error);
    return status;
}

void snTargets_Destroy(const snGl *gl, snTargets *targets)
{
    destroyTarget(gl, &targets->shadow);
    destroyTarget(gl, &targets->underside);
    for (int i = 0; i < 2; i++) {
        destroyTarget(gl, &targets->groundShadow[i]);
        destroyTarget(gl, &targets->groundAmbient[i]);
    }
    destroyPicture(gl, targets);
}
