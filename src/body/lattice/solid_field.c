// Fields on solid bodies: accelerations at the lattice's vertices, where masses stand; what air does to a vertex v of the surface, which is
// at Σ w_a x_a, acts on them by w_a of its force (field.h). Bones that give way have masses of their own: accelerations act on their points too.
#include "body/lattice/bones.h"
#include "body/lattice/solid_parts.h"
#include "core/error.h"

#include <string.h>

snStatus snSolidBody_ReserveFields(snBody *body, snError *error)
{
    snSolidBody *solid = (snSolidBody *)body;
    if (solid->fields) return SN_OK;
    solid->fieldDamping = SN_NEW(&solid->arena, double, solid->model->vertexCount);
    snVec3 *fields = SN_NEW(&solid->arena, snVec3, solid->model->vertexCount);
    if (solid->bones) solid->boneFields = SN_NEW(&solid->arena, snVec3, solid->bones->pointCount);
    if (!fields || !solid->fieldDamping || (solid->bones && !solid->boneFields))
        return snFailMemory(error);
    snStatus status = snAirSurface_Make(&solid->air, body->vertexCount, body->triangleCount,
                                        body->triangles, &solid->arena, error);
    if (!status) solid->fields = fields;
    return status;
}

// Of a character's surface also by what it is drawn beyond the lattice, as of the last step.
static void placeSurface(snSolidBody *solid)
{
    const snSolidDrawn *drawn = &solid->drawn;
    for (int v = 0; v < solid->air.vertexCount; v++) {
        snVec3 place = snSolidBody_SurfaceRow(solid, v, solid->state->position);
        snVec3 velocity = snSolidBody_SurfaceRow(solid, v, solid->state->velocity);
        if (drawn->offset[1]) {
            place = snAdd(place, drawn->offset[1][v]);
            velocity =
                snMulAdd(velocity, *drawn->rate, snSub(drawn->offset[1][v], drawn->offset[0][v]));
        }
        solid->air.places[v] = place;
        solid->air.velocities[v] = velocity;
    }
}

static void addAir(snSolidBody *solid, const snFields *fields)
{
    const snEmbedding *e = &solid->surface.embedding;
    const double *mass = solid->bones ? solid->bones->mass : solid->model->mass;
    double h = solid->step.length;
    memset(solid->fieldDamping, 0, (size_t)solid->model->vertexCount * sizeof(double));
    snVec3 *force = solid->fields;
    placeSurface(solid);
    snAirSurface_Blow(&solid->air, fields);
    for (int v = 0; v < solid->air.vertexCount; v++)
        for (int k = v * e->width; k < (v + 1) * e->width; k++) {
            int i = solid->model->indexOf[e->vertex[k]];
            force[i] = snMulAdd(force[i], e->weight[k], solid->air.forces[v]);
            solid->fieldDamping[i] += fabs(e->weight[k]) * solid->air.damping[v];
        }
    for (int i = 0; i < solid->model->vertexCount; i++) {
        double whole = fmax(mass[i], h * solid->fieldDamping[i]);
        force[i] = mass[i] > 0 ? snScale(1 / whole, force[i]) : snVec(0, 0, 0);
    }
}

static void pullBones(snSolidBody *solid, const snFields *fields)
{
    snBones *bones = solid->bones;
    bones->fields = solid->boneFields && fields ? solid->boneFields : NULL;
    for (int i = 0; i < bones->pointCount && bones->fields; i++)
        solid->boneFields[i] = snFields_Acceleration(fields, snBones_Point(bones, i));
}

void snSolidBody_Act(snBody *body, const snFields *fields)
{
    snSolidBody *solid = (snSolidBody *)body;
    bool air = snFields_HaveAir(fields), mass = snFields_HaveMass(fields);
    solid->acts = solid->fields && (air || mass) && !body->away;
    if (solid->bones) pullBones(solid, mass ? fields : NULL);
    if (!solid->acts) return;
    memset(solid->fields, 0, (size_t)solid->model->vertexCount * sizeof *solid->fields);
    if (air) addAir(solid, fields);
    for (int i = 0; i < solid->model->vertexCount && mass; i++)
        solid->fields[i] = snAdd(solid->fields[i],
                                 snFields_Acceleration(fields, snRow(solid->state->position, i)));
}
