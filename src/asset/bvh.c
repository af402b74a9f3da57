#include "asset/bvh.h"

#include "asset/json_number.h"
#include "core/array.h"
#include "core/elementary.h"
#include "core/error.h"
#include "core/text.h"

#include <stdio.h>
#include <string.h>

#define PI 3.14159265358979323846
#define MOST_CHANNELS 6
#define FEWEST_BYTES 2 // of a number with the blank behind it: what a file can hold at most

// 0 to 2: positions along x, y, z; 3 to 5: rotations about them.
typedef struct Node {
    const char *name; // in the character's arena
    int parent;       // -1: a root
    snVec3 offset;
    int channelCount;
    unsigned char channels[MOST_CHANNELS];
    int firstNumber; // of its channels in a frame
} Node;

typedef struct Reader {
    const char *at, *end;
    int line;
    const char *word; // the word at hand, in the file's own bytes
    size_t length;    // 0: there are no more
    int wordLine;
    const snContext *context;
    snArena *arena; // the character's
    SN_ARRAY(Node) nodes;
    int perFrame; // numbers
    int frameCount;
    double frameTime; // s
    snArena scratch;
    float *numbers; // [frameCount * perFrame], in it
    bool anyHeld;
    int *held;      // [perFrame], how many of each were not finite
    int *firstHeld; // [perFrame], the frame of the first
    snError *error;
} Reader;

// ---- words ----

static bool isBlank(char c)
{
    return c == ' ' || (c >= 9 && c <= 13) || c == 0;
}

static void nextWord(Reader *reader)
{
    for (; reader->at < reader->end && isBlank(*reader->at); reader->at++)
        reader->line += *reader->at == '\n';
    reader->word = reader->at;
    reader->wordLine = reader->line;
    while (reader->at < reader->end && !isBlank(*reader->at))
        reader->at++;
    reader->length = (size_t)(reader->at - reader->word);
}

// Words of the format are read without regard to capitals, as several programs write them.
static bool isWord(const Reader *reader, const char *text)
{
    if (strlen(text) != reader->length) return false;
    for (size_t i = 0; i < reader->length; i++)
        if (snLowered(reader->word[i]) != snLowered(text[i])) return false;
    return true;
}

static snStatus failHere(const Reader *reader, const char *wanted)
{
    if (!reader->length)
        return snFail(reader->error, SN_ERROR_FORMAT,
                      "line %d: the file ends where %s should be; it was not copied whole",
                      reader->wordLine, wanted);
    return snFail(reader->error, SN_ERROR_FORMAT, "line %d: \"%.*s\" where %s should be",
                  reader->wordLine, (int)(reader->length < 40 ? reader->length : 40), reader->word,
                  wanted);
}

static snStatus expect(Reader *reader, const char *text)
{
    char wanted[40];
    snprintf(wanted, sizeof wanted, "\"%s\"", text);
    if (!isWord(reader, text)) return failHere(reader, wanted);
    nextWord(reader);
    return SN_OK;
}

static snStatus readNumber(Reader *reader, const char *what, double *value)
{
    size_t used = snParseNumber(reader->word, reader->length, value);
    if (!used || used != reader->length || !(fabs(*value) <= 1e30)) return failHere(reader, what);
    nextWord(reader);
    return SN_OK;
}

static snStatus readCount(Reader *reader, const char *what, int most, int *count)
{
    double value;
    snStatus status = readNumber(reader, what, &value);
    if (status) return status;
    if (!(value >= 0 && value <= most) || value != floor(value))
        return snFail(reader->error, SN_ERROR_FORMAT, "line %d: %s is %g; it must be from 0 to %d",
                      reader->wordLine, what, value, most);
    *count = (int)value;
    return SN_OK;
}

// A name is all that follows on the line, up to a brace.
static const char *readName(Reader *reader)
{
    const char *begin = reader->word, *end = begin;
    if (!reader->length || isWord(reader, "{")) return snArena_CopyString(reader->arena, "", 0);
    while (end < reader->end && *end != '\n' && *end != '\r' && *end != '{')
        end++;
    reader->at = end;
    while (end > begin && isBlank(end[-1]))
        end--;
    nextWord(reader);
    return snArena_CopyString(reader->arena, begin, (size_t)(end - begin));
}

// ---- the hierarchy ----

static snStatus readOffset(Reader *reader, Node *node)
{
    snStatus status = readNumber(reader, "the offset's x", &node->offset.x);
    if (!status) status = readNumber(reader, "the offset's y", &node->offset.y);
    return status ? status : readNumber(reader, "the offset's z", &node->offset.z);
}

