// Crowds through the public interface: members are actors to the bit, whatever thread steps them.
#include "tests/test.h"

#include "core/elementary.h"
#include "demo.h"
#include "platform/threads.h"
#include "sinew/sinew.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = 220, STEPS = 40 };

static snContext context;
static snCharacter calf;
static int vertices;

static snCrowdDef smallDef(int members)
{
    snCrowdDef def = snDefaultCrowdDef();
    def.members = members;
    def.actor.cells = CELLS;
    return def;
}

static snCrowd *makeCrowd(const snCrowdDef *def, const snContext *with)
{
    snCrowd *crowd = NULL;
    snError error = {0};
    if (snCrowd_Make(&crowd, &calf, def, with, &error)) {
        printf("%s\n", error.message);
        exit(1);
    }
    return crowd;
}

static float *makeFloats(size_t perVertex)
{
    return calloc((size_t)vertices * perVertex, sizeof(float));
}

static void readPositions(snCrowd *crowd, int member, float *out)
{
    snSurfaceBuffer buffer = {.positions = out};
    snCrowd_ReadSurface(crowd, member, &buffer);
}

// The largest distance between two surfaces.
static double apart(const float *a, const float *b)
{
    double most = 0;
    for (int v = 0; v < vertices; v++)
        most = fmax(
            most, hypot(hypot((double)(a[3 * v] - b[3 * v]), (double)(a[3 * v + 1] - b[3 * v + 1])),
                        (double)(a[3 * v + 2] - b[3 * v + 2])));
    return most;
}

static snPlacement placeAt(double x, double y, double z, double yaw)
{
    return (snPlacement){{x, y, z}, {0, snSin(yaw / 2), 0, snCos(yaw / 2)}};
}

// ---- members are actors -----------------------------------------------------------------------------

static void membersAreActors(void)
{
    enum { MEMBERS = 9 };
    snCrowdDef def = smallDef(MEMBERS);
    float *one = makeFloats(3), *all = makeFloats(3 * MEMBERS);
    uint64_t hashes[MEMBERS];
    for (int threads = 1; threads <= 3; threads++) {
        snContext with = context;
        snThreadPool *pool;
        CHECK(snThreadPool_Make(&pool, threads, NULL) == SN_OK);
        with.tasks = snThreadPool_Tasks(pool);
        snCrowd *crowd = makeCrowd(&def, &with);
        for (int m = 0; m < MEMBERS; m++) {
            snCrowd_Play(crowd, m, m % calf.clipCount, 0.05 * m, 0);
            snCrowd_Start(crowd, m);
        }
        snSurfaceBuffer buffer = {.positions = all, .memberStride = (size_t)vertices * 12};
        for (int k = 1; k <= STEPS; k++) {
            for (int m = 0; m < MEMBERS; m++)
                snCrowd_Play(crowd, m, m % calf.clipCount, 0.05 * m + k * def.actor.step, 0);
            CHECK(snCrowd_Step(crowd, 1, &buffer) == 0);
        }
        CHECK(snCrowd_SteppedCount(crowd) == MEMBERS);
        for (int m = 0; m < MEMBERS; m++) {
            if (threads == 1) hashes[m] = snCrowd_Hash(crowd, m);
            CHECK(snCrowd_Hash(crowd, m) == hashes[m]);
        }
        snCrowd_Destroy(crowd);
        snThreadPool_Destroy(pool);
    }
    snActor *actor;
    CHECK(snActor_Make(&actor, &calf, &def.actor, &context, NULL) == SN_OK);
    for (int m = 0; m < MEMBERS; m += 4) {
        snActor_Start(actor, m % calf.clipCount, 0.05 * m);
        for (int k = 1; k <= STEPS; k++)
            CHECK(snActor_Step(actor, m % calf.clipCount, 0.05 * m + k * def.actor.step));
        snActor_ReadPositions(actor, one, 12);
        CHECK(snActor_Hash(actor) == hashes[m]);
        CHECK(!memcmp(one, all + (size_t)m * (size_t)vertices * 3, (size_t)vertices * 12));
        CHECK(snActor_Offset(actor) > 1e-4);
    }
    snActor_Destroy(actor);
    free(one);
    free(all);
}

