// The demo character from end to end: its flesh, and what it does in its clips.
#include "tests/test.h"

#include "asset/gltf.h"
#include "bake/bake.h"
#include "bake/jumps.h"
#include "core/core.h"
#include "demo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Stage {
    snContext context;
    snCharacter character;
    snFlesh *flesh;
} Stage;

static Stage stage; // built once: making the character takes seconds under sanitizers

static void setUp(void)
{
    snError error = {0};
    stage.context = snDefaultContext();
    snFleshDef def = snDefaultFleshDef();
    if (snDemo_Make(&stage.character, &stage.context, &error) ||
        snFlesh_Build(&stage.flesh, &stage.character, &def, &stage.context, &error)) {
        printf("%s\n", error.message);
        exit(1);
    }
}

static int clipNamed(const char *name)
{
    return snCharacter_FindClip(&stage.character, name);
}

static snBake *bakeClip(const char *name)
{
    int clip = clipNamed(name);
    snBakeDef def = snDefaultBakeDef();
    snBake *bake = NULL;
    snError error = {0};
    def.clips = &clip;
    def.clipCount = 1;
    if (snBake_Run(&bake, stage.flesh, &def, &stage.context, &error)) {
        printf("%s\n", error.message);
        exit(1);
    }
    CHECK(bake->events.count == 0);
    return bake;
}

static void fleshIsSound(void)
{
    const snFlesh *f = stage.flesh;
    snError error = {0};
    CHECK(snLattice_Check(&f->lattice, &stage.context, &error) == SN_OK);
    CHECK(snLattice_MissingBoneEdges(&f->lattice, f->bones, f->boneCount, 1e-6 * f->height,
                                     &stage.context) == 0);
    CHECK(f->embedding.outside == 0);
    CHECK(f->report.worstQuality > 0.1);
    double volume = fabs(snMesh_Volume(&f->surface));
    printf("%d cells, %d vertices; mass %.1f kg, surface encloses %.1f kg\n", f->lattice.cellCount,
           f->lattice.vertexCount, f->model->totalMass, 1000 * volume);
    CHECK_NEAR(f->model->totalMass / (1000 * volume), 1, 0.05);
    for (int j = 0; j < DEMO_JOINTS; j++) { // every bone that leads has known vertices
        int known = 0;
        for (int v = 0; v < f->lattice.vertexCount; v++)
            known += f->known[v] && f->lattice.joint[v] == j;
        if (!f->joints[j].free) CHECK(known > 0);
    }
}

// Young's modulus of the cell around the middle of a joint's bone.
static double stiffnessOf(int joint)
{
    const snFlesh *f = stage.flesh;
    double sum = 0, count = 0;
    for (int c = 0; c < f->lattice.cellCount; c++)
        for (int k = 0; k < 4; k++)
            if (f->lattice.joint[snLattice_Corners(&f->lattice, c)[k]] == joint) {
                sum += log(f->young[c]);
                count++;
                break;
            }
    return exp(sum / count);
}

static void tissuesDiffer(void)
{
    double ear = stiffnessOf(DEMO_EAR_L_2), horn = stiffnessOf(DEMO_HORN_L);
    double spine = stiffnessOf(DEMO_SPINE);
    printf("Young's modulus: ear %.3g, spine %.3g, horn %.3g Pa\n", ear, spine, horn);
    CHECK(horn > 30 * ear);
    CHECK(horn > 30 * spine);
}

// How far flesh is from its rig, of the height, when the skeleton travels as a whole at constant velocity,
// turned.
static double offRigid(const snFlesh *f)
{
    const snSkeleton *skeleton = &stage.character.skeleton;
    snArena arena = snMakeArena(&stage.context);
    snPose pose;
    snLatticeState *state;
    int n = f->lattice.vertexCount * 4;
    CHECK(snPose_Make(&pose, skeleton, stage.character.morphCount, &arena, NULL) == SN_OK);
    CHECK(snLatticeState_Make(&state, f->model, 1, &stage.context, NULL) == SN_OK);
    snAffine *globals = SN_NEW(&arena, snAffine, skeleton->jointCount);
    snFleshDriver driver;
    CHECK(snFleshDriver_Make(&driver, f, &arena, NULL) == SN_OK);
    double *velocity = SN_NEW(&arena, double, n), worst = 0;
    snPose_Globals(&pose, skeleton);
    memcpy(globals, pose.global, (size_t)skeleton->jointCount * sizeof(snAffine));
    snAffine motion = {snQuatToMat(snQuatFromAxisAngle(snVec(0.6, 0.8, 0), 2)), {0, 0, 0}};
    for (int i = 0; i < n; i += 4)
        velocity[i] = 4;
    for (int k = 0; k <= 60; k++) {
        motion.origin = snVec(4 * k * f->model->def.step, 0, 0);
        for (int j = 0; j < skeleton->jointCount; j++)
            pose.global[j] = snMulAA(motion, globals[j]);
        snLatticeDrive drive = snFlesh_Drive(f, &pose, &driver);
        const double *rig = drive.rig;
        if (k == 0)
            snLatticeState_Start(f->model, state, rig, velocity);
        else
            snLattice_Step(f->model, state, &drive);
        for (int i = 0; i < n; i++)
            worst = fmax(worst, fabs(state->position[i] - rig[i]));
    }
    snLatticeState_Destroy(state);
    snArena_Destroy(&arena);
    return worst / f->height;
}

