#include "body/lattice/inside.h"

#include "core/array.h"
#include "core/error.h"
#include "core/sets.h"
#include "core/tasks.h"

#include <stdlib.h>

#define GRID 6           // steps along an edge of the grid of points in a tet
#define GRID_POINTS 84   // (GRID + 1)(GRID + 2)(GRID + 3) / 6
#define MOST_HITS 16     // of a way between two grid points
#define MOST_PROBES 64   // ways inward from the pieces of a tet
#define MOST_LINKS 12    // different ones through a face, or from one tet
#define PROBE_START 1e-7 // share of the way after which hits count

typedef struct LinkSet {
    int count;
    snPartLink link[MOST_LINKS];
} LinkSet;

typedef struct Face {
    int tet, corner; // the face across from that corner
} Face;

// Nodes of a tet are its pieces and one for what no piece bounds (the background), with numbers
// one after another: piece i of tet t is node i + t, its background is node start[t + 1] + t.
typedef struct Finder {
    const snInsideDef *def;
    snInside *out;
    int *up;                // [pieces + tets], union-find; only within a tet
    unsigned char *flooded; // [tets], 1: the background is part of the body
    Face *faces;
    int faceCount;
    LinkSet *through; // [faceCount]
    LinkSet *inward;  // [tets]
} Finder;

bool snInside_IsBoneEdge(const snInsideDef *def, int p, int q)
{
    int key[2] = {p < q ? p : q, p < q ? q : p};
    return def->boneEdgeCount > 0 && bsearch(key, def->boneEdges, (size_t)def->boneEdgeCount,
                                             sizeof *def->boneEdges, snComparePairs);
}

static int backgroundNode(const Finder *f, int tet)
{
    return f->def->cut->start[tet + 1] + tet;
}

static int sideOfNode(const Finder *f, int tet, int node)
{
    return f->def->cut->side[f->def->cut->pieces[node - tet].triangle];
}

// ---- along the surface --------------------------------------------------------------------------

// Pieces whose triangles share an edge that runs through the tet.
static void joinPieces(Finder *f, int tet)
{
    const snCut *cut = f->def->cut;
    snVec3 corners[4];
    snTetSet_Points(f->def->tets, tet, corners);
    for (int i = cut->start[tet]; i < cut->start[tet + 1]; i++) {
        const int *v = cut->mesh.triangles + cut->pieces[i].triangle * 3;
        for (int k = 0; k < 3; k++) {
            int next = cut->beside[cut->pieces[i].triangle * 3 + k];
            int j = next < 0 ? -1 : snCut_Find(cut, tet, next);
            if (j < 0 || snSets_Root(f->up, i + tet) == snSets_Root(f->up, j + tet)) continue;
            snVec3 a = cut->mesh.positions[v[k]], b = cut->mesh.positions[v[(k + 1) % 3]];
            if (snCutSegment(&a, &b, corners)) snSets_Join(f->up, i + tet, j + tet);
        }
    }
}

// How many parts the nodes that bound or are flesh make so far: 0, 1, or 2 for more.
static int countParts(Finder *f, int tet)
{
    int first = -1, background = backgroundNode(f, tet);
    for (int node = f->def->cut->start[tet] + tet; node <= background; node++) {
        if (node == background ? !f->flooded[tet] : !sideOfNode(f, tet, node)) continue;
        int root = snSets_Root(f->up, node);
        if (first >= 0 && root != first) return 2;
        first = root;
    }
    return first >= 0;
}

// ---- through the volume ---------------------------------------------------------------------------

typedef struct GridPoint {
    snVec3 point;
    int state; // 0 outside, 1 inside, 2 where the surface overlaps itself or another one
    int node;
} GridPoint;

static int stateAt(const Finder *f, snVec3 point)
{
    double number = fabs(snWinding_Number(f->def->winding, point));
    return number > 1.5 ? 2 : number > 0.5;
}

static int nodeAt(Finder *f, int tet, const snVec3 corners[4], snVec3 point)
{
    int piece = snCut_Nearest(f->def->cut, tet, corners, point, true);
    if (piece >= 0) return piece + tet;
    f->flooded[tet] = 1;
    return backgroundNode(f, tet);
}

static bool sameShell(const Finder *f, int tet, int a, int b)
{
    const snCut *cut = f->def->cut;
    int background = backgroundNode(f, tet);
    if (a == background || b == background) return false;
    return cut->shell[cut->pieces[a - tet].triangle] == cut->shell[cut->pieces[b - tet].triangle];
}

