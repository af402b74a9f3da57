#include "geometry/mesh.h"

#include "core/error.h"
#include "core/sets.h"

#include <stdint.h>
#include <string.h>

// Welding is two passes. The first joins vertices with equal coordinates by hashing. The second
// sorts the survivors into cubes whose diagonal is just below the tolerance: all of one cube
// belong together, and only the cubes up to two steps away can hold others within the tolerance.
// Those 124 are looked at only where a coarse grid says that somebody lives there at all.
// "Within the tolerance" is closed transitively, so the clusters do not depend on the order of the
// vertices; each is named by its lowest-numbered vertex and keeps that vertex's position.

#define CUBE_OF_TOLERANCE 0.577 // just below 1/√3
#define REACH 2
#define COARSE 16 // cubes along the side of a coarse cell

// Three numbers to a slot; -0 and 0 are the same number.
static uint64_t hash3(snVec3 key)
{
    double k[3] = {key.x + 0.0, key.y + 0.0, key.z + 0.0};
    uint64_t h = 0x9e3779b97f4a7c15u;
    for (int i = 0; i < 3; i++) {
        uint64_t bits;
        memcpy(&bits, &k[i], sizeof bits);
        h = (h ^ bits) * 0xbf58476d1ce4e5b9u;
        h ^= h >> 29;
    }
    h *= 0x94d049bb133111ebu;
    return h ^ (h >> 32);
}

