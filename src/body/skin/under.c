#include "body/skin/under.h"

#include "core/error.h"
#include "geometry/edges.h"
#include "geometry/implicit.h"
#include "geometry/winding.h"

#include <string.h>

// Points against a surface that moves. Within a step each vertex goes straight from where it was to where it will be; at a share
// s of the step the surface is what lies between (contact/shell_moving.h). The foot of a
// point, r - τ n, that is inside goes to the nearest place of the surface; near a crease that may be inside of another part, so
// it is asked again until it is out. Velocities are relative to the surface's own there, and change as
// at muscles: what goes inwards is lost, what slides decays. What was pressed on the surface and has hardly left it lies on it still.
//
// What is near. A foot is asked for some ten times in each of many substeps, and goes little from where the surface takes it.
// Let it be at x at the share s, its nearest triangle T at a distance d there, and w how far that place of T goes in the step.
// Seen from x + (t - s) w, corners of T go off by e at most, so that a foot which is no farther than ρ from that way has T within
// d + ρ + e; a triangle that never comes nearer to the way than R is farther from the foot than R - ρ. So with R = d + e + 2 ρ the
// nearest one is always among those that come within R, which are listed, once in a step where ρ was enough. Far from the surface one
// number is: how near anything ever comes to the way. And where a listed foot was away from the surface by a, it is still
// outside as long as it went less than a, less what the list's corners go off.

#define ROUNDS 12
#define SWEEPS 6        // with fat: normals turn when neighbours move
#define OUTSIDE 1e-6    // of the surface's size: deep enough to count
#define ALLOWED 2e-5    // the same after which sweeps end
#define TOUCHING 2e-3   // of its size: what was pressed on it and is no farther away lies on it
#define FAR 3.0         // edges: outside, what is farther away needs no list
#define AT_ONCE 0.5     // edges: no farther is what was nearest at last taken for what is
#define FIRST_ROOM 0.25 // edges
#define MOST_ROOM 1.0   // edges
#define LEAST_ROOM 0.02 // edges

static double meanEdge(const snShell *shell)
{
    const snMesh *mesh = &shell->tree.mesh;
    double sum = 0.0;
    for (int k = 0; k < 3 * mesh->triangleCount; k++) {
        int next = snNextCorner(k);
        sum += snDistance(shell->end[shell->triangles[k]], shell->end[shell->triangles[next]]);
    }
    return sum / (3.0 * mesh->triangleCount);
}

snStatus snSkinUnder_Make(snSkinUnder *under, const snMesh *surface, int pointCount, snArena *arena,
                          snError *error)
{
    snBox box = snMesh_Bounds(surface);
    double size = snBoxDiagonal(box);
    *under = (snSkinUnder){.share = 1.0};
    snStatus status = snMovingShell_Make(&under->shell, surface, 0.05 * size, arena, error);
    if (status) return status;
    under->feet = SN_NEW(arena, snSkinFoot, pointCount);
    under->normals = SN_NEW(arena, snVec3, pointCount);
    if (!under->feet || !under->normals) return snFailMemory(error);
    under->edge = meanEdge(under->shell.shell);
    under->pointCount = pointCount;
    under->step = 1; // feet have not seen it yet
    for (int i = 0; i < pointCount; i++)
        under->feet[i].near = -1;
    return SN_OK;
}

void snSkinUnder_Aim(snSkinUnder *under, const snVec3 *to)
{
    snMovingShell_Aim(&under->shell, to);
    under->step++;
}

void snSkinUnder_Arrive(snSkinUnder *under)
{
    snMovingShell_Arrive(&under->shell);
    under->step++;
}

void snSkinUnder_At(snSkinUnder *under, double share)
{
    under->share = share;
}

static size_t placeBytes(const snSkinUnder *under)
{
    return (size_t)under->shell.mesh.vertexCount * sizeof(snVec3);
}

size_t snSkinUnder_SaveSize(const snSkinUnder *under)
{
    return placeBytes(under) + (size_t)under->pointCount * sizeof(int);
}

void snSkinUnder_Save(const snSkinUnder *under, void *bytes)
{
    char *near = (char *)bytes + placeBytes(under);
    if (snSkinUnder_IsThere(under)) memcpy(bytes, under->shell.mesh.place[1], placeBytes(under));
    for (int i = 0; i < under->pointCount; i++)
        memcpy(near + (size_t)i * sizeof(int), &under->feet[i].near, sizeof(int));
}

