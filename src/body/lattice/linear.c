// The linear step. Objective and letters are those of step.c, with linear strain in place of ψ.
// For a linear body, Σ V ψ = ½ uᵀ S u with S the stiffness at rest and u the displacement,
//
//     u' = y - r,   u_n = x - r       full motion: from the rest pose r
//     u' = y - p',  u_n = x - p       secondary motion: from the rig's pose, which is stress-free
//
// Damping of strain keeps the share c = β/(h + β) of the old strain as this step's target (theory,
// section 5), and here strain is linear in u. So the step minimises over the free y
//
//     ½ Σ D |y - t|² + ½ h (h + β) (u' - c u_n)ᵀ S (u' - c u_n)
//
// and its end is y + Δ from any y, with one constant matrix:
//
//     (D + h (h + β) S_ff) Δ = -D (y - t) - h (h + β) [S (u' - c u_n)]_f.
//
// This is the step of Capell et al. 2002, (M + hD + h²S) Δv = h (f - S u - ...), for positions.
//
// A part of the body may be looked at in a frame that moves, x -> R x + o from rest to now: then
// u' = Rᵀ(y - o) - r, or Rᵀ(y - p'), and u_n is seen in the frame as it was at the step's begin. D
// is the same in all axes, so only the two sides of S turn.
//
// In a space of motions (space.h) Δ = B Δ_q, and the system is Bᵀ(D + h (h + β) S)B Δ_q = Bᵀ(...). B mixes
// vertices, not axes: it is the same in every frame.
#include "body/lattice/linear.h"

#include "body/lattice/blended.h"
#include "body/lattice/point.h"
#include "body/lattice/row.h"
#include "body/lattice/space.h"
#include "body/lattice/turning.h"
#include "core/error.h"
#include "skeleton/spatial.h"

#include <string.h>

// ---- building ---------------------------------------------------------------------------------

typedef struct Builder {
    snLatticeModel *model;
    const snLatticeModelDef *def;
    const unsigned char *inside;
    snArena *scratch;
    int *rowOf; // [lattice vertices] -> row of the part, or -1
} Builder;

static bool hasCell(const Builder *b, int cell)
{
    return !b->inside || b->inside[cell];
}

// Which vertices the part has, ascending in the model's numbers.
static snStatus findVertices(snLinearPart *part, const Builder *b, snError *error)
{
    const snLatticeModel *model = b->model;
    const snLattice *lattice = &model->lattice;
    for (int v = 0; v < model->vertexCount; v++)
        b->rowOf[v] = -1;
    for (int c = 0; c < lattice->cellCount; c++)
        for (int k = lattice->cellStart[c]; k < lattice->cellStart[c + 1] && hasCell(b, c); k++)
            b->rowOf[lattice->corners[k]] = 0;
    for (int i = 0; i < model->vertexCount; i++) {
        if (b->rowOf[model->vertexOf[i]] < 0) continue;
        b->rowOf[model->vertexOf[i]] = part->vertexCount++;
        part->freeCount += i < model->freeCount;
    }
    part->vertex = SN_NEW(&b->model->arena, int, part->vertexCount);
    part->diagonal = SN_NEW(&b->model->arena, double, part->freeCount);
    if (!part->vertex || !part->diagonal) return snFailMemory(error);
    for (int v = 0; v < model->vertexCount; v++)
        if (b->rowOf[v] >= 0) part->vertex[b->rowOf[v]] = model->indexOf[v];
    return SN_OK;
}

