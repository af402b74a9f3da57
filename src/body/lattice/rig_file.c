#include "body/lattice/rig_file.h"

#include "body/lattice/lattice_file.h"
#include "core/suggest.h"

#include <string.h>

// ---- numbers with ranges ----------------------------------------------------------------------------

typedef struct Number {
    const char *key;
    double low, high;
    double *value;
} Number;

// Absent members leave their values as they are; returns in *found a bit for each that is there.
static snStatus readNumbers(const snJson *json, const snJsonNode *object, const Number *numbers,
                            int count, unsigned *found, snError *error)
{
    *found = 0;
    for (int i = 0; i < count; i++) {
        const snJsonNode *node = snJson_Member(json, object, numbers[i].key);
        double value;
        if (!node) continue;
        snStatus status = snJson_AsDouble(json, node, &value, error);
        if (status) return status;
        if (!(value >= numbers[i].low && value <= numbers[i].high))
            return snJson_Fail(json, node, error, SN_ERROR_FORMAT, "it must be from %g to %g",
                               numbers[i].low, numbers[i].high);
        *numbers[i].value = value;
        *found |= 1u << i;
    }
    return SN_OK;
}

// null: as the name tells.
static snStatus readSubstance(const snJson *json, const snJsonNode *node,
                              const snSubstance **substance, snArena *arena, snError *error)
{
    const char *name, *names[16];
    int count;
    const snSubstance *list = snSubstances(&count);
    *substance = NULL;
    if (node->kind == SN_JSON_NULL) return SN_OK;
    snStatus status = snJson_AsString(json, node, arena, &name, error);
    if (status) return status;
    *substance = snSubstance_Find(name);
    if (*substance) return SN_OK;
    for (int i = 0; i < count; i++)
        names[i] = list[i].name;
    const char *guess = snSuggest(name, names, count);
    return snJson_Fail(json, node, error, SN_ERROR_FORMAT, "there is no material \"%s\"%s%s%s",
                       name, guess ? "; did you mean \"" : "", guess ? guess : "",
                       guess ? "\"?" : "");
}

// ---- defaults ---------------------------------------------------------------------------------------

static snStatus readFeel(snRigFile *file, const snJson *json, const snJsonNode *node,
                         snError *error)
{
    const char *name;
    snStatus status = snJson_AsString(json, node, &file->arena, &name, error);
    if (status) return status;
    const snFeel *feel = snFeel_Find(name);
    if (!feel)
        return snJson_Fail(json, node, error, SN_ERROR_FORMAT,
                           "there is no feel \"%s\"; they are natural, subtle and cartoon", name);
    snFleshDef_Feel(&file->def, feel);
    return SN_OK;
}

// Painted maps: whether the character has them is found when flesh is built.
static snStatus readMaps(snRigFile *file, const snJson *json, const snJsonNode *node,
                         snError *error)
{
    snFleshDef *def = &file->def;
    snStatus status =
        snJson_ReadString(json, node, "softnessMap", &file->arena, &def->softness, error);
    if (!status) status = snJson_ReadString(json, node, "mask", &file->arena, &def->mask, error);
    if (!status)
        status = snJson_ReadDoubles(json, node, "softnessRange", 2, def->softnessRange, error);
    return status;
}

