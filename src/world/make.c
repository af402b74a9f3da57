// Building a world.
#include "core/check.h"
#include "world/attach.h"
#include "world/keep.h"
#include "world/meet.h"
#include "world/sleep.h"

#include <string.h>

#define MOST 100000   // of anything
#define MOST_KINDS 16 // of bodies
#define SPARE_HELD 64 // attachments to places that may be added once bodies are joined

snWorldDef snDefaultWorldDef(void)
{
    return (snWorldDef){.step = 1.0 / 120,
                        .gravity = {0, -9.81, 0},
                        .mostGrabs = 8,
                        .mostStruck = 512,
                        .airDensity = 1.2,
                        .airDrag = 0.5};
}

snAttachmentDef snDefaultAttachmentDef(void)
{
    return (snAttachmentDef){.name = "attachment",
                             .other = SN_WORLD_NOBODY,
                             .hard = true,
                             .stiffness = 1000,
                             .to = INFINITY,
                             .ease = 0.1};
}

static snStatus checkDef(const snWorldDef *def, snError *error)
{
    if (!(def->step > 0 && isfinite(def->step)) || !snIsFinite3(def->gravity))
        return snFail(error, SN_ERROR_ARGUMENT,
                      "a world with steps of %g s; they must be above 0, and gravity finite",
                      def->step);
    if (def->mostGrabs < 0 || def->mostGrabs > MOST)
        return snFail(error, SN_ERROR_ARGUMENT, "%d grabs", def->mostGrabs);
    if (def->mostStruck < 0 || def->mostStruck > 1000)
        return snFail(error, SN_ERROR_ARGUMENT, "%d points of a blow; there can be 1000",
                      def->mostStruck);
    if (def->lengthCount < 0 || def->lengthCount > SN_WORLD_LENGTHS)
        return snFail(error, SN_ERROR_ARGUMENT, "%d lengths of steps; there can be %d",
                      def->lengthCount, SN_WORLD_LENGTHS);
    for (int i = 0; i < def->lengthCount; i++)
        if (def->lengths[i] <= (i ? def->lengths[i - 1] : 0) || (i == 0 && def->lengths[i] != 1))
            return snFail(error, SN_ERROR_ARGUMENT,
                          "length %d of a step is %d ticks; lengths begin with 1 and ascend", i,
                          def->lengths[i]);
    return SN_OK;
}

snStatus snWorld_Make(snWorld **out, const snWorldDef *def, const snContext *context,
                      snError *error)
{
    *out = NULL;
    snStatus status = checkDef(def, error);
    if (status) return status;
    snArena arena = snMakeArena(context);
    snWorld *world = SN_NEW(&arena, snWorld, 1);
    if (!world) return snFailMemory(error);
    world->grabs = SN_NEW(&arena, snGrab, def->mostGrabs);
    int *lengths = SN_COPY(&arena, int, def->lengths, def->lengthCount);
    world->arena = arena;
    world->context = *context;
    world->def = *def;
    world->def.lengths = lengths;
    if (!world->grabs || !lengths || !snWorld_ReserveRows(world, 0)) {
        snWorld_Destroy(world);
        return snFailMemory(error);
    }
    *out = world;
    return SN_OK;
}

static void leaveGroups(snWorld *world)
{
    for (int i = 0; i < world->groups.count; i++)
        world->groups.data[i].kind->destroyGroup(world->groups.data[i].group);
    world->groups.count = world->joined.count = 0;
    snMeet_Destroy(world->meet);
    world->meet = NULL;
    world->isJoined = false;
}

void snWorld_Destroy(snWorld *world)
{
    if (!world) return;
    const snAllocator *allocator = &world->context.allocator;
    leaveGroups(world);
    snArray_Free(allocator, &world->groups);
    snArray_Free(allocator, &world->joined);
    for (int i = 0; i < world->bodies.count; i++)
        snBody_Destroy(world->bodies.data[i]);
    snArray_Free(allocator, &world->bodies);
    snArray_Free(allocator, &world->stiffness);
    snArray_Free(allocator, &world->colliders);
    snArray_Free(allocator, &world->attachments);
    snArray_Free(allocator, &world->throws);
    snArray_Free(allocator, &world->fields);
    snArray_Free(allocator, &world->sleepers);
    snArray_Free(allocator, &world->beds);
    snArray_Free(allocator, &world->resting);
    snArray_Free(allocator, &world->reserves);
    snWorld_FreeRows(world);
    allocator->release(allocator->user, world->struck.column);
    allocator->release(allocator->user, world->struck.chain);
    snArray_Free(allocator, &world->held);
    snArray_Free(allocator, &world->frame);
    snArray_Free(allocator, &world->reports);
    snArray_Free(allocator, &world->tales);
    snArray_Free(allocator, &world->kept);
    snArray_Free(allocator, &world->islands);
    snArray_Free(allocator, &world->before);
    snArray_Free(allocator, &world->after);
    allocator->release(allocator->user, world->saved);
    snArena_DestroyWithin(&world->arena);
}

