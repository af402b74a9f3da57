// How skins meet bodies of other models (body.h). Their shell is the triangles over their points, not what is refined of
// them for drawing.
//
// Masses stand at points, and B = M⁻¹: what is between points acts in the steps that follow. Points that are pinned do not
// yield; those that lie on a muscle do not yield into it (skin.c: holdUp), so that of an impulse from outside only what goes
// along the muscle moves them. What the others do not get goes into bones that a hand or a clip leads.
//
// A skin on nothing is free: angular momentum that is missing because places moved is made up for by a turn of the whole.
#include "body/skin/skin_body.h"

#include "core/error.h"

#include <string.h>

#define COLUMN 7 // an end's corners and shares, and whether it gives way to what pulls it off a muscle

static const snElasticSkin *constSkinOf(const snBody *body)
{
    return snSkinBody_Skin((snBody *)(uintptr_t)body); // nothing is written
}

void snSkinBody_ShellPlaces(const snBody *body, snVec3 *places)
{
    const snElasticSkin *skin = constSkinOf(body);
    memcpy(places, skin->places, (size_t)skin->mesh->pointCount * sizeof *places);
}

snStatus snSkinBody_Reserve(snBody *body, int ends, snError *error)
{
    snElasticSkin *skin = snSkinBody_Skin(body);
    int most = skin->mostPulls + ends;
    snSkinPull *pulls = SN_NEW(&skin->arena, snSkinPull, most);
    if (!pulls) return snFailMemory(error);
    skin->pulls = pulls;
    skin->mostPulls = most;
    return SN_OK;
}

static void rowOf(const snBody *body, const snBodyEnd *end, int corner[3], double share[3])
{
    memcpy(corner, end->corner, sizeof end->corner);
    memcpy(share, end->share, sizeof end->share);
    if (end->point >= 0) snSkinBody_PointRow(body, end->point, corner, share);
}

void snSkinBody_Thrust(snBody *body, const snBodyEnd *end, snVec3 place, snVec3 force)
{
    snElasticSkin *skin = snSkinBody_Skin(body);
    (void)place; // of rigid parts
    if (skin->pullCount == skin->mostPulls) return;
    snSkinPull *pull = &skin->pulls[skin->pullCount++];
    *pull = (snSkinPull){.force = force};
    rowOf(body, end, pull->corner, pull->share);
}

// ---- how ends yield -----------------------------------------------------------------------------

size_t snSkinBody_YieldSize(const snBody *body)
{
    (void)body;
    return COLUMN;
}

void snSkinBody_YieldBegin(snBody *body)
{
    (void)body;
}

void snSkinBody_YieldColumn(snBody *body, const snBodyEnd *end, bool again, double *column)
{
    int corner[3];
    (void)again;
    rowOf(body, end, corner, column + 3);
    for (int k = 0; k < 3; k++)
        column[k] = corner[k];
    column[6] = end->point >= 0;
}

// What a point does by an impulse, M⁻¹ P but for what goes along a muscle's normal.
static snMat3 answerOf(const snElasticSkin *skin, int i, bool pulls)
{
    double inverse = skin->points[i].frame >= 0 ? 0.0 : 1.0 / skin->mass[i];
    snMat3 all = snDiagonal3(inverse, inverse, inverse);
    snVec3 n = skin->touching[i];
    return pulls ? all : snAddMM(all, snScaleM(-inverse, snOuter(n, n)));
}

snMat3 snSkinBody_YieldRow(const snBody *body, const snBodyEnd *p, const double *columnOfP,
                           const double *columnOfQ)
{
    const snElasticSkin *skin = constSkinOf(body);
    snMat3 sum = snDiagonal3(0, 0, 0);
    bool pulls = columnOfP[6] != 0.0 && columnOfQ[6] != 0.0;
    (void)p;
    for (int k = 0; k < 3; k++)
        for (int l = 0; l < 3; l++) {
            double share = columnOfP[3 + k] * columnOfQ[3 + l];
            if (columnOfP[k] != columnOfQ[l] || share == 0.0) continue;
            sum = snAddMM(sum, snScaleM(share, answerOf(skin, (int)columnOfP[k], pulls)));
        }
    return sum;
}

// ---- yielding -----------------------------------------------------------------------------------

static bool isFree(const snElasticSkin *skin)
{
    bool free = skin->muscles.count == 0;
    for (int i = 0; i < skin->mesh->pointCount && free; i++)
        free = skin->points[i].frame < 0 && skin->inverseMass[3 * i] > 0.0;
    return free;
}

typedef struct Motion {
    double mass;
    snVec3 center, angular; // angular momentum, about the origin
    snMat3 inertia;
} Motion;

static Motion motionOf(const snElasticSkin *skin)
{
    Motion m = {0};
    int n = skin->mesh->pointCount;
    for (int i = 0; i < n; i++) {
        m.mass += skin->mass[i];
        m.center = snMulAdd(m.center, skin->mass[i], skin->places[i]);
    }
    m.center = snScale(1.0 / m.mass, m.center);
    for (int i = 0; i < n; i++) {
        snVec3 d = snSub(skin->places[i], m.center);
        double dd = snLengthSquared(d);
        m.angular = snMulAdd(m.angular, skin->mass[i], snCross(skin->places[i], skin->velocities[i]));
        m.inertia = snAddMM(m.inertia, snScaleM(skin->mass[i], snDiagonal3(dd, dd, dd)));
        m.inertia = snAddMM(m.inertia, snScaleM(-skin->mass[i], snOuter(d, d)));
    }
    return m;
}

static void makeUp(snElasticSkin *skin, snVec3 angular)
{
    Motion m = motionOf(skin);
    if (!(snDet(m.inertia) > 0.0)) return;
    snVec3 turn = snMulMV(snInverse3(m.inertia), snSub(angular, m.angular));
    for (int i = 0; i < skin->mesh->pointCount; i++)
        skin->velocities[i] =
            snAdd(skin->velocities[i], snCross(turn, snSub(skin->places[i], m.center)));
}

void snSkinBody_Yield(snBody *body, int count, const snBodyNudge *nudges, double time,
                      snVec3 couple)
{
    snElasticSkin *skin = snSkinBody_Skin(body);
    bool free = isFree(skin);
    snVec3 angular = couple;
    if (free) angular = snAdd(angular, motionOf(skin).angular);
    for (int n = 0; n < count; n++) {
        const double *c = nudges[n].column;
        angular = snAdd(angular, snCross(nudges[n].place, nudges[n].impulse));
        for (int k = 0; k < 3; k++) {
            int i = (int)c[k];
            snVec3 by = snScale(c[3 + k], snMulMV(answerOf(skin, i, c[6] != 0.0), nudges[n].impulse));
            skin->velocities[i] = snAdd(skin->velocities[i], by);
            skin->places[i] = snMulAdd(skin->places[i], time, by);
        }
    }
    if (free) makeUp(skin, angular);
}
