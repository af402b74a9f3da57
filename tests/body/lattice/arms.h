// Bodies for the tests of the linear solvers: a bar along x, of tets, with one or two joints.
#ifndef SN_TESTS_BODY_LATTICE_ARMS_H
#define SN_TESTS_BODY_LATTICE_ARMS_H

#include "tests/test.h"

#include "body/lattice/step.h"
#include "core/core.h"
#include "tests/body/lattice/blocks.h"
#include "tests/body/lattice/checks.h"

#include <stdio.h>
#include <stdlib.h>

typedef enum ArmHeld {
    ARM_FREE,
    ARM_CLAMPED, // the vertices at x = 0 are known
    ARM_BONES,   // those on its axis are on bones, and known
} ArmHeld;

typedef struct Arm {
    snContext context;
    snArena arena;
    snLattice lattice;
    snQuadrature quadrature;
    snWeightRows skin;
    unsigned char *known;
    double *young, *hold;
    snLatticeModel *model;
    snLatticeState *state;
    double *rig;
    snAffine joints[2];
} Arm;

#define ARM_LENGTH 2.0

// A bar of 2 m; with two joints the second one's weight rises from 0 to 1 over the middle metre.
static inline Arm makeArm(snContext context, int joints, ArmHeld held)
{
    Arm arm = {.context = context};
    arm.arena = snMakeArena(&context);
    arm.lattice = makeBlock(BLOCK_TETS, 8, 2, 2, snVec(ARM_LENGTH, 0.5, 0.5), &arm.arena);
    int n = arm.lattice.vertexCount, count = 0;
    CHECK(snWeightRows_Make(&arm.skin, n, 2, 2 * (size_t)n, &arm.arena, NULL) == SN_OK);
    arm.known = SN_NEW(&arm.arena, unsigned char, n);
    arm.hold = SN_NEW(&arm.arena, double, n);
    arm.young = SN_NEW(&arm.arena, double, arm.lattice.cellCount);
    for (int c = 0; c < arm.lattice.cellCount; c++)
        arm.young[c] = 1e5;
    for (int v = 0; v < n; v++) {
        snVec3 r = arm.lattice.rest[v];
        double second = joints < 2 ? 0 : fmin(fmax(r.x - 0.5, 0), 1);
        bool axis = r.y == 0.25 && r.z == 0.25;
        if (held == ARM_BONES && axis) {
            arm.lattice.joint[v] = r.x > 1 && joints > 1;
            second = arm.lattice.joint[v];
        }
        arm.known[v] = (held == ARM_BONES && axis) || (held == ARM_CLAMPED && r.x == 0);
        for (int j = 0; j < 2; j++) {
            double w = j ? second : 1 - second;
            if (!(w > 0)) continue;
            arm.skin.column[count] = j;
            arm.skin.weight[count++] = w;
        }
        arm.skin.start[v + 1] = count;
    }
    arm.joints[0] = arm.joints[1] = snIdentityAffine();
    return arm;
}

// The model and a state, standing at rest.
static inline void buildArm(Arm *arm, snLatticeModelDef def)
{
    arm->quadrature = quadratureOf(&arm->lattice, &arm->arena, &arm->context);
    // The arm is handed on by value; what the model points to lives in its arena.
    def.quadrature = SN_COPY(&arm->arena, snQuadrature, &arm->quadrature, 1);
    def.lattice = &arm->lattice;
    def.skin = &arm->skin;
    def.known = arm->known;
    def.hold = arm->hold;
    def.young = arm->young;
    snError error = {0};
    if (!CHECK(snLatticeModel_Build(&arm->model, &def, &arm->context, &error) == SN_OK)) {
        printf("%s\n", error.message);
        exit(1);
    }
    CHECK(snLatticeState_Make(&arm->state, arm->model, 1, &arm->context, &error) == SN_OK);
    arm->rig = SN_NEW(&arm->arena, double, arm->model->vertexCount * 4);
    snLatticeModel_Rig(arm->model, arm->joints, arm->rig);
    snLatticeState_Start(arm->model, arm->state, arm->rig, NULL);
}

static inline void freeArm(Arm *arm)
{
    snLatticeState_Destroy(arm->state);
    snLatticeModel_Destroy(arm->model);
    snArena_Destroy(&arm->arena);
}

