// Keys one by one: what a key says changes what happens, and a value out of range is refused with the path of the key.
#include "tests/scene/sources.h"

typedef struct Key {
    const char *one,
        *other; // values, which end otherwise; NULL: it takes more to see than this scene has
    const char *bad, *path;
} Key;

// A scene around a list of keys, and the steps after which what they did is seen.
typedef struct Group {
    const char *name, *begin, *end;
    int steps, count;
    const Key *keys;
    const char *coat; // where these are keys of a document: the scene that has it
} Group;

// The scene; a document that it needs is written on the way.
static void write(char *text, size_t size, const Group *g, const char *keys)
{
    snprintf(text, size, HEAD "\"stepsPerSecond\": 120, %s%s%s", g->coat ? g->coat : g->begin,
             g->coat ? "" : keys, g->coat ? "" : g->end);
    snprintf(keyed, sizeof keyed, "%s%s%s", g->begin, keys, g->end);
}

// The hash of the world some steps later; 0 where it is refused.
static uint64_t play(const Group *g, const char *keys)
{
    char text[2000];
    snContext context = snDefaultContext();
    snSceneFile scene;
    snStage stage;
    snError error = {0};
    uint64_t hash = 0;
    write(text, sizeof text, g, keys);
    snStatus status = readScene(&scene, text, &context, &error);
    bool read = !status;
    if (!status) status = snSceneFile_Build(&scene, &stage, &context, &error);
    if (CHECK(status == SN_OK)) {
        for (int k = 0; k < g->steps; k++)
            snWorld_Step(stage.world);
        hash = snWorld_Hash(stage.world);
        snStage_Destroy(&stage);
    } else {
        printf("    %s: %s: %s\n", g->name, keys, error.message);
    }
    if (read) snSceneFile_Destroy(&scene);
    return hash;
}

static void refuse(const Group *g, const Key *key)
{
    char text[2000];
    snContext context = snDefaultContext();
    snSceneFile scene;
    snError error = {0};
    write(text, sizeof text, g, key->bad);
    snStatus status = readScene(&scene, text, &context, &error);
    if (!CHECK(status && !strncmp(error.message, key->path, strlen(key->path))))
        printf("    %s: %s: \"%s\"\n", g->name, key->bad, error.message);
    if (!status) snSceneFile_Destroy(&scene);
}

static void tryAll(const Group *g)
{
    for (int i = 0; i < g->count; i++) {
        const Key *key = &g->keys[i];
        if (key->bad) refuse(g, key);
        if (!key->other) {
            play(g, key->one);
            continue;
        }
        uint64_t one = play(g, key->one), other = play(g, key->other);
        if (!CHECK(one != other)) printf("    %s: %s does nothing\n", g->name, key->other);
        if (i == 0) CHECK(play(g, key->one) == one); // and nothing else does
    }
}

#define COUNT(list) (int)(sizeof list / sizeof *list)
#define FLOOR ", \"colliders\": [{\"kind\": \"floor\", \"friction\": 0.5}]}"

// What is said of the whole: two blocks, one of which comes down on the other.
static void worlds(void)
{
    static const Key keys[] = {
        {"", ", \"gravity\": [0, -1, 0]", ", \"gravity\": [0, 1]", "gravity: must be"},
        {", \"gravity\": [[0, [0, -1, 0]], [1, [0, -1, 0]]]",
         ", \"gravity\": [[0, [0, -1, 0]], [1, [0, -9, 0]]]", ", \"gravity\": 3", "gravity: "},
        {", \"planar\": false", ", \"planar\": true", ", \"planar\": 1", "planar: "},
        {", \"bodiesTouch\": true", ", \"bodiesTouch\": false", ", \"bodiesTouch\": 1",
         "bodiesTouch: "},
        {", \"duration\": \"2 s\"", NULL, ", \"duration\": -1", "duration: is -1"},
        {", \"frameRate\": 50", NULL, ", \"frameRate\": 0", "frameRate: is 0"},
        {", \"stepLengths\": [1, 3, 9]", NULL, ", \"stepLengths\": [2, 4]", "stepLengths"},
        {"", NULL, ", \"step\": 0.01", "stepsPerSecond: and"}, // which there is
    };
    const Group g = {
        "world",
        "\"bodies\": [{\"name\": \"a\", \"box\": {\"size\": [0.2, 0.2, 0.2], \"cells\": "
        "[1, 1, 1]}, \"place\": [0, 0.11, 0]}, {\"name\": \"b\", \"box\": {\"size\": [0.2, "
        "0.2, 0.2], \"cells\": [1, 1, 1]}, \"place\": [0.02, 0.34, 0.03], \"velocity\": "
        "[0, -2, 0], \"spin\": [90, 20, 0]}], \"colliders\": [{\"kind\": \"floor\"}]",
        "}",
        12,
        COUNT(keys),
        keys,
        NULL};
    tryAll(&g);
}

