// The bodies of the example scenes: surfaces closed and within their lattices, also in the limit of the
// smooth schemes; lattices that map one to one; coils and jaws that are not joined; sharp features
// where they should be; documents that read back and are the same every time.
#include "scenes.h"

#include "asset/json.h"
#include "body/lattice/basis.h"
#include "body/lattice/complex.h"
#include "body/lattice/embed.h"
#include "body/lattice/lattice_file.h"
#include "body/lattice/nodes.h"
#include "core/error.h"
#include "tests/test.h"
#include "tests/geometry/closed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static snContext context;
static snArena arena;
static snError error;
static snModel models[MODEL_COUNT];

// Vertices on creases are there once for each side: at one place they are one.
static void surfacesAreClosed(void)
{
    for (int m = 0; m < MODEL_COUNT; m++) {
        snWeld weld;
        CHECK(!snMesh_Weld(&weld, &models[m].surface, 0, &arena, &error));
        CHECK(closedEuler(weld.mesh.vertexCount, weld.mesh.triangleCount, weld.mesh.triangles) ==
              2);
        CHECK(snMesh_Volume(&weld.mesh) > 0);
        printf("%s: %d triangles, %.4g litres\n", models[m].name, models[m].surface.triangleCount,
               1e3 * snMesh_Volume(&weld.mesh));
        CHECK(models[m].surface.triangleCount >= 5000 && models[m].surface.triangleCount <= 20000);
        for (int v = 0; v < models[m].surface.vertexCount; v++)
            if (!snIsFinite3(models[m].surface.positions[v])) CHECK(false);
    }
}

static void sizes(void)
{
    CHECK(models[MODEL_DRAGON].controls[0].lattice.vertexCount == 88);
    int grid = models[MODEL_DRAGON].controls[1].lattice.vertexCount;
    CHECK(grid >= 115 && grid <= 135);
    int duck = models[MODEL_DUCK].controls[0].lattice.vertexCount;
    CHECK(duck >= 30 && duck <= 80);
    int prisms = 0;
    for (int c = 0; c < models[MODEL_DRAGON].controls[0].lattice.cellCount; c++)
        prisms += snLattice_Kind(&models[MODEL_DRAGON].controls[0].lattice, c) == SN_PRISM;
    CHECK(prisms == 4);
    for (int m = 0; m < MODEL_COUNT; m++)
        for (int c = 0; c < models[m].controlCount; c++) {
            const snLattice *lattice = &models[m].controls[c].lattice;
            CHECK(!snLattice_Check(lattice, &context, &error));
            CHECK(!snLattice_CheckSharp(lattice, &context, &error));
            printf("%s: %d vertices, %d cells\n", models[m].controls[c].name, lattice->vertexCount,
                   lattice->cellCount);
        }
}

static snBox boxOf(const snLattice *lattice, int cell)
{
    snBox box = snEmptyBox();
    for (int k = 0; k < (int)snLattice_Kind(lattice, cell); k++)
        box = snBoxAdd(box, lattice->rest[snLattice_Corners(lattice, cell)[k]]);
    return box;
}

static snVec3 middleOf(const snLattice *lattice, int cell)
{
    snVec3 sum = {0, 0, 0};
    int n = (int)snLattice_Kind(lattice, cell);
    for (int k = 0; k < n; k++)
        sum = snMulAdd(sum, 1.0 / n, lattice->rest[snLattice_Corners(lattice, cell)[k]]);
    return sum;
}

// No cell holds the middle of another one: the body's map is one to one as a whole, too.
static int overlaps(const snLattice *lattice)
{
    int found = 0;
    snBox *boxes = SN_NEW(&arena, snBox, lattice->cellCount);
    for (int c = 0; c < lattice->cellCount; c++)
        boxes[c] = boxOf(lattice, c);
    for (int c = 0; c < lattice->cellCount; c++) {
        snVec3 middle = middleOf(lattice, c);
        for (int other = 0; other < lattice->cellCount; other++) {
            double weight[SN_CELL_CORNERS];
            if (other == c || !snBoxOverlap((snBox){middle, middle}, boxes[other])) continue;
            found += snCellWeights(lattice, other, middle, weight) > 1e-9;
        }
    }
    return found;
}

