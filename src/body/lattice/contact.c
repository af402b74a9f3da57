// Contact as a potential. At the first guess of a step every sample near a collider gets a plane,
// through the collider's nearest point p with its outward normal n. With
//
//     g(y) = n . (o + Σ w y - p)                              the gap
//     T(y) = s + P (Σ w y - Σ w x) - P move,  P = 1 - n nᵀ    the slip along the surface
//
// the step's objective (step.c, times h²) gets, for each of them,
//
//     ½ k max(0, δ - g)² + k H_L(|T|),   H_L(t) = ½ t² up to t = L, then L t - ½ L²
//
// The first holds the sample out, from a distance δ on. The second is dry friction: a spring along the
// surface that gives way at the force k L = μ N, with N the normal force at the last step's end. What
// the spring is stretched by at a step's end, at most L, is the next step's s: a body on a slope comes
// to rest, for good. While y is sought, planes, s and L stay, so the gradient is exact, each term is
// convex and its curvature is k at most.
//
// How firm. Iterations start from S⁻¹ (step.c). A term k φφᵀ with φ the row of a sample changes the
// spectrum of S⁻¹H by k φᵀS⁻¹φ, and many samples, which share vertices, by no more than the largest row
// sum of k_s |φ_sᵀ S⁻¹ φ_t|. So
//
//     k_s = θ f_s² / Σ_t |φ_sᵀ S⁻¹ φ_t|     over the samples t within a patch around s
//
// with f_s the share of the row that is on free vertices: no patch of contacts is more than θ times as
// stiff as what the iteration expects, whatever the sizes, masses and stiffness of a body, and a search
// that took three iterations still does. Where flesh is pressed in, S is many times stiffer than the
// flesh, so that the overlap that stays is a few percent of the dent for θ = 1; a body that lies on its
// patch sinks in by about h² g / θ.
#include "body/lattice/bones.h"
#include "body/lattice/contact_dual.h"
#include "body/lattice/contact_parts.h"
#include "body/lattice/space.h"
#include "core/error.h"
#include "core/tasks.h"
#include "geometry/primitive.h"

#include <string.h>

#define GRAIN 128       // samples per piece of a parallel loop
#define MOST_WORK 1e11  // numbers of a factor: about a minute
#define LEAST_FREE 0.05 // share of a row on free vertices below which a sample cannot give way
#define FAINT 1e-10     // of a reach: an overlap of exact contacts that is rounding

snLatticeContactsDef snDefaultLatticeContactsDef(void)
{
    return (snLatticeContactsDef){.firmness = 1, .friction = -1, .mostWork = MOST_WORK};
}

// ---- building -----------------------------------------------------------------------------------

static double freeShare(const snLatticeContacts *c, int s)
{
    double share = 0;
    for (int k = c->start[s]; k < c->start[s + 1]; k++)
        if (c->vertex[k] < snLatticeContacts_Moving(c)) share += c->weight[k];
    return share;
}

// Σ w_a of a row times rows of four, column `column`.
static double rowTimes(const snLatticeContacts *c, int s, const double *rows, int column)
{
    double sum = 0;
    for (int k = c->start[s]; k < c->start[s + 1]; k++)
        if (c->vertex[k] < c->model->freeCount)
            sum += c->weight[k] * rows[4 * (size_t)c->vertex[k] + (size_t)column];
    return sum;
}

typedef struct FirmnessJob {
    const snLatticeContacts *contacts;
    snContactRung *rung;
    int solved;    // samples that are computed, the first ones; others are like the nearest of them
    double *rows;  // [workers][freeCount * 4]
    double *solve; // [workers][scratch]
    size_t rowSize, solveSize;
    // With bones that give way: samples as links feel them, [samples][columns], and what one moves, [workers][columns].
    double *columns, *answer;
} FirmnessJob;

