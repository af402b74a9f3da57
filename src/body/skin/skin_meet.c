// How skins meet bodies of other models (body.h). Their shell is the triangles over their points, not what is refined of
// them for drawing, and bare muscles (skin_bare.h).
//
// How it yields is told by one scalar matrix, as of lattices: A = M + h² (L + K), with K the bands that tie points to muscles
// and L a Laplacian over edges whose weights give every point the stiffness that it has at rest. It is constant, and factored
// once. A 1 = M 1 where nothing is tied, so that momentum is kept.
//
// Points that are pinned do not yield; those that lie on a muscle do not yield into it (skin.c: holdUp), so that of an
// impulse from outside only what goes along the muscle moves them: B = P A⁻¹ P, P = 1 - n nᵀ there. What others do not get goes
// into bones that a hand or a clip leads. Ends that are tied are pulled as well as pressed: they are without P.
//
// Bare muscles go with their frames. Frames that are led do not yield; links that give way do by the inverse of their step's matrix, A_l⁻¹
// over their degrees of freedom, as coats do (coat_meet.c). Forces in a step go to the skin as far as P has them, and to its link what is
// left, N = 1 - P. At the step's end what the skin does not keep of an impulse comes to the link too, by bands and edges: with
// w = 1 - A⁻¹ M 1, which is 1 for points that are fixed to a link, an impulse f at an end leaves F f, F = N + w P, to the link, and the end goes F of the
// link's way:
//     B = P A⁻¹ P + F J A_l⁻¹ Jᵀ F.
//
// Skin on the flesh of another body (snBody.over) that feels it goes the same way, with how ends of that body yield in the place of A_l⁻¹. So a
// blow is the flesh's in the same step, and not what skin_press.c expects of the next one.
//
// A skin on nothing is free: angular momentum that is missing because A resists turning, and because places move, is made
// up for by a turn of the whole.
#include "body/skin/skin_bare.h"
#include "body/skin/skin_body_parts.h"

#include "core/error.h"
#include "numerics/cholesky.h"

#include <string.h>

// Of a column behind its numbers for points: an end's corners and shares, whether it is pulled too, the link of what is bare
// (-1: of the skin, or led) and where it is; then, where links give way, three columns over their degrees of freedom.
#define TAIL 11
#define PULLED 6
#define LINK 7
#define PLACE 8
// And where flesh below feels it: corners and shares of its surface below the end, then that end's column.
#define FOOT 6

struct snSkinMeet {
    snFactor *factor;
    double *scratch; // of the factor
    snSkinBare bare;
    int triangleCount;
    int *triangles; // [triangleCount * 3], with fans over rims: the shell is closed
    double *follow; // [pointCount], w: how far points go with their links
    double *change; // [degrees of freedom of links], scratch
    // Of skins that lie over a body that feels them, [pointCount], scratch: ends of that body below points, and where these are.
    snBodyEnd *feet;
    snVec3 *stood;
};

static const snElasticSkin *constSkinOf(const snBody *body)
{
    return snSkinBody_Skin((snBody *)(uintptr_t)body); // nothing is written
}

// The shell is that of the finest level; what yields is the one that moves.
static snElasticSkin *movingSkinOf(const snBody *body)
{
    return snSkinBody_Skin(snSkinBody_Moving((snBody *)(uintptr_t)body));
}

static void shellOf(const snBody *body, snBodyShell *shell)
{
    const SkinBody *self = (const SkinBody *)body;
    const struct snSkinMeet *meet = self->skin->meet;
    *shell =
        (snBodyShell){.vertexCount = self->mesh.pointCount + snSkinBare_VertexCount(&meet->bare),
                      .triangleCount = meet->triangleCount,
                      .triangles = meet->triangles,
                      .friction = self->friction,
                      .restitution = self->restitution};
}

static void shellPlaces(const snBody *body, snVec3 *places)
{
    const snElasticSkin *skin = constSkinOf(body);
    memcpy(places, skin->places, (size_t)skin->mesh->pointCount * sizeof *places);
    snSkinBare_Places(&skin->meet->bare, &movingSkinOf(body)->muscles,
                      places + skin->mesh->pointCount);
}

static const snSkinLinks *linksOf(const snBody *body)
{
    return moving(body)->links;
}

