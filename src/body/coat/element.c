#include "body/coat/element.h"

#include "core/elementary.h"
#include "core/error.h"

#include <string.h>

snElementDef snDefaultElementDef(void)
{
    return (snElementDef){.rows = 4,
                          .columns = 8,
                          .young = 3e4,
                          .density = 1000,
                          .damping = 0.25,
                          .reach = 1,
                          .shortest = 0.15,
                          .longest = 3,
                          .plasticity = {.flow = 2, .most = 0.3}};
}

// ---- making -----------------------------------------------------------------------------------------

static snStatus checkDef(const snElementDef *def, snError *error)
{
    if (def->rows < 1 || def->columns < 3)
        return snFail(
            error, SN_ERROR_ARGUMENT,
            "an element of %d x %d sample points is not possible: it needs 1 or more along "
            "and 3 or more round",
            def->rows, def->columns);
    if (!(def->young > 0) || !(def->density > 0) || !(def->damping >= 0))
        return snFail(error, SN_ERROR_ARGUMENT,
                      "young %g and density %g must be above 0, damping %g not below it",
                      def->young, def->density, def->damping);
    if (!(def->shortest > 0 && def->shortest < 1 && def->longest > 1) || def->reach < 1)
        return snFail(
            error, SN_ERROR_ARGUMENT,
            "lengths from %g to %g of those at rest, zones of %d rings: the first must be in "
            "(0, 1), the second above 1, the third 1 or more",
            def->shortest, def->longest, def->reach);
    return SN_OK;
}

static snStatus reserve(snElement *e, snArena *arena, snError *error)
{
    e->foot = SN_NEW(arena, snVec3, e->count);
    e->axis = SN_NEW(arena, snVec3, e->count);
    e->rest = SN_NEW(arena, double, e->count);
    e->shortest = SN_NEW(arena, double, e->count);
    e->longest = SN_NEW(arena, double, e->count);
    e->spring = SN_NEW(arena, snOscillator, e->count);
    e->triangleCount = 2 * e->columns * e->rows; // 2 (rows - 1) columns, and two fans
    e->triangles = SN_NEW(arena, int, 3 * e->triangleCount);
    e->zoneStart = SN_NEW(arena, int, e->count + 1);
    return e->foot && e->axis && e->rest && e->shortest && e->longest && e->spring &&
                   e->triangles && e->zoneStart
               ? SN_OK
               : snFailMemory(error);
}

static snStatus setCylinders(snElement *e, const snElementDef *def, snError *error)
{
    for (int i = 0; i < e->count; i++) {
        snVec3 way = snSub(def->samples[i], def->feet[i]);
        double length = snLength(way);
        if (!(length > 0) || !isfinite(length))
            return snFail(error, SN_ERROR_GEOMETRY,
                          "cylinder %d of an element has the length %g; its sample point must be "
                          "away from its foot",
                          i, length);
        e->foot[i] = def->feet[i];
        e->axis[i] = snScale(1 / length, way);
        e->rest[i] = length;
        e->shortest[i] = def->shortest * length;
        e->longest[i] = def->longest * length;
    }
    return SN_OK;
}

static void setTriangles(snElement *e)
{
    int columns = e->columns, last = (e->rows - 1) * columns, *out = e->triangles;
    int before = e->count - 2, behind = e->count - 1;
    for (int c = 0; c < columns; c++) {
        int next = (c + 1) % columns;
        for (int r = 0; r + 1 < e->rows; r++, out += 6) {
            int a = r * columns + c, b = r * columns + next;
            const int quad[6] = {a, b, b + columns, a, b + columns, a + columns};
            memcpy(out, quad, sizeof quad);
        }
        const int fans[6] = {before, next, c, behind, last + c, last + next};
        memcpy(out, fans, sizeof fans);
        out += 6;
    }
}

// Samples may go round either way.
static snStatus setOutside(snElement *e, snError *error)
{
    e->volume = snElement_Volume(e, e->rest);
    if (e->volume < 0) {
        for (int t = 0; t < e->triangleCount; t++) {
            int *c = e->triangles + 3 * (size_t)t, kept = c[1];
            c[1] = c[2];
            c[2] = kept;
        }
        e->volume = -e->volume;
    }
    e->area = snElement_Area(e, e->rest);
    if (e->volume > 1e-9 * e->area * sqrt(e->area)) return SN_OK;
    return snFail(error, SN_ERROR_GEOMETRY, "the envelope of an element encloses nothing");
}

