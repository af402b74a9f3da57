// Loads a character, gives it flesh, and steps it through a clip. Build it against the installed
// library:
//     cc step.c $(pkg-config --cflags --libs sinew) -o step && ./step fox.glb
#include "read_file.h"

#include <sinew/sinew.h>

#include <stdio.h>
#include <stdlib.h>

int main(int count, char **arguments)
{
    snContext context = snDefaultContext();
    snError error = {SN_OK, ""};
    snCharacter *character = NULL;
    snActor *actor = NULL;
    size_t size = 0;
    void *bytes = count > 1 ? readFile(arguments[1], &size) : NULL;
    if (!bytes) {
        fprintf(stderr, "usage: step CHARACTER.glb [CLIP]\n");
        return 2;
    }
    snActorDef def = snDefaultActorDef();
    def.cells = 500;
    if (snCharacter_Load(&character, bytes, size, &context, &error) ||
        snActor_Make(&actor, character, &def, &context, &error)) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    int clip = count > 2 ? snCharacter_FindClip(character, arguments[2]) : 0;
    if (clip < 0 || clip >= snCharacter_ClipCount(character)) {
        fprintf(stderr, "no such clip\n");
        return 1;
    }
    int vertices = snCharacter_VertexCount(character);
    float *positions = malloc((size_t)vertices * 3 * sizeof(float));
    double duration = snCharacter_ClipDuration(character, clip), most = 0;
    int steps = (int)(duration / def.step);
    snActor_Start(actor, clip, 0);
    for (int k = 1; k <= steps; k++) {
        snActor_Step(actor, clip, k * def.step);
        snActor_ReadPositions(actor, positions, 3 * sizeof(float)); // hand them to the renderer
        if (snActor_Offset(actor) > most) most = snActor_Offset(actor);
    }
    printf("%s: %d vertices, %d steps of %.4f s; flesh went up to %.1f %% of the height from its "
           "rig\n",
           snCharacter_ClipName(character, clip), vertices, steps, def.step, 100 * most);
    free(positions);
    free(bytes);
    snActor_Destroy(actor);
    snCharacter_Free(character);
    return 0;
}
