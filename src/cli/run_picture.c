#include "cli/run_picture.h"

#include "cli/filming.h"
#include "cli/run_props.h"
#include "core/error.h"

#include <string.h>

typedef struct Drawing {
    const snRunFilm *film;
    snArena arena;
    snRunProps props; // planes have no points
    snBox bounds;
    bool floor;
    double height;
    // One picture.
    snSurfaceDraw *surfaces; // bodies, bare muscles, props
    snLineDraw lines;
    snVec3f *placed;            // scratch: vertices of props
    snVec3f *corners, *normals; // scratch: of bodies, as their creases have them
    snVec3f *edges;             // [containers * 24]
} Drawing;

// ---- a drawing ------------------------------------------------------------------------------------

static void findBounds(Drawing *d)
{
    const snRunFilm *film = d->film;
    int vertices = 0;
    d->bounds = snEmptyBox();
    for (int i = 0; i < film->world->bodies.count; i++)
        vertices += film->world->bodies.data[i]->vertexCount;
    vertices += film->bare->vertexCount;
    for (int f = 0; f < film->frameCount; f++) {
        for (int v = 0; v < vertices; v++)
            d->bounds = snBoxAdd(d->bounds, snFromF(film->frames[f][v]));
        for (int p = 0; p < d->props.count; p++) {
            snAffine frame = snRunProp_Frame(&d->props.list[p], film->world, film->times[f]);
            for (int v = 0; v < d->props.list[p].vertexCount && d->props.list[p].drawn; v++)
                d->bounds = snBoxAdd(d->bounds, snMulAP(frame, d->props.list[p].points[v]));
        }
    }
    if (d->floor && d->bounds.lower.y > d->height) d->bounds.lower.y = d->height;
}

static void describeBodies(Drawing *d)
{
    const snWorld *world = d->film->world;
    for (int i = 0; i < world->bodies.count; i++) {
        const snBody *body = world->bodies.data[i];
        snSurfaceDraw *draw = &d->surfaces[i];
        *draw = snDefaultSurfaceDraw();
        bool creases = body->cornerCount > 0;
        draw->vertexCount = creases ? body->cornerCount : body->vertexCount;
        draw->triangleCount = body->triangleCount;
        draw->triangles = creases ? body->cornerTriangles : body->triangles;
        for (int k = 0; k < 3; k++)
            draw->color[k] = d->film->scene->bodies[i].color[k];
        draw->colors = d->film->scene->bodies[i].colors;
    }
}

static snStatus begin(Drawing *d, snError *error)
{
    const snSceneFile *scene = d->film->scene;
    int vertices = 0, containers = 0;
    d->surfaces = SN_NEW(&d->arena, snSurfaceDraw,
                         scene->bodyCount + d->film->bare->count + scene->colliderCount);
    if (!d->surfaces) return snFailMemory(error);
    snStatus status = snRunProps_Make(&d->props, scene, &d->arena, error);
    for (int i = 0; i < scene->colliderCount && !status; i++) {
        const snSceneCollider *c = &scene->colliders[i];
        const snCollider *shape = &c->def.shape;
        bool level = shape->kind == SN_COLLIDER_PLANE && shape->end.linear.cy.y == 1;
        if (level && !c->container && !c->route.count)
            d->floor = true, d->height = shape->end.origin.y;
    }
    for (int p = 0; p < d->props.count; p++) {
        vertices += d->props.list[p].vertexCount;
        containers += d->props.list[p].container;
    }
    size_t corners = 0;
    for (int i = 0; i < d->film->world->bodies.count; i++)
        corners += (size_t)d->film->world->bodies.data[i]->cornerCount;
    d->corners = SN_NEW(&d->arena, snVec3f, corners);
    d->normals = SN_NEW(&d->arena, snVec3f, corners);
    d->placed = SN_NEW(&d->arena, snVec3f, vertices);
    d->edges = SN_NEW(&d->arena, snVec3f, containers * 24);
    if (!status && (!d->placed || !d->edges || !d->corners || !d->normals))
        status = snFailMemory(error);
    if (status) return status;
    describeBodies(d);
    findBounds(d);
    return SN_OK;
}

static void placeProps(Drawing *d, double time, int *surfaceCount)
{
    static const int edge[12][2] = {{0, 1}, {2, 3}, {4, 5}, {6, 7}, {0, 2}, {1, 3},
                                    {4, 6}, {5, 7}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};
    snVec3f *at = d->placed;
    d->lines = snDefaultLineDraw();
    for (int p = 0; p < d->props.count; p++) {
        const snRunProp *prop = &d->props.list[p];
        snAffine frame = snRunProp_Frame(prop, d->film->world, time);
        for (int v = 0; v < prop->vertexCount; v++)
            at[v] = snToF(snMulAP(frame, prop->points[v]));
        if (prop->container) {
            for (int e = 0; e < 12; e++, d->lines.count++) {
                d->edges[2 * d->lines.count] = at[edge[e][0]];
                d->edges[2 * d->lines.count + 1] = at[edge[e][1]];
            }
        } else if (prop->drawn) {
            snSurfaceDraw *draw = &d->surfaces[(*surfaceCount)++];
            *draw = snDefaultSurfaceDraw();
            draw->vertexCount = prop->vertexCount;
            draw->triangleCount = prop->triangleCount;
            draw->positions = at;
            draw->triangles = prop->triangles;
            for (int k = 0; k < 3; k++)
                draw->color[k] = 0.42f;
        }
        at += prop->vertexCount;
    }
    d->lines.points = d->edges;
}

