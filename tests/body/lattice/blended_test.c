// Blended local linearisation: turns cost nothing, one region is the linear body in its bone's
// frame, rules and handed-over vertices, same bits in any order of regions.
#include "body/lattice/blended.h"
#include "tests/body/lattice/arms.h"

#include <string.h>

static snLatticeModelDef blendedDef(snMotion motion)
{
    snLatticeModelDef def = snDefaultLatticeModelDef();
    def.solver = SN_SOLVER_BLENDED;
    def.motion = motion;
    return def;
}

static Arm blendedArm(int joints, ArmHeld held, snLatticeModelDef def)
{
    Arm arm = makeArm(snDefaultContext(), joints, held);
    buildArm(&arm, def);
    return arm;
}

static snRegions makeRegions(Arm *arm, snRegionRule rule)
{
    snRegions regions;
    snRegionsDef def = snDefaultRegionsDef();
    def.lattice = &arm->lattice;
    def.skin = &arm->skin;
    def.rule = rule;
    CHECK(!snRegions_FromSkin(&regions, &def, &arm->arena, &arm->context, NULL));
    return regions;
}

static Arm armWithRule(snRegionRule rule, snMotion motion)
{
    Arm arm = makeArm(snDefaultContext(), 2, ARM_BONES);
    snRegions regions = makeRegions(&arm, rule);
    snLatticeModelDef def = blendedDef(motion);
    def.regions = &regions;
    buildArm(&arm, def);
    return arm;
}

static void restStaysAtRest(void)
{
    for (int k = 0; k < 4; k++) {
        Arm arm = armWithRule((snRegionRule)(k / 2), (snMotion)(k % 2));
        for (int s = 0; s < 50; s++)
            CHECK(stepArm(&arm));
        CHECK_NEAR(armOffRig(&arm), 0, 1e-13);
        freeArm(&arm);
    }
}

// The root turns by 90 degrees and everything with it: no region has energy in its own frame, where
// the whole body as one linear body has plenty.
static void turnsCostNothing(void)
{
    snLatticeModelDef def = blendedDef(SN_MOTION_FULL);
    Arm arm = blendedArm(2, ARM_BONES, def);
    def.solver = SN_SOLVER_LINEAR;
    Arm whole = blendedArm(2, ARM_BONES, def);
    Arm *arms[2] = {&arm, &whole};
    snAffine turn = turnAbout(SN_PI / 2, snVec(0.3, 0.1, 0));
    for (int k = 0; k < 2; k++) {
        poseArm(arms[k], turn, turn);
        snLatticeState_Start(arms[k]->model, arms[k]->state, arms[k]->rig, NULL);
    }
    double linear = snLinear_Energy(whole.model, whole.state, 0), most = 0;
    for (int r = 0; r < arm.model->linear->partCount; r++)
        most = fmax(most, snBlended_RegionEnergy(arm.model, arm.state, arm.joints, r, 0));
    printf("a turn by 90 degrees: %.3g J as one linear body, %.1e J at most in a region\n", linear,
           most);
    CHECK(linear > 1e4);
    CHECK(most < 1e-10 * linear);
    for (int s = 0; s < 50; s++)
        CHECK(stepArm(&arm) && stepArm(&whole));
    printf("held for 50 steps: %.1e m off the rig, one linear body %.2f m\n", armOffRig(&arm),
           armOffRig(&whole));
    CHECK_NEAR(armOffRig(&arm), 0, 1e-12);
    CHECK(armOffRig(&whole) > 0.1);
    freeArm(&arm);
    freeArm(&whole);
}

