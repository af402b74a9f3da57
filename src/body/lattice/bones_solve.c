// The matrix of flesh and links, and its inverse.
//
// Motions of links. Let a link move by a twist about a point m, δx = v + ω × (x - m). Its affine motion, with the columns l_1,
// l_2, l_3 of its rotation and l_4 = t - m, changes by δl_c = ω × l_c (+ v for the last). So with B the 4x4 block of S between two
// links, and Λ, Λ' their columns, B is between their twists
//
//     | tr K - K   [b]  |      K = Λ' Bᵀ Λᵀ,  b = Λ B e_4,  b' = Λ' Bᵀ e_4,
//     |  -[b']    B_44  |      [b] x = b × x,
//
// for (ω × l_c) . (ω' × l'_c') = (ω . ω')(l_c . l'_c') - (ω . l'_c')(ω' . l_c). A joint's turn moves all links below it by one twist, the same about one
// point: blocks are summed over the links below both joints, from the leaves up, and projected to their axes. That is G.
#include "body/lattice/bones_parts.h"

#include "core/error.h"
#include "core/simd.h"
#include "numerics/dense.h"

#include <string.h>

// ---- twists and unknowns ------------------------------------------------------------------------

// From the leaves up: what acts on all that hangs on a link.
static void sumBelow(const snBones *b)
{
    for (int j = b->linkCount - 1; j >= 0; j--) {
        int p = b->parent[j];
        if (p < 0) continue;
        b->force[p] = snAdd(b->force[p], b->force[j]);
        b->moment[p] = snAdd(b->moment[p], b->moment[j]);
    }
}

void snBones_FromWrenches(const snBones *b, bool linear, double *rows)
{
    sumBelow(b);
    for (int j = 0; j < b->linkCount; j++) {
        int row = b->rowOf[j];
        if (row < 0) continue;
        snVec3 at = linear ? b->guessOrigin[j] : b->origin[j];
        snMat3 axes = linear ? b->guessLinear[j] : b->linear[j];
        snVec3 arm = snSub(at, b->middle);
        snVec3 moment = snMulTMV(axes, snSub(b->moment[j], snCross(arm, b->force[j])));
        if (!linear)
            moment = snMulTMV(snTurnSlope(snRow(b->values, row)), snAdd(moment, b->torque[j]));
        snSetRow(rows, row, moment);
        if (b->parent[j] < 0) snSetRow(rows, row + 1, b->force[j]);
    }
}

// Twists of all links about the middle, to force (v) and moment (ω).
static void toTwists(const snBones *b, const double *rows)
{
    for (int j = 0; j < b->linkCount; j++) {
        int row = b->rowOf[j], p = b->parent[j];
        b->force[j] = p < 0 ? snVec(0, 0, 0) : b->force[p];
        b->moment[j] = p < 0 ? snVec(0, 0, 0) : b->moment[p];
        if (row < 0) continue;
        snVec3 spin = snMulMV(b->guessLinear[j], snRow(rows, row));
        snVec3 arm = snSub(b->guessOrigin[j], b->middle);
        b->moment[j] = snAdd(b->moment[j], spin);
        b->force[j] = snAdd(b->force[j], snCross(arm, spin));
        if (p < 0) b->force[j] = snAdd(b->force[j], snRow(rows, row + 1));
    }
}

// ---- affine motions -----------------------------------------------------------------------------

// Λ of a link in the first guess: columns of its rotation, and where it has rest space's origin, from the middle.
static void columnsOf(const snBones *b, int j, snVec3 lambda[4])
{
    snMat3 m = b->guessLinear[j];
    lambda[0] = m.cx;
    lambda[1] = m.cy;
    lambda[2] = m.cz;
    lambda[3] = snSub(snSub(b->guessOrigin[j], snMulMV(m, b->center[j])), b->middle);
}

// Affine motions are [3][columns].
static snVec3 affineAt(const snBones *b, const double *affine, int column)
{
    return snVec(affine[column], affine[b->columns + column], affine[2 * b->columns + column]);
}

