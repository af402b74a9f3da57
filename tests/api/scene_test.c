// Scenes by definitions: the world is that of the same scene as text, to the bit; meshes are arrays; holds and fields act; what is wrong is named.
#include "sinew/scene.h"

#include "tests/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static snWorld *build(const snSceneDef *def)
{
    snContext context = snDefaultContext();
    snError error = {SN_OK, ""};
    snWorld *world;
    if (!CHECK(snWorld_Build(&world, def, NULL, &context, &error) == SN_OK))
        printf("  %s\n", error.message);
    return world;
}

// A tetrahedron, as arrays.
static const float corners[12] = {-0.2f, 0, -0.2f, 0.2f, 0, -0.2f, 0, 0, 0.25f, 0, 0.35f, 0};
static const int faces[12] = {0, 1, 2, 0, 3, 1, 1, 3, 2, 2, 3, 0};

static snSceneDef makeScene(void)
{
    static snBodyDef bodies[4];
    static snColliderDef colliders[2];
    static snHoldDef holds[2];
    snSceneDef scene = snDefaultSceneDef();
    for (int i = 0; i < 4; i++)
        bodies[i] = snDefaultBodyDef();
    bodies[0].place.position[1] = 0.3;
    bodies[0].spin[1] = 3;
    bodies[1].name = "ball";
    bodies[1].model = SN_MODEL_POLY;
    bodies[1].shape.kind = SN_FORM_BALL;
    bodies[1].place.position[0] = 1;
    bodies[1].place.position[1] = 0.5;
    bodies[2].shape = (snFormDef){.kind = SN_FORM_MESH,
                                  .vertexCount = 4,
                                  .triangleCount = 4,
                                  .positions = corners,
                                  .triangles = faces};
    bodies[2].cells = 30;
    bodies[2].place.position[0] = -1;
    bodies[2].place.position[1] = 0.2;
    bodies[3].shape.size[0] = 0.2;
    bodies[3].place.position[1] = 1.2;
    colliders[0] = snDefaultColliderDef();
    colliders[1] = snDefaultColliderDef();
    colliders[1].name = "wall";
    colliders[1].shape.kind = SN_FORM_BOX;
    colliders[1].place.position[0] = 3;
    holds[0] = holds[1] = snDefaultHoldDef();
    holds[0].body = 3;
    holds[0].point[1] = 0.15;
    holds[1].name = "rope";
    holds[1].body = 0;
    holds[1].other = 3;
    holds[1].stiffness = 50;
    scene.bodies = bodies;
    scene.bodyCount = 4;
    scene.colliders = colliders;
    scene.colliderCount = 2;
    scene.holds = holds;
    scene.holdCount = 2;
    return scene;
}

static void fallsAndHolds(void)
{
    snSceneDef def = makeScene();
    snWorld *world = build(&def);
    if (!world) return;
    CHECK(snWorld_BodyCount(world) == 4 && snWorld_FindBody(world, "ball") == 1);
    CHECK(snWorld_FindBody(world, "body 2") == 2 && snWorld_FindCollider(world, "wall") == 1);
    for (int k = 0; k < 240; k++)
        snWorld_Step(world);
    snWorldReport r[4];
    for (int b = 0; b < 4; b++)
        snWorld_ReadReport(world, b, &r[b]);
    printf("heights %.3f %.3f %.3f %.3f m\n", r[0].center[1], r[1].center[1], r[2].center[1],
           r[3].center[1]);
    CHECK(fabs(r[1].center[1] - 0.15) < 0.02);                          // lies on the floor
    CHECK(fabs(r[2].mass - 1000 * 0.35 * 0.09 / 3) < 0.05 * r[2].mass); // a pyramid of 0.09 m²
    CHECK(r[2].center[1] > 0.03 && r[2].center[1] < 0.15);
    CHECK(r[3].center[1] > 0.9); // hangs
    snWorld_Free(world);
}

