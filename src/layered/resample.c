#include "layered/operations.h"

#include "body/skin/cover.h"
#include "core/error.h"
#include "layered/fields.h"
#include "layered/figure.h"
#include "layered/surface.h"

#include <string.h>

// Other resolutions of the skin. Values are densities of a square metre, or relative to the shape, so that means of them are
// right at any resolution. To a finer one they are interpolated. To a coarser one they are those whose interpolation is nearest
// to what was (body/skin/fit.c), so that halving gives back what was doubled. What a square metre's share of mass, damping and bands sums up
// to is the same before and after: the faces of a coarser skin have a little less area, and densities grow by that.

typedef struct Resample {
    snFigure figure;
    snSkinMesh from, to;
    snSkinBlend *blend;   // [to.pointCount], of points before
    snSkinBlend *back;    // [from.pointCount], of points after, where these are fewer; or NULL
    bool stays;           // points that stay are where they were
    snLayeredPoint *rows; // [to.pointCount]
} Resample;

static const char *const densities[] = {"mass", "damping", "stiffness", "band-damping"};
static const char *const fitted[] = {"mass",      "elasticity", "metric",       "damping",
                                     "viscosity", "stiffness",  "band-damping", "color"};

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

// A point that was pushed out has a band as loose as it was.
static void loosenBand(const Resample *r, const snLayeredPoint *from, snLayeredPoint *to)
{
    bool still = to->place.x == from->place.x && to->place.y == from->place.y &&
                 to->place.z == from->place.z;
    if (still || to->muscle < 0 || to->joint >= 0) return;
    snVec3 foot = snMuscle_Place(&r->figure.muscles[to->muscle], to->foot);
    double longer = to->bandLength + snDistance(to->place, foot) - snDistance(from->place, foot);
    to->bandLength = longer > 0 ? longer : 0;
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

static bool isKept(const Resample *r, int point)
{
    return r->stays && r->blend[point].weight[0] == 1;
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
        bool rim = from[heaviest(&r->blend[i])].joint >= 0 || isKept(r, i);
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
        if (to->joint < 0 && !isKept(r, i))
            to->place = snFigure_PushOut(&r->figure, places[i], to->fat);
    }
    return status;
}

// ---- sums over the surface --------------------------------------------------------------------------

// Square metres that points stand for, as the skin's body has it: the chart of a mesh is its places.
static double *areasOf(const snSkinMesh *mesh, const snLayeredPoint *rows, snArena *arena)
{
    const snSkinTissue one = {.mass = 1};
    snSkinMesh placed = *mesh;
    snVec3 *places = SN_NEW(arena, snVec3, mesh->pointCount);
    snSkinPoint *points = SN_NEW(arena, snSkinPoint, mesh->pointCount);
    double *areas = SN_NEW(arena, double, mesh->pointCount);
    if (!places || !points || !areas) return NULL;
    for (int i = 0; i < mesh->pointCount; i++)
        places[i] = rows[i].place;
    snMesh surface = {mesh->pointCount, mesh->triangleCount, places, mesh->triangles};
    if (!mesh->columns && snSkinMesh_FromTriangles(&placed, &surface, arena, NULL)) return NULL;
    snSkinTissue_Fill(&one, &placed, places, points);
    for (int i = 0; i < mesh->pointCount; i++)
        areas[i] = points[i].mass * placed.area[i];
    return areas;
}

static double *numbersOf(const snColumnDef *field, snLayeredPoint *row)
{
    return (double *)(void *)((char *)row + field->offset);
}

// Number k of a field of all points, fitted.
static snStatus fitNumber(Resample *r, const snSkinFit *fit, const snColumnDef *field, size_t k,
                          const snLayeredPoint *from, snError *error)
{
    snArena scratch = {.allocator = r->figure.arena.allocator};
    double *before = SN_NEW(&scratch, double, fit->fine);
    double *after = SN_NEW(&scratch, double, fit->coarse);
    snStatus status = before && after ? SN_OK : snFailMemory(error);
    for (int j = 0; j < fit->fine && !status; j++) {
        snLayeredPoint row = from[j];
        before[j] = numbersOf(field, &row)[k];
    }
    for (int i = 0; i < fit->coarse && !status; i++)
        after[i] = numbersOf(field, &r->rows[i])[k];
    if (!status) status = snSkinFit_Solve(fit, before, after, &scratch, error);
    for (int i = 0; i < fit->coarse && !status; i++)
        numbersOf(field, &r->rows[i])[k] = fmin(fmax(after[i], field->low), field->high);
    snArena_Destroy(&scratch);
    return status;
}

