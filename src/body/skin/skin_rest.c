// What moves a skin from within, for those that sleep: frames and muscles that are led, a stiffness or a strength that changes, a surface under it
// that is played.
#include "body/skin/skin_body_parts.h"
#include "core/error.h"

#include <string.h>

#define STILL 1e-7 // of numbers that are led, or of a metre, in a step: they stand still

snStatus snSkinBody_ReserveRest(SkinBody *self, const snSkinBodyDef *def, snError *error)
{
    snArena *arena = &self->arena;
    const snElasticSkinDef *skin = def->skin;
    bool good = true;
    for (int k = 0; k < 2; k++) {
        self->ahead[k] = SN_COPY(arena, snAffine, skin->frames, skin->frameCount);
        self->shaped[k] = SN_COPY(arena, snSkinMuscle, skin->muscles, skin->muscleCount);
        self->played[k] = SN_NEW(arena, snVec3, def->play ? self->underCount : 0);
        good = good && self->ahead[k] && self->shaped[k] && self->played[k];
    }
    return good ? SN_OK : snFailMemory(error);
}

// Structs of doubles; what else is in them does not change.
static bool differ(const void *a, const void *b, size_t size)
{
    bool any = false;
    for (size_t k = 0; k < size / sizeof(double) && !any; k++) {
        double x, y;
        memcpy(&x, (const char *)a + k * sizeof x, sizeof x);
        memcpy(&y, (const char *)b + k * sizeof y, sizeof y);
        any = fabs(x - y) > STILL * fmax(1, fabs(x));
    }
    return any;
}

// Links without any strength do not feel where frames are led to; muscles swell by themselves.
static bool ledElsewhere(const SkinBody *self, const double times[2], const double stiffness[2])
{
    const snSkinMuscles *m = &self->skin->muscles;
    bool feels = !self->links || snSkinLinks_Feel(self->links, times[1]);
    bool moves = feels && differ(self->ahead[0], self->ahead[1],
                                 (size_t)m->frameCount * sizeof *self->ahead[0]);
    return moves || stiffness[0] != stiffness[1] ||
           differ(self->shaped[0], self->shaped[1], (size_t)m->count * sizeof *self->shaped[0]);
}

bool snSkinBody_Stirs(const snBody *body, int ticks)
{
    const SkinBody *self = moving(body);
    double times[2] = {self->time, self->time + ticks * body->step}, stiffness[2] = {1, 1};
    if (self->links && snSkinLinks_Change(self->links, times[0], times[1])) return true;
    for (int k = 0; k < 2; k++) { // stiffness goes by what was led last
        if (self->drive) self->drive(self->user, times[k], self->ahead[k], self->shaped[k]);
        if (self->stiffness) stiffness[k] = self->stiffness(self->user, times[k]);
        if (self->play) self->play(self->user, times[k], self->played[k]);
    }
    if (self->drive && ledElsewhere(self, times, stiffness)) return true;
    return self->play && differ(self->played[0], self->played[1],
                                (size_t)self->underCount * sizeof *self->played[0]);
}

// What links were drawn to last is what leads them at that time: who wakes does not feel all that it did in between as a blow.
void snSkinBody_Pass(snBody *body, int ticks)
{
    SkinBody *self = moving(body);
    if (!self->drive && !self->play) return;
    self->time += ticks * body->step;
    if (!self->drive || !self->links) return;
    self->drive(self->user, self->time, self->ahead[0], self->shaped[0]);
    for (int f = 0; f < self->skin->muscles.frameCount; f++)
        self->ahead[0][f] = snMulAA(self->place, self->ahead[0][f]);
    snSkinLinks_Want(self->links, self->ahead[0]);
}
