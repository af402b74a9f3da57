#include "geometry/orient.h"

#include "core/error.h"
#include "geometry/dipole.h"
#include "geometry/primitive.h"

#include "core/elementary.h"

#include <stdint.h>

// 1. Vertices at equal places are one. Triangles joined over an edge that exactly two of them
//    share form a component; inside it they are turned to agree, the larger part of the area
//    keeping its winding. (Edges of three or more triangles join nothing.)
// 2. A component's *enclosure* is the mean, over its own surface, of the winding number that it
//    makes by itself, taken half-way between the two sides: +½ for a closed surface wound outward,
//    -½ for one wound inward, near 0 for a sheet. Its sign is the component's orientation. A
//    component whose enclosure is below a quarter is a sheet: half of all inner directions escape.
// 3. Sheets may still be the pieces of one body (a soup of triangles): a sheet is kept when all
//    sheets together enclose it almost wholly, otherwise it is left out (hair cards, cloth).
// 4. Components that lie in no other are turned outward. One that lies inside others keeps its
//    winding relative to the outermost: wound against it, it is a cavity, else solid in solid.

#define SHEET_BELOW 0.25  // of 0.5: half a sphere has 0.3, half a tube 0.25 at most
#define PIECE_ABOVE 0.35  // of 0.5, for sheets that together make a body
#define NESTED_ABOVE 0.75 // mean number of shells around a component's surface
#define SAMPLES 32        // triangles at which a component is measured
#define SIDE_STEP 1e-3    // distance to both sides of a sample, in square roots of its area
#define FLAT 1e-9         // volume over area^1.5 of a closed surface without inside
#define BETA 2.5          // far-field criterion: errors here are far below the thresholds

typedef struct Component {
    int first, count; // range of Parts.members
    bool open;        // has an edge that is not shared by exactly two triangles, or is one-sided
    double enclosure;
    bool nested;
} Component;

typedef struct Parts {
    const snMeshTree *tree;
    signed char *signs;
    int count;
    Component *components; // [count]
    int *members;          // [triangles], by component
} Parts;

// Union-find over triangles; `flip` is the turn relative to the parent.
typedef struct Joiner {
    int *parent;
    signed char *flip; // 0 or 1
    bool *open;        // of roots
} Joiner;

static int findRoot(const Joiner *joiner, int t, int *turn)
{
    int root = t, sum = 0;
    while (joiner->parent[root] != root) {
        sum ^= joiner->flip[root];
        root = joiner->parent[root];
    }
    *turn = sum;
    while (joiner->parent[t] != root && t != root) { // compress the path
        int next = joiner->parent[t], rest = sum ^ joiner->flip[t];
        joiner->parent[t] = root;
        joiner->flip[t] = (signed char)sum;
        t = next;
        sum = rest;
    }
    return root;
}

static void joinTriangles(const Joiner *joiner, int a, int b, int turn)
{
    int turnA, turnB;
    int rootA = findRoot(joiner, a, &turnA), rootB = findRoot(joiner, b, &turnB);
    if (rootA == rootB) {
        // A surface with one side only (a Möbius strip) cannot agree with itself.
        if ((turnA ^ turnB) != turn) joiner->open[rootA] = true;
        return;
    }
    int low = rootA < rootB ? rootA : rootB, high = rootA < rootB ? rootB : rootA;
    joiner->parent[high] = low;
    joiner->flip[high] = (signed char)(turnA ^ turnB ^ turn);
    joiner->open[low] = joiner->open[low] || joiner->open[high];
}

typedef struct Edge {
    int low, high; // welded vertices
    int count;     // triangles at it
    int user[2];   // the first two, as 2 * triangle + (1 when they run from high to low)
} Edge;

typedef struct EdgeTable {
    size_t mask;
    Edge *edges; // free where count is 0
} EdgeTable;

