// Who is in whom. Samples of a shell, its vertices and points on its long edges, go from their places at the step's begin
// to those at its end; those that are then in another shell, went through it, or lie on it, become rows.
#include "contact/law.h"
#include "core/error.h"
#include "geometry/edges.h"
#include "geometry/primitive.h"
#include "world/meet.h"

#include <string.h>

#define EDGE 0.2     // of the size: longer edges have samples between their ends
#define DEPTH 0.15   // of the size, behind open shells
#define REACH 2e-3   // of the smaller size: what is no farther may come to touch within a round
#define SPACING 0.06 // of the smaller size, between rows of two bodies
#define SPACED                                                                                     \
    0.15 // the same on colliders, on which much of a body may lie: corners that few rows leave out are found as they sink
#define LEFT 2e-4    // of the smaller size: what is left deeper needs a row of its own
#define SEEN 0.5     // of a depth: a row that sees less does not know of it
#define ALIKE 0.8    // of the cosine: rows of one face
#define TIED 0.25    // of the smaller size, round points that are tied
#define BACKED 0.4   // of the cosine
#define RECOVERY 0.5 // m/s: no faster are things parted that were in each other before the step
#define SLOW 0.1     // m/s: what comes slower does not bounce

// ---- making -------------------------------------------------------------------------------------

static snBodyEnd onEdge(int a, int b, double share)
{
    return (snBodyEnd){.point = -1, .corner = {a, b, a}, .share = {1 - share, share, 0}};
}

static snShellSpot atSide(int side, double share)
{
    snShellSpot spot = {.triangle = side / 3};
    spot.barycentric[side % 3] = 1 - share;
    spot.barycentric[snNextCorner(side) % 3] = share;
    return spot;
}

// Counts, and writes where there is room.
static int listSamples(const snShell *shell, const snMeetBody *b, double longest, bool write)
{
    int count = 0, vertices = shell->tree.mesh.vertexCount;
    for (int v = 0; v < vertices; v++, count++)
        if (write) {
            b->samples[count] = onEdge(b->sourceOf[v], b->sourceOf[v], 0);
            b->spots[count].triangle = -1;
        }
    for (int k = 0; k < 3 * shell->tree.mesh.triangleCount; k++) {
        int a = shell->triangles[k], c = shell->triangles[snNextCorner(k)];
        if (write && b->spots[a].triangle < 0) b->spots[a] = atSide(k, 0);
        if (shell->twin[k] >= 0 && shell->twin[k] < k) continue; // its other half was here
        int pieces = (int)ceil(snDistance(shell->end[a], shell->end[c]) / longest);
        for (int i = 1; i < pieces; i++, count++) {
            if (!write) continue;
            b->samples[count] = onEdge(b->sourceOf[a], b->sourceOf[c], (double)i / pieces);
            b->spots[count] = atSide(k, (double)i / pieces);
        }
    }
    return count;
}

snStatus snMeetBody_Make(snMeetBody *b, snBody *body, snArena *arena, snError *error)
{
    snBodyShell shell;
    snBody_Shell(body, &shell);
    b->vertexCount = shell.vertexCount;
    b->begin = SN_NEW(arena, snVec3, shell.vertexCount);
    b->end = SN_NEW(arena, snVec3, shell.vertexCount);
    if (!b->begin || !b->end) return snFailMemory(error);
    b->friction = shell.friction;
    b->restitution = shell.restitution;
    snBody_ShellPlaces(body, b->end);
    b->box = snBoxOf(shell.vertexCount, b->end);
    b->size = snBoxDiagonal(b->box);
    if (!body->meets && !body->lands) return SN_OK; // tied alone
    snMesh mesh = {shell.vertexCount, shell.triangleCount, b->end, shell.triangles};
    b->collider = snMakeCollider(SN_COLLIDER_SHELL);
    snStatus status = snShell_Make(&b->collider.shell, &mesh, DEPTH * b->size, arena, error);
    if (status) return status;
    const snShell *made = b->collider.shell;
    b->sourceOf = SN_NEW(arena, int, made->tree.mesh.vertexCount);
    if (!b->sourceOf) return snFailMemory(error);
    for (int v = shell.vertexCount - 1; v >= 0; v--)
        b->sourceOf[made->weldOf[v]] = v;
    b->sampleCount = listSamples(made, b, EDGE * b->size, false);
    b->samples = SN_NEW(arena, snBodyEnd, b->sampleCount);
    b->spots = SN_NEW(arena, snShellSpot, b->sampleCount);
    if (!b->samples || !b->spots) return snFailMemory(error);
    listSamples(made, b, EDGE * b->size, true);
    return SN_OK;
}

