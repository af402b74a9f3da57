// Vectors, matrices, quaternions and affine maps in double precision; snVec3f for surfaces and
// files. Small, by value, inline. Matrices are stored by columns; m * v is snMulMV(m, v).
#ifndef SN_CORE_VEC_H
#define SN_CORE_VEC_H

#include <math.h>
#include <stdbool.h>

typedef struct snVec3 {
    double x, y, z;
} snVec3;

typedef struct snVec3f {
    float x, y, z;
} snVec3f;

typedef struct snMat3 {
    snVec3 cx, cy, cz; // columns
} snMat3;

typedef struct snQuat {
    double x, y, z, w; // w is the real part, as in glTF
} snQuat;

// x -> linear * x + origin
typedef struct snAffine {
    snMat3 linear;
    snVec3 origin;
} snAffine;

typedef struct snBox {
    snVec3 lower, upper;
} snBox;

static inline snVec3 snVec(double x, double y, double z)
{
    return (snVec3){x, y, z};
}

// Component 0, 1 or 2.
static inline double snComponent(snVec3 a, int axis)
{
    return axis == 0 ? a.x : (axis == 1 ? a.y : a.z);
}

static inline void snToArray(double *to, snVec3 a)
{
    to[0] = a.x, to[1] = a.y, to[2] = a.z;
}

static inline snVec3 snFromF(snVec3f a)
{
    return (snVec3){(double)a.x, (double)a.y, (double)a.z};
}

static inline snVec3f snToF(snVec3 a)
{
    return (snVec3f){(float)a.x, (float)a.y, (float)a.z};
}

