// OBJ reading: statements of every kind, splitting, polygons with dents, bad files with the line
// named, every allocation failing, and real files.
#include "asset/obj.h"

#include "asset/obj_polygon.h"
#include "core/elementary.h"
#include "core/error.h"
#include "core/random.h"
#include "tests/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static snStatus readText(snCharacter *character, const char *text, snError *error)
{
    snContext context = snDefaultContext();
    return snObj_Read(character, text, strlen(text), &context, error);
}

static const char quad[] = "# a comment\n"
                           "mtllib nothing.mtl\n"
                           "o Square one\n"
                           "v 0 0 0\nv 1 0 0\nv 1 1 0 1.0\nv 0 1 0\n"
                           "vt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\n"
                           "vn 0 0 2\n"
                           "usemtl red\ns off\n"
                           "f 1/1/1 2/2/1 3/3/1 4/4/1\n";

static void checkQuad(const char *text)
{
    snCharacter c;
    snError error = {0};
    if (!CHECK(readText(&c, text, &error) == SN_OK)) {
        printf("%s\n", error.message);
        return;
    }
    const snPart *part = &c.parts[0];
    CHECK(c.partCount == 1 && c.skeleton.jointCount == 1 && c.clipCount == 0 && c.skinCount == 0);
    CHECK(part->skin == -1 && part->node == 0 && part->material == -1 && part->influences == 0);
    CHECK(part->vertexCount == 4 && part->triangleCount == 2);
    CHECK(c.vertexCount == 4 && c.triangleCount == 2);
    CHECK(part->positions[2].x == 1.0f && part->positions[2].y == 1.0f);
    CHECK(part->normals && part->normals[3].z == 1.0f);
    CHECK(part->uv && part->uv[4] == 1.0f && part->uv[5] == 0.0f); // v is turned round
    snCharacter_Destroy(&c);
}

static void plainQuad(void)
{
    checkQuad(quad);
    snCharacter c;
    if (CHECK(readText(&c, quad, NULL) == SN_OK)) {
        CHECK(strcmp(c.parts[0].name, "Square") == 0);
        snCharacter_Destroy(&c);
    }
}

// A colour may stand behind a position; anything else there is passed over.
static void colorsBehindPositions(void)
{
    static const char text[] = "v 0 0 0\nv 1 0 0 1 0.5 0.25\nv 1 1 0 1\nv 0 1 0 0 0 nothing\n"
                               "v 9 9 9 0.5 0.5 0.5 1\nvn 0 0 1\nvn 0 1 0\n"
                               "o A\nf 1//1 2//1 3//1\no B\nf 1//1 2//2 4//1\n";
    static const float expected[2][3][3] = {{{1, 1, 1}, {1, 0.5f, 0.25f}, {1, 1, 1}},
                                            {{1, 1, 1}, {1, 1, 1}, {1, 0.5f, 0.25f}}};
    snCharacter c;
    if (!CHECK(readText(&c, text, NULL) == SN_OK)) return;
    CHECK(c.partCount == 2);
    for (int p = 0; p < c.partCount; p++)
        for (int v = 0; v < 3 && CHECK(c.parts[p].colors != NULL); v++) {
            CHECK(!memcmp(c.parts[p].colors + 4 * v, expected[p][v], sizeof expected[p][v]));
            CHECK(c.parts[p].colors[4 * v + 3] == 1);
        }
    snCharacter_Destroy(&c);
    if (!CHECK(readText(&c, quad, NULL) == SN_OK)) return;
    CHECK(!c.parts[0].colors); // none has one
    snCharacter_Destroy(&c);
}

