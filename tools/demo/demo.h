// The demo character, made by code alone: Bumble, a calf with a dragon somewhere in the family.
// Heavy belly, floppy ears, stiff horns, a tufted tail, four sturdy legs with hooves. Metres, Y up,
// facing +Z, standing on y = 0; +X is its left. Begin with snDemo_Make in demo.c; then rig.c
// (joints), skin.c (weights), body.c (implicit shapes), paint.c (colours), trim.c (eyes and face),
// gait.c (from postures to joint rotations) and clips.c (the motions themselves).
#ifndef SN_TOOLS_DEMO_H
#define SN_TOOLS_DEMO_H

#include "character/character.h"
#include "lumps.h"
#include "tint.h"

// Joints, parents before children. Each leg is three joints in a row.
typedef enum snDemoJoint {
    DEMO_ROOT,
    DEMO_SPINE,
    DEMO_CHEST,
    DEMO_NECK,
    DEMO_HEAD,
    DEMO_EAR_L_1,
    DEMO_EAR_L_2,
    DEMO_EAR_R_1,
    DEMO_EAR_R_2,
    DEMO_HORN_L,
    DEMO_HORN_R,
    DEMO_TAIL_1,
    DEMO_TAIL_2,
    DEMO_TAIL_3,
    DEMO_LEG_FL,
    DEMO_LEG_FR = DEMO_LEG_FL + 3,
    DEMO_LEG_HL = DEMO_LEG_FR + 3,
    DEMO_LEG_HR = DEMO_LEG_HL + 3,
    DEMO_JOINTS = DEMO_LEG_HR + 3,
    // Not of the skin: the nodes that carry the meshes. glTF wants those beside the skeleton.
    DEMO_NODE_BODY = DEMO_JOINTS,
    DEMO_NODE_FACE,
    DEMO_NODES
} snDemoJoint;

// Fills a character that is {0}; freed with snCharacter_Destroy (also after a failure).
snStatus snDemo_Make(snCharacter *character, const snContext *context, snError *error);

// The same calf with larger triangles and without its face, for crowds: `edge` in metres, SN_DEMO_EDGE for
// as many as snDemo_Make has, SN_DEMO_CROWD_EDGE for some 2,000 vertices.
#define SN_DEMO_EDGE 0.0345
#define SN_DEMO_CROWD_EDGE 0.0656
snStatus snDemo_MakeCoarse(snCharacter *character, double edge, const snContext *context,
                           snError *error);

// refine.c: every triangle becomes four, so many times; three times make a million.
snStatus snDemo_Refine(snCharacter *character, int levels, snError *error);

// body.c. Regions are distances to groups of shapes: paint and weights ask for them.
typedef enum snDemoRegion {
    REGION_TORSO,
    REGION_HEAD,
    REGION_MUZZLE,
    REGION_EARS,
    REGION_HORNS,
    REGION_LEGS,
    REGION_TAIL,
    REGION_TUFT, // of the tail
    REGION_FORELOCK,
    REGION_CREST, // the bumps along the back
    REGION_COUNT
} snDemoRegion;

void snDemo_MakeShapes(snLumps *body);
snVec3 snDemo_HeadPoint(double x, double y, double z); // about the middle of the head, to world
snVec3 snDemo_BodyPoint(const snLumps *body, snVec3 inside, snVec3 direction); // a ray's exit
snStatus snDemo_MakeSurface(snMesh *mesh, const snLumps *body, double edge, snArena *arena,
                            snError *error);

// rig.c. Every joint has a bone, and flesh around it: a cone from the joint to the bone's end.
typedef struct snDemoBone {
    const char *name;
    int parent;
    snVec3 place, end; // in the world, at rest
    double radius[2];  // of the flesh around place and end
} snDemoBone;
const snDemoBone *snDemo_Bone(int joint);
snVec3 snDemo_JointPlace(int joint);
snStatus snDemo_MakeSkeleton(snCharacter *character, snError *error); // joints and the skin

// skin.c: fills joints and weights of a part that has positions and triangles
snStatus snDemo_MakeSkin(snPart *part, const snLumps *body, snArena *arena, snError *error);

// paint.c: linear colours
snTint snDemo_Paint(const snLumps *body, snVec3 point, snVec3 normal);

// trim.c: counts, arrays and triangles of a part that is made from a mesh, and the mesh's normals
snStatus snDemo_ReservePart(snPart *part, const snMesh *mesh, snVec3 **normals, snArena *arena,
                            snError *error);
// eyes, lids, nostrils and mouth, rigid on the head, as one part
snStatus snDemo_MakeTrim(snPart *part, const snLumps *body, snArena *arena,
                         const snContext *context, snError *error);

// gait.c: a posture is what an animator thinks in; the legs find their own angles.
typedef struct snDemoTurn {
    double pitch, yaw, roll; // degrees: nose down, to its left, left side up
} snDemoTurn;

typedef struct snDemoFoot {
    snVec3 move;   // of the hoof, from where it stands at rest
    double pitch;  // degrees, toe down
    double inBody; // 0: `move` is in the world; 1: it is carried along with the body
} snDemoFoot;

typedef struct snDemoPosture {
    snVec3 move; // of the root
    snDemoTurn root, spine, chest, neck, head;
    snDemoFoot feet[4]; // FL, FR, HL, HR
} snDemoPosture;
void snDemo_SolvePosture(const snDemoPosture *posture, snTransform *local); // [DEMO_JOINTS]

// clips.c
snStatus snDemo_MakeClips(snCharacter *character, snError *error);

#endif
