// Forces within a skin: its metric against that at rest, the rate of it, bending, and the volume within. All are exact
// negative gradients (or of the power, for rates) of what is written above elastic.c and sum to nothing.
#ifndef SN_BODY_SKIN_ELASTIC_H
#define SN_BODY_SKIN_ELASTIC_H

#include "body/skin/point.h"

// A corner of a face: r_,j = Σ_k e_k b_kj with its edges e_1 = a - c, e_2 = b - c.
typedef struct snSkinSample {
    int c, a, b;
    double b11, b12, b21, b22;
    double eta[3], rest[3], viscosity[3]; // times the chart's area: eta, viscosity
} snSkinSample;

// Where a sample was linearised: r_,j and η s.
typedef struct snSkinLinear {
    snVec3 r1, r2;
    double q11, q12, q22;
} snSkinLinear;

// |Σ_k w_k r_k| of a point and its ring against `rest`.
typedef struct snSkinCurve {
    int point, ringStart, ringEnd; // in the mesh's rings
    double stiffness, rest;        // times the chart's area: stiffness
} snSkinCurve;

typedef struct snSkinElastic {
    const snSkinMesh *mesh;
    int sampleCount, curveCount;
    snSkinSample *samples; // [sampleCount]
    snSkinLinear *linear;  // [sampleCount], snSkinElastic_Linearise
    snSkinCurve *curves;
    bool viscous;
    // Volume: the surface's triangles and those that close its rims.
    int capCount, *caps; // [capCount * 3]
    double pressure,
        volume; // Pa for a volume that is wrong by all of it: energy ½ p (V - V⁰)²/V⁰; 0: none
    snVec3 *slope; // [pointCount], ∂V/∂r where it was linearised
    double linearVolume;
} snSkinElastic;

snStatus snSkinElastic_Make(snSkinElastic *elastic, const snSkinMesh *mesh, snArena *arena,
                            snError *error);
void snSkinElastic_Load(snSkinElastic *elastic, const snSkinPoint *points); // values of points

double snSkinElastic_Energy(const snSkinElastic *elastic, const snVec3 *r);
void snSkinElastic_AddForce(const snSkinElastic *elastic, const snVec3 *r, const snVec3 *v,
                            snVec3 *force);
// The change of forces (a ∂f/∂r + b ∂f/∂v) x where it was linearised. (Of the viscous force the part that comes from
// places moving while there are rates is left out: it is not symmetric.)
void snSkinElastic_Linearise(snSkinElastic *elastic, const snVec3 *r);
void snSkinElastic_AddDerivative(const snSkinElastic *elastic, const snVec3 *r, double a, double b,
                                 const snVec3 *x, snVec3 *force);
// About the diagonal of -a ∂f/∂r - b ∂f/∂v there: no less than its parts that are positive.
void snSkinElastic_AddDiagonal(const snSkinElastic *elastic, double a, double b, snVec3 *diagonal);

double snSkinElastic_Volume(const snSkinElastic *elastic, const snVec3 *r);

#endif
