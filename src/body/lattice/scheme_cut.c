// Cutting a part out of a lattice.
#include "body/lattice/scheme_parts.h"

#include "core/error.h"

// Tags of features that hold a marked vertex; others do not matter to it, and may be cut in two.
static bool keepsTag(const char *mark, const int *v, int n)
{
    bool touches = false;
    for (int k = 0; k < n; k++) {
        if (v[k] < 0) continue;
        if (!mark[v[k]]) return false;
        touches = touches || mark[v[k]] == 2;
    }
    return touches;
}

static snStatus cutSharp(snLattice *to, const snSharp *from, const char *mark, const int *number,
                         snArena *arena, snError *error)
{
    if (!from) return SN_OK;
    snSharp *sharp = SN_NEW(arena, snSharp, 1);
    if (!sharp) return snFailMemory(error);
    sharp->edge = snArena_Alloc(arena, sizeof *sharp->edge, (size_t)from->edgeCount);
    sharp->corner = SN_NEW(arena, int, from->cornerCount);
    sharp->face = snArena_Alloc(arena, sizeof *sharp->face, (size_t)from->faceCount);
    if (!sharp->edge || !sharp->corner || !sharp->face) return snFailMemory(error);
    for (int i = 0; i < from->edgeCount; i++) {
        if (!keepsTag(mark, from->edge[i], 2)) continue;
        for (int k = 0; k < 2; k++)
            sharp->edge[sharp->edgeCount][k] = number[from->edge[i][k]];
        sharp->edgeCount++;
    }
    for (int i = 0; i < from->cornerCount; i++)
        if (keepsTag(mark, &from->corner[i], 1))
            sharp->corner[sharp->cornerCount++] = number[from->corner[i]];
    for (int i = 0; i < from->faceCount; i++) {
        if (!keepsTag(mark, from->face[i], SN_FACE_CORNERS)) continue;
        for (int k = 0; k < SN_FACE_CORNERS; k++)
            sharp->face[sharp->faceCount][k] = from->face[i][k] < 0 ? -1 : number[from->face[i][k]];
        sharp->faceCount++;
    }
    to->sharp = sharp;
    return SN_OK;
}

// Lists the cells with a marked vertex, and marks their vertices; returns their corners' number.
static int markCells(snCutPart *part, const snLattice *whole, char *mark)
{
    int cells = 0, corners = 0;
    for (int c = 0; c < whole->cellCount; c++) {
        const int *v = snLattice_Corners(whole, c);
        int n = (int)snLattice_Kind(whole, c);
        bool touches = false;
        for (int k = 0; k < n; k++)
            touches = touches || mark[v[k]] == 2;
        if (!touches) continue;
        for (int k = 0; k < n; k++)
            if (!mark[v[k]]) mark[v[k]] = 1;
        part->cell[cells++] = c;
        corners += n;
    }
    part->lattice.cellCount = cells;
    return corners;
}

snStatus snCutPart_Make(snCutPart *part, const snLattice *whole, char *mark, snArena *arena,
                        snError *error)
{
    *part = (snCutPart){.vertex = SN_NEW(arena, int, whole->vertexCount),
                        .cell = SN_NEW(arena, int, whole->cellCount)};
    int *number = SN_NEW(arena, int, whole->vertexCount), vertices = 0;
    if (!part->vertex || !part->cell || !number) return snFailMemory(error);
    int corners = markCells(part, whole, mark), cells = part->lattice.cellCount;
    for (int v = 0; v < whole->vertexCount; v++) {
        if (!mark[v]) continue;
        part->vertex[vertices] = v;
        number[v] = vertices++;
    }
    snStatus status = snLattice_Alloc(&part->lattice, vertices, cells, corners, arena, error);
    if (status) return status;
    for (int c = 0, at = 0; c < cells; c++) {
        for (int k = whole->cellStart[part->cell[c]]; k < whole->cellStart[part->cell[c] + 1]; k++)
            part->lattice.corners[at++] = number[whole->corners[k]];
        part->lattice.cellStart[c + 1] = at;
    }
    return cutSharp(&part->lattice, whole->sharp, mark, number, arena, error);
}
