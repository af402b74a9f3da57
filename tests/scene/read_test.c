// Reading scenes: what is said is what there is, and what is wrong is named by its path.
#include "core/core.h"
#include "core/elementary.h"
#include "tests/scene/sources.h"

// A scene with most of what there is; one by one keys are in keys_test.c.
static void fullScenesAreRead(void)
{
    snContext context = snDefaultContext();
    snError error = {0};
    snSceneFile s;
    snStatus status = readScene(
        &s,
        HEAD
        "\"title\": \"all\", \"step\": \"5 ms\", \"duration\": 2, \"frameRate\": 25,"
        "\"gravity\": [0, -1, 0], \"bodies\": [{\"name\": \"a\", \"box\": {\"size\": [\"20 cm\","
        "0.1, 0.1], \"cells\": [2, 1, 1]}, \"scheme\": \"bajaj\", \"levels\": 1, \"quadrature\": 2,"
        "\"material\": {\"young\": [1e4,1e4,1e4,1e4,1e4,1e4,1e4,1e4,1e4,1e4,1e4,\"20 kPa\"],"
        "\"poisson\": 0.3, \"density\": 900, \"damping\": \"2 ms\", \"drag\": 1, \"energy\": "
        "\"neo-hookean\"}, \"solver\": {\"kind\": \"newton\", \"iterations\": 4, "
        "\"constraints\": {\"method\": \"multipliers\", \"time\": \"100 ms\"}},"
        "\"contact\": {\"soft\": true, \"firmness\": 8, \"iterations\": 9, "
        "\"thickness\": \"1 mm\", \"reach\": "
        "0.1},"
        "\"place\": [1, 2, 3], \"rotation\": {\"axis\": [0, 0, 2], \"angle\": 90},"
        "\"velocity\": [1, 0, 0], \"spin\": [0, \"1 turn\", 180],"
        "\"stiffness\": [[0, 1], [\"500 ms\", 4]], \"color\": \"#ff0000\"}, " BLOCK "],"
        "\"colliders\": [{\"kind\": \"floor\", \"height\": -0.5, \"friction\": 0.2},"
        "{\"kind\": \"wall\", \"place\": [1, 0, 0], \"normal\": [-2, 0, 0]},"
        "{\"kind\": \"container\", \"size\": [2, 2, 2]},"
        "{\"kind\": \"capsule\", \"radius\": 0.1, \"length\": 0.5, \"keys\": [{\"time\": 0, "
        "\"place\": [0, 0, 0]}, {\"time\": 1, \"place\": [1, 0, 0], \"rotation\": [0, 1, 0, 0]}]},"
        "{\"kind\": \"mesh\", \"file\": \"ring.obj\", \"scale\": 2, \"hidden\": true}],"
        "\"attachments\": [{\"body\": \"a\", \"within\": {\"upper\": [0, 1, 1]}, \"from\": 0.1,"
        "\"until\": 0.2, \"ease\": 0}, {\"body\": \"a\", \"vertex\": 0, \"to\": {\"body\": "
        "\"block\", \"near\": [0, 0, 0]}, \"spring\": {\"stiffness\": 10, \"damping\": 1}}],"
        "\"throws\": [{\"body\": \"block\", \"time\": 1, \"velocity\": [0, 3, 0]}],"
        "\"probes\": [{\"name\": \"p\", \"body\": \"a\", \"point\": [0, 0, 0]}],"
        "\"outputs\": {\"cache\": [\"a.pc2\", \"b.obj\"], \"csv\": \"c.csv\", \"csvEvery\": "
        "\"step\", \"picture\": \"d.png\"},"
        "\"camera\": {\"yaw\": 30, \"panels\": 4, \"size\": [100, 80]}}",
        &context, &error);
    if (!CHECK(status == SN_OK)) {
        printf("%s\n", error.message);
        return;
    }
    const snSceneBody *a = &s.bodies[0];
    CHECK(s.step == 0.005 && s.duration == 2 && s.frameRate == 25 && s.gravity.y == -1);
    CHECK(snSceneFile_StepsPerFrame(&s) == 8 && snSceneFile_Frames(&s) == 51);
    CHECK(s.bodyCount == 2 && a->scheme == SN_SCHEME_BAJAJ && a->levels == 1 && a->nodeLevel == 2);
    CHECK_NEAR(a->box.upper.x, 0.1, 1e-15);
    CHECK(a->young.count == 12 && a->young.values[11] == 2e4 && a->young.axis == -1);
    CHECK(a->solid.poisson == 0.3 && a->solid.density == 900 && a->solid.drag == 1);
    CHECK(a->solid.material == SN_MATERIAL_NEO_HOOKEAN && a->solid.solver == SN_SOLVER_NEWTON);
    CHECK(a->solid.holding == SN_POINTS_MULTIPLIERS && a->solid.alpha == 20);
    CHECK_NEAR(a->solid.beta, 100, 1e-12);
    CHECK(a->solid.soft && a->solid.firmness == 8 && a->solid.contactIterations == 9 &&
          a->solid.thickness == 0.001);
    CHECK_NEAR(snDistance(a->place.linear.cx, snVec(0, 1, 0)), 0, 1e-15);
    CHECK_NEAR(a->spin.y, 6.283185307179586, 1e-15);
    CHECK_NEAR(a->spin.z, 3.141592653589793, 1e-15);
    CHECK(a->stiffnessCount == 2 && a->stiffnessTimes[1] == 0.5 && a->stiffnessFactors[1] == 4);
    CHECK(a->color[0] == 1 && a->color[1] == 0);
    CHECK(s.colliderCount == 5 && s.colliders[0].def.shape.end.origin.y == -0.5);
    CHECK_NEAR(snDistance(s.colliders[1].def.shape.end.linear.cy, snVec(-1, 0, 0)), 0, 1e-12);
    CHECK(s.colliders[2].container && s.colliders[2].box.half.x == 1);
    CHECK(s.colliders[3].route.count == 2 && s.colliders[3].def.shape.half.y == 0.25);
    CHECK(s.colliders[4].hidden && s.colliders[4].def.shape.shell->closed);
    CHECK(s.attachmentCount == 2 && s.attachments[0].def.hard && s.attachments[0].def.to == 0.2);
    CHECK(!s.attachments[1].def.hard && s.attachments[1].def.other == 1);
    CHECK(s.throws[0].body == 1 && s.throws[0].velocity.y == 3);
    CHECK(s.probeCount == 1 && s.outputs.cacheCount == 2 && s.outputs.everyStep);
    CHECK(s.camera.given && s.camera.panels == 4 && s.camera.height == 80);
    snSceneFile_Destroy(&s);
}

