// Moving meshes as a .glb: read back and posed, every vertex of every frame is within the tolerance of where it was, and
// normals are those of the triangles; what moves as a whole needs no targets.
#include "bake/motion.h"

#include "asset/gltf.h"
#include "core/core.h"
#include "tests/test.h"

#include <stdio.h>
#include <string.h>

enum { SIDE = 9, VERTICES = SIDE * SIDE, TRIANGLES = 2 * (SIDE - 1) * (SIDE - 1), FRAMES = 25 };

static int triangles[3 * TRIANGLES];
static snVec3f frames[FRAMES][2 * VERTICES];
static const snVec3f *frameList[FRAMES];
static double times[FRAMES];
static snSequenceMesh meshes[2];
static snSequenceClip clip;
static bool rough; // every vertex of what beats shivers for itself

static void makeTriangles(void)
{
    int *at = triangles;
    for (int i = 0; i + 1 < SIDE; i++)
        for (int k = 0; k + 1 < SIDE; k++) {
            int a = i * SIDE + k, quad[6] = {a, a + SIDE, a + 1, a + 1, a + SIDE, a + SIDE + 1};
            memcpy(at, quad, sizeof quad);
            at += 6;
        }
}

// A sheet that tumbles and flies off, and one that beats in two ways beside that, amplitudes of some 10 % of its size.
static snVec3 sheet(int v, double t, bool beats)
{
    double x = (double)(v % SIDE) / (SIDE - 1) - 0.5, z = (double)(v / SIDE) / (SIDE - 1) - 0.5;
    snVec3 p = {x, 0.05 * x * x, z};
    if (beats) {
        p.y += 0.3 * (snSin(9 * t)) * x * z + 0.2 * snCos(4 * t) * x * x;
        p.x += 0.05 * snSin(5 * t) * z;
        if (rough) p.y += 0.01 * snSin(37.7 * v + (11 + 7.3 * (v % 13)) * t);
    }
    snQuat turn = snQuatFromAxisAngle(snVec(0.6, 0.8, 0), 4 * t);
    return snAdd(snRotate(turn, p), snVec(3 * t, 4 * t - 5 * t * t, beats ? 2 : 0));
}

static snSequence makeSequence(void)
{
    makeTriangles();
    for (int f = 0; f < FRAMES; f++) {
        times[f] = f / 24.0;
        frameList[f] = frames[f];
        for (int v = 0; v < 2 * VERTICES; v++)
            frames[f][v] = snToF(sheet(v % VERTICES, times[f], v >= VERTICES));
    }
    for (int m = 0; m < 2; m++)
        meshes[m] = (snSequenceMesh){.name = m ? "beats" : "stiff",
                                     .title = m ? "beats" : "stiff",
                                     .firstVertex = m * VERTICES,
                                     .vertexCount = VERTICES,
                                     .triangleCount = TRIANGLES,
                                     .triangles = triangles};
    clip = (snSequenceClip){.name = "play", .frameCount = FRAMES, .frameTime = 1 / 24.0};
    return (snSequence){.name = "play",
                        .meshCount = 2,
                        .meshes = meshes,
                        .vertexCount = 2 * VERTICES,
                        .clipCount = 1,
                        .clips = &clip,
                        .frameCount = FRAMES,
                        .frameRate = 24,
                        .times = times,
                        .frames = frameList};
}

static void findNormals(const snVec3f *points, snVec3 *normals)
{
    memset(normals, 0, VERTICES * sizeof *normals);
    for (int t = 0; t < TRIANGLES; t++) {
        const int *c = triangles + 3 * t;
        snVec3 a = snFromF(points[c[0]]);
        snVec3 area = snCross(snSub(snFromF(points[c[1]]), a), snSub(snFromF(points[c[2]]), a));
        for (int k = 0; k < 3; k++)
            normals[c[k]] = snAdd(normals[c[k]], area);
    }
    for (int v = 0; v < VERTICES; v++)
        normals[v] = snNormalizeOr(normals[v], snVec(0, 0, 0));
}

