// Where bones are made, how they move and who follows them.
#include "bake/bones_parts.h"

#include "core/error.h"
#include "core/svd.h"

#include <string.h>

#define TURNS 8           // of motion and weights when a bone is made
#define SWEEPS 3          // over all bones afterwards
#define LEAST_SHARE 0.02f // of a joint's weight: less is not worth an influence
#define STIFFNESS 0.01    // pull of a bone's rotation to none, as a share of what it carries

static const snPart *partOf(const snBonesWork *w, const snBoneVertex *vertex)
{
    return &w->soft.bake->character->parts[vertex->part];
}

// ---- one bone ---------------------------------------------------------------------------------------

// What the bone adds at its members, taken off (-1) or given back (1) to what is missing.
void snBones_Apply(const snBonesWork *w, int number, const snAffine *space, const snAffine *move,
                   double sign, snVec3f *left)
{
    const snJiggle *bone = &w->bones[number];
    snMat3 g = space[bone->parent].linear;
    for (int i = 0; i < bone->memberCount; i++) {
        const snBoneMember *m = &bone->members[i];
        if (m->weight == 0) continue;
        snVec3 q = snFromF(m->q), d = snMulMV(g, snSub(snMulAP(*move, q), q));
        left[m->vertex] = snToF(snMulAdd(snFromF(left[m->vertex]), sign * (double)m->weight, d));
    }
}

// The motion of a bone in one frame. Wanted is L q = y with y = q + G⁻¹ left / w, each vertex with
// the weight w²: with centres of mass c and moments H = Σ w² (y - c_y)(q - c_q)ᵀ the rotation is the
// polar part of H, and L c_q = c_y. Few vertices do not tell a rotation, so H gets a share of what it
// is without one.
static void solveMotion(const snBonesWork *w, const snJiggle *bone, const snAffine *space,
                        const snVec3f *left, snAffine *move)
{
    snMat3 g = space[bone->parent].linear;
    double size = snNormSquaredM(g), total = 0;
    snVec3 from = {0, 0, 0}, to = {0, 0, 0};
    (void)w;
    *move = snIdentityAffine();
    if (!(fabs(snDet(g)) > 1e-9 * size * sqrt(size))) return;
    snMat3 back = snInverse3(g), h = {0};
    for (int i = 0; i < bone->memberCount; i++) {
        const snBoneMember *m = &bone->members[i];
        double a = (double)m->weight, q2 = a * a;
        if (a == 0) continue;
        snVec3 q = snFromF(m->q),
               y = snMulAdd(snScale(q2, q), a, snMulMV(back, snFromF(left[m->vertex])));
        from = snMulAdd(from, q2, q);
        to = snAdd(to, y);
        total += q2;
    }
    if (!(total > 0)) return;
    from = snScale(1 / total, from);
    to = snScale(1 / total, to);
    for (int i = 0; i < bone->memberCount; i++) {
        const snBoneMember *m = &bone->members[i];
        double a = (double)m->weight;
        if (a == 0) continue;
        snVec3 q = snSub(snFromF(m->q), from);
        snVec3 shift =
            snSub(snMulAdd(snScale(a, snFromF(m->q)), 1, snMulMV(back, snFromF(left[m->vertex]))),
                  snScale(a, to));
        snVec3 y = snMulAdd(shift, STIFFNESS * a, q); // a (y - c_y), pulled towards a (q - c_q)
        h = snAddMM(h, snScaleM(a, snOuter(y, q)));
    }
    double weight = 1e-9 * snNormSquaredM(h);
    h = snAddMM(h, snDiagonal3(sqrt(weight), sqrt(weight), sqrt(weight)));
    move->linear = snPolar(h, NULL);
    move->origin = snSub(to, snMulMV(move->linear, from));
}

static float freeWeight(const snBonesWork *w, const snBoneMember *m)
{
    const snBoneVertex *vertex = &w->vertices[m->vertex];
    const snPart *part = partOf(w, vertex);
    return part->weights[vertex->number * part->influences + m->slot] - vertex->taken[m->slot];
}

