// Elements, several at a time. Lane by lane the operations are the same at every width, so the
// bits do not depend on the instruction set.
//
// With g_a = ∇φ_a, the deformation gradient of an element is F = Σ_a y_a g_aᵀ; since Σ g_a = 0,
// F = Σ_{a>0} (y_a - y_0) g_aᵀ. The elastic energy density is that of a corotated solid,
//
//     ψ(F) = min_R μ |F - R S|² + s λ g(J - J_S),   J = det F,   g(δ) = ½ δ² / (1 + δ²/4),
//
// with R a rotation. S is the rest stretch: 1 in full motion; in secondary motion the stretch
// S_L = R_Lᵀ F_L that the rig itself gives the element (polar decomposition), J_S = det F_L, so
// that a body in the rig's pose has no stress at all. The minimum over R is at the rotation part
// of F Sᵀ, and by the envelope theorem (∂ψ/∂R = 0 there) the stress is exactly
//
//     P = 2μ (F - R S) + s λ g'(J - J_S) cof F,   g'(δ) = δ / (1 + δ²/4)².
//
// g is ½ δ² for small changes of volume (4 % off at 30 %) and levels off for large ones: (J - J_S)²
// itself grows with the sixth power of the stretch, and a body once torn apart by a jump of its rig
// would never find back.
//
// Flesh that is pressed flat. ψ is finite for every F, so a hard blow turns elements inside out, and a surface that is
// folded has no inside: other bodies come into it. Bodies that may bump into things have
//
//     + ½ κ (s λ + 2μ) t² / m,   t = max(0, 1 - J / J₀),   J₀ = 0.4,
//     m = 1 + a² / (a + 2),   a = max(0, (|F|² + |cof F|²) / 24 - 1),
//
// beyond it, exactly 0 as long as nothing is flatter than J₀. m is 1 where an element's edges and faces are not far larger than
// at rest, twice in the mean, and without it the curvature of t², |cof F|² / J₀² along cof F, would grow with the fourth power of the stretch: where a
// blow folded elements and drew them out to ten times their length it was thousands of times what a step's matrix knows of, no
// direction was any good, and searches ended deep in the wall. With it t / √m tends to √24 t / √(|F|² + |cof F|²), and
// J / |cof F| = 1 / |F⁻¹| is about the smallest singular value, the height of what is flat: it changes no faster than F does. So
// the square of the gradient of t / √m is below 37 / J₀² (m is at least 0.656 (a + 1)), however far the element is drawn out (energy_test.c). With
// m' = a (a + 4) / (a + 2)² and |cof F|² = ½ (|F|⁴ - |FᵀF|²), the stress is
//
//     κ (s λ + 2μ) (- t / (J₀ m) cof F - t² m' / (24 m²) ((1 + |F|²) F - F FᵀF)).
//
// Damping. The strain e = RᵀF - S should change slowly: add (β/h) μ |F - R (S + e_n)|² with e_n the
// strain at the step's start. The sum of both squares is, up to a constant,
//
//     μ (1 + β/h) |F - R C|²,   C = S + β/(h + β) e_n,
//
// so the step's potential has the same form with the target C for S, and R is the rotation part
// of F Cᵀ. The volume term likewise: J_C = J_S + β/(h + β) (J_n - J_S,n). All factors (1 + β/h) h²
// = h (h + β) are in pass->scale.
//
// The volume term's curvature is s λ |cof F|² along one direction. s = 1 / max(1, |cof F_L|² / 3)
// keeps it at what it is at rest, 3 λ, where the rig strains the element.
//
// Other materials. The elastic part is a function of the deformation relative to the rig's own,
//
//     F̂ = 1 + (F - F_L) G,   G = F̃_L⁻¹,
//
// F̃_L being F_L with singular values of at least SN_LEAST_STRETCH: F̂ = F F_L⁻¹ unless the rig crushes
// the element, and F = F_L is at rest even then. In full motion F_L = 1. With P̂ = ∂ψ/∂F̂ the stress is
// P = P̂ Gᵀ.
//     stable neo-Hookean   ψ = μ/2 (|F̂|² - 3) - μ (Ĵ - 1) + (λ + μ)/2 (Ĵ - 1)²
//                          P̂ = μ F̂ + ((λ + μ)(Ĵ - 1) - μ) cof F̂
//     Green strain         ψ = μ E:E + λ/2 tr²E,  E = ½ (F̂ᵀF̂ - 1),  P̂ = F̂ (2μ E + λ tr E)
//     rigidity and volume  ψ = μ E:E + λ/2 (Ĵ - 1)²,  P̂ = 2μ F̂ E + λ (Ĵ - 1) cof F̂
// (Smith, de Goes, Kim, "Stable Neo-Hookean Flesh Simulation", 2018, without the logarithm.) Their
// damping is that of the corotated solid: with m = β/(h + β) the step's density is (1 - m) ψ(F̂) + m
// ψ_C(F), the target being C = S + e_n. Where |G|² > 3 both moduli are scaled by 3 / |G|², as s does.
//
// Rotation: maximise tr(Rᵀ A), A = F Cᵀ. For R exp([ω]) and M = RᵀA, to second order
//     tr = tr M + ω.g - ½ ω.(tr(M) I - sym M) ω,   g = (M32 - M23, M13 - M31, M21 - M12):
// a Newton step per lane from the last rotation, usually one or two. Where the Hessian is not
// positive definite (flat or inverted elements far from their last shape) the singular values
// decide.
//
// Single precision (SN_SINGLE) is the same with floats, for one body alone. Nothing large may cancel
// in them: differences y_a - y_0 are taken of doubles and then rounded, and after the first look of a
// step only the shift w = y - ŷ from the first guess ŷ is read, F = F(ŷ) + Σ_{a>0} (w_a - w_0) g_aᵀ.
// Energies stay with their elements, to be added up in doubles.
#include "body/lattice/cells_matrix.h"
#include "body/lattice/energy.h"
#include "core/svd.h"

