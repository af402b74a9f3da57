#include "cli/checkpoint_file.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define STATE_MAGIC "sinew checkpoint"
#define FRAMES_MAGIC "sinew frames...."
#define MAGIC_BYTES 16
#define VERSION 1
#define SECONDS_BETWEEN 5.0
#define COST_SHARE 0.05 // of the time: what saving may take

// ---- formats --------------------------------------------------------------------------------------
// Little-endian. State: magic, version u32, 0 u32, bytes of the frames' file u64, their hash u64,
// bytes of the state u64, the state, hash of all before u64. Frames: magic, version u32, bytes of the
// plan u32, the plan, frames.

#define STATE_HEADER (MAGIC_BYTES + 4 + 4 + 8 + 8 + 8)
#define FRAMES_HEADER (MAGIC_BYTES + 4 + 4)

static bool begins(const snFileContent *file, const char *magic, size_t header)
{
    return file->size >= header && !memcmp(file->bytes, magic, MAGIC_BYTES);
}

static const char *lineEnd(const char *text, const char *end)
{
    while (text < end && *text != '\n')
        text++;
    return text;
}

// One line of a plan, without the spaces and the comma around it.
static const char *takeLine(const char *text, const char *end, int *length)
{
    while (text < end && *text == ' ')
        text++;
    const char *stop = lineEnd(text, end);
    if (stop > text && stop[-1] == ',') stop--;
    *length = (int)(stop - text < 100 ? stop - text : 100);
    return text;
}

static const char *nextLine(const char *text, const char *end)
{
    text = lineEnd(text, end);
    return text < end ? text + 1 : end;
}

// Plans have a line for every setting, so the first that differs says what is different.
static snStatus failByPlan(const char *old, size_t oldSize, const snBytes *plan, snError *error)
{
    const char *now = (const char *)plan->data;
    size_t size = oldSize < plan->size ? oldSize : plan->size, line = 0;
    int before, after;
    for (size_t i = 0; i < size && old[i] == now[i]; i++)
        if (old[i] == '\n') line = i + 1;
    const char *a = takeLine(old + line, old + oldSize, &before);
    const char *b = takeLine(now + line, now + plan->size, &after);
    if (before == after &&
        !memcmp(a, b, (size_t)before)) { // a list goes on in one, and not in the other
        a = takeLine(nextLine(a, old + oldSize), old + oldSize, &before);
        b = takeLine(nextLine(b, now + plan->size), now + plan->size, &after);
    }
    if (!strncmp(a, "\"hash\"", 6) || !strncmp(a, "\"bytes\"", 7))
        return snFail(error, SN_ERROR_ARGUMENT, "it is of another bake: what is read has changed");
    if (!strncmp(a, "\"program\"", 9))
        return snFail(error, SN_ERROR_ARGUMENT,
                      "it is of another version of the program: %.*s, now %.*s", before, a, after,
                      b);
    return snFail(error, SN_ERROR_ARGUMENT,
                  "it is of another bake: that one had %.*s, this has %.*s", before, a, after, b);
}

static snStatus checkPlan(const snFileContent *frames, const snBytes *plan, snError *error)
{
    size_t planSize = snLoadU32(frames->bytes + MAGIC_BYTES + 4);
    if (planSize > frames->size - FRAMES_HEADER)
        return snFail(error, SN_ERROR_FORMAT, "its frames are cut off");
    const char *old = (const char *)frames->bytes + FRAMES_HEADER;
    if (planSize == plan->size && !memcmp(old, plan->data, planSize)) return SN_OK;
    return failByPlan(old, planSize, plan, error);
}

