// Elements: what their envelope encloses, their springs in a moving frame, plasticity, memory.
#include "geometry/mesh.h"
#include "tests/body/coat/tubes.h"

#include <math.h>

static void place(const snElement *e, const double *length, snVec3 *points)
{
    for (int i = 0; i < e->count; i++)
        points[i] = snElement_Sample(e, length, i);
}

// Volume and area by the mesh's own functions, and the triangles face outwards.
static void envelopeIsMeasuredRight(void)
{
    snContext context = snDefaultContext();
    for (int rows = 1; rows < 6; rows++) {
        Tube tube = Tube_Default();
        CHECK(Tube_Make(&tube, rows, 3 + rows, 0.4, &context) == SN_OK);
        snElement *e = &tube.element;
        snVec3 points[TUBE_MOST];
        place(e, e->rest, points);
        snMesh mesh = {e->count, e->triangleCount, points, e->triangles};
        CHECK_NEAR(snMesh_Volume(&mesh), e->volume, 1e-15);
        CHECK_NEAR(snMesh_Area(&mesh), e->area, 1e-14);
        CHECK(e->volume > 0);
        double mass = 0;
        for (int i = 0; i < e->count; i++)
            mass += e->spring[i].mass;
        CHECK_NEAR(mass, 1000 * e->volume, 1e-12);
        snArena_Destroy(&tube.arena);
    }
}

static void gradientsAreTrue(void)
{
    snContext context = snDefaultContext();
    Tube tube = Tube_Default();
    CHECK(Tube_Make(&tube, 4, 8, 0.6, &context) == SN_OK);
    snElement *e = &tube.element;
    double length[TUBE_MOST], dv[TUBE_MOST], da[TUBE_MOST], h = 1e-6;
    for (int i = 0; i < e->count; i++)
        length[i] = e->rest[i] * (1 + 0.2 * snSin(2.0 * i));
    snElement_VolumeGradient(e, length, dv);
    snElement_AreaGradient(e, length, da);
    for (int i = 0; i < e->count; i++) {
        double kept = length[i];
        length[i] = kept + h;
        double v = snElement_Volume(e, length), a = snElement_Area(e, length);
        length[i] = kept - h;
        v -= snElement_Volume(e, length), a -= snElement_Area(e, length);
        length[i] = kept;
        CHECK_NEAR(v / (2 * h), dv[i], 1e-10);
        CHECK_NEAR(a / (2 * h), da[i], 1e-8);
    }
    snArena_Destroy(&tube.arena);
}

// The zone of a cylinder is its four neighbours; two rings reach twelve.
static void zonesAreNeighbours(void)
{
    snContext context = snDefaultContext();
    for (int reach = 1; reach <= 2; reach++) {
        Tube tube = Tube_Default();
        tube.def.reach = reach;
        CHECK(Tube_Make(&tube, 7, 9, 1, &context) == SN_OK);
        const snElement *e = &tube.element;
        int middle = 3 * 9 + 4;
        CHECK(e->zoneStart[middle + 1] - e->zoneStart[middle] == (reach == 1 ? 4 : 12));
        CHECK(e->zoneStart[e->count] - e->zoneStart[e->count - 1] == 9 * reach);
        bool known[4] = {0};
        for (int k = 0; k < 4; k++) {
            int i = e->zone[e->zoneStart[middle] + k];
            known[0] |= i == middle - 9, known[1] |= i == middle + 9;
            known[2] |= i == middle - 1, known[3] |= i == middle + 1;
        }
        CHECK(known[0] && known[1] && known[2] && known[3]);
        snArena_Destroy(&tube.arena);
    }
}

// A link that stands in gravity feels -g: samples sag, those above by getting shorter, and come to rest there.
static void fleshSags(void)
{
    snContext context = snDefaultContext();
    Tube tube = Tube_Default();
    snElementMotion state;
    CHECK(Tube_Make(&tube, 4, 8, 0.6, &context) == SN_OK);
    snElement *e = &tube.element;
    CHECK(snElementMotion_Make(&state, e, &tube.arena, NULL) == SN_OK);
    snFelt felt = {.linear = snVec(0, 9.81, 0)};
    for (int i = 0; i < 600; i++)
        snElement_Advance(e, &state, 1.0 / 60, &felt);
    for (int i = 0; i < e->count; i++) {
        double by = -9.81 * e->axis[i].y * e->spring[i].mass / e->spring[i].stiffness;
        CHECK_NEAR(state.length[i], e->rest[i] + by, 1e-9);
    }
    CHECK(state.length[e->count - 1] < e->rest[e->count - 1]);
    snArena_Destroy(&tube.arena);
}

