// Steps of articulated trees: closed forms of pendulums and tops, energy, momentum, springs of any
// stiffness, friction that holds and slides, roots on paths, limits.
#include "skeleton/articulated.h"

#include "core/elementary.h"
#include "core/random.h"
#include "tests/test.h"
#include "tests/skeleton/trees.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { LINKS = 40 };

typedef struct Tree {
    snLinkDef links[LINKS];
    int count;
    snArticulated *tree;
    snArticulatedState *state;
    snLinkState *at;
    snJointDrive *drives;
} Tree;

static const snVec3 GRAVITY = {0, -9.81, 0};

static void addLink(Tree *t, int parent, snLinkKind kind, snVec3 offset)
{
    t->links[t->count] = snDefaultLinkDef(parent, kind);
    t->links[t->count++].offset = offset;
}

// A rod of length 1 that hangs on along x, 0.1 thick, 1 kg.
static void addRod(Tree *t, int parent, snLinkKind kind)
{
    addLink(t, parent, kind, snVec(parent > 0, 0, 0));
    snLinkDef_SetCapsule(&t->links[t->count - 1], snVec(0, 0, 0), snVec(1, 0, 0), 0.05, 1);
}

static bool makeTree(Tree *t)
{
    if (!makeArticulated(t->count, t->links, &t->tree, &t->state)) return false;
    t->at = snArticulatedState_Links(t->state);
    t->drives = snArticulatedState_Drives(t->state);
    return true;
}

static void freeTree(Tree *t)
{
    freeArticulated(t->tree, t->state);
}

static void run(Tree *t, double h, int steps, snArticulatedMethod method, snVec3 gravity)
{
    snArticulatedStep step = {h, gravity, method};
    for (int i = 0; i < steps; i++)
        snArticulated_Step(t->tree, t->state, &step);
}

static double energyOf(const Tree *t, snVec3 gravity)
{
    snArticulatedMeasure m;
    snArticulated_Measure(t->tree, t->state, gravity, &m);
    return m.kinetic + m.potential + m.elastic;
}

// A chain of rods from a fixed nail, let go level.
static bool makeChain(Tree *t, int count, snLinkKind kind)
{
    *t = (Tree){0};
    addLink(t, -1, SN_LINK_DRIVEN, snVec(0, 0, 0));
    for (int l = 0; l < count; l++)
        addRod(t, l, kind);
    return makeTree(t);
}

// A pendulum on a hinge: θ'' = -(m g l / J) cos θ from level; its speed at the bottom is √(2 m g l / J),
// whatever joint it hangs on.
static void pendulumsFall(void)
{
    for (int kind = 0; kind < 2; kind++) {
        Tree t;
        if (makeChain(&t, 1, kind ? SN_LINK_BALL : SN_LINK_HINGE)) {
            double m = 1, l = 0.5, inertia = t.links[1].inertia.cz.z + m * l * l;
            double most = 0;
            for (int i = 0; i < 1000; i++) {
                run(&t, 1e-3, 1, SN_ARTICULATED_RK4, GRAVITY);
                most = fmax(most, snLength(snArticulated_Spin(t.state, 1)));
            }
            CHECK_NEAR(most, sqrt(2 * m * 9.81 * l / inertia), 2e-5);
            snVec3 off = snArticulated_Frame(t.state, 1).linear.cx;
            CHECK_NEAR(off.z, 0, 1e-12); // in its plane
        }
        freeTree(&t);
    }
}

