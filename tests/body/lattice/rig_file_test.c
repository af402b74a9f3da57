// Lattices and rig documents: exact round trips, and what is wrong is named by its path.
#include "tests/test.h"

#include "body/lattice/lattice_file.h"
#include "body/lattice/rig_file.h"
#include "core/core.h"
#include "tests/body/lattice/sharp_blocks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static snJoint joints[] = {{.name = "root", .parent = -1},
                           {.name = "Spine", .parent = 0},
                           {.name = "ear_L", .parent = 1},
                           {.name = "twin", .parent = 1},
                           {.name = "twin", .parent = 1}};
static const snSkeleton skeleton = {5, joints};

static snStatus readText(const char *text, snRigFile *file, snError *error)
{
    snContext context = snDefaultContext();
    snFleshDef base = snDefaultFleshDef();
    return snRigFile_Read(file, text, strlen(text), &skeleton, &base, &context, error);
}

// All three kinds of cells, with numbers that have no short decimal form.
static void latticesComeBackExactly(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    unsigned char boundary[96];
    snLattice lattice = makeMixed(boundary, 0.15, &arena), again;
    lattice.joint[3] = 1, lattice.joint[4] = 1, lattice.joint[7] = 4;
    snSharp sharp = *mixedSharp(&arena);
    int face[2][4] = {{0, 1, 7, -1}, {3, 4, 28, 27}}; // of a prism, of a hexahedron
    sharp.face = face;
    sharp.faceCount = 2;
    lattice.sharp = &sharp;
    snBytes bytes = snMakeBytes(&context);
    snJsonWriter w = snMakeJsonWriter(&bytes, true);
    snJson json;
    bool strict;
    snLattice_WriteJson(&lattice, true, &skeleton, &w);
    CHECK(snJson_Parse(&json, (const char *)bytes.data, bytes.size, &arena, NULL) == SN_OK);
    CHECK(snLattice_ReadJson(&again, &strict, &json, json.root, &skeleton, &arena, &context,
                             NULL) == SN_OK);
    CHECK(strict && again.vertexCount == lattice.vertexCount);
    CHECK(again.cellCount == lattice.cellCount);
    CHECK(!memcmp(again.rest, lattice.rest, sizeof(snVec3) * (size_t)lattice.vertexCount));
    CHECK(!memcmp(again.joint, lattice.joint, sizeof(int) * (size_t)lattice.vertexCount));
    CHECK(!memcmp(again.corners, lattice.corners,
                  sizeof(int) * (size_t)lattice.cellStart[lattice.cellCount]));
    const snSharp *back = again.sharp;
    CHECK(back && back->edgeCount == 6 && back->cornerCount == 1 && back->faceCount == 2);
    CHECK(!memcmp(back->edge, sharp.edge, sizeof *sharp.edge * 6));
    CHECK(back->corner[0] == sharp.corner[0] && !memcmp(back->face, face, sizeof face));
    snBytes_Destroy(&bytes);
    snArena_Destroy(&arena);
}

static void sectionsAreRead(void)
{
    snRigFile file;
    snError error = {0};
    CHECK(readText("{\"sinew\":\"rig\",\"version\":1}", &file, &error) == SN_OK);
    CHECK(!file.hasLattice && file.ruleCount == 0 && file.def.lattice == NULL);
    snRigFile_Destroy(&file);
    const char *text = "{\"sinew\":\"rig\",\"version\":1,"
                       "\"defaults\":{\"feel\":\"cartoon\",\"wobble\":5,\"cells\":300},"
                       "\"parts\":{\"ear\":{\"wobble\":6,\"free\":false},"
                       "\"Sp*\":{\"material\":\"fat\",\"stiffness\":2,\"hold\":1,\"drag\":-1},"
                       "\"root\":{\"material\":null,\"twist\":3,\"twistRadius\":0.1}}}";
    CHECK(readText(text, &file, &error) == SN_OK);
    CHECK(file.def.wobble == 5 && file.def.cells == 300 && file.def.amplitude > 1);
    CHECK(file.ruleCount == 3 && file.def.ruleCount == 3 && file.def.rules == file.rules);
    CHECK(!strcmp(file.rules[0].part, "ear") && file.rules[0].wobble == 6);
    CHECK(file.rules[0].set == (SN_RULE_WOBBLE | SN_RULE_FREE) && !file.rules[0].free);
    CHECK(file.rules[1].substance == snSubstance_Find("fat") && file.rules[1].drag == -1);
    CHECK(file.rules[2].set == (SN_RULE_SUBSTANCE | SN_RULE_TWIST | SN_RULE_TWIST_RADIUS));
    snRigFile_Destroy(&file);
}

