// Fields: values against closed forms, turbulence without sources and as strong as it says, and what they do to bodies of every model.
#include "layered/play.h"
#include "tests/layered/made.h"
#include "tests/world/models.h"

static Bumble bumble, limp;

static snVec3 valueAt(const snFieldDef *def, double time, snVec3 x)
{
    double place[3] = {x.x, x.y, x.z}, value[3];
    snFieldDef_Value(def, time, place, value);
    return snVec(value[0], value[1], value[2]);
}

static void closedForms(void)
{
    snFieldDef def = snDefaultFieldDef();
    def.kind = SN_FIELD_RADIAL;
    def.strength = -3;
    def.radius = 2;
    def.center[0] = 1;
    double peak = 2 / sqrt(5.0);
    CHECK_NEAR(valueAt(&def, 0, snVec(1 + peak, 0, 0)).x, -3, 1e-12);
    CHECK_NEAR(snLength(valueAt(&def, 0, snVec(1, 0, 0))), 0, 0);
    CHECK_NEAR(snLength(valueAt(&def, 0, snVec(1, 2.01, 0))), 0, 0);
    def.kind = SN_FIELD_VORTEX;
    def.value[1] = 5; // an axis of any length
    snVec3 v = valueAt(&def, 0, snVec(1 + peak, 7, 0));
    CHECK_NEAR(v.z, 3, 1e-12); // y × x = -z, times -3
    CHECK_NEAR(v.x, 0, 1e-12);
    def.from = 1, def.to = 2;
    CHECK_NEAR(snLength(valueAt(&def, 0.5, snVec(1 + peak, 7, 0))), 0, 0);
    CHECK_NEAR(snLength(valueAt(&def, 2, snVec(1 + peak, 7, 0))), 0, 0);
    def.radius = 0;
    CHECK(snFieldDef_Check(&def, NULL) == SN_ERROR_ARGUMENT);
}

static void turbulenceHasNoSources(void)
{
    snFieldDef def = snDefaultFieldDef();
    def.kind = SN_FIELD_TURBULENCE;
    def.strength = 4;
    def.scale = 0.7;
    def.period = 0.3;
    def.seed = 7;
    snRandom random = snMakeRandom(5);
    double sum = 0, e = 1e-5, worst = 0, mean = 0;
    const int count = 20000;
    for (int k = 0; k < count; k++) {
        snVec3 x = {snRandom_Uniform(&random, -9, 9), snRandom_Uniform(&random, -9, 9),
                    snRandom_Uniform(&random, -9, 9)};
        double t = snRandom_Uniform(&random, 0, 9);
        snVec3 v = valueAt(&def, t, x);
        sum += snLengthSquared(v);
        mean += v.x / count;
        if (k % 100) continue;
        double divergence = 0;
        for (int a = 0; a < 3; a++) {
            snVec3 d = {a == 0 ? e : 0, a == 1 ? e : 0, a == 2 ? e : 0};
            snVec3 up = valueAt(&def, t, snAdd(x, d)), low = valueAt(&def, t, snSub(x, d));
            divergence += ((&up.x)[a] - (&low.x)[a]) / (2 * e);
        }
        worst = fmax(worst, fabs(divergence));
    }
    printf("turbulence: root mean square %.3f of 4, mean %.3f, divergence %.1e 1/s at most\n",
           sqrt(sum / count), mean, worst);
    CHECK_NEAR(sqrt(sum / count), 4, 0.05);
    CHECK(fabs(mean) < 0.1 && worst < 1e-6);
    snFieldDef other = def;
    other.seed = 8;
    CHECK(snDistance(valueAt(&def, 1, snVec(1, 2, 3)), valueAt(&other, 1, snVec(1, 2, 3))) > 0.01);
}

// Bodies of all models in the same field as a push, and in a wind: momentum is what the sum of forces says.
static snWorld *inField(Model model, const snFieldDef *field, const snContext *context)
{
    snWorld *world = newWorld(context, 0);
    int number;
    addModel(world, model, model == LIMP ? &limp : &bumble, 1, snVec(0, 1, 0));
    CHECK(snWorld_AddField(world, field, &number, NULL) == SN_OK);
    return world;
}

static snBodyMeasure measured(snWorld *world)
{
    snBodyMeasure m;
    snBody_Measure(world->bodies.data[0], &m);
    return m;
}

static void pushesMass(void)
{
    snContext context = snDefaultContext();
    snFieldDef field = snDefaultFieldDef();
    field.air = false;
    field.value[0] = 2, field.value[1] = -1;
    for (Model model = 0; model < MODELS; model++) {
        if (model == RIGGED) continue; // its bones bear a part of it
        snWorld *world = inField(model, &field, &context);
        for (int k = 0; k < 30; k++)
            snWorld_Step(world);
        snBodyMeasure m = measured(world);
        snVec3 wanted = snScale(m.mass * 0.25, snVec(2, -1, 0));
        printf("%-8s momentum off by %.1e\n", modelNames[model],
               snDistance(m.momentum, wanted) / snLength(wanted));
        CHECK(snDistance(m.momentum, wanted) < 1e-6 * snLength(wanted));
        snWorld_Destroy(world);
    }
}