// φ_sᵀ S⁻¹ φ_t by way of the links, in the mean of x, y and z and at rest: a_sᵀ (J G⁻¹ Jᵀ) a_t, the product with the former
// in `answer`.
static void findAnswer(const FirmnessJob *job, int s, double *answer)
{
    const snBones *b = job->contacts->bones;
    size_t n = b ? (size_t)b->columns : 0;
    const double *own = job->columns + (size_t)s * n;
    for (size_t i = 0; i < n; i++)
        answer[i] = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n && own[i] != 0; k++)
            answer[k] += own[i] * b->give[i * n + k];
}

static double byLinks(const FirmnessJob *job, int t, const double *answer)
{
    size_t n = job->contacts->bones ? (size_t)job->contacts->bones->columns : 0;
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += job->columns[(size_t)t * n + i] * answer[i];
    return sum;
}

// Three samples at a time: one each in x, y and z.
static void findFirmness(int begin, int end, int worker, void *context)
{
    FirmnessJob *job = context;
    const snLatticeContacts *c = job->contacts;
    double *rows = job->rows + (size_t)worker * job->rowSize;
    double *solve = job->solve + (size_t)worker * job->solveSize;
    for (int first = 3 * begin; first < 3 * end && first < job->solved; first += 3) {
        memset(rows, 0, job->rowSize * sizeof *rows);
        int count = job->solved - first < 3 ? job->solved - first : 3;
        for (int i = 0; i < count; i++)
            for (int k = c->start[first + i]; k < c->start[first + i + 1]; k++)
                if (c->vertex[k] < c->model->freeCount)
                    rows[4 * (size_t)c->vertex[k] + (size_t)i] += c->weight[k];
        snLatticeModel_SolveRows(job->rung->model, rows, solve);
        for (int i = 0; i < count; i++) {
            int s = first + i;
            double share = freeShare(c, s), give = 0, reach2 = c->patch * c->patch;
            double *answer =
                job->answer + (size_t)worker * (size_t)(c->bones ? c->bones->columns : 0);
            findAnswer(job, s, answer);
            for (int t = 0; t < c->early; t++)
                if (snLengthSquared(snSub(c->rest[s], c->rest[t])) <= reach2)
                    give += fabs(rowTimes(c, t, rows, i) + byLinks(job, t, answer));
            // A late sample that is far from all early ones has itself alone for a patch.
            double own = rowTimes(c, s, rows, i) + byLinks(job, s, answer);
            if (!(give > 0)) give = fabs(own);
            bool good = share >= LEAST_FREE && give > 0 && isfinite(give);
            job->rung->stiffness[s] = good ? c->firmness * share * share / give : 0;
            if (job->rung->give) job->rung->give[s] = own;
        }
    }
}

// A solution for each of 13,000 samples on a matrix of 100,000 vertices takes half an hour, and what is asked for differs little from place to
// place: then late samples are like the nearest of the early ones, which are spread out.
static int solvedCount(const snLatticeContacts *c, const snLatticeModel *model)
{
    double work = (double)c->sampleCount * (double)model->factorNonZeros;
    return work > c->mostWork ? c->early : c->sampleCount;
}

static void likeTheNearest(const snLatticeContacts *c, snContactRung *rung, int solved)
{
    for (int s = solved; s < c->sampleCount; s++) {
        int nearest = -1;
        double least = INFINITY, share = freeShare(c, s);
        for (int t = 0; t < solved; t++) {
            double d = snLengthSquared(snSub(c->rest[s], c->rest[t]));
            if (rung->stiffness[t] > 0 && d < least) least = d, nearest = t;
        }
        bool good = nearest >= 0 && share >= LEAST_FREE;
        double ratio = good ? share / freeShare(c, nearest) : 0;
        rung->stiffness[s] = good ? ratio * ratio * rung->stiffness[nearest] : 0;
        if (rung->give) rung->give[s] = nearest >= 0 ? rung->give[nearest] : 0;
    }
}

// The mean of 1 / k.
static double softnessOf(const snLatticeContacts *c, const snContactRung *rung)
{
    double sum = 0;
    int count = 0;
    for (int s = 0; s < c->early; s++)
        if (rung->stiffness[s] > 0) sum += 1 / rung->stiffness[s], count++;
    return count ? sum / count : 0;
}

