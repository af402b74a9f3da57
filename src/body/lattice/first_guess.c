// Backward Euler ends a step where its objective (step.c)
//
//     E(y) = ½ Σ m |y - (x + h v)|² + h² Ψ(y)
//
// is least. A search ends no higher than it began, wherever it stops. Begun where the body stands still, at x, it ends with
//
//     Ψ(y) + ½ Σ m |y - (x + h v)|² / h²  ≤  Ψ(x) + ½ Σ m v²:
//
// flesh holds no more than it held and moved with, of however few iterations the search is. Begun where it goes on, at x + h v, there is no such
// bound: Ψ there is that of flesh that moved for a whole step without resisting. What resists being sheared undoes that in an iteration or two. What cannot
// be pressed, λ = 2ν G / (1 - 2ν) far above G, does not, for the search's matrix knows G alone, and flesh is left with more in every step: a character of
// 100 MPa with ν = 0.499 in steps of 1/10 s that was thrown about and then held still went up and down between 1.9 and 7.6 MJ. So what
// is nearly incompressible begins at the lower of the two, flesh on bones at least, led or limp. Free bodies fly and spin, where standing still would be a bad
// beginning.
#include "body/lattice/first_guess.h"

#include "body/lattice/bones.h"
#include "body/lattice/passes.h"

#include <string.h>

#define MOST_POISSON 0.49 // up to it going on was never seen to be a bad guess

static bool isPressed(const snLatticeModel *model, const snLatticeState *state,
                      const snLatticeDrive *drive)
{
    bool hangs = drive->bones || model->freeCount < model->vertexCount;
    bool plain = state->lanes == 1 && !model->space && !model->detail && !model->linear;
    return hangs && plain && model->mostPoisson > MOST_POISSON;
}

static double objective(const snLatticeModel *model, snLatticeState *state, snBones *bones)
{
    double h = model->def.step, flesh, squares;
    size_t bytes = (size_t)model->unknownCount * 4 * sizeof(double);
    if (model->def.precision == SN_PRECISION_SINGLE) memcpy(state->guess, state->next, bytes);
    snRunPass(model, state, SN_PASS_GUESS, state->next, NULL, &flesh);
    model->vectors->inertia(model, state, &squares);
    if (bones) squares += snBones_AddTerms(bones, state, false);
    return h * (h + model->def.stiffnessDamping) * state->stiffness * flesh + squares;
}

static void standStill(const snLatticeModel *model, snLatticeState *state,
                       const snLatticeDrive *drive)
{
    for (int k = 0; k < 4 * model->freeCount; k++)
        state->next[k] = state->position[k] + drive->rig[k] - state->rig[k];
}

void snLattice_ChooseGuess(const snLatticeModel *model, snLatticeState *state,
                           const snLatticeDrive *drive)
{
    if (!isPressed(model, state, drive)) return;
    size_t bytes = (size_t)model->freeCount * 4 * sizeof(double);
    if (drive->bones) snBones_Place(drive->bones, state, drive);
    double going = objective(model, state, drive->bones);
    memcpy(state->previous, state->next, bytes);
    if (drive->bones) snBones_GuessAgain(drive->bones, state, true);
    standStill(model, state, drive);
    if (objective(model, state, drive->bones) < going) return;
    memcpy(state->next, state->previous, bytes);
    if (drive->bones) snBones_GuessAgain(drive->bones, state, false);
}
