#include "body/body.h"

#include "core/error.h"

#include <string.h>

snBodySpot snRestSpot(snVec3 rest)
{
    return (snBodySpot){.rest = rest};
}

snBodySpot snVertexSpot(int vertex)
{
    return (snBodySpot){.onSurface = true, .corner = {vertex, vertex, vertex}, .share = {1, 0, 0}};
}

void snBody_Destroy(snBody *body)
{
    if (body) body->kind->destroy(body);
}

// ---- points -------------------------------------------------------------------------------------

static snStatus checkSpot(const snBody *body, const snBodySpot *spot, snError *error)
{
    if (!spot->onSurface)
        return snIsFinite3(spot->rest) ? SN_OK
                                       : snFail(error, SN_ERROR_ARGUMENT,
                                                "a point of body \"%s\" is not finite", body->name);
    for (int k = 0; k < 3; k++)
        if (spot->corner[k] < 0 || spot->corner[k] >= body->vertexCount ||
            !isfinite(spot->share[k]))
            return snFail(error, SN_ERROR_ARGUMENT,
                          "there is no vertex %d on the surface of body \"%s\", which has %d",
                          spot->corner[k], body->name, body->vertexCount);
    return SN_OK;
}

snStatus snBody_Locate(snBody *body, const snBodySpot *spot, int *point, snError *error)
{
    snStatus status = checkSpot(body, spot, error);
    return status ? status : body->kind->locate(body, spot, point, error);
}

void snBody_Forget(snBody *body, int point)
{
    body->kind->forget(body, point);
}

snVec3 snBody_Place(const snBody *body, int point)
{
    return body->kind->place(body, point);
}

snVec3 snBody_Velocity(const snBody *body, int point)
{
    return body->kind->velocity(body, point);
}

size_t snBody_ColumnSize(const snBody *body)
{
    return (size_t)body->block * (size_t)body->block * (size_t)body->size;
}

void snBody_Column(snBody *body, int point, double *column)
{
    body->kind->column(body, point, column);
}

snMat3 snBody_Response(const snBody *body, int p, const double *columnOfQ)
{
    return body->kind->row(body, p, columnOfQ);
}

double snBody_Give(const snBody *body, int point)
{
    return body->kind->give(body, point);
}

double snBody_Beyond(const snBody *body, int point, snVec3 place)
{
    return body->kind->beyond ? body->kind->beyond(body, point, place) : 0;
}

void snBody_ImpulseColumn(snBody *body, int point, double *column)
{
    body->kind->impulseColumn(body, point, column);
}

void snBody_Strike(snBody *body, const double *impulseColumn, snVec3 impulse)
{
    body->kind->strike(body, impulseColumn, impulse);
}

// ---- a step -------------------------------------------------------------------------------------

snStatus snBody_Prepare(snBody *body, const snBodyRange *range, snError *error)
{
    if (body->kind->prepare) return body->kind->prepare(body, range, error);
    if (range->lengthCount <= 1) return SN_OK;
    return snFail(error, SN_ERROR_UNSUPPORTED,
                  "body \"%s\" (%s) is stepped by steps of one length alone", body->name,
                  body->kind->name);
}

void snBody_SetLevel(snBody *body, int level)
{
    int last = body->levelCount > 1 ? body->levelCount - 1 : 0;
    if (body->kind->setLevel) body->kind->setLevel(body, level < last ? level : last);
}

bool snBody_Stirs(const snBody *body, int ticks)
{
    return body->kind->stirs && body->kind->stirs(body, ticks);
}

void snBody_Pass(snBody *body, int ticks)
{
    if (body->kind->pass) body->kind->pass(body, ticks);
}

snStatus snBody_ReserveFields(snBody *body, snError *error)
{
    return body->kind->reserveFields ? body->kind->reserveFields(body, error) : SN_OK;
}

void snBody_Act(snBody *body, const snFields *fields)
{
    if (body->kind->act) body->kind->act(body, fields);
}

void snBody_Begin(snBody *body, const snBodyStep *step)
{
    body->kind->begin(body, step);
}

void snBody_Hold(snBody *body, int point, snVec3 target)
{
    body->kind->hold(body, point, target);
}

void snBody_Pull(snBody *body, int point, const snBodyPull *pull)
{
    body->kind->pull(body, point, pull);
}

void snBody_Push(snBody *body, int point, snVec3 force)
{
    body->kind->push(body, point, force);
}

void snBody_Advance(snBody *body)
{
    body->kind->advance(body);
}

void snBody_Finish(snBody *body, snBodyReport *report)
{
    *report = (snBodyReport){0};
    body->kind->finish(body, report);
}

void snBody_Put(snBody *body, const snAffine *place)
{
    body->kind->put(body, place);
}

