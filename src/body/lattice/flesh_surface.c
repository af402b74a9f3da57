// What carries a character's surface elsewhere, such as on a GPU, as a sum over control points with weights that never change.
//
// A vertex v of a skin is drawn at Σ_j w_j M_j v + Σ_a φ_a (x_a - p_a), with M_j = G_j B_j of its joints, lattice vertices at x_a and their rig at
// p_a. M v = v_x c_x + v_y c_y + v_z c_z + o is linear in the columns of M: these are four control points of every joint, with the weights w_j v_x,
// w_j v_y, w_j v_z and w_j; then come offsets x_a - p_a, with the weights φ_a of the embedding. A part without a skin has one matrix, its node's.
//
// Morph targets would make products of their weights and joints: such a character is not carried so, its vertices stand for themselves.
#include "body/lattice/flesh_body_parts.h"

#include "core/error.h"

static int partOf(const snFleshBody *b, int vertex)
{
    int p = 0;
    while (vertex >= b->first[p + 1])
        p++;
    return p;
}

static int addMove(const snPart *part, int vertex, int move, double w, int *index, double *weight)
{
    snVec3 v = snFromF(part->positions[vertex]);
    const double shares[4] = {w * v.x, w * v.y, w * v.z, w};
    for (int k = 0; k < 4; k++) {
        index[k] = 4 * move + k;
        weight[k] = shares[k];
    }
    return 4;
}

static int findRow(const snBody *body, int vertex, int *index, double *weight)
{
    const snFleshBody *b = (const snFleshBody *)body;
    const snEmbedding *e = &b->solid.surface.embedding;
    int p = partOf(b, vertex), v = vertex - b->first[p], count = 0;
    const snPart *part = &b->character->parts[p];
    for (int i = v * part->influences; i < (v + 1) * part->influences && snPart_IsSkinned(part);
         i++)
        if (part->weights[i] != 0)
            count += addMove(part, v, b->firstMove[p] + part->joints[i], (double)part->weights[i],
                             index + count, weight + count);
    if (!snPart_IsSkinned(part)) count = addMove(part, v, b->firstMove[p], 1, index, weight);
    for (int k = vertex * e->width; k < (vertex + 1) * e->width; k++)
        if (e->weight[k] != 0) {
            index[count] = 4 * b->moveCount + e->vertex[k];
            weight[count++] = e->weight[k];
        }
    return count;
}

snStatus snFleshBody_MakeRows(snFleshBody *b, snError *error)
{
    const snCharacter *c = b->character;
    snArena *arena = &b->solid.arena;
    int index[SN_BODY_ROW], targets = 0, widest = 0;
    double weight[SN_BODY_ROW];
    b->firstMove = SN_NEW(arena, int, c->partCount);
    b->shown = SN_NEW(arena, snAffine, c->skeleton.jointCount);
    b->shownRig = SN_NEW(arena, double, (size_t)b->solid.model->vertexCount * 4);
    if (!b->firstMove || !b->shown || !b->shownRig) return snFailMemory(error);
    for (int p = 0; p < c->partCount; p++) {
        const snPart *part = &c->parts[p];
        b->firstMove[p] = b->moveCount;
        b->moveCount += snPart_IsSkinned(part) ? c->skins[part->skin].jointCount : 1;
        targets += part->targetCount;
        widest = 4 * part->influences > widest ? 4 * part->influences : widest;
    }
    if (targets || widest + b->solid.surface.embedding.width > SN_BODY_ROW) b->moveCount = 0;
    for (int v = 0; v < c->vertexCount && b->moveCount; v++) {
        int count = findRow(&b->solid.body, v, index, weight);
        if (count > b->rowWidth) b->rowWidth = count;
    }
    return SN_OK;
}

bool snFleshBody_Rows(const snSolidBody *solid, snBodyRows *rows)
{
    const snFleshBody *b = (const snFleshBody *)solid;
    *rows = (snBodyRows){.controlCount = 4 * b->moveCount + solid->lattice.vertexCount,
                         .width = b->rowWidth,
                         .find = findRow};
    return b->moveCount > 0;
}

static void putMove(const snAffine *m, snVec3 *places)
{
    places[0] = m->linear.cx;
    places[1] = m->linear.cy;
    places[2] = m->linear.cz;
    places[3] = m->origin;
}

void snFleshBody_Controls(const snSolidBody *solid, snVec3 *places)
{
    const snFleshBody *b = (const snFleshBody *)solid;
    const snCharacter *c = b->character;
    for (int p = 0; p < c->partCount; p++) {
        const snPart *part = &c->parts[p];
        snVec3 *own = places + 4 * (size_t)b->firstMove[p];
        const snSkin *skin = snPart_IsSkinned(part) ? &c->skins[part->skin] : NULL;
        for (int j = 0; skin && j < skin->jointCount; j++) {
            snAffine m = snMulAA(b->pose.global[skin->joints[j]], skin->inverseBind[j]);
            putMove(&m, own + 4 * (size_t)j);
        }
        if (!skin) putMove(&b->pose.global[part->node], own);
    }
    // The rig of the pose that is shown: the driver's own may be of a place that it was carried from.
    for (int j = 0; j < c->skeleton.jointCount; j++)
        b->shown[j] = snMulAA(b->pose.global[j], b->flesh->fromRest[j]);
    snLatticeModel_Rig(b->flesh->model, b->shown, b->shownRig);
    for (int i = 0; i < solid->lattice.vertexCount; i++) {
        int row = solid->model->indexOf[i];
        places[4 * (size_t)b->moveCount + (size_t)i] =
            snSub(snRow(solid->state->position, row), snRow(b->shownRig, row));
    }
}
