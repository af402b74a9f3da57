// Three energies ψ(F), their gradients P and their Hessians H, d²ψ = dF : H : dF.
//
// Volume. With f_0, f_1, f_2 the columns of F, J = det F = f_0 . (f_1 x f_2) and
//     ∂J/∂F = cof F = (f_1 x f_2, f_2 x f_0, f_0 x f_1),
//     ∂²J/∂f_a ∂f_b = -[f_c]x for (a, b, c) a cyclic order, +[f_c]x for an anticyclic one, 0 for
// a = b; [v]x w = v x w.
//
// Corotated (the derivation of ψ and P is in cells_kernel.c):
//     ψ = min_R μ |F - R C|² + s λ g(J - J_C),   g(δ) = ½ δ² / (1 + δ²/4).
// With A = F Cᵀ = U Σ Vᵀ (U, V rotations, the last singular value signed) the largest tr RᵀA over
// rotations is T = σ_0 + σ_1 + σ_2, at R = U Vᵀ, so the first term is μ (|F|² + |C|² - 2 T). To
// second order in dA, with M = Uᵀ dA V and R turned by U [ω]x Uᵀ to where it is best,
//     T = σ_0 + σ_1 + σ_2 + tr M + max_ω (ω.g - ½ Σ_k (σ_i + σ_j) ω_k²),   g_k = M_ji - M_ij,
// (i, j, k) cyclic, thus
//     d²T = Σ_k g_k² / (σ_i + σ_j) = Σ_k 2 / (σ_i + σ_j) (T_k : dA)²,
// T_k = U (e_j e_iᵀ - e_i e_jᵀ) Vᵀ / √2. Since T_k : dF Cᵀ = (T_k C) : dF, the Hessian is
//     2μ I - 2μ Σ_k 2 / (σ_i + σ_j) (T_k C) ⊗ (T_k C).
// σ_i + σ_j is never negative. It vanishes for inverted elements between two rotations that fit
// equally well: ψ has a crease there, concave, and no Hessian; the sum is then taken as a
// millionth of the largest singular value. The volume term has
//     s λ (g'' cof F ⊗ cof F + g' ∂²J),   g' = δ / (1 + δ²/4)²,   g'' = (1 - ¾ δ²) / (1 + δ²/4)³.
//
// Pressed flat, ½ K t² / m with K = κ (s λ + 2μ) and m a function of w = (|F|² + |cof F|²) / 24 (cells_kernel.c):
//     d²(½ t² / m) = (dt - t m'/m dw)² / m - ½ t² m''/m² dw² + (t / m) d²t - ½ t² m'/m² d²w,
// where dt = -dJ / J₀ and m'' = 8 / (a + 2)³ for a > 0. With C = FᵀF, 24 w = tr C + ½ tr² C - ½ |C|² is a quartic of the kind
// that Green's strain makes: its gradient is F S with S = 2 (1 + tr C - C), and its Hessian that of μ = -2, λ = 4 below.
//
// The other two are functions of F̂ = I + (F - F_L) B. B is F_L⁻¹ where the rig leaves an element
// its shape, so that F̂ = F F_L⁻¹ is the deformation that physics adds; F_L = 1 in full motion.
// Where the rig flattens or inverts an element, the singular values in B are bounded, and F = F_L
// is still exactly at rest. dF̂ = dF B, hence P = P̂ Bᵀ and H_bd = Σ_ac B_ba Ĥ_ac B_dc by columns.
// What the rig squashes would thus become stiffer; where |B|² > 3 the moduli are scaled by
// 3 / |B|².
//
// Stable neo-Hookean, without a logarithm or a barrier, so that inverted elements find back:
//     ψ = μ/2 (|F̂|² - 3) - μ (Ĵ - 1) + λ'/2 (Ĵ - 1)²
//     P̂ = μ F̂ + (λ' (Ĵ - 1) - μ) cof F̂
//     Ĥ = μ I + λ' cof F̂ ⊗ cof F̂ + (λ' (Ĵ - 1) - μ) ∂²J.
// At F̂ = 1, d²ψ = μ |dF|² + λ' tr² dF - μ (tr² dF - dF : dFᵀ): that of linear elasticity,
// μ (|dF|² + dF : dFᵀ) + λ tr² dF, with λ' = λ + μ. The density at F̂ = 0 is λ/2, so for a Poisson
// ratio of 0 an element that has shrunk to a point is at rest too.
//
// Green strain (St. Venant-Kirchhoff): E = ½ (F̂ᵀF̂ - 1), S = 2μ E + λ tr(E) 1,
//     ψ = μ E:E + λ/2 tr² E,   P̂ = F̂ S,
//     Ĥ_ac = S_ac I + δ_ac μ Σ_b f_b f_bᵀ + μ f_c f_aᵀ + λ f_a f_cᵀ.
// It softens when squashed and has no force at all at F̂ = 0.
//
// Smith, de Goes, Kim, "Stable Neo-Hookean Flesh Simulation", 2018; Kim, Eberle, "Dynamic
// Deformables: Implementation and Production Practicalities", 2022.
#include "body/lattice/energy.h"

