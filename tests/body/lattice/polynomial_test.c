// The precomputed quartic polynomial of Green strain against the energy summed element by element,
// differences, rigid motions; and what either way costs.
#include "tests/test.h"

#include "body/lattice/energy.h"
#include "body/lattice/hessian.h"
#include "body/lattice/passes.h"
#include "body/lattice/polynomial.h"
#include "core/core.h"
#include "tests/body/lattice/blocks.h"
#include "tests/body/lattice/checks.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define POISSON 0.4

typedef struct Scene {
    snContext context;
    snArena arena;
    snLattice lattice;
    snQuadrature quadrature;
    double *young;
    snPolynomial polynomial;
    int n; // numbers in q
    double *q, *scratch;
} Scene;

static void buildScene(Scene *scene, int level)
{
    snQuadratureDef def = snDefaultQuadratureDef();
    def.level = level;
    CHECK(snQuadrature_Make(&scene->quadrature, &scene->lattice, &def, &scene->arena,
                            &scene->context, NULL) == SN_OK);
    scene->young = SN_NEW(&scene->arena, double, scene->lattice.cellCount);
    for (int c = 0; c < scene->lattice.cellCount; c++)
        scene->young[c] = c % 3 ? 1e5 : 4e5;
    snPolynomialDef polynomial = {&scene->lattice, &scene->quadrature, scene->young, POISSON};
    CHECK(snPolynomial_Make(&scene->polynomial, &polynomial, &scene->arena, NULL) == SN_OK);
    scene->n = 3 * scene->lattice.vertexCount;
    scene->q = SN_NEW(&scene->arena, double, scene->n);
    scene->scratch = SN_NEW(&scene->arena, double, snPolynomial_ScratchSize(&scene->polynomial));
}

typedef enum Kind { TETS, HEXES, MIXED, ONE_CELL, KINDS } Kind;
static const char *const kindNames[KINDS] = {"tets", "hexahedra", "all kinds", "one hexahedron"};

static void makeScene(Scene *scene, Kind kind)
{
    unsigned char boundary[96];
    *scene = (Scene){.context = snDefaultContext()};
    scene->arena = snMakeArena(&scene->context);
    if (kind == MIXED)
        scene->lattice = makeMixed(boundary, 0.15, &scene->arena);
    else
        scene->lattice =
            makeBlock(kind == TETS ? BLOCK_TETS : BLOCK_HEXES, kind == ONE_CELL ? 1 : 3,
                      kind == ONE_CELL ? 1 : 2, 1, snVec(1, 0.6, 0.3), &scene->arena);
    buildScene(scene, kind == HEXES ? 2 : 1);
}

static void freeScene(Scene *scene)
{
    snArena_Destroy(&scene->arena);
}

// As large as the cells themselves.
static void shake(Scene *scene, double amount, uint64_t seed)
{
    snRandom random = snMakeRandom(seed);
    for (int k = 0; k < scene->n; k++)
        scene->q[k] = snRandom_Uniform(&random, -amount, amount);
}

// ---- element by element -------------------------------------------------------------------------

static snMat3 deformation(const Scene *scene, int element)
{
    const snQuadrature *q = &scene->quadrature;
    snMat3 f = snIdentity3();
    for (int k = q->start[element]; k < q->start[element + 1]; k++) {
        const double *d = scene->q + 3 * q->corner[k];
        f = snAddMM(f, snOuter(snVec(d[0], d[1], d[2]), q->gradient[k]));
    }
    return f;
}