// A block of GROUP numbers side by side: the lanes of a group of elements (element < 0), or eight
// lanes of a batch in one element. Kernels work on LANES of them from `at` on.
typedef struct Block {
    int group;
    int place;    // of the group in the pass
    int element;  // within the group, or -1
    int lane;     // of the batch, the first of the eight
    size_t index; // of the block in the element state
} Block;

// The deformation of what a kernel works on, and where it is to find that of what follows, between steps that wait for each
// other: the search for a rotation is one long chain, and processors look a few hundred operations ahead at most.
typedef struct Ahead {
    const Block *next; // NULL: nothing follows
    int at;
} Ahead;

// A group of one body; known to the compiler where there are no batches.
static INLINE bool isGroup(const Block *block)
{
    return SINGLE || block->element < 0;
}

// A constant of each element of a class, stored [groups][GROUP].
static INLINE V loadConstant(const void *array, const Block *block, int at)
{
    const REAL *group = constItem(array, (size_t)block->group * GROUP);
    return isGroup(block) ? load(group + at) : constant(group[block->element]);
}

// Moduli times volume, and times the share that the element has.
static INLINE V shearOf(const snCellsPass *pass, const Block *block, int at)
{
    V shear = loadConstant(pass->class->shear, block, at);
    return !SINGLE && pass->share ? shear * loadConstant(pass->share, block, at) : shear;
}

static INLINE V bulkOf(const snCellsPass *pass, const Block *block, int at)
{
    V bulk = loadConstant(pass->class->bulk, block, at);
    return !SINGLE && pass->share ? bulk * loadConstant(pass->share, block, at) : bulk;
}

static INLINE const int *cornerVertices(const snCellsPass *pass, const Block *block, int corner)
{
    return pass->class->vertex +
           ((size_t)block->group * (size_t)pass->class->corners + (size_t)corner) * GROUP;
}

static INLINE void scatterForce(const snCellsPass *pass, const Block *block, int corner, int at,
                                const V f[3])
{
    size_t slot = ((size_t)block->group * (size_t)pass->class->corners + (size_t)corner) * GROUP;
    if (!isGroup(block)) {
        REAL *row = item(pass->force, (slot + (size_t)block->element) * (size_t)pass->width +
                                          (size_t)(block->lane + at));
        for (int c = 0; c < 3; c++)
            store(row + c * pass->lanes, f[c]);
        return;
    }
    scatterRows(item(pass->force, 4 * slot), at, f);
}

// Component c of the gradient of corner k > 0.
static INLINE V loadGradient(const snCellsPass *pass, const Block *block, int k, int c, int at,
                             int corners)
{
    const REAL *g = constItem(
        pass->class->gradient,
        (((size_t)block->group * (size_t)(corners - 1) + (size_t)(k - 1)) * 3 + (size_t)c) * GROUP);
    return isGroup(block) ? load(g + at) : constant(g[block->element]);
}

static INLINE void loadMany(V *out, const REAL *from, int count)
{
    for (int k = 0; k < count; k++)
        out[k] = load(from + k * GROUP);
}

static INLINE void storeMany(REAL *to, const V *from, int count)
{
    for (int k = 0; k < count; k++)
        store(to + k * GROUP, from[k]);
}

// F += d g_kᵀ
static INLINE void addOuter(const snCellsPass *pass, const Block *block, int k, int at, int corners,
                            const V d[3], M3 *f)
{
    for (int c = 0; c < 3; c++) {
        V g = loadGradient(pass, block, k, c, at, corners);
        for (int r = 0; r < 3; r++)
            f->m[r][c] += d[r] * g;
    }
}

#if SINGLE
// F = F(ŷ) + Σ_{a>0} (w_a - w_0) g_aᵀ
static INLINE M3 shiftedDeformation(const snCellsPass *pass, const Block *block, int at,
                                    int corners)
{
    V base[3], d[3];
    M3 f;
    loadMany(&f.m[0][0], item(pass->state->shape, block->index * 9 * GROUP + (size_t)at), 9);
    gatherRows(pass->shift, cornerVertices(pass, block, 0) + at, base);
    for (int k = 1; k < corners; k++) {
        gatherRows(pass->shift, cornerVertices(pass, block, k) + at, d);
        for (int r = 0; r < 3; r++)
            d[r] -= base[r];
        addOuter(pass, block, k, at, corners, d, &f);
    }
    return f;
}