// A block that comes down on a corner, turning.
static void solids(void)
{
#define AT "bodies[0]."
#define MATERIAL(key) "\"material\": {" key "}"
#define SOLVER(key) "\"solver\": {" key "}"
#define CONTACT(key) "\"contact\": {" key "}"
    static const Key keys[] = {
        {MATERIAL("\"young\": 2e4"), MATERIAL("\"young\": 4e4"), MATERIAL("\"young\": -1"),
         AT "material.young: is -1"},
        {MATERIAL("\"poisson\": 0.2"), MATERIAL("\"poisson\": 0.4"), MATERIAL("\"poisson\": 0.5"),
         AT "material.poisson: is 0.5"},
        {MATERIAL("\"density\": 500"), MATERIAL("\"density\": 1000"), MATERIAL("\"density\": 0"),
         AT "material.density: is 0"},
        {MATERIAL("\"damping\": 0"), MATERIAL("\"damping\": \"50 ms\""),
         MATERIAL("\"damping\": 11"), AT "material.damping: is 11"},
        {MATERIAL("\"drag\": 0"), MATERIAL("\"drag\": 5"), MATERIAL("\"drag\": 1001"),
         AT "material.drag: is 1001"},
        {MATERIAL("\"energyDamping\": 0"), MATERIAL("\"energyDamping\": 0.5"),
         MATERIAL("\"energyDamping\": -1"), AT "material.energyDamping: is -1"},
        {MATERIAL("\"energy\": \"corotated\""), MATERIAL("\"energy\": \"neo-hookean\""),
         MATERIAL("\"energy\": \"hooke\""), AT "material.energy: "},
        {MATERIAL("\"rigidity\": 1e4"), MATERIAL("\"rigidity\": 1e4, \"volume\": 1e5"),
         MATERIAL("\"rigidity\": -1"), AT "material.rigidity: is -1"},
        {SOLVER("\"kind\": \"projective\""), SOLVER("\"kind\": \"newton\""),
         SOLVER("\"kind\": \"euler\""), AT "solver.kind: "},
        {SOLVER("\"iterations\": 2"), SOLVER("\"iterations\": 9"), SOLVER("\"iterations\": 101"),
         AT "solver.iterations: 101"},
        {SOLVER("\"precision\": \"double\""), SOLVER("\"precision\": \"single\""),
         SOLVER("\"precision\": \"half\""), AT "solver.precision: "},
        {SOLVER("\"integrator\": \"euler\"") ", \"contact\": false",
         SOLVER("\"integrator\": \"midpoint\"") ", \"contact\": false",
         SOLVER("\"integrator\": \"trapezoid\""), AT "solver.integrator: "},
        {CONTACT("\"friction\": 0"), CONTACT("\"friction\": 1"), CONTACT("\"friction\": 101"),
         AT "contact.friction: is 101"},
        {CONTACT("\"restitution\": 0"), CONTACT("\"restitution\": 1"),
         CONTACT("\"restitution\": 2"), AT "contact.restitution: is 2"},
        {CONTACT("\"iterations\": 1"), CONTACT("\"iterations\": 30"), CONTACT("\"iterations\": 0"),
         AT "contact.iterations: 0"},
        {CONTACT("\"thickness\": 0.001"), CONTACT("\"thickness\": 0.01"),
         CONTACT("\"thickness\": -1"), AT "contact.thickness: is -1"},
        {CONTACT("\"reach\": 0.05"), NULL, CONTACT("\"reach\": -1"), AT "contact.reach: is -1"},
        {CONTACT("\"self\": false"), NULL, CONTACT("\"self\": 3"), AT "contact.self: "},
        {CONTACT("\"soft\": false"), CONTACT("\"soft\": true"), CONTACT("\"soft\": 1"),
         AT "contact.soft: "},
        {CONTACT("\"soft\": true, \"firmness\": 1"), CONTACT("\"soft\": true, \"firmness\": 16"),
         CONTACT("\"soft\": true, \"firmness\": 0"), AT "contact.firmness: is 0"},
        {"\"quadrature\": 1", "\"quadrature\": 2", "\"quadrature\": 7", AT "quadrature: 7"},
        {"\"scheme\": \"maccracken-joy\", \"levels\": 0",
         "\"scheme\": \"maccracken-joy\", \"levels\": 1", "\"levels\": 5", AT "levels: 5"},
        {"\"scheme\": \"trilinear\"", "\"scheme\": \"maccracken-joy\"", "\"scheme\": \"cubic\"",
         AT "scheme: "},
        {"\"stiffness\": [[0, 1]]", "\"stiffness\": [[0, 4]]", "\"stiffness\": [[0, 0]]",
         AT "stiffness"},
        {"\"color\": \"#ff0000\"", NULL, "\"color\": \"red\"", AT "color: "},
    };
#undef AT
    const Group g = {
        "solid",
        "\"bodies\": [{\"name\": \"a\", \"box\": {\"size\": [0.2, 0.2, 0.2], \"cells\": "
        "[2, 1, 1]}, \"place\": [0, 0.19, 0], \"rotation\": {\"axis\": [1, 0, 1], "
        "\"angle\": 45}, \"velocity\": [0.5, -3, 0], \"spin\": [0, 200, 0], ",
        "}]" FLOOR,
        12,
        COUNT(keys),
        keys,
        NULL};
    tryAll(&g);
}

