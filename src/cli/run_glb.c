#include "cli/run_glb.h"

#include "bake/sequence.h"
#include "cli/run_props.h"
#include "core/error.h"

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

// ---- colliders --------------------------------------------------------------------------------------

#define GREY 0.42f
#define WIDE 1.5 // times as wide as all that bodies do: of planes, which have no end

// A square of a plane, about where bodies are at first.
static snStatus makeSquare(const snRunGlb *run, const snRunProp *prop, snMotionRigid *rigid,
                           snArena *arena, snError *error)
{
    static const int corners[6] = {0, 2, 1, 1, 2, 3};
    snAffine back = snInverseAffine(snRunProp_Frame(prop, run->world, run->sequence->times[0]));
    snVec3 *points = SN_NEW(arena, snVec3, 4);
    snBox box = snEmptyBox();
    if (!points) return snFailMemory(error);
    for (int f = 0; f < run->sequence->frameCount; f++) {
        const snVec3f *at = snSequence_Frame(run->sequence, f);
        for (int v = 0; v < run->sequence->vertexCount; v++)
            box = snBoxAdd(box, snMulAP(back, snFromF(at[v])));
    }
    snVec3 middle = snLerp(box.lower, box.upper, 0.5), side = snSub(box.upper, box.lower);
    double half = 0.5 * WIDE * fmax(side.x, fmax(side.y, side.z));
    for (int k = 0; k < 4; k++)
        points[k] = snVec(middle.x + (k & 1 ? half : -half), 0, middle.z + (k & 2 ? half : -half));
    rigid->points = points;
    rigid->triangles = corners;
    rigid->vertexCount = 4;
    rigid->triangleCount = 2;
    return SN_OK;
}

// Walls with edges between them: no two share a corner.
static snStatus splitCorners(const snRunProp *prop, snMotionRigid *rigid, snArena *arena,
                             snError *error)
{
    int count = 3 * prop->triangleCount;
    snVec3 *points = SN_NEW(arena, snVec3, count);
    int *triangles = SN_NEW(arena, int, count);
    if (!points || !triangles) return snFailMemory(error);
    for (int k = 0; k < count; k++) {
        points[k] = prop->points[prop->triangles[k]];
        triangles[k] = k;
    }
    rigid->points = points;
    rigid->triangles = triangles;
    rigid->vertexCount = count;
    rigid->triangleCount = prop->triangleCount;
    return SN_OK;
}

static snStatus makeRigid(const snRunGlb *run, const snRunProp *prop, snMotionRigid *rigid,
                          snArena *arena, snError *error)
{
    int frames = run->sequence->frameCount;
    snAffine *places = SN_NEW(arena, snAffine, frames);
    if (!places) return snFailMemory(error);
    for (int f = 0; f < frames; f++)
        places[f] = snRunProp_Frame(prop, run->world, run->sequence->times[f]);
    *rigid = (snMotionRigid){.title = prop->name,
                             .vertexCount = prop->vertexCount,
                             .triangleCount = prop->triangleCount,
                             .points = prop->points,
                             .triangles = prop->triangles,
                             .color = {GREY, GREY, GREY},
                             .frames = places};
    if (prop->plane) return makeSquare(run, prop, rigid, arena, error);
    return prop->container ? splitCorners(prop, rigid, arena, error) : SN_OK;
}

static snStatus listColliders(const snRunGlb *run, snMotionDef *def, snArena *arena, snError *error)
{
    snRunProps props;
    snStatus status = snRunProps_Make(&props, &run->request->scene, arena, error);
    if (status) return status;
    snMotionRigid *rigids = SN_NEW(arena, snMotionRigid, props.count);
    if (!rigids) return snFailMemory(error);
    for (int i = 0; i < props.count && !status; i++)
        if (props.list[i].written)
            status = makeRigid(run, &props.list[i], &rigids[def->rigidCount++], arena, error);
    def->rigids = rigids;
    return status;
}

snStatus snRunGlb_Write(const snRunGlb *run, snBytes *out, snMotionReport *report, const snCli *cli,
                        snError *error)
{
    snArena arena = snMakeArena(&cli->context);
    snMotionDef def = run->request->motion;
    snSequence all;
    snMotionLook *looks;
    snStatus status = listAll(run, &all, &looks, &arena, error);
    if (!status) status = listColliders(run, &def, &arena, error);
    if (!status) status = snMotion_Write(&all, looks, &def, out, report, &cli->context, error);
    snArena_Destroy(&arena);
    return status;
}
