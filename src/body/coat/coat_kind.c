// What a world asks of a body, for coated skeletons. Points of them are points of links.
#include "body/coat/coat_parts.h"
#include "core/error.h"

#include <string.h>

static snCoatBody *coatOf(snBody *body)
{
    return (snCoatBody *)body;
}

static const snCoatBody *constCoatOf(const snBody *body)
{
    return (const snCoatBody *)body;
}

static void destroy(snBody *body)
{
    snCoatBody *b = coatOf(body);
    snCoatGroup_Destroy(b->own);
    snArticulatedState_Destroy(b->state);
    snArticulated_Destroy(b->tree);
    snCoating_Destroy(b->def.owned);
    snArena_DestroyWithin(&b->arena);
}

static void refresh(snCoatBody *b)
{
    snCoatBody_Pose(b);
    snCoating_Place(b->coating, b->frames, b->lengths, b->controls);
}

// ---- points ---------------------------------------------------------------------------------------------

// The joint whose flesh is nearest to a place at rest.
static int nearestJoint(const snCoatBody *b, snVec3 rest, const snAffine *frames)
{
    int best = 0;
    double least = 1e300;
    for (int i = 0; i < b->coating->controlCount; i++) {
        const snCoatControl *c = &b->coating->controls[i];
        double far = snDistance(rest, snMulAP(frames[c->joint], c->place));
        if (far < least) least = far, best = c->joint;
    }
    return best;
}

static snStatus locate(snBody *body, const snBodySpot *spot, int *point, snError *error)
{
    snCoatBody *b = coatOf(body);
    const snSkeleton *s = b->coating->plan.skeleton;
    snVec3 rest = snBodySpot_Rest(spot, b->restSurface);
    int p = 0;
    while (p < SN_COAT_POINTS && b->points[p].link >= 0)
        p++;
    if (p == SN_COAT_POINTS)
        return snFail(error, SN_ERROR_ARGUMENT, "body \"%s\" has no more than %d points",
                      body->name, SN_COAT_POINTS);
    int joint = nearestJoint(b, rest, b->restFrames);
    int link = b->linkOf[joint];
    snAffine frame = b->restFrames[joint];
    while (joint >= 0 && s->joints[joint].parent >= 0 &&
           b->linkOf[s->joints[joint].parent] == link) // the joint that the link is of
        joint = s->joints[joint].parent, frame = b->restFrames[joint];
    b->points[p] = (snCoatPoint){link, 0, snMulAP(snInverseAffine(frame), rest)};
    *point = p;
    return SN_OK;
}

static void forget(snBody *body, int point)
{
    coatOf(body)->points[point].link = -1;
}

static snVec3 place(const snBody *body, int point)
{
    const snCoatBody *b = constCoatOf(body);
    const snCoatPoint *p = &b->points[point];
    return snMulAP(snArticulated_Frame(b->state, p->link), p->local);
}

static snVec3 velocity(const snBody *body, int point)
{
    const snCoatBody *b = constCoatOf(body);
    return snArticulated_Velocity(b->state, b->points[point].link, place(body, point));
}

// Columns of the world have room for 3 * size coordinates, the tree has a few less.
static void writeColumn(snCoatBody *b, int point, double h, double *column)
{
    size_t stride = 3 * (size_t)b->body.size, n = (size_t)b->size;
    snArticulated_Prepare(b->tree, b->state, h);
    snArticulated_Column(b->tree, b->state, b->points[point].link, place(&b->body, point),
                         b->columns);
    memset(column, 0, 3 * stride * sizeof *column);
    for (size_t k = 0; k < 3; k++)
        memcpy(column + k * stride, b->columns + k * n, n * sizeof *column);
}

static void column(snBody *body, int point, double *out)
{
    writeColumn(coatOf(body), point, body->step, out);
}

static void impulseColumn(snBody *body, int point, double *out)
{
    writeColumn(coatOf(body), point, 0, out);
}

