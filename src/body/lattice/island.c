#include "body/lattice/island_parts.h"

#include "body/lattice/contact_parts.h"
#include "body/lattice/space_levels.h"
#include "body/lattice/tie.h"
#include "contact/law.h"
#include "core/error.h"
#include "core/sets.h"
#include "core/tasks.h"
#include "geometry/primitive.h"

#include <string.h>

#define GRAIN 128 // samples per piece of a parallel loop
#define BESIDE 3  // reaches around a point that is tied to a body: there they do not touch
#define LEFT 0.5  // of where contact begins: where what was left inside is put
#define SHARE 0.5 // of friction's stiffness: both sides have samples

// ---- making -------------------------------------------------------------------------------------

// Steps of bodies that touch are of one length; those that are apart may go by another rule.
static snStatus check(int count, const snIslandBodyDef *bodies, snError *error)
{
    const snIslandBodyDef *first = NULL;
    for (int i = 0; i < count; i++) {
        const snIslandBodyDef *def = &bodies[i];
        if (!def->contacts || !def->contacts->dual || def->state->lanes != 1)
            return snFail(error, SN_ERROR_ARGUMENT,
                          "body %d of an island has no exact contacts, or several lanes", i);
        if (!def->apart && !first) first = def;
        if (!def->apart && def->model->def.step != first->model->def.step)
            return snFail(error, SN_ERROR_ARGUMENT,
                          "body %d of an island has steps of %g s, the first of %g s", i,
                          def->model->def.step, first->model->def.step);
        if (def->contacts->rig.place)
            return snFail(error, SN_ERROR_UNSUPPORTED,
                          "body %d of an island is drawn by a rig: characters touch no bodies", i);
        for (int k = 0; k < def->rows->start[def->surface->vertexCount]; k++) {
            int v = def->rows->vertex[k];
            if (v < 0 || v >= def->model->lattice.vertexCount)
                return snFail(error, SN_ERROR_ARGUMENT,
                              "the surface of body %d hangs on vertex %d; its lattice has %d", i, v,
                              def->model->lattice.vertexCount);
        }
    }
    return SN_OK;
}

static snStatus copyRows(snIslandBody *body, const snIslandBodyDef *def, snArena *arena,
                         snError *error)
{
    int n = def->surface->vertexCount, entries = def->rows->start[n];
    body->vertexCount = n;
    body->start = SN_COPY(arena, int, def->rows->start, n + 1);
    body->vertex = SN_NEW(arena, int, entries);
    body->weight = SN_COPY(arena, double, def->rows->weight, entries);
    body->begin = SN_NEW(arena, snVec3, n);
    body->end = SN_NEW(arena, snVec3, n);
    if (!body->start || !body->vertex || !body->weight || !body->begin || !body->end)
        return snFailMemory(error);
    for (int k = 0; k < entries; k++)
        body->vertex[k] = def->model->indexOf[def->rows->vertex[k]];
    return SN_OK;
}

static snStatus makeBody(snIslandBody *body, const snIslandBodyDef *def, snArena *arena,
                         snError *error)
{
    *body = (snIslandBody){.model = def->model,
                           .state = def->state,
                           .contacts = def->contacts,
                           .offset = {def->offset[0], def->offset[1]}};
    snStatus status = copyRows(body, def, arena, error);
    body->collider = snMakeCollider(SN_COLLIDER_SHELL);
    double depth = 2 * def->contacts->reach;
    if (!status) status = snShell_Make(&body->collider.shell, def->surface, depth, arena, error);
    if (status) return status;
    const snShell *shell = body->collider.shell;
    body->sourceOf = SN_NEW(arena, int, shell->tree.mesh.vertexCount);
    if (!body->sourceOf) return snFailMemory(error);
    for (int v = body->vertexCount - 1; v >= 0; v--)
        body->sourceOf[shell->weldOf[v]] = v;
    int samples = def->contacts->sampleCount;
    body->clear = SN_NEW(arena, double, samples);
    body->since = SN_NEW(arena, double, samples);
    body->clearOf = SN_NEW(arena, int, samples);
    if (!body->clear || !body->since || !body->clearOf) return snFailMemory(error);
    for (int s = 0; s < samples; s++)
        body->clearOf[s] = -1;
    body->apart = def->apart;
    body->self = def->self && shell->closed;
    body->rest = SN_COPY(arena, snVec3, shell->end, body->self ? shell->tree.mesh.vertexCount : 0);
    return body->rest ? snIsland_FindSpots(body, arena, error) : snFailMemory(error);
}

