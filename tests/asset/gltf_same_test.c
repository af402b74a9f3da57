// One character written in many ways: quantised, with eight influences, with other skins, nodes and
// units. However a file says it, the surface in a pose is the same, or the same mirrored and scaled.
#include "tests/asset/gltf_text.h"
#include "tests/test.h"

#define COUNT 12 // vertices: two columns of six

// What may differ between files.
typedef struct Way {
    const char *name;
    const char *outer;    // transform of a node above all
    const char *meshNode; // members of the skinned node
    int type;             // of positions: 5126, or integers of KHR_mesh_quantization
    bool normalized;
    double step, corner[3]; // place = corner + step * stored number
    bool eight, reversed;   // eight influences; joints of the skin in the other order
    double weight;          // all weights times this
    bool twoMeshes;         // the upper half is another mesh that shares the skin
    bool ownSkin;           // with a skin of its own
    bool noInverse;         // inverse binds left out, and vertices in the space of the joint
} Way;

static snVec3 place(int v)
{
    return snVec(v % 2 ? 0.5 : -0.5, 0.4 * (v / 2), 0.1 * (v % 3));
}

static void putPositions(snBytes *bin, const Way *way)
{
    for (int v = 0; v < COUNT; v++) {
        snVec3 p = place(v);
        double x[3] = {p.x, p.y, p.z};
        for (int k = 0; k < 3; k++) {
            double stored = (x[k] - way->corner[k]) / way->step;
            int whole = (int)floor(stored + 0.5);
            if (way->type == 5126) snBytes_AppendF32(bin, (float)x[k]);
            if (way->type == 5122 || way->type == 5123) snBytes_AppendU16(bin, (uint16_t)whole);
            if (way->type == 5120 || way->type == 5121) snBytes_AppendByte(bin, (uint8_t)whole);
        }
        snBytes_Align(bin, 4, 0);
    }
}

static int top(const Way *way) // what a normalised number of the type is divided by
{
    return way->type == 5120 ? 127 : way->type == 5121 ? 255 : way->type == 5122 ? 32767 : 65535;
}

// Joint 0 is at the ground, joint 1 at (0, 1, 0), turned and scaled (2, 1, 1). Bind space is the
// world at rest, but for quantised numbers.
static void putInverses(snBytes *bin, const Way *way)
{
    double s = way->type == 5126 ? 1 : way->normalized ? way->step * top(way) : way->step;
    const double *c = way->corner;
    for (int k = 0; k < 2; k++) {
        bool upper = (k == 1) != way->reversed;
        // The inverse of T(0, 1, 0) S(2, 1, 1), times the way from stored numbers to places.
        double f = upper ? 0.5 : 1, down = upper ? -1 : 0;
        double m[16] = {f * s, 0, 0, 0, 0, s, 0, 0, 0, 0, s, 0, f * c[0], c[1] + down, c[2], 1};
        for (int i = 0; i < 16; i++)
            snBytes_AppendF32(bin, (float)m[i]);
    }
}

static void putInfluences(snBytes *bin, const Way *way, int set)
{
    for (int v = 0; v < COUNT; v++) // joints, as bytes
        for (int k = 0; k < 4; k++)
            snBytes_AppendByte(bin, (uint8_t)(k < 2 ? (k == 1) != way->reversed : 0));
    for (int v = 0; v < COUNT; v++) {
        double t = (double)(v / 2) / 5, share = way->eight ? (set ? 0.25 : 0.75) : 1;
        snBytes_AppendF32(bin, (float)(way->weight * share * (1 - t)));
        snBytes_AppendF32(bin, (float)(way->weight * share * t));
        snBytes_AppendF32(bin, 0);
        snBytes_AppendF32(bin, 0);
    }
}

// From 0 to 1 s joint 1 turns by a right angle about z.
static void putMotion(snBytes *bin)
{
    static const float numbers[10] = {0, 1, 0, 0, 0, 1, 0, 0, 0.70710678f, 0.70710678f};
    snBytes_AppendF32s(bin, numbers, 10);
}

