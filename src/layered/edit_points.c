#include "layered/operations.h"

#include "body/skin/make.h"
#include "core/elementary.h"
#include "core/error.h"
#include "core/suggest.h"
#include "geometry/mesh.h"
#include "layered/fields.h"
#include "layered/figure.h"
#include "layered/surface.h"

#include <string.h>

// What a brush sees: the skin of the figure at rest, with its normals, and how much it acts at each point.
typedef struct Canvas {
    snFigure figure;
    snSkinMesh mesh;
    int count;
    snVec3 *places, *normals; // [count]
    double *weight;           // [count]
} Canvas;

static double weightAt(snBrush brush, snVec3 place)
{
    if (!(brush.radius > 0)) return 1;
    double d = snDistance(place, brush.center) / brush.radius;
    return d > 3 ? 0 : snExp(-0.5 * d * d);
}

static snStatus begin(Canvas *c, const snEditor *editor, snBrush brush, snError *error)
{
    *c = (Canvas){0};
    snStatus status = snLayered_NeedSkin(&editor->layered, error);
    if (!status) status = snFigure_Build(&c->figure, &editor->layered, error);
    if (status) return status;
    snArena *arena = &c->figure.arena;
    snFigure_SetRest(&c->figure);
    c->count = snLayered_Count(&editor->layered, SN_TABLE_POINTS);
    c->places = snLayered_SkinPlaces(&editor->layered, arena);
    c->normals = SN_NEW(arena, snVec3, c->count);
    c->weight = SN_NEW(arena, double, c->count);
    if (!c->places || !c->normals || !c->weight) status = snFailMemory(error);
    if (!status) status = snLayered_SkinMesh(&editor->layered, &c->mesh, arena, error);
    if (status) {
        snFigure_Destroy(&c->figure);
        return status;
    }
    snMesh surface = {c->count, c->mesh.triangleCount, c->places, c->mesh.triangles};
    snMesh_Normals(&surface, c->normals);
    for (int i = 0; i < c->count; i++)
        c->weight[i] = weightAt(brush, c->places[i]);
    return SN_OK;
}

// ---- bands ------------------------------------------------------------------------------------------

static void tie(snLayeredPoint *row, const snFigure *f, int muscle, snVec3 foot)
{
    row->muscle = muscle;
    row->foot = snMuscle_Source(&f->muscles[muscle], foot);
    row->bandLength = snDistance(row->place, foot);
}

snStatus snEdit_Attach(snEditor *editor, snBrush brush, double reach, int *attached, snError *error)
{
    Canvas c;
    snSkinMuscles muscles;
    snStatus status = begin(&c, editor, brush, error);
    *attached = 0;
    if (status) return status;
    snSkinPoint *points = SN_NEW(&c.figure.arena, snSkinPoint, c.count);
    if (!points) status = snFailMemory(error);
    if (!status) status = snFigure_SkinMuscles(&c.figure, 0, &muscles, &c.figure.arena, error);
    snEditor_Begin(editor);
    for (int i = 0; i < c.count && !status; i++) {
        snLayeredPoint row = snLayered_Points(&editor->layered)[i];
        if (row.joint >= 0 || c.weight[i] < 0.5) continue;
        points[i] = snDefaultSkinPoint();
        snElasticSkin_Attach(&muscles, c.places, c.normals, reach, i, 1, points);
        if (points[i].muscle < 0) continue;
        row.muscle = points[i].muscle;
        row.foot = points[i].attach;
        row.bandLength = points[i].bandLength;
        snEditor_Set(editor, SN_TABLE_POINTS, i, &row);
        ++*attached;
    }
    snFigure_Destroy(&c.figure);
    return snEditor_End(editor, status, error);
}

snStatus snEdit_Detach(snEditor *editor, snBrush brush, int *detached, snError *error)
{
    *detached = 0;
    snStatus status = snLayered_NeedSkin(&editor->layered, error);
    if (status) return status;
    snEditor_Begin(editor);
    for (int i = 0; i < snLayered_Count(&editor->layered, SN_TABLE_POINTS); i++) {
        snLayeredPoint row = snLayered_Points(&editor->layered)[i];
        if (row.muscle < 0 || weightAt(brush, row.place) < 0.5) continue;
        row.muscle = -1;
        row.foot = snVec(0, 0, 0);
        row.bandLength = 0;
        snEditor_Set(editor, SN_TABLE_POINTS, i, &row);
        ++*detached;
    }
    return snEditor_End(editor, SN_OK, error);
}

snStatus snEdit_AttachPoint(snEditor *editor, int point, int muscle, snVec3 place, snError *error)
{
    snFigure figure;
    if (point < 0 || point >= snLayered_Count(&editor->layered, SN_TABLE_POINTS))
        return snFail(error, SN_ERROR_ARGUMENT, "the skin has no point %d", point);
    snLayeredPoint row = snLayered_Points(&editor->layered)[point];
    if (row.joint >= 0)
        return snFail(error, SN_ERROR_ARGUMENT, "point %d is held by a joint", point);
    snStatus status = snFigure_Build(&figure, &editor->layered, error);
    if (status) return status;
    snFigure_SetRest(&figure);
    tie(&row, &figure, muscle, snMuscle_Project(&figure.muscles[muscle], place, NULL));
    snEditor_Begin(editor);
    snEditor_Set(editor, SN_TABLE_POINTS, point, &row);
    snFigure_Destroy(&figure);
    return snEditor_End(editor, SN_OK, error);
}

