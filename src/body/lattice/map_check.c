#include "body/lattice/map_check.h"

#include "body/lattice/scheme_parts.h"
#include "core/error.h"

#include <math.h>
#include <stdio.h>

#define MOST_NAMED 6 // cells in the message

// The scaled determinant of a hexahedron's trilinear map at u.
static double jacobianAt(const snLattice *lattice, int hex, const double u[3])
{
    const int *corner = snLattice_Corners(lattice, hex);
    snVec3 column[3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    for (int k = 0; k < 8; k++)
        for (int a = 0; a < 3; a++) {
            double slope = snHexBits[k] >> a & 1 ? 1 : -1;
            for (int b = 0; b < 3; b++)
                if (b != a) slope *= snHexBits[k] >> b & 1 ? u[b] : 1 - u[b];
            column[a] = snMulAdd(column[a], slope, lattice->rest[corner[k]]);
        }
    double det = snDot(column[0], snCross(column[1], column[2]));
    double size = snLength(column[0]) * snLength(column[1]) * snLength(column[2]);
    return size > 0 ? det / size : size == 0 ? 0 : NAN;
}

static double leastOf(const snLattice *lattice, int hex)
{
    const double near = 0.21132486540518712;
    double least = jacobianAt(lattice, hex, (double[3]){0.5, 0.5, 0.5});
    for (int k = 0; k < 8; k++) {
        double u[3];
        for (int a = 0; a < 3; a++)
            u[a] = k >> a & 1 ? 1 - near : near;
        double at = jacobianAt(lattice, hex, u);
        if (!(at >= least)) least = at; // also when it is no number
    }
    return least;
}

snStatus snMapReport_Make(snMapReport *report, const snLattice *lattice, const int *parent,
                          int cellCount, snArena *arena, snError *error)
{
    *report = (snMapReport){.least = SN_NEW(arena, double, cellCount),
                            .bad = SN_NEW(arena, int, cellCount),
                            .worst = -1};
    if (!report->least || !report->bad) return snFailMemory(error);
    for (int c = 0; c < cellCount; c++)
        report->least[c] = INFINITY;
    for (int h = 0; h < lattice->cellCount; h++) {
        double *least = &report->least[parent[h]], at = leastOf(lattice, h);
        if (!(at >= *least) && !isnan(*least)) *least = at;
    }
    for (int c = 0; c < cellCount; c++) {
        if (!(report->least[c] > 0)) report->bad[report->badCount++] = c;
        bool beyond = report->worst >= 0 && isnan(report->least[report->worst]);
        if (report->worst < 0 || (!beyond && !(report->least[c] >= report->least[report->worst])))
            report->worst = c;
    }
    return SN_OK;
}

snStatus snMapReport_Require(const snMapReport *report, snError *error)
{
    char names[200] = "";
    int length = 0, named = report->badCount < MOST_NAMED ? report->badCount : MOST_NAMED;
    if (!report->badCount) return SN_OK;
    for (int i = 0; i < named; i++)
        length += snprintf(names + length, sizeof names - (size_t)length, "%s%d (%.2g)",
                           i ? ", " : "", report->bad[i], report->least[report->bad[i]]);
    return snFail(
        error, SN_ERROR_GEOMETRY,
        "the smoothed lattice folds over in %d cell%s, with a least Jacobian not above 0: "
        "%s%s; move their vertices apart, or tag their edges sharp",
        report->badCount, report->badCount == 1 ? "" : "s", names,
        report->badCount > named ? " and others" : "");
}

snStatus snNodes_CheckMap(const snNodes *nodes, const snContext *context, snError *error)
{
    snArena scratch = snMakeArena(context);
    snMapReport report;
    snStatus status = SN_OK;
    if (nodes->nodeLevel < 1)
        status = snFail(error, SN_ERROR_ARGUMENT,
                        "the map is checked on nodes of level 1 or more, not %d", nodes->nodeLevel);
    if (!status)
        status = snMapReport_Make(&report, &nodes->lattice, nodes->parent,
                                  nodes->level[0].cellCount, &scratch, error);
    if (!status) status = snMapReport_Require(&report, error);
    snArena_Destroy(&scratch);
    return status;
}
