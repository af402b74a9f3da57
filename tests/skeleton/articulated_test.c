// Articulated dynamics against a dense computation of Lagrange's equations, and its blows against the
// dense mass matrix; memory that runs out, bad input, state.
#include "skeleton/articulated.h"

#include "core/elementary.h"
#include "core/random.h"
#include "numerics/dense.h"
#include "tests/test.h"
#include "tests/skeleton/trees.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINKS = 20, SIZE = 6 * LINKS };

typedef struct Tree {
    snLinkDef links[LINKS];
    int count;
    snArticulated *tree;
    snArticulatedState *state;
    // Forces, as given.
    snVec3 gravity, at[LINKS], push[LINKS], twist[LINKS];
} Tree;

static snVec3 randomVector(snRandom *random, double size)
{
    return snScale(
        size, snVec(snRandom_Normal(random), snRandom_Normal(random), snRandom_Normal(random)));
}

// Random masses: a cloud of six points, so that the inertia is one that can be.
static void randomMass(snRandom *random, snLinkDef *link)
{
    snVec3 points[6], center = snVec(0, 0, 0);
    link->mass = snRandom_Uniform(random, 0.3, 3);
    for (int i = 0; i < 6; i++) {
        points[i] = randomVector(random, 0.3);
        center = snMulAdd(center, 1 / 6.0, points[i]);
    }
    link->center = center;
    link->inertia = snDiagonal3(0, 0, 0);
    for (int i = 0; i < 6; i++) {
        snVec3 d = snSub(points[i], center);
        link->inertia = snAddMM(link->inertia, snScaleM(link->mass / 6, snPointInertia(d)));
    }
}

static snLinkDef randomLink(snRandom *random, int l)
{
    int parent = l == 0 || snRandom_Below(random, 12) == 0 ? -1 : snRandom_Below(random, l);
    snLinkKind kind = snRandom_Below(random, 3) ? SN_LINK_FREE : SN_LINK_DRIVEN;
    int choice = snRandom_Below(random, 10);
    if (parent >= 0) kind = choice < 5 ? SN_LINK_BALL : choice < 9 ? SN_LINK_HINGE : SN_LINK_FIXED;
    snLinkDef link = snDefaultLinkDef(parent, kind);
    link.offset = randomVector(random, 0.5);
    link.rest = snRandom_Rotation(random);
    link.axis = snRandom_UnitVector(random);
    link.drive.target = snRandom_Rotation(random);
    link.drive.angle = snRandom_Uniform(random, -1, 1);
    link.drive.stiffness = snRandom_Uniform(random, 0, 5);
    link.drive.damping = snRandom_Uniform(random, 0, 1);
    link.drive.spin = randomVector(random, 0.3);
    link.drive.pull = snRandom_Uniform(random, 0, 5);
    link.drive.drag = snRandom_Uniform(random, 0, 1);
    link.drive.place = randomVector(random, 1);
    link.drive.velocity = randomVector(random, 0.3);
    randomMass(random, &link);
    return link;
}

static bool makeTree(Tree *t)
{
    return makeArticulated(t->count, t->links, &t->tree, &t->state);
}

static void freeTree(Tree *t)
{
    freeArticulated(t->tree, t->state);
}

static void randomMotion(Tree *t, snRandom *random)
{
    snLinkState *links = snArticulatedState_Links(t->state);
    for (int l = 0; l < t->count; l++) {
        links[l].rotation = snRandom_Rotation(random);
        links[l].angle = snRandom_Uniform(random, -3, 3);
        links[l].spin = randomVector(random, 1);
        links[l].velocity = randomVector(random, 1);
        if (t->links[l].parent < 0) links[l].place = randomVector(random, 1);
    }
    snArticulated_Update(t->tree, t->state);
}

static bool randomTree(Tree *t, snRandom *random, int count)
{
    *t = (Tree){.count = count, .gravity = randomVector(random, 5)};
    for (int l = 0; l < count; l++)
        t->links[l] = randomLink(random, l);
    if (!makeTree(t)) return false;
    randomMotion(t, random);
    return true;
}

// --- the dense computation: plain matrices, from the definitions alone ---------------------------

typedef struct Dense {
    snMat3 turned[LINKS];
    snVec3 at[LINKS], center[LINKS], spin[LINKS];
    snVec3 turn[LINKS][SIZE], move[LINKS][SIZE]; // columns: of spins, and of centres of mass
} Dense;

