// Morph targets for a small made character with a made motion: morph targets that the file has
// already, mirrored and scaled joints, quantised positions, STEP keys; positions and normals as a player
// shows them, in frames and between them.
#include "asset/gltf_document.h"
#include "asset/gltf_glb.h"
#include "asset/json_edit.h"
#include "bake/soft.h"
#include "tests/bake/made.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// A bend, a twist and a bulge, in world space.
static snVec3 softOffset(const Made *m, const snPose *pose, int v, double t)
{
    (void)pose;
    double a = 0.21 * (v % MAKE_VERTICES), s = m->swing; // parts that lie in each other move alike
    return snVec(0.20 * s * sin(5 * t) * sin(0.1 * a) + 0.05 * s * cos(9 * t) * cos(a),
                 0.08 * s * sin(7 * t + 1) * cos(0.7 * a), 0.15 * s * cos(5 * t) * sin(0.3 * a));
}

// ---- what a player shows ----

typedef struct Shown {
    double position; // largest distance, of the height
    double normal;   // mean angle, degrees
    double far;      // share of angles above 5 degrees
    double before;   // mean angle of the rig's normals, uncorrected
} Shown;

static snVec3 turned(const Made *m, const snVec3f *rig, const snVec3f *soft, snVec3f normal, int v)
{
    snVec3 sums[2] = {{0, 0, 0}, {0, 0, 0}};
    int first = 0, p = 0;
    while (v >= first + m->character.parts[p].vertexCount)
        first += m->character.parts[p++].vertexCount;
    const snPart *part = &m->character.parts[p];
    for (int t = 0; t < part->triangleCount; t++) {
        const int *corner = part->triangles + 3 * t;
        if (corner[0] + first != v && corner[1] + first != v && corner[2] + first != v) continue;
        for (int s = 0; s < 2; s++) {
            const snVec3f *x = (s ? soft : rig) + first;
            snVec3 a = snFromF(x[corner[0]]);
            sums[s] = snAdd(
                sums[s], snCross(snSub(snFromF(x[corner[1]]), a), snSub(snFromF(x[corner[2]]), a)));
        }
    }
    snVec3 x = snVec(1, 0, 0);
    return snRotate(snQuatBetween(snNormalizeOr(sums[0], x), snNormalizeOr(sums[1], x)),
                    snFromF(normal));
}

static double angle(snVec3 a, snVec3 b)
{
    double c = snDot(a, b) / (snLength(a) * snLength(b) + 1e-300);
    return acos(fmin(1, fmax(-1, c))) * 180 / 3.14159265358979;
}

static void playSample(const Made *m, const snCharacter *again, double frame, snArena *arena,
                       Shown *shown)
{
    const snCharacter *c = &m->character;
    size_t n = (size_t)c->vertexCount;
    double t = snBakedClip_Time(&m->clip, frame);
    snVec3f *x[6];
    snPose pose, own;
    for (int i = 0; i < 6; i++)
        x[i] = SN_NEW(arena, snVec3f, n);
    CHECK(snPose_Make(&pose, &again->skeleton, again->morphCount, arena, NULL) == SN_OK);
    CHECK(snPose_Make(&own, &c->skeleton, c->morphCount, arena, NULL) == SN_OK);
    snCharacter_Pose(again, &again->clips[again->clipCount - 1], t, &pose);
    snCharacter_Surface(again, &pose, &m->context.tasks, x[0], x[1]);
    snCharacter_Pose(c, &c->clips[0], t, &own);
    snCharacter_Surface(c, &own, &m->context.tasks, x[2], x[3]);
    bool middle = frame != floor(frame);
    memcpy(x[4], (middle ? m->clip.middles : m->clip.positions) + (size_t)frame * n,
           n * sizeof *x[4]);
    for (int v = 0; v < c->vertexCount; v++) {
        snVec3 wanted = turned(m, x[2], x[4], x[3][v], v);
        double off = angle(wanted, snFromF(x[1][v]));
        shown->position =
            fmax(shown->position, snDistance(snFromF(x[0][v]), snFromF(x[4][v])) / HEIGHT);
        shown->normal += off / (double)n / (2 * FRAMES - 1);
        shown->far += (off > 5) / (double)n / (2 * FRAMES - 1);
        shown->before += angle(wanted, snFromF(x[3][v])) / (double)n / (2 * FRAMES - 1);
    }
}

