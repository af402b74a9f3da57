// Surfaces of bodies of every model, put together from weights and control points as a GPU would do it, are those that are read: at first, in
// motion, teleported, and on the way to a coarser level.
#include "tests/layered/made.h"

#include "tests/api/posed.h"

#include <math.h>

// A coat, a limp character, a skin over flesh, layered characters as they are and drawn smooth, and a solid with smooth limits.
static const char zoo[] =
    "{\"sinew\": \"scene\", \"version\": 1, \"stepsPerSecond\": 120, \"duration\": 1,"
    " \"bodies\": [{\"name\": \"nail\", \"coat\": {\"file\": \"nail.coat.json\"}, \"place\": [3, "
    "1, 0]},"
    "  {\"name\": \"limp\", \"character\": {\"file\": \"calf.glb\", \"clip\": \"walk\", \"cells\": "
    "40,"
    "    \"skeleton\": {\"bones\": 0.1, \"strength\": 0, \"hand\": 0, \"damping\": 5}}, \"place\": "
    "[0, 0, 3]},"
    "  {\"name\": \"flesh\", \"capsule\": {\"radius\": \"14 cm\", \"length\": \"22 cm\", "
    "\"cells\": 60},"
    "    \"material\": {\"young\": \"25 kPa\"}, \"place\": [0, 2, 0]},"
    "  {\"name\": \"skin\", \"skin\": {\"over\": \"flesh\", \"cell\": \"8 cm\", \"fat\": \"6 "
    "mm\"}},"
    "  {\"name\": \"bare\", \"layered\": {\"file\": \"figure.json\", \"smooth\": 0}, \"place\": "
    "[-3, 1, 0]},"
    "  {\"name\": \"smooth\", \"layered\": {\"file\": \"figure.json\", \"smooth\": 2}, \"place\": "
    "[-6, 1, 0]},"
    "  {\"name\": \"round\", \"box\": {\"size\": [0.4, 0.3, 0.3], \"cells\": [2, 1, 1]}, "
    "\"scheme\":"
    "    \"maccracken-joy\", \"material\": {\"young\": \"20 kPa\"}, \"place\": [0, 4, 0]}],"
    " \"colliders\": [{\"kind\": \"floor\", \"friction\": 0.5}]}";

static snContext context;
static snBytes figure;

static const void *openZoo(void *user, const char *path, size_t *size)
{
    char whole[600];
    if (!strcmp(path, "calf.glb")) return openDemo(user, path, size);
    if (!strcmp(path, "figure.json")) {
        *size = figure.size;
        return figure.data;
    }
    snprintf(whole, sizeof whole, "%s/examples/scenes/%s", SN_SOURCE_DIR, path);
    return snTest_ReadFile(whole, size);
}

static void closeZoo(void *user, const void *bytes)
{
    (void)user;
    if (bytes != demoBytes.data && bytes != figure.data) free((void *)(uintptr_t)bytes);
}

// What is handed out of a body once, and each frame.
typedef struct Carried {
    int width, controlCount, vertices;
    int *index;
    float *weight, *controls, *points;
} Carried;

static Carried readOnce(snWorld *world, int body)
{
    Carried c = {.width = snWorld_EmbeddingWidth(world, body),
                 .controlCount = snWorld_ControlCount(world, body),
                 .vertices = snWorld_VertexCount(world, body)};
    size_t entries = (size_t)c.vertices * (size_t)c.width;
    c.index = malloc(entries * sizeof *c.index);
    c.weight = malloc(entries * sizeof *c.weight);
    c.controls = malloc((size_t)c.controlCount * 16);
    c.points = malloc((size_t)c.vertices * 12);
    snWorld_ReadEmbedding(world, body, c.index, c.weight);
    return c;
}

static void freeCarried(Carried *c)
{
    free(c->index);
    free(c->weight);
    free(c->controls);
    free(c->points);
}

// How far what is put together is from what is read, at most, as a share of the surface's size.
static double missOf(snWorld *world, int body, Carried *c)
{
    snSurfaceBuffer buffer = {.positions = c->points};
    double most = 0, low[3] = {1e9, 1e9, 1e9}, high[3] = {-1e9, -1e9, -1e9};
    snWorld_ReadControls(world, body, c->controls, 16);
    snWorld_ReadSurface(world, body, &buffer);
    for (int v = 0; v < c->vertices; v++)
        for (int a = 0; a < 3; a++) {
            float sum = 0; // as a shader adds it up
            for (int k = v * c->width; k < (v + 1) * c->width; k++)
                sum += c->weight[k] * c->controls[4 * c->index[k] + a];
            double is = (double)c->points[3 * v + a];
            most = fmax(most, fabs((double)sum - is));
            low[a] = fmin(low[a], is);
            high[a] = fmax(high[a], is);
        }
    return most / hypot(hypot(high[0] - low[0], high[1] - low[1]), high[2] - low[2]);
}

static void checkAll(snWorld *world)
{
    const snPlacement motion = {{0.5, 0.3, -0.4}, {0, 0.6, 0, 0.8}};
    snError error = {0};
    for (int b = 0; b < snWorld_BodyCount(world); b++) {
        Carried c = readOnce(world, b);
        double first = missOf(world, b, &c), moving = 0;
        for (int k = 0; k < 3; k++) {
            snWorld_Step(world);
            moving = fmax(moving, missOf(world, b, &c));
        }
        CHECK(snWorld_Teleport(world, b, &motion, false, &error) == SN_OK);
        double carried = missOf(world, b, &c), coarser = 0;
        snWorld_SetBodyLevel(world, b, 2);
        for (int k = 0; k < (snWorld_BodyLevelCount(world, b) > 1 ? 20 : 2); k++) {
            snWorld_Step(world);
            if (k % 4 == 1) coarser = fmax(coarser, missOf(world, b, &c));
        }
        snWorld_SetBodyLevel(world, b, 0);
        printf("%s: %d controls for %d vertices, %d wide; off by %.1e, %.1e moving, %.1e "
               "teleported, %.1e coarser\n",
               snWorld_BodyName(world, b), c.controlCount, c.vertices, c.width, first, moving,
               carried, coarser);
        CHECK(c.width > 0 && first < 1e-5 && moving < 1e-5 && carried < 1e-5 && coarser < 1e-5);
        freeCarried(&c);
    }
}

static void charactersAndSolids(void)
{
    snWorld *world = makePosedWorld(&context);
    checkAll(world);
    snWorld_Free(world);
}

static void coatsSkinsAndLimpOnes(void)
{
    const snFileHook files = {openZoo, closeZoo, NULL};
    snError error = {0};
    snWorld *world;
    if (snWorld_Load(&world, zoo, strlen(zoo), &files, &context, &error)) failLoudly(&error);
    checkAll(world);
    snWorld_Free(world);
}

int main(void)
{
    context = snDefaultContext();
    snCharacter *calf = makeCalf(&context);
    snEditor editor = makeEditor(FIGURE);
    figure = snMakeBytes(&context);
    snLayered_Write(&editor.layered, &figure);
    snEditor_Destroy(&editor);
    RUN(charactersAndSolids);
    RUN(coatsSkinsAndLimpOnes);
    snCharacter_Free(calf);
    snBytes_Destroy(&figure);
    snBytes_Destroy(&demoBytes);
    return snTest_Finish();
}
