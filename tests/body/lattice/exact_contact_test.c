// Contacts as constraints: what falls does not sink in, bounces as it should, comes to rest and stays.
#include "tests/body/lattice/jelly.h"

#include "body/lattice/contact_dual.h"

static JellyDef exactDef(void)
{
    JellyDef def = jellyDef();
    def.exact = true;
    def.firmness = 4;
    def.iterations = 8;
    def.cells = 3;
    def.samples = 200;
    return def;
}

static snAffine at(double x, double y, double z)
{
    snAffine place = snIdentityAffine();
    place.origin = snVec(x, y, z);
    return place;
}

static double energyOf(Jelly *j)
{
    double height = meanOf(j->model, j->state->position).y - 0.5;
    return snLatticeState_KineticEnergy(j->model, j->state, 0) +
           snLatticeState_ElasticEnergy(j->model, j->state, 0) +
           9.81 * height * j->model->totalMass;
}

// How high a body bounces that falls from 1 m, and the most energy that a step makes of the first.
static double bounce(const JellyDef *def, const snCollider *floor, double *made)
{
    Jelly *j = newJelly(def);
    setColliders(j, floor, 1);
    startJelly(j, at(0, 1, 0));
    double high = 0, first = energyOf(j), before = first;
    bool up = false;
    *made = 0;
    for (int k = 0; k < 480; k++) {
        CHECK(snLattice_Step(j->model, j->state, &j->drive));
        double y = meanOf(j->model, j->state->position).y - 0.5, energy = energyOf(j);
        double v = meanOf(j->model, j->state->velocity).y;
        *made = fmax(*made, (energy - before) / first);
        before = energy;
        CHECK(jellyDepth(j, floor) < 1e-4);
        if (up && v < 0) break;
        if (v > 0.01) up = true;
        if (up) high = fmax(high, y);
    }
    freeJelly(j);
    return high;
}

static void bouncesByItsRestitution(void)
{
    snCollider floor = snMakeCollider(SN_COLLIDER_PLANE);
    JellyDef def = exactDef();
    def.ball = false;
    def.young = 1e10;
    def.model.step = 1.0 / 240;
    def.model.stiffnessDamping = 0.001;
    const double e[3] = {0, 0.5, 0.8};
    for (int i = 0; i < 3; i++) {
        double made;
        def.restitution = i == 2 ? e[i] : 0; // once the body's and once the floor's
        floor.restitution = i == 1 ? e[i] : 0;
        double high = bounce(&def, &floor, &made);
        printf("    e = %.1f: to %.4f of the height, %.4f expected; energy made %.0e\n", e[i], high,
               e[i] * e[i], made);
        CHECK(fabs(high - e[i] * e[i]) < 0.05 * e[i] * e[i] + 1e-3 && made < 1e-5);
    }
    def.young = 1e6; // soft flesh makes no energy either
    def.restitution = 1;
    double made, high = bounce(&def, &floor, &made);
    printf("    soft, e = 1: to %.4f of the height; energy made %.0e\n", high, made);
    CHECK(high < 1 && made < 1e-3);
}

// Six planes that look inward.
static void makeWalls(snCollider walls[6], double size)
{
    const snVec3 normal[6] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    for (int k = 0; k < 6; k++) {
        snQuat turn = snQuatBetween(snVec(0, 1, 0), normal[k]);
        walls[k] = snMakeCollider(SN_COLLIDER_PLANE);
        walls[k].begin.linear = walls[k].end.linear = snQuatToMat(turn);
        if (k % 2) walls[k].begin.origin = walls[k].end.origin = snVec(size, size, size);
        walls[k].friction = 0.5;
    }
}

static double outside(const Jelly *j, const snCollider walls[6])
{
    double depth = 0;
    for (int w = 0; w < 6; w++)
        depth = fmax(depth, jellyDepth(j, &walls[w]));
    return depth;
}

