#include "body/coat/coating.h"

#include "core/elementary.h"
#include "core/error.h"
#include "skeleton/spatial.h"

#include <string.h>

typedef struct Builder {
    snCoating *c;
    snCoatTube *tubes;
    int *elementOf; // [linkCount], -1: bare
    int tubeCount;  // of the skin: chains
    snSplineTube *skins;
    int branchCount;
    snCoatBranch *branches;
    snArena scratch;
    snError *error;
} Builder;

// ---- elements ---------------------------------------------------------------------------------------

// Samples and feet of a link in its joint's frame.
static snStatus localSamples(Builder *b, int k, snVec3 **samples, snVec3 **feet)
{
    const snCoatPlan *plan = &b->c->plan;
    const snCoatLinkDef *link = &plan->links[k];
    int n = link->along * plan->round + 2;
    *samples = SN_NEW(&b->scratch, snVec3, n);
    *feet = SN_NEW(&b->scratch, snVec3, n);
    if (!*samples || !*feet) return snFailMemory(b->error);
    snCoatTube_Samples(&b->tubes[k], plan, k, *samples, *feet);
    snAffine toJoint = snInverseAffine(plan->median[link->joint]);
    for (int i = 0; i < n; i++) {
        (*samples)[i] = snMulAP(toJoint, (*samples)[i]);
        (*feet)[i] = snMulAP(toJoint, (*feet)[i]);
    }
    return SN_OK;
}

static snStatus makeElement(Builder *b, int k, snElement *element, snArena *arena)
{
    const snCoatLinkDef *link = &b->c->plan.links[k];
    snElementDef def = snDefaultElementDef();
    snVec3 *samples, *feet;
    snStatus status = localSamples(b, k, &samples, &feet);
    if (status) return status;
    def.rows = link->along, def.columns = b->c->plan.round;
    def.samples = samples, def.feet = feet;
    def.young = link->flesh.young;
    def.density = link->flesh.density;
    def.damping = link->flesh.damping;
    def.plasticity = link->flesh.plasticity;
    def.reach = link->flesh.reach;
    def.printed = link->flesh.printed;
    status = snElement_Make(element, &def, arena, b->error);
    if (status) snError_Prefix(b->error, "links[%d]", k);
    return status;
}

// Mass, centre and inertia of a joint's flesh, one polyhedron after another. With a tetrahedron (0, a, b, c) of volume v and
// s = a + b + c:  ∫ x xᵀ = v (a aᵀ + b bᵀ + c cᵀ + s sᵀ) / 20.
static void addMass(snCoating *c, int joint, const snElement *e, double density)
{
    snMat3 second = snScaleM(0, snIdentity3());
    for (int t = 0; t < e->triangleCount; t++) {
        snVec3 p[3];
        for (int k = 0; k < 3; k++)
            p[k] = snElement_Sample(e, e->rest, e->triangles[3 * t + k]);
        double mass = density * snDot(p[0], snCross(p[1], p[2])) / 6;
        snVec3 s = snAdd(p[0], snAdd(p[1], p[2]));
        snMat3 sum = snOuter(s, s);
        for (int k = 0; k < 3; k++)
            sum = snAddMM(sum, snOuter(p[k], p[k]));
        second = snAddMM(second, snScaleM(mass / 20, sum));
    }
    c->jointInertia[joint] = snAddMM(c->jointInertia[joint], second); // for now ∫ x xᵀ
    c->jointCenter[joint] = snMulAdd(c->jointCenter[joint], e->mass, e->center);
    c->jointMass[joint] += e->mass;
}

static void finishMasses(snCoating *c)
{
    for (int j = 0; j < c->plan.skeleton->jointCount; j++) {
        if (!(c->jointMass[j] > 0)) continue;
        snVec3 center = snScale(1 / c->jointMass[j], c->jointCenter[j]);
        snMat3 second =
            snAddMM(c->jointInertia[j], snScaleM(-c->jointMass[j], snOuter(center, center)));
        c->jointCenter[j] = center;
        c->jointInertia[j] = snInertiaOf(second);
    }
}

