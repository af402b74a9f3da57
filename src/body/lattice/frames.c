// The frame of a joint is the rotation of its linear part, which may have scale and shear (polar
// decomposition), and its origin.
//
// A fitted frame is the rigid motion that takes the rest positions of a region's vertices nearest to
// where they are: minimise Σ_a w_a |x_a - R r_a - o|², with w_a = W_a m_a. With the means x̄ and r̄,
//
//     R = polar(Σ_a w_a (x_a - x̄)(r_a - r̄)ᵀ),     o = x̄ - R r̄
//
// In a step the x_a of free vertices are x + h v, not the first guess: that goes with the rig, which
// loose flesh does not. (Müller, Heidelberger, Teschner, Gross, "Meshless Deformations Based on Shape
// Matching", 2005.)
#include "body/lattice/frames.h"

#include "core/error.h"
#include "core/svd.h"

// A bone leads a region when at least this many known vertices have more than half their weight in
// it: two of them hold a direction.
#define LEADERS 2

static double regionWeight(const snRegions *regions, int vertex, int region)
{
    const snWeightRows *rows = &regions->rows;
    for (int k = rows->start[vertex]; k < rows->start[vertex + 1]; k++)
        if (rows->column[k] == region) return rows->weight[k];
    return 0;
}

static bool isLed(const snLatticeModel *model, const snRegions *regions, int region)
{
    int leaders = 0;
    for (int i = model->freeCount; i < model->vertexCount; i++)
        leaders += regionWeight(regions, model->vertexOf[i], region) > 0.5;
    return leaders >= LEADERS;
}

// Whether vertices with these weights hold a frame: they must not lie on a line. The second moments
// about their mean have eigenvalues in proportion to extents squared.
static bool holdsFrame(const snLatticeModel *model, const snLinearPart *part, const double *weight)
{
    snVec3 mean = {0, 0, 0}, extent;
    snMat3 moments = snDiagonal3(0, 0, 0), axes;
    for (int i = 0; i < part->vertexCount; i++)
        mean = snMulAdd(mean, weight[i], model->rest[part->vertex[i]]);
    for (int i = 0; i < part->vertexCount; i++) {
        snVec3 d = snSub(model->rest[part->vertex[i]], mean);
        moments = snAddMM(moments, snOuter(snScale(weight[i], d), d));
    }
    snEigenSymmetric3(moments, &extent, &axes);
    return extent.y > 1e-4 * extent.x;
}

// The weights of a fitted frame, which sum to 1: by region weight and mass, or by mass alone where
// the region has too few vertices of its own.
static bool findWeights(const snLatticeModel *model, const snRegions *regions, int region,
                        double *weight)
{
    const snLinearPart *part = &model->linear->parts[region];
    for (int attempt = 0; attempt < 2; attempt++) {
        double sum = 0;
        for (int i = 0; i < part->vertexCount; i++) {
            int v = part->vertex[i];
            weight[i] = model->mass[v];
            if (attempt == 0) weight[i] *= regionWeight(regions, model->vertexOf[v], region);
            sum += weight[i];
        }
        if (!(sum > 0)) continue;
        for (int i = 0; i < part->vertexCount; i++)
            weight[i] /= sum;
        if (holdsFrame(model, part, weight)) return true;
    }
    return false;
}

snStatus snFrames_Build(snLatticeModel *model, const snRegions *regions, snMotion motion,
                        snError *error)
{
    snLinear *linear = model->linear;
    linear->blend->fit = SN_NEW(&model->arena, double *, linear->partCount);
    if (!linear->blend->fit) return snFailMemory(error);
    for (int p = 0; p < linear->partCount; p++) {
        const snLinearPart *part = &linear->parts[p];
        if (motion == SN_MOTION_SECONDARY || regions->frames == SN_FRAMES_JOINTS) continue;
        if (regions->frames == SN_FRAMES_AUTO && isLed(model, regions, p)) continue;
        double *weight = SN_NEW(&model->arena, double, part->vertexCount);
        if (!weight) return snFailMemory(error);
        if (findWeights(model, regions, p, weight)) linear->blend->fit[p] = weight;
    }
    return SN_OK;
}

static snVec3 positionOf(const snFrameSource *source, int vertex)
{
    const snLatticeState *state = source->state;
    bool free = vertex < source->model->freeCount;
    size_t at = snLatticeState_At(state, vertex, 0, source->lane), l = (size_t)state->lanes;
    const double *x = (free ? state->position : source->known) + at, *v = state->velocity + at;
    return snMulAdd(snVec(x[0], x[l], x[2 * l]), free ? source->ahead : 0,
                    snVec(v[0], v[l], v[2 * l]));
}

static snAffine fit(const snFrameSource *source, const snLinearPart *part, const double *weight)
{
    const snVec3 *rest = source->model->rest;
    snVec3 x = {0, 0, 0}, r = {0, 0, 0};
    for (int i = 0; i < part->vertexCount; i++) {
        x = snMulAdd(x, weight[i], positionOf(source, part->vertex[i]));
        r = snMulAdd(r, weight[i], rest[part->vertex[i]]);
    }
    snMat3 sum = snDiagonal3(0, 0, 0);
    for (int i = 0; i < part->vertexCount; i++) {
        snVec3 now = snSub(positionOf(source, part->vertex[i]), x);
        snVec3 then = snSub(rest[part->vertex[i]], r);
        sum = snAddMM(sum, snOuter(snScale(weight[i], now), then));
    }
    snMat3 rotation = snPolar(sum, NULL);
    return (snAffine){rotation, snSub(x, snMulMV(rotation, r))};
}

bool snFrames_Find(const snFrameSource *source, int part, snAffine *frame)
{
    const snLinear *linear = source->model->linear;
    if (linear->blend->fit[part]) {
        *frame = fit(source, &linear->parts[part], linear->blend->fit[part]);
        return snIsFinite3(frame->origin);
    }
    if (!source->joints) return false;
    const snAffine *joint = &source->joints[linear->blend->joint[part]];
    if (!isfinite(snNormSquaredM(joint->linear)) || !snIsFinite3(joint->origin)) return false;
    *frame = (snAffine){snPolar(joint->linear, NULL), joint->origin};
    return true;
}
