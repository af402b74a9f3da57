#include "geometry/muscle.h"

#include "core/elementary.h"
#include "geometry/primitive.h"

// x = frame(W(y)), g(x) = f(y) with the shape's f, and ∇g = A⁻ᵀ J⁻ᵀ ∇f with A the frame's linear part and
// J = ∂W/∂y (warp.c).

snMuscleShape snDefaultMuscleShape(snShapeKind kind)
{
    return (snMuscleShape){.shape = snDefaultShape(kind), .warp = {.axis = 1}};
}

static bool isWarped(const snWarpMap *map)
{
    return map->bulgeCount > 0 || map->taper[0] != 0.0 || map->taper[1] != 0.0 ||
           map->twist != 0.0 || map->bend != 0.0;
}

static snBox carriedBox(snBox box, snAffine frame)
{
    snBox carried = snEmptyBox();
    for (int i = 0; i < 8; i++)
        carried = snBoxAdd(carried, snMulAP(frame, snBoxCorner(box, i)));
    return carried;
}

// The radius of a circle about the warp's axis that holds the shape's sections from height `near` outwards.
static double sectionRadius(const snMuscle *muscle, double half, double near)
{
    const snShape *shape = &muscle->shape;
    snVec3 h = muscle->half;
    int axis = muscle->map.axis;
    double u = axis == 0 ? h.y : h.x, v = axis == 2 ? h.y : h.z, most = fmax(u, v);
    double round = sqrt(fmax(0.0, 1.0 - near * near / (half * half)));
    if (shape->kind == SN_SHAPE_SPHERE) return most * round;
    if (shape->kind == SN_SHAPE_SUPERELLIPSOID && shape->e1 >= 1.0 && shape->e2 >= 1.0)
        return most * round;
    bool turned = shape->kind == SN_SHAPE_CYLINDER || shape->kind == SN_SHAPE_CAPSULE;
    return turned && axis == 1 ? most : sqrt(u * u + v * v);
}

#define SLICES 16

// Of a deformed shape: a ball about every slice. They stay balls however the frame is turned, so that they are
// much tighter than the box of a box of a box; where the shape is flat the box is tighter.
static snBox slicedBounds(const snMuscle *muscle)
{
    snVec3 h = muscle->half;
    double half = muscle->map.axis == 0 ? h.x : (muscle->map.axis == 1 ? h.y : h.z);
    snMat3 frame = muscle->frame.linear;
    double stretch = snIsOrthogonal(frame, 1e-12)
                         ? 1.0
                         : sqrt(snNormSquaredM(frame)); // no less than the largest
    snBox box = snEmptyBox();
    for (int i = 0; i < SLICES; i++) {
        double low = half * (2.0 * i / SLICES - 1.0), high = half * (2.0 * (i + 1) / SLICES - 1.0);
        double near = low * high <= 0.0 ? 0.0 : fmin(fabs(low), fabs(high));
        snVec3 middle;
        double reach = snWarpMap_Spread(&muscle->map, 0.5 * (low + high), 0.5 * (high - low),
                                        sectionRadius(muscle, half, near), &middle);
        snVec3 place = snMulAP(muscle->frame, middle);
        box = snBoxUnion(box, snBox_Grow((snBox){place, place}, stretch * reach));
    }
    return box;
}

// The shape's own bounds are tighter than those of its box, where no more than a rotation acts.
static snBox boundsOf(const snMuscle *muscle)
{
    snBox box = carriedBox(muscle->own, muscle->frame);
    if (muscle->warped) {
        snBox sliced = slicedBounds(muscle);
        return (snBox){snMax(box.lower, sliced.lower), snMin(box.upper, sliced.upper)};
    }
    if (!snIsOrthogonal(muscle->frame.linear, 1e-12)) return box;
    snShape placed = muscle->shape;
    placed.place = muscle->frame;
    return snShape_Bounds(&placed);
}

