// The demo character: a surface that is closed and whole, weights that add up, joints inside,
// horns and hooves that do not bend, motions that loop, keep to the ground and tear nothing.
#include "demo.h"

#include "asset/gltf.h"
#include "core/elementary.h"
#include "core/error.h"
#include "geometry/winding.h"
#include "tests/test.h"
#include "tests/geometry/closed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static snCharacter bumble;
static snPose pose;
static snVec3f *frame; // [vertexCount]
static const snTasks serial = {NULL, NULL, 1};

static void poseAt(const snClip *clip, double t)
{
    snCharacter_Pose(&bumble, clip, t, &pose);
    snCharacter_Surface(&bumble, &pose, &serial, frame, NULL);
}

static void counts(void)
{
    CHECK(bumble.triangleCount >= 10000 && bumble.triangleCount <= 20000);
    CHECK(bumble.skins[0].jointCount >= 20 && bumble.skins[0].jointCount <= 26);
    CHECK(bumble.clipCount >= 3);
    const char *names[] = {"walk", "hop", "shake", "look"};
    for (int i = 0; i < 4; i++)
        CHECK(snCharacter_FindClip(&bumble, names[i]) >= 0);
    snBox box = snEmptyBox();
    for (int v = 0; v < bumble.parts[0].vertexCount; v++)
        box = snBoxAdd(box, snFromF(bumble.parts[0].positions[v]));
    CHECK_NEAR(box.lower.y, 0.0, 0.004); // stands on the ground
    CHECK(box.upper.y > 1.2 && box.upper.y < 1.6);
    CHECK_NEAR(box.lower.x, -box.upper.x, 0.02);
    printf("%d vertices, %d triangles, %.2f m tall, %.2f m long\n", bumble.vertexCount,
           bumble.triangleCount, box.upper.y - box.lower.y, box.upper.z - box.lower.z);
}

static int eulerOf(const snPart *part)
{
    return closedEuler(part->vertexCount, part->triangleCount, part->triangles);
}

static void surfacesAreClosed(void)
{
    CHECK(eulerOf(&bumble.parts[0]) == 2);      // one skin without holes or handles
    CHECK(eulerOf(&bumble.parts[1]) == 2 * 10); // eyes, glints, lids, nostrils, nose, mouth
    for (int p = 0; p < bumble.partCount; p++) {
        const snPart *part = &bumble.parts[p];
        for (int i = 0; i < part->triangleCount; i++) {
            const int *t = part->triangles + 3 * i;
            snVec3 a = snFromF(part->positions[t[0]]);
            snVec3 n = snCross(snSub(snFromF(part->positions[t[1]]), a),
                               snSub(snFromF(part->positions[t[2]]), a));
            CHECK(snLength(n) > 1e-9);
            CHECK(snDot(n, snFromF(part->normals[t[0]])) > -0.8 * snLength(n));
        }
    }
}

static void weightsAddUp(void)
{
    for (int p = 0; p < bumble.partCount; p++) {
        const snPart *part = &bumble.parts[p];
        for (int v = 0; v < part->vertexCount; v++) {
            double sum = 0.0;
            for (int i = 4 * v; i < 4 * v + 4; i++) {
                CHECK(part->joints[i] >= 0 && part->joints[i] < DEMO_JOINTS);
                CHECK(part->weights[i] >= 0.0f && part->weights[i] <= 1.0f);
                sum += (double)part->weights[i];
            }
            CHECK_NEAR(sum, 1.0, 1e-6);
        }
    }
}

static double weightOf(const snPart *part, int v, int joint)
{
    for (int i = 4 * v; i < 4 * v + 4; i++)
        if (part->weights[i] > 0.0f && part->joints[i] == joint) return (double)part->weights[i];
    return 0.0;
}

static void hornsAndHoovesAreRigid(void)
{
    const snPart *part = &bumble.parts[0];
    int hoof = 0, horn = 0;
    for (int v = 0; v < part->vertexCount; v++) {
        snVec3 p = snFromF(part->positions[v]);
        int leg = p.z > 0.0 ? (p.x > 0.0 ? DEMO_LEG_FL : DEMO_LEG_FR)
                            : (p.x > 0.0 ? DEMO_LEG_HL : DEMO_LEG_HR);
        if (p.y < 0.11 && ++hoof) CHECK_NEAR(weightOf(part, v, leg + 2), 1.0, 1e-6);
        if (p.y > 1.38 && fabs(p.x) > 0.1 && ++horn)
            CHECK_NEAR(weightOf(part, v, p.x > 0.0 ? DEMO_HORN_L : DEMO_HORN_R), 1.0, 1e-6);
    }
    CHECK(hoof > 100 && horn > 20);
}

