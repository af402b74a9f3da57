// The stress matrix: bodies of every model in steps of 1/1000 to 1/10 s, from 100 Pa to 10 GPa, with Poisson's ratios of 0 to 0.499, begun inside out,
// put elsewhere and teleported while they run, two upon each other, with bones of no length, of one cell and of 100,000. Whatever it is: nothing becomes
// infinite; a body that is struck by nothing but the floor has no more energy than it began with, one that was forced or led no more than it had when
// that ended; and where a step cannot be computed, it is said. Scenes are refused with a reason, and only where bones have no length. (Of what is led to
// the end of a case: that it is finite, where it should be, and told of. Inside out are blocks alone.)
//     stress [--all] [TEXT]     all of the matrix, or cases with TEXT in their names; else a quick part of it
#include "core/error.h"
#include "platform/clock.h"
#include "platform/files.h"
#include "scene/scene.h"
#include "sinew/world.h"
#include "tests/hostile/corpus.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_ENERGY                                                                                \
    1.02 // of what there was at first: contacts are exact to a tolerance, and steps to a number of iterations
#define LOWEST 1e-3    // m in the floor, of what it holds out
#define MOST_SIZE 30.0 // m from where it was: what has no contact falls for two seconds

typedef struct Case {
    char name[120];
    char bodies[2000];      // of the scene
    char attachments[1200]; // "" or a list
    double step, most;      // s; of the energy that there was, 0: MOST_ENERGY
    int steps;
    int putAt;      // the step before which it is put elsewhere; 0: none
    int teleportAt; // and that before which it is teleported, with its motion
    int quietFrom; // steps after which nothing forces or leads it; from then on its energy is bounded
    bool led;      // for ever: no bound for its energy
    bool limp;     // flesh on bones that give way: its energy of motion and height is bounded
    double goes;   // m, how far what leads it goes
    bool lands;    // on the floor, which holds it out
    bool maySayNo;        // its scene may be refused, with a reason
    char coat[4000];      // the file "body.coat.json"
    char script[1200];    // the file "body.txt"
    char rig[400];        // the file "beast.rig.json"
    const snBytes *beast; // the file "beast.glb"
} Case;

static struct {
    int cases, wrong, refused, failures;
} total;

// ---- scenes ------------------------------------------------------------------------------------------

static snStatus give(const void *from, size_t length, snArena *arena, const uint8_t **bytes,
                     size_t *size, snError *error)
{
    *bytes = snArena_Copy(arena, from, 1, length);
    *size = length;
    return *bytes ? SN_OK : snFailMemory(error);
}

static snStatus readFile(void *user, const char *path, snArena *arena, const uint8_t **bytes,
                         size_t *size, snError *error)
{
    const Case *c = user;
    if (!strcmp(path, "body.coat.json"))
        return give(c->coat, strlen(c->coat), arena, bytes, size, error);
    if (!strcmp(path, "body.txt"))
        return give(c->script, strlen(c->script), arena, bytes, size, error);
    if (!strcmp(path, "beast.rig.json"))
        return give(c->rig, strlen(c->rig), arena, bytes, size, error);
    if (!strcmp(path, "beast.glb") && c->beast)
        return give(c->beast->data, c->beast->size, arena, bytes, size, error);
    return snFail(error, SN_ERROR_FILE, "%s: no such file", path);
}

static snStatus readScene(const Case *c, snSceneFile *scene, const snContext *context,
                          snError *error)
{
    char text[5000];
    snSceneSource source = {readFile, (void *)(uintptr_t)c, NULL};
    snprintf(
        text, sizeof text,
        "{\"sinew\": \"scene\", \"version\": 1, \"stepsPerSecond\": %.17g, \"bodies\": [%s]%s%s%s, "
        "\"colliders\": [{\"kind\": \"floor\", \"friction\": 0.5}]}",
        1.0 / c->step, c->bodies, *c->attachments ? ", \"attachments\": [" : "", c->attachments,
        *c->attachments ? "]" : "");
    return snSceneFile_Read(scene, text, strlen(text), &source, context, error);
}

// ---- what is watched ---------------------------------------------------------------------------------

typedef struct Watch {
    double first, most; // J, above the floor
    double far, low;    // m, from the origin, and its lowest height
    bool finite;
} Watch;

static double energyOf(const Case *c, snWorld *world)
{
    snWorldMeasure m;
    snWorld_Measure(world, &m);
    return m.sum.kinetic + m.potential + (c->limp ? 0 : m.sum.elastic);
}

