#include "cli/rig_report.h"

#include "asset/json_write.h"
#include "cli/text.h"

#include <stdio.h>
#include <string.h>

#define LEAST_LOAD 1e-4 // of all skin weight: joints with less are left out
#define BAR 40          // characters of the longest bar of the histogram

// ---- counting ---------------------------------------------------------------------------------------

// The joint with the largest weight over a cell's corners. `sum` is [joints], zero before and after.
static int leaderOf(const snFlesh *flesh, int cell, double *sum)
{
    const snLattice *l = &flesh->lattice;
    const snWeightRows *w = &flesh->weights;
    int best = -1;
    for (int clear = 0; clear < 2; clear++)
        for (int i = 0; i < (int)snLattice_Kind(l, cell); i++) {
            int v = snLattice_Corners(l, cell)[i];
            for (int k = w->start[v]; k < w->start[v + 1]; k++) {
                int joint = w->column[k];
                sum[joint] = clear ? 0 : sum[joint] + w->weight[k];
                if (!clear && (best < 0 || sum[joint] > sum[best])) best = joint;
            }
        }
    return best;
}

static void addCell(snRigReport *report, const snFlesh *flesh, int cell, double *sum)
{
    int bin = (int)(snFlesh_CellQuality(flesh, cell) * SN_QUALITY_BINS);
    int joint = leaderOf(flesh, cell, sum);
    report->bins[bin < 0 ? 0 : bin >= SN_QUALITY_BINS ? SN_QUALITY_BINS - 1 : bin]++;
    report->volume += flesh->quadrature.cellVolume[cell];
    if (joint < 0) return;
    snJointReport *own = &report->joints[joint];
    double young = flesh->young[cell];
    if (!own->cells || young < own->softest) own->softest = young;
    if (!own->cells || young > own->firmest) own->firmest = young;
    own->cells++;
}

snStatus snRigReport_Make(snRigReport *report, const snFlesh *flesh, snArena *arena, snError *error)
{
    int n = flesh->character->skeleton.jointCount, points = flesh->character->vertexCount;
    double *sum = SN_NEW(arena, double, n), total = 0;
    *report = (snRigReport){.joints = SN_NEW(arena, snJointReport, n)};
    if (!sum || !report->joints) return snFailMemory(error);
    for (int c = 0; c < flesh->lattice.cellCount; c++)
        addCell(report, flesh, c, sum);
    for (int k = 0; k < flesh->skin.start[points]; k++) {
        report->joints[flesh->skin.column[k]].load += flesh->skin.weight[k];
        total += flesh->skin.weight[k];
    }
    for (int j = 0; j < n; j++) {
        report->joints[j].load /= total > 0 ? total : 1;
        report->joints[j].reach = flesh->joints[j].twistRadius * flesh->thickness[j];
    }
    return SN_OK;
}

// What it carries is flesh, not a prop in its hand.
static bool isListed(const snRigReport *report, const snFlesh *flesh, int joint)
{
    return flesh->used[joint] &&
           (report->joints[joint].load > LEAST_LOAD || report->joints[joint].cells > 0);
}

static const char *stuffOf(const snJointFlesh *own)
{
    return own->substance ? own->substance->name : snTissue_Of(own->tissue)->name;
}

// ---- text -------------------------------------------------------------------------------------------

// Functions of every level that may act, and why others may not.
static void printDetails(const snFlesh *flesh)
{
    for (int level = 0; level <= flesh->def.details && flesh->def.details; level++) {
        const int *count = flesh->basis.count[level];
        printf("functions of level %d: %d kept", level, count[SN_FUNCTION_KEPT]);
        for (int s = SN_FUNCTION_KEPT + 1; s < SN_FUNCTION_STATES; s++)
            if (count[s]) printf(", %d %s", count[s], snFunctionState_Name((snFunctionState)s));
        printf("\n");
    }
    if (!flesh->def.details) return;
    printf("condition number of their mass matrix: %.3g, and ", flesh->basis.conditionBefore);
    if (flesh->basis.conditionAfter > 0)
        printf("%.3g of what is kept\n", flesh->basis.conditionAfter);
    else
        printf("not measured of so many that are kept\n");
}

