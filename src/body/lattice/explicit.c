#include "body/lattice/explicit.h"

#include "body/lattice/energy.h"
#include "body/lattice/row.h"
#include "body/lattice/space.h"
#include "constraint/constraint.h"
#include "core/error.h"
#include "numerics/dense.h"
#include "numerics/ode.h"

#include <string.h>

#define FEEDBACK 8 // τ in steps

struct snExplicit {
    snArena arena;
    const snLatticeModel *model;
    int n;
    double *mass;            // [n * n], the factor of M
    snConstraintSet *points; // J, on top of M
    double *row;             // [n], of J
    int *number;             // [n], 0 ... n - 1
    double *one;             // [n], scratch of solves
    double *inverseMass;     // [n * 4], 1: W is in the accelerations
    snOde ode;
    double *place, *pace, *force; // [vertices * 4]
    // In a step; q and v: where accelerations are asked for, [n * 4].
    snLatticeState *state;
    const snExplicitStep *step;
    const double *q, *v;
};

// ---- points -------------------------------------------------------------------------------------

void snExplicit_Clear(snExplicit *e)
{
    while (*e->points->count > 0)
        snConstraintSet_Remove(e->points, e->points->order[*e->points->count - 1], NULL);
}

void snExplicit_Hold(snExplicit *e, const snExplicitHold *hold)
{
    const snSpace *space = e->model->space;
    double target[4] = {hold->target.x, hold->target.y, hold->target.z, 0};
    int handle;
    memset(e->row, 0, (size_t)e->n * sizeof *e->row);
    for (int k = 0; k < hold->count; k++) {
        int v = hold->vertex[k];
        if (!space) e->row[v] += hold->weight[k];
        for (int i = space ? space->rows.start[v] : 0; space && i < space->rows.start[v + 1]; i++)
            e->row[space->rows.column[i]] += hold->weight[k] * space->rows.weight[i];
    }
    snConstraintDef point = {
        .termCount = e->n, .index = e->number, .weight = e->row, .target = target};
    snConstraintSet_Add(e->points, &point, &handle, NULL);
}

// W x
static void solveMass(void *context, const double *x, double *y)
{
    snExplicit *e = context;
    memcpy(y, x, (size_t)e->n * sizeof *y);
    snDenseCholesky_Solve(e->n, e->mass, y);
}

// a += W Jᵀλ, so that J a = -2 ċ/τ - c/τ².
static void holdPoints(const snExplicit *e, double tau, double *a)
{
    const snConstraintSet *points = e->points;
    for (int k = 0; k < *points->count; k++) {
        int handle = points->order[k];
        double place[4], rate[4];
        snConstraintSet_Value(points, handle, e->q, place);
        snConstraintSet_Value(points, handle, e->v, rate);
        for (int c = 0; c < 4; c++) {
            double miss = place[c] - points->target[4 * handle + c];
            points->right[4 * handle + c] = -(2 * rate[c] / tau + miss / (tau * tau));
        }
    }
    snConstraintSet_Correct(points, points->right, a, points->scratch);
}

// ---- forces -------------------------------------------------------------------------------------

// One element: its corners, ∇φ of all but the first, and the moduli times its volume.
typedef struct Element {
    const snElementClass *class;
    size_t place;
    const int *vertex;
    const double *gradient;
    double shear, bulk;
} Element;

static Element elementAt(const snElementClass *class, int k)
{
    size_t group = (size_t)(k / SN_GROUP), lane = (size_t)(k % SN_GROUP);
    size_t corners = (size_t) class->corners;
    return (Element){class,
                     (size_t)k,
                     class->vertex + group * corners * SN_GROUP + lane,
                     (const double *)class->gradient + group * (corners - 1) * 3 * SN_GROUP + lane,
                     ((const double *)class->shear)[k],
                     ((const double *)class->bulk)[k]};
}

static snVec3 gradientOf(const Element *e, int corner)
{
    const double *g = e->gradient + (size_t)(corner - 1) * 3 * SN_GROUP;
    return snVec(g[0], g[SN_GROUP], g[2 * SN_GROUP]);
}

// β ∂P/∂F : Ḟ
static snMat3 strainDamping(const snHessian9 *h, snMat3 rate, double beta)
{
    snMat3 p;
    const double *x = &rate.cx.x;
    double *y = &p.cx.x;
    for (int i = 0; i < 9; i++) {
        y[i] = 0;
        for (int j = 0; j < 9; j++)
            y[i] += beta * h->m[i][j] * x[j];
    }
    return p;
}

