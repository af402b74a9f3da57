#include "layered/play.h"

#include "body/skin/levels.h"
#include "core/error.h"

#include <string.h>

// The body's skin begins as a play's stands after it has settled; the play stays as what leads it. Of a body with levels each has a play of
// its own. Coarser ones do not settle: their points are put where the finest one's surface is.

snPlayBodyDef snDefaultPlayBodyDef(void)
{
    return (snPlayBodyDef){
        .name = "skin", .step = 1.0 / 60.0, .play = snDefaultPlayDef(), .friction = -1.0};
}

static void lead(void *play, double time, snAffine *frames, snSkinMuscle *muscles)
{
    snPlay_Lead(play, time, frames, muscles);
}

static double stiffness(void *play, double time)
{
    return snPlay_Stiffness(play, time);
}

static void release(void *play)
{
    snPlay_Destroy(play);
}

// A body of the skin as it is defined; the play belongs to it, also when this fails.
static snStatus makeBody(snBody **body, snPlay *play, const snElasticSkinDef *skin,
                         const snPlayBodyDef *def, const snContext *context, snError *error)
{
    snSkinBodyDef made = snDefaultSkinBodyDef();
    made.name = def->name;
    made.skin = skin;
    made.step = def->step;
    made.drive = lead;
    made.stiffness = stiffness;
    made.user = play;
    made.release = release;
    made.smooth = def->play.smooth;
    made.meets = def->meets;
    made.friction = def->friction;
    made.mostPoints = made.mostHeld = def->mostPoints;
    const snFigure *figure = snPlay_Figure(play);
    snSkinLinksDef links = snDefaultSkinLinksDef(&figure->skeleton);
    links.ranges = figure->ranges;
    links.friction = def->friction;
    if (def->density > 0) links.density = def->density;
    if (def->strength) links.strength = *def->strength;
    if (def->strength) made.links = &links;
    snStatus status = snSkinBody_Make(body, &made, context, error);
    if (status) snPlay_Destroy(play);
    return status;
}

// A coarser one beside a body that is there.
static snStatus makeCoarser(snBody **body, snBody *finer, const snLayered *layered,
                            const snPlayBodyDef *def, snPlayDef play, snError *error)
{
    const snContext *context = &layered->context;
    snSkinAtRest fine = snSkinBody_AtRest(finer);
    const snSkinMuscles *muscles = &snSkinBody_Skin(finer)->muscles;
    snArena scratch = snMakeArena(context);
    snSkinRung rung;
    snPlay *made;
    *body = NULL;
    snStatus status = snPlay_Make(&made, layered, &play, error);
    if (status) return status;
    snElasticSkinDef skin = snPlay_SkinDef(made);
    snVec3 *places = SN_COPY(&scratch, snVec3, skin.places, skin.mesh->pointCount);
    if (!places) status = snFailMemory(error);
    if (!status)
        status = snSkinRung_Make(&rung, fine, (snSkinAtRest){skin.mesh, places}, &scratch, context,
                                 error);
    if (status) {
        snPlay_Destroy(made);
    } else {
        snSkinRung_Down(&rung, fine.places, places);
        skin.places = places;
        skin.frames = muscles->frame[1];
        skin.muscles = muscles->shape[1];
        skin.volume = snSkinBody_Skin(finer)->elastic.volume;
        status = makeBody(body, made, &skin, def, context, error);
    }
    snArena_Destroy(&scratch);
    return status;
}

// The next coarser resolution; false: there is none.
static bool halve(snPlayDef *def, int *points)
{
    *points /= 4;
    if (!def->rows) {
        def->halved++;
        return *points >= SN_PLAY_LEAST * SN_PLAY_LEAST;
    }
    def->rows /= 2;
    def->columns /= 2;
    return def->rows >= SN_PLAY_LEAST && def->columns >= SN_PLAY_LEAST;
}

const snSkinMuscles *snPlayBody_Muscles(snBody *body)
{
    return &snSkinBody_Skin(snSkinBody_Moving(body))->muscles;
}

snStatus snPlayBody_Make(snBody **body, const snLayered *layered, const snPlayBodyDef *def,
                         snError *error)
{
    const snContext *context = &layered->context;
    snBody *levels[SN_SKIN_LEVELS];
    snPlay *play;
    int count = 1;
    *body = NULL;
    snStatus status = snPlay_Make(&play, layered, &def->play, error);
    if (status) return status;
    snElasticSkinDef skin = snPlay_SkinDef(play);
    snPlayDef coarser = {.rows = skin.mesh->rows, .columns = skin.mesh->columns};
    int points = skin.mesh->pointCount;
    status = makeBody(&levels[0], play, &skin, def, context, error);
    if (status) return status;
    for (; count < def->levels && count < SN_SKIN_LEVELS && !status; count++) {
        if (!halve(&coarser, &points)) break;
        status = makeCoarser(&levels[count], levels[count - 1], layered, def, coarser, error);
        if (status) break;
    }
    if (!status && count > 1) return snSkinLevels_Make(body, count, levels, context, error);
    for (int k = 0; k < count && status; k++)
        snBody_Destroy(levels[k]);
    if (!status) *body = levels[0];
    return status;
}