void snSkinUnder_Restore(snSkinUnder *under, const void *bytes)
{
    const char *near = (const char *)bytes + placeBytes(under);
    if (!snSkinUnder_IsThere(under)) return;
    memcpy(under->shell.mesh.place[1], bytes, placeBytes(under));
    snMovingMesh_Aim(&under->shell.mesh);
    snSkinUnder_Arrive(under);
    for (int i = 0; i < under->pointCount; i++) {
        int *own = &under->feet[i].near;
        memcpy(own, near + (size_t)i * sizeof(int), sizeof(int));
        if (*own < -1 || *own >= under->shell.shell->tree.mesh.triangleCount) *own = -1;
    }
}

void snSkinUnder_Carry(snSkinUnder *under, const snAffine *motion)
{
    snMovingMesh *mesh = &under->shell.mesh;
    if (!snSkinUnder_IsThere(under)) return;
    for (int v = 0; v < mesh->vertexCount; v++)
        mesh->place[1][v] = snMulAP(*motion, mesh->place[1][v]);
    snMovingMesh_Aim(mesh);
    snSkinUnder_Arrive(under);
}

// ---- what is near -------------------------------------------------------------------------------

static double farFrom(const snMovingPoint *along, double share, snVec3 x)
{
    return snDistance(x, snMulAdd(along->point, share - along->share, along->way));
}

static snSurfacePoint ofList(const snSkinUnder *under, const snSkinFoot *foot, snVec3 x, double off)
{
    snSurfacePoint best = {.triangle = -1, .distance = INFINITY};
    for (int k = 0; k < foot->count; k++) {
        double least = foot->list[k].least - off - under->shell.mesh.slack;
        if (least > 0.0 && least * least > best.distance) break; // nor are those after it
        snMovingMesh_Nearer(&under->shell.mesh, under->share, x, foot->list[k].triangle, &best);
    }
    best.distance = sqrt(best.distance);
    return best;
}

// What is within reach of all feet that are near, once a triangle is known that is no farther than some distance.
static bool listNear(const snSkinUnder *under, snSkinFoot *foot, snVec3 x,
                     const snSurfacePoint *near)
{
    const snMovingMesh *mesh = &under->shell.mesh;
    foot->along = (snMovingPoint){
        x, snMovingShell_Way(&under->shell, near->triangle, near->barycentric), under->share};
    double own = snMovingMesh_Loose(mesh, near->triangle, foot->along.way);
    double reach = near->distance + own + 2.0 * foot->wish + 4.0 * mesh->slack;
    foot->count = snMovingMesh_Gather(mesh, &foot->along, reach, SN_SKIN_NEAR_FACES, foot->list,
                                      &foot->loosest);
    bool good = foot->count <= SN_SKIN_NEAR_FACES;
    foot->room = good ? foot->wish : -1.0;
    foot->clear = -1.0;
    if (!good) foot->wish = fmax(0.5 * foot->wish, LEAST_ROOM * under->edge);
    return good;
}

// Looks through the whole surface; what is near is known from then on. The triangle that was nearest at last mostly is, or is near it.
static snSurfacePoint search(snSkinUnder *under, snSkinFoot *foot, snVec3 x)
{
    const snMovingShell *shell = &under->shell;
    snSurfacePoint near = {.triangle = -1, .distance = INFINITY};
    snShellPoint side;
    under->searched++;
    if (foot->room >= 0.0 && foot->clear < 0.0)
        foot->wish = fmin(2.0 * foot->wish, MOST_ROOM * under->edge);
    foot->room = foot->away = -1.0;
    if (foot->near >= 0) {
        snMovingMesh_Nearer(&shell->mesh, under->share, x, foot->near, &near);
        near.distance = sqrt(near.distance);
        if (near.distance < AT_ONCE * under->edge && listNear(under, foot, x, &near))
            return ofList(under, foot, x, 0.0);
    }
    near = snMovingMesh_Closest(&shell->mesh, under->share, x, INFINITY, foot->near);
    foot->near = near.triangle;
    if (near.triangle < 0) return near;
    if (near.distance < FAR * under->edge) {
        listNear(under, foot, x, &near);
        return near;
    }
    if (!snMovingShell_Judge(shell, under->share, x, INFINITY, &near, &side) ||
        !(side.distance > 0.0))
        return near;
    foot->along =
        (snMovingPoint){x, snMovingShell_Way(shell, near.triangle, near.barycentric), under->share};
    foot->clear = snMovingMesh_Clearance(&shell->mesh, &foot->along, near.distance);
    foot->room = foot->clear;
    return near;
}

