// Sides of triangles, sorted so that those of one edge stand next to each other.
#ifndef SN_GEOMETRY_EDGES_H
#define SN_GEOMETRY_EDGES_H

typedef struct snSide {
    int low, high; // vertices
    int corner;    // 3 triangle + k: from corner k to the next
} snSide;

static inline int snNextCorner(int corner)
{
    return corner % 3 == 2 ? corner - 2 : corner + 1;
}

// sides[3 * triangleCount]: by edges, those of one in the order of triangles.
void snSides_Sort(snSide *sides, const int *triangles, int triangleCount);
// One behind the last side that is of the same edge as side `first`.
int snSides_End(const snSide *sides, int count, int first);

#endif