// Objects win over groups; one name is one mesh; shared vertices are doubled; the order stays.
static void objectsAndGroupsAreMeshes(void)
{
    static const char points[] = "v 0 0 0\nv 9 9 9\nv 1 0 0\nv 0 1 0\nv 1 1 0\nv 2 1 0\n";
    static const struct {
        const char *faces;
        int parts;
        const char *first, *second;
        int vertices[2], triangles[2];
    } cases[] = {
        {"o A\nf 1 3 4\no B\nf 3 5 4\nf 3 6 5\n", 2, "A", "B", {3, 4}, {1, 2}},
        {"g A\nf 1 3 4\ng B\nf 3 5 4\ng A\nf 3 6 5\n", 2, "A", "B", {5, 3}, {2, 1}},
        {"f 1 3 4\no A\nf 3 5 4\no B\nf 3 6 5\n", 2, "A", "B", {4, 3}, {2, 1}},
        {"g x\no A\nf 1 3 4\ng y\nf 3 5 4\n", 1, "x", NULL, {6}, {2}},
        {"o A\no B\nf 1 3 4\nf 3 5 4\no C\n", 1, "A", NULL, {6}, {2}},
        {"g\nf 1 3 4\ng B\nf 3 5 4\n", 2, "", "B", {3, 3}, {1, 1}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[400];
        snprintf(text, sizeof text, "%s%s", points, cases[i].faces);
        snCharacter c;
        if (!CHECK(readText(&c, text, NULL) == SN_OK)) continue;
        CHECK(c.partCount == cases[i].parts);
        CHECK(!strcmp(c.parts[0].name, cases[i].first));
        if (cases[i].second) CHECK(!strcmp(c.parts[1].name, cases[i].second));
        int vertices = 0;
        for (int p = 0; p < c.partCount; p++) {
            const snPart *part = &c.parts[p];
            CHECK(part->vertexCount == cases[i].vertices[p] && part->mesh == p);
            CHECK(part->triangleCount == cases[i].triangles[p] && part->node == 0);
            for (int k = 0; k < 3 * part->triangleCount; k++)
                CHECK(part->triangles[k] >= 0 && part->triangles[k] < part->vertexCount);
            vertices += part->vertexCount;
        }
        CHECK(c.vertexCount == vertices &&
              c.triangleCount == cases[i].triangles[0] + cases[i].triangles[1]);
        if (i == 0) { // vertices 3 5 6 4 of B in the order of the file: 3 4 5 6
            const snVec3f *p = c.parts[1].positions;
            CHECK(p[0].x == 1.0f && p[1].y == 1.0f && p[2].x == 1.0f && p[3].x == 2.0f);
            CHECK(c.parts[1].triangles[0] == 0 && c.parts[1].triangles[1] == 2);
        }
        snCharacter_Destroy(&c);
    }
}

static void replaceAll(char *out, const char *text, const char *lineEnd)
{
    for (; *text; text++) {
        if (*text == '\n')
            out += sprintf(out, "%s", lineEnd);
        else
            *out++ = *text;
    }
    *out = 0;
}

static void anyLineEnding(void)
{
    char text[1024];
    replaceAll(text, quad, "\r\n");
    checkQuad(text);
    replaceAll(text, quad, "\r");
    checkQuad(text);
    replaceAll(text, quad, " \t\n\n");
    checkQuad(text);
    replaceAll(text, quad, "\n");
    text[strlen(text) - 1] = 0; // no line end at the file's end
    checkQuad(text);
}

static void continuationAndNegative(void)
{
    checkQuad("v 0 0 \\\n 0\nv 1 0 0\nv 1 1 0\r\nv 0 1 0\nvt 0 0\nvt 1\nvt 1 1\nvt 0 1\nvn 0 0 1\n"
              "f -4/-4/-1 2/2/-1 \\\r\n 3/3/1\\\n -1/-1/-1\n");
}

// Positions keep their numbers; a corner with another normal or texture coordinate becomes a
// further vertex, once, also when positions still follow the face.
static void splitsByCorner(void)
{
    snCharacter c;
    const char *text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 9 9 9\nvn 0 0 1\nvn 0 0 -1\n"
                       "f 1//1 2//1 3//1\nf 3//2 2//2 1//2\nf 1//2 2//2 3//1\n"
                       "v 5 5 5\nf 1//1 2//2 5//1\n";
    if (!CHECK(readText(&c, text, NULL) == SN_OK)) return;
    const snPart *part = &c.parts[0];
    CHECK(part->vertexCount == 5 + 3 && part->triangleCount == 4);
    const int expected[12] = {0, 1, 2, 5, 6, 7, 7, 6, 2, 0, 6, 4};
    for (int i = 0; i < 12; i++)
        CHECK(part->triangles[i] == expected[i]);
    CHECK(part->positions[4].x == 5.0f && part->positions[3].x == 9.0f);
    CHECK(part->positions[5].y == 1.0f && part->normals[5].z == -1.0f);
    CHECK(part->normals[0].z == 1.0f && part->normals[3].z == 0.0f && part->uv == NULL);
    snCharacter_Destroy(&c);
}

static double triangleArea(const snVec3 *corners, const int *t)
{
    return 0.5 *
           snCross(snSub(corners[t[1]], corners[t[0]]), snSub(corners[t[2]], corners[t[0]])).z;
}

// Stars with random spikes have dents at every second corner. All triangles must have positive
// area and the areas must add up to the shoelace area: then nothing overlaps.
static void dentedPolygons(void)
{
    enum { MOST = 40 };
    snRandom random = snMakeRandom(8);
    for (int trial = 0; trial < 200; trial++) {
        int count = 3 + snRandom_Below(&random, MOST - 3), ring[MOST], triangles[3 * MOST];
        snVec3 corners[MOST];
        double whole = 0.0, sum = 0.0;
        for (int i = 0; i < count; i++) {
            double a = 2.0 * SN_PI * i / count, r = snRandom_Uniform(&random, 0.1, 2.0);
            corners[i] = snVec(r * snCos(a), r * snSin(a), 3.0);
        }
        for (int i = 0; i < count; i++)
            whole += 0.5 * snCross(corners[i], corners[(i + 1) % count]).z;
        snCutPolygon(corners, count, ring, triangles);
        for (int t = 0; t < count - 2; t++) {
            double area = triangleArea(corners, triangles + 3 * t);
            CHECK(area >= 0.0);
            sum += area;
        }
        CHECK_NEAR(sum, whole, 1e-12);
    }
}

static void polygonsWithoutArea(void)
{
    snVec3 line[5] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {2, 0, 0}, {3, 0, 0}};
    int ring[5], triangles[9] = {-1, -1, -1, -1, -1, -1, -1, -1, -1};
    snCutPolygon(line, 5, ring, triangles);
    for (int i = 0; i < 9; i++)
        CHECK(triangles[i] >= 0 && triangles[i] < 5);
}