static bool mayMeet(const void *context, int i, int k)
{
    const snMeet *meet = context;
    const snMeetBody *a = &meet->bodies[i], *b = &meet->bodies[k];
    if (a->group && a->group == b->group) return false;
    return a->sampleCount && b->sampleCount && !snBody_Passes(a->body, b->body);
}

snStatus snMeet_MakePairs(snMeet *meet, snError *error)
{
    snArena scratch = snMakeArena(&meet->world->context);
    int n = meet->count;
    snBox *boxes = SN_NEW(&scratch, snBox, n);
    snStatus status = boxes ? SN_OK : snFailMemory(error);
    for (int i = 0; i < n && !status; i++)
        boxes[i] = meet->bodies[i].box;
    if (!status)
        status = snPairs_Make(&meet->pairs, n, boxes, snMostPairs(n), mayMeet, meet, &meet->arena,
                              error);
    snArena_Destroy(&scratch);
    return status;
}

// ---- where things are -----------------------------------------------------------------------------

void snMeet_PlaceBegin(snMeet *meet)
{
    for (int i = 0; i < meet->count; i++)
        if (meet->bodies[i].vertexCount && !snWorld_Sleeps(meet->world, i) &&
            !meet->bodies[i].body->away)
            snBody_ShellPlaces(meet->bodies[i].body, meet->bodies[i].begin);
}

void snMeet_PlaceEnd(snMeet *meet)
{
    for (int i = 0; i < meet->count; i++) {
        snMeetBody *b = &meet->bodies[i];
        if (!b->vertexCount || snWorld_Sleeps(meet->world, i) || b->body->away) continue;
        snBody_ShellPlaces(b->body, b->end);
        b->box = snEmptyBox();
        b->placed = false;
        for (int v = 0; v < b->vertexCount; v++)
            b->box = snBoxAdd(snBoxAdd(b->box, b->begin[v]), b->end[v]);
    }
}

static void placeShell(snMeetBody *b)
{
    if (!b->placed) snShell_Place(b->collider.shell, b->begin, b->end);
    b->placed = true;
}

static snVec3 placeOf(const snBodyEnd *end, const snVec3 *places)
{
    snVec3 a = places[end->corner[0]];
    return end->share[1] == 0 ? a : snLerp(a, places[end->corner[1]], end->share[1]);
}

snVec3 snMeet_EndPlace(const snMeet *meet, const snMeetRow *row, int end)
{
    if (row->body[end] < 0) return row->ground;
    const snMeetBody *b = &meet->bodies[row->body[end]];
    return snBody_EndPlace(b->body, &row->end[end], b->end);
}

snVec3 snMeet_Way(const snMeet *meet, const snMeetRow *row)
{
    snVec3 now = snSub(snMeet_EndPlace(meet, row, 0), snMeet_EndPlace(meet, row, 1));
    return snSub(now, snSub(row->at[0], row->at[1]));
}

// The smaller body's; colliders have none.
static double sizeOf(const snMeet *meet, int body, int other)
{
    double size = meet->bodies[body].size;
    return other < 0 ? size : fmin(size, meet->bodies[other].size);
}

double snMeet_Size(const snMeet *meet, const snMeetRow *row)
{
    return sizeOf(meet, row->body[0], row->body[1]);
}

// ---- rows -----------------------------------------------------------------------------------------

// A row of a sample in another body that knows of a touch: one that slid on may be out of the plane of its row, and in what is beside it; and
// one that began behind the plane, but not in the body, is let out of that slowly, whatever it came into.
static bool knows(const snMeet *meet, const snMeetRow *row, const snTouch *touch)
{
    snVec3 off = snSub(snMeet_EndPlace(meet, row, 0), snMeet_EndPlace(meet, row, 1));
    double seen = -SEEN * fmax(0, -touch->distance);
    if (snDot(row->normal, off) > seen) return false;
    return snDot(row->normal, row->target) >= seen || snDot(row->normal, touch->normal) > ALIKE;
}

