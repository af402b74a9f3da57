// Names for a proposed skeleton. Names choose tissue (tissue.h), so a wrong one does harm and a
// neutral one does not: legs, heads, tails, ears and horns are named only where the whole fits the
// picture of an animal that stands on two or four legs, and every test that fails leaves numbers:
//     body, spine_1, branch_2_3
#include "character/propose_parts.h"

#include "core/elementary.h"

#include <stdio.h>
#include <string.h>

enum { MOST_LIMBS = 64 };

typedef enum Kind { NEUTRAL, LEG, ARM, EAR, HORN } Kind;

// What hangs on the middle and has a mirror image.
typedef struct Limb {
    int first;  // its first joint
    int attach; // the central joint that it hangs on
    int lowest; // its lowest joint
    Kind kind;
} Limb;

typedef struct Namer {
    snProposal *proposal;
    snVec3 up;
    double ground, height; // of the surface along `up`
    int limbCount;
    Limb limbs[MOST_LIMBS];
} Namer;

static const snProposed *jointOf(const Namer *namer, int j)
{
    return &namer->proposal->joints[j];
}

static double heightOf(const Namer *namer, int j)
{
    return snDot(namer->up, jointOf(namer, j)->at) - namer->ground;
}

static void nameIt(const Namer *namer, int j, const char *word, int number)
{
    char *name = namer->proposal->joints[j].name;
    if (number > 0)
        snprintf(name, SN_PROPOSED_NAME, "%s_%d", word, number);
    else
        snprintf(name, SN_PROPOSED_NAME, "%s", word);
}

// ---- the shape of the tree ----

static int childCount(const Namer *namer, int j)
{
    int count = 0;
    for (int k = j + 1; k < namer->proposal->count; k++)
        count += jointOf(namer, k)->parent == j;
    return count;
}

static bool isBelow(const Namer *namer, int j, int top)
{
    while (j >= 0 && j != top)
        j = jointOf(namer, j)->parent;
    return j == top;
}

// The limb that a joint belongs to, or -1.
static int limbOf(const Namer *namer, int j)
{
    for (; j >= 0 && !jointOf(namer, j)->central; j = jointOf(namer, j)->parent)
        for (int l = 0; l < namer->limbCount; l++)
            if (namer->limbs[l].first == j) return l;
    return -1;
}

static void collectLimbs(Namer *namer)
{
    for (int j = 1; j < namer->proposal->count; j++) {
        const snProposed *joint = jointOf(namer, j);
        if (joint->central) continue;
        if (jointOf(namer, joint->parent)->central && namer->limbCount < MOST_LIMBS)
            namer->limbs[namer->limbCount++] = (Limb){j, joint->parent, j, NEUTRAL};
        int l = limbOf(namer, j);
        if (l >= 0 && heightOf(namer, j) < heightOf(namer, namer->limbs[l].lowest))
            namer->limbs[l].lowest = j;
    }
}

static void nameLimb(const Namer *namer, int limb, const char *word)
{
    for (int j = 1, number = 0; j < namer->proposal->count; j++)
        if (limbOf(namer, j) == limb) nameIt(namer, j, word, ++number);
}

// ---- neutral names ----

static void nameNeutrally(const Namer *namer)
{
    char word[SN_PROPOSED_NAME / 2];
    int spine = 0;
    nameIt(namer, 0, "body", 0);
    for (int j = 1, number = 0; j < namer->proposal->count; j++) {
        const snProposed *joint = jointOf(namer, j);
        if (joint->central) {
            nameIt(namer, j, "spine", ++spine);
            continue;
        }
        number = joint->chain == jointOf(namer, j - 1)->chain ? number + 1 : 1;
        snprintf(word, sizeof word, "branch_%d", joint->chain);
        nameIt(namer, j, word, number);
    }
}

// ---- legs ----

// Legs reach the ground and come from well above it.
static int findLegs(Namer *namer, int legs[MOST_LIMBS])
{
    int count = 0;
    for (int l = 0; l < namer->limbCount; l++) {
        Limb *limb = &namer->limbs[l];
        double foot = heightOf(namer, limb->lowest), top = heightOf(namer, limb->attach);
        if (foot > 0.15 * namer->height || top - foot < 0.15 * namer->height) continue;
        limb->kind = LEG;
        legs[count++] = l;
    }
    return count;
}

// ---- which way it faces ----

