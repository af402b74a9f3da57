#include "world/press.h"

#include "world/attach.h"

#define ROUNDS 4 // of a step, at most
#define NEAR                                                                                       \
    0.05 // of what is expected: then it is near enough, and what is missing made up for later

void snWorld_Press(snWorld *world)
{
    for (int i = 0; i < world->bodies.count; i++) {
        snBody *body = world->bodies.data[i];
        for (int k = 0; k < i && body->presses; k++)
            if (world->bodies.data[k] == body->over && !snWorld_Sleeps(world, i))
                snBody_Press(body, world->bodies.data[k]);
    }
}

double snWorld_PressMiss(snWorld *world)
{
    double worst = 0;
    for (int i = 0; i < world->bodies.count; i++)
        if (world->bodies.data[i]->presses && !snWorld_Sleeps(world, i))
            worst = fmax(worst, snBody_PressMiss(world->bodies.data[i]));
    return worst;
}

static size_t sizeOf(const snWorld *world)
{
    size_t size = 0;
    for (int i = 0; i < world->bodies.count; i++)
        size += snBody_SaveSize(world->bodies.data[i]);
    return size;
}

static bool presses(const snWorld *world)
{
    bool any = false;
    for (int i = 0; i < world->bodies.count; i++)
        any |= world->bodies.data[i]->presses > 0;
    return any && sizeOf(world) <= world->savedSize;
}

static void saveAll(const snWorld *world)
{
    char *at = world->saved;
    for (int i = 0; i < world->bodies.count; at += snBody_SaveSize(world->bodies.data[i++]))
        snBody_Save(world->bodies.data[i], at);
}

static void restoreAll(const snWorld *world)
{
    const char *at = world->saved;
    for (int i = 0; i < world->bodies.count; at += snBody_SaveSize(world->bodies.data[i++]))
        snBody_Restore(world->bodies.data[i], at, NULL);
}

void snWorld_TakePressed(snWorld *world)
{
    bool again = presses(world);
    if (again) saveAll(world);
    for (int round = 0; round < ROUNDS; round++) {
        if (round) restoreAll(world);
        snWorld_BeginStep(world);
        snWorld_AdvanceBodies(world);
        if (!again || world->pressMiss <= NEAR) return;
    }
}
