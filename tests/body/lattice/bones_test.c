// Bones that give way, on a bar of flesh round two links: the condensed matrix, the gradient, the inverse and the step against independent
// computations; and what is kept of momentum.
#include "tests/test.h"

#include "body/lattice/bones.h"
#include "body/lattice/bones_parts.h"
#include "body/lattice/passes.h"
#include "core/core.h"
#include "numerics/dense.h"
#include "tests/body/lattice/blocks.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define ALONG 6
#define LENGTH 0.6
#define WIDE 0.12
#define POINTS 8

typedef struct Bar {
    snContext context;
    snArena arena;
    snLattice lattice;
    snQuadrature quadrature;
    snLatticeModelDef def;
    snLatticeModel *model;
    snLatticeState *state;
    snBones *bones;
    double *rig, *acceleration;
    snLatticeDrive drive;
    int free, unknowns; // numbers: 3 for each free vertex, then the links'
} Bar;

// How much of a place hangs on the second link.
static double share(double x)
{
    double u = (x - 0.35 * LENGTH) / (0.3 * LENGTH);
    return u < 0 ? 0 : u > 1 ? 1 : u;
}

static bool onAxis(snVec3 r)
{
    return fabs(r.y - 0.5 * WIDE) < 1e-9 && fabs(r.z - 0.5 * WIDE) < 1e-9;
}

typedef struct Links {
    int parent[2];
    snVec3 joint[2];
    unsigned char turns[2];
    snBonePoint points[POINTS];
    snBonesDef def;
} Links;

// Two links along the axis, their mass in points round it; what is left of the axis' own mass is flesh.
static void describeLinks(Links *links, const Bar *bar, double boneMass)
{
    *links = (Links){.parent = {-1, 0},
                     .joint = {{0, 0.5 * WIDE, 0.5 * WIDE}, {0.5 * LENGTH, 0.5 * WIDE, 0.5 * WIDE}},
                     .turns = {1, 1}};
    for (int i = 0; i < POINTS; i++) {
        double angle = 1.7 * i;
        links->points[i] =
            (snBonePoint){i >= POINTS / 2,
                          {LENGTH * (i + 0.5) / POINTS, 0.5 * WIDE + 0.02 * cos(angle),
                           0.5 * WIDE + 0.02 * sin(angle)},
                          boneMass / POINTS};
    }
    double axis = 0;
    for (int v = bar->model ? bar->model->freeCount : 0; bar->model && v < bar->lattice.vertexCount;
         v++)
        axis += bar->model->mass[v];
    links->def = (snBonesDef){.model = bar->model,
                              .linkCount = 2,
                              .parent = links->parent,
                              .joint = links->joint,
                              .turns = links->turns,
                              .pointCount = POINTS,
                              .points = links->points,
                              .left = axis > 0 ? 1 - boneMass / axis : 1};
}

