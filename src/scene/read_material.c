// What a body is made of: numbers, or fields of them at the control vertices.
#include "scene/reader.h"

#include <string.h>

#define MOST_VOLUME 1000.0 // times the rigidity: Poisson's ratio is then 0.499

static bool allocate(snReader *r, snSceneField *field, int count)
{
    field->count = count;
    field->values = SN_NEW(r->arena, double, count);
    if (!field->values) snReader_Take(r, snFailMemory(r->error));
    return !r->status;
}

static void readValues(snReader *r, const snJsonNode *list, snRange range, snSceneField *field)
{
    if (r->status || !allocate(r, field, snJson_Count(list))) return;
    for (int i = 0; i < field->count && !r->status; i++)
        snReader_Value(r, snJson_At(r->json, list, i), range, &field->values[i]);
}

// One for every control vertex: the body must have brought these.
static void checkCount(snReader *r, const snJsonNode *node, const snSceneBody *body, int count)
{
    if (r->status) return;
    if (!body->lattice.cellCount)
        snReader_Fail(r, node,
                      "values at control vertices are for bodies that are a box or a lattice; a "
                      "mesh takes {\"along\": \"x\", \"values\": [...]}");
    else if (count != body->lattice.vertexCount)
        snReader_Fail(r, node, "has %d values; the lattice has %d vertices", count,
                      body->lattice.vertexCount);
}

static void readAlong(snReader *r, const snJsonNode *node, snRange range, snSceneField *field)
{
    static const char *const keys[] = {"along", "values"};
    static const char *const axes[] = {"x", "y", "z"};
    snReader_Keys(r, node, keys, 2);
    field->axis = 0;
    snReader_Word(r, node, "along", axes, 3, &field->axis);
    snReader_Need(r, node, "values");
    const snJsonNode *list = snReader_List(r, node, "values");
    if (!r->status && snJson_Count(list) < 2)
        snReader_Fail(r, list, "must be two values or more, from one end to the other");
    readValues(r, list, range, field);
}

// {"file": "a.csv", "column": "young", "times": "60 kPa"}
static void readFromFile(snReader *r, const snJsonNode *node, snRange range,
                         const snSceneBody *body, snSceneField *field)
{
    static const char *const keys[] = {"file", "column", "times"};
    const snJsonNode *file = snJson_Member(r->json, node, "file");
    snNumbersDef def = {.range = range, .times = 1};
    snReader_Keys(r, node, keys, 3);
    snReader_Text(r, node, "column", &def.column);
    snReader_Number(r, node, "times", (snRange){1e-12, 1e12, range.quantity}, &def.times);
    if (!r->status && !body->lattice.cellCount) checkCount(r, file, body, 0);
    snReader_LoadNumbers(r, file, &def, &field->count, &field->values);
    checkCount(r, file, body, field->count);
}

static void readField(snReader *r, const snJsonNode *material, const char *key, snRange range,
                      const snSceneBody *body, snSceneField *field)
{
    const snJsonNode *node = snJson_Member(r->json, material, key);
    if (!node || r->status) return;
    if (node->kind == SN_JSON_OBJECT && snJson_Member(r->json, node, "file")) {
        readFromFile(r, node, range, body, field);
    } else if (node->kind == SN_JSON_OBJECT) {
        readAlong(r, node, range, field);
    } else if (node->kind == SN_JSON_ARRAY) {
        checkCount(r, node, body, snJson_Count(node));
        readValues(r, node, range, field);
    } else {
        snReader_Value(r, node, range, field->values);
    }
    bool several = !r->status && field->count > 1;
    if (several && snSceneBody_IsAutomatic(body) && strcmp(key, "young") != 0)
        snReader_Fail(r, node,
                      "in an automatic lattice it is one number; a mesh in a \"grid\" or with a "
                      "\"lattice\" may have several");
}

static snSceneField oneValue(snReader *r, double value)
{
    snSceneField field = {.axis = -1};
    if (allocate(r, &field, 1)) field.values[0] = value;
    return field;
}

// k_e and k_c of |FᵀF - 1|² and (det F - 1)², instead of young and poisson.
static void readEnergies(snReader *r, const snJsonNode *node, snSceneBody *body)
{
    const snJsonNode *rigidity = snJson_Member(r->json, node, "rigidity"),
                     *volume = snJson_Member(r->json, node, "volume");
    snPolyEnergies energies = {.rigidity = 0};
    if (r->status || (!rigidity && !volume)) return;
    snReader_Need(r, node, "rigidity");
    if (snJson_Member(r->json, node, "young") || snJson_Member(r->json, node, "poisson"))
        snReader_Fail(r, rigidity,
                      "and \"volume\" stand for \"young\" and \"poisson\"; leave these out");
    snReader_Number(r, node, "rigidity", (snRange){1, 1e11, SN_QUANTITY_PRESSURE},
                    &energies.rigidity);
    snReader_Number(r, node, "volume", (snRange){0, 1e12, SN_QUANTITY_PRESSURE}, &energies.volume);
    if (r->status) return;
    if (energies.volume > MOST_VOLUME * energies.rigidity)
        snReader_Fail(r, volume, "is more than %g times the rigidity", MOST_VOLUME);
    snPolyEnergies_Moduli(&energies, body->young.values, body->poisson.values);
    body->solid.poisson = body->poisson.values[0];
    body->solid.material = SN_MATERIAL_NONRIGID;
}

void snReader_Material(snReader *r, const snJsonNode *node, snSceneBody *body)
{
    static const char *const keys[] = {"young",  "poisson",  "density", "damping",      "drag",
                                       "energy", "rigidity", "volume",  "energyDamping"};
    static const char *const energies[] = {"corotated", "neo-hookean", "green", "nonrigid"};
    int energy = 0;
    if (r->status) return;
    body->young = oneValue(r, 1e5);
    body->poisson = oneValue(r, body->solid.poisson);
    body->density = oneValue(r, body->solid.density);
    if (!node || r->status) return;
    snReader_Keys(r, node, keys, 9);
    readField(r, node, "young", (snRange){1, 1e12, SN_QUANTITY_PRESSURE}, body, &body->young);
    readField(r, node, "poisson", (snRange){0, SN_MOST_POISSON, SN_QUANTITY_PLAIN}, body,
              &body->poisson);
    readField(r, node, "density", (snRange){1e-3, 1e6, SN_QUANTITY_PLAIN}, body, &body->density);
    if (r->status) return;
    body->solid.poisson = body->poisson.values[0];
    body->solid.density = body->density.values[0];
    snReader_Number(r, node, "damping", (snRange){0, 10, SN_QUANTITY_TIME}, &body->solid.damping);
    snReader_Number(r, node, "drag", (snRange){0, 1000, SN_QUANTITY_PLAIN}, &body->solid.drag);
    snReader_Number(r, node, "energyDamping", (snRange){0, 1e9, SN_QUANTITY_PLAIN},
                    &body->solid.energyDamping);
    snReader_Word(r, node, "energy", energies, SN_MATERIALS, &energy);
    body->solid.material = (snMaterial)energy;
    readEnergies(r, node, body);
    if (!r->status && snJson_Member(r->json, node, "rigidity") &&
        snJson_Member(r->json, node, "energy") && energy != SN_MATERIAL_NONRIGID)
        snReader_Fail(r, snJson_Member(r->json, node, "energy"),
                      "is \"nonrigid\" where \"rigidity\" is given; leave it out");
}
