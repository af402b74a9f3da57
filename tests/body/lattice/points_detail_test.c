// Points in place on a body whose details come and go: met with all that the body does, nothing factored
// again, the same bits after restoring.
#include "tests/test.h"

#include "body/lattice/point.h"
#include "tests/body/lattice/bars.h"

#define POINTS 12
#define SIZE 1.5 // of the bar, m

// A point by its finest tet, found among all of the basis' mesh: a way of its own.
typedef struct Held {
    int handle; // -1: not attached
    int tet;
    double weight[4];
    snVec3 rest;
} Held;

typedef struct Case {
    Body *body;
    const snBasisMesh *mesh; // the finest
    snPointConstraints *points;
    Held held[POINTS];
    snLatticeDrive drive;
    snAdaptDef adapt;
} Case;

static snLatticeModelDef swinging(int levels)
{
    snLatticeModelDef def = detailed(levels);
    def.mostDetails = 60;
    def.massDamping = 3;
    def.iterations = 5;
    return def;
}

static Case makeCase(int levels)
{
    Case c = {.body = newBar(swinging(levels), 5, 0.01), .adapt = snDefaultAdaptDef()};
    snPointConstraintsDef def = snDefaultPointConstraintsDef();
    def.model = c.body->model;
    CHECK(snPointConstraints_Make(&c.points, &def, &c.body->context, NULL) == SN_OK);
    c.mesh = &c.body->basis[levels - 1].mesh;
    c.drive = c.body->drive;
    c.drive.points = c.points;
    for (int level = 0; level < SN_DETAIL_LEVELS; level++) { // sooner than by default
        c.adapt.refine[level] = 0.05 * (1 << level);
        c.adapt.coarsen[level] = 0.03 * (1 << level);
    }
    c.adapt.least = 1e-3;
    for (int i = 0; i < POINTS; i++)
        c.held[i].handle = -1;
    for (int i = 0; i < c.body->model->freeCount; i++)
        c.body->state->velocity[4 * i + 1] += 6 * c.body->model->rest[i].x;
    return c;
}

static void freeCase(Case *c)
{
    snPointConstraints_Destroy(c->points);
    freeBody(c->body);
}

static void attachAtRandom(Case *c, Held *held, snRandom *random)
{
    double sum = 0;
    held->tet = (int)snRandom_Uniform(random, 0, c->mesh->tetCount - 1e-9);
    held->rest = snVec(0, 0, 0);
    for (int k = 0; k < 4; k++)
        sum += held->weight[k] = snRandom_Uniform(random, 0.1, 1);
    for (int k = 0; k < 4; k++) {
        held->weight[k] /= sum;
        held->rest =
            snMulAdd(held->rest, held->weight[k], c->mesh->rest[c->mesh->tets[held->tet][k]]);
    }
    CHECK(snPointConstraints_Attach(c->points, "point", held->rest, &held->handle, NULL) == SN_OK);
}

// Where the point is on the body, from fine vertices that are expanded.
static snVec3 placeOf(const Case *c, const Held *held)
{
    const snLatticeModel *model = c->body->model;
    int n = c->body->lattice.vertexCount;
    snVec3 place = {0, 0, 0};
    for (int k = 0; k < 4; k++) {
        int v = c->mesh->tets[held->tet][k];
        int at = v < n ? model->indexOf[v] : model->vertexCount + v - n;
        const double *x = c->body->state->position + 4 * at;
        place = snMulAdd(place, held->weight[k], snVec(x[0], x[1], x[2]));
    }
    return place;
}

