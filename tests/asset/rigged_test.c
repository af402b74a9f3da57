// Bare surfaces become characters that can be written and read again: a made one with all that parts
// can carry, and real ones with a proposed skeleton.
#include "character/rigged.h"

#include "asset/gltf.h"
#include "asset/obj.h"
#include "character/propose.h"
#include "character/tissue.h"
#include "core/elementary.h"
#include "tests/character/bodies.h"

#include <stdlib.h>
#include <string.h>

// ---- a character of two parts on nodes of their own ----

static snPart *addPart(snCharacter *bare, const snMesh *mesh, int node)
{
    snArena *arena = &bare->arena;
    snPart *part = &bare->parts[bare->partCount++];
    *part = (snPart){.name = "part", .node = node, .skin = -1, .material = -1};
    part->vertexCount = mesh->vertexCount;
    part->triangleCount = mesh->triangleCount;
    part->positions = SN_NEW(arena, snVec3f, mesh->vertexCount);
    part->normals = SN_NEW(arena, snVec3f, mesh->vertexCount);
    part->uv = SN_NEW(arena, float, 2 * mesh->vertexCount);
    part->triangles = SN_COPY(arena, int, mesh->triangles, 3 * mesh->triangleCount);
    snVec3 *normals = SN_NEW(arena, snVec3, mesh->vertexCount);
    snMesh_Normals(mesh, normals);
    for (int v = 0; v < mesh->vertexCount; v++) {
        part->positions[v] = snToF(mesh->positions[v]);
        part->normals[v] = snToF(normals[v]);
        part->uv[2 * v] = (float)v;
    }
    bare->vertexCount += mesh->vertexCount;
    bare->triangleCount += mesh->triangleCount;
    return part;
}

// A column, and a second one that stands on a node which mirrors it to the other side.
static snCharacter twoColumns(void)
{
    snContext context = snDefaultContext();
    snCharacter bare = {.arena = snMakeArena(&context)};
    snArena *arena = &bare.arena;
    Body body = {0};
    addCapsule(&body, snVec(0.5, 0, 0), 0.2, snVec(0.5, 1, 0), 0.2);
    snMesh mesh = polygonise(&body, 0.1, arena);
    bare.skeleton.jointCount = 2;
    bare.skeleton.joints = SN_NEW(arena, snJoint, 2);
    snTransform rest = {{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}};
    bare.skeleton.joints[0] = (snJoint){.name = "world", .parent = -1, .rest = rest};
    rest.scale.x = -1;
    bare.skeleton.joints[1] = (snJoint){.name = "mirror", .parent = 0, .rest = rest};
    bare.parts = SN_NEW(arena, snPart, 2);
    addPart(&bare, &mesh, 0);
    snPart *second = addPart(&bare, &mesh, 1);
    bare.materialCount = 1;
    bare.materials = SN_NEW(arena, snMaterialLook, 1);
    bare.imageCount = 1;
    bare.images = SN_NEW(arena, snTexture, 1);
    bare.images[0] = (snTexture){"paint", (const unsigned char *)"\x89PNG....", 8, NULL};
    bare.materials[0] = (snMaterialLook){"skin", {1, 0.5f, 0.25f, 1}, true, &bare.images[0]};
    second->material = 0;
    second->targetCount = 1;
    second->targets = SN_NEW(arena, snVec3f *, 1);
    second->targets[0] = SN_NEW(arena, snVec3f, second->vertexCount);
    second->targets[0][0] = (snVec3f){0.25f, 0.5f, 0};
    bare.morphCount = 1;
    bare.restMorphs = SN_NEW(arena, double, 1);
    return bare;
}

