#include "character/substance.h"

#include <stddef.h>
#include <string.h>

// By eye, around flesh. Horn is a thousand times as stiff as flesh: 3.5 Hz times the root of 1000.
static const snSubstance substances[] = {
    {"flesh", SN_FLESH_WOBBLE, SN_FLESH_DAMPING, SN_FLESH_POISSON, "what everything is by itself"},
    {"fat", 2.2, 2.5, 0.45, "soft and slow: bellies, cheeks"},
    {"muscle", 7, 4, 0.45, "firm: swings die at once"},
    {"ear", 5, 3, 0.35, "cartilage under skin: light and springy"},
    {"horn", 110.7, 10, 0.3, "a thousand times as stiff as flesh: does not visibly deform"},
    {"rubber", 6, 0.6, 0.45, "firm, and rings on"},
    {"jelly", 1.6, 0.9, 0.45, "soft, and rings on"},
};

static const snFeel feels[] = {
    {"natural", 1, 1, 1, "as living things are"},
    {"subtle", 1.4, 1.5, 0.8, "only a hint of motion"},
    {"cartoon", 0.75, 0.6, 1.2, "slow, wide and long"},
};

const snSubstance *snSubstances(int *count)
{
    *count = (int)(sizeof substances / sizeof *substances);
    return substances;
}

const snSubstance *snSubstance_Find(const char *name)
{
    for (size_t i = 0; i < sizeof substances / sizeof *substances; i++)
        if (!strcmp(substances[i].name, name)) return &substances[i];
    return NULL;
}

double snSubstance_Stiffness(const snSubstance *substance)
{
    double ratio = substance->wobble / SN_FLESH_WOBBLE;
    return ratio * ratio;
}

const snFeel *snFeels(int *count)
{
    *count = (int)(sizeof feels / sizeof *feels);
    return feels;
}

const snFeel *snFeel_Find(const char *name)
{
    for (size_t i = 0; i < sizeof feels / sizeof *feels; i++)
        if (!strcmp(feels[i].name, name)) return &feels[i];
    return NULL;
}
