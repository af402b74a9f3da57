// Characters on floors, against props, against themselves.
#include "body/lattice/flesh_contact.h"

#include "core/core.h"
#include "core/random.h"
#include "tests/body/lattice/block_surface.h"
#include "tests/test.h"

#include <stdio.h>
#include <string.h>

static void makePart(snPart *part, const char *name, int node, int blocks, snArena *arena)
{
    *part = (snPart){.name = name, .node = node, .skin = -1, .material = -1};
    part->positions = SN_NEW(arena, snVec3f, blocks * 6 * SIDE * SIDE);
    part->triangles = SN_NEW(arena, int, blocks * 6 * (SIDE - 1) * (SIDE - 1) * 6);
}

typedef struct Stage {
    snContext context;
    snArena arena;
    snCharacter character;
    snJoint joints[2];
    snPart parts[2];
    snChannel channel;
    float times[2], moves[6];
    snClip clip;
    snFlesh *flesh;
    snFleshContacts *contacts;
    snLatticeState *state;
    snFleshDriver driver;
    snPose pose, before;
    snVec3f *surface;
} Stage;

// A toy of one or two blocks of side 1 at the origin; a slab that a clip moves from above it down by 1.
static void makeStage(Stage *stage, int blocks, bool slab)
{
    memset(stage, 0, sizeof *stage);
    stage->context = snDefaultContext();
    stage->arena = snMakeArena(&stage->context);
    for (int j = 0; j < 2; j++)
        stage->joints[j] = (snJoint){.name = j ? "press" : "toy", .parent = -1, .rest = none};
    makePart(&stage->parts[0], "jelly", 0, 2, &stage->arena);
    makePart(&stage->parts[1], "slab", 1, 1, &stage->arena);
    for (int i = 0; i < blocks; i++)
        addBlock(&stage->parts[0], snVec(1.5 * i, 0, 0), snVec(1.5 * i + 1, 1, 1));
    addBlock(&stage->parts[1], snVec(-1, 1.5, -1), snVec(2, 2, 2));
    stage->parts[1].prop = slab;
    stage->times[1] = 1;
    stage->moves[4] = -0.7f;
    stage->channel =
        (snChannel){1, SN_PATH_TRANSLATION, SN_LINEAR, 2, 3, stage->times, stage->moves};
    stage->clip =
        (snClip){.name = "press", .duration = 1, .channelCount = 1, .channels = &stage->channel};
    int parts = slab ? 2 : 1;
    stage->character = (snCharacter){.skeleton = {2, stage->joints},
                                     .partCount = parts,
                                     .parts = stage->parts,
                                     .clipCount = slab,
                                     .clips = &stage->clip};
    for (int p = 0; p < parts; p++) {
        stage->character.vertexCount += stage->parts[p].vertexCount;
        stage->character.triangleCount += stage->parts[p].triangleCount;
    }
}

static bool build(Stage *stage, snFleshDef def, snFleshContactsDef contacts)
{
    const snContext *context = &stage->context;
    snError error = {0};
    def.cells = 400;
    snStatus status = snFlesh_Build(&stage->flesh, &stage->character, &def, context, &error);
    if (!status)
        status = snFleshContacts_Make(&stage->contacts, stage->flesh, &contacts, context, &error);
    if (!status)
        status = snLatticeState_Make(&stage->state, stage->flesh->model, 1, context, &error);
    if (!status) status = snFleshDriver_Make(&stage->driver, stage->flesh, &stage->arena, &error);
    if (!status)
        status = snPose_Make(&stage->pose, &stage->character.skeleton, 0, &stage->arena, &error);
    if (!status)
        status = snPose_Make(&stage->before, &stage->character.skeleton, 0, &stage->arena, &error);
    stage->surface = SN_NEW(&stage->arena, snVec3f, stage->character.vertexCount);
    if (!CHECK(status == SN_OK)) printf("    %s\n", error.message);
    return status == SN_OK;
}

static void freeStage(Stage *stage)
{
    snLatticeState_Destroy(stage->state);
    snFleshContacts_Destroy(stage->contacts);
    snFlesh_Destroy(stage->flesh);
    snArena_Destroy(&stage->arena);
}

static void setPose(Stage *stage, double time, snPose *pose)
{
    const snCharacter *c = &stage->character;
    if (c->clipCount)
        snCharacter_Pose(c, &c->clips[0], time, pose);
    else
        snPose_Globals(pose, &c->skeleton);
}