static double direct(const Scene *scene, double *gradient, snSparse *matrix)
{
    const snQuadrature *q = &scene->quadrature;
    snElementTarget rest = snRestTarget();
    double value = 0;
    for (int e = 0; e < q->elementCount; e++) {
        double young = scene->young[q->cell[e]], volume = q->volume[e];
        double mu = volume * snShearModulus(young, POISSON);
        double lambda = volume * snLameLambda(young, POISSON);
        snMat3 f = deformation(scene, e);
        value += snEnergy_Density(SN_MATERIAL_GREEN, mu, lambda, &rest, f);
        snMat3 p = snEnergy_Stress(SN_MATERIAL_GREEN, mu, lambda, &rest, f);
        snHessian9 h = snEnergy_Hessian(SN_MATERIAL_GREEN, mu, lambda, &rest, f);
        for (int i = q->start[e]; i < q->start[e + 1]; i++) {
            snVec3 force = snMulMV(p, q->gradient[i]);
            gradient[3 * q->corner[i]] += force.x;
            gradient[3 * q->corner[i] + 1] += force.y;
            gradient[3 * q->corner[i] + 2] += force.z;
            for (int j = q->start[e]; j < q->start[e + 1]; j++) {
                if (q->corner[i] < q->corner[j]) continue;
                const double a[3] = {q->gradient[i].x, q->gradient[i].y, q->gradient[i].z};
                const double b[3] = {q->gradient[j].x, q->gradient[j].y, q->gradient[j].z};
                double block[9] = {0};
                for (int k = 0; k < 81; k++) // row 3 p + r of h is k / 9, column 3 s + c is k % 9
                    block[k / 9 % 3 * 3 + k % 3] += a[k / 27] * h.m[k / 9][k % 9] * b[k % 9 / 3];
                snSparse_AddBlock(matrix, q->corner[i], q->corner[j], block);
            }
        }
    }
    return value;
}

static void agreesWithElements(void)
{
    for (int kind = 0; kind < KINDS; kind++) {
        Scene scene;
        makeScene(&scene, (Kind)kind);
        const snPolynomial *polynomial = &scene.polynomial;
        const snPattern *pattern = &polynomial->quadratic.pattern;
        double worst[3] = {0};
        for (int k = 0; k < 5; k++) {
            snSparse expected, found;
            double *g = SN_NEW(&scene.arena, double, scene.n);
            double *out = SN_NEW(&scene.arena, double, scene.n);
            snSparse_Make(&expected, pattern, 3, &scene.arena, NULL);
            snSparse_Make(&found, pattern, 3, &scene.arena, NULL);
            shake(&scene, k == 0 ? 1e-3 : 0.3 * k, 20 + (uint64_t)k);
            double value = direct(&scene, g, &expected);
            worst[0] = fmax(
                worst[0], fabs(snPolynomial_Value(polynomial, scene.q, scene.scratch) / value - 1));
            snPolynomial_Gradient(polynomial, scene.q, out, scene.scratch);
            worst[1] = fmax(worst[1], relativeDifference(out, g, (size_t)scene.n));
            snPolynomial_Hessian(polynomial, scene.q, &found, scene.scratch);
            worst[2] = fmax(worst[2], relativeDifference(found.values, expected.values,
                                                         9 * (size_t)polynomial->pairCount));
        }
        printf("%s: value, gradient, Hessian against elements: %.1e %.1e %.1e\n", kindNames[kind],
               worst[0], worst[1], worst[2]);
        for (int k = 0; k < 3; k++)
            CHECK(worst[k] < 1e-10);
        freeScene(&scene);
    }
}

