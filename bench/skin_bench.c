// Table 1 of Turner and Gobbetti 1998, as our own: three bodies of as many and such muscles as theirs, each wrapped by the
// sphere that shrinks on, 1,024 points, dancing for two seconds; every solver. Times are of one core's own work.
#include "bench/bench.h"
#include "body/skin/make.h"
#include "core/elementary.h"

#include <stdio.h>
#include <string.h>

#define COLUMNS 32
#define ROWS 32
#define POINTS (COLUMNS * ROWS)
#define MOST_MUSCLES 40
#define FRAMES 4 // hip, chest, head, arms
#define SECONDS 2

typedef struct Dancer {
    const char *name;
    int muscleCount;
    snSkinMuscle muscles[MOST_MUSCLES];
    double height; // of hip over the rim below, chest over hip, head over chest
    snSkinRim rims[2];
    snArena arena;
    snSkinMesh mesh;
    snSkinPoint points[POINTS];
    snVec3 places[POINTS];
} Dancer;

static void add(Dancer *d, snShapeKind kind, int frame, snVec3 at, snVec3 size, double e)
{
    snSkinMuscle *m = &d->muscles[d->muscleCount++];
    m->shape = snDefaultMuscleShape(kind);
    m->shape.shape.place.origin = at;
    m->shape.shape.size = size;
    m->shape.shape.e1 = m->shape.shape.e2 = e;
    m->frame = frame;
}

static void ball(Dancer *d, int frame, double x, double y, double z, double r)
{
    add(d, SN_SHAPE_SPHERE, frame, snVec(x, y, z), snVec(r, r, r), 1.0);
}

static void makePenguin(Dancer *d)
{
    *d = (Dancer){.name = "penguin", .height = 0.22};
    ball(d, 0, 0, 0, 0, 0.20);
    ball(d, 0, 0, -0.02, 0.08, 0.18);
    ball(d, 1, 0, 0, 0, 0.17);
    ball(d, 2, 0, 0, 0, 0.12);
    ball(d, 2, 0, -0.01, 0.09, 0.045);
    ball(d, 3, 0.17, -0.02, 0, 0.06);
    ball(d, 3, -0.17, -0.02, 0, 0.06);
    d->rims[0] = (snSkinRim){0, {0, -0.2, 0}, {0, -1, 0}, 0.02};
    d->rims[1] = (snSkinRim){2, {0, 0.12, 0}, {0, 1, 0}, 0.02};
}

// It sits upright.
static void makeWombat(Dancer *d)
{
    *d = (Dancer){.name = "wombat", .height = 0.2};
    ball(d, 0, 0, 0, -0.02, 0.21);
    ball(d, 2, 0, 0.02, 0.02, 0.13);
    add(d, SN_SHAPE_SUPERELLIPSOID, 1, snVec(0, -0.03, 0), snVec(0.20, 0.2, 0.17), 0.8);
    for (int side = -1; side <= 1; side += 2) {
        add(d, SN_SHAPE_SUPERELLIPSOID, 0, snVec(0.14 * side, -0.1, 0.1), snVec(0.08, 0.08, 0.12),
            0.7);
        add(d, SN_SHAPE_SUPERELLIPSOID, 3, snVec(0.16 * side, -0.03, 0.06), snVec(0.06, 0.11, 0.07),
            0.8);
    }
    add(d, SN_SHAPE_CYLINDER, 2, snVec(0, -0.08, 0), snVec(0.1, 0.1, 0.1), 1.0);
    d->rims[0] = (snSkinRim){0, {0, -0.21, -0.02}, {0, -1, 0}, 0.03};
    d->rims[1] = (snSkinRim){2, {0, 0.15, 0.02}, {0, 1, 0}, 0.02};
}

