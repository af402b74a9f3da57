#include "body/skin/skin_bare.h"

#include "core/error.h"

#define ROWS 12 // of a muscle: a ball of radius r is r (1 - cos 12.5°) = 0.024 r thinner at most
#define COLUMNS 18
#define VERTICES SN_MUSCLE_VERTICES(ROWS, COLUMNS)
#define TRIANGLES SN_MUSCLE_TRIANGLES(ROWS, COLUMNS)

snStatus snSkinBare_Make(snSkinBare *bare, const snElasticSkin *skin, snArena *arena,
                         snError *error)
{
    const snSkinMuscles *muscles = &skin->muscles;
    *bare = (snSkinBare){.first = skin->mesh->pointCount};
    bare->muscle = SN_NEW(arena, int, muscles->count);
    if (!bare->muscle) return snFailMemory(error);
    for (int i = 0; i < muscles->count; i++)
        if (muscles->shape[1][i].bare) bare->muscle[bare->count++] = i;
    bare->unit = SN_NEW(arena, snVec3, bare->count * VERTICES);
    if (!bare->unit) return snFailMemory(error);
    for (int k = 0; k < bare->count; k++) {
        const snMuscle *muscle = &muscles->edge[1][bare->muscle[k]];
        snVec3 *own = bare->unit + (size_t)k * VERTICES, half = muscle->half;
        snMuscle_Crossings(muscle, ROWS, COLUMNS, own);
        for (int i = 0; i < VERTICES; i++)
            own[i] = snVec(own[i].x / half.x, own[i].y / half.y, own[i].z / half.z);
    }
    return SN_OK;
}

int snSkinBare_VertexCount(const snSkinBare *bare)
{
    return bare->count * VERTICES;
}

int snSkinBare_TriangleCount(const snSkinBare *bare)
{
    return bare->count * TRIANGLES;
}

void snSkinBare_Triangles(const snSkinBare *bare, int *triangles)
{
    for (int k = 0; k < bare->count; k++) {
        int *own = triangles + 3 * (size_t)k * TRIANGLES;
        snMuscle_Triangles(ROWS, COLUMNS, own);
        for (int i = 0; i < 3 * TRIANGLES; i++)
            own[i] += bare->first + k * VERTICES;
    }
}

snVec3 snSkinBare_Place(const snSkinBare *bare, const snSkinMuscles *muscles, int vertex)
{
    const snMuscle *muscle = &muscles->edge[1][snSkinBare_MuscleOf(bare, vertex)];
    snVec3 unit = bare->unit[vertex - bare->first], half = muscle->half;
    return snMuscle_Place(muscle, snVec(unit.x * half.x, unit.y * half.y, unit.z * half.z));
}

void snSkinBare_Places(const snSkinBare *bare, const snSkinMuscles *muscles, snVec3 *places)
{
    for (int i = 0; i < snSkinBare_VertexCount(bare); i++)
        places[i] = snSkinBare_Place(bare, muscles, bare->first + i);
}

int snSkinBare_MuscleOf(const snSkinBare *bare, int vertex)
{
    return vertex < bare->first ? -1 : bare->muscle[(vertex - bare->first) / VERTICES];
}
