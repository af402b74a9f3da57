#include "cli/flesh_options.h"

#include "cli/length.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LARGEST_RIG ((size_t)1 << 30) // bytes

enum {
    GIVEN_CELLS = 1,
    GIVEN_SPACING = 2,
    GIVEN_WOBBLE = 4,
    GIVEN_DAMPING = 8,
    GIVEN_TWIST = 16,
    GIVEN_TWIST_RADIUS = 32,
    GIVEN_SOLVER = 64,
    GIVEN_METHOD = 128,
    GIVEN_MOTION = 256,
    GIVEN_MODEL = 512,
    GIVEN_GRAVITY_CHANGE = 1024,
    GIVEN_GRAVITY = 2048,
    GIVEN_ITERATIONS = 4096,
    GIVEN_DETAILS = 8192,
    GIVEN_PRECISION = 16384,
    GIVEN_MATRIX = 32768,
};

// ---- values -----------------------------------------------------------------------------------------

static int complain(const snOptionReader *reader, const char *what)
{
    snCli_Usage(reader->command, "--%s is \"%s\"; %s", reader->name, reader->value, what);
    return -1;
}

// A number, perhaps with its unit behind it, that ends the text or stands before `stop`.
static const char *parseNumber(const char *text, const char *unit, char stop, double *value)
{
    char *end;
    *value = strtod(text, &end);
    if (end == text || !isfinite(*value)) return NULL;
    if (unit && !strncmp(end, unit, strlen(unit))) end += strlen(unit);
    return *end == 0 || *end == stop ? end : NULL;
}

// The part before the last '='; a new rule for it. NULL (and a message) when there is none.
static snFleshRule *beginRule(snFleshOptions *o, const snOptionReader *reader, size_t length)
{
    if (o->ruleCount == SN_MOST_RULES) {
        snCli_Usage(reader->command, "more than %d options about parts; use a rig document",
                    SN_MOST_RULES);
        return NULL;
    }
    if (length == 0 || length >= SN_PART_CHARS) {
        complain(reader, length ? "the name of the part is too long" : "which part?");
        return NULL;
    }
    char *name = o->parts[o->ruleCount];
    memcpy(name, reader->value, length);
    name[length] = 0;
    snFleshRule *rule = &o->rules[o->ruleCount++];
    *rule = (snFleshRule){.part = name};
    return rule;
}

typedef struct PartNumber {
    const char *name, *unit;
    unsigned bit;
    size_t place; // in snFleshRule
    double low, high;
    const char *range;
} PartNumber;

static const PartNumber partNumbers[] = {
    {"wobble", "Hz", SN_RULE_WOBBLE, offsetof(snFleshRule, wobble), 0.1, 1000,
     "it must be a frequency from 0.1 to 1000 Hz, like 4Hz or ear=6Hz"},
    {"stiffness", NULL, SN_RULE_STIFFNESS, offsetof(snFleshRule, stiffness), 1e-6, 1e6,
     "it must be a part and a factor from 1e-6 to 1e6, like belly=0.5"},
    {"hold", "Hz", SN_RULE_HOLD, offsetof(snFleshRule, hold), 0, 1000,
     "it must be a part and a frequency from 0 to 1000 Hz, like tail=2Hz"},
    {"drag", NULL, SN_RULE_DRAG, offsetof(snFleshRule, drag), -1000, 1000,
     "it must be a part and a rate per second, like tail=5"},
};

static int takePartNumber(snFleshOptions *o, const snOptionReader *reader, const PartNumber *n)
{
    const char *equals = strrchr(reader->value, '=');
    double value;
    if (!parseNumber(equals ? equals + 1 : reader->value, n->unit, 0, &value) || value < n->low ||
        value > n->high)
        return complain(reader, n->range);
    if (!equals && n->bit == SN_RULE_WOBBLE && value <= 100) {
        o->def.wobble = value;
        o->given |= GIVEN_WOBBLE;
        return 1;
    }
    if (!equals) return complain(reader, n->range);
    snFleshRule *rule = beginRule(o, reader, (size_t)(equals - reader->value));
    if (!rule) return -1;
    rule->set = n->bit;
    *(double *)(void *)((char *)rule + n->place) = value;
    return 1;
}