static void checkBin(const snBytes *before, const snBytes *after)
{
    size_t bin = 20 + snLoadU32(before->data + 12), other = 20 + snLoadU32(after->data + 12);
    CHECK(!memcmp(before->data + bin + 8, after->data + other + 8, snLoadU32(before->data + bin)));
}

static void write(Made *m, snCharacter *made)
{
    CHECK(snGlb_FromCharacter(made, &m->file, NULL) == SN_OK);
    snCharacter_Destroy(made);
}

// As it is made, written and read.
static void beginRead(Made *m)
{
    snCharacter made;
    begin(m, &made, softOffset);
    write(m, &made);
    readBack(m);
}

static snSoftReport writeAndPlay(const Made *m, const snSoftDef *def, const char *what)
{
    snBytes out = snMakeBytes(&m->context);
    snSoftReport report;
    snCharacter again;
    snError error = {0};
    Shown shown = {0};
    if (!CHECK(snSoft_Write(&m->bake, def, &m->source, &out, &report, &m->context, &error) ==
               SN_OK))
        printf("%s\n", error.message);
    checkBin(&m->file, &out);
    snGltfSource source = {.bytes = out.data, .size = out.size};
    CHECK(snGltf_Read(&again, &source, &m->context, &error) == SN_OK);
    CHECK(again.clipCount == m->character.clipCount + 1);
    snArena arena = snMakeArena(&m->context);
    for (int s = 0; s < 2 * FRAMES - 1; s++) {
        snArenaMark mark = snArena_Mark(&arena);
        playSample(m, &again, 0.5 * s, &arena, &shown);
        snArena_Rewind(&arena, mark);
    }
    printf("%s: %d targets, error %.3f %% said, %.3f %% played, normals off by %.1f degrees "
           "(uncorrected %.1f; %.1f %% above 5), %d dense\n",
           what, report.targetCount, 100 * report.error, 100 * shown.position, shown.normal,
           shown.before, 100 * shown.far, report.denseClips);
    CHECK(shown.position <= 1.001 * report.error + 1e-6);
    CHECK(report.error > def->tolerance || shown.position <= def->tolerance + 1e-6);
    CHECK(report.error > def->tolerance || (shown.normal < 0.3 * shown.before && shown.far < 0.03));
    snArena_Destroy(&arena);
    snCharacter_Destroy(&again);
    snBytes_Destroy(&out);
    return report;
}

// ---- characters ----

// The file's own targets are animated too.
static void ownTargets(void)
{
    Made m;
    snSoftDef def = snDefaultSoftDef();
    beginRead(&m);
    CHECK(m.character.parts[0].targetCount == 2);
    snSoftReport report = writeAndPlay(&m, &def, "own targets");
    CHECK(report.error <= def.tolerance && report.targetCount > 0);
    def.mostTargets = 1;
    report = writeAndPlay(&m, &def, "one target allowed");
    CHECK(report.error > def.tolerance && report.mostTargets == 1);
    end(&m);
}

// Components by every few vertices alone: the tolerance holds at all of them, with hardly more targets.
static void thinned(void)
{
    Made m;
    snSoftDef def = snDefaultSoftDef();
    beginRead(&m);
    snSoftReport all = writeAndPlay(&m, &def, "by all vertices");
    for (def.enough = 64; def.enough > 4; def.enough /= 4) {
        snSoftReport report = writeAndPlay(&m, &def, "by few vertices");
        CHECK(report.error <= def.tolerance && report.targetCount <= all.targetCount + 4);
    }
    def.enough = 1; // the first vertex alone does not know the motion, and that is said
    def.mostTargets = 3;
    snSoftReport report = writeAndPlay(&m, &def, "by one vertex");
    CHECK(report.error > def.tolerance && report.mostTargets <= 3);
    end(&m);
}

static void mirroredAndScaled(void)
{
    Made m;
    snCharacter made;
    snSoftDef def = snDefaultSoftDef();
    begin(&m, &made, softOffset);
    made.skeleton.joints[1].rest.scale = snVec(-2, 3, 2);
    made.skeleton.joints[2].rest.scale = snVec(0.5, 0.7, 0.5);
    for (int i = 0; i < made.clipCount; i++) // the skeleton moves, the scales stay
        made.clips[i].channels[2].path = SN_PATH_TRANSLATION;
    write(&m, &made);
    readBack(&m);
    snSoftReport report = writeAndPlay(&m, &def, "mirrored and scaled");
    CHECK(report.error <= def.tolerance && report.targetCount > 0);
    end(&m);
}

