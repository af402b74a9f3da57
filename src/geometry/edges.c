#include "geometry/edges.h"

#include <stdlib.h>

static int compareSides(const void *a, const void *b)
{
    const snSide *x = a, *y = b;
    if (x->low != y->low) return x->low < y->low ? -1 : 1;
    if (x->high != y->high) return x->high < y->high ? -1 : 1;
    return (x->corner > y->corner) - (x->corner < y->corner);
}

void snSides_Sort(snSide *sides, const int *triangles, int triangleCount)
{
    int count = 3 * triangleCount;
    for (int i = 0; i < count; i++) {
        int a = triangles[i], b = triangles[snNextCorner(i)];
        sides[i] = (snSide){a < b ? a : b, a < b ? b : a, i};
    }
    if (count) qsort(sides, (size_t)count, sizeof *sides, compareSides);
}

int snSides_End(const snSide *sides, int count, int first)
{
    int end = first + 1;
    while (end < count && sides[end].low == sides[first].low &&
           sides[end].high == sides[first].high)
        end++;
    return end;
}
