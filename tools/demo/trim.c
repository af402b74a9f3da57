// Eyes, lids, nostrils and mouth: closed little surfaces, rigid on the head. All but the mouth are
// surfaces of revolution, so that the rings of the iris lie along the rings of the mesh.
#include "demo.h"

#include "core/array.h"
#include "core/elementary.h"
#include "core/error.h"

typedef struct Builder {
    const snAllocator *allocator;
    SN_ARRAY(snVec3) positions;
    SN_ARRAY(snTint) colors;
    SN_ARRAY(int) triangles;
    bool failed; // memory ran out
} Builder;

static int addVertex(Builder *b, snVec3 position, snTint color)
{
    if (!snArray_Push(b->allocator, &b->positions, position) ||
        !snArray_Push(b->allocator, &b->colors, color))
        b->failed = true;
    return b->positions.count - 1;
}

static void addTriangle(Builder *b, int i, int j, int k)
{
    if (!snArray_Push(b->allocator, &b->triangles, i) ||
        !snArray_Push(b->allocator, &b->triangles, j) ||
        !snArray_Push(b->allocator, &b->triangles, k))
        b->failed = true;
}

// Rings of `segments` vertices joined to a closed skin, with a point at either end. ring(i) begins
// at first + i * segments.
static void joinRings(Builder *b, int front, int first, int rings, int segments, int back)
{
    for (int s = 0; s < segments; s++) {
        int next = (s + 1) % segments;
        addTriangle(b, front, first + s, first + next);
        for (int r = 0; r + 1 < rings; r++) {
            int here = first + r * segments, below = here + segments;
            addTriangle(b, here + s, below + s, below + next);
            addTriangle(b, here + s, below + next, here + next);
        }
        int last = first + (rings - 1) * segments;
        addTriangle(b, back, last + next, last + s);
    }
}

// A point of a profile: `out` from the axis, `along` it, and the colour of its ring.
typedef struct Profile {
    double out, along;
    snTint color;
} Profile;

// Turns the profile (front point first; its ends lie on the axis) about `axis` through `center`.
static void addRevolution(Builder *b, snVec3 center, snVec3 axis, const Profile *profile, int count,
                          int segments)
{
    snVec3 side = snNormalizeOr(snCross(snVec(0, 1, 0), axis), snVec(1, 0, 0));
    snVec3 up = snCross(axis, side);
    int front = addVertex(b, snMulAdd(center, profile[0].along, axis), profile[0].color);
    int first = b->positions.count;
    for (int r = 1; r + 1 < count; r++)
        for (int s = 0; s < segments; s++) {
            double sine, cosine;
            snSinCos(2.0 * SN_PI * s / segments, &sine, &cosine);
            snVec3 spoke = snMulAdd(snScale(cosine, side), sine, up);
            snVec3 p = snMulAdd(snMulAdd(center, profile[r].along, axis), profile[r].out, spoke);
            addVertex(b, p, profile[r].color);
        }
    const Profile *last = &profile[count - 1];
    int back = addVertex(b, snMulAdd(center, last->along, axis), last->color);
    joinRings(b, front, first, count - 2, segments, back);
}

static Profile onBall(double radius, double degrees, snTint color)
{
    double sine, cosine;
    snSinCos(degrees * SN_PI / 180.0, &sine, &cosine);
    return (Profile){radius * sine, radius * cosine, color};
}

static void addBall(Builder *b, snVec3 center, snVec3 axis, double radius, double flat,
                    snTint color, int rings)
{
    Profile profile[16];
    for (int i = 0; i <= rings; i++) {
        profile[i] = onBall(radius, 180.0 * i / rings, color);
        profile[i].along *= flat;
    }
    profile[0].out = profile[rings].out = 0.0;
    addRevolution(b, center, axis, profile, rings + 1, 2 * rings);
}

static const double eyeRadius = 0.078;

static void addEyeBall(Builder *b, snVec3 center, snVec3 gaze)
{
    snTint pupil = snTint_Hex(0x140D0B), iris = snTint_Hex(0x7A3F1C);
    snTint glow = snTint_Hex(0xB8692B), rim = snTint_Hex(0x2A1710);
    snTint white = snTint_Hex(0xFFFAF0), shade = snTint_Hex(0xE9DFD2);
    const Profile profile[] = {
        onBall(eyeRadius, 0, pupil),    onBall(eyeRadius, 12, pupil),
        onBall(eyeRadius, 22, pupil),   onBall(eyeRadius, 24, iris),
        onBall(eyeRadius, 32, glow),    onBall(eyeRadius, 38, iris),
        onBall(eyeRadius, 40, rim),     onBall(eyeRadius, 43, rim),
        onBall(eyeRadius, 45.5, white), onBall(eyeRadius, 56, white),
        onBall(eyeRadius, 70, white),   onBall(eyeRadius, 86, shade),
        onBall(eyeRadius, 110, shade),  onBall(eyeRadius, 145, shade),
        onBall(eyeRadius, 180, shade),
    };
    addRevolution(b, center, gaze, profile, (int)(sizeof profile / sizeof *profile), 24);
}

