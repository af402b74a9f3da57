// Springs and forces at points of a linear body (pull.h). Without them a step ends at y, the minimum of a square
// with the matrix A among all that keeps held points in their places. A pull adds ½ K |p - x|² - b . (p - x) with
// p = J y, so that the end is at
//
//     y + G Jᵀ(b + λ),    λ = -K (p - x) at the end,    G = P A⁻¹,
//
// P the projection along which points stay. With Γ = J G Jᵀ, which is as small as there are pulls, λ = √K ν and
// p₁ where the points come by the forces b alone,
//
//     (1 + √K Γ √K) ν = -√K (p₁ - x):
//
// symmetric, and no eigenvalue is below 1. Conjugate gradients need no more products with Γ, a back-substitution
// each, than there are unknowns in ν, whatever K is.
#include "body/lattice/linear.h"
#include "body/lattice/pull.h"
#include "body/lattice/row.h"
#include "body/lattice/space.h"
#include "core/error.h"

#include <string.h>

#define TOLERANCE 1e-12

typedef struct Pulling {
    const snLatticeModel *model;
    snLatticeState *state;
    const snLatticeDrive *drive;
} Pulling;

size_t snLinearPulls_ScratchSize(int count)
{
    return 2 * 3 * (size_t)count + snCg_ScratchSize(3 * count);
}

// rows = Jᵀ √K x, or Jᵀ b where x is NULL, [vertices * 4].
static void spread(const Pulling *p, const double *x, double *rows)
{
    size_t bytes = (size_t)p->model->vertexCount * 4 * sizeof(double);
    memset(rows, 0, bytes);
    for (int i = 0; i < p->drive->pulls->count; i++) {
        const snLatticePull *pull = &p->drive->pulls->pulls[i];
        double root = sqrt(pull->stiffness);
        double force[3] = {pull->push.x, pull->push.y, pull->push.z};
        for (int k = 0; k < pull->count; k++)
            for (int c = 0; c < 3; c++)
                rows[4 * (size_t)pull->vertex[k] + (size_t)c] +=
                    pull->weight[k] * (x ? root * x[3 * i + c] : force[c]);
    }
}

// Where G takes the vertices with the forces √K x, or b where x is NULL: [vertices * 4].
static const double *respond(const Pulling *p, const double *x)
{
    snLatticeState *state = p->state;
    spread(p, x, state->previous);
    snLinear_Respond(p->model, state, p->drive->points, state->previous, state->direction);
    if (!p->model->space) return state->direction;
    snSpace_Push(p->model, state, state->direction, state->wide);
    return state->wide;
}

// √K J rows, of free vertices.
static void gather(const Pulling *p, const double *rows, double *x)
{
    for (int i = 0; i < p->drive->pulls->count; i++) {
        const snLatticePull *pull = &p->drive->pulls->pulls[i];
        double root = sqrt(pull->stiffness), sum[3] = {0, 0, 0};
        for (int k = 0; k < pull->count; k++)
            for (int c = 0; c < 3 && pull->vertex[k] < p->model->freeCount; c++)
                sum[c] += pull->weight[k] * rows[4 * (size_t)pull->vertex[k] + (size_t)c];
        for (int c = 0; c < 3; c++)
            x[3 * i + c] = root * sum[c];
    }
}

static void multiply(void *context, const double *x, double *y)
{
    const Pulling *p = context;
    gather(p, respond(p, x), y);
    for (int k = 0; k < 3 * p->drive->pulls->count; k++)
        y[k] += x[k];
}

// The end of the step moves as the last response has it.
static void move(const Pulling *p)
{
    snLatticeState *state = p->state;
    double *values = snLatticeState_NextValues(p->model, state);
    for (int k = 0; k < 4 * snLatticeModel_Unknowns(p->model); k++)
        values[k] += state->direction[k];
    if (p->model->space) snSpace_Push(p->model, state, values, state->next);
}

// -√K (p - x) at the step's end.
static void findMiss(const Pulling *p, double *miss)
{
    for (int i = 0; i < p->drive->pulls->count; i++) {
        const snLatticePull *pull = &p->drive->pulls->pulls[i];
        snVec3 at = snRowPlace(pull->count, pull->vertex, pull->weight, p->state->next);
        snVec3 way = snScale(-sqrt(pull->stiffness), snSub(at, pull->origin));
        miss[3 * i] = way.x;
        miss[3 * i + 1] = way.y;
        miss[3 * i + 2] = way.z;
    }
}

void snLinear_Pull(const snLatticeModel *model, snLatticeState *state, const snLatticeDrive *drive)
{
    Pulling p = {model, state, drive};
    int size = 3 * drive->pulls->count;
    double *miss = drive->pulls->scratch, *nu = miss + size;
    SN_ASSERT(model->linear->parts->factor && state->lanes == 1);
    respond(&p, NULL);
    move(&p);
    findMiss(&p, miss);
    memset(nu, 0, (size_t)size * sizeof *nu);
    snCgDef cg = {.size = size, .matrix = {multiply, &p}, .tolerance = TOLERANCE};
    snCgResult result;
    if (snCg_Solve(&cg, miss, nu, nu + size, &result, NULL))
        return; // not finite: seen by the caller
    state->linearIterations += result.iterations;
    respond(&p, nu);
    move(&p);
}