// Two steps in one call are two calls, clips go round, and what is saved comes back to the bit.
static void callsAddUp(void)
{
    snCrowdDef def = smallDef(2);
    snCrowd *a = makeCrowd(&def, &context), *b = makeCrowd(&def, &context);
    void *saved = malloc(snCrowd_StateSize(a));
    double length = calf.clips[0].duration;
    for (int m = 0; m < 2; m++) {
        snCrowd_Play(a, m, 0, length - 0.1, m ? -1 : 1);
        snCrowd_Play(b, m, 0, length - 0.1, m ? -1 : 1);
        snCrowd_Start(a, m);
        snCrowd_Start(b, m);
    }
    for (int k = 0; k < STEPS; k += 2) {
        snCrowd_Step(a, 2, NULL);
        snCrowd_Step(b, 1, NULL);
        snCrowd_Step(b, 1, NULL);
        if (k == 20) snCrowd_Save(a, saved);
    }
    CHECK(snCrowd_Hash(a, 0) == snCrowd_Hash(b, 0) && snCrowd_Hash(a, 1) == snCrowd_Hash(b, 1));
    CHECK(snCrowd_Hash(a, 0) != snCrowd_Hash(a, 1));
    CHECK(snCrowd_Restore(a, saved, snCrowd_StateSize(a), NULL) == SN_OK);
    CHECK(snCrowd_Hash(a, 0) != snCrowd_Hash(b, 0));
    for (int k = 22; k < STEPS; k += 2)
        snCrowd_Step(a, 2, NULL);
    CHECK(snCrowd_Hash(a, 0) == snCrowd_Hash(b, 0));
    // What is no state of it changes nothing: too short, told otherwise, or of nothing at all.
    uint64_t hash = snCrowd_Hash(a, 0);
    size_t size = snCrowd_StateSize(a);
    CHECK(snCrowd_Restore(a, saved, size - 1, NULL) == SN_ERROR_FORMAT);
    ((unsigned char *)saved)[8] ^= 1;
    CHECK(snCrowd_Restore(a, saved, size, NULL) == SN_ERROR_FORMAT);
    memset(saved, 0x5a, size);
    CHECK(snCrowd_Restore(a, saved, size, NULL) == SN_ERROR_FORMAT);
    CHECK(snCrowd_Hash(a, 0) == hash);
    free(saved);
    snCrowd_Destroy(a);
    snCrowd_Destroy(b);
}

static void stepsAllocateNothing(void)
{
    snContext counting = context;
    snFailingMemory memory = {0};
    snTest_UseFailingMemory(&counting, &memory);
    snCrowdDef def = smallDef(3);
    def.longStep = 2;
    snCrowd *crowd = makeCrowd(&def, &counting);
    int before = memory.count;
    float *floats = makeFloats(6);
    snSurfaceBuffer buffer = {floats, 24, floats + 3, 24, 0};
    const double eye[3] = {0, 0, 0};
    snDetailRange range = {1, 2, 3};
    snPlacement place = placeAt(1, 0, 0, 1);
    for (int k = 0; k < 6; k++) {
        snCrowd_Play(crowd, 0, 0, 0.1 * k, 1);
        snCrowd_SetPlace(crowd, 1, &place);
        snCrowd_Teleport(crowd, 2, &place);
        snCrowd_ChooseDetail(crowd, eye, &range);
        snCrowd_Step(crowd, 2, NULL);
        snCrowd_ReadSurface(crowd, k % 3, &buffer);
    }
    CHECK(memory.count == before);
    size_t bytes = snCrowd_BytesPerMember(crowd);
    printf("%zu bytes for one more member, %zu shared\n", bytes, snCrowd_SharedBytes(crowd));
    snCrowd_Destroy(crowd);
    CHECK(memory.alive == 0);
    free(floats);
}

