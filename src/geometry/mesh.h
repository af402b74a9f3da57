// Triangle meshes: positions and index triples, in the caller's memory. Everything here is const
// after it was made.
#ifndef SN_GEOMETRY_MESH_H
#define SN_GEOMETRY_MESH_H

#include "core/memory.h"
#include "core/vec.h"
#include "geometry/primitive.h"

typedef struct snMesh {
    int vertexCount;
    int triangleCount;
    const snVec3 *positions; // [vertexCount]
    const int *triangles;    // [triangleCount * 3]
} snMesh;

// Merges vertices that are within `tolerance` of each other (0, or a tolerance below the resolution
// of the coordinates: exactly equal). Chains of near vertices become one: keep the tolerance below
// the shortest edge. weldOf[v] is the welded vertex of v; it has the place of the lowest-numbered
// one merged into it. Triangles that lose a corner are dropped, and copies of others: the same
// corners, the same way round. The result lives in the arena.
typedef struct snWeld {
    snMesh mesh;
    int *weldOf; // [input vertices]
} snWeld;
snStatus snMesh_Weld(snWeld *weld, const snMesh *mesh, double tolerance, snArena *arena,
                     snError *error);

static inline snTriangle snMesh_Triangle(const snMesh *mesh, int triangle)
{
    return snTriangle_At(mesh->positions, mesh->triangles + 3 * (size_t)triangle);
}

snBox snMesh_Bounds(const snMesh *mesh);
double snMesh_Volume(const snMesh *mesh); // signed; exact for closed surfaces
double snMesh_Area(const snMesh *mesh);

// Area-weighted unit vertex normals; zero vectors where no triangle has area.
void snMesh_Normals(const snMesh *mesh, snVec3 *normals);

#endif
