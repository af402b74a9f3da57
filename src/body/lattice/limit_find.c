// Which point of the domain lies at a place in space: the map h inverted.
//
// In one hexahedron |h(u) - x|^2 is made least over 0 <= u <= 1 by Gauss and Newton's method: coordinates
// that are at a bound and would leave it are held there, and steps that do not help are halved. Which
// hexahedra may hold x is told by boxes around their limit corners and middle.
#include "body/lattice/limit_parts.h"
#include "body/lattice/rows.h"

#include "core/error.h"
#include "geometry/primitive.h"

#include <math.h>

#define MOST_STEPS 60
#define FIRST_STEPS 8  // by then it is clear whether a hexahedron holds the place
#define CANDIDATES 256 // the nearest, when there are more
#define INFLATE 0.35   // of a box' diagonal: hexahedra bulge over their corners
#define NUDGE 1e-3     // off an extraordinary edge, where derivatives by u are not there

typedef struct Search {
    snLimitStore *store;
    snVec3 place;
    double tolerance;
    int count, candidate[CANDIDATES]; // hexahedra, by how far their middle is
    double away[CANDIDATES];
    int hex; // the best so far, and where in it
    double u[3], distance;
    snError *error;
} Search;

static double *atAxis(snVec3 *v, int axis)
{
    return axis == 0 ? &v->x : axis == 1 ? &v->y : &v->z;
}

static snStatus evaluate(snLimitStore *s, int hex, const double u[3], snVec3 *place,
                         snMat3 *jacobian, snError *error)
{
    snLimitEnd end;
    snStatus status = snLimit_Evaluate(s, hex, u, &end, error);
    if (status) return status;
    *place = snLimit_PlaceOf(s, &end, jacobian);
    if (end.byU) return SN_OK;
    double near[3];
    for (int a = 0; a < 3; a++)
        near[a] = u[a] + (u[a] < 0.5 ? NUDGE : -NUDGE);
    status = snLimit_Evaluate(s, hex, near, &end, error);
    if (!status) snLimit_PlaceOf(s, &end, jacobian);
    return status;
}

// The step of the coordinates that are free: (J^T J) du = J^T r.
static snVec3 freeStep(snMat3 jacobian, snVec3 miss, const double u[3])
{
    snMat3 a = snMulTMM(jacobian, jacobian);
    snVec3 b = snMulTMV(jacobian, miss), *column[3] = {&a.cx, &a.cy, &a.cz};
    double damp = 1e-14 * snTrace(a) + 1e-300;
    for (int i = 0; i < 3; i++) {
        double push = *atAxis(&b, i);
        *atAxis(column[i], i) += damp;
        if (!((u[i] <= 0 && push <= 0) || (u[i] >= 1 && push >= 0))) continue;
        for (int k = 0; k < 3; k++)
            *atAxis(column[i], k) = *atAxis(column[k], i) = 0;
        *atAxis(column[i], i) = 1;
        *atAxis(&b, i) = 0;
    }
    return snMulMV(snInverse3(a), b);
}

// One step, halved until it helps; false when none does.
static snStatus descend(Search *search, int hex, double u[3], snVec3 *place, snMat3 *jacobian,
                        double *distance, bool *better)
{
    snVec3 step = freeStep(*jacobian, snSub(search->place, *place), u);
    double part = 1, length = snLength(step), next[3], now = INFINITY;
    snStatus status = SN_OK;
    *better = false;
    if (!(length > 1e-15)) return SN_OK;
    for (int half = 0; half < 6 && !status && !(now < *distance); half++, part /= 2) {
        for (int a = 0; a < 3; a++)
            next[a] = fmin(fmax(u[a] + part * *atAxis(&step, a), 0), 1);
        status = evaluate(search->store, hex, next, place, jacobian, search->error);
        now = snDistance(*place, search->place);
    }
    *better = now < *distance;
    if (!*better) return status;
    *distance = now;
    for (int a = 0; a < 3; a++)
        u[a] = next[a];
    return status;
}

// Newton's method in one hexahedron, from a point of it. It is given up early where it comes to a
// bound and hardly nearer.
static snStatus searchHex(Search *search, int hex, const double from[3], int steps)
{
    double u[3] = {from[0], from[1], from[2]};
    snVec3 place;
    snMat3 jacobian;
    bool better = true;
    snStatus status = evaluate(search->store, hex, u, &place, &jacobian, search->error);
    double distance = status ? 0 : snDistance(place, search->place);
    for (int k = 0; k < steps && !status && better && distance > search->tolerance; k++) {
        double before = distance;
        status = descend(search, hex, u, &place, &jacobian, &distance, &better);
        bool bound = false;
        for (int a = 0; a < 3; a++)
            bound = bound || u[a] <= 0 || u[a] >= 1;
        if (steps == FIRST_STEPS && bound && distance > 0.95 * before) break;
    }
    if (status || !(distance < search->distance)) return status;
    search->distance = distance;
    search->hex = hex;
    for (int a = 0; a < 3; a++)
        search->u[a] = u[a];
    return SN_OK;
}

