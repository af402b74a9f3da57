// Bumble's skin weights: smooth flesh, and horn that does not bend.
#include "demo.h"

#include "core/elementary.h"
#include "core/error.h"

static double boneDistance(int j, snVec3 point)
{
    const snDemoBone *bone = snDemo_Bone(j);
    snVec3 along = snSub(bone->end, bone->place), to = snSub(point, bone->place);
    double t = snClamp(snDot(to, along) / snLengthSquared(along), 0.0, 1.0);
    double radius = (1.0 - t) * bone->radius[0] + t * bone->radius[1];
    return snLength(snMulAdd(to, -t, along)) - radius;
}

static double nearestRegion(const snLumps *body, const snDemoRegion *regions, int count,
                            snVec3 point)
{
    double nearest = 1e300;
    for (int i = 0; i < count; i++) {
        double here = snLumps_Region(body, (int)regions[i], point);
        if (here < nearest) nearest = here;
    }
    return nearest;
}

// How far the point is from the flesh of each joint: distance to its bone less the radius there.
// Head and trunk are no cones: their flesh is all of their shapes. The head does not bend; the
// trunk's joints share theirs by how much nearer one bone is than another.
static void fleshDistances(const snLumps *body, snVec3 point, double distance[DEMO_JOINTS])
{
    const snDemoRegion head[] = {REGION_HEAD, REGION_MUZZLE, REGION_FORELOCK, REGION_HORNS};
    const snDemoRegion trunk[] = {REGION_TORSO, REGION_CREST};
    double nearest = 1e300;
    for (int j = 0; j < DEMO_JOINTS; j++) {
        distance[j] = boneDistance(j, point);
        if (j <= DEMO_NECK && distance[j] < nearest) nearest = distance[j];
    }
    double torso = nearestRegion(body, trunk, 2, point);
    for (int j = 0; j <= DEMO_NECK; j++)
        distance[j] += torso - nearest;
    distance[DEMO_HEAD] = nearestRegion(body, head, 4, point);
}

// Weights fall off as exp(-d / σ) with the distance d from the flesh beyond that of the nearest
// joint. Bones of a chain are equally near at their common joint, so one passes smoothly into the
// other over about a limb's radius.
static void flesh(const snLumps *body, snVec3 point, double weights[DEMO_JOINTS])
{
    double nearest = 1e300;
    fleshDistances(body, point, weights);
    for (int j = 0; j < DEMO_JOINTS; j++)
        if (weights[j] < nearest) nearest = weights[j];
    for (int j = 0; j < DEMO_JOINTS; j++) {
        double sigma = j <= DEMO_NECK ? 0.04 : 0.025; // the trunk bends more gently than limbs
        bool horny = j == DEMO_HORN_L || j == DEMO_HORN_R ||
                     (j >= DEMO_LEG_FL && (j - DEMO_LEG_FL) % 3 == 2);
        weights[j] = horny ? 0.0 : snExp((nearest - weights[j]) / sigma);
    }
}

// Gives joint j the share `part` of all weights and leaves the rest to the others.
static void takeShare(double weights[DEMO_JOINTS], int j, double part)
{
    double sum = 0.0;
    for (int k = 0; k < DEMO_JOINTS; k++)
        sum += weights[k];
    for (int k = 0; k < DEMO_JOINTS; k++)
        weights[k] *= (1.0 - part) / sum;
    weights[j] += part;
}

// Horns and hooves do not bend: they belong wholly to their own joint.
static void horn(const snLumps *body, snVec3 point, double weights[DEMO_JOINTS])
{
    double far = snLumps_Region(body, REGION_HORNS, point);
    int joint = point.x > 0.0 ? DEMO_HORN_L : DEMO_HORN_R;
    takeShare(weights, joint, 1.0 - snRise(0.012, 0.026, far));
    if (point.y > 0.2) return;
    int leg = point.z > 0.0 ? (point.x > 0.0 ? DEMO_LEG_FL : DEMO_LEG_FR)
                            : (point.x > 0.0 ? DEMO_LEG_HL : DEMO_LEG_HR);
    snVec3 ankle = snDemo_JointPlace(leg + 2);
    double away = snDistance(snVec(point.x, 0, point.z), snVec(ankle.x, 0, ankle.z));
    if (away < 0.16) takeShare(weights, leg + 2, 1.0 - snRise(0.118, 0.165, point.y));
}

