// The volume around bones that keeps flesh from spinning about them.
#include "tests/test.h"

#include "body/lattice/field.h"
#include "body/lattice/step.h"
#include "core/core.h"
#include "tests/body/lattice/blocks.h"

#include <stdio.h>

#define RADIUS 0.3 // of Γ
#define CYLINDER 0.8

// Distance from the axis of the block.
static double fromAxis(snVec3 p)
{
    return sqrt((p.x - 1) * (p.x - 1) + (p.y - 1) * (p.y - 1));
}

static double everywhere(const void *user, snVec3 point)
{
    (void)user;
    (void)point;
    return 1;
}

static double nearAxis(const void *user, snVec3 point)
{
    return fromAxis(point) < *(const double *)user ? 1 : 0;
}

static void insideCylinder(const void *user, int count, const snVec3 *points, unsigned char *inside)
{
    (void)user;
    for (int i = 0; i < count; i++)
        inside[i] = fromAxis(points[i]) < CYLINDER;
}

// s = 1: the lumped volumes, and they sum to all of it. A cylinder: its volume and its middle.
static void integralsAreRight(void)
{
    for (int kind = 0; kind < 2; kind++) {
        snContext context = snDefaultContext();
        snArena arena = snMakeArena(&context);
        snLattice l = makeBlock((BlockKind)kind, 4, 4, 6, snVec(2, 2, 3), &arena);
        double *a = SN_NEW(&arena, double, l.vertexCount),
               *b = SN_NEW(&arena, double, l.vertexCount);
        double radius = RADIUS, volume = 0;
        snVec3 middle = {0, 0, 0};
        snQuadratureDef quadrature = {.level = 1, .samples = 4};
        snQuadrature q;
        CHECK(snQuadrature_Make(&q, &l, &quadrature, &arena, &context, NULL) == SN_OK);
        snFieldDef def = {.lattice = &l, .level = 1, .field = everywhere};
        CHECK(snIntegrateField(&def, a, &context, NULL) == SN_OK);
        for (int c = 0; c < l.cellCount; c++) {
            int n = (int)snLattice_Kind(&l, c);
            for (int i = 0; i < n * n; i++)
                b[snLattice_Corners(&l, c)[i / n]] += q.mass[q.massStart[c] + i];
        }
        double worst = 0;
        for (int v = 0; v < l.vertexCount; v++)
            worst = fmax(worst, fabs(a[v] - b[v]));
        CHECK(worst < 1e-12);
        for (int v = 0; v < l.vertexCount; v++)
            a[v] = 0;
        def = (snFieldDef){.lattice = &l,
                           .level = 2,
                           .field = nearAxis,
                           .user = &radius,
                           .inside = {insideCylinder, NULL}};
        CHECK(snIntegrateField(&def, a, &context, NULL) == SN_OK);
        for (int v = 0; v < l.vertexCount; v++) {
            volume += a[v];
            middle = snMulAdd(middle, a[v], l.rest[v]);
        }
        printf("Γ: %.4f of its volume; lumped volumes off by %.1e\n",
               volume / (SN_PI * RADIUS * RADIUS * 3), worst);
        CHECK_NEAR(volume, SN_PI * RADIUS * RADIUS * 3, 0.03);
        CHECK(snDistance(snScale(1 / volume, middle), snVec(1, 1, 1.5)) < 0.01);
        snArena_Destroy(&arena);
    }
}

