// Left and right: parts that are mirror images of each other are found, and have one modulus where
// both swing nearly as they should with it, else each its own, which is nearer to moving alike
// (docs/decisions/0012-left-and-right.md).
#include "tests/test.h"

#include "asset/gltf.h"
#include "body/lattice/flesh_parts.h"
#include "core/core.h"
#include "core/elementary.h"
#include "demo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static snContext context;

typedef struct Sides {
    bool twins;       // they were found to be mirror images
    bool matched;     // and have one modulus
    double modulus;   // of the left by that of the right
    double frequency; // Hz, left
    double other;     // right
    double
        difference; // largest, between the left's motion and the mirrored right's; share of height
    double largest; // motion
} Sides;

// Where a part is beyond its rig, by the mean of its points.
static snVec3 meanOffset(const snFlesh *flesh, const snLatticeState *state, int part)
{
    const snWeightRows *skin = &flesh->skin;
    snVec3 sum = {0, 0, 0};
    double total = 0;
    for (int p = 0; p < flesh->character->vertexCount; p++) {
        double weight = 0;
        for (int k = skin->start[p]; k < skin->start[p + 1]; k++)
            if (flesh->swingOf[skin->column[k]] == part) weight += skin->weight[k];
        if (!(weight > 0)) continue;
        snVec3f soft = snFlesh_SoftPoint(flesh, state, (snVec3f){0, 0, 0}, p);
        sum = snMulAdd(sum, weight, snFromF(soft));
        total += weight;
    }
    return snScale(total > 0 ? 1 / total : 0, sum);
}

static int partAt(const snFlesh *flesh, int joint)
{
    for (int g = 0; g < flesh->swingCount; g++)
        if (flesh->swings[g].joint == joint) return g;
    return -1;
}

// The whole character is thrown up and forwards, twice: a motion that is its own mirror image.
static void bounce(const snFlesh *flesh, const int part[2], Sides *sides)
{
    const snCharacter *c = flesh->character;
    snArena arena = snMakeArena(&context);
    snLatticeState *state;
    snFleshDriver driver;
    snPose pose;
    CHECK(snLatticeState_Make(&state, flesh->model, 1, &context, NULL) == SN_OK);
    CHECK(snPose_Make(&pose, &c->skeleton, c->morphCount, &arena, NULL) == SN_OK);
    CHECK(snFleshDriver_Make(&driver, flesh, &arena, NULL) == SN_OK);
    for (int step = 0; step <= 120; step++) {
        double throw = step < 80 ? 0.1 * flesh->height * snSin(2 * SN_PI * step / 40.0) : 0;
        snCharacter_Pose(c, NULL, 0, &pose);
        for (int j = 0; j < c->skeleton.jointCount; j++)
            pose.global[j].origin = snMulAdd(pose.global[j].origin, throw, snVec(0, 1, 0.5));
        snLatticeDrive drive = snFlesh_Drive(flesh, &pose, &driver);
        if (!step) snLatticeState_Start(flesh->model, state, drive.rig, NULL);
        CHECK(snFlesh_Step(flesh, state, &drive));
        snVec3 left = meanOffset(flesh, state, part[0]), right = meanOffset(flesh, state, part[1]);
        right.x = -right.x;
        sides->difference = fmax(sides->difference, snDistance(left, right) / flesh->height);
        sides->largest = fmax(sides->largest, snLength(left) / flesh->height);
    }
    snLatticeState_Destroy(state);
    snArena_Destroy(&arena);
}

typedef struct Pair {
    const snCharacter *character;
    const char *name[2];
    int cells;
    double factor[2]; // on the moduli that were found; 0: none
    double wobble[2]; // Hz; 0: as they have by their names
} Pair;

static int addRules(const Pair *pair, snFleshRule *rules)
{
    int count = 0;
    for (int k = 0; k < 2; k++) {
        snFleshRule *rule = &rules[count++];
        *rule = (snFleshRule){.part = pair->name[k], .set = SN_RULE_FREE | SN_RULE_HOLD};
        rule->free = true;
        rule->wobble = pair->wobble[k];
        if (rule->wobble > 0) rule->set |= SN_RULE_WOBBLE;
        rule->stiffness = pair->factor[k];
        if (rule->stiffness > 0) rule->set |= SN_RULE_STIFFNESS;
    }
    return count;
}

static void findParts(const Pair *pair, const snFlesh *flesh, int part[2])
{
    const snSkeleton *skeleton = &pair->character->skeleton;
    part[0] = part[1] = -1;
    for (int j = 0; j < skeleton->jointCount; j++)
        for (int k = 0; k < 2; k++)
            if (!strcmp(skeleton->joints[j].name, pair->name[k])) part[k] = partAt(flesh, j);
}

static bool foundTwins(const snFlesh *flesh, const int part[2])
{
    snArena arena = snMakeArena(&context);
    int *twins = SN_NEW(&arena, int, flesh->swingCount);
    bool good = CHECK(twins && snFlesh_FindTwins(flesh, twins, &arena, NULL) == SN_OK);
    bool found = good && twins[part[0]] == part[1] && twins[part[1]] == part[0];
    CHECK(!good || twins[0] == -1);
    snArena_Destroy(&arena);
    return found;
}

