// The global linear solver: against the search to second order, against K⁻¹ f, momentum, energy.
#include "body/lattice/linear.h"
#include "tests/body/lattice/arms.h"

#include <string.h>

static snLatticeModelDef linearDef(snMotion motion, snLinearMethod method)
{
    snLatticeModelDef def = snDefaultLatticeModelDef();
    def.solver = SN_SOLVER_LINEAR;
    def.motion = motion;
    def.method = method;
    return def;
}

static Arm linearArm(ArmHeld held, snLatticeModelDef def)
{
    Arm arm = makeArm(snDefaultContext(), 1, held);
    buildArm(&arm, def);
    return arm;
}

static void restStaysAtRest(void)
{
    for (int k = 0; k < 4; k++) {
        Arm arm = linearArm(ARM_BONES, linearDef((snMotion)(k % 2), (snLinearMethod)(k / 2)));
        for (int s = 0; s < 50; s++)
            CHECK(stepArm(&arm));
        CHECK_NEAR(armOffRig(&arm), 0, 1e-13);
        CHECK_NEAR(snLinear_Energy(arm.model, arm.state, 0), 0, 1e-20);
        freeArm(&arm);
    }
}

// Pushed gently, the linear body and the searched one differ by the square of the push.
static double differenceFromSearch(snMotion motion, double speed)
{
    snLatticeModelDef def = linearDef(motion, SN_METHOD_FACTOR);
    Arm linear = linearArm(ARM_CLAMPED, def);
    def.solver = SN_SOLVER_PROJECTIVE;
    def.iterations = 30;
    Arm search = linearArm(ARM_CLAMPED, def);
    pushArm(&linear, speed);
    pushArm(&search, speed);
    for (int s = 0; s < 12; s++)
        CHECK(stepArm(&linear) && stepArm(&search));
    double difference = armDistance(&linear, &search);
    freeArm(&linear);
    freeArm(&search);
    return difference;
}

static void agreesWithTheSearchToSecondOrder(void)
{
    for (int motion = 0; motion < 2; motion++) {
        double large = differenceFromSearch((snMotion)motion, 0.04);
        double small = differenceFromSearch((snMotion)motion, 0.02);
        printf("%s motion: %.2e m from the search after 12 steps, %.2e at half the push: order "
               "%.2f\n",
               motion ? "full" : "secondary", large, small, log2(large / small));
        CHECK_NEAR(log2(large / small), 2, 0.05);
    }
}

// A clamped bar under gravity comes to rest at K⁻¹ f, with K assembled and solved apart.
static void sagIsThatOfStatics(void)
{
    snLatticeModelDef def = linearDef(SN_MOTION_FULL, SN_METHOD_FACTOR);
    def.gravity = snVec(0, -0.5, 0.2);
    def.step = 0.5; // long steps come to rest soon
    Arm arm = linearArm(ARM_CLAMPED, def);
    for (int s = 0; s < 400; s++)
        stepArm(&arm);
    int n = arm.lattice.vertexCount;
    snSparse k;
    CHECK(!snLattice_Stiffness(&k, &arm.lattice, &arm.quadrature, arm.young, def.poisson,
                               &arm.arena, NULL));
    double *f = SN_NEW(&arm.arena, double, 3 * n), worst = 0, sag = 0;
    for (int v = 0; v < n; v++) {
        double m = arm.model->mass[arm.model->indexOf[v]];
        f[3 * v + 1] = m * def.gravity.y;
        f[3 * v + 2] = m * def.gravity.z;
        double stiff[9] = {1e20, 0, 0, 0, 1e20, 0, 0, 0, 1e20};
        if (arm.known[v]) snSparse_AddBlock(&k, v, v, stiff);
    }
    snSymbolic *symbolic;
    snFactor *factor;
    CHECK(!snSymbolic_Make(&symbolic, &k.pattern, 3, SN_ORDER_AMD, &arm.arena, NULL));
    CHECK(!snFactor_Make(&factor, symbolic, &arm.arena, NULL));
    CHECK(!snFactor_Compute(factor, &k, NULL));
    snFactor_Solve(factor, 1, f, SN_NEW(&arm.arena, double, snFactor_ScratchSize(factor, 1)));
    for (int v = 0; v < n; v++) {
        const double *x = arm.state->position + 4 * arm.model->indexOf[v];
        snVec3 u = snSub(snVec(x[0], x[1], x[2]), arm.lattice.rest[v]);
        worst = fmax(worst, snDistance(u, snVec(f[3 * v], f[3 * v + 1], f[3 * v + 2])));
        sag = fmax(sag, snLength(u));
    }
    printf("sag of %.4f m: %.1e of it from statics\n", sag, worst / sag);
    CHECK(worst < 1e-10 * sag);
    freeArm(&arm);
}

