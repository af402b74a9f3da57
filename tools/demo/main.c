// make-demo [--bare] OUT.glb: writes the demo character, or its bare surface.
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

static snStatus makeFile(const char *path, bool bare, const snContext *context, snError *error)
{
    snCharacter character;
    snBytes bytes = snMakeBytes(context);
    snStatus status = snDemo_Make(&character, context, error);
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

int main(int argc, char **argv)
{
    bool bare = argc == 3 && !strcmp(argv[1], "--bare");
    const char *path = argv[argc - 1];
    if (argc != 2 && !bare) {
        fprintf(stderr, "usage: make-demo [--bare] OUT.glb\nWrites the demo character as a binary "
                        "glTF; with --bare its body's surface alone.\n");
        return 2;
    }
    snContext context = snDefaultContext();
    snError error = {0};
    if (!makeFile(path, bare, &context, &error)) return 0;
    fprintf(stderr, "make-demo: %s: %s\n", path, error.message);
    return 1;
}