static double leastQuality(const snLattice *lattice)
{
    double least = 1;
    for (int c = 0; c < lattice->cellCount; c++)
        least = fmin(least, snLattice_Quality(lattice, c));
    return least;
}

static void checkScheme(const snModel *model, const snControl *control, snScheme scheme)
{
    snArenaMark mark = snArena_Mark(&arena);
    snNodesDef def = {.scheme = scheme, .lattice = &control->lattice, .nodeLevel = 2};
    snNodes nodes;
    snEmbedding embedding = {0};
    if (!CHECK(!snNodes_Make(&nodes, &def, &arena, &context, &error))) return;
    double quality = leastQuality(&nodes.lattice);
    CHECK(quality > 0.05);
    CHECK(overlaps(&nodes.lattice) == 0);
    if (!control->own)
        CHECK(!snEmbed(&embedding, &nodes.lattice, model->surface.vertexCount,
                       model->surface.positions, &arena, &context, &error));
    CHECK(embedding.outside == 0);
    printf("%s, %s: least quality in the limit %.3f, %d points outside\n", control->name,
           snScheme_Name(scheme), quality, embedding.outside);
    snArena_Rewind(&arena, mark);
}

static void insideInTheLimit(void)
{
    for (int m = 0; m < MODEL_COUNT; m++)
        for (int c = 0; c < models[m].controlCount; c++)
            for (int s = 0; s < (models[m].controls[c].anyScheme ? SN_SCHEME_COUNT : 1); s++)
                checkScheme(&models[m], &models[m].controls[c], (snScheme)s);
}

static int shared(const snLattice *lattice, int a, int b)
{
    int count = 0;
    for (int i = 0; i < (int)snLattice_Kind(lattice, a); i++)
        for (int j = 0; j < (int)snLattice_Kind(lattice, b); j++)
            count += snLattice_Corners(lattice, a)[i] == snLattice_Corners(lattice, b)[j];
    return count;
}

// Cells are, in this order: the tail's end, 15 along the body, three about the fork, two of the upper
// and two of the lower jaw.
static void coilsAndJawsAreApart(void)
{
    enum { FORK = 16, UPPER = 19, LOWER = 21, CELLS = 23 };
    const snLattice *lattice = &models[MODEL_DRAGON].controls[0].lattice;
    CHECK(lattice->cellCount == CELLS);
    for (int a = 0; a < FORK; a++)
        for (int b = a + 1; b < CELLS; b++) {
            bool near = b == a + 1 || (a == FORK - 1 && b < UPPER);
            if (near != (shared(lattice, a, b) > 0)) CHECK(false);
        }
    CHECK(shared(lattice, UPPER, LOWER) == 2); // the corners of the mouth
    CHECK(shared(lattice, UPPER + 1, LOWER) == 0 && shared(lattice, UPPER, LOWER + 1) == 0);
    CHECK(shared(lattice, UPPER + 1, LOWER + 1) == 0);
}

// Where along the curve a point of the surface belongs; -1 on the head.
static double placeAlong(const snDragon *dragon, snVec3 point)
{
    enum { STEPS = 8 };
    double best = 1e300, at = -1;
    if (snDistance(point, dragon->head.origin) < 0.32) return -1;
    for (int i = 0; i <= STEPS * (dragon->pointCount - 1); i++) {
        double t = (double)i / STEPS;
        int low = i / STEPS, high = low + (i % STEPS > 0);
        double r = 0.5 * (dragon->radius[low] + dragon->radius[high]);
        double away = snDistance(point, snDragon_CurveAt(dragon, t)) - r;
        if (away < best) best = away, at = t;
    }
    return at;
}

