#include "puppet.h"

#include "asset/json_write.h"
#include "core/core.h"

#include <math.h>
#include <stdio.h>

#define SIZE 0.075   // m, of the largest bead
#define HEAD 1.35    // of that
#define TAPER 0.62   // of a bead's size that is lost to the tail
#define HEIGHT 1.5   // m, at which it hangs
#define HINGE 0.2    // of a bead: from the middle of a leg's hinge to its ends
#define APART 0.3    // of a bead: from the middle of a hinge between beads to its ends
#define DRAG 2       // 1/s: strings that go on for ever feed what nothing takes away
#define HIP_Y (-0.2) // of a bead: where legs hang
#define HIP_Z 0.68

snPuppetDef snDefaultPuppetDef(void)
{
    return (snPuppetDef){
        .segments = 66, .strings = 9, .integrator = "euler", .stepsPerSecond = 60, .seconds = 6};
}

// ---- surfaces -----------------------------------------------------------------------------------

enum { SIDES = 12, RINGS = 7 };

// A surface of rings between two tips, wound so that it faces outwards for an axis to the right of the rings' sense.
static void putFaces(snBytes *bytes)
{
    int last = RINGS * SIDES + 2;
    for (int j = 0; j < SIDES; j++) {
        int k = (j + 1) % SIDES;
        snBytes_Format(bytes, "f 1 %d %d\n", 2 + k, 2 + j);
        for (int r = 0; r + 1 < RINGS; r++)
            snBytes_Format(bytes, "f %d %d %d %d\n", 2 + r * SIDES + j, 2 + r * SIDES + k,
                           2 + (r + 1) * SIDES + k, 2 + (r + 1) * SIDES + j);
        snBytes_Format(bytes, "f %d %d %d\n", last, last - SIDES + j, last - SIDES + k);
    }
}

static void putVertex(snBytes *bytes, snVec3 p)
{
    snBytes_Format(bytes, "v %.5f %.5f %.5f\n", p.x, p.y, p.z);
}

void snPuppet_WriteBead(snBytes *bytes)
{
    snBytes_AppendText(bytes, "o bead\n");
    putVertex(bytes, snVec(-0.48, 0, 0));
    for (int r = 1; r <= RINGS; r++)
        for (int j = 0; j < SIDES; j++) {
            double a = SN_PI * (r / (RINGS + 1.0) - 0.5), b = 2 * SN_PI * j / SIDES;
            double wide = sqrt(snCos(a)); // rounder than a barrel, fuller than a ball
            putVertex(bytes, snVec(0.48 * snSin(a), 0.8 * wide * snCos(b), 0.7 * wide * snSin(b)));
        }
    putVertex(bytes, snVec(0.48, 0, 0));
    putFaces(bytes);
}

// From its hinge downwards, bent a little.
void snPuppet_WriteClaw(snBytes *bytes)
{
    snBytes_AppendText(bytes, "o claw\n");
    putVertex(bytes, snVec(0, 0.14, 0));
    for (int r = 1; r <= RINGS; r++)
        for (int j = 0; j < SIDES; j++) {
            double t = r / (RINGS + 1.0), b = 2 * SN_PI * j / SIDES, wide = sqrt(t) * (1 - t);
            putVertex(bytes, snVec(0.62 * wide * snCos(b) + 0.3 * t * t, 0.14 - 1.7 * t,
                                   0.42 * wide * snSin(b)));
        }
    putVertex(bytes, snVec(0.3, -1.56, 0));
    putFaces(bytes);
}

// ---- the scene ----------------------------------------------------------------------------------

typedef struct Puppet {
    const snPuppetDef *def;
    snJsonWriter w;
} Puppet;

static double shareOf(const Puppet *p, int i)
{
    return p->def->segments > 1 ? (double)i / (p->def->segments - 1) : 0;
}

static double sizeOf(const Puppet *p, int i)
{
    return SIZE * (i == 0 ? HEAD : 1 - TAPER * shareOf(p, i));
}

// Where a bead's middle is at rest.
static snVec3 middleOf(const Puppet *p, int i)
{
    double x = 0;
    for (int k = 1; k <= i; k++)
        x += 0.5 * (sizeOf(p, k - 1) + sizeOf(p, k));
    return snVec(x, HEIGHT, 0);
}

static void putVec(snJsonWriter *w, const char *key, snVec3 v)
{
    snJsonWriter_PutDoubles(w, key, (double[]){v.x, v.y, v.z}, 3);
}

typedef struct Piece {
    const char *name, *file, *color;
    double scale;
    snVec3 place;
    double turn; // degrees about z
} Piece;

