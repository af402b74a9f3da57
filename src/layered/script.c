#include "layered/script_parts.h"

#include "core/suggest.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define MOST_LINE 8192
#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))

// ---- arguments --------------------------------------------------------------------------------------

static const char *const ways[] = {"shrink", "rays"};
static const char *const hanging[] = {"move", "delete"};
static const char *const following[] = {"follow", "stay"};
static const char *const shapes[] = {"sphere", "superellipsoid", "cylinder"};
static const char *const aims[] = {"place", "turn", "both"};

#define EXTRA(name, kind, member, low, high, unit, help)                                           \
    {                                                                                              \
        name, kind, offsetof(snExtra, member), low, high, unit, NULL, 0, help                      \
    }

static const snColumnDef extraFields[] = {
    EXTRA("to", SN_COLUMN_VECTOR, to, -1e6, 1e6, SN_QUANTITY_LENGTH, "a place of the world"),
    EXTRA("by", SN_COLUMN_VECTOR, by, -1e6, 1e6, SN_QUANTITY_LENGTH, "how far, in the world"),
    EXTRA("near", SN_COLUMN_VECTOR, center, -1e6, 1e6, SN_QUANTITY_LENGTH, "the brush's middle"),
    EXTRA("times", SN_COLUMN_VECTOR, times, 1e-6, 1e6, SN_QUANTITY_PLAIN, "factors, or one"),
    EXTRA("color", SN_COLUMN_VECTOR, color, 0, 1, SN_QUANTITY_PLAIN, "red,green,blue, linear"),
    EXTRA("turn", SN_COLUMN_ROTATION, turn, -1, 1, SN_QUANTITY_PLAIN, "a rotation"),
    EXTRA("size", SN_COLUMN_NUMBER, size, 0, 1e6, SN_QUANTITY_LENGTH, "radius"),
    EXTRA("radius", SN_COLUMN_NUMBER, radius, 0, 1e6, SN_QUANTITY_LENGTH,
          "of the brush; left out: everywhere"),
    EXTRA("amount", SN_COLUMN_NUMBER, amount, -1e6, 1e6, SN_QUANTITY_LENGTH,
          "how much in the brush's middle"),
    EXTRA("reach", SN_COLUMN_NUMBER, reach, 0, 1e6, SN_QUANTITY_LENGTH, "how far muscles may be"),
    EXTRA("gap", SN_COLUMN_NUMBER, gap, 0, 1e6, SN_QUANTITY_LENGTH, "between skin and muscles"),
    EXTRA("smooth", SN_COLUMN_NUMBER, smooth, 0, 1, SN_QUANTITY_PLAIN,
          "0 hugs every hollow, 1 spans them"),
    EXTRA("cell", SN_COLUMN_NUMBER, cell, 1e-6, 1e6, SN_QUANTITY_LENGTH, "length of edges"),
    EXTRA("blend", SN_COLUMN_NUMBER, blend, 0, 1e6, SN_QUANTITY_LENGTH,
          "over which muscles melt together"),
    EXTRA("rows", SN_COLUMN_INT, rows, 3, 4096, SN_QUANTITY_PLAIN, "from bottom to top"),
    EXTRA("columns", SN_COLUMN_INT, columns, 3, 4096, SN_QUANTITY_PLAIN, "round"),
    EXTRA("rounds", SN_COLUMN_INT, rounds, 0, 10000, SN_QUANTITY_PLAIN, "of smoothing, by rays"),
    EXTRA("seconds", SN_COLUMN_NUMBER, seconds, 0, 100, SN_QUANTITY_TIME, "of shrinking, at most"),
    {"way", SN_COLUMN_WORD, offsetof(snExtra, way), 0, 0, SN_QUANTITY_PLAIN, ways, 2,
     "shrink by its physics (as by default), or by rays, which is quicker"},
    EXTRA("number", SN_COLUMN_INT, number, 1, SN_WARP_BULGES, SN_QUANTITY_PLAIN,
          "which bulge; left out: a new one"),
    EXTRA("point", SN_COLUMN_INT, point, 0, SN_MOST_POINTS, SN_QUANTITY_PLAIN, "of the skin"),
    EXTRA("joints", SN_COLUMN_INT, joints, 0, SN_MOST_JOINTS, SN_QUANTITY_PLAIN, "how many"),
    EXTRA("muscles", SN_COLUMN_INT, muscles, 0, SN_MOST_JOINTS, SN_QUANTITY_PLAIN, "how many"),
    EXTRA("points", SN_COLUMN_INT, points, 0, SN_MOST_POINTS, SN_QUANTITY_PLAIN, "how many"),
    EXTRA("postures", SN_COLUMN_INT, postures, 0, SN_MOST_JOINTS, SN_QUANTITY_PLAIN, "how many"),
    EXTRA("root", SN_COLUMN_JOINT, root, 0, 0, SN_QUANTITY_PLAIN,
          "topmost joint that turns; left out: up to the nearest branch"),
    EXTRA("bottom", SN_COLUMN_JOINT, bottom, 0, 0, SN_QUANTITY_PLAIN, "holds the lower end"),
    EXTRA("top", SN_COLUMN_JOINT, top, 0, 0, SN_QUANTITY_PLAIN, "holds the upper end"),
    EXTRA("muscle", SN_COLUMN_MUSCLE, muscle, 0, 0, SN_QUANTITY_PLAIN, "on which"),
    {"hanging", SN_COLUMN_WORD, offsetof(snExtra, hanging), 0, 0, SN_QUANTITY_PLAIN, hanging, 2,
     "what hangs on it: move to its parent (as by default), or delete"},
    {"children", SN_COLUMN_WORD, offsetof(snExtra, children), 0, 0, SN_QUANTITY_PLAIN, following, 2,
     "follow (as by default), or stay where they are"},
    EXTRA("at", SN_COLUMN_VECTOR, at, -1e6, 1e6, SN_QUANTITY_LENGTH,
          "where the hand takes it: the tip, or with an eye a place that a mouse points at"),
    EXTRA("eye", SN_COLUMN_VECTOR, eye, -1e6, 1e6, SN_QUANTITY_LENGTH,
          "from where a mouse's rays come; left out: it is a controller"),
    EXTRA("to-turn", SN_COLUMN_ROTATION, toTurn, -1, 1, SN_QUANTITY_PLAIN,
          "the controller's rotation at the end"),
    EXTRA("held", SN_COLUMN_NUMBER, held, 0, 1e6, SN_QUANTITY_TIME, "how long (1 s)"),
    {"shape", SN_COLUMN_WORD, offsetof(snExtra, shape), 0, 0, SN_QUANTITY_PLAIN, shapes, 3,
     "of a new muscle"},
    {"aim", SN_COLUMN_WORD, offsetof(snExtra, aim), 0, 0, SN_QUANTITY_PLAIN, aims, 3,
     "what a pose follows: the place (as by default), the rotation, or both"},
    EXTRA("name", SN_COLUMN_NAME, name, 0, 0, SN_QUANTITY_PLAIN, "the new name"),
    EXTRA("left", SN_COLUMN_TEXT, left, 0, 0, SN_QUANTITY_PLAIN, "ending of names to copy: .l"),
    EXTRA("right", SN_COLUMN_TEXT, right, 0, 0, SN_QUANTITY_PLAIN, "ending of their twins: .r"),
};

