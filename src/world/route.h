// Where something is over time: keys with a smooth curve through them, and plain numbers between keys.
#ifndef SN_WORLD_ROUTE_H
#define SN_WORLD_ROUTE_H

#include "core/memory.h"
#include "core/vec.h"
#include "numerics/spline.h"

// Keys of a motion. Between them places and rotations go along curves that are twice continuously
// differentiable, at rest at both ends; before and after the first and the last key is held.
typedef struct snRouteDef {
    int count;            // at least 1
    const double *times;  // [count] s, ascending
    const snVec3 *places; // [count]
    const snQuat *turns;  // [count], less than half a turn from one to the next; NULL: none
    bool loose;           // ends are unbent instead of at rest
} snRouteDef;

typedef struct snRoute {
    snCubicSpline place; // width 3
    snCubicSpline turn;  // width 4; count 0: it does not turn
} snRoute;

// Copies the keys into the arena. Fails, naming the key, where they do not ascend or are not finite.
snStatus snRoute_Make(snRoute *path, const snRouteDef *def, snArena *arena, snError *error);

snVec3 snRoute_Place(const snRoute *path, double time);
snVec3 snRoute_Velocity(const snRoute *path, double time);
snAffine snRoute_Frame(const snRoute *path, double time);
double snRoute_End(const snRoute *path); // s, of the last key

// Numbers over time, straight from key to key.
typedef struct snTrack {
    int count, width;
    double *times;  // [count] s, ascending
    double *values; // [count * width]
} snTrack;
snStatus snTrack_Make(snTrack *track, int count, int width, const double *times,
                      const double *values, snArena *arena, snError *error);
void snTrack_Sample(const snTrack *track, double time, double *values);

#endif
