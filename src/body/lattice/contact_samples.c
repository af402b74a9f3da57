#include "body/lattice/contact_samples.h"

#include "core/error.h"
#include "core/lists.h"

#define FINEST 6 // points along the edge of a large triangle

typedef struct Sample {
    int corner[3]; // vertices of the surface
    double share[3];
} Sample;

typedef struct Chooser {
    const snSampleChoiceDef *def;
    Sample *samples;
    int count;
} Chooser;

static void addSample(Chooser *chooser, Sample sample)
{
    const int *usable = chooser->def->usable;
    for (int k = 0; k < 3 && usable; k++)
        if (usable[sample.corner[k]] < 0) return;
    if (chooser->count < chooser->def->most) chooser->samples[chooser->count++] = sample;
}

// Of some vertices the first, then always the one that is farthest from those chosen.
static void chooseSpread(Chooser *chooser, const int *list, int count, int most, double *far)
{
    const snVec3 *at = chooser->def->surface->positions;
    for (int i = 0; i < count; i++)
        far[i] = INFINITY;
    for (int round = 0, best = 0; round < most && round < count; round++) {
        addSample(chooser, (Sample){{list[best], list[best], list[best]}, {1, 0, 0}});
        int next = 0;
        for (int i = 0; i < count; i++) {
            double d = snLengthSquared(snSub(at[list[i]], at[list[best]]));
            if (d < far[i]) far[i] = d;
            if (far[i] > far[next]) next = i;
        }
        best = next;
    }
}

// The drawn surface is flat between its vertices: large triangles get points of their own.
static void chooseInTriangles(Chooser *chooser)
{
    const snMesh *surface = chooser->def->surface;
    double edge = chooser->def->edge;
    for (int t = 0; t < surface->triangleCount && edge > 0; t++) {
        const int *c = surface->triangles + 3 * t;
        double longest = 0;
        for (int k = 0; k < 3; k++) {
            double d = snDistance(surface->positions[c[k]], surface->positions[c[(k + 1) % 3]]);
            if (d > longest) longest = d;
        }
        if (!(longest > 1.5 * edge)) continue;
        int n = longest < FINEST * edge ? (int)ceil(longest / edge) : FINEST;
        for (int i = 0; i < n; i++)
            for (int k = 0; i + k < n; k++) {
                double u = (i + 1.0 / 3) / n, v = (k + 1.0 / 3) / n;
                addSample(chooser, (Sample){{c[0], c[1], c[2]}, {1 - u - v, u, v}});
            }
    }
}

static snStatus chooseInCells(Chooser *chooser, double *far, snArena *scratch, snError *error)
{
    const snSampleChoiceDef *def = chooser->def;
    int n = def->surface->vertexCount, cells = def->cellCount;
    snLists in; // vertices in cells
    snStatus status = snLists_Make(&in, def->cells, n, 1, cells, scratch, error);
    if (status) return status;
    for (int k = 0; k < cells; k++)
        chooseSpread(chooser, in.item + in.start[k], in.start[k + 1] - in.start[k], def->perCell,
                     far);
    return SN_OK;
}

static snStatus chooseOfAll(Chooser *chooser, double *far, snArena *scratch, snError *error)
{
    const snSampleChoiceDef *def = chooser->def;
    int n = def->surface->vertexCount, count = 0;
    int *list = SN_NEW(scratch, int, n);
    if (!list) return snFailMemory(error);
    for (int v = 0; v < n; v++)
        if (!def->usable || def->usable[v] >= 0) list[count++] = v;
    if (count > def->most) {
        chooseSpread(chooser, list, count, def->most, far);
        return SN_OK;
    }
    for (int i = 0; i < count; i++)
        addSample(chooser, (Sample){{list[i], list[i], list[i]}, {1, 0, 0}});
    return SN_OK;
}

static int entriesOf(const Chooser *chooser)
{
    const snContactSamples *rows = chooser->def->rows;
    int entries = 0;
    for (int s = 0; s < chooser->count; s++)
        for (int k = 0; k < 3; k++) {
            const Sample *sample = &chooser->samples[s];
            int w = sample->corner[k];
            if (sample->share[k] != 0) entries += rows->start[w + 1] - rows->start[w];
        }
    return entries;
}

static snStatus store(snSampleChoice *choice, const Chooser *chooser, snArena *arena,
                      snError *error)
{
    const snContactSamples *rows = chooser->def->rows;
    int n = chooser->count, entries = entriesOf(chooser);
    int *start = SN_NEW(arena, int, n + 1), *vertex = SN_NEW(arena, int, entries);
    double *weight = SN_NEW(arena, double, entries);
    snVec3 *rest = SN_NEW(arena, snVec3, n);
    choice->corners = SN_NEW(arena, int, (size_t)n * 3);
    choice->shares = SN_NEW(arena, double, (size_t)n * 3);
    if (!start || !vertex || !weight || !rest || !choice->corners || !choice->shares)
        return snFailMemory(error);
    for (int s = 0; s < n; s++) {
        const Sample *sample = &chooser->samples[s];
        int at = start[s];
        for (int k = 0; k < 3; k++) {
            int w = sample->corner[k];
            double share = sample->share[k];
            choice->corners[3 * s + k] = w;
            choice->shares[3 * s + k] = share;
            if (share == 0) continue;
            rest[s] = snMulAdd(rest[s], share, chooser->def->surface->positions[w]);
            for (int i = rows->start[w]; i < rows->start[w + 1]; i++, at++) {
                vertex[at] = rows->vertex[i];
                weight[at] = share * rows->weight[i];
            }
        }
        start[s + 1] = at;
    }
    choice->samples = (snContactSamples){n, start, vertex, weight, rest};
    return SN_OK;
}

snStatus snSampleChoice_Make(snSampleChoice *choice, const snSampleChoiceDef *def, snArena *arena,
                             snError *error)
{
    *choice = (snSampleChoice){0};
    snArena scratch = {.allocator = arena->allocator};
    Chooser chooser = {.def = def, .samples = SN_NEW(&scratch, Sample, def->most)};
    double *far = SN_NEW(&scratch, double, def->surface->vertexCount);
    snStatus status = chooser.samples && far ? SN_OK : snFailMemory(error);
    if (!status)
        status = def->perCell > 0 ? chooseInCells(&chooser, far, &scratch, error)
                                  : chooseOfAll(&chooser, far, &scratch, error);
    if (!status) chooseInTriangles(&chooser);
    if (!status) status = store(choice, &chooser, arena, error);
    snArena_Destroy(&scratch);
    return status;
}

double snLattice_MeanEdge(const snLattice *lattice)
{
    double sum = 0;
    int count = 0;
    for (int c = 0; c < lattice->cellCount; c++) {
        const snCellShape *shape = snCellShape_Of(snLattice_Kind(lattice, c));
        const int *corners = snLattice_Corners(lattice, c);
        for (int e = 0; e < shape->edges; e++, count++)
            sum += snDistance(lattice->rest[corners[shape->edge[e][0]]],
                              lattice->rest[corners[shape->edge[e][1]]]);
    }
    return count ? sum / count : 0;
}
