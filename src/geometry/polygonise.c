#include "geometry/implicit.h"

#include "core/array.h"
#include "core/error.h"
#include "geometry/level.h"
#include "geometry/remesh.h"

#include <stdint.h>
#include <string.h>

// Marching tetrahedra on the body-centred cubic lattice (Chan, Purisima, "A New Tetrahedral
// Tesselation Scheme for Isosurface Generation", 1998). Cube corners P and cube centres C; each
// face between two cubes has the tetrahedra (C1, C2, Q_i, Q_i+1) around its four corners Q.
//
// A lattice point is inside or outside, never on the surface. A vertex belongs to each lattice
// edge with different ends; a tetrahedron with different corners holds one triangle, or one quad
// cut in two. An edge of it lies either in a face of the tetrahedron, where the neighbour has the
// same one, or is the cut, which both halves share: every edge has two triangles. The triangles at
// a vertex pass once around its lattice edge. So the mesh is closed and manifold for any field, as
// the outermost points are outside. snRemesh then makes the triangles well shaped.

#define SPACING 1.2    // lattice spacing in cells; the lattice has a vertex per 0.79 spacings³
#define BLOCK 8        // cubes along the side of a block that is skipped as a whole
#define MARGIN 2       // cubes around the box
#define MOST_CUBES 4e8 // more than that is a mistake in `cell`
#define KEEP_OFF 0.05  // vertices stay off lattice points by this share of the edge
#define HALVINGS 14

typedef struct Lattice {
    const snLevel *level;
    int n[3]; // cubes along the axes
    double spacing;
    snVec3 origin;
    int blocks[3];
    signed char *blockSide; // 1 all outside, -1 all inside, 0 not known
} Lattice;

// Sides of one layer of cube corners or centres: 1 inside.
typedef struct Layers {
    unsigned char *corners[2]; // k, k + 1: [(n0 + 1) * (n1 + 1)]
    unsigned char *centres[2]; // k - 1, k: [n0 * n1]
} Layers;

typedef struct Point {
    int64_t id;
    snVec3 p;
    bool inside;
} Point;

typedef struct EdgeSlot {
    int64_t low, high;
    int vertex; // + 1; 0 is free
} EdgeSlot;

typedef struct Output {
    const snAllocator *allocator;
    SN_ARRAY(snVec3) positions;
    SN_ARRAY(int) triangles;
    EdgeSlot *slots;
    size_t mask;
    bool failed;
} Output;

snPolygoniseDef snDefaultPolygoniseDef(void)
{
    return (snPolygoniseDef){.box = {{-1.5, -1.5, -1.5}, {1.5, 1.5, 1.5}}, .cell = 0.1, .relax = 5};
}

static snStatus checkDef(const snPolygoniseDef *def, snError *error)
{
    snVec3 size = snSub(def->box.upper, def->box.lower);
    if (!snIsFinite3(def->box.lower) || !snIsFinite3(def->box.upper) || !(size.x > 0.0) ||
        !(size.y > 0.0) || !(size.z > 0.0))
        return snFail(error, SN_ERROR_ARGUMENT,
                      "the box to polygonise has the size (%g, %g, %g); it must be positive",
                      size.x, size.y, size.z);
    if (!(def->cell > 0.0) || !isfinite(def->cell) || def->relax < 0)
        return snFail(error, SN_ERROR_ARGUMENT,
                      "cell is %g and relax %d; cell must be positive, relax 0 or more", def->cell,
                      def->relax);
    double cubes = (size.x / def->cell + 1) * (size.y / def->cell + 1) * (size.z / def->cell + 1);
    if (!(cubes < MOST_CUBES))
        return snFail(error, SN_ERROR_ARGUMENT,
                      "cell %g cuts the box (%g, %g, %g) into %.3g cubes; make it larger",
                      def->cell, size.x, size.y, size.z, cubes);
    return SN_OK;
}

static void placeLattice(Lattice *lattice, const snLevel *level)
{
    snVec3 size = snSub(level->box.upper, level->box.lower);
    double extent[3] = {size.x, size.y, size.z}, rest[3];
    *lattice = (Lattice){.level = level, .spacing = SPACING * level->cell};
    for (int i = 0; i < 3; i++) {
        lattice->n[i] = (int)ceil(extent[i] / lattice->spacing) + 2 * MARGIN;
        lattice->blocks[i] = (lattice->n[i] + BLOCK - 1) / BLOCK;
        rest[i] = 0.5 * (lattice->n[i] * lattice->spacing - extent[i]);
    }
    lattice->origin = snSub(level->box.lower, snVec(rest[0], rest[1], rest[2]));
}

