// Bodies that jump: with the rig that a rigid motion has put elsewhere, flesh moves as it would have
// without. Every solver and material, both precisions, batches; joints that jump apart.
#include "tests/test.h"

#include "body/lattice/jump.h"
#include "core/core.h"
#include "core/elementary.h"
#include "tests/body/lattice/blocks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Body {
    snContext context;
    snArena arena;
    snLattice lattice;
    snQuadrature quadrature;
    snLatticeModel *model;
    snLatticeState *state;
    int lanes;
    double *rig;      // [vertices * width]
    snAffine *joints; // [lanes * 2]
} Body;

// A bar of tets or of all kinds of cells along x, held at its beginning: joint 0 carries the first
// half, joint 1 the other, blended over its middle.
static void buildBody(Body *b, snLatticeModelDef def, bool mixed, int lanes)
{
    unsigned char boundary[96];
    *b = (Body){.context = snDefaultContext(), .lanes = lanes};
    b->arena = snMakeArena(&b->context);
    b->lattice = mixed ? makeMixed(boundary, 0.15, &b->arena)
                       : makeBlock(BLOCK_TETS, 5, 2, 2, snVec(5, 2, 2), &b->arena);
    int n = b->lattice.vertexCount;
    snWeightRows skin;
    CHECK(snWeightRows_Make(&skin, n, 2, 2 * (size_t)n, &b->arena, NULL) == SN_OK);
    for (int v = 0; v < n; v++) {
        double x = snClamp(b->lattice.rest[v].x - 2, 0, 1);
        for (int k = 0; k < 2; k++) {
            skin.column[2 * v + k] = k;
            skin.weight[2 * v + k] = k ? x : 1 - x;
        }
        skin.start[v + 1] = 2 * v + 2;
    }
    b->quadrature = quadratureOf(&b->lattice, &b->arena, &b->context);
    def.quadrature = &b->quadrature;
    def.lattice = &b->lattice;
    def.skin = &skin;
    def.known = heldUpTo(&b->lattice, 0, &b->arena);
    def.young = constants(b->lattice.cellCount, 2e5, &b->arena);
    def.step = 1.0 / 120;
    snError error = {0};
    if (!CHECK(snLatticeModel_Build(&b->model, &def, &b->context, &error) == SN_OK)) {
        printf("%s\n", error.message);
        exit(1);
    }
    CHECK(snLatticeState_Make(&b->state, b->model, lanes, &b->context, &error) == SN_OK);
    b->rig = SN_NEW(&b->arena, double, (size_t)n *(size_t)b->state->width);
    b->joints = SN_NEW(&b->arena, snAffine, 2 * lanes);
}

static void freeBody(Body *b)
{
    snLatticeState_Destroy(b->state);
    snLatticeModel_Destroy(b->model);
    snArena_Destroy(&b->arena);
}

// Shaken up and down by lanes differently, joint 1 nods; then put elsewhere by `motion`.
static void setRig(Body *b, int step, const snAffine *motion)
{
    const snLatticeModel *model = b->model;
    for (int l = 0; l < b->lanes; l++) {
        double t = step / 120.0;
        snAffine *joints = b->joints + 2 * l;
        joints[0] = snIdentityAffine();
        joints[0].origin.y = (0.5 + 0.1 * l) * snSin(9 * t);
        joints[1] = joints[0];
        joints[1].linear = snQuatToMat(snQuatFromAxisAngle(snVec(0, 0, 1), 0.2 * snSin(5 * t)));
        for (int k = 0; k < 2; k++)
            joints[k] = motion ? snMulAA(motion[l], joints[k]) : joints[k];
        for (int i = 0; i < model->vertexCount; i++) {
            snVec3 p = {0, 0, 0};
            for (int k = model->skin.start[i]; k < model->skin.start[i + 1]; k++)
                p = snMulAdd(p, model->skin.weight[k],
                             snMulAP(joints[model->skin.column[k]], model->rest[i]));
            b->rig[snLatticeState_At(b->state, i, 0, l)] = p.x;
            b->rig[snLatticeState_At(b->state, i, 1, l)] = p.y;
            b->rig[snLatticeState_At(b->state, i, 2, l)] = p.z;
        }
    }
}

