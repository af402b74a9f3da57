// Crowds: making them, and what their members are told (include/sinew/crowd.h).
#include "api/crowd_parts.h"

#include "body/lattice/detail.h"
#include "body/lattice/jump.h"
#include "core/check.h"
#include "core/hash.h"
#include "core/seal.h"

#include <string.h>

#define MOST_MEMBERS 1000000
#define MOST_LONG 8        // steps that are taken as one
#define SAME_NORMAL 0.9995 // cosine: vertices in one place with such normals share theirs

// ---- members as bytes -------------------------------------------------------------------------------

static char *memberAt(const snCrowd *crowd, int member)
{
    SN_ASSERT(member >= 0 && member < crowd->memberCount);
    return crowd->members + (size_t)member * crowd->memberSize;
}

bool snCrowd_Has(const snCrowd *crowd, int member)
{
    snError why;
    snStatus bad = snCheckIndex("member", member, crowd->memberCount, &why);
    return !snRefuse(&crowd->context, bad, &why);
}

void *snCrowd_Block(const snCrowd *crowd, int member)
{
    return memberAt(crowd, member);
}

snMember *snCrowd_Member(const snCrowd *crowd, int member)
{
    return (snMember *)(void *)(memberAt(crowd, member) + crowd->blockSize);
}

snAffine *snCrowd_Joints(const snCrowd *crowd, int member)
{
    return (snAffine *)(void *)(memberAt(crowd, member) + crowd->jointsAt);
}

snAffine *snCrowd_Wanted(const snCrowd *crowd, int member)
{
    return (snAffine *)(void *)(memberAt(crowd, member) + crowd->wantedAt);
}

double *snCrowd_Morphs(const snCrowd *crowd, int member)
{
    return (double *)(void *)(memberAt(crowd, member) + crowd->morphsAt);
}

static size_t rounded(size_t bytes)
{
    return (bytes + 63) & ~(size_t)63;
}

static void layOut(snCrowd *crowd)
{
    const snCharacter *c = crowd->character;
    size_t joints = (size_t)c->skeleton.jointCount * sizeof(snAffine);
    crowd->blockSize = rounded(crowd->workers[0].state->blockSize);
    crowd->jointsAt = crowd->blockSize + rounded(sizeof(snMember));
    crowd->wantedAt = crowd->jointsAt + rounded(joints);
    crowd->morphsAt = crowd->wantedAt + rounded(joints);
    crowd->memberSize = crowd->morphsAt + rounded((size_t)c->morphCount * sizeof(double));
}

// ---- making -------------------------------------------------------------------------------------------

snCrowdDef snDefaultCrowdDef(void)
{
    snCrowdDef def = {.actor = snDefaultActorDef(), .members = 1, .sleep = 1e-3};
    def.actor.cells = 600;
    def.actor.step = 1.0 / 60;
    def.actor.iterations = 3;
    return def;
}

static snStatus checkDef(const snCrowdDef *def, snError *error)
{
    if (def->members < 1 || def->members > MOST_MEMBERS)
        return snFail(error, SN_ERROR_ARGUMENT, "a crowd of %d members; it has 1 to %d",
                      def->members, MOST_MEMBERS);
    if (!(def->sleep >= 0) || def->sleep > 1e6)
        return snFail(error, SN_ERROR_ARGUMENT, "sleep %g; it is 0 or a speed in heights a second",
                      def->sleep);
    if (def->longStep != 0 && (def->longStep < 2 || def->longStep > MOST_LONG))
        return snFail(error, SN_ERROR_ARGUMENT, "longStep %d; it is 0, or 2 to %d steps",
                      def->longStep, MOST_LONG);
    return SN_OK;
}

