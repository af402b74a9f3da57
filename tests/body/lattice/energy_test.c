// Elastic energies of one element: exact derivatives, invariances, rest, the linear limit, and
// agreement with the vectorised kernels.
#include "tests/test.h"

#include "body/lattice/energy.h"
#include "body/lattice/passes.h"
#include "core/core.h"
#include "core/svd.h"
#include "numerics/dense.h"
#include "tests/body/lattice/blocks.h"

#include <stdio.h>
#include <string.h>

#define MU 1.3
#define LAMBDA 4.1
#define MATERIALS SN_MATERIALS

static const char *const names[MATERIALS] = {"corotated", "neo-Hookean", "Green",
                                             "rigidity and volume"};

static double density(int material, const snElementTarget *t, snMat3 f)
{
    return snEnergy_Density((snMaterial)material, MU, LAMBDA, t, f);
}

static snMat3 stress(int material, const snElementTarget *t, snMat3 f)
{
    return snEnergy_Stress((snMaterial)material, MU, LAMBDA, t, f);
}

static snHessian9 hessian(int material, const snElementTarget *t, snMat3 f)
{
    return snEnergy_Hessian((snMaterial)material, MU, LAMBDA, t, f);
}

static double *number(snMat3 *m, int k)
{
    return &((double *)(void *)m)[k];
}

static double largest(snMat3 m)
{
    double worst = 0;
    for (int k = 0; k < 9; k++)
        worst = fmax(worst, fabs(*number(&m, k)));
    return worst;
}

static snMat3 difference(snMat3 a, snMat3 b)
{
    return snAddMM(a, snScaleM(-1, b));
}

static snMat3 rotation(snRandom *random)
{
    return snQuatToMat(snRandom_Rotation(random));
}

static snMat3 withStretches(snRandom *random, double x, double y, double z)
{
    return snMulMM(snMulMM(rotation(random), snDiagonal3(x, y, z)), rotation(random));
}

// Shapes by number: mildly strained, strongly stretched, squashed, nearly flat, inverted, turned
// inside out, drawn out and flat.
#define SHAPES 7
static snMat3 shape(snRandom *random, int kind)
{
    double a = snRandom_Uniform(random, 0.9, 1.1), b = snRandom_Uniform(random, 0.9, 1.1);
    switch (kind) {
    case 0:
        return withStretches(random, a, b, 1);
    case 1:
        return withStretches(random, 4 * a, 1.7 * b, 0.8);
    case 2:
        return withStretches(random, 0.5 * a, 0.3 * b, 0.2);
    case 3:
        return withStretches(random, 1.4 * a, b, 1e-3);
    case 4:
        return withStretches(random, 1.5 * a, b, -0.4);
    case 5:
        return withStretches(random, -2 * a, -1.4 * b, -0.5);
    default:
        return withStretches(random, 8 * a, 5 * b, 0.01);
    }
}

// A target with everything in it: a strained rig (inverted or flat every third time), and for the
// corotated energy a C that is not symmetric, as strain memory makes it.
static snElementTarget anyTarget(snRandom *random, int index)
{
    static const int kinds[6] = {0, 1, 2, 3, 4, 0};
    snElementTarget t = snRigTarget(shape(random, kinds[index % 6]));
    for (int k = 0; k < 9; k++)
        *number(&t.stretch, k) += snRandom_Uniform(random, -0.05, 0.05);
    t.volume += snRandom_Uniform(random, -0.1, 0.1);
    t.crush = index % 2 ? 4 : 0;
    return index % 6 == 5 ? snRestTarget() : t;
}

// Near a crease of the corotated energy, differences see both sides of it.
static bool nearCrease(const snElementTarget *t, snMat3 f)
{
    snMat3 u, v;
    snVec3 s;
    snSvd3(snMulMM(f, snTranspose(t->stretch)), &u, &s, &v);
    return s.y + s.z < 0.05 * s.x;
}

