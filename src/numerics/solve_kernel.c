// Forward and backward substitution over panels of supernodes (layout: cholesky_parts.h).
//
// For a supernode with triangle L₁ (its pivots), rectangle L₂ (its rows below) and unknowns x₁, x₂:
//     forward    y₁ = L₁⁻¹ x₁,   x₂ -= L₂ y₁
//     backward   x₁ = L₁⁻ᵀ (y₁ - L₂ᵀ x₂)
// both strip by strip. Work is planar: side r of a group of up to eight right-hand sides has its
// rows contiguous at work[r * stride], so that eight rows of one column of L, one load, serve all
// sides. Each side sees the same operations in the same order whatever the width: a body in a
// crowd moves exactly as it does alone.
//
// `sides` and `columns` are constants wherever these functions are inlined.
#include "numerics/cholesky_parts.h"
#include "numerics/lanes.h"
#include "numerics/transpose.h"

// What fits into the registers: columns of one side, and sides times columns of several.
#if SN_LANES_PARTS == 1 && !defined(__AVX512F__)
enum { ONE_COLUMNS = 8, SIDES = 4, SIDES_COLUMNS = 2 };
#elif SN_LANES_PARTS == 1
enum { ONE_COLUMNS = 8, SIDES = 4, SIDES_COLUMNS = 4 };
#elif SN_LANES_PARTS == 2
enum { ONE_COLUMNS = 4, SIDES = 2, SIDES_COLUMNS = 2 };
#else
enum { ONE_COLUMNS = 2, SIDES = 1, SIDES_COLUMNS = 2 };
#endif

typedef struct Strip {
    const snReal *panel;
    int columns; // w
    int tiles;
    int stride; // of work, from side to side
} Strip;

// A long strip is read at eight places at once: one core has more of the memory's bandwidth with
// eight streams than with one (14 against 11 GB/s where this was measured).
enum { STREAMS = 8 };

SN_INLINE int streamLength(int tiles)
{
    return tiles >= 2 * STREAMS ? tiles / STREAMS : 0;
}

// With several sides there is time to fetch ahead.
SN_INLINE void prefetch(const snReal *tile, int sides)
{
    if (sides > 1) __builtin_prefetch(tile + 128);
}

// x = X x for one side, by columns; `y` receives 8 numbers, zero beyond w.
SN_INLINE void applyTriangle(const snReal *triangle, int columns, snReal *x, snReal *y)
{
    snLanes sum = snLanes_Multiply(snLanes_Load(triangle), snLanes_All(x[0]));
    for (int c = 1; c < columns; c++)
        sum = snLanes_More(sum, snLanes_Load(triangle + 8 * c), snLanes_All(x[c]));
    snLanes_Store(y, sum);
    if (columns == 8)
        snLanes_Store(x, sum);
    else
        for (int c = 0; c < columns; c++)
            x[c] = y[c];
}

// One tile of x₂ -= L₂ y₁ for `sides` sides that fit into registers.
SN_INLINE void subtractTile(const snReal *tile, int columns, int sides, const snReal *y,
                            snReal *below, int stride)
{
    snLanes sum[SIDES];
    for (int r = 0; r < sides; r++)
        sum[r] = snLanes_Load(below + r * stride);
    for (int c = 0; c < columns; c++) {
        snLanes l = snLanes_Load(tile + 8 * c);
        prefetch(tile + 8 * c, sides);
        for (int r = 0; r < sides; r++)
            sum[r] = snLanes_Less(sum[r], l, snLanes_All(y[8 * r + c]));
    }
    for (int r = 0; r < sides; r++)
        snLanes_Store(below + r * stride, sum[r]);
}

SN_INLINE void subtractTiles(const Strip *strip, int columns, int sides, const snReal *y, snReal *x)
{
    int step = 8 * columns, stride = strip->stride, length = streamLength(strip->tiles);
    const snReal *tile = strip->panel + step;
    snReal *below = x + columns;
    for (int t = 0; t < length; t++, tile += step, below += 8)
        for (int k = 0; k < STREAMS; k++)
            subtractTile(tile + k * length * step, columns, sides, y, below + 8 * k * length,
                         stride);
    tile += (STREAMS - 1) * length * step;
    below += (STREAMS - 1) * length * 8;
    for (int t = STREAMS * length; t < strip->tiles; t++, tile += step, below += 8)
        subtractTile(tile, columns, sides, y, below, stride);
}

