#include "body/lattice/average.h"

#include "body/lattice/energy.h"

#define FLAT 0.1 // J̄ below which Q is not divided by it

bool snAverage_Has(const snLatticeModel *model)
{
    const snLatticeModelDef *def = &model->def;
    return def->integrator == SN_INTEGRATOR_MIDPOINT && def->precision == SN_PRECISION_DOUBLE &&
           def->motion == SN_MOTION_FULL &&
           (def->material == SN_MATERIAL_GREEN || def->material == SN_MATERIAL_NONRIGID);
}

static void put(double *out, snMat3 m)
{
    const snVec3 columns[3] = {m.cx, m.cy, m.cz};
    for (int j = 0; j < 3; j++) {
        out[j * SN_GROUP] = columns[j].x;
        out[(3 + j) * SN_GROUP] = columns[j].y;
        out[(6 + j) * SN_GROUP] = columns[j].z;
    }
}

// Q, for F_m, F' - F, C and C'.
static snMat3 volumeGradient(snMat3 middle, snMat3 change, snMat3 first, snMat3 last, double volume)
{
    if (volume < FLAT) return snAddMM(snCofactor(middle), snScaleM(1.0 / 12, snCofactor(change)));
    snMat3 mean = snScaleM(0.5, snAddMM(first, last)), c = snAddMM(last, snScaleM(-1, first));
    snMat3 k = snAddMM(snCofactor(mean), snScaleM(1.0 / 12, snCofactor(c)));
    return snScaleM(1 / volume, snMulMM(middle, k));
}

static void findNumbers(snMat3 begin, snMat3 middle, double *out)
{
    snMat3 half = snAddMM(middle, snScaleM(-1, begin)), end = snAddMM(middle, half);
    double volume = 0.5 * (snDet(begin) + snDet(end)); // J̄
    snMat3 q = volumeGradient(middle, snScaleM(2, half), snMulTMM(begin, begin), snMulTMM(end, end),
                              volume);
    snMat3 miss = snAddMM(q, snScaleM(-1, snCofactor(middle)));
    put(out, snMulTMM(half, half));
    put(out + 9 * SN_GROUP, snScaleM(volume - 1, miss));
    out[18 * SN_GROUP] = volume - snDet(middle);
}

void snAverage_Begin(const snLatticeModel *model, snLatticeState *state)
{
    for (int c = 0; c < model->classCount; c++)
        for (int k = 0; k < model->classes[c].groupCount * SN_GROUP; k++)
            state->elements[c].begun[k] =
                snElementClass_Deformation(&model->classes[c], (size_t)k, state->position);
}

void snAverage_Update(const snLatticeModel *model, snLatticeState *state)
{
    for (int c = 0; c < model->classCount; c++)
        for (int k = 0; k < model->classes[c].groupCount * SN_GROUP; k++) {
            int group = k / SN_GROUP, lane = k % SN_GROUP;
            double *out =
                state->elements[c].average + (size_t)group * (SN_AVERAGE_NUMBERS * SN_GROUP) + lane;
            findNumbers(state->elements[c].begun[k],
                        snElementClass_Deformation(&model->classes[c], (size_t)k, state->next),
                        out);
        }
}

double snAverage_Change(const snLatticeModel *model, const snLatticeState *state)
{
    snElementTarget rest = snRestTarget();
    rest.crush = model->def.crush;
    double sum = 0;
    for (int c = 0; c < model->classCount; c++) {
        const snElementClass *class = &model->classes[c];
        const double *shear = class->shear, *bulk = class->bulk;
        for (int k = 0; k < class->count; k++) {
            snMat3 begin = state->elements[c].begun[k],
                   middle = snElementClass_Deformation(class, (size_t)k, state->next),
                   end = snAddMM(snScaleM(2, middle), snScaleM(-1, begin));
            snMaterial material = model->def.material;
            sum += snEnergy_Density(material, 0.5 * shear[k], bulk[k], &rest, end) -
                   snEnergy_Density(material, 0.5 * shear[k], bulk[k], &rest, begin);
        }
    }
    return sum;
}
