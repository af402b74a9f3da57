// Forward and backward substitution over panels of supernodes (layout: cholesky_parts.h).
//
// For a supernode with triangle L₁ (its pivots), rectangle L₂ (its rows below) and unknowns x₁, x₂:
//     forward    y₁ = L₁⁻¹ x₁,   x₂ -= L₂ y₁
//     backward   x₁ = L₁⁻ᵀ (y₁ - L₂ᵀ x₂)
// both strip by strip. Work is planar: side r of a chunk of up to eight right-hand sides has its
// rows contiguous at work[r * stride], so that eight rows of one column of L, one load, serve all
// sides. Each side sees the same operations in the same order whatever the width: a body in a
// crowd moves exactly as it does alone.
#include "numerics/cholesky_parts.h"
#include "numerics/lanes.h"

// Right-hand sides whose sums fit into registers together.
#if SN_LANES_PARTS == 1
#define SIDES_AT_ONCE 4
#else
#define SIDES_AT_ONCE 1
#endif

typedef struct Strip {
    const double *panel;
    int columns; // w
    int tiles;
    int stride; // of work, from side to side
} Strip;

// y = X x for one side; the result goes to `y` (8 doubles, zero beyond w) and back into x.
SN_INLINE void applyTriangle(const double *triangle, int columns, double *x, double *y)
{
    snLanes sum = snLanes_Multiply(snLanes_Load(triangle), snLanes_All(x[0]));
    for (int c = 1; c < columns; c++)
        sum = snLanes_More(sum, snLanes_Load(triangle + 8 * c), snLanes_All(x[c]));
    snLanes_Store(y, sum);
    for (int c = 0; c < columns; c++)
        x[c] = y[c];
}

// x₂ -= L₂ y₁ for `sides` sides at once.
SN_INLINE void subtractTiles(const Strip *strip, int columns, int sides, const double *y, double *x)
{
    const double *tile = strip->panel + 8 * columns;
    double *below = x + columns;
    for (int t = 0; t < strip->tiles; t++, tile += 8 * columns, below += 8) {
        snLanes sum[8];
        for (int r = 0; r < sides; r++)
            sum[r] = snLanes_Load(below + r * strip->stride);
        for (int c = 0; c < columns; c++) {
            snLanes l = snLanes_Load(tile + 8 * c);
            for (int r = 0; r < sides; r++)
                sum[r] = snLanes_Less(sum[r], l, snLanes_All(y[8 * r + c]));
        }
        for (int r = 0; r < sides; r++)
            snLanes_Store(below + r * strip->stride, sum[r]);
    }
}

// s = L₂ᵀ x₂ for one side and columns c ... c + columns - 1.
SN_INLINE void sumTiles(const Strip *strip, int from, int columns, const double *x, double *s)
{
    const double *tile = strip->panel + 8 * (strip->columns + from);
    const double *below = x + strip->columns;
    snLanes sum[8];
    for (int c = 0; c < columns; c++)
        sum[c] = snLanes_All(0);
    for (int t = 0; t < strip->tiles; t++, tile += 8 * strip->columns, below += 8) {
        snLanes lower = snLanes_Load(below);
        for (int c = 0; c < columns; c++)
            sum[c] = snLanes_More(sum[c], snLanes_Load(tile + 8 * c), lower);
    }
    for (int c = 0; c < columns; c++)
        s[c] = snLanes_Sum(sum[c]);
}

static void forwardStrip(const Strip *strip, int sides, double *x)
{
    double y[64];
    for (int r = 0; r < sides; r++)
        applyTriangle(strip->panel, strip->columns, x + r * strip->stride, y + 8 * r);
    for (int r = 0; r < sides; r++)
        subtractTiles(strip, strip->columns, 1, y + 8 * r, x + r * strip->stride);
}

static void backwardStrip(const Strip *strip, int sides, double *x)
{
    double s[8], y[8];
    const double *transposed = strip->panel + 8 * strip->columns * (strip->tiles + 1);
    for (int r = 0; r < sides; r++) {
        double *side = x + r * strip->stride;
        sumTiles(strip, 0, strip->columns, side, s);
        for (int c = 0; c < strip->columns; c++)
            side[c] -= s[c];
        applyTriangle(transposed, strip->columns, side, y);
    }
}