// ½ ρ c A |uₙ| uₙ n at a triangle that stands still.
static snVec3 forceAt(snVec3 a, snVec3 b, snVec3 c, snVec3 wind)
{
    snVec3 area = snScale(0.5, snCross(snSub(b, a), snSub(c, a)));
    double along = snDot(wind, area) / (snLength(area) + 1e-300);
    return snScale(0.5 * 1.2 * 0.5 * fabs(along) * along, area);
}

static snVec3 windForce(const snBody *body, snVec3 wind)
{
    snVec3 sum = {0, 0, 0};
    for (int t = 0; t < body->triangleCount; t++) {
        const int *c = body->triangles + 3 * (size_t)t;
        sum = snAdd(sum, forceAt(snBody_Vertex(body, c[0]), snBody_Vertex(body, c[1]),
                                 snBody_Vertex(body, c[2]), wind));
    }
    return sum;
}

static void blowsOnSurfaces(void)
{
    snContext context = snDefaultContext();
    snFieldDef field = snDefaultFieldDef();
    snVec3 wind = {3, 1, -2};
    field.value[0] = wind.x, field.value[1] = wind.y, field.value[2] = wind.z;
    for (Model model = 0; model < MODELS; model++) {
        if (model == RIGGED) continue;
        snWorld *world = inField(model, &field, &context);
        snVec3 force = windForce(world->bodies.data[0], wind);
        snWorld_Step(world);
        snBodyMeasure m = measured(world);
        double off = snDistance(snScale(120, m.momentum), force) / snLength(force);
        printf("%-8s blown with %.3f N, off by %.1e of it\n", modelNames[model], snLength(force),
               off);
        // Corners of a character's lattice that hardly any flesh is at are lighter than the air that they meet in a step.
        CHECK(off < (model == LIMP ? 5e-3 : model == COAT ? 1e-3 : 1e-6));
        for (int k = 0; k < (model == LIMP ? 60 : 600); k++)
            snWorld_Step(world);
        m = measured(world);
        snVec3 speed = snScale(1 / m.mass, m.momentum);
        CHECK(isfinite(m.kinetic) &&
              snLength(speed) < 1.02 * snLength(wind)); // never faster than the air
        snWorld_Destroy(world);
    }
}

// ---- links under skins ------------------------------------------------------------------------------

// A ball with two arms under a skin, whose ends are fixed to links.
#define HEAP                                                                                       \
    "joint add low parent=none at=0,-0.2,0 size=4cm\n"                                             \
    "joint add mid at=0,0.2,0 size=2cm\n"                                                          \
    "joint add high at=0,0.2,0 kind=fixed size=4cm\n"                                              \
    "muscle add ball joint=mid size=0.18\n"                                                        \
    "skin create bottom=low top=high rows=12 columns=12 gap=5mm\nskin attach\n"                    \
    "skin paint elasticity=60 stiffness=6000 damping=0 metric=0.85,0,0.85\n"

typedef struct Heap {
    snEditor editor;
    snWorld *world;
    snBody *body;
} Heap;

static void makeHeap(Heap *heap, const snFieldDef *field, const snContext *context)
{
    *heap = (Heap){.editor = makeEditor(HEAP), .world = newWorld(context, 0)};
    snStrength slack = snDefaultStrength();
    slack.strength = slack.hand = 0;
    snPlayBodyDef def = {.name = "heap",
                         .step = heap->world->def.step,
                         .play = {.settle = 0.2, .smooth = 0},
                         .strength = &slack,
                         .density = 1000,
                         .friction = -1};
    int number;
    CHECK(snPlayBody_Make(&heap->body, &heap->editor.layered, &def, NULL) == SN_OK);
    CHECK(snWorld_AddBody(heap->world, heap->body, &number, NULL) == SN_OK);
    if (field) CHECK(snWorld_AddField(heap->world, field, &number, NULL) == SN_OK);
}

static void freeHeap(Heap *heap)
{
    snWorld_Destroy(heap->world);
    snEditor_Destroy(&heap->editor);
}

// What skin and links have, and what is on its way from one to the other.
static snVec3 momentumOf(const Heap *heap)
{
    return snAdd(measured(heap->world).momentum,
                 snSkinLinks_Owed(snSkinBody_Links(heap->body), heap->world->def.step));
}

static void linksUnderSkins(void)
{
    snContext context = snDefaultContext();
    snFieldDef field = snDefaultFieldDef();
    field.air = false;
    field.value[0] = 2, field.value[1] = -1;
    Heap heap, still;
    makeHeap(&heap, &field, &context);
    makeHeap(&still, NULL, &context);
    double mass = measured(heap.world).mass;
    for (int k = 0; k < 30; k++) {
        snWorld_Step(heap.world);
        snWorld_Step(still.world);
    }
    snVec3 got = snSub(momentumOf(&heap), momentumOf(&still));
    snVec3 wanted = snScale(0.25 * mass, snVec(2, -1, 0));
    double off = snDistance(got, wanted) / snLength(wanted), apart = 0;
    for (int v = 0; v < heap.body->vertexCount; v++) { // it goes as one piece
        snVec3 way = snSub(snBody_Vertex(heap.body, v), snBody_Vertex(still.body, v));
        apart = fmax(apart, snDistance(way, snScale(0.5 * 31.0 / 30 * 0.0625, snVec(2, -1, 0))));
    }
    printf("links under a skin: %.1f kg, momentum off by %.1e, places by %.4f m of 0.07\n", mass,
           off, apart);
    CHECK(off < 1e-9 && apart < 0.005);
    freeHeap(&heap);
    freeHeap(&still);
}

