#include "tests/body/skin/penguin.h"

// ---- orders -------------------------------------------------------------------------------------

// A tube between two rims, pulled out of shape and let go: smooth, and nothing to bump into.
static void runTube(snOdeMethod method, double h, snVec3 *out)
{
    beginSetup();
    makeTube(12, 9, 0.2, 0.6);
    snSkinTissue tissue = snDefaultSkinTissue();
    tissue.viscosity = 0.0;
    tissue.bending = 1e-3;
    fill(&tissue);
    for (int i = 0; i < 12; i++) {
        setup.points[i].frame = setup.points[96 + i].frame = 0;
        setup.points[i].pin = setup.places[i];
        setup.points[96 + i].pin = setup.places[96 + i];
    }
    for (int i = 12; i < 96; i++) {
        snVec3 *p = &setup.places[i];
        *p = snVec(1.1 * p->x + 0.02 * snSin(9.0 * p->y), p->y + 0.01 * p->z, 1.05 * p->z);
    }
    setup.def.method = method;
    setup.def.control.fixed = h;
    setup.def.control.settle = 1e-12;
    setup.def.control.linear = 1e-13;
    snElasticSkin *skin = makeSkin(0, 1);
    CHECK(snElasticSkin_Step(skin, 0.032, setup.frames, NULL));
    memcpy(out, skin->places, 108 * sizeof *out);
    endSetup();
}

static double apart(int n, const snVec3 *a, const snVec3 *b)
{
    double worst = 0.0;
    for (int i = 0; i < n; i++)
        worst = fmax(worst, snDistance(a[i], b[i]));
    return worst;
}

static void orders(void)
{
    static const double order[SN_ODE_METHODS] = {1, 1, 2, 2, 4, 4};
    static snVec3 exact[108], places[108];
    runTube(SN_ODE_RK4, 2.5e-5, exact);
    for (int m = 0; m < SN_ODE_METHODS; m++) {
        double error[2], h = order[m] > 3 ? 1e-3 : 2.5e-4;
        for (int k = 0; k < 2; k++) {
            runTube((snOdeMethod)m, h / (1 << k), places);
            error[k] = apart(108, places, exact);
        }
        double seen = snLn(error[0] / error[1]) / snLn(2.0);
        printf("%-15s errors %.2e %.2e, order %.2f\n", snOdeMethod_Name((snOdeMethod)m), error[0],
               error[1], seen);
        CHECK_NEAR(seen, order[m], 0.2);
    }
}

// ---- on muscles ---------------------------------------------------------------------------------

static void shrinksOn(void)
{
    snElasticSkin *skin = makePenguin(24, 24);
    double height = 0.0;
    int bare = 0, banded = 0;
    for (int i = 0; i < skin->mesh->pointCount; i++) {
        snVec3 p = skin->places[i];
        double nearest = 1.0;
        for (int k = 0; k < 7; k++)
            nearest = fmin(nearest, snMuscle_Distance(&skin->muscles.now[k], p));
        bare += nearest > 0.08; // bridges between balls
        banded += setup.points[i].muscle >= 0;
        height = fmax(height, p.y);
    }
    printf("shrunk: volume %.4f, %d of %d far from muscles, %d with bands, deepest %.1e\n",
           skin->elastic.volume, bare, skin->mesh->pointCount, banded, snElasticSkin_Deepest(skin));
    CHECK(bare == 0 && banded == skin->mesh->pointCount - 48);
    CHECK(snElasticSkin_Deepest(skin) < 1e-5);
    CHECK_NEAR(height, PENGUIN_HEIGHT, 0.01);
    endSetup();
}

