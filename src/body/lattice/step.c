// The step. With p' and p the rig's positions at the new and the old time, y the unknown positions
// and x, v the old state, backward Euler with drag α relative to the rig, springs κ to the rig and
// strain-rate damping β is the minimum over y of
//
//     ½ m |y - (x + h v + h² g)|² + ½ hα m |y - x - (p' - p)|²
//   + ½ κ (h² |y - p'|² + hβ |y - x - (p' - p)|²) + h (h + β) Σ V ψ_C(F(y))
//
// (times 1/h²; ψ_C in cells_kernel.c). All but the last term are squares, so together they are
// ½ D |y - t|² up to a constant, with
//
//     D = m (1 + hα) + κ (h² + hβ)
//     t = [m (x + h v + h² g) + (hα m + hβ κ)(x + p' - p) + h² κ p'] / D.
//
// The objective and its gradient are exact for each other, so every iteration can be checked to go
// down, and is halved if it does not.
#include "body/lattice/step.h"

#include "body/lattice/bones.h"
#include "body/lattice/contact.h"
#include "body/lattice/ladder.h"
#include "body/lattice/linear.h"
#include "body/lattice/detail.h"
#include "body/lattice/passes.h"
#include "body/lattice/point.h"
#include "body/lattice/search.h"
#include "body/lattice/space_levels.h"
#include "core/error.h"

#include <string.h>

// ---- starting ---------------------------------------------------------------------------------

// Bytes of one number of every element of a class.
static size_t bytesOf(const snLatticeModel *model, const snLatticeState *state, int class)
{
    size_t numbers = snLatticeState_BlockCount(model, state, class) * (size_t)model->group;
    return numbers * model->realSize;
}

// The identity, w = 1, for all elements of a class.
static void resetRotations(const snLatticeModel *model, void *rotation, size_t blocks)
{
    size_t group = (size_t)model->group;
    double *doubles = rotation;
    float *floats = rotation;
    for (size_t k = 0; k < blocks * 4 * group; k++) {
        bool one = k / group % 4 == 3;
        if (model->realSize == sizeof(float))
            floats[k] = one;
        else
            doubles[k] = one;
    }
}

static void resetElements(const snLatticeModel *model, snLatticeState *state)
{
    for (int c = 0; c < model->classCount; c++) {
        size_t blocks = snLatticeState_BlockCount(model, state, c);
        snElementState *elements = &state->elements[c];
        resetRotations(model, elements->rotation, blocks);
        resetRotations(model, elements->rigRotation, blocks);
        memset(elements->strain, 0, 9 * bytesOf(model, state, c));
        memset(elements->volumeStrain, 0, bytesOf(model, state, c));
    }
}

const double *snLatticeState_Stretched(const snLatticeModel *model, snLatticeState *state)
{
    bool shaped = model->def.motion == SN_MOTION_FULL && *state->shaped;
    state->shapeNow = shaped ? state->shape : NULL;
    return shaped ? state->shape : state->rig;
}

void snLatticeState_SetShape(const snLatticeModel *model, snLatticeState *state,
                             const double *shape)
{
    size_t bytes = (size_t)model->vertexCount * (size_t)state->width * sizeof(double);
    if (model->def.motion != SN_MOTION_FULL) return;
    *state->shaped = shape != NULL;
    if (shape)
        memcpy(state->shape, shape, bytes);
    else
        for (int i = 0; i < model->vertexCount; i++)
            for (int l = 0; l < state->lanes; l++)
                snLatticeState_SetVertex(state, state->shape, i, l, model->rest[i]);
    if (shape && model->detail) snDetail_Expand(model, state, state->shape, true);
}

// Rotations and strains of the state as it stands, from rotations that are near.
static void findStrain(const snLatticeModel *model, snLatticeState *state)
{
    for (int c = 0; c < model->classCount; c++) {
        memset(state->elements[c].strain, 0, 9 * bytesOf(model, state, c));
        memset(state->elements[c].volumeStrain, 0, bytesOf(model, state, c));
    }
    const double *stretched = snLatticeState_Stretched(model, state);
    snRunPass(model, state, SN_PASS_TARGET, stretched, NULL, NULL);
    snRunPass(model, state, SN_PASS_STRAIN, state->position, NULL, NULL);
}

