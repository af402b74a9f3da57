// What a search goes down in: the objective of the step (step.c) and its gradient, over all bodies that are searched for together.
#include "body/lattice/search_parts.h"

#include "body/lattice/average.h"
#include "body/lattice/contact_parts.h"
#include "body/lattice/detail.h"
#include "body/lattice/newton.h"
#include "body/lattice/point.h"
#include "body/lattice/space_levels.h"
#include "body/lattice/tie.h"

#include <string.h>

#define MOST_HALVINGS 30 // of one move before a lane gives up

// In single precision elements read the first guess in doubles, and from then on how far the unknowns
// have come from it.
static const double *placeOf(const snSearchBody *body, snPassKind kind)
{
    snLatticeState *state = body->state;
    int n = body->model->unknownCount * state->width;
    if (body->model->def.precision == SN_PRECISION_DOUBLE) return state->next;
    if (kind != SN_PASS_GUESS) {
        body->model->vectors->shift(n, state->next, state->guess, state->shift);
        return NULL;
    }
    memcpy(state->guess, state->next, (size_t)n * sizeof(double));
    return state->next;
}

// Damping of the energy's rate, k in s/J (Witkin and Welch, 1990): the force -k V̇ ∂V/∂y, with V̇ = (V - V_n) / h over the
// step, is minus the gradient of ½ (k / h) (V - V_n)², so that the elastic part of the objective becomes
//
//     h² φ(V),   φ(V) = V + ½ (k / h) (V - V_n)²,   with the gradient h² s ∂V/∂y,   s = φ'(V) = 1 + k (V - V_n) / h.
//
// φ is convex with its minimum at V_n - h / k: V cannot be made to fall faster than 1/k joules a second, and a step ends no
// higher in its objective than it would by standing still, whatever k: what the term holds is lost. Where strain rates are damped as
// well V has their part of the step's energy in it. Returns the elastic part of the objective, and scales corner forces.
static double dampEnergy(const snSearchBody *body, double scale, double part)
{
    const snLatticeModel *model = body->model;
    snLatticeState *state = body->state;
    double h = model->def.step, k = model->def.energyDamping;
    double change = (scale * part - body->begun) / (h * h), s = 1 + k * change / h;
    double *force = state->force;
    for (size_t i = 0; i < (size_t)model->slotCount * 4; i++)
        force[i] *= s;
    return scale * part + 0.5 * h * k * change * change;
}

// V_n, as the step has it: from where it begins. With averages over a step of H = 2 h (average.h) the work of the elastic
// forces is exactly V' - V_n, so that s = 1 + k (V' - V_n) / H takes the energy k (V' - V_n)² / H, whatever the step. With U the energy
// that is searched with, s has this value for V_n = U - ½ (V' - V_n), and about the right slope: V' changes twice as fast as U.
void snSearch_BeginEnergy(snSearchBody *body)
{
    const snLatticeModel *model = body->model;
    snLatticeState *state = body->state;
    double part[SN_MAX_LANES], h = model->def.step;
    bool averaged = snAverage_Has(model);
    if (!(model->def.energyDamping > 0)) return;
    snRunPass(model, state, SN_PASS_FORCE, averaged ? state->next : state->position, NULL, part);
    body->begun = snSearch_Scale(body) * part[0];
    if (averaged) body->begun -= 0.5 * h * h * state->stiffness * snAverage_Change(model, state);
}

// What elements and inertia have, to `value` (as part of the objective) and `squares`.
static void evaluateBody(const snSearchBody *body, snPassKind kind, const unsigned char *active,
                         double *value, double *squares)
{
    const snLatticeModel *model = body->model;
    snLatticeState *state = body->state;
    bool end = kind == SN_PASS_STRAIN;
    if (model->detail) snDetail_Expand(model, state, state->next, false);
    snRunPass(model, state, kind, placeOf(body, kind), active, value);
    double scale = snSearch_Scale(body);
    if (model->def.energyDamping > 0)
        value[0] = dampEnergy(body, scale, value[0]);
    else
        for (int l = 0; l < state->lanes; l++)
            value[l] *= scale;
    if (model->space && model->space->levels) {
        squares[0] = snSpaceLevels_AddTerms(model, state, !end);
        return;
    }
    if (end)
        model->vectors->inertia(model, state, squares);
    else
        model->vectors->gradient(model, state, squares);
    if (model->detail) squares[0] += snDetail_AddTerms(model, state, !end);
}

// The gradient over a body's unknowns, once all that touches has added to it.
static void finishGradient(const snSearchBody *body)
{
    const snSpace *space = body->model->space;
    if (space) snSpace_Gather(body->model, body->state, body->state->gradient, body->gradient);
    if (space && space->levels) snSpaceLevels_AddInertia(body->model, body->state, body->gradient);
    snSearch_Flatten(body, body->unknowns, body->gradient);
    if (body->points) { // forces that hold the points do no work: they must not drown the rest
        snProjection keep = snPointConstraints_Projection(body->points, body->state->width);
        keep.apply(keep.context, body->gradient);
    }
}

