// What the pieces of docs/programmers.md speak of without saying where it comes from.
#include <sinew/sinew.h>

typedef struct Vertex {
    float position[3];
} Vertex;
static snCharacter *character;
static snActor *actor;
static snWorld *world;
static snError error;
static snContext context;
static snFileHook files;
static snSurfaceBuffer buffer;
static const char *text, *bytes;
static size_t size;
static int clip, body;
static void *engine;
static float *vertices;

// Of the frame before.
static double secondsOfTheLastStep, eye[3];
static snDetailRange range;
static snCrowd *crowd;