static void addForce(double *force, const int *vertex, int at, snVec3 f)
{
    double *row = force + 4 * (size_t)vertex[at];
    row[0] += f.x, row[1] += f.y, row[2] += f.z;
}

// Adds s times an element's forces, and with damping those of its strain's rate; returns V̇.
static double addElement(const snExplicit *x, const Element *e, double s, bool damps)
{
    const snLatticeModelDef *def = &x->model->def;
    snElementTarget rest = snRestTarget();
    rest.crush = def->crush;
    snMat3 f = snElementClass_Deformation(e->class, e->place, x->place);
    snMat3 rate = snElementClass_Deformation(e->class, e->place, x->pace);
    snMat3 p = snEnergy_Stress(def->material, 0.5 * e->shear, e->bulk, &rest, f);
    double power = snDot(p.cx, rate.cx) + snDot(p.cy, rate.cy) + snDot(p.cz, rate.cz);
    if (s == 0) return power;
    p = snScaleM(s, p);
    if (damps) {
        snHessian9 h = snEnergy_Hessian(def->material, 0.5 * e->shear, e->bulk, &rest, f);
        p = snAddMM(p, strainDamping(&h, rate, def->stiffnessDamping));
    }
    for (int k = 1; k < e->class->corners; k++) {
        snVec3 pull = snMulMV(p, gradientOf(e, k));
        addForce(x->force, e->vertex, k * SN_GROUP, snNeg(pull));
        addForce(x->force, e->vertex, 0, pull);
    }
    return power;
}

static double addElements(const snExplicit *x, double s)
{
    double power = 0;
    for (int c = 0; c < 2; c++)
        for (int k = 0; k < x->model->classes[c].count; k++) {
            Element e = elementAt(&x->model->classes[c], k);
            power += addElement(x, &e, s, x->model->def.stiffnessDamping > 0);
        }
    return power;
}

// A spring and a force as a step of this length has them: (b - K (p - x)) / h².
static void addPull(const snExplicit *e, const snLatticePull *pull, double h)
{
    snVec3 p = snNeg(pull->origin);
    for (int k = 0; k < pull->count; k++)
        p = snMulAdd(p, pull->weight[k], snRow(e->place, pull->vertex[k]));
    snVec3 f = snScale(1 / (h * h), snMulAdd(pull->push, -pull->stiffness, p));
    for (int k = 0; k < pull->count; k++)
        addForce(e->force, pull->vertex, k, snScale(pull->weight[k], f));
}

// a = W Q at q and v, and what holds the points.
static void accelerate(void *context, double t, const double *q, const double *v, double *a)
{
    snExplicit *e = context;
    const snLatticeModel *model = e->model;
    const snExplicitStep *step = e->step;
    snLatticeState *state = e->state;
    (void)t;
    e->q = q, e->v = v;
    size_t rows = 4 * (size_t)model->vertexCount * sizeof(double);
    if (model->space) {
        snSpace_Push(model, state, e->q, e->place);
        snSpace_Push(model, state, e->v, e->pace);
    } else {
        memcpy(e->place, e->q, rows);
        memcpy(e->pace, e->v, rows);
    }
    memset(e->force, 0, rows);
    double s = step->stiffness, k = model->def.energyDamping;
    if (k > 0) s *= 1 + k * s * addElements(e, 0);
    addElements(e, s);
    for (int i = 0; i < step->pullCount; i++)
        addPull(e, &step->pulls[i], step->length);
    for (int i = 0; i < model->vertexCount; i++) {
        snVec3 g = snMulAdd(step->gravity, -step->drag, snRow(e->pace, i));
        addForce(e->force, &i, 0, snScale(model->mass[i], g));
    }
    if (model->space)
        snSpace_Pull(model, state, e->force, a);
    else
        memcpy(a, e->force, rows);
    for (int c = 0; c < 3; c++) {
        for (int i = 0; i < e->n; i++)
            e->one[i] = c == 2 && step->planar ? 0 : a[4 * i + c];
        snDenseCholesky_Solve(e->n, e->mass, e->one);
        for (int i = 0; i < e->n; i++)
            a[4 * i + c] = e->one[i];
    }
    holdPoints(e, FEEDBACK * step->length, a);
}

// ---- making -------------------------------------------------------------------------------------

