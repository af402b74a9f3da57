// Blended local linearisation. Linear strain is wrong under rotation, but flesh turns nearly as its
// bone does. So each region i is stepped as a linear body (linear.c) in the frame of its joint,
// x -> R^i x + o^i from rest to now, where its stiffness and so its whole matrix are constant:
//
//     (D^i + h (h + β) S^i) Δ^i = -D^i (y - t) - h (h + β) S^i (u'^i - c u_n^i)      in that frame
//     Δ_a = Σ_i W^i_a R^i Δ^i_a                                                     blended
//
// D^i and S^i are integrals over the region's cells alone: on its border it is cut off free of
// stress, and a vertex there has the mass that lies inside. With SN_REGION_ANY no vertex that
// counts (W^i > 0) is on the border. With SN_REGION_ALL it may be; weights are then divided among
// the regions that hold the vertex, and a vertex that none holds (one between two bones, say) is
// handed over to the region of its largest weight, together with the cells around it.
//
// Frames are in frames.c. o^i drops out of S^i u, for it moves all vertices alike.
#include "body/lattice/blended.h"

#include "body/lattice/frames.h"
#include "core/error.h"
#include "core/tasks.h"

#include <string.h>

// ---- building ---------------------------------------------------------------------------------

typedef struct Builder {
    snLinear *linear;
    snBlend *blend;
    snLatticeModel *model;
    const snLatticeModelDef *def;
    const snRegions *regions;
    unsigned char *inside; // [cells] of the region at work
    unsigned char *has;    // [vertices], W^i > 0 in the region at work
    int *handed;           // [vertices], the region a vertex is handed over to, or -1
    int *row;              // [weights of regions], of the vertex in the part, or -1
} Builder;

static snStatus getRegions(Builder *b, snRegions *own, snArena *scratch, snError *error)
{
    snRegionsDef def = snDefaultRegionsDef();
    def.lattice = &b->model->lattice;
    def.skin = b->def->skin;
    b->regions = b->def->regions ? b->def->regions : own;
    if (b->def->regions) return snRegions_Check(b->regions, b->model->vertexCount, error);
    return snRegions_FromSkin(own, &def, scratch, &b->model->context, error);
}

// Marks the vertices of a region, then its cells by the rule.
static void markCells(Builder *b, int region)
{
    const snLattice *lattice = &b->model->lattice;
    const snWeightRows *rows = &b->regions->rows;
    for (int v = 0; v < lattice->vertexCount; v++) {
        b->has[v] = 0;
        for (int k = rows->start[v]; k < rows->start[v + 1]; k++)
            b->has[v] |= rows->column[k] == region;
    }
    for (int c = 0; c < lattice->cellCount; c++) {
        int corners = (int)snLattice_Kind(lattice, c), count = 0;
        bool given = false;
        for (int k = 0; k < corners; k++) {
            int v = snLattice_Corners(lattice, c)[k];
            count += b->has[v];
            given |= b->handed[v] == region;
        }
        int needed = b->regions->rule == SN_REGION_ALL ? corners : 1;
        b->inside[c] = given || count >= needed;
    }
}

// The region of a vertex's largest weight; the first of equals.
static int largestRegion(const snWeightRows *rows, int vertex)
{
    int best = rows->start[vertex];
    for (int k = best; k < rows->start[vertex + 1]; k++)
        if (rows->weight[k] > rows->weight[best]) best = k;
    return rows->column[best];
}

// Finds the free vertices that no region holds.
static snStatus handOver(Builder *b, snArena *scratch, snError *error)
{
    const snLattice *lattice = &b->model->lattice;
    unsigned char *held = SN_NEW(scratch, unsigned char, lattice->vertexCount);
    if (!held) return snFailMemory(error);
    for (int v = 0; v < lattice->vertexCount; v++)
        b->handed[v] = -1;
    for (int r = 0; r < b->regions->regionCount; r++) {
        markCells(b, r);
        for (int c = 0; c < lattice->cellCount; c++)
            for (int k = lattice->cellStart[c]; k < lattice->cellStart[c + 1] && b->inside[c]; k++)
                held[lattice->corners[k]] |= b->has[lattice->corners[k]];
    }
    for (int v = 0; v < lattice->vertexCount; v++) {
        if (held[v] || b->model->indexOf[v] >= b->model->freeCount) continue;
        b->handed[v] = largestRegion(&b->regions->rows, v);
        b->blend->handedOver++;
    }
    return SN_OK;
}

