#include "geometry/level.h"

#define DIFFERENCE 1e-4   // of a cell, for gradients by differences
#define CLOSE_ENOUGH 1e-9 // of a cell, the distance at which a point is on the surface
#define NEAR_ENOUGH 1e-3  // of a cell, at which a projection that has stopped counts as done
#define ROUNDS 12

// Distances beyond the six sides, negative inside; returns the largest and its outward direction.
static double beyondBox(snBox box, snVec3 p, snVec3 *direction)
{
    double d[6] = {box.lower.x - p.x, box.lower.y - p.y, box.lower.z - p.z,
                   p.x - box.upper.x, p.y - box.upper.y, p.z - box.upper.z};
    int most = 0;
    for (int i = 1; i < 6; i++)
        if (d[i] > d[most]) most = i;
    double sign = most < 3 ? -1.0 : 1.0;
    *direction =
        snVec(most % 3 == 0 ? sign : 0, most % 3 == 1 ? sign : 0, most % 3 == 2 ? sign : 0);
    return d[most];
}

double snLevel_Value(const snLevel *level, snVec3 point)
{
    snVec3 direction;
    double beyond = beyondBox(level->box, point, &direction);
    double value = level->field->value(level->field->user, point);
    return value <= beyond ? beyond : value; // NaN stays, and counts as outside
}

static snVec3 difference(const snField *field, snVec3 p, double h)
{
    double x = field->value(field->user, snVec(p.x + h, p.y, p.z)) -
               field->value(field->user, snVec(p.x - h, p.y, p.z));
    double y = field->value(field->user, snVec(p.x, p.y + h, p.z)) -
               field->value(field->user, snVec(p.x, p.y - h, p.z));
    double z = field->value(field->user, snVec(p.x, p.y, p.z + h)) -
               field->value(field->user, snVec(p.x, p.y, p.z - h));
    return snScale(0.5 / h, snVec(x, y, z));
}

snVec3 snLevel_Gradient(const snLevel *level, snVec3 point)
{
    const snField *field = level->field;
    snVec3 direction;
    double beyond = beyondBox(level->box, point, &direction);
    if (!(field->value(field->user, point) > beyond)) return direction;
    if (field->gradient) return field->gradient(field->user, point);
    return difference(field, point, DIFFERENCE * level->cell);
}

// Newton along the gradient; a step that does not bring |f| down is halved.
static bool newtonStep(const snLevel *level, snVec3 *p, double *value, snVec3 gradient)
{
    double slope2 = snLengthSquared(gradient);
    snVec3 step = snScale(-*value / slope2, gradient);
    double length = snLength(step);
    if (!isfinite(length)) return false;
    if (length > 0.5 * level->cell) step = snScale(0.5 * level->cell / length, step);
    for (int i = 0; i < 6; i++, step = snScale(0.5, step)) {
        snVec3 next = snAdd(*p, step);
        double nextValue = snLevel_Value(level, next);
        if (!(fabs(nextValue) < fabs(*value))) continue;
        *p = next;
        *value = nextValue;
        return true;
    }
    return false;
}

bool snLevel_Project(const snLevel *level, snVec3 *point)
{
    snVec3 p = *point;
    double value = snLevel_Value(level, p), distance = INFINITY;
    for (int i = 0; i < ROUNDS; i++) {
        snVec3 gradient = snLevel_Gradient(level, p);
        distance = fabs(value) / snLength(gradient);
        if (!(distance > CLOSE_ENOUGH * level->cell)) break;
        if (!newtonStep(level, &p, &value, gradient)) break;
    }
    if (value == 0.0) distance = 0.0;
    if (!(distance < NEAR_ENOUGH * level->cell)) return false;
    *point = p;
    return true;
}
