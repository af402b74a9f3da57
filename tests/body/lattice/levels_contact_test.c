// Exact contacts of smooth bodies whose finer functions come and go: with colliders, with each other, with points held.
#include "tests/test.h"

#include "body/lattice/boundary.h"
#include "body/lattice/contact.h"
#include "body/lattice/contact_parts.h"
#include "body/lattice/island.h"
#include "body/lattice/point.h"
#include "body/lattice/tie.h"
#include "tests/body/lattice/levels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GRAVITY 9.81

typedef struct Block {
    Body *body;
    snMesh mesh;
    snContactSamples rows; // of the mesh's vertices
    snLatticeContacts *contacts;
    snPointConstraints *points; // or NULL
    snAdaptDef adapt;
    bool adapts;
} Block;

static snCollider floorAt(double height)
{
    snCollider floor = snMakeCollider(SN_COLLIDER_PLANE);
    floor.begin.origin = floor.end.origin = snVec(0, height, 0);
    floor.friction = 0.4;
    return floor;
}

// The boundary of the nodes, each of which hangs on itself.
static void makeSurface(Block *block)
{
    Body *body = block->body;
    const snLattice *lattice = &body->model->lattice;
    int n = lattice->vertexCount;
    snBoundary boundary;
    CHECK(snBoundary_Find(&boundary, lattice, &body->arena, &body->context, NULL) == SN_OK);
    int *triangles = SN_NEW(&body->arena, int, boundary.faceCount * 6);
    int *start = SN_NEW(&body->arena, int, n + 1), *vertex = SN_NEW(&body->arena, int, n);
    double *weight = SN_NEW(&body->arena, double, n);
    block->mesh = (snMesh){n, 2 * boundary.faceCount, lattice->rest, triangles};
    for (int f = 0; f < boundary.faceCount; f++) {
        const int *c = boundary.faces[f];
        int corners[6] = {c[0], c[1], c[2], c[0], c[2], c[3]};
        memcpy(triangles + 6 * f, corners, sizeof corners);
    }
    for (int v = 0; v < n; v++)
        start[v + 1] = v + 1, vertex[v] = v, weight[v] = 1;
    block->rows = (snContactSamples){n, start, vertex, weight, lattice->rest};
}

// All vertices of the surface: those of coarse levels, which come first, at any time and the rest late.
static void makeContacts(Block *block)
{
    Body *body = block->body;
    const snLattice *lattice = &body->model->lattice;
    int n = lattice->vertexCount, count = 0, late = 0;
    unsigned char *used = SN_NEW(&body->arena, unsigned char, n);
    int *start = SN_NEW(&body->arena, int, n + 1), *vertex = SN_NEW(&body->arena, int, n);
    double *weight = SN_NEW(&body->arena, double, n);
    snVec3 *rest = SN_NEW(&body->arena, snVec3, n);
    for (int k = 0; k < 3 * block->mesh.triangleCount; k++)
        used[block->mesh.triangles[k]] = 1;
    for (int v = 0; v < n; v++) {
        if (!used[v]) continue;
        late += v < body->solid->nodes.level[1].vertexCount;
        vertex[count] = v;
        weight[count] = 1;
        rest[count] = lattice->rest[v];
        start[count + 1] = count + 1;
        count++;
    }
    snLatticeContactsDef def = snDefaultLatticeContactsDef();
    def.model = body->model;
    def.samples = (snContactSamples){count, start, vertex, weight, rest};
    def.late = late;
    def.firmness = 4;
    def.patch = 0.6;
    def.thickness = 2e-3;
    def.reach = 0.05;
    def.iterations = body->model->def.iterations;
    def.exact = true;
    def.friction = 0.4;
    def.others = &block->rows;
    CHECK(snLatticeContacts_Make(&block->contacts, &def, &body->context, NULL) == SN_OK);
}

typedef struct BlockDef {
    snScheme scheme;
    bool uniform;
    int iterations;
    double gravity, young, damping;
} BlockDef;

