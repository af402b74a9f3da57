// Pictures out of PNG and JPEG files in memory: the textures of characters that others made.
#ifndef SN_RENDER_DECODE_H
#define SN_RENDER_DECODE_H

#include "render/image.h"

#define SN_MOST_TEXELS 8192 // on a side: the largest texture that common devices take

// Decodes a PNG or JPEG, told apart by their first bytes. The image is made anew (start with {0});
// on failure it is as before. Bytes may be anything: SN_ERROR_FORMAT for damaged ones,
// SN_ERROR_UNSUPPORTED for other formats and for sides of more than SN_MOST_TEXELS.
snStatus snImage_Decode(snImage *image, const void *bytes, size_t size, snError *error);

#endif
