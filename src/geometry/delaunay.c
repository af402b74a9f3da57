#include "geometry/delaunay.h"

#include "core/array.h"
#include "core/error.h"
#include "core/random.h"
#include "core/sets.h"
#include "geometry/primitive.h"
#include "geometry/tree.h"

#include <libqhull_r/qhull_ra.h>

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

// Barber, Dobkin, Huhdanpaa, "The Quickhull Algorithm for Convex Hulls", 1996.
//
// The Delaunay tetrahedra are the lower facets of the hull of the lifted points (x, |x|²) in four
// dimensions. Where more than four points share an empty sphere a lower facet has more than four
// corners, and cutting each such facet by itself (Qhull's Qt) does not match across neighbours;
// moving the points (Qhull's QJ) leaves flat tetrahedra inside the body. So the lift alone is
// disturbed: (x, |x|² + ε_i) with random ε_i. Every lower hull over the unmoved points projects to
// a valid triangulation (a regular one), and generic ε_i make all its cells simplices.
//
// ε_i is a small share of d², d the distance to the nearest other point: too small to hide a point
// or to matter where there is a choice, but larger than δ d for coordinates that are rounded by δ.
// Then a tetrahedron that is flat but for that rounding is hardly ever a cell: the slope ε/δ of its
// facet would pass below the points at the distance d on one side of it. Where chance has made one
// nevertheless, a corner's ε is drawn anew (Cheng, Dey, Edelsbrunner, Facello, Teng, "Sliver
// Exudation", 2000). On the hull, points that are almost in one plane make steep facets (almost
// vertical in four dimensions); these slivers are left out.
//
// Qhull reports errors by longjmp to the setjmp inside qh_new_qhull, which then returns a code:
// nothing outside this file sees it. Its messages go to a buffer.

#define STEEP 1e-5      // lifted share of a steep facet's normal: spheres of 10⁵ times the size
#define SLIVER 1e-6     // volume over the product of three edges, of a sliver
#define FLAT 1e-13      // the same for one without volume
#define SAME_PLACE 1e-7 // of half the size; squares of less are lost in the lift's rounding
#define APEX 16.0       // the lifted points are below 3
#define REDRAWS 12      // rounds that chase slivers ...
#define STALLS 3        // ... and those among them that may be without success

static const double shares[] = {1e-3, 1e-5, 1e-2, 1e-8}; // ε over d², tried in turn

typedef struct Cloud {
    int count;
    const snVec3 *points;
    int *places; // [placeCount], the lowest-numbered point of each place
    int placeCount;
    double *nearest2; // [placeCount], squared distance to the nearest other place, scaled
    double *draws;    // [placeCount], in [0, 1): ε_i = share * draw * nearest2
    double *lifted;   // [(placeCount + 1) * 4], with an apex at the end
    snVec3 middle;
    double scale; // (x - middle) * scale is within [-1, 1]³
} Cloud;

typedef struct Capture {
    char text[256];
    FILE *file;
} Capture;

static snStatus checkPoints(int count, const snVec3 *points, snError *error)
{
    for (int i = 0; i < count; i++)
        if (!snIsFinite3(points[i]))
            return snFail(error, SN_ERROR_GEOMETRY,
                          "point %d is at (%g, %g, %g); points must be finite numbers", i,
                          points[i].x, points[i].y, points[i].z);
    if (count < 4)
        return snFail(error, SN_ERROR_GEOMETRY,
                      "%d points have no tetrahedra; at least 4 are needed", count);
    return SN_OK;
}

// Leaves out all but the lowest-numbered of points at one place.
static snStatus findPlaces(Cloud *cloud, snArena *scratch, snError *error)
{
    snWeld weld;
    snMesh mesh = {.vertexCount = cloud->count, .positions = cloud->points};
    snStatus status = snMesh_Weld(&weld, &mesh, SAME_PLACE / cloud->scale, scratch, error);
    if (status) return status;
    cloud->places = SN_NEW(scratch, int, weld.mesh.vertexCount);
    cloud->lifted = SN_NEW(scratch, double, 4 * ((size_t)weld.mesh.vertexCount + 1));
    if (!cloud->places || !cloud->lifted) return snFailMemory(error);
    for (int i = 0; i < cloud->count; i++)
        if (weld.weldOf[i] == cloud->placeCount) cloud->places[cloud->placeCount++] = i;
    return SN_OK;
}

static snVec3 placeOf(const Cloud *cloud, int i)
{
    return snScale(cloud->scale, snSub(cloud->points[cloud->places[i]], cloud->middle));
}

