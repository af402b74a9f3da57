#include "body/lattice/flesh.h"

#include "body/lattice/adapt.h"
#include "body/lattice/flesh_parts.h"
#include "body/lattice/weights.h"
#include "core/error.h"
#include "core/tasks.h"

#include <string.h>

#define COARSE 1000 // cells below which integrals take more samples

snFleshDef snDefaultFleshDef(void)
{
    return (snFleshDef){.cells = 2000,
                        .wobble = SN_FLESH_WOBBLE,
                        .softnessRange = {0.25, 4},
                        .pace = 1,
                        .amplitude = 1,
                        .twist = -1,
                        .twistRadius = 0.4,
                        .poisson = SN_FLESH_POISSON,
                        .massDamping = SN_FLESH_DAMPING,
                        .stiffnessDamping = 0.005,
                        .step = 1.0 / 120.0,
                        .iterations = 3,
                        .precision = SN_PRECISION_AUTO,
                        .mostDetails = 200,
                        .adapt = snDefaultAdaptDef()};
}

void snFleshDef_Pace(snFleshDef *def, double pace)
{
    def->wobble *= pace;
    def->pace *= pace;
    def->massDamping *= pace;
}

void snFleshDef_Feel(snFleshDef *def, const snFeel *feel)
{
    def->wobble *= feel->pace;
    def->pace *= feel->pace;
    def->massDamping *= feel->damping;
    def->amplitude *= feel->amplitude;
}

void snFleshDef_Substance(snFleshDef *def, const snSubstance *substance)
{
    def->wobble = substance->wobble;
    def->massDamping = substance->damping;
    def->poisson = substance->poisson;
}

static snStatus checkInput(const snCharacter *character, const snFleshDef *def, snError *error)
{
    if (character->triangleCount == 0)
        return snFail(error, SN_ERROR_GEOMETRY, "there is no mesh with triangles to give flesh to");
    if (!(def->wobble > 0 && def->wobble < 1000))
        return snFail(error, SN_ERROR_ARGUMENT, "wobble is %g Hz; it must be between 0 and 1000",
                      def->wobble);
    if (!(def->twist <= 1000 && def->twistRadius >= 0 && def->twistRadius <= 100))
        return snFail(error, SN_ERROR_ARGUMENT,
                      "twist is %g Hz within %g of the flesh; at most 1000 Hz, and from 0 to 100",
                      def->twist, def->twistRadius);
    if (!(def->pace > 0 && def->pace <= 100 && def->amplitude >= 0 && def->amplitude <= 100))
        return snFail(error, SN_ERROR_ARGUMENT,
                      "pace is %g and amplitude %g; they must be from 0 to 100", def->pace,
                      def->amplitude);
    return SN_OK;
}

void snFlesh_Blame(snFlesh *flesh, snFault fault, int rule)
{
    if (flesh->def.blame) *flesh->def.blame = (snFleshBlame){fault, rule};
}

static snStatus findRest(snFlesh *flesh, snArena *scratch, snError *error)
{
    const snCharacter *c = flesh->character;
    double *load = SN_NEW(scratch, double, c->skeleton.jointCount);
    snPose rest;
    if (!load) return snFailMemory(error);
    snStatus status = snPose_Make(&rest, &c->skeleton, c->morphCount, scratch, error);
    if (status) return status;
    snPose_Globals(&rest, &c->skeleton);
    status = snFlesh_FindSkin(flesh, load, scratch, error);
    if (!status) status = snFlesh_FindFrames(flesh, &rest, load, scratch, error);
    if (!status) status = snFlesh_FindSurface(flesh, scratch, error);
    if (!status) status = snFlesh_FindBones(flesh, load, scratch, error);
    return status;
}

// Points of parts that the body does not carry (a stage, a prop) get no weights.
static void releaseOthers(snFlesh *flesh)
{
    const snCharacter *c = flesh->character;
    int width = flesh->embedding.width, first = 0;
    for (int p = 0; p < c->partCount; p++) {
        int count = c->parts[p].vertexCount;
        for (int k = first * width; k < (first + count) * width && !flesh->carried[p]; k++)
            flesh->embedding.weight[k] = 0;
        first += count;
    }
}