// The member of the benchmark (crowd): some 200 vertices of a lattice, 2,000 of the surface, long steps besides. By either matrix.
static void membersAreSmall(void)
{
    static const snMatrix matrices[] = {SN_MATRIX_AUTO, SN_MATRIX_SCALAR};
    snCharacter bumble;
    snError error = {0};
    if (!CHECK(snDemo_MakeCoarse(&bumble, SN_DEMO_CROWD_EDGE, &context, &error) == SN_OK)) return;
    for (int k = 0; k < 2; k++) {
        snCrowdDef def = smallDef(2);
        snCrowd *crowd;
        def.longStep = 2;
        def.actor.cells = 555;
        def.actor.matrix = matrices[k];
        if (!CHECK(snCrowd_Make(&crowd, &bumble, &def, &context, &error) == SN_OK)) break;
        double bytes = (double)snCrowd_BytesPerMember(crowd);
        printf("%d vertices in a lattice of %d: %.1f KiB per member, %.1f MiB shared\n",
               bumble.vertexCount, snCrowd_LatticeCount(crowd), bytes / 1024,
               (double)snCrowd_SharedBytes(crowd) / 1048576);
        CHECK(bytes < 100 * 1024);
        snCrowd_Destroy(crowd);
    }
    snCharacter_Destroy(&bumble);
}

// ---- places -----------------------------------------------------------------------------------------------

// What a placement makes of a surface.
static void moveSurface(const snPlacement *place, float *points)
{
    const double *p = place->position, *q = place->rotation;
    snQuat turn = {q[0], q[1], q[2], q[3]};
    for (int v = 0; v < vertices; v++) {
        float *x = points + 3 * v;
        snVec3 at = snRotate(turn, snVec((double)x[0], (double)x[1], (double)x[2]));
        snVec3f out = snToF(snAdd(at, snVec(p[0], p[1], p[2])));
        memcpy(x, &out, sizeof out);
    }
}

// A member that is put elsewhere and turned goes on as one that stays, there.
static void teleportsCarryFlesh(void)
{
    snCrowdDef def = smallDef(2);
    snCrowd *crowd = makeCrowd(&def, &context);
    snPlacement place = placeAt(3, 0.5, -2, 1.1);
    float *a = makeFloats(3), *b = makeFloats(3);
    for (int m = 0; m < 2; m++)
        snCrowd_Play(crowd, m, 1, 0, 1), snCrowd_Start(crowd, m);
    snCrowd_Step(crowd, 20, NULL);
    snCrowd_Teleport(crowd, 1, &place);
    double worst = 0, offset = 0;
    for (int k = 0; k <= 20; k++) {
        if (k) snCrowd_Step(crowd, 1, NULL);
        readPositions(crowd, 0, a);
        readPositions(crowd, 1, b);
        moveSurface(&place, a);
        worst = fmax(worst, apart(a, b));
        offset = fmax(offset, snCrowd_Offset(crowd, 0));
    }
    printf("teleported: %.1e m from where it would be; flesh goes %.1f %% from its rig\n", worst,
           100 * offset);
    CHECK(worst < 2e-4 && offset > 0.005);
    free(a);
    free(b);
    snCrowd_Destroy(crowd);
}

// Flesh feels as much of its member's motion through the world as it is told to.
static void rootMotionIsScaled(void)
{
    snCrowdDef def = smallDef(3);
    def.sleep = 0;
    snCrowd *crowd = makeCrowd(&def, &context);
    const double shares[3] = {0, 0.5, 1};
    double most[3] = {0};
    for (int m = 0; m < 3; m++)
        snCrowd_SetRootMotion(crowd, m, shares[m]);
    for (int k = 0; k < 60; k++) {
        double s = 0.3 * snSin(0.3 * k);
        snPlacement place = placeAt(s, 0, 0, 0.5 * s);
        for (int m = 0; m < 3; m++)
            snCrowd_SetPlace(crowd, m, &place);
        snCrowd_Step(crowd, 1, NULL);
        for (int m = 0; m < 3; m++)
            most[m] = fmax(most[m], snCrowd_Offset(crowd, m));
    }
    printf("shaken: %.2f, %.2f and %.2f %% of the height for shares of 0, 0.5 and 1\n",
           100 * most[0], 100 * most[1], 100 * most[2]);
    CHECK(most[0] < 1e-5 && most[2] > 0.01);
    CHECK(most[1] > 0.3 * most[2] && most[1] < 0.7 * most[2]);
    snCrowd_Destroy(crowd);
}

