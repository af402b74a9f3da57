// Smooth bodies from control lattices: volumes, motion, materials, surfaces with sharp edges.
#include "tests/test.h"

#include "body/lattice/ladder.h"
#include "body/lattice/limit_surface.h"
#include "body/lattice/point.h"
#include "body/lattice/solid.h"
#include "body/lattice/space.h"
#include "core/core.h"
#include "tests/body/lattice/sharp_blocks.h"
#include "tests/body/lattice/solids.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static snLatticeModelDef motionDef(void)
{
    snLatticeModelDef def = snDefaultLatticeModelDef();
    def.iterations = 12;
    return def;
}

// A block of hexahedra, or of tets; `sharp`: its edges and corners are kept.
static Body *newBody(BlockKind kind, bool sharp)
{
    Body *body = calloc(1, sizeof *body);
    body->context = snDefaultContext();
    body->arena = snMakeArena(&body->context);
    body->control = makeBlock(kind, 3, 2, 2, snVec(1.5, 1, 1), &body->arena);
    if (sharp) body->control.sharp = boxSharp((int[]){3, 2, 2}, &body->arena);
    return body;
}

static double surfaceVolume(const snLimitSurface *surface, const snVec3 *points)
{
    double sum = 0;
    for (int t = 0; t < surface->triangleCount; t++) {
        const int *c = surface->triangles + 3 * t;
        sum += snDot(points[surface->point[c[0]]],
                     snCross(points[surface->point[c[1]]], points[surface->point[c[2]]])) /
               6;
    }
    return sum;
}

static void makeSurface(Body *body, snLimitSurface *surface, snScheme scheme, int levels, int level)
{
    snLimitSurfaceDef def = {.nodes = {scheme, &body->control, levels, level}};
    CHECK(snLimitSurface_Make(surface, &def, &body->arena, &body->context, NULL) == SN_OK);
}

// ---- bodies -------------------------------------------------------------------------------------

// The hexahedra of the nodes fill the volume of their surface; with levels it settles.
static void volumesAgree(void)
{
    for (int scheme = 0; scheme < SN_SCHEME_COUNT; scheme++) {
        double volume[3];
        for (int level = 1; level <= 3; level++) {
            Body *body = newBody(BLOCK_HEXES, false);
            snSolidDef def = snDefaultSolidDef();
            def.scheme = (snScheme)scheme;
            def.nodeLevel = level;
            def.lattice = &body->control;
            CHECK(snSolid_Build(&body->solid, &def, &body->context, NULL) == SN_OK);
            snLimitSurface surface;
            makeSurface(body, &surface, def.scheme, 0, level);
            volume[level - 1] = body->solid->volume;
            double drawn = surfaceVolume(&surface, surface.rest);
            CHECK(fabs(drawn - body->solid->volume) < 0.01 * drawn);
            CHECK_NEAR(body->solid->mass, 1000 * body->solid->volume, 1e-9);
            freeBody(body);
        }
        printf("%s: volume %.4f, %.4f, %.4f m³ at levels 1 to 3\n", snScheme_Name((snScheme)scheme),
               volume[0], volume[1], volume[2]);
        CHECK(fabs(volume[2] - volume[1]) <= 0.3 * fabs(volume[1] - volume[0]) + 1e-12);
    }
}

// Turned and moved anywhere there is no force; it falls as everything does.
static void rigidMotionIsFree(void)
{
    for (int kind = 0; kind < 2; kind++) {
        Body *body = newBody(kind ? BLOCK_TETS : BLOCK_HEXES, true);
        snSolidDef def = snDefaultSolidDef();
        def.levels = kind ? 0 : 1;
        def.nodeLevel = 2;
        snLatticeModelDef model = motionDef();
        model.gravity = snVec(0, -9.81, 0);
        buildBody(body, def, model);
        snMat3 turn = snQuatToMat(snQuatFromAxisAngle(snVec(0.6, 0, 0.8), 2));
        startAt(body, (snAffine){turn, {3, -2, 1}});
        CHECK_NEAR(snLatticeState_ElasticEnergy(body->model, body->state, 0), 0, 1e-18);
        for (int k = 0; k < 20; k++)
            step(body);
        double fall = 9.81 * model.step * model.step * 20 * 21 / 2, worst = 0;
        for (int i = 0; i < body->model->vertexCount; i++) {
            snVec3 x = snAdd(snMulMV(turn, body->model->rest[i]), snVec(3, -2 - fall, 1));
            worst = fmax(worst, snDistance(x, snRow(body->state->position, i)));
        }
        printf("%d functions, %d nodes: fell %.3f m, off by %.1e m\n",
               body->model->space->functionCount, body->model->vertexCount, fall, worst);
        CHECK(worst < 1e-9);
        freeBody(body);
    }
}

