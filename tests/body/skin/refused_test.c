// What skins refuse, with the point or face at fault, and memory that runs out in whatever is made for them.
#include "body/skin/fold.h"
#include "body/skin/levels.h"
#include "tests/failing_memory.h"
#include "tests/body/skin/skins.h"

#include <math.h>

static const snSkinMesh *grid(int columns, int rows)
{
    static snSkinMesh mesh;
    CHECK(snSkinMesh_Grid(&mesh, columns, rows, &setup.arena, NULL) == SN_OK);
    return &mesh;
}

static void badMeshesAreNamed(void)
{
    static const int sizes[4][2] = {{2, 5}, {5, 1}, {30001, 5}, {5, 30001}};
    static const snVec3 places[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {2, 0, 0}};
    snSkinMesh mesh;
    snError error = {0};
    beginSetup();
    for (int i = 0; i < 4; i++) {
        CHECK(snSkinMesh_Grid(&mesh, sizes[i][0], sizes[i][1], &setup.arena, &error) ==
              SN_ERROR_ARGUMENT);
        CHECK(strstr(error.message, "at least 3 and 2 are needed") != NULL);
    }
    struct {
        int triangle[3];
        snStatus code;
        const char *expected;
    } cases[] = {{{0, 1, 4}, SN_ERROR_ARGUMENT, "triangle 0 has vertex 4 of 4"},
                 {{0, -1, 2}, SN_ERROR_ARGUMENT, "triangle 0 has vertex -1 of 4"},
                 {{0, 1, 3}, SN_ERROR_GEOMETRY, "face 0 has no area"}}; // all on one line
    for (int i = 0; i < 3; i++) {
        snMesh surface = {4, 1, places, cases[i].triangle};
        CHECK(snSkinMesh_FromTriangles(&mesh, &surface, &setup.arena, &error) == cases[i].code);
        CHECK(strstr(error.message, cases[i].expected) != NULL);
    }
    static const int twice[6] = {0, 1, 2, 0, 1, 2}; // the same edge in the same sense
    snMesh surface = {4, 2, places, twice};
    CHECK(snSkinMesh_FromTriangles(&mesh, &surface, &setup.arena, &error) != SN_OK);
    CHECK(error.message[0]);
    endSetup();
}

// Each number of a point with values that it cannot have.
static void badPointsAreNamed(void)
{
    beginSetup();
    makeTube(6, 4, 0.2, 0.5);
    snSkinTissue tissue = snDefaultSkinTissue();
    fill(&tissue);
    setup.def.mesh = &setup.mesh;
    setup.def.points = setup.points;
    setup.def.places = setup.places;
    setup.def.muscles = setup.muscles;
    setup.def.frames = setup.frames;
    setup.def.frameCount = 1;
    snSkinPoint *p = &setup.points[3], good = *p;
    snElasticSkin *skin;
    snError error = {0};
    CHECK(snElasticSkin_Make(&skin, &setup.def, &setup.context, &error) == SN_OK);
    snElasticSkin_Destroy(skin);
    static const double masses[4] = {0, -1, NAN, INFINITY};
    for (int i = 0; i < 4; i++) {
        p->mass = masses[i];
        CHECK(snElasticSkin_Make(&skin, &setup.def, &setup.context, &error) == SN_ERROR_ARGUMENT);
        CHECK(!strncmp(error.message, "points[3].mass is", 17));
    }
    *p = good;
    double *numbers[] = {&p->damping,  &p->fat,      &p->elasticity[1], &p->metric[2],
                         &p->attach.y, &p->pin.z,    &p->viscosity[0],  &p->bandLength,
                         &p->bending,  &p->curvature};
    for (int i = 0; i < 10; i++) {
        *p = good;
        *numbers[i] = i % 2 ? NAN : INFINITY;
        CHECK(snElasticSkin_Make(&skin, &setup.def, &setup.context, &error) == SN_ERROR_ARGUMENT);
        CHECK(!strcmp(error.message, "points[3] has numbers that are not finite"));
    }
    *p = good;
    snVec3 place = setup.places[3];
    setup.places[3].x = NAN;
    CHECK(snElasticSkin_Make(&skin, &setup.def, &setup.context, &error) == SN_ERROR_ARGUMENT);
    setup.places[3] = place;
    p->muscle = 0; // there is none
    CHECK(snElasticSkin_Make(&skin, &setup.def, &setup.context, &error) == SN_ERROR_ARGUMENT);
    CHECK(strstr(error.message, "points[3] is on muscle 0") != NULL);
    *p = good;
    p->frame = 1;
    CHECK(snElasticSkin_Make(&skin, &setup.def, &setup.context, &error) == SN_ERROR_ARGUMENT);
    CHECK(strstr(error.message, "and frame 1; there are 0 and 1") != NULL);
    *p = good;
    endSetup();
}