// One region that covers everything is the linear body, in a frame that stands turned: turning its
// motion back gives that of the linear body.
static double turnedDifference(snMotion motion, double angle)
{
    snLatticeModelDef def = blendedDef(motion);
    Arm arm = blendedArm(1, ARM_CLAMPED, def);
    def.solver = SN_SOLVER_LINEAR;
    Arm whole = blendedArm(1, ARM_CLAMPED, def);
    snAffine turn = turnAbout(angle, snVec(0.4, -1, 2));
    poseArm(&arm, turn, turn);
    snLatticeState_Start(arm.model, arm.state, arm.rig, NULL);
    pushArm(&arm, 1);
    pushArm(&whole, 1);
    for (int i = 0; i < arm.model->vertexCount; i++) {
        double *v = arm.state->velocity + 4 * i;
        snVec3 turned = snMulMV(turn.linear, snVec(v[0], v[1], v[2]));
        v[0] = turned.x, v[1] = turned.y, v[2] = turned.z;
    }
    double worst = 0;
    for (int s = 0; s < 30; s++)
        CHECK(stepArm(&arm) && stepArm(&whole));
    snAffine back = snInverseAffine(turn);
    for (int v = 0; v < arm.model->vertexCount; v++) {
        const double *x = arm.state->position + 4 * arm.model->indexOf[v];
        const double *y = whole.state->position + 4 * whole.model->indexOf[v];
        snVec3 p = snMulAP(back, snVec(x[0], x[1], x[2]));
        worst = fmax(worst, snDistance(p, snVec(y[0], y[1], y[2])));
    }
    CHECK(armOffRig(&whole) > 0.01);
    freeArm(&arm);
    freeArm(&whole);
    return worst;
}

static void oneRegionIsTheLinearBody(void)
{
    for (int motion = 0; motion < 2; motion++) {
        double same = turnedDifference((snMotion)motion, 0);
        double turned = turnedDifference((snMotion)motion, 2.2);
        printf("one region against the linear body: %.1e m, in a turned frame %.1e\n", same,
               turned);
        CHECK_NEAR(same, 0, 1e-13);
        CHECK_NEAR(turned, 0, 1e-12);
    }
}

// Inside its cells a region has the body's own mass, springs and stiffness; on its border what lies
// inside. Summed over regions that share no cell, masses are the body's.
static void bordersHaveTheirShare(void)
{
    Arm arm = makeArm(snDefaultContext(), 2, ARM_FREE);
    for (int v = 0; v < arm.lattice.vertexCount; v++) // one-hot left and right of x = 1
        for (int k = arm.skin.start[v]; k < arm.skin.start[v + 1]; k++) {
            bool mine = arm.skin.column[k] == (arm.lattice.rest[v].x > 1);
            arm.skin.weight[k] = mine;
        }
    snRegions regions = makeRegions(&arm, SN_REGION_ALL);
    snLatticeModelDef def = blendedDef(SN_MOTION_FULL);
    def.regions = &regions;
    buildArm(&arm, def);
    double sums[3] = {0};
    for (int r = 0; r < 2; r++) {
        const snLinearPart *part = &arm.model->linear->parts[r];
        for (int i = 0; i < part->freeCount; i++) {
            double whole = arm.model->diagonal[part->vertex[i]];
            double x = arm.model->rest[part->vertex[i]].x;
            sums[r] += part->diagonal[i];
            bool border = r ? x == 1.25 : x == 1;
            CHECK(border ? part->diagonal[i] < whole : part->diagonal[i] == whole);
        }
    }
    for (int i = 0; i < arm.model->freeCount; i++)
        sums[2] += arm.model->diagonal[i];
    // Left 4 of 8 slices, right 3: the slice between them is in no region.
    CHECK_NEAR(sums[0] / sums[2], 4.0 / 8, 1e-12);
    CHECK_NEAR(sums[1] / sums[2], 3.0 / 8, 1e-12);
    CHECK(arm.model->linear->blend->handedOver == 0);
    CHECK(stepArm(&arm));
    freeArm(&arm);
}

// A vertex that has a region to itself: no cell has all its corners there, so it goes with its cells
// to the region of its largest weight.
static void handedOverVertices(void)
{
    for (int rule = 0; rule < 2; rule++) {
        Arm arm = makeArm(snDefaultContext(), 2, ARM_BONES);
        snRegions old = makeRegions(&arm, (snRegionRule)rule), regions = old;
        int n = arm.lattice.vertexCount, lone = n - 1, joint[3] = {0, 1, 1};
        CHECK(old.rows.start[n] - old.rows.start[lone] == 1); // the far corner is the second's
        regions.regionCount = 3;
        regions.joint = joint;
        regions.rows.column[old.rows.start[lone]] = 2;
        snLatticeModelDef def = blendedDef(SN_MOTION_FULL);
        def.regions = &regions;
        buildArm(&arm, def);
        CHECK(arm.model->linear->blend->handedOver == (rule == SN_REGION_ALL));
        CHECK(arm.model->linear->parts[2].freeCount > 0);
        snAffine turn = turnAbout(1, snVec(0, 0, 0));
        for (int s = 0; s < 100; s++) {
            turn.origin.x += 0.001;
            poseArm(&arm, turn, turn);
            if (s == 0) snLatticeState_Start(arm.model, arm.state, arm.rig, NULL);
            CHECK(stepArm(&arm));
        }
        CHECK(armOffRig(&arm) < 0.01);
        freeArm(&arm);
    }
}

