// Linear strain is wrong under rotation; of a body that turns a lot and deforms little only the turn
// has to be taken out. So the rest state r is turned to R r + o in every step, and strain is that of
//
//     D = Rᵀ(p - o) - r,       R such that ∇ x D = 0 at a material point x₀.
//
// With F = ∇p at x₀ and G = RᵀF - 1 = ∇D in the old frame,
//
//     curl    ∇ x D = (G_zy - G_yz, G_xz - G_zx, G_yx - G_xy): to first order R turns by ½ |∇ x D| about it;
//     polar   F = R U: exactly, for RᵀF = U is symmetric.
//
// The curl's rule leaves an angle of third order, which the next step takes out.
//
// x₀ is in the element whose middle is nearest to the rest centre of mass (a coil's own lies outside of it):
// there F is one matrix, and it is not on a face between cells, where there would be several. Steps are
// implicit, so R is that of the step's end as its first guess has it: with the R of its begin the body,
// farther by an angle θ, would be seen stretched by θ²/2.
#include "body/lattice/turning.h"

#include "core/svd.h"

static snVec3 middleOf(const snLatticeModel *model, int element)
{
    const snQuadrature *q = model->quadrature;
    int first = q->start[element], count = q->start[element + 1] - first;
    snVec3 sum = {0, 0, 0};
    for (int k = 0; k < count; k++)
        sum = snMulAdd(sum, 1.0 / count, model->lattice.rest[q->corner[first + k]]);
    return sum;
}

int snTurning_FindElement(const snLatticeModel *model)
{
    const snQuadrature *q = model->quadrature;
    snVec3 center = {0, 0, 0};
    int best = -1;
    double nearest = INFINITY;
    for (int i = 0; i < model->vertexCount; i++)
        center = snMulAdd(center, model->mass[i] / model->totalMass, model->rest[i]);
    for (int e = 0; e < q->elementCount; e++) {
        double distance = snDistance(middleOf(model, e), center);
        if (q->volume[e] > 0 && q->cellVolume[q->cell[e]] > 0 && distance < nearest)
            nearest = distance, best = e;
    }
    return best;
}

static snMat3 turnByCurl(snMat3 rotation, snMat3 f)
{
    snMat3 g = snMulMM(snTranspose(rotation), f); // the identity has no curl
    snVec3 curl = {g.cy.z - g.cz.y, g.cz.x - g.cx.z, g.cx.y - g.cy.x};
    double length = snLength(curl);
    if (!(length > 0)) return rotation;
    snQuat turn = snQuatFromAxisAngle(snScale(1 / length, curl), 0.5 * length);
    snQuat whole = snNormalizeQ(snMulQQ(snQuatFromMat(rotation), turn));
    return snQuatToMat(whole);
}

snAffine snTurning_Frame(const snLatticeModel *model, const snLatticeState *state,
                         const double *position, int lane, const snAffine *before)
{
    const snQuadrature *q = model->quadrature;
    int e = model->linear->turnElement, first = q->start[e], count = q->start[e + 1] - first;
    snMat3 f = snDiagonal3(0, 0, 0);
    snVec3 now = {0, 0, 0};
    snVec3 origin = snLatticeState_Vertex(state, position, model->indexOf[q->corner[first]], lane);
    for (int k = 0; k < count; k++) { // gradients sum to zero: places relative to one of them do
        snVec3 x =
            snLatticeState_Vertex(state, position, model->indexOf[q->corner[first + k]], lane);
        f = snAddMM(f, snOuter(snSub(x, origin), q->gradient[first + k]));
        now = snMulAdd(now, 1.0 / count, x);
    }
    bool curl = model->def.turn == SN_TURN_CURL && before;
    snMat3 rotation = curl ? turnByCurl(before->linear, f) : snPolar(f, NULL);
    return (snAffine){rotation, snSub(now, snMulMV(rotation, middleOf(model, e)))};
}