// Hung up at one end by nails, it sags; more functions sag more, and settle.
static double sag(snScheme scheme, int levels)
{
    Body *body = newBody(BLOCK_HEXES, false);
    snSolidDef def = snDefaultSolidDef();
    def.scheme = scheme;
    def.levels = levels;
    def.nodeLevel = 2;
    snLatticeModelDef model = motionDef();
    model.gravity = snVec(0, 0, -2);
    model.massDamping = 0;
    model.stiffnessDamping = 0.1;
    model.solver = SN_SOLVER_NEWTON;
    model.iterations = 1;
    model.step = 0.05;
    buildBody(body, def, model);
    snPointConstraintsDef pointsDef = snDefaultPointConstraintsDef();
    pointsDef.model = body->model;
    snPointConstraints *points;
    CHECK(snPointConstraints_Make(&points, &pointsDef, &body->context, NULL) == SN_OK);
    for (int k = 0; k < 9; k++) { // where the limit's end face is, in all schemes and levels
        int handle, node = 0;
        snVec3 place = {-10, 0.3 + 0.2 * (k % 3), 0.3 + 0.2 * (k / 3)};
        for (int i = 0; i < body->model->vertexCount; i++)
            if (snDistance(body->model->rest[i], place) <
                snDistance(body->model->rest[node], place))
                node = i;
        snPointConstraints_AttachVertex(points, "nail", node, &handle, NULL);
    }
    for (int k = 0; k < 10; k++)
        CHECK(snLattice_Step(body->model, body->state,
                             &(snLatticeDrive){.rig = body->rig, .points = points}));
    double low = 0;
    for (int i = 0; i < body->model->vertexCount; i++)
        low = fmax(low, body->model->rest[i].z - body->state->position[4 * i + 2]);
    snPointConstraints_Destroy(points);
    freeBody(body);
    return low;
}

static void moreFunctionsAreSofter(void)
{
    double smooth[2], plain[2];
    for (int j = 0; j < 2; j++) {
        smooth[j] = sag(SN_SCHEME_MACCRACKEN_JOY, j);
        plain[j] = sag(SN_SCHEME_TRILINEAR, j);
    }
    printf("sag of a block nailed at one end: smooth %.4f, %.4f m; trilinear %.4f, %.4f m\n",
           smooth[0], smooth[1], plain[0], plain[1]);
    CHECK(smooth[1] > smooth[0] && plain[1] > plain[0]);
}

// Control points of level J and the hierarchical basis up to it are two bases of one space.
static void basesAgree(void)
{
    Body *bodies[2];
    for (int b = 0; b < 2; b++) {
        bodies[b] = newBody(BLOCK_HEXES, true);
        snSolidDef def = snDefaultSolidDef();
        def.levels = 1;
        def.nodeLevel = 2;
        def.hierarchical = b == 1;
        snLatticeModelDef model = motionDef();
        model.iterations = 40;
        buildBody(bodies[b], def, model);
        for (int i = 0; i < bodies[b]->model->vertexCount; i++)
            bodies[b]->state->velocity[4 * i + 1] =
                bodies[b]->model->rest[i].x < 0.5 ? 2 : bodies[b]->model->rest[i].z;
        snSpace_Settle(bodies[b]->model, bodies[b]->state);
        for (int k = 0; k < 10; k++)
            step(bodies[b]);
    }
    double worst = 0;
    for (int i = 0; i < bodies[0]->model->vertexCount; i++)
        worst = fmax(worst, snDistance(snRow(bodies[0]->state->position, i),
                                       snRow(bodies[1]->state->position, i)));
    printf("control points and hierarchical basis: %.1e m apart; %d and %d weights\n", worst,
           bodies[0]->solid->space.start[bodies[0]->model->vertexCount],
           bodies[1]->solid->space.start[bodies[1]->model->vertexCount]);
    CHECK(worst < 1e-9);
    freeBody(bodies[0]);
    freeBody(bodies[1]);
}

// ---- materials ----------------------------------------------------------------------------------

