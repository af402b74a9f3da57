#include "render/targets.h"

#include "core/error.h"

static snStatus checkComplete(const char *what, snError *error)
{
    GLenum code = glCheckFramebufferStatus(GL_FRAMEBUFFER);
    if (code == GL_FRAMEBUFFER_COMPLETE && glGetError() != GL_OUT_OF_MEMORY) return SN_OK;
    return snFail(error, SN_ERROR_UNSUPPORTED,
                  "the OpenGL driver cannot draw into %s (code 0x%x); try a smaller picture", what,
                  code);
}

static void destroyTarget(snTarget *target)
{
    glDeleteTextures(1, &target->texture);
    glDeleteFramebuffers(1, &target->framebuffer);
    *target = (snTarget){0};
}

static void makeTexture(snTarget *target, GLenum format, int width, int height, GLint filter)
{
    target->width = width, target->height = height;
    glGenTextures(1, &target->texture);
    glBindTexture(GL_TEXTURE_2D, target->texture);
    glTexStorage2D(GL_TEXTURE_2D, 1, format, width, height);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, filter);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, filter);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    glGenFramebuffers(1, &target->framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, target->framebuffer);
}

static snStatus makeDepth(snTarget *target, int width, int height, snError *error)
{
    makeTexture(target, GL_DEPTH_COMPONENT24, width, height, GL_NEAREST);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, target->texture, 0);
    static const GLenum none = GL_NONE;
    glDrawBuffers(1, &none);
    glReadBuffer(GL_NONE);
    return checkComplete("a depth map", error);
}

static snStatus makeGrey(snTarget pair[2], int width, int height, snError *error)
{
    for (int i = 0; i < 2; i++) {
        makeTexture(&pair[i], GL_R8, width, height, GL_LINEAR);
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, pair[i].texture,
                               0);
        snStatus status = checkComplete("a light map", error);
        if (status) return status;
    }
    return SN_OK;
}

snStatus snTargets_Make(snTargets *targets, int shadowSize, snError *error)
{
    snStatus status = makeDepth(&targets->shadow, shadowSize, shadowSize, error);
    if (!status) status = makeDepth(&targets->underside, 256, 256, error);
    if (!status) status = makeGrey(targets->groundShadow, 384, 384, error);
    if (!status) status = makeGrey(targets->groundAmbient, 160, 160, error);
    return status;
}

static void destroyPicture(snTargets *targets)
{
    destroyTarget(&targets->early);
    destroyTarget(&targets->occlusion[0]);
    destroyTarget(&targets->occlusion[1]);
    GLuint buffers[4] = {targets->pictureColor, targets->pictureDepth, targets->resolvedColor,
                         targets->finalColor};
    glDeleteRenderbuffers(4, buffers);
    GLuint framebuffers[3] = {targets->picture, targets->resolved, targets->final};
    glDeleteFramebuffers(3, framebuffers);
    targets->pictureColor = targets->pictureDepth = targets->resolvedColor = 0;
    targets->picture = targets->resolved = 0;
    targets->finalColor = targets->final = 0;
}

static GLuint attachBuffer(GLenum place, GLenum format, int samples, int width, int height)
{
    GLuint buffer;
    glGenRenderbuffers(1, &buffer);
    glBindRenderbuffer(GL_RENDERBUFFER, buffer);
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, format, width, height);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, place, GL_RENDERBUFFER, buffer);
    return buffer;
}

static snStatus makeColor(GLuint *framebuffer, GLuint *color, int width, int height, snError *error)
{
    glGenFramebuffers(1, framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, *framebuffer);
    *color = attachBuffer(GL_COLOR_ATTACHMENT0, GL_SRGB8_ALPHA8, 0, width, height);
    return checkComplete("a picture", error);
}

static snStatus makePicture(snTargets *targets, int samples, snError *error)
{
    int width = targets->scale * targets->width, height = targets->scale * targets->height;
    glGenFramebuffers(1, &targets->picture);
    glBindFramebuffer(GL_FRAMEBUFFER, targets->picture);
    targets->pictureColor =
        attachBuffer(GL_COLOR_ATTACHMENT0, GL_SRGB8_ALPHA8, samples, width, height);
    targets->pictureDepth =
        attachBuffer(GL_DEPTH_STENCIL_ATTACHMENT, GL_DEPTH24_STENCIL8, samples, width, height);
    return checkComplete("a picture", error);
}

// Colours are in sRGB targets: blending and the averaging of samples happen in linear light.
snStatus snTargets_Resize(snTargets *targets, int width, int height, int samples, snError *error)
{
    destroyPicture(targets);
    targets->width = width, targets->height = height;
    targets->scale = samples >= 16 ? 2 : 1;
    GLint most = 1;
    glGetIntegerv(GL_MAX_SAMPLES, &most);
    if (samples >= 16) samples = 4;
    if (samples > most) samples = most;
    if (samples < 2) samples = 0;
    int halfWidth = (width + 1) / 2, halfHeight = (height + 1) / 2;
    snStatus status = makeDepth(&targets->early, halfWidth, halfHeight, error);
    if (!status) status = makeGrey(targets->occlusion, halfWidth, halfHeight, error);
    if (status) return status;
    status = makePicture(targets, samples, error);
    int w = targets->scale * width, h = targets->scale * height;
    if (!status) status = makeColor(&targets->resolved, &targets->resolvedColor, w, h, error);
    if (!status) status = makeColor(&targets->final, &targets->finalColor, width, height, error);
    return status;
}

void snTargets_Destroy(snTargets *targets)
{
    destroyTarget(&targets->shadow);
    destroyTarget(&targets->underside);
    for (int i = 0; i < 2; i++) {
        destroyTarget(&targets->groundShadow[i]);
        destroyTarget(&targets->groundAmbient[i]);
    }
    destroyPicture(targets);
}
