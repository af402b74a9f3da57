// What a user asks of the flesh, on the demo character: frequencies, at any size; parts that differ.
#include "tests/test.h"

#include "bake/bake.h"
#include "body/lattice/swing.h"
#include "core/core.h"
#include "demo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static snContext context;

static snCharacter character; // the demo, made once
static double scaleNow = 1;

// Makes it as many times as large as it was made.
static void scaleDemo(double wanted)
{
    double scale = wanted / scaleNow;
    float s = (float)scale;
    scaleNow = wanted;
    for (int j = 0; j < character.skeleton.jointCount; j++) {
        snJoint *joint = &character.skeleton.joints[j];
        joint->rest.translation = snScale(scale, joint->rest.translation);
    }
    for (int k = 0; k < character.skins[0].jointCount; k++) {
        snAffine *bind = &character.skins[0].inverseBind[k];
        bind->origin = snScale(scale, bind->origin);
    }
    for (int p = 0; p < character.partCount; p++)
        for (int v = 0; v < character.parts[p].vertexCount; v++) {
            snVec3f *x = &character.parts[p].positions[v];
            *x = (snVec3f){s * x->x, s * x->y, s * x->z};
        }
    for (int c = 0; c < character.clipCount; c++)
        for (int k = 0; k < character.clips[c].channelCount; k++) {
            snChannel *channel = &character.clips[c].channels[k];
            if (channel->path != SN_PATH_TRANSLATION) continue;
            int count = channel->keyCount * 3 * (channel->interpolation == SN_CUBIC ? 3 : 1);
            float *values = SN_COPY(&character.arena, float, channel->values, count);
            for (int i = 0; i < count; i++)
                values[i] *= s;
            channel->values = values;
        }
}

static snFlesh *build(const snFleshDef *def)
{
    snFlesh *flesh = NULL;
    snError error = {0};
    if (!CHECK(snFlesh_Build(&flesh, &character, def, &context, &error) == SN_OK))
        printf("%s\n", error.message);
    return flesh;
}

// The slowest swing of the whole built body, nothing clamped but its bones: matrices assembled anew
// from the moduli and springs that it was given.
static double slowestSwing(const snFlesh *f)
{
    snArena arena = snMakeArena(&context);
    int n = f->lattice.vertexCount;
    double *mass = SN_NEW(&arena, double, n), *spring = SN_NEW(&arena, double, n);
    unsigned char *free = SN_NEW(&arena, unsigned char, n);
    snSparse k;
    snSwings *swings;
    snSwing swing;
    for (int v = 0; v < n; v++) {
        int i = f->model->indexOf[v];
        mass[v] = f->model->mass[i];
        spring[v] = f->model->hold[i];
        free[v] = !f->known[v];
    }
    CHECK(snLattice_Stiffness(&k, &f->lattice, &f->quadrature, f->young, f->def.poisson, &arena,
                              NULL) == SN_OK);
    CHECK(snSwings_Make(&swings, &k, &arena, NULL) == SN_OK);
    snSwingDef def = {.stiffness = &k, .mass = mass, .spring = spring, .free = free};
    CHECK(snSwings_Slowest(swings, &def, 1, 0.02, &swing, NULL) == SN_OK);
    snArena_Destroy(&arena);
    return sqrt(swing.omega2) / (2 * SN_PI);
}

// Lets the body ring after a push in x: the frequency at which the momentum of flesh that bones lead
// is strongest.
static double ring(const snFlesh *f)
{
    enum { STEPS = 300 };
    static double signal[STEPS];
    const snLatticeModel *m = f->model;
    snLatticeState *state;
    snArena arena = snMakeArena(&context);
    double *rig = SN_NEW(&arena, double, 4 * m->vertexCount), best = 0, strongest = 0;
    for (int i = 0; i < m->vertexCount; i++)
        rig[4 * i] = m->rest[i].x, rig[4 * i + 1] = m->rest[i].y, rig[4 * i + 2] = m->rest[i].z;
    CHECK(snLatticeState_Make(&state, m, 1, &context, NULL) == SN_OK);
    snLatticeState_Start(m, state, rig, NULL);
    for (int i = 0; i < m->freeCount; i++)
        state->velocity[4 * i] = 0.05 * f->height;
    for (int k = 0; k < STEPS; k++) {
        snLattice_Step(m, state, &(snLatticeDrive){.rig = rig});
        signal[k] = 0;
        for (int i = 0; i < m->freeCount; i++) {
            const snWeightRows *w = &f->weights;
            double led = 0;
            for (int a = w->start[m->vertexOf[i]]; a < w->start[m->vertexOf[i] + 1]; a++)
                led += f->joints[w->column[a]].free ? 0 : w->weight[a];
            signal[k] += led * m->mass[i] * (state->position[4 * i] - rig[4 * i]);
        }
    }
    for (double hz = 0.5; hz < 12; hz += 0.05) {
        double c = 0, s = 0;
        for (int k = 0; k < STEPS; k++) {
            double angle = 2 * SN_PI * hz * k * m->def.step, sine, cosine;
            snSinCos(angle, &sine, &cosine);
            double window = 1 - fabs(2.0 * k / STEPS - 1);
            c += window * signal[k] * cosine;
            s += window * signal[k] * sine;
        }
        if (c * c + s * s > strongest) strongest = c * c + s * s, best = hz;
    }
    snLatticeState_Destroy(state);
    snArena_Destroy(&arena);
    return best;
}

