// How the scene's document is read (asset/json_reader.h): what its values are beyond numbers, words and
// vectors, and its parts.
#ifndef SN_SCENE_READER_H
#define SN_SCENE_READER_H

#include "asset/json_reader.h"
#include "scene/scene.h"

// What all of these readers have besides: snReader.own.
typedef struct snSceneReading {
    snSceneFile *scene; // whose arena is the reader's
    const snSceneSource *source;
} snSceneReading;

static inline snSceneFile *snReader_Scene(const snReader *r)
{
    return ((const snSceneReading *)r->own)->scene;
}

static inline const snSceneSource *snReader_Source(const snReader *r)
{
    return ((const snSceneReading *)r->own)->source;
}

// ---- values.c: members of an object. Absent ones leave *out as it is. ----

// "rotation": [x, y, z, w], or {"axis": [x, y, z], "angle": ...}.
void snReader_Rotation(snReader *r, const snJsonNode *object, snQuat *out);
// "place" and "rotation".
void snReader_Place(snReader *r, const snJsonNode *object, snAffine *out);
// Keys come one after another.
void snReader_CheckLater(snReader *r, const snJsonNode *key, double time, double before);
// "keys": [{"time", "place", "rotation"}, ...] and "loose".
void snReader_Route(snReader *r, const snJsonNode *object, snRouteDef *out);
// "lower" and "upper": of a box that goes on for ever where one is absent.
void snReader_Box(snReader *r, const snJsonNode *object, snBox *box);
// [[time, value], ...], values of `width` numbers. *count is 0 where there is none.
typedef struct snKeyList {
    int count;
    double *times, *values;
} snKeyList;
void snReader_KeyList(snReader *r, const snJsonNode *list, int width, snRange range,
                      snKeyList *out);
void snReader_Color(snReader *r, const snJsonNode *object, const char *key, float out[3]);

// ---- parts of the document ----

void snReader_Bodies(snReader *r, const snJsonNode *list); // read_body.c
snNames snReader_BodyNames(const snReader *r);             //
// "stiffness": keys of how many times as stiff the body is. read_body.c
void snReader_Stiffness(snReader *r, const snJsonNode *node, snSceneBody *body);
void snReader_Poly(snReader *r, const snJsonNode *body, snSceneBody *out);  // read_poly.c
void snReader_Shape(snReader *r, const snJsonNode *body, snSceneBody *out); // read_shape.c
void snReader_Layered(snReader *r, const snJsonNode *body,
                      snSceneBody *out);                                   // read_layered.c
void snReader_Skin(snReader *r, const snJsonNode *body, snSceneBody *out); // read_skin.c
void snReader_Coat(snReader *r, const snJsonNode *body, snSceneBody *out); // read_coat.c
// The surface of a sphere and the like, with corners of their own at sharp edges.
void snReader_MakeShape(snReader *r, const snJsonNode *node, snSceneShape kind,
                        const snSceneBody *body, snMesh *mesh); // make_shape.c
void snReader_CheckPoly(snReader *r, const snJsonNode *node,
                        const snSceneBody *body); //
void snReader_Character(snReader *r, const snJsonNode *node,
                        snSceneBody *body); // read_character.c
// How strong a skeleton is that gives way, and a number that only some bodies have (NULL: none).
typedef struct snStrengthMore {
    const char *key;
    snRange range;
    double *value;
} snStrengthMore;
void snReader_Strength(snReader *r, const snJsonNode *node, const snSkeleton *skeleton,
                       const snStrengthMore *more, snStrength *out); // read_skeleton.c
// "clip" by name or number; -1 stays where there is none.
void snReader_Clip(snReader *r, const snJsonNode *node, const snCharacter *character,
                   int *clip); // read_character.c
// Fails at what a body has that a character has not.
void snReader_CheckCharacter(snReader *r, const snJsonNode *node,
                             const snSceneBody *body); //