static snStatus makeLattice(snFlesh *flesh, const snContext *context, snError *error)
{
    snAutoLatticeDef def = {.surface = &flesh->tree,
                            .winding = flesh->winding,
                            .bones = flesh->bones,
                            .boneCount = flesh->boneCount,
                            .cells = flesh->def.cells,
                            .spacing = flesh->def.spacing};
    snStatus status =
        snAutoLattice(&flesh->lattice, &def, &flesh->report, &flesh->arena, context, error);
    if (!status) status = snLattice_Check(&flesh->lattice, context, error);
    return status;
}

const snCellParts *snFlesh_Parts(const snFlesh *flesh)
{
    return flesh->report.parts.tetCount ? &flesh->report.parts : NULL;
}

// A lattice that was made here before and not changed since is made again: copies of cells overlap
// in space, and which one a point belongs to is known only to who makes them.
static snStatus chooseLattice(snFlesh *flesh, bool *brought, snArena *scratch,
                              const snContext *context, snError *error)
{
    *brought = flesh->def.lattice != NULL;
    if (!*brought) return makeLattice(flesh, context, error);
    if (flesh->def.made) {
        snStatus status = makeLattice(flesh, context, error);
        *brought = status != SN_OK || !snFlesh_SameLattice(&flesh->lattice, flesh->def.lattice);
        if (status == SN_ERROR_MEMORY || !*brought) return status;
        snLog(context, SN_LOG_WARNING,
              "the lattice of the rig document was changed: where limbs are near each other, "
              "points are given to its cells by their place alone");
    }
    return snFlesh_TakeLattice(flesh, scratch, context, error);
}

static snStatus findLattice(snFlesh *flesh, snArena *scratch, const snContext *context,
                            snError *error)
{
    bool brought;
    snStatus status = chooseLattice(flesh, &brought, scratch, context, error);
    snSurfacePoints points = {flesh->character->vertexCount, flesh->points, flesh->weldOf,
                              snFlesh_Parts(flesh)};
    if (!status)
        status = snEmbedSurface(&flesh->embedding, &flesh->lattice, &points, &flesh->arena, context,
                                error);
    if (!status && brought) status = snFlesh_CheckInside(flesh, error);
    if (status && status != SN_ERROR_MEMORY && brought) snFlesh_Blame(flesh, SN_FAULT_LATTICE, -1);
    if (status == SN_ERROR_ARGUMENT && !brought) snFlesh_Blame(flesh, SN_FAULT_SPACING, -1);
    flesh->def.made = !brought;
    if (!status) releaseOthers(flesh);
    return status;
}

// What goes wrong with the numbers of a body on a lattice that was brought is that lattice's fault.
static snStatus blameLattice(snFlesh *flesh, snStatus status)
{
    bool numbers = status == SN_ERROR_GEOMETRY || status == SN_ERROR_NUMERIC;
    if (numbers && flesh->def.lattice && !flesh->def.made)
        snFlesh_Blame(flesh, SN_FAULT_LATTICE, -1);
    return status;
}

static snStatus findWeights(snFlesh *flesh, const snContext *context, snError *error)
{
    snLatticeWeightsDef def = {.lattice = &flesh->lattice,
                               .surface = &flesh->embedding,
                               .skin = &flesh->skin,
                               .jointCount = flesh->character->skeleton.jointCount,
                               .smoothness = 0.2};
    return snLatticeWeights(&flesh->weights, &def, &flesh->arena, context, error);
}

typedef struct InsideUser {
    const snWinding *winding;
    snTasks tasks;
    const snMeshTree *tree;
} InsideUser;

// Cells have many points, one cell's after another's.
static void insideRuns(const void *user, int count, const snVec3 *points, unsigned char *inside)
{
    const InsideUser *u = user;
    snWinding_InsideRuns(u->winding, u->tree, &u->tasks, count, points, inside);
}

static bool ownsPoint(const void *user, int cell, snVec3 point)
{
    const snFlesh *flesh = user;
    return snCellParts_Owns(&flesh->report.parts, &flesh->lattice, cell, point);
}

