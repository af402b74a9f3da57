// A skin as a body of a world (body/body.h): its points can be held, pulled, pushed and struck, and bump into the world's
// colliders with friction. What its frames and muscles do over time is said by a function of the caller.
#ifndef SN_BODY_SKIN_SKIN_BODY_H
#define SN_BODY_SKIN_SKIN_BODY_H

#include "body/body.h"
#include "body/skin/skin_links.h"
#include "body/skin/skin_press.h"

// Fills in where frames (and muscles, which are as they were) are to be at a time, in the frame in which the body was made:
// it is carried to where the body was put.
typedef void snSkinDriveFcn(void *user, double time, snAffine *frames, snSkinMuscle *muscles);

// Where the surface under a skin is at a time, [vertices of it], in the same frame.
typedef void snSkinPlayFcn(void *user, double time, snVec3 *places);

typedef struct snSkinBodyDef {
    const char *name;
    const snElasticSkinDef *skin;
    double step;                                  // s, of the world
    snSkinDriveFcn *drive;                        // NULL: nothing moves by itself
    double (*stiffness)(void *user, double time); // how many times as stiff it is; NULL: 1
    void *user;                                   // of these
    void (*release)(
        void *user); // when the body is destroyed, not where making it fails; NULL: none
    int smooth; // how often the surface is refined from the points (smooth.h), 0: closed at its rims; below 0: points alone
    // The body whose surface is skin->under, as it is made: the skin slides over it. Both are put in their places with it first. NULL: none.
    const snBody *over;
    bool presses;        // that one feels the skin, if its shell has the vertices of its surface
    snSkinPlayFcn *play; // where skin->under is over time, in the place of a body; NULL: it stands
    double friction;     // of its own (contact/law.h); below 0: what it touches decides
    double restitution;  // with colliders, 0 ... 1
    int mostPoints, mostHeld;
    const snSkinLinksDef
        *links; // frames give way, and are drawn to where `drive` has them; NULL: they are there
    bool
        meets; // it bumps into bodies of worlds, of any model; not where it lies over one that does not feel it
} snSkinBodyDef;
snSkinBodyDef snDefaultSkinBodyDef(void);

// Copies what it needs, the mesh too.
snStatus snSkinBody_Make(snBody **body, const snSkinBodyDef *def, const snContext *context,
                         snError *error);
snElasticSkin *snSkinBody_Skin(snBody *body);            // what it is made of
const snSkinLinks *snSkinBody_Links(const snBody *body); // NULL: its frames do not give way

snVec3 snSkinBody_Owed(
    const snBody *body); // N s, that it has given to what it lies over, which has not got it yet

// A mesh with where its points are at rest.
typedef struct snSkinAtRest {
    const snSkinMesh *mesh;
    const snVec3 *places;
} snSkinAtRest;
snSkinAtRest snSkinBody_AtRest(const snBody *body);
// Takes over time, place and drive of another body of the same skin, all but the skin itself (levels.h).
void snSkinBody_Follow(snBody *body, const snBody *leader);

// Points of the skin that moves whose mean an end is.
void snSkinBody_EndRow(const snBody *body, const snBodyEnd *end, int corner[3], double share[3]);

// Levels (levels.h) of which it is the finest; NULL: none. From then on they are part of it.
typedef struct snSkinLevels snSkinLevels;
snSkinLevels *snSkinBody_Levels(const snBody *body);
void snSkinBody_SetLevels(snBody *body, snSkinLevels *levels);
snBody *snSkinBody_Moving(snBody *body); // the one of them that moves now, or itself

#endif