static void stressIsExact(void)
{
    for (int material = 0; material < MATERIALS; material++) {
        snRandom random = snMakeRandom(11);
        double worst = 0;
        int tried = 0;
        for (int k = 0; k < 120; k++) {
            snElementTarget t = anyTarget(&random, k / SHAPES);
            snMat3 f = shape(&random, k % SHAPES), p = stress(material, &t, f), fine = {0};
            if (material == SN_MATERIAL_COROTATED && nearCrease(&t, f)) continue;
            for (int n = 0; n < 9; n++) {
                snMat3 up = f, down = f;
                *number(&up, n) += 1e-5;
                *number(&down, n) -= 1e-5;
                *number(&fine, n) =
                    (density(material, &t, up) - density(material, &t, down)) / 2e-5;
            }
            worst = fmax(worst, largest(difference(p, fine)) / (1 + largest(p)));
            tried++;
        }
        printf("%s: stress against differences of the density, %d shapes: %.1e\n", names[material],
               tried, worst);
        CHECK(tried > 80);
        CHECK(worst < 1e-7);
    }
}

static double hessianError(int material, const snElementTarget *t, snMat3 f)
{
    snHessian9 h = hessian(material, t, f);
    double worst = 0, size = 1;
    for (int n = 0; n < 9; n++) {
        snMat3 up = f, down = f;
        *number(&up, n) += 1e-6;
        *number(&down, n) -= 1e-6;
        snMat3 fine =
            snScaleM(0.5e6, difference(stress(material, t, up), stress(material, t, down)));
        for (int m = 0; m < 9; m++) {
            worst = fmax(worst, fabs(h.m[m][n] - *number(&fine, m)));
            worst = fmax(worst, fabs(h.m[m][n] - h.m[n][m]));
            size = fmax(size, fabs(h.m[m][n]));
        }
    }
    return worst / size;
}

static void hessianIsExact(void)
{
    for (int material = 0; material < MATERIALS; material++) {
        snRandom random = snMakeRandom(12);
        double worst = 0;
        int tried = 0;
        for (int k = 0; k < 120; k++) {
            snElementTarget t = anyTarget(&random, k / SHAPES);
            snMat3 f = shape(&random, k % SHAPES);
            if (material == SN_MATERIAL_COROTATED && nearCrease(&t, f)) continue;
            worst = fmax(worst, hessianError(material, &t, f));
            tried++;
        }
        printf("%s: Hessian against differences of the stress, %d shapes: %.1e\n", names[material],
               tried, worst);
        CHECK(tried > 80);
        CHECK(worst < 1e-7);
    }
}

// What is pressed flat has ½ K r², r = t / √m. Of it alone, over K: |∇f|² / 2f = |∇r|² is what a search's matrix must know of along the
// gradient, or its directions are too long. It stays below 37 / J₀² however far an element is drawn out, folded or not; that of t
// alone grows with the fourth power of the stretch.
static void flatnessIsNeverStiff(void)
{
    snRandom random = snMakeRandom(18);
    double worst = 0, without = 0;
    int tried = 0;
    for (int k = 0; k < 20000; k++) {
        double s[3];
        for (int i = 0; i < 3; i++)
            s[i] = pow(10, snRandom_Uniform(&random, -2, 2));
        snMat3 f = withStretches(&random, s[0], s[1], k % 2 ? -s[2] : s[2]);
        snElementTarget plain = snRestTarget(), hard = snRestTarget();
        hard.crush = 1 / (2 * MU + LAMBDA);
        double e =
            density(SN_MATERIAL_COROTATED, &hard, f) - density(SN_MATERIAL_COROTATED, &plain, f);
        snMat3 p = difference(stress(SN_MATERIAL_COROTATED, &hard, f),
                              stress(SN_MATERIAL_COROTATED, &plain, f));
        double size = density(SN_MATERIAL_COROTATED, &plain, f) + 1;
        if (!(e > 1e-6 * size)) continue; // else rounding
        worst = fmax(worst, snNormSquaredM(p) / (2 * e));
        without = fmax(without, snNormSquaredM(snCofactor(f)) / (SN_FLAT * SN_FLAT));
        tried++;
    }
    printf("flat elements, stretched and squashed up to 100 times, %d shapes: |grad r|^2 %.1f at "
           "most; "
           "of t alone %.1e\n",
           tried, worst, without);
    CHECK(tried > 5000);
    CHECK(worst < 37 / (SN_FLAT * SN_FLAT));
}

