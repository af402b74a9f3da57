// The matrices that tests and benchmarks of the sparse solvers share: the step matrix K + M/h² of
// an elastic block of tetrahedra, a grid of cells with six tetrahedra each and jittered vertices.
#ifndef SN_TESTS_BLOCK_SCENE_H
#define SN_TESTS_BLOCK_SCENE_H

#include "numerics/sparse.h"
#include "core/random.h"
#include "core/vec.h"

#include <math.h>

typedef struct snBlockScene {
    snPattern pattern;
    snSparse elastic; // 3x3 entries
    snSparse scalar;  // the Laplacian and mass of the same block
} snBlockScene;

// Six tetrahedra around the diagonal 0-7 of a cell; corner c lies at (c & 1, c >> 1 & 1, c >> 2).
static const int blockSceneTets[6][4] = {{0, 1, 3, 7}, {0, 3, 2, 7}, {0, 2, 6, 7},
                                         {0, 6, 4, 7}, {0, 4, 5, 7}, {0, 5, 1, 7}};

static inline int blockSceneVertex(const int size[3], int x, int y, int z)
{
    return (z * size[1] + y) * size[0] + x;
}

// Adds the energy of a linear tetrahedron: K_ab = V (λ g_a g_bᵀ + μ g_b g_aᵀ + μ (g_a . g_b) I),
// with g the gradients of the barycentric coordinates, and a lumped mass.
static inline void blockSceneAddTet(snBlockScene *scene, const int v[4], double p[4][3],
                                    double lambda, double mu, double massRate)
{
    double e[3][3], g[4][3];
    for (int a = 0; a < 3; a++)
        for (int i = 0; i < 3; i++)
            e[a][i] = p[a + 1][i] - p[0][i];
    for (int a = 0; a < 3; a++) {
        const double *u = e[(a + 1) % 3], *w = e[(a + 2) % 3];
        for (int i = 0; i < 3; i++)
            g[a + 1][i] = u[(i + 1) % 3] * w[(i + 2) % 3] - u[(i + 2) % 3] * w[(i + 1) % 3];
    }
    double determinant = e[0][0] * g[1][0] + e[0][1] * g[1][1] + e[0][2] * g[1][2];
    double volume = fabs(determinant) / 6;
    for (int i = 0; i < 3; i++) {
        g[0][i] = 0;
        for (int a = 1; a < 4; a++) {
            g[a][i] /= determinant;
            g[0][i] -= g[a][i];
        }
    }
    for (int a = 0; a < 4; a++)
        for (int b = 0; b <= a; b++) {
            double dot = g[a][0] * g[b][0] + g[a][1] * g[b][1] + g[a][2] * g[b][2];
            double mass = a == b ? massRate * volume / 4 : 0;
            double k[9];
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++)
                    k[3 * i + j] = volume * (lambda * g[a][i] * g[b][j] + mu * g[b][i] * g[a][j]) +
                                   (i == j ? volume * mu * dot + mass : 0);
            snSparse_AddBlock(&scene->elastic, v[a], v[b], k);
            snSparse_AddScalar(&scene->scalar, v[a], v[b], volume * mu * dot + mass);
        }
}

// A block of size[0] x size[1] x size[2] vertices (at least 2 each), spacing 0.1 m, Young's modulus
// of soft flesh, every fifth tetrahedron `contrast` times as stiff, at a step of 1 / `rate` seconds.
// The lower the rate, the less mass and the worse the condition.
static inline snStatus snBlockScene_MakeHard(snBlockScene *scene, const int size[3], double rate,
                                             double contrast, snArena *arena, snError *error)
{
    int cells = (size[0] - 1) * (size[1] - 1) * (size[2] - 1), count = size[0] * size[1] * size[2];
    int *start = SN_NEW(arena, int, 6 * cells + 1), *items = SN_NEW(arena, int, 24 * cells);
    double *place = SN_NEW(arena, double, 3 * count);
    if (!start || !items || !place) return SN_ERROR_MEMORY;
    snRandom random = snMakeRandom(7);
    for (int i = 0; i < count; i++) {
        int at[3] = {i % size[0], i / size[0] % size[1], i / size[0] / size[1]};
        for (int c = 0; c < 3; c++)
            place[3 * i + c] = 0.1 * (at[c] + snRandom_Uniform(&random, -0.15, 0.15));
    }
    int tets = 0;
    for (int z = 0; z + 1 < size[2]; z++)
        for (int y = 0; y + 1 < size[1]; y++)
            for (int x = 0; x + 1 < size[0]; x++)
                for (int t = 0; t < 6; t++, tets++) {
                    start[tets + 1] = 4 * (tets + 1);
                    for (int a = 0; a < 4; a++) {
                        int c = blockSceneTets[t][a];
                        items[4 * tets + a] =
                            blockSceneVertex(size, x + (c & 1), y + (c >> 1 & 1), z + (c >> 2));
                    }
                }
    snStatus status =
        snPattern_FromGroups(&scene->pattern, count, tets, start, items, arena, error);
    if (!status) status = snSparse_Make(&scene->elastic, &scene->pattern, 3, arena, error);
    if (!status) status = snSparse_Make(&scene->scalar, &scene->pattern, 1, arena, error);
    if (status) return status;
    double young = 3e4, poisson = 0.4;
    double lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson));
    double mu = young / (2 * (1 + poisson));
    for (int t = 0; t < tets; t++) {
        double p[4][3];
        for (int a = 0; a < 4; a++)
            for (int i = 0; i < 3; i++)
                p[a][i] = place[3 * items[4 * t + a] + i];
        double stiff = t % 5 ? 1 : contrast;
        blockSceneAddTet(scene, items + 4 * t, p, stiff * lambda, stiff * mu, 1000 * rate * rate);
    }
    return SN_OK;
}

// All of one material, at a step of 1/60 s.
static inline snStatus snBlockScene_Make(snBlockScene *scene, const int size[3], snArena *arena,
                                         snError *error)
{
    return snBlockScene_MakeHard(scene, size, 60, 1, arena, error);
}

#endif
