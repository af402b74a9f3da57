#include "geometry/winding.h"

#include "core/error.h"
#include "tests/failing_memory.h"
#include "tests/geometry/shapes.h"

static snWinding *makeWinding(snArena *arena, const snMesh *mesh)
{
    snError error = {0};
    snWinding *winding = NULL;
    snMeshTree *tree = SN_NEW(arena, snMeshTree, 1);
    if (!CHECK(snMeshTree_Build(tree, mesh, arena, &error) == SN_OK) ||
        !CHECK(snWinding_Make(&winding, tree, arena, &error) == SN_OK))
        printf("%s\n", error.message);
    return winding;
}

// The share of random points at which the answer differs from the truth; `skin` is left out.
typedef double Truth(snVec3 point); // < 0 inside, a distance

static double wrongShare(const snWinding *winding, snBox box, Truth *truth, double skin)
{
    snRandom random = snMakeRandom(7);
    int wrong = 0, count = 0;
    for (int i = 0; i < 1500; i++) {
        snVec3 p = randomIn(&random, box);
        double d = truth(p);
        if (fabs(d) < skin) continue;
        count++;
        wrong += snWinding_Inside(winding, p) != (d < 0.0);
    }
    return (double)wrong / count;
}

static const snBox around = {{-1.5, -1.5, -1.5}, {1.5, 1.5, 1.5}};

static double unitSphere(snVec3 p)
{
    return snLength(p) - 1.0;
}

static double smallSphereAt(snVec3 p, double x)
{
    return snDistance(p, snVec(x, 0, 0)) - 0.5;
}

static double twoSpheres(snVec3 p)
{
    return fmin(smallSphereAt(p, -0.8), smallSphereAt(p, 0.8));
}

static double overlappingSpheres(snVec3 p)
{
    return fmin(smallSphereAt(p, -0.2), smallSphereAt(p, 0.2));
}

static double hollowSphere(snVec3 p)
{
    return fmax(snLength(p) - 1.0, 0.5 - snLength(p));
}

static double nothing(snVec3 p)
{
    (void)p;
    return 1.0;
}

static void closedSurfaces(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snMesh sphere = makeSphere(&arena, 48, snVec(0, 0, 0), 1.0);
    snWinding *winding = makeWinding(&arena, &sphere);
    CHECK_NEAR(snWinding_Exact(winding, snVec(0.1, 0.2, 0.3)), 1.0, 1e-12);
    CHECK_NEAR(snWinding_Exact(winding, snVec(0.9, 0.9, 0.3)), 0.0, 1e-12);
    CHECK(wrongShare(winding, around, unitSphere, 0.01) == 0.0);
    snMesh flipped = flipMesh(&arena, &sphere);
    winding = makeWinding(&arena, &flipped);
    CHECK_NEAR(snWinding_Exact(winding, snVec(0, 0, 0)), 1.0, 1e-12); // turned outward
    CHECK(wrongShare(winding, around, unitSphere, 0.01) == 0.0);
    snArena_Destroy(&arena);
}

static void everyThirdTriangleTurnedOver(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snMesh sphere = makeSphere(&arena, 48, snVec(0, 0, 0), 1.0);
    snMesh flipped = flipMesh(&arena, &sphere);
    int *t = SN_COPY(&arena, int, sphere.triangles, 3 * sphere.triangleCount);
    for (int i = 0; i < sphere.triangleCount; i += 3)
        memcpy(t + 3 * i, flipped.triangles + 3 * i, 3 * sizeof *t);
    sphere.triangles = t;
    CHECK(wrongShare(makeWinding(&arena, &sphere), around, unitSphere, 0.01) == 0.0);
    snArena_Destroy(&arena);
}

static void shellsSideBySideAndOverlapping(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    double apart[2] = {0.8, 0.2};
    Truth *truths[2] = {twoSpheres, overlappingSpheres};
    for (int k = 0; k < 2; k++) {
        snMesh a = makeSphere(&arena, 32, snVec(-apart[k], 0, 0), 0.5);
        snMesh b = makeSphere(&arena, 32, snVec(apart[k], 0, 0), 0.5);
        snMesh c = flipMesh(&arena, &b);
        snMesh both = joinMeshes(&arena, &a, &b), mixed = joinMeshes(&arena, &a, &c);
        CHECK(wrongShare(makeWinding(&arena, &both), around, truths[k], 0.01) == 0.0);
        CHECK(wrongShare(makeWinding(&arena, &mixed), around, truths[k], 0.01) == 0.0);
        if (k) CHECK_NEAR(snWinding_Exact(makeWinding(&arena, &mixed), snVec(0, 0, 0)), 2.0, 1e-9);
    }
    snArena_Destroy(&arena);
}

