#include "bake/guard.h"
#include "bake/player.h"

#include "core/error.h"

#include <string.h>

#define TORN 8.0       // times the rig's length
#define INSIDE_OUT 0.2 // of all elements
#define FARTHEST 3.0   // extents
#define FASTEST 100.0  // extents per second
#define SMALLER 8      // steps for one
#define BLEND 0.25     // s
#define TRIES 3        // of putting more and more joints on their rig

snStatus snGuard_Make(snPlayer *p, double extent, snArena *scratch, snError *error)
{
    snGuard *g = &p->guard;
    const snLatticeModel *model = p->flesh->model;
    size_t n = (size_t)model->vertexCount;
    size_t joints = (size_t)p->flesh->character->skeleton.jointCount;
    bool bound = model->def.motion == SN_MOTION_SECONDARY;
    *g = (snGuard){.limits = {.excess = TORN, .inverted = INSIDE_OUT, .extent = extent}};
    g->limits.offset = bound ? FARTHEST : 0;
    g->limits.speed = bound ? FASTEST : 0;
    g->saved = snArena_Alloc(scratch, 1, p->state->blockSize);
    g->share = SN_NEW(scratch, double, n);
    g->fault = SN_NEW(scratch, unsigned char, n);
    g->concern = SN_NEW(scratch, unsigned char, joints);
    g->yield = SN_NEW(scratch, double, joints);
    bool good = g->saved && g->share && g->fault && g->concern && g->yield;
    return good ? SN_OK : snFailMemory(error);
}

void snGuard_Destroy(snGuard *g)
{
    snLatticeContacts_Destroy(g->fineContacts);
    snLatticeState_Destroy(g->fineState);
    snLatticeModel_Destroy(g->fine);
    *g = (snGuard){0};
}

snStatus snGuard_AddContacts(snPlayer *p, snArena *scratch, snError *error)
{
    if (!p->contacts) return SN_OK;
    size_t size = snLatticeContacts_SaveSize(p->contacts->contacts);
    p->guard.savedContacts = snArena_Alloc(scratch, 1, size);
    return p->guard.savedContacts ? SN_OK : snFailMemory(error);
}

// ---- what is said about it ----

// Marks the joints whose flesh is at fault; returns how many there are.
static int findConcern(snPlayer *p)
{
    const snWeightRows *skin = &p->flesh->model->skin;
    snGuard *g = &p->guard;
    int count = 0;
    for (int i = 0; i < p->flesh->model->vertexCount; i++) {
        int joint = g->fault[i] ? snMainJoint(skin, i) : -1;
        if (joint < 0 || g->concern[joint]) continue;
        g->concern[joint] = 1;
        count++;
    }
    return count;
}

// The worst that can be said of a step.
static snBakeEvent describe(const snPlayer *p, const snHealth *h, double from, double to)
{
    const snWeightRows *skin = &p->flesh->model->skin;
    const snGuard *g = &p->guard;
    snBakeEvent event = {.clip = p->clip, .joint = -1, .times = 1, .from = from, .to = to};
    double share = h->elements ? (double)h->inverted / h->elements : 0;
    event.trouble = SN_TROUBLE_LOST;
    if (!h->finite) return event;
    if (h->excess > g->limits.excess) {
        event.trouble = SN_TROUBLE_STRETCH;
        event.size = h->excess;
        event.joint = snMainJoint(skin, h->excessAt);
    } else if (share > g->limits.inverted) {
        event.trouble = SN_TROUBLE_INVERTED;
        event.size = share;
    } else if (h->offset > g->limits.offset && g->limits.offset > 0) {
        event.trouble = SN_TROUBLE_DISTANCE;
        event.size = h->offset;
    } else if (h->speed > g->limits.speed && g->limits.speed > 0) {
        event.trouble = SN_TROUBLE_SPEED;
        event.size = h->speed;
    }
    for (int i = 0; i < p->flesh->model->vertexCount && event.joint < 0; i++)
        if (g->fault[i]) event.joint = snMainJoint(skin, i);
    return event;
}

