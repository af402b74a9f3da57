// Smooth bodies whose finer functions come and go.
#include "tests/test.h"

#include "body/lattice/contact.h"
#include "body/lattice/point.h"
#include "core/svd.h"
#include "tests/body/lattice/levels.h"
#include "tests/body/lattice/sums.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A velocity that level 0 has: a twist about x that the scheme makes of the control points'.
static void twist(Body *body, double rate)
{
    snLatticeState *state = body->state;
    for (int v = 0; v < body->control.vertexCount; v++) {
        int i = body->model->space->levels ? body->model->space->indexOf[v] : -1;
        snVec3 r = body->control.rest[v];
        snVec3 w = snScale(rate * (r.x - 0.75), snVec(0, -(r.z - 0.5), r.y - 0.5));
        if (i < 0) continue;
        state->coefficientVelocity[4 * i] = 0.5 * w.y;
        state->coefficientVelocity[4 * i + 1] = w.y;
        state->coefficientVelocity[4 * i + 2] = w.z;
    }
    snSpace_Push(body->model, state, state->coefficientVelocity, state->velocity);
}

// With all functions the body is that of the finest level, whatever the basis.
static void checkWhole(snScheme scheme, BlockKind kind)
{
    snSolidDef def = adaptiveDef(scheme, 1), plain = def;
    plain.mostActive = 0;
    Body *a = newBody(snDefaultContext(), kind, def, motionDef(60));
    Body *b = newBody(snDefaultContext(), kind, plain, motionDef(60));
    int count = switchOn(a, -1), fine = snLatticeModel_Fine(a->model)->count;
    CHECK(count == fine);
    twist(a, 3);
    memcpy(b->state->velocity, a->state->velocity,
           (size_t)b->model->vertexCount * 4 * sizeof(double));
    snSpace_Settle(b->model, b->state);
    double moved = 0;
    for (int i = 0; i < 10; i++) {
        step(a);
        step(b);
    }
    for (int i = 0; i < a->model->vertexCount; i++)
        moved = fmax(moved, snDistance(snRow(a->state->position, i), a->model->rest[i]));
    printf("  %d finer functions on: %.2g m from the uniform body, which moved %.3f m\n", count,
           apart(a, b), moved);
    CHECK(moved > 0.05 && apart(a, b) < 1e-8);
    freeBody(a);
    freeBody(b);
}

static void allOnIsTheUniformBody(void)
{
    checkWhole(SN_SCHEME_MACCRACKEN_JOY, BLOCK_HEXES);
    checkWhole(SN_SCHEME_TRILINEAR, BLOCK_HEXES);
    checkWhole(SN_SCHEME_BAJAJ, BLOCK_TETS);
}

static void mixedLevelsFallFreely(void)
{
    snScheme schemes[] = {SN_SCHEME_TRILINEAR, SN_SCHEME_MACCRACKEN_JOY, SN_SCHEME_BAJAJ};
    for (int k = 0; k < 3; k++) {
        snSolidDef def = adaptiveDef(schemes[k], 2);
        snLatticeModelDef motion = motionDef(12);
        motion.gravity = snVec(0, -10, 0);
        Body *body = newBody(snDefaultContext(), BLOCK_HEXES, def, motion);
        snMat3 turn = snQuatToMat(snQuatFromAxisAngle(snVec(0.6, 0, 0.8), 0.7));
        startAt(body, (snAffine){turn, snVec(0.3, -0.2, 5)});
        double *before = malloc((size_t)body->model->vertexCount * 4 * sizeof *before), jump = 0;
        memcpy(before, body->state->position,
               (size_t)body->model->vertexCount * 4 * sizeof *before);
        int count = switchOn(body, 40);
        for (int i = 0; i < body->model->vertexCount; i++)
            jump = fmax(jump, snDistance(snRow(before, i), snRow(body->state->position, i)));
        double off = 0, h = body->model->def.step;
        for (int s = 1; s <= 20; s++)
            step(body);
        double fall = -10 * h * h * 20 * 21 / 2;
        for (int i = 0; i < body->model->vertexCount; i++)
            off = fmax(off, snDistance(snAdd(snRow(before, i), snVec(0, fall, 0)),
                                       snRow(body->state->position, i)));
        int levels[3] = {0};
        for (int c = 0; c < snLatticeModel_Fine(body->model)->cellCount; c++)
            levels[body->state->active.cellLevel[c]]++;
        printf("  %d of %d act, cells by level %d %d %d: jump %.1g m, off a free fall by %.1g m\n",
               count, snLatticeModel_Fine(body->model)->count, levels[0], levels[1], levels[2],
               jump, off);
        CHECK(count > 0 && levels[0] > 0 && levels[2] > 0);
        CHECK(jump < 1e-14 && off < 1e-12);
        free(before);
        freeBody(body);
    }
}

