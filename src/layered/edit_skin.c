#include "layered/operations.h"

#include "body/skin/make.h"
#include "core/elementary.h"
#include "core/error.h"
#include "layered/figure.h"
#include "layered/surface.h"

#include <string.h>

snSkinMakeDef snDefaultSkinMakeDef(void)
{
    return (snSkinMakeDef){.bottom = -1,
                           .top = -1,
                           .gap = 0.004,
                           .seconds = 3.0,
                           .rounds = 40,
                           .smooth = 0.5,
                           .color = {0.8, 0.5, 0.38}};
}

// ---- a grid that shrinks on -------------------------------------------------------------------------
//
// Row by row the grid stands on a sphere around the figure, its poles along the way from the bottom joint to the top one. The rims are
// rings around their joints, as wide as these are large. Then it is a skin much too small in something thick (snElasticSkin_Shrink), whose
// faces may not enter muscles either: it comes to rest where it lies on them, with its points as evenly apart as they can be.
//
// By rays it shrinks in two movements: each point goes straight in, toward the way between the joints, until it meets a muscle; then,
// round by round, each goes toward the middle of its neighbours, and out again where that is inside a muscle. What
// comes to rest is a sheet as short as the muscles let its points be.

typedef struct Shrink {
    const snEditor *editor;
    const snSkinMakeDef *def;
    snFigure figure;
    snSkinMesh mesh;
    snVec3 *places;  // [points]
    snVec3 up, a, b; // of the grid; a x b = up
    snVec3 middle;   // of the sphere
    double radius;   // the diagonal of all there is
    snVec3 *path;    // joints from bottom to top
    int pathCount;
} Shrink;

static bool isBare(const snFigure *figure, int muscle)
{
    return snLayered_Muscles(figure->layered)[muscle].bare;
}

// From the bottom joint up to where the ways of both join, and down to the top joint.
static snStatus findPath(Shrink *s, snError *error)
{
    const snSkeleton *skeleton = &s->figure.skeleton;
    unsigned char *mark = SN_NEW(&s->figure.arena, unsigned char, skeleton->jointCount);
    s->path = SN_NEW(&s->figure.arena, snVec3, 2 * skeleton->jointCount);
    if (!mark || !s->path) return snFailMemory(error);
    int join = s->def->top, down = 0;
    for (int j = s->def->bottom; j >= 0; j = skeleton->joints[j].parent)
        mark[j] = 1;
    for (; join >= 0 && !mark[join]; join = skeleton->joints[join].parent)
        down++;
    for (int j = s->def->bottom; j >= 0; j = skeleton->joints[j].parent) {
        s->path[s->pathCount++] = s->figure.pose.global[j].origin;
        if (j == join) break;
    }
    s->pathCount += down;
    for (int j = s->def->top, k = s->pathCount; j != join && j >= 0; j = skeleton->joints[j].parent)
        s->path[--k] = s->figure.pose.global[j].origin;
    return SN_OK;
}

// A share of the way between the joints.
static snVec3 alongPath(const Shrink *s, double share)
{
    double length = 0;
    for (int i = 1; i < s->pathCount; i++)
        length += snDistance(s->path[i - 1], s->path[i]);
    double left = share * length;
    for (int i = 1; i < s->pathCount; i++) {
        double part = snDistance(s->path[i - 1], s->path[i]);
        if (left <= part && part > 0) return snLerp(s->path[i - 1], s->path[i], left / part);
        left -= part;
    }
    return s->path[s->pathCount - 1];
}

static snStatus begin(Shrink *s, snError *error)
{
    snStatus status = findPath(s, error);
    if (status) return status;
    snBox box = snEmptyBox();
    for (int m = 0; m < s->figure.muscleCount; m++)
        if (!isBare(&s->figure, m)) box = snBoxUnion(box, s->figure.muscles[m].bounds);
    for (int i = 0; i < s->pathCount; i++)
        box = snBoxAdd(box, s->path[i]);
    snVec3 low = s->path[0], high = s->path[s->pathCount - 1];
    if (!(snDistance(low, high) > 1e-9))
        return snFail(error, SN_ERROR_GEOMETRY,
                      "the bottom and the top joint are at the same place");
    s->radius = snDistance(box.lower, box.upper);
    s->middle = snLerp(box.lower, box.upper, 0.5);
    s->up = snNormalizeOr(snSub(high, low), snVec(0, 1, 0));
    // Column 0 is at the back, where seams are not seen.
    snVec3 back = snVec(0, 0, -1);
    back = snMulAdd(back, -snDot(back, s->up), s->up);
    s->a = snLength(back) > 0.1 ? snNormalizeOr(back, snVec(0, 0, -1)) : snPerpendicular(s->up);
    s->b = snCross(s->up, s->a);
    s->places = SN_NEW(&s->figure.arena, snVec3, s->mesh.pointCount);
    return s->places ? SN_OK : snFailMemory(error);
}

