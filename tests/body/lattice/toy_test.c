// Bodies without a skin and rigid parts that sit in flesh: what leads a toy, what anchors hold, how it
// falls, and which meshes that hang on joints are taken along.
#include "body/lattice/flesh.h"

#include "character/borrow.h"
#include "core/elementary.h"
#include "core/error.h"
#include "tests/body/lattice/toys.h"

#include <stdio.h>
#include <string.h>

// The largest distance from the rig of the vertices of part 0 with y in a range.
static double strayed(const snCharacter *c, const snVec3f *at, const snVec3f *rig, double low,
                      double high)
{
    double worst = 0;
    for (int v = 0; v < c->parts[0].vertexCount; v++) {
        double y = (double)c->parts[0].positions[v].y;
        if (y >= low && y <= high) worst = fmax(worst, snDistance(snFromF(at[v]), snFromF(rig[v])));
    }
    return worst;
}

static void theMiddleLeads(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snVec3f at[12 * SIDE * SIDE], rig[12 * SIDE * SIDE];
    Toy toy;
    makeToy(&toy, &arena);
    snFlesh *flesh = build(&toy.character, snDefaultFleshDef());
    if (flesh) {
        CHECK(flesh->carried[0] == SN_PART_BODY && flesh->carried[1] == SN_PART_OTHER);
        CHECK_NEAR(flesh->height, 2, 1e-6); // without the stage
        CHECK(flesh->boneCount == 1 && flesh->coreCount == 1 && !flesh->loose);
        CHECK(snWinding_Inside(flesh->winding, flesh->bones[0].head));
        CHECK(!flesh->joints[0].free && flesh->swingCount == 1); // a bear has no ear here
        CHECK_NEAR(flesh->swings[0].found, flesh->def.wobble, 0.05);
        play(flesh, 0.6, at, rig);
        CHECK(strayed(&toy.character, at, rig, 0, 2) > 0.005);
        CHECK(strayed(&toy.character, at, rig, 0, 2) < 0.3);
        int other = toy.parts[0].vertexCount;
        CHECK(!memcmp(at + other, rig + other, (size_t)other * sizeof *at));
        play(flesh, 12, at, rig); // long after the motion it is where the artist has it
        CHECK(strayed(&toy.character, at, rig, 0, 2) < 1e-5);
    }
    snFlesh_Destroy(flesh);
    snArena_Destroy(&arena);
}

static void anchorsHold(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snVec3f at[12 * SIDE * SIDE], rig[12 * SIDE * SIDE];
    snBox bottom = {{-1e9, -1e9, -1e9}, {1e9, 0.25, 1e9}};
    snFleshDef def = snDefaultFleshDef();
    Toy toy;
    makeToy(&toy, &arena);
    def.anchorCount = 1;
    def.anchors = &bottom;
    snFlesh *flesh = build(&toy.character, def);
    if (flesh) {
        CHECK(!flesh->loose);
        play(flesh, 0.6, at, rig);
        double low = strayed(&toy.character, at, rig, 0, 0.1);
        double top = strayed(&toy.character, at, rig, 1.9, 2);
        printf("    bottom %.4f, top %.4f\n", low, top);
        CHECK(top > 0.02 && low < 0.2 * top);
    }
    snFlesh_Destroy(flesh);
    snError error = {0};
    bottom.upper.y = -50; // holds nothing
    flesh = NULL;
    CHECK(snFlesh_Build(&flesh, &toy.character, &def, &context, &error) == SN_ERROR_ARGUMENT);
    CHECK(strstr(error.message, "anchor 1") != NULL);
    snArena_Destroy(&arena);
}

// Nothing holds it: it falls as points with drag do, v' = -g - c v, whole and unstrained.
static void whatIsFreeFalls(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snVec3f at[12 * SIDE * SIDE], rig[12 * SIDE * SIDE];
    snFleshDef def = snDefaultFleshDef();
    Toy toy;
    makeToy(&toy, &arena);
    toy.character.clipCount = 0;
    toy.character.partCount = 1;
    toy.character.vertexCount /= 2;
    toy.character.triangleCount /= 2;
    def.motion = SN_MOTION_FULL;
    def.gravity = snVec(0, -9.81, 0);
    snFlesh *flesh = build(&toy.character, def);
    if (flesh) {
        double c = def.massDamping, t = 0.5, g = 9.81;
        CHECK(flesh->loose && flesh->joints[0].free);
        play(flesh, t, at, rig);
        double fallen = g / c * (t - (1 - snExp(-c * t)) / c), extent = 0;
        for (int v = 0; v < toy.character.vertexCount; v++) {
            CHECK_NEAR((double)(rig[v].y - at[v].y), fallen, 0.04 * fallen);
            extent = fmax(extent, fabs((double)(at[v].x - rig[v].x)));
        }
        CHECK(extent < 1e-6);
    }
    snFlesh_Destroy(flesh);
    snArena_Destroy(&arena);
}

// ---- rigid parts in flesh ----

// A block of 1 x 4 x 1 bound to a chain of three joints; on the last one hang an eye that sits half in
// its front, and a sword that stands out.
typedef struct Knight {
    snCharacter rigged;
    snPart parts[3];
} Knight;