static snMat3 row(const snBody *body, int point, const double *of)
{
    const snCoatBody *b = constCoatOf(body);
    size_t stride = 3 * (size_t)body->size;
    int link = b->points[point].link;
    snVec3 at = place(body, point);
    return (snMat3){snArticulated_Change(b->tree, b->state, link, at, of),
                    snArticulated_Change(b->tree, b->state, link, at, of + stride),
                    snArticulated_Change(b->tree, b->state, link, at, of + 2 * stride)};
}

// No less than of the lightest link by itself.
static double give(const snBody *body, int point)
{
    const snCoatBody *b = constCoatOf(body);
    double least = 1e300;
    (void)point;
    for (int j = 0; j < b->coating->plan.skeleton->jointCount; j++)
        if (b->coating->jointMass[j] > 0) least = fmin(least, b->coating->jointMass[j]);
    return 4 / least;
}

static void strike(snBody *body, const double *column_, snVec3 impulse)
{
    snCoatBody *b = coatOf(body);
    size_t stride = 3 * (size_t)body->size, n = (size_t)b->size;
    for (size_t k = 0; k < 3; k++)
        memcpy(b->columns + k * n, column_ + k * stride, n * sizeof(double));
    snArticulated_Strike(b->tree, b->state, b->columns, impulse);
}

// ---- a step ---------------------------------------------------------------------------------------------

static void begin(snBody *body, const snBodyStep *step)
{
    snCoatBody *b = coatOf(body);
    b->step = *step;
    b->forceCount = b->pullCount = b->holdCount = 0;
    b->outside = false;
    b->acts = false;
    snCoatBody_ForgetThrusts(b);
    b->report = (snBodyReport){.functions = body->functions};
    if (b->follow) snCoatFollow_Begin(b);
}

static void hold(snBody *body, int point, snVec3 target)
{
    snCoatBody *b = coatOf(body);
    if (b->holdCount < SN_COAT_POINTS) b->holds[b->holdCount++] = (snCoatHold){point, target};
}

static void pull(snBody *body, int point, const snBodyPull *how)
{
    snCoatBody *b = coatOf(body);
    if (b->pullCount < SN_COAT_POINTS) b->pulls[b->pullCount++] = (snCoatPull){point, *how};
}

static void push(snBody *body, int point, snVec3 force)
{
    snCoatBody *b = coatOf(body);
    if (b->forceCount < SN_COAT_POINTS) b->forces[b->forceCount++] = (snCoatForce){point, force};
}

static void advance(snBody *body)
{
    snCoatGroup_Step(coatOf(body)->own);
}

static void finish(snBody *body, snBodyReport *report)
{
    snCoatBody *b = coatOf(body);
    b->led = false;
    refresh(b);
    *report = b->report;
}

// ---- putting and measuring ------------------------------------------------------------------------------

static void putLinks(snCoatBody *b, const snAffine *where)
{
    const snSkeleton *s = b->coating->plan.skeleton;
    snLinkState *links = snArticulatedState_Links(b->state);
    snQuat turn = snQuatFromMat(where->linear);
    for (int j = 0; j < s->jointCount; j++) {
        const snJoint *joint = &s->joints[j];
        bool own = joint->parent < 0 || b->linkOf[j] != b->linkOf[joint->parent];
        if (!own) continue;
        snLinkState *link = &links[b->linkOf[j]];
        *link = (snLinkState){.rotation = joint->rest.rotation};
        if (joint->parent >= 0) continue;
        link->rotation = snMulQQ(turn, joint->rest.rotation);
        link->place = snMulAP(*where, joint->rest.translation);
    }
    snArticulated_Update(b->tree, b->state);
}

static void put(snBody *body, const snAffine *where)
{
    snCoatBody *b = coatOf(body);
    if (b->follow)
        snCoatFollow_Put(b, where);
    else
        putLinks(b, where);
    for (int e = 0; e < b->coating->elementCount; e++)
        snElementMotion_SetRest(&b->flesh[e], &b->coating->elements[e].element);
    memset(b->kick, 0, (size_t)b->linkCount * sizeof *b->kick);
    memset(b->kickSpin, 0, (size_t)b->linkCount * sizeof *b->kickSpin);
    memset(b->memos, 0, (size_t)b->cylinderCount * sizeof *b->memos);
    b->closing = 0;
    b->rest = (snCoatRest){0};
    b->placed = false;
    refresh(b);
}