#define HEAD "{\"sinew\":\"rig\",\"version\":1,"
#define TET "\"vertices\":[[0,0,0],[1,0,0],[0,1,0],[0,0,1],[0,0,-1]],"

// Each number of the defaults by itself: read as it stands, the ends of its range too, and refused beyond them.
static void everyDefaultIsRead(void)
{
    static const struct {
        const char *key;
        double least, most, below, above;
        size_t at;
    } numbers[] = {
        {"wobble", 0.1, 100, 0.05, 101, offsetof(snFleshDef, wobble)},
        {"damping", 0, 1000, -1, 1001, offsetof(snFleshDef, massDamping)},
        {"strainDamping", 0, 10, -0.001, 10.5, offsetof(snFleshDef, stiffnessDamping)},
        {"poisson", 0, 0.499, -0.1, 0.5, offsetof(snFleshDef, poisson)},
        {"twist", 0, 1000, -1, 1001, offsetof(snFleshDef, twist)},
        {"twistRadius", 0, 100, -1, 101, offsetof(snFleshDef, twistRadius)},
        {"pace", 0.01, 100, 0, 101, offsetof(snFleshDef, pace)},
        {"amplitude", 0, 100, -1, 101, offsetof(snFleshDef, amplitude)},
        {"spacing", 0, 5, -1, 1e31, offsetof(snFleshDef, spacing)},
    };
    snRigFile file;
    snError error = {0};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        for (int k = 0; k < 4; k++) {
            const double values[] = {numbers[i].least, numbers[i].most, numbers[i].below,
                                     numbers[i].above};
            char text[200], path[60];
            snprintf(text, sizeof text, HEAD "\"defaults\":{\"%s\":%.17g}}", numbers[i].key,
                     values[k]);
            snprintf(path, sizeof path, "defaults.%s: ", numbers[i].key);
            snStatus status = readText(text, &file, &error);
            if (!CHECK((status == SN_OK) == (k < 2))) printf("    %s\n", text);
            if (status) CHECK(!strncmp(error.message, path, strlen(path)));
            if (!status) {
                double is;
                memcpy(&is, (const char *)&file.def + numbers[i].at, sizeof is);
                CHECK(is == values[k]);
                snRigFile_Destroy(&file);
            }
        }
    CHECK(readText(HEAD "\"defaults\":{\"softnessMap\":\"COLOR_0.r\",\"softnessRange\":[0.5,3],"
                        "\"mask\":\"COLOR_0.g\"}}",
                   &file, &error) == SN_OK);
    CHECK(!strcmp(file.def.softness, "COLOR_0.r") && !strcmp(file.def.mask, "COLOR_0.g"));
    CHECK(file.def.softnessRange[0] == 0.5 && file.def.softnessRange[1] == 3);
    snRigFile_Destroy(&file);
    static const char *const wrong[][2] = {
        {"\"softnessMap\":3", "defaults.softnessMap: "},
        {"\"mask\":[]", "defaults.mask: "},
        {"\"softnessRange\":[1]", "defaults.softnessRange"},
        {"\"softnessRange\":3", "defaults.softnessRange"},
        {"\"cells\":19", "defaults.cells: "},
        {"\"cells\":200001", "defaults.cells: "},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char text[200];
        snprintf(text, sizeof text, HEAD "\"defaults\":{%s}}", wrong[i][0]);
        CHECK(readText(text, &file, &error) != SN_OK);
        if (!CHECK(!strncmp(error.message, wrong[i][1], strlen(wrong[i][1]))))
            printf("    %s\n", error.message);
    }
}

