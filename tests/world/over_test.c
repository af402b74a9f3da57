// Skins over surfaces that deform: a mesh that is led, and a soft body of the same world. Feet are never inside, by an
// independent count; bands stay at their places while the skin slides.
#include "body/skin/skin_body.h"
#include "geometry/primitive.h"
#include "geometry/winding.h"
#include "tests/body/skin/skins.h"
#include "tests/world/worlds.h"

#define MOST_VERTICES 20000

static snVec3 surface[MOST_VERTICES], rest[MOST_VERTICES];

// How deep the deepest foot is in a surface, as a share of its size: inside by what the surface goes round, and every triangle is asked.
static double deepestFoot(const snElasticSkin *skin, const snMesh *mesh)
{
    static snVec3 normals[MOST_POINTS];
    snBox box = snMesh_Bounds(mesh);
    double worst = 0.0;
    snSkinMesh_Normals(skin->mesh, skin->places, normals);
    for (int i = 0; i < skin->mesh->pointCount; i++) {
        snVec3 foot = snMulAdd(skin->places[i], -skin->points[i].fat, normals[i]);
        if (snMesh_Winding(mesh, foot) < 0.5) continue;
        double near = INFINITY;
        for (int t = 0; t < mesh->triangleCount; t++) {
            const int *c = mesh->triangles + 3 * t;
            snTriangle at = {mesh->positions[c[0]], mesh->positions[c[1]], mesh->positions[c[2]]};
            near = fmin(near, snDistance(foot, snClosestOnTriangle(foot, at, NULL)));
        }
        worst = fmax(worst, near);
    }
    return worst / snDistance(box.lower, box.upper);
}

// A skin around a surface, tied to it by soft bands. `mesh` must stay as long as the definition is used.
static void defineSkin(const snMesh *mesh, double cell, double fat)
{
    snSkinUnder under;
    snMesh around;
    CHECK(snSkinUnder_Make(&under, mesh, 1, &setup.arena, NULL) == SN_OK);
    CHECK(snSkinUnder_Surface(&under, cell, fat + 0.002, &around, &setup.arena, NULL) == SN_OK);
    CHECK(around.vertexCount < MOST_POINTS);
    memcpy(setup.places, around.positions, (size_t)around.vertexCount * sizeof(snVec3));
    CHECK(snSkinMesh_FromTriangles(&setup.mesh, &around, &setup.arena, NULL) == SN_OK);
    snSkinTissue tissue = snDefaultSkinTissue();
    tissue.elasticity = 60.0;
    tissue.fat = fat;
    tissue.bandStiffness = 2e4;
    tissue.damping = 5.0;
    fill(&tissue);
    snSkinUnder_Attach(&under, setup.places, INFINITY, around.vertexCount, setup.points);
    setup.def.under = mesh;
    useSetup(0, 1);
}

// Where points lie on the surface, as they would at rest.
static void feetAtRest(const snElasticSkin *skin, const snMesh *mesh, snVec3 *feet)
{
    for (int i = 0; i < skin->mesh->pointCount; i++) {
        double best = INFINITY;
        for (int t = 0; t < mesh->triangleCount; t++) {
            const int *c = mesh->triangles + 3 * t;
            snTriangle at = {mesh->positions[c[0]], mesh->positions[c[1]], mesh->positions[c[2]]};
            double b[3];
            double far = snDistance(skin->places[i], snClosestOnTriangle(skin->places[i], at, b));
            if (far >= best) continue;
            best = far;
            feet[i] = snVec(0, 0, 0);
            for (int k = 0; k < 3; k++)
                feet[i] = snMulAdd(feet[i], b[k], rest[c[k]]);
        }
    }
}

// Squashed and wrung to and fro.
static void deform(double time, int count)
{
    double squash = 1.0 + 0.25 * snSin(9.0 * time), wring = 3.0 * snSin(7.0 * time);
    for (int v = 0; v < count; v++) {
        snVec3 p = rest[v];
        double a = wring * p.y, x = p.x / sqrt(squash), z = p.z / sqrt(squash);
        surface[v] = snVec(snCos(a) * x + snSin(a) * z, squash * p.y, snCos(a) * z - snSin(a) * x);
    }
}

