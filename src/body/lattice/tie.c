// Unknowns of all bodies stand one after another; the matrix is that of each by itself, so its inverse is as well.
// A tie's row has weights of both ends, those of the second negative: C y = 0 where they are together. Everything
// else is as for points of one body (point.h): guesses corrected, directions projected, on columns A⁻¹Cᵀ.
#include "body/lattice/tie.h"

#include "body/lattice/contact.h"
#include "body/lattice/space_levels.h"
#include "core/error.h"

#include <string.h>

#define SAME 1e-9 // of the bodies' size: places that differ by less agree

// ---- making -------------------------------------------------------------------------------------

static int unknownsOf(const snTieBody *body)
{
    return snLatticeModel_Unknowns(body->model);
}

// With what acts, which the border knows for rows of four.
static void solveActive(const snTies *ties, const snTieBody *body, double *y)
{
    int n = unknownsOf(body);
    memset(ties->wide, 0, 4 * (size_t)n * sizeof(double));
    for (int i = 0; i < n; i++)
        ties->wide[4 * (size_t)i] = y[i];
    snActive_Solve(body->rung, body->state, ties->wide);
    for (int i = 0; i < n; i++)
        y[i] = ties->wide[4 * (size_t)i];
}

static bool isZero(int count, const double *x)
{
    for (int i = 0; i < count; i++)
        if (x[i] != 0) return false;
    return true;
}

// What is 0 in all of a body stays so: of a tie's row that is all but two of them.
static void solveEach(void *context, const double *x, double *y)
{
    snTies *ties = context;
    memcpy(y, x, (size_t)ties->size * sizeof *y);
    for (int i = 0; i < ties->bodyCount; i++) {
        const snTieBody *body = &ties->bodies[i];
        if (isZero(unknownsOf(body), x + body->first)) continue;
        if (snLatticeModel_Fine(body->rung))
            solveActive(ties, body, y + body->first);
        else
            snFactor_SolveOrdered(body->rung->factor, 1, y + body->first, ties->solve);
    }
}

// Functions that both ends of a tie hang on, at most.
static int mostTerms(const snTies *ties)
{
    int most = 1;
    for (int i = 0; i < ties->bodyCount; i++) {
        const snLatticeModel *model = ties->bodies[i].model;
        const snSpaceLevels *levels = model->space ? model->space->levels : NULL;
        for (int v = 0; v < model->vertexCount && model->space; v++) {
            const int *start = model->space->rows.start;
            int count = start[v + 1] - start[v];
            if (levels) count += levels->rows.start[v + 1] - levels->rows.start[v];
            if (count > most) most = count;
        }
    }
    most *= 2 * SN_POINT_TERMS;
    return most < ties->size ? most : ties->size;
}

static bool allocate(snTies *ties, size_t solve, size_t unknowns)
{
    snArena *arena = &ties->arena;
    size_t size = (size_t)ties->size;
    ties->list = SN_NEW(arena, snTie, ties->capacity);
    ties->known = SN_NEW(arena, snTie, ties->capacity);
    ties->handle = SN_NEW(arena, int, ties->capacity);
    ties->rows = SN_NEW(arena, double, size * 4);
    ties->sum = SN_NEW(arena, double, size);
    ties->packed = SN_NEW(arena, double, size);
    ties->terms = SN_NEW(arena, int, size);
    ties->listed = SN_NEW(arena, unsigned char, size);
    ties->solve = SN_NEW(arena, double, solve);
    ties->wide = SN_NEW(arena, double, unknowns * 4);
    return ties->list && ties->known && ties->handle && ties->rows && ties->sum && ties->packed &&
           ties->terms && ties->listed && ties->solve && ties->wide;
}

