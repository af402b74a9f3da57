#include "body/lattice/auto_lattice.h"

#include "core/array.h"
#include "core/elementary.h"
#include "core/error.h"
#include "core/tasks.h"
#include "geometry/delaunay.h"
#include "geometry/primitive.h"

#include <stdlib.h>

// Shares of the grid's spacing: the longest piece of a bone between samples; how far grid points
// keep from samples; below which distance samples are one; and how far outside the surface grid
// points are needed to cover it (the circumsphere of a body-centred cell has radius 0.56).
#define BONE_STEP 0.8
#define BONE_CLEARANCE 0.5
#define MERGE 1e-3
#define MARGIN 1.15

#define MOST_ROUNDS 6 // of halving bone segments
#define MOST_MOVE 0.3 // of a grid point, to be rid of slivers, as a share of the spacing
#define SHORTEST 0.25 // no segment below this share of the spacing is halved
#define MOST_POINTS 4e6

typedef struct Sample {
    snVec3 point;
    int joint;
} Sample;

typedef struct Segment {
    int a, b; // samples
} Segment;

typedef struct Builder {
    const snAutoLatticeDef *def;
    const snContext *context;
    double spacing;
    SN_ARRAY(Sample) samples;
    SN_ARRAY(Segment) segments;
    SN_ARRAY(snVec3) points; // samples first, then the grid
    snArena scratch;         // of one attempt
    snTets tets;
    unsigned char *keep; // [tets.count]
} Builder;

static void freeBuilder(Builder *b)
{
    const snAllocator *allocator = &b->context->allocator;
    snArray_Free(allocator, &b->samples);
    snArray_Free(allocator, &b->segments);
    snArray_Free(allocator, &b->points);
    snArena_Destroy(&b->scratch);
}

// ---- bones --------------------------------------------------------------------------------------

// The sample at a point, made if there is none; -1 when memory runs out.
static int sampleAt(Builder *b, snVec3 point, int joint)
{
    for (int i = 0; i < b->samples.count; i++)
        if (snDistance(b->samples.data[i].point, point) < MERGE * b->spacing) return i;
    if (!snArray_Push(&b->context->allocator, &b->samples, ((Sample){point, joint}))) return -1;
    return b->samples.count - 1;
}

static bool sampleBone(Builder *b, const snBone *bone)
{
    double length = snDistance(bone->head, bone->tail);
    int pieces = length > MERGE * b->spacing ? (int)ceil(length / (BONE_STEP * b->spacing)) : 0;
    int last = sampleAt(b, bone->head, bone->joint);
    for (int k = 1; k <= pieces && last >= 0; k++) {
        int next = sampleAt(b, snLerp(bone->head, bone->tail, (double)k / pieces), bone->joint);
        if (next < 0) return false;
        if (next != last &&
            !snArray_Push(&b->context->allocator, &b->segments, ((Segment){last, next})))
            return false;
        last = next;
    }
    return last >= 0;
}

// Heads first: a joint's own place belongs to that joint, not to the tail of its parent's bone.
static bool sampleBones(Builder *b)
{
    for (int i = 0; i < b->def->boneCount; i++)
        if (sampleAt(b, b->def->bones[i].head, b->def->bones[i].joint) < 0) return false;
    for (int i = 0; i < b->def->boneCount; i++)
        if (!sampleBone(b, &b->def->bones[i])) return false;
    return true;
}

// ---- grid ---------------------------------------------------------------------------------------

static bool nearBone(const Builder *b, snVec3 point)
{
    double clearance = BONE_CLEARANCE * b->spacing;
    for (int i = 0; i < b->samples.count; i++)
        if (snLengthSquared(snSub(b->samples.data[i].point, point)) < clearance * clearance)
            return true;
    for (int i = 0; i < b->segments.count; i++) { // the diametral ball, a little enlarged
        snVec3 p = b->samples.data[b->segments.data[i].a].point;
        snVec3 q = b->samples.data[b->segments.data[i].b].point;
        double radius = 0.53 * snDistance(p, q);
        if (snLengthSquared(snSub(snLerp(p, q, 0.5), point)) < radius * radius) return true;
    }
    return false;
}

