// Clips made by code, as further animations of a file. Channels whose times are the same share them.
#include "asset/gltf_soft.h"

#include "asset/json_write.h"

#include <string.h>

typedef struct Times {
    const float *values;
    int count;
    int accessor;
} Times;

// The node whose channel it is; -1: none of the file's.
static int nodeOf(const snSoftWriter *writer, const snChannel *channel)
{
    const snCharacter *c = writer->character;
    int joint = channel->path == SN_PATH_MORPHS ? -1 : channel->joint;
    for (int p = 0; p < c->partCount && channel->path == SN_PATH_MORPHS; p++)
        if (c->parts[p].firstMorph == channel->joint && c->parts[p].targetCount == channel->width)
            joint = c->parts[p].node;
    int node = joint >= 0 ? c->skeleton.joints[joint].fileNode : -1;
    return node < snJson_Count(writer->document.nodes) ? node : -1;
}

static int putTimes(snSoftWriter *writer, const snChannel *channel, Times *known, int *knownCount)
{
    size_t bytes = (size_t)channel->keyCount * sizeof(float);
    for (int i = 0; i < *knownCount; i++)
        if (known[i].count == channel->keyCount && !memcmp(known[i].values, channel->times, bytes))
            return known[i].accessor;
    int accessor =
        snGlbBuilder_Floats(&writer->glb, channel->times, channel->keyCount, 1, SN_GLB_BOUNDS);
    known[(*knownCount)++] = (Times){channel->times, channel->keyCount, accessor};
    return accessor;
}

static void addChannel(snSoftWriter *writer, const snChannel *channel, int times,
                       const snChannelLists *lists)
{
    static const char *const paths[] = {"translation", "rotation", "scale", "weights"};
    bool weights = channel->path == SN_PATH_MORPHS;
    int width = weights ? 1 : channel->width;
    int output = snGlbBuilder_Floats(&writer->glb, channel->values,
                                     channel->keyCount * (channel->width / width), width, 0);
    const char *comma = (*lists->channelCount)++ ? "," : "";
    snBytes_Format(lists->samplers, "%s{\"input\":%d,\"output\":%d,\"interpolation\":\"LINEAR\"}",
                   comma, times, output);
    snBytes_Format(lists->channels, "%s{\"sampler\":%d,\"target\":{\"node\":%d,\"path\":\"%s\"}}",
                   comma, (*lists->samplerCount)++, nodeOf(writer, channel), paths[channel->path]);
}

static snStatus checkChannel(const snSoftWriter *writer, const snClip *clip, int number)
{
    const snChannel *channel = &clip->channels[number];
    bool good = channel->interpolation == SN_LINEAR && channel->keyCount > 0 &&
                nodeOf(writer, channel) >= 0;
    for (int k = 0; good && k < channel->keyCount; k++)
        good = isfinite(channel->times[k]) && channel->times[k] >= 0 &&
               (k == 0 || channel->times[k] > channel->times[k - 1]);
    for (int k = 0; good && k < channel->keyCount * channel->width; k++)
        good = isfinite(channel->values[k]);
    if (good) return SN_OK;
    return snFail(writer->error, SN_ERROR_ARGUMENT,
                  "channel %d of the new clip '%.80s' does not fit the file", number, clip->name);
}

static void writeAnimation(snSoftWriter *writer, const snClip *clip, const snChannelLists *lists,
                           snBytes *text)
{
    snJsonWriter out = snMakeJsonWriter(text, false);
    snJsonWriter_BeginObject(&out);
    snJsonWriter_PutString(&out, "name", clip->name);
    snJsonWriter_Key(&out, "samplers");
    snJsonWriter_BeginArray(&out);
    snJsonWriter_Raw(&out, (const char *)lists->samplers->data, lists->samplers->size);
    snJsonWriter_EndArray(&out);
    snJsonWriter_Key(&out, "channels");
    snJsonWriter_BeginArray(&out);
    snJsonWriter_Raw(&out, (const char *)lists->channels->data, lists->channels->size);
    snJsonWriter_EndArray(&out);
    snJsonWriter_EndObject(&out);
    if (lists->samplers->failed || lists->channels->failed) text->failed = true;
    snJsonSpot list =
        snJsonEdit_Open(&writer->edit, snJsonEdit_Root(), "animations", SN_JSON_ARRAY);
    if (!text->failed) snJsonEdit_Append(&writer->edit, list, (const char *)text->data, text->size);
}

static snStatus addClip(snSoftWriter *writer, const snClip *clip)
{
    const snAllocator *allocator = &writer->arena->allocator;
    snBytes samplers = snMakeBytesFrom(allocator), channels = snMakeBytesFrom(allocator);
    snBytes text = snMakeBytesFrom(allocator);
    int samplerCount = 0, channelCount = 0, knownCount = 0;
    snChannelLists lists = {&samplers, &channels, &samplerCount, &channelCount};
    Times *known = SN_NEW(writer->arena, Times, clip->channelCount);
    snStatus status = known ? SN_OK : snFailMemory(writer->error);
    for (int i = 0; i < clip->channelCount && !status; i++)
        status = checkChannel(writer, clip, i);
    if (!status && clip->channelCount == 0)
        status = snFail(writer->error, SN_ERROR_ARGUMENT, "the new clip '%.80s' moves nothing",
                        clip->name);
    for (int i = 0; i < clip->channelCount && !status; i++) {
        const snChannel *channel = &clip->channels[i];
        addChannel(writer, channel, putTimes(writer, channel, known, &knownCount), &lists);
    }
    if (!status) {
        writeAnimation(writer, clip, &lists, &text);
        status = snBytes_Check(&text, writer->error);
    }
    snBytes_Destroy(&samplers);
    snBytes_Destroy(&channels);
    snBytes_Destroy(&text);
    return status;
}

snStatus snSoft_AddPlain(snSoftWriter *writer)
{
    snStatus status = SN_OK;
    for (int i = 0; i < writer->plainCount && !status; i++)
        status = addClip(writer, &writer->plain[i]);
    return status;
}