#define AROUND                                                                                     \
    "{\"vertices\": [[-0.8,-0.3,-0.8],[0.8,-0.3,-0.8],[0.8,0.3,-0.8],[-0.8,0.3,-0.8],"             \
    "[-0.8,-0.3,0.8],[0.8,-0.3,0.8],[0.8,0.3,0.8],[-0.8,0.3,0.8]], \"cells\": "                    \
    "[[0,1,2,3,4,5,6,7]]}"

// A mesh may bring the lattice around it, which then may be smooth and have a material per vertex.
static void meshInItsLattice(void)
{
    snContext context = snDefaultContext();
    snError error = {0};
    snSceneFile s;
    if (CHECK(
            readScene(
                &s,
                HEAD
                "\"bodies\": [{\"name\": \"a\", \"scheme\": \"maccracken-joy\", \"quadrature\": 4, "
                "\"mesh\": {\"file\": \"ring.obj\", \"lattice\": " AROUND "},"
                "\"material\": {\"young\": [1e4,1e4,1e4,1e4,2e4,2e4,2e4,2e4]}}]}",
                &context, &error) == SN_OK)) {
        snStage stage;
        CHECK(s.bodies[0].shape == SN_SCENE_MESH && s.bodies[0].lattice.cellCount == 1);
        CHECK(!snSceneBody_IsAutomatic(&s.bodies[0]) && s.bodies[0].young.count == 8);
        if (CHECK(snSceneFile_Build(&s, &stage, &context, &error) == SN_OK))
            CHECK(stage.world->bodies.data[0]->vertexCount == s.bodies[0].mesh.vertexCount);
        else
            printf("%s\n", error.message);
        snStage_Destroy(&stage);
        snSceneFile_Destroy(&s);
    } else {
        printf("%s\n", error.message);
    }
    CHECK(readScene(&s,
                    HEAD "\"bodies\": [{\"name\": \"a\", \"mesh\": {\"file\": \"ring.obj\","
                         "\"grid\": [2, 2, 2], \"lattice\": " AROUND "}}]}",
                    &context, &error) == SN_ERROR_FORMAT);
    CHECK(strstr(error.message, "bodies[0].mesh: brings a \"lattice\"") != NULL);
}

#define BODY(more)                                                                                 \
    HEAD "\"bodies\": [{\"name\": \"a\", \"box\": {\"size\": [1, 1, 1], \"cells\": [1, 1, "        \
         "1]}, " more "}]"

#define SHAPE(shape) HEAD "\"bodies\": [{\"name\": \"a\", " shape "}]}"

