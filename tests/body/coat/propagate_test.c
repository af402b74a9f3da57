// Propagation: what is kept when a cylinder is pushed in by 30 %, and when there is no such shape.
#include "body/coat/propagate.h"
#include "geometry/mesh.h"
#include "tests/body/coat/tubes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct Trial {
    Tube tube;
    double length[TUBE_MOST], scratch[6 * TUBE_MOST];
    unsigned char moved[TUBE_MOST];
    snPropagation how;
} Trial;

static void begin(Trial *t, int rows, int columns, double spread)
{
    snContext context = snDefaultContext();
    t->tube = Tube_Default();
    t->how = snDefaultPropagation();
    CHECK(Tube_Make(&t->tube, rows, columns, spread, &context) == SN_OK);
    memset(t->moved, 0, sizeof t->moved);
    memcpy(t->length, t->tube.element.rest, sizeof(double) * (size_t)t->tube.element.count);
}

// By an independent computation: fans of tetrahedra from a far point, and Heron's formula.
static void measure(const Trial *t, double *volume, double *area)
{
    const snElement *e = &t->tube.element;
    snVec3 far = snVec(3, -2, 5);
    *volume = *area = 0;
    for (int k = 0; k < e->triangleCount; k++) {
        snVec3 p[3];
        for (int c = 0; c < 3; c++) {
            int i = e->triangles[3 * k + c];
            p[c] = snAdd(e->foot[i], snScale(t->length[i], e->axis[i]));
        }
        snMat3 m = {snSub(p[0], far), snSub(p[1], far), snSub(p[2], far)};
        *volume += snDot(m.cx, snCross(m.cy, m.cz)) / 6;
        double a = snDistance(p[0], p[1]), b = snDistance(p[1], p[2]), c = snDistance(p[2], p[0]);
        double s = (a + b + c) / 2;
        *area += sqrt(s * (s - a) * (s - b) * (s - c));
    }
}

static void volumeIsKept(void)
{
    double worst = 0, unkept = 1;
    for (int spread = 0; spread <= 1; spread++) {
        Trial t;
        begin(&t, 5, 8, spread);
        const snElement *e = &t.tube.element;
        for (int p = 0; p < e->count - 2; p++) {
            double volume, area;
            memcpy(t.length, e->rest, sizeof(double) * (size_t)e->count);
            snPush push = snMakePush(p, 0.7 * e->rest[p]);
            snPropagated out = snPropagate(e, &t.how, &push, t.length, NULL, t.scratch);
            measure(&t, &volume, &area);
            CHECK(out.volumeKept && !out.areaKept);
            CHECK_NEAR(t.length[p], 0.7 * e->rest[p], 1e-15);
            worst = fmax(worst, fabs(volume / e->volume - 1));
            for (int i = 0; i < e->count; i++)
                CHECK(t.length[i] >= e->shortest[i] && t.length[i] <= e->longest[i]);
            memcpy(t.length, e->rest, sizeof(double) * (size_t)e->count);
            t.length[p] *= 0.7;
            measure(&t, &volume, &area);
            unkept = fmin(unkept, volume / e->volume);
        }
        snArena_Destroy(&t.tube.arena);
    }
    printf("volume over a push of 30 %%: off by %.2g; without propagation down to %.3f\n", worst,
           unkept);
    CHECK(worst < 1e-9);
    CHECK(unkept < 0.985);
}

// Kept, or said not to be: then the zone stays and the area is off.
static void areaIsKeptOrReported(void)
{
    int kept = 0, reported = 0;
    double worst = 0;
    for (int spread = 0; spread <= 1; spread++) {
        Trial t;
        begin(&t, 5, 8, spread);
        const snElement *e = &t.tube.element;
        t.how.area = 1;
        for (int p = 0; p < e->count; p++)
            for (int k = 1; k <= 8; k++) {
                double volume, area, to = (1 - 0.1 * k) * e->rest[p];
                memcpy(t.length, e->rest, sizeof(double) * (size_t)e->count);
                snPush push = snMakePush(p, to);
                snPropagated out = snPropagate(e, &t.how, &push, t.length, NULL, t.scratch);
                measure(&t, &volume, &area);
                kept += out.areaKept, reported += !out.areaKept;
                if (out.areaKept) worst = fmax(worst, fabs(area / e->area - 1));
                for (int i = 0; i < e->count && !out.areaKept; i++)
                    CHECK(i == p || t.length[i] == e->rest[i]);
            }
        snArena_Destroy(&t.tube.arena);
    }
    printf("area: kept %d times (off by %.2g), no such shape %d times\n", kept, worst, reported);
    CHECK(worst < 1e-9);
    CHECK(kept > reported);
}

