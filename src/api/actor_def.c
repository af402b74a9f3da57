// From a public definition to flesh, shared by actors and crowds.
#include "api/crowd_parts.h"

#include "body/lattice/rig_file.h"
#include "core/check.h"

snActorDef snDefaultActorDef(void)
{
    snFleshDef flesh = snDefaultFleshDef();
    return (snActorDef){.cells = flesh.cells,
                        .wobble = flesh.wobble,
                        .damping = flesh.massDamping,
                        .step = flesh.step,
                        .iterations = flesh.iterations,
                        .amplitude = flesh.amplitude,
                        .motion = flesh.motion,
                        .material = flesh.material,
                        .solver = flesh.solver,
                        .precision = flesh.precision,
                        .method = flesh.method};
}

snFleshDef snActorDef_Flesh(const snActorDef *def)
{
    snFleshDef flesh = snDefaultFleshDef();
    flesh.cells = def->cells;
    flesh.spacing = def->spacing;
    flesh.wobble = def->wobble;
    flesh.massDamping = def->damping;
    flesh.step = def->step;
    flesh.iterations = def->iterations;
    flesh.amplitude = def->amplitude;
    flesh.gravityChange = def->gravityChange;
    flesh.gravity = snVec(0, -def->gravity, 0);
    flesh.motion = def->motion;
    flesh.material = def->material;
    flesh.solver = def->solver;
    flesh.method = def->method;
    flesh.details = def->details;
    flesh.precision = def->precision;
    flesh.matrix = def->matrix;
    return flesh;
}

// What the flesh's own checks (flesh.c, model.c) do not ask, for there it cannot be otherwise.
snStatus snActorDef_Check(const snActorDef *def, snError *error)
{
    snStatus status = snCheckPointer("def", def, error);
    if (status) return status;
    const struct {
        const char *what;
        int value, count;
    } kinds[] = {{"motion", (int)def->motion, SN_MOTION_FULL + 1},
                 {"material", (int)def->material, SN_MATERIALS},
                 {"solver", (int)def->solver, SN_SOLVER_LINEAR + 1},
                 {"method", (int)def->method, SN_METHOD_CG + 1},
                 {"matrix", (int)def->matrix, SN_MATRIX_TURNED + 1},
                 {"precision", (int)def->precision, SN_PRECISION_AUTO + 1}};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds && !status; k++)
        status = snCheckIndex(kinds[k].what, kinds[k].value, kinds[k].count, error);
    if (!status && def->spacing == 0) status = snCheckRange("cells", def->cells, 20, 200000, error);
    if (!status) status = snCheckRange("spacing", def->spacing, 0, 1e9, error);
    if (!status) status = snCheckRange("damping", def->damping, 0, 1e6, error);
    if (!status) status = snCheckNumber("gravityChange", def->gravityChange, error);
    if (!status) status = snCheckNumber("gravity", def->gravity, error);
    return status;
}

snStatus snActorDef_Build(const snActorDef *def, snFlesh **flesh, const snCharacter *character,
                          const snContext *context, snError *error)
{
    snFleshDef fleshDef = snActorDef_Flesh(def);
    if (!def->rig) return snFlesh_Build(flesh, character, &fleshDef, context, error);
    snRigFile file;
    snFleshBlame blame;
    snStatus status = snRigFile_Read(&file, def->rig, def->rigSize, &character->skeleton, &fleshDef,
                                     context, error);
    if (status) return status;
    file.def.blame = &blame;
    status = snFlesh_Build(flesh, character, &file.def, context, error);
    if (status) snRigFile_IsAtFault(&file, &blame, error);
    snRigFile_Destroy(&file);
    return status;
}
