// The search for the step's end: quasi-Newton iterations on one constant matrix, every move checked
// to go down and halved if it does not.
#include "body/lattice/search_parts.h"

#include "body/lattice/average.h"
#include "body/lattice/contact_parts.h"
#include "body/lattice/detail.h"
#include "body/lattice/newton.h"
#include "body/lattice/point.h"
#include "body/lattice/tie.h"
#include "body/lattice/space_levels.h"
#include "body/lattice/turned.h"

#include <string.h>

#define RENEWALS 2      // of contacts in fast steps
#define SOLVED 1e-8     // sizes of a body a second: moves that are slower in the mean are none
#define ROUNDS 40       // of averages over a step; ten do
#define MOST_PARTINGS 8 // of what is still in something after a fast step
#define SPOILT 4        // times the objective: more than it may grow by parting
#define ROUGHLY 1e-2    // of a slope, before averages are found anew
#define FOUND                                                                                      \
    1e-10 // of a body's size: moves of bones and flesh that are shorter in the mean are none
#define STILL 1e-9 // of a contact's reach: moves that are shorter in the mean are none

// ---- vectors over all bodies --------------------------------------------------------------------

typedef double *Vector(const snSearchBody *body, int place);

static double *moveOf(const snSearchBody *body, int place)
{
    return body->state->moves[place];
}

static double *turnOf(const snSearchBody *body, int place)
{
    return body->state->turns[place];
}

static double *directionOf(const snSearchBody *body, int place)
{
    (void)place;
    return body->state->direction;
}

static double *gradientOf(const snSearchBody *body, int place)
{
    (void)place;
    return body->gradient;
}

static double *valuesOf(const snSearchBody *body, int place)
{
    (void)place;
    return body->values;
}

// The same vector over the links of bones that give way.
static double *ofBones(const snBones *bones, Vector *vector, int place)
{
    if (vector == moveOf) return bones->moves[place];
    if (vector == turnOf) return bones->turns[place];
    if (vector == directionOf) return bones->direction;
    return vector == gradientOf ? bones->gradient : bones->values;
}

static void dot(const Search *s, int place, Vector *a, Vector *b, double *sum)
{
    double part[SN_MAX_LANES];
    for (int i = 0; i < s->bodyCount; i++) {
        const snSearchBody *body = &s->bodies[i];
        const snBones *bones = body->bones;
        s->kernels->dot(body->state, body->unknowns, a(body, place), b(body, place),
                        i ? part : sum);
        if (i) sum[0] += part[0];
        if (!bones) continue;
        s->kernels->dot(body->state, bones->rows, ofBones(bones, a, place),
                        ofBones(bones, b, place), part);
        sum[0] += part[0];
    }
}

static void addScaled(const Search *s, int place, const double *factor, Vector *x, Vector *y)
{
    for (int i = 0; i < s->bodyCount; i++) {
        const snSearchBody *body = &s->bodies[i];
        s->kernels->addScaled(body->state, body->unknowns, factor, x(body, place), y(body, place));
        if (body->bones)
            s->kernels->addScaled(body->state, body->bones->rows, factor,
                                  ofBones(body->bones, x, place), ofBones(body->bones, y, place));
    }
}

// ---- directions ---------------------------------------------------------------------------------

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
    int place = freePlace(s);
    double curvature[SN_MAX_LANES];
    bool any = false;
    for (int i = 0; i < s->bodyCount; i++) {
        const snSearchBody *body = &s->bodies[i];
        const snLatticeState *state = body->state;
        s->kernels->subtract(snSearch_Size(body), body->values, state->previous,
                             state->moves[place]);
        s->kernels->subtract(snSearch_Size(body), body->gradient, state->previousGradient,
                             state->turns[place]);
        const snBones *b = body->bones;
        if (!b) continue;
        s->kernels->subtract(snSearch_BonesSize(body), b->values, b->previous, b->moves[place]);
        s->kernels->subtract(snSearch_BonesSize(body), b->gradient, b->previousGradient,
                             b->turns[place]);
    }
    dot(s, place, moveOf, turnOf, curvature);
    for (int l = 0; l < s->lanes; l++) {
        bool good = s->moving[l] && curvature[l] > 0;
        s->rho[place][l] = good ? 1.0 / curvature[l] : 0;
        any |= good;
    }
    if (any) s->slot[s->count++] = place;
}

