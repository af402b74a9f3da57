// Scenes by definitions: bodies, colliders, holds and fields as structs, for programs that make their worlds as they go. Everything that can be
// said here can be written in a scene's text too (docs/scene.md), and much more; snWorld_WriteScene gives the text of a definition, to look at
// with `sinew run`.
//
//     snSceneDef scene = snDefaultSceneDef();
//     snBodyDef jelly = snDefaultBodyDef();           // a box of 0.3 m
//     snColliderDef floor = snDefaultColliderDef();   // at height 0
//     jelly.place.position[1] = 1;
//     scene.bodies = &jelly, scene.bodyCount = 1;
//     scene.colliders = &floor, scene.colliderCount = 1;
//     if (snWorld_Build(&world, &scene, NULL, &context, &error)) ...
#ifndef SINEW_SCENE_H
#define SINEW_SCENE_H

#include "sinew/world.h"

#ifdef __cplusplus
extern "C" {
#endif
SN_API_BEGIN

// Kinds of shapes.
typedef enum snFormKind {
    SN_FORM_BOX,      // `size`
    SN_FORM_BALL,     // `radius`
    SN_FORM_CYLINDER, // `radius`, `length` along y
    SN_FORM_CAPSULE,  // `radius`, `length` between the middles of its ends, along y
    SN_FORM_MESH,     // `positions` and `triangles`, closed; or a `file`: .obj, .glb, .gltf
    SN_FORM_FLOOR,    // of colliders: all below `height`
} snFormKind;

// A shape, of bodies and of colliders.
typedef struct snFormDef {
    snFormKind kind;        // which says what of the rest counts
    double size[3];         // m, whole sides
    double radius, length;  // m
    double height;          // m
    int vertexCount;        // 0: of the file
    int triangleCount;      // 0: of the file
    const float *positions; // [vertexCount * 3], m
    const int *triangles;   // [triangleCount * 3], counter-clockwise from outside
    const char *file;       // as the file hook knows it
} snFormDef;

// What a body is made of.
typedef enum snBodyModel {
    SN_MODEL_LATTICE,   // the shape in a lattice: bends, twists and folds as it likes
    SN_MODEL_POLY,      // polynomials of the whole shape: few functions, quick
    SN_MODEL_COAT,      // a coated skeleton, of a `file`: see `sinew coat`
    SN_MODEL_CHARACTER, // a rigged character, of a `file`, with flesh
    SN_MODEL_LAYERED,   // a layered character, of a `file`: see `sinew build`
    SN_MODEL_SKIN,      // a skin over another body
} snBodyModel;

// A body.
typedef struct snBodyDef {
    const char *name;  // distinct among bodies; NULL: by its number, "body 3"
    snBodyModel model; // which says what of the rest counts
    snFormDef shape;   // of lattices and polys
    // Of a lattice about so many cells, 1 to 100000: more bend finer and take longer. Of a character's flesh likewise.
    int cells;
    int order;       // of a poly, 1 to 8: 1 stretches and shears, 2 bends
    double young;    // Pa. 1e4 is a soft belly, 1e6 firm muscle, 1e8 horn
    double poisson;  // 0 to 0.499; higher keeps volume better
    double density;  // kg/m³
    double damping;  // s, 0 to 10: takes the ring out of quick wobbles. 5e-3 is lively, 0.05 dull
    bool passes;     // through everything: no contact
    double friction; // of its own, 0 to 100; below 0: what it touches decides
    double restitution; // 0 to 1, how much of a speed comes back
    bool detail;        // of lattices, polys and characters: levels of detail, snWorld_SetLevel
    snPlacement place;  // where its own frame is at the begin
    double velocity[3]; // m/s, of its centre of mass
    double spin[3];     // rad/s, about it
    // Of coats, characters and layered characters.
    const char *file; // as the file hook knows it
    const char *clip; // of a character, by name or number; NULL: it stands as at rest
    bool posed;       // the program poses a character: snWorld_SetPose
    double height;    // m, of a character, 1e-3 to 1000; 0: as its file has it, in metres
    int over;         // of a skin: the body it lies over, before it in the list
} snBodyDef;
snBodyDef snDefaultBodyDef(void); // a box of 0.3 m, 60 cells, 1e5 Pa, 0.4, 1000 kg/m³

// What bodies bump into and what does not give way.
typedef struct snColliderDef {
    const char *name;   // NULL: none; for snWorld_FindCollider
    snFormDef shape;    // all but cylinders
    snPlacement place;  // of all but floors
    double friction;    // 0 to 100
    double restitution; // 0 to 1
} snColliderDef;
snColliderDef snDefaultColliderDef(void); // a floor at height 0, with friction 0.5

// A point of a body that is held: where it is, at a place, or to a point of another body.
typedef struct snHoldDef {
    const char *name;     // NULL: none; for snWorld_SwitchAll
    int body;             // in the list of bodies
    double point[3];      // m, where it is at rest, in the body's own frame
    bool placed;          // at `at`, in the world; else where it is when it begins
    double at[3];         // m
    int other;            // a body to whose `otherPoint` it is held instead; -1: none
    double otherPoint[3]; // m, as `point`
    // N/m and N s/m, of a spring; stiffness 0: hard, it is there at every step's end.
    double stiffness, damping;
    double from, to; // s
    bool off;        // not before it is switched on
} snHoldDef;
snHoldDef snDefaultHoldDef(void); // hard, where the origin of body 0 is, from 0 on for ever

// A world that is to be made.
typedef struct snSceneDef {
    double step;       // s, of the world's steps
    double gravity[3]; // m/s²
    bool touching;     // bodies bump into each other
    double still;      // as `sleep.still` in a scene: 1e-3 lets bodies at rest sleep; 0: none does
    double stillFor;   // s
    double airDensity; // kg/m³
    int bodyCount, colliderCount, holdCount, fieldCount; // of the lists below
    const snBodyDef *bodies;                             // [bodyCount]
    const snColliderDef *colliders;                      // [colliderCount]
    const snHoldDef *holds;                              // [holdCount]
    const snFieldDef *fields;                            // [fieldCount]
} snSceneDef;
snSceneDef snDefaultSceneDef(void); // empty, 1/120 s, 9.81 m/s² down, touching, nobody sleeps

// Builds the world of a definition, as snWorld_Load does that of a text; everything is copied. The message of a failure begins with what is wrong:
// "bodies[2].material.young: ...". `files` may be NULL where no file is named.
snStatus snWorld_Build(snWorld **world, const snSceneDef *def, const snFileHook *files,
                       const snContext *context, snError *error);

// The text of such a scene, which must be released with the context's allocator; *size is without the zero at its end. Meshes in it are
// named "#body0.obj", "#collider0.obj", and are not in the text.
snStatus snWorld_WriteScene(const snSceneDef *def, char **text, size_t *size,
                            const snContext *context, snError *error);

SN_API_END
#ifdef __cplusplus
}
#endif

#endif
