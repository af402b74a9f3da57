// A point of a character that is held somewhere is brought there by its skeleton, not by stretching flesh.
//
// A joint j of a chain is turned beyond its clip by a rotation vector r_j: rotation = clip * exp(r_j). In a step
//
//   - while some point of the chain is held, r_j goes down a little, by exp(-h/τ), so that a chain with more joints than it
//     needs comes to the turns nearest to its clip; then inverse kinematics turns it until the point's place on the rig
//     is where it is wanted;
//   - else r_j goes back to zero as a critically damped spring from where it is and as fast as it is: the way is
//     smooth when a point is let go.
//
// What is wanted. A point is taken hold of where flesh has it, which is not where the rig has it: they differ by what
// flesh lags behind, d. The rig is to be at T - s d, with s from 1 at first to 0 after an ease: what flesh held at first the
// skeleton takes over, without a jump. What is left at any time (flesh that lags, targets out of reach) is held by the
// point's constraint (point.h), to the last digit.
//
// A skinned point is on no joint alone. Inverse kinematics is told where it is in the frame of the joint that it hangs on
// most, in the pose at hand; in the pose that is found it is elsewhere in that frame, and the search is repeated with that. The
// other joints' share of its way is what the miss is multiplied by each time.
#include "body/lattice/flesh_body_parts.h"

#include "core/elementary.h"
#include "core/error.h"

#define ROUNDS 12      // of inverse kinematics in a step
#define MET 1e-11      // of the body's size: the rest is not looked for
#define NOTHING 1e-9   // radians: turns that are gone
#define STRETCHED 0.05 // of the body's size: more is not held by flesh, but out of reach

// ---- making -------------------------------------------------------------------------------------

// Joints that hold most of some vertex.
static void markDominant(const snFleshBody *b, bool *marks)
{
    const snWeightRows *skin = &b->flesh->skin;
    for (int v = 0; v < b->character->vertexCount; v++) {
        int best = -1;
        for (int k = skin->start[v]; k < skin->start[v + 1]; k++)
            if (best < 0 || skin->weight[k] > skin->weight[best]) best = k;
        if (best >= 0) marks[skin->column[best]] = true;
    }
}

// Turning the root of a skeleton would turn all of it.
static int chainRoot(const snSkeleton *skeleton, int joint)
{
    int root = snSkeleton_ChainRoot(skeleton, joint);
    return skeleton->joints[root].parent < 0 ? -1 : root;
}

static snStatus makeIk(snFleshBody *b, int joint, double most, snError *error)
{
    const snSkeleton *skeleton = &b->character->skeleton;
    snArena scratch = snMakeArena(&b->solid.context);
    snIkEffector effector = snDefaultIkEffector(joint);
    snIkDef def = snDefaultIkDef(skeleton);
    effector.root = b->rootOf[joint];
    def.effectors = &effector;
    def.effectorCount = 1;
    def.follow = true;
    snJointRange *ranges = SN_NEW(&scratch, snJointRange, most > 0 ? skeleton->jointCount : 0);
    snStatus status = ranges ? SN_OK : snFailMemory(error);
    for (int j = 0; j < skeleton->jointCount && !status && most > 0; j++)
        ranges[j] = snLimitedBall(snVec(1, 0, 0), most, most);
    if (most > 0) def.ranges = ranges;
    if (!status) status = snIk_Make(&b->iks[joint], &def, &b->solid.context, error);
    snArena_Destroy(&scratch);
    return status;
}

static snStatus checkReach(const snFleshBody *b, const snFleshReach *reach, snError *error)
{
    const snSkeleton *skeleton = &b->character->skeleton;
    int top = reach->joint;
    bool good = reach->joint >= 0 && reach->joint < skeleton->jointCount;
    while (good && top > reach->root && top >= 0)
        top = skeleton->joints[top].parent;
    if (good && (reach->root < 0 || top == reach->root)) return SN_OK;
    return snFail(error, SN_ERROR_ARGUMENT,
                  "joint %d is to be brought somewhere from joint %d on, which is not above it",
                  reach->joint, reach->root);
}

