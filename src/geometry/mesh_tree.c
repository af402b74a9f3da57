#include "geometry/tree.h"

#include "core/error.h"
#include "geometry/primitive.h"

// Rays: Woop, Benthin, Wald, "Watertight Ray/Triangle Intersection", 2013. The ray is made the z
// axis by a shear, and the signs of three edge functions decide. The two triangles at an edge
// compute the same products for it (with contraction off, with exactly opposite signs), so a ray
// cannot miss both; a zero counts as a hit.

#define LARGEST 1e60 // fourth powers of coordinates below it stay far from overflow

static double lesser(double a, double b)
{
    return a < b ? a : b;
}

static double greater(double a, double b)
{
    return a > b ? a : b;
}

static bool isUsable(snVec3 p)
{
    return fabs(p.x) < LARGEST && fabs(p.y) < LARGEST && fabs(p.z) < LARGEST; // false for NaN
}

static snStatus checkTriangles(const snMesh *mesh, snError *error)
{
    for (int t = 0; t < mesh->triangleCount; t++)
        for (int i = 0; i < 3; i++) {
            int v = mesh->triangles[3 * (size_t)t + (size_t)i];
            if (v < 0 || v >= mesh->vertexCount)
                return snFail(error, SN_ERROR_GEOMETRY,
                              "triangle %d names vertex %d, but the mesh has %d vertices", t, v,
                              mesh->vertexCount);
            snVec3 p = mesh->positions[v];
            if (!isUsable(p))
                return snFail(error, SN_ERROR_GEOMETRY,
                              "vertex %d of triangle %d is at (%g, %g, %g); positions must be "
                              "numbers below 1e60",
                              v, t, p.x, p.y, p.z);
        }
    return SN_OK;
}

snStatus snMeshTree_Build(snMeshTree *tree, const snMesh *mesh, snArena *arena, snError *error)
{
    *tree = (snMeshTree){.mesh = *mesh};
    snStatus status = checkTriangles(mesh, error);
    if (status) return status;
    snArena scratch = {.allocator = arena->allocator};
    snBox *boxes = SN_NEW(&scratch, snBox, mesh->triangleCount);
    for (int t = 0; boxes && t < mesh->triangleCount; t++)
        boxes[t] = snTriangle_Bounds(snMesh_Triangle(mesh, t));
    status = boxes ? snTree_Build(&tree->tree, mesh->triangleCount, boxes, arena, error)
                   : snFailMemory(error);
    snArena_Destroy(&scratch);
    return status;
}

typedef struct Nearest {
    snSurfacePoint found; // `distance` is its square until the end
    snVec3 point;
} Nearest;

static void nearestInLeaf(const snMeshTree *tree, const snTreeNode *leaf, Nearest *nearest)
{
    snSurfacePoint *best = &nearest->found;
    for (int i = leaf->first; i < leaf->first + leaf->count; i++) {
        int t = tree->tree.items[i];
        if (snBox_DistanceSquared(tree->tree.boxes[i], nearest->point) > best->distance) continue;
        snSurfacePoint found = {.triangle = t};
        found.point =
            snClosestOnTriangle(nearest->point, snMesh_Triangle(&tree->mesh, t), found.barycentric);
        found.distance = snLengthSquared(snSub(found.point, nearest->point));
        bool lower = best->triangle < 0 || t < best->triangle;
        if (found.distance < best->distance || (found.distance == best->distance && lower))
            *best = found;
    }
}

snSurfacePoint snMeshTree_Closest(const snMeshTree *tree, snVec3 point, double maxDistance)
{
    struct {
        int node;
        double distance;
    } stack[SN_TREE_DEPTH];
    const snTreeNode *nodes = tree->tree.nodes;
    Nearest nearest = {{.triangle = -1, .distance = maxDistance * maxDistance}, point};
    int top = 0;
    if (tree->tree.nodeCount > 0 && maxDistance >= 0.0) {
        stack[top].node = 0;
        stack[top++].distance = snBox_DistanceSquared(nodes[0].box, point);
    }
    while (top > 0) {
        top--;
        const snTreeNode *node = &nodes[stack[top].node];
        if (stack[top].distance > nearest.found.distance) continue;
        if (node->count) {
            nearestInLeaf(tree, node, &nearest);
            continue;
        }
        // The nearer child goes on top.
        double left = snBox_DistanceSquared(nodes[node->first].box, point);
        double right = snBox_DistanceSquared(nodes[node->first + 1].box, point);
        int leftFirst = left <= right;
        stack[top].node = node->first + leftFirst;
        stack[top++].distance = leftFirst ? right : left;
        stack[top].node = node->first + 1 - leftFirst;
        stack[top++].distance = leftFirst ? left : right;
    }
    snSurfacePoint found = nearest.found;
    found.distance = sqrt(found.distance);
    return found;
}

typedef struct Ray {
    double origin[3], direction[3], inverse[3];
    int kx, ky, kz;    // the axes, permuted so that the direction is longest along kz
    double sx, sy, sz; // the shear that makes the direction (0, 0, 1)
} Ray;