// Whether the way from p to q, both inside, stays inside between its hits with the surface.
static bool staysInside(const Finder *f, snVec3 p, snVec3 q, const double *hit, int count)
{
    for (int i = 0; i + 1 < count; i++)
        if (hit[i + 1] - hit[i] > 1e-9 &&
            stateAt(f, snLerp(p, q, 0.5 * (hit[i] + hit[i + 1]))) == 0)
            return false;
    return true;
}

static int hitsBetween(const Finder *f, int tet, snVec3 p, snVec3 q, double hit[MOST_HITS])
{
    const snCut *cut = f->def->cut;
    int count = 0;
    for (int i = cut->start[tet]; i < cut->start[tet + 1] && count < MOST_HITS; i++) {
        int triangle = cut->pieces[i].triangle;
        if (cut->side[triangle] == 0) continue;
        double t = snHitTriangle(p, q, snCut_Triangle(cut, triangle));
        if (t >= 0) hit[count++] = t;
    }
    qsort(hit, (size_t)count, sizeof *hit, snCompareDoubles);
    return count;
}

static void joinGridPoints(Finder *f, int tet, const GridPoint *p, const GridPoint *q)
{
    if (!p->state || !q->state || snSets_Root(f->up, p->node) == snSets_Root(f->up, q->node))
        return;
    double hit[MOST_HITS];
    int count = hitsBetween(f, tet, p->point, q->point, hit);
    bool same = sameShell(f, tet, p->node, q->node);
    if (same && (count || p->state == 2 || q->state == 2)) return;
    if (staysInside(f, p->point, q->point, hit, count)) snSets_Join(f->up, p->node, q->node);
}

static snVec3 gridPoint(const snVec3 corners[4], const int index[4])
{
    snVec3 sum = {0, 0, 0};
    for (int k = 0; k < 4; k++)
        sum = snMulAdd(sum, (double)index[k] / GRID, corners[k]);
    return sum;
}

static void joinThroughVolume(Finder *f, int tet)
{
    GridPoint grid[GRID_POINTS];
    int at[GRID + 1][GRID + 1][GRID + 1], count = 0; // by the last three indices
    snVec3 corners[4];
    snTetSet_Points(f->def->tets, tet, corners);
    for (int i = 0; i <= GRID; i++)
        for (int j = 0; j <= GRID - i; j++)
            for (int k = 0; k <= GRID - i - j; k++) {
                GridPoint *g = &grid[at[i][j][k] = count++];
                g->point = gridPoint(corners, (int[4]){GRID - i - j - k, i, j, k});
                g->state = stateAt(f, g->point);
                g->node = g->state ? nodeAt(f, tet, corners, g->point) : -1;
            }
    for (int i = 0; i <= GRID; i++)
        for (int j = 0; j <= GRID - i; j++)
            for (int k = 0; k <= GRID - i - j; k++) { // the six directions of a tet's edges
                const GridPoint *g = &grid[at[i][j][k]];
                bool room = i + j + k < GRID;
                if (room) joinGridPoints(f, tet, g, &grid[at[i + 1][j][k]]);
                if (room) joinGridPoints(f, tet, g, &grid[at[i][j + 1][k]]);
                if (room) joinGridPoints(f, tet, g, &grid[at[i][j][k + 1]]);
                if (i > 0) joinGridPoints(f, tet, g, &grid[at[i - 1][j + 1][k]]);
                if (i > 0) joinGridPoints(f, tet, g, &grid[at[i - 1][j][k + 1]]);
                if (j > 0) joinGridPoints(f, tet, g, &grid[at[i][j - 1][k + 1]]);
            }
}

// ---- straight inward ----------------------------------------------------------------------------

typedef struct Probe {
    int hit;     // the piece on the other side of the flesh, or -1
    int face;    // else: the face through which the way leaves the tet,
    snVec3 exit; // and where
} Probe;