static void materialsAreSubdivided(void)
{
    Body *body = newBody(BLOCK_HEXES, false), *other = newBody(BLOCK_HEXES, false);
    double young[36], poisson[36], density[36];
    snSolidDef def = snDefaultSolidDef();
    buildBody(other, def, motionDef());
    for (int v = 0; v < 36; v++)
        young[v] = 1e5, poisson[v] = 0.4, density[v] = 1000;
    def.youngs = young;
    def.poissons = poisson;
    def.densities = density;
    buildBody(body, def, motionDef());
    for (int c = 0; c < body->solid->nodes.lattice.cellCount; c++) // rows sum to one
        CHECK(fabs(body->solid->young[c] - 1e5) < 1e-7 &&
              fabs(body->solid->density[c] - 1000) < 1e-9);
    release(body);
    // A linear function of the control points is one of the places: the scheme reproduces both alike.
    for (int v = 0; v < 36; v++) {
        snVec3 r = body->control.rest[v];
        young[v] = 1e4 + 5e4 * r.x;
        density[v] = 500 + 300 * r.y;
        poisson[v] = 0.1 + 0.2 * r.z;
    }
    buildBody(body, def, motionDef());
    const snLattice *lattice = &body->solid->nodes.lattice;
    double worst = 0;
    for (int c = 0; c < lattice->cellCount; c++) {
        snVec3 middle = {0, 0, 0};
        for (int k = 0; k < 8; k++)
            middle = snMulAdd(middle, 0.125, lattice->rest[snLattice_Corners(lattice, c)[k]]);
        worst = fmax(worst, fabs(body->solid->young[c] / (1e4 + 5e4 * middle.x) - 1));
        worst = fmax(worst, fabs(body->solid->density[c] / (500 + 300 * middle.y) - 1));
        worst = fmax(worst, fabs(body->solid->poisson[c] / (0.1 + 0.2 * middle.z) - 1));
    }
    printf("linear materials are off by %.1e\n", worst);
    CHECK(worst < 1e-12);
    freeBody(body);
    freeBody(other);
}

static void throwBar(Body *body)
{
    startAt(body, snIdentityAffine());
    for (int i = 0; i < body->model->vertexCount; i++)
        body->state->velocity[4 * i + 1] = 2 * body->model->rest[i].x;
    snSpace_Settle(body->model, body->state);
}

// Four times as stiff while it runs is the body that was built so; with a ladder to the bit.
static void stiffnessWhileItRuns(void)
{
    Body *plain = newBody(BLOCK_HEXES, false), *stiff = newBody(BLOCK_HEXES, false);
    snSolidDef def = snDefaultSolidDef();
    snLatticeModelDef model = motionDef();
    model.iterations = 60;
    buildBody(plain, def, model);
    def.young *= 4;
    buildBody(stiff, def, model);
    Body *bodies[2] = {plain, stiff};
    double worst = 0;
    for (int b = 0; b < 2; b++) {
        throwBar(bodies[b]);
        for (int k = 0; k < 12; k++)
            CHECK(snLattice_Step(bodies[b]->model, bodies[b]->state,
                                 &(snLatticeDrive){.rig = bodies[b]->rig, .stiffness = b ? 1 : 4}));
    }
    for (int i = 0; i < plain->model->vertexCount; i++)
        worst = fmax(
            worst, snDistance(snRow(plain->state->position, i), snRow(stiff->state->position, i)));
    printf("four times as stiff while running, against built so: %.1e m apart\n", worst);
    CHECK(worst < 1e-8);
    snLadder *ladder;
    snLatticeModelDef rungs = model;
    snSolid_Define(plain->solid, &rungs);
    CHECK(snLadder_Build(&ladder, plain->model, &rungs, 4, 4, &plain->context, NULL) == SN_OK);
    for (int b = 0; b < 2; b++) {
        throwBar(bodies[b]);
        for (int k = 0; k < 10; k++)
            CHECK(snLattice_Step(bodies[b]->model, bodies[b]->state,
                                 &(snLatticeDrive){.rig = bodies[b]->rig,
                                                   .stiffness = b ? 1 : 4,
                                                   .ladder = b ? NULL : ladder}));
    }
    CHECK(snLatticeState_Hash(plain->state) == snLatticeState_Hash(stiff->state));
    snLadder_Destroy(ladder);
    freeBody(plain);
    freeBody(stiff);
}

// ---- surfaces -----------------------------------------------------------------------------------