// The place of the sphere that is at row and column, as seen from its place of the path.
static snVec3 outward(const Shrink *s, int row, int column)
{
    double polar = SN_PI * (row + 0.5) / s->mesh.rows;
    double around = 2 * SN_PI * column / s->mesh.columns;
    snVec3 ring = snAdd(snScale(snCos(around), s->a), snScale(snSin(around), s->b));
    return snAdd(snScale(-snCos(polar), s->up), snScale(snSin(polar), ring));
}

// The first muscle that is met from outside.
static snVec3 shrinkStraight(const Shrink *s, int row, int column)
{
    snVec3 out = outward(s, row, column);
    snVec3 center = alongPath(s, (double)row / (s->mesh.rows - 1));
    snVec3 start = snMulAdd(center, s->radius, out);
    double first = s->radius, t;
    for (int m = 0; m < s->figure.muscleCount; m++)
        if (!isBare(&s->figure, m) &&
            snMuscle_Ray(&s->figure.muscles[m], start, snNeg(out), first, &t))
            first = t;
    return snMulAdd(start, -(first - s->def->gap), out);
}

static snVec3 rimPlace(const Shrink *s, int row, int column)
{
    int joint = row ? s->def->top : s->def->bottom;
    double around = 2 * SN_PI * column / s->mesh.columns;
    double size = snLayered_Joints(s->figure.layered)[joint].size;
    snVec3 ring = snAdd(snScale(snCos(around), s->a), snScale(snSin(around), s->b));
    snVec3 place = snMulAdd(s->figure.pose.global[joint].origin, size, ring);
    return snFigure_PushOut(&s->figure, place, s->def->gap);
}

static bool isRim(const snSkinMesh *grid, int point)
{
    int row = point / grid->columns;
    return row == 0 || row == grid->rows - 1;
}

static void shrinkSmooth(Shrink *s)
{
    const snSkinMesh *mesh = &s->mesh;
    for (int i = 0; i < mesh->pointCount; i++) {
        if (isRim(mesh, i)) continue;
        snVec3 mean = snVec(0, 0, 0);
        int first = mesh->ringStart[i], count = mesh->ringStart[i + 1] - first;
        for (int k = 0; k < count; k++)
            mean = snAdd(mean, snScale(1.0 / count, s->places[mesh->ring[first + k]]));
        snVec3 place = snLerp(s->places[i], mean, s->def->smooth);
        s->places[i] = snFigure_PushOut(&s->figure, place, s->def->gap);
    }
}

static void shrinkByRays(Shrink *s)
{
    for (int row = 0; row < s->mesh.rows; row++)
        for (int column = 0; column < s->mesh.columns; column++) {
            int point = row * s->mesh.columns + column;
            s->places[point] =
                isRim(&s->mesh, point) ? rimPlace(s, row, column) : shrinkStraight(s, row, column);
        }
    for (int round = 0; round < s->def->rounds; round++)
        shrinkSmooth(s);
}

// The sphere that it begins as, around all there is.
static void placeSphere(Shrink *s, snSkinPoint *points)
{
    for (int row = 0; row < s->mesh.rows; row++)
        for (int column = 0; column < s->mesh.columns; column++) {
            int point = row * s->mesh.columns + column;
            points[point] = snDefaultSkinPoint();
            s->places[point] = snMulAdd(s->middle, 0.51 * s->radius, outward(s, row, column));
            if (!isRim(&s->mesh, point)) continue;
            int joint = row ? s->def->top : s->def->bottom;
            points[point].frame = joint;
            points[point].pin =
                snMulAP(snInverseAffine(s->figure.pose.global[joint]), rimPlace(s, row, column));
        }
}

static snStatus shrinkOn(Shrink *s, snError *error)
{
    snArena *arena = &s->figure.arena;
    snSkinPoint *points = SN_NEW(arena, snSkinPoint, s->mesh.pointCount);
    snSkinMuscle *muscles = SN_NEW(arena, snSkinMuscle, s->figure.muscleCount);
    if (!points || !muscles) return snFailMemory(error);
    snFigure_Shapes(&s->figure, 0, muscles);
    placeSphere(s, points);
    snSkinShrinkDef def = snDefaultSkinShrinkDef();
    def.mesh = &s->mesh;
    def.muscleCount = s->figure.muscleCount;
    def.muscles = muscles;
    def.frameCount = s->figure.skeleton.jointCount;
    def.frames = s->figure.pose.global;
    def.tissue.fat = s->def->gap;
    def.seconds = s->def->seconds;
    def.faces = true;
    def.watch = s->editor->watch;
    def.user = s->editor->user;
    snStatus status =
        snElasticSkin_Shrink(&def, s->places, points, &s->figure.layered->context, error);
    // Feet of points are out, along their normals; a point itself may be nearer by the angle between normals.
    for (int i = 0; i < s->mesh.pointCount && !status; i++)
        if (!isRim(&s->mesh, i))
            s->places[i] = snFigure_PushOut(&s->figure, s->places[i], s->def->gap);
    return status;
}

