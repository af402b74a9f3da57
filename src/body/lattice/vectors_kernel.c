// Vectors over the vertices of a batch, of doubles in every precision: the sums and combinations that
// the search for a step's end is made of. Sums have one order, whatever the width.
#include "body/lattice/cells.h"
#include "core/simd.h"

#define INLINE SN_ALWAYS_INLINE

#if defined(__AVX512F__)
#define LANES 8
#define load snLoad8
#define store snStore8
typedef snDouble8 V;
#else
#define LANES 4
#define load snLoad4
#define store snStore4
typedef snDouble4 V;
#endif

// Sums of even and of odd vertices are kept apart for every component, then added as ((x + y) + (z +
// 0)): in this order for one lane, where the pad is 0, and for each lane of a batch.
static void dotOne(int vertices, const double *a, const double *b, double *sum)
{
    snDouble4 even = {0}, odd = {0};
    int i = 0;
    for (; i + 2 <= vertices; i += 2) {
        even += snLoad4(a + 4 * i) * snLoad4(b + 4 * i);
        odd += snLoad4(a + 4 * i + 4) * snLoad4(b + 4 * i + 4);
    }
    if (i < vertices) even += snLoad4(a + 4 * i) * snLoad4(b + 4 * i);
    even += odd;
    *sum = (even[0] + even[1]) + (even[2] + even[3]);
}

static void dot(const snLatticeState *state, int vertices, const double *a, const double *b,
                double *sum)
{
    int lanes = state->lanes, width = state->width;
    if (lanes == 1) {
        dotOne(vertices, a, b, sum);
        return;
    }
    for (int l = 0; l < lanes; l += LANES) {
        V part[2][3] = {{{0}}};
        for (int i = 0; i < vertices; i++) {
            size_t row = (size_t)i * (size_t)width + (size_t)l;
            for (int c = 0; c < 3; c++)
                part[i & 1][c] += load(a + row + c * lanes) * load(b + row + c * lanes);
        }
        for (int c = 0; c < 3; c++)
            part[0][c] += part[1][c];
        store(sum + l, (part[0][0] + part[0][1]) + part[0][2]);
    }
}

static void addScaled(const snLatticeState *state, int vertices, const double *s, const double *x,
                      double *y)
{
    int lanes = state->lanes;
    if (lanes == 1) {
        for (int i = 0; i < 4 * vertices; i += 4)
            snStore4(y + i, snLoad4(y + i) + *s * snLoad4(x + i));
        return;
    }
    for (int row = 0; row < vertices * 3; row++)
        for (int l = 0; l < lanes; l += LANES) {
            size_t k = (size_t)row * (size_t)lanes + (size_t)l;
            store(y + k, load(y + k) + load(s + l) * load(x + k));
        }
}

static INLINE snFloat4 loadFloats(const float *p)
{
    snFloat4 v;
    memcpy(&v, p, sizeof v);
    return v;
}

// Σ f of a list of forces in single precision, a multiple of four of them.
static INLINE snDouble4 gatherSingle(const float *force, const int *slot, const int *end)
{
    snFloat4 a = {0}, b = {0}, c = {0}, d = {0};
    for (; slot < end; slot += 4) {
        a += loadFloats(force + 4 * (size_t)slot[0]);
        b += loadFloats(force + 4 * (size_t)slot[1]);
        c += loadFloats(force + 4 * (size_t)slot[2]);
        d += loadFloats(force + 4 * (size_t)slot[3]);
    }
    return __builtin_convertvector(a + b, snDouble4) + __builtin_convertvector(c + d, snDouble4);
}

// ½ Σ D |y - t|² of one vertex after another; with `gather`, also the gradient D (y - t) + Σ f.
static INLINE void gradientOne(const snLatticeModel *model, const snLatticeState *state,
                               bool gather, bool single, double *value)
{
    snDouble4 energy = {0};
    const double *force = state->force;
    for (int i = 0; i < model->freeCount; i++) {
        snDouble4 miss = snLoad4(state->next + 4 * i) - snLoad4(state->target + 4 * i);
        snDouble4 sum = model->diagonal[i] * miss;
        energy += sum * miss;
        if (!gather) continue;
        int begin = model->gather.start[i], end = model->gather.start[i + 1];
        if (single)
            sum += gatherSingle(state->force, model->gather.item + begin, model->gather.item + end);
        for (int k = begin; k < end && !single; k++)
            sum += snLoad4(force + 4 * (size_t)model->gather.item[k]);
        snStore4(state->gradient + 4 * i, sum);
    }
    *value = 0.5 * ((energy[0] + energy[1]) + (energy[2] + energy[3]));
}

