// The limits of all vertices of a split lattice, over these vertices themselves: limit masks.
//
// Let v be a vertex of dimension d (scheme.c) and n its pieces of that dimension: hexahedra,
// quadrilaterals of the surface, halves of sharp edges. Where no crease ends at v, the rules at v treat
// its pieces alike, and the limit is the mean over the pieces of a fixed mask of a piece.
//
// Bajaj et al.: the limit is the mean of the pieces' multilinear maps g_c at (1/3, ..., 1/3). For a step
// puts the corners of the next piece of c at means of g_c at coordinates 1/4 (towards v) and 1/2 each:
// the mean over the pieces that share a corner, and taken over all pieces these means drop out. What
// is left is g_c at 2/3 * 1/4 + 1/3 * 1/2 = 1/3 in each coordinate: the mask goes to itself.
// Weights are thus (2/3)^(d-k) (1/3)^k for corners of the piece k edges away from v.
// MacCracken-Joy: the same inside at regular vertices and on creases; Catmull-Clark's
//     (n^2 v + 4 Σ e + Σ f) / (n (n + 5))
// in the surface, so a piece has the weights n, 4/2, 4/2, 1 over (n + 5).
// Everything else has numeric eigenvectors (scheme_ring.c): darts, and with MacCracken-Joy vertices
// inside that are not regular. The cells around these are cut out and refined once for it.
#include "body/lattice/rows.h"
#include "body/lattice/scheme_parts.h"

#include "core/error.h"

typedef struct Masks {
    snScheme scheme;
    const snComplex *x;
    snPieces pieces[4];
    snRowMaker rows;
    // Of vertices without a closed form, in ascending order.
    snCutPart part;
    snComplex partComplex;
    snWeightRows partStep;
    int *partOf, *laying; // [vertices], number in the part; [part vertices], -1
} Masks;

// Edges apart, of corners a and b of a piece with 2, 4 or 8 corners.
static int apart(int corners, int a, int b)
{
    int bits = snHexBits[a] ^ snHexBits[b];
    return corners == 2 ? a != b : (bits & 1) + (bits >> 1 & 1) + (bits >> 2);
}

static int cornerOf(const int *piece, int v)
{
    int k = 0;
    while (piece[k] != v)
        k++;
    return k;
}

// Whether every edge at v is held by four hexahedra, of eight.
static bool isRegular(const snPieces *hexes, int v)
{
    int begin = hexes->of.start[v], end = hexes->of.start[v + 1];
    int ends[6], count[6], n = 0;
    if (end - begin != 8) return false;
    for (int i = begin; i < end; i++) {
        const int *corner = hexes->vertex + hexes->of.item[i] * 8;
        const int *next = snCellShape_Of(SN_HEX)->neighbour[cornerOf(corner, v)];
        for (int m = 0; m < 3; m++) {
            int at = 0;
            while (at < n && ends[at] != corner[next[m]])
                at++;
            if (at == 6) return false;
            if (at == n) count[n++] = 0;
            ends[at] = corner[next[m]];
            count[at]++;
        }
    }
    for (int at = 0; at < n; at++)
        if (count[at] != 4) return false;
    return n == 6;
}

// Sharp edges that count at a vertex of the split lattice.
static int sharpEdges(const snComplex *x, int v)
{
    if (v < x->firstEdge) return snPlace_Of(x, v).sharpEdges;
    return v < x->firstFace && x->sharp[v - x->firstEdge] ? 2 : 0;
}

// The dimension of v's mask, or -1 when it has no closed form.
static int closedForm(const Masks *m, int v)
{
    int d = snComplex_Dimension(m->x, v), sharp = d ? sharpEdges(m->x, v) : 0;
    bool cubic = m->scheme == SN_SCHEME_MACCRACKEN_JOY;
    if (m->scheme == SN_SCHEME_TRILINEAR || (cubic && sharp > 2)) return 0;
    if (d >= 2 && sharp == 1) return -1;
    return d == 3 && cubic && !isRegular(&m->pieces[3], v) ? -1 : d;
}

