#include "layered/fields.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

#define FAR 1e6 // m: no place or size is beyond
#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))

static const char *const shapes[] = {"sphere", "superellipsoid", "cylinder"};
static const char *const kinds[] = {"ball", "hinge", "fixed"};
static const char *const axes[] = {"x", "y", "z"};
static const char *const integrators[] = {"verlet", "euler", "implicit-euler",
                                          "rk2",    "rk4",   "rosenbrock"};
static const char *const skins[] = {"grid", "mesh"};

#define PLAIN SN_QUANTITY_PLAIN
#define LENGTH SN_QUANTITY_LENGTH
#define ANGLE SN_QUANTITY_ANGLE
#define TIME SN_QUANTITY_TIME
#define WORDS(list) list, COUNT(list)

static const snColumnDef settingFields[] = {
    {"title", SN_COLUMN_TEXT, offsetof(snLayeredSettings, title), 0, 0, PLAIN, NULL, 0,
     "what the character is called"},
    {"current", SN_COLUMN_JOINT, offsetof(snLayeredSettings, current), 0, 0, PLAIN, NULL, 0,
     "the joint that new ones hang on"},
    {"loop", SN_COLUMN_FLAG, offsetof(snLayeredSettings, loop), 0, 0, PLAIN, NULL, 0,
     "key postures go round: from the last to the first at the end of the duration"},
    {"duration", SN_COLUMN_NUMBER, offsetof(snLayeredSettings, duration), 0, 1e6, TIME, NULL, 0,
     "of the animation; 0: to the last posture"},
    {"rate", SN_COLUMN_NUMBER, offsetof(snLayeredSettings, frameRate), 1, 1000, PLAIN, NULL, 0,
     "frames in a second"},
    {"gravity", SN_COLUMN_VECTOR, offsetof(snLayeredSettings, gravity), -1e4, 1e4, PLAIN, NULL, 0,
     "m/s2"},
    {"integrator", SN_COLUMN_WORD, offsetof(snLayeredSettings, integrator), 0, 0, PLAIN,
     WORDS(integrators), "how the skin's motion is stepped"},
    {"fixed", SN_COLUMN_FLAG, offsetof(snLayeredSettings, fixedStep), 0, 0, PLAIN, NULL, 0,
     "steps are all of one length; else the tolerance chooses"},
    {"tolerance", SN_COLUMN_NUMBER, offsetof(snLayeredSettings, tolerance), 1e-12, 1, PLAIN, NULL,
     0, "relative error of a step"},
    {"step", SN_COLUMN_NUMBER, offsetof(snLayeredSettings, step), 1e-7, 0.1, TIME, NULL, 0,
     "length of fixed steps, and of the first"},
    {"design-rows", SN_COLUMN_INT, offsetof(snLayeredSettings, designRows), 3, 4096, PLAIN, NULL, 0,
     "of the skin's grid while designing"},
    {"design-columns", SN_COLUMN_INT, offsetof(snLayeredSettings, designColumns), 3, 4096, PLAIN,
     NULL, 0, "the same, round"},
    {"final-rows", SN_COLUMN_INT, offsetof(snLayeredSettings, finalRows), 3, 4096, PLAIN, NULL, 0,
     "of the skin's grid for the final cache"},
    {"final-columns", SN_COLUMN_INT, offsetof(snLayeredSettings, finalColumns), 3, 4096, PLAIN,
     NULL, 0, "the same, round"},
    {"pace", SN_COLUMN_NUMBER, offsetof(snLayeredSettings, pace), 0, 1000, PLAIN, NULL, 0,
     "seconds simulated in a second of the clock; 0: as fast as can be"},
    {"correction", SN_COLUMN_NUMBER, offsetof(snLayeredSettings, correction), 1e-9, 10, LENGTH,
     NULL, 0, "what a step may be corrected by; beyond it a shorter one is taken"},
};

