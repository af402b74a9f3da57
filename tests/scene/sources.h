// Scenes for tests: files come from the examples' folder.
#ifndef SN_TESTS_SCENE_SOURCES_H
#define SN_TESTS_SCENE_SOURCES_H

#include "platform/files.h"
#include "scene/scene.h"
#include "tests/failing_memory.h"
#include "tests/scene/play.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char openBox[] = "v -1 -1 -1\nv 1 -1 -1\nv 1 1 -1\nv -1 1 -1\nv -1 -1 1\nv 1 -1 1\n"
                              "v 1 1 1\nv -1 1 1\nf 4 3 2 1\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\n"
                              "f 4 1 5 8\n";

// A ball of two postures in a skin.
#define SMALL_PENGUIN(more)                                                                        \
    "settings duration=0.4\njoint add low parent=none at=0,-0.11,0 size=4cm\n"                     \
    "joint add high at=0,0.22,0 kind=fixed size=4cm\n"                                             \
    "muscle add ball joint=low at=0,0.11,0 size=0.1\n" more                                        \
    "skin create bottom=low top=high rows=9 columns=12 gap=5mm\nskin attach\n"                     \
    "skin paint elasticity=40 stiffness=4000\n"                                                    \
    "posture keep a time=0\npose joint low angles=0,0,20 shift=0.1,0,0\nposture keep b "           \
    "time=0.2\npose reset\nposture keep c time=0.4\n"
static const char smallPenguin[] = SMALL_PENGUIN("");
// And one with a beak that ends 0.2 m before its middle.
static const char beaked[] =
    SMALL_PENGUIN("muscle add beak joint=low bare=yes at=0.16,0.11,0 size=0.04\n");

// One whose skin is of the grid for designing, and has another one for the end; its postures end soon.
static const char grids[] =
    "settings duration=0.2 design-rows=5 design-columns=7 final-rows=6 final-columns=9\n"
    "joint add low parent=none at=0,-0.11,0 size=4cm\n"
    "joint add high at=0,0.22,0 kind=fixed size=4cm\n"
    "muscle add ball joint=low at=0,0.11,0 size=0.1\n"
    "skin create bottom=low top=high gap=5mm\nskin attach\n"
    "skin paint elasticity=40 stiffness=4000\nposture keep a time=0\n"
    "pose joint low shift=0.1,0,0\nposture keep b time=0.05\n";

// What a test writes before it reads a scene.
static char keyed[1200];

// Files that are not among the examples: a box without its lid, and materials of eight vertices.
static const struct {
    const char *name, *text;
} madeFiles[] = {
    {"open.obj", openBox},
    {"penguin.txt", smallPenguin},
    {"beaked.txt", beaked},
    {"grids.txt", grids},
    {"keyed.coat.json", keyed},
    {"bare.txt", "joint add a parent=none\nmuscle add m\n"},
    {"wrong.txt", "joint add a parent=none\nmuscle ad m\n"},
    {"young.csv", "1\n2\n3\n4\n5\n6\n7\n8\n"},
    {"materials.csv",
     "\"name\"; young ;density\r\na;10 kPa;900\r\nb;20000;900\r\n\r\nc;30 kPa;900\r\n"
     "d;4;1000\r\ne;5;1000\r\nf;6;1000\r\ng;7;1000\r\nh;8;1100"},
    {"young.json", "[1, 2, \"3 kPa\", 4, 5, 6, 7, 8]"},
    {"values.json", "{\"values\": [1, 1, 1, 1, 2, 2, 2, 2]}"},
    {"wrong.csv", "1\n2\nthree\n"},
    {"wrong.json", "{\"numbers\": []}"},
};

static inline snStatus readExample(void *user, const char *path, snArena *arena,
                                   const uint8_t **bytes, size_t *size, snError *error)
{
    snFileContent content;
    for (size_t i = 0; i < sizeof madeFiles / sizeof *madeFiles; i++)
        if (!strcmp(path, madeFiles[i].name)) {
            *bytes = (const uint8_t *)madeFiles[i].text;
            *size = strlen(madeFiles[i].text);
            return SN_OK;
        }
    const snContext *context = user;
    snStatus status = snFile_ReadNeighbour(context, SN_SOURCE_DIR "/examples/scenes/", path,
                                           (size_t)1 << 30, &content, error);
    if (status) return status;
    *bytes = snArena_Copy(arena, content.bytes, 1, content.size);
    *size = content.size;
    snFile_Release(context, &content);
    if (*bytes) return SN_OK;
    *error = (snError){.code = SN_ERROR_MEMORY};
    return SN_ERROR_MEMORY;
}

static inline snStatus readScene(snSceneFile *scene, const char *text, const snContext *context,
                                 snError *error)
{
    static snContext plain;
    plain = snDefaultContext();
    snSceneSource source = {readExample, &plain, NULL};
    return snSceneFile_Read(scene, text, strlen(text), &source, context, error);
}

static inline bool makeStage(const char *text, snSceneFile *scene, snStage *stage)
{
    snContext context = snDefaultContext();
    snError error = {0};
    bool good = readScene(scene, text, &context, &error) == SN_OK;
    if (good) good = snSceneFile_Build(scene, stage, &context, &error) == SN_OK;
    if (!CHECK(good)) printf("    %s\n", error.message);
    return good;
}

static inline Play beginPlay(const char *text)
{
    Play play;
    if (!makeStage(text, &play.scene, &play.stage)) exit(1);
    return play;
}

// For failEvery: a text is read as a scene.
static inline snStatus readAndFree(const void *text, snArena *arena, const snContext *context)
{
    snSceneFile s;
    snError error = {0};
    (void)arena;
    snStatus status = readScene(&s, text, context, &error);
    if (!status) snSceneFile_Destroy(&s);
    if (status && status != SN_ERROR_MEMORY) printf("    %s\n", error.message);
    return status;
}

#define HEAD "{\"sinew\": \"scene\", \"version\": 1, "
#define BLOCK                                                                                      \
    "{\"name\": \"block\", \"box\": {\"size\": [0.3, 0.2, 0.2], \"cells\": [2, 1, 1]}, "           \
    "\"quadrature\": 1}"

#endif
