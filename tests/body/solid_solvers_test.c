// Solid bodies under every solver that they may have: what is held, pulled, thrown, put and saved is the same for
// all of them, and linear bodies are what linear theory has.
#include "tests/body/solids.h"

#include <stdlib.h>
#include <string.h>

typedef struct Way {
    const char *name;
    snSolver solver;
    snTurn turn;
    snPointMethod holding;
} Way;

static const Way ways[] = {
    {"projective", SN_SOLVER_PROJECTIVE, SN_TURN_NONE, SN_POINTS_PROJECTED},
    {"newton", SN_SOLVER_NEWTON, SN_TURN_NONE, SN_POINTS_PROJECTED},
    {"newton, multipliers", SN_SOLVER_NEWTON, SN_TURN_NONE, SN_POINTS_MULTIPLIERS},
    {"linear", SN_SOLVER_LINEAR, SN_TURN_NONE, SN_POINTS_PROJECTED},
    {"quasi-linear, polar", SN_SOLVER_LINEAR, SN_TURN_POLAR, SN_POINTS_PROJECTED},
    {"quasi-linear, curl", SN_SOLVER_LINEAR, SN_TURN_CURL, SN_POINTS_PROJECTED},
};
#define WAYS (int)(sizeof ways / sizeof *ways)

static BlockDef defOf(const Way *way)
{
    BlockDef def = blockDef();
    def.n = 2;
    def.m = def.k = 1;
    def.solid.solver = way->solver;
    def.solid.turn = way->turn;
    def.solid.holding = way->holding;
    return def;
}

static int locate(snBody *body, snVec3 rest)
{
    snBodySpot spot = snRestSpot(rest);
    int point = -1;
    CHECK(snBody_Locate(body, &spot, &point, NULL) == SN_OK);
    return point;
}

// A body hangs from springs at two points of a face: it comes to rest where their forces are its weight. Held hard,
// a point is where it is to be.
static void springsAndHoldsCarry(void)
{
    for (int w = 0; w < WAYS; w++) {
        BlockDef def = defOf(&ways[w]);
        def.solid.drag = 8;
        snBody *body = mustMakeBlock(&def);
        int p[2] = {locate(body, snVec(0.05, 0.2, 0.1)), locate(body, snVec(0.25, 0.2, 0.1))};
        snBodyStep with = stillStep(body);
        snBodyReport report;
        snBodyMeasure m;
        with.gravity = snVec(0, -9.81, 0);
        for (int k = 0; k < 160; k++) {
            snBody_Begin(body, &with);
            for (int i = 0; i < 2; i++) {
                snBodyPull pull = {
                    .target = {0.05 + 0.2 * i, 0.2, 0.1}, .stiffness = 1000, .damping = 60};
                snBody_Pull(body, p[i], &pull);
            }
            snBody_Advance(body);
            snBody_Finish(body, &report);
        }
        snBody_Measure(body, &m);
        double sag = 0.2 - 0.5 * (snBody_Place(body, p[0]).y + snBody_Place(body, p[1]).y);
        double pushed = 0;
        for (int k = 0; k < 60; k++) {
            snVec3 target = {0.05 + 0.001 * k, 0.15, 0.1};
            snBody_Begin(body, &with);
            snBody_Hold(body, p[0], target);
            snBody_Push(body, p[1], snVec(0, 10, 0));
            snBody_Advance(body);
            snBody_Finish(body, &report);
            pushed = fmax(pushed, snDistance(snBody_Place(body, p[0]), target));
            CHECK(!report.conflicts && !report.failed);
        }
        printf("    %s: sags by %.6f m, %.6f by its weight; held within %.1e m\n", ways[w].name,
               sag, m.mass * 9.81 / 2000, pushed);
        CHECK_NEAR(sag, m.mass * 9.81 / 2000, 1e-5);
        CHECK(pushed < 1e-9);
        snBody_Destroy(body);
    }
}

