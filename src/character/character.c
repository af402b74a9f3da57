#include "character/character.h"

#include "character/skinning.h"
#include "core/error.h"
#include "core/tasks.h"
#include "core/text.h"

#include <limits.h>
#include <string.h>

void snCharacter_Destroy(snCharacter *character)
{
    snArena arena = character->arena;
    if (arena.allocator.release) snArena_Destroy(&arena);
    *character = (snCharacter){.arena = arena};
}

void snCharacter_Pose(const snCharacter *character, const snClip *clip, double t, snPose *pose)
{
    snPose_SetRest(pose, &character->skeleton);
    for (int m = 0; m < character->morphCount; m++)
        pose->morphs[m] = character->restMorphs[m];
    if (clip) snClip_Sample(clip, t, pose);
    snPose_Globals(pose, &character->skeleton);
}

// A whole number without sign that is below `limit`, or -1.
static int parseNumber(const char *text, int limit)
{
    int number = 0;
    if (!*text) return -1;
    for (const char *c = text; *c; c++) {
        if (*c < '0' || *c > '9' || number >= limit) return -1;
        number = number > limit / 10 ? limit : 10 * number + (*c - '0');
    }
    return number < limit ? number : -1;
}

// "gallop" for "AnimalArmature|Gallop": the only clip that is called so, capitals and the name of
// the armature aside.
static int findLoosely(const snCharacter *character, const char *name)
{
    int found = -1;
    for (int c = 0; c < character->clipCount; c++) {
        const char *whole = character->clips[c].name, *last = strrchr(whole, '|');
        if (!snSameLetters(whole, name) && !(last && snSameLetters(last + 1, name))) continue;
        if (found >= 0) return -1;
        found = c;
    }
    return found;
}

int snCharacter_FindClip(const snCharacter *character, const char *nameOrNumber)
{
    if (!nameOrNumber) return -1;
    // Names first: a clip that is called "1" is found by its name.
    for (int c = 0; c < character->clipCount; c++)
        if (strcmp(character->clips[c].name, nameOrNumber) == 0) return c;
    int number = parseNumber(nameOrNumber, character->clipCount);
    return number >= 0 ? number : findLoosely(character, nameOrNumber);
}

static snAffine jointMove(const snSkin *skin, const snPose *pose, int joint)
{
    return snMulAA(pose->global[skin->joints[joint]], skin->inverseBind[joint]);
}

