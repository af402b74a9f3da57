#include "world/route.h"

#include "core/error.h"

static snStatus makeSpline(snCubicSpline *spline, int width, const snRouteDef *def,
                           const double *values, snArena *arena, snError *error)
{
    *spline = (snCubicSpline){.count = def->count,
                              .width = width,
                              .knots = SN_COPY(arena, double, def->times, def->count),
                              .values = SN_COPY(arena, double, values, def->count *width),
                              .tangents = SN_NEW(arena, double, def->count *width),
                              .loose = def->loose};
    double *scratch = SN_NEW(arena, double, def->count);
    if (!spline->knots || !spline->values || !spline->tangents || !scratch)
        return snFailMemory(error);
    return snCubicSpline_Solve(spline, scratch, error);
}

static snStatus checkKeys(const snRouteDef *def, snError *error)
{
    if (def->count < 1) return snFail(error, SN_ERROR_ARGUMENT, "a path without a key");
    for (int i = 0; i < def->count; i++) {
        bool good = isfinite(def->times[i]) && snIsFinite3(def->places[i]);
        if (good && def->turns) good = isfinite(snDotQ(def->turns[i], def->turns[i]));
        if (!good) return snFail(error, SN_ERROR_ARGUMENT, "key %d is not finite", i);
        if (i && !(def->times[i] > def->times[i - 1]))
            return snFail(error, SN_ERROR_ARGUMENT, "key %d is at %g s; it must come after %g s", i,
                          def->times[i], def->times[i - 1]);
    }
    return SN_OK;
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
    status = makeSpline(&path->place, 3, def, values, arena, error);
    if (status || !def->turns) return status;
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
    return makeSpline(&path->turn, 4, def, values, arena, error);
}

snVec3 snRoute_Place(const snRoute *path, double time)
{
    double p[3];
    snCubicSpline_Sample(&path->place, time, SN_VALUE, p);
    return snVec(p[0], p[1], p[2]);
}

snVec3 snRoute_Velocity(const snRoute *path, double time)
{
    double v[3];
    snCubicSpline_Sample(&path->place, time, SN_FIRST, v);
    return snVec(v[0], v[1], v[2]);
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

double snRoute_End(const snRoute *path)
{
    return path->place.knots[path->place.count - 1];
}

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
