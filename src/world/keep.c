// What a step must keep: the angular momentum of what flies.
//
// Forces f within a body that only its shape tells have no moment where they act, Σ x' × f = 0 with x' at the step's end. Backward Euler,
// m (v' - v) = h f, x' = x + h v', has them act at the end and counts them at the begin:
//     L' - L = Σ m x' × (v' - v) + Σ m (x' - x) × v = h Σ m v' × v,
// which takes (hω)² of a spin ω each step. To that comes what few iterations of a search leave: m (v' - v) - h f is not zero, and
// has a moment. In the step of a blow the latter is by far the larger one (docs/theory/meeting.md has both, measured).
//
// Both are given back together. What a free body's L' is to be is known without them,
//     L' = L + brought + Σ place × P,
// with `brought` what gravity and air bring and P what rows of the meeting phase do, at one place for both their ends. What is missing
// comes as a turn of the whole about its centre of mass, I ω = L' - L'_is: it leaves places and momentum alone, brings no strain,
// and of all changes of velocity with that effect takes the least energy (articulated_keep.c does the same for trees of links).
// Projecting on what a motion must keep after a step that does not: Hairer, Lubich, Wanner, "Geometric Numerical Integration",
// IV.4; of simulated solids and cloth: Müller, Heidelberger, Hennix, Ratcliff, "Position Based Dynamics", 2007, 3.5, who find
// the same rigid motion. Bodies of one group that touched, whose contacts are their own affair, turn together as one.
//
// Energy never grows by it. Of bodies that met, an island, the kinetic and elastic energy that there was before the step, and what gravity
// gave, bound what there may be after it. What a turn brings beyond is taken from how they move beside the motion of the whole,
// T = P²/2m + S·I⁻¹S/2 + T_within, by a share of it that stays; where that does not do the turn is made smaller.
#include "world/keep.h"

#include "core/sets.h"
#include "core/tasks.h"
#include "skeleton/spatial.h"
#include "world/meet.h"

#define LEAST 1e-10 // of √(2 T tr I): what is missing less is rounding

// ---- before the step ------------------------------------------------------------------------------

// Something lies over it, and presses.
static bool isUnder(const snWorld *world, const snBody *body)
{
    bool under = false;
    for (int i = 0; i < world->bodies.count && !under; i++)
        under = world->bodies.data[i]->over == body;
    return under;
}

static void askSome(int begin, int end, int worker, void *context)
{
    snWorld *world = context;
    (void)worker;
    for (int i = begin; i < end; i++) {
        snBody *body = world->bodies.data[i];
        snKept *kept = &world->kept.data[i];
        *kept = (snKept){.cluster = i};
        kept->asked = body->keeps && !snWorld_Sleeps(world, i) && !isUnder(world, body) &&
                      !snBody_Leans(body);
        if (!kept->asked) continue;
        world->before.data[i].elastic = snBody_Elastic(body);
    }
}

static bool hasAny(const snWorld *world)
{
    bool any = false;
    for (int i = 0; i < world->bodies.count; i++)
        any |= world->bodies.data[i]->keeps;
    return any && !world->def.planar;
}

void snWorld_KeepBegin(snWorld *world)
{
    if (!hasAny(world)) return;
    snParallelFor(&world->context.tasks, world->bodies.count, 1, askSome, world);
}

// ---- who hangs together ---------------------------------------------------------------------------

static void joinClusters(snWorld *world)
{
    for (int g = 0; g < world->groups.count; g++) {
        const snWorldGroup *group = &world->groups.data[g];
        int number = 0, first[2] = {0, 0};
        for (int i = 0; i < world->bodies.count && group->kind->partner; i++) {
            if (world->joined.data[i] != g + 1) continue;
            int partner = group->kind->partner(group->group, number++);
            for (first[0] = first[1] = 0; first[1] <= partner; first[0]++)
                first[1] += world->joined.data[first[0]] == g + 1;
            world->kept.data[i].cluster = first[0] - 1;
        }
    }
}

// And what rows bring.
static void joinIslands(snWorld *world)
{
    const snMeet *meet = world->meet;
    int *up = world->islands.data;
    snSets_Begin(up, world->bodies.count);
    for (int i = 0; i < world->bodies.count; i++)
        snSets_Join(up, i, world->kept.data[i].cluster);
    for (int r = 0; meet && r < meet->rowCount; r++) {
        const snMeetRow *row = &meet->rows[r];
        if (snLengthSquared(row->impulse) + snLengthSquared(row->turn) == 0) continue;
        if (row->body[1] >= 0) snSets_Join(up, row->body[0], row->body[1]);
        for (int e = 0; e < 2 && row->body[e] >= 0; e++) {
            snKept *kept = &world->kept.data[row->body[e]];
            kept->wanted = snMulAdd(kept->wanted, e ? -1 : 1, row->turn);
        }
    }
    for (int i = 0; i < world->bodies.count; i++)
        world->kept.data[i].island = snSets_Root(up, i);
}

static void findFree(snWorld *world)
{
    for (int i = 0; i < world->bodies.count; i++) {
        snKept *kept = &world->kept.data[i];
        snVec3 brought;
        if (!kept->asked) continue;
        kept->free = snBody_IsFree(world->bodies.data[i], &world->before.data[i], &brought);
        kept->wanted = snAdd(world->before.data[i].angularMomentum, brought);
        if (kept->free) snBody_Motion(world->bodies.data[i], &kept->after);
    }
}

// ---- turning --------------------------------------------------------------------------------------

// Bodies that turn as one.
typedef struct Whole {
    double mass, kinetic;
    snVec3 center, momentum, angular, missing;
    snMat3 inertia;
    bool exact; // they keep it by themselves
} Whole;