// ---- bodies -------------------------------------------------------------------------------------

static bool reserveSaved(snWorld *world, size_t size)
{
    const snAllocator *allocator = &world->context.allocator;
    if (size <= world->savedSize) return true;
    void *memory = allocator->allocate(allocator->user, size);
    if (!memory) return false;
    allocator->release(allocator->user, world->saved);
    world->saved = memory;
    world->savedSize = size;
    return true;
}

// A body for the world's lengths of steps, and for a range of stiffness.
static snStatus prepare(const snWorld *world, snBody *body, double softest, double stiffest,
                        snError *error)
{
    snBodyRange range = {.softest = softest,
                         .stiffest = stiffest,
                         .lengthCount = world->def.lengthCount,
                         .lengths = world->def.lengths};
    return snBody_Prepare(body, &range, error);
}

// What a body lies over is there already, and lies over nothing itself.
static snStatus checkOver(const snWorld *world, const snBody *body, snError *error)
{
    bool there = false;
    for (int i = 0; i < world->bodies.count; i++)
        there |= world->bodies.data[i] == body->over;
    if (there && !body->over->over) return SN_OK;
    return snFail(error, SN_ERROR_ARGUMENT,
                  "body \"%s\" lies over \"%s\", which must be added before it and lie over none",
                  body->name, body->over->name);
}

// What is under a body is pushed by it, and a step in which both do not agree is taken again.
static snStatus reservePress(snWorld *world, const snBody *body, snError *error)
{
    snStatus status = SN_OK;
    size_t size = 0;
    bool any = false;
    for (int i = 0; i < world->bodies.count && !status; i++) {
        snBody *under = world->bodies.data[i];
        size += snBody_SaveSize(under);
        any |= under->presses > 0;
        if (body && body->presses && under == body->over)
            status = snBody_Reserve(under, body->presses, error);
    }
    if (!status && any && !reserveSaved(world, size)) status = snFailMemory(error);
    return status;
}

snStatus snWorld_AddBody(snWorld *world, snBody *body, int *number, snError *error)
{
    const snAllocator *allocator = &world->context.allocator;
    *number = SN_WORLD_NOBODY;
    snStatus status = SN_OK;
    if (fabs(body->step - world->def.step) > 1e-12 * world->def.step)
        status = snFail(error, SN_ERROR_ARGUMENT,
                        "body \"%s\" was built for steps of %g s, and the world has %g s",
                        body->name, body->step, world->def.step);
    if (!status && body->over) status = checkOver(world, body, error);
    if (!status && world->def.lengthCount > 1) status = prepare(world, body, 1, 1, error);
    if (!status && world->fields.count) status = snBody_ReserveFields(body, error);
    int count = world->bodies.count + 1;
    bool room = snArray_Reserve(allocator, &world->stiffness, count) &&
                snArray_Reserve(allocator, &world->reports, count) &&
                snArray_Reserve(allocator, &world->tales, count) &&
                snArray_Reserve(allocator, &world->kept, count) &&
                snArray_Reserve(allocator, &world->islands, count) &&
                snArray_Reserve(allocator, &world->before, count) &&
                snArray_Reserve(allocator, &world->after, count) &&
                reserveSaved(world, snBody_SaveSize(body)) && snWorld_ReserveStruck(world, body) &&
                snWorld_ReserveSleeper(world, body);
    if (!status && (!room || !snArray_Push(allocator, &world->bodies, body)))
        status = snFailMemory(error);
    if (status) {
        snBody_Destroy(body);
        return status;
    }
    world->stiffness.data[world->stiffness.count++] = (snTrack){0};
    world->reports.data[world->reports.count++] = (snBodyReport){0};
    world->tales.data[world->tales.count++] = (snBodyTale){0};
    world->kept.data[world->kept.count++] = (snKept){0};
    world->before.count++;
    world->after.count++;
    *number = world->bodies.count - 1;
    for (int i = 0; i < world->bodies.count; i++)
        if (world->bodies.data[i] == body->over) world->bodies.data[i]->covered = true;
    return reservePress(world, body, error);
}

