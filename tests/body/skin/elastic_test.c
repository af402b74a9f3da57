#include "core/simd.h"
#include "tests/body/skin/skins.h"

static snVec3 r[MOST_POINTS], v[MOST_POINTS], f[MOST_POINTS], g[MOST_POINTS], d[MOST_POINTS],
    e[MOST_POINTS];

static void shake(snRandom *random, int n, double size)
{
    for (int i = 0; i < n; i++) {
        r[i] = snMulAdd(setup.skin->places[i], size, snRandom_UnitVector(random));
        v[i] = snRandom_UnitVector(random);
        d[i] = snRandom_UnitVector(random);
        e[i] = snRandom_UnitVector(random);
    }
}

// Everything that has an energy: bending with a curvature, bands, pressure, gravity, a spring.
static snElasticSkin *makeAll(bool grid, bool viscous)
{
    beginSetup();
    setup.muscles[0].shape = snDefaultMuscleShape(SN_SHAPE_SPHERE);
    setup.muscles[0].shape.shape.size = snVec(0.1, 0.1, 0.1);
    snMuscle ball = snMakeMuscle(&setup.muscles[0].shape, snIdentityAffine());
    if (grid) {
        makeTube(9, 7, 0.2, 0.6);
    } else {
        makeSkinOf(&ball, 7, 9);
        for (int i = 0; i < setup.mesh.pointCount; i++)
            setup.places[i] = snScale(1.5, setup.places[i]);
    }
    snSkinTissue tissue = snDefaultSkinTissue();
    tissue.tightness = 0.1;
    tissue.bending = 0.01;
    tissue.shear = 0.7;
    tissue.bandDamping = viscous ? 10.0 : 0.0;
    tissue.damping = viscous ? 3.0 : 0.0;
    tissue.viscosity = viscous ? 0.01 : 0.0;
    fill(&tissue);
    for (int i = 0; i < setup.mesh.pointCount; i++) {
        setup.points[i].muscle = i % 3 ? 0 : -1;
        setup.points[i].attach = snVec(0.05, 0.02 * (i % 4), 0.01);
        setup.points[i].bandLength = i % 2 ? 0.05 : 0.1;
        if (i % 5 == 0) setup.points[i].curvature = 1.0;
    }
    setup.def.pressure = 300.0;
    snElasticSkin *skin = makeSkin(1, 1);
    skin->elastic.volume *= 0.9;
    skin->pulls[skin->pullCount++] = (snSkinPull){.corner = {1, 5, 9},
                                                  .share = {0.2, 0.3, 0.5},
                                                  .from = {0.1, 0, 0},
                                                  .to = {0.3, 0.1, 0},
                                                  .stiffness = 40.0,
                                                  .damping = viscous ? 1.0 : 0.0,
                                                  .force = {1, 2, 3}};
    return skin;
}

static void forcesAreGradients(void)
{
    for (int grid = 0; grid < 2; grid++) {
        snElasticSkin *skin = makeAll(grid, false);
        snRandom random = snMakeRandom(1);
        int n = skin->mesh->pointCount;
        shake(&random, n, 0.01);
        snElasticSkin_Force(skin, 0.3, r, v, f);
        double worst = 0.0, most = 0.0, h = 1e-6;
        for (int i = 0; i < n; i++)
            for (int c = 0; c < 3; c++) {
                double *x = &r[i].x + c, keep = *x;
                *x = keep + h;
                double up = snElasticSkin_Energy(skin, 0.3, r);
                *x = keep - h;
                double down = snElasticSkin_Energy(skin, 0.3, r);
                *x = keep;
                worst = fmax(worst, fabs((&f[i].x)[c] + (up - down) / (2.0 * h)));
                most = fmax(most, fabs((&f[i].x)[c]));
            }
        printf("%s: force against differences of energy %.2g of %.2g\n",
               grid ? "grid" : "triangles", worst, most);
        CHECK(worst < 1e-7 * most);
        endSetup();
    }
}

static void internalForcesSumToNothing(void)
{
    for (int grid = 0; grid < 2; grid++) {
        snElasticSkin *skin = makeAll(grid, true);
        snRandom random = snMakeRandom(2);
        int n = skin->mesh->pointCount;
        shake(&random, n, 0.02);
        memset(f, 0, sizeof f);
        snSkinElastic_AddForce(&skin->elastic, r, v, f);
        snVec3 sum = {0, 0, 0}, torque = {0, 0, 0};
        double size = 0.0;
        for (int i = 0; i < n; i++) {
            sum = snAdd(sum, f[i]);
            torque = snAdd(torque, snCross(r[i], f[i]));
            size += snLength(f[i]);
        }
        printf("sum %.2g, torque %.2g of %.2g\n", snLength(sum), snLength(torque), size);
        CHECK(snLength(sum) < 1e-12 * size && snLength(torque) < 1e-12 * size);
        endSetup();
    }
}

