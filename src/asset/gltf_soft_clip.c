// New animations: the source's channels and samplers as they are, and the weights of soft meshes.
// Animations of the file that already drive a soft mesh's weights have too few numbers per key once
// there are more targets: they get new outputs, with zeros for the new targets.
#include "asset/gltf_soft.h"
#include "asset/held.h"
#include "core/suggest.h"

#include <limits.h>
#include <string.h>

// ---- weights channels of the file ----

// The soft mesh whose weights a channel animates; -1: none.
static int softOfChannel(const snSoftWriter *writer, const snJsonNode *channel)
{
    const snJson *json = &writer->document.json;
    const snJsonNode *target = snJson_Member(json, channel, "target");
    if (!snJson_IsText(json, snJson_Member(json, target, "path"), "weights")) return -1;
    int node = -1;
    (void)snJson_ReadInt(json, target, "node", 0, 0x7fffffff, &node, NULL);
    if (node < 0 || node >= snJson_Count(writer->document.nodes)) return -1;
    return writer->softOfNode[node];
}

// Writes rows of `from` numbers as rows of `to`, with zeros behind. Returns the accessor.
static int putWidened(snSoftWriter *writer, const float *values, int rows, int from, int to)
{
    snGlbBuilder *glb = &writer->glb;
    snGlbBuilder_Begin(glb);
    for (int r = 0; r < rows; r++) {
        if (from) snBytes_AppendF32s(&glb->bin, values + (size_t)r * (size_t)from, (size_t)from);
        snBytes_Fill(&glb->bin, 0, 4 * (size_t)(to - from));
    }
    return snGlbBuilder_End(glb, rows * to, 1, 5126, 0, NULL);
}

// How many rows the output of a sampler has: one for each key, three where it is a spline.
static snStatus countRows(snSoftWriter *writer, const snJsonNode *sampler, int *rows)
{
    const snJson *json = &writer->document.json;
    const snJsonNode *input = snJson_Member(json, sampler, "input");
    snGltfAccessor times = {0};
    snStatus status =
        input ? snGltf_OpenAccessor(&writer->document, input, &times, writer->error) : SN_OK;
    bool cubic = snJson_IsText(json, snJson_Member(json, sampler, "interpolation"), "CUBICSPLINE");
    *rows = times.count > INT_MAX / 3 ? 0 : times.count * (cubic ? 3 : 1);
    return status;
}

// The text of a channel's sampler with a widened output; for a mesh that had no targets, so that the channel
// meant nothing, an output of zeros. Empty when the sampler is not what the
// existing targets need (then it was broken before, and stays as it is).
static snStatus widenSampler(snSoftWriter *writer, const snJsonNode *channel,
                             const snJsonNode *samplers, int soft, snBytes *text)
{
    snGltfDocument *document = &writer->document;
    const snJson *json = &document->json;
    const snJsonNode *sampler;
    snGltfAccessor accessor;
    float *values = NULL;
    int from = writer->existing[soft], to = from + writer->meshes[soft].targetCount;
    snStatus status =
        snGltf_ReadReference(document, channel, "sampler", samplers, &sampler, writer->error);
    const snJsonNode *output = status ? NULL : snJson_Member(json, sampler, "output");
    int rows = 0;
    if (status || !output) return status;
    if (from == 0) {
        status = countRows(writer, sampler, &rows);
    } else {
        status = snGltf_OpenAccessor(document, output, &accessor, writer->error);
        if (!status)
            status = snGltf_ReadFloats(document, &accessor, writer->arena, &values, writer->error);
        if (!status && accessor.width == 1 && accessor.count % from == 0)
            rows = accessor.count / from;
    }
    if (status || rows == 0) return status;
    if ((int64_t)rows * to > INT_MAX / 64)
        return snJson_Fail(json, output, writer->error, SN_ERROR_ARGUMENT,
                           "%d keys for %d morph targets are too many", rows, to);
    int number = putWidened(writer, values, rows, from, to);
    snBytes_Append(text, json->text + sampler->start, (size_t)(output->start - sampler->start));
    snBytes_Format(text, "%d", number);
    snBytes_Append(text, json->text + output->end, (size_t)(sampler->end - output->end));
    return snBytes_Check(text, writer->error);
}

