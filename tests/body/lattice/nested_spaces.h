// Linear elasticity on the nested spaces of a subdivided lattice, for the test and the benchmark of multigrid.
//
// Unknowns are the control vertices of level J; nodes are the vertices of level J + 1, y = B q with
// B = S_J. Each hexahedron of nodes is an element (quadrature_hex.c), masses are lumped at nodes: A_q = Bᵀ (m I + h² K) B. A vertex of level 0 may be nailed; one of a finer level is
// nailed if all those are that it is made of, so that the spaces without them are nested too.
#ifndef SN_TESTS_BODY_LATTICE_NESTED_SPACES_H
#define SN_TESTS_BODY_LATTICE_NESTED_SPACES_H

#include "body/lattice/model.h"
#include "body/lattice/scheme.h"
#include "numerics/galerkin.h"
#include "tests/body/lattice/sharp_blocks.h"

#include <string.h>

#define NESTED_LEVELS 6

// ---- lattices ---------------------------------------------------------------------------------

typedef enum NestedLattice {
    NESTED_BOX,
    NESTED_MIXED,
    NESTED_SHARP,
    NESTED_LATTICES
} NestedLattice;

static inline const char *nestedName(NestedLattice kind)
{
    static const char *const names[] = {"box", "mixed", "sharp box"};
    return names[kind];
}

// A hexahedron beside two prisms, and six tetrahedra on top of these.
static inline snLattice smallMixed(snArena *arena)
{
    snLattice lattice, top;
    snLattice_Alloc(&lattice, 16, 9, 44, arena, NULL);
    snLattice_Alloc(&top, 16, 2, 12, arena, NULL);
    lattice.cellCount = top.cellCount = 0;
    int at[3][2][3];
    for (int k = 0, v = 0; k < 3; k++)
        for (int j = 0; j < 2; j++)
            for (int i = 0; i < 3 - k / 2; i++, v++) {
                lattice.rest[v] = top.rest[v] = snVec(i, j, k);
                at[k][j][i] = v;
            }
    addCell(&lattice, 8,
            (int[8]){at[0][0][1], at[0][0][2], at[0][1][2], at[0][1][1], at[1][0][1], at[1][0][2],
                     at[1][1][2], at[1][1][1]});
    for (int k = 0; k < 2; k++)
        for (int half = 0; half < 2; half++)
            addCell(k ? &top : &lattice, 6,
                    (int[6]){at[k][0][0], at[k][half][1], at[k][1][1 - half], at[k + 1][0][0],
                             at[k + 1][half][1], at[k + 1][1][1 - half]});
    for (int c = 0; c < 2; c++) {
        int tets[SN_CELL_TETS][4], n = snSplitCell(&top, c, tets);
        for (int t = 0; t < n; t++)
            addCell(&lattice, 4, tets[t]);
    }
    return lattice;
}

static inline bool isEnd(const snLattice *lattice, int vertex)
{
    return lattice->rest[vertex].x < 1e-9;
}

// Sharp is the rim of the end x = 0, so that what is nailed there depends on nothing else: the edges
// there that one face of the end has.
static inline const snSharp *rimOf(const snLattice *lattice, snArena *arena)
{
    snSharp *sharp = makeSharp(12 * lattice->cellCount, 0, 0, arena);
    int count = 0,
        (*edges)[2] = snArena_Alloc(arena, sizeof *edges, 24 * (size_t)lattice->cellCount);
    for (int c = 0; c < lattice->cellCount; c++) {
        const snCellShape *shape = snCellShape_Of(snLattice_Kind(lattice, c));
        const int *corners = snLattice_Corners(lattice, c);
        for (int f = 0; f < shape->faces; f++) {
            int n = shape->face[f][3] < 0 ? 3 : 4, at = 0;
            for (int k = 0; k < n; k++)
                at += isEnd(lattice, corners[shape->face[f][k]]);
            for (int k = 0; k < n && at == n; k++, count++) {
                int a = corners[shape->face[f][k]], b = corners[shape->face[f][(k + 1) % n]];
                edges[count][0] = a < b ? a : b;
                edges[count][1] = a < b ? b : a;
            }
        }
    }
    for (int e = 0; e < count; e++) {
        int found = 0;
        for (int o = 0; o < count; o++)
            found += edges[o][0] == edges[e][0] && edges[o][1] == edges[e][1];
        if (found == 1) addSharpEdge(sharp, edges[e][0], edges[e][1]);
    }
    return sharp;
}

