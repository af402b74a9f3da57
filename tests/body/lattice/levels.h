// Smooth blocks whose finer functions come and go, that tests share.
#ifndef SN_TESTS_BODY_LATTICE_LEVELS_H
#define SN_TESTS_BODY_LATTICE_LEVELS_H

#include "body/lattice/solid.h"
#include "body/lattice/space_levels.h"
#include "core/core.h"
#include "tests/body/lattice/blocks.h"
#include "tests/body/lattice/solids.h"

static inline snLatticeModelDef motionDef(int iterations)
{
    snLatticeModelDef def = snDefaultLatticeModelDef();
    def.iterations = iterations;
    return def;
}

static inline Body *newBody(snContext context, BlockKind kind, snSolidDef def,
                            snLatticeModelDef model)
{
    Body *body = calloc(1, sizeof *body);
    body->context = context;
    body->arena = snMakeArena(&body->context);
    body->control = makeBlock(kind, 3, 2, 2, snVec(1.5, 1, 1), &body->arena);
    return buildBody(body, def, model);
}

static inline snSolidDef adaptiveDef(snScheme scheme, int levels)
{
    snSolidDef def = snDefaultSolidDef();
    def.scheme = scheme;
    def.levels = levels;
    def.nodeLevel = levels + 1;
    def.mostActive = 4000;
    return def;
}

// All that there are; or those that touch cells up to a number.
static inline int switchOn(Body *body, int mostCell)
{
    const snFineFunctions *fine = snLatticeModel_Fine(body->model);
    snAdaptDef def = snDefaultAdaptDef();
    def.mostChanges = SN_MOST_CHANGES;
    for (int level = 0; level < SN_DETAIL_LEVELS; level++)
        def.refine[level] = -1, def.coarsen[level] = 0;
    if (mostCell < 0) {
        for (int i = 0; i < 1 + fine->count / SN_MOST_CHANGES; i++)
            snLattice_Adapt(body->model, body->state, &def);
        return *body->state->active.count;
    }
    for (int f = 0; f < fine->count; f++) {
        bool inside = true;
        for (int i = fine->supportStart[f]; i < fine->supportStart[f + 1]; i++)
            inside = inside && fine->support[i] <= mostCell;
        if (inside) CHECK(snActive_Add(body->model, body->state, f) >= 0);
    }
    snSpaceAdaptKind.settle(body->model, body->state);
    return *body->state->active.count;
}

static inline double apart(const Body *a, const Body *b)
{
    double worst = 0;
    for (int i = 0; i < a->model->vertexCount; i++)
        worst = fmax(worst, snDistance(snRow(a->state->position, i), snRow(b->state->position, i)));
    return worst;
}

#endif
