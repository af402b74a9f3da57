// From a scene to its world.
#include "scene/build.h"

#include "body/coat/coat_file.h"
#include "body/lattice/auto_lattice.h"
#include "body/lattice/grid_lattice.h"
#include "core/error.h"
#include "layered/play.h"

#include <string.h>

#define SPARE_POINTS 16 // for hands
#define MOST_WITHIN 400 // points that an attachment holds
#define MOST_GRABS 2000 // of all scripts
#define MOST_EVENTS 512 // that are remembered of what scripts did

// ---- bodies -------------------------------------------------------------------------------------

typedef struct Making {
    const snSceneBody *scene;
    snArena *scratch;
    const snContext *context;
    snError *error;
    snLattice lattice;
    snAutoLatticeReport report; // of an automatic lattice: parts.tetCount > 0
    snEmbedding embedding;
    snSolidMesh surface;
    double *youngs, *poissons, *densities; // [control vertices]
    double *young;                         // [cells]
} Making;

static void testInside(const void *user, int count, const snVec3 *points, unsigned char *inside)
{
    const Making *m = user;
    snWinding_InsideMany(m->scene->winding, &m->context->tasks, count, points, inside);
}

static bool ownsPoint(const void *user, int cell, snVec3 point)
{
    const Making *m = user;
    return snCellParts_Owns(&m->report.parts, &m->lattice, cell, point);
}

// A lattice that follows the shape: tets, and copies of them where parts are near but not joined.
static snStatus makeAutoLattice(Making *m)
{
    const snSceneBody *body = m->scene;
    snAutoLatticeDef def = {
        .surface = &body->tree, .winding = body->winding, .cells = body->cells[0]};
    snStatus status =
        snAutoLattice(&m->lattice, &def, &m->report, m->scratch, m->context, m->error);
    if (status || !m->report.parts.tetCount) return status;
    snSurfacePoints points = {body->mesh.vertexCount, body->mesh.positions, body->weldOf,
                              &m->report.parts};
    status = snEmbedSurface(&m->embedding, &m->lattice, &points, m->scratch, m->context, m->error);
    m->surface.embedding = &m->embedding;
    return status;
}

static snSolidMesh surfaceOf(const snSceneBody *body)
{
    return (snSolidMesh){.mesh = body->mesh,
                         .cornerCount = body->cornerCount,
                         .corner = body->corner,
                         .cornerTriangles = body->cornerTriangles};
}

static snStatus makeLattice(Making *m)
{
    const snSceneBody *body = m->scene;
    m->surface = surfaceOf(body);
    if (body->lattice.cellCount) {
        m->lattice = body->lattice;
        return SN_OK;
    }
    if (body->cells[1])
        return snGridLattice(&m->lattice, &body->tree, body->winding, body->cells, m->scratch,
                             m->error);
    return makeAutoLattice(m);
}

// Between values that are evenly spaced over [0, 1].
static double alongAxis(const snSceneField *field, double u)
{
    double at = (u < 0 ? 0 : (u > 1 ? 1 : u)) * (field->count - 1);
    int i = at < field->count - 2 ? (int)at : field->count - 2;
    return field->values[i] + (at - i) * (field->values[i + 1] - field->values[i]);
}

// At a control vertex.
static double fieldAt(const Making *m, const snSceneField *field, int vertex, snBox box)
{
    if (field->axis < 0) return field->values[field->count == 1 ? 0 : vertex];
    double low = snComponent(box.lower, field->axis), high = snComponent(box.upper, field->axis);
    double x = snComponent(m->lattice.rest[vertex], field->axis);
    return alongAxis(field, high > low ? (x - low) / (high - low) : 0);
}