// Orders of both methods, on a chain of balls and hinges with springs.
static double missAt(double h, snArticulatedMethod method, snVec3 *place)
{
    Tree t = {0};
    addLink(&t, -1, SN_LINK_DRIVEN, snVec(0, 0, 0));
    for (int l = 0; l < 4; l++) {
        addRod(&t, l, l % 2 ? SN_LINK_HINGE : SN_LINK_BALL);
        t.links[l + 1].drive.stiffness = 3;
        t.links[l + 1].drive.damping = 0.2;
    }
    double miss = 0;
    if (makeTree(&t)) {
        t.at[1].spin = snVec(1, 2, -1);
        t.at[3].spin = snVec(-2, 1, 0);
        snArticulated_Update(t.tree, t.state);
        run(&t, h, (int)floor(0.4 / h + 0.5), method, GRAVITY);
        snVec3 end = snMulAP(snArticulated_Frame(t.state, 4), snVec(1, 0, 0));
        miss = snDistance(end, *place);
        *place = end;
    }
    freeTree(&t);
    return miss;
}

static void ordersOfSteps(void)
{
    for (int method = 0; method < 2; method++) {
        double h = method ? 0.004 : 0.002, differences[3];
        snVec3 place = snVec(0, 0, 0);
        missAt(2 * h, (snArticulatedMethod)method, &place);
        for (int i = 0; i < 3; i++) {
            differences[i] = missAt(h, (snArticulatedMethod)method, &place);
            h *= 0.5;
        }
        double order = snLn(differences[1] / differences[2]) / snLn(2);
        printf("  order %.2f\n", order);
        CHECK_NEAR(order, method ? 4 : 1, 0.2);
    }
}

static void energyOfTenLinks(void)
{
    for (int kind = 0; kind < 2; kind++)
        for (int method = 0; method < 2; method++) {
            Tree t;
            if (makeChain(&t, 10, kind ? SN_LINK_BALL : SN_LINK_HINGE)) {
                // Zero of potential energy: hanging straight down.
                double lowest = 0, worst = 0;
                for (int l = 1; l <= 10; l++)
                    lowest -= 9.81 * (l - 0.5);
                double begin = energyOf(&t, GRAVITY) - lowest;
                for (int i = 0; i < 100; i++) {
                    run(&t, 1e-3, 100, (snArticulatedMethod)method, GRAVITY);
                    worst = fmax(worst, fabs(energyOf(&t, GRAVITY) - lowest - begin) / begin);
                }
                printf("  %s, %s: energy off by %.1e over 10 s\n", kind ? "balls" : "hinges",
                       method ? "fourth order" : "implicit", worst);
                CHECK(worst < 1e-3);
            }
            freeTree(&t);
        }
}

// Limp chains at 60 Hz, thrown about so that centrifugal forces as they are at a step's begin would tear
// them apart: energy stays, whatever their thickness.
static void limpChainsStayWhole(void)
{
    for (int kind = 0; kind < 6; kind++) {
        Tree t = {0};
        bool free = kind > 2;
        double radius = 0.05 * (1 << kind % 3), worst = 0;
        snVec3 gravity = free ? snVec(0, 0, 0) : GRAVITY;
        addLink(&t, -1, free ? SN_LINK_FREE : SN_LINK_DRIVEN, snVec(0, 0, 0));
        for (int l = 0; l < 10; l++)
            addRod(&t, l, SN_LINK_BALL);
        for (int l = 0; l <= 10; l++)
            snLinkDef_SetCapsule(&t.links[l], snVec(0, 0, 0), snVec(1, 0, 0), radius, 1);
        if (makeTree(&t)) {
            t.at[5].spin = snVec(3, -2, 5);
            t.at[10].spin = snVec(-30, 2, 5);
            snArticulated_Update(t.tree, t.state);
            double begin = energyOf(&t, gravity);
            snArticulatedMeasure a, b;
            snArticulated_Measure(t.tree, t.state, gravity, &a);
            for (int i = 0; i < 600; i++) {
                run(&t, 1 / 60.0, 1, SN_ARTICULATED_IMPLICIT, gravity);
                worst = fmax(worst, fabs(energyOf(&t, gravity) / begin - 1));
            }
            snArticulated_Measure(t.tree, t.state, gravity, &b);
            double spin = snDistance(a.angularMomentum, b.angularMomentum);
            printf("  %s, %.2f m thick: energy off by %.1e over 10 s, angular momentum by %.1e\n",
                   free ? "free" : "hung up", radius, worst, spin / snLength(a.angularMomentum));
            CHECK(worst < 0.02);
            if (free) CHECK(spin < 1e-9 * snLength(a.angularMomentum));
        }
        freeTree(&t);
    }
}