static int widestRow(const snIslandBody *body)
{
    int most = 0;
    for (int v = 0; v < body->vertexCount; v++)
        if (body->start[v + 1] - body->start[v] > most) most = body->start[v + 1] - body->start[v];
    return 3 * most;
}

static bool mayMeet(const void *context, int i, int k)
{
    const snLatticeIsland *island = context;
    return !island->bodies[i].apart && !island->bodies[k].apart;
}

// As they are at rest: the tree is asked anew where they are when a step begins.
static snStatus makePairs(snLatticeIsland *island, snError *error)
{
    int n = island->count, most = snMostPairs(n);
    snBox *boxes = SN_NEW(&island->arena, snBox, n);
    island->near = SN_NEW(&island->arena, snPair, most);
    if (!boxes || !island->near) return snFailMemory(error);
    for (int i = 0; i < n; i++)
        boxes[i] = island->bodies[i].collider.shell->tree.tree.nodes[0].box;
    return snPairs_Make(&island->pairs, n, boxes, most, mayMeet, island, &island->arena, error);
}

static snStatus make(snLatticeIsland *island, const snIslandBodyDef *defs, snError *error)
{
    snArena *arena = &island->arena;
    int most = 0;
    snStatus status = SN_OK;
    island->bodies = SN_NEW(arena, snIslandBody, island->count);
    island->search = SN_NEW(arena, snSearchBody, island->count);
    island->contacts = SN_NEW(arena, snLatticeContacts *, island->count);
    island->up = SN_NEW(arena, int, island->count);
    if (!island->bodies || !island->search || !island->contacts || !island->up)
        return snFailMemory(error);
    for (int i = 0; i < island->count && !status; i++) {
        status = makeBody(&island->bodies[i], &defs[i], arena, error);
        if (status) return status;
        int width = widestRow(&island->bodies[i]);
        if (width > island->width) island->width = width;
        most += defs[i].contacts->sampleCount * (defs[i].contacts->touches + 1);
    }
    for (int i = 0; i < island->count; i++) {
        snIslandBody *body = &island->bodies[i];
        size_t records =
            (size_t)body->contacts->sampleCount * (size_t)(body->contacts->touches + 1);
        body->otherVertex = SN_NEW(arena, int, records *(size_t)island->width);
        body->otherWeight = SN_NEW(arena, double, records *(size_t)island->width);
        if (!body->otherVertex || !body->otherWeight) return snFailMemory(error);
    }
    status = makePairs(island, error);
    return status ? status : snContactDual_Make(&island->dual, most, island->count, arena, error);
}

snStatus snLatticeIsland_Make(snLatticeIsland **out, int count, const snIslandBodyDef *bodies,
                              const snContext *context, snError *error)
{
    *out = NULL;
    snStatus status = check(count, bodies, error);
    if (status) return status;
    snArena arena = snMakeArena(context);
    snLatticeIsland *island = SN_NEW(&arena, snLatticeIsland, 1);
    if (!island) return snFailMemory(error);
    island->arena = arena;
    island->count = count;
    status = make(island, bodies, error);
    if (status)
        snLatticeIsland_Destroy(island);
    else
        *out = island;
    return status;
}

void snLatticeIsland_Destroy(snLatticeIsland *island)
{
    if (!island) return;
    snArena_DestroyWithin(&island->arena);
}

// ---- who touches whom ---------------------------------------------------------------------------

// Where the surface is at the step's begin and at its first guess.
static void placeSurface(snIslandBody *body)
{
    double before = 0, within = 0;
    body->box = snEmptyBox();
    for (int v = 0; v < body->vertexCount; v++) {
        snVec3 last = body->end[v];
        int first = body->start[v], count = body->start[v + 1] - first;
        body->begin[v] =
            snRowPlace(count, body->vertex + first, body->weight + first, body->state->position);
        body->end[v] =
            snRowPlace(count, body->vertex + first, body->weight + first, body->state->next);
        if (body->offset[0]) body->begin[v] = snAdd(body->begin[v], body->offset[0][v]);
        if (body->offset[1]) body->end[v] = snAdd(body->end[v], body->offset[1][v]);
        body->box = snBoxAdd(snBoxAdd(body->box, body->begin[v]), body->end[v]);
        before = fmax(before, snDistance(last, body->begin[v]));
        within = fmax(within, snDistance(body->begin[v], body->end[v]));
    }
    body->travel += before + within;
    body->box = snBox_Grow(body->box, body->contacts->reach + body->contacts->sway);
}

