// Smooth bodies that tests share.
#ifndef SN_TESTS_BODY_LATTICE_SOLIDS_H
#define SN_TESTS_BODY_LATTICE_SOLIDS_H

#include "tests/test.h"

#include "body/lattice/row.h"
#include "body/lattice/solid.h"
#include "body/lattice/step.h"
#include "core/core.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Body {
    snContext context;
    snArena arena;
    snLattice control;
    snSolid *solid;
    snLatticeModel *model;
    snLatticeState *state;
    double *rig;
} Body;

static inline snStatus tryBuild(Body *body, const snSolidDef *def, snLatticeModelDef model,
                                snError *error)
{
    snStatus status = snSolid_Build(&body->solid, def, &body->context, error);
    if (status) return status;
    snSolid_Define(body->solid, &model);
    status = snLatticeModel_Build(&body->model, &model, &body->context, error);
    if (!status) status = snLatticeState_Make(&body->state, body->model, 1, &body->context, error);
    return status;
}

static inline void release(Body *body)
{
    snLatticeState_Destroy(body->state);
    snLatticeModel_Destroy(body->model);
    snSolid_Destroy(body->solid);
    body->state = NULL;
    body->model = NULL;
    body->solid = NULL;
}

static inline void startAt(Body *body, snAffine place)
{
    for (int i = 0; i < body->model->vertexCount; i++) {
        snVec3 x = snMulAP(place, body->model->rest[i]);
        double row[4] = {x.x, x.y, x.z, 0};
        memcpy(body->rig + 4 * i, row, sizeof row);
    }
    snLatticeState_Start(body->model, body->state, body->rig, NULL);
}

// Of `control`, which lies in the body's arena.
static inline Body *buildBody(Body *body, snSolidDef def, snLatticeModelDef model)
{
    snError error = {0};
    def.lattice = &body->control;
    if (!CHECK(tryBuild(body, &def, model, &error) == SN_OK)) {
        printf("%s\n", error.message);
        exit(1);
    }
    body->rig = SN_NEW(&body->arena, double, body->model->vertexCount * 4);
    startAt(body, snIdentityAffine());
    return body;
}

static inline void freeBody(Body *body)
{
    release(body);
    snArena_Destroy(&body->arena);
    free(body);
}

static inline void step(Body *body)
{
    CHECK(snLattice_Step(body->model, body->state, &(snLatticeDrive){.rig = body->rig}));
}

#endif
