#include "bench/bench.h"
#include "body/lattice/flesh.h"
#include "body/lattice/turned.h"
#include "demo.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct J {
    const snCharacter *c;
    snFlesh *f;
    snPose pose;
    snFleshDriver d;
    snLatticeState *st;
    double *rig;
    int lanes;
    snVec3f *p, *n;
    float *scratch;
    snCarry carry;
    snLatticeDrive dr;
    double t;
    snTasks tasks;
    double time[6];
    int steps;
} J;

void snBench_Crowd(snBench *bench)
{
    (void)bench;
    snContext ctx = snDefaultContext();
    snError e = {0};
    snCharacter c;
    snArena arena = snMakeArena(&ctx);
    double edge = getenv("EDGE") ? atof(getenv("EDGE")) : SN_DEMO_CROWD_EDGE;
    int cells = getenv("CELLS") ? atoi(getenv("CELLS")) : 560;
    if (snDemo_MakeCoarse(&c, edge, &ctx, &e)) {
        printf("%s\n", e.message);
        return;
    }
    for (int mode = getenv("M") ? atoi(getenv("M")) : 0;
         mode < (getenv("M") ? atoi(getenv("M")) + 1 : 6); mode++) {
        J j = {.c = &c, .tasks = ctx.tasks};
        snFleshDef def = snDefaultFleshDef();
        def.cells = cells;
        def.step = 1 / 60.0;
        def.iterations = 3;
        def.precision = mode == 0 ? SN_PRECISION_SINGLE : SN_PRECISION_DOUBLE;
        def.matrix = getenv("TURNED") ? SN_MATRIX_AUTO : SN_MATRIX_SCALAR;
        static const int lanes[6] = {1, 1, 8, 16, 32, 64};
        j.lanes = lanes[mode];
        if (snFlesh_Build(&j.f, &c, &def, &ctx, &e)) {
            printf("%s\n", e.message);
            return;
        }
        const snLatticeModel *m = j.f->model;
        if (mode == 0)
            printf("%d verts %d tris; lattice %d verts %d free %d cells, nnz %lld turned %d joints "
                   "%d skin %d\n",
                   c.vertexCount, c.triangleCount, m->vertexCount, m->freeCount,
                   m->lattice.cellCount, (long long)m->factorNonZeros, m->turned != NULL,
                   c.skeleton.jointCount, c.skins[0].jointCount);
        snLatticeState_Make(&j.st, m, j.lanes, &ctx, &e);
        snPose_Make(&j.pose, &c.skeleton, c.morphCount, &arena, &e);
        snFleshDriver_Make(&j.d, j.f, &arena, &e);
        j.rig = SN_NEW(&arena, double, m->vertexCount *j.st->width);
        j.p = SN_NEW(&arena, snVec3f, 2 * c.vertexCount);
        j.n = SN_NEW(&arena, snVec3f, c.vertexCount);
        j.scratch = SN_NEW(&arena, float, 4 * c.triangleCount + 4);
        snCarry_Make(&j.carry,
                     &(snCarryDef){.embedding = &j.f->embedding,
                                   .vertexCount = m->vertexCount,
                                   .indexOf = m->indexOf,
                                   .triangleCount = c.triangleCount,
                                   .triangles = c.parts[0].triangles},
                     &arena, &e);
        double best[6] = {1, 1, 1, 1, 1, 1};
        int clip = snCharacter_FindClip(&c, "walk");
        for (int k = 0; k < (getenv("M") ? 20000 / lanes[mode] : 300); k++) {
            double s[6] = {0};
            double t0 = snBench_Computed(), t1;
            for (int l = 0; l < j.lanes; l++) {
                t0 = snBench_Computed();
                snCharacter_Pose(&c, &c.clips[clip], fmod(k / 60.0 + l * 0.037, 1.1), &j.pose);
                t1 = snBench_Computed();
                s[0] += t1 - t0;
                t0 = t1;
                snLatticeDrive dr = snFlesh_Drive(j.f, &j.pose, &j.d);
                for (int i = 0; i < m->vertexCount; i++)
                    for (int q = 0; q < 3; q++)
                        j.rig[snLatticeState_At(j.st, i, q, l)] = dr.rig[4 * i + q];
                t1 = snBench_Computed();
                s[1] += t1 - t0;
            }
            if (k == 0) snLatticeState_Start(m, j.st, j.rig, NULL);
            t0 = snBench_Computed();
            snLatticeDrive dr = {.rig = j.rig};
            snLattice_Step(m, j.st, &dr);
            t1 = snBench_Computed();
            s[2] += t1 - t0;
            t0 = t1;
            snCharacter_SurfaceRows(&c, &j.pose, (float *)j.p);
            t1 = snBench_Computed();
            s[3] += t1 - t0;
            t0 = t1;
            if (j.lanes == 1)
                snCarry_AddOffsetsToRows(&j.carry, j.st->position, j.st->rig, (float *)j.p);
            t1 = snBench_Computed();
            s[4] += t1 - t0;
            t0 = t1;
            if (!getenv("M"))
                snCarry_NormalsOfRows(&j.carry, (float *)j.p, j.scratch, (float *)j.n, 3);
            t1 = snBench_Computed();
            s[5] += t1 - t0;
            t0 = t1;
            for (int q = 0; q < 6; q++)
                if (k > 20 && s[q] < best[q]) best[q] = s[q];
        }
        printf("%s x%d: pose %.1f us, drive %.1f, step %.1f, skin %.1f, offsets %.1f, normals "
               "%.1f; state %.1f KiB + scratch; halved %lld/%lld\n",
               mode ? "double" : "single", j.lanes, best[0] / j.lanes * 1e6,
               best[1] / j.lanes * 1e6, best[2] / j.lanes * 1e6, best[3] * 1e6, best[4] * 1e6,
               best[5] * 1e6, (double)j.st->blockSize / 1024 / j.lanes, (long long)j.st->backtracks,
               (long long)j.st->steps);
        snLatticeState_Destroy(j.st);
        snFlesh_Destroy(j.f);
    }
}