static void setAffine(const snBones *b, double *affine, int column, snVec3 value)
{
    affine[column] = value.x;
    affine[b->columns + column] = value.y;
    affine[2 * b->columns + column] = value.z;
}

static void toAffine(const snBones *b, double *affine)
{
    for (int j = 0; j < b->linkCount; j++) {
        snVec3 lambda[4];
        if (b->columnOf[j] < 0) continue;
        columnsOf(b, j, lambda);
        for (int c = 0; c < 4; c++) {
            snVec3 change = snCross(b->moment[j], lambda[c]);
            setAffine(b, affine, b->columnOf[j] + c, c < 3 ? change : snAdd(change, b->force[j]));
        }
    }
}

static void fromAffine(const snBones *b, const double *affine)
{
    for (int j = 0; j < b->linkCount; j++) {
        snVec3 lambda[4];
        b->force[j] = b->moment[j] = snVec(0, 0, 0);
        if (b->columnOf[j] < 0) continue;
        columnsOf(b, j, lambda);
        for (int c = 0; c < 4; c++)
            b->moment[j] =
                snAdd(b->moment[j], snCross(lambda[c], affineAt(b, affine, b->columnOf[j] + c)));
        b->force[j] = affineAt(b, affine, b->columnOf[j] + 3);
    }
}

// Covectors over free vertices, to affine motions: Wᵀ f; and ways: x -= W d.
static void pullSpread(const snBones *b, const double *free, double *affine)
{
    int n = b->columns;
    memset(affine, 0, 3 * (size_t)n * sizeof(double));
    for (int v = 0; v < b->model->freeCount; v++) {
        const double *w = b->spread + (size_t)v * (size_t)n, *f = free + 4 * (size_t)v;
        if (f[0] == 0 && f[1] == 0 && f[2] == 0) continue;
        for (int i = 0; i < n; i += 4) {
            snDouble4 weight = snLoad4(w + i);
            for (int c = 0; c < 3; c++)
                snStore4(affine + c * n + i, snLoad4(affine + c * n + i) + f[c] * weight);
        }
    }
}

static void pushSpread(const snBones *b, const double *affine, double *free)
{
    int n = b->columns;
    for (int v = 0; v < b->model->freeCount; v++) {
        const double *w = b->spread + (size_t)v * (size_t)n;
        for (int c = 0; c < 3; c++) {
            snDouble4 sum = {0};
            for (int i = 0; i < n; i += 4)
                sum += snLoad4(w + i) * snLoad4(affine + c * n + i);
            free[4 * (size_t)v + (size_t)c] -= (sum[0] + sum[1]) + (sum[2] + sum[3]);
        }
    }
}

// ---- G ------------------------------------------------------------------------------------------

