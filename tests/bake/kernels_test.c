// The soft writer's loops over vertices against the same written plainly, and on every instruction set.
#include "bake/rows.h"
#include "bake/soft_kernels.h"

#include "core/core.h"
#include "core/simd.h"
#include "core/vec.h"
#include "tests/test.h"

#include <math.h>
#include <string.h>

enum { JOINTS = 5, VERTICES = 203, STRIDE = 3, ENTRIES = (VERTICES + STRIDE - 1) / STRIDE };
enum { ROWS = 7, SIZE = 45, TARGETS = 6 };

extern const snRowKernels snRowKernels_base;
extern const snSoftKernels snSoftKernels_base;
#if defined(__x86_64__)
extern const snRowKernels snRowKernels_avx2, snRowKernels_avx512;
extern const snSoftKernels snSoftKernels_avx2, snSoftKernels_avx512;
static const snRowKernels *const rowKernels[] = {&snRowKernels_base, &snRowKernels_avx2,
                                                 &snRowKernels_avx512};
static const snSoftKernels *const softKernels[] = {&snSoftKernels_base, &snSoftKernels_avx2,
                                                   &snSoftKernels_avx512};
#else
static const snRowKernels *const rowKernels[] = {&snRowKernels_base};
static const snSoftKernels *const softKernels[] = {&snSoftKernels_base};
#endif

static float noise(int i)
{
    return (float)sin(12.9898 * i + 0.001 * i * i);
}

static void fill(float *out, int count, int seed)
{
    for (int i = 0; i < count; i++)
        out[i] = noise(i + seed);
}

static void rowsMultiply(void)
{
    float rows[ROWS * SIZE], a[SIZE], turned[2][ROWS * SN_ROW_COLUMNS];
    double u[ROWS * ROWS], out[2][ROWS];
    fill(rows, ROWS * SIZE, 1);
    fill(a, SIZE, 777);
    for (int i = 0; i < ROWS * ROWS; i++)
        u[i] = (double)noise(3 * i);
    for (int level = 0; level <= (int)snDetectCpu(); level++) {
        snRowProducts products = {a, rows, ROWS, SIZE, SIZE};
        rowKernels[level]->dot(&products, out[level > 0]);
        for (size_t first = 0; first < SIZE; first += SN_ROW_COLUMNS) {
            size_t width = SIZE - first < SN_ROW_COLUMNS ? SIZE - first : SN_ROW_COLUMNS;
            snRowTurn turn = {rows, SIZE, u, ROWS, ROWS - 1, first, width};
            rowKernels[level]->turn(&turn, turned[level > 0]);
            for (size_t k = 0; k < ROWS - 1; k++)
                for (size_t l = 0; l < width; l++) {
                    double sum = 0;
                    for (size_t i = 0; i < ROWS; i++)
                        sum += u[k * ROWS + i] * (double)rows[i * SIZE + first + l];
                    CHECK_NEAR((double)turned[level > 0][k * SN_ROW_COLUMNS + l], sum, 1e-6);
                }
        }
        for (int k = 0; k < ROWS; k++) {
            double sum = 0;
            for (int i = 0; i < SIZE; i++)
                sum += (double)a[i] * (double)rows[k * SIZE + i];
            CHECK_NEAR(out[level > 0][k], sum, 1e-13);
        }
        if (level) CHECK(!memcmp(out[0], out[1], sizeof out[0]));
    }
    CHECK(snDotFloats(a, rows, SIZE) == out[0][0]); // alone or with others
    CHECK(snDotFloats(a, rows, 0) == 0);
}

// ---- corrections ----------------------------------------------------------------------------------------

typedef struct Scene {
    snPart part;
    snVec3f positions[VERTICES], target[VERTICES], baked[VERTICES], *targets[1];
    int joints[4 * VERTICES];
    float weights[4 * VERTICES];
    snAffine moves[JOINTS];
    double morph;
    float matrix[9 * ENTRIES], offset[3 * ENTRIES], wanted[3 * ENTRIES];
    snVec3 rig[ENTRIES];
} Scene;

