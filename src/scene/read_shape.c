// The shape of a body: a box, a lattice, a surface from a file, or one of a few round and pointed ones that are made here.
#include "scene/reader.h"

#include "body/lattice/grid_lattice.h"
#include "body/lattice/lattice_file.h"
#include "geometry/shape.h"

#define MOST_CELLS 200000 // of an automatic lattice
#define FINE_CELLS 12     // along the longest edge of a box, where nothing is said and it can bend

// ---- surfaces that are made here ----------------------------------------------------------------

// The surface of the body, welded; the vertices that were separate are corners for drawing.
static void takeSurface(snReader *r, const snMesh *separate, snSceneBody *body)
{
    snWeld weld;
    if (!r->status) snReader_Take(r, snMesh_Weld(&weld, separate, 0, r->arena, r->error));
    if (r->status) return;
    body->shape = SN_SCENE_MESH;
    body->mesh = weld.mesh;
    body->cornerCount = separate->vertexCount;
    body->corner = weld.weldOf;
    body->cornerTriangles = separate->triangles;
    snReader_FindInside(r, body);
}

static void makePolyBox(snReader *r, snSceneBody *body)
{
    snVec3 size = snSub(body->box.upper, body->box.lower);
    const double length[3] = {size.x, size.y, size.z};
    double longest = fmax(size.x, fmax(size.y, size.z));
    int cells[3] = {body->cells[0], body->cells[1], body->cells[2]};
    snMesh mesh;
    for (int c = 0; c < 3 && !body->cells[0]; c++)
        cells[c] = body->poly.order == 1 ? 1 : (int)fmax(2, FINE_CELLS * length[c] / longest);
    snReader_Take(r, snShape_Box(&mesh, body->box, cells, r->arena, r->error));
    takeSurface(r, &mesh, body);
}

// ---- boxes, lattices, files ---------------------------------------------------------------------

static void readCells(snReader *r, const snJsonNode *object, const char *key, int cells[3])
{
    const snJsonNode *node = snReader_List(r, object, key);
    if (!node || r->status) return;
    if (snJson_Count(node) != 3) snReader_Fail(r, node, "must be a list of 3 numbers of cells");
    for (int k = 0; k < 3 && !r->status; k++)
        snReader_Take(
            r, snJson_AsInt(r->json, snJson_At(r->json, node, k), 1, 10000, &cells[k], r->error));
    if (!r->status && (double)cells[0] * cells[1] * cells[2] > SN_GRID_CELLS)
        snReader_Fail(r, node, "more than %d cells", SN_GRID_CELLS);
}

static void readBox(snReader *r, const snJsonNode *node, snSceneBody *body)
{
    static const char *const keys[] = {"size", "cells"};
    snVec3 size = {0, 0, 0};
    body->shape = SN_SCENE_BOX;
    snReader_Keys(r, node, keys, 2);
    snReader_Need(r, node, "size");
    if (!body->isPoly) snReader_Need(r, node, "cells");
    snReader_Vector(r, node, "size", SN_QUANTITY_LENGTH, &size);
    readCells(r, node, "cells", body->cells);
    if (!r->status && !(size.x > 0 && size.y > 0 && size.z > 0))
        snReader_Fail(r, snJson_Member(r->json, node, "size"), "must be three lengths above 0");
    body->box = (snBox){snScale(-0.5, size), snScale(0.5, size)};
    if (!r->status && body->isPoly) makePolyBox(r, body);
    if (!r->status && !body->isPoly)
        snReader_Take(r, snBoxLattice(&body->lattice, body->box, body->cells, r->arena, r->error));
}

// A file, or the document itself.
static void takeLattice(snReader *r, const snJsonNode *node, snLattice *lattice)
{
    const snSkeleton none = {0};
    bool strict;
    if (r->status) return;
    if (node->kind == SN_JSON_STRING)
        snReader_LoadLattice(r, node, lattice);
    else
        snReader_Take(r, snLattice_ReadJson(lattice, &strict, r->json, node, &none, r->arena,
                                            r->context, r->error));
}

