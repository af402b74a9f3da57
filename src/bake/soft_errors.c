// How far a number of targets is from the bake after skinning: in samples with weights of their own, and
// in middles between frames that have weights alone.
#include "bake/soft_parts.h"

#include "core/tasks.h"

#define GRAIN SN_SOFT_GRAIN

// A piece of the mesh: what is missing in the world, less one target after another.
typedef struct LeftTask {
    const snSoftMeshWork *mesh;
    const float *weights;
    snSoftLeft *left;
} LeftTask;

typedef struct LeftPiece {
    float e[3][GRAIN], m[9][GRAIN]; // what is missing, and M column by column
    float sum[3][GRAIN];            // of targets, before skinning
} LeftPiece;

static void loadPiece(const snSoftMeshWork *mesh, int begin, int count, LeftPiece *piece)
{
    for (int i = 0; i < count; i++) {
        snVec3f e = snToF(mesh->offset[begin + i]);
        const snMat3 *m = &mesh->matrix[begin + i];
        snVec3f column[3] = {snToF(m->cx), snToF(m->cy), snToF(m->cz)};
        piece->e[0][i] = e.x;
        piece->e[1][i] = e.y;
        piece->e[2][i] = e.z;
        for (int a = 0; a < 3; a++) {
            piece->m[3 * a][i] = column[a].x;
            piece->m[3 * a + 1][i] = column[a].y;
            piece->m[3 * a + 2][i] = column[a].z;
        }
    }
}

static float largestSquare(const LeftPiece *piece, int count)
{
    float worst[8] = {0};
    for (int i = 0; i < count; i++) {
        float x = piece->e[0][i], y = piece->e[1][i], z = piece->e[2][i];
        float square = x * x + y * y + z * z;
        worst[i % 8] = square > worst[i % 8] ? square : worst[i % 8];
    }
    for (int l = 1; l < 8; l++)
        if (worst[l] > worst[0]) worst[0] = worst[l];
    return worst[0];
}

// e -= M d, d times a weight.
static void takeOff(LeftPiece *piece, int count, const float *d[3], float weight)
{
    for (int a = 0; a < 3; a++)
        for (int i = 0; i < count; i++)
            piece->e[a][i] -= weight * (piece->m[a][i] * d[0][i] + piece->m[3 + a][i] * d[1][i] +
                                        piece->m[6 + a][i] * d[2][i]);
}

// Σ_k<count w_k T_k of a piece.
static void addTargets(const snSoftMeshWork *mesh, int count, const float *weights, int begin,
                       int size, float sum[3][GRAIN])
{
    size_t n = (size_t)mesh->entryCount;
    for (int a = 0; a < 3; a++)
        for (int i = 0; i < size; i++)
            sum[a][i] = 0;
    for (int k = 0; k < count; k++)
        for (size_t a = 0; a < 3; a++) {
            const float *row = mesh->targets + ((size_t)k * 3 + a) * n + (size_t)begin;
            for (int i = 0; i < size; i++)
                sum[a][i] += weights[k] * row[i];
        }
}

static void findLeft(int begin, int end, int worker, void *context)
{
    (void)worker;
    LeftTask *t = context;
    const snSoftMeshWork *mesh = t->mesh;
    int first = t->left->first, last = t->left->last, count = end - begin;
    size_t n = (size_t)mesh->entryCount;
    LeftPiece piece;
    float *left = t->left->squares + (size_t)(begin / GRAIN) * (size_t)(last + 1);
    loadPiece(mesh, begin, count, &piece);
    if (first > 0) {
        const float *sum[3] = {piece.sum[0], piece.sum[1], piece.sum[2]};
        addTargets(mesh, first, t->weights, begin, count, piece.sum);
        takeOff(&piece, count, sum, 1);
    }
    for (int k = first; k <= last; k++) {
        float square = largestSquare(&piece, count);
        if (square > left[k]) left[k] = square;
        if (k == last) break;
        const float *x = mesh->targets + (size_t)k * 3 * n + (size_t)begin;
        const float *d[3] = {x, x + n, x + 2 * n};
        takeOff(&piece, count, d, t->weights[k]);
    }
}

int snSoft_Pieces(const snSoftMeshWork *mesh)
{
    return (mesh->vertexCount + GRAIN - 1) / GRAIN;
}

void snSoft_FindLeft(const snSoftWork *w, const snSoftMeshWork *mesh, const float *weights,
                     snSoftLeft *left)
{
    LeftTask task = {mesh, weights, left};
    snParallelFor(&w->context->tasks, mesh->entryCount, GRAIN, findLeft, &task);
}

int snSoft_FewestTargets(const snSoftWork *w, const snSoftMeshWork *mesh, const snSoftLeft *left,
                         double *error)
{
    double tolerance = w->def->tolerance * w->bake->flesh->height;
    int pieces = snSoft_Pieces(mesh), k = left->first;
    for (;; k++) {
        float worst = 0;
        for (int p = 0; p < pieces; p++) {
            float here = left->squares[(size_t)p * (size_t)(left->last + 1) + (size_t)k];
            if (here > worst) worst = here;
        }
        *error = sqrt((double)worst);
        if (*error <= tolerance || k == left->last) return k;
    }
}

// ---- middles of clips whose weights have keys in the frames alone ----------------------------------------

typedef struct BetweenTask {
    const snSoftMeshWork *mesh;
    const float *weights; // half of those of the frames on both sides: what is shown
    double *worst;        // [pieces], largest square of the distance
} BetweenTask;

// offset - M (Σ w_k T_k + shift) for every vertex of a piece.
static void compareBetween(int begin, int end, int worker, void *context)
{
    (void)worker;
    BetweenTask *t = context;
    const snSoftMeshWork *mesh = t->mesh;
    float sum[3][GRAIN];
    addTargets(mesh, mesh->targetCount, t->weights, begin, end - begin, sum);
    double worst = 0;
    for (int i = 0; i < end - begin; i++) {
        snVec3 d = {(double)sum[0][i], (double)sum[1][i], (double)sum[2][i]};
        if (mesh->shift) d = snAdd(d, mesh->shift[begin + i]);
        snVec3 missed = snSub(mesh->offset[begin + i], snMulMV(mesh->matrix[begin + i], d));
        double square = snDot(missed, missed);
        if (square > worst) worst = square;
    }
    t->worst[begin / GRAIN] = worst;
}

double snSoft_Between(snSoftWork *w, snSoftMeshWork *mesh, snSoftSample at, double *scratch)
{
    const float *before = snSoft_Weights(w, mesh, (snSoftSample){at.clip, at.frame, false});
    const float *after = before + mesh->components.count;
    float weights[SN_MOST_COMPONENTS];
    double worst = 0;
    for (int k = 0; k < mesh->targetCount; k++)
        weights[k] = 0.5f * (before[k] + after[k]);
    BetweenTask task = {mesh, weights, scratch};
    if (mesh->shift) snSoft_FindShift(w, mesh, at);
    snParallelFor(&w->context->tasks, mesh->entryCount, GRAIN, compareBetween, &task);
    for (int p = 0; p < snSoft_Pieces(mesh); p++)
        if (scratch[p] > worst) worst = scratch[p];
    return sqrt(worst);
}