// Bodies of a model that can be joined; returns how many, and whether one of them would be alone.
static int listJoined(snWorld *world, const snBodyKind *kind, snBody **list, bool *folds)
{
    int count = 0;
    *folds = false;
    for (int i = 0; i < world->bodies.count; i++) {
        snBody *body = world->bodies.data[i];
        bool joins = body->kind == kind && kind->joins(body);
        if (joins) list[count++] = body;
        *folds |= joins && body->folds;
    }
    return count;
}

// Their model holds points of both together.
static bool areKin(const snWorld *world, int body, int other)
{
    const snBody *a = world->bodies.data[body], *b = world->bodies.data[other];
    return a->kind == b->kind && a->kind->tie && a->ties && b->ties;
}

// It does, or they can be held where they meet: bodies of different models, or of one that ties none or not these.
static bool mayTie(const snWorld *world, int body, int other)
{
    const snBody *a = world->bodies.data[body], *b = world->bodies.data[other];
    bool own = a->kind == b->kind && a->kind->tie && !a->tiedByWorld && !b->tiedByWorld;
    if (own) return areKin(world, body, other);
    return a->yields && b->yields;
}

int snWorld_Holder(const snWorld *world, int body, int other)
{
    if (!world->joined.count) return SN_HOLDER_NONE;
    int group = world->joined.data[body];
    if (areKin(world, body, other) && group && group == world->joined.data[other]) return group - 1;
    return world->meet && mayTie(world, body, other) ? SN_HOLDER_MEET : SN_HOLDER_NONE;
}

// What attachments and reserves may tie: points of bodies of a model (NULL: those that it cannot); returns how many.
static int listTies(const snWorld *world, const snBodyKind *kind, snBodyTie *ties)
{
    int count = 0;
    for (int i = 0; i < world->attachments.count + world->reserves.count; i++) {
        bool reserved = i >= world->attachments.count;
        const snTieReserve *r =
            reserved ? &world->reserves.data[i - world->attachments.count] : NULL;
        const snAttachmentDef *def = reserved ? NULL : &world->attachments.data[i].def;
        int body = reserved ? r->body : def->body, other = reserved ? r->other : def->other;
        if (other == SN_WORLD_NOBODY) continue;
        bool kin = areKin(world, body, other);
        bool ours =
            kind ? kin && world->bodies.data[body]->kind == kind : !kin && (reserved || def->hard);
        for (int k = 0; ours && k < (reserved ? r->count : 1); k++)
            ties[count++] =
                (snBodyTie){.body = {world->bodies.data[body], world->bodies.data[other]}};
    }
    return count;
}

// Attachments that hold points to places hard.
static int countHeld(const snWorld *world)
{
    int count = 0;
    for (int i = 0; i < world->attachments.count; i++) {
        const snAttachmentDef *def = &world->attachments.data[i].def;
        count += def->hard && def->other == SN_WORLD_NOBODY;
    }
    return count;
}

// Bodies of one model, where there are several, or one that bumps into itself, or ties.
static snStatus joinKind(snWorld *world, const snBodyKind *kind, snBody **list, snBodyTie *ties,
                         snError *error)
{
    bool folds;
    snWorldGroup group = {.kind = kind};
    snBodyJoin join = {
        .count = listJoined(world, kind, list, &folds), .bodies = list, .ties = ties};
    join.tieCount = listTies(world, kind, ties);
    join.mostHeld = SPARE_HELD + world->def.mostGrabs + countHeld(world);
    if (!(join.count > 1 || folds || join.tieCount > 0)) return SN_OK;
    snStatus status = kind->join(&join, &group.group, &world->context, error);
    if (status) return status;
    world->groups.data[world->groups.count++] = group; // there is room
    for (int i = 0, k = 0; i < world->bodies.count && k < join.count; i++)
        if (world->bodies.data[i] == list[k]) {
            world->joined.data[i] = (unsigned char)world->groups.count;
            k++;
        }
    return SN_OK;
}

static bool isFirstOfKind(const snWorld *world, int body)
{
    int i = 0;
    while (world->bodies.data[i]->kind != world->bodies.data[body]->kind)
        i++;
    return i == body;
}