static void momentumStaysAndEnergyFalls(void)
{
    Body *body = newBody(snDefaultContext(), BLOCK_HEXES, adaptiveDef(SN_SCHEME_MACCRACKEN_JOY, 2),
                         motionDef(20));
    switchOn(body, 47);
    twist(body, 5);
    snVec3 p = momentumOf(body->model, body->state->velocity), first = p;
    double scale = 0, drift = 0, last = INFINITY, rise = 0;
    for (int i = 0; i < body->model->vertexCount; i++)
        scale += body->model->mass[i] * snLength(snRow(body->state->velocity, i));
    for (int s = 0; s < 25; s++) {
        step(body);
        double energy = snLatticeState_ElasticEnergy(body->model, body->state, 0) +
                        snLatticeState_KineticEnergy(body->model, body->state, 0);
        rise = fmax(rise, energy - last);
        last = energy;
        drift = fmax(drift, snDistance(momentumOf(body->model, body->state->velocity), first));
    }
    printf("  momentum changes by %.1g of what moves, energy rises by %.1g J of %.3g\n",
           drift / scale, rise, last);
    CHECK(drift < 1e-12 * scale && rise < 1e-9 * last);
    freeBody(body);
}

// ---- driven by an error ---------------------------------------------------------------------------

#define MOST_HELD 16

typedef struct Held {
    snPointConstraints *points;
    int count, handle[MOST_HELD];
} Held;

// At vertices of level 0, which all levels share.
static Held holdEnd(Body *body)
{
    Held p = {0};
    snPointConstraintsDef def = snDefaultPointConstraintsDef();
    def.model = body->model;
    def.capacity = MOST_HELD;
    CHECK(snPointConstraints_Make(&p.points, &def, &body->context, NULL) == SN_OK);
    for (int v = 0; v < body->solid->nodes.level[0].vertexCount; v++) {
        if (body->model->rest[v].x > 0.3 || p.count == MOST_HELD) continue;
        CHECK(snPointConstraints_AttachVertex(p.points, "end", v, &p.handle[p.count], NULL) ==
              SN_OK);
        p.count++;
    }
    return p;
}

static double worstMiss(const Body *body, const Held *p)
{
    double worst = 0;
    for (int k = 0; k < p->count; k++)
        worst = fmax(worst, snLength(snPointConstraints_Residual(
                                p->points, body->state->coefficient, p->handle[k], 0)));
    return worst;
}

typedef struct Run {
    double off;   // from the uniform body, as a share of the size
    double moved; // that one, m
    double jump;  // by switching, as a share of the size
    double miss;  // of points, m
    int most;
} Run;

// Blown at from the side at one end, with a force that is spread smoothly over a third of the length.
static void blow(const Body *body, double share, double *acceleration)
{
    for (int i = 0; i < body->model->vertexCount; i++) {
        double d = snDistance(body->model->rest[i], snVec(1.3, 0.8, 0.5)) / 0.3;
        double a = 60 * share * exp(-d * d);
        double row[4] = {0.3 * a, a, 0.2 * a, 0};
        memcpy(acceleration + 4 * i, row, sizeof row);
    }
}

typedef struct Blown {
    Body *body;
    Held ends;
    double *acceleration;
} Blown;

static Blown newBlown(snSolidDef def, bool held)
{
    Blown b = {newBody(snDefaultContext(), BLOCK_HEXES, def, motionDef(8)), {0}, NULL};
    if (held) b.ends = holdEnd(b.body);
    b.acceleration = SN_NEW(&b.body->arena, double, b.body->model->vertexCount * 4);
    return b;
}

static void blowStep(Blown *b, double share)
{
    blow(b->body, share, b->acceleration);
    CHECK(snLattice_Step(b->body->model, b->body->state,
                         &(snLatticeDrive){.rig = b->body->rig,
                                           .points = b->ends.points,
                                           .acceleration = b->acceleration}));
}

static void freeBlown(Blown *b)
{
    snPointConstraints_Destroy(b->ends.points);
    freeBody(b->body);
}

