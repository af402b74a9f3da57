// What is left alone in a scene has no more energy than it began with, where its kind has something of its own to say of that.
#include "tests/scene/sources.h"

#include <math.h>

// The most that there was after any step, of the first, and steps that failed.
typedef struct Course {
    double first, most, last;
    int failed;
} Course;

static double energyOf(snWorld *world)
{
    snWorldMeasure m;
    snWorld_Measure(world, &m);
    return m.sum.kinetic + m.sum.elastic + m.potential;
}

static Course watch(const char *text, int steps)
{
    Play play = beginPlay(text);
    snWorld *world = play.stage.world;
    Course course = {.first = energyOf(world)};
    course.most = course.first;
    for (int k = 0; k < steps; k++) {
        stepPlay(&play);
        course.last = energyOf(world);
        course.most = fmax(course.most, course.last);
        course.failed += world->reports.data[0].failed;
    }
    printf("    %g J at first, %g at most, %g at last; %d steps failed\n", course.first,
           course.most, course.last, course.failed);
    endPlay(&play);
    return course;
}

// A stiff block in a plane that spins about a point beside it: it moves rigidly by turns about z alone, for any other would be flattened
// and shear it (first_guess.c).
static void planarBlocksTurnInTheirPlane(void)
{
    static const char head[] = HEAD
        "\"stepsPerSecond\": 120, \"planar\": true, \"bodies\": [{\"name\": \"block\", \"box\": "
        "{\"size\": [0.6, 0.3, 0.2], \"cells\": [3, 2, 2]}, \"material\": {\"young\": 1e10, "
        "\"poisson\": 0.3, \"density\": 500, \"damping\": 0}, \"velocity\": [1, 0, 0], \"spin\": "
        "[0, 0, 900], \"contact\": false, \"solver\": {\"iterations\": %d}%s}]%s}";
    static const char *const turned[] = {"",
                                         ", \"rotation\": {\"axis\": [1, 1, 0], \"angle\": 40}"};
    static const char *const held[] = {
        "", ", \"attachments\": [{\"body\": \"block\", \"point\": [-0.25, 0.1, 0.05]}]",
        (", \"attachments\": [{\"body\": \"block\", \"point\": [-0.25, 0.1, 0.05]}, {\"body\": "
         "\"block\", \"point\": [-0.25, 0.1, -0.05]}]")};
    for (int k = 0; k < 12; k++) {
        char text[1200];
        snprintf(text, sizeof text, head, k % 2 ? 8 : 3, turned[k / 2 % 2], held[k / 4]);
        Course course = watch(text, 60);
        CHECK(course.most < 1.02 * course.first && !course.failed);
    }
}

// Linear bodies hold what their own law says, not what a corotated one of their shape would.
static void linearBlocksHoldWhatTheirLawSays(void)
{
    static const char head[] = HEAD
        "\"stepsPerSecond\": %d, \"bodies\": [{\"name\": \"block\", \"box\": {\"size\": [0.6, 0.2, "
        "0.2], \"cells\": [3, 2, 2]}, \"material\": {\"young\": %g, \"poisson\": 0.3, \"density\": "
        "500, \"damping\": 0}, \"place\": [0, 1, 0], \"velocity\": [0.5, -2, 0], \"spin\": [0, "
        "170, 115], \"contact\": false, \"solver\": {\"kind\": \"linear\"}}], \"attachments\": "
        "[{\"body\": \"block\", \"point\": [-0.2, 0.05, 0.05]}]}";
    for (int k = 0; k < 6; k++) {
        char text[1200];
        int rate = 30 << k % 3;
        snprintf(text, sizeof text, head, rate, k / 3 ? 1e8 : 1e6);
        Course course = watch(text, 2 * rate);
        CHECK(course.most < 1.02 * course.first && !course.failed);
    }
}

// A block hung by a point swings on by the midpoint rule, whatever finds its steps: what it gains in one step it loses in another.
static void midpointsSwingOn(void)
{
    static const char head[] = HEAD
        "\"stepsPerSecond\": 120, \"bodies\": [{\"name\": \"block\", \"box\": {\"size\": [0.6, "
        "0.2, "
        "0.2], \"cells\": [3, 1, 1]}, \"material\": {\"young\": 1e5, \"poisson\": 0.3, "
        "\"density\": "
        "500, \"damping\": 0}, \"contact\": false, \"solver\": {%s\"integrator\": \"midpoint\"}}], "
        "\"attachments\": [{\"body\": \"block\", \"point\": [-0.25, 0.05, 0]}]}";
    for (int k = 0; k < 2; k++) {
        char text[1200];
        snprintf(text, sizeof text, head, k ? "\"kind\": \"newton\", " : "");
        Course course = watch(text, 480);
        double swing = 500 * 0.024 * 9.81 * 0.25; // J, of falling from beside its point to below it
        CHECK(fabs(course.last - course.first) < 1e-3 * swing && !course.failed);
    }
}

int main(void)
{
    RUN(midpointsSwingOn);
    RUN(planarBlocksTurnInTheirPlane);
    RUN(linearBlocksHoldWhatTheirLawSays);
    return snTest_Finish();
}