// Spun so fast that a step is many turns: nothing is right then, but nothing grows.
static void wildSpinsStayFinite(void)
{
    for (int kind = 0; kind < 8; kind++) {
        Tree t = {0};
        double speed = kind / 2 == 3   ? 1e5
                       : kind / 2 == 2 ? 3000
                       : kind / 2 == 1 ? 300
                                       : 100,
               most = 0;
        addLink(&t, -1, kind % 2 ? SN_LINK_FREE : SN_LINK_DRIVEN, snVec(0, 0, 0));
        snLinkDef_SetCapsule(&t.links[0], snVec(0, 0, 0), snVec(1, 0, 0), 0.1, 1);
        for (int l = 0; l < 10; l++)
            addRod(&t, l, l % 3 ? SN_LINK_BALL : SN_LINK_HINGE);
        if (makeTree(&t)) {
            t.at[3].spin = snVec(0.1 * speed, -0.3 * speed, 0.2 * speed);
            t.at[9].spin = snVec(0.5 * speed, speed, -0.4 * speed);
            snArticulated_Update(t.tree, t.state);
            double begin = energyOf(&t, GRAVITY);
            for (int i = 0; i < 300; i++) {
                run(&t, 1 / 60.0, 1, SN_ARTICULATED_IMPLICIT, GRAVITY);
                double energy = energyOf(&t, GRAVITY);
                most = energy > most || !isfinite(energy) ? energy : most;
            }
            printf("  %s, %.0f rad/s: %.3e J, most %.3e J\n", kind % 2 ? "free" : "hung up", speed,
                   begin, most);
            CHECK(most < 1.02 * begin);
        }
        freeTree(&t);
    }
}

// A tree that flies: momenta, and the way of its centre, are exact whatever it does within.
static void momentumOfAFreeTree(void)
{
    snRandom random = snMakeRandom(5);
    for (int method = 0; method < 2; method++) {
        Tree t = {0};
        for (int l = 0; l < 25; l++) {
            snLinkKind kind = l % 4 ? SN_LINK_BALL : SN_LINK_HINGE;
            int parent = l ? snRandom_Below(&random, l) : -1;
            addLink(&t, parent, l ? kind : SN_LINK_FREE, snRandom_UnitVector(&random));
            snLinkDef *link = &t.links[l];
            snLinkDef_SetBox(link, snVec(0.3, 0, 0.1), snVec(0.4, 0.2, 0.1), 1 + l % 3);
            link->drive.stiffness = l % 3 ? 50 : 0;
            link->drive.damping = l ? 0.3 : 0; // a root's would be from outside
            link->drive.friction = l % 5 ? 0 : 1;
        }
        if (makeTree(&t)) {
            for (int l = 0; l < 25; l++)
                t.at[l].spin = snScale(2, snRandom_UnitVector(&random));
            t.at[0].velocity = snVec(3, 1, -2);
            snArticulated_Update(t.tree, t.state);
            snArticulatedMeasure a, b;
            snArticulated_Measure(t.tree, t.state, GRAVITY, &a);
            double h = method ? 1e-3 : 1 / 60.0, time = 300 * h;
            run(&t, h, 300, (snArticulatedMethod)method, GRAVITY);
            snArticulated_Measure(t.tree, t.state, GRAVITY, &b);
            snVec3 fall = snScale(time * a.mass, GRAVITY);
            double momentum = snDistance(b.momentum, snAdd(a.momentum, fall));
            // About the centre, gravity does not turn it.
            snVec3 spinA = snSub(a.angularMomentum, snCross(a.center, a.momentum));
            snVec3 spinB = snSub(b.angularMomentum, snCross(b.center, b.momentum));
            double spin = snDistance(spinA, spinB) / snLength(spinA);
            double late = method ? 0.5 * time : 0.5 * (time + h); // Euler's falls a step further
            snVec3 center = snMulAdd(a.center, time / a.mass, a.momentum);
            center = snMulAdd(center, time * late, GRAVITY);
            printf("  momentum off by %.1e of %.0f, spin by %.1e, centre by %.1e m; kinetic %.0f "
                   "to %.0f J\n",
                   momentum, snLength(b.momentum), spin, snDistance(center, b.center), a.kinetic,
                   b.kinetic);
            CHECK(momentum < 1e-11 * snLength(b.momentum) && spin < 1e-11);
            CHECK(snDistance(center, b.center) < 1e-9);
        }
        freeTree(&t);
    }
}