static void readLattice(snReader *r, const snJsonNode *node, snSceneBody *body)
{
    body->shape = SN_SCENE_LATTICE;
    takeLattice(r, node, &body->lattice);
}

// What carries a surface: a lattice, regular or automatic; with polynomials none.
static void readCarrier(snReader *r, const snJsonNode *node, snSceneBody *body)
{
    bool grid = snJson_Member(r->json, node, "grid") != NULL;
    bool cells = snJson_Member(r->json, node, "cells") != NULL;
    bool lattice = snJson_Member(r->json, node, "lattice") != NULL;
    body->cells[0] = 400;
    if (grid && cells)
        snReader_Fail(r, node,
                      "\"grid\" makes a regular lattice and \"cells\" one that follows the shape; "
                      "one of them does");
    readCells(r, node, "grid", body->cells);
    snReader_Int(r, node, "cells", 1, MOST_CELLS, &body->cells[0]);
    if (body->isPoly && (grid || cells || lattice))
        snReader_Fail(r, node,
                      "is the surface of a body with linear deformations, which has no lattice: "
                      "leave out \"grid\", \"cells\" and \"lattice\"");
    if (lattice && (grid || cells))
        snReader_Fail(r, node, "brings a \"lattice\"; then it has neither \"grid\" nor \"cells\"");
}

static void readMesh(snReader *r, const snJsonNode *node, snSceneBody *body)
{
    static const char *const keys[] = {"file", "scale", "grid", "cells", "lattice"};
    const snJsonNode *lattice = snJson_Member(r->json, node, "lattice");
    double scale = 1;
    body->shape = SN_SCENE_MESH;
    snReader_Keys(r, node, keys, 5);
    snReader_Number(r, node, "scale", (snRange){1e-6, 1e6, SN_QUANTITY_PLAIN}, &scale);
    const snJsonNode *file = snReader_Need(r, node, "file");
    readCarrier(r, node, body);
    snReader_LoadMesh(r, file, scale, body);
    if (lattice) takeLattice(r, lattice, &body->lattice);
}

static void readMade(snReader *r, const snJsonNode *node, snSceneShape kind, snSceneBody *body)
{
    snMesh mesh;
    body->shape = SN_SCENE_MESH;
    readCarrier(r, node, body);
    snReader_MakeShape(r, node, kind, body, &mesh);
    takeSurface(r, &mesh, body);
}

void snReader_Shape(snReader *r, const snJsonNode *node, snSceneBody *body)
{
    static const char *const names[] = {"box",      "lattice", "mesh", "sphere",   "pyramid",
                                        "cylinder", "capsule", "tube", "character"};
    const int count = (int)(sizeof names / sizeof *names);
    const snJsonNode *found = NULL;
    int which = 0;
    for (int k = 0; k < count; k++) {
        const snJsonNode *shape = snJson_Member(r->json, node, names[k]);
        if (!shape) continue;
        if (found)
            snReader_Fail(r, node, "has \"%s\" and \"%s\"; a body has one shape", names[which],
                          names[k]);
        found = shape;
        which = k;
    }
    if (!found)
        snReader_Fail(r, node,
                      "has no shape: give it a \"box\", a \"sphere\", a \"pyramid\", a "
                      "\"cylinder\", a \"capsule\", a \"tube\", a \"mesh\", a \"lattice\" or a "
                      "\"character\"");
    if (r->status) return;
    if (which == SN_SCENE_BOX) readBox(r, found, body);
    if (which == SN_SCENE_LATTICE) readLattice(r, found, body);
    if (which == SN_SCENE_MESH) readMesh(r, found, body);
    if (which == SN_SCENE_CHARACTER) snReader_Character(r, found, body);
    if (which > SN_SCENE_MESH && which < SN_SCENE_CHARACTER)
        readMade(r, found, (snSceneShape)which, body);
}
