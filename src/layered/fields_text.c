#include "layered/fields.h"

#include "asset/json_number.h"
#include "core/elementary.h"
#include "core/suggest.h"

#include <stdio.h>
#include <string.h>

#define MOST_TEXT 4096

const char *snColumnDef_Form(const snColumnDef *field)
{
    static const char *const forms[] = {
        [SN_COLUMN_NAME] = "NAME",
        [SN_COLUMN_TEXT] = "\"text\"",
        [SN_COLUMN_JOINT] = "JOINT",
        [SN_COLUMN_MUSCLE] = "MUSCLE",
        [SN_COLUMN_INT] = "count",
        [SN_COLUMN_FLAG] = "yes|no",
        [SN_COLUMN_WORD] = "word",
        [SN_COLUMN_NUMBER] = "number",
        [SN_COLUMN_PAIR] = "u,v",
        [SN_COLUMN_VECTOR] = "x,y,z",
        [SN_COLUMN_ROTATION] = "x:30,y:10",
        [SN_COLUMN_DRIVEN] = ("number, keys(time:value,...), map(JOINT:angle:value,...) or "
                              "poly(JOINT:c0,c1,...)")};
    return forms[field->kind];
}

// Copies the piece up to the next `separator` and goes behind it; false: there is none left.
static bool nextPiece(const char **text, char separator, char *piece, size_t size)
{
    if (!*text) return false;
    const char *end = strchr(*text, separator);
    size_t length = end ? (size_t)(end - *text) : strlen(*text);
    if (length >= size) length = size - 1; // then it is no number
    memcpy(piece, *text, length);
    piece[length] = 0;
    *text = end ? end + 1 : NULL;
    return true;
}

static snStatus parseNumber(const snColumnDef *field, const char *text, double *out, snError *error)
{
    double value;
    bool bare;
    const char *units = snQuantity_Units(field->unit);
    if (!snParseQuantity(text, field->unit, &value, &bare))
        return snFail(error, SN_ERROR_ARGUMENT, "\"%.40s\" is no number%s%s%s", text,
                      *units ? " with a unit (" : "", units, *units ? ")" : "");
    if (field->unit == SN_QUANTITY_ANGLE && !bare) value *= 180 / SN_PI;
    if (!(value >= field->low && value <= field->high))
        return snFail(error, SN_ERROR_ARGUMENT, "%.40s must be from %g to %g", text, field->low,
                      field->high);
    *out = value;
    return SN_OK;
}

// "1,2,3"; one number stands for all of them.
static snStatus parseNumbers(const snColumnDef *field, const char *text, int count, double *out,
                             snError *error)
{
    char piece[64] = "";
    double values[4];
    int found = 0;
    const char *rest = text;
    snStatus status = SN_OK;
    do {
        nextPiece(&rest, ',', piece, sizeof piece);
        if (found < count) status = parseNumber(field, piece, &values[found], error);
        found++;
    } while (rest && !status);
    if (status) return status;
    if (found != count && found != 1)
        return snFail(error, SN_ERROR_ARGUMENT, "\"%.60s\" must be %d numbers, like %s", text,
                      count, count == 2 ? "0.5,1" : "0.1,0.2,0.3");
    for (int i = 0; i < count; i++)
        out[i] = values[found == 1 ? 0 : i];
    return SN_OK;
}

