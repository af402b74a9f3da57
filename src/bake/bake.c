#include "bake/bake.h"
#include "bake/checkpoint.h"
#include "bake/loop.h"
#include "bake/player.h"
#include "bake/recall.h"

#include "core/array.h"
#include "core/error.h"

#include <string.h>

#define MOST_FRAMES 1000000 // of one clip
#define USUAL_ROUNDS 2      // that settle a loop

snBakeDef snDefaultBakeDef(void)
{
    return (snBakeDef){
        .frameRate = 30, .stepRate = 120, .loopTolerance = 1e-3, .mostRepeats = 8, .to = -1};
}

// What it takes to bake: a player, and the frames that it fills.
typedef struct Baker {
    const snBakeDef *def;
    snBake *bake;
    snPlayer player;
    snArena *scratch;
    snJumps *jumps;   // [clips]
    snVec3f *surface; // of the rig alone, [vertices]
    snVec3f *soft;    // where surfaces are not kept, [vertices]
    int substeps;     // per frame
    snBakePlace place;
    bool resumed;    // the place is within a clip that was begun before
    double fraction; // that was told last
    int64_t sent;    // frames in checkpoints
} Baker;

// How a clip goes round: by itself, or because it has to.
// With `torn` when its end does not lead to its beginning.
static snStatus chooseLoop(const Baker *b, snBakedClip *baked, bool *torn, snError *error)
{
    snLoop loop;
    *torn = false;
    const snFlesh *flesh = b->bake->flesh;
    snStatus status =
        snFindLoop(&loop, flesh->character, baked->clip, flesh->height, b->player.context, error);
    bool moves = flesh->character->clips[baked->clip].duration > 0;
    if (status || !moves || b->def->loop == SN_LOOP_NEVER) return status;
    baked->loops = loop.closed || loop.open || b->def->loop == SN_LOOP_ALWAYS;
    baked->closing = baked->loops ? loop.closing : 0;
    *torn = baked->loops && !loop.closed && !loop.open;
    return SN_OK;
}

static void keepLattice(Baker *b, snBakedClip *baked, int frame)
{
    const snLatticeModel *model = b->bake->flesh->model;
    int n = model->lattice.vertexCount;
    snVec3f *out = baked->lattice + (size_t)frame * (size_t)n;
    for (int v = 0; v < n; v++) {
        const double *x = b->player.state->position + 4 * model->indexOf[v];
        out[v] = (snVec3f){(float)x[0], (float)x[1], (float)x[2]};
    }
}

static void keepStretch(Baker *b, snBakedClip *baked)
{
    const snLatticeModel *model = b->bake->flesh->model;
    snStretch stretch = snLatticeState_Stretch(model, b->player.state);
    double most = 0;
    baked->wholeStretch = fmax(baked->wholeStretch, stretch.whole);
    if (!(stretch.excess > baked->largestStretch)) return;
    baked->largestStretch = stretch.excess;
    baked->stretchJoint = -1;
    for (int k = model->skin.start[stretch.at]; k < model->skin.start[stretch.at + 1]; k++)
        if (model->skin.weight[k] > most) {
            most = model->skin.weight[k];
            baked->stretchJoint = model->skin.column[k];
        }
}

// A frame of the whole clip, if it is in the range.
static void keepFrame(Baker *b, snBakedClip *baked, int frame)
{
    const snCharacter *c = b->bake->character;
    int number = frame;
    frame -= baked->firstFrame;
    if (frame < 0 || frame >= baked->frameCount) return;
    snVec3f *out = b->soft;
    if (baked->positions) out = baked->positions + (size_t)frame * (size_t)c->vertexCount;
    if (baked->flesh) snPlayer_KeepFlesh(&b->player, snBakedClip_Row(b->bake, baked, frame, false));
    snPlayer_SetPose(&b->player, number * baked->frameTime);
    double depth = snPlayer_Surface(&b->player, b->surface, out) / b->bake->flesh->height;
    if (depth > baked->deepest) baked->deepest = depth;
    keepLattice(b, baked, frame);
    for (int v = 0; v < c->vertexCount; v++) {
        double d = snDistance(snFromF(b->surface[v]), snFromF(out[v])) / b->bake->flesh->height;
        if (d > baked->largestOffset) baked->largestOffset = d;
    }
    keepStretch(b, baked);
}

// Frames of rounds that are likely to come, after the present one of the present clip.
static double framesLeft(const Baker *b)
{
    const snBakedClip *baked = &b->bake->clips[b->place.clip];
    double frames = baked->clipFrames - 1, left = frames - b->place.step / b->substeps;
    int settling = USUAL_ROUNDS - 1 - baked->repeats;
    if (!b->place.keeps) left += frames * (1 + (settling > 0 ? settling : 0));
    for (int i = b->place.clip + 1; i < b->bake->clipCount; i++)
        left += (b->bake->clips[i].loops ? 1.0 + USUAL_ROUNDS : 1.0) *
                (b->bake->clips[i].clipFrames - 1);
    return left;
}

