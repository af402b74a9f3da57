// Painted maps in flesh: softness in the cells' moduli, masks in what is seen.
#include "body/lattice/flesh_parts.h"

#include "core/core.h"
#include "core/error.h"
#include "tests/body/lattice/toys.h"

static snAttribute paints[2];

// Part 0 gets an attribute of one number, by a function of the place.
static void paint(Toy *toy, snArena *arena, const char *name, float (*value)(snVec3f p))
{
    snPart *part = &toy->parts[0];
    float *values = SN_NEW(arena, float, part->vertexCount);
    for (int v = 0; v < part->vertexCount; v++)
        values[v] = value(part->positions[v]);
    paints[0] = (snAttribute){name, 1, values};
    part->attributes = paints;
    part->attributeCount = 1;
}

static float zero(snVec3f p)
{
    return 0 * p.x;
}

static float half(snVec3f p)
{
    return 0.5f + 0 * p.x;
}

static float one(snVec3f p)
{
    return 1 + 0 * p.x;
}

static float rising(snVec3f p)
{
    return 0.5f * p.y; // the block is 2 high
}

static float upper(snVec3f p)
{
    return p.y > 1.2f ? 1.0f : 0.0f;
}

// A map that is the same all over multiplies every modulus by one factor.
static void evenSoftness(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    float (*maps[3])(snVec3f) = {zero, half, one};
    const double factors[3] = {4, 1, 0.25};
    Toy toy;
    makeToy(&toy, &arena);
    snFlesh *plain = build(&toy.character, snDefaultFleshDef());
    for (int i = 0; i < 3 && plain; i++) {
        snFleshDef def = snDefaultFleshDef();
        def.softness = "_SOFTNESS";
        paint(&toy, &arena, "_SOFTNESS", maps[i]);
        snFlesh *flesh = build(&toy.character, def);
        double worst = 0;
        for (int c = 0; flesh && c < flesh->lattice.cellCount; c++)
            worst = fmax(worst, fabs(flesh->young[c] / plain->young[c] / factors[i] - 1));
        CHECK(flesh && worst < 1e-12);
        snFlesh_Destroy(flesh);
    }
    snFlesh_Destroy(plain);
    snArena_Destroy(&arena);
}

// A map that rises upwards: the moduli fall that way, smoothly, within the range, near what it says.
static void risingSoftness(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    Toy toy;
    makeToy(&toy, &arena);
    snFlesh *plain = build(&toy.character, snDefaultFleshDef());
    snFleshDef def = snDefaultFleshDef();
    def.softness = "_SOFTNESS";
    def.softnessRange[0] = 0.1;
    def.softnessRange[1] = 10;
    paint(&toy, &arena, "_SOFTNESS", rising);
    snFlesh *flesh = build(&toy.character, def);
    double worst = 0;
    for (int c = 0; flesh && plain && c < flesh->lattice.cellCount; c++) {
        double factor = flesh->young[c] / plain->young[c], height = 0;
        for (int i = 0; i < 4; i++)
            height += flesh->lattice.rest[snLattice_Corners(&flesh->lattice, c)[i]].y / 4;
        double wanted =
            1 - height; // log10 of the factor; outer vertices have no more than the ends
        wanted = fmax(-1, fmin(1, wanted));
        CHECK(factor > 0.0999 && factor < 10.001);
        worst = fmax(worst, fabs(snLn(factor) / snLn(10) - wanted));
    }
    printf("    moduli follow a gradient of a hundred within a factor of %.2f\n",
           snExp(worst * snLn(10)));
    CHECK(worst < 0.3);
    snFlesh_Destroy(flesh);
    snFlesh_Destroy(plain);
    snArena_Destroy(&arena);
}

#define MOST_POINTS 512

// Where the mask is 0 every bit is the rig's; where it is 1 flesh moves.
static void maskedHalf(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snVec3f at[MOST_POINTS], rig[MOST_POINTS];
    Toy toy;
    makeToy(&toy, &arena);
    snFleshDef def = snDefaultFleshDef();
    def.mask = "mask"; // without the underscore and the capitals
    paint(&toy, &arena, "_MASK", upper);
    snFlesh *flesh = build(&toy.character, def);
    if (!flesh) return;
    double moved = 0;
    play(flesh, 0.4, at, rig);
    for (int v = 0; v < toy.parts[0].vertexCount; v++) {
        if (toy.parts[0].positions[v].y > 1.2f)
            moved = fmax(moved, snDistance(snFromF(at[v]), snFromF(rig[v])));
        else
            CHECK(!memcmp(&at[v], &rig[v], sizeof *at));
    }
    int masked = 0, free = 0;
    for (int v = 0; v < flesh->lattice.vertexCount; v++) {
        masked += snFlesh_IsMasked(flesh, v);
        free += !flesh->known[v];
        CHECK(!snFlesh_IsMasked(flesh, v) || flesh->known[v]);
    }
    printf("    the unmasked half moves by %.3f of 2; %d vertices masked, %d free\n", moved, masked,
           free);
    CHECK(moved > 0.005 && masked > 0 && free > 0);
    snFlesh_Destroy(flesh);
    snArena_Destroy(&arena);
}

