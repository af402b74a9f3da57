// What the files of characters in worlds share among themselves.
#ifndef SN_BODY_LATTICE_FLESH_BODY_PARTS_H
#define SN_BODY_LATTICE_FLESH_BODY_PARTS_H

#include "body/lattice/bones.h"
#include "body/lattice/flesh_body.h"
#include "body/lattice/solid_parts.h"
#include "skeleton/ik.h"

// Saved, with no gaps between.
typedef struct snFleshClock {
    int64_t ticks;  // that it has moved
    double rate;    // snSolidDrawn.rate
    snAffine place; // where it was put
    snMat3 heading; // how its travel has been turned since, snBody_Carry
} snFleshClock;

// Saved: how a joint is turned beyond its clip, as a rotation vector in its own frame, and how fast that changes.
typedef struct snFleshTurn {
    snVec3 turn, rate;
} snFleshTurn;

// Saved: a point that the skeleton brings somewhere.
typedef struct snFleshAim {
    int64_t begun; // tick in which it was first held, + 1; 0: it is not held
    snVec3 soft;   // where flesh had it then, from where the skeleton had it
    double miss;   // m, what was left to flesh in the last step
} snFleshAim;

typedef struct snFleshBody {
    snSolidBody solid; // first: the body is one of these
    const snFlesh *flesh;
    const snCharacter *character;
    snFleshBodyDef def; // pointers in it are not kept: NULL
    snPose pose;        // of the last step's end; globals in the world
    snPose ahead[2];    // scratch: the clip's now and after a step
    snFleshDriver driver;
    snLatticeDrive drive; // to it
    snVec3f *skinned;     // [vertices], scratch: the surface as the rig has it
    int *first;           // [parts + 1], of their vertices
    // What carries the surface elsewhere (flesh_surface.c).
    int *firstMove;   // [parts], of what moves them: the joints of their skins, or their nodes
    int moveCount;    // 0: morph targets have a part in it, and it is not so carried
    int rowWidth;     // numbers of a row, at most
    snAffine *shown;  // [joints], scratch: from rest to the pose
    double *shownRig; // [lattice vertices * 4], scratch
    // Saved, one block.
    snFleshClock *clock;
    snFleshTurn *turns; // [joints]
    snFleshAim *aims;   // [mostPoints]
    double *
        given; // [1 + 12 joints], of def.posed, else NULL: 1 where there is a pose, 2 where no step saw it yet; frames
    // Reaching (flesh_reach.c).
    int *rootOf;    // [joints], the topmost that turns with it; -1: none does
    snIk **iks;     // [joints], of those that points may hang on most; NULL: it brings none
    bool *turned;   // [joints], in this step, by what is held
    int *brings;    // [mostPoints], the joint whose chain brings a point in this step, or -1
    snQuat *played; // [joints], how the clip turns them at the step's end
    // A skeleton that gives way (flesh_bones.c), or NULL.
    struct snFleshBones *bones;
} snFleshBody;

static inline snFleshBody *snFleshBody_Of(snSolidBody *solid)
{
    return (snFleshBody *)solid;
}

extern const snSolidLead snFleshLead; // flesh_motion.c

// s of the clip's own time that have passed in `ticks`.
double snFleshBody_Time(const snFleshBody *b, int64_t ticks);
void snFleshBody_SampleClip(const snFleshBody *b, int64_t ticks, snPose *pose);
void snFleshBody_ShowClip(snFleshBody *b); // its pose is the clip's of now, in the world
// Where the character's own frame is then.
snAffine snFleshBody_Place(const snFleshBody *b, int64_t ticks);

// A skeleton that gives way. The links' state is in the body's saved block, and so is what the clip wants.
typedef struct snFleshBones {
    snFleshSkeleton def;
    snBones *links;
    double *strength, *swing, *twist,
        *inertia;          // [joints]; kg m² of what hangs on a joint, about it
    snVec3 *axis;          // [joints], along the bone, at rest
    unsigned char *inside; // [joints], 1: of the body; 0: where the clip has it, a stage
    snQuat *wanted;        // [joints], saved: relative turns of the clip at the last step's end
    snVec3 *places;        // [joints], saved: of roots
    snQuat *turned;        // [joints], scratch: in the world
    // What flesh is at rest in: the clip's pose as far as the skeleton is strong, the bind pose where it is limp.
    snAffine *restJoints; // [joints], scratch
    double *shape;        // [lattice vertices * 4]
    double active;        // 0: the bind pose
} snFleshBones;

// flesh_bones.c
snStatus snFleshBones_Make(snFleshBody *b, const snFleshSkeleton *def, snError *error);
void snFleshBones_Destroy(snFleshBones *bones);
size_t snFleshBones_SavedSize(const snFleshBody *b);
void snFleshBones_TakeSaved(snFleshBody *b, void *bytes);
// The clip's pose, its globals in the world, becomes what joints are drawn to, and the pose that of the first guess.
void snFleshBones_Aim(snFleshBody *b);
// The clip's pose, its globals in the world, becomes that of the links, still.
void snFleshBones_Put(snFleshBody *b);
void snFleshBones_Carry(snFleshBody *b, const snAffine *motion); // links as they are, rigidly
// The clip's pose, its globals in the world, is where a hand carried the root last; the pose becomes that of the links.
void snFleshBones_Want(snFleshBody *b);
// The pose that of the links, over the clip's.
void snFleshBones_Show(snFleshBody *b);

// flesh_rest.c
bool snFleshBody_Stirs(const snSolidBody *solid, int ticks);
void snFleshBody_Pass(snSolidBody *solid, int ticks);

// flesh_surface.c
snStatus snFleshBody_MakeRows(snFleshBody *b, snError *error);
bool snFleshBody_Rows(const snSolidBody *solid, snBodyRows *rows);
void snFleshBody_Controls(const snSolidBody *solid, snVec3 *places);

// flesh_reach.c
snStatus snFleshBody_MakeReach(snFleshBody *b, const snFleshBodyDef *def, snError *error);
void snFleshBody_DestroyReach(snFleshBody *b);
// Turns joints of the pose that the clip has, in the character's own frame, which is at `place` at the step's end: back
// to the clip, and to what is held.
void snFleshBody_Reach(snFleshBody *b, const snAffine *place);
// The turns that were found, over the clip's pose.
void snFleshBody_ShowTurns(snFleshBody *b);
double snFleshBody_Beyond(const snSolidBody *solid, int point, snVec3 place);

#endif