// One tile of s = L₂ᵀ x₂.
SN_INLINE void sumTile(const snReal *tile, int columns, int sides, const snReal *below, int stride,
                       snLanes sum[SIDES][ONE_COLUMNS])
{
    snLanes lower[SIDES];
    for (int r = 0; r < sides; r++)
        lower[r] = snLanes_Load(below + r * stride);
    for (int c = 0; c < columns; c++) {
        snLanes l = snLanes_Load(tile + 8 * c);
        prefetch(tile + 8 * c, sides);
        for (int r = 0; r < sides; r++)
            sum[r][c] = snLanes_More(sum[r][c], l, lower[r]);
    }
}

// s = L₂ᵀ x₂ for `columns` of the strip's `width` columns, from `from` on, and `sides` sides; side
// r at s[8 * r].
SN_INLINE void sumTiles(const Strip *strip, int width, int from, int columns, int sides,
                        const snReal *x, snReal *s)
{
    int step = 8 * width, stride = strip->stride, length = streamLength(strip->tiles);
    const snReal *tile = strip->panel + step + 8 * from;
    const snReal *below = x + width;
    snLanes sum[SIDES][ONE_COLUMNS];
    for (int r = 0; r < sides; r++)
        for (int c = 0; c < columns; c++)
            sum[r][c] = snLanes_All(0);
    for (int t = 0; t < length; t++, tile += step, below += 8)
        for (int k = 0; k < STREAMS; k++)
            sumTile(tile + k * length * step, columns, sides, below + 8 * k * length, stride, sum);
    tile += (STREAMS - 1) * length * step;
    below += (STREAMS - 1) * length * 8;
    for (int t = STREAMS * length; t < strip->tiles; t++, tile += step, below += 8)
        sumTile(tile, columns, sides, below, stride, sum);
    // Eight sums at a time, whichever sides they belong to.
    snLanes flat[SIDES * ONE_COLUMNS];
    snReal sums[SIDES * ONE_COLUMNS + 8];
    int count = sides * columns;
    for (int k = 0; k < count; k++)
        flat[k] = sum[k / columns][k % columns];
    for (int k = 0; k < count; k += 8)
        snLanes_Sums(flat + k, count - k < 8 ? count - k : 8, sums + k);
    for (int k = 0; k < count; k++)
        s[8 * (k / columns) + from + k % columns] = sums[k];
}

// All columns of a strip, as many at a time as registers allow.
SN_INLINE void sumColumns(const Strip *strip, int columns, int group, int sides, const snReal *x,
                          snReal *s)
{
    int c = 0;
    for (; c + group <= columns; c += group)
        sumTiles(strip, columns, c, group, sides, x, s);
    if (group > 4 && c + 4 <= columns) {
        sumTiles(strip, columns, c, 4, sides, x, s);
        c += 4;
    }
    if (group > 2 && c + 2 <= columns) {
        sumTiles(strip, columns, c, 2, sides, x, s);
        c += 2;
    }
    for (; c < columns; c++)
        sumTiles(strip, columns, c, 1, sides, x, s);
}

#define EACH_COLUMNS(CASE) CASE(1) CASE(2) CASE(3) CASE(4) CASE(5) CASE(6) CASE(7) CASE(8)

SN_INLINE void forwardOne(const Strip *strip, snReal *x)
{
    snReal y[8];
#define CASE(w)                                                                                    \
    case w:                                                                                        \
        applyTriangle(strip->panel, w, x, y);                                                      \
        subtractTiles(strip, w, 1, y, x);                                                          \
        break;
    switch (strip->columns) {
        EACH_COLUMNS(CASE)
    }
#undef CASE
}

SN_INLINE void backwardOne(const Strip *strip, snReal *x)
{
    snReal s[16], y[8];
    const snReal *transposed = strip->panel + 8 * strip->columns * (strip->tiles + 1);
#define CASE(w)                                                                                    \
    case w:                                                                                        \
        sumColumns(strip, w, w < ONE_COLUMNS ? w : ONE_COLUMNS, 1, x, s);                          \
        for (int c = 0; c < w; c++)                                                                \
            x[c] -= s[c];                                                                          \
        applyTriangle(transposed, w, x, y);                                                        \
        break;
    switch (strip->columns) {
        EACH_COLUMNS(CASE)
    }
#undef CASE
}

SN_INLINE void forwardSides(const Strip *strip, int columns, int sides, snReal *x)
{
    snReal y[64];
    for (int r = 0; r < sides; r++)
        applyTriangle(strip->panel, columns, x + r * strip->stride, y + 8 * r);
    int r = 0;
    for (; r + SIDES <= sides; r += SIDES)
        subtractTiles(strip, columns, SIDES, y + 8 * r, x + r * strip->stride);
    if (r < sides) subtractTiles(strip, columns, sides % SIDES, y + 8 * r, x + r * strip->stride);
}

