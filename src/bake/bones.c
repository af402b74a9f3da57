#include "bake/bones_parts.h"

#include "core/error.h"

#include <string.h>

#define MOST_SAMPLES 96 // frames that bones are made for; their motion is then found in all
#define ROUNDS 6        // over all bones, in each frame

snBonesDef snDefaultBonesDef(void)
{
    return (snBonesDef){.boneCount = 16, .tolerance = 0.005};
}

// A mesh that hangs on several skins has one list of influences for all of them.
static bool canFollow(const snCharacter *c, const snPart *part)
{
    if (part->skin < 0 || part->influences == 0) return false;
    for (int p = 0; p < c->partCount; p++)
        if (c->parts[p].mesh == part->mesh && c->parts[p].skin != part->skin) return false;
    return true;
}

static snStatus listVertices(snBonesWork *w, snError *error)
{
    const snCharacter *c = w->soft.bake->character;
    w->vertices = SN_NEW(&w->soft.arena, snBoneVertex, c->vertexCount);
    if (!w->vertices) return snFailMemory(error);
    for (int m = 0; m < w->soft.meshCount; m++) {
        const snSoftMeshWork *mesh = &w->soft.meshes[m];
        int first = 0;
        for (int p = mesh->firstPart; p < mesh->firstPart + mesh->partCount; p++) {
            const snPart *part = &c->parts[p];
            for (int k = 0; k < part->vertexCount && canFollow(c, part); k++) {
                snBoneVertex vertex = {.part = p, .number = k, .mesh = m, .inMesh = first + k};
                for (int i = 0; i < part->influences; i++)
                    vertex.own += part->weights[k * part->influences + i] > 0;
                vertex.limit = part->influences > 4 ? SN_BONE_SLOTS : 4;
                w->vertices[w->vertexCount++] = vertex;
            }
            first += part->vertexCount;
        }
    }
    return SN_OK;
}

// Evenly over all frames.
static snStatus listSamples(snBonesWork *w, snError *error)
{
    const snSoftWork *soft = &w->soft;
    int total = soft->frameCount, frame = 0;
    size_t joints = (size_t)soft->bake->character->skeleton.jointCount;
    w->sampleCount = total < MOST_SAMPLES ? total : MOST_SAMPLES;
    size_t count = (size_t)w->sampleCount, bones = (size_t)w->def->boneCount;
    w->samples = SN_NEW(&w->soft.arena, snSoftSample, count);
    w->left = SN_NEW(&w->soft.arena, snVec3f, count * (size_t)w->vertexCount);
    w->moves = SN_NEW(&w->soft.arena, snAffine, count * bones);
    w->space = SN_NEW(&w->soft.arena, snAffine, count * joints);
    w->bones = SN_NEW(&w->soft.arena, snJiggle, bones);
    if (!w->samples || !w->left || !w->moves || !w->space || !w->bones) return snFailMemory(error);
    int next = 0;
    for (int i = 0; i < soft->bake->clipCount; i++)
        for (int k = 0; k < soft->bake->clips[i].frameCount; k++, frame++)
            if (next < w->sampleCount && frame == (int)((int64_t)next * total / w->sampleCount))
                w->samples[next++] = (snSoftSample){.clip = i, .frame = k};
    return SN_OK;
}

static void readSample(snBonesWork *w, snSoftSample at, snVec3f *left)
{
    snSoft_SetSample(&w->soft, at);
    for (int v = 0; v < w->vertexCount; v++) {
        const snBoneVertex *vertex = &w->vertices[v];
        left[v] = snToF(snSoft_Offset(&w->soft.meshes[vertex->mesh], vertex->inMesh));
    }
}

static void readSamples(snBonesWork *w)
{
    size_t joints = (size_t)w->soft.bake->character->skeleton.jointCount;
    for (size_t s = 0; s < (size_t)w->sampleCount; s++) {
        readSample(w, w->samples[s], w->left + s * (size_t)w->vertexCount);
        memcpy(w->space + s * joints, w->soft.pose.global, joints * sizeof(snAffine));
    }
}

// ---- all frames -------------------------------------------------------------------------------------

// Position and rotation of the bone's node below its parent: L q = R (q - c) + c'.
static snTransform keyOf(const snJiggle *bone, const snAffine *move, const snTransform *before)
{
    snQuat q = snQuatFromMat(move->linear);
    if (before && snDotQ(q, before->rotation) < 0) q = (snQuat){-q.x, -q.y, -q.z, -q.w};
    return (snTransform){snMulAP(*move, bone->center), q, {1, 1, 1}};
}

static snAffine moveOf(const snJiggle *bone, const snTransform *key)
{
    snMat3 r = snQuatToMat(key->rotation);
    return (snAffine){r, snSub(key->translation, snMulMV(r, bone->center))};
}

