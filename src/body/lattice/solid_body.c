#include "body/lattice/solid_parts.h"

#include "body/lattice/contact_dual.h"
#include "body/lattice/contact_samples.h"
#include "body/lattice/space.h"
#include "core/error.h"

#include <string.h>

#define MOST_POINTS 4096
#define CRUSH 1 // against being turned inside out (cells_kernel.c)
#define ITERATIONS                                                                                 \
    8 // within 2 % of its size for slender bars that are shaken (docs/theory/world.md)
#define MOST_ITERATIONS 100 // of the midpoint rule, which is solved out
#define MOST_NEWTON 10
#define EPSILON 6e-8       // of floats
#define MOST_ROUNDING 1e-3 // of an edge, in a step
#define PATCH 1.2          // mean edges of the lattice
#define SAMPLES 400        // of exact contacts, whose matrix is dense
#define SOFT_SAMPLES 3000
#define THICKNESS 1.5e-3 // of the size
#define REACH 0.03       // of the size

snSolidBodyDef snDefaultSolidBodyDef(void)
{
    return (snSolidBodyDef){.name = "body",
                            .quadrature = 1,
                            .adapt = snDefaultAdaptDef(),
                            .poisson = 0.4,
                            .density = 1000,
                            .damping = 0.005,
                            .iterations = 0,
                            .step = 1.0 / 120,
                            .friction = -1,
                            .contactIterations = 8,
                            .thickness = -1,
                            .mostPoints = 64,
                            .mostHeld = 16};
}

void snSolidBody_Destroy(snBody *body)
{
    snSolidBody *solid = (snSolidBody *)body;
    snPointConstraints_Destroy(solid->constraints);
    snLatticeContacts_Destroy(solid->contacts);
    snExplicit_Destroy(solid->explicit);
    snLatticeState_Destroy(solid->state);
    snLadder_Destroy(solid->ladder);
    if (solid->lead)
        solid->lead->destroy(solid);
    else
        snLatticeModel_Destroy(solid->model);
    snSolid_Destroy(solid->solid);
    snArena_DestroyWithin(&solid->arena);
}

snStatus snSolidBody_Check(const snSolidBodyDef *def, snError *error)
{
    if (def->solver == SN_SOLVER_BLENDED)
        return snFail(error, SN_ERROR_UNSUPPORTED,
                      "the blended solver is for bodies with bones; choose projective, newton or "
                      "linear");
    if (def->integrator == SN_INTEGRATOR_MIDPOINT && !def->apart)
        return snFail(error, SN_ERROR_UNSUPPORTED,
                      "the midpoint rule knows no contact, which is exact at the end of a step and "
                      "not at its middle; let the body be apart, or take backward Euler");
    if (snSolidBody_IsExplicit(def) &&
        (!def->apart || def->tied || def->solver != SN_SOLVER_PROJECTIVE))
        return snFail(error, SN_ERROR_UNSUPPORTED,
                      "explicit steps know no contact, no ties and no other solvers; let the body "
                      "be apart and untied, or take backward Euler");
    if (def->integrator == SN_INTEGRATOR_MIDPOINT && (def->alpha > 0 || def->beta > 0))
        return snFail(error, SN_ERROR_UNSUPPORTED,
                      "with the midpoint rule held points are met in every step; leave alpha and "
                      "beta at 0");
    if (def->mostPoints < 0 || def->mostPoints > MOST_POINTS || def->mostHeld < 0 ||
        def->mostHeld > def->mostPoints)
        return snFail(error, SN_ERROR_ARGUMENT,
                      "%d points of which %d may be held; there may be %d, and no more held than "
                      "there are",
                      def->mostPoints, def->mostHeld, MOST_POINTS);
    if (!(def->drag >= 0 && isfinite(def->drag)))
        return snFail(error, SN_ERROR_ARGUMENT, "the drag is %g 1/s; it must be 0 or more",
                      def->drag);
    if (def->quadrature < 0 || def->quadrature > 4)
        return snFail(error, SN_ERROR_ARGUMENT, "the quadrature's level is %d; it must be 0 to 4",
                      def->quadrature);
    if (!isfinite(def->thickness + def->cover) || !(def->cover >= 0) ||
        !(def->reach >= 0 && isfinite(def->reach)))
        return snFail(
            error, SN_ERROR_ARGUMENT,
            "thickness %g and reach %g must be finite, and what covers it, %g, not below 0",
            def->thickness, def->reach, def->cover);
    return SN_OK;
}