// 26 balls, 12 superellipsoids and 2 cylinders.
static void makeTorso(Dancer *d)
{
    *d = (Dancer){.name = "torso", .height = 0.22};
    for (int i = 0; i < 12; i++) { // the rib cage
        double a = 2.0 * SN_PI * i / 12;
        ball(d, 1, 0.13 * snSin(a), 0.03 - 0.02 * snCos(2.0 * a), 0.08 * snCos(a), 0.06);
    }
    for (int i = 0; i < 8; i++) { // the belly
        double a = 2.0 * SN_PI * i / 8;
        ball(d, 0, 0.1 * snSin(a), 0, 0.07 * snCos(a), 0.07);
    }
    for (int side = -1; side <= 1; side += 2) { // buttocks and shoulders
        ball(d, 0, 0.08 * side, -0.09, -0.06, 0.08);
        ball(d, 3, 0.19 * side, 0.08, 0, 0.06);
    }
    ball(d, 2, 0, 0.05, 0.01, 0.09);
    ball(d, 2, 0, 0.0, 0.04, 0.06);
    for (int side = -1; side <= 1; side += 2) { // chest, back, flanks, thighs
        add(d, SN_SHAPE_SUPERELLIPSOID, 1, snVec(0.07 * side, 0.06, 0.1), snVec(0.07, 0.05, 0.04),
            0.9);
        add(d, SN_SHAPE_SUPERELLIPSOID, 1, snVec(0.08 * side, 0.05, -0.09), snVec(0.07, 0.09, 0.03),
            0.9);
        add(d, SN_SHAPE_SUPERELLIPSOID, 0, snVec(0.12 * side, 0.04, 0), snVec(0.04, 0.09, 0.07),
            0.8);
        add(d, SN_SHAPE_SUPERELLIPSOID, 0, snVec(0.08 * side, -0.1, 0.02), snVec(0.08, 0.1, 0.09),
            0.8);
        for (int i = 0; i < 2; i++)
            add(d, SN_SHAPE_SUPERELLIPSOID, 0, snVec(0.03 * side, -0.02 + 0.07 * i, 0.11),
                snVec(0.03, 0.035, 0.03), 0.8);
    }
    add(d, SN_SHAPE_CYLINDER, 2, snVec(0, -0.06, 0), snVec(0.055, 0.07, 0.055), 1.0);
    add(d, SN_SHAPE_CYLINDER, 0, snVec(0, 0.08, 0), snVec(0.11, 0.06, 0.11), 1.0);
    d->rims[0] = (snSkinRim){0, {0, -0.19, 0}, {0, -1, 0}, 0.03};
    d->rims[1] = (snSkinRim){2, {0, 0.14, 0.01}, {0, 1, 0}, 0.02};
}

static snAffine turned(snVec3 axis, double angle, double y)
{
    return (snAffine){snQuatToMat(snQuatFromAxisAngle(axis, angle)), {0, y, 0}};
}

static void pose(const Dancer *d, double t, snAffine *frames)
{
    snVec3 x = {1, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1};
    double a = snSin(2.0 * SN_PI * t), b = snSin(3.0 * SN_PI * t);
    frames[0] = turned(z, 0.15 * a, 0.2);
    frames[1] = snMulAA(frames[0], turned(z, -0.2 * a, d->height));
    frames[2] = snMulAA(frames[1], turned(x, 0.25 * b, d->height));
    frames[3] = snMulAA(frames[1], turned(y, 0.15 * b, 0.03 * (1.0 - snCos(3.0 * SN_PI * t))));
}

static bool wrap(Dancer *d)
{
    snContext context = snDefaultContext();
    snAffine frames[FRAMES];
    snSkinMuscles muscles;
    snVec3 normals[POINTS];
    snError error = {0};
    d->arena = snMakeArena(&context);
    pose(d, 0.0, frames);
    snStatus status =
        snSkinMuscles_Make(&muscles, d->muscleCount, d->muscles, FRAMES, frames, &d->arena, &error);
    if (!status) status = snSkinMesh_Grid(&d->mesh, COLUMNS, ROWS, &d->arena, &error);
    for (int i = 0; i < POINTS; i++)
        d->points[i] = snDefaultSkinPoint();
    snSkinShrinkDef shrink = snDefaultSkinShrinkDef();
    shrink.mesh = &d->mesh;
    shrink.muscleCount = d->muscleCount;
    shrink.muscles = d->muscles;
    shrink.frameCount = FRAMES;
    shrink.frames = frames;
    shrink.tissue.tightness = 0.05;
    if (!status) {
        snSkinRims_Sphere(d->rims, &d->mesh, &muscles, d->places, d->points);
        status = snElasticSkin_Shrink(&shrink, d->places, d->points, &context, &error);
    }
    if (status) {
        fprintf(stderr, "%s: %s\n", d->name, error.message);
        return false;
    }
    snSkinMesh_Normals(&d->mesh, d->places, normals);
    snElasticSkin_Attach(&muscles, d->places, normals, 0.15, 0, POINTS, d->points);
    return true;
}

