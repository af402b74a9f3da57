// Lattice bodies against colliders: the potential's derivatives, jelly that falls, slides, is pressed.
#include "tests/body/lattice/jelly.h"

#include "body/lattice/search.h"

// Half sunk in a floor and touching a sphere, moving along, with friction from a step before.
static void disturb(Jelly *j, snCollider colliders[2])
{
    colliders[0] = snMakeCollider(SN_COLLIDER_PLANE);
    colliders[0].friction = 0.7;
    colliders[0].begin.origin.x = -0.004;
    colliders[1] = snMakeCollider(SN_COLLIDER_SPHERE);
    colliders[1].radius = 0.3;
    colliders[1].friction = 0.3;
    colliders[1].begin.origin = colliders[1].end.origin = snVec(1.2, 0.5, 0.5);
    setColliders(j, colliders, 2);
    snAffine place = snIdentityAffine();
    place.origin = snVec(-0.02, -0.03, 0);
    startJelly(j, place);
    for (int k = 0; k < 3; k++)
        CHECK(snLattice_Step(j->model, j->state, &j->drive));
    memcpy(j->state->next, j->state->position, (size_t)j->model->vertexCount * 4 * sizeof(double));
    snRandom random = snMakeRandom(5);
    for (int k = 0; k < j->model->vertexCount * 4; k++)
        if (k % 4 != 3) j->state->next[k] += snRandom_Uniform(&random, -0.004, 0.004);
    CHECK(snLatticeContacts_Begin(j->contacts, j->state, j->rig) > 40);
}

static void gradientIsExact(void)
{
    JellyDef def = jellyDef();
    def.cells = 4;
    def.thickness = 0.003;
    Jelly *j = newJelly(&def);
    snCollider colliders[2];
    disturb(j, colliders);
    int n = j->model->freeCount;
    double *gradient = SN_NEW(&j->arena, double, 4 * n), *x = j->state->next, worst = 0, most = 0;
    double *direction = SN_NEW(&j->arena, double, 4 * n),
           *product = SN_NEW(&j->arena, double, 3 * n);
    double *move = SN_NEW(&j->arena, double, 3 * n), *more = SN_NEW(&j->arena, double, 4 * n);
    snLatticeContacts_AddTerms(j->contacts, x, gradient);
    for (int k = 0; k < 4 * n; k++) {
        double h = 1e-6, old = x[k];
        x[k] = old + h;
        double up = snLatticeContacts_AddTerms(j->contacts, x, NULL);
        x[k] = old - h;
        double down = snLatticeContacts_AddTerms(j->contacts, x, NULL);
        x[k] = old;
        worst = fmax(worst, fabs((up - down) / (2 * h) - gradient[k]));
        most = fmax(most, fabs(gradient[k]));
    }
    printf("    gradient off by %.1e of %.3g\n", worst, most);
    CHECK(most > 0 && worst < 1e-6 * most);
    // Second derivatives along a direction.
    snRandom random = snMakeRandom(6);
    for (int k = 0; k < 3 * n; k++)
        direction[k / 3 * 4 + k % 3] = move[k] = snRandom_Uniform(&random, -1, 1);
    snLatticeContacts_AddCurvature(j->contacts, x, move, product);
    double h = 1e-8, sum = 0;
    for (int k = 0; k < 4 * n; k++)
        x[k] += h * direction[k];
    snLatticeContacts_AddTerms(j->contacts, x, more);
    for (int k = 0; k < 4 * n; k++)
        x[k] -= h * direction[k];
    worst = most = 0;
    for (int k = 0; k < 3 * n; k++) {
        int at = k / 3 * 4 + k % 3;
        worst = fmax(worst, fabs((more[at] - gradient[at]) / h - product[k]));
        most = fmax(most, fabs(product[k]));
        sum += move[k] * product[k];
    }
    printf("    curvature off by %.1e of %.3g\n", worst, most);
    CHECK(worst < 1e-3 * most);
    CHECK_NEAR(snLatticeContacts_Curvature(j->contacts, x, direction), sum, 1e-9 * sum);
    freeJelly(j);
}

