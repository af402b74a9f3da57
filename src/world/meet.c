// A step of bodies that meet: rounds of it, and what is put right at its end. meet.h has the story.
//
// Momentum. A row's impulse acts on both its ends, in opposite ways. In a round it is a force over the whole step, which
// changes a body's angular momentum by place x P with the place of its end at the step's begin: backward Euler's L' - L = Σ x x H f,
// x at the begin, for (x + H v') x m v' = x x m v'. Two ends that touch at the step's end were apart at its begin where one
// slid along the other. Rigid parts are pushed at the other's place; what is still between both goes to the bodies
// as couples. At the end ends are in one place but for the row's error, and yield by impulses that count as acting at
// its middle.
#include "world/meet.h"

#include "core/error.h"
#include "world/attach.h"

#include <string.h>

#define MOST_CONTACTS 160
#define TOUCHES 4096 // at a time, and as many more as all that lands may have with floors and walls
#define NEAR 3e-4    // of the smaller size: from there on the step is not taken again
#define MUCH_WORSE 2 // times
#define FARTHEST 3   // times
#define POLISHES 3
#define MOST_POLISHES 8  // where something is still deep after those
#define TIE_POLISHES 24  // where links turn a tie takes more
#define MOST_POLISH 0.05 // of the smaller size
#define EXACT 1e-9       // of the smaller size

// ---- making -------------------------------------------------------------------------------------

static bool areApart(const snWorld *world, int i, int k)
{
    bool grouped = world->joined.count > 0;
    return !grouped || !world->joined.data[i] || world->joined.data[i] != world->joined.data[k];
}

bool snMeet_IsNeeded(const snWorld *world)
{
    for (int i = 0; i < world->bodies.count; i++)
        if (world->bodies.data[i]->lands) return true;
    for (int i = 0; i < world->bodies.count; i++)
        for (int k = i + 1; k < world->bodies.count; k++)
            if (areApart(world, i, k) &&
                !snBody_Passes(world->bodies.data[i], world->bodies.data[k]))
                return true;
    return false;
}

static snStatus makeBodies(snMeet *meet, snError *error)
{
    const snWorld *world = meet->world;
    meet->bodies = SN_NEW(&meet->arena, snMeetBody, meet->count);
    if (!meet->bodies) return snFailMemory(error);
    for (int i = 0; i < meet->count; i++) {
        snMeetBody *b = &meet->bodies[i];
        b->body = world->bodies.data[i];
        b->box = snEmptyBox();
        b->group = world->joined.count ? world->joined.data[i] : 0;
        b->saved = SN_NEW(&meet->arena, char, snBody_SaveSize(b->body));
        if (!b->saved) return snFailMemory(error);
        bool can = b->body->kind->meeting && (b->body->meets || b->body->lands || b->body->yields);
        snStatus status = can ? snBody_Reserve(b->body, meet->most, error) : SN_OK;
        if (!status && can) status = snMeetBody_Make(b, b->body, &meet->arena, error);
        if (status) return status;
    }
    return SN_OK;
}

static snStatus makeRows(snMeet *meet, snError *error)
{
    snArena *arena = &meet->arena;
    size_t column = 0, n = 3 * (size_t)meet->most;
    for (int i = 0; i < meet->count; i++) {
        const snBody *body = meet->bodies[i].body;
        size_t size = meet->bodies[i].vertexCount ? snBody_YieldSize(body) : 0;
        if (size > column) column = size;
    }
    double *columns = SN_NEW(arena, double, 2 * (size_t)meet->most * column);
    meet->rows = SN_NEW(arena, snMeetRow, meet->most);
    meet->memos = SN_NEW(arena, snMeetMemo, meet->most);
    meet->memoCount = SN_NEW(arena, int, 2);
    meet->ties = SN_NEW(arena, snBodyTie, meet->mostTies);
    meet->matrix = SN_NEW(arena, double, n *n);
    meet->guess = SN_NEW(arena, double, n *n);
    meet->work = SN_NEW(arena, double, 3 * n);
    meet->solver = SN_NEW(arena, snContactRow, meet->most);
    meet->solving = SN_NEW(arena, int, meet->most);
    meet->steps = SN_NEW(arena, double, SN_MEET_ROUNDS *n);
    meet->changes = SN_NEW(arena, double, SN_MEET_ROUNDS *n);
    meet->mostTouches = TOUCHES;
    for (int i = 0; i < meet->count; i++)
        if (meet->bodies[i].body->lands) meet->mostTouches += 2 * meet->bodies[i].sampleCount;
    meet->touches = SN_NEW(arena, snMeetTouch, meet->mostTouches);
    meet->nudges = SN_NEW(arena, snBodyNudge, 2 * (size_t)meet->most);
    if (!columns || !meet->rows || !meet->memos || !meet->memoCount || !meet->ties ||
        !meet->matrix || !meet->guess || !meet->work || !meet->solver || !meet->solving ||
        !meet->steps || !meet->changes || !meet->touches || !meet->nudges)
        return snFailMemory(error);
    for (int r = 0; r < meet->most; r++)
        for (int e = 0; e < 2; e++)
            meet->rows[r].column[e] = columns + (2 * (size_t)r + (size_t)e) * column;
    return SN_OK;
}

