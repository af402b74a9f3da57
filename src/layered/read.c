#include "layered/file.h"

#include "layered/fields.h"

#include <string.h>

#define MOST_FIELDS 24

// Rows are read in the order of the tables, so that whatever a row speaks of is there already; they are put into the
// document by the functions that operations use. The reader's arena is for the time of reading alone.
static snEditor *editorOf(const snReader *r)
{
    return r->own;
}

static void insert(snReader *r, snTable table, int first, int count, const void *rows)
{
    if (r->status) return;
    snEditor_Insert(editorOf(r), table, first, count, rows);
    if (editorOf(r)->outOfMemory) snReader_Take(r, snFailMemory(r->error));
}

// All members of an object into a row; `more` are keys that are read elsewhere.
static void readFields(snReader *r, const snJsonNode *object, snColumns fields,
                       const char *const *more, int moreCount, void *row)
{
    const char *keys[MOST_FIELDS + 3] = {0};
    int count = fields.count;
    for (int i = 0; i < count; i++)
        keys[i] = fields.list[i].name;
    for (int i = 0; i < moreCount; i++)
        keys[count + i] = more[i];
    snReader_Keys(r, object, keys, count + moreCount);
    for (int i = 0; i < count; i++) {
        const snJsonNode *value = snJson_Member(r->json, object, keys[i]);
        if (value) snColumn_Read(&fields.list[i], row, &editorOf(r)->layered, r, value);
    }
}

// The list of that name, or NULL.
static const snJsonNode *findList(snReader *r, const snJsonNode *object, const char *key, int most)
{
    const snJsonNode *list = snReader_List(r, object, key);
    if (snJson_Count(list) > most) snReader_Fail(r, list, "has more than %d", most);
    return list;
}

// Each row's name must be there, and no other's.
static void checkName(snReader *r, const snJsonNode *node, snTable table, const char *name)
{
    if (!*name) snReader_Fail(r, node, "\"name\" is missing");
    if (snLayered_Find(&editorOf(r)->layered, table, name) >= 0)
        snReader_Fail(r, snJson_Member(r->json, node, "name"),
                      "\"%s\" is there already: names must differ", name);
}

static void readMuscle(snReader *r, const snJsonNode *node, void *row)
{
    snLayeredMuscle *muscle = row;
    const snJsonNode *list = findList(r, node, "bulges", SN_WARP_BULGES);
    for (int b = 0; b < snJson_Count(list) && !r->status; b++)
        readFields(r, snJson_At(r->json, list, b), snColumns_OfBulge(), NULL, 0,
                   &muscle->bulges[b]);
    muscle->bulgeCount = snJson_Count(list);
    if (muscle->joint < 0) snReader_Fail(r, node, "\"joint\" is missing");
}

// Rows that begin with their names, in the list of a key. `own` reads what is no field of theirs, under
// the key `more`; both may be NULL.
typedef struct Rows {
    snTable table;
    const char *key, *more;
    void (*own)(snReader *r, const snJsonNode *node, void *row);
} Rows;

static void readRows(snReader *r, const snJsonNode *object, Rows rows)
{
    const snJsonNode *list = findList(r, object, rows.key, SN_MOST_JOINTS);
    void *row = snArena_Alloc(r->arena, snTable_RowSize(rows.table), 1);
    snColumns fields = snColumns_Of(rows.table);
    if (!row) snReader_Take(r, snFailMemory(r->error));
    for (int i = 0; i < snJson_Count(list) && !r->status; i++) {
        const snJsonNode *node = snJson_At(r->json, list, i);
        snTable_Default(rows.table, row);
        readFields(r, node, fields, &rows.more, rows.more != NULL, row);
        if (!r->status) checkName(r, node, rows.table, (const char *)row + fields.list[0].offset);
        if (!r->status && rows.own) rows.own(r, node, row);
        insert(r, rows.table, i, 1, row);
    }
}

static void readJoints(snReader *r, const snJsonNode *root)
{
    readRows(r, root, (Rows){.table = SN_TABLE_JOINTS, .key = "joints"});
}

static void readMuscles(snReader *r, const snJsonNode *root)
{
    readRows(r, root, (Rows){SN_TABLE_MUSCLES, "muscles", "bulges", readMuscle});
}

// ---- skin -------------------------------------------------------------------------------------------

// Joints and muscles of points go by their numbers.
static void readNumberOf(snReader *r, const snColumnDef *field, const snJsonNode *value, void *row)
{
    snTable table = field->kind == SN_COLUMN_JOINT ? SN_TABLE_JOINTS : SN_TABLE_MUSCLES;
    int *at = (int *)(void *)((char *)row + field->offset);
    snReader_IntOf(r, value, -1, snLayered_Count(&editorOf(r)->layered, table) - 1, at);
}

