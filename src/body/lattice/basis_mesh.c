// The fine mesh that a basis is integrated on.
#include "body/lattice/basis_parts.h"

#include "core/error.h"

#include <limits.h>

static snStatus cutTets(snBasisMesh *mesh, const snNodes *nodes, int cells, snArena *arena,
                        snError *error)
{
    snTetCut cut;
    snStatus status = snSplitCells(&cut, &nodes->lattice, nodes->parent, arena, error);
    mesh->tets = cut.tets;
    mesh->tetCell = cut.cell;
    mesh->tetCount = cut.count;
    mesh->cellStart = SN_NEW(arena, int, cells + 1);
    if (status || !mesh->cellStart) return snFailMemory(error);
    for (int t = 0; t < mesh->tetCount; t++)
        mesh->cellStart[mesh->tetCell[t] + 1] = t + 1;
    return SN_OK;
}

static void tetPoints(const snBasisMesh *mesh, int tet, snVec3 p[4])
{
    for (int k = 0; k < 4; k++)
        p[k] = mesh->rest[mesh->tets[tet][k]];
}

static bool isOwned(const snBasisDef *def, int cell, snVec3 point)
{
    return !def->owner.owns || def->owner.owns(def->owner.user, cell, point);
}

static snStatus findFractions(snBasisMesh *mesh, const snBasisDef *def, snArena *scratch,
                              snError *error)
{
    int n = def->inside.test ? def->samples : 0;
    size_t total = (size_t)mesh->tetCount * (size_t)n;
    if (total > INT_MAX)
        return snFail(error, SN_ERROR_ARGUMENT,
                      "%d fine tets have too many sample points; choose a lower quadrature level",
                      mesh->tetCount);
    snVec3 *points = SN_NEW(scratch, snVec3, total);
    unsigned char *inside = SN_NEW(scratch, unsigned char, total);
    if (!points || !inside) return snFailMemory(error);
    for (int t = 0; t < mesh->tetCount && n; t++) {
        snVec3 p[4];
        tetPoints(mesh, t, p);
        snTetSamples(p, n, points + (size_t)t * (size_t)n);
    }
    if (n) def->inside.test(def->inside.user, (int)total, points, inside);
    for (int t = 0; t < mesh->tetCount; t++) {
        int count = 0;
        for (int k = 0; k < n; k++)
            count += inside[(size_t)t * (size_t)n + (size_t)k] != 0 &&
                     isOwned(def, mesh->tetCell[t], points[(size_t)t * (size_t)n + (size_t)k]);
        mesh->fraction[t] = n ? (double)count / n : 1;
    }
    return SN_OK;
}

static snStatus findVolumes(snBasisMesh *mesh, snArena *arena, snError *error)
{
    mesh->volume = SN_NEW(arena, double, mesh->tetCount);
    mesh->fraction = SN_NEW(arena, double, mesh->tetCount);
    if (!mesh->volume || !mesh->fraction) return snFailMemory(error);
    for (int t = 0; t < mesh->tetCount; t++) {
        snVec3 p[4], gradient[4];
        tetPoints(mesh, t, p);
        mesh->volume[t] = snTetGradients(p, gradient);
    }
    return SN_OK;
}

static snStatus copyVertices(snBasisMesh *mesh, const snNodes *nodes, snArena *arena,
                             snError *error)
{
    int n = mesh->vertexCount = nodes->lattice.vertexCount;
    mesh->rest = SN_COPY(arena, snVec3, nodes->lattice.rest, n);
    mesh->sourceStart = SN_COPY(arena, int, nodes->sourceStart, n + 1);
    mesh->source = SN_COPY(arena, int, nodes->source, nodes->sourceStart[n]);
    return mesh->rest && mesh->sourceStart && mesh->source ? SN_OK : snFailMemory(error);
}

snStatus snBasis_MakeMesh(snBasis *basis, const snBasisDef *def, const snNodes *nodes,
                          snArena *arena, const snContext *context, snError *error)
{
    snArena scratch = snMakeArena(context);
    for (int level = 0; level <= def->levels; level++)
        basis->levelStart[level + 1] = nodes->level[level].vertexCount;
    basis->functionCount = nodes->functionCount;
    snStatus status = copyVertices(&basis->mesh, nodes, arena, error);
    if (!status) status = cutTets(&basis->mesh, nodes, basis->cellCount, arena, error);
    if (!status) status = findVolumes(&basis->mesh, arena, error);
    if (!status) status = findFractions(&basis->mesh, def, &scratch, error);
    snArena_Destroy(&scratch);
    return status;
}
