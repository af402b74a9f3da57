// Morph targets from corrections and weights. K is the least number of targets for which no vertex is
// farther than the tolerance after skinning, in any frame and in any middle between two frames.
//     With W the weights [samples][K] and D the corrections [samples], the best targets are
//         T = (WᵀW)⁻¹ Wᵀ D = Σ_samples ((WᵀW)⁻¹ w) d,
// which is the components themselves where these were found by all vertices. Corrections of normals ride on
// the same weights and are fitted in the same way.
//     In middles a player shows weights between those of the frames. Where that is not near enough (fast
// motion), more targets do not help: the clip gets keys in the middles too.
#include "bake/soft_parts.h"

#include "core/error.h"
#include "core/tasks.h"
#include "numerics/dense.h"

#include <string.h>

#define ROWS 8 // samples that are added at a time, so that targets are read and written less often
#define BLOCK 1024 // numbers of a target in a piece of work

// ---- least squares ------------------------------------------------------------------------------------

typedef struct Fit {
    int count;       // targets
    size_t size;     // numbers in each
    float *out;      // [count][size]
    double *square;  // [count * count], WᵀW, factored
    double *column;  // [count]
    int rowCount;    // that wait
    float *rows;     // [ROWS][size]
    float *products; // [count][ROWS], (WᵀW)⁻¹ w of each
    const snSoftKernels *kernels;
} Fit;

// What comes out in an arena that stays, the rest in one that may go.
static snStatus makeFit(const snSoftWork *w, snSoftMeshWork *mesh, Fit *fit, snArena *scratch,
                        snError *error)
{
    size_t k = (size_t)fit->count;
    fit->size = 3 * (size_t)mesh->vertexCount;
    fit->out = SN_NEW(&mesh->fitted, float, k * fit->size);
    fit->square = SN_NEW(scratch, double, k *k);
    fit->column = SN_NEW(scratch, double, k);
    fit->products = SN_NEW(scratch, float, k *ROWS);
    fit->rows = mesh->rows;
    fit->kernels = w->kernels;
    bool good = fit->out && fit->square && fit->column && fit->products;
    return good ? SN_OK : snFailMemory(error);
}

static void addSquare(Fit *fit, const float *weights)
{
    size_t k = (size_t)fit->count;
    for (size_t j = 0; j < k; j++)
        for (size_t i = j; i < k; i++)
            fit->square[j * k + i] += (double)weights[i] * (double)weights[j];
}

// Weights that hardly act get nothing: `small`, of all, is added to each.
static snStatus factorFit(const snSoftWork *w, const snSoftMeshWork *mesh, Fit *fit, bool middles,
                          double small, snError *error)
{
    size_t k = (size_t)fit->count, stride = (size_t)mesh->components.count;
    for (size_t f = 0; f < (size_t)w->frameCount; f++)
        addSquare(fit, mesh->weights + f * stride);
    for (size_t f = 0; middles && f < (size_t)w->middleCount; f++)
        addSquare(fit, mesh->middleWeights + f * stride);
    double trace = 0;
    for (size_t i = 0; i < k; i++)
        trace += fit->square[i * k + i];
    for (size_t i = 0; i < k; i++)
        fit->square[i * k + i] += small * trace + 1e-300;
    return snDenseCholesky(fit->count, fit->square, error);
}

// out_k += Σ_rows product_k row, block by block.
static void addBlocks(int begin, int end, int worker, void *context)
{
    (void)worker;
    Fit *fit = context;
    for (int b = begin; b < end; b++) {
        size_t first = (size_t)b * BLOCK, rest = fit->size - first;
        size_t width = rest < BLOCK ? rest : BLOCK;
        for (int k = 0; k < fit->count; k++) {
            snRowSum sum = {fit->rows + first, fit->size, fit->products + k * ROWS, fit->rowCount};
            fit->kernels->add(&sum, width, fit->out + (size_t)k * fit->size + first);
        }
    }
}

static void flushFit(const snSoftWork *w, Fit *fit)
{
    int blocks = (int)((fit->size + BLOCK - 1) / BLOCK);
    if (fit->rowCount) snParallelFor(&w->context->tasks, blocks, 4, addBlocks, fit);
    fit->rowCount = 0;
}

static float *nextRow(const Fit *fit)
{
    return fit->rows + (size_t)fit->rowCount * fit->size;
}

static void pushFit(const snSoftWork *w, Fit *fit, const float *weights)
{
    for (int k = 0; k < fit->count; k++)
        fit->column[k] = (double)weights[k];
    snDenseCholesky_Solve(fit->count, fit->square, fit->column);
    for (int k = 0; k < fit->count; k++)
        fit->products[k * ROWS + fit->rowCount] = (float)fit->column[k];
    if (++fit->rowCount == ROWS) flushFit(w, fit);
}