// The muscle that an end is on, or -1: it is of the skin.
static int bareMuscle(const snBody *body, const snBodyEnd *end)
{
    if (end->point >= 0) return -1;
    return snSkinBare_MuscleOf(&constSkinOf(body)->meet->bare, end->corner[0]);
}

// The link that goes with a muscle, or -1: what leads it does not give way.
static int linkOf(const snBody *body, int muscle)
{
    if (!linksOf(body)) return -1;
    return movingSkinOf(body)->muscles.shape[1][muscle].frame;
}

// The body below that feels what presses the skin, or NULL.
static snBody *underOf(const snBody *body)
{
    return body->presses ? (snBody *)(uintptr_t)body->over : NULL; // as snBody_Press has it
}

static int linkSize(const snBody *body)
{
    snArticulatedState *state;
    const snSkinLinks *links = linksOf(body);
    return links ? snArticulated_Size(snSkinLinks_Tree(links, &state)) : 0;
}

// ---- the matrix ---------------------------------------------------------------------------------

typedef struct Making {
    const snElasticSkin *skin;
    double h;
    double *stiffness; // [pointCount], N/m, of what is between points
    snSparse matrix;
} Making;

static bool isPinned(const snElasticSkin *skin, int i)
{
    return skin->points[i].frame >= 0;
}

// Each edge has the mean of what its ends have for each of theirs.
static double weightOf(const Making *m, int a, int b)
{
    const int *start = m->skin->mesh->ringStart;
    double first = m->stiffness[a] / (start[a + 1] - start[a]);
    return 0.5 * (first + m->stiffness[b] / (start[b + 1] - start[b]));
}

static void addEdges(Making *m, int i)
{
    const snSkinMesh *mesh = m->skin->mesh;
    for (int k = mesh->ringStart[i]; k < mesh->ringStart[i + 1]; k++) {
        int other = mesh->ring[k];
        double w = m->h * m->h * weightOf(m, i, other);
        snSparse_AddScalar(&m->matrix, i, i, w);
        bool both = !isPinned(m->skin, i) && !isPinned(m->skin, other);
        if (other < i && both) snSparse_AddScalar(&m->matrix, i, other, -w);
    }
}

static void fillMatrix(Making *m)
{
    const snElasticSkin *skin = m->skin;
    for (int i = 0; i < skin->mesh->pointCount; i++) {
        const snSkinPoint *p = &skin->points[i];
        double band = p->muscle >= 0 ? skin->mesh->area[i] * p->bandStiffness : 0.0;
        snSparse_AddScalar(&m->matrix, i, i, skin->mass[i] + m->h * m->h * band);
        addEdges(m, i);
    }
}

static snStatus listPattern(Making *m, snPattern *pattern, snArena *scratch, snError *error)
{
    const snSkinMesh *mesh = m->skin->mesh;
    int *first = SN_NEW(scratch, int, mesh->ringCount);
    if (!first) return snFailMemory(error);
    for (int i = 0; i < mesh->pointCount; i++)
        for (int k = mesh->ringStart[i]; k < mesh->ringStart[i + 1]; k++)
            first[k] = i;
    return snPattern_FromPairs(pattern, mesh->pointCount, mesh->ringCount, first, mesh->ring,
                               scratch, error);
}

// Of the elastic forces as the skin stands, the mean over x, y and z.
static snStatus findStiffness(Making *m, snElasticSkin *skin, snArena *scratch, snError *error)
{
    int n = skin->mesh->pointCount;
    snVec3 *diagonal = SN_NEW(scratch, snVec3, n);
    m->stiffness = SN_NEW(scratch, double, n);
    if (!diagonal || !m->stiffness) return snFailMemory(error);
    snSkinElastic_Linearise(&skin->elastic, skin->places);
    snSkinElastic_AddDiagonal(&skin->elastic, 1.0, 0.0, diagonal);
    for (int i = 0; i < n; i++)
        m->stiffness[i] = fmax(0.0, (diagonal[i].x + diagonal[i].y + diagonal[i].z) / 3.0);
    return SN_OK;
}

