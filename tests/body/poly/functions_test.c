// Functions of bodies with linear deformations, integrals over their surfaces, masses of their vertices.
#include "body/poly/grid.h"
#include "numerics/gauss.h"
#include "tests/body/poly/polys.h"

#include <string.h>

static snPolyBox slantedBox(void)
{
    snQuat turn = snQuatFromAxisAngle(snNormalizeOr(snVec(1, 2, 3), snVec(1, 0, 0)), 0.7);
    return (snPolyBox){
        .center = {0.1, -0.2, 0.3}, .half = {0.5, 0.3, 0.8}, .axes = snQuatToMat(turn)};
}

static void ruleIsExact(void)
{
    for (int n = 1; n <= 40; n++) {
        double x[SN_GAUSS_POINTS], w[SN_GAUSS_POINTS];
        snGauss_Rule(n, x, w);
        for (int degree = 0; degree < 2 * n; degree++) {
            double sum = 0;
            for (int i = 0; i < n; i++) {
                double power = 1;
                for (int k = 0; k < degree; k++)
                    power *= x[i];
                sum += w[i] * power;
            }
            CHECK_NEAR(sum, degree % 2 ? 0 : 2.0 / (degree + 1), 1e-13);
        }
        for (int i = 0; i < n; i++)
            CHECK(x[i] == -x[n - 1 - i] && w[i] > 0 && (i == 0 || x[i] > x[i - 1]));
    }
}

static void checkDerivatives(int order, const int controls[3])
{
    snPolyBox box = slantedBox();
    snPolyFunctions f;
    CHECK(snPolyFunctions_Make(&f, order, controls, &box, NULL) == SN_OK);
    double low[729], high[729], value[729];
    snVec3 gradient[729], x = {0.3, -0.1, 0.15};
    snPolyFunctions_At(&f, x, value, gradient);
    for (int c = 0; c < 3; c++) {
        snVec3 d = snVec(c == 0, c == 1, c == 2);
        double h = 1e-5;
        snPolyFunctions_At(&f, snMulAdd(x, -h, d), low, NULL);
        snPolyFunctions_At(&f, snMulAdd(x, h, d), high, NULL);
        for (int a = 0; a < f.count; a++)
            CHECK_NEAR((high[a] - low[a]) / (2 * h), snDot(gradient[a], d), 1e-6);
    }
}

static void derivativesAreTrue(void)
{
    const int none[3] = {0}, some[3] = {3, 2, 5}, most[3] = {9, 9, 9};
    for (int order = 1; order <= SN_POLY_ORDER; order++)
        checkDerivatives(order, none);
    checkDerivatives(0, some);
    checkDerivatives(0, most);
}

static void countsAreRight(void)
{
    static const int counts[] = {4, 10, 20, 35, 56, 84, 120, 165};
    const int none[3] = {0}, some[3] = {3, 4, 2};
    snPolyBox box = slantedBox();
    snPolyFunctions f;
    for (int order = 1; order <= SN_POLY_ORDER; order++) {
        CHECK(snPolyFunctions_Make(&f, order, none, &box, NULL) == SN_OK);
        CHECK(f.count == counts[order - 1]);
    }
    CHECK(snPolyFunctions_Make(&f, 0, some, &box, NULL) == SN_OK);
    CHECK(f.count == 24);
    double value[24], sum = 0;
    snPolyFunctions_At(&f, snVec(0.2, 0.1, 0.5), value, NULL);
    for (int a = 0; a < 24; a++)
        sum += value[a];
    CHECK_NEAR(sum, 1, 1e-14); // Bernstein's polynomials are a partition of one
}

// ---- integrals ----------------------------------------------------------------------------------

typedef struct Power {
    int i, j, k;
    double sum;
} Power;

static double power(double x, int n)
{
    double p = 1;
    while (n-- > 0)
        p *= x;
    return p;
}

static void addPower(void *user, snVec3 x, double weight)
{
    Power *p = user;
    p->sum += weight * power(x.x, p->i) * power(x.y, p->j) * power(x.z, p->k);
}