void snMuscle_Turn(snMuscle *muscle, snAffine place, snAffine joint)
{
    muscle->frame = snMulAA(joint, place);
    muscle->inverse = snInverse3(muscle->frame.linear);
}

void snMuscle_Bound(snMuscle *muscle)
{
    muscle->bounds = boundsOf(muscle);
    snVec3 d = snSub(muscle->bounds.upper, muscle->bounds.lower);
    muscle->size = fmax(d.x, fmax(d.y, d.z));
}

void snMuscle_Reshape(snMuscle *muscle, const snMuscleShape *shape)
{
    muscle->shape = shape->shape;
    muscle->shape.place = snIdentityAffine();
    snBox box = snShape_Bounds(&muscle->shape);
    muscle->half = snMax(box.upper, snNeg(box.lower));
    muscle->map = snMakeWarpMap(&shape->warp, muscle->half);
    muscle->warped = isWarped(&muscle->map);
    muscle->own = muscle->warped ? snWarpMap_Bounds(&muscle->map, muscle->half) : box;
}

snMuscle snMakeMuscle(const snMuscleShape *shape, snAffine joint)
{
    snMuscle muscle = {0};
    snMuscle_Reshape(&muscle, shape);
    snMuscle_Turn(&muscle, shape->shape.place, joint);
    snMuscle_Bound(&muscle);
    return muscle;
}

// Superellipsoids that are not ellipsoids rise somewhat faster than the distance away from their surface.
double snMuscle_Steepest(const snMuscle *muscle, double around)
{
    const snShape *shape = &muscle->shape;
    bool exact = shape->kind != SN_SHAPE_SUPERELLIPSOID || (shape->e1 == 1.0 && shape->e2 == 1.0);
    double steepest = exact ? 1.0 : 2.0;
    snVec3 half = snAdd(muscle->half, snVec(around, around, around));
    return muscle->warped ? steepest * snWarpMap_Steepest(&muscle->map, half) : steepest;
}

double snMuscle_Own(const snMuscle *muscle, snVec3 point, snVec3 *gradient, snVec3 *source)
{
    if (!muscle->warped) {
        *source = point;
        return snShape_Sample(&muscle->shape, point, gradient);
    }
    snWarpTrace trace = snWarpMap_Trace(&muscle->map, point);
    snVec3 n;
    double value = snShape_Sample(&muscle->shape, trace.source, &n);
    *gradient = snWarpMap_Carry(&muscle->map, &trace, n);
    *source = trace.source;
    return value;
}

double snMuscle_Value(const snMuscle *muscle, snVec3 point, snVec3 *gradient)
{
    snVec3 n, source, own = snMulMV(muscle->inverse, snSub(point, muscle->frame.origin));
    if (!gradient)
        return snShape_Value(&muscle->shape,
                             muscle->warped ? snWarpMap_Inverse(&muscle->map, own) : own);
    double value = snMuscle_Own(muscle, own, &n, &source);
    *gradient = snMulTMV(muscle->inverse, n);
    return value;
}

double snMuscle_Distance(const snMuscle *muscle, snVec3 point)
{
    snVec3 gradient;
    double value = snMuscle_Value(muscle, point, &gradient), slope = snLength(gradient);
    return slope > 0.0 ? value / slope : value;
}

snVec3 snMuscle_Source(const snMuscle *muscle, snVec3 point)
{
    snVec3 p = snMulMV(muscle->inverse, snSub(point, muscle->frame.origin));
    return muscle->warped ? snWarpMap_Inverse(&muscle->map, p) : p;
}

snVec3 snMuscle_Place(const snMuscle *muscle, snVec3 source)
{
    return snMulAP(muscle->frame,
                   muscle->warped ? snWarpMap_Forward(&muscle->map, source) : source);
}

