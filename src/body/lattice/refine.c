// Details of a character's flesh: bases of every level over its lattice, and where its surface sits in
// the finest tets.
#include "body/lattice/flesh_parts.h"

#include "core/error.h"

#define OUTSIDE 0.5 // of a fine tet: points farther out hang on the coarse cell alone

static snStatus listHeldBones(const snFlesh *flesh, snBone **bones, int *count, snArena *scratch,
                              snError *error)
{
    *bones = SN_NEW(scratch, snBone, flesh->boneCount);
    *count = 0;
    if (!*bones) return snFailMemory(error);
    for (int b = 0; b < flesh->boneCount; b++)
        if (!flesh->joints[flesh->bones[b].joint].free) (*bones)[(*count)++] = flesh->bones[b];
    return SN_OK;
}

snStatus snFlesh_MakeBases(snFlesh *flesh, const snBasisDef *tests,
                           const snBasis *bases[SN_DETAIL_LEVELS], snArena *scratch,
                           const snContext *context, snError *error)
{
    snBasisDef def = snDefaultBasisDef();
    double independent = def.leastPivot;
    snBone *bones;
    snStatus status = listHeldBones(flesh, &bones, &def.boneCount, scratch, error);
    if (status) return status;
    def.lattice = &flesh->lattice;
    def.bones = bones;
    def.inside = tests->inside;
    def.owner = tests->owner;
    for (int level = 1; level <= flesh->def.details && !status; level++) {
        snBasis *basis = SN_NEW(scratch, snBasis, 1);
        if (!basis) return snFailMemory(error);
        def.levels = def.quadratureLevel = level;
        def.samples = level < 3 ? 4 : 1;           // 96 of a cell, 768, 1536
        bool finest = level == flesh->def.details; // of the others, the fine tets alone are used
        def.leastPivot = finest ? independent : 0;
        def.measure = finest && flesh->def.measure;
        status = snBasis_Make(basis, &def, scratch, context, error);
        bases[level - 1] = basis;
        flesh->basis = basis->report;
    }
    return status;
}

// The barycentric coordinates of a point in a fine tet; returns the least.
static double fineWeights(const snBasisMesh *mesh, int tet, snVec3 point, double weight[4])
{
    snVec3 p[4], g[4];
    double least = 1;
    for (int k = 0; k < 4; k++)
        p[k] = mesh->rest[mesh->tets[tet][k]];
    snTetGradients(p, g);
    for (int k = 0; k < 4; k++) {
        weight[k] = snDot(g[k], snSub(point, p[(k + 1) & 3])); // 0 at every other corner
        if (weight[k] < least) least = weight[k];
    }
    return least;
}

static void embedPoint(const snBasisMesh *mesh, int cell, snVec3 point, int *vertex, double *weight)
{
    double best = -OUTSIDE, w[4];
    for (int t = mesh->cellStart[cell]; t < mesh->cellStart[cell + 1]; t++) {
        double least = fineWeights(mesh, t, point, w);
        if (!(least > best)) continue;
        best = least;
        for (int k = 0; k < 4; k++) {
            vertex[k] = mesh->tets[t][k];
            weight[k] = w[k];
        }
    }
}

// A lattice of tets has rows of four, and so has this; numbers beyond the lattice's vertices are fine
// ones.
snStatus snFlesh_EmbedFine(const snFlesh *flesh, const snBasis *finest, snEmbedding *fine,
                           snArena *scratch, snError *error)
{
    const snEmbedding *coarse = &flesh->embedding;
    size_t entries = (size_t)coarse->pointCount * 4;
    *fine = *coarse;
    fine->vertex = SN_COPY(scratch, int, coarse->vertex, entries);
    fine->weight = SN_COPY(scratch, double, coarse->weight, entries);
    if (!fine->vertex || !fine->weight) return snFailMemory(error);
    for (int p = 0; p < coarse->pointCount; p++) {
        const double *w = coarse->weight + 4 * (size_t)p;
        if (w[0] == 0 && w[1] == 0 && w[2] == 0 && w[3] == 0) continue; // not carried
        embedPoint(&finest->mesh, coarse->cell[p], flesh->points[p], fine->vertex + 4 * (size_t)p,
                   fine->weight + 4 * (size_t)p);
    }
    return SN_OK;
}