static snStatus makeWorker(snCrowd *crowd, snCrowdWorker *worker, snError *error)
{
    const snCharacter *c = crowd->character;
    snArena *arena = &crowd->arena;
    snStatus status =
        snLatticeState_Make(&worker->state, crowd->flesh->model, 1, &crowd->context, error);
    if (!status) status = snPose_Make(&worker->pose, &c->skeleton, c->morphCount, arena, error);
    if (!status) status = snFleshDriver_Make(&worker->driver, crowd->flesh, arena, error);
    if (status) return status;
    worker->acceleration = SN_NEW(arena, double, (size_t)crowd->flesh->model->vertexCount * 4);
    worker->offsets = SN_NEW(arena, float, (size_t)snCrowd_LatticeCount(crowd) * 4);
    worker->rows = SN_NEW(arena, float, (size_t)c->vertexCount * 4);
    worker->areas = SN_NEW(arena, float, ((size_t)c->triangleCount + 1) * 4);
    worker->normals = SN_NEW(arena, float, (size_t)c->vertexCount * 4);
    bool all =
        worker->acceleration && worker->offsets && worker->rows && worker->areas && worker->normals;
    return all ? SN_OK : snFailMemory(error);
}

// The rest normal of a vertex, or zero where its file has none.
static snVec3 restNormal(const snPart *part, int vertex)
{
    return part->normals ? snFromF(part->normals[vertex]) : snVec(0, 0, 0);
}

// Where a file has a vertex twice, for two textures, both have one normal; where it is a sharp edge, two.
// `first` has of each place the first vertex there, `next` those that follow.
static bool shareNormals(const snCrowd *crowd, int *first, int *next, const snVec3 *normals)
{
    const snFlesh *flesh = crowd->flesh;
    bool any = false;
    for (int w = 0; w < flesh->surface.vertexCount; w++)
        first[w] = -1;
    for (int v = 0; v < crowd->character->vertexCount; v++) {
        int weld = flesh->weldOf[v];
        crowd->normalOf[v] = v;
        if (weld < 0) continue;
        for (int u = first[weld]; u >= 0 && crowd->normalOf[v] == v; u = next[u])
            if (snDot(normals[u], normals[v]) >= SAME_NORMAL || snLength(normals[v]) == 0)
                crowd->normalOf[v] = crowd->normalOf[u], any = true;
        next[v] = first[weld];
        first[weld] = v;
    }
    return any;
}

// Triangles over the vertices whose normals they make, counter-clockwise from outside also where a part is mirrored.
static void layTriangles(const snCrowd *crowd, const snPose *rest, int *triangles, snVec3 *normals)
{
    const snCharacter *c = crowd->character;
    int first = 0;
    for (int p = 0; p < c->partCount; p++) {
        const snPart *part = &c->parts[p];
        int second = snCharacter_IsMirrored(c, rest, part) ? 2 : 1;
        for (int t = 0; t < part->triangleCount; t++, triangles += 3) {
            triangles[0] = first + part->triangles[3 * t];
            triangles[second] = first + part->triangles[3 * t + 1];
            triangles[3 - second] = first + part->triangles[3 * t + 2];
        }
        for (int v = 0; v < part->vertexCount; v++)
            normals[first + v] = snNormalizeOr(restNormal(part, v), snVec(0, 0, 0));
        first += part->vertexCount;
    }
}

static snStatus makeCarry(snCrowd *crowd, snArena *scratch, snError *error)
{
    const snCharacter *c = crowd->character;
    const snCarry *own = &crowd->flesh->carry;
    int n = c->vertexCount, corners = 3 * c->triangleCount;
    int *triangles = SN_NEW(scratch, int, corners), *next = SN_NEW(scratch, int, n);
    int *first = SN_NEW(scratch, int, crowd->flesh->surface.vertexCount);
    snVec3 *normals = SN_NEW(scratch, snVec3, n);
    snPose rest;
    crowd->normalOf = SN_NEW(&crowd->arena, int, n);
    if (!triangles || !next || !first || !normals || !crowd->normalOf) return snFailMemory(error);
    snStatus status = snPose_Make(&rest, &c->skeleton, c->morphCount, scratch, error);
    if (status) return status;
    layTriangles(crowd, &rest, triangles, normals);
    if (shareNormals(crowd, first, next, normals))
        for (int k = 0; k < corners; k++)
            triangles[k] = crowd->normalOf[triangles[k]];
    else
        crowd->normalOf = NULL;
    snEmbedding embedding = {.pointCount = own->pointCount,
                             .width = own->width,
                             .vertex = own->vertex,
                             .weight = own->weight};
    snCarryDef def = {.embedding = &embedding,
                      .vertexCount = snCrowd_LatticeCount(crowd),
                      .triangleCount = c->triangleCount,
                      .triangles = triangles};
    return snCarry_Make(&crowd->carry, &def, &crowd->arena, error);
}

