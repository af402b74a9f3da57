// How many degrees of freedom a slender bar needs until its first three natural frequencies are within 1 % of
// Timoshenko's theory, with trilinear functions and with MacCracken and Joy's: with exact integrals, and with the
// elements and masses of smooth bodies.
#include "bench/bench.h"
#include "core/core.h"
#include "tests/body/lattice/solid_bar.h"

#include <stdio.h>

static const int cells[] = {3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64, 96, 128, 160};

// Exact integrals, or the elements of smooth bodies with nodes of some level.
static bool modesOf(BarCase *c, int nodeLevel, bool consistent, const snContext *context)
{
    if (!nodeLevel) return barModes(c, context);
    SolidBar bar = {.nodeLevel = nodeLevel, .consistent = consistent, .bar = *c};
    if (!solidBarModes(&bar, context)) return false;
    *c = bar.bar;
    return true;
}

// The first number of cells that is good enough; prints every one on the way.
static int unknownsFor(snBench *bench, snScheme scheme, bool held, int nodeLevel,
                       const double *exact)
{
    snContext context = snDefaultContext();
    for (unsigned k = 0; k < sizeof cells / sizeof *cells; k++) {
        BarCase c = {.scheme = scheme, .held = held, .n = cells[k], .m = 1};
        if (!modesOf(&c, nodeLevel, false, &context)) return 0;
        double worst = 0;
        for (int i = 0; i < BAR_MODES; i++)
            worst = fmax(worst, fabs(c.omega[i] / exact[i] - 1));
        if (worst < 0.2)
            snBench_Note(bench, "%-15s %4d cells, %5d unknowns: %+.2f %% %+.2f %% %+.2f %%",
                         snScheme_Name(scheme), c.n, c.unknowns, 100 * (c.omega[0] / exact[0] - 1),
                         100 * (c.omega[1] / exact[1] - 1), 100 * (c.omega[2] / exact[2] - 1));
        if (worst <= 0.01) return c.unknowns;
    }
    return 0;
}

static void noteFine(snBench *bench, bool held, const double *exact)
{
    snContext context = snDefaultContext();
    BarCase c = {.scheme = SN_SCHEME_MACCRACKEN_JOY, .held = held, .n = 48, .m = 4};
    if (!barModes(&c, &context)) return;
    snBench_Note(bench, "fine in all directions, %d unknowns: %+.3f %% %+.3f %% %+.3f %%",
                 c.unknowns, 100 * (c.omega[0] / exact[0] - 1), 100 * (c.omega[1] / exact[1] - 1),
                 100 * (c.omega[2] / exact[2] - 1));
}

static void measure(snBench *bench, bool held)
{
    const char *id = held ? "multires/convergence-held" : "multires/convergence-free";
    double exact[BAR_MODES];
    if (!snBench_Wants(bench, id)) return;
    timoshenkoModes(held, exact);
    snBench_Note(bench, "a bar of 1 x 0.05 x 0.05, %s: three frequencies against Timoshenko's",
                 held ? "held at one end" : "free");
    noteFine(bench, held, exact);
    int hats = unknownsFor(bench, SN_SCHEME_TRILINEAR, held, 0, exact);
    int smooth = unknownsFor(bench, SN_SCHEME_MACCRACKEN_JOY, held, 0, exact);
    snBench_Report(bench, id, hats && smooth ? (double)hats / smooth : NAN, "x", "> 1");
}

// What the elements of smooth bodies and their lumped masses add: by the level of the nodes.
static void noteElements(snBench *bench, bool held, const double *exact)
{
    snContext context = snDefaultContext();
    for (int level = 0; level <= 3; level++)
        for (int consistent = 0; consistent <= (level > 0); consistent++) {
            BarCase c = {.scheme = SN_SCHEME_MACCRACKEN_JOY, .held = held, .n = 24, .m = 1};
            if (!modesOf(&c, level, consistent, &context)) return;
            char name[64] = "exact integrals";
            if (level)
                snprintf(name, sizeof name, "elements of level %d, %s masses", level,
                         consistent ? "consistent" : "lumped");
            snBench_Note(bench, "24 smooth cells, %-38s: %+.2f %% %+.2f %% %+.2f %%", name,
                         100 * (c.omega[0] / exact[0] - 1), 100 * (c.omega[1] / exact[1] - 1),
                         100 * (c.omega[2] / exact[2] - 1));
        }
}

// As smooth bodies are built, with nodes three levels finer than functions.
static void measureSolid(snBench *bench, bool held)
{
    const char *id = held ? "multires/convergence-solid-held" : "multires/convergence-solid-free";
    double exact[BAR_MODES];
    if (!snBench_Wants(bench, id)) return;
    timoshenkoModes(held, exact);
    noteElements(bench, held, exact);
    int hats = unknownsFor(bench, SN_SCHEME_TRILINEAR, held, 3, exact);
    int smooth = unknownsFor(bench, SN_SCHEME_MACCRACKEN_JOY, held, 3, exact);
    snBench_Report(bench, id, hats && smooth ? (double)hats / smooth : NAN, "x", "> 1");
}

void snBench_Convergence(snBench *bench)
{
    for (int held = 0; held < 2; held++)
        measure(bench, held);
    for (int held = 0; held < 2; held++)
        measureSolid(bench, held);
}
