// The automatic lattice and its joint weights, around a limb made of implicit shapes.
#include "tests/test.h"

#include "body/lattice/auto_lattice.h"
#include "body/lattice/weights.h"
#include "core/core.h"
#include "geometry/implicit.h"
#include "geometry/primitive.h"

#include <stdio.h>
#include <string.h>

// A bent arm: two round cones and a ball, with a bone in each and one that branches off.
typedef struct Arm {
    snContext context;
    snArena arena;
    snMesh mesh;
    snMeshTree tree;
    snWinding *winding;
    snBone bones[3];
} Arm;

static snShape limb(snVec3 from, snVec3 to, double r0, double r1)
{
    snShape shape = snDefaultShape(SN_SHAPE_CAPSULE);
    snVec3 axis = snSub(to, from);
    double length = snLength(axis);
    shape.place.origin = snLerp(from, to, 0.5);
    shape.place.linear =
        snQuatToMat(snQuatBetween(snVec(0, 1, 0), snNormalizeOr(axis, snVec(0, 1, 0))));
    shape.size = snVec(r0, length / 2, r1);
    return shape;
}

static Arm makeArm(void)
{
    Arm arm = {.context = snDefaultContext()};
    arm.arena = snMakeArena(&arm.context);
    snVec3 a = {0, 0, 0}, b = {1, 0.1, 0}, c = {1.6, 0.8, 0.2}, d = {1.5, -0.4, 0.1};
    snShape shapes[3] = {limb(a, b, 0.2, 0.16), limb(b, c, 0.16, 0.1), limb(b, d, 0.12, 0.1)};
    double blend[3] = {0.1, 0.1, 0.1};
    snBlend blob = {3, shapes, blend};
    snField field = snBlend_Field(&blob);
    snPolygoniseDef def = snDefaultPolygoniseDef();
    def.box = snBlend_Bounds(&blob);
    def.box.lower = snSub(def.box.lower, snVec(0.1, 0.1, 0.1));
    def.box.upper = snAdd(def.box.upper, snVec(0.1, 0.1, 0.1));
    def.cell = 0.05;
    snError error = {0};
    CHECK(snPolygonise(&arm.mesh, &field, &def, &arm.arena, &error) == SN_OK);
    CHECK(snMeshTree_Build(&arm.tree, &arm.mesh, &arm.arena, &error) == SN_OK);
    CHECK(snWinding_Make(&arm.winding, &arm.tree, &arm.arena, &error) == SN_OK);
    arm.bones[0] = (snBone){0, a, b};
    arm.bones[1] = (snBone){1, b, c};
    arm.bones[2] = (snBone){2, b, d};
    return arm;
}

static snAutoLatticeDef defOf(const Arm *arm, int cells)
{
    return (snAutoLatticeDef){.surface = &arm->tree,
                              .winding = arm->winding,
                              .bones = arm->bones,
                              .boneCount = 3,
                              .cells = cells};
}

// Every size: valid, near the wanted count, bones are edges, the surface is inside, no flat cells.
static void latticeMeetsItsConditions(void)
{
    Arm arm = makeArm();
    int sizes[4] = {100, 500, 2000, 8000};
    for (int k = 0; k < 4; k++) {
        snAutoLatticeDef def = defOf(&arm, sizes[k]);
        snAutoLatticeReport report;
        snLattice lattice;
        snError error = {0};
        snEmbedding embedding;
        snArena arena = snMakeArena(&arm.context);
        CHECK(snAutoLattice(&lattice, &def, &report, &arena, &arm.context, &error) == SN_OK);
        CHECK(snLattice_Check(&lattice, &arm.context, &error) == SN_OK);
        CHECK(snEmbed(&embedding, &lattice, arm.mesh.vertexCount, arm.mesh.positions, &arena,
                      &arm.context, &error) == SN_OK);
        int missing = snLattice_MissingBoneEdges(&lattice, arm.bones, 3, 1e-6, &arm.context);
        printf("asked for %d cells: %d, spacing %.3f, quality %.3f worst %.3f median, %d rounds\n",
               sizes[k], lattice.cellCount, report.spacing, report.worstQuality,
               report.medianQuality, report.rounds);
        CHECK(missing == 0 && report.missingBoneEdges == 0);
        CHECK(embedding.outside == 0);
        CHECK(fabs(lattice.cellCount / (double)sizes[k] - 1) < (sizes[k] < 200 ? 0.27 : 0.25));
        CHECK(report.worstQuality > 0.3);
        CHECK(report.medianQuality > 0.7);
        for (int joint = 0; joint < 3; joint++) { // every bone has vertices of its own
            int found = 0;
            for (int v = 0; v < lattice.vertexCount; v++)
                found += lattice.joint[v] == joint;
            CHECK(found > 0);
        }
        snArena_Destroy(&arena);
    }
    snArena_Destroy(&arm.arena);
}