// Every solver, with what it alone has.
static void solversAreRead(void)
{
    snContext context = snDefaultContext();
    snError error = {0};
    snSceneFile s;
    static const struct {
        const char *text;
        snSolver solver;
        snTurn turn;
    } cases[] = {
        {BODY("\"solver\": {\"kind\": \"linear\"}") "}", SN_SOLVER_LINEAR, SN_TURN_NONE},
        {BODY("\"solver\": {\"kind\": \"quasi-linear\"}") "}", SN_SOLVER_LINEAR, SN_TURN_POLAR},
        {BODY("\"solver\": {\"kind\": \"quasi-linear\", \"turn\": \"curl\", \"constraints\": "
              "{\"alpha\": 3, \"beta\": 2}}, \"contact\": false") "}",
         SN_SOLVER_LINEAR, SN_TURN_CURL},
        {BODY("\"solver\": {\"kind\": \"projective\"}, \"contact\": {\"restitution\": 0.5, "
              "\"friction\": 0.1}") "}",
         SN_SOLVER_PROJECTIVE, SN_TURN_NONE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (!CHECK(readScene(&s, cases[i].text, &context, &error) == SN_OK)) {
            printf("    %s\n", error.message);
            continue;
        }
        const snSolidBodyDef *def = &s.bodies[0].solid;
        CHECK(def->solver == cases[i].solver && def->turn == cases[i].turn);
        CHECK(def->apart == (i == 2) && def->alpha == (i == 2 ? 3 : 0));
        snSceneFile_Destroy(&s);
    }
}

// Materials from files: in order, by a column's name, with units and without.
static void materialsAreLoaded(void)
{
    static const struct {
        const char *text;
        double first, third, last;
    } cases[] = {
        {BODY("\"material\": {\"young\": {\"file\": \"young.csv\", \"times\": \"2 kPa\"}}") "}",
         2000, 6000, 16000},
        {BODY("\"material\": {\"young\": {\"file\": \"young.json\"}}") "}", 1, 3000, 8},
        {BODY("\"material\": {\"young\": {\"file\": \"values.json\", \"times\": 10}}") "}", 10, 10,
         20},
        {BODY("\"material\": {\"young\": {\"file\": \"materials.csv\", \"column\": \"young\"}, "
              "\"density\": {\"file\": \"materials.csv\", \"column\": \"density\"}, \"poisson\": "
              "[0, 0.1, 0.2, 0.3, 0.4, 0.4, 0.4, 0.3]}") "}",
         10000, 30000, 8},
    };
    snContext context = snDefaultContext();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snSceneFile s;
        snError error = {0};
        if (!CHECK(readScene(&s, cases[i].text, &context, &error) == SN_OK)) {
            printf("    %s\n", error.message);
            continue;
        }
        const snSceneField *young = &s.bodies[0].young, *density = &s.bodies[0].density;
        CHECK(young->count == 8 && young->axis == -1 && young->values[0] == cases[i].first);
        CHECK(young->values[2] == cases[i].third && young->values[7] == cases[i].last);
        CHECK(i < 3 ? density->count == 1 : density->count == 8 && density->values[7] == 1100);
        if (i == 3) {
            snStage stage;
            snWorldMeasure m;
            CHECK(s.bodies[0].poisson.values[3] == 0.3);
            CHECK(snSceneFile_Build(&s, &stage, &context, &error) == SN_OK);
            snWorld_Measure(stage.world, &m);
            CHECK_NEAR(m.sum.mass, (3 * 900 + 4 * 1000 + 1100) / 8.0, 1e-9); // of a unit cube
            snStage_Destroy(&stage);
        }
        snSceneFile_Destroy(&s);
    }
}

// Bodies with linear deformations: a box and a mesh, by order and by control points, planar, with their energies.
static void polynomialBodiesAreRead(void)
{
    snContext context = snDefaultContext();
    snError error = {0};
    snSceneFile s;
    snStage stage;
    const char *text = HEAD
        "\"planar\": true, \"bodies\": [{\"name\": \"a\", \"box\": {\"size\": [1, 0.2, 0.3]}, "
        "\"poly\": {\"order\": 2, \"mass\": 3}, \"material\": {\"rigidity\": \"20 kPa\", "
        "\"volume\": \"30 kPa\", \"energyDamping\": 0.1}}, {\"name\": \"b\", \"mesh\": {\"file\": "
        "\"ring.obj\"}, \"poly\": {\"controls\": [3, 2, 3]}, \"contact\": false, \"solver\": "
        "{\"integrator\": \"midpoint\"}}, {\"name\": \"c\", \"box\": {\"size\": [1, 1, 1], "
        "\"cells\": [2, 3, 4]}, \"poly\": {\"masses\": [{\"mass\": 1, \"at\": [0, 0, 0]}, "
        "{\"mass\": 2, \"at\": [0.5, 0, 0]}, {\"mass\": 3, \"at\": [0, 0.5, 0]}, {\"mass\": 4, "
        "\"at\": [0, 0, 0.5]}]}}]}";
    if (!CHECK(readScene(&s, text, &context, &error) == SN_OK)) {
        printf("    %s\n", error.message);
        return;
    }
    CHECK(s.planar && s.bodies[0].isPoly && s.bodies[0].poly.order == 2);
    CHECK(s.bodies[0].solid.material == SN_MATERIAL_NONRIGID);
    CHECK(s.bodies[0].solid.energyDamping == 0.1);
    CHECK_NEAR(s.bodies[0].young.values[0], 2 * 80e3 * (1 + s.bodies[0].solid.poisson), 1e-6);
    CHECK_NEAR(s.bodies[0].solid.poisson, 60.0 / 280, 1e-12);
    CHECK(s.bodies[1].solid.integrator == SN_INTEGRATOR_MIDPOINT);
    CHECK(s.bodies[2].mesh.vertexCount == 54 && s.bodies[2].cornerCount > 54);
    s.bodiesTouch = false;
    if (!CHECK(snSceneFile_Build(&s, &stage, &context, &error) == SN_OK)) {
        printf("    %s\n", error.message);
    } else {
        const int functions[3] = {10, 18, 4};
        const double masses[3] = {3, 0, 10};
        for (int i = 0; i < 3; i++) {
            snBodyMeasure m = {0};
            snBody_Measure(stage.world->bodies.data[i], &m);
            CHECK(stage.world->bodies.data[i]->functions == functions[i]);
            CHECK(i == 1 || fabs(m.mass - masses[i]) < 1e-9);
        }
        for (int n = 0; n < 5; n++)
            snWorld_Step(stage.world);
        snStage_Destroy(&stage);
    }
    snSceneFile_Destroy(&s);
}