static BlockDef blockDef(bool uniform)
{
    return (BlockDef){.scheme = SN_SCHEME_MACCRACKEN_JOY,
                      .uniform = uniform,
                      .iterations = 30,
                      .gravity = GRAVITY,
                      .young = 4e4,
                      .damping = 0.01};
}

static Block newBlock(snContext context, const BlockDef *given)
{
    snSolidDef def = adaptiveDef(given->scheme, 1);
    snLatticeModelDef motion = motionDef(given->iterations);
    def.young = given->young;
    if (given->uniform) def.mostActive = 0;
    motion.gravity = snVec(0, -given->gravity, 0);
    motion.stiffnessDamping = given->damping;
    Block block = {.body = newBody(context, BLOCK_HEXES, def, motion),
                   .adapt = snDefaultAdaptDef()};
    block.adapt.error = 2e-3;
    makeSurface(&block);
    makeContacts(&block);
    return block;
}

static void freeBlock(Block *block)
{
    snPointConstraints_Destroy(block->points);
    snLatticeContacts_Destroy(block->contacts);
    freeBody(block->body);
}

static void throwBlock(Block *block, snAffine place, snVec3 velocity)
{
    snLatticeState *state = block->body->state;
    startAt(block->body, place);
    for (int i = 0; i < block->body->model->vertexCount; i++) {
        double row[4] = {velocity.x, velocity.y, velocity.z, 0};
        memcpy(state->velocity + 4 * i, row, sizeof row);
    }
    snSpace_Settle(block->body->model, state);
    snLatticeContacts_Reset(block->contacts);
}

static snAffine turned(double x, double y, double z)
{
    snQuat turn = snQuatFromAxisAngle(snNormalizeOr(snVec(1, 0.3, 2), snVec(1, 0, 0)), 0.3);
    return (snAffine){snQuatToMat(turn), snVec(x, y, z)};
}

static snLatticeDrive driveOf(Block *block)
{
    if (block->adapts) snLattice_Adapt(block->body->model, block->body->state, &block->adapt);
    return (snLatticeDrive){
        .rig = block->body->rig, .contacts = block->contacts, .points = block->points};
}

static void stepBlock(Block *block)
{
    snLatticeDrive drive = driveOf(block);
    CHECK(snLattice_Step(block->body->model, block->body->state, &drive));
}

// How deep vertices of the surface are below a height.
static double sunkIn(const Block *block, double height)
{
    const snLatticeContacts *c = block->contacts;
    double deepest = 0;
    for (int s = 0; s < c->sampleCount; s++)
        deepest = fmax(deepest, height - snSamplePlace(c, s, block->body->state->position).y);
    return deepest;
}

static double energyOf(const Block *block)
{
    const snLatticeModel *model = block->body->model;
    snLatticeState *state = block->body->state;
    double sum = snLatticeState_KineticEnergy(model, state, 0) +
                 snLatticeState_ElasticEnergy(model, state, 0);
    for (int i = 0; i < model->vertexCount; i++)
        sum -= model->mass[i] * snDot(model->def.gravity, snRow(state->position, i));
    return sum;
}

static double speedOf(const Block *block)
{
    double worst = 0;
    for (int i = 0; i < block->body->model->vertexCount; i++)
        worst = fmax(worst, snLength(snRow(block->body->state->velocity, i)));
    return worst;
}

// ---- all functions on ----------------------------------------------------------------------------

// k and C of contacts are found once, with the functions that always act: here those of the uniform body.
static void takeSprings(Block *to, const Block *from)
{
    size_t bytes = (size_t)from->contacts->sampleCount * sizeof(double);
    memcpy(to->contacts->base.stiffness, from->contacts->base.stiffness, bytes);
    memcpy(to->contacts->base.give, from->contacts->base.give, bytes);
    to->contacts->base.softness = from->contacts->base.softness;
    to->contacts->base.meanGive = from->contacts->base.meanGive;
}

