// What holds the flesh: vertices that follow the rig, springs that draw others to it, and drag.
//
// Twist. A bone is a line, and flesh would spin about it. As Capell et al. 2002 have it, an energy
//     U = ½ ∫_Γ k |d|²,      k = ρ (2πf)²
// acts on the volume Γ within a radius of the bones; d is how far flesh there is from where its bone
// would carry it rigidly. With d = Σ_a φ_a d_a, lumped to the vertices (rows summed, Σ_b φ_b = 1),
//     κ_a = ∫_Γ k φ_a,
// which stays on the diagonal. As a frequency, κ_a = m_a (2πf_a)² with m_a = ∫_Ω ρ φ_a.
#include "body/lattice/flesh_parts.h"

#include "body/lattice/field.h"
#include "core/error.h"
#include "core/sets.h"
#include "geometry/primitive.h"

#define MOST_KNOWN (2.0 / 3)   // of the mass: beyond it little can move, which is told
#define ENOUGH_KNOWN (1.0 / 3) // of the mass: less is fine
#define STRAY_HOLD 4.0         // Hz, lattice pieces that hang on nothing

// Pieces of the lattice with no known vertex would drift away: a spring holds them to the rig.
static bool holdStrays(snFlesh *flesh, snArena *scratch)
{
    const snLattice *l = &flesh->lattice;
    int *parent = SN_NEW(scratch, int, l->vertexCount);
    unsigned char *anchored = SN_NEW(scratch, unsigned char, l->vertexCount);
    if (!parent || !anchored) return false;
    snSets_Begin(parent, l->vertexCount);
    for (int c = 0; c < l->cellCount; c++)
        for (int k = l->cellStart[c] + 1; k < l->cellStart[c + 1]; k++)
            snSets_Join(parent, l->corners[k], l->corners[k - 1]);
    for (int v = 0; v < l->vertexCount; v++)
        if (flesh->known[v]) anchored[snSets_Root(parent, v)] = 1;
    for (int v = 0; v < l->vertexCount; v++)
        if (!anchored[snSets_Root(parent, v)] && flesh->hold[v] < STRAY_HOLD)
            flesh->hold[v] = STRAY_HOLD;
    return true;
}

// Where a free chain grows out of the body: the head of its first bone, which its parent carries.
static bool isFreeRoot(const snFlesh *flesh, int vertex)
{
    int joint = flesh->lattice.joint[vertex];
    int parent = flesh->character->skeleton.joints[joint].parent;
    snVec3 head = snInverseAffine(flesh->fromRest[joint]).origin;
    return parent >= 0 && !flesh->joints[parent].free &&
           snDistance(flesh->lattice.rest[vertex], head) < 1e-6 * flesh->height;
}

typedef struct BoneReach {
    snBone bone;
    snBox box;       // around all that is within the radius
    double radius;   // file's units
    double strength; // f²
} BoneReach;

typedef struct TwistField {
    int count;
    BoneReach *bones;
} TwistField;

// f² of the strongest bone that is near; 0 away from all.
static double twistAt(const void *user, snVec3 point)
{
    const TwistField *field = user;
    double best = 0;
    for (int b = 0; b < field->count; b++) {
        const BoneReach *reach = &field->bones[b];
        if (reach->strength <= best || !snBox_Contains(reach->box, point)) continue;
        snVec3 foot = snClosestOnSegment(point, reach->bone.head, reach->bone.tail, NULL);
        if (snDistance(foot, point) < reach->radius) best = reach->strength;
    }
    return best;
}