static int takeTwist(snFleshOptions *o, const snOptionReader *reader)
{
    static const char *const range =
        "it must be a frequency from 0 to 1000 Hz, perhaps with a share of the flesh's thickness, "
        "like 12Hz or neck=12Hz:0.5";
    const char *equals = strrchr(reader->value, '=');
    double twist, radius = 0;
    const char *end = parseNumber(equals ? equals + 1 : reader->value, "Hz", ':', &twist);
    bool hasRadius = end && *end == ':';
    if (!end || twist < 0 || twist > 1000) return complain(reader, range);
    if (hasRadius && (!parseNumber(end + 1, NULL, 0, &radius) || radius < 0 || radius > 100))
        return complain(reader, range);
    if (!equals) {
        o->def.twist = twist;
        if (hasRadius) o->def.twistRadius = radius;
        o->given |= GIVEN_TWIST | (hasRadius ? GIVEN_TWIST_RADIUS : 0);
        return 1;
    }
    snFleshRule *rule = beginRule(o, reader, (size_t)(equals - reader->value));
    if (!rule) return -1;
    rule->set = SN_RULE_TWIST | (hasRadius ? SN_RULE_TWIST_RADIUS : 0);
    rule->twist = twist;
    rule->twistRadius = radius;
    return 1;
}

static const char *substanceAt(const void *list, int i)
{
    return ((const snSubstance *)list)[i].name;
}

static int takeMaterial(snFleshOptions *o, const snOptionReader *reader)
{
    const char *equals = strrchr(reader->value, '=');
    const char *name = equals ? equals + 1 : reader->value;
    const snSubstance *substance = snSubstance_Find(name);
    if (!substance) {
        int count;
        const snSubstance *list = snSubstances(&count);
        const char *guess = snNames_Suggest(&(snNames){count, substanceAt, list}, name);
        snCli_Usage(reader->command, "there is no material \"%s\"%s", name,
                    guess ? snHint_Of("", guess, "").text
                          : "; they are flesh, fat, muscle, ear, horn, rubber and jelly");
        return -1;
    }
    if (!equals) {
        o->substance = substance;
        return 1;
    }
    snFleshRule *rule = beginRule(o, reader, (size_t)(equals - reader->value));
    if (!rule) return -1;
    rule->set = SN_RULE_SUBSTANCE;
    rule->substance = substance;
    return 1;
}

// ---- words ------------------------------------------------------------------------------------------

static int takeWord(snFleshOptions *o, const snOptionReader *reader)
{
    static const char *const solvers[] = {"projective", "newton", "blended", "linear"};
    static const char *const methods[] = {"factor", "cg"};
    static const char *const motions[] = {"secondary", "full"};
    static const char *const models[] = {"corotated", "neo-hookean", "green"};
    static const char *const precisions[] = {"double", "single", "auto"};
    static const char *const matrices[] = {"auto", "scalar", "turned"};
    static const char *const feels[] = {"natural", "subtle", "cartoon"};
    int which = -1;
    if (!strcmp(reader->name, "solver")) {
        if ((which = snOptionReader_Word(reader, solvers, 4)) >= 0) o->def.solver = (snSolver)which;
        o->given |= GIVEN_SOLVER;
    } else if (!strcmp(reader->name, "method")) {
        if ((which = snOptionReader_Word(reader, methods, 2)) >= 0)
            o->def.method = (snLinearMethod)which;
        o->given |= GIVEN_METHOD;
    } else if (!strcmp(reader->name, "motion")) {
        if ((which = snOptionReader_Word(reader, motions, 2)) >= 0) o->def.motion = (snMotion)which;
        o->given |= GIVEN_MOTION;
    } else if (!strcmp(reader->name, "material-model")) {
        if ((which = snOptionReader_Word(reader, models, 3)) >= 0)
            o->def.material = (snMaterial)which;
        o->given |= GIVEN_MODEL;
    } else if (!strcmp(reader->name, "precision")) {
        if ((which = snOptionReader_Word(reader, precisions, 3)) >= 0)
            o->def.precision = (snPrecision)which;
        o->given |= GIVEN_PRECISION;
    } else if (!strcmp(reader->name, "matrix")) {
        if ((which = snOptionReader_Word(reader, matrices, 3)) >= 0)
            o->def.matrix = (snMatrix)which;
        o->given |= GIVEN_MATRIX;
    } else if (!strcmp(reader->name, "feel")) {
        if ((which = snOptionReader_Word(reader, feels, 3)) >= 0)
            o->feel = snFeel_Find(reader->value);
    } else {
        return 0;
    }
    return which >= 0 ? 1 : -1;
}