// Whether what is known tells that a foot is outside and nothing within reach of it.
static bool isSurelyFar(const snSkinUnder *under, const snSkinFoot *foot, snVec3 x, double off,
                        double reach)
{
    reach += under->shell.mesh.slack;
    if (foot->clear >= 0.0) return off + reach < foot->clear;
    if (foot->away < 0.0) return false;
    double later = under->share - foot->lastShare;
    double went = snDistance(x, snMulAdd(foot->last, later, foot->along.way));
    return went + fabs(later) * foot->loosest + reach < foot->away;
}

// Before anything was asked in a step. The search begins at what was nearest at last, which is state: where a
// surface cuts itself it matters when it is asked, for what is outside stays so until it touches something.
static void beginFoot(const snSkinUnder *under, snSkinFoot *foot)
{
    foot->step = under->step;
    foot->room = foot->away = -1.0;
    foot->wish = FIRST_ROOM * under->edge;
}

// As snShell_Query.
static bool query(snSkinUnder *under, snSkinFoot *foot, snVec3 x, double reach, snShellPoint *found)
{
    if (foot->step != under->step) beginFoot(under, foot);
    under->asked++;
    double off = foot->room >= 0.0 ? farFrom(&foot->along, under->share, x) : INFINITY;
    bool known = off < foot->room;
    if (known && isSurelyFar(under, foot, x, off, reach)) return false;
    snSurfacePoint near =
        known && foot->clear < 0.0 ? ofList(under, foot, x, off) : search(under, foot, x);
    if (!snMovingShell_Judge(&under->shell, under->share, x, INFINITY, &near, found)) return false;
    foot->near = near.triangle;
    foot->last = x;
    foot->lastShare = under->share;
    foot->away = foot->clear < 0.0 && foot->room >= 0.0 ? found->distance : -1.0;
    return found->distance <= reach;
}

// ---- one point ----------------------------------------------------------------------------------

static snVec3 paceAt(const snSkinUnder *under, const snSkinContact *contact,
                     const snShellPoint *place)
{
    if (!under->shell.moving || !(contact->length > 0.0)) return snVec(0, 0, 0);
    return snScale(1.0 / contact->length,
                   snMovingShell_Way(&under->shell, place->triangle, place->barycentric));
}

// What lies on the surface goes along its normal with it; what comes nearer bounces by the restitution.
static void changeVelocity(const snSkinUnder *under, const snSkinContact *contact,
                           const snShellPoint *place, bool lies, snVec3 *v)
{
    snVec3 base = paceAt(under, contact, place), relative = snSub(*v, base);
    double along = snDot(relative, place->normal);
    if (along >= 0.0 && !lies) return;
    snVec3 slide = snMulAdd(relative, -along, place->normal);
    double back = along < 0.0 ? -contact->push.normal * along : 0.0;
    *v = snAdd(base, snMulAdd(snScale(contact->push.slide, slide), back, place->normal));
}

// Returns how deep it was.
static double pushPoint(snSkinUnder *under, const snSkinContact *contact, int i, snVec3 foot,
                        snVec3 *move, snVec3 *v)
{
    double deepest = 0.0, tiny = OUTSIDE * under->shell.size;
    bool pressed = contact->pressed && contact->pressed[i] && !contact->again;
    for (int round = 0; round < ROUNDS; round++) {
        double reach = round == 0 && pressed ? TOUCHING * under->shell.size : 0.0;
        snShellPoint place;
        if (!query(under, &under->feet[i], snAdd(foot, *move), reach, &place)) break;
        bool lies = round == 0 && pressed;
        if (place.distance >= -tiny && !lies) break;
        if (round == 0) deepest = fmax(-place.distance, 0.0);
        *move = snMulAdd(*move, 0.1 * tiny - place.distance, place.normal);
        if (contact->touched) contact->touched[i] = place.normal;
        if (v) changeVelocity(under, contact, &place, lies, v);
    }
    return deepest;
}