static void watch(const Case *c, snWorld *world, Watch *w)
{
    double energy = energyOf(c, world);
    if (!isfinite(energy)) w->finite = false;
    if (energy > w->most) w->most = energy;
    for (int b = 0; b < world->bodies.count; b++)
        for (int v = 0; v < world->bodies.data[b]->vertexCount; v++) {
            snVec3 p = snBody_Vertex(world->bodies.data[b], v);
            double far = snLength(p);
            if (p.y < w->low) w->low = p.y;
            if (!isfinite(far)) w->finite = false;
            if (far > w->far) w->far = far;
        }
}

static int failuresOf(const snWorld *world)
{
    int failures = 0;
    for (int b = 0; b < world->bodies.count; b++)
        failures += world->tales.data[b].failures + world->tales.data[b].conflicts;
    return failures;
}

static void putElsewhere(snWorld *world)
{
    snAffine place = {snQuatToMat(snQuatFromAxisAngle(snVec(1, 0, 0), 2.0)), snVec(3, 1, -2)};
    for (int b = 0; b < world->bodies.count; b++)
        snBody_Put(world->bodies.data[b], &place);
}

// Far away and turned about the vertical: its energy stays as it is.
#define TELEPORTED 100.0 // m
static bool teleport(snWorld *world)
{
    snPlacement motion = {.position = {TELEPORTED, 0, 0}, .rotation = {0, 0.6, 0, 0.8}};
    bool done = true;
    for (int b = 0; b < world->bodies.count; b++)
        done &= !snWorld_Teleport(world, b, &motion, false, NULL);
    return done;
}

static void complain(const Case *c, const char *what, const Watch *w, int failures)
{
    total.wrong++;
    printf("%s: %s (energy %.4g of %.4g J, %.3g m away, %d steps failed)\n", c->name, what, w->most,
           w->first, w->far, failures);
}

// What happens from outside before a step.
static void prepare(const Case *c, snWorld *world, int step, Watch *w)
{
    if (c->putAt && step == c->putAt) {
        putElsewhere(world);
        w->first = fmax(w->first, energyOf(c, world));
    }
    if (c->teleportAt && step == c->teleportAt && !teleport(world))
        complain(c, "was not teleported", w, 0);
}

static void runWorld(const Case *c, snWorld *world)
{
    double reach = MOST_SIZE + c->goes + (c->teleportAt ? TELEPORTED : 0);
    Watch w = {.first = energyOf(c, world), .finite = true};
    bool held = false; // by contacts
    w.most = w.first;
    for (int i = 0; i < c->steps && w.finite; i++) {
        prepare(c, world, i, &w);
        snWorld_Step(world);
        watch(c, world, &w);
        held |= world->reports.data[0].contact.columns > 0;
        if (i < c->quietFrom) w.first = w.most;
    }
    int failures = failuresOf(world);
    total.failures += failures > 0;
    if (c->lands && !(held && w.low > -LOWEST))
        complain(c, "was not held by the floor", &w, failures);
    if (!w.finite)
        complain(c, "not finite", &w, failures);
    else if (!failures && !c->led && w.most > (c->most > 0 ? c->most : MOST_ENERGY) * w.first)
        complain(c, "gained energy, and said nothing", &w, failures);
    else if (!failures && w.far > reach)
        complain(c, "flew away, and said nothing", &w, failures);
    else if (failures && !c->led && !(w.most < 1e3 * w.first))
        complain(c, "failed, and still gained energy", &w, failures);
}

static void runCase(const Case *c)
{
    snContext context = snDefaultContext();
    snSceneFile scene;
    snStage stage;
    snError error = {0};
    total.cases++;
    snStatus status = readScene(c, &scene, &context, &error);
    bool read = !status;
    if (!status) status = snSceneFile_Build(&scene, &stage, &context, &error);
    if (!status) {
        runWorld(c, stage.world);
        snStage_Destroy(&stage);
    } else if (!error.message[0] || !c->maySayNo) {
        total.wrong++;
        printf("%s: refused: %s\n", c->name, error.message);
    } else {
        total.refused++;
    }
    if (read) snSceneFile_Destroy(&scene);
}

// ---- the matrix --------------------------------------------------------------------------------------

typedef struct Matrix {
    bool all;
    const char *only;
    snCorpus corpus;
    snBytes boneless; // the beast with bones of no length
} Matrix;