// All methods, a second of a lively dance: never inside after any step, and never far from each other.
static void staysOut(void)
{
    static snVec3 first[MOST_POINTS];
    for (int m = 0; m < SN_ODE_METHODS; m++) {
        snElasticSkin *skin = makePenguin(16, 16);
        double worst = 0.0;
        skin->method = (snOdeMethod)m;
        for (int k = 0; k < 45; k++) {
            posePenguin((k + 1) / 60.0);
            CHECK(snElasticSkin_Step(skin, 1.0 / 60.0, setup.frames, NULL));
            worst = fmax(worst, snElasticSkin_Deepest(skin));
        }
        if (m == 0) memcpy(first, skin->places, sizeof(snVec3) * 256);
        double off = apart(256, first, skin->places);
        printf("%-15s deepest %.1e, from euler %.1e m, tests %ld of %ld, forces %ld\n",
               snOdeMethod_Name((snOdeMethod)m), worst, off, (long)skin->count.push.tests,
               (long)skin->count.push.brute, (long)skin->count.ode.forces);
        CHECK(worst < 1e-4);
        CHECK(off < 0.03 * PENGUIN_HEIGHT);
        CHECK(2 * skin->count.push.tests < skin->count.push.brute);
        endSetup();
    }
}

// With fat between: the feet r - τ n stay out.
static void fatStaysOut(void)
{
    wrapPenguin(16, 16);
    for (int i = 0; i < setup.mesh.pointCount; i++)
        setup.points[i].fat = setup.points[i].frame < 0 ? 0.01 + 0.01 * (i % 3) : 0.0;
    snElasticSkin *skin = makeSkin(7, 5);
    double worst = 0.0;
    for (int k = 0; k < 30; k++) {
        posePenguin((k + 1) / 60.0);
        CHECK(snElasticSkin_Step(skin, 1.0 / 60.0, setup.frames, NULL));
        worst = fmax(worst, snElasticSkin_Deepest(skin));
    }
    printf("with fat: deepest %.1e\n", worst);
    CHECK(worst < 1e-4);
    endSetup();
}

// A muscle turns under a skin whose rims stay, and swells: the skin slides over it, held by bands to where they were.
static void skinSlides(void)
{
    beginSetup();
    makeTube(24, 17, 0.1, 0.5);
    for (int i = 0; i < setup.mesh.pointCount; i++) {
        snVec3 *p = &setup.places[i];
        double r = sqrt(p->x * p->x + p->z * p->z);
        p->x *= 0.1 / r;
        p->z *= 0.1 / r;
    }
    setup.muscles[0].shape = snDefaultMuscleShape(SN_SHAPE_SUPERELLIPSOID);
    setup.muscles[0].shape.shape.size = snVec(0.095, 0.3, 0.095);
    setup.muscles[0].shape.shape.e1 = setup.muscles[0].shape.shape.e2 = 0.6;
    setup.muscles[0].frame = 0;
    snSkinTissue tissue = snDefaultSkinTissue();
    tissue.tightness = 0.05;
    tissue.bandStiffness = 5e3;
    fill(&tissue);
    for (int i = 0; i < 24; i++)
        for (int end = 0; end < 2; end++) {
            snSkinPoint *p = &setup.points[end * 384 + i];
            p->frame = 1;
            p->pin = setup.places[end * 384 + i];
        }
    snSkinMuscles muscles;
    CHECK(snSkinMuscles_Make(&muscles, 1, setup.muscles, 2, setup.frames, &setup.arena, NULL) ==
          SN_OK);
    snVec3 *normals = SN_NEW(&setup.arena, snVec3, setup.mesh.pointCount);
    snSkinMesh_Normals(&setup.mesh, setup.places, normals);
    snElasticSkin_Attach(&muscles, setup.places, normals, 0.1, 0, setup.mesh.pointCount,
                         setup.points);
    snElasticSkin *skin = makeSkin(1, 2);
    int point = 8 * 24 + 5;
    snVec3 attach = skin->points[point].attach;
    snVec3 before = snMuscle_Source(
        &skin->muscles.now[0], snMuscle_Project(&skin->muscles.now[0], skin->places[point], NULL));
    snSkinMuscle shape = setup.muscles[0];
    double worst = 0.0;
    shape.shape.warp.bulgeCount = 1;
    for (int k = 1; k <= 30; k++) {
        setup.frames[0] = turned(snVec(0, 1, 0), 0.5 * k / 30.0, snVec(0, 0, 0));
        shape.shape.warp.bulges[0] = (snBulge){{0.1, 0, 0}, {0, 0, 0}, 0.08, 0.04 * k / 30.0};
        CHECK(snElasticSkin_Step(skin, 1.0 / 60.0, setup.frames, &shape));
        worst = fmax(worst, snElasticSkin_Deepest(skin));
    }
    const snMuscle *muscle = &skin->muscles.now[0];
    snVec3 after = snMuscle_Source(muscle, snMuscle_Project(muscle, skin->places[point], NULL));
    snVec3 end = snMuscle_Place(muscle, skin->points[point].attach);
    double slid = snDistance(before, after);
    printf("foot slid by %.4f m on the muscle, band %.4f m long, deepest %.1e\n", slid,
           snDistance(end, skin->places[point]), worst);
    CHECK(slid > 0.005 && slid < 0.06);
    CHECK(snDistance(attach, skin->points[point].attach) == 0.0);
    CHECK(snDistance(end, skin->places[point]) > 0.9 * slid - 0.02);
    CHECK(worst < 1e-4);
    endSetup();
}