static snStatus widenChannel(snSoftWriter *writer, const snJsonNode *animation,
                             const snJsonNode *channel, int soft)
{
    const snJson *json = &writer->document.json;
    const snJsonNode *samplers = snJson_Member(json, animation, "samplers");
    snBytes text = snMakeBytesFrom(&writer->arena->allocator);
    snStatus status = widenSampler(writer, channel, samplers, soft, &text);
    if (!status && text.size) {
        int number = snJsonEdit_Append(&writer->edit, snJsonEdit_Spot(json, samplers),
                                       (const char *)text.data, text.size);
        snBytes_Clear(&text);
        snBytes_Format(&text, "%d", number);
        snJsonEdit_Replace(&writer->edit, snJson_Member(json, channel, "sampler"),
                           (const char *)text.data, text.size);
    }
    snBytes_Destroy(&text);
    return status;
}

snStatus snSoft_WidenClips(snSoftWriter *writer)
{
    const snJson *json = &writer->document.json;
    snStatus status = SN_OK;
    for (int a = 0; a < snJson_Count(writer->document.animations); a++) {
        const snJsonNode *animation = snJson_At(json, writer->document.animations, a);
        const snJsonNode *channels = snJson_Member(json, animation, "channels");
        for (int c = 0; c < snJson_Count(channels) && !status; c++) {
            const snJsonNode *channel = snJson_At(json, channels, c);
            int soft = softOfChannel(writer, channel);
            if (soft >= 0) status = widenChannel(writer, animation, channel, soft);
        }
    }
    return status;
}

// ---- a new animation ----

typedef struct {
    snSoftWriter *writer;
    const snSoftClip *clip;
    const snJsonNode *source; // animation, or NULL
    snBytes samplers;         // JSON values, with commas between
    snBytes channels;
    int samplerCount;
    int channelCount;
} Animation;

static void addText(snBytes *list, int *count, const char *text, size_t size)
{
    if ((*count)++ > 0) snBytes_AppendByte(list, ',');
    snBytes_Append(list, text, size);
}

static void addNode(const snJson *json, snBytes *list, int *count, const snJsonNode *node)
{
    addText(list, count, json->text + node->start, (size_t)(node->end - node->start));
}

// A channel of the source with the number of another sampler in it.
static void addRedirected(Animation *animation, const snJsonNode *channel, int sampler)
{
    const snJson *json = &animation->writer->document.json;
    const snJsonNode *number = snJson_Member(json, channel, "sampler");
    snBytes *list = &animation->channels;
    addText(list, &animation->channelCount, json->text + channel->start,
            (size_t)(number->start - channel->start));
    snBytes_Format(list, "%d", sampler);
    snBytes_Append(list, json->text + number->end, (size_t)(channel->end - number->end));
}

// Channels are copied; weights of soft meshes are left to the new ones, or widened where the clip
// has nothing new for that mesh.
static snStatus copyChannel(Animation *animation, const snJsonNode *channel)
{
    snSoftWriter *writer = animation->writer;
    const snJson *json = &writer->document.json;
    int soft = softOfChannel(writer, channel);
    if (soft < 0) {
        addNode(json, &animation->channels, &animation->channelCount, channel);
        return SN_OK;
    }
    if (animation->clip->weights[soft]) return SN_OK;
    snBytes text = snMakeBytesFrom(&writer->arena->allocator);
    snStatus status = widenSampler(writer, channel,
                                   snJson_Member(json, animation->source, "samplers"), soft, &text);
    if (!status && text.size) {
        addText(&animation->samplers, &animation->samplerCount, (const char *)text.data, text.size);
        addRedirected(animation, channel, animation->samplerCount - 1);
    }
    snBytes_Destroy(&text);
    return status;
}

// Keys of the source that are not finite are held, as when it was read (gltf_clip.c).
static bool healValues(float *values, int count, int keys, bool cubic)
{
    int first, rows = keys * (cubic ? 3 : 1);
    snHold hold = {values, keys, rows ? count / rows : 0, cubic};
    return rows && count % rows == 0 && snHold_Run(&hold, &first) > 0;
}

