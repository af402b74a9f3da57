// Morph targets from corrections. The rows d(frame) of a mesh have principal components V_k; with weights
// w_k = V_k · d the sum Σ_k<K w_k V_k is the best that K targets can do in the sum of squares. K is the least
// for which no vertex is farther than the tolerance after skinning, in any frame and in any
// middle between two frames.
//     In middles a player shows weights between those of the frames. Where that is not near enough (fast
// motion), more targets do not help: the clip gets keys in the middles too.
#include "bake/soft_parts.h"

#include "core/error.h"
#include "core/tasks.h"
#include "numerics/dense.h"

#include <string.h>

#define GRAIN 1024 // vertices in a piece of work

// ---- components -------------------------------------------------------------------------------------

// The most that M enlarges: with S = MᵀM and m = tr S / 3, the largest eigenvalue of S is at most
// m + sqrt(2/3) |S - m 1|.
static double largestStretch(snMat3 m)
{
    snMat3 s = snMulTMM(m, m);
    double mean = snTrace(s) / 3;
    snMat3 rest = snAddMM(s, snDiagonal3(-mean, -mean, -mean));
    return sqrt(mean + sqrt(2.0 / 3.0 * snNormSquaredM(rest)));
}

// Calls `visit` for every sample and mesh, clip after clip in the order of time.
typedef snStatus Visit(snSoftWork *w, int mesh, snSoftSample at, void *user, snError *error);

static snStatus visitSamples(snSoftWork *w, bool middles, Visit *visit, void *user, snError *error)
{
    snStatus status = SN_OK;
    for (int i = 0; i < w->bake->clipCount; i++) {
        const snBakedClip *clip = &w->bake->clips[i];
        int count = 2 * clip->frameCount - 1, step = middles && clip->middles ? 1 : 2;
        for (int s = 0; s < count && !status; s += step) {
            snSoftSample at = {i, s / 2, s % 2};
            snSoft_SetSample(w, at);
            for (int m = 0; m < w->meshCount && !status; m++)
                status = visit(w, m, at, user, error);
        }
    }
    return status;
}

// By the first frames of all clips.
static void findStretches(snSoftWork *w)
{
    for (int i = 0; i < w->bake->clipCount; i++) {
        snSoft_SetSample(w, (snSoftSample){.clip = i});
        for (int m = 0; m < w->meshCount; m++)
            for (int v = 0; v < w->meshes[m].vertexCount; v++)
                w->meshes[m].stretch =
                    fmax(w->meshes[m].stretch, largestStretch(w->meshes[m].matrix[v]));
    }
}

// Components too small to be seen are not carried along: all that is dropped changes no vertex by more
// than a small part of the tolerance. One target is left for what lifts weights above 0 (soft_write.c).
static snStatus makeComponents(snSoftWork *w, snSoftMeshWork *mesh, snError *error)
{
    double tolerance = w->def->tolerance * w->bake->flesh->height;
    snComponentsDef def = {.size = 3 * mesh->vertexCount,
                           .rowCount = w->frameCount + w->middleCount,
                           .most = w->def->mostTargets - (w->def->mostTargets > 1),
                           .smallest = 0.02 * tolerance / (mesh->stretch + 1e-300)};
    return snComponents_Make(&mesh->components, &def, &w->context->tasks, &w->arena, error);
}

static snStatus pushRow(snSoftWork *w, int m, snSoftSample at, void *user, snError *error)
{
    snSoftMeshWork *mesh = &w->meshes[m];
    (void)at;
    (void)user;
    memcpy(snComponents_Next(&mesh->components), mesh->wanted,
           3 * (size_t)mesh->vertexCount * sizeof(float));
    return snComponents_Push(&mesh->components, error);
}

snStatus snSoft_FindComponents(snSoftWork *w, snError *error)
{
    snStatus status = SN_OK;
    findStretches(w);
    for (int m = 0; m < w->meshCount && !status; m++)
        status = makeComponents(w, &w->meshes[m], error);
    if (!status) status = visitSamples(w, true, pushRow, NULL, error);
    for (int m = 0; m < w->meshCount && !status; m++)
        status = snComponents_Finish(&w->meshes[m].components, error);
    return status;
}

