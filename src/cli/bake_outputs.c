#include "cli/bake_outputs.h"

#include "cli/sidecar.h"
#include "core/error.h"
#include "core/text.h"

#include <stdio.h>
#include <string.h>

#define MOST_FILES 200000
#define FEWEST_DIGITS 4 // of the number of a frame

// ---- names that were given ------------------------------------------------------------------------

static const struct {
    const char *extension;
    snOutputKind kind;
} kinds[] = {{".glb", SN_OUTPUT_GLB}, {".pc2", SN_OUTPUT_PC2},   {".mdd", SN_OUTPUT_MDD},
             {".obj", SN_OUTPUT_OBJ}, {".usda", SN_OUTPUT_USDA}, {".json", SN_OUTPUT_DUMP}};

snStatus snOutputs_Take(snOutputs *outputs, const char *path, snError *error)
{
    int kind = -1;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (snPath_HasExtension(path, kinds[i].extension)) kind = (int)kinds[i].kind;
    if (kind < 0)
        return snFail(error, SN_ERROR_ARGUMENT,
                      "%s: outputs end in .glb, .pc2, .mdd, .obj, .usda or .json", path);
    if (snEndsWith(path, ".rig.json") || snEndsWith(path, ".sinew.json"))
        return snFail(error, SN_ERROR_ARGUMENT,
                      "%s: that is the name of a document about a rig; call it otherwise", path);
    if (outputs->count == SN_MOST_OUTPUTS)
        return snFail(error, SN_ERROR_ARGUMENT, "more than %d outputs", SN_MOST_OUTPUTS);
    outputs->list[outputs->count++] = (snOutput){.path = path, .kind = (snOutputKind)kind};
    return SN_OK;
}

bool snOutputs_Add(snOutputs *outputs, const char *path)
{
    snError error = {0};
    if (!snOutputs_Take(outputs, path, &error)) return true;
    snCli_Usage(outputs->command, "%s", error.message);
    return false;
}

bool snOutputs_Has(const snOutputs *outputs, snOutputKind kind)
{
    for (int i = 0; i < outputs->count; i++)
        if (outputs->list[i].kind == kind) return true;
    return false;
}

static bool isSame(const char *a, const char *b)
{
    return !strcmp(a, b) || snFile_IsSame(a, b);
}

int snOutputs_CheckNames(const snOutputs *outputs, const char *const *inputs, int inputCount)
{
    const char *paths[SN_MOST_OUTPUTS];
    for (int i = 0; i < outputs->count; i++)
        paths[i] = outputs->list[i].path;
    const snOutputCheck check = {outputs->count, inputCount, paths, inputs};
    return snCli_CheckOutputs(outputs->command, &check);
}

// "a/fox-soft.glb" becomes "a/fox-soft.sinew.json", "fox.####.obj" becomes "fox.sinew.json".
static bool nameSidecar(snOutputs *outputs)
{
    const char *path = outputs->list[0].path;
    size_t stem = strlen(path) - strlen(snPath_Extension(path)), folder = snPath_FolderLength(path);
    while (stem > folder + 1 && (path[stem - 1] == '#' || path[stem - 1] == '.'))
        stem--;
    size_t length = stem + strlen(SN_SIDECAR_ENDING);
    if (length >= sizeof outputs->sidecar) return false;
    snprintf(outputs->sidecar, sizeof outputs->sidecar, "%.*s" SN_SIDECAR_ENDING, (int)stem, path);
    return true;
}

int snOutputs_PlaceSidecar(snOutputs *outputs, const char *given, const char *with,
                           const char *const *inputs, int inputCount)
{
    bool fits = given ? strlen(given) < sizeof outputs->sidecar : nameSidecar(outputs);
    if (!fits) return snCli_Usage(outputs->command, "the path of the sidecar is too long");
    const char *path = outputs->sidecar;
    if (given) memcpy(outputs->sidecar, given, strlen(given) + 1);
    for (int k = 0; k < inputCount; k++)
        if (isSame(path, inputs[k]) && !(with && isSame(path, with)))
            return snCli_Usage(outputs->command,
                               "%s is read, and would be the sidecar; place that elsewhere with "
                               "--sidecar, or leave it out with --no-sidecar",
                               path);
    for (int k = 0; k < outputs->count; k++)
        if (isSame(path, outputs->list[k].path))
            return snCli_Usage(outputs->command, "%s is an output and the sidecar at once", path);
    return -1;
}

static snStatus probe(const char *path, const snCli *cli, snError *error)
{
    return snCli_Probe(&path, 1, cli, error);
}

