#include "bake/keys.h"

#include "core/elementary.h"
#include "core/error.h"

#define NONE 1e-9 // an amount that rounding leaves of none

// ---- one track ----------------------------------------------------------------------------------------

double snKeyTrack_At(const snKeyTrack *track, double time)
{
    const double *t = track->times, *v = track->values;
    int last = track->count - 1, k = 0;
    if (!(time > t[0])) return v[0];
    if (time >= t[last]) return v[last];
    while (time >= t[k + 1])
        k++;
    double u = (time - t[k]) / (t[k + 1] - t[k]);
    if (track->smooth) u = u * u * (3 - 2 * u);
    if (track->what == SN_KEYED_STIFFNESS && v[k] != v[k + 1])
        return snExp((1 - u) * snLn(v[k]) + u * snLn(v[k + 1]));
    return (1 - u) * v[k] + u * v[k + 1];
}

static snStatus checkTrack(const snKeyTrack *track, snError *error)
{
    bool stiffness = track->what == SN_KEYED_STIFFNESS;
    double low = stiffness ? SN_KEYED_SOFTEST : 0, high = stiffness ? SN_KEYED_STIFFEST : 10;
    const char *name = stiffness ? "stiffness" : "amount";
    if (track->count < 1) return snFail(error, SN_ERROR_ARGUMENT, "%s has no keys", name);
    if (stiffness && track->part)
        return snFail(error, SN_ERROR_ARGUMENT,
                      "stiffness is keyed for the whole body, not for \"%.60s\" alone",
                      track->part);
    for (int k = 0; k < track->count; k++) {
        if (!(track->values[k] >= low && track->values[k] <= high))
            return snFail(error, SN_ERROR_ARGUMENT, "key %d of %s is %g; it must be %g to %g", k,
                          name, track->values[k], low, high);
        if (!isfinite(track->times[k]) || (k && !(track->times[k] > track->times[k - 1])))
            return snFail(error, SN_ERROR_ARGUMENT,
                          "key %d of %s, at %g s, is not behind the one before it", k, name,
                          track->times[k]);
    }
    return SN_OK;
}

// ---- all of them --------------------------------------------------------------------------------------

// Which joints a track is about: of a part, those that carry skin.
static snStatus coverJoints(snKeys *keys, int number, snArena *arena, snError *error)
{
    const snKeyTrack *track = &keys->tracks[number];
    const snFlesh *flesh = keys->flesh;
    int joints = flesh->character->skeleton.jointCount;
    unsigned char *in = keys->covers + (size_t)number * (size_t)joints;
    if (!track->part) {
        for (int j = 0; j < joints; j++)
            in[j] = 1;
        return SN_OK;
    }
    // A rule that says nothing fails as one that does where its part is not there.
    snFleshRule rule = {.part = track->part};
    snFleshRulesDef def = snFlesh_RulesDef(flesh, flesh->used);
    snJointFlesh *made = SN_NEW(arena, snJointFlesh, joints);
    if (!made) return snFailMemory(error);
    def.ruleCount = 1;
    def.rules = &rule;
    snStatus status = snFleshRules_Resolve(&def, made, arena, error);
    if (!status) snSkeleton_FindPart(&flesh->character->skeleton, track->part, in);
    return status;
}

static void widen(snKeys *keys, const snKeyTrack *track)
{
    if (track->what != SN_KEYED_STIFFNESS) return;
    keys->scales = true;
    for (int k = 0; k < track->count; k++) {
        keys->softest = fmin(keys->softest, track->values[k]);
        keys->stiffest = fmax(keys->stiffest, track->values[k]);
    }
}

snStatus snKeys_Make(snKeys *keys, const snFlesh *flesh, const snKeyTrack *tracks, int count,
                     snArena *arena, snError *error)
{
    int joints = flesh->character->skeleton.jointCount;
    *keys = (snKeys){.flesh = flesh, .count = count, .tracks = tracks, .softest = 1, .stiffest = 1};
    keys->covers = SN_NEW(arena, unsigned char, (size_t)count *(size_t)joints);
    keys->amounts = SN_NEW(arena, double, joints);
    if (!keys->covers || !keys->amounts) return snFailMemory(error);
    snStatus status = SN_OK;
    for (int i = 0; i < count && !status; i++) {
        status = checkTrack(&tracks[i], error);
        if (!status) status = coverJoints(keys, i, arena, error);
        if (!status) widen(keys, &tracks[i]);
    }
    return status;
}

double snKeys_Stiffness(const snKeys *keys, int clip, double time)
{
    double factor = 1;
    for (int i = 0; i < keys->count; i++) {
        const snKeyTrack *track = &keys->tracks[i];
        bool meant = track->clip < 0 || track->clip == clip;
        if (track->what == SN_KEYED_STIFFNESS && meant) factor = snKeyTrack_At(track, time);
    }
    return factor;
}

bool snKeys_Amounts(snKeys *keys, int clip, double time)
{
    int joints = keys->flesh->character->skeleton.jointCount;
    bool any = false;
    for (int j = 0; j < joints; j++)
        keys->amounts[j] = 1;
    for (int i = 0; i < keys->count; i++) {
        const snKeyTrack *track = &keys->tracks[i];
        const unsigned char *in = keys->covers + (size_t)i * (size_t)joints;
        if (track->what != SN_KEYED_AMOUNT || (track->clip >= 0 && track->clip != clip)) continue;
        double amount = snKeyTrack_At(track, time);
        for (int j = 0; j < joints; j++)
            if (in[j]) keys->amounts[j] = amount;
    }
    for (int j = 0; j < joints; j++)
        any |= keys->amounts[j] != 1;
    return any;
}

static double amountOf(const snKeys *keys, const snWeightRows *rows, int row)
{
    double sum = 0, weight = 0;
    for (int k = rows->start[row]; k < rows->start[row + 1]; k++) {
        sum += rows->weight[k] * keys->amounts[rows->column[k]];
        weight += rows->weight[k];
    }
    return weight > 0 ? sum / weight : 1;
}

void snKeys_HoldVertices(const snKeys *keys, double *share)
{
    const snLatticeModel *model = keys->flesh->model;
    for (int i = 0; i < model->vertexCount; i++)
        if (amountOf(keys, &model->skin, i) < NONE) share[i] = 0;
}

void snKeys_FadePoints(const snKeys *keys, const snVec3f *rig, snVec3f *soft)
{
    for (int v = 0; v < keys->flesh->character->vertexCount; v++) {
        double a = amountOf(keys, &keys->flesh->skin, v);
        if (a == 1) continue;
        snVec3 p = snFromF(rig[v]);
        soft[v] = a < NONE ? rig[v] : snToF(snMulAdd(p, a, snSub(snFromF(soft[v]), p)));
    }
}
