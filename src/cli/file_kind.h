// What a file is, told by its first bytes and keys: for who gives a command a file of another kind.
#ifndef SN_CLI_FILE_KIND_H
#define SN_CLI_FILE_KIND_H

#include "platform/platform.h"

typedef enum snFileKind {
    SN_KIND_OTHER, // none of these, or not to be told: its reader says what is wrong
    SN_KIND_EMPTY,
    SN_KIND_GLTF,
    SN_KIND_CAPTURE, // .bvh
    SN_KIND_SCENE,
    SN_KIND_COAT,
    SN_KIND_RIG,
    SN_KIND_SIDECAR,
    SN_KIND_LAYERED,
} snFileKind;
snFileKind snFileKind_Of(const snFileContent *file, const snContext *context);

// Fails with what the file is where that is known and not what is wanted ("FILE: it is a glTF file, not a scene");
// `wanted` are those that will do, `called` what they are called.
typedef struct snFileWant {
    const char *called;
    int count;
    snFileKind kinds[4];
} snFileWant;
snStatus snFileWant_Check(const snFileWant *want, const char *path, const snFileContent *file,
                          const snContext *context, snError *error);

#endif