#include "core/svd.h"
#include "numerics/dense.h"

#include <string.h>

#define CREASE 1e-6 // least σ_i + σ_j, as a fraction of σ_0

// ---- targets ----------------------------------------------------------------------------------

snElementTarget snRestTarget(void)
{
    snMat3 one = snIdentity3();
    return (snElementTarget){one, 1, 1, 0, one, one, 1};
}

snElementTarget snRigTarget(snMat3 rig)
{
    snElementTarget target = {.volume = snDet(rig), .rig = rig};
    double area = snNormSquaredM(snCofactor(rig));
    snPolar(rig, &target.stretch);
    target.bulkScale = 3.0 / (area > 3.0 ? area : 3.0);
    target.rigInverse = snBoundedInverse(rig);
    double size = snNormSquaredM(target.rigInverse);
    target.elasticScale = 3.0 / (size > 3.0 ? size : 3.0);
    return target;
}

static double bounded(double stretch)
{
    return stretch > SN_LEAST_STRETCH ? stretch : SN_LEAST_STRETCH;
}

snMat3 snBoundedInverse(snMat3 rig)
{
    snMat3 u, v;
    snVec3 s;
    snSvd3(rig, &u, &s, &v);
    snMat3 inverse = snDiagonal3(1.0 / bounded(s.x), 1.0 / bounded(s.y), 1.0 / bounded(s.z));
    return snMulMM(snMulMM(v, inverse), snTranspose(u)); // V Σ⁻¹ Uᵀ
}

// ---- pieces that energies share ---------------------------------------------------------------

static snMat3 subtract(snMat3 a, snMat3 b)
{
    return snAddMM(a, snScaleM(-1, b));
}

static double contract(snMat3 a, snMat3 b) // a : b
{
    return snDot(a.cx, b.cx) + snDot(a.cy, b.cy) + snDot(a.cz, b.cz);
}

static void toArray(snMat3 m, double out[9])
{
    memcpy(out, &m, sizeof m);
}

static void addDiagonal(snHessian9 *h, double s)
{
    for (int i = 0; i < 9; i++)
        h->m[i][i] += s;
}

// H += s D ⊗ D
static void addSquare(snHessian9 *h, double s, snMat3 d)
{
    double v[9];
    toArray(d, v);
    for (int i = 0; i < 9; i++)
        for (int j = 0; j < 9; j++)
            h->m[i][j] += s * (v[i] * v[j]);
}

// H += s ∂²J
static void addVolumeCurvature(snHessian9 *h, double s, snMat3 f)
{
    const snVec3 column[3] = {f.cx, f.cy, f.cz};
    for (int a = 0; a < 3; a++) {
        int b = (a + 1) % 3, c = (a + 2) % 3;
        snVec3 v = snScale(s, column[c]);
        const double cross[3][3] = {{0, -v.z, v.y}, {v.z, 0, -v.x}, {-v.y, v.x, 0}};
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                h->m[3 * a + i][3 * b + j] -= cross[i][j];
                h->m[3 * b + i][3 * a + j] += cross[i][j];
            }
    }
}

// 2μ E + λ tr(E) 1
static snMat3 greenStress(double mu, double lambda, snMat3 e)
{
    return snAddMM(snScaleM(2.0 * mu, e), snScaleM(lambda * snTrace(e), snIdentity3()));
}

// H_ac += s (S_ac I + δ_ac μ Σ_b f_b f_bᵀ + μ f_c f_aᵀ + λ f_a f_cᵀ)
static void addGreenCurvature(snHessian9 *h, double s, double mu, double lambda, snMat3 stress,
                              snMat3 f)
{
    double own[9], column[9], square[9];
    toArray(stress, own);
    toArray(f, column);
    toArray(snMulMM(f, snTranspose(f)), square); // Σ_b f_b f_bᵀ
    for (int a = 0; a < 3; a++)
        for (int c = 0; c < 3; c++)
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++)
                    h->m[3 * a + i][3 * c + j] +=
                        s * ((i == j ? own[3 * c + a] : 0) + (a == c ? mu * square[3 * j + i] : 0) +
                             mu * column[3 * c + i] * column[3 * a + j] +
                             lambda * column[3 * a + i] * column[3 * c + j]);
}

