#include "geometry/moving.h"

#include "core/error.h"

#include <string.h>

#define SLACK 1e-12 // of the size

// At the share s of a step a vertex is at (1 - s) a + s b. The least of these over the corners of a triangle is no less than
// (1 - s) min a + s min b, so boxes at the step's begin and end, mixed alike, hold what they held all along: a node needs two boxes
// for all times. Multiplication and addition of floating-point numbers are monotone: this is true to the last bit. Distances of
// triangles are not: of two that share the nearest corner rounding decides which is nearer. So that it decides alike wherever a search begins, bounds are
// loosened by a little.
//
// Seen from a point that goes along, at x + (t - s) w at the share t, a box of the begin is off by s w and one of the end by
// -(1 - s) w; between, all is straight again, so that the box around both holds the whole way.

static snBox boxOf(const snMovingMesh *moving, int t, int side)
{
    const int *corners = moving->triangles + 3 * (size_t)t;
    return snTriangle_Bounds(snTriangle_At(moving->place[side], corners));
}

// Children come after their parents.
static void fit(snMovingMesh *moving, int side)
{
    const snTree *tree = &moving->tree;
    snBox *item = moving->item[side], *node = moving->node[side];
    for (int i = 0; i < tree->itemCount; i++)
        item[i] = boxOf(moving, moving->triangleOf[i], side);
    for (int n = tree->nodeCount - 1; n >= 0; n--) {
        const snTreeNode *at = &tree->nodes[n];
        snBox box = at->count ? item[at->first] : node[at->first];
        for (int k = 1; k < at->count; k++)
            box = snBoxUnion(box, item[at->first + k]);
        node[n] = at->count ? box : snBoxUnion(box, node[at->first + 1]);
    }
}

static snStatus buildTree(snMovingMesh *moving, const snMesh *mesh, const bool *leaves,
                          snArena *arena, snArena *scratch, snError *error)
{
    int count = 0;
    snBox *boxes = SN_NEW(scratch, snBox, mesh->triangleCount);
    int *kept = SN_NEW(scratch, int, mesh->triangleCount);
    if (!boxes || !kept) return snFailMemory(error);
    for (int t = 0; t < mesh->triangleCount; t++) {
        if (leaves && leaves[t]) continue;
        boxes[count] = boxOf(moving, t, 0);
        kept[count++] = t;
    }
    snStatus status = snTree_Build(&moving->tree, count, boxes, arena, error);
    moving->triangleOf = SN_NEW(arena, int, count);
    for (int side = 0; side < 2; side++) {
        moving->node[side] = SN_NEW(arena, snBox, moving->tree.nodeCount);
        moving->item[side] = SN_NEW(arena, snBox, count);
        if (!moving->node[side] || !moving->item[side]) return snFailMemory(error);
    }
    if (!status && !moving->triangleOf) return snFailMemory(error);
    for (int i = 0; i < count && !status; i++)
        moving->triangleOf[i] = kept[moving->tree.items[i]];
    return status;
}

snStatus snMovingMesh_Make(snMovingMesh *moving, const snMesh *mesh, const bool *leaves,
                           snArena *arena, snError *error)
{
    *moving = (snMovingMesh){.vertexCount = mesh->vertexCount, .triangles = mesh->triangles};
    for (int side = 0; side < 2; side++)
        moving->place[side] = SN_COPY(arena, snVec3, mesh->positions, mesh->vertexCount);
    if (!moving->place[0] || !moving->place[1]) return snFailMemory(error);
    snArena scratch = {.allocator = arena->allocator};
    snStatus status = buildTree(moving, mesh, leaves, arena, &scratch, error);
    snArena_Destroy(&scratch);
    if (status) return status;
    snBox box = snMesh_Bounds(mesh);
    moving->slack = SLACK * snBoxDiagonal(box);
    snMovingMesh_Aim(moving);
    snMovingMesh_Arrive(moving);
    return SN_OK;
}

void snMovingMesh_Aim(snMovingMesh *moving)
{
    fit(moving, 1);
}

void snMovingMesh_Arrive(snMovingMesh *moving)
{
    size_t nodes = (size_t)moving->tree.nodeCount, items = (size_t)moving->tree.itemCount;
    memcpy(moving->place[0], moving->place[1], (size_t)moving->vertexCount * sizeof(snVec3));
    if (nodes) memcpy(moving->node[0], moving->node[1], nodes * sizeof(snBox));
    if (items) memcpy(moving->item[0], moving->item[1], items * sizeof(snBox));
}