// Cells of 0.1 m.
static inline snLattice makeNestedLattice(NestedLattice kind, const int cells[3], snArena *arena)
{
    snLattice lattice = kind == NESTED_MIXED
                            ? smallMixed(arena)
                            : makeBlock(BLOCK_HEXES, cells[0], cells[1], cells[2],
                                        snVec(cells[0], cells[1], cells[2]), arena);
    for (int v = 0; v < lattice.vertexCount; v++)
        lattice.rest[v] = snScale(0.1, lattice.rest[v]);
    lattice.sharp = kind == NESTED_SHARP ? boxSharp(cells, arena) : rimOf(&lattice, arena);
    return lattice;
}

// ---- spaces -----------------------------------------------------------------------------------

typedef struct NestedDef {
    const snLattice *lattice;
    snScheme scheme;
    int levels;                  // J; spaces are 0 ... J
    const unsigned char *nailed; // [vertices of the lattice], or NULL
    double density;              // 0: no mass
    double step;                 // s
    double young, poisson;
    const unsigned char *stiff; // [cells of the lattice], or NULL: those `contrast` times as stiff
    double contrast;
} NestedDef;

typedef struct NestedSpaces {
    int size[NESTED_LEVELS + 1];              // functions of each space
    snWeightRows prolongation[NESTED_LEVELS]; // [j] takes space j to j + 1
    int *functionOf[NESTED_LEVELS + 2];       // [vertices of level j] -> function, or -1
    snWeightRows values[NESTED_LEVELS + 1];   // of the functions at their own vertices, S
    snSparse matrix;                          // of space J
    snSubdivision subdivision;
} NestedSpaces;

// The matrix over nodes: the elements that smooth bodies have, masses lumped.
static inline snStatus nodeMatrix(snSparse *matrix, const NestedDef *def, const snFineLattice *fine,
                                  snArena *arena, const snContext *context, snError *error)
{
    const snLattice *nodes = &fine->lattice;
    snPattern pattern;
    snQuadrature elements;
    snQuadratureDef whole = snDefaultQuadratureDef();
    snStatus status = snPattern_FromGroups(&pattern, nodes->vertexCount, nodes->cellCount,
                                           nodes->cellStart, nodes->corners, arena, error);
    if (!status) status = snSparse_Make(matrix, &pattern, 3, arena, error);
    if (!status) status = snQuadrature_MakeHexes(&elements, nodes, &whole, arena, context, error);
    double mu = snShearModulus(def->young, def->poisson);
    double lambda = snLameLambda(def->young, def->poisson), h = def->step;
    for (int e = 0; !status && e < elements.elementCount; e++) {
        double mass = def->density * elements.volume[e] / 8;
        double block[9] = {mass, 0, 0, 0, mass, 0, 0, 0, mass};
        double stiff = def->stiff && def->stiff[fine->parent[elements.cell[e]]] ? def->contrast : 1;
        double scale = h * h * stiff;
        snLattice_AddElement(matrix, &elements, e, (double[2]){scale * mu, scale * lambda}, NULL);
        for (int a = elements.start[e]; a < elements.start[e + 1] && mass > 0; a++)
            snSparse_AddBlock(matrix, elements.corner[a], elements.corner[a], block);
    }
    return status;
}

// The rows of a step without what is nailed, and which functions the finer level then has.
static inline snStatus freeRows(snWeightRows *out, const snWeightRows *rows, int vertices,
                                const int *coarse, int coarseCount, int **fineOf, snArena *arena)
{
    int *start = SN_NEW(arena, int, vertices + 1),
        *column = SN_NEW(arena, int, rows->start[vertices]);
    double *weight = SN_NEW(arena, double, rows->start[vertices]);
    int *fine = SN_NEW(arena, int, vertices), count = 0, entries = 0;
    if (!start || !column || !weight || !fine) return SN_ERROR_MEMORY;
    for (int v = 0; v < vertices; v++) {
        int before = entries;
        for (int k = rows->start[v]; k < rows->start[v + 1]; k++) {
            if (coarse[rows->column[k]] < 0 || rows->weight[k] == 0) continue;
            column[entries] = coarse[rows->column[k]];
            weight[entries++] = rows->weight[k];
        }
        fine[v] = entries > before ? count++ : -1;
        if (fine[v] >= 0) start[count] = entries;
    }
    *fineOf = fine;
    *out = (snWeightRows){
        .rows = count, .columns = coarseCount, .start = start, .column = column, .weight = weight};
    return SN_OK;
}

