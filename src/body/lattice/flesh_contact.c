#include "body/lattice/flesh_contact.h"

#include "body/lattice/contact_samples.h"
#include "core/error.h"
#include "core/tasks.h"
#include "geometry/primitive.h"

#include <string.h>

#define FIRMNESS 4 // θ: three iterations still do (contact.c)
// In full motion flesh lies on things with all its weight.
#define FULL_FIRMNESS 16
#define FULL_ITERATIONS 8
#define FULL_THICKNESS 1.5e-3 // of the height
#define REACH 0.03            // of the height
#define PATCH 1.2             // mean edges of the lattice
#define SELF_DEPTH 0.03       // of the height: overlaps beyond it do not push harder
#define DEPTH 0.05            // of the height: how far behind an open surface it still acts
#define PER_CELL 4            // samples among the vertices of one cell
#define MOST_SAMPLES 6000
#define RIGID 1e-6

// ---- which vertices -----------------------------------------------------------------------------

static snStatus findVertices(snFleshContacts *c, snError *error)
{
    const snFlesh *flesh = c->flesh;
    const snCharacter *character = flesh->character;
    int n = flesh->surface.vertexCount;
    c->first = SN_NEW(&c->arena, int, character->partCount + 1);
    c->partOf = SN_NEW(&c->arena, int, n);
    c->vertexOf = SN_NEW(&c->arena, int, n);
    c->cellOf = SN_NEW(&c->arena, int, n);
    if (!c->first || !c->partOf || !c->vertexOf || !c->cellOf) return snFailMemory(error);
    for (int w = 0; w < n; w++)
        c->vertexOf[w] = c->cellOf[w] = -1;
    for (int p = 0; p < character->partCount; p++) {
        c->first[p + 1] = c->first[p] + character->parts[p].vertexCount;
        for (int v = c->first[p]; v < c->first[p + 1] && flesh->carried[p] == SN_PART_BODY; v++) {
            int w = flesh->weldOf[v];
            if (w < 0 || c->vertexOf[w] >= 0) continue;
            c->vertexOf[w] = v;
            c->partOf[w] = p;
            c->cellOf[w] = flesh->embedding.cell[v];
        }
    }
    return SN_OK;
}

// A row of what is drawn at a vertex of the character: amplitude and masks are in it.
static int copyRow(const snFlesh *flesh, int vertex, double share, int *vertices, double *weights)
{
    const snCarry *carry = &flesh->carry;
    int count = 0;
    for (int k = vertex * carry->width; k < (vertex + 1) * carry->width; k++) {
        double weight = share * carry->weight[k];
        if (weight == 0) continue;
        vertices[count] = flesh->model->vertexOf[carry->vertex[k]];
        weights[count++] = weight;
    }
    return count;
}

// Rows of all vertices of the surface, for what a sample bumps into.
static snStatus makeRows(snFleshContacts *c, snError *error)
{
    int n = c->flesh->surface.vertexCount, width = c->flesh->carry.width;
    int *start = SN_NEW(&c->arena, int, n + 1);
    int *vertex = SN_NEW(&c->arena, int, (size_t)n *(size_t)width);
    double *weight = SN_NEW(&c->arena, double, (size_t)n *(size_t)width);
    if (!start || !vertex || !weight) return snFailMemory(error);
    for (int w = 0; w < n; w++) {
        int at = start[w], count = 0;
        if (c->vertexOf[w] >= 0)
            count = copyRow(c->flesh, c->vertexOf[w], 1, vertex + at, weight + at);
        start[w + 1] = at + count;
    }
    c->rows = (snContactSamples){n, start, vertex, weight, c->flesh->surface.positions};
    return SN_OK;
}

// ---- samples ------------------------------------------------------------------------------------

static snStatus chooseSamples(snFleshContacts *c, double edge, snError *error)
{
    snSampleChoice choice;
    snSampleChoiceDef def = {.surface = &c->flesh->surface,
                             .rows = &c->rows,
                             .usable = c->vertexOf,
                             .cells = c->cellOf,
                             .cellCount = c->flesh->lattice.cellCount,
                             .perCell = PER_CELL,
                             .edge = edge,
                             .most = MOST_SAMPLES};
    snStatus status = snSampleChoice_Make(&choice, &def, &c->arena, error);
    c->samples = choice.samples;
    c->corners = choice.corners;
    c->shares = choice.shares;
    return status;
}

static snVec3 drawnPlace(const void *user, int sample)
{
    const snFleshContacts *c = user;
    const snCharacter *character = c->flesh->character;
    snVec3 sum = {0, 0, 0};
    for (int k = 3 * sample; k < 3 * sample + 3; k++) {
        if (c->shares[k] == 0) continue;
        int w = c->corners[k], p = c->partOf[w];
        snVec3 at = snCharacter_SurfacePoint(character, c->pose, &character->parts[p],
                                             c->vertexOf[w] - c->first[p]);
        sum = snMulAdd(sum, c->shares[k], at);
    }
    return sum;
}

