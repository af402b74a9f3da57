// A script with a goal: an arm of jelly reaches for a peg, takes hold of it, waits, and lets go.
//     cc goal.c $(pkg-config --cflags --libs sinew) -o goal && ./goal
#include <sinew/sinew.h>

#include <stdio.h>
#include <string.h>

static const char scene[] =
    "{\"sinew\": \"scene\", \"version\": 1, \"stepsPerSecond\": 120, \"duration\": 3,"
    " \"bodies\": [{\"name\": \"arm\", \"box\": {\"size\": [0.1, 0.8, 0.1], \"cells\": [1, 6, 1]},"
    "   \"quadrature\": 1, \"place\": [0, 0.4, 0],"
    "   \"material\": {\"young\": \"200 kPa\", \"density\": 500, \"damping\": \"10 ms\"}}],"
    " \"attachments\": [{\"body\": \"arm\", \"within\": {\"upper\": [1, -0.39, 1]}}],"
    " \"points\": [{\"name\": \"hand\", \"body\": \"arm\", \"point\": [0, 0.4, 0]},"
    "   {\"name\": \"peg\", \"place\": [0.3, 0.7, 0]}],"
    " \"scripts\": [{\"name\": \"reach\", \"goals\": ["
    "   {\"name\": \"grab\", \"do\": \"grab\", \"point\": \"hand\", \"target\": \"peg\", \"time\": "
    "\"0.6 s\"},"
    "   {\"name\": \"hang on\", \"do\": \"wait\", \"time\": \"0.5 s\"},"
    "   {\"name\": \"let go\", \"do\": \"disconnect\", \"point\": \"hand\", \"target\": "
    "\"peg\"}]}]}";

int main(void)
{
    snContext context = snDefaultContext();
    snError error = {SN_OK, ""};
    snWorld *world;
    int64_t seen = 0;
    if (snWorld_Load(&world, scene, strlen(scene), NULL, &context, &error)) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    while (snWorld_Time(world) < 3 && snWorld_ScriptState(world, 0) == SN_SCRIPT_RUNS) {
        snWorldEvent event;
        snWorld_Step(world);
        for (; snWorld_ReadEvent(world, seen, &event); seen++)
            printf("%s: %s, %.2f to %.2f s%s%s\n", event.script, event.goal, event.begin, event.end,
                   event.failure ? ", failed: " : "", event.failure ? event.failure : "");
    }
    bool done = snWorld_ScriptState(world, 0) == SN_SCRIPT_DONE;
    printf("%s after %.2f s\n", done ? "done" : "not done", snWorld_Time(world));
    snWorld_Free(world);
    return !done;
}