// The lattice, what is integrated over it, and what it is made of.
static snStatus defineCells(snSolidBody *solid, const snSolidBodyDef *def, snLatticeModelDef *model,
                            snError *error)
{
    snQuadratureDef quadrature = snDefaultQuadratureDef();
    quadrature.level = def->quadrature;
    quadrature.samples = def->inside.test ? 4 : 1;
    quadrature.inside = def->inside;
    quadrature.owner = def->owner;
    snStatus status = snLattice_Check(def->lattice, &solid->context, error);
    if (!status) status = snLattice_Copy(&solid->lattice, def->lattice, &solid->arena, error);
    if (!status)
        status = snQuadrature_Make(&solid->quadrature, &solid->lattice, &quadrature, &solid->arena,
                                   &solid->context, error);
    model->lattice = &solid->lattice;
    model->quadrature = &solid->quadrature;
    model->young = SN_COPY(&solid->arena, double, def->young, solid->lattice.cellCount);
    if (!status && !model->young) status = snFailMemory(error);
    model->poisson = def->poisson;
    model->density = def->density;
    return status;
}

// Floats keep the deformation gradient of an element to ε. With edges of length l its forces are off by ε E l², which moves its
// vertices, of a mass ρ l³, by a share
//
//     ε E h² / (ρ l²) = ε (h c / l)²
//
// of an edge in a step of length h, c the speed of sound. Flesh that is held does not mind; what is free drifts by it, and gains
// energy. Below a thousandth nothing of that was seen (`stress --all single`).
static bool isForDoubles(const snLatticeModelDef *def, double factor, double h)
{
    return EPSILON * snLatticeModelDef_Tautness(def, factor, h) > MOST_ROUNDING;
}

static snStatus buildModel(snSolidBody *solid, const snSolidBodyDef *def, snError *error)
{
    snLatticeModelDef model = snDefaultLatticeModelDef();
    snStatus status = SN_OK;
    if (solid->solid) {
        solid->lattice = solid->solid->nodes.lattice;
        snSolid_Define(solid->solid, &model);
    } else {
        status = defineCells(solid, def, &model, error);
    }
    model.massDamping = 0; // drag is a force of its own: solid_motion.c
    model.stiffnessDamping = def->damping;
    model.energyDamping = def->energyDamping;
    model.crush = CRUSH;
    model.step = def->step * (def->integrator == SN_INTEGRATOR_MIDPOINT ? 0.5 : 1);
    model.integrator = def->integrator;
    bool chosen = def->iterations > 0, projective = def->solver == SN_SOLVER_PROJECTIVE;
    model.iterations = chosen || !projective ? def->iterations : ITERATIONS;
    if (def->integrator == SN_INTEGRATOR_MIDPOINT && !chosen)
        model.iterations = projective ? MOST_ITERATIONS : MOST_NEWTON;
    model.motion = SN_MOTION_FULL;
    model.material = def->material;
    model.solver = def->solver;
    model.turn = def->turn;
    model.precision = def->precision;
    if (!status && isForDoubles(&model, 1, model.step)) model.precision = SN_PRECISION_DOUBLE;
    if (!status) status = snLatticeModel_Build(&solid->model, &model, &solid->context, error);
    solid->modelDef = model;
    solid->rung = solid->model;
    if (!status)
        status = snLatticeState_Make(&solid->state, solid->model, 1, &solid->context, error);
    return status;
}

static snStatus makeSurface(snSolidBody *solid, const snSolidBodyDef *def, snError *error)
{
    if (def->surface)
        return snSolidSurface_FromMesh(&solid->surface, &solid->lattice, def->surface,
                                       &solid->arena, &solid->context, error);
    bool bends = !solid->solid || solid->solid->nodes.scheme == SN_SCHEME_TRILINEAR;
    return snSolidSurface_FromLattice(&solid->surface, &solid->lattice, bends, &solid->arena,
                                      &solid->context, error);
}

