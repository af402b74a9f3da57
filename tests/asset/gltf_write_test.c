#include "asset/gltf.h"
#include "tests/asset/gltf_make.h"
#include "tests/test.h"

#include <stdio.h>
#include <string.h>

static void readBack(const snBytes *glb, snCharacter *out, const snContext *context)
{
    snError error = {0};
    snGltfSource source = {.bytes = glb->data, .size = glb->size};
    if (!CHECK(snGltf_Read(out, &source, context, &error) == SN_OK))
        printf("    %s\n", error.message);
}

static bool sameFloats(const float *a, const float *b, int count)
{
    return !memcmp(a, b, (size_t)count * sizeof(float));
}

static void compareParts(const snPart *a, const snPart *b)
{
    int n = a->vertexCount;
    CHECK(!strcmp(a->name, b->name) && a->node == b->node && a->mesh == b->mesh);
    CHECK(a->primitive == b->primitive && a->skin == b->skin && a->material == b->material);
    if (!CHECK(n == b->vertexCount && a->triangleCount == b->triangleCount)) return;
    CHECK(sameFloats(&a->positions->x, &b->positions->x, 3 * n));
    for (int v = 0; v < n; v++)
        CHECK_NEAR(snDistance(snFromF(a->normals[v]), snFromF(b->normals[v])), 0, 1e-7);
    CHECK(!a->uv == !b->uv && (!a->uv || sameFloats(a->uv, b->uv, 2 * n)));
    CHECK(sameFloats(a->colors, b->colors, 4 * n));
    CHECK(a->attributeCount == b->attributeCount);
    for (int i = 0; i < a->attributeCount && i < b->attributeCount; i++) {
        const snAttribute *c = &a->attributes[i], *d = &b->attributes[i];
        CHECK(!strcmp(c->name, d->name) && c->width == d->width);
        CHECK(sameFloats(c->values, d->values, n * c->width));
    }
    CHECK(!memcmp(a->triangles, b->triangles, 3 * (size_t)a->triangleCount * sizeof(int)));
    if (!CHECK(a->influences == b->influences)) return;
    for (int i = 0; i < n * a->influences; i++) {
        CHECK_NEAR((double)a->weights[i], (double)b->weights[i], 1e-7);
        CHECK(a->weights[i] == 0 || a->joints[i] == b->joints[i]);
    }
    if (!CHECK(a->targetCount == b->targetCount && a->firstMorph == b->firstMorph)) return;
    for (int t = 0; t < a->targetCount; t++) {
        CHECK(sameFloats(&a->targets[t]->x, &b->targets[t]->x, 3 * n));
        CHECK(!a->targetNormals[t] == !b->targetNormals[t]);
    }
}

static void compareSkeletons(const snSkeleton *a, const snSkeleton *b)
{
    if (!CHECK(a->jointCount == b->jointCount)) return;
    for (int j = 0; j < a->jointCount; j++) {
        const snJoint *x = &a->joints[j], *y = &b->joints[j];
        CHECK(!strcmp(x->name, y->name) && x->parent == y->parent && y->fileNode == j);
        CHECK(x->hasMatrix == y->hasMatrix);
        snAffine p = x->hasMatrix ? x->matrix : snTransform_ToAffine(x->rest);
        snAffine q = y->hasMatrix ? y->matrix : snTransform_ToAffine(y->rest);
        CHECK(!memcmp(&p, &q, sizeof p));
    }
}

static void compareClips(const snClip *a, const snClip *b)
{
    CHECK(!strcmp(a->name, b->name) && a->start == b->start && a->duration == b->duration);
    if (!CHECK(a->channelCount == b->channelCount)) return;
    for (int c = 0; c < a->channelCount; c++) {
        const snChannel *x = &a->channels[c], *y = &b->channels[c];
        CHECK(x->joint == y->joint && x->path == y->path && x->interpolation == y->interpolation);
        if (!CHECK(x->keyCount == y->keyCount && x->width == y->width)) continue;
        int perKey = x->width * (x->interpolation == SN_CUBIC ? 3 : 1);
        CHECK(sameFloats(x->times, y->times, x->keyCount));
        CHECK(sameFloats(x->values, y->values, x->keyCount * perKey));
    }
    CHECK(b->channels[0].times == b->channels[1].times);
}

