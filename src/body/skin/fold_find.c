#include "body/skin/fold.h"

#include "core/error.h"
#include "core/sets.h"
#include "geometry/edges.h"
#include "geometry/primitive.h"

#include <string.h>

// Which points and faces, and which edges, may meet. One tree over the triangles, refitted, is walked against itself.
//
// A part of a surface that hangs together and whose normals all have n·d > 0 for one direction d lies like a sheet over the
// plane across d, and does not meet itself unless its outline does (Volino and Magnenat-Thalmann, "Efficient self-collision
// detection on smoothly discretized surface animations using geometrical shape regularity", 1994). Every node of the
// tree knows a box of its normals, with middle c and half sides e. With d = c the least n·d in it is |c|² - Σ |c_i| e_i: where
// that is well above 0 the node is left. So smooth skin costs a walk along the borders of such nodes. That its outline does not meet
// itself is made sure of by its surroundings: the normals of all faces around its points count as its own. Else a face beside it that
// turns over would lay one part of the node on another. Normals of what was left are watched, too, as long as pairs hold.
//
// Points and edges belong to several triangles; each is looked at with one of them alone, its owner (Curtis, Tamstorf and
// Manocha, "Fast collision detection for deformable models using representative-triangles", 2008).
//
// Pairs are found with some room, so that they hold for many steps: until a point has moved by more than `margin` against the mean
// of all. They stand in the order in which the tree is walked, which does not depend on when.

#define FLAT 0.3   // of |d|: how far from upright normals a sheet may have
#define SHARE 0.25 // of the mean edge: the thickness where none is given
#define SMALL 0.35 // of its shortest edge: that of a point at most
#define JOINED 0.2 // of it: between pairs that are joined by an edge
#define PAIRS_PER_POINT 96

snSkinFoldDef snDefaultSkinFoldDef(void)
{
    return (snSkinFoldDef){.friction = 0.3};
}

// ---- making -------------------------------------------------------------------------------------

static void findThickness(snSkinFold *fold, const snVec3 *places)
{
    double sum = 0.0;
    for (int i = 0; i < fold->mesh->pointCount; i++)
        fold->pointThickness[i] = INFINITY;
    for (int e = 0; e < fold->edgeCount; e++) {
        const int *p = fold->edges + 2 * (size_t)e;
        double length = snDistance(places[p[0]], places[p[1]]);
        sum += length;
        for (int k = 0; k < 2; k++)
            if (length > 0.0)
                fold->pointThickness[p[k]] = fmin(fold->pointThickness[p[k]], SMALL * length);
    }
    if (!(fold->thickness > 0.0) && fold->edgeCount)
        fold->thickness = SHARE * sum / fold->edgeCount;
    for (int i = 0; i < fold->mesh->pointCount; i++)
        fold->pointThickness[i] = fmin(fold->pointThickness[i], fold->thickness);
    fold->margin = 0.5 * fold->thickness;
}

// Edges of all triangles, each once, and who owns points and edges: the first triangle that has them.
static void findOwners(snSkinFold *fold, snSide *sides, bool *taken)
{
    const snSkinMesh *mesh = fold->mesh;
    int count = 3 * mesh->triangleCount;
    for (int k = 0; k < count; k++) {
        int a = mesh->triangles[k], *owned = &fold->owned[6 * (k / 3)];
        owned[k % 3] = taken[a] ? -1 : a;
        owned[3 + k % 3] = -1;
        taken[a] = true;
    }
    snSides_Sort(sides, mesh->triangles, mesh->triangleCount);
    for (int k = 0; k < count; k = snSides_End(sides, count, k)) {
        fold->edges[2 * fold->edgeCount] = sides[k].low;
        fold->edges[2 * fold->edgeCount + 1] = sides[k].high;
        fold->owned[6 * (sides[k].corner / 3) + 3 + sides[k].corner % 3] = fold->edgeCount++;
    }
}

