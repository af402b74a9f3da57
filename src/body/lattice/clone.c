#include "body/lattice/clone.h"

#include "core/array.h"
#include "core/error.h"
#include "core/sets.h"

#include <stdlib.h>

// Parts of one tet stay together up to this distance along the body, in longest edges of the tet;
// copies of one vertex up to the second: the way round through tets that share the vertex.
#define PART_REACH 1.0
#define VERTEX_REACH 1.0

// A copy of a tet has number 4 part ... 4 part + 3 for its corners; `corner` unites these.
typedef struct Cloner {
    const snCloneDef *def;
    const snTetSet *tets;
    const snInside *inside;
    int *start, *other; // parts linked to each part: [parts + 1], [2 links]
    int *part;          // [parts], union-find of parts in the same tet
    int *corner;        // [parts * 4], union-find
    int *bone;          // [boneVertexCount], a corner of that vertex on its bone, or -1
    double *distance;   // [parts], of the search under way; negative: not reached
    int *queue;         // [parts], reached
    int queued;
    snCloneReport *report;
} Cloner;

static int pointOf(const Cloner *c, int corner)
{
    return c->tets->corners[c->inside->tetOf[corner / 4] * 4 + (corner & 3)];
}

// ---- distances along the body -------------------------------------------------------------------

static bool makeGraph(Cloner *c, snArena *scratch)
{
    const snInside *in = c->inside;
    c->start = SN_NEW(scratch, int, in->partCount + 2);
    c->other = SN_NEW(scratch, int, (size_t)in->linkCount * 2);
    if (!c->start || !c->other) return false;
    for (int i = 0; i < in->linkCount; i++) {
        c->start[in->links[i].a + 2]++;
        c->start[in->links[i].b + 2]++;
    }
    for (int p = 0; p < in->partCount; p++)
        c->start[p + 2] += c->start[p + 1];
    for (int i = 0; i < in->linkCount; i++) {
        c->other[c->start[in->links[i].a + 1]++] = in->links[i].b;
        c->other[c->start[in->links[i].b + 1]++] = in->links[i].a;
    }
    return true;
}

static void beginSearch(Cloner *c)
{
    for (int i = 0; i < c->queued; i++)
        c->distance[c->queue[i]] = -1;
    c->queued = 0;
}

static void reach(Cloner *c, int part, double distance)
{
    if (c->distance[part] < 0) c->queue[c->queued++] = part;
    if (c->distance[part] < 0 || distance < c->distance[part]) c->distance[part] = distance;
}

// Dijkstra's shortest paths from the parts reached so far, up to a length. The set is small, so the
// next part is looked for in turn; done ones stand first in the queue.
static void search(Cloner *c, double most)
{
    for (int done = 0; done < c->queued; done++) {
        int best = done;
        for (int i = done + 1; i < c->queued; i++)
            if (c->distance[c->queue[i]] < c->distance[c->queue[best]]) best = i;
        int part = c->queue[best];
        c->queue[best] = c->queue[done];
        c->queue[done] = part;
        for (int k = c->start[part]; k < c->start[part + 1]; k++) {
            int next = c->other[k];
            double d =
                c->distance[part] + snDistance(c->inside->middle[part], c->inside->middle[next]);
            if (d <= most) reach(c, next, d);
        }
    }
}

static double longestEdge(const snTetSet *tets, int tet)
{
    snVec3 p[4];
    double longest = 0;
    snTetSet_Points(tets, tet, p);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < i; j++)
            if (snDistance(p[i], p[j]) > longest) longest = snDistance(p[i], p[j]);
    return longest;
}

// Distances are those of the parts as found: were they to shrink by what is joined, legs would zip
// up from the hip to the toes.
static void joinNearParts(Cloner *c)
{
    const snInside *in = c->inside;
    for (int t = 0; t < c->tets->count; t++)
        for (int p = in->start[t]; p + 1 < in->start[t + 1]; p++) {
            beginSearch(c);
            reach(c, p, 0);
            search(c, PART_REACH * longestEdge(c->tets, t));
            for (int q = p + 1; q < in->start[t + 1]; q++)
                if (c->distance[q] >= 0 && snSets_Join(c->part, p, q)) c->report->glued++;
        }
}