// Roots stand in the world, all else is in its parent's frame; flesh has lengths alone.
static void carry(snBody *body, const snAffine *motion)
{
    snCoatBody *b = coatOf(body);
    const snSkeleton *s = b->coating->plan.skeleton;
    snLinkState *links = snArticulatedState_Links(b->state);
    snJointDrive *drives = snArticulatedState_Drives(b->state);
    snQuat turn = snQuatFromMat(motion->linear);
    for (int j = 0; j < s->jointCount; j++) {
        if (s->joints[j].parent >= 0) continue;
        snLinkState *root = &links[b->linkOf[j]];
        snJointDrive *drive = &drives[b->linkOf[j]];
        root->rotation = snNormalizeQ(snMulQQ(turn, root->rotation));
        root->place = snMulAP(*motion, root->place);
        root->velocity = snMulMV(motion->linear, root->velocity);
        drive->target = snNormalizeQ(snMulQQ(turn, drive->target));
        drive->place = snMulAP(*motion, drive->place);
        drive->velocity = snMulMV(motion->linear, drive->velocity);
    }
    for (int l = 0; l < b->linkCount; l++) {
        b->kick[l] = snMulMV(motion->linear, b->kick[l]);
        b->kickSpin[l] = snMulMV(motion->linear, b->kickSpin[l]);
    }
    b->rest = (snCoatRest){0};
    for (int c = 0; c < b->cylinderCount; c++) // what it lies on stays behind
        b->memos[c] = (snCoatMemo){0};
    if (b->follow) b->follow->place = snMulAA(*motion, b->follow->place);
    snArticulated_Update(b->tree, b->state);
    refresh(b);
}

static bool go(snBody *body, const snAffine *where, snAffine *stands)
{
    snCoatFollow *follow = coatOf(body)->follow;
    if (!follow) return false;
    *stands = follow->place;
    if (where) follow->place = *where;
    return true;
}

static bool stirs(const snBody *body, int ticks)
{
    const snCoatBody *b = constCoatOf(body);
    return b->follow && snCoatFollow_Stirs(b, ticks);
}

static void pass(snBody *body, int ticks)
{
    snCoatBody *b = coatOf(body);
    if (b->follow) snCoatFollow_Pass(b, ticks);
}

static void motion(const snBody *body, snBodyMeasure *out)
{
    const snCoatBody *b = constCoatOf(body);
    snArticulatedMeasure m;
    snArticulated_Measure(b->tree, b->state, b->step.gravity, &m);
    *out = (snBodyMeasure){.mass = m.mass,
                           .kinetic = m.kinetic,
                           .center = m.center,
                           .momentum = m.momentum,
                           .angularMomentum = m.angularMomentum,
                           .inertia = m.inertia};
}

static double elastic(snBody *body)
{
    const snCoatBody *b = constCoatOf(body);
    snArticulatedMeasure m;
    snArticulated_Measure(b->tree, b->state, b->step.gravity, &m);
    for (int e = 0; e < b->coating->elementCount; e++) {
        const snElement *element = &b->coating->elements[e].element;
        for (int i = 0; i < element->count; i++)
            m.elastic += snOscillator_Energy(&element->spring[i],
                                             b->flesh[e].length[i] - b->flesh[e].rest[i], 0);
    }
    return m.elastic;
}

static void measure(snBody *body, snBodyMeasure *out)
{
    motion(body, out);
    out->elastic = elastic(body);
    out->volume = snBody_Volume(body);
}

// Its tree keeps its momenta by itself (articulated_keep.c): what was brought is not asked for.
static bool flewFree(const snBody *body, const snBodyMeasure *begin, snVec3 *brought)
{
    const snCoatBody *b = constCoatOf(body);
    (void)begin, (void)brought;
    return !b->outside && !b->acts && !b->forceCount && !b->pullCount && !b->holdCount &&
           !b->step.planar;
}