void snBody_Carry(snBody *body, const snAffine *motion)
{
    body->kind->carry(body, motion);
}

bool snBody_Go(snBody *body, const snAffine *place, snAffine *stands)
{
    return body->kind->go && body->kind->go(body, place, stands);
}

bool snBody_Pose(snBody *body, int joints, const snAffine *frames)
{
    return body->kind->pose && body->kind->pose(body, joints, frames);
}

void snBody_SetVelocity(snBody *body, snVec3 velocity, snVec3 spin)
{
    body->kind->setVelocity(body, velocity, spin);
}

// ---- meeting bodies of other models --------------------------------------------------------------

void snBody_Shell(const snBody *body, snBodyShell *shell)
{
    body->kind->meeting->shell(body, shell);
}

void snBody_ShellPlaces(const snBody *body, snVec3 *places)
{
    body->kind->meeting->shellPlaces(body, places);
}

snVec3 snBody_EndPlace(const snBody *body, const snBodyEnd *end, const snVec3 *shellPlaces)
{
    if (end->point >= 0) return snBody_Place(body, end->point);
    snVec3 sum = {0, 0, 0};
    for (int k = 0; k < 3; k++)
        if (end->share[k] != 0) sum = snMulAdd(sum, end->share[k], shellPlaces[end->corner[k]]);
    return sum;
}

snStatus snBody_Reserve(snBody *body, int ends, snError *error)
{
    return body->kind->meeting->reserve(body, ends, error);
}

void snBody_Thrust(snBody *body, const snBodyEnd *end, snVec3 place, snVec3 force)
{
    body->kind->meeting->thrust(body, end, place, force);
}

size_t snBody_YieldSize(const snBody *body)
{
    return body->kind->meeting->yieldSize(body);
}

void snBody_YieldBegin(snBody *body, bool tied)
{
    body->kind->meeting->yieldBegin(body, tied);
}

void snBody_YieldColumn(snBody *body, const snBodyEnd *end, bool again, double *column)
{
    body->kind->meeting->yieldColumn(body, end, again, column);
}

snMat3 snBody_YieldRow(const snBody *body, const snBodyEnd *p, const double *columnOfP,
                       const double *columnOfQ)
{
    return body->kind->meeting->yieldRow(body, p, columnOfP, columnOfQ);
}

void snBody_Yield(snBody *body, int count, const snBodyNudge *nudges, double time, snVec3 couple)
{
    body->kind->meeting->yield(body, count, nudges, time, couple);
}

bool snBody_Backing(const snBody *body, const snBodyEnd *end, snVec3 *normal)
{
    const snBodyMeeting *meeting = body->kind->meeting;
    return meeting->backing && meeting->backing(body, end, normal);
}

void snBody_Press(snBody *body, snBody *under)
{
    body->kind->press(body, under);
}

double snBody_PressMiss(snBody *body)
{
    return body->kind->pressMiss(body);
}

bool snBody_Passes(const snBody *body, const snBody *other)
{
    if (!body->kind->meeting || !other->kind->meeting || !body->meets || !other->meets) return true;
    return (body->kind->passes && body->kind->passes(body, other)) ||
           (other->kind->passes && other->kind->passes(other, body));
}

// ---- what there is to see -----------------------------------------------------------------------

static void addNormals(const snBody *body, const snVec3f *points, snVec3f *normals)
{
    memset(normals, 0, (size_t)body->vertexCount * sizeof *normals);
    for (int t = 0; t < body->triangleCount; t++) {
        const int *c = body->triangles + 3 * (size_t)t;
        snVec3 a = snFromF(points[c[0]]), b = snFromF(points[c[1]]), d = snFromF(points[c[2]]);
        snVec3 area = snTwiceArea(a, b, d);
        for (int k = 0; k < 3; k++)
            normals[c[k]] = snToF(snAdd(snFromF(normals[c[k]]), area));
    }
    for (int v = 0; v < body->vertexCount; v++)
        normals[v] = snToF(snNormalizeOr(snFromF(normals[v]), snVec(0, 0, 0)));
}

void snBody_Surface(const snBody *body, snVec3f *points, snVec3f *normals)
{
    for (int v = 0; v < body->vertexCount; v++)
        points[v] = snToF(snBody_Vertex(body, v));
    if (normals) addNormals(body, points, normals);
}

snVec3 snBody_Vertex(const snBody *body, int vertex)
{
    return body->kind->vertex(body, vertex);
}

double snBody_Volume(const snBody *body)
{
    double sum = 0;
    snVec3 origin = body->vertexCount ? snBody_Vertex(body, 0) : snVec(0, 0, 0);
    for (int t = 0; t < body->triangleCount; t++) {
        const int *c = body->triangles + 3 * (size_t)t;
        snVec3 a = snSub(snBody_Vertex(body, c[0]), origin);
        snVec3 b = snSub(snBody_Vertex(body, c[1]), origin);
        sum += snDot(a, snCross(b, snSub(snBody_Vertex(body, c[2]), origin)));
    }
    return sum / 6;
}

