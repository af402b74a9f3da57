// What went wrong in a bake, as `sinew bake` tells it: to people, and in JSON.
#ifndef SN_CLI_BAKE_EVENTS_H
#define SN_CLI_BAKE_EVENTS_H

#include "asset/json_write.h"
#include "bake/bake.h"

// A few lines; all are in the JSON.
void snPrintBakeEvents(const snBake *bake);

// An array under the key "events".
void snPutBakeEvents(snJsonWriter *writer, const snBake *bake);

#endif