snStatus snOutputs_Probe(const snOutputs *outputs, const snCli *cli, snError *error)
{
    snStatus status = SN_OK;
    for (int i = 0; i < outputs->count && !status; i++)
        status = probe(outputs->list[i].path, cli, error);
    if (!status && outputs->sidecar[0]) status = probe(outputs->sidecar, cli, error);
    return status;
}

// ---- files ----------------------------------------------------------------------------------------

// The path with `middle` before its extension: "fox.pc2" and "body" give "fox.body.pc2".
static const char *insert(const char *path, const char *middle, snArena *arena)
{
    size_t stem = strlen(path) - strlen(snPath_Extension(path));
    size_t size = strlen(path) + strlen(middle) + 2;
    char *out = SN_NEW(arena, char, size);
    if (out) snprintf(out, size, "%.*s.%s%s", (int)stem, path, middle, path + stem);
    return out;
}

// "fox.json" becomes "fox.bin".
static const char *replaceExtension(const char *path, const char *extension, snArena *arena)
{
    size_t stem = strlen(path) - strlen(snPath_Extension(path));
    size_t size = stem + strlen(extension) + 1;
    char *out = SN_NEW(arena, char, size);
    if (out) snprintf(out, size, "%.*s%s", (int)stem, path, extension);
    return out;
}

// The last run of '#' in the name becomes the frame's number, as many digits as there are signs;
// without one the number comes before the extension. Frames count from 1.
static const char *numberFrame(const char *path, int frame, snArena *arena)
{
    const char *name = snPath_Name(path), *end = strrchr(name, '#'), *begin = end;
    if (!end) {
        char number[16];
        snprintf(number, sizeof number, "%0*d", FEWEST_DIGITS, frame + 1);
        return insert(path, number, arena);
    }
    while (begin > name && begin[-1] == '#')
        begin--;
    int digits = end - begin < 9 ? (int)(end - begin) + 1 : 10;
    size_t size = strlen(path) + 16;
    char *out = SN_NEW(arena, char, size), number[16];
    snprintf(number, sizeof number, "%0*d", digits, frame + 1);
    if (out) snprintf(out, size, "%.*s%s%s", (int)(begin - path), path, number, end + 1);
    return out;
}

static int countFiles(const snOutput *output, const snOutputPlan *plan)
{
    switch (output->kind) {
    case SN_OUTPUT_PC2:
    case SN_OUTPUT_MDD:
        return plan->sequence->meshCount;
    case SN_OUTPUT_OBJ:
        return plan->frameCount;
    case SN_OUTPUT_DUMP:
        return 2;
    default:
        return 1;
    }
}

static const char *nameFile(const snOutput *output, const snOutputPlan *plan, int k, snArena *arena)
{
    switch (output->kind) {
    case SN_OUTPUT_PC2:
    case SN_OUTPUT_MDD:
        return plan->sequence->meshCount == 1
                   ? output->path
                   : insert(output->path, plan->sequence->meshes[k].name, arena);
    case SN_OUTPUT_OBJ:
        return numberFrame(output->path, k, arena);
    case SN_OUTPUT_DUMP:
        return k == 0 ? output->path : replaceExtension(output->path, ".bin", arena);
    default:
        return output->path;
    }
}

static snStatus nameFiles(snOutputs *outputs, const snOutputPlan *plan, snArena *arena,
                          snError *error)
{
    int64_t total = 0;
    for (int i = 0; i < outputs->count; i++)
        total += countFiles(&outputs->list[i], plan);
    if (total > MOST_FILES)
        return snFail(error, SN_ERROR_UNSUPPORTED,
                      "%lld files would be written, %d are most: choose clips with --clip, or a "
                      "lower --fps",
                      (long long)total, MOST_FILES);
    outputs->files = SN_NEW(arena, const char *, total);
    if (!outputs->files) return snFailMemory(error);
    outputs->fileCount = 0;
    for (int i = 0; i < outputs->count; i++) {
        snOutput *output = &outputs->list[i];
        output->firstFile = outputs->fileCount;
        output->fileCount = countFiles(output, plan);
        for (int k = 0; k < output->fileCount; k++) {
            const char *name = nameFile(output, plan, k, arena);
            if (!name) return snFailMemory(error);
            outputs->files[outputs->fileCount++] = name;
        }
    }
    return SN_OK;
}

static snStatus checkFile(const snOutputs *outputs, const snOutputPlan *plan, int file,
                          snError *error)
{
    const char *path = outputs->files[file];
    for (int k = 0; k < plan->inputCount; k++)
        if (isSame(path, plan->inputs[k]))
            return snFail(error, SN_ERROR_ARGUMENT,
                          "%s is read; choose another name for the output", path);
    return SN_OK;
}

