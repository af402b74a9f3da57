// How stiff the flesh is.
//
// Stiffness is chosen by how things should swing, not in pascals: a modulus that makes a belly sway
// on a cow makes a mouse of steel. The body is made of parts that have a frequency each: the held
// body, and chains of joints that swing by themselves (ears, tails, whatever a rule says). With all
// else clamped, the slowest swing of a part at modulus factor E has
//     ω²(E) = min over φ of  φᵀ (E K₁ + H) φ,      φᵀ M φ = 1,
// K₁ the stiffness at relative moduli, H the springs that hold it. That is the least of many
// straight lines in E, so it is concave and rises, its slope is φᵀK₁φ, and Newton's method finds
// the E that gives the frequency from either side. Without springs one step is exact.
//
// With details (detail.h) the swing is computed with those that come first as it grows, as many as may act
// at once (swing_detail.c): slender parts bend more easily with them, and would swing too slowly at a modulus
// that the lattice alone gives. While fewer act, a part is the stiffer for it.
#include "body/lattice/flesh_parts.h"

#include "body/lattice/swing.h"
#include "body/lattice/swing_detail.h"
#include "core/elementary.h"
#include "core/error.h"

#define DENSITY 1000.0   // kg/m³, as snLatticeModelDef has it
#define ROOT_WEIGHT 0.1  // of a free joint, from which on a vertex belongs to the chain's root
#define LEAST_SHARE 0.02 // of a part's mass that a push must set into a swing for it to count
#define NEWTON_STEPS 8
#define GOOD_ENOUGH 0.01 // relative error of ω²
// Of what the frequency would take without springs: where these alone are faster than the swing
// should be, flesh must still hold together.
#define LEAST_STIFFNESS 0.1
// Of the same: where bones draw what they hold to the rig (a large head), so that the rest would have to
// be softer to swing as slowly as asked. Half is enough; a slender body would turn to jelly.
#define SOFTEST 0.5
#define MOST_OFF 1.05 // factor by which twins may miss their frequency so as to be equally stiff

// ---- parts that swing by themselves ---------------------------------------------------------------

static bool swingsWith(const snFlesh *flesh, int joint, int parent)
{
    return parent >= 0 && flesh->swingOf[parent] > 0 &&
           flesh->joints[parent].wobble == flesh->joints[joint].wobble;
}

// Part 0 is the held body.
static snStatus makeParts(snFlesh *flesh, snError *error)
{
    const snSkeleton *skeleton = &flesh->character->skeleton;
    int n = skeleton->jointCount;
    flesh->swings = SN_NEW(&flesh->arena, snSwingPart, n + 1);
    flesh->swingOf = SN_NEW(&flesh->arena, int, n);
    if (!flesh->swings || !flesh->swingOf) return snFailMemory(error);
    flesh->swings[0] = (snSwingPart){.joint = -1, .wobble = flesh->def.wobble, .twin = -1};
    flesh->swingCount = 1;
    for (int j = 0; j < n; j++) { // parents come first
        int parent = skeleton->joints[j].parent;
        if (!(flesh->joints[j].wobble > 0)) continue;
        if (swingsWith(flesh, j, parent)) {
            flesh->swingOf[j] = flesh->swingOf[parent];
            continue;
        }
        flesh->swings[flesh->swingCount] =
            (snSwingPart){.joint = j, .wobble = flesh->joints[j].wobble, .twin = -1};
        flesh->swingOf[j] = flesh->swingCount++;
    }
    return SN_OK;
}

// The part with the largest weight at every vertex. `sum` has one number per part.
static void assignVertices(const snFlesh *flesh, double *sum, int *ofVertex)
{
    const snWeightRows *w = &flesh->weights;
    for (int v = 0; v < flesh->lattice.vertexCount; v++) {
        int best = 0;
        for (int g = 0; g < flesh->swingCount; g++)
            sum[g] = 0;
        for (int k = w->start[v]; k < w->start[v + 1]; k++)
            sum[flesh->swingOf[w->column[k]]] += w->weight[k];
        for (int g = 1; g < flesh->swingCount; g++)
            if (sum[g] > sum[best]) best = g;
        ofVertex[v] = best;
    }
}

// ---- moduli -----------------------------------------------------------------------------------------

