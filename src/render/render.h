// Render: pictures of plain data on a machine without a screen. It may use core, numerics, geometry
// and platform, and knows nothing of characters or files: what it draws are triangles, lines, bones
// and points in the caller's memory. Begin with snRenderer_Draw in renderer.c, a list of passes;
// image.h holds pictures and PNG, decode.h reads PNG and JPEG, strip.h makes film strips, film.h
// moving films, color.h has colour maps.
//
//     snRenderer *renderer;
//     snRendererDef def = snDefaultRendererDef();
//     if (snRenderer_Make(&renderer, &def, &error)) ... // no EGL: say so, go on without pictures
//     snSurfaceDraw body = snDefaultSurfaceDraw();
//     body.vertexCount = ...
//     snScene scene = snDefaultScene();
//     scene.surfaces = &body, scene.surfaceCount = 1, scene.bounds = boundsOfTheWholeClip;
//     snCamera camera = snDefaultCamera();
//     snImage image = {0};
//     snRenderer_Draw(renderer, &scene, &camera, &image, &error);
//     ...
//     snImage_Destroy(&image), snRenderer_Destroy(renderer);
//
// Right-handed, Y up, metres (any unit will do: everything scales with the bounds). Colours are
// linear red, green, blue, opacity in [0, 1] (color.h turns sRGB bytes into them); images are sRGB.
// Nothing that is passed in is kept after a call, but for copies of textures. Non-finite numbers are never an error: a triangle,
// line or point that has one is left out.
#ifndef SN_RENDER_RENDER_H
#define SN_RENDER_RENDER_H

#include "core/error.h"
#include "core/vec.h"
#include "render/image.h"

// An EGL context with its shaders and targets. Use it from one thread at a time.
typedef struct snRenderer snRenderer;

typedef struct snRendererDef {
    int width,
        height;     // pixels of a picture, 1..8192. Smaller ones may be drawn by snRenderer_Resize
    int samples;    // edge samples per pixel: 1, 2, 4 (as far as the device can), or 16: all is
                    // drawn at twice the size, three times slower, for the best stills
    int shadowSize; // texels on a side of the shadow map, 64..4096: larger is crisper and slower
    const char *library; // the file that has EGL, as for dlopen. NULL: the system's libEGL.so.1
} snRendererDef;

snRendererDef snDefaultRendererDef(void); // 960 x 540, 4 samples, 1024

// SN_ERROR_UNSUPPORTED where EGL or OpenGL ES 3 do not work, with what to install.
snStatus snRenderer_Make(snRenderer **renderer, const snRendererDef *def, snError *error);
void snRenderer_Destroy(snRenderer *renderer); // accepts NULL
snStatus snRenderer_Resize(snRenderer *renderer, int width, int height, snError *error);

// A renderer copies each texture once and knows it again by the address of its pixels and its size,
// until it is destroyed. Call this after a texture's pixels were changed, or freed and other
// textures made (which may lie at the same address).
void snRenderer_ForgetTextures(snRenderer *renderer);

// A triangle surface. With opacity below 1 it becomes glass that shows what is inside: front faces
// only, denser towards the outline (the x-ray look for skeletons and lattices).
typedef struct snSurfaceDraw {
    int vertexCount, triangleCount;
    const snVec3f *positions; // [vertexCount]
    const snVec3f *normals;   // [vertexCount], or NULL: smooth ones are computed
    const float *colors;      // [vertexCount*4] linear rgba, or NULL: `color` everywhere
    float color[4];           // its opacity is multiplied with `opacity`
    const int *triangles;     // [triangleCount*3]; a bad index leaves its triangle out
    const float *uv;          // [vertexCount*2], (0, 0) the texture's upper left corner, or NULL
    const snImage *texture;   // repeats both ways; multiplied with the colour. NULL: none
    bool cutOut;              // leave out where the texture's alpha is below 1/2. Otherwise its
                              // alpha does not count
    float opacity;            // 0..1
    float gloss;              // 0 matte skin, 1 wet
    bool mirrored;    // triangles are clockwise from outside (a negative scale made them so)
    bool doubleSided; // also shade the back of triangles (open surfaces, cloth)
    bool castsShadow;
} snSurfaceDraw;
snSurfaceDraw snDefaultSurfaceDraw(void); // opaque matte warm grey, casts a shadow

