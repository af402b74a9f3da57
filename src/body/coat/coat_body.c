#include "body/coat/coat_body.h"

#include "body/coat/coat_parts.h"
#include "core/elementary.h"
#include "core/error.h"

#include <string.h>

snCoatBodyDef snDefaultCoatBodyDef(void)
{
    return (snCoatBodyDef){.name = "",
                           .step = 1.0 / 120,
                           .substeps = 1,
                           .damping = 1,
                           .twist = 0.6,
                           .friction = -1,
                           .dissipation = 0.01,
                           .meets = true,
                           .self = true,
                           .sleeps = true,
                           .mostContacts = 384};
}

#define MOST_SWING 2.2   // rad: what a range can say at most about both axes
#define TWIST_SPRING 8.0 // Hz, of what resists twisting beyond its limit

// ---- the tree -----------------------------------------------------------------------------------------

// Flesh of a joint or of any below it.
static void findCarrying(const snCoating *c, unsigned char *carries)
{
    const snSkeleton *s = c->plan.skeleton;
    for (int j = 0; j < s->jointCount; j++)
        carries[j] = c->jointMass[j] > 0;
    for (int j = s->jointCount - 1; j > 0; j--)
        if (carries[j] && s->joints[j].parent >= 0) carries[s->joints[j].parent] = 1;
}

// The child of a joint that weighs most with all below it: it stays rigidly on a joint that weighs nothing.
static int heaviestChild(const snCoating *c, int joint)
{
    const snSkeleton *s = c->plan.skeleton;
    int best = -1;
    double most = 0;
    for (int j = joint + 1; j < s->jointCount; j++) {
        double mass = 0;
        if (s->joints[j].parent != joint) continue;
        for (int k = j; k < s->jointCount; k++) {
            int up = k;
            while (up > j)
                up = s->joints[up].parent;
            if (up == j) mass += c->jointMass[k];
        }
        if (mass > most) most = mass, best = j;
    }
    return best;
}

// A ball of which nothing twists farther than its skin would bear; swings are limited by flesh.
static snJointRange rangeOf(const snCoatBody *b, int joint)
{
    const snCoatPlan *plan = &b->coating->plan;
    for (int k = 0; k < plan->linkCount && b->def.twist > 0; k++) {
        const snCoatLinkDef *link = &plan->links[k];
        if (link->joint != joint) continue;
        snAffine toJoint = snInverseAffine(plan->median[joint]);
        snVec3 way = snMulAP(toJoint, plan->median[link->child].origin);
        return snLimitedBall(snNormalizeOr(way, snVec(1, 0, 0)), b->def.twist, MOST_SWING);
    }
    return snFreeBall();
}

// What turns about a joint: its link and all beyond it, as they stand at rest.
static double inertiaBeyond(const snCoatBody *b, const snLinkDef *links, int joint)
{
    snVec3 at = snArticulated_Frame(b->state, joint).origin;
    double sum = 0;
    for (int l = joint; l < b->linkCount; l++) {
        int up = l;
        while (up > joint)
            up = links[up].parent;
        if (up != joint) continue;
        snMat3 i = links[l].inertia;
        snVec3 center = snMulAP(snArticulated_Frame(b->state, l), links[l].center);
        sum += (i.cx.x + i.cy.y + i.cz.z) / 3 + links[l].mass * snLengthSquared(snSub(center, at));
    }
    return sum;
}

// Joints are as stiff as makes what is beyond them swing at the frequency asked for.
static void setDrives(snCoatBody *b, const snLinkDef *links)
{
    snJointDrive *drives = snArticulatedState_Drives(b->state);
    double omega = 2 * SN_PI * b->def.posture, resist = 2 * SN_PI * TWIST_SPRING;
    for (int l = 0; l < b->linkCount; l++) {
        double inertia = b->beyond[l] = inertiaBeyond(b, links, l);
        if (links[l].kind != SN_LINK_BALL) continue;
        drives[l].stiffness = omega * omega * inertia;
        drives[l].damping = (b->def.damping + omega) * inertia;
        drives[l].target = links[l].rest;
        if (b->def.twist > 0) drives[l].limits = resist * resist * inertia;
    }
}

