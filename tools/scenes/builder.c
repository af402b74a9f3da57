// Lattices made corner by corner, and regular grids.
#include "scenes.h"

#include "core/error.h"
#include "geometry/primitive.h"

#include <string.h>

int snBuilder_Vertex(snBuilder *builder, snVec3 place)
{
    SN_ASSERT(builder->vertexCount < BUILDER_MOST);
    builder->rest[builder->vertexCount] = place;
    return builder->vertexCount++;
}

void snBuilder_Cell(snBuilder *builder, snCellKind kind, const int *corners)
{
    SN_ASSERT(builder->cellCount < BUILDER_MOST);
    memcpy(builder->corners + builder->cornerCount, corners, sizeof(int) * (size_t)kind);
    builder->cornerCount += (int)kind;
    builder->cellStart[++builder->cellCount] = builder->cornerCount;
}

void snBuilder_Crease(snBuilder *builder, int a, int b)
{
    SN_ASSERT(builder->edgeCount < BUILDER_MOST);
    builder->edge[builder->edgeCount][0] = a;
    builder->edge[builder->edgeCount++][1] = b;
}

void snBuilder_Corner(snBuilder *builder, int vertex)
{
    SN_ASSERT(builder->cornerTags < BUILDER_MOST);
    builder->corner[builder->cornerTags++] = vertex;
}

void snBuilder_Sheet(snBuilder *builder, const int face[SN_FACE_CORNERS])
{
    SN_ASSERT(builder->faceCount < BUILDER_MOST);
    memcpy(builder->face[builder->faceCount++], face, sizeof builder->face[0]);
}

snStatus snBuilder_Finish(snBuilder *builder, snLattice *lattice, snArena *arena, snError *error)
{
    snBuilder *b = builder;
    snSharp sharp = {b->edgeCount, b->cornerTags, b->faceCount, b->edge, b->corner, b->face};
    bool any = b->edgeCount + b->cornerTags + b->faceCount > 0;
    snStatus status =
        snLattice_Alloc(lattice, b->vertexCount, b->cellCount, b->cornerCount, arena, error);
    if (status) return status;
    memcpy(lattice->rest, b->rest, sizeof *b->rest * (size_t)b->vertexCount);
    memcpy(lattice->cellStart, b->cellStart, sizeof(int) * (size_t)(b->cellCount + 1));
    memcpy(lattice->corners, b->corners, sizeof(int) * (size_t)b->cornerCount);
    return snLattice_CopySharp(lattice, any ? &sharp : NULL, arena, error);
}

void snBuilder_Ring(snBuilder *builder, snAffine place, double across, double below, double above,
                    int ring[4])
{
    ring[0] = snBuilder_Vertex(builder, snMulAP(place, snVec(-across, -below, 0)));
    ring[1] = snBuilder_Vertex(builder, snMulAP(place, snVec(across, -below, 0)));
    ring[2] = snBuilder_Vertex(builder, snMulAP(place, snVec(across, above, 0)));
    ring[3] = snBuilder_Vertex(builder, snMulAP(place, snVec(-across, above, 0)));
}

void snBuilder_Between(snBuilder *builder, const int from[4], const int to[4])
{
    int corners[SN_HEX] = {from[0], from[1], from[2], from[3], to[0], to[1], to[2], to[3]};
    snBuilder_Cell(builder, SN_HEX, corners);
}

// ---- grids ------------------------------------------------------------------------------------------

typedef struct Grid {
    const snGridDef *def;
    int points[3]; // cells + 1
    int *number;   // [points], of a vertex, -1 where no cell has it
} Grid;

static snVec3 pointOf(const snGridDef *def, int x, int y, int z)
{
    snVec3 l = def->box.lower, d = snSub(def->box.upper, def->box.lower);
    return snVec(l.x + d.x * x / def->cells[0], l.y + d.y * y / def->cells[1],
                 l.z + d.z * z / def->cells[2]);
}

// A cell is kept that the surface crosses, or that lies inside.
static bool isKept(const snGridDef *def, int x, int y, int z)
{
    snBox box = {pointOf(def, x, y, z), pointOf(def, x + 1, y + 1, z + 1)};
    const snMesh *mesh = def->surface;
    for (int t = 0; t < mesh->triangleCount; t++) {
        const int *v = mesh->triangles + 3 * t;
        snTriangle triangle = {mesh->positions[v[0]], mesh->positions[v[1]], mesh->positions[v[2]]};
        if (snTriangle_OverlapsBox(triangle, box)) return true;
    }
    return snLumps_Value(def->lumps, snLerp(box.lower, box.upper, 0.5)) < 0.0;
}

static int cornerOf(const Grid *grid, int x, int y, int z)
{
    return x + grid->points[0] * (y + grid->points[1] * z);
}

static void addCell(Grid *grid, snBuilder *builder, const int at[3])
{
    static const int offset[SN_HEX][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                          {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    int corners[SN_HEX];
    for (int k = 0; k < SN_HEX; k++) {
        int x = at[0] + offset[k][0], y = at[1] + offset[k][1], z = at[2] + offset[k][2];
        int *number = &grid->number[cornerOf(grid, x, y, z)];
        if (*number < 0) *number = snBuilder_Vertex(builder, pointOf(grid->def, x, y, z));
        corners[k] = *number;
    }
    snBuilder_Cell(builder, SN_HEX, corners);
}

static void addCells(Grid *grid, snBuilder *builder)
{
    const int *cells = grid->def->cells;
    for (int z = 0; z < cells[2]; z++)
        for (int y = 0; y < cells[1]; y++)
            for (int x = 0; x < cells[0]; x++)
                if (isKept(grid->def, x, y, z)) addCell(grid, builder, (int[3]){x, y, z});
}

snStatus snGrid_Make(snLattice *lattice, const snGridDef *def, snArena *arena,
                     const snContext *context, snError *error)
{
    Grid grid = {def, {def->cells[0] + 1, def->cells[1] + 1, def->cells[2] + 1}, NULL};
    int count = grid.points[0] * grid.points[1] * grid.points[2];
    snArena scratch = snMakeArena(context);
    snBuilder *builder = SN_NEW(&scratch, snBuilder, 1);
    grid.number = SN_NEW(&scratch, int, count);
    snStatus status = builder && grid.number ? SN_OK : snFailMemory(error);
    if (!status) {
        for (int i = 0; i < count; i++)
            grid.number[i] = -1;
        addCells(&grid, builder);
        status = snBuilder_Finish(builder, lattice, arena, error);
    }
    snArena_Destroy(&scratch);
    return status;
}