static const double steps[] = {1e-3, 1.0 / 120, 0.1, 1.0 / 480, 1.0 / 30};
static const double youngs[] = {1e2, 1e5, 1e10, 1e3, 1e4, 1e6, 1e7, 1e8, 1e9};
static const double ratios[] = {0.0, 0.499, 0.49, 0.3, 0.45};
#define COUNT(list, quick) (m->all ? (int)(sizeof list / sizeof *list) : (quick))

static void add(const Matrix *m, Case *c)
{
    if (m->only && !strstr(c->name, m->only)) return;
    if (!c->steps) c->steps = c->step > 0.05 ? 20 : 40;
    if (!m->all && c->step > 2e-3) c->steps = 3 * c->steps / 5;
    double begin = snClock_Seconds();
    runCase(c);
    double took = snClock_Seconds() - begin;
    if (took > 5) printf("%s: took %.1f s\n", c->name, took);
    fflush(stdout);
}

// Blocks that hit the floor at 2 m/s, with a corner first.
static void makeBlock(Case *c, const char *cells, const char *solver, double young, double poisson)
{
    snprintf(
        c->bodies, sizeof c->bodies,
        "{\"name\": \"block\", \"box\": {\"size\": [0.3, 0.2, 0.3]%s}, \"material\": {\"young\": "
        "%g, "
        "\"poisson\": %g, \"density\": 500}%s, \"place\": [0, 0.22, 0], \"rotation\": {\"axis\": "
        "[1, 0, 0.3], \"angle\": 25}, \"velocity\": [0.5, -2, 0], \"spin\": [0, 1, 2]}",
        cells, young, poisson, solver);
}

static void addBlocks(const Matrix *m)
{
    static const struct {
        const char *name, *cells, *solver;
    } kinds[] = {
        {"lattice", ", \"cells\": [2, 2, 2]", ""},
        {"newton", ", \"cells\": [2, 2, 2]", ", \"solver\": {\"kind\": \"newton\"}"},
        {"one cell", ", \"cells\": [1, 1, 1]", ""},
        {"poly 2", "", ", \"poly\": {\"order\": 2}"},
        {"poly 1", "", ", \"poly\": {\"order\": 1}"},
        {"quasi-linear", ", \"cells\": [2, 2, 2]", ", \"solver\": {\"kind\": \"quasi-linear\"}"},
        {"single", ", \"cells\": [2, 2, 2]", ", \"solver\": {\"precision\": \"single\"}"},
        {"linear", ", \"cells\": [2, 2, 2]", ", \"solver\": {\"kind\": \"linear\"}"},
        {"smooth", ", \"cells\": [3, 2, 3]", ", \"scheme\": \"maccracken-joy\""},
    };
    for (int k = 0; k < COUNT(kinds, 6); k++)
        for (int s = 0; s < COUNT(steps, 3); s++)
            for (int y = 0; y < COUNT(youngs, 3); y++)
                for (int p = 0; p < COUNT(ratios, 2); p++) {
                    if (!m->all && (p || k == 1) && (k + s + y) % 3)
                        continue; // they take long: a third of them
                    Case c = {.step = steps[s]};
                    snprintf(c.name, sizeof c.name, "%s, step %.3g s, %g Pa, poisson %g",
                             kinds[k].name, steps[s], youngs[y], ratios[p]);
                    makeBlock(&c, kinds[k].cells, kinds[k].solver, youngs[y], ratios[p]);
                    add(m, &c);
                }
}