// Between the twists of two links, 6x6 by rows: ω first.
static void pairOf(const snBones *b, int i, int j, double *out)
{
    snVec3 own[4], other[4], k[3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, far = {0, 0, 0},
                             near = {0, 0, 0};
    const double *s = b->condensed + (size_t)b->columnOf[i] * (size_t)b->columns + b->columnOf[j];
    columnsOf(b, i, own);
    columnsOf(b, j, other);
    for (int c = 0; c < 4; c++) {
        snVec3 sum = {0, 0, 0};
        for (int d = 0; d < 4; d++)
            sum = snMulAdd(sum, s[(size_t)c * (size_t)b->columns + (size_t)d], other[d]);
        near = snMulAdd(near, s[(size_t)c * (size_t)b->columns + 3], own[c]);
        if (c == 3) far = sum;
        k[0] = snMulAdd(k[0], own[c].x, sum); // K by columns: Λ' Bᵀ Λᵀ
        k[1] = snMulAdd(k[1], own[c].y, sum);
        k[2] = snMulAdd(k[2], own[c].z, sum);
    }
    double trace = k[0].x + k[1].y + k[2].z;
    double mass = s[3 * (size_t)b->columns + 3];
    double block[6][6] = {{trace - k[0].x, -k[1].x, -k[2].x, 0, -near.z, near.y},
                          {-k[0].y, trace - k[1].y, -k[2].y, near.z, 0, -near.x},
                          {-k[0].z, -k[1].z, trace - k[2].z, -near.y, near.x, 0},
                          {0, far.z, -far.y, mass, 0, 0},
                          {-far.z, 0, far.x, 0, mass, 0},
                          {far.y, -far.x, 0, 0, 0, mass}};
    memcpy(out, block, sizeof block);
}

static double *pairAt(const snBones *b, int i, int j)
{
    return b->pairs + ((size_t)i * (size_t)b->linkCount + (size_t)j) * 36;
}

static void addPair(double *to, const double *from)
{
    for (int k = 0; k < 36; k++)
        to[k] += from[k];
}

// Sums over all that hangs on both.
static void sumPairs(const snBones *b)
{
    int n = b->linkCount;
    memset(b->pairs, 0, (size_t)n * (size_t)n * 36 * sizeof(double));
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (b->columnOf[i] >= 0 && b->columnOf[j] >= 0) pairOf(b, i, j, pairAt(b, i, j));
    for (int i = n - 1; i >= 0; i--)
        for (int j = 0; j < n && b->parent[i] >= 0; j++)
            addPair(pairAt(b, b->parent[i], j), pairAt(b, i, j));
    for (int j = n - 1; j >= 0; j--)
        for (int i = 0; i < n && b->parent[j] >= 0; i++)
            addPair(pairAt(b, i, b->parent[j]), pairAt(b, i, j));
}

// Twists of a joint's unknowns: three, of roots six.
static int axesOf(const snBones *b, int j, double axes[6][6])
{
    snVec3 arm = snSub(b->guessOrigin[j], b->middle);
    const snVec3 *columns = &b->guessLinear[j].cx;
    int count = b->parent[j] < 0 ? 6 : 3;
    memset(axes, 0, 36 * sizeof(double));
    for (int k = 0; k < 3; k++) {
        snVec3 v = snCross(arm, columns[k]);
        double twist[6] = {columns[k].x, columns[k].y, columns[k].z, v.x, v.y, v.z};
        memcpy(axes[k], twist, sizeof twist);
        axes[k + 3][k + 3] = 1;
    }
    return count;
}

static void addBlock(const snBones *b, int i, int j)
{
    double own[6][6], other[6][6];
    int rows = axesOf(b, i, own), columns = axesOf(b, j, other), n = 3 * b->rows;
    const double *pair = pairAt(b, i, j);
    for (int c = 0; c < columns; c++) {
        double product[6] = {0};
        for (int k = 0; k < 36; k++)
            product[k / 6] += pair[k] * other[c][k % 6];
        for (int r = 0; r < rows; r++) {
            double sum = 0;
            for (int k = 0; k < 6; k++)
                sum += own[r][k] * product[k];
            int row = 3 * b->rowOf[i] + r, column = 3 * b->rowOf[j] + c;
            if (row >= column) b->matrix[(size_t)column * (size_t)n + (size_t)row] = sum;
        }
    }
}

// What a joint adds at the pose of the first guess: springs and dampers, and its range's end where that is near.
static void addJoint(const snBones *b, int j)
{
    const snBoneJoint *joint = &b->joints[j];
    double h = b->model->def.step;
    size_t n = 3 * (size_t)b->rows, first = 3 * (size_t)b->rowOf[j];
    double turning = h * h * joint->stiffness + h * joint->damping;
    double moving = h * h * joint->pull + h * joint->drag;
    snVec3 turn = snQuatToVector(b->guess[j]);
    double twist = snDot(turn, joint->axis);
    snVec3 swing = snMulAdd(turn, -twist, joint->axis);
    double size = snLength(swing), stop = h * h * joint->limits;
    for (size_t k = 0; k < 3; k++)
        b->matrix[(first + k) * (n + 1)] += turning;
    for (size_t k = 0; k < 3 && b->parent[j] < 0; k++)
        b->matrix[(first + 3 + k) * (n + 1)] += moving;
    snVec3 across = size > joint->swing ? snScale(1 / size, swing) : snVec(0, 0, 0);
    snVec3 along = fabs(twist) > joint->twist ? joint->axis : snVec(0, 0, 0);
    for (size_t k = 0; k < 3 && stop > 0; k++)
        for (size_t i = k; i < 3; i++)
            b->matrix[(first + k) * n + first + i] +=
                stop * ((&across.x)[k] * (&across.x)[i] + (&along.x)[k] * (&along.x)[i]);
}

bool snBones_Factorise(snBones *b)
{
    sumPairs(b);
    for (int i = 0; i < b->linkCount; i++)
        for (int j = 0; j <= i; j++)
            if (b->rowOf[i] >= 0 && b->rowOf[j] >= 0) addBlock(b, i, j);
    for (int j = 0; j < b->linkCount; j++)
        if (b->rowOf[j] >= 0) addJoint(b, j);
    return b->rows == 0 || snDenseCholesky(3 * b->rows, b->matrix, NULL) == SN_OK;
}

// ---- the inverse --------------------------------------------------------------------------------

static void solveRows(snBones *b, double *rows)
{
    double *x = b->covector;
    for (int k = 0; k < 3 * b->rows; k++)
        x[k] = rows[4 * (k / 3) + k % 3];
    if (b->rows) snDenseCholesky_Solve(3 * b->rows, b->matrix, x);
    for (int k = 0; k < 3 * b->rows; k++)
        rows[4 * (k / 3) + k % 3] = x[k];
}

// With f over free vertices and q over unknowns: d = G⁻¹ (q - Jᵀ Wᵀ f), and A⁻¹ f - W J d.
void snBones_Solve(snBones *b, double *free, double *rows)
{
    pullSpread(b, free, b->affine);
    fromAffine(b, b->affine);
    snBones_FromWrenches(b, true, b->answer);
    for (int k = 0; k < 4 * b->rows; k++)
        rows[k] -= b->answer[k];
    solveRows(b, rows);
    toTwists(b, rows);
    toAffine(b, b->change);
    snLatticeModel_SolveRows(b->model, free, b->solve);
    pushSpread(b, b->change, free);
}

void snBones_Load(snBones *b, const double *vertices, double *rows)
{
    const snWeightRows *skin = &b->model->skin;
    for (int j = 0; j < b->linkCount; j++)
        b->force[j] = b->moment[j] = snVec(0, 0, 0);
    for (int v = b->model->freeCount; v < b->model->vertexCount; v++) {
        snVec3 f = snRow(vertices, v);
        if (f.x == 0 && f.y == 0 && f.z == 0) continue;
        for (int k = skin->start[v]; k < skin->start[v + 1]; k++) {
            int j = skin->column[k];
            snVec3 own = snScale(skin->weight[k], f);
            snVec3 arm = snMulMV(b->guessLinear[j], snSub(b->model->rest[v], b->center[j]));
            arm = snAdd(arm, snSub(b->guessOrigin[j], b->middle));
            b->force[j] = snAdd(b->force[j], own);
            b->moment[j] = snAdd(b->moment[j], snCross(arm, own));
        }
    }
    snBones_FromWrenches(b, true, rows);
}

void snBones_Carry(snBones *b, const double *rows, double *vertices)
{
    const snWeightRows *skin = &b->model->skin;
    toTwists(b, rows);
    for (int v = b->model->freeCount; v < b->model->vertexCount; v++) {
        snVec3 sum = {0, 0, 0};
        for (int k = skin->start[v]; k < skin->start[v + 1]; k++) {
            int j = skin->column[k];
            snVec3 arm = snMulMV(b->guessLinear[j], snSub(b->model->rest[v], b->center[j]));
            arm = snAdd(arm, snSub(b->guessOrigin[j], b->middle));
            sum = snMulAdd(sum, skin->weight[k], snAdd(b->force[j], snCross(b->moment[j], arm)));
        }
        snSetRow(vertices, v, sum);
    }
}

// ---- contacts -----------------------------------------------------------------------------------

void snBones_ClearCovector(snBones *b)
{
    memset(b->covector, 0, 3 * (size_t)b->rows * sizeof(double));
}

void snBones_AddCovector(snBones *b, int count, const int *vertex, const double *weight,
                         snVec3 normal)
{
    size_t n = (size_t)b->columns;
    snBones_Column(b, count, vertex, weight, b->change);
    for (int c = 2; c >= 0; c--)
        for (size_t i = 0; i < n; i++)
            b->affine[(size_t)c * n + i] = (&normal.x)[c] * b->change[i];
    fromAffine(b, b->affine);
    snBones_FromWrenches(b, true, b->answer);
    for (int k = 0; k < 3 * b->rows; k++)
        b->covector[k] += b->answer[4 * (k / 3) + k % 3];
}

// L⁻¹ k: products of two of these are kᵀ G⁻¹ k'.
void snBones_KeepAnswer(snBones *b, int place, int entry)
{
    size_t n = 3 * (size_t)b->rows;
    double *x = b->answers + (size_t)place * n;
    memcpy(x, b->covector, n * sizeof(double));
    for (size_t j = 0; j < n; j++) {
        const double *column = b->matrix + j * n;
        x[j] /= column[j];
        for (size_t i = j + 1; i < n; i++)
            x[i] -= column[i] * x[j];
    }
    b->answerOf[place] = entry + 1;
}

double snBones_Answer(const snBones *b, int place, int entry, int other, int otherEntry)
{
    size_t n = 3 * (size_t)b->rows;
    const double *x = b->answers + (size_t)place * n, *y = b->answers + (size_t)other * n;
    double sum[4] = {0}, rest = 0;
    size_t k = 0;
    if (b->answerOf[place] != entry + 1 || b->answerOf[other] != otherEntry + 1) return 0;
    for (; k + 4 <= n; k += 4)
        for (size_t i = 0; i < 4; i++)
            sum[i] += x[k + i] * y[k + i];
    for (; k < n; k++)
        rest += x[k] * y[k];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]) + rest;
}