static void gradientsAgreeWithTheFactor(void)
{
    for (int motion = 0; motion < 2; motion++) {
        snLatticeModelDef def = linearDef((snMotion)motion, SN_METHOD_FACTOR);
        Arm factor = linearArm(ARM_BONES, def);
        def.method = SN_METHOD_CG;
        Arm loose = linearArm(ARM_BONES, def);
        def.tolerance = 1e-10;
        Arm tight = linearArm(ARM_BONES, def);
        Arm *arms[3] = {&factor, &loose, &tight};
        for (int a = 0; a < 3; a++) {
            pushArm(arms[a], 1);
            for (int s = 1; s <= 30; s++) {
                poseArm(arms[a], turnAbout(0.02 * s, snVec(0, 0, 0)), snIdentityAffine());
                CHECK(stepArm(arms[a]));
            }
        }
        double l = armDistance(&factor, &loose), t = armDistance(&factor, &tight);
        printf("conjugate gradients at 1e-6: %.1e m off, %.1f iterations a step; at 1e-10: %.1e\n",
               l, (double)loose.state->linearIterations / 30, t);
        CHECK(l < 1e-6 && t < 1e-10);
        for (int a = 0; a < 3; a++)
            freeArm(arms[a]);
    }
}

static double armEnergy(const Arm *arm)
{
    return snLatticeState_KineticEnergy(arm->model, arm->state, 0) +
           snLinear_Energy(arm->model, arm->state, 0);
}

// A free bar keeps its momentum, and never gains energy; it loses more with damping.
static void momentumAndEnergy(void)
{
    double left[2];
    for (int damped = 0; damped < 2; damped++) {
        snLatticeModelDef def = linearDef(SN_MOTION_FULL, SN_METHOD_FACTOR);
        def.massDamping = 0;
        def.stiffnessDamping = damped ? 0.01 : 0;
        Arm arm = linearArm(ARM_FREE, def);
        pushArm(&arm, 1);
        double before[3] = {0}, drift = 0, start = armEnergy(&arm), energy = start, rise = 0;
        for (int s = 0; s <= 100; s++) {
            for (int c = 0; c < 3; c++) {
                double sum = 0;
                for (int i = 0; i < arm.model->vertexCount; i++)
                    sum += arm.model->mass[i] * arm.state->velocity[4 * i + c];
                if (s == 0) before[c] = sum;
                drift = fmax(drift, fabs(sum - before[c]) / arm.model->totalMass);
            }
            CHECK(stepArm(&arm));
            rise = fmax(rise, (armEnergy(&arm) - energy) / start);
            energy = armEnergy(&arm);
        }
        left[damped] = energy / start;
        printf("momentum drifts %.1e m/s, energy rises %.1e at most, %.3f left\n", drift, rise,
               left[damped]);
        CHECK(drift < 1e-11);
        CHECK(rise < 1e-12);
        freeArm(&arm);
    }
    CHECK(left[1] < left[0]);
}

// In secondary motion a held pose with bend and stretch is where the body comes to rest.
static void settlesOnTheRig(void)
{
    Arm arm = linearArm(ARM_CLAMPED, linearDef(SN_MOTION_SECONDARY, SN_METHOD_FACTOR));
    for (int i = 0; i < arm.model->vertexCount; i++)
        arm.rig[4 * i + 1] += 0.3 * arm.rig[4 * i] * arm.rig[4 * i];
    snLatticeState_Start(arm.model, arm.state, arm.rig, NULL);
    pushArm(&arm, 2);
    CHECK(stepArm(&arm));
    CHECK(armOffRig(&arm) > 1e-3);
    for (int s = 0; s < 2400; s++)
        CHECK(stepArm(&arm));
    printf("20 s after a push: %.1e m from the rig's pose\n", armOffRig(&arm));
    CHECK(armOffRig(&arm) < 1e-6);
    freeArm(&arm);
}

// Nothing but linear strain under rotation: the energy of a turn is ½ uᵀSu, far from zero.
static void turnsCostEnergy(void)
{
    Arm arm = linearArm(ARM_BONES, linearDef(SN_MOTION_FULL, SN_METHOD_FACTOR));
    poseArm(&arm, turnAbout(SN_PI / 2, snVec(0, 0, 0)), snIdentityAffine());
    snLatticeState_Start(arm.model, arm.state, arm.rig, NULL);
    // ε = sym(R - 1) = diag(-1, -1, 0): ψ = 2μ + 2λ.
    double mu = snShearModulus(1e5, 0.4), lambda = snLameLambda(1e5, 0.4);
    CHECK_NEAR(snLinear_Energy(arm.model, arm.state, 0) / (0.5 * (2 * mu + 2 * lambda)), 1, 1e-12);
    freeArm(&arm);
}

