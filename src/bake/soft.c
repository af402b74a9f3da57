#include "bake/soft.h"

#include "core/error.h"
#include "core/tasks.h"
#include "numerics/dense.h"

#include <stdio.h>
#include <string.h>

snSoftDef snDefaultSoftDef(void)
{
    return (snSoftDef){.tolerance = 0.005, .mostTargets = 64};
}

// One mesh of the file on one node, over all frames of all clips. Vertices of its parts stand one
// after another.
typedef struct SoftMesh {
    int mesh, node; // file numbers
    int partCount, firstPart;
    int vertexCount;
    int firstVertex; // in the character
    int existing;    // morph targets that the file has
    int firstMorph;
    int primitiveCount;
    float *data;    // [frames][vertices * 3], corrections in bind space, then what is left of them
    float *stretch; // [frames][vertices], how much skinning enlarges a correction at most
    int targetCount;
    float *targets; // [targetCount][vertices * 3]
    float *weights; // [targetCount][frames]
} SoftMesh;

typedef struct Soft {
    const snBake *bake;
    const snSoftDef *def;
    const snContext *context;
    snArena arena;
    int frameCount; // of all clips together
    int meshCount;
    SoftMesh *meshes;
    snPose pose;
    double *morphs; // [frames * character morphs]: existing weights in every frame
} Soft;

// ---- which meshes -----------------------------------------------------------------------------------

static bool startsMesh(const Soft *s, int part)
{
    const snCharacter *c = s->bake->character;
    if (!s->bake->flesh->carried[part]) return false;
    for (int p = 0; p < part; p++) // a mesh on several nodes: its first node decides
        if (c->parts[p].mesh == c->parts[part].mesh) return false;
    return true;
}

static snStatus findMeshes(Soft *s, snError *error)
{
    const snCharacter *c = s->bake->character;
    int vertex = 0;
    s->meshes = SN_NEW(&s->arena, SoftMesh, c->partCount);
    if (!s->meshes) return snFailMemory(error);
    for (int p = 0; p < c->partCount; p++) {
        const snPart *part = &c->parts[p];
        if (startsMesh(s, p))
            s->meshes[s->meshCount++] = (SoftMesh){.mesh = part->mesh,
                                                   .node = c->skeleton.joints[part->node].fileNode,
                                                   .firstPart = p,
                                                   .firstVertex = vertex,
                                                   .existing = part->targetCount,
                                                   .firstMorph = part->firstMorph};
        SoftMesh *mesh = s->meshCount ? &s->meshes[s->meshCount - 1] : NULL;
        if (mesh && mesh->firstPart + mesh->partCount == p && part->mesh == mesh->mesh &&
            part->node == c->parts[mesh->firstPart].node) {
            mesh->partCount++;
            mesh->vertexCount += part->vertexCount;
            mesh->primitiveCount = part->primitivesOfMesh;
        }
        vertex += part->vertexCount;
    }
    return SN_OK;
}

// ---- corrections in bind space ------------------------------------------------------------------------

// d with M d = offset. Where blending has flattened M (a joint bent by 180°), the least squares
// answer with a small weight on |d|² keeps corrections from exploding.
static snVec3 undo(snMat3 m, snVec3 offset)
{
    double size = snNormSquaredM(m) / 3, det = snDet(m);
    if (fabs(det) > 0.05 * size * sqrt(size)) return snMulMV(snInverse3(m), offset);
    snMat3 normal = snMulTMM(m, m);
    double weight = 1e-3 * size + 1e-30;
    normal = snAddMM(normal, snDiagonal3(weight, weight, weight));
    return snMulMV(snInverse3(normal), snMulTMV(m, offset));
}

// An upper bound of the largest singular value: with S = MᵀM and m = tr S / 3, its largest
// eigenvalue is at most m + sqrt(2/3) |S - m 1|.
static double largestStretch(snMat3 m)
{
    snMat3 s = snMulTMM(m, m);
    double mean = snTrace(s) / 3;
    snMat3 rest = snAddMM(s, snDiagonal3(-mean, -mean, -mean));
    return sqrt(mean + sqrt(2.0 / 3.0 * snNormSquaredM(rest)));
}

typedef struct FrameTask {
    const Soft *soft;
    SoftMesh *mesh;
    const snPart *part;
    int partVertex;       // of the part's first vertex within the mesh
    int frame;            // among all frames
    const snVec3f *baked; // [part vertices]
    const snVec3f *rig;
} FrameTask;

static snMat3 skinMatrix(const Soft *s, const snPart *part, int vertex)
{
    if (part->skin < 0) return s->pose.global[part->node].linear;
    return snCharacter_SkinMatrix(s->bake->character, &s->pose, part, vertex).linear;
}

