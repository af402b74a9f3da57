// What holds the flesh, and how stiff it is.
//
// Stiffness is chosen by how things should swing, not in pascals: a modulus that makes a belly sway
// on a cow makes a mouse of steel. The modulus enters the stiffness matrix as a factor, so one
// static solution at modulus 1 is enough. Under a uniform unit acceleration a clamped body
// deflects by u, and its slowest frequency is ω² = c / u with c = 1.55 for a bending beam, 1.23 for
// a sheared bar held at both ends (u the largest deflection): c = 1.4 serves both within 7 % of the
// frequency. The deflection is taken where 97 % of the mass deflects less, so that a loosely
// hanging lattice cell does not decide for the whole body.
#include "body/lattice/flesh_parts.h"

#include "core/elementary.h"
#include "core/error.h"
#include "geometry/primitive.h"

#include <stdlib.h>

#define TWIST_HOLD 5.0    // Hz, flesh at a bone turns with it
#define TWIST_REACH 1.5   // lattice spacings over which that fades
#define STRAY_HOLD 4.0    // Hz, lattice pieces that hang on nothing
#define ANIMATED_HOLD 2.5 // Hz, at least, for loose bones that the artist has animated
#define ROOT_WEIGHT 0.1   // of a loose joint, from which on a vertex belongs to the chain's root
#define DEFLECTION_SHARE 0.97
#define DEFLECTION_FACTOR 1.4

static bool isLoose(const snFlesh *flesh, int joint)
{
    return snTissue_Of(flesh->tissue[joint])->loose;
}

static double distanceToHeldBone(const snFlesh *flesh, snVec3 point)
{
    double best = 1e300;
    for (int b = 0; b < flesh->boneCount; b++) {
        const snBone *bone = &flesh->bones[b];
        if (isLoose(flesh, bone->joint)) continue;
        double d = snDistance(snClosestOnSegment(point, bone->head, bone->tail, NULL), point);
        if (d < best) best = d;
    }
    return best;
}

static int findRoot(int *parent, int v)
{
    while (parent[v] != v)
        v = parent[v] = parent[parent[v]];
    return v;
}

// Pieces of the lattice with no known vertex would drift away: a spring holds them to the rig.
static bool holdStrays(snFlesh *flesh, snArena *scratch)
{
    const snLattice *l = &flesh->lattice;
    int *parent = SN_NEW(scratch, int, l->vertexCount);
    unsigned char *anchored = SN_NEW(scratch, unsigned char, l->vertexCount);
    if (!parent || !anchored) return false;
    for (int v = 0; v < l->vertexCount; v++)
        parent[v] = v;
    for (int c = 0; c < l->cellCount; c++)
        for (int k = l->cellStart[c] + 1; k < l->cellStart[c + 1]; k++)
            parent[findRoot(parent, l->corners[k])] = findRoot(parent, l->corners[k - 1]);
    for (int v = 0; v < l->vertexCount; v++)
        if (flesh->known[v]) anchored[findRoot(parent, v)] = 1;
    for (int v = 0; v < l->vertexCount; v++)
        if (!anchored[findRoot(parent, v)]) flesh->hold[v] = STRAY_HOLD;
    return true;
}

// Where a loose chain grows out of the body: the head of its first bone, which its parent carries.
static bool isLooseRoot(const snFlesh *flesh, int vertex)
{
    int joint = flesh->lattice.joint[vertex];
    int parent = flesh->character->skeleton.joints[joint].parent;
    snVec3 head = snInverseAffine(flesh->fromRest[joint]).origin;
    return parent >= 0 && !isLoose(flesh, parent) &&
           snDistance(flesh->lattice.rest[vertex], head) < 1e-6 * flesh->height;
}

// A tail that the artist moves should follow that motion loosely; one that just hangs is free.
static double looseHold(const snFlesh *flesh, int joint)
{
    double hold = snTissue_Of(flesh->tissue[joint])->hold;
    return flesh->animated[joint] && hold < ANIMATED_HOLD ? ANIMATED_HOLD : hold;
}

snStatus snFlesh_FindHolds(snFlesh *flesh, snArena *scratch, snError *error)
{
    const snLattice *l = &flesh->lattice;
    flesh->known = SN_NEW(&flesh->arena, unsigned char, l->vertexCount);
    flesh->hold = SN_NEW(&flesh->arena, double, l->vertexCount);
    flesh->drag = SN_NEW(&flesh->arena, double, l->vertexCount);
    if (!flesh->known || !flesh->hold || !flesh->drag) return snFailMemory(error);
    for (int v = 0; v < l->vertexCount; v++) {
        int joint = l->joint[v];
        flesh->drag[v] = flesh->def.massDamping;
        for (int k = flesh->weights.start[v]; k < flesh->weights.start[v + 1]; k++)
            flesh->drag[v] += flesh->weights.weight[k] *
                              snTissue_Of(flesh->tissue[flesh->weights.vertex[k]])->drag;
        flesh->known[v] = joint >= 0 && (!isLoose(flesh, joint) || isLooseRoot(flesh, v));
        double reach = TWIST_REACH * flesh->report.spacing;
        double d = distanceToHeldBone(flesh, l->rest[v]);
        if (d < reach) flesh->hold[v] = TWIST_HOLD * (1 - d / reach);
        if (joint >= 0 && isLoose(flesh, joint)) flesh->hold[v] = looseHold(flesh, joint);
    }
    return holdStrays(flesh, scratch) ? SN_OK : snFailMemory(error);
}

