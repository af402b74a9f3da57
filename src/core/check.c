#include "core/check.h"

#include <string.h>

snStatus snCheckPointer(const char *what, const void *pointer, snError *error)
{
    return pointer ? SN_OK : snFail(error, SN_ERROR_ARGUMENT, "%s is NULL", what);
}

snStatus snCheckNumber(const char *what, double number, snError *error)
{
    if (isfinite(number)) return SN_OK;
    return snFail(error, SN_ERROR_ARGUMENT, "%s is %g; it must be finite", what, number);
}

snStatus snCheckNumbers(const char *what, int count, const double *numbers, snError *error)
{
    if (!numbers) return snCheckPointer(what, numbers, error);
    for (int k = 0; k < count; k++)
        if (!isfinite(numbers[k]))
            return snFail(error, SN_ERROR_ARGUMENT, "%s[%d] is %g; it must be finite", what, k,
                          numbers[k]);
    return SN_OK;
}

snStatus snCheckRange(const char *what, double number, double least, double most, snError *error)
{
    if (number >= least && number <= most) return SN_OK;
    return snFail(error, SN_ERROR_ARGUMENT, "%s is %g; it must be from %g to %g", what, number,
                  least, most);
}

snStatus snCheckIndex(const char *what, int index, int count, snError *error)
{
    if (index >= 0 && index < count) return SN_OK;
    return snFail(error, SN_ERROR_ARGUMENT, "there is no %s %d among %d", what, index, count);
}

snStatus snCheckPlacement(const char *what, const snPlacement *place, snError *error)
{
    snStatus status = snCheckPointer(what, place, error);
    if (status) return status;
    status = snCheckNumbers("position", 3, place->position, error);
    if (!status) status = snCheckNumbers("rotation", 4, place->rotation, error);
    if (status) snError_Prefix(error, "%s", what);
    return status;
}

snStatus snCheckMatrices(const char *what, int count, const float *matrices, size_t stride,
                         snError *error)
{
    if (!matrices) return snCheckPointer(what, matrices, error);
    for (int m = 0; m < count; m++) {
        float e[16];
        memcpy(e, (const char *)matrices + (size_t)m * (stride ? stride : sizeof e), sizeof e);
        for (int k = 0; k < 16; k++)
            if (k % 4 != 3 && !isfinite(e[k]))
                return snFail(error, SN_ERROR_ARGUMENT,
                              "%s: number %d of matrix %d is %g; it must be finite", what, k, m,
                              (double)e[k]);
    }
    return SN_OK;
}

snStatus snCheckContext(const snContext *context, snError *error)
{
    snStatus status = snCheckPointer("context", context, error);
    if (status) return status;
    if (!context->allocator.allocate || !context->allocator.release)
        return snFail(error, SN_ERROR_ARGUMENT,
                      "the context has no allocator; begin with snDefaultContext");
    if (context->tasks.run && context->tasks.workers < 1)
        return snFail(error, SN_ERROR_ARGUMENT, "the context's tasks have %d workers; at least 1",
                      context->tasks.workers);
    return SN_OK;
}

bool snRefuse(const snContext *context, snStatus bad, const snError *why)
{
    if (bad) snLog(context, SN_LOG_WARNING, "left as it is: %s", why->message);
    return bad != SN_OK;
}
