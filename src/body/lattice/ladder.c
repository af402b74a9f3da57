#include "body/lattice/ladder.h"

#include "core/elementary.h"
#include "core/error.h"

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

snStatus snLadder_CheckLengths(int count, const int *lengths, snError *error)
{
    if (count < 0 || count > SN_LADDER_LENGTHS)
        return snFail(error, SN_ERROR_ARGUMENT, "%d lengths of steps; there can be %d", count,
                      SN_LADDER_LENGTHS);
    for (int i = 0; i < count; i++)
        if (lengths[i] <= (i ? lengths[i - 1] : 0) || lengths[i] > SN_LADDER_TICKS ||
            (i == 0 && lengths[i] != 1))
            return snFail(error, SN_ERROR_ARGUMENT,
                          "length %d of a step is %d ticks; lengths begin with 1 and ascend, to %d "
                          "at most",
                          i, lengths[i], SN_LADDER_TICKS);
    return SN_OK;
}

static snStatus check(const snLadderDef *def, snError *error)
{
    if (!(def->softest >= SN_LADDER_LEAST && def->softest <= def->stiffest &&
          def->stiffest <= SN_LADDER_MOST))
        return snFail(error, SN_ERROR_ARGUMENT,
                      "stiffness is to go from %g to %g times what it is; %g to %g are possible",
                      def->softest, def->stiffest, SN_LADDER_LEAST, SN_LADDER_MOST);
    if (def->base->detail)
        return snFail(error, SN_ERROR_UNSUPPORTED,
                      "stiffness and steps that change do not go with levels of detail; leave out "
                      "one");
    return snLadder_CheckLengths(def->lengthCount, def->lengths, error);
}

static snStatus buildRung(snLadder *ladder, const snLadderDef *def, int number, double *young,
                          const snContext *context, snError *error)
{
    snLatticeModelDef model = *def->def;
    int rung = number % ladder->count;
    double factor = factorOf(ladder, rung);
    for (int c = 0; c < model.lattice->cellCount; c++)
        young[c] = def->def->young[c] * factor;
    model.young = young;
    model.step = def->base->def.step * ladder->lengths[number / ladder->count];
    snRungDef rungDef = {def->base, &model, factor};
    return snLatticeModel_BuildRung(&ladder->models[number], &rungDef, context, error);
}

// The base itself is not among the models.
static bool isBase(const snLadder *ladder, int number)
{
    return ladder->first + number % ladder->count == 0 &&
           ladder->lengths[number / ladder->count] == 1;
}

static snStatus build(snLadder *ladder, const snLadderDef *def, const snContext *context,
                      snError *error)
{
    static const int one = 1;
    snArena scratch = snMakeArena(context);
    double *young = SN_NEW(&scratch, double, def->def->lattice->cellCount);
    ladder->lengthCount = def->lengthCount ? def->lengthCount : 1;
    ladder->lengths =
        SN_COPY(&ladder->arena, int, def->lengthCount ? def->lengths : &one, ladder->lengthCount);
    ladder->perOctave = ladder->base->linear ? 8 : ladder->lengthCount > 1 ? 1 : 2;
    ladder->first = nearest(def->softest, ladder->perOctave);
    ladder->count = nearest(def->stiffest, ladder->perOctave) - ladder->first + 1;
    int all = ladder->count * ladder->lengthCount;
    ladder->models = SN_NEW(&ladder->arena, snLatticeModel *, all);
    snStatus status = young && ladder->models && ladder->lengths ? SN_OK : snFailMemory(error);
    for (int i = 0; i < all && !status; i++)
        if (!isBase(ladder, i)) status = buildRung(ladder, def, i, young, context, error);
    snArena_Destroy(&scratch);
    return status;
}

snStatus snLadder_Make(snLadder **out, const snLadderDef *def, const snContext *context,
                       snError *error)
{
    *out = NULL;
    snStatus status = check(def, error);
    if (status) return status;
    snArena arena = snMakeArena(context);
    snLadder *ladder = SN_NEW(&arena, snLadder, 1);
    if (!ladder) return snFailMemory(error);
    ladder->arena = arena;
    ladder->base = def->base;
    status = build(ladder, def, context, error);
    if (status)
        snLadder_Destroy(ladder);
    else
        *out = ladder;
    return status;
}

snStatus snLadder_Build(snLadder **out, const snLatticeModel *base, const snLatticeModelDef *def,
                        double softest, double stiffest, const snContext *context, snError *error)
{
    snLadderDef all = {.base = base, .def = def, .softest = softest, .stiffest = stiffest};
    return snLadder_Make(out, &all, context, error);
}

void snLadder_Destroy(snLadder *ladder)
{
    if (!ladder) return;
    for (int i = 0; i < ladder->count * ladder->lengthCount && ladder->models; i++)
        snLatticeModel_Destroy(ladder->models[i]);
    snArena_DestroyWithin(&ladder->arena);
}

const snLatticeModel *snLadder_Find(const snLadder *ladder, double factor, int ticks, double *rest)
{
    int rung = nearest(factor, ladder->perOctave) - ladder->first, length = 0;
    rung = rung < 0 ? 0 : rung < ladder->count ? rung : ladder->count - 1;
    while (length + 1 < ladder->lengthCount && ladder->lengths[length + 1] <= ticks)
        length++;
    double own = factorOf(ladder, rung);
    *rest = factor == own ? 1 : factor / own;
    const snLatticeModel *model = ladder->models[length * ladder->count + rung];
    return model ? model : ladder->base;
}

const snLatticeModel *snLadder_At(const snLadder *ladder, double factor, double *rest)
{
    return snLadder_Find(ladder, factor, 1, rest);
}
