// A crowd of one character, its surfaces with normals read into the program's own vertices: what a renderer draws.
//     cc surfaces.c $(pkg-config --cflags --libs sinew) -o surfaces && ./surfaces fox.glb
#include "read_file.h"

#include <sinew/sinew.h>

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

enum { MEMBERS = 16, FRAMES = 30 };

typedef struct Vertex { // as the program's shaders want it
    float position[3];
    unsigned color;
    float normal[3];
    float uv[2];
} Vertex;

int main(int count, char **arguments)
{
    snContext context = snDefaultContext();
    snError error = {SN_OK, ""};
    snCharacter *character = NULL;
    snCrowd *crowd = NULL;
    size_t size = 0;
    void *bytes = count > 1 ? readFile(arguments[1], &size) : NULL;
    if (!bytes) {
        fprintf(stderr, "usage: surfaces CHARACTER.glb\n");
        return 2;
    }
    snCrowdDef def = snDefaultCrowdDef();
    def.members = MEMBERS;
    if (snCharacter_Load(&character, bytes, size, &context, &error) ||
        snCrowd_Make(&crowd, character, &def, &context, &error)) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    for (int m = 0; m < MEMBERS; m++) { // four rows of four, each in its own time
        snPlacement place = {{2.0 * (m % 4), 0, 2.0 * (m / 4)}, {0, 0, 0, 1}};
        snCrowd_Play(crowd, m, 0, 0.1 * m, 1);
        snCrowd_Teleport(crowd, m, &place);
        snCrowd_Start(crowd, m);
    }
    size_t vertices = (size_t)snCharacter_VertexCount(character);
    Vertex *buffer = calloc(MEMBERS * vertices, sizeof *buffer); // colours and uv are the program's
    snSurfaceBuffer surfaces = {.positions = buffer[0].position,
                                .positionStride = sizeof *buffer,
                                .normals = buffer[0].normal,
                                .normalStride = sizeof *buffer,
                                .memberStride = vertices * sizeof *buffer};
    for (int frame = 0; frame < FRAMES; frame++)
        snCrowd_Step(crowd, 2, &surfaces); // 1/30 s, then all surfaces
    double most = 0;
    for (int m = 0; m < MEMBERS; m++)
        most = snCrowd_Offset(crowd, m) > most ? snCrowd_Offset(crowd, m) : most;
    const Vertex *last = &buffer[MEMBERS * vertices - 1];
    printf("%d members of %zu vertices, %zu KiB each; flesh is up to %.1f %% of the height from "
           "its rig\n",
           MEMBERS, vertices, snCrowd_BytesPerMember(crowd) / 1024, 100 * most);
    printf("the last vertex is at %.2f %.2f %.2f, its normal %.2f %.2f %.2f\n",
           (double)last->position[0], (double)last->position[1], (double)last->position[2],
           (double)last->normal[0], (double)last->normal[1], (double)last->normal[2]);
    free(buffer);
    free(bytes);
    snCrowd_Destroy(crowd);
    snCharacter_Free(character);
    return 0;
}