static void holdOne(Block *block)
{
    snPointConstraintsDef def = snDefaultPointConstraintsDef();
    int handle;
    def.model = block->body->model;
    def.capacity = 4;
    CHECK(snPointConstraints_Make(&block->points, &def, &block->body->context, NULL) == SN_OK);
    int v = 0;
    while (block->body->model->rest[block->body->model->indexOf[v]].y < 0.7)
        v++;
    CHECK(snPointConstraints_AttachVertex(block->points, "top", v, &handle, NULL) == SN_OK);
    CHECK(snPointConstraints_Move(
              block->points, handle, 0,
              snRow(block->body->state->position, block->body->model->indexOf[v]), NULL) == SN_OK);
}

static void checkUniform(bool held)
{
    snCollider floor = floorAt(0);
    BlockDef adaptive = blockDef(false), uniform = blockDef(true);
    Block a = newBlock(snDefaultContext(), &adaptive), b = newBlock(snDefaultContext(), &uniform);
    Block *blocks[2] = {&a, &b};
    takeSprings(&a, &b);
    for (int k = 0; k < 2; k++) {
        throwBlock(blocks[k], turned(0, 0.3, 0), snVec(0.5, -2, 0.2));
        blocks[k]->contacts->colliders = &floor;
        blocks[k]->contacts->colliderCount = 1;
        if (held) holdOne(blocks[k]);
    }
    int on = switchOn(a.body, -1), touching = 0;
    double worst = 0;
    for (int s = 0; s < 20; s++) {
        stepBlock(&a);
        stepBlock(&b);
        worst = fmax(worst, apart(a.body, b.body));
        if (b.contacts->recordCount > touching) touching = b.contacts->recordCount;
    }
    printf("  %d functions on%s: %.1e m off the uniform body, with up to %d records\n", on,
           held ? ", held" : "", worst, touching);
    CHECK(touching > 40 && worst < 1e-9);
    freeBlock(&a);
    freeBlock(&b);
}

static void allOnIsTheUniformBody(void)
{
    checkUniform(false);
    checkUniform(true);
}

// ---- functions that come and go -------------------------------------------------------------------

static void restsOnAFloor(void)
{
    snCollider floor = floorAt(0);
    BlockDef def = blockDef(false);
    def.scheme = SN_SCHEME_TRILINEAR; // a flat bottom
    def.iterations = 8;
    def.young = 2e5;
    def.damping = 0.05;
    Block a = newBlock(snDefaultContext(), &def);
    a.adapts = true;
    a.adapt.error = 5e-3;
    a.contacts->colliders = &floor;
    a.contacts->colliderCount = 1;
    throwBlock(&a, turned(0, 0.5, 0), snVec(0.5, -3, 0));
    double deepest = 0, last = energyOf(&a), first = last, rise = 0;
    int changes = 0, before = 0, most = 0;
    for (int s = 0; s < 360; s++) {
        stepBlock(&a);
        int count = *a.body->state->active.count;
        double energy = energyOf(&a);
        changes += count != before;
        most = count > most ? count : most;
        before = count;
        rise = fmax(rise, (energy - last) / first);
        last = energy;
        deepest = fmax(deepest, sunkIn(&a, 0));
    }
    printf("  %d functions at most, %d at the end, %d changes: sunk in by %.1e m at most, %.1e m/s "
           "in the end, energy rises by %.1e in a step\n",
           most, before, changes, deepest, speedOf(&a), rise);
    CHECK(most > 10 && changes > 3);
    CHECK(deepest < 1e-3 && speedOf(&a) < 1e-3 && rise < 1e-6);
    freeBlock(&a);
}

// ---- state ----------------------------------------------------------------------------------------

static void fall(Block *block, int steps)
{
    for (int s = 0; s < steps; s++)
        stepBlock(block);
}

static uint64_t hashOf(const Block *block)
{
    return snLatticeState_Hash(block->body->state);
}