// How thick the flesh around each joint's bones is: the mean distance of its skin from them.
static bool findThickness(snFlesh *flesh, snArena *scratch)
{
    int n = flesh->character->skeleton.jointCount;
    double *total = SN_NEW(scratch, double, n);
    flesh->thickness = SN_NEW(&flesh->arena, double, n);
    if (!total || !flesh->thickness) return false;
    for (int p = 0; p < flesh->character->vertexCount; p++)
        for (int k = flesh->skin.start[p]; k < flesh->skin.start[p + 1]; k++) {
            int joint = flesh->skin.column[k];
            double nearest = 1e300;
            for (int b = 0; b < flesh->boneCount; b++) {
                const snBone *bone = &flesh->bones[b];
                if (bone->joint != joint) continue;
                snVec3 at = snClosestOnSegment(flesh->points[p], bone->head, bone->tail, NULL);
                nearest = fmin(nearest, snDistance(at, flesh->points[p]));
            }
            if (nearest == 1e300) continue;
            flesh->thickness[joint] += flesh->skin.weight[k] * nearest;
            total[joint] += flesh->skin.weight[k];
        }
    for (int j = 0; j < n; j++)
        if (total[j] > 0) flesh->thickness[j] /= total[j];
    return true;
}

static bool makeField(TwistField *field, const snFlesh *flesh, snArena *scratch)
{
    field->bones = SN_NEW(scratch, BoneReach, flesh->boneCount);
    for (int b = 0; b < flesh->boneCount && field->bones; b++) {
        snBone bone = flesh->bones[b];
        const snJointFlesh *own = &flesh->joints[bone.joint];
        double radius = own->twistRadius * flesh->thickness[bone.joint];
        snBox box = snBoxAdd(snBoxAdd(snEmptyBox(), bone.head), bone.tail);
        if (!(own->twist > 0 && radius > 0)) continue;
        field->bones[field->count++] =
            (BoneReach){bone, snBox_Grow(box, radius), radius, own->twist * own->twist};
    }
    return field->bones != NULL;
}

// hold[v] = f_a² of twist alone.
static snStatus findTwist(snFlesh *flesh, const double *volume, const snQuadratureDef *quadrature,
                          snArena *scratch, const snContext *context, snError *error)
{
    TwistField field = {0};
    if (!findThickness(flesh, scratch) || !makeField(&field, flesh, scratch))
        return snFailMemory(error);
    if (!field.count) return SN_OK;
    snFieldDef def = {.lattice = &flesh->lattice,
                      .level = 1,
                      .field = twistAt,
                      .user = &field,
                      .inside = quadrature->inside,
                      .owner = quadrature->owner};
    snStatus status = snIntegrateField(&def, flesh->hold, context, error);
    for (int v = 0; v < flesh->lattice.vertexCount && !status; v++)
        flesh->hold[v] = volume[v] > 0 ? flesh->hold[v] / volume[v] : 0;
    return status;
}

void snFlesh_LumpVolume(const snFlesh *flesh, double *volume)
{
    const snLattice *l = &flesh->lattice;
    const snQuadrature *q = &flesh->quadrature;
    for (int v = 0; v < l->vertexCount; v++)
        volume[v] = 0;
    for (int c = 0; c < l->cellCount; c++) {
        int n = (int)snLattice_Kind(l, c);
        for (int i = 0; i < n * n; i++)
            volume[snLattice_Corners(l, c)[i / n]] += q->mass[q->massStart[c] + i];
    }
}

// How much of the flesh can move. In a coarse lattice nearly all of it hangs on vertices that follow
// the bones. These take what lies within about a spacing h of the bones, a volume ~ h², and the
// number of cells is ~ h⁻³. So the share that is known falls as cells^(-2/3), and
//     cells' = cells (known / known')^(3/2)
// cells bring it down to known'. Measured on six characters from 40 to 2,000 cells: within a third.
static void measureFree(snFlesh *flesh, const double *volume)
{
    double known = 0, total = 0;
    for (int v = 0; v < flesh->lattice.vertexCount; v++) {
        if (snFlesh_IsMasked(flesh, v)) continue; // was not asked to move
        total += volume[v];
        if (flesh->known[v]) known += volume[v];
    }
    double share = total > 0 ? known / total : 1, ratio = share / ENOUGH_KNOWN;
    flesh->freeShare = 1 - share;
    if (share <= MOST_KNOWN) return;
    double cells = flesh->lattice.cellCount * ratio * sqrt(ratio);
    flesh->enoughCells = (int)ceil(cells / 100) * 100;
}