typedef struct GridTask {
    const Builder *builder;
    const snVec3 *points;
    unsigned char *wanted;
} GridTask;

static void testGridPoints(int begin, int end, int worker, void *context)
{
    (void)worker;
    GridTask *task = context;
    const Builder *b = task->builder;
    double margin = MARGIN * b->spacing;
    for (int i = begin; i < end; i++) {
        snVec3 p = task->points[i];
        bool close = snMeshTree_Closest(b->def->surface, p, margin).triangle >= 0 ||
                     snWinding_Inside(b->def->winding, p);
        task->wanted[i] = close && !nearBone(b, p);
    }
}

static bool pushSamples(Builder *b)
{
    b->points.count = 0;
    for (int i = 0; i < b->samples.count; i++)
        if (!snArray_Push(&b->context->allocator, &b->points, b->samples.data[i].point))
            return false;
    return true;
}

// Whether the grid has a size that can be worked with.
static snStatus checkSpacing(const Builder *b, snError *error)
{
    snBox box = snMesh_Bounds(&b->def->surface->mesh);
    snVec3 size = snSub(box.upper, box.lower);
    double s = b->spacing, total = 2 * (size.x / s + 7) * (size.y / s + 7) * (size.z / s + 7);
    if (total < MOST_POINTS) return SN_OK;
    return snFail(error, SN_ERROR_ARGUMENT,
                  "a lattice spacing of %g is too fine for a body of %g: use a larger one", s,
                  snLength(size));
}

// Body-centred cubes: corners and centres. The grid is placed by the box's middle, so that the
// same character gives the same lattice wherever it stands.
static snStatus placeGrid(Builder *b, snError *error)
{
    snBox box = snMesh_Bounds(&b->def->surface->mesh);
    double s = b->spacing;
    snVec3 middle = snLerp(box.lower, box.upper, 0.5), size = snSub(box.upper, box.lower);
    int nx = (int)(size.x / (2 * s)) + 3, ny = (int)(size.y / (2 * s)) + 3;
    int nz = (int)(size.z / (2 * s)) + 3;
    double total = 2.0 * (2.0 * nx + 1) * (2.0 * ny + 1) * (2.0 * nz + 1);
    snVec3 *points = SN_NEW(&b->scratch, snVec3, (size_t)total);
    unsigned char *wanted = SN_NEW(&b->scratch, unsigned char, (size_t)total);
    if (!points || !wanted) return snFailMemory(error);
    int count = 0;
    for (int k = -2 * nz; k <= 2 * nz + 1; k++) // odd layers are the centres
        for (int j = -ny; j <= ny; j++)
            for (int i = -nx; i <= nx; i++) {
                double shift = k & 1 ? 0.5 : 0;
                points[count++] = snAdd(
                    middle, snVec(s * (i + shift), s * (j + shift), s * (k >> 1) + s * shift));
            }
    GridTask task = {b, points, wanted};
    snParallelFor(&b->context->tasks, count, 64, testGridPoints, &task);
    for (int i = 0; i < count; i++)
        if (wanted[i] && !snArray_Push(&b->context->allocator, &b->points, points[i]))
            return snFailMemory(error);
    return SN_OK;
}

// ---- tetrahedra ---------------------------------------------------------------------------------

static int compareSegments(const void *a, const void *b)
{
    const Segment *x = a, *y = b;
    if (x->a != y->a) return x->a < y->a ? -1 : 1;
    return (x->b > y->b) - (x->b < y->b);
}