static snStatus makeMaterials(Making *m)
{
    const snSceneBody *body = m->scene;
    snBox box = snEmptyBox();
    m->youngs = SN_NEW(m->scratch, double, m->lattice.vertexCount);
    m->poissons = SN_NEW(m->scratch, double, m->lattice.vertexCount);
    m->densities = SN_NEW(m->scratch, double, m->lattice.vertexCount);
    m->young = SN_NEW(m->scratch, double, m->lattice.cellCount);
    if (!m->young || !m->youngs || !m->poissons || !m->densities) return snFailMemory(m->error);
    for (int v = 0; v < m->lattice.vertexCount; v++)
        box = snBoxAdd(box, m->lattice.rest[v]);
    for (int v = 0; v < m->lattice.vertexCount; v++) {
        m->youngs[v] = fieldAt(m, &body->young, v, box);
        m->poissons[v] = fieldAt(m, &body->poisson, v, box);
        m->densities[v] = fieldAt(m, &body->density, v, box);
    }
    for (int c = 0; c < m->lattice.cellCount; c++) { // the mean over its corners
        int corners = (int)snLattice_Kind(&m->lattice, c);
        for (int k = 0; k < corners; k++)
            m->young[c] += m->youngs[snLattice_Corners(&m->lattice, c)[k]] / corners;
    }
    return SN_OK;
}

// The tets of an automatic lattice, as they are.
static void defineCells(Making *m, snSolidBodyDef *def)
{
    def->lattice = &m->lattice;
    def->young = m->young;
    def->quadrature = m->scene->nodeLevel ? m->scene->nodeLevel : 1;
    def->inside = (snInsideTest){testInside, m};
    if (m->report.parts.tetCount) def->owner = (snOwnerTest){ownsPoint, m};
}

// A lattice under a scheme.
static snStatus makeSolid(Making *m, snSolid **solid)
{
    const snSceneBody *body = m->scene;
    snSolidDef def = snDefaultSolidDef();
    def.lattice = &m->lattice;
    def.scheme = body->scheme;
    def.levels = body->levels;
    def.nodeLevel = body->nodeLevel;
    def.mostActive = body->mostActive;
    def.youngs = body->young.count > 1 ? m->youngs : NULL;
    def.poissons = body->poisson.count > 1 ? m->poissons : NULL;
    def.densities = body->density.count > 1 ? m->densities : NULL;
    def.young = body->young.values[0];
    def.poisson = body->solid.poisson;
    def.density = body->solid.density;
    if (body->shape == SN_SCENE_MESH) def.surface = &body->mesh;
    snStatus status = snSolid_Build(solid, &def, m->context, m->error);
    if (!status && body->shape == SN_SCENE_MESH) m->surface.embedding = &(*solid)->embedding;
    return status;
}

// What the surface encloses, under polynomials.
static snStatus makePoly(Making *m, snSolid **solid)
{
    const snSceneBody *body = m->scene;
    snPolyDef def = body->poly;
    def.surface = &body->mesh;
    def.density = body->density.values[0];
    def.young = body->young.values[0];
    def.poisson = body->poisson.values[0];
    snStatus status = snPoly_Build(solid, &def, m->context, m->error);
    if (status) return status;
    m->surface = surfaceOf(body);
    m->surface.embedding = &(*solid)->embedding;
    return SN_OK;
}

typedef struct Points {
    const snVec3 *at;
    int count;
} Points;

static int countWithin(const Points *surface, snBox box)
{
    int count = surface->at ? 0 : MOST_WITHIN;
    for (int v = 0; v < surface->count && count < MOST_WITHIN; v++)
        count += snBox_Contains(box, surface->at[v]);
    return count;
}

// How many points of a body attachments and probes may need; `surface` has no fewer than its own.
static int countPoints(const snSceneFile *scene, int body, const Points *surface)
{
    int count = SPARE_POINTS;
    for (int i = 0; i < scene->attachmentCount; i++) {
        const snSceneAttachment *a = &scene->attachments[i];
        count += a->def.other == body;
        if (a->def.body != body) continue;
        count += a->spot.kind == SN_SPOT_WITHIN ? countWithin(surface, a->spot.box) : 1;
    }
    for (int i = 0; i < scene->probeCount; i++)
        count += scene->probes[i].spot.body == body;
    for (int i = 0; i < scene->pointCount; i++)
        count += scene->points[i].ofBody && scene->points[i].spot.body == body;
    return count;
}