// The same for eight or four lanes of a batch from l on.
static INLINE void gradientLanes(const snLatticeModel *model, const snLatticeState *state, int l,
                                 bool gather, double *value)
{
    int lanes = state->lanes, width = state->width;
    const double *force = state->force;
    V energy[3] = {{0}};
    for (int i = 0; i < model->freeCount; i++)
        for (int c = 0; c < 3; c++) {
            size_t lane = (size_t)(c * lanes + l), at = (size_t)i * (size_t)width + lane;
            V miss = load(state->next + at) - load(state->target + at);
            V sum = model->diagonal[i] * miss;
            energy[c] += sum * miss;
            if (!gather) continue;
            for (int k = model->gather.start[i]; k < model->gather.start[i + 1]; k++)
                sum += load(force + (size_t)model->gather.item[k] * (size_t)width + lane);
            store(state->gradient + at, sum);
        }
    store(value + l, 0.5 * ((energy[0] + energy[1]) + energy[2]));
}

static void gradient(const snLatticeModel *model, const snLatticeState *state, double *value)
{
    if (model->def.precision == SN_PRECISION_SINGLE)
        gradientOne(model, state, true, true, value);
    else if (state->lanes == 1)
        gradientOne(model, state, true, false, value);
    else
        for (int l = 0; l < state->lanes; l += LANES)
            gradientLanes(model, state, l, true, value);
}

static void inertia(const snLatticeModel *model, const snLatticeState *state, double *value)
{
    if (state->lanes == 1)
        gradientOne(model, state, false, false, value);
    else
        for (int l = 0; l < state->lanes; l += LANES)
            gradientLanes(model, state, l, false, value);
}

static void subtract(int n, const double *restrict a, const double *restrict b,
                     double *restrict out)
{
    for (int k = 0; k < n; k++)
        out[k] = a[k] - b[k];
}

static void negate(int n, const double *restrict a, double *restrict out)
{
    for (int k = 0; k < n; k++)
        out[k] = -a[k];
}

static void shift(int n, const double *restrict a, const double *restrict b, float *restrict out)
{
    for (int k = 0; k < n; k++)
        out[k] = (float)(a[k] - b[k]);
}

// Eight sums side by side, then by halves.
static double total(int n, const float *a)
{
    snDouble8 sum = {0};
    for (int k = 0; k < n; k += 8) {
        snFloat8 v;
        memcpy(&v, a + k, sizeof v);
        sum += __builtin_convertvector(v, snDouble8);
    }
    return ((sum[0] + sum[4]) + (sum[2] + sum[6])) + ((sum[1] + sum[5]) + (sum[3] + sum[7]));
}

// y = Σ w x of rows begin ... end - 1, (x, y, z, 0) at a time. Every fourth term goes to the same of four sums, so that
// additions do not wait for each other.
static void combine(const snWeightRows *rows, int begin, int end, const double *x, double *y)
{
    const int *vertex = rows->column;
    const double *weight = rows->weight;
    for (int i = begin; i < end; i++) {
        snDouble4 a = {0}, b = {0}, c = {0}, d = {0};
        int k = rows->start[i], last = rows->start[i + 1];
        for (; k + 4 <= last; k += 4) {
            a += weight[k] * snLoad4(x + 4 * (size_t)vertex[k]);
            b += weight[k + 1] * snLoad4(x + 4 * (size_t)vertex[k + 1]);
            c += weight[k + 2] * snLoad4(x + 4 * (size_t)vertex[k + 2]);
            d += weight[k + 3] * snLoad4(x + 4 * (size_t)vertex[k + 3]);
        }
        for (; k < last; k++)
            a += weight[k] * snLoad4(x + 4 * (size_t)vertex[k]);
        snStore4(y + 4 * (size_t)i, (a + b) + (c + d));
    }
}

