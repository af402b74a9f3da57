// What a run leaves behind, and from where it is seen.
#include "scene/reader.h"

#define MOST_CACHES 16

static void readCaches(snReader *r, const snJsonNode *node, snSceneOutputs *outputs)
{
    if (!node || r->status) return;
    bool list = node->kind == SN_JSON_ARRAY;
    int count = list ? snJson_Count(node) : 1;
    if (count > MOST_CACHES) snReader_Fail(r, node, "names more than %d files", MOST_CACHES);
    outputs->caches = SN_NEW(r->arena, const char *, count);
    if (!outputs->caches) snReader_Take(r, snFailMemory(r->error));
    for (int i = 0; i < count && !r->status; i++)
        outputs->caches[i] = snReader_TextOf(r, list ? snJson_At(r->json, node, i) : node);
    if (!r->status) outputs->cacheCount = count;
}

void snReader_Outputs(snReader *r, const snJsonNode *node)
{
    static const char *const keys[] = {"cache", "csv", "csvEvery", "picture"};
    static const char *const every[] = {"frame", "step"};
    snSceneOutputs *outputs = &snReader_Scene(r)->outputs;
    int rows = 0;
    if (!node || r->status) return;
    snReader_Keys(r, node, keys, 4);
    readCaches(r, snJson_Member(r->json, node, "cache"), outputs);
    snReader_Text(r, node, "csv", &outputs->csv);
    snReader_Word(r, node, "csvEvery", every, 2, &rows);
    snReader_Text(r, node, "picture", &outputs->picture);
    outputs->everyStep = rows == 1;
}

void snReader_Camera(snReader *r, const snJsonNode *node)
{
    static const char *const keys[] = {"yaw",    "pitch",   "zoom", "fieldOfView",
                                       "panels", "columns", "size"};
    const snRange degrees = {-360, 360, SN_QUANTITY_PLAIN};
    snSceneCamera *camera = &snReader_Scene(r)->camera;
    if (!node || r->status) return;
    snReader_Keys(r, node, keys, 7);
    camera->given = snJson_Member(r->json, node, "yaw") || snJson_Member(r->json, node, "pitch");
    camera->pitch = camera->given ? 15 : 0;
    snReader_Number(r, node, "yaw", degrees, &camera->yaw);
    snReader_Number(r, node, "pitch", (snRange){-89, 89, SN_QUANTITY_PLAIN}, &camera->pitch);
    snReader_Number(r, node, "zoom", (snRange){0.01, 100, SN_QUANTITY_PLAIN}, &camera->zoom);
    snReader_Number(r, node, "fieldOfView", (snRange){5, 120, SN_QUANTITY_PLAIN},
                    &camera->fieldOfView);
    snReader_Int(r, node, "panels", 1, 64, &camera->panels);
    snReader_Int(r, node, "columns", 1, 64, &camera->columns);
    const snJsonNode *size = snReader_List(r, node, "size");
    if (!size || r->status) return;
    if (snJson_Count(size) != 2) snReader_Fail(r, size, "must be a width and a height in pixels");
    snReader_IntOf(r, snJson_At(r->json, size, 0), 16, 8192, &camera->width);
    snReader_IntOf(r, snJson_At(r->json, size, 1), 16, 8192, &camera->height);
}
