#include "body/skin/fold.h"
#include "tests/body/skin/crossing.h"
#include "tests/body/skin/skins.h"

static int sheetTriangles[6 * MOST_POINTS];

// Flat sheets of triangles in the plane of x and z, one above the other.
typedef struct Sheet {
    int columns, rows;
    double width, depth;
    snVec3 middle;
} Sheet;

static void makeSheets(const Sheet *sheets, int count)
{
    int points = 0, triangles = 0;
    for (int s = 0; s < count; s++) {
        const Sheet *sheet = &sheets[s];
        for (int j = 0; j < sheet->rows; j++)
            for (int i = 0; i < sheet->columns; i++) {
                double x = (double)i / (sheet->columns - 1) - 0.5;
                double z = (double)j / (sheet->rows - 1) - 0.5;
                setup.places[points + j * sheet->columns + i] =
                    snAdd(sheet->middle, snVec(x * sheet->width, 0, z * sheet->depth));
            }
        for (int j = 0; j + 1 < sheet->rows; j++)
            for (int i = 0; i + 1 < sheet->columns; i++) {
                int a = points + j * sheet->columns + i, b = a + 1, c = a + sheet->columns;
                int corners[6] = {a, c, b, b, c, c + 1};
                memcpy(sheetTriangles + 3 * triangles, corners, sizeof corners);
                triangles += 2;
            }
        points += sheet->columns * sheet->rows;
    }
    snMesh mesh = {points, triangles, setup.places, sheetTriangles};
    CHECK(snSkinMesh_FromTriangles(&setup.mesh, &mesh, &setup.arena, NULL) == SN_OK);
    setup.def.gravity = snVec(0, 0, 0);
}

static snSkinTissue freeTissue(void)
{
    snSkinTissue tissue = snDefaultSkinTissue();
    tissue.damping = 0.0;
    return tissue;
}

typedef struct Momentum {
    snVec3 linear, angular;
    double size; // of what it is a sum of
    double energy;
} Momentum;

static Momentum momentumOf(const snElasticSkin *skin)
{
    Momentum m = {{0, 0, 0}, {0, 0, 0}, 0.0, 0.0};
    for (int i = 0; i < skin->mesh->pointCount; i++) {
        snVec3 p = snScale(skin->mass[i], skin->velocities[i]);
        m.linear = snAdd(m.linear, p);
        m.angular = snAdd(m.angular, snCross(skin->places[i], p));
        m.size += snLength(p);
        m.energy += 0.5 * snDot(p, skin->velocities[i]);
    }
    return m;
}

static int cutsOf(const snElasticSkin *skin)
{
    return countCuts(skin->mesh->triangleCount, skin->mesh->triangles, skin->places);
}

static void stepOn(snElasticSkin *skin)
{
    CHECK(snElasticSkin_Step(skin, 1.0 / 60.0, setup.frames, NULL));
}

// ---- a sheet that closes like a book ------------------------------------------------------------

static snElasticSkin *makeBook(bool on, snOdeMethod method)
{
    beginSetup();
    makeSheets(&(Sheet){25, 9, 0.6, 0.2, {0, 0, 0}}, 1);
    snSkinTissue tissue = freeTissue();
    fill(&tissue);
    setup.def.fold.on = on;
    setup.def.fold.friction = 0.0;
    setup.def.method = method;
    snElasticSkin *skin = makeSkin(0, 1);
    // Both halves turn upwards about the middle.
    for (int i = 0; i < skin->mesh->pointCount; i++) {
        snVec3 r = skin->places[i];
        double side = r.x > 0 ? 1 : -1;
        skin->velocities[i] = snVec(0, 12 * fabs(r.x) - 1.8, 0.3 * side + 0.5 * r.x);
    }
    return skin;
}

static void aBookCloses(snOdeMethod method)
{
    int cuts[2] = {0, 0};
    for (int on = 0; on < 2; on++) {
        snElasticSkin *skin = makeBook(on, method);
        Momentum before = momentumOf(skin), worst = {0};
        for (int k = 0; k < 30; k++) {
            stepOn(skin);
            Momentum m = momentumOf(skin);
            int now = cutsOf(skin);
            cuts[on] = now > cuts[on] ? now : cuts[on];
            worst.linear.x = fmax(worst.linear.x, snDistance(m.linear, before.linear));
            worst.angular.x = fmax(worst.angular.x, snDistance(m.angular, before.angular));
        }
        printf("book, %s, %s: %d cuts at most; momentum off by %.1e, angular by %.1e of %.2e; "
               "%lld steps, %lld finds, %lld parted, %lld crossed, %lld left, %lld dropped\n",
               snOdeMethod_Name(method), on ? "with" : "without", cuts[on],
               worst.linear.x / before.size, worst.angular.x / (0.3 * before.size), before.size,
               (long long)skin->count.ode.steps, (long long)skin->fold.count.finds,
               (long long)skin->fold.count.parted, (long long)skin->fold.count.crossed,
               (long long)skin->fold.count.left, (long long)skin->fold.count.dropped);
        // Implicit methods solve their systems to a hundredth alone.
        CHECK(snOdeMethod_IsImplicit(method) || worst.linear.x < 1e-12 * before.size);
        CHECK(method != SN_ODE_VERLET || worst.angular.x < 1e-12 * before.size);
        endSetup();
    }
    CHECK(cuts[0] > 0 && cuts[1] == 0);
}

