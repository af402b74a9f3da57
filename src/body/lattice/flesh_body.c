#include "body/lattice/flesh_body_parts.h"

#include "core/error.h"

#include <string.h>

#define MOST_TRAVEL 1e3 // m/s

snFleshBodyDef snDefaultFleshBodyDef(void)
{
    return (snFleshBodyDef){
        .clip = -1, .loop = true, .speed = 1, .ease = 0.3, .solid = snDefaultSolidBodyDef()};
}

static snStatus check(const snFleshBodyDef *def, snError *error)
{
    const snFlesh *flesh = def->flesh;
    int clips = flesh->character->clipCount;
    bool solver =
        flesh->def.solver == SN_SOLVER_PROJECTIVE || flesh->def.solver == SN_SOLVER_NEWTON;
    if (flesh->model->detail || !solver)
        return snFail(error, SN_ERROR_UNSUPPORTED,
                      "flesh with details, or with a solver other than projective and newton, "
                      "cannot be a body of a world");
    if (def->clip < -1 || def->clip >= clips)
        return snFail(error, SN_ERROR_ARGUMENT, "there is no clip %d; the character has %d",
                      def->clip, clips);
    if (!isfinite(def->speed) || !isfinite(def->start) || !(snLength(def->travel) <= MOST_TRAVEL) ||
        !(def->ease > 0 && isfinite(def->ease)))
        return snFail(
            error, SN_ERROR_ARGUMENT,
            "speed %g, start %g s, ease %g s, or how it travels: they must be finite, and "
            "the ease above 0",
            def->speed, def->start, def->ease);
    return SN_OK;
}

// ---- the surface --------------------------------------------------------------------------------

// Rows of what is drawn: amplitude and masks are in them.
static snStatus makeEmbedding(snFleshBody *b, snError *error)
{
    const snCarry *carry = &b->flesh->carry;
    const snLatticeModel *model = b->flesh->model;
    snEmbedding *e = &b->solid.surface.embedding;
    int n = b->character->vertexCount;
    size_t entries = (size_t)n * (size_t)carry->width;
    int *vertex = SN_NEW(&b->solid.arena, int, entries);
    *e = (snEmbedding){.pointCount = n, .width = carry->width, .vertex = vertex};
    e->weight = SN_COPY(&b->solid.arena, double, carry->weight, entries);
    e->cell = SN_COPY(&b->solid.arena, int, b->flesh->embedding.cell, n);
    if (!vertex || !e->weight || !e->cell) return snFailMemory(error);
    for (size_t k = 0; k < entries; k++)
        vertex[k] = model->vertexOf[carry->vertex[k]];
    return SN_OK;
}

// All parts one after another, as the file has them; things bump into those that enclose the flesh.
static snStatus makeSurface(snFleshBody *b, snError *error)
{
    const snCharacter *c = b->character;
    snSolidSurface *s = &b->solid.surface;
    snArena *arena = &b->solid.arena;
    *s = (snSolidSurface){.vertexCount = c->vertexCount};
    s->rest = SN_COPY(arena, snVec3, b->flesh->points, c->vertexCount);
    s->triangles = SN_NEW(arena, int, (size_t)c->triangleCount * 3);
    s->touch = SN_NEW(arena, int, (size_t)c->triangleCount * 3);
    b->first = SN_NEW(arena, int, c->partCount + 1);
    if (!s->rest || !s->triangles || !s->touch || !b->first) return snFailMemory(error);
    for (int p = 0; p < c->partCount; p++) {
        const snPart *part = &c->parts[p];
        int *own = s->triangles + 3 * (size_t)s->triangleCount;
        for (int k = 0; k < 3 * part->triangleCount; k++)
            own[k] = b->first[p] + part->triangles[k];
        s->triangleCount += part->triangleCount;
        b->first[p + 1] = b->first[p] + part->vertexCount;
        for (int v = 0; v < part->vertexCount && !b->flesh->carried[p]; v++) // a stage, a prop
            s->rest[b->first[p] + v] = snCharacter_SurfacePoint(c, &b->pose, part, v);
        if (b->flesh->carried[p] != SN_PART_BODY) continue;
        memcpy(s->touch + 3 * (size_t)s->touchCount, own,
               3 * (size_t)part->triangleCount * sizeof(int));
        s->touchCount += part->triangleCount;
    }
    snSolidSurface_FindSizes(s, &b->flesh->lattice);
    return makeEmbedding(b, error);
}

// ---- memory -------------------------------------------------------------------------------------