// Where area cannot be kept: limits that leave the zone no room.
static void noShapeIsReported(void)
{
    Trial t;
    begin(&t, 3, 6, 0.5);
    t.tube.def.shortest = 0.999;
    t.tube.def.longest = 1.001;
    snArena_Destroy(&t.tube.arena);
    snContext context = snDefaultContext();
    CHECK(Tube_Make(&t.tube, 3, 6, 0.5, &context) == SN_OK);
    snElement *e = &t.tube.element;
    e->shortest[8] = 0.1 * e->rest[8]; // only the pushed one may move far
    for (int area = 0; area <= 1; area++) {
        t.how.area = area;
        memcpy(t.length, e->rest, sizeof(double) * (size_t)e->count);
        snPush push = snMakePush(8, 0.7 * e->rest[8]);
        snPropagated out = snPropagate(e, &t.how, &push, t.length, NULL, t.scratch);
        CHECK(!out.volumeKept && !out.areaKept);
        CHECK(fabs(area ? snElement_Area(e, t.length) / e->area - 1
                        : snElement_Volume(e, t.length) / e->volume - 1) > 1e-4);
    }
    snArena_Destroy(&t.tube.arena);
}

// Half and half lies midway between both results.
static void blendsAreMeans(void)
{
    Trial a, b, c;
    begin(&a, 5, 8, 0.5), begin(&b, 5, 8, 0.5), begin(&c, 5, 8, 0.5);
    b.how.area = 1, c.how.area = 0.5;
    Trial *all[3] = {&a, &b, &c};
    for (int k = 0; k < 3; k++) {
        snPush push = snMakePush(18, 0.8 * a.tube.element.rest[18]);
        snPropagate(&all[k]->tube.element, &all[k]->how, &push, all[k]->length, NULL,
                    all[k]->scratch);
    }
    for (int i = 0; i < a.tube.element.count; i++)
        CHECK_NEAR(c.length[i], (a.length[i] + b.length[i]) / 2, 1e-14);
    for (int k = 0; k < 3; k++)
        snArena_Destroy(&all[k]->tube.arena);
}

// Shares of the force: sums, signs, and no push beyond the zone.
static void forceIsShared(void)
{
    for (double share = -0.8; share < 1; share += 0.4) {
        Trial t;
        begin(&t, 5, 8, 0.5);
        const snElement *e = &t.tube.element;
        t.how.mode = SN_PROPAGATE_INTUITIVE;
        t.how.share = share;
        int p = 20;
        double force = e->spring[p].stiffness * -0.3 * e->rest[p], sum = 0;
        snPush push = snMakePush(p, 0.7 * e->rest[p]);
        snPropagate(e, &t.how, &push, t.length, t.moved, t.scratch);
        int changed = 0;
        for (int i = 0; i < e->count; i++) {
            if (i == p) continue;
            sum += e->spring[i].stiffness * (t.length[i] - e->rest[i]);
            changed += t.moved[i];
        }
        CHECK_NEAR(sum, share * force, 1e-12);
        CHECK(changed == 4);
        snArena_Destroy(&t.tube.arena);
    }
}

// A push along the surface reaches what lies ahead, not what lies behind.
static void directionChoosesTheZone(void)
{
    Trial t;
    begin(&t, 5, 8, 1);
    const snElement *e = &t.tube.element;
    t.how.mode = SN_PROPAGATE_INTUITIVE;
    t.how.share = 0.5;
    t.how.direction = 1;
    int p = 2 * 8 + 3;
    snPush push = snMakePush(p, 0.7 * e->rest[p]);
    push.force = snVec(0, 1, 0); // towards higher rows
    snPropagate(e, &t.how, &push, t.length, t.moved, t.scratch);
    CHECK(t.length[p + 8] < e->rest[p + 8]);
    CHECK(t.length[p - 8] == e->rest[p - 8] && !t.moved[p - 8]);
    CHECK(fabs(t.length[p + 1] - e->rest[p + 1]) < 0.3 * fabs(t.length[p + 8] - e->rest[p + 8]));
    snArena_Destroy(&t.tube.arena);
}

// What was moved is not moved again, and the volume is still kept by the others.
static void movedOnesStay(void)
{
    Trial t;
    begin(&t, 5, 8, 0.5);
    const snElement *e = &t.tube.element;
    int p = 18;
    t.moved[p + 1] = t.moved[p + 8] = 1;
    snPush push = snMakePush(p, 0.7 * e->rest[p]);
    snPropagated out = snPropagate(e, &t.how, &push, t.length, t.moved, t.scratch);
    CHECK(out.volumeKept);
    CHECK(t.length[p + 1] == e->rest[p + 1] && t.length[p + 8] == e->rest[p + 8]);
    CHECK(t.length[p - 1] > e->rest[p - 1]);
    snArena_Destroy(&t.tube.arena);
}

int main(void)
{
    RUN(volumeIsKept);
    RUN(areaIsKeptOrReported);
    RUN(noShapeIsReported);
    RUN(blendsAreMeans);
    RUN(forceIsShared);
    RUN(directionChoosesTheZone);
    RUN(movedOnesStay);
    return snTest_Finish();
}
