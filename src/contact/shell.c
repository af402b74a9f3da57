#include "contact/shell.h"

#include "core/elementary.h"
#include "core/error.h"
#include "geometry/edges.h"
#include "geometry/primitive.h"

#include <string.h>

#define WELD 1e-6   // of the size: vertices that are nearer are one
#define CORNER 1e-9 // barycentric coordinates below it are zero

// ---- topology ---------------------------------------------------------------------------------

// Two half-edges that run against each other are twins; any other number at an edge, or two that run
// alike, make it a border.
static void pairEdges(snShell *shell, const snSide *edges, int count)
{
    for (int i = 0, end; i < count; i = end) {
        end = snSides_End(edges, count, i);
        bool pair = end == i + 2 &&
                    shell->triangles[edges[i].corner] != shell->triangles[edges[i + 1].corner];
        for (int k = i; k < end; k++) {
            shell->twin[edges[k].corner] = pair ? edges[i + i + 1 - k].corner : -1;
            shell->borderEdges += !pair;
            if (!pair) shell->onBorder[edges[k].low] = shell->onBorder[edges[k].high] = 1;
        }
    }
}

static snStatus findTwins(snShell *shell, snArena *scratch, snError *error)
{
    int count = shell->tree.mesh.triangleCount * 3;
    snSide *edges = SN_NEW(scratch, snSide, count);
    if (!edges) return snFailMemory(error);
    snSides_Sort(edges, shell->triangles, shell->tree.mesh.triangleCount);
    pairEdges(shell, edges, count);
    shell->closed = shell->borderEdges == 0;
    return SN_OK;
}

// Turns all triangles over. Half-edge 3t + k went from corner k to k + 1; with corners 1 and 2
// exchanged the same edges are numbered 0 <-> 2, and 1 stays.
static void turnOver(snShell *shell)
{
    int count = shell->tree.mesh.triangleCount * 3;
    for (int t = 0; t < count; t += 3) {
        int *c = shell->triangles + t, *w = shell->twin + t, swap = c[1];
        c[1] = c[2];
        c[2] = swap;
        swap = w[0];
        w[0] = w[2];
        w[2] = swap;
    }
    for (int k = 0; k < count; k++)
        if (shell->twin[k] >= 0 && shell->twin[k] % 3 != 1)
            shell->twin[k] += shell->twin[k] % 3 == 0 ? 2 : -2;
}

// ---- normals ----------------------------------------------------------------------------------

static double angleAt(snVec3 corner, snVec3 a, snVec3 b)
{
    snVec3 u = snSub(a, corner), v = snSub(b, corner);
    return snAtan2(snLength(snCross(u, v)), snDot(u, v));
}

static void findNormals(snShell *shell)
{
    const snMesh *mesh = &shell->tree.mesh;
    memset(shell->cornerNormals, 0, (size_t)mesh->vertexCount * sizeof(snVec3));
    for (int t = 0; t < mesh->triangleCount; t++) {
        const int *c = shell->triangles + 3 * t;
        snVec3 p[3] = {shell->end[c[0]], shell->end[c[1]], shell->end[c[2]]};
        snVec3 n = snNormalizeOr(snTwiceArea(p[0], p[1], p[2]), snVec(0, 0, 0));
        shell->faceNormals[t] = n;
        for (int k = 0; k < 3; k++) {
            double angle = angleAt(p[k], p[(k + 1) % 3], p[(k + 2) % 3]);
            shell->cornerNormals[c[k]] = snMulAdd(shell->cornerNormals[c[k]], angle, n);
        }
    }
    for (int k = 0; k < mesh->triangleCount * 3; k++) {
        snVec3 n = shell->faceNormals[k / 3];
        shell->edgeNormals[k] =
            shell->twin[k] < 0 ? n : snAdd(n, shell->faceNormals[shell->twin[k] / 3]);
    }
}

