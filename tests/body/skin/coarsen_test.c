// Meshes with a quarter of their points: manifolds of the same kind, evenly made; what was refined is as it was; values come back
// and sums stay.
#include "body/skin/mesh.h"
#include "core/elementary.h"
#include "core/random.h"
#include "tests/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Made {
    snArena arena;
    snSkinMesh mesh;
    snVec3 *places;
} Made;

// A sheet of u x v points, closed round in u, and in v where it is a torus; jittered, diagonals at random.
static Made makeRound(int u, int v, bool torus)
{
    snContext context = snDefaultContext();
    Made made = {.arena = snMakeArena(&context)};
    int bands = torus ? v : v - 1, *triangles = SN_NEW(&made.arena, int, 6 * u * bands);
    snRandom random = snMakeRandom(7);
    made.places = SN_NEW(&made.arena, snVec3, u * v);
    for (int j = 0; j < v; j++)
        for (int i = 0; i < u; i++) {
            double a = 2 * SN_PI * (i + 0.5 * snRandom_Uniform(&random, 0, 1)) / u;
            double b = (torus ? 2 * SN_PI : 1) * (j + 0.5 * snRandom_Uniform(&random, 0, 1)) / v;
            double ring = torus ? 1 + 0.3 * snCos(b) : 0.3;
            made.places[j * u + i] = torus
                                         ? snVec(ring * snCos(a), 0.3 * snSin(b), -ring * snSin(a))
                                         : snVec(ring * snCos(a), b, -ring * snSin(a));
        }
    for (int j = 0, t = 0; j < bands; j++)
        for (int i = 0; i < u; i++) {
            int a = j * u + i, b = j * u + (i + 1) % u, c = (j + 1) % v * u + (i + 1) % u,
                d = (j + 1) % v * u + i;
            bool other = snRandom_Uniform(&random, 0, 1) < 0.5;
            const int corners[6] = {a, b, other ? c : d, other ? a : b, c, d};
            for (int k = 0; k < 6; k++)
                triangles[t++] = corners[k];
        }
    snMesh surface = {u * v, 2 * u * bands, made.places, triangles};
    CHECK(snSkinMesh_FromTriangles(&made.mesh, &surface, &made.arena, NULL) == SN_OK);
    return made;
}

static int rimPoints(const snSkinMesh *mesh)
{
    int count = 0;
    for (int p = 0; p < mesh->pointCount; p++)
        count += mesh->rimNext[p] >= 0;
    return count;
}

static int eulerOf(const snSkinMesh *mesh)
{
    return mesh->pointCount - mesh->ringCount / 2 + mesh->faceCount;
}

static double worstAngle(const snSkinMesh *mesh, const snVec3 *places) // degrees
{
    double worst = 180;
    for (int t = 0; t < mesh->triangleCount; t++)
        for (int k = 0; k < 3; k++) {
            snVec3 at = places[mesh->triangles[3 * t + k]];
            snVec3 a = snSub(places[mesh->triangles[3 * t + (k + 1) % 3]], at);
            snVec3 b = snSub(places[mesh->triangles[3 * t + (k + 2) % 3]], at);
            double angle = acos(snDot(a, b) / (snLength(a) * snLength(b))) * 180 / SN_PI;
            worst = fmin(worst, angle);
        }
    return worst;
}

static void surfacesStayManifolds(void)
{
    for (int torus = 0; torus < 2; torus++) {
        Made made = makeRound(60, 40, torus);
        snSkinMesh mesh = made.mesh;
        snVec3 *places = made.places;
        double area =
            snMesh_Area(&(snMesh){mesh.pointCount, mesh.triangleCount, places, mesh.triangles});
        for (int round = 0; round < 2; round++) {
            snSkinCoarser coarser;
            CHECK(snSkinMesh_Coarsen(&coarser, &mesh, places, &made.arena, NULL) == SN_OK);
            const snSkinMesh *c = &coarser.mesh; // making it has checked that it is a manifold
            CHECK(!coarser.refined && eulerOf(c) == eulerOf(&made.mesh));
            CHECK(eulerOf(c) == 0 && (torus ? rimPoints(c) == 0 : rimPoints(c) >= 12));
            CHECK(c->pointCount <= mesh.pointCount * 0.3 && c->pointCount >= mesh.pointCount / 4);
            double now = snMesh_Area(
                &(snMesh){c->pointCount, c->triangleCount, coarser.places, c->triangles});
            CHECK(now < area && now > (round ? 0.88 : 0.96) * area);
            double angle = worstAngle(c, coarser.places);
            if (!CHECK(angle > 12)) printf("an angle of %g degrees\n", angle);
            for (int i = 0; i < c->pointCount; i++)
                CHECK(!i || coarser.kept[i] > coarser.kept[i - 1]);
            mesh = *c;
            places = coarser.places;
        }
        snArena_Destroy(&made.arena);
    }
}

