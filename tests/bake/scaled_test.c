// Bones that squash and stretch: flesh follows their scale, at any scale, and so do morph targets and bones.
#include "asset/gltf.h"
#include "bake/bones.h"
#include "bake/soft.h"
#include "core/core.h"
#include "core/elementary.h"
#include "tests/test.h"

#include <stdio.h>
#include <string.h>

#define RINGS 12 // of the ball
#define SIDES 16
#define KEYS 61

typedef struct Ball {
    snContext context;
    snArena arena;
    snJoint joints[3];
    snSkin skin;
    int skinJoints[2];
    snAffine inverse[2];
    snPart part;
    float times[KEYS], scales[3 * KEYS];
    snChannel channel;
    snClip clip;
    snCharacter character;
} Ball;

// A ball of height 1 over the origin. One bone leads it, from its bottom to its middle; the joint at its
// bottom is scaled by the clip, with all that hangs on it.
static void makeSurface(Ball *b)
{
    snPart *part = &b->part;
    int n = RINGS * SIDES + 2;
    *part = (snPart){.name = "ball", .material = -1, .influences = 4, .primitivesOfMesh = 1};
    part->vertexCount = n;
    part->positions = SN_NEW(&b->arena, snVec3f, n);
    part->normals = SN_NEW(&b->arena, snVec3f, n);
    part->joints = SN_NEW(&b->arena, int, 4 * n);
    part->weights = SN_NEW(&b->arena, float, 4 * n);
    part->triangles = SN_NEW(&b->arena, int, 6 * RINGS * SIDES);
    for (int v = 0; v < n; v++) {
        double a = SN_PI * (v / SIDES + 1) / (RINGS + 1), s = 2 * SN_PI * (v % SIDES) / SIDES;
        if (v >= n - 2) a = v == n - 2 ? 0 : SN_PI;
        snVec3 d = snVec(snSin(a) * snCos(s), -snCos(a), snSin(a) * snSin(s));
        part->normals[v] = snToF(d);
        part->positions[v] = snToF(snMulAdd(snVec(0, 0.5, 0), 0.5, d));
        part->weights[4 * v] = 1;
    }
    for (int r = 0; r <= RINGS; r++)
        for (int s = 0; s < SIDES; s++) {
            int t = (s + 1) % SIDES, low = (r - 1) * SIDES, high = r * SIDES;
            int quad[4] = {low + s, low + t, high + t, high + s};
            int top[3] = {low + s, low + t, n - 1}, bottom[3] = {n - 2, high + t, high + s};
            int *out = part->triangles + 3 * part->triangleCount;
            if (r == 0 || r == RINGS) {
                memcpy(out,
                       (int[3]){r ? top[1] : bottom[0], r ? top[0] : bottom[2],
                                r ? top[2] : bottom[1]},
                       3 * sizeof(int));
                part->triangleCount++;
                continue;
            }
            memcpy(out, (int[6]){quad[0], quad[3], quad[2], quad[0], quad[2], quad[1]},
                   6 * sizeof(int));
            part->triangleCount += 2;
        }
}

static void makeBall(Ball *b, double seconds, snVec3 (*scale)(double t))
{
    const snTransform none = {{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}};
    *b = (Ball){.context = snDefaultContext()};
    b->arena = snMakeArena(&b->context);
    makeSurface(b);
    for (int j = 0; j < 3; j++) {
        b->joints[j] = (snJoint){.name = j == 0   ? "mesh"
                                         : j == 1 ? "foot"
                                                  : "middle",
                                 .parent = j == 2 ? 1 : -1,
                                 .rest = none,
                                 .fileNode = j};
        if (j > 0) b->skinJoints[j - 1] = j;
    }
    b->joints[2].rest.translation = snVec(0, 0.5, 0);
    b->inverse[0] = b->inverse[1] = snIdentityAffine();
    b->inverse[1].origin = snVec(0, -0.5, 0);
    for (int v = 0; v < b->part.vertexCount; v++)
        b->part.joints[4 * v] = b->part.positions[v].y > 0.5f;
    b->skin = (snSkin){"skin", 2, b->skinJoints, b->inverse};
    for (int k = 0; k < KEYS; k++) {
        snVec3 s = scale((double)k / (KEYS - 1));
        b->times[k] = (float)(seconds * k / (KEYS - 1));
        b->scales[3 * k] = (float)s.x;
        b->scales[3 * k + 1] = (float)s.y;
        b->scales[3 * k + 2] = (float)s.z;
    }
    b->channel = (snChannel){1, SN_PATH_SCALE, SN_LINEAR, KEYS, 3, b->times, b->scales};
    b->clip =
        (snClip){.name = "squash", .duration = seconds, .channelCount = 1, .channels = &b->channel};
    b->character = (snCharacter){.skeleton = {3, b->joints},
                                 .skinCount = 1,
                                 .skins = &b->skin,
                                 .partCount = 1,
                                 .parts = &b->part,
                                 .clipCount = 1,
                                 .clips = &b->clip,
                                 .vertexCount = b->part.vertexCount,
                                 .triangleCount = b->part.triangleCount};
}