static snStatus makeTree(snCoatBody *b, const snContext *context, snError *error)
{
    const snCoating *c = b->coating;
    const snSkeleton *s = c->plan.skeleton;
    snArena scratch = snMakeArena(context);
    snLinkDef *links = SN_NEW(&scratch, snLinkDef, s->jointCount);
    unsigned char *carries = SN_NEW(&scratch, unsigned char, s->jointCount);
    int *stuck =
        SN_NEW(&scratch, int, s->jointCount); // the child that is rigidly on a massless joint
    snStatus status = links && carries && stuck ? SN_OK : snFailMemory(error);
    if (!status) findCarrying(c, carries);
    for (int j = 0; j < s->jointCount && !status; j++) {
        const snJoint *joint = &s->joints[j];
        int parent = joint->parent >= 0 ? b->linkOf[joint->parent] : -1;
        b->within[j] = snIdentityAffine();
        if (!carries[j]) {
            snAffine rest = snTransform_ToAffine(joint->rest);
            b->linkOf[j] = parent < 0 ? 0 : parent;
            if (joint->parent >= 0) b->within[j] = snMulAA(b->within[joint->parent], rest);
            continue;
        }
        bool bare = !(c->jointMass[j] > 0);
        bool rigid = joint->parent >= 0 && (bare || stuck[joint->parent] == j);
        snLinkKind kind = parent < 0 ? (b->def.fixed ? SN_LINK_DRIVEN : SN_LINK_FREE)
                                     : (rigid ? SN_LINK_FIXED : SN_LINK_BALL);
        snLinkDef *link = &links[b->linkCount];
        stuck[j] = bare ? heaviestChild(c, j) : -1;
        *link = snDefaultLinkDef(parent, kind);
        link->offset = joint->rest.translation;
        link->rest = joint->rest.rotation;
        if (kind == SN_LINK_BALL) link->range = rangeOf(b, j);
        link->mass = c->jointMass[j];
        link->center = c->jointCenter[j];
        link->inertia = c->jointInertia[j];
        b->linkOf[j] = b->linkCount++;
    }
    snArticulatedDef def = {b->linkCount, links};
    if (!status) status = snArticulated_Make(&b->tree, &def, context, error);
    if (!status) status = snArticulatedState_Make(&b->state, b->tree, context, error);
    if (!status) {
        b->size = snArticulated_Size(b->tree);
        b->beyond = SN_NEW(&b->arena, double, b->linkCount);
        if (!b->beyond) status = snFailMemory(error);
    }
    if (!status) setDrives(b, links);
    snArena_Destroy(&scratch);
    return status;
}

// ---- making -------------------------------------------------------------------------------------------

