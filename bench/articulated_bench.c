// What a step of articulated dynamics costs by the number of links: a straight line, from 10 to 10,000, in chains
// (the deepest trees there are) and in trees of random branches. The exponent is fitted by least squares.
#include "bench/bench.h"
#include "core/core.h"
#include "core/random.h"
#include "skeleton/articulated.h"

#include <math.h>

enum { SIZES = 7 };
static const int sizes[SIZES] = {10, 30, 100, 300, 1000, 3000, 10000};

typedef struct Chain {
    snArticulated *tree;
    snArticulatedState *state;
    snArticulatedStep step;
} Chain;

static bool makeChain(Chain *chain, int count, bool branches, snArticulatedMethod method)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snLinkDef *links = SN_NEW(&arena, snLinkDef, count);
    snRandom random = snMakeRandom(3);
    *chain = (Chain){.step = {1e-3, {0, -9.81, 0}, method}};
    for (int l = 0; l < count && links; l++) {
        int parent = branches ? l - 1 - snRandom_Below(&random, l < 6 ? 1 : 6) : l - 1;
        if (l > 0 && parent < 0) parent = 0;
        snLinkKind kind = l == 0 ? SN_LINK_FREE : l % 3 ? SN_LINK_BALL : SN_LINK_HINGE;
        links[l] = snDefaultLinkDef(l == 0 ? -1 : parent, kind);
        links[l].offset = snVec(l > 0, 0, 0);
        links[l].drive.stiffness = 10;
        links[l].drive.damping = 1;
        snLinkDef_SetCapsule(&links[l], snVec(0, 0, 0), snVec(1, 0, 0), 0.1, 1);
    }
    snArticulatedDef def = {count, links};
    bool made = links && !snArticulated_Make(&chain->tree, &def, &context, NULL) &&
                !snArticulatedState_Make(&chain->state, chain->tree, &context, NULL);
    snArena_Destroy(&arena);
    return made;
}

static void freeChain(Chain *chain)
{
    snArticulatedState_Destroy(chain->state);
    snArticulated_Destroy(chain->tree);
}

static void stepChain(void *context)
{
    Chain *chain = context;
    snArticulated_Step(chain->tree, chain->state, &chain->step);
    snBench_Keep(chain->state);
}

// The slope of log time over log links.
static double exponentOf(const snContestant *sides)
{
    double x = 0, y = 0, xx = 0, xy = 0;
    for (int i = 0; i < SIZES; i++) {
        double a = log(sizes[i]), b = log(sides[i].seconds);
        x += a / SIZES, y += b / SIZES, xx += a * a / SIZES, xy += a * b / SIZES;
    }
    return (xy - x * y) / (xx - x * x);
}

static void measure(snBench *bench, const char *id, const char *name, bool branches,
                    snArticulatedMethod method)
{
    Chain chains[SIZES];
    snContestant sides[SIZES];
    bool made = true;
    if (!snBench_Wants(bench, id)) return;
    for (int i = 0; i < SIZES; i++) {
        made &= makeChain(&chains[i], sizes[i], branches, method);
        sides[i] = (snContestant){.name = name, .run = stepChain, .context = &chains[i]};
    }
    if (made) {
        snBench_Compare(bench, sides, SIZES);
        snBench_Report(bench, id, exponentOf(sides), "", "<= 1.05");
        snBench_Note(bench,
                     "%s: a step of 10 links %.1f us, 100 %.1f us, 1,000 %.0f us, 10,000 %.0f us; "
                     "%.2f and %.2f us per link",
                     name, 1e6 * sides[0].seconds, 1e6 * sides[2].seconds, 1e6 * sides[4].seconds,
                     1e6 * sides[6].seconds, 1e5 * sides[0].seconds, 1e2 * sides[6].seconds);
    } else {
        snBench_Skip(bench, "there is no memory for the chains");
    }
    for (int i = 0; i < SIZES; i++)
        freeChain(&chains[i]);
}

void snBench_Articulated(snBench *bench)
{
    measure(bench, "coat/articulated-chain", "chain", false, SN_ARTICULATED_IMPLICIT);
    measure(bench, "coat/articulated-tree", "tree", true, SN_ARTICULATED_IMPLICIT);
    measure(bench, "coat/articulated-rk4", "chain, fourth order", false, SN_ARTICULATED_RK4);
}