static snStatus makeFactor(snElasticSkin *skin, double h, snArena *scratch, snError *error)
{
    Making m = {.skin = skin, .h = h};
    snPattern pattern;
    snSymbolic *symbolic;
    snStatus status = findStiffness(&m, skin, scratch, error);
    if (!status) status = listPattern(&m, &pattern, scratch, error);
    if (!status) status = snSparse_Make(&m.matrix, &pattern, 1, scratch, error);
    if (status) return status;
    fillMatrix(&m);
    status = snSymbolic_Make(&symbolic, &pattern, 1, SN_ORDER_AMD, &skin->arena, error);
    if (!status) status = snFactor_Make(&skin->meet->factor, symbolic, &skin->arena, error);
    if (!status) status = snFactor_Compute(skin->meet->factor, &m.matrix, error);
    if (status) return status;
    skin->meet->scratch = SN_NEW(&skin->arena, double, snFactor_ScratchSize(skin->meet->factor, 1));
    return skin->meet->scratch ? SN_OK : snFailMemory(error);
}

static snStatus findFollow(snElasticSkin *skin, snError *error)
{
    int n = skin->mesh->pointCount;
    double *follow = skin->meet->follow = SN_NEW(&skin->arena, double, n);
    if (!follow) return snFailMemory(error);
    for (int i = 0; i < n; i++)
        follow[i] = isPinned(skin, i) ? 0.0 : skin->mass[i];
    snFactor_Solve(skin->meet->factor, 1, follow, skin->meet->scratch);
    for (int i = 0; i < n; i++)
        follow[i] = 1.0 - follow[i];
    return SN_OK;
}

// A fan over a rim, from a point of it: the way along a rim is against that of the faces beside it.
static void addFan(const snSkinMesh *mesh, struct snSkinMeet *meet, int first, unsigned char *seen)
{
    int a = mesh->rimNext[first];
    seen[first] = 1;
    while (a >= 0 && !seen[a]) {
        int b = mesh->rimNext[a];
        seen[a] = 1;
        if (b >= 0 && b != first) {
            int *t = meet->triangles + 3 * (size_t)meet->triangleCount++;
            t[0] = first, t[1] = a, t[2] = b;
        }
        a = b;
    }
}

static snStatus closeShell(snElasticSkin *skin, snArena *scratch, snError *error)
{
    const snSkinMesh *mesh = skin->mesh;
    struct snSkinMeet *meet = skin->meet;
    size_t most = (size_t)mesh->triangleCount + (size_t)mesh->pointCount +
                  (size_t)snSkinBare_TriangleCount(&meet->bare);
    unsigned char *seen = SN_NEW(scratch, unsigned char, mesh->pointCount);
    meet->triangles = SN_NEW(&skin->arena, int, 3 * most);
    if (!seen || !meet->triangles) return snFailMemory(error);
    meet->triangleCount = mesh->triangleCount;
    memcpy(meet->triangles, mesh->triangles, 3 * (size_t)mesh->triangleCount * sizeof(int));
    for (int i = 0; i < mesh->pointCount; i++)
        if (mesh->rimNext[i] >= 0 && !seen[i]) addFan(mesh, meet, i, seen);
    snSkinBare_Triangles(&meet->bare, meet->triangles + 3 * (size_t)meet->triangleCount);
    meet->triangleCount += snSkinBare_TriangleCount(&meet->bare);
    return SN_OK;
}

static snStatus reserveOne(snBody *body, int ends, snError *error)
{
    snElasticSkin *skin = snSkinBody_Skin(body);
    int most = skin->mostPulls + ends;
    snArena scratch = {.allocator = skin->arena.allocator};
    snSkinPull *pulls = SN_NEW(&skin->arena, snSkinPull, most);
    skin->meet = SN_NEW(&skin->arena, struct snSkinMeet, 1);
    if (!pulls || !skin->meet) return snFailMemory(error);
    skin->pulls = pulls;
    skin->mostPulls = most;
    skin->meet->change = SN_NEW(&skin->arena, double, linkSize(body));
    int feet = underOf(body) ? skin->mesh->pointCount : 0;
    skin->meet->feet = SN_NEW(&skin->arena, snBodyEnd, feet);
    skin->meet->stood = SN_NEW(&skin->arena, snVec3, feet);
    if (!skin->meet->change || !skin->meet->feet || !skin->meet->stood) return snFailMemory(error);
    snStatus status = makeFactor(skin, body->step, &scratch, error);
    if (!status) status = findFollow(skin, error);
    if (!status) status = snSkinBare_Make(&skin->meet->bare, skin, &skin->arena, error);
    if (!status) status = closeShell(skin, &scratch, error);
    snArena_Destroy(&scratch);
    return status;
}

