#include "cli/bind.h"

#include "cli/skeleton_file.h"
#include "cli/unpack.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LARGEST_SKELETON ((size_t)64 << 20) // bytes

// ---- options ----

static int takeOffset(snBindOptions *options, const snOptionReader *reader)
{
    double v[3];
    const char *at = reader->value;
    for (int i = 0; i < 3; i++) {
        char *end;
        v[i] = strtod(at, &end);
        if (end == at || !isfinite(v[i]) || *end != (i < 2 ? ',' : 0)) {
            snCli_Usage(reader->command, "--%s is \"%s\"; it must be three numbers, like 0,1.5,0",
                        reader->name, reader->value);
            return -1;
        }
        at = end + 1;
    }
    options->borrow.hasOffset = true;
    options->borrow.offset = snVec(v[0], v[1], v[2]);
    return 1;
}

int snBindOptions_Take(snBindOptions *options, const snOptionReader *reader)
{
    if (!strcmp(reader->name, "skeleton")) {
        options->skeleton = reader->value;
        return 1;
    }
    if (!strcmp(reader->name, "skeleton-scale"))
        return snOptionReader_Number(reader, 1e-9, 1e9, NULL, &options->borrow.scale) ? 1 : -1;
    if (!strcmp(reader->name, "skeleton-turn"))
        return snOptionReader_Number(reader, -360, 360, NULL, &options->borrow.turn) ? 1 : -1;
    if (!strcmp(reader->name, "skeleton-offset")) return takeOffset(options, reader);
    return 0;
}

bool snBindOptions_IsPlan(const snBindOptions *options)
{
    return options->skeleton && snPath_HasExtension(options->skeleton, ".json");
}

// ---- skeletons ----

snStatus snReadPlan(snRigPlan *plan, const char *path, const snSolid *solid, const snCli *cli,
                    snError *error)
{
    snFileContent file;
    snStatus status = snFile_Read(&cli->context, path, LARGEST_SKELETON, &file, error);
    if (status) return status;
    status = snSkeletonFile_Read(plan, (const char *)file.bytes, file.size, solid, error);
    snFile_Release(&cli->context, &file);
    // Also where only the skeleton is written again: a plan that is no tree is told now.
    snArena arena = snMakeArena(&cli->context);
    snSkeleton skeleton;
    if (!status) status = snRigPlan_Skeleton(&skeleton, plan, NULL, &arena, error);
    snArena_Destroy(&arena);
    if (status) snError_Prefix(error, "%s", path);
    return status;
}

snStatus snBindBorrowed(snCharacter *rigged, const snCharacter *bare, const snSolid *solid,
                        const snBindOptions *options, const snCli *cli, snError *error)
{
    snLoaded other;
    snBorrowReport report;
    snStatus status = snLoaded_Read(&other, options->skeleton, cli, error);
    if (status) return status;
    status = snBorrowRig(rigged, bare, solid, &other.character, &options->borrow, &report,
                         &cli->context, error);
    if (status)
        snError_Prefix(error, "%s", options->skeleton);
    else
        snLog(&cli->context, SN_LOG_INFO,
              "%s: %d joints, %d outside the surface; scaled by %.4g, "
              "moved by %.4g, %.4g, %.4g",
              options->skeleton, report.jointCount, report.outside, report.scale, report.offset.x,
              report.offset.y, report.offset.z);
    if (!status && 2 * report.outside > report.jointCount)
        snLog(&cli->context, SN_LOG_WARNING,
              "%s: most of its joints are outside the surface, whose pose and axes should be those "
              "of the skeleton; --skeleton-turn, --skeleton-scale and --skeleton-offset move it",
              options->skeleton);
    snLoaded_Free(&other);
    return status;
}

// ---- a character in the place of what was read ----

