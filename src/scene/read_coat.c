// Coated skeletons in scenes: "coat": {"file": "nail.coat.json", ...}.
#include "scene/reader.h"

#include "body/coat/coat_file.h"
#include "core/error.h"

// "motion": {"file": "jump.bvh", "clip": 0, "start": 0.3, "speed": 1, "loop": false}
static void readMotion(snReader *r, const snJsonNode *node, snSceneMotion *motion)
{
    static const char *const keys[] = {"file", "clip", "start", "speed", "loop"};
    snCoatFollowDef *follow = &motion->follow;
    int clip = 0;
    if (!node || r->status) return;
    snReader_Keys(r, node, keys, 5);
    const snJsonNode *file = snReader_Need(r, node, "file");
    if (!r->status) snReader_LoadClips(r, file, &motion->character);
    motion->loaded = !r->status;
    if (r->status) return;
    if (!motion->character.clipCount) snReader_Fail(r, file, "has no clips");
    snReader_Clip(r, node, &motion->character, &clip);
    snReader_Number(r, node, "start", (snRange){-1e5, 1e5, SN_QUANTITY_TIME}, &follow->start);
    snReader_Number(r, node, "speed", (snRange){-100, 100, SN_QUANTITY_PLAIN}, &follow->speed);
    snReader_Bool(r, node, "loop", &follow->loop);
    if (r->status) return;
    follow->skeleton = &motion->character.skeleton;
    follow->clip = &motion->character.clips[clip];
}

// A clip that is followed, or the pose at rest, by the skeleton's strength.
static void readFollow(snReader *r, const snJsonNode *node, const snSkeleton *own,
                       snSceneBody *body)
{
    const snJsonNode *motion = snReader_Object(r, node, "motion");
    const snJsonNode *skeleton = snReader_Object(r, node, "skeleton");
    const snJsonNode *posture = snJson_Member(r->json, node, "posture");
    if (r->status || (!motion && !skeleton)) return;
    if (posture)
        snReader_Fail(r, posture,
                      "does not go with \"motion\" or \"skeleton\", which has \"strength\" "
                      "instead");
    snSceneMotion *m = body->motion = SN_NEW(r->arena, snSceneMotion, 1);
    if (!m) snReader_Take(r, snFailMemory(r->error));
    if (r->status) return;
    m->follow = snDefaultCoatFollowDef();
    readMotion(r, motion, m);
    if (skeleton) snReader_Strength(r, skeleton, own, NULL, &m->follow.strength);
    body->coat.follow = &m->follow;
}

void snSceneMotion_Destroy(snSceneMotion *motion)
{
    if (motion && motion->loaded) snCharacter_Destroy(&motion->character);
}

// The document is read once to find what is wrong with it, and again when the body is built.
static void readDocument(snReader *r, const snJsonNode *node, const snJsonNode *file,
                         snSceneBody *body)
{
    snCoatFile document;
    char path[200];
    if (r->status) return;
    snStatus status =
        snCoatFile_Read(&document, body->coatText, body->coatSize, r->context, r->error);
    if (!status) {
        readFollow(r, node, &document.skeleton, body);
        snCoatFile_Destroy(&document);
        return;
    }
    snJson_Path(r->json, file, path, sizeof path);
    if (status != SN_ERROR_MEMORY) snError_Prefix(r->error, "%s", path);
    snReader_Take(r, status);
}

void snReader_Coat(snReader *r, const snJsonNode *body, snSceneBody *out)
{
    static const char *const bodyKeys[] = {"name",     "coat", "place", "rotation",
                                           "velocity", "spin", "color"};
    static const char *const keys[] = {"file",     "fixed",       "posture",  "damping",
                                       "friction", "dissipation", "substeps", "self",
                                       "twist",    "motion",      "skeleton"};
    const snJsonNode *node = snReader_Object(r, body, "coat");
    snCoatBodyDef *def = &out->coat;
    snReader_Keys(r, body, bodyKeys, 7);
    if (r->status || !node) return;
    *def = snDefaultCoatBodyDef();
    out->isCoat = true;
    def->name = out->solid.name;
    def->step = snReader_Scene(r)->step;
    snReader_Keys(r, node, keys, 11);
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
    readDocument(r, node, file, out);
}