static snStatus readDefaults(snRigFile *file, const snJson *json, const snJsonNode *node,
                             snError *error)
{
    static const char *const keys[] = {"wobble",  "damping",     "poisson",      "twist",
                                       "pace",    "cells",       "twistRadius",  "amplitude",
                                       "spacing", "feel",        "material",     "strainDamping",
                                       "mask",    "softnessMap", "softnessRange"};
    snFleshDef *def = &file->def;
    const snSubstance *substance;
    unsigned found;
    snStatus status = snJson_CheckKeys(json, node, keys, 15, error);
    if (!status && snJson_Member(json, node, "material")) {
        status = readSubstance(json, snJson_Member(json, node, "material"), &substance,
                               &file->arena, error);
        if (!status && substance) snFleshDef_Substance(def, substance);
    }
    if (!status && snJson_Member(json, node, "feel"))
        status = readFeel(file, json, snJson_Member(json, node, "feel"), error);
    const Number numbers[] = {{"wobble", 0.1, 100, &def->wobble},
                              {"damping", 0, 1000, &def->massDamping},
                              {"strainDamping", 0, 10, &def->stiffnessDamping},
                              {"poisson", 0, SN_MOST_POISSON, &def->poisson},
                              {"twist", 0, 1000, &def->twist},
                              {"twistRadius", 0, 100, &def->twistRadius},
                              {"pace", 0.01, 100, &def->pace},
                              {"amplitude", 0, 100, &def->amplitude},
                              {"spacing", 0, 1e30, &def->spacing}};
    if (!status) status = readNumbers(json, node, numbers, 9, &found, error);
    if (!status) status = snJson_ReadInt(json, node, "cells", 20, 200000, &def->cells, error);
    return status ? status : readMaps(file, json, node, error);
}

// ---- parts ------------------------------------------------------------------------------------------

static snStatus readRule(snFleshRule *rule, const snJson *json, const snJsonNode *node,
                         snArena *arena, snError *error)
{
    static const char *const keys[] = {"wobble", "material", "stiffness", "free",
                                       "hold",   "drag",     "twist",     "twistRadius"};
    const Number numbers[] = {
        {"wobble", 0, 1000, &rule->wobble}, {"stiffness", 1e-6, 1e6, &rule->stiffness},
        {"hold", 0, 1000, &rule->hold},     {"drag", -1000, 1000, &rule->drag},
        {"twist", 0, 1000, &rule->twist},   {"twistRadius", 0, 100, &rule->twistRadius}};
    static const unsigned bits[] = {SN_RULE_WOBBLE, SN_RULE_STIFFNESS, SN_RULE_HOLD,
                                    SN_RULE_DRAG,   SN_RULE_TWIST,     SN_RULE_TWIST_RADIUS};
    const snJsonNode *material = snJson_Member(json, node, "material");
    unsigned found;
    rule->part = snJson_Key(json, node, arena);
    if (!rule->part) return snFailMemory(error);
    if (node->kind != SN_JSON_OBJECT)
        return snJson_Fail(json, node, error, SN_ERROR_FORMAT, "%s instead of an object",
                           snJson_KindName(node->kind));
    snStatus status = snJson_CheckKeys(json, node, keys, 8, error);
    if (!status) status = readNumbers(json, node, numbers, 6, &found, error);
    if (!status) status = snJson_ReadBool(json, node, "free", &rule->free, error);
    if (!status && material) status = readSubstance(json, material, &rule->substance, arena, error);
    for (int i = 0; i < 6 && !status; i++)
        if (found & (1u << i)) rule->set |= bits[i];
    if (!status && material) rule->set |= SN_RULE_SUBSTANCE;
    if (!status && snJson_Member(json, node, "free")) rule->set |= SN_RULE_FREE;
    return status;
}

static snStatus readParts(snRigFile *file, const snJson *json, const snJsonNode *node,
                          snError *error)
{
    int count = snJson_Count(node), given = file->def.ruleCount;
    file->rules = SN_NEW(&file->arena, snFleshRule, count + given);
    if (!file->rules) return snFailMemory(error);
    for (int i = 0; i < count; i++) {
        snStatus status =
            readRule(&file->rules[i], json, snJson_At(json, node, i), &file->arena, error);
        if (status) return status;
    }
    for (int i = 0; i < given; i++) // the caller's come last and win
        file->rules[count + i] = file->def.rules[i];
    file->ruleCount = count + given;
    file->ownRules = count;
    return SN_OK;
}

// ---- the document -----------------------------------------------------------------------------------

static bool isKind(const snJson *json, const snJsonNode *object, const char *kind)
{
    return object && object->kind == SN_JSON_OBJECT &&
           snJson_IsText(json, snJson_Member(json, object, "sinew"), kind);
}

