// Weights: partition of unity, each bone leads where it is nearest, no leak across gaps, symmetry,
// against the closed form on a rod; open surfaces, separate shells, strange skeletons.
#include "character/skin_weights.h"

#include "character/instrument.h"
#include "core/elementary.h"
#include "core/error.h"
#include "tests/character/bodies.h"

#include <string.h>

typedef struct Bound {
    int *joints;
    float *weights;
} Bound;

static Bound room(const snSolid *solid, snArena *arena)
{
    size_t count = (size_t)solid->mesh.vertexCount * SN_SKIN_INFLUENCES;
    return (Bound){SN_NEW(arena, int, count), SN_NEW(arena, float, count)};
}

static double weightOf(const Bound *bound, int vertex, int joint)
{
    double sum = 0.0;
    for (int i = 0; i < SN_SKIN_INFLUENCES; i++)
        if (bound->joints[SN_SKIN_INFLUENCES * vertex + i] == joint)
            sum += (double)bound->weights[SN_SKIN_INFLUENCES * vertex + i];
    return sum;
}

static void checkUnity(const Bound *bound, const snSolid *solid, int jointCount)
{
    for (int v = 0; v < solid->mesh.vertexCount; v++) {
        double sum = 0.0, last = 1.0;
        for (int i = 0; i < SN_SKIN_INFLUENCES; i++) {
            int joint = bound->joints[SN_SKIN_INFLUENCES * v + i];
            double w = (double)bound->weights[SN_SKIN_INFLUENCES * v + i];
            CHECK(w >= 0.0 && w <= last && joint >= 0 && joint < jointCount);
            sum += w;
            last = w;
        }
        CHECK_NEAR(sum, 1.0, 1e-6);
    }
}

static Bound bind(const snSolid *solid, const snSkeleton *skeleton, snArena *arena)
{
    snContext context = snDefaultContext();
    snSkinWeightDef def = snDefaultSkinWeightDef();
    Bound bound = room(solid, arena);
    snError error = {0};
    if (!CHECK(snComputeSkinWeights(bound.joints, bound.weights, solid, skeleton, &def, &context,
                                    &error) == SN_OK))
        printf("%s\n", error.message);
    checkUnity(&bound, solid, skeleton->jointCount);
    return bound;
}

// A skeleton of places and pairs of them.
static snSkeleton skeletonOf(int count, const snVec3 *places, int bones, const int (*pairs)[2],
                             snArena *arena)
{
    snContext context = snDefaultContext();
    snRigPlan plan = snMakeRigPlan(&context);
    snSkeleton skeleton;
    char name[2] = "a";
    for (int j = 0; j < count; j++, name[0]++)
        CHECK(snRigPlan_AddJoint(&plan, name, places[j], NULL, NULL) == SN_OK);
    for (int b = 0; b < bones; b++)
        CHECK(snRigPlan_Connect(&plan, pairs[b][0], pairs[b][1], NULL) == SN_OK);
    CHECK(snRigPlan_Skeleton(&skeleton, &plan, NULL, arena, NULL) == SN_OK);
    snRigPlan_Destroy(&plan);
    return skeleton;
}

// Two legs a hair's breadth apart. Joints a in the bridge, b c left, d e right (in the order of the
// plan; the skeleton goes breadth first: a b d c e).
static void legsDoNotGrabEachOther(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    // Made with a wide gap and pushed together: |x| = 0.2 at the legs' inner sides becomes 0.01.
    Body body = horseshoe(0.4);
    snMesh mesh = polygonise(&body, 0.05, &arena);
    snVec3 *squeezed = SN_NEW(&arena, snVec3, mesh.vertexCount);
    for (int v = 0; v < mesh.vertexCount; v++) {
        snVec3 p = mesh.positions[v];
        double side = p.x < 0 ? -1.0 : 1.0;
        squeezed[v] = snVec(fabs(p.x) < 0.2 ? 0.05 * p.x : p.x - 0.19 * side, p.y, p.z);
    }
    mesh.positions = squeezed;
    snSolid solid;
    CHECK(snSolid_Make(&solid, &mesh, &arena, NULL) == SN_OK);
    const double x = 0.16;
    const snVec3 places[5] = {{0, 1.2, 0}, {x, 1.2, 0}, {x, 0, 0}, {-x, 1.2, 0}, {-x, 0, 0}};
    const int pairs[4][2] = {{0, 1}, {1, 2}, {0, 3}, {3, 4}};
    snSkeleton skeleton = skeletonOf(5, places, 4, pairs, &arena);
    Bound bound = bind(&solid, &skeleton, &arena);
    CHECK(!strcmp(skeleton.joints[1].name, "b") && !strcmp(skeleton.joints[2].name, "d"));
    double worst = 0.0;
    for (int v = 0; v < solid.mesh.vertexCount; v++) {
        snVec3 p = solid.mesh.positions[v];
        int own = p.x > 0 ? 1 : 2, other = 3 - own;
        if (p.y > 0.55) continue; // above, heat comes around through the bridge
        worst = fmax(worst, weightOf(&bound, v, other));
        CHECK(weightOf(&bound, v, own) > 0.5);
    }
    printf("  largest weight on the other leg: %g\n", worst);
    CHECK(worst == 0.0);
    snArena_Destroy(&arena);
}

