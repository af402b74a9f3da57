// Levels of detail of lattice bodies that have them (snSolidBodyDef.detail), so that far ones cost less.
//
//     0   all of it;
//     1   half of the iterations of a step, and no finer functions: those that act go when they hold less than 1 % of the body's size;
//     2   of those that a skeleton leads and that does not give way: the rig alone. What flesh does beyond it is drawn in, evenly over 16 steps:
//         with a = 1 - k / 16 left after the k-th, x ← p + a_k / a_(k-1) (x - p). From then on nothing is searched for: x = p.
//
// What is drawn of it is skinned when somebody asks: whoever is out of sight costs its pose alone.
//
// Back from its rig the body begins where that is, at the velocity that it has in the step: nothing jumps. On its rig it touches nobody, and
// nobody touches it. Where a point of it is held or pulled it is searched for all the same.
#include "body/lattice/contact.h"
#include "body/lattice/search.h"
#include "body/lattice/solid_parts.h"
#include "core/error.h"

#include <string.h>

#define STEPS 16    // of drawing flesh in; a power of two: shares add up exactly
#define GIVEN 0.01  // of the body's size: so much finer functions may give up when they go
#define RIG_LEVEL 2 //

snStatus snSolidBody_ReserveDetail(snSolidBody *solid, snError *error)
{
    if (!solid->def.detail) return SN_OK;
    bool led = solid->lead && !solid->bones;
    solid->detail = SN_NEW(&solid->arena, snSolidDetail, 1);
    solid->share = SN_NEW(&solid->arena, double, led ? solid->model->vertexCount : 0);
    if (!solid->detail || !solid->share) return snFailMemory(error);
    solid->detail->amount = 1;
    solid->body.levelCount = led ? RIG_LEVEL + 1 : RIG_LEVEL;
    return SN_OK;
}

void snSolidBody_SetLevel(snBody *body, int level)
{
    snSolidBody *solid = (snSolidBody *)body;
    if (solid->detail) solid->detail->level = level > 0 ? level : 0;
    snSolidBody_BeginDetail(solid);
}

static bool isLeft(const snSolidBody *solid)
{
    return solid->detail && solid->detail->level == RIG_LEVEL && solid->detail->amount == 0;
}

void snSolidBody_BeginDetail(snSolidBody *solid)
{
    solid->body.away = isLeft(solid);
}

void snSolidBody_Show(const snSolidBody *solid)
{
    if (solid->drawn.stale) solid->lead->show((snSolidBody *)(uintptr_t)solid);
}

// Who was on its rig before is there, whatever its level is by now.
void snSolidBody_HideOffsets(const snSolidBody *solid, void *saved)
{
    const snSolidDrawn *drawn = &solid->drawn;
    if (!solid->detail || solid->detail->amount != 0) return;
    for (int k = 0; k < 2; k++)
        memset((char *)saved + ((char *)drawn->offset[k] - (char *)drawn->saved), 0,
               (size_t)solid->body.vertexCount * sizeof *drawn->offset[k]);
}

// Nothing acts on it but what leads it.
bool snSolidBody_IsOnRig(const snSolidBody *solid)
{
    bool held = solid->pullCount > 0;
    for (int i = 0; i < solid->body.mostPoints && !held; i++)
        held = solid->held[i];
    return isLeft(solid) && !held;
}

// Where the rig is at the step's end, at its velocity.
void snSolidBody_FollowRig(snSolidBody *solid)
{
    snLatticeState *state = solid->state;
    snLatticeDrive drive = {.rig = solid->rig};
    size_t count = 4 * (size_t)solid->model->vertexCount;
    solid->lead->drive(solid, &drive);
    for (size_t k = 0; k < count; k++)
        state->velocity[k] = state->rigVelocity[k] =
            (drive.rig[k] - state->rig[k]) / solid->step.length;
    memcpy(state->position, drive.rig, count * sizeof *state->position);
    memcpy(state->rig, drive.rig, count * sizeof *state->rig);
    solid->conflicts = 0;
    solid->failed = false;
    snSolidBody_BeginDetail(solid);
}

// It was on its rig, and is searched for from there on, as fast as that goes in this step.
static void leaveRig(snSolidBody *solid, const double *rig)
{
    snLatticeState *state = solid->state;
    size_t count = 4 * (size_t)solid->model->vertexCount;
    for (size_t k = 0; k < count; k++)
        solid->rows[k] = (rig[k] - state->rig[k]) / solid->step.length;
    memcpy(state->next, state->rig, count * sizeof *state->next);
    snLatticeState_Start(solid->model, state, state->next, solid->rows);
    if (solid->contacts) snLatticeContacts_Reset(solid->contacts);
}

static void drawIn(snSolidBody *solid, snLatticeDrive *drive)
{
    snSolidDetail *detail = solid->detail;
    int ticks = solid->step.ticks > 0 ? solid->step.ticks : 1;
    double left = fmax(0, detail->amount - (double)ticks / STEPS), share = left / detail->amount;
    for (int i = 0; i < solid->model->vertexCount; i++)
        solid->share[i] = share * (drive->share ? drive->share[i] : 1);
    drive->share = solid->share;
    detail->amount = left;
}

void snSolidBody_DriveDetail(snSolidBody *solid, snLatticeDrive *drive)
{
    snSolidDetail *detail = solid->detail;
    if (!detail) return;
    drive->coarse = detail->level > 0;
    if (detail->amount == 0) {
        leaveRig(solid, drive->rig);
        detail->amount = 1;
    }
    if (detail->level < RIG_LEVEL)
        detail->amount = 1;
    else
        drawIn(solid, drive);
    snSolidBody_BeginDetail(solid);
}

snAdaptDef snSolidBody_Adapt(const snSolidBody *solid)
{
    snAdaptDef def = solid->def.adapt;
    if (!solid->detail || !solid->detail->level) return def;
    for (int k = 0; k < SN_DETAIL_LEVELS; k++)
        def.refine[k] = def.coarsen[k] = INFINITY;
    if (def.error > 0) def.error = 1e6;
    def.least = fmax(def.least, GIVEN);
    return def;
}