static void shellInShell(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snMesh outer = makeSphere(&arena, 48, snVec(0, 0, 0), 1.0);
    snMesh inner = makeSphere(&arena, 32, snVec(0, 0, 0), 0.5);
    snMesh core = makeSphere(&arena, 16, snVec(0, 0, 0), 0.1);
    snMesh hole = flipMesh(&arena, &inner);
    snMesh hollow = joinMeshes(&arena, &outer, &hole), solid = joinMeshes(&arena, &outer, &inner);
    snMesh hollowOut = flipMesh(&arena, &hollow), solidOut = flipMesh(&arena, &solid);
    CHECK(wrongShare(makeWinding(&arena, &hollow), around, hollowSphere, 0.01) == 0.0);
    CHECK(wrongShare(makeWinding(&arena, &hollowOut), around, hollowSphere, 0.01) == 0.0);
    CHECK(wrongShare(makeWinding(&arena, &solid), around, unitSphere, 0.01) == 0.0);
    CHECK(wrongShare(makeWinding(&arena, &solidOut), around, unitSphere, 0.01) == 0.0);
    snMesh doll = joinMeshes(&arena, &core, &hollowOut);
    snMesh turnedCore = flipMesh(&arena, &core),
           right = joinMeshes(&arena, &turnedCore, &hollowOut);
    CHECK(snWinding_Inside(makeWinding(&arena, &right), snVec(0, 0, 0.01)));
    CHECK_NEAR(snWinding_Exact(makeWinding(&arena, &doll), snVec(0, 0, 0.01)), -1.0, 1e-9);
    snArena_Destroy(&arena);
}

// A sphere with a hole of 40 degrees half-angle at the south pole, and the same as a soup.
static void openSurfaces(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snMesh sphere = makeSphere(&arena, 36, snVec(0, 0, 0), 1.0), open = sphere;
    open.triangles += 3 * 2 * 72 * 8;
    open.triangleCount -= 2 * 72 * 8;
    snBox upper = {{-1.5, -1.5, -0.2}, {1.5, 1.5, 1.5}};
    snMesh flipped = flipMesh(&arena, &open);
    CHECK(wrongShare(makeWinding(&arena, &open), upper, unitSphere, 0.01) < 0.002);
    CHECK(wrongShare(makeWinding(&arena, &flipped), upper, unitSphere, 0.01) < 0.002);
    CHECK(wrongShare(makeWinding(&arena, &open), around, unitSphere, 0.01) < 0.05);

    snRandom random = snMakeRandom(3);
    snVec3 *p = SN_NEW(&arena, snVec3, 3 * sphere.triangleCount);
    int *t = SN_NEW(&arena, int, 3 * sphere.triangleCount);
    for (int i = 0; i < 3 * sphere.triangleCount; i++) { // shaken, so that nothing is welded
        p[i] = snMulAdd(sphere.positions[sphere.triangles[i]], 1e-3, snRandom_UnitVector(&random));
        t[i] = i;
    }
    snMesh soup = {3 * sphere.triangleCount, sphere.triangleCount, p, t};
    snMesh soupOut = flipMesh(&arena, &soup);
    CHECK(wrongShare(makeWinding(&arena, &soup), around, unitSphere, 0.02) < 0.002);
    CHECK(wrongShare(makeWinding(&arena, &soupOut), around, unitSphere, 0.02) < 0.002);
    snMesh twice = joinMeshes(&arena, &sphere, &sphere); // every triangle is there two times
    CHECK(wrongShare(makeWinding(&arena, &twice), around, unitSphere, 0.01) == 0.0);
    snArena_Destroy(&arena);
}

static snVec3 cardPoint(double u, double v, const void *user)
{
    const double *place = user; // angle around the head, bend
    double bend = place[1] * (u - 0.5), s = place[1] > 0.0 ? snSin(bend) / place[1] : u - 0.5;
    snVec3 p = snVec(1.2 + 0.3 * snCos(bend), 0.5 * s, 0.8 * (v - 0.5));
    double c = snCos(place[0]), d = snSin(place[0]);
    return snVec(c * p.x - d * p.y, d * p.x + c * p.y, p.z);
}