static snStatus reserve(snBody *body, int ends, snError *error)
{
    const snSkinLevels *levels = snSkinBody_Levels(body);
    snStatus status = SN_OK;
    for (int k = 0; k < (levels ? levels->count : 1) && !status; k++)
        status = reserveOne(levels ? levels->bodies[k] : body, ends, error);
    return status;
}

// ---- how ends yield -----------------------------------------------------------------------------

static size_t yieldSize(const snBody *body)
{
    const snBody *under = underOf(body);
    size_t below = under ? FOOT + snBody_YieldSize(under) : 0;
    return (size_t)body->size + TAIL + 3 * (size_t)linkSize(body) + below;
}

static void yieldBegin(snBody *body, bool tied)
{
    snArticulatedState *state;
    const snSkinLinks *links = linksOf(body);
    snBody *under = underOf(body);
    // A stays as it is, and P is looked up
    if (under) snBody_YieldBegin(under, tied);
    if (!links) return;
    snArticulated *tree = snSkinLinks_Tree(links, &state);
    snArticulated_Prepare(tree, state, body->step);
}

// An end's corners, shares and link; all shares are 0 where it is bare.
static void findEnd(const snBody *body, const snBodyEnd *end, double *tail)
{
    const snSkinLinks *links = linksOf(body);
    int corner[3], muscle = bareMuscle(body, end), most = 0;
    memset(tail, 0, TAIL * sizeof *tail);
    tail[LINK] = muscle >= 0 ? linkOf(body, muscle) : -1;
    if (muscle >= 0) return;
    snSkinBody_EndRow(body, end, corner, tail + 3);
    for (int k = 0; k < 3; k++) {
        tail[k] = corner[k];
        if (tail[3 + k] > tail[3 + most]) most = k;
    }
    tail[PULLED] = end->point >= 0;
    if (links) tail[LINK] = snSkinLinks_Of(links, movingSkinOf(body), corner[most]);
}

static bool isPressed(const double *tail)
{
    return tail[PULLED] == 0.0;
}

// An end of the flesh below one of the skin, as tails have it.
static snBodyEnd footOf(const double *foot)
{
    snBodyEnd end = {.point = -1};
    for (int k = 0; k < 3; k++) {
        end.corner[k] = (int)foot[k];
        end.share[k] = foot[3 + k];
    }
    return end;
}

static void findFoot(const snElasticSkin *skin, const double *tail, double *foot)
{
    int most = 0;
    for (int k = 1; k < 3; k++)
        if (tail[3 + k] > tail[3 + most]) most = k;
    snBodyEnd end = snSkinPress_FootOf(skin, (int)tail[most]);
    for (int k = 0; k < 3; k++) {
        foot[k] = end.corner[k];
        foot[3 + k] = end.share[k];
    }
}

static snVec3 placeOfEnd(const snBody *body, const snBodyEnd *end, const double *tail)
{
    const snElasticSkin *skin = movingSkinOf(body);
    const snSkinBare *bare = &constSkinOf(body)->meet->bare;
    bool isBare = bareMuscle(body, end) >= 0;
    snVec3 place = {0, 0, 0};
    for (int k = 0; k < 3; k++)
        place = isBare ? snMulAdd(place, end->share[k],
                                  snSkinBare_Place(bare, &skin->muscles, end->corner[k]))
                       : snMulAdd(place, tail[3 + k], skin->places[(int)tail[k]]);
    return place;
}

static void columnOfLink(snBody *body, const snBodyEnd *end, double *tail)
{
    snArticulatedState *state;
    snVec3 place = placeOfEnd(body, end, tail);
    tail[PLACE] = place.x, tail[PLACE + 1] = place.y, tail[PLACE + 2] = place.z;
    snArticulated *tree = snSkinLinks_Tree(linksOf(body), &state);
    snArticulated_Column(tree, state, (int)tail[LINK], place, tail + TAIL);
}

static void yieldColumn(snBody *body, const snBodyEnd *end, bool again, double *column)
{
    const snElasticSkin *skin = movingSkinOf(body);
    double *tail = column + body->size;
    if (!again) {
        findEnd(body, end, tail);
        memset(column, 0, (size_t)body->size * sizeof *column);
        for (int k = 0; k < 3; k++)
            if (!isPinned(skin, (int)tail[k])) column[(int)tail[k]] += tail[3 + k];
        snFactor_Solve(skin->meet->factor, 1, column, skin->meet->scratch);
    }
    if (tail[LINK] >= 0.0) columnOfLink(body, end, tail); // links have moved
    if (!underOf(body)) return;
    double *foot = tail + TAIL; // there are no links
    findFoot(skin, tail, foot);
    snBodyEnd below = footOf(foot);
    snBody_YieldColumn(underOf(body), &below, false, foot + FOOT);
}