snStatus snMeet_Make(snMeet **out, snWorld *world, int ties, snError *error)
{
    snArena arena = snMakeArena(&world->context);
    snMeet *meet = SN_NEW(&arena, snMeet, 1);
    *out = NULL;
    if (!meet) return snFailMemory(error);
    meet->arena = arena;
    meet->world = world;
    meet->count = world->bodies.count;
    meet->mostTies = ties;
    meet->most = MOST_CONTACTS + ties;
    snStatus status = makeBodies(meet, error);
    if (!status) status = snMeet_MakePairs(meet, error);
    if (!status) status = makeRows(meet, error);
    if (status)
        snMeet_Destroy(meet);
    else
        *out = meet;
    return status;
}

void snMeet_Destroy(snMeet *meet)
{
    if (!meet) return;
    snArena_DestroyWithin(&meet->arena);
}

// ---- state --------------------------------------------------------------------------------------

size_t snMeet_SaveSize(const snMeet *meet)
{
    return 2 * sizeof(int) + (size_t)meet->most * sizeof(snMeetMemo);
}

void snMeet_Save(const snMeet *meet, void *bytes)
{
    memcpy(bytes, meet->memoCount, 2 * sizeof(int));
    memcpy((char *)bytes + 2 * sizeof(int), meet->memos, (size_t)meet->most * sizeof(snMeetMemo));
}

void snMeet_Restore(snMeet *meet, const void *bytes)
{
    memcpy(meet->memoCount, bytes, 2 * sizeof(int));
    memcpy(meet->memos, (const char *)bytes + 2 * sizeof(int),
           (size_t)meet->most * sizeof(snMeetMemo));
}

static void remember(snMeet *meet)
{
    *meet->memoCount = 0;
    memset(meet->memos, 0, (size_t)meet->most * sizeof *meet->memos);
    for (int r = 0; r < meet->rowCount; r++) {
        const snMeetRow *row = &meet->rows[r];
        double now = snLength(row->impulse), last = snLength(row->last);
        if (!(now > 0)) continue;
        snMeetMemo *memo = &meet->memos[(*meet->memoCount)++];
        *memo = (snMeetMemo){
            .body = {row->body[0], row->body[1]},
            .point = {row->tie ? row->end[0].point : row->sample, row->tie ? row->end[1].point : 0},
            .tie = row->tie,
            .impulse = row->impulse};
        // What was not there a step ago is a blow: the next step does not expect it again.
        memo->carried = snScale(now > last ? last / now : 1, row->impulse);
    }
}

// ---- rounds -------------------------------------------------------------------------------------

void snMeet_Tie(snMeet *meet, const snBodyTie *tie)
{
    if (meet->tieCount < meet->mostTies) meet->ties[meet->tieCount++] = *tie;
}

static int numberOf(const snMeet *meet, const snBody *body)
{
    int i = 0;
    while (meet->bodies[i].body != body)
        i++;
    return i;
}

static void addTies(snMeet *meet)
{
    meet->room = meet->most - meet->mostTies + meet->tieCount;
    for (int t = 0; t < meet->tieCount; t++) {
        const snBodyTie *tie = &meet->ties[t];
        snMeetRow *row = &meet->rows[meet->rowCount++];
        double *column[2] = {row->column[0], row->column[1]};
        *row = (snMeetRow){.tie = true,
                           .body = {numberOf(meet, tie->body[0]), numberOf(meet, tie->body[1])},
                           .end = {{.point = tie->point[0]}, {.point = tie->point[1]}},
                           .target = tie->apart,
                           .column = {column[0], column[1]},
                           .fresh = true};
        for (int e = 0; e < 2; e++)
            row->at[e] = snBody_Place(tie->body[e], tie->point[e]);
        for (int k = 0; k < *meet->memoCount; k++) {
            const snMeetMemo *memo = &meet->memos[k];
            bool same = memo->tie && memo->body[0] == row->body[0] &&
                        memo->body[1] == row->body[1] && memo->point[0] == tie->point[0] &&
                        memo->point[1] == tie->point[1];
            if (same) row->impulse = memo->carried, row->last = memo->impulse;
        }
    }
}

