// Jelly that falls on things: bodies that the tests of contact share.
#ifndef SN_TESTS_BODY_LATTICE_JELLY_H
#define SN_TESTS_BODY_LATTICE_JELLY_H

#include "body/lattice/contact_samples.h"
#include "body/lattice/embed.h"
#include "core/core.h"
#include "core/elementary.h"
#include "tests/body/lattice/blocks.h"
#include "tests/body/lattice/sums.h"
#include "tests/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Jelly {
    snContext context;
    snArena arena;
    snLattice lattice;
    snQuadrature quadrature;
    snEmbedding embedding;
    snContactSamples drawn;   // points of the surface
    snContactSamples samples; // those that touch
    snLatticeModel *model;
    snLatticeState *state;
    snLatticeContacts *contacts;
    double *rig;
    snLatticeDrive drive;
} Jelly;

typedef struct JellyDef {
    int cells;    // along an edge
    bool ball;    // else a cube
    double young; // Pa, of a body of size 1
    int samples;
    int drawn; // points of the surface, of which samples are chosen; 0: all are
    double firmness, thickness;
    bool exact;
    double restitution;
    int iterations; // in contact
    snLatticeModelDef model;
} JellyDef;

static inline JellyDef jellyDef(void)
{
    JellyDef def = {.cells = 6, .ball = true, .young = 2e5, .samples = 400, .firmness = 1};
    def.model = snDefaultLatticeModelDef();
    def.model.motion = SN_MOTION_FULL;
    def.model.massDamping = 0;
    def.model.stiffnessDamping = 0.005;
    def.model.gravity = snVec(0, -9.81, 0);
    def.model.step = 1.0 / 120;
    def.model.iterations = 3;
    return def;
}

static inline void insideBall(const void *user, int count, const snVec3 *points,
                              unsigned char *inside)
{
    (void)user;
    for (int i = 0; i < count; i++)
        inside[i] = snDistance(points[i], snVec(0.5, 0.5, 0.5)) <= 0.5;
}

// Spread over the sphere in a spiral, or over the cube's sides by pulling the sphere outward.
static inline snVec3 samplePoint(int i, int count, bool ball)
{
    double y = 1 - (2.0 * i + 1) / count, turn = 2.399963229728653 * i;
    double r = sqrt(1 - y * y);
    snVec3 p = {r * snCos(turn), y, r * snSin(turn)};
    double most = fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z)));
    double scale = ball ? 0.5 : 0.5 / most;
    snVec3 q = snMulAdd(snVec(0.5, 0.5, 0.5), scale * (1 - 1e-9), p);
    return q;
}

static inline void makeSamples(Jelly *j, const JellyDef *def)
{
    int n = def->drawn ? def->drawn : def->samples;
    snVec3 *points = SN_NEW(&j->arena, snVec3, n);
    int *start = SN_NEW(&j->arena, int, n + 1);
    for (int i = 0; i < n; i++)
        points[i] = samplePoint(i, n, def->ball);
    CHECK(snEmbed(&j->embedding, &j->lattice, n, points, &j->arena, &j->context, NULL) == SN_OK);
    for (int i = 0; i <= n; i++)
        start[i] = i * j->embedding.width;
    j->drawn = (snContactSamples){n, start, j->embedding.vertex, j->embedding.weight, points};
    snMesh mesh = {n, 0, points, NULL};
    snSampleChoiceDef choice = {.surface = &mesh, .rows = &j->drawn, .most = def->samples};
    snSampleChoice chosen;
    CHECK(snSampleChoice_Make(&chosen, &choice, &j->arena, NULL) == SN_OK);
    j->samples = chosen.samples;
}