static void measure(snBonesWork *w, const snVec3f *left, bool offsets)
{
    for (int v = 0; v < w->vertexCount; v++) {
        double square = snLengthSquared(snFromF(left[v]));
        if (offsets)
            w->offsets += square;
        else {
            w->squares += square;
            w->count++;
            if (square > w->error) w->error = square;
        }
    }
    // What cannot follow misses all of it.
    for (int m = 0; m < w->soft.meshCount && !offsets; m++) {
        const snSoftMeshWork *mesh = &w->soft.meshes[m];
        int first = 0;
        for (int p = mesh->firstPart; p < mesh->firstPart + mesh->partCount; p++) {
            const snPart *part = &w->soft.bake->character->parts[p];
            for (int k = 0; k < part->vertexCount && !canFollow(w->soft.bake->character, part); k++)
                w->error = fmax(w->error, snLengthSquared(snSoft_Offset(mesh, first + k)));
            first += part->vertexCount;
        }
    }
}

static void solveFrame(snBonesWork *w, snSoftSample at, snVec3f *left, snAffine *moves)
{
    int frame = w->soft.firstFrame[at.clip] + at.frame;
    snTransform *keys = w->keys + (size_t)frame * (size_t)w->boneCount;
    readSample(w, at, left);
    measure(w, left, true);
    snBones_SolveFrame(w, w->soft.pose.global, left, moves, ROUNDS);
    for (int b = 0; b < w->boneCount; b++)
        keys[b] = keyOf(&w->bones[b], &moves[b], at.frame ? &keys[b - w->boneCount] : NULL);
}

// As a player shows it: frames, and middles with motions between those of the frames.
static void showSample(snBonesWork *w, snSoftSample at, snVec3f *left)
{
    int frame = w->soft.firstFrame[at.clip] + at.frame;
    const snTransform *keys = w->keys + (size_t)frame * (size_t)w->boneCount;
    readSample(w, at, left);
    for (int b = 0; b < w->boneCount; b++) {
        snTransform key = keys[b];
        if (at.middle) {
            const snTransform *next = &keys[b + w->boneCount];
            key.translation = snLerp(key.translation, next->translation, 0.5);
            key.rotation = snSlerp(key.rotation, next->rotation, 0.5);
        }
        snAffine move = moveOf(&w->bones[b], &key);
        snBones_Apply(w, b, w->soft.pose.global, &move, -1, left);
    }
    measure(w, left, false);
}

static snStatus solveFrames(snBonesWork *w, snError *error)
{
    snVec3f *left = SN_NEW(&w->soft.arena, snVec3f, w->vertexCount);
    snAffine *moves = SN_NEW(&w->soft.arena, snAffine, w->boneCount);
    w->keys =
        SN_NEW(&w->soft.arena, snTransform, (size_t)w->soft.frameCount * (size_t)w->boneCount);
    if (!left || !moves || !w->keys) return snFailMemory(error);
    for (int i = 0; i < w->soft.bake->clipCount; i++) {
        const snBakedClip *clip = &w->soft.bake->clips[i];
        for (int b = 0; b < w->boneCount; b++)
            moves[b] = snIdentityAffine();
        for (int k = 0; k < clip->frameCount; k++)
            solveFrame(w, (snSoftSample){i, k, false}, left, moves);
        for (int k = 0; k < clip->frameCount; k++) {
            showSample(w, (snSoftSample){i, k, false}, left);
            if (clip->hasMiddles && k + 1 < clip->frameCount)
                showSample(w, (snSoftSample){i, k, true}, left);
        }
    }
    return SN_OK;
}

static void report(const snBonesWork *w, snBonesReport *out)
{
    double height = w->soft.bake->flesh->height;
    double frames = (double)w->soft.frameCount * (double)w->vertexCount;
    out->boneCount = w->boneCount;
    out->error = sqrt(w->error) / height;
    if (w->count) out->meanError = sqrt(w->squares / (double)w->count) / height;
    if (frames > 0) out->meanOffset = sqrt(w->offsets / frames) / height;
}

snStatus snBones_Write(const snBake *bake, const snBonesDef *def, const snGltfSource *original,
                       snBytes *out, snBonesReport *told, const snContext *context, snError *error)
{
    snBonesWork w = {.def = def, .soft = {.bake = bake, .context = context}};
    w.soft.arena = snMakeArena(context);
    *told = (snBonesReport){0};
    snStatus status = SN_OK;
    if (def->boneCount < 1 || def->boneCount > SN_MOST_BONES)
        status = snFail(error, SN_ERROR_ARGUMENT, "%d bones; 1 to %d are possible", def->boneCount,
                        SN_MOST_BONES);
    if (!status) status = snSoft_Begin(&w.soft, error);
    if (!status) status = listVertices(&w, error);
    if (!status) status = listSamples(&w, error);
    if (!status) readSamples(&w);
    if (!status) status = snBones_Fit(&w, error);
    if (!status) status = solveFrames(&w, error);
    if (!status) report(&w, told);
    if (!status) status = snBones_Describe(&w, original, out, error);
    snArena_Destroy(&w.soft.arena);
    return status;
}
