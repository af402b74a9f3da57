// Sizes from 5 cm to 500 m: which units are taken, what is measured, what follows from it.
#include "character/size.h"

#include "core/error.h"
#include "tests/test.h"

#include <string.h>

// A character of two triangles: one of the given height, perhaps skinned, one twice as high beside it.
typedef struct Two {
    snCharacter character;
    snVec3f positions[2][3];
    int triangles[3];
    snPart parts[2];
    snJoint joint;
    snSkin skin;
    int skinJoint;
    snAffine inverse;
    int joints[12];
    float weights[12];
} Two;

static void makeTwo(Two *two, double height, bool skinned)
{
    *two = (Two){.triangles = {0, 1, 2}, .inverse = snIdentityAffine()};
    for (int p = 0; p < 2; p++) {
        float h = (float)height * (float)(p + 1);
        two->positions[p][1] = (snVec3f){h / 4, 0, 0};
        two->positions[p][2] = (snVec3f){0, h, 0};
        two->parts[p] = (snPart){.skin = -1,
                                 .material = -1,
                                 .vertexCount = 3,
                                 .triangleCount = 1,
                                 .positions = two->positions[p],
                                 .triangles = two->triangles};
    }
    for (int v = 0; v < 3; v++)
        two->weights[4 * v] = 1;
    if (skinned) {
        two->skin = (snSkin){"", 1, &two->skinJoint, &two->inverse};
        two->parts[0].skin = 0;
        two->parts[0].influences = 4;
        two->parts[0].joints = two->joints;
        two->parts[0].weights = two->weights;
    }
    two->joint = (snJoint){.name = "", .parent = -1, .rest = {{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}}};
    two->character = (snCharacter){.skeleton = {1, &two->joint},
                                   .skinCount = skinned,
                                   .skins = &two->skin,
                                   .partCount = 2,
                                   .parts = two->parts,
                                   .vertexCount = 6,
                                   .triangleCount = 2};
}

static void unitsAreRecognised(void)
{
    static const struct {
        double height;
        const char *units;
        double metres;
    } cases[] = {
        {0.05, "metres", 0.05},     {0.3, "metres", 0.3},       {1.8, "metres", 1.8},
        {9.15, "metres", 9.15},     {16, "metres", 16},         {18, "centimetres", 0.18},
        {79, "centimetres", 0.79},  {160, "centimetres", 1.6},  {500, "centimetres", 5},
        {600, "millimetres", 0.6},  {1800, "millimetres", 1.8}, {500000, "millimetres", 500},
        {0.0018, "metres", 0.0018},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snContext context = snDefaultContext();
        Two two;
        snSize size;
        makeTwo(&two, cases[i].height, true);
        CHECK(snMeasureSize(&size, &two.character, &context, NULL) == SN_OK);
        CHECK_NEAR(size.height / cases[i].height, 1, 1e-6);
        CHECK_NEAR(size.height * size.unit / cases[i].metres, 1, 1e-6);
        CHECK(!strcmp(size.units, cases[i].units));
        CHECK_NEAR(snSize_Gravity(&size) * size.unit, 9.81, 1e-9);
    }
}

// Props beside the skinned body do not count, but are in the box; without a skin all counts.
static void theBodyIsMeasured(void)
{
    snContext context = snDefaultContext();
    Two two;
    snSize size;
    for (int skinned = 0; skinned < 2; skinned++) {
        makeTwo(&two, 1.5, skinned);
        CHECK(snMeasureSize(&size, &two.character, &context, NULL) == SN_OK);
        CHECK_NEAR(size.height, skinned ? 1.5 : 3, 1e-6);
        CHECK_NEAR(size.box.upper.y, 3, 1e-6);
    }
}

static void whatLiesFlat(void)
{
    snContext context = snDefaultContext();
    Two two;
    snSize size;
    makeTwo(&two, 2, false);
    for (int p = 0; p < 2; p++)
        two.positions[p][2] = (snVec3f){0, 0.001f, 2};
    CHECK(snMeasureSize(&size, &two.character, &context, NULL) == SN_OK);
    CHECK_NEAR(size.height, 2, 1e-6);
}

static void aGivenHeightDecides(void)
{
    snContext context = snDefaultContext();
    Two two;
    snSize size;
    makeTwo(&two, 160, true);
    CHECK(snMeasureSize(&size, &two.character, &context, NULL) == SN_OK);
    snSize_SetHeight(&size, 1.7);
    CHECK_NEAR(size.unit, 1.7 / 160, 1e-9);
    CHECK(!strcmp(size.units, ""));
    CHECK_NEAR(snSize_Pace(&size), 1, 1e-9);
    snSize_SetHeight(&size, 4 * 1.7);
    CHECK_NEAR(snSize_Pace(&size), 0.5, 1e-9); // four times as high: half as fast
    snSize_SetHeight(&size, 500);
    CHECK(snSize_Pace(&size) == 0.4);
    snSize_SetHeight(&size, 0.05);
    CHECK(snSize_Pace(&size) == 2.5);
}

static void nothingToMeasure(void)
{
    snContext context = snDefaultContext();
    snCharacter none = {0};
    snSize size;
    snError error = {0};
    CHECK(snMeasureSize(&size, &none, &context, &error) == SN_ERROR_GEOMETRY);
    Two two;
    makeTwo(&two, INFINITY, true);
    CHECK(snMeasureSize(&size, &two.character, &context, &error) == SN_ERROR_GEOMETRY);
    for (int n = 1; n < 4; n++) {
        snFailingMemory memory = {.failAtWay = n};
        snTest_UseFailingMemory(&context, &memory);
        makeTwo(&two, 1, true);
        snStatus status = snMeasureSize(&size, &two.character, &context, &error);
        CHECK(status == SN_OK || status == SN_ERROR_MEMORY);
        CHECK(memory.alive == 0);
    }
}

int main(void)
{
    RUN(unitsAreRecognised);
    RUN(theBodyIsMeasured);
    RUN(whatLiesFlat);
    RUN(aGivenHeightDecides);
    RUN(nothingToMeasure);
    return snTest_Finish();
}