// Whether a member is a list over the points, or one value for all of them.
static bool isColumn(const snReader *r, const snColumnDef *field, const snJsonNode *value)
{
    if (value->kind != SN_JSON_ARRAY) return false;
    if (field->kind != SN_COLUMN_VECTOR && field->kind != SN_COLUMN_PAIR) return true;
    const snJsonNode *first = snJson_At(r->json, value, 0);
    return !first || first->kind == SN_JSON_ARRAY;
}

static void readColumn(snReader *r, const snColumnDef *field, const snJsonNode *value, int count,
                       snLayeredPoint *points)
{
    bool column = isColumn(r, field, value);
    bool number = field->kind == SN_COLUMN_JOINT || field->kind == SN_COLUMN_MUSCLE;
    if (column && snJson_Count(value) != count)
        snReader_Fail(r, value, "has %d values for %d points", snJson_Count(value), count);
    for (int i = 0; i < count && !r->status; i++) {
        const snJsonNode *at = column ? snJson_At(r->json, value, i) : value;
        if (number && column)
            readNumberOf(r, field, at, &points[i]);
        else if (column || !i)
            snColumn_Read(field, &points[i], &editorOf(r)->layered, r, at);
        else // the same for all
            memcpy((char *)&points[i] + field->offset, (char *)&points[0] + field->offset,
                   snColumnDef_Size(field));
    }
}

static void readPoints(snReader *r, const snJsonNode *node, int expected)
{
    snColumns fields = snColumns_Of(SN_TABLE_POINTS);
    const char *keys[MOST_FIELDS] = {0};
    if (r->status) return;
    for (int i = 0; i < fields.count; i++)
        keys[i] = fields.list[i].name;
    snReader_Keys(r, node, keys, fields.count);
    const snJsonNode *places = snJson_Member(r->json, node, "place");
    if (!places || places->kind != SN_JSON_ARRAY)
        snReader_Fail(r, node, "\"place\" is missing: a list of where the points are");
    int count = snJson_Count(places);
    if (count < 3 || count > SN_MOST_POINTS || (expected && count != expected))
        snReader_Fail(r, places,
                      expected ? "has %d places; rows times columns are %d"
                               : "has %d places; there must be 3 or more",
                      count, expected);
    snLayeredPoint *points = r->status ? NULL : SN_NEW(r->arena, snLayeredPoint, count);
    if (!points) {
        if (!r->status) snReader_Take(r, snFailMemory(r->error));
        return;
    }
    for (int i = 0; i < count; i++)
        snTable_Default(SN_TABLE_POINTS, &points[i]);
    for (int i = 0; i < fields.count; i++) {
        const snJsonNode *value = snJson_Member(r->json, node, keys[i]);
        if (value) readColumn(r, &fields.list[i], value, count, points);
    }
    insert(r, SN_TABLE_POINTS, 0, count, points);
}

static void readTriangles(snReader *r, const snJsonNode *list)
{
    int count = snJson_Count(list) / 3;
    int points = snLayered_Count(&editorOf(r)->layered, SN_TABLE_POINTS);
    if (!list || !count || snJson_Count(list) % 3)
        snReader_Fail(r, list ? list : r->json->root,
                      "a mesh needs \"triangles\": a list of corners, three for each");
    if (r->status) return;
    snLayeredTriangle *triangles = SN_NEW(r->arena, snLayeredTriangle, count);
    if (!triangles) snReader_Take(r, snFailMemory(r->error));
    for (int i = 0; i < 3 * count && !r->status; i++)
        snReader_IntOf(r, snJson_At(r->json, list, i), 0, points - 1,
                       &triangles[i / 3].corner[i % 3]);
    insert(r, SN_TABLE_TRIANGLES, 0, count, triangles);
}

static void readSkin(snReader *r, const snJsonNode *root)
{
    static const char *const more[3] = {"triangles", "points", "marks"};
    const snJsonNode *node = snReader_Object(r, root, "skin");
    snLayeredSkin skin;
    if (!node) return;
    snTable_Default(SN_TABLE_SKIN, &skin);
    readFields(r, node, snColumns_Of(SN_TABLE_SKIN), more, 3, &skin);
    bool grid = skin.kind == SN_SKIN_GRID;
    if (grid && (skin.bottom < 0 || skin.top < 0))
        snReader_Fail(r, node,
                      "a grid needs \"bottom\" and \"top\": the joints that hold its ends");
    insert(r, SN_TABLE_SKIN, 0, 1, &skin);
    const snJsonNode *points = snReader_Object(r, node, "points");
    if (!points) snReader_Fail(r, node, "\"points\" are missing");
    readPoints(r, points, grid ? skin.rows * skin.columns : 0);
    const snJsonNode *triangles = findList(r, node, "triangles", 6 * SN_MOST_POINTS);
    if (grid && triangles) snReader_Fail(r, triangles, "is for meshes; a grid has none of its own");
    if (!grid) readTriangles(r, triangles);
    if (!r->status) readRows(r, node, (Rows){.table = SN_TABLE_MARKS, .key = "marks"});
}

// ---- postures ---------------------------------------------------------------------------------------

