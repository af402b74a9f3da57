// How the scene's document is read: the first thing that is wrong is kept, with its path, and what comes
// after it does nothing. So a reader is a list of its members.
#ifndef SN_SCENE_READER_H
#define SN_SCENE_READER_H

#include "asset/json.h"
#include "asset/quantity.h"
#include "scene/scene.h"

typedef struct snSceneReader {
    const snJson *json;
    snSceneFile *scene;
    snArena *arena; // the scene's
    const snSceneSource *source;
    const snContext *context;
    snStatus status;
    snError *error;
} snSceneReader;

typedef struct snRange {
    double low, high;
    snQuantity quantity;
} snRange;

// ---- values.c: members of an object. Absent ones leave *out as it is. ----

void snReader_Keys(snSceneReader *r, const snJsonNode *object, const char *const *keys, int count);
#define snReader_Fail(r, node, ...)                                                                \
    ((r)->status ? (void)0                                                                         \
                 : (void)((r)->status = snJson_Fail((r)->json, (node), (r)->error,                 \
                                                    SN_ERROR_FORMAT, __VA_ARGS__)))
void snReader_Take(snSceneReader *r, snStatus status); // of a call that has filled in the error
// Fails where the member is not there.
const snJsonNode *snReader_Need(snSceneReader *r, const snJsonNode *object, const char *key);
const snJsonNode *snReader_List(snSceneReader *r, const snJsonNode *object, const char *key);
const snJsonNode *snReader_Object(snSceneReader *r, const snJsonNode *object, const char *key);

// A number, or a text with a unit. Angles without one are in degrees.
void snReader_Value(snSceneReader *r, const snJsonNode *node, snRange range, double *out);
void snReader_Number(snSceneReader *r, const snJsonNode *object, const char *key, snRange range,
                     double *out);
void snReader_Int(snSceneReader *r, const snJsonNode *object, const char *key, int low, int high,
                  int *out);
void snReader_Bool(snSceneReader *r, const snJsonNode *object, const char *key, bool *out);
void snReader_Text(snSceneReader *r, const snJsonNode *object, const char *key, const char **out);
// One of a list of words: its number.
void snReader_Word(snSceneReader *r, const snJsonNode *object, const char *key,
                   const char *const *words, int count, int *out);
void snReader_Vector(snSceneReader *r, const snJsonNode *object, const char *key,
                     snQuantity quantity, snVec3 *out);
void snReader_VectorOf(snSceneReader *r, const snJsonNode *node, snQuantity quantity, snVec3 *out);
// "rotation": [x, y, z, w], or {"axis": [x, y, z], "angle": ...}.
void snReader_Rotation(snSceneReader *r, const snJsonNode *object, snQuat *out);
// "place" and "rotation".
void snReader_Place(snSceneReader *r, const snJsonNode *object, snAffine *out);
// "keys": [{"time", "place", "rotation"}, ...] and "loose".
void snReader_Route(snSceneReader *r, const snJsonNode *object, snRouteDef *out);
// Fails at the "name" of the first in a list that another one before it has; `what` is the list's.
void snReader_CheckNames(snSceneReader *r, const snJsonNode *list, const char *what, int count,
                         const char *const *names);
// [[time, value], ...], values of `width` numbers. *count is 0 where there is none.
typedef struct snKeyList {
    int count;
    double *times, *values;
} snKeyList;
void snReader_KeyList(snSceneReader *r, const snJsonNode *list, int width, snRange range,
                      snKeyList *out);
void snReader_Color(snSceneReader *r, const snJsonNode *object, const char *key, float out[3]);

// ---- parts of the document ----

void snReader_Bodies(snSceneReader *r, const snJsonNode *list); // read_body.c
// "stiffness": keys of how many times as stiff the body is. read_body.c
void snReader_Stiffness(snSceneReader *r, const snJsonNode *node, snSceneBody *body);
void snReader_Poly(snSceneReader *r, const snJsonNode *body, snSceneBody *out);  // read_poly.c
void snReader_Shape(snSceneReader *r, const snJsonNode *body, snSceneBody *out); // read_shape.c
void snReader_Layered(snSceneReader *r, const snJsonNode *body,
                      snSceneBody *out);                                        // read_layered.c
void snReader_Skin(snSceneReader *r, const snJsonNode *body, snSceneBody *out); // read_skin.c
void snReader_Coat(snSceneReader *r, const snJsonNode *body, snSceneBody *out); // read_coat.c
// The surface of a sphere and the like, with corners of their own at sharp edges.
void snReader_MakeShape(snSceneReader *r, const snJsonNode *node, snSceneShape kind,
                        const snSceneBody *body, snMesh *mesh); // make_shape.c
void snReader_CheckPoly(snSceneReader *r, const snJsonNode *node,
                        const snSceneBody *body); //
void snReader_Character(snSceneReader *r, const snJsonNode *node,
                        snSceneBody *body); // read_character.c
