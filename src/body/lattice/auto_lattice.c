#include "body/lattice/auto_lattice.h"

#include "body/lattice/sliver.h"
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

#define MOST_ROUNDS 6   // of halving bone segments
#define MOST_TRIES 5    // of spacings
#define LEAST_POWER 0.5 // of the spacing with which cells must fall for a larger one to be worth it
#define MOST_MOVE 0.35  // of a point, to be rid of slivers, as a share of the spacing
#define SHORTEST 0.25   // no segment below this share of the spacing is halved
#define FLAT 0.03       // radius ratio of cells that are left out
#define MOST_POINTS 4e6
#define COARSEST 4 // spacing, of the diagonal: integrals find no flesh in cells larger than that

typedef struct Sample {
    snVec3 point;
    int joint;
    snVec3 rail; // the bone's direction; zero where bones begin, end or meet
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

// A sample, or the one that is at its place already; -1 when memory runs out.
static int addSample(Builder *b, Sample sample)
{
    for (int i = 0; i < b->samples.count; i++)
        if (snDistance(b->samples.data[i].point, sample.point) < MERGE * b->spacing) {
            b->samples.data[i].rail = snVec(0, 0, 0);
            return i;
        }
    if (!snArray_Push(&b->context->allocator, &b->samples, sample)) return -1;
    return b->samples.count - 1;
}

static int jointAt(const Builder *b, snVec3 point)
{
    for (int i = 0; i < b->samples.count; i++)
        if (snDistance(b->samples.data[i].point, point) < MERGE * b->spacing)
            return b->samples.data[i].joint;
    return -1;
}

// Both ends may be heads of other joints: then the bone is halved, for every joint needs a vertex
// of its own to lead.
static int piecesOf(const Builder *b, const snBone *bone)
{
    double length = snDistance(bone->head, bone->tail);
    if (!(length > MERGE * b->spacing)) return 0;
    int pieces = (int)ceil(length / (BONE_STEP * b->spacing));
    int head = jointAt(b, bone->head), tail = jointAt(b, bone->tail);
    bool taken = head >= 0 && tail >= 0 && head != bone->joint && tail != bone->joint;
    return pieces < 2 && taken ? 2 : pieces;
}

// Whether a bone runs through empty space here, farther from the body than the grid reaches.
static bool inAir(const Builder *b, snVec3 point)
{
    return snMeshTree_Closest(b->def->surface, point, MARGIN * b->spacing).triangle < 0 &&
           !snWinding_Inside(b->def->winding, point);
}

static bool sampleBone(Builder *b, const snBone *bone)
{
    int last = -1, pieces = piecesOf(b, bone);
    snVec3 rail = snNormalizeOr(snSub(bone->tail, bone->head), snVec(0, 0, 0));
    for (int k = 0; k <= pieces; k++) {
        bool end = k == 0 || k == pieces;
        Sample sample = {bone->head, bone->joint, end ? snVec(0, 0, 0) : rail};
        if (k > 0) sample.point = snLerp(bone->head, bone->tail, (double)k / pieces);
        int next = inAir(b, sample.point) ? -1 : addSample(b, sample);
        if (next < 0 && !inAir(b, sample.point)) return false;
        if (last >= 0 && next >= 0 && next != last &&
            !snArray_Push(&b->context->allocator, &b->segments, ((Segment){last, next})))
            return false;
        last = next;
    }
    return true;
}

// Heads first: a joint's own place belongs to that joint, not to the tail of its parent's bone.
static bool sampleBones(Builder *b)
{
    for (int i = 0; i < b->def->boneCount; i++) {
        const snBone *bone = &b->def->bones[i];
        Sample head = {bone->head, bone->joint, {0, 0, 0}};
        if (!inAir(b, bone->head) && addSample(b, head) < 0) return false;
    }
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
    bool fine = !(total < MOST_POINTS), coarse = s > COARSEST * snLength(size);
    if (!fine && !coarse) return SN_OK;
    return snFail(error, SN_ERROR_ARGUMENT,
                  "a lattice spacing of %g is too %s for a body of %g: use a %s one", s,
                  fine ? "fine" : "coarse", snLength(size), fine ? "larger" : "smaller");
}

// Body-centred cubes: corners and centres. The grid is placed by the box's middle, so that the
// same character gives the same lattice wherever it stands; a little beside it, so that flat and
// symmetric surfaces do not lie in the faces of cells.
static snStatus placeGrid(Builder *b, snError *error)
{
    snBox box = snMesh_Bounds(&b->def->surface->mesh);
    double s = b->spacing;
    snVec3 middle = snLerp(box.lower, box.upper, 0.5), size = snSub(box.upper, box.lower);
    middle = snMulAdd(middle, s, snVec(0.031, 0.043, 0.053));
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
    qsort(edges, (size_t)edgeCount, sizeof *edges, snComparePairs);
    for (int i = 0; i < segments; i++) {
        Segment s = b->segments.data[i];
        Segment key = s.a < s.b ? s : (Segment){s.b, s.a};
        if (bsearch(&key, edges, (size_t)edgeCount, sizeof *edges, snComparePairs)) continue;
        if (snDistance(b->samples.data[s.a].point, b->samples.data[s.b].point) <
            SHORTEST * b->spacing)
            continue; // bones that cross: no splitting helps
        missing++;
        Sample p = b->samples.data[s.a], q = b->samples.data[s.b];
        // The segment's own joint is the one of its inner end: bones are sampled head to tail.
        snVec3 rail = snNormalizeOr(snSub(q.point, p.point), snVec(0, 0, 0));
        int middle = addSample(b, (Sample){snLerp(p.point, q.point, 0.5), p.joint, rail});
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

static bool improveTets(Builder *b)
{
    snVec3 *rails = SN_NEW(&b->scratch, snVec3, b->samples.count);
    if (!rails) return false;
    for (int i = 0; i < b->samples.count; i++)
        rails[i] = b->samples.data[i].rail;
    snSliverDef def = {&b->tets,         b->keep, b->points.data,        b->points.count,
                       b->samples.count, rails,   MOST_MOVE * b->spacing};
    return snImproveTets(&def, &b->scratch);
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
    double size = snBoxDiagonal(box), spacing = 1 / x;
    return spacing > 1e-3 * size && spacing < size ? spacing : size / 12;
}

// Whether a larger spacing than the last one hardly spared cells: bones alone need so many. A grid
// coarser than the bones' own spacing makes bad cells and not fewer.
static bool isVain(double spacing, double lastSpacing, int cells, int lastCells)
{
    return spacing > lastSpacing && cells > 0 &&
           snLn((double)lastCells / cells) < LEAST_POWER * snLn(spacing / lastSpacing);
}

// Tries spacings until the number of cells is near the wanted one.
static snStatus findSpacing(Builder *b, int *rounds, int *missing, snError *error)
{
    const snAutoLatticeDef *def = b->def;
    double lastSpacing = 1e300;
    int lastCells = 0;
    b->spacing = def->spacing > 0 ? def->spacing : guessSpacing(def);
    for (int k = 0;; k++) {
        snStatus status = attempt(b, rounds, missing, error);
        int cells = status ? 0 : keptCount(b);
        double ratio = (double)cells / def->cells;
        if (status || def->spacing > 0 || (ratio > 0.9 && ratio < 1.1)) return status;
        if (isVain(b->spacing, lastSpacing, cells, lastCells)) {
            b->spacing = lastSpacing;
            return attempt(b, rounds, missing, error);
        }
        if (k == MOST_TRIES) return status;
        lastSpacing = b->spacing;
        lastCells = cells;
        if (!(ratio > 0)) ratio = 0.1;
        // Cells go with the spacing's power -2 to -3, as a body is a skin or a solid to the grid.
        double change = snPow(ratio, 1 / 2.4);
        b->spacing *= change < 0.4 ? 0.4 : change > 2.5 ? 2.5 : change;
    }
}

// ---- the lattice ----------------------------------------------------------------------------------

// The kept tets by themselves, and the bones' edges among their points.
typedef struct Kept {
    snTetSet tets;
    int edgeCount;
    int (*edges)[2];
    int *joint; // [samples]
} Kept;

static bool makeKept(Kept *kept, const Builder *b, snArena *scratch)
{
    int count = keptCount(b), at = 0, samples = b->samples.count;
    int *number = SN_NEW(scratch, int, b->tets.count + 1);
    int *corners = SN_NEW(scratch, int, (size_t)count * 4);
    int *across = SN_NEW(scratch, int, (size_t)count * 4);
    kept->edges = snArena_Alloc(scratch, sizeof *kept->edges, (size_t)b->segments.count);
    kept->joint = SN_NEW(scratch, int, samples);
    if (!number || !corners || !across || !kept->edges || !kept->joint) return false;
    for (int t = 0; t < b->tets.count; t++)
        number[t] = b->keep[t] ? at++ : -1;
    for (int i = 0; i < b->tets.count * 4; i++) {
        if (number[i / 4] < 0) continue;
        int other = b->tets.neighbours[i], to = number[i / 4] * 4 + (i & 3);
        corners[to] = b->tets.corners[i];
        across[to] = other < 0 ? -1 : number[other];
    }
    kept->tets = (snTetSet){b->points.count, count, b->points.data, corners, across};
    for (int i = 0; i < b->segments.count; i++) {
        Segment s = b->segments.data[i];
        kept->edges[i][0] = s.a < s.b ? s.a : s.b;
        kept->edges[i][1] = s.a < s.b ? s.b : s.a;
    }
    kept->edgeCount = b->segments.count;
    qsort(kept->edges, (size_t)kept->edgeCount, sizeof *kept->edges, snComparePairs);
    for (int i = 0; i < samples; i++)
        kept->joint[i] = b->samples.data[i].joint;
    return true;
}

static snStatus keepParts(snCellParts *parts, const snInside *inside, const int *cellOf, int cells,
                          snArena *arena, snError *error)
{
    int tets = parts->tetCount, pieces = parts->cut.start[tets];
    parts->tetOf = SN_NEW(arena, int, cells);
    parts->copies = SN_NEW(arena, int, tets);
    parts->cellOf = SN_NEW(arena, int, pieces);
    parts->background = SN_NEW(arena, int, tets);
    if (!parts->tetOf || !parts->copies || !parts->cellOf || !parts->background)
        return snFailMemory(error);
    for (int p = 0; p < inside->partCount; p++)
        if (cellOf[p] >= 0) parts->tetOf[cellOf[p]] = inside->tetOf[p];
    for (int c = 0; c < cells; c++)
        parts->copies[parts->tetOf[c]]++;
    for (int i = 0; i < pieces; i++)
        parts->cellOf[i] = cellOf[inside->partOf[i]];
    for (int t = 0; t < tets; t++)
        parts->background[t] = inside->background[t] < 0 ? -1 : cellOf[inside->background[t]];
    return SN_OK;
}

// Cells too flat to be of use get none, unless a bone needs them for its edge.
static bool findFlat(const Kept *kept, unsigned char *flat, int *count, snArena *scratch)
{
    const snTetSet *tets = &kept->tets;
    unsigned char *seen = SN_NEW(scratch, unsigned char, kept->edgeCount);
    if (!seen) return false;
    for (int t = 0; t < tets->count; t++) {
        snVec3 p[4];
        snTetSet_Points(tets, t, p);
        flat[t] = snTetrahedron_Quality((snTetrahedron){p[0], p[1], p[2], p[3]}).radiusRatio < FLAT;
    }
    for (int pass = 0; pass < 2; pass++) // good cells first, then flat ones where edges are left
        for (int t = 0; t < tets->count; t++)
            for (int i = 0; i < 12; i++) {
                int key[2] = {tets->corners[t * 4 + i / 3],
                              tets->corners[t * 4 + (i / 3 + 1 + i % 3) % 4]};
                if (key[0] > key[1] || flat[t] != pass) continue;
                int(*edge)[2] = bsearch(key, kept->edges, (size_t)kept->edgeCount,
                                        sizeof *kept->edges, snComparePairs);
                if (!edge || seen[edge - kept->edges]) continue;
                seen[edge - kept->edges] = 1;
                flat[t] = 0;
            }
    for (int t = 0; t < tets->count; t++)
        *count += flat[t];
    return true;
}

static snStatus copyCells(Builder *b, snLattice *lattice, snAutoLatticeReport *report,
                          snArena *arena, snError *error)
{
    Kept kept;
    snInside inside;
    snCellParts *parts = &report->parts;
    if (!makeKept(&kept, b, &b->scratch)) return snFailMemory(error);
    unsigned char *flat = SN_NEW(&b->scratch, unsigned char, kept.tets.count);
    if (!flat || !findFlat(&kept, flat, &report->flat, &b->scratch)) return snFailMemory(error);
    parts->tetCount = kept.tets.count;
    snStatus status =
        snCut_Make(&parts->cut, &kept.tets, b->def->surface, arena, b->context, error);
    snInsideDef def = {&kept.tets, &parts->cut, b->def->winding, kept.edgeCount,
                       (const int(*)[2])kept.edges};
    if (!status) status = snInside_Find(&inside, &def, &b->scratch, b->context, error);
    snCloneDef cloneDef = {&def, &inside, flat, b->samples.count, kept.joint};
    int *cellOf;
    if (!status)
        status = snClone(lattice, &cellOf, &cloneDef, &report->clones, arena, b->context, error);
    if (!status) status = keepParts(parts, &inside, cellOf, lattice->cellCount, arena, error);
    return status;
}

static bool measureQuality(const snLattice *lattice, snAutoLatticeReport *report, snArena *scratch)
{
    int cells = lattice->cellCount;
    double *quality = SN_NEW(scratch, double, cells + 1);
    if (!quality) return false;
    for (int c = 0; c < cells; c++) {
        const int *v = snLattice_Corners(lattice, c);
        const snVec3 *r = lattice->rest;
        snTetrahedron tet = {r[v[0]], r[v[1]], r[v[2]], r[v[3]]};
        quality[c] = snTetrahedron_Quality(tet).radiusRatio;
    }
    qsort(quality, (size_t)cells, sizeof *quality, snCompareDoubles);
    report->worstQuality = quality[0];
    report->lowQuality = quality[cells / 20];
    report->medianQuality = quality[cells / 2];
    return true;
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
    if (!status && !improveTets(&b)) status = snFailMemory(error);
    if (!status)
        snParallelFor(&context->tasks, b.tets.count, 64, testTets, &b); // points have moved
    if (!status) status = copyCells(&b, lattice, report, arena, error);
    if (!status && !measureQuality(lattice, report, &b.scratch)) status = snFailMemory(error);
    report->spacing = b.spacing;
    freeBuilder(&b);
    return status;
}
