// The elastic energy of Green strain as the polynomial that it is: of fourth degree in the
// displacements q of the lattice vertices, with coefficients that are integrals of products of
// basis gradients, found once (Capell et al. 2002, section 3). What it costs to evaluate depends on
// the lattice alone, not on how finely it was integrated; the numbers are in
// docs/decisions/0007-polynomials.md.
//
// Evaluating allocates nothing: `scratch` has snPolynomial_ScratchSize doubles. Vectors have x, y,
// z of every lattice vertex in lattice order.
#ifndef SN_BODY_LATTICE_POLYNOMIAL_H
#define SN_BODY_LATTICE_POLYNOMIAL_H

#include "body/lattice/quadrature.h"
#include "numerics/sparse.h"

typedef struct snPolynomialDef {
    const snLattice *lattice;
    const snQuadrature *quadrature; // over the lattice
    const double *young;            // [cells], Pa
    double poisson;                 // 0 <= poisson < 0.5
} snPolynomialDef;

// Pairs are unordered, of vertices that share a cell, a vertex with itself too: pair p is entry p
// of the quadratic term's pattern.
typedef struct snPolynomial {
    int vertexCount, pairCount;
    snSparse quadratic; // K: a 3x3 block per pair, the stiffness of linear elasticity
    int *column;        // [pairs], the pair's smaller vertex; quadratic.pattern.row has the larger
    // The cubic term: a vector per pair and vertex that share a cell.
    int *cubicStart;      // [pairs + 1]
    int *cubicVertex;     // the vertex
    snVec3 *cubic;        // W
    int (*cubicBlock)[2]; // the pairs of that vertex with the pair's larger and smaller one
    // The quartic term: a number per unordered pair of pairs that share a cell.
    snSparse quartic; // C, scalar, a row per pair
    uint16_t (
        *quarticPlace)[2]; // where both vertices of an entry's row stand in its column's cubic
    int largestCubic;      // vertices in the longest list of a pair
} snPolynomial;

// Everything lives in the arena.
snStatus snPolynomial_Make(snPolynomial *polynomial, const snPolynomialDef *def, snArena *arena,
                           snError *error);
size_t snPolynomial_ScratchSize(const snPolynomial *polynomial); // doubles
size_t snPolynomial_Bytes(const snPolynomial *polynomial);       // of coefficients and their places

// V(q) in joules, out = ∂V/∂q, and matrix = ∂²V/∂q². The matrix is made over the quadratic term's
// pattern: snSparse_Make(&matrix, &polynomial->quadratic.pattern, 3, ...).
double snPolynomial_Value(const snPolynomial *polynomial, const double *q, double *scratch);
void snPolynomial_Gradient(const snPolynomial *polynomial, const double *q, double *out,
                           double *scratch);
void snPolynomial_Hessian(const snPolynomial *polynomial, const double *q, snSparse *matrix,
                          double *scratch);

#endif
