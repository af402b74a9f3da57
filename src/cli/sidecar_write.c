#include "cli/sidecar_write.h"

#include "cli/rig_report.h"
#include "core/hash.h"

#include <stdio.h>
#include <string.h>

// Nothing in here may depend on the clock, the machine, the number of threads or on folders:
// the same bake again writes the same bytes.

// ---- what was given -------------------------------------------------------------------------------

static void writeGiven(const snGiven *given, const char *key, snJsonWriter *w, snBytes *scratch)
{
    snJsonWriter_Key(w, key);
    snJsonWriter_BeginArray(w);
    for (int i = 0; i < given->count; i++) {
        const snGivenOption *option = &given->list[i];
        snBytes_Clear(scratch);
        if (strncmp(option->name, "--", 2) != 0) snBytes_AppendText(scratch, "--");
        snBytes_AppendText(scratch, option->name);
        if (option->value) snBytes_AppendText(scratch, "=");
        if (option->value) snBytes_AppendText(scratch, option->value);
        snBytes_AppendByte(scratch, 0);
        if (scratch->failed)
            w->out->failed = true; // here, for the next option clears the scratch
        else
            snJsonWriter_String(w, (const char *)scratch->data);
    }
    snJsonWriter_EndArray(w);
}

static void writeInput(snJsonWriter *w, const char *path, size_t size, uint64_t hash)
{
    char text[24];
    snprintf(text, sizeof text, "%016llx", (unsigned long long)hash);
    snJsonWriter_BeginObject(w);
    snJsonWriter_PutString(w, "file", snPath_Name(path));
    snJsonWriter_PutInt(w, "bytes", (int64_t)size);
    snJsonWriter_PutString(w, "hash", text);
    snJsonWriter_EndObject(w);
}

// The rig document is no input: it is in the sidecar. Pipes cannot be read twice, so that only files
// are looked at again.
static void writeInputs(const snSidecarDef *def, snJsonWriter *w, const snCli *cli)
{
    const char *inputs[SN_MOST_INPUTS];
    int count = snBakeRequest_Inputs(def->request, inputs);
    snJsonWriter_Key(w, "inputs");
    snJsonWriter_BeginArray(w);
    writeInput(w, inputs[0], def->loaded->size, def->loaded->hash);
    for (int i = 1; i < count; i++) {
        snFileContent content;
        if (inputs[i] == def->request->flesh.rig) continue;
        if (snFile_Read(&cli->context, inputs[i], SIZE_MAX / 2, &content, NULL)) continue;
        writeInput(w, inputs[i], content.size, snHash(SN_HASH_BEGIN, content.bytes, content.size));
        snFile_Release(&cli->context, &content);
    }
    snJsonWriter_EndArray(w);
}

static void writeOutputs(const snOutputs *outputs, snJsonWriter *w)
{
    snJsonWriter_Key(w, "outputs");
    snJsonWriter_BeginArray(w);
    for (int i = 0; i < outputs->count; i++)
        snJsonWriter_String(w, outputs->list[i].path);
    snJsonWriter_EndArray(w);
}

// ---- settings -------------------------------------------------------------------------------------

// A clip by its name, or by its number where another is found by that name.
static void writeClips(const snSidecarDef *def, snJsonWriter *w)
{
    const snCharacter *c = &def->loaded->character;
    const snBakeDef *bake = &def->request->bake;
    snJsonWriter_Key(w, "clips");
    snJsonWriter_BeginArray(w);
    for (int i = 0; i < bake->clipCount; i++) {
        const char *name = c->clips[bake->clips[i]].name;
        char number[16];
        snprintf(number, sizeof number, "%d", bake->clips[i]);
        bool found = *name && snCharacter_FindClip(c, name) == bake->clips[i];
        snJsonWriter_String(w, found ? name : number);
    }
    snJsonWriter_EndArray(w);
}

