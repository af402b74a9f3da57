// Integrals over a body that are exact for polynomials: of its mass, or of its volume.
//
// A closed surface of triangles (a, b, c) encloses, counted with their signs, the tetrahedra (o, a, b, c) with any apex
// o. With X = o + s (a - o + t (b - a + r (c - b))),  s, t, r in [0, 1],
//
//     ∫ f dX = Σ 6 V ∫∫∫ f(X(s, t, r)) s² t ds dt dr,   6 V = (a - o) . ((b - o) x (c - o)),
//
// by the divergence theorem or by counting how often a point is covered. A polynomial f of degree d has degree d in
// s, t and r each, so Gauss's rule with n points, 2 n - 1 >= d + 2, is exact.
#ifndef SN_BODY_POLY_MEASURE_H
#define SN_BODY_POLY_MEASURE_H

#include "geometry/mesh.h"

// What is integrated with: a density within a surface, or masses at points.
typedef struct snPolyMeasure {
    const snMesh *surface;
    double density; // kg/m³; 1: its volume
    int pointCount; // > 0: of these alone
    const snVec3 *points;
    const double *masses; // kg
} snPolyMeasure;

// Calls with points X and weights such that Σ w f(X) is the integral for every polynomial f of a degree,
// in an order that is always the same. Degrees up to 2 SN_GAUSS_POINTS - 3.
typedef void snPolyVisit(void *user, snVec3 x, double weight);
void snPolyMeasure_Visit(const snPolyMeasure *measure, int degree, snPolyVisit *visit, void *user);

// Mass, its centre and C = ∫ (X - c)(X - c)ᵀ / mass.
typedef struct snPolyMoments {
    double mass;
    snVec3 center;
    snMat3 spread;
} snPolyMoments;
snPolyMoments snPolyMeasure_Moments(const snPolyMeasure *measure);

// Fails unless every edge of the surface, vertices in one place being one, has as many triangles on one side as on the
// other, and it encloses a volume above 0.
snStatus snPolyMeasure_CheckSurface(const snMesh *surface, const snContext *context,
                                    snError *error);

#endif
