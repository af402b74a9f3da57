// Triangles of a surface that cut each other, by asking every pair: an independent count.
#ifndef SN_TESTS_BODY_SKIN_CROSSING_H
#define SN_TESTS_BODY_SKIN_CROSSING_H

#include "geometry/primitive.h"

static inline double volumeOf(snVec3 a, snVec3 b, snVec3 c, snVec3 d)
{
    return snTetrahedron_Volume((snTetrahedron){a, b, c, d});
}

// An edge goes through a triangle: its ends are on two sides, and it passes all three sides on one hand.
static inline bool pierces(snVec3 p, snVec3 q, snVec3 a, snVec3 b, snVec3 c)
{
    if (volumeOf(a, b, c, p) * volumeOf(a, b, c, q) >= 0) return false;
    double u = volumeOf(p, q, a, b), v = volumeOf(p, q, b, c), w = volumeOf(p, q, c, a);
    return (u > 0 && v > 0 && w > 0) || (u < 0 && v < 0 && w < 0);
}

static inline bool cutEachOther(const int *s, const int *t, const snVec3 *r)
{
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            if (s[i] == t[k]) return false;
    for (int k = 0; k < 3; k++)
        if (pierces(r[s[k]], r[s[(k + 1) % 3]], r[t[0]], r[t[1]], r[t[2]]) ||
            pierces(r[t[k]], r[t[(k + 1) % 3]], r[s[0]], r[s[1]], r[s[2]]))
            return true;
    return false;
}

static inline int countCuts(int triangleCount, const int *triangles, const snVec3 *r)
{
    int count = 0;
    for (int s = 0; s < triangleCount; s++) {
        const int *a = triangles + 3 * s;
        snBox box = snTriangle_Bounds((snTriangle){r[a[0]], r[a[1]], r[a[2]]});
        for (int t = s + 1; t < triangleCount; t++) {
            const int *b = triangles + 3 * t;
            if (snBoxOverlap(box, snTriangle_Bounds((snTriangle){r[b[0]], r[b[1]], r[b[2]]})))
                count += cutEachOther(a, b, r);
        }
    }
    return count;
}

#endif