// Where a row's forces act: of a rigid part and one that is not at the latter's end.
static snVec3 pushPlace(const snMeet *meet, const snMeetRow *row)
{
    if (row->body[1] < 0) return row->at[0];
    bool rigid[2] = {meet->bodies[row->body[0]].body->block == 3,
                     meet->bodies[row->body[1]].body->block == 3};
    if (rigid[0] != rigid[1]) return row->at[rigid[0] ? 1 : 0];
    return snLerp(row->at[0], row->at[1], 0.5);
}

static void thrust(const snMeet *meet)
{
    double h = meet->world->length * meet->world->def.step;
    for (int r = 0; r < meet->rowCount; r++) {
        snMeetRow *row = &meet->rows[r];
        snVec3 force = snScale(1 / h, row->impulse), place = pushPlace(meet, row);
        row->turn = snCross(place, row->impulse);
        if (snLengthSquared(row->impulse) == 0) continue;
        for (int e = 0; e < 2 && row->body[e] >= 0; e++)
            snBody_Thrust(meet->bodies[row->body[e]].body, &row->end[e], place,
                          e ? snNeg(force) : force);
    }
}

static void findErrors(snMeet *meet)
{
    for (int r = 0; r < meet->rowCount; r++) {
        snMeetRow *row = &meet->rows[r];
        snVec3 off = snSub(snMeet_EndPlace(meet, row, 0), snMeet_EndPlace(meet, row, 1));
        row->error = snSub(off, row->target);
    }
}

// How far a row is from its conditions, in sizes of the smaller body: of a contact the less of its gap and of what its impulse
// moves it by.
static double missOf(const snMeet *meet, int r)
{
    const snMeetRow *row = &meet->rows[r];
    if (row->tie) return snLength(row->error) / snMeet_Size(meet, row);
    snMat3 own = snMeet_Block(meet, meet->matrix, r, r);
    double w = snDot(row->normal, snMulMV(own, row->normal));
    double gap = snDot(row->error, row->normal), push = snDot(row->impulse, row->normal);
    return fabs(fmin(gap, w * push)) / snMeet_Size(meet, row);
}

static double worstMiss(const snMeet *meet)
{
    double worst = 0;
    for (int r = 0; r < meet->rowCount; r++)
        worst = fmax(worst, missOf(meet, r));
    return isfinite(worst) ? worst : INFINITY;
}

static double worstTie(const snMeet *meet)
{
    double worst = 0;
    for (int r = 0; r < meet->rowCount; r++)
        if (meet->rows[r].tie) worst = fmax(worst, missOf(meet, r));
    return worst;
}

static void restoreAll(const snMeet *meet)
{
    for (int i = 0; i < meet->count; i++)
        if (!snWorld_Sleeps(meet->world, i))
            snBody_Restore(meet->bodies[i].body, meet->bodies[i].saved, NULL);
}

static void takeOnce(snMeet *meet, bool first)
{
    meet->tieCount = 0;
    snWorld_BeginStep(meet->world);
    if (first) addTies(meet);
    thrust(meet);
    snWorld_AdvanceBodies(meet->world);
    snMeet_PlaceEnd(meet);
    findErrors(meet);
}

// How impulses and errors are before a round, and by how much they changed in it.
static void writeDown(snMeet *meet)
{
    size_t at = 3 * (size_t)meet->most * (size_t)meet->learned;
    meet->knownRows[meet->learned] = meet->rowCount;
    for (int r = 0; r < meet->rowCount; r++) {
        snToArray(meet->steps + at + 3 * (size_t)r, meet->rows[r].impulse);
        snToArray(meet->changes + at + 3 * (size_t)r, meet->rows[r].error);
    }
}

static void learn(snMeet *meet)
{
    size_t at = 3 * (size_t)meet->most * (size_t)meet->learned;
    for (int r = 0; r < meet->knownRows[meet->learned]; r++) {
        double now[2][3],
            *before[2] = {meet->steps + at + 3 * (size_t)r, meet->changes + at + 3 * (size_t)r};
        snToArray(now[0], meet->rows[r].impulse);
        snToArray(now[1], meet->rows[r].error);
        for (int k = 0; k < 6; k++)
            before[k / 3][k % 3] = now[k / 3][k % 3] - before[k / 3][k % 3];
    }
    meet->learned++;
}