static void rigidMotionDeformsNothing(void)
{
    snFleshDef def = snDefaultFleshDef();
    snFlesh *precise;
    def.precision = SN_PRECISION_DOUBLE;
    if (!CHECK(!snFlesh_Build(&precise, &stage.character, &def, &stage.context, NULL))) return;
    double off = offRigid(precise), single = offRigid(stage.flesh);
    printf("rigid motion: flesh is off by %.1e of the height, in single precision by %.1e\n", off,
           single);
    CHECK(off < 1e-10);
    CHECK(single < 1e-5);
    snFlesh_Destroy(precise);
}

// Lying on its side, the character's flesh sinks towards the new down when gravity's change counts,
// and turned about the vertical it feels nothing.
static void gravityChangeHangs(snPrecision precision)
{
    snFleshDef def = snDefaultFleshDef();
    def.cells = 300;
    def.gravityChange = 9.81;
    def.precision = precision;
    snFlesh *f;
    if (!CHECK(snFlesh_Build(&f, &stage.character, &def, &stage.context, NULL) == SN_OK)) return;
    const snSkeleton *skeleton = &stage.character.skeleton;
    snArena arena = snMakeArena(&stage.context);
    snPose pose;
    snFleshDriver driver;
    snLatticeState *state;
    CHECK(snPose_Make(&pose, skeleton, stage.character.morphCount, &arena, NULL) == SN_OK);
    CHECK(snFleshDriver_Make(&driver, f, &arena, NULL) == SN_OK);
    CHECK(snLatticeState_Make(&state, f->model, 1, &stage.context, NULL) == SN_OK);
    for (int turned = 0; turned < 2; turned++) {
        snVec3 axis = turned ? snVec(0, 1, 0) : snVec(0, 0, 1);
        snAffine lay = {snQuatToMat(snQuatFromAxisAngle(axis, SN_PI / 2)), {0, 0, 0}};
        snPose_Globals(&pose, skeleton);
        for (int j = 0; j < skeleton->jointCount; j++)
            pose.global[j] = snMulAA(lay, pose.global[j]);
        snLatticeDrive drive = snFlesh_Drive(f, &pose, &driver);
        snLatticeState_Start(f->model, state, drive.rig, NULL);
        double down = 0, farthest = 0, mass = 0;
        for (int k = 0; k < 600; k++)
            snLattice_Step(f->model, state, &drive);
        for (int i = 0; i < f->model->freeCount; i++) {
            down += f->model->mass[i] * (drive.rig[4 * i + 1] - state->position[4 * i + 1]);
            mass += f->model->mass[i];
            for (int c = 0; c < 3; c++)
                farthest = fmax(farthest, fabs(state->position[4 * i + c] - drive.rig[4 * i + c]));
        }
        printf("%s: flesh sinks by %.3f %% of the height\n", turned ? "turned" : "on its side",
               100 * down / mass / f->height);
        if (turned)
            CHECK(farthest < (precision == SN_PRECISION_DOUBLE ? 1e-9 : 1e-6) * f->height);
        else
            CHECK(down / mass > 1e-3 * f->height);
    }
    snLatticeState_Destroy(state);
    snArena_Destroy(&arena);
    snFlesh_Destroy(f);
}

static void gravitysChange(void)
{
    gravityChangeHangs(SN_PRECISION_DOUBLE);
    gravityChangeHangs(SN_PRECISION_AUTO);
}

