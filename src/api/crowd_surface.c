// Surfaces of a crowd's members into the caller's memory, and what carries them elsewhere.
#include "api/crowd_parts.h"

#include "body/lattice/detail.h"
#include "core/check.h"
#include "core/simd.h"

#include <string.h>

snStatus snCheckSurface(const snSurfaceBuffer *surface, snError *error)
{
    snStatus status = snCheckPointer("surface", surface, error);
    if (!status) status = snCheckPointer("positions", surface->positions, error);
    if (!status && (surface->positionStride | surface->normalStride) % sizeof(float) != 0)
        status = snFail(error, SN_ERROR_ARGUMENT,
                        "strides of %zu and %zu bytes; they must be multiples of 4",
                        surface->positionStride, surface->normalStride);
    return status;
}

// What lattice vertices do beyond their rig, as it is seen: less while flesh fades out.
static const float *findOffsets(const snCrowd *crowd, snCrowdWorker *worker, const snMember *m)
{
    const snLatticeState *state = worker->state;
    int count = 4 * snCrowd_LatticeCount(crowd);
    for (int k = 0; k < count; k++)
        worker->offsets[k] = (float)(m->amount * (state->position[k] - state->rig[k]));
    return worker->offsets;
}

static void writePositions(const snCrowd *crowd, const snCrowdWorker *worker, char *out,
                           size_t stride)
{
    for (int v = 0, count = crowd->character->vertexCount; v < count; v++, out += stride)
        memcpy(out, worker->rows + 4 * (size_t)v, 3 * sizeof(float));
}

// A normal that follows its position: two stores write both.
static void writeTogether(const snCrowd *crowd, const snCrowdWorker *worker, char *out,
                          size_t stride)
{
    const float *rows = worker->rows, *normals = worker->normals;
    const int *normalOf = crowd->normalOf;
    for (int v = 0, count = crowd->character->vertexCount; v < count; v++, out += stride) {
        snFloat4 p, n;
        memcpy(&p, rows + 4 * (size_t)v, sizeof p);
        memcpy(&n, normals + 4 * (size_t)(normalOf ? normalOf[v] : v), sizeof n);
        snFloat4 first = __builtin_shufflevector(p, n, 0, 1, 2, 4);
        snFloat4 second = __builtin_shufflevector(n, n, 1, 2, 2, 2);
        memcpy(out, &first, sizeof first);
        memcpy(out + sizeof first, &second, 2 * sizeof(float));
    }
}

static void writeNormals(const snCrowd *crowd, const snCrowdWorker *worker, char *out,
                         size_t stride)
{
    const float *normals = worker->normals;
    const int *normalOf = crowd->normalOf;
    for (int v = 0, count = crowd->character->vertexCount; v < count; v++, out += stride)
        memcpy(out, normals + 4 * (size_t)(normalOf ? normalOf[v] : v), 3 * sizeof(float));
}

// The worker's state and pose are the member's.
void snCrowd_WriteSurface(const snCrowd *crowd, snCrowdWorker *worker, int member,
                          const snSurfaceBuffer *out)
{
    const snMember *m = snCrowd_Member(crowd, member);
    snSurfaceBuffer to = *out;
    if (!to.positionStride) to.positionStride = 3 * sizeof(float);
    if (!to.normalStride) to.normalStride = 3 * sizeof(float);
    snCharacter_SurfaceRows(crowd->character, &worker->pose, worker->rows);
    if (m->started) snCarry_AddToRows(&crowd->carry, findOffsets(crowd, worker, m), worker->rows);
    if (to.normals)
        snCarry_NormalsOfRows(&crowd->carry, worker->rows, worker->areas, worker->normals);
    char *positions = (char *)to.positions, *normals = (char *)to.normals;
    if (to.normals == to.positions + 3 && to.positionStride == to.normalStride) {
        writeTogether(crowd, worker, positions, to.positionStride);
        return;
    }
    writePositions(crowd, worker, positions, to.positionStride);
    if (normals) writeNormals(crowd, worker, normals, to.normalStride);
}

void snCrowd_ReadSurface(snCrowd *crowd, int member, const snSurfaceBuffer *surface)
{
    snError why;
    snStatus bad = snCheckIndex("member", member, crowd->memberCount, &why);
    if (!bad) bad = snCheckSurface(surface, &why);
    if (snRefuse(&crowd->context, bad, &why)) return;
    snCrowd_Use(crowd, &crowd->workers[0], member);
    snCrowd_ShowPose(crowd, &crowd->workers[0], member);
    snCrowd_WriteSurface(crowd, &crowd->workers[0], member, surface);
}

double snCrowd_Offset(snCrowd *crowd, int member)
{
    snCrowdWorker *worker = &crowd->workers[0];
    if (!snCrowd_Has(crowd, member)) return 0;
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
    for (size_t k = 0; k < count && vertices && weights; k++) {
        vertices[k] = crowd->carry.vertex[k];
        weights[k] = (float)crowd->carry.weight[k];
    }
}

void snCrowd_ReadLattice(snCrowd *crowd, int member, float *offsets, size_t stride)
{
    if (!offsets || !snCrowd_Has(crowd, member)) return;
    const snMember *m = snCrowd_Member(crowd, member);
    int count = snCrowd_LatticeCount(crowd);
    snCrowdWorker *worker = &crowd->workers[0];
    snCrowd_Use(crowd, worker, member);
    const float *own = findOffsets(crowd, worker, m), none[3] = {0, 0, 0};
    for (int i = 0; i < count; i++)
        memcpy((char *)offsets + (size_t)i * (stride ? stride : sizeof none),
               m->started ? own + 4 * i : none, sizeof none);
}
