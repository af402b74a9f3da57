// A small character made by code for the glTF tests: a tube over three joints and a rigid hat, with
// colours, materials, morph targets and clips of every interpolation.
#ifndef SN_TESTS_ASSET_GLTF_MAKE_H
#define SN_TESTS_ASSET_GLTF_MAKE_H

#include "asset/gltf.h"

#define MAKE_RINGS 7
#define MAKE_SIDES 6
#define MAKE_VERTICES (MAKE_RINGS * MAKE_SIDES)

static void makeTube(snPart *part, snArena *arena, int influences)
{
    static const double angle[MAKE_SIDES][2] = {{1, 0},  {0.5, 0.866},   {-0.5, 0.866},
                                                {-1, 0}, {-0.5, -0.866}, {0.5, -0.866}};
    part->vertexCount = MAKE_VERTICES;
    part->triangleCount = 2 * MAKE_SIDES * (MAKE_RINGS - 1);
    part->positions = SN_NEW(arena, snVec3f, MAKE_VERTICES);
    part->normals = SN_NEW(arena, snVec3f, MAKE_VERTICES);
    part->uv = SN_NEW(arena, float, 2 * MAKE_VERTICES);
    part->colors = SN_NEW(arena, float, 4 * MAKE_VERTICES);
    part->attributeCount = 1;
    part->attributes = SN_NEW(arena, snAttribute, 1);
    part->attributes[0] = (snAttribute){"_SOFTNESS", 2, part->uv};
    part->triangles = SN_NEW(arena, int, 3 * part->triangleCount);
    part->influences = influences;
    part->joints = SN_NEW(arena, int, MAKE_VERTICES *influences);
    part->weights = SN_NEW(arena, float, MAKE_VERTICES *influences);
    int *corner = part->triangles;
    for (int v = 0; v < MAKE_VERTICES; v++) {
        int ring = v / MAKE_SIDES, side = v % MAKE_SIDES;
        snVec3 normal = snVec(angle[side][0], 0, angle[side][1]);
        normal = snNormalizeOr(normal, normal);
        part->positions[v] = snToF(snMulAdd(snVec(0, 0.3 * ring, 0), 0.25, normal));
        part->normals[v] = snToF(normal);
        part->uv[2 * v] = (float)side / MAKE_SIDES;
        part->uv[2 * v + 1] = (float)ring / MAKE_RINGS;
        for (int k = 0; k < 4; k++)
            part->colors[4 * v + k] = k == 3 ? 1.0f : (float)(v + k) / (MAKE_VERTICES + 4);
        if (influences) {
            double t = 2.0 * ring / (MAKE_RINGS - 1);
            int joint = t < 1 ? 0 : 1;
            part->joints[v * influences] = joint;
            part->joints[v * influences + influences - 1] = joint + 1;
            part->weights[v * influences + influences - 1] = (float)(t - joint);
            part->weights[v * influences] = 1.0f - part->weights[v * influences + influences - 1];
        }
        if (ring + 1 == MAKE_RINGS) continue;
        int right = ring * MAKE_SIDES + (side + 1) % MAKE_SIDES;
        int quad[6] = {v, v + MAKE_SIDES, right, right, v + MAKE_SIDES, right + MAKE_SIDES};
        for (int i = 0; i < 6; i++)
            *corner++ = quad[i];
    }
}

static void makeTargets(snPart *part, snArena *arena, int count, int firstMorph)
{
    part->targetCount = count;
    part->firstMorph = firstMorph;
    part->targets = SN_NEW(arena, snVec3f *, count);
    part->targetNormals = SN_NEW(arena, snVec3f *, count);
    for (int t = 0; t < count; t++) {
        part->targets[t] = SN_NEW(arena, snVec3f, part->vertexCount);
        if (t == 0) part->targetNormals[t] = SN_NEW(arena, snVec3f, part->vertexCount);
        for (int v = 0; v < part->vertexCount; v++) {
            part->targets[t][v] = (snVec3f){0.01f * (float)(t + v), -0.02f, 0.5f};
            if (t == 0) part->targetNormals[t][v] = (snVec3f){0, 0.125f, 0};
        }
    }
}

static snChannel makeChannel(snArena *arena, snPath path, snInterpolation interpolation, int joint,
                             int width)
{
    int keys = 4, rows = keys * (interpolation == SN_CUBIC ? 3 : 1);
    float *times = SN_NEW(arena, float, keys), *values = SN_NEW(arena, float, rows *width);
    for (int k = 0; k < keys; k++)
        times[k] = 0.25f * (float)(k + 1);
    for (int i = 0; i < rows * width; i++)
        values[i] = path == SN_PATH_ROTATION ? (i % 4 == i / 4 % 4 ? 1.0f : 0.0f)
                                             : 1.0f + 0.125f * (float)(i % 7);
    return (snChannel){joint, path, interpolation, keys, width, times, values};
}