// A push at a point turns and moves by what it is: torque about the centre, force.
static void pushesChangeMomentum(void)
{
    Tree t = {0};
    addRod(&t, -1, SN_LINK_FREE);
    addRod(&t, 0, SN_LINK_BALL);
    t.links[1].offset = snVec(1, 0, 0);
    if (makeTree(&t)) {
        snArticulatedMeasure a, b;
        snArticulated_Measure(t.tree, t.state, GRAVITY, &a);
        snArticulatedStep step = {0.01, {0, 0, 0}, SN_ARTICULATED_IMPLICIT};
        snVec3 at = snVec(1.7, 0.2, 0.3), force = snVec(2, 5, -3), torque = snVec(0.2, -0.1, 0.4);
        snArticulated_Push(t.tree, t.state, 1, at, force);
        snArticulated_Twist(t.tree, t.state, 0, torque);
        snArticulated_Step(t.tree, t.state, &step);
        snArticulated_Measure(t.tree, t.state, GRAVITY, &b);
        snVec3 spin = snSub(b.angularMomentum, snCross(b.center, b.momentum));
        snVec3 expected = snAdd(torque, snCross(snSub(at, a.center), force));
        CHECK_NEAR(snDistance(b.momentum, snScale(0.01, force)), 0, 1e-13);
        CHECK_NEAR(snDistance(spin, snScale(0.01, expected)), 0, 1e-13);
        run(&t, 0.01, 10, SN_ARTICULATED_IMPLICIT, snVec(0, 0, 0)); // forces are forgotten
        snArticulatedMeasure c;
        snArticulated_Measure(t.tree, t.state, GRAVITY, &c);
        CHECK_NEAR(snDistance(b.momentum, c.momentum), 0, 1e-13);
    }
    freeTree(&t);
}

// Springs of 1e8 N m/rad at 1/60 s: a chain held level sags by no more than its weight asks for and stays
// so; struck, it comes to rest.
static void stiffSpringsAreStable(void)
{
    for (int kind = 0; kind < 2; kind++)
        for (int power = 2; power <= 12; power += 2) {
            Tree t;
            double k = snPow(10, power);
            if (makeChain(&t, 10, kind ? SN_LINK_BALL : SN_LINK_HINGE)) {
                for (int l = 1; l <= 10; l++)
                    t.drives[l].stiffness = k;
                t.at[5].spin = snVec(3, -2, 5);
                t.at[10].spin = snVec(-30, 2, 5);
                snArticulated_Update(t.tree, t.state);
                double most = 0, begin = energyOf(&t, GRAVITY);
                for (int i = 0; i < 600; i++) {
                    run(&t, 1 / 60.0, 1, SN_ARTICULATED_IMPLICIT, GRAVITY);
                    most = fmax(most, energyOf(&t, GRAVITY));
                }
                snArticulatedMeasure m;
                snArticulated_Measure(t.tree, t.state, GRAVITY, &m);
                // Torque at joint l of the level chain: 9.81 Σ of what is beyond.
                double sag = 0, slope = 0;
                for (int l = 1; l <= 10; l++) {
                    slope -= 9.81 * 0.5 * (11 - l) * (11 - l) / k;
                    sag += slope;
                }
                double end = snMulAP(snArticulated_Frame(t.state, 10), snVec(1, 0, 0)).y;
                if (power >= 6) CHECK_NEAR(end, sag, 0.02 * fabs(sag) + 1e-9);
                CHECK(m.kinetic < 1e-3 || power < 6);
                CHECK(isfinite(most) && most < 1.01 * begin);
                if (power == 8)
                    printf("  1e8: kinetic %.1e J after 10 s, sags by %.3e m, by its weight %.3e\n",
                           m.kinetic, end, sag);
            }
            freeTree(&t);
        }
}

