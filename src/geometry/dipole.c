#include "geometry/dipole.h"

#include "core/elementary.h"
#include "core/error.h"
#include "geometry/primitive.h"

// Barill, Dickson, Schmidt, Levin, Jacobson, "Fast Winding Numbers for Soups and Clouds", 2018.
// Solid angle: van Oosterom, Strackee, "The Solid Angle of a Plane Triangle", 1983.
//
// With φ(r) = -1/(4π|r|) the number at q is  w(q) = ∫ ∇φ(x - q) · n dA.  About a centre p, with
// r = p - q and x = p + d, Taylor gives
//     w = N·∇φ(r) + M : ∇∇φ(r) + ½ T ⋮ ∇∇∇φ(r) + ...
//     N = ∫ n dA,  M = ∫ n ⊗ d dA,  T = ∫ n ⊗ d ⊗ d dA.
// The derivatives of φ are symmetric in all indices, and every trace of them vanishes (φ is
// harmonic), so only the symmetric traceless parts of M and T matter: 5 and 7 numbers of 9 and 27
// (kept as 6 and 10). For those
//     4π M : ∇∇φ = -3 rᵀMr / |r|⁵,      4π ½ T ⋮ ∇∇∇φ = 15/2 T(r,r,r) / |r|⁷.
// Moving the centre by s (d' = d + s):  M' = M + N ⊗ s,  T' = T + 2 M ⊗ s + N ⊗ s ⊗ s, symmetric
// parts taken.

