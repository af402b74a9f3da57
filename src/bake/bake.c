#include "bake/bake.h"
#include "bake/loop.h"

#include "core/array.h"
#include "core/error.h"

#include <string.h>

#define MOST_FRAMES 1000000 // of one clip

snBakeDef snDefaultBakeDef(void)
{
    return (snBakeDef){
        .frameRate = 30, .stepRate = 120, .loopTolerance = 1e-3, .mostRepeats = 8, .to = -1};
}

// What it takes to play a clip: a pose, the rig of the lattice, the state.
typedef struct Player {
    const snBakeDef *def;
    const snContext *context;
    snBake *bake;
    snLatticeState *state;
    snPose pose, other;
    snFleshDriver driver;
    double *rig, *before; // of a loop's first and last but one step, [lattice vertices * 4]
    double *offsets;      // of the flesh at the end of the last round, [lattice vertices * 4]
    snVec3f *surface;     // of the rig alone, [vertices]
    int substeps;         // per frame
    double done, total;   // frames, for progress
} Player;

static snStatus makePlayer(Player *p, snArena *scratch, snError *error)
{
    const snCharacter *c = p->bake->character;
    size_t doubles = (size_t)p->bake->flesh->model->vertexCount * 4;
    snStatus status = snLatticeState_Make(&p->state, p->bake->flesh->model, 1, p->context, error);
    if (!status) status = snPose_Make(&p->pose, &c->skeleton, c->morphCount, scratch, error);
    if (!status) status = snPose_Make(&p->other, &c->skeleton, c->morphCount, scratch, error);
    if (!status) status = snFleshDriver_Make(&p->driver, p->bake->flesh, scratch, error);
    if (status) return status;
    p->rig = SN_NEW(scratch, double, doubles);
    p->before = SN_NEW(scratch, double, doubles);
    p->offsets = SN_NEW(scratch, double, doubles);
    p->surface = SN_NEW(scratch, snVec3f, c->vertexCount);
    bool good = p->rig && p->before && p->offsets && p->surface;
    return good ? SN_OK : snFailMemory(error);
}

// `time` from the beginning of the clip; behind its end a loop goes over into its first pose.
static void setPose(Player *p, const snBakedClip *baked, double time)
{
    const snCharacter *c = p->bake->character;
    snLoopPose(c, &c->clips[baked->clip], baked->closing, time, &p->pose, &p->other);
}

static snLatticeDrive findDrive(Player *p, const snBakedClip *baked, double time)
{
    setPose(p, baked, time);
    return snFlesh_Drive(p->bake->flesh, &p->pose, &p->driver);
}

static void findRig(Player *p, const snBakedClip *baked, double time, double *rig)
{
    snLatticeDrive drive = findDrive(p, baked, time);
    memcpy(rig, drive.rig, (size_t)p->bake->flesh->model->vertexCount * 4 * sizeof *rig);
}

// How a clip goes round: by itself, or because it has to.
static snStatus chooseLoop(Player *p, snBakedClip *baked, snError *error)
{
    snLoop loop;
    const snFlesh *flesh = p->bake->flesh;
    snStatus status =
        snFindLoop(&loop, flesh->character, baked->clip, flesh->height, p->context, error);
    bool moves = flesh->character->clips[baked->clip].duration > 0;
    if (status || !moves || p->def->loop == SN_LOOP_NEVER) return status;
    baked->loops = loop.closed || loop.open || p->def->loop == SN_LOOP_ALWAYS;
    baked->closing = baked->loops ? loop.closing : 0;
    return SN_OK;
}

// A loop begins in motion, at the rig's velocity; anything else begins at rest in its first pose.
static void startClip(Player *p, const snBakedClip *baked)
{
    const snLatticeModel *model = p->bake->flesh->model;
    int n = model->vertexCount * 4;
    double period = p->bake->character->clips[baked->clip].duration + baked->closing;
    double step = baked->frameTime / p->substeps;
    findRig(p, baked, 0, p->rig);
    if (!baked->loops || !(step > 0)) {
        snLatticeState_Start(model, p->state, p->rig, NULL);
        return;
    }
    findRig(p, baked, period - step, p->before);
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
    memcpy(p->surface, out, (size_t)c->vertexCount * sizeof *out);
    snFlesh_AddSoft(p->bake->flesh, p->state, &p->context->tasks, out);
}

