#include "cli/bake_summary.h"

#include "asset/json_write.h"
#include "cli/bake_events.h"
#include "cli/length.h"
#include "cli/text.h"

#include <stdio.h>

static double clipSeconds(const snBake *bake)
{
    double seconds = 0;
    for (int i = 0; i < bake->clipCount; i++)
        seconds += bake->character->clips[bake->clips[i].clip].duration;
    return seconds;
}

// The targets that were allowed did not reproduce the motion as well as was asked for.
static bool missedTolerance(const snBakeRequest *request, const snBakeResult *result)
{
    return result->hasSoft && result->soft.error > request->soft.tolerance;
}

// Loops that did not settle: their last frame is not the first one's.
static int openLoops(const snBakeRequest *request, const snBake *bake)
{
    int count = 0;
    for (int i = 0; i < bake->clipCount; i++)
        count += bake->clips[i].loops && bake->clips[i].loopGap > request->soft.tolerance;
    return count;
}

static void printWritten(const snOutputs *outputs)
{
    for (int i = 0; i < outputs->count; i++) {
        const snOutput *output = &outputs->list[i];
        const char *const *files = outputs->files + output->firstFile;
        if (output->kind == SN_OUTPUT_OBJ && output->fileCount > 1)
            printf("wrote %s to %s\n", snPlain(files[0]).text,
                   snPlain(files[output->fileCount - 1]).text);
        else
            for (int k = 0; k < output->fileCount; k++)
                printf("wrote %s\n", snPlain(files[k]).text);
    }
    if (outputs->sidecar[0]) printf("wrote %s\n", snPlain(outputs->sidecar).text);
}

void snPrintBakeSummary(const snBakeRequest *request, const snBake *bake,
                        const snBakeResult *result)
{
    const snFlesh *flesh = bake->flesh;
    int cells = flesh->lattice.cellCount;
    double simulated = bake->simulated - bake->restored; // this time
    printf("%s: %d %s, %d %s, %d lattice %s (quality %.2f worst, %.2f median)\n",
           snPlain(request->input).text, bake->vertexCount,
           snPlural(bake->vertexCount, "vertex", "vertices"), flesh->boneCount,
           snPlural(flesh->boneCount, "bone", "bones"), cells, snPlural(cells, "cell", "cells"),
           flesh->report.worstQuality, flesh->report.medianQuality);
    snPrintSize(&result->size);
    if (request->contact.floor) printf("floor at %.4g\n", result->floor);
    for (int i = 0; i < bake->clipCount; i++) {
        const snBakedClip *clip = &bake->clips[i];
        printf("  %-16s %3d %s, flesh moves up to %.1f %% of the height",
               snClipText(bake->character->clips, clip->clip).text, clip->frameCount,
               snPlural(clip->frameCount, "frame", "frames"), 100 * clip->largestOffset);
        printf(", stretches up to %.1f times", clip->largestStretch);
        if (clip->stretchJoint >= 0)
            printf(" at %s", snJointText(&bake->character->skeleton, clip->stretchJoint).text);
        if (clip->wholeStretch > 1.05 * clip->largestStretch)
            printf(" (%.1f with the rig's own)", clip->wholeStretch);
        if (clip->deepest > 0)
            printf("; %.2f %% taken out of what it bumps into", 100 * clip->deepest);
        if (clip->loops)
            printf("; loops after %d %s, gap %.2f %%", clip->repeats,
                   snPlural(clip->repeats, "round", "rounds"), 100 * clip->loopGap);
        if (clip->posedStart)
            printf("; its first frame is a pose of its own, out of which flesh is carried");
        if (clip->prerolled > 0) printf("; begins after %.1f s of pre-roll", clip->prerolled);
        printf("\n");
    }
    printf(
        "built in %.1f s; simulated %.1f s of motion in %.2f s, %.1f times as fast as real time\n",
        result->buildSeconds, simulated, result->bakeSeconds,
        simulated / (result->bakeSeconds > 0 ? result->bakeSeconds : 1e-9));
    if (result->hasSoft && !result->soft.targetCount && !result->still)
        printf("0 morph targets: all that flesh does is within the tolerance of %.2f %% of the "
               "height; "
               "a smaller --tolerance keeps it\n",
               100 * request->soft.tolerance);
    else if (result->hasSoft)
        printf("%d %s it within %.2f %% of the height, in frames and between them\n",
               result->soft.targetCount,
               snPlural(result->soft.targetCount, "morph target reproduces",
                        "morph targets reproduce"),
               100 * result->soft.error);
    if (result->hasBones)
        printf(
            "%d jiggle %s within %.2f %% of the height; %.3f %% is missed on average of %.3f %%\n",
            result->bones.boneCount,
            snPlural(result->bones.boneCount, "bone brings it", "bones bring it"),
            100 * result->bones.error, 100 * result->bones.meanError,
            100 * result->bones.meanOffset);
    if (missedTolerance(request, result))
        printf(
            "warning: that is more than the tolerance of %.2f %%; allow more with --max-targets\n",
            100 * request->soft.tolerance);
    if (result->still)
        printf("warning: no clip moves any mesh of it, so nothing swings%s\n",
               bake->character->skinCount ? ""
                                          : ": the mesh is not bound to the bones that move; bind "
                                            "it, or let `sinew rig` give it bones and weights");
    if (openLoops(request, bake))
        printf("warning: loops do not close; more --iterations or --steps help\n");
    snPrintBakeEvents(bake);
    printWritten(&request->outputs);
}