void snLatticeState_Start(const snLatticeModel *model, snLatticeState *state, const double *rig,
                          const double *rigVelocity)
{
    size_t bytes = (size_t)model->vertexCount * (size_t)state->width * sizeof(double);
    resetElements(model, state);
    memcpy(state->position, rig, bytes);
    memcpy(state->rig, rig, bytes);
    if (rigVelocity)
        memcpy(state->velocity, rigVelocity, bytes);
    else
        memset(state->velocity, 0, bytes);
    memcpy(state->rigVelocity, state->velocity, bytes);
    if (model->space && model->space->levels) snSpaceLevels_Reset(model, state);
    snSpace_Settle(model, state);
    if (model->detail) {
        snDetail_Reset(model, state);
        snDetail_Expand(model, state, state->position, true);
        snDetail_Expand(model, state, state->rig, true);
    }
    snLatticeState_ForgetFrames(model, state);
    // The first strain is what the body has in the rig's pose: none in secondary motion.
    const double *stretched = snLatticeState_Stretched(model, state);
    snRunPass(model, state, SN_PASS_TARGET, stretched, NULL, NULL);
    for (int c = 0; c < model->classCount; c++)
        memcpy(state->elements[c].rotation, state->elements[c].rigRotation,
               4 * bytesOf(model, state, c));
    snRunPass(model, state, SN_PASS_STRAIN, state->position, NULL, NULL);
    state->steps = state->backtracks = state->resets = 0;
}

// ---- one step ---------------------------------------------------------------------------------

// The implicit midpoint rule, x' = x + H v_m, v' = v + H a(x_m), v_m = (v + v') / 2, is a step of backward Euler of
// half the length to the middle, x_m = x + ½H v_m, v_m = v + ½H a(x_m), and as much again: x' = x_m + ½H v_m and
// v' = 2 v_m - v. It is symmetric in time and keeps what is quadratic in x and v: of a linear body the energy, of every
// body both momenta; other energies swing about what they were. Held points are in their places at the end if
// they are half-way there in the middle.
static void keepRates(const snLatticeModel *model, snLatticeState *state)
{
    size_t all = (size_t)model->vertexCount * (size_t)state->width;
    memcpy(state->target, state->velocity, all * sizeof(double));
    if (model->space)
        memcpy(state->pulled, state->coefficientVelocity,
               (size_t)model->space->functionCount * 4 * sizeof(double));
}

static void goOn(double h, size_t count, const double *rates, double *values, double *newRates)
{
    for (size_t k = 0; k < count; k++) {
        values[k] += h * newRates[k];
        newRates[k] = 2 * newRates[k] - rates[k];
    }
}

// From the middle to the end. In a space all is made anew from its coefficients, as it is in every step.
static void goOnFromMiddle(const snLatticeModel *model, snLatticeState *state)
{
    double h = model->def.step;
    if (model->space) {
        goOn(h, (size_t)model->space->functionCount * 4, state->pulled, state->coefficient,
             state->coefficientVelocity);
        snSpace_Push(model, state, state->coefficient, state->position);
        snSpace_Push(model, state, state->coefficientVelocity, state->velocity);
    } else {
        goOn(h, (size_t)model->vertexCount * (size_t)state->width, state->target, state->position,
             state->velocity);
    }
    if (model->def.stiffnessDamping > 0) findStrain(model, state);
}

static void finish(const snLatticeModel *model, snLatticeState *state, const snLatticeDrive *drive)
{
    bool midpoint = model->def.integrator == SN_INTEGRATOR_MIDPOINT;
    if (model->space && model->space->levels) snSpaceLevels_Finish(model, state, drive);
    if (midpoint) keepRates(model, state);
    model->vectors->advance(model, state, drive->rig);
    if (model->space) snSpace_Advance(model, state);
    if (midpoint) goOnFromMiddle(model, state);
    if (model->def.motion == SN_MOTION_FULL && (drive->shape || *state->shaped))
        snLatticeState_SetShape(model, state, drive->shape);
    if (model->detail) {
        snDetail_Expand(model, state, state->position, false);
        snDetail_Expand(model, state, state->rig, false);
    }
    state->steps++;
    if (drive->share) snLatticeState_Draw(model, state, drive->share);
}

static bool beginPoints(snLatticeState *state, const snLatticeDrive *drive)
{
    return !drive->points || snPointConstraints_Begin(drive->points, state, drive->rig) >= 0;
}

// Targets of the elements; the first guess with points in their places.
static void findTargets(const snLatticeModel *model, snLatticeState *state,
                        const snLatticeDrive *drive)
{
    bool shaped = model->def.motion == SN_MOTION_FULL && drive->shape;
    const double *stretched = shaped ? drive->shape : drive->rig;
    state->shapeNow = shaped ? drive->shape : NULL;
    if (drive->points && !drive->points->multipliers) {
        snPointConstraints_Correct(drive->points, snLatticeState_NextValues(model, state));
        if (model->space) snSpace_Show(model, state, state->nextCoefficient, state->next);
    }
    if (model->detail) {
        snDetail_Coast(model, state, drive);
        stretched =
            memcpy(state->detail.rig, stretched, (size_t)model->vertexCount * 4 * sizeof(double));
        snDetail_Expand(model, state, state->detail.rig, false);
    }
    snRunPass(model, state, SN_PASS_TARGET, stretched, NULL, state->still);
}

