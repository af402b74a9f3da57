#include "numerics/ordering.h"

#include "core/error.h"

#include <amd.h>

#include <limits.h>
#include <string.h>

snStatus snGraph_FromPattern(snGraph *graph, const snPattern *pattern, snArena *arena,
                             snError *error)
{
    int size = pattern->size;
    int64_t entries = size ? pattern->columnStart[size] : 0;
    *graph = (snGraph){.size = size};
    if (2 * (entries - size) > INT_MAX)
        return snFail(error, SN_ERROR_ARGUMENT, "a matrix of %d rows has too many entries", size);
    graph->start = SN_NEW(arena, int, (size_t)size + 2);
    graph->neighbour = SN_NEW(arena, int, 2 * (entries - size));
    if (!graph->start || !graph->neighbour) return snFailMemory(error);

    // start[i + 2] counts, then start[i + 1] is where the next neighbour of i goes.
    for (int j = 0; j < size; j++)
        for (int k = pattern->columnStart[j] + 1; k < pattern->columnStart[j + 1]; k++) {
            graph->start[j + 2]++;
            graph->start[pattern->row[k] + 2]++;
        }
    for (int i = 0; i < size; i++)
        graph->start[i + 2] += graph->start[i + 1];
    // Columns ascend, so every vertex receives first its smaller neighbours (as a row) and, when
    // its own column comes, the larger ones: the lists are sorted.
    for (int j = 0; j < size; j++)
        for (int k = pattern->columnStart[j] + 1; k < pattern->columnStart[j + 1]; k++) {
            int i = pattern->row[k];
            graph->neighbour[graph->start[j + 1]++] = i;
            graph->neighbour[graph->start[i + 1]++] = j;
        }
    return SN_OK;
}

// AMD works inside a copy of the graph and wants elbow room behind it, and nine lists.
static int64_t elbowRoom(const snGraph *graph)
{
    int edges = graph->start[graph->size];
    return (int64_t)edges + edges / 5 + (int64_t)graph->size + 1;
}

size_t snOrderRoom(int size, size_t edges)
{
    return edges + edges / 5 + 10 * (size_t)size + 1;
}

void snOrderByDegreeIn(int *order, const snGraph *graph, int *room)
{
    int size = graph->size, edges = size ? graph->start[size] : 0;
    if (size == 0) return;
    int *lists = room, *work = room + 9 * (size_t)size;
    int *start = lists, *length = lists + size;
    for (int i = 0; i < size; i++) {
        start[i] = graph->start[i];
        length[i] = graph->start[i + 1] - graph->start[i];
    }
    if (edges) memcpy(work, graph->neighbour, (size_t)edges * sizeof *work);
    double control[AMD_CONTROL], info[AMD_INFO];
    amd_defaults(control);
    int *last = lists + 4 * (size_t)size;
    amd_2(size, start, work, length, (int)elbowRoom(graph), edges, lists + 2 * (size_t)size,
          lists + 3 * (size_t)size, last, lists + 5 * (size_t)size, lists + 6 * (size_t)size,
          lists + 7 * (size_t)size, lists + 8 * (size_t)size, control, info);
    memcpy(order, last, (size_t)size * sizeof *order);
}

snStatus snOrderByDegree(int *order, const snGraph *graph, snArena *scratch, snError *error)
{
    if (graph->size == 0) return SN_OK;
    if (elbowRoom(graph) > INT_MAX)
        return snFail(error, SN_ERROR_ARGUMENT, "a matrix of %d rows has too many entries",
                      graph->size);
    int *room = SN_NEW(scratch, int, snOrderRoom(graph->size, (size_t)graph->start[graph->size]));
    if (!room) return snFailMemory(error);
    snOrderByDegreeIn(order, graph, room);
    return SN_OK;
}