snStatus snContactRung_Find(snContactRung *rung, const snLatticeContacts *c, snArena *scratch,
                            const snContext *context, snError *error)
{
    size_t workers = context->tasks.workers > 1 ? (size_t)context->tasks.workers : 1;
    FirmnessJob job = {.contacts = c,
                       .rung = rung,
                       .solved = solvedCount(c, rung->model),
                       .rowSize = (size_t)c->model->freeCount * 4,
                       .solveSize = snLatticeModel_SolveSize(c->model)};
    job.rows = SN_NEW(scratch, double, workers *job.rowSize);
    job.solve = SN_NEW(scratch, double, workers *job.solveSize);
    size_t columns = c->bones ? (size_t)c->bones->columns : 0;
    job.columns = SN_NEW(scratch, double, columns *(size_t)c->sampleCount);
    job.answer = SN_NEW(scratch, double, workers *columns);
    if (!job.rows || !job.solve || !job.columns || !job.answer) return snFailMemory(error);
    for (int s = 0; s < c->sampleCount && c->bones; s++)
        snBones_Column(c->bones, c->start[s + 1] - c->start[s], c->vertex + c->start[s],
                       c->weight + c->start[s], job.columns + (size_t)s * columns);
    snParallelFor(&context->tasks, (job.solved + 2) / 3, 16, findFirmness, &job);
    likeTheNearest(c, rung, job.solved);
    rung->softness = softnessOf(c, rung);
    rung->meanGive = 0;
    for (int s = 0; s < c->sampleCount && rung->give; s++)
        rung->meanGive += rung->give[s] / c->sampleCount;
    return SN_OK;
}

snStatus snLatticeContacts_CheckModel(const snLatticeModel *model, snError *error)
{
    if (model->linear)
        return snFail(
            error, SN_ERROR_UNSUPPORTED,
            "the linear and blended solvers know no contact; choose projective or newton");
    if (model->detail)
        return snFail(error, SN_ERROR_UNSUPPORTED,
                      "contact does not go together with details; leave them out");
    return SN_OK;
}

static snStatus checkDef(const snLatticeContactsDef *def, snError *error)
{
    const snLatticeModel *model = def->model;
    snStatus status = snLatticeContacts_CheckModel(model, error);
    if (status) return status;
    if (def->exact && model->def.solver == SN_SOLVER_NEWTON)
        return snFail(error, SN_ERROR_UNSUPPORTED,
                      "exact contact goes with the projective solver, not with newton");
    if (def->exact && !(def->restitution >= 0 && def->restitution <= 1 && isfinite(def->friction)))
        return snFail(error, SN_ERROR_ARGUMENT,
                      "contact has friction %g and restitution %g; the latter must be from 0 to 1",
                      def->friction, def->restitution);
    if (!(def->firmness > 0) || !(def->patch >= 0) || !(def->thickness >= 0) || !(def->reach > 0) ||
        !isfinite(def->firmness + def->patch + def->thickness + def->reach))
        return snFail(
            error, SN_ERROR_ARGUMENT,
            "contact has firmness %g, patches of %g, thickness %g and reach %g; they must "
            "be finite and firmness and reach above 0",
            def->firmness, def->patch, def->thickness, def->reach);
    for (int k = 0; k < (def->samples.count ? def->samples.start[def->samples.count] : 0); k++) {
        int v = def->samples.vertex[k];
        if (v < 0 || v >= model->lattice.vertexCount || !isfinite(def->samples.weight[k]))
            return snFail(error, SN_ERROR_ARGUMENT,
                          "a contact sample hangs on vertex %d with weight %g; there are %d", v,
                          def->samples.weight[k], model->lattice.vertexCount);
    }
    return SN_OK;
}

