// Materials: the base colour and its picture, which is kept as it is, not decoded.
#include "asset/gltf_reader.h"

static snStatus readImage(snGltfReader *reader, const snJsonNode *object, snTexture *image,
                          snError *error)
{
    snGltfDocument *document = &reader->document;
    snArena *arena = &reader->character->arena;
    const snJsonNode *viewNode, *uri = snJson_Member(&document->json, object, "uri");
    const uint8_t *bytes = NULL;
    size_t size = 0;
    image->name = "";
    snStatus status =
        snJson_ReadString(&document->json, object, "name", arena, &image->name, error);
    if (!status)
        status = snGltf_ReadReference(document, object, "bufferView", document->bufferViews,
                                      &viewNode, error);
    if (status) return status;
    if (viewNode) {
        snGltfView view;
        if ((status = snGltf_OpenView(document, viewNode, &view, error))) return status;
        bytes = view.bytes;
        size = (size_t)view.size;
    } else if (uri && snGltf_IsDataUri(document, uri)) {
        if ((status = snGltf_LoadUri(document, uri, &bytes, &size, error))) return status;
    } else {
        return snJson_ReadString(&document->json, object, "uri", arena, &image->uri, error);
    }
    if ((status = snGltf_Spend(document, object, size, error))) return status;
    image->size = size;
    image->bytes = SN_COPY(arena, unsigned char, bytes, size);
    return image->bytes ? SN_OK : snFailMemory(error);
}

// baseColorTexture -> texture -> image; NULL when one of them is missing (an extension's image).
static snStatus findImage(snGltfReader *reader, const snJsonNode *surface, const snTexture **image,
                          snError *error)
{
    snGltfDocument *document = &reader->document;
    const snJsonNode *texture, *source = NULL;
    const snJsonNode *info = snJson_Member(&document->json, surface, "baseColorTexture");
    snStatus status =
        snGltf_ReadReference(document, info, "index", document->textures, &texture, error);
    if (!status && texture)
        status =
            snGltf_ReadReference(document, texture, "source", document->images, &source, error);
    if (!status && source) *image = &reader->character->images[source->index];
    return status;
}

static snStatus readMaterial(snGltfReader *reader, const snJsonNode *object, snMaterialLook *look,
                             snError *error)
{
    const snJson *json = &reader->document.json;
    const snJsonNode *surface = snJson_Member(json, object, "pbrMetallicRoughness");
    double color[4] = {1, 1, 1, 1};
    look->name = "";
    snStatus status =
        snJson_ReadString(json, object, "name", &reader->character->arena, &look->name, error);
    if (!status) status = snJson_ReadBool(json, object, "doubleSided", &look->doubleSided, error);
    if (!status) status = snJson_ReadDoubles(json, surface, "baseColorFactor", 4, color, error);
    for (int i = 0; i < 4; i++)
        look->color[i] = (float)color[i];
    return status ? status : findImage(reader, surface, &look->image, error);
}

snStatus snGltf_ReadMaterials(snGltfReader *reader, snError *error)
{
    snCharacter *character = reader->character;
    const snGltfDocument *document = &reader->document;
    int imageCount = snJson_Count(document->images);
    int count = snJson_Count(document->materials);
    character->images = SN_NEW(&character->arena, snTexture, imageCount);
    character->materials = SN_NEW(&character->arena, snMaterialLook, count);
    if (!character->images || !character->materials) return snFailMemory(error);
    character->imageCount = imageCount;
    character->materialCount = count;
    snStatus status = SN_OK;
    for (int i = 0; i < imageCount && !status; i++)
        status = readImage(reader, snJson_At(&document->json, document->images, i),
                           &character->images[i], error);
    for (int i = 0; i < count && !status; i++)
        status = readMaterial(reader, snJson_At(&document->json, document->materials, i),
                              &character->materials[i], error);
    return status;
}