static void putWord(snJsonWriter *w, const char *section, const char *key, int which)
{
    int count;
    const snSetting *settings = snSidecar_Settings(&count);
    for (int i = 0; i < count; i++)
        if (!strcmp(settings[i].section, section) && !strcmp(settings[i].key, key))
            snJsonWriter_PutString(w, key, settings[i].words[which]);
}

static void putMaybe(snJsonWriter *w, const char *key, bool there, double value)
{
    snJsonWriter_Key(w, key);
    if (there)
        snJsonWriter_Double(w, value);
    else
        snJsonWriter_Null(w);
}

static void writeTime(const snBakeDef *bake, snJsonWriter *w)
{
    snJsonWriter_Key(w, "time");
    snJsonWriter_BeginObject(w);
    snJsonWriter_PutDouble(w, "fps", bake->frameRate);
    snJsonWriter_PutDouble(w, "steps", bake->stepRate);
    snJsonWriter_PutDouble(w, "from", bake->from);
    putMaybe(w, "to", bake->to >= 0, bake->to);
    if (bake->preroll < 0)
        putWord(w, "time", "preroll", 0);
    else
        snJsonWriter_PutDouble(w, "preroll", bake->preroll);
    putWord(w, "time", "loop", (int)bake->loop);
    snJsonWriter_PutDouble(w, "loopTolerance", bake->loopTolerance);
    snJsonWriter_PutInt(w, "mostRounds", bake->mostRepeats);
    snJsonWriter_EndObject(w);
}

static void writeSoft(const snBakeRequest *request, snJsonWriter *w)
{
    snJsonWriter_Key(w, "soft");
    snJsonWriter_BeginObject(w);
    putWord(w, "soft", "as", request->asBones);
    snJsonWriter_PutDouble(w, "tolerance", request->soft.tolerance);
    snJsonWriter_PutInt(w, "maxTargets", request->soft.mostTargets);
    snJsonWriter_PutInt(w, "bones", request->bones.boneCount);
    snJsonWriter_EndObject(w);
}

static void writeSize(const snBakeRequest *request, snJsonWriter *w)
{
    snJsonWriter_Key(w, "size");
    snJsonWriter_BeginObject(w);
    putMaybe(w, "height", request->flesh.height > 0, request->flesh.height);
    snJsonWriter_EndObject(w);
}

// What was chosen: where that is "auto", the result says what it came to.
static void writeSolver(const snFleshDef *def, snJsonWriter *w)
{
    bool full = def->motion == SN_MOTION_FULL;
    snJsonWriter_Key(w, "solver");
    snJsonWriter_BeginObject(w);
    putWord(w, "solver", "solver", (int)def->solver);
    putWord(w, "solver", "method", (int)def->method);
    putWord(w, "solver", "motion", (int)def->motion);
    putWord(w, "solver", "precision", (int)def->precision);
    putWord(w, "solver", "matrix", (int)def->matrix);
    putWord(w, "solver", "materialModel", (int)def->material);
    putMaybe(w, "iterations", def->iterations > 0, def->iterations);
    snJsonWriter_PutInt(w, "details", def->details);
    snJsonWriter_PutDouble(w, "gravityChange", def->gravityChange);
    putMaybe(w, "gravity", full, -def->gravity.y);
    snJsonWriter_EndObject(w);
}

// ---- results --------------------------------------------------------------------------------------

static void writeSizeFound(const snSize *size, snJsonWriter *w)
{
    snJsonWriter_Key(w, "size");
    snJsonWriter_BeginObject(w);
    snJsonWriter_PutDouble(w, "height", size->height);
    snJsonWriter_PutDouble(w, "metresPerUnit", size->unit);
    snJsonWriter_PutString(w, "units", size->units[0] ? size->units : "as given");
    snJsonWriter_EndObject(w);
}

