// What a point of a skin is like: plain numbers, all of them densities in the chart of its mesh (mesh.h), so that they
// mean the same at any resolution.
#ifndef SN_BODY_SKIN_POINT_H
#define SN_BODY_SKIN_POINT_H

#include "body/skin/mesh.h"
#include "core/vec.h"

typedef struct snSkinPoint {
    double mass;          // kg per chart area
    double elasticity[3]; // η of 11, 12, 22: energy ¼ Σ η_ij (G_ij - G⁰_ij)² per chart area
    double metric[3];     // G⁰ of 11, 12, 22
    double damping;       // N s/m per chart area, of all motion against what it is tied to
    double viscosity[3];  // of the metric's rate, like elasticity: ¼ Σ ν_ij Ġ_ij² of power
    double bending;       // N m², energy ½ b (|Δr| - c)² per chart area; 0: none
    double curvature;     // c, of Δ = ∂²/∂u1² + ∂²/∂u2²
    double fat;           // m, between skin and muscle, along the normal
    double bandStiffness; // N/m per chart area
    double bandDamping;   // N s/m per chart area
    double bandLength;    // m; shorter bands do not pull
    int muscle; // where the band ends; -1: there is none; SN_SKIN_SURFACE (under.h): on a surface
    int face;   // of it: the triangle, with `attach` as shares of its corners
    snVec3 attach; // ... in that muscle's own frame, undeformed (snMuscle_Place)
    int frame;     // -1, or the frame that the point is fixed to ...
    snVec3 pin;    // ... there
} snSkinPoint;
snSkinPoint snDefaultSkinPoint(void); // nothing but -1 where there is nothing

// Skin in numbers that mean the same on any chart.
typedef struct snSkinTissue {
    double mass; // kg/m²; 2 is skin with what hangs on it
    double
        elasticity; // N/m; stretching by a share e takes about 2 e of this per metre of width. 50 is loose
                    // skin, 500 firm
    double shear;         // of that, what a change of angles takes; 1: the same in all directions
    double tightness;     // how much smaller it is at rest than it was made, 0.1: by a tenth
    double damping;       // N s/m³, of all motion against what it is tied to
    double viscosity;     // s: how long its stretching lags
    double bending;       // N m; 1e-3 is limp
    double fat;           // m
    double bandStiffness; // N/m³; 1e4 is loose, 1e5 firm
    double bandDamping;   // N s/m³
} snSkinTissue;
snSkinTissue snDefaultSkinTissue(void);

// Sets all that tissue says, with the metric that the places have, times (1 - tightness)², as that at rest. Where bands end, their length,
// and pins are left as they are.
void snSkinTissue_Fill(const snSkinTissue *tissue, const snSkinMesh *mesh, const snVec3 *places,
                       snSkinPoint *points);

// Values at another resolution. A band goes to the muscle of the point with the largest weight; what lies between points
// that are fixed to one frame is fixed too, and nothing else.
void snSkinPoint_Blend(const snSkinBlend *blend, int count, const snSkinPoint *from,
                       snSkinPoint *to);
void snSkinPlaces_Blend(const snSkinBlend *blend, int count, const snVec3 *from, snVec3 *to);

#endif