// Without cells that hold no sample of the ball, and without vertices that are then in none.
static inline snLattice cutBall(const snLattice *block, snArena *arena)
{
    snLattice out;
    int *number = SN_NEW(arena, int, block->vertexCount), used = 0;
    snLattice_Alloc(&out, block->vertexCount, block->cellCount, 4 * block->cellCount, arena, NULL);
    out.cellCount = 0;
    for (int c = 0; c < block->cellCount; c++) {
        const int *corner = snLattice_Corners(block, c);
        bool inside = false;
        for (int i = 0; i < 35 * 35 && !inside; i++) { // a grid of barycentric coordinates
            double b[4] = {i % 5 / 4.0, i / 5 % 5 / 4.0, i / 25 % 5 / 4.0};
            b[3] = 1 - b[0] - b[1] - b[2];
            if (b[3] < 0) continue;
            snVec3 p = {0, 0, 0};
            for (int k = 0; k < 4; k++)
                p = snMulAdd(p, b[k], block->rest[corner[k]]);
            inside = snDistance(p, snVec(0.5, 0.5, 0.5)) < 0.498;
        }
        if (!inside) continue;
        for (int k = 0; k < 4; k++) {
            int v = corner[k];
            if (!number[v]) out.rest[used] = block->rest[v], number[v] = ++used;
            out.corners[4 * out.cellCount + k] = number[v] - 1;
        }
        out.cellCount++;
        out.cellStart[out.cellCount] = 4 * out.cellCount;
    }
    out.vertexCount = used;
    return out;
}

static inline Jelly *newJelly(const JellyDef *def)
{
    Jelly *j = calloc(1, sizeof *j);
    j->context = snDefaultContext();
    j->arena = snMakeArena(&j->context);
    j->lattice =
        makeBlock(BLOCK_TETS, def->cells, def->cells, def->cells, snVec(1, 1, 1), &j->arena);
    if (def->ball) j->lattice = cutBall(&j->lattice, &j->arena);
    snQuadratureDef quadrature = snDefaultQuadratureDef();
    quadrature.samples = 4;
    if (def->ball) quadrature.inside = (snInsideTest){insideBall, NULL};
    CHECK(snQuadrature_Make(&j->quadrature, &j->lattice, &quadrature, &j->arena, &j->context,
                            NULL) == SN_OK);
    snLatticeModelDef model = def->model;
    double *young = SN_NEW(&j->arena, double, j->lattice.cellCount);
    for (int c = 0; c < j->lattice.cellCount; c++)
        young[c] = def->young;
    model.lattice = &j->lattice;
    model.quadrature = &j->quadrature;
    model.young = young;
    snError error = {0};
    if (!CHECK(snLatticeModel_Build(&j->model, &model, &j->context, &error) == SN_OK)) {
        printf("%s\n", error.message);
        exit(1);
    }
    CHECK(snLatticeState_Make(&j->state, j->model, 1, &j->context, NULL) == SN_OK);
    makeSamples(j, def);
    snLatticeContactsDef contacts = snDefaultLatticeContactsDef();
    contacts.model = j->model;
    contacts.samples = j->samples;
    contacts.firmness = def->firmness;
    contacts.thickness = def->thickness;
    contacts.patch = 0.2;
    contacts.reach = 0.05;
    contacts.exact = def->exact;
    contacts.restitution = def->restitution;
    contacts.iterations = def->iterations;
    CHECK(snLatticeContacts_Make(&j->contacts, &contacts, &j->context, &error) == SN_OK);
    j->rig = SN_NEW(&j->arena, double, j->model->vertexCount * 4);
    j->drive = (snLatticeDrive){.rig = j->rig, .contacts = j->contacts};
    return j;
}

// Everything moves at one velocity.
static inline void throwJelly(Jelly *j, snVec3 velocity)
{
    for (int i = 0; i < j->model->vertexCount; i++) {
        double *v = j->state->velocity + 4 * i;
        v[0] = velocity.x;
        v[1] = velocity.y;
        v[2] = velocity.z;
    }
}

