// The table of a run: measures of bodies and places of probes over time, as CSV.
#ifndef SN_CLI_RUN_TABLE_H
#define SN_CLI_RUN_TABLE_H

#include "asset/bytes.h"
#include "scene/scene.h"

void snRunTable_Head(snBytes *csv, const snSceneFile *scene);
void snRunTable_Row(snBytes *csv, const snStage *stage);

#endif