static double along(const Namer *namer, snVec3 axis, int j)
{
    return snDot(axis, jointOf(namer, j)->at);
}

// The horizontal direction from one pair of feet to the other.
static snVec3 axisOfLegs(const Namer *namer, int a, int b)
{
    snVec3 way = snSub(jointOf(namer, namer->limbs[a].lowest)->at,
                       jointOf(namer, namer->limbs[b].lowest)->at);
    way = snMulAdd(way, -snDot(way, namer->up), namer->up);
    return snNormalizeOr(way, snVec(0, 0, 0));
}

// The end of the middle that reaches farthest along the axis, or -1.
static int endAlong(const Namer *namer, snVec3 axis)
{
    int best = -1;
    for (int j = 1; j < namer->proposal->count; j++) {
        if (!jointOf(namer, j)->central || childCount(namer, j) > 0) continue;
        if (best < 0 || along(namer, axis, j) > along(namer, axis, best)) best = j;
    }
    return best;
}

// Pairs on the half of the body towards the axis, other than legs, that sit above its middle.
static int pairsTowards(const Namer *namer, snVec3 axis, double middle)
{
    int count = 0;
    for (int l = 0; l < namer->limbCount; l++) {
        int attach = namer->limbs[l].attach;
        count += namer->limbs[l].kind == NEUTRAL && along(namer, axis, attach) > middle &&
                 heightOf(namer, attach) > heightOf(namer, 0);
    }
    return count;
}

// Ears and horns show the head; else the end that is both thicker and higher. Zero: not known.
static snVec3 findForward(const Namer *namer, int a, int b)
{
    snVec3 axis = axisOfLegs(namer, a, b), back = snNeg(axis);
    int footA = namer->limbs[a].lowest, footB = namer->limbs[b].lowest;
    double middle = 0.5 * (along(namer, axis, footA) + along(namer, axis, footB));
    int ahead = pairsTowards(namer, axis, middle), behind = pairsTowards(namer, back, -middle);
    if (ahead > 0 && behind == 0) return axis;
    if (behind > 0 && ahead == 0) return back;
    int first = endAlong(namer, axis), last = endAlong(namer, back);
    if (ahead > 0 || first < 0 || last < 0 || first == last) return snVec(0, 0, 0);
    int beforeFirst = jointOf(namer, first)->parent, beforeLast = jointOf(namer, last)->parent;
    double thick = jointOf(namer, beforeFirst)->radius, other = jointOf(namer, beforeLast)->radius;
    double rise = heightOf(namer, first) - heightOf(namer, last);
    if (thick > 1.5 * other && rise > 0.1 * namer->height) return axis;
    if (other > 1.5 * thick && rise < -0.1 * namer->height) return back;
    return snVec(0, 0, 0);
}

// ---- ears and horns ----

// How flat a limb is in its middle: the largest over the smallest of its thicknesses across.
static double flatness(const Namer *namer, const Limb *limb)
{
    enum { DIRECTIONS = 12 };
    int next = limb->first;
    for (int j = limb->first + 1; j < namer->proposal->count && next == limb->first; j++)
        if (jointOf(namer, j)->parent == limb->first) next = j;
    if (next == limb->first) return 1.0;
    snVec3 a = jointOf(namer, limb->first)->at, b = jointOf(namer, next)->at;
    snVec3 middle = snLerp(a, b, 0.5), u = snNormalizeOr(snSub(b, a), snVec(0, 1, 0));
    snVec3 v = snPerpendicular(u), w = snCross(u, v);
    double least = 1e300, most = 0.0;
    for (int i = 0; i < DIRECTIONS; i++) {
        double sine, cosine;
        snSinCos(SN_PI * i / DIRECTIONS, &sine, &cosine);
        snVec3 d = snMulAdd(snScale(cosine, v), sine, w);
        const snMeshTree *tree = &namer->proposal->solid->tree;
        snSurfacePoint one = snMeshTree_Ray(tree, middle, d, 1e300);
        snSurfacePoint two = snMeshTree_Ray(tree, middle, snNeg(d), 1e300);
        if (one.triangle < 0 || two.triangle < 0) return 1.0;
        least = fmin(least, one.distance + two.distance);
        most = fmax(most, one.distance + two.distance);
    }
    return least > 0.0 ? most / least : 1.0;
}

