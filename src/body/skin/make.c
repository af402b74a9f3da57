#include "body/skin/make.h"

#include "core/elementary.h"
#include "core/error.h"
#include "geometry/primitive.h"

#include <string.h>

// ---- the sphere ---------------------------------------------------------------------------------

static snBox boundsOf(const snSkinMuscles *muscles)
{
    snBox box = snEmptyBox();
    for (int i = 0; i < muscles->count; i++)
        if (!muscles->shape[1][i].bare) box = snBoxUnion(box, muscles->edge[1][i].bounds);
    return box;
}

// A point of a rim at an angle, in its frame. Circles of both rims begin on the same side.
static snVec3 rimPoint(const snSkinRim *rim, snVec3 side, double angle, double sign)
{
    snVec3 n = snNormalizeOr(rim->out, snVec(0, 1, 0));
    snVec3 u = snNormalizeOr(snMulAdd(side, -snDot(side, n), n), snPerpendicular(n));
    snVec3 w = snScale(sign, snCross(n, u));
    return snMulAdd(snMulAdd(rim->centre, rim->radius * snCos(angle), u),
                    rim->radius * snSin(angle), w);
}

// Rows between the rims lie on the sphere at even angles from the pole below to the pole above.
void snSkinRims_Sphere(const snSkinRim rims[2], const snSkinMesh *mesh,
                       const snSkinMuscles *muscles, snVec3 *places, snSkinPoint *points)
{
    snAffine low = muscles->frame[1][rims[0].frame], high = muscles->frame[1][rims[1].frame];
    snVec3 bottom = snMulAP(low, rims[0].centre), top = snMulAP(high, rims[1].centre);
    snBox box = boundsOf(muscles);
    box = snBoxAdd(snBoxAdd(box, bottom), top);
    snVec3 middle = snLerp(box.lower, box.upper, 0.5);
    double radius = 0.51 * snDistance(box.lower, box.upper);
    snVec3 up = snNormalizeOr(snSub(top, bottom), snVec(0, 1, 0));
    snVec3 side = snPerpendicular(up), across = snCross(up, side);
    for (int j = 0; j < mesh->rows; j++)
        for (int i = 0; i < mesh->columns; i++) {
            double a = 2.0 * SN_PI * i / mesh->columns, b = SN_PI * (j + 0.5) / mesh->rows;
            snVec3 out = snMulAdd(snScale(snCos(a), side), snSin(a), across);
            int p = j * mesh->columns + i, end = j == 0 ? 0 : 1;
            places[p] = snMulAdd(snMulAdd(middle, radius * snSin(b), out), -radius * snCos(b), up);
            points[p].frame = -1;
            if (j > 0 && j + 1 < mesh->rows) continue;
            snAffine frame = end ? high : low;
            snVec3 start = snMulTMV(frame.linear, side);
            points[p].frame = rims[end].frame;
            points[p].pin = rimPoint(&rims[end], start, a, end ? 1.0 : -1.0);
            places[p] = snMulAP(frame, points[p].pin);
        }
}

// ---- shrinking on -------------------------------------------------------------------------------

snSkinShrinkDef snDefaultSkinShrinkDef(void)
{
    return (snSkinShrinkDef){.tissue = snDefaultSkinTissue(), .shrink = 0.8, .seconds = 3.0};
}

// A light skin that is much too small, in something thick, without weight.
static snSkinTissue shrinking(const snSkinShrinkDef *def)
{
    snSkinTissue tissue = snDefaultSkinTissue();
    tissue.elasticity = 100.0;
    tissue.tightness = def->shrink;
    tissue.damping = 40.0;
    tissue.viscosity = 2e-4; // a longer lag keeps it from lying on
    tissue.bandStiffness = tissue.bandDamping = 0.0;
    tissue.fat = def->tissue.fat;
    return tissue;
}

static bool isStill(const snElasticSkin *skin, double size)
{
    double most = 0.0;
    for (int i = 0; i < skin->mesh->pointCount; i++)
        most = fmax(most, snLength(skin->velocities[i]));
    return most < 0.002 * size;
}

static snStatus shrinkOn(const snSkinShrinkDef *def, snElasticSkin *skin, snError *error)
{
    snBox box = boundsOf(&skin->muscles);
    double size = snDistance(box.lower, box.upper), step = 1.0 / 60.0;
    for (int k = 0; k < (int)(def->seconds / step + 0.5); k++) {
        if (!snElasticSkin_Step(skin, step, def->frames, NULL))
            return snFail(error, SN_ERROR_NUMERIC,
                          "the skin could not be computed while it shrank onto the muscles; try "
                          "fewer rows and columns, or way=rays");
        if (def->watch && !def->watch(def->user, skin->mesh, skin->places)) break;
        if (k > 10 && isStill(skin, size)) break;
    }
    return SN_OK;
}