static void hairCardsMakeNoInside(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snMesh head = makeSphere(&arena, 48, snVec(0, 0, 0), 1.0);
    for (int bend = 0; bend < 3; bend++) {
        snMesh cards = {0}, withHead = head;
        for (int i = 0; i < 7; i++) {
            double place[2] = {0.5 * i, 0.9 * bend};
            snMesh card = makeSheet(&arena, 4, 6, false, false, cardPoint, place);
            snMesh back = flipMesh(&arena, &card);
            cards = joinMeshes(&arena, &cards, &card);
            if (i % 2) cards = joinMeshes(&arena, &cards, &back); // modelled from both sides
        }
        withHead = joinMeshes(&arena, &head, &cards);
        CHECK(wrongShare(makeWinding(&arena, &cards), around, nothing, 0.0) == 0.0);
        CHECK(wrongShare(makeWinding(&arena, &withHead), around, unitSphere, 0.01) == 0.0);
    }
    snArena_Destroy(&arena);
}

static void fastIsNearExact(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snMesh spot = readObj(&arena, "spot.obj");
    snMesh shapes[4] = {makeSphere(&arena, 60, snVec(0.3, 0, 0), 1.0),
                        makeTorus(&arena, 80, 1.0, 0.3), makeBox(&arena, around), spot};
    shapes[0].triangleCount = shapes[0].triangleCount * 2 / 3; // open
    for (int k = 0; k < 4; k++) {
        if (shapes[k].triangleCount == 0) continue;
        snWinding *winding = makeWinding(&arena, &shapes[k]);
        snBox box = snBox_Grow(snMesh_Bounds(&shapes[k]), 0.3);
        snRandom random = snMakeRandom(11);
        double worst = 0.0, sum = 0.0;
        int count = 700;
        for (int i = 0; i < count; i++) {
            snVec3 p = randomIn(&random, box);
            double e = fabs(snWinding_Number(winding, p) - snWinding_Exact(winding, p));
            worst = fmax(worst, e);
            sum += e;
        }
        printf("  shape %d, %d triangles: largest error %.2g, mean %.2g\n", k,
               shapes[k].triangleCount, worst, sum / count);
        CHECK(worst < 1e-2);
    }
    snArena_Destroy(&arena);
}

// As it is, not put in order; and where it is turned inside out at one place, so that what is nearest faces the wrong way.
static void meshesAsTheyAre(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snMesh sphere = makeSphere(&arena, 48, snVec(0, 0, 0), 1.0);
    snMesh flipped = flipMesh(&arena, &sphere);
    CHECK_NEAR(snMesh_Winding(&sphere, snVec(0.1, 0.2, 0.3)), 1.0, 1e-12);
    CHECK_NEAR(snMesh_Winding(&flipped, snVec(0.1, 0.2, 0.3)), -1.0, 1e-12);
    CHECK_NEAR(snMesh_Winding(&sphere, snVec(0.9, 0.9, 0.3)), 0.0, 1e-12);
    // The cap above y = 0.5 is pushed down through the bottom and out of it.
    snVec3 *places = SN_COPY(&arena, snVec3, sphere.positions, sphere.vertexCount);
    for (int v = 0; v < sphere.vertexCount; v++)
        if (places[v].y > 0.5) places[v].y = -1.0 - places[v].y;
    sphere.positions = places;
    CHECK_NEAR(snMesh_Winding(&sphere, snVec(0, 0, 0)), 0.0, 1e-12); // in the tube of the cap
    CHECK_NEAR(snMesh_Winding(&sphere, snVec(0, -1.8, 0)), -1.0, 1e-12);
    CHECK_NEAR(snMesh_Winding(&sphere, snVec(0.93, 0, 0)), 1.0, 1e-12);
    snArena_Destroy(&arena);
}

static void speed(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snMesh mesh = makeTorus(&arena, 316, 1.0, 0.4);
    double start = seconds();
    snWinding *winding = makeWinding(&arena, &mesh);
    double built = seconds();
    int count = 8000;
    snVec3 *points = SN_NEW(&arena, snVec3, count);
    unsigned char *inside = SN_NEW(&arena, unsigned char, count);
    snRandom random = snMakeRandom(5);
    for (int i = 0; i < count; i++)
        points[i] = randomIn(&random, snMesh_Bounds(&mesh));
    double begin = seconds();
    snWinding_InsideMany(winding, &context.tasks, count, points, inside);
    double taken = seconds() - begin;
    printf("  %d triangles: built in %.3f s; a million queries take %.2f s on one core\n",
           mesh.triangleCount, built - start, taken * 1e6 / count);
    int same = 0;
    for (int i = 0; i < count; i++)
        same += inside[i] == snWinding_Inside(winding, points[i]);
    CHECK(same == count);
    snArena_Destroy(&arena);
}