static Run runBlown(double error, bool held, int steps)
{
    snSolidDef def = adaptiveDef(SN_SCHEME_MACCRACKEN_JOY, 2), plain = def;
    plain.mostActive = 0;
    Blown a = newBlown(def, held), b = newBlown(plain, held);
    const snLatticeModel *model = a.body->model;
    const double *position = a.body->state->position;
    snAdaptDef adapt = snDefaultAdaptDef();
    adapt.error = error;
    size_t bytes = (size_t)model->vertexCount * 4 * sizeof(double);
    double *before = malloc(bytes);
    Run run = {0};
    for (int s = 0; s < steps; s++) {
        double share = s < 20 ? s / 20.0 : 1;
        memcpy(before, position, bytes);
        snLattice_Adapt(model, a.body->state, &adapt);
        for (int i = 0; i < model->vertexCount; i++)
            run.jump = fmax(run.jump, snDistance(snRow(before, i), snRow(position, i)) /
                                          model->space->levels->size);
        blowStep(&a, share);
        blowStep(&b, share);
        run.off = fmax(run.off, apart(a.body, b.body) / model->space->levels->size);
        run.miss = fmax(run.miss, worstMiss(a.body, &a.ends));
        int count = *a.body->state->active.count;
        run.most = run.most > count ? run.most : count;
    }
    for (int i = 0; i < model->vertexCount; i++)
        run.moved =
            fmax(run.moved, snDistance(snRow(b.body->state->position, i), b.body->model->rest[i]));
    free(before);
    freeBlown(&a);
    freeBlown(&b);
    return run;
}

// The target is what is got, within a factor of two or so.
static void targetsAreMet(void)
{
    double errors[] = {1e9, 1e-2, 1e-3}, last = INFINITY;
    for (int k = 0; k < 3; k++) {
        Run run = runBlown(errors[k], false, 30);
        printf("  target %g: %d functions at most, %.1e of the size off the uniform body, which "
               "moved %.3f m; jumps %.1e\n",
               errors[k], run.most, run.off, run.moved, run.jump);
        CHECK(run.off <= last && run.off < 2 * errors[k] && run.jump < 1e-4);
        last = run.off;
    }
}

static void pointsStay(void)
{
    Run run = runBlown(3e-3, true, 20);
    printf("  %d functions at most, jumps %.1e of the size, points missed by %.1g m\n", run.most,
           run.jump, run.miss);
    CHECK(run.most > 20 && run.jump < 1e-4 && run.miss < 1e-9);
}

// ---- driven by thresholds -------------------------------------------------------------------------

// The size of U - I in the middle of a hexahedron of nodes, U the stretch of what it was at rest.
static double strainOf(const Body *body, const int *corners)
{
    static const int upper[3] = {1 << 1 | 1 << 2 | 1 << 5 | 1 << 6,
                                 1 << 2 | 1 << 3 | 1 << 6 | 1 << 7, 0xf0};
    snVec3 now[3] = {{0}}, rest[3] = {{0}};
    for (int axis = 0; axis < 3; axis++)
        for (int k = 0; k < SN_HEX; k++) {
            double sign = upper[axis] >> k & 1 ? 0.25 : -0.25;
            now[axis] = snMulAdd(now[axis], sign, snRow(body->state->position, corners[k]));
            rest[axis] = snMulAdd(rest[axis], sign, body->model->rest[corners[k]]);
        }
    snMat3 to = {now[0], now[1], now[2]}, from = {rest[0], rest[1], rest[2]}, stretch;
    snPolar(snMulMM(to, snInverse3(from)), &stretch);
    stretch = snAddMM(stretch, snScaleM(-1, snIdentity3()));
    return sqrt(snDot(stretch.cx, stretch.cx) + snDot(stretch.cy, stretch.cy) +
                snDot(stretch.cz, stretch.cz));
}

// The largest in every cell that has a level, by the finest nodes: finer than the elements by which the body looks. Cells of
// a level are numbered as they are subdivided, eight for one.
static double *measureCells(const Body *body)
{
    const snSubdivisionLevel *level = &body->solid->nodes.level[body->solid->nodes.nodeLevel];
    int count = snLatticeModel_Fine(body->model)->cellCount, each = level->cellCount / count;
    double *most = calloc((size_t)count, sizeof *most);
    for (int c = 0; c < level->cellCount; c++)
        most[c / each] = fmax(most[c / each], strainOf(body, level->corners + level->cellStart[c]));
    return most;
}

static double strainAround(const Body *body, const double *cells, int f)
{
    const snFineFunctions *fine = snLatticeModel_Fine(body->model);
    double most = 0;
    for (int i = fine->supportStart[f]; i < fine->supportStart[f + 1]; i++)
        most = fmax(most, cells[fine->support[i]]);
    return most;
}

#define BAR_CELLS 6