// S of the part's own elements.
static snStatus makeStiffness(snLinearPart *part, const Builder *b, snError *error)
{
    const snLattice *lattice = &b->model->lattice;
    const snQuadrature *q = b->model->quadrature;
    int *start = SN_NEW(b->scratch, int, lattice->cellCount + 1);
    int *items = SN_NEW(b->scratch, int, lattice->cellStart[lattice->cellCount]);
    if (!start || !items) return snFailMemory(error);
    int count = 0;
    for (int c = 0; c < lattice->cellCount; c++) {
        for (int k = lattice->cellStart[c]; k < lattice->cellStart[c + 1] && hasCell(b, c); k++)
            items[count++] = b->rowOf[lattice->corners[k]];
        start[c + 1] = count;
    }
    snPattern pattern;
    snStatus status = snPattern_FromGroups(&pattern, part->vertexCount, lattice->cellCount, start,
                                           items, &b->model->arena, error);
    if (!status) status = snSparse_Make(&part->stiffness, &pattern, 3, &b->model->arena, error);
    for (int e = 0; e < q->elementCount && !status; e++) {
        if (!hasCell(b, q->cell[e])) continue;
        snCellMaterial material = snCellMaterial_Of(b->def, q->cell[e]);
        double lame[2] = {material.mu, material.lambda};
        snLattice_AddElement(&part->stiffness, q, e, lame, b->rowOf);
    }
    return status;
}

// D of the part. Mass, drag and springs (κ = m ω²) are all proportional to mass, so D goes by the
// share of the vertex's mass that lies in the part's cells: 1 inside, less on its border.
static snStatus findDiagonal(snLinearPart *part, const Builder *b, snError *error)
{
    const snLattice *lattice = &b->model->lattice;
    const snQuadrature *q = b->model->quadrature;
    double *mass = SN_NEW(b->scratch, double, part->vertexCount);
    if (!mass) return snFailMemory(error);
    for (int c = 0; c < lattice->cellCount; c++) {
        const int *corners = snLattice_Corners(lattice, c);
        int n = (int)snLattice_Kind(lattice, c);
        double density = snCellMaterial_Of(b->def, c).density;
        for (int i = 0; i < n && hasCell(b, c); i++)
            for (int j = 0; j < n; j++)
                mass[b->rowOf[corners[i]]] += density * q->mass[q->massStart[c] + i * n + j];
    }
    for (int i = 0; i < part->freeCount; i++) {
        double whole = b->model->mass[part->vertex[i]];
        part->diagonal[i] = whole > 0 ? b->model->diagonal[part->vertex[i]] * (mass[i] / whole) : 0;
    }
    return SN_OK;
}

// Over the free vertices. They come first, so S_ff is the leading block of S.
static snStatus makeFreeMatrix(snSparse *matrix, const snLinearPart *part, const Builder *b,
                               snArena *arena, snError *error)
{
    double h = b->def->step, scale = h * (h + b->def->stiffnessDamping);
    int *rows = SN_NEW(arena, int, part->freeCount);
    if (!rows) return snFailMemory(error);
    for (int i = 0; i < part->freeCount; i++)
        rows[i] = i;
    snStatus status = snSparse_Part(matrix, &part->stiffness, rows, part->freeCount, arena, error);
    const int *start = matrix->pattern.columnStart;
    for (int j = 0; j < part->freeCount && !status; j++) {
        double *to = matrix->values + 9 * (size_t)start[j];
        for (int k = 0; k < 9 * (start[j + 1] - start[j]); k++)
            to[k] *= scale;
        double least = SN_LEAST_DIAGONAL * (to[0] + to[4] + to[8]) / 3.0;
        double d = part->diagonal[j] > 0 ? part->diagonal[j] : least;
        for (int c = 0; c < 9; c += 4)
            to[c] += d;
    }
    return status;
}

static snStatus makeMatrix(snSparse *matrix, const snLinearPart *part, const Builder *b,
                           snArena *arena, snError *error)
{
    snSparse whole;
    if (!b->model->space) return makeFreeMatrix(matrix, part, b, arena, error);
    if (part->freeCount < b->model->freeCount)
        return snFail(error, SN_ERROR_ARGUMENT, "a vertex of the lattice is in no cell");
    snStatus status = makeFreeMatrix(&whole, part, b, b->scratch, error);
    return status ? status : snSpace_Product(matrix, &whole, b->model, arena, error);
}

