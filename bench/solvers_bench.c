// How close the solvers come to the true solution of the step's equations, and at what price: the
// picture of Capell et al. 2002, Figure 5 (global linear, blended, nonlinear), in numbers.
//
// All solvers play the same motion side by side, each from its own state: in full motion, the body as
// simulated from its rest shape, without gravity, as in the paper; and in secondary motion, as by
// default. The truth is the quasi-Newton method with sixty
// iterations (ten of Newton's method, at five times the price, end within 0.005 % of it). Distances
// are those of surface points, as a share of the character's height.
#include "bench/bench.h"
#include "bench/body_scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef enum Kind {
    TRUTH,
    LINEAR,
    BLENDED,
    BLENDED_ALL,
    ONE,
    SCALAR,
    THREE,
    SINGLE,
    TEN,
    KINDS
} Kind;

static const struct {
    const char *name;
    snSolver solver;
    int iterations;
    snMatrix matrix;
    snPrecision precision;
} kinds[KINDS] = {
    [TRUTH] = {"quasi-Newton, 60 iterations", SN_SOLVER_PROJECTIVE, 60, SN_MATRIX_SCALAR,
               SN_PRECISION_DOUBLE},
    [LINEAR] = {.name = "global linear", .solver = SN_SOLVER_LINEAR},
    [BLENDED] = {.name = "blended", .solver = SN_SOLVER_BLENDED},
    [BLENDED_ALL] = {.name = "blended, the paper's regions", .solver = SN_SOLVER_BLENDED},
    [ONE] = {.name = "quasi-Newton, 1 iteration", .iterations = 1},
    [SCALAR] = {.name = "the same, 3, scalar matrix", .iterations = 3, .matrix = SN_MATRIX_SCALAR},
    [THREE] = {.name = "quasi-Newton, 3 iterations", .iterations = 3},
    [SINGLE] = {.name = "the same in single precision",
                .iterations = 3,
                .precision = SN_PRECISION_SINGLE},
    [TEN] = {.name = "quasi-Newton, 10 iterations", .iterations = 10},
};

typedef struct Side {
    snLatticeModel *model;
    snLatticeState *state;
    double seconds;     // of all steps that count
    double volume;      // largest relative change of the body's volume
    double worst;       // largest distance from the truth
    double squares;     // of all distances, summed
    int point, step;    // where and when the worst was
    double *jointWorst; // [joints], by the joint that a point mostly follows
    int failed;         // steps that could not be computed
} Side;

typedef struct Contest {
    const snBodyScene *scene;
    const snSceneMotion *motion;
    snScenePlay play;
    snArena arena;
    Side sides[KINDS];
    double rigVolume; // largest relative change of the rig's
    int *jointOf;     // [points], the joint that each mostly follows; -1: not carried
    int pointCount;   // carried ones
    double *miss;     // [vertices * 4]
} Contest;

// ---- measures ---------------------------------------------------------------------------------

// Σ V det F over the elements of a model at some positions.
static double volumeOf(const snLatticeModel *model, const double *position)
{
    const snQuadrature *q = model->quadrature;
    double sum = 0;
    for (int e = 0; e < q->elementCount; e++) {
        snMat3 f = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
        for (int k = q->start[e]; k < q->start[e + 1]; k++) {
            const double *x = position + 4 * model->indexOf[q->corner[k]];
            snVec3 p = snVec(x[0], x[1], x[2]), g = q->gradient[k];
            f.cx = snMulAdd(f.cx, g.x, p);
            f.cy = snMulAdd(f.cy, g.y, p);
            f.cz = snMulAdd(f.cz, g.z, p);
        }
        sum += q->volume[e] * snDot(f.cx, snCross(f.cy, f.cz));
    }
    return sum;
}

static double volumeChange(const snLatticeModel *model, const double *position)
{
    double rest = 0;
    for (int e = 0; e < model->quadrature->elementCount; e++)
        rest += model->quadrature->volume[e];
    return fabs(volumeOf(model, position) / rest - 1);
}

static void findJoints(Contest *contest)
{
    const snFlesh *flesh = contest->scene->flesh;
    const snCharacter *c = &contest->scene->character;
    for (int part = 0, p = 0; part < c->partCount; part++)
        for (int v = 0; v < c->parts[part].vertexCount; v++, p++) {
            double most = -1;
            contest->jointOf[p] = -1;
            if (!flesh->carried[part]) continue;
            contest->pointCount++;
            for (int k = flesh->skin.start[p]; k < flesh->skin.start[p + 1]; k++)
                if (flesh->skin.weight[k] > most) {
                    most = flesh->skin.weight[k];
                    contest->jointOf[p] = flesh->skin.column[k];
                }
        }
}

