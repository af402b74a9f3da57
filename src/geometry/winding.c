#include "geometry/winding.h"

#include "core/elementary.h"
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
#define RUN_GRAIN 768  // 6 tets with 4 points each in 32 cells
#define RUN_LEAST 4    // points, below which each is asked for
#define RUN_WHOLE 0.05 // how near a whole number must be

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

double snMesh_Winding(const snMesh *mesh, snVec3 point)
{
    double sum = 0.0;
    for (int t = 0; t < mesh->triangleCount; t++) {
        const int *c = mesh->triangles + 3 * (size_t)t;
        double real, imaginary;
        if (snHalfSolidAngle(snSub(mesh->positions[c[0]], point),
                             snSub(mesh->positions[c[1]], point),
                             snSub(mesh->positions[c[2]], point), &real, &imaginary))
            sum += snAtan2(imaginary, real);
    }
    return sum / (2.0 * SN_PI);
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

// Away from the surface the number is harmonic. If it is between 0 and 1 in a ball of radius 2ρ, then by
// Harnack's inequality, u(x) <= R (R + ρ) / (R - ρ)² u(c) with R = 2ρ, which is 6 u(c), both it and its
// difference to 1 grow at most sixfold within ρ of the centre: a number within 0.05 of a whole one stays on
// its side of one half, also where holes of the surface let it vary.
typedef struct Runs {
    Queries queries;
    const snMeshTree *tree;
} Runs;

static void answerRun(const Runs *runs, int begin, int end)
{
    const Queries *q = &runs->queries;
    snBox box = snBoxOf(end - begin, q->points + begin);
    snVec3 centre = snScale(0.5, snAdd(box.lower, box.upper));
    double radius = 0.5 * snBoxDiagonal(box);
    if (end - begin > RUN_LEAST &&
        snMeshTree_Closest(runs->tree, centre, 2 * radius).triangle < 0) {
        double number = fabs(snWinding_Number(q->winding, centre));
        if (fabs(number - floor(number + 0.5)) < RUN_WHOLE) {
            for (int i = begin; i < end; i++)
                q->inside[i] = number > THRESHOLD;
            return;
        }
    }
    if (end - begin > RUN_LEAST) {
        int half = begin + (end - begin) / 2;
        answerRun(runs, begin, half);
        answerRun(runs, half, end);
        return;
    }
    for (int i = begin; i < end; i++)
        q->inside[i] = snWinding_Inside(q->winding, q->points[i]);
}

static void answerRuns(int begin, int end, int worker, void *context)
{
    (void)worker;
    answerRun(context, begin, end);
}

void snWinding_InsideRuns(const snWinding *winding, const snMeshTree *tree, const snTasks *tasks,
                          int count, const snVec3 *points, unsigned char *inside)
{
    Runs runs = {{winding, points, inside}, tree};
    snParallelFor(tasks, count, RUN_GRAIN, answerRuns, &runs);
}