// With bones the vertices on the axis are known and what is near is held; without there is nothing but flesh.
static Bar *makeBar(bool bones, double boneMass, double step, int iterations)
{
    Bar *bar = calloc(1, sizeof *bar);
    snArena *arena = &bar->arena;
    snError error = {0};
    bar->context = snDefaultContext();
    *arena = snMakeArena(&bar->context);
    bar->lattice = makeBlock(BLOCK_HEXES, ALONG, 2, 2, snVec(LENGTH, WIDE, WIDE), arena);
    int n = bar->lattice.vertexCount, entries = 0;
    snWeightRows skin;
    CHECK(snWeightRows_Make(&skin, n, 2, 2 * (size_t)n, arena, NULL) == SN_OK);
    unsigned char *known = SN_NEW(arena, unsigned char, n);
    double *hold = SN_NEW(arena, double, n), *young = SN_NEW(arena, double, bar->lattice.cellCount);
    for (int v = 0; v < n; v++) {
        snVec3 r = bar->lattice.rest[v];
        double w = share(r.x);
        for (int j = 0; j < 2; j++) {
            if (!(j ? w > 0 : w < 1)) continue;
            skin.column[entries] = j;
            skin.weight[entries++] = j ? w : 1 - w;
        }
        skin.start[v + 1] = entries;
        known[v] = bones && onAxis(r);
        hold[v] = bones && fabs(r.y - 0.5 * WIDE) + fabs(r.z - 0.5 * WIDE) < 0.6 * WIDE ? 3 : 0;
    }
    for (int c = 0; c < bar->lattice.cellCount; c++)
        young[c] = 2e4;
    snQuadratureDef quadrature = snDefaultQuadratureDef();
    CHECK(snQuadrature_Make(&bar->quadrature, &bar->lattice, &quadrature, arena, &bar->context,
                            NULL) == SN_OK);
    bar->def = snDefaultLatticeModelDef();
    bar->def.lattice = &bar->lattice;
    bar->def.quadrature = &bar->quadrature;
    bar->def.skin = &skin;
    bar->def.known = known;
    bar->def.hold = hold;
    bar->def.young = young;
    bar->def.motion = SN_MOTION_FULL;
    bar->def.precision = SN_PRECISION_DOUBLE;
    bar->def.massDamping = bones ? 0.5 : 0;
    bar->def.stiffnessDamping = 0.002;
    bar->def.step = step;
    bar->def.iterations = iterations;
    snStatus status = snLatticeModel_Build(&bar->model, &bar->def, &bar->context, &error);
    if (!status) status = snLatticeState_Make(&bar->state, bar->model, 1, &bar->context, &error);
    Links links;
    describeLinks(&links, bar, boneMass);
    if (!status && bones) status = snBones_Make(&bar->bones, &links.def, &bar->context, &error);
    if (!CHECK(status == SN_OK)) printf("    %s\n", error.message), exit(1);
    bar->rig = SN_NEW(arena, double, n * 4);
    bar->acceleration = SN_NEW(arena, double, n * 4);
    snAffine rest[2] = {snIdentityAffine(), snIdentityAffine()};
    snLatticeModel_Rig(bar->model, rest, bar->rig);
    bar->drive = (snLatticeDrive){.rig = bar->rig, .acceleration = bar->acceleration};
    bar->drive.bones = bar->bones;
    snLatticeState_Start(bar->model, bar->state, bar->rig, NULL);
    bar->free = bar->model->freeCount;
    bar->unknowns = 3 * bar->free + (bones ? 3 * bar->bones->rows : 0);
    if (!bones) return bar;
    bar->bones->rig = bar->rig;
    for (int j = 0; j < 2; j++)
        bar->bones->joints[j] =
            (snBoneJoint){.target = snIdentityQuat(), .axis = {1, 0, 0}, .twist = 3, .swing = 3};
    return bar;
}

static void freeBar(Bar *bar)
{
    snBones_Destroy(bar->bones);
    snLatticeState_Destroy(bar->state);
    snLatticeModel_Destroy(bar->model);
    snArena_Destroy(&bar->arena);
    free(bar);
}

static void gravity(Bar *bar, snVec3 g)
{
    if (bar->bones) bar->bones->gravity = g;
    for (int v = 0; v < bar->model->vertexCount; v++)
        snSetRow(bar->acceleration, v, g);
}

// As a body of a world does it: first guess and rig of it, then the step.
static void guess(Bar *bar)
{
    if (!bar->bones) return;
    snAffine t[2];
    snBones_Guess(bar->bones);
    for (int j = 0; j < 2; j++)
        t[j] = snBones_Transform(bar->bones, j);
    snLatticeModel_Rig(bar->model, t, bar->rig);
}

static bool step(Bar *bar)
{
    guess(bar);
    if (!bar->bones) // goes on as it does
        for (int k = 0; k < 4 * bar->model->vertexCount; k++)
            bar->rig[k] = bar->state->position[k] + bar->model->def.step * bar->state->velocity[k];
    return snLattice_Step(bar->model, bar->state, &bar->drive);
}

