// Solid bodies that bump into each other: one island (island.h) of all of them.
#include "body/lattice/island.h"
#include "body/lattice/solid_parts.h"
#include "core/error.h"

typedef struct snSolidGroup {
    snArena arena;
    int count;
    snSolidBody **bodies;   // [count]
    snLatticeDrive *drives; // [count]
    unsigned char *failed;  // [count]
    snLatticeIsland *island;
} snSolidGroup;

bool snSolidBody_Joins(const snBody *body)
{
    const snSolidBody *solid = (const snSolidBody *)body;
    return solid->meets || solid->self;
}

static snStatus makeIsland(snSolidGroup *group, const snContext *context, snError *error)
{
    snArena scratch = snMakeArena(context);
    snIslandBodyDef *defs = SN_NEW(&scratch, snIslandBodyDef, group->count);
    snContactSamples *rows = SN_NEW(&scratch, snContactSamples, group->count);
    snMesh *meshes = SN_NEW(&scratch, snMesh, group->count);
    snStatus status = defs && rows && meshes ? SN_OK : snFailMemory(error);
    for (int i = 0; i < group->count && !status; i++) {
        snSolidBody *solid = group->bodies[i];
        const snSolidSurface *s = &solid->surface;
        meshes[i] = (snMesh){s->vertexCount, s->triangleCount, s->rest, s->triangles};
        status = snSolidSurface_Rows(s, &rows[i], &scratch, error);
        defs[i] = (snIslandBodyDef){.model = solid->model,
                                    .state = solid->state,
                                    .contacts = solid->contacts,
                                    .surface = &meshes[i],
                                    .rows = &rows[i],
                                    .apart = !solid->meets,
                                    .self = solid->self};
    }
    if (!status) status = snLatticeIsland_Make(&group->island, group->count, defs, context, error);
    for (int i = 0; i < group->count && !status; i++)
        if (group->bodies[i]->self && !group->island->bodies[i].self)
            status = snFail(error, SN_ERROR_GEOMETRY,
                            "the surface of body \"%s\" is open: it has no inside, and cannot bump "
                            "into itself",
                            group->bodies[i]->body.name);
    snArena_Destroy(&scratch);
    return status;
}

snStatus snSolidBody_Join(snBody *const *bodies, int count, void **out, const snContext *context,
                          snError *error)
{
    *out = NULL;
    snArena arena = snMakeArena(context);
    snSolidGroup *group = SN_NEW(&arena, snSolidGroup, 1);
    if (!group) return snFailMemory(error);
    group->bodies = SN_NEW(&arena, snSolidBody *, count);
    group->drives = SN_NEW(&arena, snLatticeDrive, count);
    group->failed = SN_NEW(&arena, unsigned char, count);
    group->arena = arena;
    group->count = count;
    bool good = group->bodies && group->drives && group->failed;
    for (int i = 0; i < count && good; i++)
        group->bodies[i] = (snSolidBody *)bodies[i];
    snStatus status = good ? makeIsland(group, context, error) : snFailMemory(error);
    if (status)
        snSolidGroup_Destroy(group);
    else
        *out = group;
    return status;
}

void snSolidGroup_Destroy(void *user)
{
    snSolidGroup *group = user;
    if (!group) return;
    snLatticeIsland_Destroy(group->island);
    snArena arena = group->arena; // it lives in it itself
    snArena_Destroy(&arena);
}

void snSolidGroup_Advance(void *user)
{
    snSolidGroup *group = user;
    for (int i = 0; i < group->count; i++)
        group->drives[i] = snSolidBody_Drive(group->bodies[i]);
    snLatticeIsland_Step(group->island, group->drives, group->failed);
    for (int i = 0; i < group->count; i++)
        group->bodies[i]->failed = group->failed[i];
}
