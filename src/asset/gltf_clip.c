// Animations become clips. Samplers are read once each, however many channels use them, and times
// once per accessor, because exporters share them widely.
#include "asset/gltf_reader.h"
#include "asset/held.h"

#include <string.h>

typedef struct {
    int count;
    float *values; // NULL: not read yet
} Times;

typedef struct {
    bool read;
    snInterpolation interpolation;
    int keyCount;
    float *times;
    int width;      // numbers per element of the output
    int valueCount; // numbers in all
    float *values;
    int held, firstHeld; // keys that are not finite
} Sampler;

typedef struct {
    snGltfReader *reader;
    const snJson *json;
    Times *times; // [accessors]
    snError *error;
} Builder;

// ---- samplers ----

static snStatus readTimes(Builder *builder, const snJsonNode *reference, Times **out)
{
    snGltfDocument *document = &builder->reader->document;
    snGltfAccessor accessor;
    snStatus status = snGltf_OpenAccessor(document, reference, &accessor, builder->error);
    if (status) return status;
    Times *times = *out = &builder->times[accessor.node->index];
    if (times->values) return SN_OK;
    if (accessor.width != 1 || accessor.count == 0)
        return snJson_Fail(builder->json, reference, builder->error, SN_ERROR_FORMAT,
                           "key times need one number per key and at least one key");
    float *values = NULL;
    status = snGltf_ReadFloats(document, &accessor, &builder->reader->character->arena, &values,
                               builder->error);
    if (status) return status;
    for (int k = 0; k < accessor.count; k++) {
        if (!isfinite(values[k]))
            return snJson_Fail(builder->json, reference, builder->error, SN_ERROR_FORMAT,
                               "the time of key %d is not finite", k);
        if (k > 0 && values[k] < values[k - 1])
            return snJson_Fail(builder->json, reference, builder->error, SN_ERROR_FORMAT,
                               "key %d (%g s) comes before key %d (%g s)", k, (double)values[k],
                               k - 1, (double)values[k - 1]);
    }
    times->values = values;
    times->count = accessor.count;
    return SN_OK;
}

static snStatus readInterpolation(Builder *builder, const snJsonNode *object, Sampler *sampler)
{
    const snJsonNode *node = snJson_Member(builder->json, object, "interpolation");
    sampler->interpolation = SN_LINEAR;
    if (!node || snJson_IsText(builder->json, node, "LINEAR")) return SN_OK;
    if (snJson_IsText(builder->json, node, "STEP"))
        sampler->interpolation = SN_STEP;
    else if (snJson_IsText(builder->json, node, "CUBICSPLINE"))
        sampler->interpolation = SN_CUBIC;
    else
        return snJson_Fail(builder->json, node, builder->error, SN_ERROR_FORMAT,
                           "none of LINEAR, STEP, CUBICSPLINE");
    return SN_OK;
}

// Of several keys at the same time the last counts; the sampler gets times of its own then.
static snStatus dropDoubleKeys(Builder *builder, Sampler *sampler)
{
    int doubles = 0;
    for (int k = 1; k < sampler->keyCount; k++)
        doubles += sampler->times[k] == sampler->times[k - 1];
    if (!doubles || sampler->valueCount % sampler->keyCount) return SN_OK;
    size_t width = (size_t)(sampler->valueCount / sampler->keyCount);
    float *times =
        SN_COPY(&builder->reader->character->arena, float, sampler->times, sampler->keyCount);
    if (!times) return snFailMemory(builder->error);
    int kept = 0;
    for (int k = 0; k < sampler->keyCount; k++) {
        if (k > 0 && times[k] == times[kept - 1]) kept--;
        times[kept] = times[k];
        memmove(sampler->values + (size_t)kept * width, sampler->values + (size_t)k * width,
                width * sizeof(float));
        kept++;
    }
    sampler->times = times;
    sampler->keyCount = kept;
    sampler->valueCount = kept * (int)width;
    return SN_OK;
}

static snStatus readValues(Builder *builder, const snJsonNode *object, Sampler *sampler)
{
    snGltfDocument *document = &builder->reader->document;
    const snJsonNode *reference = snJson_Member(builder->json, object, "output");
    snGltfAccessor accessor;
    snStatus status = snGltf_OpenAccessor(document, reference, &accessor, builder->error);
    if (!status)
        status = snGltf_ReadFloats(document, &accessor, &builder->reader->character->arena,
                                   &sampler->values, builder->error);
    if (status) return status;
    sampler->width = accessor.width;
    sampler->valueCount = accessor.count * accessor.width;
    return SN_OK;
}