static void everyNumberOfPartsIsRead(void)
{
    static const struct {
        const char *key;
        double least, most, below, above;
        unsigned bit;
        size_t at;
    } numbers[] = {
        {"wobble", 0, 1000, -1, 1001, SN_RULE_WOBBLE, offsetof(snFleshRule, wobble)},
        {"stiffness", 1e-6, 1e6, 0, 2e6, SN_RULE_STIFFNESS, offsetof(snFleshRule, stiffness)},
        {"hold", 0, 1000, -1, 1001, SN_RULE_HOLD, offsetof(snFleshRule, hold)},
        {"drag", -1000, 1000, -1001, 1001, SN_RULE_DRAG, offsetof(snFleshRule, drag)},
        {"twist", 0, 1000, -1, 1001, SN_RULE_TWIST, offsetof(snFleshRule, twist)},
        {"twistRadius", 0, 100, -1, 101, SN_RULE_TWIST_RADIUS, offsetof(snFleshRule, twistRadius)},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        for (int k = 0; k < 4; k++) {
            const double values[] = {numbers[i].least, numbers[i].most, numbers[i].below,
                                     numbers[i].above};
            char text[200], path[60];
            snRigFile file;
            snError error = {0};
            snprintf(text, sizeof text, HEAD "\"parts\":{\"ear\":{\"%s\":%.17g}}}", numbers[i].key,
                     values[k]);
            snprintf(path, sizeof path, "parts.ear.%s: ", numbers[i].key);
            snStatus status = readText(text, &file, &error);
            if (!CHECK((status == SN_OK) == (k < 2))) printf("    %s\n", text);
            if (status) CHECK(!strncmp(error.message, path, strlen(path)));
            if (!status) {
                double is;
                memcpy(&is, (const char *)&file.rules[0] + numbers[i].at, sizeof is);
                CHECK(is == values[k] && file.rules[0].set == numbers[i].bit);
                snRigFile_Destroy(&file);
            }
        }
}

static void mistakesAreNamed(void)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "JSON"},
        {"[]", "no rig document"},
        {"{\"sinew\":\"skeleton\"}", "no rig document"},
        {"{\"sinew\":\"rig\"}", "version"},
        {"{\"sinew\":\"rig\",\"version\":2}", "version 2"},
        {HEAD "\"lattise\":{}}", "did you mean \"lattice\"?"},
        {HEAD "\"defaults\":{\"woble\":3}}",
         "defaults: there is nothing called \"woble\"; did you mean "
         "\"wobble\"?"},
        {HEAD "\"defaults\":{\"wobble\":-3}}", "defaults.wobble"},
        {HEAD "\"defaults\":{\"wobble\":\"3\"}}", "defaults.wobble"},
        {HEAD "\"defaults\":{\"feel\":\"sad\"}}", "defaults.feel"},
        {HEAD "\"defaults\":[]}", "defaults"},
        {HEAD "\"parts\":{\"ear\":3}}", "parts.ear"},
        {HEAD "\"parts\":{\"ear\":{\"material\":\"hron\"}}}", "did you mean \"horn\"?"},
        {HEAD "\"parts\":{\"ear\":{\"stifness\":1}}}", "did you mean \"stiffness\"?"},
        {HEAD "\"parts\":{\"ear\":{\"free\":1}}}", "parts.ear.free"},
        {HEAD "\"lattice\":{}}", "'vertices' is missing"},
        {HEAD "\"lattice\":{\"vertices\":[[0,0]],\"cells\":[]}}", "there is no cell"},
        {HEAD "\"lattice\":{\"vertices\":[[0,0]],\"cells\":[[0,0,0,0]]}}", "lattice.vertices[0]"},
        {HEAD "\"lattice\":{" TET "\"cells\":[[0,1,2]]}}", "lattice.cells[0]: a cell is"},
        {HEAD "\"lattice\":{" TET "\"cells\":[[0,1,2,9]]}}", "lattice.cells[0][3]"},
        {HEAD "\"lattice\":{" TET "\"cells\":[[0,1,2,2]]}}", "vertex 2 twice"},
        {HEAD "\"lattice\":{" TET "\"cells\":[[0,1,2,3],[0,1,2,4]]}}",
         "lattice.cells[1]: flat or inverted at corner 0"},
        {HEAD "\"lattice\":{" TET "\"cells\":[[0,1,2,3],[0,1,2,3]]}}", "same side"},
        {HEAD "\"lattice\":{" TET "\"cells\":[[0,1,2,3]],\"joints\":{\"Spne\":[0]}}}",
         "did you mean \"Spine\"?"},
        {HEAD "\"lattice\":{" TET "\"cells\":[[0,1,2,3]],\"joints\":{\"twin\":[0]}}}", "2 joints"},
        {HEAD "\"lattice\":{" TET "\"cells\":[[0,1,2,3]],\"joints\":{\"Spine\":[7]}}}",
         "lattice.joints.Spine[0]"},
        {HEAD "\"lattice\":{" TET "\"cells\":[[0,1,2,3]],\"joints\":{\"Spine\":[1],\"#4\":[1]}}}",
         "already"},
        {HEAD "\"lattice\":{" TET "\"cells\":[[0,1,2,3]],\"joints\":{}}}",
         "lattice.joints: no vertex is on a bone"},
        {HEAD "\"lattice\":{" TET "\"cells\":[[0,1,2,3]],\"joints\":{\"Spine\":[]}}}",
         "lattice.joints: no vertex is on a bone"},
        {HEAD "\"parts\":{},\"parts\":{}}", "(document): \"parts\" is there twice"},
        {HEAD "\"defaults\":{\"wobble\":3,\"wobble\":4}}", "defaults: \"wobble\" is there twice"},
        {HEAD "\"parts\":{\"ear\":{\"hold\":3},\"e\\u0061r\":{}}}",
         "parts: \"ear\" is there twice"},
        {HEAD "\"parts\":{\"ear\":{\"free\":true,\"free\":true}}}",
         "parts.ear: \"free\" is there twice"},
        {HEAD "\"lattice\":{" TET
              "\"cells\":[[0,1,2,3]],\"joints\":{\"Spine\":[0],\"root\":[1],\"Spine\":[2]}}}",
         "lattice.joints: \"Spine\" is there twice"},
        {HEAD "\"lattice\":{" TET "\"cells\":[[0,1,2,3]],\"sharp\":{\"edge\":[]}}}",
         "lattice.sharp: there is nothing called \"edge\"; did you mean \"edges\"?"},
        {HEAD "\"lattice\":{" TET "\"cells\":[[0,1,2,3]],\"sharp\":{\"edges\":[[0,1,2]]}}}",
         "lattice.sharp.edges[0]: a sharp edge is a list of two"},
        {HEAD "\"lattice\":{" TET "\"cells\":[[0,1,2,3]],\"sharp\":{\"edges\":[[0,1],[0,4]]}}}",
         "lattice.sharp.edges[1]: the lattice has no edge from vertex 0 to 4"},
        {HEAD "\"lattice\":{" TET "\"cells\":[[0,1,2,3]],\"sharp\":{\"corners\":[-1]}}}",
         "lattice.sharp.corners[0]"},
        {HEAD "\"lattice\":{" TET "\"cells\":[[0,1,2,3]],\"sharp\":{\"faces\":[[0,1]]}}}",
         "lattice.sharp.faces[0]: a sharp face is a list of 3 or 4"},
        {HEAD "\"lattice\":{" TET "\"cells\":[[0,1,2,3]],\"sharp\":{\"faces\":[[0,1,4]]}}}",
         "lattice.sharp.faces[0]: the lattice has no face of vertices 0, 1, 4"},
        {HEAD "\"character\":\"fox\"}", "there is nothing called \"character\""},
        {HEAD "\"lattice\":{" TET "\"cells\":[[0,1,2,3]],\"edges\":[]}}",
         "lattice: there is nothing called \"edges\""},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        snRigFile file;
        snError error = {0};
        if (!CHECK(readText(cases[i].text, &file, &error) != SN_OK) ||
            !CHECK(strstr(error.message, cases[i].message)))
            printf("%s\n  said: %s\n  not: %s\n", cases[i].text, error.message, cases[i].message);
    }
}