static void refit(snShell *shell)
{
    for (int t = 0; t < shell->tree.mesh.triangleCount; t++) {
        const int *corners = shell->triangles + 3 * (size_t)t;
        shell->boxes[t] = snTriangle_Bounds(snTriangle_At(shell->end, corners));
    }
    snTree_Refit(&shell->tree.tree, shell->boxes);
    findNormals(shell);
}

// ---- making and moving ------------------------------------------------------------------------

static snStatus allocate(snShell *shell, const snWeld *weld, snArena *arena, snError *error)
{
    int vertices = weld->mesh.vertexCount, triangles = weld->mesh.triangleCount;
    shell->begin = SN_COPY(arena, snVec3, weld->mesh.positions, vertices);
    shell->end = SN_COPY(arena, snVec3, weld->mesh.positions, vertices);
    shell->triangles = SN_COPY(arena, int, weld->mesh.triangles, (size_t)triangles * 3);
    shell->twin = SN_NEW(arena, int, (size_t)triangles * 3);
    shell->faceNormals = SN_NEW(arena, snVec3, triangles);
    shell->edgeNormals = SN_NEW(arena, snVec3, (size_t)triangles * 3);
    shell->cornerNormals = SN_NEW(arena, snVec3, vertices);
    shell->onBorder = SN_NEW(arena, unsigned char, vertices);
    shell->boxes = SN_NEW(arena, snBox, triangles);
    bool good = shell->begin && shell->end && shell->triangles && shell->twin &&
                shell->faceNormals && shell->edgeNormals && shell->cornerNormals &&
                shell->onBorder && shell->boxes;
    return good ? SN_OK : snFailMemory(error);
}

static snStatus make(snShell *shell, const snMesh *mesh, snArena *arena, snArena *scratch,
                     snError *error)
{
    snBox box = snMesh_Bounds(mesh);
    double size = mesh->triangleCount > 0 ? snBoxDiagonal(box) : 0;
    snWeld weld;
    if (!isfinite(size) || !(size > 0) || !(snMesh_Area(mesh) > 0))
        return snFail(error, SN_ERROR_GEOMETRY, "the surface has no triangle with an area");
    snStatus status = snMesh_Weld(&weld, mesh, WELD * size, arena, error);
    if (!status && weld.mesh.triangleCount == 0)
        return snFail(error, SN_ERROR_GEOMETRY,
                      "every triangle of the surface is smaller than 1e-6 of its size");
    if (!status) status = allocate(shell, &weld, arena, error);
    if (status) return status;
    snMesh own = {weld.mesh.vertexCount, weld.mesh.triangleCount, shell->end, shell->triangles};
    shell->weldOf = weld.weldOf;
    shell->vertexCount = mesh->vertexCount;
    shell->tree.mesh = own;
    status = findTwins(shell, scratch, error);
    if (status) return status;
    if (shell->closed && snMesh_Volume(&own) < 0) turnOver(shell);
    status = snMeshTree_Build(&shell->tree, &own, arena, error);
    if (!status) findNormals(shell);
    return status;
}

snStatus snShell_Make(snShell **out, const snMesh *mesh, double depth, snArena *arena,
                      snError *error)
{
    *out = NULL;
    snArena scratch = {.allocator = arena->allocator};
    snShell *shell = SN_NEW(arena, snShell, 1);
    if (!shell) return snFailMemory(error);
    shell->depth = depth;
    snStatus status = make(shell, mesh, arena, &scratch, error);
    snArena_Destroy(&scratch);
    if (!status) *out = shell;
    return status;
}

// What is not finite stays where it was.
static void moveVertex(snShell *shell, int v, snVec3 from, snVec3 to)
{
    int w = shell->weldOf[v];
    if (snIsFinite3(from)) shell->begin[w] = from;
    if (snIsFinite3(to)) shell->end[w] = to;
    double far = snDistance(shell->begin[w], shell->end[w]);
    if (far > shell->moved) shell->moved = far;
}