snColumns snExtra_Fields(void)
{
    return (snColumns){extraFields, COUNT(extraFields)};
}

snColumns snColumnSource_Fields(snColumnSource source)
{
    static const snTable tables[] = {
        [SN_FIELDS_SETTINGS] = SN_TABLE_SETTINGS, [SN_FIELDS_JOINT] = SN_TABLE_JOINTS,
        [SN_FIELDS_MUSCLE] = SN_TABLE_MUSCLES,    [SN_FIELDS_SKIN] = SN_TABLE_SKIN,
        [SN_FIELDS_POINT] = SN_TABLE_POINTS,      [SN_FIELDS_MARK] = SN_TABLE_MARKS,
        [SN_FIELDS_POSTURE] = SN_TABLE_POSTURES};
    if (source == SN_FIELDS_NONE) return (snColumns){0};
    if (source == SN_FIELDS_BULGE) return snColumns_OfBulge();
    if (source == SN_FIELDS_POSE) return snColumns_OfPose();
    return snColumns_Of(tables[source]);
}

// Extras come first where an operation has a field of the same name.
static const snColumnDef *findExtra(const snOperation *operation, const char *key)
{
    const char *at = operation->extras;
    size_t length = strlen(key);
    for (; at && (at = strstr(at, key)); at++)
        if (at > operation->extras && at[-1] == ' ' && at[length] == ' ')
            return snColumns_Find(snExtra_Fields(), key);
    return NULL;
}

