// Coating: nothing touches at rest, chains and skins are whole, documents build the same body again.
#include "asset/bvh.h"
#include "body/coat/coat_file.h"
#include "body/coat/coat_skeleton.h"
#include "core/elementary.h"
#include "core/random.h"
#include "geometry/winding.h"
#include "tests/body/coat/trees.h"

#include <math.h>
#include <stdlib.h>

static snCoating *build(const snSkeleton *skeleton, const snCoatDef *def)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snCoatPlan plan;
    snCoating *coating = NULL;
    snError error = {0};
    snStatus status = snCoatPlan_Propose(&plan, skeleton, def, &arena, &error);
    if (!status) status = snCoating_Build(&coating, &plan, &context, &error);
    if (status) printf("  %s\n", error.message);
    CHECK(status == SN_OK);
    snArena_Destroy(&arena);
    return coating;
}

// ---- an independent look at who is in whom: corners, middles of edges and of triangles, by winding numbers ----

typedef struct Shape {
    int count;
    snVec3 points[512];
    snMesh mesh;
} Shape;

static void shapeOf(const snCoating *c, int e, Shape *shape)
{
    const snElement *element = &c->elements[e].element;
    shape->count = element->count;
    for (int i = 0; i < element->count; i++)
        shape->points[i] = snMulAP(c->plan.median[c->elements[e].joint],
                                   snElement_Sample(element, element->rest, i));
    shape->mesh =
        (snMesh){element->count, element->triangleCount, shape->points, element->triangles};
}

static bool isIn(const Shape *shape, snVec3 p)
{
    return fabs(snMesh_Winding(&shape->mesh, p)) > 0.5;
}

static int countInside(const Shape *a, const Shape *b)
{
    int inside = 0;
    for (int t = 0; t < a->mesh.triangleCount; t++) {
        snVec3 p[3], mean = {0, 0, 0};
        for (int k = 0; k < 3; k++) {
            p[k] = a->points[a->mesh.triangles[3 * t + k]];
            mean = snMulAdd(mean, 1.0 / 3, p[k]);
        }
        inside += isIn(b, mean);
        for (int k = 0; k < 3; k++)
            for (int n = 0; n < 4; n++)
                inside += isIn(b, snMulAdd(p[k], n / 4.0, snSub(p[(k + 1) % 3], p[k])));
    }
    return inside;
}

static void checkApart(const snCoating *c)
{
    static Shape a, b;
    int inside = 0;
    for (int i = 0; i < c->elementCount; i++)
        for (int j = 0; j < c->elementCount; j++) {
            if (i == j) continue;
            shapeOf(c, i, &a);
            shapeOf(c, j, &b);
            if (snBoxOverlap(snMesh_Bounds(&a.mesh), snMesh_Bounds(&b.mesh)))
                inside += countInside(&a, &b);
        }
    CHECK(inside == 0);
}

static void checkSkin(const snCoating *c)
{
    snVec3 *controls = calloc((size_t)c->controlCount, sizeof *controls);
    snVec3 *points = calloc((size_t)c->skin.vertexCount, sizeof *points);
    snCoating_Place(c, c->plan.median, NULL, controls);
    snSplineSkin_Place(&c->skin, controls, points, NULL);
    snMesh mesh = {c->skin.vertexCount, c->skin.triangleCount, points, c->skin.triangles};
    CHECK(snMesh_Volume(&mesh) > 0);
    CHECK(c->skin.vertexCount - c->skin.triangleCount / 2 == 2 * c->skin.tubeCount); // spheres
    free(controls);
    free(points);
}

static void personIsCoated(void)
{
    Tree tree;
    snCoatDef def = snDefaultCoatDef();
    Tree_Person(&tree);
    snCoating *c = build(&tree.skeleton, &def);
    CHECK(c->plan.linkCount == 15);
    CHECK(c->skin.tubeCount == 5); // trunk with head, legs, arms
    checkApart(c);
    checkSkin(c);
    double mass = 0;
    for (int j = 0; j < tree.skeleton.jointCount; j++)
        mass += c->jointMass[j];
    CHECK(mass > 40 && mass < 110);
    snCoating_Destroy(c);
}

