#include "tests/hostile/fuzz_scene.h"

#include "core/error.h"
#include "scene/scene.h"

#include <string.h>

// Scenes are read and not built: what takes long to build is no fault of the reader.
static snStatus readNothing(void *user, const char *path, snArena *arena, const uint8_t **bytes,
                            size_t *size, snError *error)
{
    static const char beam[] =
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";
    (void)user;
    (void)arena;
    if (strlen(path) > 1000) return snFail(error, SN_ERROR_FILE, "too long");
    *bytes = (const uint8_t *)beam;
    *size = sizeof beam - 1;
    return SN_OK;
}

snStatus snFuzz_Scene(const uint8_t *bytes, size_t size, const snContext *context, snError *error)
{
    snSceneSource source = {readNothing, NULL, NULL};
    snSceneFile scene;
    snStatus status = snSceneFile_Read(&scene, (const char *)bytes, size, &source, context, error);
    if (!status) snSceneFile_Destroy(&scene);
    return status;
}
