// Wavefront OBJ reading: a bare surface becomes a character of one part per object on one root joint,
// without skin and clips.
#ifndef SN_ASSET_OBJ_H
#define SN_ASSET_OBJ_H

#include "character/character.h"

// Reads positions, normals, texture coordinates and faces; other statements are passed over. The
// first vertices are the file's own positions in their order (also those that no face uses), so
// point caches fit other programs' reading of the same file; corners that share a position but
// not its normal or texture coordinate follow as further vertices. Polygons are cut into
// triangles. Objects become parts of their own, or groups where there are no objects; within each the
// file's order stays, and vertices that no face uses go. Texture coordinates are turned to glTF's origin (top left). Errors name the line.
snStatus snObj_Read(snCharacter *character, const void *bytes, size_t size,
                    const snContext *context, snError *error);

#endif
