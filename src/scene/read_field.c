// Fields of a scene, the air that they move, and who falls asleep.
#include "scene/reader.h"

#define FASTEST 1e4 // m/s, m/s²

static const char *const kindNames[] = {"uniform", "radial", "vortex", "turbulence"};

// "wind" or "acceleration": a vector of uniform fields, a number of all others.
static void readStrength(snReader *r, const snJsonNode *node, snFieldDef *def)
{
    const snJsonNode *wind = snJson_Member(r->json, node, "wind");
    const snJsonNode *push = snJson_Member(r->json, node, "acceleration");
    const char *key = wind ? "wind" : "acceleration";
    def->air = wind != NULL;
    if (!r->status && (wind != NULL) == (push != NULL))
        snReader_Fail(r, node, "has one of \"wind\" (m/s) and \"acceleration\" (m/s²)");
    if (def->kind == SN_FIELD_UNIFORM) {
        snVec3 value = {0, 0, 0};
        snReader_Vector(r, node, key, SN_QUANTITY_PLAIN, &value);
        if (!r->status && !(snLength(value) <= FASTEST))
            snReader_Fail(r, snJson_Member(r->json, node, key), "is more than %g", FASTEST);
        def->value[0] = value.x, def->value[1] = value.y, def->value[2] = value.z;
        return;
    }
    snReader_Number(r, node, key, (snRange){-FASTEST, FASTEST, SN_QUANTITY_PLAIN}, &def->strength);
}

static void readRound(snReader *r, const snJsonNode *node, snFieldDef *def)
{
    snVec3 center = {0, 0, 0}, axis = {0, 1, 0};
    snReader_Vector(r, node, "center", SN_QUANTITY_LENGTH, &center);
    snReader_Need(r, node, "radius");
    snReader_Number(r, node, "radius", (snRange){1e-6, 1e6, SN_QUANTITY_LENGTH}, &def->radius);
    def->center[0] = center.x, def->center[1] = center.y, def->center[2] = center.z;
    if (def->kind != SN_FIELD_VORTEX) return;
    snReader_Vector(r, node, "axis", SN_QUANTITY_PLAIN, &axis);
    if (!r->status && !(snLength(axis) > 1e-12))
        snReader_Fail(r, snJson_Member(r->json, node, "axis"), "is zero");
    def->value[0] = axis.x, def->value[1] = axis.y, def->value[2] = axis.z;
}

static void readField(snReader *r, const snJsonNode *node, snFieldDef *def)
{
    static const char *const keys[4][10] = {
        {"kind", "wind", "acceleration", "from", "until"},
        {"kind", "wind", "acceleration", "from", "until", "center", "radius"},
        {"kind", "wind", "acceleration", "from", "until", "center", "radius", "axis"},
        {"kind", "wind", "acceleration", "from", "until", "scale", "period", "seed"}};
    static const int counts[4] = {5, 7, 8, 8};
    int kind = SN_FIELD_UNIFORM, seed = 0;
    *def = snDefaultFieldDef();
    snReader_Word(r, node, "kind", kindNames, 4, &kind);
    if (r->status) return;
    def->kind = (snFieldKind)kind;
    snReader_Keys(r, node, keys[kind], counts[kind]);
    readStrength(r, node, def);
    if (kind == SN_FIELD_RADIAL || kind == SN_FIELD_VORTEX) readRound(r, node, def);
    snReader_Number(r, node, "scale", (snRange){1e-6, 1e6, SN_QUANTITY_LENGTH}, &def->scale);
    snReader_Number(r, node, "period", (snRange){1e-6, 1e6, SN_QUANTITY_TIME}, &def->period);
    snReader_Int(r, node, "seed", 0, 1000000000, &seed);
    def->seed = (uint32_t)seed;
    snReader_Number(r, node, "from", (snRange){0, 1e6, SN_QUANTITY_TIME}, &def->from);
    snReader_Number(r, node, "until", (snRange){0, 1e6, SN_QUANTITY_TIME}, &def->to);
    if (!r->status && !(def->to >= def->from))
        snReader_Fail(r, snJson_Member(r->json, node, "until"), "is before it begins, at %g s",
                      def->from);
}

void snReader_Fields(snReader *r, const snJsonNode *list)
{
    snSceneFile *scene = snReader_Scene(r);
    scene->fields = snReader_MakeList(r, list, sizeof *scene->fields, &scene->fieldCount);
    for (int i = 0; i < scene->fieldCount && !r->status; i++)
        readField(r, snJson_At(r->json, list, i), &scene->fields[i]);
}

void snReader_Air(snReader *r, const snJsonNode *node)
{
    static const char *const keys[] = {"density", "drag"};
    snWorldDef usual = snDefaultWorldDef();
    snReader_Scene(r)->airDensity = usual.airDensity;
    snReader_Scene(r)->airDrag = usual.airDrag;
    if (!node) return;
    snReader_Keys(r, node, keys, 2);
    snReader_Number(r, node, "density", (snRange){0, 1e4, SN_QUANTITY_PLAIN},
                    &snReader_Scene(r)->airDensity);
    snReader_Number(r, node, "drag", (snRange){0, 100, SN_QUANTITY_PLAIN},
                    &snReader_Scene(r)->airDrag);
}

// true, or what still means and for how long.
void snReader_Sleep(snReader *r, const snJsonNode *root)
{
    static const char *const keys[] = {"still", "after"};
    const snJsonNode *node = snJson_Member(r->json, root, "sleep");
    bool on = false;
    if (!node || r->status) return;
    snReader_Scene(r)->sleep = (snSleepDef){.still = 1e-3, .after = 0.5};
    if (node->kind != SN_JSON_OBJECT) {
        snReader_Bool(r, root, "sleep", &on);
        if (!on) snReader_Scene(r)->sleep.still = 0;
        return;
    }
    snReader_Keys(r, node, keys, 2);
    snReader_Number(r, node, "still", (snRange){0, 1, SN_QUANTITY_PLAIN},
                    &snReader_Scene(r)->sleep.still);
    snReader_Number(r, node, "after", (snRange){0.01, 1e3, SN_QUANTITY_TIME},
                    &snReader_Scene(r)->sleep.after);
}