static size_t padded(size_t doubles)
{
    return (doubles + 7) & ~(size_t)7;
}

static snStatus makeFactor(snLinearPart *part, const Builder *b, snError *error)
{
    snSparse matrix;
    snSymbolic *symbolic;
    snArena *arena = &b->model->arena;
    snStatus status = makeMatrix(&matrix, part, b, b->scratch, error);
    if (!status)
        status = snSymbolic_Make(&symbolic, &matrix.pattern, 3,
                                 part->freeCount > SN_LARGE ? SN_ORDER_AUTO : SN_ORDER_AMD, arena,
                                 error);
    if (!status) status = snFactor_Make(&part->factor, symbolic, arena, error);
    if (!status) status = snFactor_Compute(part->factor, &matrix, error);
    if (!status) part->factorNonZeros = snSymbolic_NonZeros(symbolic);
    return status;
}

static snStatus makeGradients(snLinearPart *part, const Builder *b, snError *error)
{
    snArena *arena = &b->model->arena;
    snStatus status = makeMatrix(&part->matrix, part, b, arena, error);
    if (status) return status;
    double *inverse = SN_NEW(arena, double, snJacobi_Size(&part->matrix, true));
    if (!inverse) return snFailMemory(error);
    snJacobi_Compute(&part->jacobi, &part->matrix, true, inverse);
    return SN_OK;
}

snStatus snLinearPart_Build(snLinearPart *part, snLatticeModel *model, const snLatticeModelDef *def,
                            const unsigned char *inside, snArena *scratch, snError *error)
{
    Builder b = {model, def, inside, scratch, NULL};
    snArenaMark mark = snArena_Mark(scratch);
    *part = (snLinearPart){0};
    b.rowOf = SN_NEW(scratch, int, model->vertexCount);
    if (!b.rowOf) return snFailMemory(error);
    bool factor = def->method == SN_METHOD_FACTOR;
    snStatus status = findVertices(part, &b, error);
    if (!status) status = makeStiffness(part, &b, error);
    if (!status) status = findDiagonal(part, &b, error);
    part->unknownCount = model->space ? model->space->functionCount : part->freeCount;
    if (!status && part->freeCount)
        status = factor ? makeFactor(part, &b, error) : makeGradients(part, &b, error);
    size_t solve = part->factor ? snFactor_ScratchSize(part->factor, 1)
                                : snCg_ScratchSize(3 * part->unknownCount);
    part->scratchSize = padded(3 * (size_t)part->freeCount) +
                        2 * padded(3 * (size_t)part->vertexCount) + padded(solve);
    snArena_Rewind(scratch, mark);
    return status;
}

static snStatus checkDef(const snLatticeModelDef *def, snError *error)
{
    if (!(def->tolerance > 0 && def->tolerance < 1))
        return snFail(error, SN_ERROR_ARGUMENT, "tolerance is %g; it must be between 0 and 1",
                      def->tolerance);
    return SN_OK;
}

snStatus snLinear_Build(snLinear **out, snLatticeModel *model, const snLatticeModelDef *def,
                        snArena *scratch, snError *error)
{
    snLinear *linear = SN_NEW(&model->arena, snLinear, 1);
    *out = linear;
    if (!linear) return snFailMemory(error);
    snStatus status = checkDef(def, error);
    if (status) return status;
    if (def->solver == SN_SOLVER_BLENDED) return snBlend_Build(linear, model, def, scratch, error);
    linear->partCount = 1;
    linear->parts = SN_NEW(&model->arena, snLinearPart, 1);
    if (!linear->parts) return snFailMemory(error);
    status = snLinearPart_Build(linear->parts, model, def, NULL, scratch, error);
    linear->scratchSize = linear->parts->scratchSize;
    linear->turnElement = def->turn ? snTurning_FindElement(model) : -1;
    if (!status && def->turn && linear->turnElement < 0)
        return snFail(error, SN_ERROR_GEOMETRY, "a body without volume has no middle to turn with");
    return status;
}

