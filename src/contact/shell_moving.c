#include "contact/shell_moving.h"

#include "core/elementary.h"
#include "core/error.h"
#include "geometry/winding.h"

#include <string.h>

#define OFF                                                                                        \
    1e-4 // of the size: how far before a triangle it is asked whether that is within something

// ---- making -------------------------------------------------------------------------------------

static void listFaces(snMovingShell *m, int triangleCount)
{
    const snShell *shell = m->shell;
    int vertices = shell->tree.mesh.vertexCount;
    for (int k = 0; k < 3 * triangleCount; k++)
        m->start[shell->triangles[k] + 1]++;
    for (int v = 0; v < vertices; v++)
        m->start[v + 1] += m->start[v];
    for (int k = 3 * triangleCount - 1; k >= 0; k--) // backwards, so that they ascend
        m->faces[--m->start[shell->triangles[k] + 1]] = k / 3;
    // Each start has gone down to that of its own list: one place back.
    for (int v = 0; v < vertices; v++)
        m->start[v] = m->start[v + 1];
    m->start[vertices] = 3 * triangleCount;
}

static snTriangle triangleOf(const snShell *shell, int t)
{
    return snTriangle_At(shell->end, shell->triangles + 3 * (size_t)t);
}

// Its middle and its corners, drawn in a little, are within the surface as a whole, seen from right before it.
static bool isBuried(const snMovingShell *m, const snWinding *winding, int t)
{
    snTriangle at = triangleOf(m->shell, t);
    snVec3 corner[3] = {at.a, at.b, at.c};
    snVec3 off = snScale(OFF * m->size, m->shell->faceNormals[t]);
    snVec3 middle = snScale(1.0 / 3.0, snAdd(snAdd(at.a, at.b), at.c));
    bool inside = snWinding_Inside(winding, snAdd(middle, off));
    for (int k = 0; k < 3 && inside; k++)
        inside = snWinding_Inside(winding, snAdd(snLerp(corner[k], middle, 0.02), off));
    return inside;
}

static snStatus findBuried(snMovingShell *m, snArena *scratch, snError *error)
{
    snWinding *winding;
    snStatus status = snWinding_Make(&winding, &m->shell->tree, scratch, error);
    int count = m->shell->tree.mesh.triangleCount, left = 0;
    for (int t = 0; t < count && !status; t++) {
        m->buried[t] = isBuried(m, winding, t);
        left += !m->buried[t];
    }
    if (!left && !status) memset(m->buried, 0, (size_t)count * sizeof(bool));
    return status;
}

snStatus snMovingShell_Make(snMovingShell *m, const snMesh *mesh, double depth, snArena *arena,
                            snError *error)
{
    snBox box = snMesh_Bounds(mesh);
    *m = (snMovingShell){.size = snBoxDiagonal(box)};
    snStatus status = snShell_Make(&m->shell, mesh, depth, arena, error);
    if (status) return status;
    const snMesh *welded = &m->shell->tree.mesh;
    m->start = SN_NEW(arena, int, welded->vertexCount + 1);
    m->faces = SN_NEW(arena, int, 3 * (size_t)welded->triangleCount);
    m->source = SN_NEW(arena, int, welded->vertexCount);
    m->buried = SN_NEW(arena, bool, welded->triangleCount);
    if (!m->start || !m->faces || !m->source || !m->buried) return snFailMemory(error);
    listFaces(m, welded->triangleCount);
    for (int v = mesh->vertexCount - 1; v >= 0; v--)
        m->source[m->shell->weldOf[v]] = v;
    snArena scratch = {.allocator = arena->allocator};
    status = findBuried(m, &scratch, error);
    snArena_Destroy(&scratch);
    if (!status) status = snMovingMesh_Make(&m->mesh, welded, m->buried, arena, error);
    return status;
}

// ---- moving -------------------------------------------------------------------------------------

void snMovingShell_Aim(snMovingShell *m, const snVec3 *to)
{
    size_t bytes = (size_t)m->mesh.vertexCount * sizeof *to;
    for (int v = 0; v < m->mesh.vertexCount; v++)
        if (snIsFinite3(to[m->source[v]])) m->mesh.place[1][v] = to[m->source[v]];
    m->moving = memcmp(m->mesh.place[0], m->mesh.place[1], bytes) != 0;
    snMovingMesh_Aim(&m->mesh);
}

void snMovingShell_Arrive(snMovingShell *m)
{
    snMovingMesh_Arrive(&m->mesh);
    m->moving = false;
}

// ---- asking -------------------------------------------------------------------------------------

static snVec3 faceNormal(const snMovingShell *m, int t, double share)
{
    snTriangle at = snMovingMesh_Triangle(&m->mesh, t, share);
    return snNormalizeOr(snTwiceArea(at.a, at.b, at.c), snVec(0, 0, 0));
}

static snVec3 cornerNormal(const snMovingShell *m, int vertex, double share)
{
    snVec3 sum = {0, 0, 0};
    for (int i = m->start[vertex]; i < m->start[vertex + 1]; i++) {
        const int *c = m->shell->triangles + 3 * (size_t)m->faces[i];
        int k = c[0] == vertex ? 0 : (c[1] == vertex ? 1 : 2);
        snVec3 at = snMovingMesh_Vertex(&m->mesh, vertex, share);
        snVec3 u = snSub(snMovingMesh_Vertex(&m->mesh, c[(k + 1) % 3], share), at);
        snVec3 v = snSub(snMovingMesh_Vertex(&m->mesh, c[(k + 2) % 3], share), at);
        double angle = snAtan2(snLength(snCross(u, v)), snDot(u, v));
        sum = snMulAdd(sum, angle, faceNormal(m, m->faces[i], share));
    }
    return sum;
}

bool snMovingShell_Judge(const snMovingShell *m, double share, snVec3 x, double reach,
                         const snSurfacePoint *near, snShellPoint *found)
{
    const snShell *shell = m->shell;
    if (near->triangle < 0) return false;
    snShellFeature at = snShell_FeatureAt(shell, near);
    snShellSide side = {
        .face = faceNormal(m, near->triangle, share), .size = m->size, .inner = at.inner};
    side.normal = side.face;
    if (at.kind == SN_SHELL_EDGE && shell->twin[at.number] >= 0)
        side.normal = snAdd(side.face, faceNormal(m, shell->twin[at.number] / 3, share));
    if (at.kind == SN_SHELL_CORNER) side.normal = cornerNormal(m, at.number, share);
    return snShell_Judge(shell, x, reach, near, &side, found);
}

snVec3 snMovingShell_Way(const snMovingShell *m, int triangle, const double barycentric[3])
{
    snVec3 way = {0, 0, 0};
    for (int k = 0; k < 3; k++) {
        int v = m->shell->triangles[3 * (size_t)triangle + (size_t)k];
        snVec3 own = snSub(m->mesh.place[1][v], m->mesh.place[0][v]);
        way = snMulAdd(way, barycentric[k], own);
    }
    return way;
}