static void turnFirst(int step, int lane, snAffine joints[2])
{
    joints[0] = turnAbout(0.01 * step * lane, snVec(0, lane, 0));
    joints[1] = snIdentityAffine();
}

// Eight bodies in a batch move by the bits of each alone, by either method.
static void batchesAgreeWithSingles(void)
{
    for (int method = 0; method < 2; method++) {
        Arm arm = linearArm(ARM_CLAMPED, linearDef(SN_MOTION_FULL, (snLinearMethod)method));
        checkLanes(&arm, turnFirst);
        freeArm(&arm);
    }
}

static void badRigsAreSurvived(void)
{
    for (int method = 0; method < 2; method++) {
        Arm arm = linearArm(ARM_BONES, linearDef(SN_MOTION_FULL, (snLinearMethod)method));
        double old = arm.rig[0];
        arm.rig[0] = NAN;
        CHECK(!stepArm(&arm));
        arm.rig[0] = old;
        CHECK(arm.state->resets == 1);
        snLatticeState_Start(arm.model, arm.state, arm.rig, NULL);
        CHECK(stepArm(&arm));
        CHECK_NEAR(armOffRig(&arm), 0, 1e-13);
        freeArm(&arm);
    }
}

// One cell alone, nothing known; and everything known.
static void smallestBodies(void)
{
    for (int known = 0; known < 2; known++)
        for (int method = 0; method < 2; method++) {
            Arm arm = makeArm(snDefaultContext(), 1, ARM_FREE);
            arm.lattice.cellCount = 1;
            int *c = arm.lattice.corners, n = 4;
            for (int k = 0; k < n; k++) {
                snVec3 r[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
                c[k] = k;
                arm.lattice.rest[k] = r[k];
                arm.known[k] = (unsigned char)known;
            }
            arm.lattice.vertexCount = n;
            buildArm(&arm, linearDef(SN_MOTION_FULL, (snLinearMethod)method));
            poseArm(&arm, turnAbout(0.1, snVec(1, 0, 0)), snIdentityAffine());
            CHECK(stepArm(&arm));
            if (known) CHECK_NEAR(armOffRig(&arm), 0, 1e-15);
            freeArm(&arm);
        }
}

static void badDefinitionsAreRefused(void)
{
    Arm arm = makeArm(snDefaultContext(), 1, ARM_BONES);
    snLatticeModelDef def = linearDef(SN_MOTION_FULL, SN_METHOD_CG);
    arm.quadrature = quadratureOf(&arm.lattice, &arm.arena, &arm.context);
    def.lattice = &arm.lattice;
    def.quadrature = &arm.quadrature;
    def.young = arm.young;
    const double bad[3] = {0, 1, NAN};
    for (int k = 0; k < 3; k++) {
        def.tolerance = bad[k];
        CHECK(snLatticeModel_Build(&arm.model, &def, &arm.context, NULL) == SN_ERROR_ARGUMENT);
        CHECK(arm.model == NULL);
    }
    freeArm(&arm);
}

// Every allocation fails in turn: an error, and nothing left over.
static void memoryRunsOut(void)
{
    for (int method = 0; method < 2; method++) {
        Arm arm = makeArm(snDefaultContext(), 1, ARM_BONES);
        snLatticeModelDef def = linearDef(SN_MOTION_FULL, (snLinearMethod)method);
        arm.quadrature = quadratureOf(&arm.lattice, &arm.arena, &arm.context);
        def.lattice = &arm.lattice;
        def.quadrature = &arm.quadrature;
        def.young = arm.young;
        def.known = arm.known;
        buildWithFailingMemory(&def);
        freeArm(&arm);
    }
}

int main(void)
{
    RUN(restStaysAtRest);
    RUN(agreesWithTheSearchToSecondOrder);
    RUN(sagIsThatOfStatics);
    RUN(gradientsAgreeWithTheFactor);
    RUN(momentumAndEnergy);
    RUN(settlesOnTheRig);
    RUN(turnsCostEnergy);
    RUN(batchesAgreeWithSingles);
    RUN(badRigsAreSurvived);
    RUN(smallestBodies);
    RUN(badDefinitionsAreRefused);
    RUN(memoryRunsOut);
    return snTest_Finish();
}