// No farther than some times what the last round changed: what it has shown holds no farther.
static void shorten(snMeet *meet)
{
    const double *last = meet->steps + 3 * (size_t)meet->most * (size_t)(meet->learned - 1);
    double before = 0, now = 0;
    for (int k = 0; k < 3 * meet->knownRows[meet->learned - 1]; k++)
        before += last[k] * last[k];
    for (int r = 0; r < meet->rowCount; r++)
        now += snLengthSquared(snSub(meet->rows[r].solved, meet->rows[r].impulse));
    if (!(now > FARTHEST * FARTHEST * before) || !(before > 0)) return;
    double share = FARTHEST * sqrt(before / now);
    for (int r = 0; r < meet->rowCount; r++)
        meet->rows[r].solved = snLerp(meet->rows[r].impulse, meet->rows[r].solved, share);
}

// What impulses the next round has: those that would put all right, as far as is known; or those half the way back
// where the last ones made it far worse.
static void plan(snMeet *meet, double miss, double least)
{
    if (miss <= MUCH_WORSE * least) {
        snMeet_FillGuess(meet);
        snMeet_Solve(meet, meet->guess);
        if (meet->learned) shorten(meet);
        return;
    }
    for (int r = 0; r < meet->rowCount; r++)
        meet->rows[r].solved = snLerp(meet->rows[r].best, meet->rows[r].impulse, 0.5);
}

// The round that came nearest; rows that came later had no impulses in it.
static void keepBest(snMeet *meet, double miss, double *least)
{
    if (!(miss < *least)) return;
    *least = miss;
    for (int r = 0; r < meet->rowCount; r++)
        meet->rows[r].best = meet->rows[r].impulse;
}

static void takeAgain(snMeet *meet)
{
    for (int r = 0; r < meet->rowCount; r++)
        meet->rows[r].impulse = meet->rows[r].solved;
    restoreAll(meet);
    meet->rounds++;
    takeOnce(meet, false);
}

// The step again and again, until rows are near to where they are to be.
static void takeRounds(snMeet *meet)
{
    double least = INFINITY;
    meet->learned = 0;
    meet->rounds = 1;
    takeOnce(meet, true);
    for (int round = 0;; round++) {
        if (round) learn(meet);
        snMeet_Look(meet, round > 0);
        if (!meet->rowCount) return;
        findErrors(meet);
        snMeet_FillMatrix(meet, false);
        double miss = worstMiss(meet);
        bool worse = miss > MUCH_WORSE * least;
        if (miss < NEAR || (round == SN_MEET_ROUNDS && !worse)) return;
        if (round == SN_MEET_ROUNDS) break;
        keepBest(meet, miss, &least);
        plan(meet, miss, least);
        writeDown(meet);
        takeAgain(meet);
    }
    for (int r = 0; r < meet->rowCount; r++) // the last was far from the best
        meet->rows[r].solved = meet->rows[r].best;
    takeAgain(meet);
}

// ---- what is left -------------------------------------------------------------------------------

static snVec3 middleOf(const snMeet *meet, const snMeetRow *row)
{
    return snLerp(snMeet_EndPlace(meet, row, 0), snMeet_EndPlace(meet, row, 1), 0.5);
}

// All bodies yield to what rows have more than they had, in a time.
static void yield(snMeet *meet, double time)
{
    for (int i = 0; i < meet->count; i++) {
        int count = 0;
        for (int r = 0; r < meet->rowCount; r++) {
            const snMeetRow *row = &meet->rows[r];
            snVec3 more = snSub(row->solved, row->impulse);
            if (snLengthSquared(more) == 0) continue;
            snVec3 place = middleOf(meet, row);
            for (int e = 0; e < 2; e++)
                if (row->body[e] == i)
                    meet->nudges[count++] =
                        (snBodyNudge){&row->end[e], row->column[e], e ? snNeg(more) : more, place};
        }
        if (count) snBody_Yield(meet->bodies[i].body, count, meet->nudges, time, snVec(0, 0, 0));
    }
    for (int r = 0; r < meet->rowCount; r++) {
        snMeetRow *row = &meet->rows[r];
        snVec3 more = snSub(row->solved, row->impulse);
        row->turn = snAdd(row->turn, snCross(middleOf(meet, row), more));
        row->impulse = row->solved;
    }
}