// ---- into the document ------------------------------------------------------------------------------

static void removeSkin(snEditor *editor)
{
    const snTable tables[] = {SN_TABLE_MARKS, SN_TABLE_TRIANGLES, SN_TABLE_POINTS, SN_TABLE_SKIN};
    for (int i = 0; i < 4; i++)
        snEditor_Remove(editor, tables[i], 0, snLayered_Count(&editor->layered, tables[i]));
}

// Rims are held by their joints.
static void holdRim(const Shrink *s, int point, snLayeredPoint *row)
{
    row->joint = point < s->mesh.columns ? s->def->bottom : s->def->top;
    row->foot = snMulAP(snInverseAffine(s->figure.pose.global[row->joint]), row->place);
}

static snStatus keepGrid(snEditor *editor, const Shrink *s, snError *error)
{
    const snSkinMesh *mesh = &s->mesh;
    snArena arena = snMakeArena(&editor->layered.context);
    snLayeredPoint *rows = SN_NEW(&arena, snLayeredPoint, mesh->pointCount);
    snLayeredSkin skin;
    snTable_Default(SN_TABLE_SKIN, &skin);
    skin.rows = mesh->rows;
    skin.columns = mesh->columns;
    skin.bottom = s->def->bottom;
    skin.top = s->def->top;
    skin.color = s->def->color;
    for (int i = 0; i < mesh->pointCount && rows; i++) {
        snTable_Default(SN_TABLE_POINTS, &rows[i]);
        rows[i].place = s->places[i];
        rows[i].fat = s->def->gap;
        rows[i].color = s->def->color;
        rows[i].uv[0] = (double)(i % mesh->columns) / mesh->columns;
        rows[i].uv[1] = (double)(i / mesh->columns) / (mesh->rows - 1);
        if (isRim(mesh, i)) holdRim(s, i, &rows[i]);
    }
    snEditor_Begin(editor);
    if (rows) {
        removeSkin(editor);
        snEditor_Insert(editor, SN_TABLE_SKIN, 0, 1, &skin);
        snEditor_Insert(editor, SN_TABLE_POINTS, 0, mesh->pointCount, rows);
    }
    snStatus status = rows ? SN_OK : snFailMemory(error);
    snArena_Destroy(&arena);
    return snEditor_End(editor, status, error);
}

static bool hasMuscles(const snLayered *layered)
{
    for (int m = 0; m < snLayered_Count(layered, SN_TABLE_MUSCLES); m++)
        if (!snLayered_Muscles(layered)[m].bare) return true;
    return false;
}

static snStatus checkMake(const snEditor *editor, const snSkinMakeDef *def, snError *error)
{
    int joints = snLayered_Count(&editor->layered, SN_TABLE_JOINTS);
    if (def->bottom < 0 || def->top < 0 || def->bottom >= joints || def->top >= joints)
        return snFail(error, SN_ERROR_ARGUMENT,
                      "a skin needs a bottom and a top: the joints that hold its ends");
    if (!hasMuscles(&editor->layered))
        return snFail(error, SN_ERROR_ARGUMENT, "there are no muscles for a skin to lie on");
    return SN_OK;
}

snStatus snEdit_CreateSkin(snEditor *editor, const snSkinMakeDef *given, snError *error)
{
    const snLayeredSettings *settings = snLayered_Settings(&editor->layered);
    snSkinMakeDef def = *given;
    Shrink s = {.editor = editor, .def = &def};
    if (!def.rows) def.rows = settings->designRows;
    if (!def.columns) def.columns = settings->designColumns;
    snStatus status = checkMake(editor, &def, error);
    if (!status && (double)def.rows * def.columns > SN_MOST_POINTS)
        status = snFail(error, SN_ERROR_ARGUMENT, "%d rows of %d columns are too many points",
                        def.rows, def.columns);
    if (!status) status = snFigure_Build(&s.figure, &editor->layered, error);
    if (status) return status;
    snFigure_SetRest(&s.figure);
    status = snSkinMesh_Grid(&s.mesh, def.columns, def.rows, &s.figure.arena, error);
    if (!status) status = begin(&s, error);
    if (!status && def.way == SN_SKIN_BY_RAYS)
        shrinkByRays(&s);
    else if (!status)
        status = shrinkOn(&s, error);
    if (!status) status = keepGrid(editor, &s, error);
    snFigure_Destroy(&s.figure);
    return status;
}

