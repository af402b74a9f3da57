// The linear solvers on characters that others made: how far each is from the searched-out motion.
#include "tests/test.h"

#include "asset/gltf.h"
#include "body/lattice/blended.h"
#include "body/lattice/flesh.h"
#include "core/core.h"
#include "platform/clock.h"
#include "platform/threads.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEPS 60

typedef struct Stage {
    snContext context;
    snArena arena;
    snCharacter character;
    const snClip *clip;
    snFlesh *flesh;
    snPose pose;
    snFleshDriver driver;
    double *velocity;
} Stage;

static bool openStage(Stage *stage, const char *file, const char *clip)
{
    size_t size;
    unsigned char *bytes = snTest_Asset(file, &size);
    if (!bytes) {
        printf("%s is not here: left out\n", file);
        return false;
    }
    *stage = (Stage){.context = snDefaultContext()};
    stage->arena = snMakeArena(&stage->context);
    snGltfSource source = {.bytes = bytes, .size = size};
    snFleshDef def = snDefaultFleshDef();
    def.cells = 800;
    CHECK(snGltf_Read(&stage->character, &source, &stage->context, NULL) == SN_OK);
    CHECK(snFlesh_Build(&stage->flesh, &stage->character, &def, &stage->context, NULL) == SN_OK);
    const snCharacter *c = &stage->character;
    int index = snCharacter_FindClip(c, clip);
    free(bytes);
    if (!CHECK(index >= 0 && stage->flesh)) exit(1);
    stage->clip = &c->clips[index];
    CHECK(!snPose_Make(&stage->pose, &c->skeleton, c->morphCount, &stage->arena, NULL));
    CHECK(!snFleshDriver_Make(&stage->driver, stage->flesh, &stage->arena, NULL));
    stage->velocity = SN_NEW(&stage->arena, double, stage->flesh->lattice.vertexCount * 4);
    return true;
}

static void closeStage(Stage *stage)
{
    snFlesh_Destroy(stage->flesh);
    snCharacter_Destroy(&stage->character);
    snArena_Destroy(&stage->arena);
}

// One solver's body on the stage, and how it fares.
typedef struct Runner {
    const char *name;
    snSolver solver;
    snLinearMethod method;
    snRegionRule rule;
    snRegionFrames frames;
    double smoothing;
    int iterations;
    snLatticeModel *model;
    snLatticeState *state;
    double largest, squares, seconds;
} Runner;

static void makeRunner(Stage *stage, Runner *r, snMotion motion)
{
    const snFlesh *f = stage->flesh;
    snLatticeModelDef def = snDefaultLatticeModelDef();
    snRegionsDef regionsDef = snDefaultRegionsDef();
    snRegions regions;
    snError error = {0};
    regionsDef.lattice = &f->lattice;
    regionsDef.skin = &f->weights;
    regionsDef.rule = r->rule;
    regionsDef.frames = r->frames;
    regionsDef.smoothing = r->smoothing;
    CHECK(!snRegions_FromSkin(&regions, &regionsDef, &stage->arena, &stage->context, NULL));
    def.lattice = &f->lattice;
    def.quadrature = &f->quadrature;
    def.skin = &f->weights;
    def.known = f->known;
    def.hold = f->hold;
    def.drag = f->drag;
    def.young = f->young;
    def.motion = motion;
    def.solver = r->solver;
    def.method = r->method;
    if (r->iterations) def.iterations = r->iterations;
    def.regions = &regions;
    if (!CHECK(!snLatticeModel_Build(&r->model, &def, &stage->context, &error))) {
        printf("%s: %s\n", r->name, error.message);
        exit(1);
    }
    CHECK(!snLatticeState_Make(&r->state, r->model, 1, &stage->context, NULL));
}

// The drive at a step. The model's own numbering is the same for all runners: it depends on the
// pattern alone.
static snLatticeDrive driveAt(Stage *stage, int step)
{
    double time = stage->clip->start + step * stage->flesh->model->def.step;
    snCharacter_Pose(&stage->character, stage->clip, time, &stage->pose);
    return snFlesh_Drive(stage->flesh, &stage->pose, &stage->driver);
}

// All begin at the rig's velocity.
static void startRunners(Stage *stage, Runner *runners, int count)
{
    int n = stage->flesh->lattice.vertexCount * 4;
    double h = stage->flesh->model->def.step;
    memcpy(stage->velocity, driveAt(stage, 1).rig, (size_t)n * sizeof(double));
    snLatticeDrive drive = driveAt(stage, 0);
    for (int k = 0; k < n; k++)
        stage->velocity[k] = (stage->velocity[k] - drive.rig[k]) / h;
    for (int r = 0; r < count; r++)
        snLatticeState_Start(runners[r].model, runners[r].state, drive.rig, stage->velocity);
}

static snVec3 pointOffset(const Stage *stage, const Runner *a, const Runner *b, int point)
{
    const snEmbedding *phi = &stage->flesh->embedding;
    snVec3 sum = {0, 0, 0};
    for (int k = point * phi->width; k < (point + 1) * phi->width; k++) {
        int at = 4 * a->model->indexOf[phi->vertex[k]];
        const double *x = a->state->position + at, *y = b->state->position + at;
        sum = snMulAdd(sum, phi->weight[k], snVec(x[0] - y[0], x[1] - y[1], x[2] - y[2]));
    }
    return sum;
}