snStatus snFleshBody_MakeReach(snFleshBody *b, const snFleshBodyDef *def, snError *error)
{
    const snSkeleton *skeleton = &b->character->skeleton;
    snArena *arena = &b->solid.arena;
    int joints = skeleton->jointCount;
    b->rootOf = SN_NEW(arena, int, joints);
    b->iks = SN_NEW(arena, snIk *, joints);
    b->turned = SN_NEW(arena, bool, joints);
    b->played = SN_NEW(arena, snQuat, joints);
    b->brings = SN_NEW(arena, int, b->solid.body.mostPoints);
    double *most = SN_NEW(arena, double, joints);
    if (!b->rootOf || !b->iks || !b->turned || !b->played || !b->brings || !most)
        return snFailMemory(error);
    for (int j = 0; j < joints; j++)
        b->rootOf[j] = b->def.limp ? -1 : chainRoot(skeleton, j);
    snStatus status = SN_OK;
    for (int i = 0; i < def->reachCount && !status; i++) {
        const snFleshReach *reach = &def->reaches[i];
        status = checkReach(b, reach, error);
        if (status) break;
        b->rootOf[reach->joint] = b->def.limp ? -1 : reach->root;
        most[reach->joint] = reach->most;
    }
    markDominant(b, b->turned);
    for (int j = 0; j < joints && !status; j++)
        if (b->turned[j] && b->rootOf[j] >= 0) status = makeIk(b, j, most[j], error);
    return status;
}

void snFleshBody_DestroyReach(snFleshBody *b)
{
    for (int j = 0; b->iks && j < b->character->skeleton.jointCount; j++)
        snIk_Destroy(b->iks[j]);
}

// ---- points on the rig --------------------------------------------------------------------------

// Joint weights of a point: of the surface's vertices, or of the lattice's.
static const snWeightRows *rowsOf(const snFleshBody *b, const snSolidPoint *p, bool *onSurface)
{
    *onSurface = p->share[0] != 0 || p->share[1] != 0 || p->share[2] != 0;
    return *onSurface ? &b->flesh->skin : &b->flesh->weights;
}

static double weightOf(const snFleshBody *b, const snSolidPoint *p, int joint)
{
    bool surface;
    const snWeightRows *rows = rowsOf(b, p, &surface);
    double sum = 0;
    for (int i = 0; i < (surface ? 3 : p->count); i++) {
        int row = surface ? p->corner[i] : p->vertex[i];
        double share = surface ? p->share[i] : p->weight[i];
        for (int k = rows->start[row]; k < rows->start[row + 1]; k++)
            if (rows->column[k] == joint) sum += share * rows->weight[k];
    }
    return sum;
}

// The joint that a point hangs on most; -1: on none.
static int jointOf(const snFleshBody *b, const snSolidPoint *p)
{
    bool surface;
    const snWeightRows *rows = rowsOf(b, p, &surface);
    int best = -1;
    double most = 0;
    for (int i = 0; i < (surface ? 3 : p->count); i++) {
        int row = surface ? p->corner[i] : p->vertex[i];
        for (int k = rows->start[row]; k < rows->start[row + 1]; k++) {
            double weight = weightOf(b, p, rows->column[k]);
            bool more = weight > most || (weight == most && rows->column[k] < best);
            if (weight > 0 && more) best = rows->column[k], most = weight;
        }
    }
    return best;
}

static snVec3 drawnVertex(const snFleshBody *b, int vertex)
{
    int part = 0;
    while (b->first[part + 1] <= vertex)
        part++;
    return snCharacter_SurfacePoint(b->character, &b->pose, &b->character->parts[part],
                                    vertex - b->first[part]);
}

// p_a = Σ_j w_aj T_j r_a.
static snVec3 latticeVertex(const snFleshBody *b, int vertex)
{
    const snWeightRows *rows = &b->flesh->weights;
    snVec3 rest = b->flesh->lattice.rest[vertex], sum = {0, 0, 0};
    for (int k = rows->start[vertex]; k < rows->start[vertex + 1]; k++) {
        int j = rows->column[k];
        snAffine turn = snMulAA(b->pose.global[j], b->flesh->fromRest[j]);
        sum = snMulAdd(sum, rows->weight[k], snMulAP(turn, rest));
    }
    return sum;
}