// A frame of the whole clip, if it is in the range.
static void keepFrame(Player *p, snBakedClip *baked, int frame)
{
    const snCharacter *c = p->bake->character;
    int number = frame;
    frame -= baked->firstFrame;
    if (frame < 0 || frame >= baked->frameCount) return;
    snVec3f *out = baked->positions + (size_t)frame * (size_t)c->vertexCount;
    setPose(p, baked, number * baked->frameTime);
    keepSurface(p, out);
    keepLattice(p, baked, frame);
    for (int v = 0; v < c->vertexCount; v++) {
        double d = snDistance(snFromF(p->surface[v]), snFromF(out[v])) / p->bake->flesh->height;
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

// Half-way between a frame of the whole clip and the next.
static void keepMiddle(Player *p, snBakedClip *baked, int frame, double time)
{
    size_t n = (size_t)p->bake->character->vertexCount;
    frame -= baked->firstFrame;
    if (!baked->middles || frame < 0 || frame + 1 >= baked->frameCount) return;
    setPose(p, baked, time);
    keepSurface(p, baked->middles + (size_t)frame * n);
}

// From the last pose over into the first.
static void closeRound(Player *p, snBakedClip *baked)
{
    double duration = p->bake->character->clips[baked->clip].duration;
    double step = baked->frameTime / p->substeps;
    if (!(baked->closing > 0)) return;
    int steps = (int)floor(baked->closing / step + 0.5);
    if (steps < 1) steps = 1;
    for (int k = 1; k <= steps; k++) {
        snLatticeDrive drive = findDrive(p, baked, duration + baked->closing * k / steps);
        snFlesh_Step(p->bake->flesh, p->state, &drive);
    }
    p->bake->simulated += steps * p->bake->flesh->model->def.step;
}

// Plays the clip once from the present state; with `keep` the frames are written.
static snStatus playRound(Player *p, snBakedClip *baked, bool keep, snError *error)
{
    int steps = (baked->clipFrames - 1) * p->substeps;
    double step = baked->frameTime / p->substeps;
    if (keep && !baked->loops) // what comes behind the range is not needed
        steps = (baked->firstFrame + baked->frameCount - 1) * p->substeps;
    if (keep) keepFrame(p, baked, 0);
    for (int k = 1; k <= steps; k++) {
        snLatticeDrive drive = findDrive(p, baked, k * step);
        snFlesh_Step(p->bake->flesh, p->state, &drive);
        if (keep && 2 * (k % p->substeps) == p->substeps)
            keepMiddle(p, baked, k / p->substeps, k * step);
        if (k % p->substeps) continue;
        if (keep) keepFrame(p, baked, k / p->substeps);
        snStatus status = tell(p, baked, error);
        if (status) return status;
    }
    p->bake->simulated += steps * p->bake->flesh->model->def.step;
    closeRound(p, baked);
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

// Holds the first pose: for a time, or until half a second changes nothing that could be seen. In
// secondary motion flesh is at rest there already.
static void preroll(Player *p, snBakedClip *baked)
{
    const snLatticeModel *model = p->bake->flesh->model;
    bool untilRest = p->def->preroll < 0;
    double step = model->def.step, most = untilRest ? 10 : p->def->preroll;
    int steps = (int)ceil(most / step - 1e-9), look = (int)ceil(0.5 / step);
    snLatticeDrive drive = findDrive(p, baked, 0);
    offsetChange(p);
    for (int k = 1; k <= steps; k++) {
        snFlesh_Step(p->bake->flesh, p->state, &drive);
        baked->prerolled = k * step;
        if (untilRest && k % look == 0 && offsetChange(p) < 0.1 * p->def->loopTolerance) break;
    }
    p->bake->simulated += baked->prerolled;
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
    snStatus status = chooseLoop(p, baked, error);
    if (status) return status;
    startClip(p, baked);
    if (baked->loops)
        status = settleLoop(p, baked, error);
    else if (p->def->preroll != 0)
        preroll(p, baked);
    if (!status) status = playRound(p, baked, true, error);
    if (!status && baked->loops) baked->loopGap = offsetChange(p);
    p->bake->steps += p->state->steps;
    p->bake->halvings += p->state->backtracks;
    p->bake->resets += p->state->resets;
    return status;
}

// Whole frames that cover the clip exactly: its last frame is its last key.
static int wholeFrames(const snBakeDef *def, const snClip *clip)
{
    double spans = floor(clip->duration * def->frameRate + 0.5);
    if (spans < 1 && clip->duration > 0) spans = 1;
    return spans < MOST_FRAMES ? (int)spans + 1 : MOST_FRAMES;
}

// The frames of the whole clip that are kept.
static int keptFrames(const snBakeDef *def, const snClip *clip, int *first)
{
    int whole = wholeFrames(def, clip), last = whole - 1;
    double time = whole > 1 ? clip->duration / (whole - 1) : 1;
    *first = 0;
    if (def->from > 0)
        *first = def->from / time < whole ? (int)floor(def->from / time + 0.5) : whole;
    if (def->to >= 0 && def->to / time < last) last = (int)floor(def->to / time + 0.5);
    return last >= *first ? last - *first + 1 : 0;
}

int snBakeDef_Frames(const snBakeDef *def, const snClip *clip)
{
    int first;
    return keptFrames(def, clip, &first);
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
        const snClip *clip = &c->clips[baked->clip];
        baked->clipFrames = wholeFrames(def, clip);
        baked->frameCount = keptFrames(def, clip, &baked->firstFrame);
        if (baked->clipFrames == MOST_FRAMES)
            return snFail(error, SN_ERROR_ARGUMENT, "clip \"%s\" has too many frames; %d are most",
                          clip->name, MOST_FRAMES);
        if (baked->frameCount == 0)
            return snFail(error, SN_ERROR_ARGUMENT,
                          "clip \"%s\" has no frames from %g s on: it is %g s long", clip->name,
                          def->from, clip->duration);
        int spans = baked->clipFrames - 1;
        baked->frameTime = spans ? clip->duration / spans : 0;
        baked->start = clip->start + baked->firstFrame * baked->frameTime;
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
    if (!isfinite(def->from) || !(def->from >= 0) || !isfinite(def->to) ||
        (def->to >= 0 && def->to < def->from))
        return snFail(error, SN_ERROR_ARGUMENT, "the range is from %g s to %g s", def->from,
                      def->to);
    if (!(def->preroll <= 1000) || (def->preroll < 0 && def->preroll != SN_PREROLL_AUTO))
        return snFail(error, SN_ERROR_ARGUMENT, "the pre-roll is %g s; 0 to 1000 are possible",
                      def->preroll);
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
        player.total += 3.0 * bake->clips[i].clipFrames;
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