snStatus snEdit_DeleteSkin(snEditor *editor, snError *error)
{
    if (!snLayered_Skin(&editor->layered))
        return snFail(error, SN_ERROR_ARGUMENT, "there is no skin to delete");
    snEditor_Begin(editor);
    removeSkin(editor);
    return snEditor_End(editor, SN_OK, error);
}

snStatus snEdit_SetSkin(snEditor *editor, const snLayeredSkin *def, snError *error)
{
    const snLayeredSkin *old = snLayered_Skin(&editor->layered);
    if (def->kind != old->kind || def->rows != old->rows || def->columns != old->columns ||
        def->bottom != old->bottom || def->top != old->top)
        return snFail(error, SN_ERROR_ARGUMENT,
                      "kind, ends and resolution are not set but made: create, double, resample");
    snEditor_Begin(editor);
    snEditor_Set(editor, SN_TABLE_SKIN, 0, def);
    return snEditor_End(editor, SN_OK, error);
}

// ---- a mesh around everything -----------------------------------------------------------------------

static snStatus keepMesh(snEditor *editor, const snMesh *mesh, double gap, snVec3 color,
                         snError *error)
{
    snArena arena = snMakeArena(&editor->layered.context);
    snLayeredPoint *rows = SN_NEW(&arena, snLayeredPoint, mesh->vertexCount);
    snLayeredTriangle *triangles = SN_NEW(&arena, snLayeredTriangle, mesh->triangleCount);
    snLayeredSkin skin;
    snTable_Default(SN_TABLE_SKIN, &skin);
    skin.kind = SN_SKIN_MESH;
    skin.color = color;
    bool made = rows && triangles;
    for (int i = 0; i < mesh->vertexCount && made; i++) {
        snTable_Default(SN_TABLE_POINTS, &rows[i]);
        rows[i].place = mesh->positions[i];
        rows[i].fat = gap;
        rows[i].color = color;
    }
    for (int i = 0; i < 3 * mesh->triangleCount && made; i++)
        triangles[i / 3].corner[i % 3] = mesh->triangles[i];
    snEditor_Begin(editor);
    if (made) {
        removeSkin(editor);
        snEditor_Insert(editor, SN_TABLE_SKIN, 0, 1, &skin);
        snEditor_Insert(editor, SN_TABLE_POINTS, 0, mesh->vertexCount, rows);
        snEditor_Insert(editor, SN_TABLE_TRIANGLES, 0, mesh->triangleCount, triangles);
    }
    snStatus status = made ? SN_OK : snFailMemory(error);
    snArena_Destroy(&arena);
    return snEditor_End(editor, status, error);
}

snStatus snEdit_CreateMeshSkin(snEditor *editor, double cell, double blend, snVec3 color,
                               snError *error)
{
    snFigure figure;
    snSkinMuscles muscles;
    snMesh mesh = {0};
    snBox box = snEmptyBox();
    snSkinUnionDef def = {cell, blend, snDefaultSkinMakeDef().gap};
    if (!hasMuscles(&editor->layered))
        return snFail(error, SN_ERROR_ARGUMENT, "there are no muscles for a skin to lie on");
    snStatus status = snFigure_Build(&figure, &editor->layered, error);
    if (status) return status;
    snFigure_SetRest(&figure);
    for (int m = 0; m < figure.muscleCount; m++)
        if (!isBare(&figure, m)) box = snBoxUnion(box, figure.muscles[m].bounds);
    snVec3 size = snScale(1 / cell, snSub(box.upper, box.lower));
    if (!(size.x * size.y * size.z < 3e7))
        status = snFail(error, SN_ERROR_ARGUMENT, "cell: %g m is too small for this figure", cell);
    if (!status) status = snFigure_SkinMuscles(&figure, 0, &muscles, &figure.arena, error);
    if (!status) status = snSkinMuscles_Surface(&muscles, &def, &mesh, &figure.arena, error);
    if (!status && !mesh.triangleCount)
        status = snFail(error, SN_ERROR_ARGUMENT, "cell: %g m is too large for this figure", cell);
    if (!status && mesh.vertexCount > SN_MOST_POINTS)
        status = snFail(error, SN_ERROR_ARGUMENT, "cell: %g m gives too many points", cell);
    if (!status) status = keepMesh(editor, &mesh, def.grow, color, error);
    snFigure_Destroy(&figure);
    return status;
}