static snStatus allocate(snLatticeContacts *c, const snLatticeContactsDef *def, snError *error)
{
    const snContactSamples *samples = &def->samples;
    int n = c->sampleCount, entries = n ? samples->start[n] : 0;
    size_t records = (size_t)n * (size_t)(c->touches + 1);
    c->start = n ? SN_COPY(&c->arena, int, samples->start, n + 1) : SN_NEW(&c->arena, int, 1);
    c->vertex = SN_NEW(&c->arena, int, entries);
    c->weight = SN_COPY(&c->arena, double, samples->weight, entries);
    c->rest = SN_COPY(&c->arena, snVec3, samples->rest, n);
    c->stiffness = SN_NEW(&c->arena, double, n);
    c->memory = SN_NEW(&c->arena, snSampleMemory, (size_t)n * (size_t)c->memories);
    c->plan = SN_NEW(&c->arena, double, n + 1);
    c->records = SN_NEW(&c->arena, snContactRecord, records);
    c->found = SN_NEW(&c->arena, int, n);
    c->boxes = SN_NEW(&c->arena, snBox, SN_MOST_COLLIDERS);
    c->place = SN_NEW(&c->arena, snVec3, n);
    bool good = c->start && c->vertex && c->weight && c->rest && c->stiffness && c->memory &&
                c->plan && c->records && c->found && c->boxes && c->place;
    if (!good) return snFailMemory(error);
    for (int k = 0; k < entries; k++)
        c->vertex[k] = c->model->indexOf[samples->vertex[k]];
    return SN_OK;
}

snStatus snLatticeContacts_Make(snLatticeContacts **out, const snLatticeContactsDef *def,
                                const snContext *context, snError *error)
{
    *out = NULL;
    snStatus status = checkDef(def, error);
    if (status) return status;
    snArena arena = snMakeArena(context), scratch = snMakeArena(context);
    snLatticeContacts *c = SN_NEW(&arena, snLatticeContacts, 1);
    if (!c) return snFailMemory(error);
    c->arena = arena;
    c->model = def->model;
    c->firmness = def->firmness;
    c->patch = def->patch;
    c->sampleCount = c->early = def->samples.count;
    if (def->exact && def->late > 0 && def->late < c->early) c->early = def->late;
    c->thickness = def->thickness;
    c->reach = def->reach;
    c->iterations = def->iterations;
    c->mostWork = def->mostWork;
    c->self = def->self;
    c->touches = def->exact ? SN_EXACT_TOUCHES : SN_SAMPLE_TOUCHES;
    c->memories = def->exact ? c->touches + 1 : 1;
    c->friction = def->friction;
    c->restitution = def->restitution;
    c->slow = def->slow > 0 ? def->slow : def->reach;
    c->bones = def->exact ? def->bones : NULL;
    status = allocate(c, def, error);
    c->rung = &c->base;
    c->base = (snContactRung){.model = c->model, .stiffness = c->stiffness, .squared = 1};
    if (!status && def->exact) c->base.give = SN_NEW(&c->arena, double, c->sampleCount);
    if (!status && def->exact && !c->base.give) status = snFailMemory(error);
    if (!status) status = snContactRung_Find(&c->base, c, &scratch, context, error);
    if (!status && def->exact)
        status = snContactGreen_Make(c, def->others, &scratch, context, error);
    if (!status && def->exact)
        status =
            snContactDual_Make(&c->dual, c->sampleCount * (c->touches + 1), 1, &c->arena, error);
    snArena_Destroy(&scratch);
    if (status) {
        snLatticeContacts_Destroy(c);
        return status;
    }
    snLatticeContacts_Reset(c);
    *out = c;
    return SN_OK;
}

void snLatticeContacts_Destroy(snLatticeContacts *contacts)
{
    if (!contacts) return;
    snContactRungs_Destroy(contacts->rungs);
    snArena_DestroyWithin(&contacts->arena);
}

void snLatticeContacts_Reset(snLatticeContacts *c)
{
    c->recordCount = 0;
    for (int s = 0; s < c->sampleCount * c->memories; s++)
        c->memory[s] = (snSampleMemory){.who = SN_CONTACT_NONE};
    for (int s = 0; s <= c->sampleCount; s++)
        c->plan[s] = s == c->sampleCount;
}

// ---- the potential ------------------------------------------------------------------------------

