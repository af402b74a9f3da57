// L row by row (up-looking). With s the row of the matrix that is eliminated k-th,
//     l_kj = (s_kj - Σ_t l_kt l_jt) / l_jj      for all j before k, ascending
// and l_kj can differ from 0 only where j is on a way from an entry of s up the elimination tree (Liu, "The role of
// elimination trees in sparse factorization", 1990). The tree grows along: the parent of j is the first row after it that has an
// entry in column j.
#include "constraint/row_factor.h"

#include "numerics/ordering.h"

#include <math.h>
#include <string.h>

bool snRowFactor_Make(snRowFactor *factor, int capacity, snArena *arena)
{
    size_t rows = (size_t)capacity, pairs = capacity > 0 ? rows * (rows - 1) / 2 : 0;
    *factor = (snRowFactor){.capacity = capacity};
    factor->start = SN_NEW(arena, int, rows + 1);
    factor->index = SN_NEW(arena, int, pairs);
    factor->entry = SN_NEW(arena, double, pairs);
    factor->diagonal = SN_NEW(arena, double, rows);
    factor->order = SN_NEW(arena, int, rows);
    factor->first = SN_NEW(arena, int, rows + 1);
    factor->column = SN_NEW(arena, int, pairs);
    factor->value = SN_NEW(arena, double, pairs);
    factor->inverse = SN_NEW(arena, double, rows);
    factor->graphStart = SN_NEW(arena, int, rows + 2);
    factor->neighbour = SN_NEW(arena, int, 2 * pairs);
    factor->place = SN_NEW(arena, int, rows);
    factor->parent = SN_NEW(arena, int, rows);
    factor->mark = SN_NEW(arena, int, rows);
    factor->room = SN_NEW(arena, int, snOrderRoom(capacity, 2 * pairs));
    factor->row = SN_NEW(arena, double, rows);
    return factor->start && factor->index && factor->entry && factor->diagonal && factor->order &&
           factor->first && factor->column && factor->value && factor->inverse &&
           factor->graphStart && factor->neighbour && factor->place && factor->parent &&
           factor->mark && factor->room && factor->row;
}

// ---- the matrix ---------------------------------------------------------------------------------

void snRowFactor_Begin(snRowFactor *factor)
{
    factor->count = 0;
    factor->start[0] = 0;
}

void snRowFactor_AddRow(snRowFactor *factor)
{
    int i = factor->count++;
    factor->start[i + 1] = factor->start[i];
}

void snRowFactor_AddEntry(snRowFactor *factor, int j, double value)
{
    int at = factor->start[factor->count]++;
    factor->index[at] = j;
    factor->entry[at] = value;
}

void snRowFactor_SetDiagonal(snRowFactor *factor, double value)
{
    factor->diagonal[factor->count - 1] = value;
}

// ---- the order ----------------------------------------------------------------------------------

// Neighbours of every row. Rows ascend, so that a list has first the smaller ones and then, as their rows come,
// the larger ones: it is sorted.
static snGraph makeGraph(snRowFactor *f)
{
    int *end = f->graphStart + 1;
    memset(f->graphStart, 0, ((size_t)f->count + 2) * sizeof(int));
    for (int i = 0; i < f->count; i++)
        for (int e = f->start[i]; e < f->start[i + 1]; e++) {
            end[i + 1]++;
            end[f->index[e] + 1]++;
        }
    for (int i = 0; i < f->count; i++)
        end[i + 1] += end[i];
    for (int i = 0; i < f->count; i++)
        for (int e = f->start[i]; e < f->start[i + 1]; e++) {
            f->neighbour[end[i]++] = f->index[e];
            f->neighbour[end[f->index[e]]++] = i;
        }
    return (snGraph){f->count, f->graphStart, f->neighbour};
}

// ---- L ------------------------------------------------------------------------------------------

