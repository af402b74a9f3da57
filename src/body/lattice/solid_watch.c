// What steps with contacts must not gain. What touches is looked for once or a few times in a step, so that in a long one samples may end deep in
// a collider that nobody saw, and contacts that give way (contact.c), those of Newton's method, would throw them out with an energy that nobody
// paid; exact ones move bodies in their way by more than eight iterations can follow, where flesh is soft and steps are long. With
//
//     E = ½ Σ m v² + V(y) - M g . c          motion, flesh, and gravity with c the centre of mass
//     C = Σ ½ f² / k                         what contacts that give way have stored: f their forces at the end of a step
//
// a step that nothing drives must not end with more than it began with: E' + C' ≤ E + C. Backward Euler, solved out, loses some of it:
// with y the end, x the begin and W = V + C - M g . c, which is nearly convex,
//
//     E' + C' - E - C  =  ½ Σ m (v'² - v²) + W(y) - W(x)  ≤  Σ m (v' - v) . v' + ∇W(y) . (y - x) - ½ Σ m |v' - v|²  =  - ½ Σ m |v' - v|².
//
// So such steps have more iterations, which end when nothing is left to find. What there is too much after all came from contacts that
// were found late. It is taken from the motion, as if they had been met without bouncing; then from what they are believed to have
// stored, so that they do not give it back later. Flesh that is strained by more than all there was has no such way out: that
// step was not computed.
//
// Bodies that hang by points which stand still are counted likewise, with or without contacts: what holds them does no work.
//
// Bodies of a group bump into each other, so that what one gains another may have lost: they pay together, those that gained their share.
#include "body/lattice/bones.h"
#include "body/lattice/contact_parts.h"
#include "body/lattice/solid_parts.h"

#include <string.h>

#define STRAINED 2       // times all the energy there was: more than flesh may hold
#define MORE 5           // times as many iterations, if there is as much to find
#define LEAST_STRAIN 0.5 // J/kg: and more than would throw it at a metre per second
#define FAST 0.2         // of its size in a step: below, exact contacts gain nothing
#define PRESSED                                                                                    \
    0.05 // if it touched something before, or is held: flesh that is pressed follows only so far in few iterations
#define THERE                                                                                      \
    1e-6 // of its size: held points that are no farther from where they have to be stand still
#define GAIN 0.05       // of the energy of motion: contacts are exact to a tolerance
#define LEAST_GAIN 4e-4 // J/kg: what moves by three centimetres per second does not matter

static bool isMoving(const snBodyStep *step)
{
    bool any = false;
    for (int k = 0; k < step->colliderCount && !any; k++) {
        const snCollider *c = &step->colliders[k];
        any = memcmp(&c->begin, &c->end, sizeof c->begin) != 0;
    }
    return any;
}

static bool isHeld(const snSolidBody *solid)
{
    return solid->constraints && *solid->constraints->set->count > 0;
}

// Points are held elsewhere than where they are: of those that count, which is found out anew in a world that was restored.
static bool isLed(const snSolidBody *solid)
{
    const snPointConstraints *points = solid->constraints;
    if (!points) return false;
    snConstraintSet_Prepare(points->set);
    const double *values = snLatticeState_Values(solid->model, solid->state);
    double farthest = THERE * solid->surface.size;
    return snPointConstraints_Farthest(points, values) > farthest;
}

// Something else than contacts with what stands still may bring energy. The midpoint rule's swings about what it was, and would be worn down to
// the lowest of its swings if each rise were paid for.
static bool isDriven(const snSolidBody *solid)
{
    if (solid->def.integrator == SN_INTEGRATOR_MIDPOINT && isHeld(solid)) return true;
    bool flies = !solid->lead && !solid->acts && !solid->anchored;
    return !flies || isLed(solid) || solid->isTied || solid->pullCount > 0 ||
           isMoving(&solid->step);
}

static bool hasTouched(const snLatticeContacts *c)
{
    for (int s = 0; c && s < c->sampleCount * c->memories; s++)
        if (c->memory[s].touching) return true;
    return false;
}

// What presses flesh without shearing it meets λ ~ 1 / (1 - 2ν), which iterations follow the slower the larger it is: so much shorter are steps in
// which it is not counted. Up to ν = 0.49 they are as long as ever.
static double shareOfPressed(const snSolidBody *solid)
{
    return fmin(1, (1 - 2 * solid->model->mostPoisson) / 0.02);
}