static int channelNamed(const Reader *reader)
{
    static const char *const names[MOST_CHANNELS] = {"Xposition", "Yposition", "Zposition",
                                                     "Xrotation", "Yrotation", "Zrotation"};
    for (int i = 0; i < MOST_CHANNELS; i++)
        if (isWord(reader, names[i])) return i;
    return -1;
}

static snStatus readChannels(Reader *reader, Node *node)
{
    int count = 0;
    snStatus status = readCount(reader, "the number of channels", MOST_CHANNELS, &count);
    node->firstNumber = reader->perFrame;
    for (int i = 0; i < count && !status; i++) {
        int channel = channelNamed(reader);
        if (channel < 0) return failHere(reader, "a channel such as Xposition or Zrotation");
        for (int k = 0; k < i; k++)
            if (node->channels[k] == channel) return failHere(reader, "a channel that is new");
        node->channels[i] = (unsigned char)channel;
        nextWord(reader);
    }
    node->channelCount = count;
    reader->perFrame += count;
    return status;
}

static snStatus addNode(Reader *reader, int parent, const char *name)
{
    Node node = {.name = name, .parent = parent};
    if (!name || !snArray_Push(&reader->context->allocator, &reader->nodes, node))
        return snFailMemory(reader->error);
    return SN_OK;
}

static const char *endName(Reader *reader, int parent)
{
    const char *name = reader->nodes.data[parent].name;
    size_t length = strlen(name);
    char *out = SN_NEW(reader->arena, char, length + 5);
    if (!out) return NULL;
    memcpy(out, name, length);
    memcpy(out + length, ".end", 5);
    return out;
}

// Begins a node: its heading and its brace. *open is the node in which we are.
static snStatus beginNode(Reader *reader, int *open)
{
    bool end = isWord(reader, "End");
    nextWord(reader);
    snStatus status = end ? expect(reader, "Site") : SN_OK;
    if (status) return status;
    const char *name = readName(reader); // some name End Sites
    if (name && end) name = endName(reader, *open);
    status = addNode(reader, *open, name);
    *open = reader->nodes.count - 1;
    return status ? status : expect(reader, "{");
}

// One statement within the hierarchy. An open node's parent is where its closing brace leads.
static snStatus readStatement(Reader *reader, int *open)
{
    bool root = isWord(reader, "ROOT");
    if (*open < 0 && !root) return failHere(reader, "ROOT or MOTION");
    if (root && *open >= 0) return failHere(reader, "JOINT, End Site, OFFSET, CHANNELS or }");
    if (root || isWord(reader, "JOINT") || isWord(reader, "End")) return beginNode(reader, open);
    Node *node = &reader->nodes.data[*open];
    if (isWord(reader, "OFFSET")) {
        nextWord(reader);
        return readOffset(reader, node);
    }
    if (isWord(reader, "CHANNELS")) {
        if (node->channelCount) return failHere(reader, "something other than channels again");
        nextWord(reader);
        return readChannels(reader, node);
    }
    if (!isWord(reader, "}")) return failHere(reader, "JOINT, End Site, OFFSET, CHANNELS or }");
    nextWord(reader);
    *open = node->parent;
    return SN_OK;
}

static snStatus readHierarchy(Reader *reader)
{
    int open = -1;
    if (!isWord(reader, "HIERARCHY"))
        return snFail(reader->error, SN_ERROR_FORMAT,
                      "no BVH file: it does not begin with HIERARCHY");
    nextWord(reader);
    snStatus status = SN_OK;
    while (!status && (open >= 0 || (reader->length && !isWord(reader, "MOTION"))))
        status = readStatement(reader, &open);
    if (!status && reader->nodes.count == 0)
        status = snFail(reader->error, SN_ERROR_FORMAT, "the hierarchy has no ROOT");
    return status;
}

// ---- the motion ----

// Words that programs write for what is no finite number: nan, -nan(ind), inf, 1.#QNAN.
static bool isNotFinite(const Reader *reader)
{
    char word[8] = "";
    size_t skip = reader->length && (*reader->word == '-' || *reader->word == '+');
    for (size_t i = 0; i + skip < reader->length && i < 3; i++)
        word[i] = snLowered(reader->word[i + skip]);
    return !strcmp(word, "nan") || !strcmp(word, "inf") || !strcmp(word, "1.#");
}

// The number of the frame before stands for one that is not finite; in the first frame 0 does.
static void holdNumber(Reader *reader, size_t i)
{
    size_t perFrame = (size_t)reader->perFrame, number = i % perFrame;
    if (!reader->anyHeld)
        snLog(reader->context, SN_LOG_WARNING,
              "line %d: number %zu of frame %zu is not finite: the last good one is held, and so "
              "for all that follow",
              reader->wordLine, number + 1, i / perFrame + 1);
    reader->anyHeld = true;
    if (reader->held[number]++ == 0) reader->firstHeld[number] = (int)(i / perFrame);
    reader->numbers[i] = i >= perFrame ? reader->numbers[i - perFrame] : 0;
    nextWord(reader);
}