static void play(Stage *stage, double from, double to)
{
    double h = stage->flesh->def.step;
    int first = (int)(from / h + 0.5), last = (int)(to / h + 0.5);
    for (int k = first; k <= last; k++) {
        setPose(stage, k ? (k - 1) * h : 0, &stage->before);
        setPose(stage, k * h, &stage->pose);
        snLatticeDrive drive = snFlesh_Drive(stage->flesh, &stage->pose, &stage->driver);
        drive.contacts = stage->contacts->contacts;
        if (k == 0) snLatticeState_Start(stage->flesh->model, stage->state, drive.rig, NULL);
        if (k == 0) continue;
        snFleshContacts_Pose(stage->contacts, &stage->before, &stage->pose);
        CHECK(snFlesh_Step(stage->flesh, stage->state, &drive));
    }
    snCharacter_Surface(&stage->character, &stage->pose, &stage->context.tasks, stage->surface,
                        NULL);
    snFlesh_AddSoft(stage->flesh, stage->state, &stage->context.tasks, stage->surface);
}

static double lowest(const Stage *stage)
{
    double low = 1e9;
    for (int v = 0; v < stage->parts[0].vertexCount; v++)
        low = fmin(low, (double)stage->surface[v].y);
    return low;
}

// A toy that nothing holds falls on a floor; what is visible is not in it, and seams stay closed.
static void toysLieOnFloors(void)
{
    Stage stage;
    makeStage(&stage, 1, false);
    snFleshDef def = snDefaultFleshDef();
    def.motion = SN_MOTION_FULL;
    def.gravity = snVec(0, -9.81, 0);
    if (build(&stage, def, (snFleshContactsDef){.floor = true, .height = -0.5, .friction = -1})) {
        CHECK_NEAR(stage.contacts->colliders[0].friction, 0.5, 0);
        play(&stage, 0, 0.35);
        double before = lowest(&stage);
        double depth = snFleshContacts_Touch(stage.contacts, stage.surface);
        printf("    %.1e deep while it hits, then %.1e\n", depth, -0.5 - lowest(&stage));
        CHECK(before < -0.4 && lowest(&stage) > -0.5 - 1e-6);
        CHECK_NEAR(depth, fmax(0, -0.5 - before), 1e-9);
        play(&stage, 0.36, 8);
        before = lowest(&stage);
        printf("    at rest %.1e deep\n", -0.5 - before);
        CHECK(fabs(before + 0.5) < 2e-3);
        snFleshContacts_Touch(stage.contacts, stage.surface);
        for (int v = 0; v < stage.parts[0].vertexCount; v++)
            for (int w = 0; w < v; w++)
                if (stage.flesh->weldOf[v] == stage.flesh->weldOf[w])
                    CHECK(!memcmp(&stage.surface[v], &stage.surface[w], sizeof(snVec3f)));
    }
    freeStage(&stage);
}

// A slab of the same file comes down on a toy whose middle is held: it is no flesh, the toy yields.
static void propsPress(void)
{
    Stage stage;
    makeStage(&stage, 1, true);
    if (build(&stage, snDefaultFleshDef(), (snFleshContactsDef){.friction = -1})) {
        const snFlesh *flesh = stage.flesh;
        int n = stage.parts[0].vertexCount;
        CHECK(flesh->carried[0] == SN_PART_BODY && flesh->carried[1] == SN_PART_OTHER);
        CHECK_NEAR(flesh->height, 1, 1e-6);
        CHECK(stage.contacts->propCount == 1 && !stage.contacts->props[0].deforms);
        CHECK_NEAR(stage.contacts->colliders[0].friction, 0, 0);
        play(&stage, 0, 1);
        double top = -1e9, shown = -1e9;
        for (int v = 0; v < n; v++)
            top = fmax(top, (double)stage.surface[v].y);
        double depth = snFleshContacts_Touch(stage.contacts, stage.surface);
        for (int v = 0; v < n; v++)
            shown = fmax(shown, (double)stage.surface[v].y);
        printf("    pressed from 1 to %.3f, shown at %.4f\n", top, shown);
        CHECK(top < 0.85 && depth < 0.05 && shown < 0.8 + 1e-6);
        for (int v = n; v < stage.character.vertexCount; v++) // the prop is as the artist has it
            CHECK_NEAR((double)stage.surface[v].y, (double)stage.parts[1].positions[v - n].y - 0.7,
                       1e-6);
    }
    freeStage(&stage);
}