// No patch of contacts is stiffer than was asked for: k_s Σ |φ_sᵀ S⁻¹ φ_t| within a patch.
static void stiffnessGoesWithTheMatrix(void)
{
    JellyDef def = jellyDef();
    def.cells = 3;
    def.samples = 100;
    Jelly *soft = newJelly(&def);
    def.firmness = 8;
    Jelly *firm = newJelly(&def);
    for (int s = 0; s < 100; s++) {
        CHECK(soft->contacts->stiffness[s] > 0);
        CHECK_NEAR(firm->contacts->stiffness[s] / soft->contacts->stiffness[s], 8, 1e-9);
    }
    freeJelly(soft);
    freeJelly(firm);
}

// A ball of jelly falls on a floor and comes to rest.
static void jellyComesToRest(void)
{
    JellyDef def = jellyDef();
    def.firmness = 16;
    def.thickness = 1.5e-3;
    def.model.massDamping = 2;
    def.model.iterations = 8;
    def.cells = 5;
    def.young = 6e5;
    Jelly *j = newJelly(&def);
    snCollider floor = snMakeCollider(SN_COLLIDER_PLANE);
    floor.friction = 0.5;
    setColliders(j, &floor, 1);
    snAffine place = snIdentityAffine();
    place.origin.y = 0.3;
    startJelly(j, place);
    double deepest = 0;
    for (int k = 0; k < 1300; k++) {
        CHECK(snLattice_Step(j->model, j->state, &j->drive));
        deepest = fmax(deepest, jellyDepth(j, &floor));
    }
    printf("    at rest: %.1e heights per second, %.1e deep; %.1e deep on the way\n", jellySpeed(j),
           jellyDepth(j, &floor), deepest);
    CHECK(jellySpeed(j) < 1e-4 && jellyDepth(j, &floor) < 1e-3 && deepest < 0.02);
    CHECK(meanOf(j->model, j->state->position).y > 0.4);
    CHECK(j->state->resets == 0);
    freeJelly(j);
}

// On a slope: it stays where friction is above the slope's tangent; else it slides as a block does.
static double slide(double friction, double *speed)
{
    JellyDef def = jellyDef();
    double angle = 20 * SN_PI / 180;
    def.ball = false;
    def.cells = 3;
    def.firmness = 4;
    def.young = 1e6;
    def.model.iterations = 6;
    Jelly *j = newJelly(&def);
    snCollider slope = snMakeCollider(SN_COLLIDER_PLANE);
    slope.friction = friction;
    slope.begin.linear = slope.end.linear =
        snQuatToMat(snQuatFromAxisAngle(snVec(0, 0, 1), -angle));
    setColliders(j, &slope, 1);
    snAffine place = {slope.end.linear, {0, 0, 0}};
    startJelly(j, place);
    double before = 0, after = 0;
    for (int k = 1; k <= 960; k++) {
        CHECK(snLattice_Step(j->model, j->state, &j->drive));
        double along = snDot(meanOf(j->model, j->state->velocity), slope.end.linear.cx);
        if (k == 480) before = along;
        if (k == 960) after = along;
    }
    *speed = jellySpeed(j);
    freeJelly(j);
    return (after - before) / 4;
}

static void slopesHoldOrLetSlide(void)
{
    double angle = 20 * SN_PI / 180, speed;
    double expected = 9.81 * (snSin(angle) - 0.2 * snCos(angle)), found = slide(0.2, &speed);
    printf("    slides with %.4f m/s², %.4f as a block\n", found, expected);
    CHECK_NEAR(found, expected, 0.02 * expected);
    found = slide(0.5, &speed);
    printf("    held: %.1e m/s\n", speed);
    CHECK(fabs(found) < 1e-3 && speed < 5e-3);
}

