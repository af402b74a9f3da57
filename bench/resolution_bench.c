// Doubling the resolution of a skin keeps its shape and motion: the penguin of examples/characters with 256 and with 1,024 points,
// over its whole animation: the largest distance of any vertex of one surface from the other one, both ways. What counts are the surfaces that
// are drawn and cached; those of the points alone, whose faces are flat, are told as well.
#include "bench/bench.h"
#include "geometry/tree.h"
#include "layered/play.h"
#include "layered/script.h"
#include "platform/files.h"

#include <stdio.h>

#define LARGEST ((size_t)1 << 24) // bytes of a script

typedef struct Run {
    snPlay *play;
    snArena arena;
    snVec3f *drawn;
    snVec3 *places; // [vertexCount], of what is drawn
} Run;

static snStatus beginRun(Run *run, const snLayered *layered, int side, snError *error)
{
    snPlayDef def = snDefaultPlayDef();
    def.rows = def.columns = side;
    def.smooth = 2;
    run->arena = snMakeArena(&layered->context);
    snStatus status = snPlay_Make(&run->play, layered, &def, error);
    if (status) return status;
    int count = snPlay_Surface(run->play)->vertexCount;
    run->drawn = SN_NEW(&run->arena, snVec3f, count);
    run->places = SN_NEW(&run->arena, snVec3, count);
    return SN_OK;
}

static void endRun(Run *run)
{
    snPlay_Destroy(run->play);
    snArena_Destroy(&run->arena);
}

static snMesh drawnOf(Run *run)
{
    const snPlaySurface *s = snPlay_Surface(run->play);
    snPlay_Places(run->play, run->drawn);
    for (int v = 0; v < s->vertexCount; v++)
        run->places[v] = snFromF(run->drawn[v]);
    return (snMesh){s->vertexCount, s->triangleCount, run->places, s->triangles};
}

static snMesh pointsOf(const Run *run)
{
    snElasticSkinDef def = snPlay_SkinDef(run->play);
    return (snMesh){def.mesh->pointCount, def.mesh->triangleCount, (snVec3 *)def.places,
                    def.mesh->triangles};
}

typedef struct Apart {
    double most, squares, count, time;
    snVec3 where;
} Apart;

static void measure(const snMesh *from, const snMesh *to, double time, const snContext *context,
                    Apart *apart)
{
    snArena arena = snMakeArena(context);
    snMeshTree tree;
    if (!snMeshTree_Build(&tree, to, &arena, NULL))
        for (int v = 0; v < from->vertexCount; v++) {
            double d = snMeshTree_Closest(&tree, from->positions[v], INFINITY).distance;
            apart->squares += d * d;
            apart->count++;
            if (d <= apart->most) continue;
            apart->most = d;
            apart->time = time;
            apart->where = from->positions[v];
        }
    snArena_Destroy(&arena);
}

static double heightOf(const snMesh *mesh)
{
    snBox box = snEmptyBox();
    for (int v = 0; v < mesh->vertexCount; v++)
        box = snBoxAdd(box, mesh->positions[v]);
    return box.upper.y - box.lower.y;
}

static void report(snBench *bench, const char *what, const Apart *apart, double height,
                   const char *goal)
{
    char id[96];
    snprintf(id, sizeof id, "leman/resolution-%s", what);
    snBench_Note(
        bench,
        "%-18s %5.1f mm at most, at %.2f s at (%.3f %.3f %.3f); %.1f mm in the mean of squares",
        what, 1e3 * apart->most, apart->time, apart->where.x, apart->where.y, apart->where.z,
        1e3 * sqrt(apart->squares / fmax(apart->count, 1)));
    snBench_Report(bench, id, 100 * apart->most / height, "% of the height", goal);
}

static bool compare(snBench *bench, Run *coarse, Run *fine, const snContext *context)
{
    static const char *const names[4] = {"drawn-fine", "drawn-coarse", "points-fine",
                                         "points-coarse"};
    Apart apart[4] = {0};
    double duration = snPlay_Figure(fine->play)->duration, height = 0;
    int frames = (int)(24 * duration + 0.5);
    for (int k = 0; k <= frames; k++) {
        double time = k / 24.0;
        if (!snPlay_Advance(coarse->play, time) || !snPlay_Advance(fine->play, time)) return false;
        snMesh c[2] = {drawnOf(coarse), pointsOf(coarse)}, f[2] = {drawnOf(fine), pointsOf(fine)};
        if (k == 0) height = heightOf(&f[0]);
        for (int i = 0; i < 2; i++) {
            measure(&f[i], &c[i], time, context, &apart[2 * i]);
            measure(&c[i], &f[i], time, context, &apart[2 * i + 1]);
        }
    }
    snBench_Note(bench, "%d and %d points, %d frames, %.3f m high",
                 snPlay_Surface(coarse->play)->pointCount, snPlay_Surface(fine->play)->pointCount,
                 frames + 1, height);
    for (int i = 0; i < 4; i++)
        report(bench, names[i], &apart[i], height, i < 2 ? "<= 3" : "");
    return true;
}

static snStatus readPenguin(snEditor *editor, const snContext *context, snError *error)
{
    snFileContent file;
    snScriptReport done;
    snStatus status = snEditor_Make(editor, context, error);
    if (!status)
        status = snFile_Read(context, SN_SOURCE_DIR "/examples/characters/penguin.txt", LARGEST,
                             &file, error);
    if (status) return status;
    status = snScript_Run(editor, (const char *)file.bytes, file.size, &done, error);
    snFile_Release(context, &file);
    return status;
}

void snBench_Resolutions(snBench *bench)
{
    snContext context = snDefaultContext();
    snError error = {0};
    snEditor editor = {0};
    Run coarse = {0}, fine = {0};
    snStatus status = readPenguin(&editor, &context, &error);
    if (!status) status = beginRun(&coarse, &editor.layered, 16, &error);
    if (!status) status = beginRun(&fine, &editor.layered, 32, &error);
    if (status)
        snBench_Skip(bench, error.message);
    else if (!compare(bench, &coarse, &fine, &context))
        snBench_Skip(bench, "a skin could not follow");
    endRun(&coarse);
    endRun(&fine);
    snEditor_Destroy(&editor);
}
