#include "layered/file.h"

#include "asset/json.h"
#include "layered/fields.h"

#include <string.h>

#define MOST_FIELDS 24

// Rows are read in the order of the tables, so that whatever a row speaks of is there already; they are put into the
// document by the functions that operations use.
typedef struct Reader {
    snEditor *editor;
    const snJson *json;
    snArena scratch;
    snError *error;
} Reader;

static snStatus fail(Reader *r, const snJsonNode *node, const char *why)
{
    return snJson_Fail(r->json, node, r->error, SN_ERROR_FORMAT, "%s", why);
}

// All members of an object into a row; `more` are keys that are read elsewhere.
static snStatus readFields(Reader *r, const snJsonNode *object, snColumns fields, const char *more,
                           void *row)
{
    const char *keys[MOST_FIELDS + 1] = {0};
    int count = 0;
    snStatus status = SN_OK;
    if (object->kind != SN_JSON_OBJECT) return fail(r, object, "must be an object");
    for (; count < fields.count; count++)
        keys[count] = fields.list[count].name;
    if (more) keys[count++] = more;
    status = snJson_CheckKeys(r->json, object, keys, count, r->error);
    for (int i = 0; i < fields.count && !status; i++) {
        const snJsonNode *value = snJson_Member(r->json, object, keys[i]);
        if (value)
            status = snColumn_Read(&fields.list[i], row, &r->editor->layered, r->json, value,
                                   &r->scratch, r->error);
    }
    return status;
}

// The list of that name, or NULL.
static snStatus findList(Reader *r, const snJsonNode *object, const char *key, int most,
                         const snJsonNode **list)
{
    snStatus status = snJson_ReadNode(r->json, object, key, SN_JSON_ARRAY, list, r->error);
    if (!status && snJson_Count(*list) > most)
        status = snJson_Fail(r->json, *list, r->error, SN_ERROR_FORMAT, "has more than %d", most);
    return status;
}

// Each row's name must be there, and no other's.
static snStatus checkName(Reader *r, const snJsonNode *node, snTable table, const char *name)
{
    if (!*name) return fail(r, node, "\"name\" is missing");
    if (snLayered_Find(&r->editor->layered, table, name) < 0) return SN_OK;
    return snJson_Fail(r->json, snJson_Member(r->json, node, "name"), r->error, SN_ERROR_FORMAT,
                       "\"%s\" is there already: names must differ", name);
}

static snStatus readBulges(Reader *r, const snJsonNode *node, snLayeredMuscle *muscle)
{
    const snJsonNode *list = NULL;
    snStatus status = findList(r, node, "bulges", SN_WARP_BULGES, &list);
    for (int b = 0; b < snJson_Count(list) && !status; b++)
        status = readFields(r, snJson_At(r->json, list, b), snColumns_OfBulge(), NULL,
                            &muscle->bulges[b]);
    muscle->bulgeCount = snJson_Count(list);
    return status;
}

static snStatus readMuscle(Reader *r, const snJsonNode *node, void *row)
{
    snLayeredMuscle *muscle = row;
    snStatus status = readBulges(r, node, muscle);
    return !status && muscle->joint < 0 ? fail(r, node, "\"joint\" is missing") : status;
}

// Rows that begin with their names, in the list of a key. `own` reads what is no field of theirs, under
// the key `more`; both may be NULL.
typedef struct Rows {
    snTable table;
    const char *key, *more;
    snStatus (*own)(Reader *r, const snJsonNode *node, void *row);
} Rows;

static snStatus readRows(Reader *r, const snJsonNode *object, Rows rows)
{
    const snJsonNode *list = NULL;
    snStatus status = findList(r, object, rows.key, SN_MOST_JOINTS, &list);
    void *row = snArena_Alloc(&r->scratch, snTable_RowSize(rows.table), 1);
    snColumns fields = snColumns_Of(rows.table);
    if (!row) return snFailMemory(r->error);
    for (int i = 0; i < snJson_Count(list) && !status; i++) {
        const snJsonNode *node = snJson_At(r->json, list, i);
        snTable_Default(rows.table, row);
        status = readFields(r, node, fields, rows.more, row);
        if (!status)
            status = checkName(r, node, rows.table, (const char *)row + fields.list[0].offset);
        if (!status && rows.own) status = rows.own(r, node, row);
        if (!status) snEditor_Insert(r->editor, rows.table, i, 1, row);
        if (!status && r->editor->outOfMemory) status = snFailMemory(r->error);
    }
    return status;
}