// A sphere is pressed into a held block and taken away again: the flesh yields and comes back.
static void whatIsPressedYieldsAndRecovers(void)
{
    JellyDef def = jellyDef();
    def.ball = false;
    def.firmness = 4;
    def.model.gravity = snVec(0, 0, 0);
    def.model.massDamping = 4;
    def.model.motion = SN_MOTION_SECONDARY;
    def.samples = 800;
    unsigned char known[7 * 7 * 7];
    for (int v = 0; v < 7 * 7 * 7; v++)
        known[v] = v / 7 % 7 == 0; // the bottom
    def.model.known = known;
    Jelly *j = newJelly(&def);
    snCollider ball = snMakeCollider(SN_COLLIDER_SPHERE);
    ball.radius = 0.3;
    setColliders(j, &ball, 1);
    startJelly(j, snIdentityAffine());
    double *rest = SN_COPY(&j->arena, double, j->state->position, j->model->vertexCount * 4);
    double pressed = 0, left = 0, depth = 0;
    for (int k = 0; k < 960; k++) {
        double t = k / 120.0, down = t < 1 ? t : (t < 2 ? 1 : 3 - t); // down, held, away
        ball.begin = ball.end;
        ball.end.origin = snVec(0.5, 1.35 - 0.25 * (down > 0 ? down : 0), 0.5);
        CHECK(snLattice_Step(j->model, j->state, &j->drive));
        if (k == 230) depth = jellyDepth(j, &ball);
        double away = 0;
        for (int i = 0; i < j->model->vertexCount * 4; i++)
            away = fmax(away, fabs(j->state->position[i] - rest[i]));
        if (k == 230) pressed = away;
        left = away;
    }
    printf("    pressed in by %.3f, still overlapping by %.1e; %.1e later\n", pressed, depth, left);
    CHECK(pressed > 0.1 && depth < 0.1 * pressed && left < 1e-5);
    freeJelly(j);
}

// Solved out, Newton's method and the quasi-Newton one come to the same.
static void solversAgree(void)
{
    Jelly *bodies[2];
    snCollider floor = snMakeCollider(SN_COLLIDER_PLANE);
    floor.friction = 0.5;
    for (int i = 0; i < 2; i++) {
        JellyDef def = jellyDef();
        def.cells = 3;
        def.samples = 100;
        def.firmness = 4;
        def.model.solver = i ? SN_SOLVER_NEWTON : SN_SOLVER_PROJECTIVE;
        def.model.iterations = i ? 12 : 60;
        def.model.tolerance = 1e-10;
        bodies[i] = newJelly(&def);
        setColliders(bodies[i], &floor, 1);
        snAffine place = snIdentityAffine();
        place.origin.y = 0.02;
        startJelly(bodies[i], place);
        for (int k = 0; k < 25; k++)
            CHECK(snLattice_Step(bodies[i]->model, bodies[i]->state, &bodies[i]->drive));
    }
    double worst = 0;
    for (int v = 0; v < bodies[0]->lattice.vertexCount; v++)
        for (int c = 0; c < 3; c++)
            worst =
                fmax(worst, fabs(bodies[0]->state->position[4 * bodies[0]->model->indexOf[v] + c] -
                                 bodies[1]->state->position[4 * bodies[1]->model->indexOf[v] + c]));
    printf("    apart by %.1e\n", worst);
    CHECK(worst < 1e-6 && bodies[0]->contacts->recordCount > 0);
    freeJelly(bodies[0]);
    freeJelly(bodies[1]);
}

// What is remembered is all there is: a restored state goes on to the same bits.
static void restoredStatesGoOn(void)
{
    JellyDef def = jellyDef();
    def.cells = 3;
    def.samples = 100;
    def.model.precision = SN_PRECISION_SINGLE;
    snCollider floor;
    Jelly *j = dropJelly(&def, snIdentityAffine(), 20, &floor);
    CHECK(goesOnAlike(j, 20));
    freeJelly(j);
}

