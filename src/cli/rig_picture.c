#include "cli/rig_picture.h"

#include "body/lattice/boundary.h"
#include "core/elementary.h"
#include "core/error.h"
#include "render/color.h"
#include "render/render.h"
#include "render/strip.h"

#include <string.h>

#define PANEL_WIDTH 880
#define PANEL_HEIGHT 720
#define SHRINK 0.86 // of cells in the cut, so that each can be told

static const unsigned heldColor = 0x3d5a80, freeColor = 0xe07a1f, edgeColor = 0x7d8ca3;

typedef struct Picture {
    const snFlesh *flesh;
    snArena arena;
    snBox bounds;
    snSurfaceDraw *surfaces; // of the glass body, then the cut cells
    int surfaceCount;
    snBoneDraw bones;
    snLineDraw lines;
    snSurfaceDraw cells;
    bool along; // the character is longer along z than wide: it is seen from its side
    float low, high;
} Picture;

// ---- the body ---------------------------------------------------------------------------------------

static snStatus describeBody(Picture *p, snError *error)
{
    const snFlesh *flesh = p->flesh;
    const snCharacter *c = flesh->character;
    snVec3f *points = SN_NEW(&p->arena, snVec3f, c->vertexCount);
    p->surfaces = SN_NEW(&p->arena, snSurfaceDraw, c->partCount + 1);
    if (!points || !p->surfaces) return snFailMemory(error);
    p->bounds = snEmptyBox();
    for (int k = 0, first = 0; k < c->partCount; first += c->parts[k++].vertexCount) {
        const snPart *part = &c->parts[k];
        if (!flesh->carried[k]) continue;
        for (int v = first; v < first + part->vertexCount; v++) {
            points[v] = snToF(flesh->points[v]);
            p->bounds = snBoxAdd(p->bounds, flesh->points[v]);
        }
        snSurfaceDraw *draw = &p->surfaces[p->surfaceCount++];
        *draw = snDefaultSurfaceDraw();
        draw->vertexCount = part->vertexCount;
        draw->triangleCount = part->triangleCount;
        draw->positions = points + first;
        draw->triangles = part->triangles;
        draw->opacity = 0.3f;
        draw->doubleSided = true;
    }
    for (int v = 0; v < flesh->lattice.vertexCount; v++)
        p->bounds = snBoxAdd(p->bounds, flesh->lattice.rest[v]);
    snVec3 size = snSub(p->bounds.upper, p->bounds.lower);
    p->along = size.z > size.x;
    return SN_OK;
}

static snStatus describeBones(Picture *p, snError *error)
{
    const snFlesh *flesh = p->flesh;
    int n = flesh->boneCount;
    snVec3f *heads = SN_NEW(&p->arena, snVec3f, n), *tails = SN_NEW(&p->arena, snVec3f, n);
    float *colors = SN_NEW(&p->arena, float, 4 * n);
    if (!heads || !tails || !colors) return snFailMemory(error);
    for (int b = 0; b < n; b++) {
        heads[b] = snToF(flesh->bones[b].head);
        tails[b] = snToF(flesh->bones[b].tail);
        bool free = flesh->joints[flesh->bones[b].joint].free;
        snColor_FromHex(free ? freeColor : heldColor, colors + 4 * b);
    }
    p->bones = snDefaultBoneDraw();
    p->bones.count = n;
    p->bones.heads = heads;
    p->bones.tails = tails;
    p->bones.colors = colors;
    p->bones.onTop = true;
    return SN_OK;
}

// ---- the lattice ------------------------------------------------------------------------------------

// The edges of the lattice's outside: all others would hide the body.
static snStatus describeEdges(Picture *p, const snContext *context, snError *error)
{
    const snLattice *l = &p->flesh->lattice;
    snBoundary outside;
    snStatus status = snBoundary_Find(&outside, l, &p->arena, context, error);
    if (status) return status;
    snVec3f *points = SN_NEW(&p->arena, snVec3f, 8 * (size_t)outside.faceCount);
    int lines = 0;
    if (!points) return snFailMemory(error);
    for (int f = 0; f < outside.faceCount; f++) {
        const int *corner = outside.faces[f];
        int n = corner[3] < 0 ? 3 : 4;
        for (int k = 0; k < n; k++) {
            int a = corner[k], b = corner[(k + 1) % n];
            if (a > b) continue; // the neighbour's face has it the other way round
            points[2 * lines] = snToF(l->rest[a]);
            points[2 * lines++ + 1] = snToF(l->rest[b]);
        }
    }
    p->lines = snDefaultLineDraw();
    p->lines.count = lines;
    p->lines.points = points;
    p->lines.width = 1.1f;
    snColor_FromHex(edgeColor, p->lines.color);
    p->lines.color[3] = 0.55f;
    return SN_OK;
}