static void tellFew(const snFlesh *flesh, const snContext *context)
{
    if (!flesh->enoughCells) return;
    snLog(context, SN_LOG_WARNING,
          "%d lattice cells are few: %.0f %% of the flesh hangs on vertices that follow the bones "
          "and %s move by itself; about %d cells would free most of it",
          flesh->lattice.cellCount, 100 * (1 - flesh->freeShare),
          flesh->freeShare > 0 ? "does not" : "nothing can", flesh->enoughCells);
}

// In an anchor, or in the core of a body without a skin that is not anchored.
static bool isAnchored(const snFlesh *flesh, int v)
{
    if (flesh->coreCount && !flesh->loose && !flesh->def.anchorCount && snFlesh_InCore(flesh, v))
        return true;
    for (int i = 0; i < flesh->def.anchorCount; i++)
        if (snBox_Contains(flesh->def.anchors[i], flesh->lattice.rest[v])) return true;
    return false;
}

static void holdVertex(snFlesh *flesh, int v)
{
    const snWeightRows *w = &flesh->weights;
    int joint = flesh->lattice.joint[v];
    bool onFree = joint >= 0 && flesh->joints[joint].free;
    double drag = flesh->def.massDamping, square = flesh->hold[v];
    for (int k = w->start[v]; k < w->start[v + 1]; k++) {
        const snJointFlesh *own = &flesh->joints[w->column[k]];
        drag += w->weight[k] * own->drag;
        if (!own->free) flesh->firm[v] += w->weight[k] * own->hold * own->hold;
    }
    square += flesh->firm[v];
    if (onFree) square += flesh->joints[joint].hold * flesh->joints[joint].hold;
    flesh->drag[v] = drag > 0 ? drag : 0;
    flesh->hold[v] = sqrt(square);
    flesh->known[v] = (joint >= 0 && (!onFree || isFreeRoot(flesh, v))) || isAnchored(flesh, v) ||
                      snFlesh_IsMasked(flesh, v);
}

// Every anchor must hold something.
static snStatus checkAnchors(const snFlesh *flesh, snError *error)
{
    for (int i = 0; i < flesh->def.anchorCount; i++) {
        int held = 0;
        for (int v = 0; v < flesh->lattice.vertexCount; v++)
            held += snBox_Contains(flesh->def.anchors[i], flesh->lattice.rest[v]);
        if (!held)
            return snFail(error, SN_ERROR_ARGUMENT,
                          "no vertex of the lattice is in anchor %d; make it larger, or the cells "
                          "smaller",
                          i + 1);
    }
    return SN_OK;
}

snStatus snFlesh_FindHolds(snFlesh *flesh, const snQuadratureDef *quadrature, snArena *scratch,
                           const snContext *context, snError *error)
{
    int n = flesh->lattice.vertexCount;
    flesh->known = SN_NEW(&flesh->arena, unsigned char, n);
    flesh->hold = SN_NEW(&flesh->arena, double, n);
    flesh->firm = SN_NEW(&flesh->arena, double, n);
    flesh->drag = SN_NEW(&flesh->arena, double, n);
    double *volume = SN_NEW(scratch, double, n); // ∫_Ω φ_a
    if (!flesh->known || !flesh->hold || !flesh->firm || !flesh->drag || !volume)
        return snFailMemory(error);
    snFlesh_LumpVolume(flesh, volume);
    snFlesh_GrowCores(flesh);
    snStatus status = findTwist(flesh, volume, quadrature, scratch, context, error);
    if (status) return status;
    for (int v = 0; v < n; v++)
        holdVertex(flesh, v);
    measureFree(flesh, volume);
    tellFew(flesh, context);
    status = checkAnchors(flesh, error);
    if (status || flesh->loose) return status; // what is loose is held by nothing
    return holdStrays(flesh, scratch) ? SN_OK : snFailMemory(error);
}
