#include "body/skin/skin_press.h"

#include "core/error.h"

#include <string.h>

// What a point of the skin got from the surface in a step of length h is what is left of its change of momentum,
//
//     J = m (v' - v) - h (m g + f + p),
//
// with f what its neighbours in the skin do and p what pulls from outside. Of f the mean of the step's begin and end is taken: it is not exact
// point by point, but forces within a skin sum to 0, so that Σ J is. The surface gets -J, at the place that is nearest to the point where it
// lies on it, else where its band ends.
//
// When. The body under the skin moves first, and so has to be pushed by what the skin will give: R, expected to be what it was in the last step.
// Then J is found, and where it is another one both may be taken back and moved again with R + ω (J - R). Were the surface not to
// yield, that would be right at once with ω = 1. A body of the mass M yields by R/M; the skin, m, goes along, and J is off by
// -(m/M) R: so (1 - ω (1 + m/M)) of what was missed is left, nothing with ω = 1/(1 + m/M), and less than half of it for what yields less than all
// of the body does. What is still missing when the step counts is owed, and a share of that is given in each
// step to come: momentum, with what is owed, is kept to rounding however often steps are taken.

#define REPAID 0.25 // of what is owed, in a step

snStatus snSkinPress_Make(snSkinPress *press, int count, double ratio, snArena *arena,
                          snError *error)
{
    *press = (snSkinPress){.count = count, .share = 1.0 / (1.0 + ratio)};
    press->state = SN_NEW(arena, snVec3, 2 * (size_t)count);
    press->given = SN_NEW(arena, snVec3, count);
    press->found = SN_NEW(arena, snVec3, count);
    press->better = SN_NEW(arena, snVec3, count);
    press->pulled = SN_NEW(arena, snVec3, count);
    press->inner[0] = SN_NEW(arena, snVec3, count);
    press->inner[1] = SN_NEW(arena, snVec3, count);
    if (!press->state || !press->given || !press->found || !press->better || !press->pulled ||
        !press->inner[0] || !press->inner[1])
        return snFailMemory(error);
    press->expected = press->state;
    press->owed = press->state + count;
    return SN_OK;
}

size_t snSkinPress_SaveSize(const snSkinPress *press)
{
    return 2 * (size_t)press->count * sizeof(snVec3);
}

void snSkinPress_Clear(snSkinPress *press)
{
    if (press->count) memset(press->state, 0, snSkinPress_SaveSize(press));
    press->again = false;
}

// ---- what is under it -----------------------------------------------------------------------------

snBodyEnd snSkinPress_FootOf(const snElasticSkin *skin, int i)
{
    const snMovingShell *shell = &skin->under.shell;
    const snSkinPoint *p = &skin->points[i];
    bool tied = p->muscle == SN_SKIN_SURFACE;
    double share[3] = {p->attach.x, p->attach.y, p->attach.z};
    int face = tied ? p->face : -1;
    if (!tied || snLengthSquared(skin->touching[i]) > 0.0) {
        int near = tied && !shell->buried[face] ? face : -1;
        snSurfacePoint at =
            snMovingMesh_Closest(&shell->mesh, 1.0, skin->places[i], INFINITY, near);
        face = at.triangle;
        memcpy(share, at.barycentric, sizeof share);
    }
    snBodyEnd end = {.point = -1};
    for (int k = 0; k < 3 && face >= 0; k++) {
        end.corner[k] = shell->source[shell->shell->triangles[3 * (size_t)face + (size_t)k]];
        end.share[k] = share[k];
    }
    return end;
}

snVec3 snSkinPress_FootPlace(const snBody *under, const snBodyEnd *foot)
{
    snVec3 place = {0, 0, 0};
    for (int k = 0; k < 3; k++)
        place = snMulAdd(place, foot->share[k], snBody_Vertex(under, foot->corner[k]));
    return place;
}

void snSkinPress_Push(snSkinPress *press, const snElasticSkin *skin, snBody *under, double length)
{
    press->length = length;
    for (int i = 0; i < press->count; i++) {
        snVec3 expected = press->again ? press->better[i] : press->expected[i];
        press->given[i] = snMulAdd(expected, REPAID, press->owed[i]);
        if (snLengthSquared(press->given[i]) == 0.0) continue;
        snBodyEnd end = snSkinPress_FootOf(skin, i);
        snVec3 place = snSkinPress_FootPlace(under, &end);
        snBody_Thrust(under, &end, place, snScale(1.0 / length, press->given[i]));
    }
}

// ---- what the skin gives --------------------------------------------------------------------------

static void findInner(const snElasticSkin *skin, snVec3 *force)
{
    memset(force, 0, (size_t)skin->mesh->pointCount * sizeof *force);
    snSkinElastic_AddForce(&skin->elastic, skin->places, skin->velocities, force);
}

void snSkinPress_Begin(snSkinPress *press, const snElasticSkin *skin)
{
    findInner(skin, press->inner[0]);
    memset(press->pulled, 0, (size_t)press->count * sizeof *press->pulled);
    snElasticSkin_AddPulls(skin, 0.0, skin->places, skin->velocities, press->pulled);
}

void snSkinPress_End(snSkinPress *press, const snElasticSkin *skin, const snVec3 *before)
{
    double h = press->length;
    findInner(skin, press->inner[1]);
    for (int i = 0; i < press->count; i++) {
        snVec3 f = snScale(0.5, snAdd(press->inner[0][i], press->inner[1][i]));
        snVec3 got = snScale(skin->mass[i], snSub(skin->velocities[i], before[i]));
        got = snMulAdd(got, -h * skin->mass[i], skin->gravity);
        if (skin->fields) got = snMulAdd(got, -h * skin->mass[i], skin->fields[i]);
        got = snMulAdd(got, -h, snAdd(f, press->pulled[i]));
        press->found[i] = skin->inverseMass[3 * i] > 0.0 ? snNeg(got) : snVec(0, 0, 0);
    }
}

double snSkinPress_Miss(snSkinPress *press)
{
    double off = 0.0, all = 0.0;
    for (int i = 0; i < press->count; i++) {
        snVec3 expected = press->again ? press->better[i] : press->expected[i];
        snVec3 missed = snSub(press->found[i], expected);
        press->better[i] = snMulAdd(expected, press->share, missed);
        off += snLength(missed);
        all += snLength(press->found[i]);
    }
    press->again = true;
    return off / (all + 1e-300);
}

void snSkinPress_Finish(snSkinPress *press)
{
    for (int i = 0; i < press->count; i++) {
        snVec3 missed = snSub(press->found[i], press->given[i]);
        press->owed[i] = snAdd(press->owed[i], missed);
        press->expected[i] = press->better[i];
    }
    press->again = false;
}

snVec3 snSkinPress_Owed(const snSkinPress *press)
{
    snVec3 sum = {0, 0, 0};
    for (int i = 0; i < press->count; i++)
        sum = snAdd(sum, press->owed[i]);
    return sum;
}