static void putPiece(Puppet *p, const Piece *piece)
{
    snJsonWriter *w = &p->w;
    snJsonWriter_BeginObject(w);
    snJsonWriter_PutString(w, "name", piece->name);
    snJsonWriter_Key(w, "mesh");
    snJsonWriter_BeginObject(w);
    snJsonWriter_PutString(w, "file", piece->file);
    snJsonWriter_PutDouble(w, "scale", piece->scale);
    snJsonWriter_EndObject(w);
    snJsonWriter_Key(w, "poly");
    snJsonWriter_BeginObject(w);
    snJsonWriter_PutInt(w, "order", 1);
    snJsonWriter_EndObject(w);
    snJsonWriter_Key(w, "material");
    snJsonWriter_BeginObject(w);
    snJsonWriter_PutString(w, "rigidity", "300 kPa");
    snJsonWriter_PutString(w, "volume", "300 kPa");
    snJsonWriter_PutDouble(w, "drag", DRAG);
    snJsonWriter_EndObject(w);
    snJsonWriter_Key(w, "solver");
    snJsonWriter_BeginObject(w);
    snJsonWriter_PutString(w, "integrator", p->def->integrator);
    snJsonWriter_EndObject(w);
    snJsonWriter_PutBool(w, "contact", false);
    putVec(w, "place", piece->place);
    if (piece->turn != 0) {
        snJsonWriter_Key(w, "rotation");
        snJsonWriter_BeginObject(w);
        putVec(w, "axis", snVec(0, 0, 1));
        snJsonWriter_PutDouble(w, "angle", piece->turn);
        snJsonWriter_EndObject(w);
    }
    snJsonWriter_PutString(w, "color", piece->color);
    snJsonWriter_EndObject(w);
}

// From a and b, the closer to b the nearer t is to 1.
static void mixColor(char out[8], const int a[3], const int b[3], double t)
{
    int c[3];
    for (int k = 0; k < 3; k++)
        c[k] = (int)(a[k] + t * (b[k] - a[k]));
    snprintf(out, 8, "#%02x%02x%02x", (unsigned)c[0] & 255u, (unsigned)c[1] & 255u,
             (unsigned)c[2] & 255u);
}

// A bead and its legs; the head has jaws as well.
static void putSegment(Puppet *p, int i)
{
    static const int red[3] = {196, 58, 44}, gold[3] = {226, 160, 50}, night[3] = {38, 70, 110};
    static const int leg[3] = {60, 120, 116}, dark[3] = {24, 44, 70};
    char name[32], color[8];
    double size = sizeOf(p, i), share = 0.85 * shareOf(p, i);
    snVec3 at = middleOf(p, i);
    mixColor(color, i % 4 < 2 ? red : gold, night, share);
    snprintf(name, sizeof name, "bead %d", i);
    putPiece(p, &(Piece){name, "bead.obj", color, size, at, 0});
    mixColor(color, leg, dark, share);
    for (int side = -1; side <= 1; side += 2) {
        snVec3 hip = snAdd(at, snScale(size, snVec(0, HIP_Y, side * HIP_Z)));
        snprintf(name, sizeof name, "%s leg %d", side < 0 ? "left" : "right", i);
        putPiece(p, &(Piece){name, "claw.obj", color, 0.8 * size, hip, 0});
        if (i > 0) continue;
        snVec3 jaw = snAdd(at, snScale(size, snVec(-0.42, -0.2, 0.5 * side * HIP_Z)));
        putPiece(p, &(Piece){side < 0 ? "left jaw" : "right jaw", "claw.obj", "#efe6d0",
                             0.55 * size, jaw, -90});
    }
}

typedef struct Tie {
    char body[32], to[32];
    snVec3 point, toPoint;
} Tie;

static void putTie(Puppet *p, const Tie *tie)
{
    snJsonWriter *w = &p->w;
    for (int k = 0; k < (p->def->doubled ? 2 : 1); k++) {
        snJsonWriter_BeginObject(w);
        snJsonWriter_PutString(w, "body", tie->body);
        putVec(w, "point", tie->point);
        snJsonWriter_Key(w, "to");
        snJsonWriter_BeginObject(w);
        snJsonWriter_PutString(w, "body", tie->to);
        putVec(w, "point", tie->toPoint);
        snJsonWriter_EndObject(w);
        snJsonWriter_EndObject(w);
    }
}

// The two ends of the hinge of a claw on a bead.
static void tieClaw(Puppet *p, Tie *tie, double scale, snVec3 at, snVec3 along)
{
    for (int end = -1; end <= 1; end += 2) {
        tie->point = snVec(end * HINGE * scale, 0, 0);
        tie->toPoint = snMulAdd(at, end * HINGE * scale, along);
        putTie(p, tie);
    }
}

