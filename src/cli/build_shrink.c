#include "cli/build_shrink.h"

#include "body/skin/smooth.h"
#include "core/error.h"

#define MOST_FRAMES 4096 // 68 seconds of shrinking

snBuildShrink snMakeBuildShrink(const snContext *context)
{
    return (snBuildShrink){.context = *context, .arena = snMakeArena(context)};
}

void snBuildShrink_Free(snBuildShrink *shrink)
{
    snArena_Destroy(&shrink->arena);
    *shrink = (snBuildShrink){0};
}

static bool keep(void *user, const snSkinMesh *mesh, const snVec3 *places)
{
    snBuildShrink *s = user;
    if (!s->frames) s->frames = SN_NEW(&s->arena, snShrinkFrame, MOST_FRAMES);
    if (s->count == MOST_FRAMES || s->failed) return true;
    snVec3 *copy = SN_COPY(&s->arena, snVec3, places, (size_t)mesh->pointCount);
    s->failed = !s->frames || !copy;
    if (s->failed) return true; // the skin itself is made all the same
    snMesh surface = {mesh->pointCount, mesh->triangleCount, places, mesh->triangles};
    s->frames[s->count++] = (snShrinkFrame){mesh->rows, mesh->columns, copy, snMesh_Area(&surface)};
    return true;
}

void snBuildShrink_Watch(snBuildShrink *shrink, snEditor *editor)
{
    editor->watch = keep;
    editor->user = shrink;
}

// The surface as it is drawn.
static snStatus draw(snBuildShrink *s, const snShrinkFrame *frame, int levels,
                     snBuildSurface *surface, snError *error)
{
    snArena scratch = snMakeArena(&s->context);
    snSkinMesh mesh;
    snSkinSmooth smooth;
    snVec3f *positions = NULL;
    int *triangles = NULL;
    snStatus status = snSkinMesh_Grid(&mesh, frame->columns, frame->rows, &scratch, error);
    if (!status) status = snSkinSmooth_Make(&smooth, &mesh, levels, &scratch, &s->context, error);
    if (!status) {
        positions = SN_NEW(&s->arena, snVec3f, smooth.vertexCount);
        triangles = SN_COPY(&s->arena, int, smooth.triangles, 3 * (size_t)smooth.triangleCount);
        if (!positions || !triangles) status = snFailMemory(error);
    }
    for (int v = 0; !status && v < smooth.vertexCount; v++)
        positions[v] = snToF(snSkinSmooth_Place(&smooth, frame->places, v));
    if (!status)
        *surface = (snBuildSurface){.vertexCount = smooth.vertexCount,
                                    .triangleCount = smooth.triangleCount,
                                    .positions = positions,
                                    .triangles = triangles};
    snArena_Destroy(&scratch);
    return status;
}

// The first frame at which so large a share of the way is gone.
static int frameAt(const snBuildShrink *s, double share)
{
    double first = s->frames[0].area, last = s->frames[s->count - 1].area;
    for (int i = 0; i < s->count - 1; i++)
        if (s->frames[i].area <= first + share * (last - first)) return i;
    return s->count - 1;
}

snStatus snBuildShrink_Choose(snBuildShrink *s, int panels, snError *error)
{
    s->chosen = panels && panels < s->count ? panels : s->count;
    s->surfaces = SN_NEW(&s->arena, snBuildSurface, s->chosen);
    s->times = SN_NEW(&s->arena, double, s->chosen);
    snStatus status = s->failed || !s->surfaces || !s->times ? snFailMemory(error) : SN_OK;
    double left = 1; // of the way, at each panel half of what was at the one before
    for (int i = 0, frame = -1; i < s->chosen && !status; i++, left *= 0.5) {
        int wanted = frameAt(s, 1 - left);
        frame = wanted > frame && s->chosen < s->count ? wanted : frame + 1;
        if (i && i == s->chosen - 1) frame = s->count - 1;
        s->times[i] = (frame + 1) / SN_SHRINK_RATE;
        status = draw(s, &s->frames[frame], panels ? 2 : 1, &s->surfaces[i], error);
    }
    return status;
}
