// What stays the same of bones while they move: which unknowns there are, and the matrices of flesh that is condensed to its links.
//
// A vertex that hangs on links is Σ_j w_aj T_j r_a, linear in the affine motions T_j: over the four columns of each T_j, as
// scalars the same for x, y and z, its row is w_aj (r_a, 1). With R_k the rows of vertices on bones, R_u those of where the rig has free ones, and
// E = diag(h² κ + h α m + h β κ) for the springs and drag between both (step.c), the quadratic form that the search's matrix
// stands for is, over free vertices and links,
//
//     Q = | A                  A_uk R_k - E R_u                          |
//         | .   R_kᵀ (A_kk + M_k) R_k + R_uᵀ E R_u + Σ_b m_b r_b r_bᵀ    |
//
// where A_uk and A_kk have elastic parts alone and M_k, m_b are masses on bones. W = A⁻¹ Q_uT and S = Q_TT - Q_uTᵀ W take a
// back-substitution for each three columns, once.
#include "body/lattice/bones_parts.h"

#include "core/error.h"

#include <string.h>

static snStatus check(const snBonesDef *def, snError *error)
{
    const snLatticeModel *model = def->model;
    if (model->def.motion != SN_MOTION_FULL || model->def.precision != SN_PRECISION_DOUBLE ||
        model->def.solver != SN_SOLVER_PROJECTIVE || model->space || model->detail)
        return snFail(error, SN_ERROR_UNSUPPORTED,
                      "bones that give way need flesh of full motion, in double precision, without "
                      "details, and the projective solver");
    if (!(def->left >= 0 && def->left <= 1))
        return snFail(error, SN_ERROR_ARGUMENT,
                      "bones leave %g of the mass of what is on them; it must be from 0 to 1",
                      def->left);
    for (int v = 0; v < model->vertexCount; v++) {
        bool any = model->skin.start[v] < model->skin.start[v + 1];
        if (v >= model->freeCount && !any)
            return snFail(error, SN_ERROR_GEOMETRY,
                          "a vertex of the lattice is held and hangs on no joint: it cannot move "
                          "with bones that give way");
        for (int k = model->skin.start[v]; k < model->skin.start[v + 1]; k++)
            if (model->skin.column[k] >= def->linkCount)
                return snFail(error, SN_ERROR_ARGUMENT, "there is no link %d; there are %d",
                              model->skin.column[k], def->linkCount);
    }
    return SN_OK;
}

// ---- unknowns and rows --------------------------------------------------------------------------

static void listUnknowns(snBones *b, const snBonesDef *def)
{
    const snWeightRows *skin = &b->model->skin;
    for (int j = 0; j < b->linkCount; j++) {
        b->rowOf[j] = def->turns[j] ? b->rows : -1;
        b->columnOf[j] = -1;
        if (def->turns[j]) b->rows += def->parent[j] < 0 ? 2 : 1;
    }
    for (int v = 0; v < b->model->vertexCount; v++)
        for (int k = skin->start[v]; k < skin->start[v + 1]; k++)
            b->columnOf[skin->column[k]] = 0;
    for (int i = 0; i < def->pointCount; i++)
        b->columnOf[def->points[i].link] = 0;
    for (int j = 0; j < b->linkCount; j++) {
        if (b->columnOf[j] < 0) continue;
        b->columnOf[j] = b->columns;
        b->columns += 4;
    }
}

// Free vertices that hang on the rig, with h² κ and h α m + h β κ.
static snStatus listTied(snBones *b, snError *error)
{
    const snLatticeModel *model = b->model;
    double h = model->def.step, beta = model->def.stiffnessDamping;
    int n = 0;
    b->tied = SN_NEW(&b->arena, int, model->freeCount);
    b->spring = SN_NEW(&b->arena, double, model->freeCount);
    b->drag = SN_NEW(&b->arena, double, model->freeCount);
    b->carried = SN_NEW(&b->arena, snVec3, model->freeCount);
    if (!b->tied || !b->spring || !b->drag || !b->carried) return snFailMemory(error);
    for (int v = 0; v < model->freeCount; v++) {
        double spring = h * h * model->hold[v];
        double drag = h * (model->drag[v] * model->mass[v] + beta * model->hold[v]);
        bool rigged = model->skin.start[v] < model->skin.start[v + 1];
        if (!(spring + drag > 0) || !rigged) continue;
        b->tied[n] = v;
        b->spring[n] = spring;
        b->drag[n++] = drag;
    }
    b->tiedCount = n;
    return SN_OK;
}

