// Regions of a body: which of the bones a lattice vertex moves with, for SN_SOLVER_BLENDED.
//
// Each joint that carries weight has a region with weights W^i on the lattice's vertices, a
// partition of unity, Σ_i W^i_a = 1. They are plain rows: make them with snRegions_FromSkin, change
// what you like, and hand them to the model (snLatticeModelDef.regions).
#ifndef SN_BODY_LATTICE_REGIONS_H
#define SN_BODY_LATTICE_REGIONS_H

#include "body/lattice/lattice.h"
#include "body/lattice/subdivide.h"

// Which cells a region has.
typedef enum snRegionRule {
    SN_REGION_ANY, // those with W^i > 0 at some corner: every vertex has all its cells
    SN_REGION_ALL, // those with W^i > 0 at all corners: the paper's own, smaller and rougher
} snRegionRule;

// In which frame a region is linear (frames.h). In secondary motion it is always its joint's.
typedef enum snRegionFrames {
    SN_FRAMES_AUTO,   // its joint's where the bone leads, fitted to the flesh where it is loose
    SN_FRAMES_JOINTS, // its joint's everywhere: the paper's own, whose bones all lead
    SN_FRAMES_FITTED, // fitted everywhere
} snRegionFrames;

typedef struct snRegions {
    int regionCount;
    int *joint;        // [regionCount], ascending: the joint in whose frame the region is linear
    snWeightRows rows; // per lattice vertex, in lattice order: regions and W^i > 0
    snRegionRule rule;
    snRegionFrames frames;
} snRegions;

typedef struct snRegionsDef {
    const snLattice *lattice;
    const snWeightRows *skin; // one row of joint weights per lattice vertex
    snRegionRule rule;
    snRegionFrames frames;
    // How far weights spread, in edges squared: 0 takes the skin's own, 1 evens out over about one
    // edge. More makes regions larger, steps slower and the change from bone to bone gentler.
    double smoothing;
    double leastWeight; // below this share a vertex leaves a region; it bounds how large they get
} snRegionsDef;
snRegionsDef snDefaultRegionsDef(void);

// Vertices on a bone belong to its joint alone. Vertices without weights take those around them.
snStatus snRegions_FromSkin(snRegions *regions, const snRegionsDef *def, snArena *arena,
                            const snContext *context, snError *error);

// Counts in range, weights positive, rows that sum to one. Names the vertex at fault.
snStatus snRegions_Check(const snRegions *regions, int vertexCount, snError *error);

#endif
