// Everything that is drawn into: the shadow map, the maps that lie on the ground, the half-size
// occlusion maps and the picture itself with its edge samples.
#ifndef SN_RENDER_TARGETS_H
#define SN_RENDER_TARGETS_H

#include "render/gl.h"

// A texture and the framebuffer that draws into it.
typedef struct snTarget {
    GLuint texture, framebuffer;
    int width, height;
} snTarget;

typedef struct snTargets {
    snTarget shadow;           // depth from the key light
    snTarget underside;        // depth from below the ground
    snTarget groundShadow[2];  // visibility of the key light on the ground, and room for its blur
    snTarget groundAmbient[2]; // visibility of the sky on the ground
    snTarget early;            // depth of opaque surfaces at half size
    snTarget occlusion[2];     // ambient light on them
    GLuint pictureColor, pictureDepth, picture; // with several samples per pixel
    GLuint resolvedColor, resolved;             // one sample
    GLuint finalColor, final;                   // of the picture's own size, to be read
    int width, height;                          // of the picture
    int scale;                                  // of `picture` and `resolved` to that: 1 or 2
} snTargets;

// The maps that do not depend on the picture's size.
snStatus snTargets_Make(const snGl *gl, snTargets *targets, int shadowSize, snError *error);
// The others; may be called again with another size.
snStatus snTargets_Resize(const snGl *gl, snTargets *targets, int width, int height, int samples,
                          snError *error);
void snTargets_Destroy(const snGl *gl, snTargets *targets); // accepts half-made ones

#endif