// F = Σ_{a>0} (y_a - y_0) g_aᵀ. Not inlined: the other way, which is the usual one, then has the
// registers for itself.
static __attribute__((noinline)) M3 firstDeformation(const snCellsPass *pass, const Block *block,
                                                     int at, int corners)
{
    V d[3];
    M3 f = {{{{0}}}};
    for (int k = 1; k < corners; k++) {
        gatherDifferences(pass->position, cornerVertices(pass, block, k) + at,
                          cornerVertices(pass, block, 0) + at, d);
        addOuter(pass, block, k, at, corners, d, &f);
    }
    if (pass->keepShape)
        storeMany(item(pass->state->shape, block->index * 9 * GROUP + (size_t)at), &f.m[0][0], 9);
    return f;
}

static INLINE M3 deformation(const snCellsPass *pass, const Block *block, int at, int corners)
{
    return pass->shift ? shiftedDeformation(pass, block, at, corners)
                       : firstDeformation(pass, block, at, corners);
}
#else
static INLINE void gatherPoint(const snCellsPass *pass, const Block *block, int corner, int at,
                               V out[3])
{
    const int *vertex = cornerVertices(pass, block, corner);
    if (isGroup(block)) {
        gatherRows(pass->position, vertex + at, out);
        return;
    }
    const double *row = pass->position + (size_t)vertex[block->element] * (size_t)pass->width +
                        (size_t)(block->lane + at);
    for (int c = 0; c < 3; c++)
        out[c] = load(row + c * pass->lanes);
}

// F = Σ_{a>0} (y_a - y_0) g_aᵀ
static INLINE M3 deformation(const snCellsPass *pass, const Block *block, int at, int corners)
{
    V base[3], d[3];
    M3 f = {{{{0}}}};
    gatherPoint(pass, block, 0, at, base);
    for (int k = 1; k < corners; k++) {
        gatherPoint(pass, block, k, at, d);
        for (int r = 0; r < 3; r++)
            d[r] -= base[r];
        addOuter(pass, block, k, at, corners, d, &f);
    }
    return f;
}
#endif

// F of what follows.
static INLINE M3 lookAhead(const snCellsPass *pass, const Ahead *ahead, int corners)
{
    M3 none = {{{{0}}}};
    return ahead->next ? deformation(pass, ahead->next, ahead->at, corners) : none;
}

// The exact answer for one lane, by singular values.
static __attribute__((noinline, cold)) void polarLane(const M3 *a, V q[4], int lane)
{
    snMat3 m = {{a->m[0][0][lane], a->m[1][0][lane], a->m[2][0][lane]},
                {a->m[0][1][lane], a->m[1][1][lane], a->m[2][1][lane]},
                {a->m[0][2][lane], a->m[1][2][lane], a->m[2][2][lane]}};
    snQuat exact = snIdentityQuat();
    if (snIsFinite3(m.cx) && snIsFinite3(m.cy) && snIsFinite3(m.cz))
        exact = snQuatFromMat(snPolar(m, NULL));
    q[0][lane] = (REAL)exact.x;
    q[1][lane] = (REAL)exact.y;
    q[2][lane] = (REAL)exact.z;
    q[3][lane] = (REAL)exact.w;
}

// One Newton step in the lanes of `active`. Lanes whose Hessian is not safely positive definite
// leave `active` and enter `failed`; lanes that moved by less than a hundredth of a radian leave
// `active`: the error is then of the order of its cube, and the next pass begins from there.
static INLINE void newtonStep(const M3 *a, V q[4], I *active, I *failed)
{
    M3 r = rotationOf(q), m = transposedMultiply(&r, a);
    V g0 = m.m[2][1] - m.m[1][2], g1 = m.m[0][2] - m.m[2][0], g2 = m.m[1][0] - m.m[0][1];
    V h00 = m.m[1][1] + m.m[2][2], h11 = m.m[0][0] + m.m[2][2], h22 = m.m[0][0] + m.m[1][1];
    V h01 = (REAL)-0.5 * (m.m[0][1] + m.m[1][0]), h02 = (REAL)-0.5 * (m.m[0][2] + m.m[2][0]);
    V h12 = (REAL)-0.5 * (m.m[1][2] + m.m[2][1]);
    V c00 = h11 * h22 - h12 * h12, c01 = h02 * h12 - h01 * h22, c02 = h01 * h12 - h02 * h11;
    V c11 = h00 * h22 - h02 * h02, c12 = h01 * h02 - h00 * h12, c22 = h00 * h11 - h01 * h01;
    V det = h00 * c00 + h01 * c01 + h02 * c02, trace = h00 + h11 + h22;
    I good = (h00 > 0.0) & (c22 > 0.0) & (det > (REAL)1e-6 * trace * trace * trace);
    *failed |= *active & ~good;
    *active &= good;
    V inverse =
        0.5 / det; // half angles: a quaternion wants ω/2; others are not moved, whatever it is
    V w0 = (c00 * g0 + c01 * g1 + c02 * g2) * inverse;
    V w1 = (c01 * g0 + c11 * g1 + c12 * g2) * inverse;
    V w2 = (c02 * g0 + c12 * g1 + c22 * g2) * inverse;
    V size = w0 * w0 + w1 * w1 + w2 * w2;
    if (any(size > 1.0)) { // half angle below a radian
        V limit = choose(size > 1.0, 1.0 / size, constant(1));
        w0 *= limit, w1 *= limit, w2 *= limit;
    }
    V x = q[0] + q[3] * w0 + (q[1] * w2 - q[2] * w1); // q (1, ω/2)
    V y = q[1] + q[3] * w1 + (q[2] * w0 - q[0] * w2);
    V z = q[2] + q[3] * w2 + (q[0] * w1 - q[1] * w0);
    V w = q[3] - q[0] * w0 - q[1] * w1 - q[2] * w2;
    V shrink = 1.5 - 0.5 * (x * x + y * y + z * z + w * w); // one Newton step towards length 1
    q[0] = choose(*active, shrink * x, q[0]);
    q[1] = choose(*active, shrink * y, q[1]);
    q[2] = choose(*active, shrink * z, q[2]);
    q[3] = choose(*active, shrink * w, q[3]);
    *active &= (size > (REAL)2.5e-5); // (ω/2)² for a hundredth of a radian
}