static void setCenter(snElement *e)
{
    snVec3 sum = {0, 0, 0};
    for (int t = 0; t < e->triangleCount; t++) {
        snVec3 p[3];
        for (int k = 0; k < 3; k++)
            p[k] = snElement_Sample(e, e->rest, e->triangles[3 * t + k]);
        double six = snDot(p[0], snCross(p[1], p[2]));
        sum = snMulAdd(sum, six / 24, snAdd(p[0], snAdd(p[1], p[2])));
    }
    e->center = snScale(1 / e->volume, sum);
}

// A cylinder has a third of the triangles round its sample point, and is as stiff as a rod of that section. Masses
// go by section and length and make up that of the element.
static void setSprings(snElement *e, const snElementDef *def)
{
    double filled = 0;
    for (int i = 0; i < e->count; i++)
        e->spring[i].mass = 0;
    for (int t = 0; t < e->triangleCount; t++) {
        const int *c = e->triangles + 3 * (size_t)t;
        snVec3 p = snElement_Sample(e, e->rest, c[0]);
        snVec3 n =
            snTwiceArea(p, snElement_Sample(e, e->rest, c[1]), snElement_Sample(e, e->rest, c[2]));
        for (int k = 0; k < 3; k++)
            e->spring[c[k]].mass += snLength(n) / 6;
    }
    e->mass = def->density * e->volume;
    for (int i = 0; i < e->count; i++)
        filled += e->spring[i].mass * e->rest[i];
    for (int i = 0; i < e->count; i++) {
        double section = e->spring[i].mass, soft = def->softness ? def->softness[i] : 1;
        double mass = e->mass * section * e->rest[i] / filled;
        double stiffness = def->young * section / (e->rest[i] * soft);
        e->spring[i] = (snOscillator){mass, stiffness, 2 * def->damping * sqrt(mass * stiffness)};
    }
}

// ---- zones --------------------------------------------------------------------------------------

// The neighbours in the grid, at most `columns` of a cap; how many there are.
static int neighbours(const snElement *e, int i, int *out)
{
    int columns = e->columns, before = e->count - 2, behind = e->count - 1, n = 0;
    if (i >= before) {
        int first = i == before ? 0 : (e->rows - 1) * columns;
        for (int c = 0; c < columns; c++)
            out[n++] = first + c;
        return n;
    }
    int r = i / columns, c = i % columns;
    out[n++] = r > 0 ? i - columns : before;
    out[n++] = r + 1 < e->rows ? i + columns : behind;
    out[n++] = r * columns + (c + 1) % columns;
    out[n++] = r * columns + (c + columns - 1) % columns;
    return n;
}

// Ring by ring. `seen` [count] holds i + 1 for what is in the zone of i already; returns how many there are.
static int findZone(const snElement *e, int i, int reach, int *list, int *seen, int *near)
{
    int count = 0, from = 0;
    seen[i] = i + 1;
    for (int ring = 0; ring < reach; ring++) {
        int to = count;
        for (int k = ring == 0 ? -1 : from; k < to; k++) {
            int n = neighbours(e, k < 0 ? i : list[k], near);
            for (int j = 0; j < n; j++)
                if (seen[near[j]] != i + 1) {
                    seen[near[j]] = i + 1;
                    list[count++] = near[j];
                }
            if (k < 0) break;
        }
        from = to;
    }
    return count;
}

static snStatus setZones(snElement *e, int reach, snArena *arena, snError *error)
{
    int *seen = SN_NEW(arena, int, e->count), *near = SN_NEW(arena, int, e->columns + 4);
    int *list = SN_NEW(arena, int, e->count);
    if (!seen || !near || !list) return snFailMemory(error);
    for (int i = 0; i < e->count; i++)
        e->zoneStart[i + 1] = e->zoneStart[i] + findZone(e, i, reach, list, seen, near);
    e->zone = SN_NEW(arena, int, e->zoneStart[e->count]);
    if (!e->zone) return snFailMemory(error);
    memset(seen, 0, (size_t)e->count * sizeof *seen);
    for (int i = 0; i < e->count; i++)
        findZone(e, i, reach, e->zone + e->zoneStart[i], seen, near);
    return SN_OK;
}