// Puts the body where a rotation and a shift carry its rest shape.
static inline void startJelly(Jelly *j, snAffine place)
{
    for (int v = 0; v < j->lattice.vertexCount; v++) {
        snVec3 p = snMulAP(place, j->lattice.rest[v]);
        double *row = j->rig + 4 * j->model->indexOf[v];
        row[0] = p.x;
        row[1] = p.y;
        row[2] = p.z;
    }
    snLatticeState_Start(j->model, j->state, j->rig, NULL);
    snLatticeContacts_Reset(j->contacts);
}

static inline void freeJelly(Jelly *j)
{
    snLatticeContacts_Destroy(j->contacts);
    snLatticeState_Destroy(j->state);
    snLatticeModel_Destroy(j->model);
    snArena_Destroy(&j->arena);
    free(j);
}

static inline double jellySpeed(const Jelly *j) // of its fastest vertex
{
    double worst = 0;
    for (int i = 0; i < j->model->vertexCount; i++) {
        const double *v = j->state->velocity + 4 * i;
        worst = fmax(worst, sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]));
    }
    return worst;
}

// How deep the deepest point of the surface is in a collider.
static inline double jellyDepth(const Jelly *j, const snCollider *collider)
{
    double worst = 0;
    for (int s = 0; s < j->drawn.count; s++) {
        snVec3 p = {0, 0, 0};
        snTouch touch;
        for (int k = j->drawn.start[s]; k < j->drawn.start[s + 1]; k++) {
            const double *x = j->state->position + 4 * j->model->indexOf[j->drawn.vertex[k]];
            p = snMulAdd(p, j->drawn.weight[k], snVec(x[0], x[1], x[2]));
        }
        if (snCollider_Query(collider, p, 10, &touch)) worst = fmax(worst, -touch.distance);
    }
    return worst;
}

// Saved, stepped, restored and stepped again: the same bits.
static inline bool goesOnAlike(Jelly *j, int steps)
{
    void *state = malloc(j->state->blockSize);
    void *memory = malloc(snLatticeContacts_SaveSize(j->contacts));
    uint64_t hash[2];
    snLatticeState_Save(j->state, state);
    snLatticeContacts_Save(j->contacts, memory);
    for (int round = 0; round < 2; round++) {
        if (round) {
            snLatticeContacts_Reset(j->contacts);
            snLatticeState_Restore(j->state, state);
            snLatticeContacts_Restore(j->contacts, memory);
        }
        for (int k = 0; k < steps; k++)
            CHECK(snLattice_Step(j->model, j->state, &j->drive));
        hash[round] = snLatticeState_Hash(j->state);
    }
    free(state);
    free(memory);
    return hash[0] == hash[1];
}

static inline void setColliders(Jelly *j, const snCollider *colliders, int count)
{
    j->contacts->colliders = colliders;
    j->contacts->colliderCount = count;
}

// A jelly that was dropped on a floor with friction, so many steps ago; the floor is written to `floor`.
static inline Jelly *dropJelly(const JellyDef *def, snAffine from, int steps, snCollider *floor)
{
    Jelly *j = newJelly(def);
    *floor = snMakeCollider(SN_COLLIDER_PLANE);
    floor->friction = 0.5;
    setColliders(j, floor, 1);
    startJelly(j, from);
    for (int k = 0; k < steps; k++)
        CHECK(snLattice_Step(j->model, j->state, &j->drive));
    return j;
}

// Contacts are made, or memory is said to be short and nothing is left.
static inline void eachAllocationMayFail(const snLatticeContactsDef *def)
{
    snLatticeContacts *contacts;
    bool made = false;
    for (int n = 1; n < 100 && !made; n++) {
        snContext context = snDefaultContext();
        snFailingMemory memory = {.failAtWay = n};
        snTest_UseFailingMemory(&context, &memory);
        snStatus status = snLatticeContacts_Make(&contacts, def, &context, NULL);
        CHECK(status == SN_OK || (status == SN_ERROR_MEMORY && !contacts));
        made = status == SN_OK;
        snLatticeContacts_Destroy(contacts);
        CHECK(memory.alive == 0);
    }
    CHECK(made);
}

#endif