static snStatus readJoints(Reader *r, const snJsonNode *root)
{
    return readRows(r, root, (Rows){.table = SN_TABLE_JOINTS, .key = "joints"});
}

static snStatus readMuscles(Reader *r, const snJsonNode *root)
{
    return readRows(r, root, (Rows){SN_TABLE_MUSCLES, "muscles", "bulges", readMuscle});
}

// ---- skin -------------------------------------------------------------------------------------------

// Joints and muscles of points go by their numbers.
static snStatus readNumberOf(Reader *r, const snColumnDef *field, const snJsonNode *value,
                             void *row)
{
    snTable table = field->kind == SN_COLUMN_JOINT ? SN_TABLE_JOINTS : SN_TABLE_MUSCLES;
    int *at = (int *)(void *)((char *)row + field->offset);
    return snJson_AsInt(r->json, value, -1, snLayered_Count(&r->editor->layered, table) - 1, at,
                        r->error);
}

// Whether a member is a list over the points, or one value for all of them.
static bool isColumn(const Reader *r, const snColumnDef *field, const snJsonNode *value)
{
    if (value->kind != SN_JSON_ARRAY) return false;
    if (field->kind != SN_COLUMN_VECTOR && field->kind != SN_COLUMN_PAIR) return true;
    const snJsonNode *first = snJson_At(r->json, value, 0);
    return !first || first->kind == SN_JSON_ARRAY;
}

static snStatus readColumn(Reader *r, const snColumnDef *field, const snJsonNode *value, int count,
                           snLayeredPoint *points)
{
    bool column = isColumn(r, field, value);
    bool number = field->kind == SN_COLUMN_JOINT || field->kind == SN_COLUMN_MUSCLE;
    snStatus status = SN_OK;
    if (column && snJson_Count(value) != count)
        return snJson_Fail(r->json, value, r->error, SN_ERROR_FORMAT, "has %d values for %d points",
                           snJson_Count(value), count);
    for (int i = 0; i < count && !status; i++) {
        const snJsonNode *at = column ? snJson_At(r->json, value, i) : value;
        if (number && column)
            status = readNumberOf(r, field, at, &points[i]);
        else if (column || !i)
            status = snColumn_Read(field, &points[i], &r->editor->layered, r->json, at, &r->scratch,
                                   r->error);
        else // the same for all
            memcpy((char *)&points[i] + field->offset, (char *)&points[0] + field->offset,
                   snColumnDef_Size(field));
    }
    return status;
}

static snStatus readPoints(Reader *r, const snJsonNode *node, int expected)
{
    snColumns fields = snColumns_Of(SN_TABLE_POINTS);
    const char *keys[MOST_FIELDS] = {0};
    if (node->kind != SN_JSON_OBJECT) return fail(r, node, "must be an object");
    for (int i = 0; i < fields.count; i++)
        keys[i] = fields.list[i].name;
    snStatus status = snJson_CheckKeys(r->json, node, keys, fields.count, r->error);
    const snJsonNode *places = snJson_Member(r->json, node, "place");
    if (status) return status;
    if (!places || places->kind != SN_JSON_ARRAY)
        return fail(r, node, "\"place\" is missing: a list of where the points are");
    int count = snJson_Count(places);
    if (count < 3 || count > SN_MOST_POINTS || (expected && count != expected))
        return snJson_Fail(r->json, places, r->error, SN_ERROR_FORMAT,
                           expected ? "has %d places; rows times columns are %d"
                                    : "has %d places; there must be 3 or more",
                           count, expected);
    snLayeredPoint *points = SN_NEW(&r->scratch, snLayeredPoint, count);
    if (!points) return snFailMemory(r->error);
    for (int i = 0; i < count; i++)
        snTable_Default(SN_TABLE_POINTS, &points[i]);
    for (int i = 0; i < fields.count && !status; i++) {
        const snJsonNode *value = snJson_Member(r->json, node, keys[i]);
        if (value) status = readColumn(r, &fields.list[i], value, count, points);
    }
    if (!status) snEditor_Insert(r->editor, SN_TABLE_POINTS, 0, count, points);
    return status;
}

