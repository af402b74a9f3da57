#include "numerics/split.h"

#include "core/error.h"

#include <limits.h>
#include <string.h>

// Hendrickson, Leland, "A multilevel algorithm for partitioning graphs", 1995; Karypis, Kumar, "A
// fast and high quality multilevel scheme for partitioning irregular graphs", 1998. Rating of edges:
// Holtgrewe, Sanders, Schulz, "Engineering a scalable high quality graph partitioner", 2010.
//
// Neighbours are merged in pairs until about a hundred vertices are left. A merged vertex weighs as
// much as its parts, merged edges as much as theirs: a cut of the coarse graph has the weight
// of the same cut in the fine one, so what is good there is good here, and only its course in
// detail remains to be improved on the way back. (Separators have no such property: they become
// thicker with every level, for vertices in them do. So they are made of the cut at the very end,
// separator.c.)
//
// Nothing is drawn by chance: vertices pair in the order of their numbers, which in lattices
// runs along rows, and pairs of pairs are then cells of a coarser lattice. Chance gives 4 % more
// fill.

#define COARSE_SIZE 120
#define MOST_LEVELS 40
#define MOST_SEEDS 3

// ---- cuts -----------------------------------------------------------------------------------------

// The cost is the weight of all edges between the sides. The gain of a vertex is the weight of its
// edges to the other side less that of those to its own. It is kept for the move to the
// other side; only vertices with an edge across the cut are in the heaps.
static void beginCut(snSplit *split)
{
    const snWeightedGraph *graph = split->graph;
    int64_t twice = 0;
    for (int v = 0; v < graph->size; v++) {
        int across = 0, within = 0, side = split->side[v];
        for (int k = graph->start[v]; k < graph->start[v + 1]; k++)
            *(split->side[graph->neighbour[k]] == side ? &within : &across) += graph->edge[k];
        split->heap[1 - side].gain[v] = across - within;
        if (across) snSplit_Insert(split, 1 - side, v);
        twice += across;
    }
    split->cost = twice / 2;
}

static void moveCut(snSplit *split, int v, int to)
{
    const snWeightedGraph *graph = split->graph;
    snSplit_Remove(split, to, v);
    split->locked[v] = true;
    split->cost -= split->heap[to].gain[v];
    snSplit_SetSide(split, v, to);
    for (int k = graph->start[v]; k < graph->start[v + 1]; k++) {
        int u = graph->neighbour[k], other = 1 - split->side[u];
        if (split->locked[u]) continue;
        // Its edge to v was across and is within now, or the other way round.
        snSplit_ChangeGain(split, other, u, (other == to ? 2 : -2) * graph->edge[k]);
        if (other == to && split->heap[to].place[u] < 0) snSplit_Insert(split, to, u);
    }
}

static const snSplitRule cutRule = {beginCut, moveCut};

// ---- the first cut ----------------------------------------------------------------------------------

// Side A grows from a seed, always by the vertex that costs least, until it has half of the weight.
static void grow(snSplit *split, int seed)
{
    memset(split->side, SN_SIDE_B, (size_t)split->graph->size);
    snSplit_Begin(split);
    moveCut(split, seed, SN_SIDE_A);
    while (split->heap[SN_SIDE_A].count && split->weight[SN_SIDE_A] < split->weight[SN_SIDE_B])
        moveCut(split, split->heap[SN_SIDE_A].vertex[0], SN_SIDE_A);
    snSplit_Refine(split);
}

// Lowers distances by those from a vertex, and returns the vertex that is farthest then.
static int farthest(const snWeightedGraph *graph, int from, int *distance, int *queue)
{
    int tail = 0, result = 0;
    distance[from] = 0;
    queue[tail++] = from;
    for (int head = 0; head < tail; head++)
        for (int k = graph->start[queue[head]]; k < graph->start[queue[head] + 1]; k++) {
            int u = graph->neighbour[k], reached = distance[queue[head]] + 1;
            if (distance[u] <= reached) continue;
            distance[u] = reached;
            queue[tail++] = u;
        }
    for (int v = 1; v < graph->size; v++)
        if (distance[v] > distance[result]) result = v;
    return result;
}

static void forgetDistances(int *distance, int size)
{
    for (int v = 0; v < size; v++)
        distance[v] = INT_MAX;
}

// The best of several. Seeds lie at the rim: the first is farthest from some vertex, the others
// from all seeds before them. `kept` is room for sides, `work` for two lists.
static void cutFirst(snSplit *split, signed char *kept, int *work)
{
    const snWeightedGraph *graph = split->graph;
    int *distance = work, *queue = work + graph->size;
    forgetDistances(distance, graph->size);
    int seed = farthest(graph, 0, distance, queue);
    forgetDistances(distance, graph->size);
    snSplitCost best = {.over = INT64_MAX};
    for (int k = 0; k < MOST_SEEDS; k++) {
        grow(split, seed);
        snSplitCost cost = snSplit_Cost(split);
        if (snSplitCost_IsLess(cost, best)) {
            best = cost;
            memcpy(kept, split->side, (size_t)graph->size);
        }
        seed = farthest(graph, seed, distance, queue);
    }
    memcpy(split->side, kept, (size_t)graph->size);
}

// ---- coarser graphs ---------------------------------------------------------------------------------

typedef struct Level {
    snWeightedGraph graph;
    signed char *side;
    int *coarse; // [size], what becomes of each vertex on the next level
} Level;

