// A smooth body whose finer functions come and go, against the same one with all of them: the example scene in
// which a dragon's lip is pulled.
#include "bench/bench.h"
#include "body/lattice/solid_parts.h"
#include "tests/scenes/shipped.h"

#include <math.h>
#include <stdlib.h>

typedef struct Side {
    snStage stage;
    snSolidBody *solid;
    snVec3f *surface;
    double seconds;
    int functions; // the most that acted
} Side;

typedef struct Pair {
    Side adaptive, uniform;
    double size, displacement, distance, jump;
    double worst; // when the distance is largest, s
    double *before;
    snAdaptDef adapt;
    int steps;
} Pair;

static snStatus buildSide(Side *side, Shipped *shipped, bool uniform, snSceneFile *scene,
                          snError *error)
{
    snStatus status = readShippedScene(shipped, "dragon-lip", scene, error);
    if (status) return status;
    if (uniform) scene->bodies[0].mostActive = 0;
    status = snSceneFile_Build(scene, &side->stage, &shipped->context, error);
    if (status) return status;
    side->solid = (snSolidBody *)side->stage.world->bodies.data[0];
    side->surface = malloc((size_t)side->solid->body.vertexCount * sizeof *side->surface);
    return SN_OK;
}

// In place of the body itself, to see what switching moves.
static void adapt(Pair *p)
{
    Side *side = &p->adaptive;
    snLatticeState *state = side->solid->state;
    size_t count = (size_t)side->solid->model->vertexCount * 4;
    memcpy(p->before, state->position, count * sizeof(double));
    double begin = snBench_Computed();
    snAdaptReport report = snLattice_Adapt(side->solid->model, state, &p->adapt);
    side->seconds += snBench_Computed() - begin;
    int functions = snSpace_Constant(side->solid->model->space) + report.active;
    side->functions = functions > side->functions ? functions : side->functions;
    for (size_t k = 0; k < count; k += 4) {
        const double *a = p->before + k, *b = state->position + k;
        double d = sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                        (a[2] - b[2]) * (a[2] - b[2]));
        p->jump = fmax(p->jump, d / p->size);
    }
}

static void stepSide(Side *side)
{
    double begin = snBench_Computed();
    snWorld_Step(side->stage.world);
    side->seconds += snBench_Computed() - begin;
    snBody_Surface(&side->solid->body, side->surface, NULL);
}

static double distance(snVec3f a, snVec3 b)
{
    return snDistance(snVec(a.x, a.y, a.z), b);
}

static void compare(Pair *p, double time)
{
    const snBody *body = &p->uniform.solid->body;
    double before = p->distance;
    for (int v = 0; v < body->vertexCount; v++) {
        snVec3f u = p->uniform.surface[v];
        p->displacement = fmax(p->displacement, distance(u, body->restSurface[v]));
        p->distance = fmax(p->distance, distance(p->adaptive.surface[v], snVec(u.x, u.y, u.z)));
    }
    if (p->distance > before) p->worst = time;
}

static void run(Pair *p)
{
    snSolidBody *solid = p->adaptive.solid;
    p->size = solid->model->space->levels->size;
    p->adapt = solid->def.adapt;
    solid->def.adapt.mostChanges = -1;
    p->before = malloc((size_t)solid->model->vertexCount * 4 * sizeof *p->before);
    for (int s = 0; s < p->steps; s++) {
        adapt(p);
        stepSide(&p->adaptive);
        stepSide(&p->uniform);
        compare(p, (s + 1) * p->adaptive.solid->body.step);
    }
}

static void report(snBench *bench, const Pair *p)
{
    snBench_Note(bench,
                 "dragon-lip, %d steps: %.2f s with up to %d functions, %.2f s with all %d; "
                 "largest displacement %.3f m of a size of %.2f m; farthest apart at %.2f s",
                 p->steps, p->adaptive.seconds, p->adaptive.functions, p->uniform.seconds,
                 p->uniform.solid->body.functions, p->displacement, p->size, p->worst);
    snBench_Report(bench, "multires/adaptive-time", p->adaptive.seconds / p->uniform.seconds,
                   "of the uniform run", "<= 0.5");
    snBench_Report(bench, "multires/adaptive-distance", p->distance / p->displacement,
                   "of its largest displacement", "<= 0.05");
    snBench_Report(bench, "multires/adaptive-jump", p->jump, "of the size", "<= 1e-4");
}

void snBench_Levels(snBench *bench)
{
    Shipped shipped;
    snSceneFile scenes[2] = {0};
    Pair pair = {0};
    snError error = {0};
    makeShipped(&shipped);
    snStatus status = buildSide(&pair.adaptive, &shipped, false, &scenes[0], &error);
    if (!status) status = buildSide(&pair.uniform, &shipped, true, &scenes[1], &error);
    if (status) {
        snBench_Skip(bench, error.message);
    } else {
        pair.steps = (int)(scenes[0].duration / scenes[0].step + 0.5);
        run(&pair);
        report(bench, &pair);
    }
    Side *sides[] = {&pair.adaptive, &pair.uniform};
    for (int k = 0; k < 2; k++) {
        if (sides[k]->solid) snStage_Destroy(&sides[k]->stage);
        free(sides[k]->surface);
        snSceneFile_Destroy(&scenes[k]);
    }
    free(pair.before);
    freeShipped(&shipped);
}
