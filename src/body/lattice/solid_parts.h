// What the files of solid bodies share among themselves.
#ifndef SN_BODY_LATTICE_SOLID_PARTS_H
#define SN_BODY_LATTICE_SOLID_PARTS_H

#include "body/lattice/row.h"
#include "body/lattice/explicit.h"
#include "body/lattice/ladder.h"
#include "body/lattice/solid_body.h"

// A located point: a row over the lattice's vertices. Part of the state.
typedef struct snSolidPoint {
    int used;
    int handle; // of the constraint that holds it, or -1
    int aimed;  // 1: `before` is where its place was at the end of the last step
    int count;
    int vertex[SN_POINT_TERMS];    // the lattice's numbers
    int index[SN_POINT_TERMS];     // the model's
    double weight[SN_POINT_TERMS]; //
    // Of points on the surface of a body that is drawn by a rig, as of snBodySpot; all shares 0: what is drawn is
    // the row alone.
    int corner[4];
    double share[3];
    snVec3 before; // of tied bodies with Baumgarte's rule
} snSolidPoint;

// Of a body with levels of detail (solid_detail.c). Saved, with no gaps.
typedef struct snSolidDetail {
    int64_t level;
    double amount; // of what flesh does beyond its rig, that is left: 1 ... 0
} snSolidDetail;

struct snSolidBody;

// Who leads a body from outside: a skeleton (flesh_body.h). Solids have none, and fly.
typedef struct snSolidLead {
    // To the end of the coming step, whose holds are known: the rig and what is drawn beyond the lattice.
    void (*pose)(struct snSolidBody *solid);
    void (*drive)(struct snSolidBody *solid,
                  snLatticeDrive *drive);     // fills in what the rig has of it
    void (*found)(struct snSolidBody *solid); // after a step: what the search has found of it
    void (*show)(
        struct snSolidBody *solid); // of what is on its rig: what is drawn beyond the lattice
    void (*put)(struct snSolidBody *solid, const snAffine *place);
    // All that it has in the world moves rigidly, with the lattice.
    void (*carry)(struct snSolidBody *solid, const snAffine *motion);
    void (*go)(struct snSolidBody *solid, const snAffine *place, snAffine *stands);
    bool (*setPose)(struct snSolidBody *solid, int joints, const snAffine *frames);
    bool (*stirs)(const struct snSolidBody *solid, int ticks); // snBodyKind.stirs
    void (*pass)(struct snSolidBody *solid, int ticks);
    double (*beyond)(const struct snSolidBody *solid, int point, snVec3 place); // snBodyKind.beyond
    void (*restored)(struct snSolidBody *solid); // what it saves was read
    void (*forget)(struct snSolidBody *solid, int point);
    bool (*rows)(const struct snSolidBody *solid, snBodyRows *rows); // snBodyKind.rows
    void (*controls)(const struct snSolidBody *solid, snVec3 *places);
    void (*destroy)(struct snSolidBody *solid); // what only it has; the model too
} snSolidLead;

// What springs pull at a point with, for what is drawn beyond its row: h² k and h c of pull.h.
typedef struct snSolidSpring {
    double spring, damper;
} snSolidSpring;

// A surface that a rig draws stands beyond the lattice by so much, at the begin of a step and at its end. All NULL: it
// is the lattice's.
typedef struct snSolidDrawn {
    snVec3 *offset[2]; // [surface vertices], saved
    double *rate;      // [1], 1/s: one over the length of the last step, 0 before the first; saved
    snVec3 *sample[2]; // [samples of the contacts]
    int *corners;      // [samples * 3], vertices of the surface whose mean, weighted, a sample is
    double *shares;    // [samples * 3]
    bool stale;        // it is on its rig, and nobody has asked for offsets yet
    void *saved;       // all that the lead saves, with offsets and rate in it
    size_t savedSize;
} snSolidDrawn;

// J. Height: gravity's. Stored: by contacts that give way.
typedef struct snSolidEnergy {
    double kinetic, elastic, height, stored;
} snSolidEnergy;