static void correctVertices(int begin, int end, int worker, void *context)
{
    (void)worker;
    FrameTask *t = context;
    size_t row = (size_t)t->frame * (size_t)t->mesh->vertexCount + (size_t)t->partVertex;
    for (int v = begin; v < end; v++) {
        snMat3 m = skinMatrix(t->soft, t->part, v);
        snVec3 d = undo(m, snSub(snFromF(t->baked[v]), snFromF(t->rig[v])));
        snVec3f f = snToF(d);
        memcpy(t->mesh->data + (row + (size_t)v) * 3, &f, sizeof f);
        t->mesh->stretch[row + (size_t)v] = (float)largestStretch(m);
    }
}

static void correctFrame(Soft *s, const snBakedClip *clip, int clipFrame, int frame,
                         const snVec3f *rig)
{
    const snCharacter *c = s->bake->character;
    for (int i = 0; i < s->meshCount; i++) {
        SoftMesh *mesh = &s->meshes[i];
        int within = 0;
        for (int p = mesh->firstPart; p < mesh->firstPart + mesh->partCount; p++) {
            int first = mesh->firstVertex + within;
            FrameTask task = {s,
                              mesh,
                              &c->parts[p],
                              within,
                              frame,
                              clip->positions + (size_t)clipFrame * (size_t)c->vertexCount + first,
                              rig + first};
            snParallelFor(&s->context->tasks, c->parts[p].vertexCount, 512, correctVertices, &task);
            within += c->parts[p].vertexCount;
        }
    }
}

static snStatus findCorrections(Soft *s, snError *error)
{
    const snCharacter *c = s->bake->character;
    snVec3f *rig = SN_NEW(&s->arena, snVec3f, c->vertexCount);
    if (!rig) return snFailMemory(error);
    int frame = 0;
    for (int i = 0; i < s->bake->clipCount; i++) {
        const snBakedClip *clip = &s->bake->clips[i];
        const snClip *source = &c->clips[clip->clip];
        for (int k = 0; k < clip->frameCount; k++, frame++) {
            double t = source->start + k * clip->frameTime;
            snCharacter_Pose(c, source, t, &s->pose);
            snCharacter_Surface(c, &s->pose, &s->context->tasks, rig, NULL);
            memcpy(s->morphs + (size_t)frame * (size_t)c->morphCount, s->pose.morphs,
                   (size_t)c->morphCount * sizeof(double));
            correctFrame(s, clip, k, frame, rig);
        }
    }
    return SN_OK;
}

// ---- principal components ------------------------------------------------------------------------------

typedef struct GramTask {
    const SoftMesh *mesh;
    int frames;
    double *gram;
} GramTask;

// Rows of the lower triangle of D Dᵀ, stored by columns.
static void gramRows(int begin, int end, int worker, void *context)
{
    (void)worker;
    GramTask *t = context;
    size_t n = (size_t)t->mesh->vertexCount * 3;
    for (int i = begin; i < end; i++)
        for (int j = 0; j <= i; j++) {
            const float *a = t->mesh->data + (size_t)i * n, *b = t->mesh->data + (size_t)j * n;
            double sum[4] = {0, 0, 0, 0};
            size_t k = 0;
            for (; k + 4 <= n; k += 4)
                for (size_t l = 0; l < 4; l++)
                    sum[l] += (double)a[k + l] * (double)b[k + l];
            for (; k < n; k++)
                sum[0] += (double)a[k] * (double)b[k];
            t->gram[(size_t)j * (size_t)t->frames + (size_t)i] =
                (sum[0] + sum[1]) + (sum[2] + sum[3]);
        }
}

// The largest correction left, in world units.
static double largestLeft(const SoftMesh *mesh, int frames)
{
    double worst = 0;
    size_t n = (size_t)mesh->vertexCount * (size_t)frames;
    for (size_t i = 0; i < n; i++) {
        double x = (double)mesh->data[3 * i], y = (double)mesh->data[3 * i + 1];
        double z = (double)mesh->data[3 * i + 2], s = (double)mesh->stretch[i];
        double square = (x * x + y * y + z * z) * s * s;
        if (square > worst) worst = square;
    }
    return sqrt(worst);
}