static void everythingComesBack(void)
{
    snContext context = snDefaultContext();
    snCharacter made, back;
    snBytes glb = snMakeBytes(&context), again = snMakeBytes(&context);
    makeCharacter(&made, &context);
    CHECK(snGlb_FromCharacter(&made, &glb, NULL) == SN_OK);
    readBack(&glb, &back, &context);
    CHECK(back.partCount == 3 && back.vertexCount == made.vertexCount);
    for (int p = 0; p < 3 && back.partCount == 3; p++)
        compareParts(&made.parts[p], &back.parts[p]);
    compareSkeletons(&made.skeleton, &back.skeleton);
    CHECK(back.skinCount == 1 && back.skins[0].jointCount == 3);
    CHECK_NEAR(back.skins[0].inverseBind[2].origin.y, -1.8, 1e-7);
    CHECK(back.materialCount == 2 && back.materials[1].doubleSided);
    CHECK(sameFloats(made.materials[0].color, back.materials[0].color, 4));
    CHECK(back.morphCount == 2 && back.restMorphs[1] == 0.5);
    CHECK(back.clipCount == 2);
    for (int i = 0; i < 2 && back.clipCount == 2; i++)
        compareClips(&made.clips[i], &back.clips[i]);
    // Written again it gives the same bytes.
    CHECK(snGlb_FromCharacter(&made, &again, NULL) == SN_OK);
    CHECK(glb.size == again.size && glb.size % 4 == 0);
    CHECK(!memcmp(glb.data, again.data, glb.size));
    snBytes_Destroy(&glb);
    snBytes_Destroy(&again);
    snCharacter_Destroy(&made);
    snCharacter_Destroy(&back);
}

// Two meshes on one joint: the second gets a node of its own below the joint. A skinned mesh on a
// joint of its skin gets one that stands alone.
static void meshesThatNeedNodesOfTheirOwn(void)
{
    snContext context = snDefaultContext();
    snCharacter made, back;
    snBytes glb = snMakeBytes(&context);
    makeCharacter(&made, &context);
    made.parts[2].node = 0;
    CHECK(snGlb_FromCharacter(&made, &glb, NULL) == SN_OK);
    readBack(&glb, &back, &context);
    CHECK(back.partCount == 3 && back.skeleton.jointCount == 6);
    int helper = back.parts[2].node;
    CHECK(back.skeleton.joints[helper].parent == 0 && back.skeleton.joints[helper].fileNode == 5);
    snCharacter_Destroy(&back);
    made.parts[0].node = made.parts[1].node = 1;
    snBytes_Clear(&glb);
    CHECK(snGlb_FromCharacter(&made, &glb, NULL) == SN_OK);
    readBack(&glb, &back, &context);
    helper = back.parts[2].node;
    CHECK(back.parts[2].mesh == 0 && back.skeleton.joints[helper].parent == -1);
    CHECK(back.skeleton.joints[helper].fileNode == 5);
    snBytes_Destroy(&glb);
    snCharacter_Destroy(&made);
    snCharacter_Destroy(&back);
}