static bool isOf(const snMeetRow *row, int body, int sample, int other)
{
    return !row->tie && row->body[0] == body && row->sample == sample && row->body[1] == other;
}

static bool hasRow(const snMeet *meet, const snMeetTouch *t)
{
    for (int r = 0; r < meet->rowCount; r++) {
        const snMeetRow *row = &meet->rows[r];
        if (!isOf(row, t->body, t->sample, t->other)) continue;
        if (!(t->touch.distance < 0) || knows(meet, row, &t->touch)) return true;
    }
    return false;
}

// A light skin that is pressed askew against what is behind it would be driven off sideways by forces that the body behind it is
// to bear; so these go its way, if it is not far from the shells' own.
static void turnToBacking(const snMeet *meet, snMeetRow *row)
{
    for (int e = 0; e < 2 && row->body[e] >= 0; e++) {
        snVec3 out;
        if (!snBody_Backing(meet->bodies[row->body[e]].body, &row->end[e], &out)) continue;
        if (!e) out = snNeg(out);
        if (snDot(out, row->normal) > BACKED) row->normal = out;
    }
}

static const snCollider *groundOf(const snMeet *meet, int other)
{
    return &meet->world->frame.data[snMeet_Ground(other)];
}

// Where a touch is on another's shell, at the step's begin.
static void setOther(const snMeet *meet, snMeetRow *row, const snTouch *touch)
{
    row->end[1] = (snBodyEnd){.point = -1};
    if (row->body[1] < 0) {
        row->ground = touch->point;
        row->at[1] = snSub(touch->point, touch->move);
        return;
    }
    const snMeetBody *b = &meet->bodies[row->body[1]];
    const snShell *shell = b->collider.shell;
    for (int k = 0; k < 3; k++) {
        row->end[1].corner[k] = b->sourceOf[shell->triangles[3 * touch->triangle + k]];
        row->end[1].share[k] = touch->barycentric[k];
    }
    row->at[1] = snBody_EndPlace(b->body, &row->end[1], b->begin);
}

// A row where a sample is at a place of another's shell, or of a collider.
static snMeetRow *addContact(snMeet *meet, int body, int sample, int other, const snTouch *touch)
{
    if (meet->rowCount >= meet->room) {
        meet->dropped = true;
        return NULL;
    }
    const snMeetBody *a = &meet->bodies[body];
    double friction = other < 0 ? groundOf(meet, other)->friction : meet->bodies[other].friction;
    snMeetRow *row = &meet->rows[meet->rowCount++];
    double *column[2] = {row->column[0], row->column[1]};
    double h = meet->world->length * meet->world->def.step;
    *row = (snMeetRow){.body = {body, other},
                       .sample = sample,
                       .normal = touch->normal,
                       .column = {column[0], column[1]},
                       .friction = snMixFriction(a->friction, friction),
                       .fresh = true};
    row->end[0] = a->samples[sample];
    setOther(meet, row, touch);
    turnToBacking(meet, row);
    row->at[0] = placeOf(&row->end[0], a->begin);
    snVec3 off = snSub(row->at[0], row->at[1]);
    double gap = snDot(row->normal, off), out = snGapToAsk(gap, 0, RECOVERY * h);
    row->target = snMulAdd(off, out - gap, row->normal);
    return row;
}

// How fast they came, where they are to bounce off each other.
static void setBounce(const snMeet *meet, snMeetRow *row)
{
    double h = meet->world->length * meet->world->def.step;
    double speed = -snDot(snMeet_Way(meet, row), row->normal) / h;
    double own = meet->bodies[row->body[0]].restitution;
    double other = row->body[1] < 0 ? groundOf(meet, row->body[1])->restitution
                                    : meet->bodies[row->body[1]].restitution;
    row->bounce = snBounceSpeed(snMixRestitution(own, other), speed, SLOW);
}

// That of an earlier memo, where a sample had several.
static snMeetRow *rowOf(const snMeet *meet, const snMeetMemo *memo)
{
    for (int r = meet->rowCount - 1; r >= 0; r--)
        if (isOf(&meet->rows[r], memo->body[0], memo->point[0], memo->body[1]))
            return &meet->rows[r];
    return NULL;
}