static void randomTreesAreApart(void)
{
    int elements = 0, links = 0;
    for (unsigned seed = 1; seed <= 12; seed++) {
        Tree tree;
        snCoatDef def = snDefaultCoatDef();
        Tree_Random(&tree, seed, 4 + (int)seed);
        snCoating *c = build(&tree.skeleton, &def);
        if (!c) continue;
        checkApart(c);
        checkSkin(c);
        elements += c->elementCount;
        links += c->plan.linkCount;
        snCoating_Destroy(c);
    }
    printf("random trees: %d of %d links have elements\n", elements, links);
    CHECK(2 * elements > links);
}

// Round the beginning of every branch's flesh, as thick as four fifths of it, all is within the skin: no notches between chains.
static void checkBranches(const snCoating *c)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snCoatTube *tubes;
    snCoatBranch branches[64];
    snVec3 *controls = SN_NEW(&arena, snVec3, c->controlCount);
    snVec3 *points = SN_NEW(&arena, snVec3, c->skin.vertexCount);
    CHECK(snCoatPlan_Tubes(&c->plan, &tubes, &arena, NULL) == SN_OK);
    int count = snCoatPlan_Branches(&c->plan, tubes, branches), out = 0, looked = 0;
    snCoating_Place(c, c->plan.median, NULL, controls);
    snSplineSkin_Place(&c->skin, controls, points, NULL);
    snMesh mesh = {c->skin.vertexCount, c->skin.triangleCount, points, c->skin.triangles};
    snRandom random = snMakeRandom(3);
    for (int b = 0; b < count; b++)
        for (int k = 0; k < 40; k++, looked++) {
            snVec3 way = snVec(snRandom_Uniform(&random, -1, 1), snRandom_Uniform(&random, -1, 1),
                               snRandom_Uniform(&random, -1, 1));
            double r = 0.8 * branches[b].radius;
            snVec3 x = snMulAdd(branches[b].place, r, snNormalizeOr(way, snVec(1, 0, 0)));
            out += fabs(snMesh_Winding(&mesh, x)) < 0.5;
        }
    printf("%d branches: %d of %d points about them are outside of the skin\n", count, out, looked);
    CHECK(count >= 4);
    CHECK(out <= looked / 50);
    snArena_Destroy(&arena);
}

static void captureIsCoated(void)
{
    size_t size;
    unsigned char *bytes = snTest_Asset("cmu_16_01_jump.bvh", &size);
    if (!bytes) return;
    snContext context = snDefaultContext();
    snCharacter character;
    snSkeleton rigid;
    snArena arena = snMakeArena(&context);
    snCoatDef def = snDefaultCoatDef();
    CHECK(snBvh_Read(&character, bytes, size, &context, NULL) == SN_OK);
    CHECK(snRigidSkeleton(&rigid, &character.skeleton, 0.056, &arena, NULL) == SN_OK);
    snCoating *c = build(&rigid, &def);
    checkApart(c);
    checkSkin(c);
    checkBranches(c);
    CHECK(c->elementCount >= 20);
    snCoating_Destroy(c);
    snArena_Destroy(&arena);
    snCharacter_Destroy(&character);
    free(bytes);
}

// Springs meet in the centre or stand on the axis, as told.
static void springsStandAsTold(void)
{
    Tree tree;
    Tree_Chain(&tree, 2);
    for (int spread = 0; spread <= 1; spread++) {
        snCoatDef def = snDefaultCoatDef();
        def.spread = spread;
        snCoating *c = build(&tree.skeleton, &def);
        for (int e = 0; e < c->elementCount; e++) {
            const snElement *element = &c->elements[e].element;
            for (int i = 0; i < element->count - 2; i++) {
                if (spread == 0) CHECK(snDistance(element->foot[i], element->foot[0]) < 1e-12);
                if (spread == 1) CHECK(fabs(element->axis[i].x) < 1e-9); // straight off the axis
            }
        }
        snCoating_Destroy(c);
    }
}