// Samples, and behind them all vertices of the surface, which touch once they are inside.
static snStatus addLate(snLatticeContactsDef *contacts, const snContactSamples *all, snArena *arena,
                        snError *error)
{
    const snContactSamples *few = &contacts->samples;
    int n = few->count, m = all->count, first = few->start[n], entries = first + all->start[m];
    int *start = SN_NEW(arena, int, n + m + 1), *vertex = SN_NEW(arena, int, entries);
    double *weight = SN_NEW(arena, double, entries);
    snVec3 *rest = SN_NEW(arena, snVec3, n + m);
    if (!start || !vertex || !weight || !rest) return snFailMemory(error);
    memcpy(start, few->start, (size_t)n * sizeof *start);
    for (int v = 0; v <= m; v++)
        start[n + v] = first + all->start[v];
    memcpy(vertex, few->vertex, (size_t)first * sizeof *vertex);
    memcpy(vertex + first, all->vertex, (size_t)all->start[m] * sizeof *vertex);
    memcpy(weight, few->weight, (size_t)first * sizeof *weight);
    memcpy(weight + first, all->weight, (size_t)all->start[m] * sizeof *weight);
    memcpy(rest, few->rest, (size_t)n * sizeof *rest);
    memcpy(rest + n, all->rest, (size_t)m * sizeof *rest);
    contacts->late = n;
    contacts->samples = (snContactSamples){n + m, start, vertex, weight, rest};
    return SN_OK;
}

// Where samples are drawn; those that are late are the surface's vertices.
static snStatus keepDrawn(snSolidBody *solid, const snSampleChoice *choice,
                          const snContactSamples *all, snError *error)
{
    snSolidDrawn *drawn = &solid->drawn;
    snArena *arena = &solid->arena;
    int few = choice->samples.count;
    if (!drawn->offset[0] || !all->count) return SN_OK; // without samples nothing touches
    drawn->corners = SN_NEW(arena, int, 3 * (size_t)all->count);
    drawn->shares = SN_NEW(arena, double, 3 * (size_t)all->count);
    for (int k = 0; k < 2; k++)
        drawn->sample[k] = SN_NEW(arena, snVec3, all->count);
    if (!drawn->corners || !drawn->shares || !drawn->sample[0] || !drawn->sample[1])
        return snFailMemory(error);
    memcpy(drawn->corners, choice->corners, 3 * (size_t)few * sizeof(int));
    memcpy(drawn->shares, choice->shares, 3 * (size_t)few * sizeof(double));
    for (int s = few; s < all->count; s++) {
        drawn->corners[3 * s] = drawn->corners[3 * s + 1] = drawn->corners[3 * s + 2] = s - few;
        drawn->shares[3 * s] = 1;
    }
    for (int k = 0; k < 2; k++)
        solid->contacts->offset[k] = drawn->sample[k];
    return SN_OK;
}

// Contacts are found within its search, with others of its model too. All others but explicit ones meet whatever there is as bodies of different
// models do (solid_meet.c), whose impulses are those of backward Euler.
static bool isExact(const snSolidBodyDef *def)
{
    return !def->soft && def->solver == SN_SOLVER_PROJECTIVE && !snSolidBody_IsExplicit(def);
}

static snStatus makeContacts(snSolidBody *solid, const snSolidBodyDef *def, snError *error)
{
    snArena scratch = snMakeArena(&solid->context);
    snLatticeContactsDef contacts = snDefaultLatticeContactsDef();
    double size = solid->surface.size, edge = solid->surface.edge;
    if (def->solver == SN_SOLVER_LINEAR || snSolidBody_IsExplicit(def)) return SN_OK;
    bool exact = isExact(def);
    if (solid->solid) edge = snLattice_MeanEdge(&solid->solid->control);
    snStatus status = SN_OK;
    snContactSamples rows = {0};
    snSampleChoice choice = {0};
    if (!def->apart) // what passes through everything needs no samples, and no matrices for them
        status = snSolidSurface_Samples(&solid->surface, exact ? SAMPLES : SOFT_SAMPLES, edge,
                                        &choice, &scratch, error);
    contacts.samples = choice.samples;
    solid->meets = def->meets && exact && !def->apart;
    solid->self = def->self && exact && !def->apart;
    solid->mayTie = def->tied && exact;
    bool joins = snSolidBody_Joins(&solid->body);
    if (!status && exact && !def->apart)
        status = snSolidSurface_Rows(&solid->surface, &rows, &scratch, error);
    if (!status && exact && contacts.samples.count < rows.count)
        status = addLate(&contacts, &rows, &scratch, error);
    contacts.others = joins && !def->apart ? &rows : NULL;
    contacts.model = solid->model;
    contacts.bones = solid->bones;
    contacts.exact = exact;
    contacts.firmness = def->firmness > 0 ? def->firmness : (exact ? 4 : 16);
    contacts.friction = def->friction;
    contacts.restitution = def->restitution;
    contacts.iterations = def->contactIterations;
    contacts.patch = PATCH * edge;
    contacts.thickness = (def->thickness < 0 ? THICKNESS * size : def->thickness) + def->cover;
    contacts.reach = fmax(def->reach > 0 ? def->reach : REACH * size, 2 * contacts.thickness);
    if (!status)
        status = snLatticeContacts_Make(&solid->contacts, &contacts, &solid->context, error);
    if (!status) status = keepDrawn(solid, &choice, &contacts.samples, error);
    snArena_Destroy(&scratch);
    return status;
}

