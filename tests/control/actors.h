// Worlds of blocks with points, and goals for them, that tests of control share.
#ifndef SN_TESTS_CONTROL_ACTORS_H
#define SN_TESTS_CONTROL_ACTORS_H

#include "control/control.h"
#include "tests/world/worlds.h"

// Points: the ends of two blocks that fly freely, one that lies on the floor, and places.
enum { TIP, TAIL, PREY, BACK, STONE, PEG, RAIL, POINTS };

static const double railTimes[3] = {0, 1, 4};
static const snVec3 railPlaces[3] = {{0, 2, 0}, {1, 2, 0}, {1, 2, 3}};
static const snRouteDef rail = {.count = 3, .times = railTimes, .places = railPlaces};

typedef struct Stage {
    snWorld *world;
    snControl *control;
} Stage;

static inline snWorld *makeActors(const snContext *context, snVec3 gravity)
{
    snWorldDef def = snDefaultWorldDef();
    snWorld *world;
    BlockDef block = blockDef();
    def.gravity = gravity;
    def.mostGrabs = 24;
    CHECK(snWorld_Make(&world, &def, context, NULL) == SN_OK);
    block.solid.tied = true; // and they pass through each other
    block.n = 2;
    block.m = block.k = 1;
    addBlock(world, &block, snVec(0, 1, 0));
    addBlock(world, &block, snVec(1, 1.2, 0.3));
    block.solid.tied = false;
    addBlock(world, &block, snVec(-1, 0, 0));
    snWorldColliderDef floor = {.name = "floor", .shape = snMakeCollider(SN_COLLIDER_PLANE)};
    int number;
    CHECK(snWorld_AddCollider(world, &floor, &number, NULL) == SN_OK);
    snAttachmentDef nail = snDefaultAttachmentDef();
    nail.name = "nail";
    nail.body = 1;
    nail.spot = snVertexSpot(0);
    nail.off = true;
    CHECK(snWorld_AddAttachment(world, &nail, &number, NULL) == SN_OK);
    snTieReserve ties = {0, 1, 4};
    CHECK(snWorld_ReserveTies(world, &ties, NULL) == SN_OK);
    CHECK(snWorld_Join(world, NULL) == SN_OK);
    return world;
}

static inline void definePoints(snControlPointDef points[POINTS])
{
    const snVec3 right = {0.3, 0.1, 0.1}, left = {0, 0.1, 0.1};
    points[TIP] = (snControlPointDef){.name = "tip", .body = 0, .spot = snRestSpot(right)};
    points[TAIL] = (snControlPointDef){.name = "tail", .body = 0, .spot = snRestSpot(left)};
    points[PREY] = (snControlPointDef){.name = "prey", .body = 1, .spot = snRestSpot(left)};
    points[BACK] = (snControlPointDef){.name = "back", .body = 1, .spot = snRestSpot(right)};
    points[STONE] = (snControlPointDef){.name = "stone", .body = 2, .spot = snRestSpot(right)};
    points[PEG] =
        (snControlPointDef){.name = "peg", .body = SN_WORLD_NOBODY, .place = {0.5, 1.5, 0.5}};
    points[RAIL] = (snControlPointDef){.name = "rail", .body = SN_WORLD_NOBODY, .path = &rail};
}

static inline Stage makeStage(const snContext *context, snVec3 gravity, int count,
                              const snScriptDef *scripts)
{
    snControlPointDef points[POINTS];
    snError error = {0};
    Stage stage = {.world = makeActors(context, gravity)};
    definePoints(points);
    snControlDef def = {.pointCount = POINTS,
                        .points = points,
                        .scriptCount = count,
                        .scripts = scripts,
                        .mostEvents = 64};
    if (!CHECK(snControl_Make(&stage.control, &def, stage.world, context, &error) == SN_OK))
        printf("    %s\n", error.message), exit(1);
    return stage;
}

static inline void endStage(Stage *stage)
{
    snControl_Destroy(stage->control);
    snWorld_Destroy(stage->world);
}

static inline void play(Stage *stage, int steps)
{
    for (int k = 0; k < steps; k++) {
        snControl_Step(stage->control, stage->world, 1);
        snWorld_Step(stage->world);
    }
}

static inline snVec3 placeOf(const Stage *stage, int point)
{
    const snControlPoint *p = &stage->control->points[point];
    return snBody_Place(stage->world->bodies.data[p->body], p->handle);
}

static inline snVec3 velocityOf(const Stage *stage, int point)
{
    const snControlPoint *p = &stage->control->points[point];
    return snBody_Velocity(stage->world->bodies.data[p->body], p->handle);
}

static inline snGoalDef goalOf(snGoalKind kind, int point, int target, double time)
{
    snGoalDef def = snDefaultGoalDef(kind);
    def.point = point;
    def.target = target;
    def.time = time;
    return def;
}

static inline snScriptDef scriptOf(int count, const snGoalDef *goals)
{
    return (snScriptDef){.name = "actor", .goalCount = count, .goals = goals, .repeats = 1};
}

static inline int phaseOf(const Stage *stage, int goal)
{
    return snControl_Goal(stage->control, 0, goal)->phase;
}

static inline int reasonOf(const Stage *stage, int goal)
{
    return snControl_Goal(stage->control, 0, goal)->reason;
}

#endif