static const snColumnDef jointFields[] = {
    {"name", SN_COLUMN_NAME, offsetof(snLayeredJoint, name), 0, 0, PLAIN, NULL, 0, ""},
    {"parent", SN_COLUMN_JOINT, offsetof(snLayeredJoint, parent), 0, 0, PLAIN, NULL, 0,
     "what it hangs on; none: a root"},
    {"at", SN_COLUMN_VECTOR, offsetof(snLayeredJoint, place), -FAR, FAR, LENGTH, NULL, 0,
     "place at rest, in the parent's frame"},
    {"turn", SN_COLUMN_ROTATION, offsetof(snLayeredJoint, rotation), -1, 1, PLAIN, NULL, 0,
     "rotation at rest, relative to the parent"},
    {"size", SN_COLUMN_NUMBER, offsetof(snLayeredJoint, size), 0, FAR, LENGTH, NULL, 0,
     "radius of the ball that is drawn and picked"},
    {"kind", SN_COLUMN_WORD, offsetof(snLayeredJoint, kind), 0, 0, PLAIN, WORDS(kinds),
     "how it can turn"},
    {"axis", SN_COLUMN_VECTOR, offsetof(snLayeredJoint, axis), -FAR, FAR, PLAIN, NULL, 0,
     "of a hinge, or about which a ball twists, in its own frame"},
    {"limited", SN_COLUMN_FLAG, offsetof(snLayeredJoint, limited), 0, 0, PLAIN, NULL, 0,
     "whether low and high hold"},
    {"low", SN_COLUMN_VECTOR, offsetof(snLayeredJoint, low), -180, 180, ANGLE, NULL, 0,
     "least angles, degrees: twist (or the hinge's), swing about y, about z"},
    {"high", SN_COLUMN_VECTOR, offsetof(snLayeredJoint, high), -180, 180, ANGLE, NULL, 0,
     "most angles"},
    {"angles", SN_COLUMN_VECTOR, offsetof(snLayeredJoint, angles), -1e6, 1e6, ANGLE, NULL, 0,
     "how it stands now, degrees"},
    {"shift", SN_COLUMN_VECTOR, offsetof(snLayeredJoint, shift), -FAR, FAR, LENGTH, NULL, 0,
     "how far it is moved from its place now"},
};

static const snColumnDef muscleFields[] = {
    {"name", SN_COLUMN_NAME, offsetof(snLayeredMuscle, name), 0, 0, PLAIN, NULL, 0, ""},
    {"joint", SN_COLUMN_JOINT, offsetof(snLayeredMuscle, joint), 0, 0, PLAIN, NULL, 0,
     "what it moves with"},
    {"shape", SN_COLUMN_WORD, offsetof(snLayeredMuscle, shape), 0, 0, PLAIN, WORDS(shapes), ""},
    {"at", SN_COLUMN_VECTOR, offsetof(snLayeredMuscle, place), -FAR, FAR, LENGTH, NULL, 0,
     "its middle, in the joint's frame"},
    {"turn", SN_COLUMN_ROTATION, offsetof(snLayeredMuscle, rotation), -1, 1, PLAIN, NULL, 0,
     "in the joint's frame"},
    {"size", SN_COLUMN_VECTOR, offsetof(snLayeredMuscle, size), 1e-6, FAR, LENGTH, NULL, 0,
     "semi-axes; of a sphere x is its radius, of a cylinder x its radius and y half its height"},
    {"e1", SN_COLUMN_NUMBER, offsetof(snLayeredMuscle, e1), 0.2, 2, PLAIN, NULL, 0,
     "exponent along z: 0.2 a box, 1 round, 2 pointed"},
    {"e2", SN_COLUMN_NUMBER, offsetof(snLayeredMuscle, e2), 0.2, 2, PLAIN, NULL, 0,
     "exponent in the section of x and y"},
    {"color", SN_COLUMN_VECTOR, offsetof(snLayeredMuscle, color), 0, 1, PLAIN, NULL, 0,
     "red, green, blue, linear"},
    {"bare", SN_COLUMN_FLAG, offsetof(snLayeredMuscle, bare), 0, 0, PLAIN, NULL, 0,
     "the skin passes it by: beaks, claws, feet that stick out"},
    {"axis", SN_COLUMN_WORD, offsetof(snLayeredMuscle, axis), 0, 0, PLAIN, WORDS(axes),
     "along which it tapers, twists and bends"},
    {"taper", SN_COLUMN_DRIVEN, offsetof(snLayeredMuscle, taper[0]), -10, 10, PLAIN, NULL, 0,
     "along the next axis: 0.7 is twice as wide above as in the middle"},
    {"taper2", SN_COLUMN_DRIVEN, offsetof(snLayeredMuscle, taper[1]), -10, 10, PLAIN, NULL, 0,
     "along the axis after that"},
    {"twist", SN_COLUMN_DRIVEN, offsetof(snLayeredMuscle, twist), -1e4, 1e4, ANGLE, NULL, 0,
     "degrees from end to end"},
    {"bend", SN_COLUMN_DRIVEN, offsetof(snLayeredMuscle, bend), -360, 360, ANGLE, NULL, 0,
     "degrees from end to end"},
    {"bend-around", SN_COLUMN_DRIVEN, offsetof(snLayeredMuscle, bendAround), -1e4, 1e4, ANGLE, NULL,
     0, "degrees about the axis: which way it bends"},
};