// How far it goes in the step, or would fall from rest.
static bool isFast(const snSolidBody *solid)
{
    double kinetic = snLatticeState_KineticEnergy(solid->model, solid->state, 0);
    double h = solid->step.length, speed = sqrt(2 * kinetic / solid->model->totalMass);
    double way = h * (speed + h * snLength(solid->step.gravity)), size = solid->surface.size;
    if (way > FAST * size) return true;
    return way > shareOfPressed(solid) * PRESSED * size &&
           (isHeld(solid) || hasTouched(solid->contacts));
}

// Of one sample, J. Forces are remembered in the units of the base's step.
static double storedBy(const snLatticeContacts *c, int sample, const snSampleMemory *memory)
{
    double h = c->model->def.step, force = memory->force * c->rung->squared;
    return memory->touching ? 0.5 * force * force / (c->stiffness[sample] * h * h) : 0;
}

static double storedIn(const snLatticeContacts *c)
{
    double sum = 0;
    for (int s = 0; c && s < c->sampleCount && !c->dual; s++)
        for (int k = 0; k < c->memories; k++)
            sum += storedBy(c, s, &c->memory[s * c->memories + k]);
    return sum;
}

static snSolidEnergy energyOf(snSolidBody *solid)
{
    const snLatticeModel *model = solid->model;
    snSolidEnergy energy = {.kinetic = snLatticeState_KineticEnergy(model, solid->state, 0),
                            .stored = storedIn(solid->contacts)};
    energy.elastic = snBody_Elastic(&solid->body);
    for (int i = 0; i < model->vertexCount; i++)
        energy.height -=
            model->mass[i] * snDot(solid->step.gravity, snRow(solid->state->position, i));
    return energy;
}

// Newton's method ends when nothing is left to find; with one matrix more iterations are for fast steps.
bool snSolidBody_Watch(int count, snSolidBody *const *bodies)
{
    bool gives = false, fast = false, driven = false;
    for (int i = 0; i < count; i++)
        driven |= isDriven(bodies[i]);
    for (int i = 0; i < count && !driven; i++) {
        gives |= bodies[i]->contacts && !bodies[i]->contacts->dual;
        fast |= isFast(bodies[i]);
    }
    for (int i = 0; i < count; i++) {
        snSolidBody *solid = bodies[i];
        if (gives || fast) solid->energy[0] = energyOf(solid);
        if (!solid->contacts || solid->lead) continue;
        bool more = fast || (gives && solid->state->newton);
        solid->contacts->iterations = (more ? MORE : 1) * solid->def.contactIterations;
    }
    return gives || fast;
}

// All that the body could have moved and strained itself with, after so much of it was lost in height.
static double hadOf(const snSolidBody *solid)
{
    const snSolidEnergy *had = &solid->energy[0];
    return had->kinetic + had->elastic + had->stored + had->height - solid->energy[1].height;
}

static double gainOf(const snSolidBody *solid)
{
    const snSolidEnergy *has = &solid->energy[1];
    return has->kinetic + has->elastic + has->stored - hadOf(solid);
}

static void slowDown(snSolidBody *solid, double share)
{
    const snLatticeModel *model = solid->model;
    snLatticeState *state = solid->state;
    for (int k = 0; k < 4 * model->vertexCount; k++)
        state->velocity[k] *= share;
    for (int k = 0; model->space && k < 4 * model->space->functionCount; k++)
        state->coefficientVelocity[k] *= share;
}

static void weaken(snLatticeContacts *c, double share)
{
    for (int s = 0; c && s < c->sampleCount * c->memories; s++)
        c->memory[s].force *= share;
}

static void pay(snSolidBody *solid, double excess)
{
    const snSolidEnergy *has = &solid->energy[1];
    double taken = fmin(excess, has->kinetic);
    if (taken > 0) slowDown(solid, sqrt(1 - taken / has->kinetic));
    excess = fmin(excess - taken, has->stored);
    if (excess > 0) weaken(solid->contacts, sqrt(1 - excess / has->stored));
}