static snStatus makeConstraints(snSolidBody *solid, const snSolidBodyDef *def, snError *error)
{
    snPointConstraintsDef points = snDefaultPointConstraintsDef();
    points.model = solid->model;
    points.capacity = def->mostHeld;
    points.method = def->holding;
    points.alpha = def->alpha;
    points.beta = def->beta;
    if (!def->mostHeld || snSolidBody_IsExplicit(def)) return SN_OK;
    return snPointConstraints_Make(&solid->constraints, &points, &solid->context, error);
}

static snStatus allocate(snSolidBody *solid, const snSolidBodyDef *def, snError *error)
{
    snArena *arena = &solid->arena;
    size_t rows = (size_t)solid->model->vertexCount * 4;
    solid->points = SN_NEW(arena, snSolidPoint, def->mostPoints);
    solid->held = SN_NEW(arena, unsigned char, def->mostPoints);
    solid->target = SN_NEW(arena, snVec3, def->mostPoints);
    solid->pullOf = SN_NEW(arena, int, def->mostPoints);
    solid->pulls = SN_NEW(arena, snLatticePull, def->mostPoints);
    solid->springs = SN_NEW(arena, snSolidSpring, def->mostPoints);
    solid->shape = SN_NEW(arena, snVec3, solid->model->vertexCount);
    solid->rig = SN_NEW(arena, double, rows);
    solid->acceleration = SN_NEW(arena, double, rows);
    solid->rows = SN_NEW(arena, double, rows);
    solid->factor = SN_NEW(arena, double, 1);
    solid->solve = SN_NEW(arena, double, snLatticeModel_SolveSize(solid->model));
    solid->impulse = SN_NEW(arena, double, snSolidBody_ImpulseSize(solid->model));
    bool linear = def->solver == SN_SOLVER_LINEAR;
    solid->linearPulls.scratch =
        SN_NEW(arena, double, linear ? snLinearPulls_ScratchSize(def->mostPoints) : 0);
    bool good = solid->points && solid->held && solid->target && solid->pullOf && solid->pulls &&
                solid->springs && solid->shape && solid->rig && solid->acceleration &&
                solid->rows && solid->solve && solid->factor && solid->linearPulls.scratch &&
                solid->impulse;
    if (!good) return snFailMemory(error);
    *solid->factor = 1;
    return SN_OK;
}

// From now on without rungs.
static void leaveLadder(snSolidBody *solid)
{
    if (solid->contacts) snLatticeContacts_SetLadder(solid->contacts, NULL, &solid->context, NULL);
    if (solid->constraints) snPointConstraints_Climb(solid->constraints, solid->model);
    snLadder_Destroy(solid->ladder);
    solid->ladder = NULL;
    solid->rung = solid->model;
    solid->body.constantMatrix = !snSolidBody_Adapts(solid);
}

snStatus snSolidBody_Prepare(snBody *body, const snBodyRange *range, snError *error)
{
    snSolidBody *solid = (snSolidBody *)body;
    snLadderDef def = {.base = solid->model,
                       .def = &solid->modelDef,
                       .softest = range->softest,
                       .stiffest = range->stiffest,
                       .lengthCount = range->lengthCount,
                       .lengths = range->lengths};
    if (solid->bones)
        return snFail(error, SN_ERROR_UNSUPPORTED,
                      "body \"%s\" has bones that give way: its steps are of one length and its "
                      "stiffness stays; leave out the world's longer steps, and keys of stiffness",
                      body->name);
    double h = solid->modelDef.step;
    if (range->lengthCount > 0) h *= range->lengths[range->lengthCount - 1];
    if (solid->model->def.precision == SN_PRECISION_SINGLE &&
        isForDoubles(&solid->modelDef, range->stiffest, h))
        return snFail(error, SN_ERROR_UNSUPPORTED,
                      "body \"%s\" becomes too stiff for single precision in steps of %g s, at %g "
                      "times its stiffness; choose double",
                      body->name, h, range->stiffest);
    leaveLadder(solid);
    snStatus status = snLadder_Make(&solid->ladder, &def, &solid->context, error);
    if (!status && solid->contacts)
        status =
            snLatticeContacts_SetLadder(solid->contacts, solid->ladder, &solid->context, error);
    if (status)
        leaveLadder(solid);
    else
        body->constantMatrix = false;
    return status;
}