// d ← S⁻¹ d, or what turned.c has; with bones over links as well.
static void solveMatrix(const snSearchBody *body, double *d)
{
    const snLatticeModel *model = body->model;
    snLatticeState *state = body->state;
    if (body->bones)
        snBones_Solve(body->bones, d, body->bones->direction);
    else if (body->turned)
        snTurned_Solve(model, state, d);
    else if (snLatticeModel_Fine(model))
        snActive_Solve(model, state, d);
    else if (model->def.precision == SN_PRECISION_SINGLE)
        snFactor_SolveRowsSingle(model->factor, d, state->solve);
    else if (state->lanes == 1)
        snFactor_SolveRows(model->factor, d, state->solve);
    else
        snFactor_SolveOrdered(model->factor, state->width, d, state->solve);
}

// A vector over a body's unknowns as contacts read it, over vertices.
static void showWay(const snSearchBody *body, double *x)
{
    snLatticeState *state = body->state;
    body->contacts->way = x;
    if (body->bones) {
        memcpy(body->bones->wide, x, (size_t)snSearch_Size(body) * sizeof(double));
        snBones_Carry(body->bones, body->bones->direction, body->bones->wide);
        body->contacts->way = body->bones->wide;
    }
    if (!body->model->space) return;
    snSpace_PushTouched(body->model, state, x, state->wide);
    body->contacts->way = state->wide;
}

// x += S⁻¹Φᵀλ, with Φᵀλ in the contacts' load.
static void addLoad(const snSearchBody *body, double *x)
{
    snLatticeContacts *contacts = body->contacts;
    double *load = contacts->load;
    snSearch_Flatten(body, body->model->freeCount, load);
    if (body->bones) {
        double *rows = body->bones->load;
        snBones_Load(body->bones, load, rows);
        snBones_Solve(body->bones, load, rows);
        for (int k = 0; k < snSearch_BonesSize(body); k++)
            body->bones->direction[k] += rows[k];
        for (int k = 0; k < 4 * body->unknowns; k++)
            x[k] += load[k];
        return;
    }
    if (body->model->space)
        snSpace_PullTouched(body->model, body->state, load, contacts->pulled),
            load = contacts->pulled;
    snLatticeModel_SolveUnknowns(body->model, body->state, load, body->state->solve);
    for (int k = 0; k < 4 * body->unknowns; k++)
        x[k] += load[k];
}

// No way yet.
static void clearDirection(const snSearchBody *body)
{
    memset(body->state->direction, 0, (size_t)snSearch_Size(body) * sizeof(double));
    if (body->bones)
        memset(body->bones->direction, 0, (size_t)snSearch_BonesSize(body) * sizeof(double));
}

static void projectPoints(const Search *s)
{
    for (int i = 0; i < s->bodyCount; i++)
        if (s->bodies[i].points)
            snPointConstraints_Project(s->bodies[i].points, s->bodies[i].state->direction);
    for (int i = 0; i < s->bodyCount; i++)
        if (s->bodies[i].ties) snTies_Project(s->bodies[i].ties);
}

// From S⁻¹ to (S + Φᵀ k Φ)⁻¹. The first direction among contacts foresees which will push.
static void heedContacts(Search *s)
{
    for (int i = 0; i < s->bodyCount; i++)
        showWay(&s->bodies[i], s->bodies[i].state->direction);
    if (s->count == 0)
        snContactDual_Complement(s->dual);
    else
        snContactDual_Condense(s->dual);
    for (int i = 0; i < s->bodyCount; i++)
        addLoad(&s->bodies[i], s->bodies[i].state->direction);
}

// direction = -H gradient by the two-loop recursion (Nocedal, "Updating Quasi-Newton Matrices with
// Limited Storage", 1980) with H_0 = S^-1, or what turned.c has. Lanes that have stopped get no direction.
static void findDirection(Search *s)
{
    double factor[SN_MAX_LANES];
    for (int i = 0; i < s->bodyCount; i++) {
        const snSearchBody *body = &s->bodies[i];
        s->kernels->negate(snSearch_Size(body), body->gradient, body->state->direction);
        if (body->bones)
            s->kernels->negate(snSearch_BonesSize(body), body->bones->gradient,
                               body->bones->direction);
    }
    for (int i = s->count - 1; i >= 0; i--) {
        int p = s->slot[i];
        dot(s, p, moveOf, directionOf, s->alpha[p]);
        for (int l = 0; l < s->lanes; l++) {
            s->alpha[p][l] *= s->rho[p][l];
            factor[l] = -s->alpha[p][l];
        }
        addScaled(s, p, factor, turnOf, directionOf);
    }
    for (int i = 0; i < s->bodyCount; i++)
        solveMatrix(&s->bodies[i], s->bodies[i].state->direction);
    projectPoints(s);
    if (s->dual) {
        heedContacts(s);
        projectPoints(s);
    }
    for (int i = 0; i < s->count; i++) {
        int p = s->slot[i];
        dot(s, p, turnOf, directionOf, factor);
        for (int l = 0; l < s->lanes; l++)
            factor[l] = s->alpha[p][l] - s->rho[p][l] * factor[l];
        addScaled(s, p, factor, moveOf, directionOf);
    }
}