// A free bar whose rig turns away under it: with the frame fitted to the flesh it stays where it is,
// and thrown with a spin it keeps its shape and its momentum. In the frame of its joint it is torn.
static void looseFlesh(void)
{
    for (int frames = 0; frames < 2; frames++) {
        Arm arm = makeArm(snDefaultContext(), 1, ARM_FREE);
        snRegions regions = makeRegions(&arm, SN_REGION_ANY);
        regions.frames = frames ? SN_FRAMES_JOINTS : SN_FRAMES_AUTO;
        snLatticeModelDef def = blendedDef(SN_MOTION_FULL);
        def.massDamping = 0;
        def.regions = &regions;
        buildArm(&arm, def);
        double *start = SN_COPY(&arm.arena, double, arm.rig, arm.model->vertexCount * 4);
        for (int s = 1; s <= 60; s++) {
            snAffine turn = turnAbout(0.03 * s, snVec(0, 0, 0));
            poseArm(&arm, turn, turn);
            CHECK(stepArm(&arm));
        }
        double moved = 0;
        for (int k = 0; k < arm.model->vertexCount * 4; k++)
            moved = fmax(moved, fabs(arm.state->position[k] - start[k]));
        printf("%s frame: loose flesh moves %.1e m while the rig turns\n",
               frames ? "the joint's" : "a fitted", moved);
        CHECK(frames ? moved > 0.1 : moved < 1e-12);
        freeArm(&arm);
    }
}

static void spinningKeepsItsShape(void)
{
    Arm arm = makeArm(snDefaultContext(), 1, ARM_FREE);
    snRegions regions = makeRegions(&arm, SN_REGION_ANY);
    regions.frames = SN_FRAMES_FITTED;
    snLatticeModelDef def = blendedDef(SN_MOTION_FULL);
    def.massDamping = 0;
    def.step = 1.0 / 480;
    def.regions = &regions;
    buildArm(&arm, def);
    for (int i = 0; i < arm.model->vertexCount; i++) { // 2 rad/s about the middle, and away
        double *v = arm.state->velocity + 4 * i;
        v[0] = 1 - 2 * (arm.model->rest[i].y - 0.25);
        v[1] = 2 * (arm.model->rest[i].x - 1);
    }
    snLatticeDrive drive = {.rig = arm.rig}; // fitted frames need no joints
    double kinetic = snLatticeState_KineticEnergy(arm.model, arm.state, 0), momentum = 0;
    for (int s = 0; s < 480; s++)
        CHECK(snLattice_Step(arm.model, arm.state, &drive));
    for (int i = 0; i < arm.model->vertexCount; i++)
        momentum += arm.model->mass[i] * arm.state->velocity[4 * i] / arm.model->totalMass;
    double elastic = snBlended_RegionEnergy(arm.model, arm.state, NULL, 0, 0);
    double left = snLatticeState_KineticEnergy(arm.model, arm.state, 0);
    printf("a spin of 2 rad: momentum off by %.1e, %.3f of the energy left, %.1e of it elastic\n",
           fabs(momentum - 1), left / kinetic, elastic / kinetic);
    CHECK_NEAR(momentum, 1, 1e-10);
    CHECK(left > 0.95 * kinetic && left <= kinetic);
    CHECK(elastic < 0.03 * kinetic); // it stretches as it spins
    freeArm(&arm);
}