// Pictures that glTF embeds come back with their bytes; one of another kind, and one without bytes, are left out, and the
// textures behind them are numbered without them.
static void picturesComeBack(void)
{
    snContext context = snDefaultContext();
    snCharacter made, back;
    snBytes glb = snMakeBytes(&context);
    makeCharacter(&made, &context);
    static const uint8_t png[] = "\x89PNG and more", jpeg[] = "\xFF\xD8\xFF and more",
                         bmp[] = "BM6...";
    snTexture images[5] = {{.name = "none"},
                           {.name = "bitmap", .bytes = bmp, .size = sizeof bmp},
                           {.name = "", .bytes = png, .size = sizeof png},
                           {.name = "photo", .bytes = jpeg, .size = sizeof jpeg},
                           {.name = "short", .bytes = png, .size = 4}};
    made.imageCount = 5;
    made.images = images;
    CHECK(made.materialCount >= 2);
    made.materials[0].image = &images[3];
    made.materials[1].image = &images[1]; // not written: a material without a picture
    CHECK(snGlb_FromCharacter(&made, &glb, NULL) == SN_OK);
    readBack(&glb, &back, &context);
    CHECK(back.imageCount == 2);
    CHECK(back.images[0].size == sizeof png && !memcmp(back.images[0].bytes, png, sizeof png));
    CHECK(back.images[1].size == sizeof jpeg && !memcmp(back.images[1].bytes, jpeg, sizeof jpeg));
    CHECK(back.materials[0].image == &back.images[1] && !back.materials[1].image);
    snBytes_Destroy(&glb);
    snCharacter_Destroy(&made);
    snCharacter_Destroy(&back);
}

static void badPartsAreRefused(void)
{
    snContext context = snDefaultContext();
    snCharacter made;
    snBytes glb = snMakeBytes(&context);
    snError error;
    makeCharacter(&made, &context);
    made.parts[1].positions[5].y = NAN;
    CHECK(snGlb_FromCharacter(&made, &glb, &error) == SN_ERROR_ARGUMENT);
    CHECK(!strcmp(error.message, "part 1: vertex 5 is not finite"));
    made.parts[1].positions[5].y = 0;
    static const struct {
        int node, skin, material;
    } wrong[] = {{-1, 0, 0}, {99, 0, 0}, {0, 9, 0}, {0, 0, 9}};
    snPart part = made.parts[0];
    for (int i = 0; i < 4; i++) { // numbers of what is not there
        made.parts[0] = part;
        made.parts[0].node = wrong[i].node;
        made.parts[0].skin = wrong[i].skin;
        made.parts[0].material = wrong[i].material;
        CHECK(snGlb_FromCharacter(&made, &glb, &error) == SN_ERROR_ARGUMENT);
        CHECK(!strncmp(error.message, "part 0", 6) && glb.size == 0);
    }
    made.parts[0] = part;
    made.parts[0].vertexCount = 0;
    CHECK(snGlb_FromCharacter(&made, &glb, &error) == SN_ERROR_ARGUMENT);
    made.parts[0] = part;
    made.parts[0].triangleCount = 0;
    CHECK(snGlb_FromCharacter(&made, &glb, &error) == SN_ERROR_ARGUMENT);
    CHECK(glb.size == 0);
    snBytes_Destroy(&glb);
    snCharacter_Destroy(&made);
}

static void everyAllocationMayFail(void)
{
    snContext plain = snDefaultContext();
    snCharacter made;
    makeCharacter(&made, &plain);
    for (int failAt = 1; failAt < 500; failAt++) {
        snContext context = snDefaultContext();
        snFailingMemory memory = {.failAtWay = failAt};
        snTest_UseFailingMemory(&context, &memory);
        snBytes glb = snMakeBytes(&context);
        snStatus status = snGlb_FromCharacter(&made, &glb, NULL);
        snBytes_Destroy(&glb);
        CHECK(memory.alive == 0);
        CHECK(status == (memory.count < failAt ? SN_OK : SN_ERROR_MEMORY));
        if (!status) break;
    }
    snCharacter_Destroy(&made);
}

int main(void)
{
    RUN(everythingComesBack);
    RUN(meshesThatNeedNodesOfTheirOwn);
    RUN(picturesComeBack);
    RUN(badPartsAreRefused);
    RUN(everyAllocationMayFail);
    return snTest_Finish();
}
