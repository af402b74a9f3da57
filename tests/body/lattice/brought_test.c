// Flesh on a lattice that was made elsewhere: what a rig document says builds the same flesh again, and a lattice that cannot
// carry the character is refused with its place.
#include "body/lattice/grid_lattice.h"
#include "body/lattice/rig_file.h"
#include "core/error.h"
#include "tests/body/lattice/toys.h"

#include <math.h>

static snContext context;
static snArena arena;

// A block of 1 x 2 x 1 over two joints, the lower half on the first; their bone is the axis from its floor to its middle.
typedef struct Limb {
    snCharacter character;
    snJoint joints[2];
    snPart part;
    snSkin skin;
    int skinJoints[2];
    snAffine inverseBind[2];
} Limb;

static void makeLimb(Limb *limb)
{
    *limb = (Limb){.skinJoints = {0, 1}};
    for (int j = 0; j < 2; j++) {
        limb->joints[j] = (snJoint){.name = j ? "upper" : "lower", .parent = j - 1, .rest = none};
        limb->joints[j].rest.translation = j ? snVec(0, 1, 0) : snVec(5.5, 0, 0.5);
        limb->inverseBind[j] = snIdentityAffine();
        limb->inverseBind[j].origin = snVec(-5.5, -j, -0.5);
    }
    snPart *part = &limb->part;
    makeBlock(part, &arena, snVec(5, 0, 0), snVec(6, 2, 1));
    part->skin = 0;
    part->influences = 1;
    part->joints = SN_NEW(&arena, int, part->vertexCount);
    part->weights = SN_NEW(&arena, float, part->vertexCount);
    for (int v = 0; v < part->vertexCount; v++) {
        part->joints[v] = part->positions[v].y > 1;
        part->weights[v] = 1;
    }
    limb->skin = (snSkin){"skin", 2, limb->skinJoints, limb->inverseBind};
    limb->character = (snCharacter){.skeleton = {2, limb->joints},
                                    .skinCount = 1,
                                    .skins = &limb->skin,
                                    .partCount = 1,
                                    .parts = part,
                                    .vertexCount = part->vertexCount,
                                    .triangleCount = part->triangleCount};
}

// Cubes of half a metre: the axis runs through vertices at 0, 0.5 and 1. Or of a whole one: at 0 and 1.
static snLattice makeCubesOf(int perMetre)
{
    snLattice lattice;
    snBox box = {snVec(4.5, -1, -0.5), snVec(6.5, 3, 1.5)};
    int n[3] = {2 * perMetre, 4 * perMetre, 2 * perMetre};
    CHECK(snBoxLattice(&lattice, box, n, &arena, NULL) == SN_OK);
    for (int v = 0; v < lattice.vertexCount; v++)
        lattice.joint[v] = -1;
    return lattice;
}

static snLattice makeCubes(void)
{
    return makeCubesOf(2);
}

static int vertexNear(const snLattice *l, snVec3 point)
{
    int best = 0;
    for (int v = 1; v < l->vertexCount; v++)
        if (snDistance(l->rest[v], point) < snDistance(l->rest[best], point)) best = v;
    return best;
}

static snStatus tryBuild(snFlesh **flesh, const Limb *limb, const snLattice *lattice, bool relaxed,
                         snError *error)
{
    snFleshDef def = snDefaultFleshDef();
    def.lattice = lattice;
    def.relaxed = relaxed;
    return snFlesh_Build(flesh, &limb->character, &def, &context, error);
}

static void refuses(const Limb *limb, const snLattice *lattice, snStatus code, const char *expected)
{
    snFlesh *flesh = NULL;
    snError error = {0};
    CHECK(tryBuild(&flesh, limb, lattice, false, &error) == code);
    if (!CHECK(strstr(error.message, expected)))
        printf("    '%s' instead of '%s'\n", error.message, expected);
    snFlesh_Destroy(flesh);
}

