#include "picture.h"

#include "core/error.h"
#include "render/color.h"

typedef struct Picture {
    snSurfaceDraw surfaces[2];
    snLineDraw lines;
    snPointDraw points;
    snScene scene;
} Picture;

static snStatus addSurface(Picture *p, const snModel *model, snArena *arena, snError *error)
{
    const snMesh *mesh = &model->surface;
    snVec3f *positions = SN_NEW(arena, snVec3f, mesh->vertexCount);
    float *colors = SN_NEW(arena, float, 4 * (size_t)mesh->vertexCount);
    if (!positions || !colors) return snFailMemory(error);
    for (int v = 0; v < mesh->vertexCount; v++) {
        snTint tint = model->tints[v];
        positions[v] = snToF(mesh->positions[v]);
        p->scene.bounds = snBoxAdd(p->scene.bounds, mesh->positions[v]);
        colors[4 * v] = tint.r, colors[4 * v + 1] = tint.g;
        colors[4 * v + 2] = tint.b, colors[4 * v + 3] = 1;
    }
    snSurfaceDraw *draw = &p->surfaces[p->scene.surfaceCount++];
    *draw = snDefaultSurfaceDraw();
    draw->vertexCount = mesh->vertexCount;
    draw->triangleCount = mesh->triangleCount;
    draw->positions = positions;
    draw->normals = model->normals;
    draw->colors = colors;
    draw->triangles = mesh->triangles;
    draw->opacity = model->inner.triangleCount ? 0.35f : 1;
    draw->gloss = 0.35f;
    return SN_OK;
}

static snStatus addInner(Picture *p, const snMesh *mesh, snArena *arena, snError *error)
{
    snVec3f *positions = SN_NEW(arena, snVec3f, mesh->vertexCount);
    if (!positions) return snFailMemory(error);
    for (int v = 0; v < mesh->vertexCount; v++)
        positions[v] = snToF(mesh->positions[v]);
    snSurfaceDraw *draw = &p->surfaces[p->scene.surfaceCount++];
    *draw = snDefaultSurfaceDraw();
    draw->vertexCount = mesh->vertexCount;
    draw->triangleCount = mesh->triangleCount;
    draw->positions = positions;
    draw->triangles = mesh->triangles;
    draw->doubleSided = true;
    snColor_FromHex(0xf4ecd8, draw->color);
    return SN_OK;
}

static snStatus addLattice(Picture *p, const snLattice *lattice, snArena *arena, snError *error)
{
    snVec3f *ends = SN_NEW(arena, snVec3f, 24 * (size_t)lattice->cellCount);
    snVec3f *balls = SN_NEW(arena, snVec3f, lattice->vertexCount);
    int count = 0;
    if (!ends || !balls) return snFailMemory(error);
    for (int c = 0; c < lattice->cellCount; c++) {
        const snCellShape *shape = snCellShape_Of(snLattice_Kind(lattice, c));
        const int *corners = snLattice_Corners(lattice, c);
        for (int e = 0; e < shape->edges; e++)
            for (int k = 0; k < 2; k++)
                ends[count++] = snToF(lattice->rest[corners[shape->edge[e][k]]]);
    }
    for (int v = 0; v < lattice->vertexCount; v++) {
        balls[v] = snToF(lattice->rest[v]);
        p->scene.bounds = snBoxAdd(p->scene.bounds, lattice->rest[v]);
    }
    p->lines = snDefaultLineDraw();
    p->lines.count = count / 2;
    p->lines.points = ends;
    p->lines.width = 1.3f;
    p->lines.onTop = true;
    snColor_FromHex(0x2a3550, p->lines.color);
    p->points = snDefaultPointDraw();
    p->points.count = lattice->vertexCount;
    p->points.points = balls;
    p->points.radius = 3.2f;
    p->points.onTop = true;
    snColor_FromHex(0xd8402f, p->points.color);
    return SN_OK;
}

snStatus snPicture_Draw(snImage *image, const snPictureDef *def, snRenderer *renderer,
                        snArena *arena, snError *error)
{
    Picture p = {.scene = snDefaultScene()};
    snCamera camera = snDefaultCamera();
    p.scene.bounds = snEmptyBox();
    snStatus status = SN_OK;
    if (def->model->inner.triangleCount) status = addInner(&p, &def->model->inner, arena, error);
    if (!status) status = addSurface(&p, def->model, arena, error);
    if (!status && def->control) status = addLattice(&p, &def->control->lattice, arena, error);
    if (status) return status;
    p.scene.surfaces = p.surfaces;
    p.scene.lines = &p.lines;
    p.scene.points = &p.points;
    p.scene.lineCount = p.scene.pointCount = def->control ? 1 : 0;
    p.scene.groundHeight = fmin(0, p.scene.bounds.lower.y);
    camera.automatic = false;
    camera.yaw = def->yaw;
    camera.pitch = 16;
    return snRenderer_Draw(renderer, &p.scene, &camera, image, error);
}