// Whether an attachment is between a point of the body and another one.
static bool isTied(const snSceneFile *scene, int body)
{
    bool tied = false;
    for (int i = 0; i < scene->attachmentCount; i++) {
        const snAttachmentDef *def = &scene->attachments[i].def;
        tied |= def->other != SN_WORLD_NOBODY && (def->body == body || def->other == body);
    }
    snTieReserve tie;
    for (int s = 0; s < scene->scriptCount; s++)
        for (int g = 0; g < scene->scripts[s].goalCount; g++)
            tied |=
                snSceneFile_GoalTies(scene, s, g, &tie) && (tie.body == body || tie.other == body);
    return tied;
}

// How thick what lies over a body is: fat that is pressed between it and a floor has to be somewhere.
static double coverOf(const snSceneFile *scene, int body)
{
    double most = 0;
    for (int i = 0; i < scene->bodyCount; i++) {
        const snSceneSkin *skin = scene->bodies[i].skin;
        if (skin && skin->over == body) most = fmax(most, skin->tissue.fat);
    }
    return most;
}

// Its flesh is the stage's; its contact and points are as of other bodies.
static snStatus makeCharacter(const snSceneFile *file, int number, snStage *stage, snBody **body,
                              const snContext *context, snError *error)
{
    const snSceneBody *scene = &file->bodies[number];
    const snSceneCharacter *c = scene->character;
    snFlesh **flesh = &stage->fleshes[stage->fleshCount];
    snFleshBlame blame = {0};
    snFleshDef def = c->hasRig ? c->rig.def : c->flesh;
    def.step = file->step;
    def.blame = &blame;
    snStatus status = snFlesh_Build(flesh, &c->character, &def, context, error);
    if (status) {
        bool rig = c->hasRig && snRigFile_IsAtFault(&c->rig, &blame, error);
        if (status != SN_ERROR_MEMORY)
            snError_Prefix(error, rig ? "character.rig: %s" : "character", c->rigName);
        return status;
    }
    stage->fleshCount++;
    Points points = {(*flesh)->points, c->character.vertexCount};
    snFleshBodyDef made = c->body;
    made.flesh = *flesh;
    made.solid = scene->solid;
    made.solid.cover = coverOf(file, number);
    made.solid.meets = file->bodiesTouch && file->bodyCount > 1;
    made.solid.tied = snSceneBody_Ties(scene) && isTied(file, number);
    made.solid.mostPoints = made.solid.mostHeld = countPoints(file, number, &points);
    status = snFleshBody_Make(body, &made, context, error);
    if (status && status != SN_ERROR_MEMORY && made.skeleton)
        snError_Prefix(error, "character.skeleton");
    if (!status) snBody_Put(*body, &scene->place);
    if (!status && made.skeleton) snBody_SetVelocity(*body, scene->velocity, scene->spin);
    return status;
}

// That of a body before this one that is made of the same document, or a new one.
static snStatus makeCoating(const snSceneFile *file, int number, const snWorld *world,
                            snCoating **coating, const snContext *context, snError *error)
{
    const snSceneBody *scene = &file->bodies[number];
    for (int i = 0; i < number; i++) {
        const snSceneBody *one = &file->bodies[i];
        if (!one->isCoat || one->coatSize != scene->coatSize ||
            memcmp(one->coatText, scene->coatText, scene->coatSize))
            continue;
        *coating = snCoating_Share(snCoatBody_Owned(world->bodies.data[i]));
        return SN_OK;
    }
    snCoatFile document;
    snStatus status = snCoatFile_Read(&document, scene->coatText, scene->coatSize, context, error);
    if (status) return status;
    status = snCoating_Build(coating, &document.plan, context, error);
    snCoatFile_Destroy(&document);
    return status;
}

static snStatus makeCoat(const snSceneFile *file, int number, const snWorld *world, snBody **body,
                         const snContext *context, snError *error)
{
    snCoatBodyDef def = file->bodies[number].coat;
    snStatus status = makeCoating(file, number, world, &def.owned, context, error);
    if (status) return status;
    def.coating = def.owned;
    def.meets = file->bodiesTouch && file->bodyCount > 1;
    status = snCoatBody_Make(body, &def, context, error);
    if (status) snCoating_Destroy(def.owned);
    return status;
}

