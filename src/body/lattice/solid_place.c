// Where solid bodies are put as they are, and what leads them.
#include "body/lattice/jump.h"
#include "body/lattice/solid_parts.h"

void snSolidBody_Carry(snBody *body, const snAffine *motion)
{
    snSolidBody *solid = (snSolidBody *)body;
    snLatticeState_Carry(solid->model, solid->state, motion);
    for (int i = 0; i < solid->model->vertexCount; i++) {
        snSetRow(solid->rig, i, snMulAP(*motion, snRow(solid->rig, i)));
        solid->shape[i] = snMulMV(motion->linear, solid->shape[i]);
    }
    for (int i = 0; i < body->mostPoints; i++)
        solid->points[i].before = snMulAP(*motion, solid->points[i].before);
    if (solid->lead) solid->lead->carry(solid, motion);
    if (solid->contacts) snLatticeContacts_Reset(solid->contacts);
}

bool snSolidBody_Go(snBody *body, const snAffine *place, snAffine *stands)
{
    snSolidBody *solid = (snSolidBody *)body;
    if (solid->lead) solid->lead->go(solid, place, stands);
    return solid->lead != NULL;
}

bool snSolidBody_TakePose(snBody *body, int joints, const snAffine *frames)
{
    snSolidBody *solid = (snSolidBody *)body;
    return solid->lead && solid->lead->setPose(solid, joints, frames);
}

bool snSolidBody_Stirs(const snBody *body, int ticks)
{
    const snSolidBody *solid = (const snSolidBody *)body;
    return solid->lead && solid->lead->stirs(solid, ticks);
}

void snSolidBody_Pass(snBody *body, int ticks)
{
    snSolidBody *solid = (snSolidBody *)body;
    if (solid->lead) solid->lead->pass(solid, ticks);
}

bool snSolidBody_Rows(const snBody *body, snBodyRows *rows)
{
    const snSolidBody *solid = (const snSolidBody *)body;
    const snEmbedding *e = &solid->surface.embedding;
    if (solid->lead) return solid->lead->rows(solid, rows);
    *rows = (snBodyRows){.controlCount = solid->lattice.vertexCount,
                         .width = e->width,
                         .index = e->vertex,
                         .weight = e->weight};
    return true;
}

void snSolidBody_Controls(const snBody *body, snVec3 *places)
{
    const snSolidBody *solid = (const snSolidBody *)body;
    if (solid->lead) {
        solid->lead->controls(solid, places);
        return;
    }
    for (int i = 0; i < solid->lattice.vertexCount; i++)
        places[i] = snRow(solid->state->position, solid->model->indexOf[i]);
}