static void badFilesNameTheirLine(void)
{
    const struct {
        const char *text, *message;
    } cases[] = {
        {"", "no faces"},
        {"v 0 0 0\nv 1 0 0\n", "no faces"},
        {"v 0 0\n", "line 1: has 2 numbers, needs 3"},
        {"\n\nv 0 zero 0\n", "line 3: \"zero\" is not a number"},
        {"v 0 0 0\nv 1 nan 0\n", "line 2: \"nan\""},
        {"v 1e99 0 0\n", "line 1: \"1e99\""},
        {"v 0 0 0\nf 1 1\n", "line 2: face has 2 corners"},
        {"v 0 0 0\nf\n", "line 2: face has 0 corners"},
        {"v 0 0 0\nf 1 1 2\n", "line 2: face corner \"2\" asks for a position"},
        {"v 0 0 0\nf 1 1 0\n", "line 2: face corner \"0\""},
        {"v 0 0 0\nf 1 1 -2\n", "line 2: face corner \"-2\""},
        {"v 0 0 0\nf 1 1 99999999999999999999\n", "line 2: face corner"},
        {"v 0 0 0\nf 1/1 1/1 1/1\n", "asks for a texture coordinate that is not there, 0 came"},
        {"v 0 0 0\nf 1//1 1//1 1//1\n", "line 2: face corner \"1//1\" asks for a normal"},
        {"v 0 0 0\nf 1 \\\n 1 x\n", "line 3: \"x\" is not a face corner"},
        {"v 0 0 0\nf 1/2/3/4 1 1\n", "line 2"},
        {"v 0 0 0\nf 1 1 1x\n", "line 2: \"1x\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snCharacter c;
        snError error = {0};
        CHECK(readText(&c, cases[i].text, &error) == SN_ERROR_FORMAT);
        if (!CHECK(strstr(error.message, cases[i].message) != NULL))
            printf("got \"%s\", not \"%s\"\n", error.message, cases[i].message);
    }
}

// Cut anywhere and with random bytes changed, a file is read or refused, and nothing is lost.
static void brokenFilesAreSafe(void)
{
    snRandom random = snMakeRandom(77);
    for (int trial = 0; trial < 3000; trial++) {
        char text[sizeof quad];
        size_t size = (size_t)snRandom_Below(&random, (int)sizeof quad);
        memcpy(text, quad, sizeof quad);
        for (int k = 0; k < 3; k++)
            text[snRandom_Below(&random, (int)sizeof quad)] = (char)snRandom_Below(&random, 256);
        char *exact = malloc(size + !size); // of the exact size, so that ASan sees reads beyond
        if (!exact) return;
        memcpy(exact, text, size);
        snContext context = snDefaultContext();
        snCharacter c;
        if (snObj_Read(&c, exact, size, &context, NULL) == SN_OK) snCharacter_Destroy(&c);
        free(exact);
    }
    CHECK(true);
}

// Colours that begin late, corners that share a vertex but not its texture, several groups.
static const char rich[] = "o one\nv 0 0 0\nv 1 0 0 1 0 0\nv 1 1 0 0 1 0\nv 0 1 0\nvt 0 0\nvt 1 1\n"
                           "vn 0 0 1\nf 1/1/1 2/2/1 3/1/1 4/2/1\nf 1/2/1 2/1/1 3/2/1\n"
                           "o two\ng rest\nusemtl skin\nf 2 3 4\nf -4 -3 \\\n -1\n";

static void richFilesAreRead(void)
{
    snCharacter c;
    snError error = {0};
    if (!CHECK(readText(&c, rich, &error) == SN_OK)) {
        printf("    %s\n", error.message);
        return;
    }
    CHECK(c.triangleCount == 5 && c.parts[0].uv && c.parts[0].normals && c.parts[0].colors);
    for (int v = 0; v < 4; v++) // red, green, and white where none was given
        CHECK(c.parts[0].colors[4 * v + 2] == (v == 0 || v == 3 ? 1.0f : 0.0f));
    snCharacter_Destroy(&c);
}

static void everyAllocationFails(const char *text)
{
    for (int failAt = 1;; failAt++) {
        snContext context = snDefaultContext();
        snFailingMemory memory = {.failAtWay = failAt};
        snTest_UseFailingMemory(&context, &memory);
        snCharacter c;
        snStatus status = snObj_Read(&c, text, strlen(text), &context, NULL);
        if (status == SN_OK) snCharacter_Destroy(&c);
        CHECK(memory.alive == 0);
        if (status == SN_OK) break;
        if (!CHECK(status == SN_ERROR_MEMORY)) break;
    }
}

static void memoryRunsOut(void)
{
    everyAllocationFails(quad);
    everyAllocationFails(rich);
}

static void realFiles(void)
{
    const char *names[2] = {"spot.obj", "bob.obj"};
    for (int i = 0; i < 2; i++) {
        size_t size = 0;
        unsigned char *bytes = snTest_Asset(names[i], &size);
        if (!bytes) {
            printf("%s is absent, passed over\n", names[i]);
            continue;
        }
        snContext context = snDefaultContext();
        snCharacter c;
        if (CHECK(snObj_Read(&c, bytes, size, &context, NULL) == SN_OK)) {
            const snPart *part = &c.parts[0];
            CHECK(part->triangleCount > 500 && part->uv);
            for (int k = 0; k < 3 * part->triangleCount; k++)
                CHECK(part->triangles[k] >= 0 && part->triangles[k] < part->vertexCount);
            printf("%s: %d vertices, %d triangles\n", names[i], part->vertexCount,
                   part->triangleCount);
            snCharacter_Destroy(&c);
        }
        free(bytes);
    }
}

int main(void)
{
    RUN(plainQuad);
    RUN(colorsBehindPositions);
    RUN(objectsAndGroupsAreMeshes);
    RUN(anyLineEnding);
    RUN(continuationAndNegative);
    RUN(splitsByCorner);
    RUN(dentedPolygons);
    RUN(polygonsWithoutArea);
    RUN(badFilesNameTheirLine);
    RUN(brokenFilesAreSafe);
    RUN(richFilesAreRead);
    RUN(memoryRunsOut);
    RUN(realFiles);
    return snTest_Finish();
}