static void coilsDoNotTouch(void)
{
    const snMesh *mesh = &models[MODEL_DRAGON].surface;
    snDragon *dragon = SN_NEW(&arena, snDragon, 1);
    double *along = SN_NEW(&arena, double, mesh->vertexCount), gap = 1e300;
    snDragon_Shape(dragon);
    for (int v = 0; v < mesh->vertexCount; v++)
        along[v] = placeAlong(dragon, mesh->positions[v]);
    for (int v = 0; v < mesh->vertexCount; v++)
        for (int w = v + 1; w < mesh->vertexCount; w++)
            if (along[v] >= 0 && along[w] >= 0 && fabs(along[v] - along[w]) > 4)
                gap = fmin(gap, snLengthSquared(snSub(mesh->positions[v], mesh->positions[w])));
    printf("the dragon's coils come as near as %.3f m\n", sqrt(gap));
    CHECK(sqrt(gap) > 0.03 && sqrt(gap) < 0.12); // it is 0.24 m thick
}

// The star's rim stays sharp: tips stay in the limit, and ridges end in darts.
static void starIsSharp(void)
{
    const snLattice *lattice = &models[MODEL_STAR].controls[0].lattice;
    snNodesDef def = {.scheme = SN_SCHEME_MACCRACKEN_JOY, .lattice = lattice, .nodeLevel = 1};
    snNodes nodes;
    if (!CHECK(!snNodes_Make(&nodes, &def, &arena, &context, &error))) return;
    CHECK(lattice->sharp && lattice->sharp->edgeCount == 20 && lattice->sharp->cornerCount == 5);
    for (int k = 0; k < lattice->sharp->cornerCount; k++) {
        int v = lattice->sharp->corner[k];
        CHECK(snDistance(nodes.lattice.rest[v], lattice->rest[v]) < 1e-12);
    }
    int *ends = SN_NEW(&arena, int, lattice->vertexCount), darts = 0;
    for (int e = 0; e < 2 * lattice->sharp->edgeCount; e++)
        ends[lattice->sharp->edge[e / 2][e % 2]]++;
    for (int v = 0; v < lattice->vertexCount; v++)
        darts += ends[v] == 1;
    CHECK(darts == 5);
}

// The limit of the bone's border does not follow flesh.
static void boneKeepsToItself(void)
{
    const snLattice *lattice = &models[MODEL_LIMB].controls[0].lattice;
    snNodesDef def = {.scheme = SN_SCHEME_BAJAJ, .lattice = lattice, .nodeLevel = 0};
    snNodes nodes;
    if (!CHECK(!snNodes_Make(&nodes, &def, &arena, &context, &error))) return;
    const double *stiffness = models[MODEL_LIMB].controls[0].stiffness;
    CHECK(lattice->sharp && lattice->sharp->faceCount == 18);
    int sheet = 0;
    for (int v = 0; v < lattice->vertexCount; v++) {
        if (stiffness[v] == 1) continue;
        sheet++;
        for (int k = nodes.rows.start[v]; k < nodes.rows.start[v + 1]; k++)
            if (nodes.rows.weight[k] > 1e-12) CHECK(stiffness[nodes.rows.column[k]] > 1);
    }
    CHECK(sheet == 20 && models[MODEL_LIMB].inner.triangleCount > 500);
}

static void stiffnessFalls(void)
{
    const snControl *control = &models[MODEL_CUCUMBER].controls[0];
    CHECK_NEAR(control->stiffness[0], 1, 1e-12);
    CHECK_NEAR(control->stiffness[control->lattice.vertexCount - 1], 1.0 / 60, 1e-12);
    for (int v = 4; v < control->lattice.vertexCount; v++)
        CHECK(control->stiffness[v] < control->stiffness[v - 4]);
}