// Shapes that are made: of polynomials and in lattices, with the volume that they should have.
static void shapesAreMade(void)
{
    static const struct {
        const char *shape;
        double volume, within;
    } cases[] = {
        {"\"sphere\": {\"radius\": \"50 cm\", \"sides\": 48%s}", SN_PI / 6, 0.01},
        {"\"sphere\": {\"size\": [1, 0.5, 2]%s}", SN_PI / 6, 0.03},
        {"\"pyramid\": {\"size\": [1, 2, 1.5]%s}", 1, 1e-9},
        {"\"cylinder\": {\"radius\": 0.5, \"length\": 2, \"sides\": 48%s}", SN_PI / 2, 0.01},
        {"\"cylinder\": {\"radius\": 0.5, \"length\": 3, \"top\": 0, \"sides\": 48%s}", SN_PI / 4,
         0.01},
        {"\"capsule\": {\"radius\": 0.5, \"length\": 1, \"sides\": 48%s}", SN_PI * (0.25 + 1 / 6.0),
         0.02},
        {"\"tube\": {\"points\": [[0, 0, 0], [0, 1, 0], [0, 3, 0]], \"radius\": [0, 0.5, 0], "
         "\"sides\": 48%s}",
         SN_PI / 4, 0.01},
        {"\"tube\": {\"points\": [[1, 0, 0], [0, 1, 0], [-1, 0, 0]], \"radius\": 0.1%s}",
         0.0314 * 2.9, 0.1},
    };
    static const char *const carriers[2][2] = {{"", "\"poly\": {\"order\": 2}"},
                                               {", \"grid\": [2, 3, 2]", "\"quadrature\": 1"}};
    snContext context = snDefaultContext();
    for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
        char shape[300], text[600];
        snSceneFile s;
        snStage stage;
        snError error = {0};
        snprintf(shape, sizeof shape, cases[i / 2].shape, carriers[i % 2][0]);
        snprintf(text, sizeof text, HEAD "\"bodies\": [{\"name\": \"a\", %s, %s}]}", shape,
                 carriers[i % 2][1]);
        snStatus status = readScene(&s, text, &context, &error);
        if (!status) status = snSceneFile_Build(&s, &stage, &context, &error);
        if (!CHECK(status == SN_OK)) {
            printf("    %s: %s\n", text, error.message);
            continue;
        }
        snBodyMeasure m;
        snBody_Measure(stage.world->bodies.data[0], &m);
        bool good = fabs(m.volume - cases[i / 2].volume) < cases[i / 2].within * m.volume;
        if (!CHECK(good)) printf("    %s: volume %g of %g\n", shape, m.volume, cases[i / 2].volume);
        if (i % 2 == 0) CHECK(fabs(m.mass - 1000 * m.volume) < 1e-6 * m.mass);
        for (int k = 0; k < 3; k++)
            snWorld_Step(stage.world);
        CHECK(!stage.world->tales.data[0].failures);
        snStage_Destroy(&stage);
        snSceneFile_Destroy(&s);
    }
}

// A small scene is a fine one.
static void littleIsNeeded(void)
{
    snContext context = snDefaultContext();
    snSceneFile s;
    CHECK(readScene(&s, HEAD "\"bodies\": [" BLOCK "]}", &context, NULL) == SN_OK);
    CHECK_NEAR(s.step, 1.0 / 120, 1e-15);
    CHECK(s.duration == 4 && s.gravity.y == -9.81 && snSceneFile_Frames(&s) == 121);
    snSceneFile_Destroy(&s);
}