// factor * w_aj (r_a, 1) of a vertex, added to a row over columns.
static void addRigRow(const snBones *b, int vertex, double factor, double *row)
{
    const snWeightRows *skin = &b->model->skin;
    snVec3 r = b->model->rest[vertex];
    for (int k = skin->start[vertex]; k < skin->start[vertex + 1]; k++) {
        double *at = row + b->columnOf[skin->column[k]], w = factor * skin->weight[k];
        at[0] += w * r.x;
        at[1] += w * r.y;
        at[2] += w * r.z;
        at[3] += w;
    }
}

void snBones_Column(const snBones *b, int count, const int *vertex, const double *weight,
                    double *column)
{
    size_t columns = (size_t)b->columns;
    memset(column, 0, columns * sizeof(double));
    for (int k = 0; k < count; k++) {
        if (vertex[k] >= b->model->freeCount) {
            addRigRow(b, vertex[k], weight[k], column);
            continue;
        }
        const double *spread = b->spread + (size_t)vertex[k] * columns;
        for (size_t i = 0; i < columns && weight[k] != 0; i++)
            column[i] -= weight[k] * spread[i];
    }
}

// ---- the blocks ---------------------------------------------------------------------------------

typedef struct Blocks {
    double *between; // [free][columns], Q_uT
    double *links;   // [columns][columns], Q_TT
    double *rows;    // [2 * columns], scratch
} Blocks;

static void addOuter(const snBones *b, double factor, const double *x, const double *y,
                     double *matrix)
{
    for (int i = 0; i < b->columns; i++)
        for (int j = 0; j < b->columns && x[i] != 0; j++)
            matrix[(size_t)i * (size_t)b->columns + (size_t)j] += factor * x[i] * y[j];
}

// k V h (h + β) ∇φ_i · ∇φ_j of one element's corners.
static void addElement(const snBones *b, const snElementClass *class, int element, Blocks *q)
{
    const snLatticeModel *model = b->model;
    int group = element / class->group, lane = element % class->group, n = class->corners;
    double h = model->def.step, scale = h * (h + model->def.stiffnessDamping);
    double stiffness = scale * (snLatticeModel_Real(model, class->shear, (size_t)element) +
                                snLatticeModel_Real(model, class->bulk, (size_t)element));
    snVec3 slope[8] = {{0, 0, 0}};
    int vertex[8];
    bool bones = false;
    for (int k = 0; k < n; k++) {
        vertex[k] = class->vertex[(group * n + k) * class->group + lane];
        bones |= vertex[k] >= model->freeCount;
        for (size_t c = 0; c < 3 && k; c++) {
            size_t first = ((size_t)group * (size_t)(n - 1) + (size_t)(k - 1)) * 3;
            (&slope[k].x)[c] = snLatticeModel_Real(
                model, class->gradient, (first + c) * (size_t) class->group + (size_t)lane);
        }
        if (k) slope[0] = snSub(slope[0], slope[k]);
    }
    for (int i = 0; i < n && bones; i++)
        for (int j = 0; j < n; j++) {
            double value = stiffness * snDot(slope[i], slope[j]);
            if (vertex[j] < model->freeCount || value == 0) continue;
            if (vertex[i] < model->freeCount) {
                addRigRow(b, vertex[j], value, q->between + (size_t)vertex[i] * (size_t)b->columns);
                continue;
            }
            memset(q->rows, 0, 2 * (size_t)b->columns * sizeof(double));
            addRigRow(b, vertex[i], 1, q->rows);
            addRigRow(b, vertex[j], 1, q->rows + b->columns);
            addOuter(b, value, q->rows, q->rows + b->columns, q->links);
        }
}

static void addSquare(const snBones *b, int vertex, double factor, Blocks *q)
{
    memset(q->rows, 0, (size_t)b->columns * sizeof(double));
    addRigRow(b, vertex, 1, q->rows);
    addOuter(b, factor, q->rows, q->rows, q->links);
}