// Lengths stay near 1: |q|² <= 2 before the shrink, so its factor is at least 1/2.
static INLINE void findRotation(const M3 *a, I wanted, V q[4])
{
    I active = wanted, failed = {0};
    for (int k = 0; k < 12 && any(active); k++)
        newtonStep(a, q, &active, &failed);
    failed |= active;
    if (!any(failed)) return;
    M3 copy = *a; // what others are given the address of is kept in memory: not what is used above
    V exact[4] = {q[0], q[1], q[2], q[3]};
    for (int l = 0; l < LANES; l++)
        if (failed[l]) polarLane(&copy, exact, l);
    for (int k = 0; k < 4; k++)
        q[k] = exact[k];
}

// Lanes that take part; the others keep their rotations, so that a body's bits do not depend on how
// often its neighbours in the batch are looked at.
static INLINE I wantedLanes(const snCellsPass *pass, const Block *block, int at)
{
    I wanted = (I){0} - 1;
    for (int l = 0; pass->active && !isGroup(block) && l < LANES; l++)
        wanted[l] = pass->active[block->lane + at + l] ? -1 : 0;
    return wanted;
}

// The inverse of a rig's deformation with its singular values raised to the least, for one lane.
static void clampedInverseLane(const M3 *f, M3 *inverse, int lane)
{
    snMat3 m = {{f->m[0][0][lane], f->m[1][0][lane], f->m[2][0][lane]},
                {f->m[0][1][lane], f->m[1][1][lane], f->m[2][1][lane]},
                {f->m[0][2][lane], f->m[1][2][lane], f->m[2][2][lane]}};
    snMat3 u, v;
    snVec3 s;
    snSvd3(m, &u, &s, &v);
    s.x = 1 / (s.x > SN_LEAST_STRETCH ? s.x : SN_LEAST_STRETCH);
    s.y = 1 / (s.y > SN_LEAST_STRETCH ? s.y : SN_LEAST_STRETCH);
    s.z = 1 / (s.z > SN_LEAST_STRETCH ? s.z : SN_LEAST_STRETCH);
    v = (snMat3){snScale(s.x, v.cx), snScale(s.y, v.cy), snScale(s.z, v.cz)};
    snMat3 g = snMulMM(v, snTranspose(u)); // V Σ⁻¹ Uᵀ
    const snVec3 columns[3] = {g.cx, g.cy, g.cz};
    for (int j = 0; j < 3; j++) {
        inverse->m[0][j][lane] = (REAL)columns[j].x;
        inverse->m[1][j][lane] = (REAL)columns[j].y;
        inverse->m[2][j][lane] = (REAL)columns[j].z;
    }
}

// F_L⁻¹ = cofᵀ / det where that is safe: 1 / |F_L⁻¹| is a lower bound of the singular values.
static INLINE M3 clampedInverse(const M3 *f, const M3 *cof, V volume)
{
    M3 g;
    V area = squareOf(cof), least = constant(SN_LEAST_STRETCH * SN_LEAST_STRETCH);
    I safe = (volume > 0.0) & (area * least <= volume * volume);
    V scale = 1.0 / choose(safe, volume, constant(1));
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            g.m[i][j] = scale * cof->m[j][i];
    for (int l = 0; any(~safe) && l < LANES; l++)
        if (!safe[l]) clampedInverseLane(f, &g, l);
    return g;
}

