#include "layered/fields.h"

#include <string.h>

static const char *const angleNames[3] = {"twist", "y", "z"};

// ---- reading --------------------------------------------------------------------------------------

// |q| is 1 as nearly as digits allow: it is kept as it stands, for the sake of its bits.
static void readRotation(const snColumnDef *field, snReader *r, const snJsonNode *value,
                         snQuat *out)
{
    double q[4] = {0, 0, 0, 0};
    snReader_ValuesIn(r, value, 4, field->low, field->high, q);
    double square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    if (!(square > 1 - 1e-6 && square < 1 + 1e-6))
        snReader_Fail(r, value, "is no rotation: the squares of its x, y, z, w add up to %g, not 1",
                      square);
    if (!r->status) *out = (snQuat){q[0], q[1], q[2], q[3]};
}

static void readText(const snColumnDef *field, snReader *r, const snJsonNode *value, char *out)
{
    const char *text = snReader_TextOf(r, value);
    snError why = {0};
    if (r->status) return;
    if (field->kind == SN_COLUMN_NAME && snName_Check(text, &why))
        snReader_Fail(r, value, "%s", why.message);
    if (strlen(text) >= SN_NAME_SIZE)
        snReader_Fail(r, value, "is %zu bytes long; %d are the most", strlen(text),
                      SN_NAME_SIZE - 1);
    if (r->status) return;
    memset(out, 0, SN_NAME_SIZE);
    memcpy(out, text, strlen(text));
}

static void readReference(snTable table, const snLayered *layered, snReader *r,
                          const snJsonNode *value, int *out)
{
    snError why = {0};
    *out = -1;
    if (value->kind == SN_JSON_NULL) return;
    const char *text = snReader_TextOf(r, value);
    if (!r->status && snLayered_Need(layered, table, text, out, &why))
        snReader_Fail(r, value, "%s", why.message);
}

// One point after another: a coefficient, or a pair that begins where none before it did.
static void readPoint(const snColumnDef *field, snReader *r, const snJsonNode *at,
                      const snDriven *driven, int i, double *point)
{
    const double most = 1e12; // of times, angles and coefficients
    if (driven->kind == SN_DRIVEN_POLYNOMIAL) {
        snReader_ValueIn(r, at, -most, most, point);
        return;
    }
    snReader_ValuesIn(r, at, 2, -most, most, point);
    if (r->status) return;
    if (i && !(point[0] > driven->points[i - 1][0]))
        snReader_Fail(r, at, "%g does not come after %g; they must ascend", point[0],
                      driven->points[i - 1][0]);
    if (!(point[1] >= field->low && point[1] <= field->high))
        snReader_Fail(r, at, "its value is %g; it must be from %g to %g", point[1], field->low,
                      field->high);
}

static void readPoints(const snColumnDef *field, snDriven *driven, snReader *r,
                       const snJsonNode *list)
{
    int count = snJson_Count(list);
    if (r->status) return;
    if (list->kind != SN_JSON_ARRAY || count < 1 || count > SN_DRIVEN_POINTS)
        snReader_Fail(r, list, "must be a list of 1 to %d %s", SN_DRIVEN_POINTS,
                      driven->kind == SN_DRIVEN_POLYNOMIAL ? "coefficients" : "pairs");
    for (int i = 0; i < count && !r->status; i++)
        readPoint(field, r, snJson_At(r->json, list, i), driven, i, driven->points[i]);
    driven->count = count;
}

// Which of the lists it has, for it must have one.
static const snJsonNode *readDrivenKind(snDriven *driven, snReader *r, const snJsonNode *value)
{
    static const snDrivenKind kinds[3] = {SN_DRIVEN_KEYS, SN_DRIVEN_MAP, SN_DRIVEN_POLYNOMIAL};
    static const char *const lists[3] = {"keys", "map", "polynomial"};
    const snJsonNode *list = NULL;
    for (int i = 0; i < 3; i++) {
        const snJsonNode *node = snJson_Member(r->json, value, lists[i]);
        if (!node) continue;
        if (list) snReader_Fail(r, value, "has more than one of \"keys\", \"map\", \"polynomial\"");
        list = node;
        driven->kind = (int)kinds[i];
    }
    if (!list)
        snReader_Fail(r, value, "must be a number, or have \"keys\", \"map\" or \"polynomial\"");
    return list;
}

// The joint whose angle it is, unless it is over time.
static void readDriver(snDriven *driven, const snLayered *layered, snReader *r,
                       const snJsonNode *value)
{
    bool ofJoint = driven->kind != SN_DRIVEN_KEYS;
    const snJsonNode *joint = snJson_Member(r->json, value, "joint");
    if (ofJoint && !joint) snReader_Fail(r, value, "\"joint\" is missing: whose angle?");
    if (!ofJoint && joint) snReader_Fail(r, value, "\"keys\" are over time; leave out \"joint\"");
    if (joint && !r->status) {
        readReference(SN_TABLE_JOINTS, layered, r, joint, &driven->joint);
        if (driven->joint < 0) snReader_Fail(r, joint, "must be the name of a joint");
    }
    snReader_Word(r, value, "angle", angleNames, 3, &driven->angle);
}

