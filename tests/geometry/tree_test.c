#include "geometry/tree.h"

#include "core/error.h"
#include "tests/geometry/shapes.h"

static const snBox unit = {{-1, -1, -1}, {1, 1, 1}};

// Random small triangles, some of them without area, some there two times.
static snMesh makeSoup(snArena *arena, int count, double size, snRandom *random)
{
    snVec3 *p = SN_NEW(arena, snVec3, 3 * count);
    int *t = SN_NEW(arena, int, 3 * count);
    for (int i = 0; i < count; i++) {
        snVec3 at = randomIn(random, unit);
        for (int k = 0; k < 3; k++) {
            p[3 * i + k] = snMulAdd(at, size, randomIn(random, unit));
            t[3 * i + k] = 3 * i + k;
        }
        if (i % 11 == 0) p[3 * i + 2] = p[3 * i + 1];                     // a segment
        if (i % 13 == 0) p[3 * i + 1] = p[3 * i + 2] = p[3 * i];          // a point
        if (i % 17 == 1) memcpy(p + 3 * i, p + 3 * i - 3, 3 * sizeof *p); // a copy
    }
    return (snMesh){3 * count, count, p, t};
}

static snMeshTree buildTree(snArena *arena, const snMesh *mesh)
{
    snMeshTree tree;
    snError error = {0};
    if (!CHECK(snMeshTree_Build(&tree, mesh, arena, &error) == SN_OK))
        printf("%s\n", error.message);
    return tree;
}

typedef struct Visits {
    unsigned char *seen;
    int count, limit;
} Visits;

static bool visit(int item, void *context)
{
    Visits *visits = context;
    visits->seen[item]++;
    return ++visits->count < visits->limit;
}

static void overlapAgreesWithBruteForce(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snRandom random = snMakeRandom(1);
    int n = 2000;
    snBox *boxes = SN_NEW(&arena, snBox, n);
    unsigned char *seen = SN_NEW(&arena, unsigned char, n);
    for (int i = 0; i < n; i++) {
        snVec3 p = randomIn(&random, unit);
        boxes[i] = snBoxAdd((snBox){p, p}, snMulAdd(p, 0.1, randomIn(&random, unit)));
    }
    snTree tree;
    CHECK(snTree_Build(&tree, n, boxes, &arena, NULL) == SN_OK);
    int wrong = 0;
    for (int round = 0; round < 200; round++) {
        if (round == 100) { // all items move: the same tree with new boxes
            for (int i = 0; i < n; i++)
                boxes[i] = snBoxAdd(snBox_Grow(boxes[i], 0.01), snScale(0.5, boxes[i].upper));
            snTree_Refit(&tree, boxes);
        }
        snVec3 p = randomIn(&random, unit);
        snBox box = snBoxAdd((snBox){p, p}, snMulAdd(p, 0.3, randomIn(&random, unit)));
        memset(seen, 0, (size_t)n);
        snTree_Overlap(&tree, box, visit, &(Visits){seen, 0, n + 1});
        for (int i = 0; i < n; i++)
            wrong += seen[i] != snBoxOverlap(boxes[i], box);
    }
    CHECK(wrong == 0);
    Visits few = {seen, 0, 3};
    snTree_Overlap(&tree, unit, visit, &few);
    CHECK(few.count == 3); // stopped
    snArena_Destroy(&arena);
}

static void closestAgreesWithBruteForce(void)
{
    snContext context = snDefaultContext();
    snRandom random = snMakeRandom(2);
    for (int round = 0; round < 4; round++) {
        snArena arena = snMakeArena(&context);
        snMesh soup = makeSoup(&arena, round ? 500 : 1, round == 3 ? 1.0 : 0.1, &random);
        snMeshTree tree = buildTree(&arena, &soup);
        int wrong = 0;
        for (int i = 0; i < 300; i++) {
            snVec3 q = snScale(i % 2 ? 1.0 : 4.0, randomIn(&random, unit));
            if (i % 5 == 0) q = soup.positions[snRandom_Below(&random, soup.vertexCount)];
            double best = INFINITY;
            int lowest = -1;
            for (int t = 0; t < soup.triangleCount; t++) {
                double d = snDistance(q, snClosestOnTriangle(q, triangleOf(&soup, t), NULL));
                if (d < best) {
                    best = d;
                    lowest = t;
                }
            }
            snSurfacePoint found = snMeshTree_Closest(&tree, q, INFINITY);
            wrong += found.triangle != lowest || fabs(found.distance - best) > 1e-14;
            wrong += fabs(snDistance(found.point, q) - found.distance) > 1e-14;
            found = snMeshTree_Closest(&tree, q, 0.99 * best);
            wrong += best > 0.0 && found.triangle != -1;
            found = snMeshTree_Closest(&tree, q, 1.01 * best);
            wrong += found.triangle != lowest;
        }
        CHECK(wrong == 0);
        snArena_Destroy(&arena);
    }
}