void snSolidBody_Pay(int count, snSolidBody *const *bodies)
{
    double excess = 0, gained = 0, had = 0, allowed = 0, mass = 0;
    for (int i = 0; i < count; i++) {
        snSolidBody *solid = bodies[i];
        solid->energy[1] = energyOf(solid);
        double gain = gainOf(solid);
        had += fmax(0, hadOf(solid));
        mass += solid->model->totalMass;
        excess += gain;
        gained += fmax(0, gain);
        if (solid->contacts && !solid->contacts->dual) continue;
        allowed += GAIN * solid->energy[0].kinetic + LEAST_GAIN * solid->model->totalMass;
    }
    for (int i = 0; i < count; i++)
        if (bodies[i]->energy[1].elastic > STRAINED * had + LEAST_STRAIN * mass)
            snSolidBody_PutBack(bodies[i]);
    for (int i = 0; i < count && excess > allowed; i++) {
        double gain = gainOf(bodies[i]);
        if (gain > 0 && !bodies[i]->failed) pay(bodies[i], excess * gain / gained);
    }
}

// ---- limp bones -------------------------------------------------------------------------------------

// Flesh that is as stiff as horn, or steps that are very long, on bones that nothing draws or holds: a search of few iterations leaves it strained
// by far more than there was to strain it with, and it would throw the bones about. To E come the energies of joints that are beyond
// the ends of their ranges; bodies that touch it bring what they lose, and then nothing is counted. Nor is it where waves go no more than some
// edges in a step, and steps are short: what is put into a floor comes out of it. Nearly incompressible
// flesh has more iterations where it touches something, for the search follows its pressure slowly. Gains that are a good part of the motion are
// taken out of it. Where flesh holds more than there was, the step was not computed: all is put back to where it began, still. There flesh has the strain
// that it had; put where the links have it, as skinning has it, stiff flesh would hold far more.
#define TAUT 20        // edges that waves go in a step, squared; flesh was seen to blow up at 30
#define MUCH 0.25      // of the energy of motion
#define LEAST_MUCH 0.1 // J/kg

static bool isTaut(const snSolidBody *solid)
{
    double times = solid->step.length / solid->model->def.step;
    return solid->model->tautness * times * times > TAUT;
}

static bool isLimp(const snSolidBody *solid)
{
    if (!solid->bones || !snBones_IsFree(solid->bones) || solid->acts || solid->pullCount)
        return false;
    if (isHeld(solid)) return false;
    for (int j = 0; j < solid->bones->linkCount; j++)
        if (solid->bones->joints[j].stiffness > 0) return false;
    bool counts = isTaut(solid) || (solid->contacts && isFast(solid));
    return counts && !isMoving(&solid->step);
}

static snSolidEnergy limpEnergyOf(snSolidBody *solid)
{
    snBodyMeasure m;
    snBones_Pose(solid->bones);
    snBody_Motion(&solid->body, &m);
    return (snSolidEnergy){.kinetic = m.kinetic,
                           .elastic = snBody_Elastic(&solid->body),
                           .stored = snBones_EndsEnergy(solid->bones),
                           .height = -m.mass * snDot(solid->step.gravity, m.center)};
}

void snSolidBody_WatchLimp(snSolidBody *solid)
{
    solid->isLimp = isLimp(solid);
    bool more = solid->isLimp && isTaut(solid) && shareOfPressed(solid) < 1;
    // Said in every step, or it would be one more number of the state.
    if (solid->bones && solid->contacts)
        solid->contacts->iterations = (more ? MORE : 1) * solid->def.contactIterations;
    if (!solid->isLimp) return;
    solid->energy[0] = limpEnergyOf(solid);
    snBones_Keep(solid->bones, solid->state);
    snBones_Guess(solid->bones); // the pose is that of the step's begin; the search wants its guess
}

static void putBackLimp(snSolidBody *solid)
{
    solid->failed = true;
    snBones_Return(solid->bones, solid->state);
    if (solid->contacts) snLatticeContacts_Reset(solid->contacts);
    solid->lead->found(solid);
}

void snSolidBody_PayLimp(snSolidBody *solid)
{
    if (!solid->isLimp || solid->failed) return;
    snSolidEnergy *has = &solid->energy[1];
    *has = limpEnergyOf(solid);
    double mass = solid->bones->totalMass, excess = gainOf(solid);
    if (excess <= MUCH * solid->energy[0].kinetic + LEAST_MUCH * mass) return;
    double most = STRAINED * fmax(0, hadOf(solid)) + LEAST_STRAIN * mass;
    double share = has->kinetic > excess ? sqrt(1 - excess / has->kinetic) : 0;
    if (has->elastic + has->stored <= most)
        snBody_Stir(&solid->body, &(snBodyStir){.share = share});
    else
        putBackLimp(solid);
}