// ---- the search ---------------------------------------------------------------------------------

static bool anyMoving(const Search *s)
{
    for (int l = 0; l < s->lanes; l++)
        if (s->moving[l]) return true;
    return false;
}

static void keepIterate(Search *s)
{
    for (int i = 0; i < s->bodyCount; i++) {
        const snSearchBody *body = &s->bodies[i];
        size_t bytes = (size_t)snSearch_Size(body) * sizeof(double);
        memcpy(body->state->previous, body->values, bytes);
        memcpy(body->state->previousGradient, body->gradient, bytes);
        if (!body->bones) continue;
        bytes = (size_t)snSearch_BonesSize(body) * sizeof(double);
        memcpy(body->bones->previous, body->bones->values, bytes);
        memcpy(body->bones->previousGradient, body->bones->gradient, bytes);
    }
}

// How much of the direction to go. It is of the length that suits what its matrix knows, a curvature of
// c = -g . d along it, and contacts have dᵀCd beyond that: the minimum is at c / (c + dᵀCd). With it no
// move has to be halved, and contacts may be many times as stiff as the matrix.
static double shareBeforeContacts(Search *s)
{
    double slope, more = 0;
    dot(s, 0, gradientOf, directionOf, &slope);
    s->slope = slope;
    for (int i = 0; i < s->bodyCount; i++)
        showWay(&s->bodies[i], s->bodies[i].state->direction);
    for (int i = 0; i < s->bodyCount; i++) {
        const snSearchBody *body = &s->bodies[i];
        more += snLatticeContacts_Curvature(body->contacts, body->state->next, body->contacts->way);
        if (body->ties) more += snTies_Curvature(body->ties);
    }
    return slope < 0 ? slope / (slope - more) : 1;
}

// With exact contacts a body comes to a rest in which there is nothing left to find.
static bool isStill(const Search *s)
{
    double least = 0;
    for (int i = 0; i < s->bodyCount; i++) {
        double length = STILL * s->bodies[i].contacts->reach;
        least += s->bodies[i].model->totalMass * length * length;
    }
    return s->slope > -least;
}

static bool hasRecords(const snSearchBody *body)
{
    return body->contacts && body->contacts->recordCount > 0;
}

// The midpoint rule keeps energy only if its steps are solved out: what is left of a search is carried on twice as far,
// and fed. So it goes on until there is next to nothing to find, and no longer. What averages over the step will change again
// need not be found to the end. Newton's method takes as many moves as it needs where contacts come and go; slopes say nothing of
// points that multipliers have yet to bring to their places.
static bool isSolved(Search *s)
{
    double slope, least = 0;
    bool midpoint = s->bodies[0].model->def.integrator == SN_INTEGRATOR_MIDPOINT;
    bool newton = s->newton && hasRecords(&s->bodies[0]) && !s->bodies[0].multipliers;
    if (!(midpoint || newton) || s->lanes > 1) return false;
    for (int i = 0; i < s->bodyCount; i++) {
        const snLatticeModel *model = s->bodies[i].model;
        double length = SOLVED * model->size * model->def.step;
        least += model->totalMass * length * length;
    }
    dot(s, 0, gradientOf, directionOf, &slope);
    if (s->moves == 0) s->begun = slope;
    return slope > -least || (s->averaged && s->moves > 0 && slope > ROUGHLY * s->begun);
}

// Bones that give way are searched for to the end, which may come early: what flies by itself is there after a move.
static bool isFound(const Search *s)
{
    double slope, least = 0;
    bool any = false;
    for (int i = 0; i < s->bodyCount; i++) {
        double length = FOUND * s->bodies[i].model->size;
        any |= s->bodies[i].bones != NULL;
        least += s->bodies[i].model->totalMass * length * length;
    }
    if (!any) return false;
    dot(s, 0, gradientOf, directionOf, &slope);
    return slope > -least;
}