// An uneven motion, so that nothing is at rest.
static void stir(Bar *bar)
{
    snBones *b = bar->bones;
    b->links[0].relative = snQuatFromVector(snVec(0.3, -0.2, 0.4));
    b->links[1].relative = snQuatFromVector(snVec(0.2, 0.5, -0.3));
    b->links[0].place = snVec(0.1, 0.2, -0.1);
    b->links[0].turn = snVec(0.05, -0.03, 0.08);
    b->links[1].turn = snVec(-0.1, 0.06, 0.02);
    b->links[0].move = snVec(0.01, 0.02, -0.005);
    b->joints[0] = (snBoneJoint){
        .stiffness = 3, .damping = 0.1, .target = {0, 0, 0, 1}, .pull = 40, .drag = 2};
    b->joints[1] = (snBoneJoint){.stiffness = 2,
                                 .damping = 0.05,
                                 .target = snQuatFromVector(snVec(0.1, 0.1, 0)),
                                 .spin = {0.01, 0, 0.02},
                                 .limits = 30,
                                 .axis = {1, 0, 0},
                                 .twist = 0.05,
                                 .swing = 0.3};
    b->lift = snVec(0, 3, 0);
    snBones_Pose(b);
    snAffine t[2] = {snBones_Transform(b, 0), snBones_Transform(b, 1)};
    snLatticeModel_Rig(bar->model, t, bar->rig);
    snLatticeState_Start(bar->model, bar->state, bar->rig, NULL);
    for (int v = 0; v < bar->model->vertexCount; v++) {
        double *x = bar->state->position + 4 * v, *u = bar->state->velocity + 4 * v;
        for (int c = 0; c < 3; c++) {
            u[c] = 0.4 * sin(3.0 * v + c);
            if (v < bar->free) x[c] += 0.004 * cos(2.0 * v + 1.3 * c);
        }
    }
    for (int i = 0; i < b->pointCount; i++)
        b->speeds[i] = snVec(0.3 * sin(i), 0.2, -0.1 * i);
}

static void begin(Bar *bar)
{
    guess(bar);
    CHECK(snLattice_PrepareStep(bar->model, bar->state, &bar->drive));
    CHECK(snBones_Begin(bar->bones, bar->state, &bar->drive));
}

// ---- the objective and its gradient over all unknowns -------------------------------------------

static void setUnknowns(Bar *bar, const double *x)
{
    for (int k = 0; k < 3 * bar->free; k++)
        bar->state->next[4 * (k / 3) + k % 3] = x[k];
    for (int k = 0; k < 3 * bar->bones->rows; k++)
        bar->bones->values[4 * (k / 3) + k % 3] = x[3 * bar->free + k];
    snBones_Show(bar->bones, bar->state);
}

static void getUnknowns(const Bar *bar, double *x)
{
    for (int k = 0; k < 3 * bar->free; k++)
        x[k] = bar->state->next[4 * (k / 3) + k % 3];
    for (int k = 0; k < 3 * bar->bones->rows; k++)
        x[3 * bar->free + k] = bar->bones->values[4 * (k / 3) + k % 3];
}

static double objective(Bar *bar, const double *x, double *gradient)
{
    const snLatticeModel *model = bar->model;
    double energy, squares, h = model->def.step;
    setUnknowns(bar, x);
    for (int round = 0; round < 3; round++) // rotations follow
        snRunPass(model, bar->state, SN_PASS_FORCE, bar->state->next, NULL, &energy);
    model->vectors->gradient(model, bar->state, &squares);
    squares += snBones_AddTerms(bar->bones, bar->state, true);
    snBones_FindGradient(bar->bones, bar->state);
    for (int k = 0; gradient && k < 3 * bar->free; k++)
        gradient[k] = bar->state->gradient[4 * (k / 3) + k % 3];
    for (int k = 0; gradient && k < 3 * bar->bones->rows; k++)
        gradient[3 * bar->free + k] = bar->bones->gradient[4 * (k / 3) + k % 3];
    return h * (h + model->def.stiffnessDamping) * bar->state->stiffness * energy + squares;
}

