// Faces of skins against muscles: small ones do not come through between points, what presses on them rests there, fine skins have
// no such faces.
#include "tests/body/skin/skins.h"

// A tube of few points round a column, with a knob that stands between them and grows out.
static void makeColumn(int columns, int rows)
{
    beginSetup();
    makeTube(columns, rows, 0.2, 0.6);
    snSkinTissue tissue = snDefaultSkinTissue();
    tissue.tightness = 0.1;
    fill(&tissue);
    for (int i = 0; i < columns * rows; i++)
        if (i < columns || i >= columns * (rows - 1)) { // its rims stay
            setup.points[i].frame = 1;
            setup.points[i].pin = setup.places[i];
        }
    setup.muscles[0] = (snSkinMuscle){snDefaultMuscleShape(SN_SHAPE_SPHERE), 0, 0};
    setup.muscles[0].shape.shape.size = snVec(0.08, 0.08, 0.08);
}

static void knobsStayCovered(void)
{
    double deepest[2];
    for (int k = 0; k < 2; k++) {
        makeColumn(8, 5);
        setup.def.gravity = snVec(0, 0, 0);
        setup.def.bulge = k ? -0.002 : 0.0;
        double angle = SN_PI / 8;
        snVec3 out = snVec(snSin(angle), 0, snCos(angle));
        setup.frames[0].origin = snMulAdd(snVec(0, 0.075, 0), 0.07, out);
        snElasticSkin *skin = makeSkin(1, 2);
        for (int i = 1; i <= 30; i++) {
            setup.frames[0].origin = snMulAdd(snVec(0, 0.075, 0), 0.07 + 0.003 * i, out);
            CHECK(snElasticSkin_Step(skin, 1.0 / 60.0, setup.frames, NULL));
            CHECK(snElasticSkin_Deepest(skin) < 1e-4);
        }
        snSkinCover all;
        snSkinContact contact = {.mesh = skin->mesh,
                                 .points = skin->points,
                                 .inverseMass = skin->inverseMass,
                                 .muscles = &skin->muscles};
        CHECK(snSkinCover_Make(&all, &contact, skin->places, -1e-9, &setup.arena, NULL) == SN_OK);
        deepest[k] = snSkinCover_Deepest(&all, &contact, skin->places);
        endSetup();
    }
    printf("a knob of 8 cm is %.1f mm through a face with points alone, %.1f mm with samples\n",
           1e3 * deepest[0], 1e3 * deepest[1]);
    CHECK(deepest[0] > 0.02 && deepest[1] < 0.004);
}

// How far a knob of this radius that rises comes through the middle of a face: by 41 × 41 places on every face.
static double comesThrough(double radius, double bulge)
{
    makeColumn(8, 5);
    setup.muscles[0].shape.shape.size = snVec(radius, radius, radius);
    setup.def.gravity = snVec(0, 0, 0);
    setup.def.bulge = bulge;
    double angle = SN_PI / 8, from = 0.15 - radius, way = fmin(0.09, 0.166 - from);
    snVec3 out = snVec(snSin(angle), 0, snCos(angle)), low = snVec(0, 0.075, 0);
    setup.frames[0].origin = snMulAdd(low, from, out);
    snElasticSkin *skin = makeSkin(1, 2);
    for (int i = 1; i <= 30; i++) {
        setup.frames[0].origin = snMulAdd(low, from + way * i / 30, out);
        CHECK(snElasticSkin_Step(skin, 1.0 / 60.0, setup.frames, NULL));
        CHECK(snElasticSkin_Deepest(skin) < 1e-4);
    }
    double deepest = 0.0;
    for (int f = 0; f < skin->mesh->faceCount; f++)
        for (int k = 0; k < 41 * 41; k++) {
            const int *c = skin->mesh->corner + 4 * (size_t)f;
            double s = k % 41 / 40.0, t = k / 41 / 40.0;
            snVec3 near = snLerp(skin->places[c[0]], skin->places[c[1]], s);
            snVec3 far = snLerp(skin->places[c[3]], skin->places[c[2]], s);
            deepest =
                fmax(deepest, -snMuscle_Distance(&skin->muscles.now[0], snLerp(near, far, t)));
        }
    endSetup();
    return deepest;
}

static void knobsOfAnySizeStayCovered(void)
{
    static const double radii[3] = {0.08, 0.03, 0.015};
    for (int i = 0; i < 3; i++) {
        double bare = comesThrough(radii[i], 0.0), kept = comesThrough(radii[i], -0.002);
        printf(
            "a knob of %g cm is %.1f mm through a face with points alone, %.1f mm with samples\n",
            1e2 * radii[i], 1e3 * bare, 1e3 * kept);
        CHECK(bare > 0.5 * radii[i] && kept < 0.3 * radii[i] + 0.002);
    }
}