// How far elements of a chain of two are apart over and under the joint, bent by an angle about z.
static void gaps(const snCoating *c, double angle, double *over, double *under)
{
    int round = c->plan.round, along = c->plan.links[0].along;
    snMat3 turn = snQuatToMat(snQuatFromAxisAngle(snVec(0, 0, 1), angle));
    *over = *under = 1e9;
    for (int i = 0; i < round; i++) {
        const snElement *a = &c->elements[0].element, *b = &c->elements[1].element;
        snVec3 p =
            snElement_Sample(a, a->rest, (along - 1) * round + i); // in the first joint's frame
        snVec3 q = snAdd(snVec(0.3, 0, 0), snMulMV(turn, snElement_Sample(b, b->rest, i)));
        double gap = q.x - p.x;
        if (p.y > 0.01) *over = fmin(*over, gap);
        if (p.y < -0.01) *under = fmin(*under, gap);
    }
}

// Flesh that was put on in a bent pose has even gaps there: straight, one side is closer than the other.
static void medianPoseMakesLimitsAsymmetric(void)
{
    Tree tree;
    double over, under;
    snQuat turns[3] = {{0, 0, 0, 1}, {0, 0, 0, 1}, {0, 0, 0, 1}};
    Tree_Chain(&tree, 2);
    snCoatDef def = snDefaultCoatDef();
    snCoating *straight = build(&tree.skeleton, &def);
    gaps(straight, 0, &over, &under);
    CHECK_NEAR(over, under, 1e-9);
    turns[1] = snQuatFromAxisAngle(snVec(0, 0, 1), 0.5); // the second link bends upwards
    def.median = turns;
    snCoating *bent = build(&tree.skeleton, &def);
    gaps(bent, 0, &over, &under);
    printf("gaps of flesh put on bent: %.4f m over, %.4f m under the straight joint\n", over,
           under);
    CHECK(over > under + 0.01);
    checkApart(bent);
    snCoating_Destroy(straight);
    snCoating_Destroy(bent);
}

// ---- documents ----

static void documentsBuildTheSameBody(void)
{
    snContext context = snDefaultContext();
    Tree tree;
    snCoatDef def = snDefaultCoatDef();
    snQuat turns[TREE_MOST];
    Tree_Person(&tree);
    for (int j = 0; j < TREE_MOST; j++)
        turns[j] = snIdentityQuat();
    turns[5] = snQuatFromAxisAngle(snVec(1, 0, 0), 0.4);
    def.median = turns;
    def.spline = snDefaultSplineShape(SN_SPLINE_BETA);
    def.flesh.propagation.mode = SN_PROPAGATE_INTUITIVE;
    snCoating *c = build(&tree.skeleton, &def), *again = NULL;
    snBytes first = snMakeBytes(&context), second = snMakeBytes(&context);
    snCoatFile file;
    snError error = {0};
    CHECK(snCoatFile_Write(&c->plan, &first, &error) == SN_OK);
    CHECK(snCoatFile_Is((char *)first.data, first.size, &context));
    snStatus status = snCoatFile_Read(&file, (char *)first.data, first.size, &context, &error);
    if (status) printf("  %s\n", error.message);
    CHECK(status == SN_OK);
    CHECK(snCoating_Build(&again, &file.plan, &context, &error) == SN_OK);
    CHECK(snCoatFile_Write(&again->plan, &second, &error) == SN_OK);
    CHECK(first.size == second.size && !memcmp(first.data, second.data, first.size));
    CHECK(again->controlCount == c->controlCount);
    double far = 0;
    for (int i = 0; i < c->controlCount; i++)
        far = fmax(far, snDistance(c->controls[i].place, again->controls[i].place));
    CHECK(far == 0);
    CHECK(again->elements[0].propagation.mode == SN_PROPAGATE_INTUITIVE);
    snCoating_Destroy(c);
    snCoating_Destroy(again);
    snCoatFile_Destroy(&file);
    snBytes_Destroy(&first);
    snBytes_Destroy(&second);
}