static snStatus makeElements(Builder *b)
{
    snCoating *c = b->c;
    int n = c->plan.linkCount, joints = c->plan.skeleton->jointCount;
    c->elements = SN_NEW(&c->arena, snCoatElement, n);
    c->jointMass = SN_NEW(&c->arena, double, joints);
    c->jointCenter = SN_NEW(&c->arena, snVec3, joints);
    c->jointInertia = SN_NEW(&c->arena, snMat3, joints);
    b->elementOf = SN_NEW(&b->scratch, int, n);
    if (!c->elements || !c->jointMass || !c->jointCenter || !c->jointInertia || !b->elementOf)
        return snFailMemory(b->error);
    for (int k = 0; k < n; k++) {
        const snCoatLinkDef *link = &c->plan.links[k];
        snElement element;
        snStatus status = makeElement(b, k, &element, link->bare ? &b->scratch : &c->arena);
        if (status) return status;
        addMass(c, link->joint, &element, link->flesh.density);
        b->elementOf[k] = link->bare ? -1 : c->elementCount;
        if (link->bare) continue;
        snAffine toJoint = snInverseAffine(c->plan.median[link->joint]);
        const snCoatTube *t = &b->tubes[k];
        c->elements[c->elementCount++] =
            (snCoatElement){.link = k,
                            .joint = link->joint,
                            .head = snMulAP(toJoint, t->head),
                            .tail = snMulAP(toJoint, snMulAdd(t->head, t->length, t->axis)),
                            .element = element,
                            .propagation = link->flesh.propagation};
    }
    finishMasses(c);
    return SN_OK;
}

// ---- the skin -----------------------------------------------------------------------------------------

// Rings of fixed controls that a link has before its element (reaching into what it grows from), instead of one, and behind it.
typedef struct Rings {
    int before, within, behind;
    bool free[2];             // the chain begins, ends with this link's caps
    bool saddle;              // a ring at its tail, where branches begin
    bool laps[2];             // it reaches over branches there
    double lap[2], beyond[2]; // m along the link: a ring over them, and the chain's end
} Rings;

static Rings ringsOf(const Builder *b, int k)
{
    const snCoatPlan *plan = &b->c->plan;
    const snCoatLinkDef *link = &plan->links[k];
    bool first = snCoatPlan_Before(plan, k) < 0, last = snCoatPlan_Behind(plan, k) < 0;
    Rings r = {.within = link->bare ? (link->along + 1) / 2 : 0};
    double row = (link->to - link->from) / (link->along - 1);
    if (!link->bare && first && link->from > 0) r.before = link->from > 1.2 * row ? 2 : 1;
    if (!link->bare && last && link->to < 1) r.behind = 1;
    r.saddle = snCoatPlan_Saddle(plan, b->tubes, b->branchCount, b->branches, k);
    for (int e = 0; e < 2; e++)
        r.laps[e] = snCoatPlan_Lap(plan, b->tubes, b->branchCount, b->branches, k, e, &r.lap[e],
                                   &r.beyond[e]);
    r.free[0] = first && !link->bare && link->from == 0 && !r.laps[0];
    r.free[1] = last && !link->bare && link->to == 1 && !r.laps[1];
    return r;
}

static int fixedAt(Builder *b, int joint, snVec3 place)
{
    snCoating *c = b->c;
    snAffine toJoint = snInverseAffine(c->plan.median[joint]);
    c->controls[c->controlCount] =
        (snCoatControl){.joint = joint, .element = -1, .place = snMulAP(toJoint, place)};
    return c->controlCount++;
}

static int sampleAt(Builder *b, int element, int cylinder)
{
    snCoating *c = b->c;
    const snCoatElement *e = &c->elements[element];
    c->controls[c->controlCount] =
        (snCoatControl){.joint = e->joint,
                        .element = element,
                        .cylinder = cylinder,
                        .place = snElement_Sample(&e->element, e->element.rest, cylinder)};
    return c->controlCount++;
}

