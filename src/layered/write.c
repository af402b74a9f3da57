#include "layered/file.h"

#include "layered/fields.h"

#include <string.h>

// Fields that are as by default are left out.
static bool isDefault(const snColumnDef *field, const void *row, const void *byDefault)
{
    return !memcmp((const char *)row + field->offset, (const char *)byDefault + field->offset,
                   snColumnDef_Size(field));
}

static void writeFields(snColumns fields, const void *row, const void *byDefault,
                        const snLayered *layered, snJsonWriter *w)
{
    for (int i = 0; i < fields.count; i++) {
        if (isDefault(&fields.list[i], row, byDefault)) continue;
        snJsonWriter_Key(w, fields.list[i].name);
        snColumn_Write(&fields.list[i], row, layered, w);
    }
}

static void writeSettings(const snLayered *layered, snJsonWriter *w)
{
    snLayeredSettings byDefault;
    snTable_Default(SN_TABLE_SETTINGS, &byDefault);
    if (!memcmp(&byDefault, snLayered_Settings(layered), sizeof byDefault)) return;
    snJsonWriter_Key(w, "settings");
    snJsonWriter_BeginObject(w);
    writeFields(snColumns_Of(SN_TABLE_SETTINGS), snLayered_Settings(layered), &byDefault, layered,
                w);
    snJsonWriter_EndObject(w);
}

static void writeBulges(const snLayered *layered, int number, snJsonWriter *w)
{
    const snLayeredMuscle *muscle = &snLayered_Muscles(layered)[number];
    snLayeredMuscle byDefault;
    if (!muscle->bulgeCount) return;
    snTable_Default(SN_TABLE_MUSCLES, &byDefault);
    snJsonWriter_Key(w, "bulges");
    snJsonWriter_BeginArray(w);
    for (int b = 0; b < muscle->bulgeCount; b++) {
        snJsonWriter_BeginObject(w);
        writeFields(snColumns_OfBulge(), &muscle->bulges[b], &byDefault.bulges[0], layered, w);
        snJsonWriter_EndObject(w);
    }
    snJsonWriter_EndArray(w);
}

static void writePostured(const snLayered *layered, int number, snJsonWriter *w)
{
    const snLayeredPostured rest = {0}, *rows = snLayered_Postured(layered, number);
    snJsonWriter_Key(w, "joints");
    snJsonWriter_BeginObject(w);
    for (int j = 0; j < snLayered_Count(layered, SN_TABLE_JOINTS); j++) {
        if (!memcmp(&rows[j], &rest, sizeof rest)) continue;
        snJsonWriter_Key(w, snLayered_Joints(layered)[j].name);
        snJsonWriter_BeginObject(w);
        writeFields(snColumns_OfPose(), &rows[j], &rest, layered, w);
        snJsonWriter_EndObject(w);
    }
    snJsonWriter_EndObject(w);
}

// A list of a table's rows; `own` writes what is no field of theirs, or is NULL.
static void writeRows(const snLayered *layered, snTable table, const char *key,
                      void (*own)(const snLayered *, int, snJsonWriter *), snJsonWriter *w)
{
    union {
        snLayeredJoint joint;
        snLayeredMuscle muscle;
        snLayeredMark mark;
        snLayeredPosture posture;
    } byDefault;
    const char *rows = layered->tables[table].data;
    snTable_Default(table, &byDefault);
    snJsonWriter_Key(w, key);
    snJsonWriter_BeginArray(w);
    for (int i = 0; i < snLayered_Count(layered, table); i++) {
        snJsonWriter_BeginObject(w);
        writeFields(snColumns_Of(table), rows + (size_t)i * snTable_RowSize(table), &byDefault,
                    layered, w);
        if (own) own(layered, i, w);
        snJsonWriter_EndObject(w);
    }
    snJsonWriter_EndArray(w);
}

// ---- skin: one member for each property, a list over the points or one value for all ----------------