static const snColumnDef bulgeFields[] = {
    {"at", SN_COLUMN_VECTOR, offsetof(snLayeredBulge, place), -FAR, FAR, LENGTH, NULL, 0,
     "in the muscle's own frame"},
    {"direction", SN_COLUMN_VECTOR, offsetof(snLayeredBulge, direction), -FAR, FAR, PLAIN, NULL, 0,
     "which way; 0,0,0: away from the axis"},
    {"width", SN_COLUMN_NUMBER, offsetof(snLayeredBulge, width), 0, FAR, LENGTH, NULL, 0,
     "of the Gaussian"},
    {"height", SN_COLUMN_DRIVEN, offsetof(snLayeredBulge, height), -FAR, FAR, LENGTH, NULL, 0,
     "at its middle; below 0 a dent"},
};

static const snColumnDef skinFields[] = {
    {"kind", SN_COLUMN_WORD, offsetof(snLayeredSkin, kind), 0, 0, PLAIN, WORDS(skins), ""},
    {"rows", SN_COLUMN_INT, offsetof(snLayeredSkin, rows), 3, 4096, PLAIN, NULL, 0,
     "points from bottom to top"},
    {"columns", SN_COLUMN_INT, offsetof(snLayeredSkin, columns), 3, 4096, PLAIN, NULL, 0,
     "points round"},
    {"bottom", SN_COLUMN_JOINT, offsetof(snLayeredSkin, bottom), 0, 0, PLAIN, NULL, 0,
     "the joint that holds its lower end"},
    {"top", SN_COLUMN_JOINT, offsetof(snLayeredSkin, top), 0, 0, PLAIN, NULL, 0,
     "the joint that holds its upper end"},
    {"color", SN_COLUMN_VECTOR, offsetof(snLayeredSkin, color), 0, 1, PLAIN, NULL, 0,
     "red, green, blue, linear"},
    {"bending", SN_COLUMN_NUMBER, offsetof(snLayeredSkin, bending), 0, 1e9, PLAIN, NULL, 0,
     "stiffness against bending, N m"},
    {"pressure", SN_COLUMN_NUMBER, offsetof(snLayeredSkin, pressure), 0, 1e12, SN_QUANTITY_PRESSURE,
     NULL, 0, "against a change of the volume inside"},
    {"self", SN_COLUMN_FLAG, offsetof(snLayeredSkin, self), 0, 0, PLAIN, NULL, 0,
     "its layers do not pass through each other"},
    {"thickness", SN_COLUMN_NUMBER, offsetof(snLayeredSkin, thickness), 0, FAR, LENGTH, NULL, 0,
     "between two layers of it; 0: a quarter of its edges"},
    {"self-friction", SN_COLUMN_NUMBER, offsetof(snLayeredSkin, friction), 0, 10, PLAIN, NULL, 0,
     "of layers on each other"},
    {"stiffness", SN_COLUMN_DRIVEN, offsetof(snLayeredSkin, stiffness), 1e-3, 1e3, PLAIN, NULL, 0,
     "how many times as stiff it is, with its bands"},
};

