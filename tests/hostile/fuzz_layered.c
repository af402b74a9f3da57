#include "tests/hostile/fuzz_layered.h"

#include "core/error.h"
#include "layered/file.h"
#include "layered/operations.h"
#include "layered/play.h"
#include "layered/script.h"

#include <stdlib.h>
#include <string.h>

#define MOST_POINTS 600
#define MOST_SIDE 24
#define MOST_CELLS 4e4

// ---- what takes long ----

// The number behind a key of a line; 0: there is none.
static double numberOf(const char *line, size_t size, const char *key)
{
    char copy[512];
    if (size >= sizeof copy) return 1e9;
    memcpy(copy, line, size);
    copy[size] = 0;
    const char *at = strstr(copy, key);
    return at ? strtod(at + strlen(key), NULL) : 0;
}

static bool hasWord(const char *line, size_t size, const char *word)
{
    size_t length = strlen(word);
    for (size_t i = 0; i + length <= size; i++)
        if (!memcmp(line + i, word, length)) return true;
    return false;
}

// A mesh with cells of that size has to look at so many of them.
static double cellsOf(const snLayered *layered, double cell)
{
    snFigure figure;
    snBox box = snEmptyBox();
    if (!(cell > 0) || snFigure_Build(&figure, layered, NULL)) return 0;
    for (int m = 0; m < figure.muscleCount; m++)
        box = snBoxUnion(box, figure.muscles[m].bounds);
    snFigure_Destroy(&figure);
    snVec3 size = snScale(1 / cell, snSub(box.upper, box.lower));
    return size.x * size.y * size.z;
}

static bool isHeavyLine(const snEditor *editor, const char *line, size_t size)
{
    const snLayered *l = &editor->layered;
    bool skin = hasWord(line, size, "skin") || hasWord(line, size, "drag");
    if (!skin) return false;
    if (numberOf(line, size, "rows=") > MOST_SIDE || numberOf(line, size, "columns=") > MOST_SIDE ||
        numberOf(line, size, "rounds=") > 50 || numberOf(line, size, "seconds=") > 3)
        return true;
    if (hasWord(line, size, "create") || hasWord(line, size, "drag")) { // by default
        const snLayeredSettings *s = snLayered_Settings(l);
        if (s->designRows > MOST_SIDE || s->designColumns > MOST_SIDE) return true;
    }
    if (hasWord(line, size, "double") && snLayered_Count(l, SN_TABLE_POINTS) > MOST_POINTS / 4)
        return true;
    double cell = numberOf(line, size, "cell=");
    if (hasWord(line, size, "cm")) cell *= 0.01;
    if (hasWord(line, size, "mm")) cell *= 0.001;
    return hasWord(line, size, "mesh") && !(cellsOf(l, cell) < MOST_CELLS);
}

// ---- what must hold ----

static void write(const snEditor *editor, snBytes *out)
{
    snBytes_Clear(out);
    snLayered_Write(&editor->layered, out);
}

static bool isSame(const snBytes *a, const snBytes *b)
{
    return a->size == b->size && (!a->size || !memcmp(a->data, b->data, a->size));
}

// It fits together, and what is written reads back to the same bytes.
static snStatus checkRound(const snEditor *editor, const snContext *context, snError *error)
{
    snBytes first = snMakeBytes(context), second = snMakeBytes(context);
    snEditor again;
    snStatus status = snLayered_Check(&editor->layered, error);
    write(editor, &first);
    if (!status)
        status = snEditor_Read(&again, (const char *)first.data, first.size, context, error);
    if (!status) {
        write(&again, &second);
        if (!isSame(&first, &second))
            status = snFail(error, SN_ERROR_FORMAT, "it reads back to other bytes");
        snEditor_Destroy(&again);
    }
    snBytes_Destroy(&first);
    snBytes_Destroy(&second);
    return status;
}

static snStatus checkUndo(snEditor *editor, const snBytes *begin, const snContext *context,
                          snError *error)
{
    snBytes end = snMakeBytes(context), now = snMakeBytes(context);
    snStatus status = SN_OK;
    if (editor->depth) status = snFail(error, SN_ERROR_FORMAT, "a step is left open");
    write(editor, &end);
    while (snEditor_Undo(editor)) {}
    write(editor, &now);
    if (!status && !isSame(begin, &now))
        status = snFail(error, SN_ERROR_FORMAT, "undone it is another");
    while (snEditor_Redo(editor)) {}
    write(editor, &now);
    if (!status && !isSame(&end, &now))
        status = snFail(error, SN_ERROR_FORMAT, "done again it is another");
    snBytes_Destroy(&end);
    snBytes_Destroy(&now);
    return status;
}

