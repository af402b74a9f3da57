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
#define MOST_DEAR 500 // lines about skins or by a hand: a good script that is only long

// ---- seeds ----

// Layered characters: scripts with every operation, and the documents that they make.
static const char *const scripts[] = {
    ("settings title=\"a figure\" loop=yes duration=1 integrator=rk4 tolerance=0.01 pace=0.5\n"
     "joint add root parent=none at=0,0.1,0 turn=y:20\njoint add spine at=0,0.3,0\n"
     "joint add shoulder.l at=0.1,0.25,0 kind=ball axis=1,0,0\n"
     "joint set shoulder.l low=-30,-80,-80 high=90,80,80\n"
     "joint add elbow.l at=0.3,0,0 kind=hinge axis=0,1,0 limited=yes low=-150 high=0\n"
     "joint add hand.l at=0.25,0,0 kind=fixed\njoint add top parent=spine at=0,0.5,0 kind=fixed\n"
     "joint add bottom parent=root at=0,-0.1,0 kind=fixed size=1cm\n"
     "muscle add trunk joint=spine at=0,0.1,0 shape=superellipsoid size=0.15,0.3,0.1 e1=0.8\n"
     "muscle set trunk taper=keys(0:0,1:0.3) twist=poly(shoulder.l.y:0,0.2,0.001)\n"
     "muscle add hip joint=root size=0.12\nmuscle add biceps.l joint=shoulder.l shape=cylinder "
     "at=0.15,0,0 size=4cm,12cm,4cm turn=z:90\n"
     "muscle bulge biceps.l at=4cm,0,0 width=5cm height=map(elbow.l:-120:0.03,0:0)\n"
     "mirror left=.l right=.r\nskin create bottom=bottom top=top rows=6 columns=8 way=rays\n"
     "skin attach\nskin fat near=0,0.4,0.1 radius=5cm amount=1cm\n"
     "skin paint stiffness=3e4 mass=1.5 color=1,0.2,0 near=0,0.5,0 radius=0.1\n"
     "pose reach hand.l to=0.3,0.8,0.3 and hand.r to=-0.3,0.8,0.3\n"
     "posture keep up time=0 tension=0.5\npose reset\nposture keep down time=1 bias=-0.25\n"
     "check\n"),
    ("joint add a parent=none at=0,0,0\njoint add b at=0,0.3,0 size=2cm\njoint add c at=0.2,0,0\n"
     "muscle add m joint=a at=0,0.15,0 size=0.1\nmuscle add n joint=b shape=cylinder size=3cm\n"
     "group\nskin mesh cell=8cm blend=2cm\nskin attach reach=0.5\nend\nskin halve\nskin double\n"
     "skin smooth near=0,0.1,0.1 radius=4cm amount=0.5\nskin attach point=3 muscle=m to=0,0,0.1\n"
     "skin detach near=0,0.1,0.1 radius=4cm\njoint rename c name=d\nmuscle rename n name=o\n"
     "drag pose eye=0,0,3 at=0.2,0.3,0 to=0.1,0.4,0\ndrag size at=0,0.3,0.03 to=0,0.3,0.04 "
     "reach=1\ndrag fat at=0,0.15,0.2 radius=5cm amount=1cm held=0.5\ndrag create at=0.4,0.4,0 "
     "to=0.5,0.4,0 shape=cylinder\ndrag delete at=0.4,0.4,0 reach=1cm\nundo 2\nredo\n"
     "joint move b by=0,0.1,0 children=stay\nskin set self=yes thickness=2mm pressure=100\n"
     "posture keep p time=0\npose joint b angles=10,0,0 shift=0,0.01,0\nposture keep q time=1\n"
     "posture set q time=2 continuity=0.5\nposture rename q name=r\nposture show r\n"
     "joint delete d\ncheck\n")};

snStatus snFuzz_AddSeeds(snCorpus *corpus, const snContext *context, snError *error)
{
    static const char *const names[] = {"figure", "mesh"};
    snStatus status = SN_OK;
    for (int i = 0; i < 2 && !status; i++) {
        snEditor editor;
        snScriptReport report;
        snBytes_AppendText(snCorpus_Add(corpus, SN_FORMAT_SCRIPT, names[i], context), scripts[i]);
        status = snEditor_Make(&editor, context, error);
        if (status) break;
        status = snScript_Run(&editor, scripts[i], strlen(scripts[i]), &report, error);
        snLayered_Write(&editor.layered,
                        snCorpus_Add(corpus, SN_FORMAT_CHARACTER, names[i], context));
        snEditor_Destroy(&editor);
    }
    return status;
}

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

static bool isDear(const char *line, size_t size)
{
    return hasWord(line, size, "skin") || hasWord(line, size, "drag");
}

static bool isHeavyLine(const snEditor *editor, const char *line, size_t size)
{
    const snLayered *l = &editor->layered;
    if (!isDear(line, size)) return false;
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
    int dear = 0;
    for (size_t at = 0; at < size && !status;) {
        const char *end = memchr(text + at, '\n', size - at);
        size_t length = end ? (size_t)(end - text) - at : size - at;
        dear += isDear(text + at, length);
        if (dear > MOST_DEAR || isHeavyLine(editor, text + at, length))
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