static void gradientIsExact(void)
{
    Bar *bar = makeBar(true, 0.1, 1.0 / 60, 5);
    gravity(bar, snVec(0, -9.81, 0));
    stir(bar);
    begin(bar);
    int n = bar->unknowns;
    double *x = SN_NEW(&bar->arena, double, n), *g = SN_NEW(&bar->arena, double, n);
    getUnknowns(bar, x);
    for (int k = 3 * bar->free; k < n; k++)
        x[k] = 0.1 * sin(k);
    objective(bar, x, g);
    double worst = 0, size = 0;
    for (int k = 0; k < n; k += k < 3 * bar->free ? 17 : 1) {
        double e = 1e-6, kept = x[k], up, down;
        x[k] = kept + e, up = objective(bar, x, NULL);
        x[k] = kept - e, down = objective(bar, x, NULL);
        x[k] = kept;
        size = fmax(size, fabs(g[k]));
        worst = fmax(worst, fabs((up - down) / (2 * e) - g[k]));
    }
    printf("    %d unknowns, gradient within %.1e of %.1e\n", n, worst, size);
    CHECK(worst < 1e-7 * size);
    freeBar(bar);
}

// ---- the matrix ---------------------------------------------------------------------------------

// The scalar form over free vertices and affine motions of both links, from the quadrature alone.
static double *makeForm(const Bar *bar, int *size)
{
    const snLatticeModel *model = bar->model;
    const snQuadrature *q = &bar->quadrature;
    snArena *arena = (snArena *)(uintptr_t)&bar->arena;
    int n = model->vertexCount, all = bar->free + 8;
    double h = bar->def.step, beta = bar->def.stiffnessDamping;
    double *form = SN_NEW(arena, double, all *all), *rows = SN_NEW(arena, double, n *all);
    double *rig = SN_NEW(arena, double, n *all);
    *size = all;
    for (int v = 0; v < n; v++) { // what a vertex is over the unknowns, and where the rig has it
        snVec3 r = model->rest[v];
        double w[2] = {1 - share(r.x), share(r.x)}, at[4] = {r.x, r.y, r.z, 1};
        for (int k = 0; k < 8; k++)
            rig[v * all + bar->free + k] = w[k / 4] * at[k % 4];
        if (v < bar->free) rows[v * all + v] = 1;
        if (v >= bar->free) memcpy(rows + v * all, rig + v * all, (size_t)all * sizeof(double));
    }
    for (int e = 0; e < q->elementCount; e++)
        for (int a = q->start[e]; a < q->start[e + 1]; a++)
            for (int b = q->start[e]; b < q->start[e + 1]; b++) {
                double mu = 2e4 / (2 * (1 + bar->def.poisson));
                double lambda =
                    2e4 * bar->def.poisson / ((1 + bar->def.poisson) * (1 - 2 * bar->def.poisson));
                double k = h * (h + beta) * (2 * mu + lambda) * q->volume[e] *
                           snDot(q->gradient[a], q->gradient[b]);
                const double *x = rows + model->indexOf[q->corner[a]] * all;
                const double *y = rows + model->indexOf[q->corner[b]] * all;
                for (int i = 0; i < all; i++)
                    for (int j = 0; j < all && x[i] != 0; j++)
                        form[i * all + j] += k * x[i] * y[j];
            }
    for (int v = 0; v < n; v++) {
        double tie = h * h * model->hold[v] + h * (0.5 * model->mass[v] + beta * model->hold[v]);
        if (v >= bar->free) tie = 0;
        for (int i = 0; i < all; i++)
            for (int j = 0; j < all; j++) {
                const double *x = rows + v * all, *p = rig + v * all;
                form[i * all + j] +=
                    bar->bones->mass[v] * x[i] * x[j] + tie * (x[i] - p[i]) * (x[j] - p[j]);
            }
    }
    for (int k = 0; k < bar->bones->pointCount; k++) {
        const snBonePoint *p = &bar->bones->points[k];
        double at[4] = {p->rest.x, p->rest.y, p->rest.z, 1};
        for (int i = 0; i < 16; i++)
            form[(bar->free + 4 * p->link + i / 4) * all + bar->free + 4 * p->link + i % 4] +=
                p->mass * at[i / 4] * at[i % 4];
    }
    return form;
}