// An independent ray test: solve for the plane point, then look at the barycentric coordinates.
static bool plainHit(snTriangle t, snVec3 o, snVec3 d, double *at)
{
    snVec3 u = snSub(t.b, t.a), v = snSub(t.c, t.a), n = snCross(u, v);
    if (fabs(snDot(n, d)) < 1e-12) return false;
    *at = snDot(n, snSub(t.a, o)) / snDot(n, d);
    snVec3 p = snSub(snMulAdd(o, *at, d), t.a);
    double b = snDot(n, snCross(p, v)) / snDot(n, n), c = snDot(n, snCross(u, p)) / snDot(n, n);
    return *at >= 0.0 && b >= 0.0 && c >= 0.0 && b + c <= 1.0;
}

static void raysAgreeWithBruteForce(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snRandom random = snMakeRandom(3);
    snMesh soup = makeSoup(&arena, 500, 0.3, &random);
    snMeshTree tree = buildTree(&arena, &soup);
    int wrong = 0, hits = 0;
    for (int i = 0; i < 500; i++) {
        snVec3 o = snScale(2.0, randomIn(&random, unit)), d = randomIn(&random, unit);
        if (i % 10 == 0) d = snVec(0, i % 20 ? 1 : -3, 0);
        double best = INFINITY, at;
        for (int t = 0; t < soup.triangleCount; t++)
            if (plainHit(triangleOf(&soup, t), o, d, &at) && at < best) best = at;
        snSurfacePoint found = snMeshTree_Ray(&tree, o, d, INFINITY);
        bool hit = best < INFINITY;
        wrong += hit != (found.triangle >= 0);
        if (!hit) continue;
        hits++;
        wrong += fabs(found.distance - best) > 1e-9 * (1.0 + best);
        wrong += snDistance(found.point, snMulAdd(o, found.distance, d)) > 1e-9 * (1.0 + best);
        wrong += snMeshTree_Ray(&tree, o, d, 0.999 * best).triangle >= 0;
        wrong += snMeshTree_Ray(&tree, o, d, 1.001 * best).triangle < 0;
    }
    CHECK(wrong == 0 && hits > 50);
    CHECK(snMeshTree_Ray(&tree, snVec(0, 0, 0), snVec(0, 0, 0), 1.0).triangle == -1);
    CHECK(snMeshTree_Ray(&tree, snVec(0, 0, 0), snVec(NAN, 0, 0), 1.0).triangle == -1);
    snArena_Destroy(&arena);
}

// From inside a closed surface no ray gets out, above all not through its vertices and edges.
static void nothingSlipsThrough(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snRandom random = snMakeRandom(5);
    snMesh meshes[2] = {makeSphere(&arena, 24, snVec(0, 0, 0), 1.0), makeBox(&arena, unit)};
    for (int m = 0; m < 2; m++) {
        snWeld weld;
        CHECK(snMesh_Weld(&weld, &meshes[m], 0.0, &arena, NULL) == SN_OK);
        snMeshTree tree = buildTree(&arena, &weld.mesh);
        int lost = 0;
        for (int i = 0; i < 3000; i++) {
            snVec3 o = i % 3 ? snScale(0.3, randomIn(&random, unit)) : snVec(0, 0, 0);
            int h = snRandom_Below(&random, 3 * weld.mesh.triangleCount);
            snVec3 a = weld.mesh.positions[weld.mesh.triangles[h]];
            snVec3 b = weld.mesh.positions[weld.mesh.triangles[h - h % 3 + (h + 1) % 3]];
            double s = i % 2 ? 0.0 : snRandom_Uniform(&random, 0.0, 1.0);
            lost += snMeshTree_Ray(&tree, o, snSub(snLerp(a, b, s), o), INFINITY).triangle < 0;
        }
        CHECK(lost == 0);
    }
    snArena_Destroy(&arena);
}