static snRigPlan planOfColumns(const snContext *context)
{
    static const snVec3 places[5] = {
        {0, 0.5, 0}, {0.5, 0.2, 0}, {0.5, 0.9, 0}, {-0.5, 0.2, 0}, {-0.5, 0.9, 0}};
    static const char *const names[5] = {"root", "left", "left_end", "right", "right_end"};
    snRigPlan plan = snMakeRigPlan(context);
    for (int j = 0; j < 5; j++)
        snRigPlan_AddJoint(&plan, names[j], places[j], NULL, NULL);
    snRigPlan_Connect(&plan, 0, 1, NULL);
    snRigPlan_Connect(&plan, 1, 2, NULL);
    snRigPlan_Connect(&plan, 0, 3, NULL);
    snRigPlan_Connect(&plan, 3, 4, NULL);
    return plan;
}

static snStatus rigColumns(snCharacter *rigged, const snCharacter *bare, const snContext *context)
{
    snArena arena = snMakeArena(context);
    snRigPlan plan = planOfColumns(context);
    snRigDef def = snDefaultRigDef();
    snSolid solid;
    def.addSway = true;
    def.weights.maxCells = 2000;
    *rigged = (snCharacter){0};
    snStatus status = plan.bones.count == 4 ? SN_OK : SN_ERROR_MEMORY;
    if (!status) status = snSolid_FromCharacter(&solid, bare, &arena, NULL);
    if (!status) status = snRigCharacter(rigged, bare, &solid, &plan, &def, context, NULL);
    snRigPlan_Destroy(&plan);
    snArena_Destroy(&arena);
    return status;
}

static void partsKeepWhatTheyCarry(void)
{
    snContext context = snDefaultContext();
    snCharacter bare = twoColumns(), rigged;
    CHECK(rigColumns(&rigged, &bare, &context) == SN_OK);
    CHECK(rigged.partCount == 2 && rigged.skinCount == 1 && rigged.clipCount == 1);
    CHECK(!strcmp(rigged.clips[0].name, SN_SWAY_NAME));
    const snPart *first = &rigged.parts[0], *second = &rigged.parts[1];
    CHECK(second->material == 0 && rigged.materials[0].image == &rigged.images[0]);
    CHECK(rigged.images[0].bytes != bare.images[0].bytes);
    CHECK(second->targets[0][0].x == -0.25f && second->targets[0][0].y == 0.5f);
    for (int v = 0; v < first->vertexCount; v++) {
        CHECK(first->uv[2 * v] == (float)v);
        CHECK(second->positions[v].x == -first->positions[v].x);
        CHECK(second->normals[v].x == -first->normals[v].x);
        CHECK(first->positions[v].x > 0.0f);
        // Joints: root 0, left 1, right 2, then the ends. The columns are apart.
        for (int i = 0; i < 4; i++) {
            CHECK(first->weights[4 * v + i] == 0.0f || first->joints[4 * v + i] < 2);
            CHECK(second->weights[4 * v + i] == 0.0f || second->joints[4 * v + i] != 1);
        }
    }
    CHECK(second->triangles[1] == first->triangles[2]); // wound the other way
    // At rest the surface is where it was.
    snArena arena = snMakeArena(&context);
    snPose pose;
    snVec3f *surface = SN_NEW(&arena, snVec3f, rigged.vertexCount);
    CHECK(snPose_Make(&pose, &rigged.skeleton, rigged.morphCount, &arena, NULL) == SN_OK);
    snCharacter_Surface(&rigged, &pose, &serial, surface, NULL);
    for (int v = 0; v < first->vertexCount; v++)
        CHECK_NEAR(snDistance(snFromF(surface[v]), snFromF(first->positions[v])), 0.0, 1e-6);
    snArena_Destroy(&arena);
    snCharacter_Destroy(&rigged);
    snCharacter_Destroy(&bare);
}

