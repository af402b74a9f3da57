// Blocks as surfaces, for tests.
#ifndef SN_TESTS_BODY_LATTICE_BLOCK_SURFACE_H
#define SN_TESTS_BODY_LATTICE_BLOCK_SURFACE_H

#include "character/character.h"

#define SIDE 5 // vertices along an edge of a block's faces

static const snTransform none = {{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}};

// Adds a block with its faces in squares to a part. Corners of faces are doubled.
static void addBlock(snPart *part, snVec3 lower, snVec3 upper)
{
    double low[3] = {lower.x, lower.y, lower.z}, high[3] = {upper.x, upper.y, upper.z};
    for (int f = 0; f < 6; f++) {
        int axis = f / 2, u = (axis + 1) % 3, v = (axis + 2) % 3;
        for (int i = 0; i < SIDE * SIDE; i++) {
            double p[3], s = (double)(i % SIDE) / (SIDE - 1), t = (double)(i / SIDE) / (SIDE - 1);
            p[axis] = f % 2 ? high[axis] : low[axis];
            p[u] = low[u] + s * (high[u] - low[u]);
            p[v] = low[v] + t * (high[v] - low[v]);
            part->positions[part->vertexCount + i] =
                (snVec3f){(float)p[0], (float)p[1], (float)p[2]};
        }
        for (int i = 0; i < (SIDE - 1) * (SIDE - 1); i++) {
            int a = part->vertexCount + i / (SIDE - 1) * SIDE + i % (SIDE - 1);
            int b = a + 1, c = a + SIDE, d = a + SIDE + 1;
            int quad[6] = {a, f % 2 ? b : c, f % 2 ? c : b, b, f % 2 ? d : c, f % 2 ? c : d};
            for (int k = 0; k < 6; k++)
                part->triangles[3 * part->triangleCount + k] = quad[k];
            part->triangleCount += 2;
        }
        part->vertexCount += SIDE * SIDE;
    }
}

#endif