static void slidesOverALedMesh(void)
{
    static int triangles[6 * MOST_VERTICES];
    static snVec3 before[MOST_POINTS], after[MOST_POINTS];
    beginSetup();
    snMuscleShape ball = snDefaultMuscleShape(SN_SHAPE_SUPERELLIPSOID);
    ball.shape.size = snVec(0.12, 0.2, 0.12);
    snMuscle muscle = snMakeMuscle(&ball, snIdentityAffine());
    int count = SN_MUSCLE_VERTICES(14, 18);
    snMuscle_Mesh(&muscle, 14, 18, rest, triangles);
    memcpy(surface, rest, sizeof rest);
    snMesh mesh = {count, SN_MUSCLE_TRIANGLES(14, 18), surface, triangles};
    defineSkin(&mesh, 0.045, 0.006);
    snElasticSkin *skin;
    CHECK(snElasticSkin_Make(&skin, &setup.def, &setup.context, NULL) == SN_OK);
    feetAtRest(skin, &mesh, before);
    double deepest = 0.0, slid = 0.0, off = 0.0;
    for (int k = 1; k <= 60; k++) {
        deform(k / 60.0, count);
        snElasticSkin_AimUnder(skin, surface);
        CHECK(snElasticSkin_Step(skin, 1.0 / 60.0, setup.frames, NULL));
        deepest = fmax(deepest, deepestFoot(skin, &mesh));
        if (k % 10) continue;
        feetAtRest(skin, &mesh, after);
        for (int i = 0; i < skin->mesh->pointCount; i++)
            slid = fmax(slid, snDistance(before[i], after[i]));
    }
    // Bands end where the material of the surface is.
    for (int i = 0; i < skin->mesh->pointCount; i++) {
        const snSkinPoint *p = &skin->points[i];
        const int *c = skin->under.shell.shell->triangles + 3 * p->face;
        const double b[3] = {p->attach.x, p->attach.y, p->attach.z};
        snVec3 place = {0, 0, 0};
        for (int k = 0; k < 3; k++)
            place = snMulAdd(place, b[k], surface[skin->under.shell.source[c[k]]]);
        off = fmax(off, snDistance(place, skin->bandTo[i]));
        CHECK(p->muscle == SN_SKIN_SURFACE);
    }
    printf("over a led mesh of %d triangles: %d points, deepest %.1e of its size, slid by %.1f mm, "
           "bands off by %.1e m\n",
           mesh.triangleCount, skin->mesh->pointCount, deepest, 1000 * slid, off);
    CHECK(deepest < 1e-4 && slid > 0.003 && off < 1e-12);
    snElasticSkin_Destroy(skin);
    endSetup();
}

// ---- in a world ---------------------------------------------------------------------------------

static snWorld *makeOver(const snContext *context)
{
    snWorldDef def = snDefaultWorldDef();
    snWorld *world;
    CHECK(snWorld_Make(&world, &def, context, NULL) == SN_OK);
    BlockDef block = blockDef();
    block.young = 4e4;
    block.solid.name = "flesh";
    int number = addBlock(world, &block, snVec(0, 0.4, 0));
    snBody *flesh = world->bodies.data[number];
    memcpy(rest, flesh->restSurface, (size_t)flesh->vertexCount * sizeof(snVec3));
    memcpy(surface, rest, sizeof rest);
    static snMesh mesh;
    mesh = (snMesh){flesh->vertexCount, flesh->triangleCount, rest, flesh->triangles};
    setup.context = *context;
    defineSkin(&mesh, 0.05, 0.008);
    snSkinBodyDef skin = snDefaultSkinBodyDef();
    skin.skin = &setup.def;
    skin.step = def.step;
    skin.over = flesh;
    snBody *body;
    snError error = {0};
    if (!CHECK(snSkinBody_Make(&body, &skin, context, &error) == SN_OK))
        printf("%s\n", error.message);
    snAffine place = snIdentityAffine();
    place.origin.y = 0.4;
    snBody_Put(body, &place);
    CHECK(snWorld_AddBody(world, body, &number, NULL) == SN_OK);
    return world;
}