static snStatus readFrames(Reader *reader)
{
    size_t count = (size_t)reader->frameCount * (size_t)reader->perFrame;
    if (count > (size_t)(reader->end - reader->word) / FEWEST_BYTES + 1)
        return snFail(reader->error, SN_ERROR_FORMAT,
                      "the file is too short for %d frames of %d numbers; it was not copied whole",
                      reader->frameCount, reader->perFrame);
    reader->numbers = SN_NEW(&reader->scratch, float, count);
    reader->held = SN_NEW(&reader->scratch, int, reader->perFrame);
    reader->firstHeld = SN_NEW(&reader->scratch, int, reader->perFrame);
    if (!reader->numbers || !reader->held || !reader->firstHeld) return snFailMemory(reader->error);
    for (size_t i = 0; i < count; i++) {
        double value;
        if (isNotFinite(reader)) {
            holdNumber(reader, i);
            continue;
        }
        char what[80];
        snprintf(what, sizeof what, "number %zu of frame %zu", i % (size_t)reader->perFrame + 1,
                 i / (size_t)reader->perFrame + 1);
        snStatus status = readNumber(reader, what, &value);
        if (status) return status;
        reader->numbers[i] = (float)value;
    }
    if (reader->length)
        snLog(reader->context, SN_LOG_WARNING, "line %d: what follows the %d frames is not read",
              reader->wordLine, reader->frameCount);
    return SN_OK;
}

// "Frames: 3", with or without a blank before the colon.
static snStatus expectColon(Reader *reader, const char *text)
{
    char with[16];
    snprintf(with, sizeof with, "%s:", text);
    if (!isWord(reader, text)) return expect(reader, with);
    nextWord(reader);
    return expect(reader, ":");
}

static snStatus readMotion(Reader *reader)
{
    if (!reader->length) return SN_OK; // a skeleton alone
    snStatus status = expect(reader, "MOTION");
    if (!status) status = expectColon(reader, "Frames");
    if (!status) status = readCount(reader, "the number of frames", 1 << 24, &reader->frameCount);
    if (!status) status = expect(reader, "Frame");
    if (!status) status = expectColon(reader, "Time");
    if (!status) status = readNumber(reader, "the time of a frame", &reader->frameTime);
    if (status) return status;
    double seconds = reader->frameTime * reader->frameCount;
    if (reader->frameCount > 1 && !(reader->frameTime > 0 && seconds < 1e6))
        return snFail(reader->error, SN_ERROR_FORMAT,
                      "a frame takes %g s; it must take more than none, and all frames less than "
                      "a million",
                      reader->frameTime);
    return readFrames(reader);
}

// ---- the character ----

static bool has(const Node *node, int first)
{
    for (int i = 0; i < node->channelCount; i++)
        if (node->channels[i] >= first && node->channels[i] < first + 3) return true;
    return false;
}

// Channels multiply from left to right: Zrotation Xrotation is R = R_z R_x.
static snQuat rotationOf(const Node *node, const float *frame)
{
    snQuat q = snIdentityQuat();
    for (int i = 0; i < node->channelCount; i++) {
        int axis = node->channels[i] - 3;
        if (axis < 0) continue;
        double half = (double)frame[node->firstNumber + i] * (PI / 360);
        double s = snSin(half), c = snCos(half);
        snQuat turn = {axis == 0 ? s : 0, axis == 1 ? s : 0, axis == 2 ? s : 0, c};
        q = snMulQQ(q, turn);
    }
    return q;
}

static snVec3 positionOf(const Node *node, const float *frame)
{
    double p[3] = {node->offset.x, node->offset.y, node->offset.z};
    for (int i = 0; i < node->channelCount; i++)
        if (node->channels[i] < 3) p[node->channels[i]] = (double)frame[node->firstNumber + i];
    return snVec(p[0], p[1], p[2]);
}

// Of q and -q, which turn alike, the one nearer to the key before.
static void fillRotations(const Reader *reader, const Node *node, float *values)
{
    snQuat last = snIdentityQuat();
    for (int k = 0; k < reader->frameCount; k++) {
        snQuat q = rotationOf(node, reader->numbers + (size_t)k * (size_t)reader->perFrame);
        if (snDotQ(q, last) < 0) q = (snQuat){-q.x, -q.y, -q.z, -q.w};
        float four[4] = {(float)q.x, (float)q.y, (float)q.z, (float)q.w};
        memcpy(values + 4 * (size_t)k, four, sizeof four);
        last = q;
    }
}

