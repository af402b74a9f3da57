// Bodies in a space of motions that tests share: a block of hexahedra subdivided, with the functions of the
// coarse lattice.
#ifndef SN_TESTS_BODY_LATTICE_SPACES_H
#define SN_TESTS_BODY_LATTICE_SPACES_H

#include "tests/test.h"

#include "body/lattice/row.h"
#include "body/lattice/space.h"
#include "core/core.h"
#include "tests/body/lattice/blocks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Body {
    snContext context;
    snArena arena;
    snLattice lattice;
    snQuadrature quadrature;
    snWeightRows space;
    snLatticeModel *model;
    snLatticeState *state;
    double *rig;
} Body;

static inline snLatticeModelDef freeDef(void)
{
    snLatticeModelDef def = snDefaultLatticeModelDef();
    def.motion = SN_MOTION_FULL;
    def.massDamping = 0;
    def.iterations = 30;
    return def;
}

// With body->lattice, its quadrature and its space made.
static inline snStatus build(Body *body, snLatticeModelDef def, snError *error)
{
    double *young = SN_NEW(&body->arena, double, body->lattice.cellCount);
    for (int c = 0; c < body->lattice.cellCount; c++)
        young[c] = 1e5;
    def.lattice = &body->lattice;
    def.quadrature = &body->quadrature;
    def.space = body->space.start ? &body->space : NULL;
    if (!def.young) def.young = young;
    snStatus status = snLatticeModel_Build(&body->model, &def, &body->context, error);
    if (!status) status = snLatticeState_Make(&body->state, body->model, 1, &body->context, error);
    if (status) return status;
    body->rig = SN_NEW(&body->arena, double, body->lattice.vertexCount * 4);
    snLatticeModel_Rig(body->model, NULL, body->rig);
    snLatticeState_Start(body->model, body->state, body->rig, NULL);
    return SN_OK;
}

static inline void mustBuild(Body *body, snLatticeModelDef def)
{
    snError error = {0};
    if (CHECK(build(body, def, &error) == SN_OK)) return;
    printf("%s\n", error.message);
    exit(1);
}

static inline Body *newBody(void)
{
    Body *body = calloc(1, sizeof *body);
    body->context = snDefaultContext();
    body->arena = snMakeArena(&body->context);
    return body;
}

static inline void freeBody(Body *body)
{
    snLatticeState_Destroy(body->state);
    snLatticeModel_Destroy(body->model);
    snArena_Destroy(&body->arena);
    free(body);
}

static inline snWeightRows newRows(int rows, int columns, int entries, snArena *arena)
{
    snWeightRows made;
    CHECK(snWeightRows_Make(&made, rows, columns, (size_t)entries, arena, NULL) == SN_OK);
    return made;
}

// A block of hexahedra subdivided, with the functions of the coarse lattice, or (cells 0) affine ones.
static inline Body *gridBody(snLatticeModelDef def, int cells, int level)
{
    Body *body = newBody();
    snLattice coarse = makeBlock(BLOCK_HEXES, cells ? 2 * cells : 2, cells ? cells : 1,
                                 cells ? cells : 1, snVec(1, 0.5, 0.4), &body->arena);
    snFineLattice fine;
    CHECK(snSubdivide(&fine, &coarse, level, &body->arena, &body->context, NULL) == SN_OK);
    body->lattice = fine.lattice;
    body->space = fine.rows;
    int n = body->lattice.vertexCount;
    if (!cells) body->space = newRows(n, 4, 4 * n, &body->arena);
    for (int k = 0; k < 4 * n && !cells; k++) {
        snVec3 r = body->lattice.rest[k / 4];
        body->space.start[k / 4 + 1] = k / 4 * 4 + 4;
        body->space.column[k] = k % 4;
        body->space.weight[k] = k % 4 ? (&r.x)[k % 4 - 1] : 1;
    }
    snQuadratureDef quadrature = snDefaultQuadratureDef();
    CHECK(snQuadrature_MakeHexes(&body->quadrature, &body->lattice, &quadrature, &body->arena,
                                 &body->context, NULL) == SN_OK);
    mustBuild(body, def);
    return body;
}

static inline void step(Body *body)
{
    CHECK(snLattice_Step(body->model, body->state, &(snLatticeDrive){.rig = body->rig}));
}

static inline void shakeCoefficients(Body *body, double *q, double amount, uint64_t seed)
{
    snRandom random = snMakeRandom(seed);
    for (int k = 0; k < body->model->space->functionCount * 4; k++)
        if (k % 4 != 3) q[k] += snRandom_Uniform(&random, -amount, amount);
}

static inline void pushVelocity(Body *body)
{
    snSpace_Push(body->model, body->state, body->state->coefficientVelocity, body->state->velocity);
}

#endif