// Details come in a violent shake and leave the surface finite, near what the lattice alone gives.
static void detailsComeAndGo(void)
{
    snFleshDef def = snDefaultFleshDef();
    def.cells = 300;
    def.details = 1;
    snFlesh *f;
    snError error = {0};
    const snCharacter *c = &stage.character;
    if (!CHECK(snFlesh_Build(&f, c, &def, &stage.context, &error) == SN_OK)) {
        printf("%s\n", error.message);
        return;
    }
    const snClip *clip = &c->clips[clipNamed("shake")];
    snArena arena = snMakeArena(&stage.context);
    snPose pose;
    snFleshDriver driver;
    snLatticeState *state;
    CHECK(snPose_Make(&pose, &c->skeleton, c->morphCount, &arena, NULL) == SN_OK);
    CHECK(snFleshDriver_Make(&driver, f, &arena, NULL) == SN_OK);
    CHECK(snLatticeState_Make(&state, f->model, 1, &stage.context, NULL) == SN_OK);
    snVec3f *rigged = SN_NEW(&arena, snVec3f, c->vertexCount);
    snVec3f *soft = SN_NEW(&arena, snVec3f, c->vertexCount);
    int most = 0;
    double farthest = 0;
    for (int k = 0; k <= 120; k++) {
        snCharacter_Pose(c, clip, clip->start + clip->duration * k / 120, &pose);
        snLatticeDrive drive = snFlesh_Drive(f, &pose, &driver);
        if (k == 0)
            snLatticeState_Start(f->model, state, drive.rig, NULL);
        else
            CHECK(snFlesh_Step(f, state, &drive));
        most = most > *state->active.count ? most : *state->active.count;
        snCharacter_Surface(c, &pose, &stage.context.tasks, rigged, NULL);
        memcpy(soft, rigged, (size_t)c->vertexCount * sizeof *soft);
        snFlesh_AddSoft(f, state, &stage.context.tasks, soft);
        for (int v = 0; v < c->vertexCount; v++)
            farthest = fmax(farthest, snDistance(snFromF(rigged[v]), snFromF(soft[v])) / f->height);
    }
    printf("up to %d of %d details acted; flesh went %.1f %% of the height from its rig\n", most,
           f->model->detail->fine.count, 100 * farthest);
    CHECK(most > 5);
    CHECK(farthest > 0.01 && farthest < 1);
    snLatticeState_Destroy(state);
    snArena_Destroy(&arena);
    snFlesh_Destroy(f);
}

// After a violent shake the pose is held: 10 s later the flesh is where the rig is.
static void heldPoseIsExact(void)
{
    const snFlesh *f = stage.flesh;
    const snCharacter *c = &stage.character;
    const snClip *clip = &c->clips[clipNamed("shake")];
    snArena arena = snMakeArena(&stage.context);
    snPose pose;
    snLatticeState *state;
    int n = f->lattice.vertexCount * 4, half = 120;
    CHECK(snPose_Make(&pose, &c->skeleton, c->morphCount, &arena, NULL) == SN_OK);
    CHECK(snLatticeState_Make(&state, f->model, 1, &stage.context, NULL) == SN_OK);
    snFleshDriver driver;
    CHECK(snFleshDriver_Make(&driver, f, &arena, NULL) == SN_OK);
    double moved = 0, left = 0;
    for (int k = 0; k <= half + 1200; k++) {
        double t = clip->duration / 2 * (k < half ? k : half) / half;
        snCharacter_Pose(c, clip, clip->start + t, &pose);
        snLatticeDrive drive = snFlesh_Drive(f, &pose, &driver);
        const double *rig = drive.rig;
        if (k == 0)
            snLatticeState_Start(f->model, state, rig, NULL);
        else
            snLattice_Step(f->model, state, &drive);
        left = 0;
        for (int i = 0; i < n; i++)
            left = fmax(left, fabs(state->position[i] - rig[i]) / f->height);
        moved = fmax(moved, left);
    }
    printf("shaken by up to %.1f %% of the height; 10 s after it stopped %.1e\n", 100 * moved,
           left);
    CHECK(moved > 0.02);
    CHECK(left < 1e-5);
    snLatticeState_Destroy(state);
    snArena_Destroy(&arena);
}

// ---- the ears lag behind the head -------------------------------------------------------------------

