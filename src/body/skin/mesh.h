// The mesh of a skin: any manifold of quads and triangles, each with a chart, in which the rest metric and all densities
// of points are meant. The grid of Turner and Gobbetti, wound round a body between two rims, is one maker of
// it: its chart is the unit square, whatever its resolution. Of other surfaces the chart is the surface itself, in metres.
#ifndef SN_BODY_SKIN_MESH_H
#define SN_BODY_SKIN_MESH_H

#include "geometry/mesh.h"

typedef struct snSkinMesh {
    int pointCount, faceCount;
    int *corner;   // [faceCount * 4], counter-clockwise from outside; the last is -1 in triangles
    double *chart; // [faceCount * 8], (u1, u2) of every corner; each face has a chart of its own
    int columns, rows; // of a grid; 0: it is none
    // Made from the above.
    int triangleCount;  // quads are cut in two
    int *triangles;     // [triangleCount * 3]
    double *area;       // [pointCount], of the chart: what the point stands for
    int ringCount;      // edges, seen from both ends
    int *ringStart;     // [pointCount + 1]
    int *ring;          // [ringCount], points across edges
    double *ringLength; // [ringCount], of the edge in the chart
    int *rimNext; // [pointCount], the next point along an edge with one face only, against the
                  // face's way; -1: the point is inside
} snSkinMesh;

// Points are numbered along rows: row * columns + column; row 0 is the bottom. At least 3 columns and 2 rows.
// u1 goes once round, u2 from 0 to 1 upwards. Seen from outside columns go counter-clockwise about the way up.
snStatus snSkinMesh_Grid(snSkinMesh *mesh, int columns, int rows, snArena *arena, snError *error);

// The surface of triangles, with places as they are as its chart.
snStatus snSkinMesh_FromTriangles(snSkinMesh *mesh, const snMesh *surface, snArena *arena,
                                  snError *error);

// Any faces; chart as above. All arrays are copied.
snStatus snSkinMesh_Make(snSkinMesh *mesh, int pointCount, int faceCount, const int *corner,
                         const double *chart, snArena *arena, snError *error);

// A point of another resolution as a mean of points of this.
typedef struct snSkinBlend {
    int parent[4];
    double weight[4]; // sum to 1
} snSkinBlend;

// A grid of another resolution; and any mesh with each face cut in four, points of the coarser mesh
// first. blend: [points of the new mesh].
snStatus snSkinMesh_Resample(snSkinMesh *fine, snSkinBlend **blend, const snSkinMesh *mesh,
                             int columns, int rows, snArena *arena, snError *error);
snStatus snSkinMesh_Refine(snSkinMesh *fine, snSkinBlend **blend, const snSkinMesh *mesh,
                           snArena *arena, snError *error);

// A mesh of triangles with about a quarter of the points, which are all points of the finer one; what was refined before is as it was
// (coarsen.c). All in the arena.
typedef struct snSkinCoarser {
    snSkinMesh mesh;
    snVec3 *places;     // [mesh.pointCount]
    int *kept;          // [mesh.pointCount], which points of the finer one they are, ascending
    snSkinBlend *blend; // [points of the finer one], as means of these
    bool refined;       // the finer one had been refined from it
} snSkinCoarser;
snStatus snSkinMesh_Coarsen(snSkinCoarser *coarser, const snSkinMesh *mesh, const snVec3 *places,
                            snArena *arena, snError *error);

// Values of a coarser mesh, from those of a finer one (fit.c): those whose means are nearest to them, by the areas that points of the finer
// one stand for; half as far again as the range of what is there, at most. So means of values come back as these, and their sum over the surface stays.
// `fitted` comes in as a first guess.
typedef struct snSkinFit {
    int fine, coarse;         // counts of points
    const snSkinBlend *blend; // [fine], of the coarse
    const double *area;       // [fine]
} snSkinFit;
snStatus snSkinFit_Solve(const snSkinFit *fit, const double *values, double *fitted,
                         snArena *scratch, snError *error);

#endif