// Neighbours differ little: along an edge no joint's weight jumps.
static void weightsAreSmooth(void)
{
    const snPart *part = &bumble.parts[0];
    double most = 0.0;
    for (int i = 0; i < 3 * part->triangleCount; i++) {
        int a = part->triangles[i], b = part->triangles[i - i % 3 + (i + 1) % 3];
        if (part->positions[a].y < 0.2f || part->positions[a].y > 1.2f) continue; // horn and hoof
        for (int k = 4 * a; k < 4 * a + 4; k++) {
            double jump = (double)part->weights[k] - weightOf(part, b, part->joints[k]);
            if (part->weights[k] > 0.0f && jump > most) most = jump;
        }
    }
    printf("largest change of a weight along an edge: %.2f\n", most);
    CHECK(most < 0.6);
}

static void jointsAreInside(void)
{
    const snPart *part = &bumble.parts[0];
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snVec3 *positions = SN_NEW(&arena, snVec3, part->vertexCount);
    snMeshTree tree;
    snWinding *winding;
    if (CHECK(positions != NULL)) {
        for (int v = 0; v < part->vertexCount; v++)
            positions[v] = snFromF(part->positions[v]);
        snMesh mesh = {part->vertexCount, part->triangleCount, positions, part->triangles};
        CHECK(snMesh_Volume(&mesh) > 0.2 && snMesh_Volume(&mesh) < 0.6);
        if (CHECK(snMeshTree_Build(&tree, &mesh, &arena, NULL) == SN_OK) &&
            CHECK(snWinding_Make(&winding, &tree, &arena, NULL) == SN_OK))
            for (int j = 0; j < DEMO_JOINTS; j++) {
                bool inside = snWinding_Inside(winding, snDemo_JointPlace(j));
                if (!CHECK(inside)) printf("%s is outside\n", bumble.skeleton.joints[j].name);
            }
    }
    snArena_Destroy(&arena);
}

// The first and the last pose are the same, and so are the speeds with which they are passed.
static void clipsLoop(void)
{
    snTransform first[DEMO_JOINTS];
    for (int c = 0; c < bumble.clipCount; c++) {
        const snClip *clip = &bumble.clips[c];
        snCharacter_Pose(&bumble, clip, 0.0, &pose);
        memcpy(first, pose.local, sizeof first);
        snCharacter_Pose(&bumble, clip, clip->duration, &pose);
        for (int j = 0; j < DEMO_JOINTS; j++) {
            CHECK_NEAR(snDistance(first[j].translation, pose.local[j].translation), 0.0, 1e-6);
            CHECK_NEAR(fabs(snDotQ(first[j].rotation, pose.local[j].rotation)), 1.0, 1e-9);
        }
        for (int i = 0; i < clip->channelCount; i++) {
            const snChannel *channel = &clip->channels[i];
            const float *start = channel->values + 2 * channel->width;
            const float *end = channel->values + (3 * channel->keyCount - 3) * channel->width;
            for (int k = 0; k < channel->width; k++)
                CHECK_NEAR((double)start[k], (double)end[k], 0.05);
        }
    }
    CHECK_NEAR(bumble.clips[snCharacter_FindClip(&bumble, "walk")].duration, 1.1, 0.1001);
    CHECK_NEAR(bumble.clips[snCharacter_FindClip(&bumble, "hop")].duration, 1.4, 0.2001);
    CHECK_NEAR(bumble.clips[snCharacter_FindClip(&bumble, "shake")].duration, 2.0, 1e-6);
}

// The lowest vertex of each hoof, in the frame at hand.
static void soles(double lowest[4])
{
    const snPart *part = &bumble.parts[0];
    for (int f = 0; f < 4; f++)
        lowest[f] = 1e300;
    for (int v = 0; v < part->vertexCount; v++)
        for (int f = 0; f < 4; f++)
            if ((double)frame[v].y < lowest[f] && weightOf(part, v, DEMO_LEG_FL + 3 * f + 2) > 0.5)
                lowest[f] = (double)frame[v].y;
}