// Matrices of a clip's own poses move flesh as the clip does, up to their rounding.
static void posesOfTheEngine(void)
{
    snCrowdDef def = smallDef(2);
    snCrowd *crowd = makeCrowd(&def, &context);
    snArena arena = snMakeArena(&context);
    snPose pose;
    int joints = snCharacter_JointCount(&calf);
    float *matrices = calloc((size_t)joints * 20, sizeof(float)), *a = makeFloats(3),
          *b = makeFloats(3);
    CHECK(snPose_Make(&pose, &calf.skeleton, calf.morphCount, &arena, NULL) == SN_OK);
    double worst = 0;
    for (int k = 0; k <= STEPS; k++) {
        snCharacter_Pose(&calf, &calf.clips[0], calf.clips[0].start + k * def.actor.step, &pose);
        for (int j = 0; j < joints; j++) {
            const snVec3 columns[4] = {pose.global[j].linear.cx, pose.global[j].linear.cy,
                                       pose.global[j].linear.cz, pose.global[j].origin};
            for (int c = 0; c < 4; c++) {
                float *column = matrices + 20 * j + 4 * c;
                snVec3f f = snToF(columns[c]);
                memcpy(column, &f, sizeof f);
                column[3] = c == 3;
            }
        }
        snCrowd_Play(crowd, 0, 0, k * def.actor.step, 0);
        snCrowd_SetPose(crowd, 1, matrices, 20 * sizeof(float));
        for (int m = 0; m < 2 && k == 0; m++)
            snCrowd_Start(crowd, m);
        if (k) snCrowd_Step(crowd, 1, NULL);
        readPositions(crowd, 0, a);
        readPositions(crowd, 1, b);
        worst = fmax(worst, apart(a, b));
    }
    printf("posed by matrices: %.1e m from the clip\n", worst);
    CHECK(worst < 2e-4 && snCrowd_Offset(crowd, 1) > 1e-4);
    free(matrices);
    free(a);
    free(b);
    snArena_Destroy(&arena);
    snCrowd_Destroy(crowd);
}

// ---- what is not computed ------------------------------------------------------------------------------------

static void fleshFallsAsleepAndWakes(void)
{
    snCrowdDef def = smallDef(2);
    snCrowd *crowd = makeCrowd(&def, &context);
    snPlacement place = placeAt(0.2, 0, 0, 0);
    int clip = snCharacter_FindClip(&calf, "shake");
    for (int m = 0; m < 2; m++)
        snCrowd_Play(crowd, m, clip, 0.3, 1), snCrowd_Start(crowd, m);
    snCrowd_Step(crowd, 20, NULL);
    CHECK(snCrowd_SteppedCount(crowd) == 2);
    snCrowd_Play(crowd, 0, clip, 0.5, 0); // held from now on
    int steps = 0;
    while (steps < 1200 && (snCrowd_Step(crowd, 1, NULL), snCrowd_SteppedCount(crowd)) == 2)
        steps++;
    double left = snCrowd_Offset(crowd, 0);
    printf("asleep after %d steps, %.1e of the height from the rig\n", steps, left);
    CHECK(steps > 30 && steps < 1200 && left < 1e-3);
    uint64_t hash = snCrowd_Hash(crowd, 0);
    snCrowd_Step(crowd, 2, NULL);
    CHECK(snCrowd_Hash(crowd, 0) == hash);
    snCrowd_SetPlace(crowd, 0, &place);
    snCrowd_Step(crowd, 1, NULL);
    CHECK(snCrowd_SteppedCount(crowd) == 2 && snCrowd_Offset(crowd, 0) > 0.01);
    snForceField wind = {.wind = {3, 0, 0}, .drag = 2};
    snCrowd_SetField(crowd, &wind); // wakes all
    snCrowd_Step(crowd, 1, NULL);
    CHECK(snCrowd_SteppedCount(crowd) == 2);
    snCrowd_Destroy(crowd);
}

