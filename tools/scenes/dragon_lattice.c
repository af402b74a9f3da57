// The lattice that fits the dragon: hexahedra along the coil, two rows of them for the jaws.
//
//      tail                body                neck    head    jaws
//      <|---|---|---|---|---|---|---|---|---|---|---\|-------|-----
//                                               M > mouth    (open)
//      <|---|---|---|---|---|---|---|---|---|---|---/|-------|-----
//
// The tail ends in a prism, whose last edge lies across. Before the head the one row becomes two by
// three prisms around the edge M at the corners of the mouth: one between the last ring of the neck and
// M, one above it and one below. The jaws share M and no other vertex; coils share none.
#include "scenes.h"

#include "core/error.h"

typedef struct Making {
    const snDragon *dragon;
    snBuilder *builder;
} Making;

// A row of vertices across the head, right then left.
static void across(const Making *m, double half, double up, double forward, int pair[2])
{
    for (int k = 0; k < 2; k++)
        pair[k] = snBuilder_Vertex(m->builder,
                                   snDragon_HeadPoint(m->dragon, k ? half : -half, up, forward));
}

// The curve is cut short by straight cells: rings lie outside of it by a share of how much it bends.
static void addRing(const Making *m, int i, int ring[4])
{
    const snDragon *d = m->dragon;
    snVec3 here = d->points[i];
    snVec3 chord = snLerp(snDragon_CurveAt(d, i - 1.0), snDragon_CurveAt(d, i + 1.0), 0.5);
    snVec3 along = snSub(snDragon_CurveAt(d, i + 0.05), snDragon_CurveAt(d, i - 0.05));
    snVec3 z = snNormalizeOr(along, snVec(0, 0, 1)), y = snDragon_BackAt(d, i);
    double r = d->radius[i], half = 1.12 * r + 0.006, above = 1.36 * r + 0.016;
    snAffine place = {{snCross(y, z), y, z}, snMulAdd(here, 0.17, snSub(here, chord))};
    if (i == 1) half = 0.100, above = 0.050; // the spade is wide, and has no ridge
    if (i == d->pointCount - 2) half += 0.030, above += 0.075; // horns reach back over the neck
    snBuilder_Ring(m->builder, place, half, 1.08 * r + 0.004, above, ring);
}

// Beyond the tail's last ring: an edge behind the spade's point.
static void addTail(const Making *m, const int ring[4])
{
    const snDragon *d = m->dragon;
    snVec3 back = snNormalizeOr(snSub(d->points[0], d->points[1]), snVec(0, 0, 1));
    snVec3 side = snNormalizeOr(snCross(back, snVec(0, 1, 0)), snVec(1, 0, 0));
    snVec3 end = snMulAdd(d->points[0], 0.27, back);
    int right = snBuilder_Vertex(m->builder, snMulAdd(end, -0.12, side));
    int left = snBuilder_Vertex(m->builder, snMulAdd(end, 0.12, side));
    const int corners[SN_PRISM] = {ring[0], right, ring[3], ring[1], left, ring[2]};
    snBuilder_Cell(m->builder, SN_PRISM, corners);
}

// From the neck's last ring to the three rows of the head.
static void addFork(const Making *m, const int neck[4], int low[2], int middle[2], int top[2])
{
    across(m, 0.125, -0.130, -0.020, low);
    across(m, 0.135, -0.012, -0.002, middle);
    across(m, 0.140, 0.225, -0.130, top);
    const int prisms[3][SN_PRISM] = {
        {neck[0], neck[3], middle[0], neck[1], neck[2], middle[1]},
        {neck[3], top[0], middle[0], neck[2], top[1], middle[1]},
        {neck[0], middle[0], low[0], neck[1], middle[1], low[1]},
    };
    for (int k = 0; k < 3; k++)
        snBuilder_Cell(m->builder, SN_PRISM, prisms[k]);
}

// Two cells forward: half their width, lower and upper end, and how far forward both are.
typedef struct Jaw {
    double half, below, above, belowForward, aboveForward;
} Jaw;

static void addJaw(const Making *m, const int below[2], const int above[2], const Jaw jaw[2])
{
    int ring[4] = {below[0], below[1], above[1], above[0]};
    for (int k = 0; k < 2; k++) {
        int low[2], high[2];
        across(m, jaw[k].half, jaw[k].below, jaw[k].belowForward, low);
        across(m, jaw[k].half, jaw[k].above, jaw[k].aboveForward, high);
        const int next[4] = {low[0], low[1], high[1], high[0]};
        snBuilder_Between(m->builder, ring, next);
        for (int i = 0; i < 4; i++)
            ring[i] = next[i];
    }
}

static void addCells(const Making *m)
{
    static const Jaw upper[2] = {{0.110, -0.008, 0.155, 0.125, 0.085},
                                 {0.095, 0.000, 0.135, 0.270, 0.275}};
    static const Jaw lower[2] = {{0.100, -0.165, -0.062, 0.075, 0.110},
                                 {0.075, -0.215, -0.105, 0.200, 0.225}};
    int ring[2][4], low[2], middle[2], top[2], last = m->dragon->pointCount - 2;
    for (int i = 1; i <= last; i++) {
        addRing(m, i, ring[i & 1]);
        if (i == 1) addTail(m, ring[1]);
        if (i > 1) snBuilder_Between(m->builder, ring[~i & 1], ring[i & 1]);
    }
    addFork(m, ring[last & 1], low, middle, top);
    addJaw(m, middle, top, upper);
    addJaw(m, low, middle, lower);
}

snStatus snDragon_Fitted(snControl *control, const snDragon *dragon, snArena *arena,
                         const snContext *context, snError *error)
{
    snBuilder *builder = SN_NEW(arena, snBuilder, 1);
    if (!builder) return snFailMemory(error);
    addCells(&(Making){dragon, builder});
    control->name = "dragon-fitted";
    control->anyScheme = true;
    snStatus status = snBuilder_Finish(builder, &control->lattice, arena, error);
    if (status) return status;
    snWrapDef wrap = {&dragon->lumps, 0.006, 100};
    return snWrap(&control->lattice, &wrap, arena, context, error);
}