static snVec3 placeOf(const Lattice *lattice, double i, double j, double k)
{
    return snMulAdd(lattice->origin, lattice->spacing, snVec(i, j, k));
}

// A block is settled when its middle is farther from the surface than its corners.
static void settleBlocks(Lattice *lattice)
{
    double slope = lattice->level->field->lipschitz;
    if (!(slope > 0.0)) return;
    if (slope < 1.0) slope = 1.0; // that of the distance out of the box
    double reach = 1.0001 * slope * 0.5 * sqrt(3.0) * BLOCK * lattice->spacing;
    int number = 0;
    for (int k = 0; k < lattice->blocks[2]; k++)
        for (int j = 0; j < lattice->blocks[1]; j++)
            for (int i = 0; i < lattice->blocks[0]; i++, number++) {
                snVec3 p =
                    placeOf(lattice, (i + 0.5) * BLOCK, (j + 0.5) * BLOCK, (k + 0.5) * BLOCK);
                double value = snLevel_Value(lattice->level, p);
                lattice->blockSide[number] = value > reach ? 1 : (value < -reach ? -1 : 0);
            }
}

static bool isInside(const Lattice *lattice, int i, int j, int k, double shift)
{
    const int *blocks = lattice->blocks;
    int bi = i / BLOCK < blocks[0] ? i / BLOCK : blocks[0] - 1;
    int bj = j / BLOCK < blocks[1] ? j / BLOCK : blocks[1] - 1;
    int bk = k / BLOCK < blocks[2] ? k / BLOCK : blocks[2] - 1;
    int side =
        lattice->blockSide[((size_t)bk * (size_t)blocks[1] + (size_t)bj) * (size_t)blocks[0] +
                           (size_t)bi];
    if (side) return side < 0;
    return snLevel_Value(lattice->level, placeOf(lattice, i + shift, j + shift, k + shift)) < 0.0;
}

static void fillCorners(const Lattice *lattice, int k, unsigned char *inside)
{
    for (int j = 0; j <= lattice->n[1]; j++)
        for (int i = 0; i <= lattice->n[0]; i++)
            *inside++ = isInside(lattice, i, j, k, 0.0);
}

static void fillCentres(const Lattice *lattice, int k, unsigned char *inside)
{
    for (int j = 0; j < lattice->n[1]; j++)
        for (int i = 0; i < lattice->n[0]; i++)
            *inside++ = isInside(lattice, i, j, k, 0.5);
}

static size_t slotOf(int64_t low, int64_t high, size_t mask)
{
    uint64_t hash = (uint64_t)low * 0x9e3779b97f4a7c15u;
    hash = (hash ^ (hash >> 31) ^ (uint64_t)high) * 0xbf58476d1ce4e5b9u;
    return (size_t)(hash >> 20) & mask;
}

static EdgeSlot *findSlot(const Output *out, int64_t low, int64_t high)
{
    size_t i = slotOf(low, high, out->mask);
    while (out->slots[i].vertex && (out->slots[i].low != low || out->slots[i].high != high))
        i = (i + 1) & out->mask;
    return &out->slots[i];
}

static bool growTable(Output *out)
{
    size_t size = out->slots ? 2 * (out->mask + 1) : 4096, bytes = size * sizeof(EdgeSlot);
    Output larger = *out;
    larger.mask = size - 1;
    larger.slots = out->allocator->allocate(out->allocator->user, bytes);
    if (!larger.slots) return false;
    memset(larger.slots, 0, bytes);
    for (size_t i = 0; out->slots && i <= out->mask; i++)
        if (out->slots[i].vertex)
            *findSlot(&larger, out->slots[i].low, out->slots[i].high) = out->slots[i];
    out->allocator->release(out->allocator->user, out->slots);
    out->slots = larger.slots;
    out->mask = larger.mask;
    return true;
}

// Where the surface cuts an edge, by halving: right for any continuous field.
static snVec3 cutEdge(const snLevel *level, snVec3 inside, snVec3 outside)
{
    double low = 0.0, high = 1.0;
    for (int i = 0; i < HALVINGS; i++) {
        double middle = 0.5 * (low + high);
        if (snLevel_Value(level, snLerp(inside, outside, middle)) < 0.0)
            low = middle;
        else
            high = middle;
    }
    double t = 0.5 * (low + high);
    t = t < KEEP_OFF ? KEEP_OFF : (t > 1.0 - KEEP_OFF ? 1.0 - KEEP_OFF : t);
    return snLerp(inside, outside, t);
}

