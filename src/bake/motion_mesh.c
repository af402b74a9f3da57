// One mesh: its node's way, its components, how many of them it takes, its normals. motion.h has the derivation.
//
// W. Kabsch, "A solution for the best rotation to relate two sets of vectors", Acta Crystallographica A32, 1976.
#include "bake/motion_parts.h"

#include "core/error.h"
#include "core/svd.h"
#include "core/tasks.h"
#include "numerics/dense.h"

#include <string.h>

static snVec3 pointOf(const snMotionMesh *m, int frame, int v)
{
    const snVec3f *points = snSequence_Frame(m->sequence, frame) + m->mesh->firstVertex;
    return snFromF(points[m->look->cornerCount ? m->look->corner[v] : v]);
}

// ---- the node's way -----------------------------------------------------------------------------------

static snVec3 middleOf(const snMotionMesh *m, int frame)
{
    snVec3 sum = {0, 0, 0};
    for (int v = 0; v < m->vertexCount; v++)
        sum = snAdd(sum, pointOf(m, frame, v));
    return snScale(1.0 / m->vertexCount, sum);
}

static snStatus findRest(snMotionMesh *m, snError *error)
{
    snBox box = snEmptyBox();
    snVec3 middle = middleOf(m, 0);
    for (int v = 0; v < m->vertexCount; v++) {
        snVec3 p = snSub(pointOf(m, 0, v), middle);
        box = snBoxAdd(box, p);
        m->rest[v] = snToF(p);
    }
    m->size =
        fmax(box.upper.x - box.lower.x, fmax(box.upper.y - box.lower.y, box.upper.z - box.lower.z));
    if (isfinite(m->size)) return SN_OK;
    return snFail(error, SN_ERROR_NUMERIC, "\"%s\": its surface is not finite", m->mesh->title);
}

// Of the two quaternions of a rotation that which is nearer to the last one's: programs go straight between keys.
static snStatus findWay(snMotionMesh *m, int frame, snError *error)
{
    snVec3 c = middleOf(m, frame);
    snMat3 a = snDiagonal3(0, 0, 0);
    for (int v = 0; v < m->vertexCount; v++)
        a = snAddMM(a, snOuter(snSub(pointOf(m, frame, v), c), snFromF(m->rest[v])));
    if (!snIsFinite3(c))
        return snFail(error, SN_ERROR_NUMERIC, "\"%s\": its surface is not finite in frame %d",
                      m->mesh->title, frame + 1);
    snQuat q = snNormalizeQ(snQuatFromMat(snPolar(a, NULL)));
    if (frame > 0 && snDotQ(q, m->turn[frame - 1]) < 0) q = (snQuat){-q.x, -q.y, -q.z, -q.w};
    m->turn[frame] = frame ? q : snIdentityQuat();
    m->place[frame] = c;
    return SN_OK;
}

// ---- components ---------------------------------------------------------------------------------------

// d of a frame as planes [3][vertices].
static void fillRow(const snMotionMesh *m, int frame, float *row)
{
    size_t n = (size_t)m->vertexCount;
    snMat3 back = snTranspose(snQuatToMat(m->turn[frame]));
    for (size_t v = 0; v < n; v++) {
        snVec3 x = snMulMV(back, snSub(pointOf(m, frame, (int)v), m->place[frame]));
        snVec3f d = snToF(snSub(x, snFromF(m->rest[v])));
        row[v] = d.x;
        row[n + v] = d.y;
        row[2 * n + v] = d.z;
    }
}

static snStatus findComponents(snMotionMesh *m, const snMotionDef *def, snArena *arena,
                               const snContext *context, snError *error)
{
    snComponentsDef wanted = {.size = 3 * m->vertexCount,
                              .rowCount = m->sequence->frameCount,
                              .most = def->mostTargets - (def->mostTargets > 1),
                              .smallest = 0.02 * def->tolerance * m->size};
    snStatus status = snComponents_Make(&m->components, &wanted, &context->tasks, arena, error);
    for (int f = 0; f < m->sequence->frameCount && !status; f++) {
        fillRow(m, f, snComponents_Next(&m->components));
        status = snComponents_Push(&m->components, error);
    }
    return status ? status : snComponents_Finish(&m->components, error);
}

