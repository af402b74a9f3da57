#include "geometry/implicit.h"

#include "core/array.h"
#include "core/error.h"
#include "tests/geometry/shapes.h"

#include <math.h>

typedef struct EdgeUse {
    int from, to;
} EdgeUse;

// Every directed edge is there once, and so is its reverse; the triangles at a vertex form one
// ring. Returns the Euler characteristic.
static int checkManifold(const snMesh *mesh)
{
    int count = 3 * mesh->triangleCount, bad = 0;
    EdgeUse *edges = malloc(sizeof *edges * (size_t)(count + 1));
    int *degree = calloc((size_t)mesh->vertexCount + 1, sizeof *degree);
    for (int h = 0; h < count; h++) {
        int after = h % 3 == 2 ? h - 2 : h + 1;
        edges[h] = (EdgeUse){mesh->triangles[h], mesh->triangles[after]};
        bad += edges[h].from == edges[h].to;
        degree[edges[h].from]++;
    }
    qsort(edges, (size_t)count, sizeof *edges, snComparePairs);
    for (int h = 0; h < count; h++) {
        EdgeUse back = {edges[h].to, edges[h].from};
        if (h) bad += snComparePairs(&edges[h - 1], &edges[h]) == 0;
        bad += bsearch(&back, edges, (size_t)count, sizeof *edges, snComparePairs) == NULL;
    }
    CHECK(bad == 0);
    // One ring: following the triangles around a vertex meets all of them.
    int *nextOf = malloc(sizeof *nextOf * (size_t)(count + 1)), rings = 0;
    for (int h = 0; h < count; h++) { // edge (v, a) of triangle (v, a, b) is followed by (v, b)
        int base = h - h % 3, v = mesh->triangles[h], b = mesh->triangles[base + (h + 2) % 3];
        EdgeUse key = {v, mesh->triangles[base + (h + 1) % 3]}, then = {v, b};
        EdgeUse *from = bsearch(&key, edges, (size_t)count, sizeof *edges, snComparePairs);
        EdgeUse *to = bsearch(&then, edges, (size_t)count, sizeof *edges, snComparePairs);
        if (from && to) nextOf[from - edges] = (int)(to - edges);
    }
    for (int h = 0; bad == 0 && h < count; h += degree[edges[h].from]) {
        int n = 0, g = h;
        do {
            n++;
            g = nextOf[g];
        } while (g != h && n <= count);
        rings += n == degree[edges[h].from];
    }
    CHECK(rings == mesh->vertexCount);
    free(edges);
    free(degree);
    free(nextOf);
    return mesh->vertexCount - count / 2 + mesh->triangleCount;
}

// The 5 % smallest angles' limit, in degrees.
static double printAngles(const char *name, const snMesh *mesh, double cell, double taken)
{
    int count = 3 * mesh->triangleCount;
    double *angles = malloc(sizeof(double) * (size_t)count), edge = 0.0;
    for (int h = 0; h < count; h++) {
        int base = h - h % 3;
        snVec3 p = mesh->positions[mesh->triangles[h]];
        snVec3 u = snSub(mesh->positions[mesh->triangles[base + (h + 1) % 3]], p);
        snVec3 v = snSub(mesh->positions[mesh->triangles[base + (h + 2) % 3]], p);
        angles[h] = atan2(snLength(snCross(u, v)), snDot(u, v)) * 180.0 / SN_PI;
        edge += snLength(u) / count;
    }
    qsort(angles, (size_t)count, sizeof *angles, snCompareDoubles);
    double low = angles[count / 20];
    printf(
        "  %s: %d triangles in %.3f s, mean edge %.2f cells; angles: least %.1f, 0.1%% %.1f, 1%% "
        "%.1f, 5%% %.1f, most %.1f\n",
        name, mesh->triangleCount, taken, edge / cell, angles[0], angles[count / 1000],
        angles[count / 100], low, angles[count - 1]);
    free(angles);
    return low;
}

static snMesh polygonise(snArena *arena, const snField *field, snBox box, double cell, int relax)
{
    snError error = {0};
    snMesh mesh = {0};
    snPolygoniseDef def = {box, cell, relax};
    if (!CHECK(snPolygonise(&mesh, field, &def, arena, &error) == SN_OK))
        printf("%s\n", error.message);
    return mesh;
}

static double onSurface(const snMesh *mesh, const snField *field)
{
    double worst = 0.0;
    for (int v = 0; v < mesh->vertexCount; v++)
        worst = fmax(worst, fabs(field->value(field->user, mesh->positions[v])));
    return worst;
}

static const snBox unitBox = {{-1.3, -1.3, -1.3}, {1.3, 1.3, 1.3}};

