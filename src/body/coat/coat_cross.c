#include "body/coat/coat_parts.h"

#include "core/simd.h"

// Segments of springs against triangles of an envelope, as in the paper. A sample point is inside when its segment goes in more often
// than out; it is brought back to where it went in last.

#define BEHIND 1.25 // lengths of a segment, behind its foot
#define DEEP 0.05   // of a segment: beyond that it is asked where the sample came in

SN_DECLARE_VARIANTS(const snCoatKernels, snCoatKernels);

const snCoatKernels *snChooseCoatKernels(void)
{
    return SN_CHOOSE(&snCoatKernels);
}

void snCoatBody_SetPlanes(snCoatBody *b, int e)
{
    const snElement *element = &b->coating->elements[e].element;
    const snVec3 *points = b->samples + b->first[e];
    const snCoatHull *hull = &b->hulls[e];
    double *along = b->along + b->first[e];
    for (int i = 0; i < element->count; i++)
        along[i] = snDot(snSub(points[i], hull->origin), hull->axis);
    b->kernels->planes(element->triangleCount, element->triangles, points, along,
                       b->planes + SN_COAT_PLANE * (size_t)b->firstPlane[e]);
}

void snCoatBody_MovePlanes(snCoatBody *b, int e, int i)
{
    const snElement *element = &b->coating->elements[e].element;
    const snVec3 *points = b->samples + b->first[e];
    const snCoatHull *hull = &b->hulls[e];
    double *along = b->along + b->first[e];
    double *planes = b->planes + SN_COAT_PLANE * (size_t)b->firstPlane[e];
    size_t n = (size_t)element->triangleCount;
    along[i] = snDot(snSub(points[i], hull->origin), hull->axis);
    for (int k = element->ringStart[i]; k < element->ringStart[i + 1]; k++) {
        double one[SN_COAT_PLANE];
        int t = element->around[k];
        b->kernels->planes(1, element->triangles + 3 * (size_t)t, points, along, one);
        for (size_t m = 0; m < SN_COAT_PLANE; m++)
            planes[m * n + (size_t)t] = one[m];
    }
}

// Where the line a + t w is in the plane of a triangle: shares of its corners, if within (Möller, Trumbore 1997). Most are not, and cost no
// division.
static bool isWithin(const snVec3 p[3], snVec3 a, snVec3 w, double det, double share[3])
{
    snVec3 u = snSub(p[1], p[0]), v = snSub(p[2], p[0]), s = snCross(snSub(a, p[0]), w);
    double one = -snDot(v, s), two = snDot(u, s);
    double sign = det < 0 ? -1 : 1;
    if (sign * one < 0 || sign * two < 0 || sign * (one + two) > sign * det) return false;
    share[1] = one / det;
    share[2] = two / det;
    share[0] = 1 - share[1] - share[2];
    return true;
}

// A triangle that the segment goes through: in, or out again.
static void crossOne(const snCoatBody *b, int e, int t, snVec3 foot, snVec3 way, int *within,
                     snCoatEntry *entry)
{
    const snElement *element = &b->coating->elements[e].element;
    const snVec3 *points = b->samples + b->first[e];
    const int *c = element->triangles + 3 * (size_t)t;
    const snVec3 p[3] = {points[c[0]], points[c[1]], points[c[2]]};
    const double *plane = b->planes + SN_COAT_PLANE * (size_t)b->firstPlane[e] + t;
    int n = element->triangleCount;
    snVec3 normal = snVec(plane[0], plane[n], plane[2 * n]);
    double det = snDot(way, normal); // below 0 it goes in
    snCoatEntry here = {.triangle = t, .normal = normal};
    if (det == 0 || !isWithin(p, foot, way, det, here.share)) return;
    here.t = (plane[3 * n] - snDot(foot, normal)) / det;
    *within += det < 0 ? 1 : -1;
    if (det < 0 && (entry->triangle < 0 || here.t > entry->t)) *entry = here;
}

static bool crossAll(const snCoatBody *b, int e, snVec3 foot, snVec3 way, snCoatEntry *entry)
{
    int within = 0, n = b->coating->elements[e].element.triangleCount, found[SN_COAT_AT_ONCE];
    const double *planes = b->planes + SN_COAT_PLANE * (size_t)b->firstPlane[e];
    *entry = (snCoatEntry){.triangle = -1};
    for (int from = 0; from < n; from += SN_COAT_AT_ONCE) {
        int count = b->kernels->cut(planes, n, from, foot, way, found);
        for (int i = 0; i < count; i++)
            crossOne(b, e, found[i], foot, way, &within, entry);
    }
    return within > 0 && entry->triangle >= 0;
}

// Where both ends are inside already the segment is made longer behind the foot, as far as the other side of its own element: t is below
// 0 then, the flesh gives way as far as it can, and links do the rest.
static bool crossAlong(const snCoatBody *b, int e, snVec3 foot, snVec3 sample, snCoatEntry *entry)
{
    snVec3 way = snSub(sample, foot);
    if (crossAll(b, e, foot, way, entry)) return true;
    if (!snCoatBody_MayHold(b, e, foot)) return false;
    snVec3 far = snMulAdd(foot, -BEHIND, way);
    if (!crossAll(b, e, far, snScale(1 + BEHIND, way), entry)) return false;
    entry->t = (1 + BEHIND) * entry->t - BEHIND;
    return true;
}

// Where a sample was at the step's begin, relative to the joint of another one's element, as that stands now.
static snVec3 cameFrom(const snCoatBody *a, int ea, int sample, const snCoatBody *b, int eb)
{
    const snCoatElement *ca = &a->coating->elements[ea];
    int one = ca->joint, other = b->coating->elements[eb].joint;
    snVec3 local = snElement_Sample(&ca->element, a->begin + a->first[ea], sample);
    snVec3 then = snMulAP(a->frameBegin[a->linkOf[one]], snMulAP(a->within[one], local));
    snAffine begin = snMulAA(b->frameBegin[b->linkOf[other]], b->within[other]);
    return snMulAP(b->frames[other], snMulAP(snInverseAffine(begin), then));
}

// A sample that an edge has come over from the side is deep in the other at once, along its own axis, and hardly so from where it came:
// flesh that was pressed by the whole way would have got its force from nowhere, and a head that lies on its neck would be rolled about by
// it for ever. So where the way along the axis is long, and the sample came in by another triangle in this step, it goes out there.
bool snCoatBody_FindEntry(const snCoatBody *a, int ea, int sample, const snCoatBody *b, int eb,
                          snCoatEntry *entry)
{
    const snCoatElement *ca = &a->coating->elements[ea];
    snVec3 foot = snMulAP(a->frames[ca->joint], ca->element.foot[sample]);
    snVec3 x = a->samples[a->first[ea] + sample];
    if (!crossAlong(b, eb, foot, x, entry)) return false;
    snVec3 way = snSub(x, foot);
    double size = fmax(snLength(entry->normal), 1e-300);
    entry->depth = (1 - entry->t) * fabs(snDot(entry->normal, way)) / size;
    if (!(entry->depth > DEEP * snLength(way))) return true;
    snVec3 from = cameFrom(a, ea, sample, b, eb);
    snCoatEntry came;
    if (!crossAll(b, eb, from, snSub(x, from), &came)) return true;
    double depth = (1 - came.t) * fabs(snDot(came.normal, snSub(x, from))) / snLength(came.normal);
    if (!(depth < entry->depth)) return true;
    came.beside = true, came.t = entry->t, came.depth = depth;
    *entry = came;
    return true;
}
