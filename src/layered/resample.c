#include "layered/operations.h"

#include "body/skin/cover.h"
#include "core/error.h"
#include "layered/fields.h"
#include "layered/figure.h"
#include "layered/surface.h"

#include <string.h>

// Other resolutions of the skin. Values are densities of a square metre, or relative to the shape, so that means of them are
// right at any resolution.

typedef struct Resample {
    snFigure figure;
    snSkinMesh from, to;
    snSkinBlend *blend;   // [to.pointCount]
    snLayeredPoint *rows; // [to.pointCount]
} Resample;

// Which of the points counts most.
static int heaviest(const snSkinBlend *b)
{
    int best = 0;
    for (int k = 1; k < 4; k++)
        if (b->weight[k] > b->weight[best]) best = k;
    return b->parent[best];
}

static void blendNumbers(const snColumnDef *field, const snSkinBlend *b, const snLayeredPoint *from,
                         snLayeredPoint *to)
{
    double *out = (double *)(void *)((char *)to + field->offset);
    size_t count = snColumnDef_Size(field) / sizeof(double);
    double sum[4] = {0};
    for (int k = 0; k < 4; k++) {
        const double *in =
            (const double *)(const void *)((const char *)&from[b->parent[k]] + field->offset);
        for (size_t i = 0; i < count && b->weight[k] != 0; i++)
            sum[i] += b->weight[k] * in[i];
    }
    memcpy(out, sum, count * sizeof *out);
}

// Texture coordinates go on round the seam: from the last column to 1, not back to 0.
static void blendTexture(const Resample *r, const snSkinBlend *b, const snLayeredPoint *from,
                         snLayeredPoint *to)
{
    if (!r->from.columns) return;
    double u = 0;
    int base = b->parent[0];
    for (int k = 0; k < 4; k++) {
        int parent = b->parent[k];
        bool round = parent % r->from.columns < base % r->from.columns;
        u += b->weight[k] * (from[parent].uv[0] + (round ? 1 : 0));
    }
    to->uv[0] = u;
}

// A band between two on one muscle ends between their feet; else it is tied anew to the nearer one's muscle.
static void blendTie(const Resample *r, const snSkinBlend *b, const snLayeredPoint *from,
                     snLayeredPoint *to)
{
    const snLayeredPoint *main = &from[heaviest(b)];
    bool same = true, rim = true;
    for (int k = 0; k < 4; k++) {
        if (b->weight[k] == 0) continue;
        same &= from[b->parent[k]].muscle == main->muscle;
        rim &= from[b->parent[k]].joint == main->joint;
    }
    to->muscle = main->muscle;
    to->joint = rim ? main->joint : -1;
    if (to->joint >= 0) {
        to->foot = snMulAP(snInverseAffine(r->figure.pose.global[to->joint]), to->place);
        to->bandLength = 0;
        return;
    }
    // Between a rim and what is tied the band is that of what is tied.
    for (int k = 0; k < 4 && to->muscle < 0 && main->joint >= 0; k++)
        if (b->weight[k] > 0) to->muscle = from[b->parent[k]].muscle;
    if (to->muscle < 0) {
        to->foot = snVec(0, 0, 0);
        to->bandLength = 0;
        return;
    }
    const snMuscle *muscle = &r->figure.muscles[to->muscle];
    snVec3 foot = same ? snMuscle_Place(muscle, to->foot) : to->place;
    foot = snMuscle_Project(muscle, foot, NULL);
    to->foot = snMuscle_Source(muscle, foot);
    if (!same) to->bandLength = snDistance(to->place, foot);
}

static void blendPoint(const Resample *r, int point, const snLayeredPoint *from)
{
    const snSkinBlend *b = &r->blend[point];
    snColumns fields = snColumns_Of(SN_TABLE_POINTS);
    snLayeredPoint *to = &r->rows[point];
    if (b->weight[0] == 1) { // a point of the old resolution stays as it is
        *to = from[b->parent[0]];
        return;
    }
    snTable_Default(SN_TABLE_POINTS, to);
    for (int i = 0; i < fields.count; i++)
        if (fields.list[i].kind >= SN_COLUMN_NUMBER) blendNumbers(&fields.list[i], b, from, to);
    blendTexture(r, b, from, to);
}

// Means of places are inside of what is round, and so are faces that are larger than before: all of them go out.
static snStatus pushOut(Resample *r, const snLayeredPoint *from, snError *error)
{
    snArena *arena = &r->figure.arena;
    int count = r->to.pointCount;
    snSkinMuscles muscles;
    snSkinCover cover;
    snSkinPushCount ignored = {0};
    snVec3 *places = SN_NEW(arena, snVec3, count);
    snSkinPoint *points = SN_NEW(arena, snSkinPoint, count);
    double *inverseMass = SN_NEW(arena, double, 3 * (size_t)count);
    if (!places || !points || !inverseMass) return snFailMemory(error);
    for (int i = 0; i < count; i++) {
        places[i] = r->rows[i].place;
        points[i].fat = r->rows[i].fat;
        bool rim = from[heaviest(&r->blend[i])].joint >= 0;
        for (int k = 0; k < 3; k++)
            inverseMass[3 * (size_t)i + (size_t)k] = rim ? 0 : 1;
    }
    snStatus status = snFigure_SkinMuscles(&r->figure, 0, &muscles, arena, error);
    snSkinContact contact = {
        .mesh = &r->to, .points = points, .inverseMass = inverseMass, .muscles = &muscles};
    if (!status) {
        snSkinMuscles_At(&muscles, 1);
        status = snSkinCover_Make(&cover, &contact, places, -snLayered_SkinBulge(r->figure.layered),
                                  arena, error);
    }
    if (!status) snSkinCover_Push(&cover, &contact, places, NULL, &ignored);
    for (int i = 0; i < count && !status; i++) {
        snLayeredPoint *to = &r->rows[i];
        if (to->joint < 0) to->place = snFigure_PushOut(&r->figure, places[i], to->fat);
    }
    return status;
}