static snStatus makeLadder(snCrowd *crowd, snError *error)
{
    snLatticeModelDef model = snFlesh_ModelDef(crowd->flesh);
    int lengths[MOST_LONG];
    for (int k = 0; k < crowd->longStep; k++)
        lengths[k] = k + 1;
    lengths[1] = crowd->longStep;
    snLadderDef def = {.base = crowd->flesh->model,
                       .def = &model,
                       .softest = 1,
                       .stiffest = 1,
                       .lengthCount = crowd->longStep ? 2 : 0,
                       .lengths = lengths};
    if (!crowd->longStep) return SN_OK;
    return snLadder_Make(&crowd->ladder, &def, &crowd->context, error);
}

static snStatus makeMembers(snCrowd *crowd, snError *error)
{
    layOut(crowd);
    crowd->members = snArena_Alloc(&crowd->arena, crowd->memberSize, (size_t)crowd->memberCount);
    crowd->order = SN_NEW(&crowd->arena, int, crowd->memberCount);
    crowd->distance = SN_NEW(&crowd->arena, double, crowd->memberCount);
    if (!crowd->members || !crowd->order || !crowd->distance) return snFailMemory(error);
    for (int m = 0; m < crowd->memberCount; m++) {
        snStand origin = {.rotation = snIdentityQuat()};
        *snCrowd_Member(crowd, m) =
            (snMember){.clip = -1, .amount = 1, .share = 1, .stand = origin, .aim = origin};
        snCrowd_Start(crowd, m);
    }
    return SN_OK;
}

static snStatus build(snCrowd *crowd, const snCrowdDef *def, snError *error)
{
    snArena scratch = snMakeArena(&crowd->context);
    snStatus status =
        snActorDef_Build(&def->actor, &crowd->flesh, crowd->character, &crowd->context, error);
    if (!status) status = makeCarry(crowd, &scratch, error);
    snArena_Destroy(&scratch);
    if (!status) status = makeLadder(crowd, error);
    if (status) return status;
    crowd->sleep = def->sleep * crowd->flesh->height;
    // Many members are stepped beside each other: each of them by one thread.
    crowd->workerCount = def->members > 1 ? crowd->context.tasks.workers : 1;
    if (crowd->workerCount < 1) crowd->workerCount = 1;
    if (def->members > 1) crowd->flesh->model->context.tasks = (snTasks){.workers = 1};
    crowd->workers = SN_NEW(&crowd->arena, snCrowdWorker, crowd->workerCount);
    if (!crowd->workers) return snFailMemory(error);
    for (int w = 0; w < crowd->workerCount && !status; w++)
        status = makeWorker(crowd, &crowd->workers[w], error);
    return status ? status : makeMembers(crowd, error);
}

snStatus snCrowd_Make(snCrowd **out, const snCharacter *character, const snCrowdDef *def,
                      const snContext *context, snError *error)
{
    snStatus status = snCheckPointer("crowd", out, error);
    if (out) *out = NULL;
    if (!status) status = snCheckPointer("character", character, error);
    if (!status) status = snCheckPointer("def", def, error);
    if (!status) status = snCheckContext(context, error);
    if (!status) status = checkDef(def, error);
    if (!status) status = snActorDef_Check(&def->actor, error);
    if (status) return status;
    snArena arena = snMakeArena(context);
    snCrowd *crowd = SN_NEW(&arena, snCrowd, 1);
    if (!crowd) return snFailMemory(error);
    crowd->arena = arena;
    crowd->context = *context;
    crowd->character = character;
    crowd->memberCount = def->members;
    crowd->longStep = def->longStep;
    status = build(crowd, def, error);
    if (status) {
        snCrowd_Destroy(crowd);
        return status;
    }
    *out = crowd;
    return SN_OK;
}