void snBones_ForgetAnswers(snBones *b)
{
    memset(b->answerOf, 0, (size_t)b->mostAnswers * sizeof(int));
}

// J G⁻¹ Jᵀ at rest, the mean of its x, y and z parts: what samples of contacts give way by (contact.c).
snStatus snBones_FindGive(snBones *b, snError *error)
{
    size_t n = (size_t)b->columns;
    b->give = SN_NEW(&b->arena, double, n *n);
    if (!b->give) return snFailMemory(error);
    for (int j = 0; j < b->linkCount; j++) {
        b->guess[j] = b->guessTurned[j] = snIdentityQuat();
        b->guessLinear[j] = snIdentity3();
        b->guessOrigin[j] = b->center[j];
    }
    b->middle = b->linkCount ? b->center[0] : snVec(0, 0, 0);
    if (!snBones_Factorise(b))
        return snFail(error, SN_ERROR_NUMERIC, "bones and flesh have no positive matrix");
    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; c < 3; c++) {
            memset(b->affine, 0, 3 * n * sizeof(double));
            b->affine[c * n + i] = 1;
            fromAffine(b, b->affine);
            snBones_FromWrenches(b, true, b->answer);
            solveRows(b, b->answer);
            toTwists(b, b->answer);
            toAffine(b, b->change);
            for (size_t k = 0; k < n; k++)
                b->give[i * n + k] += b->change[c * n + k] / 3;
        }
    return SN_OK;
}