// Points as they are while it shrinks, filled in where it was large; places: where it has come to so far, and then where it lies.
// `bulge` as in snElasticSkinDef.
static snStatus shrinkPlaces(const snSkinShrinkDef *def, const snSkinMesh *mesh, double bulge,
                             const snSkinPoint *points, snVec3 *places, const snContext *context,
                             snError *error)
{
    snElasticSkinDef skinDef = snDefaultElasticSkinDef();
    skinDef.mesh = mesh;
    skinDef.points = points;
    skinDef.places = places;
    skinDef.muscleCount = def->muscleCount;
    skinDef.muscles = def->muscles;
    skinDef.frameCount = def->frameCount;
    skinDef.frames = def->frames;
    skinDef.gravity = snVec(0, 0, 0);
    skinDef.friction = 0.0;
    skinDef.correction = 0.1;
    skinDef.bulge = bulge;
    skinDef.control.place = 2e-3;
    skinDef.control.pace = 1.0;
    snElasticSkin *skin;
    snStatus status = snElasticSkin_Make(&skin, &skinDef, context, error);
    if (status) return status;
    status = shrinkOn(def, skin, error);
    memcpy(places, skin->places, (size_t)mesh->pointCount * sizeof *places);
    snElasticSkin_Destroy(skin);
    return status;
}

static double sizeOf(const snSkinShrinkDef *def)
{
    snBox box = snEmptyBox();
    for (int i = 0; i < def->muscleCount; i++)
        if (!def->muscles[i].bare)
            box = snBoxUnion(
                box,
                snMakeMuscle(&def->muscles[i].shape, def->frames[def->muscles[i].frame]).bounds);
    return snDistance(box.lower, box.upper);
}

// A grid of half as many rows and columns goes the long way first, from the same sphere, and tells where this one begins: that is
// an eighth of the work, and what is left to do are the details. Faces are kept out of muscles: all of the first, for none is near where it
// will lie, then those that a muscle bulges into.
#define SMALLEST 8  // rows and columns
#define BULGE 0.004 // of the size of all muscles

static snStatus shrinkLevels(const snSkinShrinkDef *def, const snSkinMesh *mesh, double size,
                             snVec3 *places, snSkinPoint *points, const snContext *context,
                             snError *error)
{
    snArena arena = snMakeArena(context);
    snSkinMesh half, back;
    snSkinBlend *down, *up;
    int columns = (mesh->columns + 1) / 2, rows = (mesh->rows + 1) / 2;
    bool first = columns < SMALLEST || rows < SMALLEST;
    snStatus status = SN_OK;
    if (!first) {
        status = snSkinMesh_Resample(&half, &down, mesh, columns, rows, &arena, error);
        snSkinPoint *few = SN_NEW(&arena, snSkinPoint, columns * rows);
        snVec3 *at = SN_NEW(&arena, snVec3, columns * rows);
        snVec3 *next = SN_NEW(&arena, snVec3, mesh->pointCount);
        if (!status && !(few && at && next)) status = snFailMemory(error);
        if (!status) {
            snSkinPoint_Blend(down, half.pointCount, points, few);
            snSkinPlaces_Blend(down, half.pointCount, places, at);
            status = shrinkLevels(def, &half, size, at, few, context, error);
        }
        if (!status)
            status =
                snSkinMesh_Resample(&back, &up, &half, mesh->columns, mesh->rows, &arena, error);
        if (!status) snSkinPlaces_Blend(up, mesh->pointCount, at, next);
        for (int i = 0; i < mesh->pointCount && !status; i++)
            if (points[i].frame < 0) places[i] = next[i];
    }
    double bulge = !def->faces ? 0.0 : first ? -BULGE * size : BULGE * size;
    if (!status) status = shrinkPlaces(def, mesh, bulge, points, places, context, error);
    snArena_Destroy(&arena);
    return status;
}

