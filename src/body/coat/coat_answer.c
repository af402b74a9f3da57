#include "body/coat/coat_parts.h"

#include "core/error.h"
#include "core/simd.h"

#include <string.h>

// How the links of a tree answer impulses of contacts.
//
// All contacts of a link push it by a wrench about its joint, so what the tree does is known from six columns per link that is
// touched: the changes of motion (A⁻¹ Jᵀ, at the links) by unit wrenches, found once per step with the factor that the step
// has anyway. After that a wrench w on link a changes the motion of link b by Λ_ba w, 36 products. Trees with very many links keep no
// such blocks, Λ would grow with their square; they answer by a solution of the tree each time.

#define MOST_DENSE 96 // links: Λ has 48 * 96² numbers, 3.5 MB

SN_DECLARE_VARIANTS(const snCoatSweepKernels, snCoatSweepKernels);

const snCoatSweepKernels *snChooseCoatSweep(void)
{
    return SN_CHOOSE(&snCoatSweepKernels);
}

snStatus snCoatBody_ReserveAnswers(snCoatBody *b, snError *error)
{
    size_t n = (size_t)b->linkCount;
    snCoatAnswers *a = &b->answers;
    a->dense = b->linkCount <= MOST_DENSE;
    a->kernels = snChooseCoatSweep();
    a->slot = SN_NEW(&b->arena, int, n);
    a->links = SN_NEW(&b->arena, int, n);
    a->change = SN_NEW(&b->arena, snSpatialRow, n);
    a->scratch = SN_NEW(&b->arena, snSpatial, n);
    a->blocks = a->dense ? SN_NEW(&b->arena, snSpatialRow, 6 * n * n) : NULL;
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
        a->kernels->answer(snCoatAnswers_At(a, slot, 0), a->count, wrench, a->change);
        return;
    }
    snArticulated_Answer(b->tree, b->state, a->links[slot], wrench, a->scratch);
    for (int i = 0; i < a->count; i++)
        a->change[i].motion = snAddS(a->change[i].motion, a->scratch[a->links[i]]);
}

void snCoatBody_AddAnswer(snCoatBody *b, int slot, snSpatial wrench, int at, snSpatial *motion)
{
    snCoatAnswers *a = &b->answers;
    if (a->dense) {
        snSpatialRow by = {0};
        a->kernels->answer(snCoatAnswers_At(a, slot, at), 1, wrench, &by);
        *motion = snAddS(*motion, by.motion);
        return;
    }
    snArticulated_Answer(b->tree, b->state, a->links[slot], wrench, a->scratch);
    *motion = snAddS(*motion, a->scratch[a->links[at]]);
}