static const snColumnDef pointFields[] = {
    {"place", SN_COLUMN_VECTOR, offsetof(snLayeredPoint, place), -FAR, FAR, LENGTH, NULL, 0,
     "where it is, the figure at rest"},
    {"mass", SN_COLUMN_NUMBER, offsetof(snLayeredPoint, mass), 1e-9, 1e9, PLAIN, NULL, 0, "kg/m2"},
    {"elasticity", SN_COLUMN_VECTOR, offsetof(snLayeredPoint, elasticity), 0, 1e12, PLAIN, NULL, 0,
     "N/m: round, shear, up"},
    {"metric", SN_COLUMN_VECTOR, offsetof(snLayeredPoint, metric), -1e6, 1e6, PLAIN, NULL, 0,
     "at rest, relative to how it is placed: 1,0,1; less is tight"},
    {"damping", SN_COLUMN_NUMBER, offsetof(snLayeredPoint, damping), 0, 1e9, PLAIN, NULL, 0,
     "of all motion, N s/m3"},
    {"viscosity", SN_COLUMN_NUMBER, offsetof(snLayeredPoint, viscosity), 0, 1e3, TIME, NULL, 0,
     "how long stretching lags"},
    {"fat", SN_COLUMN_NUMBER, offsetof(snLayeredPoint, fat), 0, FAR, LENGTH, NULL, 0,
     "thickness below the skin"},
    {"stiffness", SN_COLUMN_NUMBER, offsetof(snLayeredPoint, stiffness), 0, 1e12, PLAIN, NULL, 0,
     "of the band, N/m per m2"},
    {"band-damping", SN_COLUMN_NUMBER, offsetof(snLayeredPoint, bandDamping), 0, 1e12, PLAIN, NULL,
     0, "of the band, N s/m per m2"},
    {"band-length", SN_COLUMN_NUMBER, offsetof(snLayeredPoint, bandLength), 0, FAR, LENGTH, NULL, 0,
     "of the band at rest"},
    {"foot", SN_COLUMN_VECTOR, offsetof(snLayeredPoint, foot), -FAR, FAR, LENGTH, NULL, 0,
     "where it is tied, in the frame of the muscle (or of the joint)"},
    {"muscle", SN_COLUMN_MUSCLE, offsetof(snLayeredPoint, muscle), 0, 0, PLAIN, NULL, 0,
     "what it is tied to by a band"},
    {"joint", SN_COLUMN_JOINT, offsetof(snLayeredPoint, joint), 0, 0, PLAIN, NULL, 0,
     "what holds it"},
    {"uv", SN_COLUMN_PAIR, offsetof(snLayeredPoint, uv), -FAR, FAR, PLAIN, NULL, 0,
     "place in a texture"},
    {"color", SN_COLUMN_VECTOR, offsetof(snLayeredPoint, color), 0, 1, PLAIN, NULL, 0,
     "red, green, blue, linear"},
};

static const snColumnDef markFields[] = {
    {"name", SN_COLUMN_NAME, offsetof(snLayeredMark, name), 0, 0, PLAIN, NULL, 0, ""},
    {"at", SN_COLUMN_VECTOR, offsetof(snLayeredMark, place), -FAR, FAR, LENGTH, NULL, 0,
     "its middle, the figure at rest"},
    {"turn", SN_COLUMN_ROTATION, offsetof(snLayeredMark, rotation), -1, 1, PLAIN, NULL, 0, ""},
    {"size", SN_COLUMN_VECTOR, offsetof(snLayeredMark, size), 1e-6, FAR, LENGTH, NULL, 0,
     "semi-axes of the ellipsoid within which the skin has the colour"},
    {"edge", SN_COLUMN_NUMBER, offsetof(snLayeredMark, edge), 0, 2, PLAIN, NULL, 0,
     "over which share of the size it fades: 0 is sharp, 1 soft"},
    {"color", SN_COLUMN_VECTOR, offsetof(snLayeredMark, color), 0, 1, PLAIN, NULL, 0,
     "red, green, blue, linear"},
};

static const snColumnDef postureFields[] = {
    {"name", SN_COLUMN_NAME, offsetof(snLayeredPosture, name), 0, 0, PLAIN, NULL, 0, ""},
    {"time", SN_COLUMN_NUMBER, offsetof(snLayeredPosture, time), 0, 1e6, TIME, NULL, 0, "when"},
    {"tension", SN_COLUMN_NUMBER, offsetof(snLayeredPosture, tension), -10, 10, PLAIN, NULL, 0,
     "1 tight, -1 round"},
    {"continuity", SN_COLUMN_NUMBER, offsetof(snLayeredPosture, continuity), -10, 10, PLAIN, NULL,
     0, "0 smooth, 1 and -1 corners"},
    {"bias", SN_COLUMN_NUMBER, offsetof(snLayeredPosture, bias), -10, 10, PLAIN, NULL, 0,
     "1 overshoots, -1 undershoots"},
};