// Keeps the four largest weights of a vertex.
static void keepFour(double all[DEMO_JOINTS], int joints[4], float weights[4])
{
    double best[5];
    int who[5];
    for (int i = 0; i < 5; i++) { // the five largest, ties to the lower number
        who[i] = 0;
        for (int j = 1; j < DEMO_JOINTS; j++)
            if (all[j] > all[who[i]]) who[i] = j;
        best[i] = all[who[i]];
        all[who[i]] = -1.0;
    }
    // Taking the fifth's weight off the others lets each fade out before it goes.
    double sum = 0.0;
    for (int i = 0; i < 4; i++)
        sum += best[i] - best[4];
    for (int i = 0; i < 4; i++) {
        double w = (best[i] - best[4]) / sum;
        weights[i] = (float)(w < 1e-4 ? 0.0 : w);
        joints[i] = weights[i] > 0.0f ? who[i] : 0;
    }
    float total = weights[0] + weights[1] + weights[2] + weights[3];
    for (int i = 0; i < 4; i++)
        weights[i] /= total;
}

// Weights of all vertices in one array, [vertexCount * DEMO_JOINTS], and the same once more.
typedef struct Dense {
    double *now, *next;
    double *neighbours; // [vertexCount], how many came together in `next`
} Dense;

// One round of smoothing over the surface: each vertex goes half-way to the mean of its
// neighbours (those across two triangles count twice, all alike on a closed surface).
static void smooth(const snPart *part, Dense *dense)
{
    size_t all = (size_t)part->vertexCount * DEMO_JOINTS;
    for (size_t i = 0; i < all; i++)
        dense->next[i] = 0.0;
    for (int v = 0; v < part->vertexCount; v++)
        dense->neighbours[v] = 0.0;
    for (int i = 0; i < 3 * part->triangleCount; i++) {
        size_t from = (size_t)part->triangles[i];
        size_t to = (size_t)part->triangles[i - i % 3 + (i + 1) % 3];
        dense->neighbours[to] += 1.0;
        for (size_t j = 0; j < DEMO_JOINTS; j++)
            dense->next[to * DEMO_JOINTS + j] += dense->now[from * DEMO_JOINTS + j];
    }
    for (size_t i = 0; i < all; i++)
        dense->now[i] = 0.5 * (dense->now[i] + dense->next[i] / dense->neighbours[i / DEMO_JOINTS]);
}

// Flesh weights are smoothed over the surface, so that folds (the belly on a leg) give way
// gradually; then horn takes its share, which nothing may soften.
snStatus snDemo_MakeSkin(snPart *part, const snLumps *body, snArena *arena, snError *error)
{
    enum { ROUNDS = 18 }; // about eight centimetres
    snArenaMark mark = snArena_Mark(arena);
    int count = part->vertexCount;
    Dense dense = {SN_NEW(arena, double, count *DEMO_JOINTS),
                   SN_NEW(arena, double, count *DEMO_JOINTS), SN_NEW(arena, double, count)};
    if (!dense.now || !dense.next || !dense.neighbours) return snFailMemory(error);
    for (int v = 0; v < count; v++) {
        double *weights = dense.now + v * DEMO_JOINTS;
        flesh(body, snFromF(part->positions[v]), weights);
        takeShare(weights, 0, 0.0); // makes their sum 1
    }
    for (int round = 0; round < ROUNDS; round++)
        smooth(part, &dense);
    for (int v = 0; v < count; v++) {
        double *weights = dense.now + v * DEMO_JOINTS;
        horn(body, snFromF(part->positions[v]), weights);
        keepFour(weights, part->joints + 4 * v, part->weights + 4 * v);
    }
    snArena_Rewind(arena, mark);
    return SN_OK;
}
