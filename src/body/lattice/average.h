// What makes the midpoint rule keep the energy of a body that is not linear, of any stiffness and in steps of any length.
//
// In the middle of a step, F_m = (F + F') / 2 with F and F' at its begin and end, the rule takes the stress P(F_m), whose
// work P : (F' - F) is not quite the energy's change. Where a stiff body turns by more than a little in a step what is
// left over adds up, and may drive it apart. For an energy W(E) that is quadratic in Green's strain E = ½ (FᵀF - 1), with
// S = ∂W/∂E, the stress
//
//     P = F_m S(Ē),   Ē = ½ (E + E') = ½ (F_mᵀF_m - 1) + ½ D,   D = ¼ (F' - F)ᵀ(F' - F) = (F_m - F)ᵀ(F_m - F),
//
// does exactly that work: F_mᵀ(F' - F) has the symmetric part E' - E, and S(Ē) : (E' - E) = W(E') - W(E). P F_mᵀ is symmetric,
// so that angular momentum is kept as well (Simo and Tarnow, "The discrete energy-momentum method", 1992). For
// ½ λ (J - 1)², as ½ ((J' - 1)² - (J - 1)²) = (J̄ - 1)(J' - J) with J̄ = ½ (J + J'), one has P = λ (J̄ - 1) Q where Q : (F' - F) =
// J' - J. Such a Q, with Q F_mᵀ symmetric, comes from J² = det C, C = FᵀF: with C̄ = ½ (C + C') and c = C' - C
//
//     det C' - det C = (cof C̄ + cof c / 12) : c,   c = 2 sym F_mᵀ(F' - F),   so   Q = F_m (cof C̄ + cof c / 12) / J̄.
//
// It is near cof F_m; where an element is flat, J̄ near 0, Q = cof F_m + cof(F' - F) / 12 stands for it, which does the work
// but is not symmetric.
//
// With D, w = J̄ - J_m and R = (J̄ - 1)(Q - cof F_m) held, these P are gradients of energies with E + ½ D for E, and ½ λ (J + w - 1)² +
// λ R : F for the other: the search (search.c) goes on as ever, and D, w, R are found anew from where it has come to
// until nothing is left to find. They are small, of second order in the step, so a few rounds do.
#ifndef SN_BODY_LATTICE_AVERAGE_H
#define SN_BODY_LATTICE_AVERAGE_H

#include "body/lattice/step.h"

#define SN_AVERAGE_NUMBERS 19 // of an element: D and R by rows, w

// Midpoint models in double precision whose energy is quadratic in E, and (J - 1)²: SN_MATERIAL_GREEN and
// SN_MATERIAL_NONRIGID. Others take the plain rule.
bool snAverage_Has(const snLatticeModel *model);

// At the begin of a search: F from state->position; and D, w, R with F_m from state->next.
void snAverage_Begin(const snLatticeModel *model, snLatticeState *state);
void snAverage_Update(const snLatticeModel *model, snLatticeState *state);

// V' - V_n, J: what the elastic energy changes by in a step with F_m from state->next, at the stiffness of the model.
double snAverage_Change(const snLatticeModel *model, const snLatticeState *state);

#endif