static void nothingSinksIntoTheGround(void)
{
    for (int c = 0; c < bumble.clipCount; c++) {
        double lowest = 1e300, touch[4] = {1e300, 1e300, 1e300, 1e300}, sole[4];
        for (int i = 0; i < 60; i++) {
            poseAt(&bumble.clips[c], bumble.clips[c].duration * i / 60);
            for (int v = 0; v < bumble.vertexCount; v++)
                if ((double)frame[v].y < lowest) lowest = (double)frame[v].y;
            soles(sole);
            for (int f = 0; f < 4; f++)
                if (sole[f] < touch[f]) touch[f] = sole[f];
        }
        printf("%s: lowest point %.4f m\n", bumble.clips[c].name, lowest);
        CHECK(lowest > -0.01);
        for (int f = 0; f < 4; f++)
            CHECK(touch[f] < 0.01); // every hoof does stand
    }
}

// While a hoof of the walk stands, it stays on the ground and moves back at an even speed.
static void walkingHoovesDoNotSlip(void)
{
    const snClip *clip = &bumble.clips[snCharacter_FindClip(&bumble, "walk")];
    double step = clip->duration / 200, before[4] = {0}, sole[4], slow = 1e300, fast = -1e300;
    int standing = 0;
    for (int i = 0; i <= 200; i++) {
        poseAt(clip, step * i);
        soles(sole);
        for (int f = 0; f < 4; f++) {
            double phase = (double)i / 200 - (f == 0 ? 0.25 : f == 1 ? 0.75 : f == 2 ? 0.0 : 0.5);
            double z = pose.global[DEMO_LEG_FL + 3 * f + 2].origin.z;
            phase -= floor(phase);
            if (i > 0 && phase > 0.02 && phase < 0.55) {
                double speed = (before[f] - z) / step;
                slow = speed < slow ? speed : slow;
                fast = speed > fast ? speed : fast;
                CHECK_NEAR(sole[f], 0.0, 0.01);
                standing++;
            }
            before[f] = z;
        }
    }
    printf("the ground passes at %.3f to %.3f m/s\n", slow, fast);
    CHECK(standing > 300 && slow > 0.0 && fast - slow < 0.12 * fast);
}

static void hopIsHalfAMetre(void)
{
    const snClip *clip = &bumble.clips[snCharacter_FindClip(&bumble, "hop")];
    double top = -1e300, bottom = 1e300, rest = snDemo_JointPlace(DEMO_ROOT).y, sole[4];
    double clearest = 0.0;
    for (int i = 0; i < 200; i++) {
        poseAt(clip, clip->duration * i / 200);
        double rise = pose.global[DEMO_ROOT].origin.y - rest;
        top = rise > top ? rise : top;
        bottom = rise < bottom ? rise : bottom;
        soles(sole);
        for (int f = 1; f < 4; f++)
            sole[0] = sole[f] < sole[0] ? sole[f] : sole[0];
        clearest = sole[0] > clearest ? sole[0] : clearest;
    }
    printf("hop: %.3f m up, %.3f m down, hooves %.3f m off the ground\n", top, -bottom, clearest);
    CHECK(top > 0.42 && top < 0.58 && bottom < -0.08 && clearest > 0.4);
}

// Head against root: the nose swings by ±45 degrees, two and a half to three times a second.
static void shakeIsHard(void)
{
    const snClip *clip = &bumble.clips[snCharacter_FindClip(&bumble, "shake")];
    double left = 0.0, right = 0.0, before = 0.0;
    int crossings = 0;
    for (int i = 0; i < 400; i++) {
        poseAt(clip, clip->duration * i / 400);
        snVec3 nose = pose.global[DEMO_HEAD].linear.cz;
        double yaw = snAtan2(nose.x, nose.z) * 180.0 / SN_PI;
        left = yaw > left ? yaw : left;
        right = yaw < right ? yaw : right;
        crossings += fabs(yaw) > 1e-6 && yaw * before < 0.0;
        if (fabs(yaw) > 1e-6) before = yaw;
    }
    printf("shake: %.1f to %.1f degrees, %d crossings\n", right, left, crossings);
    CHECK(left > 38.0 && left < 52.0 && right < -38.0 && right > -52.0);
    CHECK(crossings >= 8 && crossings <= 11);
}