static void makeSkeleton(snCharacter *c)
{
    static const char *names[] = {"body", "root", "middle", "tip \"quoted\"", "hat"};
    snArena *arena = &c->arena;
    c->skeleton.jointCount = 5;
    c->skeleton.joints = SN_NEW(arena, snJoint, 5);
    for (int j = 0; j < 5; j++) {
        snJoint *joint = &c->skeleton.joints[j];
        joint->name = names[j];
        joint->parent = j < 2 ? -1 : j - 1;
        joint->fileNode = j;
        joint->rest = (snTransform){snVec(0, j > 1 ? 0.9 : 0, 0), snIdentityQuat(), snVec(1, 1, 1)};
    }
    c->skeleton.joints[2].rest.rotation = (snQuat){0.6, 0, 0, 0.8};
    c->skeleton.joints[3].rest.scale = snVec(1, 2, 1);
    c->skeleton.joints[4].hasMatrix = true;
    c->skeleton.joints[4].matrix = (snAffine){{{1, 0, 0}, {0, 2, 0}, {0, 0, -1}}, {0, 0.25, 0}};
    c->skinCount = 1;
    c->skins = SN_NEW(arena, snSkin, 1);
    c->skins[0] = (snSkin){"skin", 3, SN_NEW(arena, int, 3), SN_NEW(arena, snAffine, 3)};
    for (int j = 0; j < 3; j++) {
        c->skins[0].joints[j] = j + 1;
        c->skins[0].inverseBind[j] = snIdentityAffine();
        c->skins[0].inverseBind[j].origin = snVec(0, -0.9 * j, 0);
    }
}

static void makeClips(snCharacter *c)
{
    snArena *arena = &c->arena;
    c->clipCount = 2;
    c->clips = SN_NEW(arena, snClip, 2);
    for (int i = 0; i < 2; i++) {
        snClip *clip = &c->clips[i];
        snInterpolation other = i ? SN_CUBIC : SN_STEP;
        clip->name = i ? "Hop" : "Walk";
        clip->start = 0.25;
        clip->duration = 0.75;
        clip->channelCount = i ? 3 : 4;
        clip->channels = SN_NEW(arena, snChannel, 4);
        clip->channels[0] = makeChannel(arena, SN_PATH_TRANSLATION, SN_LINEAR, 1, 3);
        clip->channels[1] = makeChannel(arena, SN_PATH_ROTATION, SN_LINEAR, 2, 4);
        clip->channels[2] = makeChannel(arena, SN_PATH_SCALE, other, 3, 3);
        clip->channels[1].times = clip->channels[0].times; // shared in the file as well
        if (!i) clip->channels[3] = makeChannel(arena, SN_PATH_MORPHS, SN_LINEAR, 0, 2);
    }
}

// Two skinned primitives of one mesh with two morph targets, and a rigid one on the last joint.
static void makeCharacter(snCharacter *c, const snContext *context)
{
    *c = (snCharacter){.arena = snMakeArena(context)};
    snArena *arena = &c->arena;
    makeSkeleton(c);
    makeClips(c);
    c->materialCount = 2;
    c->materials = SN_NEW(arena, snMaterialLook, 2);
    c->materials[0] = (snMaterialLook){.name = "red", .color = {0.8f, 0.1f, 0.1f, 1}};
    c->materials[1] = (snMaterialLook){.name = "", .color = {1, 1, 1, 0.5f}, .doubleSided = true};
    c->partCount = 3;
    c->parts = SN_NEW(arena, snPart, 3);
    for (int p = 0; p < 3; p++) {
        snPart *part = &c->parts[p];
        bool hat = p == 2;
        makeTube(part, arena, hat ? 0 : p ? 8 : 4);
        part->name = hat ? "hat" : "body";
        part->node = hat ? 4 : 0;
        part->mesh = hat ? 1 : 0;
        part->primitive = hat ? 0 : p;
        part->skin = hat ? -1 : 0;
        part->material = p - 1;
        if (!hat) makeTargets(part, arena, 2, 0);
        if (p == 1) part->uv = NULL;
        c->vertexCount += part->vertexCount;
        c->triangleCount += part->triangleCount;
    }
    c->parts[2].firstMorph = 2;
    c->morphCount = 2;
    c->restMorphs = SN_NEW(arena, double, 2);
    c->restMorphs[1] = 0.5;
}

#endif