// Mirror images have mirrored weights, as far as the meshes of both sides agree.
static void weightsAreSymmetric(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    Body body = horseshoe(0.4);
    snSolid solid = solidOf(&body, 0.05, &arena);
    const snVec3 places[5] = {
        {0, 1.2, 0}, {0.35, 1.2, 0}, {0.35, 0, 0}, {-0.35, 1.2, 0}, {-0.35, 0, 0}};
    const int pairs[4][2] = {{0, 1}, {1, 2}, {0, 3}, {3, 4}};
    snSkeleton skeleton = skeletonOf(5, places, 4, pairs, &arena);
    Bound bound = bind(&solid, &skeleton, &arena);
    double worst = 0.0;
    for (int v = 0; v < solid.mesh.vertexCount; v++) {
        snVec3 p = solid.mesh.positions[v];
        p.x = -p.x;
        snSurfacePoint on = snMeshTree_Closest(&solid.tree, p, 1e300);
        double w = 0.0;
        for (int i = 0; i < 3; i++)
            w += on.barycentric[i] * weightOf(&bound, solid.mesh.triangles[3 * on.triangle + i], 2);
        worst = fmax(worst, fabs(w - weightOf(&bound, v, 1)));
    }
    printf("  largest difference to the mirror image: %.3f\n", worst);
    CHECK(worst < 0.05);
    snArena_Destroy(&arena);
}

// A long tube of radius R around three joints on its axis. Around it nothing changes, so along it
// -w'' + w/R² = p/R² with p jumping at the middle joint:
//     w(s) = 1 - exp(-s/R)/2 on its own side, exp(-s/R)/2 on the other, at distance s.
static void tubeAgainstTheClosedForm(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    const double R = 0.2;
    enum { ALONG = 120, AROUND = 32 };
    snVec3 *p = SN_NEW(&arena, snVec3, (ALONG + 1) * AROUND);
    int *t = SN_NEW(&arena, int, ALONG *AROUND * 6), n = 0;
    for (int i = 0; i <= ALONG; i++)
        for (int j = 0; j < AROUND; j++) {
            double a = 2.0 * SN_PI * j / AROUND;
            p[i * AROUND + j] = snVec(R * snCos(a), 4.0 * i / ALONG - 2.0, R * snSin(a));
            int k = (j + 1) % AROUND;
            int quad[6] = {i * AROUND + j, (i + 1) * AROUND + j, (i + 1) * AROUND + k,
                           i * AROUND + j, (i + 1) * AROUND + k, i * AROUND + k};
            if (i < ALONG) memcpy(t + 6 * n++, quad, sizeof quad);
        }
    snMesh mesh = {(ALONG + 1) * AROUND, 2 * n, p, t};
    snSolid solid;
    CHECK(snSolid_Make(&solid, &mesh, &arena, NULL) == SN_OK);
    const snVec3 places[3] = {{0, -2, 0}, {0, 0, 0}, {0, 2, 0}};
    const int pairs[2][2] = {{0, 1}, {1, 2}};
    snSkeleton skeleton = skeletonOf(3, places, 2, pairs, &arena);
    Bound bound = bind(&solid, &skeleton, &arena);
    double worst = 0.0;
    for (int v = 0; v < solid.mesh.vertexCount; v++) {
        double s = solid.mesh.positions[v].y;
        double upper = s > 0 ? 1.0 - 0.5 * snExp(-s / R) : 0.5 * snExp(s / R);
        worst = fmax(worst, fabs(weightOf(&bound, v, 1) - upper));
        CHECK(weightOf(&bound, v, 2) == 0.0); // the end carries nothing
    }
    printf("  largest error against the closed form: %.4f\n", worst);
    CHECK(worst < 0.02);
    snArena_Destroy(&arena);
}

