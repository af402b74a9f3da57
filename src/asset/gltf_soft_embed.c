// A .glb has one BIN chunk, which is buffer 0. Of a .glb it stays what it is and where it is; of a
// .gltf the data of buffer 0 move into it. All other buffers and pictures that lie in files of
// their own are taken in, so that the new file is whole wherever it is put.
#include "asset/gltf_soft.h"

#include "asset/gltf_uri.h"

#include <string.h>

static snStatus embedFirstBuffer(snSoftWriter *writer)
{
    const snGltfDocument *document = &writer->document;
    const snJsonNode *buffer = snJson_At(&document->json, document->bufferList, 0);
    const snJsonNode *uri = snJson_Member(&document->json, buffer, "uri");
    snBytes *bin = &writer->glb.bin;
    if (uri) {
        snBytes_Append(bin, document->buffers[0].bytes, document->buffers[0].size);
        snJsonEdit_Remove(&writer->edit, uri);
    } else if (document->bin) {
        snBytes_Append(bin, document->bin, document->binSize);
    } else if (buffer) {
        return snJson_Fail(&document->json, buffer, writer->error, SN_ERROR_FORMAT,
                           "the buffer has no data");
    }
    return snBytes_Check(bin, writer->error);
}

static snStatus embedBuffer(snSoftWriter *writer, int index)
{
    const snGltfDocument *document = &writer->document;
    const snJsonNode *buffer = snJson_At(&document->json, document->bufferList, index);
    const snJsonNode *uri = snJson_Member(&document->json, buffer, "uri");
    if (!uri || snGltf_IsDataUri(document, uri)) return SN_OK;
    snBytes text = snMakeBytesFrom(&writer->arena->allocator);
    snBytes_AppendText(&text, "\"data:application/octet-stream;base64,");
    snBytes_AppendBase64(&text, document->buffers[index].bytes, document->buffers[index].size);
    snBytes_AppendByte(&text, '"');
    snStatus status = snBytes_Check(&text, writer->error);
    if (!status) snJsonEdit_Replace(&writer->edit, uri, (const char *)text.data, text.size);
    snBytes_Destroy(&text);
    return status;
}

// What kind of picture the bytes are; NULL when they are none that glTF knows.
static const char *mimeTypeOf(const uint8_t *bytes, size_t size)
{
    if (size > 12 && !memcmp(bytes, "\x89PNG", 4)) return "\"image/png\"";
    if (size > 12 && !memcmp(bytes, "\xFF\xD8\xFF", 3)) return "\"image/jpeg\"";
    if (size > 12 && !memcmp(bytes, "\xABKTX 20", 7)) return "\"image/ktx2\"";
    if (size > 12 && !memcmp(bytes, "RIFF", 4) && !memcmp(bytes + 8, "WEBP", 4))
        return "\"image/webp\"";
    return NULL;
}

static snStatus embedImage(snSoftWriter *writer, const snJsonNode *image)
{
    const snGltfDocument *document = &writer->document;
    const snJsonNode *uri = snJson_Member(&document->json, image, "uri");
    if (!uri || snGltf_IsDataUri(document, uri)) return SN_OK;
    const uint8_t *bytes = NULL;
    size_t size = 0;
    snError problem = {0};
    snStatus status = snGltf_LoadUri(document, uri, &bytes, &size, &problem);
    if (status == SN_ERROR_MEMORY) return snFailMemory(writer->error);
    const char *type = status ? NULL : mimeTypeOf(bytes, size);
    if (!type) {
        snLog(document->context, SN_LOG_WARNING,
              "images[%d] stays outside the file (%s): keep it next to the result", image->index,
              status ? problem.message : "not a picture that glTF can embed");
        return SN_OK;
    }
    snBytes view = snMakeBytesFrom(&writer->arena->allocator);
    snBytes_Format(&view, "%d", snGlbBuilder_Raw(&writer->glb, bytes, size));
    snJsonSpot spot = snJsonEdit_Spot(&document->json, image);
    snJsonEdit_Remove(&writer->edit, uri);
    snJsonEdit_Put(&writer->edit, spot, "mimeType", type, strlen(type));
    status = snBytes_Check(&view, writer->error);
    if (!status)
        snJsonEdit_Put(&writer->edit, spot, "bufferView", (const char *)view.data, view.size);
    snBytes_Destroy(&view);
    return status;
}

snStatus snSoft_Embed(snSoftWriter *writer)
{
    const snGltfDocument *document = &writer->document;
    snStatus status = embedFirstBuffer(writer);
    for (int i = 1; i < document->bufferCount && !status; i++)
        status = embedBuffer(writer, i);
    for (int i = 0; i < snJson_Count(document->images) && !status; i++)
        status = embedImage(writer, snJson_At(&document->json, document->images, i));
    return status;
}
