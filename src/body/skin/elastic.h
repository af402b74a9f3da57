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

// Eight samples side by side, for the kernel; those beyond `count` are empty.
#define SN_SKIN_GROUP 8
typedef struct snSkinGroup {
    int count, c[SN_SKIN_GROUP], a[SN_SKIN_GROUP], b[SN_SKIN_GROUP];
    double b11[SN_SKIN_GROUP], b12[SN_SKIN_GROUP], b21[SN_SKIN_GROUP], b22[SN_SKIN_GROUP];
    double eta[3][SN_SKIN_GROUP], rest[3][SN_SKIN_GROUP], viscosity[3][SN_SKIN_GROUP];
} snSkinGroup;

// Where eight samples were linearised: r_,j (x, y, z) and η s of 11, 12, 22.
typedef struct snSkinLinear {
    double r1[3][SN_SKIN_GROUP], r2[3][SN_SKIN_GROUP], q[3][SN_SKIN_GROUP];
} snSkinLinear;

// elastic_kernel.c, as this processor runs it best. Points are rows of three numbers.
typedef struct snSkinKernel {
    void (*addForce)(int count, const snSkinGroup *groups, bool viscous, const double *r,
                     const double *v, double *force);
    void (*linearise)(int count, const snSkinGroup *groups, const double *r, snSkinLinear *linear);
    void (*addDerivative)(int count, const snSkinGroup *groups, const snSkinLinear *linear,
                          double a, double b, const double *x, double *force);
    void (*addDiagonal)(int count, const snSkinGroup *groups, const snSkinLinear *linear, double a,
                        double b, double *diagonal);
} snSkinKernel;

// |Σ_k w_k r_k| of a point and its ring against `rest`.
typedef struct snSkinCurve {
    int point, ringStart, ringEnd; // in the mesh's rings
    double stiffness, rest;        // times the chart's area: stiffness
} snSkinCurve;

typedef struct snSkinElastic {
    const snSkinMesh *mesh;
    int sampleCount, curveCount;
    snSkinSample *samples; // [sampleCount]
    int groupCount;        //
    snSkinGroup *groups;   // [groupCount], the same samples, snSkinElastic_Load
    snSkinLinear *linear;  // [groupCount], snSkinElastic_Linearise
    const snSkinKernel *kernel;
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