// A spring and damper of a single hinge against the closed form of the implicit step: A' = A - ...
static void implicitStepIsEulers(void)
{
    Tree t;
    if (makeChain(&t, 1, SN_LINK_HINGE)) {
        double k = 40, c = 3, h = 0.05, inertia = t.links[1].inertia.cz.z + 0.25;
        double angle = 0.3, rate = -1;
        t.drives[1].stiffness = k;
        t.drives[1].damping = c;
        t.drives[1].angle = 0.1;
        t.at[1].angle = angle;
        t.at[1].spin.x = rate;
        snArticulated_Update(t.tree, t.state);
        for (int i = 0; i < 20; i++) {
            rate = (inertia * rate - h * k * (angle - 0.1)) / (inertia + h * c + h * h * k);
            angle += h * rate;
            run(&t, h, 1, SN_ARTICULATED_IMPLICIT, snVec(0, 0, 0));
            CHECK_NEAR(t.at[1].angle, angle, 1e-13);
        }
    }
    freeTree(&t);
}

// A hinge with friction F: under a torque below F nothing moves at all; above it the rest accelerates it;
// thrown, it slows down by F / J and stops, and stays.
static void frictionHoldsAndSlides(void)
{
    for (int kind = 0; kind < 2; kind++) {
        Tree t;
        if (makeChain(&t, 1, kind ? SN_LINK_BALL : SN_LINK_HINGE)) {
            double inertia = t.links[1].inertia.cz.z + 0.25, h = 1 / 60.0;
            snVec3 torque = snVec(0, 0, 2);
            t.drives[1].friction = 2.2;
            snArticulatedStep step = {h, {0, 0, 0}, SN_ARTICULATED_IMPLICIT};
            for (int i = 0; i < 200; i++) {
                snArticulated_Twist(t.tree, t.state, 1, torque);
                snArticulated_Step(t.tree, t.state, &step);
            }
            double crept = snLength(snQuatToVector(t.at[1].rotation));
            CHECK_NEAR(crept, 0, 1e-4);
            double speed = snLength(t.at[1].spin);
            CHECK_NEAR(speed, 0, 1e-12);
            for (int i = 0; i < 60; i++) {
                snArticulated_Twist(t.tree, t.state, 1, snScale(1.5, torque));
                snArticulated_Step(t.tree, t.state, &step);
            }
            double gained = snLength(snArticulated_Spin(t.state, 1));
            CHECK_NEAR(gained, (3 - 2.2) / inertia, 0.02 * gained);
            double stop = gained * inertia / 2.2; // seconds
            run(&t, h, (int)(stop / h) - 1, SN_ARTICULATED_IMPLICIT, snVec(0, 0, 0));
            CHECK(snLength(snArticulated_Spin(t.state, 1)) > 0);
            run(&t, h, 4, SN_ARTICULATED_IMPLICIT, snVec(0, 0, 0));
            speed = snLength(snArticulated_Spin(t.state, 1));
            CHECK_NEAR(speed, 0, 1e-2);
            run(&t, h, 20, SN_ARTICULATED_IMPLICIT, snVec(0, 0, 0));
            speed = snLength(snArticulated_Spin(t.state, 1));
            printf("  crept %.1e rad before it slid; at the end %.1e rad/s\n", crept, speed);
            CHECK(speed < 1e-9);
        }
        freeTree(&t);
    }
}