// A cylinder of flesh on a bone along its axis, spun by a tenth of a turn per second: how far it has
// turned after a second and the farthest on the way.
static void spin(double twist, double *end, double *farthest)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snLattice l = makeBlock(BLOCK_TETS, 4, 4, 6, snVec(2, 2, 3), &arena);
    int n = l.vertexCount;
    double *hold = SN_NEW(&arena, double, n), *young = SN_NEW(&arena, double, l.cellCount);
    unsigned char *known = SN_NEW(&arena, unsigned char, n);
    double *volume = SN_NEW(&arena, double, n), radius = RADIUS;
    snFieldDef region = {.lattice = &l,
                         .level = 1,
                         .field = nearAxis,
                         .user = &radius,
                         .inside = {insideCylinder, NULL}};
    CHECK(snIntegrateField(&region, hold, &context, NULL) == SN_OK);
    region.field = everywhere;
    CHECK(snIntegrateField(&region, volume, &context, NULL) == SN_OK);
    for (int v = 0; v < n; v++) {
        known[v] = fromAxis(l.rest[v]) < 1e-9;
        hold[v] = volume[v] > 0 ? twist * sqrt(hold[v] / volume[v]) : 0;
    }
    for (int c = 0; c < l.cellCount; c++)
        young[c] = 1e6;
    snQuadratureDef quadrature = snDefaultQuadratureDef();
    quadrature.inside = (snInsideTest){insideCylinder, NULL};
    snQuadrature q;
    CHECK(snQuadrature_Make(&q, &l, &quadrature, &arena, &context, NULL) == SN_OK);
    snLatticeModelDef def = snDefaultLatticeModelDef();
    def.lattice = &l, def.quadrature = &q, def.known = known, def.hold = hold, def.young = young;
    def.massDamping = 0, def.iterations = 20;
    snLatticeModel *model;
    snLatticeState *state;
    CHECK(snLatticeModel_Build(&model, &def, &context, NULL) == SN_OK);
    CHECK(snLatticeState_Make(&state, model, 1, &context, NULL) == SN_OK);
    double *rig = SN_NEW(&arena, double, 4 * n), speed = 2 * SN_PI / 10;
    snLatticeModel_Rig(model, NULL, rig);
    snLatticeState_Start(model, state, rig, NULL);
    for (int i = 0; i < model->freeCount; i++) {
        state->velocity[4 * i] = -speed * (rig[4 * i + 1] - 1);
        state->velocity[4 * i + 1] = speed * (rig[4 * i] - 1);
    }
    *farthest = 0;
    for (int k = 0; k < 120; k++) {
        double turned = 0, weight = 0;
        CHECK(snLattice_Step(model, state, &(snLatticeDrive){.rig = rig}));
        for (int i = 0; i < model->freeCount; i++) {
            double x = rig[4 * i] - 1, y = rig[4 * i + 1] - 1;
            double u = state->position[4 * i] - 1, v = state->position[4 * i + 1] - 1;
            turned += model->mass[i] * (x * v - y * u);
            weight += model->mass[i] * (x * u + y * v);
        }
        *end = snAtan2(turned, weight);
        *farthest = fmax(*farthest, fabs(*end));
    }
    snLatticeState_Destroy(state);
    snLatticeModel_Destroy(model);
    snArena_Destroy(&arena);
}

static void fleshComesBackOrSlips(void)
{
    double end, farthest;
    spin(0, &end, &farthest);
    printf("without twist: turned by %.1f degrees after a second\n", end * 180 / SN_PI);
    CHECK(end > 0.8 * 2 * SN_PI / 10);
    spin(20, &end, &farthest);
    printf("with twist: at most %.1f degrees, %.1f after a second\n", farthest * 180 / SN_PI,
           end * 180 / SN_PI);
    CHECK(farthest < 0.4 * 2 * SN_PI / 10);
    CHECK(fabs(end) < 0.5 * farthest);
}

static void memoryRunsOut(void)
{
    snContext plain = snDefaultContext(), context = plain;
    snArena arena = snMakeArena(&plain);
    snLattice l = makeBlock(BLOCK_TETS, 1, 1, 1, snVec(1, 1, 1), &arena);
    double integral[8] = {0};
    snStatus status = SN_ERROR_MEMORY;
    for (int failAt = 1; status && failAt < 200; failAt++) {
        snFailingMemory memory = {.failAtWay = failAt};
        snTest_UseFailingMemory(&context, &memory);
        snFieldDef def = {.lattice = &l, .level = 1, .field = everywhere};
        status = snIntegrateField(&def, integral, &context, NULL);
        CHECK(status == SN_OK || status == SN_ERROR_MEMORY);
        CHECK(memory.alive == 0);
    }
    CHECK(status == SN_OK);
    snArena_Destroy(&arena);
}

int main(void)
{
    RUN(integralsAreRight);
    RUN(fleshComesBackOrSlips);
    RUN(memoryRunsOut);
    return snTest_Finish();
}