// Every vertex that is still alone takes the neighbour u for which edge² / weight(u) is largest:
// heavy edges vanish within pairs, and pairs stay of similar weight. Returns how many vertices the next
// level has; mate[v] is v where it stays alone.
static int pairUp(const snWeightedGraph *graph, int heaviest, int *mate, int *coarse)
{
    for (int v = 0; v < graph->size; v++)
        mate[v] = -1;
    for (int v = 0; v < graph->size; v++) {
        if (mate[v] >= 0) continue;
        int best = v;
        double most = 0;
        for (int k = graph->start[v]; k < graph->start[v + 1]; k++) {
            int u = graph->neighbour[k];
            if (mate[u] >= 0 || graph->weight[u] > heaviest - graph->weight[v]) continue;
            double rating = (double)graph->edge[k] * graph->edge[k] / graph->weight[u];
            if (rating > most) most = rating, best = u;
        }
        mate[v] = best;
        mate[best] = v;
    }
    int count = 0;
    for (int v = 0; v < graph->size; v++)
        if (mate[v] >= v) coarse[v] = coarse[mate[v]] = count++;
    return count;
}

// Adds the edges of v to those of its pair, which begin at `first`. slot[d] is where the edge to d
// stands, if that is not before `first`. Returns where they end.
static int addEdges(snWeightedGraph *coarse, const Level *fine, int v, int first, int used,
                    int *slot)
{
    const snWeightedGraph *graph = &fine->graph;
    for (int k = graph->start[v]; k < graph->start[v + 1]; k++) {
        int d = fine->coarse[graph->neighbour[k]];
        if (d == fine->coarse[v]) continue;
        if (slot[d] < first) {
            slot[d] = used;
            coarse->neighbour[used++] = d;
        }
        coarse->edge[slot[d]] += graph->edge[k];
    }
    return used;
}

static snStatus coarsen(Level *level, const Level *fine, int count, const int *mate, int *slot,
                        snArena *scratch, snError *error)
{
    const snWeightedGraph *graph = &fine->graph;
    int edges = graph->start[graph->size], used = 0;
    snWeightedGraph *coarse = &level->graph;
    *level = (Level){.graph = {.size = count,
                               .start = SN_NEW(scratch, int, (size_t)count + 1),
                               .neighbour = SN_NEW(scratch, int, edges),
                               .edge = SN_NEW(scratch, int, edges),
                               .weight = SN_NEW(scratch, int, count)},
                     .side = SN_NEW(scratch, signed char, count),
                     .coarse = SN_NEW(scratch, int, count)};
    if (!coarse->start || !coarse->neighbour || !coarse->edge || !coarse->weight || !level->side ||
        !level->coarse)
        return snFailMemory(error);
    for (int c = 0; c < count; c++)
        slot[c] = -1;
    for (int v = 0; v < graph->size; v++) {
        if (mate[v] < v) continue;
        int c = fine->coarse[v], first = used;
        used = addEdges(coarse, fine, v, first, used, slot);
        if (mate[v] > v) used = addEdges(coarse, fine, mate[v], first, used, slot);
        coarse->weight[c] = graph->weight[v] + (mate[v] > v ? graph->weight[mate[v]] : 0);
        coarse->start[c + 1] = used;
    }
    return SN_OK;
}

// Fills levels[1], [2], ... until the graph is small, or does not get smaller any more.
static snStatus makeLevels(Level *levels, int *count, int *work, snArena *scratch, snError *error)
{
    const snWeightedGraph *graph = &levels[0].graph;
    int64_t total = 0;
    for (int v = 0; v < graph->size; v++)
        total += graph->weight[v];
    int heaviest = (int)(total * 3 / (2 * COARSE_SIZE)) + 1; // none may become a lump
    int *mate = work, *slot = work + graph->size;
    for (*count = 1; *count < MOST_LEVELS; ++*count) {
        Level *fine = &levels[*count - 1];
        if (fine->graph.size <= COARSE_SIZE) break;
        int size = pairUp(&fine->graph, heaviest, mate, fine->coarse);
        if (size > fine->graph.size - fine->graph.size / 20) break;
        snStatus status = coarsen(fine + 1, fine, size, mate, slot, scratch, error);
        if (status) return status;
    }
    return SN_OK;
}

snStatus snBisect(signed char *side, const snWeightedGraph *graph, snArena *scratch, snError *error)
{
    Level levels[MOST_LEVELS] = {
        {.graph = *graph, .side = side, .coarse = SN_NEW(scratch, int, graph->size)}};
    signed char *kept = SN_NEW(scratch, signed char, graph->size);
    int *work = SN_NEW(scratch, int, 2 * (size_t)graph->size), count;
    snSplit split;
    snStatus status = snSplit_Make(&split, graph->size, scratch, error);
    if (!status && (!levels[0].coarse || !kept || !work)) status = snFailMemory(error);
    if (!status) status = makeLevels(levels, &count, work, scratch, error);
    if (status) return status;

    snSplit_Use(&split, &cutRule, &levels[count - 1].graph, levels[count - 1].side);
    cutFirst(&split, kept, work);
    for (int l = count - 2; l >= 0; l--) {
        for (int v = 0; v < levels[l].graph.size; v++)
            levels[l].side[v] = levels[l + 1].side[levels[l].coarse[v]];
        snSplit_Use(&split, &cutRule, &levels[l].graph, levels[l].side);
        if (l) snSplit_Refine(&split);
    }
    return SN_OK;
}