// Points across edges, those of one point next to each other.
static void findBeside(snSkinFold *fold)
{
    int *start = fold->besideStart;
    for (int k = 0; k < 2 * fold->edgeCount; k++)
        start[fold->edges[k] + 2]++;
    for (int i = 2; i < fold->mesh->pointCount + 2; i++)
        start[i] += start[i - 1];
    for (int k = 0; k < 2 * fold->edgeCount; k++)
        fold->beside[start[fold->edges[k] + 1]++] = fold->edges[k ^ 1];
}

// The items of a node lie next to each other: those of its first and its last leaf bound them.
static void rangeOf(const snTree *tree, int node, int *first, int *end)
{
    int low = node, high = node;
    while (!tree->nodes[low].count)
        low = tree->nodes[low].first;
    while (!tree->nodes[high].count)
        high = tree->nodes[high].first + 1;
    *first = tree->nodes[low].first;
    *end = tree->nodes[high].first + tree->nodes[high].count;
}

// A node hangs together where all its triangles are joined by points that they share.
static void findWhole(snSkinFold *fold, int *parent)
{
    const snSkinMesh *mesh = fold->mesh;
    for (int n = 0; n < fold->tree.nodeCount; n++) {
        int first, end;
        rangeOf(&fold->tree, n, &first, &end);
        for (int i = first; i < end; i++)
            for (int k = 0; k < 3; k++) {
                int p = mesh->triangles[3 * fold->tree.items[i] + k];
                parent[p] = p;
            }
        for (int i = first; i < end; i++)
            for (int k = 1; k < 3; k++) {
                const int *c = mesh->triangles + 3 * (size_t)fold->tree.items[i];
                snSets_Join(parent, c[k], c[0]);
            }
        int root = snSets_Root(parent, mesh->triangles[3 * fold->tree.items[first]]);
        fold->whole[n] = true;
        for (int i = first; i < end; i++)
            fold->whole[n] &= snSets_Root(parent, mesh->triangles[3 * fold->tree.items[i]]) == root;
    }
}

static bool allocate(snSkinFold *fold, snArena *arena)
{
    const snSkinMesh *mesh = fold->mesh;
    size_t points = (size_t)mesh->pointCount, triangles = (size_t)mesh->triangleCount;
    fold->mostPairs = PAIRS_PER_POINT * mesh->pointCount;
    fold->pointThickness = SN_NEW(arena, double, points);
    fold->edges = SN_NEW(arena, int, 6 * triangles);
    fold->owned = SN_NEW(arena, int, 6 * triangles);
    fold->besideStart = SN_NEW(arena, int, points + 2);
    fold->beside = SN_NEW(arena, int, 6 * triangles);
    fold->boxes = SN_NEW(arena, snBox, triangles);
    fold->faceNormals = SN_NEW(arena, snVec3, triangles);
    fold->inSheet = SN_NEW(arena, bool, points);
    fold->tangled = SN_NEW(arena, bool, points);
    fold->around = SN_NEW(arena, snBox, points);
    fold->from = SN_NEW(arena, snVec3, points);
    fold->last = SN_NEW(arena, snVec3, points);
    fold->travel = SN_NEW(arena, double, points);
    fold->near = SN_NEW(arena, snFoldNear, fold->mostPairs);
    fold->pairs = SN_NEW(arena, snFoldPair, fold->mostPairs);
    fold->whole = SN_NEW(arena, bool, 2 * triangles);
    fold->normals = SN_NEW(arena, snBox, 2 * triangles);
    return fold->inSheet && fold->tangled && fold->around && fold->besideStart && fold->beside &&
           fold->pointThickness && fold->edges && fold->owned && fold->boxes && fold->faceNormals &&
           fold->from && fold->last && fold->travel && fold->near && fold->pairs && fold->whole &&
           fold->normals;
}

static snTriangle triangleAt(const snSkinMesh *mesh, int t, const snVec3 *r)
{
    return snTriangle_At(r, mesh->triangles + 3 * (size_t)t);
}