static int vertexOn(Output *out, const snLevel *level, const Point *a, const Point *b)
{
    const Point *low = a->id < b->id ? a : b, *high = a->id < b->id ? b : a;
    if (!out->slots || 2 * (size_t)out->positions.count > out->mask) {
        if (!growTable(out)) {
            out->failed = true;
            return 0;
        }
    }
    EdgeSlot *slot = findSlot(out, low->id, high->id);
    if (slot->vertex) return slot->vertex - 1;
    snVec3 p = low->inside ? cutEdge(level, low->p, high->p) : cutEdge(level, high->p, low->p);
    if (!snArray_Push(out->allocator, &out->positions, p)) {
        out->failed = true;
        return 0;
    }
    *slot = (EdgeSlot){low->id, high->id, out->positions.count};
    return out->positions.count - 1;
}

static void addTriangle(Output *out, int a, int b, int c)
{
    if (!snArray_Push(out->allocator, &out->triangles, a) ||
        !snArray_Push(out->allocator, &out->triangles, b) ||
        !snArray_Push(out->allocator, &out->triangles, c))
        out->failed = true;
}

// One corner differs from the three others; `order` is an even permutation with it in front.
static void addCorner(Output *out, const snLevel *level, const Point *const q[4],
                      const int order[4])
{
    const Point *a = q[order[0]];
    int b = vertexOn(out, level, a, q[order[1]]), c = vertexOn(out, level, a, q[order[2]]);
    int d = vertexOn(out, level, a, q[order[3]]);
    if (a->inside)
        addTriangle(out, b, c, d);
    else
        addTriangle(out, b, d, c);
}

// The first two of an even permutation are inside, the others outside.
static void addQuad(Output *out, const snLevel *level, const Point *const q[4], const int order[4])
{
    const Point *a = q[order[0]], *b = q[order[1]], *c = q[order[2]], *d = q[order[3]];
    int ac = vertexOn(out, level, a, c), ad = vertexOn(out, level, a, d);
    int bd = vertexOn(out, level, b, d), bc = vertexOn(out, level, b, c);
    if (out->failed) return;
    const snVec3 *p = out->positions.data;
    if (snDistance(p[ac], p[bd]) <= snDistance(p[ad], p[bc])) {
        addTriangle(out, ac, ad, bd);
        addTriangle(out, ac, bd, bc);
    } else {
        addTriangle(out, ac, ad, bc);
        addTriangle(out, ad, bd, bc);
    }
}

static void marchTetrahedron(Output *out, const snLevel *level, const Point *const q[4])
{
    static const int corners[4][4] = {{0, 1, 2, 3}, {1, 0, 3, 2}, {2, 3, 0, 1}, {3, 2, 1, 0}};
    static const int pairs[6][4] = {{0, 1, 2, 3}, {0, 2, 3, 1}, {0, 3, 1, 2},
                                    {1, 2, 0, 3}, {1, 3, 2, 0}, {2, 3, 0, 1}};
    int count = q[0]->inside + q[1]->inside + q[2]->inside + q[3]->inside;
    if (out->failed || count == 0 || count == 4) return;
    if (count == 2) {
        for (int i = 0; i < 6; i++)
            if (q[pairs[i][0]]->inside && q[pairs[i][1]]->inside) addQuad(out, level, q, pairs[i]);
        return;
    }
    for (int i = 0; i < 4; i++)
        if (q[i]->inside == (count == 1)) addCorner(out, level, q, corners[i]);
}

static Point cornerAt(const Lattice *lattice, const Layers *layers, int k, const int at[3])
{
    const int *n = lattice->n;
    size_t place = (size_t)at[1] * (size_t)(n[0] + 1) + (size_t)at[0];
    int64_t layer = (int64_t)(n[0] + 1) * (n[1] + 1);
    return (Point){2 * (at[2] * layer + (int64_t)place), placeOf(lattice, at[0], at[1], at[2]),
                   layers->corners[at[2] - k][place]};
}

static Point centreAt(const Lattice *lattice, const Layers *layers, int k, const int at[3])
{
    const int *n = lattice->n;
    size_t place = (size_t)at[1] * (size_t)n[0] + (size_t)at[0];
    int64_t layer = (int64_t)n[0] * n[1];
    return (Point){2 * (at[2] * layer + (int64_t)place) + 1,
                   placeOf(lattice, at[0] + 0.5, at[1] + 0.5, at[2] + 0.5),
                   layers->centres[at[2] - k + 1][place]};
}

