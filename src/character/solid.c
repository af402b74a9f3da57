#include "character/solid.h"

#include "core/error.h"

// Vertices nearer than this share of the size are one: seams of texture coordinates and what
// single precision leaves of equal places.
static const double weldTolerance = 1e-6;

static snStatus checkMesh(const snMesh *mesh, snError *error)
{
    for (int v = 0; v < mesh->vertexCount; v++)
        if (!snIsFinite3(mesh->positions[v]))
            return snFail(error, SN_ERROR_GEOMETRY, "vertex %d is not finite", v);
    if (mesh->triangleCount < 1)
        return snFail(error, SN_ERROR_GEOMETRY, "there are no triangles, so there is no surface");
    return SN_OK;
}

// The box of what triangles use: vertices that belong to none do not count.
static snBox usedBounds(const snMesh *mesh)
{
    snBox box = snEmptyBox();
    for (int i = 0; i < 3 * mesh->triangleCount; i++)
        box = snBoxAdd(box, mesh->positions[mesh->triangles[i]]);
    return box;
}

snStatus snSolid_Make(snSolid *solid, const snMesh *mesh, snArena *arena, snError *error)
{
    *solid = (snSolid){0};
    snStatus status = checkMesh(mesh, error);
    if (status) return status;
    solid->bounds = usedBounds(mesh);
    solid->size = snDistance(solid->bounds.lower, solid->bounds.upper);
    if (!(solid->size > 0.0))
        return snFail(error, SN_ERROR_GEOMETRY, "all vertices are at one place");
    snWeld weld;
    status = snMesh_Weld(&weld, mesh, weldTolerance * solid->size, arena, error);
    if (status) return status;
    solid->mesh = weld.mesh;
    solid->weldOf = weld.weldOf;
    status = snMeshTree_Build(&solid->tree, &solid->mesh, arena, error);
    if (!status) status = snWinding_Make(&solid->winding, &solid->tree, arena, error);
    return status;
}

// Triangles of all parts, numbered through.
static void collectTriangles(const snCharacter *character, int *triangles)
{
    int first = 0;
    for (int p = 0; p < character->partCount; p++) {
        const snPart *part = &character->parts[p];
        for (int i = 0; i < 3 * part->triangleCount; i++)
            *triangles++ = first + part->triangles[i];
        first += part->vertexCount;
    }
}

static snStatus restSurface(snVec3 *positions, const snCharacter *character, snArena *scratch,
                            snError *error)
{
    static const snTasks serial = {NULL, NULL, 1};
    snVec3f *single = SN_NEW(scratch, snVec3f, character->vertexCount);
    if (!single) return snFailMemory(error);
    snPose pose;
    snStatus status =
        snPose_Make(&pose, &character->skeleton, character->morphCount, scratch, error);
    if (status) return status;
    snCharacter_Pose(character, NULL, 0.0, &pose);
    snCharacter_Surface(character, &pose, &serial, single, NULL);
    for (int v = 0; v < character->vertexCount; v++)
        positions[v] = snFromF(single[v]);
    return SN_OK;
}

snStatus snSolid_FromCharacter(snSolid *solid, const snCharacter *character, snArena *arena,
                               snError *error)
{
    snVec3 *positions = SN_NEW(arena, snVec3, character->vertexCount);
    int *triangles = SN_NEW(arena, int, 3 * (size_t)character->triangleCount);
    if (!positions || !triangles) return snFailMemory(error);
    snStatus status = restSurface(positions, character, arena, error);
    if (status) return status;
    collectTriangles(character, triangles);
    snMesh mesh = {character->vertexCount, character->triangleCount, positions, triangles};
    return snSolid_Make(solid, &mesh, arena, error);
}

bool snSolid_Inside(const snSolid *solid, snVec3 point)
{
    return snWinding_Inside(solid->winding, point);
}

double snSolid_Depth(const snSolid *solid, snVec3 point)
{
    double distance = snMeshTree_Closest(&solid->tree, point, 1e300).distance;
    return snSolid_Inside(solid, point) ? distance : -distance;
}

// A point of depth d has no surface within d: the test may go on d further along the line. Holes
// of open surfaces have no surface to measure, so steps stay below `step`.
bool snSolid_SegmentInside(const snSolid *solid, snVec3 a, snVec3 b, double step)
{
    double length = snDistance(a, b);
    int pieces = step > 0.0 && length / step < 1e6 ? (int)ceil(length / step) : 1000000;
    if (pieces < 1) pieces = 1;
    for (int i = 0; i <= pieces; i++)
        if (!snSolid_Inside(solid, snLerp(a, b, (double)i / pieces))) return false;
    return true;
}
