// Frames of a character as pictures: which clip, at which times, with which overlays. Used by
// `sinew render`; knows characters and flesh on one side and the renderer on the other.
#ifndef SN_CLI_SHOW_H
#define SN_CLI_SHOW_H

#include "bake/bake.h"
#include "render/render.h"

typedef enum snOverlay {
    SN_OVERLAY_SKELETON = 1, // bones inside a glass body
    SN_OVERLAY_LATTICE = 2,  // edges of the control lattice
    SN_OVERLAY_REGIONS = 4,  // surface coloured by the joints that lead it
    SN_OVERLAY_STRAIN = 8,   // surface coloured by the largest stretch of the flesh
} snOverlay;

// One moment.
typedef struct snShot {
    double time;
    snVec3f *positions;      // [vertices]
    snVec3f *lattice;        // [lattice vertices], or NULL without flesh
    snVec3f *heads, *tails;  // [boneCount], the skeleton in this pose
    unsigned char *mirrored; // [parts], 1: turned inside out by a negative scale
} snShot;

typedef struct snShow {
    snArena arena;
    const snCharacter *character;
    const snFlesh *flesh; // or NULL
    int shotCount;
    snShot *shots;
    int boneCount;
    snBox bounds;        // of all shots
    snBox latticeBounds; // of their lattices
    unsigned overlays;
    snImage *textures; // [images of the character], empty where not used or not readable
    // Scratch for drawing one shot.
    snSurfaceDraw *surfaces; // [parts]
    float *colors;           // [vertices * 4]
    int edgeCount;
    int *edges; // [edgeCount * 2], lattice vertices
    snVec3f *linePoints;
    float *lineColors;
    double *vertexStretch; // [lattice vertices * 2], mean and weight
} snShow;

// Moments of a clip played by the rig alone (clip NULL: the rest pose).
snStatus snShow_MakeRig(snShow *show, const snCharacter *character, const snClip *clip,
                        int shotCount, const double *times, const snContext *context,
                        snError *error);
// Moments out of a baked clip.
snStatus snShow_MakeBaked(snShow *show, const snBake *bake, int clip, int shotCount,
                          const int *frames, const snContext *context, snError *error);
void snShow_Destroy(snShow *show);

snStatus snShow_Draw(snShow *show, int shot, snRenderer *renderer, const snCamera *camera,
                     snImage *image, snError *error);

#endif