snStatus snCheckpointContent_Find(snCheckpointContent *content, const snFileContent *state,
                                  const snFileContent *frames, const snBytes *plan, snError *error)
{
    if (!begins(state, STATE_MAGIC, STATE_HEADER + 8) ||
        !begins(frames, FRAMES_MAGIC, FRAMES_HEADER))
        return snFail(error, SN_ERROR_FORMAT, "it is no checkpoint");
    if (snLoadU32(state->bytes + MAGIC_BYTES) != VERSION ||
        snLoadU32(frames->bytes + MAGIC_BYTES) != VERSION)
        return snFail(error, SN_ERROR_UNSUPPORTED, "it is of another version of the program");
    const uint8_t *numbers = state->bytes + MAGIC_BYTES + 8;
    size_t kept = (size_t)snLoadU64(numbers), size = (size_t)snLoadU64(numbers + 16);
    if (size != state->size - STATE_HEADER - 8 ||
        snHash(SN_HASH_BEGIN, state->bytes, state->size - 8) !=
            snLoadU64(state->bytes + state->size - 8))
        return snFail(error, SN_ERROR_FORMAT, "it is damaged");
    if (kept > frames->size) return snFail(error, SN_ERROR_FORMAT, "its frames are cut off");
    snHasher hasher;
    snHasher_Begin(&hasher);
    snHasher_Take(&hasher, frames->bytes, kept);
    if (snHasher_Value(&hasher) != snLoadU64(numbers + 8))
        return snFail(error, SN_ERROR_FORMAT, "its frames are damaged");
    snStatus status = checkPlan(frames, plan, error); // now that its text can be trusted
    if (status) return status;
    size_t first = FRAMES_HEADER + plan->size;
    if (kept < first) return snFail(error, SN_ERROR_FORMAT, "its frames are cut off");
    *content = (snCheckpointContent){state->bytes + STATE_HEADER, size, frames->bytes + first,
                                     kept - first, kept};
    return SN_OK;
}

// ---- files ----------------------------------------------------------------------------------------

static bool nameFile(char *out, const char *output, const char *ending)
{
    size_t folder = snPath_FolderLength(output);
    int length =
        snprintf(out, SN_MAX_PATH, "%.*s.%s%s", (int)folder, output, output + folder, ending);
    return length > 0 && length + 32 < SN_MAX_PATH; // files in the making have longer names
}

snStatus snCheckpointFile_Make(snCheckpointFile *file, const char *output, const snBytes *plan,
                               const snCli *cli, snError *error)
{
    *file = (snCheckpointFile){.cli = cli, .plan = plan, .growing = {.file = -1}};
    file->due = snClock_Seconds() + SECONDS_BETWEEN;
    if (nameFile(file->statePath, output, ".sinew-checkpoint") &&
        nameFile(file->framesPath, output, ".sinew-frames"))
        return SN_OK;
    return snFail(error, SN_ERROR_FILE, "%.200s: the path is too long", output);
}

bool snCheckpointFile_Exists(const snCheckpointFile *file)
{
    return access(file->statePath, F_OK) == 0;
}

snStatus snCheckpointFile_Resume(snCheckpointFile *file, snCheckpointHook *hook, bool *found,
                                 snError *error)
{
    const snContext *context = &file->cli->context;
    snCheckpointContent content;
    *found = snCheckpointFile_Exists(file);
    if (!*found) return SN_OK;
    snStatus status = snFile_Read(context, file->statePath, SIZE_MAX / 4, &file->state, error);
    if (!status)
        status = snFile_Read(context, file->framesPath, SIZE_MAX / 4, &file->frames, error);
    if (!status) {
        status = snCheckpointContent_Find(&content, &file->state, &file->frames, file->plan, error);
        if (status) {
            snError inner = *error;
            snFail(error, status, "%s cannot be gone on from: %s; bake without --resume",
                   file->statePath, inner.message);
        }
    }
    if (!status) status = snGrowingFile_Open(&file->growing, file->framesPath, content.kept, error);
    if (status) return status;
    snHasher_Begin(&file->hasher);
    snHasher_Take(&file->hasher, file->frames.bytes, content.kept);
    file->written = content.kept;
    file->begun = true;
    file->saves = 1; // there is one already
    hook->state = content.state;
    hook->stateSize = content.stateSize;
    hook->frames = content.frames;
    hook->framesSize = content.framesSize;
    return SN_OK;
}

static snStatus appendBytes(snCheckpointFile *file, const void *bytes, size_t size, snError *error)
{
    snHasher_Take(&file->hasher, bytes, size);
    file->written += size;
    return snGrowingFile_Append(&file->growing, bytes, size, error);
}

