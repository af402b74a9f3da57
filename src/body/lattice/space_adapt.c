// Which finer functions of a space should act.
//
// *By a target error.* The error of the present motion is estimated by what it is lacking (Deuflhard, Leinen,
// Yserentant 1989: hierarchical estimators). For a function f that does not act let
//
//     g_f = what is left of the forces on it: ∫ P : ∇φ_f, less loads and inertia,
//     δ_f = c max|φ_f| |g_f| / K_ff,
//
// with K_ff its stiffness, all others held. If f acted alone, it would come to move the body by up to δ_f / c; c
// is for others that would follow it: neighbours overlap, and together they are softer than each by itself.
// Functions act for which δ_f is more than the target, the largest first. The complements of the levels are nearly
// orthogonal in energy, so c depends on little: 8 gets the target within a factor of two (levels_test.c). g_f needs the
// elements of f's level: in each call one level is looked at, in turn, with those that have the same elements.
//
// *By thresholds* (Capell et al.), of the largest strain in a function's support.
//
// A function goes when what it does, and what it is about to do, is next to nothing; all that go at one
// time move the surface by less than `least` of its size.
#include "body/lattice/space_levels.h"

#include "body/lattice/passes.h"
#include "body/lattice/row.h"

#include <string.h>

#define TOGETHER 8      // c
#define CALLS_TO_STAY 8 // a function stays for so many, or it would flicker

// ---- elements -------------------------------------------------------------------------------------

// Elements of a cell are numbered as cells are subdivided, eight for one.
void snSpaceLevels_CarryRotations(const snLatticeModel *model, const snLatticeState *state,
                                  int cell, int level, double *rotation, double *rig)
{
    const snSpaceLevels *levels = model->space->levels;
    int old = state->active.cellLevel[cell];
    const int *from = levels->groupStart[old], *to = levels->groupStart[level];
    const snElementState *elements = &state->elements[levels->classOf[old]];
    const double *oldRotation = elements->rotation, *oldRig = elements->rigRotation;
    size_t count = (size_t)(to[cell + 1] - to[cell]) * SN_GROUP,
           oldCount = (size_t)(from[cell + 1] - from[cell]) * SN_GROUP;
    for (size_t i = 0; i < count; i++) {
        size_t source = (size_t)from[cell] * SN_GROUP + i * oldCount / count;
        size_t place = (size_t)to[cell] * SN_GROUP + i;
        for (size_t k = 0; k < 4; k++) {
            size_t a = (place / SN_GROUP * 4 + k) * SN_GROUP + place % SN_GROUP;
            size_t b = (source / SN_GROUP * 4 + k) * SN_GROUP + source % SN_GROUP;
            rotation[a] = oldRotation[b];
            rig[a] = oldRig[b];
        }
    }
}

// Elements of a cell that comes to a level begin with the rotations of those that stood there, and with the strain that
// follows from the present positions.
static void beginElements(const snLatticeModel *model, snLatticeState *state, int cell, int level)
{
    const snSpaceLevels *levels = model->space->levels;
    snElementState *to = &state->elements[levels->classOf[level]];
    const int *start = levels->groupStart[level];
    size_t first = (size_t)start[cell] * SN_GROUP,
           count = (size_t)(start[cell + 1] - start[cell]) * SN_GROUP;
    snSpaceLevels_CarryRotations(model, state, cell, level, to->rotation, to->rigRotation);
    memset((double *)to->strain + 9 * first, 0, 9 * count * sizeof(double));
    memset((double *)to->volumeStrain + first, 0, count * sizeof(double));
}

static void settle(const snLatticeModel *model, snLatticeState *state)
{
    const snSpaceLevels *levels = model->space->levels;
    snActive *a = &state->active;
    int begun[SN_CLASSES] = {0};
    for (int cell = 0; cell < levels->fine.cellCount; cell++) {
        int level = snActive_LevelNeeded(a, cell), old = a->cellLevel[cell];
        int class = levels->classOf[level];
        if (class != levels->classOf[old]) {
            beginElements(model, state, cell, level);
            for (int g = levels->groupStart[level][cell]; g < levels->groupStart[level][cell + 1];
                 g++)
                a->begun[class][begun[class]++] = g;
        }
        a->cellLevel[cell] = level;
    }
    snSpaceLevels_Update(model, state);
    if (state->space.gone) { // what comes does so at 0
        snSpaceLevels_Push(model, state, state->coefficient, state->position);
        snSpaceLevels_Push(model, state, state->coefficientVelocity, state->velocity);
    }
    for (int c = 1; c < model->classCount; c++) {
        snGroupList list = {c, begun[c], a->begun[c]};
        snRunGroups(model, state, SN_PASS_TARGET, snLatticeState_Stretched(model, state), &list);
        snRunGroups(model, state, SN_PASS_STRAIN, state->position, &list);
    }
}

// ---- by a target error ----------------------------------------------------------------------------

// Forces of the elements of a level over vertices, in newtons.
static void findForces(const snLatticeModel *model, snLatticeState *state, int level, double *out)
{
    const snSpaceLevels *levels = model->space->levels;
    int class = levels->classOf[level];
    const snElementClass *elements = &model->classes[class];
    snElementState *e = &state->elements[class];
    for (int cell = 0; cell < levels->fine.cellCount; cell++)
        snSpaceLevels_CarryRotations(model, state, cell, level, e->probeRotation,
                                     e->probeRigRotation);
    snRunClass(model, state, SN_PASS_PROBE_TARGET, class, snLatticeState_Stretched(model, state));
    const double *force = snRunClass(model, state, SN_PASS_PROBE_FORCE, class, state->position);
    double h = model->def.step, scale = 1 / (h * (h + model->def.stiffnessDamping));
    memset(out, 0, (size_t)model->vertexCount * 4 * sizeof(double));
    for (int i = 0; i < elements->groupCount * 8 * SN_GROUP; i++)
        for (int c = 0; c < 4; c++)
            out[4 * elements->vertex[i] + c] += scale * force[4 * (size_t)i + (size_t)c];
}