// Straight lines: lattice edges, trails, axes.
typedef struct snLineDraw {
    int count;
    const snVec3f *points; // [count*2], both ends of each line
    const float *colors;   // [count*4] linear rgba, or NULL
    float color[4];
    float width; // pixels
    bool onTop;  // show hidden lines through opaque surfaces, dimmed
} snLineDraw;
snLineDraw snDefaultLineDraw(void);

// Small shaded balls: joints, contact points, particles.
typedef struct snPointDraw {
    int count;
    const snVec3f *points; // [count]
    const float *colors;   // [count*4] linear rgba, or NULL
    float color[4];
    float radius; // pixels
    bool onTop;
} snPointDraw;
snPointDraw snDefaultPointDraw(void);

// A skeleton: an octahedron from head to tail per bone, widest near its head, and a ball at each
// end. They are solid and lit, so they read well inside a surface of opacity 0.3 or so.
typedef struct snBoneDraw {
    int count;
    const snVec3f *heads, *tails; // [count]; equal ends give a ball only
    const float *colors;          // [count*4] linear rgba, or NULL
    float color[4];
    float thickness; // widest half width as a share of the bone's length
    float maxRadius; // metres; long bones are not wider than this (0: 3.5 % of the half diagonal)
    bool onTop;      // show through opaque surfaces, dimmed
} snBoneDraw;
snBoneDraw snDefaultBoneDraw(void);

// Text on the picture. Position is the fraction of the picture from its upper left corner.
typedef struct snLabel {
    float x, y;
    snTextAlign align; // which point of the text lies at (x, y) horizontally; y is the baseline
    float size;        // pixels from baseline to the top of capitals
    float color[4];
    const char *text; // UTF-8; characters outside printable ASCII are drawn as a box
} snLabel;
snLabel snDefaultLabel(void);

typedef struct snScene {
    int surfaceCount, lineCount, pointCount, boneCount, labelCount;
    const snSurfaceDraw *surfaces;
    const snLineDraw *lines;
    const snPointDraw *points;
    const snBoneDraw *bones;
    const snLabel *labels;
    snBox bounds;        // what the camera frames and light covers; give that of the whole clip.
                         // Empty (lower > upper) or not finite: that of what is drawn.
    double groundHeight; // y of the ground
    bool ground;         // an endless light floor with the shadow on it
    bool grid;           // thin lines on the ground, spaced by a round number of units
    float background[4]; // linear; with opacity 0 the picture is a cut-out with alpha
} snScene;
snScene snDefaultScene(void);               // empty, with a ground at 0 and a near-white background
snBox snScene_Bounds(const snScene *scene); // of all finite points that its triangles etc. use

// Angles in degrees. The camera looks at the middle of the bounds from the distance at which they
// just fit; `automatic` chooses yaw and pitch by their shape (three-quarter view, long side across).
typedef struct snCamera {
    bool automatic;
    double yaw;   // 0 looks at the front (+z side), 90 at the left hand side of the subject (+x)
    double pitch; // above the horizon
    double fieldOfView;      // of the picture's height, 5..120
    double zoom;             // 1 fills the picture, 0.5 is half as large
    double offsetX, offsetY; // moves the subject in the picture, in fractions of its height
} snCamera;
snCamera snDefaultCamera(void); // automatic, 28 degrees, zoom 0.92

// Draws the scene. The image is made (or made anew when its size differs) and belongs to the
// caller. On failure the image is as before or empty.
snStatus snRenderer_Draw(snRenderer *renderer, const snScene *scene, const snCamera *camera,
                         snImage *image, snError *error);

#endif