typedef struct Run {
    double largest; // offset, of the height
    double last;    // at the end
    double error;   // of morph targets
    int targets;
    double boneError;
    long long halvings, resets;
    bool finite;
} Run;

static double smooth(double t)
{
    return t * t * (3 - 2 * t);
}

static snFlesh *buildFlesh(Ball *b, snMotion motion, snMaterial material)
{
    snFleshDef def = snDefaultFleshDef();
    snBakeDef bake = snDefaultBakeDef();
    snFlesh *flesh = NULL;
    snError error = {0};
    def.cells = 300;
    def.motion = motion;
    def.material = material;
    def.step = snBakeDef_Step(&bake);
    if (!CHECK(snFlesh_Build(&flesh, &b->character, &def, &b->context, &error) == SN_OK))
        printf("    %s\n", error.message);
    return flesh;
}

// What was written, read again and played: how far it is from the bake, of the height.
static double playBack(const Ball *b, const snBake *bake, const snBytes *file)
{
    snArena arena = snMakeArena(&b->context);
    snGltfSource source = {.bytes = file->data, .size = file->size};
    const snBakedClip *clip = &bake->clips[0];
    int n = b->part.vertexCount;
    snCharacter read;
    snPose pose;
    double worst = 0;
    if (!CHECK(snGltf_Read(&read, &source, &b->context, NULL) == SN_OK)) return 1;
    snVec3f *at = SN_NEW(&arena, snVec3f, n);
    CHECK(read.clipCount == 2 && read.vertexCount == n);
    CHECK(snPose_Make(&pose, &read.skeleton, read.morphCount, &arena, NULL) == SN_OK);
    for (int k = 0; k < clip->frameCount; k++) {
        snCharacter_Pose(&read, &read.clips[1], snBakedClip_Time(clip, k), &pose);
        snCharacter_Surface(&read, &pose, &b->context.tasks, at, NULL);
        for (int v = 0; v < n; v++)
            worst = fmax(worst, snDistance(snFromF(at[v]), snFromF(clip->positions[k * n + v])));
    }
    snCharacter_Destroy(&read);
    snArena_Destroy(&arena);
    return worst / bake->flesh->height;
}

