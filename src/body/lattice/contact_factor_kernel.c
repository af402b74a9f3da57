// Products, combinations and rotations of rows of a dense factor. Sums have one order, whatever the width.
#include "body/lattice/contact_factor.h"
#include "core/simd.h"

static SN_ALWAYS_INLINE double sumOf(snDouble8 s, double rest)
{
    return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7])) + rest;
}

static double dot(int n, const double *a, const double *b)
{
    snDouble8 sum = {0};
    double rest = 0;
    int k = 0;
    for (; k + 8 <= n; k += 8)
        sum += snLoad8(a + k) * snLoad8(b + k);
    for (; k < n; k++)
        rest += a[k] * b[k];
    return sumOf(sum, rest);
}

static void dots(int n, const double *a, size_t stride, const double *b, double *out)
{
    snDouble8 sum[SN_DENSE_ROWS] = {{0}};
    double rest[SN_DENSE_ROWS] = {0};
    int k = 0;
    for (; k + 8 <= n; k += 8) {
        snDouble8 other = snLoad8(b + k);
        for (int r = 0; r < SN_DENSE_ROWS; r++)
            sum[r] += snLoad8(a + (size_t)r * stride + k) * other;
    }
    for (; k < n; k++)
        for (int r = 0; r < SN_DENSE_ROWS; r++)
            rest[r] += a[(size_t)r * stride + (size_t)k] * b[k];
    for (int r = 0; r < SN_DENSE_ROWS; r++)
        out[r] = sumOf(sum[r], rest[r]);
}

static void subtract(int n, double s, const double *x, double *y)
{
    int k = 0;
    for (; k + 8 <= n; k += 8)
        snStore8(y + k, snLoad8(y + k) - snLoad8(x + k) * s);
    for (; k < n; k++)
        y[k] -= x[k] * s;
}

// What a rotation leaves in its second column is what the next one begins with: rows wait for themselves, so several go at once.
static SN_ALWAYS_INLINE void rotateSome(int n, const double *turns, int rows, double *x,
                                        size_t stride)
{
    double carried[8];
    for (int r = 0; r < rows; r++)
        carried[r] = x[(size_t)r * stride];
    for (int k = 0; k < n; k++) {
        double cosine = turns[2 * k], sine = turns[2 * k + 1];
        for (int r = 0; r < rows; r++) {
            double *at = x + (size_t)r * stride + (size_t)k;
            double a = carried[r], b = at[1];
            at[0] = cosine * a + sine * b;
            carried[r] = cosine * b - sine * a;
        }
    }
    for (int r = 0; r < rows; r++)
        x[(size_t)r * stride + (size_t)n] = carried[r];
}

static void rotate(int n, const double *turns, int rows, double *x, size_t stride)
{
    for (; rows >= 8; rows -= 8, x += 8 * stride)
        rotateSome(n, turns, 8, x, stride);
    for (; rows > 0; rows--, x += stride)
        rotateSome(n, turns, 1, x, stride);
}

extern const snDenseKernels SN_VARIANT(snDenseKernels);
const snDenseKernels SN_VARIANT(snDenseKernels) = {
    .dot = dot, .dots = dots, .subtract = subtract, .rotate = rotate};