static float largestSquare(const float *row, size_t n)
{
    float most = 0;
    for (size_t v = 0; v < n; v++) {
        float square = row[v] * row[v] + row[n + v] * row[n + v] + row[2 * n + v] * row[2 * n + v];
        if (square > most) most = square;
    }
    return most;
}

// Weights of a frame, and what is left with so many targets as come within the tolerance; returns these.
static int weigh(snMotionMesh *m, int frame, double tolerance, int least, float *row)
{
    size_t size = 3 * (size_t)m->vertexCount;
    const snComponents *c = &m->components;
    float *weights = m->weights + (size_t)frame * (size_t)c->count;
    int k = 0;
    fillRow(m, frame, row);
    for (int i = 0; i < c->count; i++)
        weights[i] = (float)snDotFloats(row, c->rows + (size_t)i * size, size);
    float most = largestSquare(row, (size_t)m->vertexCount);
    while (k < c->count && (k < least || most > (float)(tolerance * tolerance))) {
        for (size_t i = 0; i < size; i++)
            row[i] -= weights[k] * c->rows[(size_t)k * size + i];
        if (++k >= least) most = largestSquare(row, (size_t)m->vertexCount);
    }
    return k;
}

// The fewest targets for all frames, and what they leave. One more target may take a frame farther off at its worst
// vertex, though never in the sum of squares: so frames are looked at again until none asks for more.
static snStatus chooseTargets(snMotionMesh *m, const snMotionDef *def, snArena *arena,
                              snError *error)
{
    snArenaMark mark = snArena_Mark(arena);
    int frames = m->sequence->frameCount, before = 0;
    float *row = SN_NEW(arena, float, 3 * (size_t)m->vertexCount);
    if (!row) return snFailMemory(error);
    do {
        before = m->targetCount;
        m->error = 0;
        for (int f = 0; f < frames; f++) {
            m->targetCount = weigh(m, f, def->tolerance * m->size, m->targetCount, row);
            m->error = fmax(m->error, sqrt((double)largestSquare(row, (size_t)m->vertexCount)));
        }
    } while (m->targetCount > before);
    snArena_Rewind(arena, mark);
    return SN_OK;
}

// ---- normals ------------------------------------------------------------------------------------------

// Unit normals of a frame in the node's space.
static void findNormals(const snMotionMesh *m, int frame, snVec3f *normals)
{
    snMat3 back = snTranspose(snQuatToMat(m->turn[frame]));
    memset(normals, 0, (size_t)m->vertexCount * sizeof *normals);
    for (int t = 0; t < m->mesh->triangleCount; t++) {
        const int *c = m->triangles + 3 * (size_t)t;
        snVec3 a = pointOf(m, frame, c[0]), b = pointOf(m, frame, c[1]);
        snVec3 area = snTwiceArea(a, b, pointOf(m, frame, c[2]));
        for (int k = 0; k < 3; k++)
            normals[c[k]] = snToF(snAdd(snFromF(normals[c[k]]), area));
    }
    for (int v = 0; v < m->vertexCount; v++)
        normals[v] = snToF(snMulMV(
            back, snNormalizeOr(snFromF(normals[v]), snMulMV(snTranspose(back), snVec(0, 1, 0)))));
}

// (WᵀW)⁻¹Wᵀ, [frames][targets], with W the weights: what a frame's changes count in each target.
static snStatus invertWeights(const snMotionMesh *m, double *shares, snArena *scratch,
                              snError *error)
{
    int frames = m->sequence->frameCount, count = m->targetCount;
    double *gram = SN_NEW(scratch, double, (size_t)count *(size_t)count);
    if (!gram) return snFailMemory(error);
    for (int f = 0; f < frames; f++) {
        const float *w = m->weights + (size_t)f * (size_t)m->components.count;
        for (int i = 0; i < count; i++)
            for (int k = i; k < count; k++)
                gram[i * count + k] += (double)w[i] * (double)w[k];
    }
    for (int i = 0; i < count; i++)
        gram[i * count + i] *= 1 + 1e-9;
    snStatus status = snDenseCholesky(count, gram, error);
    for (int f = 0; f < frames && !status; f++) {
        const float *w = m->weights + (size_t)f * (size_t)m->components.count;
        double *row = shares + (size_t)f * (size_t)count;
        for (int i = 0; i < count; i++)
            row[i] = (double)w[i];
        snDenseCholesky_Solve(count, gram, row);
    }
    return status;
}