// Positions of a mesh as 16-bit integers, in place: x, y, z and two bytes of nothing.
static void quantise(snBytes *file, const snContext *context)
{
    snArena arena = snMakeArena(context);
    snGltfSource source = {.bytes = file->data, .size = file->size};
    snGltfDocument d;
    snBytes text = snMakeBytes(context), bin = snMakeBytes(context), out = snMakeBytes(context);
    CHECK(snGltf_Open(&d, &source, context, &arena, NULL) == SN_OK);
    snBytes_Append(&bin, d.bin, d.binSize);
    snJsonEdit edit = snMakeJsonEdit(&d.json, &arena);
    const snJsonNode *list = snJson_Member(&d.json, snJson_At(&d.json, d.meshes, 0), "primitives");
    snJsonEdit_Append(&edit,
                      snJsonEdit_Open(&edit, snJsonEdit_Root(), "extensionsUsed", SN_JSON_ARRAY),
                      "\"KHR_mesh_quantization\"", 23);
    snJsonEdit_Append(
        &edit, snJsonEdit_Open(&edit, snJsonEdit_Root(), "extensionsRequired", SN_JSON_ARRAY),
        "\"KHR_mesh_quantization\"", 23);
    for (int p = 0; p < snJson_Count(list); p++) {
        const snJsonNode *attributes =
            snJson_Member(&d.json, snJson_At(&d.json, list, p), "attributes");
        int number = -1, view = -1, offset = -1, count = 0;
        CHECK(!snJson_ReadInt(&d.json, attributes, "POSITION", 0, 1000, &number, NULL));
        const snJsonNode *accessor = snJson_At(&d.json, d.accessors, number);
        CHECK(!snJson_ReadInt(&d.json, accessor, "bufferView", 0, 1000, &view, NULL));
        CHECK(!snJson_ReadInt(&d.json, accessor, "count", 0, 1000, &count, NULL));
        const snJsonNode *object = snJson_At(&d.json, d.bufferViews, view);
        CHECK(!snJson_ReadInt(&d.json, object, "byteOffset", 0, 1 << 30, &offset, NULL));
        for (int v = 0; v < count; v++) {
            uint8_t *to = bin.data + offset + 8 * v;
            int16_t q[4] = {0};
            for (int a = 0; a < 3; a++)
                q[a] = (int16_t)snLoadF32(bin.data + offset + 12 * v + 4 * a);
            for (int a = 0; a < 4; a++) {
                to[2 * a] = (uint8_t)((uint16_t)q[a] & 255);
                to[2 * a + 1] = (uint8_t)((uint16_t)q[a] >> 8);
            }
        }
        snJsonEdit_Put(&edit, snJsonEdit_Spot(&d.json, accessor), "componentType", "5122", 4);
        snJsonEdit_Put(&edit, snJsonEdit_Spot(&d.json, object), "byteStride", "8", 1);
    }
    CHECK(snJsonEdit_Write(&edit, &text, NULL) == SN_OK);
    CHECK(snGlb_Assemble(&out, &text, &bin, NULL, 0, NULL) == SN_OK);
    snBytes_Clear(file);
    snBytes_Append(file, out.data, out.size);
    snBytes_Destroy(&text);
    snBytes_Destroy(&bin);
    snBytes_Destroy(&out);
    snArena_Destroy(&arena);
}

// A second node with the mesh of the hat, turned and beside it.
static void addHat(snBytes *file, const snContext *context)
{
    static const char node[] =
        "{\"mesh\":1,\"translation\":[0.7,0.2,0],\"rotation\":[0.6,0,0,0.8]}";
    snArena arena = snMakeArena(context);
    snGltfSource source = {.bytes = file->data, .size = file->size};
    snGltfDocument d;
    snBytes text = snMakeBytes(context), bin = snMakeBytes(context), out = snMakeBytes(context);
    char number[16];
    CHECK(snGltf_Open(&d, &source, context, &arena, NULL) == SN_OK);
    snBytes_Append(&bin, d.bin, d.binSize);
    snJsonEdit edit = snMakeJsonEdit(&d.json, &arena);
    int added = snJsonEdit_Append(&edit, snJsonEdit_Spot(&d.json, d.nodes), node, strlen(node));
    const snJsonNode *scene = snJson_At(&d.json, d.scenes, 0);
    int length = snprintf(number, sizeof number, "%d", added);
    snJsonEdit_Append(&edit, snJsonEdit_Spot(&d.json, snJson_Member(&d.json, scene, "nodes")),
                      number, (size_t)length);
    CHECK(snJsonEdit_Write(&edit, &text, NULL) == SN_OK);
    CHECK(snGlb_Assemble(&out, &text, &bin, NULL, 0, NULL) == SN_OK);
    snBytes_Clear(file);
    snBytes_Append(file, out.data, out.size);
    snBytes_Destroy(&text);
    snBytes_Destroy(&bin);
    snBytes_Destroy(&out);
    snArena_Destroy(&arena);
}

