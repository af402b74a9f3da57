#include "layered/file.h"

#include "core/error.h"

// Rows speak of each other by number: all that readers cannot see in one row alone.

static snStatus checkJoints(const snLayered *layered, snError *error)
{
    for (int j = 0; j < snLayered_Count(layered, SN_TABLE_JOINTS); j++) {
        const snLayeredJoint *joint = &snLayered_Joints(layered)[j];
        const double *low = &joint->low.x, *high = &joint->high.x;
        if (joint->parent < -1 || joint->parent >= j)
            return snFail(error, SN_ERROR_FORMAT,
                          "joints[%d].parent: it must be a joint that stands before it", j);
        if (joint->kind != SN_JOINT_FIXED && !(snLength(joint->axis) > 1e-9))
            return snFail(error, SN_ERROR_FORMAT, "joints[%d].axis: is zero", j);
        for (int i = 0; i < 3; i++)
            if (!(low[i] <= high[i]))
                return snFail(error, SN_ERROR_FORMAT,
                              "joints[%d].low: %g degrees is above high, %g", j, low[i], high[i]);
    }
    return SN_OK;
}

static snStatus checkSkin(const snLayered *layered, snError *error)
{
    const snLayeredSkin *skin = snLayered_Skin(layered);
    int points = snLayered_Count(layered, SN_TABLE_POINTS);
    int joints = snLayered_Count(layered, SN_TABLE_JOINTS);
    int muscles = snLayered_Count(layered, SN_TABLE_MUSCLES);
    if (!skin && (points || snLayered_Count(layered, SN_TABLE_MARKS)))
        return snFail(error, SN_ERROR_FORMAT, "points: there is no skin");
    if (!skin) return SN_OK;
    if (skin->kind == SN_SKIN_GRID && points != skin->rows * skin->columns)
        return snFail(error, SN_ERROR_FORMAT, "skin.points: %d points for %d rows of %d", points,
                      skin->rows, skin->columns);
    for (int i = 0; i < points; i++) {
        const snLayeredPoint *p = &snLayered_Points(layered)[i];
        if (p->joint >= joints || p->muscle >= muscles)
            return snFail(error, SN_ERROR_FORMAT,
                          "skin.points: point %d is tied to what is not there", i);
    }
    for (int t = 0; t < snLayered_Count(layered, SN_TABLE_TRIANGLES); t++)
        for (int k = 0; k < 3; k++)
            if (snLayered_Triangles(layered)[t].corner[k] >= points)
                return snFail(error, SN_ERROR_FORMAT, "skin.triangles: %d has no such corner", t);
    return SN_OK;
}

snStatus snLayered_Check(const snLayered *layered, snError *error)
{
    int joints = snLayered_Count(layered, SN_TABLE_JOINTS);
    int postures = snLayered_Count(layered, SN_TABLE_POSTURES);
    snStatus status = checkJoints(layered, error);
    for (int m = 0; m < snLayered_Count(layered, SN_TABLE_MUSCLES) && !status; m++)
        if (snLayered_Muscles(layered)[m].joint >= joints)
            status = snFail(error, SN_ERROR_FORMAT, "muscles[%d].joint: there is none such", m);
    if (!status) status = checkSkin(layered, error);
    if (!status && snLayered_Count(layered, SN_TABLE_POSTURED) != postures * joints)
        status = snFail(error, SN_ERROR_FORMAT, "postures: not of all joints");
    for (int p = 1; p < postures && !status; p++)
        if (!(snLayered_Postures(layered)[p].time > snLayered_Postures(layered)[p - 1].time))
            status = snFail(error, SN_ERROR_FORMAT, "postures[%d].time: must ascend", p);
    return status;
}