// Thrown into a box. After it has settled it is looked at for a minute.
static void rest(bool ball, double size, int settle, int after)
{
    JellyDef def = exactDef();
    def.ball = ball;
    def.samples = 400;
    def.young = 1e5;
    def.restitution = 0.3;
    def.model.massDamping = 0.5;
    def.model.stiffnessDamping = 0.02;
    Jelly *j = newJelly(&def);
    snCollider walls[6];
    makeWalls(walls, size);
    setColliders(j, walls, 6);
    // In the box from the begin: the cube, which hardly fits, in its middle.
    snVec3 axis = snNormalizeOr(snVec(1, 2, 3), snVec(1, 0, 0)), half = {0.5, 0.5, 0.5};
    snAffine place = {snQuatToMat(snQuatFromAxisAngle(axis, ball ? 0.7 : 0.4)), {0.6, 0.6, 0.2}};
    if (!ball) place.origin = snSub(snScale(size, half), snMulMV(place.linear, half));
    startJelly(j, place);
    CHECK(outside(j, walls) == 0);
    throwJelly(j, snVec(5, 2, 3));
    double speed = 0, out = 0, way = 0;
    for (int k = 0; k < settle + after; k++) {
        CHECK(snLattice_Step(j->model, j->state, &j->drive));
        if (k % 20 == 0) way = fmax(way, outside(j, walls));
        if (k < settle) continue;
        speed = fmax(speed, jellySpeed(j));
        if (k % 20 == 0) out = fmax(out, outside(j, walls));
    }
    printf("    %s: outside %.1e, %.1e on the way; %.1e sizes per second; %d of %d halved\n",
           ball ? "ball" : "cube", out, way, speed, (int)j->state->backtracks, settle + after);
    CHECK(out < 1e-3 && speed < 1e-4 && way < 0.02 && j->state->resets == 0);
    freeJelly(j);
}

static void comesToRestInABox(void)
{
    rest(true, 2, 2400, 7200);
    rest(false, 1.5, 1080, 600);
}

// A cube that fills its box: all corners and edges touch.
static void fillsABox(void)
{
    JellyDef def = exactDef();
    def.ball = false;
    def.samples = 150;
    def.young = 5e4;
    def.model.massDamping = 2;
    Jelly *j = newJelly(&def);
    snCollider walls[6];
    makeWalls(walls, 0.95);
    setColliders(j, walls, 6);
    startJelly(j, at(-0.025, -0.025, -0.025));
    for (int k = 0; k < 240; k++)
        CHECK(snLattice_Step(j->model, j->state, &j->drive));
    printf("    outside %.1e, %.1e per second\n", outside(j, walls), jellySpeed(j));
    CHECK(outside(j, walls) < 1e-3 && jellySpeed(j) < 1e-4);
    freeJelly(j);
}

// A small body of the size of a hand: lengths of a step under gravity are large against it.
static void smallOnesRestToo(void)
{
    JellyDef def = exactDef();
    def.young = 2e6;
    def.model.gravity = snVec(0, -98.1, 0); // a body of 0.1 m, seen ten times as large
    def.model.massDamping = 1;
    snCollider floor;
    Jelly *j = dropJelly(&def, at(0, 0.2, 0), 1800, &floor);
    printf("    sunk in by %.1e, %.1e per second\n", jellyDepth(j, &floor), jellySpeed(j));
    CHECK(jellyDepth(j, &floor) < 1e-3 && jellySpeed(j) < 1e-4);
    freeJelly(j);
}

// Friction is as of contacts that give way (contact_test.c).
static void slidesAsABlockDoes(void)
{
    double angle = 20 * SN_PI / 180, expected = 9.81 * (snSin(angle) - 0.2 * snCos(angle));
    JellyDef def = exactDef();
    def.ball = false;
    def.young = 1e6;
    Jelly *j = newJelly(&def);
    snCollider slope = snMakeCollider(SN_COLLIDER_PLANE);
    slope.friction = 0.2;
    slope.begin.linear = slope.end.linear =
        snQuatToMat(snQuatFromAxisAngle(snVec(0, 0, 1), -angle));
    setColliders(j, &slope, 1);
    startJelly(j, (snAffine){slope.end.linear, {0, 0, 0}});
    double speed[2] = {0};
    for (int k = 1; k <= 480; k++) {
        CHECK(snLattice_Step(j->model, j->state, &j->drive));
        if (k % 240 == 0)
            speed[k / 480] = snDot(meanOf(j->model, j->state->velocity), slope.end.linear.cx);
    }
    double found = (speed[1] - speed[0]) / 2;
    printf("    slides with %.4f m/s², %.4f as a block\n", found, expected);
    CHECK_NEAR(found, expected, 0.02 * expected);
    freeJelly(j);
}