// Turning leaves it as it is: of linear bodies it does not, and details have masses of their own. Other rules than backward Euler
// keep what they keep.
// Not where finer functions come and go: a turn would have to be fitted to those that act, which is
// not exact, and momentum would be the worse for it (1e-7 of it in a blow).
static bool mayFly(const snSolidBody *solid)
{
    const snLatticeModel *model = solid->model;
    bool led = solid->lead && !solid->bones;
    return !led && solid->def.integrator == SN_INTEGRATOR_EULER && !model->linear &&
           !model->detail && !(model->space && model->space->levels);
}

static void describe(snSolidBody *solid, const char *name)
{
    solid->body = (snBody){
        .kind = &snSolidBodyKind,
        .name = name,
        .step = solid->def.step,
        .functions = snLatticeModel_Unknowns(solid->model),
        .vertexCount = solid->surface.vertexCount,
        .triangleCount = solid->surface.triangleCount,
        .triangles = solid->surface.triangles,
        .restSurface = solid->surface.rest,
        .cornerCount = solid->surface.cornerCount,
        .corner = solid->surface.corner,
        .cornerTriangles = solid->surface.cornerTriangles,
        .mostPoints = solid->def.mostPoints,
        .mostHeld = solid->def.mostHeld,
        .size = solid->bones ? solid->model->vertexCount : solid->model->freeCount,
        .block = 1,
        .constantMatrix = !snSolidBody_Adapts(solid),
        .ties = solid->mayTie,
        .folds = solid->self,
        .meets = solid->def.meets && !solid->def.apart && !snSolidBody_IsExplicit(&solid->def),
        .lands = solid->def.solver == SN_SOLVER_LINEAR && !solid->def.apart &&
                 !snSolidBody_IsExplicit(&solid->def),
        .yields = isExact(&solid->def) || solid->def.integrator == SN_INTEGRATOR_EULER,
        .tiedByWorld = solid->bones != NULL || !isExact(&solid->def),
        .keeps = mayFly(solid)};
}

snStatus snSolidBody_Complete(snSolidBody *solid, const snSolidBodyDef *def, snError *error)
{
    const char *name = snArena_CopyString(&solid->arena, def->name, strlen(def->name));
    snStatus status = name ? makeContacts(solid, def, error) : snFailMemory(error);
    if (!status && snSolidBody_IsExplicit(def))
        status =
            snExplicit_Make(&solid->explicit, solid->model, def->mostHeld, &solid->context, error);
    if (!status) status = makeConstraints(solid, def, error);
    if (!status) status = allocate(solid, def, error);
    if (!status) status = snSolidBody_ReserveHolds(solid, error);
    if (!status) describe(solid, name);
    if (!status) status = snSolidBody_ReserveDetail(solid, error);
    return status;
}

static snStatus build(snSolidBody *solid, const snSolidBodyDef *def, snError *error)
{
    snStatus status = snSolidBody_Check(def, error);
    if (!status) status = buildModel(solid, def, error);
    if (!status) status = makeSurface(solid, def, error);
    if (!status) status = snSolidBody_Complete(solid, def, error);
    return status;
}

snSolidBodyDef snSolidBody_Keep(const snSolidBodyDef *def)
{
    snSolidBodyDef kept = *def;
    kept.name = NULL;
    kept.solid = NULL;
    kept.lattice = NULL;
    kept.surface = NULL;
    kept.young = NULL;
    kept.inside = (snInsideTest){0};
    kept.owner = (snOwnerTest){0};
    return kept;
}

snStatus snSolidBody_Make(snBody **out, const snSolidBodyDef *def, const snContext *context,
                          snError *error)
{
    *out = NULL;
    snArena arena = snMakeArena(context);
    snSolidBody *solid = SN_NEW(&arena, snSolidBody, 1);
    if (!solid) {
        snSolid_Destroy(def->solid);
        return snFailMemory(error);
    }
    solid->arena = arena;
    solid->solid = def->solid;
    solid->context = *context;
    solid->def = snSolidBody_Keep(def);
    snStatus status = build(solid, def, error);
    if (status) {
        snSolidBody_Destroy(&solid->body);
        return status;
    }
    snAffine place = snIdentityAffine();
    *out = &solid->body;
    snBody_Put(*out, &place);
    return SN_OK;
}
