// The public face of flesh (include/sinew/actor.h).
#include "sinew/actor.h"

#include "body/lattice/rig_file.h"
#include "core/error.h"

#include <string.h>

struct snActor {
    snArena arena;
    snContext context;
    const snCharacter *character;
    snFlesh *flesh;
    snLatticeState *state;
    snPose pose;
    snFleshDriver driver;
    snLatticeDrive drive; // to the present pose
    snVec3f *surface;     // [vertices], the rig's surface in the present pose
};

snActorDef snDefaultActorDef(void)
{
    snFleshDef flesh = snDefaultFleshDef();
    return (snActorDef){.cells = flesh.cells,
                        .wobble = flesh.wobble,
                        .damping = flesh.massDamping,
                        .step = flesh.step,
                        .iterations = flesh.iterations,
                        .amplitude = flesh.amplitude,
                        .motion = flesh.motion,
                        .material = flesh.material,
                        .solver = flesh.solver,
                        .precision = flesh.precision,
                        .method = flesh.method};
}

static snFleshDef fleshDef(const snActorDef *def)
{
    snFleshDef flesh = snDefaultFleshDef();
    flesh.cells = def->cells;
    flesh.spacing = def->spacing;
    flesh.wobble = def->wobble;
    flesh.massDamping = def->damping;
    flesh.step = def->step;
    flesh.iterations = def->iterations;
    flesh.amplitude = def->amplitude;
    flesh.gravityChange = def->gravityChange;
    flesh.gravity = snVec(0, -def->gravity, 0);
    flesh.motion = def->motion;
    flesh.material = def->material;
    flesh.solver = def->solver;
    flesh.method = def->method;
    flesh.details = def->details;
    flesh.precision = def->precision;
    flesh.matrix = def->matrix;
    return flesh;
}

static snStatus buildFlesh(snActor *actor, const snActorDef *def, snError *error)
{
    const snCharacter *c = actor->character;
    snFleshDef flesh = fleshDef(def);
    if (!def->rig) return snFlesh_Build(&actor->flesh, c, &flesh, &actor->context, error);
    snRigFile file;
    snFleshBlame blame;
    snStatus status =
        snRigFile_Read(&file, def->rig, def->rigSize, &c->skeleton, &flesh, &actor->context, error);
    if (status) return status;
    file.def.blame = &blame;
    status = snFlesh_Build(&actor->flesh, c, &file.def, &actor->context, error);
    if (status) snRigFile_IsAtFault(&file, &blame, error);
    snRigFile_Destroy(&file);
    return status;
}

static snStatus build(snActor *actor, const snActorDef *def, snError *error)
{
    const snCharacter *c = actor->character;
    snStatus status = buildFlesh(actor, def, error);
    if (!status)
        status = snLatticeState_Make(&actor->state, actor->flesh->model, 1, &actor->context, error);
    if (!status)
        status = snPose_Make(&actor->pose, &c->skeleton, c->morphCount, &actor->arena, error);
    if (!status) status = snFleshDriver_Make(&actor->driver, actor->flesh, &actor->arena, error);
    if (status) return status;
    actor->surface = SN_NEW(&actor->arena, snVec3f, c->vertexCount);
    return actor->surface ? SN_OK : snFailMemory(error);
}

snStatus snActor_Make(snActor **out, const snCharacter *character, const snActorDef *def,
                      const snContext *context, snError *error)
{
    *out = NULL;
    snArena arena = snMakeArena(context);
    snActor *actor = SN_NEW(&arena, snActor, 1);
    if (!actor) return snFailMemory(error);
    actor->arena = arena;
    actor->context = *context;
    actor->character = character;
    snStatus status = build(actor, def, error);
    if (status) {
        snActor_Destroy(actor);
        return status;
    }
    snActor_Start(actor, -1, 0);
    *out = actor;
    return SN_OK;
}

void snActor_Destroy(snActor *actor)
{
    if (!actor) return;
    snLatticeState_Destroy(actor->state);
    snFlesh_Destroy(actor->flesh);
    snArena arena = actor->arena; // the actor itself lives in it
    snArena_Destroy(&arena);
}

// Pose, the lattice's rig, and the rig's own surface. Clip -1 is the rest pose.
static void setPose(snActor *actor, int clip, double time)
{
    const snCharacter *c = actor->character;
    const snClip *source = clip >= 0 && clip < c->clipCount ? &c->clips[clip] : NULL;
    snCharacter_Pose(c, source, source ? source->start + time : 0, &actor->pose);
    actor->drive = snFlesh_Drive(actor->flesh, &actor->pose, &actor->driver);
    snCharacter_Surface(c, &actor->pose, &actor->context.tasks, actor->surface, NULL);
}

void snActor_Start(snActor *actor, int clip, double time)
{
    setPose(actor, clip, time);
    snLatticeState_SetShape(actor->flesh->model, actor->state, actor->drive.shape);
    snLatticeState_Start(actor->flesh->model, actor->state, actor->drive.rig, NULL);
}

bool snActor_Step(snActor *actor, int clip, double time)
{
    setPose(actor, clip, time);
    return snFlesh_Step(actor->flesh, actor->state, &actor->drive);
}

void snActor_ReadPositions(const snActor *actor, float *positions, size_t stride)
{
    for (int v = 0; v < actor->character->vertexCount; v++) {
        snVec3f p = snFlesh_SoftPoint(actor->flesh, actor->state, actor->surface[v], v);
        memcpy((char *)positions + (size_t)v * stride, &p, sizeof p);
    }
}

double snActor_Offset(const snActor *actor)
{
    double worst = 0;
    for (int v = 0; v < actor->character->vertexCount; v++) {
        snVec3f p = snFlesh_SoftPoint(actor->flesh, actor->state, actor->surface[v], v);
        double d = snDistance(snFromF(p), snFromF(actor->surface[v]));
        if (d > worst) worst = d;
    }
    return worst / actor->flesh->height;
}

// The flesh's state, then the rig's surface: what ReadPositions needs.
size_t snActor_StateSize(const snActor *actor)
{
    return actor->state->blockSize + (size_t)actor->character->vertexCount * sizeof(snVec3f);
}

void snActor_Save(const snActor *actor, void *state)
{
    snLatticeState_Save(actor->state, state);
    memcpy((char *)state + actor->state->blockSize, actor->surface,
           (size_t)actor->character->vertexCount * sizeof(snVec3f));
}

void snActor_Restore(snActor *actor, const void *state)
{
    snLatticeState_Restore(actor->state, state);
    memcpy(actor->surface, (const char *)state + actor->state->blockSize,
           (size_t)actor->character->vertexCount * sizeof(snVec3f));
}

uint64_t snActor_Hash(const snActor *actor)
{
    return snLatticeState_Hash(actor->state);
}