// Free vertices are eliminated one after another: what is left is S.
static void condensedIsDense(void)
{
    Bar *bar = makeBar(true, 0.1, 1.0 / 60, 5);
    int all;
    double *form = makeForm(bar, &all), worst = 0, size = 0;
    for (int k = 0; k < bar->free; k++)
        for (int i = k + 1; i < all; i++) {
            double factor = form[i * all + k] / form[k * all + k];
            for (int j = k; j < all && factor != 0; j++)
                form[i * all + j] -= factor * form[k * all + j];
        }
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++) {
            double own = bar->bones->condensed[i * 8 + j];
            double other = form[(bar->free + i) * all + bar->free + j];
            worst = fmax(worst, fabs(own - other));
            size = fmax(size, fabs(other));
        }
    printf("    S within %.1e of its largest entry\n", worst / size);
    CHECK(bar->bones->columns == 8 && worst < 1e-12 * size);
    freeBar(bar);
}

// (Jᵀ Q J + joints) x, with J by differences of where links are, and back by snBones_Solve.
static void inverseIsInverse(void)
{
    Bar *bar = makeBar(true, 0.1, 1.0 / 60, 5);
    snBones *b = bar->bones;
    int all;
    double *form = makeForm(bar, &all);
    stir(bar);
    b->joints[1].limits = 0;
    begin(bar);
    int n = bar->unknowns, wide = 3 * all, rows = 3 * b->rows;
    double *j = SN_NEW(&bar->arena, double, wide *n), *y = SN_NEW(&bar->arena, double, n);
    double *x = SN_NEW(&bar->arena, double, n), *jx = SN_NEW(&bar->arena, double, wide);
    double *qx = SN_NEW(&bar->arena, double, wide);
    double *values = SN_NEW(&bar->arena, double, n);
    getUnknowns(bar, values);
    for (int k = 0; k < 3 * bar->free; k++)
        j[k * n + k] = 1;
    for (int k = 0; k < rows; k++) {
        snAffine t[2][2];
        for (int s = 0; s < 2; s++) {
            values[3 * bar->free + k] = s ? -1e-5 : 1e-5;
            setUnknowns(bar, values);
            t[s][0] = snBones_Transform(b, 0), t[s][1] = snBones_Transform(b, 1);
        }
        values[3 * bar->free + k] = 0;
        for (int l = 0; l < 8; l++) {
            const snVec3 *up = l % 4 < 3 ? &t[0][l / 4].linear.cx + l % 4 : &t[0][l / 4].origin;
            const snVec3 *down = l % 4 < 3 ? &t[1][l / 4].linear.cx + l % 4 : &t[1][l / 4].origin;
            for (int c = 0; c < 3; c++)
                j[(3 * (bar->free + l) + c) * n + 3 * bar->free + k] =
                    ((&up->x)[c] - (&down->x)[c]) / 2e-5;
        }
    }
    setUnknowns(bar, values);
    for (int k = 0; k < n; k++)
        x[k] = sin(1.7 * k + 0.3);
    for (int r = 0; r < wide; r++)
        for (int k = 0; k < n; k++)
            jx[r] += j[r * n + k] * x[k];
    for (int r = 0; r < wide; r++)
        for (int s = r % 3; s < wide; s += 3)
            qx[r] += form[(r / 3) * all + s / 3] * jx[s];
    for (int k = 0; k < n; k++)
        for (int r = 0; r < wide; r++)
            y[k] += j[r * n + k] * qx[r];
    double h = bar->def.step;
    for (int l = 0; l < 2; l++)
        for (int c = 0; c < 3; c++) {
            const snBoneJoint *joint = &b->joints[l];
            int at = 3 * bar->free + 3 * b->rowOf[l] + c;
            y[at] += (h * h * joint->stiffness + h * joint->damping) * x[at];
            if (l == 0) y[at + 3] += (h * h * joint->pull + h * joint->drag) * x[at + 3];
        }
    double *f = SN_NEW(&bar->arena, double, 4 * bar->free),
           *q = SN_NEW(&bar->arena, double, 4 * b->rows);
    for (int k = 0; k < 3 * bar->free; k++)
        f[4 * (k / 3) + k % 3] = y[k];
    for (int k = 0; k < rows; k++)
        q[4 * (k / 3) + k % 3] = y[3 * bar->free + k];
    snBones_Solve(b, f, q);
    double worst = 0;
    for (int k = 0; k < n; k++) {
        double own = k < 3 * bar->free ? f[4 * (k / 3) + k % 3]
                                       : q[4 * ((k - 3 * bar->free) / 3) + (k - 3 * bar->free) % 3];
        worst = fmax(worst, fabs(own - x[k]));
    }
    printf("    %d unknowns are found back within %.1e\n", n, worst);
    CHECK(worst < 1e-7); // differences of links' places
    freeBar(bar);
}