// Keys that are not finite are held; when none is finite, or they cannot be told apart, there is nothing to
// trust.
static snStatus holdKeys(Builder *builder, const snJsonNode *object, Sampler *sampler)
{
    bool cubic = sampler->interpolation == SN_CUBIC;
    int perKey = sampler->valueCount / sampler->keyCount / (cubic ? 3 : 1);
    int whole = perKey * (cubic ? 3 : 1) * sampler->keyCount;
    snHold hold = {sampler->values, sampler->keyCount, perKey, cubic};
    sampler->held = snHold_Run(&hold, &sampler->firstHeld);
    if (sampler->held < 0)
        return snJson_Fail(builder->json, snJson_Member(builder->json, object, "output"),
                           builder->error, SN_ERROR_FORMAT, "none of its %d keys is finite",
                           sampler->keyCount);
    for (int i = whole; i < sampler->valueCount; i++)
        if (!isfinite(sampler->values[i])) sampler->values[i] = 0;
    return SN_OK;
}

static snStatus readSampler(Builder *builder, const snJsonNode *object, Sampler *sampler)
{
    Times *times = NULL;
    sampler->read = true;
    snStatus status = snJson_Require(builder->json, object, "input", builder->error);
    if (!status) status = snJson_Require(builder->json, object, "output", builder->error);
    if (!status) status = readInterpolation(builder, object, sampler);
    if (!status) status = readTimes(builder, snJson_Member(builder->json, object, "input"), &times);
    if (!status) status = readValues(builder, object, sampler);
    if (status) return status;
    sampler->times = times->values;
    sampler->keyCount = times->count;
    status = holdKeys(builder, object, sampler);
    return status ? status : dropDoubleKeys(builder, sampler);
}

// ---- channels ----

// The node and path of a channel; false for what is none of ours (extensions, missing nodes,
// weights of meshes that are not there).
static snStatus readTarget(Builder *builder, const snJsonNode *object, snChannel *channel,
                           bool *wanted)
{
    static const char *const paths[] = {"translation", "rotation", "scale", "weights"};
    const snGltfReader *reader = builder->reader;
    const snJsonNode *target = snJson_Member(builder->json, object, "target");
    const snJsonNode *path = snJson_Member(builder->json, target, "path");
    int node = -1, found = -1;
    *wanted = false;
    snStatus status =
        snJson_ReadInt(builder->json, target, "node", 0, 0x7fffffff, &node, builder->error);
    if (status) return status;
    for (int i = 0; i < 4; i++)
        if (snJson_IsText(builder->json, path, paths[i])) found = i;
    if (node < 0 || node >= reader->nodeCount || found < 0) return SN_OK;
    channel->path = (snPath)found;
    channel->joint = reader->jointOfNode[node];
    channel->width = channel->path == SN_PATH_ROTATION ? 4 : 3;
    if (channel->path == SN_PATH_MORPHS) {
        channel->joint = reader->firstMorphOfNode[node];
        channel->width = reader->targetCountOfNode[node];
        if (channel->joint < 0) return SN_OK;
    }
    *wanted = true;
    return SN_OK;
}

// Checks that the sampler has what the channel needs, and lets it use it.
static snStatus bind(Builder *builder, const snJsonNode *object, const Sampler *sampler,
                     snChannel *channel)
{
    int perKey = channel->width * (sampler->interpolation == SN_CUBIC ? 3 : 1);
    int64_t wanted = (int64_t)sampler->keyCount * perKey;
    bool weights = channel->path == SN_PATH_MORPHS;
    bool right = weights ? sampler->width == 1 && sampler->valueCount == wanted
                         : sampler->width == channel->width && sampler->valueCount >= wanted;
    if (!right)
        return snJson_Fail(builder->json, object, builder->error, SN_ERROR_FORMAT,
                           "its sampler has %d numbers for %d keys of %d", sampler->valueCount,
                           sampler->keyCount, perKey);
    channel->interpolation = sampler->interpolation;
    channel->keyCount = sampler->keyCount;
    channel->times = sampler->times;
    channel->values = sampler->values;
    return SN_OK;
}

// A node with a matrix must not be animated, but some are: then the matrix is taken apart.
static void freeFromMatrix(Builder *builder, const snChannel *channel)
{
    if (channel->path == SN_PATH_MORPHS) return;
    snJoint *joint = &builder->reader->character->skeleton.joints[channel->joint];
    if (joint->hasMatrix)
        snLog(builder->reader->document.context, SN_LOG_WARNING,
              "nodes[%d] ('%.60s') is animated but has a matrix: any shear in it is lost",
              joint->fileNode, joint->name);
    joint->hasMatrix = false;
}