// Takes component u (one number per frame) out of the data as the next target: T = uᵀ D, then
// D -= u T. Targets are scaled so that their largest weight is 1.
static void takeTarget(SoftMesh *mesh, int frames, const double *u)
{
    size_t n = (size_t)mesh->vertexCount * 3;
    int k = mesh->targetCount++;
    float *target = mesh->targets + (size_t)k * n;
    double largest = 0;
    for (int f = 0; f < frames; f++)
        if (fabs(u[f]) > largest) largest = fabs(u[f]);
    if (!(largest > 0)) largest = 1;
    memset(target, 0, n * sizeof(float));
    for (int f = 0; f < frames; f++) {
        const float *row = mesh->data + (size_t)f * n;
        float w = (float)(u[f] * largest);
        for (size_t i = 0; i < n; i++)
            target[i] += w * row[i];
    }
    for (int f = 0; f < frames; f++) {
        float *row = mesh->data + (size_t)f * n;
        float w = (float)(u[f] / largest);
        mesh->weights[(size_t)k * (size_t)frames + (size_t)f] = w;
        for (size_t i = 0; i < n; i++)
            row[i] -= w * target[i];
    }
}

static snStatus compress(Soft *s, SoftMesh *mesh, double *error, snError *failure)
{
    int frames = s->frameCount, most = s->def->mostTargets < frames ? s->def->mostTargets : frames;
    size_t n = (size_t)mesh->vertexCount * 3, f = (size_t)frames;
    double height = s->bake->flesh->height, left = largestLeft(mesh, frames);
    double *gram = SN_NEW(&s->arena, double, f *f), *vectors = SN_NEW(&s->arena, double, f *f);
    double *values = SN_NEW(&s->arena, double, f), *work = SN_NEW(&s->arena, double, f);
    mesh->targets = SN_NEW(&s->arena, float, (size_t)most *n);
    mesh->weights = SN_NEW(&s->arena, float, f *(size_t)most);
    if (!gram || !vectors || !values || !work || !mesh->targets || !mesh->weights)
        return snFailMemory(failure);
    GramTask task = {mesh, frames, gram};
    snParallelFor(&s->context->tasks, frames, 1, gramRows, &task);
    snStatus status = snSymmetricEigen(frames, gram, values, vectors, work, failure);
    if (status) return status;
    while (left > s->def->tolerance * height && mesh->targetCount < most) {
        takeTarget(mesh, frames, vectors + (size_t)mesh->targetCount * f);
        left = largestLeft(mesh, frames);
    }
    if (left / height > *error) *error = left / height;
    return SN_OK;
}

// ---- writing ----------------------------------------------------------------------------------------------

typedef struct Writing {
    snSoftMesh *meshes;
    int *softOf; // [meshes] -> SoftMesh
    int count;
    snSoftClip *clips;
} Writing;

// Targets of each primitive of a mesh; primitives that are no triangles stay as they are.
static snStatus describeMesh(Soft *s, const SoftMesh *mesh, snSoftMesh *out, snError *error)
{
    const snCharacter *c = s->bake->character;
    int primitives = mesh->primitiveCount, within = 0;
    const snVec3f **positions =
        SN_NEW(&s->arena, const snVec3f *, (size_t)primitives *(size_t)mesh->targetCount);
    int *counts = SN_NEW(&s->arena, int, primitives);
    if (!positions || !counts) return snFailMemory(error);
    for (int p = mesh->firstPart; p < mesh->firstPart + mesh->partCount; p++) {
        const snPart *part = &c->parts[p];
        counts[part->primitive] = part->vertexCount;
        for (int k = 0; k < mesh->targetCount; k++) {
            const float *target =
                mesh->targets + ((size_t)k * (size_t)mesh->vertexCount + (size_t)within) * 3;
            positions[part->primitive * mesh->targetCount + k] =
                (const snVec3f *)(const void *)target;
        }
        within += part->vertexCount;
    }
    *out = (snSoftMesh){.mesh = mesh->mesh,
                        .node = mesh->node,
                        .primitiveCount = primitives,
                        .targetCount = mesh->targetCount,
                        .positions = positions,
                        .vertexCounts = counts};
    return SN_OK;
}

// All weights of one mesh in one clip: the file's own, then the soft ones.
static const float *clipWeights(Soft *s, const SoftMesh *mesh, int firstFrame, int frameCount)
{
    int width = mesh->existing + mesh->targetCount, morphs = s->bake->character->morphCount;
    float *out = SN_NEW(&s->arena, float, (size_t)frameCount *(size_t)width);
    for (int k = 0; out && k < frameCount; k++) {
        const double *own = s->morphs + (size_t)(firstFrame + k) * (size_t)morphs;
        const float *soft = mesh->weights + firstFrame + k;
        for (int i = 0; i < mesh->existing; i++)
            out[k * width + i] = (float)own[mesh->firstMorph + i];
        for (int i = 0; i < mesh->targetCount; i++)
            out[k * width + mesh->existing + i] = soft[(size_t)i * (size_t)s->frameCount];
    }
    return out;
}