void snCrowd_Destroy(snCrowd *crowd)
{
    if (!crowd) return;
    for (int w = 0; crowd->workers && w < crowd->workerCount; w++)
        snLatticeState_Destroy(crowd->workers[w].state);
    snLadder_Destroy(crowd->ladder);
    snFlesh_Destroy(crowd->flesh);
    snArena_DestroyWithin(&crowd->arena);
}

int snCrowd_MemberCount(const snCrowd *crowd)
{
    return crowd->memberCount;
}

size_t snCrowd_BytesPerMember(const snCrowd *crowd)
{
    return crowd->memberSize + sizeof *crowd->order + sizeof *crowd->distance;
}

size_t snCrowd_SharedBytes(const snCrowd *crowd)
{
    const snFlesh *flesh = crowd->flesh;
    size_t own = crowd->arena.total - (size_t)crowd->memberCount * snCrowd_BytesPerMember(crowd);
    for (int w = 0; w < crowd->workerCount; w++)
        own += crowd->workers[w].state->arena.total;
    if (crowd->ladder) own += crowd->ladder->arena.total;
    return own + flesh->arena.total + flesh->model->arena.total;
}

// ---- places -------------------------------------------------------------------------------------------

snAffine snStand_Affine(const snStand *stand)
{
    return (snAffine){snQuatToMat(stand->rotation), stand->position};
}

snStand snStand_Of(const snPlacement *place)
{
    const double *p = place->position, *q = place->rotation;
    double size = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    snQuat turn = {q[0], q[1], q[2], q[3]};
    bool good = size > 1e-300 && size < 1e300;
    return (snStand){snVec(p[0], p[1], p[2]), good ? snNormalizeQ(turn) : snIdentityQuat()};
}

snStand snStand_Between(const snStand *a, const snStand *b, double t)
{
    if (t >= 1) return *b;
    return (snStand){snMulAdd(snScale(1 - t, a->position), t, b->position),
                     snSlerp(a->rotation, b->rotation, t)};
}

// b = M a:  R = q_b q_a⁻¹,  p = p_b - R p_a.
snAffine snStand_Motion(const snStand *from, const snStand *to)
{
    snQuat turn = snNormalizeQ(snMulQQ(to->rotation, snConjugate(from->rotation)));
    return (snAffine){snQuatToMat(turn), snSub(to->position, snRotate(turn, from->position))};
}

bool snStand_Same(const snStand *a, const snStand *b)
{
    return !memcmp(a, b, sizeof *a);
}

// ---- what members are told ------------------------------------------------------------------------------

snLatticeState *snCrowd_Use(const snCrowd *crowd, snCrowdWorker *worker, int member)
{
    snLatticeState_UseBlock(crowd->flesh->model, worker->state, snCrowd_Block(crowd, member));
    return worker->state;
}

snAffine snReadMatrix(const float *matrices, size_t stride, int number)
{
    float e[16];
    memcpy(e, (const char *)matrices + (size_t)number * (stride ? stride : sizeof e), sizeof e);
    snMat3 linear = {snVec((double)e[0], (double)e[1], (double)e[2]),
                     snVec((double)e[4], (double)e[5], (double)e[6]),
                     snVec((double)e[8], (double)e[9], (double)e[10])};
    return (snAffine){linear, snVec((double)e[12], (double)e[13], (double)e[14])};
}

// What every one of the functions below asks of a member, and of a number or a place for it.
static bool isTold(const snCrowd *crowd, int member, const char *what, double number)
{
    snError why;
    return snCrowd_Has(crowd, member) &&
           !snRefuse(&crowd->context, snCheckNumber(what, number, &why), &why);
}

static bool isPlaced(const snCrowd *crowd, int member, const snPlacement *place)
{
    snError why;
    return snCrowd_Has(crowd, member) &&
           !snRefuse(&crowd->context, snCheckPlacement("place", place, &why), &why);
}

void snCrowd_Play(snCrowd *crowd, int member, int clip, double time, double speed)
{
    if (!isTold(crowd, member, "time", time) || !isTold(crowd, member, "speed", speed)) return;
    snMember *m = snCrowd_Member(crowd, member);
    m->clip = clip >= 0 && clip < crowd->character->clipCount ? clip : -1;
    m->time = time;
    m->speed = speed;
    m->posed = 0;
    m->moved = 1;
}

