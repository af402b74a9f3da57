// Scenes: what a world is made of, as a JSON document (docs/scene.md has every key). May use everything
// up to world, and asset's readers; files reach it through a hook. Begin with snSceneFile_Read in read.c
// (parse, load, validate), then snSceneFile_Build in build.c (from the document to a world).
#ifndef SN_SCENE_SCENE_H
#define SN_SCENE_SCENE_H

#include "asset/gltf.h"
#include "body/lattice/scheme.h"
#include "body/lattice/flesh_body.h"
#include "body/lattice/rig_file.h"
#include "body/lattice/solid_body.h"
#include "body/coat/coat_body.h"
#include "body/poly/poly.h"
#include "control/control.h"
#include "body/skin/skin_body.h"
#include "character/played.h"
#include "layered/editor.h"

#define SN_SCENE_VERSION 1

// Where the files that a scene names come from.
typedef struct snSceneSource {
    // Reads a file, named by a path relative to the scene, into the arena. NULL: scenes that name files
    // are refused.
    snStatus (*read)(void *user, const char *path, snArena *arena, const uint8_t **bytes,
                     size_t *size, snError *error);
    void *user;
    // For glTF files, see snGltfSource. May be NULL.
    snStatus (*unpack)(void *user, const snGltfPacked *packed, uint8_t *out, snError *error);
} snSceneSource;

// Those between a mesh and a character are made into a mesh when they are read.
typedef enum snSceneShape {
    SN_SCENE_BOX,
    SN_SCENE_LATTICE,
    SN_SCENE_MESH,
    SN_SCENE_SPHERE,
    SN_SCENE_PYRAMID,
    SN_SCENE_CYLINDER,
    SN_SCENE_CAPSULE,
    SN_SCENE_TUBE,
    SN_SCENE_CHARACTER,
} snSceneShape;

// A rigged character: its file, what its flesh is like, and how it moves.
typedef struct snSceneCharacter {
    snCharacter character;
    bool hasRig;
    snRigFile rig;       // over `flesh`
    const char *rigName; // of the file
    snFleshDef flesh;
    snFleshBodyDef body;      // without flesh, contact and points
    snFleshSkeleton skeleton; // of body.skeleton, where bones give way
} snSceneCharacter;
void snSceneCharacter_Destroy(snSceneCharacter *character); // accepts NULL

// What a coated skeleton follows: a clip of a file, if any, and how strongly.
typedef struct snSceneMotion {
    bool loaded;
    snCharacter character;
    snCoatFollowDef follow;
} snSceneMotion;
void snSceneMotion_Destroy(snSceneMotion *motion); // accepts NULL

// A layered character: its document as the scene wants it, with a skin.
typedef struct snSceneLayered {
    bool made; // the editor is there
    snEditor editor;
    double settle; // s
    int smooth;    // refinements of what is drawn
    bool gives;    // its skeleton gives way, with ...
    snStrength strength;
    double density; // kg/m³, of muscles
} snSceneLayered;
void snSceneLayered_Destroy(snSceneLayered *layered); // accepts NULL

// A surface of a file that is played: a baked character, a mesh with a point cache, or one that stands.
typedef struct snScenePlayed {
    snCharacter character;
    bool loaded; // the character is there
    snPointSamples samples;
    snPlayedDef def;
} snScenePlayed;

// A skin over another body, or over a surface that is played.
typedef struct snSceneSkin {
    int over; // number of that body, below its own; -1: `played`
    snScenePlayed *played;
    double cell; // m; 0: a tenth of the body's size
    snSkinTissue tissue;
    int method; // snOdeMethod
    int smooth; // refinements of what is drawn
    bool self;
    bool oneWay; // the body under it does not feel it
} snSceneSkin;

void snSceneSkin_Destroy(snSceneSkin *skin); // accepts NULL

// What a body is made of: one number, or one for every control vertex, or along an axis of the body's box from
// its lower to its upper end, evenly spaced.
typedef struct snSceneField {
    int count;
    double *values; // [count]
    int axis;       // 0, 1, 2: along x, y, z; -1: for every vertex, or the one for all
} snSceneField;

typedef struct snSceneBody {
    snSceneShape shape;
    snBox box;    // of SN_SCENE_BOX
    int cells[3]; // of SN_SCENE_BOX, and of a mesh in a grid; cells[1] == 0: about cells[0] in all
    snLattice lattice; // of a box, a lattice, and of a mesh that brings one; else without cells
    // A surface from a file: its vertices as in the file, all parts one after another, and what it is
    // welded into, which has the inside.
    snMesh mesh;
    int *weldOf;
    snMeshTree tree;
    snWinding *winding;
    snScheme scheme;
    int levels;     // of functions
    int nodeLevel;  // of integrals; 0: chosen
    int mostActive; // finer functions that come and go, at a time; 0: all act
    snSceneField young, poisson, density;
    snSceneCharacter *character; // of SN_SCENE_CHARACTER, else NULL
    bool isPoly;       // with linear deformations; then of a mesh, also where it was given as a box
    snPolyDef poly;    // order or control points, and masses
    snSceneSkin *skin; // over another body, else NULL; `solid` has its name alone
    snSceneLayered *layered; // else NULL; `solid` has its name alone
    bool isCoat; // a coated skeleton: its document, and how it moves; `solid` has its name alone
    snCoatBodyDef coat; //
    const char *coatText;
    size_t coatSize;
    snSceneMotion *motion; // that it follows, or NULL
    int cornerCount;       // of its shape, for drawing (solid_surface.h)
    const int *corner, *cornerTriangles;
    snSolidBodyDef solid; // name, material, solver, contact
    snAffine place;
    snVec3 velocity, spin;
    int stiffnessCount; // keys; 0: none
    double *stiffnessTimes, *stiffnessFactors;
    bool painted;   // the scene gives its colour
    float color[3]; // linear
    float *colors; // [mesh.vertexCount * 4], linear, as the file has them; NULL: `color` everywhere
} snSceneBody;