static void readPostured(snReader *r, const snJsonNode *joints, snLayeredPostured *rows)
{
    snError why = {0};
    for (int i = 0; i < snJson_Count(joints) && !r->status; i++) {
        const snJsonNode *node = snJson_At(r->json, joints, i);
        const char *name = snJson_Key(r->json, node, r->arena);
        int joint;
        if (!name)
            snReader_Take(r, snFailMemory(r->error));
        else if (snLayered_Need(&editorOf(r)->layered, SN_TABLE_JOINTS, name, &joint, &why))
            snReader_Fail(r, node, "%s", why.message);
        else
            readFields(r, node, snColumns_OfPose(), NULL, 0, &rows[joint]);
    }
}

static void readPosture(snReader *r, const snJsonNode *node, int number, snLayeredPostured *rows)
{
    static const char *const more[1] = {"joints"};
    const snLayered *layered = &editorOf(r)->layered;
    int joints = snLayered_Count(layered, SN_TABLE_JOINTS);
    snLayeredPosture posture;
    snTable_Default(SN_TABLE_POSTURES, &posture);
    memset(rows, 0, (size_t)joints * sizeof *rows);
    readFields(r, node, snColumns_Of(SN_TABLE_POSTURES), more, 1, &posture);
    if (!r->status) checkName(r, node, SN_TABLE_POSTURES, posture.name);
    if (number && !(posture.time > snLayered_Postures(layered)[number - 1].time))
        snReader_Fail(r, node, "its \"time\" does not come after the last posture's");
    readPostured(r, snReader_Object(r, node, "joints"), rows);
    insert(r, SN_TABLE_POSTURES, number, 1, &posture);
    insert(r, SN_TABLE_POSTURED, number * joints, joints, rows);
}

static void readPostures(snReader *r, const snJsonNode *root)
{
    const snJsonNode *list = findList(r, root, "postures", SN_MOST_JOINTS);
    int joints = snLayered_Count(&editorOf(r)->layered, SN_TABLE_JOINTS);
    if ((double)joints * snJson_Count(list) > 2e7)
        snReader_Fail(r, list, "there are too many for so many joints");
    if (r->status) return;
    snLayeredPostured *rows = SN_NEW(r->arena, snLayeredPostured, joints);
    if (!rows) snReader_Take(r, snFailMemory(r->error));
    for (int i = 0; i < snJson_Count(list) && !r->status; i++)
        readPosture(r, snJson_At(r->json, list, i), i, rows);
}

// ---- the document -----------------------------------------------------------------------------------

static void readSettings(snReader *r, const snJsonNode *root)
{
    const snJsonNode *node = snReader_Object(r, root, "settings");
    snLayeredSettings settings = *snLayered_Settings(&editorOf(r)->layered);
    if (!node) return;
    readFields(r, node, snColumns_Of(SN_TABLE_SETTINGS), NULL, 0, &settings);
    if (r->status) return;
    snEditor_Set(editorOf(r), SN_TABLE_SETTINGS, 0, &settings);
    if (editorOf(r)->outOfMemory) snReader_Take(r, snFailMemory(r->error));
}

static void readHead(snReader *r, const snJsonNode *root)
{
    static const char *const keys[] = {"format",  "version", "settings", "joints",
                                       "muscles", "skin",    "postures"};
    int version = 0;
    if (root->kind != SN_JSON_OBJECT) snReader_Fail(r, root, "must be an object");
    if (!snJson_IsText(r->json, snJson_Member(r->json, root, "format"), "sinew-character"))
        snReader_Fail(r, root, "is no character: \"format\" must be \"sinew-character\"");
    snReader_Keys(r, root, keys, 7);
    snReader_Require(r, root, "version");
    snReader_Int(r, root, "version", 1, 1000, &version);
    if (!r->status && version > SN_LAYERED_VERSION)
        snReader_Take(r, snJson_Fail(r->json, root, r->error, SN_ERROR_UNSUPPORTED,
                                     "is of version %d; this program reads up to %d", version,
                                     SN_LAYERED_VERSION));
}

// Settings speak of a joint and come last.
static void readAll(snReader *r)
{
    void (*const parts[])(snReader *, const snJsonNode *) = {readHead, readJoints,   readMuscles,
                                                             readSkin, readPostures, readSettings};
    for (int i = 0; i < 6 && !r->status; i++)
        parts[i](r, r->json->root);
}

snStatus snEditor_Read(snEditor *editor, const char *text, size_t size, const snContext *context,
                       snError *error)
{
    snJson json;
    snArena scratch = snMakeArena(context);
    snReader r = {&json, &scratch, context, editor, snEditor_Make(editor, context, error), error};
    snReader_Parse(&r, &json, text, size, &scratch);
    if (!r.status) {
        snEditor_Begin(editor);
        readAll(&r);
        r.status = snEditor_End(editor, r.status, error);
        snEditor_Forget(editor);
    }
    if (!r.status) snReader_Take(&r, snLayered_Check(&editor->layered, error));
    snArena_Destroy(&scratch);
    if (r.status) snEditor_Destroy(editor);
    return r.status;
}
