// An OpenGL ES 3 context without a window, through EGL, and the functions to use it with.
#ifndef SN_RENDER_DEVICE_H
#define SN_RENDER_DEVICE_H

#include "render/gl.h"

typedef struct snDevice {
    snEgl egl;
    snGl gl;
    EGLDisplay display;
    EGLContext context;
} snDevice;

// What was current on the calling thread before us, to be put back.
typedef struct snDeviceScope {
    EGLDisplay display;
    EGLSurface draw, read;
    EGLContext context;
    EGLenum api;
} snDeviceScope;

// `library` is the file that has EGL; NULL is the system's.
snStatus snDevice_Make(snDevice *device, const char *library, snError *error);
void snDevice_Destroy(snDevice *device); // accepts a half-made one

// Between these two, OpenGL calls of this thread go to the device.
snStatus snDevice_Enter(const snDevice *device, snDeviceScope *scope, snError *error);
void snDevice_Leave(const snDevice *device, const snDeviceScope *scope);

#endif