// The row of the point that is touched, with negative weights, in the place of a record.
static int touchedRow(const snLatticeIsland *island, const snIslandBody *own,
                      const snIslandBody *other, size_t place, const snTouch *touch)
{
    const snShell *shell = other->collider.shell;
    int *vertex = own->otherVertex + place * (size_t)island->width, count = 0;
    double *weight = own->otherWeight + place * (size_t)island->width;
    for (int k = 0; k < 3; k++) {
        int v = other->sourceOf[shell->triangles[3 * touch->triangle + k]];
        for (int i = other->start[v]; i < other->start[v + 1]; i++) {
            vertex[count] = other->vertex[i];
            weight[count++] = -touch->barycentric[k] * other->weight[i];
        }
    }
    return count;
}

// What is drawn of the touched point beyond its row, at the step's begin or end.
static snVec3 touchedOffset(const snIslandBody *other, const snTouch *touch, int end)
{
    const snShell *shell = other->collider.shell;
    snVec3 sum = {0, 0, 0};
    for (int k = 0; k < 3 && other->offset[end]; k++) {
        int v = other->sourceOf[shell->triangles[3 * touch->triangle + k]];
        sum = snMulAdd(sum, touch->barycentric[k], other->offset[end][v]);
    }
    return sum;
}

void snIsland_KeepTouch(const snIslandLook *look, int s, const snTouch *touch)
{
    const snLatticeIsland *island = look->island;
    snIslandBody *own = look->own;
    snLatticeContacts *c = own->contacts;
    const snIslandBody *other = &island->bodies[look->other];
    int who = SN_CONTACT_BODY + look->other;
    snContactRecord *r = snLatticeContacts_Take(c, s, touch->distance);
    if (!r) return;
    size_t place = (size_t)(r - c->records);
    snFriction before = snLatticeContacts_Friction(c, s, who);
    double stiffness = SHARE / (1 / c->stiffness[s] + other->contacts->rung->softness);
    double push = snMixFriction(c->friction, other->contacts->friction) * before.force;
    snVec3 begin = snSub(snSampleOffset(c, s, 0), touchedOffset(other, touch, 0));
    snVec3 end = snSub(snSampleOffset(c, s, 1), touchedOffset(other, touch, 1));
    snVec3 move = snSub(begin, end);
    *r = (snContactRecord){.sample = s,
                           .who = who,
                           .otherVertex = own->otherVertex + place * (size_t)island->width,
                           .otherWeight = own->otherWeight + place * (size_t)island->width,
                           .other = other->contacts,
                           .normal = touch->normal,
                           .constant = snDot(touch->normal, end),
                           .thick = fmax(c->thickness, other->contacts->thickness),
                           .stiffness = stiffness,
                           .hard = stiffness,
                           .bound = touch->distance,
                           .slide = push / stiffness};
    r->drift = snDot(touch->normal, move) / c->model->def.step;
    r->slip = snAlongSurface(snSub(before.slip, move), touch->normal);
    r->otherCount = touchedRow(island, own, other, place, touch);
    if (look->last) {
        r->thick *= LEFT;
        return;
    }
    snLatticeContacts_LimitExit(c, r, move);
    double e = snMixRestitution(c->restitution, other->contacts->restitution);
    if (e > 0) snLatticeContacts_FindBounce(c, r, e, move);
}

bool snIsland_IsTied(const snIslandLook *look, int sample)
{
    const snIslandBody *own = look->own, *other = &look->island->bodies[look->other];
    const snTies *ties = own->ties;
    if (!ties || ties != other->ties) return false;
    for (int i = 0; i < ties->count; i++)
        for (int e = 0; e < 2; e++) {
            const snTie *tie = &ties->list[i];
            bool ours = tie->end[e].body == own->tied && tie->end[1 - e].body == other->tied;
            if (ours && snDistance(own->contacts->rest[sample], tie->rest[e]) <
                            BESIDE * own->contacts->reach)
                return true;
        }
    return false;
}