// ---- through thin air ---------------------------------------------------------------------------

// A small sheet shot at a large one, in one step from far before it to far behind it.
static void nothingTunnels(bool fixed, double speed)
{
    beginSetup();
    Sheet sheets[2] = {{13, 13, 0.3, 0.3, {0, 0, 0}}, {4, 4, 0.06, 0.06, {0.013, 0.1, 0.011}}};
    makeSheets(sheets, 2);
    snSkinTissue tissue = freeTissue();
    tissue.elasticity = 500.0;
    if (fixed) tissue.viscosity = 2e-4; // so that steps of this length are stable
    fill(&tissue);
    setup.def.fold.on = true;
    setup.def.fold.thickness = 0.003;
    setup.def.fold.friction = 0.2;
    if (fixed) setup.def.control.fixed = 1.0 / 2400.0;
    snElasticSkin *skin = makeSkin(0, 1);
    for (int i = 13 * 13; i < skin->mesh->pointCount; i++)
        skin->velocities[i] = snVec(0.1, -speed, 0.2);
    Momentum before = momentumOf(skin);
    int cuts = 0;
    for (int k = 0; k < 20; k++) {
        stepOn(skin);
        cuts += cutsOf(skin);
    }
    Momentum after = momentumOf(skin);
    double off = snDistance(after.linear, before.linear) / before.size;
    printf("shot at %g m/s, %s: %d cuts, momentum off by %.1e, energy %.3f of what it was, "
           "crossed %lld, left %lld, %lld corrected\n",
           speed, fixed ? "fixed" : "free", cuts, off,
           (after.energy + snSkinElastic_Energy(&skin->elastic, skin->places)) / before.energy,
           (long long)skin->fold.count.crossed, (long long)skin->fold.count.left,
           (long long)skin->count.ode.corrected);
    CHECK(cuts == 0 && off < 1e-12);
    endSetup();
}

// ---- an elbow -----------------------------------------------------------------------------------

#define COLUMNS 14

// A tube over two rods that bend at their joint.
static snElasticSkin *makeArm(bool on, snOdeMethod method)
{
    beginSetup();
    makeTube(COLUMNS, 25, 0.04, 0.5);
    for (int k = 0; k < 2; k++) {
        snMuscleShape rod = snDefaultMuscleShape(SN_SHAPE_SUPERELLIPSOID);
        rod.shape.size = snVec(0.034, 0.14, 0.034);
        rod.shape.place.origin.y = k ? 0.125 : -0.125;
        setup.muscles[k] = (snSkinMuscle){.shape = rod, .frame = k};
    }
    snSkinTissue tissue = snDefaultSkinTissue();
    tissue.elasticity = 100.0;
    tissue.damping = 10.0;
    fill(&tissue);
    int last = setup.mesh.pointCount - COLUMNS;
    for (int i = 0; i < setup.mesh.pointCount; i++)
        if (i < COLUMNS || i >= last) {
            setup.points[i].frame = i >= last;
            setup.points[i].pin = setup.places[i];
        }
    setup.def.gravity = snVec(0, 0, 0);
    setup.def.fold.on = on;
    setup.def.method = method;
    return makeSkin(2, 2);
}

static void bend(double angle)
{
    setup.frames[1].linear = snQuatToMat((snQuat){snSin(0.5 * angle), 0, 0, snCos(0.5 * angle)});
}

