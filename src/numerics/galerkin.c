#include "numerics/galerkin.h"

#include "core/error.h"
#include "core/tasks.h"

#include <string.h>

// One row a of the product at a time, with full-length rows to add up in:
//     z_j = Σ_i P_ia A_ij,      (Pᵀ A P)_ab = Σ_j z_j P_jb,  b <= a
// and the other triangle is its mirror image. Nothing is shared between rows, so neither pieces nor
// threads change a bit.
enum { ROOMS = 4 };

typedef struct snGalerkinRoom {
    double *fine;   // [fine rows * block²], z; zero but for the rows listed
    double *coarse; // [coarse rows * block²]
    int *mark;      // [fine rows], a + 1: z_j is listed
    int *list;      // [fine rows], the j with z_j
} snGalerkinRoom;

// Lists the fine rows that row a of PᵀA reaches; how many.
static int reach(const snGalerkin *product, int a, int *mark, int *list)
{
    int count = 0;
    const snRowMatrix *fine = product->fine;
    for (int m = product->transposed.start[a]; m < product->transposed.start[a + 1]; m++) {
        int i = product->transposed.column[m];
        for (int k = fine->start[i]; k < fine->start[i + 1]; k++) {
            int j = fine->column[k];
            if (mark[j] == a + 1) continue;
            mark[j] = a + 1;
            list[count++] = j;
        }
    }
    return count;
}

// Counts, or fills, the entries of all rows. A row without any still has its diagonal.
static void visitProduct(const snGalerkin *product, int *const marks[2], int *list, int *count,
                         const snRowStructure *out)
{
    const snWeightRows *p = &product->prolongation;
    memset(marks[0], 0, (size_t)p->rows * sizeof(int));
    memset(marks[1], 0, (size_t)p->columns * sizeof(int));
    for (int a = 0; a < p->columns; a++) {
        int reached = reach(product, a, marks[0], list), entries = 1;
        marks[1][a] = a + 1;
        if (out) out->column[out->start[a]] = a;
        for (int r = 0; r < reached; r++)
            for (int k = p->start[list[r]]; k < p->start[list[r] + 1]; k++) {
                int b = p->column[k];
                if (marks[1][b] == a + 1) continue;
                marks[1][b] = a + 1;
                if (out) out->column[out->start[a] + entries] = b;
                entries++;
            }
        if (count) count[a] = entries;
    }
}

static snStatus productStructure(const snGalerkin *product, snRowStructure *s, snArena *scratch,
                                 snError *error)
{
    const snWeightRows *p = &product->prolongation;
    int *marks[2] = {SN_NEW(scratch, int, p->rows), SN_NEW(scratch, int, p->columns)};
    int *list = SN_NEW(scratch, int, p->rows), *count = SN_NEW(scratch, int, p->columns);
    if (!marks[0] || !marks[1] || !list || !count) return snFailMemory(error);
    s->size = p->columns;
    visitProduct(product, marks, list, count, NULL);
    snStatus status = snRowStructure_Start(s, count, scratch, error);
    if (!status) visitProduct(product, marks, list, NULL, s);
    return status;
}

static snStatus makeRooms(snGalerkin *product, int block, snArena *arena, snError *error)
{
    size_t entry = (size_t)(block * block);
    size_t fine = (size_t)product->prolongation.rows,
           coarse = (size_t)product->prolongation.columns;
    product->rooms = SN_NEW(arena, snGalerkinRoom, ROOMS);
    for (int r = 0; r < ROOMS && product->rooms; r++) {
        snGalerkinRoom *room = &product->rooms[r];
        room->fine = SN_NEW(arena, double, fine *entry);
        room->coarse = SN_NEW(arena, double, coarse *entry);
        room->mark = SN_NEW(arena, int, fine);
        room->list = SN_NEW(arena, int, fine);
        if (!room->fine || !room->coarse || !room->mark || !room->list) return snFailMemory(error);
    }
    return product->rooms ? SN_OK : snFailMemory(error);
}

snStatus snGalerkin_Make(snGalerkin *product, snRowMatrix *coarse, const snRowMatrix *fine,
                         const snWeightRows *prolongation, const unsigned char *swept,
                         snArena *arena, snError *error)
{
    *product = (snGalerkin){.fine = fine, .prolongation = *prolongation};
    snArena scratch = {.allocator = arena->allocator};
    snRowStructure s;
    snStatus status = snWeightRows_Transpose(&product->transposed, prolongation, arena, error);
    if (!status) status = productStructure(product, &s, &scratch, error);
    if (!status) status = snRowMatrix_FromStructure(coarse, &s, fine->block, swept, arena, error);
    if (!status) status = makeRooms(product, fine->block, arena, error);
    snArena_Destroy(&scratch);
    return status;
}

