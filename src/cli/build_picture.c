#include "cli/build_picture.h"

#include "cli/filming.h"
#include "core/error.h"
#include "layered/figure.h"

#include <string.h>

#define ROWS 24 // of a muscle
#define COLUMNS 32
#define MOST_FRAMES 100000

typedef struct Drawing {
    const snBuildPicture *picture;
    snFigure figure;
    snArena arena;
    int count;     // frames
    double *times; // [count]
    snBox bounds;
    snVec3 *points;  // scratch, of one muscle
    int *triangles;  // of one muscle, the same for all
    snVec3f *placed; // [muscles * vertices]
    snSurfaceDraw *surfaces;
    int surfaceCount;
    snVec3f *heads, *tails;
    snBoneDraw bones;
} Drawing;

static const int vertices = SN_MUSCLE_VERTICES(ROWS, COLUMNS);

// ---- what is drawn ----------------------------------------------------------------------------------

static snStatus makeDrawing(Drawing *d, snError *error)
{
    int muscles = d->figure.muscleCount, joints = d->figure.skeleton.jointCount;
    d->times = SN_NEW(&d->arena, double, d->count);
    d->points = SN_NEW(&d->arena, snVec3, vertices);
    d->triangles = SN_NEW(&d->arena, int, 3 * SN_MUSCLE_TRIANGLES(ROWS, COLUMNS));
    d->placed = SN_NEW(&d->arena, snVec3f, muscles * vertices);
    d->surfaces = SN_NEW(&d->arena, snSurfaceDraw, muscles + 1);
    d->heads = SN_NEW(&d->arena, snVec3f, joints);
    d->tails = SN_NEW(&d->arena, snVec3f, joints);
    if (!d->times || !d->points || !d->triangles || !d->placed || !d->surfaces || !d->heads ||
        !d->tails)
        return snFailMemory(error);
    for (int i = 0; i < d->count; i++) {
        d->times[i] = d->count > 1 ? d->figure.duration * i / (d->count - 1) : 0;
        if (d->picture->times) d->times[i] = d->picture->times[i];
    }
    return SN_OK;
}

static void drawMuscle(Drawing *d, int m)
{
    snSurfaceDraw *draw = &d->surfaces[d->surfaceCount++];
    snVec3f *placed = d->placed + (size_t)m * (size_t)vertices;
    const snVec3 *color = &snLayered_Muscles(d->figure.layered)[m].color;
    snMuscle_Mesh(&d->figure.muscles[m], ROWS, COLUMNS, d->points, d->triangles);
    for (int v = 0; v < vertices; v++)
        placed[v] = snToF(d->points[v]);
    *draw = snDefaultSurfaceDraw();
    draw->vertexCount = vertices;
    draw->triangleCount = SN_MUSCLE_TRIANGLES(ROWS, COLUMNS);
    draw->positions = placed;
    draw->triangles = d->triangles;
    draw->color[0] = (float)color->x;
    draw->color[1] = (float)color->y;
    draw->color[2] = (float)color->z;
    draw->gloss = 0.25f;
}

static void drawSkin(Drawing *d, int frame)
{
    const snBuildPicture *p = d->picture;
    const snBuildSurface *s = &p->frames[frame];
    static const float pale[3] = {0.72f, 0.76f, 0.82f};
    snSurfaceDraw *draw = &d->surfaces[d->surfaceCount++];
    *draw = snDefaultSurfaceDraw();
    draw->vertexCount = s->vertexCount;
    draw->triangleCount = s->triangleCount;
    draw->positions = s->positions;
    draw->triangles = s->triangles;
    draw->doubleSided = true;
    draw->colors = s->colors;
    memcpy(draw->color, pale, sizeof pale);
    draw->opacity = p->muscles ? 0.45f : 1.0f;
    draw->gloss = 0.3f;
}

static void drawBones(Drawing *d)
{
    const snFigure *f = &d->figure;
    d->bones = snDefaultBoneDraw();
    d->bones.heads = d->heads;
    d->bones.tails = d->tails;
    d->bones.onTop = true;
    for (int j = 0; j < f->skeleton.jointCount; j++) {
        int parent = f->skeleton.joints[j].parent;
        if (parent < 0) continue;
        d->heads[d->bones.count] = snToF(f->pose.global[parent].origin);
        d->tails[d->bones.count++] = snToF(f->pose.global[j].origin);
    }
}

