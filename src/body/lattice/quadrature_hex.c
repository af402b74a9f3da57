// One element per hexahedron. With x = Σ N_a(ξ) r_a and J = ∂x/∂ξ, the mean gradients
//
//     g_a = (1/V) ∫ ∇N_a dV = (1/V) ∫ cof(J) ∂N_a/∂ξ dξ,     V = ∫ det J dξ
//
// are exact for affine motion (Σ r_a g_aᵀ = 1) and pass the patch test on hexahedra of any shape, for
// the forces of a uniform stress, V σ g_a = ∫ σ ∇N_a, cancel at inner vertices. (Flanagan, Belytschko,
// "A Uniform Strain Hexahedron and Quadrilateral with Orthogonal Hourglass Control", 1981.) The
// integrands are of degree two in each variable, so two points of Gauss each way are exact.
//
// An element feels nothing of the twelve hourglass motions of its corners: such lattices are for bodies
// that cannot make them, which move in a space of coarser functions (space.h).
#include "body/lattice/quadrature.h"

#include "core/error.h"

#define POINTS 8

typedef struct Builder {
    const snLattice *lattice;
    const snQuadratureDef *def;
    snQuadrature *out;
    unsigned char *inside; // [cells * POINTS]
} Builder;

// N_a = Π (1 ± ξ_i)/2 at a point of Gauss: values, and derivatives by ξ.
static void shapeAt(int point, double value[8], snVec3 slope[8])
{
    static const int sign[8][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1},
                                   {-1, -1, 1},  {1, -1, 1},  {1, 1, 1},  {-1, 1, 1}};
    const double gauss = 0.57735026918962576451;
    for (int a = 0; a < 8; a++) {
        double f[3], s[3];
        for (int i = 0; i < 3; i++) {
            s[i] = 0.5 * sign[a][i];
            f[i] = 0.5 + s[i] * gauss * sign[point][i];
        }
        value[a] = f[0] * f[1] * f[2];
        slope[a] = snVec(s[0] * f[1] * f[2], f[0] * s[1] * f[2], f[0] * f[1] * s[2]);
    }
}

static snMat3 jacobian(const snLattice *lattice, int cell, const snVec3 slope[8])
{
    const int *corners = snLattice_Corners(lattice, cell);
    snMat3 j = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    for (int a = 0; a < 8; a++)
        j = snAddMM(j, snOuter(lattice->rest[corners[a]], slope[a]));
    return j;
}

static snStatus findInside(Builder *b, snArena *scratch, snError *error)
{
    const snLattice *lattice = b->lattice;
    size_t total = (size_t)lattice->cellCount * POINTS;
    b->inside = SN_NEW(scratch, unsigned char, total);
    snVec3 *points = SN_NEW(scratch, snVec3, total);
    if (!b->inside || !points) return snFailMemory(error);
    for (int c = 0; c < lattice->cellCount; c++)
        for (int p = 0; p < POINTS; p++) {
            double value[8];
            snVec3 slope[8];
            shapeAt(p, value, slope);
            points[c * POINTS + p] =
                snCombine(8, snLattice_Corners(lattice, c), value, lattice->rest);
            b->inside[c * POINTS + p] = 1;
        }
    if (b->def->inside.test)
        b->def->inside.test(b->def->inside.user, (int)total, points, b->inside);
    return SN_OK;
}

// Cell after cell; an element that counts nothing at all is left out.
static snStatus integrateCell(Builder *b, int cell, snError *error)
{
    snQuadrature *out = b->out;
    double *mass = out->mass + (size_t)cell * 64, volume = 0;
    snVec3 gradient[8] = {{0, 0, 0}};
    for (int p = 0; p < POINTS; p++) {
        double value[8];
        snVec3 slope[8];
        shapeAt(p, value, slope);
        snMat3 j = jacobian(b->lattice, cell, slope), cofactor = snCofactor(j);
        double part = snDet(j), in = b->inside[cell * POINTS + p] ? part : 0;
        volume += part;
        out->cellVolume[cell] += in;
        for (int a = 0; a < 8; a++) {
            gradient[a] = snAdd(gradient[a], snMulMV(cofactor, slope[a]));
            for (int c = 0; c < 8; c++)
                mass[8 * a + c] += in * value[a] * value[c];
        }
    }
    if (!(volume > 0))
        return snFail(error, SN_ERROR_GEOMETRY, "cell %d has a volume of %g; it must be positive",
                      cell, volume);
    double least = b->def->leastFraction * volume, counts = out->cellVolume[cell];
    counts = counts > least ? counts : least;
    if (counts <= 0) return SN_OK;
    int e = out->elementCount++, first = out->start[e];
    for (int a = 0; a < 8; a++) {
        out->corner[first + a] = snLattice_Corners(b->lattice, cell)[a];
        out->gradient[first + a] = snScale(1 / volume, gradient[a]);
    }
    out->start[e + 1] = first + 8;
    out->volume[e] = counts;
    out->cell[e] = cell;
    return SN_OK;
}

snStatus snQuadrature_MakeHexes(snQuadrature *quadrature, const snLattice *lattice,
                                const snQuadratureDef *def, snArena *arena,
                                const snContext *context, snError *error)
{
    size_t cells = (size_t)lattice->cellCount;
    Builder b = {.lattice = lattice, .def = def, .out = quadrature};
    *quadrature = (snQuadrature){.start = SN_NEW(arena, int, cells + 1),
                                 .corner = SN_NEW(arena, int, cells * 8),
                                 .gradient = SN_NEW(arena, snVec3, cells * 8),
                                 .volume = SN_NEW(arena, double, cells),
                                 .cell = SN_NEW(arena, int, cells),
                                 .mass = SN_NEW(arena, double, cells * 64),
                                 .massStart = SN_NEW(arena, int, cells + 1),
                                 .cellVolume = SN_NEW(arena, double, cells)};
    const snQuadrature *q = quadrature;
    if (!q->start || !q->corner || !q->gradient || !q->volume || !q->cell || !q->mass ||
        !q->massStart || !q->cellVolume)
        return snFailMemory(error);
    for (int c = 0; c < lattice->cellCount; c++) {
        quadrature->massStart[c + 1] = 64 * (c + 1);
        if (snLattice_Kind(lattice, c) != SN_HEX)
            return snFail(error, SN_ERROR_ARGUMENT,
                          "cell %d has %d corners; all cells must be hexahedra", c,
                          (int)snLattice_Kind(lattice, c));
    }
    snArena scratch = snMakeArena(context);
    snStatus status = findInside(&b, &scratch, error);
    for (int c = 0; c < lattice->cellCount && !status; c++)
        status = integrateCell(&b, c, error);
    snArena_Destroy(&scratch);
    return status;
}
