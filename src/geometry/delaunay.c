#include "geometry/delaunay.h"

#include "core/error.h"
#include "core/random.h"
#include "geometry/primitive.h"

#include <libqhull_r/qhull_ra.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

// Barber, Dobkin, Huhdanpaa, "The Quickhull Algorithm for Convex Hulls", 1996.
//
// The Delaunay tetrahedra are the lower facets of the hull of the lifted points (x, |x|²) in four
// dimensions. Where more than four points share an empty sphere a lower facet has more than four
// corners, and cutting each such facet by itself (Qhull's Qt) does not match across neighbours;
// moving the points (Qhull's QJ) leaves flat tetrahedra inside the body. So the lift alone is
// disturbed: (x, |x|² + ε_i) with tiny random ε_i. Every lower hull over the unmoved points
// projects to a valid triangulation (a regular one), whose cells have volume in the original
// coordinates because a flat one would have a vertical facet; and generic ε_i make all of them
// simplices. For ε → 0 it refines the Delaunay subdivision.
//
// Qhull reports errors by longjmp to the setjmp inside qh_new_qhull, which then returns a code:
// nothing outside this file sees it. Its messages go to a buffer.

#define VERTICAL 1e-11 // a facet whose unit normal has less in the lifted direction is vertical
#define FLAT 1e-13     // volume over the product of three edges; such a one is flat by rounding
#define APEX 16.0      // the lifted points are below 3
#define ATTEMPTS 4     // ε grows a hundredfold each time