// The rig jumps and turns within one step, again and again. In secondary motion the body finds back
// to its rig; in full motion, also with a loose end, it comes to rest.
static void jump(snMotion motion, snRegionFrames frames, bool loose)
{
    Arm arm = makeArm(snDefaultContext(), 2, ARM_BONES);
    for (int v = 0; v < arm.lattice.vertexCount && loose; v++)
        arm.known[v] &= arm.lattice.rest[v].x <= 1;
    snRegions regions = makeRegions(&arm, SN_REGION_ANY);
    regions.frames = frames;
    snLatticeModelDef def = blendedDef(motion);
    def.regions = &regions;
    buildArm(&arm, def);
    for (int round = 1; round <= 3; round++) {
        snAffine far = turnAbout(2.5 * round, snVec(0, 1, 0));
        far.origin = snAdd(far.origin, snVec(7.0 * round * round, -5.0 * round, 3));
        poseArm(&arm, far, far);
        double torn = 0;
        for (int s = 0; s < 1200; s++) {
            CHECK(stepArm(&arm));
            if (s < 20) torn = fmax(torn, armOffRig(&arm));
        }
        double speed =
            sqrt(2 * snLatticeState_KineticEnergy(arm.model, arm.state, 0) / arm.model->totalMass);
        printf("%s%s, a jump of %.0f m: torn by up to %.1f m, 10 s later %.1e m off, %.1e m/s\n",
               motion ? "full" : "secondary", loose ? ", loose" : "", snLength(far.origin), torn,
               armOffRig(&arm), speed);
        CHECK(motion == SN_MOTION_SECONDARY ? armOffRig(&arm) < 1e-3 : speed < 1e-3);
    }
    freeArm(&arm);
}

static void survivesJumps(void)
{
    jump(SN_MOTION_SECONDARY, SN_FRAMES_AUTO, false);
    jump(SN_MOTION_SECONDARY, SN_FRAMES_AUTO, true);
    jump(SN_MOTION_FULL, SN_FRAMES_AUTO, false);
    jump(SN_MOTION_FULL, SN_FRAMES_AUTO, true);
    jump(SN_MOTION_FULL, SN_FRAMES_FITTED, true);
}

static double bendArm(Arm *arm, int steps)
{
    for (int s = 1; s <= steps; s++) {
        snAffine first = turnAbout(0.02 * s, snVec(0, 0.25, 0.25));
        snAffine second = snMulAA(first, turnAbout(0.03 * s, snVec(1, 0.25, 0.25)));
        poseArm(arm, first, second);
        CHECK(stepArm(arm));
    }
    return armOffRig(arm);
}

// A bar that turns and bends at its middle: blended stays nearer to the search than one linear body
// does, in both motions.
static void bendingIsNearerToTheSearch(void)
{
    for (int motion = 0; motion < 2; motion++) {
        snLatticeModelDef def = blendedDef((snMotion)motion);
        Arm any = armWithRule(SN_REGION_ANY, def.motion),
            all = armWithRule(SN_REGION_ALL, def.motion);
        def.solver = SN_SOLVER_LINEAR;
        Arm linear = blendedArm(2, ARM_BONES, def);
        def.solver = SN_SOLVER_PROJECTIVE;
        def.iterations = 30;
        Arm search = blendedArm(2, ARM_BONES, def);
        Arm *arms[4] = {&any, &all, &linear, &search};
        for (int k = 0; k < 4; k++)
            bendArm(arms[k], 60);
        double d[3];
        for (int k = 0; k < 3; k++)
            d[k] = armDistance(arms[k], &search);
        printf("%s motion, bent: %.3f m from the search with any, %.3f all, %.3f one linear body\n",
               motion ? "full" : "secondary", d[0], d[1], d[2]);
        CHECK(d[0] < d[2]);
        for (int k = 0; k < 4; k++)
            freeArm(arms[k]);
    }
}

// What became of the cells within 0.3 m of the bar's middle.
typedef struct Bent {
    double thinnest; // volume of a cell, of that at rest; below 0 it is turned inside out
    double longest;  // edge, likewise
    double off;      // how much volumes changed, in the mean
} Bent;

static Bent lookAtJoint(const Arm *arm)
{
    Bent bent = {INFINITY, 0, 0};
    double rest = 0;
    for (int c = 0; c < arm->lattice.cellCount; c++) {
        snVec3 r[4], x[4];
        for (int m = 0; m < 4; m++) {
            int v = arm->lattice.corners[arm->lattice.cellStart[c] + m];
            const double *p = arm->state->position + 4 * (size_t)arm->model->indexOf[v];
            r[m] = arm->lattice.rest[v];
            x[m] = snVec(p[0], p[1], p[2]);
        }
        double middle = 0.25 * (r[0].x + r[1].x + r[2].x + r[3].x);
        if (fabs(middle - 0.5 * ARM_LENGTH) > 0.3) continue;
        double was = snDot(snSub(r[1], r[0]), snCross(snSub(r[2], r[0]), snSub(r[3], r[0])));
        double is = snDot(snSub(x[1], x[0]), snCross(snSub(x[2], x[0]), snSub(x[3], x[0])));
        for (int m = 1; m < 4; m++)
            for (int n = 0; n < m; n++)
                bent.longest = fmax(bent.longest, snDistance(x[m], x[n]) / snDistance(r[m], r[n]));
        bent.thinnest = fmin(bent.thinnest, is / was);
        bent.off += fabs(is - was);
        rest += was;
    }
    bent.off /= rest;
    return bent;
}

