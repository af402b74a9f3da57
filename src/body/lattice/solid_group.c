// Solid bodies that bump into each other or are tied: one island (island.h) of all of them, and ties (tie.h) for
// those that hang together by points, whatever else they touch.
#include "body/lattice/island.h"
#include "body/lattice/solid_parts.h"
#include "body/lattice/tie.h"
#include "core/error.h"
#include "core/sets.h"

typedef struct snSolidGroup {
    snArena arena;
    int count;
    snSolidBody **bodies;   // [count]
    snSolidBody **awake;    // [count], scratch: those that do not sleep
    snLatticeDrive *drives; // [count]
    unsigned char *failed;  // [count]
    snLatticeIsland *island;
    // Bodies that hang together have the same ties.
    int tiesCount;
    snTies **ties;      // [tiesCount]
    int *tiesOf, *tied; // [count], numbers of ties, or -1, and of the body among theirs
    int *member;        // [count], bodies of all ties, one after another
    int *firstMember;   // [count], of ties
    int *parent;        // [count], scratch
    int queueCount;     // ties of the coming step
    int most;           //
    snBodyTie *queue;   // [most]
} snSolidGroup;

bool snSolidBody_Joins(const snBody *body)
{
    const snSolidBody *solid = (const snSolidBody *)body;
    return solid->meets || solid->self || solid->mayTie;
}

// ---- making -------------------------------------------------------------------------------------

static snStatus makeIsland(snSolidGroup *group, const snContext *context, snError *error)
{
    snArena scratch = snMakeArena(context);
    snIslandBodyDef *defs = SN_NEW(&scratch, snIslandBodyDef, group->count);
    snContactSamples *rows = SN_NEW(&scratch, snContactSamples, group->count);
    snMesh *meshes = SN_NEW(&scratch, snMesh, group->count);
    snStatus status = defs && rows && meshes ? SN_OK : snFailMemory(error);
    for (int i = 0; i < group->count && !status; i++) {
        snSolidBody *solid = group->bodies[i];
        const snSolidSurface *s = &solid->surface;
        meshes[i] = snSolidSurface_Mesh(s);
        status = snSolidSurface_Rows(s, &rows[i], &scratch, error);
        defs[i] = (snIslandBodyDef){.model = solid->model,
                                    .state = solid->state,
                                    .contacts = solid->contacts,
                                    .surface = &meshes[i],
                                    .rows = &rows[i],
                                    .offset = {solid->drawn.offset[0], solid->drawn.offset[1]},
                                    .apart = !solid->meets,
                                    .self = solid->self};
    }
    if (!status) status = snLatticeIsland_Make(&group->island, group->count, defs, context, error);
    for (int i = 0; i < group->count && !status; i++)
        if (group->bodies[i]->self && !group->island->bodies[i].self)
            status = snFail(error, SN_ERROR_GEOMETRY,
                            "the surface of body \"%s\" is open: it has no inside, and cannot bump "
                            "into itself",
                            group->bodies[i]->body.name);
    snArena_Destroy(&scratch);
    return status;
}

// Of a body that may be in another group, or in none: as many as there are.
static int numberOf(const snSolidGroup *group, const snBody *body)
{
    int i = 0;
    while (i < group->count && &group->bodies[i]->body != body)
        i++;
    return i;
}

// parent[i] = -1 where nothing is tied to it.
static snStatus findComponents(snSolidGroup *group, const snBodyJoin *join, int *parent,
                               snError *error)
{
    for (int i = 0; i < group->count; i++)
        parent[i] = -1;
    for (int t = 0; t < join->tieCount; t++) {
        int ends[2];
        for (int e = 0; e < 2; e++) {
            ends[e] = numberOf(group, join->ties[t].body[e]);
            if (ends[e] == group->count || !group->bodies[ends[e]]->mayTie)
                return snFail(error, SN_ERROR_UNSUPPORTED,
                              "points of body \"%s\" cannot be tied to others: it was not made for "
                              "it",
                              join->ties[t].body[e]->name);
            if (parent[ends[e]] < 0) parent[ends[e]] = ends[e];
        }
        if (group->bodies[ends[0]]->def.integrator != group->bodies[ends[1]]->def.integrator)
            return snFail(error, SN_ERROR_UNSUPPORTED,
                          "bodies \"%s\" and \"%s\" are tied and have different integrators; "
                          "give them the same",
                          join->ties[t].body[0]->name, join->ties[t].body[1]->name);
        snSets_Join(parent, ends[0], ends[1]);
    }
    return SN_OK;
}