typedef struct NormalTask {
    snMotionMesh *mesh;
    const double *shares; // [targets], of this frame
    const snVec3f *now;
} NormalTask;

static void addNormals(int begin, int end, int worker, void *context)
{
    (void)worker;
    const NormalTask *t = context;
    const snMotionMesh *m = t->mesh;
    size_t n = (size_t)m->vertexCount;
    for (int k = begin; k < end; k++) {
        float *plane = m->normals + (size_t)k * 3 * n, share = (float)t->shares[k];
        for (size_t v = 0; v < n; v++) {
            plane[v] += share * (t->now[v].x - m->restNormals[v].x);
            plane[n + v] += share * (t->now[v].y - m->restNormals[v].y);
            plane[2 * n + v] += share * (t->now[v].z - m->restNormals[v].z);
        }
    }
}

static snStatus fitNormals(snMotionMesh *m, snArena *arena, const snContext *context,
                           snError *error)
{
    size_t n = (size_t)m->vertexCount, count = (size_t)m->targetCount;
    int frames = m->sequence->frameCount;
    snArena scratch = snMakeArena(context);
    m->normals = SN_NEW(arena, float, 3 * n * count);
    double *shares = SN_NEW(&scratch, double, (size_t)frames *count);
    snVec3f *now = SN_NEW(&scratch, snVec3f, n);
    snStatus status = m->normals && shares && now ? SN_OK : snFailMemory(error);
    if (!status) status = invertWeights(m, shares, &scratch, error);
    for (int f = 0; f < frames && !status; f++) {
        findNormals(m, f, now);
        snParallelFor(&context->tasks, m->targetCount, 4, addNormals,
                      &(NormalTask){m, shares + (size_t)f * count, now});
    }
    snArena_Destroy(&scratch);
    return status;
}

// ---- all of it ----------------------------------------------------------------------------------------

// Weights and targets as they will be written: of the components that are needed.
static snStatus keepTargets(snMotionMesh *m, const snMotionDef *def, snArena *arena, snError *error)
{
    size_t frames = (size_t)m->sequence->frameCount, count = (size_t)m->targetCount;
    snStatus status = snWeightRanges_Make(&m->ranges, m->targetCount, arena, error);
    if (status) return status;
    for (size_t f = 0; f < frames; f++)
        snWeightRanges_Widen(&m->ranges, m->weights + f * (size_t)m->components.count);
    snWeightRanges_Close(&m->ranges, def->mostTargets == 1);
    size_t width = (size_t)snWeightRanges_Targets(&m->ranges);
    m->shares = SN_NEW(arena, float, frames *width);
    m->targets = SN_COPY(arena, float, m->components.rows, 3 * (size_t)m->vertexCount * count);
    if (!m->shares || !m->targets) return snFailMemory(error);
    for (size_t f = 0; f < frames; f++)
        snWeightRanges_Share(&m->ranges, m->weights + f * (size_t)m->components.count,
                             m->shares + f * width);
    if (!count) return SN_OK;
    status = snWeightRanges_Join(&m->ranges, m->targets, m->vertexCount, &m->lift, arena, error);
    if (status) return status;
    return snWeightRanges_Join(&m->ranges, m->normals, m->vertexCount, &m->liftNormal, arena,
                               error);
}

