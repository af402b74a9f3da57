// Bare muscles of a skin's shell: what grows out of the skin, a beak or feet. They bump into bodies of other models as the skin does, and
// are rigid on their frames.
#ifndef SN_BODY_SKIN_SKIN_BARE_H
#define SN_BODY_SKIN_SKIN_BARE_H

#include "body/skin/skin.h"

typedef struct snSkinBare {
    int count;
    int *muscle; // [count], which of the skin's
    int first;   // vertex of the shell; before it are the skin's points
    snVec3 *
        unit; // [vertices], before warp and frame, as shares of the shape's half size: what grows keeps its form
} snSkinBare;

snStatus snSkinBare_Make(snSkinBare *bare, const snElasticSkin *skin, snArena *arena,
                         snError *error);
int snSkinBare_VertexCount(const snSkinBare *bare); // of all
int snSkinBare_TriangleCount(const snSkinBare *bare);
void snSkinBare_Triangles(const snSkinBare *bare, int *triangles); // over the shell's vertices
void snSkinBare_Places(const snSkinBare *bare, const snSkinMuscles *muscles, snVec3 *places);
snVec3 snSkinBare_Place(const snSkinBare *bare, const snSkinMuscles *muscles,
                        int vertex);                         // of the shell
int snSkinBare_MuscleOf(const snSkinBare *bare, int vertex); // -1: it is the skin's

#endif