// Q F has the energy of F: the rig's own turn and the body's do not matter, alone or together
// (with a rig that flattens nothing).
static void turnsCostNothing(void)
{
    for (int material = 0; material < MATERIALS; material++) {
        snRandom random = snMakeRandom(13);
        double worst = 0, together = 0;
        for (int k = 0; k < 60; k++) {
            snMat3 rig = shape(&random, k % 2), f = shape(&random, k % SHAPES);
            snMat3 q = rotation(&random);
            snElementTarget t = snRigTarget(rig), turned = snRigTarget(snMulMM(q, rig));
            double here = density(material, &t, f);
            snMat3 p = snMulMM(q, stress(material, &t, f));
            worst = fmax(worst, fabs(density(material, &t, snMulMM(q, f)) / here - 1));
            worst = fmax(worst, largest(difference(stress(material, &t, snMulMM(q, f)), p)) /
                                    (1 + largest(p)));
            together = fmax(together, fabs(density(material, &turned, snMulMM(q, f)) / here - 1));
        }
        printf("%s: turned as a whole, energy and stress differ by %.1e; with the rig %.1e\n",
               names[material], worst, together);
        CHECK(worst < 1e-11);
        CHECK(together < 1e-11);
    }
}

// F = F_L has neither energy nor stress, whatever the rig does: zero and flat ones too. No other
// shape that is tried has less energy.
static void rigIsAtRest(void)
{
    for (int material = 0; material < MATERIALS; material++) {
        snRandom random = snMakeRandom(14);
        double worst = 0, least = 1e300;
        for (int k = 0; k < 60; k++) {
            snMat3 rig = shape(&random, k % SHAPES);
            if (k == 0) rig = snDiagonal3(0, 0, 0);
            if (k == 1) rig = snDiagonal3(1, 0, 1);
            snElementTarget t = snRigTarget(rig);
            worst = fmax(worst, fabs(density(material, &t, rig)));
            worst = fmax(worst, largest(stress(material, &t, rig)));
            least = fmin(least, density(material, &t, shape(&random, k % SHAPES)));
        }
        printf("%s: in the rig's pose %.1e; the least energy elsewhere %.3g\n", names[material],
               worst, least);
        CHECK(worst < 1e-12);
        CHECK(least > 0);
    }
}

// At rest, d²ψ = 2μ ε:ε + λ tr² ε for all of them, whichever way the element is turned.
static void linearLimit(void)
{
    for (int material = 0; material < MATERIALS; material++) {
        snRandom random = snMakeRandom(15);
        double worst = 0;
        snElementTarget t = snRestTarget();
        for (int k = 0; k < 20; k++) {
            snMat3 q = k == 0 ? snIdentity3() : rotation(&random), d, qd;
            for (int n = 0; n < 9; n++)
                *number(&d, n) = snRandom_Uniform(&random, -1, 1);
            snMat3 strain = snScaleM(0.5, snAddMM(d, snTranspose(d)));
            double trace = snTrace(strain);
            double expected = 2 * MU * snNormSquaredM(strain) + LAMBDA * trace * trace, found = 0;
            snHessian9 h = hessian(material, &t, q);
            qd = snMulMM(q, d);
            for (int i = 0; i < 9; i++)
                for (int j = 0; j < 9; j++)
                    found += *number(&qd, i) * h.m[i][j] * *number(&qd, j);
            worst = fmax(worst, fabs(found / expected - 1));
        }
        printf("%s: curvature at rest against linear elasticity: %.1e\n", names[material], worst);
        CHECK(worst < 1e-12);
    }
}

// Near rest the density does not cancel away: at a strain of 1e-9 it is ½ d²ψ to many digits.
static void smallStrains(void)
{
    snElementTarget t = snRestTarget();
    double e = 1e-9, expected = 0.5 * (2 * MU * 3 + LAMBDA * 9) * e * e;
    snMat3 f = snScaleM(1 + e, snIdentity3());
    for (int material = 0; material < MATERIALS; material++)
        CHECK_NEAR(density(material, &t, f) / expected, 1, 1e-6);
}

static bool eigenvalues(const snHessian9 *h, double values[9])
{
    double a[81], vectors[81], work[9];
    memcpy(a, h->m, sizeof a);
    return snSymmetricEigen(9, a, values, vectors, work, NULL) == SN_OK;
}

