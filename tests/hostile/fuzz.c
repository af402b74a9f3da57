// A libFuzzer target for one format, FUZZ_FORMAT: what is read must be sound, what is not must say why.
// Half of the mutations are libFuzzer's own, half those of mutate.h.
#include "asset/bvh.h"
#include "asset/gltf.h"
#include "asset/obj.h"
#include "asset/pc2.h"
#include "body/lattice/rig_file.h"
#include "cli/sidecar.h"
#include "cli/skeleton_file.h"
#include "demo.h"
#include "tests/hostile/fuzz_layered.h"
#include "tests/hostile/fuzz_scene.h"
#include "tests/hostile/mutate.h"
#include "tests/hostile/sound.h"
#include "tests/hostile/stopped.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerInitialize(int *count, char ***words);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t most, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *bytes, size_t size, size_t most);

static void insist(snStatus status, const snError *error)
{
    if (!status) return;
    fprintf(stderr, "not sound: %s\n", error->message);
    abort();
}

// The surface at a few times of every clip.
static void poseCharacter(const snCharacter *character, const snContext *context)
{
    snArena arena = snMakeArena(context);
    snPose pose;
    snError error = {0};
    insist(snPose_Make(&pose, &character->skeleton, character->morphCount, &arena, &error), &error);
    snVec3f *points = SN_NEW(&arena, snVec3f, character->vertexCount);
    for (int c = 0; c < character->clipCount && c < 4; c++)
        for (int k = 0; k < 3; k++) {
            const snClip *clip = &character->clips[c];
            snCharacter_Pose(character, clip, clip->start + 0.5 * k * clip->duration, &pose);
            snCharacter_Surface(character, &pose, &context->tasks, points, NULL);
        }
    snArena_Destroy(&arena);
}

static snStatus readCharacter(snCharacter *character, const uint8_t *bytes, size_t size,
                              const snContext *context, snError *error)
{
    snGltfSource source = {.bytes = bytes, .size = size};
    if (FUZZ_FORMAT == SN_FORMAT_OBJ) return snObj_Read(character, bytes, size, context, error);
    if (FUZZ_FORMAT == SN_FORMAT_BVH) return snBvh_Read(character, bytes, size, context, error);
    return snGltf_Read(character, &source, context, error);
}

static snStatus tryCharacter(const uint8_t *bytes, size_t size, const snContext *context,
                             snError *error)
{
    snCharacter character;
    snStatus status = readCharacter(&character, bytes, size, context, error);
    if (status) return status;
    insist(snCheckCharacter(&character, error), error);
    if (character.vertexCount < 100000 && character.skeleton.jointCount < 10000)
        poseCharacter(&character, context);
    snCharacter_Destroy(&character);
    return SN_OK;
}

static snStatus tryCache(const uint8_t *bytes, size_t size, const snContext *context,
                         snError *error)
{
    snPc2Header header;
    snStatus status = snPc2_Open(&header, bytes, size, error);
    if (status) return status;
    snArena arena = snMakeArena(context);
    snVec3f *points = SN_NEW(&arena, snVec3f, header.sampleCount ? header.pointCount : 0);
    for (int s = 0; s < header.sampleCount && s < 1000; s++)
        snPc2_Sample(&header, bytes, s, points);
    snArena_Destroy(&arena);
    return SN_OK;
}

static snStatus tryRig(const uint8_t *bytes, size_t size, const snContext *context, snError *error)
{
    snCharacter beast = {.arena = snMakeArena(context)};
    snFleshDef base = snDefaultFleshDef();
    snRigFile file;
    insist(snDemo_MakeSkeleton(&beast, error), error);
    snStatus status =
        snRigFile_Read(&file, (const char *)bytes, size, &beast.skeleton, &base, context, error);
    if (!status) snRigFile_Destroy(&file);
    snCharacter_Destroy(&beast);
    return status;
}