// Notes where the part has its vertices.
static void noteRows(const Builder *b, int region)
{
    const snLinearPart *part = &b->linear->parts[region];
    const snWeightRows *rows = &b->regions->rows;
    for (int i = 0; i < part->freeCount; i++) {
        int v = b->model->vertexOf[part->vertex[i]];
        for (int k = rows->start[v]; k < rows->start[v + 1]; k++)
            if (rows->column[k] == region) b->row[k] = i;
    }
}

static snStatus buildParts(Builder *b, snArena *scratch, snError *error)
{
    snLinear *linear = b->linear;
    for (int r = 0; r < linear->partCount; r++) {
        markCells(b, r);
        snStatus status =
            snLinearPart_Build(&linear->parts[r], b->model, b->def, b->inside, scratch, error);
        if (status) return status;
        noteRows(b, r);
        b->blend->joint[r] = b->regions->joint[r];
        if (b->blend->joint[r] >= b->model->jointCount)
            b->model->jointCount = b->blend->joint[r] + 1;
        b->blend->scratchFrom[r] = linear->scratchSize;
        linear->scratchSize += 8 + linear->parts[r].scratchSize; // iterations before it
    }
    return SN_OK;
}

// The rows of blending: weights of the parts that hold a vertex, divided by their sum.
static void fillRows(Builder *b)
{
    const snWeightRows *rows = &b->regions->rows;
    snBlend *blend = b->blend;
    int count = 0;
    for (int i = 0; i < b->model->freeCount; i++) {
        int v = b->model->vertexOf[i];
        double sum = 0;
        for (int k = rows->start[v]; k < rows->start[v + 1]; k++) {
            if (b->row[k] < 0) continue;
            blend->part[count] = rows->column[k];
            blend->row[count] = b->row[k];
            blend->weight[count++] = rows->weight[k];
            sum += rows->weight[k];
        }
        for (int k = blend->start[i]; k < count; k++)
            blend->weight[k] /= sum;
        blend->start[i + 1] = count;
    }
}

static snStatus allocate(Builder *b, snArena *scratch, snError *error)
{
    snArena *arena = &b->model->arena;
    const snLatticeModel *model = b->model;
    int count = b->regions->regionCount, weights = b->regions->rows.start[model->vertexCount];
    b->linear->partCount = count;
    b->linear->parts = SN_NEW(arena, snLinearPart, count);
    b->blend->joint = SN_NEW(arena, int, count);
    b->blend->scratchFrom = SN_NEW(arena, size_t, count);
    b->blend->start = SN_NEW(arena, int, model->freeCount + 1);
    b->blend->part = SN_NEW(arena, int, weights);
    b->blend->row = SN_NEW(arena, int, weights);
    b->blend->weight = SN_NEW(arena, double, weights);
    b->inside = SN_NEW(scratch, unsigned char, model->lattice.cellCount);
    b->has = SN_NEW(scratch, unsigned char, model->vertexCount);
    b->handed = SN_NEW(scratch, int, model->vertexCount);
    b->row = SN_NEW(scratch, int, weights);
    const snBlend *blend = b->blend;
    if (!b->linear->parts || !blend->joint || !blend->scratchFrom || !blend->start ||
        !blend->part || !blend->row || !blend->weight)
        return snFailMemory(error);
    if (!b->inside || !b->has || !b->handed || !b->row) return snFailMemory(error);
    for (int k = 0; k < weights; k++)
        b->row[k] = -1;
    return SN_OK;
}

snStatus snBlend_Build(snLinear *linear, snLatticeModel *model, const snLatticeModelDef *def,
                       snArena *scratch, snError *error)
{
    Builder b = {.linear = linear, .model = model, .def = def};
    snRegions own;
    b.blend = linear->blend = SN_NEW(&model->arena, snBlend, 1);
    if (!b.blend) return snFailMemory(error);
    snStatus status = getRegions(&b, &own, scratch, error);
    if (!status) status = allocate(&b, scratch, error);
    if (!status) status = handOver(&b, scratch, error);
    if (!status) status = buildParts(&b, scratch, error);
    if (!status) status = snFrames_Build(model, b.regions, def->motion, error);
    if (!status) fillRows(&b);
    return status;
}