static snStatus makeRows(snSoftWork *w, snSoftMeshWork *mesh, snError *error)
{
    if (!mesh->rows) mesh->rows = SN_NEW(&w->arena, float, ROWS * 3 * (size_t)mesh->vertexCount);
    return mesh->rows ? SN_OK : snFailMemory(error);
}

// ---- targets and their number -------------------------------------------------------------------------

// What is being chosen, mesh by mesh.
typedef struct Choice {
    int *needs;          // [pieces]
    snSoftLeft left;     // in samples with weights of their own
    snSoftLeft *between; // [clips], in middles with weights between those of the frames
    Fit fit;
    bool thinned; // targets are not the components themselves
    bool open;    // not chosen yet
} Choice;

static bool makeLeft(const snSoftMeshWork *mesh, snSoftLeft *left, int last, snArena *scratch)
{
    size_t count = (size_t)(last + 1) * (size_t)snSoft_Pieces(mesh);
    *left = (snSoftLeft){mesh->targetCount, last, SN_NEW(scratch, float, count)};
    return left->squares != NULL;
}

static snStatus makeLefts(const snSoftWork *w, const snSoftMeshWork *mesh, Choice *choice, int last,
                          snArena *scratch, snError *error)
{
    bool good = makeLeft(mesh, &choice->left, last, scratch);
    for (int i = 0; i < w->bake->clipCount && good; i++)
        good = makeLeft(mesh, &choice->between[i], last, scratch);
    return good ? SN_OK : snFailMemory(error);
}

static snStatus weighSample(snSoftWork *w, int m, snSoftSample at, void *user, snError *error)
{
    Choice *choice = user;
    snSoftMeshWork *mesh = &w->meshes[m];
    float *weights = snSoft_Weights(w, mesh, at);
    (void)error;
    snSoft_SetWeights(w, mesh, weights);
    mesh->targetCount = snSoft_Need(w, mesh, weights, mesh->targetCount, choice[m].needs);
    return SN_OK;
}

// Weights of all samples, and a number of targets that can only be too low: fewer are too few for one
// sample or another, by the vertices that gave the components.
static snStatus weigh(snSoftWork *w, Choice *choice, snError *error)
{
    for (int m = 0; m < w->meshCount; m++) {
        snSoftMeshWork *mesh = &w->meshes[m];
        size_t count = (size_t)mesh->components.count;
        choice[m].thinned = mesh->thinning > 1;
        choice[m].open = true;
        choice[m].needs = SN_NEW(&w->arena, int, snSoft_Pieces(mesh));
        choice[m].between = SN_NEW(&w->arena, snSoftLeft, w->bake->clipCount);
        mesh->targets = mesh->components.rows;
        mesh->weights = SN_NEW(&w->arena, float, count *(size_t)w->frameCount);
        mesh->middleWeights = SN_NEW(&w->arena, float, count *(size_t)w->middleCount);
        mesh->betweenErrors = SN_NEW(&w->arena, double, w->bake->clipCount);
        if (!mesh->betweenErrors || !mesh->weights || !mesh->middleWeights || !choice[m].needs ||
            !choice[m].between)
            return snFailMemory(error);
    }
    return snSoft_Visit(w, true, weighSample, choice, error);
}

static snStatus fitSample(snSoftWork *w, int m, snSoftSample at, void *user, snError *error)
{
    Choice *choice = user;
    const snSoftMeshWork *mesh = &w->meshes[m];
    Fit *fit = &choice[m].fit;
    (void)error;
    if (!choice[m].open || !choice[m].thinned) return SN_OK;
    memcpy(nextRow(fit), mesh->wanted, fit->size * sizeof(float));
    pushFit(w, fit, snSoft_Weights(w, mesh, at));
    return SN_OK;
}

static snStatus leaveSample(snSoftWork *w, int m, snSoftSample at, void *user, snError *error)
{
    Choice *choice = user;
    snSoftMeshWork *mesh = &w->meshes[m];
    (void)error;
    if (!choice[m].open) return SN_OK;
    snSoft_FindLeft(w, mesh, snSoft_Weights(w, mesh, at), NULL, &choice[m].left);
    if (at.middle) snSoft_FindBetween(w, mesh, at, &choice[m].between[at.clip]);
    return SN_OK;
}

// Room for a few more targets than seem to be needed, where those of the try before were.
static snStatus beginTry(snSoftWork *w, Choice *choice, int most, snArena *scratch, snError *error)
{
    snStatus status = SN_OK;
    for (int m = 0; m < w->meshCount && !status; m++) {
        snSoftMeshWork *mesh = &w->meshes[m];
        int count = mesh->targetCount + mesh->targetCount / 8 + most;
        if (!choice[m].open) continue;
        if (count > mesh->components.count) count = mesh->components.count;
        choice[m].fit = (Fit){.count = count};
        snArena_Destroy(&mesh->fitted);
        mesh->targets = mesh->components.rows;
        if (choice[m].thinned) status = makeRows(w, mesh, error);
        if (choice[m].thinned && !status) status = makeFit(w, mesh, &choice[m].fit, scratch, error);
        if (choice[m].thinned && !status)
            status = factorFit(w, mesh, &choice[m].fit, true, 1e-13, error);
        if (!status) status = makeLefts(w, mesh, &choice[m], count, scratch, error);
    }
    return status;
}

