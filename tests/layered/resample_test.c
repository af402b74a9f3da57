// Other resolutions of skins: grids and meshes doubled and halved. Sums of mass, damping and bands stay; what was doubled is given
// back by halving; undone it is the same bytes; a halved skin of any shape can be played.
#include "layered/play.h"
#include "layered/surface.h"
#include "tests/layered/made.h"

#define BODY                                                                                       \
    "joint add low parent=none at=0,-0.11,0 kind=fixed size=2cm\n"                                 \
    "joint add high at=0,0.22,0 kind=fixed size=2cm\n"                                             \
    "muscle add ball joint=low at=0,0.11,0 size=0.1\nmuscle add arm joint=high at=0.1,-0.08,0 "    \
    "shape=superellipsoid size=0.12,0.04,0.05\n"
// All values of points other than by default, and uneven.
#define PAINT                                                                                      \
    "skin attach\nskin paint mass=3 damping=35 viscosity=4e-4 near=0,0,0.1 radius=0.05\n"          \
    "skin paint stiffness=3e4 band-damping=12 elasticity=120,150,90 near=0.1,0,0 radius=0.06\n"    \
    "skin paint metric=0.9,0.01,1.1 color=1,0,0 near=0,0.1,0 radius=0.07\n"                        \
    "skin paint uv=0.25,0.75 near=0,0,-0.1 radius=0.06\n"                                          \
    "skin fat near=0,0,0.1 radius=4cm amount=1cm\n"
#define EGG                                                                                        \
    "joint add low parent=none at=0,-0.11,0 kind=fixed size=2cm\n"                                 \
    "joint add high at=0,0.25,0 kind=fixed size=2cm\n"                                             \
    "muscle add ball joint=low at=0,0.11,0 size=0.1\n"                                             \
    "muscle add egg joint=high at=0.02,-0.08,0 shape=superellipsoid size=0.08,0.07,0.07\n"
#define GRID EGG "skin create bottom=low top=high rows=16 columns=16 gap=5mm way=rays\n" PAINT
#define MESH BODY "skin mesh cell=2.2cm blend=1cm\n" PAINT

typedef struct Sums {
    double mass, damping, bands, bandDamping; // over the skin, as its body has them
} Sums;

static Sums sumsOf(const snEditor *editor)
{
    snArena arena = snMakeArena(&editor->layered.context);
    snSkinMesh mesh;
    Sums sums = {0};
    CHECK(snLayered_SkinMesh(&editor->layered, &mesh, &arena, NULL) == SN_OK);
    const snSkinPoint *points = snLayered_SkinPoints(&editor->layered, &mesh, &arena);
    for (int i = 0; i < mesh.pointCount; i++) {
        sums.mass += points[i].mass * mesh.area[i];
        sums.damping += points[i].damping * mesh.area[i];
        sums.bands += points[i].bandStiffness * mesh.area[i];
        sums.bandDamping += points[i].bandDamping * mesh.area[i];
    }
    snArena_Destroy(&arena);
    return sums;
}

static void checkSums(Sums a, Sums b)
{
    CHECK_NEAR(a.mass / b.mass, 1, 1e-12);
    CHECK_NEAR(a.damping / b.damping, 1, 1e-12);
    CHECK_NEAR(a.bands / b.bands, 1, 1e-12);
    CHECK_NEAR(a.bandDamping / b.bandDamping, 1, 1e-12);
}

static void sumsStay(void)
{
    static const char *const made[] = {GRID, MESH};
    for (int i = 0; i < 2; i++) {
        snEditor editor = makeEditor(made[i]);
        Sums first = sumsOf(&editor);
        runScript(&editor, "skin double\ncheck\n");
        checkSums(sumsOf(&editor), first);
        runScript(&editor, "skin halve\nskin halve\ncheck\n");
        checkSums(sumsOf(&editor), first);
        snEditor_Destroy(&editor);
    }
}