static void verticesOnBonesAreFound(void)
{
    Limb limb;
    makeLimb(&limb);
    snLattice cubes = makeCubes();
    snFlesh *flesh = NULL;
    snError error = {0};
    if (!CHECK(tryBuild(&flesh, &limb, &cubes, false, &error) == SN_OK)) {
        printf("    %s\n", error.message);
        return;
    }
    const snLattice *l = &flesh->lattice;
    CHECK(l->joint[vertexNear(l, snVec(5.5, 0, 0.5))] == 0);
    CHECK(l->joint[vertexNear(l, snVec(5.5, 0.5, 0.5))] == 0);
    CHECK(l->joint[vertexNear(l, snVec(5.5, 1, 0.5))] == 1); // its own place, not its parent's tail
    CHECK(l->joint[vertexNear(l, snVec(5, 0.5, 0.5))] == -1);
    CHECK(flesh->report.missingBoneEdges == 0);
    CHECK_NEAR(flesh->report.spacing, 0.5, 1e-12);
    CHECK_NEAR(flesh->report.worstQuality, 1, 1e-12);
    CHECK_NEAR(snFlesh_CellQuality(flesh, 0), 1, 1e-12);
    snFlesh_Destroy(flesh);
}

static void whatCannotCarryIsRefused(void)
{
    Limb limb;
    makeLimb(&limb);
    snVec3 axis[3] = {snVec(5.5, 0, 0.5), snVec(5.5, 0.5, 0.5), snVec(5.5, 1, 0.5)};
    const char *expected[3] = {"has no vertex at its head", "is no chain of lattice",
                               "has no vertex at its tail"};
    for (int k = 0; k < 3; k++) { // a vertex of the bone is moved aside
        snLattice cubes = makeCubes();
        cubes.rest[vertexNear(&cubes, axis[k])].x += 0.1;
        refuses(&limb, &cubes, SN_ERROR_GEOMETRY, expected[k]);
        snFlesh *flesh = NULL;
        CHECK(tryBuild(&flesh, &limb, &cubes, true, NULL) == SN_OK); // and may be, if so told
        if (flesh) CHECK((flesh->report.missingBoneEdges > 0) == (k == 1));
        snFlesh_Destroy(flesh);
    }
    snLattice cubes = makeCubes();
    cubes.joint[3] = 2;
    refuses(&limb, &cubes, SN_ERROR_ARGUMENT,
            "lattice vertex 3 is on joint 2; the character has 2");
    cubes = makeCubes();
    cubes.cellCount--; // the last corner is nobody's any more
    refuses(&limb, &cubes, SN_ERROR_GEOMETRY, "it is a corner of no cell");
    cubes = makeCubes();
    for (int v = 0; v < cubes.vertexCount; v++) // too small for the block
        cubes.rest[v] =
            snAdd(snVec(5.5, 0.5, 0.5), snScale(0.5, snSub(cubes.rest[v], snVec(5.5, 0.5, 0.5))));
    refuses(&limb, &cubes, SN_ERROR_GEOMETRY, "");
    cubes = makeCubes();
    snFleshDef def = snDefaultFleshDef();
    def.lattice = &cubes;
    def.details = 1;
    snFlesh *flesh = NULL;
    snError error = {0};
    CHECK(snFlesh_Build(&flesh, &limb.character, &def, &context, &error) == SN_ERROR_UNSUPPORTED);
    CHECK(strstr(error.message, "lattice.cells[0]: it has 8 corners; details need") != NULL);
    snFlesh_Destroy(flesh);
}

