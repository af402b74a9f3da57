// Regions from skin weights: a partition of unity, one-hot on bones, smooth, and refused when bad.
#include "body/lattice/regions.h"
#include "tests/body/lattice/arms.h"

static snRegionsDef regionsDef(const Arm *arm, double smoothing)
{
    snRegionsDef def = snDefaultRegionsDef();
    def.lattice = &arm->lattice;
    def.skin = &arm->skin;
    def.smoothing = smoothing;
    return def;
}

static double weightOf(const snRegions *regions, int vertex, int region)
{
    for (int k = regions->rows.start[vertex]; k < regions->rows.start[vertex + 1]; k++)
        if (regions->rows.column[k] == region) return regions->rows.weight[k];
    return 0;
}

// Sums of squared differences over cells' edges.
static double roughness(const Arm *arm, const snRegions *regions)
{
    double sum = 0;
    for (int c = 0; c < arm->lattice.cellCount; c++)
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < i; j++) {
                const int *v = snLattice_Corners(&arm->lattice, c);
                double d = weightOf(regions, v[i], 0) - weightOf(regions, v[j], 0);
                sum += d * d;
            }
    return sum;
}

static void partitionOfUnity(void)
{
    Arm arm = makeArm(snDefaultContext(), 2, ARM_BONES);
    double before = 0;
    for (int k = 0; k < 4; k++) {
        const double smoothing[4] = {0, 0.1, 1, 10};
        snRegionsDef def = regionsDef(&arm, smoothing[k]);
        snRegions regions;
        CHECK(!snRegions_FromSkin(&regions, &def, &arm.arena, &arm.context, NULL));
        CHECK(!snRegions_Check(&regions, arm.lattice.vertexCount, NULL));
        CHECK(regions.regionCount == 2 && regions.joint[0] == 0 && regions.joint[1] == 1);
        double worst = 0, bone = 0, off = 0;
        for (int v = 0; v < arm.lattice.vertexCount; v++) {
            double first = weightOf(&regions, v, 0), second = weightOf(&regions, v, 1);
            worst = fmax(worst, fabs(first + second - 1));
            int joint = arm.lattice.joint[v];
            if (joint >= 0) bone = fmax(bone, fabs(weightOf(&regions, v, joint) - 1));
            double x = arm.lattice.rest[v].x;
            if (joint < 0) off = fmax(off, fabs(second - fmin(fmax(x - 0.5, 0), 1)));
        }
        double rough = roughness(&arm, &regions);
        printf("smoothing %g: sums off by %.1e, roughness %.2f\n", smoothing[k], worst, rough);
        CHECK_NEAR(worst, 0, 1e-14);
        CHECK_NEAR(bone, 0, 0);
        if (k == 0) CHECK_NEAR(off, 0, 1e-15);
        if (k > 0) CHECK(rough < before);
        before = rough;
    }
    freeArm(&arm);
}

static void smallWeightsAreDropped(void)
{
    Arm arm = makeArm(snDefaultContext(), 2, ARM_BONES);
    snRegionsDef def = regionsDef(&arm, 1);
    snRegions all, few;
    def.leastWeight = 0;
    CHECK(!snRegions_FromSkin(&all, &def, &arm.arena, &arm.context, NULL));
    def.leastWeight = 0.2;
    CHECK(!snRegions_FromSkin(&few, &def, &arm.arena, &arm.context, NULL));
    int n = arm.lattice.vertexCount;
    CHECK(few.rows.start[n] < all.rows.start[n]);
    for (int k = 0; k < few.rows.start[n]; k++)
        CHECK(few.rows.weight[k] >= 0.2);
    CHECK(!snRegions_Check(&few, n, NULL));
    freeArm(&arm);
}

// Vertices without weights take those around them; and no weights at all are refused.
static void gapsAreFilled(void)
{
    Arm arm = makeArm(snDefaultContext(), 2, ARM_FREE);
    int n = arm.lattice.vertexCount, gap = 0;
    for (int v = 0; v < n; v++) { // the face x = 2 has none
        int from = arm.skin.start[v], to = arm.skin.start[v + 1];
        if (arm.lattice.rest[v].x != ARM_LENGTH) continue;
        gap = v;
        for (int k = from; k < to; k++)
            arm.skin.weight[k] = 0;
    }
    snRegions regions;
    snRegionsDef def = regionsDef(&arm, 0);
    CHECK(!snRegions_FromSkin(&regions, &def, &arm.arena, &arm.context, NULL));
    CHECK(!snRegions_Check(&regions, n, NULL));
    CHECK_NEAR(weightOf(&regions, gap, 1), 1, 1e-6);
    for (int k = 0; k < arm.skin.start[n]; k++)
        arm.skin.weight[k] = 0;
    CHECK(snRegions_FromSkin(&regions, &def, &arm.arena, &arm.context, NULL) == SN_ERROR_ARGUMENT);
    freeArm(&arm);
}

static void badInputIsRefused(void)
{
    Arm arm = makeArm(snDefaultContext(), 2, ARM_BONES);
    snRegions regions;
    for (int k = 0; k < 5; k++) {
        snRegionsDef def = regionsDef(&arm, 0);
        if (k == 0) def.skin = NULL;
        if (k == 1) def.smoothing = -1;
        if (k == 2) def.smoothing = NAN;
        if (k == 3) def.leastWeight = 1;
        if (k == 4) def.leastWeight = NAN;
        CHECK(snRegions_FromSkin(&regions, &def, &arm.arena, &arm.context, NULL) ==
              SN_ERROR_ARGUMENT);
    }
    for (int k = 0; k < 4; k++) {
        snRegionsDef def = regionsDef(&arm, 0);
        CHECK(!snRegions_FromSkin(&regions, &def, &arm.arena, &arm.context, NULL));
        if (k == 0) regions.rows.weight[3] = NAN;
        if (k == 1) regions.rows.weight[3] = 0.5;
        if (k == 2) regions.rows.column[3] = 2;
        if (k == 3) regions.joint[1] = -1;
        snError error;
        CHECK(snRegions_Check(&regions, arm.lattice.vertexCount, &error) == SN_ERROR_ARGUMENT);
    }
    freeArm(&arm);
}

static void memoryRunsOut(void)
{
    Arm arm = makeArm(snDefaultContext(), 2, ARM_BONES);
    for (int failAt = 1;; failAt++) {
        snContext context = snDefaultContext();
        snFailingMemory memory = {.failAtWay = failAt};
        snTest_UseFailingMemory(&context, &memory);
        snArena arena = snMakeArena(&context);
        snRegionsDef def = regionsDef(&arm, 0.5);
        snRegions regions;
        snStatus status = snRegions_FromSkin(&regions, &def, &arena, &context, NULL);
        CHECK(status == SN_OK || status == SN_ERROR_MEMORY);
        snArena_Destroy(&arena);
        CHECK(memory.alive == 0);
        if (status == SN_OK) break;
    }
    freeArm(&arm);
}

int main(void)
{
    RUN(partitionOfUnity);
    RUN(smallWeightsAreDropped);
    RUN(gapsAreFilled);
    RUN(badInputIsRefused);
    RUN(memoryRunsOut);
    return snTest_Finish();
}