// From the middle of a piece against its outward normal. False for pieces that enclose nothing,
// and where another surface is entered from outside before the flesh ends.
static bool probeInward(const Finder *f, int tet, int piece, Probe *probe)
{
    const snCut *cut = f->def->cut;
    int own = cut->pieces[piece].triangle;
    snVec3 corners[4];
    snTetSet_Points(f->def->tets, tet, corners);
    snPiece shape = snPiece_Cut(snCut_Triangle(cut, own), corners);
    if (cut->side[own] == 0 || shape.count == 0) return false;
    snVec3 from = snPiece_Middle(&shape);
    snVec3 normal = snNormalizeOr(snTriangle_AreaVector(snCut_Triangle(cut, own)), snVec(0, 0, 0));
    snVec3 direction = snScale(-cut->side[own], normal);
    double length = snTetExit(corners, from, direction, &probe->face), least = 2;
    if (!(length < 1e299)) return false;
    probe->exit = snMulAdd(from, length, direction);
    probe->hit = -1;
    for (int i = cut->start[tet]; i < cut->start[tet + 1]; i++) {
        int t = cut->pieces[i].triangle;
        if (t == own || cut->side[t] == 0) continue;
        double at = snHitTriangle(from, probe->exit, snCut_Triangle(cut, t));
        if (at < PROBE_START || at >= least) continue;
        least = at;
        probe->hit = i;
    }
    if (probe->hit < 0) return true;
    int t = cut->pieces[probe->hit].triangle;
    bool leaves =
        cut->side[t] * snDot(direction, snTriangle_AreaVector(snCut_Triangle(cut, t))) > 0;
    return leaves || cut->shell[t] != cut->shell[own];
}

static int probeStride(const Finder *f, int tet)
{
    int count = f->def->cut->start[tet + 1] - f->def->cut->start[tet];
    return count / MOST_PROBES + 1;
}

static void joinInward(Finder *f, int tet)
{
    const snCut *cut = f->def->cut;
    Probe probe;
    for (int i = cut->start[tet]; i < cut->start[tet + 1]; i += probeStride(f, tet))
        if (probeInward(f, tet, i, &probe) && probe.hit >= 0)
            snSets_Join(f->up, i + tet, probe.hit + tet);
}

// ---- bones and sheets -----------------------------------------------------------------------------

static void joinAlongBones(Finder *f, int tet)
{
    const int *c = f->def->tets->corners + tet * 4;
    snVec3 corners[4];
    snTetSet_Points(f->def->tets, tet, corners);
    for (int i = 0; i < 4; i++)
        for (int j = i + 1; j < 4; j++) {
            if (!snInside_IsBoneEdge(f->def, c[i], c[j])) continue;
            int first = -1;
            for (int k = 0; k < 3; k++) { // both ends and the middle
                snVec3 p = snLerp(corners[i], corners[j], 0.5 * k);
                if (!stateAt(f, p)) continue;
                int node = nodeAt(f, tet, corners, p);
                if (first >= 0) snSets_Join(f->up, first, node);
                first = node;
            }
        }
}

// Sheets go with the nearest piece that bounds flesh, else with the background.
static void joinSheets(Finder *f, int tet)
{
    const snCut *cut = f->def->cut;
    int background = backgroundNode(f, tet);
    for (int i = cut->start[tet]; i < cut->start[tet + 1]; i++) {
        if (cut->side[cut->pieces[i].triangle]) continue;
        snVec3 corners[4];
        snTetSet_Points(f->def->tets, tet, corners);
        snPiece shape = snPiece_Cut(snCut_Triangle(cut, cut->pieces[i].triangle), corners);
        snVec3 at = shape.count ? snPiece_Middle(&shape) : corners[0];
        int other = -1;
        double least = 1e300;
        for (int j = cut->start[tet]; j < cut->start[tet + 1]; j++) {
            if (!cut->side[cut->pieces[j].triangle]) continue;
            snTriangle triangle = snCut_Triangle(cut, cut->pieces[j].triangle);
            double d = snDistance(snClosestOnTriangle(at, triangle, NULL), at);
            if (d < least) {
                least = d;
                other = j;
            }
        }
        snSets_Join(f->up, i + tet, other >= 0 ? other + tet : background);
    }
}

// ---- one tet ------------------------------------------------------------------------------------

static void resolveTet(Finder *f, int tet)
{
    const snCut *cut = f->def->cut;
    joinPieces(f, tet);
    int parts = countParts(f, tet);
    if (parts > 1) joinAlongBones(f, tet);
    if (parts > 1) joinThroughVolume(f, tet);
    if (countParts(f, tet) > 1) joinInward(f, tet);
    if (parts == 0) { // no surface, or sheets alone
        snVec3 c[4];
        snTetSet_Points(f->def->tets, tet, c);
        snVec3 middle = snScale(0.25, snAdd(snAdd(c[0], c[1]), snAdd(c[2], c[3])));
        f->flooded[tet] = stateAt(f, middle) > 0 || cut->start[tet] < cut->start[tet + 1];
    }
    joinSheets(f, tet);
}