// The projection keeps positive matrices, makes others positive, is nearest (the distance is that
// of the negative eigenvalues) and changes nothing when repeated.
static void projection(void)
{
    snRandom random = snMakeRandom(16);
    int kept = 0;
    double lowest = 0, repeated = 0;
    for (int k = 0; k < 180; k++) {
        snElementTarget t = anyTarget(&random, k / SHAPES);
        snHessian9 h = hessian(k % 3, &t, shape(&random, k % SHAPES)), old = h;
        double before[9], after[9], distance = 0, negative = 0, size = 1;
        CHECK(eigenvalues(&h, before) && snProjectHessian(&h) && eigenvalues(&h, after));
        kept += memcmp(&h, &old, sizeof h) == 0;
        size = fmax(size, fmax(before[0], -before[8]));
        for (int i = 0; i < 9; i++) {
            negative += before[i] < 0 ? before[i] * before[i] : 0;
            for (int j = 0; j < 9; j++)
                distance += (h.m[i][j] - old.m[i][j]) * (h.m[i][j] - old.m[i][j]);
        }
        CHECK_NEAR(sqrt(distance) / size, sqrt(negative) / size, 1e-11);
        lowest = fmin(lowest, after[8] / size);
        old = h;
        CHECK(snProjectHessian(&h));
        for (int i = 0; i < 81; i++)
            repeated = fmax(repeated, fabs(h.m[i / 9][i % 9] - old.m[i / 9][i % 9]) / size);
    }
    printf("projection: %d of 180 were positive; least eigenvalue after it %.1e, repeated %.1e\n",
           kept, lowest, repeated);
    CHECK(kept > 10 && kept < 170);
    CHECK(lowest > -1e-13);
    CHECK(repeated < 1e-12);
    snHessian9 zero = {0};
    CHECK(snProjectHessian(&zero) && zero.m[0][0] == 0 && zero.m[8][8] == 0);
}

// Where two rotations fit equally well, where F is zero, and where it is not a number.
static void degenerate(void)
{
    snElementTarget t = snRestTarget();
    snMat3 shapes[4] = {snDiagonal3(1, 0.5, -0.5), snDiagonal3(0, 0, 0), snDiagonal3(1, 0, 0),
                        snDiagonal3(-1, -1, -1)};
    for (int material = 0; material < MATERIALS; material++) {
        for (int k = 0; k < 4; k++) {
            snHessian9 h = hessian(material, &t, shapes[k]);
            double values[9];
            CHECK(snProjectHessian(&h) && eigenvalues(&h, values));
            CHECK(isfinite(density(material, &t, shapes[k])));
            CHECK(values[8] >= -1e-9 * values[0] && isfinite(values[0]));
        }
        snHessian9 bad = hessian(material, &t, snDiagonal3(NAN, 1, 1));
        CHECK(!snProjectHessian(&bad));
    }
}

// ---- the vectorised kernels -------------------------------------------------------------------

typedef struct OneCell {
    snContext context;
    snArena arena;
    snLattice lattice;
    snQuadrature quadrature;
    snLatticeModel *model;
    snLatticeState *state;
} OneCell;

#define CRUSH 3

static void makeCell(OneCell *cell, snMaterial material, snMotion motion)
{
    cell->context = snDefaultContext();
    cell->arena = snMakeArena(&cell->context);
    CHECK(snLattice_Alloc(&cell->lattice, 4, 1, 4, &cell->arena, NULL) == SN_OK);
    const snVec3 rest[4] = {{0, 0, 0}, {1, 0.1, 0}, {0.2, 0.9, 0.1}, {0, 0.3, 1.1}};
    for (int k = 0; k < 4; k++) {
        cell->lattice.rest[k] = rest[k];
        cell->lattice.corners[k] = k;
    }
    cell->lattice.cellStart[1] = 4;
    cell->quadrature = quadratureOf(&cell->lattice, &cell->arena, &cell->context);
    snLatticeModelDef def = snDefaultLatticeModelDef();
    double young = 1e5;
    def.lattice = &cell->lattice;
    def.quadrature = &cell->quadrature;
    def.young = &young;
    def.material = material;
    def.motion = motion;
    def.crush = motion == SN_MOTION_FULL ? CRUSH : 0;
    CHECK(snLatticeModel_Build(&cell->model, &def, &cell->context, NULL) == SN_OK);
    CHECK(snLatticeState_Make(&cell->state, cell->model, 1, &cell->context, NULL) == SN_OK);
}

static void freeCell(OneCell *cell)
{
    snLatticeState_Destroy(cell->state);
    snLatticeModel_Destroy(cell->model);
    snArena_Destroy(&cell->arena);
}

static void place(const OneCell *cell, snMat3 f, double *positions)
{
    for (int i = 0; i < 4; i++) {
        snVec3 p = snMulMV(f, cell->model->rest[i]);
        memcpy(positions + 4 * i, &p, sizeof p);
    }
}

