#include "body/lattice/field.h"

#include "body/lattice/subdivide.h"
#include "core/array.h"
#include "core/error.h"

// Every fine tet is sampled at the four points of the degree-2 rule, with a quarter of its volume
// each. At a sample with barycentric coordinates b_k in its tet, φ_a = Σ_k b_k φ_a(corner k), the
// last known from subdivision.
#define NEAR 0.58541019662496845
#define FAR 0.13819660112501052

typedef struct Sample {
    double amount; // s V / 4
    int corners[4];
    int near; // which of the corners it is close to
    int cell; // of the first lattice
} Sample;

typedef struct Samples {
    SN_ARRAY(Sample) list;
    SN_ARRAY(snVec3) points;
} Samples;

static bool sampleTet(Samples *samples, const snFieldDef *def, const snFineLattice *fine,
                      const int corners[4], int cell, const snAllocator *allocator)
{
    snVec3 p[4], sum = {0, 0, 0}, gradient[4];
    for (int k = 0; k < 4; k++) {
        p[k] = fine->lattice.rest[corners[k]];
        sum = snAdd(sum, p[k]);
    }
    double volume = snTetGradients(p, gradient);
    for (int k = 0; k < 4; k++) {
        snVec3 point = snMulAdd(snScale(FAR, sum), NEAR - FAR, p[k]);
        double s = def->field(def->user, point);
        if (!(s > 0)) continue;
        Sample sample = {s * volume / 4, {corners[0], corners[1], corners[2], corners[3]}, k, cell};
        if (!snArray_Push(allocator, &samples->list, sample) ||
            !snArray_Push(allocator, &samples->points, point))
            return false;
    }
    return true;
}

static bool sampleAll(Samples *samples, const snFieldDef *def, const snFineLattice *fine,
                      const snAllocator *allocator)
{
    int tets[SN_CELL_TETS][4];
    for (int c = 0; c < fine->lattice.cellCount; c++) {
        int n = snSplitCell(&fine->lattice, c, tets);
        for (int t = 0; t < n; t++)
            if (!sampleTet(samples, def, fine, tets[t], fine->parent[c], allocator)) return false;
    }
    return true;
}

static void addSample(const Sample *sample, const snWeightRows *rows, double *integral)
{
    for (int k = 0; k < 4; k++) {
        double share = (k == sample->near ? NEAR : FAR) * sample->amount;
        int row = sample->corners[k];
        for (int i = rows->start[row]; i < rows->start[row + 1]; i++)
            integral[rows->column[i]] += share * rows->weight[i];
    }
}

snStatus snIntegrateField(const snFieldDef *def, double *integral, const snContext *context,
                          snError *error)
{
    snArena scratch = snMakeArena(context);
    snFineLattice fine;
    Samples samples = {0};
    snStatus status = snSubdivide(&fine, def->lattice, def->level, &scratch, context, error);
    if (!status && !sampleAll(&samples, def, &fine, &context->allocator))
        status = snFailMemory(error);
    int count = samples.list.count;
    unsigned char *inside = SN_NEW(&scratch, unsigned char, count);
    if (!status && !inside) status = snFailMemory(error);
    if (!status && def->inside.test)
        def->inside.test(def->inside.user, count, samples.points.data, inside);
    for (int i = 0; i < count && !status; i++) {
        const Sample *sample = &samples.list.data[i];
        if (def->inside.test && !inside[i]) continue;
        if (def->owner.owns &&
            !def->owner.owns(def->owner.user, sample->cell, samples.points.data[i]))
            continue;
        addSample(sample, &fine.rows, integral);
    }
    snArray_Free(&context->allocator, &samples.list);
    snArray_Free(&context->allocator, &samples.points);
    snArena_Destroy(&scratch);
    return status;
}