// The older state goes first: it does not belong to the frames that come.
static snStatus begin(snCheckpointFile *file, snError *error)
{
    snBytes header = snMakeBytes(&file->cli->context);
    unlink(file->statePath);
    file->begun = true;
    snHasher_Begin(&file->hasher);
    snStatus status = snGrowingFile_Open(&file->growing, file->framesPath, 0, error);
    snBytes_AppendText(&header, FRAMES_MAGIC);
    snBytes_AppendU32(&header, VERSION);
    snBytes_AppendU32(&header, (uint32_t)file->plan->size);
    snBytes_Append(&header, file->plan->data, file->plan->size);
    if (!status) status = snBytes_Check(&header, error);
    if (!status) status = appendBytes(file, header.data, header.size, error);
    snBytes_Destroy(&header);
    return status;
}

static snStatus writeState(snCheckpointFile *file, const void *state, size_t size, snError *error)
{
    snBytes bytes = snMakeBytes(&file->cli->context);
    snBytes_AppendText(&bytes, STATE_MAGIC);
    snBytes_AppendU32(&bytes, VERSION);
    snBytes_AppendU32(&bytes, 0);
    snBytes_AppendU64(&bytes, file->written);
    snBytes_AppendU64(&bytes, snHasher_Value(&file->hasher));
    snBytes_AppendU64(&bytes, size);
    snBytes_Append(&bytes, state, size);
    if (!bytes.failed) snBytes_AppendU64(&bytes, snHash(SN_HASH_BEGIN, bytes.data, bytes.size));
    snStatus status = snBytes_Check(&bytes, error);
    if (!status)
        status = snFile_Write(&file->cli->context, file->statePath, bytes.data, bytes.size, error);
    snBytes_Destroy(&bytes);
    return status;
}

// ---- the hook -------------------------------------------------------------------------------------

static void giveUp(snCheckpointFile *file, const snError *why)
{
    file->broken = true;
    snCheckpointFile_Remove(file);
    snLog(&file->cli->context, SN_LOG_WARNING, "no checkpoints are kept: %s", why->message);
}

static void releaseContent(snCheckpointFile *file)
{
    snFile_Release(&file->cli->context, &file->state);
    snFile_Release(&file->cli->context, &file->frames);
}

static bool isDue(void *user, bool end)
{
    snCheckpointFile *file = user;
    double now = snClock_Seconds();
    releaseContent(file); // the bake has taken what it goes on from
    if (file->broken || (end ? file->saves == 0 : now < file->due)) return false;
    file->asked = now;
    return true;
}

static snStatus append(void *user, const void *bytes, size_t size, snError *error)
{
    (void)error;
    snCheckpointFile *file = user;
    snError own = {0};
    if (file->broken) return SN_OK;
    snStatus status = file->begun ? SN_OK : begin(file, &own);
    if (!status) status = appendBytes(file, bytes, size, &own);
    if (status) giveUp(file, &own);
    return SN_OK;
}

static snStatus commit(void *user, const void *state, size_t size, snError *error)
{
    snCheckpointFile *file = user;
    snError own = {0};
    append(file, NULL, 0, error); // where there are no frames yet, the file begins all the same
    if (file->broken) return SN_OK;
    if (writeState(file, state, size, &own)) {
        giveUp(file, &own);
        return SN_OK;
    }
    double now = snClock_Seconds(), pause = (now - file->asked) / COST_SHARE;
    file->saves++;
    file->due = now + (pause > SECONDS_BETWEEN ? pause : SECONDS_BETWEEN);
    return SN_OK;
}

void snCheckpointFile_Hook(snCheckpointFile *file, snCheckpointHook *hook)
{
    hook->due = isDue;
    hook->append = append;
    hook->commit = commit;
    hook->user = file;
}

void snCheckpointFile_Close(snCheckpointFile *file)
{
    if (!file->cli) return;
    releaseContent(file);
    snGrowingFile_Close(&file->growing);
}

void snCheckpointFile_Remove(snCheckpointFile *file)
{
    unlink(file->statePath); // also those of an earlier bake, which nobody needs any more
    unlink(file->framesPath);
    snCheckpointFile_Close(file);
}