// A shell over the upper part of the eye, a little larger than it, closed by its own inside.
static void addLid(Builder *b, snVec3 center, snVec3 pole, double opening, snTint color,
                   snTint edge)
{
    enum { STEPS = 5 };
    Profile profile[2 * STEPS + 1];
    for (int i = 0; i <= STEPS; i++)
        profile[i] = onBall(1.085 * eyeRadius, opening * i / STEPS, i == STEPS ? edge : color);
    for (int i = 1; i <= STEPS; i++)
        profile[STEPS + i] = onBall(1.01 * eyeRadius, opening * (STEPS - i) / STEPS, edge);
    profile[0].out = profile[2 * STEPS].out = 0.0;
    addRevolution(b, center, pole, profile, 2 * STEPS + 1, 24);
}

static void addEye(Builder *b, const snLumps *body, double side)
{
    snVec3 skull = snDemo_HeadPoint(0, 0, 0);
    snVec3 out = snNormalizeOr(snVec(0.53 * side, 0.24, 0.81), snVec(0, 0, 1));
    snVec3 surface = snDemo_BodyPoint(body, skull, out);
    snVec3 center = snMulAdd(surface, -0.42 * eyeRadius, out);
    snVec3 gaze = snNormalizeOr(snVec(0.20 * side, 0.03, 0.98), out);
    addEyeBall(b, center, gaze);
    snVec3 glint = snNormalizeOr(snVec(0.20 * side + 0.26, 0.36, 0.90), out);
    addBall(b, snMulAdd(center, 0.965 * eyeRadius, glint), glint, 0.0155, 0.5, snTint_Hex(0xFFFFFF),
            6);
    snVec3 pole = snNormalizeOr(snVec(0.08 * side, 1.0, -0.30), out);
    snTint lid = snDemo_Paint(body, snMulAdd(surface, 0.05, snVec(0, 1, 0)), snVec(0, 0, 1));
    addLid(b, center, pole, 54.0, lid, snTint_Mix(lid, snTint_Hex(0x16262B), 0.6));
}

static snVec3 muzzleMiddle(void)
{
    return snDemo_HeadPoint(0, -0.10, 0.175);
}

static snVec3 muzzleDirection(double yaw, double pitch)
{
    double sy, cy, sp, cp;
    snSinCos(yaw * SN_PI / 180.0, &sy, &cy);
    snSinCos(pitch * SN_PI / 180.0, &sp, &cp);
    return snVec(sy * cp, sp, cy * cp);
}

// The nose is a pad laid onto the muzzle: an oval of directions, thickest in its middle.
static snVec3 nosePoint(const snLumps *body, double angle, double share)
{
    double sine, cosine, rise = 0.010 * (1.0 - share * share * share * share) - 0.002 * share;
    snSinCos(angle, &sine, &cosine);
    double round = 1.0 + 0.10 * cosine * cosine - 0.06 * sine; // broader above than below
    snVec3 out = muzzleDirection(35.0 * share * cosine * round, 31.0 + 13.5 * share * sine);
    return snMulAdd(snDemo_BodyPoint(body, muzzleMiddle(), out), rise, out);
}

static void addNose(Builder *b, const snLumps *body)
{
    enum { RINGS = 5, SEGMENTS = 28 };
    snTint pink = snTint_Hex(0xEB8A82), deep = snTint_Hex(0xD9726E);
    int front = addVertex(b, nosePoint(body, 0.0, 0.0), pink);
    int first = b->positions.count;
    for (int r = 1; r <= RINGS; r++)
        for (int s = 0; s < SEGMENTS; s++)
            addVertex(b, nosePoint(body, 2.0 * SN_PI * s / SEGMENTS, (double)r / RINGS),
                      r == RINGS ? deep : pink);
    int back = addVertex(b, snLerp(nosePoint(body, 0.0, 0.0), muzzleMiddle(), 0.3), deep);
    joinRings(b, front, first, RINGS, SEGMENTS, back);
}