static snStatus fitValues(Resample *r, const snLayeredPoint *from, snError *error)
{
    snSkinFit fit = {r->from.pointCount, r->to.pointCount, r->back, NULL};
    snStatus status = SN_OK;
    double *area = areasOf(&r->from, from, &r->figure.arena), sum = 0;
    if (!area) return snFailMemory(error);
    for (int j = 0; j < fit.fine; j++)
        sum += area[j];
    for (int j = 0; j < fit.fine;
         j++) // where points are as good as in one place they count a little
        area[j] = fmax(area[j], 1e-3 * sum / fit.fine);
    fit.area = area;
    for (size_t i = 0; i < sizeof fitted / sizeof *fitted; i++) {
        const snColumnDef *field = snColumns_Find(snColumns_Of(SN_TABLE_POINTS), fitted[i]);
        for (size_t k = 0; k < snColumnDef_Size(field) / sizeof(double) && !status; k++)
            status = fitNumber(r, &fit, field, k, from, error);
    }
    return status;
}

static snStatus keepSums(Resample *r, const snLayeredPoint *from, snError *error)
{
    double *before = areasOf(&r->from, from, &r->figure.arena);
    double *after = areasOf(&r->to, r->rows, &r->figure.arena);
    if (!before || !after) return snFailMemory(error);
    for (size_t d = 0; d < sizeof densities / sizeof *densities; d++) {
        const snColumnDef *field = snColumns_Find(snColumns_Of(SN_TABLE_POINTS), densities[d]);
        double was = 0, is = 0;
        for (int j = 0; j < r->from.pointCount; j++) {
            snLayeredPoint row = from[j];
            was += before[j] * *numbersOf(field, &row);
        }
        for (int i = 0; i < r->to.pointCount; i++)
            is += after[i] * *numbersOf(field, &r->rows[i]);
        if (!(was > 0 && is > 0)) continue;
        for (int i = 0; i < r->to.pointCount; i++)
            *numbersOf(field, &r->rows[i]) *= was / is;
    }
    return SN_OK;
}

// ---- all of it --------------------------------------------------------------------------------------

static snStatus begin(Resample *r, const snEditor *editor, snError *error)
{
    *r = (Resample){0};
    snStatus status = snLayered_NeedSkin(&editor->layered, error);
    if (!status) status = snFigure_Build(&r->figure, &editor->layered, error);
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
    if (!status && r->back) status = fitValues(r, from, error);
    if (!status) status = pushOut(r, from, error);
    for (int i = 0; i < r->to.pointCount && !status; i++) {
        if (r->blend[i].weight[0] == 1)
            loosenBand(r, &from[r->blend[i].parent[0]], &r->rows[i]);
        else
            blendTie(r, &r->blend[i], from, &r->rows[i]);
    }
    if (!status) status = keepSums(r, from, error);
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
    snArena *arena = &r.figure.arena;
    status = snSkinMesh_Resample(&r.to, &r.blend, &r.from, columns, rows, arena, error);
    if (!status && rows <= r.from.rows && columns <= r.from.columns &&
        r.to.pointCount < r.from.pointCount) {
        snSkinMesh again;
        status =
            snSkinMesh_Resample(&again, &r.back, &r.to, r.from.columns, r.from.rows, arena, error);
    }
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
    r.stays = true;
    if (r.from.pointCount > SN_MOST_POINTS / 4)
        status = snFail(error, SN_ERROR_ARGUMENT, "the skin would have too many points");
    else
        status = snSkinMesh_Refine(&r.to, &r.blend, &r.from, &r.figure.arena, error);
    return finish(&r, editor, status, error);
}

// Points of the coarser mesh are points of this one.
static snStatus halveMesh(snEditor *editor, snError *error)
{
    Resample r;
    snSkinCoarser coarser = {0};
    snStatus status = begin(&r, editor, error);
    if (status) return status;
    snArena *arena = &r.figure.arena;
    snVec3 *places = snLayered_SkinPlaces(&editor->layered, arena);
    status =
        places ? snSkinMesh_Coarsen(&coarser, &r.from, places, arena, error) : snFailMemory(error);
    r.to = coarser.mesh;
    r.back = coarser.blend;
    r.stays = coarser.refined;
    r.blend = SN_NEW(arena, snSkinBlend, r.to.pointCount);
    if (!status && !r.blend) status = snFailMemory(error);
    for (int i = 0; i < r.to.pointCount && !status; i++)
        r.blend[i] = (snSkinBlend){{coarser.kept[i], 0, 0, 0}, {1, 0, 0, 0}};
    return finish(&r, editor, status, error);
}

snStatus snEdit_HalveSkin(snEditor *editor, snError *error)
{
    const snLayeredSkin *skin = snLayered_Skin(&editor->layered);
    if (!skin) return snLayered_NeedSkin(&editor->layered, error);
    if (skin->kind == SN_SKIN_MESH) return halveMesh(editor, error);
    return snEdit_ResampleSkin(editor, skin->rows / 2, skin->columns / 2, error);
}
