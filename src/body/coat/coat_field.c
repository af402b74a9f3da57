// Fields on coated skeletons: accelerations push links at their centres of mass; what air does to a vertex of the skin pushes, where that is,
// the links of the control points that it hangs on.
#include "body/coat/coat_parts.h"
#include "core/error.h"

#include <string.h>

snStatus snCoatBody_ReserveFields(snBody *body, snError *error)
{
    snCoatBody *b = (snCoatBody *)body;
    size_t links = (size_t)b->linkCount;
    if (b->fieldForce) return SN_OK;
    snVec3 *force = SN_NEW(&b->arena, snVec3, links);
    b->fieldMoment = SN_NEW(&b->arena, snVec3, links);
    b->controlVelocity = SN_NEW(&b->arena, snVec3, b->coating->controlCount);
    if (!force || !b->fieldMoment || !b->controlVelocity) return snFailMemory(error);
    snStatus status = snAirSurface_Make(&b->air, body->vertexCount, body->triangleCount,
                                        body->triangles, &b->arena, error);
    if (!status) b->fieldForce = force;
    return status;
}

static void pushLink(snCoatBody *b, int link, snVec3 at, snVec3 force)
{
    b->fieldForce[link] = snAdd(b->fieldForce[link], force);
    b->fieldMoment[link] = snAdd(b->fieldMoment[link], snCross(at, force));
}

static int linkOfControl(const snCoatBody *b, int control)
{
    return b->linkOf[b->coating->controls[control].joint];
}

// A vertex's damping is that of all that it can move: the whole, which is no less than light.
static void addAir(snCoatBody *b, const snFields *fields)
{
    const snSplineSkin *skin = &b->coating->skin;
    double mass = 0, damping = 0, h = b->step.length;
    for (int i = 0; i < b->coating->controlCount; i++)
        b->controlVelocity[i] =
            snArticulated_Velocity(b->state, linkOfControl(b, i), b->controls[i]);
    for (int v = 0; v < b->air.vertexCount; v++) {
        b->air.places[v] = snSplineSkin_Vertex(skin, b->controls, v);
        b->air.velocities[v] = snSplineSkin_Vertex(skin, b->controlVelocity, v);
    }
    snAirSurface_Blow(&b->air, fields);
    for (int j = 0; j < b->coating->plan.skeleton->jointCount; j++)
        mass += b->coating->jointMass[j];
    for (int v = 0; v < b->air.vertexCount; v++)
        damping += b->air.damping[v];
    double share = mass / fmax(mass, h * damping);
    for (int v = 0; v < b->air.vertexCount; v++)
        for (int k = skin->start[v]; k < skin->start[v + 1]; k++)
            pushLink(b, linkOfControl(b, skin->control[k]), b->air.places[v],
                     snScale(share * skin->value[k], b->air.forces[v]));
}

static void addMass(snCoatBody *b, const snFields *fields)
{
    const snSkeleton *s = b->coating->plan.skeleton;
    for (int j = 0; j < s->jointCount; j++) {
        int parent = s->joints[j].parent, link = b->linkOf[j];
        double mass = b->coating->jointMass[j];
        if ((parent >= 0 && link == b->linkOf[parent]) || !(mass > 0)) continue;
        snVec3 center = snMulAP(snArticulated_Frame(b->state, link), b->coating->jointCenter[j]);
        pushLink(b, link, center, snScale(mass, snFields_Acceleration(fields, center)));
    }
}

void snCoatBody_Act(snBody *body, const snFields *fields)
{
    snCoatBody *b = (snCoatBody *)body;
    bool air = snFields_HaveAir(fields), mass = snFields_HaveMass(fields);
    b->acts = b->fieldForce && (air || mass);
    if (!b->acts) return;
    memset(b->fieldForce, 0, (size_t)b->linkCount * sizeof *b->fieldForce);
    memset(b->fieldMoment, 0, (size_t)b->linkCount * sizeof *b->fieldMoment);
    if (air) addAir(b, fields);
    if (mass) addMass(b, fields);
}

void snCoatBody_PushFields(snCoatBody *b)
{
    for (int l = 0; l < b->linkCount && b->acts; l++) {
        snVec3 at = snArticulated_Frame(b->state, l).origin;
        snArticulated_Push(b->tree, b->state, l, at, b->fieldForce[l]);
        snArticulated_Twist(b->tree, b->state, l,
                            snSub(b->fieldMoment[l], snCross(at, b->fieldForce[l])));
    }
}
