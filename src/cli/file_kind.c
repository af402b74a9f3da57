#include "cli/file_kind.h"

#include "asset/json.h"
#include "core/error.h"

#include <string.h>

static const struct {
    snFileKind kind;
    const char *name, *key, *value; // of documents: what they say they are
} kinds[] = {
    {SN_KIND_EMPTY, "empty", NULL, NULL},
    {SN_KIND_GLTF, "a glTF file", NULL, NULL},
    {SN_KIND_CAPTURE, "a motion capture (BVH)", NULL, NULL},
    {SN_KIND_SCENE, "a scene (for `sinew run`)", "sinew", "scene"},
    {SN_KIND_COAT, "a coat document (of `sinew coat`)", "sinew", "coat"},
    {SN_KIND_RIG, "a rig document (of `sinew rig`)", "sinew", "rig"},
    {SN_KIND_SIDECAR, "the sidecar of a bake", "sinew", "bake"},
    {SN_KIND_LAYERED, "a layered character (of `sinew build`)", "format", "sinew-character"}};
#define COUNT (sizeof kinds / sizeof *kinds)

static bool begins(const snFileContent *file, const char *text)
{
    size_t length = strlen(text);
    return file->size >= length && !memcmp(file->bytes, text, length);
}

static size_t countBlanks(const snFileContent *file)
{
    size_t k = 0;
    while (k < file->size && file->bytes[k] && strchr(" \t\r\n", file->bytes[k]))
        k++;
    return k;
}

static snFileKind kindOfDocument(const snJson *json)
{
    for (size_t i = 0; i < COUNT; i++)
        if (kinds[i].key &&
            snJson_IsText(json, snJson_Member(json, json->root, kinds[i].key), kinds[i].value))
            return kinds[i].kind;
    bool gltf = snJson_Member(json, snJson_Member(json, json->root, "asset"), "version") != NULL;
    return gltf ? SN_KIND_GLTF : SN_KIND_OTHER;
}

snFileKind snFileKind_Of(const snFileContent *file, const snContext *context)
{
    size_t blanks = countBlanks(file);
    if (blanks == file->size) return SN_KIND_EMPTY;
    if (begins(file, "glTF")) return SN_KIND_GLTF;
    if (begins(file, "HIERARCHY")) return SN_KIND_CAPTURE;
    if (file->bytes[blanks] != '{') return SN_KIND_OTHER;
    snArena scratch = snMakeArena(context);
    snJson json;
    snFileKind kind = SN_KIND_OTHER;
    if (!snJson_Parse(&json, (const char *)file->bytes, file->size, &scratch, NULL))
        kind = kindOfDocument(&json);
    snArena_Destroy(&scratch);
    return kind;
}

snStatus snFileWant_Check(const snFileWant *want, const char *path, const snFileContent *file,
                          const snContext *context, snError *error)
{
    snFileKind kind = snFileKind_Of(file, context);
    if (kind == SN_KIND_OTHER) return SN_OK;
    for (int i = 0; i < want->count; i++)
        if (want->kinds[i] == kind) return SN_OK;
    const char *name = "";
    for (size_t i = 0; i < COUNT; i++)
        if (kinds[i].kind == kind) name = kinds[i].name;
    return snFail(error, SN_ERROR_FORMAT, "%s: it is %s, not %s", path, name, want->called);
}
