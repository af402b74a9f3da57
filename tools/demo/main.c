// make-demo OUT.glb: writes the demo character.
#include "demo.h"

#include "asset/gltf.h"
#include "platform/files.h"

#include <stdio.h>

static snStatus makeFile(const char *path, const snContext *context, snError *error)
{
    snCharacter character;
    snBytes bytes = snMakeBytes(context);
    snStatus status = snDemo_Make(&character, context, error);
    if (!status) status = snGlb_FromCharacter(&character, &bytes, error);
    if (!status) status = snFile_Write(context, path, bytes.data, bytes.size, error);
    if (!status)
        printf("%s: %d triangles, %d joints, %d clips, %zu bytes\n", path, character.triangleCount,
               character.skins[0].jointCount, character.clipCount, bytes.size);
    snBytes_Destroy(&bytes);
    snCharacter_Destroy(&character);
    return status;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: make-demo OUT.glb\nWrites the demo character as a binary glTF.\n");
        return 2;
    }
    snContext context = snDefaultContext();
    snError error = {0};
    if (!makeFile(argv[1], &context, &error)) return 0;
    fprintf(stderr, "make-demo: %s: %s\n", argv[1], error.message);
    return 1;
}
