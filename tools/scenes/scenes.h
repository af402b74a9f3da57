// The bodies of the example scenes, made by code alone: a coiled dragon, a duck, a cucumber, a star
// with sharp features, a piece of flesh with a bone in it, and a leaf, which is a surface alone. Metres, Y up, facing +Z, standing on
// y = 0. Each has a surface with colours and control lattices around it, or is its own lattice.
// Begin with snModel_Make in models.c; then dragon.c and dragon_lattice.c. What they are made of is in
// tools/shapes (surfaces), builder.c (lattices), wrap.c (a lattice is widened until the body is inside of
// it, in the limit of every scheme), border.c (a lattice's own surface).
#ifndef SN_TOOLS_SCENES_H
#define SN_TOOLS_SCENES_H

#include "asset/bytes.h"
#include "body/lattice/lattice.h"
#include "body/lattice/scheme.h"
#include "lumps.h"
#include "tint.h"

typedef struct snControl {
    const char *name; // of the file: "dragon-fitted"
    snLattice lattice;
    // The firmness at each control vertex as a multiple of the body's, or NULL: 1 everywhere.
    const double *stiffness;
    bool own;       // the body is its lattice: the surface is that of the limit
    bool anyScheme; // the surface is inside of it in the limit of every scheme, not only trilinear
} snControl;

#define MODEL_CONTROLS 2
typedef struct snModel {
    const char *name;
    snMesh surface;   // closed
    snTint *tints;    // [surface.vertexCount]
    snVec3f *normals; // [surface.vertexCount], or NULL: smooth everywhere
    int controlCount;
    snControl controls[MODEL_CONTROLS];
    double yaw;   // degrees, from where it looks best
    snMesh inner; // of the flesh with a bone: the bone's surface; otherwise empty
} snModel;

typedef enum snModelKind {
    MODEL_DRAGON,
    MODEL_DUCK,
    MODEL_CUCUMBER,
    MODEL_STAR,
    MODEL_LIMB,
    MODEL_LEAF,
    MODEL_COUNT
} snModelKind;

// Everything lives in the arena.
snStatus snModel_Make(snModel *model, snModelKind kind, snArena *arena, const snContext *context,
                      snError *error);
snStatus snDragon_Make(snModel *model, snArena *arena, const snContext *context, snError *error);
snStatus snDuck_Make(snModel *model, snArena *arena, const snContext *context, snError *error);
snStatus snCucumber_Make(snModel *model, snArena *arena, const snContext *context, snError *error);
snStatus snStar_Make(snModel *model, snArena *arena, const snContext *context, snError *error);
snStatus snLimb_Make(snModel *model, snArena *arena, const snContext *context, snError *error);
snStatus snLeaf_Make(snModel *model, snArena *arena, const snContext *context, snError *error);

// models.c: documents
void snModel_WriteObj(const snModel *model, snBytes *bytes);
void snControl_WriteJson(const snControl *control, snBytes *bytes);
void snControl_WriteStiffness(const snControl *control, snBytes *bytes); // a plain array of numbers

// Paints a surface: `paint` gives the tint at a vertex.
typedef snTint (*snPaint)(const void *creature, snVec3 point, snVec3 normal);
snStatus snModel_Paint(snModel *model, const void *creature, snPaint paint, snArena *arena,
                       snError *error);

// dragon.c
typedef struct snDragon {
    snLumps lumps;
    int pointCount; // of the curve along the body, tail first
    snVec3 points[32];
    double radius[32];
    snAffine head; // x to its left, y up, z forward; the origin is at the corners of the mouth
    double headScale;
} snDragon;
void snDragon_Shape(snDragon *dragon);
snVec3 snDragon_HeadPoint(const snDragon *dragon, double x, double y, double z); // to world
snVec3 snDragon_CurveAt(const snDragon *dragon, double t); // t: the number of a point
snVec3 snDragon_BackAt(const snDragon *dragon, double t);  // the direction from there to its back
snStatus snDragon_Fitted(snControl *control, const snDragon *dragon, snArena *arena,
                         const snContext *context, snError *error);

// ---- builder.c: lattices corner by corner -----------------------------------------------------------

#define BUILDER_MOST 512
typedef struct snBuilder {
    int vertexCount, cellCount, cornerCount;
    snVec3 rest[BUILDER_MOST];
    int cellStart[BUILDER_MOST + 1];
    int corners[BUILDER_MOST * SN_CELL_CORNERS];
    int edgeCount, cornerTags, faceCount; // what is sharp
    int edge[BUILDER_MOST][2];
    int corner[BUILDER_MOST];
    int face[BUILDER_MOST][SN_FACE_CORNERS];
} snBuilder;

int snBuilder_Vertex(snBuilder *builder, snVec3 place); // its number
void snBuilder_Cell(snBuilder *builder, snCellKind kind, const int *corners);
void snBuilder_Crease(snBuilder *builder, int a, int b);
void snBuilder_Corner(snBuilder *builder, int vertex);
void snBuilder_Sheet(snBuilder *builder, const int face[SN_FACE_CORNERS]);
snStatus snBuilder_Finish(snBuilder *builder, snLattice *lattice, snArena *arena, snError *error);

// Four vertices about a place, counter-clockwise seen from ahead (x across, y up, z along), and the
// hexahedron between two such rings.
void snBuilder_Ring(snBuilder *builder, snAffine place, double across, double below, double above,
                    int ring[4]);
void snBuilder_Between(snBuilder *builder, const int from[4], const int to[4]);

// A regular grid of cells over a box, without those that the surface does not reach.
typedef struct snGridDef {
    snBox box;
    int cells[3];
    const snMesh *surface;
    const snLumps *lumps; // the same body
} snGridDef;
snStatus snGrid_Make(snLattice *lattice, const snGridDef *def, snArena *arena,
                     const snContext *context, snError *error);

// ---- wrap.c -----------------------------------------------------------------------------------------

// Moves control vertices as little as it takes until the lattice's border, trilinear and under the
// smooth schemes, is `margin` off the body everywhere. Sharp tags are heeded.
typedef struct snWrapDef {
    const snLumps *lumps;
    double margin;
    int rounds;
} snWrapDef;
snStatus snWrap(snLattice *lattice, const snWrapDef *def, snArena *arena, const snContext *context,
                snError *error);

// ---- border.c ---------------------------------------------------------------------------------------

// The surface of a body that is its own lattice, `levels` times split, vertices at their limit on the
// surface. Vertices on creases are there once for each side, each with its normal.
snStatus snBorder_Surface(snModel *model, snScheme scheme, const snLattice *lattice, int levels,
                          snArena *arena, const snContext *context, snError *error);

#endif