// The farthest point of a skin from a surface.
static double fromSurface(const snSkinMesh *mesh, const snVec3 *places, const snElasticSkin *skin)
{
    snMesh surface = {mesh->pointCount, mesh->triangleCount, places, mesh->triangles};
    snMeshTree tree;
    double worst = 0.0;
    CHECK(snMeshTree_Build(&tree, &surface, &setup.arena, NULL) == SN_OK);
    for (int i = 0; i < skin->mesh->pointCount; i++)
        worst = fmax(worst, snMeshTree_Closest(&tree, skin->places[i], 1.0).distance);
    return worst;
}

// The same penguin with 256 points and with 1024, made from it by doubling.
static void resolutionKeepsMotion(void)
{
    static snVec3 coarse[20][256];
    wrapPenguin(16, 16);
    snSkinMesh fine;
    snSkinBlend *blend;
    snElasticSkin *skin = makeSkin(7, 5);
    double mass[2] = {0, 0}, worst = 0.0;
    for (int i = 0; i < 256; i++)
        mass[0] += skin->mass[i];
    for (int k = 0; k < 40; k++) {
        posePenguin((k + 1) / 60.0);
        snElasticSkin_Step(skin, 1.0 / 60.0, setup.frames, NULL);
        if (k % 2) memcpy(coarse[k / 2], skin->places, sizeof coarse[0]);
    }
    snElasticSkin_Destroy(skin);
    CHECK(snSkinMesh_Resample(&fine, &blend, &setup.mesh, 32, 32, &setup.arena, NULL) == SN_OK);
    static snSkinPoint points[1024];
    static snVec3 places[1024];
    snSkinPoint_Blend(blend, 1024, setup.points, points);
    snSkinPlaces_Blend(blend, 1024, setup.places, places);
    memcpy(setup.points, points, sizeof points);
    memcpy(setup.places, places, sizeof places);
    snSkinMesh before = setup.mesh;
    setup.mesh = fine;
    posePenguin(0.0);
    skin = makeSkin(7, 5);
    for (int i = 0; i < 1024; i++)
        mass[1] += skin->mass[i];
    CHECK_NEAR(mass[1] / mass[0], 1.0, 0.02);
    for (int k = 0; k < 40; k++) {
        posePenguin((k + 1) / 60.0);
        snElasticSkin_Step(skin, 1.0 / 60.0, setup.frames, NULL);
        if (k % 2 == 0) continue;
        worst = fmax(worst, fromSurface(&before, coarse[k / 2], skin));
    }
    // Half of it back again: means of values keep what they mean.
    snSkinMesh half;
    CHECK(snSkinMesh_Resample(&half, &blend, &fine, 16, 16, &setup.arena, NULL) == SN_OK);
    CHECK(half.pointCount == before.pointCount && half.faceCount == before.faceCount);
    printf("256 and 1024 points: %.4f m apart at most, %.1f %% of the height; mass %.3f and %.3f\n",
           worst, 100.0 * worst / PENGUIN_HEIGHT, mass[0], mass[1]);
    CHECK(worst < 0.03 * PENGUIN_HEIGHT);
    endSetup();
}