// Points on a line or in a plane have no tetrahedra: looks for four that span the most space.
static snStatus checkSpan(const Cloud *cloud, snError *error)
{
    snVec3 a = placeOf(cloud, 0), b = a, normal = snVec(0, 0, 0), direction;
    double far = 0.0, wide = 0.0, high = 0.0;
    for (int i = 1; i < cloud->placeCount; i++) {
        double distance = snDistance(placeOf(cloud, i), a);
        if (distance > far) {
            far = distance;
            b = placeOf(cloud, i);
        }
    }
    direction = snNormalizeOr(snSub(b, a), snVec(0, 0, 0));
    for (int i = 1; i < cloud->placeCount; i++) {
        snVec3 across = snCross(direction, snSub(placeOf(cloud, i), a));
        if (snLength(across) > wide) {
            wide = snLength(across);
            normal = across;
        }
    }
    normal = snNormalizeOr(normal, snVec(0, 0, 0));
    for (int i = 1; i < cloud->placeCount; i++) {
        double height = fabs(snDot(normal, snSub(placeOf(cloud, i), a)));
        if (height > high) high = height;
    }
    if (wide > 1e-9 && high > 1e-9) return SN_OK;
    return snFail(error, SN_ERROR_GEOMETRY,
                  "the %d points lie in one %s and have no tetrahedra; add a point outside it",
                  cloud->count, wide > 1e-9 ? "plane" : "line");
}

static void frameCloud(Cloud *cloud)
{
    snBox box = snBoxOf(cloud->count, cloud->points);
    snVec3 half = snSub(snScale(0.5, box.upper), snScale(0.5, box.lower));
    double largest = half.x > half.y ? half.x : half.y;
    if (half.z > largest) largest = half.z;
    cloud->middle = snAdd(snScale(0.5, box.upper), snScale(0.5, box.lower));
    cloud->scale = largest > 1e-300 ? 1.0 / largest : 1.0;
}

static double nearestOther2(const Cloud *cloud, const snTree *tree, int self)
{
    int stack[SN_TREE_DEPTH], top = 0;
    double best = INFINITY;
    snVec3 p = placeOf(cloud, self);
    stack[top++] = 0;
    while (top > 0) {
        const snTreeNode *node = &tree->nodes[stack[--top]];
        if (snBox_DistanceSquared(node->box, p) >= best) continue;
        for (int i = node->first; i < node->first + node->count; i++) {
            double distance2 = snLengthSquared(snSub(placeOf(cloud, tree->items[i]), p));
            if (tree->items[i] != self && distance2 < best) best = distance2;
        }
        if (node->count) continue;
        // The child whose box is nearer goes on top.
        int nearer = snBox_DistanceSquared(tree->nodes[node->first].box, p) <=
                             snBox_DistanceSquared(tree->nodes[node->first + 1].box, p)
                         ? 0
                         : 1;
        stack[top++] = node->first + 1 - nearer;
        stack[top++] = node->first + nearer;
    }
    return best;
}

static snStatus findSpacing(Cloud *cloud, snArena *scratch, snError *error)
{
    snBox *boxes = SN_NEW(scratch, snBox, cloud->placeCount);
    cloud->nearest2 = SN_NEW(scratch, double, cloud->placeCount);
    cloud->draws = SN_NEW(scratch, double, cloud->placeCount);
    if (!boxes || !cloud->nearest2 || !cloud->draws) return snFailMemory(error);
    for (int i = 0; i < cloud->placeCount; i++)
        boxes[i] = (snBox){placeOf(cloud, i), placeOf(cloud, i)};
    snTree tree;
    snStatus status = snTree_Build(&tree, cloud->placeCount, boxes, scratch, error);
    for (int i = 0; !status && i < cloud->placeCount; i++)
        cloud->nearest2[i] = nearestOther2(cloud, &tree, i);
    return status;
}

static void lift(const Cloud *cloud, double share)
{
    snVec3 mean = snVec(0, 0, 0);
    for (int i = 0; i < cloud->placeCount; i++) {
        snVec3 p = placeOf(cloud, i);
        double *out = cloud->lifted + 4 * (size_t)i;
        out[0] = p.x;
        out[1] = p.y;
        out[2] = p.z;
        out[3] = snLengthSquared(p) + share * cloud->nearest2[i] * cloud->draws[i];
        mean = snMulAdd(mean, 1.0 / cloud->placeCount, p);
    }
    // One more point high above the middle: over the hull all lower facets lie below the lifted
    // points, so it touches none, and it gives the hull of four points four dimensions.
    double *apex = cloud->lifted + 4 * (size_t)cloud->placeCount;
    apex[0] = mean.x;
    apex[1] = mean.y;
    apex[2] = mean.z;
    apex[3] = APEX;
}