static Run bakeBall(Ball *b, snMotion motion, snMaterial material)
{
    Run run = {.finite = true};
    snFlesh *flesh = buildFlesh(b, motion, material);
    snBakeDef def = snDefaultBakeDef();
    snSoftDef soft = snDefaultSoftDef();
    snBonesDef bones = snDefaultBonesDef();
    snBytes file = snMakeBytes(&b->context), out = snMakeBytes(&b->context);
    snBake *bake = NULL;
    def.loop = SN_LOOP_NEVER;
    def.middles = true;
    if (!flesh || !CHECK(snBake_Run(&bake, flesh, &def, &b->context, NULL) == SN_OK)) return run;
    const snBakedClip *clip = &bake->clips[0];
    run.largest = clip->largestOffset;
    run.halvings = bake->halvings;
    run.resets = bake->resets;
    for (int k = 0; k < clip->frameCount * b->part.vertexCount; k++)
        run.finite = run.finite && snIsFinite3(snFromF(clip->positions[k]));
    snPose pose;
    snVec3f *rig = SN_NEW(&b->arena, snVec3f, b->part.vertexCount);
    CHECK(snPose_Make(&pose, &b->character.skeleton, 0, &b->arena, NULL) == SN_OK);
    snCharacter_Pose(&b->character, &b->clip, b->clip.duration, &pose);
    snCharacter_Surface(&b->character, &pose, &b->context.tasks, rig, NULL);
    const snVec3f *end = clip->positions + (clip->frameCount - 1) * b->part.vertexCount;
    for (int v = 0; v < b->part.vertexCount; v++)
        run.last = fmax(run.last, snDistance(snFromF(end[v]), snFromF(rig[v])) / flesh->height);
    CHECK(snGlb_FromCharacter(&b->character, &file, NULL) == SN_OK);
    snGltfSource source = {.bytes = file.data, .size = file.size};
    snSoftReport softReport = {0};
    snBonesReport bonesReport = {0};
    snError error = {0};
    if (!CHECK(snSoft_Write(bake, &soft, &source, &out, &softReport, &b->context, &error) == SN_OK))
        printf("    %s\n", error.message);
    CHECK(playBack(b, bake, &out) <= softReport.error + 1e-5);
    run.error = softReport.error;
    run.targets = softReport.targetCount;
    snBytes_Clear(&out);
    if (!CHECK(snBones_Write(bake, &bones, &source, &out, &bonesReport, &b->context, &error) ==
               SN_OK))
        printf("    %s\n", error.message);
    CHECK(playBack(b, bake, &out) <= bonesReport.error + 1e-5);
    run.boneError = bonesReport.error;
    snBytes_Destroy(&file);
    snBytes_Destroy(&out);
    snBake_Destroy(bake);
    snFlesh_Destroy(flesh);
    return run;
}

static snVec3 doubled(double t)
{
    double s = 1 + smooth(t);
    return snVec(s, s, s);
}

static snVec3 squashed(double t)
{
    double y = 1 + 0.4 * snSin(4 * SN_PI * t), x = 1 / sqrt(y);
    return snVec(x, y, x);
}

static snVec3 vanishing(double t)
{
    double s = 0.505 + 0.495 * snCos(2 * SN_PI * t);
    return snVec(s, s, s);
}

static snVec3 flattened(double t)
{
    return snVec(1, 0.505 + 0.495 * snCos(2 * SN_PI * t), 1);
}

static snVec3 gone(double t)
{
    double s = 0.5 + 0.5 * snCos(2 * SN_PI * t);
    return snVec(s, s, s);
}

static snVec3 mirrored(double t)
{
    return snVec(-1, 1 + 0.2 * snSin(2 * SN_PI * t), 1);
}

static snVec3 turnedOver(double t)
{
    return snVec(snCos(2 * SN_PI * t), 1, 1);
}

static void print(const char *name, const Run *r)
{
    printf("    %-24s flesh %.4f of the height off, %.5f at the end; %d targets leave %.4f, bones "
           "%.4f\n",
           name, r->largest, r->last, r->targets, r->error, r->boneError);
}

// Slow scaling is followed, quick scaling swings; in full motion too, where the rest shape is scaled along.
static void fleshFollowsScale(void)
{
    static const struct {
        const char *name;
        double seconds;
        snVec3 (*scale)(double);
        double most; // offset that is right
    } cases[] = {{"doubled in 8 s", 8, doubled, 5e-4}, {"doubled in 1 s", 1, doubled, 0.02},
                 {"squashed", 1, squashed, 0.3},       {"to 0.01", 2, vanishing, 0.02},
                 {"flat to 0.01", 2, flattened, 0.04}, {"to 0", 2, gone, 0.02},
                 {"mirrored", 1, mirrored, 0.05},      {"turned over", 2, turnedOver, 0.02}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int motion = 0; motion < 2; motion++) {
            Ball ball;
            makeBall(&ball, cases[i].seconds, cases[i].scale);
            Run r = bakeBall(&ball, motion ? SN_MOTION_FULL : SN_MOTION_SECONDARY,
                             SN_MATERIAL_COROTATED);
            if (!motion) print(cases[i].name, &r);
            CHECK(r.finite && r.resets == 0 && r.halvings == 0);
            CHECK(r.largest < cases[i].most && r.last < 0.1);
            CHECK(r.error <= 0.005);
            snArena_Destroy(&ball.arena);
        }
}

