// Surfaces and bodies that the tests of bodies with linear deformations share.
#ifndef SN_TESTS_BODY_POLY_POLYS_H
#define SN_TESTS_BODY_POLY_POLYS_H

#include "body/lattice/solid_body.h"
#include "body/poly/poly.h"
#include "core/core.h"
#include "tests/test.h"

#include <math.h>
#include <stdio.h>

typedef struct Surface {
    snVec3 points[2000];
    int triangles[12000];
    snMesh mesh;
} Surface;

static inline const snMesh *finish(Surface *s, int points, int triangles)
{
    s->mesh = (snMesh){points, triangles, s->points, s->triangles};
    return &s->mesh;
}

// A box around the origin: half the lengths of its edges.
static inline const snMesh *boxSurface(Surface *s, snVec3 half)
{
    static const int faces[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                    {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    for (int v = 0; v < 8; v++)
        s->points[v] =
            snVec(v & 1 ? half.x : -half.x, v & 2 ? half.y : -half.y, v & 4 ? half.z : -half.z);
    for (int f = 0; f < 6; f++)
        for (int k = 0; k < 2; k++) {
            int *t = s->triangles + 6 * f + 3 * k;
            t[0] = faces[f][0], t[1] = faces[f][1 + k], t[2] = faces[f][2 + k];
        }
    return finish(s, 8, 12);
}

// x, y, z >= 0 and x/a + y/b + z/c <= 1.
static inline const snMesh *tetSurface(Surface *s, snVec3 size)
{
    static const int triangles[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    s->points[0] = snVec(0, 0, 0);
    s->points[1] = snVec(size.x, 0, 0);
    s->points[2] = snVec(0, size.y, 0);
    s->points[3] = snVec(0, 0, size.z);
    for (int k = 0; k < 12; k++)
        s->triangles[k] = triangles[k];
    return finish(s, 4, 4);
}

// A ball of n rings.
static inline const snMesh *ballSurface(Surface *s, double radius, int n)
{
    int m = 2 * n, points = 0, count = 0;
    for (int i = 0; i <= n; i++)
        for (int j = 0; j < (i == 0 || i == n ? 1 : m); j++) {
            double a = SN_PI * i / n, b = 2 * SN_PI * j / m;
            s->points[points++] =
                snScale(radius, snVec(snSin(a) * snCos(b), snSin(a) * snSin(b), snCos(a)));
        }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            int up = i == 0 ? 0 : 1 + (i - 1) * m + j,
                upNext = i == 0 ? 0 : 1 + (i - 1) * m + (j + 1) % m;
            int low = i == n - 1 ? points - 1 : 1 + i * m + j;
            int lowNext = i == n - 1 ? points - 1 : 1 + i * m + (j + 1) % m;
            if (i > 0) {
                int *t = s->triangles + 3 * count++;
                t[0] = up, t[1] = low, t[2] = upNext;
            }
            if (i < n - 1) {
                int *t = s->triangles + 3 * count++;
                t[0] = i > 0 ? upNext : up, t[1] = low, t[2] = lowNext;
            }
        }
    return finish(s, points, count);
}

// A body of a definition and a surface; NULL with the error where it cannot be made.
static inline snBody *newPoly(const snPolyDef *poly, snSolidBodyDef def, const snContext *context,
                              snError *error)
{
    snBody *body = NULL;
    if (snPoly_Build(&def.solid, poly, context, error)) return NULL;
    snSolidMesh surface = {.mesh = *poly->surface, .embedding = &def.solid->embedding};
    def.surface = &surface;
    snSolidBody_Make(&body, &def, context, error);
    return body;
}

#endif