static void resolveTets(int begin, int end, int worker, void *context)
{
    (void)worker;
    for (int t = begin; t < end; t++)
        resolveTet(context, t);
}

// ---- parts --------------------------------------------------------------------------------------

static snVec3 tetMiddle(const snTetSet *tets, int tet)
{
    snVec3 c[4];
    snTetSet_Points(tets, tet, c);
    return snScale(0.25, snAdd(snAdd(c[0], c[1]), snAdd(c[2], c[3])));
}

// The middle of a part is the mean of its pieces' middles, or the tet's own.
static void placeParts(Finder *f, double *weight)
{
    snInside *out = f->out;
    const snCut *cut = f->def->cut;
    for (int t = 0; t < f->def->tets->count; t++) {
        snVec3 corners[4];
        snTetSet_Points(f->def->tets, t, corners);
        for (int i = cut->start[t]; i < cut->start[t + 1]; i++) {
            snPiece shape = snPiece_Cut(snCut_Triangle(cut, cut->pieces[i].triangle), corners);
            if (shape.count == 0) continue;
            int part = out->partOf[i];
            out->middle[part] = snAdd(out->middle[part], snPiece_Middle(&shape));
            weight[part]++;
        }
        for (int p = out->start[t]; p < out->start[t + 1]; p++)
            out->middle[p] =
                weight[p] > 0 ? snScale(1 / weight[p], out->middle[p]) : tetMiddle(f->def->tets, t);
    }
}

// Numbers the parts; `number` has room for all nodes.
static int numberParts(Finder *f, int *number)
{
    snInside *out = f->out;
    const snCut *cut = f->def->cut;
    int count = 0;
    for (int t = 0; t < f->def->tets->count; t++) {
        int first = cut->start[t] + t, background = backgroundNode(f, t);
        out->start[t] = count;
        for (int node = first; node <= background; node++) {
            if (node == background && !f->flooded[t]) continue;
            int root = snSets_Root(f->up, node);
            if (number[root] == 0) number[root] = ++count;
            if (node < background) out->partOf[node - t] = number[root] - 1;
        }
        out->background[t] = f->flooded[t] ? number[snSets_Root(f->up, background)] - 1 : -1;
    }
    out->start[f->def->tets->count] = count;
    return count;
}

static snStatus makeParts(Finder *f, snArena *arena, snArena *scratch, snError *error)
{
    snInside *out = f->out;
    int tets = f->def->tets->count, pieces = f->def->cut->start[tets];
    int *number = SN_NEW(scratch, int, pieces + tets);
    out->start = SN_NEW(arena, int, tets + 1);
    out->partOf = SN_NEW(arena, int, pieces);
    out->background = SN_NEW(arena, int, tets);
    if (!number || !out->start || !out->partOf || !out->background) return snFailMemory(error);
    out->partCount = numberParts(f, number);
    out->tetOf = SN_NEW(arena, int, out->partCount);
    out->middle = SN_NEW(arena, snVec3, out->partCount);
    double *weight = SN_NEW(scratch, double, out->partCount);
    if (!out->tetOf || !out->middle || !weight) return snFailMemory(error);
    for (int t = 0; t < tets; t++)
        for (int p = out->start[t]; p < out->start[t + 1]; p++)
            out->tetOf[p] = t;
    placeParts(f, weight);
    return SN_OK;
}

static int partsOf(const snInside *inside, int tet)
{
    return inside->start[tet + 1] - inside->start[tet];
}

int snInside_PartAt(const snInside *inside, const snInsideDef *def, int tet, snVec3 point)
{
    if (partsOf(inside, tet) < 2) return partsOf(inside, tet) ? inside->start[tet] : -1;
    snVec3 corners[4];
    snTetSet_Points(def->tets, tet, corners);
    int piece = snCut_Nearest(def->cut, tet, corners, point, true);
    if (piece < 0 && inside->background[tet] >= 0) return inside->background[tet];
    if (piece < 0) piece = snCut_Nearest(def->cut, tet, corners, point, false);
    return piece >= 0 ? inside->partOf[piece] : inside->start[tet];
}