static void levelsOfDetail(void)
{
    snCrowdDef def = smallDef(3);
    def.longStep = 2;
    snCrowd *crowd = makeCrowd(&def, &context);
    int clip = snCharacter_FindClip(&calf, "shake");
    for (int m = 0; m < 3; m++) {
        snPlacement place = placeAt(10 * m, 0, 0, 0);
        snCrowd_Play(crowd, m, clip, 0, 1);
        snCrowd_Teleport(crowd, m, &place);
        snCrowd_Start(crowd, m);
    }
    const double eye[3] = {1, 0, 0};
    snDetailRange range = {.full = 5, .half = 15, .most = 3};
    snCrowd_ChooseDetail(crowd, eye, &range);
    double most[3] = {0}, jump = 0, last = 0;
    for (int k = 0; k < 30; k++) {
        snCrowd_Step(crowd, 2, NULL);
        CHECK(snCrowd_SteppedCount(crowd) == (k < 8 ? 3 : 2));
        for (int m = 0; m < 3; m++)
            most[m] = fmax(most[m], snCrowd_Offset(crowd, m));
    }
    printf("farthest from the rig: %.2f %% full, %.2f %% in long steps\n", 100 * most[0],
           100 * most[1]);
    CHECK(most[1] > 0.5 * most[0] && most[1] < 1.3 * most[0]);
    CHECK(snCrowd_Offset(crowd, 2) == 0);
    snCrowd_SetDetail(crowd, 2, SN_DETAIL_FULL); // comes back without a jump
    for (int k = 0; k < 30; k++) {
        snCrowd_Step(crowd, 1, NULL);
        double now = snCrowd_Offset(crowd, 2);
        jump = fmax(jump, fabs(now - last));
        last = now;
    }
    CHECK(last > 0 && jump < 0.5 * most[0]);
    range.most = 1; // the nearest alone
    snCrowd_ChooseDetail(crowd, eye, &range);
    snCrowd_Step(crowd, 16, NULL);
    snCrowd_Step(crowd, 2, NULL);
    CHECK(snCrowd_SteppedCount(crowd) == 1 && snCrowd_Offset(crowd, 1) == 0);
    snCrowd_Destroy(crowd);
}

// ---- fields -----------------------------------------------------------------------------------------------------

static void liftMember(void *user, int member, int count, const double *places, double *a)
{
    (void)user;
    (void)places;
    for (int i = 0; i < count && member == 1; i++)
        a[4 * i + 1] += 5;
}

static snVec3 meanOf(const float *a, const float *b)
{
    snVec3 sum = {0, 0, 0};
    for (int v = 0; v < vertices; v++)
        sum = snAdd(sum, snVec((double)(a[3 * v] - b[3 * v]), (double)(a[3 * v + 1] - b[3 * v + 1]),
                               (double)(a[3 * v + 2] - b[3 * v + 2])));
    return snScale(1.0 / vertices, sum);
}

static void windBlows(void)
{
    snCrowdDef def = smallDef(2);
    snCrowd *crowd = makeCrowd(&def, &context);
    snForceField field = {.wind = {4, 0, 0}, .drag = 2, .add = liftMember};
    float *rest = makeFloats(3), *now = makeFloats(3);
    readPositions(crowd, 0, rest);
    snCrowd_SetField(crowd, &field);
    snCrowd_Step(crowd, 120, NULL);
    for (int m = 0; m < 2; m++) {
        readPositions(crowd, m, now);
        snVec3 d = meanOf(now, rest);
        printf("in the wind: %.4f %.4f %.4f m\n", d.x, d.y, d.z);
        CHECK(d.x > 1e-3 && fabs(d.z) < 0.3 * d.x);
        CHECK(m ? d.y > 1e-3 : fabs(d.y) < 0.3 * d.x);
    }
    field.drag = 1e9; // takes flesh along and no farther
    snCrowd_SetField(crowd, &field);
    CHECK(snCrowd_Step(crowd, 5, NULL) == 0);
    snCrowd_SetField(crowd, NULL);
    snCrowd_Step(crowd, 600, NULL);
    readPositions(crowd, 0, now);
    CHECK(apart(now, rest) < 1e-3);
    free(rest);
    free(now);
    snCrowd_Destroy(crowd);
}

// ---- surfaces -------------------------------------------------------------------------------------------------------