snStatus snSkinFold_Make(snSkinFold *fold, const snSkinFoldDef *def, const snSkinMesh *mesh,
                         const snVec3 *places, snArena *arena, snError *error)
{
    *fold = (snSkinFold){.mesh = mesh, .thickness = def->thickness, .friction = def->friction};
    if (!(def->thickness >= 0.0 && isfinite(def->thickness)) ||
        !(def->friction >= 0.0 && isfinite(def->friction)))
        return snFail(error, SN_ERROR_ARGUMENT,
                      "layers of a skin are %g m apart with a friction of %g; both must be 0 or "
                      "more",
                      def->thickness, def->friction);
    snArena scratch = {.allocator = arena->allocator};
    snSide *sides = SN_NEW(&scratch, snSide, 3 * (size_t)mesh->triangleCount);
    bool *taken = SN_NEW(&scratch, bool, mesh->pointCount);
    int *parent = SN_NEW(&scratch, int, mesh->pointCount);
    snStatus status =
        sides && taken && parent && allocate(fold, arena) ? SN_OK : snFailMemory(error);
    if (!status) {
        findOwners(fold, sides, taken);
        findBeside(fold);
        findThickness(fold, places);
        for (int t = 0; t < mesh->triangleCount; t++)
            fold->boxes[t] = snTriangle_Bounds(triangleAt(mesh, t, places));
        status = snTree_Build(&fold->tree, mesh->triangleCount, fold->boxes, arena, error);
    }
    if (!status) findWhole(fold, parent);
    snArena_Destroy(&scratch);
    return status;
}

// ---- pairs --------------------------------------------------------------------------------------

typedef struct Walk {
    snSkinFold *fold;
    double room; // boxes of points are grown by
    double most; // pairs that are farther apart, beyond their thickness, do not come into question
} Walk;

static bool areBeside(const snSkinFold *fold, int a, int b)
{
    for (int k = fold->besideStart[a]; k < fold->besideStart[a + 1]; k++)
        if (fold->beside[k] == b) return true;
    return false;
}

// Both sides are joined by an edge: they are near each other where skin is pressed together, without any fold.
static bool areJoined(const snSkinFold *fold, const int point[4], bool edges)
{
    int first = edges ? 2 : 1;
    for (int a = 0; a < first; a++)
        for (int b = first; b < 4; b++)
            if (areBeside(fold, point[a], point[b])) return true;
    return false;
}

static double thicknessOf(const snSkinFold *fold, const int point[4], bool edges)
{
    const double *t = fold->pointThickness;
    double least = fmin(fmin(t[point[0]], t[point[1]]), fmin(t[point[2]], t[point[3]]));
    return areJoined(fold, point, edges) ? JOINED * least : least;
}

// How far apart they are where the step begins. (Motion within the step is in the boxes alone; it is added here.)
static double distanceOf(const snSkinFold *fold, const int point[4], bool edges)
{
    const snVec3 *r = fold->from;
    snVec3 a = r[point[0]], b = r[point[1]], c = r[point[2]], d = r[point[3]];
    double s, t;
    if (!edges) return snDistance(a, snClosestOnTriangle(a, (snTriangle){b, c, d}, NULL));
    snClosestOfSegments(a, b, c, d, &s, &t);
    return snDistance(snLerp(a, b, s), snLerp(c, d, t));
}

static void addPair(const Walk *walk, const int point[4], bool edges)
{
    snSkinFold *fold = walk->fold;
    double apart = distanceOf(fold, point, edges);
    if (apart > fold->thickness + walk->most) return;
    double thickness = thicknessOf(fold, point, edges);
    if (apart > thickness + walk->most) return;
    if (fold->pairCount == fold->mostPairs) {
        fold->count.dropped++;
        return;
    }
    fold->pairs[fold->pairCount++] = (snFoldPair){
        {point[0], point[1], point[2], point[3]}, (float)thickness, edges, apart - thickness};
}