// A muscle that nothing of the skin is tied to is bare: feet, a beak.
static bool isBare(const Drawing *d, int muscle)
{
    const snLayered *layered = d->figure.layered;
    for (int i = 0; i < snLayered_Count(layered, SN_TABLE_POINTS); i++)
        if (snLayered_Points(layered)[i].muscle == muscle) return false;
    return true;
}

static void setTime(Drawing *d, int frame)
{
    if (d->picture->times)
        snFigure_SetRest(&d->figure);
    else
        snFigure_SetTime(&d->figure, d->times[frame]);
}

static void place(Drawing *d, int frame)
{
    bool skin = d->picture->frameCount > 0;
    setTime(d, frame);
    d->surfaceCount = 0;
    for (int m = 0; m < d->figure.muscleCount; m++)
        if (!skin || d->picture->muscles || isBare(d, m)) drawMuscle(d, m);
    if (skin) drawSkin(d, frame);
    drawBones(d);
}

static void findBounds(Drawing *d)
{
    d->bounds = snEmptyBox();
    for (int i = 0; i < d->count; i++) {
        setTime(d, i);
        for (int m = 0; m < d->figure.muscleCount; m++) {
            snMuscle_Mesh(&d->figure.muscles[m], 8, 10, d->points, d->triangles);
            for (int v = 0; v < SN_MUSCLE_VERTICES(8, 10); v++)
                d->bounds = snBoxAdd(d->bounds, d->points[v]);
        }
        for (int j = 0; j < d->figure.skeleton.jointCount; j++)
            d->bounds = snBoxAdd(d->bounds, d->figure.pose.global[j].origin);
        for (int v = 0; d->picture->frameCount && v < d->picture->frames[i].vertexCount; v++)
            d->bounds = snBoxAdd(d->bounds, snFromF(d->picture->frames[i].positions[v]));
    }
}

static snStatus drawFrame(void *user, int frame, snRenderer *renderer, const snCamera *camera,
                          snImage *image, snError *error)
{
    Drawing *d = user;
    place(d, frame);
    snScene scene = snDefaultScene();
    scene.surfaces = d->surfaces;
    scene.surfaceCount = d->surfaceCount;
    scene.bones = &d->bones;
    scene.boneCount = d->picture->frameCount && !d->picture->muscles ? 0 : 1;
    scene.bounds = d->bounds;
    scene.groundHeight = d->bounds.lower.y;
    return snRenderer_Draw(renderer, &scene, camera, image, error);
}

// ---- pictures -------------------------------------------------------------------------------------

snStatus snBuildPicture_Write(const snBuildPicture *picture, const char *path, snFileBatch *batch,
                              const snCli *cli, snError *error)
{
    bool moving = snPath_HasExtension(path, ".mp4");
    Drawing d = {.picture = picture, .arena = snMakeArena(&cli->context)};
    snStatus status = snFigure_Build(&d.figure, picture->layered, error);
    if (status) return status;
    double rate = snLayered_Settings(picture->layered)->frameRate;
    if (picture->times) rate = picture->rate;
    d.count = picture->frameCount ? picture->frameCount : (int)(d.figure.duration * rate + 0.5) + 1;
    if (d.count > MOST_FRAMES) d.count = MOST_FRAMES;
    status = makeDrawing(&d, error);
    if (!status) findBounds(&d);
    snFilming filming = {.count = d.count,
                         .times = d.times,
                         .rate = rate,
                         .panels = picture->panels,
                         .width = picture->size[0] ? picture->size[0] : (moving ? 960 : 480),
                         .height = picture->size[0] ? picture->size[1] : (moving ? 540 : 400),
                         .camera = picture->camera,
                         .draw = drawFrame,
                         .user = &d};
    if (!status) status = snFilming_Write(&filming, path, batch, cli, error);
    snFigure_Destroy(&d.figure);
    snArena_Destroy(&d.arena);
    return status;
}