typedef struct snSolidBody {
    snBody body;             // first: an snBody is one of these
    const snSolidLead *lead; // or NULL
    snSolidDrawn drawn;
    snArena arena;
    snContext context;
    snSolidBodyDef def;      // pointers in it are not kept: NULL
    snSolid *solid;          // or NULL
    snLattice lattice;       // of cells; of a solid that of its nodes, which is the solid's
    snQuadrature quadrature; // of cells
    snSolidSurface surface;
    snLatticeModel *model;
    snLatticeModelDef modelDef; // what it was built from
    snLadder *ladder;           // of steps that were made ready, or NULL
    const snLatticeModel *rung; // of the present step
    snLatticeState *state;
    snLatticeContacts *contacts; // NULL: linear bodies, and explicit steps
    snExplicit *explicit;        // of explicit steps, else NULL
    snPointConstraints *constraints;
    struct snBones *bones; // that give way (bones.h), or NULL
    bool meets, self;      // other bodies bump into it, and it into itself
    bool mayTie;           // points of it may be tied to points of others
    int number;            // in its group
    bool isTied;           // they may be in its group: its held points are the ties' too
    bool anchored;         // some body that it is tied to is held, in this step
    snSolidPoint *points;  // [mostPoints]
    snVec3 *shape; // [vertices], undeformed, turned as it was put, around its centre of mass
    // A step.
    snBodyStep step;
    double *factor;       // [1], of stiffness in the last step; saved
    double *acceleration; // [vertices * 4], of gravity, drag and fields
    bool acts;            // fields do, in this step
    snVec3 *fields;       // [vertices], m/s², by them; NULL: there is no room for any
    double *fieldDamping; // [vertices], kg/s
    snVec3 *boneFields;   // [points of bones that give way], as fields; or NULL
    snAirSurface air;
    unsigned char *held;    // [mostPoints]
    snVec3 *target;         // [mostPoints], of those held
    int *pullOf;            // [mostPoints], 1 + number in pulls; 0: none
    snLatticePull *pulls;   // [mostPoints]
    snSolidSpring *springs; // [mostPoints], of pulls
    int pullCount;
    snLinearPulls linearPulls; // the same, of linear bodies
    snVec3 force;              // sum of pushes
    snVec3 brought;            // by gravity and air, of angular momentum in the step
    double *rig;               // [vertices * 4], what the first guess goes by
    snSolidEnergy energy[2];   // before and after a step that is watched
    bool isLimp;               // in this step, snSolidBody_WatchLimp
    bool failed;
    int conflicts;
    double *rows;    // [vertices * 4], scratch
    double *solve;   // scratch of the factor
    double *impulse; // [snSolidBody_ImpulseSize], scratch of blows
    // What the constraints' sets had done when last looked at: snBodyReport.
    int64_t columnsSeen, rowsSeen;
    int64_t columnsSolved, rowsFactored; // by ties, in this step
    snSolidDetail *detail;               // or NULL
    double *share;                       // [vertices], of those that can be on their rigs; scratch
    struct snSolidHolds *holds;          // of bodies with bones that give way, or NULL
    struct snSolidMeet *meet;            // of bodies that meet those of other models, else NULL
} snSolidBody;

// Whether functions of it come and go.
static inline bool snSolidBody_Adapts(const snSolidBody *solid)
{
    return solid->solid && solid->solid->levels.mostActive > 0;
}

static inline bool snSolidBody_IsExplicit(const snSolidBodyDef *def)
{
    return def->integrator == SN_INTEGRATOR_EXPLICIT_EULER ||
           def->integrator == SN_INTEGRATOR_RUNGE_KUTTA;
}

// A vertex of the surface as the lattice has it in these rows of the model's.
static inline snVec3 snSolidBody_SurfaceRow(const snSolidBody *solid, int vertex,
                                            const double *rows)
{
    const snEmbedding *e = &solid->surface.embedding;
    snVec3 sum = {0, 0, 0};
    for (int k = vertex * e->width; k < (vertex + 1) * e->width; k++)
        sum = snMulAdd(sum, e->weight[k], snRow(rows, solid->model->indexOf[e->vertex[k]]));
    return sum;
}

// How much of a step is searched: with the midpoint rule what lies before its middle (step.c), where springs and held
// points are half-way.
static inline double snSolidBody_Share(const snSolidBody *solid)
{
    return solid->def.integrator == SN_INTEGRATOR_MIDPOINT ? 0.5 : 1;
}

extern const snBodyKind snSolidBodyKind; // solid_motion.c

// What is drawn of a point beyond its row, at the last step's begin (0) or end (1).
snVec3 snSolidBody_Offset(const snSolidBody *solid, int point, int end); // solid_motion.c

snVec3 snSolidBody_RowPlace(const snSolidBody *solid, int point); // where its row is

// Before anything else of a step: the lead's pose, and holds and springs as rows have them.
void snSolidBody_Pose(snSolidBody *solid); // solid_motion.c

// What a step of snLattice_Step is driven by, with everything that was asked of the body.
snLatticeDrive snSolidBody_Drive(snSolidBody *solid); // solid_motion.c

