#include "world/pace.h"

#include "core/error.h"

#define PATIENCE 24             // steps before one is taken that is shorter
#define CATCH_UP 16             // steps in which lag is made up for
#define LONGEST (1 << 20)       // ticks
#define SEEN 4                  // steps at a level before it is judged
#define DEARER 4096             // 1024ths: as long as it was not seen
#define DEAREST (64 * 1024)     //
#define MOST ((int64_t)1 << 50) // µs, of a duration

snPaceDef snDefaultPaceDef(void)
{
    return (snPaceDef){.step = 1.0 / 120, .ratio = 1, .mostLag = 250000};
}

snStatus snPace_Begin(snPace *pace, const snPaceDef *def, snError *error)
{
    *pace = (snPace){.lengthCount = def->lengthCount ? def->lengthCount : 1,
                     .levelCount = def->levelCount ? def->levelCount : 1,
                     .lengths = {1}};
    if (!(def->ratio >= 1e-3 && def->ratio <= 1e3))
        return snFail(error, SN_ERROR_ARGUMENT,
                      "a ratio of %g simulated seconds to one of the clock; it must be between "
                      "0.001 and 1000",
                      def->ratio);
    if (def->levelCount < 0 || def->levelCount > SN_PACE_LEVELS)
        return snFail(error, SN_ERROR_ARGUMENT, "%d levels of detail; there can be %d",
                      def->levelCount, SN_PACE_LEVELS);
    for (int k = 0; k < SN_PACE_LEVELS; k++)
        pace->dearer[k] = DEARER;
    if (!(def->step >= 1e-6 && def->step <= 3600) || def->mostLag < 0 || def->mostLag > MOST)
        return snFail(
            error, SN_ERROR_ARGUMENT,
            "a pace for steps of %g s and a lag of %lld µs at most; steps must be between "
            "1e-6 and 3600 s",
            def->step, (long long)def->mostLag);
    if (def->lengthCount < 0 || def->lengthCount > SN_WORLD_LENGTHS)
        return snFail(error, SN_ERROR_ARGUMENT, "%d lengths of steps; there can be %d",
                      def->lengthCount, SN_WORLD_LENGTHS);
    for (int i = 0; i < def->lengthCount; i++) {
        int least = i ? def->lengths[i - 1] + 1 : 1;
        if (def->lengths[i] < least || (i == 0 && def->lengths[i] != 1) ||
            def->lengths[i] > LONGEST)
            return snFail(error, SN_ERROR_ARGUMENT,
                          "length %d of a step is %d ticks; lengths begin with 1 and ascend", i,
                          def->lengths[i]);
        pace->lengths[i] = def->lengths[i];
    }
    pace->ownTick = (int64_t)(def->step * 1e9 + 0.5);
    pace->tick = (int64_t)(def->step / def->ratio * 1e9 + 0.5);
    if (pace->tick < 1) pace->tick = 1;
    pace->mostLag = def->mostLag;
    return SN_OK;
}

int snPace_Next(const snPace *pace)
{
    return pace->lengths[pace->length];
}

int snPace_Level(const snPace *pace)
{
    return pace->level;
}

int64_t snPace_Wait(const snPace *pace)
{
    return pace->lag < 0 ? -pace->lag / 1000 : 0;
}

// Of the last durations, µs; of an even number the longer one of the two in the middle.
static int64_t median(const snPace *pace)
{
    int64_t sorted[SN_PACE_MEMORY];
    int count = pace->told < SN_PACE_MEMORY ? pace->told : SN_PACE_MEMORY;
    for (int i = 0; i < count; i++) {
        int k = i;
        for (; k > 0 && sorted[k - 1] > pace->durations[i]; k--)
            sorted[k] = sorted[k - 1];
        sorted[k] = pace->durations[i];
    }
    return count ? sorted[count / 2] : 0;
}

static int64_t span(const snPace *pace, int length)
{
    return pace->tick * pace->lengths[length]; // ns
}

// Lag beyond the most is not made up for.
static void giveUp(snPace *pace)
{
    int64_t most = pace->mostLag * 1000;
    if (pace->lag > most) {
        pace->lost += (pace->lag - most) / 1000;
        pace->lag = most;
        pace->stretches += !pace->behind;
        pace->behind = true;
    } else if (2 * pace->lag <= most) {
        pace->behind = false;
    }
}

