// Worlds: bodies of any model, what they bump into, what holds, pulls and throws them, and scripts with goals, all
// loaded from a scene (docs/scene.md), a JSON document in memory, and stepped.
//
//     if (snWorld_Load(&world, text, size, NULL, &context, &error)) ...
//     for (;;) {
//         snWorld_Step(world);
//         for (int b = 0; b < snWorld_BodyCount(world); b++)
//             snWorld_ReadSurface(world, b, &buffers[b]);
//     }
//     snWorld_Free(world);
//
// Steps allocate nothing and give the same bits on every run, for any number of threads. A world is for one thread at a
// time; different worlds may be used by different threads at once, there is nothing that they share.
#ifndef SINEW_WORLD_H
#define SINEW_WORLD_H

#include "sinew/crowd.h"
#include "sinew/field.h"

#ifdef __cplusplus
extern "C" {
#endif
SN_API_BEGIN

// Bodies, colliders and what holds and drives them, stepped together.
typedef struct snWorld snWorld;

// ---- loading ------------------------------------------------------------------------------------------

// Where the files that a scene names come from (meshes, characters): a path as it stands in the scene.
typedef struct snFileHook {
    // The file's bytes, which stay until `close` gets them back; NULL: there is no such file.
    const void *(*open)(void *user, const char *path, size_t *size);
    void (*close)(void *user, const void *bytes); // gets them back; NULL: it need not
    void *user;                                   // handed to both
} snFileHook;

// Reads a scene and builds its world: this may take seconds, and is where all memory is taken. The message of a failure
// begins with the path of what is wrong: "bodies[2].material.young: ...". `files` may be NULL for scenes that
// name none; text and files may go afterwards. *world is NULL after a failure.
snStatus snWorld_Load(snWorld **world, const char *scene, size_t size, const snFileHook *files,
                      const snContext *context, snError *error);
void snWorld_Free(snWorld *world); // accepts NULL

// ---- stepping -------------------------------------------------------------------------------------------

// One step, of the length that the scene has (stepsPerSecond): scripts decide, then everything moves.
void snWorld_Step(snWorld *world);
double snWorld_Time(const snWorld *world);       // s
double snWorld_StepLength(const snWorld *world); // s

// ---- bodies: numbered from 0, in the order of the scene ---------------------------------------------------

int snWorld_BodyCount(const snWorld *world);                  // of the scene
const char *snWorld_BodyName(const snWorld *world, int body); // lives as long as the world
int snWorld_FindBody(const snWorld *world, const char *name); // -1: there is none

// Of the body's surface, as the scene has it:
int snWorld_VertexCount(const snWorld *world, int body);
int snWorld_TriangleCount(const snWorld *world, int body);

// [triangles * 3] numbers of vertices, counter-clockwise from outside. They never change.
void snWorld_ReadTriangles(const snWorld *world, int body, int *indices);
// The surface as it is now, in world space; memberStride does not count.
void snWorld_ReadSurface(snWorld *world, int body, const snSurfaceBuffer *surface);

// For a GPU that carries the surface: a vertex is at Σ weight[k] · control[k] over k < snWorld_EmbeddingWidth, with weights that never change and
// control points in world space, all that has to be uploaded each frame. Where control points move a surface smoothly they are those of its
// lattice, polynomial, coat or smooth skin. Of a rigged character the first four for every joint of its skins are the columns of the matrix from
// the mesh to the world, so that weights are those of skinning times the vertex's place in the mesh (their sum need not be 1), and then come offsets
// of its lattice. A surface that is none of these (a skin drawn as it is, a character with morph targets) is its own control points, one wide.
int snWorld_EmbeddingWidth(const snWorld *world, int body);
int snWorld_ControlCount(const snWorld *world, int body); // control points
// [vertices * width] each; unused ones have weight 0.
void snWorld_ReadEmbedding(const snWorld *world, int body, int *controls, float *weights);
// [controls] of three floats; `stride` in bytes, 0: 12.
void snWorld_ReadControls(snWorld *world, int body, float *places, size_t stride);

// Levels of detail: bodies that have several (solids and characters with "detail") go on with another one, 0 the finest, those with fewer with their
// last. Solids have 2: half of the iterations and no finer functions in the second. Characters that their clip or the engine leads have a third, their
// rig alone: what flesh does fades out over 16 steps and begins again from the rig's own motion; there they bump into nobody. Layered characters have
// levels where the command plays scenes in real time, not in worlds that are loaded here. Levels are part of the state. What is at rest costs nothing
// either way, where the scene lets it sleep.
void snWorld_SetLevel(snWorld *world, int level);               // of all bodies, 0 or more
void snWorld_SetBodyLevel(snWorld *world, int body, int level); // of one
int snWorld_LevelCount(const snWorld *world); // the most that a body has; 1: none has others
int snWorld_BodyLevelCount(const snWorld *world, int body); // of one; 1: it has no others
// Levels by the distance of bodies from an eye: of the range->most nearest up to range->full metres 0, up to range->half 1; all others the coarsest.
void snWorld_ChooseDetail(snWorld *world, const double eye[3], const snDetailRange *range);
// The same by a budget of time (crowd.h): no more than budget->most bodies are above their coarsest level, and that is moved first.
void snWorld_KeepBudget(snWorld *world, const double eye[3], const snDetailRange *range,
                        snDetailBudget *budget);

// Puts a body elsewhere, undeformed and at rest: its rest shape, as the scene describes it, carried there.
void snWorld_Put(snWorld *world, int body, const snPlacement *place);
// Moves all of a body by a rigid motion, x to rotation x + position, in no time, with what lies over it: it keeps its deformation. Its
// velocities are turned along, or, where it is to be `still`, are none. Bodies of every model and solver can.
snStatus snWorld_Teleport(snWorld *world, int body, const snPlacement *motion, bool still,
                          snError *error);
// What leads a body (the frame of a character with its clip, of a layered figure, of what a coat follows) is there at the end of the next
// step. `felt`, 0 to 1, is how much of the way there shakes the flesh: 1 is physics, 0 leaves what the pose does alone (for a
// platform that races off). SN_ERROR_UNSUPPORTED for bodies that nothing leads; they are teleported, or held by hands.
snStatus snWorld_SetPlace(snWorld *world, int body, const snPlacement *place, double felt,
                          snError *error);
// The pose at the end of the next step, and from then on, of a rigged character whose poses the engine has ("posed" in the scene): a matrix of 16
// floats by columns for every joint, from the joint to the character's own space; `stride` in bytes from one to the next, 0: 64. Until the first
// the clip is played. SN_ERROR_UNSUPPORTED for other bodies: coats follow clips of files and layered characters their postures, and the engine
// has where they are as a whole (snWorld_SetPlace).
snStatus snWorld_SetPose(snWorld *world, int body, const float *matrices, size_t stride,
                         snError *error);
int snWorld_JointCount(const snWorld *world, int body); // that such a pose has; 0: it takes none
const char *snWorld_JointName(const snWorld *world, int body, int joint); // lives as the world does
// Whether it is not stepped, for it is at rest ("sleep" in the scene). Whatever is done to it wakes it.
bool snWorld_Sleeps(const snWorld *world, int body);
// From now on it moves as a whole: m/s of its centre of mass, and rad/s about it.
void snWorld_Throw(snWorld *world, int body, const double velocity[3], const double spin[3]);

// ---- hands: points that are taken where a ray meets a surface, moved about, and let go ---------------------

// How a hand holds.
typedef struct snHandDef {
    // Hz, above 0, up to 1e6, with which the body would swing on the hand: 2 is a rubber band, 5 a firm grip; higher follows closer and
    // shakes light bodies about.
    double frequency;
    // Exactly where the hand is, instead of on a spring: for bodies that can be held so.
    bool hard;
} snHandDef;
snHandDef snDefaultHandDef(void); // 4 Hz

// What a hand has taken.
typedef struct snHand {
    int grab;        // -1: it holds nothing
    int body;        // -1: the ray met none
    double place[3]; // where it met it
    double distance; // along the ray, in lengths of its direction
} snHand;

// From an eye through the mouse, say; `def` may be NULL for the default. SN_OK with hand->grab = -1 where there is nothing; fails where no hand is free (the
// scene's 8), or the point cannot be held so.
snStatus snWorld_TakeRay(snWorld *world, const double origin[3], const double direction[3],
                         const snHandDef *def, snHand *hand, snError *error);
void snWorld_MoveHand(snWorld *world, const snHand *hand,
                      const double place[3]); // for the next step's end
// The body goes on as it moves; hand->grab is -1 then.
void snWorld_LetGo(snWorld *world, snHand *hand);

// ---- what acts on bodies --------------------------------------------------------------------------------------

// m/s² beside gravity, the same everywhere: a gust, a car that brakes. It holds until it is set anew.
void snWorld_SetPush(snWorld *world, const double acceleration[3]);

// Wind, explosions, whirls, beside those of the scene, which are numbered first, from 0. Adding takes memory; setting anew does not, and may be
// done before every step. Fields are not part of the state. Air has 1.2 kg/m³ unless the scene says otherwise.
snStatus snWorld_AddField(snWorld *world, const snFieldDef *def, int *number, snError *error);
// Makes one of them another, from the next step on.
snStatus snWorld_SetField(snWorld *world, int field, const snFieldDef *def, snError *error);

// Attachments of the scene, by their names; all that have it. They act while they are switched on and their time is.
void snWorld_SwitchAll(snWorld *world, const char *attachments, bool on);

// Colliders, numbered from 0 in the order of the scene.
int snWorld_ColliderCount(const snWorld *world);
int snWorld_FindCollider(const snWorld *world, const char *name); // the first; -1: there is none
// The engine moves a collider: where its shape, as the scene places it, is carried by the end of the next step. It stays
// there until it is led on. Leading starts from where it is.
void snWorld_LeadCollider(snWorld *world, int collider, const snPlacement *motion);

// ---- scripts ----------------------------------------------------------------------------------------------------

// Where a script is: it goes on, came to its end, or gave up at a goal.
typedef enum snScriptPhase { SN_SCRIPT_RUNS, SN_SCRIPT_DONE, SN_SCRIPT_FAILED } snScriptPhase;

// Scripts, numbered from 0 in the order of the scene. Names live as long as the world. One that is not there has failed.
int snWorld_ScriptCount(const snWorld *world);
const char *snWorld_ScriptName(const snWorld *world, int script);    // as the scene has it
snScriptPhase snWorld_ScriptState(const snWorld *world, int script); // as it is now

// What scripts did: a goal that ended. Strings live as long as the world.
typedef struct snWorldEvent {
    const char *script, *goal; // names; "": the goal has none
    const char *failure;       // why it failed; NULL: it did not
    double begin, end;         // s
} snWorldEvent;
int64_t snWorld_EventCount(const snWorld *world); // since the world was loaded
// False where there was none of that number, from 0, or it is too long ago (512 are kept).
bool snWorld_ReadEvent(const snWorld *world, int64_t number, snWorldEvent *event);

// ---- reports --------------------------------------------------------------------------------------------------------

// How a body is, and what went wrong with it since the world was loaded.
typedef struct snWorldReport {
    int functions;  // coordinates that moved at most, each in x, y and z
    int failures;   // steps that could not be computed: the body was put back
    int conflicts;  // steps in which a point could not be held where it was to be
    int dropped;    // steps in which there were more contacts than places for them
    int touching;   // points of the surface that are in something, after the last step
    double deepest; // m, how far the surface was in a collider at most
    double mass;    // kg
    double kinetic; // J
    double elastic; // J
    double volume;  // m³ within the surface
    double center[3], momentum[3]; // m, of mass; kg m/s
} snWorldReport;
// Fills the report of a body, as it is now.
void snWorld_ReadReport(snWorld *world, int body, snWorldReport *report);

// ---- state ------------------------------------------------------------------------------------------------------------

// Everything that steps change, scripts included, but for what the engine sets (pushes, fields, led colliders). Restoring needs a
// world of the same scene; bytes are sealed, and refused where they are of another world or were changed.
size_t snWorld_SaveSize(const snWorld *world);        // bytes
void snWorld_Save(const snWorld *world, void *bytes); // into [snWorld_SaveSize] bytes
// From such bytes: the world goes on from there.
snStatus snWorld_Restore(snWorld *world, const void *bytes, size_t size, snError *error);
uint64_t snWorld_Hash(const snWorld *world); // equal states have equal hashes

SN_API_END
#ifdef __cplusplus
}
#endif

#endif