static const int pairOf[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
static const int tripleAxes[10][3] = {{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {0, 0, 1}, {0, 0, 2},
                                      {1, 1, 0}, {1, 1, 2}, {2, 2, 0}, {2, 2, 1}, {0, 1, 2}};

bool snHalfSolidAngle(snVec3 a, snVec3 b, snVec3 c, double *real, double *imaginary)
{
    *imaginary = snDot(a, snCross(b, c));
    double la = snLength(a), lb = snLength(b), lc = snLength(c);
    *real = la * lb * lc + snDot(a, b) * lc + snDot(b, c) * la + snDot(c, a) * lb;
    return *imaginary != 0.0;
}

snAngleSum snMakeAngleSum(void)
{
    return (snAngleSum){1.0, 0.0, 0};
}

// Angles of equal sign add up beyond ±π exactly when the product's imaginary part changes sides.
void snAngleSum_Add(snAngleSum *sum, double real, double imaginary)
{
    double re = sum->real * real - sum->imaginary * imaginary;
    double im = sum->real * imaginary + sum->imaginary * real;
    if (sum->imaginary >= 0.0 && imaginary > 0.0 && im < 0.0) sum->turns++;
    if (sum->imaginary < 0.0 && imaginary < 0.0 && im >= 0.0) sum->turns--;
    double size = fabs(re) + fabs(im);
    double scale = size > 0.0 ? 1.0 / size : 1.0;
    sum->real = re * scale;
    sum->imaginary = im * scale;
}

double snAngleSum_Total(const snAngleSum *sum)
{
    // + 0.0 makes a negative zero positive: on the negative axis the angle is +π.
    return snAtan2(sum->imaginary + 0.0, sum->real) + 2.0 * SN_PI * sum->turns;
}

// m += w sym(u ⊗ v)
static void addPair(double m[6], snVec3 u, snVec3 v, double w)
{
    m[0] += w * u.x * v.x;
    m[1] += w * u.y * v.y;
    m[2] += w * u.z * v.z;
    m[3] += 0.5 * w * (u.x * v.y + u.y * v.x);
    m[4] += 0.5 * w * (u.x * v.z + u.z * v.x);
    m[5] += 0.5 * w * (u.y * v.z + u.z * v.y);
}

// t += w sym(m ⊗ v) for a symmetric m
static void addTriple(double t[10], const double m[6], snVec3 vector, double w)
{
    double v[3] = {vector.x, vector.y, vector.z};
    for (int a = 0; a < 10; a++) {
        int i = tripleAxes[a][0], j = tripleAxes[a][1], k = tripleAxes[a][2];
        t[a] +=
            w / 3.0 * (m[pairOf[i][j]] * v[k] + m[pairOf[i][k]] * v[j] + m[pairOf[j][k]] * v[i]);
    }
}

static void removeTraces(snDipoleNode *node)
{
    double *m = node->m, *t = node->t;
    double third = (m[0] + m[1] + m[2]) / 3.0;
    for (int i = 0; i < 3; i++)
        m[i] -= third;
    // T_ijk - (δ_ij t_k + δ_ik t_j + δ_jk t_i) / 5 with t_i = T_ijj
    double x = (t[0] + t[5] + t[7]) / 5.0;
    double y = (t[1] + t[3] + t[8]) / 5.0;
    double z = (t[2] + t[4] + t[6]) / 5.0;
    t[0] -= 3.0 * x;
    t[1] -= 3.0 * y;
    t[2] -= 3.0 * z;
    t[3] -= y;
    t[8] -= y;
    t[4] -= z;
    t[6] -= z;
    t[5] -= x;
    t[7] -= x;
}

// ∫ d ⊗ d dA = A/12 (Σ d_v ⊗ d_v + s ⊗ s) over a triangle with corners d_v and s = Σ d_v.
static void addTriangle(snDipoleNode *node, const snVec3 corner[3])
{
    snVec3 d[3], sum = snVec(0, 0, 0);
    for (int i = 0; i < 3; i++) {
        d[i] = snSub(corner[i], node->centre);
        sum = snAdd(sum, d[i]);
    }
    snVec3 area = snTriangle_AreaVector((snTriangle){d[0], d[1], d[2]});
    double squares[6] = {0};
    for (int i = 0; i < 3; i++)
        addPair(squares, d[i], d[i], 1.0 / 12.0);
    addPair(squares, sum, sum, 1.0 / 12.0);
    node->n = snAdd(node->n, area);
    addPair(node->m, area, sum, 1.0 / 3.0);
    addTriple(node->t, squares, area, 1.0);
}

static void addChild(snDipoleNode *node, const snDipoleNode *child)
{
    snVec3 s = snSub(child->centre, node->centre);
    double squares[6] = {0};
    addPair(squares, s, s, 1.0);
    for (int a = 0; a < 10; a++)
        node->t[a] += child->t[a];
    addTriple(node->t, child->m, s, 2.0);
    addTriple(node->t, squares, child->n, 1.0);
    for (int a = 0; a < 6; a++)
        node->m[a] += child->m[a];
    addPair(node->m, child->n, s, 1.0);
    node->n = snAdd(node->n, child->n);
}

// The mean place of the area (signs do not matter for it), which keeps M small.
static snVec3 leafCentre(const snVec3 *corners, int count, double *weight)
{
    snVec3 sum = snVec(0, 0, 0);
    *weight = 0.0;
    for (int i = 0; i < count; i++) {
        const snVec3 *c = corners + 3 * (size_t)i;
        double area = snLength(snTriangle_AreaVector((snTriangle){c[0], c[1], c[2]}));
        sum = snMulAdd(sum, area / 3.0, snAdd(snAdd(c[0], c[1]), c[2]));
        *weight += area;
    }
    return *weight > 0.0 ? snScale(1.0 / *weight, sum) : corners[0];
}

static void makeLeaf(snDipoleNode *node, const snVec3 *corners, double *weight)
{
    node->centre = leafCentre(corners, node->count, weight);
    for (int i = 0; i < 3 * node->count; i++) {
        double distance2 = snLengthSquared(snSub(corners[i], node->centre));
        if (distance2 > node->reach2) node->reach2 = distance2;
    }
    for (int i = 0; i < node->count; i++)
        addTriangle(node, corners + 3 * (size_t)i);
}

static double reachBeyond(const snDipoleNode *node, const snDipoleNode *child)
{
    return snDistance(node->centre, child->centre) + sqrt(child->reach2);
}

static void makeInner(snDipoleNode *node, const snDipoleNode *children, const double *weights,
                      double *weight)
{
    *weight = weights[0] + weights[1];
    double share = *weight > 0.0 ? weights[1] / *weight : 0.5;
    node->centre = snLerp(children[0].centre, children[1].centre, share);
    double reach = reachBeyond(node, &children[0]), other = reachBeyond(node, &children[1]);
    if (other > reach) reach = other;
    node->reach2 = reach * reach;
    addChild(node, &children[0]);
    addChild(node, &children[1]);
}

// The farthest corner of the node's box is also a bound of the reach, and often a better one.
static void limitReach(snDipoleNode *node, const snDipoles *dipoles, snBox box)
{
    snVec3 low = snScale(dipoles->scale, snSub(box.lower, dipoles->middle));
    snVec3 high = snScale(dipoles->scale, snSub(box.upper, dipoles->middle));
    snVec3 far = snMax(snSub(node->centre, low), snSub(high, node->centre));
    double reach2 = snLengthSquared(far);
    if (reach2 < node->reach2) node->reach2 = reach2;
}

static void copyCorners(snDipoles *dipoles, const snMeshTree *tree, const signed char *signs)
{
    for (int i = 0; i < dipoles->itemCount; i++) {
        int t = tree->tree.items[i];
        const int *corner = tree->mesh.triangles + 3 * (size_t)t;
        snVec3 *out = dipoles->corners + 3 * (size_t)i;
        for (int k = 0; k < 3; k++) {
            // Turned over by exchanging two corners; left out by making all three equal.
            int from = signs[t] == 0 ? 0 : (signs[t] < 0 ? (3 - k) % 3 : k);
            snVec3 p = tree->mesh.positions[corner[from]];
            out[k] = snScale(dipoles->scale, snSub(p, dipoles->middle));
        }
    }
}

static void makeNodes(snDipoles *dipoles, const snTree *tree, double *weights)
{
    for (int n = tree->nodeCount - 1; n >= 0; n--) {
        snDipoleNode *node = &dipoles->nodes[n];
        *node = (snDipoleNode){.first = tree->nodes[n].first, .count = tree->nodes[n].count};
        if (node->count)
            makeLeaf(node, dipoles->corners + 3 * (size_t)node->first, &weights[n]);
        else
            makeInner(node, &dipoles->nodes[node->first], &weights[node->first], &weights[n]);
        limitReach(node, dipoles, tree->nodes[n].box);
        removeTraces(node);
    }
}

snStatus snDipoles_Make(snDipoles *dipoles, const snMeshTree *tree, const signed char *signs,
                        snArena *arena, snError *error)
{
    const snTree *t = &tree->tree;
    *dipoles = (snDipoles){.nodeCount = t->nodeCount, .itemCount = t->itemCount, .scale = 1.0};
    if (t->nodeCount > 0) {
        snVec3 size = snSub(t->nodes[0].box.upper, t->nodes[0].box.lower);
        double largest = size.x > size.y ? size.x : size.y;
        if (size.z > largest) largest = size.z;
        dipoles->middle = snLerp(t->nodes[0].box.lower, t->nodes[0].box.upper, 0.5);
        if (largest > 1e-150) dipoles->scale = 1.0 / largest;
    }
    dipoles->nodes = SN_NEW(arena, snDipoleNode, t->nodeCount);
    dipoles->corners = SN_NEW(arena, snVec3, 3 * (size_t)t->itemCount);
    if (!dipoles->nodes || !dipoles->corners) return snFailMemory(error);
    snArena scratch = {.allocator = arena->allocator};
    double *weights = SN_NEW(&scratch, double, t->nodeCount);
    if (weights) {
        copyCorners(dipoles, tree, signs);
        makeNodes(dipoles, t, weights);
    }
    snArena_Destroy(&scratch);
    return weights ? SN_OK : snFailMemory(error);
}

// 4π times the node's share of the number.
static double farField(const snDipoleNode *node, snVec3 r, double r2)
{
    const double *m = node->m, *t = node->t;
    double inverse2 = 1.0 / r2, inverse3 = inverse2 * sqrt(inverse2);
    double x = r.x, y = r.y, z = r.z, xx = x * x, yy = y * y, zz = z * z;
    double first = snDot(node->n, r);
    double second =
        m[0] * xx + m[1] * yy + m[2] * zz + 2.0 * (m[3] * x * y + m[4] * x * z + m[5] * y * z);
    double third = x * (t[0] * xx + 3.0 * (t[5] * yy + t[7] * zz)) +
                   y * (t[1] * yy + 3.0 * (t[3] * xx + t[8] * zz)) +
                   z * (t[2] * zz + 3.0 * (t[4] * xx + t[6] * yy)) + 6.0 * t[9] * x * y * z;
    return inverse3 * (first + inverse2 * (7.5 * inverse2 * third - 3.0 * second));
}

static void nearField(const snDipoles *dipoles, const snDipoleNode *leaf, snVec3 point,
                      snAngleSum *sum)
{
    for (int i = leaf->first; i < leaf->first + leaf->count; i++) {
        const snVec3 *c = dipoles->corners + 3 * (size_t)i;
        double real, imaginary;
        if (snHalfSolidAngle(snSub(c[0], point), snSub(c[1], point), snSub(c[2], point), &real,
                             &imaginary))
            snAngleSum_Add(sum, real, imaginary);
    }
}

double snDipoles_Number(const snDipoles *dipoles, snVec3 point, double beta)
{
    int stack[SN_TREE_DEPTH];
    int top = 0;
    if (dipoles->nodeCount > 0) stack[top++] = 0;
    snVec3 q = snScale(dipoles->scale, snSub(point, dipoles->middle));
    snAngleSum near = snMakeAngleSum();
    double far = 0.0;
    while (top > 0) {
        const snDipoleNode *node = &dipoles->nodes[stack[--top]];
        snVec3 r = snSub(node->centre, q);
        double r2 = snLengthSquared(r);
        if (r2 > beta * beta * node->reach2) {
            far += farField(node, r, r2);
        } else if (node->count) {
            nearField(dipoles, node, q, &near);
        } else {
            // 400 bytes, which are asked for next and stand anywhere: a twentieth of a whole bake was waiting for them.
            const char *children = (const char *)&dipoles->nodes[node->first];
            for (size_t k = 0; k < 2 * sizeof *node; k += 64)
                __builtin_prefetch(children + k);
            stack[top++] = node->first + 1;
            stack[top++] = node->first;
        }
    }
    return (far + 2.0 * snAngleSum_Total(&near)) / (4.0 * SN_PI);
}

double snDipoles_Exact(const snDipoles *dipoles, snVec3 point)
{
    snVec3 q = snScale(dipoles->scale, snSub(point, dipoles->middle));
    double sum = 0.0;
    for (int i = 0; i < dipoles->itemCount; i++) {
        const snVec3 *c = dipoles->corners + 3 * (size_t)i;
        double real, imaginary;
        if (snHalfSolidAngle(snSub(c[0], q), snSub(c[1], q), snSub(c[2], q), &real, &imaginary))
            sum += snAtan2(imaginary, real);
    }
    return sum / (2.0 * SN_PI);
}
