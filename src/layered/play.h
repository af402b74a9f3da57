// A character that plays: its figure goes through the postures, and the skin follows by its physics (body/skin). Nothing
// is allocated after it was made, and the same document gives the same bits.
#ifndef SN_LAYERED_PLAY_H
#define SN_LAYERED_PLAY_H

#include "body/skin/skin_body.h"
#include "layered/figure.h"

typedef struct snPlay snPlay;

typedef struct snPlayDef {
    double
        settle; // s before the begin: from rest into the first pose, and until the skin hangs still
    int rows, columns; // of a grid; 0: as the document has it
    int halved;        // how often its resolution is halved (snEdit_HalveSkin)
    int smooth; // how often the surface is refined from the skin's points, 0 ... 4; 2 looks smooth
} snPlayDef;
snPlayDef snDefaultPlayDef(void);

// The surface: points of the skin, and the middle of each rim of a grid, which closes it; or all this refined
// (body/skin/smooth.h).
typedef struct snPlaySurface {
    int pointCount; // of the skin
    int vertexCount, triangleCount;
    int *triangles; // [triangleCount * 3]
    float *colors;  // [vertexCount * 4], linear
    float *uv;      // [vertexCount * 2], from above
} snPlaySurface;

// The document must have a skin and live as long. At its end the skin stands at time 0.
snStatus snPlay_Make(snPlay **play, const snLayered *layered, const snPlayDef *def, snError *error);
void snPlay_Destroy(snPlay *play); // accepts NULL

const snPlaySurface *snPlay_Surface(const snPlay *play);
const snFigure *snPlay_Figure(const snPlay *play); // as it stands now

// To a later time. False: the skin could not follow, or flew apart.
bool snPlay_Advance(snPlay *play, double time);
#define SN_PLAY_FARTHEST 1e7 // m: ten times as far as anything of a character may be
#define SN_PLAY_FLEW                                                                               \
    "look for joints, muscles and feet far away (--muscles shows them), or make it softer"
void snPlay_Places(snPlay *play, snVec3f *out); // [vertexCount]

// How deep a point of the skin, its fat counted, is in a muscle at most, as a share of the muscle's size.
double snPlay_Deepest(snPlay *play);
// Where the skin lies: for each point that is tied the nearest place of its muscle, in that one's own frame (others: 0).
void snPlay_Feet(const snPlay *play, snVec3 *feet); // [pointCount]

// ---- as a body of a world ------------------------------------------------------------------------------

typedef struct snPlayBodyDef {
    const char *name;
    double step; // s, of the world
    snPlayDef play;
    int mostPoints; // that can be located, and held
    // Of resolution that it can go on with (snBody_SetLevel): each of half the rows and columns, as long as there are SN_PLAY_LEAST; of
    // a mesh each halved (snEdit_HalveSkin), as long as there are SN_PLAY_LEAST squared points. SN_SKIN_LEVELS at most. 0: one
    int levels;
    const snStrength
        *strength;   // its skeleton gives way (body/skin/skin_links.h); NULL: postures lead it
    double density;  // kg/m³, of its muscles then
    bool meets;      // it bumps into other bodies
    double friction; // of its own (contact/law.h); below 0: what it touches decides
} snPlayBodyDef;
snPlayBodyDef snDefaultPlayBodyDef(void); // steps of 1/60 s, no points
#define SN_PLAY_LEAST 8                   // rows and columns of the coarsest grid

// The skin on the figure that its postures lead, from time 0, where it has settled; gravity is the world's. The document must
// live as long. play_body.c
snStatus snPlayBody_Make(snBody **body, const snLayered *layered, const snPlayBodyDef *def,
                         snError *error);

// Muscles of such a body as they stand.
const snSkinMuscles *snPlayBody_Muscles(snBody *body);

// What it is made of: the skin as it stands, valid until the play goes on; and the figure at a time.
snElasticSkinDef snPlay_SkinDef(const snPlay *play);
void snPlay_Lead(snPlay *play, double time, snAffine *frames, snSkinMuscle *muscles);
double snPlay_Stiffness(snPlay *play, double time); // after snPlay_Lead to that time

#endif
