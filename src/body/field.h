// Fields (sinew/field.h) as bodies meet them.
//
// Air. A triangle of area A with normal n that moves with velocity v through air of velocity w and density ρ is pressed by
//     f = ½ ρ c A |uₙ| uₙ n,   uₙ = (w - v)·n,
// on both its sides alike: pressure in front, suction behind. Over a closed body that gives a ball the drag c π r² ½ ρ u² (over each half
// ∫ cos³θ dA = π r² / 2), and a cube that faces it 2 c: with c = ½ these are 0.5 and 1, measured are 0.47 and 1.05.
//     ∂f/∂v = -ρ c A |uₙ| n nᵀ can be stiff for what is light: with D the sum of ρ c A |uₙ| at a mass m, its acceleration is taken as f / max(m, h D). As
// f = ½ D u, that changes its speed by no more than half of what is between it and the air in a step, and is f/m wherever that is less.
#ifndef SN_BODY_FIELD_H
#define SN_BODY_FIELD_H

#include "core/memory.h"
#include "core/vec.h"
#include "sinew/field.h"

typedef struct snFields {
    int count;
    const snFieldDef *list; // [count]
    double density;         // kg/m³, of air
    double drag;            // c
    double time;            // s
} snFields;

snStatus snFieldDef_Check(const snFieldDef *def, snError *error);
bool snFields_HaveAir(const snFields *fields);  // some field of air acts
bool snFields_HaveMass(const snFields *fields); // some acceleration does
snVec3 snFields_Air(const snFields *fields, snVec3 place);
snVec3 snFields_Acceleration(const snFields *fields, snVec3 place);

// A surface in the air: what is known of it, and what it gets.
typedef struct snAirSurface {
    int vertexCount, triangleCount;
    const int *triangles;
    snVec3 *places, *velocities; // [vertexCount]
    snVec3 *forces;              // [vertexCount], N
    double *damping;             // [vertexCount], D, kg/s
} snAirSurface;
snStatus snAirSurface_Make(snAirSurface *surface, int vertexCount, int triangleCount,
                           const int *triangles, snArena *arena, snError *error);
void snAirSurface_Blow(snAirSurface *surface, const snFields *fields);

#endif
