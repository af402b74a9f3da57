#include "body/poly/functions.h"

#include "numerics/gauss.h"

#define DEGREES (SN_POLY_ORDER + 1)

snVec3 snPolyBox_Unit(const snPolyBox *box, snVec3 x)
{
    snVec3 u = snMulTMV(box->axes, snSub(x, box->center));
    return snVec(u.x / box->half.x, u.y / box->half.y, u.z / box->half.z);
}

static snStatus checkControls(const int controls[3], snError *error)
{
    for (int c = 0; c < 3; c++)
        if (controls[c] < 2 || controls[c] > SN_POLY_CONTROLS)
            return snFail(error, SN_ERROR_ARGUMENT,
                          "%d x %d x %d control points; along each axis there must be 2 to %d",
                          controls[0], controls[1], controls[2], SN_POLY_CONTROLS);
    return SN_OK;
}

snStatus snPolyFunctions_Make(snPolyFunctions *f, int order, const int controls[3],
                              const snPolyBox *box, snError *error)
{
    *f = (snPolyFunctions){.box = *box, .order = order};
    bool free = order == 0 && controls[0] + controls[1] + controls[2] > 0;
    if (!free && (order < 1 || order > SN_POLY_ORDER))
        return snFail(error, SN_ERROR_ARGUMENT, "the order is %d; it must be 1 (affine) to %d",
                      order, SN_POLY_ORDER);
    snStatus status = free ? checkControls(controls, error) : SN_OK;
    for (int c = 0; c < 3 && !status; c++) {
        f->controls[c] = free ? controls[c] : 0;
        f->degree[c] = free ? controls[c] - 1 : order;
    }
    f->count = free ? controls[0] * controls[1] * controls[2]
                    : (order + 1) * (order + 2) * (order + 3) / 6;
    return status;
}

int snPolyFunctions_ProductDegree(const snPolyFunctions *f)
{
    return f->order ? 2 * f->order : 2 * (f->degree[0] + f->degree[1] + f->degree[2]);
}

// B_i,n(t) by rising degrees, B_i,n = (1 - t) B_i,n-1 + t B_i-1,n-1, and B'_i,n = n (B_i-1,n-1 - B_i,n-1); with
// t = (1 + u) / 2, so that derivatives by u have a factor of 1/2.
static void bernsteinAt(int n, double u, double *value, double *slope)
{
    double t = 0.5 * (1 + u);
    value[0] = 1;
    slope[0] = 0;
    for (int k = 1; k <= n; k++) {
        value[k] = 0;
        for (int i = k; i >= 0; i--) {
            double low = i < k ? value[i] : 0, left = i > 0 ? value[i - 1] : 0;
            if (k == n) slope[i] = 0.5 * n * (left - low);
            value[i] = (1 - t) * low + t * left;
        }
    }
}

typedef struct Axes {
    double value[3][DEGREES], slope[3][DEGREES];
    snVec3 scale[3]; // ∇u, ∇v, ∇w
} Axes;

static void put(const Axes *a, int i, int j, int k, double *value, snVec3 *gradient)
{
    const double *u = a->value[0], *v = a->value[1], *w = a->value[2];
    *value = u[i] * v[j] * w[k];
    if (!gradient) return;
    *gradient = snAdd(snAdd(snScale(a->slope[0][i] * v[j] * w[k], a->scale[0]),
                            snScale(u[i] * a->slope[1][j] * w[k], a->scale[1])),
                      snScale(u[i] * v[j] * a->slope[2][k], a->scale[2]));
}

void snPolyFunctions_At(const snPolyFunctions *f, snVec3 x, double *value, snVec3 *gradient)
{
    snVec3 unit = snPolyBox_Unit(&f->box, x);
    const double u[3] = {unit.x, unit.y, unit.z};
    const snMat3 *axes = &f->box.axes;
    Axes a = {.scale = {snScale(1 / f->box.half.x, axes->cx), snScale(1 / f->box.half.y, axes->cy),
                        snScale(1 / f->box.half.z, axes->cz)}};
    int at = 0;
    for (int c = 0; c < 3; c++)
        if (f->order)
            snLegendre_At(f->degree[c], u[c], a.value[c], a.slope[c]);
        else
            bernsteinAt(f->degree[c], u[c], a.value[c], a.slope[c]);
    if (f->order) { // by total degree
        for (int degree = 0; degree <= f->order; degree++)
            for (int k = 0; k <= degree; k++)
                for (int j = 0; j <= degree - k; j++, at++)
                    put(&a, degree - k - j, j, k, &value[at], gradient ? &gradient[at] : NULL);
        return;
    }
    for (int k = 0; k < f->controls[2]; k++)
        for (int j = 0; j < f->controls[1]; j++)
            for (int i = 0; i < f->controls[0]; i++, at++)
                put(&a, i, j, k, &value[at], gradient ? &gradient[at] : NULL);
}