static inline void poseArm(Arm *arm, snAffine first, snAffine second)
{
    arm->joints[0] = first;
    arm->joints[1] = second;
    snLatticeModel_Rig(arm->model, arm->joints, arm->rig);
}

static inline bool stepArm(Arm *arm)
{
    snLatticeDrive drive = {.rig = arm->rig, .joints = arm->joints};
    return snLattice_Step(arm->model, arm->state, &drive);
}

// A turn about the z axis through a point.
static inline snAffine turnAbout(double angle, snVec3 centre)
{
    snMat3 r = snQuatToMat(snQuatFromAxisAngle(snVec(0, 0, 1), angle));
    return (snAffine){r, snSub(centre, snMulMV(r, centre))};
}

// A smooth push, the same for any model of the same lattice whatever its numbering.
static inline void pushArm(Arm *arm, double speed)
{
    for (int i = 0; i < arm->model->freeCount; i++) {
        snVec3 r = arm->model->rest[i];
        arm->state->velocity[4 * i] += speed * snSin(3 * r.y + r.x);
        arm->state->velocity[4 * i + 1] += speed * r.x * (1 + r.z);
        arm->state->velocity[4 * i + 2] += speed * snCos(2 * r.x + 5 * r.y);
    }
}

// The largest distance between two models' states of the same lattice.
static inline double armDistance(const Arm *a, const Arm *b)
{
    double worst = 0;
    for (int v = 0; v < a->model->vertexCount; v++)
        for (int c = 0; c < 3; c++)
            worst = fmax(worst, fabs(a->state->position[4 * a->model->indexOf[v] + c] -
                                     b->state->position[4 * b->model->indexOf[v] + c]));
    return worst;
}

static inline double armOffRig(const Arm *arm)
{
    double worst = 0;
    for (int k = 0; k < arm->model->vertexCount * 4; k++)
        worst = fmax(worst, fabs(arm->state->position[k] - arm->rig[k]));
    return worst;
}

// Builds a model with every allocation failing in turn: an error each time, and nothing left over.
static inline void buildWithFailingMemory(const snLatticeModelDef *def)
{
    for (int failAt = 1;; failAt++) {
        snContext context = snDefaultContext();
        snFailingMemory memory = {.failAtWay = failAt};
        snTest_UseFailingMemory(&context, &memory);
        snLatticeModel *model;
        snStatus status = snLatticeModel_Build(&model, def, &context, NULL);
        CHECK(status == SN_OK || status == SN_ERROR_MEMORY);
        snLatticeModel_Destroy(model);
        CHECK(memory.alive == 0);
        if (status == SN_OK) break;
    }
}

// Eight bodies in a batch, each posed in its own way, move by the bits of each alone.
static inline void checkLanes(Arm *arm, void (*pose)(int step, int lane, snAffine joints[2]))
{
    enum { LANES = 8, STEPS = 10 };
    snLatticeState *batch;
    snAffine joints[LANES * 2];
    int n = arm->model->vertexCount, different = 0;
    CHECK(!snLatticeState_Make(&batch, arm->model, LANES, &arm->context, NULL));
    double *rigs = SN_NEW(&arm->arena, double, n * batch->width);
    snLatticeDrive drive = {.rig = rigs, .joints = arm->model->jointCount == 2 ? joints : NULL};
    for (int k = 0; k <= STEPS; k++) {
        for (int l = 0; l < LANES; l++) {
            pose(k, l, joints + 2 * l);
            poseArm(arm, joints[2 * l], joints[2 * l + 1]);
            for (int i = 0; i < n * 3; i++)
                rigs[snLatticeState_At(batch, i / 3, i % 3, l)] = arm->rig[i / 3 * 4 + i % 3];
        }
        if (k == 0) snLatticeState_Start(arm->model, batch, rigs, NULL);
        if (k > 0) CHECK(snLattice_Step(arm->model, batch, &drive));
    }
    for (int l = 0; l < LANES; l++) {
        for (int k = 0; k <= STEPS; k++) {
            pose(k, l, joints);
            poseArm(arm, joints[0], joints[1]);
            if (k == 0) snLatticeState_Start(arm->model, arm->state, arm->rig, NULL);
            if (k > 0) CHECK(stepArm(arm));
        }
        different += differentInLane(batch, l, arm->state, n);
    }
    CHECK(different == 0);
    snLatticeState_Destroy(batch);
}

#endif