// What is saved is one block: the clock, turns, aims, offsets.
static snStatus makeSaved(snFleshBody *b, int mostPoints, snError *error)
{
    snSolidDrawn *drawn = &b->solid.drawn;
    size_t joints = (size_t)b->character->skeleton.jointCount;
    size_t vertices = (size_t)b->character->vertexCount, points = (size_t)mostPoints;
    size_t given = b->def.posed ? sizeof(double) + joints * sizeof(snAffine) : 0;
    size_t sizes[7] = {sizeof(snFleshClock),        joints * sizeof(snFleshTurn),
                       points * sizeof(snFleshAim), vertices * sizeof(snVec3),
                       vertices * sizeof(snVec3),   given,
                       snFleshBones_SavedSize(b)};
    for (int k = 0; k < 7; k++)
        drawn->savedSize += sizes[k];
    char *at = drawn->saved = SN_NEW(&b->solid.arena, char, drawn->savedSize);
    if (!at) return snFailMemory(error);
    b->clock = (snFleshClock *)(void *)at;
    b->turns = (snFleshTurn *)(void *)(at += sizes[0]);
    b->aims = (snFleshAim *)(void *)(at += sizes[1]);
    drawn->offset[0] = (snVec3 *)(void *)(at += sizes[2]);
    drawn->offset[1] = (snVec3 *)(void *)(at += sizes[3]);
    at += sizes[4];
    b->given = b->def.posed ? (double *)(void *)at : NULL;
    snFleshBones_TakeSaved(b, at + sizes[5]);
    drawn->rate = &b->clock->rate;
    b->clock->place = snIdentityAffine();
    b->clock->heading = snIdentity3();
    return SN_OK;
}

static snStatus build(snFleshBody *b, const snFleshBodyDef *def, snError *error)
{
    snSolidBody *solid = &b->solid;
    const snCharacter *c = b->character;
    snArena *arena = &solid->arena;
    solid->lattice = b->flesh->lattice;
    solid->model = b->flesh->model;
    solid->rung = solid->model;
    solid->modelDef = snFlesh_ModelDef(b->flesh);
    snStatus status = snLatticeState_Make(&solid->state, solid->model, 1, &solid->context, error);
    if (!status) status = snPose_Make(&b->pose, &c->skeleton, c->morphCount, arena, error);
    for (int k = 0; k < 2 && !status; k++)
        status = snPose_Make(&b->ahead[k], &c->skeleton, c->morphCount, arena, error);
    if (!status) status = makeSurface(b, error);
    if (!status && def->skeleton) status = snFleshBones_Make(b, def->skeleton, error);
    if (!status) status = makeSaved(b, def->solid.mostPoints, error);
    if (!status) status = snSolidBody_Complete(solid, &solid->def, error);
    if (!status) status = snFleshDriver_Make(&b->driver, b->flesh, arena, error);
    if (!status) status = snFleshBody_MakeReach(b, def, error);
    if (!status) status = snFleshBody_MakeRows(b, error);
    b->skinned = SN_NEW(arena, snVec3f, c->vertexCount);
    if (!status && !b->skinned) status = snFailMemory(error);
    solid->rig = b->driver.rig;
    return status;
}

// The flesh says what it is made of.
static snSolidBodyDef solidDef(const snFleshBodyDef *def)
{
    const snFlesh *flesh = def->flesh;
    snSolidBodyDef solid = snSolidBody_Keep(&def->solid);
    solid.name = def->solid.name;
    solid.solver = flesh->def.solver;
    solid.step = flesh->def.step;
    solid.material = flesh->def.material;
    solid.integrator = SN_INTEGRATOR_EULER;
    solid.holding = SN_POINTS_PROJECTED;
    solid.alpha = solid.beta = 0;
    if (def->skeleton) solid.tied = false;
    return solid;
}

snStatus snFleshBody_Make(snBody **out, const snFleshBodyDef *def, const snContext *context,
                          snError *error)
{
    *out = NULL;
    snStatus status = check(def, error);
    snSolidBodyDef solid = solidDef(def);
    if (!status) status = snSolidBody_Check(&solid, error);
    if (status) return status;
    snArena arena = snMakeArena(context);
    snFleshBody *b = SN_NEW(&arena, snFleshBody, 1);
    if (!b) return snFailMemory(error);
    b->solid.arena = arena;
    b->solid.context = *context;
    b->solid.lead = &snFleshLead;
    b->solid.def = solid;
    b->flesh = def->flesh;
    b->character = def->flesh->character;
    b->def = *def;
    b->def.reaches = NULL;
    b->def.skeleton = NULL;
    if (def->skeleton) b->def.limp = true; // what is held pulls at the bones
    status = build(b, def, error);
    b->solid.def.name = NULL;
    if (status) {
        snSolidBody_Destroy(&b->solid.body);
        return status;
    }
    *out = &b->solid.body;
    if (def->posed) b->solid.body.skeleton = &b->character->skeleton;
    snAffine place = snIdentityAffine();
    snBody_Put(*out, &place);
    return SN_OK;
}