// A chain with friction in every joint swings, and loses energy in every step until it hangs still.
static void frictionTakesEnergy(void)
{
    Tree t;
    if (makeChain(&t, 6, SN_LINK_BALL)) {
        for (int l = 1; l <= 6; l++)
            t.drives[l].friction = 25;
        double last = energyOf(&t, GRAVITY), gained = 0;
        for (int i = 0; i < 2400; i++) {
            run(&t, 1 / 120.0, 1, SN_ARTICULATED_IMPLICIT, GRAVITY);
            double now = energyOf(&t, GRAVITY);
            gained = fmax(gained, now - last);
            last = now;
        }
        snArticulatedMeasure m;
        snArticulated_Measure(t.tree, t.state, GRAVITY, &m);
        printf("  most gained in a step %.1e J, kinetic at the end %.1e J\n", gained, m.kinetic);
        CHECK(m.kinetic < 1e-9);
    }
    freeTree(&t);
}

// A root on a path: the nail goes round; what hangs on it is led, and the root is where it was sent. A
// pendulum whose nail accelerates by a hangs at the angle of a / g.
static void rootsFollowPaths(void)
{
    for (int method = 0; method < 2; method++) {
        Tree t;
        if (makeChain(&t, 1, SN_LINK_BALL)) {
            double h = 1e-3, a = 4, time = 0;
            snArticulatedStep step = {h, GRAVITY, (snArticulatedMethod)method};
            t.drives[1].damping = 1;
            t.at[1].rotation = snQuatFromAxisAngle(snVec(0, 0, 1), -SN_PI / 2);
            snArticulated_Update(t.tree, t.state);
            for (int i = 0; i < 10000; i++) {
                time += h;
                snVec3 place = snVec(0.5 * a * time * time, 0, 0);
                snArticulated_Lead(t.state, 0, place, snIdentityQuat());
                snArticulated_Step(t.tree, t.state, &step);
                if (i % 1000 == 0)
                    CHECK_NEAR(snDistance(snArticulated_Frame(t.state, 0).origin, place), 0, 0);
            }
            snVec3 down = snArticulated_Frame(t.state, 1).linear.cx;
            CHECK_NEAR(-down.x / -down.y, 4 / 9.81, 1e-4);
            snVec3 v = snArticulated_Velocity(t.state, 0, snVec(0, 0, 0));
            CHECK_NEAR(v.x, a * time, 2 * a * h);
        }
        freeTree(&t);
    }
}

