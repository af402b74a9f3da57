// Left and right: which parts that swing by themselves are mirror images of each other.
//
// Two parts are twins if the names of their first joints are alike but for the side, the same is
// wanted of them, and their surfaces are mirror images: across the plane midway between these two
// joints, the only one that takes one joint to the other, points of one lie on the surface of the
// other, and the other way round.
#include "body/lattice/flesh_parts.h"

#include "character/mirror.h"
#include "core/error.h"

#define MOST_SAMPLES 200  // points of a part that are looked at
#define NEAR 0.02         // of the height: as near as this to the surface an image lies on it
#define GOOD_SAMPLES 0.85 // of the samples: where parts blend into the body some miss

typedef struct Sides {
    const snFlesh *flesh;
    int *ofPoint; // [character vertices], the part that has most weight there
    int *ofWeld;  // [surface vertices]
} Sides;

static snStatus assignPoints(Sides *s, snArena *scratch, snError *error)
{
    const snFlesh *f = s->flesh;
    const snWeightRows *skin = &f->skin;
    int n = f->character->vertexCount;
    double *sum = SN_NEW(scratch, double, f->swingCount);
    s->ofPoint = SN_NEW(scratch, int, n);
    s->ofWeld = SN_NEW(scratch, int, f->surface.vertexCount);
    if (!sum || !s->ofPoint || !s->ofWeld) return snFailMemory(error);
    for (int p = 0; p < n; p++) {
        int best = 0;
        for (int k = skin->start[p]; k < skin->start[p + 1]; k++)
            sum[f->swingOf[skin->column[k]]] += skin->weight[k];
        for (int k = skin->start[p]; k < skin->start[p + 1]; k++) {
            int part = f->swingOf[skin->column[k]];
            if (sum[part] > sum[best] || (sum[part] == sum[best] && part < best)) best = part;
        }
        for (int k = skin->start[p]; k < skin->start[p + 1]; k++)
            sum[f->swingOf[skin->column[k]]] = 0;
        s->ofPoint[p] = best;
        if (f->weldOf[p] >= 0) s->ofWeld[f->weldOf[p]] = best;
    }
    return SN_OK;
}

static bool liesOn(const Sides *s, snVec3 point, int part)
{
    const snFlesh *f = s->flesh;
    int triangle = snMeshTree_Closest(&f->tree, point, NEAR * f->height).triangle;
    if (triangle < 0) return false;
    const int *corner = f->surface.triangles + 3 * triangle;
    return s->ofWeld[corner[0]] == part || s->ofWeld[corner[1]] == part ||
           s->ofWeld[corner[2]] == part;
}

// Whether the image of one part lies on the other.
static bool mapsOnto(const Sides *s, const snMirror *mirror, int from, int to)
{
    const snFlesh *f = s->flesh;
    int n = f->character->vertexCount, total = 0, samples = 0, good = 0;
    for (int p = 0; p < n; p++)
        total += s->ofPoint[p] == from && f->weldOf[p] >= 0;
    int stride = 1 + total / MOST_SAMPLES;
    for (int p = 0, k = 0; p < n; p++) {
        if (s->ofPoint[p] != from || f->weldOf[p] < 0 || k++ % stride) continue;
        good += liesOn(s, snMirror_Of(mirror, f->points[p]), to);
        samples++;
    }
    return samples > 0 && good >= GOOD_SAMPLES * samples;
}

static bool wantTheSame(const snJointFlesh *a, const snJointFlesh *b)
{
    return a->wobble == b->wobble && a->relative == b->relative && a->free == b->free &&
           a->hold == b->hold;
}

static bool areTwins(const Sides *s, int a, int b)
{
    const snFlesh *f = s->flesh;
    const snJoint *joints = f->character->skeleton.joints;
    int i = f->swings[a].joint, j = f->swings[b].joint;
    if (!wantTheSame(&f->joints[i], &f->joints[j])) return false;
    if (!snTissue_AreSides(joints[i].name, joints[j].name) &&
        !snTissue_AreSides(joints[j].name, joints[i].name))
        return false;
    snVec3 p = snInverseAffine(f->fromRest[i]).origin, q = snInverseAffine(f->fromRest[j]).origin;
    if (!(snDistance(p, q) > 1e-6 * f->height)) return false;
    snMirror mirror = {.found = true, .point = snLerp(p, q, 0.5)};
    mirror.normal = snNormalizeOr(snSub(q, p), snVec(1, 0, 0));
    return mapsOnto(s, &mirror, a, b) && mapsOnto(s, &mirror, b, a);
}

snStatus snFlesh_FindTwins(const snFlesh *flesh, int *twins, snArena *scratch, snError *error)
{
    Sides s = {.flesh = flesh};
    snStatus status = assignPoints(&s, scratch, error);
    for (int g = 0; g < flesh->swingCount; g++)
        twins[g] = -1;
    for (int a = 1; a < flesh->swingCount && !status; a++) // part 0 is the body
        for (int b = a + 1; b < flesh->swingCount && twins[a] < 0; b++)
            if (twins[b] < 0 && areTwins(&s, a, b)) twins[a] = b, twins[b] = a;
    return status;
}
