// The rig document: what was decided about a character's flesh, as JSON, to be looked at, edited
// and handed back. Sections may be left out; docs/rig-file.md has every key.
//     {"sinew": "rig", "version": 1, "defaults": {...}, "parts": {...}, "lattice": {...}}
#ifndef SN_BODY_LATTICE_RIG_FILE_H
#define SN_BODY_LATTICE_RIG_FILE_H

#include "asset/json_write.h"
#include "body/lattice/flesh.h"

#define SN_RIG_VERSION 1

typedef struct snRigFile {
    snArena arena;  // owns everything
    snFleshDef def; // what "defaults" says, over the def that was given
    bool hasLattice;
    snLattice lattice;
    int ruleCount;
    snFleshRule *rules; // what "parts" says, in its order, then those that were given
    int ownRules;       // of them from the document
    bool within;        // it stands in a bake's sidecar, as its member "rig"
} snRigFile;

// Reads a document for a character; a bake's sidecar contains one. `base` is what holds where it says nothing. On success file->def
// is ready for snFlesh_Build, with the document's lattice and rules; it points into `file`.
snStatus snRigFile_Read(snRigFile *file, const char *text, size_t size, const snSkeleton *skeleton,
                        const snFleshDef *base, const snContext *context, snError *error);
void snRigFile_Destroy(snRigFile *file);

// Whether what made a build with file->def fail stands in the document; then its path there is put in
// front of the message.
bool snRigFile_IsAtFault(const snRigFile *file, const snFleshBlame *blame, snError *error);

// Writes everything that was decided: read again, it builds the same flesh.
snStatus snRigFile_Write(const snFlesh *flesh, snBytes *bytes, snError *error);
snStatus snRigFile_WriteValue(const snFlesh *flesh, snJsonWriter *writer, snError *error);

#endif