// Where a point comes by, the mean motion of all taken out.
static snBox wayBox(const snSkinFold *fold, int p)
{
    return (snBox){fold->from[p], fold->from[p]};
}

static void pointAndFace(const Walk *walk, int p, int t)
{
    snSkinFold *fold = walk->fold;
    const int *c = fold->mesh->triangles + 3 * (size_t)t;
    if (p < 0 || p == c[0] || p == c[1] || p == c[2]) return;
    snBox box = snBox_Grow(wayBox(fold, p), walk->room);
    if (snBoxOverlap(box, fold->boxes[t])) addPair(walk, (int[4]){p, c[0], c[1], c[2]}, false);
}

static snBox edgeBox(const snSkinFold *fold, const int *e)
{
    return snBoxUnion(wayBox(fold, e[0]), wayBox(fold, e[1]));
}

static void edgeAndEdge(const Walk *walk, int first, int second)
{
    snSkinFold *fold = walk->fold;
    if (first < 0 || second < 0) return;
    const int *e = fold->edges + 2 * (size_t)first, *f = fold->edges + 2 * (size_t)second;
    if (e[0] == f[0] || e[0] == f[1] || e[1] == f[0] || e[1] == f[1]) return;
    if (snBoxOverlap(snBox_Grow(edgeBox(fold, e), 2.0 * walk->room), edgeBox(fold, f)))
        addPair(walk, (int[4]){e[0], e[1], f[0], f[1]}, true);
}

// ---- what cuts itself ---------------------------------------------------------------------------

static double volume(snVec3 a, snVec3 b, snVec3 c, snVec3 d)
{
    return snDot(snTwiceArea(a, b, c), snSub(d, a));
}

// Ends of an edge are on two sides of the triangle's plane, and all three sides of the triangle pass it on one hand.
static bool edgeCuts(snVec3 p, snVec3 q, snTriangle t)
{
    double above = volume(t.a, t.b, t.c, p), below = volume(t.a, t.b, t.c, q);
    if ((above > 0.0) == (below > 0.0)) return false;
    bool u = volume(p, q, t.a, t.b) > 0.0, v = volume(p, q, t.b, t.c) > 0.0,
         w = volume(p, q, t.c, t.a) > 0.0;
    return u == v && v == w;
}

static bool trianglesCut(snTriangle s, snTriangle t)
{
    return edgeCuts(s.a, s.b, t) || edgeCuts(s.b, s.c, t) || edgeCuts(s.c, s.a, t) ||
           edgeCuts(t.a, t.b, s) || edgeCuts(t.b, t.c, s) || edgeCuts(t.c, t.a, s);
}

// Where a skin cuts itself when a step begins, sides are wrong: parting would keep them so. What is tangled is let go, so that
// elasticity and muscles draw it out, until it is free.
static void noteCut(const Walk *walk, int s, int t)
{
    snSkinFold *fold = walk->fold;
    const int *a = fold->mesh->triangles + 3 * (size_t)s,
              *b = fold->mesh->triangles + 3 * (size_t)t;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            if (a[i] == b[k]) return;
    snTriangle first = triangleAt(fold->mesh, s, fold->from);
    snTriangle second = triangleAt(fold->mesh, t, fold->from);
    if (!snBoxOverlap(snTriangle_Bounds(first), snTriangle_Bounds(second)) ||
        !trianglesCut(first, second))
        return;
    fold->cuts++;
    for (int k = 0; k < 3; k++)
        fold->tangled[a[k]] = fold->tangled[b[k]] = true;
}

// Pairs with something tangled on both sides are left out.
static void leaveTangles(snSkinFold *fold)
{
    int kept = 0;
    const bool *is = fold->tangled;
    for (int i = 0; i < fold->pairCount; i++) {
        const snFoldPair *p = &fold->pairs[i];
        bool far = is[p->point[2]] || is[p->point[3]];
        bool both = p->edges ? (is[p->point[0]] || is[p->point[1]]) && far
                             : is[p->point[0]] && (is[p->point[1]] || far);
        if (!both) fold->pairs[kept++] = *p;
    }
    fold->pairCount = kept;
}