static snVec3 shaken(snVec3 at, int k)
{
    return snAdd(at, snVec(0.08 * snSin(0.2 * k), 0.05 * snSin(0.15 * k), 0));
}

static void slidesOverFlesh(void)
{
    beginSetup();
    snContext context = snDefaultContext();
    snWorld *world = makeOver(&context);
    const snBody *flesh = world->bodies.data[0];
    const snElasticSkin *skin = snSkinBody_Skin(world->bodies.data[1]);
    snMesh mesh = {flesh->vertexCount, flesh->triangleCount, surface, flesh->triangles};
    unsigned char *bytes = SN_NEW(&setup.arena, unsigned char, snWorld_SaveSize(world));
    double deepest = 0.0, far = 0.0;
    uint64_t hash = 0;
    snGrabDef hand = {.body = 0, .spot = snRestSpot(snVec(0.15, 0.1, 0.1)), .hard = true};
    int grab;
    CHECK(snWorld_Grab(world, &hand, &grab, NULL) == SN_OK);
    snVec3 at = snVec(0.15, 0.5, 0.1);
    for (int k = 1; k <= 72; k++) {
        if (k == 60) snWorld_Save(world, bytes);
        snWorld_MoveGrab(world, grab, shaken(at, k));
        snWorld_Step(world);
        for (int v = 0; v < flesh->vertexCount; v++)
            surface[v] = snBody_Vertex(flesh, v);
        deepest = fmax(deepest, deepestFoot(skin, &mesh));
        for (int i = 0; i < skin->mesh->pointCount; i++)
            far = fmax(far, snDistance(skin->places[i], skin->bandTo[i]));
        CHECK(!world->reports.data[1].failed);
    }
    hash = snWorld_Hash(world);
    CHECK(snWorld_Restore(world, bytes, snWorld_SaveSize(world), NULL) == SN_OK);
    for (int k = 60; k <= 72; k++) {
        snWorld_MoveGrab(world, grab, shaken(at, k));
        snWorld_Step(world);
    }
    CHECK(snWorld_Hash(world) == hash);
    printf("over a soft block that is shaken: %d points, deepest %.1e of its size, bands up to "
           "%.1f mm "
           "long\n",
           skin->mesh->pointCount, deepest, 1000 * far);
    CHECK(deepest < 1e-4 && far < 0.1);
    snWorld_Destroy(world);
    endSetup();
}

// ---- both feel each other -----------------------------------------------------------------------

typedef struct Pair {
    snWorld *world;
    snBody *flesh, *body;
    snElasticSkin *skin;
} Pair;

// A soft block in a skin of some times its weight, tied by soft bands.
static Pair makePair(const snContext *context, double ratio, double bands, snVec3 gravity)
{
    const double fat = 0.008;
    Pair pair;
    snWorldDef def = snDefaultWorldDef();
    def.gravity = gravity;
    CHECK(snWorld_Make(&pair.world, &def, context, NULL) == SN_OK);
    BlockDef block = blockDef();
    block.young = 4e4;
    block.solid.name = "flesh";
    block.solid.cover = fat;
    int number = addBlock(pair.world, &block, snVec(0, 0.4, 0));
    pair.flesh = pair.world->bodies.data[number];
    memcpy(rest, pair.flesh->restSurface, (size_t)pair.flesh->vertexCount * sizeof(snVec3));
    static snMesh mesh;
    mesh =
        (snMesh){pair.flesh->vertexCount, pair.flesh->triangleCount, rest, pair.flesh->triangles};
    setup.context = *context;
    defineSkin(&mesh, 0.05, fat);
    snBodyMeasure flesh;
    snBody_Measure(pair.flesh, &flesh);
    double area = 0.0;
    for (int i = 0; i < setup.mesh.pointCount; i++)
        area += setup.mesh.area[i];
    for (int i = 0; i < setup.mesh.pointCount; i++) {
        setup.points[i].mass = ratio * flesh.mass / area;
        setup.points[i].bandStiffness = bands;
    }
    snSkinBodyDef skin = snDefaultSkinBodyDef();
    skin.skin = &setup.def;
    skin.step = def.step;
    skin.over = pair.flesh;
    skin.presses = true;
    CHECK(snSkinBody_Make(&pair.body, &skin, context, NULL) == SN_OK);
    pair.skin = snSkinBody_Skin(pair.body);
    snAffine place = snIdentityAffine();
    place.origin.y = 0.4;
    snBody_Put(pair.body, &place);
    CHECK(snWorld_AddBody(pair.world, pair.body, &number, NULL) == SN_OK);
    return pair;
}