static void agreesWithDifferences(void)
{
    for (int kind = 0; kind < KINDS; kind++) {
        Scene scene;
        makeScene(&scene, (Kind)kind);
        const snPolynomial *polynomial = &scene.polynomial;
        double *g = SN_NEW(&scene.arena, double, scene.n), *q = scene.q, step = 1e-4;
        double *up = SN_NEW(&scene.arena, double, scene.n);
        double *down = SN_NEW(&scene.arena, double, scene.n);
        double *x = SN_NEW(&scene.arena, double, scene.n);
        double *column = SN_NEW(&scene.arena, double, scene.n), first = 0, second = 0, size = 0;
        snSparse h;
        snSparse_Make(&h, &polynomial->quadratic.pattern, 3, &scene.arena, NULL);
        shake(&scene, 0.5, 30);
        snPolynomial_Gradient(polynomial, q, g, scene.scratch);
        snPolynomial_Hessian(polynomial, q, &h, scene.scratch);
        for (int i = 0; i < scene.n; i++)
            size = fmax(size, fabs(g[i]));
        for (int k = 0; k < scene.n; k += 5) {
            double old = q[k];
            q[k] = old + step;
            double above = snPolynomial_Value(polynomial, q, scene.scratch);
            snPolynomial_Gradient(polynomial, q, up, scene.scratch);
            q[k] = old - step;
            double below = snPolynomial_Value(polynomial, q, scene.scratch);
            snPolynomial_Gradient(polynomial, q, down, scene.scratch);
            q[k] = old;
            first = fmax(first, fabs((above - below) / (2 * step) - g[k]) / size);
            x[k] = 1;
            snSparse_Multiply(&h, 1, x, column);
            x[k] = 0;
            for (int i = 0; i < scene.n; i++)
                up[i] = (up[i] - down[i]) / (2 * step);
            second = fmax(second, relativeDifference(up, column, (size_t)scene.n));
        }
        printf("%s: gradient and Hessian against differences: %.1e %.1e\n", kindNames[kind], first,
               second);
        CHECK(first < 1e-6 && second < 1e-6);
        freeScene(&scene);
    }
}

// q of the rigid motion x -> R x + t.
static void moveRigidly(Scene *scene, snMat3 rotation, snVec3 t)
{
    for (int v = 0; v < scene->lattice.vertexCount; v++) {
        snVec3 r = scene->lattice.rest[v], d = snSub(snAdd(snMulMV(rotation, r), t), r);
        memcpy(scene->q + 3 * v, &d, sizeof d);
    }
}

// ½ q . K q
static double linearEnergy(const Scene *scene)
{
    double *y = SN_NEW((snArena *)&scene->arena, double, scene->n), sum = 0;
    snSparse_Multiply(&scene->polynomial.quadratic, 1, scene->q, y);
    for (int i = 0; i < scene->n; i++)
        sum += 0.5 * scene->q[i] * y[i];
    return sum;
}

// Rotations cost nothing, and translations neither, also on top of a deformation.
static void rigidMotions(void)
{
    for (int kind = 0; kind < KINDS; kind++) {
        Scene scene;
        makeScene(&scene, (Kind)kind);
        const snPolynomial *polynomial = &scene.polynomial;
        snMat3 turn = snQuatToMat(snQuatFromAxisAngle(snVec(0, 0.6, 0.8), 1.9));
        moveRigidly(&scene, turn, snVec(0, 0, 0));
        double rotated = snPolynomial_Value(polynomial, scene.q, scene.scratch);
        double linear = linearEnergy(&scene);
        moveRigidly(&scene, snIdentity3(), snVec(1, -2, 0.5));
        double translated = snPolynomial_Value(polynomial, scene.q, scene.scratch);
        shake(&scene, 0.3, 40);
        double before = snPolynomial_Value(polynomial, scene.q, scene.scratch);
        for (int k = 0; k < scene.n; k++)
            scene.q[k] += k % 3 == 1 ? 2 : -1;
        double after = snPolynomial_Value(polynomial, scene.q, scene.scratch);
        printf("%s: rotated %.1e, translated %.1e of the linear energy of the rotation; a deformed "
               "one moved: %.1e\n",
               kindNames[kind], rotated / linear, translated / linear, after / before - 1);
        CHECK(fabs(rotated) < 1e-10 * linear);
        CHECK(fabs(translated) < 1e-10 * linear);
        CHECK_NEAR(after / before, 1, 1e-10);
        memset(scene.q, 0, sizeof(double) * (size_t)scene.n);
        CHECK(snPolynomial_Value(polynomial, scene.q, scene.scratch) == 0);
        freeScene(&scene);
    }
}

