#include "body/coat/coat_parts.h"

#include "core/error.h"

#include <string.h>

// How the links of a tree answer impulses of contacts.
//
// All contacts of a link push it by a wrench about its joint, so what the tree does is known from six columns per link that is
// touched: the changes of motion (A⁻¹ Jᵀ, at the links) by unit wrenches, found once per step with the factor that the step
// has anyway. After that a wrench w on link a changes the motion of link b by Λ_ba w, 36 products. Trees with very many links keep no
// such blocks, Λ would grow with their square; they answer by a solution of the tree each time.

#define MOST_DENSE 96 // links: Λ has 36 * 96² numbers, 2.7 MB

snStatus snCoatBody_ReserveAnswers(snCoatBody *b, snError *error)
{
    size_t n = (size_t)b->linkCount;
    snCoatAnswers *a = &b->answers;
    a->dense = b->linkCount <= MOST_DENSE;
    a->slot = SN_NEW(&b->arena, int, n);
    a->links = SN_NEW(&b->arena, int, n);
    a->change = SN_NEW(&b->arena, snSpatial, n);
    a->scratch = SN_NEW(&b->arena, snSpatial, n);
    a->blocks = a->dense ? SN_NEW(&b->arena, snSpatial, 6 * n * n) : NULL;
    bool made = a->slot && a->links && a->change && a->scratch && (a->blocks || !a->dense);
    return made ? SN_OK : snFailMemory(error);
}

void snCoatBody_ForgetTouched(snCoatBody *b)
{
    snCoatAnswers *a = &b->answers;
    a->count = 0;
    memset(a->slot, -1, (size_t)b->linkCount * sizeof *a->slot);
}

int snCoatBody_Touch(snCoatBody *b, int link)
{
    snCoatAnswers *a = &b->answers;
    if (a->slot[link] < 0) {
        a->links[a->count] = link;
        a->slot[link] = a->count++;
    }
    return a->slot[link];
}

void snCoatBody_PrepareAnswers(snCoatBody *b)
{
    snCoatAnswers *a = &b->answers;
    memset(a->change, 0, (size_t)a->count * sizeof *a->change);
    if (a->dense) snArticulated_Answers(b->tree, b->state, a->count, a->links, a->blocks);
}

void snCoatBody_Strike(snCoatBody *b, int slot, snSpatial wrench)
{
    snCoatAnswers *a = &b->answers;
    if (a->dense) {
        snCoatAnswers_Add(a, slot, wrench, 0, a->count, a->change);
        return;
    }
    snArticulated_Answer(b->tree, b->state, a->links[slot], wrench, a->scratch);
    for (int i = 0; i < a->count; i++)
        a->change[i] = snAddS(a->change[i], a->scratch[a->links[i]]);
}

void snCoatBody_AddAnswer(snCoatBody *b, int slot, snSpatial wrench, int at, snSpatial *motion)
{
    snCoatAnswers *a = &b->answers;
    if (a->dense) {
        snCoatAnswers_Add(a, slot, wrench, at, 1, motion);
        return;
    }
    snArticulated_Answer(b->tree, b->state, a->links[slot], wrench, a->scratch);
    *motion = snAddS(*motion, a->scratch[a->links[at]]);
}
