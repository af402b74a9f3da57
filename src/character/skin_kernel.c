// The loop of skinning.h, compiled once per instruction set (core/simd.h).
#include "character/skinning.h"

#include "core/simd.h"

#define INLINE SN_ALWAYS_INLINE

// A matrix by columns x, y, z and the origin, as the machine's registers have them.
#if defined(__AVX512F__)
typedef snDouble8 Part;
#define PARTS 2
#define COLUMN(m, k)                                                                               \
    ((k) % 2 ? __builtin_shufflevector(m[(k) / 2], m[(k) / 2], 4, 5, 6, 7)                         \
             : __builtin_shufflevector(m[(k) / 2], m[(k) / 2], 0, 1, 2, 3))
#else
typedef snDouble4 Part;
#define PARTS 4
#define COLUMN(m, k) (m[k])
#endif

// What has no weight adds nothing, for its move is finite.
static INLINE void skin(const snSkinPass *pass, int begin, int end, int influences)
{
    const int *joint = pass->joints + (size_t)begin * (size_t)influences;
    const float *weight = pass->weights + (size_t)begin * (size_t)influences;
    for (int v = begin; v < end; v++, joint += influences, weight += influences) {
        Part m[PARTS] = {{0}};
        for (int i = 0; i < influences; i++) {
            const double *move = pass->moves + SN_SKIN_MOVE * (size_t)joint[i];
            double w = (double)weight[i];
            for (int k = 0; k < PARTS; k++) {
                Part part;
                memcpy(&part, move + (size_t)k * (SN_SKIN_MOVE / PARTS), sizeof part);
                m[k] += w * part;
            }
        }
        snVec3f p = pass->positions[v];
        snDouble4 x = (double)p.x * COLUMN(m, 0);
        x += (double)p.y * COLUMN(m, 1);
        x += (double)p.z * COLUMN(m, 2);
        x += COLUMN(m, 3);
        snFloat4 f = __builtin_convertvector(x, snFloat4);
        memcpy(pass->out + (size_t)v * pass->stride, &f, 3 * sizeof(float));
    }
}

extern snSkinFcn SN_VARIANT(snSkinVertices);
void SN_VARIANT(snSkinVertices)(const snSkinPass *pass, int begin, int end)
{
    if (pass->influences == 4)
        skin(pass, begin, end, 4);
    else
        skin(pass, begin, end, pass->influences);
}

// The same in single precision: the products of columns and coordinates side by side, added as (x + y) + (z + origin).
#if defined(__AVX512F__)
typedef snFloat16 Single;
#define SINGLES 1
#define QUARTER(m, k)                                                                              \
    __builtin_shufflevector(m[0], m[0], 4 * (k), 4 * (k) + 1, 4 * (k) + 2, 4 * (k) + 3)
#elif defined(__AVX2__)
typedef snFloat8 Single;
#define SINGLES 2
#define QUARTER(m, k)                                                                              \
    ((k) % 2 ? __builtin_shufflevector(m[(k) / 2], m[(k) / 2], 4, 5, 6, 7)                         \
             : __builtin_shufflevector(m[(k) / 2], m[(k) / 2], 0, 1, 2, 3))
#else
typedef snFloat4 Single;
#define SINGLES 4
#define QUARTER(m, k) (m[k])
#endif

static INLINE void skinRows(const snSkinRows *pass, int begin, int end, int influences)
{
    const int *joint = pass->joints + (size_t)begin * (size_t)influences;
    const float *weight = pass->weights + (size_t)begin * (size_t)influences;
    for (int v = begin; v < end; v++, joint += influences, weight += influences) {
        Single m[SINGLES] = {{0}};
        for (int i = 0; i < influences; i++) {
            const float *move = pass->moves + SN_SKIN_MOVE * (size_t)joint[i];
            for (int k = 0; k < SINGLES; k++) {
                Single part;
                memcpy(&part, move + (size_t)k * (SN_SKIN_MOVE / SINGLES), sizeof part);
                m[k] += weight[i] * part;
            }
        }
        snVec3f p = pass->positions[v];
        snFloat4 x =
            (p.x * QUARTER(m, 0) + p.y * QUARTER(m, 1)) + (p.z * QUARTER(m, 2) + QUARTER(m, 3));
        memcpy(pass->rows + 4 * (size_t)v, &x, sizeof x);
    }
}

extern snSkinRowsFcn SN_VARIANT(snSkinRows_Run);
void SN_VARIANT(snSkinRows_Run)(const snSkinRows *pass, int begin, int end)
{
    if (pass->influences == 4)
        skinRows(pass, begin, end, 4);
    else
        skinRows(pass, begin, end, pass->influences);
}
