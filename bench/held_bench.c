// A character that holds still keeps its rig's pose: ten seconds after the last motion, and at once when
// it never moved.
#include "bench/bench.h"

#include "bake/player.h"
#include "core/core.h"
#include "demo.h"

#include <math.h>

typedef struct Stage {
    snContext context;
    snArena arena;
    snCharacter character;
    snFlesh *flesh;
    snPlayer player;
    snVec3f *rig, *soft;
} Stage;

static snStatus makeStage(Stage *s)
{
    snFleshDef def = snDefaultFleshDef();
    def.step = 1.0 / 120;
    s->context = snDefaultContext();
    s->arena = snMakeArena(&s->context);
    snStatus status = snDemo_Make(&s->character, &s->context, NULL);
    if (!status) status = snFlesh_Build(&s->flesh, &s->character, &def, &s->context, NULL);
    if (!status) status = snPlayer_Make(&s->player, s->flesh, &s->context, &s->arena, NULL);
    s->rig = SN_NEW(&s->arena, snVec3f, s->character.vertexCount);
    s->soft = SN_NEW(&s->arena, snVec3f, s->character.vertexCount);
    return !status && (!s->rig || !s->soft) ? SN_ERROR_MEMORY : status;
}

static void freeStage(Stage *s)
{
    snPlayer_Destroy(&s->player);
    snFlesh_Destroy(s->flesh);
    snCharacter_Destroy(&s->character);
    snArena_Destroy(&s->arena);
}

// The largest distance of the surface from the rig's, as a share of the height.
static double distance(Stage *s)
{
    double worst = 0;
    snPlayer_Surface(&s->player, s->rig, s->soft);
    for (int v = 0; v < s->character.vertexCount; v++)
        worst = fmax(worst, snDistance(snFromF(s->rig[v]), snFromF(s->soft[v])));
    return worst / s->flesh->height;
}

// Half of the head's shake, then still.
static void shakeAndHold(Stage *s, int clip, double *moved, double *left)
{
    double end = 0.5 * s->character.clips[clip].duration, step = s->flesh->model->def.step;
    int steps = (int)ceil(end / step);
    snPlayer_Choose(&s->player, &(snPlayed){.clip = clip, .step = step});
    snPlayer_Start(&s->player, false);
    for (int k = 1; k <= steps; k++) {
        snPlayer_Step(&s->player, end * (k - 1) / steps, end * k / steps);
        if (k % 4 == 0) *moved = fmax(*moved, distance(s));
    }
    for (int k = 0; k < (int)(10 / step); k++)
        snPlayer_Step(&s->player, end, end);
    *left = distance(s);
}

static double neverMoved(Stage *s, int clip)
{
    double worst = 0, step = s->flesh->model->def.step;
    snPlayer_Choose(&s->player, &(snPlayed){.clip = clip, .step = step});
    snPlayer_Start(&s->player, false);
    for (int k = 0; k < (int)(1 / step); k++) {
        snPlayer_Step(&s->player, 0, 0);
        worst = fmax(worst, distance(s));
    }
    return worst;
}

void snBench_Held(snBench *bench)
{
    Stage stage = {0};
    if (makeStage(&stage)) {
        snBench_Skip(bench, "the demo character's flesh cannot be built");
    } else {
        int clip = snCharacter_FindClip(&stage.character, "shake");
        double moved = 0, left = 0;
        shakeAndHold(&stage, clip, &moved, &left);
        snBench_Report(bench, "bake/held-after-10s", left, "of height", "<= 1e-5");
        snBench_Report(bench, "bake/held-never-moved", neverMoved(&stage, clip), "of height",
                       "<= 1e-5");
        snBench_Note(bench, "the demo's head shaken, which moves flesh by %.1f %% of the height",
                     100 * moved);
    }
    freeStage(&stage);
}
