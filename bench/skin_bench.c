// Table 1 of Turner and Gobbetti 1998, as our own: the penguin, wombat and torso of examples/characters, each with about
// 1,024 points, at what its postures lead it to, for a second; every solver. Times are of one core's own work.
#include "bench/bench.h"
#include "layered/play.h"
#include "layered/script.h"
#include "platform/files.h"

#include <stdio.h>
#include <string.h>

#define SECONDS 1
#define MOST 4.0                  // s of computing for one dance: slow ones end early
#define LARGEST ((size_t)1 << 24) // bytes of a script

typedef struct Dancer {
    const char *name;
    const char *more; // operations after its script: of meshes the same skin of about 1,024 points
    snEditor editor;
    snPlay *play;
    int muscleCount, pointCount;
    snAffine *frames;
    snSkinMuscle *muscles;
    snArena arena;
} Dancer;

static snStatus runScript(Dancer *d, const snContext *context, snError *error)
{
    char path[400];
    snFileContent file;
    snScriptReport report;
    snprintf(path, sizeof path, SN_SOURCE_DIR "/examples/characters/%s.txt", d->name);
    snStatus status = snFile_Read(context, path, LARGEST, &file, error);
    if (status) return status;
    status = snScript_Run(&d->editor, (const char *)file.bytes, file.size, &report, error);
    if (!status) status = snScript_Run(&d->editor, d->more, strlen(d->more), &report, error);
    snFile_Release(context, &file);
    return status;
}

// Its skin settled on the first posture.
static bool makeDancer(Dancer *d)
{
    snContext context = snDefaultContext();
    snPlayDef def = snDefaultPlayDef();
    snError error = {0};
    d->arena = snMakeArena(&context);
    snStatus status = snEditor_Make(&d->editor, &context, &error);
    if (!status) status = runScript(d, &context, &error);
    if (!status) status = snPlay_Make(&d->play, &d->editor.layered, &def, &error);
    if (status) {
        fprintf(stderr, "%s: %s\n", d->name, error.message);
        return false;
    }
    const snFigure *figure = snPlay_Figure(d->play);
    d->muscleCount = figure->muscleCount;
    d->pointCount = snPlay_Surface(d->play)->pointCount;
    d->frames = SN_NEW(&d->arena, snAffine, figure->skeleton.jointCount);
    d->muscles = SN_NEW(&d->arena, snSkinMuscle, d->muscleCount);
    return d->frames && d->muscles;
}

static void freeDancer(Dancer *d)
{
    snPlay_Destroy(d->play);
    snEditor_Destroy(&d->editor);
    snArena_Destroy(&d->arena);
}

typedef struct Dance {
    double simulated, seconds, deepest;
    snSkinCount count;
} Dance;

static bool dance(const Dancer *d, snOdeMethod method, Dance *out)
{
    snContext context = snDefaultContext();
    snPlay_Lead(d->play, 0, d->frames, d->muscles);
    snElasticSkinDef def = snPlay_SkinDef(d->play);
    snElasticSkin *skin;
    def.method = method;
    if (snElasticSkin_Make(&skin, &def, &context, NULL)) return false;
    skin->clock = snBench_Computed;
    *out = (Dance){0};
    bool good = true;
    for (int k = 0; k < 60 * SECONDS && good && out->seconds < MOST; k++) {
        snPlay_Lead(d->play, (k + 1) / 60.0, d->frames, d->muscles);
        double begin = snBench_Computed();
        good = snElasticSkin_Step(skin, 1.0 / 60.0, d->frames, d->muscles);
        out->seconds += snBench_Computed() - begin;
        out->simulated += 1.0 / 60.0;
        if (k % 4 == 0) out->deepest = fmax(out->deepest, snElasticSkin_Deepest(skin));
    }
    out->count = skin->count;
    snElasticSkin_Destroy(skin);
    return good;
}

static double forcesOf(const Dance *o) // in a second
{
    return (double)o->count.ode.forces / o->simulated;
}

static void reportDance(snBench *bench, const Dancer *d, snOdeMethod method, const Dance *o)
{
    const snSkinCount *c = &o->count;
    double steps = (double)c->ode.steps, total = o->seconds, simulated = o->simulated;
    char id[96];
    snBench_Note(
        bench,
        "%-8s %4d points, %-15s step %5.2f ms, %6.2f x real time, force %2.0f %%, constraint %2.0f "
        "%%, "
        "other %2.0f %%, %5.0f forces per second, inside tests %4.1f x fewer, deepest %.0e",
        d->name, d->pointCount, snOdeMethod_Name(method), 1e3 * simulated / steps,
        simulated / total, 100 * c->forceSeconds / total, 100 * c->pushSeconds / total,
        100 * (1.0 - (c->forceSeconds + c->pushSeconds) / total), forcesOf(o),
        (double)c->push.brute / (double)c->push.tests, o->deepest);
    snprintf(id, sizeof id, "leman/table1-%s-%s", d->name, snOdeMethod_Name(method));
    snBench_Report(bench, id, simulated / total, "x real time", "> 1");
}

static void runDancer(snBench *bench, Dancer *d)
{
    Dance dances[SN_ODE_METHODS];
    double deepest = 0.0;
    if (!makeDancer(d)) {
        freeDancer(d);
        snBench_Skip(bench, "a character could not be made");
        return;
    }
    snElasticSkinDef def = snPlay_SkinDef(d->play);
    snBench_Note(bench,
                 "%s: errors of a step up to %g mm and %g m/s (euler %g), pushes up to %g mm",
                 d->name, 1e3 * def.control.place, def.control.pace,
                 SN_SKIN_EULER_PACE * def.control.pace, 1e3 * def.correction);
    for (int m = 0; m < SN_ODE_METHODS; m++) {
        if (!dance(d, (snOdeMethod)m, &dances[m])) {
            freeDancer(d);
            snBench_Skip(bench, "a skin failed");
            return;
        }
        reportDance(bench, d, (snOdeMethod)m, &dances[m]);
        deepest = fmax(deepest, dances[m].deepest);
    }
    char id[96];
    snprintf(id, sizeof id, "leman/table1-%s-deepest", d->name);
    snBench_Report(bench, id, deepest, "of a muscle's size", "<= 1e-4");
    const Dance *verlet = &dances[SN_ODE_VERLET];
    double least = fmin(forcesOf(&dances[SN_ODE_EULER]), forcesOf(&dances[SN_ODE_RK2]));
    snprintf(id, sizeof id, "leman/table1-%s-verlet-forces", d->name);
    snBench_Report(bench, id, forcesOf(verlet) / least, "of the fewer of euler and rk2", "< 1");
    snprintf(id, sizeof id, "leman/table1-%s-culling", d->name);
    snBench_Report(bench, id, (double)verlet->count.push.brute / (double)verlet->count.push.tests,
                   "x", d->muscleCount > 20 ? ">= 5" : "");
    freeDancer(d);
}

void snBench_Skins(snBench *bench)
{
    Dancer dancers[3] = {
        {.name = "penguin", .more = ""},
        {.name = "wombat",
         .more = "skin mesh cell=3.3cm blend=4cm\nskin attach\nskin paint elasticity=60 "
                 "stiffness=1.2e4\n"},
        {.name = "torso",
         .more = "skin mesh cell=3.5cm blend=3cm\nskin attach\nskin paint elasticity=80\n"}};
    snBench_Note(bench, "%d s each; the paper's machine was 8 to 80 times slower than real time",
                 SECONDS);
    for (int i = 0; i < 3; i++)
        runDancer(bench, &dancers[i]);
}