// By area, over the triangles that a corner is of.
static void findNormals(const snBody *body, const snVec3f *corners, snVec3f *normals)
{
    memset(normals, 0, (size_t)body->cornerCount * sizeof *normals);
    for (int t = 0; t < body->triangleCount; t++) {
        const int *c = body->cornerTriangles + 3 * (size_t)t;
        snVec3 a = snFromF(corners[c[0]]), b = snFromF(corners[c[1]]);
        snVec3 area = snTwiceArea(a, b, snFromF(corners[c[2]]));
        for (int k = 0; k < 3; k++)
            normals[c[k]] = snToF(snAdd(snFromF(normals[c[k]]), area));
    }
}

static void drawBare(Drawing *d, int number, const snVec3f *vertices)
{
    const snRunBare *bare = d->film->bare;
    snSurfaceDraw *draw = &d->surfaces[d->film->world->bodies.count + number];
    *draw = snDefaultSurfaceDraw();
    draw->vertexCount = bare->ownVertices;
    draw->triangleCount = bare->triangleCount;
    draw->positions = vertices;
    draw->triangles = bare->triangles;
    memcpy(draw->color, bare->list[number].color, sizeof bare->list[number].color);
    draw->gloss = 0.25f;
}

// Vertices as they are, or as many times as they have normals.
static void placeBodies(Drawing *d, int frame)
{
    const snWorld *world = d->film->world;
    const snVec3f *vertices = d->film->frames[frame];
    snVec3f *corners = d->corners, *normals = d->normals;
    for (int i = 0; i < world->bodies.count; i++) {
        const snBody *body = world->bodies.data[i];
        d->surfaces[i].positions = body->cornerCount ? corners : vertices;
        d->surfaces[i].normals = body->cornerCount ? normals : NULL;
        for (int c = 0; c < body->cornerCount; c++)
            corners[c] = vertices[body->corner[c]];
        if (body->cornerCount) findNormals(body, corners, normals);
        corners += body->cornerCount;
        normals += body->cornerCount;
        vertices += body->vertexCount;
    }
    for (int i = 0; i < d->film->bare->count; i++, vertices += d->film->bare->ownVertices)
        drawBare(d, i, vertices);
}

static snStatus drawFrame(void *user, int frame, snRenderer *renderer, const snCamera *camera,
                          snImage *image, snError *error)
{
    Drawing *d = user;
    int count = d->film->world->bodies.count + d->film->bare->count;
    placeBodies(d, frame);
    placeProps(d, d->film->times[frame], &count);
    snScene scene = snDefaultScene();
    scene.surfaces = d->surfaces;
    scene.surfaceCount = count;
    scene.lines = &d->lines;
    scene.lineCount = d->lines.count > 0;
    scene.bounds = d->bounds;
    scene.ground = d->floor;
    scene.groundHeight = d->height;
    return snRenderer_Draw(renderer, &scene, camera, image, error);
}

// ---- pictures -------------------------------------------------------------------------------------

static snCamera makeCamera(const snSceneCamera *given)
{
    snCamera camera = snDefaultCamera();
    if (given->given) {
        camera.automatic = false;
        camera.yaw = given->yaw;
        camera.pitch = given->pitch;
    }
    if (given->zoom > 0) camera.zoom = given->zoom;
    if (given->fieldOfView > 0) camera.fieldOfView = given->fieldOfView;
    return camera;
}

snStatus snRunFilm_Write(const snRunFilm *film, const char *path, snFileBatch *batch,
                         const snCli *cli, snError *error)
{
    bool moving = snPath_HasExtension(path, ".mp4");
    const snSceneCamera *given = &film->scene->camera;
    const int asked[2] = {film->size[0] ? film->size[0] : given->width,
                          film->size[0] ? film->size[1] : given->height};
    Drawing d = {.film = film, .arena = snMakeArena(&cli->context)};
    snFilming filming = {.count = film->frameCount,
                         .times = film->times,
                         .rate = film->rate,
                         .panels = given->panels,
                         .columns = given->columns,
                         .width = asked[0] ? asked[0] : (moving ? 960 : 480),
                         .height = asked[1] ? asked[1] : (moving ? 540 : 360),
                         .camera = makeCamera(given),
                         .draw = drawFrame,
                         .user = &d};
    snStatus status = begin(&d, error);
    if (!status) status = snFilming_Write(&filming, path, batch, cli, error);
    snArena_Destroy(&d.arena);
    return status;
}