static void makeScene(Scene *s)
{
    memset(s, 0, sizeof *s);
    for (int j = 0; j < JOINTS; j++) {
        snQuat q = snQuatFromAxisAngle(snVec(0, 0.6, 0.8), 0.7 * j);
        s->moves[j] = (snAffine){snQuatToMat(q), {0.1 * j, -0.2, 0.3}};
    }
    s->moves[4].linear.cx = snVec(0, 0, 0); // flat
    for (int v = 0; v < VERTICES; v++) {
        s->positions[v] = (snVec3f){noise(v), noise(v + 1000), noise(v + 2000)};
        s->target[v] = (snVec3f){0.1f * noise(v + 50), 0, 0};
        s->baked[v] = (snVec3f){noise(v + 3000), noise(v + 4000), noise(v + 5000)};
        for (int k = 0; k < 4; k++) {
            s->joints[4 * v + k] = (v + k) % 4;
            s->weights[4 * v + k] = k < 3 ? 1.0f / 3 : 0;
        }
        if (v % 10 == 0) s->joints[4 * v] = 4, s->weights[4 * v] = 1;
        if (v % 10 == 0) s->weights[4 * v + 1] = s->weights[4 * v + 2] = 0;
    }
    s->targets[0] = s->target;
    s->morph = 0.4;
    s->part = (snPart){.skin = 0,
                       .influences = 4,
                       .vertexCount = VERTICES,
                       .positions = s->positions,
                       .joints = s->joints,
                       .weights = s->weights,
                       .targetCount = 1,
                       .targets = s->targets};
}

static snSoftPart partOf(Scene *s)
{
    return (snSoftPart){.part = &s->part,
                        .joints = s->moves,
                        .node = &s->moves[1],
                        .morphs = &s->morph,
                        .baked = s->baked,
                        .stride = STRIDE,
                        .entryCount = ENTRIES,
                        .matrix = s->matrix,
                        .offset = s->offset,
                        .wanted = s->wanted,
                        .rig = s->rig};
}

static snVec3 planes(const float *x, int i)
{
    return (snVec3){(double)x[i], (double)x[ENTRIES + i], (double)x[2 * ENTRIES + i]};
}

static snMat3 matrixOf(const Scene *s, int i)
{
    return (snMat3){planes(s->matrix, i), planes(s->matrix + 3 * ENTRIES, i),
                    planes(s->matrix + 6 * ENTRIES, i)};
}

static void checkEntry(const Scene *s, int i, bool skinned)
{
    int v = i * STRIDE;
    snAffine m = {0};
    for (int k = 4 * v; k < 4 * v + 4; k++) {
        double w = (double)s->weights[k];
        m.linear = snAddMM(m.linear, snScaleM(w, s->moves[s->joints[k]].linear));
        m.origin = snMulAdd(m.origin, w, s->moves[s->joints[k]].origin);
    }
    if (!skinned) m = s->moves[1];
    snVec3 p = snMulAdd(snFromF(s->positions[v]), s->morph, snFromF(s->target[v]));
    snVec3 rig = snMulAP(m, p), offset = snSub(snFromF(s->baked[v]), rig);
    snVec3 d = planes(s->wanted, i);
    CHECK_NEAR(snDistance(s->rig[i], rig), 0, 1e-14);
    CHECK_NEAR(snDistance(planes(s->offset, i), offset), 0, 1e-6);
    CHECK_NEAR(snNormSquaredM(snAddMM(matrixOf(s, i), snScaleM(-1, m.linear))), 0, 1e-12);
    if (skinned && v % 10 == 0) { // what flat matrices can do, and no more than that
        CHECK(snLength(d) < 2 * snLength(offset));
        CHECK(snLength(snMulTMV(m.linear, snSub(offset, snMulMV(m.linear, d)))) < 2e-3);
    } else {
        CHECK_NEAR(snDistance(snMulMV(m.linear, d), offset), 0, 1e-5);
    }
}

static void correctionsUndoTheSkin(void)
{
    static Scene first, scene;
    for (int skinned = 0; skinned < 2; skinned++)
        for (int level = 0; level <= (int)snDetectCpu(); level++) {
            makeScene(&scene);
            if (!skinned) scene.part.skin = -1;
            snSoftPart part = partOf(&scene);
            softKernels[level]->correct(&part, 0, 10);
            softKernels[level]->correct(&part, 10, ENTRIES);
            for (int i = 0; i < ENTRIES; i++)
                checkEntry(&scene, i, skinned);
            if (level == 0) first = scene;
            CHECK(!memcmp(first.matrix, scene.matrix, sizeof scene.matrix));
            CHECK(!memcmp(first.offset, scene.offset, sizeof scene.offset));
            CHECK(!memcmp(first.wanted, scene.wanted, sizeof scene.wanted));
            CHECK(!memcmp(first.rig, scene.rig, sizeof scene.rig));
        }
}

// ---- sums of targets ------------------------------------------------------------------------------------

// Largest |offset - M (Σ_j<k w_j T_j + shift)|², written plainly.
static double leftBy(const Scene *s, const float *targets, const float *weights, const float *shift,
                     int count)
{
    double worst = 0;
    for (int i = 0; i < ENTRIES; i++) {
        snVec3 sum = shift ? planes(shift, i) : snVec(0, 0, 0);
        for (int k = 0; k < count; k++)
            sum = snMulAdd(sum, (double)weights[k], planes(targets + k * 3 * ENTRIES, i));
        snVec3 e = snSub(planes(s->offset, i), snMulMV(matrixOf(s, i), sum));
        worst = fmax(worst, snLengthSquared(e));
    }
    return worst;
}

