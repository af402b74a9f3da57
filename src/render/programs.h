// The shader programs, from the texts in shaders/, and small helpers to set their inputs.
#ifndef SN_RENDER_PROGRAMS_H
#define SN_RENDER_PROGRAMS_H

#include "render/gl.h"

typedef enum snProgram {
    SN_PROGRAM_DEPTH,
    SN_PROGRAM_DEPTH_CUT, // the same for surfaces with holes in their texture. Apart, because a
                          // driver is slower at what may be discarded
    SN_PROGRAM_SURFACE,
    SN_PROGRAM_SURFACE_CUT,
    SN_PROGRAM_GROUND,
    SN_PROGRAM_GROUND_SHADOW,
    SN_PROGRAM_GROUND_AMBIENT,
    SN_PROGRAM_BLUR,
    SN_PROGRAM_OCCLUSION,
    SN_PROGRAM_OCCLUSION_BLUR,
    SN_PROGRAM_LINE,
    SN_PROGRAM_POINT,
    SN_PROGRAM_COUNT
} snProgram;

// Texture units. Each sampler of the shaders has its own, by name (programs.c).
typedef enum snUnit {
    SN_UNIT_SHADOW_MAP,
    SN_UNIT_SHADOW_DEPTH,
    SN_UNIT_OCCLUSION_MAP,
    SN_UNIT_GROUND_SHADOW,
    SN_UNIT_GROUND_AMBIENT,
    SN_UNIT_HEIGHT_MAP,
    SN_UNIT_DEPTH_MAP,
    SN_UNIT_SOURCE,
    SN_UNIT_BASE_COLOR,
    SN_UNIT_COUNT
} snUnit;

snStatus snPrograms_Make(const snGl *gl, GLuint programs[SN_PROGRAM_COUNT], snError *error);
void snPrograms_Destroy(const snGl *gl, GLuint programs[SN_PROGRAM_COUNT]);

void snProgram_Set1(const snGl *gl, GLuint program, const char *name, float x);
void snProgram_Set2(const snGl *gl, GLuint program, const char *name, float x, float y);
void snProgram_Set4(const snGl *gl, GLuint program, const char *name, float x, float y, float z,
                    float w);
void snProgram_SetMatrix(const snGl *gl, GLuint program, const char *name, const float m[16]);

#endif