static snStatus makeFlesh(snCoatBody *b, snError *error)
{
    const snCoating *c = b->coating;
    int n = c->elementCount, most = 0;
    b->first = SN_NEW(&b->arena, int, n + 1);
    b->flesh = SN_NEW(&b->arena, snElementMotion, n);
    b->lengths = SN_NEW(&b->arena, double *, n);
    b->boxes = SN_NEW(&b->arena, snBox, n);
    b->hulls = SN_NEW(&b->arena, snCoatHull, n);
    b->controls = SN_NEW(&b->arena, snVec3, c->controlCount);
    b->firstPlane = SN_NEW(&b->arena, int, n + 1);
    b->paired = SN_NEW(&b->arena, unsigned char, n);
    b->sectors = SN_NEW(&b->arena, snCoatSectors, n);
    if (!b->sectors) return snFailMemory(error);
    if (!b->hulls || !b->firstPlane || !b->paired) return snFailMemory(error);
    if (!b->first || !b->flesh || !b->lengths || !b->boxes || !b->controls)
        return snFailMemory(error);
    for (int e = 0; e < n; e++) {
        const snElement *element = &c->elements[e].element;
        snStatus status = snElementMotion_Make(&b->flesh[e], element, &b->arena, error);
        if (!status) status = snCoatSectors_Make(&b->sectors[e], &c->elements[e], &b->arena, error);
        if (status) return status;
        b->lengths[e] = b->flesh[e].length;
        b->first[e + 1] = b->first[e] + element->count;
        b->firstPlane[e + 1] = b->firstPlane[e] + element->triangleCount;
        if (element->count > most) most = element->count;
    }
    b->cylinderCount = b->first[n];
    b->begin = SN_NEW(&b->arena, double, b->cylinderCount);
    b->freely = SN_NEW(&b->arena, double, b->cylinderCount);
    b->pressed = SN_NEW(&b->arena, double, b->cylinderCount);
    if (!b->freely || !b->pressed) return snFailMemory(error);
    b->keptFlesh = SN_NEW(&b->arena, double, 3 * (size_t)b->cylinderCount);
    b->planes = SN_NEW(&b->arena, double, SN_COAT_PLANE *(size_t)b->firstPlane[n]);
    b->along = SN_NEW(&b->arena, double, b->cylinderCount);
    if (!b->along) return snFailMemory(error);
    b->memos = SN_NEW(&b->arena, snCoatMemo, b->cylinderCount);
    b->moved = SN_NEW(&b->arena, unsigned char, b->cylinderCount);
    b->samples = SN_NEW(&b->arena, snVec3, b->cylinderCount);
    b->scratch = SN_NEW(&b->arena, double, 6 * (size_t)most);
    return b->begin && b->keptFlesh && b->memos && b->planes && b->moved && b->samples && b->scratch
               ? SN_OK
               : snFailMemory(error);
}

static snStatus makeMotion(snCoatBody *b, snError *error)
{
    snVec3 *motion = SN_NEW(&b->arena, snVec3, 6 * (size_t)b->linkCount);
    size_t n = (size_t)b->linkCount;
    b->frameBegin = SN_NEW(&b->arena, snAffine, n);
    b->frameFree = SN_NEW(&b->arena, snAffine, n);
    b->back = SN_NEW(&b->arena, snAffine, n);
    b->kept = SN_NEW(&b->arena, snLinkState, n);
    b->twists = SN_NEW(&b->arena, snVec3, n);
    if (!b->twists) return snFailMemory(error);
    b->columns = SN_NEW(&b->arena, double, 6 * (size_t)b->size);
    if (!motion || !b->frameBegin || !b->frameFree || !b->back || !b->kept || !b->columns)
        return snFailMemory(error);
    snStatus status = snCoatBody_ReserveAnswers(b, error);
    if (status) return status;
    b->velocity = motion, b->spin = motion + n;
    b->kick = motion + 2 * n, b->kickSpin = motion + 3 * n;
    b->velocityFree = motion + 4 * n, b->spinFree = motion + 5 * n;
    return SN_OK;
}

static snStatus makeRest(snCoatBody *b, snError *error)
{
    b->restSurface = SN_NEW(&b->arena, snVec3, b->coating->skin.vertexCount);
    snCoatBody_Pose(b);
    b->restFrames = SN_COPY(&b->arena, snAffine, b->frames, b->coating->plan.skeleton->jointCount);
    if (!b->restSurface || !b->restFrames) return snFailMemory(error);
    snCoating_Place(b->coating, b->frames, NULL, b->controls);
    snSplineSkin_Place(&b->coating->skin, b->controls, b->restSurface, NULL);
    b->extent = snBoxDiagonal(snBoxOf(b->coating->skin.vertexCount, b->restSurface));
    for (int e = 0; e < b->coating->elementCount; e++) {
        const snElement *element = &b->coating->elements[e].element;
        for (int i = 0; i < element->count; i++)
            b->stiffness += element->spring[i].stiffness;
    }
    snArticulatedMeasure m;
    snArticulated_Measure(b->tree, b->state, b->step.gravity, &m);
    b->mass = m.mass;
    return SN_OK;
}

