// Skins that the tests of this folder share.
#ifndef SN_TESTS_BODY_SKIN_SKINS_H
#define SN_TESTS_BODY_SKIN_SKINS_H

#include "body/skin/skin.h"
#include "core/elementary.h"
#include "core/random.h"
#include "tests/test.h"

#include <stdio.h>
#include <string.h>

#define MOST_POINTS 4096

typedef struct Setup {
    snContext context;
    snArena arena;
    snSkinMesh mesh;
    snSkinPoint points[MOST_POINTS];
    snVec3 places[MOST_POINTS];
    snSkinMuscle muscles[8];
    snAffine frames[8];
    snElasticSkinDef def;
    snElasticSkin *skin;
} Setup;

static Setup setup;

static inline void beginSetup(void)
{
    setup.context = snDefaultContext();
    setup.arena = snMakeArena(&setup.context);
    setup.def = snDefaultElasticSkinDef();
    for (int i = 0; i < MOST_POINTS; i++)
        setup.points[i] = snDefaultSkinPoint();
    for (int i = 0; i < 8; i++)
        setup.frames[i] = snIdentityAffine();
}

static inline void endSetup(void)
{
    snElasticSkin_Destroy(setup.skin);
    setup.skin = NULL;
    snArena_Destroy(&setup.arena);
}

// A tube along y of a radius that varies a little.
static inline void makeTube(int columns, int rows, double radius, double height)
{
    CHECK(snSkinMesh_Grid(&setup.mesh, columns, rows, &setup.arena, NULL) == SN_OK);
    for (int j = 0; j < rows; j++)
        for (int i = 0; i < columns; i++) {
            double a = 2.0 * SN_PI * i / columns, y = (double)j / (rows - 1);
            double r = radius * (1.0 + 0.1 * snSin(5.0 * y));
            setup.places[j * columns + i] = snVec(r * snSin(a), height * (y - 0.5), r * snCos(a));
        }
}

// An undeformed or deformed muscle's surface as a skin of triangles.
static inline void makeSkinOf(const snMuscle *muscle, int rows, int columns)
{
    int *triangles = SN_NEW(&setup.arena, int, 3 * SN_MUSCLE_TRIANGLES(rows, columns));
    snMuscle_Mesh(muscle, rows, columns, setup.places, triangles);
    snMesh mesh = {SN_MUSCLE_VERTICES(rows, columns), SN_MUSCLE_TRIANGLES(rows, columns),
                   setup.places, triangles};
    CHECK(snSkinMesh_FromTriangles(&setup.mesh, &mesh, &setup.arena, NULL) == SN_OK);
}

static inline void fill(const snSkinTissue *tissue)
{
    snSkinTissue_Fill(tissue, &setup.mesh, setup.places, setup.points);
}

// A closed ball around the origin.
static inline void makeBallSkin(double radius, int rows, int columns)
{
    snMuscleShape ball = snDefaultMuscleShape(SN_SHAPE_SPHERE);
    ball.shape.size.x = radius;
    snMuscle muscle = snMakeMuscle(&ball, snIdentityAffine());
    makeSkinOf(&muscle, rows, columns);
}

// Points the definition at what is set up.
static inline void useSetup(int muscles, int frames)
{
    setup.def.mesh = &setup.mesh;
    setup.def.points = setup.points;
    setup.def.places = setup.places;
    setup.def.muscles = setup.muscles;
    setup.def.muscleCount = muscles;
    setup.def.frames = setup.frames;
    setup.def.frameCount = frames;
}

// After def's other fields are set.
static inline snElasticSkin *makeSkin(int muscles, int frames)
{
    snError error = {0};
    useSetup(muscles, frames);
    if (!CHECK(snElasticSkin_Make(&setup.skin, &setup.def, &setup.context, &error) == SN_OK))
        printf("%s\n", error.message);
    return setup.skin;
}

#endif