static snStatus readTriangles(Reader *r, const snJsonNode *list, int points)
{
    int count = snJson_Count(list) / 3;
    snStatus status = SN_OK;
    if (!list || !count || snJson_Count(list) % 3)
        return fail(r, list ? list : r->json->root,
                    "a mesh needs \"triangles\": a list of corners, three for each");
    snLayeredTriangle *triangles = SN_NEW(&r->scratch, snLayeredTriangle, count);
    if (!triangles) return snFailMemory(r->error);
    for (int i = 0; i < 3 * count && !status; i++)
        status = snJson_AsInt(r->json, snJson_At(r->json, list, i), 0, points - 1,
                              &triangles[i / 3].corner[i % 3], r->error);
    if (!status) snEditor_Insert(r->editor, SN_TABLE_TRIANGLES, 0, count, triangles);
    return status;
}

static snStatus readSkinRow(Reader *r, const snJsonNode *node, snLayeredSkin *skin)
{
    static const char *const more[3] = {"triangles", "points", "marks"};
    snColumns fields = snColumns_Of(SN_TABLE_SKIN);
    const char *keys[MOST_FIELDS] = {0};
    snStatus status = SN_OK;
    for (int i = 0; i < fields.count; i++)
        keys[i] = fields.list[i].name;
    memcpy(keys + fields.count, more, sizeof more);
    status = snJson_CheckKeys(r->json, node, keys, fields.count + 3, r->error);
    for (int i = 0; i < fields.count && !status; i++) {
        const snJsonNode *value = snJson_Member(r->json, node, keys[i]);
        if (value)
            status = snColumn_Read(&fields.list[i], skin, &r->editor->layered, r->json, value,
                                   &r->scratch, r->error);
    }
    bool grid = skin->kind == SN_SKIN_GRID;
    if (!status && grid && (skin->bottom < 0 || skin->top < 0))
        status =
            fail(r, node, "a grid needs \"bottom\" and \"top\": the joints that hold its ends");
    return status;
}

static snStatus readSkin(Reader *r, const snJsonNode *root)
{
    const snJsonNode *node = NULL, *triangles = NULL, *points = NULL;
    snLayeredSkin skin;
    snTable_Default(SN_TABLE_SKIN, &skin);
    snStatus status = snJson_ReadNode(r->json, root, "skin", SN_JSON_OBJECT, &node, r->error);
    if (status || !node) return status;
    status = readSkinRow(r, node, &skin);
    bool grid = skin.kind == SN_SKIN_GRID;
    if (!status) {
        snEditor_Insert(r->editor, SN_TABLE_SKIN, 0, 1, &skin);
        status = snJson_ReadNode(r->json, node, "points", SN_JSON_OBJECT, &points, r->error);
    }
    if (!status && !points) status = fail(r, node, "\"points\" are missing");
    if (!status) status = readPoints(r, points, grid ? skin.rows * skin.columns : 0);
    if (!status && r->editor->outOfMemory) return snFailMemory(r->error);
    if (!status) status = findList(r, node, "triangles", 6 * SN_MOST_POINTS, &triangles);
    if (!status && grid && triangles)
        status = fail(r, triangles, "is for meshes; a grid has none of its own");
    if (!status && !grid)
        status = readTriangles(r, triangles, snLayered_Count(&r->editor->layered, SN_TABLE_POINTS));
    return status ? status : readRows(r, node, (Rows){.table = SN_TABLE_MARKS, .key = "marks"});
}

// ---- postures ---------------------------------------------------------------------------------------

static snStatus readPostured(Reader *r, const snJsonNode *joints, snLayeredPostured *rows)
{
    snError why = {0};
    snStatus status = SN_OK;
    for (int i = 0; i < snJson_Count(joints) && !status; i++) {
        const snJsonNode *node = snJson_At(r->json, joints, i);
        const char *name = snJson_Key(r->json, node, &r->scratch);
        int joint;
        if (!name) return snFailMemory(r->error);
        if (snLayered_Need(&r->editor->layered, SN_TABLE_JOINTS, name, &joint, &why))
            return fail(r, node, why.message);
        status = readFields(r, node, snColumns_OfPose(), NULL, &rows[joint]);
    }
    return status;
}