// Of one record at a place: its energy and the force on the sample, -∂E/∂(Σ w y).
static double evaluate(const snContactRecord *r, snVec3 place, snVec3 *force)
{
    double k = r->stiffness;
    double overlap = r->thick - snDot(r->normal, place) - r->constant, energy = 0;
    *force = snVec(0, 0, 0);
    if (overlap > 0) {
        double push = overlap < r->bound ? overlap : r->bound;
        energy += r->hard * push * (overlap - 0.5 * push);
        *force = snScale(r->hard * push, r->normal);
    }
    if (!(r->slide > 0)) return energy;
    snVec3 slip = snAdd(r->slip, snAlongSurface(snSub(place, r->before), r->normal));
    double t = snLength(slip), hold = t < r->slide ? t : r->slide;
    if (t > 0) *force = snMulAdd(*force, -k * hold / t, slip);
    return energy + k * hold * (t - 0.5 * hold);
}

static void addRow(int count, const int *vertex, const double *weight, int freeCount, snVec3 force,
                   double *gradient)
{
    for (int k = 0; k < count; k++) {
        if (vertex[k] >= freeCount) continue;
        double *g = gradient + 4 * (size_t)vertex[k];
        g[0] -= weight[k] * force.x;
        g[1] -= weight[k] * force.y;
        g[2] -= weight[k] * force.z;
    }
}

double snLatticeContacts_AddTerms(const snLatticeContacts *c, const double *position,
                                  double *gradient)
{
    double energy = 0;
    int moving = snLatticeContacts_Moving(c);
    for (int i = 0; i < c->recordCount; i++) {
        const snContactRecord *r = &c->records[i];
        const double *other = r->other ? r->other->state->next : position;
        snVec3 force;
        energy += evaluate(r, snRecordPlace(c, r, position, other), &force);
        if (!gradient || (force.x == 0 && force.y == 0 && force.z == 0)) continue;
        int first = c->start[r->sample];
        addRow(c->start[r->sample + 1] - first, c->vertex + first, c->weight + first, moving, force,
               gradient);
        addRow(r->otherCount, r->otherVertex, r->otherWeight,
               r->other ? snLatticeContacts_Moving(r->other) : moving, force,
               r->other ? r->other->state->gradient : gradient);
    }
    for (int i = 0; i < c->pullCount; i++)
        energy += snLatticePull_AddTerms(&c->pulls[i], position, moving, gradient);
    return energy;
}

static double *loadOf(const snLatticeContacts *c)
{
    return c->model->space && c->model->space->levels ? c->state->space.load : NULL;
}

void snLatticeContacts_AddLoads(const snLatticeContacts *c)
{
    double *own = loadOf(c);
    for (int i = 0; i < c->recordCount; i++) {
        const snContactRecord *r = &c->records[i];
        const snLatticeContacts *other = r->other ? r->other : c;
        double *others = loadOf(other);
        int first = c->start[r->sample];
        snVec3 force;
        evaluate(r, snRecordPlace(c, r, c->state->next, other->state->next), &force);
        if (own)
            addRow(c->start[r->sample + 1] - first, c->vertex + first, c->weight + first,
                   c->model->freeCount, force, own);
        if (others)
            addRow(r->otherCount, r->otherVertex, r->otherWeight, other->model->freeCount, force,
                   others);
    }
    for (int i = 0; i < c->pullCount && own; i++)
        snLatticePull_AddTerms(&c->pulls[i], c->state->next, c->model->freeCount, own);
}

// -∂force/∂place times a move. Where the spring slides, its curvature L/t is across the slip.
static snVec3 stiffen(const snContactRecord *r, snVec3 place, snVec3 move)
{
    double k = r->stiffness, overlap = r->thick - snDot(r->normal, place) - r->constant;
    snVec3 out = {0, 0, 0};
    if (overlap > 0 && overlap < r->bound)
        out = snScale(r->hard * snDot(r->normal, move), r->normal);
    if (!(r->slide > 0)) return out;
    snVec3 slip = snAdd(r->slip, snAlongSurface(snSub(place, r->before), r->normal));
    snVec3 along = snAlongSurface(move, r->normal);
    double t = snLength(slip);
    if (t <= r->slide) return snMulAdd(out, k, along);
    along = snMulAdd(along, -snDot(along, slip) / (t * t), slip);
    return snMulAdd(out, k * r->slide / t, along);
}