static const char *const wrong[][3] = {
    // what is in the document, the path, a part of the message
    {HEAD "\"bodies\": []}", "bodies: ", "there must be one"},
    {HEAD "\"bodeis\": [" BLOCK "]}", "(document): ", "did you mean \"bodies\"?"},
    {"{\"sinew\": \"rig\", \"version\": 1, \"bodies\": [" BLOCK "]}", "sinew: ", "is \"rig\""},
    {"{\"sinew\": \"scene\", \"version\": 9, \"bodies\": [" BLOCK "]}",
     "version: ", "up to version 1"},
    {HEAD "\"step\": \"3 kg\", \"bodies\": [" BLOCK "]}",
     "step: ", "is no number with a unit (s, ms)"},
    {HEAD "\"step\": 7, \"bodies\": [" BLOCK "]}", "step: ", "from 1e-05 to 0.1"},
    {HEAD "\"bodies\": [{\"name\": \"a\"}]}", "bodies[0]: ", "has no shape"},
    {SHAPE("\"sphere\": {\"radius\": -1}"), "bodies[0].sphere.radius: ", "is -1"},
    {SHAPE("\"sphere\": {}"), "bodies[0].sphere: ", "one of them"},
    {SHAPE("\"sphere\": {\"radius\": 1, \"size\": [1, 1, 1]}"),
     "bodies[0].sphere: ", "one of them"},
    {SHAPE("\"sphere\": {\"size\": [1, 0, 1]}"), "bodies[0].sphere.size: ", "above 0"},
    {SHAPE("\"sphere\": {\"radius\": 1, \"sides\": 3}"), "bodies[0].sphere.sides: ", "6 to 200"},
    {SHAPE("\"sphere\": {\"radius\": 1, \"cells\": 20}, \"poly\": {}"),
     "bodies[0].sphere: ", "no lattice"},
    {SHAPE("\"sphere\": {\"radius\": 1, \"lenght\": 20}"), "bodies[0].sphere: ", "nothing called"},
    {SHAPE("\"sphere\": 3"), "bodies[0].sphere", ""},
    {SHAPE("\"pyramid\": {}"), "bodies[0].pyramid: ", "\"size\" is missing"},
    {SHAPE("\"cylinder\": {\"radius\": 0, \"length\": 1}"), "bodies[0].cylinder: ", "no width"},
    {SHAPE("\"capsule\": {\"radius\": 1}"), "bodies[0].capsule: ", "\"length\" is missing"},
    {SHAPE("\"tube\": {\"radius\": 1}"), "bodies[0].tube: ", "\"points\" is missing"},
    {SHAPE("\"tube\": {\"points\": [[0, 0, 0]], \"radius\": 1}"),
     "bodies[0].tube.points: ", "2 to 200"},
    {SHAPE("\"tube\": {\"points\": [[0, 0, 0], [0, 0, 0]], \"radius\": 1}"),
     "bodies[0].tube.points[1]: ", "the one before"},
    {SHAPE("\"tube\": {\"points\": [[0, 0, 0], [0, 1, 0]], \"radius\": [1, 1, 1]}"),
     "bodies[0].tube.radius: ", "2 points"},
    {SHAPE("\"tube\": {\"points\": [[0, 0, 0], [0, 1, 0], [0, 2, 0]], \"radius\": [1, 0, 1]}"),
     "bodies[0].tube.radius[1]: ", "is 0"},
    {SHAPE("\"tube\": {\"points\": 1, \"radius\": 1}"), "bodies[0].tube.points", ""},
    {SHAPE("\"sphere\": {\"radius\": 1}, \"box\": {}"), "bodies[0]: ", "one shape"},
    {BODY("\"poly\": {\"order\": 30}") "}", "bodies[0].poly.order: ", "1 to 8"},
    {BODY("\"poly\": {\"order\": 0}") "}", "bodies[0].poly.order: ", "1 to 8"},
    {BODY("\"poly\": {\"controls\": [3, 3]}") "}", "bodies[0].poly.controls: ", "3 numbers"},
    {BODY("\"poly\": {\"controls\": [9, 9, 9]}") "}", "bodies[0].poly.controls: ", "343 are most"},
    {BODY("\"poly\": {\"order\": 1, \"controls\": [3, 3, 3]}") "}",
     "bodies[0].poly: ", "one of them"},
    {BODY("\"poly\": {\"masses\": [{\"mass\": 1}]}") "}", "bodies[0].poly.masses[0]: ", "at"},
    {BODY("\"poly\": {}, \"scheme\": \"bajaj\"") "}", "bodies[0].scheme: ", "does not go with"},
    {BODY("\"poly\": {}, \"material\": {\"young\": {\"along\": \"x\", \"values\": [1, 2]}}") "}",
     "bodies[0].material.young: ", "one number"},
    {BODY("\"poly\": {}, \"solver\": {\"kind\": \"linear\"}, \"contact\": false") "}",
     "bodies[0].solver: ", "projective"},
    {BODY("\"material\": {\"rigidity\": 1000, \"young\": 1000}") "}",
     "bodies[0].material.rigidity: ", "leave these out"},
    {BODY("\"material\": {\"rigidity\": 1000, \"volume\": 1e9}") "}",
     "bodies[0].material.volume: ", "times the rigidity"},
    {BODY("\"solver\": {\"integrator\": \"midpoint\"}") "}",
     "bodies[0].solver.integrator: ", "knows no contact"},
    {HEAD "\"bodies\": [{\"name\": \"a\", \"mesh\": {\"file\": \"none.obj\"}}]}",
     "bodies[0].mesh.file: ", "none.obj"},
    {HEAD "\"bodies\": [{\"name\": \"a\", \"mesh\": {\"file\": \"ring.stl\"}}]}",
     "bodies[0].mesh.file: ", "ring.stl"},
    {HEAD "\"bodies\": [{\"name\": \"a\", \"mesh\": {\"file\": \"drop.json\", \"grid\": [1,1]}}]}",
     "bodies[0].mesh.grid: ", "3 numbers"},
    {HEAD "\"bodies\": [" BLOCK
          ", {\"name\": \"b\", \"box\": {\"size\": [1, 0, 1], \"cells\": [1, 1, "
          "1]}}]}",
     "bodies[1].box.size: ", "above 0"},
    {HEAD "\"bodies\": [" BLOCK ", " BLOCK "]}", "bodies[1].name: ", "bodies[0] has this name"},
    {HEAD "\"bodies\": [{\"name\": \"a\", \"box\": {\"size\": [1, 1, 1], \"cells\": [1, 1, 1]}, "
          "\"material\": {\"yuong\": 3}}]}",
     "bodies[0].material: ", "did you mean \"young\"?"},
    {HEAD "\"bodies\": [{\"name\": \"a\", \"box\": {\"size\": [1, 1, 1], \"cells\": [1, 1, 1]}, "
          "\"material\": {\"young\": -3}}]}",
     "bodies[0].material.young: ", "is -3"},
    {HEAD "\"bodies\": [{\"name\": \"a\", \"box\": {\"size\": [1, 1, 1], \"cells\": [1, 1, 1]}, "
          "\"material\": {\"young\": [1, 2]}}]}",
     "bodies[0].material.young: ", "the lattice has 8 vertices"},
    {HEAD "\"bodies\": [{\"name\": \"a\", \"box\": {\"size\": [1, 1, 1], \"cells\": [1, 1, 1]}, "
          "\"scheme\": \"bajai\"}]}",
     "bodies[0].scheme: ", "did you mean \"bajaj\"?"},
    {HEAD "\"bodies\": [{\"name\": \"a\", \"lattice\": {\"vertices\": [[0, 0, 0]], \"cells\": [[0, "
          "1, 2, "
          "3]]}}]}",
     "bodies[0].lattice.cells[0]", ""},
    {BODY("\"solver\": {\"kind\": \"linear\", \"turn\": \"curl\"}") "}",
     "bodies[0].solver.turn: ", "leave it out"},
    {BODY("\"solver\": {\"kind\": \"linear\", \"iterations\": 4}") "}",
     "bodies[0].solver.iterations: ", "one solve"},
    {BODY("\"solver\": {\"kind\": \"linear\"}, \"material\": {\"energy\": \"green\"}") "}",
     "bodies[0].material.energy: ", "linear strain"},
    {BODY("\"solver\": {\"kind\": \"linear\"}, \"contact\": {\"reach\": 0.1}") "}",
     "bodies[0].contact.reach: ", "friction and restitution"},
    {BODY("\"solver\": {\"kind\": \"newton\", \"precision\": \"single\"}") "}",
     "bodies[0].solver.precision: ", "say double"},
    {BODY("\"solver\": {\"constraints\": {\"method\": \"multipliers\"}}") "}",
     "bodies[0].solver.constraints: ", "newton"},
    {BODY("\"solver\": {\"constraints\": {\"time\": 1, \"alpha\": 1}}") "}",
     "bodies[0].solver.constraints.time: ", "stands for both"},
    {BODY("\"solver\": {\"constraints\": {\"alpha\": -1}}") "}",
     "bodies[0].solver.constraints.alpha: ", "is -1"},
    {BODY("\"solver\": {\"kind\": \"newton\"}, \"contact\": {\"restitution\": 0.5}") "}",
     "bodies[0].contact.restitution: ", "exact"},
    {BODY("\"contact\": {\"soft\": true, \"friction\": 0.5}") "}",
     "bodies[0].contact.friction: ", "exact"},
    {BODY("\"contact\": {\"soft\": true}") ", \"colliders\": [{\"kind\": \"floor\", "
                                           "\"restitution\": 0.5}]}",
     "colliders[0].restitution: ", "no body of the scene bounces"},
    {BODY("\"contact\": {\"soft\": true, \"self\": true}") "}",
     "bodies[0].contact.self: ", "exact"},
    {BODY("\"material\": {\"young\": {\"file\": \"wrong.csv\"}}") "}",
     "bodies[0].material.young.file: ", "line 3: \"three\""},
    {BODY("\"material\": {\"young\": {\"file\": \"wrong.json\"}}") "}",
     "bodies[0].material.young.file: ", "no list"},
    {BODY("\"material\": {\"young\": {\"file\": \"young.csv\", \"column\": \"young\"}}") "}",
     "bodies[0].material.young.file: ", "no column \"young\""},
    {BODY("\"material\": {\"poisson\": {\"file\": \"young.csv\"}}") "}",
     "bodies[0].material.poisson.file: ", "line 1: is 1"},
    {BODY("\"material\": {\"young\": {\"file\": \"ring.obj\"}}") "}",
     "bodies[0].material.young.file: ", ".csv or .json"},
    {BODY("\"material\": {\"young\": {\"file\": \"none.csv\"}}") "}",
     "bodies[0].material.young.file: ", "none.csv"},
    {HEAD "\"bodies\": [" BLOCK "], \"bodies\": []}", "", "twice"},
    {HEAD "\"bodies\": [{\"name\": \"a\", \"mesh\": {\"file\": \"ring.obj\", \"grid\": [2, 2, 2]}, "
          "\"material\": {\"young\": {\"file\": \"young.csv\"}}}]}",
     "bodies[0].material.young.file: ", "a mesh takes"},
    {HEAD "\"bodies\": [{\"name\": \"a\", \"mesh\": {\"file\": \"ring.obj\"}, \"material\": "
          "{\"density\": {\"along\": \"x\", \"values\": [900, 1000]}}}]}",
     "bodies[0].material.density: ", "one number"},
    {HEAD "\"bodies\": [" BLOCK "], \"duration\": 1e5, \"step\": 1e-5}", "duration: ", "steps"},
    {HEAD "\"bodies\": [" BLOCK "], \"duration\": 1e5, \"frameRate\": 1000, \"step\": 1e-3}",
     "duration: ", "frames"},
    {HEAD "\"bodies\": [" BLOCK "], \"probes\": [{\"name\": \"p\", \"body\": \"block\", "
          "\"vertex\": 1}, {\"name\": \"q\", \"body\": \"block\", \"vertex\": 1}, {\"name\": "
          "\"p\", \"body\": \"block\", \"vertex\": 1}]}",
     "probes[2].name: ", "probes[0] has this name too"},
    {HEAD "\"bodies\": [" BLOCK ", {\"name\": \"b\", \"box\": {\"size\": [1, 1, 1], \"cells\": [1, "
          "1, 1]}, \"contact\": false, \"solver\": {\"integrator\": \"runge-kutta\"}}], "
          "\"attachments\": [{\"body\": \"block\", "
          "\"vertex\": 0, \"to\": {\"body\": \"b\", \"vertex\": 1}}]}",
     "attachments[0].to: body \"b\" has explicit steps", "a \"spring\""},
    {HEAD "\"bodies\": [" BLOCK ", {\"name\": \"b\", \"box\": {\"size\": [1, 1, 1], \"cells\": [1, "
          "1, 1]}, \"contact\": false, \"solver\": {\"kind\": \"newton\", \"integrator\": "
          "\"midpoint\"}}], \"attachments\": [{\"body\": \"block\", \"vertex\": 0, \"to\": "
          "{\"body\": \"b\", \"vertex\": 1}}]}",
     "attachments[0].to: body \"b\" has the midpoint rule with newton", "a \"spring\""},
    {HEAD "\"bodies\": [" BLOCK
          ", {\"name\": \"b\", \"box\": {\"size\": [1, 1, 1], \"cells\": [1, 1, 1]}, \"contact\": "
          "false, \"solver\": {\"integrator\": \"midpoint\"}}], \"attachments\": [{\"body\": "
          "\"block\", \"vertex\": 0, \"to\": {\"body\": \"b\", \"vertex\": 1}}]}",
     "attachments[0].to: bodies \"block\" and \"b\" are held together", "different integrators"},
    {BODY("\"contact\": 3") "}", "bodies[0].contact: ", "or false"},
    {HEAD "\"bodies\": [" BLOCK "], \"colliders\": [{\"kind\": \"cone\"}]}",
     "colliders[0].kind: ", "it must be one of floor, wall"},
    {HEAD "\"bodies\": [" BLOCK "], \"colliders\": [{\"kind\": \"floor\", \"radius\": 3}]}",
     "colliders[0]: ", "nothing called \"radius\""},
    {HEAD "\"bodies\": [" BLOCK "], \"colliders\": [{\"kind\": \"sphere\"}]}",
     "colliders[0]: ", "\"radius\" is missing"},
    {HEAD "\"bodies\": [" BLOCK "], \"attachments\": [{\"body\": \"blok\", \"vertex\": 0}]}",
     "attachments[0].body: ", "did you mean \"block\"?"},
    {HEAD "\"bodies\": [" BLOCK "], \"attachments\": [{\"body\": \"block\"}]}",
     "attachments[0]: ", "which point"},
    {HEAD "\"bodies\": [" BLOCK
          "], \"attachments\": [{\"body\": \"block\", \"vertex\": 0, \"keys\": "
          "[{\"time\": 1, \"place\": [0, 0, 0]}, {\"time\": 1, \"place\": [0, 0, 0]}]}]}",
     "attachments[0].keys[1]: ", "the one before it at 1 s"},
    {HEAD "\"bodies\": [" BLOCK
          "], \"attachments\": [{\"body\": \"block\", \"vertex\": 0, \"from\": 2, "
          "\"until\": 1}]}",
     "attachments[0].until: ", "is before it begins"},
    {HEAD "\"bodies\": [" BLOCK
          "], \"fields\": [{\"wind\": [1, 0, 0], \"from\": 2, \"until\": 1}]}",
     "fields[0].until: ", "is before it begins"},
    {"{\"sinew\": \"coat\", \"version\": 1, \"skeleton\": []}", "sinew: ", "a scene says"},
    {"{\"format\": \"sinew-character\", \"version\": 1}", "", "is a character"},
    {HEAD "\"bodies\": [" BLOCK
          "], \"probes\": [{\"name\": \"p\", \"body\": \"block\", \"point\": [1, "
          "2]}]}",
     "probes[0].point: ", "3 numbers"},
    {HEAD "\"bodies\": [" BLOCK "], \"camera\": {\"panels\": 0}}", "camera.panels: ", "0"},
    {HEAD "\"bodies\": [" BLOCK "], \"gravity\": [[0, [0, 1]]]}", "gravity[0][1]: ", "3 numbers"},
    {HEAD "\"bodies\": [" BLOCK "], \"bodies\": []}", "", "twice"},
    {HEAD "\"bodies\": [" BLOCK "]", "", ""},
    {"", "", ""},
    {"[]", "(document): ", "object"},
};