static Edge *findEdge(const EdgeTable *table, int low, int high)
{
    uint64_t hash = ((uint64_t)(uint32_t)low << 32 | (uint32_t)high) * 0x9e3779b97f4a7c15u;
    size_t i = (size_t)(hash >> 20) & table->mask;
    while (table->edges[i].count && (table->edges[i].low != low || table->edges[i].high != high))
        i = (i + 1) & table->mask;
    return &table->edges[i];
}

static void addEdges(const EdgeTable *table, int t, const int corner[3])
{
    for (int i = 0; i < 3; i++) {
        int a = corner[i], b = corner[(i + 1) % 3], low = a < b ? a : b, high = a < b ? b : a;
        Edge *edge = findEdge(table, low, high);
        edge->low = low;
        edge->high = high;
        if (edge->count < 2) edge->user[edge->count] = 2 * t + (a > b);
        edge->count++;
    }
}

static bool collapsed(const int corner[3])
{
    return corner[0] == corner[1] || corner[1] == corner[2] || corner[2] == corner[0];
}

static snStatus joinAll(const Joiner *joiner, const snMesh *mesh, snArena *scratch, snError *error)
{
    snWeld weld;
    snMesh points = {mesh->vertexCount, 0, mesh->positions, NULL};
    snStatus status = snMesh_Weld(&weld, &points, 0.0, scratch, error);
    if (status) return status;
    size_t size = 16;
    while (size < 4 * (size_t)mesh->triangleCount)
        size *= 2;
    EdgeTable table = {size - 1, SN_NEW(scratch, Edge, size)};
    if (!table.edges) return snFailMemory(error);
    for (int t = 0; t < mesh->triangleCount; t++) {
        const int *c = mesh->triangles + 3 * (size_t)t;
        int corner[3] = {weld.weldOf[c[0]], weld.weldOf[c[1]], weld.weldOf[c[2]]};
        if (!collapsed(corner)) addEdges(&table, t, corner);
    }
    for (size_t i = 0; i < size; i++) {
        const Edge *e = &table.edges[i];
        if (e->count == 2)
            joinTriangles(joiner, e->user[0] / 2, e->user[1] / 2,
                          (e->user[0] ^ e->user[1] ^ 1) & 1);
    }
    for (size_t i = 0; i < size; i++) {
        const Edge *e = &table.edges[i];
        int turn;
        for (int k = 0; e->count && e->count != 2 && k < (e->count < 2 ? 1 : 2); k++)
            joiner->open[findRoot(joiner, e->user[k] / 2, &turn)] = true;
    }
    return SN_OK;
}

static double areaOf(const snMesh *mesh, int t)
{
    return snLength(snTriangle_AreaVector(snMesh_Triangle(mesh, t)));
}

// Lists the triangles of each component and sets signs that agree within it.
static snStatus listParts(Parts *parts, const Joiner *joiner, snArena *scratch, snError *error)
{
    const snMesh *mesh = &parts->tree->mesh;
    int triangles = mesh->triangleCount;
    int *numberOf = SN_NEW(scratch, int, triangles);
    double *balance = SN_NEW(scratch, double, triangles); // area of kept minus turned windings
    parts->members = SN_NEW(scratch, int, triangles);
    parts->components = SN_NEW(scratch, Component, triangles);
    if (!numberOf || !balance || !parts->members || !parts->components) return snFailMemory(error);
    for (int t = 0; t < triangles; t++) {
        int turn, root = findRoot(joiner, t, &turn);
        if (root == t) numberOf[t] = parts->count++; // roots are the lowest of their component
        numberOf[t] = numberOf[root];
        parts->signs[t] = turn ? -1 : 1;
        parts->components[numberOf[t]].count++;
        parts->components[numberOf[t]].open |= joiner->open[root];
        balance[numberOf[t]] += parts->signs[t] * areaOf(mesh, t);
    }
    for (int c = 1; c < parts->count; c++)
        parts->components[c].first =
            parts->components[c - 1].first + parts->components[c - 1].count;
    for (int c = 0; c < parts->count; c++)
        parts->components[c].count = 0;
    for (int t = 0; t < triangles; t++) {
        Component *component = &parts->components[numberOf[t]];
        parts->members[component->first + component->count++] = t;
        if (balance[numberOf[t]] < 0.0) parts->signs[t] = (signed char)-parts->signs[t];
    }
    return SN_OK;
}