// A step in two is the step. In between, the end of a chain with stiff joints is held where it is, by one impulse through
// the step's matrix; momentum that the nail and the hand do not take up stays.
static void pointsAreHeldInBetween(void)
{
    Tree a, b;
    snArticulatedStep step = {1 / 60.0, GRAVITY, SN_ARTICULATED_IMPLICIT};
    if (makeChain(&a, 6, SN_LINK_BALL) && makeChain(&b, 6, SN_LINK_BALL)) {
        for (int i = 0; i < 30; i++) {
            snArticulated_Step(a.tree, a.state, &step);
            snArticulated_Speed(b.tree, b.state, &step);
            snArticulated_Move(b.tree, b.state, &step);
        }
        CHECK(snArticulated_Hash(a.tree, a.state) == snArticulated_Hash(b.tree, b.state));
    }
    freeTree(&a);
    freeTree(&b);
    if (makeChain(&a, 6, SN_LINK_BALL)) {
        double worst = 0;
        snVec3 hold, point = snVec(1, 0, 0);
        for (int l = 1; l <= 6; l++) { // zigzag: a straight one cannot give along itself
            a.drives[l].stiffness = l % 2 ? 1e5 : 10, a.drives[l].damping = 1;
            a.drives[l].target = snQuatFromVector(snVec(0, 0.1, l % 2 ? 0.4 : -0.8));
            a.at[l].rotation = a.drives[l].target;
        }
        snArticulated_Update(a.tree, a.state);
        hold = snAdd(snMulAP(snArticulated_Frame(a.state, 6), point), snVec(-0.1, 0.1, 0.2));
        for (int i = 0; i < 300; i++) {
            static double column[3 * 18];
            snArticulated_Speed(a.tree, a.state, &step);
            snVec3 at = snMulAP(snArticulated_Frame(a.state, 6), point);
            snArticulated_Prepare(a.tree, a.state, step.length);
            snArticulated_Column(a.tree, a.state, 6, at, column);
            snMat3 response = snArticulated_Response(a.tree, a.state, 6, at, column);
            snVec3 wanted = snScale(0.2 / step.length, snSub(hold, at));
            snVec3 lack = snSub(wanted, snArticulated_Velocity(a.state, 6, at));
            snArticulated_Strike(a.tree, a.state, column, snMulMV(snInverse3(response), lack));
            CHECK_NEAR(snDistance(snArticulated_Velocity(a.state, 6, at), wanted), 0, 1e-9);
            snArticulated_Move(a.tree, a.state, &step);
            at = snMulAP(snArticulated_Frame(a.state, 6), point);
            if (i > 100) worst = fmax(worst, snDistance(at, hold));
        }
        snArticulatedMeasure m;
        snArticulated_Measure(a.tree, a.state, GRAVITY, &m);
        printf("  held to %.1e m; kinetic energy %.1e J\n", worst, m.kinetic);
        CHECK(worst < 1e-2 && m.kinetic < 1);
    }
    freeTree(&a);
}

// A free root that is drawn to a place hangs m g / k below it, turned as it is wanted; both methods.
static void rootsAreDrawn(void)
{
    for (int method = 0; method < 2; method++) {
        Tree t = {0};
        addLink(&t, -1, SN_LINK_FREE, snVec(0, 0, 0));
        snLinkDef_SetBox(&t.links[0], snVec(0, 0, 0), snVec(0.3, 0.2, 0.1), 2);
        snJointDrive *drive = &t.links[0].drive;
        drive->stiffness = 5, drive->damping = 0.5;
        drive->pull = 100, drive->drag = 20;
        drive->place = snVec(1, 2, 3);
        drive->target = snQuatFromVector(snVec(0.5, -1, 0.3));
        if (makeTree(&t)) {
            run(&t, 0.01, 1000, (snArticulatedMethod)method, GRAVITY);
            CHECK_NEAR(snDistance(t.at[0].place, snVec(1, 2 - 9.81 * 2 / 100, 3)), 0, 1e-9);
            CHECK_NEAR(fabs(snDotQ(t.at[0].rotation, t.drives[0].target)), 1, 1e-12);
        }
        freeTree(&t);
    }
}

// Limits: a forearm that falls stops at its end, within what a stiff spring gives.
static void limitsStop(void)
{
    for (int kind = 0; kind < 2; kind++) {
        Tree t = {0};
        addLink(&t, -1, SN_LINK_DRIVEN, snVec(0, 0, 0));
        addRod(&t, 0, kind ? SN_LINK_BALL : SN_LINK_HINGE);
        t.links[1].range = snLimitedHinge(snVec(0, 0, 1), -0.5, 1);
        if (kind) {
            t.links[1].range = snLimitedBall(snVec(1, 0, 0), 0.3, 1);
            t.links[1].range.low[2] = -0.5;
        }
        t.links[1].drive.limits = 1e5;
        t.links[1].drive.damping = 0.2;
        if (makeTree(&t)) {
            double lowest = 0;
            for (int i = 0; i < 300; i++) {
                run(&t, 1 / 60.0, 1, SN_ARTICULATED_IMPLICIT, GRAVITY);
                double angle = snAsin(snArticulated_Frame(t.state, 1).linear.cx.y);
                lowest = fmin(lowest, angle);
            }
            double end = snAsin(snArticulated_Frame(t.state, 1).linear.cx.y);
            printf("  rests at %.5f rad, lowest %.5f\n", end, lowest);
            CHECK_NEAR(end, -0.5, 1e-3);
            CHECK(lowest > -0.55);
        }
        freeTree(&t);
    }
}