static void printLattice(const snRigReport *report, const snFlesh *flesh)
{
    const snAutoLatticeReport *r = &flesh->report;
    int vertices = flesh->lattice.vertexCount, cells = flesh->lattice.cellCount;
    printf("lattice: %d %s, %d %s, spacing %.4g; quality %.2f worst, %.2f median\n", vertices,
           snPlural(vertices, "vertex", "vertices"), cells, snPlural(cells, "cell", "cells"),
           r->spacing, r->worstQuality, r->medianQuality);
    int most = 1, first = 0;
    for (int b = 0; b < SN_QUALITY_BINS; b++)
        most = report->bins[b] > most ? report->bins[b] : most;
    while (first + 1 < SN_QUALITY_BINS && !report->bins[first])
        first++;
    for (int b = first; b < SN_QUALITY_BINS; b++) {
        char bar[BAR + 1];
        int length = (report->bins[b] * BAR + most - 1) / most;
        memset(bar, '#', (size_t)length);
        bar[length] = 0;
        printf("  %.1f to %.1f %6d %s\n", (double)b / SN_QUALITY_BINS,
               (double)(b + 1) / SN_QUALITY_BINS, report->bins[b], bar);
    }
    bool led = false;
    for (int v = 0; v < vertices && !led; v++)
        led = flesh->lattice.joint[v] >= 0;
    if (!led)
        printf("bones: %d; no vertex of the lattice is on one\n", flesh->boneCount);
    else if (r->missingBoneEdges)
        printf("bones: %d; %d %s\n", flesh->boneCount, r->missingBoneEdges,
               snPlural(r->missingBoneEdges, "piece of them is no lattice edge",
                        "pieces of them are no lattice edges"));
    else
        printf("bones: %d, each a chain of lattice edges\n", flesh->boneCount);
    if (r->clones.clones)
        printf("limbs that are near but not joined: %d %s copied\n", r->clones.clones,
               snPlural(r->clones.clones, "vertex", "vertices"));
    printf("%.0f %% of the mass is on vertices that follow no bone\n", 100 * flesh->freeShare);
    printDetails(flesh);
    if (flesh->embedding.outside)
        printf("warning: %d %s outside the lattice\n", flesh->embedding.outside,
               snPlural(flesh->embedding.outside, "surface point lies", "surface points lie"));
}

static void printSwings(const snFlesh *flesh)
{
    for (int g = 0; g < flesh->swingCount; g++) {
        const snSwingPart *part = &flesh->swings[g];
        char label[SN_JOINT_LABEL];
        const char *name = part->joint < 0
                               ? "the body"
                               : snSkeleton_Label(&flesh->character->skeleton, part->joint, label);
        printf("  %-24s %6.2f Hz", snPlain(name).text, part->found);
        bool off = part->found < 0.97 * part->wobble || part->found > 1.03 * part->wobble;
        if (off && part->twin < 0)
            printf(" (%.2f Hz was wanted: springs hold it)", part->wobble);
        else if (off)
            printf(" (%.2f Hz was wanted: as stiff as its mirror image)", part->wobble);
        if (flesh->def.details) printf(", %.2f Hz while no detail acts", part->alone);
        printf("\n");
    }
}

static void printJoint(const snRigReport *report, const snFlesh *flesh, int j)
{
    const snJointFlesh *own = &flesh->joints[j];
    const snJointReport *r = &report->joints[j];
    char label[SN_JOINT_LABEL], twist[48] = "-", stiffness[48] = "-";
    if (own->twist > 0) snprintf(twist, sizeof twist, "%.3g Hz within %.3g", own->twist, r->reach);
    if (r->cells) snprintf(stiffness, sizeof stiffness, "%.2g to %.2g", r->softest, r->firmest);
    printf("  %-24s %-6s %7.2f  %-18s %-5s %5.3g %6.3g  %s\n",
           snPlain(snSkeleton_Label(&flesh->character->skeleton, j, label)).text, stuffOf(own),
           flesh->swings[flesh->swingOf[j]].found, stiffness, own->free ? "free" : "held",
           own->hold, own->drag, twist);
}

void snRigReport_Print(const snRigReport *report, const snFlesh *flesh, const char *input)
{
    int n = flesh->character->skeleton.jointCount;
    int vertices = flesh->character->vertexCount;
    printf("%s: %d %s, height %.4g, volume %.4g (%.4g kg if its unit is a metre)\n",
           snPlain(input).text, vertices, snPlural(vertices, "vertex", "vertices"), flesh->height,
           report->volume, flesh->model->totalMass);
    printLattice(report, flesh);
    printf("what swings by itself, with all else standing still:\n");
    printSwings(flesh);
    printf("joints:\n  %-24s %-6s %7s  %-18s %-5s %5s %6s  %s\n", "", "is", "Hz", "stiffness, Pa",
           "bone", "hold", "drag", "twist");
    for (int j = 0; j < n; j++)
        if (isListed(report, flesh, j)) printJoint(report, flesh, j);
}

// ---- JSON -------------------------------------------------------------------------------------------

static void writeLattice(const snRigReport *report, const snFlesh *flesh, snJsonWriter *w)
{
    snJsonWriter_Key(w, "lattice");
    snJsonWriter_BeginObject(w);
    snJsonWriter_PutInt(w, "vertices", flesh->lattice.vertexCount);
    snJsonWriter_PutInt(w, "cells", flesh->lattice.cellCount);
    snJsonWriter_PutDouble(w, "spacing", flesh->report.spacing);
    snJsonWriter_PutDouble(w, "worstQuality", flesh->report.worstQuality);
    snJsonWriter_PutDouble(w, "medianQuality", flesh->report.medianQuality);
    snJsonWriter_Key(w, "qualities");
    snJsonWriter_BeginLine(w);
    for (int b = 0; b < SN_QUALITY_BINS; b++)
        snJsonWriter_Int(w, report->bins[b]);
    snJsonWriter_EndArray(w);
    snJsonWriter_PutInt(w, "missingBoneEdges", flesh->report.missingBoneEdges);
    snJsonWriter_PutInt(w, "copiedVertices", flesh->report.clones.clones);
    snJsonWriter_PutInt(w, "pointsOutside", flesh->embedding.outside);
    snJsonWriter_PutDouble(w, "freeShare", flesh->freeShare);
    snJsonWriter_EndObject(w);
}