// Air that blows at all of the skin moves all of what is under it, points that are fixed to links too.
static void windOnLinks(void)
{
    snContext context = snDefaultContext();
    snFieldDef field = snDefaultFieldDef();
    snVec3 wind = {3, 1, -2};
    field.value[0] = wind.x, field.value[1] = wind.y, field.value[2] = wind.z;
    Heap heap, still;
    makeHeap(&heap, &field, &context);
    makeHeap(&still, NULL, &context);
    const snElasticSkin *skin = snSkinBody_Skin(heap.body);
    snVec3 force = {0, 0, 0};
    for (int t = 0; t < skin->mesh->triangleCount; t++) { // its own, whatever is drawn
        const int *c = skin->mesh->triangles + 3 * (size_t)t;
        force =
            snAdd(force, forceAt(skin->places[c[0]], skin->places[c[1]], skin->places[c[2]], wind));
    }
    snWorld_Step(heap.world);
    snWorld_Step(still.world);
    snVec3 got = snScale(120, snSub(momentumOf(&heap), momentumOf(&still)));
    printf("air at a skin over links: %.3f N, off by %.1e\n", snLength(force),
           snDistance(got, force) / snLength(force));
    CHECK(snDistance(got, force) < 1e-9 * snLength(force));
    for (int k = 0; k < 240; k++)
        snWorld_Step(heap.world);
    snBodyMeasure m = measured(heap.world);
    snVec3 speed = snScale(1 / m.mass, m.momentum);
    CHECK(snDot(speed, wind) > 0 && snLength(speed) < snLength(wind));
    freeHeap(&heap);
    freeHeap(&still);
}

// A block falls through still air: m g = 2 · ½ ρ c A v², front and back.
static void fallsNoFaster(void)
{
    snContext context = snDefaultContext();
    snWorld *world = newWorld(&context, 9.81);
    snFieldDef still = snDefaultFieldDef();
    int number;
    snBody *body = newLatticeBody((ModelDef){0.01, -1, {0, 0, 0}}, &context); // 2 kg/m³
    CHECK(snWorld_AddField(world, &still, &number, NULL) == SN_OK);
    CHECK(snWorld_AddBody(world, body, &number, NULL) == SN_OK); // has room all the same
    for (int k = 0; k < 600; k++)
        snWorld_Step(world);
    snBodyMeasure m = measured(world);
    double speed = -m.momentum.y / m.mass, wanted = sqrt(m.mass * 9.81 / (1.2 * 0.5 * 0.09));
    printf("falls with %.4f m/s, %.4f by its drag\n", speed, wanted);
    CHECK_NEAR(speed, wanted, 0.01 * wanted);
    snWorld_Destroy(world);
}

// A character's flesh is blown aside, and comes back to its rig when the wind is gone.
static void blowsFlesh(void)
{
    snContext context = snDefaultContext();
    snFieldDef field = snDefaultFieldDef();
    field.value[0] = 40;
    field.to = 0.5;
    snWorld *world = inField(RIGGED, &field, &context);
    snBody *body = world->bodies.data[0];
    snVec3 *rest = malloc((size_t)body->vertexCount * sizeof *rest);
    double most = 0, last = 0, along = 0;
    for (int v = 0; v < body->vertexCount; v++)
        rest[v] = snBody_Vertex(body, v);
    for (int k = 0; k < 480; k++) {
        snWorld_Step(world);
        last = 0;
        for (int v = 0; v < body->vertexCount; v++) {
            snVec3 off = snSub(snBody_Vertex(body, v), rest[v]);
            last = fmax(last, snLength(off));
            if (k == 20) along = fmax(along, off.x);
        }
        most = fmax(most, last);
    }
    printf("flesh is blown by %.3f m, %.4f m three seconds after\n", most, last);
    CHECK(most > 0.005 && along > 0.5 * most * 0.2 && last < 0.1 * most);
    free(rest);
    snWorld_Destroy(world);
}

int main(void)
{
    makeBumble(&bumble, 300, SN_MOTION_SECONDARY);
    makeLimpBumble(&limp, 30, 1.0 / 120, 1.5 * SN_DEMO_CROWD_EDGE);
    RUN(closedForms);
    RUN(turbulenceHasNoSources);
    RUN(pushesMass);
    RUN(blowsOnSurfaces);
    RUN(linksUnderSkins);
    RUN(windOnLinks);
    RUN(fallsNoFaster);
    RUN(blowsFlesh);
    freeBumble(&limp);
    freeBumble(&bumble);
    return snTest_Finish();
}