static bool goesOn(Baker *b, const snBakedClip *baked)
{
    const snProgressHook *hook = &b->def->progress;
    double fraction = b->place.told / (b->place.told + framesLeft(b));
    if (fraction > b->fraction) b->fraction = fraction; // a loop that takes longer holds it up
    snBakeProgress progress = {b->fraction, b->place.clip, b->bake->clipCount,
                               b->bake->character->clips[baked->clip].name};
    return !hook->tell || hook->tell(hook->user, &progress);
}

static snStatus save(Baker *b, snError *error)
{
    snCheckpoint checkpoint = {b->bake, &b->player, &b->place, b->substeps, b->sent};
    snStatus status = snCheckpoint_Save(&checkpoint, &b->def->checkpoint, error);
    b->sent = checkpoint.sent;
    return status;
}

// After a frame of the round: tells how far it is, and keeps what it takes to go on from here.
static snStatus tell(Baker *b, const snBakedClip *baked, snError *error)
{
    const snCheckpointHook *hook = &b->def->checkpoint;
    b->place.told++;
    bool stop = !goesOn(b, baked);
    snStatus status = SN_OK;
    if (hook->due && (stop || hook->due(hook->user, false))) status = save(b, error);
    if (!status && stop) status = snFail(error, SN_ERROR_CANCELLED, "stopped");
    return status;
}

// Half-way between a frame of the whole clip and the next.
static void keepMiddle(Baker *b, snBakedClip *baked, int frame, double time)
{
    size_t n = (size_t)b->bake->character->vertexCount;
    frame -= baked->firstFrame;
    if (!baked->hasMiddles || frame < 0 || frame + 1 >= baked->frameCount) return;
    if (baked->flesh) snPlayer_KeepFlesh(&b->player, snBakedClip_Row(b->bake, baked, frame, true));
    if (!baked->middles) return;
    snPlayer_SetPose(&b->player, time);
    snPlayer_Surface(&b->player, b->surface, baked->middles + (size_t)frame * n);
}

// From the last pose over into the first.
static void closeRound(Baker *b, const snBakedClip *baked)
{
    double duration = b->bake->character->clips[baked->clip].duration;
    double step = baked->frameTime / b->substeps;
    if (!(baked->closing > 0)) return;
    int steps = (int)floor(baked->closing / step + 0.5);
    if (steps < 1) steps = 1;
    for (int k = 1; k <= steps; k++)
        snPlayer_Step(&b->player, duration + baked->closing * (k - 1) / steps,
                      duration + baked->closing * k / steps);
}

// Plays the clip once from the present state; with `keep` the frames are written.
static snStatus playRound(Baker *b, snBakedClip *baked, bool keep, snError *error)
{
    int steps = (baked->clipFrames - 1) * b->substeps;
    double step = baked->frameTime / b->substeps;
    if (keep && !baked->loops) // what comes behind the range is not needed
        steps = (baked->firstFrame + baked->frameCount - 1) * b->substeps;
    if (keep && b->place.step == 0) keepFrame(b, baked, 0);
    for (int k = b->place.step + 1; k <= steps; k++) {
        snPlayer_Step(&b->player, (k - 1) * step, k * step);
        if (keep && 2 * (k % b->substeps) == b->substeps)
            keepMiddle(b, baked, k / b->substeps, k * step);
        if (k % b->substeps) continue;
        if (keep) keepFrame(b, baked, k / b->substeps);
        b->place.step = k;
        snStatus status = tell(b, baked, error);
        if (status) return status;
    }
    closeRound(b, baked);
    b->place.step = 0;
    return SN_OK;
}

// Repeats a loop until a round ends as it began; the round after that is the one to keep.
static snStatus settleLoop(Baker *b, snBakedClip *baked, snError *error)
{
    if (!b->resumed) snPlayer_Change(&b->player);
    while (baked->repeats < b->def->mostRepeats) {
        snStatus status = playRound(b, baked, false, error);
        if (status) return status;
        baked->repeats++;
        if (snPlayer_Change(&b->player) < b->def->loopTolerance) break;
    }
    return SN_OK;
}