// Halves the segments that are no edges; returns how many there were, or -1 out of memory.
static int splitMissing(Builder *b)
{
    int edgeCount = 0, missing = 0, segments = b->segments.count;
    Segment *edges = SN_NEW(&b->scratch, Segment, (size_t)b->tets.count * 6 + 1);
    if (!edges) return -1;
    for (int t = 0; t < b->tets.count; t++)
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++) {
                int p = b->tets.corners[t * 4 + i], q = b->tets.corners[t * 4 + j];
                if (p < q && q < b->samples.count) edges[edgeCount++] = (Segment){p, q};
            }
    qsort(edges, (size_t)edgeCount, sizeof *edges, compareSegments);
    for (int i = 0; i < segments; i++) {
        Segment s = b->segments.data[i];
        Segment key = s.a < s.b ? s : (Segment){s.b, s.a};
        if (bsearch(&key, edges, (size_t)edgeCount, sizeof *edges, compareSegments)) continue;
        if (snDistance(b->samples.data[s.a].point, b->samples.data[s.b].point) <
            SHORTEST * b->spacing)
            continue; // bones that cross: no splitting helps
        missing++;
        Sample p = b->samples.data[s.a], q = b->samples.data[s.b];
        // The segment's own joint is the one of its inner end: bones are sampled head to tail.
        int middle = sampleAt(b, snLerp(p.point, q.point, 0.5), p.joint);
        if (middle < 0) return -1;
        b->segments.data[i].b = middle;
        if (!snArray_Push(&b->context->allocator, &b->segments, ((Segment){middle, s.b})))
            return -1;
    }
    return missing;
}

static snTetrahedron tetOf(const Builder *b, int t)
{
    const int *c = b->tets.corners + t * 4;
    const snVec3 *p = b->points.data;
    return (snTetrahedron){p[c[0]], p[c[1]], p[c[2]], p[c[3]]};
}

// ---- quality --------------------------------------------------------------------------------------

// Which tets stand at each point.
typedef struct Stars {
    int *start, *tet;
} Stars;

static bool makeStars(const Builder *b, Stars *stars, snArena *scratch)
{
    stars->start = SN_NEW(scratch, int, b->points.count + 2);
    stars->tet = SN_NEW(scratch, int, (size_t)b->tets.count * 4);
    if (!stars->start || !stars->tet) return false;
    for (int i = 0; i < b->tets.count * 4; i++)
        stars->start[b->tets.corners[i] + 2]++;
    for (int v = 0; v < b->points.count; v++)
        stars->start[v + 2] += stars->start[v + 1];
    for (int i = 0; i < b->tets.count * 4; i++)
        stars->tet[stars->start[b->tets.corners[i] + 1]++] = i / 4;
    return true;
}

// Volume against edge lengths: 1 for a regular tet, 0 when flat, negative when inverted.
static double meanRatio(snTetrahedron t)
{
    double squares = snLengthSquared(snSub(t.a, t.b)) + snLengthSquared(snSub(t.a, t.c)) +
                     snLengthSquared(snSub(t.a, t.d)) + snLengthSquared(snSub(t.b, t.c)) +
                     snLengthSquared(snSub(t.b, t.d)) + snLengthSquared(snSub(t.c, t.d));
    double scale = 124.70765814495917; // 72 sqrt(3)
    return squares > 0 ? scale * snTetrahedron_Volume(t) / (squares * sqrt(squares)) : 0;
}

// The worst of the kept tets around a point; the others only have to stay positive.
static double starQuality(const Builder *b, const Stars *stars, int point)
{
    double worst = 1;
    for (int i = stars->start[point]; i < stars->start[point + 1]; i++) {
        double quality = meanRatio(tetOf(b, stars->tet[i]));
        if (quality < worst && (quality <= 0 || b->keep[stars->tet[i]])) worst = quality;
    }
    return worst;
}

// Slivers (four points nearly on a circle) ruin the conditioning. Moves grid points of bad tets
// among a few directions and lengths while the worst tet around them gets better, and no farther
// than a share of the spacing from where they were.
static void improvePoint(Builder *b, const Stars *stars, int point, snVec3 home)
{
    static const snVec3 directions[14] = {
        {1, 0, 0},  {-1, 0, 0}, {0, 1, 0},  {0, -1, 0},  {0, 0, 1},   {0, 0, -1},  {1, 1, 1},
        {-1, 1, 1}, {1, -1, 1}, {1, 1, -1}, {-1, -1, 1}, {-1, 1, -1}, {1, -1, -1}, {-1, -1, -1}};
    double best = starQuality(b, stars, point);
    for (double step = 0.16; step > 0.03; step *= 0.5)
        for (int d = 0; d < 14; d++) {
            snVec3 old = b->points.data[point];
            b->points.data[point] = snMulAdd(old, step * b->spacing, directions[d]);
            double quality = starQuality(b, stars, point);
            bool near = snDistance(b->points.data[point], home) <= MOST_MOVE * b->spacing;
            if (near && quality > best + 1e-6)
                best = quality;
            else
                b->points.data[point] = old;
        }
}

