#include "body/field.h"

#include "core/check.h"

#include <string.h>

#define PEAK 3.4938562148434216 // 25 √5 / 16: u (1 - u²)² is its inverse at u = 1/√5
#define MOST 1e12               // of lattice steps, beyond which there is no noise

snFieldDef snDefaultFieldDef(void)
{
    return (snFieldDef){.air = true, .radius = 1, .scale = 1, .period = 1, .to = INFINITY};
}

snStatus snFieldDef_Check(const snFieldDef *def, snError *error)
{
    snStatus status = snCheckIndex("kind of field", (int)def->kind, SN_FIELD_TURBULENCE + 1, error);
    if (status) return status;
    double sum = def->strength;
    for (int k = 0; k < 3; k++)
        sum += fabs(def->value[k]) + fabs(def->center[k]);
    if (!isfinite(sum) || isnan(def->from) || isnan(def->to))
        return snFail(error, SN_ERROR_ARGUMENT, "a field of strength %g is not finite",
                      def->strength);
    bool round = def->kind == SN_FIELD_RADIAL || def->kind == SN_FIELD_VORTEX;
    if (round && !(def->radius > 0 && isfinite(def->radius)))
        return snFail(error, SN_ERROR_ARGUMENT, "a field's radius is %g m; it must be above 0",
                      def->radius);
    if (def->kind == SN_FIELD_VORTEX &&
        !(fabs(def->value[0]) + fabs(def->value[1]) + fabs(def->value[2]) > 0))
        return snFail(error, SN_ERROR_ARGUMENT, "a vortex has no axis");
    bool noise = def->kind == SN_FIELD_TURBULENCE;
    if (noise && (!(def->scale > 0) || !(def->period > 0) || !isfinite(def->scale + def->period)))
        return snFail(error, SN_ERROR_ARGUMENT, "turbulence of %g m and %g s; both must be above 0",
                      def->scale, def->period);
    return SN_OK;
}

// ---- turbulence -----------------------------------------------------------------------------------------

// Numbers in [-1, 1) at the points of a lattice, by place and seed alone.
static double numberAt(const int64_t at[4], uint64_t seed)
{
    uint64_t h = seed;
    for (int k = 0; k < 4; k++) {
        h = (h ^ (uint64_t)at[k]) + 0x9e3779b97f4a7c15u;
        h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9u;
        h = (h ^ (h >> 27)) * 0x94d049bb133111ebu;
        h ^= h >> 31;
    }
    return (double)(h >> 11) * 0x1p-52 - 1;
}

// The gradient in space of noise ψ: numbers at lattice points, mixed by s(u) = 6 u⁵ - 15 u⁴ + 10 u³ along each of x, y, z and time.
static snVec3 gradientOf(const int64_t cell[4], const double s[4], const double slope[4],
                         uint64_t seed)
{
    snVec3 sum = {0, 0, 0};
    for (int corner = 0; corner < 16; corner++) {
        int64_t at[4];
        double w[4], d[3];
        for (int k = 0; k < 4; k++) {
            bool upper = corner >> k & 1;
            at[k] = cell[k] + upper;
            w[k] = upper ? s[k] : 1 - s[k];
            if (k < 3) d[k] = upper ? slope[k] : -slope[k];
        }
        double v = numberAt(at, seed) * w[3];
        sum = snMulAdd(sum, v, snVec(d[0] * w[1] * w[2], w[0] * d[1] * w[2], w[0] * w[1] * d[2]));
    }
    return sum;
}

// The curl of three noises has no sources. Its mean square: numbers have 1/3, a slope ∫ s'² = 10/7 twice that, mixing along
// each of three other axes takes ∫ s² + (1 - s)² = 181/231 of it, and there are six slopes: 2.7489 in all.
static snVec3 turbulence(const snFieldDef *def, double time, snVec3 place)
{
    const double at[4] = {place.x / def->scale, place.y / def->scale, place.z / def->scale,
                          time / def->period};
    int64_t cell[4];
    double s[4], slope[4];
    for (int k = 0; k < 4; k++) {
        if (!(fabs(at[k]) < MOST)) return snVec(0, 0, 0);
        double low = floor(at[k]), u = at[k] - low;
        cell[k] = (int64_t)low;
        s[k] = u * u * u * (u * (6 * u - 15) + 10);
        slope[k] = 30 * u * u * (u - 1) * (u - 1);
    }
    uint64_t seed = (uint64_t)def->seed * 3;
    snVec3 x = gradientOf(cell, s, slope, seed), y = gradientOf(cell, s, slope, seed + 1),
           z = gradientOf(cell, s, slope, seed + 2);
    return snScale(def->strength / sqrt(2.7489177), snVec(z.y - y.z, x.z - z.x, y.x - x.y));
}

