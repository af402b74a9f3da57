// Surfaces that the tests of this room share, made in an arena.
#ifndef SN_TESTS_GEOMETRY_SHAPES_H
#define SN_TESTS_GEOMETRY_SHAPES_H

#include "core/elementary.h"
#include "core/random.h"
#include "geometry/mesh.h"
#include "geometry/primitive.h"
#include "tests/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static inline double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static inline snTriangle triangleOf(const snMesh *mesh, int t)
{
    const int *c = mesh->triangles + 3 * t;
    return (snTriangle){mesh->positions[c[0]], mesh->positions[c[1]], mesh->positions[c[2]]};
}

static inline snVec3 randomIn(snRandom *random, snBox box)
{
    double x = snRandom_Uniform(random, box.lower.x, box.upper.x);
    double y = snRandom_Uniform(random, box.lower.y, box.upper.y);
    double z = snRandom_Uniform(random, box.lower.z, box.upper.z);
    return snVec(x, y, z);
}

// A grid of columns x rows quads on parameters (u, v) in [0, 1]²; closed in u when wrapped.
typedef snVec3 Surface(double u, double v, const void *user);

static inline snMesh makeSheet(snArena *arena, int columns, int rows, bool wrapU, bool wrapV,
                               Surface *surface, const void *user)
{
    int across = wrapU ? columns : columns + 1, up = wrapV ? rows : rows + 1;
    snVec3 *p = SN_NEW(arena, snVec3, across * up);
    int *t = SN_NEW(arena, int, columns *rows * 6), n = 0;
    for (int j = 0; j < up; j++)
        for (int i = 0; i < across; i++)
            p[j * across + i] = surface((double)i / columns, (double)j / rows, user);
    for (int j = 0; j < rows; j++)
        for (int i = 0; i < columns; i++) {
            int a = j * across + i, b = j * across + (i + 1) % across;
            int c = (j + 1) % up * across + i, d = (j + 1) % up * across + (i + 1) % across;
            int quad[6] = {a, b, d, a, d, c};
            memcpy(t + 6 * n++, quad, sizeof quad);
        }
    return (snMesh){across * up, 2 * n, p, t};
}

static inline snVec3 spherePoint(double u, double v, const void *user)
{
    const double *s = user; // centre, radius
    double a = 2.0 * SN_PI * u, b = SN_PI * v;
    double sine = v == 0.0 || v == 1.0 ? 0.0 : snSin(b);
    return snVec(s[0] + s[3] * sine * snCos(a), s[1] + s[3] * sine * snSin(a),
                 s[2] - s[3] * snCos(b));
}

// Closed and outward after welding (the poles are many vertices at one place).
static inline snMesh makeSphere(snArena *arena, int rows, snVec3 centre, double radius)
{
    double s[4] = {centre.x, centre.y, centre.z, radius};
    return makeSheet(arena, 2 * rows, rows, true, false, spherePoint, s);
}

static inline snVec3 torusPoint(double u, double v, const void *user)
{
    const double *r = user; // large and small radius
    double a = 2.0 * SN_PI * u, b = 2.0 * SN_PI * v, x = r[0] + r[1] * snCos(b);
    return snVec(x * snCos(a), x * snSin(a), r[1] * snSin(b));
}

static inline snMesh makeTorus(snArena *arena, int columns, double large, double small)
{
    double r[2] = {large, small};
    return makeSheet(arena, columns, columns / 2, true, true, torusPoint, r);
}

static inline snMesh makeBox(snArena *arena, snBox box)
{
    static const int corners[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                    2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};
    snVec3 *p = SN_NEW(arena, snVec3, 8);
    for (int i = 0; i < 8; i++)
        p[i] = snVec(i & 1 ? box.upper.x : box.lower.x, i & 2 ? box.upper.y : box.lower.y,
                     i & 4 ? box.upper.z : box.lower.z);
    return (snMesh){8, 12, p, SN_COPY(arena, int, corners, 36)};
}

static inline snMesh joinMeshes(snArena *arena, const snMesh *a, const snMesh *b)
{
    snVec3 *p = SN_NEW(arena, snVec3, a->vertexCount + b->vertexCount);
    int *t = SN_NEW(arena, int, 3 * (a->triangleCount + b->triangleCount));
    for (int i = 0; i < a->vertexCount + b->vertexCount; i++)
        p[i] = i < a->vertexCount ? a->positions[i] : b->positions[i - a->vertexCount];
    for (int i = 0; i < 3 * a->triangleCount; i++)
        t[i] = a->triangles[i];
    for (int i = 0; i < 3 * b->triangleCount; i++)
        t[3 * a->triangleCount + i] = b->triangles[i] + a->vertexCount;
    return (snMesh){a->vertexCount + b->vertexCount, a->triangleCount + b->triangleCount, p, t};
}

static inline snMesh flipMesh(snArena *arena, const snMesh *mesh)
{
    int *t = SN_COPY(arena, int, mesh->triangles, 3 * mesh->triangleCount);
    for (int i = 0; i < mesh->triangleCount; i++) {
        int swap = t[3 * i];
        t[3 * i] = t[3 * i + 1];
        t[3 * i + 1] = swap;
    }
    return (snMesh){mesh->vertexCount, mesh->triangleCount, mesh->positions, t};
}

// Vertices and faces of a small OBJ file among the assets; an empty mesh when it is absent.
static inline snMesh readObj(snArena *arena, const char *name)
{
    size_t size;
    char *text = (char *)snTest_Asset(name, &size);
    if (!text) return (snMesh){0};
    text[size] = 0;
    int vertices = 0, corners = 0;
    snVec3 *p = SN_NEW(arena, snVec3, size / 8);
    int *t = SN_NEW(arena, int, size);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        char *rest = line + 2;
        if (line[0] == 'v' && line[1] == ' ') {
            double x = strtod(rest, &rest), y = strtod(rest, &rest), z = strtod(rest, &rest);
            p[vertices++] = snVec(x, y, z);
        } else if (line[0] == 'f' && line[1] == ' ') {
            int face[64], n = 0;
            for (char *end; n < 64; n++) {
                face[n] = (int)strtol(rest, &end, 10) - 1;
                if (end == rest) break;
                rest = end + strcspn(end, " ");
            }
            for (int i = 2; i < n; i++, corners += 3)
                memcpy(t + corners, (int[]){face[0], face[i - 1], face[i]}, 3 * sizeof(int));
        }
    }
    free(text);
    return (snMesh){vertices, corners / 3, p, t};
}

#endif