// One sample per fine tet, 24 per cell, is enough: the mass of the demo character comes out within
// 1 % of the volume its surface encloses. Limbs are thin in the large cells of coarse lattices: four.
static snStatus integrate(snFlesh *flesh, snArena *scratch, const snContext *context,
                          snError *error)
{
    snQuadratureDef def = snDefaultQuadratureDef();
    InsideUser user = {.winding = flesh->winding, .tasks = context->tasks, .tree = &flesh->tree};
    def.samples = flesh->lattice.cellCount < COARSE ? 4 : 1;
    def.inside = (snInsideTest){insideRuns, &user};
    if (snFlesh_Parts(flesh)) def.owner = (snOwnerTest){ownsPoint, flesh};
    snStatus status =
        snQuadrature_Make(&flesh->quadrature, &flesh->lattice, &def, &flesh->arena, context, error);
    if (!status) status = snFlesh_FindHolds(flesh, &def, scratch, context, error);
    return status;
}

static snPrecision precisionOf(const snFleshDef *def)
{
    bool single = def->solver == SN_SOLVER_PROJECTIVE && def->material == SN_MATERIAL_COROTATED &&
                  def->details == 0;
    if (def->precision != SN_PRECISION_AUTO) return def->precision;
    return single ? SN_PRECISION_SINGLE : SN_PRECISION_DOUBLE;
}

snLatticeModelDef snFlesh_ModelDef(const snFlesh *flesh)
{
    snLatticeModelDef def = snDefaultLatticeModelDef();
    def.lattice = &flesh->lattice;
    def.quadrature = &flesh->quadrature;
    def.skin = &flesh->weights;
    def.known = flesh->known;
    def.hold = flesh->hold;
    def.drag = flesh->drag;
    def.young = flesh->young;
    def.poisson = flesh->def.poisson;
    def.massDamping = flesh->def.massDamping;
    def.stiffnessDamping = flesh->def.stiffnessDamping;
    def.step = flesh->def.step;
    def.iterations = flesh->def.iterations;
    def.motion = flesh->def.motion;
    if (def.motion == SN_MOTION_FULL) def.gravity = flesh->def.gravity;
    def.material = flesh->def.material;
    def.solver = flesh->def.solver;
    def.precision = precisionOf(&flesh->def);
    def.matrix = flesh->def.matrix;
    def.method = flesh->def.method;
    return def;
}

static snStatus buildModel(snFlesh *flesh, const snBasis *const *bases, const snContext *context,
                           snError *error)
{
    snLatticeModelDef def = snFlesh_ModelDef(flesh);
    def.levels = flesh->def.details;
    def.bases = bases;
    def.mostDetails = flesh->def.mostDetails;
    return snLatticeModel_Build(&flesh->model, &def, context, error);
}

// With details the surface follows the finest tets, whose vertices stand behind those of the lattice
// in a state's positions.
static snStatus makeCarry(snFlesh *flesh, const snBasis *finest, snArena *scratch, snError *error)
{
    int n = flesh->lattice.vertexCount, all = finest ? finest->mesh.vertexCount : n;
    int *indexOf = SN_NEW(scratch, int, all);
    snEmbedding fine = flesh->embedding;
    snStatus status = SN_OK;
    if (!indexOf) return snFailMemory(error);
    for (int v = 0; v < all; v++)
        indexOf[v] = v < n ? flesh->model->indexOf[v] : flesh->model->vertexCount + v - n;
    if (finest) status = snFlesh_EmbedFine(flesh, finest, &fine, scratch, error);
    if (status) return status;
    snCarryDef def = {.embedding = &fine, .vertexCount = all, .indexOf = indexOf};
    status = snCarry_Make(&flesh->carry, &def, &flesh->arena, error);
    for (int k = 0; k < flesh->carry.pointCount * flesh->carry.width && !status; k++)
        flesh->carry.weight[k] *=
            flesh->def.amplitude * snFlesh_Seen(flesh, k / flesh->carry.width);
    return status;
}

// The names of maps, for who asks later.
static snStatus keepNames(snFlesh *flesh, snError *error)
{
    const char **names[2] = {&flesh->def.softness, &flesh->def.mask};
    for (int i = 0; i < 2; i++) {
        if (!*names[i]) continue;
        *names[i] = snArena_CopyString(&flesh->arena, *names[i], strlen(*names[i]));
        if (!*names[i]) return snFailMemory(error);
    }
    return SN_OK;
}