static bool visitHex(int hex, void *context)
{
    Search *search = context;
    double away = snDistance(search->store->middle[hex], search->place);
    int at = search->count < CANDIDATES ? search->count++ : CANDIDATES;
    for (; at > 0 && (search->away[at - 1] > away ||
                      (search->away[at - 1] == away && search->candidate[at - 1] > hex));
         at--)
        if (at < CANDIDATES) {
            search->away[at] = search->away[at - 1];
            search->candidate[at] = search->candidate[at - 1];
        }
    if (at == CANDIDATES) return true;
    search->away[at] = away;
    search->candidate[at] = hex;
    return true;
}

// Tries the candidates, nearest first, that may be nearer than the best.
static snStatus tryCandidates(Search *search)
{
    static const double middle[3] = {0.5, 0.5, 0.5};
    snStatus status = SN_OK;
    for (int i = 0; i < search->count && !status && search->distance > search->tolerance; i++) {
        int hex = search->candidate[i];
        if (search->away[i] - search->store->radius[hex] > search->distance) continue;
        status = searchHex(search, hex, middle, FIRST_STEPS);
    }
    if (!status && search->hex >= 0 && search->distance > search->tolerance) {
        double u[3] = {search->u[0], search->u[1], search->u[2]};
        status = searchHex(search, search->hex, u, MOST_STEPS);
    }
    return status;
}

// Boxes of all hexahedra, once.
static snStatus makeTree(snLimitStore *s, const snContext *context, snError *error)
{
    if (s->size > 0) return SN_OK;
    snArena scratch = snMakeArena(context);
    int n = s->fine.fine.lattice.cellCount;
    snBox *box = SN_NEW(&scratch, snBox, n), all = snEmptyBox();
    s->middle = SN_NEW(s->arena, snVec3, n);
    s->radius = SN_NEW(s->arena, double, n);
    snStatus status = box && s->middle && s->radius ? SN_OK : snFailMemory(error);
    for (int h = 0; h < n && !status; h++) {
        box[h] = snEmptyBox();
        for (int k = 0; k < 9 && !status; k++) { // the corners and the middle
            double u[3];
            snVec3 place;
            snMat3 jacobian;
            for (int a = 0; a < 3; a++)
                u[a] = k == 8 ? 0.5 : k >> a & 1;
            snLimitEnd end;
            status = snLimit_Evaluate(s, h, u, &end, error);
            if (status) break;
            place = snLimit_PlaceOf(s, &end, &jacobian);
            box[h] = snBoxAdd(box[h], place);
            s->middle[h] = place;
        }
        all = snBoxUnion(all, box[h]);
        double more = INFLATE * snBoxDiagonal(box[h]);
        box[h].lower = snSub(box[h].lower, snVec(more, more, more));
        box[h].upper = snAdd(box[h].upper, snVec(more, more, more));
        s->radius[h] = snBoxDiagonal(box[h]);
    }
    if (!status) status = snTree_Build(&s->tree, n, box, s->arena, error);
    if (!status) s->size = snBoxDiagonal(all);
    snArena_Destroy(&scratch);
    return status;
}

// Widens the search until some hexahedron is met, and then to all that may be nearer.
static snStatus searchAll(Search *search)
{
    const snLimitStore *s = search->store;
    double radius = 0;
    while (search->count == 0) {
        snTree_Overlap(&s->tree, snBox_Around(search->place, radius), visitHex, search);
        radius = radius > 0 ? 2 * radius : 1e-3 * s->size;
    }
    snStatus status = tryCandidates(search);
    if (status || search->distance <= search->tolerance) return status;
    search->count = 0;
    snTree_Overlap(&s->tree, snBox_Around(search->place, search->distance), visitHex, search);
    return tryCandidates(search);
}

static snStatus findHex(Search *search, const snLimit *limit, snVec3 place,
                        const snContext *context, snError *error)
{
    snLimitStore *s = limit->store;
    if (!snIsFinite3(place))
        return snFail(error, SN_ERROR_GEOMETRY, "a place to be found in the lattice is not finite");
    if (limit->lattice->cellCount == 0)
        return snFail(error, SN_ERROR_GEOMETRY, "the lattice has no cells to find a place in");
    snStatus status = makeTree(s, context, error);
    if (status) return status;
    *search = (Search){.store = s,
                       .place = place,
                       .tolerance = 1e-14 * s->size,
                       .hex = -1,
                       .distance = INFINITY,
                       .error = error};
    return searchAll(search);
}