// Targets t, and the first guess: the old state carried on by its velocity relative to the rig, y = p' +
// (x - p) + h (v - v_L); what has no mass goes with the rig alone. Guesses that let it go on by itself,
// or expect part of the last change of velocity again, come nearer on smooth clips, but few iterations on a
// fine lattice do not take out what they put in: the demo's hop at 8,000 cells never came to a loop.
static void predict(const snLatticeModel *model, snLatticeState *state, const snLatticeDrive *drive)
{
    double h = model->def.step, beta = model->def.stiffnessDamping;
    int width = state->width;
    const double *acceleration = drive->acceleration;
    const snVec3 g = model->def.gravity;
    double fall[4 * SN_MAX_LANES] = {0}; // h² g by component and lane
    for (int l = 0; l < state->lanes; l++)
        for (int c = 0; c < 3; c++)
            fall[c * state->lanes + l] = h * h * (&g.x)[c];
    for (int i = 0; i < model->unknownCount; i++) {
        bool slot = i >= model->freeCount;
        double m = model->mass[i], kappa = model->hold[i], d = slot ? 0 : model->diagonal[i];
        double inverse = d != 0 ? 1.0 / d : 0; // without mass and spring there is no target
        double drag = h * (model->drag[i] * m + beta * kappa), pull = h * h * kappa;
        double coast = m != 0 || slot ? h : 0;
        double inertia = model->detail ? 0 : m; // with details it is a term of its own
        for (int c = 0; c < width; c += 4) {
            size_t k = (size_t)i * (size_t)width + (size_t)c;
            snDouble4 x = snLoad4(state->position + k), v = snLoad4(state->velocity + k);
            snDouble4 rig = snLoad4(drive->rig + k);
            snDouble4 carried = x + rig - snLoad4(state->rig + k);
            snDouble4 inertial = x + h * v + snLoad4(fall + c);
            if (acceleration) inertial += h * h * snLoad4(acceleration + k);
            snStore4(state->target + k,
                     (inertia * inertial + drag * carried + pull * rig) * inverse);
            snStore4(state->next + k, carried + coast * (v - snLoad4(state->rigVelocity + k)));
        }
    }
    size_t known = (size_t)model->unknownCount * (size_t)width;
    size_t all = (size_t)model->vertexCount * (size_t)width;
    memcpy(state->next + known, drive->rig + known, (all - known) * sizeof(double));
}

// Velocities from the way that was gone, then the new positions.
static void advance(const snLatticeModel *model, snLatticeState *state, const double *newRig)
{
    double inverse = 1.0 / model->def.step;
    size_t all = (size_t)model->vertexCount * (size_t)state->width;
    for (size_t k = 0; k < all; k += 4) {
        snDouble4 next = snLoad4(state->next + k), rig = snLoad4(newRig + k);
        snStore4(state->velocity + k, (next - snLoad4(state->position + k)) * inverse);
        snStore4(state->rigVelocity + k, (rig - snLoad4(state->rig + k)) * inverse);
        snStore4(state->position + k, next);
        snStore4(state->rig + k, rig);
    }
}

// A matrix is twelve numbers by columns x, y, z and its place: four are read at a time, of which the last is not used.
static INLINE snDouble4 move(const snAffine *m, snVec3 p)
{
    const double *column = &m->linear.cx.x;
    snDouble4 x = p.x * snLoad4(column);
    x += p.y * snLoad4(column + 3);
    x += p.z * snLoad4(column + 6);
    snDouble4 place = snLoad4(column + 8); // not beyond the end
    return x + __builtin_shufflevector(place, place, 1, 2, 3, 3);
}

static void rig(const snLatticeModel *model, const snAffine *joints, double *positions)
{
    const snWeightRows *skin = &model->skin;
    for (int i = 0; i < model->vertexCount; i++) {
        snVec3 rest = model->rest[i];
        snDouble4 sum = {0};
        for (int k = skin->start[i]; k < skin->start[i + 1]; k++)
            sum += skin->weight[k] * move(&joints[skin->column[k]], rest);
        if (skin->start[i] == skin->start[i + 1]) sum = (snDouble4){rest.x, rest.y, rest.z, 0};
        sum[3] = 0;
        snStore4(positions + 4 * (size_t)i, sum);
    }
}

static void gather(const int *start, const int *places, const int *list, int begin, int end,
                   const double *x, double *out)
{
    for (int i = begin; i < end; i++) {
        int v = list[i];
        snDouble4 sum = {0};
        for (int k = start[v]; k < start[v + 1]; k++)
            sum += snLoad4(x + 4 * (size_t)places[k]);
        snStore4(out + 4 * (size_t)v, sum);
    }
}

extern const snVectorKernels SN_VARIANT(snVectorKernels);
const snVectorKernels SN_VARIANT(snVectorKernels) = {
    .predict = predict,
    .rig = rig,
    .advance = advance,
    .gradient = gradient,
    .inertia = inertia,
    .dot = dot,
    .addScaled = addScaled,
    .subtract = subtract,
    .negate = negate,
    .shift = shift,
    .total = total,
    .combine = combine,
    .gather = gather,
};
