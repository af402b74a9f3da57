#include "body/lattice/boundary.h"

#include "core/error.h"

#include <stdlib.h>
#include <string.h>

typedef struct Face {
    int sorted[SN_FACE_CORNERS]; // to tell equal ones
    int corner[SN_FACE_CORNERS];
    int number; // in the order of cells
} Face;

static int compareFaces(const void *a, const void *b)
{
    const Face *f = a, *g = b;
    for (int k = 0; k < SN_FACE_CORNERS; k++)
        if (f->sorted[k] != g->sorted[k]) return f->sorted[k] < g->sorted[k] ? -1 : 1;
    return f->number < g->number ? -1 : f->number > g->number;
}

static int compareNumbers(const void *a, const void *b)
{
    const Face *f = a, *g = b;
    return f->number < g->number ? -1 : f->number > g->number;
}

static Face makeFace(const int *corners, const int *face, int number)
{
    Face f = {.number = number};
    for (int k = 0; k < SN_FACE_CORNERS; k++) {
        f.corner[k] = face[k] < 0 ? -1 : corners[face[k]];
        int at = k;
        for (; at > 0 && f.sorted[at - 1] > f.corner[k]; at--)
            f.sorted[at] = f.sorted[at - 1];
        f.sorted[at] = f.corner[k];
    }
    return f;
}

// Those that come once, first in the list and in the order of cells. Returns how many.
static int keepSingle(Face *faces, int count)
{
    int kept = 0;
    qsort(faces, (size_t)count, sizeof *faces, compareFaces);
    for (int i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count; next++)
            if (memcmp(faces[i].sorted, faces[next].sorted, sizeof faces->sorted)) break;
        if (next == i + 1) faces[kept++] = faces[i];
    }
    qsort(faces, (size_t)kept, sizeof *faces, compareNumbers);
    return kept;
}

snStatus snBoundary_Find(snBoundary *boundary, const snLattice *lattice, snArena *arena,
                         const snContext *context, snError *error)
{
    snArena scratch = snMakeArena(context);
    Face *faces = SN_NEW(&scratch, Face, (size_t)lattice->cellCount * 6);
    int count = 0;
    *boundary = (snBoundary){0};
    for (int c = 0; faces && c < lattice->cellCount; c++) {
        const snCellShape *shape = snCellShape_Of(snLattice_Kind(lattice, c));
        for (int f = 0; f < shape->faces; f++, count++)
            faces[count] = makeFace(snLattice_Corners(lattice, c), shape->face[f], count);
    }
    if (faces) boundary->faceCount = keepSingle(faces, count);
    boundary->faces = snArena_Alloc(arena, sizeof *boundary->faces, (size_t)boundary->faceCount);
    for (int f = 0; faces && boundary->faces && f < boundary->faceCount; f++)
        memcpy(boundary->faces[f], faces[f].corner, sizeof *boundary->faces);
    bool good = faces && boundary->faces;
    snArena_Destroy(&scratch);
    return good ? SN_OK : snFailMemory(error);
}