void snBody_Motion(const snBody *body, snBodyMeasure *measure)
{
    *measure = (snBodyMeasure){0};
    body->kind->motion(body, measure);
}

void snBody_Measure(snBody *body, snBodyMeasure *measure)
{
    *measure = (snBodyMeasure){0};
    body->kind->measure(body, measure);
}

double snBody_Elastic(snBody *body)
{
    return body->kind->elastic(body);
}

bool snBody_IsFree(const snBody *body, const snBodyMeasure *begin, snVec3 *brought)
{
    *brought = snVec(0, 0, 0);
    return body->kind->isFree && body->kind->isFree(body, begin, brought);
}

bool snBody_Leans(const snBody *body)
{
    return body->kind->leans && body->kind->leans(body);
}

bool snBody_IsTaut(const snBody *body, double h)
{
    return body->kind->isTaut && body->kind->isTaut(body, h);
}

double snBody_Relax(snBody *body, double energy)
{
    return body->kind->relax ? body->kind->relax(body, energy) : 0;
}

void snBody_Stir(snBody *body, const snBodyStir *stir)
{
    body->kind->stir(body, stir);
}

void snBodyNudges_Add(int count, const snBodyNudge *nudges, snVec3 couple, snBodyMeasure *motion)
{
    motion->angularMomentum = snAdd(motion->angularMomentum, couple);
    for (int n = 0; n < count; n++) {
        snVec3 turn = snCross(nudges[n].place, nudges[n].impulse);
        motion->momentum = snAdd(motion->momentum, nudges[n].impulse);
        motion->angularMomentum = snAdd(motion->angularMomentum, turn);
    }
}

// Of all motions that bring them the one of least energy.
void snBody_GiveMomentum(snBody *body, snVec3 momentum, snVec3 angularMomentum)
{
    snBodyMeasure is;
    snBody_Motion(body, &is);
    snVec3 more = snSub(momentum, is.momentum), shift = snScale(1 / is.mass, more);
    snVec3 turn = snSub(snSub(angularMomentum, is.angularMomentum), snCross(is.center, more));
    bool turns = snDet(is.inertia) > 0;
    snVec3 spin = turns ? snMulMV(snInverse3(is.inertia), turn) : snVec(0, 0, 0);
    snBody_Stir(body, &(snBodyStir){1, is.center, shift, spin});
}

static int findItself(const snBody *body, int vertex, int *index, double *weight)
{
    (void)body;
    *index = vertex;
    *weight = 1;
    return 1;
}

void snBody_Rows(const snBody *body, snBodyRows *rows)
{
    if (body->kind->rows && body->kind->rows(body, rows)) return;
    *rows = (snBodyRows){.controlCount = body->vertexCount, .width = 1, .find = findItself};
}

int snBodyRows_Width(const snBodyRows *rows, int vertexCount)
{
    int most = rows->width;
    for (int v = 0; v < vertexCount && !rows->width; v++) {
        int count = rows->start[v + 1] - rows->start[v];
        most = count > most ? count : most;
    }
    return vertexCount ? most : 0;
}

int snBodyRows_Find(const snBodyRows *rows, const snBody *body, int vertex, int most, int *index,
                    float *weight)
{
    int found[SN_BODY_ROW];
    double shares[SN_BODY_ROW];
    const int *from = found;
    const double *of = shares;
    int count, first;
    if (rows->find) {
        count = rows->find(body, vertex, found, shares);
    } else {
        first = rows->width ? vertex * rows->width : rows->start[vertex];
        count = rows->width ? rows->width : rows->start[vertex + 1] - first;
        from = rows->index + first;
        of = rows->weight + first;
    }
    if (count > most) count = most;
    for (int k = 0; k < count; k++) {
        index[k] = from[k];
        weight[k] = (float)of[k];
    }
    return count;
}

void snBody_Controls(const snBody *body, snVec3 *places)
{
    snBodyRows rows;
    if (body->kind->rows && body->kind->rows(body, &rows)) {
        body->kind->controls(body, places);
        return;
    }
    for (int v = 0; v < body->vertexCount; v++)
        places[v] = snBody_Vertex(body, v);
}

// ---- state --------------------------------------------------------------------------------------

size_t snBody_SaveSize(const snBody *body)
{
    return body->kind->saveSize(body);
}

void snBody_Save(const snBody *body, void *bytes)
{
    body->kind->save(body, bytes);
}

snStatus snBody_Restore(snBody *body, const void *bytes, snError *error)
{
    return body->kind->restore(body, bytes, error);
}