// A torque-free top, spun about its middle axis, tumbles: spin's length and energy stay.
static void topsKeepTheirSpin(void)
{
    Tree t = {0};
    addLink(&t, -1, SN_LINK_FREE, snVec(0, 0, 0));
    snLinkDef_SetBox(&t.links[0], snVec(0.2, 0.1, -0.3), snVec(0.1, 0.3, 0.6), 2);
    if (makeTree(&t)) {
        t.at[0].spin = snVec(0.01, 8, 0.01);
        snArticulated_Update(t.tree, t.state);
        snArticulatedMeasure a, b;
        snArticulated_Measure(t.tree, t.state, GRAVITY, &a);
        run(&t, 1e-3, 5000, SN_ARTICULATED_RK4, snVec(0, 0, 0));
        snArticulated_Measure(t.tree, t.state, GRAVITY, &b);
        CHECK_NEAR(snDistance(a.angularMomentum, b.angularMomentum), 0, 1e-10);
        CHECK_NEAR(b.kinetic, a.kinetic, 1e-8 * a.kinetic);
    }
    freeTree(&t);
}

// The same bits from every compiler and at every level of optimisation.
static void sameBits(void)
{
    static const uint64_t golden[2] = {0x48809d660da83cb1u, 0x9c6c74e594499cc5u};
    for (int method = 0; method < 2; method++) {
        Tree t = {0};
        addRod(&t, -1, SN_LINK_FREE);
        for (int l = 0; l < 12; l++) {
            addRod(&t, l, l % 3 ? SN_LINK_BALL : SN_LINK_HINGE);
            snLinkDef *link = &t.links[l + 1];
            link->range = l % 3 ? snLimitedBall(snVec(1, 0, 0), 0.5, 1)
                                : snLimitedHinge(snVec(0, 0, 1), -1, 0.7);
            link->drive =
                (snJointDrive){.stiffness = l, .damping = 0.2, .target = snIdentityQuat()};
            link->drive.friction = l % 4 ? 0 : 0.5;
            link->drive.limits = 100;
        }
        if (makeTree(&t)) {
            t.at[0].spin = snVec(1, -2, 3);
            t.at[7].spin = snVec(-4, 2, 1);
            snArticulated_Update(t.tree, t.state);
            run(&t, 0.005, 400, (snArticulatedMethod)method, GRAVITY);
            uint64_t hash = snArticulated_Hash(t.tree, t.state);
            if (!CHECK(hash == golden[method])) printf("  0x%016" PRIx64 "\n", hash);
        }
        freeTree(&t);
    }
}

int main(void)
{
    RUN(pendulumsFall);
    RUN(ordersOfSteps);
    RUN(energyOfTenLinks);
    RUN(limpChainsStayWhole);
    RUN(wildSpinsStayFinite);
    RUN(momentumOfAFreeTree);
    RUN(pushesChangeMomentum);
    RUN(stiffSpringsAreStable);
    RUN(implicitStepIsEulers);
    RUN(frictionHoldsAndSlides);
    RUN(frictionTakesEnergy);
    RUN(rootsFollowPaths);
    RUN(pointsAreHeldInBetween);
    RUN(rootsAreDrawn);
    RUN(limitsStop);
    RUN(topsKeepTheirSpin);
    RUN(sameBits);
    return snTest_Finish();
}
