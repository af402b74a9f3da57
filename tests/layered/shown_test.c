// The characters of examples/characters, each over its whole animation: no point of a skin, its fat counted, is ever deeper in a
// muscle than 1e-4 of the muscle's size, and skins slide.
#include "layered/play.h"
#include "tests/layered/made.h"

#define DEEP 1e-4  // of a muscle's size
#define MOST 20000 // vertices

// Plays all of it; the deepest after any step.
static double playAll(const snEditor *editor, const char *name, double *slid)
{
    snPlayDef def = snDefaultPlayDef();
    snPlay *play;
    snError error = {0};
    if (!CHECK(snPlay_Make(&play, &editor->layered, &def, &error) == SN_OK)) {
        printf("%s: %s\n", name, error.message);
        return INFINITY;
    }
    static snVec3 first[MOST], now[MOST];
    int points = snPlay_Surface(play)->pointCount;
    const snLayeredSettings *settings = snLayered_Settings(&editor->layered);
    double duration = snPlay_Figure(play)->duration;
    int frames = (int)(duration * settings->frameRate + 0.5);
    double deepest = snPlay_Deepest(play);
    CHECK(points <= MOST && frames > 24);
    *slid = 0.0;
    snPlay_Feet(play, first);
    for (int k = 1; k <= frames; k++) {
        CHECK(snPlay_Advance(play, k / settings->frameRate));
        deepest = fmax(deepest, snPlay_Deepest(play));
        snPlay_Feet(play, now);
        for (int i = 0; i < points; i++)
            *slid = fmax(*slid, snDistance(now[i], first[i]));
    }
    snPlay_Destroy(play);
    return deepest;
}

static void check(const snEditor *editor, const char *name, const char *method)
{
    double slid, deepest = playAll(editor, name, &slid);
    printf("%-8s %-14s at deepest %.1e of a muscle's size, slid by %.1f mm\n", name, method,
           deepest, 1e3 * slid);
    CHECK(deepest < DEEP);
    CHECK(slid > 5e-3);
}

static void skinsAreNeverInMuscles(void)
{
    static const char *const names[] = {"penguin", "torso", "elbow", "wombat", "tummy"};
    int count = snTest_Whole() ? 5 : 3;
    for (int i = 0; i < count; i++) {
        snScriptReport report;
        snEditor editor = makeExample(names[i], &report);
        check(&editor, names[i], "its own");
        snEditor_Destroy(&editor);
    }
}

// In its crease cells are hardly wider than the fat: pushes turn the normals along which neighbours' feet stand.
static void whateverTheIntegrator(void)
{
    static const char *const methods[] = {"verlet", "rk4", "rosenbrock",
                                          "euler",  "rk2", "implicit-euler"};
    int count = snTest_Whole() ? 6 : 3;
    snScriptReport report;
    snEditor editor = makeExample("forearm", &report);
    for (int i = 0; i < count; i++) {
        char line[60];
        snprintf(line, sizeof line, "settings integrator=%s\n", methods[i]);
        runScript(&editor, line);
        check(&editor, "forearm", methods[i]);
    }
    snEditor_Destroy(&editor);
}

int main(void)
{
    RUN(skinsAreNeverInMuscles);
    RUN(whateverTheIntegrator);
    return snTest_Finish();
}