// Where the rig has a point in the present pose.
static snVec3 rigged(const snFleshBody *b, const snSolidPoint *p)
{
    bool surface;
    snVec3 sum = {0, 0, 0};
    rowsOf(b, p, &surface);
    for (int i = 0; i < 3 && surface; i++)
        if (p->share[i] != 0) sum = snMulAdd(sum, p->share[i], drawnVertex(b, p->corner[i]));
    for (int i = 0; i < p->count && !surface; i++)
        sum = snMulAdd(sum, p->weight[i], latticeVertex(b, p->vertex[i]));
    return sum;
}

// What flesh has of a point beyond the rig: Σ w (x - p), before the step.
static snVec3 softPart(const snFleshBody *b, const snSolidPoint *p)
{
    const snLatticeState *state = b->solid.state;
    snVec3 sum = {0, 0, 0};
    for (int k = 0; k < p->count; k++) {
        const double *x = state->position + 4 * (size_t)p->index[k];
        const double *r = state->rig + 4 * (size_t)p->index[k];
        sum = snMulAdd(sum, p->weight[k], snVec(x[0] - r[0], x[1] - r[1], x[2] - r[2]));
    }
    return sum;
}

// ---- turns --------------------------------------------------------------------------------------

// The joint whose chain is to bring a point somewhere: it is held, and no other point turns that; -1: none. Marks it.
static int claim(snFleshBody *b, int point)
{
    const snSkeleton *skeleton = &b->character->skeleton;
    if (!b->solid.held[point]) return -1;
    int joint = jointOf(b, &b->solid.points[point]);
    if (joint < 0 || !b->iks[joint]) return -1;
    int root = b->rootOf[joint];
    for (int j = joint; j >= root && j >= 0; j = skeleton->joints[j].parent)
        if (b->turned[j]) return -1;
    for (int j = joint; j >= root && j >= 0; j = skeleton->joints[j].parent)
        b->turned[j] = true;
    return joint;
}

// x'' = -2 ω x' - ω² x, exactly.
static void goBack(snFleshTurn *t, double omega, double h)
{
    double share = snExp(-omega * h);
    snVec3 slope = snMulAdd(t->rate, omega, t->turn);
    t->turn = snScale(share, snMulAdd(t->turn, h, slope));
    t->rate = snScale(share, snMulAdd(t->rate, -omega * h, slope));
    bool gone = snLength(t->turn) < NOTHING && snLength(t->rate) < NOTHING;
    if (gone) *t = (snFleshTurn){{0, 0, 0}, {0, 0, 0}};
}

static void turnBy(snFleshBody *b, int joint, snVec3 turn)
{
    bool any = snLengthSquared(turn) > 0;
    snQuat rotation = b->played[joint];
    if (any) rotation = snNormalizeQ(snMulQQ(rotation, snQuatFromVector(turn)));
    b->pose.local[joint].rotation = rotation;
}

static bool isTurned(const snFleshTurn *t)
{
    return snLengthSquared(t->turn) > 0 || snLengthSquared(t->rate) > 0;
}

// The clip's rotations with the turns; those of chains that are held are the first guess. False: there is nothing to turn.
static bool turnJoints(snFleshBody *b, double h)
{
    const snSkeleton *skeleton = &b->character->skeleton;
    bool any = false;
    for (int j = 0; j < skeleton->jointCount; j++) {
        snFleshTurn *t = &b->turns[j];
        b->played[j] = b->pose.local[j].rotation;
        any |= b->turned[j] || isTurned(t);
        if (!isTurned(t)) continue;
        if (!b->turned[j]) goBack(t, 2 / b->def.ease, h);
        turnBy(b, j, b->turned[j] ? snScale(snExp(-h / b->def.ease), t->turn) : t->turn);
    }
    if (any) snPose_Globals(&b->pose, skeleton);
    return any;
}

// The pose is that of the clip and the turns, and nothing else: whoever has these finds it again.
static void showTurns(snFleshBody *b)
{
    for (int j = 0; j < b->character->skeleton.jointCount; j++)
        turnBy(b, j, b->turns[j].turn);
    snPose_Globals(&b->pose, &b->character->skeleton);
}

void snFleshBody_ShowTurns(snFleshBody *b)
{
    bool any = false;
    for (int j = 0; j < b->character->skeleton.jointCount; j++) {
        b->played[j] = b->pose.local[j].rotation;
        any |= isTurned(&b->turns[j]);
    }
    if (any) showTurns(b);
}