// ---- pieces that float --------------------------------------------------------------------------

// Which parts hang on a bone, directly or through others; `piece` has room for all parts.
static void findHeld(Cloner *c, int *piece, unsigned char *held)
{
    const snInside *in = c->inside;
    for (int p = 0; p < in->partCount; p++) {
        piece[p] = p;
        held[p] = 0;
    }
    for (int p = 0; p < in->partCount; p++)
        snSets_Join(piece, p, snSets_Root(c->part, p));
    for (int i = 0; i < in->linkCount; i++)
        snSets_Join(piece, in->links[i].a, in->links[i].b);
    for (int v = 0; v < c->def->boneVertexCount; v++)
        if (c->bone[v] >= 0) held[snSets_Root(piece, c->bone[v] / 4)] = 1;
    for (int p = 0; p < in->partCount; p++)
        held[p] = held[snSets_Root(piece, p)];
}

static int nearestHeld(const Cloner *c, int part, const unsigned char *held)
{
    const snInside *in = c->inside;
    int tet = in->tetOf[part], best = -1;
    double least = 1e300;
    for (int q = in->start[tet]; q < in->start[tet + 1]; q++) {
        double d = snDistance(in->middle[q], in->middle[part]);
        if (!held[q] || d >= least) continue;
        least = d;
        best = q;
    }
    return best;
}

static bool joinFloating(Cloner *c, snArena *scratch)
{
    int parts = c->inside->partCount;
    int *piece = SN_NEW(scratch, int, parts);
    unsigned char *held = SN_NEW(scratch, unsigned char, parts);
    if (!piece || !held) return false;
    for (bool changed = true; changed;) {
        changed = false;
        findHeld(c, piece, held);
        for (int p = 0; p < parts; p++) {
            int q = held[p] ? -1 : nearestHeld(c, p, held);
            if (q >= 0 && snSets_Join(c->part, p, q)) changed = true;
        }
    }
    for (int p = 0; p < parts; p++)
        c->report->strays += !held[p] && c->part[p] == p;
    return true;
}

// ---- corners ------------------------------------------------------------------------------------

static void uniteCorners(Cloner *c)
{
    const snInside *in = c->inside;
    for (int i = 0; i < in->linkCount; i++)
        for (int k = 0; k < 4; k++)
            for (int l = 0; l < 4; l++) {
                int a = in->links[i].a * 4 + k, b = in->links[i].b * 4 + l;
                if (pointOf(c, a) == pointOf(c, b)) snSets_Join(c->corner, a, b);
            }
    for (int p = 0; p < in->partCount; p++)
        for (int k = 0; k < 4; k++)
            snSets_Join(c->corner, p * 4 + k, snSets_Root(c->part, p) * 4 + k);
}

static void markBone(Cloner *c, int vertex, int corner)
{
    if (c->bone[vertex] < 0)
        c->bone[vertex] = corner;
    else
        snSets_Join(c->corner, c->bone[vertex], corner);
}

static void markTet(Cloner *c, int tet, const unsigned char *inside)
{
    const snInsideDef *def = c->def->def;
    const int *v = c->tets->corners + tet * 4;
    for (int i = 0; i < 4; i++) {
        if (v[i] >= c->def->boneVertexCount) continue;
        if (inside[v[i]]) {
            int part = snInside_PartAt(c->inside, def, tet, c->tets->points[v[i]]);
            if (part >= 0) markBone(c, v[i], part * 4 + i);
        }
        for (int j = 0; j < 4; j++) {
            if (j == i || !snInside_IsBoneEdge(def, v[i], v[j])) continue;
            int low = v[i] < v[j] ? v[i] : v[j], high = v[i] < v[j] ? v[j] : v[i];
            int part = snInside_PartOfBone(c->inside, def, tet, c->tets->points[low],
                                           c->tets->points[high]);
            if (part >= 0) markBone(c, v[i], part * 4 + i);
        }
    }
}