static snVec3 momentumOf(const Pair *pair)
{
    snWorldMeasure m;
    snWorld_Measure(pair->world, &m);
    return snAdd(m.sum.momentum, snSkinBody_Owed(pair->body));
}

// The flesh is thrown, and takes its skin along: all of it goes on with the momentum that the flesh had, and comes to one velocity.
static void bothKeepMomentum(void)
{
    static const double ratios[] = {0.1, 1.0};
    for (int k = 0; k < 2; k++) {
        beginSetup();
        snContext context = snDefaultContext();
        Pair pair = makePair(&context, ratios[k], 2e4, snVec(0, 0, 0));
        snBody_SetVelocity(pair.flesh, snVec(1.0, 0.2, 0), snVec(0, 0, 0));
        snBodyMeasure flesh, skin;
        snBody_Measure(pair.flesh, &flesh);
        snVec3 begin = momentumOf(&pair);
        double off = 0.0, owed = 0.0, most = 0.0;
        for (int i = 0; i < 240; i++) {
            snWorldMeasure m;
            snWorld_Step(pair.world);
            off = fmax(off, snDistance(momentumOf(&pair), begin));
            owed = fmax(owed, snLength(snSkinBody_Owed(pair.body)));
            snWorld_Measure(pair.world, &m);
            most = fmax(most, m.sum.kinetic);
        }
        snBody_Measure(pair.flesh, &flesh);
        snBody_Measure(pair.body, &skin);
        snVec3 a = snScale(1.0 / flesh.mass, flesh.momentum);
        snVec3 b = snScale(1.0 / skin.mass, skin.momentum);
        double size = snLength(begin);
        printf("a skin of %.1f of its flesh's weight: momentum off by %.1e, owed %.1e at most; "
               "velocities "
               "at last %.3f and %.3f, %.3f m/s expected\n",
               skin.mass / flesh.mass, off / size, owed / size, a.x, b.x,
               begin.x / (skin.mass + flesh.mass));
        CHECK(off < 1e-10 * size && owed < 0.2 * size);
        CHECK(snDistance(a, b) < 0.05 && most < 0.5 * snDot(begin, begin) / flesh.mass * 1.001);
        snWorld_Destroy(pair.world);
        endSetup();
    }
}