static void wobbleIsTheFrequency(void)
{
    static const struct {
        double height, wobble;
    } cases[] = {{1.5, 3.5}, {1.5, 2}, {0.05, 3.5}, {0.05, 7}, {3, 3.5}};
    for (int i = 0; i < 5; i++) {
        if (i % 2 && !snTest_Whole()) continue;
        snFleshDef def = snDefaultFleshDef();
        scaleDemo(cases[i].height / 1.526);
        // Ears and tail are out of the way: they have frequencies of their own.
        snFleshRule rules[] = {{.part = "ear", .set = SN_RULE_WOBBLE, .wobble = 12},
                               {.part = "tail", .set = SN_RULE_WOBBLE, .wobble = 12}};
        def.rules = rules;
        def.ruleCount = 2;
        def.wobble = cases[i].wobble;
        def.massDamping = 0.2;
        def.stiffnessDamping = 1e-4;
        def.iterations = 6;
        def.cells = 1000;
        snFlesh *flesh = build(&def);
        double slowest = slowestSwing(flesh), rung = ring(flesh);
        printf("%.2f m, %.1f Hz asked: slowest swing %.2f Hz, rings at %.2f Hz\n", flesh->height,
               cases[i].wobble, slowest, rung);
        CHECK(fabs(slowest / cases[i].wobble - 1) < 0.15);
        CHECK(fabs(rung / cases[i].wobble - 1) < 0.15);
        snFlesh_Destroy(flesh);
    }
}

// The same motion at 5 cm and at 3 m, each relative to its size. Scaled by powers of two, so that
// rounding is the same and every decision about the lattice comes out alike.
static void sizeDoesNotMatter(void)
{
    snBake *bakes[2];
    snFlesh *flesh[2];
    double scales[2] = {1.0 / 32, 2}, worst = 0;
    for (int i = 0; i < 2; i++) {
        snFleshDef def = snDefaultFleshDef();
        snBakeDef bake = snDefaultBakeDef();
        def.cells = 1000;
        scaleDemo(scales[i]);
        int clip = snCharacter_FindClip(&character, "hop");
        bake.clips = &clip;
        bake.clipCount = 1;
        flesh[i] = build(&def);
        CHECK(snBake_Run(&bakes[i], flesh[i], &bake, &context, NULL) == SN_OK);
    }
    const snBakedClip *a = &bakes[0]->clips[0], *b = &bakes[1]->clips[0];
    printf("hop: flesh moves by %.3f %% of the height at 5 cm, %.3f %% at 3 m\n",
           100 * a->largestOffset, 100 * b->largestOffset);
    CHECK(a->largestOffset > 0.02);
    CHECK(fabs(a->largestOffset / b->largestOffset - 1) < 0.02);
    for (int i = 0; i < a->frameCount * character.vertexCount; i++) {
        snVec3 p = snScale(1 / flesh[0]->height, snFromF(a->positions[i]));
        snVec3 q = snScale(1 / flesh[1]->height, snFromF(b->positions[i]));
        worst = fmax(worst, snDistance(p, q));
    }
    printf("surfaces differ by %.1e of the height at most\n", worst);
    CHECK(worst < 0.005);
    for (int i = 0; i < 2; i++) {
        snBake_Destroy(bakes[i]);
        snFlesh_Destroy(flesh[i]);
    }
}

// Modulus of the stiffest or the softest cell that has a vertex on a joint's bone.
static double modulusAt(const snFlesh *f, int joint, bool stiffest)
{
    double best = 0;
    for (int c = 0; c < f->lattice.cellCount; c++)
        for (int k = 0; k < 4; k++)
            if (f->lattice.joint[snLattice_Corners(&f->lattice, c)[k]] == joint)
                if (best == 0 || (f->young[c] > best) == stiffest) best = f->young[c];
    return best;
}