typedef struct ProductJob {
    const snGalerkin *product;
    snRowMatrix *coarse;
} ProductJob;

static inline void addScaled(double *to, double weight, const double *from, int entry)
{
    for (int c = 0; c < entry; c++)
        to[c] += weight * from[c];
}

// Row a of PᵀA, to room->fine. Returns how many rows are listed.
static inline int leftProduct(const snGalerkin *product, snGalerkinRoom *room, int a, int entry)
{
    const snRowMatrix *fine = product->fine;
    int count = reach(product, a, room->mark, room->list);
    for (int r = 0; r < count; r++)
        memset(room->fine + (size_t)room->list[r] * (size_t)entry, 0,
               (size_t)entry * sizeof(double));
    for (int m = product->transposed.start[a]; m < product->transposed.start[a + 1]; m++) {
        int i = product->transposed.column[m];
        for (int k = fine->start[i]; k < fine->start[i + 1]; k++)
            addScaled(room->fine + (size_t)fine->column[k] * (size_t)entry,
                      product->transposed.weight[m], fine->values + (size_t)k * (size_t)entry,
                      entry);
    }
    return count;
}

static inline void productRow(const snGalerkin *product, snRowMatrix *coarse, snGalerkinRoom *room,
                              int a, int entry)
{
    const snWeightRows *p = &product->prolongation;
    for (int k = coarse->start[a]; k < coarse->start[a + 1]; k++)
        memset(room->coarse + (size_t)coarse->column[k] * (size_t)entry, 0,
               (size_t)entry * sizeof(double));
    int count = leftProduct(product, room, a, entry);
    for (int r = 0; r < count; r++) {
        int j = room->list[r];
        for (int k = p->start[j]; k < p->start[j + 1]; k++)
            if (p->column[k] <= a)
                addScaled(room->coarse + (size_t)p->column[k] * (size_t)entry, p->weight[k],
                          room->fine + (size_t)j * (size_t)entry, entry);
    }
    for (int k = coarse->start[a]; k < coarse->start[a + 1]; k++)
        memcpy(coarse->values + (size_t)k * (size_t)entry,
               room->coarse + (size_t)coarse->column[k] * (size_t)entry,
               (size_t)entry * sizeof(double));
}

static void computeRoom(int begin, int end, int worker, void *context)
{
    (void)worker;
    const ProductJob *job = context;
    int64_t size = job->coarse->size;
    for (int r = begin; r < end; r++) {
        snGalerkinRoom *room = &job->product->rooms[r];
        memset(room->mark, 0, (size_t)job->product->prolongation.rows * sizeof *room->mark);
        for (int a = (int)(size * r / ROOMS); a < (int)(size * (r + 1) / ROOMS); a++) {
            if (job->coarse->block == 3)
                productRow(job->product, job->coarse, room, a, 9);
            else
                productRow(job->product, job->coarse, room, a, 1);
        }
    }
}

// The upper triangle from the lower one, inside diagonal entries too.
static void mirror(snRowMatrix *coarse)
{
    int block = coarse->block;
    size_t entry = (size_t)(block * block);
    for (int a = 0; a < coarse->size; a++) {
        double *diagonal = coarse->values + (size_t)coarse->middle[a] * entry;
        for (int p = 0; p < block; p++)
            for (int q = p + 1; q < block; q++)
                diagonal[p * block + q] = diagonal[q * block + p];
        for (int k = coarse->start[a]; k < coarse->start[a + 1]; k++)
            if (coarse->column[k] > a)
                snCopyEntry(coarse->values + (size_t)k * entry,
                            coarse->values + (size_t)coarse->source[k] * entry, block, true);
    }
}

void snGalerkin_Compute(const snGalerkin *product, snRowMatrix *coarse, const snTasks *tasks)
{
    ProductJob job = {product, coarse};
    snParallelFor(tasks, ROOMS, 1, computeRoom, &job);
    mirror(coarse);
}

snStatus snGalerkin_Sparse(snSparse *coarse, const snSparse *fine, const snWeightRows *p,
                           const snTasks *tasks, snArena *arena, snError *error)
{
    snArena scratch = {.allocator = arena->allocator};
    snGalerkin product;
    snRowMatrix from, to;
    snStatus status = snRowMatrix_FromSparse(&from, fine, NULL, &scratch, error);
    if (!status) status = snGalerkin_Make(&product, &to, &from, p, NULL, &scratch, error);
    if (!status) status = snRowMatrix_Lower(coarse, &to, arena, error);
    if (!status) {
        snRowMatrix_Load(&from, fine);
        snGalerkin_Compute(&product, &to, tasks);
        snRowMatrix_StoreLower(&to, coarse);
    }
    snArena_Destroy(&scratch);
    return status;
}