// A block that hangs by a spring carries its skin: the spring bears the weight of both.
static void fleshCarriesItsSkin(void)
{
    static const double ratios[] = {0.1, 1.0};
    for (int k = 0; k < 2; k++) {
        beginSetup();
        snContext context = snDefaultContext();
        Pair pair = makePair(&context, ratios[k], 2e5, snVec(0, -9.81, 0));
        snBodyMeasure flesh, skin;
        snVec3 at = snVec(0, 0.1, 0), hung = snVec(0, 0.5, 0);
        snGrabDef hand = {.body = 0, .spot = snRestSpot(at), .stiffness = 8e3, .damping = 120.0};
        int grab = -1, steps = 240;
        double bears = 0.0, time = steps * pair.world->def.step;
        if (!CHECK(snWorld_Grab(pair.world, &hand, &grab, NULL) == SN_OK)) return;
        snWorld_MoveGrab(pair.world, grab, hung);
        for (int i = 0; i < steps; i++) {
            snWorld_Step(pair.world);
            int point = pair.world->grabs[grab].point;
            snVec3 place = snBody_Place(pair.flesh, point), v = snBody_Velocity(pair.flesh, point);
            bears += (hand.stiffness * (hung.y - place.y) - hand.damping * v.y) / steps;
        }
        snBody_Measure(pair.flesh, &flesh);
        snBody_Measure(pair.body, &skin);
        double weight = 9.81 * (flesh.mass + skin.mass), gained = momentumOf(&pair).y / time;
        printf(
            "hung, with a skin of %.1f of its weight: the spring bears %.3f N of both, which weigh "
            "%.3f N\n",
            skin.mass / flesh.mass, bears - gained, weight);
        CHECK(fabs(bears - gained - weight) < 1e-3 * weight);
        snWorld_Destroy(pair.world);
        endSetup();
    }
}

// Dropped on a floor, there is room for the fat below the flesh, and feet are not in it.
static void fatHasRoomOnTheFloor(void)
{
    beginSetup();
    snContext context = snDefaultContext();
    Pair pair = makePair(&context, 0.1, 2e4, snVec(0, -9.81, 0));
    snWorldColliderDef floor = {.name = "floor", .shape = snMakeCollider(SN_COLLIDER_PLANE)};
    int number;
    floor.shape.friction = 0.5;
    CHECK(snWorld_AddCollider(pair.world, &floor, &number, NULL) == SN_OK);
    snMesh mesh = {pair.flesh->vertexCount, pair.flesh->triangleCount, surface,
                   pair.flesh->triangles};
    double deepest = 0.0, last = 0.0, low = INFINITY, below = 0.0;
    for (int k = 0; k < 180; k++) {
        snWorld_Step(pair.world);
        for (int v = 0; v < pair.flesh->vertexCount; v++) {
            surface[v] = snBody_Vertex(pair.flesh, v);
            if (k == 179) low = fmin(low, surface[v].y);
        }
        last = deepestFoot(pair.skin, &mesh);
        deepest = fmax(deepest, last);
        for (int i = 0; i < pair.skin->mesh->pointCount; i++)
            below = fmax(below, -pair.skin->places[i].y);
    }
    printf(
        "on a floor: deepest %.1e of its size, %.1e at last; points below it by %.1e m; the flesh "
        "%.1f mm above it\n",
        deepest, last, below, 1000 * low);
    CHECK(deepest < 5e-4 && last < 1e-4 && below < 1e-9);
    snWorld_Destroy(pair.world);
    endSetup();
}

// What a body lies over comes first.
static void orderIsChecked(void)
{
    beginSetup();
    snContext context = snDefaultContext();
    snWorld *world = makeOver(&context), *other;
    snWorldDef def = snDefaultWorldDef();
    snError error = {0};
    CHECK(snWorld_Make(&other, &def, &context, NULL) == SN_OK);
    snSkinBodyDef skin = snDefaultSkinBodyDef();
    snBody *body;
    int number;
    skin.skin = &setup.def;
    skin.step = def.step;
    skin.over = world->bodies.data[0];
    CHECK(snSkinBody_Make(&body, &skin, &context, NULL) == SN_OK);
    CHECK(snWorld_AddBody(other, body, &number, &error) == SN_ERROR_ARGUMENT);
    snWorld_Destroy(other);
    snWorld_Destroy(world);
    endSetup();
}

int main(void)
{
    RUN(slidesOverALedMesh);
    RUN(slidesOverFlesh);
    RUN(bothKeepMomentum);
    RUN(fleshCarriesItsSkin);
    RUN(fatHasRoomOnTheFloor);
    RUN(orderIsChecked);
    return snTest_Finish();
}
