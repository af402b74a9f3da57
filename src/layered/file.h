// The document as JSON (docs/character-file.md). What is written reads back to the same bits, and writes again to the
// same bytes.
#ifndef SN_LAYERED_FILE_H
#define SN_LAYERED_FILE_H

#include "asset/bytes.h"
#include "layered/editor.h"

// Makes an editor whose document is what the text says, without steps to undo. The message of a failure begins
// with the path of what is wrong ("muscles[2].size: ..."), and nothing is left to destroy.
snStatus snEditor_Read(snEditor *editor, const char *text, size_t size, const snContext *context,
                       snError *error);

// Fails only where memory runs out (snBytes_Check).
void snLayered_Write(const snLayered *layered, snBytes *out);

// Whether rows fit each other: for documents from elsewhere and for `check` in scripts. All that operations make passes.
snStatus snLayered_Check(const snLayered *layered, snError *error);

#endif