// Surfaces that are carried by weights and control points are those that are read.
static void carriedByWeights(void)
{
    snSceneDef def = makeScene();
    snWorld *world = build(&def);
    if (!world) return;
    for (int k = 0; k < 40; k++)
        snWorld_Step(world);
    for (int b = 0; b < 4; b++) {
        int width = snWorld_EmbeddingWidth(world, b), count = snWorld_ControlCount(world, b);
        int vertices = snWorld_VertexCount(world, b);
        int *index = malloc((size_t)(vertices * width) * sizeof *index);
        float *weight = malloc((size_t)(vertices * width) * sizeof *weight);
        float *controls = malloc((size_t)count * 16), *points = malloc((size_t)vertices * 12);
        snSurfaceBuffer buffer = {.positions = points};
        snWorld_ReadEmbedding(world, b, index, weight);
        snWorld_ReadControls(world, b, controls, 16);
        snWorld_ReadSurface(world, b, &buffer);
        double most = 0;
        for (int v = 0; v < vertices; v++)
            for (int a = 0; a < 3; a++) {
                double sum = 0;
                for (int k = v * width; k < (v + 1) * width; k++)
                    sum += (double)weight[k] * (double)controls[4 * index[k] + a];
                most = fmax(most, fabs(sum - (double)points[3 * v + a]));
            }
        printf("%s: %d controls for %d vertices, %d wide, off by %.1e m\n",
               snWorld_BodyName(world, b), count, vertices, width, most);
        CHECK(width > 0 && most < 2e-6);
        free(index);
        free(weight);
        free(controls);
        free(points);
    }
    double eye[3] = {0, 0, 0};
    uint64_t hash = snWorld_Hash(world);
    snWorld_ChooseDetail(world, eye, &(snDetailRange){1, 5, 0});
    CHECK(snWorld_LevelCount(world) == 1 && snWorld_Hash(world) == hash); // none has others
    snWorld_Free(world);
}

static void asItsText(void)
{
    snContext context = snDefaultContext();
    snSceneDef def = makeScene();
    def.bodyCount = 2;
    def.holdCount = 0;
    snFieldDef wind = snDefaultFieldDef();
    wind.kind = SN_FIELD_TURBULENCE;
    wind.strength = 5;
    def.fields = &wind;
    def.fieldCount = 1;
    def.still = 1e-3;
    char *text;
    size_t size;
    snError error = {SN_OK, ""};
    CHECK(snWorld_WriteScene(&def, &text, &size, &context, &error) == SN_OK);
    CHECK(strlen(text) == size && strstr(text, "\"turbulence\"") && strstr(text, "\"sleep\""));
    snWorld *a = build(&def), *b;
    CHECK(snWorld_Load(&b, text, size, NULL, &context, &error) == SN_OK);
    for (int k = 0; k < 60; k++) {
        snWorld_Step(a);
        snWorld_Step(b);
    }
    CHECK(snWorld_Hash(a) == snWorld_Hash(b));
    context.allocator.release(context.allocator.user, text);
    snWorld_Free(a);
    snWorld_Free(b);
}

static void namesWhatIsWrong(void)
{
    snContext context = snDefaultContext();
    snSceneDef def = makeScene();
    snBodyDef *bodies = (snBodyDef *)def.bodies;
    snError error = {SN_OK, ""};
    snWorld *world;
    bodies[1].young = -1;
    CHECK(snWorld_Build(&world, &def, NULL, &context, &error) != SN_OK && !world);
    CHECK(strstr(error.message, "bodies[1].material.young") != NULL);
    bodies[1].young = 1e5;
    bodies[2].model = SN_MODEL_CHARACTER;
    bodies[2].file = "fox.glb";
    CHECK(snWorld_Build(&world, &def, NULL, &context, &error) != SN_OK);
    CHECK(strstr(error.message, "bodies[2].character.file") != NULL);
    bodies[2].model = SN_MODEL_SKIN;
    bodies[2].over = 7;
    CHECK(snWorld_Build(&world, &def, NULL, &context, &error) != SN_OK);
    CHECK(strstr(error.message, "bodies[2].skin.over") != NULL);
}

int main(void)
{
    RUN(fallsAndHolds);
    RUN(carriedByWeights);
    RUN(asItsText);
    RUN(namesWhatIsWrong);
    return snTest_Finish();
}
