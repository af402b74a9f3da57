// Painted maps (character/paint.h) in the flesh.
//
// A map has values w at points of the surface; the lattice's vertices get the values W that fit them and are
// smooth where there are none, as joint weights are found (weights.h):
//     minimise  c |Φ W - w|² + a Wᵀ L W
// Copies of one vertex, as seams of textures make them, have their mean, so that nothing tears there. Points
// that were not painted (clothes over a painted body) do not count in the fit and have Φ W.
//
// Softness. A value v stands for a softness s = low (high / low)^v, and where s = 2 flesh is half as stiff as
// it would be by all else. Logarithms are spread, u = ln s, and a cell's modulus is multiplied by exp(-u), u
// the mean of its corners. The tuning by frequency (stiffness.c) comes before: paint changes how fast things
// swing, by √s.
//
// Mask. A value m is how much is seen of physics, p += m Σ φ (x - p_L): exactly the rig's surface at 0. Flesh
// that is not seen shall not pull what is: vertices with W near 0 are known, as bones are.
#include "body/lattice/flesh_parts.h"

#include "body/lattice/weights.h"
#include "character/paint.h"
#include "core/elementary.h"
#include "core/error.h"

#define SMOOTHNESS 0.2  // a, as for joint weights
#define HELD_BELOW 0.02 // of the mask, spread to a vertex: it follows the rig

// ---- values of points -------------------------------------------------------------------------------

// Points on one vertex of the welded surface get the mean of those that are painted.
static snStatus joinCopies(const snFlesh *flesh, double *value, snArena *scratch, snError *error)
{
    int n = flesh->surface.vertexCount;
    double *sum = SN_NEW(scratch, double, n);
    int *count = SN_NEW(scratch, int, n);
    if (!sum || !count) return snFailMemory(error);
    for (int v = 0; v < flesh->character->vertexCount; v++) {
        int weld = flesh->weldOf[v];
        if (weld < 0 || isnan(value[v])) continue;
        sum[weld] += value[v];
        count[weld]++;
    }
    for (int v = 0; v < flesh->character->vertexCount; v++) {
        int weld = flesh->weldOf[v];
        if (weld >= 0 && count[weld]) value[v] = sum[weld] / count[weld];
    }
    return SN_OK;
}

// At all points; NaN: not painted.
static snStatus readMap(const snFlesh *flesh, const char *map, double **out, snArena *scratch,
                        const snContext *context, snError *error)
{
    int n = flesh->character->vertexCount;
    float *values = SN_NEW(scratch, float, n);
    double *value = *out = SN_NEW(scratch, double, n);
    if (!values || !value) return snFailMemory(error);
    snStatus status = snCharacter_ReadPaint(flesh->character, map, values, context, error);
    if (status) return status;
    for (int v = 0; v < n; v++)
        value[v] = values[v] == SN_PAINT_NONE ? (double)NAN : (double)values[v];
    return joinCopies(flesh, value, scratch, error);
}

// ---- to the lattice ---------------------------------------------------------------------------------

// The fit of weights.h with two joints, of weights w and 1 - w, and no bones.
static snStatus spread(const snFlesh *flesh, const double *value, double *out, snArena *scratch,
                       const snContext *context, snError *error)
{
    int points = flesh->embedding.pointCount, width = flesh->embedding.width;
    int vertices = flesh->lattice.vertexCount;
    snLattice lattice = flesh->lattice;
    snEmbedding surface = flesh->embedding;
    snWeightRows skin;
    snStatus status = snWeightRows_Make(&skin, points, 2, 2 * (size_t)points, scratch, error);
    lattice.joint = SN_NEW(scratch, int, vertices);
    surface.weight = SN_COPY(scratch, double, surface.weight, points *width);
    if (!status && (!lattice.joint || !surface.weight)) status = snFailMemory(error);
    if (status) return status;
    for (int v = 0; v < vertices; v++)
        lattice.joint[v] = -1;
    for (int p = 0; p < points; p++) {
        bool painted = !isnan(value[p]);
        for (int k = 0; k < width && !painted; k++)
            surface.weight[p * width + k] = 0;
        skin.start[p + 1] = 2 * (p + 1);
        skin.column[2 * p + 1] = 1;
        skin.weight[2 * p] = painted ? 1 - value[p] : 0;
        skin.weight[2 * p + 1] = painted ? value[p] : 0;
    }
    snLatticeWeightsDef def = {&lattice, &surface, &skin, 2, SMOOTHNESS};
    snWeightRows rows;
    status = snLatticeWeights(&rows, &def, scratch, context, error);
    for (int v = 0; v < vertices && !status; v++) {
        out[v] = 0;
        for (int k = rows.start[v]; k < rows.start[v + 1]; k++)
            if (rows.column[k] == 1) out[v] += rows.weight[k];
    }
    return status;
}

