// What an operation of a script gets: its words, taken apart.
#ifndef SN_LAYERED_SCRIPT_PARTS_H
#define SN_LAYERED_SCRIPT_PARTS_H

#include "layered/fields.h"
#include "layered/operations.h"
#include "layered/script.h"
#include "layered/tool.h"

#define SN_MOST_WORDS 64
#define SN_MOST_CLAUSES 16

// Arguments that are no fields of rows. An operation says which of them it takes.
typedef struct snExtra {
    snVec3 to, by, center, times, color, at, eye;
    snQuat turn, toTurn;
    double size, radius, amount, reach, gap, smooth, seconds, cell, blend, held;
    int rows, columns, rounds, number, count, point, joints, muscles, points, postures;
    int root, bottom, top, muscle;
    int way;      // snSkinWay
    int hanging;  // snHanging
    int children; // 0 follow, 1 stay
    int shape;    // of a muscle
    int aim;      // SN_AIM_ - 1
    char name[SN_NAME_SIZE], left[SN_NAME_SIZE], right[SN_NAME_SIZE];
} snExtra;

typedef struct snCall {
    snEditor *editor;
    const struct snOperation *operation;
    int wordCount;
    const char *name;                  // the word behind the operation, or NULL
    int row;                           // of what it names, where the operation says what that is
    const char *keys[SN_MOST_WORDS];   // [wordCount], NULL: a word without =
    const char *values[SN_MOST_WORDS]; // [wordCount]
    snExtra extra;
    bool more;       // another clause follows, behind "and"
    int clauseCount; // those before this one
    snReach reaches[SN_MOST_CLAUSES];
    snDrag drag; // of a hand; its clauses share it
    bool dragging;
    snScriptReport *report;
    snError *error;
} snCall;

typedef enum snColumnSource {
    SN_FIELDS_NONE,
    SN_FIELDS_SETTINGS,
    SN_FIELDS_JOINT,
    SN_FIELDS_MUSCLE,
    SN_FIELDS_BULGE,
    SN_FIELDS_SKIN,
    SN_FIELDS_POINT,
    SN_FIELDS_MARK,
    SN_FIELDS_POSTURE,
    SN_FIELDS_POSE,
} snColumnSource;

// What the word behind an operation names, which must be there.
typedef enum snNamed {
    SN_NAMES_NOTHING, // or what is not there yet
    SN_NAMES_JOINT,
    SN_NAMES_MUSCLE,
    SN_NAMES_MARK,
    SN_NAMES_POSTURE,
} snNamed;

typedef struct snOperation {
    const char *words; // "joint add"
    const char
        *name; // what the word behind is called in help; "" : none; "[x]": may be left out; with
               // "and": clauses, each run with those before it in the call
    snNamed named;
    snColumnSource fields; // those that it takes
    const char *extras;    // names of snExtra's, with spaces around: " to by "
    const char *help;
    snStatus (*run)(snCall *call);
} snOperation;

extern const snOperation snOperations[];
extern const int snOperationCount;

snColumns snColumnSource_Fields(snColumnSource source);
snColumns snExtra_Fields(void);
// Whether the argument was given.
bool snCall_Has(const snCall *call, const char *key);
// Writes the fields that were given into a row.
snStatus snCall_Fill(snCall *call, void *row);
// The row that the word behind the operation names.
snStatus snCall_Row(snCall *call, snTable table, int *row);
snBrush snCall_Brush(const snCall *call);
// Counts what was not reached.
void snCall_NoteReach(snCall *call, const snReach *reach);
snStatus snCall_Drag(snCall *call); // script_hand.c

#endif