static void sameBits(void)
{
    snCollider floor = floorAt(0);
    snContext contexts[2] = {snDefaultContext(), snDefaultContext()};
    contexts[1].tasks = (snTasks){.run = snTest_RunBackwards, .workers = 2};
    uint64_t hashes[2];
    for (int k = 0; k < 2; k++) {
        BlockDef def = blockDef(false);
        def.iterations = 6;
        Block a = newBlock(contexts[k], &def);
        a.adapts = true;
        a.contacts->colliders = &floor;
        a.contacts->colliderCount = 1;
        throwBlock(&a, turned(0, 0.4, 0), snVec(0.5, -3, 0));
        a.adapt.error = 2e-2;
        fall(&a, 18);
        void *state = malloc(a.body->state->blockSize);
        void *memory = malloc(snLatticeContacts_SaveSize(a.contacts));
        int count = *a.body->state->active.count, records = a.contacts->recordCount;
        snLatticeState_Save(a.body->state, state);
        snLatticeContacts_Save(a.contacts, memory);
        fall(&a, 20);
        hashes[k] = hashOf(&a);
        int later = *a.body->state->active.count;
        snLatticeState_Restore(a.body->state, state);
        snLatticeContacts_Restore(a.contacts, memory);
        fall(&a, 20);
        CHECK(hashes[k] == hashOf(&a));
        CHECK(count > 0 && later != count && records > 0);
        if (!k) printf("  %d functions and %d records, later %d\n", count, records, later);
        free(memory);
        free(state);
        freeBlock(&a);
    }
    CHECK(hashes[0] == hashes[1]);
}

// ---- two of them ----------------------------------------------------------------------------------

typedef struct Pair {
    Block blocks[2];
    snLatticeIsland *island;
    snTies *ties;
} Pair;

static Pair newPair(BlockDef def, bool tied)
{
    Pair pair = {.ties = NULL};
    snContext context = snDefaultContext();
    snIslandBodyDef defs[2];
    const snLatticeModel *models[2];
    snLatticeState *states[2];
    def.gravity = 0;
    for (int k = 0; k < 2; k++) {
        Block *block = &pair.blocks[k];
        *block = newBlock(context, &def);
        defs[k] = (snIslandBodyDef){.model = block->body->model,
                                    .state = block->body->state,
                                    .contacts = block->contacts,
                                    .surface = &block->mesh,
                                    .rows = &block->rows};
        models[k] = block->body->model;
        states[k] = block->body->state;
    }
    CHECK(snLatticeIsland_Make(&pair.island, 2, defs, &context, NULL) == SN_OK);
    snTiesDef ties = {2, models, states, 2};
    if (tied) {
        CHECK(snTies_Make(&pair.ties, &ties, &context, NULL) == SN_OK);
        for (int k = 0; k < 2; k++)
            snLatticeIsland_Tie(pair.island, k, pair.ties, k, k == 0);
    }
    return pair;
}

static void freePair(Pair *pair)
{
    snLatticeIsland_Destroy(pair->island);
    snTies_Destroy(pair->ties);
    freeBlock(&pair->blocks[0]);
    freeBlock(&pair->blocks[1]);
}

static void throwPair(Pair *pair)
{
    throwBlock(&pair->blocks[0], snIdentityAffine(), snVec(1.5, 0, 0));
    throwBlock(&pair->blocks[1], turned(1.85, 0.1, -0.2), snVec(-1.5, 0.2, 0));
}

static snTieEnd endAt(const Pair *pair, int body, int vertex)
{
    int v = pair->blocks[body].body->model->indexOf[vertex];
    return (snTieEnd){.body = body, .count = 1, .vertex = {v}, .weight = {1}};
}

static snVec3 tieBetween(const Pair *pair, const snTie *tie)
{
    return snSub(snRow(pair->blocks[0].body->state->position, tie->end[0].vertex[0]),
                 snRow(pair->blocks[1].body->state->position, tie->end[1].vertex[0]));
}

