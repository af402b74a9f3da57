#include "body/skin/under.h"

#include "core/error.h"
#include "geometry/implicit.h"
#include "geometry/primitive.h"

#include <string.h>

// Points against a surface that moves. Within a step each vertex goes straight from where it was to where it will be; at a share
// s of the step the surface is what lies between, with its tree refitted and its normals made anew (contact/shell.h). The foot of a
// point, r - τ n, that is inside goes to the nearest place of the surface; near a crease that may be inside of another part, so
// it is asked again until it is out. Velocities are relative to the surface's own there, (now - from)/(s h), and change as
// at muscles: what goes inwards is lost, what slides decays. What was pressed on the surface and has hardly left it lies on it still.

#define ROUNDS 12
#define SWEEPS 6      // with fat: normals turn when neighbours move
#define OUTSIDE 1e-6  // of the surface's size: deep enough to count
#define ALLOWED 2e-5  // the same after which sweeps end
#define TOUCHING 2e-3 // of its size: what was pressed on it and is no farther away lies on it

static snStatus allocate(snSkinUnder *under, const snMesh *surface, int pointCount, snArena *arena,
                         snError *error)
{
    int count = surface->vertexCount;
    under->from = SN_COPY(arena, snVec3, surface->positions, count);
    under->to = SN_COPY(arena, snVec3, surface->positions, count);
    under->now = SN_COPY(arena, snVec3, surface->positions, count);
    under->first = SN_NEW(arena, int, under->shell->tree.mesh.vertexCount);
    under->normals = SN_NEW(arena, snVec3, pointCount);
    bool good = under->from && under->to && under->now && under->first && under->normals;
    return good ? SN_OK : snFailMemory(error);
}

snStatus snSkinUnder_Make(snSkinUnder *under, const snMesh *surface, int pointCount, snArena *arena,
                          snError *error)
{
    snBox box = snMesh_Bounds(surface);
    *under = (snSkinUnder){.vertexCount = surface->vertexCount, .at = -1.0};
    under->size = surface->vertexCount ? snDistance(box.lower, box.upper) : 0.0;
    snStatus status = snShell_Make(&under->shell, surface, 0.05 * under->size, arena, error);
    if (!status) status = allocate(under, surface, pointCount, arena, error);
    for (int v = surface->vertexCount - 1; v >= 0 && !status; v--)
        under->first[under->shell->weldOf[v]] = v;
    return status;
}

void snSkinUnder_Aim(snSkinUnder *under, const snVec3 *to)
{
    size_t bytes = (size_t)under->vertexCount * sizeof *to;
    memmove(under->to, to, bytes);
    under->moving = memcmp(under->from, under->to, bytes) != 0;
    under->at = -1.0;
}

void snSkinUnder_Arrive(snSkinUnder *under)
{
    memcpy(under->from, under->to, (size_t)under->vertexCount * sizeof *under->to);
    under->moving = false;
    under->at = -1.0;
}

void snSkinUnder_At(snSkinUnder *under, double share)
{
    if (under->at == share || (under->at >= 0.0 && !under->moving)) return;
    for (int v = 0; v < under->vertexCount; v++)
        under->now[v] = share == 1.0 ? under->to[v] : snLerp(under->from[v], under->to[v], share);
    snShell_Place(under->shell, under->from, under->now);
    under->at = share;
}

// ---- one point ----------------------------------------------------------------------------------

static snVec3 paceAt(const snSkinUnder *under, const snSkinContact *contact,
                     const snShellPoint *place)
{
    double time = under->at * contact->length;
    if (!under->moving || !(time > 0.0)) return snVec(0, 0, 0);
    return snScale(1.0 / time, snShell_MoveAt(under->shell, place));
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
static double pushPoint(const snSkinUnder *under, const snSkinContact *contact, int i, snVec3 foot,
                        snVec3 *move, snVec3 *v)
{
    double deepest = 0.0, tiny = OUTSIDE * under->size;
    bool pressed = contact->pressed && contact->pressed[i] && !contact->again;
    for (int round = 0; round < ROUNDS; round++) {
        double reach = round == 0 && pressed ? TOUCHING * under->size : 0.0;
        snShellPoint place;
        if (!snShell_Query(under->shell, snAdd(foot, *move), reach, &place)) break;
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
        if (!thick || (sweep && deepest <= ALLOWED * under->size)) break;
    }
    return longest;
}

// ---- bands --------------------------------------------------------------------------------------

static snVec3 meanOf(const snSkinUnder *under, const snSkinPoint *p, const snVec3 *places)
{
    const int *c = under->shell->triangles + 3 * (size_t)p->face;
    snVec3 sum = snScale(p->attach.x, places[under->first[c[0]]]);
    sum = snMulAdd(sum, p->attach.y, places[under->first[c[1]]]);
    return snMulAdd(sum, p->attach.z, places[under->first[c[2]]]);
}

void snSkinUnder_Band(const snSkinUnder *under, const snSkinPoint *p, snVec3 *from, snVec3 *to)
{
    *from = meanOf(under, p, under->from);
    *to = meanOf(under, p, under->to);
}

void snSkinUnder_Attach(const snSkinUnder *under, const snVec3 *places, double reach, int count,
                        snSkinPoint *points)
{
    for (int i = 0; i < count; i++) {
        snSurfacePoint near = snMeshTree_Closest(&under->shell->tree, places[i], reach);
        if (points[i].frame >= 0) continue;
        points[i].muscle = near.triangle < 0 ? -1 : SN_SKIN_SURFACE;
        if (near.triangle < 0) continue;
        points[i].face = near.triangle;
        points[i].attach = snVec(near.barycentric[0], near.barycentric[1], near.barycentric[2]);
        points[i].bandLength = near.distance;
    }
}

// ---- a mesh around it ---------------------------------------------------------------------------

typedef struct Around {
    const snShell *shell;
    double grow;
} Around;

static double fieldValue(const void *user, snVec3 point)
{
    const Around *around = user;
    snShellPoint place;
    return snShell_Query(around->shell, point, INFINITY, &place) ? place.distance - around->grow
                                                                 : 1e300;
}

static snVec3 fieldGradient(const void *user, snVec3 point)
{
    const Around *around = user;
    snShellPoint place;
    return snShell_Query(around->shell, point, INFINITY, &place) ? place.normal : snVec(0, 1, 0);
}

snStatus snSkinUnder_Surface(const snSkinUnder *under, double cell, double grow, snMesh *surface,
                             snArena *arena, snError *error)
{
    Around around = {under->shell, grow};
    snField field = {fieldValue, fieldGradient, &around, 0.0};
    snPolygoniseDef def = snDefaultPolygoniseDef();
    if (!under->shell->closed)
        return snFail(error, SN_ERROR_GEOMETRY,
                      "the surface under a skin has %d edges with one face; close its holes",
                      under->shell->borderEdges);
    def.box = snBox_Grow(under->shell->tree.tree.nodes[0].box, 2.0 * grow + 2.0 * cell);
    def.cell = cell;
    return snPolygonise(surface, &field, &def, arena, error);
}