// ---- the cut ----------------------------------------------------------------------------------------

static snVec3 centroidOf(const snLattice *l, int cell)
{
    snVec3 sum = {0, 0, 0};
    int n = (int)snLattice_Kind(l, cell);
    for (int k = 0; k < n; k++)
        sum = snMulAdd(sum, 1.0 / n, l->rest[snLattice_Corners(l, cell)[k]]);
    return sum;
}

// The plane stands in the middle of the bones, across the line of sight.
static double cutPlace(const Picture *p)
{
    double sum = 0, total = 0;
    for (int b = 0; b < p->flesh->boneCount; b++) {
        const snBone *bone = &p->flesh->bones[b];
        double length = snDistance(bone->head, bone->tail);
        snVec3 middle = snLerp(bone->head, bone->tail, 0.5);
        sum += length * (p->along ? middle.x : middle.z);
        total += length;
    }
    snVec3 middle = snLerp(p->bounds.lower, p->bounds.upper, 0.5);
    return total > 0 ? sum / total : p->along ? middle.x : middle.z;
}

typedef struct CellMesh {
    snVec3f *points, *normals; // flat
    float *colors;
    int *triangles;
    int count; // triangles
} CellMesh;

static void addTriangle(CellMesh *mesh, const snVec3 corner[3], const float color[4])
{
    snVec3 across = snTwiceArea(corner[0], corner[1], corner[2]);
    snVec3f normal = snToF(snNormalizeOr(across, snVec(0, 1, 0)));
    for (int at = 3 * mesh->count; at < 3 * mesh->count + 3; at++) {
        mesh->points[at] = snToF(corner[at % 3]);
        mesh->normals[at] = normal;
        memcpy(mesh->colors + 4 * at, color, 4 * sizeof(float));
        mesh->triangles[at] = at;
    }
    mesh->count++;
}

static void addFaces(CellMesh *mesh, const snLattice *l, int cell, const float color[4])
{
    const snCellShape *shape = snCellShape_Of(snLattice_Kind(l, cell));
    snVec3 middle = centroidOf(l, cell);
    for (int f = 0; f < shape->faces; f++)
        for (int t = 1; t + 1 < (shape->face[f][3] < 0 ? 3 : 4); t++) {
            int pick[3] = {0, t, t + 1};
            snVec3 corner[3];
            for (int k = 0; k < 3; k++) {
                int v = snLattice_Corners(l, cell)[shape->face[f][pick[k]]];
                corner[k] = snLerp(middle, l->rest[v], SHRINK);
            }
            addTriangle(mesh, corner, color);
        }
}

static void stiffnessRange(Picture *p)
{
    double low = 1e300, high = 0;
    for (int c = 0; c < p->flesh->lattice.cellCount; c++) {
        if (p->flesh->young[c] < low) low = p->flesh->young[c];
        if (p->flesh->young[c] > high) high = p->flesh->young[c];
    }
    p->low = (float)(snLn(low) / snLn(10)) - 0.5f; // not at the very dark end
    p->high = (float)(snLn(high) / snLn(10));
    if (p->high - p->low < 1) p->high = p->low + 1;
}

