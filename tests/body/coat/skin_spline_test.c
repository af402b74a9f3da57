// Spline skins: closed, smooth, with true normals, and what the kinds of splines promise.
#include "body/coat/skin_spline.h"
#include "core/elementary.h"
#include "core/error.h"
#include "geometry/mesh.h"
#include "numerics/spline.h"
#include "tests/test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { RINGS = 5, COLUMNS = 8, CONTROLS = RINGS * COLUMNS + 2 };

// A bent, tapering tube.
static void makeControls(snVec3 *controls, int *numbers)
{
    for (int i = 0; i < RINGS * COLUMNS; i++) {
        double y = i / COLUMNS + 1, r = 1.2 - 0.1 * y, turn = -2 * SN_PI * (i % COLUMNS) / COLUMNS;
        double bend = 0.05 * y * y;
        controls[i] = snVec(r * snCos(turn) + bend, y, 0.8 * r * snSin(turn));
        numbers[i] = i;
    }
    controls[CONTROLS - 2] = snVec(0, 0.6, 0);
    controls[CONTROLS - 1] = snVec(1.4, 5.4, 0);
}

typedef struct Made {
    snArena arena;
    int numbers[CONTROLS];
    snVec3 controls[CONTROLS];
    snSplineTube tube;
    snSplineSkinDef def;
    snSplineSkin skin;
    snVec3 *points, *normals;
} Made;

static snStatus make(Made *m, snSplineShape shape, int fine, const snContext *context)
{
    makeControls(m->controls, m->numbers);
    m->arena = snMakeArena(context);
    m->tube = (snSplineTube){RINGS, COLUMNS, m->numbers, {CONTROLS - 2, CONTROLS - 1}};
    m->def = (snSplineSkinDef){shape, CONTROLS, 1, &m->tube, fine, fine};
    snStatus status = snSplineSkin_Make(&m->skin, &m->def, &m->arena, NULL);
    if (status) return status;
    m->points = SN_NEW(&m->arena, snVec3, m->skin.vertexCount);
    m->normals = SN_NEW(&m->arena, snVec3, m->skin.vertexCount);
    if (!m->points || !m->normals) return SN_ERROR_MEMORY;
    snSplineSkin_Place(&m->skin, m->controls, m->points, m->normals);
    return SN_OK;
}

static const snSplineShape shapes[] = {
    {SN_SPLINE_B, 0, 0, 0},
    {SN_SPLINE_BETA, 0, 0, 1},
    {SN_SPLINE_BETA, 20, 0, 1},
    {SN_SPLINE_BETA, 2, 0, 1.5},
    {SN_SPLINE_KOCHANEK_BARTELS, 0, 0, 0},
    {SN_SPLINE_KOCHANEK_BARTELS, 0.4, 0, 0.2},
};
#define SHAPES ((int)(sizeof shapes / sizeof *shapes))

// Every edge has two triangles, in opposite ways.
static bool isClosed(const snSplineSkin *skin)
{
    int64_t sum = 0, mixed = 0;
    for (int t = 0; t < skin->triangleCount; t++)
        for (int k = 0; k < 3; k++) {
            int64_t a = skin->triangles[3 * t + k], b = skin->triangles[3 * t + (k + 1) % 3];
            int64_t key = (a < b ? a * 100003 + b : b * 100003 + a);
            sum += (a < b ? 1 : -1) * key;
            mixed += (a < b ? 1 : -1) * (key % 7919) * (key % 104729);
        }
    int edges = skin->triangleCount * 3 / 2;
    return sum == 0 && mixed == 0 && skin->vertexCount - edges + skin->triangleCount == 2;
}

static void skinIsClosed(void)
{
    snContext context = snDefaultContext();
    for (int s = 0; s < SHAPES; s++)
        for (int fine = 1; fine <= 5; fine += 2) {
            Made m;
            CHECK(make(&m, shapes[s], fine, &context) == SN_OK);
            CHECK(isClosed(&m.skin));
            snMesh mesh = {m.skin.vertexCount, m.skin.triangleCount, m.points, m.skin.triangles};
            CHECK(snMesh_Volume(&mesh) > 0);
            for (int v = 0; v < m.skin.vertexCount; v++) {
                double one = 0, along = 0, across = 0;
                for (int k = m.skin.start[v]; k < m.skin.start[v + 1]; k++) {
                    one += m.skin.value[k];
                    along += m.skin.along[k];
                    across += m.skin.across[k];
                }
                CHECK_NEAR(one, 1, 1e-14);
                CHECK_NEAR(along, 0, 1e-13);
                CHECK_NEAR(across, 0, 1e-13);
            }
            snArena_Destroy(&m.arena);
        }
}