// ---- steps --------------------------------------------------------------------------------------

// One step by Newton's method on all unknowns at once, its matrix by differences of the gradient.
static void stepIsNewtons(void)
{
    Bar *bar = makeBar(true, 0.02, 1.0 / 60, 100);
    gravity(bar, snVec(0, -9.81, 0));
    stir(bar);
    int n = bar->unknowns, rounds = 0;
    snArena *arena = &bar->arena;
    double *x = SN_NEW(arena, double, n), *g = SN_NEW(arena, double, n),
           *d = SN_NEW(arena, double, n);
    double *up = SN_NEW(arena, double, n), *a = SN_NEW(arena, double, n *n), first = 0, last = 0;
    int *pivot = SN_NEW(arena, int, n);
    begin(bar);
    getUnknowns(bar, x);
    for (; rounds < 12; rounds++) {
        double size = 0, value = objective(bar, x, g), share_ = 1;
        for (int k = 0; k < n; k++)
            size = fmax(size, fabs(g[k]));
        first = rounds ? first : size, last = size;
        if (size < 1e-13 * first) break;
        for (int k = 0; k < n; k++) {
            double kept = x[k];
            x[k] = kept + 1e-7, objective(bar, x, up);
            x[k] = kept - 1e-7, objective(bar, x, d);
            x[k] = kept;
            for (int i = 0; i < n; i++)
                a[k * n + i] = (up[i] - d[i]) / 2e-7;
        }
        for (int k = 0; k < n; k++)
            d[k] = -g[k];
        CHECK(snDenseLu(n, a, pivot, NULL) == SN_OK);
        snDenseLu_Solve(n, a, pivot, d);
        for (int halvings = 0; halvings < 30; halvings++, share_ *= 0.5) {
            for (int k = 0; k < n; k++)
                up[k] = x[k] + share_ * d[k];
            if (objective(bar, up, g) <= value + 1e-14 * fabs(value)) break;
        }
        memcpy(x, up, (size_t)n * sizeof *x);
    }
    setUnknowns(bar, x);
    double *found = SN_NEW(arena, double, 4 * bar->model->vertexCount), worst = 0;
    memcpy(found, bar->state->next, 4 * (size_t)bar->model->vertexCount * sizeof(double));
    CHECK(step(bar)); // the state is as it was
    for (int v = 0; v < bar->model->vertexCount; v++)
        worst = fmax(worst, snDistance(snRow(found, v), snRow(bar->state->position, v)));
    printf(
        "    Newton's: gradient from %.1e to %.1e in %d rounds; the search ends within %.1e m of "
        "it\n",
        first, last, rounds, worst);
    CHECK(last < 1e-9 * first && worst < 1e-7);
    freeBar(bar);
}

typedef struct Kept {
    snVec3 momentum, spin;
    double mass, sum; // Σ m |v|
} Kept;