// Triangles with `least` or more corners in the zone of cylinder i, or in it and i itself; `mark` [count] is scratch. Returns how
// many there are.
static int findNear(const snElement *e, int i, bool itself, int least, unsigned char *mark,
                    int *list)
{
    int count = 0;
    memset(mark, 0, (size_t)e->count);
    mark[i] = itself;
    for (int k = e->zoneStart[i]; k < e->zoneStart[i + 1]; k++)
        mark[e->zone[k]] = 1;
    for (int t = 0; t < e->triangleCount; t++) {
        const int *c = e->triangles + 3 * (size_t)t;
        if (mark[c[0]] + mark[c[1]] + mark[c[2]] < least) continue;
        if (list) list[count] = t;
        count++;
    }
    return count;
}

static bool listNear(const snElement *e, bool itself, int least, unsigned char *mark, int **start,
                     int **list, snArena *arena)
{
    *start = SN_NEW(arena, int, e->count + 1);
    if (!*start) return false;
    for (int i = 0; i < e->count; i++)
        (*start)[i + 1] = (*start)[i] + findNear(e, i, itself, least, mark, NULL);
    *list = SN_NEW(arena, int, (*start)[e->count] + 1);
    if (!*list) return false;
    for (int i = 0; i < e->count; i++)
        findNear(e, i, itself, least, mark, *list + (*start)[i]);
    return true;
}

static snStatus setNear(snElement *e, snArena *arena, snError *error)
{
    unsigned char *mark = SN_NEW(arena, unsigned char, e->count);
    if (!mark || !listNear(e, true, 1, mark, &e->nearStart, &e->near, arena) ||
        !listNear(e, false, 2, mark, &e->innerStart, &e->inner, arena))
        return snFailMemory(error);
    return SN_OK;
}

// The corner behind `corner` in a triangle, if it has that one; else -1.
static int nextCorner(const int *c, int corner)
{
    for (int k = 0; k < 3; k++)
        if (c[k] == corner) return c[(k + 1) % 3];
    return -1;
}

// The triangle behind `before` round cylinder i, before < 0: any to begin with; the corner that it begins with in *first.
static int nextRound(const snElement *e, int i, int before, int *first)
{
    for (int t = 0; t < e->triangleCount; t++) {
        const int *c = e->triangles + 3 * (size_t)t;
        *first = nextCorner(c, i);
        if (*first >= 0 && (before < 0 || *first == before)) return t;
    }
    return -1;
}

// The envelope is closed: every sample has as many neighbours as triangles, and they go round once.
static snStatus setRings(snElement *e, snArena *arena, snError *error)
{
    e->ringStart = SN_NEW(arena, int, e->count + 1);
    e->ring = SN_NEW(arena, int, 3 * (size_t)e->triangleCount);
    e->around = SN_NEW(arena, int, 3 * (size_t)e->triangleCount);
    if (!e->ringStart || !e->ring || !e->around) return snFailMemory(error);
    for (int i = 0; i < e->count; i++) {
        int *ring = e->ring + e->ringStart[i], *around = e->around + e->ringStart[i], count = 0;
        int first = -1, at = nextRound(e, i, -1, &first);
        do {
            ring[count] = first;
            around[count++] = at;
            int next = nextCorner(e->triangles + 3 * (size_t)at, first);
            at = nextRound(e, i, next, &first);
        } while (first != ring[0]);
        e->ringStart[i + 1] = e->ringStart[i] + count;
    }
    return SN_OK;
}

snStatus snElement_Make(snElement *e, const snElementDef *def, snArena *arena, snError *error)
{
    snStatus status = checkDef(def, error);
    if (status) return status;
    *e = (snElement){.rows = def->rows, .columns = def->columns};
    e->count = def->rows * def->columns + 2;
    e->plasticity = def->plasticity;
    e->printed = def->printed;
    status = reserve(e, arena, error);
    if (!status) status = setCylinders(e, def, error);
    if (status) return status;
    setTriangles(e);
    status = setOutside(e, error);
    if (status) return status;
    setCenter(e);
    setSprings(e, def);
    status = setZones(e, def->reach, arena, error);
    if (!status) status = setRings(e, arena, error);
    if (!status) status = snElement_SetSlopes(e, arena, error);
    return status ? status : setNear(e, arena, error);
}

// ---- state ------------------------------------------------------------------------------------------

