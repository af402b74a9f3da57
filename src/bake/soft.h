// The baked motion as a few corrective morph targets per mesh with animated weights: small, and
// editable in every program.
//
// Morph targets act before skinning, so the corrections are computed in bind space: with M the
// blended skinning matrix of a vertex in a frame, d = M^-1 (soft - rig), the inverse regularised
// where blending has flattened M. The corrections of all frames of all clips are then compressed by
// principal components: D ≈ Σ_k w_k(frame) T_k, with as many targets as the tolerance needs in every
// frame, and half-way between frames where the bake has kept that. Normals are corrected by the same
// weights.
#ifndef SN_BAKE_SOFT_H
#define SN_BAKE_SOFT_H

#include "asset/gltf.h"
#include "bake/bake.h"

typedef struct snSoftDef {
    double tolerance; // of the height: largest distance to the bake, any vertex in any frame
    int mostTargets;  // per mesh, up to 1000; the error this leaves is reported
    int enough;       // components of larger meshes are found by about so many vertices, and then
                      // fitted and measured at all of them
    // Told how far it is, 0 to 1, about; returns false to stop. NULL: nobody asks.
    bool (*tell)(void *user, double fraction);
    void *user;
} snSoftDef;
snSoftDef snDefaultSoftDef(void);

typedef struct snSoftReport {
    int meshCount;
    int targetCount; // of all meshes together
    int mostTargets; // of one mesh
    int denseClips;  // whose weights have keys between the frames too
    double error;    // of the height: what is left, in frames and between them
} snSoftReport;

// The original file with a clip "NAME.soft" for every baked clip. `original` is the file that the
// bake's character was read from.
snStatus snSoft_Write(const snBake *bake, const snSoftDef *def, const snGltfSource *original,
                      snBytes *out, snSoftReport *report, const snContext *context, snError *error);

#endif