#define LEVELS 3 // of skins, in real time

static snStatus makeLayered(const snSceneFile *file, int number, snBody **body, snError *error)
{
    const snSceneLayered *scene = file->bodies[number].layered;
    const snLayered *layered = &scene->editor.layered;
    snPlayBodyDef def = snDefaultPlayBodyDef();
    Points unknown = {0}; // until it has settled
    def.name = file->bodies[number].solid.name;
    def.step = file->step;
    def.play.settle = scene->settle;
    def.play.smooth = scene->smooth;
    def.mostPoints = countPoints(file, number, &unknown);
    def.levels = file->paced && !scene->gives ? LEVELS : 0;
    def.strength = scene->gives ? &scene->strength : NULL;
    def.density = scene->density;
    def.meets = file->bodiesTouch && file->bodyCount > 1;
    snStatus status = snPlayBody_Make(body, layered, &def, error);
    if (status && status != SN_ERROR_MEMORY) snError_Prefix(error, "layered");
    return status;
}

static snStatus makeSolidBody(const snSceneFile *file, int number, snBody **body,
                              const snContext *context, snError *error)
{
    const snSceneBody *scene = &file->bodies[number];
    snArena scratch = snMakeArena(context);
    Making m = {.scene = scene, .scratch = &scratch, .context = context, .error = error};
    snSolidBodyDef def = scene->solid;
    def.cover = coverOf(file, number);
    bool automatic = snSceneBody_IsAutomatic(scene);
    snStatus status = scene->isPoly ? makePoly(&m, &def.solid) : makeLattice(&m);
    if (!status && !scene->isPoly) status = makeMaterials(&m);
    if (!status && automatic) defineCells(&m, &def);
    if (!status && !automatic && !scene->isPoly) status = makeSolid(&m, &def.solid);
    if (!status) {
        bool mesh = scene->shape == SN_SCENE_MESH;
        const snLattice *nodes = mesh ? NULL : &def.solid->nodes.lattice;
        Points points = {mesh ? scene->mesh.positions : nodes->rest,
                         mesh ? scene->mesh.vertexCount : nodes->vertexCount};
        def.surface = mesh ? &m.surface : NULL;
        def.meets = file->bodiesTouch && file->bodyCount > 1;
        def.tied = snSceneBody_Ties(scene) && isTied(file, number);
        def.mostPoints = def.mostHeld = countPoints(file, number, &points);
        status = snSolidBody_Make(body, &def, context, error);
    }
    snArena_Destroy(&scratch);
    return status;
}

static snStatus makeBody(const snSceneFile *file, int number, const snWorld *world, snBody **body,
                         const snContext *context, snError *error)
{
    const snSceneBody *scene = &file->bodies[number];
    *body = NULL;
    if (scene->skin) {
        int under = scene->skin->over;
        Points unknown = {0};
        snSceneSkinDef def = {scene->solid.name,
                              scene->skin,
                              under < 0 ? NULL : world->bodies.data[under],
                              file->step,
                              countPoints(file, number, &unknown),
                              under >= 0 && file->bodiesTouch};
        snStatus made = snSceneSkin_Make(body, &def, context, error);
        if (!made) snBody_Put(*body, &scene->place);
        return made;
    }
    if (scene->layered) {
        snStatus made = makeLayered(file, number, body, error);
        if (!made) snBody_Put(*body, &scene->place);
        return made;
    }
    snStatus status = scene->isCoat ? makeCoat(file, number, world, body, context, error)
                                    : makeSolidBody(file, number, body, context, error);
    if (status) return status;
    snBody_Put(*body, &scene->place);
    snBody_SetVelocity(*body, scene->velocity, scene->spin);
    return SN_OK;
}

// ---- points -------------------------------------------------------------------------------------