// What the paper names as future work: nonlinearity at joints. An elbow is bent by 100 degrees and held. Linear strain, of one body or of one for
// each bone, takes what lies between two bones for stretched where it has turned; the default sees that it turned.
static void elbowsWarp(void)
{
    enum { LINEAR, BLENDED, DEFAULT };
    static const char *const names[3] = {"one linear body", "blended", "the default"};
    static const snSolver solvers[3] = {SN_SOLVER_LINEAR, SN_SOLVER_BLENDED, SN_SOLVER_PROJECTIVE};
    Bent bent[3];
    CHECK(snDefaultLatticeModelDef().solver == SN_SOLVER_PROJECTIVE);
    for (int k = 0; k < 3; k++) {
        snLatticeModelDef def = blendedDef(SN_MOTION_FULL);
        def.solver = solvers[k];
        def.poisson = 0.4;
        def.iterations = 20;
        Arm arm = blendedArm(2, ARM_BONES, def);
        for (int s = 1; s <= 240; s++) {
            double angle = fmin(1, s / 120.0) * 100.0 / 180 * SN_PI;
            poseArm(&arm, snIdentityAffine(), turnAbout(angle, snVec(1, 0.25, 0.25)));
            CHECK(stepArm(&arm));
        }
        bent[k] = lookAtJoint(&arm);
        printf("elbow bent by 100 degrees, %s: volumes off by %.3f, thinnest cell %.3f, longest "
               "edge %.2f\n",
               names[k], bent[k].off, bent[k].thinnest, bent[k].longest);
        freeArm(&arm);
    }
    CHECK(bent[LINEAR].thinnest < 0 && bent[DEFAULT].thinnest > 0.2);
    CHECK(bent[DEFAULT].off < 0.6 * fmin(bent[LINEAR].off, bent[BLENDED].off));
    CHECK(bent[DEFAULT].longest < fmin(bent[LINEAR].longest, bent[BLENDED].longest));
}

// A joint's scale and shear do not enter: only its rotation does.
static void scaleOfJointsIsLeftOut(void)
{
    Arm plain = blendedArm(2, ARM_BONES, blendedDef(SN_MOTION_SECONDARY));
    Arm scaled = blendedArm(2, ARM_BONES, blendedDef(SN_MOTION_SECONDARY));
    Arm *arms[2] = {&plain, &scaled};
    for (int k = 0; k < 2; k++)
        for (int s = 1; s <= 20; s++) {
            snAffine first = turnAbout(0.05 * s, snVec(0, 0, 0));
            poseArm(arms[k], first, first);
            if (k == 1) arms[k]->joints[1].linear = snScaleM(2.5, first.linear);
            CHECK(stepArm(arms[k]));
        }
    CHECK_NEAR(armDistance(&plain, &scaled), 0, 1e-13);
    freeArm(&plain);
    freeArm(&scaled);
}

static void gradientsAgreeWithTheFactor(void)
{
    snLatticeModelDef def = blendedDef(SN_MOTION_FULL);
    Arm factor = blendedArm(2, ARM_BONES, def);
    def.method = SN_METHOD_CG;
    def.tolerance = 1e-8;
    Arm gradients = blendedArm(2, ARM_BONES, def);
    bendArm(&factor, 30);
    bendArm(&gradients, 30);
    double d = armDistance(&factor, &gradients);
    printf("conjugate gradients in regions: %.1e m off, %.1f iterations a step\n", d,
           (double)gradients.state->linearIterations / 30);
    CHECK(d < 1e-8);
    freeArm(&factor);
    freeArm(&gradients);
}

static uint64_t runHash(bool backwards, int restart)
{
    snContext context = snDefaultContext();
    if (backwards) context.tasks = (snTasks){.run = snTest_RunBackwards, .workers = 2};
    Arm arm = makeArm(context, 2, ARM_BONES);
    buildArm(&arm, blendedDef(SN_MOTION_FULL));
    void *saved = malloc(arm.state->blockSize);
    bendArm(&arm, 20);
    if (restart) {
        snLatticeState_Save(arm.state, saved);
        bendArm(&arm, 3);
        snBlended_RegionEnergy(arm.model, arm.state, arm.joints, 1, 0);
        snLatticeState_Restore(arm.state, saved);
    }
    bendArm(&arm, 20);
    uint64_t hash = snLatticeState_Hash(arm.state);
    free(saved);
    freeArm(&arm);
    return hash;
}