snStatus snElementMotion_Make(snElementMotion *state, const snElement *e, snArena *arena,
                              snError *error)
{
    double *numbers = SN_NEW(arena, double, 5 * (size_t)e->count);
    state->maps = SN_NEW(arena, snOscillation, SN_ELEMENT_TIMES * (size_t)e->count);
    if (!numbers || !state->maps) return snFailMemory(error);
    state->length = numbers;
    state->speed = numbers + e->count;
    state->rest = numbers + 2 * (size_t)e->count;
    state->from = numbers + 3 * (size_t)e->count;
    state->since = numbers + 4 * (size_t)e->count;
    state->nextMap = 0;
    for (int k = 0; k < SN_ELEMENT_TIMES; k++)
        state->mapTime[k] = -1;
    snElementMotion_SetRest(state, e);
    return SN_OK;
}

void snElementMotion_SetRest(snElementMotion *state, const snElement *e)
{
    for (int i = 0; i < e->count; i++) {
        state->length[i] = state->rest[i] = e->rest[i];
        state->speed[i] = state->from[i] = state->since[i] = 0;
    }
}

// What is felt at r in a frame that moves: linear + turn × r + spin × (spin × r).
static snVec3 feltAt(const snFelt *felt, snVec3 r)
{
    snVec3 turning = snAdd(snCross(felt->turn, r), snCross(felt->spin, snCross(felt->spin, r)));
    return snAdd(felt->linear, turning);
}

// What is beyond the yield flows away exponentially; the rest length goes with it, within its bounds.
static void flow(const snElement *e, snElementMotion *state, int i, double time)
{
    const snPlasticity *p = &e->plasticity;
    double off = state->length[i] - state->rest[i], yield = p->yield * e->rest[i];
    double beyond = fabs(off) - yield;
    if (!(p->yield > 0) || !(beyond > 0)) return;
    double most = p->most * e->rest[i], drift = beyond * (1 - snExp(-p->flow * time));
    double to = state->rest[i] + (off > 0 ? drift : -drift);
    state->rest[i] = snClamp(to, e->rest[i] - most, e->rest[i] + most);
}

static void advancePrinted(const snElement *e, snElementMotion *state, int i, double time)
{
    double x;
    state->since[i] += time;
    snOscillator_Printed(&e->spring[i], state->from[i], state->since[i], &x, &state->speed[i]);
    state->length[i] = state->rest[i] + x;
}

static void keepWithin(const snElement *e, snElementMotion *state, int i)
{
    double kept = snClamp(state->length[i], e->shortest[i], e->longest[i]);
    if (kept == state->length[i]) return;
    bool outwards = state->speed[i] > 0;
    if (outwards == (kept < state->length[i])) state->speed[i] = 0;
    state->length[i] = kept;
}

static const snOscillation *mapsOver(const snElement *e, snElementMotion *state, double time)
{
    int k = 0;
    while (k < SN_ELEMENT_TIMES && state->mapTime[k] != time)
        k++;
    if (k < SN_ELEMENT_TIMES) return state->maps + (size_t)k * (size_t)e->count;
    snOscillation *maps = state->maps + (size_t)state->nextMap * (size_t)e->count;
    for (int i = 0; i < e->count; i++)
        maps[i] = snOscillator_Over(&e->spring[i], time);
    state->mapTime[state->nextMap] = time;
    state->nextMap = (state->nextMap + 1) % SN_ELEMENT_TIMES;
    return maps;
}

void snElement_Advance(const snElement *e, snElementMotion *state, double time, const snFelt *felt)
{
    const snOscillation *maps = mapsOver(e, state, time);
    for (int i = 0; i < e->count; i++) {
        if (e->printed) {
            advancePrinted(e, state, i, time);
        } else {
            snVec3 sample = snElement_Sample(e, state->length, i);
            double along = felt ? snDot(feltAt(felt, sample), e->axis[i]) : 0;
            double rest = state->rest[i] + snOscillator_Shift(&e->spring[i], along);
            snOscillation_Apply(&maps[i], rest, &state->length[i], &state->speed[i]);
        }
        keepWithin(e, state, i);
        flow(e, state, i, time);
    }
}

void snElement_Strike(const snElement *e, snElementMotion *state, int i, double length,
                      double speed)
{
    state->length[i] = snClamp(length, e->shortest[i], e->longest[i]);
    state->speed[i] = speed;
    state->from[i] = state->length[i] - state->rest[i];
    state->since[i] = 0;
}