static bool isSmall(const snEditor *editor)
{
    const snLayered *l = &editor->layered;
    return snLayered_Count(l, SN_TABLE_POINTS) <= MOST_POINTS &&
           snLayered_Count(l, SN_TABLE_JOINTS) < 100 && snLayered_Count(l, SN_TABLE_MUSCLES) < 100;
}

// More than a few frames.
static bool isLong(const snEditor *editor)
{
    const snLayeredSettings *settings = snLayered_Settings(&editor->layered);
    double last = settings->duration;
    int count = snLayered_Count(&editor->layered, SN_TABLE_POSTURES);
    if (!(last > 0) && count) last = snLayered_Postures(&editor->layered)[count - 1].time;
    return last > 2 || last * settings->frameRate > 60;
}

// Other resolutions, and a frame of playing.
static void goOn(snEditor *editor)
{
    snPlayDef def = {.smooth = 1};
    snPlay *play;
    if (!isSmall(editor) || !snLayered_Skin(&editor->layered)) return;
    snEdit_HalveSkin(editor, NULL);
    if (snLayered_Count(&editor->layered, SN_TABLE_POINTS) < MOST_POINTS / 4)
        snEdit_DoubleSkin(editor, NULL);
    if (snPlay_Make(&play, &editor->layered, &def, NULL)) return;
    snPlay_Destroy(play);
}

static snStatus runLines(snEditor *editor, const char *text, size_t size, bool *heavy,
                         snError *error)
{
    snScriptReport report = {0};
    snStatus status = SN_OK;
    for (size_t at = 0; at < size && !status;) {
        const char *end = memchr(text + at, '\n', size - at);
        size_t length = end ? (size_t)(end - text) - at : size - at;
        if (isHeavyLine(editor, text + at, length))
            *heavy = true;
        else
            status = snScript_RunLine(editor, text + at, length, &report, error);
        at += length + 1;
    }
    while (editor->depth)
        snEditor_End(editor, status, NULL);
    return status;
}

static snStatus open(snFormat format, snEditor *editor, const uint8_t *bytes, size_t size,
                     bool *heavy, snBytes *begin, const snContext *context, snError *error)
{
    const char *text = (const char *)bytes;
    if (format == SN_FORMAT_CHARACTER) {
        snStatus status = snEditor_Read(editor, text, size, context, error);
        if (!status) write(editor, begin);
        if (!status) *heavy = !isSmall(editor) || isLong(editor);
        return status;
    }
    if (snEditor_Make(editor, context, error)) return SN_ERROR_MEMORY;
    write(editor, begin);
    return runLines(editor, text, size, heavy, error);
}

snStatus snFuzz_Layered(snFormat format, const uint8_t *bytes, size_t size,
                        const snContext *context, snStatus *read, snError *error)
{
    snEditor editor = {0};
    snBytes begin = snMakeBytes(context);
    snError wrong = {0};
    bool heavy = false;
    *read = open(format, &editor, bytes, size, &heavy, &begin, context, error);
    snStatus status = SN_OK;
    if (!*read || format == SN_FORMAT_SCRIPT) {
        status = checkRound(&editor, context, &wrong);
        if (!status) goOn(&editor);
        if (!status) status = checkRound(&editor, context, &wrong);
        if (!status) status = checkUndo(&editor, &begin, context, &wrong);
        snEditor_Destroy(&editor);
    }
    snBytes_Destroy(&begin);
    if (status) *error = wrong;
    return status;
}

bool snFuzz_IsHeavy(snFormat format, const uint8_t *bytes, size_t size, const snContext *context)
{
    snEditor editor = {0};
    snBytes begin = snMakeBytes(context);
    bool heavy = false;
    snStatus read = open(format, &editor, bytes, size, &heavy, &begin, context, NULL);
    if (!read || format == SN_FORMAT_SCRIPT) snEditor_Destroy(&editor);
    snBytes_Destroy(&begin);
    return heavy;
}