static snStatus makeKnight(Knight *knight, snArena *arena, const snContext *context, snError *error)
{
    snJoint own = {.name = "root", .parent = -1, .rest = none}, joints[3];
    snPart part;
    snCharacter bare = {.skeleton = {1, &own}, .partCount = 1, .parts = &part};
    makeBlock(&part, arena, snVec(-0.5, 0, -0.5), snVec(0.5, 4, 0.5));
    bare.vertexCount = part.vertexCount;
    bare.triangleCount = part.triangleCount;
    for (int j = 0; j < 3; j++) {
        joints[j] = (snJoint){.name = j == 2 ? "top"
                                      : j    ? "middle"
                                             : "low",
                              .parent = j - 1,
                              .rest = none};
        joints[j].rest.translation = snVec(0, j ? 1.4 : 0.4, 0);
    }
    int list[3] = {0, 1, 2};
    snAffine inverse[3] = {snIdentityAffine(), snIdentityAffine(), snIdentityAffine()};
    snSkin skin = {"", 3, list, inverse};
    snCharacter other = {.skeleton = {3, joints}, .skinCount = 1, .skins = &skin};
    snBorrowDef def = snDefaultBorrowDef();
    snBorrowReport report;
    snSolid solid;
    def.scale = 1;
    def.hasOffset = true;
    snStatus status = snSolid_FromCharacter(&solid, &bare, arena, error);
    if (!status)
        status = snBorrowRig(&knight->rigged, &bare, &solid, &other, &def, &report, context, error);
    if (status) return status;
    snCharacter *c = &knight->rigged;
    knight->parts[0] = c->parts[0];
    makeBlock(&knight->parts[1], arena, snVec(-0.1, 0.2, 0.42), snVec(0.1, 0.4, 0.51));
    makeBlock(&knight->parts[2], arena, snVec(0.2, 0, 0.3), snVec(0.3, 0.1, 3));
    knight->parts[1].node = knight->parts[2].node = 3;
    c->parts = knight->parts;
    c->partCount = 3;
    c->vertexCount *= 3;
    c->triangleCount *= 3;
    return SN_OK;
}

static void eyesAreTakenAlongSwordsAreNot(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    Knight knight;
    snError error = {0};
    snVec3f at[18 * SIDE * SIDE], rig[18 * SIDE * SIDE];
    if (!CHECK(makeKnight(&knight, &arena, &context, &error) == SN_OK)) {
        printf("    %s\n", error.message);
        snArena_Destroy(&arena);
        return;
    }
    float times[16], moves[48] = {0};
    for (int k = 0; k < 16; k++) {
        times[k] = (float)k / 15;
        moves[3 * k] = (float)(0.5 * snSin(2 * SN_PI * k / 7.5));
    }
    snChannel channel = {0, SN_PATH_TRANSLATION, SN_LINEAR, 16, 3, times, moves};
    snClip clip = {.name = "shake", .duration = 1, .channelCount = 1, .channels = &channel};
    knight.rigged.clips = &clip;
    knight.rigged.clipCount = 1;
    snFleshDef def = snDefaultFleshDef();
    def.wobble = 2;
    snFlesh *flesh = build(&knight.rigged, def);
    if (flesh) {
        int n = knight.parts[0].vertexCount;
        CHECK(flesh->carried[0] == SN_PART_BODY);
        CHECK(flesh->carried[1] == SN_PART_TAKEN && flesh->carried[2] == SN_PART_OTHER);
        CHECK_NEAR(flesh->height, 4, 1e-5);
        play(flesh, 0.3, at, rig);
        double least = 1e9, most = 0; // of the skin around the eye
        for (int v = 0; v < n; v++) {
            if (!((double)rig[v].y > 2.9 && (double)rig[v].z > 0.4)) continue;
            double d = snDistance(snFromF(at[v]), snFromF(rig[v]));
            least = fmin(least, d);
            most = fmax(most, d);
        }
        printf("    the skin around the eye goes by %.4f to %.4f\n", least, most);
        CHECK(most > 0.05);
        for (int v = n; v < 2 * n; v++) {
            double d = snDistance(snFromF(at[v]), snFromF(rig[v]));
            CHECK(d >= least && d <= most);
        }
        CHECK(!memcmp(at + 2 * n, rig + 2 * n, (size_t)n * sizeof *at)); // the sword is rigid
    }
    snFlesh_Destroy(flesh);
    snCharacter_Destroy(&knight.rigged);
    snArena_Destroy(&arena);
}

static void everyAllocationMayFail(void)
{
    snContext plain = snDefaultContext();
    snArena arena = snMakeArena(&plain);
    Toy toy;
    makeToy(&toy, &arena);
    bool built = false;
    for (int n = 1; n < 4000 && !built; n += n < 200 ? 1 : 7) {
        snContext context = snDefaultContext();
        snFailingMemory memory = {.failAtWay = n};
        snTest_UseFailingMemory(&context, &memory);
        snFleshDef def = snDefaultFleshDef();
        snFlesh *flesh = NULL;
        def.cells = 60;
        snStatus status = snFlesh_Build(&flesh, &toy.character, &def, &context, NULL);
        CHECK(status == SN_OK || status == SN_ERROR_MEMORY);
        built = status == SN_OK;
        snFlesh_Destroy(flesh);
        CHECK(memory.alive == 0);
    }
    CHECK(built);
    snArena_Destroy(&arena);
}

int main(void)
{
    RUN(theMiddleLeads);
    RUN(anchorsHold);
    RUN(whatIsFreeFalls);
    RUN(eyesAreTakenAlongSwordsAreNot);
    RUN(everyAllocationMayFail);
    return snTest_Finish();
}