// Hung up by a point, or held by four, and thrown: what holds them stands still, and brings nothing. Not quasi-linear ones, which turn by the rotation that
// they had, and are strained by it where they turn far in a step. What is soft as foam and falls ten metres in a few steps gains a part of what it moves with.
static void addHung(const Matrix *m)
{
    static const struct {
        const char *name, *cells, *solver;
    } kinds[] = {
        {"lattice", ", \"cells\": [3, 2, 2]", ""},
        {"one cell", ", \"cells\": [1, 1, 1]", ""},
        {"newton", ", \"cells\": [3, 2, 2]", ", \"solver\": {\"kind\": \"newton\"}"},
        {"poly 2", "", ", \"poly\": {\"order\": 2}"},
        {"single", ", \"cells\": [3, 2, 2]", ", \"solver\": {\"precision\": \"single\"}"},
        {"poly 1", "", ", \"poly\": {\"order\": 1}"},
        {"smooth", ", \"cells\": [3, 2, 3]", ", \"scheme\": \"maccracken-joy\""},
    };
    for (int k = 0; k < COUNT(kinds, 4); k++)
        for (int s = 0; s < COUNT(steps, 3); s++)
            for (int y = 0; y < COUNT(youngs, 3); y++)
                for (int corners = 1; corners <= 4; corners += 3) {
                    double poisson = ratios[(k + s + y) % 5];
                    if (!m->all && (k + s + y) % 3) continue;
                    Case c = {.step = steps[s], .most = 1.2};
                    snprintf(c.name, sizeof c.name,
                             "hung by %d, %s, step %.3g s, %g Pa, poisson %g", corners,
                             kinds[k].name, steps[s], youngs[y], poisson);
                    snprintf(c.bodies, sizeof c.bodies,
                             "{\"name\": \"block\", \"box\": {\"size\": [0.6, 0.2, 0.2]%s}, "
                             "\"material\": {\"young\": %g, \"poisson\": %g, \"density\": 500, "
                             "\"damping\": 0}%s, \"place\": [0, 1, 0], \"velocity\": [0.5, -2, 0], "
                             "\"spin\": [0, 3, 2], \"contact\": false}",
                             kinds[k].cells, youngs[y], poisson, kinds[k].solver);
                    size_t used = 0;
                    for (int i = 0; i < corners; i++) {
                        double yy = i & 1 ? -0.05 : 0.05, z = i & 2 ? -0.05 : 0.05;
                        used += (size_t)snprintf(
                            c.attachments + used, sizeof c.attachments - used,
                            "%s{\"body\": \"block\", \"point\": [-0.2, %g, %g], \"at\": [-0.2, "
                            "%g, %g]}",
                            i ? ", " : "", yy, z, 1 + yy, z);
                    }
                    add(m, &c);
                }
}

// Corners are held at the places of their mirror images for two steps, and then let go.
static void addInverted(const Matrix *m)
{
    static const char *const models[] = {", \"cells\": [2, 2, 2]", ", \"cells\": [1, 1, 1]", ""};
    for (int k = 0; k < 3; k++)
        for (int y = 0; y < COUNT(youngs, 3); y++)
            for (int s = 0; s < COUNT(steps, 3); s++) {
                Case c = {.step = steps[s], .quietFrom = 3, .steps = 30};
                size_t used = 0;
                snprintf(c.name, sizeof c.name, "inverted %s, step %.3g s, %g Pa", models[k],
                         steps[s], youngs[y]);
                snprintf(
                    c.bodies, sizeof c.bodies,
                    "{\"name\": \"block\", \"box\": {\"size\": [0.2, 0.2, 0.2]%s}%s, \"material\": "
                    "{\"young\": %g}, \"place\": [0, 1, 0]}",
                    models[k], *models[k] ? "" : ", \"poly\": {\"order\": 1}", youngs[y]);
                for (int i = 0; i < 8; i++) {
                    double x = i & 1 ? 0.1 : -0.1, yy = i & 2 ? 0.1 : -0.1, z = i & 4 ? 0.1 : -0.1;
                    int n = snprintf(
                        c.attachments + used, sizeof c.attachments - used,
                        "%s{\"body\": \"block\", \"point\": [%g, %g, %g], \"at\": [%g, %g, "
                        "%g], \"until\": %.6f}",
                        i ? ", " : "", x, yy, z, -x, 1 + yy, z, 2.5 * steps[s]);
                    used += (size_t)n;
                }
                add(m, &c);
            }
}

static const char coatText[] =
    "{\"sinew\": \"coat\", \"version\": 1, \"skeleton\": [{\"name\": \"a\", \"at\": [0, 0, 0]}, "
    "{\"name\": "
    "\"b\", \"parent\": \"a\", \"at\": [0, 0.2, 0]}, {\"name\": \"c\", \"parent\": \"b\", \"at\": "
    "[0, %s, "
    "0]}, {\"name\": \"d\", \"parent\": \"c\", \"at\": [0.02, 0.2, 0]}], \"skin\": {\"round\": 8}, "
    "\"flesh\": {\"young\": %g, \"damping\": 0.3}, \"links\": [%s]}";

