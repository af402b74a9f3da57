// Surfaces of a world's bodies into the caller's memory, what carries them elsewhere, and levels of detail.
#include "api/world_parts.h"

#include <string.h>

int snWorld_VertexCount(const snWorld *world, int body)
{
    const snBody *b = snWorld_Body(world, body);
    return b ? b->vertexCount : 0;
}

int snWorld_TriangleCount(const snWorld *world, int body)
{
    const snBody *b = snWorld_Body(world, body);
    return b ? b->triangleCount : 0;
}

void snWorld_ReadTriangles(const snWorld *world, int body, int *indices)
{
    const snBody *b = snWorld_Body(world, body);
    if (b && indices && b->triangleCount)
        memcpy(indices, b->triangles, (size_t)b->triangleCount * 3 * sizeof(int));
}

static void writeVertices(const snVec3f *from, int count, float *out, size_t stride)
{
    for (int v = 0; v < count; v++)
        memcpy((char *)out + (size_t)v * (stride ? stride : sizeof *from), &from[v], sizeof *from);
}

void snWorld_ReadSurface(snWorld *world, int body, const snSurfaceBuffer *surface)
{
    const snBody *b = snWorld_Body(world, body);
    snWorldOwner *owner = snWorld_Owner(world);
    snError why;
    if (!b || snRefuse(&world->context, snCheckSurface(surface, &why), &why)) return;
    snBody_Surface(b, owner->points, surface->normals ? owner->normals : NULL);
    writeVertices(owner->points, b->vertexCount, surface->positions, surface->positionStride);
    if (surface->normals)
        writeVertices(owner->normals, b->vertexCount, surface->normals, surface->normalStride);
}

// ---- surfaces carried elsewhere, detail -------------------------------------------------------------------------

int snWorld_EmbeddingWidth(const snWorld *world, int body)
{
    const snBody *b = snWorld_Body(world, body);
    snBodyRows rows;
    if (!b) return 0;
    snBody_Rows(b, &rows);
    return snBodyRows_Width(&rows, b->vertexCount);
}

int snWorld_ControlCount(const snWorld *world, int body)
{
    const snBody *b = snWorld_Body(world, body);
    snBodyRows rows;
    if (!b) return 0;
    snBody_Rows(b, &rows);
    return rows.controlCount;
}

void snWorld_ReadEmbedding(const snWorld *world, int body, int *controls, float *weights)
{
    const snBody *b = snWorld_Body(world, body);
    int width = snWorld_EmbeddingWidth(world, body);
    snBodyRows rows;
    if (!b || !controls || !weights) return;
    snBody_Rows(b, &rows);
    for (int v = 0; v < b->vertexCount; v++, controls += width, weights += width)
        for (int k = snBodyRows_Find(&rows, b, v, width, controls, weights); k < width; k++) {
            controls[k] = 0;
            weights[k] = 0;
        }
}

void snWorld_ReadControls(snWorld *world, int body, float *places, size_t stride)
{
    snWorldOwner *owner = snWorld_Owner(world);
    int count = snWorld_ControlCount(world, body);
    if (!count || !places) return;
    snBody_Controls(world->bodies.data[body], owner->controls);
    for (int i = 0; i < count; i++) {
        snVec3f place = snToF(owner->controls[i]);
        memcpy((char *)places + (size_t)i * (stride ? stride : sizeof place), &place, sizeof place);
    }
}

// Nearer ones, and of equally near ones those with lower numbers.
static int countNearer(const snWorld *world, int body)
{
    const double *far = snWorld_Owner(world)->far;
    int count = 0;
    for (int k = 0; k < world->bodies.count; k++)
        count += world->bodies.data[k]->levelCount > 1 &&
                 (far[k] < far[body] || (far[k] == far[body] && k < body));
    return count;
}

void snWorld_ChooseDetail(snWorld *world, const double eye[3], const snDetailRange *range)
{
    double *far = snWorld_Owner(world)->far;
    snError why;
    if (snRefuse(&world->context, snCheckDetail(eye, range, &why), &why)) return;
    for (int i = 0; i < world->bodies.count; i++) {
        snBodyMeasure m;
        if (world->bodies.data[i]->levelCount < 2) continue;
        snBody_Motion(world->bodies.data[i], &m);
        far[i] = snDistance(m.center, snVectorOf(eye));
        if (!(far[i] >= 0)) far[i] = INFINITY; // nothing is farther than what is nowhere
    }
    for (int i = 0; i < world->bodies.count; i++) {
        int coarsest = world->bodies.data[i]->levelCount - 1;
        if (coarsest < 1) continue;
        int level = far[i] <= range->full ? 0 : far[i] <= range->half ? 1 : coarsest;
        snWorld_SetBodyLevel(world, i, countNearer(world, i) < range->most ? level : coarsest);
    }
}

int snWorld_BodyLevelCount(const snWorld *world, int body)
{
    const snBody *b = snWorld_Body(world, body);
    return b && b->levelCount > 1 ? b->levelCount : 1;
}