// A point of each held to the other's, and a spring between others.
static double stepPair(Pair *pair)
{
    snTie hard = {.end = {endAt(pair, 0, 0), endAt(pair, 1, 0)}, .hard = true};
    snTie spring = {.end = {endAt(pair, 0, 5), endAt(pair, 1, 9)}, .stiffness = 0.05};
    if (pair->ties) {
        snTies_Clear(pair->ties);
        hard.target = tieBetween(pair, &hard);
        spring.origin = tieBetween(pair, &spring);
        spring.push = snScale(-0.01, spring.origin);
        snTies_Add(pair->ties, &hard);
        snTies_Add(pair->ties, &spring);
    }
    snLatticeDrive drives[2] = {driveOf(&pair->blocks[0]), driveOf(&pair->blocks[1])};
    CHECK(snLatticeIsland_Step(pair->island, drives, NULL) == 0);
    return pair->ties ? snDistance(tieBetween(pair, &hard), hard.target) : 0;
}

static void checkUniformPair(bool tied)
{
    Pair a = newPair(blockDef(false), tied), b = newPair(blockDef(true), tied);
    double worst = 0, miss = 0;
    bool touched = false;
    throwPair(&a);
    throwPair(&b);
    for (int k = 0; k < 2; k++) {
        takeSprings(&a.blocks[k], &b.blocks[k]);
        switchOn(a.blocks[k].body, -1);
    }
    for (int s = 0; s < 16; s++) {
        miss = fmax(miss, stepPair(&a));
        stepPair(&b);
        for (int k = 0; k < 2; k++) {
            worst = fmax(worst, apart(a.blocks[k].body, b.blocks[k].body));
            touched |= b.blocks[k].contacts->recordCount > 0;
        }
    }
    printf(
        "  two that bump into each other%s: %.1e m off the uniform ones, ties missed by %.1e m\n",
        tied ? ", tied" : "", worst, miss);
    CHECK(touched && worst < 1e-8 && miss < 1e-12);
    freePair(&a);
    freePair(&b);
}

static void twoAllOn(void)
{
    checkUniformPair(false);
    checkUniformPair(true);
}

static snVec3 momentumOf(const Pair *pair)
{
    snVec3 sum = {0, 0, 0};
    for (int k = 0; k < 2; k++) {
        const Body *body = pair->blocks[k].body;
        for (int i = 0; i < body->model->vertexCount; i++)
            sum = snMulAdd(sum, body->model->mass[i], snRow(body->state->velocity, i));
    }
    return sum;
}

static void momentumStays(void)
{
    BlockDef def = blockDef(false);
    def.iterations = 8;
    Pair pair = newPair(def, false);
    throwPair(&pair);
    snVec3 first = momentumOf(&pair);
    double off = 0, rise = 0, last = 0, begin = 0;
    int most = 0;
    for (int s = 0; s < 60; s++) {
        pair.blocks[0].adapts = pair.blocks[1].adapts = true;
        stepPair(&pair);
        double energy = energyOf(&pair.blocks[0]) + energyOf(&pair.blocks[1]);
        if (s == 0) begin = energy;
        if (s > 0) rise = fmax(rise, (energy - last) / begin);
        last = energy;
        off = fmax(off, snDistance(momentumOf(&pair), first));
        int count = *pair.blocks[0].body->state->active.count;
        most = count > most ? count : most;
    }
    double scale = 1.5 * 2 * pair.blocks[0].body->model->totalMass;
    printf(
        "  %d functions at most: momentum off by %.1e of Σ m|v| after 60 steps, energy %.2f of the "
        "first, rises by %.1e\n",
        most, off / scale, last / begin, rise);
    CHECK(most > 10 && off < 1e-3 * scale && rise < 1e-3 && last < 0.9 * begin);
    freePair(&pair);
}

int main(void)
{
    RUN(allOnIsTheUniformBody);
    RUN(restsOnAFloor);
    RUN(sameBits);
    RUN(twoAllOn);
    RUN(momentumStays);
    return snTest_Finish();
}
