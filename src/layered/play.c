#include "layered/play.h"

#include "body/skin/smooth.h"
#include "core/error.h"
#include "layered/editor.h"
#include "layered/fields.h"
#include "layered/operations.h"
#include "layered/surface.h"

#include <string.h>

#define LONGEST (1.0 / 60) // s between two poses that the skin is led through

struct snPlay {
    snArena arena;
    snEditor resampled; // a copy of the document, where the skin has another resolution
    snFigure figure;
    snSkinMesh mesh;
    snElasticSkin *skin;
    snSkinMuscle *shapes; // [muscles], as they are to be
    double time;
    bool failed; // a step could not be computed
    snPlaySurface surface;
    snSkinSmooth smooth; // what the surface is of the skin's points
    snVec3 *drawn;       // [vertexCount], scratch
};

snPlayDef snDefaultPlayDef(void)
{
    return (snPlayDef){.settle = 1.5};
}

// ---- making -----------------------------------------------------------------------------------------

// A copy of the document with another resolution of its skin.
static snStatus resample(snPlay *play, const snLayered *layered, const snPlayDef *def,
                         snError *error)
{
    snStatus status = snEditor_Make(&play->resampled, &layered->context, error);
    if (status) return status;
    snEditor *editor = &play->resampled;
    snEditor_Begin(editor);
    snEditor_Set(editor, SN_TABLE_SETTINGS, 0, snLayered_Settings(layered));
    for (int t = SN_TABLE_JOINTS; t < SN_TABLE_COUNT; t++)
        snEditor_Insert(editor, (snTable)t, 0, layered->tables[t].count, layered->tables[t].data);
    status = snEditor_End(editor, SN_OK, error);
    if (!status && def->rows) status = snEdit_ResampleSkin(editor, def->rows, def->columns, error);
    for (int i = 0; i < def->halved && !status; i++)
        status = snEdit_HalveSkin(editor, error);
    return status;
}

static snOdeMethod methodOf(int word)
{
    static const snOdeMethod methods[SN_SKIN_INTEGRATORS] = {
        [SN_SKIN_VERLET] = SN_ODE_VERLET,
        [SN_SKIN_EULER] = SN_ODE_EULER,
        [SN_SKIN_IMPLICIT_EULER] = SN_ODE_IMPLICIT_EULER,
        [SN_SKIN_RK2] = SN_ODE_RK2,
        [SN_SKIN_RK4] = SN_ODE_RK4,
        [SN_SKIN_ROSENBROCK] = SN_ODE_ROSENBROCK4};
    return methods[word];
}

// As the figure stands; without points and places.
static snElasticSkinDef defineSkin(const snPlay *play)
{
    const snLayered *layered = play->figure.layered;
    const snLayeredSettings *settings = snLayered_Settings(layered);
    snElasticSkinDef def = snDefaultElasticSkinDef();
    def.mesh = &play->mesh;
    def.muscleCount = play->figure.muscleCount;
    def.muscles = play->shapes;
    def.frameCount = play->figure.skeleton.jointCount;
    def.frames = play->figure.pose.global;
    def.gravity = settings->gravity;
    def.pressure = snLayered_Skin(layered)->pressure;
    def.fold =
        (snSkinFoldDef){snLayered_Skin(layered)->self != 0, snLayered_Skin(layered)->thickness,
                        snLayered_Skin(layered)->friction};
    def.correction = settings->correction;
    def.bulge = snLayered_SkinBulge(layered);
    def.method = methodOf(settings->integrator);
    def.control.place = settings->tolerance;
    if (settings->fixedStep) def.control.fixed = settings->step;
    return def;
}

static snStatus makeSkin(snPlay *play, snError *error)
{
    const snLayered *layered = play->figure.layered;
    snStatus status = snLayered_SkinMesh(layered, &play->mesh, &play->arena, error);
    if (status) return status;
    snSkinPoint *points = snLayered_SkinPoints(layered, &play->mesh, &play->arena);
    snVec3 *places = snLayered_SkinPlaces(layered, &play->arena);
    play->shapes = SN_NEW(&play->arena, snSkinMuscle, play->figure.muscleCount);
    if (!points || !places || !play->shapes) return snFailMemory(error);
    snFigure_Shapes(&play->figure, 0, play->shapes);
    snElasticSkinDef def = defineSkin(play);
    def.points = points;
    def.places = places;
    return snElasticSkin_Make(&play->skin, &def, &layered->context, error);
}

snElasticSkinDef snPlay_SkinDef(const snPlay *play)
{
    snElasticSkinDef def = defineSkin(play);
    def.points = play->skin->built;
    def.places = play->skin->places;
    def.volume = play->skin->elastic.volume;
    return def;
}

// ---- the surface ------------------------------------------------------------------------------------

static snStatus makeSurface(snPlay *play, int levels, snError *error)
{
    const snContext *context = &play->figure.layered->context;
    snPlaySurface *s = &play->surface;
    snStatus status =
        snSkinSmooth_Make(&play->smooth, &play->mesh, levels, &play->arena, context, error);
    if (status) return status;
    *s = (snPlaySurface){.pointCount = play->mesh.pointCount,
                         .vertexCount = play->smooth.vertexCount,
                         .triangleCount = play->smooth.triangleCount,
                         .triangles = play->smooth.triangles};
    play->drawn = SN_NEW(&play->arena, snVec3, s->vertexCount);
    if (!play->drawn) return snFailMemory(error);
    return snLayered_Paint(play->figure.layered, &play->smooth, &s->colors, &s->uv, &play->arena,
                           error);
}

void snPlay_Places(snPlay *play, snVec3f *out)
{
    snSkinSmooth_Places(&play->smooth, play->skin->places, play->drawn);
    for (int v = 0; v < play->surface.vertexCount; v++)
        out[v] = snToF(play->drawn[v]);
}