static snStatus makeSet(snTies *ties, const snContext *context, snError *error)
{
    snConstraintSetDef def = snDefaultConstraintSetDef();
    def.size = ties->size;
    def.capacity = ties->capacity;
    def.mostTerms = mostTerms(ties);
    def.inverse = (snOperator){solveEach, ties};
    def.sparse = true;
    snStatus status = snConstraintSet_Make(&ties->set, &def, context, error);
    if (!status) status = snConstraintNormal_Make(&ties->normal, ties->set, context, error);
    if (status) return status;
    ties->correct = SN_NEW(&ties->arena, double, snConstraintSet_ScratchSize(ties->set));
    return ties->correct ? SN_OK : snFailMemory(error);
}

static snStatus make(snTies *ties, const snTiesDef *def, const snContext *context, snError *error)
{
    size_t solve = 0, unknowns = 0;
    ties->bodies = SN_NEW(&ties->arena, snTieBody, def->bodyCount);
    if (!ties->bodies) return snFailMemory(error);
    for (int i = 0; i < def->bodyCount; i++) {
        const snLatticeModel *model = def->models[i];
        size_t own = snFactor_ScratchSize(model->factor, 1);
        if (model->detail || model->linear || def->states[i]->lanes != 1)
            return snFail(error, SN_ERROR_UNSUPPORTED,
                          "body %d of ties has details, several lanes or a linear solver", i);
        ties->bodies[i] = (snTieBody){
            .model = model, .state = def->states[i], .rung = model, .first = ties->size};
        ties->size += snLatticeModel_Unknowns(model);
        ties->extent = fmax(ties->extent, model->size);
        if (own > solve) solve = own;
        if (snLatticeModel_Fine(model) && (size_t)snLatticeModel_Unknowns(model) > unknowns)
            unknowns = (size_t)snLatticeModel_Unknowns(model);
    }
    if (!allocate(ties, solve, unknowns)) return snFailMemory(error);
    return makeSet(ties, context, error);
}

snStatus snTies_Make(snTies **out, const snTiesDef *def, const snContext *context, snError *error)
{
    snArena arena = snMakeArena(context);
    snTies *ties = SN_NEW(&arena, snTies, 1);
    *out = NULL;
    if (!ties) return snFailMemory(error);
    ties->arena = arena;
    ties->bodyCount = def->bodyCount;
    ties->capacity = def->capacity;
    snStatus status = make(ties, def, context, error);
    if (status)
        snTies_Destroy(ties);
    else
        *out = ties;
    return status;
}

void snTies_Destroy(snTies *ties)
{
    if (!ties) return;
    snConstraintNormal_Destroy(ties->normal);
    snConstraintSet_Destroy(ties->set);
    snArena_DestroyWithin(&ties->arena);
}

// ---- a step's ties ------------------------------------------------------------------------------

void snTies_Clear(snTies *ties)
{
    ties->count = 0;
}

bool snTies_Add(snTies *ties, const snTie *tie)
{
    if (ties->count == ties->capacity) return false;
    snTie *kept = &ties->list[ties->count++];
    *kept = *tie;
    for (int e = 0; e < 2; e++) {
        const snTieEnd *end = &tie->end[e];
        kept->rest[e] = snVec(0, 0, 0);
        for (int k = 0; k < end->count; k++)
            kept->rest[e] = snMulAdd(kept->rest[e], end->weight[k],
                                     ties->bodies[end->body].model->rest[end->vertex[k]]);
    }
    return true;
}

void snTies_SetRung(snTies *ties, int body, const snLatticeModel *rung)
{
    ties->bodies[body].rung = rung;
}

static bool isSameEnd(const snTieEnd *a, const snTieEnd *b)
{
    bool same = a->body == b->body && a->count == b->count;
    for (int k = 0; k < a->count && same; k++)
        same = a->vertex[k] == b->vertex[k] && a->weight[k] == b->weight[k];
    return same;
}

// Whether the constraints were made on the step's rungs, with what acts.
static bool isMatrixKnown(const snTies *ties)
{
    bool same = true;
    for (int i = 0; i < ties->bodyCount && same; i++) {
        const snTieBody *body = &ties->bodies[i];
        same = body->rung == body->known && body->acting == snActive_Hash(body->rung, body->state);
    }
    return same;
}

