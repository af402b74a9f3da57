// Making skins: a grid that begins as a sphere round all muscles, fixed to two rims, and shrinks on; surfaces of
// any topology from the muscles themselves; bands from points to muscles.
#ifndef SN_BODY_SKIN_MAKE_H
#define SN_BODY_SKIN_MAKE_H

#include "body/skin/skin.h"

// A circle that an end of a grid is fixed to.
typedef struct snSkinRim {
    int frame;
    snVec3 centre; // in that frame
    snVec3 out;    // in that frame, away from the body
    double radius; // m
} snSkinRim;

// Places of a grid on a sphere that holds all muscles, from the lower rim to the upper; points of both rims are pinned.
void snSkinRims_Sphere(const snSkinRim rims[2], const snSkinMesh *mesh,
                       const snSkinMuscles *muscles, snVec3 *places, snSkinPoint *points);

typedef struct snSkinShrinkDef {
    const snSkinMesh *mesh;
    int muscleCount;
    const snSkinMuscle *muscles;
    int frameCount;
    const snAffine *frames;
    snSkinTissue tissue; // of the skin that comes of it
    double
        shrink; // 0 ... 1: how much of its size the skin has lost, at rest, while it shrinks; 0.8
    double seconds; // at most; 3
    bool faces;     // those are kept out of muscles too, not points alone (cover.h)
    // Asked after every step of a 60th of a second: false ends it. Coarser meshes come first. NULL: none.
    bool (*watch)(void *user, const snSkinMesh *mesh, const snVec3 *places);
    void *user;
} snSkinShrinkDef;
snSkinShrinkDef snDefaultSkinShrinkDef(void);

// From where places are, which tell how large cells want to be beside each other. Points that are pinned begin at their pins, wherever
// their places are. Pins are kept, all else is set: where the skin lies in the end is its rest shape, but for the
// tissue's tightness.
snStatus snElasticSkin_Shrink(const snSkinShrinkDef *def, snVec3 *places, snSkinPoint *points,
                              const snContext *context, snError *error);

// The band of a point ends at the nearest place of a muscle below it, along its normal and no farther than `reach`; where
// there is none, at the nearest place of any muscle within it; else there is none. Bands are as long at rest as they
// are. first, count: of the points that are attached; pinned ones are not. Normals: snSkinMesh_Normals.
void snElasticSkin_Attach(const snSkinMuscles *muscles, const snVec3 *places, const snVec3 *normals,
                          double reach, int first, int count, snSkinPoint *points);

// The surface of all muscles, melted into each other over a width and grown by a distance, as a mesh of triangles
// of about this length: skins with arms and legs.
typedef struct snSkinUnionDef {
    double cell;  // m
    double blend; // m
    double grow;  // m
} snSkinUnionDef;
snStatus snSkinMuscles_Surface(const snSkinMuscles *muscles, const snSkinUnionDef *def,
                               snMesh *surface, snArena *arena, snError *error);

#endif