static void sphereConverges(void)
{
    snContext context = snDefaultContext();
    snShape shape = snDefaultShape(SN_SHAPE_SPHERE);
    snBlend blend = {1, &shape, &(double){0}};
    snField field = snBlend_Field(&blend);
    double volumeError[3], areaError[3];
    for (int i = 0; i < 3; i++) {
        snArena arena = snMakeArena(&context);
        double start = seconds(), cell = 0.3 / (1 << i);
        snMesh mesh = polygonise(&arena, &field, unitBox, cell, 5);
        printAngles("sphere", &mesh, cell, seconds() - start);
        CHECK(checkManifold(&mesh) == 2);
        CHECK(onSurface(&mesh, &field) < 1e-8);
        volumeError[i] = 4.0 / 3.0 * SN_PI - snMesh_Volume(&mesh);
        areaError[i] = 4.0 * SN_PI - snMesh_Area(&mesh);
        snArena_Destroy(&arena);
    }
    for (int i = 1; i < 3; i++) {
        double v = log2(volumeError[i - 1] / volumeError[i]),
               a = log2(areaError[i - 1] / areaError[i]);
        printf("  order of volume %.2f, of area %.2f\n", v, a);
        CHECK(v > 1.7 && v < 2.3 && a > 1.7 && a < 2.3);
    }
    CHECK(volumeError[2] > 0.0 && volumeError[2] < 0.02);
}

static double torusValue(const void *user, snVec3 p)
{
    const double *r = user;
    double x = sqrt(p.x * p.x + p.y * p.y) - r[0];
    return sqrt(x * x + p.z * p.z) - r[1];
}

static void torusWithoutGradient(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    double r[2] = {0.8, 0.3};
    snField field = {torusValue, NULL, r, 0.0}, known = {torusValue, NULL, r, 1.0};
    double start = seconds();
    snMesh mesh = polygonise(&arena, &field, unitBox, 0.08, 5);
    printAngles("torus", &mesh, 0.08, seconds() - start);
    CHECK(checkManifold(&mesh) == 0);
    CHECK_NEAR(snMesh_Volume(&mesh), 2.0 * SN_PI * SN_PI * 0.8 * 0.09, 0.03);
    snMesh same = polygonise(&arena, &known, unitBox, 0.08, 5); // skipping changes nothing
    CHECK(same.vertexCount == mesh.vertexCount &&
          memcmp(same.positions, mesh.positions, sizeof(snVec3) * (size_t)mesh.vertexCount) == 0);
    snMesh raw = polygonise(&arena, &field, unitBox, 0.08, 0);
    CHECK(checkManifold(&raw) == 0);
    CHECK(onSurface(&raw, &field) < 1e-8);
    snArena_Destroy(&arena);
}

static void blendOfShapes(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snShape shapes[6] = {snDefaultShape(SN_SHAPE_SUPERELLIPSOID),
                         snDefaultShape(SN_SHAPE_CAPSULE),
                         snDefaultShape(SN_SHAPE_CAPSULE),
                         snDefaultShape(SN_SHAPE_SPHERE),
                         snDefaultShape(SN_SHAPE_BOX),
                         snDefaultShape(SN_SHAPE_CYLINDER)};
    double widths[6] = {0, 0.2, 0.2, 0.2, 0.15, 0.1};
    shapes[0].size = snVec(0.8, 0.4, 0.45);
    shapes[1].size = snVec(0.2, 0.4, 0.1);
    shapes[1].place.origin = snVec(0.5, -0.5, 0);
    shapes[2].size = snVec(0.15, 0.4, 0.15);
    shapes[2].place.origin = snVec(-0.5, -0.5, 0.1);
    shapes[3].size.x = 0.3;
    shapes[3].place.origin = snVec(0.9, 0.5, 0);
    shapes[4].size = snVec(0.2, 0.25, 0.3);
    shapes[4].round = 0.1;
    shapes[4].place.origin = snVec(-0.8, 0.3, 0);
    shapes[5].size = snVec(0.15, 0.3, 0);
    shapes[5].place.origin = snVec(0, 0.5, 0);
    snBlend blend = {6, shapes, widths};
    snField field = snBlend_Field(&blend);
    snBox box = snBlend_Bounds(&blend);
    double start = seconds();
    snMesh mesh = polygonise(&arena, &field, snBox_Grow(box, 0.02), 0.04, 6);
    CHECK(printAngles("blend", &mesh, 0.04, seconds() - start) > 25.0);
    CHECK(checkManifold(&mesh) == 2);
    CHECK(onSurface(&mesh, &field) < 1e-4);
    snBox found = snMesh_Bounds(&mesh);
    CHECK(snBox_Contains(box, found.lower) && snBox_Contains(box, found.upper));
    CHECK(snDistance(found.lower, box.lower) < 0.1 && snDistance(found.upper, box.upper) < 0.1);
    // The gradient points out of the triangles.
    int inward = 0;
    for (int t = 0; t < mesh.triangleCount; t++) {
        snTriangle triangle = triangleOf(&mesh, t);
        snVec3 middle = snScale(1.0 / 3.0, snAdd(snAdd(triangle.a, triangle.b), triangle.c));
        inward += snDot(snTriangle_AreaVector(triangle), snBlend_Gradient(&blend, middle)) <= 0.0;
    }
    CHECK(inward <= mesh.triangleCount / 500);
    snArena_Destroy(&arena);
}

