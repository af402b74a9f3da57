// What moves a character's flesh in a step: the rig of its lattice in a pose, and what gravity adds.
//
// In secondary motion the artist's rest pose is taken to have its gravity already: what is sculpted
// hangs as it should. Only a change counts. For flesh that has turned with its bones by R since rest,
// gravity was g in the rest pose, which the bones have carried to R g; so it feels g - R g more.
#include "body/lattice/flesh_parts.h"

#include "core/error.h"
#include "core/svd.h"

snStatus snFleshDriver_Make(snFleshDriver *driver, const snFlesh *flesh, snArena *arena,
                            snError *error)
{
    int joints = flesh->character->skeleton.jointCount;
    size_t doubles = (size_t)flesh->model->vertexCount * 4;
    *driver = (snFleshDriver){0};
    driver->joints = SN_NEW(arena, snAffine, joints);
    driver->rig = SN_NEW(arena, double, doubles);
    driver->jointShare = SN_NEW(arena, double, joints);
    driver->share = SN_NEW(arena, double, flesh->model->vertexCount);
    if (!driver->joints || !driver->rig || !driver->jointShare || !driver->share)
        return snFailMemory(error);
    snStatus status = snFlesh_MakeShape(flesh, driver, arena, error);
    if (status || flesh->def.gravityChange == 0) return status;
    driver->acceleration = SN_NEW(arena, double, doubles);
    driver->carried = SN_NEW(arena, snVec3, joints);
    return driver->acceleration && driver->carried ? SN_OK : snFailMemory(error);
}

static void findGravityChange(const snFlesh *flesh, snFleshDriver *driver)
{
    const snLatticeModel *model = flesh->model;
    const snVec3 g = {0, -flesh->def.gravityChange, 0};
    for (int j = 0; j < flesh->character->skeleton.jointCount; j++)
        driver->carried[j] = snMulMV(snPolar(driver->joints[j].linear, NULL), g);
    for (int i = 0; i < model->vertexCount; i++) {
        snVec3 sum = {0, 0, 0};
        for (int k = model->skin.start[i]; k < model->skin.start[i + 1]; k++)
            sum = snMulAdd(sum, model->skin.weight[k],
                           snSub(g, driver->carried[model->skin.column[k]]));
        double *a = driver->acceleration + 4 * i;
        a[0] = sum.x;
        a[1] = sum.y;
        a[2] = sum.z;
        a[3] = 0;
    }
}

snLatticeDrive snFlesh_Drive(const snFlesh *flesh, const snPose *pose, snFleshDriver *driver)
{
    for (int j = 0; j < flesh->character->skeleton.jointCount; j++)
        driver->joints[j] = snMulAA(pose->global[j], flesh->fromRest[j]);
    snLatticeModel_Rig(flesh->model, driver->joints, driver->rig);
    if (driver->acceleration) findGravityChange(flesh, driver);
    bool shaped = snFlesh_FindShape(flesh, pose, driver);
    bool crushed = snFlesh_FindCrushed(flesh, driver);
    return (snLatticeDrive){.rig = driver->rig,
                            .joints = driver->joints,
                            .acceleration = driver->acceleration,
                            .shape = shaped ? driver->shape : NULL,
                            .share = crushed ? driver->share : NULL};
}