static snVec3 rowMove(int count, const int *vertex, const double *weight, int freeCount,
                      const double *x)
{
    snVec3 sum = {0, 0, 0};
    for (int k = 0; k < count; k++) {
        const double *v = x + 3 * (size_t)vertex[k];
        if (vertex[k] < freeCount) sum = snMulAdd(sum, weight[k], snVec(v[0], v[1], v[2]));
    }
    return sum;
}

static void addMove(int count, const int *vertex, const double *weight, int freeCount, snVec3 value,
                    double *y)
{
    for (int k = 0; k < count; k++) {
        double *v = y + 3 * (size_t)vertex[k];
        if (vertex[k] >= freeCount) continue;
        v[0] += weight[k] * value.x;
        v[1] += weight[k] * value.y;
        v[2] += weight[k] * value.z;
    }
}

void snLatticeContacts_AddCurvature(const snLatticeContacts *c, const double *position,
                                    const double *x, double *y)
{
    int n = c->model->freeCount;
    for (int i = 0; i < c->recordCount; i++) {
        const snContactRecord *r = &c->records[i];
        int first = c->start[r->sample], own = c->start[r->sample + 1] - first;
        const int *vertex = c->vertex + first;
        const double *weight = c->weight + first;
        snVec3 move = snAdd(rowMove(own, vertex, weight, n, x),
                            rowMove(r->otherCount, r->otherVertex, r->otherWeight, n, x));
        snVec3 value = stiffen(r, snRecordPlace(c, r, position, position), move);
        addMove(own, vertex, weight, n, value, y);
        addMove(r->otherCount, r->otherVertex, r->otherWeight, n, value, y);
    }
    for (int i = 0; i < c->pullCount; i++)
        snLatticePull_AddCurvature(&c->pulls[i], n, x, y);
}

// Of exact contacts the matrix knows the rest.
static double curvatureAlong(const snLatticeContacts *c, const snContactRecord *r, snVec3 place,
                             snVec3 move)
{
    double across = snDot(move, r->normal);
    double sum = snDot(move, stiffen(r, place, move));
    double overlap = r->thick - snDot(r->normal, place) - r->constant;
    return c->dual && overlap > 0 ? sum - r->hard * across * across : sum;
}

double snLatticeContacts_Curvature(const snLatticeContacts *c, const double *position,
                                   const double *direction)
{
    int n = snLatticeContacts_Moving(c);
    double sum = 0;
    for (int i = 0; i < c->recordCount; i++) {
        const snContactRecord *r = &c->records[i];
        int first = c->start[r->sample], own = c->start[r->sample + 1] - first;
        const snLatticeContacts *other = r->other ? r->other : c;
        const double *place = r->other ? other->state->next : position;
        const double *way = r->other ? other->way : direction;
        snVec3 move = {0, 0, 0};
        for (int k = 0; k < own + r->otherCount; k++) {
            int v = k < own ? c->vertex[first + k] : r->otherVertex[k - own];
            double w = k < own ? c->weight[first + k] : r->otherWeight[k - own];
            const double *d = (k < own ? direction : way) + 4 * (size_t)v;
            if (v < (k < own ? n : snLatticeContacts_Moving(other)))
                move = snMulAdd(move, w, snVec(d[0], d[1], d[2]));
        }
        sum += curvatureAlong(c, r, snRecordPlace(c, r, position, place), move);
    }
    for (int i = 0; i < c->pullCount; i++)
        sum += snLatticePull_Curvature(&c->pulls[i], n, direction);
    return sum;
}

// ---- the step's end -----------------------------------------------------------------------------

// Where a record's memory goes: into the only place, if it pushes harder than what is there, or into
// the next free one.
static snSampleMemory *placeFor(snLatticeContacts *c, const snContactRecord *r, double push)
{
    snSampleMemory *memory = &c->memory[r->sample * c->memories];
    if (c->memories == 1) {
        bool taken =
            r->who == SN_CONTACT_SELF ? memory->touching : memory->touching && push < memory->force;
        return taken ? NULL : memory;
    }
    for (int k = 0; k < c->memories; k++)
        if (!memory[k].touching) return &memory[k];
    return NULL;
}

