#include "layered/tool.h"

#include "core/elementary.h"
#include "core/error.h"
#include "geometry/tree.h"
#include "layered/surface.h"

#define FAR 1e6

snTool snToolPose(snVec3 tip, snQuat rotation)
{
    return (snTool){.place = tip, .rotation = snNormalizeQ(rotation), .direction = {0, 0, -1}};
}

snTool snToolRay(snVec3 origin, snVec3 direction)
{
    return (snTool){.isRay = true,
                    .place = origin,
                    .rotation = snIdentityQuat(),
                    .direction = snNormalizeOr(direction, snVec(0, 0, -1))};
}

snTool snView_Ray(const snView *view, double x, double y)
{
    double up = snTan(view->fieldOfView * SN_PI / 360);
    snVec3 local = snVec((2 * x - 1) * up * view->aspect, (1 - 2 * y) * up, -1);
    return snToolRay(view->eye, snRotate(snNormalizeQ(view->rotation), local));
}

// ---- joints -----------------------------------------------------------------------------------------

// Where a ray enters a ball: |o + t d - c|² = r², from outside or inside.
static bool rayBall(snTool tool, snVec3 center, double radius, double *t)
{
    snVec3 to = snSub(center, tool.place);
    double along = snDot(to, tool.direction);
    double root = along * along - snLengthSquared(to) + radius * radius;
    if (root < 0) return false;
    *t = along - sqrt(root);
    if (*t < 0) *t = along + sqrt(root);
    return *t >= 0;
}

static void pickJoints(const snFigure *f, snTool tool, double reach, snToolPick *pick)
{
    for (int j = 0; j < f->skeleton.jointCount; j++) {
        snVec3 center = f->pose.global[j].origin;
        double size = snLayered_Joints(f->layered)[j].size, t;
        if (tool.isRay ? !rayBall(tool, center, size, &t)
                       : (t = snDistance(center, tool.place) - size) > reach)
            continue;
        if (pick->kind && t >= pick->distance) continue;
        snVec3 place = tool.isRay ? snMulAdd(tool.place, t, tool.direction) : center;
        *pick = (snToolPick){SN_PICKED_JOINT, j, place, t};
    }
}

// ---- muscles ----------------------------------------------------------------------------------------

static void pickMuscles(const snFigure *f, snTool tool, double reach, snToolPick *pick)
{
    for (int m = 0; m < f->muscleCount; m++) {
        const snMuscle *muscle = &f->muscles[m];
        double t;
        snVec3 place = tool.place;
        if (tool.isRay) {
            if (!snMuscle_Ray(muscle, tool.place, tool.direction, FAR, &t)) continue;
            place = snMulAdd(tool.place, t, tool.direction);
        } else {
            place = snMuscle_Project(muscle, tool.place, NULL);
            t = snDistance(place, tool.place);
            if (snMuscle_Value(muscle, tool.place, NULL) < 0) t = -t;
            if (t > reach) continue;
        }
        if (pick->kind && t >= pick->distance) continue;
        *pick = (snToolPick){SN_PICKED_MUSCLE, m, place, t};
    }
}

// ---- skin -------------------------------------------------------------------------------------------

static snStatus pickPoints(snFigure *f, snTool tool, double reach, snToolPick *pick, snError *error)
{
    const snLayered *layered = f->layered;
    snSkinMesh mesh;
    snMeshTree tree;
    if (!snLayered_Skin(layered)) return SN_OK;
    snVec3 *places = snLayered_SkinPlaces(layered, &f->arena);
    if (!places) return snFailMemory(error);
    snStatus status = snLayered_SkinMesh(layered, &mesh, &f->arena, error);
    if (status) return status;
    snMesh surface = {mesh.pointCount, mesh.triangleCount, places, mesh.triangles};
    status = snMeshTree_Build(&tree, &surface, &f->arena, error);
    if (status) return status;
    snSurfacePoint hit = tool.isRay ? snMeshTree_Ray(&tree, tool.place, tool.direction, FAR)
                                    : snMeshTree_Closest(&tree, tool.place, reach);
    if (hit.triangle < 0 || (pick->kind && hit.distance >= pick->distance)) return SN_OK;
    int best = 0;
    for (int k = 1; k < 3; k++)
        if (hit.barycentric[k] > hit.barycentric[best]) best = k;
    *pick = (snToolPick){SN_PICKED_POINT, mesh.triangles[3 * hit.triangle + best], hit.point,
                         hit.distance};
    return SN_OK;
}

snStatus snEditor_Pick(const snEditor *editor, snTool tool, int kinds, double reach,
                       snToolPick *pick, snError *error)
{
    snFigure figure;
    *pick = (snToolPick){SN_PICKED_NOTHING, -1, tool.place, 0};
    if (!snIsFinite3(tool.place) || !snIsFinite3(tool.direction))
        return snFail(error, SN_ERROR_ARGUMENT, "the tool is at no finite place");
    snStatus status = snFigure_Build(&figure, &editor->layered, error);
    if (status) return status;
    if (kinds & SN_PICK_JOINTS) pickJoints(&figure, tool, reach, pick);
    if (!pick->kind) {
        if (kinds & SN_PICK_MUSCLES) pickMuscles(&figure, tool, reach, pick);
        if (kinds & SN_PICK_POINTS) status = pickPoints(&figure, tool, reach, pick, error);
    }
    snFigure_Destroy(&figure);
    return status;
}
