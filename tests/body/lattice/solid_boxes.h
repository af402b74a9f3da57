// Smooth bodies from boxes, bent and sheared hard, for tests and benchmarks.
#ifndef SN_TESTS_BODY_LATTICE_SOLID_BOXES_H
#define SN_TESTS_BODY_LATTICE_SOLID_BOXES_H

#include "body/lattice/newton.h"
#include "body/lattice/solid.h"
#include "body/lattice/space.h"
#include "core/core.h"
#include "tests/body/lattice/sharp_blocks.h"

#include <stdlib.h>

typedef struct SolidBox {
    snContext context;
    snArena arena;
    snSolid *solid;
    snLatticeModel *model;
    snLatticeState *state;
    double *rig;
} SolidBox;

typedef struct SolidBoxDef {
    snScheme scheme;
    int levels, nodeLevel;
    int cells[3];
    double poisson;
    bool projective; // else by Newton's method
    snNewtonMethod newton;
    int iterations;
    double tolerance; // 0: the default
} SolidBoxDef;

static inline snStatus makeSolidBox(SolidBox *box, const SolidBoxDef *def, const snContext *context,
                                    snError *error)
{
    const int *n = def->cells;
    *box = (SolidBox){.context = *context, .arena = snMakeArena(context)};
    snLattice lattice =
        makeBlock(BLOCK_HEXES, n[0], n[1], n[2], snVec(n[0], n[1], n[2]), &box->arena);
    for (int v = 0; v < lattice.vertexCount; v++)
        lattice.rest[v] = snScale(0.1, lattice.rest[v]);
    lattice.sharp = boxSharp(n, &box->arena);
    snSolidDef solid = snDefaultSolidDef();
    solid.lattice = &lattice;
    solid.scheme = def->scheme;
    solid.levels = def->levels;
    solid.nodeLevel = def->nodeLevel;
    solid.poisson = def->poisson;
    solid.young = 3e4;
    snStatus status = snSolid_Build(&box->solid, &solid, context, error);
    if (status) return status;
    snLatticeModelDef model = snDefaultLatticeModelDef();
    snSolid_Define(box->solid, &model);
    model.solver = def->projective ? SN_SOLVER_PROJECTIVE : SN_SOLVER_NEWTON;
    model.newton = def->newton;
    model.step = 1.0 / 60;
    model.iterations = def->iterations;
    model.gravity = snVec(0, 0, -9.81);
    if (def->tolerance > 0) model.tolerance = def->tolerance;
    status = snLatticeModel_Build(&box->model, &model, context, error);
    if (!status) status = snLatticeState_Make(&box->state, box->model, 1, context, error);
    if (status) return status;
    box->rig = SN_NEW(&box->arena, double, box->model->vertexCount * 4);
    snLatticeModel_Rig(box->model, NULL, box->rig);
    snLatticeState_Start(box->model, box->state, box->rig, NULL);
    for (int i = 0; i < box->model->vertexCount; i++) { // bent and sheared hard
        double x = box->model->rest[i].x - 0.05 * n[0];
        box->state->velocity[4 * i + 1] = 320 * x * x;
        box->state->velocity[4 * i + 2] = 30 * box->model->rest[i].y;
    }
    snSpace_Settle(box->model, box->state);
    return SN_OK;
}

static inline bool stepSolidBox(SolidBox *box)
{
    return snLattice_Step(box->model, box->state, &(snLatticeDrive){.rig = box->rig});
}

static inline void freeSolidBox(SolidBox *box)
{
    snLatticeState_Destroy(box->state);
    snLatticeModel_Destroy(box->model);
    snSolid_Destroy(box->solid);
    snArena_Destroy(&box->arena);
}

#endif