void snCrowd_SetPose(snCrowd *crowd, int member, const float *matrices, size_t stride)
{
    if (!matrices || !snCrowd_Has(crowd, member)) return;
    snMember *m = snCrowd_Member(crowd, member);
    snAffine *wanted = snCrowd_Wanted(crowd, member);
    for (int j = 0; j < crowd->character->skeleton.jointCount; j++) {
        snAffine told = snReadMatrix(matrices, stride, j);
        if (!m->posed || memcmp(&told, &wanted[j], sizeof told)) m->moved = 1;
        wanted[j] = told;
    }
    m->posed = 1;
}

void snCrowd_SetPlace(snCrowd *crowd, int member, const snPlacement *place)
{
    if (!isPlaced(crowd, member, place)) return;
    snMember *m = snCrowd_Member(crowd, member);
    m->aim = snStand_Of(place);
    if (!snStand_Same(&m->aim, &m->stand)) m->moved = 1;
}

void snCrowd_Teleport(snCrowd *crowd, int member, const snPlacement *place)
{
    if (!isPlaced(crowd, member, place)) return;
    snMember *m = snCrowd_Member(crowd, member);
    snStand to = snStand_Of(place);
    snAffine motion = snStand_Motion(&m->stand, &to);
    if (m->started)
        snLatticeState_Carry(crowd->flesh->model, snCrowd_Use(crowd, &crowd->workers[0], member),
                             &motion);
    m->stand = m->aim = to;
}

void snCrowd_SetRootMotion(snCrowd *crowd, int member, double share)
{
    if (!isTold(crowd, member, "share", share)) return;
    snCrowd_Member(crowd, member)->share = share > 0 ? share < 1 ? share : 1 : 0;
}

void snCrowd_Start(snCrowd *crowd, int member)
{
    snCrowdWorker *worker = &crowd->workers[0];
    if (!snCrowd_Has(crowd, member)) return;
    snMember *m = snCrowd_Member(crowd, member);
    size_t joints = (size_t)crowd->character->skeleton.jointCount;
    m->stand = m->aim;
    if (m->posed)
        memcpy(snCrowd_Joints(crowd, member), snCrowd_Wanted(crowd, member),
               joints * sizeof(snAffine));
    else
        snCrowd_SampleClip(crowd, worker, member);
    snCrowd_ShowPose(crowd, worker, member);
    snCrowd_PutOnRig(crowd, worker, member, NULL);
    m->amount = 1;
    m->moved = 1;
}

void snCrowd_SetDetail(snCrowd *crowd, int member, snDetailLevel level)
{
    snError why;
    snStatus bad = snCheckIndex("level", (int)level, SN_DETAIL_RIG + 1, &why);
    if (!snCrowd_Has(crowd, member) || snRefuse(&crowd->context, bad, &why)) return;
    snMember *m = snCrowd_Member(crowd, member);
    if (level == SN_DETAIL_HALF && !crowd->ladder) level = SN_DETAIL_FULL;
    if (m->level != (int)level) m->moved = 1;
    m->level = (int)level;
}

void snCrowd_SetField(snCrowd *crowd, const snForceField *field)
{
    snForceField told = field ? *field : (snForceField){.drag = 0};
    snError why;
    snStatus bad = snCheckNumbers("wind", 3, told.wind, &why);
    if (!bad) bad = snCheckRange("drag", told.drag, 0, 1e12, &why);
    if (!snRefuse(&crowd->context, bad, &why)) crowd->field = told;
}

// ---- levels of detail by distance -----------------------------------------------------------------------

// The farthest of a heap goes to its top; members of one distance by their numbers.
static bool isFarther(const snCrowd *crowd, int a, int b)
{
    double x = crowd->distance[a], y = crowd->distance[b];
    return x > y || (x == y && a > b);
}

static void siftDown(const snCrowd *crowd, int count, int at)
{
    int *heap = crowd->order;
    for (int child = 2 * at + 1; child < count; at = child, child = 2 * at + 1) {
        if (child + 1 < count && isFarther(crowd, heap[child + 1], heap[child])) child++;
        if (!isFarther(crowd, heap[child], heap[at])) return;
        int swap = heap[at];
        heap[at] = heap[child];
        heap[child] = swap;
    }
}