// ---- playing ----------------------------------------------------------------------------------------

// A polynomial may leave the range that numbers have.
static double stiffnessAt(const snPlay *play, double time)
{
    const snDriven *driven = &snLayered_Skin(play->figure.layered)->stiffness;
    return fmin(fmax(snDriven_Value(driven, time, play->figure.angles), 1e-3), 1e3);
}

double snPlay_Stiffness(snPlay *play, double time)
{
    return stiffnessAt(play, time);
}

// What flew apart is no result, though every step of it may have been taken.
static bool isTogether(const snPlay *play)
{
    bool near = true;
    for (int i = 0; i < play->mesh.pointCount && near; i++)
        near = snLength(play->skin->places[i]) < SN_PLAY_FARTHEST;
    return near;
}

static bool step(snPlay *play, double length, double time)
{
    snFigure_Shapes(&play->figure, time, play->shapes);
    snElasticSkin_SetStiffness(play->skin, stiffnessAt(play, time));
    bool good = snElasticSkin_Step(play->skin, length, play->figure.pose.global, play->shapes);
    good = good && isTogether(play);
    play->failed |= !good;
    return good;
}

// From rest into the pose at time 0 in the first half of the time, then it hangs.
static bool settle(snPlay *play, double seconds)
{
    snFigure *f = &play->figure;
    int steps = (int)(seconds / LONGEST) + 1;
    bool good = true;
    for (int i = 1; i <= steps && good; i++) {
        double share = 2.0 * i / steps;
        snFigure_SetTime(f, 0);
        for (int j = 0; j < f->skeleton.jointCount && share < 1; j++) {
            snTransform *local = &f->pose.local[j], rest = f->skeleton.joints[j].rest;
            local->translation = snLerp(rest.translation, local->translation, share);
            local->rotation = snSlerp(rest.rotation, local->rotation, share);
        }
        snFigure_Follow(f, 0);
        good = step(play, seconds / steps, 0);
    }
    return good;
}

void snPlay_Lead(snPlay *play, double time, snAffine *frames, snSkinMuscle *muscles)
{
    snFigure *figure = &play->figure;
    snFigure_SetTime(figure, time);
    memcpy(frames, figure->pose.global, (size_t)figure->skeleton.jointCount * sizeof *frames);
    snFigure_Shapes(figure, time, muscles);
}

bool snPlay_Advance(snPlay *play, double time)
{
    double length = time - play->time;
    if (!(length > 0)) return !play->failed;
    int steps = (int)(length / LONGEST - 1e-9) + 1;
    double begin = play->time;
    for (int i = 1; i <= steps; i++) {
        double now = begin + length * i / steps;
        snFigure_SetTime(&play->figure, now);
        if (!step(play, length / steps, now)) return false;
        play->time = now;
    }
    return true;
}

static snStatus make(snPlay *play, const snLayered *layered, const snPlayDef *def, snError *error)
{
    const snLayeredSkin *skin = snLayered_Skin(layered);
    snPlayDef wanted = *def;
    if (skin->kind != SN_SKIN_GRID || (def->rows == skin->rows && def->columns == skin->columns))
        wanted.rows = 0;
    bool other = wanted.rows || def->halved;
    snStatus status = other ? resample(play, layered, &wanted, error) : SN_OK;
    if (!status)
        status = snFigure_Build(&play->figure, other ? &play->resampled.layered : layered, error);
    if (status) return status;
    snFigure_SetRest(&play->figure);
    status = makeSkin(play, error);
    if (!status) status = makeSurface(play, def->smooth, error);
    if (!status && def->settle > 0 && !settle(play, def->settle))
        status = snFail(error, SN_ERROR_NUMERIC,
                        "the skin flew apart when it settled on the first pose: " SN_PLAY_FLEW);
    return status;
}

snStatus snPlay_Make(snPlay **out, const snLayered *layered, const snPlayDef *def, snError *error)
{
    snArena arena = snMakeArena(&layered->context);
    *out = NULL;
    if (!snLayered_Skin(layered))
        return snFail(error, SN_ERROR_ARGUMENT, "there is no skin to play; create one first");
    snPlay *play = SN_NEW(&arena, snPlay, 1);
    if (!play) return snFailMemory(error);
    play->arena = arena;
    snStatus status = make(play, layered, def, error);
    if (status)
        snPlay_Destroy(play);
    else
        *out = play;
    return status;
}

void snPlay_Destroy(snPlay *play)
{
    if (!play) return;
    snArena arena = play->arena; // which owns the play itself
    snElasticSkin_Destroy(play->skin);
    if (play->figure.layered) snFigure_Destroy(&play->figure);
    if (play->resampled.layered.tables[SN_TABLE_SETTINGS].data) snEditor_Destroy(&play->resampled);
    snArena_Destroy(&arena);
}

// ---- asking -----------------------------------------------------------------------------------------

const snPlaySurface *snPlay_Surface(const snPlay *play)
{
    return &play->surface;
}

const snFigure *snPlay_Figure(const snPlay *play)
{
    return &play->figure;
}

double snPlay_Deepest(snPlay *play)
{
    return snElasticSkin_Deepest(play->skin);
}

void snPlay_Feet(const snPlay *play, snVec3 *feet)
{
    for (int i = 0; i < play->mesh.pointCount; i++) {
        int m = play->skin->points[i].muscle;
        feet[i] = snVec(0, 0, 0);
        if (m < 0) continue;
        const snMuscle *muscle = &play->figure.muscles[m];
        feet[i] = snMuscle_Source(muscle, snMuscle_Project(muscle, play->skin->places[i], NULL));
    }
}