// One mesh without a skin on two nodes: both are soft, each in its own way.
static void pairOfHats(void)
{
    Made m;
    snCharacter made;
    snSoftDef def = snDefaultSoftDef();
    begin(&m, &made, softOffset);
    write(&m, &made);
    addHat(&m.file, &m.context);
    readBack(&m);
    CHECK(m.character.partCount == 4 && m.character.parts[2].mesh == m.character.parts[3].mesh);
    snSoftReport report = writeAndPlay(&m, &def, "a pair of hats");
    CHECK(report.meshCount == 3 && report.error <= def.tolerance);
    end(&m);
}

static void quantised(void)
{
    Made m;
    snCharacter made;
    snSoftDef def = snDefaultSoftDef();
    begin(&m, &made, softOffset);
    for (int p = 0; p < 2; p++)
        for (int v = 0; v < made.parts[p].vertexCount; v++) {
            snVec3f *x = &made.parts[p].positions[v];
            *x = (snVec3f){floorf(x->x * 4096), floorf(x->y * 4096), floorf(x->z * 4096)};
            for (int t = 0; t < 2; t++)
                made.parts[p].targets[t][v] =
                    snToF(snScale(4096, snFromF(made.parts[p].targets[t][v])));
        }
    for (int j = 0; j < 3; j++)
        made.skins[0].inverseBind[j].linear =
            snScaleM(1.0 / 4096, made.skins[0].inverseBind[j].linear);
    write(&m, &made);
    quantise(&m.file, &m.context);
    readBack(&m);
    CHECK(fabsf(m.character.parts[0].positions[7].y) > 100);
    snSoftReport report = writeAndPlay(&m, &def, "quantised");
    CHECK(report.error <= def.tolerance && report.targetCount > 0);
    end(&m);
}

// Without motion there are no targets; without middles they are not looked at; memory may fail.
static void edges(void)
{
    Made m;
    snSoftDef def = snDefaultSoftDef();
    snSoftReport report;
    snBytes out;
    beginRead(&m);
    m.clip.middles = NULL;
    m.clip.hasMiddles = false;
    out = snMakeBytes(&m.context);
    CHECK(snSoft_Write(&m.bake, &def, &m.source, &out, &report, &m.context, NULL) == SN_OK);
    CHECK(report.error <= def.tolerance && report.denseClips == 0);
    snBytes_Destroy(&out);
    def.mostTargets = 0;
    CHECK(snSoft_Write(&m.bake, &def, &m.source, &out, &report, &m.context, NULL) ==
          SN_ERROR_ARGUMENT);
    def = snDefaultSoftDef();
    for (int n = 1;; n++) {
        snContext context = m.context;
        snFailingMemory memory = {.failAtWay = n};
        snTest_UseFailingMemory(&context, &memory);
        out = snMakeBytes(&context);
        snStatus status = snSoft_Write(&m.bake, &def, &m.source, &out, &report, &context, NULL);
        snBytes_Destroy(&out);
        if (!CHECK(memory.alive == 0) || !status) break;
        if (!CHECK(status == SN_ERROR_MEMORY)) break;
    }
    m.swing = 0;
    makeBake(&m);
    out = snMakeBytes(&m.context);
    CHECK(snSoft_Write(&m.bake, &def, &m.source, &out, &report, &m.context, NULL) == SN_OK);
    CHECK(report.targetCount == 0 && report.error < 1e-6);
    snBytes_Destroy(&out);
    end(&m);
}

int main(void)
{
    RUN(ownTargets);
    RUN(thinned);
    RUN(mirroredAndScaled);
    RUN(pairOfHats);
    RUN(quantised);
    RUN(edges);
    return snTest_Finish();
}
