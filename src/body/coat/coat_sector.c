#include "body/coat/coat_parts.h"

#include "core/elementary.h"
#include "core/error.h"

// Whether a point may be in an envelope, by a few of its planes.
//
// Go from the point straight away from the element's axis. From inside, that way leaves the envelope through some triangle T, and the
// point is below T's plane. All of the way has one place along the axis and one direction about it. So a point is outside if it is
// above the planes of all triangles that have its place along the axis and its direction within their reach. Feet stand on the axis, as
// a rule, so that columns of samples keep their directions however long cylinders are, and the triangles between two columns
// stand one after another in the element's list: sector c has the triangles from 2 rows c on. Where feet stand beside the axis
// all triangles are looked at.

#define ON_AXIS 1e-9 // of the element's length

static double offAxis(const snCoatSectors *s, snVec3 origin, snVec3 x)
{
    snVec3 d = snSub(x, origin);
    double across = snDot(d, s->side), up = snDot(d, s->third);
    return sqrt(across * across + up * up);
}

// All feet on the axis, both caps' axes along it, and columns that have one direction each and go round once, each by less than half a
// turn.
static bool hasSectors(const snCoatElement *ce, const snCoatSectors *s, double close)
{
    const snElement *e = &ce->element;
    double sign = 0;
    for (int i = 0; i < e->count; i++)
        if (offAxis(s, ce->head, e->foot[i]) > close) return false;
    for (int i = e->count - 2; i < e->count; i++)
        if (offAxis(s, ce->head, snElement_Sample(e, e->rest, i)) > close) return false;
    for (int c = 0; c < e->columns; c++) {
        const double *d = s->way + 2 * c, *next = s->way + 2 * ((c + 1) % e->columns);
        double turn = d[0] * next[1] - d[1] * next[0];
        if (c == 0) sign = turn;
        if (!(turn * sign > 0) || (turn > 0) != s->left) return false;
        for (int r = 0; r < e->rows; r++) {
            snVec3 axis = e->axis[r * e->columns + c];
            double x = snDot(axis, s->side), y = snDot(axis, s->third);
            if (fabs(x * d[1] - y * d[0]) > 1e-9 || !(x * d[0] + y * d[1] > 0)) return false;
        }
    }
    return true;
}

snStatus snCoatSectors_Make(snCoatSectors *s, const snCoatElement *ce, snArena *arena,
                            snError *error)
{
    const snElement *e = &ce->element;
    snVec3 way = snSub(ce->tail, ce->head);
    snVec3 axis = snNormalizeOr(way, snVec(1, 0, 0));
    s->way = SN_NEW(arena, double, 2 * (size_t)e->columns);
    if (!s->way) return snFailMemory(error);
    s->side =
        snNormalizeOr(snMulAdd(e->axis[0], -snDot(e->axis[0], axis), axis), snPerpendicular(axis));
    s->third = snCross(axis, s->side);
    double turned = 0;
    for (int c = 0; c < e->columns; c++) {
        double x = snDot(e->axis[c], s->side), y = snDot(e->axis[c], s->third);
        double size = sqrt(x * x + y * y);
        s->way[2 * c] = size > 0 ? x / size : 0;
        s->way[2 * c + 1] = size > 0 ? y / size : 0;
    }
    for (int c = 0; c < e->columns; c++) {
        const double *d = s->way + 2 * c, *next = s->way + 2 * ((c + 1) % e->columns);
        turned += snAtan2(d[0] * next[1] - d[1] * next[0], d[0] * next[0] + d[1] * next[1]);
    }
    s->left = turned > 0;
    s->any = fabs(fabs(turned) - 2 * SN_PI) < 1e-6 && hasSectors(ce, s, ON_AXIS * snLength(way));
    return SN_OK;
}

// The sector in which (x, y) is, before the column that is next round from it.
static int sectorOf(const snCoatSectors *s, int columns, double x, double y)
{
    double sign = s->left ? 1 : -1;
    bool before = sign * (s->way[0] * y - s->way[1] * x) >= 0;
    for (int c = 0; c + 1 < columns; c++) {
        const double *next = s->way + 2 * (c + 1);
        bool behind = sign * (next[0] * y - next[1] * x) >= 0;
        if (before && !behind) return c;
        before = behind;
    }
    return columns - 1;
}

bool snCoatBody_MayHold(const snCoatBody *b, int e, snVec3 x)
{
    const snCoatHull *hull = &b->hulls[e];
    const snElement *element = &b->coating->elements[e].element;
    const snCoatSectors *s = &b->sectors[e];
    snVec3 d = snSub(x, hull->origin);
    double along = snDot(d, hull->axis);
    if (!(along >= hull->low && along <= hull->high &&
          snLengthSquared(d) - along * along <= hull->radius2))
        return false;
    int n = element->triangleCount, from = 0, to = n;
    if (s->any) {
        int c = sectorOf(s, element->columns, snDot(d, hull->side), snDot(d, hull->third));
        from = 2 * element->rows * c, to = from + 2 * element->rows;
    }
    const double *p = b->planes + SN_COAT_PLANE * (size_t)b->firstPlane[e];
    const double *low = p + 4 * n, *high = p + 5 * n;
    for (int t = from; t < to; t++)
        if (low[t] <= along && along <= high[t] &&
            x.x * p[t] + x.y * p[n + t] + x.z * p[2 * n + t] <= p[3 * n + t])
            return true;
    return false;
}