static void loadPivots(const double *x, int count, int width, int sides, double *work, int stride)
{
    for (int i = 0; i < count; i++)
        for (int r = 0; r < sides; r++)
            work[r * stride + i] = x[(size_t)i * (size_t)width + (size_t)r];
}

static void storePivots(double *x, int count, int width, int sides, const double *work, int stride)
{
    for (int i = 0; i < count; i++)
        for (int r = 0; r < sides; r++)
            x[(size_t)i * (size_t)width + (size_t)r] = work[r * stride + i];
}

// The supernode's rows below: gathered from x, or added to it.
static void gatherRows(const double *x, const int *row, int rows, int block, int width, int sides,
                       double *work, int stride)
{
    for (int k = 0; k < rows; k++)
        loadPivots(x + (size_t)row[k] * (size_t)(block * width), block, width, sides,
                   work + k * block, stride);
}

static void scatterRows(double *x, const int *row, int rows, int block, int width, int sides,
                        const double *work, int stride)
{
    for (int k = 0; k < rows; k++)
        for (int i = 0; i < block; i++)
            for (int r = 0; r < sides; r++)
                x[(size_t)(row[k] * block + i) * (size_t)width + (size_t)r] +=
                    work[r * stride + k * block + i];
}

static void forwardSupernode(const snSymbolic *symbolic, const snSupernode *supernode,
                             const double *panel, int width, int sides, double *x, double *work)
{
    int block = symbolic->block, pivots = block * supernode->columns;
    int height = pivots + block * supernode->rows, stride = snWorkStride(height);
    double *mine = x + (size_t)(supernode->first * block) * (size_t)width;
    loadPivots(mine, pivots, width, sides, work, stride);
    for (int r = 0; r < sides; r++)
        memset(work + r * stride + pivots, 0, (size_t)(stride - pivots) * sizeof *work);
    Strip strip = {.panel = panel, .stride = stride};
    for (int i = 0; i < snStripCount(pivots); i++) {
        int begin = snStripStart(pivots, i), end = snStripStart(pivots, i + 1);
        strip.columns = end - begin;
        strip.tiles = (height - end + 7) / 8;
        forwardStrip(&strip, sides, work + begin);
        strip.panel += snStripSize(strip.columns, height - end);
    }
    storePivots(mine, pivots, width, sides, work, stride);
    scatterRows(x, symbolic->row + supernode->rowStart, supernode->rows, block, width, sides,
                work + pivots, stride);
}

static void backwardSupernode(const snSymbolic *symbolic, const snSupernode *supernode,
                              const double *panelEnd, int width, int sides, double *x, double *work)
{
    int block = symbolic->block, pivots = block * supernode->columns;
    int height = pivots + block * supernode->rows, stride = snWorkStride(height);
    double *mine = x + (size_t)(supernode->first * block) * (size_t)width;
    loadPivots(mine, pivots, width, sides, work, stride);
    gatherRows(x, symbolic->row + supernode->rowStart, supernode->rows, block, width, sides,
               work + pivots, stride);
    for (int r = 0; r < sides; r++)
        memset(work + r * stride + height, 0, (size_t)(stride - height) * sizeof *work);
    Strip strip = {.panel = panelEnd, .stride = stride};
    for (int i = snStripCount(pivots) - 1; i >= 0; i--) {
        int begin = snStripStart(pivots, i), end = snStripStart(pivots, i + 1);
        strip.columns = end - begin;
        strip.tiles = (height - end + 7) / 8;
        strip.panel -= snStripSize(strip.columns, height - end);
        backwardStrip(&strip, sides, work + begin);
    }
    storePivots(mine, pivots, width, sides, work, stride);
}

snSolveFcn SN_VARIANT(snSolvePanels);

void SN_VARIANT(snSolvePanels)(const snSymbolic *symbolic, const double *panels, int width,
                               double *x, double *work)
{
    const snSupernode *supernodes = symbolic->supernodes;
    int count = symbolic->supernodeCount;
    for (int s = 0; s < count; s++)
        for (int side = 0; side < width; side += 8)
            forwardSupernode(symbolic, &supernodes[s], panels + supernodes[s].panel, width,
                             width - side < 8 ? width - side : 8, x + side, work);
    for (int s = count - 1; s >= 0; s--)
        for (int side = 0; side < width; side += 8)
            backwardSupernode(symbolic, &supernodes[s], panels + supernodes[s + 1].panel, width,
                              width - side < 8 ? width - side : 8, x + side, work);
}
