// The last touch: what of the visible surface is still inside of a collider is put on it, and its
// surroundings follow.
//
// Contacts of the simulation give way a little, are found at samples only, and cannot move what hangs on
// bones. A vertex at depth d goes out by d along the normal. Its neighbours in the welded surface get
// the mean of what is around them, halved, ring by ring: it dies away within a few rings, and as depths
// are next to nothing where a smooth surface enters the collider, little is spread there. Seams stay
// closed, for all vertices at one place move alike.
#include "body/lattice/flesh_contact.h"

#include "core/tasks.h"
#include "geometry/primitive.h"

#include <string.h>

#define ROUNDS 3   // of spreading: so many rings follow
#define FOLLOW 0.5 // how much of the mean around a vertex it follows by
#define TURNS 3    // from one collider to the next: out of a floor may be into a wall
#define GRAIN 256  // vertices per piece of a parallel loop

// Out of all colliders; returns how deep it was in the first.
static double leave(const snFleshContacts *c, snVec3 *place)
{
    double deepest = 0;
    for (int turn = 0; turn < TURNS; turn++) {
        bool moved = false;
        for (int k = 0; k < c->colliderCount; k++) {
            snTouch touch;
            if (!snCollider_Query(&c->colliders[k], *place, 0, &touch) || !(touch.distance < 0))
                continue;
            *place = snMulAdd(*place, -touch.distance, touch.normal);
            if (-touch.distance > deepest) deepest = -touch.distance;
            moved = true;
        }
        if (!moved) break;
    }
    return deepest;
}

typedef struct TouchJob {
    snFleshContacts *contacts;
    const snVec3f *positions;
} TouchJob;

static void leavePiece(int begin, int end, int worker, void *context)
{
    (void)worker;
    const TouchJob *job = context;
    snFleshContacts *c = job->contacts;
    for (int w = begin; w < end; w++) {
        c->inside[w] = 0;
        c->push[w] = snVec(0, 0, 0);
        c->count[w] = 0;
        if (c->vertexOf[w] < 0) continue;
        snVec3 place = snFromF(job->positions[c->vertexOf[w]]), out = place;
        if (!snIsFinite3(place)) continue;
        c->count[w] = leave(c, &out);
        c->inside[w] = c->count[w] > 0;
        c->push[w] = snSub(out, place);
    }
}

// One ring further. Vertices that were inside keep their way out.
static void spreadOnce(snFleshContacts *c)
{
    const snMesh *surface = &c->flesh->surface;
    int n = surface->vertexCount;
    memset(c->spread, 0, (size_t)n * sizeof *c->spread);
    memset(c->count, 0, (size_t)n * sizeof *c->count);
    for (int t = 0; t < surface->triangleCount; t++) {
        const int *corner = surface->triangles + 3 * t;
        for (int k = 0; k < 3; k++)
            for (int i = 1; i < 3; i++) {
                int w = corner[k], other = corner[(k + i) % 3];
                c->spread[w] = snAdd(c->spread[w], c->push[other]);
                c->count[w] += 1;
            }
    }
    for (int w = 0; w < n; w++)
        if (!c->inside[w] && c->count[w] > 0)
            c->push[w] = snScale(FOLLOW / c->count[w], c->spread[w]);
}

// Whether anything was inside, and how deep.
static double findDepth(const snFleshContacts *c)
{
    double deepest = 0;
    for (int w = 0; w < c->flesh->surface.vertexCount; w++)
        if (c->count[w] > deepest) deepest = c->count[w];
    return deepest;
}

static bool isZero(snVec3 a)
{
    return a.x == 0 && a.y == 0 && a.z == 0;
}

// All vertices of a place alike; what following has brought into a collider goes out again.
static void apply(snFleshContacts *c, snVec3f *positions)
{
    const snFlesh *flesh = c->flesh;
    for (int p = 0; p < flesh->character->partCount; p++)
        for (int v = c->first[p]; v < c->first[p + 1] && flesh->carried[p]; v++) {
            int w = flesh->weldOf[v];
            snVec3 place = snFromF(positions[v]);
            if (w >= 0 && isZero(c->push[w])) continue;
            if (w >= 0) place = snAdd(place, c->push[w]);
            if (snIsFinite3(place) && (leave(c, &place) > 0 || w >= 0)) positions[v] = snToF(place);
        }
}

double snFleshContacts_Touch(snFleshContacts *c, snVec3f *positions)
{
    TouchJob job = {c, positions};
    if (c->colliderCount == 0) return 0;
    snParallelFor(&c->tasks, c->flesh->surface.vertexCount, GRAIN, leavePiece, &job);
    double deepest = findDepth(c);
    if (!(deepest > 0)) return 0;
    for (int round = 0; round < ROUNDS; round++)
        spreadOnce(c);
    apply(c, positions);
    return deepest;
}
