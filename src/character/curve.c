// With a mirror plane all is done on one half of the solid, folded along the plane: what is found
// there stands for both sides, so the tree is symmetric to the bit. Depths are those of the whole
// solid, so that a spine lies in the plane, where it is deepest.
#include "character/curve.h"

#include "core/elementary.h"
#include "core/error.h"

static const double coverScale = 1.1;  // balls around the tree cover this times their radius,
static const double coverCells = 1.5;  // and so many cells: roughness of the surface is no limb
static const double snoutShare = 0.62; // of the slenderness of a limb

typedef struct Tracer {
    const snSolid *solid;
    const snCurveDef *def;
    snVoxels voxels;
    snMirror mirror;
    float *plain;           // slowness 1 inside: lengths of ways
    float *deep;            // slowness 1/depth²: ways that keep to the middle
    snFlood reach;          // lengths from the root
    snFlood ways;           // from the tree
    unsigned char *covered; // [cells]
    int *nodeOf;            // [cells], the tree's node there, or -1
    int *path;              // [cells], of the candidate at hand, from its tip to the tree
    int capacity;
    double longest; // of the lengths from the root to tips
    snCurve *curve;
} Tracer;

snCurveDef snDefaultCurveDef(void)
{
    return (snCurveDef){.maxCells = 200000, .symmetric = true, .slender = 2.6, .maxBranches = 40};
}

// ---- the grid, folded along the mirror plane ----

// Axes with the plane's normal first, and as near to the coordinate axes as may be.
static snMat3 axesAround(snVec3 normal)
{
    snVec3 x = normal, guess = fabs(x.y) < 0.9 ? snVec(0, 1, 0) : snVec(0, 0, 1);
    snVec3 z = snNormalizeOr(snCross(x, guess), snVec(0, 0, 1));
    return (snMat3){x, snCross(z, x), z};
}

static snVoxelDef gridOf(const Tracer *tracer)
{
    snVoxelDef def = snDefaultVoxelDef(tracer->solid);
    def.maxCells = tracer->def->maxCells;
    if (!tracer->mirror.found) return def;
    const snMesh *mesh = &tracer->solid->mesh;
    def.axes = axesAround(tracer->mirror.normal);
    def.box = snEmptyBox();
    for (int i = 0; i < 3 * mesh->triangleCount; i++)
        def.box = snBoxAdd(def.box, snMulTMV(def.axes, mesh->positions[mesh->triangles[i]]));
    def.box.lower.x = snDot(tracer->mirror.point, tracer->mirror.normal);
    return def;
}

static snStatus makeGrid(Tracer *tracer, const snTasks *tasks, snArena *arena, snError *error)
{
    snVoxelDef def = gridOf(tracer);
    snStatus status = snVoxels_Make(&tracer->voxels, tracer->solid, &def, tasks, arena, error);
    if (status) return status;
    int count = tracer->voxels.count;
    tracer->plain = SN_NEW(arena, float, count);
    tracer->deep = SN_NEW(arena, float, count);
    tracer->covered = SN_NEW(arena, unsigned char, count);
    tracer->nodeOf = SN_NEW(arena, int, count);
    tracer->path = SN_NEW(arena, int, count);
    if (!tracer->plain || !tracer->deep || !tracer->covered || !tracer->nodeOf || !tracer->path)
        return snFailMemory(error);
    for (int c = 0; c < count; c++) {
        tracer->nodeOf[c] = -1;
        if (!tracer->voxels.inside[c]) continue;
        double relative = (double)tracer->voxels.depth[c] / tracer->voxels.cell;
        tracer->plain[c] = 1.0f;
        tracer->deep[c] = (float)(1.0 / (relative * relative));
    }
    status = snFlood_Make(&tracer->reach, &tracer->voxels, tracer->plain, arena, error);
    if (!status) status = snFlood_Make(&tracer->ways, &tracer->voxels, tracer->deep, arena, error);
    return status;
}

// ---- the root ----

static snVec3 insideCentre(const Tracer *tracer)
{
    snVec3 sum = snVec(0, 0, 0);
    int count = 0;
    for (int c = 0; c < tracer->voxels.count; c++) {
        if (!tracer->voxels.inside[c]) continue;
        sum = snAdd(sum, snVoxels_Middle(&tracer->voxels, c));
        count++;
    }
    snVec3 centre = snScale(1.0 / count, sum);
    if (!tracer->mirror.found) return centre;
    return snMulAdd(centre, -snMirror_Side(&tracer->mirror, centre), tracer->mirror.normal);
}