// Targets are on a bar that bends to and fro, cell by cell: points of one cell do not contradict each
// other even while no detail acts.
static snVec3 targetOf(const Case *c, const Held *held, double t)
{
    const snLattice *lattice = &c->body->lattice;
    int cell = c->mesh->tetCell[held->tet];
    double weight[SN_CELL_CORNERS];
    snVec3 target = {0, 0, 0};
    snCellWeights(lattice, cell, held->rest, weight);
    for (int k = 0; k < 4; k++) {
        snVec3 r = lattice->rest[snLattice_Corners(lattice, cell)[k]];
        snVec3 bend = {0.02 * r.x * r.x * snSin(3 * t), 0.12 * r.x * r.x * snSin(7 * t), 0};
        target = snMulAdd(target, weight[k], snAdd(r, bend));
    }
    return target;
}

typedef struct Outcome {
    double missed, residual; // of the size
    int hanging;             // terms in details, at most at a time
    int attached, changes;
} Outcome;

static void runStep(Case *c, double t, Outcome *o)
{
    snLatticeState *state = c->body->state;
    snAdaptReport report = snLattice_Adapt(c->body->model, state, &c->adapt);
    o->changes += report.added + report.removed > 0;
    for (int i = 0; i < POINTS; i++)
        if (c->held[i].handle >= 0)
            CHECK(snPointConstraints_Move(c->points, c->held[i].handle, 0,
                                          targetOf(c, &c->held[i], t), NULL) == SN_OK);
    CHECK(snLattice_Step(c->body->model, state, &c->drive));
    snDetail_Expand(c->body->model, state, state->position, true);
    int hanging = 0;
    for (int i = 0; i < POINTS; i++) {
        const Held *held = &c->held[i];
        if (held->handle < 0) continue;
        snVec3 residual = snPointConstraints_Residual(c->points, state->position, held->handle, 0);
        o->residual = fmax(o->residual, snLength(residual) / SIZE);
        o->missed = fmax(o->missed, snDistance(placeOf(c, held), targetOf(c, held, t)) / SIZE);
        int terms = c->points->set->termCount[held->handle];
        int first = held->handle * c->points->set->def.mostTerms;
        for (int k = 0; k < terms; k++)
            hanging += c->points->set->index[first + k] >= c->body->model->freeCount;
    }
    if (hanging > o->hanging) o->hanging = hanging;
}

// Points are added, moved and released while details come and go.
static void pointsAreMetWithDetails(void)
{
    for (int levels = 1; levels <= 2; levels++) {
        Case c = makeCase(levels);
        Outcome o = {0};
        snRandom random = snMakeRandom(17);
        for (int k = 1; k <= 240; k++) {
            for (int i = 0; i < POINTS; i++) {
                bool come = c.held[i].handle < 0 && snRandom_Uniform(&random, 0, 1) < 0.02;
                bool go = c.held[i].handle >= 0 && snRandom_Uniform(&random, 0, 1) < 0.01;
                if (come) attachAtRandom(&c, &c.held[i], &random);
                o.attached += come;
                if (!go) continue;
                CHECK(snPointConstraints_Release(c.points, c.held[i].handle, NULL) == SN_OK);
                c.held[i].handle = -1;
            }
            runStep(&c, k / 120.0, &o);
        }
        printf(
            "%d level(s): %d points attached, %d terms in details at a time, %d steps with others "
            "acting: missed by %.1e of the size (%.1e by its own account), %lld columns solved\n",
            levels, o.attached, o.hanging, o.changes, o.missed, o.residual,
            (long long)c.points->set->columnsSolved);
        CHECK(o.attached > POINTS && o.hanging > 10 && o.changes > 8);
        CHECK(o.missed < 1e-8 && o.residual < 1e-8);
        // One when it is attached, one when it is first used, and one when others act.
        CHECK(c.points->set->columnsSolved <= 2 * o.attached + POINTS * o.changes);
        freeCase(&c);
    }
}