static void anElbowCreases(snOdeMethod method)
{
    int cuts[2] = {0, 0};
    for (int on = 0; on < 2; on++) {
        snElasticSkin *skin = makeArm(on, method);
        double deepest = 0.0;
        int steps = 36;
        for (int k = 1; k <= steps; k++) {
            bend(2.3 * fmin(1.0, k / 30.0));
            stepOn(skin);
            int now = cutsOf(skin);
            cuts[on] = now > cuts[on] ? now : cuts[on];
            deepest = fmax(deepest, snElasticSkin_Deepest(skin));
        }
        printf("elbow, %s, %s: %d cuts at most, deepest %.1e; %lld steps (%lld corrected), %lld "
               "finds, %lld pairs a step, %lld parted, %lld crossed, %lld left, %lld dropped\n",
               snOdeMethod_Name(method), on ? "with" : "without", cuts[on], deepest,
               (long long)skin->count.ode.steps, (long long)skin->count.ode.corrected,
               (long long)skin->fold.count.finds,
               (long long)(skin->fold.count.pairs / skin->count.ode.steps),
               (long long)skin->fold.count.parted, (long long)skin->fold.count.crossed,
               (long long)skin->fold.count.left, (long long)skin->fold.count.dropped);
        CHECK(deepest < 1e-4);
        endSetup();
    }
    CHECK(cuts[0] > 0 && cuts[1] == 0);
}

// In the middle of a crease: what is found anew in every step is no part of the state.
static void sameBitsAfterRestoring(void)
{
    snElasticSkin *skin = makeArm(true, SN_ODE_VERLET);
    unsigned char *bytes = SN_NEW(&setup.arena, unsigned char, snElasticSkin_SaveSize(skin));
    uint64_t hash = 0;
    for (int k = 1; k <= 20; k++) {
        bend(2.3 * k / 24.0);
        stepOn(skin);
    }
    int64_t parted = skin->fold.count.parted;
    snElasticSkin_Save(skin, bytes);
    for (int run = 0; run < 2; run++) {
        if (run) snElasticSkin_Restore(skin, bytes);
        for (int k = 21; k <= 24; k++) {
            bend(2.3 * k / 24.0);
            stepOn(skin);
        }
        if (run)
            CHECK(snElasticSkin_Hash(skin) == hash);
        else
            hash = snElasticSkin_Hash(skin);
    }
    CHECK(parted > 100 && skin->fold.count.parted > parted);
    endSetup();
}

// ---- cut from the beginning ---------------------------------------------------------------------

// A strip that sticks through a sheet and is drawn out of it: it is let go, loses nothing on the way, and is held off afterwards, when
// it comes back.
static void whatIsTangledIsLetGo(void)
{
    beginSetup();
    Sheet sheets[2] = {{13, 13, 0.3, 0.3, {0, 0, 0}}, {3, 7, 0.04, 0.12, {0.013, 0.004, 0.011}}};
    makeSheets(sheets, 2);
    for (int i = 13 * 13; i < setup.mesh.pointCount; i++) { // upright
        snVec3 r = setup.places[i];
        setup.places[i] = snVec(r.x, r.z - 0.011 + 0.052, 0.011);
    }
    snSkinTissue tissue = freeTissue();
    fill(&tissue);
    setup.def.fold.on = true;
    setup.def.fold.thickness = 0.003;
    snElasticSkin *skin = makeSkin(0, 1);
    int begin = cutsOf(skin);
    for (int i = 13 * 13; i < skin->mesh->pointCount; i++)
        skin->velocities[i] = snVec(0, 0.3, 0);
    Momentum before = momentumOf(skin);
    for (int k = 0; k < 3; k++) {
        stepOn(skin);
        CHECK(k || skin->fold.cuts == begin);
    }
    CHECK(fabs(momentumOf(skin).energy / before.energy - 1.0) < 1e-9);
    for (int k = 0; k < 9; k++)
        stepOn(skin);
    int out = cutsOf(skin);
    for (int i = 13 * 13; i < skin->mesh->pointCount; i++)
        skin->velocities[i] = snVec(0, -1.0, 0);
    int back = 0;
    for (int k = 0; k < 12; k++) {
        stepOn(skin);
        back += cutsOf(skin);
    }
    printf("tangled: %d cuts at the beginning, %d when drawn out, %d when it came back\n", begin,
           out, back);
    CHECK(begin > 0 && out == 0 && back == 0);
    endSetup();
}

static void aSheetFoldsOnItself(void)
{
    for (int method = 0; method < SN_ODE_METHODS; method++)
        aBookCloses((snOdeMethod)method);
}

static void fastSheetsDoNotTunnel(void)
{
    nothingTunnels(false, 3.0);
    nothingTunnels(false, 60.0);
    nothingTunnels(true, 3.0);
}

static void aBentArmHasACrease(void)
{
    for (int method = 0; method < SN_ODE_METHODS; method++)
        anElbowCreases((snOdeMethod)method);
}

int main(void)
{
    RUN(aSheetFoldsOnItself);
    RUN(fastSheetsDoNotTunnel);
    RUN(aBentArmHasACrease);
    RUN(whatIsTangledIsLetGo);
    RUN(sameBitsAfterRestoring);
    return snTest_Finish();
}
