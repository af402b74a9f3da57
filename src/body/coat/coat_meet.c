// How coated bodies meet those of other models (body.h). Their shell is the envelope of all elements, which is what other
// coats touch them by as well. An end of it moves with its link.
//
// B is the inverse of the step's matrix over the degrees of freedom, as the tree stands: springs of joints act between links,
// so that momentum and angular momentum change by what an impulse brings and nothing else. Places that move change
// angular momentum too; what is missing is given to a free root as a turn of the whole.
//
// Flesh gives way as in contacts among coats (coat_solve.c): a cylinder that stands at the end with weight β, its axis a, is
// pressed by the force β a·f against its spring and damper, K = k + γ/h, both at the step's end. So B has β² a aᵀ / (h² K)
// beside the links' part, and what yields shortens by β a·P / (h K), up to its shortest. It has no momentum of its own.
//
// Where the body stands on colliders it does not yield into them. With C the rows of its samples there along the normals, and
// S what their flesh gives,
//     B = A⁻¹ - A⁻¹ Cᵀ (C A⁻¹ Cᵀ + S)⁻¹ C A⁻¹:
// a light body under a heavy one on a floor would else be taken for one that gives way. Not where points are tied, which
// may lift it.
#include "body/coat/coat_parts.h"
#include "core/error.h"
#include "geometry/primitive.h"
#include "numerics/dense.h"

#include <string.h>

#define STANDS 5e-4  // m, from a collider
#define REGULAR 1e-6 // of the diagonal: samples of one link depend on each other

#define TAIL 10 // of a column: the end's place, its link, corners and shares

typedef struct Held { // an end on its link
    int link;
    snVec3 place;
} Held;

static snCoatBody *coatOf(snBody *body)
{
    return (snCoatBody *)body;
}

static const snCoatBody *constCoatOf(const snBody *body)
{
    return (const snCoatBody *)body;
}

// ---- the shell ------------------------------------------------------------------------------------------

// Triangles of all elements over all cylinders; what elements have of themselves counts from their own first.
static snStatus reserve(snBody *body, int ends, snError *error)
{
    snCoatBody *b = coatOf(body);
    int n = b->coating->elementCount, total = b->firstPlane[n];
    ends += b->mostThrusts;
    int *triangles = SN_NEW(&b->arena, int, 3 * (size_t)total);
    b->thrusts = SN_NEW(&b->arena, snCoatThrust, ends);
    b->elementOf = SN_NEW(&b->arena, int, b->cylinderCount);
    b->loads = SN_NEW(&b->arena, double, b->cylinderCount);
    b->stands = SN_NEW(&b->arena, snCoatStand, SN_COAT_STANDS);
    b->standColumns = SN_NEW(&b->arena, double, SN_COAT_STANDS *(size_t)b->size);
    b->standFactor = SN_NEW(&b->arena, double, SN_COAT_STANDS *SN_COAT_STANDS);
    if (!triangles || !b->thrusts || !b->elementOf || !b->loads || !b->stands || !b->standColumns ||
        !b->standFactor)
        return snFailMemory(error);
    b->mostThrusts = ends;
    for (int e = 0; e < n; e++) {
        const snElement *element = &b->coating->elements[e].element;
        for (int k = 0; k < 3 * element->triangleCount; k++)
            triangles[3 * b->firstPlane[e] + k] = b->first[e] + element->triangles[k];
        for (int i = b->first[e]; i < b->first[e + 1]; i++)
            b->elementOf[i] = e;
    }
    b->shellTriangles = triangles;
    body->keeps = body->exact = !b->def.fixed && !b->follow; // asked for by those that it meets
    return SN_OK;
}

static void shellOf(const snBody *body, snBodyShell *shell)
{
    const snCoatBody *b = constCoatOf(body);
    *shell = (snBodyShell){.vertexCount = b->cylinderCount,
                           .triangleCount = b->firstPlane[b->coating->elementCount],
                           .triangles = b->shellTriangles,
                           .friction = b->def.friction};
}