static snStatus begin(Resample *r, const snEditor *editor, snError *error)
{
    *r = (Resample){0};
    if (!snLayered_Skin(&editor->layered))
        return snFail(error, SN_ERROR_ARGUMENT, "there is no skin; create one first");
    snStatus status = snFigure_Build(&r->figure, &editor->layered, error);
    if (status) return status;
    snFigure_SetRest(&r->figure);
    status = snLayered_SkinMesh(&editor->layered, &r->from, &r->figure.arena, error);
    if (status) snFigure_Destroy(&r->figure);
    return status;
}

static void keep(snEditor *editor, const Resample *r)
{
    snLayeredSkin skin = *snLayered_Skin(&editor->layered);
    const snTable lists[] = {SN_TABLE_TRIANGLES, SN_TABLE_POINTS};
    for (int i = 0; i < 2; i++)
        snEditor_Remove(editor, lists[i], 0, snLayered_Count(&editor->layered, lists[i]));
    if (r->to.columns) skin.rows = r->to.rows, skin.columns = r->to.columns;
    snEditor_Set(editor, SN_TABLE_SKIN, 0, &skin);
    snEditor_Insert(editor, SN_TABLE_POINTS, 0, r->to.pointCount, r->rows);
    _Static_assert(sizeof(snLayeredTriangle) == 3 * sizeof(int), "padding");
    if (!r->to.columns)
        snEditor_Insert(editor, SN_TABLE_TRIANGLES, 0, r->to.triangleCount, r->to.triangles);
}

static snStatus finish(Resample *r, snEditor *editor, snStatus status, snError *error)
{
    snEditor_Begin(editor);
    if (!status) r->rows = SN_NEW(&r->figure.arena, snLayeredPoint, r->to.pointCount);
    if (!status && !r->rows) status = snFailMemory(error);
    const snLayeredPoint *from = snLayered_Points(&editor->layered);
    for (int i = 0; i < r->to.pointCount && !status; i++)
        blendPoint(r, i, from);
    if (!status) status = pushOut(r, from, error);
    for (int i = 0; i < r->to.pointCount && !status; i++)
        if (r->blend[i].weight[0] != 1) blendTie(r, &r->blend[i], from, &r->rows[i]);
    if (!status) keep(editor, r);
    status = snEditor_End(editor, status, error);
    snFigure_Destroy(&r->figure);
    return status;
}

snStatus snEdit_ResampleSkin(snEditor *editor, int rows, int columns, snError *error)
{
    Resample r;
    if (rows < 3 || columns < 3 || (double)rows * columns > SN_MOST_POINTS)
        return snFail(
            error, SN_ERROR_ARGUMENT,
            "%d rows of %d columns; there must be 3 or more of each, and %d points at most", rows,
            columns, SN_MOST_POINTS);
    snStatus status = begin(&r, editor, error);
    if (status) return status;
    status = snSkinMesh_Resample(&r.to, &r.blend, &r.from, columns, rows, &r.figure.arena, error);
    return finish(&r, editor, status, error);
}

snStatus snEdit_DoubleSkin(snEditor *editor, snError *error)
{
    Resample r;
    const snLayeredSkin *skin = snLayered_Skin(&editor->layered);
    if (skin && skin->kind == SN_SKIN_GRID)
        return snEdit_ResampleSkin(editor, 2 * skin->rows, 2 * skin->columns, error);
    snStatus status = begin(&r, editor, error);
    if (status) return status;
    if (r.from.pointCount > SN_MOST_POINTS / 4)
        status = snFail(error, SN_ERROR_ARGUMENT, "the skin would have too many points");
    else
        status = snSkinMesh_Refine(&r.to, &r.blend, &r.from, &r.figure.arena, error);
    return finish(&r, editor, status, error);
}

snStatus snEdit_HalveSkin(snEditor *editor, snError *error)
{
    const snLayeredSkin *skin = snLayered_Skin(&editor->layered);
    if (!skin) return snFail(error, SN_ERROR_ARGUMENT, "there is no skin; create one first");
    if (skin->kind == SN_SKIN_MESH)
        return snFail(error, SN_ERROR_ARGUMENT,
                      "a mesh cannot be halved; make it anew with cells twice as large");
    return snEdit_ResampleSkin(editor, skin->rows / 2, skin->columns / 2, error);
}