typedef struct Component {
    int root, count;
    const snLatticeModel **models; // [bodies of the group]
    snLatticeState **states;
} Component;

// Ties of the bodies with a root: as many as join them, and all points that each may have held.
static snStatus makeTies(snSolidGroup *group, Component *c, int *parent, const snBodyJoin *join,
                         snError *error)
{
    int capacity = 0, held = 0, number = group->tiesCount;
    int *member = group->member + group->firstMember[number];
    c->count = 0;
    for (int i = 0; i < group->count; i++) {
        snSolidBody *solid = group->bodies[i];
        if (parent[i] < 0 || snSets_Root(parent, i) != c->root) continue;
        c->models[c->count] = solid->model;
        c->states[c->count] = solid->state;
        group->tiesOf[i] = number;
        member[c->count] = i;
        group->tied[i] = c->count++;
        held += solid->body.mostHeld;
        solid->isTied = true;
    }
    for (int t = 0; t < join->tieCount; t++)
        capacity += snSets_Root(parent, numberOf(group, join->ties[t].body[0])) == c->root;
    capacity += held < join->mostHeld ? held : join->mostHeld;
    snTiesDef def = {c->count, c->models, c->states, capacity};
    snStatus status = snTies_Make(&group->ties[number], &def, &group->bodies[0]->context, error);
    if (status) return status;
    group->tiesCount++;
    if (group->tiesCount < group->count)
        group->firstMember[number + 1] = group->firstMember[number] + c->count;
    for (int i = 0; i < group->count; i++)
        if (group->tiesOf[i] == number)
            snLatticeIsland_Tie(group->island, i, group->ties[number], group->tied[i],
                                group->tied[i] == 0);
    return SN_OK;
}

static snStatus tieAll(snSolidGroup *group, const snBodyJoin *join, const snContext *context,
                       snError *error)
{
    snArena scratch = snMakeArena(context);
    int *parent = SN_NEW(&scratch, int, group->count);
    Component c = {.models = SN_NEW(&scratch, const snLatticeModel *, group->count),
                   .states = SN_NEW(&scratch, snLatticeState *, group->count)};
    snStatus status = parent && c.models && c.states ? SN_OK : snFailMemory(error);
    if (!status) status = findComponents(group, join, parent, error);
    for (int i = 0; i < group->count && !status; i++) {
        c.root = i;
        if (parent[i] == i) status = makeTies(group, &c, parent, join, error);
    }
    snArena_Destroy(&scratch);
    return status;
}

static bool allocate(snSolidGroup *group, const snBodyJoin *join)
{
    snArena *arena = &group->arena;
    group->bodies = SN_NEW(arena, snSolidBody *, join->count);
    group->awake = SN_NEW(arena, snSolidBody *, join->count);
    group->drives = SN_NEW(arena, snLatticeDrive, join->count);
    group->failed = SN_NEW(arena, unsigned char, join->count);
    group->ties = SN_NEW(arena, snTies *, join->count);
    group->tiesOf = SN_NEW(arena, int, join->count);
    group->tied = SN_NEW(arena, int, join->count);
    group->member = SN_NEW(arena, int, join->count);
    group->firstMember = SN_NEW(arena, int, join->count);
    group->parent = SN_NEW(arena, int, join->count);
    group->queue = SN_NEW(arena, snBodyTie, join->tieCount);
    group->count = join->count;
    group->most = join->tieCount;
    return group->bodies && group->awake && group->drives && group->failed && group->ties &&
           group->tiesOf && group->tied && group->member && group->firstMember && group->parent &&
           group->queue;
}

