#include "body/skin/levels.h"

#include "body/skin/smooth.h"
#include "core/error.h"

#include <string.h>

// ---- sampling the smooth surface ------------------------------------------------------------------------
//
// Of a grid the surface is the bicubic spline of its points, round in columns. With the share s of the way from point i to the next,
// points i - 1 ... i + 2 count
//     (1 - s)³/6,  (4 - 6 s² + 3 s³)/6,  (1 + 3 s + 3 s² - 3 s³)/6,  s³/6.
// Beyond its rims rows go straight on, 2 r₀ - r₁, so that the surface ends at the rims.

#define MOST_WEIGHTS 16

static void cubic(double s, double w[4])
{
    double r = 1.0 - s;
    w[0] = r * r * r / 6.0;
    w[1] = (4.0 + s * s * (3.0 * s - 6.0)) / 6.0;
    w[2] = (1.0 + s * (3.0 + s * (3.0 - 3.0 * s))) / 6.0;
    w[3] = s * s * s / 6.0;
}

static void addWeight(int *vertex, double *weight, int *count, int v, double w)
{
    int k = 0;
    while (k < *count && vertex[k] != v)
        k++;
    if (k == *count) {
        vertex[k] = v;
        weight[k] = 0.0;
        ++*count;
    }
    weight[k] += w;
}

// Weights of rows at a place, over rows that are there: [4] at most.
static int rowWeights(int rows, double place, int *row, double *weight)
{
    int low = (int)floor(place), count = 0;
    double w[4];
    if (low > rows - 2) low = rows - 2;
    cubic(place - low, w);
    for (int k = 0; k < 4; k++) {
        int r = low - 1 + k, end = r < 0 ? 0 : rows - 1, before = r < 0 ? 1 : rows - 2;
        bool there = r >= 0 && r < rows;
        addWeight(row, weight, &count, there ? r : end, there ? w[k] : 2.0 * w[k]);
        if (!there) addWeight(row, weight, &count, before, -w[k]);
    }
    return count;
}

static int gridWeights(const snSkinMesh *mesh, double column, double row, int *vertex,
                       double *weight)
{
    int rows[4], count = 0, low = (int)floor(column);
    double v[4], u[4];
    int n = rowWeights(mesh->rows, row, rows, v);
    cubic(column - low, u);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < 4; i++) {
            int c = (low - 1 + i + mesh->columns) % mesh->columns;
            addWeight(vertex, weight, &count, rows[j] * mesh->columns + c, v[j] * u[i]);
        }
    return count;
}

static void fillGrid(snSkinSampler *s, const snSkinMesh *from, const snSkinMesh *to)
{
    int *start = s->rows.start;
    for (int p = 0; p < to->pointCount; p++) {
        double column = (double)(p % to->columns) * from->columns / to->columns;
        double row = (double)(p / to->columns) * (from->rows - 1) / (to->rows - 1);
        start[p + 1] = start[p] + gridWeights(from, column, row, s->rows.column + start[p],
                                              s->rows.weight + start[p]);
    }
}

// Of other meshes it is the surface that is drawn, refined twice; where a point of the other mesh is nearest to it at rest.
static int meshWeights(const snSkinSmooth *smooth, const snSurfacePoint *at, int *vertex,
                       double *weight)
{
    int count = 0;
    for (int k = 0; k < 3; k++) {
        int v = smooth->triangles[3 * at->triangle + k];
        for (int i = smooth->rows.start[v]; i < smooth->rows.start[v + 1]; i++)
            addWeight(vertex, weight, &count, smooth->rows.column[i],
                      at->barycentric[k] * smooth->rows.weight[i]);
    }
    return count;
}

static snStatus fillMesh(snSkinSampler *s, snSkinAtRest from, snSkinAtRest to, snArena *arena,
                         const snContext *context, snError *error)
{
    snArena scratch = snMakeArena(context);
    snSkinSmooth smooth;
    snMeshTree tree;
    snVec3 *places = NULL;
    snStatus status = snSkinSmooth_Make(&smooth, from.mesh, 2, &scratch, context, error);
    if (!status && !(places = SN_NEW(&scratch, snVec3, smooth.vertexCount)))
        status = snFailMemory(error);
    if (!status) {
        snSkinSmooth_Places(&smooth, from.places, places);
        snMesh surface = {smooth.vertexCount, smooth.triangleCount, places, smooth.triangles};
        status = snMeshTree_Build(&tree, &surface, &scratch, error);
    }
    int most = 0;
    for (int v = 0; v < smooth.vertexCount && !status; v++) {
        int count = 3 * (smooth.rows.start[v + 1] - smooth.rows.start[v]);
        most = count > most ? count : most;
    }
    if (!status)
        status = snWeightRows_Make(&s->rows, s->count, from.mesh->pointCount,
                                   (size_t)most * (size_t)s->count, arena, error);
    int *start = s->rows.start;
    for (int p = 0; p < to.mesh->pointCount && !status; p++) {
        snSurfacePoint at = snMeshTree_Closest(&tree, to.places[p], INFINITY);
        start[p + 1] = start[p];
        if (at.triangle >= 0)
            start[p + 1] +=
                meshWeights(&smooth, &at, s->rows.column + start[p], s->rows.weight + start[p]);
    }
    snArena_Destroy(&scratch);
    return status;
}

snStatus snSkinSampler_Make(snSkinSampler *s, snSkinAtRest from, snSkinAtRest to, snArena *arena,
                            const snContext *context, snError *error)
{
    *s = (snSkinSampler){.count = to.mesh->pointCount};
    if (!from.mesh->columns || !to.mesh->columns)
        return fillMesh(s, from, to, arena, context, error);
    snStatus status = snWeightRows_Make(&s->rows, s->count, from.mesh->pointCount,
                                        MOST_WEIGHTS * (size_t)s->count, arena, error);
    if (!status) fillGrid(s, from.mesh, to.mesh);
    return status;
}