// What materials other than the corotated one need of the rig: F_L, G and the scale of their moduli.
static INLINE void storeRigShape(const snCellsPass *pass, const Block *block, int at, const M3 *f,
                                 const M3 *cof, V volume)
{
    size_t one = block->index * GROUP + (size_t)at;
    size_t nine = block->index * 9 * GROUP + (size_t)at;
    M3 g = pass->full ? identity() : clampedInverse(f, cof, volume);
    V size = squareOf(&g);
    storeMany(item(pass->state->rigShape, nine), &f->m[0][0], 9);
    storeMany(item(pass->state->rigInverse, nine), &g.m[0][0], 9);
    store(item(pass->state->elasticScale, one), 3.0 / choose(size > 3.0, size, constant(3)));
}

// Single precision keeps the energy of every element; else it is summed over the elements of a group
// one after another, so that the order depends neither on the width nor on the batch.
static INLINE void addEnergy(const snCellsPass *pass, const Block *block, int at, V energy)
{
    if (SINGLE) {
        store(item(pass->energy, (size_t)block->place * GROUP + (size_t)at), energy);
        return;
    }
    REAL *sum = item(pass->energy, (size_t)block->place * (size_t)pass->lanes);
    for (int l = 0; l < LANES; l++)
        sum[block->element < 0 ? 0 : block->lane + at + l] += energy[l];
}

// With the strain e_n it has, beside its rig: m ψ_C is m (1 - recall)² of what e_n holds. Of other materials than the corotated
// one it is what that would hold. What flattened elements resist with (pressFlat) is left out: such a body is asked for once more in vain.
static INLINE V stillEnergy(const snCellsPass *pass, const Block *block, int at, int material,
                            const M3 *strain, V volumeStrain, V bulkScale)
{
    bool corotated = material == SN_MATERIAL_COROTATED;
    V keep = constant((REAL)(corotated ? 1.0 - pass->recall : 1.0)), change = keep * volumeStrain;
    V level = 1.0 / (1.0 + 0.25 * change * change);
    V shear = keep * keep * shearOf(pass, block, at) * squareOf(strain);
    V bulk = bulkOf(pass, block, at) * bulkScale * change * change * level;
    return (REAL)(corotated ? 0.5 : 0.5 * (1.0 - pass->memory)) * (shear + bulk);
}

static INLINE void targetLanes(const snCellsPass *pass, const Block *block, int at, int corners,
                               int material, M3 *deformed, const Ahead *ahead)
{
    snElementState *state = pass->state;
    size_t one = block->index * GROUP + (size_t)at;
    size_t four = block->index * 4 * GROUP + (size_t)at;
    size_t nine = block->index * 9 * GROUP + (size_t)at;
    M3 f = identity(), cof = f, stretch = f, strain;
    V volume = constant(1), area = constant(3);
    if (!pass->full) {
        V q[4];
        f = *deformed;
        loadMany(q, item(state->rigRotation, four), 4);
        findRotation(&f, wantedLanes(pass, block, at), q);
        storeMany(item(state->rigRotation, four), q, 4);
        *deformed = lookAhead(pass, ahead, corners);
        cof = cofactor(&f);
        M3 r = rotationOf(q);
        stretch = transposedMultiply(&r, &f);
        volume = determinant(&f, &cof);
        area = squareOf(&cof);
    }
    if (material != SN_MATERIAL_COROTATED) storeRigShape(pass, block, at, &f, &cof, volume);
    V volumeStrain = load(item(state->volumeStrain, one));
    loadMany(&strain.m[0][0], item(state->strain, nine), 9);
    storeMany(item(state->lastStrain, nine), &strain.m[0][0], 9);
    store(item(state->lastVolumeStrain, one), volumeStrain);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            stretch.m[i][j] += (REAL)pass->recall * strain.m[i][j];
    storeMany(item(state->target, nine), &stretch.m[0][0], 9);
    store(item(state->volumeTarget, one), volume + (REAL)pass->recall * volumeStrain);
    V bulkScale = 3.0 / choose(area > 3.0, area, constant(3));
    store(item(state->bulkScale, one), bulkScale);
    if (pass->energy)
        addEnergy(pass, block, at,
                  stillEnergy(pass, block, at, material, &strain, volumeStrain, bulkScale));
}

// What force and strain passes share: F, R, F - R C, J - J_C, the energy and the stress, times V.
typedef struct Shape {
    M3 f, rotation, miss, stress;
    V volumeMiss, energy;
} Shape;

// What is pressed flat, of a hardness K = κ (s λ + 2μ) V: its energy; its pressure, and the rest of its stress, are added.
static INLINE V pressFlat(const M3 *f, const M3 *cof, V hardness, V *pressure, M3 *stress)
{
    V flat = (REAL)1 - (REAL)(1 / SN_FLAT) * determinant(f, cof); // t
    if (!any(flat > 0.0)) return constant(0);
    V size = squareOf(f), wide = (REAL)(1.0 / 24) * (size + squareOf(cof)) - (REAL)1;
    wide = choose(wide > 0.0, wide, constant(0)); // a
    V inverse = (REAL)1 / (wide + (REAL)2), less = (REAL)1 / ((REAL)1 + wide * wide * inverse);
    V push = choose(flat > 0.0, hardness * flat * less, constant(0)); // K t / m
    *pressure -= (REAL)(1 / SN_FLAT) * push;
    V pull = (REAL)(1.0 / 24) * push * flat * less * (wide * (wide + (REAL)4) * inverse * inverse);
    if (any(pull > 0.0)) {
        M3 square = transposedMultiply(f, f), more = multiply(f, &square);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                V sum = stress->m[i][j] - pull * ((1.0 + size) * f->m[i][j] - more.m[i][j]);
                stress->m[i][j] = choose(pull > 0.0, sum, stress->m[i][j]);
            }
    }
    return (REAL)0.5 * push * flat;
}

