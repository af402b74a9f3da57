// Impulses at points of solid bodies. Masses stand at the lattice's vertices, so that M is diagonal and M⁻¹Jᵀ of
// a point is its weights over their masses. In a space of motions y = B q the velocities are B q̇, their kinetic
// energy is ½ q̇ᵀ M_q q̇ with M_q = Bᵀ M B, and an impulse changes them by
//
//     B M_q⁻¹ Bᵀ Jᵀ P.
//
// M_q is not factored: blows are rare, and G = BᵀB, which is, differs from it by no more than masses do, so that
// conjugate gradients with G in front find M_q⁻¹ to rounding in a dozen rounds. Of functions that come and go the
// constant ones alone are struck: they contain every shift, which is all that momentum asks for.
//
// Vertices on bones that give way are struck as if they were free, by what mass is left on them; the next step's inertia
// (bones.c) hands it to their links.
#include "body/lattice/bones.h"
#include "body/lattice/solid_parts.h"
#include "body/lattice/space_levels.h"

#include <string.h>

#define MOST_ROUNDS 200
#define ENOUGH 1e-28 // of the square of the residue's size

typedef struct Vectors {
    double *x, *r, *z, *p, *product; // [functions]
    double *y;                       // [vertices]
} Vectors;

size_t snSolidBody_ImpulseSize(const snLatticeModel *model)
{
    if (!model->space) return 0;
    return 5 * (size_t)snSpace_Constant(model->space) + (size_t)model->vertexCount;
}

static Vectors vectorsOf(const snSolidBody *solid)
{
    size_t n = (size_t)snSpace_Constant(solid->model->space);
    double *at = solid->impulse;
    return (Vectors){at, at + n, at + 2 * n, at + 3 * n, at + 4 * n, at + 5 * n};
}

// y = B q and p = Bᵀ y, one number each.
static void push(const snLatticeModel *model, const double *q, double *y)
{
    const snWeightRows *rows = &model->space->rows;
    for (int v = 0; v < model->vertexCount; v++) {
        double sum = 0;
        for (int k = rows->start[v]; k < rows->start[v + 1]; k++)
            sum += rows->weight[k] * q[rows->column[k]];
        y[v] = sum;
    }
}

static void pull(const snLatticeModel *model, const double *y, double *p)
{
    const snWeightRows *columns = &model->space->columns;
    for (int a = 0; a < snSpace_Constant(model->space); a++) {
        double sum = 0;
        for (int k = columns->start[a]; k < columns->start[a + 1]; k++)
            sum += columns->weight[k] * y[columns->column[k]];
        p[a] = sum;
    }
}

static double dot(int n, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static void timesMass(const snLatticeModel *model, const Vectors *v, const double *q, double *out)
{
    push(model, q, v->y);
    for (int i = 0; i < model->vertexCount; i++)
        v->y[i] *= model->mass[i];
    pull(model, v->y, out);
}

// x = M_q⁻¹ r, by conjugate gradients with G in front; r is used up.
static void solveMass(snSolidBody *solid, const Vectors *v)
{
    const snLatticeModel *model = solid->model;
    int n = snSpace_Constant(model->space);
    size_t bytes = (size_t)n * sizeof(double);
    double first = dot(n, v->r, v->r), before = 1;
    memset(v->x, 0, bytes);
    memset(v->p, 0, bytes);
    for (int round = 0; round < MOST_ROUNDS; round++) {
        if (!(dot(n, v->r, v->r) > ENOUGH * first)) break;
        memcpy(v->z, v->r, bytes);
        snFactor_SolveOrdered(model->space->gram, 1, v->z, solid->state->solve);
        double now = dot(n, v->r, v->z), beta = round ? now / before : 0;
        for (int i = 0; i < n; i++)
            v->p[i] = v->z[i] + beta * v->p[i];
        timesMass(model, v, v->p, v->product);
        double curvature = dot(n, v->p, v->product), alpha = now / curvature;
        if (!(curvature > 0)) break;
        for (int i = 0; i < n; i++) {
            v->x[i] += alpha * v->p[i];
            v->r[i] -= alpha * v->product[i];
        }
        before = now;
    }
}

void snSolidBody_ImpulseColumn(snBody *body, int point, double *column)
{
    snSolidBody *solid = (snSolidBody *)body;
    const snLatticeModel *model = solid->model;
    const snSolidPoint *p = &solid->points[point];
    const double *mass = solid->bones ? solid->bones->mass : model->mass;
    memset(column, 0, (size_t)body->size * sizeof *column);
    for (int k = 0; k < p->count; k++)
        if (p->index[k] < body->size)
            column[p->index[k]] += p->weight[k] / (model->space ? 1 : mass[p->index[k]]);
    if (!model->space) return;
    Vectors v = vectorsOf(solid);
    pull(model, column, v.r);
    solveMass(solid, &v);
    push(model, v.x, column);
}

void snSolidBody_Strike(snBody *body, const double *column, snVec3 impulse)
{
    snSolidBody *solid = (snSolidBody *)body;
    const snLatticeModel *model = solid->model;
    snLatticeState *state = solid->state;
    for (int i = 0; i < body->size; i++) {
        double *v = state->velocity + 4 * (size_t)i;
        v[0] += column[i] * impulse.x;
        v[1] += column[i] * impulse.y;
        v[2] += column[i] * impulse.z;
    }
    if (!model->space) return;
    if (model->space->levels) snSpaceLevels_Update(model, state);
    snSpace_Fit(model, state, state->velocity, state->coefficientVelocity);
    snSpace_Push(model, state, state->coefficientVelocity, state->velocity);
}