void snReader_Material(snReader *r, const snJsonNode *node,
                       snSceneBody *body);                                    // read_material.c
void snReader_Solver(snReader *r, const snJsonNode *node, snSceneBody *body); // read_solver.c
void snReader_CheckSolver(snReader *r, const snJsonNode *node,
                          const snSceneBody *body);             //
void snReader_Colliders(snReader *r, const snJsonNode *list);   // read_world.c
void snReader_Attachments(snReader *r, const snJsonNode *list); //
void snReader_Throws(snReader *r, const snJsonNode *list);      //
void snReader_Probes(snReader *r, const snJsonNode *list);      //
void snReader_Points(snReader *r, const snJsonNode *list);      // read_script.c
void snReader_Scripts(snReader *r, const snJsonNode *list);     //
void snReader_Fields(snReader *r, const snJsonNode *list);      // read_field.c
void snReader_Air(snReader *r, const snJsonNode *object);       //
void snReader_Sleep(snReader *r, const snJsonNode *root);       //
void snReader_Outputs(snReader *r, const snJsonNode *object);   // read_outputs.c
void snReader_Camera(snReader *r, const snJsonNode *object);    //

// ---- read_world.c, for others ----

// Memory for the things of a list; NULL where there are none or it fails.
void *snReader_MakeList(snReader *r, const snJsonNode *list, size_t size, int *count);
// "body", and one of "point", "vertex", "near", and "within" where several points are meant.
void snReader_Spot(snReader *r, const snJsonNode *node, bool several, snSceneSpot *spot);
// "spring": {"stiffness", "damping"}; false: there is none.
bool snReader_Spring(snReader *r, const snJsonNode *object, double *stiffness, double *damping);
// Fails at the node where points of a body cannot be held to others hard.
void snReader_CheckTie(snReader *r, const snJsonNode *node, int body);
void snReader_CheckRules(snReader *r, const snJsonNode *node, int a, int b);

// ---- load.c: files ----

// A document that is named, as it is; it lives as long as the scene.
void snReader_LoadText(snReader *r, const snJsonNode *file, const char **text, size_t *size);

// A surface at rest from .obj, .glb or .gltf, `scale` times as large, into body->mesh, weldOf, tree, winding.
void snReader_LoadMesh(snReader *r, const snJsonNode *file, double scale, snSceneBody *body);
// What body->mesh is welded into, its tree and its inside.
void snReader_FindInside(snReader *r, snSceneBody *body);
// A rigged character from .glb or .gltf, and what its vertices are painted with; a rig document for it.
void snReader_LoadCharacter(snReader *r, const snJsonNode *file, snSceneCharacter *character,
                            float **colors);
// A skeleton with clips from .bvh, .glb or .gltf.
void snReader_LoadClips(snReader *r, const snJsonNode *file, snCharacter *character);
// What is played over time: .obj, .glb or .gltf; and a point cache of it, .pc2 or .mdd.
void snReader_LoadPlayed(snReader *r, const snJsonNode *file, snCharacter *character);
void snReader_LoadCache(snReader *r, const snJsonNode *file, double frameRate,
                        snPointSamples *samples);
void snReader_LoadRig(snReader *r, const snJsonNode *file, snSceneCharacter *character);
// The same as a shell to bump into.
void snReader_LoadShell(snReader *r, const snJsonNode *file, double scale, snShell **shell);
// A lattice from a JSON document, by itself or as the section "lattice" of one.
void snReader_LoadLattice(snReader *r, const snJsonNode *file, snLattice *lattice);

// Numbers from a list in a JSON document, or from a column of a CSV table.
typedef struct snNumbersDef {
    snRange range;      // in which they must be, once multiplied; they may have units
    double times;       // what those without a unit are multiplied by
    const char *column; // of a table: its name in the first line; NULL: the first column
} snNumbersDef;
void snReader_LoadNumbers(snReader *r, const snJsonNode *file, const snNumbersDef *def, int *count,
                          double **values);

#endif
