// Surfaces of triangles to bump into: against the same shapes in closed form, open, moved, deformed.
#include "contact/contact.h"

#include "core/core.h"
#include "core/random.h"
#include "tests/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A box of half sides h, corners doubled face by face, as files have them.
static snMesh makeBox(snVec3 *positions, int *triangles, snVec3 h, bool inward)
{
    int vertex = 0, index = 0;
    for (int f = 0; f < 6; f++) {
        int axis = f / 2, u = (axis + 1) % 3, v = (axis + 2) % 3;
        double side = f % 2 ? 1 : -1;
        for (int i = 0; i < 4; i++) {
            double p[3];
            p[axis] = side * (&h.x)[axis];
            p[u] = (i & 1 ? 1 : -1) * (&h.x)[u];
            p[v] = (i & 2 ? 1 : -1) * (&h.x)[v];
            positions[vertex + i] = snVec(p[0], p[1], p[2]);
        }
        bool flip = (side < 0) != inward;
        int quad[6] = {0, 1, 2, 1, 3, 2};
        for (int k = 0; k < 6; k++)
            triangles[index + k] = vertex + quad[flip ? 5 - k : k];
        vertex += 4;
        index += 6;
    }
    return (snMesh){24, 12, positions, triangles};
}

static void boxIsABox(void)
{
    snContext context = snDefaultContext();
    snVec3 half = {0.8, 0.5, 0.3}, positions[24];
    int triangles[36];
    for (int inward = 0; inward < 2; inward++) {
        snArena arena = snMakeArena(&context);
        snMesh mesh = makeBox(positions, triangles, half, inward);
        snCollider box = snMakeCollider(SN_COLLIDER_BOX), shell = snMakeCollider(SN_COLLIDER_SHELL);
        snRandom random = snMakeRandom(1);
        box.half = half;
        CHECK(snShell_Make(&shell.shell, &mesh, 0.1, &arena, NULL) == SN_OK);
        CHECK(shell.shell->closed && shell.shell->tree.mesh.vertexCount == 8);
        snVec3 axis = snRandom_UnitVector(&random);
        shell.end.linear = box.end.linear = snQuatToMat(snQuatFromAxisAngle(axis, 1));
        shell.end.origin = box.end.origin = snVec(0.1, 0.2, 0.3);
        for (int i = 0; i < 500; i++) {
            snVec3 x = {snRandom_Uniform(&random, -1.2, 1.2), snRandom_Uniform(&random, -1.2, 1.2),
                        snRandom_Uniform(&random, -1.2, 1.2)};
            snTouch a, b;
            CHECK(snCollider_Query(&box, x, 10, &a) && snCollider_Query(&shell, x, 10, &b));
            CHECK_NEAR(a.distance, b.distance, 1e-9);
            CHECK(snDistance(a.normal, b.normal) < 1e-6);
            CHECK(snDistance(a.move, b.move) < 1e-6);
            bool near = a.distance <= 0.05; // insides are found at any depth
            CHECK(snCollider_Query(&shell, x, 0.05, &b) == near);
        }
        snArena_Destroy(&arena);
    }
}

// A square sheet: its front keeps things off, to a depth; past its border there is nothing.
static void openSheetsHaveAFront(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snVec3 positions[4] = {{-1, 0, -1}, {-1, 0, 1}, {1, 0, 1}, {1, 0, -1}};
    int triangles[6] = {0, 1, 2, 0, 2, 3};
    snMesh mesh = {4, 2, positions, triangles};
    snShellPoint found;
    snShell *shell;
    CHECK(snShell_Make(&shell, &mesh, 0.2, &arena, NULL) == SN_OK);
    CHECK(!shell->closed && shell->borderEdges == 4);
    CHECK(snShell_Query(shell, snVec(0.3, 0.1, 0.2), 0.15, &found));
    CHECK_NEAR(found.distance, 0.1, 1e-12);
    CHECK(snShell_Query(shell, snVec(0.3, -0.1, 0.2), 0, &found));
    CHECK_NEAR(found.distance, -0.1, 1e-12);
    CHECK_NEAR(found.normal.y, 1, 1e-12);
    CHECK(snShell_Query(shell, snVec(0, 0, 0), 0, &found)); // on it, on the edge between triangles
    CHECK_NEAR(found.normal.y, 1, 1e-12);
    CHECK(!snShell_Query(shell, snVec(0.3, -0.3, 0.2), 1, &found));
    CHECK(!snShell_Query(shell, snVec(1.1, -0.05, 0.2), 1, &found));
    CHECK(!snShell_Query(shell, snVec(0.3, 0.5, 0.2), 0.3, &found));
    snArena_Destroy(&arena);
}