static INLINE void corotated(const snCellsPass *pass, const Block *block, int at, int corners,
                             M3 *deformed, const Ahead *ahead, Shape *s)
{
    snElementState *state = pass->state;
    size_t one = block->index * GROUP + (size_t)at;
    size_t four = block->index * 4 * GROUP + (size_t)at;
    size_t nine = block->index * 9 * GROUP + (size_t)at;
    M3 c;
    V q[4];
    s->f = *deformed;
    loadMany(&c.m[0][0], item(state->target, nine), 9);
    loadMany(q, item(state->rotation, four), 4);
    M3 a = multiplyTransposed(&s->f, &c);
    findRotation(&a, wantedLanes(pass, block, at), q);
    storeMany(item(state->rotation, four), q, 4);
    *deformed = lookAhead(pass, ahead, corners);
    loadMany(&c.m[0][0], item(state->target, nine), 9); // again: it would not stay in registers
    s->rotation = rotationOf(q);
    s->miss = multiply(&s->rotation, &c);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            s->miss.m[i][j] = s->f.m[i][j] - s->miss.m[i][j];
    M3 cof = cofactor(&s->f);
    s->volumeMiss = determinant(&s->f, &cof) - load(item(state->volumeTarget, one));
    V bulk = bulkOf(pass, block, at) * load(item(state->bulkScale, one));
    V shear = shearOf(pass, block, at);
    V level = 1.0 / (1.0 + 0.25 * s->volumeMiss * s->volumeMiss); // g = ½ δ² level, g' = δ level²
    s->energy = 0.5 * (shear * squareOf(&s->miss) + bulk * s->volumeMiss * s->volumeMiss * level);
    V pressure = bulk * s->volumeMiss * level * level;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            s->stress.m[i][j] = shear * s->miss.m[i][j];
    if (pass->crush > 0)
        s->energy +=
            pressFlat(&s->f, &cof, (REAL)pass->crush * (bulk + shear), &pressure, &s->stress);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            s->stress.m[i][j] += pressure * cof.m[i][j];
}

// P̂ and ψ of the stable neo-Hookean solid at F̂ = 1 + D, for shear 2μ. Written in D, so that no large
// numbers cancel near rest: Ĵ - 1 = tr D + I₂ + det D with I₂ the sum of the principal minors, and
// ψ = μ (½ |D|² - I₂ - det D) + (λ + μ)/2 (Ĵ - 1)².
static INLINE V neoHookean(const M3 *d, V shear, V bulk, M3 *stress)
{
    M3 f = *d, minors = cofactor(d);
    for (int i = 0; i < 3; i++)
        f.m[i][i] += 1.0;
    M3 cof = cofactor(&f);
    V second =
        minors.m[0][0] + minors.m[1][1] + minors.m[2][2] + determinant(d, &minors); // I₂ + det D
    V growth = d->m[0][0] + d->m[1][1] + d->m[2][2] + second;
    V mu = 0.5 * shear, lambda = bulk + mu, pressure = lambda * growth - mu;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            stress->m[i][j] = mu * f.m[i][j] + pressure * cof.m[i][j];
    return mu * (0.5 * squareOf(d) - second) + 0.5 * lambda * growth * growth;
}

// Likewise with 2E = D + Dᵀ + DᵀD, and what average.h has beyond it, or NULL.
static INLINE V green(const M3 *d, V shear, V bulk, const M3 *more, M3 *stress)
{
    M3 f = *d, e = transposedMultiply(d, d);
    for (int i = 0; i < 3; i++) {
        f.m[i][i] += 1.0;
        for (int j = 0; j < 3; j++)
            e.m[i][j] += d->m[i][j] + d->m[j][i];
    }
    for (int i = 0; more && i < 3; i++)
        for (int j = 0; j < 3; j++)
            e.m[i][j] += more->m[i][j];
    V trace = 0.5 * (e.m[0][0] + e.m[1][1] + e.m[2][2]);
    V energy = 0.5 * (0.25 * shear * squareOf(&e) + bulk * trace * trace);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            e.m[i][j] = 0.5 * shear * e.m[i][j] + (i == j ? bulk * trace : constant(0));
    *stress = multiply(&f, &e);
    return energy;
}

// What average.h has of an element.
typedef struct Average {
    M3 more, work; // D, R
    V w;
} Average;