static snStatus build(snFlesh *flesh, snArena *scratch, const snContext *context, snError *error)
{
    const snBasis *bases[SN_DETAIL_LEVELS] = {NULL};
    InsideUser user = {.tasks = context->tasks, .tree = &flesh->tree};
    snBasisDef tests = {.inside = {insideRuns, &user}};
    int levels = flesh->def.details;
    if (levels < 0 || levels > SN_DETAIL_LEVELS)
        return snFail(error, SN_ERROR_ARGUMENT, "%d levels of detail; there are 0 to %d", levels,
                      SN_DETAIL_LEVELS);
    snStatus status = keepNames(flesh, error);
    if (!status) status = findRest(flesh, scratch, error);
    if (!status) status = findLattice(flesh, scratch, context, error);
    if (status) return status;
    status = findWeights(flesh, context, error);
    if (!status) status = snFlesh_FindPaint(flesh, scratch, context, error);
    if (!status) status = integrate(flesh, scratch, context, error);
    user.winding = flesh->winding;
    if (snFlesh_Parts(flesh)) tests.owner = (snOwnerTest){ownsPoint, flesh};
    if (!status) status = snFlesh_MakeBases(flesh, &tests, bases, scratch, context, error);
    if (!status) status = snFlesh_FindStiffness(flesh, bases, context, error);
    if (!status) status = buildModel(flesh, bases, context, error);
    if (!status) status = snFlesh_TakeAlong(flesh, scratch, context, error);
    if (!status) status = makeCarry(flesh, levels ? bases[levels - 1] : NULL, scratch, error);
    return blameLattice(flesh, status);
}

snStatus snFlesh_Build(snFlesh **out, const snCharacter *character, const snFleshDef *def,
                       const snContext *context, snError *error)
{
    *out = NULL;
    if (def->blame) *def->blame = (snFleshBlame){SN_FAULT_CHARACTER, -1};
    snStatus status = checkInput(character, def, error);
    if (status) return status;
    snArena arena = snMakeArena(context), scratch = snMakeArena(context);
    snFlesh *flesh = SN_NEW(&arena, snFlesh, 1);
    if (!flesh) return snFailMemory(error);
    flesh->arena = arena;
    flesh->character = character;
    flesh->def = *def;
    status = build(flesh, &scratch, context, error);
    snArena_Destroy(&scratch);
    if (status) {
        snFlesh_Destroy(flesh);
        return status;
    }
    flesh->def.rules = NULL; // the caller's, no longer needed
    flesh->def.lattice = NULL;
    flesh->def.blame = NULL;
    *out = flesh;
    return SN_OK;
}

void snFlesh_Destroy(snFlesh *flesh)
{
    if (!flesh) return;
    snLatticeModel_Destroy(flesh->model);
    snArena_DestroyWithin(&flesh->arena);
}

bool snFlesh_Step(const snFlesh *flesh, snLatticeState *state, const snLatticeDrive *drive)
{
    if (flesh->model->detail) snLattice_Adapt(flesh->model, state, &flesh->def.adapt);
    bool good = snLattice_Step(flesh->model, state, drive);
    if (flesh->model->detail) {
        snDetail_Expand(flesh->model, state, state->position, true);
        snDetail_Expand(flesh->model, state, state->rig, true);
    }
    return good;
}

snVec3f snFlesh_SoftPoint(const snFlesh *flesh, const snLatticeState *state, snVec3f p, int point)
{
    const int *vertex = flesh->carry.vertex + point * flesh->carry.width;
    const double *weight = flesh->carry.weight + point * flesh->carry.width;
    snVec3 sum = snFromF(p);
    for (int k = 0; k < flesh->carry.width; k++) {
        int at = 4 * vertex[k];
        const double *x = state->position + at, *rig = state->rig + at;
        sum = snMulAdd(sum, weight[k], snVec(x[0] - rig[0], x[1] - rig[1], x[2] - rig[2]));
    }
    return snToF(sum);
}

void snFlesh_AddSoft(const snFlesh *flesh, const snLatticeState *state, const snTasks *tasks,
                     snVec3f *positions)
{
    snCarry_AddOffsets(&flesh->carry, state->position, state->rig, tasks, positions);
}