// A document that is written of flesh builds flesh that moves to the same bits.
static void documentsBuildTheSameFlesh(void)
{
    Toy toy;
    makeToy(&toy, &arena);
    snFleshDef def = snDefaultFleshDef();
    def.twist = 0.5;
    def.spacing = 0.4;
    def.made = true;
    snFlesh *flesh = NULL, *again = NULL;
    snError error = {0};
    CHECK(snFlesh_Build(&flesh, &toy.character, &def, &context, &error) == SN_OK);
    if (!flesh) return;
    snBytes first = snMakeBytes(&context), second = snMakeBytes(&context);
    CHECK(snRigFile_Write(flesh, &first, NULL) == SN_OK);
    snRigFile file;
    snFleshDef base = snDefaultFleshDef();
    snStatus status = snRigFile_Read(&file, (char *)first.data, first.size, &toy.character.skeleton,
                                     &base, &context, &error);
    if (!CHECK(status == SN_OK)) {
        printf("    %s\n", error.message);
        return;
    }
    CHECK(file.hasLattice && file.lattice.cellCount == flesh->lattice.cellCount);
    CHECK(file.def.twist == 0.5 && file.def.spacing == 0.4);
    CHECK(snFlesh_Build(&again, &toy.character, &file.def, &context, &error) == SN_OK);
    if (again) {
        int n = toy.character.vertexCount;
        snVec3f *a = SN_NEW(&arena, snVec3f, n), *b = SN_NEW(&arena, snVec3f, n);
        snVec3f *rig = SN_NEW(&arena, snVec3f, n);
        play(flesh, 0.2, a, rig);
        play(again, 0.2, b, rig);
        CHECK(!memcmp(a, b, (size_t)n * sizeof *a));
        CHECK(snRigFile_Write(again, &second, NULL) == SN_OK);
        CHECK(first.size == second.size && !memcmp(first.data, second.data, first.size));
    } else {
        printf("    %s\n", error.message);
    }
    snFlesh_Destroy(flesh);
    snFlesh_Destroy(again);
    snRigFile_Destroy(&file);
    snBytes_Destroy(&first);
    snBytes_Destroy(&second);
}

static void everyAllocationMayFail(void)
{
    Limb limb;
    makeLimb(&limb);
    snLattice cubes = makeCubesOf(1);
    snStatus status = SN_ERROR_MEMORY;
    for (int n = 1; status && n < 4000; n += n < 100 ? 1 : 5) {
        snContext failing = snDefaultContext();
        snFailingMemory memory = {.failAtWay = n};
        snTest_UseFailingMemory(&failing, &memory);
        snFleshDef def = snDefaultFleshDef();
        def.lattice = &cubes;
        snFlesh *flesh = NULL;
        snBytes bytes = snMakeBytes(&failing);
        status = snFlesh_Build(&flesh, &limb.character, &def, &failing, NULL);
        if (!status) status = snRigFile_Write(flesh, &bytes, NULL);
        CHECK(status == (memory.count < n ? SN_OK : SN_ERROR_MEMORY));
        snBytes_Destroy(&bytes);
        snFlesh_Destroy(flesh);
        CHECK(memory.alive == 0);
    }
    CHECK(status == SN_OK);
}

