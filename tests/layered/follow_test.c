// A skeleton that follows its postures by the motors of its joints, a hinge among them: with a free root in a hand every joint stays near to where the
// postures have it, and the weaker the motors the farther off.
#include "layered/play.h"

#include "core/elementary.h"
#include "tests/layered/made.h"

#define STEP (1.0 / 120)
enum { JOINTS = 7, ELBOW = 4, STEPS = 240, BEGIN = 60 };

// A trunk with one arm that reaches up, bends, and comes down, twice in two seconds; the whole sways.
#define REACHES                                                                                    \
    "settings duration=1 loop=yes\n"                                                               \
    "joint add hips parent=none at=0,1,0 size=4cm\n"                                               \
    "joint add chest at=0,0.25,0 kind=ball size=4cm\n"                                             \
    "joint add top at=0,0.25,0 kind=fixed size=4cm\n"                                              \
    "joint add shoulder parent=chest at=0.16,0.1,0 kind=ball axis=1,0,0 size=3cm\n"                \
    "joint add elbow at=0.28,0,0 kind=hinge axis=0,1,0 limited=yes low=-150 high=0 size=3cm\n"     \
    "joint add hand at=0.25,0,0 kind=fixed size=3cm\n"                                             \
    "joint add head parent=top at=0,0.2,0 kind=ball size=3cm\n"                                    \
    "muscle add belly joint=hips at=0,0.12,0 size=0.12\n"                                          \
    "muscle add breast joint=chest at=0,0.1,0 size=0.13\n"                                         \
    "muscle add upper joint=shoulder shape=cylinder at=0.14,0,0 size=4cm,12cm,4cm turn=z:90 "      \
    "bare=yes\n"                                                                                   \
    "muscle add lower joint=elbow shape=cylinder at=0.12,0,0 size=3cm,11cm,3cm turn=z:90 "         \
    "bare=yes\n"                                                                                   \
    "muscle add fist joint=hand at=0.02,0,0 size=4cm bare=yes\n"                                   \
    "muscle add skull joint=head at=0,0.05,0 size=8cm bare=yes\n"                                  \
    "skin create bottom=hips top=top rows=6 columns=8 gap=5mm\nskin attach\n"                      \
    "posture keep a time=0\n"                                                                      \
    "pose joint hips shift=0.15,0,0\npose joint chest angles=0,20,15\n"                            \
    "pose joint shoulder angles=20,-30,50\npose joint elbow angles=-100\n"                         \
    "pose joint head angles=30,0,20\nposture keep b time=0.5\n"                                    \
    "pose reset\nposture keep c time=1\n"

typedef struct Following {
    double joint[JOINTS]; // m, how far each was off at most
    double worst;
    double bent; // degrees, how far the hinge went at least
} Following;

static double bendOf(const snAffine *frames)
{
    snVec3 upper = snSub(frames[ELBOW].origin, frames[ELBOW - 1].origin);
    snVec3 lower = snSub(frames[ELBOW + 1].origin, frames[ELBOW].origin);
    return 180 / SN_PI * acos(snDot(upper, lower) / (snLength(upper) * snLength(lower)));
}

static void look(Following *seen, const snAffine *is, const snAffine *wanted)
{
    for (int j = 0; j < JOINTS; j++) {
        double off = snDistance(is[j].origin, wanted[j].origin);
        seen->joint[j] = fmax(seen->joint[j], off);
        seen->worst = fmax(seen->worst, off);
    }
    seen->bent = fmax(seen->bent, bendOf(is));
}

static Following follow(double strength, double hand)
{
    Following seen = {.worst = 0};
    snEditor editor = makeEditor(REACHES);
    snStrength motors = snDefaultStrength();
    snPlayBodyDef def = snDefaultPlayBodyDef();
    snBody *body = NULL;
    snPlay *play = NULL;
    snError error = {0};
    snAffine wanted[JOINTS];
    snSkinMuscle muscles[16];
    motors.strength = strength;
    motors.hand = hand;
    def.step = STEP;
    def.play.settle = 0.1;
    def.strength = &motors;
    snStatus status = snPlayBody_Make(&body, &editor.layered, &def, &error);
    if (!status) status = snPlay_Make(&play, &editor.layered, &def.play, &error);
    if (!CHECK(status == SN_OK)) printf("%s\n", error.message), exit(1);
    CHECK(snPlayBody_Muscles(body)->frameCount == JOINTS);
    snBodyStep step = {.length = STEP, .ticks = 1, .gravity = {0, -9.81, 0}, .stiffness = 1};
    snBodyReport report;
    for (int k = 0; k < STEPS; k++) {
        snBody_Begin(body, &step);
        snBody_Advance(body);
        snBody_Finish(body, &report);
        CHECK(!report.failed);
        snPlay_Lead(play, (k + 1) * STEP, wanted, muscles);
        if (k >= BEGIN) look(&seen, snPlayBody_Muscles(body)->frame[1], wanted);
    }
    snPlay_Destroy(play);
    snBody_Destroy(body);
    snEditor_Destroy(&editor);
    return seen;
}

static void jointsAreNearTheirPostures(void)
{
    static const char *const names[JOINTS] = {"hips",  "chest", "top", "shoulder",
                                              "elbow", "hand",  "head"};
    Following strong = follow(12, 5), weak = follow(4, 1.5);
    for (int j = 0; j < JOINTS; j++)
        printf("    %s: %.1f mm off, weak ones %.1f\n", names[j], 1e3 * strong.joint[j],
               1e3 * weak.joint[j]);
    printf("    the elbow bends by %.0f and %.0f degrees of 100\n", strong.bent, weak.bent);
    CHECK(strong.worst < 0.05 && weak.worst > strong.worst);
    CHECK(fabs(strong.bent - 100) < 10);
}

int main(void)
{
    RUN(jointsAreNearTheirPostures);
    return snTest_Finish();
}