// To g = 0 along the gradient: Newton's method for one equation in three unknowns. False: it did not get there.
static bool drop(const snMuscle *muscle, snVec3 *point, snVec3 *normal)
{
    for (int round = 0; round < 30; round++) {
        snVec3 n;
        double value = snMuscle_Value(muscle, *point, &n), slope = snLength(n);
        *normal = snNormalizeOr(n, snVec(0, 1, 0));
        if (fabs(value) <= 1e-13 * muscle->size * slope) return true;
        if (!(slope > 0.0)) return false;
        // A step is never longer than half of what the muscle is wide.
        double step = snClamp(value / slope, -0.5 * muscle->size, 0.5 * muscle->size);
        *point = snMulAdd(*point, -step, *normal);
    }
    return false;
}

// Between a point outside and one inside. From inside, the middle of the nearest side is as good as any.
static snVec3 between(const snMuscle *muscle, snVec3 out, snVec3 in)
{
    for (int i = 0; i < 60; i++) {
        snVec3 middle = snLerp(out, in, 0.5);
        if (snMuscle_Value(muscle, middle, NULL) > 0.0)
            out = middle;
        else
            in = middle;
    }
    return out;
}

// Some place of the surface that is near: what the undeformed shape says, carried along, then dropped.
static snVec3 firstFoot(const snMuscle *muscle, snVec3 point, snVec3 *normal)
{
    snVec3 n, source = snMuscle_Source(muscle, point);
    double value = snShape_Sample(&muscle->shape, source, &n);
    snVec3 foot = snMuscle_Place(muscle, snMulAdd(source, -value, n));
    if (drop(muscle, &foot, normal)) return foot;
    snVec3 out = snMuscle_Place(muscle, snScale(2.0 * snLength(muscle->half), n));
    foot = between(muscle, value > 0.0 ? point : out, snMuscle_Place(muscle, snVec(0, 0, 0)));
    snMuscle_Value(muscle, foot, normal);
    *normal = snNormalizeOr(*normal, snVec(0, 1, 0));
    return foot;
}

snVec3 snMuscle_Project(const snMuscle *muscle, snVec3 point, snVec3 *normal)
{
    snVec3 n, best = firstFoot(muscle, point, &n);
    double share = 1.0;
    for (int round = 0; round < 60 && share > 1e-3; round++) {
        snVec3 off = snSub(point, best), along = snMulAdd(off, -snDot(off, n), n);
        if (snLength(along) <= 1e-10 * muscle->size) break;
        // No more than a fifth of the size at once: the surface is followed, not jumped over.
        double length = fmin(share, 0.2 * muscle->size / snLength(along));
        snVec3 turned, next = snMulAdd(best, length, along);
        if (drop(muscle, &next, &turned) && snDistance(next, point) < snDistance(best, point)) {
            best = next;
            n = turned;
        } else {
            share = 0.5 * fmin(share, length);
        }
    }
    if (normal) *normal = n;
    return best;
}

// Where the ray is in the box; false: nowhere.
static bool clip(snBox box, snVec3 o, snVec3 d, double *from, double *to)
{
    double origin[3] = {o.x, o.y, o.z}, way[3] = {d.x, d.y, d.z};
    double low[3] = {box.lower.x, box.lower.y, box.lower.z};
    double high[3] = {box.upper.x, box.upper.y, box.upper.z};
    for (int i = 0; i < 3; i++) {
        if (way[i] == 0.0) {
            if (origin[i] < low[i] || origin[i] > high[i]) return false;
            continue;
        }
        double a = (low[i] - origin[i]) / way[i], b = (high[i] - origin[i]) / way[i];
        *from = fmax(*from, fmin(a, b));
        *to = fmin(*to, fmax(a, b));
    }
    return *from <= *to;
}

