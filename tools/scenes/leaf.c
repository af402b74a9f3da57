// A leaf that hangs by its stem, its tip at the bottom: to be pulled off.
#include "scenes.h"

#include "core/elementary.h"
#include "core/error.h"

enum { RINGS = 64, SPOKES = 40 };

static const double length = 0.24; // with the stem
static const double stem = 0.055;
static const double thin = 0.0035; // half of it

// t is 0 at the tip and 1 at the stem's end.
static double halfWidth(double t)
{
    double blade = 1 - stem / length, u = snClamp(t / blade, 0, 1);
    double round = 0.058 * sqrt(u) * (1 - u) * (1 + 1.4 * u);
    return fmax(round, 0.0042 * snRise(-0.02, 0.1, t));
}

static double halfThick(double t)
{
    double blade = 1 - stem / length;
    return thin + 0.0012 * snRise(0.8 * blade, blade, t) - 0.0015 * snRise(0.15, 0, t);
}

// Folded a little along its middle, and bent.
static snVec3 placeAt(double t, double angle)
{
    double s, c, w = halfWidth(t);
    snSinCos(angle, &s, &c);
    double x = w * c, fold = 0.3 * sqrt(x * x + 1e-5);
    double bend = 0.05 * (1 - t) * (1 - t);
    return snVec(x, length * t, halfThick(t) * s + fold + bend);
}

static snTint paint(const void *creature, snVec3 point, snVec3 normal)
{
    (void)creature;
    double t = point.y / length, x = fabs(point.x), blade = 1 - stem / length;
    double rib = fabs(snSin(34 * t + 60 * x)); // ribs go up and out from the middle
    snTint green = snTint_Mix(snTint_Hex(0x4f9a2c), snTint_Hex(0x86c23f), snRise(0.2, 0.9, t));
    green = snTint_Mix(snTint_Hex(0xb5d86a), green, 0.55 + 0.45 * snRise(0.05, 0.3, rib));
    green = snTint_Mix(snTint_Hex(0xc5df86), green, snRise(0.0015, 0.004, x));
    green = snTint_Mix(green, snTint_Hex(0xd9eab0), 0.1 + 0.1 * normal.z);
    return snTint_Mix(green, snTint_Hex(0x8a6a3a), snRise(blade - 0.02, blade + 0.06, t));
}

typedef struct Growing {
    snVec3 *positions;
    int *triangles;
    int vertexCount, triangleCount;
} Growing;

static void join(Growing *g, int a, int b, int c)
{
    int *t = g->triangles + 3 * g->triangleCount++;
    t[0] = a, t[1] = b, t[2] = c;
}

// Rings from tip to stem, closed by a vertex at each end.
static void grow(Growing *g)
{
    for (int i = 0; i < RINGS; i++)
        for (int k = 0; k < SPOKES; k++)
            g->positions[g->vertexCount++] = placeAt((i + 0.5) / RINGS, 2 * SN_PI * k / SPOKES);
    int tip = g->vertexCount++, end = g->vertexCount++;
    g->positions[tip] = snVec(0, 0, placeAt(0, 0).z);
    g->positions[end] = snVec(0, length, placeAt(1, 0.5 * SN_PI).z - halfThick(1));
    for (int k = 0; k < SPOKES; k++) {
        int next = (k + 1) % SPOKES, last = (RINGS - 1) * SPOKES;
        join(g, tip, k, next);
        join(g, end, last + next, last + k);
        for (int i = 0; i + 1 < RINGS; i++) {
            int a = i * SPOKES + k, b = i * SPOKES + next;
            join(g, a, a + SPOKES, b + SPOKES);
            join(g, a, b + SPOKES, b);
        }
    }
}

snStatus snLeaf_Make(snModel *model, snArena *arena, const snContext *context, snError *error)
{
    (void)context;
    Growing g = {.positions = SN_NEW(arena, snVec3, RINGS * SPOKES + 2),
                 .triangles = SN_NEW(arena, int, RINGS *SPOKES * 6)};
    if (!g.positions || !g.triangles) return snFailMemory(error);
    grow(&g);
    model->name = "leaf";
    model->yaw = 20;
    model->surface = (snMesh){g.vertexCount, g.triangleCount, g.positions, g.triangles};
    return snModel_Paint(model, NULL, paint, arena, error);
}