static void shellPlaces(const snBody *body, snVec3 *places)
{
    const snCoatBody *b = constCoatOf(body);
    for (int e = 0; e < b->coating->elementCount; e++) {
        const snCoatElement *ce = &b->coating->elements[e];
        for (int i = 0; i < ce->element.count; i++)
            places[b->first[e] + i] =
                snMulAP(b->frames[ce->joint], snElement_Sample(&ce->element, b->lengths[e], i));
    }
}

static Held heldAt(const snCoatBody *b, const snBodyEnd *end)
{
    if (end->point >= 0) {
        const snCoatPoint *p = &b->points[end->point];
        return (Held){p->link, snMulAP(snArticulated_Frame(b->state, p->link), p->local)};
    }
    int e = b->elementOf[end->corner[0]];
    const snCoatElement *ce = &b->coating->elements[e];
    Held held = {b->linkOf[ce->joint], {0, 0, 0}};
    for (int k = 0; k < 3; k++) {
        int i = end->corner[k] - b->first[e];
        if (end->share[k] != 0)
            held.place = snMulAdd(held.place, end->share[k],
                                  snElement_Sample(&ce->element, b->lengths[e], i));
    }
    held.place = snMulAP(b->frames[ce->joint], held.place);
    return held;
}

void snCoatBody_ForgetThrusts(snCoatBody *b)
{
    b->thrustCount = 0;
    if (b->loads) memset(b->loads, 0, (size_t)b->cylinderCount * sizeof *b->loads);
}

// A cylinder's axis, outwards, in the world.
static snVec3 axisOf(const snCoatBody *b, int i)
{
    const snCoatElement *ce = &b->coating->elements[b->elementOf[i]];
    return snMulMV(b->frames[ce->joint].linear, ce->element.axis[i - b->first[b->elementOf[i]]]);
}

static void thrust(snBody *body, const snBodyEnd *end, snVec3 place, snVec3 force)
{
    snCoatBody *b = coatOf(body);
    if (b->thrustCount == b->mostThrusts) return;
    b->thrusts[b->thrustCount++] = (snCoatThrust){heldAt(b, end).link, place, force};
    for (int k = 0; k < 3 && end->point < 0; k++)
        b->loads[end->corner[k]] -= end->share[k] * snDot(axisOf(b, end->corner[k]), force);
}

// γ: what resists how fast a cylinder shortens.
static double dampingOf(const snCoatBody *b, const snElement *element, int i)
{
    return element->spring[i].damping + b->def.dissipation * element->spring[i].stiffness;
}

void snCoatBody_Press(snCoatBody *b, double h)
{
    for (int e = 0; e < b->coating->elementCount; e++) {
        const snElement *element = &b->coating->elements[e].element;
        snElementMotion *flesh = &b->flesh[e];
        for (int i = 0; i < element->count; i++) {
            double load = b->loads[b->first[e] + i], length = flesh->length[i];
            double k = element->spring[i].stiffness, damping = dampingOf(b, element, i);
            double force =
                k * (flesh->rest[i] - length) + damping * (b->begin[b->first[e] + i] - length) / h;
            double give = (load - fmax(0, force)) / (k + damping / h);
            if (!(load > 0) || !(give > 0)) continue;
            snElement_Strike(element, flesh, i, fmax(element->shortest[i], length - give), 0);
        }
    }
}

// ---- how ends yield -------------------------------------------------------------------------------------

static size_t yieldSize(const snBody *body)
{
    return 3 * (size_t)constCoatOf(body)->size + TAIL;
}

// One over K of a cylinder; 0 where it cannot get shorter.
static double softness(const snCoatBody *b, int i)
{
    int e = b->elementOf[i], own = i - b->first[e];
    const snElement *element = &b->coating->elements[e].element;
    double h = b->step.length, k = element->spring[own].stiffness;
    if (!(b->flesh[e].length[own] > element->shortest[own])) return 0;
    return 1 / (k + dampingOf(b, element, own) / h);
}