void snLattice_Flatten(const snLatticeModel *model, snLatticeState *state)
{
    const double *old = snLatticeState_Values(model, state);
    double *values = snLatticeState_NextValues(model, state);
    for (int k = 2; k < 4 * snLatticeModel_Unknowns(model); k += 4)
        values[k] = old[k];
    if (model->space) snSpace_Show(model, state, values, state->next);
}

// The end of the step, from targets and first guess.
static bool solve(const snLatticeModel *model, snLatticeState *state, const snLatticeDrive *drive)
{
    if (!beginPoints(state, drive)) return false;
    if (model->linear) {
        bool found = snLinear_Solve(model, state, drive);
        if (drive->planar) snLattice_Flatten(model, state);
        return found;
    }
    findTargets(model, state, drive);
    if (drive->contacts && drive->points && drive->contacts->colliderCount)
        snSpaceLevels_ShowAll(model, state);
    if (drive->contacts) snLatticeContacts_Begin(drive->contacts, state, drive->rig);
    snSpaceLevels_ListContacts(model, state, drive);
    return snSearch_Minimise(model, state, drive);
}

// Nothing of the step would be kept: the body goes with its rig.
static bool followsRig(const snLatticeModel *model, const snLatticeDrive *drive)
{
    bool follows = drive->share != NULL;
    for (int i = 0; i < model->freeCount && follows; i++)
        follows = drive->share[i] == 0;
    return follows;
}

static void follow(const snLatticeModel *model, snLatticeState *state, const snLatticeDrive *drive)
{
    int64_t steps = state->steps, backtracks = state->backtracks, resets = state->resets;
    size_t all = (size_t)model->vertexCount * (size_t)state->width;
    for (size_t k = 0; k < all; k++)
        state->target[k] = (drive->rig[k] - state->rig[k]) / model->def.step;
    snLatticeState_SetShape(model, state, drive->shape);
    snLatticeState_Start(model, state, drive->rig, state->target);
    state->steps = steps + 1;
    state->backtracks = backtracks;
    state->resets = resets;
}

// What the rung leaves of the step's stiffness is the state's factor. A model with another step has no part in the
// ladder. Contacts and points, if they have been on a rung, go back with the model.
const snLatticeModel *snLattice_Climb(const snLatticeModel *model, snLatticeState *state,
                                      const snLatticeDrive *drive)
{
    double factor = drive->stiffness > 0 ? drive->stiffness : 1, rest = factor;
    const snLatticeModel *rung = model;
    if (drive->ladder && drive->ladder->base == model)
        rung = snLadder_Find(drive->ladder, factor, drive->ticks, &rest);
    bool good = !drive->contacts || snLatticeContacts_Climb(drive->contacts, rung);
    if (good && drive->points && !snPointConstraints_Climb(drive->points, rung)) {
        good = false;
        if (drive->contacts) snLatticeContacts_Climb(drive->contacts, model);
        snPointConstraints_Climb(drive->points, model);
    }
    SN_ASSERT(drive->ticks <= 1 || (good && rung->def.step == model->def.step * drive->ticks));
    state->stiffness = good ? rest : factor;
    if (!good) rung = model;
    if (snLatticeModel_Fine(rung)) snActive_Suit(rung, state);
    return rung;
}

static bool isRigFinite(const snLatticeModel *model, const snLatticeState *state,
                        const snLatticeDrive *drive)
{
    size_t all = (size_t)model->vertexCount * (size_t)state->width;
    for (size_t k = 0; k < all; k++)
        if (!isfinite(drive->rig[k])) return false;
    return true;
}

static void bounce(const snLatticeModel *model, snLatticeState *state, const snLatticeDrive *drive)
{
    snSearchBody body = {.model = model,
                         .state = state,
                         .drive = drive,
                         .contacts = drive->contacts,
                         .unknowns = snLatticeModel_Unknowns(model)};
    if (drive->contacts->recordCount > 0) snSearch_Bounce(1, &body, drive->contacts->dual);
}

