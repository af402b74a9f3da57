// make-demo [--bare] [--coarse] [--fine LEVELS] OUT.glb: writes the demo character, or its bare surface.
#include "demo.h"

#include "asset/gltf.h"
#include "platform/files.h"

#include <stdio.h>
#include <string.h>

// Leaves the body's surface alone: without face, skin and clips.
static void makeBare(snCharacter *character)
{
    snPart *body = &character->parts[0];
    body->skin = -1;
    body->influences = 0;
    character->partCount = 1;
    character->vertexCount = body->vertexCount;
    character->triangleCount = body->triangleCount;
    character->skinCount = 0;
    character->clipCount = 0;
}

typedef struct Wish {
    const char *path;
    bool bare, coarse;
    int levels; // of finer triangles
} Wish;

static snStatus makeFile(const Wish *wish, const snContext *context, snError *error)
{
    const char *path = wish->path;
    bool bare = wish->bare;
    snCharacter character;
    snBytes bytes = snMakeBytes(context);
    snStatus status = wish->coarse
                          ? snDemo_MakeCoarse(&character, SN_DEMO_CROWD_EDGE, context, error)
                          : snDemo_Make(&character, context, error);
    if (!status) status = snDemo_Refine(&character, wish->levels, error);
    if (!status && bare) makeBare(&character);
    if (!status) status = snGlb_FromCharacter(&character, &bytes, error);
    if (!status) status = snFile_Write(context, path, bytes.data, bytes.size, error);
    if (!status)
        printf("%s: %d triangles, %d joints, %d clips, %zu bytes\n", path, character.triangleCount,
               bare ? 0 : character.skins[0].jointCount, character.clipCount, bytes.size);
    snBytes_Destroy(&bytes);
    snCharacter_Destroy(&character);
    return status;
}

static bool parse(Wish *wish, int count, char **words)
{
    for (int i = 1; i < count; i++) {
        if (!strcmp(words[i], "--bare")) {
            wish->bare = true;
        } else if (!strcmp(words[i], "--coarse")) {
            wish->coarse = true;
        } else if (!strcmp(words[i], "--fine") && i + 1 < count) {
            const char *level = words[++i];
            if (level[0] < '0' || level[0] > '4' || level[1]) return false;
            wish->levels = level[0] - '0';
        } else if (words[i][0] == '-' || wish->path) {
            return false;
        } else {
            wish->path = words[i];
        }
    }
    return wish->path != NULL;
}

int main(int argc, char **argv)
{
    Wish wish = {0};
    if (!parse(&wish, argc, argv)) {
        fprintf(stderr,
                "usage: make-demo [--bare] [--coarse] [--fine LEVELS] OUT.glb\n"
                "Writes the demo character as a binary glTF; with --bare its body's surface "
                "alone.\n--coarse has some 2,000 vertices; --fine 1 to 4 makes four triangles of "
                "every one, so many times.\n");
        return 2;
    }
    snContext context = snDefaultContext();
    snError error = {0};
    if (!makeFile(&wish, &context, &error)) return 0;
    fprintf(stderr, "make-demo: %s: %s\n", wish.path, error.message);
    return 1;
}