// P of a point.
static snVec3 along(const snElasticSkin *skin, int i, bool pulled, snVec3 v)
{
    snVec3 n = skin->touching[i];
    if (!(skin->inverseMass[3 * i] > 0.0)) return snVec(0, 0, 0); // pinned, or held in this step
    return pulled ? v : snMulAdd(v, -snDot(n, v), n);
}

// And of an end: that of its points, each by its share.
static snVec3 alongEnd(const snElasticSkin *skin, const double *tail, snVec3 v)
{
    snVec3 sum = {0, 0, 0};
    for (int k = 0; k < 3; k++)
        sum = snMulAdd(sum, tail[3 + k], along(skin, (int)tail[k], tail[PULLED] != 0.0, v));
    return sum;
}

// What of an impulse at an end acts on the skin as A has it: of a tied one all but what is at points that a hand holds.
static snVec3 actAtEnd(const snElasticSkin *skin, const double *tail, snVec3 v)
{
    double sum = 0.0;
    if (isPressed(tail)) return alongEnd(skin, tail, v);
    for (int k = 0; k < 3; k++)
        if (!skin->wasLed[(int)tail[k]]) sum += tail[3 + k];
    return snScale(sum, v);
}

// N: what the link has of it.
static snVec3 ofLink(const snElasticSkin *skin, const double *tail, snVec3 v)
{
    return tail[LINK] >= 0.0 ? snSub(v, alongEnd(skin, tail, v)) : snVec(0, 0, 0);
}

// N on flesh: what goes into it where points lie on it.
static snVec3 ofUnder(const snElasticSkin *skin, const double *tail, snVec3 v)
{
    snVec3 sum = {0, 0, 0};
    for (int k = 0; k < 3 && isPressed(tail); k++) {
        snVec3 n = skin->touching[(int)tail[k]];
        if (!(skin->inverseMass[3 * (int)tail[k]] > 0.0)) continue;
        sum = snMulAdd(sum, tail[3 + k] * snDot(n, v), n);
    }
    return sum;
}

// F of a row: what of an impulse comes to the link at last, and how far the end goes with it.
static snVec3 followEnd(const snElasticSkin *skin, const double *tail, snVec3 v)
{
    snVec3 acts = actAtEnd(skin, tail, v);
    double follow = 0.0;
    for (int k = 0; k < 3; k++)
        follow += tail[3 + k] * skin->meet->follow[(int)tail[k]];
    return snMulAdd(snSub(v, acts), follow, acts);
}

// F_p J_p B_u J_qᵀ F_q
static snMat3 rowOfUnder(const snBody *body, const double *tail, const double *other)
{
    const snElasticSkin *skin = movingSkinOf(body);
    snBodyEnd foot = footOf(tail + TAIL);
    snVec3 out[3];
    snMat3 whole = snBody_YieldRow(underOf(body), &foot, tail + TAIL + FOOT, other + TAIL + FOOT);
    for (int c = 0; c < 3; c++) {
        snVec3 unit = snVec(c == 0, c == 1, c == 2);
        out[c] = followEnd(skin, tail, snMulMV(whole, followEnd(skin, other, unit)));
    }
    return (snMat3){out[0], out[1], out[2]};
}

// F_p J_p A_l⁻¹ J_qᵀ F_q
static snMat3 rowOfLinks(const snBody *body, const double *tail, const double *other)
{
    const snElasticSkin *skin = movingSkinOf(body);
    snArticulatedState *state;
    snArticulated *tree = snSkinLinks_Tree(linksOf(body), &state);
    snVec3 place = {tail[PLACE], tail[PLACE + 1], tail[PLACE + 2]}, out[3];
    snMat3 whole = snArticulated_Response(tree, state, (int)tail[LINK], place, other + TAIL);
    for (int c = 0; c < 3; c++) {
        snVec3 unit = snVec(c == 0, c == 1, c == 2);
        out[c] = followEnd(skin, tail, snMulMV(whole, followEnd(skin, other, unit)));
    }
    return (snMat3){out[0], out[1], out[2]};
}