static void whatIsWrongIsNamed(void)
{
    snContext context = snDefaultContext();
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        snSceneFile s;
        snError error = {0};
        snStatus status = readScene(&s, wrong[i][0], &context, &error);
        bool good = status && !strncmp(error.message, wrong[i][1], strlen(wrong[i][1])) &&
                    strstr(error.message, wrong[i][2]);
        if (!CHECK(good)) printf("    case %zu: \"%s\"\n", i, error.message);
        if (!status) snSceneFile_Destroy(&s);
    }
}

// What is found only when the world is built is named by its path too.
static void whatCannotBeBuiltIsNamed(void)
{
    static const char *const cases[][2] = {
        {HEAD "\"bodies\": [" BLOCK
              "], \"attachments\": [{\"body\": \"block\", \"vertex\": 5000}]}",
         "attachments[0]: "},
        {HEAD "\"bodies\": [" BLOCK
              "], \"attachments\": [{\"body\": \"block\", \"within\": {\"lower\": "
              "[9, 9, 9]}}]}",
         "attachments[0]: no vertex"},
        {HEAD "\"bodies\": [{\"name\": \"a\", \"box\": {\"size\": [1, 1, 1], \"cells\": [60, 60, "
              "60]}}]}",
         "bodies[0]: 216000 cells at level 0"},
        {HEAD "\"bodies\": [{\"name\": \"a\", \"box\": {\"size\": [1, 1, 1], \"cells\": [4, 4, "
              "4]}, \"levels\": 4}]}",
         "bodies[0]: 64 cells at level 4"},
        {HEAD "\"bodies\": [{\"name\": \"a\", \"box\": {\"size\": [1, 1, 1], \"cells\": [8, 8, "
              "8]}, \"quadrature\": 5}]}",
         "bodies[0]: integrals at level 5"},
        {HEAD "\"bodies\": [{\"name\": \"a\", \"mesh\": {\"file\": \"open.obj\", \"grid\": [2, 2, "
              "2]}, \"contact\": {\"self\": true}}]}",
         "the surface of body"},
        {HEAD "\"bodies\": [" BLOCK
              "], \"probes\": [{\"name\": \"p\", \"body\": \"block\", \"point\": [5, 0, "
              "0]}]}",
         "probes[0]: "},
    };
    snContext context = snDefaultContext();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snSceneFile s;
        snStage stage;
        snError error = {0};
        CHECK(readScene(&s, cases[i][0], &context, NULL) == SN_OK);
        CHECK(snSceneFile_Build(&s, &stage, &context, &error) != SN_OK);
        if (!CHECK(!strncmp(error.message, cases[i][1], strlen(cases[i][1]))))
            printf("    \"%s\"\n", error.message);
        snSceneFile_Destroy(&s);
    }
}

