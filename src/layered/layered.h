// Layered characters (Turner and Gobbetti, "Interactive Construction and Animation of Layered Elastically
// Deformable Characters", 1998): skeleton, muscles on its joints, a skin with fat and bands over them, key
// postures. What lives here: the document (docs/character-file.md), operations on it that can be undone, and
// scripts of them. May use everything up to body. Begin with snLayered below, then editor.h (how it changes),
// fields.h (how it is read, written and typed), script.h (operations as lines of text).
//
// The document is a handful of tables. A row is plain data without pointers or padding: rows speak of each other
// by number, names are kept inline, and what is not used is zero. So a change is bytes that were and bytes
// that are, and nothing else has to be known to take it back.
#ifndef SN_LAYERED_LAYERED_H
#define SN_LAYERED_LAYERED_H

#include "core/memory.h"
#include "geometry/muscle.h"
#include "skeleton/range.h"

#define SN_LAYERED_VERSION 1
#define SN_NAME_SIZE 64     // bytes of a name, with its final zero
#define SN_DRIVEN_POINTS 32 // keys, points of a map, or coefficients
#define SN_MOST_JOINTS 4096 // and muscles, and postures
#define SN_MOST_POINTS 1000000

typedef enum snTable {
    SN_TABLE_SETTINGS,  // snLayeredSettings, always one row
    SN_TABLE_JOINTS,    // snLayeredJoint, parents before children
    SN_TABLE_MUSCLES,   // snLayeredMuscle
    SN_TABLE_SKIN,      // snLayeredSkin, none or one row
    SN_TABLE_POINTS,    // snLayeredPoint
    SN_TABLE_TRIANGLES, // snLayeredTriangle, of a skin that is a mesh
    SN_TABLE_MARKS,     // snLayeredMark, later ones over earlier ones
    SN_TABLE_POSTURES,  // snLayeredPosture, by ascending time
    SN_TABLE_POSTURED,  // snLayeredPostured [postures * joints]
    SN_TABLE_COUNT,
} snTable;

// A number; or one over time; or a function of a joint's angle.
typedef enum snDrivenKind {
    SN_DRIVEN_NUMBER,
    SN_DRIVEN_KEYS,       // (time, value), straight lines between, held at the ends
    SN_DRIVEN_MAP,        // (degrees, value), the same over a joint's angle
    SN_DRIVEN_POLYNOMIAL, // coefficients of 1, a, a², ... of the angle a in degrees
} snDrivenKind;

typedef struct snDriven {
    int kind, joint;                    // whose angle; -1: none
    int angle;                          // 0, 1, 2: twist (or the hinge's), swing about y, about z
    int count;                          // of points
    double value;                       // of a number
    double points[SN_DRIVEN_POINTS][2]; // of polynomials the first of each
} snDriven;

typedef enum snIntegratorWord {
    SN_SKIN_VERLET,
    SN_SKIN_EULER,
    SN_SKIN_IMPLICIT_EULER,
    SN_SKIN_RK2,
    SN_SKIN_RK4,
    SN_SKIN_ROSENBROCK,
    SN_SKIN_INTEGRATORS,
} snIntegratorWord;

typedef struct snLayeredSettings {
    char title[SN_NAME_SIZE];
    int current;      // the joint that new ones hang on; -1: none
    int loop;         // key postures go round
    double duration;  // s; 0: to the last posture
    double frameRate; // Hz
    snVec3 gravity;   // m/s²
    int integrator, fixedStep;
    double tolerance, step; // of lengths, relative; s, where it is fixed and at first
    int designRows, designColumns, finalRows, finalColumns;
    double pace;       // seconds simulated in a second of the clock; 0: as fast as can be
    double correction; // m, the most that a step may have to be corrected by
} snLayeredSettings;

typedef struct snLayeredJoint {
    char name[SN_NAME_SIZE];
    int parent;      // -1: a root
    int kind;        // snJointKind
    snVec3 place;    // m, in the parent's frame at rest
    snQuat rotation; // at rest, relative to the parent
    double size;     // m, radius of the ball that is drawn and picked
    snVec3 axis;     // of a hinge, or about which a ball twists, in the joint's own frame
    int limited, unused;
    snVec3 low, high; // degrees: twist or hinge, swing about y, about z
    snVec3 angles;    // degrees: how it stands now
    snVec3 shift;     // m: moved from its place now
} snLayeredJoint;

typedef struct snLayeredBulge {
    snVec3 place, direction;
    double width;
    snDriven height;
} snLayeredBulge;

typedef struct snLayeredMuscle {
    char name[SN_NAME_SIZE];
    int joint;
    int shape; // 0 sphere, 1 superellipsoid, 2 cylinder: as in snShapeKind
    snVec3 place;
    snQuat rotation; // in the joint's frame
    snVec3 size;     // as snShape has it
    double e1, e2;
    snVec3 color; // linear
    int axis, bulgeCount;
    int bare, unused; // the skin passes it by
    snDriven taper[2];
    snDriven twist, bend, bendAround; // degrees
    snLayeredBulge bulges[SN_WARP_BULGES];
} snLayeredMuscle;