// With the knob 16 cm from the axis, for as many frames.
static snElasticSkin *pressKnob(snOdeMethod method, int frames)
{
    makeColumn(8, 5);
    setup.def.gravity = snVec(0, 0, 0);
    setup.def.bulge = -0.002;
    setup.def.method = method;
    for (int i = 0; i < setup.mesh.pointCount; i++)
        setup.points[i].damping *= 50.0; // what is free comes to rest too
    snVec3 out = snVec(snSin(SN_PI / 8), 0, snCos(SN_PI / 8));
    setup.frames[0].origin = snMulAdd(snVec(0, 0.075, 0), 0.16, out);
    snElasticSkin *skin = makeSkin(1, 2);
    for (int i = 0; i < frames; i++)
        CHECK(snElasticSkin_Step(skin, 1.0 / 60.0, setup.frames, NULL));
    return skin;
}

// Skin that is drawn over a knob comes to rest: what presses it on has no effect, and steps get long.
static void pressedSkinRests(void)
{
    for (int m = 0; m < SN_ODE_METHODS; m++) {
        snElasticSkin *skin = pressKnob((snOdeMethod)m, 60);
        int64_t before = skin->count.ode.steps;
        double fastest = 0.0;
        int held = 0;
        for (int i = 0; i < 12; i++) {
            CHECK(snElasticSkin_Step(skin, 1.0 / 60.0, setup.frames, NULL));
            for (int p = 0; p < skin->mesh->pointCount; p++)
                fastest = fmax(fastest, snLength(skin->velocities[p]));
        }
        for (int i = 0; i < skin->cover.count; i++)
            held += skin->cover.heldUp[i];
        int steps = (int)(skin->count.ode.steps - before);
        printf("%s: %d samples held up, %.1e m/s at most, %d steps in 12 frames\n",
               snOdeMethod_Name((snOdeMethod)m), held, fastest, steps);
        // Of others steps are as long as is just stable, or errors as large as is allowed (0.25 m/s in a step).
        CHECK(steps < 50 && held > 0 &&
              fastest < (snOdeMethod_IsImplicit((snOdeMethod)m) ? 0.02 : 0.25));
        endSetup();
    }
}

static double randomly(void)
{
    static unsigned state = 1;
    state = state * 1664525u + 1013904223u;
    return (double)(state >> 8) / (1 << 23) - 1.0;
}

// (Q f)·x = f·(Qᵀ x), Q takes all of what presses where one sample is alone, and never adds to it.
static void holdingIsSymmetric(void)
{
    snElasticSkin *skin = pressKnob(SN_ODE_VERLET, 10);
    snVec3 f[40], x[40], g[40], y[40];
    int n = skin->mesh->pointCount;
    double left = 0.0, right = 0.0, size = 0.0;
    CHECK(n == 40);
    for (int i = 0; i < n; i++) {
        f[i] = g[i] = snVec(randomly(), randomly(), randomly());
        x[i] = y[i] = snVec(randomly(), randomly(), randomly());
    }
    snSkinCover_Hold(&skin->cover, skin->inverseMass, g);
    snSkinCover_Still(&skin->cover, skin->inverseMass, y);
    for (int i = 0; i < n; i++) {
        left += snDot(g[i], x[i]);
        right += snDot(f[i], y[i]);
        size += snLength(f[i]) * snLength(x[i]);
    }
    printf("samples held up: (Q f)·x and f·(Qᵀ x) differ by %.1e\n", fabs(left - right) / size);
    CHECK(fabs(left - right) < 1e-14 * size);
    endSetup();
}

static void fineSkinsHaveNone(void)
{
    makeColumn(48, 41);
    setup.def.bulge = 0.005;
    setup.frames[0].origin = snVec(0, 0, 0.16);
    snElasticSkin *skin = makeSkin(1, 2);
    CHECK(skin->cover.count == 0);
    endSetup();
}

static void bareMusclesArePassedBy(void)
{
    makeColumn(24, 21);
    setup.muscles[0].bare = 1;
    setup.frames[0].origin = snVec(0, 0, 0.2);
    setup.def.bulge = -0.001;
    snElasticSkin *skin = makeSkin(1, 2);
    double most = 0;
    for (int i = 0; i < skin->mesh->pointCount; i++)
        most = fmax(most, snDistance(skin->places[i], setup.places[i]));
    CHECK(most == 0.0 && snElasticSkin_Deepest(skin) == 0.0);
    endSetup();
}

int main(void)
{
    RUN(knobsStayCovered);
    RUN(knobsOfAnySizeStayCovered);
    RUN(pressedSkinRests);
    RUN(holdingIsSymmetric);
    RUN(fineSkinsHaveNone);
    RUN(bareMusclesArePassedBy);
    return snTest_Finish();
}
