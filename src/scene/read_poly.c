// Bodies with linear deformations: which functions, which mass; the surface of a box of theirs; and what does not go with
// them.
#include "scene/reader.h"

#define MOST_MASSES 10000
#define FINE_CELLS 12 // along its longest edge, where nothing is said and it can bend

// ---- functions and mass -------------------------------------------------------------------------

static void readControls(snSceneReader *r, const snJsonNode *node, int controls[3])
{
    if (!node || r->status) return;
    if (snJson_Count(node) != 3)
        snReader_Fail(r, node, "must be a list of 3 numbers of control points");
    for (int k = 0; k < 3 && !r->status; k++)
        snReader_Take(r, snJson_AsInt(r->json, snJson_At(r->json, node, k), 2, SN_POLY_CONTROLS,
                                      &controls[k], r->error));
    if (!r->status && controls[0] * controls[1] * controls[2] > SN_POLY_FUNCTIONS)
        snReader_Fail(r, node, "are %d control points; %d are most",
                      controls[0] * controls[1] * controls[2], SN_POLY_FUNCTIONS);
}

static void readMasses(snSceneReader *r, const snJsonNode *list, snPolyDef *poly)
{
    static const char *const keys[] = {"mass", "at"};
    int count = list && !r->status ? snJson_Count(list) : 0;
    if (!list || r->status) return;
    if (count < 1 || count > MOST_MASSES)
        snReader_Fail(r, list, "are %d; there must be 1 to %d", count, MOST_MASSES);
    snVec3 *points = SN_NEW(r->arena, snVec3, count);
    double *masses = SN_NEW(r->arena, double, count);
    if (!points || !masses) snReader_Take(r, snFailMemory(r->error));
    for (int i = 0; i < count && !r->status; i++) {
        const snJsonNode *node = snJson_At(r->json, list, i);
        snReader_Keys(r, node, keys, 2);
        snReader_Need(r, node, "mass");
        snReader_Need(r, node, "at");
        snReader_Number(r, node, "mass", (snRange){1e-9, 1e9, SN_QUANTITY_PLAIN}, &masses[i]);
        snReader_Vector(r, node, "at", SN_QUANTITY_LENGTH, &points[i]);
    }
    poly->pointCount = count;
    poly->points = points;
    poly->masses = masses;
}

void snReader_Poly(snSceneReader *r, const snJsonNode *body, snSceneBody *out)
{
    static const char *const keys[] = {"order", "controls", "mass", "masses"};
    const snJsonNode *node = snReader_Object(r, body, "poly");
    snPolyDef *poly = &out->poly;
    if (!node || r->status) return;
    *poly = snDefaultPolyDef();
    out->isPoly = true;
    snReader_Keys(r, node, keys, 4);
    bool controls = snJson_Member(r->json, node, "controls") != NULL;
    if (controls && snJson_Member(r->json, node, "order"))
        snReader_Fail(r, node, "has an \"order\" and \"controls\"; one of them does");
    if (controls) poly->order = 0;
    snReader_Int(r, node, "order", 1, SN_POLY_ORDER, &poly->order);
    readControls(r, snReader_List(r, node, "controls"), poly->controls);
    snReader_Number(r, node, "mass", (snRange){1e-9, 1e9, SN_QUANTITY_PLAIN}, &poly->mass);
    if (poly->mass > 0 && snJson_Member(r->json, node, "masses"))
        snReader_Fail(r, node, "has a \"mass\" and \"masses\"; one of them does");
    readMasses(r, snReader_List(r, node, "masses"), poly);
}

// ---- the surface of a box -----------------------------------------------------------------------

// A face of n x m quadrilaterals with corners of its own, so that edges are seen sharp: from one along two edges.
typedef struct Face {
    snVec3 corner, first, second; // first x second points outwards
    int n, m;
} Face;

