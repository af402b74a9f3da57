#include "numerics/split.h"

// Hendrickson, Rothberg, "Improving the run time and quality of nested dissection ordering", 1998:
// separators are improved as such, not as what is left of cuts.
//
// The vertices on one side of a cut that have an edge across it are a separator. From then on a
// move takes a vertex v out of the separator to a side, and draws those of its neighbours in that
// are on the other side. So the gain is weight(v) less the weight of these neighbours, and the
// cost is the weight of the separator.

// v is in the separator now: what it would gain on either side.
static void enter(snSplit *split, int v)
{
    const snWeightedGraph *graph = split->graph;
    int toA = graph->weight[v], toB = toA;
    for (int k = graph->start[v]; k < graph->start[v + 1]; k++) {
        int u = graph->neighbour[k];
        if (split->side[u] == SN_SIDE_A) toB -= graph->weight[u];
        if (split->side[u] == SN_SIDE_B) toA -= graph->weight[u];
    }
    split->heap[SN_SIDE_A].gain[v] = toA;
    split->heap[SN_SIDE_B].gain[v] = toB;
    if (split->locked[v]) return;
    snSplit_Insert(split, SN_SIDE_A, v);
    snSplit_Insert(split, SN_SIDE_B, v);
}

static void beginSeparator(snSplit *split)
{
    for (int v = 0; v < split->graph->size; v++)
        if (split->side[v] == SN_SEPARATOR) enter(split, v);
    split->cost = split->weight[SN_SEPARATOR];
}

// Vertices of the separator need not draw v in any more when they move away from its side.
static void drawIn(snSplit *split, int v)
{
    const snWeightedGraph *graph = split->graph;
    int away = 1 - split->side[v];
    for (int k = graph->start[v]; k < graph->start[v + 1]; k++)
        if (split->side[graph->neighbour[k]] == SN_SEPARATOR)
            snSplit_ChangeGain(split, away, graph->neighbour[k], graph->weight[v]);
    snSplit_SetSide(split, v, SN_SEPARATOR);
    enter(split, v);
}

static void moveOut(snSplit *split, int v, int to)
{
    const snWeightedGraph *graph = split->graph;
    snSplit_Remove(split, SN_SIDE_A, v);
    snSplit_Remove(split, SN_SIDE_B, v);
    split->locked[v] = true;
    snSplit_SetSide(split, v, to);
    for (int k = graph->start[v]; k < graph->start[v + 1]; k++) {
        int u = graph->neighbour[k];
        if (split->side[u] == SN_SEPARATOR)
            snSplit_ChangeGain(split, 1 - to, u, -graph->weight[v]);
        else if (split->side[u] != to)
            drawIn(split, u);
    }
    split->cost = split->weight[SN_SEPARATOR];
}

static const snSplitRule separatorRule = {beginSeparator, moveOut};

static bool isAtCut(const snWeightedGraph *graph, const signed char *side, int v)
{
    for (int k = graph->start[v]; k < graph->start[v + 1]; k++)
        if (side[graph->neighbour[k]] == 1 - side[v]) return true;
    return false;
}

// The lighter of the two rows of vertices along the cut becomes the separator. None of them has lost
// its neighbours across when it is asked, for all who leave are on its own side.
static void separateAtCut(signed char *side, const snWeightedGraph *graph)
{
    int64_t weight[2] = {0};
    for (int v = 0; v < graph->size; v++)
        if (isAtCut(graph, side, v)) weight[side[v]] += graph->weight[v];
    int lighter = weight[SN_SIDE_B] < weight[SN_SIDE_A] ? SN_SIDE_B : SN_SIDE_A;
    for (int v = 0; v < graph->size; v++)
        if (side[v] == lighter && isAtCut(graph, side, v)) side[v] = SN_SEPARATOR;
}

snStatus snSeparate(signed char *side, const snWeightedGraph *graph, snArena *scratch,
                    snError *error)
{
    snSplit split;
    snStatus status = snBisect(side, graph, scratch, error);
    if (!status) status = snSplit_Make(&split, graph->size, scratch, error);
    if (status) return status;
    separateAtCut(side, graph);
    snSplit_Use(&split, &separatorRule, graph, side);
    snSplit_Refine(&split);
    return SN_OK;
}