// What was found, as turns beyond the clip.
static void keepTurns(snFleshBody *b, int joint, double h)
{
    const snSkeleton *skeleton = &b->character->skeleton;
    int root = b->rootOf[joint];
    for (int j = joint; j >= root && j >= 0; j = skeleton->joints[j].parent) {
        snQuat beyond = snMulQQ(snConjugate(b->played[j]), b->pose.local[j].rotation);
        snVec3 turn = snQuatToVector(snNormalizeQ(beyond));
        b->turns[j].rate = snScale(1 / h, snSub(turn, b->turns[j].turn));
        b->turns[j].turn = turn;
    }
}

static double fade(double u)
{
    return u >= 1 ? 0 : 1 - u * u * (3 - 2 * u);
}

// In the character's own frame.
static snVec3 wantedPlace(const snFleshBody *b, int point, const snAffine *place)
{
    const snSolidBody *solid = &b->solid;
    const snFleshAim *aim = &b->aims[point];
    int64_t end = b->clock->ticks + (solid->step.ticks > 0 ? solid->step.ticks : 1);
    double s = fade((double)(end - (aim->begun - 1)) * solid->body.step / b->def.ease);
    snVec3 wanted = snMulAdd(solid->target[point], -s, aim->soft);
    return snMulAP(snInverseAffine(*place), wanted);
}

static void bring(snFleshBody *b, int point, int joint, const snAffine *place)
{
    const snSolidPoint *p = &b->solid.points[point];
    snFleshAim *aim = &b->aims[point];
    if (!aim->begun) *aim = (snFleshAim){b->clock->ticks + 1, softPart(b, p), 0};
    snVec3 wanted = wantedPlace(b, point, place), at = rigged(b, p);
    double met = MET * b->solid.surface.size;
    for (int round = 0; round < ROUNDS && snDistance(at, wanted) > met; round++) {
        snIk_SetPoint(b->iks[joint], 0, snMulAP(snInverseAffine(b->pose.global[joint]), at));
        snIk_SetTarget(b->iks[joint], 0, wanted, snIdentityQuat(), NULL);
        snIk_Solve(b->iks[joint], &b->pose, NULL);
        at = rigged(b, p);
    }
    aim->miss = snDistance(at, wanted);
    keepTurns(b, joint, b->solid.step.length);
}

// Chains that hang on others come after them: hooves stay where they are held while the back that they hang on turns.
void snFleshBody_Reach(snFleshBody *b, const snAffine *place)
{
    int points = b->solid.body.mostPoints, joints = b->character->skeleton.jointCount;
    for (int j = 0; j < joints; j++)
        b->turned[j] = false;
    for (int i = 0; i < points; i++) {
        b->brings[i] = claim(b, i);
        if (b->brings[i] < 0) b->aims[i] = (snFleshAim){0};
    }
    if (!turnJoints(b, b->solid.step.length)) return;
    for (int root = 0; root < joints; root++)
        for (int i = 0; i < points; i++)
            if (b->brings[i] >= 0 && b->rootOf[b->brings[i]] == root)
                bring(b, i, b->brings[i], place);
    showTurns(b);
}

// ---- what is out of reach -----------------------------------------------------------------------

// No farther from the topmost joint that turns than the chain is long, stretched out; and while it is held, what it could
// not be brought to.
double snFleshBody_Beyond(const snSolidBody *solid, int point, snVec3 place)
{
    const snFleshBody *b = (const snFleshBody *)solid;
    const snSolidPoint *p = &solid->points[point];
    int joint = jointOf(b, p), root = joint >= 0 && b->iks[joint] ? b->rootOf[joint] : -1;
    if (root < 0) return 0;
    snVec3 tip = snBody_Place(&solid->body, point);
    double length = 0, miss = b->aims[point].miss;
    for (int j = joint; j >= root && j >= 0; j = b->character->skeleton.joints[j].parent) {
        length += snDistance(tip, b->pose.global[j].origin);
        tip = b->pose.global[j].origin;
    }
    double far = fmax(snDistance(place, tip) - length, 0);
    return miss > STRETCHED * solid->surface.size ? fmax(far, miss) : far;
}