typedef struct Dance {
    double seconds, deepest;
    snSkinCount count;
} Dance;

static bool dance(const Dancer *d, snOdeMethod method, Dance *out)
{
    snContext context = snDefaultContext();
    snAffine frames[FRAMES];
    snElasticSkinDef def = snDefaultElasticSkinDef();
    snElasticSkin *skin;
    pose(d, 0.0, frames);
    def.mesh = &d->mesh;
    def.points = d->points;
    def.places = d->places;
    def.muscles = d->muscles;
    def.muscleCount = d->muscleCount;
    def.frames = frames;
    def.frameCount = FRAMES;
    def.method = method;
    if (snElasticSkin_Make(&skin, &def, &context, NULL)) return false;
    skin->clock = snBench_Computed;
    *out = (Dance){0};
    bool good = true;
    for (int k = 0; k < 60 * SECONDS && good; k++) {
        pose(d, (k + 1) / 60.0, frames);
        double begin = snBench_Computed();
        good = snElasticSkin_Step(skin, 1.0 / 60.0, frames, NULL);
        out->seconds += snBench_Computed() - begin;
        out->deepest = fmax(out->deepest, snElasticSkin_Deepest(skin));
    }
    out->count = skin->count;
    snElasticSkin_Destroy(skin);
    return good;
}

static void reportDance(snBench *bench, const Dancer *d, snOdeMethod method, const Dance *o)
{
    const snSkinCount *c = &o->count;
    double steps = (double)c->ode.steps, total = o->seconds;
    char id[96];
    snBench_Note(
        bench,
        "%-8s %-15s step %5.2f ms, %6.2f x real time, force %2.0f %%, constraint %2.0f %%, "
        "other %2.0f %%, %5.0f forces per second, inside tests %4.1f x fewer, deepest %.0e",
        d->name, snOdeMethod_Name(method), 1e3 * SECONDS / steps, SECONDS / total,
        100 * c->forceSeconds / total, 100 * c->pushSeconds / total,
        100 * (1.0 - (c->forceSeconds + c->pushSeconds) / total), (double)c->ode.forces / SECONDS,
        (double)c->push.brute / (double)c->push.tests, o->deepest);
    snprintf(id, sizeof id, "leman/table1-%s-%s", d->name, snOdeMethod_Name(method));
    snBench_Report(bench, id, SECONDS / total, "x real time", "> 1");
}

static void runDancer(snBench *bench, Dancer *d)
{
    Dance dances[SN_ODE_METHODS];
    double deepest = 0.0;
    if (!wrap(d)) {
        snBench_Skip(bench, "a skin could not be made");
        return;
    }
    for (int m = 0; m < SN_ODE_METHODS; m++) {
        if (!dance(d, (snOdeMethod)m, &dances[m])) {
            snBench_Skip(bench, "a skin failed");
            return;
        }
        reportDance(bench, d, (snOdeMethod)m, &dances[m]);
        deepest = fmax(deepest, dances[m].deepest);
    }
    char id[96];
    snprintf(id, sizeof id, "leman/table1-%s-deepest", d->name);
    snBench_Report(bench, id, deepest, "of a muscle's size", "<= 1e-4");
    const Dance *verlet = &dances[SN_ODE_VERLET];
    int64_t least = dances[SN_ODE_EULER].count.ode.forces;
    if (dances[SN_ODE_RK2].count.ode.forces < least) least = dances[SN_ODE_RK2].count.ode.forces;
    snprintf(id, sizeof id, "leman/table1-%s-verlet-forces", d->name);
    snBench_Report(bench, id, (double)verlet->count.ode.forces / (double)least,
                   "of the fewer of euler and rk2", "< 1");
    snprintf(id, sizeof id, "leman/table1-%s-culling", d->name);
    snBench_Report(bench, id, (double)verlet->count.push.brute / (double)verlet->count.push.tests,
                   "x", d->muscleCount > 20 ? ">= 5" : "");
    snArena_Destroy(&d->arena);
}

void snBench_Skins(snBench *bench)
{
    static Dancer dancer;
    void (*const make[3])(Dancer *) = {makePenguin, makeWombat, makeTorso};
    snBench_Note(bench,
                 "%d points, %d s; the paper's machine was 8 to 80 times slower than real time",
                 POINTS, SECONDS);
    for (int i = 0; i < 3; i++) {
        make[i](&dancer);
        runDancer(bench, &dancer);
    }
}
