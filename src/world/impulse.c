// Blows: velocities of points that jump, by impulses at these points. With rows J over the velocities of all bodies that
// hang together, M their masses and d the jumps that are wanted,
//
//     Δv = M⁻¹ Jᵀ λ,    J M⁻¹ Jᵀ λ = d.
//
// Why masses and not the matrix A of a step (body.h): between two steps there is no time in which forces within the body
// could act. M⁻¹Jᵀλ changes momentum by Σ λ and angular momentum by Σ p x λ, as impulses at points do; of all changes
// with the same jumps it has the least kinetic energy ½ Δvᵀ M Δv, so joining two points never adds energy. A⁻¹Jᵀλ
// keeps momentum, for A 1 = M 1, but not angular momentum, for A x ≠ M x. A step by backward Euler with the points held
// gives the same as one after a blow, A v' = M v + Jᵀλ with one λ for both; but its first guess, what bounces, what is
// let go and rules that look back at v (v' = 2 v_mid - v) see the velocities that there are, and these are then right.
//
// Points that are held hard keep their velocities: they are rows with d = 0. Rows that depend on those before them are
// left out.
#include "world/attach.h"

#include <string.h>

#define SPARE_ROWS 64  // beside what is held: points that are struck at a time
#define DEPENDENT 1e-9 // of a row's diagonal: what is left of it once others are taken off

bool snWorld_ReserveRows(snWorld *world, int held)
{
    const snAllocator *allocator = &world->context.allocator;
    snStruck *struck = &world->struck;
    int most = held + world->def.mostGrabs + SPARE_ROWS;
    if (most > world->def.mostStruck) most = world->def.mostStruck;
    if (most <= struck->most) return true;
    if (most < 2 * struck->most) most = 2 * struck->most;
    if (most > world->def.mostStruck) most = world->def.mostStruck;
    size_t n = 3 * (size_t)most;
    snStruckRow *rows = allocator->allocate(allocator->user, (size_t)most * sizeof *rows);
    double *matrix = allocator->allocate(allocator->user, (n + 1) * n * sizeof *matrix);
    if (!rows || !matrix) {
        allocator->release(allocator->user, rows);
        allocator->release(allocator->user, matrix);
        return false;
    }
    snWorld_FreeRows(world);
    struck->rows = rows;
    struck->matrix = matrix;
    struck->right = matrix + n * n;
    struck->most = most;
    return true;
}

void snWorld_FreeRows(snWorld *world)
{
    const snAllocator *allocator = &world->context.allocator;
    allocator->release(allocator->user, world->struck.rows);
    allocator->release(allocator->user, world->struck.matrix);
    world->struck.rows = NULL;
    world->struck.matrix = world->struck.right = NULL;
    world->struck.most = 0;
}

bool snWorld_ReserveStruck(snWorld *world, const snBody *body)
{
    const snAllocator *allocator = &world->context.allocator;
    snStruck *struck = &world->struck;
    size_t size = snBody_ColumnSize(body);
    unsigned char *chain = allocator->allocate(allocator->user, (size_t)world->bodies.count + 1);
    if (!chain) return false;
    allocator->release(allocator->user, struck->chain);
    struck->chain = chain;
    if (size <= struck->columnSize) return true;
    double *column = allocator->allocate(allocator->user, size * sizeof *column);
    if (!column) return false;
    allocator->release(allocator->user, struck->column);
    struck->column = column;
    struck->columnSize = size;
    return true;
}

// ---- rows ---------------------------------------------------------------------------------------

static void addRow(snWorld *world, const snStruckRow *row)
{
    snStruck *struck = &world->struck;
    if (struck->count < struck->most) struck->rows[struck->count++] = *row;
}

// What holds points hard in the coming step, one after another; false: there are no more.
static bool nextHeld(const snWorld *world, int *at, snStruckRow *row)
{
    for (; *at < world->attachments.count; ++*at) {
        const snAttachment *a = &world->attachments.data[*at];
        if (!a->def.hard || !world->held.data[*at].acts) continue;
        *row = (snStruckRow){{a->def.body, a->def.other}, {a->point, a->otherPoint}, {0, 0, 0}};
        ++*at;
        return true;
    }
    for (; *at < world->attachments.count + world->def.mostGrabs; ++*at) {
        const snGrab *g = &world->grabs[*at - world->attachments.count];
        if (!g->used || !g->hard) continue;
        *row = (snStruckRow){{g->body, g->other}, {g->point, g->otherPoint}, {0, 0, 0}};
        ++*at;
        return true;
    }
    return false;
}

// Bodies that hang together with those of the rows, by points that are held hard.
static void findChain(snWorld *world)
{
    unsigned char *chain = world->struck.chain;
    memset(chain, 0, (size_t)world->bodies.count);
    for (int i = 0; i < world->struck.count; i++)
        for (int e = 0; e < 2; e++)
            if (world->struck.rows[i].body[e] >= 0) chain[world->struck.rows[i].body[e]] = 1;
    for (bool more = true; more;) {
        snStruckRow row;
        int at = 0;
        more = false;
        while (nextHeld(world, &at, &row)) {
            if (row.body[1] < 0 || chain[row.body[0]] == chain[row.body[1]]) continue;
            chain[row.body[0]] = chain[row.body[1]] = 1;
            more = true;
        }
    }
}

