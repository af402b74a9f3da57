// From a posture to joint rotations. The trunk turns as the posture says; each leg reaches for its
// hoof's place by the two-bone construction; ears, horns and tail are left to the simulation.
#include "demo.h"

#include "core/elementary.h"

static const double degree = SN_PI / 180.0;

static snQuat turnOf(snDemoTurn turn)
{
    snQuat yaw = snQuatFromAxisAngle(snVec(0, 1, 0), turn.yaw * degree);
    snQuat pitch = snQuatFromAxisAngle(snVec(1, 0, 0), turn.pitch * degree);
    snQuat roll = snQuatFromAxisAngle(snVec(0, 0, 1), turn.roll * degree);
    return snMulQQ(yaw, snMulQQ(pitch, roll));
}

// How a joint stands in the world while a posture is solved.
typedef struct Stand {
    snQuat turn;
    snVec3 place;
} Stand;

static snVec3 restOffset(int joint)
{
    return snSub(snDemo_JointPlace(joint), snDemo_JointPlace(snDemo_Bone(joint)->parent));
}

static Stand follow(Stand parent, int joint, snQuat local)
{
    snVec3 place = snAdd(parent.place, snRotate(parent.turn, restOffset(joint)));
    return (Stand){snMulQQ(parent.turn, local), place};
}

// The rotation of a frame whose y axis is along `axis` and whose z axis leans towards `lean`.
static snMat3 frame(snVec3 axis, snVec3 lean)
{
    snVec3 x = snNormalizeOr(snCross(axis, lean), snVec(1, 0, 0));
    return (snMat3){x, axis, snCross(x, axis)};
}

// The turn that takes a bone from its rest direction to a new one, keeping its side.
static snQuat swing(snVec3 restBone, snVec3 bone, snVec3 lean)
{
    snMat3 from = frame(snNormalizeOr(restBone, snVec(0, -1, 0)), snVec(0, 0, 1));
    snMat3 to = frame(snNormalizeOr(bone, snVec(0, -1, 0)), lean);
    return snQuatFromMat(snMulMM(to, snTranspose(from)));
}

// min(d, limit) with a rounded corner, so that a leg that runs out of length does not snap.
static double softLimit(double d, double limit)
{
    const double soft = 0.02 * limit;
    if (d < limit - soft) return d;
    double over = (d - (limit - soft)) / soft;
    return limit - soft + soft * over / (1.0 + over);
}

// The lowest point of a hoof that is turned by `pitch`, below its joint: toe or heel of the sole.
static double soleDepth(double pitch)
{
    const double height = 0.125, toe = 0.10, heel = 0.07; // of the ankle above, ahead, behind
    double sine, cosine;
    snSinCos(pitch * degree, &sine, &cosine);
    double atToe = height * cosine + toe * sine, atHeel = height * cosine - heel * sine;
    return atToe > atHeel ? atToe : atHeel;
}

// Where the ankle has to be. A turned hoof is lifted so that its sole does not cut the ground.
static snVec3 ankleTarget(const snDemoFoot *foot, const Stand *root, int ankle)
{
    snVec3 rest = snDemo_JointPlace(ankle);
    snVec3 world = snAdd(rest, foot->move);
    snVec3 inBody = snSub(world, snDemo_JointPlace(DEMO_ROOT));
    inBody = snAdd(root->place, snRotate(root->turn, inBody));
    snVec3 target = snLerp(world, inBody, foot->inBody);
    double lift = soleDepth(foot->pitch) - rest.y;
    target.y += lift > 0.0 ? lift : 0.0;
    return target;
}

// Upper bone a, lower bone b, distance d from hip to ankle: the knee is c along the line and s
// beside it, with c = (a² + d² - b²) / 2d and s² = a² - c². Front knees bend forwards, hocks back.
static void solveLeg(const snDemoPosture *posture, int which, Stand parent, const Stand *root,
                     snTransform *local)
{
    int hip = DEMO_LEG_FL + 3 * which;
    snVec3 upper = restOffset(hip + 1), lower = restOffset(hip + 2);
    snVec3 from = snAdd(parent.place, snRotate(parent.turn, restOffset(hip)));
    snVec3 to = snSub(ankleTarget(&posture->feet[which], root, hip + 2), from);
    double a = snLength(upper), b = snLength(lower);
    double d = softLimit(snLength(to), 0.995 * (a + b));
    double c = (a * a + d * d - b * b) / (2.0 * d), ss = a * a - c * c;
    snVec3 line = snNormalizeOr(to, snVec(0, -1, 0));
    snVec3 ahead = snRotate(parent.turn, snVec(0, 0, 1));
    snVec3 bend = snNormalizeOr(snMulAdd(ahead, -snDot(ahead, line), line), ahead);
    double s = (which < 2 ? 1.0 : -1.0) * sqrt(ss > 0.0 ? ss : 0.0);
    snVec3 knee = snMulAdd(snScale(c, line), s, bend);
    snQuat upperTurn = swing(upper, knee, ahead);
    snQuat lowerTurn = swing(lower, snSub(snScale(d, line), knee), ahead);
    double carried = posture->feet[which].inBody;
    snQuat hoof = snSlerp(snIdentityQuat(), root->turn, carried);
    snDemoTurn pitch = {posture->feet[which].pitch, 0, 0};
    hoof = snMulQQ(hoof, turnOf(pitch));
    local[hip].rotation = snMulQQ(snConjugate(parent.turn), upperTurn);
    local[hip + 1].rotation = snMulQQ(snConjugate(upperTurn), lowerTurn);
    local[hip + 2].rotation = snMulQQ(snConjugate(lowerTurn), hoof);
}

void snDemo_SolvePosture(const snDemoPosture *posture, snTransform *local)
{
    for (int j = 0; j < DEMO_JOINTS; j++) {
        snVec3 offset = j == DEMO_ROOT ? snDemo_JointPlace(j) : restOffset(j);
        local[j] = (snTransform){offset, snIdentityQuat(), snVec(1, 1, 1)};
    }
    local[DEMO_ROOT].translation = snAdd(local[DEMO_ROOT].translation, posture->move);
    local[DEMO_ROOT].rotation = turnOf(posture->root);
    local[DEMO_SPINE].rotation = turnOf(posture->spine);
    local[DEMO_CHEST].rotation = turnOf(posture->chest);
    local[DEMO_NECK].rotation = turnOf(posture->neck);
    local[DEMO_HEAD].rotation = turnOf(posture->head);
    Stand root = {local[DEMO_ROOT].rotation, local[DEMO_ROOT].translation};
    Stand spine = follow(root, DEMO_SPINE, local[DEMO_SPINE].rotation);
    Stand chest = follow(spine, DEMO_CHEST, local[DEMO_CHEST].rotation);
    for (int which = 0; which < 4; which++)
        solveLeg(posture, which, which < 2 ? chest : root, &root, local);
}