static void badFoldsAreNamed(void)
{
    static const double bad[3] = {-1, NAN, INFINITY};
    beginSetup();
    makeTube(6, 4, 0.2, 0.5);
    snSkinFold fold;
    snError error = {0};
    for (int i = 0; i < 6; i++) {
        snSkinFoldDef def = {.thickness = i < 3 ? bad[i] : 0.01,
                             .friction = i < 3 ? 0 : bad[i - 3]};
        CHECK(snSkinFold_Make(&fold, &def, &setup.mesh, setup.places, &setup.arena, &error) ==
              SN_ERROR_ARGUMENT);
        CHECK(strstr(error.message, "both must be 0 or more") != NULL);
    }
    endSetup();
}

// ---- memory -----------------------------------------------------------------------------------------

static snStatus makeFold(const void *user, snArena *arena, const snContext *context)
{
    (void)context;
    snSkinFold fold;
    snSkinFoldDef def = {.thickness = *(const double *)user, .friction = 0.3};
    return snSkinFold_Make(&fold, &def, &setup.mesh, setup.places, arena, NULL);
}

static snStatus makeCoarser(const void *user, snArena *arena, const snContext *context)
{
    (void)context;
    snSkinCoarser coarser;
    snStatus status = snSkinMesh_Coarsen(&coarser, user, setup.places, arena, NULL);
    if (status) return status;
    int fine = ((const snSkinMesh *)user)->pointCount, coarse = coarser.mesh.pointCount;
    double *values = SN_NEW(arena, double, fine), *fitted = SN_NEW(arena, double, coarse);
    if (!values || !fitted) return SN_ERROR_MEMORY;
    snSkinFit fit = {fine, coarse, coarser.blend, ((const snSkinMesh *)user)->area};
    return snSkinFit_Solve(&fit, values, fitted, arena, NULL);
}

static snStatus makeRung(const void *user, snArena *arena, const snContext *context)
{
    const snSkinAtRest *levels = user;
    snSkinRung rung;
    return snSkinRung_Make(&rung, levels[0], levels[1], arena, context, NULL);
}

static snStatus makeGrid(const void *user, snArena *arena, const snContext *context)
{
    (void)user, (void)context;
    snSkinMesh mesh, finer;
    snSkinBlend *blend;
    snStatus status = snSkinMesh_Grid(&mesh, 5, 4, arena, NULL);
    if (!status) status = snSkinMesh_Refine(&finer, &blend, &mesh, arena, NULL);
    if (!status) status = snSkinMesh_Resample(&finer, &blend, &mesh, 7, 6, arena, NULL);
    return status;
}

static void everyAllocationMayFail(void)
{
    beginSetup();
    double thickness = 0.01, none = 0;
    makeTube(8, 6, 0.2, 0.5);
    failEvery(makeFold, &thickness, 0);
    failEvery(makeFold, &none, 0); // its thickness follows its edges
    failEvery(makeGrid, NULL, 0);
    snSkinAtRest levels[2] = {{grid(8, 6), setup.places}, {&setup.mesh, setup.places}};
    failEvery(makeRung, levels, 0);
    endSetup();
    beginSetup();
    snMuscleShape ball = snDefaultMuscleShape(SN_SHAPE_SPHERE);
    ball.shape.size.x = 0.2;
    snMuscle muscle = snMakeMuscle(&ball, snIdentityAffine());
    makeSkinOf(&muscle, 8, 10);
    failEvery(makeCoarser, &setup.mesh, 0);
    snSkinAtRest same[2] = {{&setup.mesh, setup.places}, {&setup.mesh, setup.places}};
    failEvery(makeRung, same, 0);
    endSetup();
}

int main(void)
{
    RUN(badMeshesAreNamed);
    RUN(badPointsAreNamed);
    RUN(badFoldsAreNamed);
    RUN(everyAllocationMayFail);
    return snTest_Finish();
}