static void describe(snCoatBody *b)
{
    const snSplineSkin *skin = &b->coating->skin;
    b->body.kind = &snCoatKind;
    b->body.name = b->def.name;
    b->body.step = b->def.step;
    b->body.functions = (b->size + b->cylinderCount + 2) / 3;
    b->body.vertexCount = skin->vertexCount;
    b->body.triangleCount = skin->triangleCount;
    b->body.triangles = skin->triangles;
    b->body.size = (b->size + 2) / 3;
    b->body.block = 3;
    b->body.mostPoints = b->body.mostHeld = SN_COAT_POINTS;
    b->body.restSurface = b->restSurface;
    b->body.meets = b->def.meets;
    b->body.yields = true;
    for (int p = 0; p < SN_COAT_POINTS; p++)
        b->points[p].link = -1;
}

snStatus snCoatBody_Make(snBody **body, const snCoatBodyDef *def, const snContext *context,
                         snError *error)
{
    snArena arena = snMakeArena(context);
    *body = NULL;
    if (!(def->step > 0) || def->substeps < 1 || def->mostContacts < 1)
        return snFail(
            error, SN_ERROR_ARGUMENT,
            "a coated body's step is %g, its substeps %d, its contacts %d at most; all must be "
            "above 0",
            def->step, def->substeps, def->mostContacts);
    snCoatBody *b = SN_NEW(&arena, snCoatBody, 1);
    if (!b) return snFailMemory(error);
    int joints = def->coating->plan.skeleton->jointCount;
    b->arena = arena;
    b->def = *def;
    b->coating = def->coating;
    b->kernels = snChooseCoatKernels();
    b->def.name = snArena_CopyString(&b->arena, def->name, strlen(def->name));
    b->linkOf = SN_NEW(&b->arena, int, joints);
    b->within = SN_NEW(&b->arena, snAffine, joints);
    b->frames = SN_NEW(&b->arena, snAffine, joints);
    snStatus status =
        b->def.name && b->linkOf && b->within && b->frames ? SN_OK : snFailMemory(error);
    if (!status) status = makeTree(b, context, error);
    if (!status) status = makeFlesh(b, error);
    if (!status) status = makeMotion(b, error);
    if (!status) status = makeRest(b, error);
    if (!status && def->follow) status = snCoatFollow_Make(b, def->follow, error);
    b->def.follow = NULL;
    if (!status) {
        describe(b);
        snCoatBody *list[1] = {b};
        status = snCoatGroup_Make(&b->own, 1, list, context, error);
    }
    if (status) b->def.owned = NULL; // still the caller's
    if (status)
        snCoatKind.destroy(&b->body);
    else
        *body = &b->body;
    return status;
}

snCoating *snCoatBody_Owned(const snBody *body)
{
    return ((const snCoatBody *)body)->def.owned;
}

const snAffine *snCoatBody_Frames(const snBody *body)
{
    return ((const snCoatBody *)body)->frames;
}

// The spin, in its own frame, that takes a rotation to another one in a step.
static snVec3 spinBetween(snQuat from, snQuat to, double time)
{
    snQuat d = snMulQQ(snConjugate(from), to);
    double sign = d.w < 0 ? -2 : 2;
    return snScale(sign / time, snVec(d.x, d.y, d.z));
}

void snCoatBody_SetPose(snBody *body, const snQuat *turns)
{
    snCoatBody *b = (snCoatBody *)body;
    snJointDrive *drives = snArticulatedState_Drives(b->state);
    const snSkeleton *s = b->coating->plan.skeleton;
    for (int j = 0; j < s->jointCount; j++) {
        int parent = s->joints[j].parent;
        if (parent < 0 || b->linkOf[j] == b->linkOf[parent]) continue;
        snJointDrive *drive = &drives[b->linkOf[j]];
        drive->spin = spinBetween(drive->target, turns[j], body->step);
        drive->target = turns[j];
    }
}

void snCoatBody_Lead(snBody *body, snVec3 place, snQuat rotation)
{
    snCoatBody *b = (snCoatBody *)body;
    const snLinkState *root = snArticulatedState_Links(b->state);
    b->led = true;
    b->leadPlace[0] = root->place, b->leadPlace[1] = place;
    b->leadTurn[0] = root->rotation, b->leadTurn[1] = rotation;
}