// The face at the lower end of cube `at` along the axis, between it and the cube before.
static void marchFace(Output *out, const Lattice *lattice, const Layers *layers, const int at[3],
                      int axis)
{
    static const int turn[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    int k = at[2], before[3] = {at[0], at[1], at[2]};
    before[axis]--;
    Point c1 = centreAt(lattice, layers, k, before), c2 = centreAt(lattice, layers, k, at), q[4];
    int count = c1.inside + c2.inside;
    for (int i = 0; i < 4; i++) {
        int corner[3] = {at[0], at[1], at[2]};
        corner[(axis + 1) % 3] += turn[i][0];
        corner[(axis + 2) % 3] += turn[i][1];
        q[i] = cornerAt(lattice, layers, k, corner);
        count += q[i].inside;
    }
    if (count == 0 || count == 6) return;
    for (int i = 0; i < 4; i++) {
        const Point *const tet[4] = {&c1, &c2, &q[i], &q[(i + 1) % 4]};
        marchTetrahedron(out, lattice->level, tet);
    }
}

static void swapLayers(unsigned char *layers[2])
{
    unsigned char *first = layers[0];
    layers[0] = layers[1];
    layers[1] = first;
}

static void march(Output *out, const Lattice *lattice, Layers *layers)
{
    fillCorners(lattice, 0, layers->corners[1]);
    for (int k = 0; k < lattice->n[2] && !out->failed; k++) {
        swapLayers(layers->corners);
        swapLayers(layers->centres);
        fillCorners(lattice, k + 1, layers->corners[1]);
        fillCentres(lattice, k, layers->centres[1]);
        for (int j = 0; j < lattice->n[1]; j++)
            for (int i = 0; i < lattice->n[0]; i++) {
                int at[3] = {i, j, k};
                for (int axis = 0; axis < 3; axis++)
                    if (at[axis] > 0) marchFace(out, lattice, layers, at, axis);
            }
    }
}

static snStatus build(Output *out, const snLevel *level, snArena *scratch, snError *error)
{
    Lattice lattice;
    Layers layers;
    placeLattice(&lattice, level);
    size_t corners = (size_t)(lattice.n[0] + 1) * (size_t)(lattice.n[1] + 1);
    size_t blocks =
        (size_t)lattice.blocks[0] * (size_t)lattice.blocks[1] * (size_t)lattice.blocks[2];
    lattice.blockSide = SN_NEW(scratch, signed char, blocks);
    for (int i = 0; i < 2; i++) {
        layers.corners[i] = SN_NEW(scratch, unsigned char, corners);
        layers.centres[i] = SN_NEW(scratch, unsigned char, corners);
        if (!layers.corners[i] || !layers.centres[i]) return snFailMemory(error);
    }
    if (!lattice.blockSide) return snFailMemory(error);
    settleBlocks(&lattice);
    march(out, &lattice, &layers);
    if (out->failed) return snFailMemory(error);
    for (int v = 0; v < out->positions.count; v++)
        snLevel_Project(level, &out->positions.data[v]);
    return SN_OK;
}

static snStatus deliver(snMesh *mesh, const Output *out, snArena *arena, snError *error)
{
    snVec3 *positions = SN_COPY(arena, snVec3, out->positions.data, out->positions.count);
    int *triangles = SN_COPY(arena, int, out->triangles.data, out->triangles.count);
    if (!positions || !triangles) return snFailMemory(error);
    *mesh = (snMesh){out->positions.count, out->triangles.count / 3, positions, triangles};
    return SN_OK;
}

snStatus snPolygonise(snMesh *mesh, const snField *field, const snPolygoniseDef *def,
                      snArena *arena, snError *error)
{
    *mesh = (snMesh){0};
    snStatus status = checkDef(def, error);
    if (status) return status;
    snArena scratch = {.allocator = arena->allocator};
    Output out = {.allocator = &arena->allocator};
    snLevel level = {field, def->box, def->cell};
    status = build(&out, &level, &scratch, error);
    if (!status && def->relax > 0 && out.positions.count > 0) {
        int triangles = out.triangles.count / 3;
        status = snRemesh(out.positions.data, &out.positions.count, out.triangles.data, &triangles,
                          &level, def->relax, &arena->allocator, error);
        out.triangles.count = 3 * triangles;
    }
    if (!status) status = deliver(mesh, &out, arena, error);
    snArray_Free(&arena->allocator, &out.positions);
    snArray_Free(&arena->allocator, &out.triangles);
    arena->allocator.release(arena->allocator.user, out.slots);
    snArena_Destroy(&scratch);
    return status;
}
