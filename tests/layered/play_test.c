// Playing: the skin follows the figure, stays out of the muscles, keeps its bits, and is the same at other resolutions within
// what they can show.
#include "layered/play.h"
#include "tests/layered/made.h"

// A ball on a stalk that goes to and fro.
#define SWING                                                                                      \
    "settings duration=0.4 rate=30\n"                                                              \
    "joint add low parent=none at=0,-0.11,0 size=4cm\n"                                            \
    "joint add high at=0,0.22,0 kind=fixed size=4cm\n"                                             \
    "muscle add ball joint=low at=0,0.11,0 size=0.1\n"                                             \
    "muscle bulge ball at=0.1,0,0 width=4cm height=keys(0:0,0.4:0.03)\n"                           \
    "skin create bottom=low top=high rows=9 columns=12 gap=5mm\nskin attach\n"                     \
    "skin paint elasticity=40 stiffness=4000\n"                                                    \
    "posture keep a time=0\npose joint low angles=0,0,20 shift=0.1,0,0\nposture keep b time=0.2\n" \
    "pose reset\nposture keep c time=0.4\n"

static void theSkinFollows(void)
{
    snEditor editor = makeEditor(SWING);
    snPlayDef def = snDefaultPlayDef();
    snPlay *play, *again;
    snError error = {0};
    snVec3f places[110], others[110];
    snVec3 before[108], after[108];
    def.settle = 0.2;
    if (!CHECK(snPlay_Make(&play, &editor.layered, &def, &error) == SN_OK)) {
        printf("%s\n", error.message);
        return;
    }
    CHECK(snPlay_Make(&again, &editor.layered, &def, NULL) == SN_OK);
    CHECK(snPlay_Surface(play)->vertexCount == 110 && snPlay_Surface(play)->pointCount == 108);
    CHECK(snPlay_Surface(play)->triangleCount == 2 * 8 * 12 + 24);
    snPlay_Feet(play, before);
    double slid = 0;
    for (int i = 1; i <= 12; i++) {
        CHECK(snPlay_Advance(play, i / 30.0));
        CHECK(snPlay_Deepest(play) < 1e-4);
        const snFigure *figure = snPlay_Figure(play);
        snPlay_Places(play, places);
        for (int v = 12; v < 96; v++) { // it stays on the ball
            double d = snMuscle_Distance(&figure->muscles[0], snFromF(places[v]));
            CHECK(d > 0 && d < 0.03);
        }
    }
    snPlay_Feet(play, after);
    for (int i = 0; i < 108; i++)
        if (snDistance(before[i], after[i]) > slid) slid = snDistance(before[i], after[i]);
    CHECK(slid > 1e-4 && slid < 0.05); // it slides, and not off
    for (int i = 1; i <= 12; i++)
        CHECK(snPlay_Advance(again, i / 30.0));
    snPlay_Places(again, others);
    CHECK(!memcmp(places, others, sizeof places));
    snPlay_Destroy(play);
    snPlay_Destroy(again);
    snEditor_Destroy(&editor);
}

static void otherResolutionsAreAlike(void)
{
    snEditor editor =
        makeEditor(SWING "skin create bottom=low top=high rows=13 columns=16 gap=5mm\n"
                         "skin attach\nskin paint elasticity=40 stiffness=4000\n");
    snPlayDef def = {.settle = 0.1};
    snPlay *coarse, *fine;
    static snVec3f a[13 * 16 + 2], b[25 * 32 + 2];
    CHECK(snPlay_Make(&coarse, &editor.layered, &def, NULL) == SN_OK);
    def.rows = 25, def.columns = 32; // every second one is a point of the coarse grid
    if (!CHECK(snPlay_Make(&fine, &editor.layered, &def, NULL) == SN_OK)) return;
    CHECK(snPlay_Advance(coarse, 0.2) && snPlay_Advance(fine, 0.2));
    snPlay_Places(coarse, a);
    snPlay_Places(fine, b);
    double worst = 0;
    for (int row = 0; row < 13; row++)
        for (int column = 0; column < 16; column++) {
            double d =
                snDistance(snFromF(a[row * 16 + column]), snFromF(b[2 * row * 32 + 2 * column]));
            if (d > worst) worst = d;
        }
    CHECK(worst < 0.05 * 0.2); // of its height, while it is swung
    snPlay_Destroy(coarse);
    snPlay_Destroy(fine);
    snEditor_Destroy(&editor);
}

