// What plans and documents of coats may say: every value out of its range is named, and what is written is read again as it was.
#include "body/coat/coat_file.h"
#include "body/coat/coating.h"
#include "tests/body/coat/trees.h"
#include "tests/test.h"

#include <math.h>
#include <string.h>

static snContext context;
static snArena arena;
static Tree tree;

static snCoatPlan makePlan(void)
{
    snCoatPlan plan;
    snCoatDef def = snDefaultCoatDef();
    Tree_Person(&tree);
    CHECK(snCoatPlan_Propose(&plan, &tree.skeleton, &def, &arena, NULL) == SN_OK);
    CHECK(plan.linkCount > 3 && snCoatPlan_Check(&plan, NULL) == SN_OK);
    return plan;
}

static void refuses(const snCoatPlan *plan, snStatus code, const char *expected)
{
    snError error = {0};
    CHECK(snCoatPlan_Check(plan, &error) == code);
    if (!CHECK(strstr(error.message, expected)))
        printf("    '%s' instead of '%s'\n", error.message, expected);
}

// Each number of a link with values that it cannot have.
static void badLinksAreNamed(void)
{
    snCoatPlan plan = makePlan();
    snCoatLinkDef *link = &plan.links[2], good = *link;
    struct {
        double *at;
        double bad[3];
        const char *expected;
    } cases[] = {
        {&link->width[0], {0, NAN, INFINITY}, "links[2].width"},
        {&link->depth[1], {-1, NAN, INFINITY}, "links[2].depth"},
        {&link->from, {-0.1, NAN, 2}, "links[2].from"},
        {&link->to, {1.1, NAN, -1}, "links[2].from"},
        {&link->spread, {-0.1, NAN, 1.1}, "links[2].spread"},
        {&link->bulge, {-0.9, NAN, 10}, "links[2].spread"},
        {&link->flesh.young, {0, NAN, INFINITY}, "links[2].flesh: young"},
        {&link->flesh.density, {-1, NAN, INFINITY}, "and density"},
        {&link->flesh.damping, {-1e-9, NAN, -INFINITY}, "links[2].flesh: damping"},
        {&link->flesh.propagation.share, {1, NAN, -1}, "links[2].flesh.propagation"},
        {&link->flesh.propagation.area, {-0.1, NAN, 1.1}, "links[2].flesh.propagation"},
        {&link->flesh.propagation.direction, {-0.1, NAN, 1.1}, "links[2].flesh.propagation"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int k = 0; k < 3; k++) {
            *link = good;
            *cases[i].at = cases[i].bad[k];
            refuses(&plan, SN_ERROR_ARGUMENT, cases[i].expected);
        }
    struct {
        int *at;
        int bad[2];
        const char *expected;
    } counts[] = {
        {&link->joint, {-1, tree.skeleton.jointCount}, "links[2].joint: there is no joint"},
        {&link->child, {-1, tree.skeleton.jointCount}, "links[2].joint: there is no joint"},
        {&link->along, {1, 1001}, "links[2].along"},
        {&link->flesh.reach, {0, -1}, "and reach"},
    };
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        for (int k = 0; k < 2; k++) {
            *link = good;
            *counts[i].at = counts[i].bad[k];
            refuses(&plan, SN_ERROR_ARGUMENT, counts[i].expected);
        }
    *link = good;
    link->child = link->joint;
    refuses(&plan, SN_ERROR_GEOMETRY, "links[2].joint: its joints are in one place");
    *link = good;
    plan.round = 2;
    refuses(&plan, SN_ERROR_ARGUMENT, "round: 2");
    plan.round = 1001;
    refuses(&plan, SN_ERROR_ARGUMENT, "round: 1001");
    plan.round = 8;
    plan.linkCount = 0;
    refuses(&plan, SN_ERROR_ARGUMENT, "links: there are none");
}

// A plan whose links differ from each other in each of their numbers alone, with turned joints and lengths of its own.
static void everythingIsWritten(void)
{
    snCoatPlan plan = makePlan();
    int all = plan.linkCount;
    CHECK(all >= 13);
    plan.links[1].flesh.young *= 2;
    plan.links[2].flesh.density *= 2;
    plan.links[3].flesh.damping *= 2;
    plan.links[4].flesh.reach++;
    plan.links[5].flesh.printed = !plan.links[0].flesh.printed;
    plan.links[6].flesh.propagation.mode = SN_PROPAGATE_INTUITIVE;
    plan.links[7].flesh.propagation.area = 0.123;
    plan.links[8].flesh.propagation.share = 0.123;
    plan.links[9].flesh.propagation.direction = 0.123;
    plan.links[10].flesh.plasticity.yield = 0.123;
    plan.links[11].flesh.plasticity.flow = 0.123;
    plan.links[12].flesh.plasticity.most = 0.123;
    plan.links[1].bare = true;
    int n = plan.links[2].along * plan.round + 2;
    double *lengths = SN_NEW(&arena, double, n);
    for (int i = 0; i < n; i++)
        lengths[i] = 0.01 + 1e-4 * i;
    plan.links[2].lengths = lengths;
    plan.links[3].side = snVec(0, 0, 1);
    tree.joints[2].rest.rotation = snQuatFromAxisAngle(snVec(0, 1, 0), 0.25);
    snBytes first = snMakeBytes(&context), second = snMakeBytes(&context);
    snCoatFile file;
    snError error = {0};
    CHECK(snCoatFile_Write(&plan, &first, NULL) == SN_OK);
    snStatus status = snCoatFile_Read(&file, (char *)first.data, first.size, &context, &error);
    if (!CHECK(status == SN_OK)) {
        printf("    %s\n", error.message);
        return;
    }
    CHECK(file.plan.linkCount == all);
    for (int k = 0; k < all; k++) {
        const snCoatFlesh *a = &plan.links[k].flesh, *b = &file.plan.links[k].flesh;
        CHECK(a->young == b->young && a->density == b->density && a->damping == b->damping);
        CHECK(a->reach == b->reach && a->printed == b->printed);
        CHECK(a->propagation.mode == b->propagation.mode);
        CHECK(a->propagation.area == b->propagation.area);
        CHECK(a->propagation.share == b->propagation.share);
        CHECK(a->propagation.direction == b->propagation.direction);
        CHECK(a->plasticity.yield == b->plasticity.yield);
        CHECK(a->plasticity.flow == b->plasticity.flow);
        CHECK(a->plasticity.most == b->plasticity.most);
    }
    CHECK(file.plan.links[1].bare && !file.plan.links[0].bare);
    CHECK(!memcmp(file.plan.links[2].lengths, lengths, (size_t)n * sizeof *lengths));
    CHECK(!file.plan.links[3].lengths && file.plan.links[3].side.z == 1);
    snQuat q = file.skeleton.joints[2].rest.rotation, r = tree.joints[2].rest.rotation;
    CHECK(q.y == r.y && q.w == r.w);
    CHECK(snCoatFile_Write(&file.plan, &second, NULL) == SN_OK);
    CHECK(first.size == second.size && !memcmp(first.data, second.data, first.size));
    snCoatFile_Destroy(&file);
    snBytes_Destroy(&first);
    snBytes_Destroy(&second);
}

#define A "{'name': 'aa', 'at': [0,0,0]}"
#define COAT(joints, more) "{'sinew': 'coat', 'skeleton': [" joints "]" more "}"
#define TWO A ", {'name': 'bb', 'parent': 'aa', 'at': [1,0,0]}"
#define LINK(more)                                                                                 \
    COAT(TWO, ", 'links': [{'joint': 'aa', 'child': 'bb', 'chain': 0, 'width': [0.1, 0.1], "       \
              "'depth': [0.1, 0.1]" more "}]")

static void documentsSayWhatIsWrong(void)
{
    static const struct {
        const char *text, *expected;
    } cases[] = {
        {"{", "line 1"},
        {"[]", "is no coat document"},
        {"{'sinew': 'coat', 'version': 99}", "version"},
        {COAT("3", ""), "skeleton[0]: is a number; it must be an object"},
        {COAT("{'at': [0,0,0]}", ""), "'name' is missing"},
        {COAT(A ", " A, ""), "skeleton[1]"},
        {COAT("{'name': 'aa', 'at': [0,0]}", ""), "skeleton[0].at"},
        {COAT("{'name': 'aa', 'at': [0,0,0], 'rotation': [0,0,0,0]}", ""), "is no rotation"},
        {COAT("{'name': 'aa', 'at': [0,0,0], 'rotation': [0,0,0,1e7]}", ""), "is no rotation"},
        {COAT(A ", {'name': 'bb', 'parent': 'ab', 'at': [1,0,0]}", ""), "did you mean \"aa\"?"},
        {COAT(A ", {'name': 'bb', 'parent': 'zebra', 'at': [1,0,0]}", ""), "no joint \"zebra\""},
        {COAT(TWO, ", 'median': {'cc': [0,0,0,1]}"), "median"},
        {COAT(TWO, ", 'median': []"), "median"},
        {COAT(TWO, ", 'skin': {'spline': 'hyperbolic'}"), "there is no \"hyperbolic\""},
        {COAT(TWO, ", 'skin': {'fine': [0, 2]}"), "both must be from 1 to 100"},
        {COAT(TWO, ", 'skin': {'fine': [2, 0]}"), "both must be from 1 to 100"},
        {COAT(TWO, ", 'skin': {'fine': [101, 2]}"), "both must be from 1 to 100"},
        {COAT(TWO, ", 'skin': {'fine': [2, 101]}"), "both must be from 1 to 100"},
        {COAT(TWO, ", 'links': 3"), "links"},
        {COAT(TWO, ", 'links': [3]"), "links[0]: is a number; it must be an object"},
        {COAT(TWO, ", 'links': [{'joint': 'aa'}]"), "'child' is missing"},
        {COAT(TWO, ", 'links': []"), "links: there are none"},
        {LINK(", 'along': 2, 'lengths': [1]"), "links[0].lengths"},
        {LINK(", 'bulge': 6"), "links[0].bulge: 6; it must be from -0.8 to 5"},
        {LINK(", 'flesh': {'reach': 0}"), "links[0].flesh.reach"},
        {LINK(", 'flesh': {'plasticity': {'most': 1}}"), "links[0].flesh.plasticity.most"},
        {LINK(", 'flesh': {'propagation': {'mode': 'intuitve'}}"), "did you mean"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1000];
        size_t size = strlen(cases[i].text);
        for (size_t k = 0; k < size; k++)
            text[k] = (char)(cases[i].text[k] == '\'' ? '"' : cases[i].text[k]);
        snCoatFile file;
        snError error = {0};
        CHECK(snCoatFile_Read(&file, text, size, &context, &error) == SN_ERROR_FORMAT ||
              error.code == SN_ERROR_ARGUMENT);
        if (!CHECK(strstr(error.message, cases[i].expected)))
            printf("    '%s' instead of '%s'\n", error.message, cases[i].expected);
    }
    const char *other = "{\"sinew\": \"rig\"}";
    CHECK(!snCoatFile_Is(other, strlen(other), &context) && !snCoatFile_Is("{", 1, &context));
    CHECK(!snCoatFile_Is("[]", 2, &context));
}

static void rotationsAreMadeUnit(void)
{
    static const char text[] =
        "{\"sinew\": \"coat\", \"skeleton\": [{\"name\": \"a\", \"at\": [0,0,0], \"rotation\": "
        "[0,0,3,4]}, {\"name\": \"b\", \"parent\": \"a\", \"at\": [1,0,0]}]}";
    snCoatFile file;
    if (!CHECK(snCoatFile_Read(&file, text, sizeof text - 1, &context, NULL) == SN_OK)) return;
    snQuat q = file.skeleton.joints[0].rest.rotation;
    CHECK_NEAR(q.z, 0.6, 1e-15);
    CHECK_NEAR(q.w, 0.8, 1e-15);
    snCoatFile_Destroy(&file);
}

// A document with everything in it, and one that is refused in the middle: no way to an allocation is trusted.
static void everyAllocationMayFail(void)
{
    snCoatPlan plan = makePlan();
    tree.joints[2].rest.rotation = snQuatFromAxisAngle(snVec(0, 1, 0), 0.25);
    plan.linkCount = 3;
    plan.links[1].flesh.young *= 2;
    snBytes text = snMakeBytes(&context);
    CHECK(snCoatFile_Write(&plan, &text, NULL) == SN_OK);
    snStatus status = SN_ERROR_MEMORY;
    for (int n = 1; status && n < 1000; n++) {
        snContext failing = snDefaultContext();
        snFailingMemory memory = {.failAtWay = n};
        snTest_UseFailingMemory(&failing, &memory);
        snBytes again = snMakeBytes(&failing);
        snCoatFile file;
        status = snCoatFile_Read(&file, (char *)text.data, text.size, &failing, NULL);
        if (!status) {
            status = snCoatFile_Write(&file.plan, &again, NULL);
            snCoatFile_Destroy(&file);
        }
        snBytes_Destroy(&again);
        CHECK(status == (memory.count < n ? SN_OK : SN_ERROR_MEMORY));
        CHECK(memory.alive == 0);
    }
    CHECK(status == SN_OK);
    snBytes_Destroy(&text);
}

// Flesh goes between joints that are asked for, and over those that lie between them; no other joint has any, or counts.
static void onlyWhatIsUsedIsCoated(void)
{
    snCoatPlan plan, far;
    snCoatDef def = snDefaultCoatDef();
    unsigned char used[] = {0, 1, 0,
                            1, 1, 0}; // j1 and j3, with j2 between them; j0 and j5 are controls
    Tree_Chain(&tree, 5);
    def.used = used;
    CHECK(snCoatPlan_Propose(&plan, &tree.skeleton, &def, &arena, NULL) == SN_OK);
    CHECK(plan.linkCount == 3);
    for (int k = 0; k < plan.linkCount; k++)
        CHECK(plan.links[k].joint == 1 + k && plan.links[k].child == 2 + k);
    tree.joints[5].rest.translation = snVec(0, 100, 0);
    CHECK(snCoatPlan_Propose(&far, &tree.skeleton, &def, &arena, NULL) == SN_OK);
    CHECK(far.links[0].width[0] == plan.links[0].width[0]);
}

int main(void)
{
    context = snDefaultContext();
    arena = snMakeArena(&context);
    RUN(badLinksAreNamed);
    RUN(onlyWhatIsUsedIsCoated);
    RUN(everythingIsWritten);
    RUN(documentsSayWhatIsWrong);
    RUN(rotationsAreMadeUnit);
    RUN(everyAllocationMayFail);
    snArena_Destroy(&arena);
    return snTest_Finish();
}