static void addCoats(const Matrix *m)
{
    for (int s = 0; s < COUNT(steps, 3); s++)
        for (int y = 0; y < COUNT(youngs, 3); y++)
            for (int variant = 0; variant < 4; variant++) {
                static const char *const names[] = {
                    "coat", "coat put", "coat of a bone of no length", "coat teleported"};
                Case c = {.step = steps[s],
                          .putAt = variant == 1 ? 10 : 0,
                          .teleportAt = variant == 3 ? 5 : 0,
                          .maySayNo = variant == 2};
                snprintf(c.name, sizeof c.name, "%s, step %.3g s, %g Pa", names[variant], steps[s],
                         youngs[y]);
                snprintf(c.coat, sizeof c.coat, coatText, variant == 2 ? "0" : "0.2", youngs[y],
                         "");
                char *links = strstr(c.coat, ", \"links\""); // proposed ones
                if (links) strcpy(links, "}");
                snprintf(
                    c.bodies, sizeof c.bodies,
                    "{\"name\": \"coat\", \"coat\": {\"file\": \"body.coat.json\"}, \"place\": [0, "
                    "0.2, 0], \"velocity\": [0.5, -2, 0], \"rotation\": {\"axis\": [1, 0, 0.3], "
                    "\"angle\": 25}}");
                add(m, &c);
            }
}

// Led by their postures, to which they return in the end; or these stay as they are from SKIN_ENDS on.
#define SKIN_ENDS 0.06 // s
static void addSkins(const Matrix *m)
{
    static const char *const variants[] = {"skin",
                                           "skin put",
                                           "skin over a skeleton that jumps",
                                           "skin on a joint of no length",
                                           "skin teleported",
                                           "skin whose postures end"};
    for (int s = 0; s < COUNT(steps, 3); s++)
        for (int y = 0; y < COUNT(youngs, 3); y++)
            for (int v = 0; v < 6; v++) {
                bool ends = v == 5;
                Case c = {.step = steps[s],
                          .led = !ends,
                          .goes = v == 2 ? 50 : 0.1,
                          .steps = steps[s] > 0.05 ? 4 : 15,
                          .maySayNo = v == 3};
                if (ends) c.quietFrom = 1 + (int)ceil(SKIN_ENDS / steps[s]);
                if (ends) c.steps = c.quietFrom + 15;
                c.putAt = v == 1 ? 2 : 0;
                c.teleportAt = v == 4 ? 2 : 0;
                snprintf(c.name, sizeof c.name, "%s, step %.3g s, %g N/m³", variants[v], steps[s],
                         youngs[y]);
                snprintf(
                    c.script, sizeof c.script,
                    "settings duration=0.4\njoint add low parent=none at=0,-0.11,0 size=4cm\n"
                    "joint add high at=0,0.22,0 kind=fixed size=4cm\n%s"
                    "muscle add ball joint=low at=0,0.11,0 size=0.1\n"
                    "skin create bottom=low top=high rows=5 columns=8 gap=5mm\nskin attach\n"
                    "skin paint elasticity=%g stiffness=%g\n"
                    "posture keep a time=0\npose joint low shift=%s\nposture keep b time=%g\n%s",
                    v == 3 ? "joint add none parent=low at=0,0,0 kind=fixed\n" : "",
                    fmin(youngs[y], 1e6) / 100, youngs[y], v == 2 ? "50,0,0" : "0.1,0,0",
                    v == 2 ? 0.01
                    : ends ? 0.05
                           : 0.4,
                    ends ? "posture keep c time=0.06\nposture keep d time=0.4\n" : "");
                snprintf(
                    c.bodies, sizeof c.bodies,
                    "{\"name\": \"skin\", \"layered\": {\"file\": \"body.txt\", \"settle\": 0, "
                    "\"smooth\": 0}, \"place\": [0, 0.5, 0]}");
                add(m, &c);
            }
}

// Flesh of the beast is told by a rig document: so many times what it has by itself at 3.5 Hz.
#define BEAST_YOUNG 5e5 // Pa, about ρ (4 f l)²
static void makeRig(Case *c, double young, double poisson)
{
    snprintf(c->rig, sizeof c->rig,
             "{\"sinew\": \"rig\", \"version\": 1, \"defaults\": {\"poisson\": %g}, \"parts\": "
             "{\"*\": {\"stiffness\": %g}}}",
             poisson, young / BEAST_YOUNG);
}

