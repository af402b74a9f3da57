#include "core/elementary.h"
#include "core/vec.h"

// 4 q qᵀ is linear in the entries of the rotation matrix. Its diagonal, 4w² = 1 + trace and its
// sisters, sums to 4, so the largest is at least 1 and its row can be divided by the root safely
// (Shepperd, "Quaternion from rotation matrix", 1978).
snQuat snQuatFromMat(snMat3 m)
{
    double ww = 1.0 + m.cx.x + m.cy.y + m.cz.z;
    double xx = 1.0 + m.cx.x - m.cy.y - m.cz.z;
    double yy = 1.0 - m.cx.x + m.cy.y - m.cz.z;
    double zz = 1.0 - m.cx.x - m.cy.y + m.cz.z;
    double xw = m.cy.z - m.cz.y, yw = m.cz.x - m.cx.z, zw = m.cx.y - m.cy.x;
    double xy = m.cx.y + m.cy.x, xz = m.cx.z + m.cz.x, yz = m.cy.z + m.cz.y;
    snQuat q;
    if (ww >= xx && ww >= yy && ww >= zz)
        q = (snQuat){xw, yw, zw, ww};
    else if (xx >= yy && xx >= zz)
        q = (snQuat){xx, xy, xz, xw};
    else if (yy >= zz)
        q = (snQuat){xy, yy, yz, yw};
    else
        q = (snQuat){xz, yz, zz, zw};
    q = snNormalizeQ(q);
    return q.w < 0.0 ? (snQuat){-q.x, -q.y, -q.z, -q.w} : q;
}

snQuat snQuatFromAxisAngle(snVec3 unitAxis, double angle)
{
    double s, c;
    snSinCos(0.5 * angle, &s, &c);
    return (snQuat){s * unitAxis.x, s * unitAxis.y, s * unitAxis.z, c};
}

// With h the unit bisector of from and to, q = (from × h, from · h). h lies along from + to, which
// is at right angles to from - to; saying so once more keeps h exact where the two nearly cancel.
snQuat snQuatBetween(snVec3 unitFrom, snVec3 unitTo)
{
    snVec3 sum = snAdd(unitFrom, unitTo), h;
    if (snDot(unitFrom, unitTo) > -0.5) {
        h = snNormalizeOr(sum, unitFrom);
    } else {
        snVec3 d = snNormalizeOr(snSub(unitFrom, unitTo), unitFrom);
        sum = snMulAdd(sum, -snDot(sum, d), d);
        h = snLength(sum) > 4e-16 ? snNormalizeOr(sum, unitFrom) : snPerpendicular(d);
        h = snMulAdd(h, -snDot(h, d), d);
    }
    snVec3 axis = snCross(unitFrom, h);
    return snNormalizeQ((snQuat){axis.x, axis.y, axis.z, snDot(unitFrom, h)});
}

static snQuat combineQ(double s, snQuat a, double t, snQuat b)
{
    return (snQuat){s * a.x + t * b.x, s * a.y + t * b.y, s * a.z + t * b.z, s * a.w + t * b.w};
}

// q = (a sin((1 - t) θ) + b sin(t θ)) / sin θ. The angle comes from tan(θ/2) = |a - b| / |a + b|,
// which is exact where a and b nearly agree; below 1e-9 sines and their angles are the same.
snQuat snSlerp(snQuat a, snQuat b, double t)
{
    if (snDotQ(a, b) < 0.0) b = (snQuat){-b.x, -b.y, -b.z, -b.w};
    snQuat difference = combineQ(1.0, a, -1.0, b), sum = combineQ(1.0, a, 1.0, b);
    double angle = 2.0 * snAtan2(sqrt(snDotQ(difference, difference)), sqrt(snDotQ(sum, sum)));
    if (angle < 1e-9) return snNormalizeQ(combineQ(1.0 - t, a, t, b));
    double scale = 1.0 / snSin(angle);
    double s = scale * snSin((1.0 - t) * angle), u = scale * snSin(t * angle);
    return snNormalizeQ(combineQ(s, a, u, b));
}

// (sin(θ/2) v/θ, cos(θ/2)) with θ = |v|; where θ² vanishes beside 1 the sine is its angle.
snQuat snQuatFromVector(snVec3 turn)
{
    double angle = snLength(turn), s, c;
    snSinCos(0.5 * angle, &s, &c);
    double scale = angle > 1e-9 ? s / angle : 0.5;
    return (snQuat){scale * turn.x, scale * turn.y, scale * turn.z, c};
}

snVec3 snQuatToVector(snQuat q)
{
    if (q.w < 0) q = (snQuat){-q.x, -q.y, -q.z, -q.w};
    snVec3 axis = {q.x, q.y, q.z};
    double sine = snLength(axis);
    return snScale(sine > 1e-12 ? 2 * snAtan2(sine, q.w) / sine : 2, axis);
}

static bool isRotation(snMat3 m)
{
    return snIsOrthogonal(m, 1e-9) && snDet(m) > 0.0;
}

snAffine snBlendAffine(snAffine a, snAffine b, double share)
{
    if (share == 0.0) return a;
    if (share == 1.0) return b;
    snAffine blend = {.origin = snLerp(a.origin, b.origin, share)};
    if (isRotation(a.linear) && isRotation(b.linear))
        blend.linear =
            snQuatToMat(snSlerp(snQuatFromMat(a.linear), snQuatFromMat(b.linear), share));
    else
        blend.linear = snAddMM(snScaleM(1.0 - share, a.linear), snScaleM(share, b.linear));
    return blend;
}
