// Bodies with linear deformations: which functions, which mass, and what does not go with them.
#include "scene/reader.h"

#define MOST_MASSES 10000

// ---- functions and mass -------------------------------------------------------------------------

static void readControls(snReader *r, const snJsonNode *node, int controls[3])
{
    if (!node || r->status) return;
    if (snJson_Count(node) != 3)
        snReader_Fail(r, node, "must be a list of 3 numbers of control points");
    for (int k = 0; k < 3; k++)
        snReader_IntOf(r, snJson_At(r->json, node, k), 2, SN_POLY_CONTROLS, &controls[k]);
    if (!r->status && controls[0] * controls[1] * controls[2] > SN_POLY_FUNCTIONS)
        snReader_Fail(r, node, "are %d control points; %d are most",
                      controls[0] * controls[1] * controls[2], SN_POLY_FUNCTIONS);
}

static void readMasses(snReader *r, const snJsonNode *list, snPolyDef *poly)
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

void snReader_Poly(snReader *r, const snJsonNode *body, snSceneBody *out)
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

// ---- what goes together -------------------------------------------------------------------------

static void checkField(snReader *r, const snJsonNode *body, const char *key,
                       const snSceneField *field)
{
    const snJsonNode *material = snJson_Member(r->json, body, "material");
    if (field->count > 1)
        snReader_Fail(r, snJson_Member(r->json, material, key),
                      "is one number for a body with linear deformations");
}

void snReader_CheckPoly(snReader *r, const snJsonNode *node, const snSceneBody *body)
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
