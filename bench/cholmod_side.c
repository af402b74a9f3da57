#include "bench/cholmod_side.h"
#include "tests/numerics/cholmod_matrix.h"

#include <string.h>

const char *snCholmod_Name(int kind)
{
    static const char *const names[SN_CHOLMOD_KINDS] = {"supernodal AMD", "simplicial AMD",
                                                        "supernodal METIS", "simplicial METIS"};
    return names[kind];
}

void snCholmod_Make(snCholmod *cholmod, int kind, const snSparse *matrix, const double *b)
{
    *cholmod = (snCholmod){.factor = NULL};
    cholmod_common *common = &cholmod->common;
    size_t rows = (size_t)(matrix->pattern.size * matrix->block);
    cholmod_start(common);
    common->supernodal = kind & 1 ? CHOLMOD_SIMPLICIAL : CHOLMOD_SUPERNODAL;
    common->nmethods = 1;
    common->method[0].ordering = kind & 2 ? CHOLMOD_METIS : CHOLMOD_AMD;
    common->postorder = 1;
    common->print = 0;
    cholmod_sparse *a = toCholmod(matrix, common);
    cholmod->factor = cholmod_analyze(a, common);
    cholmod_factorize(a, cholmod->factor, common);
    cholmod_free_sparse(&a, common);
    cholmod->b = cholmod_zeros(rows, 1, CHOLMOD_REAL, common);
    memcpy(cholmod->b->x, b, rows * sizeof *b);
}

void snCholmod_Destroy(snCholmod *cholmod)
{
    cholmod_free_dense(&cholmod->b, &cholmod->common);
    cholmod_free_dense(&cholmod->x, &cholmod->common);
    cholmod_free_dense(&cholmod->y, &cholmod->common);
    cholmod_free_dense(&cholmod->e, &cholmod->common);
    cholmod_free_factor(&cholmod->factor, &cholmod->common);
    cholmod_finish(&cholmod->common);
}

void snCholmod_Solve(void *context)
{
    snCholmod *cholmod = context;
    cholmod_solve2(CHOLMOD_A, cholmod->factor, cholmod->b, NULL, &cholmod->x, NULL, &cholmod->y,
                   &cholmod->e, &cholmod->common);
    snBench_Keep(cholmod->x->x);
}

void snCholmod_MakeAll(snCholmod cholmod[SN_CHOLMOD_KINDS], snContestant sides[SN_CHOLMOD_KINDS],
                       const snSparse *matrix, const double *b)
{
    for (int k = 0; k < SN_CHOLMOD_KINDS; k++) {
        snCholmod_Make(&cholmod[k], k, matrix, b);
        sides[k] = (snContestant){
            .name = snCholmod_Name(k), .run = snCholmod_Solve, .context = &cholmod[k]};
    }
}

void snCholmod_DestroyAll(snCholmod cholmod[SN_CHOLMOD_KINDS])
{
    for (int k = 0; k < SN_CHOLMOD_KINDS; k++)
        snCholmod_Destroy(&cholmod[k]);
}

const snContestant *snCholmod_Best(const snContestant sides[SN_CHOLMOD_KINDS])
{
    const snContestant *best = sides;
    for (int k = 1; k < SN_CHOLMOD_KINDS; k++)
        if (sides[k].seconds < best->seconds) best = &sides[k];
    return best;
}
