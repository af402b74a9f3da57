// Where bodies are put and what leads them, by the program, between steps.
#include "world/meet.h"

#include <string.h>

void snWorld_ForgetMeetings(snWorld *world, int body)
{
    for (int k = 0; world->meet && k < *world->meet->memoCount; k++) {
        snMeetMemo *memo = &world->meet->memos[k];
        bool its = memo->body[0] == body || memo->body[1] == body;
        bool finite = snIsFinite3(memo->impulse) && snIsFinite3(memo->carried);
        if (its && !(memo->tie && finite)) memo->impulse = memo->carried = snVec(0, 0, 0);
    }
}

void snWorld_Carry(snWorld *world, int body, const snAffine *motion)
{
    snBody *moved = world->bodies.data[body];
    snBody_Carry(moved, motion);
    snWorld_ForgetMeetings(world, body);
    snWorld_Wake(world, body);
    for (int i = 0; i < world->bodies.count; i++)
        if (world->bodies.data[i]->over == moved) {
            snBody_Carry(world->bodies.data[i], motion);
            snWorld_ForgetMeetings(world, i);
            snWorld_Wake(world, i);
        }
}

bool snWorld_Go(snWorld *world, int body, const snAffine *place, double felt)
{
    snBody *led = world->bodies.data[body];
    snAffine stands;
    if (!snBody_Go(led, NULL, &stands)) return false;
    if (!memcmp(&stands, place, sizeof stands)) return true;
    snAffine unfelt = snMulAA(snBlendAffine(stands, *place, 1 - felt), snInverseAffine(stands));
    if (felt < 1) snWorld_Carry(world, body, &unfelt);
    snWorld_Wake(world, body);
    return snBody_Go(led, place, &stands);
}