double snSkinUnder_Push(snSkinUnder *under, const snSkinContact *contact, snVec3 *r, snVec3 *v)
{
    double longest = 0.0;
    snSkinContact now = *contact;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        double deepest = 0.0;
        bool thick = false;
        snSkinMesh_Normals(contact->mesh, r, under->normals);
        for (int i = 0; i < contact->mesh->pointCount; i++) {
            double fat = contact->points[i].fat;
            snVec3 move = {0, 0, 0}, foot = snMulAdd(r[i], -fat, under->normals[i]);
            thick |= fat != 0.0;
            if (!(contact->inverseMass[3 * i] > 0.0)) continue;
            deepest = fmax(deepest, pushPoint(under, &now, i, foot, &move, v ? &v[i] : NULL));
            longest = fmax(longest, snLength(move));
            r[i] = snAdd(r[i], move);
        }
        now.again = true;
        now.push.slide = 1.0; // friction counts once
        if (!thick || longest == 0.0 || (sweep && deepest <= ALLOWED * under->shell.size)) break;
    }
    return longest;
}

// ---- bands --------------------------------------------------------------------------------------

static snVec3 meanOf(const snSkinUnder *under, const snSkinPoint *p, int side)
{
    const int *c = under->shell.shell->triangles + 3 * (size_t)p->face;
    return snCombine3(c, &p->attach.x, under->shell.mesh.place[side]);
}

void snSkinUnder_Band(const snSkinUnder *under, const snSkinPoint *p, snVec3 *from, snVec3 *to)
{
    *from = meanOf(under, p, 0);
    *to = meanOf(under, p, 1);
}

void snSkinUnder_Attach(const snSkinUnder *under, const snVec3 *places, double reach, int count,
                        snSkinPoint *points)
{
    for (int i = 0; i < count; i++) {
        if (points[i].frame >= 0) continue;
        snSurfacePoint near = snMovingMesh_Closest(&under->shell.mesh, 1.0, places[i], reach, -1);
        points[i].muscle = near.triangle < 0 ? -1 : SN_SKIN_SURFACE;
        if (near.triangle < 0) continue;
        points[i].face = near.triangle;
        points[i].attach = snVec(near.barycentric[0], near.barycentric[1], near.barycentric[2]);
        points[i].bandLength = near.distance;
    }
}

// ---- a mesh around it ---------------------------------------------------------------------------

typedef struct Around {
    const snMovingMesh *mesh;
    const snWinding *winding;
    double grow;
} Around;

// How far it is from the surface, below 0 inside, and which way is out.
static double signedDistance(const Around *around, snVec3 point, snVec3 *out)
{
    snSurfacePoint near = snMovingMesh_Closest(around->mesh, 1.0, point, INFINITY, -1);
    double sign = snWinding_Inside(around->winding, point) ? -1.0 : 1.0;
    *out = snNormalizeOr(snScale(sign, snSub(point, near.point)), snVec(0, 1, 0));
    return sign * near.distance;
}

static double fieldValue(const void *user, snVec3 point)
{
    const Around *around = user;
    snVec3 out;
    return signedDistance(around, point, &out) - around->grow;
}

static snVec3 fieldGradient(const void *user, snVec3 point)
{
    snVec3 out;
    signedDistance(user, point, &out);
    return out;
}

snStatus snSkinUnder_Surface(const snSkinUnder *under, double cell, double grow, snMesh *surface,
                             snArena *arena, snError *error)
{
    snArena scratch = {.allocator = arena->allocator};
    snWinding *winding;
    snStatus status = snWinding_Make(&winding, &under->shell.shell->tree, &scratch, error);
    Around around = {&under->shell.mesh, winding, grow};
    snField field = {fieldValue, fieldGradient, &around, 0.0};
    snPolygoniseDef def = snDefaultPolygoniseDef();
    def.box = snBox_Grow(under->shell.mesh.node[1][0], 2.0 * grow + 2.0 * cell);
    def.cell = cell;
    if (!status) status = snPolygonise(surface, &field, &def, arena, error);
    snArena_Destroy(&scratch);
    return status;
}
