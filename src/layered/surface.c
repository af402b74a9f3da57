#include "layered/surface.h"

#include "core/error.h"

snVec3 *snLayered_SkinPlaces(const snLayered *layered, snArena *arena)
{
    int count = snLayered_Count(layered, SN_TABLE_POINTS);
    snVec3 *places = SN_NEW(arena, snVec3, count);
    for (int i = 0; i < count && places; i++)
        places[i] = snLayered_Points(layered)[i].place;
    return places;
}

double snLayered_SkinBulge(const snLayered *layered)
{
    snBox box = snEmptyBox();
    for (int i = 0; i < snLayered_Count(layered, SN_TABLE_POINTS); i++)
        box = snBoxAdd(box, snLayered_Points(layered)[i].place);
    return SN_SKIN_BULGE * snDistance(box.lower, box.upper);
}

snStatus snLayered_SkinMesh(const snLayered *layered, snSkinMesh *mesh, snArena *arena,
                            snError *error)
{
    const snLayeredSkin *skin = snLayered_Skin(layered);
    if (skin->kind == SN_SKIN_GRID)
        return snSkinMesh_Grid(mesh, skin->columns, skin->rows, arena, error);
    int triangles = snLayered_Count(layered, SN_TABLE_TRIANGLES);
    snVec3 *places = snLayered_SkinPlaces(layered, arena);
    int *corners = SN_NEW(arena, int, 3 * triangles);
    if (!places || !corners) return snFailMemory(error);
    for (int i = 0; i < 3 * triangles; i++)
        corners[i] = snLayered_Triangles(layered)[i / 3].corner[i % 3];
    snMesh surface = {snLayered_Count(layered, SN_TABLE_POINTS), triangles, places, corners};
    return snSkinMesh_FromTriangles(mesh, &surface, arena, error);
}

// All that a tissue fills in is in proportion to its numbers: filled with ones it tells the factors between
// square metres and the chart, and the metric.
snSkinPoint *snLayered_SkinPoints(const snLayered *layered, const snSkinMesh *mesh, snArena *arena)
{
    const snSkinTissue one = {.mass = 1,
                              .elasticity = 1,
                              .shear = 1,
                              .damping = 1,
                              .viscosity = 1,
                              .bending = 1,
                              .fat = 1,
                              .bandStiffness = 1,
                              .bandDamping = 1};
    snVec3 *places = snLayered_SkinPlaces(layered, arena);
    snSkinPoint *points = SN_NEW(arena, snSkinPoint, mesh->pointCount);
    if (!places || !points) return NULL;
    for (int i = 0; i < mesh->pointCount; i++)
        points[i] = snDefaultSkinPoint();
    snSkinTissue_Fill(&one, mesh, places, points);
    for (int i = 0; i < mesh->pointCount; i++) {
        const snLayeredPoint *from = &snLayered_Points(layered)[i];
        const double *eta = &from->elasticity.x, *metric = &from->metric.x;
        snSkinPoint *to = &points[i];
        double shear = sqrt(to->metric[0] * to->metric[2]);
        to->mass *= from->mass;
        for (int k = 0; k < 3; k++) {
            to->viscosity[k] *= eta[k] * from->viscosity;
            to->elasticity[k] *= eta[k];
        }
        to->metric[0] *= metric[0];
        to->metric[1] += metric[1] * shear;
        to->metric[2] *= metric[2];
        to->damping *= from->damping;
        to->bending *= snLayered_Skin(layered)->bending;
        to->fat = from->fat;
        to->bandStiffness *= from->stiffness;
        to->bandDamping *= from->bandDamping;
        to->bandLength = from->bandLength;
        to->muscle = from->joint >= 0 ? -1 : from->muscle;
        to->attach = from->foot;
        to->frame = from->joint;
        to->pin = from->foot;
    }
    return points;
}

// How much of a mark is at a place: 1 inside, 0 outside, in between around its rim.
static double coverage(const snLayeredMark *mark, snVec3 place)
{
    snVec3 p = snRotate(snConjugate(snNormalizeQ(mark->rotation)), snSub(place, mark->place));
    double r = snLength(snVec(p.x / mark->size.x, p.y / mark->size.y, p.z / mark->size.z));
    if (!(mark->edge > 0)) return r < 1;
    double t = (1 + 0.5 * mark->edge - r) / mark->edge;
    return t <= 0 ? 0 : t >= 1 ? 1 : t * t * (3 - 2 * t);
}

static bool paintMarks(const snLayered *layered, const snSkinSmooth *smooth, float *colors,
                       snArena *scratch)
{
    int marks = snLayered_Count(layered, SN_TABLE_MARKS);
    const snVec3 *places = marks ? snLayered_SkinPlaces(layered, scratch) : NULL;
    if (marks && !places) return false;
    for (int v = 0; v < smooth->vertexCount && marks; v++) {
        snVec3 place = snSkinSmooth_Place(smooth, places, v);
        for (int m = 0; m < marks; m++) {
            const snLayeredMark *mark = &snLayered_Marks(layered)[m];
            const double *color = &mark->color.x;
            double share = coverage(mark, place);
            for (int k = 0; k < 3 && share > 0; k++)
                colors[4 * v + k] += (float)(share * (color[k] - (double)colors[4 * v + k]));
        }
    }
    return true;
}

snStatus snLayered_Paint(const snLayered *layered, const snSkinSmooth *smooth, float **colors,
                         float **uv, snArena *arena, snError *error)
{
    const snLayeredPoint *rows = snLayered_Points(layered);
    int count = snLayered_Count(layered, SN_TABLE_POINTS);
    snArena scratch = {.allocator = arena->allocator};
    float *color = SN_NEW(&scratch, float, 4 * count), *at = SN_NEW(&scratch, float, 2 * count);
    *colors = SN_NEW(arena, float, 4 * smooth->vertexCount);
    *uv = SN_NEW(arena, float, 2 * smooth->vertexCount);
    bool good = color && at && *colors && *uv;
    for (int i = 0; i < count && good; i++) {
        const double *from = &rows[i].color.x;
        for (int k = 0; k < 4; k++)
            color[4 * i + k] = k < 3 ? (float)from[k] : 1;
        at[2 * i] = (float)rows[i].uv[0];
        at[2 * i + 1] = (float)(1 - rows[i].uv[1]); // files count from above
    }
    if (good) snSkinSmooth_Values(smooth, 4, color, *colors);
    if (good) good = paintMarks(layered, smooth, *colors, &scratch);
    if (good) snSkinSmooth_Values(smooth, 2, at, *uv);
    snArena_Destroy(&scratch);
    return good ? SN_OK : snFailMemory(error);
}

void snFigure_Shapes(const snFigure *figure, double time, snSkinMuscle *shapes)
{
    for (int m = 0; m < figure->muscleCount; m++)
        shapes[m] = (snSkinMuscle){snFigure_Shape(figure, m, time),
                                   snLayered_Muscles(figure->layered)[m].joint,
                                   snLayered_Muscles(figure->layered)[m].bare};
}

snStatus snFigure_SkinMuscles(const snFigure *figure, double time, snSkinMuscles *muscles,
                              snArena *arena, snError *error)
{
    snSkinMuscle *shapes = SN_NEW(arena, snSkinMuscle, figure->muscleCount);
    if (!shapes) return snFailMemory(error);
    snFigure_Shapes(figure, time, shapes);
    return snSkinMuscles_Make(muscles, figure->muscleCount, shapes, figure->skeleton.jointCount,
                              figure->pose.global, arena, error);
}