static void writeModel(const snSidecarDef *def, snJsonWriter *w)
{
    const snLatticeModelDef *model = &def->flesh->model->def;
    const double gravity[3] = {model->gravity.x, model->gravity.y, model->gravity.z};
    double step = snBakeDef_Step(&def->request->bake);
    snJsonWriter_Key(w, "model");
    snJsonWriter_BeginObject(w);
    snJsonWriter_PutDouble(w, "step", step);
    snJsonWriter_PutInt(w, "substeps", (int)(1 / (step * def->request->bake.frameRate) + 0.5));
    snJsonWriter_PutInt(w, "iterations", model->iterations);
    putWord(w, "solver", "precision", (int)model->precision);
    snJsonWriter_PutString(w, "matrix", def->flesh->model->turned ? "turned" : "scalar");
    snJsonWriter_PutDouble(w, "poisson", model->poisson);
    snJsonWriter_PutDouble(w, "damping", model->massDamping);
    snJsonWriter_PutDouble(w, "strainDamping", model->stiffnessDamping);
    snJsonWriter_PutDoubles(w, "gravity", gravity, 3);
    if (def->flesh->def.details) snJsonWriter_PutInt(w, "mostDetails", def->flesh->def.mostDetails);
    snJsonWriter_EndObject(w);
}

static snStatus writeFlesh(const snFlesh *flesh, snJsonWriter *w, const snCli *cli, snError *error)
{
    snArena arena = snMakeArena(&cli->context);
    snRigReport report;
    snStatus status = snRigReport_Make(&report, flesh, &arena, error);
    snJsonWriter_Key(w, "flesh");
    snJsonWriter_BeginObject(w);
    if (!status) snRigReport_WriteJson(&report, flesh, w);
    snJsonWriter_EndObject(w);
    snArena_Destroy(&arena);
    return status;
}

static snStatus writeResult(const snSidecarDef *def, snJsonWriter *w, const snCli *cli,
                            snError *error)
{
    snJsonWriter_Key(w, "result");
    snJsonWriter_BeginObject(w);
    writeSizeFound(&def->result->size, w);
    snStatus status = writeFlesh(def->flesh, w, cli, error);
    writeModel(def, w);
    snWriteBakeMotion(def->bake, w);
    snWriteBakeErrors(def->result, w);
    snJsonWriter_EndObject(w);
    return status;
}

// ---- the document ---------------------------------------------------------------------------------

static snStatus write(const snSidecarDef *def, bool whole, snBytes *bytes, const snCli *cli,
                      snError *error)
{
    const snBakeRequest *request = def->request;
    snBytes scratch = snMakeBytes(&cli->context);
    snJsonWriter w = snMakeJsonWriter(bytes, true);
    snJsonWriter_BeginObject(&w);
    snJsonWriter_PutString(&w, "sinew", "bake");
    snJsonWriter_PutInt(&w, "version", SN_SIDECAR_VERSION);
    snJsonWriter_PutString(&w, "program", SN_SIDECAR_PROGRAM);
    writeInputs(def, &w, cli);
    if (whole) writeGiven(&request->given, "given", &w, &scratch);
    writeGiven(&request->kept, "options", &w, &scratch);
    if (whole) writeOutputs(&request->outputs, &w);
    writeClips(def, &w);
    writeTime(&request->bake, &w);
    writeSoft(request, &w);
    writeSize(request, &w);
    writeSolver(&def->flesh->def, &w);
    snJsonWriter_Key(&w, "rig");
    snStatus status = snRigFile_WriteValue(def->flesh, &w, error);
    if (!status && whole) status = writeResult(def, &w, cli, error);
    snJsonWriter_EndObject(&w);
    snBytes_AppendText(bytes, "\n");
    snBytes_Destroy(&scratch);
    return status ? status : snBytes_Check(bytes, error);
}

snStatus snSidecar_Write(const snSidecarDef *def, snBytes *bytes, const snCli *cli, snError *error)
{
    return write(def, true, bytes, cli, error);
}

snStatus snSidecar_WritePlan(const snSidecarDef *def, snBytes *bytes, const snCli *cli,
                             snError *error)
{
    return write(def, false, bytes, cli, error);
}
