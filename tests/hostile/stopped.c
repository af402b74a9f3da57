#include "tests/hostile/stopped.h"

#include "asset/gltf.h"
#include "cli/checkpoint_file.h"

#include <string.h>

#define STOP_AT 7 // of its eleven frames behind the first

static bool tell(void *user, const snBakeProgress *progress)
{
    (void)progress;
    snStopped *stopped = user;
    return ++stopped->told < stopped->stopAt;
}

static bool isDue(void *user, bool end)
{
    (void)user;
    (void)end;
    return false;
}

static snStatus append(void *user, const void *bytes, size_t size, snError *error)
{
    snStopped *stopped = user;
    if (stopped->stopAt == STOP_AT) snBytes_Append(&stopped->frames, bytes, size);
    return snBytes_Check(&stopped->frames, error);
}

static snStatus commit(void *user, const void *state, size_t size, snError *error)
{
    snStopped *stopped = user;
    if (stopped->stopAt == STOP_AT) snBytes_Append(&stopped->state, state, size);
    return snBytes_Check(&stopped->state, error);
}

static snBakeDef defineBake(snStopped *stopped, int stopAt)
{
    snBakeDef def = snDefaultBakeDef();
    stopped->told = 0;
    stopped->stopAt = stopAt;
    def.frameRate = 10;
    def.stepRate = 20;
    def.loop = SN_LOOP_NEVER;
    def.progress = (snProgressHook){tell, stopped};
    def.checkpoint =
        (snCheckpointHook){.due = isDue, .append = append, .commit = commit, .user = stopped};
    return def;
}

snStatus snStopped_Make(snStopped *stopped, const snBytes *beast, const snContext *context,
                        snError *error)
{
    snGltfSource source = {.bytes = beast->data, .size = beast->size};
    snFleshDef flesh = snDefaultFleshDef();
    snBake *bake = NULL;
    *stopped = (snStopped){
        .context = context, .frames = snMakeBytes(context), .state = snMakeBytes(context)};
    flesh.cells = 60;
    snBakeDef def = defineBake(stopped, STOP_AT);
    flesh.step = snBakeDef_Step(&def);
    snStatus status = snGltf_Read(&stopped->beast, &source, context, error);
    if (!status) status = snFlesh_Build(&stopped->flesh, &stopped->beast, &flesh, context, error);
    if (!status) status = snBake_Run(&bake, stopped->flesh, &def, context, error);
    snBake_Destroy(bake);
    if (status != SN_ERROR_CANCELLED)
        return status ? status : snFail(error, SN_ERROR_ARGUMENT, "the beast's clip is too short");
    return SN_OK;
}

static snStatus goOn(snStopped *stopped, const uint8_t *bytes, size_t size, bool *done,
                     snError *error)
{
    snBakeDef def = defineBake(stopped, 1);
    snBake *bake = NULL;
    def.checkpoint.state = bytes;
    def.checkpoint.stateSize = size;
    def.checkpoint.frames = stopped->frames.data;
    def.checkpoint.framesSize = stopped->frames.size;
    snStatus status = snBake_Run(&bake, stopped->flesh, &def, stopped->context, error);
    snBake_Destroy(bake);
    *done = !status || status == SN_ERROR_CANCELLED;
    if (*done || status == SN_ERROR_FORMAT) return SN_OK;
    snError_Prefix(error, "going on");
    return status;
}

// Cut in two anywhere: as one file of a checkpoint and the other.
static snStatus takeForFiles(snStopped *stopped, const uint8_t *bytes, size_t size, snError *error)
{
    snFileContent state = {(unsigned char *)bytes, size / 2};
    snFileContent frames = {(unsigned char *)bytes + size / 2, size - size / 2};
    snCheckpointContent content;
    snError inner = {0};
    snStatus status = snCheckpointContent_Find(&content, &state, &frames, &stopped->state, &inner);
    if (!status) return snFail(error, SN_ERROR_FORMAT, "garbage is taken for a checkpoint");
    return inner.message[0] ? SN_OK : snFail(error, status, "it is refused without a word");
}

snStatus snStopped_Try(snStopped *stopped, const uint8_t *bytes, size_t size, bool *done,
                       snError *error)
{
    snStatus status = goOn(stopped, bytes, size, done, error);
    return status ? status : takeForFiles(stopped, bytes, size, error);
}