// Where a sample of a memo is to the other, at the step's begin.
static bool recallTouch(const snMeet *meet, const snMeetMemo *memo, snTouch *touch)
{
    snMeetBody *a = &meet->bodies[memo->body[0]];
    double reach = 2 * REACH * sizeOf(meet, memo->body[0], memo->body[1]);
    snVec3 x = placeOf(&a->samples[memo->point[0]], a->begin);
    if (memo->body[1] < 0) {
        if (snMeet_Ground(memo->body[1]) >= meet->world->frame.count) return false;
        snCollider ground = *groundOf(meet, memo->body[1]);
        bool stands = !memcmp(&ground.begin, &ground.end, sizeof ground.begin);
        if (!stands) x = snMulAP(ground.end, snMulAP(snInverseAffine(ground.begin), x));
        return snCollider_Query(&ground, x, reach, touch) && touch->distance > -DEPTH * a->size;
    }
    snMeetBody *b = &meet->bodies[memo->body[1]];
    if (!b->placed) snShell_Place(b->collider.shell, b->begin, b->begin), b->placed = true;
    return snCollider_Query(&b->collider, x, reach, touch) && touch->distance >= -DEPTH * b->size;
}

void snMeet_Recall(snMeet *meet)
{
    for (int i = 0; i < meet->count; i++)
        meet->bodies[i].placed = false;
    for (int k = 0; k < *meet->memoCount; k++) {
        const snMeetMemo *memo = &meet->memos[k];
        if (memo->tie || snWorld_Sleeps(meet->world, memo->body[0])) continue; // both do
        snTouch touch;
        if (!recallTouch(meet, memo, &touch)) continue;
        snMeetRow *row = rowOf(meet, memo);
        if (!row) row = addContact(meet, memo->body[0], memo->point[0], memo->body[1], &touch);
        if (!row) continue;
        double push = fmax(0, snDot(memo->carried, row->normal));
        snVec3 rub = snMulAdd(memo->carried, -snDot(memo->carried, row->normal), row->normal);
        row->impulse = snAdd(row->impulse, snMulAdd(rub, push, row->normal));
        row->last = snAdd(row->last, memo->impulse);
    }
}

// ---- looking --------------------------------------------------------------------------------------

static void lookAmong(snMeet *meet, int body, int other, double reach)
{
    snMeetBody *a = &meet->bodies[body], *b = &meet->bodies[other];
    snBox box = snBox_Grow(b->box, reach);
    for (int s = 0; s < a->sampleCount; s++) {
        snMeetTouch t = {.body = body, .other = other, .sample = s};
        snVec3 from = placeOf(&a->samples[s], a->begin), to = placeOf(&a->samples[s], a->end);
        snBox way = snBoxAdd(snBoxAdd(snEmptyBox(), from), to);
        if (!snBoxOverlap(way, box) || !snIsFinite3(to)) continue;
        if (!snCollider_Sweep(&b->collider, from, to, reach, &t.touch)) continue;
        if (t.touch.distance > reach) continue;
        snSideAsk ask = {from, to, a->collider.shell, a->spots[s], DEPTH * a->size};
        if (!snShell_Faces(b->collider.shell, &ask, &t.touch) || t.touch.distance > reach) continue;
        if (meet->touchCount == meet->mostTouches) {
            meet->dropped = true;
            return;
        }
        meet->touches[meet->touchCount++] = t;
    }
}

// Colliders, of which those that lie far away are soon left alone.
static void lookAtGround(snMeet *meet, int body)
{
    snMeetBody *a = &meet->bodies[body];
    double reach = REACH * a->size;
    for (int k = 0; k < meet->world->frame.count; k++) {
        const snCollider *ground = &meet->world->frame.data[k];
        if (!snBoxOverlap(snBox_Grow(a->box, reach), snCollider_Bounds(ground))) continue;
        for (int s = 0; s < a->sampleCount; s++) {
            snMeetTouch t = {.body = body, .other = snMeet_Ground(k), .sample = s};
            snVec3 from = placeOf(&a->samples[s], a->begin), to = placeOf(&a->samples[s], a->end);
            if (!snIsFinite3(to)) continue;
            if (!snCollider_Sweep(ground, from, to, reach, &t.touch)) continue;
            if (t.touch.distance > reach) continue;
            if (meet->touchCount == meet->mostTouches) {
                meet->dropped = true;
                return;
            }
            meet->touches[meet->touchCount++] = t;
        }
    }
}