static void sizesAndSpeed(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snMesh torus = makeTorus(&arena, 316, 1.0, 0.4);
    double start = seconds();
    snMeshTree tree = buildTree(&arena, &torus);
    double built = seconds();
    snRandom random = snMakeRandom(6);
    double sum = 0.0;
    for (int i = 0; i < 5000; i++)
        sum += snMeshTree_Closest(&tree, randomIn(&random, unit), INFINITY).distance;
    double closest = seconds();
    for (int i = 0; i < 5000; i++)
        sum += snMeshTree_Ray(&tree, randomIn(&random, unit), snVec(1, 0.2, 0.1), 9.0).distance;
    printf("  %d triangles: tree in %.3f s, closest point %.2f us, ray %.2f us (%d nodes)\n",
           torus.triangleCount, built - start, 200.0 * (closest - built),
           200.0 * (seconds() - closest), tree.tree.nodeCount);
    CHECK(sum > 0.0);
    // A third of a million equal boxes and a chain of ever smaller ones: depth stays bounded.
    int n = 300000;
    snBox *boxes = SN_NEW(&arena, snBox, n);
    snTree plain;
    for (int i = 0; i < n; i++)
        boxes[i] = unit;
    CHECK(snTree_Build(&plain, n, boxes, &arena, NULL) == SN_OK && plain.nodeCount > n / 4);
    double size = 1e50;
    for (int i = 0; i < 2000; i++, size *= 0.9)
        boxes[i] = (snBox){{size, size, size}, {1.01 * size, size, size}};
    CHECK(snTree_Build(&plain, 2000, boxes, &arena, NULL) == SN_OK);
    Visits visits = {SN_NEW(&arena, unsigned char, 2000), 0, 3000};
    snTree_Overlap(&plain, (snBox){{-1e60, -1e60, -1e60}, {1e60, 1e60, 1e60}}, visit, &visits);
    CHECK(visits.count == 2000);
    snArena_Destroy(&arena);
}

static void badInput(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snError error = {0};
    snMesh empty = {0};
    snMeshTree tree = buildTree(&arena, &empty);
    CHECK(snMeshTree_Closest(&tree, snVec(0, 0, 0), 1.0).triangle == -1);
    CHECK(snMeshTree_Ray(&tree, snVec(0, 0, 0), snVec(1, 0, 0), 1.0).triangle == -1);
    snVec3 p[3] = {{0, 0, 0}, {1, 0, 0}, {0, INFINITY, 0}};
    int t[3] = {0, 1, 2};
    snMesh one = {3, 1, p, t};
    CHECK(snMeshTree_Build(&tree, &one, &arena, &error) == SN_ERROR_GEOMETRY);
    CHECK(strstr(error.message, "vertex 2"));
    p[2].y = 1.0;
    t[1] = -1;
    CHECK(snMeshTree_Build(&tree, &one, &arena, &error) == SN_ERROR_GEOMETRY);
    snBox bad[2] = {unit, {{NAN, 0, 0}, {1, 1, 1}}};
    snTree plain;
    CHECK(snTree_Build(&plain, 2, bad, &arena, &error) == SN_ERROR_GEOMETRY);
    CHECK(strstr(error.message, "box 1"));
    t[1] = 1;
    tree = buildTree(&arena, &one);
    CHECK(snMeshTree_Closest(&tree, snVec(NAN, 0, 0), 1.0).triangle == -1);
    CHECK(snMeshTree_Closest(&tree, snVec(0, 0, 0), -1.0).triangle == -1);
    CHECK(snMeshTree_Closest(&tree, snVec(0, 0, 0), 0.0).triangle == 0);
    snArena_Destroy(&arena);
}

int main(void)
{
    RUN(overlapAgreesWithBruteForce);
    RUN(closestAgreesWithBruteForce);
    RUN(raysAgreeWithBruteForce);
    RUN(nothingSlipsThrough);
    RUN(sizesAndSpeed);
    RUN(badInput);
    return snTest_Finish();
}