static void adaptiveBodies(void)
{
#define AT "bodies[0].adaptive"
    static const Key keys[] = {
        {"\"error\": 0.5", "\"error\": 0.001", "\"error\": 2", AT ".error: is 2"},
        {"\"refine\": 2, \"coarsen\": 0", "\"refine\": 0.005, \"coarsen\": 0", "\"refine\": 11",
         AT ".refine: is 11"},
        {"\"refine\": 0.02, \"coarsen\": 0, \"every\": 1",
         "\"refine\": 0.02, \"coarsen\": 0.02, \"every\": 1", "\"coarsen\": -1",
         AT ".coarsen: is -1"},
        {"\"functions\": 2", "\"functions\": 100", "\"functions\": 0", AT ".functions: 0 is"},
        {"\"refine\": 0.005, \"coarsen\": 0, \"every\": 1",
         "\"refine\": 0.005, \"coarsen\": 0, \"every\": 40", "\"every\": 1001",
         AT ".every: 1001 is"},
        {"\"refine\": 0.2", NULL, "\"refine\": 0.1, \"coarsen\": 0.2", AT ": \"coarsen\" must not"},
        {"\"refine\": 0.2", NULL, "\"refine\": 0.1, \"error\": 0.2", AT ": has an \"error\""},
    };
#undef AT
    const Group g = {"adaptive",
                     "\"bodies\": [{\"name\": \"a\", \"box\": {\"size\": [0.6, 0.1, 0.1], "
                     "\"cells\": [3, 1, 1]}, \"scheme\": \"maccracken-joy\", \"levels\": 1, "
                     "\"quadrature\": 2, \"material\": {\"young\": 2e4, \"damping\": \"100 ms\"}, "
                     "\"adaptive\": {",
                     "}}], \"attachments\": [{\"body\": \"a\", \"within\": {\"upper\": [-0.28, 1, "
                     "1]}, \"until\": \"0.1 s\"}]}",
                     60,
                     COUNT(keys),
                     keys,
                     NULL};
    tryAll(&g);
}

static void air(void)
{
    static const Key keys[] = {
        {"\"density\": 1.2", "\"density\": 2.4", "\"density\": -1", "air.density: is -1"},
        {"\"drag\": 0.5", "\"drag\": 1", "\"drag\": 101", "air.drag: is 101"},
    };
    const Group g = {
        "air",       "\"bodies\": [" BLOCK "], \"fields\": [{\"wind\": [6, 0, 0]}], \"air\": {",
        "}}",        4,
        COUNT(keys), keys,
        NULL};
    tryAll(&g);
}

