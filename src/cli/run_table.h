// The table of a run: measures of bodies and places of probes over time, as CSV.
#ifndef SN_CLI_RUN_TABLE_H
#define SN_CLI_RUN_TABLE_H

#include "asset/bytes.h"
#include "scene/scene.h"

void snRunTable_Head(snBytes *csv, const snSceneFile *scene);

// A row as numbers, of the world as it is, and its text.
int snRunTable_Columns(const snStage *stage);
void snRunTable_Measure(const snStage *stage, double *row);
void snRunTable_Row(snBytes *csv, int columns, const double *row);

#endif
