#include "body/lattice/contact_rung.h"

#include "body/lattice/contact_parts.h"
#include "body/lattice/ladder.h"
#include "body/lattice/space.h"
#include "core/error.h"

#include <string.h>

#define GREEN_BYTES 64e6 // of S⁻¹ beyond the base's, unless two take more

// ---- columns of S⁻¹ -----------------------------------------------------------------------------

snStatus snGreenScratch_Make(snGreenScratch *work, const snLatticeContacts *c, snArena *arena,
                             const snContext *context, snError *error)
{
    size_t workers = context->tasks.workers > 1 ? (size_t)context->tasks.workers : 1;
    *work = (snGreenScratch){.rowSize = (size_t)c->model->vertexCount * 4,
                             .solveSize = snLatticeModel_SolveSize(c->model)};
    work->wanted = SN_NEW(arena, int, c->skinCount);
    work->rows = SN_NEW(arena, double, workers * work->rowSize);
    work->solve = SN_NEW(arena, double, workers * work->solveSize);
    return work->wanted && work->rows && work->solve ? SN_OK : snFailMemory(error);
}

snStatus snContactGreen_Alloc(snContactGreen *green, const snLatticeContacts *c, snArena *arena,
                              snError *error)
{
    size_t n = (size_t)c->skinCount;
    *green = (snContactGreen){.values = SN_NEW(arena, double, n *n),
                              .known = SN_NEW(arena, unsigned char, n)};
    return green->values && green->known ? SN_OK : snFailMemory(error);
}

typedef struct GreenJob {
    snContactGreen *green;
    const snLatticeContacts *contacts;
    const snGreenScratch *work;
    int count;
} GreenJob;

// Three columns at a time: one each in x, y and z.
static void findColumns(int begin, int end, int worker, void *context)
{
    GreenJob *job = context;
    const snLatticeContacts *c = job->contacts;
    const snGreenScratch *work = job->work;
    double *rows = work->rows + (size_t)worker * work->rowSize;
    double *solve = work->solve + (size_t)worker * work->solveSize;
    for (int first = 3 * begin; first < 3 * end && first < job->count; first += 3) {
        int count = job->count - first < 3 ? job->count - first : 3;
        const int *wanted = work->wanted + first;
        memset(rows, 0, work->rowSize * sizeof *rows);
        for (int i = 0; i < count; i++)
            rows[4 * (size_t)c->skin[wanted[i]] + (size_t)i] = 1;
        snLatticeModel_SolveRows(job->green->model, rows, solve);
        for (int i = 0; i < count; i++) {
            double *column = job->green->values + (size_t)wanted[i] * (size_t)c->skinCount;
            for (int k = 0; k < c->skinCount; k++)
                column[k] = rows[4 * (size_t)c->skin[k] + (size_t)i];
            job->green->known[wanted[i]] = 1;
        }
    }
}

void snContactGreen_Find(snContactGreen *green, const snLatticeContacts *c,
                         const snGreenScratch *work, int count, const snTasks *tasks)
{
    GreenJob job = {green, c, work, count};
    snParallelFor(tasks, (count + 2) / 3, 16, findColumns, &job);
}

void snContactRungs_Ask(const snLatticeContacts *c, int vertex)
{
    snContactRungs *rungs = c->rungs;
    int column = c->skinOf[vertex];
    if (column < 0 || c->green->known[column] || rungs->asked[column]) return;
    rungs->asked[column] = 1;
    rungs->work.wanted[rungs->wantedCount++] = column;
}

void snContactRungs_Find(snLatticeContacts *c)
{
    snContactRungs *rungs = c->rungs;
    if (!rungs || !rungs->wantedCount) return;
    snContactGreen_Find(c->green, c, &rungs->work, rungs->wantedCount, &c->model->context.tasks);
    for (int k = 0; k < rungs->wantedCount; k++)
        rungs->asked[rungs->work.wanted[k]] = 0;
    rungs->wantedCount = 0;
}

// ---- rungs --------------------------------------------------------------------------------------

void snContactRungs_Destroy(snContactRungs *rungs)
{
    if (!rungs) return;
    snArena_DestroyWithin(&rungs->arena);
}