static void addKept(Kept *kept, double mass, snVec3 at, snVec3 velocity)
{
    kept->momentum = snMulAdd(kept->momentum, mass, velocity);
    kept->spin = snMulAdd(kept->spin, mass, snCross(at, velocity));
    kept->mass += mass;
    kept->sum += mass * snLength(velocity);
}

static Kept measure(const Bar *bar)
{
    Kept kept = {{0, 0, 0}, {0, 0, 0}, 0, 0};
    const double *mass = bar->bones ? bar->bones->mass : bar->model->mass;
    for (int v = 0; v < bar->model->vertexCount; v++)
        addKept(&kept, mass[v], snRow(bar->state->position, v), snRow(bar->state->velocity, v));
    for (int i = 0; bar->bones && i < bar->bones->pointCount; i++)
        addKept(&kept, bar->bones->points[i].mass, snBones_Point(bar->bones, i),
                bar->bones->speeds[i]);
    return kept;
}

// Of a step of backward Euler whose inner forces have no moment, Σ m x' × (v' - v) = 0: what is not kept of Σ m x × v is h Σ m v' × v,
// the integrator's. Returns the former over Σ m |x - x_0| |v|, with v before it.
static double momentOf(const Bar *bar, snVec3 middle, const snVec3 *before)
{
    snVec3 sum = {0, 0, 0};
    double size = 0;
    const double *mass = bar->bones ? bar->bones->mass : bar->model->mass;
    int n = bar->model->vertexCount, all = n + (bar->bones ? bar->bones->pointCount : 0);
    for (int i = 0; i < all; i++) {
        snVec3 x = i < n ? snRow(bar->state->position, i) : snBones_Point(bar->bones, i - n);
        snVec3 v = i < n ? snRow(bar->state->velocity, i) : bar->bones->speeds[i - n];
        double m = i < n ? mass[i] : bar->bones->points[i - n].mass;
        snVec3 arm = snSub(x, middle);
        sum = snMulAdd(sum, m, snCross(arm, snSub(v, before[i])));
        size += m * snLength(arm) * snLength(v);
    }
    return snLength(sum) / size;
}

// Flies and spins about its middle; returns how much of the spin a second leaves.
static double spin(Bar *bar, double *off, double *moment)
{
    snVec3 middle = snVec(0.5 * LENGTH, 0.5 * WIDE, 0.5 * WIDE), v = snVec(0.3, 0.2, -0.1);
    snVec3 omega = snVec(0.5, 1, 4);
    *off = *moment = 0;
    snVec3 *old = SN_NEW(&bar->arena, snVec3, bar->model->vertexCount + POINTS);
    for (int i = 0; i < bar->model->vertexCount; i++) {
        snVec3 arm = snSub(snRow(bar->state->position, i), middle);
        snSetRow(bar->state->velocity, i, snAdd(v, snCross(omega, arm)));
    }
    if (bar->bones) snBones_SetVelocity(bar->bones, middle, v, omega);
    Kept first = measure(bar), before = first, now = first;
    for (int k = 0; k < 60; k++) {
        int n = bar->model->vertexCount;
        for (int i = 0; i < n; i++)
            old[i] = snRow(bar->state->velocity, i);
        for (int i = 0; bar->bones && i < bar->bones->pointCount; i++)
            old[n + i] = bar->bones->speeds[i];
        CHECK(step(bar));
        now = measure(bar);
        *moment = fmax(*moment, momentOf(bar, middle, old));
        *off = fmax(*off, snDistance(now.momentum, before.momentum) / before.sum);
        before = now;
    }
    snVec3 center = {0, 0, 0}; // spin about the middle: less what the flight has
    for (int s = 0; s < 2; s++) {
        Kept *kept = s ? &now : &first;
        center = snMulAdd(middle, s * 1.0 / kept->mass, kept->momentum);
        kept->spin = snSub(kept->spin, snCross(center, kept->momentum));
    }
    CHECK_NEAR(now.mass, 1000 * LENGTH * WIDE * WIDE, 1e-9); // nothing is counted twice
    return snLength(now.spin) / snLength(first.spin);
}