// ---- one step, and what it left ----

// What a state counts, which a step that is taken back must not change.
typedef struct Counts {
    int64_t steps, backtracks, resets;
} Counts;

static Counts countsOf(const snLatticeState *s)
{
    return (Counts){s->steps, s->backtracks, s->resets};
}

static void setCounts(snLatticeState *s, Counts c)
{
    s->steps = c.steps;
    s->backtracks = c.backtracks;
    s->resets = c.resets;
}

static bool isGood(snPlayer *p, snHealth *health)
{
    const snLatticeModel *model = p->flesh->model;
    snGuard *g = &p->guard;
    if (snLatticeState_IsCalm(model, p->state, &g->limits)) return true;
    *health = snLatticeState_Look(model, p->state, &g->limits, g->fault);
    return snHealth_IsGood(health, &g->limits);
}

static bool tryStep(snPlayer *p, const snLatticeDrive *drive, snHealth *health)
{
    *health = (snHealth){0};
    return snFlesh_Step(p->flesh, p->state, drive) && isGood(p, health);
}

// The state before the step, and what contacts remembered then.
static void takeBack(snPlayer *p, snLatticeState *state)
{
    snLatticeState_Restore(state, p->guard.saved);
    if (p->guard.savedContacts)
        snLatticeContacts_Restore(p->contacts->contacts, p->guard.savedContacts);
}

// ---- smaller steps ----

// The same body with a smaller step. Its order of vertices, and with it the form of its states, follow from
// the pattern of its matrix alone; but with details there is none.
static void makeFine(snPlayer *p)
{
    snGuard *g = &p->guard;
    const snLatticeModel *model = p->flesh->model;
    snLatticeModelDef def = snFlesh_ModelDef(p->flesh);
    g->fineTried = true;
    if (model->detail) return;
    def.step = model->def.step / SMALLER;
    if (snLatticeModel_Build(&g->fine, &def, p->context, NULL)) return;
    snStatus status = snLatticeState_Make(&g->fineState, g->fine, 1, p->context, NULL);
    bool same =
        !status && g->fineState->blockSize == p->state->blockSize &&
        g->fine->vertexCount == model->vertexCount &&
        !memcmp(g->fine->indexOf, model->indexOf, (size_t)model->lattice.vertexCount * sizeof(int));
    if (same && p->contacts) // without them flesh only does without
        snFleshContacts_ForModel(p->contacts, &g->fineContacts, g->fine, p->context, NULL);
    if (same) return;
    snLatticeState_Destroy(g->fineState);
    snLatticeModel_Destroy(g->fine);
    g->fineState = NULL;
    g->fine = NULL;
}

static bool trySmaller(snPlayer *p, double from, double to, snHealth *health)
{
    snGuard *g = &p->guard;
    bool good = true;
    if (!g->fineTried) makeFine(p);
    if (!g->fine) return false;
    takeBack(p, g->fineState);
    if (g->fineContacts)
        snLatticeContacts_TakeOver(g->fineContacts, p->contacts->contacts, SMALLER);
    for (int k = 1; k <= SMALLER && good; k++) {
        double begin = from + (to - from) * (k - 1) / SMALLER;
        snLatticeDrive drive = snPlayer_Drive(p, from + (to - from) * k / SMALLER);
        snPlayer_PlaceColliders(p, begin);
        drive.contacts = g->fineContacts;
        good = snLattice_Step(g->fine, g->fineState, &drive);
    }
    if (!good) return false;
    if (g->fineContacts)
        snLatticeContacts_TakeOver(p->contacts->contacts, g->fineContacts, 1.0 / SMALLER);
    snLatticeState_Save(g->fineState, p->state->block);
    p->state->steps++;
    return isGood(p, health);
}

// ---- onto the rig ----

