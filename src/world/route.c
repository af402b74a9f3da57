#include "world/route.h"

#include "core/error.h"

#define SAME 1e-9 // of the larger speed: jumps that are less are none

// Keys [first, first + count) as one curve; given velocities stand in `tangents`, which may be NULL.
typedef struct Span {
    int first, count, width;
    const double *values, *tangents; // [keys * width]
    snSplineEnd ends[2];
} Span;

static snStatus makeSpline(snCubicSpline *spline, const Span *span, const double *times,
                           snArena *arena, snError *error)
{
    int numbers = span->count * span->width, from = span->first * span->width;
    *spline = (snCubicSpline){.count = span->count,
                              .width = span->width,
                              .knots = SN_COPY(arena, double, times + span->first, span->count),
                              .values = SN_COPY(arena, double, span->values + from, numbers),
                              .tangents = SN_NEW(arena, double, numbers),
                              .ends = {span->ends[0], span->ends[1]}};
    double *scratch = SN_NEW(arena, double, span->count);
    if (!spline->knots || !spline->values || !spline->tangents || !scratch)
        return snFailMemory(error);
    for (int k = 0; k < numbers && span->tangents; k++)
        spline->tangents[k] = span->tangents[from + k];
    return snCubicSpline_Solve(spline, scratch, error);
}

static snRouteKey keyOf(const snRouteDef *def, int i)
{
    return def->keys ? def->keys[i] : SN_KEY_SMOOTH;
}

static snStatus checkKeys(const snRouteDef *def, snError *error)
{
    if (def->count < 1) return snFail(error, SN_ERROR_ARGUMENT, "a path without a key");
    for (int i = 0; i < def->count; i++) {
        bool good = isfinite(def->times[i]) && snIsFinite3(def->places[i]);
        if (good && def->turns) good = isfinite(snDotQ(def->turns[i], def->turns[i]));
        if (good && keyOf(def, i) == SN_KEY_GIVEN)
            good = def->velocities && snIsFinite3(def->velocities[i]);
        if (!good) return snFail(error, SN_ERROR_ARGUMENT, "key %d is not finite", i);
        if (i && !(def->times[i] > def->times[i - 1]))
            return snFail(error, SN_ERROR_ARGUMENT, "key %d is at %g s; it must come after %g s", i,
                          def->times[i], def->times[i - 1]);
    }
    return SN_OK;
}

static snSplineEnd endOf(const snRouteDef *def, int key)
{
    bool outer = key == 0 || key == def->count - 1;
    if (keyOf(def, key) == SN_KEY_GIVEN) return SN_END_GIVEN;
    return outer && !def->loose ? SN_END_REST : SN_END_LOOSE;
}

// One piece between each two keys at which the curve does not go on smoothly.
static snStatus makePieces(snRoute *path, const snRouteDef *def, const double *values,
                           snArena *arena, snError *error)
{
    int last = def->count - 1;
    snStatus status = SN_OK;
    path->pieces = SN_NEW(arena, snCubicSpline, def->count);
    if (!path->pieces) return snFailMemory(error);
    for (int i = 0, next; (i < last || !path->pieceCount) && !status; i = next) {
        next = i + 1 < last ? i + 1 : last;
        while (next < last && keyOf(def, next) == SN_KEY_SMOOTH)
            next++;
        Span span = {.first = i,
                     .count = next - i + 1,
                     .width = 3,
                     .values = values,
                     .tangents = (const double *)def->velocities,
                     .ends = {endOf(def, i), endOf(def, next)}};
        status = makeSpline(&path->pieces[path->pieceCount++], &span, def->times, arena, error);
    }
    return status;
}

static snVec3 sample(const snCubicSpline *piece, double time, snDerivative derivative)
{
    double p[3];
    snCubicSpline_Sample(piece, time, derivative, p);
    return snVec(p[0], p[1], p[2]);
}

// Velocities on both sides of the begin of a piece, and of the last one's end.
static snStatus findKinks(snRoute *path, snArena *arena, snError *error)
{
    path->kinks = SN_NEW(arena, double, path->pieceCount + 1);
    if (!path->kinks) return snFailMemory(error);
    for (int i = 0; i <= path->pieceCount; i++) {
        const snCubicSpline *before = i ? &path->pieces[i - 1] : NULL;
        const snCubicSpline *after = i < path->pieceCount ? &path->pieces[i] : NULL;
        double time = after ? after->knots[0] : before->knots[before->count - 1];
        snVec3 in = before ? sample(before, time, SN_FIRST) : snVec(0, 0, 0);
        snVec3 out = after ? sample(after, time, SN_FIRST) : snVec(0, 0, 0);
        if (snDistance(in, out) > SAME * fmax(snLength(in), snLength(out)))
            path->kinks[path->kinkCount++] = time;
    }
    return SN_OK;
}

static snStatus makeTurn(snRoute *path, const snRouteDef *def, double *values, snArena *arena,
                         snError *error)
{
    for (int i = 0; i < def->count; i++) { // the shorter way round
        snQuat q = snNormalizeQ(def->turns[i]);
        const double *last = values + 4 * (i - 1);
        bool far = i && q.x * last[0] + q.y * last[1] + q.z * last[2] + q.w * last[3] < 0;
        double sign = far ? -1 : 1;
        values[4 * i] = sign * q.x;
        values[4 * i + 1] = sign * q.y;
        values[4 * i + 2] = sign * q.z;
        values[4 * i + 3] = sign * q.w;
    }
    snSplineEnd end = def->loose ? SN_END_LOOSE : SN_END_REST;
    Span span = {.count = def->count, .width = 4, .values = values, .ends = {end, end}};
    return makeSpline(&path->turn, &span, def->times, arena, error);
}