// 1 / h² of the last step, whose loads and misses are there.
static double perSquare(const snLatticeState *state)
{
    double h = *state->space.length;
    return h > 0 ? 1 / (h * h) : 0;
}

// What is left of the forces on a function.
static snVec3 findResidual(const snLatticeModel *model, const snLatticeState *state,
                           const double *forces, int f)
{
    const snSpaceLevels *levels = model->space->levels;
    const snFineFunctions *fine = &levels->fine;
    double inverse = perSquare(state);
    const snWeightRows *columns = &levels->columns;
    int first = columns->start[f];
    snVec3 sum = snRowPlace(columns->start[f + 1] - first, columns->column + first,
                            columns->weight + first, forces);
    for (int k = fine->rowStart[f]; k < fine->rowStart[f + 1]; k++) {
        int column = fine->column[k];
        int slot = column < 0 ? state->active.slotOf[~column] : -1;
        if (column < 0 && slot < 0) continue;
        sum = snMulAdd(sum, inverse * fine->mass[k],
                       snRow(state->space.miss, column < 0 ? fine->first + slot : column));
    }
    return sum;
}

static void estimate(const snLatticeModel *model, snLatticeState *state)
{
    const snSpaceLevels *levels = model->space->levels;
    const snFineFunctions *fine = &levels->fine;
    snSpaceState *s = &state->space;
    int level = 1 + (*s->probe)++ % levels->levels;
    double inverse = perSquare(state), *forces = state->wide;
    findForces(model, state, level, forces);
    for (int k = 0; k < 4 * model->vertexCount; k++)
        forces[k] += inverse * s->load[k];
    for (int f = 0; f < fine->count; f++) {
        if (levels->classOf[fine->level[f]] != levels->classOf[level]) continue;
        double stiffness = levels->stiffness[f] * state->stiffness;
        double g = snLength(findResidual(model, state, forces, f));
        s->estimate[f] = stiffness > 0 ? TOGETHER * fine->size[f] * g / stiffness : 0;
    }
}

// ---- by thresholds --------------------------------------------------------------------------------

// The largest |e|² among a cell's elements.
static void measureCells(const snLatticeModel *model, snLatticeState *state)
{
    const snSpaceLevels *levels = model->space->levels;
    for (int cell = 0; cell < levels->fine.cellCount; cell++) {
        int level = state->active.cellLevel[cell];
        const int *start = levels->groupStart[level];
        const double *strain = state->elements[levels->classOf[level]].strain;
        double most = 0;
        for (int i = start[cell] * SN_GROUP; i < start[cell + 1] * SN_GROUP; i++) {
            const double *e = strain + (size_t)(i / SN_GROUP) * 9 * SN_GROUP + i % SN_GROUP;
            double sum = 0;
            for (int k = 0; k < 9; k++)
                sum += e[k * SN_GROUP] * e[k * SN_GROUP];
            most = fmax(most, sum);
        }
        state->space.measure[cell] = most;
    }
}

static double measureOf(const snLatticeModel *model, const snLatticeState *state, int f)
{
    const snFineFunctions *fine = &model->space->levels->fine;
    double most = 0;
    for (int i = fine->supportStart[f]; i < fine->supportStart[f + 1]; i++)
        most = fmax(most, state->space.measure[fine->support[i]]);
    return most;
}

// ---- who should act -------------------------------------------------------------------------------

static bool look(const snLatticeModel *model, snLatticeState *state, const snAdaptDef *def)
{
    if (*state->space.wait > 0) {
        --*state->space.wait;
        return false;
    }
    snSpaceLevels_Update(model, state);
    state->space.given = 0;
    state->space.gone = false;
    for (int slot = 0; slot < model->space->levels->fine.slotCount; slot++)
        state->space.age[slot] =
            state->active.functionOf[slot] < 0 ? 0 : state->space.age[slot] + 1;
    if (def->error > 0)
        estimate(model, state);
    else
        measureCells(model, state);
    return true;
}

static double want(const snLatticeModel *model, const snLatticeState *state, const snAdaptDef *def,
                   int f)
{
    const snSpaceLevels *levels = model->space->levels;
    if (def->error > 0) {
        double share = state->space.estimate[f] / (def->error * levels->size);
        return share > 1 ? share : -1;
    }
    double m = measureOf(model, state, f), limit = def->refine[levels->fine.level[f] - 1];
    return limit < 0 || m > limit * limit ? m : -1;
}

static bool mayGo(const snLatticeModel *model, snLatticeState *state, const snAdaptDef *def,
                  int place)
{
    const snSpaceLevels *levels = model->space->levels;
    int slot = state->active.order[place], f = state->active.functionOf[slot];
    double peak = levels->fine.size[f], least = def->least * levels->size,
           *given = &state->space.given;
    if (state->space.age[slot] < CALLS_TO_STAY) return false;
    if (!(def->error > 0)) {
        double limit = def->coarsen[levels->fine.level[f] - 1];
        if (measureOf(model, state, f) >= limit * limit) return false;
    }
    double size = peak * snLength(snRow(state->coefficient, levels->fine.first + slot));
    double move = peak * snLength(snRow(state->coefficientVelocity, levels->fine.first + slot));
    if (*given + size > 0.9 * least || 10 * model->def.step * move > least) return false;
    *given += size;
    state->space.gone = true;
    return true;
}

const snAdaptKind snSpaceAdaptKind = {.look = look, .want = want, .mayGo = mayGo, .settle = settle};