static snStatus join(snWorld *world, snBody **list, snBodyTie *ties, snError *error)
{
    snStatus status = SN_OK;
    world->joined.count = world->bodies.count;
    memset(world->joined.data, 0, (size_t)world->bodies.count);
    for (int i = 0; i < world->bodies.count && !status; i++) {
        const snBodyKind *kind = world->bodies.data[i]->kind;
        if (kind->join && isFirstOfKind(world, i))
            status = joinKind(world, kind, list, ties, error);
    }
    int left = listTies(world, NULL, ties);
    if (!status && (left > 0 || snMeet_IsNeeded(world)))
        status = snMeet_Make(&world->meet, world, left, error);
    if (!status) status = reservePress(world, NULL, error);
    for (int i = 0; i < world->attachments.count && !status; i++) {
        snAttachment *a = &world->attachments.data[i];
        a->tied = a->def.other != SN_WORLD_NOBODY &&
                  snWorld_Holder(world, a->def.body, a->def.other) != SN_HOLDER_NONE;
    }
    return status;
}

snStatus snWorld_Join(snWorld *world, snError *error)
{
    const snAllocator *allocator = &world->context.allocator;
    snArena scratch = snMakeArena(&world->context);
    snBody **list = SN_NEW(&scratch, snBody *, world->bodies.count);
    int most = world->attachments.count;
    for (int i = 0; i < world->reserves.count; i++)
        most += world->reserves.data[i].count;
    snBodyTie *ties = SN_NEW(&scratch, snBodyTie, most);
    bool room = list && ties && snArray_Reserve(allocator, &world->joined, world->bodies.count) &&
                snArray_Reserve(allocator, &world->groups, MOST_KINDS);
    snStatus status = room ? SN_OK : snFailMemory(error);
    world->heldLeft = SPARE_HELD;
    if (!status) status = join(world, list, ties, error);
    world->isJoined = !status;
    if (status) leaveGroups(world);
    snArena_Destroy(&scratch);
    return status;
}

int snWorld_FindBody(const snWorld *world, const char *name)
{
    for (int i = 0; i < world->bodies.count && name; i++)
        if (!strcmp(world->bodies.data[i]->name, name)) return i;
    return SN_WORLD_NOBODY;
}

// ---- fields -------------------------------------------------------------------------------------

static snStatus checkField(const snWorld *world, const snFieldDef *def, snError *error)
{
    snStatus status = snCheckPointer("world", world, error);
    if (!status) status = snCheckPointer("def", def, error);
    return status ? status : snFieldDef_Check(def, error);
}

// Bodies that are there, and those that come later, have room for what fields do to them.
snStatus snWorld_AddField(snWorld *world, const snFieldDef *def, int *number, snError *error)
{
    snStatus status = snCheckPointer("number", number, error);
    if (number) *number = -1;
    if (!status) status = checkField(world, def, error);
    if (status) return status;
    for (int i = 0; i < world->bodies.count && !status; i++)
        status = snBody_ReserveFields(world->bodies.data[i], error);
    if (!status && !snArray_Push(&world->context.allocator, &world->fields, *def))
        status = snFailMemory(error);
    if (!status) *number = world->fields.count - 1;
    world->fieldsChanged = true;
    return status;
}

snStatus snWorld_SetField(snWorld *world, int field, const snFieldDef *def, snError *error)
{
    snStatus status = checkField(world, def, error);
    if (!status) status = snCheckIndex("field", field, world->fields.count, error);
    if (status) return status;
    world->fields.data[field] = *def;
    world->fieldsChanged = true;
    return status;
}

static snStatus checkBody(const snWorld *world, int body, snError *error)
{
    if (body >= 0 && body < world->bodies.count) return SN_OK;
    return snFail(error, SN_ERROR_ARGUMENT, "there is no body %d among %d", body,
                  world->bodies.count);
}

// ---- colliders ----------------------------------------------------------------------------------