// The weight of every member that brings it nearest in all samples: w = Σ left · b / Σ b · b, between
// nothing and all that the joint has left.
static void solveWeights(snBonesWork *w, int number)
{
    snJiggle *bone = &w->bones[number];
    size_t joints = (size_t)w->soft.bake->character->skeleton.jointCount;
    for (int i = 0; i < bone->memberCount; i++) {
        snBoneMember *m = &bone->members[i];
        snVec3 q = snFromF(m->q);
        double along = 0, square = 0, most = (double)freeWeight(w, m);
        for (size_t s = 0; s < (size_t)w->sampleCount; s++) {
            const snAffine *move = &w->moves[s * (size_t)w->def->boneCount + (size_t)number];
            snMat3 g = w->space[s * joints + (size_t)bone->parent].linear;
            snVec3 b = snMulMV(g, snSub(snMulAP(*move, q), q));
            along += snDot(b, snFromF(w->left[s * (size_t)w->vertexCount + (size_t)m->vertex]));
            square += snDot(b, b);
        }
        double weight = square > 0 ? along / square : 0;
        if (weight < 0) weight = 0;
        if (weight > most) weight = most;
        if (m->whole) weight = weight > 0.5 * most ? most : 0;
        m->weight = (float)weight;
    }
}

static void moveBone(snBonesWork *w, int number)
{
    size_t joints = (size_t)w->soft.bake->character->skeleton.jointCount;
    for (size_t s = 0; s < (size_t)w->sampleCount; s++)
        solveMotion(w, &w->bones[number], w->space + s * joints,
                    w->left + s * (size_t)w->vertexCount,
                    &w->moves[s * (size_t)w->def->boneCount + (size_t)number]);
}

static void applyAll(snBonesWork *w, int number, double sign)
{
    size_t joints = (size_t)w->soft.bake->character->skeleton.jointCount;
    for (size_t s = 0; s < (size_t)w->sampleCount; s++)
        snBones_Apply(w, number, w->space + s * joints,
                      &w->moves[s * (size_t)w->def->boneCount + (size_t)number], sign,
                      w->left + s * (size_t)w->vertexCount);
}

// Books what members give, or gives it back.
static void book(snBonesWork *w, const snJiggle *bone, float sign)
{
    for (int i = 0; i < bone->memberCount; i++) {
        const snBoneMember *m = &bone->members[i];
        w->vertices[m->vertex].taken[m->slot] += sign * m->weight;
    }
}

// ---- a new bone -----------------------------------------------------------------------------------------

// The own influence of a vertex on a joint of the skeleton; -1: none.
static int slotOf(const snBonesWork *w, const snBoneVertex *vertex, int joint)
{
    const snPart *part = partOf(w, vertex);
    const snSkin *skin = &w->soft.bake->character->skins[part->skin];
    for (int i = 0; i < part->influences; i++) {
        size_t at = (size_t)vertex->number * (size_t)part->influences + (size_t)i;
        if (part->weights[at] > 0 && skin->joints[part->joints[at]] == joint) return i;
    }
    return -1;
}

// Where most is missing among vertices that can still follow a bone: the vertex and the joint that it has
// most weight left on.
static double findSeed(const snBonesWork *w, const unsigned char *tried, int *seed, int *joint)
{
    double worst = 0;
    *seed = -1;
    for (int v = 0; v < w->vertexCount; v++) {
        const snBoneVertex *vertex = &w->vertices[v];
        const snPart *part = partOf(w, vertex);
        double most = 0;
        if (tried[v]) continue;
        for (int s = 0; s < w->sampleCount; s++) {
            snVec3 left = snFromF(w->left[(size_t)s * (size_t)w->vertexCount + (size_t)v]);
            if (snDot(left, left) > most) most = snDot(left, left);
        }
        if (most <= worst) continue;
        float best = 0.05f;
        for (int i = 0; i < part->influences; i++) {
            size_t at = (size_t)vertex->number * (size_t)part->influences + (size_t)i;
            float free = part->weights[at] - vertex->taken[i];
            if (free <= best) continue;
            best = free;
            worst = most;
            *seed = v;
            *joint = w->soft.bake->character->skins[part->skin].joints[part->joints[at]];
        }
    }
    return sqrt(worst);
}

// All vertices that have weight left on the joint.
static snStatus gatherMembers(snBonesWork *w, snJiggle *bone, snError *error)
{
    const snCharacter *c = w->soft.bake->character;
    for (int round = 0; round < 2; round++) {
        int count = 0;
        for (int v = 0; v < w->vertexCount; v++) {
            const snBoneVertex *vertex = &w->vertices[v];
            int slot = slotOf(w, vertex, bone->parent);
            if (slot < 0) continue;
            const snPart *part = partOf(w, vertex);
            size_t at = (size_t)vertex->number * (size_t)part->influences + (size_t)slot;
            snBoneMember member = {
                .vertex = v, .slot = slot, .whole = vertex->own + vertex->shared >= vertex->limit};
            bool used = vertex->taken[slot] > 0;
            if (freeWeight(w, &member) < LEAST_SHARE || (member.whole && used)) continue;
            if (round) {
                snAffine bind = c->skins[part->skin].inverseBind[part->joints[at]];
                member.q = snToF(snMulAP(bind, snFromF(part->positions[vertex->number])));
                bone->members[count] = member;
            }
            count++;
        }
        if (round == 0) bone->members = SN_NEW(&w->soft.arena, snBoneMember, count);
        if (!bone->members) return snFailMemory(error);
        bone->memberCount = count;
    }
    return SN_OK;
}