static void tieSegment(Puppet *p, int i)
{
    double size = sizeOf(p, i);
    Tie tie;
    snprintf(tie.to, sizeof tie.to, "bead %d", i);
    for (int side = -1; side <= 1; side += 2) {
        snprintf(tie.body, sizeof tie.body, "%s leg %d", side < 0 ? "left" : "right", i);
        snVec3 hip = snScale(size, snVec(0, HIP_Y, side * HIP_Z));
        tieClaw(p, &tie, 0.8 * size, hip, snVec(1, 0, 0));
        if (i > 0) continue;
        snprintf(tie.body, sizeof tie.body, "%s jaw", side < 0 ? "left" : "right");
        snVec3 jaw = snScale(size, snVec(-0.42, -0.2, 0.5 * side * HIP_Z));
        tieClaw(p, &tie, 0.55 * size, jaw, snVec(0, -1, 0));
    }
    snprintf(tie.body, sizeof tie.body, "bead %d", i);
    snprintf(tie.to, sizeof tie.to, "bead %d", i - 1);
    for (int side = -1; side <= 1 && i > 0; side += 2) { // level and upright ones take turns
        tie.point = snScale(size, snVec(-0.5, i % 2 ? 0 : side * APART, i % 2 ? side * APART : 0));
        tie.toPoint = snVec(0.5 * sizeOf(p, i - 1), tie.point.y, tie.point.z);
        putTie(p, &tie);
    }
}

// Waves that run to the head, and slower ones to the sides. Strings come closer to each other by as much as the steepest wave is
// longer than it is wide, or it would be drawn out.
static snVec3 stringAt(const Puppet *p, snVec3 rest, double time)
{
    double grown = fmin(time / 1.5, 1), middle = 0.5 * middleOf(p, p->def->segments - 1).x;
    double wave = snSin(2 * SN_PI * (time / 2.2 + rest.x / 1.6));
    double sway = snSin(2 * SN_PI * (time / 3.7 - rest.x / 3));
    return snVec(rest.x + 0.12 * grown * (middle - rest.x), rest.y + 0.12 * grown * wave,
                 rest.z + 0.1 * grown * sway);
}

static void putString(Puppet *p, int k)
{
    snJsonWriter *w = &p->w;
    int last = p->def->segments - 1;
    int i =
        p->def->strings > 1 ? (k * last + (p->def->strings - 1) / 2) / (p->def->strings - 1) : 0;
    char name[32];
    snVec3 point = snVec(0, 0.8 * sizeOf(p, i), 0), rest = snAdd(middleOf(p, i), point);
    snprintf(name, sizeof name, "bead %d", i);
    snJsonWriter_BeginObject(w);
    snJsonWriter_PutString(w, "body", name);
    putVec(w, "point", point);
    snJsonWriter_Key(w, "keys");
    snJsonWriter_BeginArray(w);
    for (int n = 0; 0.25 * n <= p->def->seconds + 0.25; n++) {
        snJsonWriter_BeginObject(w);
        snJsonWriter_PutDouble(w, "time", 0.25 * n);
        putVec(w, "place", stringAt(p, rest, 0.25 * n));
        snJsonWriter_EndObject(w);
    }
    snJsonWriter_EndArray(w);
    snJsonWriter_EndObject(w);
}

// The i-th segment to be listed: one after another, or with strides that meet all.
static int listed(const Puppet *p, int i)
{
    int n = p->def->segments, stride = 1;
    for (int s = 2; s < n && p->def->mixed && stride == 1; s++) {
        int a = n, b = s;
        while (b) {
            int rest = a % b;
            a = b, b = rest;
        }
        if (a == 1 && s * 5 > 2 * n) stride = s;
    }
    return i * stride % n;
}

static void putHead(Puppet *p)
{
    snJsonWriter *w = &p->w;
    snJsonWriter_PutString(w, "sinew", "scene");
    snJsonWriter_PutInt(w, "version", 1);
    snJsonWriter_PutString(w, "title", "A puppet of many pieces, hinge by hinge, on strings");
    snJsonWriter_PutDouble(w, "stepsPerSecond", p->def->stepsPerSecond);
    snJsonWriter_PutDouble(w, "duration", p->def->seconds);
    snJsonWriter_PutBool(w, "bodiesTouch", false);
    snJsonWriter_Key(w, "camera");
    snJsonWriter_BeginObject(w);
    snJsonWriter_PutDouble(w, "yaw", -22);
    snJsonWriter_PutDouble(w, "pitch", 14);
    snJsonWriter_PutInt(w, "panels", 6);
    snJsonWriter_PutInt(w, "columns", 2);
    snJsonWriter_PutDoubles(w, "size", (double[]){620, 200}, 2);
    snJsonWriter_EndObject(w);
}

void snPuppet_WriteScene(const snPuppetDef *def, snBytes *bytes)
{
    Puppet p = {def, snMakeJsonWriter(bytes, true)};
    snJsonWriter_BeginObject(&p.w);
    putHead(&p);
    snJsonWriter_Key(&p.w, "bodies");
    snJsonWriter_BeginArray(&p.w);
    for (int i = 0; i < def->segments; i++)
        putSegment(&p, listed(&p, i));
    snJsonWriter_EndArray(&p.w);
    snJsonWriter_Key(&p.w, "attachments");
    snJsonWriter_BeginArray(&p.w);
    for (int i = 0; i < def->segments; i++)
        tieSegment(&p, listed(&p, i));
    for (int k = 0; k < def->strings; k++)
        putString(&p, k);
    snJsonWriter_EndArray(&p.w);
    snJsonWriter_EndObject(&p.w);
    snBytes_AppendText(bytes, "\n");
}