static void noteHeld(Builder *builder, const snChannel *channel, const Sampler *sampler,
                     snClip *clip)
{
    static const char *const paths[] = {"translation", "rotation", "scale", "morph weights"};
    bool morphs = channel->path == SN_PATH_MORPHS;
    double first = (double)sampler->times[sampler->firstHeld];
    if (!sampler->held) return;
    clip->held[clip->heldCount++] =
        (snHeldKeys){morphs ? -1 : channel->joint, channel->path, sampler->held, first};
    snLog(builder->reader->document.context, SN_LOG_WARNING,
          "clip \"%.60s\": %s of \"%.60s\": %d of %d keys not finite, the first is key %d (%g s): "
          "the last good ones are held",
          clip->name, paths[channel->path],
          morphs ? "a mesh" : builder->reader->character->skeleton.joints[channel->joint].name,
          sampler->held, sampler->keyCount, sampler->firstHeld, first);
}

static snStatus readChannel(Builder *builder, const snJsonNode *object, const snJsonNode *list,
                            Sampler *samplers, snClip *clip)
{
    snChannel channel = {0};
    const snJsonNode *samplerNode;
    bool wanted;
    snStatus status = readTarget(builder, object, &channel, &wanted);
    if (status) return status;
    if (!wanted) {
        char path[160];
        snJson_Path(builder->json, object, path, sizeof path);
        snLog(builder->reader->document.context, SN_LOG_INFO,
              "%s: ignored, it animates nothing of this character", path);
        return SN_OK;
    }
    status = snJson_Require(builder->json, object, "sampler", builder->error);
    if (!status)
        status = snGltf_ReadReference(&builder->reader->document, object, "sampler", list,
                                      &samplerNode, builder->error);
    if (status) return status;
    Sampler *sampler = &samplers[samplerNode->index];
    if (!sampler->read) status = readSampler(builder, samplerNode, sampler);
    if (!status) status = bind(builder, object, sampler, &channel);
    if (status) return status;
    freeFromMatrix(builder, &channel);
    noteHeld(builder, &channel, sampler, clip);
    clip->channels[clip->channelCount++] = channel;
    return SN_OK;
}

// ---- clips ----

static void measureClip(snClip *clip)
{
    double first = 0, last = 0;
    for (int c = 0; c < clip->channelCount; c++) {
        const snChannel *channel = &clip->channels[c];
        double begin = (double)channel->times[0];
        double end = (double)channel->times[channel->keyCount - 1];
        if (c == 0 || begin < first) first = begin;
        if (c == 0 || end > last) last = end;
    }
    clip->start = first;
    clip->duration = last - first;
}

static snStatus readClip(Builder *builder, const snJsonNode *object, snClip *clip)
{
    snArena *arena = &builder->reader->character->arena;
    const snJsonNode *channels, *list;
    clip->name = "";
    snStatus status =
        snJson_ReadString(builder->json, object, "name", arena, &clip->name, builder->error);
    if (!status)
        status = snJson_ReadNode(builder->json, object, "channels", SN_JSON_ARRAY, &channels,
                                 builder->error);
    if (!status)
        status = snJson_ReadNode(builder->json, object, "samplers", SN_JSON_ARRAY, &list,
                                 builder->error);
    if (status) return status;
    Sampler *samplers = SN_NEW(builder->reader->document.arena, Sampler, snJson_Count(list));
    clip->channels = SN_NEW(arena, snChannel, snJson_Count(channels));
    clip->held = SN_NEW(arena, snHeldKeys, snJson_Count(channels));
    if (!samplers || !clip->channels || !clip->held) return snFailMemory(builder->error);
    for (int i = 0; i < snJson_Count(channels) && !status; i++)
        status = readChannel(builder, snJson_At(builder->json, channels, i), list, samplers, clip);
    measureClip(clip);
    return status;
}

snStatus snGltf_ReadClips(snGltfReader *reader, snError *error)
{
    const snGltfDocument *document = &reader->document;
    snCharacter *character = reader->character;
    Builder builder = {.reader = reader, .json = &document->json, .error = error};
    int count = snJson_Count(document->animations);
    builder.times = SN_NEW(document->arena, Times, snJson_Count(document->accessors));
    character->clips = SN_NEW(&character->arena, snClip, count);
    if (!builder.times || !character->clips) return snFailMemory(error);
    character->clipCount = count;
    snStatus status = SN_OK;
    for (int i = 0; i < count && !status; i++)
        status = readClip(&builder, snJson_At(&document->json, document->animations, i),
                          &character->clips[i]);
    return status;
}
