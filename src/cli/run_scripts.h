// What scripts did in a run: which goals ended, when, and why those failed that did.
#ifndef SN_CLI_RUN_SCRIPTS_H
#define SN_CLI_RUN_SCRIPTS_H

#include "asset/json_write.h"
#include "control/control.h"

// Whether a script stopped at a goal that failed. NULL: there are none.
bool snRunScripts_HaveFailed(const snControl *control);
void snRunScripts_Print(const snControl *control);
// Members "scripts" and "events" of an object.
void snRunScripts_Write(const snControl *control, snJsonWriter *w);

#endif