// After a step: whether it was computed; one that was not leaves the body undeformed and still.
void snSolidBody_Judge(snSolidBody *solid, bool found); // solid_motion.c
void snSolidBody_PutBack(snSolidBody *solid); // the same for one that turned out to be none

// rows ← A⁻¹ rows, of the present step. solid_motion.c
void snSolidBody_SolveRows(snSolidBody *solid);
// Likewise, but points that are held stay where they are.
void snSolidBody_SolveHeld(snSolidBody *solid);

// solid_locate.c
snStatus snSolidBody_Locate(snBody *body, const snBodySpot *spot, int *point, snError *error);

// solid_place.c
void snSolidBody_Carry(snBody *body, const snAffine *motion);
bool snSolidBody_Go(snBody *body, const snAffine *place, snAffine *stands);
bool snSolidBody_Rows(const snBody *body, snBodyRows *rows);
void snSolidBody_Controls(const snBody *body, snVec3 *places);
bool snSolidBody_TakePose(snBody *body, int joints, const snAffine *frames);
bool snSolidBody_Stirs(const snBody *body, int ticks);
void snSolidBody_Pass(snBody *body, int ticks);

// solid_detail.c
snStatus snSolidBody_ReserveDetail(snSolidBody *solid, snError *error);
void snSolidBody_SetLevel(snBody *body, int level);
void snSolidBody_BeginDetail(snSolidBody *solid);
// After the pose: whether the step is the rig's alone, and then that step; or what the level changes of a drive, and of who acts.
bool snSolidBody_IsOnRig(const snSolidBody *solid);
void snSolidBody_FollowRig(snSolidBody *solid);
void snSolidBody_DriveDetail(snSolidBody *solid, snLatticeDrive *drive);
// What is drawn beyond a lattice on its rig follows from its pose: it is found when it is asked for, and not saved.
void snSolidBody_Show(const snSolidBody *solid);
void snSolidBody_HideOffsets(const snSolidBody *solid, void *saved);
snAdaptDef snSolidBody_Adapt(const snSolidBody *solid);

// solid_field.c
snStatus snSolidBody_ReserveFields(snBody *body, snError *error);
void snSolidBody_Act(snBody *body, const snFields *fields);

// solid_meet.c
extern const snBodyMeeting snSolidMeeting;
void snSolidBody_ForgetThrusts(snSolidBody *solid);
int snSolidBody_ThrustCount(const snSolidBody *solid);

// solid_hold.c: of bodies with bones. What is held in a step, and brought there at its end.
snStatus snSolidBody_ReserveHolds(snSolidBody *solid, snError *error);
void snSolidBody_ForgetHolds(snSolidBody *solid);
void snSolidBody_AddHold(snSolidBody *solid, int point, snVec3 target);
void snSolidBody_HoldFast(snSolidBody *solid);

// solid_impulse.c
size_t snSolidBody_ImpulseSize(const snLatticeModel *model); // doubles
void snSolidBody_ImpulseColumn(snBody *body, int point, double *column);
void snSolidBody_Strike(snBody *body, const double *column, snVec3 impulse);

// solid_group.c
bool snSolidBody_Joins(const snBody *body);
snStatus snSolidBody_Join(const snBodyJoin *join, void **group, const snContext *context,
                          snError *error);
void snSolidGroup_Tie(void *group, const snBodyTie *tie);
void snSolidGroup_Advance(void *group, const unsigned char *sleeps);
void snSolidGroup_Destroy(void *group);
int snSolidGroup_Partner(const void *group, int number);

// solid_watch.c. Whether a step of some bodies, which are driven (snSolidBody_Drive), must be seen not to gain energy; and after it what it gained is taken
// again, or the body put back. All of a group, or one.
bool snSolidBody_Watch(int count, snSolidBody *const *bodies);
void snSolidBody_Pay(int count, snSolidBody *const *bodies);
// The same of one whose bones are limp.
void snSolidBody_WatchLimp(snSolidBody *solid);
void snSolidBody_PayLimp(snSolidBody *solid);

// solid_body.c. All of a body beyond its model, state and surface, which are made; its def is `def`.
snStatus snSolidBody_Complete(snSolidBody *solid, const snSolidBodyDef *def, snError *error);
snStatus snSolidBody_Check(const snSolidBodyDef *def, snError *error);
// A def without what it points to.
snSolidBodyDef snSolidBody_Keep(const snSolidBodyDef *def);
snStatus snSolidBody_Prepare(snBody *body, const snBodyRange *range, snError *error);
void snSolidBody_Destroy(snBody *body);

#endif
