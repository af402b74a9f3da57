// A penguin of seven balls that sways, nods and flaps; made as a user would make it: a sphere that shrinks on, then bands.
#ifndef SN_TESTS_BODY_SKIN_PENGUIN_H
#define SN_TESTS_BODY_SKIN_PENGUIN_H

#include "body/skin/make.h"
#include "tests/body/skin/skins.h"

#define PENGUIN_HEIGHT 0.76

static inline void makePenguinMuscles(void)
{
    // Frames: 0 hip, 1 chest, 2 head, 3 and 4 wings.
    static const struct {
        int frame;
        double x, y, z, r;
    } balls[7] = {{0, 0, 0, 0, 0.20},        {1, 0, 0, 0, 0.17},         {2, 0, 0, 0, 0.12},
                  {0, 0, -0.02, 0.08, 0.18}, {2, 0, -0.01, 0.09, 0.045}, {3, 0.05, -0.07, 0, 0.06},
                  {4, -0.05, -0.07, 0, 0.06}};
    for (int i = 0; i < 7; i++) {
        setup.muscles[i].shape = snDefaultMuscleShape(SN_SHAPE_SPHERE);
        setup.muscles[i].shape.shape.size.x = balls[i].r;
        setup.muscles[i].shape.shape.place.origin = snVec(balls[i].x, balls[i].y, balls[i].z);
        setup.muscles[i].frame = balls[i].frame;
    }
}

static inline snAffine turned(snVec3 axis, double angle, snVec3 origin)
{
    return (snAffine){snQuatToMat(snQuatFromAxisAngle(axis, angle)), origin};
}

static inline void posePenguin(double t)
{
    snVec3 x = {1, 0, 0}, z = {0, 0, 1};
    double sway = 0.25 * snSin(2.0 * SN_PI * t), nod = 0.3 * snSin(4.0 * SN_PI * t);
    snAffine hip = turned(z, sway, snVec(0.05 * sway, 0.2, 0));
    snAffine chest = snMulAA(hip, turned(z, -sway, snVec(0, 0.22, 0)));
    setup.frames[0] = hip;
    setup.frames[1] = chest;
    setup.frames[2] = snMulAA(chest, turned(x, nod, snVec(0, 0.22, 0)));
    setup.frames[3] = snMulAA(chest, turned(z, 0.5 + nod, snVec(0.13, 0.05, 0)));
    setup.frames[4] = snMulAA(chest, turned(z, -0.5 - nod, snVec(-0.13, 0.05, 0)));
}

static const snSkinRim penguinRims[2] = {{0, {0, -0.2, 0}, {0, -1, 0}, 0.02},
                                         {2, {0, 0.12, 0}, {0, 1, 0}, 0.02}};

static inline void wrapPenguin(int columns, int rows)
{
    snSkinMuscles muscles;
    beginSetup();
    makePenguinMuscles();
    posePenguin(0.0);
    CHECK(snSkinMuscles_Make(&muscles, 7, setup.muscles, 5, setup.frames, &setup.arena, NULL) ==
          SN_OK);
    CHECK(snSkinMesh_Grid(&setup.mesh, columns, rows, &setup.arena, NULL) == SN_OK);
    snSkinRims_Sphere(penguinRims, &setup.mesh, &muscles, setup.places, setup.points);
    snSkinShrinkDef shrink = snDefaultSkinShrinkDef();
    shrink.mesh = &setup.mesh;
    shrink.muscleCount = 7;
    shrink.muscles = setup.muscles;
    shrink.frameCount = 5;
    shrink.frames = setup.frames;
    shrink.tissue.tightness = 0.05;
    CHECK(snElasticSkin_Shrink(&shrink, setup.places, setup.points, &setup.context, NULL) == SN_OK);
    snVec3 *normals = SN_NEW(&setup.arena, snVec3, setup.mesh.pointCount);
    snSkinMesh_Normals(&setup.mesh, setup.places, normals);
    snElasticSkin_Attach(&muscles, setup.places, normals, 0.2, 0, setup.mesh.pointCount,
                         setup.points);
}

static inline snElasticSkin *makePenguin(int columns, int rows)
{
    wrapPenguin(columns, rows);
    return makeSkin(7, 5);
}

#endif
