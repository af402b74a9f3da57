// The smooth surface of a lattice's limit, with creases.
#include "scenes.h"

#include "body/lattice/limit_surface.h"
#include "core/error.h"

static snStatus takeSurface(snModel *model, const snLimitSurface *surface, snArena *arena,
                            snError *error)
{
    int corners = surface->cornerCount, count = surface->triangleCount;
    snVec3 *positions = SN_NEW(arena, snVec3, corners), *normals = SN_NEW(arena, snVec3, corners);
    int *triangles = SN_COPY(arena, int, surface->triangles, 3 * (size_t)count);
    model->normals = SN_NEW(arena, snVec3f, corners);
    if (!positions || !normals || !triangles || !model->normals) return snFailMemory(error);
    for (int c = 0; c < corners; c++)
        positions[c] = surface->rest[surface->point[c]];
    model->surface = (snMesh){corners, count, positions, triangles};
    snMesh_Normals(&model->surface, normals);
    for (int c = 0; c < corners; c++)
        model->normals[c] = snToF(normals[c]);
    return SN_OK;
}

snStatus snBorder_Surface(snModel *model, snScheme scheme, const snLattice *lattice, int levels,
                          snArena *arena, const snContext *context, snError *error)
{
    snArena scratch = snMakeArena(context);
    snLimitSurfaceDef def = {.nodes = {.scheme = scheme, .lattice = lattice, .nodeLevel = levels}};
    snLimitSurface surface;
    snStatus status = snLimitSurface_Make(&surface, &def, &scratch, context, error);
    if (!status) status = takeSurface(model, &surface, arena, error);
    snArena_Destroy(&scratch);
    return status;
}