// Ends that forces pushed where they were at the begin, from where the force counts.
static void giveCouples(snMeet *meet)
{
    for (int i = 0; i < meet->count; i++) {
        snVec3 couple = {0, 0, 0};
        const snMeetBody *b = &meet->bodies[i];
        if (!b->used || b->body->block == 3) continue;
        for (int r = 0; r < meet->rowCount; r++) {
            const snMeetRow *row = &meet->rows[r];
            snVec3 place = pushPlace(meet, row);
            for (int e = 0; e < 2; e++) {
                if (row->body[e] != i) continue;
                snVec3 turn = snCross(snSub(place, row->at[e]), row->impulse);
                couple = snMulAdd(couple, e ? -1 : 1, turn);
            }
        }
        if (snLengthSquared(couple) > 0) snBody_Yield(b->body, 0, NULL, 0, couple);
    }
}

// Deeper contacts are put right in later steps: light bodies would fly off.
static void boundErrors(snMeet *meet)
{
    for (int r = 0; r < meet->rowCount; r++) {
        snMeetRow *row = &meet->rows[r];
        double most = MOST_POLISH * snMeet_Size(meet, row), off = snLength(row->error);
        if (!row->tie && off > most) row->error = snScale(most / off, row->error);
    }
}

static void polish(snMeet *meet)
{
    double h = meet->world->length * meet->world->def.step;
    int most = meet->tieCount ? TIE_POLISHES : MOST_POLISHES;
    for (int k = 0; k < most; k++) {
        boundErrors(meet);
        snMeet_Solve(meet, meet->matrix);
        yield(meet, h);
        snMeet_PlaceEnd(meet);
        if (k + 1 < MOST_POLISHES) snMeet_Look(meet, true);
        findErrors(meet);
        double enough = k + 1 < POLISHES ? EXACT : k + 1 < MOST_POLISHES ? NEAR : INFINITY;
        bool met = meet->inMatrix == meet->rowCount && worstMiss(meet) < enough;
        if (met && worstTie(meet) < EXACT) break;
        snMeet_FillMatrix(meet, true);
    }
}

// What came in fast leaves at its share of the speed.
static void bounce(snMeet *meet)
{
    bool any = false;
    double h = meet->world->length * meet->world->def.step;
    for (int r = 0; r < meet->rowCount; r++) {
        snMeetRow *row = &meet->rows[r];
        snVec3 way = snMeet_Way(meet, row);
        if (!(snDot(row->impulse, row->normal) > 0)) row->bounce = 0;
        row->error = snMulAdd(snScale(1 / h, way), -row->bounce, row->normal);
        any |= row->bounce > 0;
    }
    if (!any) return;
    snMeet_SolveBounce(meet);
    for (int r = 0; r < meet->rowCount; r++) {
        meet->rows[r].solved = snAdd(meet->rows[r].solved, meet->rows[r].impulse);
        meet->rows[r].last = snVec(0, 0, 0); // a blow
    }
    yield(meet, 0);
}

void snMeet_Advance(snMeet *meet)
{
    for (int i = 0; i < meet->count; i++)
        if (!snWorld_Sleeps(meet->world, i))
            snBody_Save(meet->bodies[i].body, meet->bodies[i].saved);
    meet->rowCount = meet->inMatrix = 0;
    meet->room = meet->most - meet->mostTies;
    meet->dropped = meet->failed = false;
    snMeet_Count(meet);
    snMeet_PlaceBegin(meet);
    snMeet_Recall(meet);
    takeRounds(meet);
    if (meet->rowCount) {
        giveCouples(meet);
        snMeet_FillMatrix(meet, true);
        snMeet_PlaceEnd(meet); // of bodies that couples turned, or that were turned upright
        findErrors(meet);
        polish(meet);
        bounce(meet);
        snMeet_Pay(meet);
    }
    remember(meet);
}

void snMeet_Report(const snMeet *meet)
{
    if (meet->failed) snMeet_ReportFailure(meet);
    for (int r = 0; r < meet->rowCount; r++) {
        const snMeetRow *row = &meet->rows[r];
        snVec3 off = snSub(snMeet_EndPlace(meet, row, 0), snMeet_EndPlace(meet, row, 1));
        for (int e = 0; e < 2 && row->body[e] >= 0; e++) {
            snBodyReport *report = &meet->world->reports.data[row->body[e]];
            if (row->tie) {
                // What is eased together is apart by what is left of it; `error` is of velocities by now.
                report->conflicts += snDistance(off, row->target) > 1e-3 * snMeet_Size(meet, row);
                continue;
            }
            report->contact.touching += snDot(row->impulse, row->normal) > 0;
            report->contact.deepest = fmax(report->contact.deepest, -snDot(off, row->normal));
            report->contact.dropped += meet->dropped;
        }
    }
}
