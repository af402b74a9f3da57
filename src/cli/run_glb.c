#include "cli/run_glb.h"

#include "bake/sequence.h"

#include <stdio.h>
#include <string.h>

static snMotionLook lookOf(const snBody *body, const snSceneBody *scene)
{
    snMotionLook look = {.cornerCount = body->cornerCount,
                         .corner = body->corner,
                         .triangles = body->cornerCount ? body->cornerTriangles : NULL,
                         .colors = scene->colors};
    memcpy(look.color, scene->color, sizeof look.color);
    if (scene->character && !scene->painted) look.character = &scene->character->character;
    return look;
}

// The body's name and the muscle's, with a dot between them.
static char *titleOf(const snRunGlb *run, const snBareMuscle *muscle, snArena *arena)
{
    const char *body = run->world->bodies.data[muscle->body]->name;
    size_t room = strlen(body) + strlen(muscle->name) + 2;
    char *title = SN_NEW(arena, char, room);
    if (title) snprintf(title, room, "%s.%s", body, muscle->name);
    return title;
}

// Bodies as the sequence has them, then bare muscles.
static snStatus listAll(const snRunGlb *run, snSequence *all, snMotionLook **looks, snArena *arena,
                        snError *error)
{
    const snRunBare *bare = run->bare;
    int bodies = run->sequence->meshCount, count = bodies + bare->count;
    snSequenceMesh *meshes = SN_NEW(arena, snSequenceMesh, count);
    *looks = SN_NEW(arena, snMotionLook, count);
    if (!meshes || !*looks) return snFailMemory(error);
    for (int i = 0; i < bodies; i++) {
        meshes[i] = run->sequence->meshes[i];
        (*looks)[i] = lookOf(run->world->bodies.data[i], &run->request->scene.bodies[i]);
    }
    for (int i = 0; i < bare->count; i++) {
        const char *title = titleOf(run, &bare->list[i], arena);
        if (!title) return snFailMemory(error);
        meshes[bodies + i] =
            (snSequenceMesh){.name = snSequence_NameMesh(meshes, bodies + i, title, arena),
                             .title = title,
                             .firstVertex = run->sequence->vertexCount + i * bare->ownVertices,
                             .vertexCount = bare->ownVertices,
                             .triangleCount = bare->triangleCount,
                             .triangles = bare->triangles};
        if (!meshes[bodies + i].name) return snFailMemory(error);
        memcpy((*looks)[bodies + i].color, bare->list[i].color, sizeof bare->list[i].color);
    }
    *all = *run->sequence;
    all->meshCount = count;
    all->meshes = meshes;
    all->vertexCount += bare->vertexCount;
    return SN_OK;
}

snStatus snRunGlb_Write(const snRunGlb *run, snBytes *out, snMotionReport *report, const snCli *cli,
                        snError *error)
{
    snArena arena = snMakeArena(&cli->context);
    snSequence all;
    snMotionLook *looks;
    snStatus status = listAll(run, &all, &looks, &arena, error);
    if (!status)
        status =
            snMotion_Write(&all, looks, &run->request->motion, out, report, &cli->context, error);
    snArena_Destroy(&arena);
    return status;
}