static void failingMemoryIsSurvived(void)
{
    static const char text[] = HEAD
        "\"gravity\": [[0, [0, 0, 0]], [1, [0, 1, 0]]], \"bodies\": [" BLOCK
        ", {\"name\": \"ring\", \"mesh\": {\"file\": \"ring.obj\", \"grid\": [2, 1, 2]}}, "
        "{\"name\": \"tube\", \"tube\": {\"points\": [[0, 0, 0], [0, 1, 0]], \"radius\": [0, "
        "0.1]}, "
        "\"poly\": {}}, {\"name\": \"pyramid\", \"pyramid\": {\"size\": [1, 1, 1], \"grid\": [1, "
        "1, "
        "1]}}], "
        "\"colliders\": [{\"kind\": \"sphere\", \"radius\": 1, \"keys\": [{\"time\": 0, \"place\": "
        "[0, "
        "0, 0]}]}, {\"kind\": \"mesh\", \"file\": \"ring.obj\"}], \"attachments\": [{\"body\": "
        "\"block\", \"vertex\": 0}], \"probes\": [{\"name\": \"p\", \"body\": \"block\", "
        "\"vertex\": "
        "1}], \"outputs\": {\"cache\": \"a.pc2\"}}";
    failEvery(readAndFree, text, 0);
}