static void sleepers(void)
{
    static const Key keys[] = {
        {"\"still\": 0", "\"still\": 0.5", "\"still\": 2", "sleep.still: is 2"},
        {"\"still\": 0.5, \"after\": 0.02", "\"still\": 0.5, \"after\": 9", "\"after\": 0",
         "sleep.after: is 0"},
    };
    const Group g = {
        "sleep",
        "\"bodies\": [{\"name\": \"b\", \"box\": {\"size\": [0.3, 0.2, 0.2], \"cells\": "
        "[1, 1, 1]}, \"place\": [0, 0.1, 0]}], \"sleep\": {",
        "}" FLOOR,
        30,
        COUNT(keys),
        keys,
        NULL};
    tryAll(&g);
}

// Two chains of links that come down turning.
static void coats(void)
{
#define AT "bodies[0].coat."
    static const Key keys[] = {
        {", \"fixed\": false", ", \"fixed\": true", ", \"fixed\": 1", AT "fixed: "},
        {", \"posture\": 0", ", \"posture\": 4", ", \"posture\": 101", AT "posture: is 101"},
        {", \"damping\": 1", ", \"damping\": 9", ", \"damping\": -1", AT "damping: is -1"},
        {", \"twist\": 0.1", ", \"twist\": 1", ", \"twist\": 200", AT "twist: is 3.49"},
        {", \"friction\": 0", ", \"friction\": 1", ", \"friction\": 11", AT "friction: is 11"},
        {", \"dissipation\": 0", ", \"dissipation\": \"50 ms\"", ", \"dissipation\": -1",
         AT "dissipation: is -1"},
        {", \"substeps\": 1", ", \"substeps\": 5", ", \"substeps\": 65", AT "substeps: 65 is"},
        {", \"self\": true", NULL, ", \"self\": 3", AT "self: "},
    };
#undef AT
    const Group g = {
        "coat",
        "\"bodies\": [{\"name\": \"skittle\", \"coat\": {\"file\": "
        "\"skittle.coat.json\"",
        "}, \"place\": [0, 0.13, 0], \"rotation\": {\"axis\": [1, 0, 0.2], \"angle\": "
        "80}, \"velocity\": [0.5, -2, 0], \"spin\": [\"1 turn\", 200, \"2 turn\"]}]" FLOOR,
        30,
        COUNT(keys),
        keys,
        NULL};
    tryAll(&g);
}

