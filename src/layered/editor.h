// A document that is edited: every change goes through three functions, which write down what was and what is,
// so that each step can be taken back and taken again, without limit. The memory of a step is what it changed.
//
//     snEditor_Begin(editor);
//     snEditor_Insert(editor, SN_TABLE_JOINTS, count, 1, &joint);   // and more: none has to be checked
//     return snEditor_End(editor, status, error);                   // one step; a failed one leaves no trace
//
// Begin and End nest: the outermost pair is the step, so a group is a pair around others.
#ifndef SN_LAYERED_EDITOR_H
#define SN_LAYERED_EDITOR_H

#include "body/skin/mesh.h"
#include "layered/layered.h"

#define SN_EDITOR_DEPTH 16

typedef struct snChange snChange; // journal.c

typedef struct snJournal {
    snChange *changes;
    int count, capacity;
    uint8_t *bytes; // of the changes, one after another
    size_t size, room;
    int *steps; // number of changes at the end of each step
    int stepCount, stepRoom;
    int done; // steps that are in the document; those after it can be taken again
} snJournal;

typedef struct snEditor {
    snLayered layered;
    snJournal journal;
    int depth;
    int marks[SN_EDITOR_DEPTH]; // changes at each Begin
    bool outOfMemory;           // since the outermost Begin
    // Asked after every 60th of a second of a skin that shrinks on, of coarser grids first: false ends it. NULL: none.
    bool (*watch)(void *user, const snSkinMesh *mesh, const snVec3 *places);
    void *user; // of watch
} snEditor;

snStatus snEditor_Make(snEditor *editor, const snContext *context, snError *error);
void snEditor_Destroy(snEditor *editor);

// ---- what operations are made of: between Begin and End only ----

void snEditor_Begin(snEditor *editor);
// Where the status is a failure, or memory ran out, what came since Begin is taken back.
snStatus snEditor_End(snEditor *editor, snStatus status, snError *error);
// Takes back what came since the innermost Begin and goes on: a drag does so with every move of the hand.
void snEditor_Revert(snEditor *editor);

void snEditor_Insert(snEditor *editor, snTable table, int at, int count, const void *rows);
void snEditor_Remove(snEditor *editor, snTable table, int at, int count);
void snEditor_Set(snEditor *editor, snTable table, int at, const void *row);

// ---- steps ----

// False: there is none, or a step is under way. They need no memory and cannot fail.
bool snEditor_Undo(snEditor *editor);
bool snEditor_Redo(snEditor *editor);
int snEditor_UndoCount(const snEditor *editor);
int snEditor_RedoCount(const snEditor *editor);
size_t snEditor_JournalBytes(const snEditor *editor); // that steps are kept in
void snEditor_Forget(snEditor *editor);               // all steps; the document stays

#endif