// The modulus of one joint's flesh: relative to plain flesh, or in pascals.
static double jointModulus(const snFlesh *flesh, int joint, bool absolute)
{
    const snJointFlesh *own = &flesh->joints[joint];
    if (!absolute) return own->relative;
    return own->relative * own->stiffness * flesh->swings[flesh->swingOf[joint]].scale;
}

// With what modulus a free joint's chain grows out of other flesh: that of the chain's first joint,
// unless its own is less. A hoof at the end of a free leg does not make the leg, nor the belly
// beside it, of horn.
static double rootModulus(const snFlesh *flesh, int joint)
{
    double own = jointModulus(flesh, joint, true);
    int first = flesh->swings[flesh->swingOf[joint]].joint;
    if (first < 0 || !flesh->joints[first].free) return own;
    double root = jointModulus(flesh, first, true);
    return root < own ? root : own;
}

// Of a cell, mixed over its corners' joints by logarithms. Where a free chain grows out of softer
// flesh its own modulus counts, or it would hang on a hinge of flesh and swing far slower than it
// should.
static double cellModulus(const snFlesh *flesh, int cell, bool absolute)
{
    const snLattice *l = &flesh->lattice;
    const snWeightRows *w = &flesh->weights;
    double sum = 0, root = 0;
    int n = (int)snLattice_Kind(l, cell);
    for (int i = 0; i < n; i++) {
        int v = snLattice_Corners(l, cell)[i];
        for (int k = w->start[v]; k < w->start[v + 1]; k++) {
            int joint = w->column[k];
            bool free = flesh->joints[joint].free && w->weight[k] > ROOT_WEIGHT;
            if (absolute && free) root = fmax(root, rootModulus(flesh, joint));
            sum += w->weight[k] / n * snLn(jointModulus(flesh, joint, absolute));
        }
    }
    double mixed = snExp(sum);
    return mixed > root ? mixed : root;
}

// ---- tuning -----------------------------------------------------------------------------------------

typedef struct Tuner {
    snFlesh *flesh;
    const snBasis *const *bases; // of details, or NULL
    double *young;               // [cells], relative moduli
    double *shape;               // [vertices * 3], a swing
    snSparse stiffness;          // at relative moduli
    double *mass;                // [vertices]
    double *spring;              // [vertices], N/m
    int *part;                   // [vertices]
    unsigned char *free;
    snSwings *swings;
} Tuner;

static snStatus makeTuner(Tuner *t, snArena *scratch, snError *error)
{
    const snFlesh *flesh = t->flesh;
    const snLattice *l = &flesh->lattice;
    int n = l->vertexCount;
    double *young = t->young = SN_NEW(scratch, double, l->cellCount);
    t->shape = SN_NEW(scratch, double, 3 * (size_t)n);
    double *sum = SN_NEW(scratch, double, flesh->swingCount);
    t->mass = SN_NEW(scratch, double, n);
    t->spring = SN_NEW(scratch, double, n);
    t->part = SN_NEW(scratch, int, n);
    t->free = SN_NEW(scratch, unsigned char, n);
    if (!young || !t->shape || !sum || !t->mass || !t->spring || !t->part || !t->free)
        return snFailMemory(error);
    for (int c = 0; c < l->cellCount; c++)
        young[c] = cellModulus(flesh, c, false);
    snFlesh_LumpVolume(flesh, t->mass);
    for (int v = 0; v < n; v++) {
        double omega = 2 * SN_PI * flesh->hold[v];
        t->mass[v] *= DENSITY;
        t->spring[v] = t->mass[v] * omega * omega;
    }
    assignVertices(flesh, sum, t->part);
    snStatus status = snLattice_Stiffness(&t->stiffness, l, &flesh->quadrature, young,
                                          flesh->def.poisson, scratch, error);
    if (!status) status = snSwings_Make(&t->swings, &t->stiffness, scratch, error);
    return status;
}

// Everything but a part is clamped; of a body without a skin, its core, which may be free otherwise.
static void clampOthers(Tuner *t, int part)
{
    const snFlesh *flesh = t->flesh;
    for (int v = 0; v < flesh->lattice.vertexCount; v++)
        t->free[v] =
            t->part[v] == part && !flesh->known[v] && !(flesh->loose && snFlesh_InCore(flesh, v));
}

static void keepSwing(snSwingPart *own, const snSwing *swing)
{
    own->found = sqrt(swing->omega2) / (2 * SN_PI);
    own->share = swing->share;
}