// Keys of the documents themselves: of all flesh, and of what is proposed round a skeleton.
static void coatDocuments(void)
{
#define AT "bodies[0].coat.file: "
#define PROPAGATES(keys) "\"propagation\": {" keys "}"
#define FLOWS(keys) "\"plasticity\": {" keys "}"
    static const Key flesh[] = {
        {"\"young\": 3e4", "\"young\": 6e4", "\"young\": 0", AT "flesh.young: "},
        {"\"density\": 1000", "\"density\": 500", "\"density\": 0", AT "flesh.density: "},
        {"\"damping\": 0.25", "\"damping\": 1", "\"damping\": -1", AT "flesh.damping: "},
        {"\"reach\": 1", "\"reach\": 2", "\"reach\": 0", AT "flesh.reach: "},
        {"\"printed\": false", "\"printed\": true", "\"printed\": 1", AT "flesh.printed"},
        {PROPAGATES("\"mode\": \"geometric\""), PROPAGATES("\"mode\": \"nothing\""),
         PROPAGATES("\"mode\": \"none\""), AT "flesh.propagation.mode: "},
        {PROPAGATES("\"area\": 0"), PROPAGATES("\"area\": 1"), PROPAGATES("\"area\": 2"),
         AT "flesh.propagation.area: "},
        {PROPAGATES("\"mode\": \"intuitive\", \"share\": 0.1"),
         PROPAGATES("\"mode\": \"intuitive\", \"share\": 0.5"), PROPAGATES("\"share\": 2"),
         AT "flesh.propagation.share: "},
        {PROPAGATES("\"direction\": 0"), PROPAGATES("\"direction\": 1"),
         PROPAGATES("\"direction\": 2"), AT "flesh.propagation.direction: "},
        {FLOWS("\"yield\": 0"), FLOWS("\"yield\": 0.001, \"flow\": 50, \"most\": 0.5"),
         FLOWS("\"yield\": 2"), AT "flesh.plasticity.yield: "},
        {FLOWS("\"yield\": 0.001, \"flow\": 50, \"most\": 0.5"),
         FLOWS("\"yield\": 0.001, \"flow\": 5, \"most\": 0.5"), FLOWS("\"flow\": -1"),
         AT "flesh.plasticity.flow: "},
        {FLOWS("\"yield\": 0.001, \"flow\": 50, \"most\": 0.5"),
         FLOWS("\"yield\": 0.001, \"flow\": 50, \"most\": 0.001"), FLOWS("\"most\": 1"),
         AT "flesh.plasticity.most: "},
    };
    static const Key skin[] = {
        {"\"along\": 4", "\"along\": 5", "\"along\": 1", AT "skin.along: "},
        {"\"round\": 8", "\"round\": 9", "\"round\": 2", AT "skin.round: "},
        {"\"thickness\": 1", "\"thickness\": 1.2", "\"thickness\": 0", AT "skin.thickness: "},
        {"\"spacing\": 0.3", "\"spacing\": 0.5", "\"spacing\": 11", AT "skin.spacing: "},
        {"\"bulge\": 0.08", "\"bulge\": 0.2", "\"bulge\": -1", AT "skin.bulge: "},
        {"\"spread\": 0", "\"spread\": 1", "\"spread\": 2", AT "skin.spread: "},
        {"\"fine\": [3, 3]", NULL, "\"fine\": [0, 3]", AT "skin.fine: "}, // of what is drawn
        {"\"spline\": \"beta\", \"tension\": 4, \"bias\": 1.5", NULL, "\"spline\": \"c\"",
         AT "skin.spline: "},
        {"\"spline\": \"kochanek-bartels\", \"continuity\": 0.5", NULL, "\"continuity\": 2",
         AT "skin.continuity: "},
    };
#undef AT
#define DOCUMENT                                                                                   \
    "{\"sinew\": \"coat\", \"version\": 1, \"skeleton\": [{\"name\": \"a\", \"at\": [0, 0, 0]}, "  \
    "{\"name\": \"b\", \"parent\": \"a\", \"at\": [0.2, 0, 0]}, {\"name\": \"c\", \"parent\": "    \
    "\"b\", \"at\": [0.2, 0, 0]}], "
    static const char scene[] =
        "\"bodies\": [{\"name\": \"c\", \"coat\": {\"file\": \"keyed.coat.json\"}, \"place\": [0, "
        "0.13, 0], \"velocity\": [0.5, -2, 0]}]" FLOOR;
    const Group ofFlesh = {"flesh", DOCUMENT "\"flesh\": {", "}}", 20, COUNT(flesh), flesh, scene};
    const Group ofSkin = {"skin", DOCUMENT "\"skin\": {", "}}", 20, COUNT(skin), skin, scene};
    tryAll(&ofFlesh);
    tryAll(&ofSkin);
}

static void skins(void)
{
#define AT "bodies[1].skin."
    static const Key keys[] = {
        {", \"cell\": \"10 cm\"", ", \"cell\": \"8 cm\"", ", \"cell\": -1", AT "cell: is -1"},
        {", \"fat\": 0.002", ", \"fat\": 0.006", ", \"fat\": -1", AT "fat: is -1"},
        {", \"mass\": 2", ", \"mass\": 3", ", \"mass\": 0", AT "mass: is 0"},
        {", \"elasticity\": 50", ", \"elasticity\": 200", ", \"elasticity\": -1",
         AT "elasticity: is -1"},
        {", \"tightness\": 0", ", \"tightness\": 0.2", ", \"tightness\": 1", AT "tightness: is 1"},
        {", \"damping\": 2", ", \"damping\": 8", ", \"damping\": -1", AT "damping: is -1"},
        {", \"stiffness\": 2e4", ", \"stiffness\": 3e3", ", \"stiffness\": -1",
         AT "stiffness: is -1"},
        {", \"bandDamping\": 20", ", \"bandDamping\": 200", ", \"bandDamping\": -1",
         AT "bandDamping: is -1"},
        {", \"integrator\": \"verlet\"", ", \"integrator\": \"rk4\"", ", \"integrator\": \"rk3\"",
         AT "integrator: is \"rk3\""},
        {", \"presses\": true", ", \"presses\": false", ", \"presses\": 2", AT "presses: "},
        {", \"self\": true", NULL, ", \"self\": 2", AT "self: "},
        {", \"smooth\": 0", NULL, ", \"smooth\": 5", AT "smooth: 5 is"}, // of what is drawn
        {"", NULL, ", \"over\": \"a\"", "bodies[1].skin: \"over\" is there twice"},
    };
#undef AT
    const Group g = {
        "skin",
        "\"bodies\": [{\"name\": \"a\", \"box\": {\"size\": [0.3, 0.2, 0.2], \"cells\": "
        "[2, 1, 1]}, \"quadrature\": 1, \"material\": {\"young\": 2e4}, \"spin\": [0, "
        "0, 400]}, {\"name\": \"skin\", \"skin\": {\"over\": \"a\"",
        "}}]}",
        12,
        COUNT(keys),
        keys,
        NULL};
    tryAll(&g);
}