// Distances of all surface points from the truth: Σ φ (x - x_true).
static void measure(Contest *contest, Side *side, int step)
{
    const snFlesh *flesh = contest->scene->flesh;
    const snEmbedding *phi = &flesh->embedding;
    const int *indexOf = flesh->model->indexOf;
    const double *truth = contest->sides[TRUTH].state->position;
    for (int k = 0; k < 4 * flesh->lattice.vertexCount; k++)
        contest->miss[k] = side->state->position[k] - truth[k];
    for (int p = 0; p < phi->pointCount; p++) {
        snVec3 sum = {0, 0, 0};
        if (contest->jointOf[p] < 0) continue;
        for (int k = p * phi->width; k < (p + 1) * phi->width; k++) {
            const double *m = contest->miss + 4 * indexOf[phi->vertex[k]];
            sum = snMulAdd(sum, phi->weight[k], snVec(m[0], m[1], m[2]));
        }
        double distance = snLength(sum) / flesh->height;
        double *jointWorst = &side->jointWorst[contest->jointOf[p]];
        side->squares += distance * distance;
        if (!(distance <= *jointWorst)) *jointWorst = distance;
        if (distance <= side->worst) continue;
        side->worst = distance;
        side->point = p;
        side->step = step;
    }
    double change = volumeChange(side->model, side->state->position);
    if (change > side->volume) side->volume = change;
}

// ---- playing ----------------------------------------------------------------------------------

static bool makeSide(Contest *contest, Kind kind, const snContext *context)
{
    Side *side = &contest->sides[kind];
    const snFlesh *flesh = contest->scene->flesh;
    snLatticeModelDef def = snFlesh_ModelDef(contest->scene->flesh);
    snError error = {0};
    snRegions regions;
    snStatus status = SN_OK;
    if (kind == BLENDED_ALL) {
        snRegionsDef all = snDefaultRegionsDef();
        all.lattice = &flesh->lattice;
        all.skin = &flesh->weights;
        all.rule = SN_REGION_ALL;
        status = snRegions_FromSkin(&regions, &all, &contest->arena, context, &error);
        def.regions = &regions;
    }
    def.solver = kinds[kind].solver;
    def.iterations = kinds[kind].iterations;
    def.matrix = kinds[kind].matrix;
    def.precision = kinds[kind].precision;
    def.motion = contest->motion->mode;
    def.step = contest->play.step;
    if (!status) status = snLatticeModel_Build(&side->model, &def, context, &error);
    if (!status) status = snLatticeState_Make(&side->state, side->model, 1, context, &error);
    side->jointWorst = SN_NEW(&contest->arena, double, contest->play.jointCount);
    if (!status && side->jointWorst) {
        snScenePlay_Start(&contest->play, side->model, side->state);
        return true;
    }
    fprintf(stderr, "solvers: %s: %s\n", kinds[kind].name, error.message);
    return false;
}

static void playStep(Contest *contest, int step)
{
    const snScenePlay *play = &contest->play;
    bool counts = step >= play->first;
    snLatticeDrive drive = snScenePlay_Drive(play, step);
    for (int k = 0; k < KINDS; k++) {
        Side *side = &contest->sides[k];
        double begin = snBench_Computed();
        side->failed += !snLattice_Step(side->model, side->state, &drive);
        if (counts) side->seconds += snBench_Computed() - begin;
    }
    for (int k = 0; k < KINDS && counts; k++)
        measure(contest, &contest->sides[k], step);
    double change = volumeChange(contest->scene->flesh->model, drive.rig);
    if (counts && change > contest->rigVolume) contest->rigVolume = change;
}

static bool playAll(Contest *contest)
{
    snContext context = snDefaultContext();
    const snFlesh *flesh = contest->scene->flesh;
    contest->jointOf = SN_NEW(&contest->arena, int, flesh->embedding.pointCount);
    contest->miss = SN_NEW(&contest->arena, double, 4 * flesh->lattice.vertexCount);
    if (!contest->jointOf || !contest->miss) return false;
    findJoints(contest);
    for (int k = 0; k < KINDS; k++)
        if (!makeSide(contest, (Kind)k, &context)) return false;
    for (int step = 1; step <= contest->play.stepCount; step++)
        playStep(contest, step);
    return true;
}

// ---- the tables -------------------------------------------------------------------------------

static double rmsOf(const Contest *contest, const Side *side)
{
    int steps = contest->play.stepCount - contest->play.first + 1;
    return sqrt(side->squares / ((double)steps * contest->pointCount));
}

static void noteSide(snBench *bench, const Contest *contest, Kind kind)
{
    const Side *side = &contest->sides[kind];
    const snSkeleton *skeleton = &contest->scene->character.skeleton;
    int steps = contest->play.stepCount - contest->play.first + 1;
    char where[100] = "";
    if (kind != TRUTH)
        snprintf(where, sizeof where, "%.2f s, %s",
                 (side->step - contest->play.first + 1) * contest->play.step,
                 skeleton->joints[contest->jointOf[side->point]].name);
    snBench_Note(bench, "%-29s %7.2f %8.2f %8.3f %9.3f   %s%s", kinds[kind].name,
                 100 * side->volume, 100 * side->worst, 100 * rmsOf(contest, side),
                 1e3 * side->seconds / steps, where, side->failed ? " (steps FAILED)" : "");
}

