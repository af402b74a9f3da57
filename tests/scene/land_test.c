// Bodies of the linear solvers find no contacts in their step: the world holds them out of colliders, with the bounces and the friction of other bodies
// and of closed forms.
#include "core/core.h"
#include "tests/scene/sources.h"

static const char *const solvers[] = {"linear", "quasi-linear", "projective"};

#define FALL 0.4  // m
#define SLIDE 2.0 // m/s
#define GRAVITY 9.81
#define RUBS 0.5

// A plate that is nearly rigid, `height` above the floor.
static Play beginPlate(const char *solver, double height, double speed, double restitution)
{
    char text[1000];
    snprintf(
        text, sizeof text,
        HEAD
        "\"stepsPerSecond\": 120, \"gravity\": [0, -9.81, 0], \"bodies\": [{\"name\": \"plate\", "
        "\"box\": {\"size\": [0.4, 0.1, 0.4], \"cells\": [2, 1, 2]}, \"solver\": {\"kind\": "
        "\"%s\"}, \"material\": {\"young\": \"100 MPa\"}, \"velocity\": [%g, 0, 0], "
        "\"contact\": {\"restitution\": %g}, \"place\": [0, %g, 0]}], \"colliders\": "
        "[{\"kind\": \"floor\", \"friction\": %g}]}",
        solver, speed, restitution, 0.05 + height, RUBS);
    return beginPlay(text);
}

static snVec3 middleOf(const Play *play)
{
    snBodyMeasure m;
    snBody_Measure(play->stage.world->bodies.data[0], &m);
    return m.center;
}

static void endWell(Play *play)
{
    const snBodyTale *tale = &play->stage.world->tales.data[0];
    CHECK(!tale->failures && !tale->conflicts);
    endPlay(play);
}

// What it rises to again, of what it fell by: e² where nothing is lost but by the bounce.
static void theyBounce(void)
{
    static const double restitutions[] = {0, 0.5, 0.8};
    for (size_t e = 0; e < sizeof restitutions / sizeof *restitutions; e++)
        for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++) {
            Play play = beginPlate(solvers[i], FALL, 0, restitutions[e]);
            double lowest = INFINITY, top = 0;
            for (int k = 0; k < 90; k++) {
                stepPlay(&play);
                double y = middleOf(&play).y - 0.05;
                lowest = fmin(lowest, y);
                if (k > 40) top = fmax(top, y); // it is down after 34 steps
            }
            double wanted = restitutions[e] * restitutions[e];
            printf("    %s, e = %g: rises to %.3f of it, e² is %.2f; %.1e m in the floor\n",
                   solvers[i], restitutions[e], top / FALL, wanted, -lowest);
            CHECK(fabs(top / FALL - wanted) < 0.06 && lowest > -2e-3);
            endWell(&play);
        }
}

// Flat on the floor it slides by v²/2μg, and lies then.
static void theyRub(void)
{
    for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++) {
        Play play = beginPlate(solvers[i], 0, SLIDE, 0);
        for (int k = 0; k < 120; k++)
            stepPlay(&play);
        snVec3 after = middleOf(&play);
        for (int k = 0; k < 60; k++)
            stepPlay(&play);
        double wanted = SLIDE * SLIDE / (2 * RUBS * GRAVITY),
               creep = snDistance(middleOf(&play), after);
        printf("    %s: slides by %.4f m, v²/2μg is %.4f; creeps by %.1e m in half a second\n",
               solvers[i], after.x, wanted, creep);
        CHECK(fabs(after.x / wanted - 1) < 0.05 && creep < 1e-4 && fabs(after.z) < 1e-3);
        endWell(&play);
    }
}

int main(void)
{
    RUN(theyBounce);
    RUN(theyRub);
    return snTest_Finish();
}