// A bar of 3 m that is held at one end.
static Blown newBar(snSolidDef def)
{
    Blown b = {calloc(1, sizeof *b.body), {0}, NULL};
    b.body->context = snDefaultContext();
    b.body->arena = snMakeArena(&b.body->context);
    b.body->control = makeBlock(BLOCK_HEXES, BAR_CELLS, 1, 1, snVec(3, 0.5, 0.5), &b.body->arena);
    snLatticeModelDef motion = motionDef(16);
    motion.step = 1.0 / 60;
    buildBody(b.body, def, motion);
    b.ends = holdEnd(b.body);
    b.acceleration = SN_NEW(&b.body->arena, double, b.body->model->vertexCount * 4);
    return b;
}

static void pressBar(Blown *b, double press, double drag)
{
    for (int i = 0; i < b->body->model->vertexCount; i++)
        for (int c = 0; c < 3; c++)
            b->acceleration[4 * i + c] = (c == 1 ? press * b->body->model->rest[i].x / 3 : 0) -
                                         drag * b->body->state->velocity[4 * i + c];
    CHECK(snLattice_Step(b->body->model, b->body->state,
                         &(snLatticeDrive){.rig = b->body->rig,
                                           .points = b->ends.points,
                                           .acceleration = b->acceleration}));
}

// What a call of snLattice_Adapt did, each as a share of the threshold: the least strain around functions that came, the largest
// around those that went, and around those that may be missing.
typedef struct Switched {
    double came, went, missing;
    int most;
} Switched;

static void adaptBar(Body *body, const snAdaptDef *adapt, Switched *seen)
{
    const snFineFunctions *fine = snLatticeModel_Fine(body->model);
    double *cells = measureCells(body);
    bool *before = malloc((size_t)fine->count * sizeof *before);
    for (int f = 0; f < fine->count; f++)
        before[f] = body->state->active.slotOf[f] >= 0;
    snAdaptReport report = snLattice_Adapt(body->model, body->state, adapt);
    for (int f = 0; f < fine->count; f++) {
        bool acts = body->state->active.slotOf[f] >= 0;
        double strain = strainAround(body, cells, f), up = adapt->refine[fine->level[f] - 1],
               down = adapt->coarsen[fine->level[f] - 1];
        if (acts && !before[f]) seen->came = fmin(seen->came, strain / up);
        if (!acts && before[f]) seen->went = fmax(seen->went, strain / down);
        if (!acts && report.wanted == 0) seen->missing = fmax(seen->missing, strain / up);
    }
    seen->most = seen->most > report.active ? seen->most : report.active;
    free(before);
    free(cells);
}

// Pressed slowly and let go: functions come where the strain is above one threshold, at the root first, and go where it is below the
// other; at rest there are none again.
static void strainDecides(void)
{
    snSolidDef def = adaptiveDef(SN_SCHEME_MACCRACKEN_JOY, 2);
    def.young = 4e6;
    snSolidDef plain = def;
    plain.mostActive = 0;
    snAdaptDef adapt = snDefaultAdaptDef(), none = adapt;
    adapt.mostChanges = SN_MOST_CHANGES;
    for (int level = 0; level < SN_DETAIL_LEVELS; level++) {
        adapt.refine[level] = 0.02 * (1 << level);
        adapt.coarsen[level] = 0.006 * (1 << level);
        none.refine[level] = 1e9;
    }
    Blown a = newBar(def), b = newBar(plain), coarse = newBar(def);
    Switched seen = {.came = INFINITY};
    double off = 0, offCoarse = 0, moved = 0;
    int refined[3] = {0}, cells = snLatticeModel_Fine(a.body->model)->cellCount;
    for (int s = 0; s < 300; s++) {
        double press = 8 * (s < 40 ? s / 40.0 : s < 80 ? 1 : 0), drag = s < 80 ? 0 : 4.5;
        adaptBar(a.body, &adapt, &seen);
        snLattice_Adapt(coarse.body->model, coarse.body->state, &none);
        pressBar(&a, press, drag);
        pressBar(&b, press, drag);
        pressBar(&coarse, press, drag);
        off = fmax(off, apart(a.body, b.body));
        offCoarse = fmax(offCoarse, apart(coarse.body, b.body));
        for (int i = 0; i < b.body->model->vertexCount; i++)
            moved =
                fmax(moved, snDistance(snRow(b.body->state->position, i), b.body->model->rest[i]));
        for (int c = 0; s == 79 && c < cells; c++)
            refined[3 * c / cells] += a.body->state->active.cellLevel[c] > 0;
    }
    printf("  %d functions at most, %d at the end; finer cells by thirds %d %d %d of %d\n",
           seen.most, *a.body->state->active.count, refined[0], refined[1], refined[2], cells);
    printf("  came from %.2f of the threshold on, went up to %.2f of the other, %.2f without one\n",
           seen.came, seen.went, seen.missing);
    printf("  %.1e m off the uniform body, which moved %.2f m; without finer ones %.1e m\n", off,
           moved, offCoarse);
    CHECK(seen.most > 200 && *a.body->state->active.count == 0);
    CHECK(seen.came > 0.98 && seen.went < 1.1 && seen.missing < 1.3);
    CHECK(refined[0] == cells / 3 && refined[1] > refined[2] && refined[2] < cells / 6);
    CHECK(moved > 2 && off < 0.1 * moved && offCoarse > 5 * off);
    CHECK(*coarse.body->state->active.count == 0);
    freeBlown(&coarse);
    freeBlown(&a);
    freeBlown(&b);
}