// The source's sampler as it is, or with a healed output.
static snStatus copySampler(Animation *animation, const snJsonNode *sampler)
{
    snSoftWriter *writer = animation->writer;
    snGltfDocument *document = &writer->document;
    const snJson *json = &document->json;
    const snJsonNode *output = snJson_Member(json, sampler, "output");
    const snJsonNode *input = snJson_Member(json, sampler, "input");
    snGltfAccessor values, times;
    float *numbers = NULL;
    snBytes *list = &animation->samplers;
    bool cubic = snJson_IsText(json, snJson_Member(json, sampler, "interpolation"), "CUBICSPLINE");
    bool read = output && input && !snGltf_OpenAccessor(document, output, &values, NULL) &&
                !snGltf_OpenAccessor(document, input, &times, NULL);
    snStatus status =
        read ? snGltf_ReadFloats(document, &values, writer->arena, &numbers, writer->error) : SN_OK;
    if (status) return status;
    if (!read || !healValues(numbers, values.count * values.width, times.count, cubic)) {
        addNode(json, list, &animation->samplerCount, sampler);
        return SN_OK;
    }
    snGlbBuilder_Begin(&writer->glb);
    snBytes_AppendF32s(&writer->glb.bin, numbers, (size_t)values.count * (size_t)values.width);
    int number = snGlbBuilder_End(&writer->glb, values.count, values.width, 5126, 0, NULL);
    addText(list, &animation->samplerCount, json->text + sampler->start,
            (size_t)(output->start - sampler->start));
    snBytes_Format(list, "%d", number);
    snBytes_Append(list, json->text + output->end, (size_t)(sampler->end - output->end));
    return SN_OK;
}

static snStatus copySource(Animation *animation)
{
    const snJson *json = &animation->writer->document.json;
    const snJsonNode *samplers = snJson_Member(json, animation->source, "samplers");
    const snJsonNode *channels = snJson_Member(json, animation->source, "channels");
    snStatus status = SN_OK;
    for (int i = 0; i < snJson_Count(samplers) && !status; i++)
        status = copySampler(animation, snJson_At(json, samplers, i));
    for (int i = 0; i < snJson_Count(channels) && !status; i++)
        status = copyChannel(animation, snJson_At(json, channels, i));
    return status;
}

// One sampler per soft mesh, and a channel for every node that carries it and moves as it does; others
// (the mesh as a statue, or on another skeleton) keep their weights of zero.
static void addWeights(Animation *animation, int soft, int times)
{
    snSoftWriter *writer = animation->writer;
    const snSoftClip *clip = animation->clip;
    if (!clip->weights[soft]) return;
    int total = writer->existing[soft] + writer->meshes[soft].targetCount;
    int output =
        snGlbBuilder_Floats(&writer->glb, clip->weights[soft], clip->frameCount * total, 1, 0);
    int sampler = animation->samplerCount;
    addText(&animation->samplers, &animation->samplerCount, "", 0);
    snBytes_Format(&animation->samplers,
                   "{\"input\":%d,\"output\":%d,\"interpolation\":\"LINEAR\"}", times, output);
    for (int n = 0; n < snJson_Count(writer->document.nodes); n++) {
        if (writer->softOfNode[n] != soft ||
            !snSoft_MovesAlike(&writer->document, n, writer->meshes[soft].node))
            continue;
        addText(&animation->channels, &animation->channelCount, "", 0);
        snBytes_Format(&animation->channels,
                       "{\"sampler\":%d,\"target\":{\"node\":%d,\"path\":\"weights\"}}", sampler,
                       n);
    }
}

// Everything else that the source says about itself (extras, extensions) is copied too.
static void copyMembers(const Animation *animation, snJsonWriter *out)
{
    const snJson *json = &animation->writer->document.json;
    for (int i = 0; i < snJson_Count(animation->source); i++) {
        const snJsonNode *member = snJson_At(json, animation->source, i);
        if (member != snJson_Member(json, animation->source, "extras") &&
            member != snJson_Member(json, animation->source, "extensions"))
            continue;
        snJsonWriter_Key(out, member == snJson_Member(json, animation->source, "extras")
                                  ? "extras"
                                  : "extensions");
        snJsonWriter_Raw(out, json->text + member->start, (size_t)(member->end - member->start));
    }
}

static void writeList(snJsonWriter *out, const char *key, const snBytes *values)
{
    snJsonWriter_Key(out, key);
    snJsonWriter_BeginArray(out);
    snJsonWriter_Raw(out, (const char *)values->data, values->size);
    snJsonWriter_EndArray(out);
    if (values->failed) out->out->failed = true;
}