static void writeClip(const snBake *bake, const snBakedClip *clip, snJsonWriter *w)
{
    snJsonWriter_BeginObject(w);
    snJsonWriter_PutString(w, "name", bake->character->clips[clip->clip].name);
    snJsonWriter_PutInt(w, "frames", clip->frameCount);
    snJsonWriter_PutDouble(w, "start", clip->start);
    snJsonWriter_PutDouble(w, "preroll", clip->prerolled);
    snJsonWriter_PutBool(w, "posedStart", clip->posedStart);
    snJsonWriter_PutBool(w, "loops", clip->loops);
    snJsonWriter_PutInt(w, "repeats", clip->repeats);
    snJsonWriter_PutDouble(w, "loopGap", clip->loopGap);
    snJsonWriter_PutDouble(w, "largestOffset", clip->largestOffset);
    snJsonWriter_PutDouble(w, "largestStretch", clip->largestStretch);
    if (clip->stretchJoint >= 0)
        snJsonWriter_PutString(w, "stretchJoint",
                               bake->character->skeleton.joints[clip->stretchJoint].name);
    snJsonWriter_PutDouble(w, "largestStretchWithRig", clip->wholeStretch);
    snJsonWriter_PutDouble(w, "deepest", clip->deepest);
    snJsonWriter_EndObject(w);
}

void snWriteBakeMotion(const snBake *bake, snJsonWriter *w)
{
    snJsonWriter_Key(w, "clips");
    snJsonWriter_BeginArray(w);
    for (int i = 0; i < bake->clipCount; i++)
        writeClip(bake, &bake->clips[i], w);
    snJsonWriter_EndArray(w);
    snJsonWriter_PutDouble(w, "clipSeconds", clipSeconds(bake));
    snJsonWriter_PutDouble(w, "simulatedSeconds", bake->simulated);
    snJsonWriter_PutInt(w, "steps", bake->steps);
    snJsonWriter_PutInt(w, "halvings", bake->halvings);
    snJsonWriter_PutInt(w, "resets", bake->resets);
    snPutBakeEvents(w, bake);
}

void snWriteBakeErrors(const snBakeResult *result, snJsonWriter *w)
{
    if (result->hasSoft) {
        snJsonWriter_PutInt(w, "morphTargets", result->soft.targetCount);
        snJsonWriter_PutInt(w, "mostMorphTargets", result->soft.mostTargets);
        snJsonWriter_PutInt(w, "denseClips", result->soft.denseClips);
        snJsonWriter_PutDouble(w, "morphError", result->soft.error);
    }
    if (result->hasBones) {
        snJsonWriter_PutInt(w, "jiggleBones", result->bones.boneCount);
        snJsonWriter_PutDouble(w, "boneError", result->bones.error);
        snJsonWriter_PutDouble(w, "meanBoneError", result->bones.meanError);
        snJsonWriter_PutDouble(w, "meanOffset", result->bones.meanOffset);
    }
}

void snPrintBakeJson(const snBakeRequest *request, const snBake *bake, const snBakeResult *result,
                     const snCli *cli)
{
    const snFlesh *flesh = bake->flesh;
    snBytes bytes = snMakeBytes(&cli->context);
    snJsonWriter w = snMakeJsonWriter(&bytes, true);
    snJsonWriter_BeginObject(&w);
    snJsonWriter_PutString(&w, "input", request->input);
    snJsonWriter_PutInt(&w, "vertices", bake->vertexCount);
    snJsonWriter_PutDouble(&w, "height", result->size.height);
    snJsonWriter_PutDouble(&w, "metresPerUnit", result->size.unit);
    snJsonWriter_PutInt(&w, "bones", flesh->boneCount);
    snJsonWriter_PutInt(&w, "cells", flesh->lattice.cellCount);
    snJsonWriter_PutInt(&w, "latticeVertices", flesh->lattice.vertexCount);
    snJsonWriter_PutDouble(&w, "worstQuality", flesh->report.worstQuality);
    snJsonWriter_PutDouble(&w, "medianQuality", flesh->report.medianQuality);
    snJsonWriter_PutInt(&w, "missingBoneEdges", flesh->report.missingBoneEdges);
    snWriteBakeMotion(bake, &w);
    snJsonWriter_PutDouble(&w, "buildSeconds", result->buildSeconds);
    snJsonWriter_PutDouble(&w, "bakeSeconds", result->bakeSeconds);
    snJsonWriter_PutDouble(&w, "writeSeconds", result->writeSeconds);
    snWriteBakeErrors(result, &w);
    if (request->outputs.sidecar[0])
        snJsonWriter_PutString(&w, "sidecar", request->outputs.sidecar);
    snJsonWriter_EndObject(&w);
    snPrintJson(&bytes);
    snBytes_Destroy(&bytes);
}

bool snIsBakeDegraded(const snBakeRequest *request, const snBake *bake, const snBakeResult *result)
{
    return result->still || bake->events.count || missedTolerance(request, result) ||
           openLoops(request, bake);
}
