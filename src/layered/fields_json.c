#include "layered/fields.h"

#include "asset/json.h"
#include "core/suggest.h"

#include <stdio.h>
#include <string.h>

static const char *const angleNames[3] = {"twist", "y", "z"};

// ---- reading --------------------------------------------------------------------------------------

static snStatus readNumber(const snColumnDef *field, const snJson *json, const snJsonNode *value,
                           double *out, snError *error)
{
    double number;
    snStatus status = snJson_AsDouble(json, value, &number, error);
    if (status) return status;
    if (!(number >= field->low && number <= field->high))
        return snJson_Fail(json, value, error, SN_ERROR_FORMAT, "is %g; it must be from %g to %g",
                           number, field->low, field->high);
    *out = number;
    return SN_OK;
}

static snStatus readNumbers(const snColumnDef *field, const snJson *json, const snJsonNode *value,
                            int count, double *out, snError *error)
{
    snStatus status = SN_OK;
    double numbers[4];
    if (value->kind != SN_JSON_ARRAY || snJson_Count(value) != count)
        return snJson_Fail(json, value, error, SN_ERROR_FORMAT, "must be a list of %d numbers",
                           count);
    for (int i = 0; i < count && !status; i++)
        status = readNumber(field, json, snJson_At(json, value, i), &numbers[i], error);
    if (!status) memcpy(out, numbers, (size_t)count * sizeof *out);
    return status;
}

// |q| is 1 as nearly as digits allow: it is kept as it stands, for the sake of its bits.
static snStatus readRotation(const snColumnDef *field, const snJson *json, const snJsonNode *value,
                             snQuat *out, snError *error)
{
    double q[4];
    snStatus status = readNumbers(field, json, value, 4, q, error);
    if (status) return status;
    double square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    if (!(square > 1 - 1e-6 && square < 1 + 1e-6))
        return snJson_Fail(json, value, error, SN_ERROR_FORMAT,
                           "is no rotation: the squares of its x, y, z, w add up to %g, not 1",
                           square);
    *out = (snQuat){q[0], q[1], q[2], q[3]};
    return SN_OK;
}

static snStatus readText(const snColumnDef *field, const snJson *json, const snJsonNode *value,
                         snArena *scratch, char *out, snError *error)
{
    const char *text = NULL;
    snError why = {0};
    snStatus status = snJson_AsString(json, value, scratch, &text, error);
    if (status) return status;
    if (field->kind == SN_COLUMN_NAME && snName_Check(text, &why))
        return snJson_Fail(json, value, error, SN_ERROR_FORMAT, "%s", why.message);
    if (strlen(text) >= SN_NAME_SIZE)
        return snJson_Fail(json, value, error, SN_ERROR_FORMAT,
                           "is %zu bytes long; %d are the most", strlen(text), SN_NAME_SIZE - 1);
    memset(out, 0, SN_NAME_SIZE);
    memcpy(out, text, strlen(text));
    return SN_OK;
}

static snStatus readReference(snTable table, const snLayered *layered, const snJson *json,
                              const snJsonNode *value, snArena *scratch, int *out, snError *error)
{
    const char *text = NULL;
    snError why = {0};
    if (value->kind == SN_JSON_NULL) {
        *out = -1;
        return SN_OK;
    }
    snStatus status = snJson_AsString(json, value, scratch, &text, error);
    if (!status && snLayered_Need(layered, table, text, out, &why))
        status = snJson_Fail(json, value, error, SN_ERROR_FORMAT, "%s", why.message);
    return status;
}

static snStatus readWord(const char *const *words, int count, const snJson *json,
                         const snJsonNode *value, snArena *scratch, int *out, snError *error)
{
    const char *text = NULL;
    char list[200] = "";
    snStatus status = snJson_AsString(json, value, scratch, &text, error);
    if (status) return status;
    for (int i = 0; i < count; i++)
        if (!strcmp(text, words[i])) {
            *out = i;
            return SN_OK;
        }
    for (int i = 0; i < count; i++) {
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", words[i]);
    }
    const char *guess = snSuggest(text, words, count);
    return snJson_Fail(json, value, error, SN_ERROR_FORMAT,
                       "is \"%.40s\"; it must be one of %s%s%s%s", text, list,
                       guess ? "; did you mean \"" : "", guess ? guess : "", guess ? "\"?" : "");
}