// Members from the nearest to the farthest, by a heap: nothing is allocated.
static void sortByDistance(snCrowd *crowd, const double eye[3])
{
    int n = crowd->memberCount;
    for (int m = 0; m < n; m++) {
        double d =
            snDistance(snCrowd_Member(crowd, m)->stand.position, snVec(eye[0], eye[1], eye[2]));
        crowd->order[m] = m;
        crowd->distance[m] = d >= 0 ? d : INFINITY; // nothing is farther than what is nowhere
    }
    for (int at = n / 2 - 1; at >= 0; at--)
        siftDown(crowd, n, at);
    for (int end = n - 1; end > 0; end--) {
        int farthest = crowd->order[0];
        crowd->order[0] = crowd->order[end];
        crowd->order[end] = farthest;
        siftDown(crowd, end, 0);
    }
}

snStatus snCheckDetail(const double eye[3], const snDetailRange *range, snError *error)
{
    snStatus status = snCheckNumbers("eye", 3, eye, error);
    if (!status) status = snCheckPointer("range", range, error);
    if (!status) status = snCheckRange("full", range->full, 0, INFINITY, error);
    if (!status) status = snCheckRange("half", range->half, 0, INFINITY, error);
    if (!status) status = snCheckRange("most", range->most, 0, INFINITY, error);
    return status;
}

void snCrowd_ChooseDetail(snCrowd *crowd, const double eye[3], const snDetailRange *range)
{
    snError why;
    if (snRefuse(&crowd->context, snCheckDetail(eye, range, &why), &why)) return;
    sortByDistance(crowd, eye);
    for (int k = 0; k < crowd->memberCount; k++) {
        int m = crowd->order[k];
        double d = crowd->distance[m];
        snDetailLevel level = d <= range->full   ? SN_DETAIL_FULL
                              : d <= range->half ? SN_DETAIL_HALF
                                                 : SN_DETAIL_RIG;
        snCrowd_SetDetail(crowd, m, k < range->most ? level : SN_DETAIL_RIG);
    }
}

// ---- state ------------------------------------------------------------------------------------------------

static size_t membersSize(const snCrowd *crowd)
{
    return (size_t)crowd->memberCount * crowd->memberSize;
}

// What members were told counts, for numbers of clips and levels are used as they are; flesh is not looked at, there is much of it.
static snSeal sealOf(const snCrowd *crowd, const void *state)
{
    static const char form[] = "sinew crowd state 1";
    const snCharacter *c = crowd->character;
    int counts[] = {crowd->memberCount, c->skeleton.jointCount, c->clipCount, c->morphCount,
                    crowd->flesh->model->vertexCount};
    snSeal seal = {snHash(snHash(SN_HASH_BEGIN, form, sizeof form), counts, sizeof counts),
                   SN_HASH_BEGIN};
    for (int m = 0; m < crowd->memberCount && state; m++)
        seal.bytes = snHash(seal.bytes, (const char *)state + (size_t)m * crowd->memberSize,
                            sizeof(snMember));
    return seal;
}

size_t snCrowd_StateSize(const snCrowd *crowd)
{
    return membersSize(crowd) + sizeof(snSeal);
}

void snCrowd_Save(const snCrowd *crowd, void *state)
{
    if (!state) return;
    memcpy(state, crowd->members, membersSize(crowd));
    snSeal_Write(sealOf(crowd, state), (char *)state + membersSize(crowd));
}

snStatus snCrowd_Restore(snCrowd *crowd, const void *state, size_t size, snError *error)
{
    snStatus status = snCheckPointer("state", state, error);
    if (status) return status;
    size_t wanted = snCrowd_StateSize(crowd);
    snSeal own = sealOf(crowd, size == wanted ? state : NULL);
    status = snSeal_Check(own, state, size, wanted, "crowd", error);
    if (!status) memcpy(crowd->members, state, membersSize(crowd));
    return status;
}

uint64_t snCrowd_Hash(const snCrowd *crowd, int member)
{
    if (!snCrowd_Has(crowd, member)) return 0;
    return snLatticeState_Hash(snCrowd_Use(crowd, &crowd->workers[0], member));
}
