// Bones that squash and stretch.
//
// In secondary motion the rest stretch of flesh is its rig's (cells_kernel.c), scale and all. In full motion
// it is that of the shape it was built with, and flesh would fight the scale of its bones. So its rest shape is
// then the bind pose with nothing but the scale of the pose in it: with L_j the transform of joint j in its
// parent at bind, and ρ_j how much larger its scale is now than at rest,
//
//     G_j = G_parent L_j diag(ρ_j),     T_j = G_j fromRest_j,     p_S,a = Σ_j w_aj T_j r_a.
//
// Bones that are scaled down to nothing, or flat, leave nothing that could swing, and where they grow again
// flesh would come out turned inside out. With σ1 ≥ σ2 ≥ σ3 the stretch of a joint since rest, its flesh keeps
// the share
//
//     s = smooth(σ3 / σ1 from FLAT to 3 FLAT) · smooth(σ1 from SMALL to 3 SMALL)
//
// of what it does beyond the rig, at every step (snLatticeState_Draw), vertices the mean by their weights.
#include "body/lattice/flesh_parts.h"

#include "core/error.h"
#include "core/svd.h"

#include <string.h>

#define SAME 1e-6   // of a scale: it is that of the rest pose
#define FLAT 0.03   // of its largest stretch: as thin as this, flesh follows its rig
#define SMALL 0.005 // of its size at rest: as small as this too

// ---- the rest shape of full motion ----------------------------------------------------------------

snStatus snFlesh_MakeShape(const snFlesh *flesh, snFleshDriver *driver, snArena *arena,
                           snError *error)
{
    int joints = flesh->character->skeleton.jointCount;
    if (flesh->def.motion != SN_MOTION_FULL) return SN_OK;
    driver->bindLocal = SN_NEW(arena, snAffine, joints);
    driver->shapeJoints = SN_NEW(arena, snAffine, joints);
    driver->shape = SN_NEW(arena, double, (size_t)flesh->model->vertexCount * 4);
    if (!driver->bindLocal || !driver->shapeJoints || !driver->shape) return snFailMemory(error);
    for (int j = 0; j < joints; j++) {
        int parent = flesh->character->skeleton.joints[j].parent;
        snAffine bind = snIdentityAffine();
        if (snDet(flesh->fromRest[j].linear) != 0) bind = snInverseAffine(flesh->fromRest[j]);
        driver->bindLocal[j] = parent >= 0 ? snMulAA(flesh->fromRest[parent], bind) : bind;
    }
    return SN_OK;
}

static double ratio(double now, double rest)
{
    return rest != 0 ? now / rest : 1;
}

static snVec3 scaleOf(const snJoint *joint, const snTransform *now)
{
    if (joint->hasMatrix) return snVec(1, 1, 1);
    return snVec(ratio(now->scale.x, joint->rest.scale.x), ratio(now->scale.y, joint->rest.scale.y),
                 ratio(now->scale.z, joint->rest.scale.z));
}

static bool isOne(snVec3 s)
{
    return fabs(s.x - 1) < SAME && fabs(s.y - 1) < SAME && fabs(s.z - 1) < SAME;
}

// False where no joint is scaled.
bool snFlesh_FindShape(const snFlesh *flesh, const snPose *pose, snFleshDriver *driver)
{
    const snSkeleton *skeleton = &flesh->character->skeleton;
    bool any = false;
    for (int j = 0; j < skeleton->jointCount && driver->shape; j++) {
        snVec3 s = scaleOf(&skeleton->joints[j], &pose->local[j]);
        int parent = skeleton->joints[j].parent;
        snAffine g = driver->bindLocal[j];
        if (!isOne(s)) {
            any = true;
            g.linear = (snMat3){snScale(s.x, g.linear.cx), snScale(s.y, g.linear.cy),
                                snScale(s.z, g.linear.cz)};
        }
        driver->shapeJoints[j] = parent >= 0 ? snMulAA(driver->shapeJoints[parent], g) : g;
    }
    if (!any) return false;
    for (int j = 0; j < skeleton->jointCount; j++)
        driver->shapeJoints[j] = snMulAA(driver->shapeJoints[j], flesh->fromRest[j]);
    snLatticeModel_Rig(flesh->model, driver->shapeJoints, driver->shape);
    return true;
}

// ---- what is crushed --------------------------------------------------------------------------------

static double smooth(double x, double from)
{
    double t = (x - from) / (2 * from);
    t = t > 0 ? t < 1 ? t : 1 : 0;
    return t * t * (3 - 2 * t);
}

// Most joints are not scaled at all, and told apart at once: with all σ² within a half of 1.
static double jointShare(snMat3 m)
{
    double xx = snDot(m.cx, m.cx), yy = snDot(m.cy, m.cy), zz = snDot(m.cz, m.cz);
    double off = fabs(snDot(m.cx, m.cy)) + fabs(snDot(m.cy, m.cz)) + fabs(snDot(m.cz, m.cx));
    if (fabs(xx - 1) + off < 0.5 && fabs(yy - 1) + off < 0.5 && fabs(zz - 1) + off < 0.5) return 1;
    snMat3 u, v;
    snVec3 s;
    if (!isfinite(xx + yy + zz)) return 1;
    snSvd3(m, &u, &s, &v);
    if (!(s.x > 0)) return 0;
    return smooth(fabs(s.z) / s.x, FLAT) * smooth(s.x, SMALL);
}

bool snFlesh_FindCrushed(const snFlesh *flesh, snFleshDriver *driver)
{
    const snLatticeModel *model = flesh->model;
    int joints = flesh->character->skeleton.jointCount;
    bool any = false;
    for (int j = 0; j < joints; j++) {
        driver->jointShare[j] = flesh->used[j] ? jointShare(driver->joints[j].linear) : 1;
        any |= driver->jointShare[j] < 1;
    }
    for (int i = 0; i < model->vertexCount && any; i++) {
        double lost = 0;
        for (int k = model->skin.start[i]; k < model->skin.start[i + 1]; k++)
            lost += model->skin.weight[k] * (1 - driver->jointShare[model->skin.column[k]]);
        driver->share[i] = lost < 1 ? 1 - lost : 0;
    }
    return any;
}
