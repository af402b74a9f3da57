// Making trees and their states.
#include "skeleton/articulated_parts.h"

#include "core/elementary.h"
#include "core/error.h"
#include "core/hash.h"
#include "core/svd.h"

snLinkDef snDefaultLinkDef(int parent, snLinkKind kind)
{
    return (snLinkDef){.parent = parent,
                       .kind = kind,
                       .rest = snIdentityQuat(),
                       .axis = snVec(0, 0, 1),
                       .range = snFreeBall(),
                       .drive = {.target = snIdentityQuat()}};
}

void snLinkDef_SetBox(snLinkDef *link, snVec3 center, snVec3 halfSize, double mass)
{
    double x = halfSize.x * halfSize.x, y = halfSize.y * halfSize.y, z = halfSize.z * halfSize.z;
    link->mass = mass;
    link->center = center;
    link->inertia = snScaleM(mass / 3, snDiagonal3(y + z, x + z, x + y));
}

// A cylinder of length d and two halves of a ball, sharing the mass by volume. Across the axis:
//     m_c (d²/12 + r²/4) + m_b (2r²/5 + d²/4 + 3 d r/8),   along it: m_c r²/2 + m_b 2r²/5.
void snLinkDef_SetCapsule(snLinkDef *link, snVec3 head, snVec3 tail, double radius, double mass)
{
    snVec3 between = snSub(tail, head), axis = snNormalizeOr(between, snVec(1, 0, 0));
    double d = snLength(between), rr = radius * radius, whole = d + radius * 4 / 3;
    double cylinder = whole > 0 ? mass * d / whole : mass, ball = mass - cylinder;
    double along = cylinder * rr / 2 + ball * rr * 2 / 5;
    double across =
        cylinder * (d * d / 12 + rr / 4) + ball * (rr * 2 / 5 + d * d / 4 + d * radius * 3 / 8);
    link->mass = mass;
    link->center = snLerp(head, tail, 0.5);
    link->inertia =
        snAddMM(snScaleM(across, snIdentity3()), snScaleM(along - across, snOuter(axis, axis)));
}

static snStatus checkKind(const snLinkDef *link, int l, snError *error)
{
    bool root = link->kind == SN_LINK_FREE || link->kind == SN_LINK_DRIVEN;
    if (link->parent >= l || link->parent < -1)
        return snFail(error, SN_ERROR_ARGUMENT,
                      "links[%d].parent is %d; parents come before their children, roots have -1",
                      l, link->parent);
    if (root != (link->parent < 0))
        return snFail(error, SN_ERROR_ARGUMENT, "links[%d].kind: %s", l,
                      root ? "only roots are free or driven; others are balls, hinges or fixed"
                           : "a root is free or driven");
    return SN_OK;
}

static bool isInertia(const snMat3 *inertia)
{
    snVec3 values;
    snMat3 vectors, lower = snAddMM(*inertia, snScaleM(-1, snTranspose(*inertia)));
    double size = snTrace(*inertia);
    if (!isfinite(snNormSquaredM(*inertia))) return false;
    if (sqrt(snNormSquaredM(lower)) > 1e-9 * size) return false;
    snEigenSymmetric3(*inertia, &values, &vectors);
    return values.z >= -1e-9 * size;
}

static snStatus checkMass(const snLinkDef *link, int l, snError *error)
{
    if (!(link->mass >= 0) || !isfinite(link->mass))
        return snFail(error, SN_ERROR_ARGUMENT, "links[%d].mass is %g kg; it must not be negative",
                      l, link->mass);
    if (!isInertia(&link->inertia))
        return snFail(error, SN_ERROR_ARGUMENT,
                      "links[%d].inertia must be symmetric, finite and nowhere negative", l);
    if (!snIsFinite3(link->center) || !snIsFinite3(link->offset))
        return snFail(error, SN_ERROR_ARGUMENT, "links[%d]: center and offset must be finite", l);
    return SN_OK;
}

static snStatus checkJoint(const snLinkDef *link, int l, snError *error)
{
    const snJointDrive *drive = &link->drive;
    if (!(fabs(snDotQ(link->rest, link->rest) - 1) < 1e-6))
        return snFail(error, SN_ERROR_ARGUMENT, "links[%d].rest is no rotation", l);
    if (link->kind == SN_LINK_HINGE && !(snLength(link->axis) > 1e-9))
        return snFail(error, SN_ERROR_ARGUMENT, "links[%d].axis has no direction", l);
    if (!(drive->stiffness >= 0) || !(drive->damping >= 0) || !(drive->friction >= 0) ||
        !(drive->limits >= 0) || !(drive->pull >= 0) || !(drive->drag >= 0))
        return snFail(error, SN_ERROR_ARGUMENT,
                      "links[%d].drive: stiffness %g, damping %g, friction %g, limits %g, pull %g "
                      "and drag %g must not be negative",
                      l, drive->stiffness, drive->damping, drive->friction, drive->limits,
                      drive->pull, drive->drag);
    snStatus status = snJointRange_Check(&link->range, error);
    if (status) snError_Prefix(error, "links[%d].range", l);
    return status;
}

static void copyLinks(snArticulated *tree, const snArticulatedDef *def)
{
    for (int l = 0; l < def->linkCount; l++) {
        snLink *link = &tree->links[l];
        link->def = def->links[l];
        link->def.axis = snNormalizeOr(link->def.axis, snVec(1, 0, 0));
        link->def.rest = snNormalizeQ(link->def.rest);
        link->first = tree->size;
        snLinkKind kind = link->def.kind;
        tree->size += kind == SN_LINK_FREE    ? 6
                      : kind == SN_LINK_BALL  ? 3
                      : kind == SN_LINK_HINGE ? 1
                                              : 0;
        link->root = link->def.parent < 0 ? tree->rootCount : tree->links[link->def.parent].root;
        if (link->def.parent < 0) tree->roots[tree->rootCount++] = l;
    }
}