static void write(const Way *way, snBytes *bin, char *json, size_t size)
{
    static const int quads[30] = {0, 1, 2, 2, 1, 3, 2, 3, 4, 4, 3, 5,  4,  5, 6,
                                  6, 5, 7, 6, 7, 8, 8, 7, 9, 8, 9, 10, 10, 9, 11};
    int size4 = way->type == 5126 ? 12 : way->type == 5122 || way->type == 5123 ? 8 : 4;
    int at[6], parts = way->twoMeshes ? 2 : 1;
    char text[2][600];
    at[0] = 0;
    putPositions(bin, way);
    at[1] = (int)bin->size;
    putInverses(bin, way);
    at[2] = (int)bin->size;
    putInfluences(bin, way, 0);
    at[3] = (int)bin->size;
    putInfluences(bin, way, 1);
    at[4] = (int)bin->size;
    putMotion(bin);
    at[5] = (int)bin->size;
    for (int i = 0; i < 30; i++)
        snBytes_AppendU16(bin, (uint16_t)quads[i]);
    const char *more = way->eight ? ",'JOINTS_1':4,'WEIGHTS_1':5" : "";
    for (int i = 0; i < 2; i++)
        snprintf(text[i], sizeof text[i],
                 "{'primitives':[{'attributes':{'POSITION':0,'JOINTS_0':2,'WEIGHTS_0':3%s},"
                 "'indices':%d}]}",
                 more, way->twoMeshes ? 8 + i : 10);
    const char *skin = way->noInverse  ? "{'joints':[1,2]}"
                       : way->reversed ? "{'joints':[2,1],'inverseBindMatrices':1}"
                                       : "{'joints':[1,2],'inverseBindMatrices':1}";
    snprintf(json, size,
             "{'asset':{'version':'2.0'},%s'scene':0,'scenes':[{'nodes':[0]}],"
             "'nodes':[{'children':[1,3,4]%s},{'name':'low','children':[2]},{'name':'up',"
             "'translation':[0,1,0],'scale':[2,1,1]},{'mesh':0,'skin':0%s},{%s}],"
             "'skins':[%s%s%s],'meshes':[%s%s%s],"
             "'animations':[{'channels':[{'sampler':0,'target':{'node':2,'path':'rotation'}}],"
             "'samplers':[{'input':6,'output':7}]}],'accessors':["
             "{'bufferView':0,'componentType':%d,'normalized':%s,'count':12,'type':'VEC3'},"
             "{'bufferView':1,'componentType':5126,'count':2,'type':'MAT4'},"
             "{'bufferView':2,'componentType':5121,'count':12,'type':'VEC4'},"
             "{'bufferView':2,'byteOffset':48,'componentType':5126,'count':12,'type':'VEC4'},"
             "{'bufferView':3,'componentType':5121,'count':12,'type':'VEC4'},"
             "{'bufferView':3,'byteOffset':48,'componentType':5126,'count':12,'type':'VEC4'},"
             "{'bufferView':4,'componentType':5126,'count':2,'type':'SCALAR'},"
             "{'bufferView':4,'byteOffset':8,'componentType':5126,'count':2,'type':'VEC4'},"
             "{'bufferView':5,'componentType':5123,'count':15,'type':'SCALAR'},"
             "{'bufferView':5,'byteOffset':30,'componentType':5123,'count':15,'type':'SCALAR'},"
             "{'bufferView':5,'componentType':5123,'count':30,'type':'SCALAR'}],"
             "'bufferViews':[{'buffer':0,'byteLength':%d,'byteStride':%d},"
             "{'buffer':0,'byteOffset':%d,'byteLength':128},"
             "{'buffer':0,'byteOffset':%d,'byteLength':240},"
             "{'buffer':0,'byteOffset':%d,'byteLength':240},"
             "{'buffer':0,'byteOffset':%d,'byteLength':40},"
             "{'buffer':0,'byteOffset':%d,'byteLength':60}],'buffers':[{'byteLength':%d}]}",
             way->type == 5126 ? "" : "'extensionsRequired':['KHR_mesh_quantization'],", way->outer,
             way->meshNode,
             parts == 2 ? (way->ownSkin ? "'mesh':1,'skin':1" : "'mesh':1,'skin':0") : "", skin,
             way->ownSkin ? "," : "", way->ownSkin ? skin : "", text[0], parts == 2 ? "," : "",
             parts == 2 ? text[1] : "", way->type, way->normalized ? "true" : "false", at[1], size4,
             at[1], at[2], at[3], at[4], at[5], (int)bin->size);
}

