// Faces of skins against muscles: small ones do not come through between points, forces of it keep momentum, fine skins have no
// such faces.
#include "tests/body/skin/skins.h"

// A tube of few points round a column, with a knob that stands between them and grows out.
static void makeColumn(int columns, int rows)
{
    beginSetup();
    makeTube(columns, rows, 0.2, 0.6);
    snSkinTissue tissue = snDefaultSkinTissue();
    tissue.tightness = 0.1;
    fill(&tissue);
    for (int i = 0; i < columns * rows; i++)
        if (i < columns || i >= columns * (rows - 1)) { // its rims stay
            setup.points[i].frame = 1;
            setup.points[i].pin = setup.places[i];
        }
    setup.muscles[0] = (snSkinMuscle){snDefaultMuscleShape(SN_SHAPE_SPHERE), 0, 0};
    setup.muscles[0].shape.shape.size = snVec(0.08, 0.08, 0.08);
}

static void knobsStayCovered(void)
{
    double deepest[2];
    for (int k = 0; k < 2; k++) {
        makeColumn(8, 5);
        setup.def.gravity = snVec(0, 0, 0);
        setup.def.bulge = k ? -0.002 : 0.0;
        double angle = SN_PI / 8;
        snVec3 out = snVec(snSin(angle), 0, snCos(angle));
        setup.frames[0].origin = snMulAdd(snVec(0, 0.075, 0), 0.07, out);
        snElasticSkin *skin = makeSkin(1, 2);
        for (int i = 1; i <= 30; i++) {
            setup.frames[0].origin = snMulAdd(snVec(0, 0.075, 0), 0.07 + 0.003 * i, out);
            CHECK(snElasticSkin_Step(skin, 1.0 / 60.0, setup.frames, NULL));
            CHECK(snElasticSkin_Deepest(skin) < 1e-4);
        }
        snSkinCover all;
        snSkinContact contact = {.mesh = skin->mesh,
                                 .points = skin->points,
                                 .inverseMass = skin->inverseMass,
                                 .muscles = &skin->muscles};
        CHECK(snSkinCover_Make(&all, &contact, skin->places, -1e-9, &setup.arena, NULL) == SN_OK);
        deepest[k] = snSkinCover_Deepest(&all, &contact, skin->places);
        endSetup();
    }
    printf("a knob of 8 cm is %.1f mm through a face with points alone, %.1f mm with samples\n",
           1e3 * deepest[0], 1e3 * deepest[1]);
    CHECK(deepest[0] > 0.02 && deepest[1] < 0.004);
}

static void fineSkinsHaveNone(void)
{
    makeColumn(48, 41);
    setup.def.bulge = 0.005;
    setup.frames[0].origin = snVec(0, 0, 0.16);
    snElasticSkin *skin = makeSkin(1, 2);
    CHECK(skin->cover.count == 0);
    endSetup();
}

static void bareMusclesArePassedBy(void)
{
    makeColumn(24, 21);
    setup.muscles[0].bare = 1;
    setup.frames[0].origin = snVec(0, 0, 0.2);
    setup.def.bulge = -0.001;
    snElasticSkin *skin = makeSkin(1, 2);
    double most = 0;
    for (int i = 0; i < skin->mesh->pointCount; i++)
        most = fmax(most, snDistance(skin->places[i], setup.places[i]));
    CHECK(most == 0.0 && snElasticSkin_Deepest(skin) == 0.0);
    endSetup();
}

int main(void)
{
    RUN(knobsStayCovered);
    RUN(fineSkinsHaveNone);
    RUN(bareMusclesArePassedBy);
    return snTest_Finish();
}