static snStatus makeRung(snContactRung *rung, const snLatticeContacts *c,
                         const snLatticeModel *model, snArena *arena, const snContext *context,
                         snError *error)
{
    double ratio = model->def.step / c->base.model->def.step;
    snArena scratch = snMakeArena(context);
    *rung = (snContactRung){.model = model,
                            .stiffness = SN_NEW(arena, double, c->sampleCount),
                            .squared = ratio * ratio};
    snStatus status = rung->stiffness ? SN_OK : snFailMemory(error);
    if (!status && c->dual) {
        rung->give = SN_NEW(arena, double, c->sampleCount);
        if (!rung->give) status = snFailMemory(error);
    }
    if (!status) status = snContactRung_Find(rung, c, &scratch, context, error);
    snArena_Destroy(&scratch);
    return status;
}

static snStatus makeGreens(snContactRungs *rungs, const snLatticeContacts *c,
                           const snContext *context, snError *error)
{
    double bytes = 8.0 * c->skinCount * c->skinCount;
    double room = bytes > 0 ? GREEN_BYTES / bytes : rungs->count;
    rungs->greenCount = room < 2 ? 2 : room < rungs->count ? (int)room : rungs->count;
    if (rungs->greenCount > rungs->count) rungs->greenCount = rungs->count;
    rungs->greens = SN_NEW(&rungs->arena, snContactGreen, rungs->greenCount);
    rungs->asked = SN_NEW(&rungs->arena, unsigned char, c->skinCount);
    snStatus status = rungs->greens && rungs->asked ? SN_OK : snFailMemory(error);
    if (!status) status = snGreenScratch_Make(&rungs->work, c, &rungs->arena, context, error);
    for (int i = 0; i < rungs->greenCount && !status; i++)
        status = snContactGreen_Alloc(&rungs->greens[i], c, &rungs->arena, error);
    return status;
}

static snStatus makeRungs(snContactRungs *rungs, const snLatticeContacts *c, const snLadder *ladder,
                          const snContext *context, snError *error)
{
    int all = ladder->count * ladder->lengthCount;
    rungs->rungs = SN_NEW(&rungs->arena, snContactRung, all);
    if (!rungs->rungs) return snFailMemory(error);
    snStatus status = SN_OK;
    for (int i = 0; i < all && !status; i++)
        if (ladder->models[i])
            status = makeRung(&rungs->rungs[rungs->count++], c, ladder->models[i], &rungs->arena,
                              context, error);
    if (!status && c->skinCount) status = makeGreens(rungs, c, context, error);
    return status;
}

snStatus snLatticeContacts_SetLadder(snLatticeContacts *c, const snLadder *ladder,
                                     const snContext *context, snError *error)
{
    snLatticeContacts_Climb(c, c->base.model);
    snContactRungs_Destroy(c->rungs);
    c->rungs = NULL;
    c->ladders++;
    if (!ladder) return SN_OK;
    SN_ASSERT(ladder->base == c->base.model);
    snArena arena = snMakeArena(context);
    snContactRungs *rungs = SN_NEW(&arena, snContactRungs, 1);
    if (!rungs) return snFailMemory(error);
    rungs->arena = arena;
    snStatus status = makeRungs(rungs, c, ladder, context, error);
    if (status)
        snContactRungs_Destroy(rungs);
    else
        c->rungs = rungs;
    return status;
}

// Room for a rung's S⁻¹: its own, or that which was not used for longest.
static snContactGreen *greenFor(snLatticeContacts *c, const snLatticeModel *model)
{
    snContactRungs *rungs = c->rungs;
    snContactGreen *oldest = rungs->greens;
    for (int i = 0; i < rungs->greenCount; i++) {
        snContactGreen *green = &rungs->greens[i];
        if (green->model == model) return green;
        if (green->used < oldest->used) oldest = green;
    }
    oldest->model = model;
    memset(oldest->known, 0, (size_t)c->skinCount);
    return oldest;
}

static const snContactRung *findRung(const snLatticeContacts *c, const snLatticeModel *model)
{
    if (model == c->base.model) return &c->base;
    for (int i = 0; c->rungs && i < c->rungs->count; i++)
        if (c->rungs->rungs[i].model == model) return &c->rungs->rungs[i];
    return NULL;
}

bool snLatticeContacts_Climb(snLatticeContacts *c, const snLatticeModel *model)
{
    if (model == c->model) return true;
    const snContactRung *rung = findRung(c, model);
    if (!rung) return false;
    c->model = model;
    c->rung = rung;
    c->stiffness = rung->stiffness;
    if (!c->skinCount) return true;
    c->green = rung == &c->base ? &c->ownGreen : greenFor(c, model);
    if (c->rungs) c->green->used = ++c->rungs->clock;
    return true;
}