// The fields that an operation takes: not the name, which is the word behind it.
static const snColumnDef *findField(const snOperation *operation, const char *key)
{
    const snColumnDef *field = snColumns_Find(snColumnSource_Fields(operation->fields), key);
    return field && field->kind != SN_COLUMN_NAME ? field : NULL;
}

static snStatus unknownKey(const snCall *call, const char *key)
{
    const char *list[SN_MOST_WORDS];
    const snOperation *operation = call->operation;
    snColumns fields = snColumnSource_Fields(operation->fields), extras = snExtra_Fields();
    int count = 0;
    for (int i = 0; i < fields.count; i++)
        if (findField(operation, fields.list[i].name)) list[count++] = fields.list[i].name;
    for (int i = 0; i < extras.count && count < SN_MOST_WORDS; i++)
        if (findExtra(operation, extras.list[i].name)) list[count++] = extras.list[i].name;
    return snFail(call->error, SN_ERROR_ARGUMENT, "\"%s\" takes no %.40s%s", operation->words, key,
                  snHint_Of("", snSuggest(key, list, count), "").text);
}

bool snCall_Has(const snCall *call, const char *key)
{
    for (int i = 0; i < call->wordCount; i++)
        if (call->keys[i] && !strcmp(call->keys[i], key)) return true;
    return false;
}

static snStatus fillField(snCall *call, const snColumnDef *field, int word, void *row)
{
    snStatus status =
        snColumn_Parse(field, row, &call->editor->layered, call->values[word], call->error);
    if (status) snError_Prefix(call->error, "%s", call->keys[word]);
    return status;
}

snStatus snCall_Fill(snCall *call, void *row)
{
    snStatus status = SN_OK;
    for (int i = 0; i < call->wordCount && !status; i++) {
        if (!call->keys[i] || findExtra(call->operation, call->keys[i])) continue;
        const snColumnDef *field = findField(call->operation, call->keys[i]);
        if (field) status = fillField(call, field, i, row);
    }
    return status;
}

snStatus snCall_Row(snCall *call, snTable table, int *row)
{
    return snLayered_Need(&call->editor->layered, table, call->name, row, call->error);
}

snBrush snCall_Brush(const snCall *call)
{
    return (snBrush){call->extra.center, call->extra.radius};
}

// Extras are read beforehand, fields when the operation has a row for them.
static snStatus fillExtras(snCall *call)
{
    snStatus status = SN_OK;
    call->extra = (snExtra){.root = -1,
                            .bottom = -1,
                            .top = -1,
                            .muscle = -1,
                            .turn = snIdentityQuat(),
                            .toTurn = snIdentityQuat(),
                            .times = {1, 1, 1}};
    for (int i = 0; i < call->wordCount && !status; i++) {
        const char *key = call->keys[i];
        if (!key) {
            status = snFail(call->error, SN_ERROR_ARGUMENT,
                            "\"%.40s\" is too much; arguments are written as key=value",
                            call->values[i]);
            break;
        }
        for (int k = 0; k < i && !status; k++)
            if (!strcmp(call->keys[k], key))
                status = snFail(call->error, SN_ERROR_ARGUMENT, "%.40s is given twice", key);
        const snColumnDef *extra = findExtra(call->operation, key);
        if (!status && extra)
            status = fillField(call, extra, i, &call->extra);
        else if (!status && !findField(call->operation, key))
            status = unknownKey(call, key);
    }
    return status;
}

