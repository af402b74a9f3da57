// Matrices over the lattice vertices, assembled from the quadrature.
#include "body/lattice/model.h"

#include "core/error.h"

static snStatus makeMatrix(snSparse *matrix, const snLattice *lattice, int block, snArena *arena,
                           snError *error)
{
    snPattern pattern;
    snStatus status = snPattern_FromGroups(&pattern, lattice->vertexCount, lattice->cellCount,
                                           lattice->cellStart, lattice->corners, arena, error);
    if (status) return status;
    return snSparse_Make(matrix, &pattern, block, arena, error);
}

// Linear elasticity, ψ = μ ε:ε + λ/2 tr²ε, ε = sym(∇u), u = Σ_a u_a φ_a, g_a = ∇φ_a:
//     ∂²ψ/∂u_a∂u_b = μ (g_a . g_b) I + μ g_b g_aᵀ + λ g_a g_bᵀ
void snLattice_AddElement(snSparse *matrix, const snQuadrature *q, int element,
                          const double lame[2], const int *rowOf)
{
    double volume = q->volume[element], mu = lame[0], lambda = lame[1];
    for (int i = q->start[element]; i < q->start[element + 1]; i++) {
        for (int j = q->start[element]; j < q->start[element + 1]; j++) {
            int row = rowOf ? rowOf[q->corner[i]] : q->corner[i];
            int column = rowOf ? rowOf[q->corner[j]] : q->corner[j];
            if (row < column) continue; // the lower triangle, once
            snVec3 a = q->gradient[i], b = q->gradient[j];
            double ga[3] = {a.x, a.y, a.z}, gb[3] = {b.x, b.y, b.z}, block[9];
            double dot = snDot(a, b);
            for (int r = 0; r < 3; r++)
                for (int c = 0; c < 3; c++)
                    block[r * 3 + c] =
                        volume * (mu * ((r == c) * dot + gb[r] * ga[c]) + lambda * ga[r] * gb[c]);
            snSparse_AddBlock(matrix, row, column, block);
        }
    }
}

snStatus snLattice_Stiffness(snSparse *matrix, const snLattice *lattice,
                             const snQuadrature *quadrature, const double *young, double poisson,
                             snArena *arena, snError *error)
{
    snStatus status = makeMatrix(matrix, lattice, 3, arena, error);
    for (int e = 0; e < quadrature->elementCount && !status; e++) {
        double modulus = young[quadrature->cell[e]];
        double lame[2] = {snShearModulus(modulus, poisson), snLameLambda(modulus, poisson)};
        snLattice_AddElement(matrix, quadrature, e, lame, NULL);
    }
    return status;
}

snStatus snLattice_Mass(snSparse *matrix, const snLattice *lattice, const snQuadrature *quadrature,
                        double density, snArena *arena, snError *error)
{
    snStatus status = makeMatrix(matrix, lattice, 1, arena, error);
    for (int c = 0; c < lattice->cellCount && !status; c++) {
        const int *corners = snLattice_Corners(lattice, c);
        const double *mass = quadrature->mass + quadrature->massStart[c];
        int n = (int)snLattice_Kind(lattice, c);
        for (int i = 0; i < n; i++)
            for (int j = 0; j <= i; j++)
                snSparse_AddScalar(matrix, corners[i], corners[j], density * mass[i * n + j]);
    }
    return status;
}