// ---- others -------------------------------------------------------------------------------------

static void sameBitsAgain(void)
{
    for (int m = 0; m < SN_ODE_METHODS; m++) {
        uint64_t hash[2];
        snElasticSkin *skin = makePenguin(12, 10);
        skin->method = (snOdeMethod)m;
        for (int k = 0; k < 5; k++) {
            posePenguin((k + 1) / 60.0);
            snElasticSkin_Step(skin, 1.0 / 60.0, setup.frames, NULL);
        }
        void *bytes = snArena_Alloc(&setup.arena, 1, snElasticSkin_SaveSize(skin));
        snElasticSkin_Save(skin, bytes);
        for (int again = 0; again < 2; again++) {
            snElasticSkin_Restore(skin, bytes);
            for (int k = 5; k < 10; k++) {
                posePenguin((k + 1) / 60.0);
                snElasticSkin_Step(skin, 1.0 / 60.0, setup.frames, NULL);
            }
            hash[again] = snElasticSkin_Hash(skin);
        }
        CHECK(hash[0] == hash[1]);
        endSetup();
    }
}

// A closed skin squeezed by springs: pressure keeps the volume.
static void pressureKeepsVolume(void)
{
    double volume[2];
    for (int k = 0; k < 2; k++) {
        beginSetup();
        makeBallSkin(0.2, 10, 14);
        snSkinTissue tissue = snDefaultSkinTissue();
        fill(&tissue);
        setup.def.gravity = snVec(0, 0, 0);
        setup.def.pressure = k ? 2e4 : 0.0;
        snElasticSkin *skin = makeSkin(0, 1);
        double whole = snSkinElastic_Volume(&skin->elastic, skin->places);
        int low = skin->mesh->pointCount - 2, high = low + 1; // the poles are pushed together
        for (int i = 0; i < 60; i++) {
            double y = 0.2 - 0.1 * fmin(i / 30.0, 1.0);
            skin->led[low] = skin->led[high] = true;
            skin->ledTo[low] = snVec(0, -y, 0);
            skin->ledTo[high] = snVec(0, y, 0);
            CHECK(snElasticSkin_Step(skin, 1.0 / 60.0, setup.frames, NULL));
        }
        volume[k] = snSkinElastic_Volume(&skin->elastic, skin->places) / whole;
        endSetup();
    }
    printf("volume after a squeeze: %.3f without pressure, %.3f with\n", volume[0], volume[1]);
    CHECK(fabs(volume[1] - 1.0) < 0.01 && fabs(volume[1] - 1.0) < 0.5 * fabs(volume[0] - 1.0));
}

// A body with arms and legs: the surface of all muscles as a skin.
static void anyTopology(void)
{
    beginSetup();
    makePenguinMuscles();
    posePenguin(0.0);
    snSkinMuscles muscles;
    snMesh surface;
    CHECK(snSkinMuscles_Make(&muscles, 7, setup.muscles, 5, setup.frames, &setup.arena, NULL) ==
          SN_OK);
    snSkinUnionDef def = {.cell = 0.04, .blend = 0.05, .grow = 0.005};
    CHECK(snSkinMuscles_Surface(&muscles, &def, &surface, &setup.arena, NULL) == SN_OK);
    CHECK(surface.vertexCount < MOST_POINTS);
    memcpy(setup.places, surface.positions, (size_t)surface.vertexCount * sizeof(snVec3));
    CHECK(snSkinMesh_FromTriangles(&setup.mesh, &surface, &setup.arena, NULL) == SN_OK);
    snSkinTissue tissue = snDefaultSkinTissue();
    fill(&tissue);
    snVec3 *normals = SN_NEW(&setup.arena, snVec3, setup.mesh.pointCount);
    snSkinMesh_Normals(&setup.mesh, setup.places, normals);
    snElasticSkin_Attach(&muscles, setup.places, normals, 0.1, 0, setup.mesh.pointCount,
                         setup.points);
    snElasticSkin *skin = makeSkin(7, 5);
    double worst = 0.0;
    for (int k = 0; k < 20; k++) {
        posePenguin((k + 1) / 60.0);
        CHECK(snElasticSkin_Step(skin, 1.0 / 60.0, setup.frames, NULL));
        worst = fmax(worst, snElasticSkin_Deepest(skin));
    }
    printf("%d points of a closed skin: deepest %.1e\n", setup.mesh.pointCount, worst);
    CHECK(worst < 1e-4);
    snSkinMesh fine;
    snSkinBlend *blend;
    CHECK(snSkinMesh_Refine(&fine, &blend, &setup.mesh, &setup.arena, NULL) == SN_OK);
    CHECK(fine.faceCount == 4 * setup.mesh.faceCount);
    CHECK(fine.pointCount == setup.mesh.pointCount + setup.mesh.ringCount / 2);
    double area[2] = {0, 0};
    for (int i = 0; i < setup.mesh.pointCount; i++)
        area[0] += setup.mesh.area[i];
    for (int i = 0; i < fine.pointCount; i++)
        area[1] += fine.area[i];
    CHECK_NEAR(area[1] / area[0], 1.0, 1e-12);
    endSetup();
}