// Led by their clip: a walk; one that lasts a hundredth of a second and then stands; one that gets on by 1000 m/s. Or limp: they fall.
#define ENDS "\"motion\": \"full\", \"speed\": 100, \"loop\": false"
static void addCharacters(const Matrix *m)
{
    static const struct {
        const char *name, *keys;
        int put, teleport, quiet;
        bool led, boneless;
        double goes; // m/s
    } variants[] = {
        {"character", "\"motion\": \"secondary\"", 0, 0, 0, true, false, 0},
        {"character put", ENDS, 5, 0, 12, false, false, 0},
        {"character that jumps", "\"motion\": \"secondary\", \"travel\": [1000, 0, 0]", 0, 0, 0,
         true, false, 1000},
        {"character with bones of no length", ENDS, 0, 0, 12, false, true, 0},
        {"character teleported", ENDS, 0, 5, 12, false, false, 0},
        {"character whose clip ends", ENDS, 0, 0, 12, false, false, 0},
        {"limp character", "\"skeleton\": {\"strength\": 0, \"hand\": 0}", 0, 0, 1, false, false,
         0},
        {"limp character teleported", "\"skeleton\": {\"strength\": 0, \"hand\": 0}", 0, 5, 1,
         false, false, 0},
        {"limp character with bones of no length", "\"skeleton\": {\"strength\": 0, \"hand\": 0}",
         0, 0, 1, false, true, 0},
    };
    for (size_t v = 0; v < sizeof variants / sizeof *variants; v++)
        for (int s = 0; s < COUNT(steps, 3); s++)
            for (int y = 0; y < COUNT(youngs, 3); y++) {
                if (!m->all && ((int)v + s + y) % 3) continue; // a third of them
                Case c = {.step = steps[s],
                          .steps = 20,
                          .putAt = variants[v].put,
                          .teleportAt = variants[v].teleport,
                          .quietFrom = variants[v].quiet,
                          .led = variants[v].led,
                          .limp = strstr(variants[v].name, "limp") != NULL,
                          .goes = variants[v].goes * 20 * steps[s],
                          .maySayNo = variants[v].boneless};
                // Limp ones that are teleported: up to horn. Stiffer flesh, once it is strained, throws bones about.
                bool carried = c.limp && c.teleportAt;
                double poisson = ratios[y % 2], young = carried ? fmin(youngs[y], 1e7) : youngs[y];
                c.beast =
                    variants[v].boneless ? &m->boneless : &m->corpus.seeds[SN_SEED_BEAST].bytes;
                snprintf(c.name, sizeof c.name, "%s, step %.3g s, %g Pa, poisson %g",
                         variants[v].name, steps[s], young, poisson);
                makeRig(&c, young, poisson);
                snprintf(
                    c.bodies, sizeof c.bodies,
                    "{\"name\": \"beast\", \"character\": {\"file\": \"beast.glb\", \"rig\": "
                    "\"beast.rig.json\", \"clip\": 0, \"cells\": 60, %s}, \"place\": [0, 0.1, 0]}",
                    variants[v].keys);
                add(m, &c);
            }
}

// One falls on another that is a million times as stiff, or as soft.
static void addPairs(const Matrix *m)
{
    static const char *const kinds[] = {", \"cells\": [2, 2, 2]}", "}, \"poly\": {\"order\": 1}",
                                        ", \"cells\": [1, 1, 1]}"};
    for (int k = 0; k < 4; k++)
        for (int s = 0; s < COUNT(steps, 3); s++)
            for (int y = 0; y < COUNT(youngs, 3); y++) {
                if (!m->all && (k + s + 2 * y) % 3) continue;
                // Flesh of horn that is put out of others holds for a step what nobody gave.
                Case c = {.step = steps[s], .most = 1.05};
                double other = 1e12 / youngs[y];
                snprintf(c.name, sizeof c.name, "two %d, step %.3g s, %g Pa on %g Pa", k, steps[s],
                         youngs[y], other);
                int used = snprintf(
                    c.bodies, sizeof c.bodies,
                    "{\"name\": \"lower\", \"box\": {\"size\": [0.3, 0.2, 0.3]%s, \"material\": "
                    "{\"young\": %g, \"density\": 500}, \"place\": [0, 0.101, 0]}, ",
                    kinds[k % 3], other);
                if (k < 3) {
                    snprintf(c.bodies + used, sizeof c.bodies - (size_t)used,
                             "{\"name\": \"upper\", \"box\": {\"size\": [0.2, 0.2, 0.2]%s, "
                             "\"material\": {\"young\": %g, \"density\": 500}, \"place\": [0.02, "
                             "0.35, 0.03], \"rotation\": {\"axis\": [1, 0, 0.3], \"angle\": 25}, "
                             "\"velocity\": [0.5, -2, 0]}",
                             kinds[(k + 1) % 3], youngs[y]);
                } else {
                    snprintf(c.coat, sizeof c.coat, coatText, "0.2", youngs[y], "");
                    strcpy(strstr(c.coat, ", \"links\""), "}");
                    snprintf(c.bodies + used, sizeof c.bodies - (size_t)used,
                             "{\"name\": \"upper\", \"coat\": {\"file\": \"body.coat.json\"}, "
                             "\"place\": [0, 0.35, 0], \"velocity\": [0.5, -2, 0]}");
                }
                add(m, &c);
            }
}