// ---- the system ---------------------------------------------------------------------------------

// Adds to the rows below row k what an impulse at one of its ends does to them. Columns are not kept: there may be many,
// as long as the largest body has coordinates, and blows are rare.
static void addColumn(snWorld *world, int k, int end)
{
    snStruck *struck = &world->struck;
    size_t n = 3 * (size_t)struck->count;
    int number = struck->rows[k].body[end];
    snBody *body = world->bodies.data[number];
    snBody_ImpulseColumn(body, struck->rows[k].point[end], struck->column);
    for (int i = k; i < struck->count; i++)
        for (int e = 0; e < 2; e++) {
            if (struck->rows[i].body[e] != number) continue;
            snMat3 m = snBody_Response(body, struck->rows[i].point[e], struck->column);
            const snVec3 columns[3] = {m.cx, m.cy, m.cz};
            double sign = e == end ? 1 : -1;
            for (size_t c = 0; c < 3; c++) {
                double *at = struck->matrix + 3 * (size_t)i * n + 3 * (size_t)k + c;
                at[0] += sign * columns[c].x;
                at[n] += sign * columns[c].y;
                at[2 * n] += sign * columns[c].z;
            }
        }
}

static void fillMatrix(snWorld *world)
{
    snStruck *struck = &world->struck;
    size_t n = 3 * (size_t)struck->count;
    memset(struck->matrix, 0, n * n * sizeof *struck->matrix);
    for (int k = 0; k < struck->count; k++) {
        for (int e = 0; e < 2; e++)
            if (struck->rows[k].body[e] >= 0) addColumn(world, k, e);
        struck->right[3 * k] = struck->rows[k].jump.x;
        struck->right[3 * k + 1] = struck->rows[k].jump.y;
        struck->right[3 * k + 2] = struck->rows[k].jump.z;
    }
}

// L Lᵀ λ = d in place, row by row; a row that depends on those above it has no impulse.
static void solve(snStruck *struck)
{
    int n = 3 * struck->count;
    double *right = struck->right;
    for (int i = 0; i < n; i++) {
        double *a = struck->matrix + (size_t)i * (size_t)n, whole = a[i];
        for (int k = 0; k <= i; k++) {
            const double *b = struck->matrix + (size_t)k * (size_t)n;
            double sum = a[k];
            for (int j = 0; j < k; j++)
                sum -= a[j] * b[j];
            a[k] = k < i ? sum * b[k] : sum; // the diagonal has 1 / L_ii
        }
        bool depends = !(a[i] > DEPENDENT * whole);
        a[i] = depends ? 0 : 1 / sqrt(a[i]);
        double sum = right[i];
        for (int j = 0; j < i; j++)
            sum -= a[j] * right[j];
        right[i] = sum * a[i];
    }
    for (int i = n - 1; i >= 0; i--) {
        double sum = right[i];
        for (int j = i + 1; j < n; j++)
            sum -= struck->matrix[(size_t)j * (size_t)n + (size_t)i] * right[j];
        right[i] = sum * struck->matrix[(size_t)i * (size_t)n + (size_t)i];
    }
}

// The rows of what is to jump; returns whether something does.
static bool listStrikes(snWorld *world, int count, const snStrike *strikes)
{
    world->struck.count = 0;
    for (int i = 0; i < count; i++) {
        const snStrike *s = &strikes[i];
        snStruckRow row = {{s->body, s->other}, {s->point, s->otherPoint}, s->velocity};
        for (int e = 0; e < 2; e++) {
            if (row.body[e] < 0) continue;
            snVec3 v = snBody_Velocity(world->bodies.data[row.body[e]], row.point[e]);
            row.jump = e ? snAdd(row.jump, v) : snSub(row.jump, v);
        }
        if (snIsFinite3(row.jump)) addRow(world, &row);
    }
    return world->struck.count > 0;
}

static void carryOut(snWorld *world)
{
    snStruck *struck = &world->struck;
    for (int i = 0; i < struck->count; i++) {
        snVec3 impulse = {struck->right[3 * i], struck->right[3 * i + 1], struck->right[3 * i + 2]};
        if (!snIsFinite3(impulse) || snLengthSquared(impulse) == 0) continue;
        for (int e = 0; e < 2; e++) {
            if (struck->rows[i].body[e] < 0) continue;
            snBody *body = world->bodies.data[struck->rows[i].body[e]];
            snBody_ImpulseColumn(body, struck->rows[i].point[e], struck->column);
            snBody_Strike(body, struck->column, e ? snNeg(impulse) : impulse);
        }
    }
}

void snWorld_Strike(snWorld *world, int count, const snStrike *strikes)
{
    snStruckRow row;
    for (int i = 0; i < count; i++) {
        snWorld_Wake(world, strikes[i].body);
        if (strikes[i].other >= 0) snWorld_Wake(world, strikes[i].other);
    }
    if (!listStrikes(world, count, strikes)) return;
    findChain(world);
    for (int at = 0; nextHeld(world, &at, &row);)
        if (world->struck.chain[row.body[0]]) addRow(world, &row);
    fillMatrix(world);
    solve(&world->struck);
    carryOut(world);
}