// ---- weights, and the error after each component --------------------------------------------------------

typedef struct WeightTask {
    const snSoftMeshWork *mesh;
    float *weights; // [components], of this sample
} WeightTask;

static void findWeights(int begin, int end, int worker, void *context)
{
    (void)worker;
    WeightTask *t = context;
    size_t n = 3 * (size_t)t->mesh->vertexCount;
    for (int k = begin; k < end; k++) {
        const float *row = t->mesh->components.rows + (size_t)k * n;
        t->weights[k] = (float)snDotFloats(row, t->mesh->wanted, n);
    }
}

static void setWeights(const snSoftWork *w, const snSoftMeshWork *mesh, float *weights)
{
    WeightTask task = {mesh, weights};
    snParallelFor(&w->context->tasks, mesh->components.count, 4, findWeights, &task);
}

// A piece of the mesh: what is missing in the world, less one component after another.
typedef struct LeftTask {
    const snSoftMeshWork *mesh;
    const float *weights;
    float *left; // [pieces][components + 1], largest |offset - M Σ_j<k w_j V_j|² of each piece
} LeftTask;

typedef struct LeftPiece {
    float e[3][GRAIN], m[9][GRAIN]; // what is missing, and M column by column
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

static void findLeft(int begin, int end, int worker, void *context)
{
    (void)worker;
    LeftTask *t = context;
    const snSoftMeshWork *mesh = t->mesh;
    int components = mesh->components.count, count = end - begin;
    size_t n = (size_t)mesh->vertexCount;
    LeftPiece piece;
    float *left = t->left + (size_t)(begin / GRAIN) * (size_t)(components + 1);
    loadPiece(mesh, begin, count, &piece);
    for (int k = 0; k <= components; k++) {
        float square = largestSquare(&piece, count);
        if (square > left[k]) left[k] = square;
        if (k == components) break;
        const float *x = mesh->components.rows + (size_t)k * 3 * n + (size_t)begin;
        float w = t->weights[k];
        for (int a = 0; a < 3; a++)
            for (int i = 0; i < count; i++)
                piece.e[a][i] -= w * (piece.m[a][i] * x[i] + piece.m[3 + a][i] * x[n + (size_t)i] +
                                      piece.m[6 + a][i] * x[2 * n + (size_t)i]);
    }
}

static int pieceCount(const snSoftMeshWork *mesh)
{
    return (mesh->vertexCount + GRAIN - 1) / GRAIN;
}

// The fewest components that leave no more than the tolerance in any sample.
static void chooseCount(const snSoftWork *w, snSoftMeshWork *mesh, const float *left)
{
    double tolerance = w->def->tolerance * w->bake->flesh->height;
    int components = mesh->components.count, pieces = pieceCount(mesh), k = 0;
    for (;; k++) {
        float worst = 0;
        for (int p = 0; p < pieces; p++) {
            float here = left[p * (components + 1) + k];
            if (here > worst) worst = here;
        }
        mesh->keyError = sqrt((double)worst);
        if (mesh->keyError <= tolerance || k == components) break;
    }
    mesh->targetCount = k;
}

static float *weightsOf(const snSoftWork *w, const snSoftMeshWork *mesh, snSoftSample at)
{
    size_t count = (size_t)mesh->components.count;
    return at.middle ? mesh->middleWeights + (size_t)(w->firstMiddle[at.clip] + at.frame) * count
                     : mesh->weights + (size_t)(w->firstFrame[at.clip] + at.frame) * count;
}

static snStatus weighSample(snSoftWork *w, int m, snSoftSample at, void *user, snError *error)
{
    snSoftMeshWork *mesh = &w->meshes[m];
    float **left = user, *weights = weightsOf(w, mesh, at);
    LeftTask task = {mesh, weights, left[m]};
    (void)error;
    setWeights(w, mesh, weights);
    snParallelFor(&w->context->tasks, mesh->vertexCount, GRAIN, findLeft, &task);
    return SN_OK;
}

static snStatus weigh(snSoftWork *w, snError *error)
{
    float **left = SN_NEW(&w->arena, float *, w->meshCount);
    if (!left) return snFailMemory(error);
    for (int m = 0; m < w->meshCount; m++) {
        snSoftMeshWork *mesh = &w->meshes[m];
        size_t count = (size_t)mesh->components.count;
        mesh->weights = SN_NEW(&w->arena, float, count *(size_t)w->frameCount);
        mesh->middleWeights = SN_NEW(&w->arena, float, count *(size_t)w->middleCount);
        left[m] = SN_NEW(&w->arena, float, (count + 1) * (size_t)pieceCount(mesh));
        if (!mesh->weights || !mesh->middleWeights || !left[m]) return snFailMemory(error);
    }
    snStatus status = visitSamples(w, true, weighSample, left, error);
    for (int m = 0; m < w->meshCount && !status; m++)
        chooseCount(w, &w->meshes[m], left[m]);
    return status;
}

// ---- middles of clips whose weights have keys in the frames alone ----------------------------------------

typedef struct BetweenTask {
    const snSoftMeshWork *mesh;
    const float *from, *to; // weights of the frames on both sides; what is shown is half of each
    double *worst;          // [pieces], largest square of the distance
} BetweenTask;

// offset - M (Σ w_k V_k + shift) for every vertex of a piece.
static void compareBetween(int begin, int end, int worker, void *context)
{
    (void)worker;
    BetweenTask *t = context;
    const snSoftMeshWork *mesh = t->mesh;
    size_t n = (size_t)mesh->vertexCount;
    int count = end - begin;
    float sum[3][GRAIN] = {{0}};
    for (int k = 0; k < mesh->targetCount; k++) {
        float weight = 0.5f * (t->from[k] + t->to[k]);
        for (size_t a = 0; a < 3; a++) {
            const float *row = mesh->components.rows + ((size_t)k * 3 + a) * n + (size_t)begin;
            for (int i = 0; i < count; i++)
                sum[a][i] += weight * row[i];
        }
    }
    double worst = 0;
    for (int i = 0; i < count; i++) {
        snVec3 d = {(double)sum[0][i], (double)sum[1][i], (double)sum[2][i]};
        if (mesh->shift) d = snAdd(d, mesh->shift[begin + i]);
        snVec3 missed = snSub(mesh->offset[begin + i], snMulMV(mesh->matrix[begin + i], d));
        double square = snDot(missed, missed);
        if (square > worst) worst = square;
    }
    t->worst[begin / GRAIN] = worst;
}

static snStatus measureBetween(snSoftWork *w, int m, snSoftSample at, void *user, snError *error)
{
    snSoftMeshWork *mesh = &w->meshes[m];
    double *scratch = user, *worst = &mesh->betweenErrors[at.clip];
    (void)error;
    if (!at.middle) return SN_OK;
    const float *before = weightsOf(w, mesh, (snSoftSample){at.clip, at.frame, false});
    BetweenTask task = {mesh, before, before + mesh->components.count, scratch};
    if (mesh->shift) snSoft_FindShift(w, mesh, at);
    snParallelFor(&w->context->tasks, mesh->vertexCount, GRAIN, compareBetween, &task);
    for (int p = 0; p < pieceCount(mesh); p++)
        if (sqrt(scratch[p]) > *worst) *worst = sqrt(scratch[p]);
    return SN_OK;
}

// A clip gets keys in the middles when any mesh needs them there, and they help.
static void chooseKeys(snSoftWork *w)
{
    double tolerance = w->def->tolerance * w->bake->flesh->height;
    for (int i = 0; i < w->bake->clipCount; i++)
        for (int m = 0; m < w->meshCount; m++)
            if (w->meshes[m].betweenErrors[i] > tolerance &&
                w->meshes[m].betweenErrors[i] > w->meshes[m].keyError)
                w->dense[i] = true;
}

snStatus snSoft_ChooseTargets(snSoftWork *w, snError *error)
{
    int pieces = 1;
    for (int m = 0; m < w->meshCount; m++) {
        snSoftMeshWork *mesh = &w->meshes[m];
        mesh->betweenErrors = SN_NEW(&w->arena, double, w->bake->clipCount);
        if (!mesh->betweenErrors) return snFailMemory(error);
        if (pieceCount(mesh) > pieces) pieces = pieceCount(mesh);
    }
    double *scratch = SN_NEW(&w->arena, double, pieces);
    if (!scratch) return snFailMemory(error);
    snStatus status = weigh(w, error);
    if (!status && w->middleCount) status = visitSamples(w, true, measureBetween, scratch, error);
    if (!status) chooseKeys(w);
    return status;
}

// ---- normals --------------------------------------------------------------------------------------------

// Corrections of normals ride on the same weights: with W the weights [frames][targets] and Δ the
// wanted corrections [frames], the best targets N = (WᵀW)⁻¹ Wᵀ Δ.
static snStatus solveNormals(snSoftWork *w, snSoftMeshWork *mesh, snError *error)
{
    size_t count = (size_t)mesh->components.count, n = 3 * (size_t)mesh->vertexCount;
    int targets = mesh->targetCount;
    size_t k = (size_t)targets;
    double *square = SN_NEW(&w->arena, double, k *k), *column = SN_NEW(&w->arena, double, k);
    if (!square || !column) return snFailMemory(error);
    for (size_t f = 0; f < (size_t)w->frameCount; f++)
        for (size_t j = 0; j < k; j++)
            for (size_t i = j; i < k; i++)
                square[j * k + i] +=
                    (double)mesh->weights[f * count + i] * (double)mesh->weights[f * count + j];
    double trace = 0;
    for (size_t i = 0; i < k; i++)
        trace += square[i * k + i];
    for (size_t i = 0; i < k; i++) // weights that hardly act get no normals of their own
        square[i * k + i] += 1e-9 * trace + 1e-300;
    snStatus status = snDenseCholesky(targets, square, error);
    for (size_t x = 0; x < n && !status; x++) {
        for (size_t i = 0; i < k; i++)
            column[i] = (double)mesh->normals[i * n + x];
        snDenseCholesky_Solve(targets, square, column);
        for (size_t i = 0; i < k; i++)
            mesh->normals[i * n + x] = (float)column[i];
    }
    return status;
}

static snStatus addNormals(snSoftWork *w, int m, snSoftSample at, void *user, snError *error)
{
    snSoftMeshWork *mesh = &w->meshes[m];
    (void)user;
    (void)error;
    if (!mesh->normals) return SN_OK;
    size_t n = 3 * (size_t)mesh->vertexCount;
    const float *weights = weightsOf(w, mesh, at);
    snSoft_FindNormals(w, mesh, mesh->wanted); // the positions' are not needed any more
    for (size_t k = 0; k < (size_t)mesh->targetCount; k++)
        for (size_t i = 0; i < n; i++)
            mesh->normals[k * n + i] += weights[k] * mesh->wanted[i];
    return SN_OK;
}

snStatus snSoft_FitNormals(snSoftWork *w, snError *error)
{
    bool any = false;
    for (int m = 0; m < w->meshCount; m++) {
        snSoftMeshWork *mesh = &w->meshes[m];
        if (!mesh->hasNormals || mesh->targetCount == 0) continue;
        mesh->normals =
            SN_NEW(&w->arena, float, 3 * (size_t)mesh->vertexCount * (size_t)mesh->targetCount);
        if (!mesh->normals) return snFailMemory(error);
        snStatus status = snSoft_GroupNormals(w, mesh, error);
        if (status) return status;
        any = true;
    }
    if (!any) return SN_OK;
    snStatus status = visitSamples(w, false, addNormals, NULL, error);
    for (int m = 0; m < w->meshCount && !status; m++)
        if (w->meshes[m].normals) status = solveNormals(w, &w->meshes[m], error);
    return status;
}