static void addStand(snCoatBody *b, int i, const snTouch *touch)
{
    if (b->standCount == SN_COAT_STANDS) return;
    const snCoatElement *ce = &b->coating->elements[b->elementOf[i]];
    double slant = snDot(axisOf(b, i), touch->normal), h = b->step.length;
    b->stands[b->standCount++] =
        (snCoatStand){.link = b->linkOf[ce->joint],
                      .place = snMulAP(b->frames[ce->joint],
                                       snElement_Sample(&ce->element, b->lengths[b->elementOf[i]],
                                                        i - b->first[b->elementOf[i]])),
                      .normal = touch->normal,
                      .give = slant * slant * softness(b, i) / (h * h)};
}

static void findStands(snCoatBody *b)
{
    b->standCount = 0;
    for (int k = 0; k < b->step.colliderCount; k++) {
        snBox bounds = snBox_Grow(snCollider_Bounds(&b->step.colliders[k]), STANDS);
        for (int i = 0; i < b->cylinderCount; i++) {
            const snCoatElement *ce = &b->coating->elements[b->elementOf[i]];
            int own = i - b->first[b->elementOf[i]];
            snVec3 x = snMulAP(b->frames[ce->joint],
                               snElement_Sample(&ce->element, b->lengths[b->elementOf[i]], own));
            snTouch touch;
            if (!snBox_Contains(bounds, x)) continue;
            if (snCollider_Query(&b->step.colliders[k], x, STANDS, &touch)) addStand(b, i, &touch);
        }
    }
}

// C_j of a column over the degrees of freedom.
static double alongStand(const snCoatBody *b, int j, const double *column)
{
    const snCoatStand *s = &b->stands[j];
    return snDot(s->normal, snArticulated_Change(b->tree, b->state, s->link, s->place, column));
}

static void factorStands(snCoatBody *b)
{
    size_t n = (size_t)b->size;
    int m = b->standCount;
    for (int j = 0; j < m; j++) {
        const snCoatStand *s = &b->stands[j];
        const double share[3] = {s->normal.x, s->normal.y, s->normal.z};
        double *to = b->standColumns + (size_t)j * n;
        snArticulated_Column(b->tree, b->state, s->link, s->place, b->columns);
        for (size_t i = 0; i < n; i++)
            to[i] = share[0] * b->columns[i] + share[1] * b->columns[n + i] +
                    share[2] * b->columns[2 * n + i];
    }
    for (int j = 0; j < m; j++)
        for (int k = 0; k < m; k++) {
            double v = alongStand(b, j, b->standColumns + (size_t)k * n);
            b->standFactor[j * m + k] = j == k ? (1 + REGULAR) * v + b->stands[j].give : v;
        }
    if (m && snDenseCholesky(m, b->standFactor, NULL)) b->standCount = 0;
}

// What of a column the stands take.
static void standUnder(const snCoatBody *b, double *column)
{
    double pushes[SN_COAT_STANDS];
    size_t n = (size_t)b->size;
    if (!b->standCount) return;
    for (int j = 0; j < b->standCount; j++)
        pushes[j] = alongStand(b, j, column);
    snDenseCholesky_Solve(b->standCount, b->standFactor, pushes);
    for (int j = 0; j < b->standCount; j++)
        for (size_t i = 0; i < n; i++)
            column[i] -= pushes[j] * b->standColumns[(size_t)j * n + i];
}

static void yieldBegin(snBody *body, bool tied)
{
    snCoatBody *b = coatOf(body);
    snArticulated_Prepare(b->tree, b->state, b->step.length);
    b->standCount = 0;
    if (tied) return;
    findStands(b);
    factorStands(b);
}

static void yieldColumn(snBody *body, const snBodyEnd *end, bool again, double *column)
{
    snCoatBody *b = coatOf(body);
    Held held = heldAt(b, end);
    double *tail = column + 3 * (size_t)b->size;
    (void)again; // the tree has moved
    snArticulated_Column(b->tree, b->state, held.link, held.place, column);
    for (size_t k = 0; k < 3; k++)
        standUnder(b, column + k * (size_t)b->size);
    tail[0] = held.place.x, tail[1] = held.place.y, tail[2] = held.place.z;
    tail[3] = held.link;
    for (int k = 0; k < 3; k++) {
        tail[4 + k] = end->point < 0 ? end->corner[k] : 0;
        tail[7 + k] = end->point < 0 ? end->share[k] : 0;
    }
}