// What is not said of a way is as in most files.
static Way complete(Way way)
{
    if (!way.outer) way.outer = "";
    if (!way.meshNode) way.meshNode = "";
    if (!way.type) way.type = 5126;
    if (way.step == 0) way.step = 1;
    if (way.weight == 0) way.weight = 1;
    return way;
}

// All corners of all triangles at a time, in the order of the file.
static bool corners(const Way *way, double t, snVec3 out[30])
{
    static char json[4000];
    snContext context = snDefaultContext();
    snBytes bin = snMakeBytes(&context);
    snArena arena = snMakeArena(&context);
    snCharacter c;
    snError error = {0};
    snVec3f at[2 * COUNT];
    snPose pose;
    Way whole = complete(*way);
    write(&whole, &bin, json, sizeof json);
    bool right = CHECK(readGlb(&c, json, bin.data, bin.size, &error) == SN_OK);
    if (!right) printf("    %s: %s\n", way->name, error.message);
    if (right) {
        CHECK(snPose_Make(&pose, &c.skeleton, c.morphCount, &arena, NULL) == SN_OK);
        snCharacter_Pose(&c, &c.clips[0], t, &pose);
        snCharacter_Surface(&c, &pose, &context.tasks, at, NULL);
        int n = 0;
        for (int p = 0, first = 0; p < c.partCount; first += c.parts[p++].vertexCount)
            for (int k = 0; k < 3 * c.parts[p].triangleCount; k++)
                out[n++] = snFromF(at[first + c.parts[p].triangles[k]]);
        CHECK(n == 30);
        snCharacter_Destroy(&c);
    }
    snArena_Destroy(&arena);
    snBytes_Destroy(&bin);
    return right;
}

static const Way plain = {.name = "plain"};

// The plain surface itself, against skinning by hand.
static void thePlainOneIsRight(void)
{
    snVec3 at[30];
    if (!corners(&plain, 1, at)) return;
    // Vertex 11, the last corner, hangs on joint 1 alone: in its space it is (0.25, 1, 0.2); scaled
    // (0.5, 1, 0.2), turned (-1, 0.5, 0.2), and one up.
    CHECK_NEAR(at[29].x, -1, 1e-6);
    CHECK_NEAR(at[29].y, 1.5, 1e-6);
    CHECK_NEAR(at[29].z, 0.2, 1e-6);
    // Vertex 4 hangs on it by 2/5: (-0.5, 0.8, 0.1) and (0.2, 0.5, 0.1) mixed.
    CHECK_NEAR(at[8].x, 0.6 * -0.5 + 0.4 * 0.2, 1e-6);
    CHECK_NEAR(at[8].y, 0.6 * 0.8 + 0.4 * 0.5, 1e-6);
}