static void stir(snBody *body, const snBodyStir *how)
{
    snCoatBody *b = coatOf(body);
    snLinkState *root = snArticulatedState_Links(b->state);
    for (int l = 0; l < b->linkCount && how->share != 1; l++)
        root[l].spin = snScale(how->share, root[l].spin);
    root->spin = snAdd(root->spin, snRotate(snConjugate(root->rotation), how->spin));
    root->velocity = snBodyStir_At(how, root->place, root->velocity);
    snArticulated_Update(b->tree, b->state);
}

static bool isTaut(const snBody *body, double h)
{
    return snCoatBody_IsTaut(constCoatOf(body), h);
}

static double relax(snBody *body, double energy)
{
    return snCoatBody_Relax(coatOf(body), energy);
}

static void setVelocity(snBody *body, snVec3 speed, snVec3 spin)
{
    snCoatBody *b = coatOf(body);
    snArticulatedMeasure m;
    snLinkState *links = snArticulatedState_Links(b->state);
    const snSkeleton *s = b->coating->plan.skeleton;
    snArticulated_Measure(b->tree, b->state, b->step.gravity, &m);
    for (int l = 0; l < b->linkCount; l++)
        links[l].spin = links[l].velocity = snVec(0, 0, 0);
    for (int j = 0; j < s->jointCount; j++) {
        if (s->joints[j].parent >= 0) continue;
        snLinkState *root = &links[b->linkOf[j]];
        root->velocity = snAdd(speed, snCross(spin, snSub(root->place, m.center)));
        root->spin = snRotate(snConjugate(root->rotation), spin);
    }
    for (int j = 0; b->def.fixed && j < s->jointCount;
         j++) { // what hangs on a root that stands still turns
        int parent = s->joints[j].parent;
        if (parent < 0 || s->joints[parent].parent >= 0 || b->linkOf[j] == b->linkOf[parent])
            continue;
        snMat3 turn = snArticulated_Frame(b->state, b->linkOf[j]).linear;
        links[b->linkOf[j]].spin = snMulTMV(turn, spin);
    }
    snArticulated_Update(b->tree, b->state);
}

static snVec3 vertex(const snBody *body, int v)
{
    const snCoatBody *b = constCoatOf(body);
    return snSplineSkin_Vertex(&b->coating->skin, b->controls, v);
}

static bool rowsOf(const snBody *body, snBodyRows *rows)
{
    const snSplineSkin *skin = &constCoatOf(body)->coating->skin;
    *rows = (snBodyRows){.controlCount = skin->controlCount,
                         .start = skin->start,
                         .index = skin->control,
                         .weight = skin->value};
    return true;
}

static void controlsOf(const snBody *body, snVec3 *places)
{
    const snCoatBody *b = constCoatOf(body);
    memcpy(places, b->controls, (size_t)b->coating->skin.controlCount * sizeof *places);
}

// ---- state ----------------------------------------------------------------------------------------------

// What there is to save, one block after another; `copy` goes one way or the other.
typedef struct Walk {
    char *at;
    bool saves;
} Walk;

static void copyBlock(Walk *w, void *block, size_t size)
{
    if (w->at) memcpy(w->saves ? (void *)w->at : block, w->saves ? block : (void *)w->at, size);
    if (w->at) w->at += size;
}

static size_t walkState(snCoatBody *b, Walk w)
{
    size_t links = (size_t)b->linkCount, total = 0;
    void *blocks[8] = {&b->closing,
                       &b->rest,
                       snArticulatedState_Links(b->state),
                       snArticulatedState_Drives(b->state),
                       b->kick,
                       b->kickSpin,
                       b->points,
                       b->memos};
    size_t sizes[8] = {sizeof b->closing,
                       sizeof b->rest,
                       links * sizeof(snLinkState),
                       links * sizeof(snJointDrive),
                       links * sizeof(snVec3),
                       links * sizeof(snVec3),
                       sizeof b->points,
                       (size_t)b->cylinderCount * sizeof(snCoatMemo)};
    for (int k = 0; k < 8; k++) {
        copyBlock(&w, blocks[k], sizes[k]);
        total += sizes[k];
    }
    if (b->follow) {
        copyBlock(&w, &b->follow->ticks, sizeof b->follow->ticks);
        copyBlock(&w, &b->follow->place, sizeof b->follow->place);
        total += sizeof b->follow->ticks + sizeof b->follow->place;
    }
    for (int e = 0; e < b->coating->elementCount; e++) {
        snElementMotion *f = &b->flesh[e];
        double *rows[5] = {f->length, f->speed, f->rest, f->from, f->since};
        size_t size = (size_t)b->coating->elements[e].element.count * sizeof(double);
        for (int k = 0; k < 5; k++) {
            copyBlock(&w, rows[k], size);
            total += size;
        }
    }
    return total;
}