static snMat3 yieldRow(const snBody *body, const snBodyEnd *p, const double *columnOfP,
                       const double *columnOfQ)
{
    const snCoatBody *b = constCoatOf(body);
    const double *tail = columnOfP + 3 * (size_t)b->size, *other = columnOfQ + 3 * (size_t)b->size;
    double h = b->step.length;
    (void)p;
    snMat3 sum = snArticulated_Response(b->tree, b->state, (int)tail[3],
                                        snVec(tail[0], tail[1], tail[2]), columnOfQ);
    for (int k = 0; k < 3; k++)
        for (int l = 0; l < 3; l++) {
            double share = tail[7 + k] * other[7 + l];
            if (share == 0 || tail[4 + k] != other[4 + l]) continue;
            snVec3 axis = axisOf(b, (int)tail[4 + k]);
            share *= softness(b, (int)tail[4 + k]) / (h * h);
            sum = snAddMM(sum, snScaleM(share, snOuter(axis, axis)));
        }
    return sum;
}

// ---- yielding -------------------------------------------------------------------------------------------

// Of the flesh, as the body stands; lengths change once all are known.
static void yieldFlesh(snCoatBody *b, int count, const snBodyNudge *nudges, double time)
{
    double h = b->step.length;
    memset(b->loads, 0, (size_t)b->cylinderCount * sizeof *b->loads);
    for (int n = 0; n < count; n++) {
        const double *tail = nudges[n].column + 3 * (size_t)b->size;
        for (int k = 0; k < 3; k++) {
            int i = (int)tail[4 + k];
            if (tail[7 + k] == 0) continue;
            double along = tail[7 + k] * snDot(axisOf(b, i), nudges[n].impulse);
            b->loads[i] += time / (h * h) * softness(b, i) * along;
        }
    }
    for (int i = 0; i < b->cylinderCount; i++) {
        int e = b->elementOf[i], own = i - b->first[e];
        const snElement *element = &b->coating->elements[e].element;
        if (b->loads[i] == 0) continue;
        double length = fmax(element->shortest[own], b->flesh[e].length[own] + b->loads[i]);
        snElement_Strike(element, &b->flesh[e], own, fmin(length, element->longest[own]), 0);
    }
}

static void yield(snBody *body, int count, const snBodyNudge *nudges, double time, snVec3 couple)
{
    snCoatBody *b = coatOf(body);
    size_t n = (size_t)b->size;
    double *sum = b->columns;
    snBodyMeasure want;
    snBody_Motion(body, &want);
    snBodyNudges_Add(count, nudges, couple, &want);
    if (time > 0) yieldFlesh(b, count, nudges, time);
    memset(sum, 0, n * sizeof *sum);
    for (int k = 0; k < count; k++) {
        const double share[3] = {nudges[k].impulse.x, nudges[k].impulse.y, nudges[k].impulse.z};
        for (size_t c = 0; c < 3; c++)
            for (size_t i = 0; i < n; i++)
                sum[i] += share[c] * nudges[k].column[c * n + i];
    }
    snArticulated_Shift(b->tree, b->state, sum, time);
    if (!b->def.fixed && !b->holdCount && !b->standCount)
        snBody_GiveMomentum(body, want.momentum, want.angularMomentum);
    snCoatBody_Pose(b);
}

const snBodyMeeting snCoatMeeting = {.shell = shellOf,
                                     .shellPlaces = shellPlaces,
                                     .reserve = reserve,
                                     .thrust = thrust,
                                     .yieldSize = yieldSize,
                                     .yieldBegin = yieldBegin,
                                     .yieldColumn = yieldColumn,
                                     .yieldRow = yieldRow,
                                     .yield = yield};
