// Joint weights of lattice vertices, made from those of the surface.
//
// Minimise  c |Φ W - w|² + a tr(Wᵀ L W)  over the weights W of the vertices, where Φ carries them
// to the surface's points, w are the surface's own weights and L is the graph Laplacian of the
// lattice with edge weights 1/d² (median 1): fit the skin, and be smooth where there is none.
// Vertices on bones have weight 1 for their joint. Then negative values are cut, small ones
// dropped, and rows normalised.
#ifndef SN_BODY_LATTICE_WEIGHTS_H
#define SN_BODY_LATTICE_WEIGHTS_H

#include "body/lattice/embed.h"
#include "body/lattice/subdivide.h"

typedef struct snLatticeWeightsDef {
    const snLattice *lattice;
    const snEmbedding *surface; // Φ
    const snWeightRows *skin;   // one row of joint weights per surface point
    int jointCount;
    double smoothness; // a: 0.1 follows the skin closely, 0.5 is smoother between joints
} snLatticeWeightsDef;

snStatus snLatticeWeights(snWeightRows *weights, const snLatticeWeightsDef *def, snArena *arena,
                          const snContext *context, snError *error);

#endif
