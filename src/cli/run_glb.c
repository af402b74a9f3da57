#include "cli/run_glb.h"

snStatus snRunGlb_Write(const snRunRequest *request, const snWorld *world,
                        const snSequence *sequence, snBytes *out, snMotionReport *report,
                        const snCli *cli, snError *error)
{
    snArena arena = snMakeArena(&cli->context);
    snMotionLook *looks = SN_NEW(&arena, snMotionLook, world->bodies.count);
    snStatus status = looks ? SN_OK : snFailMemory(error);
    for (int i = 0; i < world->bodies.count && !status; i++) {
        const snBody *body = world->bodies.data[i];
        const snSceneBody *scene = &request->scene.bodies[i];
        looks[i] = (snMotionLook){.cornerCount = body->cornerCount,
                                  .corner = body->corner,
                                  .triangles = body->cornerCount ? body->cornerTriangles : NULL,
                                  .colors = scene->colors};
        for (int k = 0; k < 3; k++)
            looks[i].color[k] = scene->color[k];
        if (scene->character && !scene->painted) looks[i].character = &scene->character->character;
    }
    if (!status)
        status =
            snMotion_Write(sequence, looks, &request->motion, out, report, &cli->context, error);
    snArena_Destroy(&arena);
    return status;
}