void snLatticeContacts_End(snLatticeContacts *c, const snLatticeState *state)
{
    int count = c->sampleCount * c->memories;
    for (int s = 0; s < count; s++)
        c->memory[s].touching = 0;
    for (int i = 0; i < c->recordCount; i++) {
        const snContactRecord *r = &c->records[i];
        const double *other = r->other ? r->other->state->next : state->next;
        snVec3 place = snRecordPlace(c, r, state->next, other), force;
        evaluate(r, place, &force);
        double push = snDot(force, r->normal);
        snSampleMemory *memory = placeFor(c, r, push);
        if (!memory) continue;
        if (r->who == SN_CONTACT_SELF) {
            *memory = (snSampleMemory){r->slip, push, r->age, r->who, 1};
            continue;
        }
        if (!(push > (c->dual ? FAINT * c->reach * r->hard : 0))) continue;
        snVec3 slip = snAdd(r->slip, snAlongSurface(snSub(place, r->before), r->normal));
        double t = snLength(slip);
        if (t > r->slide) slip = snScale(r->slide / t, slip);
        slip = snScale(1 / snSlipScale(c, r->sample), slip);
        *memory = (snSampleMemory){slip, push / c->rung->squared, 0, r->who, 1};
    }
    for (int s = 0; s < count; s++)
        if (!c->memory[s].touching) c->memory[s] = (snSampleMemory){.who = SN_CONTACT_NONE};
    if (c->dual) snLatticeContacts_FollowPlans(c);
}

snContactReport snLatticeContacts_Report(const snLatticeContacts *c, const double *position,
                                         double limit)
{
    snContactReport report = {0};
    for (int i = 0; i < c->recordCount; i++) {
        const snContactRecord *r = &c->records[i];
        const double *other = r->other ? r->other->state->next : position;
        double depth = -snDot(r->normal, snRecordPlace(c, r, position, other)) - r->constant;
        snContactReport_Add(&report, depth);
        report.deep += depth > limit;
    }
    if (!c->dual || c->recordCount == 0) return report;
    report.dropped = c->work.unmet;
    report.rounds = c->work.rounds;
    report.columns = c->work.columns;
    report.rowsAdded = c->work.rowsAdded;
    report.rowsRemoved = c->work.rowsRemoved;
    report.effort = c->work.effort;
    return report;
}

static size_t memorySize(const snLatticeContacts *c)
{
    return (size_t)(c->sampleCount * c->memories) * sizeof(snSampleMemory);
}

static size_t planSize(const snLatticeContacts *c)
{
    return c->dual ? ((size_t)c->sampleCount + 1) * sizeof(double) : 0;
}

size_t snLatticeContacts_SaveSize(const snLatticeContacts *c)
{
    return memorySize(c) + planSize(c);
}

void snLatticeContacts_Save(const snLatticeContacts *c, void *bytes)
{
    memcpy(bytes, c->memory, memorySize(c));
    memcpy((char *)bytes + memorySize(c), c->plan, planSize(c));
}

void snLatticeContacts_Restore(snLatticeContacts *c, const void *bytes)
{
    memcpy(c->memory, bytes, memorySize(c));
    memcpy(c->plan, (const char *)bytes + memorySize(c), planSize(c));
}

void snLatticeContacts_TakeOver(snLatticeContacts *c, const snLatticeContacts *other, double ratio)
{
    double scale = 1 / (ratio * ratio); // stiffness and forces have h² in them
    SN_ASSERT(c->sampleCount == other->sampleCount && c->memories == other->memories);
    for (int s = 0; s < c->sampleCount; s++)
        c->stiffness[s] = scale * other->stiffness[s];
    memcpy(c->plan, other->plan, planSize(c));
    for (int k = 0; k < c->sampleCount * c->memories; k++) {
        c->memory[k] = other->memory[k];
        c->memory[k].force *= scale;
    }
}