// Whether a sample is so far out of another body that no look along its way finds anything, from what was found before or
// is now. From where its way ends at a distance D of the surface's end, a way that is no longer than l, with what the surface goes
// itself, leads to nothing that is as near as a reach if D > reach + 2 l (sweepShape in collider.c). Samples are means of vertices: they
// go no farther.
static bool isClear(const snIslandLook *look, int s, snVec3 from, double reach)
{
    snIslandBody *own = look->own;
    const snIslandBody *other = &look->island->bodies[look->other];
    const snShell *shell = other->collider.shell;
    double gone = own->travel + other->travel;
    snVec3 to = own->contacts->place[s];
    double needed = reach + 2.01 * (snDistance(from, to) + shell->moved);
    if (!shell->closed) return false;
    if (own->clearOf[s] == look->other && own->clear[s] - (gone - own->since[s]) > needed)
        return true;
    snTouch touch;
    if (!snCollider_Query(&other->collider, to, INFINITY, &touch)) return false;
    own->clear[s] = touch.distance;
    own->clearOf[s] = look->other;
    own->since[s] = gone;
    return touch.distance > needed;
}

static void lookPiece(int begin, int end, int worker, void *context)
{
    (void)worker;
    const snIslandLook *look = context;
    snLatticeContacts *c = look->own->contacts;
    const snIslandBody *other = &look->island->bodies[look->other];
    for (int s = begin; s < end; s++) {
        snVec3 to = c->place[s], from = snSampleBegin(c, s);
        snTouch touch;
        if (!(c->stiffness[s] > 0) || !snIsFinite3(to)) continue;
        if (!snBoxOverlap(other->box, (snBox){snMin(from, to), snMax(from, to)})) continue;
        if (snIsland_IsTied(look, s)) continue;
        double reach = c->reach + c->sway + other->contacts->sway;
        int who = SN_CONTACT_BODY + look->other;
        if (isClear(look, s, from, reach)) continue;
        if (snCollider_Sweep(&other->collider, from, to, reach, &touch) &&
            snLatticeContacts_Counts(c, s, who, &touch) && snIsland_Faces(look, s, &touch))
            snIsland_KeepTouch(look, s, &touch);
    }
}

// Of a group alone, or of all bodies where it is below 0.
static bool isOf(const snIslandBody *body, int group)
{
    return body->ready && (group < 0 || body->group == group);
}

// Whether it touches nothing, whatever happens.
static bool isAlone(const snIslandBody *body)
{
    const snLatticeContacts *c = body->contacts;
    return body->apart && !body->self && !c->colliderCount && !c->self;
}

// Which bodies are near each other, and have their surfaces in place for it.
static void placeNear(snLatticeIsland *island, int group)
{
    snPairs *pairs = &island->pairs;
    int count = 0;
    for (int i = 0; i < island->count; i++) {
        island->bodies[i].near = island->bodies[i].self && isOf(&island->bodies[i], group);
        pairs->boxes[i] = island->bodies[i].ready ? island->bodies[i].box : snEmptyBox();
    }
    (void)snPairs_Find(pairs);
    for (int p = 0; p < pairs->count; p++) {
        snPair pair = pairs->list[p];
        snIslandBody *a = &island->bodies[pair.one], *b = &island->bodies[pair.other];
        if (!isOf(a, group) || !isOf(b, group) || !snBoxOverlap(a->box, b->box)) continue;
        a->near = b->near = true;
        island->near[count++] = pair;
    }
    island->nearCount = count;
    for (int i = 0; i < island->count; i++)
        if (island->bodies[i].near)
            snShell_Place(island->bodies[i].collider.shell, island->bodies[i].begin,
                          island->bodies[i].end);
}

static void lookAt(const snLatticeIsland *island, int i, int k, bool last)
{
    snIslandBody *body = &island->bodies[i];
    snIslandLook look = {island, body, k, false};
    snParallelFor(&body->model->context.tasks, body->contacts->sampleCount, GRAIN, lookPiece,
                  &look);
    if (last) snIsland_LookForLeft(&look);
}

static void lookAtItself(const snLatticeIsland *island, int i, int group)
{
    snIslandBody *body = &island->bodies[i];
    snIslandLook look = {island, body, i, false};
    if (body->self && isOf(body, group)) snIsland_LookAtItself(&look);
}