// Colliders that are far away change nothing, to the bit.
static void farCollidersChangeNothing(void)
{
    JellyDef def = jellyDef();
    def.cells = 3;
    def.samples = 50;
    Jelly *j = newJelly(&def);
    snCollider floor = snMakeCollider(SN_COLLIDER_PLANE);
    floor.end.origin.y = floor.begin.origin.y = -100;
    uint64_t hash[2];
    for (int i = 0; i < 2; i++) {
        setColliders(j, &floor, 1);
        startJelly(j, snIdentityAffine());
        if (i) j->drive.contacts = NULL;
        for (int k = 0; k < 5; k++)
            CHECK(snLattice_Step(j->model, j->state, &j->drive));
        hash[i] = snLatticeState_Hash(j->state);
    }
    CHECK(hash[0] == hash[1]);
    freeJelly(j);
}

static void badDefinitionsAreRefused(void)
{
    JellyDef def = jellyDef();
    def.cells = 2;
    def.samples = 10;
    Jelly *j = newJelly(&def);
    snLatticeContacts *contacts;
    snError error = {0};
    snLatticeContactsDef good = snDefaultLatticeContactsDef(), bad;
    good.model = j->model;
    good.samples = j->samples;
    good.reach = 0.1;
    bad = good;
    bad.reach = 0;
    CHECK(snLatticeContacts_Make(&contacts, &bad, &j->context, &error) == SN_ERROR_ARGUMENT);
    bad = good;
    bad.firmness = NAN;
    CHECK(snLatticeContacts_Make(&contacts, &bad, &j->context, &error) == SN_ERROR_ARGUMENT);
    bad = good;
    int vertex[4] = {0, 1, 2, 100000}, start[2] = {0, 4};
    double weight[4] = {0.25, 0.25, 0.25, 0.25};
    snVec3 rest = {0, 0, 0};
    bad.samples = (snContactSamples){1, start, vertex, weight, &rest};
    CHECK(snLatticeContacts_Make(&contacts, &bad, &j->context, &error) == SN_ERROR_ARGUMENT);
    bad = good;
    bad.samples = (snContactSamples){0};
    CHECK(snLatticeContacts_Make(&contacts, &bad, &j->context, &error) == SN_OK); // nothing touches
    snLatticeContacts_Destroy(contacts);
    eachAllocationMayFail(&good);
    freeJelly(j);
}

static void linearSolversAreRefused(void)
{
    JellyDef def = jellyDef();
    def.cells = 2;
    def.samples = 10;
    def.model.motion = SN_MOTION_SECONDARY;
    Jelly *j = newJelly(&def);
    snLatticeContactsDef contacts = snDefaultLatticeContactsDef();
    snLatticeContacts *made;
    snError error = {0};
    snLatticeModel linear = *j->model;
    linear.linear = (struct snLinear *)&contacts; // anything but NULL
    contacts.model = &linear;
    contacts.samples = j->samples;
    contacts.reach = 0.1;
    CHECK(snLatticeContacts_Make(&made, &contacts, &j->context, &error) == SN_ERROR_UNSUPPORTED);
    CHECK(strstr(error.message, "projective") != NULL);
    freeJelly(j);
}

int main(void)
{
    RUN(gradientIsExact);
    RUN(stiffnessGoesWithTheMatrix);
    RUN(jellyComesToRest);
    RUN(slopesHoldOrLetSlide);
    RUN(whatIsPressedYieldsAndRecovers);
    RUN(solversAgree);
    RUN(restoredStatesGoOn);
    RUN(farCollidersChangeNothing);
    RUN(badDefinitionsAreRefused);
    RUN(linearSolversAreRefused);
    return snTest_Finish();
}