// Deepest first; of equally deep ones by their numbers.
static bool isBefore(const snMeetTouch *a, const snMeetTouch *b)
{
    if (a->touch.distance != b->touch.distance) return a->touch.distance < b->touch.distance;
    if (a->body != b->body) return a->body < b->body;
    if (a->other != b->other) return a->other < b->other;
    return a->sample < b->sample;
}

static void sortTouches(int count, snMeetTouch *list)
{
    int gap = 1;
    while (gap < count / 3)
        gap = 3 * gap + 1;
    for (; gap > 0; gap /= 3)
        for (int i = gap; i < count; i++) {
            snMeetTouch t = list[i];
            int k = i;
            for (; k >= gap && isBefore(&t, &list[k - gap]); k -= gap)
                list[k] = list[k - gap];
            list[k] = t;
        }
}

// Rows of the same two bodies that are near enough to stand for a touch.
static bool isCovered(const snMeet *meet, const snMeetTouch *t, double spacing)
{
    const snMeetBody *a = &meet->bodies[t->body];
    snVec3 x = placeOf(&a->samples[t->sample], a->end);
    for (int r = 0; r < meet->rowCount; r++) {
        const snMeetRow *row = &meet->rows[r];
        bool same = (row->body[0] == t->body && row->body[1] == t->other) ||
                    (row->body[1] == t->body && row->body[0] == t->other);
        if (row->tie || !same) continue;
        if (snDistance(x, snMeet_EndPlace(meet, row, 0)) < spacing) return true;
    }
    return false;
}

// Where points of both are tied to each other, they are to be in one place: shells are not parted there.
static bool isTied(const snMeet *meet, const snMeetTouch *t, double room)
{
    for (int r = 0; r < meet->rowCount; r++) {
        const snMeetRow *row = &meet->rows[r];
        bool same = (row->body[0] == t->body && row->body[1] == t->other) ||
                    (row->body[1] == t->body && row->body[0] == t->other);
        if (!row->tie || !same) continue;
        if (snDistance(t->touch.point, snMeet_EndPlace(meet, row, 0)) < room) return true;
    }
    return false;
}

static void gatherTouches(snMeet *meet)
{
    meet->touchCount = 0;
    for (int i = 0; i < meet->count; i++)
        meet->pairs.boxes[i] = snBox_Grow(meet->bodies[i].box, REACH * meet->bodies[i].size);
    if (!snPairs_Find(&meet->pairs)) meet->dropped = true;
    for (int p = 0; p < meet->pairs.count; p++) {
        int i = meet->pairs.list[p].one, k = meet->pairs.list[p].other;
        snMeetBody *a = &meet->bodies[i], *b = &meet->bodies[k];
        if (snWorld_Sleeps(meet->world, i) || snWorld_Sleeps(meet->world, k)) continue;
        if (a->body->away || b->body->away) continue;
        double reach = REACH * fmin(a->size, b->size);
        if (!snBoxOverlap(snBox_Grow(a->box, reach), b->box)) continue;
        placeShell(a);
        placeShell(b);
        lookAmong(meet, i, k, reach);
        lookAmong(meet, k, i, reach);
    }
    for (int i = 0; i < meet->count; i++) {
        const snBody *body = meet->bodies[i].body;
        if (body->lands && !body->away && !snWorld_Sleeps(meet->world, i)) lookAtGround(meet, i);
    }
    sortTouches(meet->touchCount, meet->touches);
}

void snMeet_Look(snMeet *meet, bool left)
{
    gatherTouches(meet);
    for (int n = 0; n < meet->touchCount; n++) {
        const snMeetTouch *t = &meet->touches[n];
        double size = sizeOf(meet, t->body, t->other);
        if (left && t->touch.distance > -LEFT * size) break; // the others are out
        if (hasRow(meet, t)) continue;
        if (isTied(meet, t, TIED * size)) continue;
        double spacing = (t->other < 0 ? SPACED : SPACING) * size;
        if (!left && isCovered(meet, t, spacing)) continue;
        snMeetRow *row = addContact(meet, t->body, t->sample, t->other, &t->touch);
        if (!row) return;
        setBounce(meet, row);
    }
}
