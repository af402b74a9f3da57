#include "render/textures.h"

#include "core/error.h"
#include "render/programs.h"

#include <stdlib.h>

// Smooth near and far, repeating both ways. The device averages mipmaps in linear light, since the
// format says that the bytes are sRGB.
static snStatus upload(const snGl *gl, const uint8_t *pixels, int width, int height,
                       GLuint *texture, snError *error)
{
    GLint most = 0;
    gl->GetIntegerv(GL_MAX_TEXTURE_SIZE, &most);
    if (width > most || height > most)
        return snFail(error, SN_ERROR_UNSUPPORTED,
                      "a texture has %d x %d pixels, and the OpenGL driver takes %d on a side",
                      width, height, most);
    gl->ActiveTexture(GL_TEXTURE0 + (GLenum)SN_UNIT_BASE_COLOR);
    gl->GenTextures(1, texture);
    gl->BindTexture(GL_TEXTURE_2D, *texture);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_REPEAT);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_REPEAT);
    gl->TexImage2D(GL_TEXTURE_2D, 0, GL_SRGB8_ALPHA8, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                   pixels);
    gl->GenerateMipmap(GL_TEXTURE_2D);
    return SN_OK;
}

static snCachedTexture *addEntry(snTextures *textures)
{
    if (textures->count == textures->capacity) {
        int capacity = 2 * textures->capacity + 8;
        snCachedTexture *grown =
            realloc(textures->known, (size_t)capacity * sizeof *textures->known);
        if (!grown) return NULL;
        textures->known = grown;
        textures->capacity = capacity;
    }
    return &textures->known[textures->count];
}

snStatus snTextures_Find(const snGl *gl, snTextures *textures, const snImage *image,
                         GLuint *texture, snError *error)
{
    static const uint8_t white[4] = {255, 255, 255, 255};
    if (!textures->white) {
        snStatus status = upload(gl, white, 1, 1, &textures->white, error);
        if (status) return status;
    }
    *texture = textures->white;
    if (!image || !image->pixels || image->width < 1 || image->height < 1) return SN_OK;
    for (int i = 0; i < textures->count; i++) {
        const snCachedTexture *known = &textures->known[i];
        if (known->pixels == image->pixels && known->width == image->width &&
            known->height == image->height) {
            *texture = known->texture;
            return SN_OK;
        }
    }
    snCachedTexture *entry = addEntry(textures);
    if (!entry) return snFailMemory(error);
    *entry = (snCachedTexture){image->pixels, image->width, image->height, 0};
    snStatus status =
        upload(gl, image->pixels, image->width, image->height, &entry->texture, error);
    if (status) return status;
    textures->count++;
    *texture = entry->texture;
    return SN_OK;
}

void snTextures_Destroy(const snGl *gl, snTextures *textures)
{
    for (int i = 0; i < textures->count; i++)
        gl->DeleteTextures(1, &textures->known[i].texture);
    gl->DeleteTextures(1, &textures->white);
    free(textures->known);
    *textures = (snTextures){0};
}