static void moveOn(Search *s, const double *share)
{
    addScaled(s, 0, share, directionOf, valuesOf);
    for (int i = 0; i < s->bodyCount; i++) {
        const snSearchBody *body = &s->bodies[i];
        if (body->model->space)
            snSpace_Show(body->model, body->state, body->values, body->state->next);
        if (body->bones) snBones_Show(body->bones, body->state);
    }
}

static int iterationsOf(const Search *s)
{
    int most = 0;
    for (int i = 0; i < s->bodyCount; i++) {
        const snSearchBody *body = &s->bodies[i];
        int own = body->model->def.iterations;
        bool more = s->newton ? hasRecords(body) : body->contacts != NULL;
        if (more && body->contacts->iterations > own) own = body->contacts->iterations;
        if (body->drive && body->drive->coarse) own = (own + 1) / 2;
        if (own > most) most = own;
    }
    return most;
}

// What the last move taught: a pair; or that others touch than before, and all pairs are of the past.
static void learn(Search *s)
{
    if (s->dual && snContactDual_Look(s->dual))
        s->count = 0;
    else
        remember(s);
}

static bool isFinite(const Search *s, double most)
{
    for (int l = 0; l < s->lanes; l++)
        if (!isfinite(s->value[l]) || s->value[l] > most) return false;
    return true;
}

// New multipliers are another function to lower: its value before the move.
static bool newtonDirection(Search *s, int iteration)
{
    const snSearchBody *body = s->bodies;
    if (body->multipliers) s->value[0] -= snMultipliers_Term(body->multipliers, body->values);
    if (!snNewton_Direction(body->model, body->state, body->drive, iteration)) return false;
    if (body->multipliers) s->value[0] += snMultipliers_Term(body->multipliers, body->values);
    snSearch_Flatten(body, body->unknowns, body->state->direction);
    return true;
}

// From where the search is, as many iterations as there are. False where a direction could not be found.
static bool iterate(Search *s)
{
    double share[SN_MAX_LANES];
    for (int k = 0, iterations = iterationsOf(s); k < iterations; k++) {
        if (k > 0) {
            snSearch_Descend(s, false);
            if (!anyMoving(s)) break;
            if (!s->newton) learn(s);
        }
        keepIterate(s);
        if (!s->newton)
            findDirection(s);
        else if (!newtonDirection(s, k))
            return false;
        for (int l = 0; l < s->lanes; l++)
            share[l] = s->moving[l];
        if (s->touches && !s->newton) share[0] *= shareBeforeContacts(s);
        if ((s->dual && isStill(s)) || isSolved(s) || isFound(s)) break;
        moveOn(s, share);
        s->moves++;
    }
    return true;
}

// What touches is looked for where the search has come to, and the search goes on with that.
static void startAnew(Search *s, bool last)
{
    snContactDual_Renew(s->dual, last);
    snContactDual_Look(s->dual);
    memcpy(s->moving, s->wanted, sizeof s->moving);
    snSearch_Evaluate(s, SN_PASS_FORCE, s->moving, s->value);
    s->count = 0;
}

static void renewContacts(Search *s)
{
    snSearch_Descend(s, false);
    startAnew(s, false);
}

// Fast steps end with what touches still in each other where the search came upon it late: flesh that gives way
// comes to where nobody looked for it. Then all are parted, by the least move in the norm of their matrices
// that does it. Momentum stays, for these are forces between them. False: nothing is in something, or it cannot be
// parted so: where flesh is pressed flat between others the move may spoil more than it mends, and is undone.
static bool partBodies(Search *s)
{
    double share[SN_MAX_LANES] = {1}, before = s->value[0];
    snContactDual_Renew(s->dual, true);
    if (!snContactDual_Part(s->dual)) return false;
    for (int i = 0; i < s->bodyCount; i++) {
        clearDirection(&s->bodies[i]);
        addLoad(&s->bodies[i], s->bodies[i].state->direction);
    }
    projectPoints(s);
    moveOn(s, share);
    startAnew(s, true);
    if (s->value[0] <= SPOILT * before) return true;
    share[0] = -1;
    moveOn(s, share);
    startAnew(s, true);
    return false;
}

static void average(const Search *s, bool begin)
{
    for (int i = 0; i < s->bodyCount && s->averaged; i++) {
        if (!snAverage_Has(s->bodies[i].model)) continue;
        if (begin) snAverage_Begin(s->bodies[i].model, s->bodies[i].state);
        snAverage_Update(s->bodies[i].model, s->bodies[i].state);
    }
}

