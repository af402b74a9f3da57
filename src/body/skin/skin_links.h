// A skeleton that gives way under a skin: links of muscles move by articulated dynamics (skeleton/articulated.h), are drawn to the postures by
// their strength, bump into colliders, and get from the skin what it gets from them.
//
// Mass. Links weigh what their muscles do, by volume: space that several muscles share counts once, for the one in which it is deepest. The
// skin has its own; points that are fixed to a frame go with the link, and are in its mass alone.
//
// Reactions. A point of the skin with mass m whose velocity changes by δv in a step got from its link, by bands and by lying on muscles, the impulse
// J = m δv - h (m g + what pulls it from outside). The link gets -J at the next step, where the point is: the sum over all, links and skin, is what
// gravity and others gave, to rounding, one step late. What neighbours in the skin did to each other is in J too, and cancels in the
// sum. Fine while the skin is light beside what it lies on.
#ifndef SN_BODY_SKIN_SKIN_LINKS_H
#define SN_BODY_SKIN_SKIN_LINKS_H

#include "body/body.h"
#include "body/skin/skin.h"
#include "skeleton/articulated.h"
#include "skeleton/strength.h"

typedef struct snSkinLinksDef {
    const snSkeleton *skeleton; // its joints are the skin's frames; copied from it
    const snJointRange *ranges; // [joints], or NULL: free balls
    double density;             // kg/m³, of muscles
    double friction;            // of its own (contact/law.h); below 0: what it touches decides
    snStrength strength;        // copied
} snSkinLinksDef;
snSkinLinksDef snDefaultSkinLinksDef(const snSkeleton *skeleton); // 1000 kg/m³

typedef struct snSkinLinks snSkinLinks;

// From the skin as it stands.
snStatus snSkinLinks_Make(snSkinLinks **links, const snSkinLinksDef *def, const snElasticSkin *skin,
                          const snContext *context, snError *error);
void snSkinLinks_Destroy(snSkinLinks *links); // accepts NULL

void snSkinLinks_Put(snSkinLinks *links, const snAffine *frames);   // [joints], in the world; still
void snSkinLinks_Carry(snSkinLinks *links, const snAffine *motion); // as they move, rigidly
// A step towards wanted frames, in the world, at the end of which it is `time`; then where links are.
void snSkinLinks_Step(snSkinLinks *links, const snBodyStep *step, double time,
                      const snAffine *wanted, snAffine *frames);
// Whether links feel where they are drawn to, and whether their strength changes from one time to another.
bool snSkinLinks_Feel(const snSkinLinks *links, double time);
bool snSkinLinks_Change(const snSkinLinks *links, double from, double to);
void snSkinLinks_Want(snSkinLinks *links, const snAffine *wanted); // where they were drawn to last
// Before a step: hands that hold points of links, and how fast these are to go. A step forgets them, and so does Release.
void snSkinLinks_Release(snSkinLinks *links);
void snSkinLinks_Hold(snSkinLinks *links, int link, snVec3 point, snVec3 velocity);
// What the skin's step gave its links, with its velocities before it, and forces on its points after it, where hands hold some.
void snSkinLinks_React(snSkinLinks *links, const snElasticSkin *skin, const snVec3 *before,
                       const snVec3 *forces, double length);
// Fields, before a step: accelerations act on links at their centres of mass, and what air does to points of the skin that are fixed to them, in
// `air`, acts on them where these are. NULL: none does.
void snSkinLinks_Act(snSkinLinks *links, const snElasticSkin *skin, const snFields *fields,
                     const snAirSurface *air, double length);
void snSkinLinks_SetVelocity(snSkinLinks *links, snVec3 center, snVec3 velocity, snVec3 spin);
void snSkinLinks_Measure(const snSkinLinks *links, snArticulatedMeasure *measure);
// Momentum that the skin has given and the links will get in the next step of this length.
snVec3 snSkinLinks_Owed(const snSkinLinks *links, double length);
double snSkinLinks_Deepest(const snSkinLinks *links); // m, of the last step

// The link that a point of the skin gives to what it gets.
int snSkinLinks_Of(const snSkinLinks *links, const snElasticSkin *skin, int point);
// The links themselves, numbered as joints are: for those that push them at places (skin_meet.c).
snArticulated *snSkinLinks_Tree(const snSkinLinks *links, snArticulatedState **state);

// Places change by so much in a time as velocities did, `change`, without these; then a motion of the whole is added that leaves the momenta of
// `want`.
void snSkinLinks_Turn(const snSkinLinks *links, double *change, double time,
                      const snArticulatedMeasure *want);

size_t snSkinLinks_SaveSize(const snSkinLinks *links);
void snSkinLinks_Save(const snSkinLinks *links, void *bytes);
void snSkinLinks_Restore(snSkinLinks *links, const void *bytes);

#endif
