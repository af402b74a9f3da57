#include "layered/play.h"

// The body's skin begins as a play's stands after it has settled; the play stays as what leads it.

static void lead(void *play, double time, snAffine *frames, snSkinMuscle *muscles)
{
    snPlay_Lead(play, time, frames, muscles);
}

static void release(void *play)
{
    snPlay_Destroy(play);
}

snStatus snPlayBody_Make(snBody **body, const snLayered *layered, const snPlayBodyDef *def,
                         snError *error)
{
    snPlay *play;
    *body = NULL;
    snStatus status = snPlay_Make(&play, layered, &def->play, error);
    if (status) return status;
    snElasticSkinDef skin = snPlay_SkinDef(play);
    snSkinBodyDef made = snDefaultSkinBodyDef();
    made.name = def->name;
    made.skin = &skin;
    made.step = def->step;
    made.drive = lead;
    made.user = play;
    made.release = release;
    made.smooth = def->play.smooth;
    made.meets = def->meets;
    made.mostPoints = made.mostHeld = def->mostPoints;
    status = snSkinBody_Make(body, &made, &layered->context, error);
    if (status) snPlay_Destroy(play);
    return status;
}