// ---- stepping ---------------------------------------------------------------------------------

// Rᵀ(x - o) - r
static snVec3 fromRest(const snAffine *frame, snVec3 x, snVec3 rest)
{
    return snSub(snMulTMV(frame->linear, snSub(x, frame->origin)), rest);
}

// u_n of a vertex. In the first step the old frame is not known, and the old state is carried by
// the rig into the new pose.
static snVec3 oldDisplacement(const snLinearFrame *f, int vertex)
{
    const snLatticeState *state = f->state;
    snVec3 x = snLatticeState_Vertex(state, state->position, vertex, f->lane);
    snVec3 p = snLatticeState_Vertex(state, state->rig, vertex, f->lane);
    const snAffine *frame = f->before ? f->before : &f->now;
    if (f->model->def.motion == SN_MOTION_SECONDARY) return snMulTMV(frame->linear, snSub(x, p));
    if (!f->before)
        x = snAdd(x, snSub(snLatticeState_Vertex(state, f->drive->rig, vertex, f->lane), p));
    return fromRest(frame, x, snLatticeState_Vertex(state, state->shape, vertex, f->lane));
}

// u at the given positions, with `rig` and `shape` those of the same time; no shape: the model's.
static snVec3 displacement(const snLinearFrame *f, const double *position, const double *rig,
                           const double *shape, int vertex)
{
    snVec3 y = snLatticeState_Vertex(f->state, position, vertex, f->lane);
    if (f->model->def.motion == SN_MOTION_FULL)
        return fromRest(&f->now, y,
                        shape ? snLatticeState_Vertex(f->state, shape, vertex, f->lane)
                              : f->model->rest[vertex]);
    return snMulTMV(f->now.linear, snSub(y, snLatticeState_Vertex(f->state, rig, vertex, f->lane)));
}

static void put(double *array, int row, snVec3 v)
{
    array[3 * row] = v.x;
    array[3 * row + 1] = v.y;
    array[3 * row + 2] = v.z;
}

// -gradient at the first guess, in the frame's axes, over the free vertices. `stress` holds S w.
static void findSide(const snLinearPart *part, const snLinearFrame *f, const double *stress,
                     double *side)
{
    const snLatticeModel *model = f->model;
    double h = model->def.step, scale = h * (h + model->def.stiffnessDamping);
    for (int i = 0; i < part->freeCount; i++) {
        int v = part->vertex[i];
        snVec3 miss = snSub(snLatticeState_Vertex(f->state, f->state->next, v, f->lane),
                            snLatticeState_Vertex(f->state, f->state->target, v, f->lane));
        snVec3 force = snScale(-part->diagonal[i], snMulTMV(f->now.linear, miss));
        const double *s = stress + 3 * i;
        put(side, i, snMulAdd(force, -scale, snVec(s[0], s[1], s[2])));
    }
}

// A x = side by the part's method.
static int solve(const snLinearPart *part, const snLinearFrame *f, double *side, double *x,
                 double *scratch)
{
    size_t bytes = 3 * (size_t)part->unknownCount * sizeof *x;
    if (part->factor) {
        memcpy(x, side, bytes);
        snFactor_Solve(part->factor, 1, x, scratch);
        return 0;
    }
    memset(x, 0, bytes); // the first guess is the warm start
    snCgDef cg = {.size = 3 * part->unknownCount,
                  .matrix = snOperator_FromSparse(&part->matrix),
                  .preconditioner = snOperator_FromJacobi(&part->jacobi),
                  .projection = f->model->linear->blend || !f->drive->points
                                    ? (snProjection){0}
                                    : snPointConstraints_Projection(f->drive->points, 3),
                  .tolerance = f->model->def.tolerance};
    snCgResult result;
    return snCg_Solve(&cg, side, x, scratch, &result, NULL) ? -1 : result.iterations;
}

