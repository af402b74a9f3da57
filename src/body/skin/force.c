#include "body/skin/skin.h"

#include <string.h>

// Forces on points beside those within the skin (elastic.c). With A the point's area of the chart:
//     gravity   A μ g                     (but for a constant, -A μ g·r of energy)
//     damping   -A γ (v - ṁ): of all motion against what the point is tied to; without a band ṁ = 0
//     band      l = r - m from the muscle's place m(t), n = l/|l|:  -A b n,
//               b = k (|l| - l⁰) + d ((v - ṁ)·n), and nothing where |l| <= l⁰ or b <= 0: a band cannot push
//     spring    -k (p - a(t)) - d (ṗ - ȧ) at a mean p of points
// Without damping a band has the energy ½ A k (|l| - l⁰)². Its derivatives where it pulls:
//     -∂f/∂r = A k (n nᵀ + (1 - l⁰/|l|)(1 - n nᵀ)),  -∂f/∂v = A d n nᵀ
// (the damper's part in the first, which is small and not symmetric, is left out).

typedef struct Band {
    bool pulls;
    double pull, share, stiffness, damping; // b A, l⁰/|l|, A k, A d
    snVec3 n;
} Band;

static Band bandAt(const snElasticSkin *skin, int i, double share, snVec3 r, snVec3 v)
{
    const snSkinTie *tie = &skin->ties[i];
    Band band = {0};
    snVec3 end = snLerp(skin->bandFrom[i], skin->bandTo[i], share), l = snSub(r, end);
    double length = snLength(l);
    if (!(length > tie->length) || !(length > 0.0)) return band;
    band.n = snScale(1.0 / length, l);
    band.stiffness = tie->stiffness;
    band.damping = tie->damping;
    band.share = tie->length / length;
    band.pull = band.stiffness * (length - tie->length) +
                band.damping * snDot(snSub(v, skin->bandPace[i]), band.n);
    band.pulls = band.pull > 0.0;
    return band;
}

static snVec3 meanOf(const snSkinPull *pull, const snVec3 *r)
{
    return snCombine3(pull->corner, pull->share, r);
}

static void spreadPull(const snSkinPull *pull, snVec3 f, snVec3 *force)
{
    for (int k = 0; k < 3; k++)
        force[pull->corner[k]] = snMulAdd(force[pull->corner[k]], pull->share[k], f);
}

void snElasticSkin_AddPulls(const snElasticSkin *skin, double share, const snVec3 *r,
                            const snVec3 *v, snVec3 *force)
{
    for (int i = 0; i < skin->pullCount; i++) {
        const snSkinPull *pull = &skin->pulls[i];
        snVec3 anchor = snLerp(pull->from, pull->to, share), f = pull->force;
        snVec3 pace = skin->length > 0.0 ? snScale(1.0 / skin->length, snSub(pull->to, pull->from))
                                         : snVec(0, 0, 0);
        f = snMulAdd(f, -pull->stiffness, snSub(meanOf(pull, r), anchor));
        f = snMulAdd(f, -pull->damping, snSub(meanOf(pull, v), pace));
        spreadPull(pull, f, force);
    }
}

void snElasticSkin_Force(snElasticSkin *skin, double share, const snVec3 *r, const snVec3 *v,
                         snVec3 *force)
{
    for (int i = 0; i < skin->mesh->pointCount; i++) {
        snVec3 g = skin->fields ? snAdd(skin->gravity, skin->fields[i]) : skin->gravity;
        force[i] =
            snMulAdd(snScale(skin->mass[i], g), -skin->drag[i], snSub(v[i], skin->bandPace[i]));
        Band band = bandAt(skin, i, share, r[i], v[i]);
        if (band.pulls) force[i] = snMulAdd(force[i], -band.pull, band.n);
    }
    snSkinElastic_AddForce(&skin->elastic, r, v, force);
    snElasticSkin_AddPulls(skin, share, r, v, force);
}

double snElasticSkin_Energy(const snElasticSkin *skin, double share, const snVec3 *r)
{
    double energy = snSkinElastic_Energy(&skin->elastic, r);
    for (int i = 0; i < skin->mesh->pointCount; i++) {
        const snSkinPoint *p = &skin->points[i];
        energy -= skin->mass[i] * snDot(skin->gravity, r[i]);
        if (p->muscle < 0) continue;
        snVec3 end = snLerp(skin->bandFrom[i], skin->bandTo[i], share);
        double off = fmax(snDistance(r[i], end) - p->bandLength, 0.0);
        energy += 0.5 * skin->mesh->area[i] * p->bandStiffness * off * off;
    }
    for (int i = 0; i < skin->pullCount; i++) {
        const snSkinPull *pull = &skin->pulls[i];
        snVec3 p = meanOf(pull, r), off = snSub(p, snLerp(pull->from, pull->to, share));
        energy += 0.5 * pull->stiffness * snLengthSquared(off) - snDot(pull->force, p);
    }
    return energy;
}

void snElasticSkin_Linearise(snElasticSkin *skin, double share, const snVec3 *r, const snVec3 *v)
{
    memcpy(skin->linear, r, (size_t)skin->mesh->pointCount * sizeof(snVec3));
    for (int i = 0; i < skin->mesh->pointCount; i++) {
        Band band = bandAt(skin, i, share, r[i], v[i]);
        skin->bands[i] = band.pulls ? (snSkinBand){band.n, band.stiffness * (1.0 - band.share),
                                                   band.stiffness * band.share, band.damping}
                                    : (snSkinBand){0};
    }
    snSkinElastic_Linearise(&skin->elastic, r);
}

void snElasticSkin_Derivative(snElasticSkin *skin, double a, double b, const snVec3 *x,
                              snVec3 *force)
{
    for (int i = 0; i < skin->mesh->pointCount; i++) {
        const snSkinBand *band = &skin->bands[i];
        double all = b * skin->drag[i] + a * band->even;
        double along = (a * band->stiffness + b * band->damping) * snDot(band->n, x[i]);
        force[i] = snMulAdd(snScale(-all, x[i]), -along, band->n);
    }
    snSkinElastic_AddDerivative(&skin->elastic, skin->linear, a, b, x, force);
    for (int i = 0; i < skin->pullCount; i++) {
        const snSkinPull *pull = &skin->pulls[i];
        double s = a * pull->stiffness + b * pull->damping;
        spreadPull(pull, snScale(-s, meanOf(pull, x)), force);
    }
}

void snElasticSkin_Diagonal(snElasticSkin *skin, double a, double b, snVec3 *diagonal)
{
    for (int i = 0; i < skin->mesh->pointCount; i++) {
        const snSkinBand *band = &skin->bands[i];
        double all = b * skin->drag[i] + a * band->even;
        double along = a * band->stiffness + b * band->damping;
        snVec3 n = band->n;
        diagonal[i] =
            snVec(all + along * n.x * n.x, all + along * n.y * n.y, all + along * n.z * n.z);
    }
    snSkinElastic_AddDiagonal(&skin->elastic, a, b, diagonal);
    for (int i = 0; i < skin->pullCount; i++)
        for (int k = 0; k < 3; k++) {
            const snSkinPull *pull = &skin->pulls[i];
            double w = pull->share[k] * pull->share[k] * (a * pull->stiffness + b * pull->damping);
            snVec3 *d = &diagonal[pull->corner[k]];
            *d = snAdd(*d, snVec(w, w, w));
        }
}