// Whether its lattice is yet to be made of tets that follow the shape.
static inline bool snSceneBody_IsAutomatic(const snSceneBody *body)
{
    return body->shape == SN_SCENE_MESH && !body->cells[1] && !body->lattice.cellCount &&
           !body->isPoly;
}

// Whether points of it can be tied to those of others (snSolidBodyDef.tied).
static inline bool snSceneBody_Ties(const snSceneBody *body)
{
    const snSolidBodyDef *def = &body->solid;
    bool own = def->solver == SN_SOLVER_PROJECTIVE && def->integrator == SN_INTEGRATOR_MIDPOINT;
    return own || def->integrator == SN_INTEGRATOR_EULER;
}

typedef struct snSceneCollider {
    const char *name;
    bool container;
    snWorldColliderDef def; // else
    snContainerDef box;
    snRouteDef route; // count 0: it stands
    bool hidden;      // in pictures; floors, walls and containers unless they are told not to be
    bool left;        // out of .glb files: it was told to be hidden
} snSceneCollider;

// Which points of a body.
typedef enum snSceneSpotKind {
    SN_SPOT_POINT,  // where it is at rest, in the body's own frame
    SN_SPOT_VERTEX, // of the surface
    SN_SPOT_NEAR,   // of the surface as it is placed: nearest to a place of the world
    SN_SPOT_WITHIN, // all vertices of the surface that are in a box at rest
} snSceneSpotKind;
typedef struct snSceneSpot {
    int body;
    snSceneSpotKind kind;
    snVec3 place;
    int vertex;
    snBox box;
} snSceneSpot;

typedef struct snSceneAttachment {
    snAttachmentDef def;
    snSceneSpot spot, other;
    snRouteDef route; // count 0: none
} snSceneAttachment;

typedef struct snSceneProbe {
    const char *name;
    snSceneSpot spot;
} snSceneProbe;

// A point that scripts speak of: of a body, or a place of the world.
typedef struct snScenePoint {
    const char *name;
    bool ofBody;
    snSceneSpot spot;
    snVec3 place;
    snRouteDef route; // of a place that moves; count 0: it stands
} snScenePoint;

typedef struct snSceneOutputs {
    int cacheCount;
    const char **caches; // .pc2, .mdd, .obj, .usda, .json; relative to where the program runs
    const char *csv;     // or NULL
    bool everyStep;      // rows of the CSV; false: every frame
    const char *picture; // .png or .mp4, or NULL
} snSceneOutputs;

typedef struct snSceneCamera {
    bool given;                           // yaw and pitch
    double yaw, pitch, zoom, fieldOfView; // degrees; zoom and field: 0 as by default
    int panels, columns;                  // of a strip; columns 0: as even as can be
    int width, height;                    // pixels; 0: by what is made
} snSceneCamera;

typedef struct snSceneFile {
    snArena arena; // owns everything
    const char *title;
    double step, duration, frameRate;
    int lengthCount; // of steps in real time, in ticks of `step`, ascending from 1
    int lengths[SN_WORLD_LENGTHS];
    bool paced;       // worlds are built for steps of all these lengths; set by the caller
    bool bodiesTouch; // each other
    bool planar;      // nothing goes along z
    snVec3 gravity;
    int gravityCount; // keys; 0: it stays
    double *gravityTimes;
    snVec3 *gravityKeys;
    int bodyCount, colliderCount, attachmentCount, throwCount, probeCount;
    snSceneBody *bodies;
    snSceneCollider *colliders;
    snSceneAttachment *attachments;
    snThrowDef *throws;
    snSceneProbe *probes;
    int fieldCount;
    snFieldDef *fields;
    double airDensity, airDrag;
    snSleepDef sleep;
    int pointCount, scriptCount;
    snScenePoint *points;
    snScriptDef *scripts; // points in them are numbers of `points`
    snSceneOutputs outputs;
    snSceneCamera camera;
} snSceneFile;

// The message of a failure begins with the path of what is wrong: "bodies[2].material.young: ...".
snStatus snSceneFile_Read(snSceneFile *scene, const char *text, size_t size,
                          const snSceneSource *source, const snContext *context, snError *error);
void snSceneFile_Destroy(snSceneFile *scene);

// The world of a scene, and where its probes are. A scene with characters, or meshes to bump into, must outlive it.
typedef struct snStage {
    snWorld *world;
    snControl *control; // of the scripts; NULL: there are none
    int fleshCount;
    snFlesh **fleshes; // [fleshCount], of the characters
    int probeCount;
    int *probeBody, *probePoint; // [probeCount]
    snArena arena;
} snStage;
snStatus snSceneFile_Build(const snSceneFile *scene, snStage *stage, const snContext *context,
                           snError *error);
void snStage_Destroy(snStage *stage);

// Whether a goal connects points of bodies hard, and which bodies these are.
bool snSceneFile_GoalTies(const snSceneFile *scene, int script, int goal, snTieReserve *tie);

// Steps from one frame to the next, at least 1, and frames in all, that of the begin counted.
int snSceneFile_StepsPerFrame(const snSceneFile *scene);
int snSceneFile_Frames(const snSceneFile *scene);

#endif