// Skinning and offsets of the lattice make up the surface, as a GPU would do it; normals are those of its triangles.
static void surfacesCanBeCarriedElsewhere(void)
{
    snCrowdDef def = smallDef(1);
    snCrowd *crowd = makeCrowd(&def, &context);
    int width = snCrowd_EmbeddingWidth(crowd), lattice = snCrowd_LatticeCount(crowd);
    int *corner = calloc((size_t)(vertices * width), sizeof(int));
    float *weight = calloc((size_t)(vertices * width), sizeof(float));
    float *offset = calloc((size_t)lattice * 4, sizeof(float)), *both = makeFloats(8),
          *rig = makeFloats(3);
    snCrowd_Play(crowd, 0, 2, 0, 1);
    snCrowd_Start(crowd, 0);
    snCrowd_Step(crowd, 25, NULL);
    snSurfaceBuffer buffer = {both, 32, both + 4, 32, 0};
    snCrowd_ReadSurface(crowd, 0, &buffer);
    snCrowd_ReadEmbedding(crowd, corner, weight);
    snCrowd_ReadLattice(crowd, 0, offset, 16);
    snCrowd_SetDetail(crowd, 0, SN_DETAIL_RIG);
    snCrowd_Play(crowd, 0, 2, 25 * def.actor.step, 0);
    snCrowd_Step(crowd, 16, NULL);
    readPositions(crowd, 0, rig);
    double worst = 0, most = 0, shortest = 2, longest = 0;
    for (int v = 0; v < vertices; v++) {
        double length = 0;
        for (int c = 0; c < 3; c++) {
            double p = (double)rig[3 * v + c];
            for (int k = 0; k < width; k++)
                p += (double)weight[v * width + k] * (double)offset[4 * corner[v * width + k] + c];
            double seen = (double)both[8 * v + c], n = (double)both[8 * v + 4 + c];
            worst = fmax(worst, fabs(p - seen));
            most = fmax(most, fabs(seen - (double)rig[3 * v + c]));
            length += n * n;
        }
        shortest = fmin(shortest, length);
        longest = fmax(longest, length);
    }
    printf("carried elsewhere: %.1e m off, of offsets up to %.3f m\n", worst, most);
    CHECK(worst < 1e-6 && most > 0.003);
    CHECK(fabs(shortest - 1) < 1e-5 && fabs(longest - 1) < 1e-5);
    int *triangles = calloc((size_t)calf.triangleCount * 3, sizeof(int)), right = 0;
    snCharacter_ReadTriangles(&calf, triangles);
    for (int t = 0; t < calf.triangleCount; t++) { // normals look the way their triangles do
        snVec3 p[3], n = {0, 0, 0};
        for (int k = 0; k < 3; k++) {
            const float *at = both + 8 * triangles[3 * t + k];
            p[k] = snVec((double)at[0], (double)at[1], (double)at[2]);
            n = snAdd(n, snVec((double)at[4], (double)at[5], (double)at[6]));
        }
        right += snDot(snCross(snSub(p[1], p[0]), snSub(p[2], p[0])), n) > 0;
    }
    CHECK(right > 0.99 * calf.triangleCount);
    free(corner);
    free(weight);
    free(offset);
    free(both);
    free(rig);
    free(triangles);
    snCrowd_Destroy(crowd);
}

// However positions and normals lie in a program's vertices, they are the same, and nothing beside them is touched.
static void layoutsOfVertices(void)
{
    enum { WIDE = 8 };
    const struct {
        size_t position, normal, positionStride, normalStride; // floats
    } layouts[] = {{0, 3, 6, 6}, {1, 4, WIDE, WIDE}, {4, 0, WIDE, WIDE}, {3, 0, 6, 6}};
    snCrowdDef def = smallDef(1);
    snCrowd *crowd = makeCrowd(&def, &context);
    float *positions = makeFloats(3), *normals = makeFloats(3), *all = makeFloats(WIDE);
    snCrowd_Play(crowd, 0, 0, 0.2, 1);
    snCrowd_Start(crowd, 0);
    snCrowd_Step(crowd, 3, NULL);
    snSurfaceBuffer plain = {.positions = positions, .normals = normals};
    snCrowd_ReadSurface(crowd, 0, &plain);
    for (size_t k = 0; k < sizeof layouts / sizeof *layouts; k++) {
        size_t p = layouts[k].position, n = layouts[k].normal, stride = layouts[k].positionStride;
        snSurfaceBuffer buffer = {.positions = all + p,
                                  .positionStride = stride * sizeof(float),
                                  .normals = all + n,
                                  .normalStride = layouts[k].normalStride * sizeof(float)};
        for (size_t i = 0; i < (size_t)vertices * WIDE; i++)
            all[i] = -7;
        snCrowd_ReadSurface(crowd, 0, &buffer);
        size_t wrong = 0;
        for (size_t i = 0; i < (size_t)vertices * stride; i++) {
            size_t v = i / stride, c = i % stride;
            float want = -7;
            if (c >= p && c < p + 3) want = positions[3 * v + c - p];
            if (c >= n && c < n + 3) want = normals[3 * v + c - n];
            wrong += memcmp(&want, &all[i], sizeof want) != 0;
        }
        CHECK(wrong == 0);
    }
    free(positions);
    free(normals);
    free(all);
    snCrowd_Destroy(crowd);
}