static void badInput(void)
{
    Scene scene;
    makeScene(&scene, MIXED);
    snPolynomialDef def = {&scene.lattice, &scene.quadrature, scene.young, 0.5};
    snPolynomial polynomial;
    snError error = {0};
    CHECK(snPolynomial_Make(&polynomial, &def, &scene.arena, &error) == SN_ERROR_ARGUMENT);
    CHECK(strstr(error.message, "poisson") != NULL);
    def.poisson = NAN;
    CHECK(snPolynomial_Make(&polynomial, &def, &scene.arena, NULL) == SN_ERROR_ARGUMENT);
    def.poisson = POISSON;
    scene.young[7] = -1;
    CHECK(snPolynomial_Make(&polynomial, &def, &scene.arena, &error) == SN_ERROR_ARGUMENT);
    CHECK(strstr(error.message, "cell 7") != NULL);
    scene.young[7] = 1e5;
    for (int failAt = 1;; failAt++) {
        snContext context = snDefaultContext();
        snFailingMemory memory = {.failAtWay = failAt};
        snTest_UseFailingMemory(&context, &memory);
        snArena arena = snMakeArena(&context);
        snStatus status = snPolynomial_Make(&polynomial, &def, &arena, NULL);
        CHECK(status == SN_OK || status == SN_ERROR_MEMORY);
        snArena_Destroy(&arena);
        CHECK(memory.alive == 0);
        if (status == SN_OK) break;
    }
    scene.q[4] = NAN;
    CHECK(isnan(snPolynomial_Value(&scene.polynomial, scene.q, scene.scratch)));
    freeScene(&scene);
}

// No cells at all: no energy.
static void emptyLattice(void)
{
    Scene scene = {.context = snDefaultContext()};
    scene.arena = snMakeArena(&scene.context);
    CHECK(snLattice_Alloc(&scene.lattice, 3, 0, 0, &scene.arena, NULL) == SN_OK);
    snQuadrature none = {0};
    double young = 0, q[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9}, out[9];
    snPolynomialDef def = {&scene.lattice, &none, &young, POISSON};
    CHECK(snPolynomial_Make(&scene.polynomial, &def, &scene.arena, NULL) == SN_OK);
    scene.scratch = SN_NEW(&scene.arena, double, snPolynomial_ScratchSize(&scene.polynomial));
    CHECK(snPolynomial_Value(&scene.polynomial, q, scene.scratch) == 0);
    snPolynomial_Gradient(&scene.polynomial, q, out, scene.scratch);
    for (int k = 0; k < 9; k++)
        CHECK(out[k] == 0);
    freeScene(&scene);
}

// ---- what it costs ------------------------------------------------------------------------------

static double seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

// Milliseconds per call of value, gradient and Hessian by the polynomial.
static void timePolynomial(Scene *scene, int rounds, double *times)
{
    double *out = SN_NEW(&scene->arena, double, scene->n), value = 0;
    snSparse h;
    snSparse_Make(&h, &scene->polynomial.quadratic.pattern, 3, &scene->arena, NULL);
    for (int what = 0; what < 3; what++) {
        double start = seconds();
        for (int k = 0; k < rounds; k++) {
            if (what == 0)
                value += snPolynomial_Value(&scene->polynomial, scene->q, scene->scratch);
            if (what == 1) snPolynomial_Gradient(&scene->polynomial, scene->q, out, scene->scratch);
            if (what == 2) snPolynomial_Hessian(&scene->polynomial, scene->q, &h, scene->scratch);
        }
        times[what] = 1e3 * (seconds() - start) / rounds;
    }
    CHECK(isfinite(value));
}