// side = Bᵀ side, over functions.
static void pullSide(const snLinearFrame *f, double *side)
{
    const snLatticeModel *model = f->model;
    double *wide = f->state->wide, *pulled = f->state->pulled;
    for (int k = 0; k < 4 * model->vertexCount; k++)
        wide[k] = k % 4 < 3 ? side[k / 4 * 3 + k % 4] : 0;
    snSpace_Pull(model, f->state, wide, pulled);
    for (int k = 0; k < 3 * model->space->functionCount; k++)
        side[k] = pulled[k / 3 * 4 + k % 3];
}

int snLinearPart_Solve(const snLinearPart *part, const snLinearFrame *f, double *scratch)
{
    if (part->freeCount == 0) return 0;
    double memory =
        f->model->def.stiffnessDamping / (f->model->def.step + f->model->def.stiffnessDamping);
    double *x = scratch, *w = x + padded(3 * (size_t)part->freeCount);
    double *stress = w + padded(3 * (size_t)part->vertexCount);
    double *work = stress + padded(3 * (size_t)part->vertexCount);
    for (int i = 0; i < part->vertexCount; i++) {
        snVec3 u = displacement(f, f->state->next, f->drive->rig, f->drive->shape, part->vertex[i]);
        put(w, i, snMulAdd(u, -memory, oldDisplacement(f, part->vertex[i])));
    }
    snSparse_Multiply(&part->stiffness, 1, w, stress);
    findSide(part, f, stress, w);
    if (f->model->space) pullSide(f, w);
    int iterations = solve(part, f, w, x, work);
    for (int i = 0; i < part->unknownCount; i++) {
        const double *d = x + 3 * i;
        put(x, i, snMulMV(f->now.linear, snVec(d[0], d[1], d[2])));
    }
    return iterations;
}

static bool isFinite(const snLatticeModel *model, const snLatticeState *state)
{
    size_t all = (size_t)model->vertexCount * (size_t)state->width;
    for (size_t k = 0; k < all; k++)
        if (!isfinite(state->next[k])) return false;
    return true;
}

// The frame at the step's end, in which the rest state is, and at its begin, in `before`.
static void turnFrame(snLinearFrame *f, snAffine *before)
{
    snAffine *kept = &f->state->frames[f->lane];
    if (snNormSquaredM(kept->linear) == 0) // just started
        *kept = snTurning_Frame(f->model, f->state, f->state->position, f->lane, NULL);
    *before = *kept;
    f->now = *kept = snTurning_Frame(f->model, f->state, f->state->next, f->lane, before);
}

// Where the rest state of a body that does not turn stands.
static snAffine standing(const snLatticeModel *model, const snLatticeState *state, int lane)
{
    bool known = !model->linear->blend && model->def.motion == SN_MOTION_FULL &&
                 snNormSquaredM(state->frames[lane].linear) > 0;
    return known ? state->frames[lane] : snIdentityAffine();
}

void snLinear_Stand(const snLatticeModel *model, snLatticeState *state, const snAffine *place)
{
    if (model->linear->blend || model->def.motion != SN_MOTION_FULL || model->def.turn) return;
    for (int lane = 0; lane < state->lanes; lane++)
        state->frames[lane] = *place;
}

static int solveWhole(const snLatticeModel *model, snLatticeState *state,
                      const snLatticeDrive *drive, int lane)
{
    const snLinearPart *part = model->linear->parts;
    snAffine rest = standing(model, state, lane);
    snLinearFrame frame = {model, state, drive, lane, rest, &rest};
    if (model->def.turn) turnFrame(&frame, &rest);
    int iterations = snLinearPart_Solve(part, &frame, state->linear);
    if (model->space) {
        for (int k = 0; k < 3 * part->unknownCount; k++)
            state->nextCoefficient[k / 3 * 4 + k % 3] += state->linear[k];
        snSpace_Push(model, state, state->nextCoefficient, state->next);
        return iterations;
    }
    for (int i = 0; i < part->freeCount; i++)
        for (int c = 0; c < 3; c++)
            state->next[snLatticeState_At(state, part->vertex[i], c, lane)] +=
                state->linear[3 * i + c];
    return iterations;
}