// Steps far too long for it: that is told as soon as it is so, and not when all frames have been computed.
static void whatFliesApartIsTold(void)
{
    snEditor editor = makeEditor(SWING "skin paint elasticity=1e8\n"
                                       "settings integrator=euler fixed=on step=10ms\n");
    snPlayDef def = snDefaultPlayDef();
    snPlay *play;
    snError error = {0};
    def.settle = 1000;
    CHECK(snPlay_Make(&play, &editor.layered, &def, &error) == SN_ERROR_NUMERIC && !play);
    CHECK(strstr(error.message, "flew apart when it settled") != NULL);
    def.settle = 0;
    if (!CHECK(snPlay_Make(&play, &editor.layered, &def, &error) == SN_OK)) return;
    CHECK(!snPlay_Advance(play, 1000) && !snPlay_Advance(play, 2000));
    snPlay_Destroy(play);
    snEditor_Destroy(&editor);
}

// Four times as stiff all over, by a number, by keys that come to it, or by the values of its points: the same bits in the first and
// the last case, for the factor is a power of two.
static void stiffnessIsAFactor(void)
{
    static const char *const ways[] = {
        "skin paint elasticity=160 stiffness=16000 band-damping=80\n",
        "skin paint elasticity=40 stiffness=4000 band-damping=20\nskin set stiffness=4\n",
        ("skin paint elasticity=40 stiffness=4000 band-damping=20\n"
         "skin set stiffness=keys(0:1,0.1:4)\n")};
    static snVec3f at[3][13 * 16 + 2];
    for (int i = 0; i < 3; i++) {
        snEditor editor = makeEditor(
            SWING "skin create bottom=low top=high rows=13 columns=16 gap=5mm way=rays\nskin "
                  "attach\n");
        runScript(&editor, ways[i]);
        snPlayDef def = {.settle = 0.1};
        snPlay *play;
        CHECK(snPlay_Make(&play, &editor.layered, &def, NULL) == SN_OK);
        CHECK(snPlay_Advance(play, 0.2));
        snPlay_Places(play, at[i]);
        CHECK(snPlay_Stiffness(play, 0.2) == (i ? 4 : 1));
        snPlay_Destroy(play);
        snEditor_Destroy(&editor);
    }
    CHECK(!memcmp(at[0], at[1], sizeof at[0]));
    CHECK(memcmp(at[1], at[2], sizeof at[1]) != 0); // it was soft at first
}

// A mesh goes on with a quarter of its points, and comes back; what is seen stays where it was.
static void meshesHaveLevels(void)
{
    snEditor editor = makeEditor(SWING "skin mesh cell=2cm blend=1cm\nskin attach\n");
    snPlayBodyDef def = {
        .name = "mesh", .step = 1.0 / 60, .mostPoints = 4, .levels = 3, .friction = -1};
    snBody *body;
    snError error = {0};
    if (!CHECK(snPlayBody_Make(&body, &editor.layered, &def, &error) == SN_OK)) {
        printf("%s\n", error.message);
        return;
    }
    CHECK(body->levelCount >= 2);
    snVec3f *before = malloc((size_t)body->vertexCount * sizeof *before);
    snVec3f *after = malloc((size_t)body->vertexCount * sizeof *after);
    snBodyStep step = {.length = def.step, .ticks = 1, .gravity = {0, -9.81, 0}, .stiffness = 1};
    for (int k = 0; k < 12; k++) {
        snBodyReport report;
        int level = k / 3 % 2;
        snBody_Surface(body, before, NULL);
        snBody_SetLevel(body, level);
        snBody_Surface(body, after, NULL);
        double moved = 0;
        for (int v = 0; v < body->vertexCount; v++)
            moved = fmax(moved, snDistance(snFromF(before[v]), snFromF(after[v])));
        CHECK(moved < 0.012); // of a body of 22 cm, with edges of 4 cm
        snBody_Begin(body, &step);
        snBody_Advance(body);
        snBody_Finish(body, &report);
        CHECK(snIsFinite3(snFromF(after[0])));
    }
    free(before);
    free(after);
    snBody_Destroy(body);
    snEditor_Destroy(&editor);
}