// The document itself, or the one that stands in a bake's sidecar as its member "rig".
static const snJsonNode *findRig(const snJson *json)
{
    if (isKind(json, json->root, "bake")) return snJson_Member(json, json->root, "rig");
    return json->root;
}

static snStatus checkKind(const snJson *json, const snJsonNode *rig, snError *error)
{
    static const char *const keys[] = {"sinew", "version", "defaults", "parts", "made", "lattice"};
    int version = 0;
    if (!isKind(json, rig, "rig"))
        return snFail(error, SN_ERROR_FORMAT,
                      "this is no rig document: it does not say \"sinew\": \"rig\"");
    snStatus status = snJson_Require(json, rig, "version", error);
    if (!status) status = snJson_ReadInt(json, rig, "version", 1, 1000000, &version, error);
    if (!status && version != SN_RIG_VERSION)
        return snFail(error, SN_ERROR_UNSUPPORTED,
                      "this is a rig document of version %d; this program reads version %d",
                      version, SN_RIG_VERSION);
    if (!status) status = snJson_CheckKeys(json, rig, keys, 6, error);
    return status;
}

// What the lattice in the document was made with. Where the defaults say something else by now, it is made
// anew: who changes the number of cells means that.
static snStatus readMade(const snRigFile *file, const snJson *json, const snJsonNode *rig,
                         bool *anew, snError *error)
{
    static const char *const keys[] = {"cells", "spacing"};
    const snJsonNode *made;
    int cells = 0;
    double spacing = 0;
    *anew = false;
    snStatus status = snJson_ReadNode(json, rig, "made", SN_JSON_OBJECT, &made, error);
    if (status || !made) return status;
    status = snJson_CheckKeys(json, made, keys, 2, error);
    if (!status) status = snJson_ReadInt(json, made, "cells", 1, 200000, &cells, error);
    if (!status) status = snJson_ReadDouble(json, made, "spacing", &spacing, error);
    bool bySpacing = file->def.spacing > 0;
    *anew = bySpacing ? spacing != file->def.spacing : cells != file->def.cells;
    return status;
}

static snStatus readDocument(snRigFile *file, const snJson *json, const snSkeleton *skeleton,
                             const snContext *context, snError *error)
{
    const snJsonNode *rig = findRig(json), *defaults, *parts, *lattice;
    bool strict = true, anew = false;
    snStatus status = checkKind(json, rig, error);
    file->within = rig != json->root;
    if (!status) status = snJson_ReadNode(json, rig, "defaults", SN_JSON_OBJECT, &defaults, error);
    if (!status) status = snJson_ReadNode(json, rig, "parts", SN_JSON_OBJECT, &parts, error);
    if (!status) status = snJson_ReadNode(json, rig, "lattice", SN_JSON_OBJECT, &lattice, error);
    if (!status && defaults) status = readDefaults(file, json, defaults, error);
    if (!status) status = readParts(file, json, parts, error);
    if (!status) status = readMade(file, json, rig, &anew, error);
    if (anew) lattice = NULL;
    if (!status && lattice)
        status = snLattice_ReadJson(&file->lattice, &strict, json, lattice, skeleton, &file->arena,
                                    context, error);
    if (status) return status;
    file->hasLattice = lattice != NULL;
    file->def.rules = file->rules;
    file->def.ruleCount = file->ruleCount;
    file->def.relaxed = !strict;
    if (file->hasLattice) file->def.lattice = &file->lattice;
    file->def.made =
        snJson_Member(json, defaults, "cells") || snJson_Member(json, defaults, "spacing");
    return SN_OK;
}

