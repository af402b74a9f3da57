// A layered arm bends by 132 degrees and straightens again, with the lag that characters' skins have: layers in its crease do not pass
// through each other nor into muscles, nothing bursts, and the crease comes apart.
#include "layered/play.h"
#include "tests/body/skin/crossing.h"
#include "tests/layered/made.h"

#define ARM                                                                                        \
    "settings loop=yes duration=1.6 correction=1cm\n"                                              \
    "joint add shoulder parent=none at=0,0.4,0 size=4.5cm kind=fixed\n"                            \
    "joint add elbow at=0.26,0,0 size=2cm kind=hinge axis=0,0,1\n"                                 \
    "joint set elbow low=0 high=145\n"                                                             \
    "joint add wrist at=0.25,0,0 size=3.5cm kind=fixed\n"                                          \
    "muscle add upper joint=shoulder at=0.12,0,0 shape=superellipsoid size=0.155,0.05,0.05 "       \
    "axis=x\n"                                                                                     \
    "muscle add fore joint=elbow at=0.12,0,0 shape=superellipsoid size=0.145,0.044,0.044 "         \
    "axis=x taper=-0.1 taper2=-0.1\n"                                                              \
    "posture keep straight time=0\n"                                                               \
    "pose joint elbow angles=132\n"                                                                \
    "posture keep bent time=0.8 tension=0.4\n"                                                     \
    "posture keep held time=1.1 tension=0.4\n"                                                     \
    "pose reset\n"                                                                                 \
    "skin create bottom=shoulder top=wrist rows=16 columns=10 gap=4mm\n"                           \
    "skin attach\n"                                                                                \
    "skin paint elasticity=120,60,120 stiffness=6e3 damping=6\n"
#define MOST 200

typedef struct Seen {
    int cuts;       // of triangles at most, by asking every pair
    double deepest; // in a muscle, of its size
    double fastest; // m/s, between two pictures
    double off;     // m, from where it began, when it is straight again
} Seen;

static int cutsOf(snPlay *play, snVec3f *places)
{
    const snPlaySurface *surface = snPlay_Surface(play);
    snVec3 r[MOST];
    snPlay_Places(play, places);
    for (int i = 0; i < surface->vertexCount; i++)
        r[i] = snFromF(places[i]);
    return countCuts(surface->triangleCount, surface->triangles, r);
}

static Seen bendArm(const char *more)
{
    snEditor editor = makeEditor(ARM);
    snPlayDef def = {.settle = 0.3};
    snPlay *play;
    Seen seen = {0};
    snVec3f first[MOST], last[MOST], now[MOST];
    runScript(&editor, more);
    if (!CHECK(snPlay_Make(&play, &editor.layered, &def, NULL) == SN_OK)) return seen;
    int points = snPlay_Surface(play)->pointCount;
    snPlay_Places(play, first);
    memcpy(last, first, sizeof first);
    for (int k = 1; k <= 96; k++) {
        CHECK(snPlay_Advance(play, k / 60.0));
        int cuts = cutsOf(play, now);
        seen.cuts = cuts > seen.cuts ? cuts : seen.cuts;
        seen.deepest = fmax(seen.deepest, snPlay_Deepest(play));
        for (int i = 0; i < points; i++)
            seen.fastest = fmax(seen.fastest, 60.0 * snDistance(snFromF(now[i]), snFromF(last[i])));
        memcpy(last, now, sizeof now);
    }
    for (int i = 0; i < points; i++)
        seen.off = fmax(seen.off, snDistance(snFromF(now[i]), snFromF(first[i])));
    snPlay_Destroy(play);
    snEditor_Destroy(&editor);
    return seen;
}

static void aLayeredArmHasACrease(void)
{
    static const char *const methods[] = {"verlet", "euler", "implicit-euler",
                                          "rk2",    "rk4",   "rosenbrock"};
    Seen without = bendArm("skin set self=no\n");
    printf("without: %d cuts at most, fastest %.2f m/s, off by %.1f mm in the end\n", without.cuts,
           without.fastest, 1e3 * without.off);
    CHECK(without.cuts > 50);
    for (int i = 0; i < 6; i++) {
        char more[80];
        snprintf(more, sizeof more, "skin set self=yes\nsettings integrator=%s\n", methods[i]);
        Seen seen = bendArm(more);
        printf("%s: %d cuts, deepest %.1e, fastest %.2f m/s, off by %.1f mm in the end\n",
               methods[i], seen.cuts, seen.deepest, seen.fastest, 1e3 * seen.off);
        CHECK(seen.cuts == 0 && seen.deepest < 1e-4);
        CHECK(seen.fastest < 1.2 * without.fastest);
        CHECK(seen.off < without.off + 0.004); // no crease is left, then
    }
}

int main(void)
{
    RUN(aLayeredArmHasACrease);
    return snTest_Finish();
}
