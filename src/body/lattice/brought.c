// A lattice that somebody brought instead of the automatic one. Of the three conditions (lattice.h)
// cells that meet in whole faces are checked for any lattice; this file checks the other two, which
// are about the character, and says which bone or point is at fault.
#include "body/lattice/flesh_parts.h"

#include "core/array.h"
#include "core/error.h"
#include "geometry/primitive.h"

#include <stdlib.h>

#define ON_BONE 1e-4 // of the height: as near as this a vertex lies on a bone

// Tags in the same order; none at all and NULL are the same.
static bool sameSharp(const snSharp *a, const snSharp *b)
{
    static const snSharp none = {.edgeCount = 0};
    if (!a) a = &none;
    if (!b) b = &none;
    if (a->edgeCount != b->edgeCount || a->cornerCount != b->cornerCount ||
        a->faceCount != b->faceCount)
        return false;
    for (int i = 0; i < a->edgeCount; i++)
        for (int k = 0; k < 2; k++)
            if (a->edge[i][k] != b->edge[i][k]) return false;
    for (int i = 0; i < a->cornerCount; i++)
        if (a->corner[i] != b->corner[i]) return false;
    for (int i = 0; i < a->faceCount; i++)
        for (int k = 0; k < SN_FACE_CORNERS; k++)
            if (a->face[i][k] != b->face[i][k]) return false;
    return true;
}

bool snFlesh_SameLattice(const snLattice *a, const snLattice *b)
{
    if (a->vertexCount != b->vertexCount || a->cellCount != b->cellCount) return false;
    for (int v = 0; v < a->vertexCount; v++)
        if (a->joint[v] != b->joint[v] || a->rest[v].x != b->rest[v].x ||
            a->rest[v].y != b->rest[v].y || a->rest[v].z != b->rest[v].z)
            return false;
    for (int c = 0; c <= a->cellCount; c++)
        if (a->cellStart[c] != b->cellStart[c]) return false;
    for (int k = 0; k < a->cellStart[a->cellCount]; k++)
        if (a->corners[k] != b->corners[k]) return false;
    return sameSharp(a->sharp, b->sharp);
}

// A vertex of no cell would have neither mass nor springs.
static snStatus checkUse(const snLattice *l, snArena *scratch, snError *error)
{
    unsigned char *used = SN_NEW(scratch, unsigned char, l->vertexCount);
    if (!used) return snFailMemory(error);
    for (int k = 0; k < l->cellStart[l->cellCount]; k++)
        used[l->corners[k]] = 1;
    for (int v = 0; v < l->vertexCount; v++)
        if (!used[v])
            return snFail(error, SN_ERROR_GEOMETRY,
                          "lattice.vertices[%d]: it is a corner of no cell; take it out, and "
                          "number those after it anew",
                          v);
    return SN_OK;
}

static snStatus checkDetails(const snFlesh *flesh, snError *error)
{
    const snLattice *l = &flesh->lattice;
    for (int c = 0; c < l->cellCount && flesh->def.details > 0; c++)
        if (snLattice_Kind(l, c) != SN_TET)
            return snFail(error, SN_ERROR_UNSUPPORTED,
                          "lattice.cells[%d]: it has %d corners; details need a lattice of "
                          "tetrahedra, or leave them out",
                          c, (int)snLattice_Kind(l, c));
    return SN_OK;
}

// ---- joints -----------------------------------------------------------------------------------------

static bool anyJoint(const snLattice *l)
{
    for (int v = 0; v < l->vertexCount; v++)
        if (l->joint[v] >= 0) return true;
    return false;
}

// Vertices that lie on bones move with them. A joint's own place belongs to that joint, not to the
// tail of its parent's bone.
static void findJoints(snFlesh *flesh, double tolerance)
{
    snLattice *l = &flesh->lattice;
    for (int v = 0; v < l->vertexCount; v++)
        for (int b = 0; b < flesh->boneCount; b++) {
            const snBone *bone = &flesh->bones[b];
            double t;
            snVec3 foot = snClosestOnSegment(l->rest[v], bone->head, bone->tail, &t);
            if (snDistance(foot, l->rest[v]) > tolerance) continue;
            bool atTail = snDistance(bone->tail, l->rest[v]) <= tolerance;
            if (l->joint[v] < 0 || !atTail) l->joint[v] = bone->joint;
            if (!atTail) break;
        }
}

// ---- condition (ii) ---------------------------------------------------------------------------------

// Bones that end at a joint are the skeleton's own; others were lengthened into what they carry, and
// nobody else can know how far.
static bool isGiven(const snFlesh *flesh, const snBone *bone, double tolerance)
{
    if (snDistance(bone->head, bone->tail) <= tolerance) return false;
    for (int j = 0; j < flesh->character->skeleton.jointCount; j++)
        if (snDistance(snInverseAffine(flesh->fromRest[j]).origin, bone->tail) <= tolerance)
            return true;
    return false;
}

static int vertexAt(const snLattice *l, snVec3 point, double tolerance)
{
    for (int v = 0; v < l->vertexCount; v++)
        if (l->joint[v] >= 0 && snDistance(l->rest[v], point) <= tolerance) return v;
    return -1;
}