static Whole gather(const snWorld *world, int cluster)
{
    Whole w = {0};
    for (int i = cluster; i < world->bodies.count; i++) {
        const snKept *kept = &world->kept.data[i];
        if (kept->cluster != cluster) continue;
        w.mass += kept->after.mass;
        w.kinetic += kept->after.kinetic;
        w.center = snMulAdd(w.center, kept->after.mass, kept->after.center);
        w.momentum = snAdd(w.momentum, kept->after.momentum);
        w.angular = snAdd(w.angular, kept->after.angularMomentum);
        w.missing = snAdd(w.missing, snSub(kept->wanted, kept->after.angularMomentum));
        w.exact |= world->bodies.data[i]->exact;
    }
    w.center = snScale(1 / w.mass, w.center);
    for (int i = cluster; i < world->bodies.count; i++) {
        const snKept *kept = &world->kept.data[i];
        if (kept->cluster != cluster) continue;
        snMat3 far = snPointInertia(snSub(kept->after.center, w.center));
        w.inertia = snAddMM(w.inertia, kept->after.inertia);
        w.inertia = snAddMM(w.inertia, snScaleM(kept->after.mass, far));
    }
    return w;
}

// About the centre; 0 where nothing is to be done.
static snVec3 spinOf(const Whole *w)
{
    double scale = sqrt(2 * w->kinetic * snTrace(w->inertia));
    bool less = !(snLength(w->missing) > LEAST * scale) || !(snDet(w->inertia) > 0);
    return w->exact || less ? snVec(0, 0, 0) : snMulMV(snInverse3(w->inertia), w->missing);
}

static snVec3 ownMoment(const Whole *w)
{
    return snSub(w->angular, snCross(w->center, w->momentum));
}

static bool isWhole(const snWorld *world, int island)
{
    for (int i = island; i < world->bodies.count; i++)
        if (world->kept.data[i].island == island && !world->kept.data[i].free) return false;
    return true;
}

// What may be given: what there was, and what gravity gave, less what there is.
static double energyLeft(const snWorld *world, int island)
{
    snVec3 gravity =
        snAdd(snWorld_Gravity(world, (double)(world->ticks + world->length) * world->def.step),
              world->push);
    double left = 0;
    for (int i = island; i < world->bodies.count; i++) {
        const snKept *kept = &world->kept.data[i];
        if (kept->island != island) continue;
        const snBodyMeasure *before = &world->before.data[i];
        snVec3 fall = snScale(before->mass, snSub(kept->after.center, before->center));
        left += before->kinetic + before->elastic + snDot(gravity, fall);
        left -= kept->after.kinetic + snBody_Elastic(world->bodies.data[i]);
    }
    return left;
}

// s of 0 ... 1 with s a + s² b = left, where the whole of it is more.
static double shareOf(double a, double b, double left)
{
    if (a + b <= left) return 1;
    return left > 0 ? fmin(1, (-a + sqrt(a * a + 4 * b * left)) / (2 * b)) : 0;
}

// What is done to all of an island.
typedef struct Plan {
    double turned, stays; // shares of turns, and of the motion within
} Plan;

static bool isFirst(const snWorld *world, int body, int island)
{
    return world->kept.data[body].cluster == body && world->kept.data[body].island == island;
}

static Plan makePlan(snWorld *world, int island)
{
    double a = 0, b = 0, within = 0;
    for (int c = island; c < world->bodies.count; c++) {
        if (!isFirst(world, c, island)) continue;
        Whole w = gather(world, c);
        snVec3 turn = spinOf(&w), own = ownMoment(&w);
        if (snLengthSquared(turn) == 0) continue;
        a += snDot(turn, own);
        b += 0.5 * snDot(turn, snMulMV(w.inertia, turn));
        within += w.kinetic - 0.5 * snLengthSquared(w.momentum) / w.mass -
                  0.5 * snDot(own, snMulMV(snInverse3(w.inertia), own));
    }
    if (!(a + b > 0)) return (Plan){1, 1}; // it slows down, or there is nothing to do
    double left = fmax(0, energyLeft(world, island)), beyond = a + b - left;
    within = fmax(0, within);
    if (!(beyond > 0)) return (Plan){1, 1};
    if (beyond < within) return (Plan){1, sqrt(1 - beyond / within)};
    return (Plan){shareOf(a, b, left + within), 0};
}

static void turnCluster(snWorld *world, int cluster, const Plan *plan)
{
    Whole w = gather(world, cluster);
    snVec3 turn = spinOf(&w);
    if (snLengthSquared(turn) == 0) return;
    snVec3 is = snMulMV(snInverse3(w.inertia), ownMoment(&w));
    snBodyStir stir = {.share = plan->stays,
                       .center = w.center,
                       .velocity = snScale((1 - plan->stays) / w.mass, w.momentum),
                       .spin = snMulAdd(snScale(plan->turned, turn), 1 - plan->stays, is)};
    for (int i = cluster; i < world->bodies.count; i++)
        if (world->kept.data[i].cluster == cluster) snBody_Stir(world->bodies.data[i], &stir);
}

static void turnIsland(snWorld *world, int island)
{
    Plan plan = makePlan(world, island);
    for (int c = island; c < world->bodies.count; c++)
        if (isFirst(world, c, island)) turnCluster(world, c, &plan);
}

void snWorld_KeepEnd(snWorld *world)
{
    if (!hasAny(world)) return;
    findFree(world);
    joinClusters(world);
    joinIslands(world);
    for (int i = 0; i < world->bodies.count; i++)
        if (world->kept.data[i].island == i && isWhole(world, i)) turnIsland(world, i);
}