// Likewise, with Ĵ - 1 as above; `average` may be NULL.
static INLINE V nonrigid(const M3 *d, V shear, V bulk, const Average *average, M3 *stress)
{
    M3 f = *d, minors = cofactor(d);
    for (int i = 0; i < 3; i++)
        f.m[i][i] += 1.0;
    M3 cof = cofactor(&f);
    V growth = d->m[0][0] + d->m[1][1] + d->m[2][2] + minors.m[0][0] + minors.m[1][1] +
               minors.m[2][2] + determinant(d, &minors);
    if (average) growth += average->w;
    V energy = green(d, shear, constant(0), average ? &average->more : NULL, stress);
    V pressure = bulk * growth;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            stress->m[i][j] += pressure * cof.m[i][j];
    for (int i = 0; average && i < 3; i++)
        for (int j = 0; j < 3; j++) {
            V force = bulk * average->work.m[i][j];
            stress->m[i][j] += force;
            energy += force * d->m[i][j];
        }
    return energy + 0.5 * pressure * growth;
}

// (1 - m) ψ(F̂) is added to m ψ_C(F), which `s` holds.
static INLINE void addElastic(const snCellsPass *pass, const Block *block, int at, int material,
                              Shape *s)
{
    snElementState *state = pass->state;
    size_t one = block->index * GROUP + (size_t)at;
    size_t nine = block->index * 9 * GROUP + (size_t)at;
    M3 rig, inverse, stress;
    loadMany(&rig.m[0][0], item(state->rigShape, nine), 9);
    loadMany(&inverse.m[0][0], item(state->rigInverse, nine), 9);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            rig.m[i][j] = s->f.m[i][j] - rig.m[i][j];
    M3 d = multiply(&rig, &inverse); // F̂ - 1
    V scale = (REAL)(1.0 - pass->memory) * load(item(state->elasticScale, one));
    V shear = scale * shearOf(pass, block, at), bulk = scale * bulkOf(pass, block, at);
    Average average = {0};
    bool averaged = !SINGLE && state->average && material != SN_MATERIAL_NEO_HOOKEAN;
    if (averaged) {
        const REAL *numbers = constItem(state->average, block->index * 19 * GROUP + (size_t)at);
        loadMany(&average.more.m[0][0], numbers, 9);
        loadMany(&average.work.m[0][0], numbers + 9 * GROUP, 9);
        average.w = load(numbers + 18 * GROUP);
    }
    V energy;
    if (material == SN_MATERIAL_GREEN)
        energy = green(&d, shear, bulk, averaged ? &average.more : NULL, &stress);
    else if (material == SN_MATERIAL_NONRIGID)
        energy = nonrigid(&d, shear, bulk, averaged ? &average : NULL, &stress);
    else
        energy = neoHookean(&d, shear, bulk, &stress);
    stress = multiplyTransposed(&stress, &inverse);
    s->energy = (REAL)pass->memory * s->energy + energy;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            s->stress.m[i][j] = (REAL)pass->memory * s->stress.m[i][j] + stress.m[i][j];
}

static INLINE Shape shapeOf(const snCellsPass *pass, const Block *block, int at, int corners,
                            int material, M3 *deformed, const Ahead *ahead)
{
    Shape s;
    corotated(pass, block, at, corners, deformed, ahead, &s);
    if (material != SN_MATERIAL_COROTATED) addElastic(pass, block, at, material, &s);
    return s;
}

static INLINE void forceLanes(const snCellsPass *pass, const Block *block, int at, int corners,
                              int material, M3 *deformed, const Ahead *ahead)
{
    Shape s = shapeOf(pass, block, at, corners, material, deformed, ahead);
    addEnergy(pass, block, at, s.energy);
    M3 p;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            p.m[i][j] = (REAL)pass->scale * s.stress.m[i][j];
    V first[3] = {{0}, {0}, {0}}, f[3];
    for (int k = 1; k < corners; k++) {
        V gx = loadGradient(pass, block, k, 0, at, corners);
        V gy = loadGradient(pass, block, k, 1, at, corners);
        V gz = loadGradient(pass, block, k, 2, at, corners);
        for (int r = 0; r < 3; r++) {
            f[r] = p.m[r][0] * gx + p.m[r][1] * gy + p.m[r][2] * gz;
            first[r] -= f[r];
        }
        scatterForce(pass, block, k, at, f);
    }
    scatterForce(pass, block, 0, at, first);
}

// e = RᵀF - S with S = C - recall e_n, and the same for the volume.
static INLINE void strainLanes(const snCellsPass *pass, const Block *block, int at, int corners,
                               int material, M3 *deformed, const Ahead *ahead)
{
    snElementState *state = pass->state;
    size_t one = block->index * GROUP + (size_t)at;
    size_t nine = block->index * 9 * GROUP + (size_t)at;
    Shape s = shapeOf(pass, block, at, corners, material, deformed, ahead);
    addEnergy(pass, block, at, s.energy);
    M3 e = transposedMultiply(&s.rotation, &s.miss), old;
    loadMany(&old.m[0][0], item(state->lastStrain, nine), 9);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            e.m[i][j] += (REAL)pass->recall * old.m[i][j];
    storeMany(item(state->strain, nine), &e.m[0][0], 9);
    store(item(state->volumeStrain, one),
          s.volumeMiss + (REAL)pass->recall * load(item(state->lastVolumeStrain, one)));
}

