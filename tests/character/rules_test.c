// Parts by name, pattern, number, word and tissue; what rules make of them.
#include "tests/test.h"

#include "character/rules.h"
#include "core/core.h"

#include <stdio.h>
#include <string.h>

// A small animal: parents before children.
static snJoint joints[] = {
    {.name = "root", .parent = -1},    {.name = "Spine", .parent = 0},
    {.name = "Head", .parent = 1},     {.name = "ear_L_1", .parent = 2},
    {.name = "ear_L_2", .parent = 3},  {.name = "ear_R_1", .parent = 2},
    {.name = "Horn", .parent = 2},     {.name = "b_Tail01", .parent = 0},
    {.name = "bone.004", .parent = 7}, {.name = "belly", .parent = 1},
    {.name = "", .parent = 1},         {.name = "twin", .parent = 1},
    {.name = "twin", .parent = 1},     {.name = "gear", .parent = 1},
};
#define JOINTS ((int)(sizeof joints / sizeof *joints))
static const snSkeleton skeleton = {JOINTS, joints};

static bool partIs(const char *part, const char *expected)
{
    unsigned char in[JOINTS];
    char found[JOINTS + 1] = {0};
    snSkeleton_FindPart(&skeleton, part, in);
    for (int j = 0; j < JOINTS; j++)
        found[j] = in[j] ? 'x' : '.';
    if (!strcmp(found, expected)) return true;
    printf("%s is %s, not %s\n", part, found, expected);
    return false;
}

static void partsAreFound(void)
{
    CHECK(partIs("Head", "..xxxxx.......")); // with everything below it
    CHECK(partIs("ear_L*", "...xx........."));
    CHECK(partIs("*_1", "...xxx........"));
    CHECK(partIs("*", "xxxxxxxxxxxxxx"));
    CHECK(partIs("#10", "..........x..."));
    CHECK(partIs("ear", "...xxx........")); // not gear
    CHECK(partIs("horn", "......x......."));
    CHECK(partIs("head", "..x...........")); // ears and horn tell something else
    CHECK(partIs("tail", ".......xx.....")); // bone.004 tells nothing
    CHECK(partIs("hard", "......x.......")); // a kind of tissue
    CHECK(partIs("soft", ".........x...."));
    CHECK(partIs("twin", "...........xx."));
    CHECK(partIs("nose", ".............."));
    CHECK(partIs("", ".............."));
    CHECK(partIs("#", ".............."));
    CHECK(partIs("#99999999999", ".............."));
    CHECK(partIs("*a*a*a*a*a*a*a*a*a*a*", ".............."));
}

static void labelsAreUnique(void)
{
    char text[SN_JOINT_LABEL];
    CHECK(!strcmp(snSkeleton_Label(&skeleton, 1, text), "Spine"));
    CHECK(!strcmp(snSkeleton_Label(&skeleton, 10, text), "#10"));
    CHECK(!strcmp(snSkeleton_Label(&skeleton, 12, text), "#12"));
    for (int j = 0; j < JOINTS; j++) {
        unsigned char in[JOINTS];
        CHECK(snSkeleton_FindPart(&skeleton, snSkeleton_Label(&skeleton, j, text), in) && in[j]);
    }
}

static snStatus resolve(const snFleshRule *rules, int count, snJointFlesh *out, snError *error)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snFleshRulesDef def = {.skeleton = &skeleton,
                           .ruleCount = count,
                           .rules = rules,
                           .pace = 1,
                           .twist = 12,
                           .twistRadius = 0.4};
    snStatus status = snFleshRules_Resolve(&def, out, &arena, error);
    snArena_Destroy(&arena);
    return status;
}