snStatus snSolidBody_Join(const snBodyJoin *join, void **out, const snContext *context,
                          snError *error)
{
    *out = NULL;
    snArena arena = snMakeArena(context);
    snSolidGroup *group = SN_NEW(&arena, snSolidGroup, 1);
    if (!group) return snFailMemory(error);
    group->arena = arena;
    bool good = allocate(group, join);
    for (int i = 0; i < join->count && good; i++) {
        group->bodies[i] = (snSolidBody *)join->bodies[i];
        group->bodies[i]->number = i;
        group->tiesOf[i] = -1;
    }
    snStatus status = good ? makeIsland(group, context, error) : snFailMemory(error);
    if (!status) status = tieAll(group, join, context, error);
    if (status)
        snSolidGroup_Destroy(group);
    else
        *out = group;
    return status;
}

void snSolidGroup_Destroy(void *user)
{
    snSolidGroup *group = user;
    if (!group) return;
    snLatticeIsland_Destroy(group->island);
    for (int i = 0; i < group->tiesCount; i++)
        snTies_Destroy(group->ties[i]);
    snArena_DestroyWithin(&group->arena);
}

// ---- a step -------------------------------------------------------------------------------------

void snSolidGroup_Tie(void *user, const snBodyTie *tie)
{
    snSolidGroup *group = user;
    if (group->queueCount < group->most) group->queue[group->queueCount++] = *tie;
}

static snTieEnd endOf(const snSolidGroup *group, int body, int point)
{
    const snSolidPoint *p = &group->bodies[body]->points[point];
    snTieEnd end = {.body = group->tied[body], .count = p->count};
    for (int k = 0; k < p->count; k++) {
        end.vertex[k] = p->index[k];
        end.weight[k] = p->weight[k];
    }
    return end;
}

// What is drawn of a tie's ends beyond their rows, the first less the second.
static snVec3 offsetOf(const snBodyTie *tie, int end)
{
    const snSolidBody *first = (const snSolidBody *)tie->body[0];
    const snSolidBody *second = (const snSolidBody *)tie->body[1];
    return snSub(snSolidBody_Offset(first, tie->point[0], end),
                 snSolidBody_Offset(second, tie->point[1], end));
}

// Where a miss and its rate are left at the step's end, as Baumgarte's rule of the bodies has it.
static snVec3 aim(const snSolidBody *a, const snSolidBody *b, snVec3 miss, snVec3 rate)
{
    double alpha = fmax(a->def.alpha, b->def.alpha), beta = fmax(a->def.beta, b->def.beta);
    double h = a->step.length;
    return snVec(snBaumgarte(alpha, beta, h, miss.x, rate.x),
                 snBaumgarte(alpha, beta, h, miss.y, rate.y),
                 snBaumgarte(alpha, beta, h, miss.z, rate.z));
}

static bool drifts(const snSolidBody *solid)
{
    return solid->def.alpha > 0 || solid->def.beta > 0;
}

// A spring k with damping c over a step h: K = h² k + h c, and with x where the ends' rows are apart at the step's begin
// b = -h² k (x + o') - h c (o' - o), for it would have together what is drawn, beyond the rows by o at the step's begin and
// by o' at its end.
static void addTie(const snSolidGroup *group, const snBodyTie *tie)
{
    int body[2] = {((const snSolidBody *)tie->body[0])->number,
                   ((const snSolidBody *)tie->body[1])->number};
    double share = snSolidBody_Share(group->bodies[body[0]]);
    double h = share * group->bodies[body[0]]->step.length, k = h * h * tie->stiffness;
    snTie row = {.hard = tie->hard, .target = tie->apart, .stiffness = k + h * tie->damping};
    for (int e = 0; e < 2; e++)
        row.end[e] = endOf(group, body[e], tie->point[e]);
    snVec3 begin = offsetOf(tie, 0), end = offsetOf(tie, 1);
    row.origin = snSub(snSolidBody_RowPlace(group->bodies[body[0]], tie->point[0]),
                       snSolidBody_RowPlace(group->bodies[body[1]], tie->point[1]));
    row.push = snMulAdd(snScale(-k, snAdd(row.origin, end)), -h * tie->damping, snSub(end, begin));
    row.target = snSub(tie->apart, end);
    if (drifts(group->bodies[body[0]]) || drifts(group->bodies[body[1]])) { // the rule eases
        snVec3 rate = snSub(snBody_Velocity(tie->body[0], tie->point[0]),
                            snBody_Velocity(tie->body[1], tie->point[1]));
        row.target = snSub(
            aim(group->bodies[body[0]], group->bodies[body[1]], snAdd(row.origin, begin), rate),
            end);
    }
    if (share < 1) row.target = snLerp(row.origin, row.target, share);
    if (group->bodies[body[0]]->step.planar) row.target.z = row.origin.z;
    snTies_Add(group->ties[group->tiesOf[body[0]]], &row);
}