static snMat3 yieldRow(const snBody *body, const snBodyEnd *p, const double *columnOfP,
                       const double *columnOfQ)
{
    const snElasticSkin *skin = movingSkinOf(body);
    const double *tail = columnOfP + body->size, *other = columnOfQ + body->size;
    snVec3 out[3];
    double a = 0.0;
    (void)p;
    for (int k = 0; k < 3; k++)
        a += tail[3 + k] * columnOfQ[(int)tail[k]];
    for (int c = 0; c < 3; c++) {
        snVec3 unit = snVec(c == 0, c == 1, c == 2);
        out[c] = snScale(a, actAtEnd(skin, tail, actAtEnd(skin, other, unit)));
    }
    snMat3 row = {out[0], out[1], out[2]};
    if (underOf(body)) return snAddMM(row, rowOfUnder(body, tail, other));
    if (!(tail[LINK] >= 0.0 && other[LINK] >= 0.0)) return row;
    return snAddMM(row, rowOfLinks(body, tail, other));
}

// What flesh below has of a force goes to it.
static snVec3 thrustUnder(snBody *body, const double *tail, snVec3 place, snVec3 force)
{
    const snElasticSkin *skin = movingSkinOf(body);
    double foot[FOOT];
    snVec3 below = ofUnder(skin, tail, force);
    if (snLengthSquared(below) == 0.0) return below;
    findFoot(skin, tail, foot);
    snBodyEnd end = footOf(foot);
    snBody_Thrust(underOf(body), &end, place, below);
    return below;
}

// What the link has goes to it at once, the rest to the skin, whose reactions it gets later. Without links muscles bear it.
static void thrust(snBody *body, const snBodyEnd *end, snVec3 place, snVec3 force)
{
    snElasticSkin *skin = movingSkinOf(body);
    snArticulatedState *state;
    double tail[TAIL];
    findEnd(body, end, tail);
    snVec3 below = ofLink(skin, tail, force);
    if (tail[LINK] >= 0.0) {
        snArticulated *tree = snSkinLinks_Tree(linksOf(body), &state);
        snArticulated_Push(tree, state, (int)tail[LINK], place, below);
    }
    if (underOf(body)) below = thrustUnder(body, tail, place, force);
    if (bareMuscle(body, end) >= 0 || skin->pullCount == skin->mostPulls) return;
    snSkinPull *pull = &skin->pulls[skin->pullCount++];
    *pull = (snSkinPull){.force = snSub(force, below)};
    for (int k = 0; k < 3; k++) {
        pull->corner[k] = (int)tail[k];
        pull->share[k] = tail[3 + k];
    }
}

// Muscles are led by bones: skin that lies on one has it behind.
static bool backing(const snBody *body, const snBodyEnd *end, snVec3 *normal)
{
    const snElasticSkin *skin = constSkinOf(body);
    if (bareMuscle(body, end) >= 0) return false;
    snVec3 sum = snCombine(3, end->corner, end->share, skin->touching);
    *normal = snNormalizeOr(sum, snVec(0, 0, 0));
    return snLengthSquared(sum) > 0.25;
}

// ---- yielding -----------------------------------------------------------------------------------

static bool isFree(const snBody *body)
{
    const snElasticSkin *skin = movingSkinOf(body);
    bool free = skin->muscles.count == 0 && !moving(body)->underCount;
    for (int i = 0; i < skin->mesh->pointCount && free; i++)
        free = skin->points[i].frame < 0 && skin->inverseMass[3 * i] > 0.0;
    return free;
}

// How far a point goes when what it lies on does: it is not left behind in it.
static snVec3 follow(const snElasticSkin *skin, int i, snVec3 by)
{
    snVec3 n = skin->touching[i];
    double w = skin->meet->follow[i];
    return snMulAdd(snScale(w, by), (1.0 - w) * snDot(n, by), n);
}

// What an impulse at an end does to velocities of links, added to what others did.
static void addChange(const snBody *body, const double *tail, snVec3 impulse, double *change)
{
    size_t n = (size_t)linkSize(body);
    const double *x = tail + TAIL, *y = x + n, *z = y + n;
    for (size_t i = 0; i < n; i++)
        change[i] += impulse.x * x[i] + impulse.y * y[i] + impulse.z * z[i];
}

