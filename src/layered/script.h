// Operations as lines of text: what `sinew build` runs, and what a person likes to write.
//
//     # a leg
//     joint add hip.l parent=hips at=0.08,-0.05,0
//     muscle add thigh.l shape=superellipsoid size=5cm,16cm,5cm at=0,-0.15,0
//     undo
//
// The list of operations (snOperations) has the arguments of each: fields of what it makes or changes (fields.h) and its own.
#ifndef SN_LAYERED_SCRIPT_H
#define SN_LAYERED_SCRIPT_H

#include "asset/bytes.h"
#include "layered/editor.h"

typedef struct snScriptReport {
    int lines, operations;
    int skipped;      // those between a group's begin and end count as one step: groups
    int unmet;        // joints that could not reach where they should
    double worstMiss; // m, of these
    int unmetLine;    // the first
} snScriptReport;

// Runs all lines. A failure names line and word ("line 12: parent: there is no joint called ..."); lines before it stay done.
snStatus snScript_Run(snEditor *editor, const char *text, size_t size, snScriptReport *report,
                      snError *error);
// One line, as someone types it.
snStatus snScript_RunLine(snEditor *editor, const char *line, size_t size, snScriptReport *report,
                          snError *error);

// All operations with their arguments, as text.
void snScript_List(snBytes *out);

#endif
