#include "render/device.h"

#include "core/error.h"

#include <EGL/eglext.h>

#include <string.h>

static bool hasExtension(const snEgl *egl, EGLDisplay display, const char *name)
{
    const char *list = egl->QueryString(display, EGL_EXTENSIONS);
    size_t length = strlen(name);
    for (const char *s = list; s && (s = strstr(s, name)); s += length)
        if ((s == list || s[-1] == ' ') && (s[length] == ' ' || !s[length])) return true;
    return false;
}

// A display that needs neither window system nor screen where there is one, else the default one.
static EGLDisplay openDisplay(const snEgl *egl)
{
    if (hasExtension(egl, EGL_NO_DISPLAY, "EGL_MESA_platform_surfaceless")) {
        PFNEGLGETPLATFORMDISPLAYEXTPROC getDisplay =
            (PFNEGLGETPLATFORMDISPLAYEXTPROC)egl->GetProcAddress("eglGetPlatformDisplayEXT");
        EGLDisplay display =
            getDisplay ? getDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL)
                       : EGL_NO_DISPLAY;
        if (display != EGL_NO_DISPLAY && egl->Initialize(display, NULL, NULL)) return display;
    }
    EGLDisplay display = egl->GetDisplay(EGL_DEFAULT_DISPLAY);
    if (display != EGL_NO_DISPLAY && egl->Initialize(display, NULL, NULL)) return display;
    return EGL_NO_DISPLAY;
}

static EGLContext makeContext(const snEgl *egl, EGLDisplay display)
{
    static const EGLint wanted[] = {EGL_RENDERABLE_TYPE, EGL_OPENGL_ES3_BIT, EGL_SURFACE_TYPE, 0,
                                    EGL_NONE};
    static const EGLint version[] = {EGL_CONTEXT_MAJOR_VERSION, 3, EGL_NONE};
    EGLConfig config = NULL;
    EGLint count = 0;
    if (!hasExtension(egl, display, "EGL_KHR_no_config_context"))
        if (!egl->ChooseConfig(display, wanted, &config, 1, &count) || count < 1)
            return EGL_NO_CONTEXT;
    return egl->CreateContext(display, config, EGL_NO_CONTEXT, version);
}

snStatus snDevice_Make(snDevice *device, const char *library, snError *error)
{
    *device = (snDevice){.display = EGL_NO_DISPLAY, .context = EGL_NO_CONTEXT};
    const snEgl *egl = &device->egl;
    snStatus status = snEgl_Load(&device->egl, library, error);
    if (!status) status = snGl_Load(&device->gl, egl, NULL, error);
    if (status) return status;
    device->display = openDisplay(egl);
    if (device->display == EGL_NO_DISPLAY)
        return snFail(error, SN_ERROR_UNSUPPORTED,
                      "no EGL display for pictures: install libegl-mesa0 and libgl1-mesa-dri; "
                      "everything else works without pictures");
    EGLenum api = egl->QueryAPI();
    if (egl->BindAPI(EGL_OPENGL_ES_API) &&
        hasExtension(egl, device->display, "EGL_KHR_surfaceless_context"))
        device->context = makeContext(egl, device->display);
    EGLint code = egl->GetError();
    egl->BindAPI(api);
    if (device->context == EGL_NO_CONTEXT)
        return snFail(error, SN_ERROR_UNSUPPORTED,
                      "EGL offers no OpenGL ES 3 without a screen (EGL error 0x%x): install "
                      "libgl1-mesa-dri; everything else works without pictures",
                      (unsigned)code);
    return SN_OK;
}

void snDevice_Destroy(snDevice *device)
{
    // The display stays: EGL gives every caller of the process the same one, and ending it would
    // take other renderers' contexts along.
    if (device->context != EGL_NO_CONTEXT)
        device->egl.DestroyContext(device->display, device->context);
    *device = (snDevice){.display = EGL_NO_DISPLAY, .context = EGL_NO_CONTEXT};
}

snStatus snDevice_Enter(const snDevice *device, snDeviceScope *scope, snError *error)
{
    const snEgl *egl = &device->egl;
    *scope = (snDeviceScope){egl->GetCurrentDisplay(), egl->GetCurrentSurface(EGL_DRAW),
                             egl->GetCurrentSurface(EGL_READ), egl->GetCurrentContext(),
                             egl->QueryAPI()};
    egl->BindAPI(EGL_OPENGL_ES_API);
    if (egl->MakeCurrent(device->display, EGL_NO_SURFACE, EGL_NO_SURFACE, device->context))
        return SN_OK;
    EGLint code = egl->GetError();
    egl->BindAPI(scope->api);
    return snFail(error, SN_ERROR_UNSUPPORTED,
                  "the OpenGL context cannot be used (EGL error 0x%x); is the renderer in use on "
                  "another thread?",
                  (unsigned)code);
}

void snDevice_Leave(const snDevice *device, const snDeviceScope *scope)
{
    const snEgl *egl = &device->egl;
    egl->MakeCurrent(device->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    egl->BindAPI(scope->api);
    if (scope->context != EGL_NO_CONTEXT)
        egl->MakeCurrent(scope->display, scope->draw, scope->read, scope->context);
}