// ---- groups: the held body, and each loose chain by itself ------------------------------------------

typedef struct Groups {
    int count;
    int *ofJoint;   // [joints]; 0 is the held body
    int *ofVertex;  // [lattice vertices], the group with the largest weight
    double *wobble; // [count], Hz
    double *scale;  // [count], Pa per unit of relative stiffness
} Groups;

static snStatus makeGroups(Groups *groups, const snFlesh *flesh, snArena *scratch, snError *error)
{
    const snSkeleton *skeleton = &flesh->character->skeleton;
    int n = skeleton->jointCount;
    groups->count = 1;
    groups->ofJoint = SN_NEW(scratch, int, n);
    groups->ofVertex = SN_NEW(scratch, int, flesh->lattice.vertexCount);
    groups->wobble = SN_NEW(scratch, double, n + 1);
    groups->scale = SN_NEW(scratch, double, n + 1);
    double *sum = SN_NEW(scratch, double, n + 1);
    if (!groups->ofJoint || !groups->ofVertex || !groups->wobble || !groups->scale || !sum)
        return snFailMemory(error);
    groups->wobble[0] = flesh->def.wobble;
    for (int j = 0; j < n; j++) { // parents come first
        int parent = skeleton->joints[j].parent;
        if (!isLoose(flesh, j)) continue;
        if (parent >= 0 && groups->ofJoint[parent]) {
            groups->ofJoint[j] = groups->ofJoint[parent];
            continue;
        }
        groups->wobble[groups->count] = snTissue_Of(flesh->tissue[j])->wobble;
        groups->ofJoint[j] = groups->count++;
    }
    for (int v = 0; v < flesh->lattice.vertexCount; v++) {
        int best = 0;
        for (int g = 0; g < groups->count; g++)
            sum[g] = 0;
        for (int k = flesh->weights.start[v]; k < flesh->weights.start[v + 1]; k++)
            sum[groups->ofJoint[flesh->weights.vertex[k]]] += flesh->weights.weight[k];
        for (int g = 1; g < groups->count; g++)
            if (sum[g] > sum[best]) best = g;
        groups->ofVertex[v] = best;
    }
    return SN_OK;
}

// Relative stiffness of a cell, mixed over its corners' joints by logarithms. Where a loose chain
// grows out of softer flesh its own modulus counts, or it would hang on a hinge of flesh and swing
// far slower than it should.
static double cellModulus(const snFlesh *flesh, const Groups *groups, int cell, bool absolute)
{
    const snLattice *l = &flesh->lattice;
    double sum = 0, loosest = 0;
    int n = (int)snLattice_Kind(l, cell);
    for (int i = 0; i < n; i++) {
        int v = snLattice_Corners(l, cell)[i];
        for (int k = flesh->weights.start[v]; k < flesh->weights.start[v + 1]; k++) {
            int joint = flesh->weights.vertex[k];
            const snTissue *tissue = snTissue_Of(flesh->tissue[joint]);
            double modulus = tissue->loose ? 1 : tissue->stiffness;
            if (absolute) modulus *= groups->scale[groups->ofJoint[joint]];
            if (absolute && tissue->loose && flesh->weights.weight[k] > ROOT_WEIGHT &&
                modulus > loosest)
                loosest = modulus;
            sum += flesh->weights.weight[k] / n * snLn(modulus);
        }
    }
    double mixed = snExp(sum);
    return mixed > loosest ? mixed : loosest;
}

// ---- static deflection ------------------------------------------------------------------------------

typedef struct Probe {
    const snFlesh *flesh;
    const Groups *groups;
    snSparse stiffness; // at relative moduli
    snSparse work;
    double *mass;    // [vertices], lumped
    double *u;       // [vertices * 3 * 3]: deflection for three directions
    double *scratch; // of the solver
    snFactor *factor;
} Probe;

static snStatus makeProbe(Probe *probe, const snQuadrature *q, snArena *scratch, snError *error)
{
    const snFlesh *flesh = probe->flesh;
    const snLattice *l = &flesh->lattice;
    double *young = SN_NEW(scratch, double, l->cellCount);
    probe->mass = SN_NEW(scratch, double, l->vertexCount);
    probe->u = SN_NEW(scratch, double, (size_t)l->vertexCount * 9);
    if (!young || !probe->mass || !probe->u) return snFailMemory(error);
    for (int c = 0; c < l->cellCount; c++) {
        int n = (int)snLattice_Kind(l, c);
        young[c] = cellModulus(flesh, probe->groups, c, false);
        for (int i = 0; i < n * n; i++)
            probe->mass[snLattice_Corners(l, c)[i / n]] += 1000 * q->mass[q->massStart[c] + i];
    }
    snSymbolic *symbolic;
    snStatus status =
        snLattice_Stiffness(&probe->stiffness, l, q, young, flesh->def.poisson, scratch, error);
    if (!status) status = snSparse_Make(&probe->work, &probe->stiffness.pattern, 3, scratch, error);
    if (!status)
        status = snSymbolic_Make(&symbolic, &probe->work.pattern, 3, SN_ORDER_AMD, scratch, error);
    if (!status) status = snFactor_Make(&probe->factor, symbolic, scratch, error);
    if (status) return status;
    probe->scratch = SN_NEW(scratch, double, snFactor_ScratchSize(probe->factor, 3));
    return probe->scratch ? SN_OK : snFailMemory(error);
}