snStatus snWorld_AddCollider(snWorld *world, const snWorldColliderDef *def, int *number,
                             snError *error)
{
    const snAllocator *allocator = &world->context.allocator;
    snWorldCollider mover = {.name =
                                 snArena_CopyString(&world->arena, def->name, strlen(def->name)),
                             .frame = snIdentityAffine(),
                             .moves = def->path != NULL};
    snCollider shape = def->shape;
    snStatus status = mover.name ? SN_OK : snFailMemory(error);
    *number = -1;
    shape.begin = shape.end;
    if (!status) status = snCollider_Check(&shape, error);
    if (!status && def->path) {
        mover.frame = shape.end;
        status = snRoute_Make(&mover.path, def->path, &world->arena, error);
    }
    if (status) return status;
    bool room = snArray_Reserve(allocator, &world->frame, world->frame.count + 1);
    if (!room || !snArray_Push(allocator, &world->colliders, mover)) return snFailMemory(error);
    world->frame.data[world->frame.count++] = shape;
    *number = world->frame.count - 1;
    snCollider now = snWorld_ColliderAt(world, *number, 0);
    world->frame.data[*number] = now;
    return SN_OK;
}

snStatus snWorld_AddContainer(snWorld *world, const snContainerDef *def, snError *error)
{
    if (!(def->half.x > 0 && def->half.y > 0 && def->half.z > 0))
        return snFail(error, SN_ERROR_ARGUMENT, "a container with sides of %g, %g and %g m",
                      2 * def->half.x, 2 * def->half.y, 2 * def->half.z);
    const snVec3 inward[6] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    snStatus status = SN_OK;
    for (int k = 0; k < 6 && !status; k++) {
        snVec3 n = inward[k];
        snAffine wall = {snQuatToMat(snQuatBetween(snVec(0, 1, 0), n)),
                         {-n.x * def->half.x, -n.y * def->half.y, -n.z * def->half.z}};
        snWorldColliderDef plane = {
            .name = def->name, .shape = snMakeCollider(SN_COLLIDER_PLANE), .path = def->path};
        int number;
        if (k == 3) wall.linear = snDiagonal3(1, -1, -1); // exactly downward
        plane.shape.end = def->path ? wall : snMulAA(def->frame, wall);
        plane.shape.friction = def->friction;
        plane.shape.restitution = def->restitution;
        status = snWorld_AddCollider(world, &plane, &number, error);
    }
    return status;
}

// ---- what happens over time ---------------------------------------------------------------------

static snStatus checkAttachment(const snWorld *world, const snAttachmentDef *def, snError *error)
{
    snStatus status = checkBody(world, def->body, error);
    bool between = def->other != SN_WORLD_NOBODY;
    if (!status && between) status = checkBody(world, def->other, error);
    if (status) return status;
    if (between && def->hard && !mayTie(world, def->body, def->other))
        return snFail(error, SN_ERROR_UNSUPPORTED,
                      "points of bodies \"%s\" and \"%s\" are to be held together hard, and one of "
                      "them cannot be; give a spring",
                      world->bodies.data[def->body]->name, world->bodies.data[def->other]->name);
    if (between && def->hard && world->isJoined)
        return snFail(error, SN_ERROR_UNSUPPORTED,
                      "points of bodies that are held together hard come before snWorld_Join");
    if (!between && def->hard && world->groups.count && !world->heldLeft)
        return snFail(error, SN_ERROR_UNSUPPORTED,
                      "no more than %d points are held once bodies are joined; add them before "
                      "snWorld_Join",
                      SPARE_HELD);
    if (!def->hard && !(def->stiffness >= 0 && isfinite(def->stiffness) && def->damping >= 0 &&
                        isfinite(def->damping)))
        return snFail(error, SN_ERROR_ARGUMENT,
                      "a spring of %g N/m with damping %g N s/m; both must be 0 or more",
                      def->stiffness, def->damping);
    if (!(def->from >= 0) || !(def->to >= def->from) || !(def->ease >= 0 && isfinite(def->ease)) ||
        !snIsFinite3(snAdd(def->anchor, def->arm)))
        return snFail(error, SN_ERROR_ARGUMENT,
                      "it acts from %g s to %g s, eased over %g s; that cannot be", def->from,
                      def->to, def->ease);
    if (!(def->preroll >= 0 && isfinite(def->preroll)) || (between && def->preroll > 0))
        return snFail(error, SN_ERROR_ARGUMENT,
                      "a preroll of %g s; it must be 0 or more, and 0 between points of bodies",
                      def->preroll);
    return SN_OK;
}