static void earsAndHornsDiffer(void)
{
    scaleDemo(1);
    snFleshDef def = snDefaultFleshDef();
    snFleshRule rules[] = {
        {.part = "ear", .set = SN_RULE_WOBBLE, .wobble = 2},
        {.part = "horn", .set = SN_RULE_SUBSTANCE, .substance = snSubstance_Find("horn")},
        {.part = "horn", .set = SN_RULE_STIFFNESS, .stiffness = 30},
        {.part = "leg*", .set = SN_RULE_SUBSTANCE, .substance = snSubstance_Find("muscle")},
    };
    snFlesh *plain = build(&def);
    def.rules = rules;
    def.ruleCount = 3;
    snFlesh *flesh = build(&def);
    double ear = modulusAt(flesh, DEMO_EAR_L_2, false), horn = modulusAt(flesh, DEMO_HORN_L, true);
    printf("ear %.3g Pa, horn %.3g Pa: %.0f times\n", ear, horn, horn / ear);
    CHECK(horn > 1000 * ear);
    for (int g = 0; g < flesh->swingCount; g++)
        CHECK_NEAR(flesh->swings[g].found / flesh->swings[g].wobble, 1,
                   flesh->swings[g].twin < 0 ? 0.02 : 0.055);
    CHECK(flesh->swingCount == 4); // body, two ears, tail
    CHECK_NEAR(flesh->swings[flesh->swingOf[DEMO_EAR_R_2]].wobble, 2, 0);
    CHECK(ear < 0.5 * modulusAt(plain, DEMO_EAR_L_2, false));
    snFlesh_Destroy(flesh);
    snFlesh_Destroy(plain);
}

// With details every part swings as it should with those that act, and faster while none does; the flesh of
// slender parts is the stiffer for it.
static void detailsAreTunedWith(void)
{
    scaleDemo(1);
    snFleshDef def = snDefaultFleshDef();
    snFlesh *plain = build(&def);
    def.details = 1;
    snFlesh *flesh = build(&def);
    for (int g = 0; g < flesh->swingCount; g++) {
        const snSwingPart *own = &flesh->swings[g], *before = &plain->swings[g];
        printf(
            "part %d: %.2f Hz of %.2f, %.2f while no detail acts; %.2f times as stiff as without\n",
            g, own->found, own->wobble, own->alone, own->scale / before->scale);
        CHECK_NEAR(own->found / own->wobble, 1, own->twin < 0 ? 0.02 : 0.1);
        CHECK(own->alone > own->found);
        CHECK(before->alone == before->found);
        if (own->joint >= 0)
            CHECK(own->scale > 1.2 * before->scale && own->alone > 1.2 * own->found);
    }
    snFlesh_Destroy(flesh);
    snFlesh_Destroy(plain);
}

static void boneVerticesFollowOrLead(void)
{
    scaleDemo(1);
    snFleshDef def = snDefaultFleshDef();
    def.cells = 600;
    snFleshRule rules[] = {{.part = "ear", .set = SN_RULE_FREE, .free = false},
                           {.part = "horn", .set = SN_RULE_FREE, .free = true},
                           {.part = "tail", .set = SN_RULE_DRAG | SN_RULE_HOLD, .drag = 20}};
    def.rules = rules;
    def.ruleCount = 3;
    snFlesh *flesh = build(&def);
    int known[2] = {0}, all[2] = {0};
    double drag = 0, hold = 0;
    for (int v = 0; v < flesh->lattice.vertexCount; v++) {
        int joint = flesh->lattice.joint[v];
        bool ear = joint >= DEMO_EAR_L_1 && joint <= DEMO_EAR_R_2;
        bool horn = joint == DEMO_HORN_L || joint == DEMO_HORN_R;
        if (ear || horn) all[horn]++, known[horn] += flesh->known[v];
        if (joint == DEMO_TAIL_3) drag = fmax(drag, flesh->drag[v]);
        if (joint == DEMO_TAIL_3) hold = fmax(hold, flesh->hold[v]);
    }
    CHECK(all[0] > 0 && known[0] == all[0]);
    CHECK(all[1] > 2 && known[1] <= 2); // the roots
    printf("tail: drag %.1f per second, hold %.1f Hz\n", drag, hold);
    CHECK(drag > 20 && hold < 1.5); // a leg's twist may reach it
    CHECK(flesh->def.rules == NULL);
    snFlesh_Destroy(flesh);
    snError error = {0};
    rules[1].part = "hron";
    CHECK(snFlesh_Build(&flesh, &character, &def, &context, &error) == SN_ERROR_ARGUMENT);
    CHECK(strstr(error.message, "hron") && strstr(error.message, "horn"));
    def.ruleCount = 0;
    def.twistRadius = -1;
    CHECK(snFlesh_Build(&flesh, &character, &def, &context, &error) == SN_ERROR_ARGUMENT);
}

int main(void)
{
    snError error = {0};
    context = snDefaultContext();
    if (snDemo_Make(&character, &context, &error)) {
        printf("%s\n", error.message);
        return 1;
    }
    RUN(wobbleIsTheFrequency);
    RUN(sizeDoesNotMatter);
    RUN(earsAndHornsDiffer);
    RUN(detailsAreTunedWith);
    RUN(boneVerticesFollowOrLead);
    snCharacter_Destroy(&character);
    return snTest_Finish();
}