snStatus snRoute_Make(snRoute *path, const snRouteDef *def, snArena *arena, snError *error)
{
    *path = (snRoute){0};
    snStatus status = checkKeys(def, error);
    if (status) return status;
    double *values = SN_NEW(arena, double, def->count * 4);
    if (!values) return snFailMemory(error);
    for (int i = 0; i < def->count; i++) {
        values[3 * i] = def->places[i].x;
        values[3 * i + 1] = def->places[i].y;
        values[3 * i + 2] = def->places[i].z;
    }
    status = makePieces(path, def, values, arena, error);
    if (!status) status = findKinks(path, arena, error);
    if (!status && def->turns) status = makeTurn(path, def, values, arena, error);
    return status;
}

// The piece that a time is in, or right after it.
static const snCubicSpline *pieceAt(const snRoute *path, double time)
{
    int low = 0, high = path->pieceCount;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (path->pieces[middle].knots[0] <= time)
            low = middle;
        else
            high = middle;
    }
    return &path->pieces[low];
}

snVec3 snRoute_Place(const snRoute *path, double time)
{
    return sample(pieceAt(path, time), time, SN_VALUE);
}

snVec3 snRoute_Velocity(const snRoute *path, double time)
{
    if (time < snRoute_Begin(path) || time >= snRoute_End(path)) return snVec(0, 0, 0);
    return sample(pieceAt(path, time), time, SN_FIRST);
}

// With q the spline's quaternion, not scaled, R = Q(q) / |q|², Q quadratic: its derivative is taken of the frame
// itself, by the quotient of differences over a span that rounding and curvature leave 1e-9 of.
#define SPAN 1e-5 // s
snVec3 snRoute_VelocityOf(const snRoute *path, snVec3 arm, double time)
{
    snVec3 v = snRoute_Velocity(path, time);
    if (!path->turn.count || snLengthSquared(arm) == 0) return v;
    snVec3 after = snMulMV(snRoute_Frame(path, time + SPAN).linear, arm);
    return snMulAdd(v, 1 / SPAN, snSub(after, snMulMV(snRoute_Frame(path, time).linear, arm)));
}

snAffine snRoute_Frame(const snRoute *path, double time)
{
    snAffine frame = {snIdentity3(), snRoute_Place(path, time)};
    double q[4];
    if (!path->turn.count) return frame;
    snCubicSpline_Sample(&path->turn, time, SN_VALUE, q);
    frame.linear = snQuatToMat(snNormalizeQ((snQuat){q[0], q[1], q[2], q[3]}));
    return frame;
}

double snRoute_Begin(const snRoute *path)
{
    return path->pieces[0].knots[0];
}

double snRoute_End(const snRoute *path)
{
    const snCubicSpline *last = &path->pieces[path->pieceCount - 1];
    return last->knots[last->count - 1];
}

bool snRoute_HasKink(const snRoute *path, double from, double to, double *time)
{
    bool has = false;
    for (int i = 0; i < path->kinkCount; i++) {
        if (!(path->kinks[i] >= from && path->kinks[i] < to)) continue;
        *time = path->kinks[i];
        has = true;
    }
    return has;
}

// ---- arcs ---------------------------------------------------------------------------------------

static snVec3 sampleArc(const snArc *arc, double time, snDerivative derivative)
{
    double out[3];
    snHermite(3, (time - arc->begin) / arc->length, arc->length, &arc->place[0].x,
              &arc->velocity[0].x, &arc->place[1].x, &arc->velocity[1].x, derivative, out);
    return snVec(out[0], out[1], out[2]);
}

snVec3 snArc_Place(const snArc *arc, double time)
{
    double after = time - arc->begin - arc->length;
    if (after >= 0) return snMulAdd(arc->place[1], after, arc->velocity[1]);
    if (time <= arc->begin) return snMulAdd(arc->place[0], time - arc->begin, arc->velocity[0]);
    return sampleArc(arc, time, SN_VALUE);
}

snVec3 snArc_Velocity(const snArc *arc, double time)
{
    if (time >= arc->begin + arc->length) return arc->velocity[1];
    return time <= arc->begin ? arc->velocity[0] : sampleArc(arc, time, SN_FIRST);
}

// ---- tracks -------------------------------------------------------------------------------------

snStatus snTrack_Make(snTrack *track, int count, int width, const double *times,
                      const double *values, snArena *arena, snError *error)
{
    *track = (snTrack){.count = count,
                       .width = width,
                       .times = SN_COPY(arena, double, times, count),
                       .values = SN_COPY(arena, double, values, count *width)};
    if (!track->times || !track->values) return snFailMemory(error);
    for (int i = 0; i < count; i++) {
        if (i && !(times[i] > times[i - 1]))
            return snFail(error, SN_ERROR_ARGUMENT, "key %d is at %g s; it must come after %g s", i,
                          times[i], times[i - 1]);
        for (int k = 0; k < width; k++)
            if (!isfinite(times[i]) || !isfinite(values[i * width + k]))
                return snFail(error, SN_ERROR_ARGUMENT, "key %d is not finite", i);
    }
    return SN_OK;
}

void snTrack_Sample(const snTrack *track, double time, double *values)
{
    int i = 0;
    while (i < track->count - 1 && track->times[i + 1] <= time)
        i++;
    const double *a = track->values + (size_t)i * (size_t)track->width;
    bool between = i < track->count - 1 && time > track->times[i];
    double u = between ? (time - track->times[i]) / (track->times[i + 1] - track->times[i]) : 0;
    for (int k = 0; k < track->width; k++)
        values[k] = between ? a[k] + u * (a[track->width + k] - a[k]) : a[k];
}