static void expectError(const char *text, const char *path)
{
    snContext context = snDefaultContext();
    snCoatFile file;
    snError error = {0};
    CHECK(snCoatFile_Read(&file, text, strlen(text), &context, &error) != SN_OK);
    if (!strstr(error.message, path)) printf("  \"%s\" is not in: %s\n", path, error.message);
    CHECK(strstr(error.message, path) != NULL);
}

#define JOINTS                                                                                     \
    "\"skeleton\": [{\"name\": \"a\", \"at\": [0,0,0]}, {\"name\": \"b\", \"parent\": \"a\", "     \
    "\"at\": [1,0,0]}]"
#define LINK(more)                                                                                 \
    "{\"sinew\": \"coat\", " JOINTS ", \"links\": [{\"joint\": \"a\", \"child\": \"b\", "          \
    "\"chain\": 0, \"width\": [0.1, 0.1], \"depth\": [0.1, 0.1]" more "}]}"

static void errorsNameTheirPath(void)
{
    snContext context = snDefaultContext();
    snCoatFile file;
    const char *good = LINK("");
    CHECK(snCoatFile_Read(&file, good, strlen(good), &context, NULL) == SN_OK);
    snCoatFile_Destroy(&file);
    expectError("{\"sinew\": \"rig\"}", "coat document");
    expectError("{\"sinew\": \"coat\"}", "skeleton");
    expectError("{\"sinew\": \"coat\", \"skelton\": []}", "skeleton");
    expectError("{\"sinew\": \"coat\", \"skeleton\": [{\"name\": \"a\", \"parent\": \"b\", \"at\": "
                "[0,0,0]}]}",
                "skeleton[0].parent");
    expectError("{\"sinew\": \"coat\", \"skeleton\": [{\"name\": \"a\", \"at\": [0,0,0]}]}",
                "no two joints");
    expectError("{\"sinew\": \"coat\", " JOINTS ", \"flesh\": {\"young\": -3}}", "flesh.young");
    expectError("{\"sinew\": \"coat\", " JOINTS ", \"skin\": {\"spline\": \"bete\"}}", "beta");
    expectError(LINK(", \"bulg\": 1"), "bulge");
    expectError(LINK(", \"span\": [0.8, 0.2]"), "links[0].from");
    expectError(LINK(", \"lengths\": [1, 2]"), "links[0].lengths");
    expectError(LINK(", \"flesh\": {\"propagation\": {\"share\": 2}}"),
                "links[0].flesh.propagation.share");
    expectError(LINK(", \"along\": 1"), "links[0].along");
}

static void memoryRunsOut(void)
{
    snStatus status = SN_ERROR_MEMORY;
    const char *text = LINK(", \"along\": 3");
    for (int n = 1; status && n < 400; n++) {
        snFailingMemory memory = {.failAtWay = n};
        snContext context = snDefaultContext();
        snTest_UseFailingMemory(&context, &memory);
        snCoatFile file;
        snCoating *c = NULL;
        status = snCoatFile_Read(&file, text, strlen(text), &context, NULL);
        if (!status) {
            status = snCoating_Build(&c, &file.plan, &context, NULL);
            snCoating_Destroy(c);
            snCoatFile_Destroy(&file);
        }
        CHECK(!status || status == SN_ERROR_MEMORY);
        CHECK(memory.alive == 0);
    }
    CHECK(status == SN_OK);
}

int main(void)
{
    RUN(personIsCoated);
    RUN(randomTreesAreApart);
    RUN(captureIsCoated);
    RUN(springsStandAsTold);
    RUN(medianPoseMakesLimitsAsymmetric);
    RUN(documentsBuildTheSameBody);
    RUN(errorsNameTheirPath);
    RUN(memoryRunsOut);
    return snTest_Finish();
}