// In the axes in which the matrix is. A state of several lanes has none that turn.
static void correctPoints(const snLatticeModel *model, snLatticeState *state,
                          snPointConstraints *points, double *values)
{
    int unknowns = snLatticeModel_Unknowns(model), most = points->set->def.capacity;
    bool turned = !model->linear->blend && state->lanes == 1;
    snMat3 forth = turned ? standing(model, state, 0).linear : snDiagonal3(1, 1, 1);
    if (turned) snTurnRows(snTranspose(forth), unknowns, values);
    if (turned) snTurnRows(snTranspose(forth), most, points->set->right);
    snPointConstraints_Correct(points, values);
    if (turned) snTurnRows(forth, unknowns, values);
    if (turned) snTurnRows(forth, most, points->set->right);
}

// With d_i = r_i - r_c from the centre of mass at rest and u_i = Rᵀ(x_i - x_c) - d_i, what of u is a turn to first order is w x d, with
// Σ m d x u = Σ m d x (w x d).
static snVec3 slantOf(const snLatticeModel *model, const snLatticeState *state, snMat3 turn,
                      snVec3 at, snVec3 rest)
{
    snVec3 moment = {0, 0, 0};
    snMat3 inertia = snDiagonal3(0, 0, 0);
    for (int i = 0; i < model->vertexCount; i++) {
        snVec3 d = snSub(model->rest[i], rest),
               x = snLatticeState_Vertex(state, state->position, i, 0);
        snVec3 u = snSub(snMulTMV(turn, snSub(x, at)), d);
        moment = snMulAdd(moment, model->mass[i], snCross(d, u));
        inertia = snAddMM(inertia, snScaleM(model->mass[i], snPointInertia(d)));
    }
    return snDet(inertia) > 0 ? snMulMV(snInverse3(inertia), moment) : snVec(0, 0, 0);
}

void snLinear_Upright(const snLatticeModel *model, snLatticeState *state,
                      snPointConstraints *points)
{
    snAffine *frame = &state->frames[0];
    if (!model->def.turn || state->lanes != 1 || snNormSquaredM(frame->linear) == 0) return;
    snVec3 at = {0, 0, 0}, rest = {0, 0, 0};
    for (int i = 0; i < model->vertexCount; i++) {
        double share = model->mass[i] / model->totalMass;
        at = snMulAdd(at, share, snLatticeState_Vertex(state, state->position, i, 0));
        rest = snMulAdd(rest, share, model->rest[i]);
    }
    snAffine before = *frame;
    size_t bytes = 4 * (size_t)model->vertexCount * sizeof *state->position;
    double energy = snLinear_Energy(model, state, 0);
    memcpy(state->previous, state->position, bytes);
    snMat3 turn = before.linear;
    snVec3 w = slantOf(model, state, turn, at, rest);
    snMat3 more = snQuatToMat(snQuatFromVector(w)), now = snMulMM(turn, more);
    for (int i = 0; i < model->vertexCount; i++) {
        snVec3 x = snLatticeState_Vertex(state, state->position, i, 0);
        snVec3 own = snSub(snMulTMV(turn, snSub(x, at)), snCross(w, snSub(model->rest[i], rest)));
        snLatticeState_SetVertex(state, state->position, i, 0, snAdd(at, snMulMV(now, own)));
    }
    frame->linear = now;
    frame->origin = snSub(at, snMulMV(now, rest));
    snSpace_Settle(model, state); // it was in the space, and is
    if (points) {
        double *values = model->space ? state->coefficient : state->position;
        correctPoints(model, state, points, values);
        if (model->space) snSpace_Push(model, state, values, state->position);
    }
    if (snLinear_Energy(model, state, 0) < energy) return;
    // Drawn out so far that a turn is no turn of all of it.
    memcpy(state->position, state->previous, bytes);
    *frame = before;
    snSpace_Settle(model, state);
}