// Links yield, and take along the skin that lies on them or hangs on them. Muscles come after them in the next step. Links that turn keep their
// rates, not their momentum: that is given back.
static void yieldLinks(const snBody *body, double *change, double time)
{
    snElasticSkin *skin = movingSkinOf(body);
    const snSkinLinks *links = linksOf(body);
    snArticulatedMeasure want;
    snArticulatedState *state;
    snArticulated *tree = snSkinLinks_Tree(links, &state);
    snArticulated_Shift(tree, state, change, 0);
    for (int i = 0; i < skin->mesh->pointCount; i++) {
        if (skin->wasLed[i]) continue; // a hand holds it
        int link = snSkinLinks_Of(links, skin, i);
        snVec3 by = snArticulated_Change(tree, state, link, skin->places[i], change);
        if (isPinned(skin, i)) skin->velocities[i] = snAdd(skin->velocities[i], by);
        if (!isPinned(skin, i)) by = follow(skin, i, by);
        skin->places[i] = snMulAdd(skin->places[i], time, by);
    }
    if (!(time > 0.0)) return;
    snSkinLinks_Measure(links, &want);
    snSkinLinks_Turn(links, change, time, &want);
}

// The flesh below gets what the skin did not take.
static void strikeUnder(snBody *body, const snBodyNudge *nudge, snVec3 left, double time)
{
    const double *foot = nudge->column + body->size + TAIL;
    snBodyEnd end = footOf(foot);
    snBodyNudge below = {&end, foot + FOOT, left, nudge->place};
    snBody_Yield(underOf(body), 1, &below, time, snVec(0, 0, 0));
}

// Where points of the skin have their feet, before the flesh moves.
static void findFeet(snBody *body)
{
    const snElasticSkin *skin = movingSkinOf(body);
    for (int i = 0; i < skin->mesh->pointCount; i++) {
        skin->meet->feet[i] = snSkinPress_FootOf(skin, i);
        skin->meet->stood[i] = snSkinPress_FootPlace(underOf(body), &skin->meet->feet[i]);
    }
}

// The skin goes with the flesh that it lies on, or hangs on.
static void followUnder(snBody *body)
{
    snElasticSkin *skin = movingSkinOf(body);
    for (int i = 0; i < skin->mesh->pointCount; i++) {
        if (isPinned(skin, i) || skin->wasLed[i]) continue;
        snVec3 now = snSkinPress_FootPlace(underOf(body), &skin->meet->feet[i]);
        snVec3 by = follow(skin, i, snSub(now, skin->meet->stood[i]));
        skin->places[i] = snAdd(skin->places[i], by);
    }
}

static void yield(snBody *body, int count, const snBodyNudge *nudges, double time, snVec3 couple)
{
    snElasticSkin *skin = movingSkinOf(body);
    double *change = skin->meet->change;
    bool free = isFree(body), goes = underOf(body) && time > 0.0;
    snBodyMeasure want;
    snBody_Motion(body, &want);
    snBodyNudges_Add(count, nudges, couple, &want);
    memset(change, 0, (size_t)linkSize(body) * sizeof *change);
    if (goes) findFeet(body);
    for (int n = 0; n < count; n++) {
        const double *tail = nudges[n].column + body->size;
        snVec3 impulse = actAtEnd(skin, tail, nudges[n].impulse), left = nudges[n].impulse;
        for (int i = 0; i < skin->mesh->pointCount; i++) {
            snVec3 by = snScale(nudges[n].column[i], along(skin, i, tail[PULLED] != 0.0, impulse));
            skin->velocities[i] = snAdd(skin->velocities[i], by);
            skin->places[i] = snMulAdd(skin->places[i], time, by);
            left = snMulAdd(left, -skin->mass[i], by);
        }
        if (tail[LINK] >= 0.0) addChange(body, tail, left, change);
        if (underOf(body)) strikeUnder(body, &nudges[n], left, time);
    }
    if (linksOf(body)) yieldLinks(body, change, time);
    if (goes) followUnder(body);
    if (free) snBody_GiveMomentum(body, want.momentum, want.angularMomentum);
    show(body);
}

const snBodyMeeting snSkinMeeting = {.shell = shellOf,
                                     .shellPlaces = shellPlaces,
                                     .reserve = reserve,
                                     .thrust = thrust,
                                     .yieldSize = yieldSize,
                                     .yieldBegin = yieldBegin,
                                     .yieldColumn = yieldColumn,
                                     .yieldRow = yieldRow,
                                     .yield = yield,
                                     .backing = backing};