static snStatus describeClip(Soft *s, const Writing *w, int index, int firstFrame, snError *error)
{
    const snBakedClip *clip = &s->bake->clips[index];
    const snClip *source = &s->bake->character->clips[clip->clip];
    size_t nameSize = strlen(source->name) + 32;
    char *name = SN_NEW(&s->arena, char, nameSize);
    float *times = SN_NEW(&s->arena, float, clip->frameCount);
    const float **weights = SN_NEW(&s->arena, const float *, w->count);
    if (!name || !times || !weights) return snFailMemory(error);
    if (*source->name)
        snprintf(name, nameSize, "%s.soft", source->name);
    else
        snprintf(name, nameSize, "clip%d.soft", clip->clip);
    for (int k = 0; k < clip->frameCount; k++)
        times[k] = (float)(source->start + k * clip->frameTime);
    for (int m = 0; m < w->count; m++) {
        weights[m] = clipWeights(s, &s->meshes[w->softOf[m]], firstFrame, clip->frameCount);
        if (!weights[m]) return snFailMemory(error);
    }
    w->clips[index] = (snSoftClip){.clip = clip->clip,
                                   .name = name,
                                   .frameCount = clip->frameCount,
                                   .times = times,
                                   .weights = weights};
    return SN_OK;
}

static snStatus describe(Soft *s, Writing *w, snError *error)
{
    snStatus status = SN_OK;
    int frame = 0;
    w->meshes = SN_NEW(&s->arena, snSoftMesh, s->meshCount);
    w->softOf = SN_NEW(&s->arena, int, s->meshCount);
    w->clips = SN_NEW(&s->arena, snSoftClip, s->bake->clipCount);
    if (!w->meshes || !w->softOf || !w->clips) return snFailMemory(error);
    for (int m = 0; m < s->meshCount && !status; m++) {
        if (s->meshes[m].targetCount == 0) continue; // the rig alone is within the tolerance
        w->softOf[w->count] = m;
        status = describeMesh(s, &s->meshes[m], &w->meshes[w->count++], error);
    }
    for (int i = 0; i < s->bake->clipCount && !status; i++) {
        status = describeClip(s, w, i, frame, error);
        frame += s->bake->clips[i].frameCount;
    }
    return status;
}

static snStatus allocMeshes(Soft *s, snError *error)
{
    const snCharacter *c = s->bake->character;
    for (int i = 0; i < s->bake->clipCount; i++)
        s->frameCount += s->bake->clips[i].frameCount;
    if (s->frameCount > SN_SOFT_FRAMES)
        return snFail(
            error, SN_ERROR_UNSUPPORTED,
            "%d frames are too many for one file of morph targets (%d are most): bake fewer "
            "clips with --clip, or a point cache (.pc2)",
            s->frameCount, SN_SOFT_FRAMES);
    size_t frames = (size_t)s->frameCount;
    s->morphs = SN_NEW(&s->arena, double, frames *(size_t)c->morphCount);
    if (!s->morphs) return snFailMemory(error);
    for (int i = 0; i < s->meshCount; i++) {
        SoftMesh *mesh = &s->meshes[i];
        mesh->data = SN_NEW(&s->arena, float, frames *(size_t)mesh->vertexCount * 3);
        mesh->stretch = SN_NEW(&s->arena, float, frames *(size_t)mesh->vertexCount);
        if (!mesh->data || !mesh->stretch) return snFailMemory(error);
    }
    return snPose_Make(&s->pose, &c->skeleton, c->morphCount, &s->arena, error);
}

snStatus snSoft_Write(const snBake *bake, const snSoftDef *def, const snGltfSource *original,
                      snBytes *out, snSoftReport *report, const snContext *context, snError *error)
{
    Soft s = {.bake = bake, .def = def, .context = context, .arena = snMakeArena(context)};
    Writing writing = {0};
    *report = (snSoftReport){0};
    snStatus status = findMeshes(&s, error);
    if (!status) status = allocMeshes(&s, error);
    if (!status) status = findCorrections(&s, error);
    for (int i = 0; i < s.meshCount && !status; i++) {
        status = compress(&s, &s.meshes[i], &report->error, error);
        report->targetCount += s.meshes[i].targetCount;
    }
    report->meshCount = s.meshCount;
    if (!status) status = describe(&s, &writing, error);
    if (!status)
        status = snGltf_AddSoft(original, writing.meshes, writing.count, writing.clips,
                                bake->clipCount, out, context, error);
    snArena_Destroy(&s.arena);
    return status;
}