// A force gives its momentum in one step, whatever the solver; and a stiff spring does not blow up.
static void pushesGiveMomentum(void)
{
    for (int w = 0; w < WAYS; w++) {
        BlockDef def = defOf(&ways[w]);
        snBody *body = mustMakeBlock(&def);
        int p = locate(body, snVec(0.3, 0.2, 0.1));
        snBodyStep with = stillStep(body);
        snBodyReport report;
        snBodyMeasure m;
        snVec3 force = {0.1, 0.2, -0.3};
        snBody_Begin(body, &with);
        snBody_Push(body, p, force);
        snBody_Advance(body);
        snBody_Finish(body, &report);
        snBody_Measure(body, &m);
        CHECK_NEAR(snDistance(m.momentum, snScale(body->step, force)), 0, 1e-9);
        snBodyPull pull = {.target = {0.31, 0.2, 0.1}, .stiffness = 1e9, .damping = 10};
        for (int k = 0; k < 20; k++) {
            snBody_Begin(body, &with);
            snBody_Pull(body, p, &pull);
            snBody_Advance(body);
            snBody_Finish(body, &report);
        }
        double miss = snDistance(snBody_Place(body, p), pull.target);
        printf("    %s: a spring of 1e9 N/m leaves %.1e m\n", ways[w].name, miss);
        CHECK(miss < 1e-3 && !report.failed);
        snBody_Destroy(body);
    }
}

// A body that is put somewhere, turned, is not strained there, and goes as it would have gone unturned.
static void turnedBodiesGoAlike(void)
{
    snAffine turn = {
        snQuatToMat(snQuatFromAxisAngle(snNormalizeOr(snVec(1, 2, 3), snVec(1, 0, 0)), 2.1)),
        {0.4, -1, 2}};
    for (int w = 0; w < WAYS; w++) {
        BlockDef def = defOf(&ways[w]);
        if (ways[w].solver != SN_SOLVER_LINEAR) def.solid.iterations = w ? 8 : 30;
        snBody *bodies[2];
        snVec3 place[2], held;
        for (int i = 0; i < 2; i++) {
            snBody *body = bodies[i] = mustMakeBlock(&def);
            snBodyStep with = stillStep(body);
            snBodyReport report;
            snBodyMeasure m;
            int p = locate(body, snVec(0, 0.1, 0.1)), q = locate(body, snVec(0.3, 0.2, 0.2));
            if (i) snBody_Put(body, &turn);
            snBody_Measure(body, &m);
            CHECK(m.elastic < 1e-15);
            with.gravity = i ? snMulMV(turn.linear, snVec(0, -9.81, 0)) : snVec(0, -9.81, 0);
            held = snBody_Place(body, p);
            for (int k = 0; k < 10; k++) {
                snBody_Begin(body, &with);
                snBody_Hold(body, p, held);
                snBody_Advance(body);
                snBody_Finish(body, &report);
            }
            place[i] = snBody_Place(body, q);
            snBody_Destroy(body);
        }
        double apart = snDistance(snMulAP(turn, place[0]), place[1]);
        double moved = snDistance(place[0], snVec(0.3, 0.2, 0.2));
        printf("    %s: %.1e of %.4f m\n", ways[w].name, apart, moved);
        CHECK(apart < (ways[w].solver == SN_SOLVER_LINEAR ? 1e-12 : 1e-6) && moved > 1e-3);
    }
}