static void fillBlocks(const snBones *b, Blocks *q)
{
    const snLatticeModel *model = b->model;
    for (int c = 0; c < 2; c++)
        for (int e = 0; e < model->classes[c].count; e++)
            addElement(b, &model->classes[c], e, q);
    for (int v = model->freeCount; v < model->vertexCount; v++)
        addSquare(b, v, b->mass[v], q);
    for (int i = 0; i < b->tiedCount; i++) {
        double tie = b->spring[i] + b->drag[i];
        addRigRow(b, b->tied[i], -tie, q->between + (size_t)b->tied[i] * (size_t)b->columns);
        addSquare(b, b->tied[i], tie, q);
    }
    for (int i = 0; i < b->pointCount; i++) {
        const snBonePoint *p = &b->points[i];
        double row[4] = {p->rest.x, p->rest.y, p->rest.z, 1};
        int first = b->columnOf[p->link];
        for (int x = 0; x < 16; x++)
            q->links[(size_t)(first + x / 4) * (size_t)b->columns + (size_t)(first + x % 4)] +=
                p->mass * row[x / 4] * row[x % 4];
    }
}

// W, three columns at a time: one each in x, y and z; then S.
static snStatus condense(snBones *b, Blocks *q, snArena *scratch, snError *error)
{
    const snLatticeModel *model = b->model;
    size_t columns = (size_t)b->columns, free = (size_t)model->freeCount;
    double *rows = SN_NEW(scratch, double, free * 4);
    double *solve = SN_NEW(scratch, double, snLatticeModel_SolveSize(model));
    b->spread = SN_NEW(&b->arena, double, free *columns);
    b->condensed = SN_COPY(&b->arena, double, q->links, columns *columns);
    if (!rows || !solve || !b->spread || !b->condensed) return snFailMemory(error);
    for (size_t first = 0; first < columns; first += 3) {
        size_t count = columns - first < 3 ? columns - first : 3;
        memset(rows, 0, free * 4 * sizeof(double));
        for (size_t v = 0; v < free; v++)
            for (size_t c = 0; c < count; c++)
                rows[4 * v + c] = q->between[v * columns + first + c];
        snLatticeModel_SolveRows(model, rows, solve);
        for (size_t v = 0; v < free; v++)
            for (size_t c = 0; c < count; c++)
                b->spread[v * columns + first + c] = rows[4 * v + c];
    }
    for (size_t v = 0; v < free; v++)
        for (size_t i = 0; i < columns; i++) {
            double value = q->between[v * columns + i];
            for (size_t j = 0; j < columns && value != 0; j++)
                b->condensed[i * columns + j] -= value * b->spread[v * columns + j];
        }
    for (size_t i = 0; i < columns; i++) // to the last digit
        for (size_t j = 0; j < i; j++) {
            double mean = 0.5 * (b->condensed[i * columns + j] + b->condensed[j * columns + i]);
            b->condensed[i * columns + j] = b->condensed[j * columns + i] = mean;
        }
    return SN_OK;
}

// ---- making -------------------------------------------------------------------------------------

static bool allocateStep(snBones *b)
{
    snArena *arena = &b->arena;
    size_t links = (size_t)b->linkCount, rows = (size_t)b->rows * 4, free3 = (size_t)b->rows * 3;
    size_t vertices = (size_t)b->model->vertexCount * 4, columns = (size_t)b->columns;
    b->links = SN_NEW(arena, snBoneLink, links);
    b->begunLinks = SN_NEW(arena, snBoneLink, links);
    b->begun = SN_NEW(arena, double, vertices);
    b->joints = SN_NEW(arena, snBoneJoint, links);
    b->speeds = SN_NEW(arena, snVec3, b->pointCount);
    b->turned = SN_NEW(arena, snQuat, links);
    b->origin = SN_NEW(arena, snVec3, links);
    b->linear = SN_NEW(arena, snMat3, links);
    b->guess = SN_NEW(arena, snQuat, links);
    b->guessPlace = SN_NEW(arena, snVec3, links);
    b->guessTurned = SN_NEW(arena, snQuat, links);
    b->guessOrigin = SN_NEW(arena, snVec3, links);
    b->guessLinear = SN_NEW(arena, snMat3, links);
    double **vectors[] = {&b->values,    &b->previous, &b->gradient, &b->previousGradient,
                          &b->direction, &b->answer,   &b->load};
    bool good = true;
    for (int k = 0; k < 7; k++)
        good &= (*vectors[k] = SN_NEW(arena, double, rows)) != NULL;
    for (int k = 0; k < SN_MEMORY; k++) {
        good &= (b->moves[k] = SN_NEW(arena, double, rows)) != NULL;
        good &= (b->turns[k] = SN_NEW(arena, double, rows)) != NULL;
    }
    b->matrix = SN_NEW(arena, double, free3 *free3);
    b->inertial = SN_NEW(arena, double, vertices);
    b->pointInertial = SN_NEW(arena, snVec3, b->pointCount);
    b->force = SN_NEW(arena, snVec3, links);
    b->moment = SN_NEW(arena, snVec3, links);
    b->torque = SN_NEW(arena, snVec3, links);
    b->affine = SN_NEW(arena, double, columns * 4);
    b->change = SN_NEW(arena, double, columns * 4);
    b->pairs = SN_NEW(arena, double, links *links * 36);
    b->wide = SN_NEW(arena, double, vertices);
    b->solve = SN_NEW(arena, double, vertices + snLatticeModel_SolveSize(b->model));
    b->answerOf = SN_NEW(arena, int, b->mostAnswers);
    b->answers = SN_NEW(arena, double, (size_t)b->mostAnswers *free3);
    b->covector = SN_NEW(arena, double, free3);
    good = good && b->begunLinks && b->begun;
    return good && b->links && b->joints && b->speeds && b->turned && b->origin && b->linear &&
           b->guess && b->guessPlace && b->guessTurned && b->guessOrigin && b->guessLinear &&
           b->matrix && b->inertial && b->pointInertial && b->force && b->moment && b->torque &&
           b->affine && b->change && b->pairs && b->wide && b->solve && b->answerOf && b->answers &&
           b->covector;
}