// Where a point that is held at a place is to be at the step's end.
static snVec3 aimHeld(snSolidBody *solid, int point)
{
    snSolidPoint *p = &solid->points[point];
    snVec3 given = solid->target[point], before = p->aimed ? p->before : given;
    if (!drifts(solid)) return given;
    snVec3 rate = snMulAdd(snBody_Velocity(&solid->body, point), -1 / solid->step.length,
                           snSub(given, before));
    snVec3 miss = snSub(snBody_Place(&solid->body, point), before);
    p->before = given;
    p->aimed = 1;
    return snAdd(given, aim(solid, solid, miss, rate));
}

// It is left out of this step: it sleeps, or is on its rig.
static bool sleeps(const snSolidGroup *group, int body)
{
    return group->island->bodies[body].sleeps;
}

// Those that do not sleep; how many.
static int listAwake(snSolidGroup *group)
{
    int count = 0;
    for (int i = 0; i < group->count; i++)
        if (!sleeps(group, i)) group->awake[count++] = group->bodies[i];
    return count;
}

// All that holds the bodies of the ties: each other, and places.
static void gatherTies(snSolidGroup *group)
{
    for (int i = 0; i < group->tiesCount; i++)
        snTies_Clear(group->ties[i]);
    for (int i = 0; i < group->queueCount; i++)
        addTie(group, &group->queue[i]);
    group->queueCount = 0;
    for (int i = 0; i < group->count; i++) {
        snSolidBody *solid = group->bodies[i];
        for (int p = 0; p < solid->body.mostPoints && solid->isTied && !sleeps(group, i); p++) {
            if (!solid->held[p]) solid->points[p].aimed = 0;
            if (!solid->held[p]) continue;
            snTie row = {.hard = true, .target = aimHeld(solid, p)};
            row.end[0] = endOf(group, i, p);
            row.end[1].body = SN_TIE_WORLD;
            snTies_Add(group->ties[group->tiesOf[i]], &row);
        }
    }
}

// The group's number of a body among those of ties.
static int bodyOf(const snSolidGroup *group, int ties, int number)
{
    return group->member[group->firstMember[ties] + number];
}

// Who leads those that are tied: the first that may be, or, where that sleeps, the first that is.
static int leaderOf(const snSolidGroup *group, int ties, const int *acts)
{
    int k = 0;
    while (sleeps(group, bodyOf(group, ties, k)) || (k > 0 && !acts[bodyOf(group, ties, k)]))
        k++;
    return bodyOf(group, ties, k);
}

// Those that nothing ties in this step are searched for by themselves.
static void chooseTied(snSolidGroup *group)
{
    int *acts = group->parent;
    for (int i = 0; i < group->count; i++)
        acts[i] = 0;
    for (int n = 0; n < group->tiesCount; n++) {
        const snTies *ties = group->ties[n];
        for (int t = 0; t < ties->count; t++)
            for (int e = 0; e < 2; e++)
                if (ties->list[t].end[e].body != SN_TIE_WORLD)
                    acts[bodyOf(group, n, ties->list[t].end[e].body)] = 1;
        if (ties->count > 0) acts[leaderOf(group, n, acts)] = 2;
    }
    for (int i = 0; i < group->count; i++)
        if (group->bodies[i]->isTied)
            snLatticeIsland_Tie(group->island, i, acts[i] ? group->ties[group->tiesOf[i]] : NULL,
                                group->tied[i], acts[i] == 2);
}