static snStatus describeCells(Picture *p, snError *error)
{
    const snLattice *l = &p->flesh->lattice;
    size_t most = (size_t)l->cellCount * 12 * 3; // a hexahedron has twelve triangles
    CellMesh mesh = {.points = SN_NEW(&p->arena, snVec3f, most),
                     .normals = SN_NEW(&p->arena, snVec3f, most),
                     .colors = SN_NEW(&p->arena, float, most * 4),
                     .triangles = SN_NEW(&p->arena, int, most)};
    double place = cutPlace(p);
    if (!mesh.points || !mesh.normals || !mesh.colors || !mesh.triangles)
        return snFailMemory(error);
    stiffnessRange(p);
    for (int c = 0; c < l->cellCount; c++) {
        snVec3 middle = centroidOf(l, c);
        float color[4], value = (float)(snLn(p->flesh->young[c]) / snLn(10));
        if ((p->along ? middle.x : middle.z) > place) continue;
        snColorMap_At(SN_COLORS_SEQUENTIAL, (value - p->low) / (p->high - p->low), color);
        addFaces(&mesh, l, c, color);
    }
    p->cells = snDefaultSurfaceDraw();
    p->cells.vertexCount = 3 * mesh.count;
    p->cells.triangleCount = mesh.count;
    p->cells.positions = mesh.points;
    p->cells.normals = mesh.normals;
    p->cells.colors = mesh.colors;
    p->cells.triangles = mesh.triangles;
    return SN_OK;
}

// ---- drawing ----------------------------------------------------------------------------------------

static snScene makeScene(const Picture *p)
{
    snScene scene = snDefaultScene();
    scene.bounds = p->bounds;
    scene.groundHeight = p->bounds.lower.y;
    scene.surfaces = p->surfaces;
    scene.surfaceCount = p->surfaceCount;
    scene.bones = &p->bones;
    scene.boneCount = 1;
    return scene;
}

static void legend(snLabel labels[2])
{
    for (int k = 0; k < 2; k++) {
        labels[k] = snDefaultLabel();
        labels[k].x = 0.97f;
        labels[k].y = 0.06f + 0.035f * (float)k;
        labels[k].align = SN_TEXT_RIGHT;
        labels[k].size = 13;
        labels[k].text = k ? "free bones follow the flesh" : "held bones lead it";
        snColor_FromHex(k ? freeColor : heldColor, labels[k].color);
    }
}

static snStatus drawPanels(Picture *p, snRenderer *renderer, snImage panels[2], snError *error)
{
    snCamera camera = snDefaultCamera();
    snScene scene = makeScene(p);
    snLabel labels[2];
    legend(labels);
    camera.automatic = false;
    camera.yaw = p->along ? 62 : 28;
    camera.pitch = 12;
    scene.lines = &p->lines;
    scene.lineCount = 1;
    scene.labels = labels;
    scene.labelCount = 2;
    snStatus status = snRenderer_Draw(renderer, &scene, &camera, &panels[0], error);
    if (status) return status;
    scene = makeScene(p);
    p->surfaces[p->surfaceCount] = p->cells;
    scene.surfaces = &p->surfaces[p->surfaceCount];
    scene.surfaceCount = 1;
    status = snRenderer_Draw(renderer, &scene, &camera, &panels[1], error);
    if (status) return status;
    snColorBarDef bar = snDefaultColorBarDef();
    bar.map = SN_COLORS_SEQUENTIAL;
    bar.low = p->low;
    bar.high = p->high;
    bar.title = "log Pa";
    bar.format = "%.1f";
    snImage_ColorBar(&panels[1], &bar);
    return SN_OK;
}

static snStatus compose(Picture *p, snImage *image, snError *error)
{
    static const char *const captions[] = {"bones and lattice", "the lattice cut open: stiffness"};
    snRendererDef def = snDefaultRendererDef();
    snStripDef strip = snDefaultStripDef();
    snRenderer *renderer;
    snImage panels[2] = {{0}};
    def.width = PANEL_WIDTH;
    def.height = PANEL_HEIGHT;
    def.samples = 16;
    strip.columns = 2;
    snStatus status = snRenderer_Make(&renderer, &def, error);
    if (status) return status;
    status = drawPanels(p, renderer, panels, error);
    if (!status) status = snStrip_Compose(image, panels, captions, 2, &strip, error);
    snImage_Destroy(&panels[0]);
    snImage_Destroy(&panels[1]);
    snRenderer_Destroy(renderer);
    return status;
}

snStatus snRigPicture_Draw(const snFlesh *flesh, snImage *image, const snContext *context,
                           snError *error)
{
    Picture picture = {.flesh = flesh, .arena = snMakeArena(context)};
    snStatus status = describeBody(&picture, error);
    if (!status) status = describeBones(&picture, error);
    if (!status) status = describeEdges(&picture, context, error);
    if (!status) status = describeCells(&picture, error);
    if (!status) status = compose(&picture, image, error);
    snArena_Destroy(&picture.arena);
    return status;
}