// "x:30,y:10": the turns one after another, each about the axes as they were before it; "q:x,y,z,w".
static snStatus parseRotation(const char *text, snQuat *out, snError *error)
{
    const snColumnDef angle = {.low = -1e6, .high = 1e6, .unit = SN_QUANTITY_ANGLE};
    const snColumnDef part = {.low = -1, .high = 1};
    char piece[64];
    double degrees, q[4];
    snQuat turn = snIdentityQuat();
    snStatus status = SN_OK;
    if (!strncmp(text, "q:", 2)) {
        status = parseNumbers(&part, text + 2, 4, q, error);
        if (!status) *out = snNormalizeQ((snQuat){q[0], q[1], q[2], q[3]});
        return status;
    }
    for (const char *rest = text; !status && nextPiece(&rest, ',', piece, sizeof piece);) {
        int axis = piece[0] - 'x';
        if (axis < 0 || axis > 2 || piece[1] != ':')
            return snFail(error, SN_ERROR_ARGUMENT,
                          "\"%.60s\" is no rotation; write it as x:30 or x:30,z:-10", text);
        status = parseNumber(&angle, piece + 2, &degrees, error);
        if (status) break;
        snVec3 unit = snVec(axis == 0, axis == 1, axis == 2);
        turn = snMulQQ(snQuatFromAxisAngle(unit, degrees * (SN_PI / 180)), turn);
    }
    if (!status) *out = snNormalizeQ(turn);
    return status;
}

static snStatus parseWord(const snColumnDef *field, const char *text, int *out, snError *error)
{
    int found = snFindWord(text, field->words, field->wordCount);
    if (found < 0)
        return snFail(error, SN_ERROR_ARGUMENT, "\"%.40s\" must be one of %s%s", text,
                      snListWords(field->words, field->wordCount).text,
                      snHint_Of("", snSuggest(text, field->words, field->wordCount), "").text);
    *out = found;
    return SN_OK;
}

static snStatus parseFlag(const char *text, int *out, snError *error)
{
    static const char *const yes[] = {"yes", "true", "on"}, *const no[] = {"no", "false", "off"};
    for (int i = 0; i < 3; i++)
        if (!strcmp(text, yes[i]) || !strcmp(text, no[i])) {
            *out = !strcmp(text, yes[i]);
            return SN_OK;
        }
    return snFail(error, SN_ERROR_ARGUMENT, "\"%.40s\" must be yes or no", text);
}

static snStatus parseReference(snTable table, const snLayered *layered, const char *text, int *out,
                               snError *error)
{
    if (strcmp(text, "none")) return snLayered_Need(layered, table, text, out, error);
    *out = -1;
    return SN_OK;
}

// "elbow" or "elbow.y": names may have points themselves, so whole names come first.
static snStatus parseAngle(const snLayered *layered, const char *text, snDriven *driven,
                           snError *error)
{
    char name[SN_NAME_SIZE];
    size_t length = strlen(text);
    driven->joint = snLayered_Find(layered, SN_TABLE_JOINTS, text);
    if (driven->joint >= 0) return SN_OK;
    if (length > 2 && length < sizeof name && text[length - 2] == '.' &&
        (text[length - 1] == 'y' || text[length - 1] == 'z')) {
        driven->angle = text[length - 1] == 'y' ? 1 : 2;
        memcpy(name, text, length - 2);
        name[length - 2] = 0;
        return snLayered_Need(layered, SN_TABLE_JOINTS, name, &driven->joint, error);
    }
    return snLayered_Need(layered, SN_TABLE_JOINTS, text, &driven->joint, error);
}

static snStatus parsePoint(const snColumnDef *field, snDriven *driven, char *piece, snError *error)
{
    const snColumnDef any = {.low = -1e12, .high = 1e12};
    int n = driven->count;
    if (n == SN_DRIVEN_POINTS)
        return snFail(error, SN_ERROR_ARGUMENT, "there are more than %d points", SN_DRIVEN_POINTS);
    double *point = driven->points[driven->count++];
    if (driven->kind == SN_DRIVEN_POLYNOMIAL) return parseNumber(&any, piece, point, error);
    char *colon = strchr(piece, ':');
    if (!colon)
        return snFail(error, SN_ERROR_ARGUMENT, "\"%.40s\" must be a pair like 0.5:30", piece);
    *colon = 0;
    snStatus status = parseNumber(&any, piece, point, error);
    if (!status) status = parseNumber(field, colon + 1, point + 1, error);
    if (!status && n && !(point[0] > driven->points[n - 1][0]))
        status = snFail(error, SN_ERROR_ARGUMENT, "%g does not come after %g; they must ascend",
                        point[0], driven->points[n - 1][0]);
    return status;
}

