// The limb: a piece of flesh with a bone inside, for the scheme of Bajaj et al. It is a block of
// hexahedra and its own body. The border of the bone is a sharp sheet: it depends on its own vertices
// alone, and functions have a kink there.
#include "scenes.h"

#include "body/lattice/boundary.h"
#include "body/lattice/nodes.h"
#include "core/error.h"

#include <string.h>

enum { LONG = 7, SIDE = 4 };         // vertices along and across
enum { BONE_FROM = 1, BONE_TO = 5 }; // its first and last vertex along

// Along the limb: place, half width of flesh and bone.
static const struct {
    double x, flesh, bone;
} along[LONG] = {{-0.300, 0.085, 0.020}, {-0.205, 0.105, 0.050}, {-0.115, 0.125, 0.024},
                 {-0.010, 0.140, 0.020}, {0.095, 0.120, 0.024},  {0.190, 0.095, 0.046},
                 {0.285, 0.080, 0.020}};

static int vertexAt(int i, int j, int k)
{
    return (i * SIDE + j) * SIDE + k;
}

// Corners of the section are drawn in, so that it is rounder than a square.
static snVec3 placeOf(int i, int j, int k)
{
    static const double outer[SIDE] = {-1, 0, 0, 1};
    bool rim = j == 0 || j == SIDE - 1 || k == 0 || k == SIDE - 1;
    bool edge = (j == 0 || j == SIDE - 1) && (k == 0 || k == SIDE - 1);
    double flesh = along[i].flesh, bone = along[i].bone, third = rim ? 0.40 * flesh : bone;
    double y = outer[j] != 0 ? outer[j] * flesh : (j == 1 ? -third : third);
    double z = outer[k] != 0 ? outer[k] * flesh : (k == 1 ? -third : third);
    double s = edge ? 0.82 : 1.0;
    return snVec(along[i].x, 0.150 + s * y, s * z);
}

static bool isBone(int i, int j, int k) // of a cell
{
    return i >= BONE_FROM && i < BONE_TO && j == 1 && k == 1;
}

static void addCells(snBuilder *builder)
{
    for (int i = 0; i < LONG; i++)
        for (int j = 0; j < SIDE; j++)
            for (int k = 0; k < SIDE; k++)
                snBuilder_Vertex(builder, placeOf(i, j, k));
    for (int i = 0; i + 1 < LONG; i++)
        for (int j = 0; j + 1 < SIDE; j++)
            for (int k = 0; k + 1 < SIDE; k++) {
                const int corners[SN_HEX] = {vertexAt(i, j, k),
                                             vertexAt(i + 1, j, k),
                                             vertexAt(i + 1, j + 1, k),
                                             vertexAt(i, j + 1, k),
                                             vertexAt(i, j, k + 1),
                                             vertexAt(i + 1, j, k + 1),
                                             vertexAt(i + 1, j + 1, k + 1),
                                             vertexAt(i, j + 1, k + 1)};
                snBuilder_Cell(builder, SN_HEX, corners);
            }
}

static void addSheet(snBuilder *builder)
{
    for (int i = BONE_FROM; i < BONE_TO; i++)
        for (int side = 0; side < 4; side++) {
            static const int ring[5][2] = {{1, 1}, {2, 1}, {2, 2}, {1, 2}, {1, 1}};
            const int *a = ring[side], *b = ring[side + 1];
            snBuilder_Sheet(builder, (int[]){vertexAt(i, a[0], a[1]), vertexAt(i + 1, a[0], a[1]),
                                             vertexAt(i + 1, b[0], b[1]), vertexAt(i, b[0], b[1])});
        }
    for (int end = 0; end < 2; end++) {
        int i = end ? BONE_TO : BONE_FROM;
        snBuilder_Sheet(builder, (int[]){vertexAt(i, 1, 1), vertexAt(i, 2, 1), vertexAt(i, 2, 2),
                                         vertexAt(i, 1, 2)});
    }
}