static void fallsFreely(void)
{
    beginSetup();
    makeTube(12, 9, 0.2, 0.6);
    snSkinTissue tissue = snDefaultSkinTissue();
    tissue.damping = 0.0;
    fill(&tissue);
    snElasticSkin *skin = makeSkin(0, 1);
    double y[2] = {0, 0}, mass = 0.0;
    for (int i = 0; i < 108; i++)
        y[0] += skin->mass[i] * skin->places[i].y, mass += skin->mass[i];
    for (int k = 0; k < 30; k++)
        CHECK(snElasticSkin_Step(skin, 1.0 / 60.0, setup.frames, NULL));
    for (int i = 0; i < 108; i++)
        y[1] += skin->mass[i] * skin->places[i].y;
    CHECK_NEAR((y[1] - y[0]) / mass, -0.5 * 9.81 * 0.25, 1e-3);
    endSetup();
}

// ---- what touches -------------------------------------------------------------------------------

#define BALL                                                                                       \
    0.1 // m, a muscle about which a skin stands a little off, with hardly any forces of its own

static void makeLooseBall(double away)
{
    beginSetup();
    makeBallSkin(BALL + away, 12, 16);
    setup.muscles[0].shape = snDefaultMuscleShape(SN_SHAPE_SPHERE);
    setup.muscles[0].shape.shape.size.x = BALL;
    setup.muscles[0].frame = 0;
    snSkinTissue tissue = snDefaultSkinTissue();
    tissue.elasticity = 1e-6;
    tissue.tightness =
        -0.01; // it is not pressed on: what is pressed on a muscle and hardly leaves it lies on it
    tissue.damping = tissue.viscosity = tissue.bending = 0.0;
    fill(&tissue);
    setup.def.gravity = snVec(0, 0, 0);
    setup.def.bulge = 0.0;
}