static INLINE Block groupAt(const snCellsPass *pass, int place)
{
    int group = pass->list ? pass->list[place] : place;
    return (Block){group, place, -1, 0, (size_t)group};
}

static INLINE bool needsShape(const snCellsPass *pass, bool target)
{
    return !target || !pass->full;
}

// A pass over groups: one block per group for a single body; for a batch, a block for every eight
// lanes of every element. The kinds of element, material and batch are constants in each inner loop.
#define PASS(name, lanesFcn, material, target)                                                     \
    static INLINE void name##Groups(const snCellsPass *pass, int begin, int end, int corners)      \
    {                                                                                              \
        M3 f = {{{{0}}}};                                                                          \
        Block block = groupAt(pass, begin);                                                        \
        if (needsShape(pass, target)) f = deformation(pass, &block, 0, corners);                   \
        for (int g = begin; g < end; g++) {                                                        \
            Block next = g + 1 < end ? groupAt(pass, g + 1) : block;                               \
            for (int at = 0; at < GROUP; at += LANES) {                                            \
                bool last = at + LANES == GROUP;                                                   \
                Ahead ahead = {!last         ? &block                                              \
                               : g + 1 < end ? &next                                               \
                                             : NULL,                                               \
                               last ? 0 : at + LANES};                                             \
                lanesFcn(pass, &block, at, corners, material, &f, &ahead);                         \
            }                                                                                      \
            block = next;                                                                          \
        }                                                                                          \
    }                                                                                              \
    static INLINE void name##Batch(const snCellsPass *pass, int place, int corners)                \
    {                                                                                              \
        Block group = groupAt(pass, place);                                                        \
        const Ahead ahead = {NULL, 0};                                                             \
        int first = group.group * GROUP, blocks = pass->lanes / GROUP;                             \
        for (int e = 0; e < GROUP && first + e < pass->class->count; e++)                          \
            for (int b = 0; b < blocks; b++)                                                       \
                for (int at = 0; at < GROUP; at += LANES) {                                        \
                    Block block = {group.group, place, e, b * GROUP,                               \
                                   (size_t)(first + e) * (size_t)blocks + (size_t)b};              \
                    M3 f = {{{{0}}}};                                                              \
                    if (needsShape(pass, target)) f = deformation(pass, &block, at, corners);      \
                    lanesFcn(pass, &block, at, corners, material, &f, &ahead);                     \
                }                                                                                  \
    }                                                                                              \
    static void name(const snCellsPass *pass, int begin, int end)                                  \
    {                                                                                              \
        size_t first = (size_t)(begin * pass->lanes), last = (size_t)(end * pass->lanes);          \
        for (size_t k = first; !SINGLE && k < last && pass->energy; k++)                           \
            *item(pass->energy, k) = 0;                                                            \
        if (begin >= end) return;                                                                  \
        if (SINGLE || pass->lanes == 1) {                                                          \
            if (pass->class->corners == 4)                                                         \
                name##Groups(pass, begin, end, 4);                                                 \
            else                                                                                   \
                name##Groups(pass, begin, end, 8);                                                 \
            return;                                                                                \
        }                                                                                          \
        for (int g = begin; g < end; g++)                                                          \
            if (pass->class->corners == 4)                                                         \
                name##Batch(pass, g, 4);                                                           \
            else                                                                                   \
                name##Batch(pass, g, 8);                                                           \
    }

PASS(target, targetLanes, SN_MATERIAL_COROTATED, true)
PASS(targetRigShape, targetLanes, SN_MATERIAL_NEO_HOOKEAN, true)
PASS(force, forceLanes, SN_MATERIAL_COROTATED, false)
PASS(strain, strainLanes, SN_MATERIAL_COROTATED, false)
PASS(forceNeoHookean, forceLanes, SN_MATERIAL_NEO_HOOKEAN, false)
PASS(strainNeoHookean, strainLanes, SN_MATERIAL_NEO_HOOKEAN, false)
PASS(forceGreen, forceLanes, SN_MATERIAL_GREEN, false)
PASS(strainGreen, strainLanes, SN_MATERIAL_GREEN, false)
PASS(forceNonrigid, forceLanes, SN_MATERIAL_NONRIGID, false)
PASS(strainNonrigid, strainLanes, SN_MATERIAL_NONRIGID, false)

#if SINGLE
#define KERNELS SN_VARIANT(snCellKernelsSingle)
#else
#define KERNELS SN_VARIANT(snCellKernels)
#endif
extern const snCellKernels KERNELS;
const snCellKernels KERNELS = {
    .target = {target, targetRigShape, targetRigShape, targetRigShape},
    .force = {force, forceNeoHookean, forceGreen, forceNonrigid},
    .strain = {strain, strainNeoHookean, strainGreen, strainNonrigid},
};