static void layeredCharacters(void)
{
#define AT "bodies[0].layered."
    static const Key keys[] = {
        {", \"resolution\": [6, 8]", ", \"resolution\": [6, 9]", ", \"resolution\": [1, 9]",
         AT "resolution[0]: 1 is"},
        {", \"resolution\": \"design\"", ", \"resolution\": \"final\"",
         ", \"resolution\": \"fine\"", AT "resolution: is \"fine\""},
        {", \"integrator\": \"verlet\"", ", \"integrator\": \"euler\"", ", \"integrator\": \"rk3\"",
         AT "integrator: is \"rk3\""},
        {", \"settle\": 0", ", \"settle\": \"50 ms\"", ", \"settle\": 61", AT "settle: is 61"},
        {", \"loop\": false", ", \"loop\": true", ", \"loop\": 1", AT "loop: "},
        {", \"self\": true", NULL, ", \"self\": 1", AT "self: "},
        {", \"smooth\": 0", NULL, ", \"smooth\": 5", AT "smooth: 5 is"},
    };
#undef AT
    const Group g = {
        "layered",   "\"bodies\": [{\"name\": \"ball\", \"layered\": {\"file\": \"grids.txt\"",
        "}}]}",      8,
        COUNT(keys), keys,
        NULL};
    tryAll(&g);
}

static int pointsAt(const char *resolution)
{
    char text[300];
    snContext context = snDefaultContext();
    snSceneFile s;
    snError error = {0};
    int count = 0;
    snprintf(text, sizeof text,
             HEAD "\"bodies\": [{\"name\": \"ball\", \"layered\": {\"file\": \"grids.txt\"%s}}]}",
             resolution);
    if (CHECK(readScene(&s, text, &context, &error) == SN_OK)) {
        count = snLayered_Count(&s.bodies[0].layered->editor.layered, SN_TABLE_POINTS);
        snSceneFile_Destroy(&s);
    } else {
        printf("    %s\n", error.message);
    }
    return count;
}

// As it was made, with the rows and columns for designing; for those, and for the final ones.
static void gridsOfCharacters(void)
{
    CHECK(pointsAt("") == 5 * 7);
    CHECK(pointsAt(", \"resolution\": [8, 9]") == 8 * 9);
    CHECK(pointsAt(", \"resolution\": \"design\"") == 5 * 7);
    CHECK(pointsAt(", \"resolution\": \"final\"") == 6 * 9);
}

static int levelsOf(const char *detail)
{
    char text[400];
    snSceneFile s;
    snStage stage;
    int levels = 0;
    snprintf(text, sizeof text,
             HEAD "\"bodies\": [{\"name\": \"a\", \"box\": {\"size\": [1, 1, 1], \"cells\": [1, 1, "
                  "1]}%s}]}",
             detail);
    if (makeStage(text, &s, &stage)) {
        levels = stage.world->bodies.data[0]->levelCount;
        snStage_Destroy(&stage);
        snSceneFile_Destroy(&s);
    }
    return levels;
}

static void detailMakesLevels(void)
{
    static const Key key = {"", NULL, ", \"detail\": 2", "bodies[0].detail: "};
    const Group g = {"detail",
                     "\"bodies\": [{\"name\": \"a\", \"box\": {\"size\": [1, 1, 1], \"cells\": [1, "
                     "1, 1]}",
                     "}]}",
                     1,
                     1,
                     &key,
                     NULL};
    tryAll(&g);
    CHECK(levelsOf("") <= 1 && levelsOf(", \"detail\": false") <= 1);
    CHECK(levelsOf(", \"detail\": true") == 2);
}

int main(void)
{
    RUN(worlds);
    RUN(solids);
    RUN(adaptiveBodies);
    RUN(air);
    RUN(sleepers);
    RUN(coats);
    RUN(coatDocuments);
    RUN(detailMakesLevels);
    RUN(skins);
    RUN(layeredCharacters);
    RUN(gridsOfCharacters);
    return snTest_Finish();
}