// The largest difference of a field, relative to its largest value.
static double apart(const snLayeredPoint *a, const snEditor *editor, int count, const char *name)
{
    const snColumnDef *field = snColumns_Find(snColumns_Of(SN_TABLE_POINTS), name);
    double worst = 0, most = 1e-12;
    for (int i = 0; i < count; i++) {
        const char *before = (const char *)&a[i] + field->offset;
        const char *after = (const char *)&snLayered_Points(&editor->layered)[i] + field->offset;
        const double *x = (const double *)(const void *)before;
        const double *y = (const double *)(const void *)after;
        for (size_t k = 0; k < snColumnDef_Size(field) / sizeof(double); k++) {
            worst = fmax(worst, fabs(x[k] - y[k]));
            most = fmax(most, fabs(x[k]));
        }
    }
    return worst / most;
}

static void doubledAndHalvedIsAsBefore(void)
{
    static const char *const made[] = {MESH, GRID};
    static const char *const names[] = {
        "mass",  "elasticity", "metric",      "damping", "viscosity", "stiffness", "band-damping",
        "color", "fat",        "band-length", "uv",      "place",     "foot"};
    // Rows of a grid of twice as many fall between those that were: places, and what goes with them, come back interpolated twice, and
    // densities as their areas do.
    static const double near[][13] = {
        {1e-11, 1e-11, 1e-11, 1e-11, 1e-11, 1e-11, 1e-11, 1e-11, 0, 0, 0, 0, 0},
        {2e-3, 1e-10, 1e-10, 2e-3, 1e-10, 2e-3, 2e-3, 1e-10, 0.1, 0.4, 0.05, 0.03, 0.2}};
    for (int i = 0; i < 2; i++) {
        snEditor editor = makeEditor(made[i]);
        int count = snLayered_Count(&editor.layered, SN_TABLE_POINTS);
        snBytes before = written(&editor);
        snLayeredPoint *points = malloc((size_t)count * sizeof *points);
        memcpy(points, snLayered_Points(&editor.layered), (size_t)count * sizeof *points);
        runScript(&editor, "skin double\nskin halve\ncheck\n");
        CHECK(snLayered_Count(&editor.layered, SN_TABLE_POINTS) == count);
        for (int k = 0; k < 13; k++) {
            double off = apart(points, &editor, count, names[k]);
            if (!CHECK(off <= near[i][k])) printf("%s: %g\n", names[k], off);
        }
        for (int p = 0; p < count; p++) {
            CHECK(points[p].joint == snLayered_Points(&editor.layered)[p].joint);
            if (i == 0) CHECK(points[p].muscle == snLayered_Points(&editor.layered)[p].muscle);
        }
        runScript(&editor, "undo 2\n");
        snBytes after = written(&editor);
        CHECK(isSame(&before, &after));
        snBytes_Destroy(&before);
        snBytes_Destroy(&after);
        free(points);
        snEditor_Destroy(&editor);
    }
}

static void halvedMeshesPlay(void)
{
    snEditor editor = makeEditor(MESH);
    int count = snLayered_Count(&editor.layered, SN_TABLE_POINTS);
    int triangles = snLayered_Count(&editor.layered, SN_TABLE_TRIANGLES);
    CHECK(triangles == 2 * count - 4);
    runScript(&editor, "skin halve\ncheck\n");
    int fewer = snLayered_Count(&editor.layered, SN_TABLE_POINTS);
    CHECK(fewer >= count / 4 && fewer < 0.3 * count);
    CHECK(snLayered_Count(&editor.layered, SN_TABLE_TRIANGLES) == 2 * fewer - 4);
    for (int i = 0; i < fewer; i++) // tied as before, on the muscles
        CHECK(snLayered_Points(&editor.layered)[i].muscle >= 0);
    snPlayDef def = {.settle = 0.1};
    snPlay *play;
    CHECK(snPlay_Make(&play, &editor.layered, &def, NULL) == SN_OK);
    CHECK(snPlay_Advance(play, 0.2) && snPlay_Deepest(play) < 1e-4);
    snPlay_Destroy(play);
    // As often as it goes, then no.
    snError error = {0};
    snStatus status = SN_OK;
    for (int i = 0; i < 12 && !status; i++)
        status = snEdit_HalveSkin(&editor, &error);
    CHECK(status == SN_ERROR_GEOMETRY && error.message[0]);
    runScript(&editor, "check\n");
    snEditor_Destroy(&editor);
}

int main(void)
{
    RUN(sumsStay);
    RUN(doubledAndHalvedIsAsBefore);
    RUN(halvedMeshesPlay);
    return snTest_Finish();
}