// ---- all kinds ------------------------------------------------------------------------------------------

static double profile(double u)
{
    double v = 1 - u * u;
    return u < 1 ? PEAK * u * v * v : 0;
}

static snVec3 valueOf(const snFieldDef *def, double time, snVec3 place)
{
    snVec3 value = snVec(def->value[0], def->value[1], def->value[2]);
    snVec3 arm = snSub(place, snVec(def->center[0], def->center[1], def->center[2]));
    if (!(time >= def->from && time < def->to)) return snVec(0, 0, 0);
    switch (def->kind) {
    case SN_FIELD_UNIFORM:
        return value;
    case SN_FIELD_RADIAL:
        break;
    case SN_FIELD_VORTEX:
        value = snNormalizeOr(value, snVec(0, 1, 0));
        arm = snCross(value, arm); // as long as it is far from the axis, across both
        break;
    case SN_FIELD_TURBULENCE:
        return turbulence(def, time, place);
    }
    double far = snLength(arm);
    if (!(far > 0)) return snVec(0, 0, 0);
    return snScale(def->strength * profile(far / def->radius) / far, arm);
}

void snFieldDef_Value(const snFieldDef *def, double time, const double place[3], double value[3])
{
    snVec3 v = {0, 0, 0};
    bool bad = !def || snFieldDef_Check(def, NULL) || snCheckNumber("time", time, NULL) ||
               snCheckNumbers("place", 3, place, NULL);
    if (!bad) v = valueOf(def, time, snVec(place[0], place[1], place[2]));
    value[0] = v.x, value[1] = v.y, value[2] = v.z;
}

static bool have(const snFields *f, bool air)
{
    for (int i = 0; i < f->count; i++)
        if (f->list[i].air == air && f->time >= f->list[i].from && f->time < f->list[i].to)
            return true;
    return false;
}

bool snFields_HaveAir(const snFields *f)
{
    return have(f, true);
}

bool snFields_HaveMass(const snFields *f)
{
    return have(f, false);
}

static snVec3 sumOf(const snFields *f, bool air, snVec3 place)
{
    snVec3 sum = {0, 0, 0};
    for (int i = 0; i < f->count; i++)
        if (f->list[i].air == air) sum = snAdd(sum, valueOf(&f->list[i], f->time, place));
    return sum;
}

snVec3 snFields_Air(const snFields *f, snVec3 place)
{
    return sumOf(f, true, place);
}

snVec3 snFields_Acceleration(const snFields *f, snVec3 place)
{
    return sumOf(f, false, place);
}

// ---- surfaces -------------------------------------------------------------------------------------------

snStatus snAirSurface_Make(snAirSurface *s, int vertexCount, int triangleCount,
                           const int *triangles, snArena *arena, snError *error)
{
    *s = (snAirSurface){.vertexCount = vertexCount,
                        .triangleCount = triangleCount,
                        .triangles = triangles,
                        .places = SN_NEW(arena, snVec3, vertexCount),
                        .velocities = SN_NEW(arena, snVec3, vertexCount),
                        .forces = SN_NEW(arena, snVec3, vertexCount),
                        .damping = SN_NEW(arena, double, vertexCount)};
    return s->places && s->velocities && s->forces && s->damping ? SN_OK : snFailMemory(error);
}

static snVec3 meanOf(const snVec3 *of, const int *c)
{
    return snScale(1.0 / 3, snAdd(of[c[0]], snAdd(of[c[1]], of[c[2]])));
}

void snAirSurface_Blow(snAirSurface *s, const snFields *f)
{
    memset(s->forces, 0, (size_t)s->vertexCount * sizeof *s->forces);
    memset(s->damping, 0, (size_t)s->vertexCount * sizeof *s->damping);
    for (int t = 0; t < s->triangleCount; t++) {
        const int *c = s->triangles + 3 * (size_t)t;
        snVec3 p = s->places[c[0]];
        snVec3 twice = snTwiceArea(p, s->places[c[1]], s->places[c[2]]); // 2 A n
        double size = snLength(twice);
        if (!(size > 0)) continue;
        snVec3 n = snScale(1 / size, twice);
        snVec3 u = snSub(snFields_Air(f, meanOf(s->places, c)), meanOf(s->velocities, c));
        double along = snDot(u, n), stiff = 0.5 * f->density * f->drag * size * fabs(along);
        for (int k = 0; k < 3; k++) {
            s->forces[c[k]] = snMulAdd(s->forces[c[k]], 0.5 * stiff * along / 3, n);
            s->damping[c[k]] += stiff / 3;
        }
    }
}