// Each body looks at the others in the order of their numbers, itself among them.
static void lookAtEachOther(snLatticeIsland *island, int group, bool last)
{
    int own = 0;
    placeNear(island, group);
    for (int p = 0; p < island->nearCount; p++) {
        snPair pair = island->near[p];
        for (; own <= pair.one; own++)
            lookAtItself(island, own, group);
        lookAt(island, pair.one, pair.other, last);
        lookAt(island, pair.other, pair.one, last);
    }
    for (; own < island->count; own++)
        lookAtItself(island, own, group);
}

// Bodies between which there is a record or a tie have the same group: the lowest number among them.
static void findGroups(snLatticeIsland *island)
{
    snSets_Begin(island->up, island->count);
    for (int i = 0; i < island->count; i++) {
        const snLatticeContacts *c = island->bodies[i].contacts;
        for (int k = 0; k < c->recordCount && island->bodies[i].ready; k++)
            if (c->records[k].who >= SN_CONTACT_BODY)
                snSets_Join(island->up, i, c->records[k].who - SN_CONTACT_BODY);
        int k = 0; // the first that hangs together with it: the rest do already
        while (k < i && island->bodies[k].ties != island->bodies[i].ties)
            k++;
        if (k < i && island->bodies[i].ties) snSets_Join(island->up, i, k);
    }
    for (int i = 0; i < island->count; i++)
        island->bodies[i].group = snSets_Root(island->up, i);
}

// ---- the step -----------------------------------------------------------------------------------

void snLatticeIsland_Tie(snLatticeIsland *island, int body, snTies *ties, int number, bool leads)
{
    island->bodies[body].ties = ties;
    island->bodies[body].tied = number;
    island->bodies[body].leads = leads;
    if (ties) ties->bodies[number].contacts = island->bodies[body].contacts;
}

void snLatticeIsland_Rest(snLatticeIsland *island, int body, bool sleeps)
{
    island->bodies[body].sleeps = sleeps;
}

// Points that are tied go to their places in the first guesses; all of their bodies are ready, or none.
static void beginTies(snLatticeIsland *island, snTies *ties)
{
    bool ready = true;
    for (int i = 0; i < island->count; i++) {
        const snIslandBody *body = &island->bodies[i];
        if (body->ties != ties) continue;
        snTies_SetRung(ties, body->tied, body->rung);
        ready &= body->ready;
    }
    if (ready) ready = snTies_Begin(ties);
    for (int i = 0; i < island->count; i++)
        if (island->bodies[i].ties == ties) island->bodies[i].ready = ready;
}

// What touches a body moves those that it is tied to as well.
static void tellContacts(snIslandBody *body)
{
    const snTies *ties = body->ties;
    body->contacts->ties = ties && ties->knownCount ? body->ties : NULL;
}

// Vertices of bodies whose functions come and go that records and ties read and write.
static void listTouched(snLatticeIsland *island, int group)
{
    for (int i = 0; i < island->count; i++) {
        snIslandBody *body = &island->bodies[i];
        if (!isOf(body, group)) continue;
        snSpaceLevels_ListContacts(body->rung, body->state, &body->drive);
    }
    for (int i = 0; i < island->count; i++) {
        const snIslandBody *body = &island->bodies[i];
        const snLatticeContacts *c = body->contacts;
        if (!isOf(body, group)) continue;
        if (body->ties && body->leads) snTies_ListVertices(body->ties);
        for (int k = 0; k < c->recordCount; k++) {
            const snContactRecord *r = &c->records[k];
            if (!r->other) continue;
            const snIslandBody *other = &island->bodies[r->who - SN_CONTACT_BODY];
            snSpaceLevels_ListRow(other->rung, other->state, r->otherCount, r->otherVertex);
        }
    }
}