// ---- the rest ---------------------------------------------------------------------------------------

static int takeFree(snFleshOptions *o, const snOptionReader *reader, bool free)
{
    snFleshRule *rule = beginRule(o, reader, strlen(reader->value));
    if (!rule) return -1;
    rule->set = SN_RULE_FREE;
    rule->free = free;
    return 1;
}

static int takeNumber(snFleshOptions *o, const snOptionReader *reader)
{
    double gravity;
    if (!strcmp(reader->name, "cells")) {
        o->given |= GIVEN_CELLS;
        return snOptionReader_Int(reader, 20, 200000, &o->def.cells) ? 1 : -1;
    }
    if (!strcmp(reader->name, "iterations")) {
        o->given |= GIVEN_ITERATIONS;
        return snOptionReader_Int(reader, 1, 100, &o->def.iterations) ? 1 : -1;
    }
    if (!strcmp(reader->name, "details")) {
        o->given |= GIVEN_DETAILS;
        return snOptionReader_Int(reader, 0, SN_DETAIL_LEVELS, &o->def.details) ? 1 : -1;
    }
    if (!strcmp(reader->name, "spacing")) {
        o->given |= GIVEN_SPACING;
        return snOptionReader_Number(reader, 1e-9, 1e9, NULL, &o->def.spacing) ? 1 : -1;
    }
    if (!strcmp(reader->name, "damping")) {
        o->given |= GIVEN_DAMPING;
        return snOptionReader_Number(reader, 0, 1000, NULL, &o->def.massDamping) ? 1 : -1;
    }
    if (!strcmp(reader->name, "gravity-change")) {
        o->given |= GIVEN_GRAVITY_CHANGE;
        return snOptionReader_Number(reader, 0, 1e6, NULL, &o->def.gravityChange) ? 1 : -1;
    }
    if (!strcmp(reader->name, "gravity")) {
        o->given |= GIVEN_GRAVITY;
        if (!snOptionReader_Number(reader, -1e6, 1e6, NULL, &gravity)) return -1;
        o->def.gravity = snVec(0, -gravity, 0);
        return 1;
    }
    return 0;
}

int snFleshOptions_Take(snFleshOptions *o, const snOptionReader *reader)
{
    for (size_t i = 0; i < sizeof partNumbers / sizeof *partNumbers; i++)
        if (!strcmp(reader->name, partNumbers[i].name))
            return takePartNumber(o, reader, &partNumbers[i]);
    if (!strcmp(reader->name, "twist")) return takeTwist(o, reader);
    if (!strcmp(reader->name, "material")) return takeMaterial(o, reader);
    if (!strcmp(reader->name, "free")) return takeFree(o, reader, true);
    if (!strcmp(reader->name, "held")) return takeFree(o, reader, false);
    if (!strcmp(reader->name, "rig")) {
        o->rig = reader->value;
        return 1;
    }
    if (!strcmp(reader->name, "height"))
        return snParseLength(reader->value, &o->height) && o->height >= 1e-4 && o->height <= 1e5
                   ? 1
                   : complain(reader,
                              "it must be a length from 0.1 mm to 100 km, like 1.8m, 180cm, "
                              "1800mm, 6ft or 72in");
    if (!strcmp(reader->name, "anchor")) {
        if (o->anchorCount == SN_MOST_ANCHORS) return complain(reader, "there are 16 already");
        o->anchors[o->anchorCount++] = reader->value;
        return 1;
    }
    int taken = snMapOptions_Take(&o->maps, reader);
    if (!taken) taken = takeWord(o, reader);
    return taken ? taken : takeNumber(o, reader);
}

// ---- putting it together ----------------------------------------------------------------------------

static snStatus readRig(const snFleshOptions *o, const snCharacter *character, snRigFile *file,
                        const snFleshDef *base, const snCli *cli, snError *error)
{
    snFileContent content;
    snStatus status = snFile_Read(&cli->context, o->rig, LARGEST_RIG, &content, error);
    if (status) return status;
    status = snRigFile_Read(file, (const char *)content.bytes, content.size, &character->skeleton,
                            base, &cli->context, error);
    if (status) snError_Prefix(error, "%s", o->rig);
    snFile_Release(&cli->context, &content);
    return status;
}