static void momentumIsKept(void)
{
    double off[3], left[3], moment[3];
    for (int kind = 0; kind < 3; kind++) { // flesh alone; bones a twentieth; and at few iterations
        double mass = 1000 * LENGTH * WIDE * WIDE / 21;
        Bar *bar = makeBar(kind > 0, mass, 1.0 / 60, kind == 2 ? 6 : 100);
        left[kind] = spin(bar, &off[kind], &moment[kind]);
        freeBar(bar);
    }
    printf("    momentum off by %.1e, %.1e, %.1e of the sum in a step; of the spin %.4f (flesh "
           "alone), %.4f (bones), %.4f (6 iterations) are left after a second\n",
           off[0], off[1], off[2], left[0], left[1], left[2]);
    printf("    moment of inner forces %.1e, %.1e, %.1e of Σ m |x| |v| in a step\n", moment[0],
           moment[1], moment[2]);
    CHECK(off[1] < 1e-9 && off[2] < 1e-9);
    CHECK(moment[1] < 1e-6);
    CHECK(fabs(left[1] - left[0]) < 0.02); // what the implicit step takes, and no more
}

// The shorter steps are, the less they take: first order.
static void spinIsKeptByShortSteps(void)
{
    double off, moment, lost[2];
    for (int k = 0; k < 2; k++) {
        Bar *bar = makeBar(true, 0.4, (k ? 0.25 : 0.5) / 60, 100);
        lost[k] = 1 - spin(bar, &off, &moment);
        freeBar(bar);
    }
    printf("    60 steps of 1/120 s lose %.4f of the spin, of 1/240 s %.4f\n", lost[0], lost[1]);
    CHECK(lost[1] < 0.35 * lost[0]); // a quarter: h² ω² for each of as many steps
}

static void everyAllocationMayFail(void)
{
    Bar *bar = makeBar(true, 0.4, 1.0 / 60, 1);
    Links links;
    describeLinks(&links, bar, 0.4);
    snStatus status = SN_ERROR_MEMORY;
    for (int n = 1; status && n < 500; n++) {
        snContext failing = snDefaultContext();
        snFailingMemory memory = {.failAtWay = n};
        snTest_UseFailingMemory(&failing, &memory);
        snBones *bones = NULL;
        status = snBones_Make(&bones, &links.def, &failing, NULL);
        CHECK(status == (memory.count < n ? SN_OK : SN_ERROR_MEMORY));
        snBones_Destroy(bones);
        CHECK(memory.alive == 0);
    }
    CHECK(status == SN_OK);
    freeBar(bar);
}

// Where links stand, all vertices are where these had them when the step began: those that nothing holds or drags, too.
static void standingBonesCarryAllFlesh(void)
{
    Bar *bar = makeBar(true, 0.2, 1.0 / 60, 3);
    snAffine t[2];
    double worst = 0;
    stir(bar);
    snBones_Pose(bar->bones);
    for (int j = 0; j < 2; j++)
        t[j] = snBones_Transform(bar->bones, j);
    snLatticeModel_Rig(bar->model, t, bar->state->rig);
    guess(bar);
    bar->bones->tiedCount = 0;
    CHECK(snBones_Begin(bar->bones, bar->state, &bar->drive));
    snBones_GuessAgain(bar->bones, bar->state, true);
    for (int k = 0; k < 4 * bar->model->vertexCount; k++)
        worst = fmax(worst, fabs(bar->rig[k] - bar->state->rig[k]));
    printf("    %.1e m off\n", worst);
    CHECK(worst < 1e-12);
    freeBar(bar);
}

int main(void)
{
    RUN(everyAllocationMayFail);
    RUN(condensedIsDense);
    RUN(inverseIsInverse);
    RUN(gradientIsExact);
    RUN(stepIsNewtons);
    RUN(momentumIsKept);
    RUN(standingBonesCarryAllFlesh);
    RUN(spinIsKeptByShortSteps);
    return snTest_Finish();
}
