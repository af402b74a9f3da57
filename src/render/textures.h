// Textures on the device, kept from picture to picture.
#ifndef SN_RENDER_TEXTURES_H
#define SN_RENDER_TEXTURES_H

#include "render/gl.h"
#include "render/image.h"

typedef struct snCachedTexture {
    const uint8_t *pixels; // by which it is known, with its size; never read again
    int width, height;
    GLuint texture;
} snCachedTexture;

typedef struct snTextures {
    GLuint white;           // one texel, for what has no texture; made by the first snTextures_Find
    snCachedTexture *known; // malloc
    int count, capacity;
} snTextures;

// The texture of an image, which is uploaded when it comes for the first time; white for NULL and
// for an empty one.
snStatus snTextures_Find(const snGl *gl, snTextures *textures, const snImage *image,
                         GLuint *texture, snError *error);
void snTextures_Destroy(const snGl *gl, snTextures *textures); // may be used again

#endif
