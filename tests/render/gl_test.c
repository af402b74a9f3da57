// Machines without EGL, without OpenGL ES or with half of them: an error with what to install, and
// never a call of a function that is not there.
#include "render/gl.h"

#include "render/render.h"
#include "tests/test.h"

#include <stdlib.h>
#include <string.h>

static const char *const absent = "libsinew-no-such-library.so.1";
static const char *const strange = "libm.so.6"; // is everywhere, and has nothing of OpenGL

// The system's EGL, where there is one.
static bool loadSystemEgl(snEgl *egl)
{
    snError error;
    snStatus status = snEgl_Load(egl, NULL, &error);
    CHECK(status == SN_OK || status == SN_ERROR_UNSUPPORTED);
    return status == SN_OK;
}

static void absentEglIsUnsupported(void)
{
    snEgl egl;
    snError error;
    CHECK(snEgl_Load(&egl, absent, &error) == SN_ERROR_UNSUPPORTED);
    CHECK(strstr(error.message, absent));
    CHECK(strstr(error.message, "install libegl1, libegl-mesa0 and libgl1-mesa-dri"));
    CHECK(snEgl_Load(&egl, absent, NULL) == SN_ERROR_UNSUPPORTED);
}

static void strangeEglIsUnsupported(void)
{
    snEgl egl;
    snError error;
    CHECK(snEgl_Load(&egl, strange, &error) == SN_ERROR_UNSUPPORTED);
    CHECK(strstr(error.message, strange) && strstr(error.message, "egl"));
    CHECK(strstr(error.message, "install libegl1"));
}

// Names may be as long as they like.
static void longNameFits(void)
{
    char *name = malloc(5001);
    memset(name, 'x', 5000);
    name[5000] = '\0';
    snEgl egl;
    snError error;
    CHECK(snEgl_Load(&egl, name, &error) == SN_ERROR_UNSUPPORTED);
    CHECK(strlen(error.message) < sizeof error.message);
    CHECK(strstr(error.message, "install libegl1"));
    free(name);
}

static void rendererNeedsEgl(void)
{
    const char *const names[2] = {absent, strange};
    for (int i = 0; i < 2; i++) {
        snRendererDef def = snDefaultRendererDef();
        def.library = names[i];
        snError error;
        snRenderer *renderer;
        CHECK(snRenderer_Make(&renderer, &def, &error) == SN_ERROR_UNSUPPORTED);
        CHECK(renderer == NULL);
        CHECK(strstr(error.message, "everything else works without pictures"));
    }
}

static void nothing(void)
{
}

static __eglMustCastToProperFunctionPointerType EGLAPIENTRY knowsNone(const char *name)
{
    (void)name;
    return NULL;
}

static __eglMustCastToProperFunctionPointerType EGLAPIENTRY knowsAll(const char *name)
{
    (void)name;
    return nothing;
}

static __eglMustCastToProperFunctionPointerType EGLAPIENTRY knowsAllButOne(const char *name)
{
    return strcmp(name, "glViewport") ? nothing : NULL;
}

static void eglIsAskedFirst(void)
{
    const snEgl egl = {.GetProcAddress = knowsAll};
    snGl gl;
    CHECK(snGl_Load(&gl, &egl, absent, NULL) == SN_OK);
    CHECK((__eglMustCastToProperFunctionPointerType)gl.Viewport == nothing);
    CHECK((__eglMustCastToProperFunctionPointerType)gl.ActiveTexture == nothing);
}

static void missingFunctionIsNamed(void)
{
    const snEgl egl = {.GetProcAddress = knowsAllButOne};
    const char *const names[2] = {absent, strange};
    for (int i = 0; i < 2; i++) {
        snGl gl;
        snError error;
        CHECK(snGl_Load(&gl, &egl, names[i], &error) == SN_ERROR_UNSUPPORTED);
        CHECK(strstr(error.message, "glViewport") && strstr(error.message, names[i]));
        CHECK(strstr(error.message, "EGL") && strstr(error.message, "install libgles2"));
    }
}

// An EGL that knows functions of extensions only: all come from libGLESv2, where that is.
static void libraryFillsGaps(void)
{
    const snEgl none = {.GetProcAddress = knowsNone}, most = {.GetProcAddress = knowsAllButOne};
    snGl gl, filled;
    snError error;
    snStatus status = snGl_Load(&gl, &none, NULL, &error);
    CHECK(status == SN_OK || status == SN_ERROR_UNSUPPORTED);
    if (status) return;
    CHECK(snGl_Load(&filled, &most, NULL, NULL) == SN_OK);
    CHECK(filled.Viewport == gl.Viewport);
    CHECK((__eglMustCastToProperFunctionPointerType)filled.ActiveTexture == nothing);
}

static void loadingTwiceIsTheSame(void)
{
    snEgl a, b;
    if (!loadSystemEgl(&a) || !CHECK(loadSystemEgl(&b))) return;
    CHECK(memcmp(&a, &b, sizeof a) == 0);
    snGl first, second;
    CHECK(snGl_Load(&first, &a, NULL, NULL) == snGl_Load(&second, &b, NULL, NULL));
    CHECK(first.DrawElements == second.DrawElements);
}

int main(void)
{
    RUN(absentEglIsUnsupported);
    RUN(strangeEglIsUnsupported);
    RUN(longNameFits);
    RUN(rendererNeedsEgl);
    RUN(eglIsAskedFirst);
    RUN(missingFunctionIsNamed);
    RUN(libraryFillsGaps);
    RUN(loadingTwiceIsTheSame);
    return snTest_Finish();
}