static void everyWayIsTheSame(void)
{
    static const Way ways[] = {
        {"a skinned node that is anywhere",
         .meshNode = ",'translation':[7,8,9],'rotation':[0.6,0,0,0.8],'scale':[-3,2,5]"},
        {"ushort, normalised", .type = 5123, .normalized = true, .step = 2.5 / 65535,
         .corner = {-0.5, 0, 0}},
        {"ushort", .type = 5123, .step = 1e-4, .corner = {-0.5, 0, 0}},
        {"short, normalised", .type = 5122, .normalized = true, .step = 2.5 / 32767,
         .corner = {0.1, 0.3, 0}},
        {"short", .type = 5122, .step = 1e-4, .corner = {0, 1, 0.1}},
        {"byte", .type = 5120, .step = 0.02, .corner = {0, 1, 0}},
        {"byte, normalised", .type = 5120, .normalized = true, .step = 0.1, .corner = {0, 1, 0}},
        {"ubyte", .type = 5121, .step = 0.1, .corner = {-0.5, 0, 0}},
        {"ubyte, normalised", .type = 5121, .normalized = true, .step = 0.05,
         .corner = {-0.5, 0, 0}},
        {"eight influences", .eight = true},
        {"weights with a sum of 3", .weight = 3},
        {"eight influences with a sum of a half", .eight = true, .weight = 0.5},
        {"joints in another order", .reversed = true},
        {"two meshes that share a skin", .twoMeshes = true},
        {"two meshes with a skin each", .twoMeshes = true, .ownSkin = true},
        {"much of it at once", .meshNode = ",'scale':[0,0,0]", .type = 5122, .step = 1e-4,
         .corner = {0, 1, 0}, .eight = true, .reversed = true, .weight = 2, .twoMeshes = true,
         .ownSkin = true},
    };
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        for (int k = 0; k <= 3; k++) {
            snVec3 expected[30], found[30];
            if (!corners(&plain, k / 3.0, expected) || !corners(&ways[i], k / 3.0, found)) break;
            double worst = 0;
            for (int c = 0; c < 30; c++)
                worst = fmax(worst, snDistance(expected[c], found[c]));
            if (!CHECK(worst < (ways[i].type ? 2e-4 : 1e-6)))
                printf("    %s: off by %g at %g s\n", ways[i].name, worst, k / 3.0);
        }
}

// Transforms above the skeleton move, scale and mirror all of it.
static void nodesAboveMoveAll(void)
{
    static const struct {
        Way way;
        double x, y, z; // factors
    } cases[] = {
        {{"centimetres", .outer = ",'scale':[100,100,100]"}, 100, 100, 100},
        {{"mirrored", .outer = ",'scale':[-1,1,1]"}, -1, 1, 1},
        {{"inside out", .outer = ",'scale':[-0.01,-0.01,-0.01]"}, -0.01, -0.01, -0.01},
        {{"unlike", .outer = ",'matrix':[2,0,0,0,0,3,0,0,0,0,-5,0,0,0,0,1]"}, 2, 3, -5},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snVec3 expected[30], found[30];
        if (!corners(&plain, 0.7, expected) || !corners(&cases[i].way, 0.7, found)) continue;
        for (int c = 0; c < 30; c++) {
            snVec3 e = {cases[i].x * expected[c].x, cases[i].y * expected[c].y,
                        cases[i].z * expected[c].z};
            CHECK_NEAR(snDistance(e, found[c]) / fabs(cases[i].x), 0, 1e-5);
        }
    }
}

// Without inverse binds, vertices are in the space of their joints.
static void missingInverseBinds(void)
{
    Way way = plain;
    snVec3 at[30];
    way.noInverse = true;
    if (!corners(&way, 0, at)) return;
    snVec3 p = place(11); // on joint 1 alone
    CHECK_NEAR(snDistance(at[29], snVec(2 * p.x, p.y + 1, p.z)), 0, 1e-6);
    CHECK_NEAR(snDistance(at[0], place(0)), 0, 1e-6);
}

int main(void)
{
    RUN(thePlainOneIsRight);
    RUN(everyWayIsTheSame);
    RUN(nodesAboveMoveAll);
    RUN(missingInverseBinds);
    return snTest_Finish();
}