static void failingMemoryWhileBuildingIsSurvived(void)
{
    static const char text[] = HEAD
        "\"bodies\": [{\"name\": \"block\", \"box\": {\"size\": [1, 1, 1], \"cells\": [1, 1, 1]}, "
        "\"quadrature\": 1}], \"colliders\": [{\"kind\": \"container\", \"size\": [3, 3, 3]}], "
        "\"attachments\": [{\"body\": \"block\", \"vertex\": 0}]}";
    snContext plain = snDefaultContext();
    snSceneFile s;
    CHECK(readScene(&s, text, &plain, NULL) == SN_OK);
    bool built = false;
    for (int n = 1; n < 4000 && !built; n++) {
        snContext context = plain;
        snFailingMemory memory = {.failAtWay = n};
        snTest_UseFailingMemory(&context, &memory);
        snStage stage;
        snStatus status = snSceneFile_Build(&s, &stage, &context, NULL);
        built = status == SN_OK;
        CHECK(built || status == SN_ERROR_MEMORY);
        if (built) snStage_Destroy(&stage);
        CHECK(memory.alive == 0);
    }
    CHECK(built);
    snSceneFile_Destroy(&s);
}

int main(void)
{
    RUN(fullScenesAreRead);
    RUN(solversAreRead);
    RUN(materialsAreLoaded);
    RUN(polynomialBodiesAreRead);
    RUN(shapesAreMade);
    RUN(littleIsNeeded);
    RUN(meshInItsLattice);
    RUN(whatIsWrongIsNamed);
    RUN(whatCannotBeBuiltIsNamed);
    RUN(failingMemoryIsSurvived);
    RUN(failingMemoryWhileBuildingIsSurvived);
    return snTest_Finish();
}
