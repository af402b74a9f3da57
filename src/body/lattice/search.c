// The search for the step's end: quasi-Newton iterations on one constant matrix, every move checked
// to go down and halved if it does not.
#include "body/lattice/search.h"

#include "body/lattice/contact.h"
#include "body/lattice/detail.h"
#include "body/lattice/newton.h"
#include "body/lattice/passes.h"
#include "body/lattice/point.h"
#include "body/lattice/space.h"
#include "body/lattice/turned.h"

#include <string.h>

#define MOST_HALVINGS 30 // of one move before a lane gives up

// The search of all lanes of a batch. Each lane goes its own way: its own products, its own halved
// steps, and its own end.
typedef struct Search {
    const snLatticeModel *model;
    snLatticeState *state;
    snPointConstraints *points;  // that are projected, or NULL
    snMultipliers *multipliers;  // of points that are held by them, or NULL
    snLatticeContacts *contacts; // those that there are, or NULL
    const snVectorKernels *kernels;
    int unknowns;     // free vertices and slots, or functions
    double *values;   // of the unknowns: state->next, or its coefficients
    double *gradient; // over the unknowns
    bool turned;      // both matrices; points know only the scalar one
    unsigned char moving[SN_MAX_LANES];
    double value[SN_MAX_LANES]; // of the objective, by lane
    // L-BFGS.
    int count;                             // pairs kept
    int slot[SN_MEMORY];                   // their places, oldest first
    double rho[SN_MEMORY][SN_MAX_LANES];   // 1 / (s . y) by place and lane; 0: no pair
    double alpha[SN_MEMORY][SN_MAX_LANES]; // scratch
} Search;

// A place for a new pair; the oldest one gives way when all are taken.
static int freePlace(Search *s)
{
    bool taken[SN_MEMORY] = {false};
    int place = 0;
    if (s->count == SN_MEMORY) memmove(s->slot, s->slot + 1, (size_t)--s->count * sizeof(int));
    for (int i = 0; i < s->count; i++)
        taken[s->slot[i]] = true;
    while (taken[place])
        place++;
    return place;
}

// Keeps s = y_k - y_{k-1} and the turn of the gradient, for lanes where the curvature is positive.
static void remember(Search *s)
{
    snLatticeState *state = s->state;
    int n = s->unknowns * state->width, place = freePlace(s);
    double *move = state->moves[place], *turn = state->turns[place];
    double curvature[SN_MAX_LANES];
    bool any = false;
    s->kernels->subtract(n, s->values, state->previous, move);
    s->kernels->subtract(n, s->gradient, state->previousGradient, turn);
    s->kernels->dot(state, s->unknowns, move, turn, curvature);
    for (int l = 0; l < state->lanes; l++) {
        bool good = s->moving[l] && curvature[l] > 0;
        s->rho[place][l] = good ? 1.0 / curvature[l] : 0;
        any |= good;
    }
    if (any) s->slot[s->count++] = place;
}

// direction = -H gradient by the two-loop recursion (Nocedal, "Updating Quasi-Newton Matrices with
// Limited Storage", 1980) with H_0 = S^-1, or what turned.c has. Lanes that have stopped get no direction.
static void findDirection(Search *s)
{
    snLatticeState *state = s->state;
    const snVectorKernels *kernels = s->kernels;
    int n = s->unknowns * state->width, lanes = state->lanes;
    double *d = state->direction, factor[SN_MAX_LANES];
    kernels->negate(n, s->gradient, d);
    for (int i = s->count - 1; i >= 0; i--) {
        int p = s->slot[i];
        kernels->dot(state, s->unknowns, state->moves[p], d, s->alpha[p]);
        for (int l = 0; l < lanes; l++) {
            s->alpha[p][l] *= s->rho[p][l];
            factor[l] = -s->alpha[p][l];
        }
        kernels->addScaled(state, s->unknowns, factor, state->turns[p], d);
    }
    if (s->turned)
        snTurned_Solve(s->model, state, d);
    else if (s->model->detail)
        snDetail_Solve(s->model, state, d);
    else if (s->model->def.precision == SN_PRECISION_SINGLE)
        snFactor_SolveRowsSingle(s->model->factor, d, state->solve);
    else if (lanes == 1)
        snFactor_SolveRows(s->model->factor, d, state->solve);
    else
        snFactor_SolveOrdered(s->model->factor, state->width, d, state->solve);
    if (s->points) snPointConstraints_Project(s->points, d);
    for (int i = 0; i < s->count; i++) {
        int p = s->slot[i];
        kernels->dot(state, s->unknowns, state->turns[p], d, factor);
        for (int l = 0; l < lanes; l++)
            factor[l] = s->alpha[p][l] - s->rho[p][l] * factor[l];
        kernels->addScaled(state, s->unknowns, factor, state->moves[p], d);
    }
}

