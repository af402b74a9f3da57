// Drops a stack of soft bodies on a floor and says how they come to rest. Build it against the installed library:
//     cc drop.c $(pkg-config --cflags --libs sinew) -o drop && ./drop
#include <sinew/sinew.h>

#include <stdio.h>
#include <string.h>

// Any scene does (docs/scene.md); a game would read it from a file, or write the text as it goes.
static const char scene[] =
    "{\"sinew\": \"scene\", \"version\": 1, \"stepsPerSecond\": 120, \"duration\": 2,"
    " \"bodies\": ["
    "  {\"name\": \"jelly\", \"box\": {\"size\": [0.4, 0.2, 0.3], \"cells\": [4, 2, 3]},"
    "   \"quadrature\": 1, \"place\": [0, 0.5, 0],"
    "   \"material\": {\"young\": \"15 kPa\", \"density\": 1000, \"damping\": \"8 ms\"}},"
    "  {\"name\": \"ball\", \"sphere\": {\"radius\": 0.15}, \"poly\": {\"order\": 2},"
    "   \"place\": [1, 0.8, 0], \"spin\": [0, 0, -4],"
    "   \"material\": {\"young\": \"40 kPa\", \"density\": 600, \"damping\": \"8 ms\"}}],"
    " \"colliders\": [{\"kind\": \"floor\", \"friction\": 0.6}]}";

int main(void)
{
    snContext context = snDefaultContext();
    snError error = {SN_OK, ""};
    snWorld *world;
    if (snWorld_Load(&world, scene, strlen(scene), NULL, &context, &error)) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    const double velocity[3] = {0.5, 0, 0}, spin[3] = {0, 0, 0};
    snWorld_Throw(world, snWorld_FindBody(world, "jelly"), velocity, spin);
    while (snWorld_Time(world) < 2) {
        snWorld_Step(world);
        // here a game reads the surfaces: see surfaces.c
    }
    for (int b = 0; b < snWorld_BodyCount(world); b++) {
        snWorldReport report;
        snWorld_ReadReport(world, b, &report);
        printf("%s: %.1f kg, centre %.2f m high, %.3f J of motion left, %.1f mm deep at most\n",
               snWorld_BodyName(world, b), report.mass, report.center[1], report.kinetic,
               1e3 * report.deepest);
    }
    printf("state %016llx\n", (unsigned long long)snWorld_Hash(world)); // the same on every run
    snWorld_Free(world);
    return 0;
}