// A rough field with many small pieces and saddles, inside at the box too.
static double roughValue(const void *user, snVec3 p)
{
    (void)user;
    return snSin(9.0 * p.x) * snCos(7.0 * p.y) + snSin(8.0 * p.y) * snCos(9.5 * p.z) +
           snSin(7.5 * p.z) * snCos(8.3 * p.x) - 0.2;
}

static double halfSpace(const void *user, snVec3 p)
{
    (void)user;
    return p.x + 0.2 * p.y;
}

static double everywhere(const void *user, snVec3 p)
{
    (void)user;
    return p.x > 1e9 ? 1.0 : -1.0;
}

static double nowhere(const void *user, snVec3 p)
{
    (void)user;
    return p.x > 1e9 ? -1.0 : NAN;
}

static void anyFieldIsClosed(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snField rough = {roughValue, NULL, NULL, 0.0}, half = {halfSpace, NULL, NULL, 0.0};
    snField all = {everywhere, NULL, NULL, 0.0}, none = {nowhere, NULL, NULL, 0.0};
    for (int relax = 0; relax <= 4; relax += 4) {
        for (int i = 0; i < 3; i++) {
            snMesh mesh = polygonise(&arena, &rough, unitBox, 0.3 - 0.09 * i, relax);
            checkManifold(&mesh);
            CHECK(snMesh_Volume(&mesh) > 0.0);
        }
        snMesh mesh = polygonise(&arena, &half, unitBox, 0.15, relax);
        CHECK(checkManifold(&mesh) == 2);
        CHECK_NEAR(snMesh_Volume(&mesh), 0.5 * 2.6 * 2.6 * 2.6, 0.35);
        mesh = polygonise(&arena, &all, unitBox, 0.15, relax);
        CHECK(checkManifold(&mesh) == 2);
        CHECK_NEAR(snMesh_Volume(&mesh), 2.6 * 2.6 * 2.6, 0.35);
        mesh = polygonise(&arena, &none, unitBox, 0.15, relax);
        CHECK(mesh.triangleCount == 0 && mesh.vertexCount == 0);
    }
    snArena_Destroy(&arena);
}

static void badDefinitions(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snField field = {halfSpace, NULL, NULL, 0.0};
    snPolygoniseDef bad[5] = {{unitBox, 0.0, 0},
                              {unitBox, NAN, 0},
                              {unitBox, 1e-9, 0},
                              {unitBox, 0.1, -1},
                              {{{0, 0, 0}, {0, 1, 1}}, 0.1, 0}};
    for (int i = 0; i < 5; i++) {
        snMesh mesh;
        snError error = {0};
        CHECK(snPolygonise(&mesh, &field, &bad[i], &arena, &error) == SN_ERROR_ARGUMENT);
        CHECK(error.message[0] && mesh.triangleCount == 0);
    }
    snArena_Destroy(&arena);
}

static void everyAllocationFails(void)
{
    snContext context = snDefaultContext();
    snShape shape = snDefaultShape(SN_SHAPE_SPHERE);
    snBlend blend = {1, &shape, &(double){0}};
    snField field = snBlend_Field(&blend);
    snPolygoniseDef def = {unitBox, 0.1, 1};
    snStatus status = SN_ERROR_MEMORY;
    int n = 1;
    for (; status && n < 200; n++) {
        snFailingMemory memory = {.failAtWay = n};
        snTest_UseFailingMemory(&context, &memory);
        snArena arena = snMakeArena(&context);
        snMesh mesh;
        status = snPolygonise(&mesh, &field, &def, &arena, NULL);
        CHECK(!status || status == SN_ERROR_MEMORY);
        snArena_Destroy(&arena);
        CHECK(memory.alive == 0);
    }
    CHECK(!status && n > 10);
}

int main(void)
{
    RUN(sphereConverges);
    RUN(torusWithoutGradient);
    RUN(blendOfShapes);
    RUN(anyFieldIsClosed);
    RUN(badDefinitions);
    RUN(everyAllocationFails);
    return snTest_Finish();
}