// At `at` metres along the link; beyond its ends as thick as they are.
static void addFixedRing(Builder *b, int k, double at, int *controls, int *rings, snVec3 *ring)
{
    const snCoatPlan *plan = &b->c->plan;
    const snCoatTube *tube = &b->tubes[k];
    double within = snClamp(at, 0, tube->length);
    snCoatTube_Ring(tube, plan, k, within / tube->length, ring);
    for (int i = 0; i < plan->round; i++)
        ring[i] = snMulAdd(ring[i], at - within, tube->axis);
    for (int i = 0; i < b->branchCount; i++)
        if (b->branches[i].trunk == plan->links[k].chain)
            snCoatBranch_Bulge(&b->branches[i], plan, snMulAdd(tube->head, at, tube->axis),
                               tube->axis, ring);
    for (int i = 0; i < plan->round; i++)
        controls[*rings * plan->round + i] = fixedAt(b, plan->links[k].joint, ring[i]);
    ++*rings;
}

// The end of a chain: a cap of its element, or a place that stays.
static int addPole(Builder *b, int k, int end, const Rings *r)
{
    const snCoatLinkDef *link = &b->c->plan.links[k];
    const snCoatTube *tube = &b->tubes[k];
    double at = end ? tube->length + link->caps[1] : -link->caps[0];
    if (r->free[end]) return sampleAt(b, b->elementOf[k], link->along * b->c->plan.round + end);
    return fixedAt(b, link->joint,
                   snMulAdd(tube->head, r->laps[end] ? r->beyond[end] : at, tube->axis));
}

static void addLink(Builder *b, int k, snSplineTube *skin, int *controls, snVec3 *ring)
{
    const snCoatPlan *plan = &b->c->plan;
    const snCoatLinkDef *link = &plan->links[k];
    double length = b->tubes[k].length;
    int round = plan->round, element = b->elementOf[k];
    Rings r = ringsOf(b, k);
    if (snCoatPlan_Before(plan, k) < 0) skin->poles[0] = addPole(b, k, 0, &r);
    if (r.laps[0]) addFixedRing(b, k, r.lap[0], controls, &skin->rings, ring);
    for (int i = 0; i < r.before; i++)
        addFixedRing(b, k, length * link->from * i / r.before, controls, &skin->rings, ring);
    for (int i = 0; i < r.within; i++)
        addFixedRing(b, k, length * (i + 0.5) / r.within, controls, &skin->rings, ring);
    for (int i = 0; element >= 0 && i < link->along * round; i++)
        controls[skin->rings * round + i] = sampleAt(b, element, i);
    if (element >= 0) skin->rings += link->along;
    if (r.behind) addFixedRing(b, k, length * (link->to + 1) / 2, controls, &skin->rings, ring);
    if (r.saddle) addFixedRing(b, k, length, controls, &skin->rings, ring);
    if (r.laps[1]) addFixedRing(b, k, r.lap[1], controls, &skin->rings, ring);
    if (snCoatPlan_Behind(plan, k) < 0) skin->poles[1] = addPole(b, k, 1, &r);
}

static snStatus makeSkin(Builder *b)
{
    snCoating *c = b->c;
    const snCoatPlan *plan = &c->plan;
    size_t most = 0;
    for (int k = 0; k < plan->linkCount; k++)
        most += (size_t)(plan->links[k].along + 6) * (size_t)plan->round + 2;
    c->controls = SN_NEW(&c->arena, snCoatControl, most);
    b->skins = SN_NEW(&b->scratch, snSplineTube, plan->linkCount);
    int *controls = SN_NEW(&b->scratch, int, most);
    snVec3 *ring = SN_NEW(&b->scratch, snVec3, plan->round);
    b->branches = SN_NEW(&b->scratch, snCoatBranch, plan->linkCount);
    if (!c->controls || !b->skins || !controls || !ring || !b->branches)
        return snFailMemory(b->error);
    b->branchCount = snCoatPlan_Branches(plan, b->tubes, b->branches);
    for (int k = 0; k < plan->linkCount; k++) {
        if (snCoatPlan_Before(plan, k) >= 0) continue;
        snSplineTube *skin = &b->skins[b->tubeCount++];
        *skin = (snSplineTube){.columns = plan->round, .controls = controls};
        for (int i = k; i >= 0; i = snCoatPlan_Behind(plan, i))
            addLink(b, i, skin, controls, ring);
        controls += skin->rings * plan->round;
    }
    snSplineSkinDef def = {plan->spline, c->controlCount, b->tubeCount,
                           b->skins,     plan->fineAlong, plan->fineAcross};
    return snSplineSkin_Make(&c->skin, &def, &c->arena, b->error);
}

