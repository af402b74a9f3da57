#include "cli/run_props.h"

#include "core/elementary.h"
#include "core/error.h"

#include <string.h>

#define RINGS 16 // of a sphere
#define SPOKES 32

static snStatus makeBox(snRunProp *prop, snVec3 half, snArena *arena, snError *error)
{
    static const int faces[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                    {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    prop->points = SN_NEW(arena, snVec3, 24);
    prop->triangles = SN_NEW(arena, int, 36);
    if (!prop->points || !prop->triangles) return snFailMemory(error);
    for (int f = 0; f < 6; f++)
        for (int k = 0; k < 4; k++) { // each face has its own corners, so that edges are seen
            int c = faces[f][k];
            prop->points[prop->vertexCount++] =
                snVec(c & 1 ? half.x : -half.x, c & 2 ? half.y : -half.y, c & 4 ? half.z : -half.z);
        }
    for (int f = 0; f < 6; f++) {
        const int corner[6] = {0, 1, 2, 0, 2, 3};
        for (int k = 0; k < 6; k++)
            prop->triangles[6 * f + k] = 4 * f + corner[k];
    }
    prop->triangleCount = 12;
    return SN_OK;
}

// A sphere, or with its halves drawn apart along y a capsule.
static snStatus makeRound(snRunProp *prop, double radius, double half, snArena *arena,
                          snError *error)
{
    int rows = 2 * RINGS + 2;
    prop->points = SN_NEW(arena, snVec3, rows * SPOKES);
    prop->triangles = SN_NEW(arena, int, (rows - 1) * SPOKES * 6);
    if (!prop->points || !prop->triangles) return snFailMemory(error);
    for (int i = 0; i < rows; i++) {
        bool upper = i > RINGS;
        double angle = SN_PI * (i - upper) / (2 * RINGS), r = radius * snSin(angle);
        double y = -radius * snCos(angle) + (upper ? half : -half);
        for (int k = 0; k < SPOKES; k++) {
            double turn = 2 * SN_PI * k / SPOKES;
            prop->points[prop->vertexCount++] = snVec(r * snCos(turn), y, r * snSin(turn));
        }
    }
    for (int i = 0; i + 1 < rows; i++)
        for (int k = 0; k < SPOKES; k++) {
            int a = i * SPOKES + k, b = i * SPOKES + (k + 1) % SPOKES;
            int quad[6] = {a, a + SPOKES, b + SPOKES, a, b + SPOKES, b};
            memcpy(prop->triangles + 3 * prop->triangleCount, quad, sizeof quad);
            prop->triangleCount += 2;
        }
    return SN_OK;
}

// Corners of a room, whose walls face inward.
static snStatus makeRoom(snRunProp *prop, snVec3 half, snArena *arena, snError *error)
{
    static const int walls[36] = {0, 1, 3, 0, 3, 2, 4, 6, 7, 4, 7, 5, 0, 4, 5, 0, 5, 1,
                                  2, 3, 7, 2, 7, 6, 0, 2, 6, 0, 6, 4, 1, 5, 7, 1, 7, 3};
    prop->points = SN_NEW(arena, snVec3, 8);
    prop->triangles = SN_COPY(arena, int, walls, 36);
    if (!prop->points || !prop->triangles) return snFailMemory(error);
    for (int c = 0; c < 8; c++)
        prop->points[c] =
            snVec(c & 1 ? half.x : -half.x, c & 2 ? half.y : -half.y, c & 4 ? half.z : -half.z);
    prop->vertexCount = 8;
    prop->triangleCount = 12;
    return SN_OK;
}

static snStatus makeShell(snRunProp *prop, const snShell *shell, snArena *arena, snError *error)
{
    const snMesh *mesh = &shell->tree.mesh;
    prop->points = SN_COPY(arena, snVec3, shell->end, mesh->vertexCount);
    prop->triangles = shell->triangles;
    prop->vertexCount = mesh->vertexCount;
    prop->triangleCount = mesh->triangleCount;
    return prop->points ? SN_OK : snFailMemory(error);
}

static snStatus makeProp(snRunProp *prop, const snSceneCollider *scene, snArena *arena,
                         snError *error)
{
    const snCollider *shape = &scene->def.shape;
    if (scene->container) return makeRoom(prop, scene->box.half, arena, error);
    if (shape->kind == SN_COLLIDER_PLANE) return SN_OK; // it has no end
    if (shape->kind == SN_COLLIDER_BOX) return makeBox(prop, shape->half, arena, error);
    if (shape->kind == SN_COLLIDER_SPHERE) return makeRound(prop, shape->radius, 0, arena, error);
    if (shape->kind == SN_COLLIDER_CAPSULE)
        return makeRound(prop, shape->radius, shape->half.y, arena, error);
    return makeShell(prop, shape->shell, arena, error);
}

snStatus snRunProps_Make(snRunProps *props, const snSceneFile *scene, snArena *arena,
                         snError *error)
{
    int collider = 0;
    snStatus status = SN_OK;
    *props = (snRunProps){.list = SN_NEW(arena, snRunProp, scene->colliderCount)};
    if (!props->list) return snFailMemory(error);
    for (int i = 0; i < scene->colliderCount && !status; i++) {
        const snSceneCollider *c = &scene->colliders[i];
        bool plane = !c->container && c->def.shape.kind == SN_COLLIDER_PLANE;
        snRunProp *prop = &props->list[props->count];
        bool drawn = c->container || (!c->hidden && !plane);
        if (drawn || !c->left) {
            *prop = (snRunProp){.collider = collider,
                                .name = c->name,
                                .container = c->container,
                                .plane = plane,
                                .drawn = drawn,
                                .written = !c->left};
            status = makeProp(prop, c, arena, error);
            props->count++;
        }
        collider += c->container ? 6 : 1;
    }
    return status;
}

// A container's frame is that of its first wall, which faces along x from its middle.
snAffine snRunProp_Frame(const snRunProp *prop, const snWorld *world, double time)
{
    snCollider c = snWorld_ColliderAt(world, prop->collider, time);
    if (!prop->container) return c.end;
    snMat3 turn = snQuatToMat(snQuatBetween(snVec(0, 1, 0), snVec(1, 0, 0)));
    snMat3 frame = snMulMM(c.end.linear, snTranspose(turn));
    snVec3 out = snMulMV(frame, snVec(prop->points[1].x, 0, 0));
    return (snAffine){frame, snAdd(c.end.origin, out)};
}
