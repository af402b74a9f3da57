// Surfaces of a crowd's members into the caller's memory, and what carries them elsewhere.
#include "api/crowd_parts.h"

#include "body/lattice/detail.h"
#include "core/error.h"

#include <string.h>

// What lattice vertices do beyond their rig, as it is seen: less while flesh fades out.
static const float *findOffsets(const snCrowd *crowd, snCrowdWorker *worker, const snMember *m)
{
    const snLatticeState *state = worker->state;
    int count = 4 * snCrowd_LatticeCount(crowd);
    for (int k = 0; k < count; k++)
        worker->offsets[k] = (float)(m->amount * (state->position[k] - state->rig[k]));
    return worker->offsets;
}

static void writePositions(const float *rows, int count, float *out, size_t stride)
{
    for (int v = 0; v < count; v++)
        memcpy((char *)out + (size_t)v * stride, rows + 4 * (size_t)v, 3 * sizeof(float));
}

static void writeNormals(const snCrowd *crowd, snCrowdWorker *worker, float *out, size_t stride)
{
    size_t floats = stride / sizeof(float);
    float *own = crowd->normalOf ? worker->normals : out;
    snCarry_NormalsOfRows(&crowd->carry, worker->rows, worker->areas, own,
                          crowd->normalOf ? 3 : floats);
    for (int v = 0; crowd->normalOf && v < crowd->character->vertexCount; v++)
        memcpy(out + (size_t)v * floats, own + 3 * (size_t)crowd->normalOf[v], 3 * sizeof(float));
}

// The worker's state and pose are the member's.
void snCrowd_WriteSurface(const snCrowd *crowd, snCrowdWorker *worker, int member,
                          const snSurfaceBuffer *out)
{
    const snMember *m = snCrowd_Member(crowd, member);
    size_t positionStride = out->positionStride ? out->positionStride : 3 * sizeof(float);
    size_t normalStride = out->normalStride ? out->normalStride : 3 * sizeof(float);
    SN_ASSERT(positionStride % sizeof(float) == 0 && normalStride % sizeof(float) == 0);
    snCrowd_ShowPose(crowd, worker, member); // a member that sleeps was not posed in this call
    snCharacter_SurfaceRows(crowd->character, &worker->pose, worker->rows);
    if (m->started) snCarry_AddToRows(&crowd->carry, findOffsets(crowd, worker, m), worker->rows);
    writePositions(worker->rows, crowd->character->vertexCount, out->positions, positionStride);
    if (out->normals) writeNormals(crowd, worker, out->normals, normalStride);
}

void snCrowd_ReadSurface(snCrowd *crowd, int member, const snSurfaceBuffer *surface)
{
    snCrowd_Use(crowd, &crowd->workers[0], member);
    snCrowd_WriteSurface(crowd, &crowd->workers[0], member, surface);
}

double snCrowd_Offset(snCrowd *crowd, int member)
{
    snCrowdWorker *worker = &crowd->workers[0];
    const snMember *m = snCrowd_Member(crowd, member);
    double worst = 0;
    snCrowd_Use(crowd, worker, member);
    snCrowd_ShowPose(crowd, worker, member);
    snCharacter_SurfaceRows(crowd->character, &worker->pose, worker->rows);
    for (int v = 0; v < crowd->character->vertexCount && m->started; v++) {
        snVec3f rig, soft;
        memcpy(&rig, worker->rows + 4 * (size_t)v, sizeof rig);
        soft = snFlesh_SoftPoint(crowd->flesh, worker->state, rig, v);
        double d = m->amount * snDistance(snFromF(soft), snFromF(rig));
        if (d > worst) worst = d;
    }
    return worst / crowd->flesh->height;
}

// ---- embedding ----------------------------------------------------------------------------------------------

int snCrowd_EmbeddingWidth(const snCrowd *crowd)
{
    return crowd->carry.width;
}

int snCrowd_LatticeCount(const snCrowd *crowd)
{
    const snLatticeModel *model = crowd->flesh->model;
    return model->vertexCount + (model->detail ? model->detail->pointCount : 0);
}

void snCrowd_ReadEmbedding(const snCrowd *crowd, int *vertices, float *weights)
{
    size_t count = (size_t)crowd->carry.pointCount * (size_t)crowd->carry.width;
    for (size_t k = 0; k < count; k++) {
        vertices[k] = crowd->carry.vertex[k];
        weights[k] = (float)crowd->carry.weight[k];
    }
}

void snCrowd_ReadLattice(snCrowd *crowd, int member, float *offsets, size_t stride)
{
    const snMember *m = snCrowd_Member(crowd, member);
    int count = snCrowd_LatticeCount(crowd);
    snCrowdWorker *worker = &crowd->workers[0];
    snCrowd_Use(crowd, worker, member);
    const float *own = findOffsets(crowd, worker, m), none[3] = {0, 0, 0};
    for (int i = 0; i < count; i++)
        memcpy((char *)offsets + (size_t)i * (stride ? stride : sizeof none),
               m->started ? own + 4 * i : none, sizeof none);
}
