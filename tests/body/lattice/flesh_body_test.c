// Flesh as a body of a world, where building it goes wrong, and its surface at rest. More in tests/world.
#include "body/lattice/flesh_body.h"
#include "tests/body/lattice/toys.h"

static snContext context;
static Toy toy;
static snFlesh *flesh;

static snFleshBodyDef toyDef(void)
{
    snFleshBodyDef def = snDefaultFleshBodyDef();
    def.flesh = flesh;
    def.clip = 0;
    def.solid.name = "toy";
    def.solid.meets = def.solid.tied = true;
    return def;
}

static void memoryMayRunOut(void)
{
    bool made = false;
    int n = 1;
    for (; n < 2000 && !made; n++) {
        snContext failing = snDefaultContext();
        snFailingMemory memory = {.failAtWay = n};
        snTest_UseFailingMemory(&failing, &memory);
        snFleshBodyDef def = toyDef();
        snBody *body = NULL;
        made = snFleshBody_Make(&body, &def, &failing, NULL) == SN_OK;
        CHECK(made == (body != NULL));
        snBody_Destroy(body);
        CHECK(memory.alive == 0);
    }
    printf("    %d allocations\n", n - 2);
    CHECK(made);
}

// At the clip's first pose: where the character's surface is, the stage and all.
static void standsWhereItIsPut(void)
{
    snFleshBodyDef def = toyDef();
    snBody *body = NULL;
    snError error = {0};
    CHECK(snFleshBody_Make(&body, &def, &context, &error) == SN_OK);
    snAffine place = {snQuatToMat(snQuatFromAxisAngle(snVec(0, 1, 0), 0.5)), snVec(1, 2, 3)};
    snBody_Put(body, &place);
    CHECK(body->vertexCount == toy.character.vertexCount);
    double worst = 0;
    for (int v = 0; v < body->vertexCount; v++)
        worst =
            fmax(worst, snDistance(snBody_Vertex(body, v), snMulAP(place, body->restSurface[v])));
    printf("    %.1e m\n", worst);
    CHECK(worst < 1e-5);
    snBody_Destroy(body);
}

int main(void)
{
    context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snFleshDef def = snDefaultFleshDef();
    snError error = {0};
    makeToy(&toy, &arena);
    def.cells = 40;
    if (snFlesh_Build(&flesh, &toy.character, &def, &context, &error))
        printf("%s\n", error.message);
    RUN(memoryMayRunOut);
    RUN(standsWhereItIsPut);
    snFlesh_Destroy(flesh);
    snArena_Destroy(&arena);
    return snTest_Finish();
}