static snStatus parseDriven(const snColumnDef *field, const snLayered *layered, const char *text,
                            snDriven *out, snError *error)
{
    static const char *const words[] = {"", "keys(", "map(", "poly("};
    char inner[MOST_TEXT], piece[256];
    snDriven driven = {.joint = -1};
    snStatus status = SN_OK;
    size_t length = strlen(text);
    for (int kind = SN_DRIVEN_KEYS; kind <= SN_DRIVEN_POLYNOMIAL; kind++)
        if (!strncmp(text, words[kind], strlen(words[kind]))) driven.kind = kind;
    if (driven.kind == SN_DRIVEN_NUMBER) {
        status = parseNumber(field, text, &driven.value, error);
        if (!status) *out = driven;
        return status;
    }
    size_t skip = strlen(words[driven.kind]);
    if (length >= sizeof inner || text[length - 1] != ')')
        return snFail(error, SN_ERROR_ARGUMENT, "\"%.60s\" must end in )", text);
    memcpy(inner, text + skip, length - skip - 1);
    inner[length - skip - 1] = 0;
    const char *rest = inner;
    if (driven.kind != SN_DRIVEN_KEYS) {
        if (!strchr(rest, ':'))
            return snFail(error, SN_ERROR_ARGUMENT,
                          "\"%.60s\" must begin with a joint, like elbow:", text);
        nextPiece(&rest, ':', piece, sizeof piece);
        status = parseAngle(layered, piece, &driven, error);
    }
    while (!status && nextPiece(&rest, ',', piece, sizeof piece))
        status = parsePoint(field, &driven, piece, error);
    if (!status) *out = driven;
    return status;
}

static snStatus parseText(const snColumnDef *field, const char *text, char *out, snError *error)
{
    if (field->kind == SN_COLUMN_NAME && snName_Check(text, error)) return SN_ERROR_ARGUMENT;
    if (strlen(text) >= SN_NAME_SIZE)
        return snFail(error, SN_ERROR_ARGUMENT, "\"%.40s...\" is too long: %d bytes are the most",
                      text, SN_NAME_SIZE - 1);
    if (!snIsUtf8(text, strlen(text)))
        return snFail(error, SN_ERROR_ARGUMENT, "there are bytes that are no text (UTF-8)");
    memset(out, 0, SN_NAME_SIZE);
    memcpy(out, text, strlen(text));
    return SN_OK;
}

snStatus snColumn_Parse(const snColumnDef *field, void *row, const snLayered *layered,
                        const char *text, snError *error)
{
    void *at = (char *)row + field->offset;
    double number;
    snStatus status;
    switch (field->kind) {
    case SN_COLUMN_NAME:
    case SN_COLUMN_TEXT:
        return parseText(field, text, at, error);
    case SN_COLUMN_JOINT:
        return parseReference(SN_TABLE_JOINTS, layered, text, at, error);
    case SN_COLUMN_MUSCLE:
        return parseReference(SN_TABLE_MUSCLES, layered, text, at, error);
    case SN_COLUMN_INT:
        status = parseNumber(field, text, &number, error);
        if (!status && number != (double)(int)number)
            return snFail(error, SN_ERROR_ARGUMENT, "%.40s must be a whole number", text);
        if (!status) *(int *)at = (int)number;
        return status;
    case SN_COLUMN_FLAG:
        return parseFlag(text, at, error);
    case SN_COLUMN_WORD:
        return parseWord(field, text, at, error);
    case SN_COLUMN_NUMBER:
        return parseNumber(field, text, at, error);
    case SN_COLUMN_PAIR:
        return parseNumbers(field, text, 2, at, error);
    case SN_COLUMN_VECTOR:
        return parseNumbers(field, text, 3, at, error);
    case SN_COLUMN_ROTATION:
        return parseRotation(text, at, error);
    case SN_COLUMN_DRIVEN:
        return parseDriven(field, layered, text, at, error);
    }
    return SN_OK;
}
