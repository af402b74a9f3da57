#include "layered/editor.h"

#include "core/error.h"

#include <limits.h>
#include <string.h>

// A change is one of three: rows that came, rows that went, or bytes of a row that are others now. Its bytes are
// the rows, or what was and then what is. Undo walks the changes of a step backwards, redo forwards. Tables never give memory
// back, so rows that come again find their room: neither can fail.

#define GAP 32 // equal bytes between two runs that are not worth a change of their own

typedef enum ChangeKind { CAME, WENT, IS_OTHER } ChangeKind;

struct snChange {
    snTable table;
    int kind;
    int at, count; // rows
    size_t offset; // within the row, of IS_OTHER
    size_t length; // bytes on one side
    size_t data;   // where they stand
};

// ---- memory ---------------------------------------------------------------------------------------

static bool grow(const snAllocator *allocator, void **data, size_t used, size_t *capacity,
                 size_t needed)
{
    if (needed <= *capacity) return true;
    size_t larger = *capacity + *capacity / 2 + 64;
    if (larger < needed) larger = needed;
    void *memory = allocator->allocate(allocator->user, larger);
    if (!memory) return false;
    if (used) memcpy(memory, *data, used);
    if (*data) allocator->release(allocator->user, *data);
    *data = memory;
    *capacity = larger;
    return true;
}

// The same for a count of elements.
static bool growList(const snAllocator *allocator, void **data, size_t element, int count,
                     int *capacity, int more)
{
    if (more > INT_MAX / 2 - count) return false;
    size_t room = (size_t)*capacity * element;
    if (!grow(allocator, data, (size_t)count * element, &room, (size_t)(count + more) * element))
        return false;
    *capacity = (int)(room / element);
    return true;
}

snStatus snEditor_Make(snEditor *editor, const snContext *context, snError *error)
{
    *editor = (snEditor){0};
    return snLayered_Make(&editor->layered, context, error);
}

void snEditor_Destroy(snEditor *editor)
{
    snEditor_Forget(editor);
    snLayered_Destroy(&editor->layered);
    *editor = (snEditor){0};
}

void snEditor_Forget(snEditor *editor)
{
    const snAllocator *allocator = &editor->layered.context.allocator;
    snJournal *j = &editor->journal;
    if (j->changes) allocator->release(allocator->user, j->changes);
    if (j->bytes) allocator->release(allocator->user, j->bytes);
    if (j->steps) allocator->release(allocator->user, j->steps);
    *j = (snJournal){0};
}

// ---- rows -----------------------------------------------------------------------------------------

static uint8_t *rowAt(snEditor *editor, snTable table, int at)
{
    return (uint8_t *)editor->layered.tables[table].data + (size_t)at * snTable_RowSize(table);
}

static void openRows(snEditor *editor, snTable table, int at, int count)
{
    snRows *rows = &editor->layered.tables[table];
    size_t size = snTable_RowSize(table);
    SN_ASSERT(rows->count + count <= rows->capacity);
    memmove(rowAt(editor, table, at + count), rowAt(editor, table, at),
            (size_t)(rows->count - at) * size);
    rows->count += count;
}

static void closeRows(snEditor *editor, snTable table, int at, int count)
{
    snRows *rows = &editor->layered.tables[table];
    size_t size = snTable_RowSize(table);
    memmove(rowAt(editor, table, at), rowAt(editor, table, at + count),
            (size_t)(rows->count - at - count) * size);
    rows->count -= count;
}

static void apply(snEditor *editor, const snChange *c, bool back)
{
    const uint8_t *bytes = editor->journal.bytes + c->data;
    if (c->kind == IS_OTHER) {
        memcpy(rowAt(editor, c->table, c->at) + c->offset, back ? bytes : bytes + c->length,
               c->length);
    } else if ((c->kind == CAME) == back) {
        closeRows(editor, c->table, c->at, c->count);
    } else {
        openRows(editor, c->table, c->at, c->count);
        memcpy(rowAt(editor, c->table, c->at), bytes, c->length);
    }
}

// ---- writing down ---------------------------------------------------------------------------------

// Changes that are in the document.
static int present(const snJournal *j)
{
    if (j->done == j->stepCount) return j->count;
    return j->done ? j->steps[j->done - 1] : 0;
}

// Forgets the steps that could be taken again: something else is done now.
static void cutRedo(snJournal *j)
{
    int kept = present(j);
    if (kept == j->count) return;
    j->size = j->changes[kept].data;
    j->count = kept;
    j->stepCount = j->done;
}

// Room for one more change with `bytes` bytes; NULL when memory ran out.
static uint8_t *record(snEditor *editor, snChange change, size_t bytes)
{
    const snAllocator *allocator = &editor->layered.context.allocator;
    snJournal *j = &editor->journal;
    SN_ASSERT(editor->depth > 0);
    if (editor->outOfMemory) return NULL;
    cutRedo(j);
    if (!growList(allocator, (void **)&j->changes, sizeof *j->changes, j->count, &j->capacity, 1) ||
        bytes > SIZE_MAX / 4 - j->size ||
        !grow(allocator, (void **)&j->bytes, j->size, &j->room, j->size + bytes)) {
        editor->outOfMemory = true;
        return NULL;
    }
    change.data = j->size;
    j->changes[j->count++] = change;
    j->size += bytes;
    return j->bytes + change.data;
}