// ---- failures --------------------------------------------------------------------------------------------------------

static void failuresAreTold(void)
{
    snCrowd *crowd;
    snError error = {0};
    snCrowdDef def = smallDef(0);
    CHECK(snCrowd_Make(&crowd, &calf, &def, &context, &error) == SN_ERROR_ARGUMENT && !crowd);
    CHECK(strstr(error.message, "0 members"));
    def = smallDef(1);
    def.sleep = NAN;
    CHECK(snCrowd_Make(&crowd, &calf, &def, &context, &error) == SN_ERROR_ARGUMENT && !crowd);
    def = smallDef(1);
    def.longStep = 1;
    CHECK(snCrowd_Make(&crowd, &calf, &def, &context, &error) == SN_ERROR_ARGUMENT && !crowd);
    snCrowd_Destroy(NULL);
    def = smallDef(2); // a pose of NaN puts one member on its rig, and leaves the other alone
    crowd = makeCrowd(&def, &context);
    size_t count = (size_t)snCharacter_JointCount(&calf) * 16;
    float *matrices = malloc(count * sizeof(float));
    for (size_t k = 0; k < count; k++)
        matrices[k] = NAN;
    snCrowd_Play(crowd, 0, 0, 0, 1);
    snCrowd_SetPose(crowd, 1, matrices, 0);
    CHECK(snCrowd_Step(crowd, 2, NULL) == 1);
    CHECK(isfinite(snCrowd_Offset(crowd, 0)));
    snCrowd_Play(crowd, 1, 0, 0, 1);
    snCrowd_Start(crowd, 1);
    CHECK(snCrowd_Step(crowd, 2, NULL) == 0 && isfinite(snCrowd_Offset(crowd, 1)));
    free(matrices);
    snCrowd_Destroy(crowd);
}

// Every seventeenth allocation fails in turn: nothing leaks.
static void allocationsMayFail(void)
{
    snCrowdDef def = smallDef(2);
    def.actor.cells = 40;
    def.longStep = 2;
    for (int n = 1;; n += snTest_Whole() ? 5 : 41) {
        snContext failing = context;
        snFailingMemory memory = {.failAtWay = n};
        snCrowd *crowd;
        snTest_UseFailingMemory(&failing, &memory);
        snStatus status = snCrowd_Make(&crowd, &calf, &def, &failing, NULL);
        CHECK(status == SN_OK || (status == SN_ERROR_MEMORY && !crowd));
        snCrowd_Destroy(crowd);
        CHECK(memory.alive == 0);
        if (!status) break;
    }
}

int main(void)
{
    snError error = {0};
    context = snDefaultContext();
    if (snDemo_MakeCoarse(&calf, 0.11, &context, &error)) {
        printf("%s\n", error.message);
        return 1;
    }
    vertices = calf.vertexCount;
    RUN(membersAreActors);
    RUN(callsAddUp);
    RUN(stepsAllocateNothing);
    RUN(membersAreSmall);
    RUN(teleportsCarryFlesh);
    RUN(rootMotionIsScaled);
    RUN(posesOfTheEngine);
    RUN(fleshFallsAsleepAndWakes);
    RUN(levelsOfDetail);
    RUN(windBlows);
    RUN(surfacesCanBeCarriedElsewhere);
    RUN(layoutsOfVertices);
    RUN(failuresAreTold);
    RUN(allocationsMayFail);
    snCharacter_Destroy(&calf);
    return snTest_Finish();
}