// The deepest place near the middle: depth counts against the distance from the centre of volume.
static int findRoot(const Tracer *tracer)
{
    snVec3 centre = insideCentre(tracer);
    int best = -1;
    double bestScore = -1e300;
    for (int c = 0; c < tracer->voxels.count; c++) {
        if (!tracer->voxels.inside[c]) continue;
        if (tracer->mirror.found && c % tracer->voxels.n[0] != 0) continue;
        double away = snDistance(snVoxels_Middle(&tracer->voxels, c), centre);
        double score = (double)tracer->voxels.depth[c] - 0.5 * away;
        if (score <= bestScore) continue;
        best = c;
        bestScore = score;
    }
    return best;
}

// ---- covering ----

static void coverBall(Tracer *tracer, snVec3 at, double radius)
{
    const snVoxels *voxels = &tracer->voxels;
    snVec3 p = snScale(1.0 / voxels->cell, snMulTMV(voxels->axes, snSub(at, voxels->origin)));
    double r = radius / voxels->cell, lower[3] = {p.x - r, p.y - r, p.z - r};
    int from[3], to[3];
    for (int a = 0; a < 3; a++) {
        from[a] = (int)fmax(0.0, floor(lower[a]));
        to[a] = (int)fmin(voxels->n[a] - 1, ceil(lower[a] + 2.0 * r));
    }
    for (int k = from[2]; k <= to[2]; k++)
        for (int j = from[1]; j <= to[1]; j++)
            for (int i = from[0]; i <= to[0]; i++) {
                snVec3 d = snSub(snVec(i + 0.5, j + 0.5, k + 0.5), p);
                if (snLengthSquared(d) <= r * r)
                    tracer->covered[i + voxels->n[0] * (j + voxels->n[1] * k)] = 1;
            }
}

static void coverCell(Tracer *tracer, int cell)
{
    double depth = (double)tracer->voxels.depth[cell];
    coverBall(tracer, snVoxels_Middle(&tracer->voxels, cell),
              coverScale * depth + coverCells * tracer->voxels.cell);
}

// The uncovered place that is farthest from the root, or -1.
static int farthest(const Tracer *tracer)
{
    int best = -1;
    for (int c = 0; c < tracer->voxels.count; c++) {
        if (tracer->covered[c] || !tracer->voxels.inside[c] || tracer->reach.cost[c] >= 1e300)
            continue;
        if (best < 0 || tracer->reach.cost[c] > tracer->reach.cost[best]) best = c;
    }
    return best;
}

// ---- branches ----

// The way from the tip to the tree, without the tree's own cell.
static int tracePath(Tracer *tracer, int tip)
{
    int length = 0;
    for (int c = tip; c >= 0 && tracer->nodeOf[c] < 0; c = tracer->ways.from[c])
        tracer->path[length++] = c;
    return length;
}

static double stepLength(const Tracer *tracer, int i)
{
    return snDistance(snVoxels_Middle(&tracer->voxels, tracer->path[i]),
                      snVoxels_Middle(&tracer->voxels, tracer->path[i + 1]));
}

// How slender the thing is that the path comes out of: the largest of s/depth(s), s the length of
// the way from the tip. A cube's corner has 1.7, an ellipsoid's end its ratio of axes, a limb its
// length over its radius.
static double slenderness(const Tracer *tracer, int length)
{
    double cell = tracer->voxels.cell, s = 0.5 * cell, best = 0.0;
    for (int i = 0; i < length; s += i + 1 < length ? stepLength(tracer, i) : 0.0, i++) {
        double depth = fmax((double)tracer->voxels.depth[tracer->path[i]], cell);
        if (s >= 3.0 * cell && s / depth > best) best = s / depth;
    }
    return best;
}

// What sticks out of the balls around the tree, from the tip on: how many cells of the path, and how
// deep the deepest and the mean of them are.
typedef struct Limb {
    int out;
    double radius, mean;
} Limb;

static Limb limbOf(const Tracer *tracer, int length)
{
    Limb limb = {0, tracer->voxels.cell, 0.0};
    for (; limb.out < length && !tracer->covered[tracer->path[limb.out]]; limb.out++) {
        double depth = (double)tracer->voxels.depth[tracer->path[limb.out]];
        limb.radius = fmax(limb.radius, depth);
        limb.mean += depth;
    }
    limb.mean = limb.out > 0 ? limb.mean / limb.out : tracer->voxels.cell;
    return limb;
}