snVec3 snMovingMesh_Vertex(const snMovingMesh *moving, int v, double share)
{
    return snLerp(moving->place[0][v], moving->place[1][v], share);
}

snTriangle snMovingMesh_Triangle(const snMovingMesh *moving, int t, double share)
{
    const int *c = moving->triangles + 3 * (size_t)t;
    return (snTriangle){snMovingMesh_Vertex(moving, c[0], share),
                        snMovingMesh_Vertex(moving, c[1], share),
                        snMovingMesh_Vertex(moving, c[2], share)};
}

// ---- the nearest place --------------------------------------------------------------------------

static inline double beyond(double low, double high, double x)
{
    double below = low - x, above = x - high, more = below > above ? below : above;
    return more > 0.0 ? more : 0.0;
}

// As snBox_DistanceSquared.
static inline double squareTo(snVec3 lower, snVec3 upper, snVec3 x)
{
    double dx = beyond(lower.x, upper.x, x.x);
    double dy = beyond(lower.y, upper.y, x.y);
    double dz = beyond(lower.z, upper.z, x.z);
    return dx * dx + dy * dy + dz * dz;
}

static inline double boxDistance(const snBox *const side[2], int n, double share, snVec3 x)
{
    return squareTo(snLerp(side[0][n].lower, side[1][n].lower, share),
                    snLerp(side[0][n].upper, side[1][n].upper, share), x);
}

void snMovingMesh_Nearer(const snMovingMesh *moving, double share, snVec3 x, int t,
                         snSurfacePoint *best)
{
    snSurfacePoint found = {.triangle = t};
    found.point =
        snClosestOnTriangle(x, snMovingMesh_Triangle(moving, t, share), found.barycentric);
    found.distance = snLengthSquared(snSub(found.point, x));
    bool lower = best->triangle < 0 || t < best->triangle;
    if (found.distance < best->distance || (found.distance == best->distance && lower))
        *best = found;
}

// The square of a distance that a bound may not exceed, from that of the best.
static double limitOf(const snMovingMesh *moving, double square)
{
    double limit = sqrt(square) + moving->slack;
    return limit * limit;
}

typedef struct Place {
    int node;
    double distance;
} Place;

snSurfacePoint snMovingMesh_Closest(const snMovingMesh *moving, double share, snVec3 x,
                                    double maxDistance, int near)
{
    const snTreeNode *nodes = moving->tree.nodes;
    const snBox *const node[2] = {moving->node[0], moving->node[1]};
    const snBox *const item[2] = {moving->item[0], moving->item[1]};
    snSurfacePoint best = {.triangle = -1, .distance = maxDistance * maxDistance};
    Place stack[SN_TREE_DEPTH];
    int top = 0;
    if (near >= 0) snMovingMesh_Nearer(moving, share, x, near, &best);
    double limit = limitOf(moving, best.distance);
    if (moving->tree.nodeCount > 0 && maxDistance >= 0.0)
        stack[top++] = (Place){0, boxDistance(node, 0, share, x)};
    while (top > 0) {
        Place at = stack[--top];
        const snTreeNode *n = &nodes[at.node];
        if (at.distance > limit) continue;
        for (int i = n->first; i < n->first + n->count; i++)
            if (boxDistance(item, i, share, x) <= limit)
                snMovingMesh_Nearer(moving, share, x, moving->triangleOf[i], &best);
        if (n->count) limit = limitOf(moving, best.distance);
        if (n->count) continue;
        Place left = {n->first, boxDistance(node, n->first, share, x)};
        Place right = {n->first + 1, boxDistance(node, n->first + 1, share, x)};
        bool leftFirst = left.distance <= right.distance; // the nearer child goes on top
        stack[top++] = leftFirst ? right : left;
        stack[top++] = leftFirst ? left : right;
    }
    best.distance = sqrt(best.distance);
    return best;
}

// ---- seen from a point that goes along ------------------------------------------------------------

typedef struct Way {
    snVec3 before, after; // of boxes at the step's begin and end
    snVec3 x;
} Way;

static Way wayOf(const snMovingPoint *along)
{
    return (Way){snScale(along->share, along->way), snScale(along->share - 1.0, along->way),
                 along->point};
}

