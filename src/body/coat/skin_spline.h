// A smooth skin over control points: tubes of rings, closed at both ends, by one of three kinds of splines.
// What it is made of does not change with the controls: a vertex is a sparse combination of them, and so are
// its derivatives along and across the tube, whose product is the normal. The rows are found once;
// placing the skin is a sparse product.
#ifndef SN_BODY_COAT_SKIN_SPLINE_H
#define SN_BODY_COAT_SKIN_SPLINE_H

#include "core/memory.h"
#include "core/vec.h"

typedef enum snSplineKind {
    SN_SPLINE_B,    // smoothest; bends twice differentiably, stays within its controls
    SN_SPLINE_BETA, // drawn to its controls by `tension`, 0 ... 100, to one side by `bias`, about 1
    SN_SPLINE_KOCHANEK_BARTELS, // goes through its controls; tension, continuity and bias in -1 ... 1
} snSplineKind;

typedef struct snSplineShape {
    snSplineKind kind;
    double tension, continuity, bias;
} snSplineShape;

// Rings of controls from one end to the other, counter-clockwise about that way, and a control at each end.
typedef struct snSplineTube {
    int rings, columns;  // 1 or more, 3 or more
    const int *controls; // [rings * columns]
    int poles[2];
} snSplineTube;

typedef struct snSplineSkinDef {
    snSplineShape shape;
    int controlCount;
    int tubeCount;
    const snSplineTube *tubes;
    int along, across; // vertices per span, 1 or more
} snSplineSkinDef;

typedef struct snSplineSkin {
    int controlCount;
    int vertexCount, triangleCount;
    int *triangles; // [triangleCount * 3], counter-clockwise from outside
    int *tubeStart; // [tubeCount + 1], vertices of each tube; a tube begins and ends with its poles
    int tubeCount;
    int *start;             // [vertexCount + 1]
    int *control;           // [start[vertexCount]]
    double *value;          // [as many]: weights of the place ...
    double *along, *across; // ... and of two tangents: normal = across × along
} snSplineSkin;

snSplineShape snDefaultSplineShape(snSplineKind kind);
// How much smaller the skin round an even ring of controls is than the ring.
double snSplineShape_Shrink(const snSplineShape *shape, int columns);

// Lives in the arena.
snStatus snSplineSkin_Make(snSplineSkin *skin, const snSplineSkinDef *def, snArena *arena,
                           snError *error);

// Places and unit normals (NULL: not wanted) for controls, [controlCount].
void snSplineSkin_Place(const snSplineSkin *skin, const snVec3 *controls, snVec3 *points,
                        snVec3 *normals);
snVec3 snSplineSkin_Vertex(const snSplineSkin *skin, const snVec3 *controls, int vertex);

#endif
