// From a scene and a camera to numbers: where the eye and the lights stand, and the matrices that
// all shaders share. Plain arithmetic, no OpenGL.
#ifndef SN_RENDER_FRAME_H
#define SN_RENDER_FRAME_H

#include "render/render.h"

// The mirror of the block Frame in shaders/common.glsl (std140; matrices by columns). "World" there
// is this: the scene moved and scaled so that the middle of its bounds is 0 and their half diagonal
// is 1, which keeps single precision good for scenes of any size at any place.
typedef struct snFrameBlock {
    float clipFromWorld[16];
    float viewFromWorld[16];
    float shadowFromWorld[16];
    float heightFromWorld[16];
    float eye[4];
    float key[4];
    float fill[4];
    float background[4];
    float ground[4];
    float shadowRect[4];
    float heightRect[4];
    float heightRange[4];
    float gridOrigin[4];
    float screen[4];
    float lens[4];
    float lensShift[4];
} snFrameBlock;

typedef struct snFrame {
    snVec3 center; // of the bounds
    double radius; // half their diagonal, in the scene's units
    bool ground;   // shown: asked for, and the eye is above it
    snFrameBlock block;
} snFrame;

// The depth range and the width of the shadow map, in world lengths: a little more than the ball
// around the bounds.
#define SN_SHADOW_SPAN 2.1

snStatus snFrame_Make(snFrame *frame, const snScene *scene, const snCamera *camera, int width,
                      int height, snError *error);

// A point of the scene in world lengths; false when it is not finite or absurdly far away.
bool snFrame_Place(const snFrame *frame, snVec3f point, float world[3]);

// The same matrix, from [0,1]^3 to clip space [-1,1]^3.
void snFrame_ClipFromUnit(const float unit[16], float clip[16]);

#endif