static bool isSameAll(const snColumnDef *field, const snLayeredPoint *points, int count)
{
    for (int i = 1; i < count; i++)
        if (!isDefault(field, &points[i], &points[0])) return false;
    return true;
}

// A list of what all points have. Muscles and joints go by their numbers here: names would be many.
static void writeColumn(const snColumnDef *field, const snLayered *layered, snJsonWriter *w)
{
    const snLayeredPoint *points = snLayered_Points(layered);
    bool number = field->kind == SN_COLUMN_JOINT || field->kind == SN_COLUMN_MUSCLE;
    snJsonWriter_BeginLine(w);
    for (int i = 0; i < snLayered_Count(layered, SN_TABLE_POINTS); i++) {
        const char *row = (const char *)&points[i];
        if (number)
            snJsonWriter_Int(w, *(const int *)(const void *)(row + field->offset));
        else
            snColumn_Write(field, row, layered, w);
    }
    snJsonWriter_EndArray(w);
}

static void writePoints(const snLayered *layered, snJsonWriter *w)
{
    snColumns fields = snColumns_Of(SN_TABLE_POINTS);
    const snLayeredPoint *points = snLayered_Points(layered);
    int count = snLayered_Count(layered, SN_TABLE_POINTS);
    snLayeredPoint byDefault;
    snTable_Default(SN_TABLE_POINTS, &byDefault);
    snJsonWriter_Key(w, "points");
    snJsonWriter_BeginObject(w);
    for (int i = 0; i < fields.count; i++) {
        const snColumnDef *field = &fields.list[i];
        bool same = i > 0 && isSameAll(field, points, count); // places tell how many there are
        if (i && same && isDefault(field, points, &byDefault)) continue;
        snJsonWriter_Key(w, field->name);
        if (same)
            snColumn_Write(field, points, layered, w);
        else
            writeColumn(field, layered, w);
    }
    snJsonWriter_EndObject(w);
}

static void writeSkin(const snLayered *layered, snJsonWriter *w)
{
    const snLayeredSkin *skin = snLayered_Skin(layered);
    snLayeredSkin byDefault;
    if (!skin) return;
    snTable_Default(SN_TABLE_SKIN, &byDefault);
    snJsonWriter_Key(w, "skin");
    snJsonWriter_BeginObject(w);
    writeFields(snColumns_Of(SN_TABLE_SKIN), skin, &byDefault, layered, w);
    if (skin->kind == SN_SKIN_MESH) {
        snJsonWriter_Key(w, "triangles");
        snJsonWriter_BeginLine(w);
        for (int i = 0; i < snLayered_Count(layered, SN_TABLE_TRIANGLES); i++)
            for (int k = 0; k < 3; k++)
                snJsonWriter_Int(w, snLayered_Triangles(layered)[i].corner[k]);
        snJsonWriter_EndArray(w);
    }
    writePoints(layered, w);
    if (snLayered_Count(layered, SN_TABLE_MARKS))
        writeRows(layered, SN_TABLE_MARKS, "marks", NULL, w);
    snJsonWriter_EndObject(w);
}

// ---- the document --------------------------------------------------------------------------------

void snLayered_Write(const snLayered *layered, snBytes *out)
{
    snJsonWriter w = snMakeJsonWriter(out, true);
    snJsonWriter_BeginObject(&w);
    snJsonWriter_PutString(&w, "format", "sinew-character");
    snJsonWriter_PutInt(&w, "version", SN_LAYERED_VERSION);
    writeSettings(layered, &w);
    writeRows(layered, SN_TABLE_JOINTS, "joints", NULL, &w);
    writeRows(layered, SN_TABLE_MUSCLES, "muscles", writeBulges, &w);
    writeSkin(layered, &w);
    if (snLayered_Count(layered, SN_TABLE_POSTURES))
        writeRows(layered, SN_TABLE_POSTURES, "postures", writePostured, &w);
    snJsonWriter_EndObject(&w);
}