// Without bending far, linear bodies and the others end at the same place: a tip that sags a little.
static void smallSagsAgree(void)
{
    double sag[WAYS];
    for (int w = 0; w < WAYS; w++) {
        BlockDef def = defOf(&ways[w]);
        def.n = 6;
        def.size = snVec(0.6, 0.2, 0.2);
        def.young = 2e6;
        def.solid.damping = 0.05;
        if (ways[w].solver != SN_SOLVER_LINEAR) def.solid.iterations = w ? 2 : 20;
        snBody *body = mustMakeBlock(&def);
        snBodyStep with = stillStep(body);
        snBodyReport report;
        int tip = locate(body, snVec(0.6, 0.1, 0.1)), ends[9];
        for (int k = 0; k < 9; k++)
            ends[k] = locate(body, snVec(0, 0.1 * (k % 3), 0.1 * (k / 3)));
        with.gravity = snVec(0, -9.81, 0);
        for (int step = 0; step < 40; step++) {
            snBody_Begin(body, &with);
            for (int k = 0; k < 9; k++)
                snBody_Hold(body, ends[k], snVec(0, 0.1 * (k % 3), 0.1 * (k / 3)));
            snBody_Advance(body);
            snBody_Finish(body, &report);
        }
        sag[w] = 0.1 - snBody_Place(body, tip).y;
        printf("    %s: %.6f m\n", ways[w].name, sag[w]);
        CHECK_NEAR(sag[w], sag[0], 0.01 * sag[0]);
        snBody_Destroy(body);
    }
}

// A quasi-linear body that spins keeps its shape; a linear one, which cannot turn, does not.
static void quasiLinearBodiesTurn(void)
{
    for (int w = 3; w < WAYS; w++) {
        BlockDef def = defOf(&ways[w]);
        def.young = 1e6;
        snBody *body = mustMakeBlock(&def);
        snBodyStep with = stillStep(body);
        snBodyReport report;
        snBodyMeasure m;
        int p = locate(body, snVec(0, 0.1, 0.1)), q = locate(body, snVec(0.3, 0.1, 0.1));
        double most = 0;
        snBody_SetVelocity(body, snVec(0, 0, 0), snVec(0, 0, 6.28));
        for (int k = 0; k < 60; k++) {
            snBody_Begin(body, &with);
            snBody_Advance(body);
            snBody_Finish(body, &report);
            double length = snDistance(snBody_Place(body, p), snBody_Place(body, q));
            most = fmax(most, fabs(length / 0.3 - 1));
        }
        snBody_Measure(body, &m);
        printf("    %s: its length is off by %.4f, volume %.6f m³\n", ways[w].name, most, m.volume);
        CHECK(ways[w].turn ? most < 0.01 : most > 0.05);
        snBody_Destroy(body);
    }
}

// Baumgarte: a point that is told to be elsewhere comes there as C̈ + αĊ + βC = 0 has it, at the step's ends.
static void missesDieAway(void)
{
    for (int w = 0; w < WAYS; w++) {
        BlockDef def = defOf(&ways[w]);
        double tau = 0.05, a = def.solid.alpha = 2 / tau, b = def.solid.beta = 1 / (tau * tau);
        snBody *body = mustMakeBlock(&def);
        snBodyStep with = stillStep(body);
        snBodyReport report;
        int p = locate(body, snVec(0.15, 0.2, 0.1));
        snVec3 target = snAdd(snBody_Place(body, p), snVec(0, 0.01, 0));
        double h = body->step, c = -0.01, rate = 0, most = 0;
        for (int k = 0; k < 60; k++) {
            snBody_Begin(body, &with);
            snBody_Hold(body, p, target);
            snBody_Advance(body);
            snBody_Finish(body, &report);
            double next = (c * (1 + a * h) + h * rate) / (1 + a * h + b * h * h);
            rate = (next - c) / h;
            c = next;
            most = fmax(most, fabs(snBody_Place(body, p).y - target.y - c));
        }
        printf("    %s: off by %.1e m, %.1e m left\n", ways[w].name, most, c);
        CHECK(most < 1e-9 && fabs(c) < 1e-5);
        snBody_Destroy(body);
    }
}

