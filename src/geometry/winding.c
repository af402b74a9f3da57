#include "geometry/winding.h"

#include "core/error.h"
#include "core/tasks.h"
#include "geometry/dipole.h"
#include "geometry/orient.h"
#include "geometry/primitive.h"

#define BETA 2.3       // far-field criterion; the tests print the largest error, some 4e-3
#define BETA_CLOSE 4.0 // for numbers so near the threshold that the error could decide
#define CLOSE 0.02
#define THRESHOLD 0.5
#define QUERY_GRAIN 256

struct snWinding {
    snDipoles dipoles;
    snBox box;
};

snStatus snWinding_Make(snWinding **winding, const snMeshTree *tree, snArena *arena, snError *error)
{
    *winding = NULL;
    snWinding *made = SN_NEW(arena, snWinding, 1);
    snArena scratch = {.allocator = arena->allocator};
    signed char *signs = SN_NEW(&scratch, signed char, tree->mesh.triangleCount);
    snStatus status = made && signs ? SN_OK : snFailMemory(error);
    if (!status) status = snOrientTriangles(signs, tree, &arena->allocator, error);
    if (!status) status = snDipoles_Make(&made->dipoles, tree, signs, arena, error);
    snArena_Destroy(&scratch);
    if (status) return status;
    made->box = tree->tree.nodeCount > 0 ? tree->tree.nodes[0].box : snEmptyBox();
    *winding = made;
    return SN_OK;
}

double snWinding_Number(const snWinding *winding, snVec3 point)
{
    return snDipoles_Number(&winding->dipoles, point, BETA);
}

double snWinding_Exact(const snWinding *winding, snVec3 point)
{
    return snDipoles_Exact(&winding->dipoles, point);
}

bool snWinding_Inside(const snWinding *winding, snVec3 point)
{
    if (!snBox_Contains(winding->box, point)) return false;
    double number = fabs(snDipoles_Number(&winding->dipoles, point, BETA));
    if (fabs(number - THRESHOLD) < CLOSE)
        number = fabs(snDipoles_Number(&winding->dipoles, point, BETA_CLOSE));
    return number > THRESHOLD;
}

typedef struct Queries {
    const snWinding *winding;
    const snVec3 *points;
    unsigned char *inside;
} Queries;

static void answer(int begin, int end, int worker, void *context)
{
    (void)worker;
    Queries *queries = context;
    for (int i = begin; i < end; i++)
        queries->inside[i] = snWinding_Inside(queries->winding, queries->points[i]);
}

void snWinding_InsideMany(const snWinding *winding, const snTasks *tasks, int count,
                          const snVec3 *points, unsigned char *inside)
{
    snParallelFor(tasks, count, QUERY_GRAIN, answer, &(Queries){winding, points, inside});
}