// Newton's step, within what is known already: too slow at `low`, too fast at `high`. Which swings take
// enough of the mass to count changes with the factor, and where that makes the slowest one jump Newton's
// steps alone would go to and fro.
typedef struct Bracket {
    double low, high;
} Bracket;

static double nextScale(Bracket *bracket, double scale, double wanted, const snSwing *swing)
{
    double next = scale + (wanted - swing->omega2) / swing->elastic;
    if (swing->omega2 < wanted)
        bracket->low = fmax(bracket->low, scale);
    else
        bracket->high = fmin(bracket->high, scale);
    bool inside = next > bracket->low && next < bracket->high;
    return inside || bracket->high > 1e200 ? next : 0.5 * (bracket->low + bracket->high);
}

// The slowest swing at a part's present factor; or its factor is found, from that one on.
static snStatus findSwing(snSwingPart *own, snSwings *swings, const snSwingDef *system, bool tune,
                          snSwing *swing, snError *error)
{
    double omega = 2 * SN_PI * own->wobble, wanted = omega * omega;
    Bracket bracket = {0, 1e300};
    snSwingDef def = *system;
    def.wanted = wanted;
    for (int k = 0; k < NEWTON_STEPS; k++) {
        snStatus status = snSwings_Slowest(swings, &def, own->scale, LEAST_SHARE, swing, error);
        if (status) return status;
        if (!tune || !(swing->elastic > 0)) break; // nothing there that could swing
        double least = fmax(LEAST_STIFFNESS * wanted / swing->elastic, own->softest);
        double next = nextScale(&bracket, own->scale, wanted, swing);
        if (next < least) next = least;
        if (fabs(swing->omega2 / wanted - 1) < GOOD_ENOUGH || next == own->scale) break;
        own->scale = next;
    }
    return SN_OK;
}

static snFineSwingDef fineDef(const Tuner *t, int most)
{
    const snFlesh *flesh = t->flesh;
    return (snFineSwingDef){.lattice = &flesh->lattice,
                            .quadrature = &flesh->quadrature,
                            .bases = t->bases,
                            .levels = flesh->def.details,
                            .young = t->young,
                            .poisson = flesh->def.poisson,
                            .density = DENSITY,
                            .free = t->free,
                            .shape = t->shape,
                            .refine = flesh->def.adapt.refine,
                            .most = most};
}

// The same with at most so many details, those that t->shape strains most.
static snStatus findFineSwing(const Tuner *t, snSwingPart *own, int most, bool tune, snSwing *swing,
                              snError *error)
{
    snArena scratch = {.allocator = t->flesh->arena.allocator};
    snFineSwingDef def = fineDef(t, most);
    snFineSwing fine;
    snSwings *swings;
    snStatus status = snFineSwing_Make(&fine, &def, &scratch, error);
    if (!status) status = snSwings_Make(&swings, &fine.stiffness, &scratch, error);
    if (status) goto done;
    int n = t->flesh->lattice.vertexCount;
    for (int v = 0; v < n; v++)
        fine.spring[v] = t->spring[v];
    snSwingDef system = {.stiffness = &fine.stiffness,
                         .spring = fine.spring,
                         .free = fine.free,
                         .massMatrix = &fine.mass,
                         .vertexCount = n};
    status = findSwing(own, swings, &system, tune, swing, error);
done:
    snArena_Destroy(&scratch);
    return status;
}

// How a part swings, or the factor that gives it its frequency: by the lattice, then with details.
static snStatus swingPart(Tuner *t, int part, bool tune, snError *error)
{
    snSwingPart *own = &t->flesh->swings[part];
    snSwingDef def = {
        .stiffness = &t->stiffness, .mass = t->mass, .spring = t->spring, .free = t->free};
    snSwing swing;
    clampOthers(t, part);
    snStatus status = findSwing(own, t->swings, &def, tune, &swing, error);
    if (status) return status;
    keepSwing(own, &swing);
    own->alone = own->found;
    if (!t->bases || !(swing.elastic > 0)) return SN_OK;
    snSwings_Shape(t->swings, swing.which, t->shape);
    status = findFineSwing(t, own, t->flesh->def.mostDetails, tune, &swing, error);
    if (status) return status;
    keepSwing(own, &swing);
    status = findFineSwing(t, own, 0, false, &swing, error);
    own->alone = sqrt(swing.omega2) / (2 * SN_PI);
    return status;
}