bool snMuscle_Ray(const snMuscle *muscle, snVec3 origin, snVec3 direction, double most, double *t)
{
    double from = 0.0, to = most, length = snLength(direction);
    if (!(length > 0.0) ||
        !clip(snBox_Grow(muscle->bounds, 1e-3 * muscle->size), origin, direction, &from, &to))
        return false;
    double least = muscle->size / (256.0 * length), before = from;
    if (snMuscle_Value(muscle, snMulAdd(origin, from, direction), NULL) <= 0.0) {
        *t = from;
        return true;
    }
    for (double now = from; now < to;) {
        before = now;
        double away = snMuscle_Distance(muscle, snMulAdd(origin, now, direction)) / length;
        now = fmin(to, now + fmax(least, fmin(0.5 * away, 8.0 * least)));
        if (snMuscle_Value(muscle, snMulAdd(origin, now, direction), NULL) > 0.0) continue;
        while ((now - before) * length > 1e-9 * muscle->size) {
            double middle = 0.5 * (before + now);
            if (snMuscle_Value(muscle, snMulAdd(origin, middle, direction), NULL) > 0.0)
                before = middle;
            else
                now = middle;
        }
        *t = now;
        return true;
    }
    return false;
}

// All shapes are convex about their origin: along each direction the surface is crossed once.
static snVec3 crossing(const snMuscle *muscle, snVec3 direction)
{
    double low = 0.0, high = 2.0 * snLength(muscle->half);
    for (int i = 0; i < 60; i++) {
        double middle = 0.5 * (low + high);
        if (snShape_Value(&muscle->shape, snScale(middle, direction)) > 0.0)
            high = middle;
        else
            low = middle;
    }
    return snScale(high, direction);
}

// In a ring at an angle from the lower pole. The rims of a cylinder get rings of their own.
static double ringAngle(const snMuscle *muscle, int row, int rows)
{
    double angle = SN_PI * row / rows;
    if (muscle->shape.kind != SN_SHAPE_CYLINDER || muscle->map.axis != 1) return angle;
    double rim = snAtan2(muscle->shape.size.x, muscle->shape.size.y);
    int at = (int)(rim / SN_PI * rows + 0.5);
    if (at < 1) at = 1;
    if (row == at) return rim;
    return row == rows - at ? SN_PI - rim : angle;
}

static snVec3 direct(int axis, double u, double v, double w)
{
    if (axis == 0) return snVec(w, u, v);
    return axis == 1 ? snVec(v, w, u) : snVec(u, v, w);
}

static int *triangle(int *at, int a, int b, int c)
{
    at[0] = a;
    at[1] = b;
    at[2] = c;
    return at + 3;
}

void snMuscle_Crossings(const snMuscle *muscle, int rows, int columns, snVec3 *own)
{
    int low = (rows - 1) * columns, axis = muscle->map.axis;
    for (int j = 1; j < rows; j++) {
        double angle = ringAngle(muscle, j, rows), ring = snSin(angle), height = -snCos(angle);
        for (int i = 0; i < columns; i++) {
            double turn = 2.0 * SN_PI * i / columns;
            snVec3 d = direct(axis, ring * snCos(turn), ring * snSin(turn), height);
            own[(j - 1) * columns + i] = crossing(muscle, d);
        }
    }
    own[low] = crossing(muscle, direct(axis, 0, 0, -1));
    own[low + 1] = crossing(muscle, direct(axis, 0, 0, 1));
}

void snMuscle_Triangles(int rows, int columns, int *triangles)
{
    int low = (rows - 1) * columns, high = low + 1, *at = triangles;
    for (int i = 0; i < columns; i++) {
        int next = (i + 1) % columns, last = (rows - 2) * columns;
        at = triangle(at, low, next, i);
        at = triangle(at, high, last + i, last + next);
        for (int j = 0; j + 2 < rows; j++) {
            int a = j * columns + i, b = j * columns + next;
            at = triangle(at, a, b, b + columns);
            at = triangle(at, a, b + columns, a + columns);
        }
    }
}

void snMuscle_Mesh(const snMuscle *muscle, int rows, int columns, snVec3 *positions, int *triangles)
{
    snMuscle_Crossings(muscle, rows, columns, positions);
    for (int i = 0; i < SN_MUSCLE_VERTICES(rows, columns); i++)
        positions[i] = snMuscle_Place(muscle, positions[i]);
    snMuscle_Triangles(rows, columns, triangles);
}