// The derivative against differences of forces: places without rates, velocities with them; both symmetric.
static void derivativesAreDifferences(void)
{
    for (int which = 0; which < 4; which++) {
        bool viscous = which & 1;
        snElasticSkin *skin = makeAll(which & 2, viscous);
        snRandom random = snMakeRandom(3);
        int n = skin->mesh->pointCount;
        shake(&random, n, 0.01);
        double h = 1e-6, worst = 0.0, most = 0.0, left = 0.0, right = 0.0;
        snVec3 *base = viscous ? v : r;
        static snVec3 from[MOST_POINTS], up[MOST_POINTS], down[MOST_POINTS];
        memcpy(from, base, sizeof from);
        for (int s = -1; s <= 1; s += 2) {
            for (int i = 0; i < n; i++)
                base[i] = snMulAdd(from[i], s * h, d[i]);
            snElasticSkin_Force(skin, 0.3, r, v, s > 0 ? up : down);
        }
        memcpy(base, from, sizeof from);
        snElasticSkin_Linearise(skin, 0.3, r, v);
        snElasticSkin_Derivative(skin, viscous ? 0.0 : 1.0, viscous ? 1.0 : 0.0, d, f);
        snElasticSkin_Derivative(skin, viscous ? 0.0 : 1.0, viscous ? 1.0 : 0.0, e, g);
        for (int i = 0; i < n; i++) {
            snVec3 numeric = snScale(0.5 / h, snSub(up[i], down[i]));
            worst = fmax(worst, snDistance(numeric, f[i]));
            most = fmax(most, snLength(f[i]));
            left += snDot(e[i], f[i]);
            right += snDot(d[i], g[i]);
        }
        printf("derivative %d: %.2g of %.2g\n", which, worst, most);
        CHECK(worst < 1e-6 * most);
        CHECK_NEAR(left / right, 1.0, 1e-10);
        endSetup();
    }
}

// The diagonal that preconditions is the matrix' own where nothing is compressed and there is no pressure.
static void diagonalsAreOfTheMatrix(void)
{
    snElasticSkin *skin = makeAll(true, true);
    int n = skin->mesh->pointCount;
    skin->elastic.pressure = 0.0;
    for (int i = 0; i < n; i++) {
        r[i] = snScale(1.1, setup.places[i]);
        v[i] = snVec(0, 0, 0);
    }
    for (int i = 0; i < n; i++)
        skin->points[i].curvature = 0.0;
    snElasticSkin_Load(skin);
    snElasticSkin_Linearise(skin, 0.3, r, v);
    snElasticSkin_Diagonal(skin, 0.003, 0.01, g);
    double worst = 0.0;
    for (int i = 0; i < n; i++)
        for (int c = 0; c < 3; c++) {
            memset(d, 0, sizeof d);
            (&d[i].x)[c] = 1.0;
            snElasticSkin_Derivative(skin, 0.003, 0.01, d, f);
            worst = fmax(worst, fabs(-(&f[i].x)[c] / (&g[i].x)[c] - 1.0));
        }
    printf("diagonal off by %.2g\n", worst);
    CHECK(worst < 0.1);
    endSetup();
}

// Pulled to twice its length, a flat sheet has the energy of the formula, on quads and triangles and at any resolution.
static void knownEnergies(void)
{
    for (int k = 0; k < 3; k++) {
        beginSetup();
        makeTube(k == 2 ? 64 : 32, k == 2 ? 33 : 17, 0.2, 0.5);
        for (int i = 0; i < setup.mesh.pointCount; i++) { // a straight tube
            double a = 2.0 * SN_PI * (i % setup.mesh.columns) / setup.mesh.columns;
            setup.places[i] = snVec(0.2 * snSin(a), setup.places[i].y, 0.2 * snCos(a));
        }
        if (k == 1) {
            snMesh mesh = {setup.mesh.pointCount, setup.mesh.triangleCount, setup.places,
                           setup.mesh.triangles};
            snSkinMesh other;
            CHECK(snSkinMesh_FromTriangles(&other, &mesh, &setup.arena, NULL) == SN_OK);
            setup.mesh = other;
        }
        snSkinTissue tissue = snDefaultSkinTissue();
        tissue.elasticity = 100.0;
        fill(&tissue);
        setup.def.gravity = snVec(0, 0, 0);
        snElasticSkin *skin = makeSkin(0, 1);
        double mass = 0.0;
        for (int i = 0; i < setup.mesh.pointCount; i++) {
            r[i] = snVec(setup.places[i].x, 1.5 * setup.places[i].y, setup.places[i].z);
            mass += skin->mass[i];
        }
        double area = 2.0 * SN_PI * 0.2 * 0.5; // G22 = 2.25: ¼ η 1.25² per area
        CHECK_NEAR(snSkinElastic_Energy(&skin->elastic, setup.places), 0.0, 1e-12);
        CHECK_NEAR(snElasticSkin_Energy(skin, 0, r) / (0.25 * 100.0 * 1.5625 * area), 1.0, 0.01);
        CHECK_NEAR(mass / (2.0 * area), 1.0, 0.01);
        CHECK_NEAR(skin->elastic.volume / (SN_PI * 0.04 * 0.5), 1.0, 0.01);
        endSetup();
    }
}