// Corner force a is h (h + β) V P g_a.
static double forceError(OneCell *cell, snMat3 p)
{
    const snElementClass *class = &cell->model->classes[0];
    double h = cell->model->def.step, scale = h * (h + cell->model->def.stiffnessDamping);
    double worst = 0, size = 1e-6 * scale * *(const double *)class->shear;
    for (int k = 1; k < 4; k++) {
        const double *g = (const double *)class->gradient + (k - 1) * 3 * SN_GROUP;
        snVec3 expected = snScale(scale * cell->quadrature.volume[0],
                                  snMulMV(p, snVec(g[0], g[SN_GROUP], g[2 * SN_GROUP])));
        const double *force = (const double *)cell->state->force + 4 * (k * SN_GROUP);
        worst = fmax(worst, snDistance(expected, snVec(force[0], force[1], force[2])));
        size = fmax(size, snLength(expected));
    }
    return worst / size;
}

// The rig's pose given, the body at F; strain of the start in full motion is taken out, so that the
// target is the plain one.
static void setCell(OneCell *cell, snMat3 rig, snMat3 f)
{
    snElementState *elements = &cell->state->elements[0];
    place(cell, rig, cell->state->rig);
    snLatticeState_Start(cell->model, cell->state, cell->state->rig, NULL);
    memset(elements->strain, 0, 9 * SN_GROUP * sizeof(double));
    memset(elements->volumeStrain, 0, SN_GROUP * sizeof(double));
    place(cell, f, cell->state->position);
}

static void agreesWithKernelsOf(snMaterial material, snMotion motion)
{
    OneCell cell;
    makeCell(&cell, material, motion);
    double mu = snShearModulus(1e5, 0.4), lambda = snLameLambda(1e5, 0.4), worst = 0, forces = 0;
    double volume = cell.quadrature.volume[0], beta = cell.model->def.stiffnessDamping;
    double m = material == SN_MATERIAL_COROTATED ? 0 : beta / (cell.model->def.step + beta);
    snRandom random = snMakeRandom(17);
    for (int k = 0; k < 60; k++) {
        snMat3 rig = shape(&random, k % 5), f = shape(&random, k % SHAPES);
        snElementTarget t = motion == SN_MOTION_FULL ? snRestTarget() : snRigTarget(rig);
        if (motion == SN_MOTION_FULL && material == SN_MATERIAL_COROTATED) t.crush = CRUSH;
        if (nearCrease(&t, f)) continue;
        setCell(&cell, rig, f);
        double found = snLatticeState_ElasticEnergy(cell.model, cell.state, 0);
        double expected = volume * snEnergy_Density(material, mu, lambda, &t, f);
        worst = fmax(worst, fabs(found - expected) / (expected + 1e-3 * mu * volume));
        snRunPass(cell.model, cell.state, SN_PASS_TARGET, cell.state->rig, NULL, NULL);
        snRunPass(cell.model, cell.state, SN_PASS_FORCE, cell.state->position, NULL, NULL);
        snMat3 p = snScaleM(1 - m, snEnergy_Stress(material, mu, lambda, &t, f));
        snMat3 damping = snEnergy_Stress(SN_MATERIAL_COROTATED, mu, lambda, &t, f);
        forces = fmax(forces, forceError(&cell, snAddMM(p, snScaleM(m, damping))));
    }
    printf("%s, %s motion: kernels differ by %.1e in energy, %.1e in force\n", names[material],
           motion == SN_MOTION_FULL ? "full" : "secondary", worst, forces);
    CHECK(worst < 1e-8); // kernels stop at a milliradian: errors of the order of its cube
    CHECK(forces < 1e-6);
    freeCell(&cell);
}

static void agreesWithKernels(void)
{
    for (int material = 0; material < MATERIALS; material++) {
        agreesWithKernelsOf((snMaterial)material, SN_MOTION_SECONDARY);
        agreesWithKernelsOf((snMaterial)material, SN_MOTION_FULL);
    }
}

int main(void)
{
    RUN(stressIsExact);
    RUN(hessianIsExact);
    RUN(flatnessIsNeverStiff);
    RUN(turnsCostNothing);
    RUN(rigIsAtRest);
    RUN(linearLimit);
    RUN(smallStrains);
    RUN(projection);
    RUN(degenerate);
    RUN(agreesWithKernels);
    return snTest_Finish();
}
