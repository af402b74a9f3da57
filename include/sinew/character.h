// Characters as files give them: surface, skeleton, skin and clips. Read-only once loaded; any
// number of actors may share one.
#ifndef SINEW_CHARACTER_H
#define SINEW_CHARACTER_H

#include "sinew/base.h"

#ifdef __cplusplus
extern "C" {
#endif
SN_API_BEGIN

// What a file has: meshes, skins, skeleton, clips. It never changes, and many actors and crowds may use one.
typedef struct snCharacter snCharacter;

// Reads a .glb, or a .gltf with everything embedded, from memory; the bytes may be freed after it.
// *character is NULL after a failure.
snStatus snCharacter_Load(snCharacter **character, const void *bytes, size_t size,
                          const snContext *context, snError *error);
void snCharacter_Free(snCharacter *character); // accepts NULL

// Vertices and triangles of all meshes together, one after another, in the order of the file:
int snCharacter_VertexCount(const snCharacter *character);
int snCharacter_TriangleCount(const snCharacter *character);
void snCharacter_ReadTriangles(const snCharacter *character, int *indices); // [triangles * 3]

// Joints: every node of the file, numbered from 0, parents before their children.
int snCharacter_JointCount(const snCharacter *character);
// Its name, which may be empty and lives as long as the character.
const char *snCharacter_JointName(const snCharacter *character, int joint);
int snCharacter_JointParent(const snCharacter *character, int joint);      // -1: a root
int snCharacter_FindJoint(const snCharacter *character, const char *name); // -1: none

// Clips, numbered from 0 in the order of the file.
int snCharacter_ClipCount(const snCharacter *character);
const char *snCharacter_ClipName(const snCharacter *character, int clip); // lives as long as it
double snCharacter_ClipDuration(const snCharacter *character, int clip);  // s

// A clip by its name, else by its number, else by a name without capitals or armature ("gallop" for
// "AnimalArmature|Gallop") where only one fits; -1: none.
int snCharacter_FindClip(const snCharacter *character, const char *nameOrNumber);

SN_API_END
#ifdef __cplusplus
}
#endif

#endif