// ---- lines ------------------------------------------------------------------------------------------

// Splits a line at spaces; quotation marks keep them, and # begins a comment. The words are in `line`.
static snStatus split(char *line, char **words, int *count, snError *error)
{
    char *at = line, *out;
    *count = 0;
    for (;;) {
        while (*at == ' ' || *at == '\t' || *at == '\r')
            at++;
        if (!*at || *at == '#') return SN_OK;
        if (*count == SN_MOST_WORDS)
            return snFail(error, SN_ERROR_ARGUMENT, "there are more than %d words", SN_MOST_WORDS);
        words[(*count)++] = out = at;
        bool quoted = false;
        for (; *at && (quoted || (*at != ' ' && *at != '\t' && *at != '\r')); at++) {
            if (*at == '"')
                quoted = !quoted;
            else
                *out++ = *at;
        }
        if (quoted) return snFail(error, SN_ERROR_ARGUMENT, "a quotation mark is missing");
        bool last = !*at;
        *out = 0;
        if (last) return SN_OK;
        at++;
    }
}

// The operation that the first words name, the longest first; *used is how many words.
static const snOperation *findOperation(char **words, int count, int *used)
{
    char name[64];
    for (*used = count < 2 ? count : 2; *used > 0; --*used) {
        snprintf(name, sizeof name, *used == 2 ? "%.30s %.30s" : "%.30s", words[0],
                 count > 1 ? words[1] : "");
        for (int i = 0; i < snOperationCount; i++)
            if (!strcmp(name, snOperations[i].words)) return &snOperations[i];
    }
    return NULL;
}

static snStatus unknownOperation(char **words, int count, snError *error)
{
    const char *list[SN_MOST_WORDS];
    char name[64];
    int n = 0;
    for (; n < snOperationCount && n < SN_MOST_WORDS; n++)
        list[n] = snOperations[n].words;
    snprintf(name, sizeof name, "%.30s%s%.30s", words[0], count > 1 ? " " : "",
             count > 1 ? words[1] : "");
    const char *guess = snSuggest(name, list, n);
    if (!guess) guess = snSuggest(words[0], list, n);
    return snFail(error, SN_ERROR_ARGUMENT, "there is no operation \"%s\"%s", name,
                  snHint_Of("\"", guess, "\"").text);
}

// One clause: a name where the operation has one, and arguments.
static snStatus runClause(snCall *call, char **words, int count)
{
    static const snTable tables[] = {[SN_NAMES_JOINT] = SN_TABLE_JOINTS,
                                     [SN_NAMES_MUSCLE] = SN_TABLE_MUSCLES,
                                     [SN_NAMES_MARK] = SN_TABLE_MARKS,
                                     [SN_NAMES_POSTURE] = SN_TABLE_POSTURES};
    const snOperation *operation = call->operation;
    bool wants = operation->name[0] != 0, optional = operation->name[0] == '[';
    int used = 0;
    call->name = NULL;
    call->wordCount = 0;
    if (wants && count > 0 && !strchr(words[0], '=')) call->name = words[used++];
    if (wants && !optional && !call->name)
        return snFail(call->error, SN_ERROR_ARGUMENT, "\"%s\": %s is missing", operation->words,
                      operation->name);
    for (; used < count; used++) {
        char *equals = strchr(words[used], '=');
        call->keys[call->wordCount] = equals ? words[used] : NULL;
        call->values[call->wordCount++] = equals ? equals + 1 : words[used];
        if (equals) *equals = 0;
    }
    snStatus status = fillExtras(call);
    if (!status && operation->named)
        status = snCall_Row(call, tables[operation->named], &call->row);
    return status ? status : operation->run(call);
}