// An even half of a mask: the same motion, of which half is seen.
static void evenMask(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snVec3f whole[MOST_POINTS], part[MOST_POINTS], rig[MOST_POINTS];
    Toy toy;
    makeToy(&toy, &arena);
    snFlesh *plain = build(&toy.character, snDefaultFleshDef());
    snFleshDef def = snDefaultFleshDef();
    def.mask = "_MASK";
    paint(&toy, &arena, "_MASK", half);
    snFlesh *flesh = build(&toy.character, def);
    if (!plain || !flesh) return;
    play(plain, 0.4, whole, rig);
    play(flesh, 0.4, part, rig);
    double moved = 0, worst = 0;
    for (int v = 0; v < toy.parts[0].vertexCount; v++) {
        snVec3 a = snSub(snFromF(whole[v]), snFromF(rig[v]));
        snVec3 b = snSub(snFromF(part[v]), snFromF(rig[v]));
        moved = fmax(moved, snLength(a));
        worst = fmax(worst, snLength(snSub(b, snScale(0.5, a))));
    }
    CHECK(moved > 0.005 && worst < 1e-6);
    snFlesh_Destroy(flesh);
    snFlesh_Destroy(plain);
    snArena_Destroy(&arena);
}

// Nothing is left to physics: it is the rig.
static void maskedWhole(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snVec3f at[MOST_POINTS], rig[MOST_POINTS];
    Toy toy;
    makeToy(&toy, &arena);
    snFleshDef def = snDefaultFleshDef();
    def.mask = "_MASK";
    paint(&toy, &arena, "_MASK", zero);
    snFlesh *flesh = build(&toy.character, def);
    if (!flesh) return;
    play(flesh, 0.3, at, rig);
    CHECK(!memcmp(at, rig, (size_t)toy.character.vertexCount * sizeof *at));
    snFlesh_Destroy(flesh);
    snArena_Destroy(&arena);
}

// Corners of the block are doubled: copies that were painted unlike have their mean, and stay together.
static void seams(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snVec3f at[MOST_POINTS], rig[MOST_POINTS];
    Toy toy;
    makeToy(&toy, &arena);
    snFleshDef def = snDefaultFleshDef();
    def.mask = "_MASK";
    paint(&toy, &arena, "_MASK", one);
    float *values = (float *)paints[0].values;
    for (int v = 0; v < toy.parts[0].vertexCount; v++)
        values[v] = (float)(v / (SIDE * SIDE) % 2); // by the face
    snFlesh *flesh = build(&toy.character, def);
    if (!flesh) return;
    play(flesh, 0.4, at, rig);
    double worst = 0;
    for (int v = 0; v < toy.parts[0].vertexCount; v++)
        for (int w = 0; w < v; w++)
            if (!memcmp(&rig[v], &rig[w], sizeof *rig))
                worst = fmax(worst, snDistance(snFromF(at[v]), snFromF(at[w])));
    CHECK(worst < 1e-6);
    snFlesh_Destroy(flesh);
    snArena_Destroy(&arena);
}

static void wrongMaps(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snError error = {0};
    snFlesh *flesh;
    Toy toy;
    makeToy(&toy, &arena);
    paint(&toy, &arena, "_SOFTNESS", rising);
    snFleshDef def = snDefaultFleshDef();
    def.cells = 60;
    def.softness = "_SOFTNES";
    CHECK(snFlesh_Build(&flesh, &toy.character, &def, &context, &error) == SN_ERROR_ARGUMENT);
    CHECK(strstr(error.message, "did you mean \"_SOFTNESS\"") != NULL);
    def.softness = "_SOFTNESS.g";
    CHECK(snFlesh_Build(&flesh, &toy.character, &def, &context, &error) == SN_ERROR_ARGUMENT);
    def.softness = "_SOFTNESS";
    def.softnessRange[1] = (double)NAN;
    CHECK(snFlesh_Build(&flesh, &toy.character, &def, &context, &error) == SN_ERROR_ARGUMENT);
    def.softnessRange[1] = 0;
    CHECK(snFlesh_Build(&flesh, &toy.character, &def, &context, &error) == SN_ERROR_ARGUMENT);
    snArena_Destroy(&arena);
}

// Every allocation of the stage fails in turn.
static void failingMemory(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    Toy toy;
    makeToy(&toy, &arena);
    paint(&toy, &arena, "_MASK", upper);
    snFlesh *flesh = build(&toy.character, snDefaultFleshDef());
    if (!flesh) return;
    flesh->def.mask = flesh->def.softness = "_MASK";
    for (int failAt = 1; failAt < 1000; failAt++) {
        snContext failing = snDefaultContext();
        snFailingMemory memory = {.failAtWay = failAt};
        snTest_UseFailingMemory(&failing, &memory);
        snArena scratch = snMakeArena(&failing), kept = flesh->arena;
        flesh->arena = snMakeArena(&failing);
        snStatus status = snFlesh_FindPaint(flesh, &scratch, &failing, NULL);
        snArena_Destroy(&flesh->arena);
        snArena_Destroy(&scratch);
        flesh->arena = kept;
        flesh->mask = flesh->softness = flesh->seen = NULL;
        CHECK(memory.alive == 0);
        if (status == SN_OK) break;
        CHECK(status == SN_ERROR_MEMORY);
    }
    snFlesh_Destroy(flesh);
    snArena_Destroy(&arena);
}

int main(void)
{
    RUN(evenSoftness);
    RUN(risingSoftness);
    RUN(maskedHalf);
    RUN(evenMask);
    RUN(maskedWhole);
    RUN(seams);
    RUN(wrongMaps);
    RUN(failingMemory);
    return snTest_Finish();
}