// Saved with a point held and another pulled, changed, restored: the same bits follow.
static void restoredBodiesGoOn(void)
{
    for (int w = 0; w < WAYS; w++) {
        BlockDef def = defOf(&ways[w]);
        def.solid.alpha = 20;
        def.solid.beta = 100;
        snBody *body = mustMakeBlock(&def);
        snBodyStep with = stillStep(body);
        snAffine turn = {snQuatToMat(snQuatFromAxisAngle(snVec(0, 0, 1), 1)), {0, 0, 0}};
        int p = locate(body, snVec(0, 0.2, 0.1)), q = locate(body, snVec(0.3, 0, 0));
        size_t size = snBody_SaveSize(body);
        char *saved = malloc(size), *first = malloc(size), *second = malloc(size);
        with.gravity = snVec(0, -9.81, 0);
        snBody_Put(body, &turn);
        for (int round = 0; round < 3; round++) {
            if (round == 2) {
                turn.linear = snIdentity3();
                snBody_Put(body, &turn);
                CHECK(snBody_Restore(body, saved, NULL) == SN_OK);
            }
            for (int k = 0; k < 8; k++) {
                snBodyPull pull = {.target = {0, 0.1, 0}, .stiffness = 300};
                snBodyReport report;
                snBody_Begin(body, &with);
                snBody_Hold(body, p, snVec(0.1, 0.1 + 0.001 * k, 0.05));
                snBody_Pull(body, q, &pull);
                snBody_Advance(body);
                snBody_Finish(body, &report);
            }
            snBody_Save(body, round == 0 ? saved : (round == 1 ? first : second));
        }
        CHECK(!memcmp(first, second, size));
        free(saved), free(first), free(second);
        snBody_Destroy(body);
    }
}

// What is apart falls through a floor that the others lie on.
static void apartIsApart(void)
{
    for (int apart = 0; apart < 2; apart++) {
        BlockDef def = blockDef();
        def.solid.apart = apart;
        snBody *body = mustMakeBlock(&def);
        snCollider floor = snMakeCollider(SN_COLLIDER_PLANE);
        snBodyStep with = stillStep(body);
        snBodyReport report;
        snBodyMeasure m;
        with.gravity = snVec(0, -9.81, 0);
        with.colliders = &floor;
        with.colliderCount = 1;
        for (int k = 0; k < 60; k++) {
            snBody_Begin(body, &with);
            snBody_Advance(body);
            snBody_Finish(body, &report);
        }
        snBody_Measure(body, &m);
        CHECK(apart ? m.center.y < -1 : m.center.y > 0.08);
        snBody_Destroy(body);
    }
}

static void whatDoesNotGoTogetherIsRefused(void)
{
    snContext context = snDefaultContext();
    snError error = {0};
    BlockDef def = blockDef();
    def.solid.solver = SN_SOLVER_BLENDED;
    CHECK(!newBlock(&def, &context, &error) && error.code == SN_ERROR_UNSUPPORTED);
    def = blockDef();
    def.solid.holding = SN_POINTS_MULTIPLIERS;
    CHECK(!newBlock(&def, &context, &error) && error.code == SN_ERROR_UNSUPPORTED);
    def = blockDef();
    def.solid.turn = SN_TURN_POLAR;
    CHECK(!newBlock(&def, &context, &error) && error.code == SN_ERROR_ARGUMENT);
    def = blockDef();
    def.solid.alpha = NAN;
    CHECK(!newBlock(&def, &context, &error) && error.code == SN_ERROR_ARGUMENT);
}

static double energyOf(snBody *body, double gravity)
{
    snBodyMeasure m;
    snBody_Measure(body, &m);
    return m.kinetic + m.elastic + m.mass * gravity * m.center.y;
}