// Finer levels have the points of coarser ones, and nodes are on the surface.
static void surfacesAreNested(void)
{
    Body *body = newBody(BLOCK_HEXES, false);
    snSolidDef def = snDefaultSolidDef();
    def.levels = 1;
    def.nodeLevel = 2;
    buildBody(body, def, motionDef());
    for (int i = 0; i < body->model->vertexCount; i++)
        body->state->velocity[4 * i + 1] = 3 * body->model->rest[i].x * body->model->rest[i].z;
    snSpace_Settle(body->model, body->state);
    for (int k = 0; k < 10; k++)
        step(body);
    snLimitSurface own, fine;
    makeSurface(body, &own, def.scheme, 1, 2);
    makeSurface(body, &fine, def.scheme, 1, 3);
    snVec3 *p = SN_NEW(&body->arena, snVec3, own.pointCount);
    snVec3 *q = SN_NEW(&body->arena, snVec3, fine.pointCount);
    snLimitSurface_Points(&own, body->model, body->state, p);
    snLimitSurface_Points(&fine, body->model, body->state, q);
    double worst = 0;
    int found = 0;
    for (int i = 0; i < own.pointCount; i++) {
        worst = fmax(worst, snDistance(p[i], snRow(body->state->position, own.node[i])));
        for (int k = 0; k < fine.pointCount; k++)
            if (fine.node[k] == own.node[i]) worst = fmax(worst, snDistance(p[i], q[k])), found++;
    }
    printf("%d points of level 2 are among %d of level 3, off by %.1e m\n", found, fine.pointCount,
           worst);
    CHECK(found == own.pointCount && worst < 1e-13);
    CHECK(own.cornerCount == own.pointCount); // nothing is sharp
    freeBody(body);
}

// With all its edges and corners sharp the block is a block in the limit, and stays one that has
// edges while it deforms.
static void sharpEdgesAreKept(void)
{
    Body *body = newBody(BLOCK_HEXES, true);
    snSolidDef def = snDefaultSolidDef();
    buildBody(body, def, motionDef());
    CHECK_NEAR(body->solid->volume, 1.5, 1e-12);
    CHECK_NEAR(body->model->totalMass, body->solid->mass, 1e-9 * body->solid->mass);
    snLimitSurface surface;
    makeSurface(body, &surface, def.scheme, 0, 3);
    snVec3 *points = SN_NEW(&body->arena, snVec3, surface.pointCount);
    snVec3 *normals = SN_NEW(&body->arena, snVec3, surface.cornerCount);
    for (int stage = 0; stage < 2; stage++) {
        for (int k = 0; k < 12 * stage; k++)
            step(body);
        snLimitSurface_Points(&surface, body->model, body->state, points);
        snLimitSurface_Normals(&surface, points, normals);
        double least = 1, most = 0;
        int sharp = 0, triple = 0;
        int *first = SN_NEW(&body->arena, int, surface.pointCount);
        for (int c = 0; c < surface.cornerCount; c++) {
            snVec3 n = normals[c];
            double along = fmax(fabs(n.x), fmax(fabs(n.y), fabs(n.z)));
            int p = surface.point[c];
            if (stage == 0) least = fmin(least, along);
            if (first[p]) {
                most = fmax(most, snDot(n, normals[first[p] - 1]));
                sharp++;
            } else
                first[p] = c + 1;
        }
        triple = surface.cornerCount - surface.pointCount;
        printf("%d corners at %d points; normals across edges have a cosine of %.3f at most\n",
               surface.cornerCount, surface.pointCount, most);
        CHECK(stage > 0 || least > 1 - 1e-12); // six directions alone
        CHECK(sharp == triple && sharp > 100);
        CHECK(most < (stage ? 0.5 : 1e-12));
        for (int i = 0; i < body->model->vertexCount && !stage; i++) {
            snVec3 r = body->model->rest[i];
            body->state->velocity[4 * i] = 6 * r.x * r.y;
            body->state->velocity[4 * i + 2] = 4 * r.x;
        }
        snSpace_Settle(body->model, body->state);
    }
    freeBody(body);
}

// ---- an object in the volume ----------------------------------------------------------------------