// An empty list of joints means none, not that it was left out.
static void noJointsAreNoJoints(void)
{
    snRigFile file;
    CHECK(readText(HEAD "\"lattice\":{" TET "\"cells\":[[0,1,2,3]],\"strict\":false}}", &file,
                   NULL) == SN_OK);
    CHECK(!file.lattice.decided);
    snRigFile_Destroy(&file);
    CHECK(readText(HEAD "\"lattice\":{" TET
                        "\"cells\":[[0,1,2,3]],\"joints\":{},\"strict\":false}}",
                   &file, NULL) == SN_OK);
    CHECK(file.lattice.decided);
    for (int v = 0; v < file.lattice.vertexCount; v++)
        CHECK(file.lattice.joint[v] < 0);
    snRigFile_Destroy(&file);
}

// Rules of the document come before those of the caller; which one failed tells whose fault it is.
static void faultsAreToldApart(void)
{
    snContext context = snDefaultContext();
    snFleshDef base = snDefaultFleshDef();
    snFleshRule given = {.part = "given", .set = SN_RULE_FREE};
    const char *text = HEAD "\"defaults\":{\"spacing\":3},\"parts\":{\"ear\":{\"wobble\":6}}}";
    snRigFile file;
    base.rules = &given;
    base.ruleCount = 1;
    CHECK(snRigFile_Read(&file, text, strlen(text), &skeleton, &base, &context, NULL) == SN_OK);
    CHECK(file.ruleCount == 2 && file.ownRules == 1);
    snError error = {.message = "no"};
    snFleshBlame blame = {SN_FAULT_RULE, 1};
    CHECK(!snRigFile_IsAtFault(&file, &blame, &error) && !strcmp(error.message, "no"));
    blame.fault = SN_FAULT_LATTICE;
    CHECK(!snRigFile_IsAtFault(&file, &blame, NULL));
    blame.fault = SN_FAULT_CHARACTER;
    CHECK(!snRigFile_IsAtFault(&file, &blame, NULL));
    blame = (snFleshBlame){SN_FAULT_RULE, 0};
    CHECK(snRigFile_IsAtFault(&file, &blame, &error) && !strcmp(error.message, "parts.ear: no"));
    error = (snError){.message = "no"};
    blame.fault = SN_FAULT_SPACING;
    CHECK(snRigFile_IsAtFault(&file, &blame, &error));
    CHECK(!strcmp(error.message, "defaults.spacing: no"));
    snRigFile_Destroy(&file);
}

