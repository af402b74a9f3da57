#include "body/lattice/weights.h"

#include "core/array.h"
#include "core/error.h"
#include "numerics/cholesky.h"

#include <stdlib.h>
#include <string.h>

#define MOST_JOINTS 8       // weights kept per vertex
#define LEAST_WEIGHT 0.002f // of the row's sum; below it a joint is dropped

typedef struct Fit {
    const snLatticeWeightsDef *def;
    int joints;
    snSparse matrix;
    double *side; // [vertices * joints], right-hand sides, then the solution
} Fit;

static double edgeWeight(const snLattice *lattice, int a, int b)
{
    double d = snLengthSquared(snSub(lattice->rest[a], lattice->rest[b]));
    return d > 0 ? 1 / d : 0;
}

// The median of 1/d² over the pattern's edges, to which the weights are related.
static snStatus medianEdge(const Fit *fit, double *median, snArena *scratch, snError *error)
{
    const snPattern *p = &fit->matrix.pattern;
    int count = 0;
    double *list = SN_NEW(scratch, double, p->columnStart[p->size] + 1);
    if (!list) return snFailMemory(error);
    for (int c = 0; c < p->size; c++)
        for (int i = p->columnStart[c] + 1; i < p->columnStart[c + 1]; i++)
            list[count++] = edgeWeight(fit->def->lattice, c, p->row[i]);
    qsort(list, (size_t)count, sizeof *list, snCompareDoubles);
    *median = count && list[count / 2] > 0 ? list[count / 2] : 1;
    return SN_OK;
}

static bool onBone(const Fit *fit, int vertex)
{
    int joint = fit->def->lattice->joint[vertex];
    return joint >= 0 && joint < fit->joints;
}

// Adds value to A(a, b) where both are unknown; where one is on a bone, its part goes to the
// right-hand side (its weight is 1 for its own joint).
static void addPair(Fit *fit, int a, int b, double value)
{
    bool boneA = onBone(fit, a), boneB = onBone(fit, b);
    if (!boneA && !boneB) snSparse_AddScalar(&fit->matrix, a, b, value);
    if (a == b) return;
    if (!boneA && boneB)
        fit->side[(size_t)a * (size_t)fit->joints + (size_t)fit->def->lattice->joint[b]] -= value;
    if (boneA && !boneB)
        fit->side[(size_t)b * (size_t)fit->joints + (size_t)fit->def->lattice->joint[a]] -= value;
}

static void addSmoothness(Fit *fit, double median)
{
    const snPattern *p = &fit->matrix.pattern;
    double a = fit->def->smoothness;
    for (int c = 0; c < p->size; c++)
        for (int i = p->columnStart[c] + 1; i < p->columnStart[c + 1]; i++) {
            int r = p->row[i];
            double w = a * edgeWeight(fit->def->lattice, c, r) / median;
            addPair(fit, c, c, w);
            addPair(fit, r, r, w);
            addPair(fit, r, c, -w);
        }
}

static void addSurface(Fit *fit)
{
    const snEmbedding *phi = fit->def->surface;
    const snWeightRows *skin = fit->def->skin;
    double share = phi->pointCount ? 4.0 * fit->def->lattice->vertexCount / phi->pointCount
                                   : 0; // c: the surface weighs as much as four edges per vertex
    for (int p = 0; p < phi->pointCount; p++) {
        const int *v = phi->vertex + p * phi->width;
        const double *w = phi->weight + p * phi->width;
        for (int i = 0; i < phi->width; i++) {
            if (w[i] == 0) continue;
            for (int j = 0; j <= i; j++)
                if (w[j] != 0) addPair(fit, v[i], v[j], share * w[i] * w[j]);
            if (onBone(fit, v[i])) continue;
            double *side = fit->side + (size_t)v[i] * (size_t)fit->joints;
            for (int k = skin->start[p]; k < skin->start[p + 1]; k++)
                side[skin->column[k]] += share * w[i] * skin->weight[k];
        }
    }
}

