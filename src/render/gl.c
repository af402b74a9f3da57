#include "render/gl.h"

#include "core/error.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

typedef void Function(void); // of any kind; to be cast to its own before a call

// Libraries stay open until the process ends: displays live as long (snDevice_Destroy), and drivers
// leave exit handlers and destructors of threads behind, which would run code that is gone.
static void *openLibrary(const char *chosen, const char *const usual[2], char *problem, size_t size)
{
    const char *names[2] = {chosen ? chosen : usual[0], chosen ? NULL : usual[1]};
    void *library = NULL;
    for (int i = 0; i < 2 && names[i] && !library; i++) {
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
        const char *text = library ? NULL : dlerror();
        if (text && i == 0) snprintf(problem, size, "%s", text); // about the name that packages use
    }
    return library;
}

// ISO C has no cast from a data pointer, but POSIX promises that both look the same.
static Function *findFunction(void *library, const char *name)
{
    void *address = dlsym(library, name);
    Function *function;
    memcpy(&function, &address, sizeof function);
    return function;
}

static const char *missingEgl(const snEgl *egl)
{
#define CHECK(name, type)                                                                          \
    if (!egl->name) return "egl" #name;
    SN_EGL_FUNCTIONS(CHECK)
#undef CHECK
    return NULL;
}

static const char *missingGl(const snGl *gl)
{
#define CHECK(name, type)                                                                          \
    if (!gl->name) return "gl" #name;
    SN_GL_FUNCTIONS(CHECK)
#undef CHECK
    return NULL;
}

snStatus snEgl_Load(snEgl *egl, const char *library, snError *error)
{
    static const char *const usual[2] = {"libEGL.so.1", "libEGL.so"};
    char problem[200] = "";
    *egl = (snEgl){0};
    void *opened = openLibrary(library, usual, problem, sizeof problem);
    if (!opened)
        return snFail(error, SN_ERROR_UNSUPPORTED,
                      "no EGL for pictures (%s): install libegl1, libegl-mesa0 and "
                      "libgl1-mesa-dri; everything else works without pictures",
                      problem);
#define FIND(name, type) egl->name = (type)findFunction(opened, "egl" #name);
    SN_EGL_FUNCTIONS(FIND)
#undef FIND
    const char *missing = missingEgl(egl);
    if (!missing) return SN_OK;
    return snFail(error, SN_ERROR_UNSUPPORTED,
                  "the EGL library %s has no function %s for pictures: install libegl1, "
                  "libegl-mesa0 and libgl1-mesa-dri; everything else works without pictures",
                  library ? library : usual[0], missing);
}

snStatus snGl_Load(snGl *gl, const snEgl *egl, const char *library, snError *error)
{
    static const char *const usual[2] = {"libGLESv2.so.2", "libGLESv2.so"};
#define ASK(name, type) gl->name = (type)egl->GetProcAddress("gl" #name);
    SN_GL_FUNCTIONS(ASK)
#undef ASK
    // Before version 1.5, EGL had to know the functions of extensions only.
    if (!missingGl(gl)) return SN_OK;
    char problem[200] = "it has none";
    void *opened = openLibrary(library, usual, problem, sizeof problem);
#define FIND(name, type)                                                                           \
    if (opened && !gl->name) gl->name = (type)findFunction(opened, "gl" #name);
    SN_GL_FUNCTIONS(FIND)
#undef FIND
    const char *missing = missingGl(gl);
    if (!missing) return SN_OK;
    return snFail(error, SN_ERROR_UNSUPPORTED,
                  "neither EGL nor %s has the function %s for pictures (%s): install libgles2 and "
                  "libgl1-mesa-dri; everything else works without pictures",
                  library ? library : usual[0], missing, problem);
}
