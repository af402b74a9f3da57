// Rows of contacts: Signorini's and Coulomb's conditions are met by what sweeps find, springs give way as they should, ties hold.
#include "contact/solve.h"
#include "core/random.h"
#include "tests/test.h"

#include <math.h>

#define MOST 12
#define UNKNOWNS 24

// Velocities v of unknowns with masses 1, rows J of three, and what is between the ends, J v + JJᵀ P.
typedef struct Crowd {
    int count;
    double rows[MOST][3][UNKNOWNS], v[UNKNOWNS];
    snContactRow solve[MOST];
} Crowd;

static snVec3 between(const void *context, int r)
{
    const Crowd *c = context;
    double e[3] = {0, 0, 0};
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < UNKNOWNS; i++)
            e[k] += c->rows[r][k][i] * c->v[i];
    return snVec(e[0], e[1], e[2]);
}

static double act(void *context, int r, snVec3 impulse)
{
    Crowd *c = context;
    snVec3 before = between(c, r);
    for (int i = 0; i < UNKNOWNS; i++)
        c->v[i] += c->rows[r][0][i] * impulse.x + c->rows[r][1][i] * impulse.y +
                   c->rows[r][2][i] * impulse.z;
    return snDistance(before, between(c, r));
}

static snMat3 responseOf(const Crowd *c, int r)
{
    double m[3][3] = {{0}};
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            for (int i = 0; i < UNKNOWNS; i++)
                m[a][b] += c->rows[r][a][i] * c->rows[r][b][i];
    return (snMat3){
        {m[0][0], m[1][0], m[2][0]}, {m[0][1], m[1][1], m[2][1]}, {m[0][2], m[1][2], m[2][2]}};
}

static snVec3 anyVector(snRandom *random)
{
    return snVec(snRandom_Uniform(random, -1, 1), snRandom_Uniform(random, -1, 1),
                 snRandom_Uniform(random, -1, 1));
}

static Crowd makeCrowd(uint64_t seed, double friction, int ties)
{
    Crowd c = {.count = 6};
    snRandom random = snMakeRandom(seed);
    for (int r = 0; r < c.count; r++)
        for (int k = 0; k < 3; k++)
            for (int i = 0; i < UNKNOWNS; i++)
                c.rows[r][k][i] = snRandom_Uniform(&random, -1, 1);
    for (int i = 0; i < UNKNOWNS; i++)
        c.v[i] = snRandom_Uniform(&random, -1, 1);
    for (int r = 0; r < c.count; r++) {
        snMat3 response = responseOf(&c, r);
        snVec3 n = snNormalizeOr(anyVector(&random), snVec(0, 1, 0));
        c.solve[r] = r < ties ? snMakeTieRow(&response, 1e-9)
                              : snMakeContactRow(n, friction, &response, 1e-9);
        if (r >= ties) c.solve[r].depth = snRandom_Uniform(&random, -0.2, 0.2);
    }
    return c;
}

static bool solve(Crowd *c)
{
    snContactSystem system = {c->count, c->solve, c, between, act};
    return snContactSystem_Solve(&system, 4000, 1e-13);
}

// Every row by itself, after all were swept.
static void conditionsAreMet(void)
{
    for (uint64_t seed = 1; seed <= 40; seed++) {
        Crowd c = makeCrowd(seed, (int)(seed % 4) * 0.4, (int)(seed % 3));
        CHECK(solve(&c));
        for (int r = 0; r < c.count; r++) {
            const snContactRow *row = &c.solve[r];
            snVec3 e = between(&c, r);
            if (row->tie) {
                CHECK_NEAR(snLength(e), 0, 1e-8);
                continue;
            }
            double gap = snDot(e, row->normal) - row->depth, rub = snLength(row->rub);
            snVec3 slip = snMulAdd(e, -snDot(e, row->normal), row->normal);
            CHECK(row->push >= 0 && gap > -1e-9 && fabs(gap * row->push) < 1e-9);
            CHECK_NEAR(snDot(row->rub, row->normal), 0, 1e-12);
            CHECK(rub <= row->friction * row->push * (1 + 1e-12) + 1e-15);
            if (rub < 0.999 * row->friction * row->push)
                CHECK_NEAR(snLength(slip), 0, 1e-8); // it sticks
            else if (rub > 1e-6)                     // against what slips
                CHECK_NEAR(snDot(row->rub, slip), -rub * snLength(slip), 1e-8);
        }
    }
}