static bool hasSpin(snLinkKind kind)
{
    return kind == SN_LINK_BALL || kind == SN_LINK_FREE || kind == SN_LINK_DRIVEN;
}

// Everything moved on by time, at velocities that stay as they are in the links' frames.
static void placeDense(const Tree *t, double time, Dense *d)
{
    const snLinkState *links = snArticulatedState_Links(t->state);
    for (int l = 0; l < t->count; l++) {
        const snLinkDef *def = &t->links[l];
        snQuat q = def->rest;
        snVec3 own = snVec(0, 0, 0);
        if (hasSpin(def->kind)) {
            q = snMulQQ(links[l].rotation, snQuatFromVector(snScale(time, links[l].spin)));
            own = links[l].spin;
        } else if (def->kind == SN_LINK_HINGE) {
            double angle = links[l].angle + time * links[l].spin.x;
            q = snMulQQ(def->rest, snQuatFromVector(snScale(angle, def->axis)));
            own = snScale(links[l].spin.x, def->axis);
        }
        snMat3 local = snQuatToMat(q);
        if (def->parent < 0) {
            d->turned[l] = local;
            d->at[l] = snMulAdd(links[l].place, time, links[l].velocity);
            d->spin[l] = snMulMV(local, own);
        } else {
            int p = def->parent;
            d->turned[l] = snMulMM(d->turned[p], local);
            d->at[l] = snAdd(d->at[p], snMulMV(d->turned[p], def->offset));
            d->spin[l] = snAdd(d->spin[p], snMulMV(d->turned[l], own));
        }
        d->center[l] = snAdd(d->at[l], snMulMV(d->turned[l], def->center));
    }
}

static snVec3 pointColumn(const Dense *d, snVec3 turn, snVec3 move, int joint, snVec3 point)
{
    return snAdd(move, snCross(turn, snSub(point, d->at[joint])));
}

// Columns of degree of freedom i of link k for all links below it.
static void addColumn(const Tree *t, Dense *d, int k, int i, snVec3 turn, snVec3 move)
{
    for (int l = k; l < t->count; l++) {
        int above = l;
        while (above > k)
            above = t->links[above].parent;
        if (above != k) continue;
        d->turn[l][i] = turn;
        d->move[l][i] = pointColumn(d, turn, move, k, d->center[l]);
    }
}