static void makeMass(const snLatticeModel *model, int n, double *mass)
{
    const snSpace *space = model->space;
    for (int i = 0; i < n && !space; i++)
        mass[i * n + i] = model->mass[i];
    for (int v = 0; v < model->vertexCount && space; v++)
        for (int a = space->rows.start[v]; a < space->rows.start[v + 1]; a++)
            for (int b = space->rows.start[v]; b < space->rows.start[v + 1]; b++)
                mass[space->rows.column[a] * n + space->rows.column[b]] +=
                    model->mass[v] * space->rows.weight[a] * space->rows.weight[b];
}

static bool allocate(snExplicit *e)
{
    snArena *arena = &e->arena;
    size_t n = (size_t)e->n, rows = 4 * (size_t)e->model->vertexCount;
    e->mass = SN_NEW(arena, double, n *n);
    e->row = SN_NEW(arena, double, n);
    e->number = SN_NEW(arena, int, n);
    e->one = SN_NEW(arena, double, n);
    e->inverseMass = SN_NEW(arena, double, 4 * n);
    e->place = SN_NEW(arena, double, rows);
    e->pace = SN_NEW(arena, double, rows);
    e->force = SN_NEW(arena, double, rows);
    for (size_t i = 0; i < 4 * n && e->inverseMass; i++)
        e->inverseMass[i] = 1;
    for (int i = 0; i < e->n && e->number; i++)
        e->number[i] = i;
    return e->mass && e->row && e->number && e->one && e->inverseMass && e->place && e->pace &&
           e->force;
}

static snStatus makePoints(snExplicit *e, int mostHeld, const snContext *context, snError *error)
{
    snConstraintSetDef def = snDefaultConstraintSetDef();
    def.size = e->n;
    def.capacity = mostHeld;
    def.mostTerms = e->n;
    def.inverse = (snOperator){solveMass, e};
    def.leastSquares = true;
    return snConstraintSet_Make(&e->points, &def, context, error);
}

snStatus snExplicit_Make(snExplicit **out, const snLatticeModel *model, int mostHeld,
                         const snContext *context, snError *error)
{
    int n = snLatticeModel_Unknowns(model);
    *out = NULL;
    if (n > SN_EXPLICIT_FUNCTIONS || model->def.precision != SN_PRECISION_DOUBLE ||
        (model->space && model->space->levels))
        return snFail(error, SN_ERROR_UNSUPPORTED,
                      "explicit steps are for bodies of up to %d functions in double precision, "
                      "none of which come and go; this one has %d",
                      SN_EXPLICIT_FUNCTIONS, n);
    snArena arena = snMakeArena(context);
    snExplicit *e = SN_NEW(&arena, snExplicit, 1);
    if (!e) return snFailMemory(error);
    *e = (snExplicit){.arena = arena, .model = model, .n = n};
    snStatus status = allocate(e) ? SN_OK : snFailMemory(error);
    if (!status) makeMass(model, n, e->mass);
    if (!status && snDenseCholesky(n, e->mass, NULL))
        status = snFail(error, SN_ERROR_NUMERIC,
                        "some functions of the body move no mass: it has no explicit steps");
    snOdeSystem system = {.size = 4 * n,
                          .inverseMass = e->inverseMass,
                          .timeless = true,
                          .force = accelerate,
                          .context = e};
    if (!status) status = makePoints(e, mostHeld, context, error);
    if (!status) status = snOde_Make(&e->ode, &system, context, error);
    if (status)
        snExplicit_Destroy(e);
    else
        *out = e;
    return status;
}

void snExplicit_Destroy(snExplicit *e)
{
    if (!e) return;
    snOde_Destroy(&e->ode);
    snConstraintSet_Destroy(e->points);
    snArena_DestroyWithin(&e->arena);
}

// ---- a step -------------------------------------------------------------------------------------

bool snExplicit_Take(snExplicit *e, snLatticeState *state, const snExplicitStep *step)
{
    double *q = snLatticeState_Values(e->model, state), *v = snLatticeState_Rates(e->model, state);
    size_t bytes = 4 * (size_t)e->n * sizeof(double);
    snOdeControl control = {.fixed = step->length};
    bool fourth = e->model->def.integrator == SN_INTEGRATOR_RUNGE_KUTTA;
    e->state = state;
    e->step = step;
    snConstraintSet_Prepare(e->points);
    bool finite = isfinite(
        snOde_Try(&e->ode, fourth ? SN_ODE_RK4 : SN_ODE_EULER, &control, 0, step->length, q, v));
    memcpy(q, e->ode.trial, bytes);
    memcpy(v, e->ode.trial + 4 * e->n, bytes);
    if (e->model->space) {
        snSpace_Push(e->model, state, q, state->position);
        snSpace_Push(e->model, state, v, state->velocity);
    }
    state->steps++;
    return finite;
}