static double integral(const snMesh *mesh, int i, int j, int k)
{
    snPolyMeasure measure = {.surface = mesh, .density = 1};
    Power p = {i, j, k, 0};
    snPolyMeasure_Visit(&measure, i + j + k, addPower, &p);
    return p.sum;
}

static double factorial(int n)
{
    return n > 1 ? n * factorial(n - 1) : 1;
}

static void integralsAreExact(void)
{
    static Surface s;
    snVec3 h = {0.7, 0.4, 1.1};
    for (int i = 0; i <= 4; i++)
        for (int j = 0; j <= 4; j++)
            for (int k = 0; k <= 4; k++) {
                double a = power(h.x, i + 1), b = power(h.y, j + 1), c = power(h.z, k + 1);
                bool odd = i % 2 || j % 2 || k % 2;
                double box = odd ? 0 : 8 * a * b * c / ((i + 1) * (j + 1) * (k + 1));
                CHECK_NEAR(integral(boxSurface(&s, h), i, j, k), box, 1e-13);
                // Dirichlet's integral
                double tet = a * b * c * factorial(i) * factorial(j) * factorial(k) /
                             factorial(i + j + k + 3);
                CHECK_NEAR(integral(tetSurface(&s, h), i, j, k), tet, 1e-13);
            }
}

static void ballsHaveTheirMoments(void)
{
    static Surface s;
    double last = 1;
    for (int n = 8; n <= 32; n *= 2) { // a mesh inscribed: second order
        snPolyMeasure measure = {.surface = ballSurface(&s, 0.5, n), .density = 1000};
        snPolyMoments m = snPolyMeasure_Moments(&measure);
        double volume = 4 * SN_PI / 3 * 0.125, spread = 0.2 * 0.25;
        double miss = fabs(m.mass / (1000 * volume) - 1);
        CHECK(miss < last / 3);
        CHECK_NEAR(m.spread.cx.x, spread, 2 * miss * spread);
        CHECK_NEAR(m.spread.cx.y, 0, 1e-12);
        CHECK(snLength(m.center) < 1e-12);
        last = miss;
    }
    CHECK(last < 0.01);
}

// ---- masses of vertices -------------------------------------------------------------------------

typedef struct Pair {
    const snPolyFunctions *f;
    double *sum; // [count * count]
} Pair;

static void addPair(void *user, snVec3 x, double weight)
{
    Pair *p = user;
    double value[SN_POLY_FUNCTIONS];
    snPolyFunctions_At(p->f, x, value, NULL);
    for (int a = 0; a < p->f->count; a++)
        for (int b = 0; b < p->f->count; b++)
            p->sum[a * p->f->count + b] += weight * value[a] * value[b];
}

// The vertices' M against the integrals themselves.
static void checkMass(const snMesh *mesh, int order, const int controls[3])
{
    static double sum[64 * 64], own[64 * 64];
    snContext context = snDefaultContext();
    snPolyDef def = snDefaultPolyDef();
    snSolid *solid;
    snError error = {0};
    def.surface = mesh;
    def.order = order;
    memcpy(def.controls, controls, sizeof def.controls);
    if (!CHECK(snPoly_Build(&solid, &def, &context, &error) == SN_OK)) {
        printf("%s\n", error.message);
        return;
    }
    const snPoly *poly = solid->own;
    const snPolyFunctions *f = &poly->functions;
    int n = f->count;
    memset(sum, 0, sizeof sum);
    memset(own, 0, sizeof own);
    snPolyMeasure measure = {.surface = mesh, .density = def.density};
    Pair pair = {f, sum};
    snPolyMeasure_Visit(&measure, snPolyFunctions_ProductDegree(f) + 3, addPair, &pair);
    pair.sum = own;
    double volume = 0, most = 0;
    for (int v = 0; v < solid->nodes.lattice.vertexCount; v++)
        addPair(&pair, solid->nodes.lattice.rest[v], solid->masses[v]);
    for (int e = 0; e < solid->quadrature.elementCount; e++)
        volume += solid->quadrature.volume[e];
    for (int k = 0; k < n * n; k++)
        most =
            fmax(most, fabs(own[k] - sum[k]) / sqrt(sum[k / n * (n + 1)] * sum[k % n * (n + 1)]));
    printf("  order %d, %d functions, %d vertices, %d elements: M off by %.1e\n", order, n,
           solid->nodes.lattice.vertexCount, solid->quadrature.elementCount, most);
    CHECK(most < 1e-11);
    CHECK_NEAR(volume, snMesh_Volume(mesh), 1e-12 * volume);
    CHECK_NEAR(solid->mass, 1000 * volume, 1e-9 * solid->mass);
    snSolid_Destroy(solid);
}