bool snLattice_Step(const snLatticeModel *model, snLatticeState *state, const snLatticeDrive *drive)
{
    model = snLattice_Climb(model, state, drive);
    if (followsRig(model, drive) && isRigFinite(model, state, drive)) {
        follow(model, state, drive);
        return true;
    }
    model->vectors->predict(model, state, drive);
    if (model->space) snSpace_Predict(model, state);
    bool found = solve(model, state, drive);
    snLattice_FinishStep(model, state, drive, found);
    if (found && drive->contacts && drive->contacts->dual) bounce(model, state, drive);
    return found;
}

bool snLattice_PrepareStep(const snLatticeModel *model, snLatticeState *state,
                           const snLatticeDrive *drive)
{
    model->vectors->predict(model, state, drive);
    if (model->space) snSpace_Predict(model, state);
    if (!beginPoints(state, drive)) return false;
    findTargets(model, state, drive);
    return true;
}

void snLattice_FinishStep(const snLatticeModel *model, snLatticeState *state,
                          const snLatticeDrive *drive, bool found)
{
    if (found) {
        if (drive->bones) snBones_Finish(drive->bones);
        if (drive->contacts) snLatticeContacts_End(drive->contacts, state);
        finish(model, state, drive);
        return;
    }
    if (drive->contacts) snLatticeContacts_Reset(drive->contacts);
    int64_t steps = state->steps, backtracks = state->backtracks, resets = state->resets;
    snLatticeState_SetShape(model, state, drive->shape);
    snLatticeState_Start(model, state, drive->rig, NULL);
    state->steps = steps + 1;
    state->backtracks = backtracks;
    state->resets = resets + 1;
}

// ---- drawing to the rig -------------------------------------------------------------------------

// A detail has the share of a cell that it acts on.
static double slotShare(const snLatticeModel *model, const snLatticeState *state, int slot,
                        const double *share)
{
    const snDetail *detail = model->detail;
    int d = state->active.functionOf[slot];
    if (d < 0 || detail->fine.supportStart[d] == detail->fine.supportStart[d + 1]) return 1;
    int cell = detail->fine.support[detail->fine.supportStart[d]];
    const int *corners = snLattice_Corners(&model->lattice, cell);
    double least = 1;
    for (int k = 0; k < (int)snLattice_Kind(&model->lattice, cell); k++)
        least = fmin(least, share[model->indexOf[corners[k]]]);
    return least;
}

void snLatticeState_Draw(const snLatticeModel *model, snLatticeState *state, const double *share)
{
    for (int i = 0; i < model->unknownCount; i++) { // known ones are there already
        bool slot = i >= model->freeCount;
        double s = slot ? slotShare(model, state, i - model->freeCount, share) : share[i];
        for (int k = i * state->width; k < (i + 1) * state->width && s != 1; k++) {
            double rig = slot ? 0 : state->rig[k], pace = slot ? 0 : state->rigVelocity[k];
            state->position[k] = rig + s * (state->position[k] - rig);
            state->velocity[k] = pace + s * (state->velocity[k] - pace);
        }
    }
    snSpace_Settle(model, state);
    if (model->detail) snDetail_Expand(model, state, state->position, false);
    if (!model->linear) findStrain(model, state);
}

// ---- energies ---------------------------------------------------------------------------------

double snLatticeState_ElasticEnergy(const snLatticeModel *model, snLatticeState *state, int lane)
{
    double energy[SN_MAX_LANES];
    for (int c = 0; c < model->classCount; c++) { // queries leave the state's own rotations alone
        size_t bytes = 4 * bytesOf(model, state, c);
        snElementState *elements = &state->elements[c];
        memcpy(elements->probeRotation, elements->rotation, bytes);
        memcpy(elements->probeRigRotation, elements->rigRotation, bytes);
    }
    const double *stretched = snLatticeState_Stretched(model, state);
    snRunPass(model, state, SN_PASS_PROBE_TARGET, stretched, NULL, NULL);
    snRunPass(model, state, SN_PASS_PROBE, state->position, NULL, energy);
    energy[lane] *= state->stiffness;
    for (int i = 0; i < model->freeCount; i++)
        for (int c = 0; c < 3; c++) {
            size_t k = snLatticeState_At(state, i, c, lane);
            double miss = state->position[k] - state->rig[k];
            energy[lane] += 0.5 * model->hold[i] * miss * miss;
        }
    return energy[lane];
}

double snLatticeState_KineticEnergy(const snLatticeModel *model, const snLatticeState *state,
                                    int lane)
{
    double energy = 0;
    if (model->detail) return snDetail_KineticEnergy(model, state);
    for (int i = 0; i < model->vertexCount; i++)
        for (int c = 0; c < 3; c++) {
            double v = state->velocity[snLatticeState_At(state, i, c, lane)];
            energy += 0.5 * model->mass[i] * v * v;
        }
    return energy;
}