// ns that a step has to cover if it takes so many µs.
static int64_t needOf(const snPace *pace, int64_t took)
{
    int64_t late = pace->lag - span(pace, pace->length);
    return 1000 * took / 8 * 9 + (late > 0 ? late / CATCH_UP : 0);
}

static int64_t timesDearer(int64_t finer, int64_t coarser)
{
    int64_t ratio = 1024 * finer / (coarser > 0 ? coarser : 1);
    return ratio < 1024 ? 1024 : ratio > DEAREST ? DEAREST : ratio;
}

// The middle one of the last three: what steps take now, though one of them be slow.
static int64_t latest(const snPace *pace)
{
    int64_t d[3];
    for (int k = 0; k < 3; k++)
        d[k] = pace->durations[(pace->told + 2 * SN_PACE_MEMORY - 1 - k) % SN_PACE_MEMORY];
    int64_t low = d[0] < d[1] ? d[0] : d[1], high = d[0] < d[1] ? d[1] : d[0];
    return d[2] < low ? low : d[2] > high ? high : d[2];
}

static void goToLevel(snPace *pace, int level)
{
    pace->left = latest(pace);
    pace->fromFiner = level > pace->level;
    pace->level = level;
    pace->levelChanges++;
    pace->told = 0; // what steps took at the other one says nothing
    pace->spare = 0;
}

// Whether there was something to decide about levels: lengths are left alone then.
static bool chooseLevel(snPace *pace)
{
    if (pace->levelCount < 2) return false;
    if (pace->told < SEEN) return true;
    int64_t took = median(pace);
    if (pace->told == SEEN && pace->left > 0) {
        int coarser = pace->fromFiner ? pace->level : pace->level + 1;
        pace->dearer[coarser] =
            pace->fromFiner ? timesDearer(pace->left, took) : timesDearer(took, pace->left);
        pace->left = 0;
    }
    bool tooLong = span(pace, pace->length) < needOf(pace, took);
    if (tooLong && pace->level < pace->levelCount - 1) {
        goToLevel(pace, pace->level + 1);
        return true;
    }
    if (tooLong || pace->length > 0 || pace->level == 0) return false;
    int64_t finer = needOf(pace, took * pace->dearer[pace->level] / 1024);
    pace->spare = 4 * (finer / 3) <= span(pace, 0) ? pace->spare + 1 : 0;
    if (pace->spare >= PATIENCE) goToLevel(pace, pace->level - 1);
    return true;
}

static void choose(snPace *pace)
{
    if (chooseLevel(pace)) return;
    int64_t need = needOf(pace, median(pace));
    int before = pace->length;
    while (pace->length < pace->lengthCount - 1 && span(pace, pace->length) < need)
        pace->length++;
    bool spare = before > 0 && pace->length == before && 4 * (need / 3) <= span(pace, before - 1);
    pace->spare = spare ? pace->spare + 1 : 0;
    if (pace->spare >= PATIENCE) {
        pace->length--;
        pace->spare = 0;
    }
    pace->changes += pace->length != before;
}

static int64_t within(int64_t duration)
{
    return duration < 0 ? 0 : duration < MOST / 1000 ? duration : MOST / 1000;
}

void snPace_Took(snPace *pace, int ticks, int64_t worked, int64_t elapsed)
{
    int length = 0;
    while (length + 1 < pace->lengthCount && pace->lengths[length + 1] <= ticks)
        length++;
    pace->steps[length]++;
    pace->levelSteps[pace->level]++;
    pace->durations[pace->told++ % SN_PACE_MEMORY] = within(worked);
    if (pace->told == 2 * SN_PACE_MEMORY) pace->told = SN_PACE_MEMORY;
    pace->simulated += ticks * pace->ownTick;
    pace->elapsed += within(elapsed);
    pace->lag += 1000 * within(elapsed) - ticks * pace->tick;
    if (pace->lag / 1000 > pace->largestLag) pace->largestLag = pace->lag / 1000;
    giveUp(pace);
    choose(pace);
}