static void deformedOnesAreWhereTheyAre(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snVec3 positions[24], half = {0.5, 0.5, 0.5};
    snVec3f begin[24], end[24];
    int triangles[36];
    snMesh mesh = makeBox(positions, triangles, half, false);
    snShell *shell;
    snShellPoint found;
    CHECK(snShell_Make(&shell, &mesh, 0.1, &arena, NULL) == SN_OK);
    for (int v = 0; v < 24; v++) {
        begin[v] = snToF(positions[v]);
        end[v] = snToF(snVec(2 * positions[v].x, positions[v].y, positions[v].z));
    }
    end[23].x = NAN; // others at its place decide
    snShell_Move(shell, begin, end);
    CHECK(snShell_Query(shell, snVec(1.2, 0.1, 0.1), 0.3, &found));
    CHECK_NEAR(found.distance, 0.2, 1e-6);
    CHECK_NEAR(snShell_MoveAt(shell, &found).x, 0.5, 1e-6);
    CHECK(snShell_Query(shell, snVec(0.9, 0, 0), 0, &found));
    CHECK_NEAR(found.distance, -0.1, 1e-6);
    snArena_Destroy(&arena);
}

static void badSurfacesAreRefused(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snVec3 positions[3] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}};
    int triangles[3] = {0, 1, 2};
    snShell *shell;
    snMesh flat = {3, 1, positions, triangles}, none = {3, 0, positions, triangles};
    CHECK(snShell_Make(&shell, &flat, 1, &arena, NULL) == SN_ERROR_GEOMETRY);
    CHECK(snShell_Make(&shell, &none, 1, &arena, NULL) == SN_ERROR_GEOMETRY);
    snVec3 far[6] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {9e6, 0, 0}, {9e6 + 1, 0, 0}, {9e6, 1, 0}};
    int two[6] = {0, 1, 2, 3, 4, 5};
    snMesh specks = {6, 2, far, two}; // welded they have no triangle left
    CHECK(snShell_Make(&shell, &specks, 1, &arena, NULL) == SN_ERROR_GEOMETRY);
    positions[1].y = NAN;
    CHECK(snShell_Make(&shell, &flat, 1, &arena, NULL) == SN_ERROR_GEOMETRY);
    snArena_Destroy(&arena);
}

static void everyAllocationMayFail(void)
{
    snVec3 positions[24], half = {1, 1, 1};
    int triangles[36];
    snMesh mesh = makeBox(positions, triangles, half, false);
    bool made = false;
    for (int n = 1; n < 100 && !made; n++) {
        snContext context = snDefaultContext();
        snFailingMemory memory = {.failAtWay = n};
        snTest_UseFailingMemory(&context, &memory);
        snArena arena = snMakeArena(&context);
        snShell *shell;
        snStatus status = snShell_Make(&shell, &mesh, 1, &arena, NULL);
        CHECK(status == SN_OK || (status == SN_ERROR_MEMORY && !shell));
        made = status == SN_OK;
        snArena_Destroy(&arena);
        CHECK(memory.alive == 0);
    }
    CHECK(made);
}

int main(void)
{
    RUN(boxIsABox);
    RUN(openSheetsHaveAFront);
    RUN(deformedOnesAreWhereTheyAre);
    RUN(badSurfacesAreRefused);
    RUN(everyAllocationMayFail);
    return snTest_Finish();
}
