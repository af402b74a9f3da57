#include "body/lattice/sliver.h"

#include "core/lists.h"
#include "geometry/primitive.h"

#define ROUNDS 8
#define GOOD 0.5 // mean ratio; points of tets above it stay where they are

// Volume against edge lengths: 1 for a regular tet, 0 when flat, negative when inverted.
static double meanRatio(snTetrahedron t)
{
    double squares = snLengthSquared(snSub(t.a, t.b)) + snLengthSquared(snSub(t.a, t.c)) +
                     snLengthSquared(snSub(t.a, t.d)) + snLengthSquared(snSub(t.b, t.c)) +
                     snLengthSquared(snSub(t.b, t.d)) + snLengthSquared(snSub(t.c, t.d));
    double scale = 124.70765814495917; // 72 sqrt(3)
    return squares > 0 ? scale * snTetrahedron_Volume(t) / (squares * sqrt(squares)) : 0;
}

static double quality(const snSliverDef *def, int tet)
{
    const int *c = def->tets->corners + tet * 4;
    const snVec3 *p = def->points;
    return meanRatio((snTetrahedron){p[c[0]], p[c[1]], p[c[2]], p[c[3]]});
}

// The worst of the kept tets around a point; the others only have to stay positive.
static double starQuality(const snSliverDef *def, const snLists *stars, int point)
{
    double worst = 1;
    for (int i = stars->start[point]; i < stars->start[point + 1]; i++) {
        double q = quality(def, stars->item[i]);
        if (q < worst && (q <= 0 || def->keep[stars->item[i]])) worst = q;
    }
    return worst;
}

typedef struct Walk {
    const snSliverDef *def;
    const snLists *stars;
    int point;
    snVec3 home;
    double best;
} Walk;

// Takes a step if the worst tet around the point gets better by it.
static void tryStep(Walk *walk, snVec3 step)
{
    snVec3 *at = &walk->def->points[walk->point], old = *at;
    *at = snAdd(old, step);
    if (snDistance(*at, walk->home) <= walk->def->reach) {
        double q = starQuality(walk->def, walk->stars, walk->point);
        if (q > walk->best + 1e-6) {
            walk->best = q;
            return;
        }
    }
    *at = old;
}

// Along its rail, or among the directions of a cube's faces and corners.
static void improvePoint(const snSliverDef *def, const snLists *stars, int point, snVec3 home)
{
    static const snVec3 directions[14] = {
        {1, 0, 0},  {-1, 0, 0}, {0, 1, 0},  {0, -1, 0},  {0, 0, 1},   {0, 0, -1},  {1, 1, 1},
        {-1, 1, 1}, {1, -1, 1}, {1, 1, -1}, {-1, -1, 1}, {-1, 1, -1}, {1, -1, -1}, {-1, -1, -1}};
    Walk walk = {def, stars, point, home, starQuality(def, stars, point)};
    bool rail = point < def->railCount;
    if (rail && snLengthSquared(def->rails[point]) == 0) return;
    for (double step = 0.5 * def->reach; step > 0.1 * def->reach; step *= 0.5)
        for (int d = 0; d < (rail ? 2 : 14); d++)
            tryStep(&walk, rail ? snScale(d ? -step : step, def->rails[point])
                                : snScale(step, directions[d]));
}

bool snImproveTets(const snSliverDef *def, snArena *scratch)
{
    snLists stars; // which tets stand at each point
    unsigned char *bad = SN_NEW(scratch, unsigned char, def->pointCount);
    snVec3 *home = SN_COPY(scratch, snVec3, def->points, def->pointCount);
    if (!bad || !home ||
        snLists_Make(&stars, def->tets->corners, def->tets->count, 4, def->pointCount, scratch,
                     NULL))
        return false;
    for (int round = 0; round < ROUNDS; round++) {
        for (int t = 0; t < def->tets->count; t++)
            if (def->keep[t] && quality(def, t) < GOOD)
                for (int k = 0; k < 4; k++)
                    bad[def->tets->corners[t * 4 + k]] = 1;
        for (int p = 0; p < def->pointCount; p++) {
            if (bad[p]) improvePoint(def, &stars, p, home[p]);
            bad[p] = 0;
        }
    }
    return true;
}