static void triangles(const Walk *walk, int s, int t)
{
    const int *a = walk->fold->owned + 6 * (size_t)s, *b = walk->fold->owned + 6 * (size_t)t;
    if (!snBoxOverlap(walk->fold->boxes[s], walk->fold->boxes[t])) return;
    noteCut(walk, s, t);
    for (int k = 0; k < 3; k++) {
        pointAndFace(walk, a[k], t);
        pointAndFace(walk, b[k], s);
    }
    for (int i = 3; i < 6; i++)
        for (int k = 3; k < 6; k++)
            edgeAndEdge(walk, a[i], b[k]);
}

// ---- the walk -----------------------------------------------------------------------------------

static bool isSheet(const snSkinFold *fold, int node)
{
    snBox box = fold->normals[node];
    snVec3 c = snLerp(box.lower, box.upper, 0.5), e = snSub(box.upper, c);
    double least = snLengthSquared(c);
    for (int k = 0; k < 3; k++)
        least -= fabs(snComponent(c, k)) * snComponent(e, k);
    return fold->whole[node] && least > FLAT * snLength(c);
}

static void across(const Walk *walk, int a, int b)
{
    const snTree *tree = &walk->fold->tree;
    const snTreeNode *m = &tree->nodes[a], *n = &tree->nodes[b];
    if (!snBoxOverlap(m->box, n->box)) return;
    if (m->count && n->count) {
        for (int i = m->first; i < m->first + m->count; i++)
            for (int k = n->first; k < n->first + n->count; k++)
                triangles(walk, tree->items[i], tree->items[k]);
    } else if (!m->count) {
        across(walk, m->first, b);
        across(walk, m->first + 1, b);
    } else {
        across(walk, a, n->first);
        across(walk, a, n->first + 1);
    }
}

// What lies within a sheet is let be as long as its normals stay on its side: they are watched.
static void noteSheet(snSkinFold *fold, int node)
{
    int first, end;
    rangeOf(&fold->tree, node, &first, &end);
    for (int i = first; i < end; i++)
        for (int k = 0; k < 3; k++)
            fold->inSheet[fold->mesh->triangles[3 * fold->tree.items[i] + k]] = true;
}

static void within(const Walk *walk, int node)
{
    const snTree *tree = &walk->fold->tree;
    const snTreeNode *n = &tree->nodes[node];
    if (isSheet(walk->fold, node)) {
        noteSheet(walk->fold, node);
        return;
    }
    for (int i = n->first; n->count && i < n->first + n->count; i++)
        for (int k = i + 1; k < n->first + n->count; k++)
            triangles(walk, tree->items[i], tree->items[k]);
    if (n->count) return;
    within(walk, n->first);
    within(walk, n->first + 1);
    across(walk, n->first, n->first + 1);
}

static void refit(snSkinFold *fold, double room)
{
    const snTree *tree = &fold->tree;
    for (int t = 0; t < fold->mesh->triangleCount; t++) {
        snTriangle at = triangleAt(fold->mesh, t, fold->from);
        fold->boxes[t] = snBox_Grow(snTriangle_Bounds(at), room);
        fold->faceNormals[t] = snNormalizeOr(snTriangle_AreaVector(at), snVec(0, 0, 0));
    }
    snTree_Refit(&fold->tree, fold->boxes);
    for (int i = 0; i < fold->mesh->pointCount; i++)
        fold->around[i] = snEmptyBox();
    for (int k = 0; k < 3 * fold->mesh->triangleCount; k++) {
        snBox *box = &fold->around[fold->mesh->triangles[k]];
        *box = snBoxAdd(*box, fold->faceNormals[k / 3]);
    }
    for (int n = tree->nodeCount - 1; n >= 0; n--) {
        const snTreeNode *node = &tree->nodes[n];
        snBox box = snEmptyBox();
        for (int i = node->first; i < node->first + node->count; i++)
            for (int k = 0; k < 3; k++)
                box = snBoxUnion(box, fold->around[fold->mesh->triangles[3 * tree->items[i] + k]]);
        fold->normals[n] =
            node->count ? box
                        : snBoxUnion(fold->normals[node->first], fold->normals[node->first + 1]);
    }
}