// Holds the first pose: for a time, or until half a second changes nothing that could be seen. In
// secondary motion flesh is at rest there already.
static void preroll(Baker *b, snBakedClip *baked)
{
    const snLatticeModel *model = b->bake->flesh->model;
    bool untilRest = b->def->preroll < 0;
    double step = model->def.step, most = untilRest ? 10 : b->def->preroll;
    int steps = (int)ceil(most / step - 1e-9), look = (int)ceil(0.5 / step);
    snPlayer_Change(&b->player);
    for (int k = 1; k <= steps; k++) {
        snPlayer_Step(&b->player, 0, 0);
        baked->prerolled = k * step;
        if (untilRest && k % look == 0 && snPlayer_Change(&b->player) < 0.1 * b->def->loopTolerance)
            break;
    }
}

static bool makeFrames(Baker *b, snBakedClip *baked)
{
    snArena *arena = &b->bake->arena;
    size_t n = (size_t)b->bake->vertexCount, frames = (size_t)baked->frameCount;
    size_t middles = b->def->middles ? frames - 1 : 0;
    baked->hasMiddles = middles > 0;
    baked->lattice = SN_NEW(arena, snVec3f, frames * (size_t)b->bake->flesh->lattice.vertexCount);
    if (b->def->lean) {
        baked->flesh = SN_NEW(arena, double, (frames + middles) * snFleshRow_Size(b->bake->flesh));
        return baked->lattice && baked->flesh;
    }
    baked->positions = SN_NEW(arena, snVec3f, frames * n);
    if (middles) baked->middles = SN_NEW(arena, snVec3f, middles * n);
    return baked->lattice && baked->positions && (baked->middles || !middles);
}

// Memory for the frames, and whether it is a loop: known of all clips before the first is played.
static snStatus prepareClip(Baker *b, snBakedClip *baked, snError *error)
{
    const snCharacter *c = b->bake->character;
    if (!makeFrames(b, baked)) return snFailMemory(error);
    bool torn;
    snStatus status = chooseLoop(b, baked, &torn, error);
    if (status || b->def->shakeJumps) return status;
    snJumpsDef def = {.character = c, .reach = &b->player.reach, .clip = baked->clip};
    snJumps *jumps = &b->jumps[baked - b->bake->clips];
    def.loops = baked->loops;
    def.closing = torn ? baked->closing : 0;
    status = snJumps_Find(jumps, &def, b->player.context, b->scratch, error);
    baked->posedStart = !status && jumps->count && jumps->list[0].first;
    return status;
}

// Jumps that are played over, those at the same time as one; but for the one out of a first pose.
static void tellJumps(Baker *b, const snBakedClip *baked)
{
    const snJumps *jumps = &b->jumps[b->place.clip];
    const double *share = b->player.reach.share;
    double end = (baked->firstFrame + baked->frameCount - 1) * baked->frameTime;
    for (int i = 0, next; i < jumps->count; i = next) {
        const snJump *first = &jumps->list[i], *jump = first;
        for (next = i; next < jumps->count && jumps->list[next].from < first->to; next++)
            if (share[jumps->list[next].joint] > share[jump->joint]) jump = &jumps->list[next];
        if (first->from >= end && !baked->loops) break;
        if (first->first) continue;
        snEvents_Add(&b->bake->events, &(snBakeEvent){.trouble = SN_TROUBLE_JUMP,
                                                      .remedy = SN_REMEDY_CARRIED,
                                                      .clip = baked->clip,
                                                      .joint = jump->joint,
                                                      .joints = next - i,
                                                      .times = 1,
                                                      .from = jump->from,
                                                      .to = jump->to,
                                                      .size = jump->distance});
    }
}

// Keys of the file that others stand for.
static void tellHeldKeys(Baker *b, const snBakedClip *baked)
{
    const snClip *clip = &b->bake->character->clips[baked->clip];
    for (int i = 0; i < clip->heldCount; i++) {
        const snHeldKeys *held = &clip->held[i];
        double time = held->first - clip->start;
        snEvents_Add(&b->bake->events, &(snBakeEvent){.trouble = SN_TROUBLE_KEYS,
                                                      .remedy = SN_REMEDY_HELD,
                                                      .clip = baked->clip,
                                                      .joint = held->joint,
                                                      .joints = held->joint >= 0,
                                                      .times = held->keys,
                                                      .from = time,
                                                      .to = time,
                                                      .size = held->keys});
    }
}