static void addFace(const Face *f, snVec3 *points, int *pointCount, int *triangles, int *count)
{
    int base = *pointCount;
    for (int j = 0; j <= f->m; j++)
        for (int i = 0; i <= f->n; i++)
            points[(*pointCount)++] = snMulAdd(snMulAdd(f->corner, (double)i / f->n, f->first),
                                               (double)j / f->m, f->second);
    for (int j = 0; j < f->m; j++)
        for (int i = 0; i < f->n; i++) {
            int a = base + j * (f->n + 1) + i, b = a + 1, c = a + f->n + 1, d = c + 1;
            const int corners[6] = {a, b, d, a, d, c};
            for (int k = 0; k < 6; k++)
                triangles[3 * *count + k] = corners[k];
            *count += 2;
        }
}

static void chooseCells(const snSceneBody *body, snVec3 size, int cells[3])
{
    const double length[3] = {size.x, size.y, size.z};
    double longest = fmax(size.x, fmax(size.y, size.z));
    for (int c = 0; c < 3; c++)
        cells[c] = body->poly.order == 1 ? 1 : (int)fmax(2, FINE_CELLS * length[c] / longest);
}

void snReader_PolyBox(snSceneReader *r, snSceneBody *body)
{
    snVec3 low = body->box.lower, size = snSub(body->box.upper, low);
    const snVec3 edge[3] = {{size.x, 0, 0}, {0, size.y, 0}, {0, 0, size.z}};
    int cells[3] = {body->cells[0], body->cells[1], body->cells[2]}, points = 0, triangles = 0;
    if (!cells[0]) chooseCells(body, size, cells);
    size_t faces = 0, corners = 0;
    for (int c = 0; c < 3; c++) {
        int n = cells[(c + 1) % 3], m = cells[(c + 2) % 3];
        faces += 4 * (size_t)n * (size_t)m;
        corners += 2 * (size_t)(n + 1) * (size_t)(m + 1);
    }
    snVec3 *place = SN_NEW(r->arena, snVec3, corners);
    int *list = SN_NEW(r->arena, int, faces * 3);
    if (!place || !list) snReader_Take(r, snFailMemory(r->error));
    for (int c = 0; c < 3 && !r->status; c++) {
        int a = (c + 1) % 3, b = (c + 2) % 3;
        addFace(&(Face){snAdd(low, edge[c]), edge[a], edge[b], cells[a], cells[b]}, place, &points,
                list, &triangles);
        addFace(&(Face){low, edge[b], edge[a], cells[b], cells[a]}, place, &points, list,
                &triangles);
    }
    snWeld weld;
    snMesh separate = {points, triangles, place, list};
    if (!r->status) snReader_Take(r, snMesh_Weld(&weld, &separate, 0, r->arena, r->error));
    if (r->status) return;
    body->shape = SN_SHAPE_MESH;
    body->mesh = weld.mesh;
    body->cornerCount = points;
    body->corner = weld.weldOf;
    body->cornerTriangles = list;
}

// ---- what goes together -------------------------------------------------------------------------

static void checkField(snSceneReader *r, const snJsonNode *body, const char *key,
                       const snSceneField *field)
{
    const snJsonNode *material = snJson_Member(r->json, body, "material");
    if (field->count > 1)
        snReader_Fail(r, snJson_Member(r->json, material, key),
                      "is one number for a body with linear deformations");
}

void snReader_CheckPoly(snSceneReader *r, const snJsonNode *node, const snSceneBody *body)
{
    static const char *const others[] = {"lattice", "scheme", "levels", "quadrature", "adaptive"};
    if (r->status || !body->isPoly) return;
    for (int k = 0; k < 5; k++) {
        const snJsonNode *other = snJson_Member(r->json, node, others[k]);
        if (other)
            snReader_Fail(r, other,
                          "does not go with \"poly\", whose functions are polynomials of the whole "
                          "body; leave one of them out");
    }
    if (body->solid.solver == SN_SOLVER_LINEAR)
        snReader_Fail(r, snJson_Member(r->json, node, "solver"),
                      "bodies with linear deformations take \"projective\" or \"newton\"");
    checkField(r, node, "young", &body->young);
    checkField(r, node, "poisson", &body->poisson);
    checkField(r, node, "density", &body->density);
}