typedef struct Cloud {
    int count;
    const snVec3 *points;
    int *places; // [placeCount], the lowest-numbered point of each place
    int placeCount;
    double *lifted; // [(placeCount + 1) * 4], with an apex at the end
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

static int comparePlaces(const void *a, const void *b)
{
    const double *p = a, *q = b; // x, y, z, number
    for (int i = 0; i < 4; i++)
        if (p[i] != q[i]) return p[i] < q[i] ? -1 : 1;
    return 0;
}

static int compareInts(const void *a, const void *b)
{
    int p = *(const int *)a, q = *(const int *)b;
    return (p > q) - (p < q);
}

// Leaves out all but the lowest-numbered of points at one place.
static snStatus findPlaces(Cloud *cloud, snArena *scratch, snError *error)
{
    double *keys = SN_NEW(scratch, double, 4 * (size_t)cloud->count);
    cloud->places = SN_NEW(scratch, int, cloud->count);
    cloud->lifted = SN_NEW(scratch, double, 4 * ((size_t)cloud->count + 1));
    if (!keys || !cloud->places || !cloud->lifted) return snFailMemory(error);
    for (int i = 0; i < cloud->count; i++) {
        double *key = keys + 4 * (size_t)i;
        key[0] = cloud->points[i].x;
        key[1] = cloud->points[i].y;
        key[2] = cloud->points[i].z;
        key[3] = i;
    }
    qsort(keys, (size_t)cloud->count, 4 * sizeof *keys, comparePlaces);
    for (int i = 0; i < cloud->count; i++) {
        const double *key = keys + 4 * (size_t)i, *last = key - 4;
        if (i && key[0] == last[0] && key[1] == last[1] && key[2] == last[2]) continue;
        cloud->places[cloud->placeCount++] = (int)key[3];
    }
    qsort(cloud->places, (size_t)cloud->placeCount, sizeof(int), compareInts);
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
    snBox box = snEmptyBox();
    for (int i = 0; i < cloud->count; i++)
        box = snBoxAdd(box, cloud->points[i]);
    snVec3 half = snSub(snScale(0.5, box.upper), snScale(0.5, box.lower));
    double largest = half.x > half.y ? half.x : half.y;
    if (half.z > largest) largest = half.z;
    cloud->middle = snAdd(snScale(0.5, box.upper), snScale(0.5, box.lower));
    cloud->scale = largest > 1e-300 ? 1.0 / largest : 1.0;
}

static void lift(const Cloud *cloud, double epsilon)
{
    snRandom random = snMakeRandom(20180717);
    snVec3 mean = snVec(0, 0, 0);
    for (int i = 0; i < cloud->placeCount; i++) {
        snVec3 p = placeOf(cloud, i);
        double *out = cloud->lifted + 4 * (size_t)i;
        out[0] = p.x;
        out[1] = p.y;
        out[2] = p.z;
        out[3] = snLengthSquared(p) + epsilon * snRandom_Uniform(&random, 0.0, 1.0);
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
        if (facet->normal[3] > -VERTICAL) continue;
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
    FORALLfacets if (facet->normal[3] <= -VERTICAL) count++;
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

static bool isFlat(const Cloud *cloud, const int *c)
{
    snTetrahedron t = tetOf(cloud, c);
    double size = snDistance(t.a, t.b) * snDistance(t.a, t.c) * snDistance(t.a, t.d);
    return snTetrahedron_Volume(t) <= FLAT * size;
}

// Rounding can leave flat tetrahedra on the hull, between points that are almost in one plane.
// They are peeled off one after another; inside there are none.
static int peelHull(const Cloud *cloud, FaceTable *table, snTets *tets)
{
    int removed = 0, kept = 0;
    for (int t = 0; t < tets->count; t++) {
        const int *neighbours = tets->neighbours + 4 * (size_t)t;
        int open = 0;
        for (int i = 0; i < 4; i++)
            open += neighbours[i] < 0;
        if (open && isFlat(cloud, tets->corners + 4 * (size_t)t)) {
            removed++;
            continue;
        }
        memmove(tets->corners + 4 * (size_t)kept++, tets->corners + 4 * (size_t)t, 4 * sizeof(int));
    }
    tets->count = kept;
    matchFaces(table, kept, tets->corners, tets->neighbours);
    return removed;
}

// Nothing is missing inside: the hull is one sphere, so that with E = 3F/2 Euler's V - E + F = 2
// reads 2 V = F + 4; no tetrahedron is flat; and every place is a corner.
static bool isWhole(const Cloud *cloud, const snTets *tets, unsigned char *seen)
{
    memset(seen, 0, (size_t)cloud->count);
    int vertices = 0, faces = 0, used = 0;
    for (int f = 0; f < 4 * tets->count; f++) {
        int v = tets->corners[f];
        used += !(seen[v] & 1);
        seen[v] |= 1;
        if (f % 4 == 0 && isFlat(cloud, tets->corners + f)) return false;
        if (tets->neighbours[f] >= 0) continue;
        faces++;
        for (int i = 0; i < 4; i++) {
            int w = tets->corners[f - f % 4 + i];
            if (i == f % 4 || seen[w] & 2) continue;
            seen[w] |= 2;
            vertices++;
        }
    }
    return 2 * vertices == faces + 4 && used == cloud->placeCount;
}

static snStatus finish(const Cloud *cloud, int *corners, int count, snTets *out, bool *whole,
                       snArena *arena, snError *error)
{
    snArena scratch = {.allocator = arena->allocator};
    size_t size = 16;
    while (size < 6 * (size_t)count)
        size *= 2;
    FaceTable table = {size - 1, SN_NEW(&scratch, int, size), NULL};
    unsigned char *seen = SN_NEW(&scratch, unsigned char, cloud->count);
    *out = (snTets){count, corners, SN_NEW(&scratch, int, 4 * (size_t)count)};
    snStatus status = SN_OK;
    *whole = false;
    if (table.slots && seen && out->neighbours) {
        qsort(corners, (size_t)count, 4 * sizeof(int), compareTets);
        if (matchFaces(&table, count, corners, out->neighbours)) {
            while (peelHull(cloud, &table, out)) {}
            *whole = isWhole(cloud, out, seen);
        }
        out->corners = SN_COPY(arena, int, corners, 4 * (size_t)out->count);
        out->neighbours = SN_COPY(arena, int, out->neighbours, 4 * (size_t)out->count);
    }
    if (!table.slots || !seen || !out->neighbours || !out->corners) status = snFailMemory(error);
    snArena_Destroy(&scratch);
    return status;
}

static snStatus attempt(const Cloud *cloud, double epsilon, snTets *out, bool *whole,
                        snArena *arena, snError *error)
{
    snArena scratch = {.allocator = arena->allocator};
    snArenaMark mark = snArena_Mark(arena);
    int *corners, count;
    *whole = false;
    lift(cloud, epsilon);
    snStatus status = runQhull(cloud, &corners, &count, &scratch, error);
    if (!status && corners) status = finish(cloud, corners, count, out, whole, arena, error);
    if (status || !*whole) {
        snArena_Rewind(arena, mark);
        *out = (snTets){0};
    }
    snArena_Destroy(&scratch);
    return status;
}

static snStatus tetrahedralise(Cloud *cloud, snTets *out, snArena *arena, snArena *scratch,
                               snError *error)
{
    snStatus status = findPlaces(cloud, scratch, error);
    if (status) return status;
    frameCloud(cloud);
    status = checkSpan(cloud, error);
    if (status) return status;
    // ε relative to the squared mean spacing, far above Qhull's rounding and far below any change
    // of the tetrahedra that is not a tie.
    double spacing2 = 4.0;
    for (double n = 1.0; n * n * n < cloud->placeCount; n++)
        spacing2 = 4.0 / (n * n);
    double epsilon = 1e-7 * spacing2;
    for (int i = 0; i < ATTEMPTS; i++, epsilon *= 100.0) {
        bool whole;
        status = attempt(cloud, epsilon, out, &whole, arena, error);
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