// ---- pressed flat -----------------------------------------------------------------------------

// t, m and its derivatives m', m''.
typedef struct Flatness {
    double t, m, slope, bend;
} Flatness;

static Flatness flatnessOf(snMat3 f)
{
    double w = (snNormSquaredM(f) + snNormSquaredM(snCofactor(f))) / 24.0;
    double a = fmax(0, w - 1.0), b = 1.0 / (a + 2.0);
    return (Flatness){.t = fmax(0, 1.0 - snDet(f) / SN_FLAT),
                      .m = 1.0 + a * a * b,
                      .slope = a * (a + 4.0) * b * b,
                      .bend = a > 0 ? 8.0 * b * b * b : 0};
}

// S of 24 w.
static snMat3 widthStress(snMat3 f)
{
    snMat3 s = greenStress(-2.0, 4.0, snScaleM(0.5, snMulTMM(f, f)));
    return snAddMM(s, snScaleM(2.0, snIdentity3()));
}

static double flatDensity(snMat3 f)
{
    Flatness flat = flatnessOf(f);
    return 0.5 * flat.t * flat.t / flat.m;
}

static snMat3 flatStress(snMat3 f)
{
    Flatness flat = flatnessOf(f);
    double less = flat.t / flat.m;
    return snAddMM(snScaleM(-less / SN_FLAT, snCofactor(f)),
                   snScaleM(-less * less * flat.slope / 48.0, snMulMM(f, widthStress(f))));
}

static void addFlatHessian(snHessian9 *h, double hard, snMat3 f)
{
    Flatness flat = flatnessOf(f);
    double t = flat.t, m = flat.m;
    if (!(t > 0)) return;
    snMat3 width = widthStress(f), dw = snScaleM(1.0 / 24.0, snMulMM(f, width));
    snMat3 dt = snScaleM(-1.0 / SN_FLAT, snCofactor(f));
    addSquare(h, hard / m, snAddMM(dt, snScaleM(-t * flat.slope / m, dw)));
    addSquare(h, -0.5 * hard * t * t * flat.bend / (m * m), dw);
    addVolumeCurvature(h, -hard * t / (m * SN_FLAT), f);
    addGreenCurvature(h, -hard * t * t * flat.slope / (48.0 * m * m), -2.0, 4.0, width, f);
}

// ---- corotated --------------------------------------------------------------------------------

// κ (s λ + 2μ)
static double hardness(double mu, double lambda, const snElementTarget *t)
{
    return t->crush * (t->bulkScale * lambda + 2.0 * mu);
}

static double corotatedDensity(double mu, double lambda, const snElementTarget *t, snMat3 f)
{
    snMat3 rotation = snPolar(snMulMM(f, snTranspose(t->stretch)), NULL);
    snMat3 miss = subtract(f, snMulMM(rotation, t->stretch));
    double delta = snDet(f) - t->volume, square = delta * delta;
    double volume = t->bulkScale * lambda * 0.5 * square / (1.0 + 0.25 * square);
    return mu * snNormSquaredM(miss) + volume + hardness(mu, lambda, t) * flatDensity(f);
}

static snMat3 corotatedStress(double mu, double lambda, const snElementTarget *t, snMat3 f)
{
    snMat3 rotation = snPolar(snMulMM(f, snTranspose(t->stretch)), NULL);
    snMat3 miss = subtract(f, snMulMM(rotation, t->stretch));
    double delta = snDet(f) - t->volume, level = 1.0 / (1.0 + 0.25 * delta * delta);
    double pressure = t->bulkScale * lambda * delta * level * level; // s λ g'
    snMat3 flat = snScaleM(hardness(mu, lambda, t), flatStress(f));
    return snAddMM(snAddMM(snScaleM(2.0 * mu, miss), snScaleM(pressure, snCofactor(f))), flat);
}

