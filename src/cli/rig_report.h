// What was decided about a character's flesh, told to people and to programs.
#ifndef SN_CLI_RIG_REPORT_H
#define SN_CLI_RIG_REPORT_H

#include "asset/json_write.h"
#include "body/lattice/flesh.h"
#include "cli/cli.h"

// What belongs to one joint.
typedef struct snJointReport {
    double load;             // share of all skin weight
    int cells;               // of the lattice that it leads
    double softest, firmest; // Pa, of these cells
    double reach;            // of twist, in the file's units
} snJointReport;

#define SN_QUALITY_BINS 10

typedef struct snRigReport {
    int bins[SN_QUALITY_BINS]; // cells by quality: 0 to 0.1, 0.1 to 0.2, ...
    double volume;             // inside the surface, in the file's units
    snJointReport *joints;     // [skeleton joints]
} snRigReport;

snStatus snRigReport_Make(snRigReport *report, const snFlesh *flesh, snArena *arena,
                          snError *error);
void snRigReport_Print(const snRigReport *report, const snFlesh *flesh, const char *input);
void snRigReport_PrintJson(const snRigReport *report, const snFlesh *flesh, const char *input,
                           const snCli *cli);

// The members of an object that has been begun.
void snRigReport_WriteJson(const snRigReport *report, const snFlesh *flesh, snJsonWriter *writer);

#endif
