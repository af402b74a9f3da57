#include "made.h"

#include "asset/gltf.h"
#include "demo.h"
#include "puppet.h"
#include "scenes.h"

#include <stdio.h>
#include <string.h>

_Static_assert(MODEL_COUNT <= MADE_MODELS, "there is room for all models");

static const char *const names[MODEL_COUNT] = {
    [MODEL_DRAGON] = "dragon", [MODEL_DUCK] = "duck", [MODEL_CUCUMBER] = "cucumber",
    [MODEL_STAR] = "star",     [MODEL_LIMB] = "limb", [MODEL_LEAF] = "leaf"};

snMade snMakeMade(const snContext *context)
{
    return (snMade){.arena = snMakeArena(context), .context = context};
}

void snMade_Destroy(snMade *made)
{
    snArena_Destroy(&made->arena);
}

static snStatus makeModel(snMade *made, int kind, snError *error)
{
    if (made->models[kind]) return SN_OK;
    snModel *model = SN_NEW(&made->arena, snModel, 1);
    if (!model) return snFailMemory(error);
    snStatus status = snModel_Make(model, (snModelKind)kind, &made->arena, made->context, error);
    if (!status) made->models[kind] = model;
    return status;
}

// The file of a model that has this name; false: none.
static bool writeOf(const snModel *model, const char *name, snBytes *bytes)
{
    char file[80];
    snprintf(file, sizeof file, "%s.obj", model->name);
    bool found = !strcmp(file, name);
    if (found) snModel_WriteObj(model, bytes);
    for (int c = 0; c < model->controlCount && !found; c++) {
        const snControl *control = &model->controls[c];
        snprintf(file, sizeof file, "%s.lattice.json", control->name);
        found = !strcmp(file, name);
        if (found) snControl_WriteJson(control, bytes);
        snprintf(file, sizeof file, "%s.stiffness.json", control->name);
        if (found || !control->stiffness || strcmp(file, name) != 0) continue;
        snControl_WriteStiffness(control, bytes);
        found = true;
    }
    return found;
}

// The puppet and its pieces; false: another name.
static bool writePuppet(const char *name, snBytes *bytes)
{
    snPuppetDef def = snDefaultPuppetDef();
    if (!strcmp(name, "puppet.json"))
        snPuppet_WriteScene(&def, bytes);
    else if (!strcmp(name, "bead.obj"))
        snPuppet_WriteBead(bytes);
    else if (!strcmp(name, "claw.obj"))
        snPuppet_WriteClaw(bytes);
    else
        return false;
    return true;
}

snStatus snMade_WriteDemo(const snContext *context, snBytes *bytes, snError *error)
{
    snCharacter character = {0};
    snStatus status = snDemo_Make(&character, context, error);
    if (!status) status = snGlb_FromCharacter(&character, bytes, error);
    snCharacter_Destroy(&character);
    return status;
}

// Made once.
static snStatus writeDemo(snMade *made, snBytes *bytes, snError *error)
{
    snBytes own = snMakeBytes(made->context);
    snStatus status = made->demo ? SN_OK : snMade_WriteDemo(made->context, &own, error);
    if (!status && !made->demo) {
        made->demo = snArena_Copy(&made->arena, own.data, 1, own.size);
        made->demoSize = own.size;
        if (!made->demo) status = snFailMemory(error);
    }
    snBytes_Destroy(&own);
    if (!status) snBytes_Append(bytes, made->demo, made->demoSize);
    return status ? status : snBytes_Check(bytes, error);
}

snStatus snMade_Write(snMade *made, const char *name, snBytes *bytes, snError *error)
{
    if (writePuppet(name, bytes)) return snBytes_Check(bytes, error);
    if (!strcmp(name, MADE_DEMO)) return writeDemo(made, bytes, error);
    for (int k = 0; k < MODEL_COUNT; k++) {
        if (strncmp(name, names[k], strlen(names[k])) != 0) continue;
        snStatus status = makeModel(made, k, error);
        if (status) return status;
        if (writeOf(made->models[k], name, bytes)) return snBytes_Check(bytes, error);
    }
    return snFail(error, SN_ERROR_FILE, "none of the example scenes' bodies has a file \"%s\"",
                  name);
}