static void sortCorners(int c[4])
{
    // Even permutations keep the orientation: the lowest first, then the lowest of the other three.
    int least = 0;
    for (int i = 1; i < 4; i++)
        if (c[i] < c[least]) least = i;
    if (least) {
        int a = c[least], other = least == 1 ? 2 : 1, third = 6 - least - other;
        int b = c[0], d = c[other], e = c[third];
        // Exchange (0, least) and (other, third).
        c[0] = a;
        c[least] = b;
        c[other] = e;
        c[third] = d;
    }
    while (c[1] > c[2] || c[1] > c[3]) {
        int first = c[1];
        c[1] = c[2];
        c[2] = c[3];
        c[3] = first;
    }
}

static snTetrahedron tetOf(const Cloud *cloud, const int c[4])
{
    const snVec3 *p = cloud->points;
    return (snTetrahedron){snScale(cloud->scale, snSub(p[c[0]], cloud->middle)),
                           snScale(cloud->scale, snSub(p[c[1]], cloud->middle)),
                           snScale(cloud->scale, snSub(p[c[2]], cloud->middle)),
                           snScale(cloud->scale, snSub(p[c[3]], cloud->middle))};
}

// Copies the lower facets. False when one of them is not a simplex: the lift was too regular.
static bool collectFacets(qhT *qh, const Cloud *cloud, int *corners, int *count)
{
    facetT *facet;
    vertexT *vertex, **vertexp;
    *count = 0;
    FORALLfacets
    {
        if (facet->normal[3] > -STEEP) continue;
        if (qh_setsize(qh, facet->vertices) != 4) return false;
        int *c = corners + 4 * (size_t)*count;
        int n = 0;
        FOREACHvertex_(facet->vertices) c[n++] = cloud->places[qh_pointid(qh, vertex->point)];
        if (snTetrahedron_Volume(tetOf(cloud, c)) < 0.0) {
            int swap = c[2];
            c[2] = c[3];
            c[3] = swap;
        }
        sortCorners(c);
        ++*count;
    }
    return true;
}

static int countLower(qhT *qh)
{
    facetT *facet;
    int count = 0;
    FORALLfacets if (facet->normal[3] <= -STEEP) count++;
    return count;
}

static snStatus explain(int code, const Capture *capture, snError *error)
{
    if (code == qh_ERRmem) return snFailMemory(error);
    int length = 0;
    while (capture->text[length] && capture->text[length] != '\n')
        length++;
    return snFail(error, SN_ERROR_NUMERIC, "Qhull cannot tetrahedralise the points (%.*s)", length,
                  capture->text);
}

// One hull in four dimensions. *corners stays NULL when some facets were not simplices.
static snStatus runQhull(const Cloud *cloud, int **corners, int *count, snArena *scratch,
                         snError *error)
{
    *corners = NULL;
    *count = 0;
    qhT *qh = SN_NEW(scratch, qhT, 1);
    Capture *capture = SN_NEW(scratch, Capture, 1);
    if (!qh || !capture) return snFailMemory(error);
    capture->file = fmemopen(capture->text, sizeof capture->text - 1, "w");
    if (!capture->file) return snFailMemory(error);
    setbuf(capture->file, NULL);

    char command[] = "qhull Qs Q12 Pp"; // Qhull wants it writable
    qh_zero(qh, capture->file);
    int code = qh_new_qhull(qh, 4, cloud->placeCount + 1, cloud->lifted, False, command, NULL,
                            capture->file);
    snStatus status = code ? explain(code, capture, error) : SN_OK;
    if (!status) {
        int *list = SN_NEW(scratch, int, 4 * (size_t)countLower(qh));
        if (!list)
            status = snFailMemory(error);
        else if (collectFacets(qh, cloud, list, count))
            *corners = list;
    }
    int longBlocks, longBytes;
    qh_freeqhull(qh, !qh_ALL);
    qh_memfreeshort(qh, &longBlocks, &longBytes);
    fclose(capture->file);
    return status;
}

static int compareTets(const void *a, const void *b)
{
    const int *p = a, *q = b;
    for (int i = 0; i < 4; i++)
        if (p[i] != q[i]) return p[i] < q[i] ? -1 : 1;
    return 0;
}

// Faces in a table by their sorted corners; face f of a tetrahedron lies across from corner f.
typedef struct FaceTable {
    size_t mask;
    int *slots; // 4 * tetrahedron + face + 1; 0 is free
    const int *corners;
} FaceTable;