// Runs of points get the answers of single ones: closed, hollow and overlapping surfaces, and an open
// one, through whose hole the number falls off where no surface is near. One point is not a number.
static void runsAreLikeSinglePoints(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snMesh sphere = makeSphere(&arena, 36, snVec(0, 0, 0), 1.0), open = sphere;
    snMesh inner = makeSphere(&arena, 24, snVec(0, 0, 0), 0.5), hole = flipMesh(&arena, &inner);
    snMesh beside = makeSphere(&arena, 24, snVec(0.8, 0, 0), 0.5);
    open.triangles += 3 * 2 * 72 * 8;
    open.triangleCount -= 2 * 72 * 8;
    snMesh meshes[4] = {sphere, joinMeshes(&arena, &sphere, &hole),
                        joinMeshes(&arena, &sphere, &beside), open};
    enum { SIDE = 32, COUNT = SIDE * SIDE * SIDE };
    snVec3 *points = SN_NEW(&arena, snVec3, COUNT);
    unsigned char *inside = SN_NEW(&arena, unsigned char, COUNT);
    for (int k = 0; k < COUNT; k++) { // in cubes of 4 x 4 x 4
        int cube = k / 64, within = k % 64, n = SIDE / 4;
        int x = cube % n * 4 + within % 4, y = cube / n % n * 4 + within / 4 % 4,
            z = cube / n / n * 4 + within / 16;
        points[k] = snVec(3.0 * x / SIDE - 1.5, 3.0 * y / SIDE - 1.5, 3.0 * z / SIDE - 1.5);
    }
    points[7].x = NAN;
    for (int m = 0; m < 4; m++) {
        snMeshTree tree;
        snWinding *winding;
        int wrong = 0, count = 0;
        CHECK(snMeshTree_Build(&tree, &meshes[m], &arena, NULL) == SN_OK);
        CHECK(snWinding_Make(&winding, &tree, &arena, NULL) == SN_OK);
        snWinding_InsideRuns(winding, &tree, &context.tasks, COUNT, points, inside);
        for (int k = 0; k < COUNT; k++) {
            wrong += inside[k] != snWinding_Inside(winding, points[k]);
            count += inside[k];
        }
        CHECK(wrong == 0);
        CHECK(count > COUNT / 10);
    }
    snArena_Destroy(&arena);
}

static void edges(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snMesh empty = {0};
    snWinding *winding = makeWinding(&arena, &empty);
    CHECK(!snWinding_Inside(winding, snVec(0, 0, 0)));
    CHECK(snWinding_Number(winding, snVec(0, 0, 0)) == 0.0);
    snVec3 p[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    int t[9] = {0, 1, 2, 0, 0, 1, 2, 2, 2};
    snMesh one = {3, 3, p, t};
    winding = makeWinding(&arena, &one);
    CHECK(!snWinding_Inside(winding, snVec(0.2, 0.2, 0.0)));
    snMesh sphere = makeSphere(&arena, 16, snVec(1e6, 0, 0), 1e-3);
    CHECK(snWinding_Inside(makeWinding(&arena, &sphere), snVec(1e6, 0, 0)));
    CHECK(!snWinding_Inside(makeWinding(&arena, &sphere), snVec(NAN, 0, 0)));
    snMesh huge = makeSphere(&arena, 16, snVec(0, 0, 0), 1e50);
    CHECK(snWinding_Inside(makeWinding(&arena, &huge), snVec(1e49, 0, 0)));
    snArena_Destroy(&arena);
}

static snStatus makeTreeAndWinding(const void *mesh, snArena *arena, const snContext *context)
{
    snMeshTree tree;
    snWinding *winding;
    snError error = {0};
    (void)context;
    snStatus status = snMeshTree_Build(&tree, mesh, arena, &error);
    return status ? status : snWinding_Make(&winding, &tree, arena, &error);
}

static void everyAllocationFails(void)
{
    snContext plain = snDefaultContext();
    snArena arena = snMakeArena(&plain);
    snMesh mesh = makeSphere(&arena, 24, snVec(0, 0, 0), 1.0);
    CHECK(failEvery(makeTreeAndWinding, &mesh, 0) > 8);
    snArena_Destroy(&arena);
}

int main(void)
{
    RUN(closedSurfaces);
    RUN(everyThirdTriangleTurnedOver);
    RUN(shellsSideBySideAndOverlapping);
    RUN(shellInShell);
    RUN(openSurfaces);
    RUN(hairCardsMakeNoInside);
    RUN(fastIsNearExact);
    RUN(meshesAsTheyAre);
    RUN(speed);
    RUN(runsAreLikeSinglePoints);
    RUN(edges);
    RUN(everyAllocationFails);
    return snTest_Finish();
}