// Writes with a definition, and reads back.
static void roundTrip(const snMotionDef *def, snCharacter *character, snMotionReport *report)
{
    snContext context = snDefaultContext();
    snSequence sequence = makeSequence();
    snMotionLook looks[2] = {{.color = {1, 0.5f, 0.25f}}, {.color = {0, 0, 1}}};
    snBytes glb = snMakeBytes(&context);
    snError error = {0};
    CHECK(!snMotion_Write(&sequence, looks, def, &glb, report, &context, &error));
    snGltfSource source = {.bytes = glb.data, .size = glb.size};
    CHECK(!snGltf_Read(character, &source, &context, &error));
    snBytes_Destroy(&glb);
}

// The largest distance of a vertex, and of a normal, to those of the frames.
static void compare(const snCharacter *c, double *place, double *normal)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snPose pose;
    static snVec3f points[2 * VERTICES], normals[2 * VERTICES];
    static snVec3 wanted[VERTICES];
    CHECK(!snPose_Make(&pose, &c->skeleton, c->morphCount, &arena, NULL));
    *place = *normal = 0;
    for (int f = 0; f < FRAMES; f++) {
        snCharacter_Pose(c, &c->clips[0], times[f], &pose);
        snCharacter_Surface(c, &pose, &context.tasks, points, normals);
        for (int m = 0; m < 2; m++) {
            findNormals(frames[f] + m * VERTICES, wanted);
            for (int v = 0; v < VERTICES; v++) {
                int at = m * VERTICES + v;
                snVec3 off = snSub(snFromF(points[at]), snFromF(frames[f][at]));
                snVec3 unit = snNormalizeOr(snFromF(normals[at]), snVec(0, 0, 0));
                *place = fmax(*place, snLength(off));
                *normal = fmax(*normal, snLength(snSub(unit, wanted[v])));
            }
        }
    }
    snArena_Destroy(&arena);
}

static void comesBack(void)
{
    snMotionDef def = snDefaultMotionDef();
    snCharacter c;
    snMotionReport report;
    double place, normal;
    roundTrip(&def, &c, &report);
    CHECK(c.partCount == 2 && c.clipCount == 1 && c.vertexCount == 2 * VERTICES);
    CHECK(c.parts[0].targetCount == 0 && c.parts[1].targetCount == report.targetCount);
    CHECK(report.targetCount >= 2 && report.targetCount <= 8);
    CHECK(c.materialCount == 2 && c.materials[0].color[1] == 0.5f);
    compare(&c, &place, &normal);
    printf("%d targets: vertices within %.2e of the size, told %.2e; normals within %.3f\n",
           report.targetCount, place, report.error, normal);
    CHECK(report.error <= def.tolerance && place < 1.01 * report.error + 1e-5);
    CHECK(normal < 0.05);
    for (int k = 0; k < c.clips[0].channelCount; k++) // sliders go from 0 to 1
        for (int i = 0; c.clips[0].channels[k].path == SN_PATH_MORPHS &&
                        i < FRAMES * c.clips[0].channels[k].width;
             i++)
            CHECK(c.clips[0].channels[k].values[i] > -1e-6f &&
                  c.clips[0].channels[k].values[i] < 1 + 1e-6f);
    snCharacter_Destroy(&c);
}

// Finer with a lower tolerance; what too few targets leave is told.
static void tolerances(void)
{
    snMotionDef fine = {.tolerance = 1e-5, .mostTargets = 64},
                few = {.tolerance = 1e-5, .mostTargets = 2};
    snCharacter c;
    snMotionReport report;
    double place, normal;
    roundTrip(&fine, &c, &report);
    compare(&c, &place, &normal);
    printf("fine: %d targets, %.2e, normals %.4f\n", report.targetCount, place, normal);
    CHECK(report.error <= 1e-5 && place < 2e-5 && normal < 0.02);
    snCharacter_Destroy(&c);
    roundTrip(&few, &c, &report);
    compare(&c, &place, &normal);
    CHECK(report.targetCount <= 2 && report.error > 1e-3);
    CHECK(fabs(place - report.error) < 0.02 * report.error); // sizes are 1
    snCharacter_Destroy(&c);
}

