#include "skeleton/strength.h"

#include "core/error.h"

#include <math.h>

#define LIFTED 2.0 // Hz: a hand as strong as that takes all of the weight
#define MOST 1e3   // Hz, and factors

snStrength snDefaultStrength(void)
{
    return (snStrength){.strength = 8, .damping = 3, .hand = 8};
}

static bool isGood(double value)
{
    return value >= 0 && value <= MOST;
}

snStatus snStrength_Check(const snStrength *s, snError *error)
{
    if (!isGood(s->strength) || !isGood(s->damping) || !isGood(s->hand))
        return snFail(error, SN_ERROR_ARGUMENT,
                      "strength %g Hz, damping %g 1/s and a hand of %g Hz: none may be below 0, or "
                      "above %g",
                      s->strength, s->damping, s->hand, MOST);
    for (int k = 0; k < s->keyCount; k++) {
        const snStrengthKey *key = &s->keys[k];
        bool late = isfinite(key->time) && (k == 0 || key->time > key[-1].time);
        if (!late || !isGood(key->strength) || !isGood(key->hand))
            return snFail(error, SN_ERROR_ARGUMENT,
                          "key %d of a skeleton's strength is at %g s with %g and %g; times "
                          "ascend, and factors are not below 0",
                          k, key->time, key->strength, key->hand);
    }
    return SN_OK;
}

snStatus snStrength_Copy(snStrength *copy, const snStrength *s, int joints, snArena *arena,
                         snError *error)
{
    *copy = *s;
    copy->keys = SN_COPY(arena, snStrengthKey, s->keys, s->keyCount);
    copy->strengths = s->strengths ? SN_COPY(arena, double, s->strengths, joints) : NULL;
    copy->swings = s->swings ? SN_COPY(arena, double, s->swings, joints) : NULL;
    copy->twists = s->twists ? SN_COPY(arena, double, s->twists, joints) : NULL;
    bool good = copy->keys && (!s->strengths || copy->strengths) && (!s->swings || copy->swings) &&
                (!s->twists || copy->twists);
    return good ? SN_OK : snFailMemory(error);
}

snStrengthKey snStrength_At(const snStrength *s, double time)
{
    int next = 0;
    while (next < s->keyCount && s->keys[next].time <= time)
        next++;
    if (s->keyCount == 0) return (snStrengthKey){time, 1, 1};
    if (next == 0 || next == s->keyCount) return s->keys[next ? next - 1 : 0];
    const snStrengthKey *a = &s->keys[next - 1], *z = &s->keys[next];
    double u = (time - a->time) / (z->time - a->time);
    return (snStrengthKey){time, a->strength + u * (z->strength - a->strength),
                           a->hand + u * (z->hand - a->hand)};
}

double snStrength_Lifted(double hand)
{
    return hand < LIFTED ? hand / LIFTED : 1;
}