// A person with a lone card in the air, an unused vertex and eyes inside the head: everything gets
// weights, the card those of the nearest bones.
static void openAndSeparateShells(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    Body body = horseshoe(0.4), eye = {0};
    addCapsule(&eye, snVec(0.35, 0.3, 0), 0.03, snVec(0.35, 0.31, 0), 0.03);
    snMesh skin = polygonise(&body, 0.06, &arena), ball = polygonise(&eye, 0.02, &arena);
    int vertices = skin.vertexCount + ball.vertexCount;
    int triangles = skin.triangleCount + ball.triangleCount;
    snVec3 *p = SN_NEW(&arena, snVec3, vertices + 5);
    int *t = SN_NEW(&arena, int, 3 * (triangles + 1));
    memcpy(p, skin.positions, (size_t)skin.vertexCount * sizeof *p);
    memcpy(p + skin.vertexCount, ball.positions, (size_t)ball.vertexCount * sizeof *p);
    memcpy(t, skin.triangles, (size_t)skin.triangleCount * 3 * sizeof *t);
    for (int i = 0; i < 3 * ball.triangleCount; i++)
        t[3 * skin.triangleCount + i] = skin.vertexCount + ball.triangles[i];
    p[vertices] = snVec(-1.0, 0.1, 0.0);
    p[vertices + 1] = snVec(-1.0, 0.3, 0.0);
    p[vertices + 2] = snVec(-1.2, 0.2, 0.0);
    p[vertices + 3] = snVec(-9.0, 0.2, 0.0); // of no triangle
    const int card[3] = {vertices, vertices + 1, vertices + 2};
    memcpy(t + 3 * triangles, card, sizeof card);
    snMesh mesh = {vertices + 4, triangles + 1, p, t};
    snSolid solid;
    CHECK(snSolid_Make(&solid, &mesh, &arena, NULL) == SN_OK);
    const snVec3 places[5] = {
        {0, 1.2, 0}, {0.35, 1.2, 0}, {0.35, 0, 0}, {-0.35, 1.2, 0}, {-0.35, 0, 0}};
    const int pairs[4][2] = {{0, 1}, {1, 2}, {0, 3}, {3, 4}};
    snSkeleton skeleton = skeletonOf(5, places, 4, pairs, &arena);
    Bound bound = bind(&solid, &skeleton, &arena);
    for (int i = 0; i < 4; i++)
        CHECK(weightOf(&bound, solid.weldOf[vertices + i], 2) > 0.9);
    for (int v = 0; v < ball.vertexCount; v++)
        CHECK(weightOf(&bound, solid.weldOf[skin.vertexCount + v], 1) > 0.9);
    snArena_Destroy(&arena);
}

// Eight bones meet in a ball, so that more than four compete for its skin: what is kept of them still
// changes gradually from vertex to vertex.
static void fewKeptWeightsAreSmooth(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    Body body = {0};
    addCapsule(&body, snVec(-1e-6, 0, 0), 1.0, snVec(1e-6, 0, 0), 1.0);
    snSolid solid = solidOf(&body, 0.08, &arena);
    snVec3 places[17] = {{0, 0, 0}};
    int pairs[16][2];
    for (int i = 0; i < 8; i++) {
        snVec3 corner = snVec(i & 1 ? 1 : -1, i & 2 ? 0.9 : -0.9, i & 4 ? 0.8 : -0.8);
        places[1 + i] = snScale(0.05, corner);
        places[9 + i] = snScale(0.2, corner);
        pairs[i][0] = 0;
        pairs[i][1] = pairs[8 + i][0] = 1 + i;
        pairs[8 + i][1] = 9 + i;
    }
    snSkeleton skeleton = skeletonOf(17, places, 16, (const int(*)[2])pairs, &arena);
    Bound bound = bind(&solid, &skeleton, &arena);
    double steepest = 0.0;
    for (int t = 0; t < solid.mesh.triangleCount; t++)
        for (int e = 0; e < 3; e++) {
            int a = solid.mesh.triangles[3 * t + e], b = solid.mesh.triangles[3 * t + (e + 1) % 3];
            double length = snDistance(solid.mesh.positions[a], solid.mesh.positions[b]);
            for (int j = 0; j < 17; j++)
                steepest = fmax(steepest, fabs(weightOf(&bound, a, j) - weightOf(&bound, b, j)) /
                                              fmax(length, 0.04));
        }
    printf("  steepest weight: %.2f per radius\n", steepest);
    CHECK(steepest < 1.4); // cut off hard, it is 1.9
    snArena_Destroy(&arena);
}