// ---- state ----------------------------------------------------------------------------------------

static void shake(Body *body, int steps)
{
    snAdaptDef adapt = snDefaultAdaptDef();
    adapt.error = 2e-3;
    for (int s = 0; s < steps; s++) {
        snLattice_Adapt(body->model, body->state, &adapt);
        step(body);
    }
}

static void sameBits(void)
{
    snSolidDef def = adaptiveDef(SN_SCHEME_MACCRACKEN_JOY, 2);
    Body *body = newBody(snDefaultContext(), BLOCK_HEXES, def, motionDef(3));
    twist(body, 6);
    shake(body, 6);
    void *bytes = malloc(body->state->blockSize);
    snLatticeState_Save(body->state, bytes);
    int count = *body->state->active.count;
    shake(body, 12);
    uint64_t hash = snLatticeState_Hash(body->state);
    int later = *body->state->active.count;
    snLatticeState_Restore(body->state, bytes);
    shake(body, 12);
    CHECK(hash == snLatticeState_Hash(body->state));
    CHECK(count > 0 && later != count);

    snContext context = snDefaultContext();
    context.tasks = (snTasks){.run = snTest_RunBackwards, .workers = 2};
    Body *other = newBody(context, BLOCK_HEXES, def, motionDef(3));
    twist(other, 6);
    shake(other, 18);
    CHECK(hash == snLatticeState_Hash(other->state));
    printf("  %d functions act, later %d\n", count, later);
    free(bytes);
    freeBody(other);
    freeBody(body);
}

static void badDefinitionsAreRefused(void)
{
    Body body = {.context = snDefaultContext()};
    snError error = {0};
    body.arena = snMakeArena(&body.context);
    body.control = makeBlock(BLOCK_HEXES, 3, 2, 2, snVec(1.5, 1, 1), &body.arena);
    snSolidDef def = adaptiveDef(SN_SCHEME_MACCRACKEN_JOY, 1);
    def.lattice = &body.control;
    snLatticeModelDef motion = motionDef(3);
    motion.solver = SN_SOLVER_NEWTON;
    CHECK(tryBuild(&body, &def, motion, &error) == SN_ERROR_UNSUPPORTED);
    release(&body);
    motion = motionDef(3);
    motion.precision = SN_PRECISION_SINGLE;
    CHECK(tryBuild(&body, &def, motion, &error) == SN_ERROR_UNSUPPORTED);
    release(&body);
    def.levels = 0;
    def.nodeLevel = 0;
    CHECK(tryBuild(&body, &def, motionDef(3), &error) == SN_ERROR_ARGUMENT);
    release(&body);
    snArena_Destroy(&body.arena);
}

static void memoryRunsOut(void)
{
    Body body = {.context = snDefaultContext()};
    body.arena = snMakeArena(&body.context);
    body.control = makeBlock(BLOCK_HEXES, 2, 2, 2, snVec(1, 1, 1), &body.arena);
    for (int failAt = 1;; failAt++) {
        snFailingMemory memory = {.failAtWay = failAt};
        snTest_UseFailingMemory(&body.context, &memory);
        snSolidDef def = adaptiveDef(SN_SCHEME_TRILINEAR, 1);
        def.lattice = &body.control;
        snStatus status = tryBuild(&body, &def, motionDef(3), NULL);
        release(&body);
        CHECK(status == SN_OK || status == SN_ERROR_MEMORY);
        CHECK(memory.alive == 0);
        if (!status) break;
    }
    body.context = snDefaultContext();
    snArena_Destroy(&body.arena);
}

int main(void)
{
    RUN(allOnIsTheUniformBody);
    RUN(mixedLevelsFallFreely);
    RUN(momentumStaysAndEnergyFalls);
    RUN(targetsAreMet);
    RUN(pointsStay);
    RUN(strainDecides);
    RUN(sameBits);
    RUN(badDefinitionsAreRefused);
    RUN(memoryRunsOut);
    return snTest_Finish();
}