// Averages over the step from where the search has come to, and on with them, until nothing is left to find.
static bool settleAverages(Search *s)
{
    for (int k = 0; k < ROUNDS && s->averaged && s->moves > 0; k++) {
        snSearch_Descend(s, false);
        average(s, false);
        for (int i = 0; i < s->bodyCount; i++)
            snSearch_BeginEnergy(&s->bodies[i]);
        memcpy(s->moving, s->wanted, sizeof s->moving);
        snSearch_Evaluate(s, SN_PASS_FORCE, s->moving, s->value);
        s->moves = 0;
        if (!isFinite(s, INFINITY) || !iterate(s)) return false;
    }
    return true;
}

// Whether nothing but forces and other bodies of the search is at one.
static bool isAlone(const snSearchBody *body)
{
    const snLatticeContacts *c = body->drive->contacts;
    bool alone = !body->drive->points && !body->ties;
    for (int i = 0; c && i < c->pullCount && alone; i++)
        alone = c->pulls[i].stiffness == 0;
    for (int i = 0; c && i < c->recordCount && alone; i++)
        alone = c->records[i].who >= SN_CONTACT_BODY || c->records[i].who == SN_CONTACT_SELF;
    return alone && (!body->bones || snBones_IsFree(body->bones));
}

// Bodies that nothing from outside touches have the momentum that they had, with gravity's, all together: other matrices keep it by what they
// are, but links turn, and few iterations leave something of the second order. Those with bones are moved by that, which is next
// to nothing.
static void balance(Search *s)
{
    double mass = 0;
    snVec3 sum = {0, 0, 0};
    bool alone = true;
    for (int i = 0; i < s->bodyCount && alone; i++) {
        const snSearchBody *body = &s->bodies[i];
        alone = isAlone(body) && !body->model->space;
        if (!alone) break;
        const snLatticeContacts *c = body->drive->contacts;
        for (int k = 0; c && k < c->pullCount; k++)
            sum = snSub(sum, c->pulls[k].push);
        if (body->bones) {
            sum = snAdd(sum, snBones_Slope(body->bones, body->state));
            mass += body->bones->totalMass;
            continue;
        }
        alone = body->model->freeCount == body->model->vertexCount;
        for (int v = 0; v < body->model->freeCount; v++) {
            const double *y = body->state->next + 4 * (size_t)v;
            const double *t = body->state->target + 4 * (size_t)v;
            snVec3 miss = {y[0] - t[0], y[1] - t[1], y[2] - t[2]};
            sum = snMulAdd(sum, body->model->diagonal[v], miss);
        }
    }
    for (int i = 0; i < s->bodyCount && alone && mass > 0; i++)
        if (s->bodies[i].bones)
            snBones_Shift(s->bodies[i].bones, s->bodies[i].state, snScale(-1 / mass, sum));
}

// From where the bodies are to where the search ends, for lanes that move.
static bool searchOn(Search *s)
{
    if (s->dual) snContactDual_Look(s->dual);
    for (int i = 0; i < s->bodyCount; i++)
        snSearch_BeginEnergy(&s->bodies[i]);
    snSearch_Evaluate(s, SN_PASS_GUESS, s->wanted, s->value);
    if (!isFinite(s, INFINITY)) return false;
    for (int i = 0; i < s->bodyCount; i++)
        if (s->bodies[i].turned) snTurned_Begin(s->bodies[i].model, s->bodies[i].state);
    s->count = s->moves = 0;
    memcpy(s->moving, s->wanted, sizeof s->moving);
    if (!iterate(s)) return false;
    for (int k = 0; k < RENEWALS && s->dual && s->dual->renew; k++) {
        renewContacts(s);
        if (!isFinite(s, INFINITY) || !iterate(s)) return false;
    }
    if (!settleAverages(s)) return false;
    snSearch_Descend(s, true);
    int partings = 0;
    while (partings < MOST_PARTINGS && s->dual && s->dual->renew && partBodies(s))
        partings++;
    if (partings > 0) snSearch_Evaluate(s, SN_PASS_STRAIN, s->moving, s->value);
    return true;
}