static double sideOf(const Namer *namer, const Limb *limb)
{
    double farthest = 0.0;
    for (int j = limb->first; j < namer->proposal->count; j++)
        if (isBelow(namer, j, limb->first))
            farthest = fmax(farthest,
                            fabs(snMirror_Side(&namer->proposal->mirror, jointOf(namer, j)->at)));
    return farthest;
}

static double topOf(const Namer *namer, const Limb *limb)
{
    double top = 0.0;
    for (int j = limb->first; j < namer->proposal->count; j++)
        if (isBelow(namer, j, limb->first)) top = fmax(top, heightOf(namer, j));
    return top;
}

// Of two pairs, horns stand higher and nearer to each other; or ears are flat and horns round. A
// single pair is ears if it is flat.
static void tellEarsFromHorns(Namer *namer, int head)
{
    Limb *pairs[2] = {NULL, NULL};
    int count = 0;
    for (int l = 0; l < namer->limbCount; l++) {
        if (namer->limbs[l].kind != NEUTRAL || !isBelow(namer, namer->limbs[l].attach, head))
            continue;
        if (count < 2) pairs[count] = &namer->limbs[l];
        count++;
    }
    if (count == 1 && flatness(namer, pairs[0]) > 1.7) pairs[0]->kind = EAR;
    if (count != 2) return;
    for (int i = 0; i < 2; i++) {
        Limb *horn = pairs[i], *ear = pairs[1 - i];
        bool higher = topOf(namer, horn) > topOf(namer, ear) + 0.04 * namer->height;
        bool inner = 1.3 * sideOf(namer, horn) < sideOf(namer, ear);
        bool flatter = flatness(namer, ear) > 1.7 && flatness(namer, horn) < 1.45;
        if (!(higher && inner) && !flatter) continue;
        horn->kind = HORN;
        ear->kind = EAR;
        return;
    }
}

// ---- head, neck, tail ----

// Where the head begins: the fork of its ears, or one closer to the body that is within the head's
// own ball (where the snout leaves); without ears the last bone, if it is not the trunk's. -1: not
// known.
static int findHead(const Namer *namer, snVec3 forward, int frontLeg)
{
    int head = -1, shoulders = namer->limbs[frontLeg].attach;
    for (int l = 0; l < namer->limbCount; l++) {
        const Limb *limb = &namer->limbs[l];
        if (limb->kind != NEUTRAL ||
            along(namer, forward, limb->attach) <= along(namer, forward, 0))
            continue;
        if (head < 0 || isBelow(namer, head, limb->attach)) head = limb->attach;
    }
    if (head < 0) {
        int end = endAlong(namer, forward);
        head = end > 0 ? jointOf(namer, end)->parent : -1;
        return head <= 0 || isBelow(namer, shoulders, head) ? -1 : head;
    }
    for (int up = jointOf(namer, head)->parent; up > 0; up = jointOf(namer, up)->parent) {
        bool close = snDistance(jointOf(namer, up)->at, jointOf(namer, head)->at) <
                     jointOf(namer, up)->radius;
        if (!close || childCount(namer, up) < 2 || isBelow(namer, shoulders, up)) break;
        head = up;
    }
    return head <= 0 || isBelow(namer, shoulders, head) ? -1 : head;
}

static void nameHead(Namer *namer, int head, int shoulders)
{
    int number = 0, necks = 0;
    for (int j = head; j < namer->proposal->count; j++)
        if (jointOf(namer, j)->central && isBelow(namer, j, head))
            nameIt(namer, j, "head", number++ ? number : 0);
    for (int j = jointOf(namer, head)->parent; j > 0 && !isBelow(namer, shoulders, j);
         j = jointOf(namer, j)->parent)
        necks++;
    for (int j = jointOf(namer, head)->parent; necks > 0; j = jointOf(namer, j)->parent)
        nameIt(namer, j, "neck", necks--);
}

// A chain in the middle that leads backwards from behind the hind legs and is thinner than the body;
// the rump itself is as thick.
static void nameTail(const Namer *namer, snVec3 forward, int hindLeg)
{
    int tail = endAlong(namer, snNeg(forward)), hips = namer->limbs[hindLeg].attach;
    if (tail < 0 || along(namer, forward, tail) >= along(namer, forward, hips)) return;
    int chain = jointOf(namer, tail)->chain, count = 0;
    double thickest = 0.0;
    for (int j = tail; jointOf(namer, j)->chain == chain; j = jointOf(namer, j)->parent, count++)
        thickest = fmax(thickest, jointOf(namer, j)->radius);
    if (thickest > 0.75 * jointOf(namer, 0)->radius) return;
    for (int j = tail; count > 0; j = jointOf(namer, j)->parent)
        nameIt(namer, j, "tail", count--);
}

