#include "asset/obj_polygon.h"

// Ear clipping takes count² steps for round polygons and at worst count³; a fan takes over where
// that could be felt.
enum { MAX_EARS = 1024 };

// Newell's normal: twice the area vector, sound for dented and slightly bent polygons.
static snVec3 areaVector(const snVec3 *corners, int count)
{
    snVec3 sum = snVec(0, 0, 0);
    for (int i = 0; i < count; i++) {
        snVec3 a = snSub(corners[i], corners[0]);
        snVec3 b = snSub(corners[(i + 1) % count], corners[0]);
        sum = snAdd(sum, snCross(a, b));
    }
    return sum;
}

// Twice the signed area of abc seen along the normal.
static double signedArea(snVec3 a, snVec3 b, snVec3 c, snVec3 normal)
{
    return snDot(normal, snTwiceArea(a, b, c));
}

// A corner is an ear when it bulges outwards and no other corner lies in its triangle. Corners on
// the very places of a, b or c (doubled points, slits) do not count.
static bool isEar(const snVec3 *corners, const int *ring, int count, int i, snVec3 normal)
{
    snVec3 a = corners[ring[(i + count - 1) % count]], b = corners[ring[i]];
    snVec3 c = corners[ring[(i + 1) % count]];
    if (!(signedArea(a, b, c, normal) > 0.0)) return false;
    for (int k = 2; k < count - 1; k++) {
        snVec3 p = corners[ring[(i + k) % count]];
        if (snDistance(p, a) == 0.0 || snDistance(p, b) == 0.0 || snDistance(p, c) == 0.0) continue;
        if (signedArea(a, b, p, normal) >= 0.0 && signedArea(b, c, p, normal) >= 0.0 &&
            signedArea(c, a, p, normal) >= 0.0)
            return false;
    }
    return true;
}

// The ear with the shortest new edge, so that strips come out as quads would be cut; -1: none.
static int findEar(const snVec3 *corners, const int *ring, int count, snVec3 normal)
{
    int best = -1;
    double shortest = INFINITY;
    for (int i = 0; i < count; i++) {
        snVec3 a = corners[ring[(i + count - 1) % count]], c = corners[ring[(i + 1) % count]];
        double length = snDistance(a, c);
        if (length < shortest && isEar(corners, ring, count, i, normal)) {
            shortest = length;
            best = i;
        }
    }
    return best;
}

void snCutPolygon(const snVec3 *corners, int count, int *ring, int *triangles)
{
    snVec3 normal = areaVector(corners, count);
    for (int i = 0; i < count; i++)
        ring[i] = i;
    for (; count > 3; triangles += 3) {
        int ear = count <= MAX_EARS ? findEar(corners, ring, count, normal) : -1;
        if (ear < 0) break;
        triangles[0] = ring[(ear + count - 1) % count];
        triangles[1] = ring[ear];
        triangles[2] = ring[(ear + 1) % count];
        count--;
        for (int i = ear; i < count; i++)
            ring[i] = ring[i + 1];
    }
    for (int i = 1; i + 1 < count; i++, triangles += 3) {
        triangles[0] = ring[0];
        triangles[1] = ring[i];
        triangles[2] = ring[i + 1];
    }
}