// Each number of a definition with values that it cannot have.
static void badDefinitionsAreNamed(void)
{
    Limb limb;
    makeLimb(&limb);
    snLattice cubes = makeCubesOf(1);
    snFleshDef def = snDefaultFleshDef();
    snFleshBlame blame;
    struct {
        double *at;
        double bad[3];
        const char *expected;
    } cases[] = {{&def.wobble, {0, 1000, NAN}, "wobble"},
                 {&def.twist, {1001, INFINITY, NAN}, "twist"},
                 {&def.twistRadius, {-1, 101, NAN}, "twist"},
                 {&def.pace, {0, 101, NAN}, "pace"},
                 {&def.amplitude, {-1, 101, NAN}, "amplitude"}};
    for (int i = 0; i < 5; i++)
        for (int k = 0; k < 3; k++) {
            def = snDefaultFleshDef();
            def.lattice = &cubes;
            def.blame = &blame;
            *cases[i].at = cases[i].bad[k];
            snFlesh *flesh = NULL;
            snError error = {0};
            CHECK(snFlesh_Build(&flesh, &limb.character, &def, &context, &error) ==
                      SN_ERROR_ARGUMENT &&
                  !flesh);
            if (!CHECK(strstr(error.message, cases[i].expected)))
                printf("    '%s' does not name %s\n", error.message, cases[i].expected);
            CHECK(blame.fault == SN_FAULT_CHARACTER); // not the lattice's, not a rule's
        }
    snFlesh *flesh = NULL;
    for (int levels = -1; levels <= SN_DETAIL_LEVELS + 1; levels += SN_DETAIL_LEVELS + 2) {
        def = snDefaultFleshDef();
        def.details = levels;
        CHECK(snFlesh_Build(&flesh, &limb.character, &def, &context, NULL) == SN_ERROR_ARGUMENT);
    }
    limb.character.triangleCount = 0;
    def = snDefaultFleshDef();
    CHECK(snFlesh_Build(&flesh, &limb.character, &def, &context, NULL) != SN_OK && !flesh);
    // What is wrong with a lattice is its fault, and a document that has one says so.
    makeLimb(&limb);
    cubes.cellCount--;
    snRigFile file = {.hasLattice = true, .within = true};
    snError error = {0};
    def.lattice = &cubes;
    def.blame = &blame;
    CHECK(snFlesh_Build(&flesh, &limb.character, &def, &context, &error) == SN_ERROR_GEOMETRY);
    CHECK(blame.fault == SN_FAULT_LATTICE && snRigFile_IsAtFault(&file, &blame, &error));
    CHECK(!strncmp(error.message, "rig.lattice.vertices[", 21));
    file.hasLattice = false;
    CHECK(!snRigFile_IsAtFault(&file, &blame, &error));
    blame = (snFleshBlame){.fault = SN_FAULT_SPACING};
    CHECK(!snRigFile_IsAtFault(&file, &blame, &error));
    file = (snRigFile){.def = {.made = true, .spacing = 0.1}};
    snFail(&error, SN_ERROR_ARGUMENT, "too fine");
    CHECK(snRigFile_IsAtFault(&file, &blame, &error));
    CHECK(!strcmp(error.message, "defaults.spacing: too fine"));
    file.def.spacing = 0;
    snFail(&error, SN_ERROR_ARGUMENT, "too many");
    CHECK(snRigFile_IsAtFault(&file, &blame, &error));
    CHECK(!strcmp(error.message, "defaults.cells: too many"));
    snFleshRule rule = {.part = "ear"};
    file = (snRigFile){.ruleCount = 1, .ownRules = 1, .rules = &rule};
    for (int k = -1; k < 2; k++) {
        blame = (snFleshBlame){.fault = SN_FAULT_RULE, .rule = k};
        snFail(&error, SN_ERROR_ARGUMENT, "no such joint");
        CHECK(snRigFile_IsAtFault(&file, &blame, &error) == (k == 0));
        CHECK(!strcmp(error.message, k ? "no such joint" : "parts.ear: no such joint"));
    }
}

static void boxesOfNoCellsAreRefused(void)
{
    static const int bad[4][3] = {{0, 1, 1}, {1, -1, 1}, {1, 1, 0}, {2000, 2000, 2000}};
    snLattice lattice;
    snError error = {0};
    snBox box = {snVec(0, 0, 0), snVec(1, 1, 1)};
    for (int i = 0; i < 4; i++) {
        CHECK(snBoxLattice(&lattice, box, bad[i], &arena, &error) == SN_ERROR_ARGUMENT);
        CHECK(strstr(error.message, "there must be one along each side") != NULL);
    }
    CHECK(snBoxLattice(&lattice, box, (int[3]){1, 1, 1}, &arena, NULL) == SN_OK);
    CHECK(lattice.cellCount == 1 && lattice.vertexCount == 8);
    CHECK_NEAR(snLattice_Volume(&lattice, 0), 1, 1e-15);
}

int main(void)
{
    context = snDefaultContext();
    arena = snMakeArena(&context);
    RUN(verticesOnBonesAreFound);
    RUN(whatCannotCarryIsRefused);
    RUN(documentsBuildTheSameFlesh);
    RUN(everyAllocationMayFail);
    RUN(badDefinitionsAreNamed);
    RUN(boxesOfNoCellsAreRefused);
    snArena_Destroy(&arena);
    return snTest_Finish();
}