// How many of the step's hard ties, from the first, are those that the constraints were made from.
static int countKnown(const snTies *ties)
{
    int same = 0;
    if (!isMatrixKnown(ties)) return 0;
    for (int i = 0; i < ties->count; i++) {
        if (!ties->list[i].hard) continue;
        const snTie *tie = &ties->list[i], *known = &ties->known[same];
        if (same == ties->knownCount || !isSameEnd(&tie->end[0], &known->end[0]) ||
            !isSameEnd(&tie->end[1], &known->end[1]))
            break;
        same++;
    }
    return same;
}

// Whether the constraints are of the step's hard ties.
static bool isKnown(const snTies *ties)
{
    int hard = 0;
    if (!isMatrixKnown(ties)) return false;
    for (int i = 0; i < ties->count; i++)
        hard += ties->list[i].hard;
    return hard == ties->knownCount && countKnown(ties) == hard;
}

static int addTerm(snTies *ties, int count, int unknown, double weight)
{
    if (!ties->listed[unknown]) ties->terms[count++] = unknown;
    ties->listed[unknown] = 1;
    ties->sum[unknown] += weight;
    return count;
}

static bool isKnownVertex(const snTieBody *body, int vertex)
{
    return vertex >= body->model->freeCount;
}

// Of an end that hangs on bones too: where these have it in the step's end, with its sign.
static snVec3 knownPart(const snTies *ties, const snTie *tie)
{
    snVec3 sum = {0, 0, 0};
    for (int e = 0; e < 2; e++)
        for (int k = 0; k < tie->end[e].count; k++) {
            const snTieBody *body = &ties->bodies[tie->end[e].body];
            int v = tie->end[e].vertex[k];
            if (!isKnownVertex(body, v)) continue;
            const double *x = body->state->next + 4 * (size_t)v;
            double w = e ? -tie->end[e].weight[k] : tie->end[e].weight[k];
            sum = snMulAdd(sum, w, snVec(x[0], x[1], x[2]));
        }
    return sum;
}

// Its terms over the unknowns of all bodies; those that cancel are left out.
static int findTerms(snTies *ties, const snTie *tie)
{
    int count = 0, kept = 0;
    for (int e = 0; e < 2; e++) {
        const snTieEnd *end = &tie->end[e];
        for (int k = 0; k < end->count; k++) {
            const snTieBody *body = &ties->bodies[end->body];
            const snWeightRows *rows =
                body->model->space ? snSpace_Rows(body->model, body->state) : NULL;
            double w = e ? -end->weight[k] : end->weight[k];
            int v = end->vertex[k];
            if (isKnownVertex(body, v)) continue;
            if (!rows) count = addTerm(ties, count, body->first + v, w);
            for (int i = rows ? rows->start[v] : 0; rows && i < rows->start[v + 1]; i++)
                count = addTerm(ties, count, body->first + rows->column[i], w * rows->weight[i]);
        }
    }
    for (int k = 0; k < count; k++) {
        int unknown = ties->terms[k];
        ties->packed[kept] = ties->sum[unknown];
        ties->terms[kept] = unknown;
        kept += ties->sum[unknown] != 0;
        ties->sum[unknown] = ties->listed[unknown] = 0;
    }
    return kept;
}

static void see(snTieBody *body)
{
    body->known = body->rung;
    body->acting = snActive_Hash(body->rung, body->state);
}

