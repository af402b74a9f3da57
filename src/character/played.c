#include "character/played.h"

#include "core/error.h"

#include <math.h>

struct snPlayed {
    snArena arena;
    snPlayedDef def;
    snPose pose;
    unsigned char *isBody; // [parts]
    int *source;    // [mesh.vertexCount], vertices of the character, or points of the samples
    snVec3f *drawn; // [vertices of the character], where a clip has them
    snMesh mesh;
};

snPlayedDef snDefaultPlayedDef(void)
{
    return (snPlayedDef){.clip = -1, .loop = true, .speed = 1.0, .scale = 1.0};
}

// ---- making -------------------------------------------------------------------------------------

// Vertices that triangles of the body use, and these triangles.
static snStatus gather(snPlayed *p, int *vertexCount, int **triangles, int *triangleCount,
                       snError *error)
{
    const snCharacter *c = p->def.character;
    int *newOf = SN_NEW(&p->arena, int, c->vertexCount);
    int *out = *triangles = SN_NEW(&p->arena, int, 3 * (size_t)c->triangleCount);
    p->source = SN_NEW(&p->arena, int, c->vertexCount);
    if (!newOf || !out || !p->source) return snFailMemory(error);
    *vertexCount = *triangleCount = 0;
    for (int k = 0, first = 0; k < c->partCount; first += c->parts[k++].vertexCount) {
        const snPart *part = &c->parts[k];
        if (!p->isBody[k]) continue;
        for (int i = 0; i < 3 * part->triangleCount; i++) {
            int v = first + part->triangles[i];
            if (!newOf[v]) {
                p->source[*vertexCount] = v;
                newOf[v] = ++*vertexCount;
            }
            *out++ = newOf[v] - 1;
        }
        *triangleCount += part->triangleCount;
    }
    return SN_OK;
}

// A cache may have fewer points than there are vertices: a seam of the texture is one point there.
static snStatus findPoints(snPlayed *p, const snVec3 *rest, snError *error)
{
    int points = p->def.samples->pointCount, all = p->def.character->vertexCount;
    snArena scratch = {.allocator = p->arena.allocator};
    snMesh mesh = {all, 0, rest, NULL};
    snWeld weld;
    if (points == all) return SN_OK;
    if (points > all)
        return snFail(error, SN_ERROR_FORMAT, "has %d points, and the mesh has %d vertices", points,
                      all);
    snStatus status = snMesh_Weld(&weld, &mesh, 0.0, &scratch, error);
    int *first = status ? NULL : SN_NEW(&scratch, int, all);
    if (!status && !first) status = snFailMemory(error);
    for (int v = all - 1; v >= 0 && !status; v--)
        first[weld.weldOf[v]] = v;
    for (int i = 0; i < p->mesh.vertexCount && !status; i++) {
        int v = p->source[i];
        if (v >= points) p->source[i] = v = first[weld.weldOf[v]];
        if (v >= points)
            status = snFail(error, SN_ERROR_FORMAT,
                            "has %d points, and the mesh has %d vertices; vertex %d is at no "
                            "place of the first %d",
                            points, all, v, points);
    }
    snArena_Destroy(&scratch);
    return status;
}

static void drawAt(snPlayed *p, const snClip *clip, double time)
{
    const snCharacter *c = p->def.character;
    const snTasks alone = {0}; // bodies of a world move beside each other
    snCharacter_Pose(c, clip, time, &p->pose);
    snVec3f *at = p->drawn;
    for (int k = 0; k < c->partCount; at += c->parts[k++].vertexCount)
        snCharacter_PartSurface(c, &p->pose, &c->parts[k], &alone, at);
}

static snStatus findSource(snPlayed *p, snError *error)
{
    const snCharacter *c = p->def.character;
    if (!p->def.samples) return SN_OK;
    snArena scratch = {.allocator = p->arena.allocator};
    snVec3 *rest = SN_NEW(&scratch, snVec3, c->vertexCount);
    snStatus status = rest ? SN_OK : snFailMemory(error);
    if (!status) drawAt(p, NULL, 0.0);
    for (int v = 0; v < c->vertexCount && !status; v++)
        rest[v] = snFromF(p->drawn[v]);
    if (!status) status = findPoints(p, rest, error);
    snArena_Destroy(&scratch);
    return status;
}