// ---- stepping ---------------------------------------------------------------------------------

typedef struct Task {
    const snLatticeModel *model;
    snLatticeState *state;
    const snLatticeDrive *drive;
    int lane;
} Task;

// A frame that is all zero was never set: the state has just been started.
static const snAffine *oldFrame(const Task *task, int part)
{
    const snAffine *frame =
        task->state->frames + task->lane * task->model->linear->partCount + part;
    return snNormSquaredM(frame->linear) > 0 ? frame : NULL;
}

static void solveParts(int begin, int end, int worker, void *context)
{
    (void)worker;
    const Task *task = context;
    const snLinear *linear = task->model->linear;
    for (int p = begin; p < end; p++) {
        double *scratch = task->state->linear + linear->blend->scratchFrom[p];
        snLinearFrame frame = {
            task->model,      task->state, task->drive, task->lane, task->state->newFrames[p],
            oldFrame(task, p)};
        scratch[0] = snLinearPart_Solve(&linear->parts[p], &frame, scratch + 8);
    }
}

static void blendParts(const Task *task)
{
    const snBlend *blend = task->model->linear->blend;
    snLatticeState *state = task->state;
    for (int i = 0; i < task->model->freeCount; i++) {
        snVec3 sum = {0, 0, 0};
        for (int k = blend->start[i]; k < blend->start[i + 1]; k++) {
            const double *d =
                state->linear + blend->scratchFrom[blend->part[k]] + 8 + 3 * blend->row[k];
            sum = snMulAdd(sum, blend->weight[k], snVec(d[0], d[1], d[2]));
        }
        state->next[snLatticeState_At(state, i, 0, task->lane)] += sum.x;
        state->next[snLatticeState_At(state, i, 1, task->lane)] += sum.y;
        state->next[snLatticeState_At(state, i, 2, task->lane)] += sum.z;
    }
}

// The frames of all parts at the step's end. Those at its begin are remembered; in the first step
// only fitted ones can be found.
static bool findFrames(const Task *task)
{
    const snLatticeModel *model = task->model;
    const snLinear *linear = model->linear;
    snLatticeState *state = task->state;
    const snAffine *joints = task->drive->joints;
    if (joints) joints += task->lane * model->jointCount;
    snFrameSource end = {model, state, state->next, model->def.step, joints, task->lane};
    snFrameSource begin = {model, state, state->position, 0, NULL, task->lane};
    for (int p = 0; p < linear->partCount; p++) {
        snAffine *old = state->frames + task->lane * linear->partCount + p;
        if (!oldFrame(task, p) && linear->blend->fit[p]) snFrames_Find(&begin, p, old);
        if (!snFrames_Find(&end, p, &state->newFrames[p])) return false;
    }
    return true;
}

int snBlend_Solve(const snLatticeModel *model, snLatticeState *state, const snLatticeDrive *drive,
                  int lane)
{
    const snLinear *linear = model->linear;
    Task task = {model, state, drive, lane};
    double iterations = 0;
    if (!findFrames(&task)) return -1;
    snParallelFor(&model->context.tasks, linear->partCount, 1, solveParts, &task);
    blendParts(&task);
    for (int p = 0; p < linear->partCount; p++) {
        double count = state->linear[linear->blend->scratchFrom[p]];
        if (count < 0) return -1;
        iterations += count;
    }
    memcpy(state->frames + lane * linear->partCount, state->newFrames,
           (size_t)linear->partCount * sizeof(snAffine));
    return (int)iterations;
}

double snBlended_RegionEnergy(const snLatticeModel *model, snLatticeState *state,
                              const snAffine *joints, int region, int lane)
{
    const snLinear *linear = model->linear;
    snLinearFrame frame = {model, state, NULL, lane, snIdentityAffine(), NULL};
    snFrameSource source = {model, state, state->position, 0, joints, lane};
    if (!snFrames_Find(&source, region, &frame.now)) return NAN;
    double *scratch = state->linear + linear->blend->scratchFrom[region] + 8;
    return snLinearPart_Energy(&linear->parts[region], &frame, scratch);
}