static void faceKey(const int *corners, int face, int key[3])
{
    int n = 0;
    for (int i = 0; i < 4; i++)
        if (i != face % 4) key[n++] = corners[face - face % 4 + i];
    for (int i = 1; i < 3; i++)
        for (int k = i; k > 0 && key[k - 1] > key[k]; k--) {
            int swap = key[k];
            key[k] = key[k - 1];
            key[k - 1] = swap;
        }
}

static int *findFace(const FaceTable *table, const int key[3])
{
    uint64_t hash = 0;
    for (int i = 0; i < 3; i++)
        hash = (hash ^ (uint64_t)key[i]) * 0x9e3779b97f4a7c15u;
    size_t slot = (size_t)(hash >> 24) & table->mask;
    while (table->slots[slot]) {
        int other[3];
        faceKey(table->corners, table->slots[slot] - 1, other);
        if (other[0] == key[0] && other[1] == key[1] && other[2] == key[2]) break;
        slot = (slot + 1) & table->mask;
    }
    return &table->slots[slot];
}

// Fills `neighbours`; false when three tetrahedra meet at one face.
static bool matchFaces(FaceTable *table, int count, const int *corners, int *neighbours)
{
    table->corners = corners;
    memset(table->slots, 0, (table->mask + 1) * sizeof *table->slots);
    for (int f = 0; f < 4 * count; f++) {
        int key[3];
        faceKey(corners, f, key);
        int *slot = findFace(table, key);
        neighbours[f] = -1;
        if (!*slot) {
            *slot = f + 1;
            continue;
        }
        int other = *slot - 1;
        if (neighbours[other] >= 0) return false;
        neighbours[other] = f / 4;
        neighbours[f] = other / 4;
    }
    return true;
}

static bool isFlat(const Cloud *cloud, const int *c, double limit)
{
    snTetrahedron t = tetOf(cloud, c);
    double size = snDistance(t.a, t.b) * snDistance(t.a, t.c) * snDistance(t.a, t.d);
    return snTetrahedron_Volume(t) <= limit * size;
}

// Slivers on the hull, between points that are almost in one plane, are peeled off one after
// another.
static int peelHull(const Cloud *cloud, FaceTable *table, snTets *tets)
{
    int removed = 0, kept = 0;
    for (int t = 0; t < tets->count; t++) {
        const int *neighbours = tets->neighbours + 4 * (size_t)t;
        int open = 0;
        for (int i = 0; i < 4; i++)
            open += neighbours[i] < 0;
        if (open && isFlat(cloud, tets->corners + 4 * (size_t)t, SLIVER)) {
            removed++;
            continue;
        }
        memmove(tets->corners + 4 * (size_t)kept++, tets->corners + 4 * (size_t)t, 4 * sizeof(int));
    }
    tets->count = kept;
    matchFaces(table, kept, tets->corners, tets->neighbours);
    return removed;
}

// Nothing is missing: no tetrahedron is flat, every place is a corner, and the open faces hang
// together (those around a hole inside would be apart from the hull's). `parent` is scratch, by
// points.
static bool isWhole(const Cloud *cloud, const snTets *tets, int *parent)
{
    int used = 0, hull = -1;
    for (int v = 0; v < cloud->count; v++)
        parent[v] = -1;
    for (int f = 0; f < 4 * tets->count; f++) {
        int v = tets->corners[f];
        if (f % 4 == 0 && isFlat(cloud, tets->corners + f, FLAT)) return false;
        if (parent[v] < 0) used++;
        if (parent[v] < 0) parent[v] = v;
    }
    for (int f = 0; f < 4 * tets->count; f++) {
        int key[3];
        if (tets->neighbours[f] >= 0) continue;
        faceKey(tets->corners, f, key);
        snSets_Join(parent, key[1], key[0]);
        snSets_Join(parent, key[2], key[0]);
    }
    for (int f = 0; f < 4 * tets->count; f++) {
        int key[3];
        if (tets->neighbours[f] >= 0) continue;
        faceKey(tets->corners, f, key);
        if (hull < 0) hull = snSets_Root(parent, key[0]);
        if (hull != snSets_Root(parent, key[0])) return false;
    }
    return used == cloud->placeCount;
}

