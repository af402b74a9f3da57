// The paper's two stories as data, with lattice bodies: a monster that waits for, skewers and eats a small humanoid,
// started at random places in front of it and walking at random; a hook that grabs a pyramid wherever it is, and hangs
// itself up.
#include "core/core.h"
#include "core/elementary.h"
#include "core/random.h"
#include "tests/scene/sources.h"

static const char monster[] = HEAD
    "\"gravity\": [0, 0, 0], \"bodiesTouch\": false, \"bodies\": [{\"name\": \"arm\", \"box\": "
    "{\"size\": "
    "[1, 0.12, 0.12], \"cells\": [4, 1, 1]}, \"quadrature\": 1, \"place\": [0.5, 0, 0], "
    "\"material\": "
    "{\"young\": \"20 kPa\", \"density\": 300, \"drag\": 2}}, {\"name\": \"humanoid\", \"box\": "
    "{\"size\": "
    "[0.12, 0.2, 0.12], \"cells\": [1, 1, 1]}, \"quadrature\": 1, \"place\": [%g, %g, 0], "
    "\"velocity\": "
    "[%g, %g, 0]}], \"attachments\": [{\"body\": \"arm\", \"within\": {\"upper\": [-0.49, 1, "
    "1]}}], "
    "\"points\": [{\"name\": \"claw\", \"body\": \"arm\", \"point\": [0.5, 0, 0]}, {\"name\": "
    "\"elbow\", "
    "\"body\": \"arm\", \"point\": [0, 0, 0]}, {\"name\": \"humanoid\", \"body\": \"humanoid\", "
    "\"point\": [0, "
    "0, 0]}, {\"name\": \"shoulder\", \"place\": [0, 0, 0]}, {\"name\": \"feeding\", \"place\": "
    "[0.35, 0.3, "
    "0]}, {\"name\": \"mouth\", \"place\": [0.25, 0.35, 0]}, {\"name\": \"gullet\", \"place\": "
    "[-0.1, 0.3, 0]}], "
    "\"scripts\": [{\"name\": \"monster\", \"repeat\": \"forever\", \"goals\": ["
    "{\"do\": \"wait\", \"until\": {\"near\": [\"humanoid\", \"shoulder\"], \"distance\": 1, "
    "\"ahead\": \"0.6 "
    "s\"}},"
    "{\"name\": \"skewer\", \"do\": \"grab\", \"point\": \"claw\", \"target\": \"humanoid\", "
    "\"time\": \"0.6 "
    "s\", \"reach\": {\"from\": \"shoulder\", \"distance\": 1.1}, \"onFail\": \"restart\"},"
    "{\"do\": \"chase\", \"point\": \"elbow\", \"target\": \"feeding\", \"time\": \"0.6 s\", "
    "\"velocity\": [0, 0, "
    "0], \"hold\": true},"
    "{\"do\": \"chase\", \"point\": \"claw\", \"target\": \"mouth\", \"time\": \"0.6 s\", "
    "\"velocity\": [-0.7, "
    "-0.1, 0]},"
    "{\"do\": \"disconnect\", \"point\": \"claw\", \"target\": \"humanoid\"},"
    "{\"do\": \"strike\", \"point\": \"claw\", \"velocity\": [0, 0, 0]},"
    "{\"name\": \"eat\", \"do\": \"grab\", \"point\": \"humanoid\", \"target\": \"gullet\", "
    "\"time\": \"0.5 s\"},"
    "{\"do\": \"disconnect\", \"point\": \"elbow\"},"
    "{\"do\": \"wait\", \"until\": {\"far\": [\"humanoid\", \"gullet\"], \"distance\": 0.5}}]}]}";