// What vertices keep of what they do beyond their rig, by their joints: 1 - Σ w b². False: all of it.
static bool findShares(const snPlayer *p)
{
    const snGuard *g = &p->guard;
    const snWeightRows *skin = &p->flesh->model->skin;
    bool any = false;
    for (int i = 0; i < p->flesh->model->vertexCount; i++) {
        double sum = 0;
        for (int k = skin->start[i]; k < skin->start[i + 1]; k++)
            sum += skin->weight[k] * g->yield[skin->column[k]] * g->yield[skin->column[k]];
        g->share[i] = sum < 1 - 1e-9 ? 1 - sum : 0;
        any = any || sum > 0;
    }
    return any;
}

// Flesh at fault stands on its rig at the step's begin and at its end.
static bool tryOnRig(snPlayer *p, double from, double to, snHealth *health)
{
    const snLatticeModel *model = p->flesh->model;
    snGuard *g = &p->guard;
    for (int j = 0; j < p->flesh->character->skeleton.jointCount; j++)
        if (g->concern[j]) g->yield[j] = 1;
    if (!findShares(p)) return false;
    takeBack(p, p->state);
    snLatticeState_Draw(model, p->state, g->share);
    snLatticeDrive drive = snPlayer_Drive(p, to);
    drive.contacts = snPlayer_PlaceColliders(p, from);
    if (!snFlesh_Step(p->flesh, p->state, &drive)) return false;
    snLatticeState_Draw(model, p->state, g->share);
    return isGood(p, health);
}

// All of it, at the rig's velocity.
static void putOnRig(snPlayer *p, double to)
{
    const snLatticeModel *model = p->flesh->model;
    Counts counts = countsOf(p->state);
    takeBack(p, p->state); // for the rig before the step
    if (p->contacts) snLatticeContacts_Reset(p->contacts->contacts);
    snLatticeDrive drive = snPlayer_Drive(p, to);
    for (int k = 0; k < 4 * model->vertexCount; k++)
        p->before[k] = (drive.rig[k] - p->state->rig[k]) / model->def.step;
    snLatticeState_SetShape(model, p->state, drive.shape);
    snLatticeState_Start(model, p->state, drive.rig, p->before);
    setCounts(p->state, counts);
    p->state->steps++;
    p->state->resets++;
    memset(p->guard.yield, 0,
           (size_t)p->flesh->character->skeleton.jointCount * sizeof *p->guard.yield);
}

static snRemedy recover(snPlayer *p, double from, double to, Counts counts)
{
    snHealth health;
    if (trySmaller(p, from, to, &health)) return SN_REMEDY_SMALLER;
    for (int k = 0; k < TRIES; k++) {
        setCounts(p->state, counts);
        if (tryOnRig(p, from, to, &health)) return SN_REMEDY_PART;
        if (!findConcern(p)) break;
    }
    setCounts(p->state, counts);
    putOnRig(p, to);
    return SN_REMEDY_ALL;
}

// What was put on its rig is pulled to it less and less.
static void letGo(snPlayer *p)
{
    snGuard *g = &p->guard;
    int joints = p->flesh->character->skeleton.jointCount;
    double fall = p->flesh->model->def.step / BLEND;
    bool any = false;
    for (int j = 0; j < joints; j++) {
        if (!(g->yield[j] > 0)) continue;
        g->yield[j] = g->yield[j] > fall ? g->yield[j] - fall : 0;
        any = true;
    }
    if (any && findShares(p)) snLatticeState_Draw(p->flesh->model, p->state, g->share);
}

void snGuard_Step(snPlayer *p, const snLatticeDrive *drive, double from, double to)
{
    snGuard *g = &p->guard;
    snHealth health;
    Counts counts = countsOf(p->state);
    snLatticeState_Save(p->state, g->saved);
    if (g->savedContacts) snLatticeContacts_Save(p->contacts->contacts, g->savedContacts);
    if (tryStep(p, drive, &health)) {
        letGo(p);
        return;
    }
    snBakeEvent event = describe(p, &health, from, to);
    memset(g->concern, 0, (size_t)p->flesh->character->skeleton.jointCount);
    event.joints = findConcern(p);
    setCounts(p->state, counts);
    event.remedy = recover(p, from, to, counts);
    if (g->events) snEvents_Add(g->events, &event);
}