// A bone's vertex is known in the copy that its bone runs through; other copies of it are free.
static bool markBones(Cloner *c, snArena *scratch)
{
    int n = c->def->boneVertexCount;
    unsigned char *inside = SN_NEW(scratch, unsigned char, n);
    if (!inside) return false;
    for (int v = 0; v < n; v++)
        inside[v] = fabs(snWinding_Number(c->def->def->winding, c->tets->points[v])) > 0.5;
    for (int t = 0; t < c->tets->count; t++)
        markTet(c, t, inside);
    for (int i = 0; i < c->tets->count * 4; i++) { // lone joints outside the body
        int v = c->tets->corners[i], tet = i / 4;
        if (v >= n || c->bone[v] >= 0 || c->inside->start[tet] == c->inside->start[tet + 1])
            continue;
        snVec3 p = c->tets->points[v];
        c->bone[v] = snInside_PartOfBone(c->inside, c->def->def, tet, p, p) * 4 + (i & 3);
    }
    return true;
}

// ---- vertices -----------------------------------------------------------------------------------

typedef struct Stand {
    int point, corner;
} Stand;

// Joins the copies of one vertex, whose corners are given, that are near along the body.
static void joinNearCopies(Cloner *c, const Stand *stand, int count)
{
    for (int i = 0; i < count; i++) {
        int root = snSets_Root(c->corner, stand[i].corner);
        if (root != stand[i].corner) continue; // once per copy
        double longest = 0;
        beginSearch(c);
        for (int j = i; j < count; j++) {
            if (snSets_Root(c->corner, stand[j].corner) != root) continue;
            reach(c, stand[j].corner / 4, 0);
            double edge = longestEdge(c->tets, c->inside->tetOf[stand[j].corner / 4]);
            if (edge > longest) longest = edge;
        }
        search(c, VERTEX_REACH * longest);
        for (int j = 0; j < count; j++)
            if (c->distance[stand[j].corner / 4] >= 0)
                snSets_Join(c->corner, root, stand[j].corner);
    }
}

static bool severalCopies(Cloner *c, const Stand *stand, int count)
{
    for (int i = 1; i < count; i++)
        if (snSets_Root(c->corner, stand[i].corner) != snSets_Root(c->corner, stand[0].corner))
            return true;
    return false;
}

static Stand *makeStands(Cloner *c, snArena *scratch)
{
    int count = c->inside->partCount * 4;
    Stand *stands = SN_NEW(scratch, Stand, count);
    if (!stands) return NULL;
    for (int i = 0; i < count; i++)
        stands[i] = (Stand){pointOf(c, i), i};
    qsort(stands, (size_t)count, sizeof *stands, snComparePairs);
    return stands;
}

static void joinNearVertices(Cloner *c, const Stand *stands)
{
    int count = c->inside->partCount * 4;
    for (int i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && stands[end].point == stands[i].point;)
            end++;
        if (severalCopies(c, stands + i, end - i)) joinNearCopies(c, stands + i, end - i);
    }
}

// Copies of a tet with the same four vertices are one.
static void joinEqualCells(Cloner *c)
{
    const snInside *in = c->inside;
    for (int t = 0; t < c->tets->count; t++)
        for (int p = in->start[t]; p < in->start[t + 1]; p++)
            for (int q = p + 1; q < in->start[t + 1]; q++) {
                int same = 0;
                for (int k = 0; k < 4; k++)
                    same += snSets_Root(c->corner, p * 4 + k) == snSets_Root(c->corner, q * 4 + k);
                if (same == 4 && snSets_Join(c->part, p, q)) c->report->glued++;
            }
}

// ---- the lattice --------------------------------------------------------------------------------

static bool hasCell(const Cloner *c, int part)
{
    return c->part[part] == part && !c->def->flat[c->inside->tetOf[part]];
}

// Numbers the vertices that cells stand on, by ascending point: number[corner], for roots.
static int numberVertices(Cloner *c, const Stand *stands, int *number)
{
    int vertices = 0, points = 0, count = c->inside->partCount * 4, last = -1;
    for (int i = 0; i < count; i++)
        number[i] = -1;
    for (int p = 0; p < c->inside->partCount; p++)
        for (int k = 0; k < 4 && hasCell(c, p); k++)
            number[snSets_Root(c->corner, p * 4 + k)] = 0;
    for (int i = 0; i < count; i++) {
        int corner = stands[i].corner;
        if (number[corner] < 0) continue;
        points += stands[i].point != last;
        last = stands[i].point;
        number[corner] = vertices++;
    }
    c->report->clones = vertices - points;
    return vertices;
}

