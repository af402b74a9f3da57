#include "bake/bake.h"

#include "core/array.h"
#include "core/error.h"

#include <string.h>

#define MOST_FRAMES 1000000 // of one clip

snBakeDef snDefaultBakeDef(void)
{
    return (snBakeDef){.frameRate = 30, .stepRate = 120, .loopTolerance = 1e-3, .mostRepeats = 8};
}

// What it takes to play a clip: a pose, the rig of the lattice, the state.
typedef struct Player {
    const snBakeDef *def;
    const snContext *context;
    snBake *bake;
    snLatticeState *state;
    snPose pose;
    snFleshDriver driver;
    double *rig, *before; // of a loop's first and last but one step, [lattice vertices * 4]
    double *offsets;      // of the flesh at the end of the last round, [lattice vertices * 4]
    snVec3f *surface[2];  // scratch, [vertices]
    int substeps;         // per frame
    double done, total;   // frames, for progress
} Player;

static snStatus makePlayer(Player *p, snArena *scratch, snError *error)
{
    const snCharacter *c = p->bake->character;
    size_t doubles = (size_t)p->bake->flesh->model->vertexCount * 4;
    snStatus status = snLatticeState_Make(&p->state, p->bake->flesh->model, 1, p->context, error);
    if (!status) status = snPose_Make(&p->pose, &c->skeleton, c->morphCount, scratch, error);
    if (!status) status = snFleshDriver_Make(&p->driver, p->bake->flesh, scratch, error);
    if (status) return status;
    p->rig = SN_NEW(scratch, double, doubles);
    p->before = SN_NEW(scratch, double, doubles);
    p->offsets = SN_NEW(scratch, double, doubles);
    p->surface[0] = SN_NEW(scratch, snVec3f, c->vertexCount);
    p->surface[1] = SN_NEW(scratch, snVec3f, c->vertexCount);
    bool good = p->rig && p->before && p->offsets && p->surface[0] && p->surface[1];
    return good ? SN_OK : snFailMemory(error);
}

static void setPose(Player *p, const snBakedClip *baked, double fraction)
{
    const snClip *clip = &p->bake->character->clips[baked->clip];
    snCharacter_Pose(p->bake->character, clip, clip->start + fraction * clip->duration, &p->pose);
}

static snLatticeDrive findDrive(Player *p, const snBakedClip *baked, double fraction)
{
    setPose(p, baked, fraction);
    return snFlesh_Drive(p->bake->flesh, &p->pose, &p->driver);
}

static void findRig(Player *p, const snBakedClip *baked, double fraction, double *rig)
{
    snLatticeDrive drive = findDrive(p, baked, fraction);
    memcpy(rig, drive.rig, (size_t)p->bake->flesh->model->vertexCount * 4 * sizeof *rig);
}

// A clip whose first and last poses agree (within 1 % of the height) is taken as a loop.
static bool isLoop(Player *p, const snBakedClip *baked)
{
    const snCharacter *c = p->bake->character;
    double worst = 0;
    for (int end = 0; end < 2; end++) {
        setPose(p, baked, end);
        snCharacter_Surface(c, &p->pose, &p->context->tasks, p->surface[end], NULL);
    }
    for (int v = 0; v < c->vertexCount; v++) {
        double d = snDistance(snFromF(p->surface[0][v]), snFromF(p->surface[1][v]));
        if (d > worst) worst = d;
    }
    return worst < 0.01 * p->bake->flesh->height && c->clips[baked->clip].duration > 0;
}

// A loop begins in motion, at the rig's velocity; anything else begins at rest in its first pose.
static void startClip(Player *p, const snBakedClip *baked)
{
    const snLatticeModel *model = p->bake->flesh->model;
    int n = model->vertexCount * 4, steps = (baked->frameCount - 1) * p->substeps;
    findRig(p, baked, 0, p->rig);
    if (!baked->loops || steps == 0) {
        snLatticeState_Start(model, p->state, p->rig, NULL);
        return;
    }
    findRig(p, baked, 1.0 - 1.0 / steps, p->before);
    for (int k = 0; k < n; k++)
        p->before[k] = (p->rig[k] - p->before[k]) / model->def.step;
    snLatticeState_Start(model, p->state, p->rig, p->before);
}

static void keepLattice(Player *p, snBakedClip *baked, int frame)
{
    const snLatticeModel *model = p->bake->flesh->model;
    int n = model->lattice.vertexCount;
    snVec3f *out = baked->lattice + (size_t)frame * (size_t)n;
    for (int v = 0; v < n; v++) {
        const double *x = p->state->position + 4 * model->indexOf[v];
        out[v] = (snVec3f){(float)x[0], (float)x[1], (float)x[2]};
    }
}