static snStatus build(snPlayed *p, snError *error)
{
    const snCharacter *c = p->def.character;
    snArena scratch = {.allocator = p->arena.allocator};
    int vertices = 0, triangleCount = 0, *triangles = NULL;
    p->isBody = SN_NEW(&p->arena, unsigned char, c->partCount);
    p->drawn = SN_NEW(&p->arena, snVec3f, c->vertexCount);
    snStatus status = p->isBody && p->drawn ? SN_OK : snFailMemory(error);
    if (!status) status = snPose_Make(&p->pose, &c->skeleton, c->morphCount, &p->arena, error);
    if (!status) status = snCharacter_FindBody(c, p->isBody, &scratch, error);
    snArena_Destroy(&scratch);
    if (!status) status = gather(p, &vertices, &triangles, &triangleCount, error);
    if (status) return status;
    if (!triangleCount) return snFail(error, SN_ERROR_GEOMETRY, "has no triangle");
    snVec3 *places = SN_NEW(&p->arena, snVec3, vertices);
    if (!places) return snFailMemory(error);
    p->mesh = (snMesh){vertices, triangleCount, places, triangles};
    status = findSource(p, error);
    if (!status) snPlayed_At(p, 0.0, places);
    for (int v = 0; v < vertices && !status; v++)
        if (!snIsFinite3(places[v]))
            status = snFail(error, SN_ERROR_GEOMETRY, "vertex %d is not finite", p->source[v]);
    return status;
}

snStatus snPlayed_Make(snPlayed **out, const snPlayedDef *def, const snContext *context,
                       snError *error)
{
    snArena arena = snMakeArena(context);
    snPlayed *p = SN_NEW(&arena, snPlayed, 1);
    *out = NULL;
    if (!p) return snFailMemory(error);
    *p = (snPlayed){.arena = arena, .def = *def};
    snStatus status = build(p, error);
    if (status)
        snPlayed_Destroy(p);
    else
        *out = p;
    return status;
}

void snPlayed_Destroy(snPlayed *p)
{
    if (!p) return;
    snArena_DestroyWithin(&p->arena);
}

const snMesh *snPlayed_Mesh(const snPlayed *p)
{
    return &p->mesh;
}

// ---- playing ------------------------------------------------------------------------------------

// Within what there is, round and round or up to its ends.
static double clockOf(const snPlayed *p, double time, double begin, double end)
{
    double t = p->def.start + p->def.speed * time, length = end - begin;
    if (!(length > 0.0)) return begin;
    if (p->def.loop) return begin + t - length * floor(t / length);
    return begin + fmin(fmax(t, 0.0), length);
}

static void sampleAt(const snPlayed *p, double time, snVec3 *places)
{
    const snPointSamples *s = p->def.samples;
    double at = clockOf(p, time, s->times[0], s->times[s->sampleCount - 1]);
    int low = 0, high = s->sampleCount - 1;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (s->times[middle] <= at)
            low = middle;
        else
            high = middle;
    }
    double length = s->times[high] - s->times[low];
    double share = length > 0.0 ? fmin(fmax((at - s->times[low]) / length, 0.0), 1.0) : 0.0;
    const snVec3f *a = s->points + (size_t)low * (size_t)s->pointCount;
    const snVec3f *b = s->points + (size_t)high * (size_t)s->pointCount;
    for (int v = 0; v < p->mesh.vertexCount; v++) {
        int i = p->source[v];
        places[v] = snScale(p->def.scale, snLerp(snFromF(a[i]), snFromF(b[i]), share));
    }
}

void snPlayed_At(snPlayed *p, double time, snVec3 *places)
{
    const snCharacter *c = p->def.character;
    if (p->def.samples) {
        sampleAt(p, time, places);
        return;
    }
    const snClip *clip = p->def.clip >= 0 ? &c->clips[p->def.clip] : NULL;
    drawAt(p, clip, clip ? clockOf(p, time, clip->start, clip->start + clip->duration) : 0.0);
    for (int v = 0; v < p->mesh.vertexCount; v++)
        places[v] = snScale(p->def.scale, snFromF(p->drawn[p->source[v]]));
}