// The springs by which bones draw what they hold to the rig: taken off, or put back.
static bool changeFirm(Tuner *t, double sign)
{
    const snFlesh *flesh = t->flesh;
    bool any = false;
    for (int v = 0; v < flesh->lattice.vertexCount; v++) {
        double omega2 = 4 * SN_PI * SN_PI * flesh->firm[v];
        if (!(omega2 > 0)) continue;
        any = true;
        t->spring[v] = fmax(t->spring[v] + sign * t->mass[v] * omega2, 0);
    }
    return any;
}

// How soft the held body may become: of what it is without those springs.
static snStatus findSoftest(Tuner *t, snError *error)
{
    snSwingPart *body = &t->flesh->swings[0];
    snStatus status = SN_OK;
    if (changeFirm(t, -1)) {
        status = swingPart(t, 0, true, error);
        body->softest = SOFTEST * body->scale;
    }
    changeFirm(t, 1);
    return status;
}

static snStatus tunePart(Tuner *t, int part, snError *error)
{
    snSwingPart *own = &t->flesh->swings[part];
    double omega = 2 * SN_PI * own->wobble, size = 0.2 * t->flesh->height;
    own->scale =
        DENSITY * size * size * (omega * omega) / 4; // at first: a sheared block of a fifth
    snStatus status = part == 0 ? findSoftest(t, error) : SN_OK;
    return status ? status : swingPart(t, part, true, error);
}

// ---- left and right ---------------------------------------------------------------------------------

// A left ear and a right one should be of one stuff, but the lattice is not symmetric, and to swing
// alike in it they may need other factors. Without springs ω² ~ E: at the geometric mean √(E F) both
// miss the frequency by the same factor, up and down, (E/F)^¼; springs only lessen it. Beyond
// MOST_OFF that would be seen, while the factors are not: then each keeps its own.
static snStatus matchTwins(Tuner *t, int part, int twin, snError *error)
{
    snSwingPart *a = &t->flesh->swings[part], *b = &t->flesh->swings[twin];
    double most = MOST_OFF * MOST_OFF * MOST_OFF * MOST_OFF;
    if (!(a->scale <= most * b->scale && b->scale <= most * a->scale)) return SN_OK;
    a->scale = b->scale = sqrt(a->scale * b->scale);
    a->twin = twin;
    b->twin = part;
    snStatus status = swingPart(t, part, false, error);
    return status ? status : swingPart(t, twin, false, error);
}

static snStatus matchSides(Tuner *t, snArena *scratch, snError *error)
{
    snFlesh *flesh = t->flesh;
    int *twins = SN_NEW(scratch, int, flesh->swingCount);
    if (!twins) return snFailMemory(error);
    snStatus status = snFlesh_FindTwins(flesh, twins, scratch, error);
    for (int g = 0; g < flesh->swingCount && !status; g++)
        if (twins[g] > g) status = matchTwins(t, g, twins[g], error);
    return status;
}

// Details need tets; of other lattices the model says so when it is built.
static bool hasTets(const snLattice *lattice)
{
    for (int c = 0; c < lattice->cellCount; c++)
        if (snLattice_Kind(lattice, c) != SN_TET) return false;
    return true;
}

snStatus snFlesh_FindStiffness(snFlesh *flesh, const snBasis *const *bases,
                               const snContext *context, snError *error)
{
    snArena scratch = snMakeArena(context);
    Tuner tuner = {.flesh = flesh};
    if (flesh->def.details > 0 && flesh->def.mostDetails > 0 && hasTets(&flesh->lattice))
        tuner.bases = bases;
    snStatus status = makeParts(flesh, error);
    if (!status) status = makeTuner(&tuner, &scratch, error);
    flesh->young = SN_NEW(&flesh->arena, double, flesh->lattice.cellCount);
    if (!status && !flesh->young) status = snFailMemory(error);
    for (int g = 0; g < flesh->swingCount && !status; g++)
        status = tunePart(&tuner, g, error);
    if (!status) status = matchSides(&tuner, &scratch, error);
    for (int c = 0; c < flesh->lattice.cellCount && !status; c++)
        flesh->young[c] = cellModulus(flesh, c, true) * snFlesh_PaintedStiffness(flesh, c);
    snArena_Destroy(&scratch);
    return status;
}