static void findColumns(const Tree *t, Dense *d)
{
    const snVec3 unit[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, zero = {0, 0, 0};
    memset(d->turn, 0, sizeof d->turn);
    memset(d->move, 0, sizeof d->move);
    for (int k = 0; k < t->count; k++) {
        int first = snArticulated_First(t->tree, k);
        snLinkKind kind = t->links[k].kind;
        if (kind == SN_LINK_HINGE)
            addColumn(t, d, k, first, snMulMV(d->turned[k], t->links[k].axis), zero);
        for (int i = 0; i < 3 && (kind == SN_LINK_BALL || kind == SN_LINK_FREE); i++)
            addColumn(t, d, k, first + i, snMulMV(d->turned[k], unit[i]), zero);
        for (int i = 0; i < 3 && kind == SN_LINK_FREE; i++)
            addColumn(t, d, k, first + 3 + i, zero, unit[i]);
    }
}

static snMat3 inertiaOf(const Tree *t, const Dense *d, int l)
{
    return snMulMM(d->turned[l], snMulMM(t->links[l].inertia, snTranspose(d->turned[l])));
}

static void denseMass(const Tree *t, const Dense *d, int size, double *mass)
{
    for (int i = 0; i < size; i++)
        for (int k = 0; k < size; k++) {
            double sum = 0;
            for (int l = 0; l < t->count; l++)
                sum += t->links[l].mass * snDot(d->move[l][i], d->move[l][k]) +
                       snDot(d->turn[l][i], snMulMV(inertiaOf(t, d, l), d->turn[l][k]));
            mass[k * size + i] = sum;
        }
}

// What accelerates by velocities alone: differences of eighth order along the motion.
static void denseDrift(const Tree *t, snVec3 *move, snVec3 *turn)
{
    static const double second[5] = {-205.0 / 72, 8.0 / 5, -1.0 / 5, 8.0 / 315, -1.0 / 560};
    static const double first[5] = {0, 4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
    static Dense d;
    double h = 0.02;
    memset(move, 0, LINKS * sizeof *move);
    memset(turn, 0, LINKS * sizeof *turn);
    for (int i = -4; i <= 4; i++) {
        placeDense(t, h * i, &d);
        for (int l = 0; l < t->count; l++) {
            double sign = i < 0 ? -1 : 1;
            move[l] = snMulAdd(move[l], second[abs(i)] / (h * h), d.center[l]);
            turn[l] = snMulAdd(turn[l], sign * first[abs(i)] / h, d.spin[l]);
        }
    }
}

static void addDrives(const Tree *t, double *force)
{
    const snLinkState *links = snArticulatedState_Links(t->state);
    for (int l = 0; l < t->count; l++) {
        const snJointDrive *drive = &t->links[l].drive;
        double *f = force + snArticulated_First(t->tree, l);
        if (t->links[l].kind == SN_LINK_HINGE)
            f[0] -= drive->stiffness * (links[l].angle - drive->angle) +
                    drive->damping * (links[l].spin.x - drive->spin.x);
        if (t->links[l].kind != SN_LINK_BALL && t->links[l].kind != SN_LINK_FREE) continue;
        snVec3 off = snQuatToVector(snMulQQ(snConjugate(drive->target), links[l].rotation));
        snVec3 rate = snSub(links[l].spin, drive->spin);
        snVec3 torque = snAdd(snScale(drive->stiffness, off), snScale(drive->damping, rate));
        f[0] -= torque.x, f[1] -= torque.y, f[2] -= torque.z;
        if (t->links[l].kind != SN_LINK_FREE) continue;
        snVec3 pull = snScale(drive->pull, snSub(links[l].place, drive->place));
        pull = snMulAdd(pull, drive->drag, snSub(links[l].velocity, drive->velocity));
        f[3] -= pull.x, f[4] -= pull.y, f[5] -= pull.z;
    }
}

static void denseAccelerations(const Tree *t, double *x)
{
    static Dense d;
    static double mass[SIZE * SIZE];
    int size = snArticulated_Size(t->tree);
    snVec3 move[LINKS], turn[LINKS];
    placeDense(t, 0, &d);
    findColumns(t, &d);
    denseMass(t, &d, size, mass);
    denseDrift(t, move, turn);
    memset(x, 0, SIZE * sizeof *x);
    addDrives(t, x);
    for (int l = 0; l < t->count; l++) {
        snMat3 inertia = inertiaOf(t, &d, l);
        snVec3 lift = snScale(t->links[l].mass, snSub(t->gravity, move[l]));
        snVec3 gyro = snCross(d.spin[l], snMulMV(inertia, d.spin[l]));
        snVec3 torque = snSub(t->twist[l], snAdd(gyro, snMulMV(inertia, turn[l])));
        snVec3 arm = snSub(t->at[l], d.center[l]);
        torque = snAdd(torque, snCross(arm, t->push[l]));
        lift = snAdd(lift, t->push[l]);
        for (int i = 0; i < size; i++)
            x[i] += snDot(d.move[l][i], lift) + snDot(d.turn[l][i], torque);
    }
    CHECK(snDenseCholesky(size, mass, NULL) == SN_OK);
    snDenseCholesky_Solve(size, mass, x);
}

static void equalsLagrange(void)
{
    snRandom random = snMakeRandom(1);
    double worst = 0;
    for (int round = 0; round < 100; round++) {
        Tree t;
        if (randomTree(&t, &random, 1 + round % LINKS)) {
            double found[SIZE], expected[SIZE], off = 0, size = 0;
            for (int l = 0; l < t.count; l++) {
                t.at[l] = randomVector(&random, 1);
                t.push[l] = randomVector(&random, 3);
                t.twist[l] = randomVector(&random, 1);
                snArticulated_Push(t.tree, t.state, l, t.at[l], t.push[l]);
                snArticulated_Twist(t.tree, t.state, l, t.twist[l]);
            }
            snArticulated_Accelerations(t.tree, t.state, t.gravity, found);
            denseAccelerations(&t, expected);
            for (int i = 0; i < snArticulated_Size(t.tree); i++) {
                off = fmax(off, fabs(found[i] - expected[i]));
                size = fmax(size, fabs(expected[i]));
            }
            if (size > 0) worst = fmax(worst, off / size);
        }
        freeTree(&t);
    }
    printf("  100 trees: accelerations off by %.1e\n", worst);
    CHECK(worst < 1e-9);
}

// Six wrenches at once do what they do one by one, whatever the joints, in a step or as blows.
static void answersAreThoseOfTheTree(void)
{
    snRandom random = snMakeRandom(7);
    double worst = 0;
    for (int round = 0; round < 60; round++) {
        Tree t;
        if (randomTree(&t, &random, 2 + round % 18)) {
            int links[5], count = 1 + round % 5;
            snSpatialRow blocks[5 * 6 * 5];
            snSpatial motions[LINKS];
            for (int i = 0; i < count; i++)
                links[i] = snRandom_Below(&random, t.count);
            snArticulated_Prepare(t.tree, t.state, round % 2 ? 0.01 : 0);
            snArticulated_Answers(t.tree, t.state, count, links, blocks);
            for (int i = 0; i < 6 * count; i++) {
                snVec3 unit = snVec(i % 3 == 0, i % 3 == 1, i % 3 == 2), none = snVec(0, 0, 0);
                snSpatial wrench = i % 6 < 3 ? (snSpatial){unit, none} : (snSpatial){none, unit};
                snArticulated_Answer(t.tree, t.state, links[i / 6], wrench, motions);
                for (int n = 0; n < count; n++) {
                    snSpatial is = blocks[6 * (i / 6 * count + n) + i % 6].motion;
                    snSpatial want = motions[links[n]];
                    double off = snLengthSquared(snSub(is.turn, want.turn)) +
                                 snLengthSquared(snSub(is.move, want.move));
                    worst = fmax(worst, sqrt(off / (1e-6 + snDotS(want, want))));
                }
            }
        }
        freeTree(&t);
    }
    printf("    answers of links: off by %.2g\n", worst);
    CHECK(worst < 1e-9);
}

// Columns and responses are those of the dense mass matrix; blows change momentum by themselves.
static void blowsEqualTheMassMatrix(void)
{
    snRandom random = snMakeRandom(2);
    static Dense d;
    static double mass[SIZE * SIZE], column[3 * SIZE], other[3 * SIZE];
    double worst = 0, asymmetry = 0;
    for (int round = 0; round < 60; round++) {
        Tree t;
        if (randomTree(&t, &random, 2 + round % 18)) {
            int size = snArticulated_Size(t.tree);
            int a = snRandom_Below(&random, t.count), b = snRandom_Below(&random, t.count);
            snVec3 pa = randomVector(&random, 1), pb = randomVector(&random, 1);
            placeDense(&t, 0, &d);
            findColumns(&t, &d);
            denseMass(&t, &d, size, mass);
            double h = round % 2 ? 0.01 : 0; // the step's matrix
            for (int l = 0; l < t.count; l++) {
                int first = snArticulated_First(t.tree, l);
                const snJointDrive *drive = &t.links[l].drive;
                snLinkKind kind = t.links[l].kind;
                int turns = kind == SN_LINK_HINGE ? 1 : 3, width = kind == SN_LINK_FREE ? 6 : turns;
                if (kind == SN_LINK_DRIVEN || kind == SN_LINK_FIXED) width = 0;
                for (int i = 0; i < width; i++)
                    mass[(first + i) * size + first + i] +=
                        i < turns ? h * drive->damping + h * h * drive->stiffness
                                  : h * drive->drag + h * h * drive->pull;
            }
            CHECK(snDenseCholesky(size, mass, NULL) == SN_OK);
            snArticulated_Prepare(t.tree, t.state, h);
            snArticulated_Column(t.tree, t.state, a, pa, column);
            snArticulated_Column(t.tree, t.state, b, pb, other);
            for (int c = 0; c < 3; c++) {
                double x[SIZE], largest = 1e-3;
                snVec3 unit = snVec(c == 0, c == 1, c == 2), arm = snSub(pa, d.center[a]);
                for (int i = 0; i < size; i++)
                    x[i] = snDot(unit, snAdd(d.move[a][i], snCross(d.turn[a][i], arm)));
                snDenseCholesky_Solve(size, mass, x);
                for (int i = 0; i < size; i++)
                    largest = fmax(largest, fabs(x[i]));
                for (int i = 0; i < size; i++)
                    worst = fmax(worst, fabs(x[i] - column[c * size + i]) / largest);
            }
            snMat3 ab = snArticulated_Response(t.tree, t.state, a, pa, other);
            snMat3 ba = snTranspose(snArticulated_Response(t.tree, t.state, b, pb, column));
            snMat3 off = snAddMM(ab, snScaleM(-1, ba));
            asymmetry = fmax(asymmetry, sqrt(snNormSquaredM(off) / (1e-6 + snNormSquaredM(ab))));
        }
        freeTree(&t);
    }
    printf("  columns off by %.1e, responses not symmetric by %.1e\n", worst, asymmetry);
    CHECK(worst < 1e-10 && asymmetry < 1e-10);
}

static void blowsKeepMomentum(void)
{
    snRandom random = snMakeRandom(3);
    for (int round = 0; round < 30; round++) {
        Tree t;
        if (randomTree(&t, &random, 12)) {
            static double column[3 * SIZE];
            int link = snRandom_Below(&random, 12), root = link;
            while (t.links[root].parent >= 0)
                root = t.links[root].parent;
            bool free = t.links[root].kind == SN_LINK_FREE;
            snVec3 at = randomVector(&random, 1), blow = randomVector(&random, 2);
            snArticulatedMeasure before, after;
            snArticulated_Measure(t.tree, t.state, t.gravity, &before);
            snVec3 velocity = snArticulated_Velocity(t.state, link, at);
            snArticulated_Prepare(t.tree, t.state, 0);
            snArticulated_Column(t.tree, t.state, link, at, column);
            snMat3 response = snArticulated_Response(t.tree, t.state, link, at, column);
            if (round % 2)
                snArticulated_Blow(t.tree, t.state, link, at, blow);
            else
                snArticulated_Strike(t.tree, t.state, column, blow);
            snArticulated_Measure(t.tree, t.state, t.gravity, &after);
            snVec3 now = snArticulated_Velocity(t.state, link, at);
            snVec3 expected = snAdd(velocity, snMulMV(response, blow));
            CHECK_NEAR(snDistance(now, expected), 0, 1e-11 * (1 + snLength(expected)));
            if (free) { // what drives a root works as well
                double work = 0.5 * snDot(blow, snAdd(velocity, now));
                CHECK_NEAR(after.kinetic - before.kinetic, work, 1e-10 * (1 + after.kinetic));
                snVec3 gained = snSub(after.momentum, before.momentum);
                snVec3 turned = snSub(after.angularMomentum, before.angularMomentum);
                CHECK_NEAR(snDistance(gained, blow), 0, 1e-11);
                CHECK_NEAR(snDistance(turned, snCross(at, blow)), 0, 1e-10);
            }
        }
        freeTree(&t);
    }
}

// A state is one block: put back, it goes on with the same bits.
static void statesAreOneBlock(void)
{
    snRandom random = snMakeRandom(4);
    for (int method = 0; method < 2; method++) {
        Tree t;
        if (randomTree(&t, &random, 15)) {
            snArticulatedStep step = {0.01, t.gravity, (snArticulatedMethod)method};
            snLinkState saved[LINKS];
            snJointDrive *drives = snArticulatedState_Drives(t.state);
            for (int l = 0; l < t.count; l++)
                drives[l].friction = 0.1;
            for (int i = 0; i < 20; i++)
                snArticulated_Step(t.tree, t.state, &step);
            memcpy(saved, snArticulatedState_Links(t.state), 15 * sizeof *saved);
            for (int i = 0; i < 20; i++)
                snArticulated_Step(t.tree, t.state, &step);
            uint64_t hash = snArticulated_Hash(t.tree, t.state);
            memcpy(snArticulatedState_Links(t.state), saved, 15 * sizeof *saved);
            snArticulated_Update(t.tree, t.state);
            CHECK(snArticulated_Hash(t.tree, t.state) != hash);
            for (int i = 0; i < 20; i++)
                snArticulated_Step(t.tree, t.state, &step);
            CHECK(snArticulated_Hash(t.tree, t.state) == hash);
            for (int l = 0; l < t.count; l++) {
                snQuat q = snArticulatedState_Links(t.state)[l].rotation;
                CHECK_NEAR(snDotQ(q, q), 1, 1e-14);
            }
        }
        freeTree(&t);
    }
}

static void solidsHaveTheirInertia(void)
{
    snLinkDef box = snDefaultLinkDef(-1, SN_LINK_FREE), capsule = box;
    snLinkDef_SetBox(&box, snVec(0, 0, 0), snVec(0.5, 1, 1.5), 12);
    CHECK_NEAR(box.inertia.cx.x, 12 * (4.0 + 9) / 12, 1e-12);
    snLinkDef_SetCapsule(&capsule, snVec(1, 0, 0), snVec(1, 0, 0), 2, 5); // a ball
    CHECK_NEAR(capsule.inertia.cz.z, 0.4 * 5 * 4, 1e-12);
    snLinkDef_SetCapsule(&capsule, snVec(0, 0, 0), snVec(0, 3, 0), 1e-9, 2); // a rod
    CHECK_NEAR(capsule.inertia.cz.z, 2 * 9.0 / 12, 1e-8);
    CHECK_NEAR(capsule.inertia.cy.y, 0, 1e-12);
    CHECK_NEAR(capsule.center.y, 1.5, 1e-15);
    // By sums over a grid: inside the capsule from (-1, 0, 0) to (1, 0, 0), radius 0.7.
    snLinkDef_SetCapsule(&capsule, snVec(-1, 0, 0), snVec(1, 0, 0), 0.7, 1);
    double mass = 0, along = 0, across = 0;
    for (int i = -85; i <= 85; i++)
        for (int j = -35; j <= 35; j++)
            for (int k = -35; k <= 35; k++) {
                double x = 0.02 * i, y = 0.02 * j, z = 0.02 * k, end = fmax(fabs(x) - 1, 0);
                if (end * end + y * y + z * z > 0.49) continue;
                mass += 1, along += y * y + z * z, across += x * x + y * y;
            }
    CHECK_NEAR(capsule.inertia.cx.x, along / mass, 2e-3);
    CHECK_NEAR(capsule.inertia.cz.z, across / mass, 2e-3);
}

static void badInputIsRefused(void)
{
    snContext context = snDefaultContext();
    for (int kind = 0; kind < 10; kind++) {
        snLinkDef links[2] = {snDefaultLinkDef(-1, SN_LINK_FREE),
                              snDefaultLinkDef(0, SN_LINK_BALL)};
        snLinkDef_SetBox(&links[0], snVec(0, 0, 0), snVec(1, 1, 1), 1);
        snLinkDef_SetBox(&links[1], snVec(0, 0, 0), snVec(1, 1, 1), 1);
        const char *word = "";
        if (kind == 0) links[1].parent = 1, word = "links[1].parent is 1";
        if (kind == 1) links[1].kind = SN_LINK_FREE, word = "links[1].kind";
        if (kind == 2) links[0].kind = SN_LINK_HINGE, word = "links[0].kind: a root";
        if (kind == 3) links[1].mass = -1, word = "links[1].mass is -1";
        if (kind == 4) links[1].inertia.cx.y = 5, word = "links[1].inertia";
        if (kind == 5)
            links[1].mass = 0, links[1].inertia = snDiagonal3(0, 0, 0), word = "links[1]: not";
        if (kind == 6)
            links[1].kind = SN_LINK_HINGE, links[1].axis = snVec(0, 0, 0), word = "links[1].axis";
        if (kind == 7) links[1].drive.damping = -1, word = "links[1].drive";
        if (kind == 8) links[1].rest.w = 0, word = "links[1].rest";
        if (kind == 9)
            links[1].range = snLimitedBall(snVec(1, 0, 0), 4, 1), word = "links[1].range: twist";
        snArticulatedDef def = {2, links};
        snArticulated *tree;
        snError error = {0};
        CHECK(snArticulated_Make(&tree, &def, &context, &error) == SN_ERROR_ARGUMENT && !tree);
        if (!CHECK(strstr(error.message, word) != NULL)) printf("  %s\n", error.message);
    }
}

static void memoryMayRunOut(void)
{
    snLinkDef link = snDefaultLinkDef(-1, SN_LINK_FREE);
    snLinkDef_SetBox(&link, snVec(0, 0, 0), snVec(1, 1, 1), 1);
    snArticulatedDef def = {1, &link};
    snFailingMemory memory = {0};
    for (int failAt = 1; failAt < 50; failAt++) {
        snContext context = snDefaultContext();
        memory = (snFailingMemory){.failAtWay = failAt};
        snTest_UseFailingMemory(&context, &memory);
        snArticulated *tree;
        snArticulatedState *state = NULL;
        snStatus status = snArticulated_Make(&tree, &def, &context, NULL);
        if (!status) status = snArticulatedState_Make(&state, tree, &context, NULL);
        CHECK(status == SN_OK || status == SN_ERROR_MEMORY);
        snArticulatedState_Destroy(state);
        snArticulated_Destroy(tree);
        CHECK(memory.alive == 0);
        if (status == SN_OK) break;
    }
    CHECK(memory.count < memory.failAtWay);
}

int main(void)
{
    RUN(equalsLagrange);
    RUN(answersAreThoseOfTheTree);
    RUN(blowsEqualTheMassMatrix);
    RUN(blowsKeepMomentum);
    RUN(statesAreOneBlock);
    RUN(solidsHaveTheirInertia);
    RUN(badInputIsRefused);
    RUN(memoryMayRunOut);
    return snTest_Finish();
}