SN_INLINE void backwardSides(const Strip *strip, int columns, int sides, snReal *x)
{
    snReal s[72], y[8];
    const snReal *transposed = strip->panel + 8 * columns * (strip->tiles + 1);
    int r = 0;
    for (; r + SIDES <= sides; r += SIDES)
        sumColumns(strip, columns, SIDES_COLUMNS, SIDES, x + r * strip->stride, s + 8 * r);
    if (r < sides)
        sumColumns(strip, columns, SIDES_COLUMNS, sides % SIDES, x + r * strip->stride, s + 8 * r);
    for (r = 0; r < sides; r++) {
        snReal *side = x + r * strip->stride;
        for (int c = 0; c < columns; c++)
            side[c] -= s[8 * r + c];
        applyTriangle(transposed, columns, side, y);
    }
}

// Three sides, those of a lattice's vertices, are known to the compiler with every number of columns: most strips of a
// small matrix are narrower than eight.
SN_INLINE void forwardStrip(const Strip *strip, int sides, snReal *x)
{
#define CASE(w)                                                                                    \
    case w:                                                                                        \
        forwardSides(strip, w, 3, x);                                                              \
        break;
    if (sides == 1)
        forwardOne(strip, x);
    else if (strip->columns == 8)
        forwardSides(strip, 8, sides, x);
    else if (sides != 3)
        forwardSides(strip, strip->columns, sides, x);
    else
        switch (strip->columns) {
            EACH_COLUMNS(CASE)
        }
#undef CASE
}

SN_INLINE void backwardStrip(const Strip *strip, int sides, snReal *x)
{
#define CASE(w)                                                                                    \
    case w:                                                                                        \
        backwardSides(strip, w, 3, x);                                                             \
        break;
    if (sides == 1)
        backwardOne(strip, x);
    else if (strip->columns == 8)
        backwardSides(strip, 8, sides, x);
    else if (sides != 3)
        backwardSides(strip, strip->columns, sides, x);
    else
        switch (strip->columns) {
            EACH_COLUMNS(CASE)
        }
#undef CASE
}

// One supernode and a group of sides of the whole problem.
typedef struct Place {
    int pivots, height; // scalar columns; all scalar rows
    int tiled;          // rows up to the end of the last tile
    int stride;
    int block, width;
    const int *row; // of the rows below
    int rows;
} Place;

SN_INLINE Place placeOf(const snSymbolic *symbolic, const snSupernode *supernode, int width)
{
    int block = symbolic->block, pivots = block * supernode->columns;
    int height = pivots + block * supernode->rows;
    return (Place){.pivots = pivots,
                   .height = height,
                   .tiled = pivots + (height - pivots + 7) / 8 * 8,
                   .stride = snWorkStride(height),
                   .block = block,
                   .width = width,
                   .row = symbolic->row + supernode->rowStart,
                   .rows = supernode->rows};
}

SN_INLINE void gatherRows(const Place *place, int sides, const snReal *x, snReal *work)
{
    if (sides == 1 && place->block == 3 && place->width == 1) {
        for (int k = 0; k < place->rows; k++)
            for (int i = 0; i < 3; i++)
                work[3 * k + i] = x[3 * (size_t)place->row[k] + (size_t)i];
        return;
    }
    size_t step = (size_t)place->width;
    if (place->block == 1)
        snGatherRows(x, step, place->row, place->rows, sides, work, place->stride);
    else
        for (int k = 0; k < place->rows; k++)
            snLoadRows(x + 3 * (size_t)place->row[k] * step, step, 3, sides, work + 3 * k,
                       place->stride);
}

SN_INLINE void scatterRows(const Place *place, int sides, snReal *x, const snReal *work)
{
    if (sides == 1 && place->block == 3 && place->width == 1) {
        for (int k = 0; k < place->rows; k++)
            for (int i = 0; i < 3; i++)
                x[3 * (size_t)place->row[k] + (size_t)i] += work[3 * k + i];
        return;
    }
    size_t step = (size_t)place->width;
    if (place->block == 1)
        snScatterRows(x, step, place->row, place->rows, sides, work, place->stride);
    else
        for (int k = 0; k < place->rows; k++)
            snAddRows(x + 3 * (size_t)place->row[k] * step, step, 3, sides, work + 3 * k,
                      place->stride);
}

