// Motions and forces of rigid bodies as pairs of vectors, in world axes about a point of each link.
// After Featherstone, "Rigid Body Dynamics Algorithms", 2008; accelerations are those of material
// points, so that products of velocities stand by themselves (articulated_solve.c).
#ifndef SN_SKELETON_SPATIAL_H
#define SN_SKELETON_SPATIAL_H

#include "core/vec.h"

// A motion: angular velocity (or acceleration), and that of the point. A force: torque about the
// point, and force.
typedef struct snSpatial {
    snVec3 turn, move;
} snSpatial;

// In a row of eight numbers, for loops that take a row at once.
typedef struct snSpatialRow {
    snSpatial motion;
    double none[2];
} snSpatialRow;

// force = I motion:  torque = A turn + B move,  force = Bᵀ turn + M move.
typedef struct snSpatialInertia {
    snMat3 a, b, m;
} snSpatialInertia;

// The inertia tr(C) 1 - C of second moments C = ∫ x xᵀ dm.
static inline snMat3 snInertiaOf(snMat3 second)
{
    double trace = snTrace(second);
    return snAddMM(snDiagonal3(trace, trace, trace), snScaleM(-1, second));
}

static inline snSpatial snAddS(snSpatial a, snSpatial b)
{
    return (snSpatial){snAdd(a.turn, b.turn), snAdd(a.move, b.move)};
}

static inline snSpatial snScaleS(double s, snSpatial a)
{
    return (snSpatial){snScale(s, a.turn), snScale(s, a.move)};
}

static inline double snDotS(snSpatial a, snSpatial b)
{
    return snDot(a.turn, b.turn) + snDot(a.move, b.move);
}

// The motion of the point that stands at r from here, and what a force about there is about here.
static inline snSpatial snMotionAt(snSpatial motion, snVec3 r)
{
    return (snSpatial){motion.turn, snAdd(motion.move, snCross(motion.turn, r))};
}

static inline snSpatial snForceFrom(snSpatial force, snVec3 r)
{
    return (snSpatial){snAdd(force.turn, snCross(r, force.move)), force.move};
}

static inline snSpatial snMulIS(const snSpatialInertia *i, snSpatial v)
{
    return (snSpatial){snAdd(snMulMV(i->a, v.turn), snMulMV(i->b, v.move)),
                       snAdd(snMulTMV(i->b, v.turn), snMulMV(i->m, v.move))};
}

// The matrix of v -> r × v.
static inline snMat3 snCrossMatrix(snVec3 r)
{
    return (snMat3){{0, r.z, -r.y}, {-r.z, 0, r.x}, {r.y, -r.x, 0}};
}

// Of a mass of 1 at d: d·d - d dᵀ.
static inline snMat3 snPointInertia(snVec3 d)
{
    return snAddMM(snScaleM(snDot(d, d), snIdentity3()), snScaleM(-1, snOuter(d, d)));
}

static inline snMat3 snSymmetric3(snMat3 m)
{
    return snScaleM(0.5, snAddMM(m, snTranspose(m)));
}

static inline snSpatialInertia snAddI(const snSpatialInertia *i, const snSpatialInertia *k)
{
    return (snSpatialInertia){snAddMM(i->a, k->a), snAddMM(i->b, k->b), snAddMM(i->m, k->m)};
}

// An inertia about a point that stands at r, about here. With [r] the matrix of r ×:
//     B' = B + [r] M,   A' = A - B [r] + [r] B'ᵀ.
static inline snSpatialInertia snInertiaFrom(const snSpatialInertia *i, snVec3 r)
{
    snMat3 cross = snCrossMatrix(r);
    snSpatialInertia out = {.m = i->m};
    out.b = snAddMM(i->b, snMulMM(cross, i->m));
    snMat3 right = snAddMM(snScaleM(-1, snMulMM(i->b, cross)), snMulMM(cross, snTranspose(out.b)));
    out.a = snSymmetric3(snAddMM(i->a, right));
    return out;
}

#endif