static snStatus readPosture(Reader *r, const snJsonNode *node, int number, snLayeredPostured *rows)
{
    int joints = snLayered_Count(&r->editor->layered, SN_TABLE_JOINTS);
    const snJsonNode *list = NULL;
    snLayeredPosture posture;
    snTable_Default(SN_TABLE_POSTURES, &posture);
    memset(rows, 0, (size_t)joints * sizeof *rows);
    snStatus status = readFields(r, node, snColumns_Of(SN_TABLE_POSTURES), "joints", &posture);
    if (!status) status = checkName(r, node, SN_TABLE_POSTURES, posture.name);
    if (!status && number &&
        !(posture.time > snLayered_Postures(&r->editor->layered)[number - 1].time))
        status = fail(r, node, "its \"time\" does not come after the last posture's");
    if (!status) status = snJson_ReadNode(r->json, node, "joints", SN_JSON_OBJECT, &list, r->error);
    if (!status) status = readPostured(r, list, rows);
    if (status) return status;
    snEditor_Insert(r->editor, SN_TABLE_POSTURES, number, 1, &posture);
    snEditor_Insert(r->editor, SN_TABLE_POSTURED, number * joints, joints, rows);
    return r->editor->outOfMemory ? snFailMemory(r->error) : SN_OK;
}

static snStatus readPostures(Reader *r, const snJsonNode *root)
{
    const snJsonNode *list = NULL;
    snStatus status = findList(r, root, "postures", SN_MOST_JOINTS, &list);
    int joints = snLayered_Count(&r->editor->layered, SN_TABLE_JOINTS);
    if (!status && (double)joints * snJson_Count(list) > 2e7)
        status = fail(r, list, "there are too many for so many joints");
    snLayeredPostured *rows = status ? NULL : SN_NEW(&r->scratch, snLayeredPostured, joints);
    if (!status && !rows) return snFailMemory(r->error);
    for (int i = 0; i < snJson_Count(list) && !status; i++)
        status = readPosture(r, snJson_At(r->json, list, i), i, rows);
    return status;
}

// ---- the document -----------------------------------------------------------------------------------

static snStatus readSettings(Reader *r, const snJsonNode *root)
{
    const snJsonNode *node = NULL;
    snLayeredSettings settings = *snLayered_Settings(&r->editor->layered);
    snStatus status = snJson_ReadNode(r->json, root, "settings", SN_JSON_OBJECT, &node, r->error);
    if (status || !node) return status;
    status = readFields(r, node, snColumns_Of(SN_TABLE_SETTINGS), NULL, &settings);
    if (!status) snEditor_Set(r->editor, SN_TABLE_SETTINGS, 0, &settings);
    return status;
}

static snStatus readHead(Reader *r, const snJsonNode *root)
{
    static const char *const keys[] = {"format",  "version", "settings", "joints",
                                       "muscles", "skin",    "postures"};
    int version = 0;
    if (root->kind != SN_JSON_OBJECT) return fail(r, root, "must be an object");
    snStatus status = snJson_CheckUnique(r->json, &r->scratch, r->error);
    if (!status &&
        !snJson_IsText(r->json, snJson_Member(r->json, root, "format"), "sinew-character"))
        return fail(r, root, "is no character: \"format\" must be \"sinew-character\"");
    if (!status) status = snJson_CheckKeys(r->json, root, keys, 7, r->error);
    if (!status) status = snJson_Require(r->json, root, "version", r->error);
    if (!status) status = snJson_ReadInt(r->json, root, "version", 1, 1000, &version, r->error);
    if (!status && version > SN_LAYERED_VERSION)
        status = snJson_Fail(r->json, root, r->error, SN_ERROR_UNSUPPORTED,
                             "is of version %d; this program reads up to %d", version,
                             SN_LAYERED_VERSION);
    return status;
}

// Settings speak of a joint and come last.
static snStatus readAll(Reader *r, const snJsonNode *root)
{
    snStatus (*const parts[])(Reader *, const snJsonNode *) = {
        readHead, readJoints, readMuscles, readSkin, readPostures, readSettings};
    snStatus status = SN_OK;
    for (int i = 0; i < 6 && !status; i++) {
        status = parts[i](r, root);
        if (!status && r->editor->outOfMemory) status = snFailMemory(r->error);
    }
    return status;
}

snStatus snEditor_Read(snEditor *editor, const char *text, size_t size, const snContext *context,
                       snError *error)
{
    snJson json;
    Reader r = {editor, &json, snMakeArena(context), error};
    snStatus status = snEditor_Make(editor, context, error);
    if (!status) status = snJson_Parse(&json, text, size, &r.scratch, error);
    if (!status) {
        snEditor_Begin(editor);
        status = snEditor_End(editor, readAll(&r, json.root), error);
        snEditor_Forget(editor);
    }
    if (!status) status = snLayered_Check(&editor->layered, error);
    snArena_Destroy(&r.scratch);
    if (status) snEditor_Destroy(editor);
    return status;
}