static snStatus appendAnimation(Animation *animation, const char *name, snBytes *text)
{
    snSoftWriter *writer = animation->writer;
    snJsonWriter out = snMakeJsonWriter(text, false);
    snJsonWriter_BeginObject(&out);
    snJsonWriter_PutString(&out, "name", name);
    writeList(&out, "samplers", &animation->samplers);
    writeList(&out, "channels", &animation->channels);
    copyMembers(animation, &out);
    snJsonWriter_EndObject(&out);
    snStatus status = snBytes_Check(text, writer->error);
    if (status) return status;
    snJsonSpot list =
        snJsonEdit_Open(&writer->edit, snJsonEdit_Root(), "animations", SN_JSON_ARRAY);
    snJsonEdit_Append(&writer->edit, list, (const char *)text->data, text->size);
    return SN_OK;
}

static snStatus addClip(snSoftWriter *writer, const snSoftClip *clip, const char *name)
{
    const snAllocator *allocator = &writer->arena->allocator;
    Animation animation = {
        .writer = writer,
        .clip = clip,
        .source = snJson_At(&writer->document.json, writer->document.animations, clip->clip),
        .samplers = snMakeBytesFrom(allocator),
        .channels = snMakeBytesFrom(allocator)};
    snBytes text = snMakeBytesFrom(allocator);
    bool soft = writer->bones && writer->bones->boneCount && clip->bones;
    snStatus status = copySource(&animation);
    for (int m = 0; m < writer->meshCount; m++)
        soft = soft || clip->weights[m];
    if (!status && soft) {
        int times =
            snGlbBuilder_Floats(&writer->glb, clip->times, clip->frameCount, 1, SN_GLB_BOUNDS);
        for (int m = 0; m < writer->meshCount; m++)
            addWeights(&animation, m, times);
        snChannelLists lists = {&animation.samplers, &animation.channels, &animation.samplerCount,
                                &animation.channelCount};
        if (writer->bones && clip->bones) snSoft_AddBoneChannels(writer, clip, times, &lists);
    }
    if (!status && animation.channelCount == 0)
        status =
            snFail(writer->error, SN_ERROR_ARGUMENT, "the soft clip '%.80s' moves nothing", name);
    if (!status) status = appendAnimation(&animation, name, &text);
    snBytes_Destroy(&animation.samplers);
    snBytes_Destroy(&animation.channels);
    snBytes_Destroy(&text);
    return status;
}

// ---- names ----

// The wanted name, or the first of "name.2", "name.3", ... that is free.
static snStatus distinctName(snSoftWriter *writer, const char *const *names, int count,
                             const char *wanted, const char **out)
{
    snBytes text = snMakeBytesFrom(&writer->arena->allocator);
    for (int number = 1; number <= count + 1; number++) {
        snBytes_Clear(&text);
        snBytes_AppendText(&text, wanted);
        if (number > 1) snBytes_Format(&text, ".%d", number);
        snBytes_AppendByte(&text, 0);
        if (text.failed || snFindWord((const char *)text.data, names, count) < 0) break;
    }
    *out = text.failed ? NULL
                       : snArena_CopyString(writer->arena, (const char *)text.data, text.size - 1);
    snBytes_Destroy(&text);
    return *out ? SN_OK : snFailMemory(writer->error);
}

snStatus snSoft_AddClips(snSoftWriter *writer)
{
    const snJson *json = &writer->document.json;
    int present = snJson_Count(writer->document.animations);
    const char **names = SN_NEW(writer->arena, const char *, present + writer->clipCount);
    if (!names) return snFailMemory(writer->error);
    snStatus status = SN_OK;
    for (int a = 0; a < present && !status; a++) {
        names[a] = "";
        status = snJson_ReadString(json, snJson_At(json, writer->document.animations, a), "name",
                                   writer->arena, &names[a], writer->error);
    }
    for (int c = 0; c < writer->clipCount && !status; c++) {
        status =
            distinctName(writer, names, present + c, writer->clips[c].name, &names[present + c]);
        if (!status) status = addClip(writer, &writer->clips[c], names[present + c]);
    }
    return status;
}