void snSkinSampler_Take(const snSkinSampler *s, const snVec3 *values, snVec3 *out)
{
    for (int p = 0; p < s->count; p++)
        out[p] = snWeightRows_Point(&s->rows, p, values);
}

// ---- between two levels -----------------------------------------------------------------------------------

snStatus snSkinRung_Make(snSkinRung *rung, snSkinAtRest fine, snSkinAtRest coarse, snArena *arena,
                         const snContext *context, snError *error)
{
    rung->wanted = SN_NEW(arena, snVec3, coarse.mesh->pointCount);
    rung->now = SN_NEW(arena, snVec3, coarse.mesh->pointCount);
    snStatus status = rung->wanted && rung->now ? SN_OK : snFailMemory(error);
    if (!status) status = snSkinSampler_Make(&rung->up, coarse, fine, arena, context, error);
    if (!status) status = snSkinSampler_Make(&rung->down, fine, coarse, arena, context, error);
    if (!status) status = snSkinSampler_Make(&rung->own, coarse, coarse, arena, context, error);
    return status;
}

void snSkinRung_Up(const snSkinRung *rung, const snVec3 *coarse, snVec3 *fine)
{
    snSkinSampler_Take(&rung->up, coarse, fine);
}

// The coarse surface is to be where the fine one is, at its points: c with V c = d. V is near the identity: c ← c + d - V c.
#define ROUNDS 4

void snSkinRung_Down(const snSkinRung *rung, const snVec3 *fine, snVec3 *coarse)
{
    int count = rung->down.count;
    snSkinSampler_Take(&rung->down, fine, rung->wanted);
    memcpy(coarse, rung->wanted, (size_t)count * sizeof *coarse);
    for (int k = 0; k < ROUNDS; k++) {
        snSkinSampler_Take(&rung->own, coarse, rung->now);
        for (int p = 0; p < count; p++)
            coarse[p] = snAdd(coarse[p], snSub(rung->wanted[p], rung->now[p]));
    }
}

// Σ m v and Σ m r x v over all points.
typedef struct Momentum {
    snVec3 linear, angular;
} Momentum;

static Momentum momentumOf(const snElasticSkin *skin)
{
    Momentum sum = {{0, 0, 0}, {0, 0, 0}};
    for (int i = 0; i < skin->mesh->pointCount; i++) {
        snVec3 p = snScale(skin->mass[i], skin->velocities[i]);
        sum.linear = snAdd(sum.linear, p);
        sum.angular = snAdd(sum.angular, snCross(skin->places[i], p));
    }
    return sum;
}

// What is missing of the momentum is given to all points that are free, as to a rigid body: a velocity a and a spin ω about their
// middle x̄ with M a = ΔP, I ω = ΔL - x̄ x ΔP.
static void giveMomentum(snElasticSkin *skin, Momentum missing)
{
    double mass = 0.0;
    snVec3 middle = {0, 0, 0};
    snMat3 inertia = snDiagonal3(0, 0, 0);
    for (int i = 0; i < skin->mesh->pointCount; i++)
        if (skin->points[i].frame < 0) {
            mass += skin->mass[i];
            middle = snMulAdd(middle, skin->mass[i], skin->places[i]);
        }
    if (!(mass > 0.0)) return;
    middle = snScale(1.0 / mass, middle);
    for (int i = 0; i < skin->mesh->pointCount; i++)
        if (skin->points[i].frame < 0) {
            snVec3 x = snSub(skin->places[i], middle);
            double m = skin->mass[i], square = snDot(x, x);
            snMat3 own =
                snAddMM(snDiagonal3(square, square, square), snScaleM(-1.0, snOuter(x, x)));
            inertia = snAddMM(inertia, snScaleM(m, own));
        }
    snVec3 pace = snScale(1.0 / mass, missing.linear);
    snVec3 turn = snSub(missing.angular, snCross(middle, missing.linear));
    snVec3 spin = snMulMV(snInverse3(inertia), turn);
    if (!snIsFinite3(spin)) spin = snVec(0, 0, 0);
    for (int i = 0; i < skin->mesh->pointCount; i++)
        if (skin->points[i].frame < 0)
            skin->velocities[i] = snAdd(skin->velocities[i],
                                        snAdd(pace, snCross(spin, snSub(skin->places[i], middle))));
}

void snSkinRung_Carry(const snSkinRung *rung, const snElasticSkin *from, snElasticSkin *to,
                      bool down)
{
    memset(to->state, 0, to->stateCount * sizeof(double));
    if (down) {
        snSkinRung_Down(rung, from->places, to->places);
        snSkinRung_Down(rung, from->velocities, to->velocities);
    } else {
        snSkinRung_Up(rung, from->places, to->places);
        snSkinRung_Up(rung, from->velocities, to->velocities);
    }
    snSkinMuscles_Aim(&to->muscles, from->muscles.frame[1], from->muscles.shape[1]);
    snSkinMuscles_Arrive(&to->muscles);
    for (int i = 0; i < to->mesh->pointCount; i++)
        if (to->points[i].frame >= 0)
            to->places[i] = snMulAP(to->muscles.frame[1][to->points[i].frame], to->points[i].pin);
    to->gravity = from->gravity;
    snElasticSkin_Settle(to);
    Momentum before = momentumOf(from), after = momentumOf(to);
    giveMomentum(
        to, (Momentum){snSub(before.linear, after.linear), snSub(before.angular, after.angular)});
}