static snStatus compress(snMotionMesh *m, const snMotionDef *def, snArena *arena, snArena *scratch,
                         const snContext *context, snError *error)
{
    snStatus status = findComponents(m, def, scratch, context, error);
    if (status) return status;
    m->weights =
        SN_NEW(scratch, float, (size_t)m->sequence->frameCount *(size_t)m->components.count);
    if (!m->weights) return snFailMemory(error);
    status = chooseTargets(m, def, scratch, error);
    if (!status && m->targetCount) status = fitNormals(m, arena, context, error);
    return status ? status : keepTargets(m, def, arena, error);
}

snStatus snMotionMesh_Make(snMotionMesh *m, const snMotionDef *def, snArena *arena,
                           const snContext *context, snError *error)
{
    size_t frames = (size_t)m->sequence->frameCount;
    m->vertexCount = m->look->cornerCount ? m->look->cornerCount : m->mesh->vertexCount;
    m->triangles = m->look->triangles ? m->look->triangles : m->mesh->triangles;
    m->rest = SN_NEW(arena, snVec3f, m->vertexCount);
    m->restNormals = SN_NEW(arena, snVec3f, m->vertexCount);
    m->turn = SN_NEW(arena, snQuat, frames);
    m->place = SN_NEW(arena, snVec3, frames);
    if (!m->rest || !m->restNormals || !m->turn || !m->place) return snFailMemory(error);
    snStatus status = findRest(m, error);
    for (int f = 0; f < (int)frames && !status; f++)
        status = findWay(m, f, error);
    if (status) return status;
    findNormals(m, 0, m->restNormals);
    snArena scratch = snMakeArena(context);
    status = compress(m, def, arena, &scratch, context, error);
    m->weights = NULL;
    m->components = (snComponents){.count = 0};
    snArena_Destroy(&scratch);
    return status;
}

// ---- what only goes and turns ---------------------------------------------------------------------------

static void rigidNormals(const snMotionRigid *rigid, snVec3f *normals)
{
    for (int t = 0; t < rigid->triangleCount; t++) { // by area
        const int *c = rigid->triangles + 3 * (size_t)t;
        const snVec3 *x = rigid->points;
        snVec3 area = snTwiceArea(x[c[0]], x[c[1]], x[c[2]]);
        for (int k = 0; k < 3; k++)
            normals[c[k]] = snToF(snAdd(snFromF(normals[c[k]]), area));
    }
    for (int v = 0; v < rigid->vertexCount; v++)
        normals[v] = snToF(snNormalizeOr(snFromF(normals[v]), snVec(0, 1, 0)));
}

snStatus snMotionMesh_MakeRigid(snMotionMesh *m, const snMotionRigid *rigid, int frames,
                                snArena *arena, snError *error)
{
    snSequenceMesh *mesh = SN_NEW(arena, snSequenceMesh, 1);
    snMotionLook *look = SN_NEW(arena, snMotionLook, 1);
    *m = (snMotionMesh){.mesh = mesh,
                        .look = look,
                        .vertexCount = rigid->vertexCount,
                        .triangles = rigid->triangles};
    m->rest = SN_NEW(arena, snVec3f, rigid->vertexCount);
    m->restNormals = SN_NEW(arena, snVec3f, rigid->vertexCount);
    m->turn = SN_NEW(arena, snQuat, frames);
    m->place = SN_NEW(arena, snVec3, frames);
    if (!mesh || !look || !m->rest || !m->restNormals || !m->turn || !m->place)
        return snFailMemory(error);
    mesh->name = mesh->title = rigid->title;
    mesh->vertexCount = rigid->vertexCount;
    mesh->triangleCount = rigid->triangleCount;
    mesh->triangles = rigid->triangles;
    memcpy(look->color, rigid->color, sizeof look->color);
    for (int v = 0; v < rigid->vertexCount; v++)
        m->rest[v] = snToF(rigid->points[v]);
    rigidNormals(rigid, m->restNormals);
    for (int f = 0; f < frames; f++) {
        snQuat turn = snQuatFromMat(rigid->frames[f].linear);
        bool flips = f && snDotQ(turn, m->turn[f - 1]) < 0; // the short way
        m->turn[f] = flips ? (snQuat){-turn.x, -turn.y, -turn.z, -turn.w} : turn;
        m->place[f] = rigid->frames[f].origin;
    }
    return SN_OK;
}