// ---- animals ----

static void setForward(Namer *namer, snVec3 forward)
{
    snVec3 left = snCross(namer->up, forward);
    namer->proposal->leftIsNormal = snDot(left, namer->proposal->mirror.normal) > 0.0;
}

static void nameQuadruped(Namer *namer, int a, int b)
{
    snVec3 forward = findForward(namer, a, b);
    if (snLength(forward) == 0.0) {
        nameLimb(namer, a, "leg_1");
        nameLimb(namer, b, "leg_2");
        return;
    }
    bool first = along(namer, forward, namer->limbs[a].lowest) >
                 along(namer, forward, namer->limbs[b].lowest);
    int front = first ? a : b, hind = first ? b : a;
    setForward(namer, forward);
    nameLimb(namer, front, "leg_front");
    nameLimb(namer, hind, "leg_hind");
    nameTail(namer, forward, hind);
    int head = findHead(namer, forward, front);
    if (head < 0) return;
    nameHead(namer, head, namer->limbs[front].attach);
    tellEarsFromHorns(namer, head);
}

// On two legs: the last bone of the middle is the head if it ends at the top; a single other pair,
// that hangs above the legs and below the head, is arms.
static void nameBiped(Namer *namer, int leg)
{
    int top = endAlong(namer, namer->up), pairs = 0, arms = -1;
    nameLimb(namer, leg, "leg");
    if (top < 0 || heightOf(namer, top) < 0.8 * namer->height) return;
    for (int l = 0; l < namer->limbCount; l++) {
        if (namer->limbs[l].kind != NEUTRAL) continue;
        pairs++;
        arms = l;
    }
    int head = jointOf(namer, top)->parent;
    if (pairs != 1 || head <= 0) return;
    int shoulders = namer->limbs[arms].attach;
    if (heightOf(namer, shoulders) <= heightOf(namer, namer->limbs[leg].attach)) return;
    if (!isBelow(namer, top, shoulders)) return;
    namer->limbs[arms].kind = ARM;
    if (head != shoulders && isBelow(namer, head, shoulders)) nameHead(namer, head, shoulders);
}

static void nameAnimal(Namer *namer)
{
    int legs[MOST_LIMBS];
    int count = findLegs(namer, legs);
    if (count == 1) nameBiped(namer, legs[0]);
    if (count == 2) nameQuadruped(namer, legs[0], legs[1]);
    for (int l = 0; l < namer->limbCount; l++) {
        static const char *const words[] = {NULL, NULL, "arm", "ear", "horn"};
        const char *word = words[namer->limbs[l].kind];
        if (word) nameLimb(namer, l, word);
    }
}

// Joints of the middle that have no better name, numbered through again.
static void renumberSpine(const Namer *namer)
{
    int number = 0;
    for (int j = 1; j < namer->proposal->count; j++)
        if (!strncmp(jointOf(namer, j)->name, "spine_", 6)) nameIt(namer, j, "spine", ++number);
}

// Where nothing tells, a character looks along z (or x) as glTF has it.
static snVec3 usualForward(const Namer *namer)
{
    snVec3 f = snNormalizeOr(snCross(namer->proposal->mirror.normal, namer->up), snVec(0, 0, 1));
    return f.z < -1e-9 || (f.z < 1e-9 && f.x < 0.0) ? snNeg(f) : f;
}

void snProposal_NameJoints(snProposal *proposal)
{
    Namer namer = {.proposal = proposal, .up = proposal->def->up};
    const snMesh *mesh = &proposal->solid->mesh;
    double lower = 1e300, upper = -1e300;
    for (int i = 0; i < 3 * mesh->triangleCount; i++) {
        double y = snDot(namer.up, mesh->positions[mesh->triangles[i]]);
        lower = fmin(lower, y);
        upper = fmax(upper, y);
    }
    namer.ground = lower;
    namer.height = upper - lower;
    nameNeutrally(&namer);
    if (!proposal->mirror.found || fabs(snDot(proposal->mirror.normal, namer.up)) > 0.3) return;
    setForward(&namer, usualForward(&namer));
    collectLimbs(&namer);
    nameAnimal(&namer);
    renumberSpine(&namer);
}
