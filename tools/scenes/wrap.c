// Widens a lattice until a body is inside of it.
//
// Smooth schemes shrink: a ring of four vertices becomes about a circle of 0.93 of the square's half
// side. A point of the border is x = Σ_a w_a p_a over the control vertices. Where the body's field f(x)
// is less than the margin m, x has to move by d = (m - f(x)) ∇f/|∇f|. The smallest change of control
// vertices that does it is
//     Δp_a = w_a / (Σ_b w_b²) d .
// Each vertex moves by the mean of what the points of the border ask of it, weighted by w_a; and again,
// until all are content. Means and not one after another: a symmetric lattice stays symmetric.
#include "scenes.h"

#include "body/lattice/boundary.h"
#include "body/lattice/nodes.h"
#include "core/error.h"

#include <string.h>

#define LEVELS 3 // of subdivision: points of the border, in the limit
#define SCHEMES 3
#define HASTE 2.5 // means move less than the points ask for

typedef struct Asker {
    int count;   // points of the border
    int *vertex; // [count], rows
    snNodes nodes;
} Asker;

static snStatus makeAsker(Asker *asker, snScheme scheme, const snLattice *lattice, snArena *arena,
                          const snContext *context, snError *error)
{
    snBoundary border;
    snNodesDef def = {.scheme = scheme, .lattice = lattice, .nodeLevel = LEVELS};
    snStatus status = snNodes_Make(&asker->nodes, &def, arena, context, error);
    if (!status) status = snBoundary_Find(&border, &asker->nodes.lattice, arena, context, error);
    if (status) return status;
    int all = asker->nodes.lattice.vertexCount;
    unsigned char *seen = SN_NEW(arena, unsigned char, all);
    asker->vertex = SN_NEW(arena, int, all);
    if (!seen || !asker->vertex) return snFailMemory(error);
    for (int i = 0; i < 4 * border.faceCount; i++)
        seen[border.faces[i / 4][i % 4]] = 1;
    for (int v = 0; v < all; v++)
        if (seen[v]) asker->vertex[asker->count++] = v;
    return SN_OK;
}

typedef struct Asked {
    snVec3 *move;   // [vertexCount], sums
    double *weight; // [vertexCount]
    double worst;   // how much the margin is missed by
} Asked;

static void ask(const Asker *asker, const snWrapDef *def, const snVec3 *rest, Asked *asked)
{
    const snWeightRows *rows = &asker->nodes.rows;
    for (int i = 0; i < asker->count; i++) {
        int begin = rows->start[asker->vertex[i]], end = rows->start[asker->vertex[i] + 1];
        snVec3 x = {0, 0, 0};
        double squares = 0;
        for (int k = begin; k < end; k++) {
            x = snMulAdd(x, rows->weight[k], rest[rows->column[k]]);
            squares += rows->weight[k] * rows->weight[k];
        }
        double lacks = def->margin - snLumps_Value(def->lumps, x);
        if (lacks <= 0) continue;
        if (lacks > asked->worst) asked->worst = lacks;
        snVec3 out = snNormalizeOr(snLumps_Gradient(def->lumps, x), snVec(0, 1, 0));
        for (int k = begin; k < end; k++) {
            int a = rows->column[k];
            double w = rows->weight[k];
            asked->move[a] = snMulAdd(asked->move[a], w * w / squares * lacks, out);
            asked->weight[a] += w;
        }
    }
}

static void moveAll(snLattice *lattice, const Asked *asked)
{
    for (int a = 0; a < lattice->vertexCount; a++)
        if (asked->weight[a] > 0)
            lattice->rest[a] = snMulAdd(lattice->rest[a], HASTE / asked->weight[a], asked->move[a]);
}

static snStatus wrapRounds(snLattice *lattice, const snWrapDef *def, const Asker *askers,
                           snArena *arena, snError *error)
{
    size_t n = (size_t)lattice->vertexCount;
    Asked asked = {SN_NEW(arena, snVec3, n), SN_NEW(arena, double, n), 0};
    if (!asked.move || !asked.weight) return snFailMemory(error);
    for (int round = 0; round < def->rounds; round++) {
        memset(asked.move, 0, sizeof *asked.move * n);
        memset(asked.weight, 0, sizeof *asked.weight * n);
        asked.worst = 0;
        for (int s = 0; s < SCHEMES; s++)
            ask(&askers[s], def, lattice->rest, &asked);
        if (asked.worst < 0.2 * def->margin) return SN_OK;
        moveAll(lattice, &asked);
    }
    return snFail(error, SN_ERROR_NUMERIC, "the lattice still misses its margin of %g by %g",
                  def->margin, asked.worst);
}

snStatus snWrap(snLattice *lattice, const snWrapDef *def, snArena *arena, const snContext *context,
                snError *error)
{
    Asker askers[SCHEMES] = {0};
    snStatus status = SN_OK;
    snArenaMark mark = snArena_Mark(arena);
    for (int s = 0; s < SCHEMES && !status; s++)
        status = makeAsker(&askers[s], (snScheme)s, lattice, arena, context, error);
    if (!status) status = wrapRounds(lattice, def, askers, arena, error);
    snArena_Rewind(arena, mark);
    return status;
}