// One point, met by the lattice alone and with all details: the second body needs less force to be
// pulled there, and both have it where it should be.
static void detailsYieldToThePull(void)
{
    double elastic[2];
    for (int with = 0; with < 2; with++) {
        snLatticeModelDef def = detailed(1);
        def.massDamping = 8;
        def.iterations = 20;
        Case c = {.body = newBar(def, 5, 0.01)};
        snPointConstraintsDef pointsDef = snDefaultPointConstraintsDef();
        pointsDef.model = c.body->model;
        CHECK(snPointConstraints_Make(&c.points, &pointsDef, &c.body->context, NULL) == SN_OK);
        int handle;
        snVec3 tip = {1.49, 0.12, 0.13};
        CHECK(snPointConstraints_Attach(c.points, "tip", tip, &handle, NULL) == SN_OK);
        if (with) switchAll(c.body);
        c.drive = c.body->drive;
        c.drive.points = c.points;
        for (int k = 1; k <= 300; k++) {
            snVec3 target = snAdd(tip, snVec(0, k < 120 ? 0.001 * k : 0.12, 0));
            CHECK(snPointConstraints_Move(c.points, handle, 0, target, NULL) == SN_OK);
            CHECK(snLattice_Step(c.body->model, c.body->state, &c.drive));
        }
        CHECK(snLength(snPointConstraints_Residual(c.points, c.body->state->position, handle, 0)) <
              1e-10);
        elastic[with] = snLatticeState_ElasticEnergy(c.body->model, c.body->state, 0);
        freeCase(&c);
    }
    printf("a tip pulled by 0.12 m: %.4f J by the lattice alone, %.4f J with details\n", elastic[0],
           elastic[1]);
    CHECK(elastic[1] < 0.6 * elastic[0] && elastic[1] > 0);
}

static void restoringGivesTheSameBits(void)
{
    uint64_t hash[2];
    for (int run = 0; run < 2; run++) {
        Case c = makeCase(1);
        Outcome o = {0};
        snRandom random = snMakeRandom(3);
        for (int i = 0; i < 4; i++)
            attachAtRandom(&c, &c.held[i], &random);
        void *body = malloc(c.body->state->blockSize);
        void *points = malloc(snPointConstraints_SaveSize(c.points));
        for (int k = 1; k <= 80; k++) {
            if (k == 40 && run) {
                snLatticeState_Save(c.body->state, body);
                snPointConstraints_Save(c.points, points);
                for (int i = 0; i < 25; i++)
                    runStep(&c, i / 60.0, &o);
                CHECK(snPointConstraints_Release(c.points, c.held[1].handle, NULL) == SN_OK);
                snLatticeState_Restore(c.body->state, body);
                CHECK(snPointConstraints_Restore(c.points, points, NULL) == SN_OK);
            }
            runStep(&c, k / 120.0, &o);
        }
        CHECK(*c.body->state->active.count > 0 && o.hanging > 0);
        hash[run] = snLatticeState_Hash(c.body->state);
        if (run) { // bytes of another kind are refused
            memset(points, 0xff, snPointConstraints_SaveSize(c.points));
            CHECK(snPointConstraints_Restore(c.points, points, NULL) != SN_OK);
        }
        free(body);
        free(points);
        freeCase(&c);
    }
    CHECK(hash[0] == hash[1]);
}

static void everyAllocationMayFail(void)
{
    Body *body = newBar(swinging(1), 2, 0.01);
    int n = 1;
    for (;; n++) {
        snContext failing = body->context;
        snFailingMemory memory = {.failAtWay = n};
        snTest_UseFailingMemory(&failing, &memory);
        snPointConstraints *points;
        snPointConstraintsDef def = snDefaultPointConstraintsDef();
        def.model = body->model;
        snStatus status = snPointConstraints_Make(&points, &def, &failing, NULL);
        CHECK(status == (memory.count >= n ? SN_ERROR_MEMORY : SN_OK));
        snPointConstraints_Destroy(points);
        CHECK(memory.alive == 0);
        if (memory.count < n) break;
    }
    CHECK(n > 3);
    freeBody(body);
}

int main(void)
{
    RUN(pointsAreMetWithDetails);
    RUN(detailsYieldToThePull);
    RUN(restoringGivesTheSameBits);
    RUN(everyAllocationMayFail);
    return snTest_Finish();
}
