// What the files of skin bodies share among themselves.
#ifndef SN_BODY_SKIN_SKIN_BODY_PARTS_H
#define SN_BODY_SKIN_SKIN_BODY_PARTS_H

#include "body/skin/levels.h"
#include "body/skin/skin_body.h"
#include "body/skin/skin_links.h"
#include "body/skin/skin_press.h"
#include "body/skin/smooth.h"
#include "geometry/tree.h"

// A point is the mean of three of the skin's. Masses stand at points, so that both A and M of body.h are diagonal: a step is
// explicit as far as others are concerned.
//
// A skin with levels (levels.h) is its finest one, which others know, and one of them moves: steps, points and measures are that one's, surface and
// shell the finest's.

typedef struct Point {
    int used; // no bool: a state has no gaps, for it is hashed by its bytes
    int corner[3];
    double share[3];
} Point;

typedef struct SkinBody {
    snBody body;
    snArena arena;
    snSkinLevels *levels; // of which it is the finest, or NULL
    snSkinMesh mesh;
    snElasticSkin *skin;
    snSkinDriveFcn *drive;
    double (*stiffness)(void *user, double time);
    snSkinPlayFcn *play;
    void *user;
    void (*release)(void *user);
    bool smooth;        // the surface is `drawn`; else the points themselves
    snSkinSmooth drawn; //
    snVec3 *drawnRest;  // [drawn.vertexCount]
    snAffine place;     // where it was put
    double friction, restitution;
    snVec3 *rest;         // [pointCount]
    snAffine *restFrames; // [frameCount]
    snMeshTree tree;      // over the rest surface
    Point *points;        // [mostPoints]
    double time;
    snBodyStep step;
    snAffine *driven;        // [frameCount], where they go, in the body's own frame
    snAffine *frames;        // [frameCount], the same in the world
    snSkinMuscle *muscles;   // [muscleCount]
    snVec3 *before;          // [pointCount], places before the step
    snVec3 *pace;            // [pointCount], velocities before it
    snVec3 *forces;          // [pointCount], after it, where hands hold some
    snSkinLinks *links;      // frames that give way, or NULL
    snAffine *ahead[2];      // [frameCount], scratch: where frames are led to now and after a step
    snSkinMuscle *shaped[2]; // [muscleCount], likewise
    snVec3 *played[2];       // [underCount], likewise, where it is
    snVec3 *fields;          // [pointCount], of skin->fields; NULL: there is no room for any
    snAirSurface air;
    snSkinPress press; // on what it lies over; of no points where that does not feel it
    int underCount;
    snVec3 *underRest; // [underCount], as it was made
    snVec3 *under;     // [underCount], where the surface of what it lies over is
    bool failed;
    bool foreign; // points are held, pulled or pushed in this step
    snContactReport contact;
} SkinBody;

// The one that moves.
static inline SkinBody *moving(const snBody *body)
{
    return (SkinBody *)snSkinBody_Moving((snBody *)(uintptr_t)body);
}

// All of them, itself first.
static inline int countLevels(const SkinBody *self)
{
    return self->levels ? self->levels->count : 1;
}

static inline SkinBody *levelOf(const SkinBody *self, int level)
{
    return self->levels ? (SkinBody *)self->levels->bodies[level] : (SkinBody *)(uintptr_t)self;
}

static inline void show(const snBody *body)
{
    snSkinLevels *levels = ((const SkinBody *)body)->levels;
    if (levels) snSkinLevels_Show(levels);
}

static inline void carryFrames(SkinBody *self)
{
    for (int i = 0; i < self->skin->muscles.frameCount; i++)
        self->frames[i] = snMulAA(self->place, self->driven[i]);
}

extern const snBodyMeeting snSkinMeeting; // skin_meet.c

// skin_state.c
size_t snSkinBody_SaveSize(const snBody *body);
void snSkinBody_Save(const snBody *body, void *bytes);
snStatus snSkinBody_Restore(snBody *body, const void *bytes, snError *error);

// skin_place.c
snStatus snSkinBody_ReserveFields(snBody *body, snError *error);
void snSkinBody_Act(snBody *body, const snFields *fields);
void snSkinBody_Carry(snBody *body, const snAffine *motion);
bool snSkinBody_Go(snBody *body, const snAffine *place, snAffine *stands);
bool snSkinBody_Rows(const snBody *body, snBodyRows *rows);
void snSkinBody_Controls(const snBody *body, snVec3 *places);

// skin_rest.c
snStatus snSkinBody_ReserveRest(SkinBody *self, const snSkinBodyDef *def, snError *error);
bool snSkinBody_Stirs(const snBody *body, int ticks);
void snSkinBody_Pass(snBody *body, int ticks);

#endif