static void placeVertices(Cloner *c, const int *number, snLattice *lattice)
{
    for (int p = 0; p < c->inside->partCount; p++)
        for (int k = 0; k < 4 && hasCell(c, p); k++) {
            int corner = p * 4 + k;
            lattice->rest[number[snSets_Root(c->corner, corner)]] =
                c->tets->points[pointOf(c, corner)];
        }
    for (int v = 0; v < c->def->boneVertexCount; v++) {
        int root = c->bone[v] < 0 ? -1 : snSets_Root(c->corner, c->bone[v]);
        if (root >= 0 && number[root] >= 0) lattice->joint[number[root]] = c->def->joint[v];
    }
}

static snStatus emit(Cloner *c, const Stand *stands, snLattice *lattice, int *cellOf,
                     snArena *arena, snArena *scratch, snError *error)
{
    const snInside *in = c->inside;
    int cells = 0;
    int *number = SN_NEW(scratch, int, in->partCount * 4);
    if (!number) return snFailMemory(error);
    int vertices = numberVertices(c, stands, number);
    for (int p = 0; p < in->partCount; p++)
        cells += hasCell(c, p);
    snStatus status = snLattice_Alloc(lattice, vertices, cells, cells * 4, arena, error);
    if (status) return status;
    placeVertices(c, number, lattice);
    cells = 0;
    for (int p = 0; p < in->partCount; p++) {
        int root = snSets_Root(c->part, p); // the lowest: it has its cell already
        cellOf[p] = root != p ? cellOf[root] : hasCell(c, p) ? cells : -1;
        if (!hasCell(c, p)) continue;
        for (int k = 0; k < 4; k++)
            lattice->corners[cells * 4 + k] = number[snSets_Root(c->corner, p * 4 + k)];
        cells++;
        lattice->cellStart[cells] = cells * 4;
    }
    return SN_OK;
}

static bool makeCloner(Cloner *c, snArena *scratch)
{
    int parts = c->inside->partCount;
    c->part = SN_NEW(scratch, int, parts);
    c->corner = SN_NEW(scratch, int, (size_t)parts * 4);
    c->bone = SN_NEW(scratch, int, c->def->boneVertexCount);
    c->distance = SN_NEW(scratch, double, parts);
    c->queue = SN_NEW(scratch, int, parts);
    if (!c->part || !c->corner || !c->bone || !c->distance || !c->queue) return false;
    for (int p = 0; p < parts; p++) {
        c->part[p] = p;
        c->distance[p] = -1;
    }
    for (int i = 0; i < parts * 4; i++)
        c->corner[i] = i;
    for (int v = 0; v < c->def->boneVertexCount; v++)
        c->bone[v] = -1;
    return makeGraph(c, scratch);
}

snStatus snClone(snLattice *lattice, int **cellOf, const snCloneDef *def, snCloneReport *report,
                 snArena *arena, const snContext *context, snError *error)
{
    *report = (snCloneReport){0};
    snArena scratch = snMakeArena(context);
    Cloner c = {.def = def, .tets = def->def->tets, .inside = def->inside, .report = report};
    *cellOf = SN_NEW(arena, int, def->inside->partCount);
    Stand *stands = NULL;
    snStatus status = *cellOf && makeCloner(&c, &scratch) && (stands = makeStands(&c, &scratch)) &&
                              markBones(&c, &scratch)
                          ? SN_OK
                          : snFailMemory(error);
    if (!status) joinNearParts(&c);
    if (!status && !joinFloating(&c, &scratch)) status = snFailMemory(error);
    if (!status) {
        uniteCorners(&c);
        joinNearVertices(&c, stands);
        joinEqualCells(&c);
        status = emit(&c, stands, lattice, *cellOf, arena, &scratch, error);
    }
    snArena_Destroy(&scratch);
    return status;
}
