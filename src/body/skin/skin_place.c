// What a program and the world do to a skin body beside its step: fields, carrying, leading, weights of what is drawn.
#include "body/skin/skin_body_parts.h"
#include "core/error.h"

#include <string.h>

// ---- fields ---------------------------------------------------------------------------------------

static snStatus reserveOne(SkinBody *self, snError *error)
{
    if (self->fields) return SN_OK;
    snVec3 *fields = SN_NEW(&self->arena, snVec3, self->mesh.pointCount);
    if (!fields) return snFailMemory(error);
    snStatus status = snAirSurface_Make(&self->air, self->mesh.pointCount, self->mesh.triangleCount,
                                        self->mesh.triangles, &self->arena, error);
    if (!status) self->fields = fields;
    return status;
}

snStatus snSkinBody_ReserveFields(snBody *body, snError *error)
{
    const SkinBody *self = (const SkinBody *)body;
    snStatus status = SN_OK;
    for (int k = 0; k < countLevels(self) && !status; k++)
        status = reserveOne(levelOf(self, k), error);
    return status;
}

// Air presses on the points' own triangles, whatever is drawn.
void snSkinBody_Act(snBody *body, const snFields *fields)
{
    SkinBody *self = moving(body);
    snElasticSkin *skin = self->skin;
    bool air = snFields_HaveAir(fields), mass = snFields_HaveMass(fields);
    size_t count = (size_t)self->mesh.pointCount;
    bool acts = self->fields && (air || mass);
    if (self->links && !acts) snSkinLinks_Act(self->links, skin, NULL, NULL, 0);
    if (!acts) return;
    memset(self->fields, 0, count * sizeof *self->fields);
    skin->fields = self->fields;
    if (air) {
        memcpy(self->air.places, skin->places, count * sizeof *self->air.places);
        memcpy(self->air.velocities, skin->velocities, count * sizeof *self->air.velocities);
        snAirSurface_Blow(&self->air, fields);
    }
    for (size_t i = 0; i < count; i++) {
        double whole = fmax(skin->mass[i], self->step.length * self->air.damping[i]);
        if (air && whole > 0) self->fields[i] = snScale(1 / whole, self->air.forces[i]);
        if (mass)
            self->fields[i] =
                snAdd(self->fields[i], snFields_Acceleration(fields, skin->places[i]));
    }
    if (self->links)
        snSkinLinks_Act(self->links, skin, fields, air ? &self->air : NULL, self->step.length);
}

// ---- places ---------------------------------------------------------------------------------------

// Places of muscles and of what is under it go along; so do the links', and impulses on their way.
static void carryOne(SkinBody *self, const snAffine *motion)
{
    snElasticSkin *skin = self->skin;
    for (int i = 0; i < self->mesh.pointCount; i++) {
        skin->places[i] = snMulAP(*motion, skin->places[i]);
        skin->velocities[i] = snMulMV(motion->linear, skin->velocities[i]);
        skin->touching[i] = snMulMV(motion->linear, skin->touching[i]);
    }
    for (int f = 0; f < skin->muscles.frameCount; f++)
        self->frames[f] = snMulAA(*motion, skin->muscles.frame[1][f]);
    snSkinMuscles_Aim(&skin->muscles, self->frames, NULL);
    snSkinMuscles_Arrive(&skin->muscles);
    snSkinMuscles_At(&skin->muscles, 1.0);
    snSkinUnder_Carry(&skin->under, motion);
    for (int i = 0; i < 2 * self->press.count; i++)
        self->press.state[i] = snMulMV(motion->linear, self->press.state[i]);
    self->place = snMulAA(*motion, self->place);
    for (int f = 0; f < skin->muscles.frameCount; f++)
        self->frames[f] = snMulAA(self->place, self->driven[f]);
    if (self->links) snSkinLinks_Carry(self->links, motion);
}

void snSkinBody_Carry(snBody *body, const snAffine *motion)
{
    const SkinBody *self = (const SkinBody *)body;
    for (int k = 0; k < countLevels(self); k++)
        carryOne(levelOf(self, k), motion);
}

bool snSkinBody_Go(snBody *body, const snAffine *place, snAffine *stands)
{
    SkinBody *self = (SkinBody *)body;
    *stands = moving(body)->place;
    for (int k = 0; k < countLevels(self) && place; k++)
        levelOf(self, k)->place = *place;
    return self->drive != NULL && !body->over;
}

// ---- what is drawn ----------------------------------------------------------------------------------

bool snSkinBody_Rows(const snBody *body, snBodyRows *rows)
{
    const SkinBody *self = (const SkinBody *)body;
    const snWeightRows *smooth = &self->drawn.rows;
    if (!self->smooth) return false; // points are the vertices
    *rows = (snBodyRows){.controlCount = self->mesh.pointCount,
                         .start = smooth->start,
                         .index = smooth->column,
                         .weight = smooth->weight};
    return true;
}

void snSkinBody_Controls(const snBody *body, snVec3 *places)
{
    const SkinBody *self = (const SkinBody *)body;
    memcpy(places, self->skin->places, (size_t)self->mesh.pointCount * sizeof *places);
}