// H -= 2μ 2 / (σ_i + σ_j) (T_k C) ⊗ (T_k C) for k = 0, 1, 2
static void addTwists(snHessian9 *h, double mu, snMat3 stretch, snMat3 f)
{
    snMat3 u, v;
    snVec3 s;
    snSvd3(snMulMM(f, snTranspose(stretch)), &u, &s, &v);
    if (!(s.x > 0)) return; // F = 0: every rotation fits as well as any other
    const double sigma[3] = {s.x, s.y, s.z};
    const snVec3 left[3] = {u.cx, u.cy, u.cz}, right[3] = {v.cx, v.cy, v.cz};
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        double sum = fmax(sigma[i] + sigma[j], CREASE * s.x);
        snMat3 twist = subtract(snOuter(left[j], right[i]), snOuter(left[i], right[j])); // √2 T_k
        addSquare(h, -2.0 * mu / sum, snMulMM(twist, stretch));
    }
}

static void corotatedHessian(snHessian9 *h, double mu, double lambda, const snElementTarget *t,
                             snMat3 f)
{
    double delta = snDet(f) - t->volume, level = 1.0 / (1.0 + 0.25 * delta * delta);
    double bulk = t->bulkScale * lambda;
    addDiagonal(h, 2.0 * mu);
    addTwists(h, mu, t->stretch, f);
    addSquare(h, bulk * (1.0 - 0.75 * delta * delta) * level * level * level, snCofactor(f));
    addVolumeCurvature(h, bulk * delta * level * level, f);
    addFlatHessian(h, hardness(mu, lambda, t), f);
}

// ---- stable neo-Hookean -----------------------------------------------------------------------

// |F̂|² - 3 and Ĵ - 1 cancel to a few digits near rest, and ψ to fewer; with X = F̂ - 1,
// |F̂|² - 3 = 2 tr X + |X|² and Ĵ - 1 = tr X + tr cof X + det X, and tr X drops out of ψ.
static double neoHookeanDensity(double mu, double lambda, snMat3 f)
{
    snMat3 x = subtract(f, snIdentity3());
    double curved = snTrace(snCofactor(x)) + snDet(x), delta = snTrace(x) + curved;
    return mu * (0.5 * snNormSquaredM(x) - curved) + 0.5 * (lambda + mu) * delta * delta;
}

static snMat3 neoHookeanStress(double mu, double lambda, snMat3 f)
{
    double pressure = (lambda + mu) * (snDet(f) - 1.0) - mu;
    return snAddMM(snScaleM(mu, f), snScaleM(pressure, snCofactor(f)));
}

static void neoHookeanHessian(snHessian9 *h, double mu, double lambda, snMat3 f)
{
    addDiagonal(h, mu);
    addSquare(h, lambda + mu, snCofactor(f));
    addVolumeCurvature(h, (lambda + mu) * (snDet(f) - 1.0) - mu, f);
}

// ---- Green strain -----------------------------------------------------------------------------

static snMat3 greenStrain(snMat3 f)
{
    return snScaleM(0.5, subtract(snMulTMM(f, f), snIdentity3()));
}

static double greenDensity(double mu, double lambda, snMat3 f)
{
    snMat3 e = greenStrain(f);
    return 0.5 * contract(e, greenStress(mu, lambda, e));
}

static void greenHessian(snHessian9 *h, double mu, double lambda, snMat3 f)
{
    addGreenCurvature(h, 1, mu, lambda, greenStress(mu, lambda, greenStrain(f)), f);
}

// ---- rigidity and volume ----------------------------------------------------------------------

// ψ = k_e |FᵀF - 1|² + k_c (J - 1)², with μ = 4 k_e and λ = 2 k_c: μ E:E + ½ λ (J - 1)².
static double nonrigidDensity(double mu, double lambda, snMat3 f)
{
    snMat3 x = subtract(f, snIdentity3());
    double delta = snTrace(x) + snTrace(snCofactor(x)) + snDet(x);
    return greenDensity(mu, 0, f) + 0.5 * lambda * delta * delta;
}

static snMat3 nonrigidStress(double mu, double lambda, snMat3 f)
{
    return snAddMM(snMulMM(f, greenStress(mu, 0, greenStrain(f))),
                   snScaleM(lambda * (snDet(f) - 1.0), snCofactor(f)));
}

static void nonrigidHessian(snHessian9 *h, double mu, double lambda, snMat3 f)
{
    greenHessian(h, mu, 0, f);
    addSquare(h, lambda, snCofactor(f));
    addVolumeCurvature(h, lambda * (snDet(f) - 1.0), f);
}

// ---- relative to the rig ----------------------------------------------------------------------

static snMat3 relative(const snElementTarget *t, snMat3 f)
{
    return snAddMM(snIdentity3(), snMulMM(subtract(f, t->rig), t->rigInverse));
}