static void otherMaterials(void)
{
    for (int material = SN_MATERIAL_NEO_HOOKEAN; material <= SN_MATERIAL_GREEN; material++)
        for (int i = 0; i < 2; i++) {
            Ball ball;
            makeBall(&ball, 2, i ? gone : squashed);
            Run r = bakeBall(&ball, i ? SN_MOTION_FULL : SN_MOTION_SECONDARY, (snMaterial)material);
            CHECK(r.finite && r.resets == 0 && r.largest < 0.2 && r.error <= 0.005);
            snArena_Destroy(&ball.arena);
        }
}

// A ball that begins at twice its size in full motion has no strain there: it stays as it is, to rounding.
static snVec3 large(double t)
{
    return snVec(2 + 0 * t, 2, 2);
}

static void startsInShape(void)
{
    for (int solver = 0; solver < 2; solver++) {
        Ball ball;
        snFlesh *flesh = NULL;
        snFleshDef def = snDefaultFleshDef();
        snBakeDef bakeDef = snDefaultBakeDef();
        snBake *bake = NULL;
        makeBall(&ball, 0.5, large);
        def.cells = 300;
        def.motion = SN_MOTION_FULL;
        def.precision = SN_PRECISION_DOUBLE;
        def.solver = solver ? SN_SOLVER_LINEAR : SN_SOLVER_PROJECTIVE;
        def.step = snBakeDef_Step(&bakeDef);
        CHECK(snFlesh_Build(&flesh, &ball.character, &def, &ball.context, NULL) == SN_OK);
        CHECK(snBake_Run(&bake, flesh, &bakeDef, &ball.context, NULL) == SN_OK);
        CHECK(bake && bake->clips[0].largestOffset < 1e-6);
        snBake_Destroy(bake);
        snFlesh_Destroy(flesh);
        snArena_Destroy(&ball.arena);
    }
}

// Energy is measured against the scaled shape: none on the rig, and a state that is drawn there has none.
static void energyOfScaledShape(void)
{
    Ball ball;
    makeBall(&ball, 1, squashed);
    snFlesh *flesh = buildFlesh(&ball, SN_MOTION_FULL, SN_MATERIAL_COROTATED);
    snLatticeState *state = NULL;
    snFleshDriver driver;
    snPose pose;
    if (!flesh) return;
    const snLatticeModel *model = flesh->model;
    CHECK(snPose_Make(&pose, &ball.character.skeleton, 0, &ball.arena, NULL) == SN_OK);
    CHECK(snFleshDriver_Make(&driver, flesh, &ball.arena, NULL) == SN_OK);
    CHECK(snLatticeState_Make(&state, model, 1, &ball.context, NULL) == SN_OK);
    snCharacter_Pose(&ball.character, &ball.clip, 0.125, &pose);
    snLatticeDrive drive = snFlesh_Drive(flesh, &pose, &driver);
    CHECK(drive.shape && !drive.share);
    snLatticeState_Start(model, state, drive.rig, NULL);
    double wrong = snLatticeState_ElasticEnergy(model, state, 0); // of the shape as it was built
    snLatticeState_SetShape(model, state, drive.shape);
    snLatticeState_Start(model, state, drive.rig, NULL);
    CHECK(snLatticeState_ElasticEnergy(model, state, 0) < 1e-9 * wrong);
    for (int k = 0; k < 4; k++)
        CHECK(snFlesh_Step(flesh, state, &drive));
    for (int i = 0; i < model->freeCount; i++)
        state->position[4 * i] += 0.1 * state->position[4 * i + 1];
    CHECK(snLatticeState_ElasticEnergy(model, state, 0) > 1e-3 * wrong);
    double *share = SN_NEW(&ball.arena, double, model->vertexCount);
    snLatticeState_Draw(model, state, share);
    CHECK(snLatticeState_ElasticEnergy(model, state, 0) < 1e-9 * wrong);
    for (int k = 0; k < 4 * model->vertexCount; k++)
        CHECK(state->position[k] == state->rig[k] && state->velocity[k] == state->rigVelocity[k]);
    snLatticeState_Destroy(state);
    snFlesh_Destroy(flesh);
    snArena_Destroy(&ball.arena);
}

int main(void)
{
    RUN(fleshFollowsScale);
    RUN(otherMaterials);
    RUN(startsInShape);
    RUN(energyOfScaledShape);
    return snTest_Finish();
}
