// Blocks of hexahedra with their boundary as surface, for tests of bodies that bump into each other.
#ifndef SN_TESTS_BODY_LATTICE_BRICKS_H
#define SN_TESTS_BODY_LATTICE_BRICKS_H

#include "body/lattice/boundary.h"
#include "body/lattice/contact_samples.h"
#include "body/lattice/island.h"
#include "core/core.h"
#include "tests/body/lattice/blocks.h"
#include "tests/body/lattice/sums.h"
#include "tests/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct BrickDef {
    int nx, ny, nz;
    snVec3 size;
    double young, density, damping, drag, step;
    double friction, restitution, edge; // edge: of samples
    double thickness;
    snVec3 gravity;
    bool jaws; // without the middle layer of cells but for the first: a C
    bool self; // bumps into itself
} BrickDef;

typedef struct Brick {
    snContext context;
    snArena arena;
    snLattice lattice;
    snQuadrature quadrature;
    snLatticeModel *model;
    snLatticeState *state;
    snMesh mesh;
    snContactSamples rows;
    snLatticeContacts *contacts;
    double *rig;
    snLatticeDrive drive;
    bool self;
} Brick;

static inline BrickDef brickDef(void)
{
    return (BrickDef){.nx = 3,
                      .ny = 3,
                      .nz = 3,
                      .size = {1, 1, 1},
                      .young = 1e6,
                      .density = 1000,
                      .damping = 0.005,
                      .step = 1.0 / 120,
                      .edge = 0.25};
}

// Takes out the cells of the middle layer, but for those at x = 0. All vertices stay in use.
static inline void cutJaws(snLattice *lattice, const BrickDef *def)
{
    int kept = 0;
    for (int c = 0; c < lattice->cellCount; c++) {
        int i = c % def->nx, j = c / def->nx % def->ny;
        if (i > 0 && j == def->ny / 2) continue;
        memmove(lattice->corners + 8 * kept, lattice->corners + 8 * c, 8 * sizeof(int));
        kept++;
        lattice->cellStart[kept] = 8 * kept;
    }
    lattice->cellCount = kept;
}

// The boundary's quads, each cut in two; all vertices of the lattice, each hanging on itself.
static inline void makeSurface(Brick *b)
{
    snBoundary boundary;
    CHECK(snBoundary_Find(&boundary, &b->lattice, &b->arena, &b->context, NULL) == SN_OK);
    int n = b->lattice.vertexCount;
    int *triangles = SN_NEW(&b->arena, int, boundary.faceCount * 6);
    b->mesh = (snMesh){n, 0, b->lattice.rest, triangles};
    for (int f = 0; f < boundary.faceCount; f++) {
        const int *c = boundary.faces[f];
        int corners[6] = {c[0], c[1], c[2], c[0], c[2], c[3]};
        for (int k = 0; k < 6; k++)
            triangles[3 * b->mesh.triangleCount + k] = corners[k];
        b->mesh.triangleCount += 2;
    }
    int *start = SN_NEW(&b->arena, int, n + 1), *vertex = SN_NEW(&b->arena, int, n);
    double *weight = SN_NEW(&b->arena, double, n);
    for (int v = 0; v < n; v++)
        start[v + 1] = v + 1, vertex[v] = v, weight[v] = 1;
    b->rows = (snContactSamples){n, start, vertex, weight, b->lattice.rest};
}

static inline void makeContacts(Brick *b, const BrickDef *def)
{
    int n = b->lattice.vertexCount, *usable = SN_NEW(&b->arena, int, n);
    for (int v = 0; v < n; v++)
        usable[v] = -1;
    for (int k = 0; k < 3 * b->mesh.triangleCount; k++)
        usable[b->mesh.triangles[k]] = 0;
    snSampleChoice choice;
    snSampleChoiceDef chosen = {
        .surface = &b->mesh, .rows = &b->rows, .usable = usable, .edge = def->edge, .most = 2000};
    CHECK(snSampleChoice_Make(&choice, &chosen, &b->arena, NULL) == SN_OK);
    snLatticeContactsDef contacts = snDefaultLatticeContactsDef();
    contacts.model = b->model;
    contacts.samples = choice.samples;
    contacts.firmness = 4;
    contacts.patch = 0.3;
    contacts.reach = 0.04;
    contacts.thickness = def->thickness;
    contacts.iterations = 8;
    contacts.exact = true;
    contacts.friction = def->friction;
    contacts.restitution = def->restitution;
    contacts.others = &b->rows;
    CHECK(snLatticeContacts_Make(&b->contacts, &contacts, &b->context, NULL) == SN_OK);
}