// Two blocks pushed into each other: forces sum to nothing, have next to no moment, and drive them apart.
static void selfForcesAreBalanced(void)
{
    Stage stage;
    makeStage(&stage, 2, false);
    snFleshDef def = snDefaultFleshDef();
    def.motion = SN_MOTION_FULL;
    if (build(&stage, def, (snFleshContactsDef){.self = true, .friction = -1})) {
        const snLatticeModel *model = stage.flesh->model;
        snLatticeContacts *contacts = stage.contacts->contacts;
        play(&stage, 0, 0);
        CHECK(snLatticeContacts_Begin(contacts, stage.state, stage.state->rig) >= 0);
        snRandom random = snMakeRandom(3);
        for (int i = 0; i < model->vertexCount; i++) {
            double *x = stage.state->position + 4 * i;
            bool right = model->rest[i].x > 1.25;
            for (int c = 0; c < 3; c++)
                x[c] += snRandom_Uniform(&random, -0.02, 0.02) - (right && c == 0 ? 0.6 : 0);
        }
        memcpy(stage.state->next, stage.state->position,
               (size_t)model->vertexCount * 4 * sizeof(double));
        int count = snLatticeContacts_Begin(contacts, stage.state, stage.state->rig);
        double *gradient = SN_NEW(&stage.arena, double, model->freeCount * 4), all = 0, apart = 0;
        double energy = snLatticeContacts_AddTerms(contacts, stage.state->next, gradient);
        snVec3 sum = {0, 0, 0}, moment = {0, 0, 0};
        for (int i = 0; i < model->freeCount; i++) {
            const double *g = gradient + 4 * i, *x = stage.state->next + 4 * i;
            snVec3 force = {-g[0], -g[1], -g[2]};
            sum = snAdd(sum, force);
            moment = snAdd(moment, snCross(snVec(x[0], x[1], x[2]), force));
            all += snLength(force);
            apart += model->rest[i].x > 1.25 ? force.x : -force.x;
        }
        printf("    %d contacts, forces %.3g sum to %.1e, moment %.1e\n", count, all, snLength(sum),
               snLength(moment));
        CHECK(model->freeCount == model->vertexCount && count > 8 && energy > 0);
        CHECK(snLength(sum) < 1e-12 * all && snLength(moment) < 0.02 * all); // blocks of size 1
        CHECK(apart > 0.5 * all);
        // Gradient against differences.
        double worst = 0, most = 0;
        for (int k = 0; k < model->freeCount * 4; k += 3) {
            double *x = stage.state->next + k, old = *x, h = 1e-6;
            *x = old + h;
            double up = snLatticeContacts_AddTerms(contacts, stage.state->next, NULL);
            *x = old - h;
            double down = snLatticeContacts_AddTerms(contacts, stage.state->next, NULL);
            *x = old;
            worst = fmax(worst, fabs((up - down) / (2 * h) - gradient[k]));
            most = fmax(most, fabs(gradient[k]));
        }
        CHECK(worst < 1e-6 * most);
    }
    freeStage(&stage);
}

static void whatCannotIsRefused(void)
{
    Stage stage;
    makeStage(&stage, 1, true);
    snFleshDef def = snDefaultFleshDef();
    snFleshContactsDef contacts = {.floor = true, .height = 0};
    snFleshContacts *made = NULL;
    snError error = {0};
    def.cells = 100;
    def.solver = SN_SOLVER_LINEAR;
    CHECK(snFlesh_Build(&stage.flesh, &stage.character, &def, &stage.context, &error) == SN_OK);
    CHECK(snFleshContacts_Make(&made, stage.flesh, &contacts, &stage.context, &error) ==
          SN_ERROR_UNSUPPORTED);
    CHECK(strstr(error.message, "projective") && !made);
    snFlesh_Destroy(stage.flesh);
    def.solver = SN_SOLVER_PROJECTIVE;
    CHECK(snFlesh_Build(&stage.flesh, &stage.character, &def, &stage.context, &error) == SN_OK);
    contacts.height = NAN;
    CHECK(snFleshContacts_Make(&made, stage.flesh, &contacts, &stage.context, &error) ==
          SN_ERROR_ARGUMENT);
    contacts.height = 0;
    contacts.self = true;
    bool good = false;
    for (int n = 1; n < 200 && !good; n++) {
        snContext context = snDefaultContext();
        snFailingMemory memory = {.failAtWay = n};
        snTest_UseFailingMemory(&context, &memory);
        snStatus status = snFleshContacts_Make(&made, stage.flesh, &contacts, &context, NULL);
        CHECK(status == SN_OK || (status == SN_ERROR_MEMORY && !made));
        good = status == SN_OK;
        snFleshContacts_Destroy(made);
        CHECK(memory.alive == 0);
    }
    CHECK(good);
    stage.parts[1].triangleCount = 0; // a prop of nothing
    CHECK(snFleshContacts_Make(&made, stage.flesh, &contacts, &stage.context, &error) ==
          SN_ERROR_GEOMETRY);
    CHECK(strstr(error.message, "slab") != NULL);
    snFlesh_Destroy(stage.flesh);
    snArena_Destroy(&stage.arena);
}

int main(void)
{
    RUN(toysLieOnFloors);
    RUN(propsPress);
    RUN(selfForcesAreBalanced);
    RUN(whatCannotIsRefused);
    return snTest_Finish();
}