// ---- props --------------------------------------------------------------------------------------

static bool isUniform(snVec3 scale)
{
    double most = fmax(fabs(scale.x), fmax(fabs(scale.y), fabs(scale.z)));
    return fabs(fabs(scale.x) - most) <= RIGID * most &&
           fabs(fabs(scale.y) - most) <= RIGID * most && fabs(fabs(scale.z) - most) <= RIGID * most;
}

static bool isScaled(const snCharacter *character, int joint)
{
    for (int i = 0; i < character->clipCount; i++)
        for (int k = 0; k < character->clips[i].channelCount; k++) {
            const snChannel *channel = &character->clips[i].channels[k];
            if (channel->path == SN_PATH_SCALE && channel->joint == joint) return true;
        }
    return false;
}

// Whether a part may do more than move as a whole.
static bool mayDeform(const snCharacter *character, const snPart *part)
{
    if (part->skin >= 0 || part->targetCount > 0) return true;
    for (int j = part->node; j >= 0; j = character->skeleton.joints[j].parent) {
        const snJoint *joint = &character->skeleton.joints[j];
        bool shears = j != part->node && !isUniform(joint->rest.scale);
        if (joint->hasMatrix || shears || isScaled(character, j)) return true;
    }
    return false;
}

static snStatus makeShell(snFleshContacts *c, const snPart *part, const snPose *rest,
                          snShell **shell, snArena *scratch, snError *error)
{
    snVec3f *drawn = SN_NEW(scratch, snVec3f, part->vertexCount);
    snVec3 *points = SN_NEW(scratch, snVec3, part->vertexCount);
    if (!drawn || !points) return snFailMemory(error);
    snCharacter_PartSurface(c->flesh->character, rest, part, &c->tasks, drawn);
    for (int v = 0; v < part->vertexCount; v++)
        points[v] = snFromF(drawn[v]);
    snMesh mesh = {part->vertexCount, part->triangleCount, points, part->triangles};
    snStatus status = snShell_Make(shell, &mesh, DEPTH * c->flesh->height, &c->arena, error);
    if (status) snError_Prefix(error, "mesh \"%.80s\" as a collider", part->name);
    return status;
}

static snStatus makeProp(snFleshContacts *c, int number, const snPose *rest, snArena *scratch,
                         snError *error)
{
    const snCharacter *character = c->flesh->character;
    const snPart *part = &character->parts[number];
    snProp *prop = &c->props[c->propCount];
    snCollider *collider = &c->colliders[c->colliderCount];
    *prop = (snProp){.part = number, .deforms = mayDeform(character, part)};
    *collider = snMakeCollider(SN_COLLIDER_SHELL);
    snStatus status = makeShell(c, part, rest, &collider->shell, scratch, error);
    if (status) return status;
    snAffine own = rest->global[part->node];
    if (!prop->deforms && fabs(snDet(own.linear)) > 0)
        prop->fromRest = snInverseAffine(own);
    else
        prop->deforms = true;
    if (prop->deforms) {
        prop->begin = SN_NEW(&c->arena, snVec3f, part->vertexCount);
        prop->end = SN_NEW(&c->arena, snVec3f, part->vertexCount);
        if (!prop->begin || !prop->end) return snFailMemory(error);
    }
    c->propCount++;
    c->colliderCount++;
    c->moving |= character->clipCount > 0;
    return SN_OK;
}

static snStatus makeColliders(snFleshContacts *c, const snFleshContactsDef *def, snArena *scratch,
                              snError *error)
{
    const snCharacter *character = c->flesh->character;
    int most = 1;
    snPose rest;
    for (int p = 0; p < character->partCount; p++)
        most += character->parts[p].prop;
    if (most > SN_MOST_COLLIDERS)
        return snFail(error, SN_ERROR_ARGUMENT, "%d meshes as colliders; %d are most", most - 1,
                      SN_MOST_COLLIDERS - 1);
    c->colliders = SN_NEW(&c->arena, snCollider, most);
    c->props = SN_NEW(&c->arena, snProp, most);
    if (!c->colliders || !c->props) return snFailMemory(error);
    snStatus status =
        snPose_Make(&rest, &character->skeleton, character->morphCount, scratch, error);
    if (status) return status;
    snPose_Globals(&rest, &character->skeleton);
    for (int p = 0; p < character->partCount && !status; p++)
        if (character->parts[p].prop) status = makeProp(c, p, &rest, scratch, error);
    if (!status && def->floor) {
        snCollider *floor = &c->colliders[c->colliderCount++];
        *floor = snMakeCollider(SN_COLLIDER_PLANE);
        floor->begin.origin.y = floor->end.origin.y = def->height;
    }
    bool full = c->flesh->model->def.motion == SN_MOTION_FULL;
    for (int k = 0; k < c->colliderCount && !status; k++) {
        c->colliders[k].friction = def->friction >= 0 ? def->friction : (full ? 0.5 : 0);
        status = snCollider_Check(&c->colliders[k], error);
    }
    return status;
}

