// Coated skeletons in scenes: "coat": {"file": "nail.coat.json", ...}.
#include "scene/reader.h"

#include "body/coat/coat_file.h"

// The document is read once to find what is wrong with it, and again when the body is built.
static void checkDocument(snSceneReader *r, const snJsonNode *file, const snSceneBody *body)
{
    snCoatFile document;
    char path[200];
    if (r->status) return;
    snStatus status =
        snCoatFile_Read(&document, body->coatText, body->coatSize, r->context, r->error);
    if (!status) {
        snCoatFile_Destroy(&document);
        return;
    }
    snJson_Path(r->json, file, path, sizeof path);
    if (status != SN_ERROR_MEMORY) snError_Prefix(r->error, "%s", path);
    snReader_Take(r, status);
}

void snReader_Coat(snSceneReader *r, const snJsonNode *body, snSceneBody *out)
{
    static const char *const bodyKeys[] = {"name",     "coat", "place", "rotation",
                                           "velocity", "spin", "color"};
    static const char *const keys[] = {"file",        "fixed",    "posture", "damping", "friction",
                                       "dissipation", "substeps", "self",    "twist"};
    const snJsonNode *node = snReader_Object(r, body, "coat");
    snCoatBodyDef *def = &out->coat;
    snReader_Keys(r, body, bodyKeys, 7);
    if (r->status || !node) return;
    *def = snDefaultCoatBodyDef();
    out->isCoat = true;
    def->name = out->solid.name;
    def->step = r->scene->step;
    snReader_Keys(r, node, keys, 9);
    const snJsonNode *file = snReader_Need(r, node, "file");
    snReader_Bool(r, node, "fixed", &def->fixed);
    snReader_Number(r, node, "posture", (snRange){0, 100, SN_QUANTITY_PLAIN}, &def->posture);
    snReader_Number(r, node, "damping", (snRange){0, 1e4, SN_QUANTITY_PLAIN}, &def->damping);
    snReader_Number(r, node, "friction", (snRange){0, 10, SN_QUANTITY_PLAIN}, &def->friction);
    snReader_Number(r, node, "dissipation", (snRange){0, 10, SN_QUANTITY_TIME}, &def->dissipation);
    snReader_Number(r, node, "twist", (snRange){0, 3, SN_QUANTITY_ANGLE}, &def->twist);
    snReader_Int(r, node, "substeps", 1, 64, &def->substeps);
    snReader_Bool(r, node, "self", &def->self);
    snReader_Place(r, body, &out->place);
    snReader_Vector(r, body, "velocity", SN_QUANTITY_LENGTH, &out->velocity);
    snReader_Vector(r, body, "spin", SN_QUANTITY_ANGLE, &out->spin);
    snReader_Color(r, body, "color", out->color);
    if (r->status) return;
    snReader_LoadText(r, file, &out->coatText, &out->coatSize);
    checkDocument(r, file, out);
}