// A first guess: the bone follows its seed.
static void followSeed(snBonesWork *w, int number, int seed)
{
    snJiggle *bone = &w->bones[number];
    size_t joints = (size_t)w->soft.bake->character->skeleton.jointCount;
    double weight = 1;
    for (int i = 0; i < bone->memberCount; i++)
        if (bone->members[i].vertex == seed) weight = (double)freeWeight(w, &bone->members[i]);
    for (size_t s = 0; s < (size_t)w->sampleCount; s++) {
        snAffine *move = &w->moves[s * (size_t)w->def->boneCount + (size_t)number];
        snMat3 g = w->space[s * joints + (size_t)bone->parent].linear;
        double size = snNormSquaredM(g);
        *move = snIdentityAffine();
        if (!(fabs(snDet(g)) > 1e-9 * size * sqrt(size))) continue;
        snVec3 left = snFromF(w->left[s * (size_t)w->vertexCount + (size_t)seed]);
        move->origin = snScale(1 / weight, snMulMV(snInverse3(g), left));
    }
}

// Those who follow it hardly do not follow it; the others book their influence.
static void settleMembers(snBonesWork *w, int number)
{
    snJiggle *bone = &w->bones[number];
    int count = 0;
    double total = 0;
    for (int i = 0; i < bone->memberCount; i++) {
        snBoneMember m = bone->members[i];
        if (m.weight < LEAST_SHARE) continue;
        if (!m.whole) w->vertices[m.vertex].shared++;
        bone->center = snMulAdd(bone->center, (double)m.weight, snFromF(m.q));
        total += (double)m.weight;
        bone->members[count++] = m;
    }
    bone->memberCount = count;
    if (total > 0) bone->center = snScale(1 / total, bone->center);
}

static snStatus makeBone(snBonesWork *w, int seed, int joint, snError *error)
{
    int number = w->boneCount;
    snJiggle *bone = &w->bones[number];
    *bone = (snJiggle){.parent = joint};
    snStatus status = gatherMembers(w, bone, error);
    if (status) return status;
    followSeed(w, number, seed);
    for (int turn = 0; turn < TURNS; turn++) {
        if (turn) moveBone(w, number);
        solveWeights(w, number);
    }
    settleMembers(w, number);
    if (bone->memberCount == 0) return SN_OK; // nobody follows
    moveBone(w, number);
    applyAll(w, number, -1);
    book(w, bone, 1);
    w->boneCount++;
    return SN_OK;
}

// Every bone again, with what all others do known.
static void sweep(snBonesWork *w)
{
    for (int b = 0; b < w->boneCount; b++) {
        applyAll(w, b, 1);
        book(w, &w->bones[b], -1);
        moveBone(w, b);
        solveWeights(w, b);
        moveBone(w, b);
        book(w, &w->bones[b], 1);
        applyAll(w, b, -1);
    }
}

snStatus snBones_Fit(snBonesWork *w, snError *error)
{
    double tolerance = w->def->tolerance * w->soft.bake->flesh->height;
    unsigned char *tried = SN_NEW(&w->soft.arena, unsigned char, w->vertexCount);
    if (!tried) return snFailMemory(error);
    snStatus status = SN_OK;
    for (int n = 0; n < 4 * w->def->boneCount && w->boneCount < w->def->boneCount && !status; n++) {
        int seed, joint = -1, before = w->boneCount;
        if (findSeed(w, tried, &seed, &joint) <= tolerance || seed < 0) break;
        status = makeBone(w, seed, joint, error);
        if (w->boneCount == before) tried[seed] = 1;
        if (!status && w->boneCount > before && w->boneCount % 4 == 0) sweep(w);
    }
    for (int k = 0; k < SWEEPS && !status; k++)
        sweep(w);
    return status;
}

void snBones_SolveFrame(const snBonesWork *w, const snAffine *space, snVec3f *left, snAffine *moves,
                        int rounds)
{
    for (int b = 0; b < w->boneCount; b++)
        snBones_Apply(w, b, space, &moves[b], -1, left);
    for (int r = 0; r < rounds; r++)
        for (int b = 0; b < w->boneCount; b++) {
            snBones_Apply(w, b, space, &moves[b], 1, left);
            solveMotion(w, &w->bones[b], space, left, &moves[b]);
            snBones_Apply(w, b, space, &moves[b], -1, left);
        }
}
