#include "body/coat/coat_kernel.h"

#include "core/simd.h"

// Far more is outside than inside, so how far out points are is found for all at once: below 0, or 0, they are in.
static int within(const snCoatHull *hull, int count, const snVec3 *points, int *found)
{
    snVec3 o = hull->origin, a = hull->axis;
    double low = hull->low, high = hull->high, square = hull->radius2;
    double out[SN_COAT_AT_ONCE];
    int kept = 0;
    for (int i = 0; i < count; i++) {
        double x = points[i].x - o.x, y = points[i].y - o.y, z = points[i].z - o.z;
        double along = x * a.x + y * a.y + z * a.z;
        double off = x * x + y * y + z * z - along * along - square;
        double under = low - along, over = along - high;
        double ends = under > over ? under : over;
        out[i] = ends > off ? ends : off;
    }
    for (int i = 0; i < count; i++) {
        found[kept] = i;
        kept += out[i] <= 0;
    }
    return kept;
}

// The segment's ends are on different sides of a plane where 0 ≤ t ≤ 1, t = high / det: high (det - high) ≥ 0.
static int cut(const double *planes, int n, int from, snVec3 foot, snVec3 way, int *found)
{
    const double *x = planes + from, *y = x + n, *z = y + n, *d = z + n;
    double between[SN_COAT_AT_ONCE];
    int kept = 0, count = n - from < SN_COAT_AT_ONCE ? n - from : SN_COAT_AT_ONCE;
    for (int t = 0; t < count; t++) {
        double det = way.x * x[t] + way.y * y[t] + way.z * z[t];
        double high = d[t] - (foot.x * x[t] + foot.y * y[t] + foot.z * z[t]);
        between[t] = high * (det - high);
    }
    for (int t = 0; t < count; t++) {
        found[kept] = from + t;
        kept += between[t] >= 0;
    }
    return kept;
}

static void setPlanes(int n, const int *triangles, const snVec3 *points, const double *along,
                      double *planes)
{
    double *restrict x = planes, *restrict y = x + n, *restrict z = y + n, *restrict d = z + n,
                     *restrict low = d + n, *restrict high = low + n;
    for (int t = 0; t < n; t++) {
        int i = triangles[3 * t], j = triangles[3 * t + 1], k = triangles[3 * t + 2];
        snVec3 p = points[i], u = snSub(points[j], p), v = snSub(points[k], p);
        double nx = u.y * v.z - u.z * v.y, ny = u.z * v.x - u.x * v.z, nz = u.x * v.y - u.y * v.x;
        double a = along[i], b = along[j], c = along[k];
        double least = a < b ? a : b, most = a > b ? a : b;
        x[t] = nx, y[t] = ny, z[t] = nz;
        d[t] = nx * p.x + ny * p.y + nz * p.z;
        low[t] = least < c ? least : c;
        high[t] = most > c ? most : c;
    }
}

extern const snCoatKernels SN_VARIANT(snCoatKernels);
const snCoatKernels SN_VARIANT(snCoatKernels) = {within, cut, setPlanes};