static void turn(Surface *s, double angle)
{
    snQuat q = snQuatFromAxisAngle(snNormalizeOr(snVec(1, 2, 3), snVec(1, 0, 0)), angle);
    for (int v = 0; v < s->mesh.vertexCount; v++)
        s->points[v] = snAdd(snRotate(q, s->points[v]), snVec(3, 1, -2));
}

static void massIsExact(void)
{
    static Surface s;
    const int none[3] = {0}, some[3] = {3, 2, 4};
    for (int order = 1; order <= 4; order++) {
        checkMass(boxSurface(&s, snVec(0.5, 0.1, 0.1)), order, none);
        checkMass(tetSurface(&s, snVec(0.5, 0.2, 0.3)), order, none);
    }
    checkMass(ballSurface(&s, 0.3, 10), 2, none);
    checkMass(boxSurface(&s, snVec(0.5, 0.2, 0.1)), 0, some);
    boxSurface(&s, snVec(1, 0.1, 0.15));
    turn(&s, 0.8); // a slanting rod: along its own axes
    checkMass(&s.mesh, 1, none);
    checkMass(&s.mesh, 3, none);
}

// Closed forms of an affine box: M = ρ V diag(1, a²/3, b²/3, c²/3) over (1, x, y, z).
static void boxHasItsInertia(void)
{
    static Surface s;
    snContext context = snDefaultContext();
    snPolyDef def = snDefaultPolyDef();
    snSolid *solid;
    snVec3 half = {0.5, 0.1, 0.2};
    def.surface = boxSurface(&s, half);
    def.mass = 7;
    CHECK(snPoly_Build(&solid, &def, &context, NULL) == SN_OK);
    double m[4][4] = {{0}};
    for (int v = 0; v < 4; v++) {
        snVec3 x = solid->nodes.lattice.rest[v];
        const double p[4] = {1, x.x, x.y, x.z};
        for (int a = 0; a < 16; a++)
            m[a / 4][a % 4] += solid->masses[v] * p[a / 4] * p[a % 4];
    }
    const double diagonal[4] = {7, 7 * 0.25 / 3, 7 * 0.01 / 3, 7 * 0.04 / 3};
    for (int a = 0; a < 16; a++)
        CHECK_NEAR(m[a / 4][a % 4], a % 5 ? 0 : diagonal[a / 4], 1e-14);
    CHECK(solid->quadrature.elementCount == 1);
    CHECK_NEAR(solid->quadrature.volume[0], 0.08, 1e-15);
    snSolid_Destroy(solid);
}

static void pointMassesCount(void)
{
    static Surface s;
    snContext context = snDefaultContext();
    const snVec3 points[5] = {{0, 0, 0}, {0.5, 0, 0}, {0, 0.1, 0}, {0, 0, 0.1}, {-0.5, 0.1, 0.1}};
    const double masses[5] = {1, 2, 3, 1, 0.5};
    snPolyDef def = snDefaultPolyDef();
    snPolyMeasure measure = {.pointCount = 5, .points = points, .masses = masses};
    snPolyMoments want = snPolyMeasure_Moments(&measure), got = {0};
    snSolid *solid;
    def.surface = boxSurface(&s, snVec(0.5, 0.1, 0.1));
    def.pointCount = 5, def.points = points, def.masses = masses;
    CHECK(snPoly_Build(&solid, &def, &context, NULL) == SN_OK);
    measure.pointCount = 4;
    measure.points = solid->nodes.lattice.rest;
    measure.masses = solid->masses;
    got = snPolyMeasure_Moments(&measure);
    CHECK_NEAR(got.mass, 7.5, 1e-14);
    CHECK(snDistance(got.center, want.center) < 1e-14);
    CHECK(snNormSquaredM(snAddMM(got.spread, snScaleM(-1, want.spread))) < 1e-28);
    snSolid_Destroy(solid);
}