snStatus snLoaded_TakeFile(snLoaded *loaded, snBytes *bytes, const snCli *cli, snError *error)
{
    snCharacter read;
    snGltfSource source = {.bytes = bytes->data, .size = bytes->size, .unpack = snUnpackMeshopt};
    snStatus status = snGltf_Read(&read, &source, &cli->context, error);
    if (status) return status;
    snLoaded_Free(loaded);
    loaded->character = read;
    loaded->file = (snFileContent){bytes->data, bytes->size}; // from the same allocator
    loaded->source = source;
    return SN_OK;
}

snStatus snLoaded_Replace(snLoaded *loaded, const snCharacter *made, const snCli *cli,
                          snError *error)
{
    snBytes bytes = snMakeBytes(&cli->context);
    snStatus status = snGlb_FromCharacter(made, &bytes, error);
    if (!status) status = snLoaded_TakeFile(loaded, &bytes, cli, error);
    if (status) snBytes_Destroy(&bytes);
    return status;
}

static snStatus rigByPlan(snCharacter *rigged, const snCharacter *bare, const snSolid *solid,
                          const snBindOptions *options, const snCli *cli, snError *error)
{
    snRigPlan plan = snMakeRigPlan(&cli->context);
    snRigDef def = snDefaultRigDef();
    def.addSway = true;
    snStatus status = snReadPlan(&plan, options->skeleton, solid, cli, error);
    if (!status) status = snRigCharacter(rigged, bare, solid, &plan, &def, &cli->context, error);
    snRigPlan_Destroy(&plan);
    return status;
}

snStatus snLoaded_Bind(snLoaded *loaded, const char *input, const snBindOptions *options,
                       const snCli *cli, snError *error)
{
    snArena arena = snMakeArena(&cli->context);
    snSolid solid;
    snCharacter rigged = {0};
    const snCharacter *bare = &loaded->character;
    if (bare->skinCount > 0)
        return snFail(error, SN_ERROR_ARGUMENT,
                      "%s has a skin already: --skeleton is for surfaces that have none", input);
    snStatus status = snSolid_FromCharacter(&solid, bare, &arena, error);
    if (status)
        snError_Prefix(error, "%s", input);
    else if (snBindOptions_IsPlan(options))
        status = rigByPlan(&rigged, bare, &solid, options, cli, error);
    else
        status = snBindBorrowed(&rigged, bare, &solid, options, cli, error);
    snArena_Destroy(&arena);
    if (!status) status = snLoaded_Replace(loaded, &rigged, cli, error);
    snCharacter_Destroy(&rigged);
    return status;
}

// The roots stay where they are.
snStatus snLoaded_AddStill(snLoaded *loaded, const snCli *cli, snError *error)
{
    static const float times[2] = {0, SN_STILL_SECONDS};
    snArena arena = snMakeArena(&cli->context);
    snCharacter still = loaded->character;
    int n = still.skeleton.jointCount;
    snClip clip = {.name = SN_STILL_NAME, .duration = (double)SN_STILL_SECONDS};
    clip.channels = SN_NEW(&arena, snChannel, n);
    float *values = SN_NEW(&arena, float, 6 * (size_t)n);
    still.skeleton.joints = SN_COPY(&arena, snJoint, still.skeleton.joints, n);
    still.clips = &clip;
    still.clipCount = 1;
    snStatus status =
        clip.channels && values && still.skeleton.joints ? SN_OK : snFailMemory(error);
    for (int j = 0; j < n && !status; j++) {
        snJoint *joint = &still.skeleton.joints[j];
        if (joint->parent >= 0) continue;
        snVec3f at = snToF(joint->rest.translation);
        float both[6] = {at.x, at.y, at.z, at.x, at.y, at.z};
        memcpy(values + 6 * j, both, sizeof both);
        joint->hasMatrix = false; // nodes with a matrix cannot be animated
        clip.channels[clip.channelCount++] =
            (snChannel){j, SN_PATH_TRANSLATION, SN_LINEAR, 2, 3, times, values + 6 * j};
    }
    if (!status) status = snLoaded_Replace(loaded, &still, cli, error);
    snArena_Destroy(&arena);
    return status;
}