// In single precision elements read the first guess in doubles, and from then on how far the unknowns
// have come from it.
static const double *placeOf(Search *s, snPassKind kind)
{
    snLatticeState *state = s->state;
    int n = s->model->unknownCount * state->width;
    if (s->model->def.precision == SN_PRECISION_DOUBLE) return state->next;
    if (kind != SN_PASS_GUESS) {
        s->kernels->shift(n, state->next, state->guess, state->shift);
        return NULL;
    }
    memcpy(state->guess, state->next, (size_t)n * sizeof(double));
    return state->next;
}

// The objective of every lane at `next`, with its gradient, or at the end of the step with the
// strain that belongs to it. Only active lanes look for their rotations anew.
static void evaluate(Search *s, snPassKind kind, const unsigned char *active, double *value)
{
    const snLatticeModel *model = s->model;
    snLatticeState *state = s->state;
    bool end = kind == SN_PASS_STRAIN;
    double h = model->def.step, scale = h * (h + model->def.stiffnessDamping) * state->stiffness;
    double squares[SN_MAX_LANES];
    if (model->detail) snDetail_Expand(model, state, state->next, false);
    snRunPass(model, state, kind, placeOf(s, kind), active, value);
    if (end)
        s->kernels->inertia(model, state, squares);
    else
        s->kernels->gradient(model, state, squares);
    if (model->detail) squares[0] += snDetail_AddTerms(model, state, !end);
    if (s->contacts)
        squares[0] +=
            snLatticeContacts_AddTerms(s->contacts, state->next, end ? NULL : state->gradient);
    if (model->space && !end) snSpace_Pull(model, state->gradient, s->gradient);
    if (s->points && !end) { // forces that hold the points do no work: they must not drown the rest
        snProjection keep = snPointConstraints_Projection(s->points, state->width);
        keep.apply(keep.context, s->gradient);
    }
    if (s->multipliers) squares[0] += snMultipliers_Term(s->multipliers, s->values);
    for (int l = 0; l < state->lanes; l++)
        value[l] = scale * value[l] + squares[l];
}

// Puts a lane's unknowns between where they were and where they are: share 0 is back.
static void shorten(Search *s, int lane, double share)
{
    snLatticeState *state = s->state;
    for (int row = 0; row < s->unknowns * state->components; row++) {
        size_t k = (size_t)row * (size_t)state->lanes + (size_t)lane;
        s->values[k] = state->previous[k] + share * (s->values[k] - state->previous[k]);
    }
    if (s->model->space) snSpace_Push(s->model, s->values, state->next);
}

// What rounding can do to an objective. Doubles: next to nothing. Floats: with ε for what they do to F,
// an element's energy ½ k V |F - RC|² changes by k V |F - RC| ε, and all of them, by the inequality of
// Cauchy and Schwarz, by ε √(2 E Σ k V) at most. The neo-Hookean energy is a difference of large terms
// where an element has turned: ε k V each, as likely up as down.
static double rounding(const snLatticeModel *model, double value)
{
    if (model->def.precision == SN_PRECISION_DOUBLE) return 1e-12 * fabs(value);
    double epsilon = 1e-7, stiffness = model->stiffness, size = fabs(value);
    double error = epsilon * (size + sqrt(2 * size * stiffness) + epsilon * stiffness);
    if (model->def.material != SN_MATERIAL_NEO_HOOKEAN) return error;
    return error + epsilon * stiffness / sqrt(model->classes[0].count + model->classes[1].count);
}