void snEditor_Insert(snEditor *editor, snTable table, int at, int count, const void *rows)
{
    snRows *all = &editor->layered.tables[table];
    size_t size = snTable_RowSize(table);
    SN_ASSERT(at >= 0 && at <= all->count && count >= 0);
    if (count <= 0 || editor->outOfMemory) return;
    if (!growList(&editor->layered.context.allocator, &all->data, size, all->count, &all->capacity,
                  count)) {
        editor->outOfMemory = true;
        return;
    }
    snChange change = {table, CAME, at, count, 0, (size_t)count * size, 0};
    uint8_t *bytes = record(editor, change, change.length);
    if (!bytes) return;
    memcpy(bytes, rows, change.length);
    openRows(editor, table, at, count);
    memcpy(rowAt(editor, table, at), rows, change.length);
}

void snEditor_Remove(snEditor *editor, snTable table, int at, int count)
{
    SN_ASSERT(at >= 0 && at + count <= editor->layered.tables[table].count);
    if (count <= 0) return;
    snChange change = {table, WENT, at, count, 0, (size_t)count * snTable_RowSize(table), 0};
    uint8_t *bytes = record(editor, change, change.length);
    if (!bytes) return;
    memcpy(bytes, rowAt(editor, table, at), change.length);
    closeRows(editor, table, at, count);
}

// One change for each run of bytes that differ.
void snEditor_Set(snEditor *editor, snTable table, int at, const void *row)
{
    uint8_t *old = rowAt(editor, table, at);
    const uint8_t *now = row;
    size_t size = snTable_RowSize(table), i = 0;
    SN_ASSERT(at >= 0 && at < editor->layered.tables[table].count);
    while (i < size && !editor->outOfMemory) {
        while (i < size && old[i] == now[i])
            i++;
        size_t end = i, equal = 0;
        for (size_t k = i; k < size && equal < GAP; k++) {
            equal = old[k] == now[k] ? equal + 1 : 0;
            if (!equal) end = k + 1;
        }
        if (end == i) break;
        snChange change = {table, IS_OTHER, at, 1, i, end - i, 0};
        uint8_t *bytes = record(editor, change, 2 * change.length);
        if (!bytes) return;
        memcpy(bytes, old + i, change.length);
        memcpy(bytes + change.length, now + i, change.length);
        memcpy(old + i, now + i, change.length);
        i = end;
    }
}

// ---- steps ----------------------------------------------------------------------------------------

void snEditor_Begin(snEditor *editor)
{
    SN_ASSERT(editor->depth < SN_EDITOR_DEPTH);
    editor->marks[editor->depth++] = present(&editor->journal);
}

void snEditor_Revert(snEditor *editor)
{
    snJournal *j = &editor->journal;
    int mark = editor->marks[editor->depth - 1];
    while (present(j) > mark) {
        const snChange *last = &j->changes[--j->count];
        apply(editor, last, true);
        j->size = last->data;
    }
}

snStatus snEditor_End(snEditor *editor, snStatus status, snError *error)
{
    snJournal *j = &editor->journal;
    SN_ASSERT(editor->depth > 0);
    bool outermost = editor->depth == 1, changed = present(j) > editor->marks[0];
    if (!status && !editor->outOfMemory && outermost && changed &&
        !growList(&editor->layered.context.allocator, (void **)&j->steps, sizeof *j->steps,
                  j->stepCount, &j->stepRoom, 1))
        editor->outOfMemory = true;
    if (!status && editor->outOfMemory) status = snFailMemory(error);
    if (status) snEditor_Revert(editor);
    if (!status && outermost && changed) {
        j->steps[j->stepCount++] = j->count;
        j->done = j->stepCount;
    }
    editor->depth--;
    editor->outOfMemory = false; // what failed is undone
    return status;
}

bool snEditor_Undo(snEditor *editor)
{
    snJournal *j = &editor->journal;
    if (editor->depth || !j->done) return false;
    int end = j->steps[--j->done], first = j->done ? j->steps[j->done - 1] : 0;
    for (int i = end - 1; i >= first; i--)
        apply(editor, &j->changes[i], true);
    return true;
}

bool snEditor_Redo(snEditor *editor)
{
    snJournal *j = &editor->journal;
    if (editor->depth || j->done == j->stepCount) return false;
    for (int i = j->done ? j->steps[j->done - 1] : 0; i < j->steps[j->done]; i++)
        apply(editor, &j->changes[i], false);
    j->done++;
    return true;
}

int snEditor_UndoCount(const snEditor *editor)
{
    return editor->journal.done;
}

int snEditor_RedoCount(const snEditor *editor)
{
    return editor->journal.stepCount - editor->journal.done;
}

size_t snEditor_JournalBytes(const snEditor *editor)
{
    const snJournal *j = &editor->journal;
    return j->size + (size_t)j->count * sizeof *j->changes + (size_t)j->stepCount * sizeof(int);
}