static void weigh(snBones *b, const snBonesDef *def)
{
    const snLatticeModel *model = b->model;
    for (int v = 0; v < model->vertexCount; v++) {
        b->mass[v] = model->mass[v] * (v < model->freeCount ? 1 : def->left);
        b->totalMass += b->mass[v];
    }
    for (int i = 0; i < b->pointCount; i++)
        b->totalMass += b->points[i].mass;
}

static snStatus build(snBones *b, const snBonesDef *def, snArena *scratch, snError *error)
{
    snArena *arena = &b->arena;
    Blocks q;
    b->parent = SN_COPY(arena, int, def->parent, b->linkCount);
    b->center = SN_COPY(arena, snVec3, def->joint, b->linkCount);
    b->points = SN_COPY(arena, snBonePoint, def->points, b->pointCount);
    b->mass = SN_NEW(arena, double, b->model->vertexCount);
    b->rowOf = SN_NEW(arena, int, b->linkCount);
    b->columnOf = SN_NEW(arena, int, b->linkCount);
    if (!b->parent || !b->center || !b->points || !b->mass || !b->rowOf || !b->columnOf)
        return snFailMemory(error);
    weigh(b, def);
    listUnknowns(b, def);
    snStatus status = listTied(b, error);
    if (!status)
        status = snLatticeModel_ListSlots(b->model, b->model->freeCount,
                                          b->model->vertexCount - b->model->freeCount, &b->gather,
                                          &b->arena, error);
    if (!status && !allocateStep(b)) status = snFailMemory(error);
    if (status) return status;
    q.between = SN_NEW(scratch, double, (size_t)b->model->freeCount *(size_t)b->columns);
    q.links = SN_NEW(scratch, double, (size_t)b->columns *(size_t)b->columns);
    q.rows = SN_NEW(scratch, double, 2 * (size_t)b->columns);
    if (!q.between || !q.links || !q.rows) return snFailMemory(error);
    fillBlocks(b, &q);
    status = condense(b, &q, scratch, error);
    for (int j = 0; j < b->linkCount; j++) {
        b->links[j] = (snBoneLink){.relative = snIdentityQuat(), .place = b->center[j]};
        b->joints[j].target = snIdentityQuat();
    }
    return status ? status : snBones_FindGive(b, error);
}

snStatus snBones_Make(snBones **out, const snBonesDef *def, const snContext *context,
                      snError *error)
{
    *out = NULL;
    snStatus status = check(def, error);
    if (status) return status;
    snArena arena = snMakeArena(context), scratch = snMakeArena(context);
    snBones *b = SN_NEW(&arena, snBones, 1);
    if (!b) return snFailMemory(error);
    b->arena = arena;
    b->model = def->model;
    b->linkCount = def->linkCount;
    b->pointCount = def->pointCount;
    b->mostAnswers = SN_MOST_PUSHING;
    status = build(b, def, &scratch, error);
    snArena_Destroy(&scratch);
    if (status)
        snBones_Destroy(b);
    else
        *out = b;
    return status;
}

void snBones_Destroy(snBones *bones)
{
    if (!bones) return;
    snArena_DestroyWithin(&bones->arena);
}