static bool makeRay(Ray *ray, snVec3 origin, snVec3 direction)
{
    double d[3] = {direction.x, direction.y, direction.z};
    *ray = (Ray){.origin = {origin.x, origin.y, origin.z}, .direction = {d[0], d[1], d[2]}};
    for (int i = 0; i < 3; i++)
        ray->inverse[i] = 1.0 / d[i];
    ray->kz = fabs(d[0]) > fabs(d[1]) ? 0 : 1;
    if (fabs(d[2]) > fabs(d[ray->kz])) ray->kz = 2;
    ray->kx = (ray->kz + 1) % 3;
    ray->ky = (ray->kz + 2) % 3;
    double length = d[ray->kz];
    ray->sx = d[ray->kx] / length;
    ray->sy = d[ray->ky] / length;
    ray->sz = 1.0 / length;
    return fabs(length) > 1e-300 && snIsFinite3(direction) && snIsFinite3(origin);
}

// The ray's entry into the box, or infinity. Bounds are widened by some units in the last place,
// as the paper asks, so that no hit on a triangle is lost at its box.
static double enterBox(const Ray *ray, snBox box, double maxT)
{
    double low[3] = {box.lower.x, box.lower.y, box.lower.z};
    double high[3] = {box.upper.x, box.upper.y, box.upper.z};
    double enter = 0.0, leave = maxT;
    for (int i = 0; i < 3; i++) {
        if (ray->direction[i] == 0.0) {
            if (ray->origin[i] < low[i] || ray->origin[i] > high[i]) return INFINITY;
            continue;
        }
        double a = (low[i] - ray->origin[i]) * ray->inverse[i];
        double b = (high[i] - ray->origin[i]) * ray->inverse[i];
        enter = greater(lesser(a, b), enter);
        leave = lesser(greater(a, b), leave);
    }
    return enter * (1.0 - 1e-14) <= leave * (1.0 + 1e-14) ? enter * (1.0 - 1e-14) : INFINITY;
}

static bool hitTriangle(const Ray *ray, snTriangle t, snSurfacePoint *hit)
{
    const snVec3 corners[3] = {t.a, t.b, t.c};
    double x[3], y[3], z[3];
    for (int i = 0; i < 3; i++) {
        double p[3] = {corners[i].x - ray->origin[0], corners[i].y - ray->origin[1],
                       corners[i].z - ray->origin[2]};
        x[i] = p[ray->kx] - ray->sx * p[ray->kz];
        y[i] = p[ray->ky] - ray->sy * p[ray->kz];
        z[i] = ray->sz * p[ray->kz];
    }
    double u = x[2] * y[1] - y[2] * x[1];
    double v = x[0] * y[2] - y[0] * x[2];
    double w = x[1] * y[0] - y[1] * x[0];
    if ((u < 0.0 || v < 0.0 || w < 0.0) && (u > 0.0 || v > 0.0 || w > 0.0)) return false;
    double sum = u + v + w;
    if (sum == 0.0) return false; // seen edge-on, or without area
    hit->distance = (u * z[0] + v * z[1] + w * z[2]) / sum;
    hit->barycentric[0] = u / sum;
    hit->barycentric[1] = v / sum;
    hit->barycentric[2] = w / sum;
    return hit->distance >= 0.0;
}

static void hitLeaf(const snMeshTree *tree, const snTreeNode *leaf, const Ray *ray,
                    snSurfacePoint *best)
{
    for (int i = leaf->first; i < leaf->first + leaf->count; i++) {
        int t = tree->tree.items[i];
        snSurfacePoint hit = {.triangle = t};
        if (!hitTriangle(ray, snMesh_Triangle(&tree->mesh, t), &hit)) continue;
        bool lower = best->triangle < 0 || t < best->triangle;
        if (hit.distance < best->distance || (hit.distance == best->distance && lower)) *best = hit;
    }
}

snSurfacePoint snMeshTree_Ray(const snMeshTree *tree, snVec3 origin, snVec3 direction, double maxT)
{
    struct {
        int node;
        double enter;
    } stack[SN_TREE_DEPTH];
    const snTreeNode *nodes = tree->tree.nodes;
    snSurfacePoint best = {.triangle = -1, .distance = maxT};
    Ray ray;
    int top = 0;
    if (makeRay(&ray, origin, direction) && tree->tree.nodeCount > 0 && maxT >= 0.0) {
        stack[top].node = 0;
        stack[top++].enter = enterBox(&ray, nodes[0].box, maxT);
    }
    while (top > 0) {
        top--;
        const snTreeNode *node = &nodes[stack[top].node];
        if (isinf(stack[top].enter) || stack[top].enter > best.distance) continue;
        if (node->count) {
            hitLeaf(tree, node, &ray, &best);
            continue;
        }
        double left = enterBox(&ray, nodes[node->first].box, best.distance);
        double right = enterBox(&ray, nodes[node->first + 1].box, best.distance);
        int leftFirst = left <= right;
        stack[top].node = node->first + leftFirst;
        stack[top++].enter = leftFirst ? right : left;
        stack[top].node = node->first + 1 - leftFirst;
        stack[top++].enter = leftFirst ? left : right;
    }
    if (best.triangle >= 0) {
        snTriangle t = snMesh_Triangle(&tree->mesh, best.triangle);
        const double *b = best.barycentric;
        best.point = snMulAdd(snMulAdd(snScale(b[0], t.a), b[1], t.b), b[2], t.c);
    }
    return best;
}