typedef struct Builder {
    const snSceneFile *scene;
    snStage *stage;
    snWorld *world;
    snArena scratch;
    const snContext *context;
    snError *error;
} Builder;

static snStatus findSpot(const Builder *b, const snSceneSpot *spot, snBodySpot *found)
{
    const snBody *body = b->world->bodies.data[spot->body];
    if (spot->kind == SN_SPOT_POINT) {
        *found = snRestSpot(spot->place);
        return SN_OK;
    }
    if (spot->kind == SN_SPOT_VERTEX) {
        *found = snVertexSpot(spot->vertex);
        return SN_OK;
    }
    snPick pick = snWorld_PickNearOf(b->world, spot->body, spot->place);
    *found = pick.spot;
    if (pick.body >= 0) return SN_OK;
    return snFail(b->error, SN_ERROR_GEOMETRY, "body \"%s\" has no surface", body->name);
}

// ---- attachments --------------------------------------------------------------------------------

static snStatus addOne(Builder *b, const snSceneAttachment *a, const snAttachmentDef *def)
{
    snAttachmentDef copy = *def;
    int number;
    copy.path = a->route.count ? &a->route : NULL;
    return snWorld_AddAttachment(b->world, &copy, &number, b->error);
}

// All vertices in the box, moved together: each keeps its arm from their middle.
static snStatus addWithin(Builder *b, const snSceneAttachment *a)
{
    const snBody *body = b->world->bodies.data[a->def.body];
    int *list = SN_NEW(&b->scratch, int, body->vertexCount), count = 0;
    snVec3 middle = {0, 0, 0};
    if (!list) return snFailMemory(b->error);
    for (int v = 0; v < body->vertexCount; v++) {
        bool twice = false;
        if (!snBox_Contains(a->spot.box, body->restSurface[v])) continue;
        for (int k = 0; k < count && !twice; k++) // corners of several triangles
            twice = snDistance(body->restSurface[v], body->restSurface[list[k]]) == 0;
        if (twice) continue;
        if (count == MOST_WITHIN)
            return snFail(b->error, SN_ERROR_ARGUMENT,
                          "more than %d vertices of body \"%s\" are within; make the box smaller",
                          MOST_WITHIN, body->name);
        list[count++] = v;
        middle = snAdd(middle, snBody_Vertex(body, v));
    }
    if (!count)
        return snFail(b->error, SN_ERROR_ARGUMENT, "no vertex of body \"%s\" is within",
                      body->name);
    middle = snScale(1.0 / count, middle);
    snStatus status = SN_OK;
    for (int k = 0; k < count && !status; k++) {
        snAttachmentDef def = a->def;
        def.spot = snVertexSpot(list[k]);
        def.arm = snSub(snBody_Vertex(body, list[k]), middle);
        status = addOne(b, a, &def);
    }
    return status;
}

static snStatus addAttachment(Builder *b, int number)
{
    const snSceneAttachment *a = &b->scene->attachments[number];
    snAttachmentDef def = a->def;
    snStatus status = SN_OK;
    if (a->spot.kind == SN_SPOT_WITHIN) {
        status = addWithin(b, a);
    } else {
        status = findSpot(b, &a->spot, &def.spot);
        if (!status && def.other != SN_WORLD_NOBODY)
            status = findSpot(b, &a->other, &def.otherSpot);
        if (!status) status = addOne(b, a, &def);
    }
    if (status && status != SN_ERROR_MEMORY) snError_Prefix(b->error, "attachments[%d]", number);
    return status;
}

// ---- the rest -----------------------------------------------------------------------------------

static snStatus addBody(Builder *b, int i)
{
    const snSceneBody *scene = &b->scene->bodies[i];
    snBody *body;
    int number;
    snStatus status = scene->character
                          ? makeCharacter(b->scene, i, b->stage, &body, b->context, b->error)
                          : makeBody(b->scene, i, b->world, &body, b->context, b->error);
    if (!status) status = snWorld_AddBody(b->world, body, &number, b->error);
    if (!status && scene->stiffnessCount)
        status = snWorld_SetStiffness(b->world, number, scene->stiffnessCount,
                                      scene->stiffnessTimes, scene->stiffnessFactors, b->error);
    if (status && status != SN_ERROR_MEMORY) snError_Prefix(b->error, "bodies[%d]", i);
    return status;
}