// Among components that are nearly alike in size one more may leave a frame's worst vertex farther off: frames that were
// within the tolerance with fewer are held to it as well.
static void shivers(void)
{
    int most = 0;
    rough = true;
    for (int i = 0; i < 12; i++) {
        snMotionDef def = {.tolerance = 0.002 + 0.001 * i, .mostTargets = 64};
        snCharacter c;
        snMotionReport report;
        double place, normal;
        roundTrip(&def, &c, &report);
        compare(&c, &place, &normal);
        CHECK(report.error <= def.tolerance && place < 1.01 * def.tolerance);
        most = report.targetCount > most ? report.targetCount : most;
        snCharacter_Destroy(&c);
    }
    CHECK(most > 10 && most < 64);
    rough = false;
}

// A mesh that goes and turns as a whole has a node and no targets; one that stands has no channels.
static void rigidOnes(void)
{
    static const snVec3 points[4] = {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}, {1, 0, 1}};
    static const int corners[6] = {0, 2, 1, 1, 2, 3};
    snAffine going[FRAMES], standing[FRAMES];
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    for (int f = 0; f < FRAMES; f++) {
        snQuat turn = snQuatFromAxisAngle(snVec(0, 1, 0), 0.4 * f); // more than a whole turn
        going[f] = (snAffine){snQuatToMat(turn), {0.1 * f, 2, 0}};
        standing[f] = (snAffine){snIdentity3(), {0, -1, 0}};
    }
    snMotionRigid rigids[2] = {{"door", 4, 2, points, corners, {0.1f, 0.2f, 0.3f}, going},
                               {"floor", 4, 2, points, corners, {1, 1, 1}, standing}};
    snMotionDef def = snDefaultMotionDef();
    snMotionReport report;
    snCharacter c;
    snPose pose;
    def.rigids = rigids;
    def.rigidCount = 2;
    roundTrip(&def, &c, &report);
    CHECK(report.meshCount == 4 && c.partCount == 4 && c.parts[2].targetCount == 0);
    CHECK(!snPose_Make(&pose, &c.skeleton, c.morphCount, &arena, NULL));
    double off = 0;
    for (int f = 0; f < FRAMES; f++) {
        snCharacter_Pose(&c, &c.clips[0], times[f], &pose);
        for (int v = 0; v < 4; v++) {
            off = fmax(off, snDistance(snCharacter_SurfacePoint(&c, &pose, &c.parts[2], v),
                                       snMulAP(going[f], points[v])));
            off = fmax(off, snDistance(snCharacter_SurfacePoint(&c, &pose, &c.parts[3], v),
                                       snMulAP(standing[f], points[v])));
        }
    }
    printf("    a door that turns is off by %.1e\n", off);
    CHECK(off < 1e-6);
    for (int k = 0; k < c.clips[0].channelCount; k++)
        CHECK(strcmp(c.skeleton.joints[c.clips[0].channels[k].joint].name, "floor") ||
              c.clips[0].channels[k].path == SN_PATH_MORPHS);
    snCharacter_Destroy(&c);
    snArena_Destroy(&arena);
}

static void refuses(void)
{
    snContext context = snDefaultContext();
    snSequence sequence = makeSequence();
    snMotionLook looks[2] = {{0}};
    snMotionDef def = snDefaultMotionDef();
    snMotionReport report;
    snError error = {0};
    snBytes glb = snMakeBytes(&context);
    frames[3][VERTICES + 5].y = NAN;
    CHECK(snMotion_Write(&sequence, looks, &def, &glb, &report, &context, &error) ==
          SN_ERROR_NUMERIC);
    CHECK(strstr(error.message, "beats") && strstr(error.message, "frame 4"));
    def.mostTargets = 0;
    CHECK(snMotion_Write(&sequence, looks, &def, &glb, &report, &context, &error) ==
          SN_ERROR_ARGUMENT);
    snBytes_Destroy(&glb);
}

int main(void)
{
    RUN(comesBack);
    RUN(tolerances);
    RUN(shivers);
    RUN(rigidOnes);
    RUN(refuses);
    return snTest_Finish();
}