// Comes down on a corner, a few millimetres above the floor at first: most of its cells touch nothing, and dozens of its points do. Each of these is
// a column of so large a factor; so the steps are few.
static void addLarge(const Matrix *m)
{
    for (int y = 0; y < 3 && m->all; y++) {
        Case c = {.step = 1.0 / 120, .steps = 4, .lands = true};
        snprintf(c.name, sizeof c.name, "100,000 cells, %g Pa", youngs[y]);
        snprintf(
            c.bodies, sizeof c.bodies,
            "{\"name\": \"block\", \"box\": {\"size\": [0.3, 0.2, 0.3], \"cells\": [50, 40, "
            "50]}, \"quadrature\": 1, \"material\": {\"young\": %g, \"poisson\": 0.4, "
            "\"density\": 500}, \"place\": [0, 0.172, 0], \"rotation\": {\"axis\": [1, 0, 0.3], "
            "\"angle\": 25}, \"velocity\": [0.05, -0.1, 0], \"spin\": [0, 1, 2]}",
            youngs[y]);
        add(m, &c);
    }
}

// Skins are bound to the skeleton as it is at rest now.
static snStatus bindAnew(snCharacter *character, const snContext *context, snError *error)
{
    snPose pose;
    snArena arena = snMakeArena(context);
    snStatus status = snPose_Make(&pose, &character->skeleton, 0, &arena, error);
    if (!status) {
        snPose_SetRest(&pose, &character->skeleton);
        snPose_Globals(&pose, &character->skeleton);
        for (int s = 0; s < character->skinCount; s++)
            for (int k = 0; k < character->skins[s].jointCount; k++)
                character->skins[s].inverseBind[k] =
                    snInverseAffine(pose.global[character->skins[s].joints[k]]);
    }
    snArena_Destroy(&arena);
    return status;
}

// Some bones of the beast end where they begin.
static snStatus shorten(const snBytes *beast, snBytes *out, const snContext *context,
                        snError *error)
{
    snCharacter character;
    snGltfSource source = {.bytes = beast->data, .size = beast->size};
    snStatus status = snGltf_Read(&character, &source, context, error);
    if (status) return status;
    for (int j = 1; j < character.skeleton.jointCount; j += 3)
        character.skeleton.joints[j].rest.translation = snVec(0, 0, 0);
    status = bindAnew(&character, context, error);
    if (!status) status = snGlb_FromCharacter(&character, out, error);
    snCharacter_Destroy(&character);
    return status;
}

int main(int count, char **arguments)
{
    snContext context = snDefaultContext();
    Matrix matrix = {.boneless = snMakeBytes(&context)};
    snError error = {0};
    for (int i = 1; i < count; i++)
        if (!strcmp(arguments[i], "--all"))
            matrix.all = true;
        else
            matrix.only = arguments[i];
    if (snCorpus_Make(&matrix.corpus, &context, &error) ||
        shorten(&matrix.corpus.seeds[SN_SEED_BEAST].bytes, &matrix.boneless, &context, &error)) {
        printf("%s\n", error.message);
        return 2;
    }
    addBlocks(&matrix);
    addHung(&matrix);
    addInverted(&matrix);
    addCoats(&matrix);
    addSkins(&matrix);
    addCharacters(&matrix);
    addPairs(&matrix);
    addLarge(&matrix);
    printf("%d cases: %d wrong; %d said that steps failed, %d scenes were refused with a reason\n",
           total.cases, total.wrong, total.failures, total.refused);
    snBytes_Destroy(&matrix.boneless);
    snCorpus_Destroy(&matrix.corpus);
    return total.wrong ? 1 : 0;
}