static snStatus addCollider(Builder *b, int i)
{
    const snSceneCollider *scene = &b->scene->colliders[i];
    snStatus status;
    int number;
    if (scene->container) {
        snContainerDef def = scene->box;
        def.path = scene->route.count ? &scene->route : NULL;
        status = snWorld_AddContainer(b->world, &def, b->error);
    } else {
        snWorldColliderDef def = scene->def;
        def.path = scene->route.count ? &scene->route : NULL;
        status = snWorld_AddCollider(b->world, &def, &number, b->error);
    }
    if (status && status != SN_ERROR_MEMORY) snError_Prefix(b->error, "colliders[%d]", i);
    return status;
}

static snStatus addProbes(Builder *b)
{
    snStage *stage = b->stage;
    int count = b->scene->probeCount;
    stage->probeBody = SN_NEW(&stage->arena, int, count);
    stage->probePoint = SN_NEW(&stage->arena, int, count);
    snStatus status = stage->probeBody && stage->probePoint ? SN_OK : snFailMemory(b->error);
    for (int i = 0; i < count && !status; i++) {
        const snSceneProbe *probe = &b->scene->probes[i];
        snBodySpot spot;
        stage->probeBody[i] = probe->spot.body;
        status = findSpot(b, &probe->spot, &spot);
        if (!status)
            status = snBody_Locate(b->world->bodies.data[probe->spot.body], &spot,
                                   &stage->probePoint[i], b->error);
        if (status && status != SN_ERROR_MEMORY) snError_Prefix(b->error, "probes[%d]", i);
        stage->probeCount = i + 1;
    }
    return status;
}

// ---- scripts ------------------------------------------------------------------------------------

bool snSceneFile_GoalTies(const snSceneFile *scene, int script, int goal, snTieReserve *tie)
{
    const snGoalDef *def = &scene->scripts[script].goals[goal];
    bool connects = def->kind == SN_GOAL_CONNECT || def->kind == SN_GOAL_GRAB;
    if (!connects || def->spring || !scene->points[def->target].ofBody) return false;
    *tie = (snTieReserve){scene->points[def->point].spot.body, scene->points[def->target].spot.body,
                          1};
    return true;
}

static snStatus reserveTies(Builder *b)
{
    snStatus status = SN_OK;
    for (int s = 0; s < b->scene->scriptCount; s++)
        for (int g = 0; g < b->scene->scripts[s].goalCount && !status; g++) {
            snTieReserve tie;
            if (!snSceneFile_GoalTies(b->scene, s, g, &tie)) continue;
            status = snWorld_ReserveTies(b->world, &tie, b->error);
            if (status && status != SN_ERROR_MEMORY)
                snError_Prefix(b->error, "scripts[%d].goals[%d]", s, g);
        }
    return status;
}

static snStatus makeControl(Builder *b)
{
    const snSceneFile *scene = b->scene;
    snControlPointDef *points = SN_NEW(&b->scratch, snControlPointDef, scene->pointCount);
    snStatus status = points ? SN_OK : snFailMemory(b->error);
    for (int i = 0; i < scene->pointCount && !status; i++) {
        const snScenePoint *p = &scene->points[i];
        points[i] = (snControlPointDef){.name = p->name,
                                        .body = p->ofBody ? p->spot.body : SN_WORLD_NOBODY,
                                        .place = p->place,
                                        .path = p->route.count ? &p->route : NULL};
        if (p->ofBody) status = findSpot(b, &p->spot, &points[i].spot);
        if (status && status != SN_ERROR_MEMORY) snError_Prefix(b->error, "points[%d]", i);
    }
    snControlDef def = {.pointCount = scene->pointCount,
                        .points = points,
                        .scriptCount = scene->scriptCount,
                        .scripts = scene->scripts,
                        .mostEvents = MOST_EVENTS};
    if (status) return status;
    return snControl_Make(&b->stage->control, &def, b->world, b->context, b->error);
}