// Two tets on the halves of a hexahedron's face do not meet it in a whole face.
// With other numbers of cells than it was made with, a lattice is made anew.
static void otherCellsAreMade(void)
{
#define ONE_TET "\"lattice\":{" TET "\"cells\":[[0,1,2,3]],\"joints\":{\"Spine\":[0]}}}"
    static const struct {
        const char *text;
        bool kept;
    } cases[] = {{HEAD "\"defaults\":{\"cells\":300},\"made\":{\"cells\":300}," ONE_TET, true},
                 {HEAD "\"defaults\":{\"cells\":301},\"made\":{\"cells\":300}," ONE_TET, false},
                 {HEAD "\"defaults\":{\"cells\":300}," ONE_TET, true},
                 {HEAD "\"defaults\":{\"spacing\":2},\"made\":{\"spacing\":2}," ONE_TET, true},
                 {HEAD "\"defaults\":{\"spacing\":2},\"made\":{\"cells\":300}," ONE_TET, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snRigFile file;
        snError error = {0};
        if (!CHECK(readText(cases[i].text, &file, &error) == SN_OK)) {
            printf("%s\n", error.message);
            continue;
        }
        CHECK(file.hasLattice == cases[i].kept && (file.def.lattice != NULL) == cases[i].kept);
        snRigFile_Destroy(&file);
    }
}

// A bake's sidecar has a rig document in it; paths go through it.
static void sidecarsHaveOne(void)
{
    snRigFile file;
    snError error = {0};
    snFleshBlame blame = {SN_FAULT_RULE, 0};
#define BAKE "{\"sinew\":\"bake\",\"version\":7,\"time\":{},\"rig\":"
    CHECK(readText(BAKE HEAD "\"parts\":{\"ear\":{\"wobble\":6}}}}", &file, &error) == SN_OK);
    CHECK(file.within && file.ruleCount == 1 && file.rules[0].wobble == 6);
    snFail(&error, SN_ERROR_ARGUMENT, "no such part");
    CHECK(snRigFile_IsAtFault(&file, &blame, &error));
    CHECK(!strcmp(error.message, "rig.parts.ear: no such part"));
    snRigFile_Destroy(&file);
    CHECK(readText(BAKE HEAD "\"parts\":{\"ear\":{\"wobble\":-6}}}}", &file, &error));
    CHECK(strstr(error.message, "rig.parts.ear.wobble: ") == error.message);
    CHECK(readText("{\"sinew\":\"bake\",\"version\":1}", &file, &error) == SN_ERROR_FORMAT);
    CHECK(readText(BAKE "[]}", &file, &error) == SN_ERROR_FORMAT);
}

static void halvesOfFacesAreFound(void)
{
    snRigFile file;
    snError error = {0};
    const char *text = HEAD "\"lattice\":{\"vertices\":[[0,0,0],[1,0,0],[1,1,0],[0,1,0],[0,0,1],[1,"
                            "0,1],[1,1,1],[0,1,1],"
                            "[0.5,0.5,2]],\"cells\":[[0,1,2,3,4,5,6,7],[4,5,6,8],[4,6,7,8]]}}";
    CHECK(readText(text, &file, &error) == SN_ERROR_GEOMETRY);
    CHECK(strstr(error.message, "whole faces") && strstr(error.message, "lattice.cells["));
}

// Any byte of a document changed or cut off: refused or read, nothing worse.
static void damageIsSurvived(void)
{
    const char *text = HEAD "\"defaults\":{\"wobble\":5},\"parts\":{\"ear\":{\"free\":true}},"
                            "\"lattice\":{" TET "\"cells\":[[0,1,2,3],[0,2,1,4]],"
                            "\"joints\":{\"Spine\":[0,3]},\"strict\":false}}";
    snContext context = snDefaultContext();
    snFleshDef base = snDefaultFleshDef();
    char copy[512];
    size_t size = strlen(text);
    int good = 0;
    for (size_t at = 0; at < size; at++)
        for (int round = 0; round < 4; round++) {
            snRigFile file;
            memcpy(copy, text, size);
            copy[at] = "0\"]x"[round];
            size_t length = round == 3 ? at : size;
            if (snRigFile_Read(&file, copy, length, &skeleton, &base, &context, NULL)) continue;
            snRigFile_Destroy(&file);
            good++;
        }
    printf("%d of %d damaged documents still make sense\n", good, 4 * (int)size);
    CHECK(good > 0);
}

static void memoryRunsOut(void)
{
    const char *text = HEAD "\"parts\":{\"ear\":{\"free\":true}},\"lattice\":{" TET
                            "\"cells\":[[0,1,2,3]],\"joints\":{\"Spine\":[0,3]}}}";
    snContext context = snDefaultContext();
    snFleshDef base = snDefaultFleshDef();
    snStatus status = SN_ERROR_MEMORY;
    for (int failAt = 1; status && failAt < 200; failAt++) {
        snFailingMemory memory = {.failAtWay = failAt};
        snRigFile file;
        snTest_UseFailingMemory(&context, &memory);
        status = snRigFile_Read(&file, text, strlen(text), &skeleton, &base, &context, NULL);
        CHECK(status == SN_OK || status == SN_ERROR_MEMORY);
        if (!status) snRigFile_Destroy(&file);
        CHECK(memory.alive == 0);
    }
    CHECK(status == SN_OK);
}

int main(void)
{
    RUN(latticesComeBackExactly);
    RUN(sectionsAreRead);
    RUN(everyDefaultIsRead);
    RUN(everyNumberOfPartsIsRead);
    RUN(mistakesAreNamed);
    RUN(noJointsAreNoJoints);
    RUN(faultsAreToldApart);
    RUN(otherCellsAreMade);
    RUN(sidecarsHaveOne);
    RUN(halvesOfFacesAreFound);
    RUN(damageIsSurvived);
    RUN(memoryRunsOut);
    return snTest_Finish();
}