// Distances of surface points to those of the first runner, as a share of the height.
static void measure(const Stage *stage, Runner *r, const Runner *reference)
{
    int points = stage->flesh->embedding.pointCount;
    for (int p = 0; p < points; p++) {
        double d = snLength(pointOffset(stage, r, reference, p)) / stage->flesh->height;
        r->largest = fmax(r->largest, d);
        r->squares += d * d / ((double)points * STEPS);
    }
}

static void report(const Runner *r)
{
    const snLinear *linear = r->model->linear;
    int64_t nonZeros = linear ? 0 : r->model->factorNonZeros;
    int vertices = 0;
    for (int p = 0; linear && p < linear->partCount; p++) {
        nonZeros += linear->parts[p].factorNonZeros;
        vertices += linear->parts[p].freeCount;
    }
    printf("  %-28s %6.2f / %5.2f %%   %6.3f ms a step, %7lld in factors, %d vertices in parts",
           r->name, 100 * r->largest, 100 * sqrt(r->squares), 1000 * r->seconds / STEPS,
           (long long)nonZeros, vertices);
    if (linear && linear->blend) printf(", %d handed over", linear->blend->handedOver);
    if (r->method == SN_METHOD_CG)
        printf(", %.1f iterations", (double)r->state->linearIterations / STEPS);
    printf("\n");
}

static void compare(Stage *stage, snMotion motion)
{
    const snSolver linear = SN_SOLVER_LINEAR, blended = SN_SOLVER_BLENDED;
    const snRegionRule all = SN_REGION_ALL;
    Runner runners[] = {
        {.name = "search, 30 iterations", .iterations = 30},
        {.name = "search, 3 iterations"},
        {.name = "linear", .solver = linear},
        {.name = "linear, gradients", .solver = linear, .method = SN_METHOD_CG},
        {.name = "blended, any", .solver = blended},
        {.name = "blended, any, smoothed", .solver = blended, .smoothing = 1},
        {.name = "blended, all", .solver = blended, .rule = all},
        {.name = "blended, any, joints", .solver = blended, .frames = SN_FRAMES_JOINTS},
        {.name = "blended, any, fitted", .solver = blended, .frames = SN_FRAMES_FITTED},
    };
    // The last two differ from "blended, any" in full motion alone.
    const int count = (int)(sizeof runners / sizeof runners[0]) - (motion ? 0 : 2);
    for (int r = 0; r < count; r++)
        makeRunner(stage, &runners[r], motion);
    startRunners(stage, runners, count);
    for (int s = 1; s <= STEPS; s++) {
        snLatticeDrive drive = driveAt(stage, s);
        for (int r = 0; r < count; r++) {
            double start = snClock_Seconds();
            CHECK(snLattice_Step(runners[r].model, runners[r].state, &drive));
            runners[r].seconds += snClock_Seconds() - start;
            measure(stage, &runners[r], &runners[0]);
        }
    }
    printf("%s motion, %d vertices, %d cells:\n", motion == SN_MOTION_FULL ? "full" : "secondary",
           stage->flesh->lattice.vertexCount, stage->flesh->lattice.cellCount);
    for (int r = 0; r < count; r++) {
        report(&runners[r]);
        CHECK(runners[r].largest < 1);
        snLatticeState_Destroy(runners[r].state);
        snLatticeModel_Destroy(runners[r].model);
    }
    CHECK(runners[1].squares < runners[2].squares);                  // the search is nearest
    CHECK(fabs(runners[3].squares / runners[2].squares - 1) < 1e-3); // gradients find the same end
}

static void onFile(const char *file, const char *clip)
{
    Stage stage;
    if (!openStage(&stage, file, clip)) return;
    printf("%s, %s\n", file, clip);
    compare(&stage, SN_MOTION_SECONDARY);
    compare(&stage, SN_MOTION_FULL);
    closeStage(&stage);
}

static void foxRuns(void)
{
    onFile("Fox.glb", "Run");
}

static void cowGallops(void)
{
    onFile("Cow.glb", "Gallop");
}

static uint64_t foxHash(const snTasks *tasks)
{
    Stage stage;
    uint64_t hash = 0;
    if (!openStage(&stage, "Fox.glb", "Run")) return hash;
    stage.context.tasks = *tasks;
    Runner runner = {.name = "blended", .solver = SN_SOLVER_BLENDED};
    makeRunner(&stage, &runner, SN_MOTION_FULL);
    startRunners(&stage, &runner, 1);
    for (int s = 1; s <= 10; s++) {
        snLatticeDrive drive = driveAt(&stage, s);
        CHECK(snLattice_Step(runner.model, runner.state, &drive));
    }
    hash = snLatticeState_Hash(runner.state);
    snLatticeState_Destroy(runner.state);
    snLatticeModel_Destroy(runner.model);
    closeStage(&stage);
    return hash;
}

static void threadsGiveTheSameBits(void)
{
    snThreadPool *pool;
    CHECK(snThreadPool_Make(&pool, 2, NULL) == SN_OK);
    snContext one = snDefaultContext();
    snTasks two = snThreadPool_Tasks(pool);
    CHECK(foxHash(&one.tasks) == foxHash(&two));
    snThreadPool_Destroy(pool);
}

int main(void)
{
    RUN(foxRuns);
    RUN(cowGallops);
    RUN(threadsGiveTheSameBits);
    return snTest_Finish();
}