void snFleshContacts_Pose(snFleshContacts *c, const snPose *begin, const snPose *end)
{
    const snCharacter *character = c->flesh->character;
    c->pose = end;
    for (int k = 0; k < c->propCount; k++) {
        snProp *prop = &c->props[k];
        const snPart *part = &character->parts[prop->part];
        snCollider *collider = &c->colliders[k];
        if (prop->deforms) {
            snCharacter_PartSurface(character, begin, part, &c->tasks, prop->begin);
            snCharacter_PartSurface(character, end, part, &c->tasks, prop->end);
            snShell_Move(collider->shell, prop->begin, prop->end);
        } else {
            collider->begin = snMulAA(begin->global[part->node], prop->fromRest);
            collider->end = snMulAA(end->global[part->node], prop->fromRest);
        }
    }
}

// ---- making -------------------------------------------------------------------------------------

static snStatus makeContacts(snFleshContacts *c, const snFleshContactsDef *def, double edge,
                             const snContext *context, snError *error)
{
    const snFlesh *flesh = c->flesh;
    double height = flesh->height;
    snLatticeContactsDef own = snDefaultLatticeContactsDef();
    snSelfContactDef self = {.model = flesh->model,
                             .surface = &flesh->tree,
                             .winding = flesh->winding,
                             .parts = snFlesh_Parts(flesh),
                             .rows = &c->rows,
                             .cells = c->cellOf,
                             .depth = SELF_DEPTH * height};
    snStatus status = SN_OK;
    if (def->self)
        status = snSelfContact_Make(&own.self, &self, c->samples.count, &c->arena, error);
    if (status) return status;
    own.model = flesh->model;
    own.samples = c->samples;
    bool full = flesh->model->def.motion == SN_MOTION_FULL;
    own.firmness = full ? FULL_FIRMNESS : FIRMNESS;
    own.iterations = full ? FULL_ITERATIONS : 0;
    if (def->firmness > 0) own.firmness = def->firmness;
    own.patch = PATCH * edge;
    own.thickness = full ? FULL_THICKNESS * height : 0;
    own.reach = REACH * height;
    c->made = own;
    return snFleshContacts_ForModel(c, &c->contacts, flesh->model, context, error);
}

snStatus snFleshContacts_ForModel(const snFleshContacts *c, snLatticeContacts **other,
                                  const snLatticeModel *model, const snContext *context,
                                  snError *error)
{
    snLatticeContactsDef def = c->made;
    def.model = model;
    snStatus status = snLatticeContacts_Make(other, &def, context, error);
    if (status) return status;
    (*other)->colliderCount = c->colliderCount;
    (*other)->colliders = c->colliders;
    (*other)->rig = (snSampleRig){drawnPlace, c};
    return SN_OK;
}

static snStatus makeScratch(snFleshContacts *c, snError *error)
{
    int n = c->flesh->surface.vertexCount;
    c->push = SN_NEW(&c->arena, snVec3, n);
    c->spread = SN_NEW(&c->arena, snVec3, n);
    c->count = SN_NEW(&c->arena, double, n);
    c->inside = SN_NEW(&c->arena, unsigned char, n);
    return c->push && c->spread && c->count && c->inside ? SN_OK : snFailMemory(error);
}

static snStatus make(snFleshContacts *c, const snFleshContactsDef *def, snArena *scratch,
                     const snContext *context, snError *error)
{
    double edge = snLattice_MeanEdge(&c->flesh->lattice);
    snStatus status = snLatticeContacts_CheckModel(c->flesh->model, error);
    if (!status) status = findVertices(c, error);
    if (!status) status = makeRows(c, error);
    if (!status) status = chooseSamples(c, edge, error);
    if (!status) status = makeColliders(c, def, scratch, error);
    if (!status) status = makeScratch(c, error);
    if (!status) status = makeContacts(c, def, edge, context, error);
    return status;
}

snStatus snFleshContacts_Make(snFleshContacts **out, const snFlesh *flesh,
                              const snFleshContactsDef *def, const snContext *context,
                              snError *error)
{
    *out = NULL;
    if (!isfinite(def->height) || !isfinite(def->friction))
        return snFail(error, SN_ERROR_ARGUMENT, "the floor is at %g with friction %g", def->height,
                      def->friction);
    snArena arena = snMakeArena(context), scratch = snMakeArena(context);
    snFleshContacts *c = SN_NEW(&arena, snFleshContacts, 1);
    if (!c) return snFailMemory(error);
    c->arena = arena;
    c->flesh = flesh;
    c->tasks = context->tasks;
    snStatus status = make(c, def, &scratch, context, error);
    snArena_Destroy(&scratch);
    if (status)
        snFleshContacts_Destroy(c);
    else
        *out = c;
    return status;
}

void snFleshContacts_Destroy(snFleshContacts *contacts)
{
    if (!contacts) return;
    snLatticeContacts_Destroy(contacts->contacts);
    snArena_DestroyWithin(&contacts->arena);
}