// The same from elements as a body has them: vectorised forces, exact Hessians. Bytes are of what a
// model keeps per element.
static void timeElements(Scene *scene, int rounds, double *times, double *bytes)
{
    snLatticeModelDef def = snDefaultLatticeModelDef();
    def.lattice = &scene->lattice;
    def.quadrature = &scene->quadrature;
    def.young = scene->young;
    def.motion = SN_MOTION_FULL;
    def.material = SN_MATERIAL_GREEN;
    def.stiffnessDamping = 0;
    snLatticeModel *model;
    snLatticeState *state;
    snHessian hessian;
    CHECK(snLatticeModel_Build(&model, &def, &scene->context, NULL) == SN_OK);
    CHECK(snLatticeState_Make(&state, model, 1, &scene->context, NULL) == SN_OK);
    CHECK(snHessian_Make(&hessian, model, &scene->arena, NULL) == SN_OK);
    double *rig = SN_NEW(&scene->arena, double, 4 * model->vertexCount), energy;
    for (int i = 0; i < model->vertexCount; i++)
        for (int c = 0; c < 3; c++)
            rig[4 * i + c] = (&model->rest[i].x)[c];
    snLatticeState_Start(model, state, rig, NULL);
    for (int i = 0; i < model->vertexCount; i++)
        for (int c = 0; c < 3; c++)
            state->next[4 * i + c] = rig[4 * i + c] + scene->q[3 * model->vertexOf[i] + c];
    hessian.exact = true;
    double start = seconds();
    for (int k = 0; k < rounds; k++) {
        snRunPass(model, state, SN_PASS_FORCE, state->next, NULL, &energy);
        snVectorKernels_Choose()->gradient(model, state, &energy);
    }
    times[0] = 1e3 * (seconds() - start) / rounds;
    start = seconds();
    for (int k = 0; k < rounds; k++)
        snHessian_Compute(&hessian, model, state, state->next);
    times[1] = 1e3 * (seconds() - start) / rounds;
    *bytes = 0;
    for (int c = 0; c < 2; c++)
        *bytes += 8.0 * model->classes[c].groupCount *
                  (model->classes[c].corners * (8.0 * 3 + 4) - 24 + 16);
    snLatticeState_Destroy(state);
    snLatticeModel_Destroy(model);
}

static void cost(void)
{
    static const char *const scenes[3] = {"504 tets", "504 hexahedra, level 1",
                                          "504 hexahedra, level 2"};
    for (int k = 0; k < 3; k++) {
        Scene scene = {.context = snDefaultContext()};
        scene.arena = snMakeArena(&scene.context);
        scene.lattice = k == 0
                            ? makeBlock(BLOCK_TETS, 7, 4, 3, snVec(0.7, 0.4, 0.3), &scene.arena)
                            : makeBlock(BLOCK_HEXES, 9, 8, 7, snVec(0.9, 0.8, 0.7), &scene.arena);
        double polynomial[3], elements[2], bytes, start = seconds();
        buildScene(&scene, k == 2 ? 2 : 1);
        double made = seconds() - start;
        shake(&scene, 0.01, 50);
        timePolynomial(&scene, k == 0 ? 50 : 5, polynomial);
        timeElements(&scene, k == 0 ? 50 : 1, elements, &bytes);
        printf("%s, %d elements, built with the quadrature in %.2f s\n"
               "  polynomial: %6.2f MB, value %.3f, gradient %.3f, Hessian %.3f ms\n"
               "  elements:   %6.2f MB,            gradient %.3f, Hessian %.3f ms\n",
               scenes[k], scene.quadrature.elementCount, made,
               1e-6 * (double)snPolynomial_Bytes(&scene.polynomial), polynomial[0], polynomial[1],
               polynomial[2], 1e-6 * bytes, elements[0], elements[1]);
        freeScene(&scene);
    }
}

int main(void)
{
    RUN(agreesWithElements);
    RUN(agreesWithDifferences);
    RUN(rigidMotions);
    RUN(badInput);
    RUN(emptyLattice);
    RUN(cost);
    return snTest_Finish();
}