void snSearch_EvaluateBody(snSearchBody *body, snPassKind kind, const unsigned char *active)
{
    evaluateBody(body, kind, active, body->flesh, body->squares);
    if (body->bones)
        body->squares[0] += snBones_AddTerms(body->bones, body->state, kind != SN_PASS_STRAIN);
}

// The objective of every lane at `next`, with its gradient, or at the end of the step with the
// strain that belongs to it. Only active lanes look for their rotations anew.
void snSearch_Evaluate(Search *s, snPassKind kind, const unsigned char *active, double *value)
{
    bool end = kind == SN_PASS_STRAIN;
    double more = 0;
    for (int i = 0; i < s->bodyCount; i++) {
        snSearchBody *body = &s->bodies[i];
        snSearch_EvaluateBody(body, kind, active);
        double squares[SN_MAX_LANES];
        memcpy(squares, body->squares, sizeof squares);
        if (s->bodyCount == 1 && body->contacts)
            squares[0] += snLatticeContacts_AddTerms(body->contacts, body->state->next,
                                                     end ? NULL : body->state->gradient);
        if (body->multipliers) squares[0] += snMultipliers_Term(body->multipliers, body->values);
        for (int l = 0; l < s->lanes; l++)
            value[l] = (i ? value[l] : 0) + (body->flesh[l] + squares[l]);
    }
    for (int i = 0; i < s->bodyCount && s->bodyCount > 1; i++) { // each adds to others' gradients
        const snSearchBody *body = &s->bodies[i];
        more += snLatticeContacts_AddTerms(body->contacts, body->state->next,
                                           end ? NULL : body->state->gradient);
    }
    for (int i = 0; i < s->bodyCount; i++)
        if (s->bodies[i].ties) value[0] += snTies_AddTerms(s->bodies[i].ties, !end);
    if (s->bodyCount > 1) value[0] += more;
    for (int i = 0; i < s->bodyCount && !end; i++) {
        finishGradient(&s->bodies[i]);
        if (s->bodies[i].bones) snBones_FindGradient(s->bodies[i].bones, s->bodies[i].state);
    }
    for (int i = 0; i < s->bodyCount && !end; i++)
        if (s->bodies[i].ties) snTies_ProjectGradients(s->bodies[i].ties);
}

// Puts a lane's unknowns between where they were and where they are: share 0 is back.
static void shorten(Search *s, int lane, double share)
{
    for (int i = 0; i < s->bodyCount; i++) {
        const snSearchBody *body = &s->bodies[i];
        snLatticeState *state = body->state;
        for (int row = 0; row < body->unknowns * state->components; row++) {
            size_t k = (size_t)row * (size_t)state->lanes + (size_t)lane;
            body->values[k] = state->previous[k] + share * (body->values[k] - state->previous[k]);
        }
        snBones *b = body->bones;
        for (int k = 0; k < snSearch_BonesSize(body); k++)
            b->values[k] = b->previous[k] + share * (b->values[k] - b->previous[k]);
        if (b) snBones_Show(b, state);
        if (body->model->space) snSpace_Show(body->model, state, body->values, state->next);
    }
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

static double roundingOfAll(const Search *s, double value)
{
    double sum = rounding(s->bodies[0].model, value);
    for (int i = 1; i < s->bodyCount; i++)
        sum += rounding(s->bodies[i].model, value);
    return sum;
}

// Halves the last move of each lane until its objective is no higher than before it (rounding
// aside). A lane for which even a tiny move does not help goes back and stops.
void snSearch_Descend(Search *s, bool end)
{
    unsigned char active[SN_MAX_LANES];
    double value[SN_MAX_LANES];
    memcpy(active, s->moving, sizeof active);
    if (end) memcpy(active, s->wanted, sizeof active);
    for (int halvings = 0;; halvings++) {
        bool again = false;
        snSearch_Evaluate(s, end ? SN_PASS_STRAIN : SN_PASS_FORCE, active, value);
        for (int l = 0; l < s->lanes; l++) {
            bool lower = value[l] <= s->value[l] + roundingOfAll(s, s->value[l]);
            if (active[l] && (lower || !s->moving[l])) s->value[l] = value[l], active[l] = 0;
            if (!active[l]) continue;
            for (int i = 0; i < s->bodyCount; i++)
                s->bodies[i].state->backtracks++;
            s->moving[l] = halvings < MOST_HALVINGS;
            shorten(s, l, halvings < MOST_HALVINGS ? 0.5 : 0);
            again = true;
        }
        if (!again) return;
    }
}
