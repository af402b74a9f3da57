#include "cli/run_bare.h"

#include "core/error.h"
#include "layered/play.h"

#define ROWS 20 // of a muscle
#define COLUMNS 28

static int countBare(const snSceneFile *scene, snBareMuscle *list)
{
    int count = 0;
    for (int b = 0; b < scene->bodyCount; b++) {
        if (!scene->bodies[b].layered) continue;
        const snLayered *layered = &scene->bodies[b].layered->editor.layered;
        for (int m = 0; m < snLayered_Count(layered, SN_TABLE_MUSCLES); m++) {
            const snLayeredMuscle *muscle = &snLayered_Muscles(layered)[m];
            if (!muscle->bare) continue;
            if (list)
                list[count] =
                    (snBareMuscle){.body = b,
                                   .muscle = m,
                                   .name = muscle->name,
                                   .color = {(float)muscle->color.x, (float)muscle->color.y,
                                             (float)muscle->color.z}};
            count++;
        }
    }
    return count;
}

snStatus snRunBare_Make(snRunBare *bare, const snSceneFile *scene, snArena *arena, snError *error)
{
    *bare = (snRunBare){.count = countBare(scene, NULL),
                        .ownVertices = SN_MUSCLE_VERTICES(ROWS, COLUMNS),
                        .triangleCount = SN_MUSCLE_TRIANGLES(ROWS, COLUMNS)};
    bare->vertexCount = bare->count * bare->ownVertices;
    bare->list = SN_NEW(arena, snBareMuscle, bare->count);
    bare->triangles = SN_NEW(arena, int, 3 * bare->triangleCount);
    bare->points = SN_NEW(arena, snVec3, bare->ownVertices);
    if (!bare->list || !bare->triangles || !bare->points) return snFailMemory(error);
    countBare(scene, bare->list);
    return SN_OK;
}

void snRunBare_Take(const snRunBare *bare, const snWorld *world, snVec3f *out)
{
    for (int i = 0; i < bare->count; i++) {
        const snSkinMuscles *muscles = snPlayBody_Muscles(world->bodies.data[bare->list[i].body]);
        const snSkinMuscle *own = &muscles->shape[1][bare->list[i].muscle];
        snMuscle muscle = snMakeMuscle(&own->shape, muscles->frame[1][own->frame]);
        snMuscle_Mesh(&muscle, ROWS, COLUMNS, bare->points, bare->triangles);
        for (int v = 0; v < bare->ownVertices; v++)
            *out++ = snToF(bare->points[v]);
    }
}
