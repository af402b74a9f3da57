// What a skin does to the body that it lies over (snBody.over): pressure, bands and friction, at points of that body's surface.
#ifndef SN_BODY_SKIN_SKIN_PRESS_H
#define SN_BODY_SKIN_SKIN_PRESS_H

#include "body/body.h"
#include "body/skin/skin.h"

typedef struct snSkinPress {
    int count;
    double length, share; // of the step, s; of what was missed is added to what is expected
    // State, [count * 2]: impulses that it is expected to give in a step at its points, N s, and those that it has given and the body under it
    // has not got yet.
    snVec3 *state, *expected, *owed;
    snVec3 *given; // [count], what the body under it gets in this step
    snVec3 *found; // [count], what it was found to give in this step
    bool again;    // the step is taken again: `better` is expected
    snVec3 *better;
    snVec3 *pulled;   // [count], scratch: forces from outside at the step's begin
    snVec3 *inner[2]; // [count], scratch: forces within the skin at the step's begin and end
} snSkinPress;

// `ratio` is how heavy the skin is in weights of what is under it.
snStatus snSkinPress_Make(snSkinPress *press, int count, double ratio, snArena *arena,
                          snError *error);
void snSkinPress_Clear(snSkinPress *press);
size_t snSkinPress_SaveSize(const snSkinPress *press);

// Where a point of the skin presses on the surface under it: where it lies on it, else where its band ends.
snBodyEnd snSkinPress_FootOf(const snElasticSkin *skin, int point);
snVec3 snSkinPress_FootPlace(const snBody *under, const snBodyEnd *foot);
// Before a step: pushes the body under the skin.
void snSkinPress_Push(snSkinPress *press, const snElasticSkin *skin, snBody *under, double length);
// Before and after the skin's step, with velocities at its begin.
void snSkinPress_Begin(snSkinPress *press, const snElasticSkin *skin);
void snSkinPress_End(snSkinPress *press, const snElasticSkin *skin, const snVec3 *before);
// How far what it gave is from what was expected, as a share of it; what to expect when the step is taken again is known then.
double snSkinPress_Miss(snSkinPress *press);
void snSkinPress_Finish(snSkinPress *press); // the step counts

snVec3 snSkinPress_Owed(const snSkinPress *press); // N s, on its way

#endif
