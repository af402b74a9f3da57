#include "body/lattice/adapt.h"

#include "body/lattice/detail.h"
#include "body/lattice/space_levels.h"

#include <string.h>

snAdaptDef snDefaultAdaptDef(void)
{
    snAdaptDef def = {.least = 1e-4, .mostChanges = 16};
    for (int level = 0; level < SN_DETAIL_LEVELS; level++) {
        def.refine[level] = 0.15 * (1 << level);
        def.coarsen[level] = 0.05 * (1 << level);
    }
    return def;
}

static const snAdaptKind *kindOf(const snLatticeModel *model)
{
    if (model->detail) return &snDetailAdaptKind;
    return snLatticeModel_Fine(model) ? &snSpaceAdaptKind : NULL;
}

static void clearSlot(const snLatticeModel *model, snLatticeState *state, int slot)
{
    size_t at = 4 * (size_t)(snLatticeModel_Fine(model)->first + slot);
    memset(snLatticeState_Values(model, state) + at, 0, 4 * sizeof(double));
    memset(snLatticeState_Rates(model, state) + at, 0, 4 * sizeof(double));
}

// The functions that want to act most; counts all that want to.
static int findCandidates(const snLatticeModel *model, const snLatticeState *state,
                          const snAdaptDef *def, int most, snCandidate *list, int *wanted)
{
    const snAdaptKind *kind = kindOf(model);
    int count = 0;
    for (int f = 0; f < snLatticeModel_Fine(model)->count; f++) {
        if (state->active.slotOf[f] >= 0) continue;
        double measure = kind->want(model, state, def, f);
        if (!(measure >= 0)) continue;
        ++*wanted;
        count = snCandidate_Insert(list, count, most, (snCandidate){f, measure});
    }
    return count;
}

snAdaptReport snLattice_Adapt(const snLatticeModel *model, snLatticeState *state,
                              const snAdaptDef *def)
{
    const snAdaptKind *kind = kindOf(model);
    snAdaptReport report = {0};
    snCandidate list[SN_MOST_CHANGES];
    if (!kind || def->mostChanges < 0) return report;
    int most = def->mostChanges < SN_MOST_CHANGES ? def->mostChanges : SN_MOST_CHANGES;
    report.active = *state->active.count;
    if (!kind->look(model, state, def)) return report;
    for (int place = *state->active.count - 1; place >= 0 && report.removed < most; place--)
        if (kind->mayGo(model, state, def, place)) {
            clearSlot(model, state, snActive_Drop(model, state, place));
            report.removed++;
        }
    int count = findCandidates(model, state, def, most - report.removed, list, &report.wanted);
    for (int i = 0; i < count; i++) {
        int slot = snActive_Add(model, state, list[i].function);
        if (slot >= 0) clearSlot(model, state, slot);
        report.added += slot >= 0;
    }
    report.wanted -= report.added;
    report.active = *state->active.count;
    if (report.added || report.removed) kind->settle(model, state);
    if (model->space) *state->space.wait = report.added || def->every < 1 ? 0 : def->every - 1;
    return report;
}