// Halves the last move of each lane until its objective is no higher than before it (rounding
// aside). A lane for which even a tiny move does not help goes back and stops.
static void descend(Search *s, bool end)
{
    snLatticeState *state = s->state;
    unsigned char active[SN_MAX_LANES];
    double value[SN_MAX_LANES];
    memcpy(active, s->moving, sizeof active);
    if (end) memset(active, 1, sizeof active);
    for (int halvings = 0;; halvings++) {
        bool again = false;
        evaluate(s, end ? SN_PASS_STRAIN : SN_PASS_FORCE, active, value);
        for (int l = 0; l < state->lanes; l++) {
            bool lower = value[l] <= s->value[l] + rounding(s->model, s->value[l]);
            if (active[l] && (lower || !s->moving[l])) s->value[l] = value[l], active[l] = 0;
            if (!active[l]) continue;
            state->backtracks++;
            s->moving[l] = halvings < MOST_HALVINGS;
            shorten(s, l, halvings < MOST_HALVINGS ? 0.5 : 0);
            again = true;
        }
        if (!again) return;
    }
}

static bool anyMoving(const Search *s)
{
    for (int l = 0; l < s->state->lanes; l++)
        if (s->moving[l]) return true;
    return false;
}

static void keepIterate(Search *s)
{
    snLatticeState *state = s->state;
    size_t bytes = (size_t)s->unknowns * (size_t)state->width * sizeof(double);
    memcpy(state->previous, s->values, bytes);
    memcpy(state->previousGradient, s->gradient, bytes);
}

// How much of the direction to go. It is of the length that suits what its matrix knows, a curvature of
// c = -g . d along it, and contacts have dᵀCd beyond that: the minimum is at c / (c + dᵀCd). With it no
// move has to be halved, and contacts may be many times as stiff as the matrix.
static double shareBeforeContacts(const Search *s)
{
    const snLatticeState *state = s->state;
    const double *way = state->direction;
    double slope;
    s->kernels->dot(state, s->unknowns, s->gradient, way, &slope);
    if (s->model->space) snSpace_Push(s->model, way, state->wide), way = state->wide;
    double more = snLatticeContacts_Curvature(s->contacts, state->next, way);
    return slope < 0 ? slope / (slope - more) : 1;
}

// New multipliers are another function to lower: its value before the move.
static bool newtonDirection(Search *s, const snLatticeDrive *drive, int iteration)
{
    if (s->multipliers) s->value[0] -= snMultipliers_Term(s->multipliers, s->values);
    if (!snNewton_Direction(s->model, s->state, drive, iteration)) return false;
    if (s->multipliers) s->value[0] += snMultipliers_Term(s->multipliers, s->values);
    return true;
}

bool snSearch_Minimise(const snLatticeModel *model, snLatticeState *state,
                       const snLatticeDrive *drive)
{
    bool touches = drive->contacts && drive->contacts->recordCount + drive->contacts->pullCount > 0;
    snMultipliers *held = drive->points ? drive->points->multipliers : NULL;
    Search search = {.model = model,
                     .state = state,
                     .points = held ? NULL : drive->points,
                     .multipliers = held,
                     .contacts = touches ? drive->contacts : NULL,
                     .kernels = model->vectors,
                     .unknowns = snLatticeModel_Unknowns(model),
                     .values = snLatticeState_NextValues(model, state),
                     .gradient = model->space ? state->pulled : state->gradient,
                     .turned = model->turned && !drive->points};
    Search *s = &search;
    double one[SN_MAX_LANES];
    memset(s->moving, 1, sizeof s->moving);
    evaluate(s, SN_PASS_GUESS, NULL, s->value);
    for (int l = 0; l < state->lanes; l++)
        if (!isfinite(s->value[l])) return false;
    if (s->turned) snTurned_Begin(model, state);
    int iterations = model->def.iterations;
    if (touches && !state->newton && drive->contacts->iterations > iterations)
        iterations = drive->contacts->iterations;
    for (int k = 0; k < iterations; k++) {
        if (k > 0) {
            descend(s, false);
            if (!anyMoving(s)) break;
            if (!state->newton) remember(s);
        }
        keepIterate(s);
        if (!state->newton)
            findDirection(s);
        else if (!newtonDirection(s, drive, k))
            return false;
        for (int l = 0; l < state->lanes; l++)
            one[l] = s->moving[l];
        if (s->contacts && !state->newton) one[0] *= shareBeforeContacts(s);
        s->kernels->addScaled(state, s->unknowns, one, state->direction, s->values);
        if (model->space) snSpace_Push(model, s->values, state->next);
    }
    descend(s, true);
    for (int l = 0; l < state->lanes; l++)
        if (!isfinite(s->value[l]) || s->value[l] > model->tornEnergy) return false;
    return true;
}