// What touches, of a group or of all, where the bodies are in their state->next.
static void findRecords(snLatticeIsland *island, int group, bool last)
{
    for (int i = 0; i < island->count; i++) {
        snIslandBody *body = &island->bodies[i];
        if (!isOf(body, group)) continue;
        snSpaceLevels_ShowAll(body->rung, body->state);
        if (isAlone(body)) {
            snLatticeContacts_Begin(body->contacts, body->state, body->drive.rig);
            continue;
        }
        snLatticeContacts_Look(body->contacts, body->state, body->drive.rig);
        placeSurface(body);
    }
    lookAtEachOther(island, group, last);
    for (int i = 0; i < island->count; i++)
        if (isOf(&island->bodies[i], group) && !isAlone(&island->bodies[i]))
            snLatticeContacts_Gather(island->bodies[i].contacts);
    listTouched(island, group);
}

static void renew(void *context, bool last)
{
    snLatticeIsland *island = context;
    findRecords(island, island->searched, last);
}

static void prepare(snLatticeIsland *island, const snLatticeDrive *drives)
{
    for (int i = 0; i < island->count; i++) {
        snIslandBody *body = &island->bodies[i];
        body->ready = false;
        if (body->sleeps) continue;
        body->drive = drives[i];
        body->drive.contacts = body->contacts;
        body->rung = snLattice_Climb(body->model, body->state, &body->drive);
        body->ready = snLattice_PrepareStep(body->rung, body->state, &body->drive);
    }
    for (int i = 0; i < island->count; i++)
        if (island->bodies[i].ties && island->bodies[i].leads)
            beginTies(island, island->bodies[i].ties);
    findRecords(island, -1, false);
    findGroups(island);
}

// The bodies of a group, to the island's lists; a body alone has its own system of contacts.
static int list(snLatticeIsland *island, int group)
{
    int count = 0;
    for (int i = 0; i < island->count; i++) {
        snIslandBody *body = &island->bodies[i];
        if (body->group != group || !body->ready) continue;
        island->search[count] =
            (snSearchBody){.model = body->rung, .state = body->state, .drive = &body->drive};
        if (body->leads) island->search[count].ties = body->ties;
        island->contacts[count++] = body->contacts;
    }
    return count;
}

static bool solve(snLatticeIsland *island, int count)
{
    snContactDual *dual = count > 1 ? island->dual : island->contacts[0]->dual;
    int records = 0;
    bool fast = false, tied = false;
    for (int i = 0; i < count; i++) {
        records += island->contacts[i]->recordCount;
        fast |= snLatticeContacts_IsFast(island->contacts[i]);
        tied |= island->search[i].ties != NULL;
    }
    if (records > 0) snContactDual_Begin(dual, count, island->contacts);
    dual->renew = fast && !tied ? renew : NULL; // rounding of stiff springs adds up with every look
    dual->renewContext = island;
    bool found = snSearch_Together(count, island->search, records > 0 ? dual : NULL);
    for (int i = 0; i < count; i++) {
        const snSearchBody *body = &island->search[i];
        if (found) continue;
        snLattice_FinishStep(body->model, body->state, body->drive, false);
    }
    if (!found) return false;
    for (int i = 0; i < count; i++)
        if (island->search[i].ties) snTies_AddLoads(island->search[i].ties);
    for (int i = 0; i < count; i++) {
        snSearchBody *body = &island->search[i];
        snLattice_FinishStep(body->model, body->state, body->drive, true);
        body->contacts = island->contacts[i];
    }
    if (records > 0) snSearch_Bounce(count, island->search, dual);
    return true;
}

int snLatticeIsland_Step(snLatticeIsland *island, const snLatticeDrive *drives,
                         unsigned char *failed)
{
    int failures = 0;
    prepare(island, drives);
    for (int i = 0; i < island->count; i++) {
        snIslandBody *body = &island->bodies[i];
        if (failed) failed[i] = 0;
        if (body->sleeps) continue;
        tellContacts(body);
        if (!body->ready) snLattice_FinishStep(body->rung, body->state, &body->drive, false);
        if (failed) failed[i] = !body->ready;
        failures += !body->ready;
    }
    for (int i = 0; i < island->count; i++) {
        if (island->bodies[i].group != i || !island->bodies[i].ready) continue;
        island->searched = i;
        if (solve(island, list(island, i))) continue;
        for (int k = 0; k < island->count; k++) {
            bool lost = island->bodies[k].group == i && island->bodies[k].ready;
            if (lost && failed) failed[k] = 1;
            failures += lost;
        }
    }
    for (int i = 0; i < island->count; i++) // they may be searched for elsewhere next
        island->bodies[i].contacts->ties = NULL;
    return failures;
}