// Away from poles: the same as one spline round each ring and one along, computed by numerics.
static void equalsSplinesOfSplines(void)
{
    snContext context = snDefaultContext();
    Made m;
    int fine = 3, across = COLUMNS * fine;
    double worst = 0;
    CHECK(make(&m, shapes[0], fine, &context) == SN_OK);
    for (int r = fine * 2; r <= fine * (RINGS - 1); r++)
        for (int k = 0; k < across; k++) {
            double ring[RINGS * 3], at[3];
            for (int i = 0; i < RINGS; i++) {
                snBSpline b = {COLUMNS, 3, &m.controls[i * COLUMNS].x, true};
                snBSpline_Sample(&b, (double)k / fine, SN_VALUE, ring + 3 * i);
            }
            snBSpline along = {RINGS, 3, ring, false};
            snBSpline_Sample(&along, (double)r / fine - 1, SN_VALUE, at);
            snVec3 p = m.points[1 + (r - 1) * across + k];
            worst = fmax(worst, snDistance(p, snVec(at[0], at[1], at[2])));
        }
    CHECK(worst < 1e-13);
    snArena_Destroy(&m.arena);
}

// Curves through their controls go through them.
static void interpolates(void)
{
    snContext context = snDefaultContext();
    Made m;
    int fine = 4;
    CHECK(make(&m, shapes[4], fine, &context) == SN_OK);
    for (int i = 0; i < RINGS; i++)
        for (int c = 0; c < COLUMNS; c++) {
            int v = 1 + ((i + 1) * fine - 1) * COLUMNS * fine + c * fine;
            CHECK(snDistance(m.points[v], m.controls[i * COLUMNS + c]) < 1e-13);
        }
    CHECK(snDistance(m.points[0], m.controls[CONTROLS - 2]) < 1e-13);
    CHECK(snDistance(m.points[m.skin.vertexCount - 1], m.controls[CONTROLS - 1]) < 1e-13);
    snArena_Destroy(&m.arena);
}

// Tension draws a beta-spline to its controls.
static void tensionTightens(void)
{
    snContext context = snDefaultContext();
    double last = 1e9;
    for (double tension = 0; tension <= 100; tension = 2 * tension + 3) {
        Made m;
        double far = 0;
        CHECK(make(&m, (snSplineShape){SN_SPLINE_BETA, tension, 0, 1}, 1, &context) == SN_OK);
        for (int i = 0; i < RINGS * COLUMNS; i++)
            far = fmax(far, snDistance(m.points[1 + i], m.controls[i]));
        CHECK(far < last);
        last = far;
        snArena_Destroy(&m.arena);
    }
    CHECK(last < 0.05);
}

// Normals from derivatives against those of a fine mesh, poles too.
static void normalsAreTrue(void)
{
    snContext context = snDefaultContext();
    for (int s = 0; s < SHAPES; s++) {
        Made m;
        CHECK(make(&m, shapes[s], 24, &context) == SN_OK);
        snMesh mesh = {m.skin.vertexCount, m.skin.triangleCount, m.points, m.skin.triangles};
        snVec3 *by = SN_NEW(&m.arena, snVec3, m.skin.vertexCount);
        snMesh_Normals(&mesh, by);
        double worst = 1, poles = 1;
        for (int v = 0; v < m.skin.vertexCount; v++) {
            bool pole = v == 0 || v == m.skin.vertexCount - 1;
            double same = snDot(by[v], m.normals[v]);
            if (pole)
                poles = fmin(poles, same);
            else
                worst = fmin(worst, same);
        }
        CHECK(worst > 0.98);
        CHECK(poles > 0.98);
        snArena_Destroy(&m.arena);
    }
}

static void badSkinsAreRefused(void)
{
    snContext context = snDefaultContext();
    Made m;
    CHECK(make(&m, (snSplineShape){SN_SPLINE_KOCHANEK_BARTELS, 2, 0, 0}, 2, &context) ==
          SN_ERROR_ARGUMENT);
    snArena_Destroy(&m.arena);
    CHECK(make(&m, (snSplineShape){SN_SPLINE_BETA, 0, 0, 0}, 2, &context) == SN_ERROR_ARGUMENT);
    snArena_Destroy(&m.arena);
    CHECK(make(&m, shapes[0], 0, &context) == SN_ERROR_ARGUMENT);
    snArena_Destroy(&m.arena);
}

static void memoryRunsOut(void)
{
    snStatus status = SN_ERROR_MEMORY;
    for (int n = 1; status && n < 100; n++) {
        snFailingMemory memory = {.failAtWay = n};
        snContext context = snDefaultContext();
        snTest_UseFailingMemory(&context, &memory);
        Made m;
        status = make(&m, shapes[0], 6, &context);
        CHECK(!status || status == SN_ERROR_MEMORY);
        snArena_Destroy(&m.arena);
        CHECK(memory.alive == 0);
    }
    CHECK(status == SN_OK);
}

int main(void)
{
    RUN(skinIsClosed);
    RUN(equalsSplinesOfSplines);
    RUN(interpolates);
    RUN(tensionTightens);
    RUN(normalsAreTrue);
    RUN(badSkinsAreRefused);
    RUN(memoryRunsOut);
    return snTest_Finish();
}