// LEMAN's rule for velocities, relative to the muscle: -k∥ v∥ + k⊥ v⊥ of points that come nearer, with k⊥ = exp(-friction h). The ball itself
// flies along. Points that leave it are left alone.
static void velocitiesAtMuscles(void)
{
    const double h = 1e-3, into = 1.0, along = 0.4;
    const snVec3 flight = {0.3, -0.2, 0.1};
    for (int leaving = 0; leaving < 2; leaving++) {
        makeLooseBall(leaving ? -2e-4 : 2e-4);
        setup.def.restitution = 0.3;
        setup.def.friction = 100.0;
        setup.def.method = SN_ODE_EULER;
        setup.def.control.fixed = h;
        snElasticSkin *skin = makeSkin(1, 1);
        double normal = leaving ? 0.05 : -into, worst[2] = {0, 0};
        for (int i = 0; i < skin->mesh->pointCount; i++) {
            snVec3 out = snNormalizeOr(skin->places[i], snVec(0, 1, 0));
            snVec3 side = snNormalizeOr(snCross(out, snVec(0, 1, 0)), snVec(1, 0, 0));
            skin->velocities[i] = snAdd(snAdd(flight, snScale(normal, out)), snScale(along, side));
        }
        setup.frames[0].origin = snScale(h, flight);
        CHECK(snElasticSkin_Step(skin, h, setup.frames, NULL));
        for (int i = 0; i < skin->mesh->pointCount; i++) {
            snVec3 out =
                snNormalizeOr(snSub(skin->places[i], setup.frames[0].origin), snVec(0, 1, 0));
            snVec3 v = snSub(skin->velocities[i], flight);
            double across = snLength(snMulAdd(v, -snDot(v, out), out));
            double normalThen = leaving ? 0.05 : 0.3 * into;
            double acrossThen = (leaving ? 1.0 : snExp(-100.0 * h)) * along;
            worst[0] = fmax(worst[0], fabs(snDot(v, out) - normalThen));
            worst[1] = fmax(worst[1], fabs(across - acrossThen));
        }
        printf(
            "points that %s the muscle: velocities along the normal within %.1e m/s, across %.1e\n",
            leaving ? "leave" : "reach", worst[0], worst[1]);
        CHECK(worst[0] < 0.01 && worst[1] < 0.01); // they turn by h v/r = 4e-3 meanwhile
        endSetup();
    }
}

// LEMAN's ε_c: what would be pushed farther out than `correction` takes the step back, and a shorter one is tried.
static void deepStepsAreTakenBack(void)
{
    long corrected[2], steps[2];
    for (int k = 0; k < 2; k++) {
        makeLooseBall(0.02);
        setup.def.correction = k ? 1e-3 : 1.0;
        snElasticSkin *skin = makeSkin(1, 1);
        for (int i = 0; i < skin->mesh->pointCount; i++)
            skin->velocities[i] = snScale(-4.0, snNormalizeOr(skin->places[i], snVec(0, 1, 0)));
        CHECK(snElasticSkin_Step(skin, 1.0 / 60.0, setup.frames, NULL));
        corrected[k] = (long)skin->count.ode.corrected;
        steps[k] = (long)skin->count.ode.steps;
        CHECK(skin->count.ode.forced == 0);
        CHECK(snElasticSkin_Deepest(skin) < 1e-4);
        endSetup();
    }
    printf(
        "shot at a muscle: with 1 m allowed %ld steps and %ld taken back, with 1 mm %ld and %ld\n",
        steps[0], corrected[0], steps[1], corrected[1]);
    CHECK(corrected[0] == 0);
    CHECK(corrected[1] > 0 && corrected[1] < 30 && steps[1] > steps[0]);
}

static void memoryRunsOut(void)
{
    wrapPenguin(6, 5);
    for (int failAt = 1; failAt < 200; failAt++) {
        snContext context = snDefaultContext();
        snFailingMemory memory = {.failAtWay = failAt};
        snTest_UseFailingMemory(&context, &memory);
        setup.def.mesh = &setup.mesh;
        setup.def.points = setup.points;
        setup.def.places = setup.places;
        setup.def.muscleCount = 7;
        setup.def.muscles = setup.muscles;
        setup.def.frameCount = 5;
        setup.def.frames = setup.frames;
        snElasticSkin *skin;
        snStatus status = snElasticSkin_Make(&skin, &setup.def, &context, NULL);
        CHECK((status == SN_OK) == (memory.count < failAt));
        snElasticSkin_Destroy(skin);
        CHECK(memory.alive == 0);
        if (status == SN_OK) break;
    }
    endSetup();
}

int main(void)
{
    RUN(orders);
    RUN(shrinksOn);
    RUN(staysOut);
    RUN(fatStaysOut);
    RUN(skinSlides);
    RUN(resolutionKeepsMotion);
    RUN(sameBitsAgain);
    RUN(pressureKeepsVolume);
    RUN(anyTopology);
    RUN(fallsFreely);
    RUN(velocitiesAtMuscles);
    RUN(deepStepsAreTakenBack);
    RUN(memoryRunsOut);
    return snTest_Finish();
}