// The clip begins as it ends, turns every joint that has a bone, and lets the root bounce.
static void swayLoops(void)
{
    snContext context = snDefaultContext();
    snCharacter bare = twoColumns(), rigged;
    CHECK(rigColumns(&rigged, &bare, &context) == SN_OK);
    const snClip *clip = &rigged.clips[0];
    CHECK(clip->channelCount == 3);
    CHECK_NEAR(clip->duration, 1.0, 1e-6);
    const snChannel *bounce = &clip->channels[2];
    CHECK(bounce->path == SN_PATH_TRANSLATION && bounce->joint == 0);
    CHECK(!memcmp(bounce->values, bounce->values + 3 * (bounce->keyCount - 1), 3 * sizeof(float)));
    for (int c = 0; c < 2; c++) {
        const snChannel *channel = &clip->channels[c];
        const float *last = channel->values + 4 * (channel->keyCount - 1);
        CHECK(channel->path == SN_PATH_ROTATION && channel->joint > 0);
        CHECK(!memcmp(channel->values, last, 4 * sizeof(float)));
        double largest = 0.0;
        snQuat rest = rigged.skeleton.joints[channel->joint].rest.rotation;
        for (int k = 0; k < channel->keyCount; k++) {
            const float *q = channel->values + 4 * k;
            snQuat turned = {(double)q[0], (double)q[1], (double)q[2], (double)q[3]};
            largest = fmax(largest, 2.0 * snAcos(fabs(snDotQ(turned, rest))) * 180.0 / SN_PI);
        }
        CHECK_NEAR(largest, 8.0, 0.1);
    }
    snSwayDef def = snDefaultSwayDef();
    snClip none;
    def.seconds = 0.0;
    CHECK(snMakeSway(&none, &rigged.skeleton, &def, &rigged.arena, NULL) == SN_ERROR_ARGUMENT);
    snCharacter_Destroy(&rigged);
    snCharacter_Destroy(&bare);
}

static void skinnedCharactersAreRefused(void)
{
    snContext context = snDefaultContext();
    snCharacter bare = twoColumns(), rigged, again;
    CHECK(rigColumns(&rigged, &bare, &context) == SN_OK);
    CHECK(rigColumns(&again, &rigged, &context) == SN_ERROR_ARGUMENT);
    snCharacter_Destroy(&rigged);
    snCharacter_Destroy(&bare);
}

static void everyAllocationMayFail(void)
{
    snContext context = snDefaultContext();
    snCharacter bare = twoColumns();
    snFailingMemory memory = {0};
    snTest_UseFailingMemory(&context, &memory);
    snStatus status = SN_ERROR_MEMORY;
    for (int n = 1; status && n < 500; n++) {
        snCharacter rigged;
        memory = (snFailingMemory){.failAtWay = n};
        status = rigColumns(&rigged, &bare, &context);
        CHECK(!status || status == SN_ERROR_MEMORY);
        if (!status) snCharacter_Destroy(&rigged);
        CHECK(memory.alive == 0);
    }
    CHECK(status == SN_OK);
    snCharacter_Destroy(&bare);
}

// ---- real surfaces ----

static void checkRig(const snCharacter *rigged, const snSolid *solid, const snRigPlan *plan)
{
    for (int j = 0; j < plan->joints.count; j++)
        if (!CHECK(snSolid_Depth(solid, plan->joints.data[j].at) > 0.0))
            printf("%s is outside\n", plan->joints.data[j].name);
    for (int b = 0; b < plan->bones.count; b++)
        CHECK(snSolid_SegmentInside(solid, plan->joints.data[plan->bones.data[b].a].at,
                                    plan->joints.data[plan->bones.data[b].b].at,
                                    0.002 * solid->size));
    const snPart *part = &rigged->parts[0];
    for (int v = 0; v < part->vertexCount; v++) {
        const float *w = part->weights + 4 * v;
        CHECK_NEAR((double)w[0] + (double)w[1] + (double)w[2] + (double)w[3], 1.0, 1e-6);
    }
}

// Names tell as many joints of each tissue.
static int countTissue(const snRigPlan *plan, snTissueKind kind)
{
    int count = 0;
    for (int j = 0; j < plan->joints.count; j++)
        count += snTissueKind_FromName(plan->joints.data[j].name) == kind;
    return count;
}