// A link that spins about y throws its flesh outwards by m ω² r / k.
static void fleshIsThrownOutwards(void)
{
    snContext context = snDefaultContext();
    Tube tube = Tube_Default();
    snElementMotion state;
    CHECK(Tube_Make(&tube, 3, 8, 1, &context) == SN_OK);
    snElement *e = &tube.element;
    CHECK(snElementMotion_Make(&state, e, &tube.arena, NULL) == SN_OK);
    snFelt felt = {.spin = snVec(0, 8, 0)};
    for (int i = 0; i < 600; i++)
        snElement_Advance(e, &state, 1.0 / 60, &felt);
    for (int i = 0; i < e->count - 2; i++) {
        snVec3 p = snElement_Sample(e, state.length, i);
        double felt2 = 64 * snDot(snVec(p.x, 0, p.z), e->axis[i]);
        CHECK_NEAR(e->spring[i].stiffness * (state.length[i] - e->rest[i]),
                   e->spring[i].mass * felt2, 1e-6);
        CHECK(state.length[i] > e->rest[i]);
    }
    snArena_Destroy(&tube.arena);
}

static void plasticityIsBounded(void)
{
    snContext context = snDefaultContext();
    for (int plastic = 0; plastic < 2; plastic++) {
        Tube tube = Tube_Default();
        snElementMotion state;
        tube.def.plasticity = (snPlasticity){.yield = plastic ? 0.1 : 0, .flow = 20, .most = 0.15};
        CHECK(Tube_Make(&tube, 3, 6, 0, &context) == SN_OK);
        snElement *e = &tube.element;
        CHECK(snElementMotion_Make(&state, e, &tube.arena, NULL) == SN_OK);
        for (int i = 0; i < 120; i++) {
            snElement_Strike(e, &state, 4, 0.6 * e->rest[4], 0); // held pressed in
            snElement_Advance(e, &state, 1.0 / 60, NULL);
        }
        CHECK_NEAR(state.rest[4] / e->rest[4], plastic ? 0.85 : 1, 1e-12);
        CHECK(state.rest[5] == e->rest[5]);
        snArena_Destroy(&tube.arena);
    }
}

// With the printed formula a step depends on when the event was, not on the state alone.
static void printedModeFollowsThePaper(void)
{
    snContext context = snDefaultContext();
    Tube tube = Tube_Default();
    snElementMotion state;
    tube.def.printed = true;
    CHECK(Tube_Make(&tube, 3, 6, 0, &context) == SN_OK);
    snElement *e = &tube.element;
    CHECK(snElementMotion_Make(&state, e, &tube.arena, NULL) == SN_OK);
    snElement_Strike(e, &state, 2, 0.7 * e->rest[2], 0);
    double x, v;
    for (int i = 0; i < 5; i++)
        snElement_Advance(e, &state, 0.01, NULL);
    snOscillator_Printed(&e->spring[2], -0.3 * e->rest[2], 0.05, &x, &v);
    CHECK_NEAR(state.length[2], e->rest[2] + x, 1e-14);
    snArena_Destroy(&tube.arena);
}

static void badElementsAreRefused(void)
{
    snContext context = snDefaultContext();
    Tube tube = Tube_Default();
    CHECK(Tube_Make(&tube, 0, 6, 0, &context) == SN_ERROR_ARGUMENT);
    CHECK(Tube_Make(&tube, 2, 2, 0, &context) == SN_ERROR_ARGUMENT);
    tube.def.young = 0;
    CHECK(Tube_Make(&tube, 2, 6, 0, &context) == SN_ERROR_ARGUMENT);
    tube.def.young = 1;
    CHECK(Tube_Make(&tube, 2, 6, 0, &context) == SN_OK);
    tube.feet[3] = tube.samples[3];
    CHECK(snElement_Make(&tube.element, &tube.def, &tube.arena, NULL) == SN_ERROR_GEOMETRY);
    snArena_Destroy(&tube.arena);
}

static void memoryRunsOut(void)
{
    snStatus status = SN_ERROR_MEMORY;
    for (int n = 1; status && n < 100; n++) {
        snFailingMemory memory = {.failAtWay = n};
        snContext context = snDefaultContext();
        snTest_UseFailingMemory(&context, &memory);
        Tube tube = Tube_Default();
        snElementMotion state;
        status = Tube_Make(&tube, 8, 20, 0.5, &context);
        if (!status) status = snElementMotion_Make(&state, &tube.element, &tube.arena, NULL);
        CHECK(!status || status == SN_ERROR_MEMORY);
        snArena_Destroy(&tube.arena);
        CHECK(memory.alive == 0);
    }
    CHECK(status == SN_OK);
}

int main(void)
{
    RUN(envelopeIsMeasuredRight);
    RUN(gradientsAreTrue);
    RUN(zonesAreNeighbours);
    RUN(fleshSags);
    RUN(fleshIsThrownOutwards);
    RUN(plasticityIsBounded);
    RUN(printedModeFollowsThePaper);
    RUN(badElementsAreRefused);
    RUN(memoryRunsOut);
    return snTest_Finish();
}