static void writeDetails(const snFlesh *flesh, snJsonWriter *w)
{
    snJsonWriter_Key(w, "functions");
    snJsonWriter_BeginObject(w);
    for (int s = 0; s < SN_FUNCTION_STATES; s++) {
        snJsonWriter_Key(w, snFunctionState_Name((snFunctionState)s));
        snJsonWriter_BeginLine(w);
        for (int level = 0; level <= flesh->def.details; level++)
            snJsonWriter_Int(w, flesh->basis.count[level][s]);
        snJsonWriter_EndArray(w);
    }
    if (isfinite(flesh->basis.conditionAfter) && flesh->basis.conditionAfter > 0)
        snJsonWriter_PutDouble(w, "condition", flesh->basis.conditionAfter);
    snJsonWriter_EndObject(w);
}

static void writeSwings(const snFlesh *flesh, snJsonWriter *w)
{
    char label[SN_JOINT_LABEL];
    snJsonWriter_Key(w, "swings");
    snJsonWriter_BeginArray(w);
    for (int g = 0; g < flesh->swingCount; g++) {
        const snSwingPart *part = &flesh->swings[g];
        snJsonWriter_BeginObject(w);
        snJsonWriter_Key(w, "joint");
        if (part->joint < 0)
            snJsonWriter_Null(w);
        else
            snJsonWriter_String(w,
                                snSkeleton_Label(&flesh->character->skeleton, part->joint, label));
        snJsonWriter_PutDouble(w, "wanted", part->wobble);
        snJsonWriter_PutDouble(w, "found", part->found);
        if (flesh->def.details) snJsonWriter_PutDouble(w, "withoutDetails", part->alone);
        snJsonWriter_PutDouble(w, "stiffness", part->scale);
        if (part->twin >= 0) snJsonWriter_PutInt(w, "twin", part->twin);
        snJsonWriter_EndObject(w);
    }
    snJsonWriter_EndArray(w);
}

static void writeJoint(const snRigReport *report, const snFlesh *flesh, int j, snJsonWriter *w)
{
    const snJointFlesh *own = &flesh->joints[j];
    const snJointReport *r = &report->joints[j];
    double range[2] = {r->softest, r->firmest};
    char label[SN_JOINT_LABEL];
    snJsonWriter_BeginObject(w);
    snJsonWriter_PutString(w, "name", snSkeleton_Label(&flesh->character->skeleton, j, label));
    snJsonWriter_PutString(w, "tissue", snTissue_Of(own->tissue)->name);
    if (own->substance) snJsonWriter_PutString(w, "material", own->substance->name);
    snJsonWriter_PutInt(w, "swing", flesh->swingOf[j]);
    snJsonWriter_PutDouble(w, "frequency", flesh->swings[flesh->swingOf[j]].found);
    if (r->cells) snJsonWriter_PutDoubles(w, "stiffness", range, 2);
    snJsonWriter_PutBool(w, "free", own->free);
    snJsonWriter_PutDouble(w, "hold", own->hold);
    snJsonWriter_PutDouble(w, "drag", own->drag);
    snJsonWriter_PutDouble(w, "twist", own->twist);
    snJsonWriter_PutDouble(w, "twistReach", r->reach);
    snJsonWriter_PutDouble(w, "thickness", flesh->thickness[j]);
    snJsonWriter_EndObject(w);
}

void snRigReport_WriteJson(const snRigReport *report, const snFlesh *flesh, snJsonWriter *w)
{
    snJsonWriter_PutInt(w, "vertices", flesh->character->vertexCount);
    snJsonWriter_PutInt(w, "bones", flesh->boneCount);
    snJsonWriter_PutDouble(w, "height", flesh->height);
    snJsonWriter_PutDouble(w, "volume", report->volume);
    snJsonWriter_PutDouble(w, "mass", flesh->model->totalMass);
    writeLattice(report, flesh, w);
    if (flesh->def.details) writeDetails(flesh, w);
    writeSwings(flesh, w);
    snJsonWriter_Key(w, "joints");
    snJsonWriter_BeginArray(w);
    for (int j = 0; j < flesh->character->skeleton.jointCount; j++)
        if (isListed(report, flesh, j)) writeJoint(report, flesh, j, w);
    snJsonWriter_EndArray(w);
}

void snRigReport_PrintJson(const snRigReport *report, const snFlesh *flesh, const char *input,
                           const snCli *cli)
{
    snBytes bytes = snMakeBytes(&cli->context);
    snJsonWriter w = snMakeJsonWriter(&bytes, true);
    snJsonWriter_BeginObject(&w);
    snJsonWriter_PutString(&w, "input", input);
    snRigReport_WriteJson(report, flesh, &w);
    snJsonWriter_EndObject(&w);
    snPrintJson(&bytes);
    snBytes_Destroy(&bytes);
}
