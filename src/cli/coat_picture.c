#include "cli/coat_picture.h"

#include "cli/filming.h"
#include "render/color.h"

typedef struct Drawing {
    const snCoatFilm *film;
    snArena arena;
    snVec3 *controls, *points, *normals; // of the skin, in double precision
    snVec3f *shown, *shownNormals;
    int elementVertices, elementTriangles;
    snVec3f *samples; // [elementVertices]
    int *triangles;   // [elementTriangles * 3]
    snBox bounds;
} Drawing;

static snStatus begin(Drawing *d, snError *error)
{
    const snCoating *c = d->film->coating;
    int n = c->skin.vertexCount;
    for (int e = 0; e < c->elementCount; e++) {
        d->elementVertices += c->elements[e].element.count;
        d->elementTriangles += c->elements[e].element.triangleCount;
    }
    d->controls = SN_NEW(&d->arena, snVec3, c->controlCount);
    d->points = SN_NEW(&d->arena, snVec3, n);
    d->normals = SN_NEW(&d->arena, snVec3, n);
    d->shown = SN_NEW(&d->arena, snVec3f, n);
    d->shownNormals = SN_NEW(&d->arena, snVec3f, n);
    d->samples = SN_NEW(&d->arena, snVec3f, d->elementVertices);
    d->triangles = SN_NEW(&d->arena, int, 3 * (size_t)d->elementTriangles);
    if (!d->controls || !d->points || !d->normals || !d->shown || !d->shownNormals || !d->samples ||
        !d->triangles)
        return snFailMemory(error);
    int *out = d->triangles, first = 0;
    for (int e = 0; e < c->elementCount; e++) {
        const snElement *element = &c->elements[e].element;
        for (int i = 0; i < 3 * element->triangleCount; i++)
            *out++ = first + element->triangles[i];
        first += element->count;
    }
    return SN_OK;
}

// Horizontally the root's place is the middle of every panel.
static void placeShot(Drawing *d, int shot)
{
    const snCoating *c = d->film->coating;
    const snAffine *frames = d->film->frames + (size_t)shot * (size_t)c->plan.skeleton->jointCount;
    snVec3 middle = snVec(frames[0].origin.x, 0, frames[0].origin.z);
    snCoating_Place(c, frames, NULL, d->controls);
    snSplineSkin_Place(&c->skin, d->controls, d->points, d->normals);
    for (int v = 0; v < c->skin.vertexCount; v++) {
        d->points[v] = snSub(d->points[v], middle);
        d->shown[v] = snToF(d->points[v]);
        d->shownNormals[v] = snToF(d->normals[v]);
    }
    snVec3f *out = d->samples;
    for (int e = 0; e < c->elementCount; e++) {
        const snElement *element = &c->elements[e].element;
        for (int i = 0; i < element->count; i++) {
            snVec3 local = snElement_Sample(element, element->rest, i);
            *out++ = snToF(snSub(snMulAP(frames[c->elements[e].joint], local), middle));
        }
    }
}

static void findBounds(Drawing *d)
{
    d->bounds = snEmptyBox();
    for (int s = 0; s < d->film->shotCount; s++) {
        placeShot(d, s);
        for (int v = 0; v < d->film->coating->skin.vertexCount; v++)
            d->bounds = snBoxAdd(d->bounds, d->points[v]);
    }
}

static snStatus drawShot(void *user, int shot, snRenderer *renderer, const snCamera *camera,
                         snImage *image, snError *error)
{
    Drawing *d = user;
    const snCoating *c = d->film->coating;
    snSurfaceDraw surfaces[2] = {snDefaultSurfaceDraw(), snDefaultSurfaceDraw()};
    placeShot(d, shot);
    surfaces[0].vertexCount = c->skin.vertexCount;
    surfaces[0].triangleCount = c->skin.triangleCount;
    surfaces[0].positions = d->shown;
    surfaces[0].normals = d->shownNormals;
    surfaces[0].triangles = c->skin.triangles;
    surfaces[1].vertexCount = d->elementVertices;
    surfaces[1].triangleCount = d->elementTriangles;
    surfaces[1].positions = d->samples;
    surfaces[1].triangles = d->triangles;
    snColor_FromHex(0xe07a1f, surfaces[1].color);
    if (d->film->elements) surfaces[0].opacity = 0.3f;
    snScene scene = snDefaultScene();
    scene.surfaces = surfaces;
    scene.surfaceCount = d->film->elements ? 2 : 1;
    scene.bounds = d->bounds;
    scene.groundHeight = d->bounds.lower.y;
    return snRenderer_Draw(renderer, &scene, camera, image, error);
}

snStatus snCoatFilm_Write(const snCoatFilm *film, const char *path, snFileBatch *batch,
                          const snCli *cli, snError *error)
{
    Drawing d = {.film = film, .arena = snMakeArena(&cli->context)};
    snFilming filming = {.count = film->shotCount,
                         .times = film->times,
                         .panels = SN_MOST_PANELS,
                         .width = film->width,
                         .height = film->height,
                         .camera = film->camera,
                         .draw = drawShot,
                         .user = &d};
    snStatus status = begin(&d, error);
    if (!status) findBounds(&d);
    if (!status) status = snFilming_Write(&filming, path, batch, cli, error);
    snArena_Destroy(&d.arena);
    return status;
}