static void refinedMeshesComeBack(void)
{
    Made made = makeRound(18, 12, true);
    snSkinMesh fine;
    snSkinBlend *blend;
    snSkinCoarser coarser;
    CHECK(snSkinMesh_Refine(&fine, &blend, &made.mesh, &made.arena, NULL) == SN_OK);
    snVec3 *places = SN_NEW(&made.arena, snVec3, fine.pointCount);
    for (int p = 0; p < fine.pointCount; p++) {
        places[p] = snVec(0, 0, 0);
        for (int k = 0; k < 4; k++)
            places[p] = snMulAdd(places[p], blend[p].weight[k], made.places[blend[p].parent[k]]);
        if (p >= made.mesh.pointCount) places[p] = snMulAdd(places[p], 0.02, places[p]); // moved
    }
    CHECK(snSkinMesh_Coarsen(&coarser, &fine, places, &made.arena, NULL) == SN_OK);
    CHECK(coarser.refined && coarser.mesh.pointCount == made.mesh.pointCount);
    CHECK(!memcmp(coarser.mesh.corner, made.mesh.corner,
                  4 * sizeof(int) * (size_t)made.mesh.faceCount));
    CHECK(!memcmp(coarser.places, made.places, sizeof(snVec3) * (size_t)made.mesh.pointCount));
    for (int p = 0; p < fine.pointCount; p++) // either way round
        for (int k = 0; k < 2; k++) {
            bool same = coarser.blend[p].parent[0] == blend[p].parent[k ? k : 0];
            CHECK(coarser.blend[p].weight[k] == blend[p].weight[k]);
            CHECK(same || coarser.blend[p].parent[1] == blend[p].parent[k]);
        }
    snArena_Destroy(&made.arena);
}

// Means of values come back as these; other values keep their sum, and do not go far beyond them.
static void valuesFit(void)
{
    Made made = makeRound(40, 30, true);
    snSkinCoarser coarser;
    snRandom random = snMakeRandom(3);
    CHECK(snSkinMesh_Coarsen(&coarser, &made.mesh, made.places, &made.arena, NULL) == SN_OK);
    int fine = made.mesh.pointCount, coarse = coarser.mesh.pointCount;
    double *values = SN_NEW(&made.arena, double, fine), *wanted = SN_NEW(&made.arena, double, fine);
    double *fitted = SN_NEW(&made.arena, double, coarse);
    snSkinFit fit = {fine, coarse, coarser.blend, made.mesh.area};
    for (int i = 0; i < coarse; i++)
        wanted[i] = 1 + snRandom_Uniform(&random, 0, 1);
    for (int j = 0; j < fine; j++)
        for (int k = 0; k < 4; k++)
            values[j] += coarser.blend[j].weight[k] * wanted[coarser.blend[j].parent[k]];
    CHECK(snSkinFit_Solve(&fit, values, fitted, &made.arena, NULL) == SN_OK);
    for (int i = 0; i < coarse; i++)
        CHECK_NEAR(fitted[i], wanted[i], 1e-11);
    double before = 0, after = 0;
    for (int j = 0; j < fine; j++) { // smooth, so that nothing has to be cut off
        values[j] = 2 + made.places[j].x;
        before += made.mesh.area[j] * values[j];
    }
    CHECK(snSkinFit_Solve(&fit, values, fitted, &made.arena, NULL) == SN_OK);
    for (int j = 0; j < fine; j++)
        for (int k = 0; k < 4; k++)
            after +=
                made.mesh.area[j] * coarser.blend[j].weight[k] * fitted[coarser.blend[j].parent[k]];
    CHECK_NEAR(after / before, 1, 1e-12);
    for (int i = 0; i < coarse; i++)
        CHECK(fitted[i] > 0.6 && fitted[i] < 3.4);
    for (int j = 0; j < fine; j++)
        values[j] = 0.1;
    CHECK(snSkinFit_Solve(&fit, values, fitted, &made.arena, NULL) == SN_OK);
    for (int i = 0; i < coarse; i++)
        CHECK(fitted[i] == 0.1);
    snArena_Destroy(&made.arena);
}

static void smallMeshesSayNo(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    static const snVec3 places[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    static const int triangles[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
    snMesh surface = {4, 4, places, triangles};
    snSkinMesh mesh;
    snSkinCoarser coarser;
    snError error = {0};
    CHECK(snSkinMesh_FromTriangles(&mesh, &surface, &arena, NULL) == SN_OK);
    CHECK(snSkinMesh_Coarsen(&coarser, &mesh, places, &arena, &error) == SN_ERROR_GEOMETRY);
    CHECK(error.message[0]);
    snSkinMesh grid;
    CHECK(snSkinMesh_Grid(&grid, 8, 5, &arena, NULL) == SN_OK);
    CHECK(snSkinMesh_Coarsen(&coarser, &grid, places, &arena, &error) == SN_ERROR_ARGUMENT);
    snArena_Destroy(&arena);
}

int main(void)
{
    RUN(surfacesStayManifolds);
    RUN(refinedMeshesComeBack);
    RUN(valuesFit);
    RUN(smallMeshesSayNo);
    return snTest_Finish();
}
