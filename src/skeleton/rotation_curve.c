// A cubic Bézier curve b₀ b₁ b₂ b₃ of numbers can be written b₀ + β₁ (b₁ - b₀) + β₂ (b₂ - b₁) +
// β₃ (b₃ - b₂), with β₁ = 1 - (1-u)³, β₂ = 3u² - 2u³, β₃ = u³; of rotations it becomes
//     q(u) = b₀ exp(β₁ d₁) exp(β₂ d₂) exp(β₃ d₃),    dᵢ = log(bᵢ₋₁⁻¹ bᵢ)
// (Kim, Kim, Shin, "A General Construction Scheme for Unit Quaternion Curves with Simple High Order
// Derivatives", 1995). At u = 0 only β₁' = 3 is not zero, at u = 1 only β₃' = 3: with
// b₁ = q₀ exp(h ω₀ / 3) and b₂ = q₁ exp(-h ω₁ / 3) the ends are q₀ and q₁, exactly, and the angular
// velocities there ω₀ and ω₁.
#include "skeleton/rotation_curve.h"

#include "core/elementary.h"

// Of one rotation seen from another, in the body's frame: the same vector in both their frames.
static snVec3 chord(snQuat a, snQuat b)
{
    return snQuatToVector(snMulQQ(snConjugate(snNormalizeQ(a)), snNormalizeQ(b)));
}

// As a curve of numerics/spline.h through at most three values.
void snVectorTangents(const snVec3 *before, snVec3 here, const snVec3 *after, const double spans[2],
                      snKnotShape shape, snVec3 *incoming, snVec3 *outgoing)
{
    const snVec3 *given[3] = {before, &here, after};
    const double at[3] = {-spans[0], 0, spans[1]};
    snKnotShape shapes[3] = {shape, shape, shape};
    double values[9], times[3], in[3], out[3];
    int count = 0;
    for (int i = 0; i < 3; i++) {
        if (!given[i]) continue;
        double *value = values + 3 * (size_t)count;
        value[0] = given[i]->x, value[1] = given[i]->y, value[2] = given[i]->z;
        times[count++] = at[i];
    }
    snKochanekBartels curve = {
        .count = count, .width = 3, .knots = times, .values = values, .shape = shapes};
    snKochanekBartels_Tangents(&curve, before ? 1 : 0, in, out);
    *incoming = snVec(in[0], in[1], in[2]);
    *outgoing = snVec(out[0], out[1], out[2]);
}

// Round a key, a neighbour's place is the rotation vector that leads there: the curve through
// (-Δ₋, 0, Δ₊) has the tangents that are wanted.
void snRotationKnot_Tangents(const snRotationKnot *knot, snVec3 *incoming, snVec3 *outgoing)
{
    const double spans[2] = {knot->spanBefore, knot->spanAfter};
    snVec3 zero = snVec(0, 0, 0), before = zero, after = zero;
    if (knot->before) before = chord(*knot->here, *knot->before);
    if (knot->after) after = chord(*knot->here, *knot->after);
    snVectorTangents(knot->before ? &before : NULL, zero, knot->after ? &after : NULL, spans,
                     knot->shape, incoming, outgoing);
}

// The rotation vector of q that is nearest to the one that is expected: strong tangents may lead round by
// more than half a turn.
static snVec3 vectorNear(snQuat q, snVec3 expected)
{
    snVec3 v = snQuatToVector(q);
    snVec3 axis = snNormalizeOr(v, snNormalizeOr(expected, snVec(0, 0, 0)));
    double turns = floor((snDot(expected, axis) - snDot(v, axis)) / (2 * SN_PI) + 0.5);
    return snMulAdd(v, 2 * SN_PI * turns, axis);
}

snRotationSpan snMakeRotationSpan(snQuat from, snVec3 spinFrom, snQuat to, snVec3 spinTo,
                                  double length)
{
    snVec3 first = snScale(length / 3, spinFrom), last = snScale(length / 3, spinTo);
    snQuat a = snNormalizeQ(from), b = snNormalizeQ(to);
    snQuat near = snMulQQ(a, snQuatFromVector(first));
    snQuat far = snMulQQ(b, snQuatFromVector(snNeg(last)));
    snVec3 expected = snSub(chord(a, b), snAdd(first, last));
    snVec3 middle = vectorNear(snNormalizeQ(snMulQQ(snConjugate(near), far)), expected);
    return (snRotationSpan){.from = a, .turn = {first, middle, last}, .length = length};
}

snQuat snRotationSpan_At(const snRotationSpan *span, double u, snVec3 *spin)
{
    double v = 1 - u;
    const double beta[3] = {1 - v * v * v, (3 - 2 * u) * u * u, u * u * u};
    const double rate[3] = {3 * v * v, 6 * u * v, 3 * u * u};
    snQuat q = span->from;
    snVec3 omega = snVec(0, 0, 0);
    for (int i = 0; i < 3; i++) {
        snQuat turn = snQuatFromVector(snScale(beta[i], span->turn[i]));
        q = snMulQQ(q, turn);
        omega = snMulAdd(snRotate(snConjugate(turn), omega), rate[i] / span->length, span->turn[i]);
    }
    if (spin) *spin = omega;
    return snNormalizeQ(q);
}