static snStatus checkBone(const snFlesh *flesh, const snBone *bone, double tolerance,
                          const snContext *context, snError *error)
{
    const snLattice *l = &flesh->lattice;
    char label[SN_JOINT_LABEL];
    const char *name = snSkeleton_Label(&flesh->character->skeleton, bone->joint, label);
    snVec3 ends[2] = {bone->head, bone->tail};
    for (int e = 0; e < 2; e++)
        if (vertexAt(l, ends[e], tolerance) < 0)
            return snFail(
                error, SN_ERROR_GEOMETRY,
                "lattice: the bone of joint \"%s\" has no vertex at its %s (%g, %g, %g); "
                "every bone must be a chain of lattice edges (\"strict\": false lets it be)",
                name, e ? "tail" : "head", ends[e].x, ends[e].y, ends[e].z);
    int missing = snLattice_MissingBoneEdges(l, bone, 1, tolerance, context);
    if (missing < 0) return snFailMemory(error);
    if (missing)
        return snFail(error, SN_ERROR_GEOMETRY,
                      "lattice: the bone of joint \"%s\" is no chain of lattice edges: %d link%s "
                      "missing along it (\"strict\": false lets it be)",
                      name, missing, missing == 1 ? " is" : "s are");
    return SN_OK;
}

// ---- condition (iii) --------------------------------------------------------------------------------

snStatus snFlesh_CheckInside(const snFlesh *flesh, snError *error)
{
    const snEmbedding *phi = &flesh->embedding;
    int worst = -1;
    double farthest = 0, weight[SN_CELL_CORNERS];
    if (!phi->outside || flesh->def.relaxed) return SN_OK;
    for (int p = 0; p < phi->pointCount; p++) {
        double depth = snCellWeights(&flesh->lattice, phi->cell[p], flesh->points[p], weight);
        if (depth < farthest) farthest = depth, worst = p;
    }
    if (worst < 0) return SN_OK;
    snVec3 at = flesh->points[worst];
    return snFail(error, SN_ERROR_GEOMETRY,
                  "lattice: %d of %d surface points lie outside of it, the farthest is point %d at "
                  "(%g, %g, %g); the surface must lie inside (\"strict\": false lets it be)",
                  phi->outside, phi->pointCount, worst, at.x, at.y, at.z);
}

// ---- report -----------------------------------------------------------------------------------------

// Radius ratio of tets, as for automatic lattices; scaled Jacobian of others.
static double qualityOf(const snLattice *l, int cell)
{
    const int *c = snLattice_Corners(l, cell);
    if (snLattice_Kind(l, cell) != SN_TET) return snLattice_Quality(l, cell);
    snTetrahedron tet = {l->rest[c[0]], l->rest[c[1]], l->rest[c[2]], l->rest[c[3]]};
    return snTetrahedron_Quality(tet).radiusRatio;
}

double snFlesh_CellQuality(const snFlesh *flesh, int cell)
{
    return qualityOf(&flesh->lattice, cell);
}

// The spacing is that of a body-centred grid, or of cubes, of the same volume per cell.
static snStatus describe(snFlesh *flesh, snArena *scratch, snError *error)
{
    const snLattice *l = &flesh->lattice;
    double *quality = SN_NEW(scratch, double, l->cellCount), volume = 0, cubes = 0;
    if (!quality) return snFailMemory(error);
    for (int c = 0; c < l->cellCount; c++) {
        snCellKind kind = snLattice_Kind(l, c);
        quality[c] = qualityOf(l, c);
        volume += snLattice_Volume(l, c);
        cubes += kind == SN_TET ? 1.0 / 12 : kind == SN_PRISM ? 0.5 : 1;
    }
    qsort(quality, (size_t)l->cellCount, sizeof *quality, snCompareDoubles);
    flesh->report = (snAutoLatticeReport){.spacing = cbrt(volume / cubes),
                                          .worstQuality = quality[0],
                                          .medianQuality = quality[l->cellCount / 2]};
    return SN_OK;
}

snStatus snFlesh_TakeLattice(snFlesh *flesh, snArena *scratch, const snContext *context,
                             snError *error)
{
    double tolerance = ON_BONE * flesh->height;
    int joints = flesh->character->skeleton.jointCount;
    snStatus status = snLattice_Copy(&flesh->lattice, flesh->def.lattice, &flesh->arena, error);
    if (!status) status = snLattice_Check(&flesh->lattice, context, error);
    if (!status) status = checkUse(&flesh->lattice, scratch, error);
    if (!status) status = checkDetails(flesh, error);
    if (!status) status = describe(flesh, scratch, error);
    if (status) return status;
    for (int v = 0; v < flesh->lattice.vertexCount; v++)
        if (flesh->lattice.joint[v] >= joints)
            return snFail(error, SN_ERROR_ARGUMENT,
                          "lattice vertex %d is on joint %d; the character has %d", v,
                          flesh->lattice.joint[v], joints);
    if (!flesh->def.lattice->decided && !anyJoint(&flesh->lattice)) findJoints(flesh, tolerance);
    for (int b = 0; b < flesh->boneCount; b++) {
        const snBone *bone = &flesh->bones[b];
        if (!isGiven(flesh, bone, tolerance)) continue;
        status = flesh->def.relaxed ? SN_OK : checkBone(flesh, bone, tolerance, context, error);
        if (status) return status;
    }
    flesh->report.missingBoneEdges = snLattice_MissingBoneEdges(
        &flesh->lattice, flesh->bones, flesh->boneCount, tolerance, context);
    return flesh->report.missingBoneEdges < 0 ? snFailMemory(error) : SN_OK;
}