static double carry(const snFlesh *flesh, const double *value, int point)
{
    int width = flesh->embedding.width;
    double sum = 0, share = 0;
    for (int k = point * width; k < (point + 1) * width; k++) {
        sum += flesh->embedding.weight[k] * value[flesh->embedding.vertex[k]];
        share += flesh->embedding.weight[k];
    }
    sum = share > 0 ? sum / share : 1;
    return sum > 0 ? sum < 1 ? sum : 1 : 0;
}

// ---- the maps ---------------------------------------------------------------------------------------

static snStatus findSoftness(snFlesh *flesh, snArena *scratch, const snContext *context,
                             snError *error)
{
    const double *range = flesh->def.softnessRange;
    double *value;
    if (!(range[0] >= 1e-6 && range[0] <= 1e6 && range[1] >= 1e-6 && range[1] <= 1e6))
        return snFail(error, SN_ERROR_ARGUMENT,
                      "the softness map goes from %g to %g; it must be 1e-6 to 1e6", range[0],
                      range[1]);
    snStatus status = readMap(flesh, flesh->def.softness, &value, scratch, context, error);
    if (status) return status;
    flesh->softness = SN_NEW(&flesh->arena, double, flesh->lattice.vertexCount);
    if (!flesh->softness) return snFailMemory(error);
    status = spread(flesh, value, flesh->softness, scratch, context, error);
    double low = snLn(range[0]), high = snLn(range[1]);
    for (int v = 0; v < flesh->lattice.vertexCount && !status; v++)
        flesh->softness[v] = low + (high - low) * flesh->softness[v];
    return status;
}

static snStatus findMask(snFlesh *flesh, snArena *scratch, const snContext *context, snError *error)
{
    double *value;
    snStatus status = readMap(flesh, flesh->def.mask, &value, scratch, context, error);
    if (status) return status;
    flesh->mask = SN_NEW(&flesh->arena, double, flesh->lattice.vertexCount);
    flesh->seen = SN_COPY(&flesh->arena, double, value, flesh->character->vertexCount);
    if (!flesh->mask || !flesh->seen) return snFailMemory(error);
    return spread(flesh, value, flesh->mask, scratch, context, error);
}

snStatus snFlesh_FindPaint(snFlesh *flesh, snArena *scratch, const snContext *context,
                           snError *error)
{
    snStatus status = SN_OK;
    if (flesh->def.softness) status = findSoftness(flesh, scratch, context, error);
    if (!status && flesh->def.mask) status = findMask(flesh, scratch, context, error);
    return status;
}

bool snFlesh_IsMasked(const snFlesh *flesh, int vertex)
{
    return flesh->mask && flesh->mask[vertex] < HELD_BELOW;
}

double snFlesh_PaintedStiffness(const snFlesh *flesh, int cell)
{
    double sum = 0;
    int n = (int)snLattice_Kind(&flesh->lattice, cell);
    if (!flesh->softness) return 1;
    for (int i = 0; i < n; i++)
        sum += flesh->softness[snLattice_Corners(&flesh->lattice, cell)[i]] / n;
    return snExp(-sum);
}

double snFlesh_Seen(const snFlesh *flesh, int point)
{
    if (!flesh->seen) return 1;
    return isnan(flesh->seen[point]) ? carry(flesh, flesh->mask, point) : flesh->seen[point];
}
