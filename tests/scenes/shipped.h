// The example scenes with their bodies, which are made in memory: nothing has to be written before.
#ifndef SN_TESTS_SCENES_SHIPPED_H
#define SN_TESTS_SCENES_SHIPPED_H

#include "core/core.h"
#include "layered/file.h"
#include "layered/script.h"
#include "made.h"
#include "platform/files.h"
#include "scene/scene.h"

#include <stdio.h>
#include <string.h>

typedef struct Shipped {
    snContext context;
    snMade made;
    const char
        *folder; // of examples/, in which scenes and what they name are; "made/": all is made
} Shipped;

static inline void makeShipped(Shipped *shipped)
{
    shipped->context = snDefaultContext();
    shipped->made = snMakeMade(&shipped->context);
    shipped->folder = "scenes/";
}

static inline void freeShipped(Shipped *shipped)
{
    snMade_Destroy(&shipped->made);
}

static inline snStatus readNeighbour(Shipped *shipped, const char *path, snBytes *bytes,
                                     snError *error)
{
    snFileContent content;
    char folder[300];
    snprintf(folder, sizeof folder, SN_SOURCE_DIR "/examples/%s", shipped->folder);
    snStatus status =
        snFile_ReadNeighbour(&shipped->context, folder, path, (size_t)1 << 30, &content, error);
    if (status) return status;
    snBytes_Append(bytes, content.bytes, content.size);
    snFile_Release(&shipped->context, &content);
    return snBytes_Check(bytes, error);
}

// A character of examples/characters, as its script makes it.
static inline snStatus makeShippedCharacter(Shipped *shipped, const char *name, snEditor *editor,
                                            snError *error)
{
    char file[100];
    const char *folder = shipped->folder;
    snBytes text = snMakeBytes(&shipped->context);
    snScriptReport report;
    snprintf(file, sizeof file, "%s.txt", name);
    shipped->folder = "characters/";
    snStatus status = readNeighbour(shipped, file, &text, error);
    shipped->folder = folder;
    if (!status) status = snEditor_Make(editor, &shipped->context, error);
    if (!status) {
        status = snScript_Run(editor, (const char *)text.data, text.size, &report, error);
        if (status) snEditor_Destroy(editor);
    }
    snBytes_Destroy(&text);
    return status;
}

#define SHIPPED_CHARACTER ".character.json"
static inline snStatus writeMade(Shipped *shipped, const char *name, snBytes *bytes, snError *error)
{
    const char *ending = strstr(name, SHIPPED_CHARACTER);
    if (!ending) return snMade_Write(&shipped->made, name, bytes, error);
    snEditor editor;
    char own[80];
    snprintf(own, sizeof own, "%.*s", (int)(ending - name), name);
    snStatus status = makeShippedCharacter(shipped, own, &editor, error);
    if (status) return status;
    snLayered_Write(&editor.layered, bytes);
    snEditor_Destroy(&editor);
    return snBytes_Check(bytes, error);
}

static inline snStatus readMadeOrNeighbour(Shipped *shipped, const char *path, snBytes *bytes,
                                           snError *error)
{
    if (!strcmp(shipped->folder, "made/")) return writeMade(shipped, path, bytes, error);
    return strncmp(path, "made/", 5) == 0 ? writeMade(shipped, path + 5, bytes, error)
                                          : readNeighbour(shipped, path, bytes, error);
}

static inline snStatus readShipped(void *user, const char *path, snArena *arena,
                                   const uint8_t **out, size_t *size, snError *error)
{
    Shipped *shipped = user;
    snBytes bytes = snMakeBytes(&shipped->context);
    snStatus status = readMadeOrNeighbour(shipped, path, &bytes, error);
    *out = status ? NULL : snArena_Copy(arena, bytes.data, 1, bytes.size);
    *size = bytes.size;
    snBytes_Destroy(&bytes);
    if (!status && !*out) return snFailMemory(error);
    return status;
}

// An example by its name, "duck-tossed".
static inline snStatus readShippedScene(Shipped *shipped, const char *name, snSceneFile *scene,
                                        snError *error)
{
    char file[80];
    snBytes text = snMakeBytes(&shipped->context);
    snSceneSource source = {readShipped, shipped, NULL};
    snprintf(file, sizeof file, "%s.json", name);
    snStatus status = readMadeOrNeighbour(shipped, file, &text, error);
    if (!status)
        status = snSceneFile_Read(scene, (const char *)text.data, text.size, &source,
                                  &shipped->context, error);
    snBytes_Destroy(&text);
    return status;
}

// A scene that was written just now, as a world.
static inline snStatus stageOfText(Shipped *shipped, snBytes *text, const snSceneSource *source,
                                   const snContext *context, snStage *stage, snError *error)
{
    snSceneFile scene;
    snStatus status = snBytes_Check(text, error);
    if (!status)
        status = snSceneFile_Read(&scene, (const char *)text->data, text->size, source,
                                  &shipped->context, error);
    if (status) return status;
    status = snSceneFile_Build(&scene, stage, context, error);
    snSceneFile_Destroy(&scene);
    return status;
}

#endif