// H_bd = Σ_ac B_ba Ĥ_ac B_dc for 3x3 blocks H_bd: first the columns, then the rows.
static snHessian9 fromRelative(const snHessian9 *h, snMat3 inverse)
{
    double b[9];
    snHessian9 half = {0}, out = {0};
    toArray(inverse, b); // B_ba is b[3 a + b]
    for (int row = 0; row < 9; row++)
        for (int d = 0; d < 3; d++)
            for (int c = 0; c < 3; c++)
                for (int j = 0; j < 3; j++)
                    half.m[row][3 * d + j] += h->m[row][3 * c + j] * b[3 * c + d];
    for (int e = 0; e < 3; e++)
        for (int a = 0; a < 3; a++)
            for (int i = 0; i < 3; i++)
                for (int column = 0; column < 9; column++)
                    out.m[3 * e + i][column] += b[3 * a + e] * half.m[3 * a + i][column];
    return out;
}

// ---- all materials ----------------------------------------------------------------------------

double snEnergy_Density(snMaterial material, double mu, double lambda,
                        const snElementTarget *target, snMat3 f)
{
    if (material == SN_MATERIAL_COROTATED) return corotatedDensity(mu, lambda, target, f);
    snMat3 g = relative(target, f);
    mu *= target->elasticScale, lambda *= target->elasticScale;
    if (material == SN_MATERIAL_NEO_HOOKEAN) return neoHookeanDensity(mu, lambda, g);
    if (material == SN_MATERIAL_GREEN) return greenDensity(mu, lambda, g);
    return nonrigidDensity(mu, lambda, g);
}

snMat3 snEnergy_Stress(snMaterial material, double mu, double lambda, const snElementTarget *target,
                       snMat3 f)
{
    if (material == SN_MATERIAL_COROTATED) return corotatedStress(mu, lambda, target, f);
    snMat3 g = relative(target, f);
    mu *= target->elasticScale, lambda *= target->elasticScale;
    snMat3 stress;
    if (material == SN_MATERIAL_NEO_HOOKEAN)
        stress = neoHookeanStress(mu, lambda, g);
    else if (material == SN_MATERIAL_GREEN)
        stress = snMulMM(g, greenStress(mu, lambda, greenStrain(g)));
    else
        stress = nonrigidStress(mu, lambda, g);
    return snMulMM(stress, snTranspose(target->rigInverse));
}

snHessian9 snEnergy_Hessian(snMaterial material, double mu, double lambda,
                            const snElementTarget *target, snMat3 f)
{
    snHessian9 h = {0};
    if (material == SN_MATERIAL_COROTATED) {
        corotatedHessian(&h, mu, lambda, target, f);
        return h;
    }
    snMat3 g = relative(target, f);
    mu *= target->elasticScale, lambda *= target->elasticScale;
    if (material == SN_MATERIAL_NEO_HOOKEAN)
        neoHookeanHessian(&h, mu, lambda, g);
    else if (material == SN_MATERIAL_GREEN)
        greenHessian(&h, mu, lambda, g);
    else
        nonrigidHessian(&h, mu, lambda, g);
    return fromRelative(&h, target->rigInverse);
}

// ---- projection -------------------------------------------------------------------------------

// Whether H + ε tr|H| I has a Cholesky factor: then H has no negative eigenvalue beyond rounding.
// It is a tenth of the work of the eigenvalues, and most elements pass.
static bool isPositive(const snHessian9 *h)
{
    double l[81], trace = 0;
    for (int i = 0; i < 9; i++)
        trace += fabs(h->m[i][i]);
    memcpy(l, h->m, sizeof l);
    for (int i = 0; i < 9; i++)
        l[10 * i] += 1e-14 * trace;
    return snDenseCholesky(9, l, NULL) == SN_OK;
}

bool snProjectHessian(snHessian9 *hessian)
{
    if (isPositive(hessian)) return true;
    double a[81], values[9], vectors[81], work[9];
    memcpy(a, hessian->m, sizeof a);
    if (snSymmetricEigen(9, a, values, vectors, work, NULL) != SN_OK) return false;
    memset(hessian, 0, sizeof *hessian);
    for (int k = 0; k < 9 && values[k] > 0; k++) {
        const double *v = vectors + 9 * k;
        for (int i = 0; i < 9; i++)
            for (int j = 0; j < 9; j++)
                hessian->m[i][j] += values[k] * (v[i] * v[j]);
    }
    return true;
}