// What is remembered is all there is: a restored state goes on to the same bits.
static void restoredStatesGoOn(void)
{
    JellyDef def = exactDef();
    def.restitution = 0.5;
    snCollider floor;
    Jelly *j = dropJelly(&def, at(0, 0.1, 0), 30, &floor);
    CHECK(goesOnAlike(j, 40));
    freeJelly(j);
}

static void badDefinitionsAreRefused(void)
{
    JellyDef def = exactDef();
    def.cells = 2;
    def.samples = 10;
    Jelly *j = newJelly(&def);
    snLatticeContacts *contacts;
    snLatticeContactsDef good = snDefaultLatticeContactsDef(), bad;
    good.model = j->model;
    good.samples = j->samples;
    good.reach = 0.1;
    good.exact = true;
    bad = good;
    bad.restitution = 1.5;
    CHECK(snLatticeContacts_Make(&contacts, &bad, &j->context, NULL) == SN_ERROR_ARGUMENT);
    bad.restitution = NAN;
    CHECK(snLatticeContacts_Make(&contacts, &bad, &j->context, NULL) == SN_ERROR_ARGUMENT);
    eachAllocationMayFail(&good);
    throwJelly(j, snVec(NAN, 0, 0)); // put back, not crashed
    snCollider floor = snMakeCollider(SN_COLLIDER_PLANE);
    setColliders(j, &floor, 1);
    CHECK(!snLattice_Step(j->model, j->state, &j->drive) && j->state->resets == 1);
    freeJelly(j);
}

// Where solutions for all samples would cost too much, late ones are like the nearest of the others.
static void lateSamplesMayBeLikeOthers(void)
{
    JellyDef def = exactDef();
    def.samples = 100;
    def.drawn = 400;
    Jelly *j = newJelly(&def);
    snLatticeContacts *exact, *like;
    snLatticeContactsDef contacts = snDefaultLatticeContactsDef();
    contacts.model = j->model;
    contacts.samples = j->samples;
    contacts.reach = 0.1;
    contacts.patch = 0.4;
    contacts.exact = true;
    contacts.late = 40;
    CHECK(snLatticeContacts_Make(&exact, &contacts, &j->context, NULL) == SN_OK);
    contacts.mostWork = 0;
    CHECK(snLatticeContacts_Make(&like, &contacts, &j->context, NULL) == SN_OK);
    double worst = 1;
    for (int s = 0; s < 100; s++) {
        double stiffer = like->stiffness[s] / exact->stiffness[s];
        double softer = like->base.give[s] / exact->base.give[s];
        CHECK(s >= 40 || (stiffer == 1 && softer == 1));
        worst = fmax(worst, fmax(fmax(stiffer, 1 / stiffer), fmax(softer, 1 / softer)));
    }
    printf("  late samples taken to be like others: %.2f times as stiff or soft at most\n", worst);
    CHECK(worst > 1 && worst < 2);
    snLatticeContacts_Destroy(exact);
    snLatticeContacts_Destroy(like);
    contacts.mostWork = 1e11;
    contacts.patch = 0.02; // nobody else is in it
    CHECK(snLatticeContacts_Make(&exact, &contacts, &j->context, NULL) == SN_OK);
    for (int s = 0; s < 100; s++)
        CHECK(exact->stiffness[s] > 0);
    snLatticeContacts_Destroy(exact);
    freeJelly(j);
}

int main(void)
{
    RUN(lateSamplesMayBeLikeOthers);
    RUN(bouncesByItsRestitution);
    RUN(comesToRestInABox);
    RUN(fillsABox);
    RUN(smallOnesRestToo);
    RUN(slidesAsABlockDoes);
    RUN(restoredStatesGoOn);
    RUN(badDefinitionsAreRefused);
    return snTest_Finish();
}