// The functions of levels 0 and 1 of every scheme are independent on every lattice, and all are kept.
static void functionsAreIndependent(void)
{
    for (int m = 0; m < MODEL_COUNT; m++)
        for (int k = 0; k < models[m].controlCount; k++)
            for (int scheme = 0; scheme < SN_SCHEME_COUNT; scheme++) {
                snArena scratch = snMakeArena(&context);
                snBasisDef def = snDefaultBasisDef();
                snBasis basis;
                snSparse gram;
                snSpectrum spectrum;
                def.lattice = &models[m].controls[k].lattice;
                def.scheme = (snScheme)scheme;
                def.levels = def.quadratureLevel = 1;
                def.measure = false;
                CHECK(!snBasis_Make(&basis, &def, &scratch, &context, &error));
                CHECK(basis.keptCount == basis.functionCount);
                CHECK(!snBasis_Gram(&gram, &basis, &scratch, &error));
                CHECK(!snSpectrum_Lanczos(&spectrum, &gram, &context, &error));
                CHECK(spectrum.least > 0);
                printf("%s, %s: %d functions, condition %.3g\n", models[m].controls[k].name,
                       snScheme_Name((snScheme)scheme), basis.keptCount,
                       spectrum.greatest / spectrum.least);
                snArena_Destroy(&scratch);
            }
}

static void documentsReadBack(void)
{
    snSkeleton none = {0};
    for (int m = 0; m < MODEL_COUNT; m++)
        for (int c = 0; c < models[m].controlCount; c++) {
            const snLattice *lattice = &models[m].controls[c].lattice;
            snBytes bytes = snMakeBytes(&context);
            snJson json;
            snLattice again;
            bool strict;
            snControl_WriteJson(&models[m].controls[c], &bytes);
            CHECK(!snJson_Parse(&json, (const char *)bytes.data, bytes.size, &arena, &error));
            CHECK(!snLattice_ReadJson(&again, &strict, &json, json.root, &none, &arena, &context,
                                      &error));
            CHECK(again.vertexCount == lattice->vertexCount &&
                  again.cellCount == lattice->cellCount);
            CHECK(
                !memcmp(again.rest, lattice->rest, sizeof *again.rest * (size_t)again.vertexCount));
            CHECK((again.sharp != NULL) == (lattice->sharp != NULL));
            snBytes_Destroy(&bytes);
        }
}

static void sameEveryTime(void)
{
    for (int m = MODEL_CUCUMBER; m <= MODEL_STAR; m++) {
        snBytes bytes[2] = {snMakeBytes(&context), snMakeBytes(&context)};
        snModel again;
        CHECK(!snModel_Make(&again, (snModelKind)m, &arena, &context, &error));
        for (int k = 0; k < 2; k++) {
            const snModel *model = k ? &again : &models[m];
            snModel_WriteObj(model, &bytes[k]);
            snControl_WriteJson(&model->controls[0], &bytes[k]);
        }
        CHECK(bytes[0].size == bytes[1].size);
        CHECK(!memcmp(bytes[0].data, bytes[1].data, bytes[0].size));
        snBytes_Destroy(&bytes[0]), snBytes_Destroy(&bytes[1]);
    }
}

// Every allocation fails once, of a small one.
static void withoutMemory(void)
{
    snFailingMemory memory = {0};
    snContext failing = context;
    snStatus status = SN_ERROR_MEMORY;
    for (int at = 1; status && at < 2000; at += at < 40 ? 1 : 37) {
        snArena own;
        snModel model;
        memory = (snFailingMemory){.failAt = at};
        snTest_UseFailingMemory(&failing, &memory);
        own = snMakeArena(&failing);
        status = snModel_Make(&model, MODEL_STAR, &own, &failing, &error);
        CHECK(!status || status == SN_ERROR_MEMORY);
        snArena_Destroy(&own);
        CHECK(memory.alive == 0);
    }
    CHECK(!status);
}

int main(void)
{
    context = snDefaultContext();
    arena = snMakeArena(&context);
    for (int m = 0; m < MODEL_COUNT; m++) {
        if (!snModel_Make(&models[m], (snModelKind)m, &arena, &context, &error)) continue;
        printf("%s\n", error.message);
        return 1;
    }
    RUN(surfacesAreClosed);
    RUN(sizes);
    RUN(insideInTheLimit);
    RUN(coilsAndJawsAreApart);
    RUN(coilsDoNotTouch);
    RUN(starIsSharp);
    RUN(boneKeepsToItself);
    RUN(stiffnessFalls);
    RUN(functionsAreIndependent);
    RUN(documentsReadBack);
    RUN(sameEveryTime);
    RUN(withoutMemory);
    snArena_Destroy(&arena);
    return snTest_Finish();
}
