// On which side surfaces touch: faces, edges, corners and borders; what came in, what was in, what came from behind.
#include "contact/contact.h"

#include "core/core.h"
#include "tests/test.h"

static const snVec3 cubePlaces[8] = {{-1, -1, -1}, {1, -1, -1}, {-1, 1, -1}, {1, 1, -1},
                                     {-1, -1, 1},  {1, -1, 1},  {-1, 1, 1},  {1, 1, 1}};
static const int cubeTriangles[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                      2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};

// The first triangles of the cube: all twelve are closed, its sides z = -1, z = 1 and y = -1 alone have borders.
static snShell *makeCube(int triangles, snArena *arena)
{
    snMesh mesh = {8, triangles, (snVec3 *)cubePlaces, (int *)cubeTriangles};
    snShell *shell = NULL;
    CHECK(snShell_Make(&shell, &mesh, 0.5, arena, NULL) == SN_OK);
    if (shell) snShell_Place(shell, cubePlaces, cubePlaces);
    return shell;
}

// Where a shell is nearest to a place.
static snShellSpot spotAt(const snShell *shell, snVec3 place)
{
    snSurfacePoint near = snMeshTree_Closest(&shell->tree, place, INFINITY);
    snShellSpot spot = {.triangle = near.triangle};
    for (int k = 0; k < 3; k++)
        spot.barycentric[k] = near.barycentric[k];
    return spot;
}

// A touch of the side x = 1.
static snTouch touchX(snVec3 to)
{
    return (snTouch){.distance = to.x - 1, .normal = snVec(1, 0, 0), .point = snVec(1, to.y, to.z)};
}

static bool faces(const snShell *other, const snShell *own, snVec3 spot, snVec3 normal)
{
    snTouch touch = {.distance = 0.01, .normal = snNormalizeOr(normal, snVec(0, 0, 0))};
    snSideAsk ask = {.own = own, .spot = own ? spotAt(own, spot) : (snShellSpot){-1, {0}}};
    return snShell_Faces(other, &ask, &touch);
}

// By the faces there: one that faces what is touched will do at edges and corners, and in a face there is no other.
static void sharpPlacesFaceBySomeFace(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    const snShell *cube = makeCube(12, &arena), *open = makeCube(6, &arena);
    const snVec3 brim = {-0.42, -0.8, -0.43};
    if (!cube || !open) return;
    CHECK(cube->closed && !open->closed);
    CHECK(faces(cube, NULL, snVec(0, 0, 0), brim)); // has no side
    CHECK(faces(cube, cube, snVec(0, 1, 0), brim)); // the top
    CHECK(!faces(cube, cube, snVec(0, 0, 1), snVec(1, 0, 0)));
    CHECK(faces(cube, cube, snVec(-1, 1, -1), brim)); // N . n is 0.03 there
    CHECK(!faces(cube, cube, snVec(-1, 1, -1), snVec(-1, 0.2, -1)));
    CHECK(faces(cube, cube, snVec(0, 1, -1), snVec(0, -0.6, -0.7)));
    CHECK(!faces(cube, cube, snVec(0, 1, -1), snVec(0, 1, 0.4)));
    // Corners where the surface ends: its faces are found on both sides of the border.
    for (int i = 0; i < 8; i++) {
        snVec3 at = cubePlaces[i], other = snVec(0, 0.8 * at.y, -0.8 * at.z);
        CHECK(faces(cube, open, at, other));
        CHECK(!faces(cube, open, at, snVec(0, 0.1 * at.y, at.z)));
    }
    snArena_Destroy(&arena);
}

// Through a side that does not face it: what is near is none, what came in goes out there unless it came from behind, what was in before is
// let out by the nearest side that faces it, if there is one within reach.
static void whatCameInGoesOut(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    const snShell *cube = makeCube(12, &arena);
    if (!cube) return;
    snVec3 out = {1.01, 0, 0.9}, in = {0.98, 0, 0.9}, deep = {0.97, 0, 0.9};
    snSideAsk ask = {.own = cube, .deep = 0.5};
    snTouch touch = touchX(out);
    ask.spot = spotAt(cube, snVec(0, 0, -1)); // N . n = 0
    ask.from = ask.to = out;
    CHECK(!snShell_Faces(cube, &ask, &touch));
    ask.to = in;
    touch = touchX(in);
    CHECK(snShell_Faces(cube, &ask, &touch) && touch.normal.x == 1);
    ask.from = deep;
    touch = touchX(in);
    CHECK(snShell_Faces(cube, &ask, &touch) && touch.normal.z == 1);
    CHECK_NEAR(touch.distance, -0.1, 1e-12);
    ask.deep = 0.05; // the side is farther
    touch = touchX(in);
    CHECK(!snShell_Faces(cube, &ask, &touch));
    ask.spot = spotAt(cube, snVec(1, 0, 0)); // it comes with its back to it
    ask.from = out;
    touch = touchX(in);
    CHECK(!snShell_Faces(cube, &ask, &touch));
    snArena_Destroy(&arena);
}

int main(void)
{
    RUN(sharpPlacesFaceBySomeFace);
    RUN(whatCameInGoesOut);
    return snTest_Finish();
}
