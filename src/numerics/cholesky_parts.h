// The inside of the sparse Cholesky factor, shared by its parts: symbolic.c (structure), factor.c
// (values), solve.c, and the kernels that are compiled per instruction set.
//
// Columns are grouped into supernodes: runs of consecutive columns (in elimination order) that
// share one list of rows below their diagonal block. With 3x3 entries a list holds block rows, so
// indices cost a third; every supernode is a dense trapezoid of scalars.
//
// The panel of a supernode with p pivots (scalar columns) and q rows below is cut into strips of
// 8 columns (the first may have fewer). A strip of w columns that begins at pivot c is stored as
//     X    the inverse of its w x w diagonal triangle, by columns, 8 doubles each
//     T_0 T_1 ...   the rows below, c + w ... p + q - 1, in tiles of 8 rows, each by columns
//     Xᵀ   by columns, 8 doubles each
// Forward and backward passes each stream the panels once, all loads 64 bytes wide. Rows are
// padded to whole tiles with zeros.
#ifndef SN_NUMERICS_CHOLESKY_PARTS_H
#define SN_NUMERICS_CHOLESKY_PARTS_H

#include "numerics/cholesky.h"

enum { SN_STRIP = 8 }; // widest strip, and rows in a tile

typedef struct snSupernode {
    int first;                      // first column, in blocks
    int columns;                    // in blocks
    int rows;                       // rows below, in blocks
    int parent;                     // supernode that holds the first row below, or -1
    int lastChild, previousSibling; // supernodes with this one, or its parent, as parent; or -1
    int rowStart;                   // into snSymbolic.row
    int entryStart;                 // into snSymbolic.entry; ends where the next supernode's begin
    size_t panel;                   // into snFactor.panels; ends where the next supernode's begins
} snSupernode;

// Where an entry of A goes in the front of its supernode.
typedef struct snEntry {
    int index;       // of the entry in A; ~index when the block goes in transposed
    int row, column; // in the front, in blocks
} snEntry;

struct snSymbolic {
    int size, block;
    int entryCount;
    int supernodeCount;
    int *order;              // [size]
    snSupernode *supernodes; // [supernodeCount + 1], children before parents
    int *row;                // elimination numbers of the rows below, ascending per supernode
    int *relative;           // the same rows as positions in the parent's front
    snEntry *entry;          // [entryCount], by supernode
    size_t panelSize;        // doubles
    size_t frontSize;        // doubles of the largest front
    size_t stackSize;        // doubles of updates that wait for their parents, at most
    int maxRows;             // scalar rows of the tallest front
};

// The first `count` of `width` interleaved sides: all, or three of four, the last of which is 0.
typedef struct snSides {
    int width, count;
} snSides;

// x (elimination order) is solved in place; `work` has 8 * snWorkStride(maxRows) doubles.
typedef void snSolveFcn(const snSymbolic *symbolic, const double *panels, snSides sides, double *x,
                        double *work);
// The same in single precision: x is rounded into `rounded`, solved there, and taken back.
typedef void snSolveSingleFcn(const snSymbolic *symbolic, const float *panels, snSides sides,
                              double *x, float *rounded, float *work);

// Factors the first `pivots` columns of a front (column-major, `stride` doubles from column to
// column, lower triangle; rows padded with zeros up to the stride) and subtracts their outer
// product from the rest. Returns -1, or the pivot that is not positive.
typedef int snFrontFcn(double *front, int stride, int pivots, int rows);

struct snFactor {
    const snSymbolic *symbolic;
    double *panels;      // [panelSize]
    double *front;       // [frontSize]
    double *stack;       // [stackSize]
    float *singlePanels; // [panelSize], the same rounded, snFactor_MakeSingle; NULL: not made
    snSolveFcn *solve;
    snSolveSingleFcn *solveSingle;
    snFrontFcn *factorFront;
};

// Rows of a front or of a solve's local vectors, with room for a shift and for whole tiles.
static inline int snWorkStride(int rows)
{
    return (rows + 2 * SN_STRIP - 1) / SN_STRIP * SN_STRIP;
}

// All strips but the first have 8 columns. The tiles of all strips then begin at the same rows
// modulo 8, and in work that is shifted by 8 minus the columns of the first they are aligned.
static inline int snStripCount(int pivots)
{
    return (pivots + SN_STRIP - 1) / SN_STRIP;
}

static inline int snStripStart(int pivots, int strip)
{
    return strip == 0 ? 0 : pivots - SN_STRIP * (snStripCount(pivots) - strip);
}

// Doubles of a strip with `rows` rows below its triangle.
static inline size_t snStripSize(int columns, int rows)
{
    int tiles = (rows + SN_STRIP - 1) / SN_STRIP;
    return (size_t)(columns * SN_STRIP) * (size_t)(tiles + 2);
}

size_t snPanelSize(int pivots, int rows);

#define SN_DECLARE_KERNELS(suffix)                                                                 \
    snSolveFcn snSolvePanels_##suffix;                                                             \
    snSolveSingleFcn snSolvePanelsSingle_##suffix;                                                 \
    snFrontFcn snFactorFront_##suffix;
SN_DECLARE_KERNELS(base)
SN_DECLARE_KERNELS(avx2)
SN_DECLARE_KERNELS(avx512)

// The factor with kernels of a chosen level, for tests that compare their bits.
snStatus snFactor_UseLevel(snFactor *factor, int level);

#endif