// A mark colours what is inside of it, whatever points the skin has.
static void marksAreSharp(void)
{
    snEditor editor = makeEditor(
        SWING "skin create bottom=low top=high rows=13 columns=16 gap=5mm way=rays color=1,1,1\n"
              "skin mark spot at=0,0.1,0.1 size=4cm,2cm,9cm edge=0 color=0,0,0.25\n");
    snPlayDef def = {.smooth = 2};
    snPlay *play;
    CHECK(snPlay_Make(&play, &editor.layered, &def, NULL) == SN_OK);
    const snPlaySurface *s = snPlay_Surface(play);
    snVec3f *places = malloc((size_t)s->vertexCount * sizeof *places);
    int inside = 0;
    snPlay_Places(play, places);
    for (int v = 0; v < s->vertexCount; v++) {
        double x = (double)places[v].x / 0.04, y = ((double)places[v].y - 0.1) / 0.02,
               z = ((double)places[v].z - 0.1) / 0.09, r = sqrt(x * x + y * y + z * z);
        if (fabs(r - 1) < 1e-4) continue;
        inside += r < 1;
        CHECK(fabs((double)s->colors[4 * v] - (r < 1 ? 0 : 1)) < 1e-6);
        CHECK(fabs((double)s->colors[4 * v + 2] - (r < 1 ? 0.25 : 1)) < 1e-6);
    }
    CHECK(inside > 5);
    free(places);
    snPlay_Destroy(play);
    snEditor_Destroy(&editor);
}

static void withoutASkinThereIsNothing(void)
{
    snEditor editor = makeEditor("joint add a\nmuscle add m\n");
    snPlayDef def = snDefaultPlayDef();
    snPlay *play;
    CHECK(snPlay_Make(&play, &editor.layered, &def, NULL) == SN_ERROR_ARGUMENT && !play);
    snEditor_Destroy(&editor);
}

static void everyAllocationFails(void)
{
    snEditor made = makeEditor(
        "joint add a parent=none\njoint add b at=0,0.3,0\nmuscle add m joint=a at=0,0.15,0\n"
        "skin create bottom=a top=b rows=4 columns=4 rounds=2\nskin attach\n");
    for (int failAt = 1; failAt < 2000; failAt++) {
        snFailingMemory memory = {.failAtWay = failAt};
        snLayered layered = made.layered; // the same rows, another allocator
        snTest_UseFailingMemory(&layered.context, &memory);
        snPlayDef def = {.settle = 0, .rows = 5, .columns = 6};
        snPlay *play;
        snStatus status = snPlay_Make(&play, &layered, &def, NULL);
        snPlay_Destroy(play);
        CHECK(memory.alive == 0 && (!status || status == SN_ERROR_MEMORY));
        if (!status) break;
    }
    snEditor_Destroy(&made);
}

int main(void)
{
    RUN(theSkinFollows);
    RUN(otherResolutionsAreAlike);
    RUN(whatFliesApartIsTold);
    RUN(stiffnessIsAFactor);
    RUN(meshesHaveLevels);
    RUN(marksAreSharp);
    RUN(withoutASkinThereIsNothing);
    RUN(everyAllocationFails);
    return snTest_Finish();
}