// Columns of the row that is eliminated k-th, from `first[k]` on; returns how many.
static int findColumns(snRowFactor *f, const snGraph *graph, int k)
{
    int row = f->order[k], *column = f->column + f->first[k], count = 0;
    f->parent[k] = -1;
    f->mark[k] = k;
    for (int e = graph->start[row]; e < graph->start[row + 1]; e++)
        for (int j = f->place[graph->neighbour[e]]; j < k && f->mark[j] != k; j = f->parent[j]) {
            if (f->parent[j] < 0) f->parent[j] = k;
            f->mark[j] = k;
            int at = count++;
            for (; at > 0 && column[at - 1] > j; at--)
                column[at] = column[at - 1];
            column[at] = j;
        }
    return count;
}

// Entries of the matrix in row k, to f->row.
static void spread(snRowFactor *f, const snGraph *graph, int k)
{
    int row = f->order[k];
    for (int e = f->start[row]; e < f->start[row + 1]; e++)
        f->row[f->index[e]] = f->entry[e];
    for (int g = graph->start[row]; g < graph->start[row + 1]; g++) {
        int other = graph->neighbour[g];
        for (int e = f->start[other]; e < f->start[other + 1] && other > row; e++)
            if (f->index[e] == row) f->row[other] = f->entry[e];
    }
}

// Row k of L, whose columns are numbers of rows by now; returns the share of its pivot.
static double computeRow(snRowFactor *f, int k)
{
    double diagonal = f->diagonal[f->order[k]], pivot = diagonal;
    for (int e = f->first[k]; e < f->first[k + 1]; e++) {
        int row = f->column[e], j = f->place[row];
        double sum = f->row[row];
        for (int t = f->first[j]; t < f->first[j + 1]; t++)
            sum -= f->value[t] * f->row[f->column[t]];
        f->value[e] = f->row[row] = sum * f->inverse[j];
        pivot -= f->value[e] * f->value[e];
    }
    f->inverse[k] = pivot;
    return diagonal > 0 ? pivot / diagonal : 0;
}

static void clearRow(snRowFactor *f, const snGraph *graph, int k)
{
    int row = f->order[k];
    for (int e = f->first[k]; e < f->first[k + 1]; e++)
        f->row[f->column[e]] = 0;
    for (int g = graph->start[row]; g < graph->start[row + 1]; g++)
        f->row[graph->neighbour[g]] = 0;
}

double snRowFactor_Compute(snRowFactor *f, double dependent)
{
    double least = 1;
    snGraph graph = makeGraph(f);
    snOrderByDegreeIn(f->order, &graph, f->room);
    for (int k = 0; k < f->count; k++)
        f->place[f->order[k]] = k;
    f->first[0] = 0;
    for (int k = 0; k < f->count; k++) {
        f->first[k + 1] = f->first[k] + findColumns(f, &graph, k);
        for (int e = f->first[k]; e < f->first[k + 1]; e++)
            f->column[e] = f->order[f->column[e]];
        spread(f, &graph, k);
        double share = computeRow(f, k);
        f->inverse[k] = share > dependent ? 1 / sqrt(f->inverse[k]) : 0;
        least = share < least ? share : least;
        clearRow(f, &graph, k);
    }
    return least;
}

void snRowFactor_Solve(const snRowFactor *f, double *x)
{
    for (int k = 0; k < f->count; k++) {
        double *own = x + 4 * (size_t)f->order[k], sum[4];
        memcpy(sum, own, sizeof sum);
        for (int e = f->first[k]; e < f->first[k + 1]; e++) {
            const double *other = x + 4 * (size_t)f->column[e];
            for (int s = 0; s < 4; s++)
                sum[s] -= f->value[e] * other[s];
        }
        for (int s = 0; s < 4; s++)
            own[s] = sum[s] * f->inverse[k];
    }
    for (int k = f->count - 1; k >= 0; k--) {
        double *own = x + 4 * (size_t)f->order[k], mine[4];
        for (int s = 0; s < 4; s++)
            own[s] = mine[s] = own[s] * f->inverse[k];
        for (int e = f->first[k]; e < f->first[k + 1]; e++) {
            double *other = x + 4 * (size_t)f->column[e];
            for (int s = 0; s < 4; s++)
                other[s] -= f->value[e] * mine[s];
        }
    }
}