// ---- all of it ------------------------------------------------------------------------------------------

static snStatus copySkeleton(snCoating *c, const snSkeleton *from, snError *error)
{
    snSkeleton *s = SN_NEW(&c->arena, snSkeleton, 1);
    if (!s) return snFailMemory(error);
    *s =
        (snSkeleton){from->jointCount, SN_COPY(&c->arena, snJoint, from->joints, from->jointCount)};
    for (int j = 0; s->joints && j < from->jointCount; j++) {
        const char *name = from->joints[j].name;
        s->joints[j].name = snArena_CopyString(&c->arena, name, strlen(name));
        if (!s->joints[j].name) return snFailMemory(error);
    }
    c->plan.skeleton = s;
    return s->joints ? SN_OK : snFailMemory(error);
}

static snStatus copyPlan(snCoating *c, const snCoatPlan *plan, snError *error)
{
    c->plan = *plan;
    snStatus status = copySkeleton(c, plan->skeleton, error);
    if (status) return status;
    c->plan.median = SN_COPY(&c->arena, snAffine, plan->median, plan->skeleton->jointCount);
    c->plan.turns = SN_COPY(&c->arena, snQuat, plan->turns, plan->skeleton->jointCount);
    c->plan.links = SN_COPY(&c->arena, snCoatLinkDef, plan->links, plan->linkCount);
    if (!c->plan.median || !c->plan.turns || !c->plan.links) return snFailMemory(error);
    for (int k = 0; k < plan->linkCount; k++) {
        snCoatLinkDef *link = &c->plan.links[k];
        int n = link->along * plan->round + 2;
        if (!link->lengths) continue;
        link->lengths = SN_COPY(&c->arena, double, link->lengths, n);
        if (!link->lengths) return snFailMemory(error);
    }
    return SN_OK;
}

snStatus snCoating_Build(snCoating **coating, const snCoatPlan *plan, const snContext *context,
                         snError *error)
{
    snStatus status = snCoatPlan_Check(plan, error);
    snArena arena = snMakeArena(context);
    *coating = NULL;
    if (status) return status;
    snCoating *c = SN_NEW(&arena, snCoating, 1);
    if (!c) return snFailMemory(error);
    c->arena = arena;
    Builder b = {.c = c, .scratch = snMakeArena(context), .error = error};
    status = copyPlan(c, plan, error);
    if (!status) status = snCoatPlan_Part(&c->plan, context, error);
    if (!status) status = snCoatPlan_Tubes(&c->plan, &b.tubes, &b.scratch, error);
    if (!status) status = makeElements(&b);
    if (!status) status = makeSkin(&b);
    snArena_Destroy(&b.scratch);
    if (status)
        snCoating_Destroy(c);
    else
        *coating = c;
    return status;
}

snCoating *snCoating_Share(snCoating *coating)
{
    coating->holders++;
    return coating;
}

void snCoating_Destroy(snCoating *coating)
{
    if (!coating || coating->holders-- > 0) return;
    snArena_DestroyWithin(&coating->arena);
}

void snCoating_Place(const snCoating *c, const snAffine *globals, double *const *lengths,
                     snVec3 *controls)
{
    for (int i = 0; i < c->controlCount; i++) {
        const snCoatControl *control = &c->controls[i];
        snVec3 place = control->place;
        if (lengths && control->element >= 0) {
            const snElement *e = &c->elements[control->element].element;
            place = snElement_Sample(e, lengths[control->element], control->cylinder);
        }
        controls[i] = snMulAP(globals[control->joint], place);
    }
}