static void readDriven(const snColumnDef *field, snDriven *out, const snLayered *layered,
                       snReader *r, const snJsonNode *value)
{
    static const char *const keys[] = {"keys", "joint", "angle", "map", "polynomial"};
    snDriven driven = {.joint = -1};
    if (value->kind != SN_JSON_OBJECT) {
        snReader_ValueIn(r, value, field->low, field->high, &driven.value);
    } else {
        snReader_Keys(r, value, keys, 5);
        const snJsonNode *list = readDrivenKind(&driven, r, value);
        readDriver(&driven, layered, r, value);
        readPoints(field, &driven, r, list);
    }
    if (!r->status) *out = driven;
}

void snColumn_Read(const snColumnDef *field, void *row, const snLayered *layered, snReader *r,
                   const snJsonNode *value)
{
    void *at = (char *)row + field->offset;
    bool flag = false;
    if (r->status) return;
    switch (field->kind) {
    case SN_COLUMN_NAME:
    case SN_COLUMN_TEXT:
        readText(field, r, value, at);
        break;
    case SN_COLUMN_JOINT:
        readReference(SN_TABLE_JOINTS, layered, r, value, at);
        break;
    case SN_COLUMN_MUSCLE:
        readReference(SN_TABLE_MUSCLES, layered, r, value, at);
        break;
    case SN_COLUMN_INT:
        snReader_IntOf(r, value, (int)field->low, (int)field->high, at);
        break;
    case SN_COLUMN_FLAG:
        snReader_Bool(r, snJson_Parent(r->json, value), field->name, &flag);
        if (!r->status) *(int *)at = flag;
        break;
    case SN_COLUMN_WORD:
        snReader_WordOf(r, value, field->words, field->wordCount, at);
        break;
    case SN_COLUMN_NUMBER:
        snReader_ValueIn(r, value, field->low, field->high, at);
        break;
    case SN_COLUMN_PAIR:
        snReader_ValuesIn(r, value, 2, field->low, field->high, at);
        break;
    case SN_COLUMN_VECTOR:
        snReader_ValuesIn(r, value, 3, field->low, field->high, at);
        break;
    case SN_COLUMN_ROTATION:
        readRotation(field, r, value, at);
        break;
    case SN_COLUMN_DRIVEN:
        readDriven(field, at, layered, r, value);
        break;
    }
}

// ---- writing --------------------------------------------------------------------------------------

static void writeNumbers(snJsonWriter *w, const double *v, int count)
{
    snJsonWriter_BeginLine(w);
    for (int i = 0; i < count; i++)
        snJsonWriter_Double(w, v[i]);
    snJsonWriter_EndArray(w);
}

static void writeReference(snJsonWriter *w, const char *names, size_t stride, int row)
{
    if (row < 0)
        snJsonWriter_Null(w);
    else
        snJsonWriter_String(w, names + (size_t)row * stride);
}

static void writeDriven(const snDriven *driven, const snLayered *layered, snJsonWriter *w)
{
    static const char *const lists[] = {"", "keys", "map", "polynomial"};
    if (driven->kind == SN_DRIVEN_NUMBER) {
        snJsonWriter_Double(w, driven->value);
        return;
    }
    snJsonWriter_BeginObject(w);
    if (driven->kind != SN_DRIVEN_KEYS) {
        snJsonWriter_PutString(w, "joint", snLayered_Joints(layered)[driven->joint].name);
        if (driven->angle) snJsonWriter_PutString(w, "angle", angleNames[driven->angle]);
    }
    snJsonWriter_Key(w, lists[driven->kind]);
    snJsonWriter_BeginLine(w);
    for (int i = 0; i < driven->count; i++) {
        if (driven->kind == SN_DRIVEN_POLYNOMIAL)
            snJsonWriter_Double(w, driven->points[i][0]);
        else
            writeNumbers(w, driven->points[i], 2);
    }
    snJsonWriter_EndArray(w);
    snJsonWriter_EndObject(w);
}

void snColumn_Write(const snColumnDef *field, const void *row, const snLayered *layered,
                    snJsonWriter *w)
{
    const void *at = (const char *)row + field->offset;
    switch (field->kind) {
    case SN_COLUMN_NAME:
    case SN_COLUMN_TEXT:
        snJsonWriter_String(w, at);
        break;
    case SN_COLUMN_JOINT:
        writeReference(w, layered->tables[SN_TABLE_JOINTS].data, sizeof(snLayeredJoint),
                       *(const int *)at);
        break;
    case SN_COLUMN_MUSCLE:
        writeReference(w, layered->tables[SN_TABLE_MUSCLES].data, sizeof(snLayeredMuscle),
                       *(const int *)at);
        break;
    case SN_COLUMN_INT:
        snJsonWriter_Int(w, *(const int *)at);
        break;
    case SN_COLUMN_FLAG:
        snJsonWriter_Bool(w, *(const int *)at);
        break;
    case SN_COLUMN_WORD:
        snJsonWriter_String(w, field->words[*(const int *)at]);
        break;
    case SN_COLUMN_NUMBER:
        snJsonWriter_Double(w, *(const double *)at);
        break;
    case SN_COLUMN_PAIR:
        writeNumbers(w, at, 2);
        break;
    case SN_COLUMN_VECTOR:
        writeNumbers(w, at, 3);
        break;
    case SN_COLUMN_ROTATION:
        writeNumbers(w, at, 4);
        break;
    case SN_COLUMN_DRIVEN:
        writeDriven(at, layered, w);
        break;
    }
}