// Whether left and right are one thing at a place (a muzzle) and not two (legs, ears): the straight
// line to its mirror image lies inside, and is not much longer than the thing is thick.
static bool isOneThing(const Tracer *tracer, snVec3 at, double radius)
{
    if (fabs(snMirror_Side(&tracer->mirror, at)) > 1.5 * radius) return false;
    return snSolid_SegmentInside(tracer->solid, at, snMirror_Of(&tracer->mirror, at),
                                 0.5 * tracer->voxels.cell);
}

// A snout is shorter than a limb, but thick, in the middle, and among what is farthest out.
static bool isSnout(const Tracer *tracer, const Limb *limb, int tip)
{
    if (!tracer->mirror.found || limb->radius < 0.2 * tracer->curve->nodes[0].radius) return false;
    return tracer->reach.cost[tip] >= 0.6 * tracer->longest &&
           isOneThing(tracer, snVoxels_Middle(&tracer->voxels, tip), limb->radius);
}

static bool isLimb(const Tracer *tracer, const Limb *limb, int length)
{
    double slender = slenderness(tracer, length);
    if (slender >= tracer->def->slender) return true;
    return slender >= snoutShare * tracer->def->slender && isSnout(tracer, limb, tracer->path[0]);
}

// Not down to the very surface: the joint of a tip is half a limb's radius inside, and in a thin one
// (a leaf of an ear) where the grid sees some depth, as long as most of the limb is left.
static int cutTip(const Tracer *tracer, const Limb *limb)
{
    const snVoxels *voxels = &tracer->voxels;
    double s = 0.5 * voxels->cell;
    int first = 0;
    for (; first + 1 < limb->out && s < 0.6 * limb->mean; first++)
        s += stepLength(tracer, first);
    while (first < limb->out / 3 && (double)voxels->depth[tracer->path[first]] < 0.3 * voxels->cell)
        first++;
    return first;
}

static snStatus addNode(Tracer *tracer, int cell, int parent, snError *error)
{
    snCurve *curve = tracer->curve;
    if (curve->count >= tracer->capacity) return snFailMemory(error);
    snVec3 at = snVoxels_Middle(&tracer->voxels, cell);
    curve->nodes[curve->count] =
        (snCurveNode){at, (double)tracer->voxels.depth[cell], parent, false};
    tracer->nodeOf[cell] = curve->count++;
    return SN_OK;
}

// ---- the middle plane ----

static bool nearPlane(const Tracer *tracer, const snCurveNode *node)
{
    double side = fabs(snMirror_Side(&tracer->mirror, node->at));
    return side <= fmax(0.6 * tracer->voxels.cell, 0.35 * node->radius);
}

static void moveOntoPlane(const Tracer *tracer, snCurveNode *node)
{
    double side = snMirror_Side(&tracer->mirror, node->at);
    snVec3 moved = snMulAdd(node->at, -side, tracer->mirror.normal);
    double depth = snSolid_Depth(tracer->solid, moved);
    if (!(depth > 0.0)) return;
    *node = (snCurveNode){moved, depth, node->parent, true};
}

// Nodes first <= i < end of one branch. What begins in the plane stays in it until left and right
// part; a branch whose two sides never part is in the plane with all of it. A branch that comes back
// to the plane (half a ring) ends in it.
static void settleBranch(Tracer *tracer, int first, int end, double limb)
{
    snCurveNode *nodes = tracer->curve->nodes;
    if (!tracer->mirror.found) return;
    bool within = nodes[first].parent < 0 || nodes[nodes[first].parent].central, one = within;
    for (int i = end - 1; one && i >= first; i--)
        one = isOneThing(tracer, nodes[i].at, limb);
    for (int i = first; i < end; i++) {
        bool back = !within && nodes[i].radius > 2.0 * tracer->voxels.cell;
        if (!one && !(within || back)) continue;
        if (!one &&
            !(nearPlane(tracer, &nodes[i]) && isOneThing(tracer, nodes[i].at, nodes[i].radius))) {
            within = false;
            continue;
        }
        moveOntoPlane(tracer, &nodes[i]);
        within = nodes[i].central;
    }
}

