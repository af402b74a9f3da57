// Bars of tets with details, held at one end: bodies that several tests share.
#ifndef SN_TESTS_BODY_LATTICE_BARS_H
#define SN_TESTS_BODY_LATTICE_BARS_H

#include "body/lattice/adapt.h"
#include "body/lattice/detail.h"
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
    snBasis basis[SN_DETAIL_LEVELS];
    snLatticeModel *model;
    snLatticeState *state;
    double *rig;
    snLatticeDrive drive;
} Body;

// A body over a lattice of tets whose vertices below `heldX` are known.
static inline void build(Body *body, snLatticeModelDef def, double heldX, int known)
{
    snArena *arena = &body->arena;
    int n = body->lattice.vertexCount;
    snWeightRows skin = skinOfOne(n, arena);
    unsigned char *held = SN_NEW(arena, unsigned char, n);
    const snBasis *bases[SN_DETAIL_LEVELS];
    snError error = {0};
    for (int v = 0; v < n; v++)
        held[v] = v < known && body->lattice.rest[v].x < heldX;
    snQuadratureDef quadrature = snDefaultQuadratureDef();
    quadrature.level = 0;
    CHECK(snQuadrature_Make(&body->quadrature, &body->lattice, &quadrature, arena, &body->context,
                            NULL) == SN_OK);
    for (int j = 0; j < def.levels; j++) {
        snBasisDef basis = snDefaultBasisDef();
        basis.lattice = &body->lattice;
        basis.levels = basis.quadratureLevel = j + 1;
        CHECK(snBasis_Make(&body->basis[j], &basis, arena, &body->context, NULL) == SN_OK);
        bases[j] = &body->basis[j];
    }
    def.bases = bases;
    def.lattice = &body->lattice;
    def.quadrature = &body->quadrature;
    def.skin = &skin;
    def.known = held;
    def.young = constants(body->lattice.cellCount, 1e5, arena);
    if (!CHECK(snLatticeModel_Build(&body->model, &def, &body->context, &error) == SN_OK)) {
        printf("%s\n", error.message);
        exit(1);
    }
    CHECK(snLatticeState_Make(&body->state, body->model, 1, &body->context, &error) == SN_OK);
    body->rig = SN_NEW(arena, double, body->model->vertexCount * 4);
    snAffine one = snIdentityAffine();
    snLatticeModel_Rig(body->model, &one, body->rig);
    body->drive = (snLatticeDrive){.rig = body->rig};
    snLatticeState_Start(body->model, body->state, body->rig, NULL);
}

static inline Body *newBar(snLatticeModelDef def, int nx, double heldX)
{
    Body *body = calloc(1, sizeof *body);
    body->context = snDefaultContext();
    body->arena = snMakeArena(&body->context);
    body->lattice = makeBlock(BLOCK_TETS, nx, 1, 1, snVec(0.3 * nx, 0.25, 0.25), &body->arena);
    build(body, def, heldX, body->lattice.vertexCount);
    return body;
}

static inline void freeBody(Body *body)
{
    snLatticeState_Destroy(body->state);
    snLatticeModel_Destroy(body->model);
    snArena_Destroy(&body->arena);
    free(body);
}

static inline void shake(double *rows, int count, double amount, uint64_t seed)
{
    snRandom random = snMakeRandom(seed);
    for (int k = 0; k < count * 4; k++)
        if (k % 4 != 3) rows[k] += snRandom_Uniform(&random, -amount, amount);
}

static inline snLatticeModelDef detailed(int levels)
{
    snLatticeModelDef def = snDefaultLatticeModelDef();
    def.levels = levels;
    def.mostDetails = 100000;
    return def;
}

// Everything on, in as many calls as it takes.
static inline void switchAll(Body *body)
{
    snAdaptDef all = snDefaultAdaptDef();
    snAdaptReport report;
    for (int j = 0; j < SN_DETAIL_LEVELS; j++) {
        all.refine[j] = -1;
        all.coarsen[j] = 0;
    }
    do
        report = snLattice_Adapt(body->model, body->state, &all);
    while (report.added);
}

#endif