snStatus snRigFile_Read(snRigFile *file, const char *text, size_t size, const snSkeleton *skeleton,
                        const snFleshDef *base, const snContext *context, snError *error)
{
    *file = (snRigFile){.arena = snMakeArena(context), .def = *base};
    snArena scratch = snMakeArena(context);
    snJson json;
    snStatus status = snJson_Parse(&json, text, size, &scratch, error);
    if (!status) status = snJson_CheckUnique(&json, &scratch, error);
    if (!status) status = readDocument(file, &json, skeleton, context, error);
    snArena_Destroy(&scratch);
    if (status) snRigFile_Destroy(file);
    return status;
}

void snRigFile_Destroy(snRigFile *file)
{
    snArena_Destroy(&file->arena);
}

static bool isAtFault(const snRigFile *file, const snFleshBlame *blame, snError *error)
{
    switch (blame->fault) {
    case SN_FAULT_RULE:
        if (blame->rule < 0 || blame->rule >= file->ownRules) return false;
        snError_Prefix(error, "parts.%s", file->rules[blame->rule].part);
        return true;
    case SN_FAULT_LATTICE: // most messages about one begin with their path
        if (file->hasLattice && error && strncmp(error->message, "lattice", 7) != 0)
            snError_Prefix(error, "lattice");
        return file->hasLattice;
    case SN_FAULT_SPACING:
        if (!file->def.made) return false;
        snError_Prefix(error, file->def.spacing > 0 ? "defaults.spacing" : "defaults.cells");
        return true;
    case SN_FAULT_CHARACTER:
        break;
    }
    return false;
}

bool snRigFile_IsAtFault(const snRigFile *file, const snFleshBlame *blame, snError *error)
{
    if (!isAtFault(file, blame, error)) return false;
    if (file->within && error) { // "rig.parts.ear: ..."
        snError inner = *error;
        snFail(error, inner.code, "rig.%s", inner.message);
    }
    return true;
}

// ---- writing ----------------------------------------------------------------------------------------

static void writeDefaults(const snFlesh *flesh, snJsonWriter *w)
{
    const snFleshDef *def = &flesh->def;
    snJsonWriter_Key(w, "defaults");
    snJsonWriter_BeginObject(w);
    snJsonWriter_PutDouble(w, "wobble", def->wobble);
    snJsonWriter_PutDouble(w, "damping", def->massDamping);
    snJsonWriter_PutDouble(w, "strainDamping", def->stiffnessDamping);
    snJsonWriter_PutDouble(w, "poisson", def->poisson);
    if (def->made && def->spacing > 0) snJsonWriter_PutDouble(w, "spacing", def->spacing);
    if (def->made && !(def->spacing > 0)) snJsonWriter_PutInt(w, "cells", def->cells);
    if (def->twist >= 0) snJsonWriter_PutDouble(w, "twist", def->twist);
    snJsonWriter_PutDouble(w, "twistRadius", def->twistRadius);
    snJsonWriter_PutDouble(w, "pace", def->pace);
    snJsonWriter_PutDouble(w, "amplitude", def->amplitude);
    if (def->softness) {
        snJsonWriter_PutString(w, "softnessMap", def->softness);
        snJsonWriter_PutDoubles(w, "softnessRange", def->softnessRange, 2);
    }
    if (def->mask) snJsonWriter_PutString(w, "mask", def->mask);
    snJsonWriter_EndObject(w);
}

static void writeMade(const snFleshDef *def, snJsonWriter *w)
{
    if (!def->made) return;
    snJsonWriter_Key(w, "made");
    snJsonWriter_BeginObject(w);
    if (def->spacing > 0)
        snJsonWriter_PutDouble(w, "spacing", def->spacing);
    else
        snJsonWriter_PutInt(w, "cells", def->cells);
    snJsonWriter_EndObject(w);
}

static bool alike(const snJointFlesh *a, const snJointFlesh *b)
{
    return a->free == b->free && a->wobble == b->wobble && a->stiffness == b->stiffness &&
           a->substance == b->substance && a->hold == b->hold && a->drag == b->drag &&
           a->twist == b->twist && a->twistRadius == b->twistRadius;
}