// What scripts may hold at a time beside hands: each goal a point that it drives, and one that it connects.
static int countGrabs(const snSceneFile *scene)
{
    int count = 0;
    for (int s = 0; s < scene->scriptCount; s++)
        count += 2 * scene->scripts[s].goalCount;
    return count < MOST_GRABS ? count : MOST_GRABS;
}

static bool joins(const snSceneFile *scene)
{
    bool any = scene->bodiesTouch;
    for (int i = 0; i < scene->bodyCount; i++) {
        const snSolidBodyDef *def = &scene->bodies[i].solid;
        bool lands = def->solver == SN_SOLVER_LINEAR && !def->apart && scene->colliderCount;
        any |= def->self || lands;
    }
    for (int i = 0; i < scene->attachmentCount; i++)
        any |= scene->attachments[i].def.other != SN_WORLD_NOBODY;
    snTieReserve tie;
    for (int s = 0; s < scene->scriptCount; s++)
        for (int g = 0; g < scene->scripts[s].goalCount; g++)
            any |= snSceneFile_GoalTies(scene, s, g, &tie);
    return any;
}

static snStatus fill(Builder *b)
{
    const snSceneFile *scene = b->scene;
    b->stage->fleshes = SN_NEW(&b->stage->arena, snFlesh *, scene->bodyCount);
    snStatus status = b->stage->fleshes ? SN_OK : snFailMemory(b->error);
    if (!status && scene->gravityCount)
        status = snWorld_SetGravity(b->world, scene->gravityCount, scene->gravityTimes,
                                    scene->gravityKeys, b->error);
    for (int i = 0; i < scene->bodyCount && !status; i++)
        status = addBody(b, i);
    for (int i = 0; i < scene->colliderCount && !status; i++)
        status = addCollider(b, i);
    for (int i = 0; i < scene->fieldCount && !status; i++) {
        int number;
        status = snWorld_AddField(b->world, &scene->fields[i], &number, b->error);
        if (status && status != SN_ERROR_MEMORY) snError_Prefix(b->error, "fields[%d]", i);
    }
    for (int i = 0; i < scene->attachmentCount && !status; i++)
        status = addAttachment(b, i);
    if (!status) status = reserveTies(b);
    if (!status && joins(scene)) status = snWorld_Join(b->world, b->error);
    for (int i = 0; i < scene->throwCount && !status; i++) {
        status = snWorld_AddThrow(b->world, &scene->throws[i], b->error);
        if (status && status != SN_ERROR_MEMORY) snError_Prefix(b->error, "throws[%d]", i);
    }
    if (!status) status = addProbes(b);
    if (!status && scene->scriptCount) status = makeControl(b);
    return status;
}

snStatus snSceneFile_Build(const snSceneFile *scene, snStage *stage, const snContext *context,
                           snError *error)
{
    snWorldDef def = snDefaultWorldDef();
    def.step = scene->step;
    if (scene->paced) def.lengthCount = scene->lengthCount, def.lengths = scene->lengths;
    def.gravity = scene->gravity;
    def.mostGrabs += countGrabs(scene);
    def.planar = scene->planar;
    def.airDensity = scene->airDensity;
    def.airDrag = scene->airDrag;
    def.sleep = scene->sleep;
    *stage = (snStage){.arena = snMakeArena(context)};
    snStatus status = snWorld_Make(&stage->world, &def, context, error);
    Builder b = {scene, stage, stage->world, snMakeArena(context), context, error};
    if (!status) status = fill(&b);
    snArena_Destroy(&b.scratch);
    if (status) snStage_Destroy(stage);
    return status;
}

void snStage_Destroy(snStage *stage)
{
    snControl_Destroy(stage->control);
    snWorld_Destroy(stage->world);
    for (int i = 0; i < stage->fleshCount; i++)
        snFlesh_Destroy(stage->fleshes[i]);
    snArena_Destroy(&stage->arena);
    *stage = (snStage){0};
}