// The soft surface at the present time of the pose.
static void keepSurface(Player *p, snVec3f *out)
{
    const snCharacter *c = p->bake->character;
    snCharacter_Surface(c, &p->pose, &p->context->tasks, out, NULL);
    memcpy(p->surface[0], out, (size_t)c->vertexCount * sizeof *out);
    snFlesh_AddSoft(p->bake->flesh, p->state, &p->context->tasks, out);
}

static void keepFrame(Player *p, snBakedClip *baked, int frame)
{
    const snCharacter *c = p->bake->character;
    snVec3f *out = baked->positions + (size_t)frame * (size_t)c->vertexCount;
    setPose(p, baked, baked->frameCount > 1 ? (double)frame / (baked->frameCount - 1) : 0);
    keepSurface(p, out);
    keepLattice(p, baked, frame);
    for (int v = 0; v < c->vertexCount; v++) {
        double d = snDistance(snFromF(p->surface[0][v]), snFromF(out[v])) / p->bake->flesh->height;
        if (d > baked->largestOffset) baked->largestOffset = d;
    }
}

static snStatus tell(Player *p, const snBakedClip *baked, snError *error)
{
    const snProgressHook *hook = &p->def->progress;
    const char *name = p->bake->character->clips[baked->clip].name;
    p->done++;
    if (!hook->tell || hook->tell(hook->user, p->done < p->total ? p->done / p->total : 1, name))
        return SN_OK;
    return snFail(error, SN_ERROR_CANCELLED, "stopped");
}

// Plays the clip once from the present state; with `keep` the frames are written.
static snStatus playRound(Player *p, snBakedClip *baked, bool keep, snError *error)
{
    int frames = baked->frameCount, steps = (frames - 1) * p->substeps;
    if (keep) keepFrame(p, baked, 0);
    for (int k = 1; k <= steps; k++) {
        snLatticeDrive drive = findDrive(p, baked, (double)k / steps);
        snFlesh_Step(p->bake->flesh, p->state, &drive);
        if (keep && baked->middles && 2 * (k % p->substeps) == p->substeps) {
            setPose(p, baked, (double)k / steps);
            keepSurface(p, baked->middles +
                               (size_t)(k / p->substeps) * (size_t)p->bake->character->vertexCount);
        }
        if (k % p->substeps) continue;
        if (keep) keepFrame(p, baked, k / p->substeps);
        snStatus status = tell(p, baked, error);
        if (status) return status;
    }
    p->bake->simulated += steps * p->bake->flesh->model->def.step;
    return SN_OK;
}

// The largest change, as a share of the height, of the flesh's offsets since the last call.
static double offsetChange(Player *p)
{
    int n = p->bake->flesh->model->vertexCount;
    double worst = 0;
    for (int i = 0; i < n; i++) {
        double change = 0;
        for (int k = 4 * i; k < 4 * i + 3; k++) {
            double offset = p->state->position[k] - p->state->rig[k];
            change += (offset - p->offsets[k]) * (offset - p->offsets[k]);
            p->offsets[k] = offset;
        }
        if (change > worst) worst = change;
    }
    return sqrt(worst) / p->bake->flesh->height;
}

// Repeats a loop until a round ends as it began; the round after that is the one to keep.
static snStatus settleLoop(Player *p, snBakedClip *baked, snError *error)
{
    snStatus status = SN_OK;
    offsetChange(p);
    for (baked->repeats = 0; baked->repeats < p->def->mostRepeats && !status;) {
        status = playRound(p, baked, false, error);
        baked->repeats++;
        if (offsetChange(p) < p->def->loopTolerance) break;
    }
    return status;
}

static snStatus bakeClip(Player *p, snBakedClip *baked, snError *error)
{
    const snCharacter *c = p->bake->character;
    baked->positions =
        SN_NEW(&p->bake->arena, snVec3f, (size_t)baked->frameCount * (size_t)c->vertexCount);
    baked->lattice =
        SN_NEW(&p->bake->arena, snVec3f,
               (size_t)baked->frameCount * (size_t)p->bake->flesh->lattice.vertexCount);
    if (p->def->middles && baked->frameCount > 1)
        baked->middles = SN_NEW(&p->bake->arena, snVec3f,
                                (size_t)(baked->frameCount - 1) * (size_t)c->vertexCount);
    bool good = baked->positions && baked->lattice &&
                (baked->middles || !p->def->middles || baked->frameCount == 1);
    if (!good) return snFailMemory(error);
    baked->loops = isLoop(p, baked);
    startClip(p, baked);
    snStatus status = baked->loops ? settleLoop(p, baked, error) : SN_OK;
    if (!status) status = playRound(p, baked, true, error);
    if (!status && baked->loops) baked->loopGap = offsetChange(p);
    p->bake->steps += p->state->steps;
    p->bake->halvings += p->state->backtracks;
    p->bake->resets += p->state->resets;
    return status;
}