static void step(Body *b, int number, const snAffine *motion)
{
    setRig(b, number, motion);
    CHECK(
        snLattice_Step(b->model, b->state, &(snLatticeDrive){.rig = b->rig, .joints = b->joints}));
}

static void start(Body *b)
{
    setRig(b, 0, NULL);
    snLatticeState_Start(b->model, b->state, b->rig, NULL);
}

static snVec3 at(const Body *b, int i, int lane)
{
    return snVec(b->state->position[snLatticeState_At(b->state, i, 0, lane)],
                 b->state->position[snLatticeState_At(b->state, i, 1, lane)],
                 b->state->position[snLatticeState_At(b->state, i, 2, lane)]);
}

// How far a body that jumps half-way is from one that does not, and how far flesh went from its rig.
static double compare(Body *a, Body *b, const snAffine *motion, double *offset)
{
    double worst = 0;
    *offset = 0;
    start(a);
    start(b);
    for (int k = 1; k <= 60; k++) {
        bool jumped = k > 30;
        if (k == 31) snLatticeState_Carry(b->model, b->state, motion);
        step(a, k, NULL);
        step(b, k, jumped ? motion : NULL);
        for (int i = 0; i < a->model->vertexCount && k > 29; i++)
            for (int l = 0; l < a->lanes; l++) {
                snVec3 x = at(a, i, l), y = jumped ? snMulAP(motion[l], x) : x;
                double d = snDistance(y, at(b, i, l));
                if (!(d <= worst)) worst = d;
                size_t r = snLatticeState_At(a->state, i, 1, l);
                *offset = fmax(*offset, fabs(x.y - a->state->rig[r]));
            }
    }
    return worst;
}

static void fillMotions(snAffine *motions, int lanes, bool turned)
{
    for (int l = 0; l < lanes; l++) {
        snVec3 axis = snNormalizeOr(snVec(1, 0.3 * l - 1, 0.5), snVec(1, 0, 0));
        motions[l] = snIdentityAffine();
        if (turned) motions[l].linear = snQuatToMat(snQuatFromAxisAngle(axis, 3.1 - 0.3 * l));
        motions[l].origin = snVec(40, -7 + l, 3);
    }
}

typedef struct Case {
    const char *name;
    snSolver solver;
    snMaterial material;
    snPrecision precision;
    snMatrix matrix;
    snMotion motion;
    bool mixed, turned;
    int lanes;
    double tolerance; // m, of a bar of 5 m
} Case;

static void rigidJumps(void)
{
    const Case cases[] = {
        {.name = "quasi-Newton", .turned = true, .lanes = 1, .tolerance = 1e-10},
        {.name = "all kinds of cells",
         .mixed = true,
         .turned = true,
         .lanes = 1,
         .tolerance = 1e-10},
        {.name = "batch", .turned = true, .lanes = 16, .tolerance = 1e-10},
        {.name = "turned matrix",
         .matrix = SN_MATRIX_TURNED,
         .turned = true,
         .lanes = 1,
         .tolerance = 1e-7}, // its factor is in floats: directions differ, the way down is the same
        {.name = "full motion",
         .motion = SN_MOTION_FULL,
         .turned = true,
         .lanes = 1,
         .tolerance = 1e-10},
        {.name = "neo-Hookean",
         .material = SN_MATERIAL_NEO_HOOKEAN,
         .turned = true,
         .lanes = 1,
         .tolerance = 1e-9},
        {.name = "Newton",
         .solver = SN_SOLVER_NEWTON,
         .turned = true,
         .lanes = 1,
         .tolerance = 1e-8},
        {.name = "single precision",
         .precision = SN_PRECISION_SINGLE,
         .turned = true,
         .lanes = 1,
         .tolerance = 1e-4},
        {.name = "blended",
         .solver = SN_SOLVER_BLENDED,
         .turned = true,
         .lanes = 8,
         .tolerance = 1e-9},
        {.name = "linear", .solver = SN_SOLVER_LINEAR, .lanes = 8, .tolerance = 1e-9},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const Case *c = &cases[k];
        snLatticeModelDef def = snDefaultLatticeModelDef();
        snAffine motions[SN_MAX_LANES];
        Body a, b;
        double offset;
        def.solver = c->solver;
        def.material = c->material;
        def.precision = c->precision;
        def.matrix = c->matrix;
        def.motion = c->motion;
        buildBody(&a, def, c->mixed, c->lanes);
        buildBody(&b, def, c->mixed, c->lanes);
        fillMotions(motions, c->lanes, c->turned);
        double off = compare(&a, &b, motions, &offset);
        printf("  %-20s off by %.1e m; flesh is up to %.2f m from its rig\n", c->name, off, offset);
        CHECK(off <= c->tolerance);
        CHECK(offset > 0.02);
        freeBody(&a);
        freeBody(&b);
    }
}

