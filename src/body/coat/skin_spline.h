// A smooth skin over control points: tubes of rings, closed at both ends, by one of three kinds of splines.
// What it is made of does not change with the controls: a vertex is a sparse combination of them, and so are
// its derivatives along and across the tube, whose product is the normal. The rows are found once;
// placing the skin is a sparse product.
#ifndef SN_BODY_COAT_SKIN_SPLINE_H
#define SN_BODY_COAT_SKIN_SPLINE_H

#include "core/memory.h"
#include "core/vec.h"

typedef enum snSkinKind {
    SN_SKIN_B_SPLINE, // smoothest; bends twice differentiably, stays within its controls
    SN_SKIN_BETA_SPLINE, // drawn to its controls by `tension`, 0 ... 100, to one side by `bias`, about 1
    SN_SKIN_KOCHANEK_BARTELS, // goes through its controls; tension, continuity and bias in -1 ... 1
} snSkinKind;

typedef struct snSkinShape {
    snSkinKind kind;
    double tension, continuity, bias;
} snSkinShape;

// Rings of controls from one end to the other, counter-clockwise about that way, and a control at each end.
typedef struct snSkinTube {
    int rings, columns;  // 1 or more, 3 or more
    const int *controls; // [rings * columns]
    int poles[2];
} snSkinTube;

typedef struct snSkinDef {
    snSkinShape shape;
    int controlCount;
    int tubeCount;
    const snSkinTube *tubes;
    int along, across; // vertices per span, 1 or more
} snSkinDef;

typedef struct snSkin {
    int controlCount;
    int vertexCount, triangleCount;
    int *triangles; // [triangleCount * 3], counter-clockwise from outside
    int *tubeStart; // [tubeCount + 1], vertices of each tube; a tube begins and ends with its poles
    int tubeCount;
    int *start;             // [vertexCount + 1]
    int *control;           // [start[vertexCount]]
    double *value;          // [as many]: weights of the place ...
    double *along, *across; // ... and of two tangents: normal = across × along
} snSkin;

snSkinShape snDefaultSkinShape(snSkinKind kind);

// Lives in the arena.
snStatus snSkin_Make(snSkin *skin, const snSkinDef *def, snArena *arena, snError *error);

// Places and unit normals (NULL: not wanted) for controls, [controlCount].
void snSkin_Place(const snSkin *skin, const snVec3 *controls, snVec3 *points, snVec3 *normals);
snVec3 snSkin_Vertex(const snSkin *skin, const snVec3 *controls, int vertex);

#endif