static snStatus readPoints(const snColumnDef *field, snDriven *driven, const snJson *json,
                           const snJsonNode *list, snError *error)
{
    int count = snJson_Count(list);
    bool polynomial = driven->kind == SN_DRIVEN_POLYNOMIAL;
    snColumnDef any = *field;
    snStatus status = SN_OK;
    any.low = -1e12, any.high = 1e12; // of times, angles and coefficients
    if (list->kind != SN_JSON_ARRAY || count < 1 || count > SN_DRIVEN_POINTS)
        return snJson_Fail(json, list, error, SN_ERROR_FORMAT, "must be a list of 1 to %d %s",
                           SN_DRIVEN_POINTS, polynomial ? "coefficients" : "pairs");
    for (int i = 0; i < count && !status; i++) {
        const snJsonNode *at = snJson_At(json, list, i);
        double *point = driven->points[i];
        status = polynomial ? readNumber(&any, json, at, point, error)
                            : readNumbers(&any, json, at, 2, point, error);
        if (!status && !polynomial && i && !(point[0] > driven->points[i - 1][0]))
            status = snJson_Fail(json, at, error, SN_ERROR_FORMAT,
                                 "%g does not come after %g; they must ascend", point[0],
                                 driven->points[i - 1][0]);
        if (!status && !polynomial && !(point[1] >= field->low && point[1] <= field->high))
            status = snJson_Fail(json, at, error, SN_ERROR_FORMAT,
                                 "its value is %g; it must be from %g to %g", point[1], field->low,
                                 field->high);
    }
    driven->count = count;
    return status;
}

static snStatus readDriven(const snColumnDef *field, snDriven *out, const snLayered *layered,
                           const snJson *json, const snJsonNode *value, snArena *scratch,
                           snError *error)
{
    static const char *const keys[] = {"keys", "joint", "angle", "map", "polynomial"};
    static const snDrivenKind kinds[3] = {SN_DRIVEN_KEYS, SN_DRIVEN_MAP, SN_DRIVEN_POLYNOMIAL};
    static const char *const lists[3] = {"keys", "map", "polynomial"};
    snDriven driven = {.joint = -1};
    const snJsonNode *list = NULL;
    snStatus status = SN_OK;
    if (value->kind != SN_JSON_OBJECT) {
        status = readNumber(field, json, value, &driven.value, error);
        if (!status) *out = driven;
        return status;
    }
    status = snJson_CheckKeys(json, value, keys, 5, error);
    for (int i = 0, found = 0; i < 3 && !status; i++) {
        const snJsonNode *node = snJson_Member(json, value, lists[i]);
        if (!node) continue;
        list = node;
        driven.kind = (int)kinds[i];
        if (found++)
            status = snJson_Fail(json, value, error, SN_ERROR_FORMAT,
                                 "has more than one of \"keys\", \"map\", \"polynomial\"");
    }
    if (!status && !list)
        status = snJson_Fail(json, value, error, SN_ERROR_FORMAT,
                             "must be a number, or have \"keys\", \"map\" or \"polynomial\"");
    bool ofJoint = driven.kind != SN_DRIVEN_KEYS;
    const snJsonNode *joint = snJson_Member(json, value, "joint");
    const snJsonNode *angle = snJson_Member(json, value, "angle");
    if (!status && ofJoint != (joint != NULL))
        status = snJson_Fail(json, value, error, SN_ERROR_FORMAT,
                             ofJoint ? "\"joint\" is missing: whose angle?"
                                     : "\"keys\" are over time; leave out \"joint\"");
    if (!status && joint)
        status =
            readReference(SN_TABLE_JOINTS, layered, json, joint, scratch, &driven.joint, error);
    if (!status && joint && driven.joint < 0)
        status = snJson_Fail(json, joint, error, SN_ERROR_FORMAT, "must be the name of a joint");
    if (!status && angle)
        status = readWord(angleNames, 3, json, angle, scratch, &driven.angle, error);
    if (!status) status = readPoints(field, &driven, json, list, error);
    if (!status) *out = driven;
    return status;
}

snStatus snColumn_Read(const snColumnDef *field, void *row, const snLayered *layered,
                       const snJson *json, const snJsonNode *value, snArena *scratch,
                       snError *error)
{
    void *at = (char *)row + field->offset;
    bool flag;
    snStatus status;
    switch (field->kind) {
    case SN_COLUMN_NAME:
    case SN_COLUMN_TEXT:
        return readText(field, json, value, scratch, at, error);
    case SN_COLUMN_JOINT:
        return readReference(SN_TABLE_JOINTS, layered, json, value, scratch, at, error);
    case SN_COLUMN_MUSCLE:
        return readReference(SN_TABLE_MUSCLES, layered, json, value, scratch, at, error);
    case SN_COLUMN_INT:
        return snJson_AsInt(json, value, (int)field->low, (int)field->high, at, error);
    case SN_COLUMN_FLAG:
        status = snJson_ReadBool(json, snJson_Parent(json, value), field->name, &flag, error);
        if (!status) *(int *)at = flag;
        return status;
    case SN_COLUMN_WORD:
        return readWord(field->words, field->wordCount, json, value, scratch, at, error);
    case SN_COLUMN_NUMBER:
        return readNumber(field, json, value, at, error);
    case SN_COLUMN_PAIR:
        return readNumbers(field, json, value, 2, at, error);
    case SN_COLUMN_VECTOR:
        return readNumbers(field, json, value, 3, at, error);
    case SN_COLUMN_ROTATION:
        return readRotation(field, json, value, at, error);
    case SN_COLUMN_DRIVEN:
        return readDriven(field, at, layered, json, value, scratch, error);
    }
    return SN_OK;
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