void snLinear_Respond(const snLatticeModel *model, snLatticeState *state,
                      snPointConstraints *points, const double *forces, double *moves)
{
    const snLinearPart *part = model->linear->parts;
    snLinearFrame frame = {.model = model, .state = state};
    snMat3 forth = standing(model, state, 0).linear, back = snTranspose(forth);
    double *x = state->linear, *work = x + padded(3 * (size_t)part->freeCount);
    int unknowns = snLatticeModel_Unknowns(model);
    for (int i = 0; i < part->freeCount; i++) {
        const double *f = forces + 4 * (size_t)part->vertex[i];
        put(x, i, snMulMV(back, snVec(f[0], f[1], f[2])));
    }
    if (model->space) pullSide(&frame, x);
    snFactor_Solve(part->factor, 1, x, work);
    memset(moves, 0, (size_t)unknowns * 4 * sizeof *moves);
    for (int k = 0; k < 3 * part->unknownCount; k++) {
        int row = model->space ? k / 3 : part->vertex[k / 3];
        moves[4 * (size_t)row + (size_t)(k % 3)] = x[k];
    }
    if (points) snPointConstraints_Project(points, moves);
    snTurnRows(forth, unknowns, moves);
}

// Points in place. With a factor the answer is corrected after the solve: for the linear solver that is
// the constrained minimum, for the blended one the nearest in the norm of the scalar matrix. Conjugate
// gradients start where the points are met, and are projected.
bool snLinear_Solve(const snLatticeModel *model, snLatticeState *state, const snLatticeDrive *drive)
{
    snPointConstraints *points = drive->points;
    bool projected = !model->linear->blend && model->def.method == SN_METHOD_CG;
    double *values = snLatticeState_NextValues(model, state);
    if (points && projected) snPointConstraints_Start(points, values);
    if (points && projected && model->space) snSpace_Push(model, state, values, state->next);
    for (int lane = 0; lane < state->lanes; lane++) {
        int iterations = model->linear->blend ? snBlend_Solve(model, state, drive, lane)
                                              : solveWhole(model, state, drive, lane);
        if (iterations < 0) return false;
        state->linearIterations += iterations;
    }
    if (points && !projected) correctPoints(model, state, points, values);
    if (points && !projected && model->space) snSpace_Push(model, state, values, state->next);
    if (drive->pulls && drive->pulls->count > 0) snLinear_Pull(model, state, drive);
    return isFinite(model, state);
}

// ---- energy -----------------------------------------------------------------------------------

double snLinearPart_Energy(const snLinearPart *part, const snLinearFrame *f, double *scratch)
{
    double *u = scratch + padded(3 * (size_t)part->freeCount);
    double *stress = u + padded(3 * (size_t)part->vertexCount);
    for (int i = 0; i < part->vertexCount; i++)
        put(u, i,
            displacement(f, f->state->position, f->state->rig, f->state->shape, part->vertex[i]));
    snSparse_Multiply(&part->stiffness, 1, u, stress);
    return 0.5 * snDotProduct(3 * part->vertexCount, u, stress);
}

double snLinear_Energy(const snLatticeModel *model, snLatticeState *state, int lane)
{
    snLinearFrame frame = {model, state, NULL, lane, standing(model, state, lane), NULL};
    if (model->def.turn) frame.now = snTurning_Frame(model, state, state->position, lane, NULL);
    double energy = snLinearPart_Energy(model->linear->parts, &frame, state->linear);
    for (int i = 0; i < model->freeCount; i++) {
        snVec3 miss = snSub(snLatticeState_Vertex(state, state->position, i, lane),
                            snLatticeState_Vertex(state, state->rig, i, lane));
        energy += 0.5 * model->hold[i] * snLengthSquared(miss);
    }
    return energy;
}