// Steps of a tenth of a second, in which a block that is thrown goes through half of itself, gain nothing from the floor: neither with
// contacts that give way nor with exact ones, in doubles or in floats.
static void longStepsGainNothing(void)
{
    static const double youngs[] = {1e2, 1e5, 1e10};
    for (int y = 0; y < 3; y++)
        for (int w = 0; w < 3; w++) {
            BlockDef def = blockDef();
            def.young = youngs[y];
            def.solid.step = 0.1;
            def.solid.poisson = 0.49;
            def.solid.density = 500;
            def.solid.solver = w == 1 ? SN_SOLVER_NEWTON : SN_SOLVER_PROJECTIVE;
            def.solid.precision = w == 2 ? SN_PRECISION_SINGLE : SN_PRECISION_DOUBLE;
            snBody *body = mustMakeBlock(&def);
            snCollider floor = snMakeCollider(SN_COLLIDER_PLANE);
            snAffine place = {snQuatToMat(snQuatFromAxisAngle(snVec(0.6, 0, 0.8), 0.4)),
                              snVec(0, 0.22, 0)};
            snBodyReport report;
            bool said = false;
            double first = 0, most = 0;
            snBody_Put(body, &place);
            snBody_SetVelocity(body, snVec(0.5, -2, 0), snVec(0, 1, 2));
            first = energyOf(body, 9.81);
            for (int i = 0; i < 20; i++) {
                snBodyStep step = stillStep(body);
                step.gravity = snVec(0, -9.81, 0);
                step.colliders = &floor;
                step.colliderCount = 1;
                snBody_Begin(body, &step);
                snBody_Advance(body);
                snBody_Finish(body, &report);
                most = fmax(most, energyOf(body, 9.81));
                said |= report.failed;
            }
            printf("    %s, %g Pa: %.4g of %.4g J%s\n",
                   w == 2 ? "projective, single" : ways[w].name, youngs[y], most, first,
                   said ? ", a step failed" : "");
            CHECK(most < 1.02 * first);
            CHECK(!said);
            snBody_Destroy(body);
        }
}

// What is too stiff for floats is computed in doubles, to the same bits; what becomes so is refused.
static void stiffBodiesAreDoubles(void)
{
    snVec3 ends[2];
    for (int k = 0; k < 2; k++) {
        BlockDef def = blockDef();
        def.young = 1e10;
        def.solid.precision = k ? SN_PRECISION_SINGLE : SN_PRECISION_DOUBLE;
        snBody *body = mustMakeBlock(&def);
        snBody_SetVelocity(body, snVec(0, 1, 0), snVec(1, 2, 3));
        for (int i = 0; i < 10; i++) {
            snBodyStep step = stillStep(body);
            snBody_Begin(body, &step);
            snBody_Advance(body);
        }
        ends[k] = snBody_Vertex(body, 0);
        snBody_Destroy(body);
    }
    CHECK(ends[0].x == ends[1].x && ends[0].y == ends[1].y && ends[0].z == ends[1].z);
    int lengths[] = {1, 2};
    snBodyRange range = {.softest = 1, .stiffest = 1e5, .lengthCount = 2, .lengths = lengths};
    snError error = {0};
    BlockDef def = blockDef();
    def.solid.precision = SN_PRECISION_SINGLE;
    snBody *body = mustMakeBlock(&def);
    CHECK(snBody_Prepare(body, &range, &error) == SN_ERROR_UNSUPPORTED);
    range.stiffest = 4;
    CHECK(snBody_Prepare(body, &range, &error) == SN_OK);
    snBody_Destroy(body);
}

static void failingMemoryIsSurvived(void)
{
    for (int w = 1; w < WAYS; w++)
        CHECK(survivesFailingMemory(defOf(&ways[w])));
}

int main(void)
{
    RUN(springsAndHoldsCarry);
    RUN(pushesGiveMomentum);
    RUN(turnedBodiesGoAlike);
    RUN(smallSagsAgree);
    RUN(quasiLinearBodiesTurn);
    RUN(missesDieAway);
    RUN(restoredBodiesGoOn);
    RUN(apartIsApart);
    RUN(whatDoesNotGoTogetherIsRefused);
    RUN(longStepsGainNothing);
    RUN(stiffBodiesAreDoubles);
    RUN(failingMemoryIsSurvived);
    return snTest_Finish();
}
