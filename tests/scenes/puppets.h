// Puppets of any size as worlds, for tests and benchmarks.
#ifndef SN_TESTS_SCENES_PUPPETS_H
#define SN_TESTS_SCENES_PUPPETS_H

#include "puppet.h"
#include "tests/scenes/shipped.h"

#include <math.h>

// Files that a made scene names stand beside it.
static inline snStatus readBeside(void *user, const char *path, snArena *arena, const uint8_t **out,
                                  size_t *size, snError *error)
{
    char made[80];
    snprintf(made, sizeof made, "made/%s", path);
    return readShipped(user, made, arena, out, size, error);
}

static inline snStatus makePuppet(const snPuppetDef *def, const snContext *context, snStage *stage,
                                  snError *error)
{
    Shipped shipped;
    makeShipped(&shipped);
    snSceneSource source = {readBeside, &shipped, NULL};
    snBytes text = snMakeBytes(&shipped.context);
    snPuppet_WriteScene(def, &text);
    snStatus status = stageOfText(&shipped, &text, &source, context, stage, error);
    snBytes_Destroy(&text);
    freeShipped(&shipped);
    return status;
}

// How far attachments are from where they should be at most, in metres: ends from each other, strings from their paths.
static inline double missOfPuppet(const snWorld *world)
{
    double most = 0;
    for (int i = 0; i < world->attachments.count; i++) {
        const snAttachment *a = &world->attachments.data[i];
        snVec3 p = snBody_Place(world->bodies.data[a->def.body], a->point);
        snVec3 q = a->def.other == SN_WORLD_NOBODY
                       ? snRoute_Place(&a->path, snWorld_Time(world))
                       : snBody_Place(world->bodies.data[a->def.other], a->otherPoint);
        double miss = snDistance(p, q);
        most = miss > most || !isfinite(miss) ? miss : most;
    }
    return most;
}

// What was done to hold it, and what went wrong, over all steps.
typedef struct PuppetTale {
    int64_t columns, rows;
    int failures, conflicts;
} PuppetTale;

static inline PuppetTale taleOfPuppet(const snWorld *world)
{
    PuppetTale tale = {0};
    for (int i = 0; i < world->bodies.count; i++) {
        tale.columns += world->tales.data[i].columnsSolved;
        tale.rows += world->tales.data[i].rowsFactored;
        tale.failures += (int)world->tales.data[i].failures;
        tale.conflicts += (int)world->tales.data[i].conflicts;
    }
    return tale;
}

#endif