int snInside_PartOfBone(const snInside *inside, const snInsideDef *def, int tet, snVec3 p, snVec3 q)
{
    if (partsOf(inside, tet) < 2) return partsOf(inside, tet) ? inside->start[tet] : -1;
    for (int k = 0; k < 3; k++) {
        snVec3 point = snLerp(p, q, 0.5 * k);
        if (fabs(snWinding_Number(def->winding, point)) > 0.5)
            return snInside_PartAt(inside, def, tet, point);
    }
    snVec3 corners[4];
    snTetSet_Points(def->tets, tet, corners);
    int piece = snCut_Nearest(def->cut, tet, corners, snLerp(p, q, 0.5), false);
    return piece >= 0 ? inside->partOf[piece] : inside->start[tet];
}

// ---- links through faces --------------------------------------------------------------------------

static void addLink(LinkSet *set, int a, int b)
{
    if (a < 0 || b < 0) return;
    snPartLink link = {a < b ? a : b, a < b ? b : a};
    for (int i = 0; i < set->count; i++)
        if (set->link[i].a == link.a && set->link[i].b == link.b) return;
    if (set->count < MOST_LINKS) set->link[set->count++] = link;
}

static void linkByPieces(const Finder *f, Face face, int other, LinkSet *set)
{
    const snCut *cut = f->def->cut;
    for (int i = cut->start[face.tet]; i < cut->start[face.tet + 1]; i++) {
        if (!(cut->pieces[i].faces & 1u << face.corner)) continue;
        int j = snCut_Find(cut, other, cut->pieces[i].triangle);
        if (j >= 0) addLink(set, f->out->partOf[i], f->out->partOf[j]);
    }
}

// By the grid's points in the face. Where the surface overlaps itself, and on both sides there is a
// choice, the nearest pieces may be of different limbs: such points say nothing.
static void linkByPoints(const Finder *f, Face face, int other, LinkSet *set)
{
    const snInside *out = f->out;
    snVec3 corners[4];
    snTetSet_Points(f->def->tets, face.tet, corners);
    bool choice = partsOf(out, face.tet) > 1 && partsOf(out, other) > 1;
    for (int i = 0; i <= GRID; i++)
        for (int j = 0; j <= GRID - i; j++) {
            int index[4] = {0};
            index[(face.corner + 1) & 3] = i;
            index[(face.corner + 2) & 3] = j;
            index[(face.corner + 3) & 3] = GRID - i - j;
            snVec3 p = gridPoint(corners, index);
            int state = stateAt(f, p);
            if (state == 0 || (state == 2 && choice)) continue;
            addLink(set, snInside_PartAt(out, f->def, face.tet, p),
                    snInside_PartAt(out, f->def, other, p));
        }
}

// A face that no surface crosses is inside or outside as a whole.
static void linkByMiddle(const Finder *f, Face face, int other, LinkSet *set)
{
    snVec3 corners[4], sum = {0, 0, 0};
    snTetSet_Points(f->def->tets, face.tet, corners);
    for (int k = 1; k < 4; k++)
        sum = snMulAdd(sum, 1 / 3.0, corners[(face.corner + k) & 3]);
    if (stateAt(f, sum)) addLink(set, f->out->start[face.tet], f->out->start[other]);
}

static void linkFaces(int begin, int end, int worker, void *context)
{
    (void)worker;
    Finder *f = context;
    for (int i = begin; i < end; i++) {
        Face face = f->faces[i];
        int other = f->def->tets->across[face.tet * 4 + face.corner];
        int here = partsOf(f->out, face.tet), there = partsOf(f->out, other);
        LinkSet *set = &f->through[i];
        if (here == 0 || there == 0) continue;
        linkByPieces(f, face, other, set);
        if (here > 1 || there > 1)
            linkByPoints(f, face, other, set);
        else if (set->count == 0)
            linkByMiddle(f, face, other, set);
    }
}

// Flesh thinner than the grid is followed from its surface into the next tet.
static void linkInward(int begin, int end, int worker, void *context)
{
    (void)worker;
    Finder *f = context;
    const snCut *cut = f->def->cut;
    for (int t = begin; t < end; t++) {
        Probe probe;
        if (partsOf(f->out, t) < 2) continue;
        for (int i = cut->start[t]; i < cut->start[t + 1]; i += probeStride(f, t)) {
            if (!probeInward(f, t, i, &probe) || probe.hit >= 0) continue;
            int other = f->def->tets->across[t * 4 + probe.face];
            if (other < 0 || partsOf(f->out, other) == 0) continue;
            addLink(&f->inward[t], f->out->partOf[i],
                    snInside_PartAt(f->out, f->def, other, probe.exit));
        }
    }
}