// Back from a hexahedron of the store's level to the cell of the lattice.
static snLimitPoint pointOf(const snLimitStore *s, int hex, const double at[3])
{
    const snCellShape *shape = snCellShape_Of(SN_HEX);
    snLimitPoint point = {.cell = hex, .corner = -1, .u = {at[0], at[1], at[2]}};
    for (int level = s->fine.levels; level > 0; level--) {
        // Hexahedra are numbered as the corners that they come from.
        const snSubdivisionLevel *from = &s->fine.level[level - 1];
        int low = 0, high = from->cellCount;
        while (high - low > 1) {
            int middle = (low + high) / 2;
            if (from->cellStart[middle] <= point.cell)
                low = middle;
            else
                high = middle;
        }
        int corner = point.cell - from->cellStart[low];
        point.cell = low;
        if (level == 1) {
            point.corner = corner;
            break;
        }
        double u[3] = {0, 0, 0};
        int bits = snHexBits[corner];
        for (int m = 0; m < 3; m++) {
            int step = bits ^ snHexBits[shape->neighbour[corner][m]];
            int axis = step == 1 ? 0 : step == 2 ? 1 : 2;
            u[axis] = bits >> axis & 1 ? 1 - point.u[m] / 2 : point.u[m] / 2;
        }
        for (int a = 0; a < 3; a++)
            point.u[a] = u[a];
    }
    return point;
}

snStatus snLimit_Find(const snLimit *limit, snVec3 place, snLimitFound *found,
                      const snContext *context, snError *error)
{
    Search search;
    snStatus status = findHex(&search, limit, place, context, error);
    if (status) return status;
    found->distance = search.distance;
    found->point = pointOf(limit->store, search.hex, search.u);
    return SN_OK;
}

// ---- rows -----------------------------------------------------------------------------------------

static bool isSingular(const snLimitStore *s, const snLimitEnd *end)
{
    snMat3 t;
    snLimit_PlaceOf(s, end, &t);
    double size = fmax(snLength(t.cx), fmax(snLength(t.cy), snLength(t.cz)));
    return !(fabs(snDet(t)) > 1e-6 * size * size * size);
}

// φ(x) = φ(u) + ∇φ . (x - h(u)): the rest of the way is linear. It is next to nothing for places in the body.
static snStatus embedPlace(const Search *search, snRowMaker *maker, snError *error)
{
    snLimitStore *s = search->store;
    snLimitEnd end;
    snMat3 tangents;
    double u[3];
    for (int a = 0; a < 3; a++)
        u[a] = search->u[a];
    snStatus status = snLimit_Evaluate(s, search->hex, u, &end, error);
    if (!status && (!end.tangent || isSingular(s, &end))) { // a little inside there is a gradient
        for (int a = 0; a < 3; a++)
            u[a] = fmin(fmax(u[a], 1e-3), 1 - 1e-3);
        status = snLimit_Evaluate(s, search->hex, u, &end, error);
    }
    if (status) return status;
    snVec3 rest = snSub(search->place, snLimit_PlaceOf(s, &end, &tangents));
    snVec3 along = {0, 0, 0};
    if (snDet(tangents) != 0) along = snMulMV(snInverse3(tangents), rest);
    snLimit_SumRows(s, &end);
    for (int i = 0; i < s->usedCount; i++) {
        const double *sum = s->sum[s->used[i]];
        snRowMaker_Add(maker, s->used[i],
                       sum[0] + along.x * sum[1] + along.y * sum[2] + along.z * sum[3]);
    }
    snLimit_ClearRows(s);
    return SN_OK;
}

snStatus snLimit_Embed(const snLimit *limit, int count, const snVec3 *places,
                       snLimitEmbedding *embedding, snArena *arena, const snContext *context,
                       snError *error)
{
    snRowMaker maker;
    *embedding = (snLimitEmbedding){.outside = 0};
    snStatus status = snRowMaker_Begin(&maker, count, limit->functionCount, arena, context, error);
    for (int i = 0; i < count && !status; i++) {
        Search search;
        status = findHex(&search, limit, places[i], context, error);
        if (!status) status = embedPlace(&search, &maker, error);
        if (!status && !snRowMaker_Close(&maker)) status = snFailMemory(error);
        if (status) break;
        embedding->outside += search.distance > 1e-9 * limit->store->size;
        embedding->farthest = fmax(embedding->farthest, search.distance);
    }
    return snRowMaker_End(&maker, &embedding->rows, status, arena, error);
}