// Takes the grid's steps out of a branch: every node moves towards the middle of its neighbours,
// the tip stays, and none comes much nearer to the surface than it was.
static void smoothBranch(const Tracer *tracer, int first, int end)
{
    snCurveNode *nodes = tracer->curve->nodes;
    for (int round = 0; round < 12; round++)
        for (int i = first; i + 1 < end; i++) {
            if (nodes[i].parent < 0) continue;
            snVec3 middle = snLerp(nodes[nodes[i].parent].at, nodes[i + 1].at, 0.5);
            if (nodes[i].central && !nodes[i + 1].central)
                middle = snMulAdd(middle, -snMirror_Side(&tracer->mirror, middle),
                                  tracer->mirror.normal);
            middle = snLerp(nodes[i].at, middle, 0.5);
            double depth = snSolid_Depth(tracer->solid, middle);
            if (depth < 0.95 * nodes[i].radius) continue;
            nodes[i].at = middle;
            nodes[i].radius = depth;
        }
}

// ---- growing ----

static snStatus addBranch(Tracer *tracer, const Limb *limb, int length, snError *error)
{
    int first = cutTip(tracer, limb), begin = tracer->curve->count;
    int join = tracer->ways.from[tracer->path[length - 1]];
    int parent = tracer->nodeOf[join];
    for (int i = length - 1; i >= first; i--) {
        snStatus status = addNode(tracer, tracer->path[i], parent, error);
        if (status) return status;
        parent = tracer->curve->count - 1;
    }
    settleBranch(tracer, begin, tracer->curve->count, limb->radius);
    smoothBranch(tracer, begin, tracer->curve->count);
    for (int i = 0; i < length; i++)
        coverCell(tracer, tracer->path[i]);
    for (int i = first; i < length; i++)
        snFlood_Source(&tracer->ways, tracer->path[i], 0.0);
    snFlood_Run(&tracer->ways);
    return SN_OK;
}

static void passOver(Tracer *tracer, int tip, int length)
{
    for (int i = 0; i < length && !(i > 0 && tracer->covered[tracer->path[i]]); i++)
        coverCell(tracer, tracer->path[i]);
    tracer->covered[tip] = 1;
}

static snStatus grow(Tracer *tracer, snError *error)
{
    int branches = 0;
    for (int tip = farthest(tracer); tip >= 0; tip = farthest(tracer)) {
        int length = tracePath(tracer, tip);
        Limb limb = limbOf(tracer, length);
        tracer->longest = fmax(tracer->longest, tracer->reach.cost[tip]);
        if (length < 1 || branches >= tracer->def->maxBranches || !isLimb(tracer, &limb, length)) {
            passOver(tracer, tip, length);
            continue;
        }
        snStatus status = addBranch(tracer, &limb, length, error);
        if (status) return status;
        branches++;
    }
    return SN_OK;
}

static snStatus trace(Tracer *tracer, const snTasks *tasks, snArena *arena, snError *error)
{
    snStatus status = makeGrid(tracer, tasks, arena, error);
    if (status) return status;
    int root = findRoot(tracer);
    if (root < 0)
        return snFail(error, SN_ERROR_GEOMETRY,
                      "the surface encloses no volume, so no skeleton can be laid into it; close "
                      "it, or give the joints yourself");
    tracer->curve->cell = tracer->voxels.cell;
    snFlood_Source(&tracer->reach, root, 0.0);
    snFlood_Run(&tracer->reach);
    snFlood_Source(&tracer->ways, root, 0.0);
    snFlood_Run(&tracer->ways);
    status = addNode(tracer, root, -1, error);
    if (status) return status;
    coverCell(tracer, root);
    settleBranch(tracer, 0, 1, tracer->curve->nodes[0].radius);
    return grow(tracer, error);
}

snStatus snCurve_Trace(snCurve *curve, const snSolid *solid, const snCurveDef *def,
                       const snTasks *tasks, snArena *arena, snError *error)
{
    if (def->maxCells < 1000 || !(def->slender > 0.0) || def->maxBranches < 0)
        return snFail(error, SN_ERROR_ARGUMENT,
                      "the curve's definition has %d cells, slenderness %g, %d branches; at least "
                      "1000, above 0, at least 0 are needed",
                      def->maxCells, def->slender, def->maxBranches);
    snContext context = {.allocator = arena->allocator};
    snArena scratch = snMakeArena(&context);
    Tracer tracer = {.solid = solid, .def = def, .curve = curve, .capacity = 8192};
    *curve = (snCurve){0};
    if (def->symmetric) tracer.mirror = snFindMirror(solid);
    curve->mirror = tracer.mirror;
    curve->nodes = SN_NEW(arena, snCurveNode, tracer.capacity);
    snStatus status = curve->nodes ? trace(&tracer, tasks, &scratch, error) : snFailMemory(error);
    snArena_Destroy(&scratch);
    return status;
}
