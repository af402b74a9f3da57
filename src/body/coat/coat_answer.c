#include "body/coat/coat_parts.h"

#include "core/error.h"

#include <string.h>

// How the links of a tree answer impulses of contacts.
//
// All contacts of a link push it by a wrench about its joint, so what the tree does is known from six columns per link that is
// touched: the changes of motion (A⁻¹ Jᵀ, at the links) by unit wrenches, found once per step with the factor that the step
// has anyway. After that a wrench w on link a changes the motion of link b by Λ_ba w, 36 products. Contacts of one link, or of
// two that touch each other, come one after another: these follow every impulse at once (`pending`), the others, by the sum,
// when another link is asked for. Trees with very many links keep no such blocks, Λ would grow with their square; they answer by a
// solution of the tree each time.

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
    a->pendingCount = 0;
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

static snSpatial unitWrench(int k)
{
    snVec3 unit = snVec(k % 3 == 0, k % 3 == 1, k % 3 == 2), none = {0, 0, 0};
    return k < 3 ? (snSpatial){unit, none} : (snSpatial){none, unit};
}

// Column k of the blocks of one link: the motions of all links that are touched, [count].
static snSpatial *columnOf(const snCoatAnswers *a, int slot, int k)
{
    return a->blocks + (6 * (size_t)slot + (size_t)k) * (size_t)a->count;
}

void snCoatBody_PrepareAnswers(snCoatBody *b)
{
    snCoatAnswers *a = &b->answers;
    memset(a->change, 0, (size_t)a->count * sizeof *a->change);
    for (int s = 0; s < a->count && a->dense; s++)
        for (int k = 0; k < 6; k++) {
            snSpatial *column = columnOf(a, s, k);
            snArticulated_Answer(b->tree, b->state, a->links[s], unitWrench(k), a->scratch);
            for (int i = 0; i < a->count; i++)
                column[i] = a->scratch[a->links[i]];
        }
}

// to += Σ_k w_k column_k, over `count` links; columns are `stride` links apart.
static void addColumns(const snSpatial *column, int stride, snSpatial w, int count, snSpatial *to)
{
    const double *c0 = &column->turn.x, *c1 = c0 + 6 * (size_t)stride,
                 *c2 = c1 + 6 * (size_t)stride, *c3 = c2 + 6 * (size_t)stride,
                 *c4 = c3 + 6 * (size_t)stride, *c5 = c4 + 6 * (size_t)stride;
    double *out = &to->turn.x;
    for (int i = 0; i < 6 * count; i++)
        out[i] += w.turn.x * c0[i] + w.turn.y * c1[i] + w.turn.z * c2[i] + w.move.x * c3[i] +
                  w.move.y * c4[i] + w.move.z * c5[i];
}

static void addAnswer(const snCoatAnswers *a, int slot, snSpatial wrench, int at)
{
    addColumns(columnOf(a, slot, 0) + at, a->count, wrench, 1, &a->change[at]);
}

static void passOn(snCoatAnswers *a)
{
    snSpatial own[2] = {{{0, 0, 0}, {0, 0, 0}},
                        {{0, 0, 0}, {0, 0, 0}}}; // they have followed already
    for (int k = 0; k < a->pendingCount; k++)
        own[k] = a->change[a->pending[k]];
    for (int k = 0; k < a->pendingCount; k++)
        addColumns(columnOf(a, a->pending[k], 0), a->count, a->waiting[k], a->count, a->change);
    for (int k = 0; k < a->pendingCount; k++)
        a->change[a->pending[k]] = own[k];
    a->pendingCount = 0;
}

// The place of a link among those that follow every impulse.
static int admit(snCoatAnswers *a, int slot)
{
    for (int k = 0; k < a->pendingCount; k++)
        if (a->pending[k] == slot) return k;
    if (a->pendingCount == 2) passOn(a);
    for (int k = 0; k < a->pendingCount; k++)
        addAnswer(a, a->pending[k], a->waiting[k], slot);
    a->pending[a->pendingCount] = slot;
    a->waiting[a->pendingCount] = (snSpatial){{0, 0, 0}, {0, 0, 0}};
    return a->pendingCount++;
}

void snCoatBody_Strike(snCoatBody *b, int slot, snSpatial wrench)
{
    snCoatAnswers *a = &b->answers;
    if (!a->dense) {
        snArticulated_Answer(b->tree, b->state, a->links[slot], wrench, a->scratch);
        for (int i = 0; i < a->count; i++)
            a->change[i] = snAddS(a->change[i], a->scratch[a->links[i]]);
        return;
    }
    int place = admit(a, slot);
    a->waiting[place] = snAddS(a->waiting[place], wrench);
    for (int k = 0; k < a->pendingCount; k++)
        addAnswer(a, slot, wrench, a->pending[k]);
}

snSpatial snCoatBody_Change(snCoatBody *b, int slot)
{
    if (b->answers.dense) admit(&b->answers, slot);
    return b->answers.change[slot];
}

snSpatial snCoatBody_Answer(snCoatBody *b, int slot, snSpatial wrench, int at)
{
    snCoatAnswers *a = &b->answers;
    snSpatial motion = {{0, 0, 0}, {0, 0, 0}};
    if (a->dense) {
        addColumns(columnOf(a, slot, 0) + at, a->count, wrench, 1, &motion);
        return motion;
    }
    snArticulated_Answer(b->tree, b->state, a->links[slot], wrench, a->scratch);
    return a->scratch[a->links[at]];
}