static void strangeSkeletons(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    Body body = horseshoe(0.4);
    snSolid solid = solidOf(&body, 0.08, &arena);
    // One joint carries all.
    const snVec3 one[1] = {{0, 1.2, 0}};
    snSkeleton skeleton = skeletonOf(1, one, 0, NULL, &arena);
    Bound bound = bind(&solid, &skeleton, &arena);
    for (int v = 0; v < solid.mesh.vertexCount; v++)
        CHECK_NEAR(weightOf(&bound, v, 0), 1.0, 0.0);
    // Joints outside, and on one place.
    const snVec3 far[3] = {{50, 60, 70}, {50, 60, 70}, {51, 60, 70}};
    const int pairs[2][2] = {{0, 1}, {1, 2}};
    skeleton = skeletonOf(3, far, 2, pairs, &arena);
    bind(&solid, &skeleton, &arena);
    // A joint on the surface itself.
    const snVec3 skin[2] = {solid.mesh.positions[0], {0.35, 0, 0}};
    skeleton = skeletonOf(2, skin, 1, pairs, &arena);
    bind(&solid, &skeleton, &arena);
    skeleton.joints[1].rest.translation.x = NAN;
    bound = room(&solid, &arena);
    snSkinWeightDef def = snDefaultSkinWeightDef();
    snError error;
    CHECK(snComputeSkinWeights(bound.joints, bound.weights, &solid, &skeleton, &def, &context,
                               &error) == SN_ERROR_ARGUMENT);
    def.sharpness = -1.0;
    CHECK(snComputeSkinWeights(bound.joints, bound.weights, &solid, &skeleton, &def, &context,
                               &error) == SN_ERROR_ARGUMENT);
    snArena_Destroy(&arena);
}

static void sameBitsInAnyOrder(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    Body body = horseshoe(0.1);
    snSolid solid = solidOf(&body, 0.08, &arena);
    const snVec3 places[3] = {{0.2, 0, 0}, {0.2, 1.2, 0}, {-0.2, 1.2, 0}};
    const int pairs[2][2] = {{0, 1}, {1, 2}};
    snSkeleton skeleton = skeletonOf(3, places, 2, pairs, &arena);
    Bound one = bind(&solid, &skeleton, &arena), two = room(&solid, &arena);
    snSkinWeightDef def = snDefaultSkinWeightDef();
    context.tasks = backwards;
    CHECK(snComputeSkinWeights(two.joints, two.weights, &solid, &skeleton, &def, &context, NULL) ==
          SN_OK);
    size_t count = (size_t)solid.mesh.vertexCount * SN_SKIN_INFLUENCES;
    CHECK(!memcmp(one.joints, two.joints, count * sizeof *one.joints));
    CHECK(!memcmp(one.weights, two.weights, count * sizeof *one.weights));
    snArena_Destroy(&arena);
}

static void everyAllocationMayFail(void)
{
    snContext plain = snDefaultContext(), context = plain;
    snArena arena = snMakeArena(&plain);
    Body body = horseshoe(0.4);
    snSolid solid = solidOf(&body, 0.12, &arena);
    const snVec3 places[2] = {{0.35, 0, 0}, {0.35, 1.2, 0}};
    const int pairs[1][2] = {{0, 1}};
    snSkeleton skeleton = skeletonOf(2, places, 1, pairs, &arena);
    Bound bound = room(&solid, &arena);
    snSkinWeightDef def = snDefaultSkinWeightDef();
    def.maxCells = 1000;
    snFailingMemory memory = {0};
    snTest_UseFailingMemory(&context, &memory);
    snStatus status = SN_ERROR_MEMORY;
    for (int n = 1; status && n < 500; n++) {
        memory = (snFailingMemory){.failAtWay = n};
        status = snComputeSkinWeights(bound.joints, bound.weights, &solid, &skeleton, &def,
                                      &context, NULL);
        CHECK(!status || status == SN_ERROR_MEMORY);
        CHECK(memory.alive == 0);
    }
    CHECK(status == SN_OK);
    snArena_Destroy(&arena);
}

int main(void)
{
    RUN(legsDoNotGrabEachOther);
    RUN(weightsAreSymmetric);
    RUN(tubeAgainstTheClosedForm);
    RUN(openAndSeparateShells);
    RUN(fewKeptWeightsAreSmooth);
    RUN(strangeSkeletons);
    RUN(sameBitsInAnyOrder);
    RUN(everyAllocationMayFail);
    return snTest_Finish();
}