// ---- bad input ----------------------------------------------------------------------------------

static void fails(const snPolyDef *def, const char *word)
{
    snContext context = snDefaultContext();
    snError error = {0};
    snSolid *solid;
    CHECK(snPoly_Build(&solid, def, &context, &error) != SN_OK);
    if (!CHECK(strstr(error.message, word) != NULL)) printf("  %s\n", error.message);
    CHECK(solid == NULL);
}

static void badInputIsNamed(void)
{
    static Surface s;
    const snVec3 points[3] = {{0, 0, 0}, {0.1, 0, 0}, {0, 0.1, 0}};
    const double masses[3] = {1, 1, 1};
    snPolyDef good = snDefaultPolyDef(), def = good;
    good.surface = boxSurface(&s, snVec(0.5, 0.1, 0.1));
    def = good, def.order = 0, fails(&def, "the order is 0");
    def = good, def.order = 30, fails(&def, "the order is 30");
    def = good, def.order = -1, fails(&def, "the order is -1");
    def = good, def.order = 0, def.controls[0] = 3, fails(&def, "3 x 0 x 0 control points");
    def = good, def.order = 0, def.controls[0] = def.controls[1] = def.controls[2] = 9;
    fails(&def, "729 control points");
    def = good, def.density = NAN, fails(&def, "density");
    def = good, def.mass = -1, fails(&def, "kg");
    def = good, def.young = 0, fails(&def, "young");
    def = good, def.poisson = 0.5, fails(&def, "poisson");
    def = good, def.surface = NULL, fails(&def, "needs a surface");
    def = good, def.pointCount = 3, def.points = points, def.masses = masses;
    fails(&def, "depend on each other");
    def.order = 2, fails(&def, "depend on each other");
    def.order = 1, def.masses = (const double[]){1, -1, 1}, fails(&def, "point mass 1");
    s.mesh.triangleCount = 11, fails(&good, "is open");
    s.mesh.triangleCount = 0, fails(&good, "encloses nothing");
    boxSurface(&s, snVec(0.5, 0.1, 0)), fails(&good, "no volume");
    boxSurface(&s, snVec(-0.5, 0.1, 0.1)), fails(&good, "inside out");
    boxSurface(&s, snVec(0.5, NAN, 0.1)), fails(&good, "not finite");
}

static void memoryMayFail(void)
{
    static Surface s;
    for (int order = 1; order <= 2; order++) {
        bool made = false;
        snPolyDef def = snDefaultPolyDef();
        def.surface = boxSurface(&s, snVec(0.5, 0.1, 0.1));
        def.order = order;
        for (int n = 1; n < 3000 && !made; n++) {
            snContext context = snDefaultContext();
            snFailingMemory memory = {.failAtWay = n};
            snTest_UseFailingMemory(&context, &memory);
            snBody *body = newPoly(&def, snDefaultSolidBodyDef(), &context, NULL);
            made = body != NULL;
            snBody_Destroy(body);
            CHECK(memory.alive == 0);
        }
        CHECK(made);
    }
}

int main(void)
{
    RUN(ruleIsExact);
    RUN(derivativesAreTrue);
    RUN(countsAreRight);
    RUN(integralsAreExact);
    RUN(ballsHaveTheirMoments);
    RUN(massIsExact);
    RUN(boxHasItsInertia);
    RUN(pointMassesCount);
    RUN(badInputIsNamed);
    RUN(memoryMayFail);
    return snTest_Finish();
}
