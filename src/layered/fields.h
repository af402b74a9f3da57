// What rows are made of, told once: from these lists the document is read and written, operations of scripts take their
// arguments, and `sinew build --operations` its help. Begin with snColumns_Of.
#ifndef SN_LAYERED_FIELDS_H
#define SN_LAYERED_FIELDS_H

#include "asset/json_reader.h"
#include "asset/json_write.h"
#include "layered/layered.h"

typedef enum snColumnKind {
    SN_COLUMN_NAME,     // char[SN_NAME_SIZE]: of something that others speak of
    SN_COLUMN_TEXT,     // the same, any text
    SN_COLUMN_JOINT,    // int, by name; -1: none
    SN_COLUMN_MUSCLE,   //
    SN_COLUMN_INT,      // int
    SN_COLUMN_FLAG,     // int, true or false
    SN_COLUMN_WORD,     // int, one of `words`
    SN_COLUMN_NUMBER,   // double
    SN_COLUMN_PAIR,     // double[2]
    SN_COLUMN_VECTOR,   // snVec3
    SN_COLUMN_ROTATION, // snQuat
    SN_COLUMN_DRIVEN,   // snDriven
} snColumnKind;

typedef struct snColumnDef {
    const char *name;
    snColumnKind kind;
    size_t offset;
    double low, high; // of its numbers
    snQuantity unit;  // of texts in scripts; angles are kept in degrees
    const char *const *words;
    int wordCount;
    const char *help;
} snColumnDef;

typedef struct snColumns {
    const snColumnDef *list;
    int count;
} snColumns;

snColumns snColumns_Of(snTable table); // none for triangles and postured rows
snColumns snColumns_OfBulge(void);     // snLayeredBulge
snColumns snColumns_OfPose(void);      // snLayeredPostured
const snColumnDef *snColumns_Find(snColumns fields, const char *name); // or NULL
size_t snColumnDef_Size(const snColumnDef *field);

// Names begin with a letter or a digit, and have no spaces and none of = , : # " and quotes.
snStatus snName_Check(const char *name, snError *error);

// ---- JSON (fields_json.c): reading fails with the path; what is absent stays as it is ----

void snColumn_Read(const snColumnDef *field, void *row, const snLayered *layered, snReader *r,
                   const snJsonNode *value);
void snColumn_Write(const snColumnDef *field, const void *row, const snLayered *layered,
                    snJsonWriter *writer);

// ---- text (fields_text.c), as scripts have it ----

//     at=0,0.3,0   size=12cm   turn=x:90,y:20   shape=sphere   parent=hips   limited=yes
//     twist=30   twist=keys(0:0,1:30)   twist=map(elbow:0:0,90:30)   twist=poly(elbow.y:0,0.3)
snStatus snColumn_Parse(const snColumnDef *field, void *row, const snLayered *layered,
                        const char *text, snError *error);
// How its text looks: "x,y,z", "NAME", "a number, keys(...), ...": for help.
const char *snColumnDef_Form(const snColumnDef *field);

// The value of a driven number. `angles` are the joints' in degrees.
double snDriven_Value(const snDriven *driven, double time, const snVec3 *angles);
bool snDriven_IsNumber(const snDriven *driven, double value);

#endif