// From the beginning, or from where the place is.
static snStatus bakeClip(Baker *b, snBakedClip *baked, snError *error)
{
    snStatus status = SN_OK;
    snPlayer_Choose(&b->player, &(snPlayed){.clip = baked->clip,
                                            .closing = baked->closing,
                                            .step = baked->frameTime / b->substeps,
                                            .jumps = &b->jumps[b->place.clip]});
    if (!b->resumed) tellHeldKeys(b, baked);
    if (!b->resumed) tellJumps(b, baked);
    if (!b->resumed) snPlayer_Start(&b->player, baked->loops);
    if (baked->loops && !b->place.keeps)
        status = settleLoop(b, baked, error);
    else if (!baked->loops && !b->resumed && b->def->preroll != 0)
        preroll(b, baked);
    b->resumed = false;
    b->place.keeps = 1;
    if (!status) status = playRound(b, baked, true, error);
    if (!status && baked->loops) baked->loopGap = snPlayer_Change(&b->player);
    b->place.keeps = 0;
    b->bake->steps += b->player.state->steps;
    b->bake->halvings += b->player.state->backtracks;
    b->bake->resets += b->player.state->resets;
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

static snStatus restore(Baker *b, snError *error)
{
    snCheckpoint checkpoint = {b->bake, &b->player, &b->place, b->substeps, 0};
    snStatus status = snCheckpoint_Restore(&checkpoint, &b->def->checkpoint, error);
    b->sent = checkpoint.sent;
    b->resumed = b->place.step > 0;
    b->bake->restored = (double)b->player.taken * b->bake->flesh->model->def.step;
    return status;
}

static snStatus bakeClips(Baker *b, snError *error)
{
    const snCheckpointHook *hook = &b->def->checkpoint;
    snStatus status = SN_OK;
    for (int i = 0; i < b->bake->clipCount && !status; i++)
        status = prepareClip(b, &b->bake->clips[i], error);
    if (!status && hook->state) status = restore(b, error);
    for (; b->place.clip < b->bake->clipCount && !status; b->place.clip++)
        status = bakeClip(b, &b->bake->clips[b->place.clip], error);
    if (!status && hook->due && hook->due(hook->user, true)) status = save(b, error);
    return status;
}

// A lean bake keeps the player.
static snStatus keepPlayer(Baker *b, snError *error)
{
    snBake *bake = b->bake;
    bake->player = SN_NEW(&bake->arena, snPlayer, 1);
    if (!bake->player) return snFailMemory(error);
    *bake->player = b->player;
    b->player.state = NULL;
    b->player.guard = (snGuard){0};
    b->player.ladder = NULL;
    bake->shown[0] = b->surface;
    bake->shown[1] = b->soft;
    return SN_OK;
}

// Frames of events, from their times.
static void numberFrames(snBake *bake)
{
    for (int i = 0; i < bake->events.count; i++) {
        snBakeEvent *event = &bake->events.list[i];
        const snBakedClip *baked = bake->clips;
        for (int k = 0; k < bake->clipCount; k++)
            if (bake->clips[k].clip == event->clip) baked = &bake->clips[k];
        if (!(baked->frameTime > 0)) continue;
        event->firstFrame = (int)floor(event->from / baked->frameTime + 0.5);
        event->lastFrame = (int)floor(event->to / baked->frameTime + 0.5);
    }
}

static snStatus run(snBake *bake, const snBakeDef *def, const snContext *context, snArena *scratch,
                    snError *error)
{
    Baker baker = {.def = def, .bake = bake, .substeps = substepsOf(def), .scratch = scratch};
    snArena *arena = def->lean ? &bake->arena : scratch;
    snStatus status = snPlayer_Make(&baker.player, bake->flesh, context, arena, error);
    baker.player.contacts = def->contacts;
    if (!status) status = snGuard_AddContacts(&baker.player, arena, error);
    baker.player.guard.events = &bake->events;
    if (!status) status = snPlayer_Key(&baker.player, def->keys, def->keyCount, arena, error);
    baker.surface = SN_NEW(arena, snVec3f, bake->vertexCount);
    if (def->lean) baker.soft = SN_NEW(arena, snVec3f, bake->vertexCount);
    baker.jumps = SN_NEW(scratch, snJumps, bake->clipCount);
    bake->events.list = SN_NEW(&bake->arena, snBakeEvent, SN_MOST_EVENTS);
    bool good = baker.surface && (baker.soft || !def->lean) && baker.jumps && bake->events.list;
    if (!status && !good) status = snFailMemory(error);
    if (!status) status = bakeClips(&baker, error);
    if (!status) numberFrames(bake);
    bake->simulated = (double)baker.player.taken * bake->flesh->model->def.step;
    if (!status && def->lean) status = keepPlayer(&baker, error);
    snPlayer_Destroy(&baker.player);
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
    bake->substeps = substepsOf(def);
    snStatus status = checkDef(def, error);
    if (!status) status = chooseClips(bake, def, error);
    if (!status) status = run(bake, def, context, &scratch, error);
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
    if (bake->player) snPlayer_Destroy(bake->player);
    snArena_DestroyWithin(&bake->arena);
}