static void laterRulesWin(void)
{
    snJointFlesh flesh[JOINTS];
    CHECK(resolve(NULL, 0, flesh, NULL) == SN_OK);
    CHECK(flesh[3].free && flesh[3].wobble == 5 && flesh[3].twist == 0);
    CHECK(!flesh[1].free && flesh[1].wobble == 0 && flesh[1].twist == 12);
    const snFleshRule rules[] = {
        {.part = "Head", .set = SN_RULE_WOBBLE, .wobble = 9},
        {.part = "ear", .set = SN_RULE_WOBBLE | SN_RULE_HOLD, .wobble = 6, .hold = 1},
        {.part = "ear_R*", .set = SN_RULE_FREE, .free = false},
        {.part = "horn", .set = SN_RULE_SUBSTANCE, .substance = snSubstance_Find("horn")},
        {.part = "Spine", .set = SN_RULE_STIFFNESS, .stiffness = 2},
        {.part = "belly", .set = SN_RULE_FREE, .free = true},
        {.part = "tail", .set = SN_RULE_FREE, .free = false},
    };
    CHECK(resolve(rules, 7, flesh, NULL) == SN_OK);
    CHECK(flesh[2].wobble == 9 && flesh[6].wobble == 9);
    CHECK(flesh[3].wobble == 6 && flesh[3].hold == 1 && flesh[3].free);
    CHECK(flesh[5].wobble == 6 && !flesh[5].free);
    CHECK_NEAR(flesh[6].relative, 1000, 1);
    CHECK(flesh[2].stiffness == 2 && flesh[0].stiffness == 1);
    CHECK(flesh[9].free && flesh[9].wobble > 0 && flesh[9].hold > 0); // like a tail
    CHECK(!flesh[7].free && flesh[7].wobble == 0 && flesh[7].hold == 0 && flesh[7].drag == 0);
    CHECK(flesh[7].relative > 0);
}

static void badRulesAreNamed(void)
{
    snJointFlesh flesh[JOINTS];
    snError error = {0};
    snFleshRule rule = {.part = "Hed", .set = SN_RULE_WOBBLE, .wobble = 4};
    CHECK(resolve(&rule, 1, flesh, &error) == SN_ERROR_ARGUMENT);
    CHECK(strstr(error.message, "\"Hed\"") && strstr(error.message, "\"Head\"") &&
          strstr(error.message, "Spine"));
    rule.part = "hron";
    CHECK(resolve(&rule, 1, flesh, &error) == SN_ERROR_ARGUMENT);
    CHECK(strstr(error.message, "orn\""));
    rule.part =
        "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz";
    CHECK(resolve(&rule, 1, flesh, &error) == SN_ERROR_ARGUMENT);
    double bad[] = {-0.5, -1, 1e9, 0.0 / 0.0};
    for (int i = 0; i < 4; i++) {
        rule = (snFleshRule){.part = "Head", .set = SN_RULE_WOBBLE, .wobble = bad[i]};
        CHECK(resolve(&rule, 1, flesh, &error) == SN_ERROR_ARGUMENT);
        rule = (snFleshRule){.part = "Head", .set = SN_RULE_STIFFNESS, .stiffness = bad[i]};
        CHECK(resolve(&rule, 1, flesh, &error) == SN_ERROR_ARGUMENT);
    }
}

static void presetsAreInOrder(void)
{
    int count;
    const snSubstance *list = snSubstances(&count);
    CHECK(count == 7 && snSubstance_Stiffness(&list[0]) == 1);
    for (int i = 0; i < count; i++)
        CHECK(snSubstance_Find(list[i].name) == &list[i] && list[i].poisson < 0.5);
    CHECK(snSubstance_Find("fat")->wobble < snSubstance_Find("muscle")->wobble);
    CHECK(snSubstance_Find("steel") == NULL);
    snFeels(&count);
    CHECK(count == 3 && snFeel_Find("cartoon")->pace < snFeel_Find("subtle")->pace);
    CHECK(snFeel_Find("sad") == NULL);
}

int main(void)
{
    RUN(partsAreFound);
    RUN(labelsAreUnique);
    RUN(laterRulesWin);
    RUN(badRulesAreNamed);
    RUN(presetsAreInOrder);
    return snTest_Finish();
}