// All in one point, most likely because of a node that is scaled to nothing.
static snStatus failFlat(const snSkeleton *skeleton, snError *error)
{
    for (int j = 0; j < skeleton->jointCount; j++) {
        snVec3 s = skeleton->joints[j].rest.scale;
        if (s.x == 0 && s.y == 0 && s.z == 0)
            return snFail(error, SN_ERROR_GEOMETRY,
                          "the character has no size at rest: node \"%s\" has scale 0",
                          skeleton->joints[j].name);
    }
    return snFail(error, SN_ERROR_GEOMETRY, "the character has no size at rest");
}

snStatus snFleshOptions_Size(const snFleshOptions *o, const snCharacter *character, snSize *size,
                             const snCli *cli, snError *error)
{
    snStatus status = snMeasureSize(size, character, &cli->context, error);
    if (!status && !(size->height > 0)) status = failFlat(&character->skeleton, error);
    if (!status && o->height > 0) snSize_SetHeight(size, o->height);
    return status;
}

bool snFleshOptions_IsFull(const snFleshOptions *o)
{
    return (o->given & GIVEN_MOTION) && o->def.motion == SN_MOTION_FULL;
}

// A size that is only recognised changes nothing but gravity: stiffness goes by frequencies, which
// suit any size. One that was given says how fast things swing, unless a document has said so.
static void applySize(const snFleshOptions *o, const snSize *size, snFleshDef *def)
{
    if (o->height > 0 && !o->rig) snFleshDef_Pace(def, snSize_Pace(size));
    if (def->motion == SN_MOTION_FULL && !(o->given & GIVEN_GRAVITY))
        def->gravity.y = -snSize_Gravity(size);
}

static void applyNumbers(const snFleshOptions *o, const snSize *size, snFleshDef *def)
{
    const snFleshDef *from = &o->def;
    if (o->given & GIVEN_MOTION) def->motion = from->motion;
    if (o->substance) snFleshDef_Substance(def, o->substance);
    if (o->feel) snFleshDef_Feel(def, o->feel);
    applySize(o, size, def);
    if (o->given & (GIVEN_CELLS | GIVEN_SPACING)) def->lattice = NULL;
    if (o->given & GIVEN_CELLS) def->cells = from->cells, def->spacing = 0;
    if (o->given & GIVEN_SPACING) def->spacing = from->spacing;
    if (o->given & GIVEN_WOBBLE) def->wobble = from->wobble;
    if (o->given & GIVEN_DAMPING) def->massDamping = from->massDamping;
    if (o->given & GIVEN_TWIST) def->twist = from->twist;
    if (o->given & GIVEN_TWIST_RADIUS) def->twistRadius = from->twistRadius;
    if (o->given & GIVEN_SOLVER) def->solver = from->solver;
    if (o->given & GIVEN_METHOD) def->method = from->method;
    if (o->given & GIVEN_MODEL) def->material = from->material;
    if (o->given & GIVEN_GRAVITY_CHANGE) def->gravityChange = from->gravityChange;
    if (o->given & GIVEN_GRAVITY) def->gravity = from->gravity;
    if (o->given & GIVEN_DETAILS) def->details = from->details;
    if (o->given & GIVEN_PRECISION) def->precision = from->precision;
    if (o->given & GIVEN_MATRIX) def->matrix = from->matrix;
    if (o->given & GIVEN_ITERATIONS)
        def->iterations = from->iterations;
    else if (def->solver == SN_SOLVER_NEWTON)
        def->iterations = 0; // one linearisation
}

// ---- anchors ----

#define ANCHOR_SHARE 0.1 // of the extent: how deep an anchored side is

// One end of one axis; the rest of space too, for the lattice stands out of the surface.
static bool sideBox(const char *name, snBox all, snBox *box)
{
    static const char *const sides[] = {"left", "right", "top", "bottom", "front", "back"};
    double lower[3] = {all.lower.x, all.lower.y, all.lower.z};
    double upper[3] = {all.upper.x, all.upper.y, all.upper.z};
    double from[3] = {-1e300, -1e300, -1e300}, to[3] = {1e300, 1e300, 1e300};
    for (int i = 0; i < 6; i++) {
        if (strcmp(name, sides[i]) != 0) continue;
        double depth = ANCHOR_SHARE * (upper[i / 2] - lower[i / 2]);
        if (i % 2 == 0)
            from[i / 2] = upper[i / 2] - depth;
        else
            to[i / 2] = lower[i / 2] + depth;
        *box = (snBox){{from[0], from[1], from[2]}, {to[0], to[1], to[2]}};
        return true;
    }
    return false;
}