static inline Brick *newBrick(const BrickDef *def)
{
    Brick *b = calloc(1, sizeof *b);
    b->context = snDefaultContext();
    b->arena = snMakeArena(&b->context);
    b->lattice = makeBlock(BLOCK_HEXES, def->nx, def->ny, def->nz, def->size, &b->arena);
    b->self = def->self;
    if (def->jaws) cutJaws(&b->lattice, def);
    b->quadrature = quadratureOf(&b->lattice, &b->arena, &b->context);
    snLatticeModelDef model = snDefaultLatticeModelDef();
    double *young = SN_NEW(&b->arena, double, b->lattice.cellCount);
    for (int c = 0; c < b->lattice.cellCount; c++)
        young[c] = def->young;
    model.lattice = &b->lattice;
    model.quadrature = &b->quadrature;
    model.young = young;
    model.density = def->density;
    model.motion = SN_MOTION_FULL;
    model.massDamping = def->drag;
    model.stiffnessDamping = def->damping;
    model.step = def->step;
    model.gravity = def->gravity;
    snError error = {0};
    if (!CHECK(snLatticeModel_Build(&b->model, &model, &b->context, &error) == SN_OK))
        printf("%s\n", error.message), exit(1);
    CHECK(snLatticeState_Make(&b->state, b->model, 1, &b->context, NULL) == SN_OK);
    makeSurface(b);
    makeContacts(b, def);
    b->rig = SN_NEW(&b->arena, double, b->model->vertexCount * 4);
    b->drive = (snLatticeDrive){.rig = b->rig, .contacts = b->contacts};
    return b;
}

static inline void freeBrick(Brick *b)
{
    snLatticeContacts_Destroy(b->contacts);
    snLatticeState_Destroy(b->state);
    snLatticeModel_Destroy(b->model);
    snArena_Destroy(&b->arena);
    free(b);
}

static inline void startBrick(Brick *b, snAffine place, snVec3 velocity)
{
    for (int v = 0; v < b->lattice.vertexCount; v++) {
        snVec3 p = snMulAP(place, b->lattice.rest[v]);
        double *row = b->rig + 4 * b->model->indexOf[v];
        row[0] = p.x, row[1] = p.y, row[2] = p.z;
    }
    snLatticeState_Start(b->model, b->state, b->rig, NULL);
    snLatticeContacts_Reset(b->contacts);
    for (int i = 0; i < b->model->vertexCount; i++) {
        double *v = b->state->velocity + 4 * i;
        v[0] = velocity.x, v[1] = velocity.y, v[2] = velocity.z;
    }
}

static inline double brickSpeed(const Brick *b)
{
    double worst = 0;
    for (int i = 0; i < b->model->vertexCount; i++) {
        const double *v = b->state->velocity + 4 * i;
        worst = fmax(worst, sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]));
    }
    return worst;
}

static inline double brickEnergy(const Brick *b)
{
    return snLatticeState_KineticEnergy(b->model, b->state, 0) +
           snLatticeState_ElasticEnergy(b->model, b->state, 0);
}

static inline snLatticeIsland *newIsland(Brick *const *bricks, int count)
{
    snIslandBodyDef defs[8];
    snLatticeIsland *island;
    for (int i = 0; i < count; i++)
        defs[i] = (snIslandBodyDef){.model = bricks[i]->model,
                                    .state = bricks[i]->state,
                                    .contacts = bricks[i]->contacts,
                                    .surface = &bricks[i]->mesh,
                                    .rows = &bricks[i]->rows,
                                    .self = bricks[i]->self};
    snContext context = snDefaultContext();
    snError error = {0};
    if (!CHECK(snLatticeIsland_Make(&island, count, defs, &context, &error) == SN_OK))
        printf("%s\n", error.message), exit(1);
    return island;
}

static inline void stepIsland(snLatticeIsland *island, Brick *const *bricks, int count)
{
    snLatticeDrive drives[8];
    for (int i = 0; i < count; i++)
        drives[i] = bricks[i]->drive;
    CHECK(snLatticeIsland_Step(island, drives, NULL) == 0);
}

#endif