// Edges of all frames against rest: linear blend skinning may squeeze, but tears nothing.
static void nothingTears(void)
{
    const snPart *part = &bumble.parts[0];
    for (int c = 0; c < bumble.clipCount; c++) {
        double most = 0.0;
        int torn = 0, frames = 24;
        for (int i = 0; i < frames; i++) {
            poseAt(&bumble.clips[c], bumble.clips[c].duration * i / frames);
            for (int k = 0; k < 3 * part->triangleCount; k++) {
                int a = part->triangles[k], b = part->triangles[k - k % 3 + (k + 1) % 3];
                double rest = snDistance(snFromF(part->positions[a]), snFromF(part->positions[b]));
                double stretch = snDistance(snFromF(frame[a]), snFromF(frame[b])) / rest;
                most = stretch > most ? stretch : most;
                torn += stretch > 2.5;
            }
        }
        double share = (double)torn / ((double)frames * 3 * part->triangleCount);
        printf("%s: largest stretch %.2f, beyond 2.5: %.4f %%\n", bumble.clips[c].name, most,
               100.0 * share);
        CHECK(share < 5e-4);
        CHECK(most < 5.0); // in the fold between belly and front leg, in the deepest crouch
    }
}

static void onlyTrunkAndLegsMove(void)
{
    for (int c = 0; c < bumble.clipCount; c++)
        for (int i = 0; i < bumble.clips[c].channelCount; i++) {
            const char *name = bumble.skeleton.joints[bumble.clips[c].channels[i].joint].name;
            CHECK(strncmp(name, "ear", 3) && strncmp(name, "tail", 4) && strncmp(name, "horn", 4));
        }
}

// Made again it has the same bytes, and read back it is the same character.
static void writtenAndReadBack(void)
{
    snContext context = snDefaultContext();
    snCharacter again = {0}, back = {0};
    snBytes one = snMakeBytes(&context), two = snMakeBytes(&context);
    snError error = {0};
    CHECK(snDemo_Make(&again, &context, NULL) == SN_OK);
    CHECK(snGlb_FromCharacter(&bumble, &one, NULL) == SN_OK);
    CHECK(snGlb_FromCharacter(&again, &two, NULL) == SN_OK);
    CHECK(one.size == two.size && memcmp(one.data, two.data, one.size) == 0);
    snGltfSource source = {.bytes = one.data, .size = one.size};
    if (CHECK(snGltf_Read(&back, &source, &context, &error) == SN_OK)) {
        CHECK(back.vertexCount == bumble.vertexCount && back.clipCount == bumble.clipCount);
        CHECK(back.triangleCount == bumble.triangleCount && back.partCount == bumble.partCount);
        CHECK(back.skinCount == 1 && back.skins[0].jointCount == DEMO_JOINTS);
        snCharacter_Destroy(&back);
    }
    printf("%zu bytes\n", one.size);
    snBytes_Destroy(&one);
    snBytes_Destroy(&two);
    snCharacter_Destroy(&again);
}

// The first allocations and some later ones fail in turn (all of them would take minutes).
static void failingMemory(void)
{
    const int at[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12};
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        snContext context = snDefaultContext();
        snFailingMemory memory = {.failAt = at[i]};
        snTest_UseFailingMemory(&context, &memory);
        snCharacter character;
        snStatus status = snDemo_Make(&character, &context, NULL);
        CHECK(status == SN_OK || status == SN_ERROR_MEMORY);
        CHECK((status == SN_ERROR_MEMORY) == (memory.count >= at[i]));
        snCharacter_Destroy(&character);
        CHECK(memory.alive == 0);
        if (status == SN_OK) break;
    }
}

int main(void)
{
    snContext context = snDefaultContext();
    snError error = {0};
    if (snDemo_Make(&bumble, &context, &error) ||
        snPose_Make(&pose, &bumble.skeleton, 0, &bumble.arena, &error)) {
        printf("%s\n", error.message);
        return 1;
    }
    frame = SN_NEW(&bumble.arena, snVec3f, bumble.vertexCount);
    if (!frame) return 1;
    RUN(counts);
    RUN(surfacesAreClosed);
    RUN(weightsAddUp);
    RUN(hornsAndHoovesAreRigid);
    RUN(weightsAreSmooth);
    RUN(jointsAreInside);
    RUN(clipsLoop);
    RUN(nothingSinksIntoTheGround);
    RUN(walkingHoovesDoNotSlip);
    RUN(hopIsHalfAMetre);
    RUN(shakeIsHard);
    RUN(nothingTears);
    RUN(onlyTrunkAndLegsMove);
    RUN(writtenAndReadBack);
    RUN(failingMemory);
    snCharacter_Destroy(&bumble);
    return snTest_Finish();
}