static snStatus trySkeleton(const uint8_t *bytes, size_t size, const snContext *context,
                            snError *error)
{
    static snCorpus corpus; // a target is one process with one thread; these stay to its end
    static snCharacter beam;
    static snArena solids;
    static snSolid solid;
    if (!corpus.count) {
        insist(snCorpus_Make(&corpus, context, error), error);
        const snBytes *obj = &corpus.seeds[SN_SEED_BEAM].bytes;
        insist(snObj_Read(&beam, obj->data, obj->size, context, error), error);
        solids = snMakeArena(context);
        insist(snSolid_FromCharacter(&solid, &beam, &solids, error), error);
    }
    snRigPlan plan = snMakeRigPlan(context);
    snArena arena = snMakeArena(context);
    snSkeleton skeleton;
    snStatus status = snSkeletonFile_Read(&plan, (const char *)bytes, size, &solid, error);
    if (!status) status = snRigPlan_Skeleton(&skeleton, &plan, NULL, &arena, error);
    snArena_Destroy(&arena);
    snRigPlan_Destroy(&plan);
    return status;
}

static snStatus trySidecar(const uint8_t *bytes, size_t size, const snContext *context,
                           snError *error)
{
    snSidecar sidecar;
    snStatus status = snSidecar_Read(&sidecar, (const char *)bytes, size, context, error);
    if (!status) snSidecar_Destroy(&sidecar);
    return status ? status : tryRig(bytes, size, context, error);
}

static snStopped stopped;

// Making the bake takes longer than any input may.
int LLVMFuzzerInitialize(int *count, char ***words)
{
    static snContext own;
    static snCorpus corpus;
    snError error = {0};
    (void)count;
    (void)words;
    if (FUZZ_FORMAT != SN_FORMAT_CHECKPOINT) return 0;
    own = snDefaultContext();
    insist(snCorpus_Make(&corpus, &own, &error), &error);
    insist(snStopped_Make(&stopped, &corpus.seeds[SN_SEED_BEAST].bytes, &own, &error), &error);
    return 0;
}

static snStatus tryCheckpoint(const uint8_t *bytes, size_t size, snError *error)
{
    bool done;
    insist(snStopped_Try(&stopped, bytes, size, &done, error), error);
    return SN_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    snContext context = snDefaultContext();
    snError error = {0};
    snStatus status;
    if (FUZZ_FORMAT == SN_FORMAT_PC2)
        status = tryCache(bytes, size, &context, &error);
    else if (FUZZ_FORMAT == SN_FORMAT_RIG)
        status = tryRig(bytes, size, &context, &error);
    else if (FUZZ_FORMAT == SN_FORMAT_SIDECAR)
        status = trySidecar(bytes, size, &context, &error);
    else if (FUZZ_FORMAT == SN_FORMAT_CHECKPOINT)
        status = tryCheckpoint(bytes, size, &error);
    else if (FUZZ_FORMAT == SN_FORMAT_SCENE)
        status = snFuzz_Scene(bytes, size, &context, &error);
    else if (FUZZ_FORMAT == SN_FORMAT_CHARACTER || FUZZ_FORMAT == SN_FORMAT_SCRIPT)
        insist(snFuzz_Layered(FUZZ_FORMAT, bytes, size, &context, &status, &error), &error);
    else if (FUZZ_FORMAT == SN_FORMAT_SKELETON)
        status = trySkeleton(bytes, size, &context, &error);
    else
        status = tryCharacter(bytes, size, &context, &error);
    if (status && (error.code != status || !error.message[0])) {
        fprintf(stderr, "it failed without a word\n");
        abort();
    }
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t most, unsigned seed)
{
    snContext context = snDefaultContext();
    snRandom random = snMakeRandom(seed);
    if (snChance(&random, 2) || size == 0) return LLVMFuzzerMutate(bytes, size, most);
    snBytes out = snMakeBytes(&context);
    snMutate(&out, FUZZ_FORMAT, bytes, size, &random);
    size_t used = out.size < most ? out.size : most;
    if (used) memcpy(bytes, out.data, used);
    snBytes_Destroy(&out);
    return used;
}
