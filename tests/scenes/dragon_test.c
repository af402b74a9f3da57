// The dragon of Multiresolution's comparison, in the lattice that is fitted to it and in a regular grid of more degrees of freedom. The grid
// joins what lies side by side: who pulls at the lip moves the coil below, and a mouth that opens stretches what it should bend.
#include "tests/scenes/shipped.h"
#include "tests/test.h"

#include <stdlib.h>

enum { FITTED, GRID };
static const char *const names[2] = {"dragon-stretched", "dragon-grid"};
static Shipped shipped;
static snError error;

static bool stageOf(const char *name, snStage *stage)
{
    snSceneFile scene;
    if (!CHECK(readShippedScene(&shipped, name, &scene, &error) == SN_OK)) return false;
    snStatus status = snSceneFile_Build(&scene, stage, &shipped.context, &error);
    snSceneFile_Destroy(&scene);
    return CHECK(status == SN_OK);
}

static snVec3 probeOf(const snStage *stage, int probe)
{
    return snBody_Place(stage->world->bodies.data[stage->probeBody[probe]],
                        stage->probePoint[probe]);
}

// How far it is to every vertex over the surface, along its edges, m.
static void walkFrom(const snBody *body, snVec3 place, double *way)
{
    bool changed = true;
    for (int v = 0; v < body->vertexCount; v++) {
        double d = snDistance(body->restSurface[v], place);
        way[v] = d < 0.05 ? d : 1e300;
    }
    while (changed) {
        changed = false;
        for (int k = 0; k < 3 * body->triangleCount; k++) {
            int a = body->triangles[k], b = body->triangles[k % 3 < 2 ? k + 1 : k - 2];
            double d = snDistance(body->restSurface[a], body->restSurface[b]);
            if (way[a] + d < way[b]) way[b] = way[a] + d, changed = true;
            if (way[b] + d < way[a]) way[a] = way[b] + d, changed = true;
        }
    }
}

typedef struct Seen {
    int functions;
    double upper, coil; // how far the upper lip and the coil go along, as shares of the lower lip
    double lips,
        jaw; // after stretching: between lips, and from the corner of the mouth to the upper one, m
    double elastic; // J
} Seen;

#define COIL 1.5 // m over the surface from the lip: the head and what the neck does are nearer

// The lower lip is pulled down for one step. In so short a time nothing comes round the coil.
static void pullLip(snStage *stage, Seen *seen)
{
    snBody *body = stage->world->bodies.data[0];
    snBodyStep step = {.length = 1.0 / 120, .ticks = 1, .stiffness = 1};
    snBodyReport report;
    snVec3 upper = probeOf(stage, 0), lower = probeOf(stage, 1);
    double *way = malloc((size_t)body->vertexCount * sizeof *way), coil = 0;
    void *begin = malloc(snBody_SaveSize(body));
    snBody_Save(body, begin);
    walkFrom(body, lower, way);
    snBody_Begin(body, &step);
    snBody_Push(body, stage->probePoint[1], snVec(0, -100, 0));
    snBody_Advance(body);
    snBody_Finish(body, &report);
    for (int v = 0; v < body->vertexCount; v++)
        if (way[v] > COIL)
            coil = fmax(coil, snDistance(snBody_Vertex(body, v), body->restSurface[v]));
    double moved = snDistance(probeOf(stage, 1), lower);
    seen->functions = body->functions;
    seen->upper = snDistance(probeOf(stage, 0), upper) / moved;
    seen->coil = coil / moved;
    CHECK(moved > 1e-3 && snBody_Restore(body, begin, NULL) == SN_OK);
    free(way), free(begin);
}

static void stretch(snStage *stage, int steps, Seen *seen)
{
    snWorldMeasure m;
    for (int k = 0; k < steps; k++)
        snWorld_Step(stage->world);
    snWorld_Measure(stage->world, &m);
    seen->lips = snDistance(probeOf(stage, 0), probeOf(stage, 1));
    seen->jaw = snDistance(probeOf(stage, 0), probeOf(stage, 2));
    seen->elastic = m.sum.elastic;
}

// `sinew run` of both scenes goes on to the third second, with the figures of the gallery.
static void fittedIsBetterThanTheGrid(void)
{
    Seen seen[2];
    for (int k = FITTED; k <= GRID; k++) {
        snStage stage;
        if (!stageOf(names[k], &stage)) return;
        pullLip(&stage, &seen[k]);
        stretch(&stage, 180, &seen[k]);
        printf(
            "    %s, %d functions: with the lower lip go %.2g of it the upper one, %.2g the coil; "
            "stretched for 1.5 s lips are %.3f m apart, the jaw is %.3f m long, %.3g J\n",
            names[k], seen[k].functions, seen[k].upper, seen[k].coil, seen[k].lips, seen[k].jaw,
            seen[k].elastic);
        snStage_Destroy(&stage);
    }
    CHECK(seen[FITTED].functions == 88 && seen[GRID].functions == 130);
    CHECK(seen[FITTED].coil < 1e-3 && seen[GRID].coil > 0.05);
    CHECK(seen[FITTED].upper < 0.01 && seen[GRID].upper > 0.1);
    CHECK(seen[FITTED].lips > 1.1 * seen[GRID].lips);
    CHECK(seen[FITTED].jaw < seen[GRID].jaw);
    CHECK(seen[FITTED].elastic < 0.4 * seen[GRID].elastic);
}

int main(void)
{
    makeShipped(&shipped);
    RUN(fittedIsBetterThanTheGrid);
    freeShipped(&shipped);
    if (error.code) printf("    %s\n", error.message);
    return snTest_Finish();
}