static inline snVec3 snAdd(snVec3 a, snVec3 b)
{
    return (snVec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline snVec3 snSub(snVec3 a, snVec3 b)
{
    return (snVec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline snVec3 snScale(double s, snVec3 a)
{
    return (snVec3){s * a.x, s * a.y, s * a.z};
}

// a + s b
static inline snVec3 snMulAdd(snVec3 a, double s, snVec3 b)
{
    return (snVec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static inline snVec3 snNeg(snVec3 a)
{
    return (snVec3){-a.x, -a.y, -a.z};
}

static inline double snDot(snVec3 a, snVec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline snVec3 snCross(snVec3 a, snVec3 b)
{
    return (snVec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// (b - a) x (c - a): the normal of a triangle, as long as twice its area.
static inline snVec3 snTwiceArea(snVec3 a, snVec3 b, snVec3 c)
{
    return snCross(snSub(b, a), snSub(c, a));
}

static inline double snLengthSquared(snVec3 a)
{
    return snDot(a, a);
}

static inline double snLength(snVec3 a)
{
    return sqrt(snDot(a, a));
}

static inline double snDistance(snVec3 a, snVec3 b)
{
    return snLength(snSub(a, b));
}

// (1 - t) a + t b
static inline snVec3 snLerp(snVec3 a, snVec3 b, double t)
{
    return snMulAdd(snScale(1.0 - t, a), t, b);
}

// Σ w x of those in a list, in its order.
static inline snVec3 snCombine(int count, const int *index, const double *weight, const snVec3 *x)
{
    snVec3 sum = {0, 0, 0};
    for (int k = 0; k < count; k++)
        sum = snMulAdd(sum, weight[k], x[index[k]]);
    return sum;
}

// Of three, as the place in a triangle is. Where all are -0 the sum is, too.
static inline snVec3 snCombine3(const int *index, const double *weight, const snVec3 *x)
{
    snVec3 sum = snMulAdd(snScale(weight[0], x[index[0]]), weight[1], x[index[1]]);
    return snMulAdd(sum, weight[2], x[index[2]]);
}

static inline snVec3 snMin(snVec3 a, snVec3 b)
{
    return (snVec3){a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y, a.z < b.z ? a.z : b.z};
}

static inline snVec3 snMax(snVec3 a, snVec3 b)
{
    return (snVec3){a.x > b.x ? a.x : b.x, a.y > b.y ? a.y : b.y, a.z > b.z ? a.z : b.z};
}

// The unit vector along a, or `fallback` where a is zero (or too short to have a direction).
static inline snVec3 snNormalizeOr(snVec3 a, snVec3 fallback)
{
    double length = snLength(a);
    return length > 1e-300 ? snScale(1.0 / length, a) : fallback;
}

static inline bool snIsFinite3(snVec3 a)
{
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

// Some unit vector at right angles to the unit vector a.
static inline snVec3 snPerpendicular(snVec3 a)
{
    snVec3 other = fabs(a.x) < 0.6 ? snVec(1, 0, 0) : snVec(0, 1, 0);
    return snNormalizeOr(snCross(a, other), snVec(0, 0, 1));
}

static inline snMat3 snIdentity3(void)
{
    return (snMat3){{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
}

static inline snMat3 snDiagonal3(double x, double y, double z)
{
    return (snMat3){{x, 0, 0}, {0, y, 0}, {0, 0, z}};
}

static inline snVec3 snMulMV(snMat3 m, snVec3 v)
{
    return snMulAdd(snMulAdd(snScale(v.x, m.cx), v.y, m.cy), v.z, m.cz);
}

// mᵀ v
static inline snVec3 snMulTMV(snMat3 m, snVec3 v)
{
    return (snVec3){snDot(m.cx, v), snDot(m.cy, v), snDot(m.cz, v)};
}

static inline snMat3 snMulMM(snMat3 a, snMat3 b)
{
    return (snMat3){snMulMV(a, b.cx), snMulMV(a, b.cy), snMulMV(a, b.cz)};
}

// aᵀ b
static inline snMat3 snMulTMM(snMat3 a, snMat3 b)
{
    return (snMat3){snMulTMV(a, b.cx), snMulTMV(a, b.cy), snMulTMV(a, b.cz)};
}

static inline snMat3 snTranspose(snMat3 m)
{
    return (snMat3){{m.cx.x, m.cy.x, m.cz.x}, {m.cx.y, m.cy.y, m.cz.y}, {m.cx.z, m.cy.z, m.cz.z}};
}

static inline snMat3 snAddMM(snMat3 a, snMat3 b)
{
    return (snMat3){snAdd(a.cx, b.cx), snAdd(a.cy, b.cy), snAdd(a.cz, b.cz)};
}

static inline snMat3 snScaleM(double s, snMat3 a)
{
    return (snMat3){snScale(s, a.cx), snScale(s, a.cy), snScale(s, a.cz)};
}

// a bᵀ
static inline snMat3 snOuter(snVec3 a, snVec3 b)
{
    return (snMat3){snScale(b.x, a), snScale(b.y, a), snScale(b.z, a)};
}

static inline double snTrace(snMat3 m)
{
    return m.cx.x + m.cy.y + m.cz.z;
}

static inline double snDet(snMat3 m)
{
    return snDot(m.cx, snCross(m.cy, m.cz));
}

// The matrix of cofactors: det(m) m^-T, also where m is singular.
static inline snMat3 snCofactor(snMat3 m)
{
    return (snMat3){snCross(m.cy, m.cz), snCross(m.cz, m.cx), snCross(m.cx, m.cy)};
}

// The caller knows that det(m) is not zero.
static inline snMat3 snInverse3(snMat3 m)
{
    return snScaleM(1.0 / snDet(m), snTranspose(snCofactor(m)));
}

static inline double snNormSquaredM(snMat3 m)
{
    return snDot(m.cx, m.cx) + snDot(m.cy, m.cy) + snDot(m.cz, m.cz);
}

// Whether mᵀm is the identity to a tolerance: a rotation, or one with a mirror.
static inline bool snIsOrthogonal(snMat3 m, double tolerance)
{
    snMat3 off = snAddMM(snMulTMM(m, m), snScaleM(-1.0, snIdentity3()));
    return snNormSquaredM(off) < tolerance * tolerance;
}

static inline snQuat snIdentityQuat(void)
{
    return (snQuat){0, 0, 0, 1};
}

static inline double snDotQ(snQuat a, snQuat b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

// The rotation b, then a.
static inline snQuat snMulQQ(snQuat a, snQuat b)
{
    return (snQuat){a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                    a.w * b.y + a.y * b.w + a.z * b.x - a.x * b.z,
                    a.w * b.z + a.z * b.w + a.x * b.y - a.y * b.x,
                    a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

static inline snQuat snConjugate(snQuat q)
{
    return (snQuat){-q.x, -q.y, -q.z, q.w};
}

// The unit quaternion along q; the identity where q is zero.
static inline snQuat snNormalizeQ(snQuat q)
{
    double length = sqrt(snDotQ(q, q));
    if (!(length > 1e-300)) return snIdentityQuat();
    double s = 1.0 / length;
    return (snQuat){s * q.x, s * q.y, s * q.z, s * q.w};
}

// The rotation matrix of a unit quaternion.
static inline snMat3 snQuatToMat(snQuat q)
{
    double xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z;
    double xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
    double xw = q.x * q.w, yw = q.y * q.w, zw = q.z * q.w;
    return (snMat3){{1.0 - 2.0 * (yy + zz), 2.0 * (xy + zw), 2.0 * (xz - yw)},
                    {2.0 * (xy - zw), 1.0 - 2.0 * (xx + zz), 2.0 * (yz + xw)},
                    {2.0 * (xz + yw), 2.0 * (yz - xw), 1.0 - 2.0 * (xx + yy)}};
}

static inline snVec3 snRotate(snQuat q, snVec3 v)
{
    snVec3 u = snVec(q.x, q.y, q.z);
    snVec3 t = snScale(2.0, snCross(u, v));
    return snAdd(snMulAdd(v, q.w, t), snCross(u, t));
}

snQuat snQuatFromMat(snMat3 rotation);                     // a proper rotation; w >= 0
snQuat snQuatFromAxisAngle(snVec3 unitAxis, double angle); // radians
snQuat snQuatBetween(snVec3 unitFrom, snVec3 unitTo);      // the shortest; any axis when opposite
snQuat snSlerp(snQuat a, snQuat b, double t);              // along the shorter arc
snQuat snQuatFromVector(snVec3 turn); // about the vector, by its length in radians
snVec3 snQuatToVector(snQuat q);      // of a unit quaternion, the shorter way: at most pi long

// A normal moves with the inverse transpose of M. Its direction is that of sign(det M) cof(M) n,
// which needs no division and still points somewhere sensible where M is flat; zero where there is none.
static inline snVec3 snMoveNormal(snMat3 m, snVec3 normal)
{
    snVec3 moved = snMulMV(snCofactor(m), normal);
    return snNormalizeOr(snDet(m) < 0.0 ? snNeg(moved) : moved, snVec(0, 0, 0));
}

// What leads from one unit quaternion to another, in the frame of the first.
static inline snVec3 snTurnFromTo(snQuat from, snQuat to)
{
    return snQuatToVector(snNormalizeQ(snMulQQ(snConjugate(from), to)));
}

static inline snAffine snIdentityAffine(void)
{
    return (snAffine){{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}};
}

static inline snVec3 snMulAP(snAffine a, snVec3 point)
{
    return snAdd(snMulMV(a.linear, point), a.origin);
}

// x -> a(b(x))
static inline snAffine snMulAA(snAffine a, snAffine b)
{
    return (snAffine){snMulMM(a.linear, b.linear), snMulAP(a, b.origin)};
}

// Between two affine maps: rotations turn at an even pace.
snAffine snBlendAffine(snAffine a, snAffine b, double share);

// The caller knows that the linear part is invertible.
static inline snAffine snInverseAffine(snAffine a)
{
    snMat3 inverse = snInverse3(a.linear);
    return (snAffine){inverse, snNeg(snMulMV(inverse, a.origin))};
}

static inline snBox snEmptyBox(void)
{
    return (snBox){{1e300, 1e300, 1e300}, {-1e300, -1e300, -1e300}};
}

static inline snBox snBoxAdd(snBox box, snVec3 point)
{
    return (snBox){snMin(box.lower, point), snMax(box.upper, point)};
}

static inline snBox snBoxUnion(snBox a, snBox b)
{
    return (snBox){snMin(a.lower, b.lower), snMax(a.upper, b.upper)};
}

// Of points, and of those in a list.
static inline snBox snBoxOf(int count, const snVec3 *points)
{
    snBox box = snEmptyBox();
    for (int i = 0; i < count; i++)
        box = snBoxAdd(box, points[i]);
    return box;
}

static inline snBox snBoxOfListed(int count, const int *index, const snVec3 *points)
{
    snBox box = snEmptyBox();
    for (int i = 0; i < count; i++)
        box = snBoxAdd(box, points[index[i]]);
    return box;
}

// From corner to corner; 0 where nothing is in it.
static inline double snBoxDiagonal(snBox box)
{
    return box.lower.x > box.upper.x ? 0 : snDistance(box.lower, box.upper);
}

// Of the eight, upper in x where bit 0 is set, in y and z by bits 1 and 2.
static inline snVec3 snBoxCorner(snBox box, int k)
{
    return (snVec3){k & 1 ? box.upper.x : box.lower.x, k & 2 ? box.upper.y : box.lower.y,
                    k & 4 ? box.upper.z : box.lower.z};
}

static inline bool snBoxOverlap(snBox a, snBox b)
{
    return a.lower.x <= b.upper.x && b.lower.x <= a.upper.x && a.lower.y <= b.upper.y &&
           b.lower.y <= a.upper.y && a.lower.z <= b.upper.z && b.lower.z <= a.upper.z;
}

#endif
