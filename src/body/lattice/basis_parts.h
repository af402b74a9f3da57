// The stages of building a basis (basis.c calls them in this order), each in a file of its own.
#ifndef SN_BODY_LATTICE_BASIS_PARTS_H
#define SN_BODY_LATTICE_BASIS_PARTS_H

#include "body/lattice/basis.h"
#include "body/lattice/nodes.h"

// basis_mesh.c: the fine tets with their part in Ω, and the values of all functions, kept or not,
// at its vertices.
snStatus snBasis_MakeMesh(snBasis *basis, const snBasisDef *def, const snNodes *nodes,
                          snArena *arena, const snContext *context, snError *error);

// A set of functions under consideration: number[f] is f's row in the matrix, or -1.
typedef struct snFunctionSet {
    int count;
    int *number; // [functions]
    int *member; // [count], ascending
} snFunctionSet;

// The functions whose state is in the mask (bit 1 << state).
snStatus snFunctionSet_Make(snFunctionSet *set, const snBasis *basis, unsigned states,
                            snArena *arena, snError *error);

// basis_gram.c: the Gram matrix of a set, with rows that hold its functions.
snStatus snBasis_GramOf(snSparse *gram, const snBasis *basis, const snWeightRows *rows,
                        const snFunctionSet *set, snArena *arena, snError *error);

// basis_relations.c, for the trilinear scheme and Q = J: marks functions that depend on others, by relations that are known.
// Says whether the matrix of all of them, slivers included, is singular for sure.
snStatus snBasis_ResolveRelations(snBasis *basis, const snWeightRows *rows, double leastPivot,
                                  bool *singular, const snContext *context, snError *error);

// basis_independence.c, for any Q: marks functions of the set as dependent until the rest are
// independent.
snStatus snBasis_MarkDependent(snBasis *basis, const snSparse *gram, const snFunctionSet *set,
                               double leastPivot, const snContext *context, snError *error);

#endif
