// Models of every kind with each way to an allocation failing, and materials that cannot be.
#include "tests/test.h"

#include "body/lattice/explicit.h"
#include "tests/body/lattice/bars.h"

#include <math.h>

// A block of six tetrahedra with details, its left side known.
typedef struct Made {
    snContext context;
    snArena arena;
    snLattice lattice;
    snQuadrature quadrature;
    snBasis basis[SN_DETAIL_LEVELS];
    const snBasis *bases[SN_DETAIL_LEVELS];
    snWeightRows skin;
    double *young;
    snLatticeModelDef def;
} Made;

static void make(Made *m, snLatticeModelDef def)
{
    *m = (Made){.context = snDefaultContext()};
    m->arena = snMakeArena(&m->context);
    snArena *arena = &m->arena;
    m->lattice = makeBlock(BLOCK_TETS, 1, 1, 1, snVec(0.3, 0.25, 0.25), arena);
    m->skin = skinOfOne(m->lattice.vertexCount, arena);
    snQuadratureDef quadrature = snDefaultQuadratureDef();
    quadrature.level = 0;
    CHECK(snQuadrature_Make(&m->quadrature, &m->lattice, &quadrature, arena, &m->context, NULL) ==
          SN_OK);
    for (int j = 0; j < def.levels; j++) {
        snBasisDef basis = snDefaultBasisDef();
        basis.lattice = &m->lattice;
        basis.levels = basis.quadratureLevel = j + 1;
        CHECK(snBasis_Make(&m->basis[j], &basis, arena, &m->context, NULL) == SN_OK);
        m->bases[j] = &m->basis[j];
    }
    m->young = constants(m->lattice.cellCount, 1e5, arena);
    m->def = def;
    m->def.bases = m->bases;
    m->def.lattice = &m->lattice;
    m->def.quadrature = &m->quadrature;
    m->def.skin = &m->skin;
    m->def.known = heldUpTo(&m->lattice, 0, arena);
    m->def.young = m->young;
}

static void failEveryWay(const snLatticeModelDef *def)
{
    snStatus status = SN_ERROR_MEMORY;
    for (int n = 1; status && n < 2000; n++) {
        snContext failing = snDefaultContext();
        snFailingMemory memory = {.failAtWay = n};
        snTest_UseFailingMemory(&failing, &memory);
        snLatticeModel *model = NULL;
        snLatticeState *state = NULL;
        snExplicit *explicit = NULL;
        status = snLatticeModel_Build(&model, def, &failing, NULL);
        CHECK((status == SN_OK) == (model != NULL));
        if (!status) status = snLatticeState_Make(&state, model, 1, &failing, NULL);
        if (!status && !def->levels && def->precision == SN_PRECISION_DOUBLE)
            status = snExplicit_Make(&explicit, model, 2, &failing, NULL);
        CHECK(status == (memory.count < n ? SN_OK : SN_ERROR_MEMORY));
        snExplicit_Destroy(explicit);
        snLatticeState_Destroy(state);
        snLatticeModel_Destroy(model);
        CHECK(memory.alive == 0);
    }
    CHECK(status == SN_OK);
}

static void everyWayMayFail(void)
{
    for (int levels = 0; levels <= 2; levels++) {
        Made m;
        make(&m, detailed(levels));
        failEveryWay(&m.def);
        snArena_Destroy(&m.arena);
    }
    for (int kind = 0; kind <= SN_SOLVER_LINEAR; kind++) {
        Made m;
        snLatticeModelDef def = detailed(0);
        def.solver = (snSolver)kind;
        make(&m, def);
        failEveryWay(&m.def);
        snArena_Destroy(&m.arena);
    }
}

static void refuses(const snLatticeModelDef *def, const char *expected)
{
    snContext context = snDefaultContext();
    snLatticeModel *model;
    snError error = {0};
    CHECK(snLatticeModel_Build(&model, def, &context, &error) == SN_ERROR_ARGUMENT && !model);
    if (!CHECK(strstr(error.message, expected)))
        printf("    '%s' instead of '%s'\n", error.message, expected);
}

// Materials by cell: each is asked for its range.
static void badMaterialsAreNamed(void)
{
    static const double young[4] = {0, -1, NAN, INFINITY}, poisson[3] = {-0.1, 0.5, NAN};
    Made m;
    make(&m, detailed(0));
    double *poissons = constants(m.lattice.cellCount, 0.3, &m.arena);
    double *densities = constants(m.lattice.cellCount, 1000, &m.arena);
    m.def.poissons = poissons;
    m.def.densities = densities;
    for (int k = 0; k < 4; k++) {
        m.young[3] = young[k];
        refuses(&m.def, "young of cell 3");
        m.young[3] = 1e5;
        densities[2] = young[k];
        refuses(&m.def, "density of cell 2");
        densities[2] = 1000;
    }
    for (int k = 0; k < 3; k++) {
        poissons[1] = poisson[k];
        refuses(&m.def, "poisson of cell 1");
    }
    snArena_Destroy(&m.arena);
}

int main(void)
{
    RUN(everyWayMayFail);
    RUN(badMaterialsAreNamed);
    return snTest_Finish();
}