static const char hook[] = HEAD "\"bodiesTouch\": false, \"bodies\": [{\"name\": \"hook\", "
                                "\"box\": {\"size\": [0.15, 0.8, 0.15], \"cells\": "
                                "[1, 3, 1]}, \"quadrature\": 1, \"place\": [0, 3, 0], "
                                "\"material\": {\"drag\": 0.5}}, {\"name\": \"pyramid\", "
                                "\"lattice\": {\"vertices\": [[-0.25, 0, -0.25], [0.25, 0, -0.25], "
                                "[0.25, 0, 0.25], [-0.25, 0, 0.25], [0, "
                                "0.4, 0]], \"cells\": [[0, 2, 1, 4], [0, 3, 2, 4]]}, "
                                "\"quadrature\": 1, \"place\": [%g, 0.01, %g]}], "
                                "\"colliders\": [{\"kind\": \"floor\"}], \"points\": [{\"name\": "
                                "\"tip\", \"body\": \"hook\", \"point\": [0, "
                                "-0.4, 0]}, {\"name\": \"eye\", \"body\": \"hook\", \"point\": [0, "
                                "0.4, 0]}, {\"name\": \"top\", \"body\": "
                                "\"pyramid\", \"point\": [0, 0.4, 0]}, {\"name\": \"sky\", "
                                "\"place\": [%g, 3.5, %g]}], \"scripts\": [{\"name\": "
                                "\"hook\", \"goals\": [{\"do\": \"grab\", \"point\": \"tip\", "
                                "\"target\": \"top\", \"time\": \"1 s\", "
                                "\"velocity\": [0.5, -0.5, 0]}, {\"do\": \"grab\", \"point\": "
                                "\"eye\", \"target\": \"sky\", \"time\": \"1.2 s\", "
                                "\"velocity\": [0, 0.5, 0]}]}]}";

static int stories; // of each kind, by the command line; 0: a few

// 0.5 to 3 reaches away in front, at up to half a reach a second towards some place within 0.8 of its reach.
static void startPrey(snRandom *random, char *text, size_t size)
{
    double angle = snRandom_Uniform(random, -1.2, 1.2), far = snRandom_Uniform(random, 0.5, 3);
    double speed = snRandom_Uniform(random, 0.1, 0.5), x = far * snCos(angle),
           y = far * snSin(angle);
    double toAngle = snRandom_Uniform(random, -1.2, 1.2), to = snRandom_Uniform(random, 0.3, 0.8);
    snVec3 way =
        snNormalizeOr(snVec(to * snCos(toAngle) - x, to * snSin(toAngle) - y, 0), snVec(1, 0, 0));
    snprintf(text, size, monster, x, y, speed * way.x, speed * way.y);
}

static void monstersEat(void)
{
    int count = stories ? stories : 12, eaten = 0;
    snRandom random = snMakeRandom(11);
    for (int i = 0; i < count; i++) {
        char text[8192];
        startPrey(&random, text, sizeof text);
        Play story = beginPlay(text);
        const snControl *c = story.stage.control;
        const snGoalState *eat = snControl_Goal(c, 0, 6);
        for (int k = 0; k < 30 * 120 && !eat->wins; k++)
            stepPlay(&story);
        eaten += eat->wins > 0;
        for (int64_t e = 0; e < *c->eventCount && !eat->wins; e++)
            printf("    %d: %.2f s goal %d: %s\n", i, c->events[e].end, c->events[e].goal,
                   snGoalReason_Text((snGoalReason)c->events[e].reason));
        for (int b = 0; b < 2; b++)
            CHECK(!story.stage.world->tales.data[b].failures);
        endPlay(&story);
    }
    printf("    %d of %d eaten\n", eaten, count);
    CHECK(eaten >= count - count / 20);
}

static void hooksHangThemselvesUp(void)
{
    int count = stories ? stories : 8, hung = 0;
    snRandom random = snMakeRandom(12);
    for (int i = 0; i < count; i++) {
        char text[8192];
        snprintf(text, sizeof text, hook, snRandom_Uniform(&random, -2, 2),
                 snRandom_Uniform(&random, -2, 2), snRandom_Uniform(&random, -1, 1),
                 snRandom_Uniform(&random, -1, 1));
        Play story = beginPlay(text);
        for (int k = 0; k < 360; k++)
            stepPlay(&story);
        const snControl *c = story.stage.control;
        snVec3 top = snBody_Place(story.stage.world->bodies.data[1], c->points[2].handle);
        snVec3 tip = snBody_Place(story.stage.world->bodies.data[0], c->points[0].handle);
        bool good =
            c->scriptStates[0].phase == SN_SCRIPT_DONE && snDistance(top, tip) < 1e-9 && top.y > 1;
        hung += good;
        for (int64_t e = 0; e < *c->eventCount && !good; e++)
            printf("    %d: %.2f s goal %d: %s\n", i, c->events[e].end, c->events[e].goal,
                   snGoalReason_Text((snGoalReason)c->events[e].reason));
        endPlay(&story);
    }
    printf("    %d of %d hang\n", hung, count);
    CHECK(hung == count);
}

int main(int argc, char **argv)
{
    stories = argc > 1 ? atoi(argv[1]) : 0;
    RUN(monstersEat);
    RUN(hooksHangThemselvesUp);
    return snTest_Finish();
}
