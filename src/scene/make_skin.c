// Skins of scenes: a mesh around the body at rest, or around a surface as it is at the begin, tied to it.
#include "scene/build.h"

#include "core/error.h"

#define LEAST_CELL 0.005 // of the size
#define OWN_CELL 0.1     // of the size
#define OFF 0.02         // cells: how far before the fat it begins

typedef struct Making {
    const snSceneSkinDef *def;
    snArena scratch;
    const snContext *context;
    snError *error;
    snPlayed *played; // or NULL
    snMesh rest, around;
    snSkinUnder under;
    snSkinMesh mesh;
    snSkinPoint *points;
} Making;

static snStatus findRest(Making *m)
{
    const snBody *over = m->def->over;
    snStatus status = SN_OK;
    if (over) {
        m->rest =
            (snMesh){over->vertexCount, over->triangleCount, over->restSurface, over->triangles};
    } else {
        status = snPlayed_Make(&m->played, &m->def->skin->played->def, m->context, m->error);
        if (!status) m->rest = *snPlayed_Mesh(m->played);
    }
    if (!status) status = snSkinUnder_Make(&m->under, &m->rest, 1, &m->scratch, m->error);
    return status;
}

static snStatus makeMesh(Making *m)
{
    const snSceneSkin *skin = m->def->skin;
    double size = m->under.shell.size, cell = skin->cell > 0 ? skin->cell : OWN_CELL * size;
    if (cell < LEAST_CELL * size)
        return snFail(m->error, SN_ERROR_ARGUMENT, "cell: %g m is too small for a body of %g m",
                      cell, size);
    if (skin->tissue.fat > size)
        return snFail(m->error, SN_ERROR_ARGUMENT, "fat: %g m is too thick for a body of %g m",
                      skin->tissue.fat, size);
    snStatus status = snSkinUnder_Surface(&m->under, cell, skin->tissue.fat + OFF * cell,
                                          &m->around, &m->scratch, m->error);
    if (!status && !m->around.triangleCount)
        status = snFail(m->error, SN_ERROR_ARGUMENT, "cell: %g m is too large for this body", cell);
    if (!status) status = snSkinMesh_FromTriangles(&m->mesh, &m->around, &m->scratch, m->error);
    return status;
}

static snStatus makePoints(Making *m)
{
    int count = m->around.vertexCount;
    m->points = SN_NEW(&m->scratch, snSkinPoint, count);
    if (!m->points) return snFailMemory(m->error);
    for (int i = 0; i < count; i++)
        m->points[i] = snDefaultSkinPoint();
    snSkinTissue_Fill(&m->def->skin->tissue, &m->mesh, m->around.positions, m->points);
    snSkinUnder_Attach(&m->under, m->around.positions, INFINITY, count, m->points);
    return SN_OK;
}

static void play(void *user, double time, snVec3 *places)
{
    snPlayed_At(user, time, places);
}

static void release(void *user)
{
    snPlayed_Destroy(user);
}

static snStatus makeBody(Making *m, snBody **body)
{
    const snSceneSkinDef *def = m->def;
    snAffine frame = snIdentityAffine();
    snElasticSkinDef skin = snDefaultElasticSkinDef();
    snSkinBodyDef made = snDefaultSkinBodyDef();
    skin.mesh = &m->mesh;
    skin.points = m->points;
    skin.places = m->around.positions;
    skin.frameCount = 1;
    skin.frames = &frame;
    skin.under = &m->rest;
    skin.method = (snOdeMethod)def->skin->method;
    skin.fold.on = def->skin->self;
    made.name = def->name;
    made.skin = &skin;
    made.step = def->step;
    made.over = def->over;
    made.presses = !def->skin->oneWay;
    made.smooth = def->skin->smooth;
    made.mostPoints = made.mostHeld = def->mostPoints;
    made.meets = def->meets;
    if (m->played) {
        made.play = play;
        made.release = release;
        made.user = m->played;
    }
    return snSkinBody_Make(body, &made, m->context, m->error);
}

snStatus snSceneSkin_Make(snBody **body, const snSceneSkinDef *def, const snContext *context,
                          snError *error)
{
    Making m = {.def = def, .scratch = snMakeArena(context), .context = context, .error = error};
    snStatus status = findRest(&m);
    if (!status) status = makeMesh(&m);
    if (!status) status = makePoints(&m);
    if (!status) status = makeBody(&m, body);
    if (status) snPlayed_Destroy(m.played);
    snArena_Destroy(&m.scratch);
    if (status && status != SN_ERROR_MEMORY) snError_Prefix(error, "skin");
    return status;
}
