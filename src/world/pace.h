// Keeping up with a clock: how long the next step of a world should be, from how long the last ones took.
//
// A step takes about as long to compute whatever time it covers, so a world that cannot keep up with short steps can
// with longer ones. Library rooms have no clocks: durations come from outside, in whole microseconds, and everything
// here is in integers, so that what is chosen is a function of what was told and of nothing else.
//
//     snPace pace;
//     snPace_Begin(&pace, &def);
//     for (;;) {
//         int ticks = snWorld_Room(world, snPace_Next(&pace));
//         ... wait for snPace_Wait(&pace) microseconds ...
//         snWorld_Advance(world, ticks);
//         snPace_Took(&pace, ticks, worked, elapsed);
//     }
//
// The rule. With c the median of the last durations, which one slow step does not change, and l how far the world is
// behind the clock, beyond the length of a step,
//
//     need = 9/8 c + l / 16
//
// is what a step has to cover: an eighth more than it takes, and what is missing made up for within 16 steps. If the
// present length is less, the shortest that is not is taken at once, or the longest. If the next shorter one would do
// with a quarter to spare for 24 steps on end, that is taken. Behind by more than `mostLag` the world cannot keep up: what
// is beyond is given up, so that simulated time lags instead of being chased by ever more work, and `behind`
// says so until half of it is made up for.
//
// Levels. Bodies may have levels of detail (snWorld_SetLevel), whose steps cost less whatever time they cover, which is what helps skins:
// their cost goes with the time that is simulated. They come first: where the present length is too short, the next coarser level is
// taken, as long as there is one, and after a change nothing is decided until four steps were seen. How many times dearer the finer
// level is was seen at the change too: it is taken again when, by that, it would have left a quarter to spare for 24
// steps on end, at the shortest length.
//
// Ratio. The world may be slower or faster than the clock by a fixed ratio of simulated time to the clock's.
#ifndef SN_WORLD_PACE_H
#define SN_WORLD_PACE_H

#include "world/world.h"

#define SN_PACE_MEMORY 7 // durations that the median is of
#define SN_PACE_LEVELS 8 // of detail, at most

typedef struct snPaceDef {
    double step;        // s, a tick
    int lengthCount;    // 0: a tick alone
    const int *lengths; // [lengthCount] ticks, ascending from 1, SN_WORLD_LENGTHS at most; copied
    int levelCount;     // of detail; 0: one
    double ratio;       // seconds simulated in a second of the clock
    int64_t mostLag;    // µs
} snPaceDef;
snPaceDef snDefaultPaceDef(void); // 1/120 s, one length, one level, ratio 1, 250 ms

typedef struct snPace {
    int64_t tick;    // ns of the clock
    int64_t ownTick; // ns that are simulated
    int64_t mostLag; // µs
    int levelCount;
    int lengthCount;
    int lengths[SN_WORLD_LENGTHS];
    // State.
    int length;                        // number of the present one
    int level;                         // of detail, 0 the finest
    int64_t left;                      // µs, what a step took at the level that was left
    int64_t dearer[SN_PACE_LEVELS];    // 1024ths: what the next finer one takes of a level's time
    bool fromFiner;                    // that was the finer one
    int spare;                         // steps on end for which a shorter one would have done
    int64_t lag;                       // ns, that the clock is before the world; below 0: behind it
    int told;                          // durations
    int64_t durations[SN_PACE_MEMORY]; // µs, the last ones, in turn
    bool behind;
    // What happened.
    int64_t steps[SN_WORLD_LENGTHS];    // by length
    int64_t levelSteps[SN_PACE_LEVELS]; // by level
    int levelChanges;
    int64_t simulated, elapsed; // ns and µs
    int64_t largestLag;         // µs
    int64_t lost;               // µs, given up
    int64_t stretches;          // how often it fell behind
    int changes;                // of length
} snPace;

// Fails where the tick is not between a microsecond and an hour, or lengths are not as a world's.
snStatus snPace_Begin(snPace *pace, const snPaceDef *def, snError *error);

int snPace_Next(const snPace *pace);  // ticks that the next step should have
int snPace_Level(const snPace *pace); // of detail that it should be taken at
int64_t
snPace_Wait(const snPace *pace); // µs until the clock is where the world is; 0: it is past it

// A step was taken, of so many ticks: `worked` µs of computing, `elapsed` µs on the clock since the last call, or
// since the begin. Durations below 0 count as 0.
void snPace_Took(snPace *pace, int ticks, int64_t worked, int64_t elapsed);

#endif
