// Pictures of characters: mirrored rigs are not drawn inside out, and control bones not at all.
#include "cli/show.h"

#include "demo.h"
#include "tests/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 160 };
static snRenderer *renderer; // NULL: no EGL here
static snContext context;

static snCharacter demo; // made once

// The demo with joints and skin that may be changed; lives in the demo's arena.
static snCharacter copyDemo(void)
{
    snCharacter copy = demo;
    size_t n = (size_t)demo.skeleton.jointCount;
    copy.skeleton.joints = snArena_Copy(&demo.arena, demo.skeleton.joints, sizeof(snJoint), n);
    copy.skins = snArena_Copy(&demo.arena, demo.skins, sizeof(snSkin), (size_t)demo.skinCount);
    if (!copy.skeleton.joints || !copy.skins) exit(1);
    return copy;
}

static snShow showRest(const snCharacter *character)
{
    snShow show;
    double time = 0;
    if (!CHECK(snShow_MakeRig(&show, character, NULL, 1, &time, &context, NULL) == SN_OK)) exit(1);
    return show;
}

static snImage draw(snShow *show, unsigned overlays)
{
    snCamera camera = snDefaultCamera();
    snImage image = {0};
    camera.automatic = false;
    camera.yaw = camera.pitch = 0;
    show->overlays = overlays;
    if (!CHECK(snShow_Draw(show, 0, renderer, &camera, &image, NULL) == SN_OK)) exit(1);
    return image;
}

// Share of pixels that differ by more than a little.
static double differing(const snImage *a, const snImage *b)
{
    int count = 0;
    for (int i = 0; i < a->width * a->height; i++) {
        int most = 0;
        for (int c = 0; c < 3; c++) {
            int d = abs(a->pixels[4 * i + c] - b->pixels[4 * i + c]);
            most = d > most ? d : most;
        }
        count += most > 24;
    }
    return (double)count / (a->width * a->height);
}

// The demo is its own mirror image: mirrored by the scale of its root it looks as before, by its own
// colours and as glass.
static void mirroredRigsShowTheirOutside(void)
{
    snCharacter mirrored = copyDemo();
    mirrored.skeleton.joints[DEMO_ROOT].rest.scale.x *= -1;
    snShow a = showRest(&demo), b = showRest(&mirrored);
    for (int p = 0; p < demo.partCount; p++)
        CHECK(!a.shots[0].mirrored[p] && b.shots[0].mirrored[p]);
    if (renderer) {
        unsigned overlays[] = {0, SN_OVERLAY_SKELETON};
        for (int i = 0; i < 2; i++) {
            snImage of = draw(&a, overlays[i]), as = draw(&b, overlays[i]);
            double right = differing(&of, &as);
            memset(b.shots[0].mirrored, 0, (size_t)mirrored.partCount);
            snImage inside = draw(&b, overlays[i]);
            double wrong = differing(&of, &inside);
            memset(b.shots[0].mirrored, 1, (size_t)mirrored.partCount);
            printf("pixels that differ: %.4f; inside out %.4f\n", right, wrong);
            CHECK(right < 0.04 && wrong > 0.06 && wrong > 4 * right); // its spots differ
            snImage_Destroy(&of);
            snImage_Destroy(&as);
            snImage_Destroy(&inside);
        }
    }
    snShow_Destroy(&a);
    snShow_Destroy(&b);
}

// Adds a joint to the skeleton and to the skin; nothing hangs on it.
static int addJoint(snCharacter *c, const char *name, int parent, snVec3 place)
{
    int n = c->skeleton.jointCount, m = c->skins[0].jointCount;
    snJoint *joints = SN_NEW(&demo.arena, snJoint, n + 1);
    int *list = SN_NEW(&demo.arena, int, m + 1);
    snAffine *bind = SN_NEW(&demo.arena, snAffine, m + 1);
    if (!joints || !list || !bind) exit(1);
    memcpy(joints, c->skeleton.joints, (size_t)n * sizeof *joints);
    memcpy(list, c->skins[0].joints, (size_t)m * sizeof *list);
    memcpy(bind, c->skins[0].inverseBind, (size_t)m * sizeof *bind);
    joints[n] = (snJoint){.name = name, .parent = parent, .fileNode = n};
    joints[n].rest = (snTransform){place, snIdentityQuat(), snVec(1, 1, 1)};
    list[m] = n;
    bind[m] = snIdentityAffine();
    c->skeleton = (snSkeleton){n + 1, joints};
    c->skins[0].joints = list;
    c->skins[0].inverseBind = bind;
    c->skins[0].jointCount = m + 1;
    return n;
}

static void controlsAreLeftOut(void)
{
    snCharacter rigged = copyDemo();
    int pole = addJoint(&rigged, "pole", DEMO_ROOT, snVec(3, 0, 0));
    addJoint(&rigged, "pole_2", pole, snVec(0, 1, 0));
    addJoint(&rigged, "knee_control", DEMO_LEG_FL, snVec(0, 0, 2));
    snShow a = showRest(&demo), b = showRest(&rigged);
    CHECK(a.boneCount > 20 && b.boneCount == a.boneCount);
    CHECK(!memcmp(a.shots[0].tails, b.shots[0].tails, (size_t)a.boneCount * sizeof(snVec3f)));
    snShow_Destroy(&b);
    // The end of a chain is drawn: the last bone leads there.
    addJoint(&rigged, "tail_tip", DEMO_TAIL_3, snVec(0, -0.1, -0.1));
    b = showRest(&rigged);
    CHECK(b.boneCount == a.boneCount + 1);
    snShow_Destroy(&a);
    snShow_Destroy(&b);
}

static void memoryRunsOut(void)
{
    snStatus status = SN_ERROR_MEMORY;
    for (int failAt = 1; status && failAt < 100; failAt++) {
        snContext failing = snDefaultContext();
        snFailingMemory memory = {.failAtWay = failAt};
        snShow show;
        double time = 0;
        snTest_UseFailingMemory(&failing, &memory);
        status = snShow_MakeRig(&show, &demo, NULL, 1, &time, &failing, NULL);
        CHECK(!status || status == SN_ERROR_MEMORY);
        if (!status) snShow_Destroy(&show);
        CHECK(memory.alive == 0);
    }
    CHECK(status == SN_OK);
}

int main(void)
{
    context = snDefaultContext();
    snRendererDef def = snDefaultRendererDef();
    def.width = def.height = SIZE;
    if (snDemo_Make(&demo, &context, NULL)) return 1;
    if (snRenderer_Make(&renderer, &def, NULL)) printf("without EGL: no pixels are compared\n");
    RUN(mirroredRigsShowTheirOutside);
    RUN(controlsAreLeftOut);
    RUN(memoryRunsOut);
    snRenderer_Destroy(renderer);
    snCharacter_Destroy(&demo);
    return snTest_Finish();
}