static void addBones(Fit *fit)
{
    for (int v = 0; v < fit->def->lattice->vertexCount; v++) {
        if (!onBone(fit, v)) {
            snSparse_AddScalar(&fit->matrix, v, v, 1e-9); // a lone vertex has some equation, too
            continue;
        }
        snSparse_AddScalar(&fit->matrix, v, v, 1);
        fit->side[(size_t)v * (size_t)fit->joints + (size_t)fit->def->lattice->joint[v]] = 1;
    }
}

static snStatus solve(Fit *fit, snArena *scratch, snError *error)
{
    snSymbolic *symbolic;
    snFactor *factor;
    snStatus status =
        snSymbolic_Make(&symbolic, &fit->matrix.pattern, 1, SN_ORDER_AMD, scratch, error);
    if (!status) status = snFactor_Make(&factor, symbolic, scratch, error);
    if (!status) status = snFactor_Compute(factor, &fit->matrix, error);
    if (status) return status;
    double *work = SN_NEW(scratch, double, snFactor_ScratchSize(factor, fit->joints));
    if (!work) return snFailMemory(error);
    snFactor_Solve(factor, fit->joints, fit->side, work);
    return SN_OK;
}

// The largest weights of a row, clamped and normalised, by ascending joint.
static int keepRow(const double *row, int joints, int *joint, double *weight)
{
    int count = 0;
    double sum = 0;
    for (int j = 0; j < joints; j++) {
        if (!(row[j] > (double)LEAST_WEIGHT)) continue;
        if (count == MOST_JOINTS) { // give up the smallest
            int least = 0;
            for (int k = 1; k < count; k++)
                if (weight[k] < weight[least]) least = k;
            if (weight[least] >= row[j]) continue;
            for (int k = least; k + 1 < count; k++)
                joint[k] = joint[k + 1], weight[k] = weight[k + 1];
            count--;
        }
        joint[count] = j;
        weight[count++] = row[j];
    }
    for (int k = 0; k < count; k++)
        sum += weight[k];
    for (int k = 0; k < count; k++)
        weight[k] /= sum;
    return count;
}

static void keepRows(snWeightRows *out, const Fit *fit)
{
    int at = 0;
    for (int v = 0; v < fit->def->lattice->vertexCount; v++) {
        const double *row = fit->side + (size_t)v * (size_t)fit->joints;
        int n = keepRow(row, fit->joints, out->column + at, out->weight + at);
        if (n == 0) { // nothing reaches it: it follows the first joint
            out->column[at] = 0;
            out->weight[at] = 1;
            n = 1;
        }
        at += n;
        out->start[v + 1] = at;
    }
}

snStatus snLatticeWeights(snWeightRows *weights, const snLatticeWeightsDef *def, snArena *arena,
                          const snContext *context, snError *error)
{
    int n = def->lattice->vertexCount;
    Fit fit = {.def = def, .joints = def->jointCount};
    if (fit.joints < 1)
        return snFail(error, SN_ERROR_ARGUMENT, "lattice weights need at least one joint");
    snStatus status =
        snWeightRows_Make(weights, n, fit.joints, (size_t)n * MOST_JOINTS, arena, error);
    if (status) return status;
    snArena scratch = snMakeArena(context);
    snPattern pattern;
    double median = 1;
    status = snPattern_FromGroups(&pattern, n, def->lattice->cellCount, def->lattice->cellStart,
                                  def->lattice->corners, &scratch, error);
    if (!status) status = snSparse_Make(&fit.matrix, &pattern, 1, &scratch, error);
    fit.side = SN_NEW(&scratch, double, (size_t)n *(size_t)fit.joints);
    if (!status && !fit.side) status = snFailMemory(error);
    if (!status) status = medianEdge(&fit, &median, &scratch, error);
    if (!status) {
        addSmoothness(&fit, median);
        addSurface(&fit);
        addBones(&fit);
        status = solve(&fit, &scratch, error);
    }
    if (!status) keepRows(weights, &fit);
    snArena_Destroy(&scratch);
    return status;
}