static void targetsLeaveWhatTheyLeave(void)
{
    static Scene scene;
    static float targets[TARGETS * 3 * ENTRIES], shift[3 * ENTRIES];
    float weights[TARGETS] = {0.5f, -0.3f, 0.2f, 0.11f, -0.07f, 0.02f}, left[2][TARGETS + 1];
    makeScene(&scene);
    snSoftPart part = partOf(&scene);
    softKernels[0]->correct(&part, 0, ENTRIES);
    fill(targets, TARGETS * 3 * ENTRIES, 9);
    fill(shift, 3 * ENTRIES, 5);
    snSoftSum sum = {.targets = targets, .entryCount = ENTRIES, .weights = weights};
    sum.count = ENTRIES;
    sum.matrix = scene.matrix;
    sum.offset = scene.offset;
    for (int level = 0; level <= (int)snDetectCpu(); level++)
        for (sum.first = 0; sum.first <= TARGETS; sum.first++) {
            sum.shift = sum.first % 2 ? shift : NULL;
            sum.last = TARGETS;
            memset(left[level > 0], 0, sizeof *left);
            softKernels[level]->leave(&sum, left[level > 0]);
            double least = 1e30;
            for (int k = sum.first; k <= TARGETS; k++) {
                double plain = leftBy(&scene, targets, weights, sum.shift, k);
                CHECK_NEAR((double)left[level > 0][k], plain, 1e-5 * plain);
                least = fmin(least, plain);
            }
            int need = softKernels[level]->need(&sum, (float)(1.001 * least));
            CHECK(need >= sum.first && need <= TARGETS); // a piece may need more than another
            CHECK(softKernels[level]->need(&sum, 1e30f) == sum.first);
            CHECK(softKernels[level]->need(&sum, 0) == TARGETS);
        }
}

// ---- normals --------------------------------------------------------------------------------------------

static void normalsTurnWithTheSurface(void)
{
    static snNormalBlock x, first;
    for (int level = 0; level <= (int)snDetectCpu(); level++) {
        for (int i = 0; i < SN_NORMAL_LANES; i++) {
            snVec3 a = {(double)noise(i), (double)noise(i + 100), 1.5};
            snVec3 b = snMulAdd(a, 0.5, snVec((double)noise(i + 200), (double)noise(i + 300), 0));
            snMat3 m = snQuatToMat(snQuatFromAxisAngle(snVec(0, 1, 0), 0.1 * i));
            m.cx = snScale(i % 3 ? 1.2 : -1.2, m.cx); // some are mirrored
            snVec3 own = snScale(0.9, snNormalizeOr(snMulTMV(m, a), a));
            snPlanes_Put(x.m, i, m.cx), snPlanes_Put(x.m + 3 * SN_NORMAL_LANES, i, m.cy);
            snPlanes_Put(x.m + 6 * SN_NORMAL_LANES, i, m.cz);
            snPlanes_Put(x.own, i, own), snPlanes_Put(x.before, i, a), snPlanes_Put(x.after, i, b);
        }
        softKernels[level]->turn(&x);
        for (int i = 0; i < SN_NORMAL_LANES; i++) {
            // Own was chosen so that it is shown along a, mirrored or not: it has to come out along b.
            snVec3 now = {x.own[i] + x.change[i],
                          x.own[SN_NORMAL_LANES + i] + x.change[SN_NORMAL_LANES + i],
                          x.own[2 * SN_NORMAL_LANES + i] + x.change[2 * SN_NORMAL_LANES + i]};
            snMat3 m = snQuatToMat(snQuatFromAxisAngle(snVec(0, 1, 0), 0.1 * i));
            m.cx = snScale(i % 3 ? 1.2 : -1.2, m.cx);
            snVec3 shown = snMulMV(snTranspose(snInverse3(m)), now);
            snVec3 b = {x.after[i], x.after[SN_NORMAL_LANES + i], x.after[2 * SN_NORMAL_LANES + i]};
            CHECK_NEAR(snDot(snNormalizeOr(shown, b), snNormalizeOr(b, b)), 1, 1e-12);
            CHECK_NEAR(snLength(now), 0.9, 1e-12);
        }
        if (level == 0) first = x;
        CHECK(!memcmp(&first, &x, sizeof x));
    }
}

int main(void)
{
    RUN(rowsMultiply);
    RUN(correctionsUndoTheSkin);
    RUN(targetsLeaveWhatTheyLeave);
    RUN(normalsTurnWithTheSurface);
    return snTest_Finish();
}