static void addNostril(Builder *b, const snLumps *body, double side)
{
    snVec3 out = muzzleDirection(19.0 * side, 29.0);
    snVec3 place = snDemo_BodyPoint(body, muzzleMiddle(), out);
    addBall(b, snMulAdd(place, 0.006, out), out, 0.0165, 0.5, snTint_Hex(0x7F3C3F), 7);
}

static snVec3 mouthPoint(const snLumps *body, double t)
{
    double yaw = 64.0 * t, pitch = -19.0 + 24.0 * t * t * t * t - 4.0 * (1.0 - t * t);
    return snDemo_BodyPoint(body, muzzleMiddle(), muzzleDirection(yaw, pitch));
}

// The mouth is a thin tube along a smile, half sunk into the muzzle.
static void addMouth(Builder *b, const snLumps *body)
{
    enum { STEPS = 32, SEGMENTS = 6 };
    snTint color = snTint_Hex(0x7E4540);
    int front = addVertex(b, mouthPoint(body, -1.0), color);
    int first = b->positions.count;
    for (int i = 1; i < STEPS; i++) {
        double t = 2.0 * i / STEPS - 1.0;
        snVec3 here = mouthPoint(body, t);
        snVec3 along = snSub(mouthPoint(body, t + 0.02), mouthPoint(body, t - 0.02));
        along = snNormalizeOr(along, snVec(1, 0, 0));
        snVec3 out = snNormalizeOr(snSub(here, muzzleMiddle()), snVec(0, 0, 1));
        snVec3 up = snNormalizeOr(snCross(out, along), snVec(0, 1, 0));
        out = snCross(along, up);
        double radius = 0.0058 * sqrt(1.0 - t * t * t * t);
        for (int s = 0; s < SEGMENTS; s++) {
            double sine, cosine;
            snSinCos(2.0 * SN_PI * s / SEGMENTS, &sine, &cosine);
            snVec3 p = snMulAdd(here, radius * cosine, out);
            addVertex(b, snMulAdd(p, radius * sine, up), color);
        }
    }
    int back = addVertex(b, mouthPoint(body, 1.0), color);
    joinRings(b, front, first, STEPS - 1, SEGMENTS, back);
}

snStatus snDemo_ReservePart(snPart *part, const snMesh *mesh, snVec3 **normals, snArena *arena,
                            snError *error)
{
    int count = mesh->vertexCount;
    part->vertexCount = count;
    part->triangleCount = mesh->triangleCount;
    part->influences = 4;
    part->positions = SN_NEW(arena, snVec3f, count);
    part->normals = SN_NEW(arena, snVec3f, count);
    part->colors = SN_NEW(arena, float, 4 * count);
    part->joints = SN_NEW(arena, int, 4 * count);
    part->weights = SN_NEW(arena, float, 4 * count);
    part->triangles = SN_COPY(arena, int, mesh->triangles, 3 * mesh->triangleCount);
    *normals = SN_NEW(arena, snVec3, count);
    if (!part->positions || !part->normals || !part->colors || !part->joints || !part->weights ||
        !part->triangles || !*normals)
        return snFailMemory(error);
    snMesh_Normals(mesh, *normals);
    return SN_OK;
}

static snStatus finish(const Builder *b, snPart *part, snArena *arena, snError *error)
{
    int count = b->positions.count;
    snMesh mesh = {count, b->triangles.count / 3, b->positions.data, b->triangles.data};
    snVec3 *normals = NULL;
    snStatus status = snDemo_ReservePart(part, &mesh, &normals, arena, error);
    if (status) return status;
    for (int v = 0; v < count; v++) {
        part->positions[v] = snToF(b->positions.data[v]);
        part->normals[v] = snToF(normals[v]);
        part->colors[4 * v] = b->colors.data[v].r;
        part->colors[4 * v + 1] = b->colors.data[v].g;
        part->colors[4 * v + 2] = b->colors.data[v].b;
        part->colors[4 * v + 3] = 1.0f;
        part->joints[4 * v] = DEMO_HEAD;
        part->weights[4 * v] = 1.0f;
    }
    return SN_OK;
}

snStatus snDemo_MakeTrim(snPart *part, const snLumps *body, snArena *arena,
                         const snContext *context, snError *error)
{
    Builder b = {.allocator = &context->allocator};
    for (double side = 1.0; side >= -1.0; side -= 2.0) {
        addEye(&b, body, side);
        addNostril(&b, body, side);
    }
    addNose(&b, body);
    addMouth(&b, body);
    snStatus status = b.failed ? snFailMemory(error) : finish(&b, part, arena, error);
    snArray_Free(b.allocator, &b.positions);
    snArray_Free(b.allocator, &b.colors);
    snArray_Free(b.allocator, &b.triangles);
    return status;
}
