#include "character/mirror.h"

#include "core/svd.h"
#include "geometry/primitive.h"

static const double largestMean = 0.005; // of the size
static const double largestSingle = 0.03;
static const int mostSamples = 1500;

double snMirror_Side(const snMirror *mirror, snVec3 point)
{
    return snDot(mirror->normal, snSub(point, mirror->point));
}

snVec3 snMirror_Of(const snMirror *mirror, snVec3 point)
{
    return snMulAdd(point, -2.0 * snMirror_Side(mirror, point), mirror->normal);
}

// Centre and covariance of the surface, ∫ x dA / A and ∫ (x - c)(x - c)ᵀ dA. Over one triangle the
// second is A/12 (Σ q_i q_iᵀ + 9 m mᵀ) with q the corners and m the middle, all relative to c.
static snMat3 covariance(const snMesh *mesh, snVec3 *centre)
{
    snVec3 sum = snVec(0, 0, 0);
    double area = 0.0;
    for (int t = 0; t < mesh->triangleCount; t++) {
        snTriangle f = snMesh_Triangle(mesh, t);
        double a = snLength(snTriangle_AreaVector(f));
        sum = snMulAdd(sum, a / 3.0, snAdd(f.a, snAdd(f.b, f.c)));
        area += a;
    }
    *centre = area > 0.0 ? snScale(1.0 / area, sum) : mesh->positions[0];
    snMat3 c = snDiagonal3(0, 0, 0);
    for (int t = 0; t < mesh->triangleCount; t++) {
        snTriangle f = snMesh_Triangle(mesh, t);
        double a = snLength(snTriangle_AreaVector(f)) / 12.0;
        snVec3 q[3] = {snSub(f.a, *centre), snSub(f.b, *centre), snSub(f.c, *centre)};
        snVec3 m = snScale(1.0 / 3.0, snAdd(q[0], snAdd(q[1], q[2])));
        for (int i = 0; i < 3; i++)
            c = snAddMM(c, snScaleM(a, snOuter(q[i], q[i])));
        c = snAddMM(c, snScaleM(9.0 * a, snOuter(m, m)));
    }
    return c;
}

// How far the mirror image of the vertices is from the surface.
static bool fits(const snSolid *solid, snMirror *mirror)
{
    const snMesh *mesh = &solid->mesh;
    int stride = 1 + mesh->vertexCount / mostSamples, samples = 0;
    double sum = 0.0, largest = 0.0;
    for (int v = 0; v < mesh->vertexCount; v += stride, samples++) {
        snVec3 image = snMirror_Of(mirror, mesh->positions[v]);
        double distance = snMeshTree_Closest(&solid->tree, image, 1e300).distance;
        sum += distance;
        if (distance > largest) largest = distance;
        // Far beyond hope: spare the rest.
        if (sum > largestMean * solid->size * (mesh->vertexCount / stride + 1)) return false;
    }
    mirror->error = sum / samples / solid->size;
    return mirror->error <= largestMean && largest <= largestSingle * solid->size;
}

static snVec3 positive(snVec3 n)
{
    double x = fabs(n.x), y = fabs(n.y), z = fabs(n.z);
    double lead = x >= y && x >= z ? n.x : y >= z ? n.y : n.z;
    return lead < 0.0 ? snNeg(n) : n;
}

snMirror snFindMirror(const snSolid *solid)
{
    snVec3 centre, values;
    snMat3 principal;
    snEigenSymmetric3(covariance(&solid->mesh, &centre), &values, &principal);
    const snVec3 normals[6] = {{1, 0, 0},    {0, 0, 1},    {0, 1, 0},
                               principal.cx, principal.cy, principal.cz};
    for (int i = 0; i < 6; i++) {
        snMirror mirror = {true, centre, positive(normals[i]), 0.0};
        if (fits(solid, &mirror)) return mirror;
    }
    return (snMirror){.point = centre, .normal = {1, 0, 0}};
}