// "pose reach hand.l to=... and hand.r to=...": the clauses of one operation.
static snStatus runWords(snCall *call, char **words, int count)
{
    int used;
    snStatus status = SN_OK;
    call->operation = findOperation(words, count, &used);
    if (!call->operation) return unknownOperation(words, count, call->error);
    bool clauses = strstr(call->operation->name, "[and ") != NULL;
    do {
        int end = used;
        while (end < count && (!clauses || strcmp(words[end], "and")))
            end++;
        call->more = end < count;
        status = call->clauseCount < SN_MOST_CLAUSES
                     ? runClause(call, words + used, end - used)
                     : snFail(call->error, SN_ERROR_ARGUMENT, "there are more than %d clauses",
                              SN_MOST_CLAUSES);
        call->clauseCount++;
        used = end + 1;
    } while (!status && call->more);
    if (call->dragging) snDrag_End(&call->drag, false, NULL); // a clause could not be read
    return status;
}

snStatus snScript_RunLine(snEditor *editor, const char *line, size_t size, snScriptReport *report,
                          snError *error)
{
    char copy[MOST_LINE];
    char *words[SN_MOST_WORDS];
    int count;
    if (size >= sizeof copy || memchr(line, 0, size))
        return snFail(error, SN_ERROR_ARGUMENT,
                      size >= sizeof copy ? "it is too long" : "it is no text");
    memcpy(copy, line, size);
    copy[size] = 0;
    report->lines++;
    snStatus status = split(copy, words, &count, error);
    if (status || !count) return status;
    snCall call = {.editor = editor, .report = report, .error = error};
    report->operations++;
    return runWords(&call, words, count);
}

snStatus snScript_Run(snEditor *editor, const char *text, size_t size, snScriptReport *report,
                      snError *error)
{
    int depth = editor->depth, line = 0;
    snStatus status = SN_OK;
    *report = (snScriptReport){0};
    for (size_t at = 0; at < size && !status;) {
        const char *end = memchr(text + at, '\n', size - at);
        size_t length = end ? (size_t)(end - text) - at : size - at;
        line++;
        status = snScript_RunLine(editor, text + at, length, report, error);
        at += length + 1;
    }
    if (status) snError_Prefix(error, "line %d", line);
    if (!status && editor->depth > depth)
        status = snFail(error, SN_ERROR_ARGUMENT, "line %d: a group has no \"end\"", line);
    while (editor->depth > depth) // what its lines did goes with it
        snEditor_End(editor, status, NULL);
    return status;
}

// ---- the list ---------------------------------------------------------------------------------------

static void listField(const snColumnDef *field, snBytes *out)
{
    if (field->kind == SN_COLUMN_NAME && !*field->help) return;
    snBytes_Format(out, "    %s=", field->name);
    for (int i = 0; i < field->wordCount; i++)
        snBytes_Format(out, "%s%s", i ? "|" : "", field->words[i]);
    if (!field->wordCount) snBytes_AppendText(out, snColumnDef_Form(field));
    if (*field->help) snBytes_Format(out, "    %s", field->help);
    snBytes_AppendByte(out, '\n');
}

void snScript_List(snBytes *out)
{
    snColumns extras = snExtra_Fields();
    for (int i = 0; i < snOperationCount; i++) {
        const snOperation *operation = &snOperations[i];
        snColumns fields = snColumnSource_Fields(operation->fields);
        snBytes_Format(out, "%s%s%s\n  %s\n", operation->words, *operation->name ? " " : "",
                       operation->name, operation->help);
        for (int k = 0; k < extras.count; k++)
            if (findExtra(operation, extras.list[k].name)) listField(&extras.list[k], out);
        for (int k = 0; k < fields.count; k++)
            if (!findExtra(operation, fields.list[k].name)) listField(&fields.list[k], out);
    }
}
