// An OpenGL ES 3 context without a window, through EGL.
#ifndef SN_RENDER_DEVICE_H
#define SN_RENDER_DEVICE_H

#include "sinew/base.h"

#include <EGL/egl.h>

typedef struct snDevice {
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

snStatus snDevice_Make(snDevice *device, snError *error);
void snDevice_Destroy(snDevice *device); // accepts a half-made one

// Between these two, OpenGL calls of this thread go to the device.
snStatus snDevice_Enter(const snDevice *device, snDeviceScope *scope, snError *error);
void snDevice_Leave(const snDevice *device, const snDeviceScope *scope);

#endif
