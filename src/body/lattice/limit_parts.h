// What the files of limit evaluation share (scheme_limit.c, limit_find.c).
#ifndef SN_BODY_LATTICE_LIMIT_PARTS_H
#define SN_BODY_LATTICE_LIMIT_PARTS_H

#include "body/lattice/scheme_limit.h"
#include "body/lattice/scheme_patch.h"
#include "geometry/tree.h"

typedef struct snLimitHex {
    snPatchType *type; // NULL: not asked for yet
    int *vertex;       // of the patch, in the store's lattice
} snLimitHex;

struct snLimitStore {
    snArena *arena;
    snContext context;
    snSubdivision fine; // all hexahedra: the finest level of functions, or the first split
    snPatchHost host;   // of fine.fine.lattice
    snLimitHex *hex;    // [its cells]
    snPatchStore patches;
    // Weights of the vertices of a patch, and derivatives by three coordinates.
    double (*weight)[4], (*next)[4];
    int room;
    // Sums over functions.
    double (*sum)[4]; // [functions], zero between uses
    bool *seen;
    int *used, usedCount;
    // For finding, when asked for: the hexahedra's boxes, their middles in the limit and radii.
    snTree tree;
    snVec3 *middle;
    double *radius;
    double size; // of all
};

// Where an evaluation ended: the vertices that count, their weights being in store->weight. Columns 1 ... 3
// are derivatives by the coordinates (byU), or covectors that span the tangent space (tangent alone).
typedef struct snLimitEnd {
    bool byU, tangent;
    int count;
    const int *vertex;
} snLimitEnd;

// How the axes of a part lie in those of the whole.
typedef struct snLimitTurn {
    int axis[3];
    double sign[3], scale;
} snLimitTurn;

int snLimit_Descend(double u[3], int axis[3], double sign[3]);
snStatus snLimit_Evaluate(snLimitStore *store, int hex, const double u[3], snLimitEnd *end,
                          snError *error);
snStatus snLimit_EvaluatePoint(const snLimit *limit, const snLimitPoint *point, snLimitEnd *end,
                               snError *error);
snVec3 snLimit_PlaceOf(const snLimitStore *store, const snLimitEnd *end, snMat3 *tangents);
void snLimit_SumRows(snLimitStore *store, const snLimitEnd *end);
void snLimit_ClearRows(snLimitStore *store);

#endif