typedef enum snSkinKind { SN_SKIN_GRID, SN_SKIN_MESH } snSkinKind;

typedef struct snLayeredSkin {
    int kind;
    int self;          // it does not pass through itself
    int rows, columns; // of a grid: from bottom to top, and round
    int bottom, top;   // joints; of a mesh -1
    snVec3 color;
    double bending;     // N m
    double pressure;    // Pa for a relative change of the volume inside
    double thickness;   // m between two layers of it; 0: a quarter of its edges
    double friction;    // of layers on each other
    snDriven stiffness; // how many times as stiff it is, bands too: over time, or of an angle
} snLayeredSkin;

// Densities are per square metre of the skin at rest where they say so, so that a finer skin weighs the same.
typedef struct snLayeredPoint {
    snVec3 place;       // m, the figure at rest
    double mass;        // kg/m²
    snVec3 elasticity;  // N/m: round, shear, up
    snVec3 metric;      // at rest: the same three, relative to how it is placed; 1, 0, 1
    double damping;     // N s/m³, of all motion against the muscle it is tied to, or the room
    double viscosity;   // s: how long stretching lags
    double fat;         // m
    double stiffness;   // of the band, N/m per m²
    double bandDamping; // N s/m per m²
    double bandLength;  // m: shorter ones do not pull
    snVec3 foot;       // where it is tied: on the muscle (snMuscle_Source), or in the joint's frame
    int muscle, joint; // tied by a band, or held; -1: not
    double uv[2];
    snVec3 color; // linear
} snLayeredPoint;

typedef struct snLayeredTriangle {
    int corner[3];
} snLayeredTriangle;

// A colour within an ellipsoid, the figure at rest: eyes, patches. It does not depend on where the skin has points, so its edge is
// as sharp as the surface that is drawn is fine.
typedef struct snLayeredMark {
    char name[SN_NAME_SIZE];
    snVec3 place;
    snQuat rotation;
    snVec3 size; // m, semi-axes
    double edge; // over which share of its size it fades, around its rim
    snVec3 color;
} snLayeredMark;

typedef struct snLayeredPosture {
    char name[SN_NAME_SIZE];
    double time; // s
    double tension, continuity, bias;
} snLayeredPosture;

typedef struct snLayeredPostured {
    snVec3 angles, shift;
} snLayeredPostured;

typedef struct snRows {
    void *data;
    int count, capacity;
} snRows;

typedef struct snLayered {
    snContext context;
    snRows tables[SN_TABLE_COUNT];
} snLayered;

// An empty document: settings as by default.
snStatus snLayered_Make(snLayered *layered, const snContext *context, snError *error);
void snLayered_Destroy(snLayered *layered);

size_t snTable_RowSize(snTable table);
// Sets a row to what it is where nothing is said.
void snTable_Default(snTable table, void *row);

static inline int snLayered_Count(const snLayered *layered, snTable table)
{
    return layered->tables[table].count;
}
static inline const snLayeredSettings *snLayered_Settings(const snLayered *layered)
{
    return layered->tables[SN_TABLE_SETTINGS].data;
}
static inline const snLayeredJoint *snLayered_Joints(const snLayered *layered)
{
    return layered->tables[SN_TABLE_JOINTS].data;
}
static inline const snLayeredMuscle *snLayered_Muscles(const snLayered *layered)
{
    return layered->tables[SN_TABLE_MUSCLES].data;
}
static inline const snLayeredSkin *snLayered_Skin(const snLayered *layered) // NULL: none
{
    return snLayered_Count(layered, SN_TABLE_SKIN) ? layered->tables[SN_TABLE_SKIN].data : NULL;
}
static inline const snLayeredPoint *snLayered_Points(const snLayered *layered)
{
    return layered->tables[SN_TABLE_POINTS].data;
}
static inline const snLayeredTriangle *snLayered_Triangles(const snLayered *layered)
{
    return layered->tables[SN_TABLE_TRIANGLES].data;
}
static inline const snLayeredMark *snLayered_Marks(const snLayered *layered)
{
    return layered->tables[SN_TABLE_MARKS].data;
}
static inline const snLayeredPosture *snLayered_Postures(const snLayered *layered)
{
    return layered->tables[SN_TABLE_POSTURES].data;
}
static inline const snLayeredPostured *snLayered_Postured(const snLayered *layered, int posture)
{
    const snLayeredPostured *rows = layered->tables[SN_TABLE_POSTURED].data;
    return rows + (size_t)posture * (size_t)layered->tables[SN_TABLE_JOINTS].count;
}

// Of joints, muscles, marks and postures: what a row is called, and the number of the row of that name, or -1.
const char *snLayered_Name(const snLayered *layered, snTable table, int row);
int snLayered_Find(const snLayered *layered, snTable table, const char *name);
snStatus snLayered_NeedSkin(const snLayered *layered, snError *error); // fails where there is none
// Fails with "there is no joint called ...; did you mean ...?".
snStatus snLayered_Need(const snLayered *layered, snTable table, const char *name, int *row,
                        snError *error);

#endif