// M = Σ_i w_i G_i B_i, with G the joint's global transform and B its inverse bind matrix. The
// transform of the node that carries the part has no say in it (glTF 2.0, section 3.7.3.3).
// `moves` has G B of all joints of the skin; without it they are made as they are needed.
static snAffine skinMatrix(const snSkin *skin, const snPose *pose, const snAffine *moves,
                           const snPart *part, int vertex)
{
    size_t first = (size_t)vertex * (size_t)part->influences;
    snAffine m = {{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, {0, 0, 0}};
    for (size_t i = first; i < first + (size_t)part->influences; i++) {
        double w = (double)part->weights[i];
        if (w == 0.0) continue;
        int j = part->joints[i];
        snAffine move = moves ? moves[j] : jointMove(skin, pose, j);
        m.linear = snAddMM(m.linear, snScaleM(w, move.linear));
        m.origin = snMulAdd(m.origin, w, move.origin);
    }
    return m;
}

snAffine snCharacter_SkinMatrix(const snCharacter *character, const snPose *pose,
                                const snPart *part, int vertex)
{
    SN_ASSERT(snPart_IsSkinned(part) && vertex >= 0 && vertex < part->vertexCount);
    return skinMatrix(&character->skins[part->skin], pose, NULL, part, vertex);
}

// By the greater part of its vertices: of some hundred, evenly taken.
bool snCharacter_IsMirrored(const snCharacter *character, const snPose *pose, const snPart *part)
{
    if (!snPart_IsSkinned(part)) return snDet(pose->global[part->node].linear) < 0.0;
    int stride = 1 + part->vertexCount / 256, balance = 0;
    for (int v = 0; v < part->vertexCount; v += stride)
        balance += snDet(snCharacter_SkinMatrix(character, pose, part, v).linear) < 0.0 ? 1 : -1;
    return balance > 0;
}

typedef struct SurfaceJob {
    const snCharacter *character;
    const snPose *pose;
    const snPart *part;
    float *positions; // of this part
    size_t stride;    // floats from one to the next
    snVec3f *normals; // of this part, or NULL
} SurfaceJob;

static snVec3 morphedPosition(const SurfaceJob *job, int v)
{
    const snPart *part = job->part;
    snVec3 p = snFromF(part->positions[v]);
    for (int k = 0; k < part->targetCount; k++) {
        double w = job->pose->morphs[part->firstMorph + k];
        if (w != 0.0) p = snMulAdd(p, w, snFromF(part->targets[k][v]));
    }
    return p;
}

static snVec3 morphedNormal(const SurfaceJob *job, int v)
{
    const snPart *part = job->part;
    snVec3 n = snFromF(part->normals[v]);
    for (int k = 0; k < part->targetCount; k++) {
        if (!part->targetNormals || !part->targetNormals[k]) continue;
        double w = job->pose->morphs[part->firstMorph + k];
        if (w != 0.0) n = snMulAdd(n, w, snFromF(part->targetNormals[k][v]));
    }
    return n;
}

// Moves of joints are made once for a piece, where they are few enough.
#define MOST_MOVES 256

static bool isFiniteA(const snAffine *m)
{
    return snIsFinite3(m->linear.cx) && snIsFinite3(m->linear.cy) && snIsFinite3(m->linear.cz) &&
           snIsFinite3(m->origin);
}

static void layMove(const snAffine *m, double *move)
{
    const snVec3 columns[4] = {m->linear.cx, m->linear.cy, m->linear.cz, m->origin};
    for (int k = 0; k < 4; k++) {
        move[4 * k] = columns[k].x;
        move[4 * k + 1] = columns[k].y;
        move[4 * k + 2] = columns[k].z;
        move[4 * k + 3] = 0;
    }
}

// Positions of plain skins, all at once; false: they are not.
static bool skinPiece(const SurfaceJob *job, const snSkin *skin, const snAffine *moves, int begin,
                      int end)
{
    const snPart *part = job->part;
    double laid[MOST_MOVES * SN_SKIN_MOVE];
    if (job->normals || part->targetCount > 0) return false;
    for (int j = 0; j < skin->jointCount; j++) {
        if (!isFiniteA(&moves[j])) return false;
        layMove(&moves[j], laid + j * SN_SKIN_MOVE);
    }
    snSkinPass pass = {.moves = laid,
                       .joints = part->joints,
                       .weights = part->weights,
                       .influences = part->influences,
                       .positions = part->positions,
                       .out = job->positions,
                       .stride = job->stride};
    snSkin_Choose()(&pass, begin, end);
    return true;
}

static void surfacePiece(int begin, int end, int worker, void *context)
{
    (void)worker;
    const SurfaceJob *job = context;
    const snPart *part = job->part;
    const snSkin *skin = snPart_IsSkinned(part) ? &job->character->skins[part->skin] : NULL;
    snAffine m = skin ? snIdentityAffine() : job->pose->global[part->node], moves[MOST_MOVES];
    bool few = skin && skin->jointCount <= MOST_MOVES;
    for (int j = 0; few && j < skin->jointCount; j++)
        moves[j] = jointMove(skin, job->pose, j);
    if (few && skinPiece(job, skin, moves, begin, end)) return;
    for (int v = begin; v < end; v++) {
        if (skin) m = skinMatrix(skin, job->pose, few ? moves : NULL, part, v);
        snVec3f p = snToF(snMulAP(m, morphedPosition(job, v)));
        memcpy(job->positions + (size_t)v * job->stride, &p, sizeof p);
        if (!job->normals) continue;
        job->normals[v] = part->normals ? snToF(snMoveNormal(m.linear, morphedNormal(job, v)))
                                        : (snVec3f){0, 0, 0};
    }
}

static void findSurface(const snCharacter *character, const snPose *pose, const snTasks *tasks,
                        SurfaceJob job)
{
    // Some 10 to 100 µs of work, so that a thread's start is paid off; in one piece where there is but one.
    const int grain = tasks->run ? 512 : INT_MAX;
    job.character = character;
    job.pose = pose;
    for (int p = 0; p < character->partCount; p++) {
        job.part = &character->parts[p];
        snParallelFor(tasks, job.part->vertexCount, grain, surfacePiece, &job);
        job.positions += (size_t)job.part->vertexCount * job.stride;
        if (job.normals) job.normals += job.part->vertexCount;
    }
}

void snCharacter_Surface(const snCharacter *character, const snPose *pose, const snTasks *tasks,
                         snVec3f *positions, snVec3f *normals)
{
    findSurface(
        character, pose, tasks,
        (SurfaceJob){.positions = (float *)(void *)positions, .stride = 3, .normals = normals});
}

// A part as rows by kernels of single precision; false: it is no plain skin.
static bool skinRows(const snCharacter *character, const snPose *pose, const snPart *part,
                     float *rows)
{
    float laid[MOST_MOVES * SN_SKIN_MOVE];
    double move[SN_SKIN_MOVE];
    if (!snPart_IsSkinned(part) || part->targetCount > 0) return false;
    const snSkin *skin = &character->skins[part->skin];
    if (skin->jointCount > MOST_MOVES) return false;
    for (int j = 0; j < skin->jointCount; j++) {
        snAffine m = jointMove(skin, pose, j);
        if (!isFiniteA(&m)) return false;
        layMove(&m, move);
        for (int k = 0; k < SN_SKIN_MOVE; k++)
            laid[j * SN_SKIN_MOVE + k] = (float)move[k];
    }
    snSkinRows pass = {laid, part->joints, part->weights, part->influences, part->positions, rows};
    snSkinRows_Choose()(&pass, 0, part->vertexCount);
    return true;
}

void snCharacter_SurfaceRows(const snCharacter *character, const snPose *pose, float *rows)
{
    const snTasks serial = {.workers = 1};
    for (int p = 0; p < character->partCount; p++) {
        const snPart *part = &character->parts[p];
        SurfaceJob job = {character, pose, part, rows, 4, NULL};
        if (!skinRows(character, pose, part, rows))
            snParallelFor(&serial, part->vertexCount, INT_MAX, surfacePiece, &job);
        rows += 4 * (size_t)part->vertexCount;
    }
}

void snCharacter_PartSurface(const snCharacter *character, const snPose *pose, const snPart *part,
                             const snTasks *tasks, snVec3f *positions)
{
    SurfaceJob job = {character, pose, part, (float *)(void *)positions, 3, NULL};
    snParallelFor(tasks, part->vertexCount, 512, surfacePiece, &job);
}

snVec3 snCharacter_SurfacePoint(const snCharacter *character, const snPose *pose,
                                const snPart *part, int vertex)
{
    SurfaceJob job = {.character = character, .pose = pose, .part = part};
    snAffine m = snPart_IsSkinned(part) ? snCharacter_SkinMatrix(character, pose, part, vertex)
                                        : pose->global[part->node];
    return snMulAP(m, morphedPosition(&job, vertex));
}

bool snCharacter_HasSkin(const snCharacter *character)
{
    for (int p = 0; p < character->partCount; p++)
        if (character->parts[p].skin >= 0 && !character->parts[p].prop) return true;
    return false;
}

// Marks the joints that a clip moves, and all below them.
static void markMoved(const snCharacter *c, unsigned char *moved)
{
    for (int i = 0; i < c->clipCount; i++)
        for (int k = 0; k < c->clips[i].channelCount; k++)
            if (c->clips[i].channels[k].path != SN_PATH_MORPHS)
                moved[c->clips[i].channels[k].joint] = 1;
    for (int j = 0; j < c->skeleton.jointCount; j++) // parents come first
        if (c->skeleton.joints[j].parent >= 0) moved[j] |= moved[c->skeleton.joints[j].parent];
}

snStatus snCharacter_FindBody(const snCharacter *character, unsigned char *isBody, snArena *scratch,
                              snError *error)
{
    unsigned char *moved = SN_NEW(scratch, unsigned char, character->skeleton.jointCount);
    bool hasSkin = snCharacter_HasSkin(character), any = false;
    if (!moved) return snFailMemory(error);
    markMoved(character, moved);
    for (int p = 0; p < character->partCount; p++) {
        const snPart *part = &character->parts[p];
        isBody[p] = !part->prop && (hasSkin ? part->skin >= 0 : moved[part->node]);
        any |= isBody[p];
    }
    for (int p = 0; p < character->partCount && !any; p++)
        isBody[p] = !character->parts[p].prop;
    return SN_OK;
}

snStatus snCharacter_IsMoved(const snCharacter *character, bool *moves, snArena *scratch,
                             snError *error)
{
    unsigned char *moved = SN_NEW(scratch, unsigned char, character->skeleton.jointCount);
    if (!moved) return snFailMemory(error);
    markMoved(character, moved);
    *moves = false;
    for (int p = 0; p < character->partCount; p++) {
        const snPart *part = &character->parts[p];
        if (part->prop) continue;
        *moves |= moved[part->node] && part->skin < 0;
        for (int k = 0; part->skin >= 0 && k < character->skins[part->skin].jointCount; k++)
            *moves |= moved[character->skins[part->skin].joints[k]] != 0;
    }
    return SN_OK;
}