static bool removeSlivers(Builder *b)
{
    Stars stars;
    unsigned char *bad = SN_NEW(&b->scratch, unsigned char, b->points.count);
    snVec3 *home = SN_COPY(&b->scratch, snVec3, b->points.data, b->points.count);
    if (!bad || !home || !makeStars(b, &stars, &b->scratch)) return false;
    for (int round = 0; round < 4; round++) {
        for (int t = 0; t < b->tets.count; t++)
            if (b->keep[t] && meanRatio(tetOf(b, t)) < 0.5)
                for (int k = 0; k < 4; k++)
                    bad[b->tets.corners[t * 4 + k]] = 1;
        for (int p = b->samples.count; p < b->points.count; p++) {
            if (bad[p]) improvePoint(b, &stars, p, home[p]);
            bad[p] = 0;
        }
    }
    return true;
}

// ---- what touches the body ----------------------------------------------------------------------

typedef struct Touch {
    const snMesh *mesh;
    snTetrahedron tet;
    bool found;
} Touch;

static bool touchTriangle(int item, void *context)
{
    Touch *touch = context;
    const int *t = touch->mesh->triangles + item * 3;
    const snVec3 *p = touch->mesh->positions;
    snTriangle triangle = {p[t[0]], p[t[1]], p[t[2]]};
    touch->found = snTriangle_OverlapsTetrahedron(triangle, touch->tet);
    return !touch->found;
}

static void testTets(int begin, int end, int worker, void *context)
{
    (void)worker;
    Builder *b = context;
    for (int t = begin; t < end; t++) {
        Touch touch = {&b->def->surface->mesh, tetOf(b, t), false};
        snBox box = snBoxAdd(snEmptyBox(), touch.tet.a);
        box = snBoxAdd(snBoxAdd(snBoxAdd(box, touch.tet.b), touch.tet.c), touch.tet.d);
        snTree_Overlap(&b->def->surface->tree, box, touchTriangle, &touch);
        snVec3 middle =
            snScale(0.25, snAdd(snAdd(touch.tet.a, touch.tet.b), snAdd(touch.tet.c, touch.tet.d)));
        b->keep[t] = touch.found || snWinding_Inside(b->def->winding, middle);
    }
}

// One attempt at the builder's spacing: points, tets, and which tets to keep.
static snStatus attempt(Builder *b, int *rounds, int *missing, snError *error)
{
    snStatus status = checkSpacing(b, error);
    if (status) return status;
    b->samples.count = b->segments.count = 0;
    if (!sampleBones(b)) return snFailMemory(error);
    for (*rounds = 0;; ++*rounds) {
        snArena_Destroy(&b->scratch);
        if (!pushSamples(b)) return snFailMemory(error);
        status = placeGrid(b, error);
        if (!status)
            status = snDelaunay(b->points.count, b->points.data, &b->tets, &b->scratch, error);
        if (status) return status;
        if (*rounds == MOST_ROUNDS) break;
        *missing = splitMissing(b);
        if (*missing < 0) return snFailMemory(error);
        if (*missing == 0) break;
    }
    b->keep = SN_NEW(&b->scratch, unsigned char, b->tets.count);
    if (!b->keep) return snFailMemory(error);
    snParallelFor(&b->context->tasks, b->tets.count, 64, testTets, b);
    return SN_OK;
}

static int keptCount(const Builder *b)
{
    int count = 0;
    for (int t = 0; t < b->tets.count; t++)
        count += b->keep[t];
    return count;
}

// A first guess: twelve tets fill a body-centred cube, and the surface is covered half a spacing
// beyond the body, so N = 12 (V + A s / 2) / s³. Solved by Newton's method in 1/s.
static double guessSpacing(const snAutoLatticeDef *def)
{
    double volume = fabs(snMesh_Volume(&def->surface->mesh)),
           area = snMesh_Area(&def->surface->mesh);
    double x = snCbrt(def->cells / (12 * (volume + 1e-300)));
    for (int k = 0; k < 20; k++) {
        double f = 12 * (volume * x * x * x + 0.5 * area * x * x) - def->cells;
        x -= f / (12 * (3 * volume * x * x + area * x) + 1e-300);
    }
    snBox box = snMesh_Bounds(&def->surface->mesh);
    double size = snDistance(box.lower, box.upper), spacing = 1 / x;
    return spacing > 1e-3 * size && spacing < size ? spacing : size / 12;
}