static snStatus checkLoose(const snArticulated *tree, const snContext *context, snError *error)
{
    snArticulatedState *state;
    snStatus status = snArticulatedState_Make(&state, tree, context, error);
    if (status) return status;
    int loose = snTree_FindLoose(tree, state);
    snArticulatedState_Destroy(state);
    if (loose < 0) return SN_OK;
    return snFail(error, SN_ERROR_ARGUMENT,
                  "links[%d]: nothing that hangs on its joint has inertia about it, so any force "
                  "would turn it endlessly fast; give it mass and size, or fix it",
                  loose);
}

static snStatus check(const snArticulatedDef *def, snError *error)
{
    snStatus status = SN_OK;
    if (def->linkCount < 1) return snFail(error, SN_ERROR_ARGUMENT, "there are no links");
    for (int l = 0; l < def->linkCount && !status; l++) {
        status = checkKind(&def->links[l], l, error);
        if (!status) status = checkMass(&def->links[l], l, error);
        if (!status) status = checkJoint(&def->links[l], l, error);
    }
    return status;
}

snStatus snArticulated_Make(snArticulated **out, const snArticulatedDef *def,
                            const snContext *context, snError *error)
{
    *out = NULL;
    snStatus status = check(def, error);
    if (status) return status;
    snArena arena = snMakeArena(context);
    snArticulated *tree = SN_NEW(&arena, snArticulated, 1);
    if (tree) {
        tree->linkCount = def->linkCount;
        tree->links = SN_NEW(&arena, snLink, def->linkCount);
        tree->roots = SN_NEW(&arena, int, def->linkCount);
        tree->arena = arena;
    }
    if (!tree || !tree->links || !tree->roots) {
        snArena_Destroy(&arena);
        return snFailMemory(error);
    }
    copyLinks(tree, def);
    status = checkLoose(tree, context, error);
    if (status)
        snArticulated_Destroy(tree);
    else
        *out = tree;
    return status;
}

void snArticulated_Destroy(snArticulated *tree)
{
    if (!tree) return;
    snArena_DestroyWithin(&tree->arena);
}

int snArticulated_Size(const snArticulated *tree)
{
    return tree->size;
}

int snArticulated_First(const snArticulated *tree, int link)
{
    return tree->links[link].first;
}

static bool reserve(snArticulatedState *s, const snArticulated *tree, snArena *arena)
{
    int n = tree->linkCount;
    s->links = SN_NEW(arena, snLinkState, n);
    s->drives = SN_NEW(arena, snJointDrive, n);
    s->push = SN_NEW(arena, snSpatial, n);
    s->leads = SN_NEW(arena, snLinkLead, n);
    s->places = SN_NEW(arena, snLinkPlace, n);
    s->stiff = SN_NEW(arena, snJointStiff, n);
    s->factor = SN_NEW(arena, snLinkFactor, n);
    s->rootFactor = SN_NEW(arena, double, 36 * tree->rootCount);
    s->loads = SN_NEW(arena, snLinkLoad, n);
    s->gains = SN_NEW(arena, snLinkGain, n);
    s->stops = SN_NEW(arena, snLinkStops, n);
    s->rubs = SN_NEW(arena, snLinkRub, n);
    s->before = SN_NEW(arena, snTreeSum, tree->rootCount);
    s->after = SN_NEW(arena, snTreeSum, tree->rootCount);
    s->begin = SN_NEW(arena, snLinkState, n);
    s->rate = SN_NEW(arena, snLinkState, n);
    s->sum = SN_NEW(arena, snLinkState, n);
    return s->links && s->drives && s->push && s->leads && s->places && s->stiff && s->factor &&
           s->rootFactor && s->loads && s->gains && s->stops && s->rubs && s->before && s->after &&
           s->begin && s->rate && s->sum;
}

snStatus snArticulatedState_Make(snArticulatedState **out, const snArticulated *tree,
                                 const snContext *context, snError *error)
{
    *out = NULL;
    snArena arena = snMakeArena(context);
    snArticulatedState *s = SN_NEW(&arena, snArticulatedState, 1);
    if (!s || !reserve(s, tree, &arena)) {
        snArena_Destroy(&arena);
        return snFailMemory(error);
    }
    s->arena = arena;
    s->ahead = 1;
    for (int l = 0; l < tree->linkCount; l++) {
        const snLinkDef *def = &tree->links[l].def;
        s->links[l].rotation = def->rest;
        if (def->parent < 0) s->links[l].place = def->offset;
        s->drives[l] = def->drive;
    }
    snArticulated_Update(tree, s);
    *out = s;
    return SN_OK;
}

void snArticulatedState_Destroy(snArticulatedState *s)
{
    if (!s) return;
    snArena_DestroyWithin(&s->arena);
}

snLinkState *snArticulatedState_Links(snArticulatedState *s)
{
    return s->links;
}

snJointDrive *snArticulatedState_Drives(snArticulatedState *s)
{
    return s->drives;
}

uint64_t snArticulated_Hash(const snArticulated *tree, const snArticulatedState *s)
{
    return snHash(SN_HASH_BEGIN, s->links, (size_t)tree->linkCount * sizeof *s->links);
}