static void meanOfPieces(Masks *m, int v, int d)
{
    const snPieces *pieces = &m->pieces[d];
    int begin = pieces->of.start[v], end = pieces->of.start[v + 1], n = 0;
    for (int i = begin; i < end; i++)
        n += snPieces_Counts(m->x, pieces, pieces->of.item[i], v);
    double weight[4];
    for (int k = 0; k <= d; k++) { // (2/3)^(d-k) (1/3)^k
        weight[k] = 1;
        for (int f = 0; f < d; f++)
            weight[k] *= f < k ? 1.0 / 3 : 2.0 / 3;
    }
    if (m->scheme == SN_SCHEME_MACCRACKEN_JOY && d == 2) {
        weight[0] = n / (n + 5.0);
        weight[1] = 2 / (n + 5.0);
        weight[2] = 1 / (n + 5.0);
    }
    for (int i = begin; i < end; i++) {
        const int *corner = pieces->vertex + pieces->of.item[i] * pieces->corners;
        if (!snPieces_Counts(m->x, pieces, pieces->of.item[i], v)) continue;
        int own = cornerOf(corner, v);
        for (int k = 0; k < pieces->corners; k++)
            snRowMaker_Add(&m->rows, corner[k], weight[apart(pieces->corners, own, k)] / n);
    }
}

static snStatus ringMask(Masks *m, int v, snArena *scratch, snError *error)
{
    snRing ring = {0};
    snArenaMark mark = snArena_Mark(scratch);
    snStatus status =
        snRing_Limit(&ring, &m->partComplex, &m->partStep, m->partOf[v], m->laying, scratch, error);
    for (int i = 0; i < ring.count && !status; i++)
        snRowMaker_Add(&m->rows, m->part.vertex[ring.vertex[i]], ring.weight[i]);
    snArena_Rewind(scratch, mark);
    return status;
}

// Cuts out and refines what is around the vertices whose form is -1.
static snStatus refineIrregular(Masks *m, const signed char *form, snArena *scratch,
                                const snContext *context, snError *error)
{
    snLattice split = m->x->split.lattice;
    int n = split.vertexCount, count = 0;
    char *mark = SN_NEW(scratch, char, n);
    m->partOf = SN_NEW(scratch, int, n);
    if (!mark || !m->partOf) return snFailMemory(error);
    for (int v = 0; v < n; v++) {
        mark[v] = form[v] < 0 ? 2 : 0;
        count += form[v] < 0;
    }
    if (!count) return SN_OK;
    snStatus status = snComplex_SplitSharp(m->x, &split.sharp, scratch, error);
    if (!status) status = snCutPart_Make(&m->part, &split, mark, scratch, error);
    if (!status)
        status =
            snComplex_Make(&m->partComplex, &m->part.lattice, scratch, scratch, context, error);
    if (!status)
        status = snScheme_Step(&m->partStep, m->scheme, &m->partComplex, scratch, context, error);
    m->laying = status ? NULL : SN_NEW(scratch, int, m->part.lattice.vertexCount);
    if (!status && !m->laying) status = snFailMemory(error);
    for (int i = 0; i < m->part.lattice.vertexCount && !status; i++) {
        m->partOf[m->part.vertex[i]] = i;
        m->laying[i] = -1;
    }
    return status;
}

static snStatus makeMasks(Masks *m, snArena *scratch, const snContext *context, snError *error)
{
    int n = m->x->split.lattice.vertexCount;
    signed char *form = SN_NEW(scratch, signed char, n);
    if (!form) return snFailMemory(error);
    snStatus status = snPieces_Make(m->pieces, m->x, scratch, error);
    for (int v = 0; v < n && !status; v++)
        form[v] = (signed char)closedForm(m, v);
    if (!status) status = refineIrregular(m, form, scratch, context, error);
    for (int v = 0; v < n && !status; v++) {
        if (form[v] > 0)
            meanOfPieces(m, v, form[v]);
        else if (form[v] == 0)
            snRowMaker_Add(&m->rows, v, 1);
        else
            status = ringMask(m, v, scratch, error);
        if (!status && !snRowMaker_Close(&m->rows)) status = snFailMemory(error);
    }
    return status;
}

snStatus snScheme_LimitMasks(snWeightRows *rows, snScheme scheme, const snComplex *complex,
                             snArena *arena, const snContext *context, snError *error)
{
    snArena scratch = snMakeArena(context);
    int n = complex->split.lattice.vertexCount;
    Masks m = {.scheme = scheme, .x = complex};
    snStatus status = snRowMaker_Begin(&m.rows, n, n, arena, context, error);
    if (!status) status = makeMasks(&m, &scratch, context, error);
    status = snRowMaker_End(&m.rows, rows, status, arena, error);
    snArena_Destroy(&scratch);
    return status;
}