// Files of different outputs must not meet: "fox.obj" and "fox.####.obj" do. Those of one output
// differ by their making.
static snStatus checkMeetings(const snOutputs *outputs, snError *error)
{
    for (int i = 0; i < outputs->count; i++)
        for (int k = 0; k < i; k++) {
            const snOutput *a = &outputs->list[i], *b = &outputs->list[k];
            if (a->kind == SN_OUTPUT_OBJ && b->kind == SN_OUTPUT_OBJ) { // by the first numbers
                if (isSame(outputs->files[a->firstFile], outputs->files[b->firstFile]))
                    return snFail(error, SN_ERROR_ARGUMENT, "%s and %s are the same files", a->path,
                                  b->path);
                continue;
            }
            if (a->kind != b->kind) continue; // other endings
            for (int f = 0; f < a->fileCount; f++)
                for (int g = 0; g < b->fileCount; g++)
                    if (isSame(outputs->files[a->firstFile + f], outputs->files[b->firstFile + g]))
                        return snFail(error, SN_ERROR_ARGUMENT, "%s would be written twice",
                                      outputs->files[a->firstFile + f]);
        }
    return SN_OK;
}

snStatus snOutputs_Plan(snOutputs *outputs, const snOutputPlan *plan, const snCli *cli,
                        snArena *arena, snError *error)
{
    snStatus status = nameFiles(outputs, plan, arena, error);
    if (!status) status = checkMeetings(outputs, error);
    for (int f = 0; f < outputs->fileCount && !status; f++) {
        status = checkFile(outputs, plan, f, error);
        if (!status) status = probe(outputs->files[f], cli, error);
    }
    return status;
}

// ---- writing --------------------------------------------------------------------------------------

static snStatus appendToFile(void *user, const void *bytes, size_t size, snError *error)
{
    return snFileWriter_Append(user, bytes, size, error);
}

typedef struct Writing {
    const snOutputs *outputs;
    const snSequence *sequence;
    const snOutputContent *content;
    const snCli *cli;
    snFileBatch *batch;
} Writing;

// A .json with its .bin: two files at once.
static snStatus writeDump(Writing *w, const snOutput *output, snError *error)
{
    snFileWriter *json, *bin = NULL;
    const char *const *files = w->outputs->files + output->firstFile;
    snStatus status = snFileBatch_Open(w->batch, files[0], &json, error);
    if (!status) status = snFileBatch_Open(w->batch, files[1], &bin, error);
    if (status) return status;
    snSequenceDump dump = {.json = {appendToFile, json},
                           .bin = {appendToFile, bin},
                           .binName = snPath_Name(files[1]),
                           .context = &w->cli->context};
    return snSequence_WriteDump(w->sequence, &dump, error);
}

static snStatus writeFile(Writing *w, const snOutput *output, int k, snError *error)
{
    snFileWriter *writer;
    snStatus status =
        snFileBatch_Open(w->batch, w->outputs->files[output->firstFile + k], &writer, error);
    if (status) return status;
    snSink sink = {appendToFile, writer};
    switch (output->kind) {
    case SN_OUTPUT_PC2:
        status = snSequence_WritePc2(w->sequence, k, sink, error);
        break;
    case SN_OUTPUT_MDD:
        status = snSequence_WriteMdd(w->sequence, k, sink, error);
        break;
    case SN_OUTPUT_OBJ:
        status = snSequence_WriteObj(w->sequence, k, sink, error);
        break;
    case SN_OUTPUT_USDA:
        status = snSequence_WriteUsda(w->sequence, sink, error);
        break;
    default:
        status = snFileWriter_Append(writer, w->content->glb->data, w->content->glb->size, error);
    }
    return status ? status : snFileBatch_Close(writer, error);
}

snStatus snOutputs_Write(const snOutputs *outputs, const snOutputContent *content,
                         snFileBatch *batch, const snCli *cli, snError *error)
{
    Writing w = {outputs, content->sequence, content, cli, batch};
    const snBytes *sidecar = content->sidecar;
    snStatus status = SN_OK;
    for (int i = 0; i < outputs->count && !status; i++) {
        const snOutput *output = &outputs->list[i];
        if (output->kind == SN_OUTPUT_DUMP)
            status = writeDump(&w, output, error);
        else
            for (int k = 0; k < output->fileCount && !status && !snInterrupt_Pending(); k++)
                status = writeFile(&w, output, k, error);
    }
    if (!status && outputs->sidecar[0])
        status = snFileBatch_Write(batch, outputs->sidecar, sidecar->data, sidecar->size, error);
    if (!status && snInterrupt_Pending())
        status = snFail(error, SN_ERROR_CANCELLED, "interrupted: nothing was written");
    return status;
}