// The rows of the vertices that the coarser level has already.
static inline snStatus ownRows(snWeightRows *out, const snWeightRows *rows, int vertices,
                               const int *coarse, int coarseCount, snArena *arena)
{
    int *start = SN_NEW(arena, int, coarseCount + 1);
    int *column = SN_NEW(arena, int, rows->start[vertices]), count = 0, entries = 0;
    double *weight = SN_NEW(arena, double, rows->start[vertices]);
    if (!start || !column || !weight) return SN_ERROR_MEMORY;
    for (int v = 0; v < vertices; v++) {
        if (coarse[v] < 0) continue;
        for (int k = rows->start[v]; k < rows->start[v + 1]; k++) {
            if (coarse[rows->column[k]] < 0 || rows->weight[k] == 0) continue;
            column[entries] = coarse[rows->column[k]];
            weight[entries++] = rows->weight[k];
        }
        start[++count] = entries;
    }
    *out = (snWeightRows){
        .rows = count, .columns = count, .start = start, .column = column, .weight = weight};
    return SN_OK;
}

// Bᵀ A B, the rows of A without what is nailed.
static inline snStatus spaceMatrix(snSparse *matrix, const snSparse *nodes, const snWeightRows *b,
                                   const int *nodeOf, snArena *arena, const snContext *context,
                                   snError *error)
{
    snArena scratch = snMakeArena(context);
    int *kept = SN_NEW(&scratch, int, nodes->pattern.size), count = 0;
    snSparse part;
    snStatus status = kept ? SN_OK : SN_ERROR_MEMORY;
    for (int v = 0; v < nodes->pattern.size && !status; v++)
        if (nodeOf[v] >= 0) kept[count++] = v;
    if (!status) status = snSparse_Part(&part, nodes, kept, count, &scratch, error);
    if (!status) status = snGalerkin_Sparse(matrix, &part, b, &context->tasks, arena, error);
    snArena_Destroy(&scratch);
    return status;
}

static inline snStatus makeNestedSpaces(NestedSpaces *spaces, const NestedDef *def, snArena *arena,
                                        const snContext *context, snError *error)
{
    int J = def->levels;
    snArena scratch = snMakeArena(context);
    snSubdivision *s = &spaces->subdivision;
    snSparse nodes;
    snWeightRows b = {0};
    snStatus status = snSubdivideBy(s, def->scheme, def->lattice, J + 1, arena, context, error);
    if (!status) status = nodeMatrix(&nodes, def, &s->fine, &scratch, context, error);
    int *level0 = SN_NEW(arena, int, def->lattice->vertexCount);
    if (!status && !level0) status = SN_ERROR_MEMORY;
    spaces->functionOf[0] = level0;
    spaces->size[0] = 0;
    for (int v = 0; v < def->lattice->vertexCount && !status; v++)
        level0[v] = def->nailed && def->nailed[v] ? -1 : spaces->size[0]++;
    for (int j = 0; j <= J && !status; j++) {
        snWeightRows *p = j < J ? &spaces->prolongation[j] : &b;
        status = freeRows(p, &s->step[j], s->fine.levelVertices[j + 1], spaces->functionOf[j],
                          spaces->size[j], &spaces->functionOf[j + 1], arena);
        if (j < J) spaces->size[j + 1] = p->rows;
        if (!status)
            status = ownRows(&spaces->values[j], &s->step[j], s->fine.levelVertices[j],
                             spaces->functionOf[j], spaces->size[j], arena);
    }
    if (!status)
        status = spaceMatrix(&spaces->matrix, &nodes, &b, spaces->functionOf[J + 1], arena, context,
                             error);
    snArena_Destroy(&scratch);
    return status;
}

#endif