// The vertex farthest from the head joint among those that a joint leads.
static int tipOf(int joint)
{
    const snFlesh *f = stage.flesh;
    snVec3 head = snInverseAffine(f->fromRest[DEMO_HEAD]).origin;
    int best = -1;
    double far = 0;
    for (int v = 0; v < stage.character.vertexCount; v++)
        for (int k = f->skin.start[v]; k < f->skin.start[v + 1]; k++)
            if (f->skin.column[k] == joint && f->skin.weight[k] > 0.9 &&
                snDistance(f->points[v], head) > far) {
                far = snDistance(f->points[v], head);
                best = v;
            }
    return best;
}

// Angle of a vertex about the vertical axis through the head joint, in every frame: as the rig
// gives it, and as baked.
static void anglesOf(const snBake *bake, int vertex, double *rig, double *soft)
{
    const snCharacter *c = bake->character;
    const snBakedClip *baked = &bake->clips[0];
    const snClip *clip = &c->clips[baked->clip];
    snArena arena = snMakeArena(&stage.context);
    snPose pose;
    snVec3f *surface = SN_NEW(&arena, snVec3f, c->vertexCount);
    CHECK(snPose_Make(&pose, &c->skeleton, c->morphCount, &arena, NULL) == SN_OK);
    for (int k = 0; k < baked->frameCount; k++) {
        snCharacter_Pose(c, clip, clip->start + k * baked->frameTime, &pose);
        snCharacter_Surface(c, &pose, &stage.context.tasks, surface, NULL);
        snVec3 pivot = pose.global[DEMO_HEAD].origin;
        snVec3 a = snSub(snFromF(surface[vertex]), pivot);
        snVec3 b = snSub(snFromF(baked->positions[k * c->vertexCount + vertex]), pivot);
        rig[k] = snAtan2(a.x, a.z);
        soft[k] = snAtan2(b.x, b.z);
    }
    snArena_Destroy(&arena);
}

// Unwrapped, around its mean.
static void centre(double *angle, int count)
{
    double mean = 0;
    for (int k = 1; k < count; k++) {
        while (angle[k] - angle[k - 1] > SN_PI)
            angle[k] -= 2 * SN_PI;
        while (angle[k] - angle[k - 1] < -SN_PI)
            angle[k] += 2 * SN_PI;
    }
    for (int k = 0; k < count; k++)
        mean += angle[k] / count;
    for (int k = 0; k < count; k++)
        angle[k] -= mean;
}

// The shift in frames, to a twentieth, at which the soft motion best matches the rig's earlier one.
static double lagOf(const double *rig, const double *soft, int count)
{
    double best = -1e300, lag = 0;
    for (double shift = -6; shift <= 6; shift += 0.05) {
        double sum = 0, norm = 0;
        for (int k = 7; k + 7 < count; k++) {
            double at = k - shift;
            int i = (int)floor(at);
            double r = rig[i] + (at - i) * (rig[i + 1] - rig[i]);
            sum += r * soft[k];
            norm += r * r;
        }
        sum /= sqrt(norm);
        if (sum > best) best = sum, lag = shift;
    }
    return lag;
}

static void earsLagAndHornsDoNot(void)
{
    snBake *bake = bakeClip("shake");
    const snBakedClip *clip = &bake->clips[0];
    int n = clip->frameCount;
    double *rig = malloc((size_t)n * sizeof(double)), *soft = malloc((size_t)n * sizeof(double));
    int joints[3] = {DEMO_EAR_L_2, DEMO_EAR_R_2, DEMO_HORN_L};
    double lag[3], off[3] = {0};
    for (int i = 0; i < 3; i++) {
        anglesOf(bake, tipOf(joints[i]), rig, soft);
        for (int k = 0; k < n; k++)
            off[i] = fmax(off[i], fabs(rig[k] - soft[k]));
        centre(rig, n);
        centre(soft, n);
        lag[i] = lagOf(rig, soft, n) * clip->frameTime;
    }
    printf(
        "lag behind the head: left ear %.0f ms, right ear %.0f ms, horn %.0f ms (off by %.2f°)\n",
        1e3 * lag[0], 1e3 * lag[1], 1e3 * lag[2], off[2] * 180 / SN_PI);
    CHECK(lag[0] > 0.02 && lag[0] < 0.2);
    CHECK(lag[1] > 0.02 && lag[1] < 0.2);
    CHECK(fabs(lag[2]) < 0.011);
    CHECK(off[2] < 5 * SN_PI / 180);
    free(rig);
    free(soft);
    snBake_Destroy(bake);
}