// The triangles at which a component is measured: evenly spaced through its list.
static int sampleCount(const Component *component)
{
    return component->count < SAMPLES ? component->count : SAMPLES;
}

static int sampleTriangle(const Parts *parts, const Component *component, int sample)
{
    int64_t place = (int64_t)component->count * sample / sampleCount(component);
    return parts->members[component->first + (int)place];
}

// Points on both sides of a triangle's middle; returns its area, the weight of the sample.
static double sidesOf(const snMesh *mesh, int t, snVec3 side[2])
{
    snTriangle triangle = snMesh_Triangle(mesh, t);
    snVec3 normal = snTriangle_AreaVector(triangle);
    double area = snLength(normal);
    snVec3 middle = snScale(1.0 / 3.0, snAdd(snAdd(triangle.a, triangle.b), triangle.c));
    double step = area > 0.0 ? SIDE_STEP / sqrt(area) : 0.0; // * |normal| = SIDE_STEP √area
    side[0] = snMulAdd(middle, step, normal);
    side[1] = snMulAdd(middle, -step, normal);
    return area;
}

// The component's own winding number.
static double ownNumber(const Parts *parts, const Component *component, snVec3 q)
{
    snAngleSum sum = snMakeAngleSum();
    for (int i = 0; i < component->count; i++) {
        int t = parts->members[component->first + i];
        snTriangle c = snMesh_Triangle(&parts->tree->mesh, t);
        double real, imaginary;
        if (snHalfSolidAngle(snSub(c.a, q), snSub(c.b, q), snSub(c.c, q), &real, &imaginary))
            snAngleSum_Add(&sum, real, parts->signs[t] * imaginary);
    }
    return snAngleSum_Total(&sum) / (2.0 * SN_PI);
}

// The mean over the samples of a number half-way between both sides: of the component alone when
// `dipoles` is NULL.
static double meanNumber(const Parts *parts, const Component *component, const snDipoles *dipoles)
{
    double sum = 0.0, weight = 0.0;
    for (int s = 0; s < sampleCount(component); s++) {
        snVec3 side[2];
        double area = sidesOf(&parts->tree->mesh, sampleTriangle(parts, component, s), side);
        for (int k = 0; k < 2; k++)
            sum += 0.5 * area *
                   (dipoles ? snDipoles_Number(dipoles, side[k], BETA)
                            : ownNumber(parts, component, side[k]));
        weight += area;
    }
    return weight > 0.0 ? sum / weight : 0.0;
}

static double closedEnclosure(const Parts *parts, const Component *component)
{
    const snMesh *mesh = &parts->tree->mesh;
    snVec3 o = snMesh_Triangle(mesh, parts->members[component->first]).a;
    double volume = 0.0, area = 0.0;
    for (int i = 0; i < component->count; i++) {
        int t = parts->members[component->first + i];
        snTriangle c = snMesh_Triangle(mesh, t);
        volume += parts->signs[t] * snDot(snSub(c.a, o), snTwiceArea(o, c.b, c.c)) / 6.0;
        area += areaOf(mesh, t);
    }
    if (!(fabs(volume) > FLAT * area * sqrt(area))) return 0.0;
    return volume > 0.0 ? 0.5 : -0.5;
}

// Multiplies the signs of a component; 0 leaves it out.
static void turnComponent(const Parts *parts, const Component *component, int factor)
{
    for (int i = 0; i < component->count; i++) {
        signed char *sign = &parts->signs[parts->members[component->first + i]];
        *sign = (signed char)(*sign * factor);
    }
}

static bool isSheet(const Component *component)
{
    return fabs(component->enclosure) < SHEET_BELOW;
}

// Dipoles of those triangles whose component passes the filter, with the present signs.
typedef bool Filter(const Component *component);