// All joints jumping alike is the rigid motion; standing still is nothing at all.
static void jointsAlike(void)
{
    snLatticeModelDef def = snDefaultLatticeModelDef();
    Body a, b;
    snAffine motion, both[2];
    buildBody(&a, def, true, 1);
    buildBody(&b, def, true, 1);
    fillMotions(&motion, 1, true);
    both[0] = both[1] = motion;
    start(&a);
    start(&b);
    for (int k = 1; k <= 20; k++) {
        step(&a, k, NULL);
        step(&b, k, NULL);
    }
    setRig(&b, 20, &motion);
    snLatticeState_Carry(a.model, a.state, &motion);
    snLatticeState_Jump(b.model, b.state, &(snLatticeJump){both, b.rig});
    double worst = 0;
    for (int i = 0; i < a.model->vertexCount; i++)
        worst = fmax(worst, snDistance(at(&a, i, 0), at(&b, i, 0)));
    CHECK(worst < 1e-12);
    both[0] = both[1] = snIdentityAffine();
    double energy = snLatticeState_ElasticEnergy(b.model, b.state, 0);
    snLatticeState_Jump(b.model, b.state, &(snLatticeJump){both, b.rig});
    CHECK_NEAR(snLatticeState_ElasticEnergy(b.model, b.state, 0), energy, 1e-12 * energy);
    freeBody(&a);
    freeBody(&b);
}

// One half of the bar turns by 120° in no time: flesh goes along with it and hardly moves against it.
static void jointsApart(void)
{
    snLatticeModelDef def = snDefaultLatticeModelDef();
    for (int way = 0; way < 2; way++) { // simulated, carried
        Body b;
        buildBody(&b, def, false, 1);
        start(&b);
        double furthest = 0;
        snAffine turn = snIdentityAffine();
        turn.linear = snQuatToMat(snQuatFromAxisAngle(snVec(0, 0, 1), 2.1));
        turn.origin = snSub(snVec(2.5, 1, 1), snMulMV(turn.linear, snVec(2.5, 1, 1)));
        for (int k = 1; k <= 40; k++) {
            snAffine joints[2] = {snIdentityAffine(), k > 10 ? turn : snIdentityAffine()};
            snLatticeModel_Rig(b.model, joints, b.rig);
            if (k == 11 && way)
                snLatticeState_Jump(b.model, b.state, &(snLatticeJump){joints, b.rig});
            CHECK(snLattice_Step(b.model, b.state, &(snLatticeDrive){.rig = b.rig}));
            for (int i = 0; i < 4 * b.model->vertexCount; i++)
                furthest = fmax(furthest, fabs(b.state->position[i] - b.rig[i]));
        }
        printf("  half of a bar turned by 120 degrees, %s: flesh up to %.3g m from its rig\n",
               way ? "carried" : "simulated", furthest);
        CHECK(way ? furthest < 1e-9 : furthest > 0.5);
        freeBody(&b);
    }
}

// Into nothing and out of it: flesh is on its rig.
static void nothingToCarry(void)
{
    snLatticeModelDef def = snDefaultLatticeModelDef();
    Body b;
    buildBody(&b, def, false, 1);
    start(&b);
    for (int k = 1; k <= 10; k++)
        step(&b, k, NULL);
    snAffine none[2] = {{snScaleM(0, snIdentity3()), {0, 0, 0}}};
    none[1] = none[0];
    snLatticeState_Jump(b.model, b.state, &(snLatticeJump){none, b.rig});
    for (int i = 0; i < 4 * b.model->vertexCount; i++)
        CHECK(b.state->position[i] == b.rig[i] && b.state->velocity[i] == 0);
    freeBody(&b);
}

int main(void)
{
    RUN(rigidJumps);
    RUN(jointsAlike);
    RUN(jointsApart);
    RUN(nothingToCarry);
    return snTest_Finish();
}
