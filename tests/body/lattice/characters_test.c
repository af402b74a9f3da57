// The automatic lattice around characters made by others, and around a large one.
#include "tests/test.h"

#include "asset/gltf.h"
#include "body/lattice/flesh.h"
#include "core/core.h"
#include "near_pairs.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

typedef struct Actor {
    snContext context;
    snCharacter character;
    snFlesh *flesh;
} Actor;

static void makeActor(Actor *actor, const char *file, int cells)
{
    size_t size;
    unsigned char *bytes = snTest_Asset(file, &size);
    if (!bytes) snTest_Skip("no test assets");
    *actor = (Actor){.context = snDefaultContext()};
    snError error = {0};
    snGltfSource source = {.bytes = bytes, .size = size};
    snFleshDef def = snDefaultFleshDef();
    def.cells = cells;
    CHECK(snGltf_Read(&actor->character, &source, &actor->context, &error) == SN_OK);
    CHECK(snFlesh_Build(&actor->flesh, &actor->character, &def, &actor->context, &error) == SN_OK);
    if (error.message[0]) printf("%s: %s\n", file, error.message);
    free(bytes);
}

static void freeActor(Actor *actor)
{
    snFlesh_Destroy(actor->flesh);
    snCharacter_Destroy(&actor->character);
}

static double farthestOut(const snEmbedding *embedding)
{
    double least = 0;
    for (int i = 0; i < embedding->pointCount * embedding->width; i++)
        if (embedding->weight[i] < least) least = embedding->weight[i];
    return -least;
}

static int jointsWithoutVertex(const snFlesh *flesh)
{
    int without = 0;
    for (int b = 0; b < flesh->boneCount; b++) {
        int found = 0;
        for (int v = 0; v < flesh->lattice.vertexCount; v++)
            found += flesh->lattice.joint[v] == flesh->bones[b].joint;
        without += found == 0;
    }
    return without;
}

static NearPairs pairsOf(const snFlesh *flesh)
{
    int n = flesh->surface.vertexCount, *cell = calloc((size_t)n, sizeof *cell);
    double s = flesh->report.spacing;
    for (int v = 0; v < n; v++)
        cell[v] = -1;
    for (int p = 0; p < flesh->character->vertexCount; p++)
        if (flesh->weldOf[p] >= 0) cell[flesh->weldOf[p]] = flesh->embedding.cell[p];
    NearPairsDef def = {&flesh->lattice,
                        &flesh->surface,
                        flesh->winding,
                        cell,
                        flesh->report.parts.cut.shell,
                        s,
                        5,
                        3 * s};
    NearPairs pairs = nearPairs(&def, 1 + n / 1000);
    free(cell);
    return pairs;
}

static void checkLattice(const Actor *actor, const char *file, int cells)
{
    const snFlesh *f = actor->flesh;
    const snAutoLatticeReport *r = &f->report;
    int missing = snLattice_MissingBoneEdges(&f->lattice, f->bones, f->boneCount, 1e-6 * f->height,
                                             &actor->context);
    double mass = f->model->totalMass / (1000 * fabs(snMesh_Volume(&f->surface)));
    NearPairs pairs = pairsOf(f);
    printf("%-17s %4d: %4d cells, quality %.2f %.2f %.2f, %2d clones %3d glued %d flat, mass %.2f, "
           "%d near pairs: %d share a vertex without copies, %d with\n",
           file, cells, f->lattice.cellCount, r->worstQuality, r->lowQuality, r->medianQuality,
           r->clones.clones, r->clones.glued, r->flat, mass, pairs.count, pairs.before,
           pairs.after);
    CHECK(missing == 0 && r->missingBoneEdges == 0);
    CHECK(jointsWithoutVertex(f) == 0);
    CHECK(farthestOut(&f->embedding) < 0.1);
    CHECK(r->worstQuality > 0.025 && r->lowQuality > 0.1);
    CHECK(pairs.after * 4 <= pairs.before);
    CHECK(cells < 2000 || pairs.after * 8 <= pairs.before);
    CHECK(mass > 0.9 && mass < 1.1);
}

static void everyCharacterAtEverySize(void)
{
    static const char *const files[6] = {"RiggedSimple.glb", "RiggedFigure.glb", "CesiumMan.glb",
                                         "Cow.glb",          "Fox.glb",          "Mage.glb"};
    static const int sizes[4] = {200, 500, 2000, 8000};
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < (strcmp(files[i], "Cow.glb") ? 3 : 4); k++) { // the largest once
            if (sizes[k] > 500 && i % 3 && !snTest_Whole()) continue;
            Actor actor;
            makeActor(&actor, files[i], sizes[k]);
            if (actor.flesh) checkLattice(&actor, files[i], sizes[k]);
            freeActor(&actor);
        }
}

// Every triangle in four, by the middles of its edges.
static snMesh split(const snMesh *mesh, snArena *arena)
{
    int n = mesh->triangleCount, at = mesh->vertexCount;
    snVec3 *positions = SN_NEW(arena, snVec3, (size_t)at + (size_t)n * 3);
    int *triangles = SN_NEW(arena, int, (size_t)n * 12);
    memcpy(positions, mesh->positions, (size_t)at * sizeof *positions);
    for (int t = 0; t < n; t++) {
        const int *v = mesh->triangles + t * 3;
        int m[3];
        for (int k = 0; k < 3; k++) {
            m[k] = at++;
            positions[m[k]] = snLerp(positions[v[k]], positions[v[(k + 1) % 3]], 0.5);
        }
        const int part[12] = {v[0], m[0], m[2], m[0], v[1], m[1],
                              m[2], m[1], v[2], m[0], m[1], m[2]};
        memcpy(triangles + t * 12, part, sizeof part);
    }
    snMesh raw = {at, n * 4, positions, triangles};
    snWeld weld;
    CHECK(snMesh_Weld(&weld, &raw, 0, arena, NULL) == SN_OK);
    return weld.mesh;
}

static void largeCharacterInTime(void)
{
    Actor actor;
    makeActor(&actor, "CesiumMan.glb", 500);
    snArena arena = snMakeArena(&actor.context);
    snMesh mesh = actor.flesh->surface;
    while (mesh.triangleCount < 100000)
        mesh = split(&mesh, &arena);
    snMeshTree tree;
    snWinding *winding;
    snLattice lattice;
    snAutoLatticeReport report;
    CHECK(snMeshTree_Build(&tree, &mesh, &arena, NULL) == SN_OK);
    CHECK(snWinding_Make(&winding, &tree, &arena, NULL) == SN_OK);
    snAutoLatticeDef def = {&tree, winding, actor.flesh->bones, actor.flesh->boneCount, 2000, 0};
    clock_t start = clock();
    CHECK(snAutoLattice(&lattice, &def, &report, &arena, &actor.context, NULL) == SN_OK);
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    printf("%d triangles, %d cells: %.2f s of one processor\n", mesh.triangleCount,
           lattice.cellCount, seconds);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#if defined(__wasm__)
    CHECK(seconds < 60); // the goal is for processors
#else
    CHECK(seconds < 5);
#endif
#endif
    CHECK(report.clones.strays == 0 && report.worstQuality > 0.1);
    snArena_Destroy(&arena);
    freeActor(&actor);
}

int main(void)
{
    RUN(largeCharacterInTime);
    RUN(everyCharacterAtEverySize);
    return snTest_Finish();
}