// An ellipsoid of triangles with half axes 0.6, 0.35 and 0.3 around the block's middle.
static snMesh makeEllipsoid(int rings, int sides, snArena *arena)
{
    int count = rings * sides + 2, used = 0;
    snVec3 *points = SN_NEW(arena, snVec3, count);
    int *triangles = SN_NEW(arena, int, (size_t)rings *(size_t)sides * 6);
    for (int v = 0; v < count; v++) {
        double t = v < rings * sides ? SN_PI * (v / sides + 1) / (rings + 1) : v % 2 ? SN_PI : 0;
        double u = 2 * SN_PI * (v % sides) / sides;
        if (v == rings * sides) t = 0;
        if (v == rings * sides + 1) t = SN_PI;
        points[v] = snVec(0.75 + 0.6 * snCos(t), 0.5 + 0.35 * snSin(t) * snCos(u),
                          0.5 + 0.3 * snSin(t) * snSin(u));
    }
    for (int r = 0; r < rings; r++)
        for (int s = 0; s < sides; s++) {
            int a = r * sides + s, b = r * sides + (s + 1) % sides;
            int up = r ? a - sides : rings * sides, upB = r ? b - sides : rings * sides;
            int list[6] = {a, b, up, b, upB, up};
            for (int k = 0; k < (r ? 6 : 3); k++)
                triangles[used++] = list[k];
            if (r == rings - 1) {
                int end[3] = {b, a, rings * sides + 1};
                for (int k = 0; k < 3; k++)
                    triangles[used++] = end[k];
            }
        }
    return (snMesh){count, used / 3, points, triangles};
}

static void objectsInTheVolume(void)
{
    Body *body = newBody(BLOCK_HEXES, true);
    snMesh mesh = makeEllipsoid(20, 30, &body->arena);
    snSolidDef def = snDefaultSolidDef();
    def.surface = &mesh;
    def.nodeLevel = 3;
    snLatticeModelDef few = motionDef();
    few.iterations = 3;
    buildBody(body, def, few);
    double exact = 4.0 / 3 * SN_PI * 0.6 * 0.35 * 0.3;
    printf("an ellipsoid in the volume: %.4f m³ of %.4f m³, %d of its points outside\n",
           body->solid->volume, exact, body->solid->embedding.outside);
    CHECK_NEAR(body->solid->volume, exact, 0.03 * exact);
    CHECK(body->solid->embedding.pointCount == mesh.vertexCount &&
          body->solid->embedding.outside == 0);
    for (int k = 0; k < 5; k++)
        step(body);
    freeBody(body);
}

// ---- bad input ----------------------------------------------------------------------------------

static void badDefinitionsAreRefused(void)
{
    Body *body = newBody(BLOCK_HEXES, false);
    double values[36];
    for (int kind = 0; kind < 7; kind++) {
        snSolidDef def = snDefaultSolidDef();
        snError error = {0};
        def.lattice = &body->control;
        for (int v = 0; v < 36; v++)
            values[v] = 0.3;
        if (kind == 0) def.levels = -1;
        if (kind == 1) def.levels = 2, def.nodeLevel = 2;
        if (kind == 2) values[7] = NAN, def.youngs = values;
        if (kind == 3) values[7] = 0.5, def.poissons = values;
        if (kind == 4) values[7] = -1, def.densities = values;
        if (kind == 5) def.leastFraction = 0;
        if (kind == 6) def.nodeLevel = 99;
        CHECK(tryBuild(body, &def, motionDef(), &error) == SN_ERROR_ARGUMENT);
        printf("%s\n", error.message);
        release(body);
    }
    freeBody(body);
}

static void memoryRunsOut(void)
{
    Body *body = newBody(BLOCK_HEXES, true);
    snMesh mesh = makeEllipsoid(4, 6, &body->arena);
    for (int failAt = 1;; failAt++) {
        snFailingMemory memory = {.failAtWay = failAt};
        snTest_UseFailingMemory(&body->context, &memory);
        snSolidDef def = snDefaultSolidDef();
        def.lattice = &body->control;
        def.surface = &mesh;
        def.nodeLevel = 1;
        snStatus status = tryBuild(body, &def, motionDef(), NULL);
        release(body);
        snArena arena = snMakeArena(&body->context);
        snLimitSurface surface;
        snLimitSurfaceDef nodes = {.nodes = {SN_SCHEME_MACCRACKEN_JOY, &body->control, 0, 1}};
        if (!status) status = snLimitSurface_Make(&surface, &nodes, &arena, &body->context, NULL);
        snArena_Destroy(&arena);
        CHECK(status == SN_OK || status == SN_ERROR_MEMORY);
        CHECK(memory.alive == 0);
        if (!status) break;
    }
    body->context = snDefaultContext();
    freeBody(body);
}

int main(void)
{
    RUN(volumesAgree);
    RUN(rigidMotionIsFree);
    RUN(moreFunctionsAreSofter);
    RUN(basesAgree);
    RUN(materialsAreSubdivided);
    RUN(stiffnessWhileItRuns);
    RUN(surfacesAreNested);
    RUN(sharpEdgesAreKept);
    RUN(objectsInTheVolume);
    RUN(badDefinitionsAreRefused);
    RUN(memoryRunsOut);
    return snTest_Finish();
}