// ---- shape ------------------------------------------------------------------------------------------

// The skin rises as its fat thickens; a band stays as loose as it was.
snStatus snEdit_AddFat(snEditor *editor, snBrush brush, double amount, snError *error)
{
    Canvas c;
    snStatus status = begin(&c, editor, brush, error);
    if (status) return status;
    snEditor_Begin(editor);
    for (int i = 0; i < c.count; i++) {
        snLayeredPoint row = snLayered_Points(&editor->layered)[i];
        double fat = row.fat + amount * c.weight[i], before = row.fat;
        if (row.joint >= 0 || !(c.weight[i] > 0)) continue;
        row.fat = fat > 0 ? fat : 0;
        row.place = snMulAdd(row.place, row.fat - before, c.normals[i]);
        if (row.muscle >= 0) {
            double longer = row.bandLength + row.fat - before;
            row.bandLength = longer > 0 ? longer : 0;
        }
        snEditor_Set(editor, SN_TABLE_POINTS, i, &row);
    }
    snFigure_Destroy(&c.figure);
    return snEditor_End(editor, SN_OK, error);
}

snStatus snEdit_Smooth(snEditor *editor, snBrush brush, double amount, snError *error)
{
    Canvas c;
    if (!(amount > 0 && amount <= 1))
        return snFail(error, SN_ERROR_ARGUMENT, "amount is %g; it must be above 0, and 1 at most",
                      amount);
    snStatus status = begin(&c, editor, brush, error);
    if (status) return status;
    snEditor_Begin(editor);
    for (int i = 0; i < c.count; i++) {
        snLayeredPoint row = snLayered_Points(&editor->layered)[i];
        if (row.joint >= 0 || !(c.weight[i] > 0)) continue;
        snVec3 mean = snVec(0, 0, 0);
        int first = c.mesh.ringStart[i], count = c.mesh.ringStart[i + 1] - first;
        if (!count) continue;
        for (int k = 0; k < count; k++)
            mean = snAdd(mean, snScale(1.0 / count, c.places[c.mesh.ring[first + k]]));
        row.place = snLerp(row.place, mean, amount * c.weight[i]);
        row.place = snFigure_PushOut(&c.figure, row.place, row.fat);
        snEditor_Set(editor, SN_TABLE_POINTS, i, &row);
    }
    snFigure_Destroy(&c.figure);
    return snEditor_End(editor, SN_OK, error);
}

// ---- values -----------------------------------------------------------------------------------------

// Numbers go toward the value by the weight.
static void paint(const snColumnDef *field, double weight, const snLayeredPoint *value,
                  snLayeredPoint *row)
{
    double *to = (double *)(void *)((char *)row + field->offset);
    const double *from = (const double *)(const void *)((const char *)value + field->offset);
    for (size_t k = 0; k < snColumnDef_Size(field) / sizeof(double); k++)
        to[k] = weight == 1 ? from[k] : to[k] + weight * (from[k] - to[k]);
}

snStatus snEdit_PaintPoints(snEditor *editor, snBrush brush, const char *name,
                            const snLayeredPoint *value, snError *error)
{
    static const char *const places[] = {"place", "foot", "muscle", "joint"};
    const snColumnDef *field = snColumns_Find(snColumns_Of(SN_TABLE_POINTS), name);
    if (!field || snFindWord(name, places, 4) >= 0)
        return snFail(
            error, SN_ERROR_ARGUMENT,
            "%.40s is not painted; attach, detach, fat and smooth change where points are", name);
    snStatus status = snLayered_NeedSkin(&editor->layered, error);
    if (status) return status;
    snEditor_Begin(editor);
    for (int i = 0; i < snLayered_Count(&editor->layered, SN_TABLE_POINTS); i++) {
        snLayeredPoint row = snLayered_Points(&editor->layered)[i];
        double weight = weightAt(brush, row.place);
        if (!(weight > 0)) continue;
        paint(field, weight, value, &row);
        snEditor_Set(editor, SN_TABLE_POINTS, i, &row);
    }
    return snEditor_End(editor, SN_OK, error);
}

// ---- marks ------------------------------------------------------------------------------------------

snStatus snEdit_SetMark(snEditor *editor, const snLayeredMark *def, snError *error)
{
    int count = snLayered_Count(&editor->layered, SN_TABLE_MARKS);
    int old = snLayered_Find(&editor->layered, SN_TABLE_MARKS, def->name);
    snStatus status = snLayered_NeedSkin(&editor->layered, error);
    if (!status && old < 0 && count == SN_MOST_JOINTS)
        status = snFail(error, SN_ERROR_ARGUMENT, "there are %d marks, which is the most", count);
    if (!status) status = snEdit_CheckNewName(editor, SN_TABLE_MARKS, def->name, old, error);
    if (status) return status;
    snEditor_Begin(editor);
    if (old < 0)
        snEditor_Insert(editor, SN_TABLE_MARKS, count, 1, def);
    else
        snEditor_Set(editor, SN_TABLE_MARKS, old, def);
    return snEditor_End(editor, SN_OK, error);
}

snStatus snEdit_DeleteMark(snEditor *editor, int mark, snError *error)
{
    snEditor_Begin(editor);
    snEditor_Remove(editor, SN_TABLE_MARKS, mark, 1);
    return snEditor_End(editor, SN_OK, error);
}