static size_t saveSize(const snBody *body)
{
    return walkState((snCoatBody *)(uintptr_t)body, (Walk){0}); // nothing is written
}

static void save(const snBody *body, void *bytes)
{
    walkState((snCoatBody *)(uintptr_t)body, (Walk){bytes, true}); // nothing of the body is
}

static snStatus restore(snBody *body, const void *bytes, snError *error)
{
    snCoatBody *b = coatOf(body);
    (void)error;
    walkState(b, (Walk){(char *)(uintptr_t)bytes, false});
    snArticulated_Update(b->tree, b->state);
    refresh(b);
    b->placed = false;
    return SN_OK;
}

// ---- groups ---------------------------------------------------------------------------------------------

static bool joins(const snBody *body)
{
    return constCoatOf(body)->def.meets;
}

static snStatus join(const snBodyJoin *what, void **group, const snContext *context, snError *error)
{
    snArena scratch = snMakeArena(context);
    snCoatBody **list = SN_NEW(&scratch, snCoatBody *, what->count);
    snCoatGroup *made = NULL;
    snStatus status = list ? SN_OK : snFailMemory(error);
    for (int i = 0; i < what->count && !status; i++)
        list[i] = coatOf(what->bodies[i]);
    if (!status) status = snCoatGroup_Make(&made, what->count, list, context, error);
    *group = made;
    snArena_Destroy(&scratch);
    return status;
}

// Those that are left out stand where they are, and nothing acts on them: of that nothing is left that is not saved.
static void advanceGroup(void *group, const unsigned char *sleeps)
{
    snCoatGroup *g = group;
    for (int i = 0; i < g->count; i++) {
        snCoatBody *b = g->bodies[i];
        bool skipped = sleeps && sleeps[i];
        if (skipped && !b->skipped) b->placed = false;
        b->skipped = skipped;
        if (!skipped) continue;
        b->forceCount = b->pullCount = b->holdCount = 0;
        snCoatBody_ForgetThrusts(b);
        if (!b->placed) snCoatBody_PlaceSamples(b);
    }
    snCoatGroup_Step(g);
}

static void destroyGroup(void *group)
{
    snCoatGroup_Destroy(group);
}

const snBodyKind snCoatKind = {
    .name = "coat",
    .destroy = destroy,
    .locate = locate,
    .forget = forget,
    .place = place,
    .velocity = velocity,
    .column = column,
    .row = row,
    .give = give,
    .impulseColumn = impulseColumn,
    .strike = strike,
    .begin = begin,
    .hold = hold,
    .pull = pull,
    .push = push,
    .advance = advance,
    .finish = finish,
    .reserveFields = snCoatBody_ReserveFields,
    .act = snCoatBody_Act,
    .put = put,
    .carry = carry,
    .go = go,
    .setVelocity = setVelocity,
    .vertex = vertex,
    .measure = measure,
    .motion = motion,
    .elastic = elastic,
    .stir = stir,
    .isTaut = isTaut,
    .relax = relax,
    .isFree = flewFree,
    .rows = rowsOf,
    .controls = controlsOf,
    .saveSize = saveSize,
    .save = save,
    .restore = restore,
    .join = join,
    .stirs = stirs,
    .pass = pass,
    .advanceGroup = advanceGroup,
    .partner = snCoatGroup_Partner,
    .destroyGroup = destroyGroup,
    .joins = joins,
    .meeting = &snCoatMeeting,
};
