// Film strips: panels in a grid with small captions, and the colour bar that explains strain.
#ifndef SN_RENDER_STRIP_H
#define SN_RENDER_STRIP_H

#include "render/color.h"
#include "render/image.h"

typedef struct snStripDef {
    int columns;         // panels in a row; 0: as even a grid as the count allows
    int gap;             // pixels between panels
    int margin;          // pixels around
    float captionSize;   // pixels, height of capitals; 0: by the size of panels
    const char *title;   // above, or NULL
    float background[4]; // linear
    float textColor[4];
    bool frame; // a hairline around each panel
} snStripDef;
snStripDef snDefaultStripDef(void);

// Puts `count` panels (all of one size) into one picture. captions[i] ("0.25 s") stands in the lower
// left corner of its panel; captions or single ones may be NULL. `strip` is made anew.
snStatus snStrip_Compose(snImage *strip, const snImage *panels, const char *const *captions,
                         int count, const snStripDef *def, snError *error);

// A vertical bar with the colours of a map, its ends and middle labelled, and a title above it.
typedef struct snColorBarDef {
    snColorMap map;
    float low, high;
    const char *title;  // "stretch", or NULL
    const char *format; // of the three numbers, one double: "%.2f"
    float x, y;         // upper left corner, as a fraction of the picture
    float height;       // as a fraction of the picture's height
    float textSize;     // pixels; 0: by the size of the picture
    float textColor[4];
} snColorBarDef;
snColorBarDef snDefaultColorBarDef(void);
void snImage_ColorBar(snImage *image, const snColorBarDef *def);

#endif