static void sameBits(void)
{
    uint64_t straight = runHash(false, 0);
    CHECK(straight == runHash(true, 0));
    CHECK(straight == runHash(false, 1));
    printf("state hash %016llx\n", (unsigned long long)straight);
}

static void turnBoth(int step, int lane, snAffine joints[2])
{
    joints[0] = turnAbout(0.02 * step * lane, snVec(0, 0, 0));
    joints[1] = turnAbout(0.03 * step * lane, snVec(0, 0, 0));
}

// Eight bodies in a batch, each with joints of its own, move by the bits of each alone.
static void batchesAgreeWithSingles(void)
{
    Arm arm = blendedArm(2, ARM_BONES, blendedDef(SN_MOTION_FULL));
    CHECK(arm.model->jointCount == 2);
    checkLanes(&arm, turnBoth);
    freeArm(&arm);
}

static void badDrivesAreSurvived(void)
{
    Arm arm = blendedArm(2, ARM_BONES, blendedDef(SN_MOTION_FULL));
    snLatticeDrive drive = {.rig = arm.rig};
    CHECK(!snLattice_Step(arm.model, arm.state, &drive)); // no joints
    arm.joints[1].linear.cx.x = NAN;
    CHECK(!stepArm(&arm));
    arm.joints[1] = snIdentityAffine();
    arm.rig[5] = INFINITY;
    CHECK(!stepArm(&arm));
    CHECK(arm.state->resets == 3);
    poseArm(&arm, snIdentityAffine(), snIdentityAffine());
    snLatticeState_Start(arm.model, arm.state, arm.rig, NULL);
    CHECK(stepArm(&arm));
    CHECK_NEAR(armOffRig(&arm), 0, 1e-13);
    arm.joints[1].linear = snDiagonal3(0, 0, 0); // flat: some rotation
    CHECK(stepArm(&arm));
    freeArm(&arm);
}

static void badDefinitionsAreRefused(void)
{
    Arm arm = makeArm(snDefaultContext(), 2, ARM_BONES);
    snLatticeModelDef def = blendedDef(SN_MOTION_FULL);
    snRegions regions = makeRegions(&arm, SN_REGION_ANY);
    arm.quadrature = quadratureOf(&arm.lattice, &arm.arena, &arm.context);
    def.lattice = &arm.lattice;
    def.quadrature = &arm.quadrature;
    def.young = arm.young;
    CHECK(snLatticeModel_Build(&arm.model, &def, &arm.context, NULL) == SN_ERROR_ARGUMENT);
    def.regions = &regions;
    regions.rows.weight[7] = -1;
    CHECK(snLatticeModel_Build(&arm.model, &def, &arm.context, NULL) == SN_ERROR_ARGUMENT);
    freeArm(&arm);
}

static void memoryRunsOut(void)
{
    Arm arm = makeArm(snDefaultContext(), 2, ARM_BONES);
    snLatticeModelDef def = blendedDef(SN_MOTION_FULL);
    arm.quadrature = quadratureOf(&arm.lattice, &arm.arena, &arm.context);
    def.lattice = &arm.lattice;
    def.quadrature = &arm.quadrature;
    def.skin = &arm.skin;
    def.known = arm.known;
    def.young = arm.young;
    buildWithFailingMemory(&def);
    freeArm(&arm);
}

int main(void)
{
    RUN(restStaysAtRest);
    RUN(turnsCostNothing);
    RUN(oneRegionIsTheLinearBody);
    RUN(bordersHaveTheirShare);
    RUN(handedOverVertices);
    RUN(survivesJumps);
    RUN(looseFlesh);
    RUN(spinningKeepsItsShape);
    RUN(bendingIsNearerToTheSearch);
    RUN(elbowsWarp);
    RUN(scaleOfJointsIsLeftOut);
    RUN(gradientsAgreeWithTheFactor);
    RUN(sameBits);
    RUN(batchesAgreeWithSingles);
    RUN(badDrivesAreSurvived);
    RUN(badDefinitionsAreRefused);
    RUN(memoryRunsOut);
    return snTest_Finish();
}