static snVec3 meanMotion(const snVec3 *from, const snVec3 *to, int count)
{
    snVec3 mean = {0, 0, 0};
    for (int i = 0; i < count; i++)
        mean = snAdd(mean, snSub(to[i], from[i]));
    return snScale(1.0 / count, mean);
}

// All paths are bounded by straight pieces between places at which this was asked.
void snSkinFold_Follow(snSkinFold *fold, const snVec3 *places)
{
    int count = fold->mesh->pointCount;
    snVec3 carried = meanMotion(fold->from, places, count);
    for (int i = 0; i < count; i++) {
        snVec3 now = snSub(places[i], carried);
        fold->travel[i] += snDistance(now, fold->last[i]);
        fold->last[i] = now;
    }
}

// Normals of sheets and around them have turned by less than the angle whose sine is FLAT.
static bool sheetsHold(const snSkinFold *fold, const snVec3 *r)
{
    for (int t = 0; t < fold->mesh->triangleCount; t++) {
        const int *c = fold->mesh->triangles + 3 * (size_t)t;
        if (!fold->inSheet[c[0]] && !fold->inSheet[c[1]] && !fold->inSheet[c[2]]) continue;
        snVec3 n = snTriangle_AreaVector(triangleAt(fold->mesh, t, r));
        double along = snDot(n, fold->faceNormals[t]);
        if (!(along > 0.0 && along * along >= (1.0 - FLAT * FLAT) * snLengthSquared(n)))
            return false;
    }
    return true;
}

// Pairs that were found hold: no point is farther than the margin from where it was then, nor on its way there.
static bool pairsHold(const snSkinFold *fold, const snVec3 *places)
{
    double most = fold->margin * fold->margin;
    int count = fold->mesh->pointCount;
    snVec3 carried = meanMotion(fold->from, places, count);
    for (int i = 0; i < count; i++)
        if (snLengthSquared(snSub(snSub(places[i], carried), fold->from[i])) > most) return false;
    return sheetsHold(fold, places);
}

void snSkinFold_Find(snSkinFold *fold, const snVec3 *from, const snVec3 *to)
{
    int count = fold->mesh->pointCount;
    if (!fold->tree.nodeCount) return;
    if (!fold->found || !pairsHold(fold, from) || !pairsHold(fold, to)) {
        memcpy(fold->from, from, (size_t)count * sizeof *from);
        memcpy(fold->last, from, (size_t)count * sizeof *from);
        memset(fold->travel, 0, (size_t)count * sizeof *fold->travel);
        memset(fold->inSheet, 0, (size_t)count * sizeof *fold->inSheet);
        memset(fold->tangled, 0, (size_t)count * sizeof *fold->tangled);
        fold->cuts = 0;
        fold->found = true;
        fold->pairCount = 0;
        fold->count.finds++;
        double most = 0.0;
        snVec3 mean = meanMotion(from, to, count);
        for (int i = 0; i < count; i++)
            most = fmax(most, snLengthSquared(snSub(snSub(to[i], from[i]), mean)));
        double reach = fmax(fold->margin, sqrt(most)); // a point's, of what is to hold
        Walk walk = {fold, 0.5 * fold->thickness + reach, 2.0 * reach};
        refit(fold, walk.room);
        within(&walk, 0);
        if (fold->cuts) leaveTangles(fold);
    }
    snSkinFold_Follow(fold, from);
    snSkinFold_Follow(fold, to);
}