static bool rigAsset(const char *name, snRigPlan *plan, snCharacter *back)
{
    snContext context = snDefaultContext();
    size_t size;
    unsigned char *bytes = snTest_Asset(name, &size);
    if (!bytes) {
        printf("%s is not there: skipped\n", name);
        return false;
    }
    snArena arena = snMakeArena(&context);
    snCharacter bare, rigged;
    snSolid solid;
    snError error = {0};
    snRigDef def = snDefaultRigDef();
    snProposeDef propose = snDefaultProposeDef();
    snBytes out = snMakeBytes(&context);
    double begin = seconds();
    def.addSway = true;
    CHECK(snObj_Read(&bare, bytes, size, &context, &error) == SN_OK);
    CHECK(snSolid_FromCharacter(&solid, &bare, &arena, &error) == SN_OK);
    CHECK(snProposeRig(plan, &solid, &propose, &serial, &error) == SN_OK);
    double proposed = seconds();
    CHECK(snRigCharacter(&rigged, &bare, &solid, plan, &def, &context, &error) == SN_OK);
    printf("  %s: %d joints proposed in %.2f s, bound in %.2f s\n", name, plan->joints.count,
           proposed - begin, seconds() - proposed);
    checkRig(&rigged, &solid, plan);
    CHECK(snGlb_FromCharacter(&rigged, &out, &error) == SN_OK);
    snGltfSource source = {.bytes = out.data, .size = out.size};
    CHECK(snGltf_Read(back, &source, &context, &error) == SN_OK);
    CHECK(back->vertexCount == bare.vertexCount && back->skinCount == 1 && back->clipCount == 1);
    CHECK(back->skins[0].jointCount == plan->joints.count);
    CHECK((back->parts[0].uv != NULL) == (bare.parts[0].uv != NULL));
    snBytes_Destroy(&out);
    snCharacter_Destroy(&rigged);
    snCharacter_Destroy(&bare);
    snArena_Destroy(&arena);
    free(bytes);
    return true;
}

static void spotIsACow(void)
{
    snContext context = snDefaultContext();
    snRigPlan plan = snMakeRigPlan(&context);
    snCharacter back;
    if (rigAsset("spot.obj", &plan, &back)) {
        CHECK(plan.joints.count >= 20 && plan.joints.count <= 40);
        CHECK(countTissue(&plan, SN_TISSUE_EAR) >= 4 && countTissue(&plan, SN_TISSUE_HARD) >= 4);
        CHECK(countTissue(&plan, SN_TISSUE_TAIL) >= 2 && countTissue(&plan, SN_TISSUE_BONY) >= 2);
        int front = snRigPlan_Find(&plan, "leg_front_1_L"),
            hind = snRigPlan_Find(&plan, "leg_hind_1_L");
        CHECK(front >= 0 && hind >= 0);
        // It looks along -z, so its left is at -x.
        if (front >= 0 && hind >= 0) {
            CHECK(plan.joints.data[front].at.z < plan.joints.data[hind].at.z);
            CHECK(plan.joints.data[front].at.x < 0.0);
        }
        snCharacter_Destroy(&back);
    }
    snRigPlan_Destroy(&plan);
}

static void bobIsARing(void)
{
    snContext context = snDefaultContext();
    snRigPlan plan = snMakeRigPlan(&context);
    snCharacter back;
    if (rigAsset("bob.obj", &plan, &back)) {
        CHECK(plan.joints.count >= 10 && plan.joints.count <= 40);
        CHECK(countTissue(&plan, SN_TISSUE_FLESH) == plan.joints.count); // no guesses
        snCharacter_Destroy(&back);
    }
    snRigPlan_Destroy(&plan);
}

int main(void)
{
    RUN(partsKeepWhatTheyCarry);
    RUN(swayLoops);
    RUN(skinnedCharactersAreRefused);
    RUN(everyAllocationMayFail);
    RUN(spotIsACow);
    RUN(bobIsARing);
    return snTest_Finish();
}