static bool equal3(snVec3 a, snVec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

// An open-addressed table from three numbers to the first element that had them.
typedef struct Table {
    size_t mask;
    int *slots; // element + 1; 0 is free
    const snVec3 *keys;
} Table;

static bool makeTable(Table *table, const snVec3 *keys, int count, snArena *arena)
{
    size_t size = 16;
    while (size < (size_t)count * 2)
        size *= 2;
    *table = (Table){size - 1, SN_NEW(arena, int, size), keys};
    return table->slots != NULL;
}

static int *findSlot(const Table *table, snVec3 key)
{
    size_t i = (size_t)hash3(key) & table->mask;
    while (table->slots[i] && !equal3(table->keys[table->slots[i] - 1], key))
        i = (i + 1) & table->mask;
    return &table->slots[i];
}

static bool joinEqual(int *clusters, const snMesh *mesh, snArena *arena)
{
    Table table;
    if (!makeTable(&table, mesh->positions, mesh->vertexCount, arena)) return false;
    for (int v = 0; v < mesh->vertexCount; v++) {
        int *slot = findSlot(&table, mesh->positions[v]);
        if (*slot)
            snSets_Join(clusters, *slot - 1, v);
        else
            *slot = v + 1;
    }
    return true;
}

typedef struct Cubes {
    snVec3 *keys;       // [vertices], whole numbers
    int *next;          // [vertices], the next vertex of the same cube, -1 at the end
    Table table;        // cube -> its first vertex
    snVec3 *coarseKeys; // [vertices], the coarse cell of a cube's first vertex
    int *coarseCount;   // [vertices], cubes in the coarse cell, at the vertex that stands for it
    Table coarse;       // coarse cell -> the vertex that stands for it
} Cubes;

static void joinAcross(int *clusters, const Cubes *cubes, const snMesh *mesh, int a, int b,
                       double tolerance)
{
    if (snSets_Root(clusters, a) == snSets_Root(clusters, b)) return;
    for (int v = a; v >= 0; v = cubes->next[v])
        for (int w = b; w >= 0; w = cubes->next[w])
            if (snDistance(mesh->positions[v], mesh->positions[w]) <= tolerance) {
                snSets_Join(clusters, v, w);
                return;
            }
}

static snVec3 coarsen(snVec3 key)
{
    return snVec(floor(key.x / COARSE), floor(key.y / COARSE), floor(key.z / COARSE));
}

static void countCoarse(Cubes *cubes, int first)
{
    cubes->coarseKeys[first] = coarsen(cubes->keys[first]);
    int *slot = findSlot(&cubes->coarse, cubes->coarseKeys[first]);
    if (!*slot) *slot = first + 1;
    cubes->coarseCount[*slot - 1]++;
}

// Whether no other cube can be within reach.
static bool isAlone(const Cubes *cubes, int first)
{
    snVec3 key = cubes->keys[first], reach = snVec(REACH, REACH, REACH);
    snVec3 low = coarsen(snSub(key, reach)), high = coarsen(snAdd(key, reach));
    int others = -1;
    for (double i = low.x; i <= high.x; i++)
        for (double j = low.y; j <= high.y; j++)
            for (double k = low.z; k <= high.z; k++) {
                int cell = *findSlot(&cubes->coarse, snVec(i, j, k)) - 1;
                if (cell >= 0) others += cubes->coarseCount[cell];
                if (others > 0) return false;
            }
    return true;
}

// Joins what is within the tolerance in later cubes of the neighbourhood; earlier ones did it.
static void joinNeighbours(int *clusters, const Cubes *cubes, const snMesh *mesh, int first,
                           double tolerance)
{
    for (int i = -REACH; i <= REACH; i++)
        for (int j = -REACH; j <= REACH; j++)
            for (int k = -REACH; k <= REACH; k++) {
                snVec3 key = snAdd(cubes->keys[first], snVec(i, j, k));
                int other = *findSlot(&cubes->table, key) - 1;
                if (other > first) joinAcross(clusters, cubes, mesh, first, other, tolerance);
            }
}

static bool joinNear(int *clusters, const snMesh *mesh, double tolerance, snArena *arena)
{
    snBox box = snMesh_Bounds(mesh);
    double cube = CUBE_OF_TOLERANCE * tolerance;
    snVec3 reach = snMax(snNeg(box.lower), box.upper);
    // A tolerance below the resolution of the coordinates: nothing but equals can be joined.
    if (!(fmax(reach.x, fmax(reach.y, reach.z)) / cube < 1e15)) return true;

    int count = mesh->vertexCount;
    Cubes cubes = {.keys = SN_NEW(arena, snVec3, count), .next = SN_NEW(arena, int, count)};
    cubes.coarseKeys = SN_NEW(arena, snVec3, count);
    cubes.coarseCount = SN_NEW(arena, int, count);
    if (!cubes.keys || !cubes.next || !cubes.coarseKeys || !cubes.coarseCount ||
        !makeTable(&cubes.table, cubes.keys, count, arena) ||
        !makeTable(&cubes.coarse, cubes.coarseKeys, count, arena))
        return false;
    // Backwards, so that a cube's list is in ascending order and begins with its lowest vertex.
    for (int v = count - 1; v >= 0; v--) {
        cubes.next[v] = -1;
        if (clusters[v] != v) continue;
        snVec3 p = mesh->positions[v];
        cubes.keys[v] = snVec(floor(p.x / cube), floor(p.y / cube), floor(p.z / cube));
        int *slot = findSlot(&cubes.table, cubes.keys[v]);
        cubes.next[v] = *slot - 1;
        *slot = v + 1;
        if (cubes.next[v] >= 0) snSets_Join(clusters, v, cubes.next[v]);
    }
    for (int v = 0; v < count; v++)
        if (*findSlot(&cubes.table, cubes.keys[v]) == v + 1) countCoarse(&cubes, v);
    for (int v = 0; v < count; v++)
        if (*findSlot(&cubes.table, cubes.keys[v]) == v + 1 && !isAlone(&cubes, v))
            joinNeighbours(clusters, &cubes, mesh, v, tolerance);
    return true;
}

static snStatus checkMesh(const snMesh *mesh, snError *error)
{
    for (int v = 0; v < mesh->vertexCount; v++) {
        snVec3 p = mesh->positions[v];
        if (!snIsFinite3(p))
            return snFail(error, SN_ERROR_GEOMETRY,
                          "vertex %d is at (%g, %g, %g); positions must be finite numbers", v, p.x,
                          p.y, p.z);
    }
    for (int c = 0; c < mesh->triangleCount * 3; c++)
        if (mesh->triangles[c] < 0 || mesh->triangles[c] >= mesh->vertexCount)
            return snFail(error, SN_ERROR_GEOMETRY,
                          "triangle %d names vertex %d, but the mesh has %d vertices", c / 3,
                          mesh->triangles[c], mesh->vertexCount);
    return SN_OK;
}

// Triangles that have been seen, by their corners: a hash table of their numbers.
typedef struct Seen {
    const int *corners;
    int *slots;  // 1 + number, 0: free
    size_t mask; // slots - 1, a power of two less one
} Seen;

static bool makeSeen(Seen *seen, const int *corners, int most, snArena *scratch)
{
    size_t size = 16;
    while (size < 2 * (size_t)most)
        size *= 2;
    *seen = (Seen){corners, SN_NEW(scratch, int, size), size - 1};
    return seen->slots != NULL;
}

// Corner 0, 1 or 2: where the lowest number stands. From there on, two copies read the same.
static int lowestCorner(const int *t)
{
    return t[0] < t[1] ? (t[0] < t[2] ? 0 : 2) : (t[1] < t[2] ? 1 : 2);
}

static bool sameTriangle(const int *a, const int *b)
{
    int i = lowestCorner(a), j = lowestCorner(b);
    return a[i] == b[j] && a[(i + 1) % 3] == b[(j + 1) % 3] && a[(i + 2) % 3] == b[(j + 2) % 3];
}

// Whether an earlier triangle has the same corners in the same order; remembers it if not.
static bool isCopy(const Seen *seen, int triangle)
{
    const int *corner = seen->corners + 3 * (size_t)triangle;
    int first = lowestCorner(corner);
    uint64_t hash = (uint64_t)corner[first] * 0x9e3779b97f4a7c15u;
    hash = (hash ^ (uint64_t)corner[(first + 1) % 3]) * 0xff51afd7ed558ccdu;
    hash = (hash ^ (uint64_t)corner[(first + 2) % 3]) * 0xc4ceb9fe1a85ec53u;
    for (size_t at = (size_t)(hash >> 20) & seen->mask;; at = (at + 1) & seen->mask) {
        if (seen->slots[at] == 0) {
            seen->slots[at] = triangle + 1;
            return false;
        }
        if (sameTriangle(seen->corners + 3 * (size_t)(seen->slots[at] - 1), corner)) return true;
    }
}

// Numbers the clusters in order of their lowest vertices and copies what is left.
static snStatus collect(snWeld *weld, int *clusters, const snMesh *mesh, snArena *arena,
                        snArena *scratch, snError *error)
{
    Seen seen;
    int vertices = 0, triangles = 0;
    snVec3 *positions = SN_NEW(arena, snVec3, mesh->vertexCount);
    int *corners = SN_NEW(arena, int, (size_t)mesh->triangleCount * 3);
    if (!positions || !corners || !makeSeen(&seen, corners, mesh->triangleCount, scratch))
        return snFailMemory(error);
    for (int v = 0; v < mesh->vertexCount; v++) {
        int root = snSets_Root(clusters, v);
        if (root == v) positions[vertices] = mesh->positions[v];
        weld->weldOf[v] = root == v ? vertices++ : weld->weldOf[root];
    }
    for (int t = 0; t < mesh->triangleCount; t++) {
        const int *corner = mesh->triangles + 3 * (size_t)t;
        int a = weld->weldOf[corner[0]], b = weld->weldOf[corner[1]], c = weld->weldOf[corner[2]];
        if (a == b || b == c || c == a) continue;
        int *out = corners + 3 * (size_t)triangles;
        out[0] = a;
        out[1] = b;
        out[2] = c;
        triangles += !isCopy(&seen, triangles);
    }
    weld->mesh = (snMesh){vertices, triangles, positions, corners};
    return SN_OK;
}

snStatus snMesh_Weld(snWeld *weld, const snMesh *mesh, double tolerance, snArena *arena,
                     snError *error)
{
    *weld = (snWeld){0};
    if (!(tolerance >= 0.0))
        return snFail(error, SN_ERROR_ARGUMENT, "the weld tolerance is %g; it must be 0 or more",
                      tolerance);
    snStatus status = checkMesh(mesh, error);
    if (status) return status;

    snArena scratch = {.allocator = arena->allocator};
    int *clusters = SN_NEW(&scratch, int, mesh->vertexCount);
    weld->weldOf = SN_NEW(arena, int, mesh->vertexCount);
    status = !clusters || !weld->weldOf ? snFailMemory(error) : SN_OK;
    if (!status) snSets_Begin(clusters, mesh->vertexCount);
    if (!status && !joinEqual(clusters, mesh, &scratch)) status = snFailMemory(error);
    if (!status && tolerance > 0.0 && !joinNear(clusters, mesh, tolerance, &scratch))
        status = snFailMemory(error);
    if (!status) status = collect(weld, clusters, mesh, arena, &scratch, error);
    snArena_Destroy(&scratch);
    return status;
}

snBox snMesh_Bounds(const snMesh *mesh)
{
    return snBoxOf(mesh->vertexCount, mesh->positions);
}

// Σ det(a, b, c) / 6 by Gauss's theorem, about a point of the mesh so that a small body far from
// the origin keeps its digits.
double snMesh_Volume(const snMesh *mesh)
{
    if (mesh->triangleCount == 0) return 0.0;
    snVec3 o = mesh->positions[mesh->triangles[0]];
    double sum = 0.0;
    for (int t = 0; t < mesh->triangleCount; t++) {
        const int *corner = mesh->triangles + 3 * (size_t)t;
        snVec3 a = snSub(mesh->positions[corner[0]], o);
        snVec3 b = snSub(mesh->positions[corner[1]], o);
        snVec3 c = snSub(mesh->positions[corner[2]], o);
        sum += snDot(a, snCross(b, c));
    }
    return sum / 6.0;
}

// Twice the area vector.
static snVec3 crossOf(const snMesh *mesh, int t)
{
    const int *corner = mesh->triangles + 3 * (size_t)t;
    snVec3 a = mesh->positions[corner[0]];
    return snTwiceArea(a, mesh->positions[corner[1]], mesh->positions[corner[2]]);
}

double snMesh_Area(const snMesh *mesh)
{
    double sum = 0.0;
    for (int t = 0; t < mesh->triangleCount; t++)
        sum += snLength(crossOf(mesh, t));
    return 0.5 * sum;
}

void snMesh_Normals(const snMesh *mesh, snVec3 *normals)
{
    for (int v = 0; v < mesh->vertexCount; v++)
        normals[v] = snVec(0, 0, 0);
    for (int t = 0; t < mesh->triangleCount; t++) {
        snVec3 n = crossOf(mesh, t);
        for (int i = 0; i < 3; i++) {
            snVec3 *normal = &normals[mesh->triangles[3 * (size_t)t + (size_t)i]];
            *normal = snAdd(*normal, n);
        }
    }
    for (int v = 0; v < mesh->vertexCount; v++)
        normals[v] = snNormalizeOr(normals[v], snVec(0, 0, 0));
}