static inline double wayDistance(const snBox *const side[2], int n, const Way *way)
{
    snVec3 a = way->before, b = way->after;
    return squareTo(snMin(snAdd(side[0][n].lower, a), snAdd(side[1][n].lower, b)),
                    snMax(snAdd(side[0][n].upper, a), snAdd(side[1][n].upper, b)), way->x);
}

double snMovingMesh_Loose(const snMovingMesh *moving, int t, snVec3 way)
{
    const int *c = moving->triangles + 3 * (size_t)t;
    double most = 0.0;
    for (int k = 0; k < 3; k++) {
        snVec3 own = snSub(moving->place[1][c[k]], moving->place[0][c[k]]);
        most = fmax(most, snLengthSquared(snSub(own, way)));
    }
    return sqrt(most);
}

// A triangle is never nearer than it is now, less what its corners go off.
static double leastDistance(const snMovingMesh *moving, const snMovingPoint *along, int t,
                            double *loose)
{
    snSurfacePoint now = {.triangle = -1, .distance = INFINITY};
    *loose = snMovingMesh_Loose(moving, t, along->way);
    snMovingMesh_Nearer(moving, along->share, along->point, t, &now);
    return sqrt(now.distance) - *loose * fmax(along->share, 1.0 - along->share);
}

// By what comes nearest; of equal ones by their numbers.
static void insert(snMovingNear *list, int count, snMovingNear one)
{
    int k = count;
    for (; k > 0 && (list[k - 1].least > one.least ||
                     (list[k - 1].least == one.least && list[k - 1].triangle > one.triangle));
         k--)
        list[k] = list[k - 1];
    list[k] = one;
}

int snMovingMesh_Gather(const snMovingMesh *moving, const snMovingPoint *along, double reach,
                        int most, snMovingNear *list, double *loosest)
{
    const snBox *const node[2] = {moving->node[0], moving->node[1]};
    const snBox *const item[2] = {moving->item[0], moving->item[1]};
    const Way way = wayOf(along);
    int stack[SN_TREE_DEPTH], top = 0, count = 0;
    reach += moving->slack;
    *loosest = 0.0;
    if (moving->tree.nodeCount > 0) stack[top++] = 0;
    while (top > 0 && count <= most) {
        int at = stack[--top];
        const snTreeNode *n = &moving->tree.nodes[at];
        if (wayDistance(node, at, &way) > reach * reach) continue;
        for (int i = n->first; i < n->first + n->count; i++) {
            double loose;
            if (wayDistance(item, i, &way) > reach * reach) continue;
            double least = leastDistance(moving, along, moving->triangleOf[i], &loose);
            if (least > reach) continue;
            if (count < most) insert(list, count, (snMovingNear){moving->triangleOf[i], least});
            count++;
            *loosest = fmax(*loosest, loose);
        }
        if (n->count) continue;
        stack[top++] = n->first + 1;
        stack[top++] = n->first;
    }
    return count;
}

double snMovingMesh_Clearance(const snMovingMesh *moving, const snMovingPoint *along, double most)
{
    const snTreeNode *nodes = moving->tree.nodes;
    const snBox *const node[2] = {moving->node[0], moving->node[1]};
    const snBox *const item[2] = {moving->item[0], moving->item[1]};
    const Way way = wayOf(along);
    Place stack[SN_TREE_DEPTH];
    int top = 0;
    if (moving->tree.nodeCount > 0) stack[top++] = (Place){0, wayDistance(node, 0, &way)};
    while (top > 0 && most > 0.0) {
        Place at = stack[--top];
        const snTreeNode *n = &nodes[at.node];
        if (at.distance >= most * most) continue;
        for (int i = n->first; i < n->first + n->count; i++) {
            double loose;
            if (wayDistance(item, i, &way) >= most * most) continue;
            most =
                fmin(most, fmax(0.0, leastDistance(moving, along, moving->triangleOf[i], &loose)));
        }
        if (n->count) continue;
        Place left = {n->first, wayDistance(node, n->first, &way)};
        Place right = {n->first + 1, wayDistance(node, n->first + 1, &way)};
        bool leftFirst = left.distance <= right.distance;
        stack[top++] = leftFirst ? right : left;
        stack[top++] = leftFirst ? left : right;
    }
    return most;
}
