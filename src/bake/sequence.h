// What was baked as plain moving meshes, for caches and scenes.
#ifndef SN_BAKE_SEQUENCE_H
#define SN_BAKE_SEQUENCE_H

#include "asset/sequence.h"
#include "bake/bake.h"

// The meshes of a character, each a mesh of the file on one of its nodes with its primitives one
// after another; vertices are those of the file. Without frames and clips. `name` is the
// character's. Everything lives in the arena or points into the character.
snStatus snSequence_FromCharacter(snSequence *sequence, const snCharacter *character,
                                  const char *name, snArena *arena, snError *error);

// The clips of a bake added, one after another.
snStatus snSequence_AddBake(snSequence *sequence, const snBake *bake, snArena *arena,
                            snError *error);

// The text with whatever could trouble a file's name replaced by '_': what is left are ASCII
// letters, digits, '.', '_' and '-', at most 100, not beginning with '.' or '-'. "mesh" where
// nothing is left. In the arena; NULL when memory runs out.
char *snSafeName(const char *text, snArena *arena);

// A name for mesh `number` that none of those before it has: "body", "body.2". In the arena; NULL when memory
// runs out.
const char *snSequence_NameMesh(const snSequenceMesh *meshes, int number, const char *title,
                                snArena *arena);

#endif