// Of merged vertices the first decides.
void snShell_Move(snShell *shell, const snVec3f *begin, const snVec3f *end)
{
    shell->moved = 0;
    for (int v = shell->vertexCount - 1; v >= 0; v--)
        moveVertex(shell, v, snFromF(begin[v]), snFromF(end[v]));
    refit(shell);
}

void snShell_Place(snShell *shell, const snVec3 *begin, const snVec3 *end)
{
    shell->moved = 0;
    for (int v = shell->vertexCount - 1; v >= 0; v--)
        moveVertex(shell, v, begin[v], end[v]);
    refit(shell);
}

// ---- asking -----------------------------------------------------------------------------------

snShellFeature snShell_FeatureAt(const snShell *shell, const snSurfacePoint *place)
{
    int zero[3], zeros = 0, t = 3 * place->triangle;
    for (int k = 0; k < 3; k++)
        if (place->barycentric[k] < CORNER) zero[zeros++] = k;
    if (zeros == 0) return (snShellFeature){SN_SHELL_FACE, place->triangle, true};
    if (zeros == 1) { // the edge that faces the corner without weight
        int edge = t + (zero[0] + 1) % 3;
        return (snShellFeature){SN_SHELL_EDGE, edge, shell->twin[edge] >= 0};
    }
    int vertex = shell->triangles[t + (zeros == 2 ? 3 - zero[0] - zero[1] : 0)];
    return (snShellFeature){SN_SHELL_CORNER, vertex, !shell->onBorder[vertex]};
}

bool snShell_Judge(const snShell *shell, snVec3 x, double reach, const snSurfacePoint *near,
                   const snShellSide *side, snShellPoint *found)
{
    snVec3 away = snSub(x, near->point);
    bool outside = snDot(away, side->normal) >= 0;
    if (!shell->closed && (!side->inner || (!outside && near->distance > shell->depth)))
        return false;
    if (outside && near->distance > reach) return false;
    // On the surface itself the way out is the normal's own.
    snVec3 out = snNormalizeOr(side->normal, side->face);
    if (near->distance > 1e-9 * side->size)
        out = snScale((outside ? 1 : -1) / near->distance, away);
    *found = (snShellPoint){.distance = outside ? near->distance : -near->distance,
                            .normal = out,
                            .point = near->point,
                            .triangle = near->triangle};
    memcpy(found->barycentric, near->barycentric, sizeof near->barycentric);
    return true;
}

bool snShell_Query(const snShell *shell, snVec3 x, double reach, snShellPoint *found)
{
    const snTree *tree = &shell->tree.tree;
    snBox box = tree->nodes[0].box;
    double most = !shell->closed && shell->depth > reach ? shell->depth : reach;
    if (!(snBox_DistanceSquared(box, x) <= most * most)) return false;
    if (shell->closed && snBox_Contains(box, x)) most = INFINITY;
    snSurfacePoint near = snMeshTree_Closest(&shell->tree, x, most);
    if (near.triangle < 0) return false;
    snShellFeature at = snShell_FeatureAt(shell, &near);
    const snVec3 *normals = at.kind == SN_SHELL_FACE   ? shell->faceNormals
                            : at.kind == SN_SHELL_EDGE ? shell->edgeNormals
                                                       : shell->cornerNormals;
    snShellSide side = {normals[at.number], shell->faceNormals[near.triangle],
                        snDistance(box.lower, box.upper), at.inner};
    return snShell_Judge(shell, x, reach, &near, &side, found);
}

snVec3 snShell_MoveAt(const snShell *shell, const snShellPoint *place)
{
    snVec3 move = {0, 0, 0};
    for (int k = 0; k < 3; k++) {
        int v = shell->triangles[3 * place->triangle + k];
        move = snMulAdd(move, place->barycentric[k], snSub(shell->end[v], shell->begin[v]));
    }
    return move;
}