// |Δr| of a tube of squares is 1/R.
static void bendingMeasuresCurvature(void)
{
    beginSetup();
    double radius = 0.2, height = 0.5;
    makeTube(48, 20, radius, height);
    for (int i = 0; i < setup.mesh.pointCount; i++) {
        double a = 2.0 * SN_PI * (i % 48) / 48;
        setup.places[i] = snVec(radius * snSin(a), setup.places[i].y, radius * snCos(a));
    }
    for (int i = 0; i < 4 * setup.mesh.faceCount; i++) { // the chart in metres
        setup.mesh.chart[2 * i] *= 2.0 * SN_PI * radius;
        setup.mesh.chart[2 * i + 1] *= height;
    }
    snSkinMesh metric;
    CHECK(snSkinMesh_Make(&metric, setup.mesh.pointCount, setup.mesh.faceCount, setup.mesh.corner,
                          setup.mesh.chart, &setup.arena, NULL) == SN_OK);
    setup.mesh = metric;
    snSkinTissue tissue = snDefaultSkinTissue();
    tissue.bending = 1.0;
    fill(&tissue);
    setup.def.gravity = snVec(0, 0, 0);
    snElasticSkin *skin = makeSkin(0, 1);
    double area = 2.0 * SN_PI * radius * height * 18.0 / 19.0; // rims have none
    double energy = 0.5 * area / (radius * radius);
    CHECK_NEAR(snSkinElastic_Energy(&skin->elastic, setup.places) / energy, 1.0, 0.02);
    endSetup();
}

static void wrongMeshes(void)
{
    beginSetup();
    snError error;
    CHECK(snSkinMesh_Grid(&setup.mesh, 2, 5, &setup.arena, &error) == SN_ERROR_ARGUMENT);
    int twice[8] = {0, 1, 2, -1, 0, 1, 3, -1};
    double chart[16] = {0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0};
    CHECK(snSkinMesh_Make(&setup.mesh, 4, 2, twice, chart, &setup.arena, &error) ==
          SN_ERROR_GEOMETRY);
    int beyond[4] = {0, 1, 7, -1};
    CHECK(snSkinMesh_Make(&setup.mesh, 3, 1, beyond, chart, &setup.arena, &error) ==
          SN_ERROR_ARGUMENT);
    double flat[8] = {0, 0, 1, 0, 2, 0, 0, 0};
    int one[4] = {0, 1, 2, -1};
    CHECK(snSkinMesh_Make(&setup.mesh, 3, 1, one, flat, &setup.arena, &error) == SN_ERROR_GEOMETRY);
    makeTube(8, 5, 0.2, 0.5);
    setup.def.mesh = &setup.mesh;
    setup.def.points = setup.points; // without mass
    setup.def.places = setup.places;
    CHECK(snElasticSkin_Make(&setup.skin, &setup.def, &setup.context, &error) == SN_ERROR_ARGUMENT);
    CHECK(strstr(error.message, "points[0].mass") != NULL);
    endSetup();
}

extern const snSkinKernel snSkinKernel_base;
#if defined(__x86_64__)
extern const snSkinKernel snSkinKernel_avx2, snSkinKernel_avx512;
#endif

// All instruction sets give the same bits.
static void kernelsAgree(void)
{
    const snSkinKernel *kernels[3] = {&snSkinKernel_base};
    int count = 1;
#if defined(__x86_64__)
    if (snDetectCpu() >= SN_CPU_AVX2) kernels[count++] = &snSkinKernel_avx2;
    if (snDetectCpu() >= SN_CPU_AVX512) kernels[count++] = &snSkinKernel_avx512;
#endif
    static snVec3 out[3][3][MOST_POINTS];
    for (int grid = 0; grid < 2; grid++) {
        snElasticSkin *skin = makeAll(grid, true);
        snRandom random = snMakeRandom(4);
        size_t bytes = (size_t)skin->mesh->pointCount * sizeof(snVec3);
        shake(&random, skin->mesh->pointCount, 0.02);
        for (int k = 0; k < count; k++) {
            skin->elastic.kernel = kernels[k];
            snElasticSkin_Force(skin, 0.3, r, v, out[k][0]);
            snElasticSkin_Linearise(skin, 0.3, r, v);
            snElasticSkin_Derivative(skin, 0.01, 0.1, d, out[k][1]);
            snElasticSkin_Diagonal(skin, 0.01, 0.1, out[k][2]);
            for (int i = 0; i < 3; i++)
                CHECK(memcmp(out[k][i], out[0][i], bytes) == 0);
        }
        endSetup();
    }
    printf("%d instruction sets agree\n", count);
}

int main(void)
{
    RUN(forcesAreGradients);
    RUN(kernelsAgree);
    RUN(internalForcesSumToNothing);
    RUN(derivativesAreDifferences);
    RUN(diagonalsAreOfTheMatrix);
    RUN(knownEnergies);
    RUN(bendingMeasuresCurvature);
    RUN(wrongMeshes);
    return snTest_Finish();
}
