#include "cli/coat_picture.h"

#include "render/color.h"
#include "render/strip.h"

#include <stdio.h>
#include <string.h>

#define MOST_SHOTS 64

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

static snStatus drawShot(Drawing *d, int shot, snRenderer *renderer, snImage *image, snError *error)
{
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
    return snRenderer_Draw(renderer, &scene, &d->film->camera, image, error);
}

static snStatus drawStrip(Drawing *d, snRenderer *renderer, const char *path, const snCli *cli,
                          snError *error)
{
    int count = d->film->shotCount < MOST_SHOTS ? d->film->shotCount : MOST_SHOTS;
    snImage panels[MOST_SHOTS] = {0}, strip = {0};
    char captions[MOST_SHOTS][32];
    const char *texts[MOST_SHOTS] = {0};
    snStripDef def = snDefaultStripDef();
    snPng png = {0};
    snStatus status = SN_OK;
    for (int s = 0; s < count && !status; s++) {
        if (d->film->times) {
            snprintf(captions[s], sizeof captions[s], "%.2f s", d->film->times[s]);
            texts[s] = captions[s];
        }
        status = drawShot(d, s, renderer, &panels[s], error);
    }
    if (!status) status = snStrip_Compose(&strip, panels, texts, count, &def, error);
    if (!status) status = snPng_Encode(&strip, &png, error);
    if (!status) status = snFile_Write(&cli->context, path, png.data, png.size, error);
    snPng_Free(&png);
    for (int s = 0; s < count; s++)
        snImage_Destroy(&panels[s]);
    snImage_Destroy(&strip);
    return status;
}

snStatus snCoatFilm_Write(const snCoatFilm *film, const char *path, const snCli *cli,
                          snError *error)
{
    snRendererDef def = snDefaultRendererDef();
    snRenderer *renderer = NULL;
    Drawing d = {.film = film, .arena = snMakeArena(&cli->context)};
    def.width = film->width;
    def.height = film->height;
    snStatus status = begin(&d, error);
    if (!status) findBounds(&d);
    if (!status) status = snRenderer_Make(&renderer, &def, error);
    if (!status) status = drawStrip(&d, renderer, path, cli, error);
    snRenderer_Destroy(renderer);
    snArena_Destroy(&d.arena);
    return status;
}