static snStatus dipolesOf(snDipoles *dipoles, const Parts *parts, Filter *filter, bool outward,
                          snArena *scratch, snError *error)
{
    int triangles = parts->tree->mesh.triangleCount;
    signed char *signs = SN_NEW(scratch, signed char, triangles);
    if (!signs) return snFailMemory(error);
    for (int c = 0; c < parts->count; c++) {
        const Component *component = &parts->components[c];
        if (!filter(component)) continue;
        int factor = outward && component->enclosure < 0.0 ? -1 : 1;
        for (int i = 0; i < component->count; i++) {
            int t = parts->members[component->first + i];
            signs[t] = (signed char)(factor * parts->signs[t]);
        }
    }
    return snDipoles_Make(dipoles, parts->tree, signs, scratch, error);
}

static bool isShell(const Component *component)
{
    return !isSheet(component);
}

static bool isOutermost(const Component *component)
{
    return !isSheet(component) && !component->nested;
}

// Rule 3.
static snStatus decideSheets(const Parts *parts, snArena *scratch, snError *error)
{
    snDipoles sheets;
    snStatus status = dipolesOf(&sheets, parts, isSheet, false, scratch, error);
    if (status) return status;
    for (int c = 0; c < parts->count; c++) {
        const Component *component = &parts->components[c];
        if (!isSheet(component)) continue;
        double number = meanNumber(parts, component, &sheets);
        turnComponent(parts, component,
                      number > PIECE_ABOVE ? 1 : (number < -PIECE_ABOVE ? -1 : 0));
    }
    return SN_OK;
}

// Rule 4.
static snStatus decideShells(const Parts *parts, snArena *scratch, snError *error)
{
    snDipoles shells, outermost;
    snStatus status = dipolesOf(&shells, parts, isShell, true, scratch, error);
    if (status) return status;
    for (int c = 0; c < parts->count; c++) {
        Component *component = &parts->components[c];
        if (isSheet(component)) continue;
        double others = meanNumber(parts, component, &shells) - fabs(component->enclosure);
        component->nested = others > NESTED_ABOVE;
    }
    status = dipolesOf(&outermost, parts, isOutermost, false, scratch, error);
    if (status) return status;
    for (int c = 0; c < parts->count; c++) {
        const Component *component = &parts->components[c];
        if (isSheet(component)) continue;
        double side =
            component->nested ? meanNumber(parts, component, &outermost) : component->enclosure;
        if (side < 0.0) turnComponent(parts, component, -1);
    }
    return SN_OK;
}

static snStatus orient(Parts *parts, snArena *scratch, snError *error)
{
    int triangles = parts->tree->mesh.triangleCount;
    Joiner joiner = {SN_NEW(scratch, int, triangles), SN_NEW(scratch, signed char, triangles),
                     SN_NEW(scratch, bool, triangles)};
    if (!joiner.parent || !joiner.flip || !joiner.open) return snFailMemory(error);
    for (int t = 0; t < triangles; t++)
        joiner.parent[t] = t;
    snStatus status = joinAll(&joiner, &parts->tree->mesh, scratch, error);
    if (!status) status = listParts(parts, &joiner, scratch, error);
    for (int c = 0; !status && c < parts->count; c++) {
        Component *component = &parts->components[c];
        component->enclosure = component->open ? meanNumber(parts, component, NULL)
                                               : closedEnclosure(parts, component);
    }
    // Sheets last: until then their signs are needed as they are.
    if (!status) status = decideShells(parts, scratch, error);
    if (!status) status = decideSheets(parts, scratch, error);
    return status;
}

snStatus snOrientTriangles(signed char *signs, const snMeshTree *tree, const snAllocator *allocator,
                           snError *error)
{
    snArena scratch = {.allocator = *allocator};
    Parts parts = {.tree = tree, .signs = signs};
    snStatus status = orient(&parts, &scratch, error);
    snArena_Destroy(&scratch);
    return status;
}