// The joints whose flesh a solver misses most, worst first.
static void noteJoints(snBench *bench, const Contest *contest, Kind kind)
{
    const Side *side = &contest->sides[kind];
    char line[300] = "";
    double below = INFINITY;
    for (int n = 0; n < 5; n++) {
        int found = -1;
        for (int j = 0; j < contest->play.jointCount; j++)
            if (side->jointWorst[j] < below &&
                (found < 0 || side->jointWorst[j] > side->jointWorst[found]))
                found = j;
        if (found < 0) break;
        below = side->jointWorst[found];
        size_t used = strlen(line);
        snprintf(line + used, sizeof line - used, "%s %s %.2f", n ? "," : "",
                 contest->scene->character.skeleton.joints[found].name, 100 * below);
    }
    snBench_Note(bench, "%s misses most at (largest %%):%s", kinds[kind].name, line);
}

static void report(snBench *bench, const Contest *contest)
{
    const char *motion = contest->motion->name;
    const Side *three = &contest->sides[THREE];
    char id[80];
    snprintf(id, sizeof id, "skeleton/solvers-%s-max", motion);
    snBench_Report(bench, id, 100 * three->worst, "%", "<= 1.5");
    snprintf(id, sizeof id, "skeleton/solvers-%s-rms", motion);
    snBench_Report(bench, id, 100 * rmsOf(contest, three), "%", "<= 0.15");
    snprintf(id, sizeof id, "skeleton/solvers-%s-blended", motion);
    snBench_Report(bench, id, contest->sides[LINEAR].worst / contest->sides[BLENDED].worst, "x",
                   contest->motion->clip ? "" : ">= 1.5");
    const snLatticeModel *model = contest->scene->flesh->model;
    snBench_Note(bench,
                 "%s, %s: %d lattice vertices, %d cells, %d surface points, %d steps of "
                 "%.5f s; the rig's own volume changes by %.2f %%",
                 contest->scene->name, motion, model->vertexCount, model->lattice.cellCount,
                 contest->pointCount, contest->play.stepCount - contest->play.first + 1,
                 contest->play.step, 100 * contest->rigVolume);
    snBench_Note(bench, "%-29s %7s %8s %8s %9s   worst at", "", "volume%", "max%", "rms%",
                 "ms/step");
    for (int k = 0; k < KINDS; k++)
        noteSide(bench, contest, (Kind)k);
    noteJoints(bench, contest, LINEAR);
    noteJoints(bench, contest, BLENDED);
}

static void runMotion(snBench *bench, const snBodyScene *scene, const snSceneMotion *motion)
{
    snContext context = snDefaultContext();
    char id[80];
    snprintf(id, sizeof id, "skeleton/solvers-%s", motion->name);
    if (!snBench_Wants(bench, id)) return;
    Contest contest = {.scene = scene, .motion = motion, .arena = snMakeArena(&context)};
    if (!snScenePlay_Make(&contest.play, scene, motion))
        fprintf(stderr, "solvers: %s has no motion \"%s\"\n", scene->name, motion->name);
    else if (playAll(&contest))
        report(bench, &contest);
    for (int k = 0; k < KINDS; k++) {
        snLatticeState_Destroy(contest.sides[k].state);
        snLatticeModel_Destroy(contest.sides[k].model);
    }
    snScenePlay_Destroy(&contest.play);
    snArena_Destroy(&contest.arena);
}

static void runMotions(snBench *bench, snBodyScene *scene, const snSceneMotion *motions,
                       size_t count)
{
    for (size_t m = 0; m < count; m++)
        runMotion(bench, scene, &motions[m]);
    snBodyScene_Destroy(scene);
}

void snBench_Solvers(snBench *bench)
{
    static const snSceneMotion demo[] = {
        {"turn", NULL, "head", 1, SN_MOTION_FULL},
        {"shake", "shake", NULL, 1, SN_MOTION_FULL},
        {"walk", "walk", NULL, 3, SN_MOTION_FULL},
        {"shake-secondary", "shake", NULL, 1, SN_MOTION_SECONDARY},
        {"walk-secondary", "walk", NULL, 3, SN_MOTION_SECONDARY},
    };
    static const snSceneMotion cow[] = {
        {"gallop", "AnimalArmature|Gallop", NULL, 3, SN_MOTION_FULL},
        {"gallop-secondary", "AnimalArmature|Gallop", NULL, 3, SN_MOTION_SECONDARY},
    };
    static const snSceneMotion fox[] = {
        {"run", "Run", NULL, 3, SN_MOTION_FULL},
        {"run-secondary", "Run", NULL, 3, SN_MOTION_SECONDARY},
    };
    snBodyScene scene;
    if (snBodyScene_Demo(&scene)) runMotions(bench, &scene, demo, sizeof demo / sizeof *demo);
    if (snBodyScene_Load(&scene, "Cow.glb"))
        runMotions(bench, &scene, cow, sizeof cow / sizeof *cow);
    if (snBodyScene_Load(&scene, "Fox.glb"))
        runMotions(bench, &scene, fox, sizeof fox / sizeof *fox);
}
