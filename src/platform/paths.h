// File names: their parts, and whether a reference inside a file stays in that file's folder.
#ifndef SN_PLATFORM_PATHS_H
#define SN_PLATFORM_PATHS_H

#include "sinew/base.h"

#define SN_MAX_PATH 4096 // with the final zero

// Parts of the given text, not copies.
const char *snPath_Name(const char *path);      // behind the last slash
const char *snPath_Extension(const char *path); // ".glb", or "" where there is none (".profile")
size_t snPath_FolderLength(const char *path);   // with the last slash; 0 where there is none

bool snPath_HasExtension(const char *path, const char *extension); // ".glb"; also of "A.GLB"

// "folder/name", one slash between them; `name` alone where the folder is "". False when it does
// not fit; `joined` is then "".
bool snPath_Join(const char *folder, const char *name, char *joined, size_t capacity);

// Turns a relative URI, as files name their neighbours, into a relative path: percent signs
// decoded, "." and ".." resolved. Fails for whatever could lead out of the folder: absolute paths,
// more ".." than folders, backslashes, schemes such as "http:", control characters; and for
// nothing, and for names that do not fit. `path` is then "".
snStatus snPath_FromUri(const char *uri, char *path, size_t capacity, snError *error);

#endif