static bool run(Search *s)
{
    double torn = 0;
    memset(s->wanted, 1, sizeof s->wanted);
    for (int i = 0; i < s->bodyCount; i++) {
        if (s->bodies[i].drive->planar) snLattice_Flatten(s->bodies[i].model, s->bodies[i].state);
        torn += s->bodies[i].model->tornEnergy;
    }
    average(s, true);
    snSearch_BeginStill(s);
    if (!searchOn(s)) return false;
    if (snSearch_StandStill(s)) {
        if (!searchOn(s)) return false;
        if (snSearch_StandStill(s)) snSearch_Evaluate(s, SN_PASS_STRAIN, s->wanted, s->value);
    }
    if (!isFinite(s, torn)) return false;
    balance(s);
    return true;
}

static void prepare(snSearchBody *body)
{
    const snLatticeDrive *drive = body->drive;
    const snLatticeModel *model = body->model;
    bool touches = drive->contacts && drive->contacts->recordCount + drive->contacts->pullCount > 0;
    body->multipliers = drive->points ? drive->points->multipliers : NULL;
    body->points = body->multipliers ? NULL : drive->points;
    body->contacts = touches ? drive->contacts : NULL;
    body->unknowns = snLatticeModel_Unknowns(model);
    body->values = snLatticeState_NextValues(model, body->state);
    body->gradient = model->space ? body->state->pulled : body->state->gradient;
    body->turned = model->turned && !drive->points;
    body->bones = drive->bones;
    if (drive->contacts) drive->contacts->held = body->points;
}

bool snSearch_Together(int count, snSearchBody *bodies, snContactDual *dual)
{
    for (int i = 0; i < count; i++) {
        prepare(&bodies[i]);
        if (bodies[i].bones && !snBones_Begin(bodies[i].bones, bodies[i].state, bodies[i].drive))
            return false;
        if (count > 1 || bodies[i].ties) bodies[i].contacts = bodies[i].drive->contacts;
        if (dual) bodies[i].turned = false; // contacts know only the scalar matrix
    }
    Search search = {.bodyCount = count,
                     .bodies = bodies,
                     .dual = dual,
                     .kernels = bodies[0].model->vectors,
                     .lanes = bodies[0].state->lanes,
                     .touches = bodies[0].contacts != NULL,
                     .newton = bodies[0].state->newton != NULL};
    for (int i = 0; i < count; i++)
        search.averaged |= snAverage_Has(bodies[i].model);
    return run(&search);
}

static void renewAlone(void *context, bool last)
{
    (void)last; // samples are in nothing but colliders, which are swept through anew
    const snSearchBody *body = context;
    snSpaceLevels_ShowAll(body->model, body->state);
    snLatticeContacts_Begin(body->drive->contacts, body->state, body->drive->rig);
    snSpaceLevels_ListContacts(body->model, body->state, body->drive);
}

bool snSearch_Minimise(const snLatticeModel *model, snLatticeState *state,
                       const snLatticeDrive *drive)
{
    snSearchBody body = {.model = model, .state = state, .drive = drive};
    snLatticeContacts *contacts = drive->contacts;
    bool exact = contacts && contacts->dual && contacts->recordCount > 0;
    if (exact) snContactDual_Begin(contacts->dual, 1, &contacts);
    if (exact && snLatticeContacts_IsFast(contacts)) {
        contacts->dual->renew = renewAlone;
        contacts->dual->renewContext = &body;
    }
    return snSearch_Together(1, &body, exact ? contacts->dual : NULL);
}

// ---- after it -----------------------------------------------------------------------------------

void snSearch_Bounce(int count, snSearchBody *bodies, snContactDual *dual)
{
    for (int i = 0; i < count; i++)
        bodies[i].contacts->way = bodies[i].state->velocity;
    if (!snContactDual_Bounce(dual)) return;
    for (int i = 0; i < count; i++) {
        bodies[i].bones = bodies[i].drive->bones;
        clearDirection(&bodies[i]);
        addLoad(&bodies[i], bodies[i].state->direction);
    }
    projectPoints(&(Search){.bodyCount = count, .bodies = bodies});
    for (int i = 0; i < count; i++) {
        const snLatticeModel *model = bodies[i].model;
        snLatticeState *state = bodies[i].state;
        double *velocity = model->space ? state->coefficientVelocity : state->velocity;
        for (int k = 0; k < 4 * bodies[i].unknowns; k++)
            velocity[k] += state->direction[k];
        if (bodies[i].bones)
            snBones_AddVelocity(bodies[i].bones, state, bodies[i].bones->direction);
        if (model->space) snSpace_Push(model, state, state->coefficientVelocity, state->velocity);
    }
}