static bool isProbed(const Probe *probe, int vertex, int group)
{
    return probe->groups->ofVertex[vertex] == group && !probe->flesh->known[vertex] &&
           probe->mass[vertex] > 0;
}

// The group's own stiffness with everything else clamped; a millionth of the diagonal is added, so
// that loosely hanging cells leave the matrix regular.
static void maskMatrix(Probe *probe, int group)
{
    const snPattern *p = &probe->stiffness.pattern;
    for (int c = 0; c < p->size; c++)
        for (int i = p->columnStart[c]; i < p->columnStart[c + 1]; i++) {
            const double *from = probe->stiffness.values + (size_t)i * 9;
            double *to = probe->work.values + (size_t)i * 9;
            bool free = isProbed(probe, c, group) && isProbed(probe, p->row[i], group);
            for (int k = 0; k < 9; k++) {
                bool diagonal = p->row[i] == c && k % 4 == 0;
                to[k] = free ? from[k] * (diagonal ? 1 + 1e-6 : 1) : diagonal;
            }
        }
}

typedef struct Deflection {
    double length, mass;
    int vertex;
} Deflection;

static int compareDeflections(const void *a, const void *b)
{
    const Deflection *x = a, *y = b;
    if (x->length != y->length) return x->length < y->length ? -1 : 1;
    return (x->vertex > y->vertex) - (x->vertex < y->vertex);
}

// The deflection that 97 % of the group's mass does not exceed; 0 when the group is empty.
static double typicalDeflection(const Probe *probe, int group, int direction, Deflection *list)
{
    int count = 0;
    double total = 0, below = 0;
    for (int v = 0; v < probe->flesh->lattice.vertexCount; v++) {
        if (!isProbed(probe, v, group)) continue;
        const double *u = probe->u + (size_t)v * 9 + direction;
        list[count++] = (Deflection){snLength(snVec(u[0], u[3], u[6])), probe->mass[v], v};
        total += probe->mass[v];
    }
    qsort(list, (size_t)count, sizeof *list, compareDeflections);
    for (int i = 0; i < count; i++) {
        below += list[i].mass;
        if (below >= DEFLECTION_SHARE * total) return list[i].length;
    }
    return 0;
}

// Modulus per unit of relative stiffness that gives the group its frequency.
static snStatus tuneGroup(Probe *probe, Groups *groups, int group, Deflection *list, snError *error)
{
    int n = probe->flesh->lattice.vertexCount;
    maskMatrix(probe, group);
    snStatus status = snFactor_Compute(probe->factor, &probe->work, error);
    if (status) return status;
    for (int k = 0; k < n * 9; k++) { // row 3v + p, right-hand side r at ((3v + p) * 3 + r)
        int v = k / 9, p = k % 9 / 3, r = k % 3;
        probe->u[k] = p == r && isProbed(probe, v, group) ? probe->mass[v] : 0;
    }
    snFactor_Solve(probe->factor, 3, probe->u, probe->scratch);
    double deflection = 0, omega = 2 * SN_PI * groups->wobble[group];
    for (int r = 0; r < 3; r++) {
        double d = typicalDeflection(probe, group, r, list);
        if (d > deflection) deflection = d;
    }
    double size = 0.2 * probe->flesh->height; // an empty group: a sheared block of a fifth
    groups->scale[group] = deflection > 0 ? deflection * omega * omega / DEFLECTION_FACTOR
                                          : 1000 * size * size * omega * omega / 4;
    return SN_OK;
}

snStatus snFlesh_FindStiffness(snFlesh *flesh, const snContext *context, snError *error)
{
    snArena scratch = snMakeArena(context);
    int n = flesh->lattice.vertexCount;
    Groups groups;
    Probe probe = {.flesh = flesh, .groups = &groups};
    snStatus status = makeGroups(&groups, flesh, &scratch, error);
    if (!status) status = makeProbe(&probe, &flesh->quadrature, &scratch, error);
    Deflection *list = SN_NEW(&scratch, Deflection, n);
    flesh->young = SN_NEW(&flesh->arena, double, flesh->lattice.cellCount);
    if (!status && (!list || !flesh->young)) status = snFailMemory(error);
    for (int g = 0; g < groups.count && !status; g++)
        status = tuneGroup(&probe, &groups, g, list, error);
    for (int c = 0; c < flesh->lattice.cellCount && !status; c++)
        flesh->young[c] = cellModulus(flesh, &groups, c, true);
    snArena_Destroy(&scratch);
    return status;
}
