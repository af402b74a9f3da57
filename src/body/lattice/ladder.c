#include "body/lattice/ladder.h"

#include "body/lattice/space.h"
#include "body/lattice/turned.h"
#include "core/elementary.h"
#include "core/error.h"

#include <string.h>

#define LN2 0.693147180559945309417

static double factorOf(const snLadder *ladder, int rung)
{
    int k = ladder->first + rung, octaves = k / ladder->perOctave, left = k % ladder->perOctave;
    double factor = left ? snExp(LN2 * left / ladder->perOctave) : 1;
    for (; octaves > 0; octaves--)
        factor *= 2;
    for (; octaves < 0; octaves++)
        factor *= 0.5;
    return factor;
}

// The number of the nearest rung by logarithms, from -∞ to ∞.
static int nearest(double factor, int perOctave)
{
    return (int)floor(snLn(factor) / LN2 * perOctave + 0.5);
}

static bool sameFunctions(const snSpace *a, const snSpace *b)
{
    return a->functionCount == b->functionCount &&
           !memcmp(a->indexOf, b->indexOf, (size_t)a->functionCount * sizeof *a->indexOf);
}

static bool sameOrder(const snLatticeModel *a, const snLatticeModel *b)
{
    int n = a->lattice.vertexCount;
    return (!a->space || sameFunctions(a->space, b->space)) && a->vertexCount == b->vertexCount &&
           a->freeCount == b->freeCount && !a->turned == !b->turned &&
           (!a->turned || a->turned->count == b->turned->count) &&
           !memcmp(a->indexOf, b->indexOf, (size_t)n * sizeof *a->indexOf);
}

static snStatus buildRung(snLadder *ladder, int rung, const snLatticeModelDef *base, double *young,
                          const snContext *context, snError *error)
{
    snLatticeModelDef def = *base;
    double factor = factorOf(ladder, rung);
    for (int c = 0; c < def.lattice->cellCount; c++)
        young[c] = base->young[c] * factor;
    def.young = young;
    def.like = ladder->base;
    snStatus status = snLatticeModel_Build(&ladder->models[rung], &def, context, error);
    if (!status && !sameOrder(ladder->base, ladder->models[rung]))
        status =
            snFail(error, SN_ERROR_NUMERIC, "a body %g times as stiff has another order", factor);
    return status;
}

static snStatus check(const snLatticeModel *base, double softest, double stiffest, snError *error)
{
    if (!(softest >= SN_LADDER_LEAST && softest <= stiffest && stiffest <= SN_LADDER_MOST))
        return snFail(error, SN_ERROR_ARGUMENT,
                      "stiffness is to go from %g to %g times what it is; %g to %g are possible",
                      softest, stiffest, SN_LADDER_LEAST, SN_LADDER_MOST);
    if (base->detail)
        return snFail(error, SN_ERROR_UNSUPPORTED,
                      "stiffness that changes does not go with levels of detail; leave out one");
    return SN_OK;
}

static snStatus build(snLadder *ladder, const snLatticeModelDef *def, double softest,
                      double stiffest, const snContext *context, snError *error)
{
    snArena scratch = snMakeArena(context);
    double *young = SN_NEW(&scratch, double, def->lattice->cellCount);
    ladder->perOctave = ladder->base->linear ? 8 : 2;
    ladder->first = nearest(softest, ladder->perOctave);
    ladder->count = nearest(stiffest, ladder->perOctave) - ladder->first + 1;
    ladder->models = SN_NEW(&ladder->arena, snLatticeModel *, ladder->count);
    snStatus status = young && ladder->models ? SN_OK : snFailMemory(error);
    for (int i = 0; i < ladder->count && !status; i++)
        if (ladder->first + i != 0) status = buildRung(ladder, i, def, young, context, error);
    snArena_Destroy(&scratch);
    return status;
}

snStatus snLadder_Build(snLadder **out, const snLatticeModel *base, const snLatticeModelDef *def,
                        double softest, double stiffest, const snContext *context, snError *error)
{
    *out = NULL;
    snStatus status = check(base, softest, stiffest, error);
    if (status) return status;
    snArena arena = snMakeArena(context);
    snLadder *ladder = SN_NEW(&arena, snLadder, 1);
    if (!ladder) return snFailMemory(error);
    ladder->arena = arena;
    ladder->base = base;
    status = build(ladder, def, softest, stiffest, context, error);
    if (status)
        snLadder_Destroy(ladder);
    else
        *out = ladder;
    return status;
}

void snLadder_Destroy(snLadder *ladder)
{
    if (!ladder) return;
    for (int i = 0; i < ladder->count && ladder->models; i++)
        snLatticeModel_Destroy(ladder->models[i]);
    snArena arena = ladder->arena; // the ladder itself lives in it
    snArena_Destroy(&arena);
}

const snLatticeModel *snLadder_At(const snLadder *ladder, double factor, double *rest)
{
    int rung = nearest(factor, ladder->perOctave) - ladder->first;
    rung = rung < 0 ? 0 : rung < ladder->count ? rung : ladder->count - 1;
    double own = factorOf(ladder, rung);
    *rest = factor == own ? 1 : factor / own;
    return ladder->models[rung] ? ladder->models[rung] : ladder->base;
}