// What they leave; true where some mesh needs more still.
static bool endTry(snSoftWork *w, Choice *choice)
{
    double tolerance = w->def->tolerance * w->bake->flesh->height;
    bool again = false;
    for (int m = 0; m < w->meshCount; m++) {
        snSoftMeshWork *mesh = &w->meshes[m];
        if (!choice[m].open) continue;
        mesh->targetCount = snSoft_FewestTargets(w, mesh, &choice[m].left);
        mesh->keyError = snSoft_Left(mesh, &choice[m].left, mesh->targetCount);
        for (int i = 0; i < w->bake->clipCount; i++)
            mesh->betweenErrors[i] = snSoft_Left(mesh, &choice[m].between[i], mesh->targetCount);
        choice[m].open = mesh->keyError > tolerance && choice[m].fit.count < mesh->components.count;
        again |= choice[m].open;
    }
    return again;
}

// Targets of thinned meshes at all their vertices.
static snStatus fitThinned(snSoftWork *w, Choice *choice, snError *error)
{
    bool any = false;
    for (int m = 0; m < w->meshCount; m++)
        any |= choice[m].open && choice[m].thinned;
    snStatus status = any ? snSoft_Visit(w, true, fitSample, choice, error) : SN_OK;
    for (int m = 0; m < w->meshCount && !status; m++) {
        if (!choice[m].open || !choice[m].thinned) continue;
        flushFit(w, &choice[m].fit);
        w->meshes[m].targets = choice[m].fit.out;
    }
    return status;
}

static snStatus fitTargets(snSoftWork *w, Choice *choice, snError *error)
{
    snStatus status = SN_OK;
    bool again = w->meshCount > 0;
    snArena scratch = {.allocator = w->arena.allocator};
    for (int most = 2; again && !status; most *= 4) {
        snArena_Destroy(&scratch);
        status = beginTry(w, choice, most, &scratch, error);
        if (!status) status = fitThinned(w, choice, error);
        if (!status) status = snSoft_Visit(w, true, leaveSample, choice, error);
        if (!status) again = endTry(w, choice);
    }
    snArena_Destroy(&scratch);
    return status;
}

// ---- keys ---------------------------------------------------------------------------------------------

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
    Choice *choice = SN_NEW(&w->arena, Choice, w->meshCount);
    if (!choice) return snFailMemory(error);
    snStatus status = weigh(w, choice, error);
    snSoft_Thin(w, false);
    if (!status) status = fitTargets(w, choice, error);
    if (!status) chooseKeys(w);
    return status;
}

// ---- normals --------------------------------------------------------------------------------------------

static snStatus addNormals(snSoftWork *w, int m, snSoftSample at, void *user, snError *error)
{
    snSoftMeshWork *mesh = &w->meshes[m];
    Fit *fit = (Fit *)user + m;
    (void)error;
    if (!mesh->normals) return SN_OK;
    snSoft_FindNormals(w, mesh, nextRow(fit));
    pushFit(w, fit, snSoft_Weights(w, mesh, at));
    return SN_OK;
}

static snStatus beginNormals(snSoftWork *w, snSoftMeshWork *mesh, Fit *fit, snError *error)
{
    fit->count = mesh->targetCount;
    snStatus status = makeRows(w, mesh, error);
    if (!status) status = makeFit(w, mesh, fit, &w->arena, error);
    if (!status) status = factorFit(w, mesh, fit, false, 1e-9, error);
    if (!status) status = snSoft_GroupNormals(w, mesh, error);
    mesh->rig = SN_NEW(&w->arena, snVec3, mesh->vertexCount);
    if (!status && !mesh->rig) status = snFailMemory(error);
    mesh->normals = fit->out;
    return status;
}

snStatus snSoft_FitNormals(snSoftWork *w, snError *error)
{
    Fit *fits = SN_NEW(&w->arena, Fit, w->meshCount);
    snStatus status = fits ? SN_OK : snFailMemory(error);
    bool any = false;
    for (int m = 0; m < w->meshCount && !status; m++) {
        snSoftMeshWork *mesh = &w->meshes[m];
        if (!mesh->hasNormals || mesh->targetCount == 0) continue;
        status = beginNormals(w, mesh, &fits[m], error);
        any = true;
    }
    if (!any || status) return status;
    status = snSoft_Visit(w, false, addNormals, fits, error);
    for (int m = 0; m < w->meshCount && !status; m++)
        if (w->meshes[m].normals) flushFit(w, &fits[m]);
    return status;
}
