#include "body/coat/coat_parts.h"

#include "core/error.h"
#include "core/tasks.h"

// What acts on two bodies at a time (contacts in sweeps, flesh that is parted) on several threads, in one order for any number of them.
//
// Bodies are cut into two halves across the longest extent of their places, each half again, down to 2^depth leaves: a tree by places
// alone. What acts on bodies of one leaf is done with that leaf, all leaves at once; what joins two leaves is done at the lowest node that
// has both, nodes of a level at once, for they have no body in common; and so on to the root, which has what is cut by the first
// cut. Within a node all stands in the order in which it was found. (George's nested dissection, 1973, for sweeps instead of factors.)

#define LEAST_LEAF 4 // bodies

static snVec3 middleOf(const snCoatBody *b)
{
    snVec3 sum = {0, 0, 0};
    for (int e = 0; e < b->coating->elementCount; e++)
        sum = snAdd(sum, snAdd(b->boxes[e].lower, b->boxes[e].upper));
    return snScale(0.5 / fmax(1, b->coating->elementCount), sum);
}

snStatus snCoatSplit_Make(snCoatSplit *s, int bodies, snArena *arena, snError *error)
{
    while (s->depth < SN_COAT_SPLITS && bodies >> (s->depth + 1) >= LEAST_LEAF)
        s->depth++;
    s->leaf = SN_NEW(arena, int, bodies);
    s->order = SN_NEW(arena, int, bodies);
    s->weight = SN_NEW(arena, int, bodies);
    s->key = SN_NEW(arena, double, bodies);
    s->place = SN_NEW(arena, snVec3, bodies);
    return s->leaf && s->order && s->weight && s->key && s->place ? SN_OK : snFailMemory(error);
}

static bool comesLater(const snCoatSplit *s, int a, int b)
{
    return s->key[a] > s->key[b] || (s->key[a] == s->key[b] && a > b);
}

// Shell's, 1959: a few hundred bodies, and no memory.
static void sort(snCoatSplit *s, int *list, int count)
{
    static const int gaps[] = {701, 301, 132, 57, 23, 10, 4, 1};
    for (size_t g = 0; g < sizeof gaps / sizeof *gaps; g++)
        for (int i = gaps[g]; i < count; i++) {
            int one = list[i], k = i;
            for (; k >= gaps[g] && comesLater(s, list[k - gaps[g]], one); k -= gaps[g])
                list[k] = list[k - gaps[g]];
            list[k] = one;
        }
}

static void sortAcross(snCoatSplit *s, int *list, int count)
{
    snBox box = snBoxOfListed(count, list, s->place);
    snVec3 d = snSub(box.upper, box.lower);
    for (int i = 0; i < count; i++) {
        snVec3 x = s->place[list[i]];
        s->key[list[i]] = d.x >= d.y && d.x >= d.z ? x.x : d.z >= d.y ? x.z : x.y;
    }
    sort(s, list, count);
}

// Leaves from `leaf` on, of which there are 2^levels, get the bodies of the list; about half of what there is to do on each side.
static void splitSome(snCoatSplit *s, int *list, int count, int levels, int leaf)
{
    int whole = 0, sum = 0, cut = 0;
    if (levels == 0) {
        for (int i = 0; i < count; i++)
            s->leaf[list[i]] = leaf;
        return;
    }
    sortAcross(s, list, count);
    for (int i = 0; i < count; i++)
        whole += s->weight[list[i]];
    while (cut < count && 2 * (sum + s->weight[list[cut]]) <= whole)
        sum += s->weight[list[cut++]];
    splitSome(s, list, cut, levels - 1, leaf);
    splitSome(s, list + cut, count - cut, levels - 1, leaf + (1 << (levels - 1)));
}

void snCoatGroup_Split(snCoatGroup *g)
{
    snCoatSplit *s = &g->split;
    if (s->depth == 0) return; // all are in leaf 0
    for (int b = 0; b < g->count; b++) {
        s->order[b] = b;
        s->weight[b] = 1;
        s->place[b] = middleOf(g->bodies[b]);
    }
    for (int p = 0; p < g->pairCount; p++) {
        s->weight[g->elementBody[g->pairs[p].one]] += 1 + g->pairs[p].count;
        s->weight[g->elementBody[g->pairs[p].other]] += 1 + g->pairs[p].count;
    }
    splitSome(s, s->order, g->count, s->depth, 0);
}

// Nodes are numbered level by level, leaves first.
static int nodeOf(const snCoatSplit *s, int one, int other)
{
    int a = s->leaf[one], b = s->leaf[other], first = 0, level = 0;
    for (; a != b; a >>= 1, b >>= 1, level++)
        first += 1 << (s->depth - level);
    return first + a;
}

void snCoatQueue_Fill(const snCoatGroup *g, snCoatQueue *q, int count, snCoatEndsFcn *ends)
{
    int nodes = 2 << g->split.depth, at[2 * SN_COAT_LEAVES + 1] = {0};
    for (int i = 0; i < count; i++) {
        int body[2];
        q->node[i] = ends(g, i, body) ? nodeOf(&g->split, body[0], body[1]) : nodes;
        if (q->node[i] < nodes) at[q->node[i] + 1]++;
    }
    for (int n = 0; n < nodes; n++)
        at[n + 1] += at[n];
    for (int n = 0; n <= nodes; n++)
        q->start[n] = at[n];
    for (int i = 0; i < count; i++)
        if (q->node[i] < nodes) q->items[at[q->node[i]]++] = i;
}

typedef struct Level {
    snCoatGroup *group;
    const snCoatQueue *queue;
    snCoatNodeFcn *fcn;
    int first;
} Level;

static void runSome(int begin, int end, int worker, void *context)
{
    const Level *l = context;
    (void)worker;
    for (int n = l->first + begin; n < l->first + end; n++) {
        int from = l->queue->start[n], count = l->queue->start[n + 1] - from;
        if (count) l->fcn(l->group, n, count, l->queue->items + from);
    }
}

void snCoatQueue_Run(snCoatGroup *g, const snCoatQueue *q, snCoatNodeFcn *fcn)
{
    Level level = {g, q, fcn, 0};
    for (int nodes = 1 << g->split.depth; nodes > 0; nodes /= 2) {
        snParallelFor(&g->tasks, nodes, 1, runSome, &level);
        level.first += nodes;
    }
}