static void loopsClose(void)
{
    snBake *bake = bakeClip("walk");
    const snBakedClip *clip = &bake->clips[0];
    CHECK(clip->loops);
    CHECK(clip->loopGap < 2e-3);
    CHECK(clip->frameCount == 34);
    CHECK(clip->largestOffset > 0.002 && clip->largestOffset < 0.3);
    CHECK(bake->resets == 0);
    snBake_Destroy(bake);
}

static bool stopAtOnce(void *user, const snBakeProgress *progress)
{
    CHECK(progress->fraction > 0 && progress->fraction < 1 && progress->clip == 0);
    ++*(int *)user;
    return false;
}

static void badRequestsAndStopping(void)
{
    snBakeDef def = snDefaultBakeDef();
    snBake *bake;
    snError error;
    int wrong = 99, calls = 0;
    def.clips = &wrong;
    def.clipCount = 1;
    CHECK(snBake_Run(&bake, stage.flesh, &def, &stage.context, &error) == SN_ERROR_ARGUMENT);
    def = snDefaultBakeDef();
    def.frameRate = 0;
    CHECK(snBake_Run(&bake, stage.flesh, &def, &stage.context, &error) == SN_ERROR_ARGUMENT);
    def = snDefaultBakeDef();
    def.progress = (snProgressHook){stopAtOnce, &calls};
    CHECK(snBake_Run(&bake, stage.flesh, &def, &stage.context, &error) == SN_ERROR_CANCELLED);
    CHECK(bake == NULL && calls == 1);
}

// Characters that others made: the lattice is automatic for each.
// Nobody jumps in these clips, however fast they are.
static void checkJumps(const snFlesh *flesh)
{
    snArena arena = snMakeArena(&stage.context);
    snReach reach;
    CHECK(snReach_Make(&reach, flesh, &arena, NULL) == SN_OK);
    for (int i = 0; i < flesh->character->clipCount; i++) {
        snJumps jumps;
        snJumpsDef def = {.character = flesh->character, .reach = &reach, .clip = i};
        CHECK(snJumps_Find(&jumps, &def, &stage.context, &arena, NULL) == SN_OK);
        if (!CHECK(jumps.count == 0)) printf("    in %s\n", flesh->character->clips[i].name);
    }
    snArena_Destroy(&arena);
}

static void charactersOfOthers(void)
{
    static const char *const names[] = {"Fox.glb",          "Cow.glb",          "CesiumMan.glb",
                                        "RiggedFigure.glb", "RiggedSimple.glb", "Mage.glb"};
    checkJumps(stage.flesh);
    for (int i = 0; i < 6; i++) {
        size_t size;
        unsigned char *bytes = snTest_Asset(names[i], &size);
        if (!bytes) {
            printf("%s is not here: left out\n", names[i]);
            continue;
        }
        snCharacter character;
        snGltfSource source = {.bytes = bytes, .size = size};
        snFleshDef def = snDefaultFleshDef();
        snFlesh *flesh = NULL;
        snError error = {0};
        def.cells = 800;
        CHECK(snGltf_Read(&character, &source, &stage.context, &error) == SN_OK);
        CHECK(snFlesh_Build(&flesh, &character, &def, &stage.context, &error) == SN_OK);
        if (flesh) {
            int missing =
                snLattice_MissingBoneEdges(&flesh->lattice, flesh->bones, flesh->boneCount,
                                           1e-7 * flesh->height, &stage.context);
            printf("%-18s %4d cells, quality %.3f worst %.2f median, %d bones, %d missing links\n",
                   names[i], flesh->lattice.cellCount, flesh->report.worstQuality,
                   flesh->report.medianQuality, flesh->boneCount, missing);
            CHECK(flesh->embedding.outside == 0);
            if (i < 5) CHECK(missing == 0);
            checkJumps(flesh);
        }
        snFlesh_Destroy(flesh);
        snCharacter_Destroy(&character);
        free(bytes);
    }
}

int main(void)
{
    setUp();
    RUN(fleshIsSound);
    RUN(tissuesDiffer);
    RUN(rigidMotionDeformsNothing);
    RUN(heldPoseIsExact);
    RUN(gravitysChange);
    RUN(detailsComeAndGo);
    RUN(earsLagAndHornsDoNot);
    RUN(loopsClose);
    RUN(badRequestsAndStopping);
    RUN(charactersOfOthers);
    snFlesh_Destroy(stage.flesh);
    snCharacter_Destroy(&stage.character);
    return snTest_Finish();
}