// Bodies that hang together by what ties them now, and whether some place holds them.
static void findAnchored(snSolidGroup *group)
{
    for (int i = 0; i < group->count; i++) {
        group->parent[i] = i;
        group->bodies[i]->anchored = false;
    }
    for (int n = 0; n < group->tiesCount; n++)
        for (int t = 0; t < group->ties[n]->count; t++) {
            const snTie *tie = &group->ties[n]->list[t];
            int a = snSets_Root(group->parent, bodyOf(group, n, tie->end[0].body)), b = a;
            bool held = tie->end[1].body == SN_TIE_WORLD;
            if (!held) b = snSets_Root(group->parent, bodyOf(group, n, tie->end[1].body));
            bool anchored = held || group->bodies[a]->anchored || group->bodies[b]->anchored;
            group->parent[a > b ? a : b] = a < b ? a : b;
            group->bodies[a < b ? a : b]->anchored = anchored;
        }
    for (int i = 0; i < group->count; i++)
        group->bodies[i]->anchored = group->bodies[snSets_Root(group->parent, i)]->anchored;
}

// By the first of the bodies that may be tied.
static void reportTies(snTies *ties, snSolidBody *solid)
{
    solid->conflicts = ties->count ? ties->conflicts : 0;
    solid->columnsSolved = ties->set->columnsSolved - ties->columnsSeen;
    solid->rowsFactored = ties->set->rowsFactored - ties->rowsSeen;
    ties->columnsSeen = ties->set->columnsSolved;
    ties->rowsSeen = ties->set->rowsFactored;
}

// Whether nobody else was searched for with it.
static bool isAlone(const snSolidGroup *group, int number)
{
    const snIslandBody *bodies = group->island->bodies;
    bool alone = true;
    for (int i = 0; i < group->count && alone; i++)
        alone = i == number || sleeps(group, i) || bodies[i].group != bodies[number].group;
    return alone;
}

void snSolidGroup_Advance(void *user, const unsigned char *asleep)
{
    snSolidGroup *group = user;
    for (int i = 0; i < group->count; i++) {
        snSolidBody *solid = group->bodies[i];
        bool out = asleep && asleep[i];
        if (!out) snSolidBody_Pose(solid);
        bool alone = !out && snSolidBody_IsOnRig(solid);
        if (alone) snSolidBody_FollowRig(solid);
        snLatticeIsland_Rest(group->island, i, out || alone);
    }
    gatherTies(group);
    chooseTied(group);
    findAnchored(group);
    for (int i = 0; i < group->count; i++)
        if (!sleeps(group, i)) group->drives[i] = snSolidBody_Drive(group->bodies[i]);
    int awake = listAwake(group);
    bool watched = snSolidBody_Watch(awake, group->awake);
    for (int i = 0; i < awake; i++)
        snSolidBody_WatchLimp(group->awake[i]);
    snLatticeIsland_Step(group->island, group->drives, group->failed);
    for (int i = 0; i < group->count; i++) {
        snSolidBody *solid = group->bodies[i];
        const snIslandBody *own = &group->island->bodies[i];
        if (sleeps(group, i)) continue;
        snSolidBody_Judge(solid, !group->failed[i]);
        watched &= !solid->failed;
        bool first = solid->isTied && (own->ties ? own->leads : group->tied[i] == 0);
        if (first) reportTies(group->ties[group->tiesOf[i]], solid);
    }
    if (watched) snSolidBody_Pay(awake, group->awake);
    for (int i = 0; i < awake; i++)
        if (isAlone(group, group->awake[i]->number)) snSolidBody_PayLimp(group->awake[i]);
}

int snSolidGroup_Partner(const void *user, int number)
{
    const snSolidGroup *group = user;
    return group->island->bodies[number].group;
}