// Those before the first that differs stay: so the factor is always that of the list as it is, whatever was before.
static bool makeConstraints(snTies *ties)
{
    int same = countKnown(ties), hard = 0;
    while (ties->knownCount > same)
        snConstraintSet_Remove(ties->set, ties->handle[--ties->knownCount], NULL);
    for (int i = 0; i < ties->bodyCount; i++)
        see(&ties->bodies[i]);
    for (int i = 0; i < ties->count; i++) {
        const snTie *tie = &ties->list[i];
        const double zero[4] = {0, 0, 0, 0};
        if (!tie->hard || hard++ < same) continue;
        snConstraintDef def = {.termCount = findTerms(ties, tie),
                               .index = ties->terms,
                               .weight = ties->packed,
                               .target = zero};
        if (snConstraintSet_Add(ties->set, &def, &ties->handle[ties->knownCount], NULL))
            return false;
        ties->known[ties->knownCount++] = *tie;
    }
    return true;
}

// ---- vectors over all bodies --------------------------------------------------------------------

typedef double *Vector(const snTieBody *body);

static double *valuesOf(const snTieBody *body)
{
    return snLatticeState_NextValues(body->model, body->state);
}

static double *directionOf(const snTieBody *body)
{
    return body->state->direction;
}

static double *pulledOf(const snTieBody *body)
{
    return body->contacts->pulled;
}

static double *gradientOf(const snTieBody *body)
{
    return body->model->space ? body->state->pulled : body->state->gradient;
}

static void gather(snTies *ties, Vector *vector)
{
    for (int i = 0; i < ties->bodyCount; i++)
        memcpy(ties->rows + 4 * (size_t)ties->bodies[i].first, vector(&ties->bodies[i]),
               (size_t)unknownsOf(&ties->bodies[i]) * 4 * sizeof(double));
}

static void scatter(const snTies *ties, Vector *vector)
{
    for (int i = 0; i < ties->bodyCount; i++)
        memcpy(vector(&ties->bodies[i]), ties->rows + 4 * (size_t)ties->bodies[i].first,
               (size_t)unknownsOf(&ties->bodies[i]) * 4 * sizeof(double));
}

static void pushAll(const snTies *ties)
{
    for (int i = 0; i < ties->bodyCount; i++) {
        const snTieBody *body = &ties->bodies[i];
        if (body->model->space)
            snSpace_Push(body->model, body->state, body->state->nextCoefficient, body->state->next);
    }
}

// Targets between points are often nothing but rounding: what they differ by counts against the bodies' size.
static int countConflicts(const snTies *ties)
{
    int count = 0;
    for (int i = 0; i < ties->knownCount; i++) {
        int handle = ties->handle[i];
        count += ties->set->state[handle] == SN_CONSTRAINT_CONFLICTING &&
                 ties->set->miss[handle] > SAME * ties->extent;
    }
    return count;
}

bool snTies_Begin(snTies *ties)
{
    bool changed = !isKnown(ties);
    if (changed && !makeConstraints(ties)) return false;
    for (int i = 0, hard = 0; i < ties->count; i++) {
        const snTie *tie = &ties->list[i];
        if (!tie->hard) continue;
        snVec3 to = snSub(tie->target, knownPart(ties, tie));
        const double target[4] = {to.x, to.y, to.z, 0};
        if (snConstraintSet_Move(ties->set, ties->handle[hard++], target, NULL, NULL)) return false;
    }
    ties->conflicts = snConstraintSet_Prepare(ties->set) ? countConflicts(ties) : 0;
    if (changed) snConstraintNormal_Update(ties->normal);
    if (!ties->knownCount) return true;
    gather(ties, valuesOf);
    snConstraintSet_Correct(ties->set, ties->set->right, ties->rows, ties->correct);
    scatter(ties, valuesOf);
    pushAll(ties);
    return true;
}

static void project(snTies *ties, Vector *vector)
{
    if (!ties->knownCount) return;
    gather(ties, vector);
    snConstraintSet_Correct(ties->set, NULL, ties->rows, ties->correct);
    scatter(ties, vector);
}

void snTies_Project(snTies *ties)
{
    project(ties, directionOf);
}

void snTies_ProjectPulled(snTies *ties)
{
    project(ties, pulledOf);
}