// Around all meshes of a name, as they stand at rest.
static snStatus meshBox(const char *name, const snCharacter *c, snBox *box, const snCli *cli,
                        snError *error)
{
    snCharacter some = *c;
    snSize size;
    some.parts = malloc((size_t)c->partCount * sizeof(snPart) + 1);
    if (!some.parts) return snFailMemory(error);
    some.partCount = some.vertexCount = 0;
    for (int p = 0; p < c->partCount; p++) {
        if (strcmp(c->parts[p].name, name) != 0) continue;
        some.vertexCount += c->parts[p].vertexCount;
        some.parts[some.partCount++] = c->parts[p];
    }
    snStatus status = some.partCount
                          ? snMeasureSize(&size, &some, &cli->context, error)
                          : snFail(error, SN_ERROR_ARGUMENT,
                                   "there is no mesh \"%s\" to anchor; sides are left, right, top, "
                                   "bottom, front and back",
                                   name);
    if (!status) *box = snBox_Grow(size.box, 0.02 * size.height);
    free(some.parts);
    return status;
}

static snStatus placeAnchors(const snFleshOptions *o, const snCharacter *character,
                             const snSize *size, snBox *boxes, const snCli *cli, snError *error)
{
    snStatus status = SN_OK;
    for (int i = 0; i < o->anchorCount && !status; i++)
        if (!sideBox(o->anchors[i], size->body, &boxes[i]))
            status = meshBox(o->anchors[i], character, &boxes[i], cli, error);
    return status;
}

// Defaults, then the document (read into `file`), then the options.
static snStatus define(const snFleshOptions *o, const snFleshJob *job, snFleshDef *def,
                       snRigFile *file, snBox *anchors, const snCli *cli, snError *error)
{
    *def = snDefaultFleshDef();
    def->rules = o->rules;
    def->ruleCount = o->ruleCount;
    if (o->rig) {
        snStatus status = readRig(o, job->character, file, def, cli, error);
        if (status) return status;
        *def = file->def;
    }
    snSize size;
    snStatus status = snFleshOptions_Size(o, job->character, &size, cli, error);
    if (!status) status = placeAnchors(o, job->character, &size, anchors, cli, error);
    if (status) snError_Prefix(error, "%s", job->input);
    if (!status) applyNumbers(o, &size, def);
    if (!status && (o->given & GIVEN_GRAVITY) && def->motion != SN_MOTION_FULL)
        snLog(&cli->context, SN_LOG_WARNING,
              "--gravity acts with --motion full alone, and is left out; for a character that "
              "lies down there is --gravity-change");
    snMapOptions_Apply(&o->maps, def);
    def->anchorCount = o->anchorCount;
    def->anchors = anchors;
    return status;
}

// What the command line says in the document's place is not the document's fault.
static bool isRigAtFault(const snFleshOptions *o, const snRigFile *file, const snFleshBlame *blame,
                         snError *error)
{
    bool overruled = (o->given & (GIVEN_CELLS | GIVEN_SPACING)) && blame->fault != SN_FAULT_RULE;
    return o->rig && !overruled && snRigFile_IsAtFault(file, blame, error);
}

snStatus snFleshOptions_Build(const snFleshOptions *o, const snFleshJob *job, snFlesh **flesh,
                              const snCli *cli, snError *error)
{
    snFleshDef def;
    snFleshBlame blame;
    snRigFile file = {.arena = snMakeArena(&cli->context)};
    snBox anchors[SN_MOST_ANCHORS];
    snStatus status = define(o, job, &def, &file, anchors, cli, error);
    if (status) {
        snRigFile_Destroy(&file);
        return status;
    }
    if (job->step > 0) def.step = job->step;
    def.measure = job->measure;
    def.blame = &blame;
    status = snFlesh_Build(flesh, job->character, &def, &cli->context, error);
    if (status)
        snError_Prefix(error, "%s", isRigAtFault(o, &file, &blame, error) ? o->rig : job->input);
    snRigFile_Destroy(&file);
    return status;
}