static snStatus locateEnds(snWorld *world, snAttachment *a, snError *error)
{
    snBody *body = world->bodies.data[a->def.body];
    snStatus status = snBody_Locate(body, &a->def.spot, &a->point, error);
    if (status || a->def.other == SN_WORLD_NOBODY) return status;
    snBody *other = world->bodies.data[a->def.other];
    status = snBody_Locate(other, &a->def.otherSpot, &a->otherPoint, error);
    if (!status) a->give = snBody_Give(body, a->point) + snBody_Give(other, a->otherPoint);
    return status;
}

snStatus snWorld_AddAttachment(snWorld *world, const snAttachmentDef *def, int *number,
                               snError *error)
{
    const snAllocator *allocator = &world->context.allocator;
    snAttachment a = {.def = *def, .otherPoint = -1};
    *number = -1;
    snStatus status = checkAttachment(world, def, error);
    if (status) return status;
    a.def.name = snArena_CopyString(&world->arena, def->name, strlen(def->name));
    if (!a.def.name) return snFailMemory(error);
    if (def->path) status = snRoute_Make(&a.path, def->path, &world->arena, error);
    if (!status) status = locateEnds(world, &a, error);
    if (status) return status;
    bool room = snArray_Reserve(allocator, &world->held, world->held.count + 1) &&
                snWorld_ReserveRows(world, world->attachments.count + 1);
    if (!room || !snArray_Push(allocator, &world->attachments, a)) return snFailMemory(error);
    world->held.data[world->held.count++] = (snAttachmentState){.on = !def->off};
    if (world->groups.count && def->hard && def->other == SN_WORLD_NOBODY) world->heldLeft--;
    *number = world->attachments.count - 1;
    return SN_OK;
}

snStatus snWorld_ReserveTies(snWorld *world, const snTieReserve *reserve, snError *error)
{
    snStatus status = checkBody(world, reserve->body, error);
    if (!status) status = checkBody(world, reserve->other, error);
    if (status) return status;
    const snBody *body = world->bodies.data[reserve->body];
    const snBody *other = world->bodies.data[reserve->other];
    if (!mayTie(world, reserve->body, reserve->other))
        return snFail(error, SN_ERROR_UNSUPPORTED,
                      "points of bodies \"%s\" and \"%s\" are to be held together hard, and one of "
                      "them cannot be; give a spring",
                      body->name, other->name);
    if (world->isJoined)
        return snFail(error, SN_ERROR_UNSUPPORTED,
                      "points that may be held together are reserved before snWorld_Join");
    if (reserve->count < 1 || reserve->count > MOST)
        return snFail(error, SN_ERROR_ARGUMENT, "%d ties are reserved", reserve->count);
    return snArray_Push(&world->context.allocator, &world->reserves, *reserve)
               ? SN_OK
               : snFailMemory(error);
}

snStatus snWorld_AddThrow(snWorld *world, const snThrowDef *def, snError *error)
{
    snStatus status = checkBody(world, def->body, error);
    if (status) return status;
    if (!(def->time >= 0 && isfinite(def->time)) || !snIsFinite3(def->velocity) ||
        !snIsFinite3(def->spin))
        return snFail(error, SN_ERROR_ARGUMENT, "a throw at %g s, or not finite", def->time);
    return snArray_Push(&world->context.allocator, &world->throws, *def) ? SN_OK
                                                                         : snFailMemory(error);
}

// Keys that can be: between them it goes straight.
static snStatus prepareFor(snWorld *world, int body, int count, const double *factors,
                           snError *error)
{
    double softest = factors[0], stiffest = factors[0];
    for (int i = 1; i < count; i++) {
        softest = fmin(softest, factors[i]);
        stiffest = fmax(stiffest, factors[i]);
    }
    return prepare(world, world->bodies.data[body], softest, stiffest, error);
}

snStatus snWorld_SetStiffness(snWorld *world, int body, int count, const double *times,
                              const double *factors, snError *error)
{
    snStatus status = checkBody(world, body, error);
    for (int i = 0; i < count && !status; i++)
        if (!(factors[i] > 0))
            status = snFail(error, SN_ERROR_ARGUMENT, "key %d: stiffness times %g", i, factors[i]);
    if (!status && count > 0) status = prepareFor(world, body, count, factors, error);
    if (status) return status;
    return snTrack_Make(&world->stiffness.data[body], count, 1, times, factors, &world->arena,
                        error);
}

snStatus snWorld_SetGravity(snWorld *world, int count, const double *times, const snVec3 *gravity,
                            snError *error)
{
    return snTrack_Make(&world->gravity, count, 3, times, (const double *)gravity, &world->arena,
                        error);
}