static snStatus finish(const Cloud *cloud, int *corners, int count, snTets *out, bool *whole,
                       snArena *arena, snError *error)
{
    snArena scratch = {.allocator = arena->allocator};
    size_t size = 16;
    while (size < 6 * (size_t)count)
        size *= 2;
    FaceTable table = {size - 1, SN_NEW(&scratch, int, size), NULL};
    int *parent = SN_NEW(&scratch, int, cloud->count);
    *out = (snTets){count, corners, SN_NEW(&scratch, int, 4 * (size_t)count)};
    snStatus status = SN_OK;
    *whole = false;
    if (table.slots && parent && out->neighbours) {
        qsort(corners, (size_t)count, 4 * sizeof(int), compareTets);
        if (matchFaces(&table, count, corners, out->neighbours)) {
            while (peelHull(cloud, &table, out)) {}
            *whole = isWhole(cloud, out, parent);
        }
        out->corners = SN_COPY(arena, int, corners, 4 * (size_t)out->count);
        out->neighbours = SN_COPY(arena, int, out->neighbours, 4 * (size_t)out->count);
    }
    if (!table.slots || !parent || !out->neighbours || !out->corners) status = snFailMemory(error);
    snArena_Destroy(&scratch);
    return status;
}

static snStatus attempt(const Cloud *cloud, double share, snTets *out, bool *whole, snArena *arena,
                        snError *error)
{
    snArena scratch = {.allocator = arena->allocator};
    snArenaMark mark = snArena_Mark(arena);
    int *corners, count;
    *whole = false;
    lift(cloud, share);
    snStatus status = runQhull(cloud, &corners, &count, &scratch, error);
    if (!status && corners) status = finish(cloud, corners, count, out, whole, arena, error);
    if (status || !*whole) {
        snArena_Rewind(arena, mark);
        *out = (snTets){0};
    }
    snArena_Destroy(&scratch);
    return status;
}

// Draws anew at one corner of every sliver; returns how many there are.
static int redraw(const Cloud *cloud, const snTets *tets, snRandom *random, int round)
{
    int slivers = 0;
    for (int t = 0; t < tets->count; t++) {
        const int *c = tets->corners + 4 * (size_t)t;
        if (!isFlat(cloud, c, SLIVER)) continue;
        const int *place = bsearch(&c[round % 4], cloud->places, (size_t)cloud->placeCount,
                                   sizeof *cloud->places, snCompareInts);
        cloud->draws[place - cloud->places] = snRandom_Uniform(random, 0.0, 1.0);
        slivers++;
    }
    return slivers;
}

// Attempts with one share until there are no slivers, or as good as it gets: some hang on the
// places of the points, not on ties.
static snStatus chaseSlivers(const Cloud *cloud, double share, snTets *out, bool *whole,
                             snArena *arena, snError *error)
{
    snRandom random = snMakeRandom(20180717);
    int fewest = INT_MAX, stalls = 0;
    for (int i = 0; i < cloud->placeCount; i++)
        cloud->draws[i] = snRandom_Uniform(&random, 0.0, 1.0);
    for (int round = 0;; round++) {
        snArenaMark mark = snArena_Mark(arena);
        snStatus status = attempt(cloud, share, out, whole, arena, error);
        if (status || !*whole) return status;
        int slivers = redraw(cloud, out, &random, round);
        stalls += slivers >= fewest;
        if (slivers < fewest) fewest = slivers;
        if (slivers == 0 || round == REDRAWS || stalls == STALLS) return SN_OK;
        snArena_Rewind(arena, mark);
    }
}

static snStatus tetrahedralise(Cloud *cloud, snTets *out, snArena *arena, snArena *scratch,
                               snError *error)
{
    frameCloud(cloud);
    snStatus status = findPlaces(cloud, scratch, error);
    if (status) return status;
    status = checkSpan(cloud, error);
    if (status) return status;
    status = findSpacing(cloud, scratch, error);
    if (status) return status;
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        bool whole;
        status = chaseSlivers(cloud, shares[i], out, &whole, arena, error);
        if (whole || status == SN_ERROR_MEMORY) return status;
    }
    if (status) return status;
    return snFail(error, SN_ERROR_NUMERIC,
                  "no valid tetrahedra were found for %d points; some are too close to each other "
                  "or to the plane of others, move or merge them",
                  cloud->count);
}

snStatus snDelaunay(int count, const snVec3 *points, snTets *out, snArena *arena, snError *error)
{
    *out = (snTets){0};
    snStatus status = checkPoints(count, points, error);
    if (status) return status;
    snArena scratch = {.allocator = arena->allocator};
    Cloud cloud = {.count = count, .points = points};
    status = tetrahedralise(&cloud, out, arena, &scratch, error);
    snArena_Destroy(&scratch);
    return status;
}