// Whole frames that cover the clip exactly: its last frame is its last key.
int snBakeDef_Frames(const snBakeDef *def, const snClip *clip)
{
    double spans = floor(clip->duration * def->frameRate + 0.5);
    if (spans < 1 && clip->duration > 0) spans = 1;
    return spans < MOST_FRAMES ? (int)spans + 1 : MOST_FRAMES;
}

static snStatus chooseClips(snBake *bake, const snBakeDef *def, snError *error)
{
    const snCharacter *c = bake->character;
    bake->clipCount = def->clips ? def->clipCount : c->clipCount;
    if (bake->clipCount == 0)
        return snFail(error, SN_ERROR_UNSUPPORTED,
                      "there is no clip to bake: export the character with an animation");
    bake->clips = SN_NEW(&bake->arena, snBakedClip, bake->clipCount);
    if (!bake->clips) return snFailMemory(error);
    for (int i = 0; i < bake->clipCount; i++) {
        snBakedClip *baked = &bake->clips[i];
        baked->clip = def->clips ? def->clips[i] : i;
        if (baked->clip < 0 || baked->clip >= c->clipCount)
            return snFail(error, SN_ERROR_ARGUMENT, "there is no clip %d; the file has %d",
                          baked->clip, c->clipCount);
        baked->frameCount = snBakeDef_Frames(def, &c->clips[baked->clip]);
        int spans = baked->frameCount - 1;
        if (baked->frameCount == MOST_FRAMES)
            return snFail(error, SN_ERROR_ARGUMENT, "clip \"%s\" has too many frames; %d are most",
                          c->clips[baked->clip].name, MOST_FRAMES);
        baked->start = c->clips[baked->clip].start;
        baked->frameTime = spans ? c->clips[baked->clip].duration / spans : 0;
    }
    return SN_OK;
}

static snStatus checkDef(const snBakeDef *def, snError *error)
{
    if (!(def->frameRate >= 1 && def->frameRate <= 1000))
        return snFail(error, SN_ERROR_ARGUMENT, "the frame rate is %g; it must be 1 to 1000",
                      def->frameRate);
    if (!(def->stepRate >= 1 && def->stepRate <= 100000))
        return snFail(error, SN_ERROR_ARGUMENT, "the step rate is %g; it must be 1 to 100000",
                      def->stepRate);
    return SN_OK;
}

// An even number, so that there is a step half-way between frames.
static int substepsOf(const snBakeDef *def)
{
    int pairs = (int)ceil(0.5 * def->stepRate / def->frameRate - 1e-9);
    return pairs < 1 ? 2 : 2 * pairs;
}

double snBakeDef_Step(const snBakeDef *def)
{
    return 1.0 / (def->frameRate * substepsOf(def));
}

static snStatus run(snBake *bake, const snBakeDef *def, const snContext *context, snArena *scratch,
                    snError *error)
{
    Player player = {.def = def, .context = context, .bake = bake};
    snStatus status = checkDef(def, error);
    if (!status) status = chooseClips(bake, def, error);
    if (!status) status = makePlayer(&player, scratch, error);
    if (!status) player.substeps = substepsOf(def);
    for (int i = 0; i < bake->clipCount && !status; i++) // about two rounds settle a loop
        player.total += 3.0 * bake->clips[i].frameCount;
    for (int i = 0; i < bake->clipCount && !status; i++)
        status = bakeClip(&player, &bake->clips[i], error);
    snLatticeState_Destroy(player.state);
    return status;
}

snStatus snBake_Run(snBake **out, const snFlesh *flesh, const snBakeDef *def,
                    const snContext *context, snError *error)
{
    *out = NULL;
    snArena arena = snMakeArena(context), scratch = snMakeArena(context);
    snBake *bake = SN_NEW(&arena, snBake, 1);
    if (!bake) return snFailMemory(error);
    bake->arena = arena;
    bake->flesh = flesh;
    bake->character = flesh->character;
    bake->vertexCount = flesh->character->vertexCount;
    bake->frameRate = def->frameRate;
    snStatus status = run(bake, def, context, &scratch, error);
    snArena_Destroy(&scratch);
    if (status)
        snBake_Destroy(bake);
    else
        *out = bake;
    return status;
}

void snBake_Destroy(snBake *bake)
{
    if (!bake) return;
    snArena arena = bake->arena; // the bake itself lives in it
    snArena_Destroy(&arena);
}
