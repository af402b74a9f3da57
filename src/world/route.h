// Where something is over time: keys with a smooth curve through them, and plain numbers between keys.
#ifndef SN_WORLD_ROUTE_H
#define SN_WORLD_ROUTE_H

#include "core/memory.h"
#include "core/vec.h"
#include "numerics/spline.h"

// What a route does at a key beside passing through it.
typedef enum snRouteKey {
    SN_KEY_SMOOTH, // velocity and acceleration go on; at the first and the last as `loose` says
    SN_KEY_KINK,   // velocity jumps: the curve is unbent on both sides
    SN_KEY_GIVEN,  // it has the velocity that is given; acceleration may jump
} snRouteKey;

// Keys of a motion. Between them places and rotations go along curves that are twice continuously
// differentiable, at rest at both ends; before and after the first and the last key is held.
typedef struct snRouteDef {
    int count;                // at least 1
    const double *times;      // [count] s, ascending
    const snVec3 *places;     // [count]
    const snQuat *turns;      // [count], less than half a turn from one to the next; NULL: none
    bool loose;               // ends are unbent instead of at rest
    const snRouteKey *keys;   // [count]; NULL: all smooth
    const snVec3 *velocities; // [count] m/s, of those that are given; NULL: there are none
} snRouteDef;

typedef struct snRoute {
    int pieceCount;
    snCubicSpline *pieces; // [pieceCount], width 3, one after another
    snCubicSpline turn;    // width 4; count 0: it does not turn
    // Where the velocity jumps, ascending: at kinks, and at ends that are not at rest.
    int kinkCount;
    double *kinks; // [kinkCount] s
} snRoute;

// Copies the keys into the arena. Fails, naming the key, where they do not ascend or are not finite.
snStatus snRoute_Make(snRoute *path, const snRouteDef *def, snArena *arena, snError *error);

snVec3 snRoute_Place(const snRoute *path, double time);
snVec3 snRoute_Velocity(const snRoute *path, double time); // right after the time
// Of the frame, rotation too, at a point that moves with it: `arm` from its origin, not yet turned.
snVec3 snRoute_VelocityOf(const snRoute *path, snVec3 arm, double time);
snAffine snRoute_Frame(const snRoute *path, double time);
double snRoute_Begin(const snRoute *path); // s, of the first key
double snRoute_End(const snRoute *path);   // s, of the last key
// Whether the velocity jumps within [from, to), and when it does for the last time.
bool snRoute_HasKink(const snRoute *path, double from, double to, double *time);

// The cubic from a place and a velocity to others within a time: what joins two motions without a jump.
typedef struct snArc {
    double begin, length; // s
    snVec3 place[2], velocity[2];
} snArc;
snVec3 snArc_Place(const snArc *arc, double time); // goes on straight beyond its ends
snVec3 snArc_Velocity(const snArc *arc, double time);

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