// The tets round a bone's edge hang together at it.
static void linkRoundBone(const Finder *f, Face face, LinkSet *set)
{
    const snTetSet *tets = f->def->tets;
    int other = tets->across[face.tet * 4 + face.corner];
    for (int i = 1; i < 4; i++)
        for (int j = i + 1; j < 4; j++) {
            int p = tets->corners[face.tet * 4 + ((face.corner + i) & 3)];
            int q = tets->corners[face.tet * 4 + ((face.corner + j) & 3)];
            if (!snInside_IsBoneEdge(f->def, p, q)) continue;
            snVec3 a = tets->points[p], b = tets->points[q];
            addLink(set, snInside_PartOfBone(f->out, f->def, face.tet, a, b),
                    snInside_PartOfBone(f->out, f->def, other, a, b));
        }
}

static snStatus gatherLinks(Finder *f, snArena *arena, snArena *scratch, snError *error)
{
    snInside *out = f->out;
    int count = 0, tets = f->def->tets->count;
    size_t total = 0;
    for (int i = 0; i < f->faceCount; i++)
        total += (size_t)f->through[i].count;
    for (int t = 0; t < tets; t++)
        total += (size_t)f->inward[t].count;
    snPartLink *list = SN_NEW(scratch, snPartLink, total);
    if (!list) return snFailMemory(error);
    for (int i = 0; i < f->faceCount; i++)
        for (int k = 0; k < f->through[i].count; k++)
            list[count++] = f->through[i].link[k];
    for (int t = 0; t < tets; t++)
        for (int k = 0; k < f->inward[t].count; k++)
            list[count++] = f->inward[t].link[k];
    qsort(list, (size_t)count, sizeof *list, snComparePairs);
    for (int i = 0; i < count; i++)
        if (i == 0 || snComparePairs(&list[i], &list[i - 1])) list[out->linkCount++] = list[i];
    out->links = SN_COPY(arena, snPartLink, list, out->linkCount);
    return out->links ? SN_OK : snFailMemory(error);
}

static snStatus makeLinks(Finder *f, snArena *arena, snArena *scratch, const snContext *context,
                          snError *error)
{
    const snTetSet *tets = f->def->tets;
    f->faces = SN_NEW(scratch, Face, (size_t)tets->count * 4);
    f->inward = SN_NEW(scratch, LinkSet, tets->count);
    if (!f->faces || !f->inward) return snFailMemory(error);
    for (int i = 0; i < tets->count * 4; i++)
        if (tets->across[i] > i / 4) f->faces[f->faceCount++] = (Face){i / 4, i & 3};
    f->through = SN_NEW(scratch, LinkSet, f->faceCount);
    if (!f->through) return snFailMemory(error);
    snParallelFor(&context->tasks, f->faceCount, 16, linkFaces, f);
    snParallelFor(&context->tasks, tets->count, 16, linkInward, f);
    for (int i = 0; i < f->faceCount; i++)
        linkRoundBone(f, f->faces[i], &f->through[i]);
    return gatherLinks(f, arena, scratch, error);
}

snStatus snInside_Find(snInside *inside, const snInsideDef *def, snArena *arena,
                       const snContext *context, snError *error)
{
    *inside = (snInside){0};
    int tets = def->tets->count, nodes = def->cut->start[tets] + tets;
    snArena scratch = snMakeArena(context);
    Finder f = {.def = def, .out = inside};
    f.up = SN_NEW(&scratch, int, nodes);
    f.flooded = SN_NEW(&scratch, unsigned char, tets);
    snStatus status = f.up && f.flooded ? SN_OK : snFailMemory(error);
    for (int i = 0; i < nodes && !status; i++)
        f.up[i] = i;
    if (!status) {
        snParallelFor(&context->tasks, tets, 8, resolveTets, &f);
        status = makeParts(&f, arena, &scratch, error);
    }
    if (!status) status = makeLinks(&f, arena, &scratch, context, error);
    snArena_Destroy(&scratch);
    return status;
}