static const snColumnDef poseFields[] = {
    {"angles", SN_COLUMN_VECTOR, offsetof(snLayeredPostured, angles), -1e6, 1e6, ANGLE, NULL, 0,
     "degrees"},
    {"shift", SN_COLUMN_VECTOR, offsetof(snLayeredPostured, shift), -FAR, FAR, LENGTH, NULL, 0,
     "moved from its place"},
};

#define FIELDS(list) ((snColumns){list, COUNT(list)})

snColumns snColumns_Of(snTable table)
{
    switch (table) {
    case SN_TABLE_SETTINGS:
        return FIELDS(settingFields);
    case SN_TABLE_JOINTS:
        return FIELDS(jointFields);
    case SN_TABLE_MUSCLES:
        return FIELDS(muscleFields);
    case SN_TABLE_SKIN:
        return FIELDS(skinFields);
    case SN_TABLE_POINTS:
        return FIELDS(pointFields);
    case SN_TABLE_MARKS:
        return FIELDS(markFields);
    case SN_TABLE_POSTURES:
        return FIELDS(postureFields);
    default:
        return (snColumns){0};
    }
}

snColumns snColumns_OfBulge(void)
{
    return FIELDS(bulgeFields);
}

snColumns snColumns_OfPose(void)
{
    return FIELDS(poseFields);
}

const snColumnDef *snColumns_Find(snColumns fields, const char *name)
{
    for (int i = 0; i < fields.count; i++)
        if (!strcmp(fields.list[i].name, name)) return &fields.list[i];
    return NULL;
}

size_t snColumnDef_Size(const snColumnDef *field)
{
    switch (field->kind) {
    case SN_COLUMN_NAME:
    case SN_COLUMN_TEXT:
        return SN_NAME_SIZE;
    case SN_COLUMN_NUMBER:
        return sizeof(double);
    case SN_COLUMN_PAIR:
        return 2 * sizeof(double);
    case SN_COLUMN_VECTOR:
        return sizeof(snVec3);
    case SN_COLUMN_ROTATION:
        return sizeof(snQuat);
    case SN_COLUMN_DRIVEN:
        return sizeof(snDriven);
    default:
        return sizeof(int);
    }
}

snStatus snName_Check(const char *name, snError *error)
{
    if (!*name) return snFail(error, SN_ERROR_ARGUMENT, "a name is missing");
    if (strlen(name) >= SN_NAME_SIZE)
        return snFail(error, SN_ERROR_ARGUMENT,
                      "the name \"%.40s...\" is too long: %d bytes are the most", name,
                      SN_NAME_SIZE - 1);
    bool good = isalnum((unsigned char)*name) || (unsigned char)*name >= 128;
    if (!snIsUtf8(name, strlen(name)))
        return snFail(error, SN_ERROR_ARGUMENT, "a name has bytes that are no text (UTF-8)");
    for (const char *p = name; *p; p++)
        good &= (unsigned char)*p > 32 && *p != 127 && !strchr("=,:#\"'()", *p);
    if (good) return SN_OK;
    return snFail(
        error, SN_ERROR_ARGUMENT,
        "the name \"%.40s\" must begin with a letter or digit and have no spaces and none "
        "of = , : # ( ) and quotes",
        name);
}

// ---- driven numbers -------------------------------------------------------------------------------

bool snDriven_IsNumber(const snDriven *driven, double value)
{
    return driven->kind == SN_DRIVEN_NUMBER && driven->value == value;
}

// Straight lines between points, held at the ends.
static double alongLines(const snDriven *d, double x)
{
    int n = d->count;
    if (!n) return d->value;
    if (!(x > d->points[0][0])) return d->points[0][1];
    for (int i = 1; i < n; i++) {
        const double *a = d->points[i - 1], *b = d->points[i];
        if (x < b[0]) return a[1] + (b[1] - a[1]) * ((x - a[0]) / (b[0] - a[0]));
    }
    return d->points[n - 1][1];
}

double snDriven_Value(const snDriven *driven, double time, const snVec3 *angles)
{
    double a = 0, value = 0;
    if (driven->kind == SN_DRIVEN_NUMBER) return driven->value;
    if (driven->kind == SN_DRIVEN_KEYS) return alongLines(driven, time);
    if (driven->joint >= 0) {
        const double *all = &angles[driven->joint].x;
        a = all[driven->angle];
    }
    if (driven->kind == SN_DRIVEN_MAP) return alongLines(driven, a);
    for (int i = driven->count; i-- > 0;) // Horner
        value = value * a + driven->points[i][0];
    return value;
}