// Bone is forty times as firm as flesh.
static snStatus harden(snControl *control, snArena *arena, snError *error)
{
    double *stiffness = SN_NEW(arena, double, LONG *SIDE *SIDE);
    if (!stiffness) return snFailMemory(error);
    for (int i = 0; i < LONG; i++)
        for (int j = 0; j < SIDE; j++)
            for (int k = 0; k < SIDE; k++) {
                bool bone =
                    i >= BONE_FROM && i <= BONE_TO && (j == 1 || j == 2) && (k == 1 || k == 2);
                stiffness[vertexAt(i, j, k)] = bone ? 40 : 1;
            }
    control->stiffness = stiffness;
    return SN_OK;
}

// The fine cells that lie in the bone.
static snStatus boneCells(snLattice *inner, const snNodes *nodes, snArena *arena, snError *error)
{
    const snLattice *all = &nodes->lattice;
    *inner = *all;
    inner->cellCount = 0;
    inner->cellStart = SN_NEW(arena, int, all->cellCount + 1);
    inner->corners = SN_NEW(arena, int, all->cellStart[all->cellCount]);
    if (!inner->cellStart || !inner->corners) return snFailMemory(error);
    for (int c = 0; c < all->cellCount; c++) {
        int parent = nodes->parent[c], cells = SIDE - 1;
        if (!isBone(parent / cells / cells, parent / cells % cells, parent % cells)) continue;
        memcpy(inner->corners + SN_HEX * inner->cellCount, snLattice_Corners(all, c),
               sizeof(int) * SN_HEX);
        inner->cellCount++;
        inner->cellStart[inner->cellCount] = SN_HEX * inner->cellCount;
    }
    return SN_OK;
}

// The bone's surface in the limit: the border of those cells.
static snStatus findBone(snMesh *bone, const snLattice *lattice, snArena *arena,
                         const snContext *context, snError *error)
{
    snNodesDef def = {.scheme = SN_SCHEME_BAJAJ, .lattice = lattice, .nodeLevel = 3};
    snNodes nodes;
    snBoundary border;
    snLattice inner;
    snStatus status = snNodes_Make(&nodes, &def, arena, context, error);
    if (!status) status = boneCells(&inner, &nodes, arena, error);
    if (!status) status = snBoundary_Find(&border, &inner, arena, context, error);
    if (status) return status;
    int *triangles = SN_NEW(arena, int, 6 * (size_t)border.faceCount);
    if (!triangles) return snFailMemory(error);
    for (int i = 0; i < 6 * border.faceCount; i++)
        triangles[i] = border.faces[i / 6][(const int[]){0, 1, 2, 0, 2, 3}[i % 6]];
    *bone = (snMesh){inner.vertexCount, 2 * border.faceCount, inner.rest, triangles};
    return SN_OK;
}

static snTint paint(const void *creature, snVec3 point, snVec3 normal)
{
    (void)creature, (void)point;
    return snTint_Mix(snTint_Hex(0xd9705f), snTint_Hex(0xeb9c84), 0.5 + 0.5 * normal.y);
}

snStatus snLimb_Make(snModel *model, snArena *arena, const snContext *context, snError *error)
{
    snBuilder *builder = SN_NEW(arena, snBuilder, 1);
    if (!builder) return snFailMemory(error);
    snControl *control = &model->controls[0];
    model->name = "limb";
    model->yaw = 26;
    model->controlCount = 1;
    control->name = "limb";
    control->own = control->anyScheme = true;
    addCells(builder);
    addSheet(builder);
    snStatus status = snBuilder_Finish(builder, &control->lattice, arena, error);
    if (!status) status = harden(control, arena, error);
    if (!status)
        status =
            snBorder_Surface(model, SN_SCHEME_BAJAJ, &control->lattice, 3, arena, context, error);
    if (!status) status = findBone(&model->inner, &control->lattice, arena, context, error);
    if (!status) status = snModel_Paint(model, NULL, paint, arena, error);
    return status;
}