static void sameInputSameLattice(void)
{
    Arm arm = makeArm();
    snAutoLatticeDef def = defOf(&arm, 500);
    snLattice lattices[2];
    snAutoLatticeReport report;
    for (int k = 0; k < 2; k++)
        CHECK(snAutoLattice(&lattices[k], &def, &report, &arm.arena, &arm.context, NULL) == SN_OK);
    CHECK(lattices[0].vertexCount == lattices[1].vertexCount);
    CHECK(!memcmp(lattices[0].rest, lattices[1].rest,
                  (size_t)lattices[0].vertexCount * sizeof(snVec3)));
    CHECK(!memcmp(lattices[0].corners, lattices[1].corners,
                  (size_t)lattices[0].cellCount * 4 * sizeof(int)));
    snArena_Destroy(&arm.arena);
}

static void badRequestsAreRefused(void)
{
    Arm arm = makeArm();
    snAutoLatticeDef def = defOf(&arm, 2);
    snLattice lattice;
    snAutoLatticeReport report;
    snError error = {0};
    CHECK(snAutoLattice(&lattice, &def, &report, &arm.arena, &arm.context, &error) ==
          SN_ERROR_ARGUMENT);
    def.spacing = 1e-6;
    CHECK(snAutoLattice(&lattice, &def, &report, &arm.arena, &arm.context, &error) ==
          SN_ERROR_ARGUMENT);
    CHECK(strstr(error.message, "too fine"));
    snArena_Destroy(&arm.arena);
}

// Weights of the lattice reproduce those of the surface, sum to one, and are one-hot on bones.
static void weightsFitTheSkin(void)
{
    Arm arm = makeArm();
    snAutoLatticeDef def = defOf(&arm, 1500);
    snAutoLatticeReport report;
    snLattice lattice;
    snEmbedding phi;
    int n = arm.mesh.vertexCount;
    CHECK(snAutoLattice(&lattice, &def, &report, &arm.arena, &arm.context, NULL) == SN_OK);
    CHECK(snEmbed(&phi, &lattice, n, arm.mesh.positions, &arm.arena, &arm.context, NULL) == SN_OK);
    snWeightRows skin;
    CHECK(snWeightRows_Make(&skin, n, 3, 3 * (size_t)n, &arm.arena, NULL) == SN_OK);
    for (int v = 0; v < n; v++) { // smooth weights by distance to the bones
        double sum = 0, w[3];
        for (int j = 0; j < 3; j++) {
            snVec3 foot = snClosestOnSegment(arm.mesh.positions[v], arm.bones[j].head,
                                             arm.bones[j].tail, NULL);
            double d = snDistance(foot, arm.mesh.positions[v]);
            w[j] = 1 / (d * d * d * d + 1e-6);
            sum += w[j];
        }
        for (int j = 0; j < 3; j++) {
            skin.column[v * 3 + j] = j;
            skin.weight[v * 3 + j] = w[j] / sum;
        }
        skin.start[v + 1] = v * 3 + 3;
    }
    snLatticeWeightsDef weightsDef = {
        .lattice = &lattice, .surface = &phi, .skin = &skin, .jointCount = 3, .smoothness = 0.2};
    snWeightRows rows;
    CHECK(snLatticeWeights(&rows, &weightsDef, &arm.arena, &arm.context, NULL) == SN_OK);
    for (int v = 0; v < lattice.vertexCount; v++) {
        double sum = 0;
        for (int k = rows.start[v]; k < rows.start[v + 1]; k++) {
            sum += rows.weight[k];
            CHECK(rows.weight[k] > 0);
        }
        CHECK_NEAR(sum, 1, 1e-12);
        if (lattice.joint[v] < 0) continue;
        CHECK(rows.start[v + 1] == rows.start[v] + 1);
        CHECK(rows.column[rows.start[v]] == lattice.joint[v]);
    }
    double square = 0;
    for (int p = 0; p < n; p++)
        for (int j = 0; j < 3; j++) {
            double carried = 0;
            for (int k = 0; k < phi.width; k++) {
                int v = phi.vertex[p * phi.width + k];
                for (int i = rows.start[v]; i < rows.start[v + 1]; i++)
                    if (rows.column[i] == j)
                        carried += phi.weight[p * phi.width + k] * rows.weight[i];
            }
            square += (carried - skin.weight[p * 3 + j]) * (carried - skin.weight[p * 3 + j]);
        }
    printf("surface weights through the lattice: rms error %.3f\n", sqrt(square / (3 * n)));
    CHECK(sqrt(square / (3 * n)) < 0.05);
    snArena_Destroy(&arm.arena);
}

static void everyAllocationMayFail(void)
{
    Arm arm = makeArm();
    snAutoLatticeDef def = defOf(&arm, 100);
    for (int n = 1; n < 100000; n++) {
        snContext failing = arm.context;
        snFailingMemory memory = {.failAtWay = n};
        snTest_UseFailingMemory(&failing, &memory);
        snArena out = snMakeArena(&failing);
        snLattice lattice;
        snAutoLatticeReport report;
        snStatus status = snAutoLattice(&lattice, &def, &report, &out, &failing, NULL);
        CHECK(status == (memory.count >= n ? SN_ERROR_MEMORY : SN_OK));
        snArena_Destroy(&out);
        CHECK(memory.alive == 0);
        if (memory.count < n) break;
    }
    snArena_Destroy(&arm.arena);
}

int main(void)
{
    RUN(latticeMeetsItsConditions);
    RUN(sameInputSameLattice);
    RUN(badRequestsAreRefused);
    RUN(weightsFitTheSkin);
    RUN(everyAllocationMayFail);
    return snTest_Finish();
}