// Rows without friction are a convex problem: any beginning ends in the same motion.
static void beginningsDoNotMatter(void)
{
    for (uint64_t seed = 1; seed <= 10; seed++) {
        Crowd cold = makeCrowd(seed, 0, 1), warm = cold;
        for (int r = 0; r < warm.count; r++) {
            snVec3 begin = r ? snScale(0.1 * (double)seed, warm.solve[r].normal) : snVec(1, 2, 3);
            snContactRow_Begin(&warm.solve[r], begin);
            CHECK_NEAR(snDistance(snContactRow_Impulse(&warm.solve[r]), begin), 0, 1e-15);
            act(&warm, r, begin);
        }
        CHECK(solve(&cold) && solve(&warm));
        for (int i = 0; i < UNKNOWNS; i++)
            CHECK_NEAR(cold.v[i], warm.v[i], 1e-8);
    }
}

// Two springs under a push, one of which comes to its end: the gap closes where N w + Σ give = depth.
static void springsGiveWay(void)
{
    snMat3 response = snDiagonal3(0.5, 0.5, 0.5);
    for (double depth = 0.01; depth < 3; depth *= 1.5) {
        double load[2] = {0, 0};
        snContactRow row = snMakeContactRow(snVec(0, 1, 0), 0, &response, 1e-9);
        snContactSprings s = {.count = 2,
                              .soft = {1, 0.25},
                              .held = {0.1, 0},
                              .most = {0.2, 1},
                              .slant = {1, 0.5},
                              .reach = {1, 0.5},
                              .load = {&load[0], &load[1]}};
        row.depth = depth;
        double by = snContactRow_Press(&row, &s, 0), n = row.push;
        double give = fmin(0.2, n - 0.1) + fmin(1, 0.25 * n);
        CHECK_NEAR(by, n, 0);
        CHECK(n > 0);
        CHECK_NEAR(0.5 * n + give, depth, 1e-13);
        CHECK_NEAR(load[0], n, 1e-15);
        CHECK_NEAR(load[1], 0.5 * n, 1e-15);
        CHECK_NEAR(snContactRow_Press(&row, &s, 0.5 * n), 0, 1e-14); // it stays
        row.depth = -1;
        CHECK_NEAR(snContactRow_Press(&row, &s, 0.5 * n), -n, 1e-14); // and lets go
    }
}

// What does not give way gets no impulse, in whatever way.
static void whatStandsFastIsLeft(void)
{
    snMat3 none = snDiagonal3(0, 0, 0), flat = snDiagonal3(1, 0, 1);
    snContactRow a = snMakeContactRow(snVec(0, 1, 0), 0.5, &none, 1e-9), b = snMakeTieRow(&none, 0),
                 c = snMakeContactRow(snVec(0, 1, 0), 0.5, &flat, 1e-9);
    double load = 0;
    snContactSprings ended = {
        .count = 1, .soft = {1}, .most = {0}, .slant = {1}, .reach = {1}, .load = {&load}};
    CHECK(snLength(snContactRow_Take(&a, snVec(1, -1, 0))) == 0);
    CHECK(snLength(snContactRow_Take(&b, snVec(1, -1, 0))) == 0);
    CHECK(snLength(snContactRow_Take(&c, snVec(1, -1, 0))) == 0);
    CHECK(isfinite(snContactRow_Press(&a, &ended, -1)));
}

int main(void)
{
    RUN(conditionsAreMet);
    RUN(beginningsDoNotMatter);
    RUN(springsGiveWay);
    RUN(whatStandsFastIsLeft);
    return snTest_Finish();
}