snStatus snElasticSkin_Shrink(const snSkinShrinkDef *def, snVec3 *places, snSkinPoint *points,
                              const snContext *context, snError *error)
{
    snSkinTissue tissue = shrinking(def);
    for (int i = 0; i < def->mesh->pointCount; i++)
        points[i].muscle = -1;
    snSkinTissue_Fill(&tissue, def->mesh, places, points);
    for (int i = 0; i < def->mesh->pointCount; i++)
        if (points[i].frame >= 0) places[i] = snMulAP(def->frames[points[i].frame], points[i].pin);
    snStatus status = shrinkLevels(def, def->mesh, sizeOf(def), places, points, context, error);
    if (!status) snSkinTissue_Fill(&def->tissue, def->mesh, places, points);
    return status;
}

// ---- bands --------------------------------------------------------------------------------------

static void attachAt(const snMuscle *muscle, int number, snVec3 foot, snVec3 point, snSkinPoint *p)
{
    p->muscle = number;
    p->attach = snMuscle_Source(muscle, foot);
    p->bandLength = snDistance(point, foot);
}

// The nearest muscle that is met inwards; a point that touches one is taken a little outwards first.
static bool attachInwards(const snSkinMuscles *muscles, snVec3 place, snVec3 normal, double reach,
                          snSkinPoint *p)
{
    double best = reach, lift = 0.02 * reach;
    snVec3 from = snMulAdd(place, lift, normal), in = snNeg(normal);
    p->muscle = -1;
    for (int k = 0; k < muscles->count; k++) {
        const snMuscle *muscle = &muscles->edge[1][k];
        double t;
        if (muscles->shape[1][k].bare) continue;
        if (!snMuscle_Ray(muscle, from, in, best + lift, &t) || !(t > 0.0)) continue;
        attachAt(muscle, k, snMulAdd(from, t, in), place, p);
        best = fmax(t - lift, 0.0);
    }
    return p->muscle >= 0;
}

static void attachNearest(const snSkinMuscles *muscles, snVec3 place, double reach, snSkinPoint *p)
{
    double best = reach;
    for (int k = 0; k < muscles->count; k++) {
        const snMuscle *muscle = &muscles->edge[1][k];
        if (muscles->shape[1][k].bare) continue;
        if (snBox_DistanceSquared(muscle->bounds, place) > best * best) continue;
        snVec3 foot = snMuscle_Project(muscle, place, NULL);
        double distance = snDistance(foot, place);
        if (distance > best) continue;
        best = distance;
        attachAt(muscle, k, foot, place, p);
    }
}

void snElasticSkin_Attach(const snSkinMuscles *muscles, const snVec3 *places, const snVec3 *normals,
                          double reach, int first, int count, snSkinPoint *points)
{
    for (int i = first; i < first + count; i++) {
        if (points[i].frame >= 0) continue;
        if (snLengthSquared(normals[i]) == 0.0 ||
            !attachInwards(muscles, places[i], normals[i], reach, &points[i]))
            attachNearest(muscles, places[i], reach, &points[i]);
    }
}

// ---- the surface of all muscles -----------------------------------------------------------------

typedef struct Union {
    const snSkinMuscles *muscles;
    double blend, grow;
} Union;

static double unionValue(const Union *all, snVec3 point, snVec3 *gradient)
{
    double value = 1e300, share;
    snVec3 sum = {0, 0, 0}, n;
    bool any = false;
    for (int i = 0; i < all->muscles->count; i++) {
        if (all->muscles->shape[1][i].bare) continue;
        double one = snMuscle_Value(&all->muscles->edge[1][i], point, gradient ? &n : NULL);
        value = any ? snSmoothMin(value, one, all->blend, &share) : one;
        if (gradient) sum = any ? snLerp(sum, n, share) : n;
        any = true;
    }
    if (gradient) *gradient = sum;
    return value - all->grow;
}

static double fieldValue(const void *user, snVec3 point)
{
    return unionValue(user, point, NULL);
}

static snVec3 fieldGradient(const void *user, snVec3 point)
{
    snVec3 gradient;
    unionValue(user, point, &gradient);
    return gradient;
}

snStatus snSkinMuscles_Surface(const snSkinMuscles *muscles, const snSkinUnionDef *def,
                               snMesh *surface, snArena *arena, snError *error)
{
    Union all = {muscles, def->blend, def->grow};
    snField field = {fieldValue, fieldGradient, &all, 0.0};
    snPolygoniseDef polygonise = snDefaultPolygoniseDef();
    if (!muscles->count)
        return snFail(error, SN_ERROR_ARGUMENT, "there are no muscles to make a surface of");
    polygonise.box = snBox_Grow(boundsOf(muscles), 2.0 * def->grow + def->blend + 2.0 * def->cell);
    polygonise.cell = def->cell;
    return snPolygonise(surface, &field, &polygonise, arena, error);
}