// Tries spacings until the number of cells is near the wanted one.
static snStatus findSpacing(Builder *b, int *rounds, int *missing, snError *error)
{
    const snAutoLatticeDef *def = b->def;
    b->spacing = def->spacing > 0 ? def->spacing : guessSpacing(def);
    for (int k = 0;; k++) {
        snStatus status = attempt(b, rounds, missing, error);
        if (status || def->spacing > 0 || k == 5) return status;
        double ratio = (double)keptCount(b) / def->cells;
        if (ratio > 0.9 && ratio < 1.1) return SN_OK;
        if (!(ratio > 0)) ratio = 0.1;
        // Cells go with the spacing's power -2 to -3, as a body is a skin or a solid to the grid.
        double change = snPow(ratio, 1 / 2.4);
        b->spacing *= change < 0.4 ? 0.4 : change > 2.5 ? 2.5 : change;
    }
}

// ---- the lattice ----------------------------------------------------------------------------------

static snStatus makeLattice(Builder *b, snLattice *lattice, snAutoLatticeReport *report,
                            snArena *arena, snError *error)
{
    int cells = keptCount(b), vertices = 0, cell = 0;
    int *number = SN_NEW(&b->scratch, int, b->points.count);
    double *quality = SN_NEW(&b->scratch, double, cells + 1);
    if (!number || !quality) return snFailMemory(error);
    for (int t = 0; t < b->tets.count; t++)
        for (int k = 0; k < 4 && b->keep[t]; k++)
            number[b->tets.corners[t * 4 + k]] = 1;
    for (int p = 0; p < b->points.count; p++)
        number[p] = number[p] ? vertices++ : -1;
    snStatus status = snLattice_Alloc(lattice, vertices, cells, cells * 4, arena, error);
    if (status) return status;
    for (int p = 0; p < b->points.count; p++) {
        if (number[p] < 0) continue;
        lattice->rest[number[p]] = b->points.data[p];
        if (p < b->samples.count) lattice->joint[number[p]] = b->samples.data[p].joint;
    }
    for (int t = 0; t < b->tets.count; t++) {
        if (!b->keep[t]) continue;
        for (int k = 0; k < 4; k++)
            lattice->corners[cell * 4 + k] = number[b->tets.corners[t * 4 + k]];
        quality[cell++] = snTetrahedron_Quality(tetOf(b, t)).radiusRatio;
        lattice->cellStart[cell] = cell * 4;
    }
    qsort(quality, (size_t)cells, sizeof *quality, snCompareDoubles);
    report->worstQuality = cells ? quality[0] : 0;
    report->medianQuality = cells ? quality[cells / 2] : 0;
    return SN_OK;
}

snStatus snAutoLattice(snLattice *lattice, const snAutoLatticeDef *def, snAutoLatticeReport *report,
                       snArena *arena, const snContext *context, snError *error)
{
    Builder b = {.def = def, .context = context, .scratch = snMakeArena(context)};
    *report = (snAutoLatticeReport){0};
    if (def->surface->mesh.triangleCount == 0)
        return snFail(error, SN_ERROR_GEOMETRY, "the surface has no triangles to build flesh in");
    if (def->spacing <= 0 && def->cells < 4)
        return snFail(error, SN_ERROR_ARGUMENT,
                      "a lattice of %d cells is too small: ask for 4 or more", def->cells);
    snStatus status = findSpacing(&b, &report->rounds, &report->missingBoneEdges, error);
    if (!status && !removeSlivers(&b)) status = snFailMemory(error);
    if (!status)
        snParallelFor(&context->tasks, b.tets.count, 64, testTets, &b); // points have moved
    if (!status) status = makeLattice(&b, lattice, report, arena, error);
    report->spacing = b.spacing;
    freeBuilder(&b);
    return status;
}