static Sides measure(const Pair *pair)
{
    snFleshDef def = snDefaultFleshDef();
    snFleshRule rules[2];
    snFlesh *flesh = NULL;
    Sides sides = {0};
    int part[2];
    def.cells = pair->cells;
    def.rules = rules;
    def.ruleCount = addRules(pair, rules);
    if (!CHECK(snFlesh_Build(&flesh, pair->character, &def, &context, NULL) == SN_OK)) return sides;
    findParts(pair, flesh, part);
    if (CHECK(part[0] > 0 && part[1] > 0)) {
        const snSwingPart *left = &flesh->swings[part[0]], *right = &flesh->swings[part[1]];
        sides.twins = foundTwins(flesh, part);
        sides.matched = left->twin == part[1] && right->twin == part[0];
        sides.modulus = left->scale / right->scale;
        sides.frequency = left->found;
        sides.other = right->found;
        bounce(flesh, part, &sides);
    }
    snFlesh_Destroy(flesh);
    return sides;
}

static void tell(const char *what, const Pair *pair, const Sides *sides)
{
    printf("%-10s %4d cells: moduli %.2f to 1, %.2f and %.2f Hz; left and right differ by %.2f of "
           "%.2f %% of the height\n",
           what, pair->cells, sides->modulus, sides->frequency, sides->other,
           100 * sides->difference, 100 * sides->largest);
}

// Mirror images whose moduli would differ little have one.
static void checkMatched(const char *what, Pair pair, double wanted)
{
    Sides sides = measure(&pair);
    tell(what, &pair, &sides);
    CHECK(sides.twins && sides.matched && sides.modulus == 1);
    CHECK(fabs(sides.frequency / wanted - 1) < 0.055 && fabs(sides.other / wanted - 1) < 0.055);
    CHECK_NEAR(sides.frequency * sides.other / (wanted * wanted), 1, 0.015); // one up, one down
    CHECK(sides.difference < 0.35 * sides.largest);
}

// Mirror images for which one modulus would be wrong by much keep their own: they swing at one
// frequency, and move more alike than with one modulus.
static void checkApart(const char *what, Pair pair, double wanted)
{
    Sides own = measure(&pair);
    tell(what, &pair, &own);
    CHECK(own.twins && !own.matched);
    CHECK(own.modulus > 1.2 || own.modulus < 1 / 1.2);
    CHECK_NEAR(own.frequency, wanted, 0.01 * wanted);
    CHECK_NEAR(own.other, wanted, 0.01 * wanted);
    pair.factor[0] = 1 / sqrt(own.modulus);
    pair.factor[1] = sqrt(own.modulus);
    Sides one = measure(&pair);
    printf("%-10s with one modulus they differ by %.2f\n", "", 100 * one.difference);
    CHECK(own.difference < one.difference);
}

static void earsOfTheDemo(void)
{
    snCharacter demo = {0};
    if (!CHECK(snDemo_Make(&demo, &context, NULL) == SN_OK)) return;
    Pair pair = {.character = &demo, .name = {"ear_L_1", "ear_R_1"}};
    pair.cells = 1400;
    checkMatched("demo", pair, 5);
    pair.cells = 2000;
    checkApart("demo", pair, 5);
    // Other things are wanted of them, or they are no pair at all.
    pair.cells = 500;
    pair.wobble[0] = 6;
    Sides sides = measure(&pair);
    CHECK(!sides.twins && !sides.matched);
    pair = (Pair){.character = &demo, .name = {"ear_L_1", "leg_FR_upper"}, .cells = 500};
    CHECK(!measure(&pair).twins);
    snCharacter_Destroy(&demo);
}

static bool readAsset(snCharacter *character, const char *file)
{
    size_t size;
    unsigned char *bytes = snTest_Asset(file, &size);
    if (!bytes) {
        printf("%s is not here\n", file);
        return false;
    }
    snGltfSource source = {.bytes = bytes, .size = size};
    bool good = CHECK(snGltf_Read(character, &source, &context, NULL) == SN_OK);
    free(bytes);
    return good;
}

static void legsOfCowAndFox(void)
{
    snCharacter cow, fox;
    if (!readAsset(&cow, "Cow.glb")) return;
    Pair legs = {.character = &cow, .name = {"FrontUpperLeg.L", "FrontUpperLeg.R"}};
    legs.cells = 1000;
    checkApart("Cow", legs, 4);
    legs.cells = 2000;
    checkMatched("Cow", legs, 4);
    snCharacter_Destroy(&cow);
    if (!readAsset(&fox, "Fox.glb")) return;
    legs = (Pair){.character = &fox, .name = {"b_LeftUpperArm_09", "b_RightUpperArm_06"}};
    legs.cells = 1000;
    checkMatched("Fox", legs, 4);
    snCharacter_Destroy(&fox);
}

int main(void)
{
    context = snDefaultContext();
    RUN(earsOfTheDemo);
    RUN(legsOfCowAndFox);
    return snTest_Finish();
}