void snTies_ProjectGradients(snTies *ties)
{
    if (!ties->knownCount) return;
    gather(ties, gradientOf);
    snConstraintNormal_Apply(ties->normal, ties->rows);
    scatter(ties, gradientOf);
}

// ---- springs ------------------------------------------------------------------------------------

static double *nextOf(const snTieBody *body)
{
    return body->state->next;
}

static double *wayOf(const snTieBody *body)
{
    return body->model->space ? body->state->wide : body->state->direction;
}

// p of rows of every body: positions, or a direction, in which bones do not go.
static snVec3 between(const snTies *ties, const snTie *tie, double *(*rows)(const snTieBody *))
{
    snVec3 sum = {0, 0, 0};
    for (int e = 0; e < 2; e++)
        for (int k = 0; k < tie->end[e].count; k++) {
            bool still = isKnownVertex(&ties->bodies[tie->end[e].body], tie->end[e].vertex[k]);
            if (still && rows == wayOf) continue;
            const double *x =
                rows(&ties->bodies[tie->end[e].body]) + 4 * (size_t)tie->end[e].vertex[k];
            double w = e ? -tie->end[e].weight[k] : tie->end[e].weight[k];
            sum = snMulAdd(sum, w, snVec(x[0], x[1], x[2]));
        }
    return sum;
}

static double *gradientRows(const snTieBody *body)
{
    return body->state->gradient;
}

static double *loadRows(const snTieBody *body)
{
    return body->model->space && body->model->space->levels ? body->state->space.load : NULL;
}

static void addForce(const snTies *ties, const snTie *tie, snVec3 slope, Vector *rows)
{
    for (int e = 0; e < 2; e++) {
        double *to = tie->end[e].count ? rows(&ties->bodies[tie->end[e].body]) : NULL;
        for (int k = 0; k < tie->end[e].count && to; k++) {
            if (isKnownVertex(&ties->bodies[tie->end[e].body], tie->end[e].vertex[k])) continue;
            double *g = to + 4 * (size_t)tie->end[e].vertex[k];
            double w = e ? -tie->end[e].weight[k] : tie->end[e].weight[k];
            g[0] += w * slope.x;
            g[1] += w * slope.y;
            g[2] += w * slope.z;
        }
    }
}

// Of the springs; with their gradient to some rows.
static double addTerms(const snTies *ties, Vector *rows)
{
    double sum = 0;
    for (int i = 0; i < ties->count; i++) {
        const snTie *tie = &ties->list[i];
        if (tie->hard) continue;
        snVec3 away = snSub(between(ties, tie, nextOf), tie->origin);
        if (rows) addForce(ties, tie, snSub(snScale(tie->stiffness, away), tie->push), rows);
        sum += 0.5 * tie->stiffness * snLengthSquared(away) - snDot(tie->push, away);
    }
    return sum;
}

double snTies_AddTerms(const snTies *ties, bool gradient)
{
    return addTerms(ties, gradient ? gradientRows : NULL);
}

void snTies_AddLoads(const snTies *ties)
{
    addTerms(ties, loadRows);
}

void snTies_ListVertices(const snTies *ties)
{
    for (int i = 0; i < ties->count; i++)
        for (int e = 0; e < 2; e++) {
            const snTieEnd *end = &ties->list[i].end[e];
            if (!end->count) continue;
            const snTieBody *body = &ties->bodies[end->body];
            snSpaceLevels_ListRow(body->model, body->state, end->count, end->vertex);
        }
}

double snTies_Curvature(const snTies *ties)
{
    double sum = 0;
    for (int i = 0; i < ties->bodyCount; i++) {
        const snTieBody *body = &ties->bodies[i];
        if (body->model->space)
            snSpace_Push(body->model, body->state, body->state->direction, body->state->wide);
    }
    for (int i = 0; i < ties->count; i++)
        if (!ties->list[i].hard)
            sum += ties->list[i].stiffness * snLengthSquared(between(ties, &ties->list[i], wayOf));
    return sum;
}