SN_INLINE void forwardSupernode(const Place *place, const snReal *panel, int sides, snReal *mine,
                                snReal *x, snReal *work)
{
    int pivots = place->pivots, stride = place->stride;
    work += 8 - snStripStart(pivots, 1); // tiles are aligned
    snLoadRows(mine, (size_t)place->width, pivots, sides, work, stride);
    for (int r = 0; r < sides; r++)
        memset(work + r * stride + pivots, 0, (size_t)(place->tiled - pivots) * sizeof *work);
    Strip strip = {.panel = panel, .stride = stride};
    for (int begin = 0, end = snStripStart(pivots, 1); end <= pivots; begin = end, end += 8) {
        strip.columns = end - begin;
        strip.tiles = (place->height - end + 7) / 8;
        forwardStrip(&strip, sides, work + begin);
        strip.panel += snStripSize(strip.columns, place->height - end);
    }
    snStoreRows(mine, (size_t)place->width, pivots, sides, work, stride);
    scatterRows(place, sides, x, work + pivots);
}

SN_INLINE void backwardSupernode(const Place *place, const snReal *panelEnd, int sides,
                                 snReal *mine, const snReal *x, snReal *work)
{
    int pivots = place->pivots, stride = place->stride;
    work += 8 - snStripStart(pivots, 1); // tiles are aligned
    snLoadRows(mine, (size_t)place->width, pivots, sides, work, stride);
    gatherRows(place, sides, x, work + pivots);
    for (int r = 0; r < sides; r++)
        for (int i = place->height; i < place->tiled; i++)
            work[r * stride + i] = 0;
    Strip strip = {.panel = panelEnd, .stride = stride};
    for (int end = pivots; end > 0; end -= strip.columns) {
        strip.columns = end < 8 ? end : 8;
        strip.tiles = (place->height - end + 7) / 8;
        strip.panel -= snStripSize(strip.columns, place->height - end);
        backwardStrip(&strip, sides, work + end - strip.columns);
    }
    snStoreRows(mine, (size_t)place->width, pivots, sides, work, stride);
}

// The sides of an interleaved problem, in groups of 8, 4, 3, 2 or 1 while a panel is in the cache.
static int groupOf(int sides)
{
    return sides >= 8 ? 8 : sides >= 4 ? 4 : sides;
}

#define EACH_GROUP(CASE) CASE(1) CASE(2) CASE(3) CASE(4) CASE(8)

static void forward(const snSymbolic *symbolic, const snReal *panels, snSides all, snReal *x,
                    snReal *work)
{
    for (int s = 0; s < symbolic->supernodeCount; s++) {
        const snSupernode *supernode = &symbolic->supernodes[s];
        Place place = placeOf(symbolic, supernode, all.width);
        const snReal *panel = panels + supernode->panel;
        snReal *mine = x + (size_t)(supernode->first * place.block) * (size_t)all.width;
        for (int side = 0; side < all.count; side += groupOf(all.count - side))
            switch (groupOf(all.count - side)) {
#define CASE(n)                                                                                    \
    case n:                                                                                        \
        forwardSupernode(&place, panel, n, mine + side, x + side, work);                           \
        break;
                EACH_GROUP(CASE)
#undef CASE
            }
    }
}

static void backward(const snSymbolic *symbolic, const snReal *panels, snSides all, snReal *x,
                     snReal *work)
{
    for (int s = symbolic->supernodeCount - 1; s >= 0; s--) {
        const snSupernode *supernode = &symbolic->supernodes[s];
        Place place = placeOf(symbolic, supernode, all.width);
        const snReal *panelEnd = panels + supernode[1].panel;
        snReal *mine = x + (size_t)(supernode->first * place.block) * (size_t)all.width;
        for (int side = 0; side < all.count; side += groupOf(all.count - side))
            switch (groupOf(all.count - side)) {
#define CASE(n)                                                                                    \
    case n:                                                                                        \
        backwardSupernode(&place, panelEnd, n, mine + side, x + side, work);                       \
        break;
                EACH_GROUP(CASE)
#undef CASE
            }
    }
}

#if defined(SN_SINGLE)
snSolveSingleFcn SN_VARIANT(snSolvePanelsSingle);

void SN_VARIANT(snSolvePanelsSingle)(const snSymbolic *symbolic, const float *panels, snSides sides,
                                     double *restrict x, float *restrict rounded, float *work)
{
    size_t count = (size_t)(symbolic->size * symbolic->block) * (size_t)sides.width;
    for (size_t k = 0; k < count; k++)
        rounded[k] = (float)x[k];
    forward(symbolic, panels, sides, rounded, work);
    backward(symbolic, panels, sides, rounded, work);
    for (size_t k = 0; k < count; k++)
        x[k] = rounded[k];
}
#else
snSolveFcn SN_VARIANT(snSolvePanels);

void SN_VARIANT(snSolvePanels)(const snSymbolic *symbolic, const double *panels, snSides sides,
                               double *x, double *work)
{
    forward(symbolic, panels, sides, x, work);
    backward(symbolic, panels, sides, x, work);
}
#endif