static void fillPositions(const Reader *reader, const Node *node, float *values)
{
    for (int k = 0; k < reader->frameCount; k++) {
        snVec3f p = snToF(positionOf(node, reader->numbers + (size_t)k * (size_t)reader->perFrame));
        memcpy(values + 3 * (size_t)k, &p, sizeof p);
    }
}

static snStatus addChannel(Reader *reader, int joint, snPath path, const float *times, snClip *clip)
{
    const Node *node = &reader->nodes.data[joint];
    int width = path == SN_PATH_ROTATION ? 4 : 3;
    float *values = SN_NEW(reader->arena, float, (size_t)reader->frameCount *(size_t)width);
    if (!values) return snFailMemory(reader->error);
    if (path == SN_PATH_ROTATION)
        fillRotations(reader, node, values);
    else
        fillPositions(reader, node, values);
    clip->channels[clip->channelCount++] =
        (snChannel){joint, path, SN_LINEAR, reader->frameCount, width, times, values};
    return SN_OK;
}

static void noteHeld(const Reader *reader, int joint, snClip *clip)
{
    const Node *node = &reader->nodes.data[joint];
    for (int i = 0; i < node->channelCount; i++) {
        int number = node->firstNumber + i;
        if (!reader->held[number]) continue;
        snPath path = node->channels[i] < 3 ? SN_PATH_TRANSLATION : SN_PATH_ROTATION;
        clip->held[clip->heldCount++] = (snHeldKeys){joint, path, reader->held[number],
                                                     reader->frameTime * reader->firstHeld[number]};
    }
}

static snStatus makeClip(Reader *reader, snCharacter *character)
{
    if (!reader->frameCount || !reader->perFrame) return SN_OK;
    snClip *clip = character->clips = SN_NEW(reader->arena, snClip, 1);
    float *times = SN_NEW(reader->arena, float, reader->frameCount);
    if (!clip || !times) return snFailMemory(reader->error);
    clip->name = SN_BVH_CLIP;
    clip->duration = reader->frameTime * (reader->frameCount - 1);
    clip->channels = SN_NEW(reader->arena, snChannel, 2 * (size_t)reader->nodes.count);
    clip->held = SN_NEW(reader->arena, snHeldKeys, reader->perFrame);
    if (!clip->channels || !clip->held) return snFailMemory(reader->error);
    character->clipCount = 1;
    for (int k = 0; k < reader->frameCount; k++)
        times[k] = (float)(reader->frameTime * k);
    snStatus status = SN_OK;
    for (int j = 0; j < reader->nodes.count && !status; j++) {
        const Node *node = &reader->nodes.data[j];
        noteHeld(reader, j, clip);
        if (has(node, 0)) status = addChannel(reader, j, SN_PATH_TRANSLATION, times, clip);
        if (!status && has(node, 3)) status = addChannel(reader, j, SN_PATH_ROTATION, times, clip);
    }
    return status;
}

static snStatus makeSkeleton(const Reader *reader, snCharacter *character)
{
    int count = reader->nodes.count;
    snSkeleton *skeleton = &character->skeleton;
    skeleton->joints = SN_NEW(reader->arena, snJoint, count);
    if (!skeleton->joints) return snFailMemory(reader->error);
    skeleton->jointCount = count;
    for (int j = 0; j < count; j++) {
        const Node *node = &reader->nodes.data[j];
        snTransform rest = {node->offset, snIdentityQuat(), snVec(1, 1, 1)};
        skeleton->joints[j] = (snJoint){.name = node->name,
                                        .parent = node->parent,
                                        .rest = rest,
                                        .matrix = snIdentityAffine(),
                                        .fileNode = j};
    }
    return SN_OK;
}

snStatus snBvh_Read(snCharacter *character, const void *bytes, size_t size,
                    const snContext *context, snError *error)
{
    *character = (snCharacter){.arena = snMakeArena(context)};
    Reader reader = {.at = bytes,
                     .end = (const char *)bytes + size,
                     .line = 1,
                     .context = context,
                     .arena = &character->arena,
                     .scratch = snMakeArena(context),
                     .error = error};
    if (size >= 3 && !memcmp(bytes, "\xEF\xBB\xBF", 3)) reader.at += 3;
    nextWord(&reader);
    snStatus status = readHierarchy(&reader);
    if (!status) status = readMotion(&reader);
    if (!status) status = makeSkeleton(&reader, character);
    if (!status) status = makeClip(&reader, character);
    snArray_Free(&context->allocator, &reader.nodes);
    snArena_Destroy(&reader.scratch);
    if (status) snCharacter_Destroy(character);
    return status;
}