static void writeJoint(const snJointFlesh *joint, const char *label, snJsonWriter *w)
{
    snJsonWriter_Key(w, label);
    snJsonWriter_BeginObject(w);
    snJsonWriter_PutBool(w, "free", joint->free);
    snJsonWriter_Key(w, "material");
    if (joint->substance)
        snJsonWriter_String(w, joint->substance->name);
    else
        snJsonWriter_Null(w);
    snJsonWriter_PutDouble(w, "wobble", joint->wobble);
    snJsonWriter_PutDouble(w, "stiffness", joint->stiffness);
    snJsonWriter_PutDouble(w, "hold", joint->hold);
    snJsonWriter_PutDouble(w, "drag", joint->drag);
    snJsonWriter_PutDouble(w, "twist", joint->twist);
    snJsonWriter_PutDouble(w, "twistRadius", joint->twistRadius);
    snJsonWriter_EndObject(w);
}

// An entry holds for all joints below it. So one is written where a joint differs from its parent;
// and where nothing above is written, where it differs from what its name would tell again.
static snStatus writeParts(const snFlesh *flesh, snJsonWriter *w, snArena *scratch, snError *error)
{
    const snSkeleton *skeleton = &flesh->character->skeleton;
    int n = skeleton->jointCount;
    unsigned char *covered = SN_NEW(scratch, unsigned char, n);
    unsigned char *carries = SN_NEW(scratch, unsigned char, n); // skin, or something below does
    snJointFlesh *named = SN_NEW(scratch, snJointFlesh, n);
    char text[SN_JOINT_LABEL];
    if (!covered || !carries || !named) return snFailMemory(error);
    for (int j = n - 1; j >= 0; j--) { // children come last
        int parent = skeleton->joints[j].parent;
        carries[j] |= flesh->used[j];
        if (parent >= 0) carries[parent] |= carries[j];
    }
    snFleshRulesDef rules = snFlesh_RulesDef(flesh, NULL);
    rules.ruleCount = 0;
    snStatus status = snFleshRules_Resolve(&rules, named, scratch, error);
    if (status) return status;
    snJsonWriter_Key(w, "parts");
    snJsonWriter_BeginObject(w);
    for (int j = 0; j < n; j++) {
        int parent = skeleton->joints[j].parent;
        const snJointFlesh *own = &flesh->joints[j];
        bool below = parent >= 0 && covered[parent];
        bool plain = own->tissue == SN_TISSUE_FLESH && alike(own, &named[j]);
        covered[j] = below || (!plain && carries[j]);
        if (carries[j] && (!below ? !plain : !alike(own, &flesh->joints[parent])))
            writeJoint(own, snSkeleton_Label(skeleton, j, text), w);
    }
    snJsonWriter_EndObject(w);
    return SN_OK;
}

snStatus snRigFile_WriteValue(const snFlesh *flesh, snJsonWriter *w, snError *error)
{
    snContext context = {.allocator = flesh->arena.allocator};
    snArena scratch = snMakeArena(&context);
    bool strict = flesh->report.missingBoneEdges == 0 && flesh->embedding.outside == 0;
    snJsonWriter_BeginObject(w);
    snJsonWriter_PutString(w, "sinew", "rig");
    snJsonWriter_PutInt(w, "version", SN_RIG_VERSION);
    writeDefaults(flesh, w);
    snStatus status = writeParts(flesh, w, &scratch, error);
    writeMade(&flesh->def, w);
    snJsonWriter_Key(w, "lattice");
    snLattice_WriteJson(&flesh->lattice, strict, &flesh->character->skeleton, w);
    snJsonWriter_EndObject(w);
    snArena_Destroy(&scratch);
    return status;
}

snStatus snRigFile_Write(const snFlesh *flesh, snBytes *bytes, snError *error)
{
    snJsonWriter w = snMakeJsonWriter(bytes, true);
    snStatus status = snRigFile_WriteValue(flesh, &w, error);
    return status ? status : snBytes_Check(bytes, error);
}