// How strong a skeleton is that gives way, and a number that only some bodies have (NULL: none).
typedef struct snStrengthMore {
    const char *key;
    snRange range;
    double *value;
} snStrengthMore;
void snReader_Strength(snSceneReader *r, const snJsonNode *node, const snSkeleton *skeleton,
                       const snStrengthMore *more, snStrength *out); // read_skeleton.c
// "clip" by name or number; -1 stays where there is none.
void snReader_Clip(snSceneReader *r, const snJsonNode *node, const snCharacter *character,
                   int *clip); // read_character.c
// Fails at what a body has that a character has not.
void snReader_CheckCharacter(snSceneReader *r, const snJsonNode *node,
                             const snSceneBody *body); //
void snReader_Material(snSceneReader *r, const snJsonNode *node,
                       snSceneBody *body); // read_material.c
void snReader_Solver(snSceneReader *r, const snJsonNode *node, snSceneBody *body); // read_solver.c
void snReader_CheckSolver(snSceneReader *r, const snJsonNode *node,
                          const snSceneBody *body);                  //
void snReader_Colliders(snSceneReader *r, const snJsonNode *list);   // read_world.c
void snReader_Attachments(snSceneReader *r, const snJsonNode *list); //
void snReader_Throws(snSceneReader *r, const snJsonNode *list);      //
void snReader_Probes(snSceneReader *r, const snJsonNode *list);      //
void snReader_Points(snSceneReader *r, const snJsonNode *list);      // read_script.c
void snReader_Scripts(snSceneReader *r, const snJsonNode *list);     //
void snReader_Fields(snSceneReader *r, const snJsonNode *list);      // read_field.c
void snReader_Air(snSceneReader *r, const snJsonNode *object);       //
void snReader_Sleep(snSceneReader *r, const snJsonNode *root);       //
void snReader_Outputs(snSceneReader *r, const snJsonNode *object);   // read_outputs.c
void snReader_Camera(snSceneReader *r, const snJsonNode *object);    //

// ---- read_world.c, for others ----

// Memory for the things of a list; NULL where there are none or it fails.
void *snReader_MakeList(snSceneReader *r, const snJsonNode *list, size_t size, int *count);
// "body", and one of "point", "vertex", "near", and "within" where several points are meant.
void snReader_Spot(snSceneReader *r, const snJsonNode *node, bool several, snSceneSpot *spot);
// "spring": {"stiffness", "damping"}; false: there is none.
bool snReader_Spring(snSceneReader *r, const snJsonNode *object, double *stiffness,
                     double *damping);
// Fails at the node where points of a body cannot be held to others hard.
void snReader_CheckTie(snSceneReader *r, const snJsonNode *node, int body);
void snReader_CheckRules(snSceneReader *r, const snJsonNode *node, int a, int b);

// ---- load.c: files ----

// A document that is named, as it is; it lives as long as the scene.
void snReader_LoadText(snSceneReader *r, const snJsonNode *file, const char **text, size_t *size);

// A surface at rest from .obj, .glb or .gltf, `scale` times as large, into body->mesh, weldOf, tree, winding.
void snReader_LoadMesh(snSceneReader *r, const snJsonNode *file, double scale, snSceneBody *body);
// What body->mesh is welded into, its tree and its inside.
void snReader_FindInside(snSceneReader *r, snSceneBody *body);
// A rigged character from .glb or .gltf, and what its vertices are painted with; a rig document for it.
void snReader_LoadCharacter(snSceneReader *r, const snJsonNode *file, snSceneCharacter *character,
                            float **colors);
// A skeleton with clips from .bvh, .glb or .gltf.
void snReader_LoadClips(snSceneReader *r, const snJsonNode *file, snCharacter *character);
// What is played over time: .obj, .glb or .gltf; and a point cache of it, .pc2 or .mdd.
void snReader_LoadPlayed(snSceneReader *r, const snJsonNode *file, snCharacter *character);
void snReader_LoadCache(snSceneReader *r, const snJsonNode *file, double frameRate,
                        snPointSamples *samples);
void snReader_LoadRig(snSceneReader *r, const snJsonNode *file, snSceneCharacter *character);
// The same as a shell to bump into.
void snReader_LoadShell(snSceneReader *r, const snJsonNode *file, double scale, snShell **shell);
// A lattice from a JSON document, by itself or as the section "lattice" of one.
void snReader_LoadLattice(snSceneReader *r, const snJsonNode *file, snLattice *lattice);

// Numbers from a list in a JSON document, or from a column of a CSV table.
typedef struct snNumbersDef {
    snRange range;      // in which they must be, once multiplied; they may have units
    double times;       // what those without a unit are multiplied by
    const char *column; // of a table: its name in the first line; NULL: the first column
} snNumbersDef;
void snReader_LoadNumbers(snSceneReader *r, const snJsonNode *file, const snNumbersDef *def,
                          int *count, double **values);

#endif
