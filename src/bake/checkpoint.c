#include "bake/checkpoint.h"
#include "bake/recall.h"

#define BAKE_TAG 0x6b616267 // changes with what is walked over

// ---- all that changes -----------------------------------------------------------------------------

static void exchangeClip(const snBake *bake, snBakedClip *clip, snArchive *a)
{
    snArchive_Expect(a, clip->clip);
    snArchive_Expect(a, clip->frameCount);
    snArchive_Expect(a, clip->loops);
    snArchive_Expect(a, clip->flesh != NULL);
    snArchive_Int(a, &clip->repeats, 0, 1000000);
    SN_ARCHIVE(a, clip->prerolled);
    SN_ARCHIVE(a, clip->loopGap);
    SN_ARCHIVE(a, clip->largestOffset);
    SN_ARCHIVE(a, clip->largestStretch);
    SN_ARCHIVE(a, clip->wholeStretch);
    SN_ARCHIVE(a, clip->deepest);
    snArchive_Int(a, &clip->stretchJoint, -1, bake->character->skeleton.jointCount - 1);
}

static void exchangeEvents(snBake *bake, snArchive *a)
{
    snEvents *events = &bake->events;
    snArchive_Int(a, &events->count, 0, SN_MOST_EVENTS);
    snArchive_Int(a, &events->more, 0, INT32_MAX);
    snArchive_Take(a, events->list, (size_t)events->count * sizeof *events->list);
    for (int i = 0; i < events->count; i++) { // their numbers are looked up
        const snBakeEvent *e = &events->list[i];
        if ((unsigned)e->trouble >= SN_TROUBLES || (unsigned)e->remedy >= SN_REMEDIES ||
            e->joint < -1 || e->joint >= bake->character->skeleton.jointCount || e->clip < 0 ||
            e->clip >= bake->character->clipCount)
            a->broken = true;
    }
}

static void exchangeBake(snCheckpoint *c, snArchive *a)
{
    snBake *bake = c->bake;
    snArchive_Expect(a, BAKE_TAG);
    snArchive_Expect(a, bake->vertexCount);
    snArchive_Expect(a, bake->flesh->lattice.vertexCount);
    snArchive_Expect(a, bake->clipCount);
    snArchive_Expect(a, c->substeps);
    snArchive_Int(a, &c->place->clip, 0, bake->clipCount);
    snArchive_Int(a, &c->place->keeps, 0, 1);
    snArchive_Int(a, &c->place->step, 0, INT32_MAX);
    SN_ARCHIVE(a, c->place->told);
    snArchive_Count(a, &bake->steps);
    snArchive_Count(a, &bake->halvings);
    snArchive_Count(a, &bake->resets);
    for (int i = 0; i < bake->clipCount; i++)
        exchangeClip(bake, &bake->clips[i], a);
    exchangeEvents(bake, a);
    snPlayer_Exchange(c->player, a);
}

// ---- frames ---------------------------------------------------------------------------------------

// Of the clip that is being played, or was.
static int framesKept(const snCheckpoint *c, int i)
{
    const snBakedClip *clip = &c->bake->clips[i];
    if (i != c->place->clip) return i < c->place->clip ? clip->frameCount : 0;
    int kept = c->place->keeps ? c->place->step / c->substeps - clip->firstFrame + 1 : 0;
    return kept < 0 ? 0 : kept < clip->frameCount ? kept : clip->frameCount;
}

typedef snStatus UsePiece(void *user, void *bytes, size_t size, snError *error);

typedef struct Piece {
    void *bytes;
    size_t size;
} Piece;

// The surface of a frame or of the middle behind it, or the flesh that it is found by.
static Piece surfaceOf(const snBake *bake, const snBakedClip *clip, int frame, bool middle)
{
    size_t points = (size_t)bake->vertexCount;
    if (clip->flesh)
        return (Piece){snBakedClip_Row(bake, clip, frame, middle),
                       snFleshRow_Size(bake->flesh) * sizeof(double)};
    snVec3f *surfaces = middle ? clip->middles : clip->positions;
    return (Piece){surfaces + (size_t)frame * points, points * sizeof(snVec3f)};
}

// A frame, with what lies half-way to it from the one before.
static snStatus useFrame(const snCheckpoint *c, int i, int frame, UsePiece *use, void *user,
                         snError *error)
{
    const snBakedClip *clip = &c->bake->clips[i];
    size_t corners = (size_t)c->bake->flesh->lattice.vertexCount;
    Piece pieces[3] = {{0}};
    snStatus status = SN_OK;
    if (clip->hasMiddles && frame > 0) pieces[0] = surfaceOf(c->bake, clip, frame - 1, true);
    pieces[1] = surfaceOf(c->bake, clip, frame, false);
    pieces[2] = (Piece){clip->lattice + (size_t)frame * corners, corners * sizeof(snVec3f)};
    for (int k = 0; k < 3 && !status; k++)
        if (pieces[k].size) status = use(user, pieces[k].bytes, pieces[k].size, error);
    return status;
}

// All frames that are kept, from number `first` on, in the order in which they come to be.
static snStatus useFrames(const snCheckpoint *c, int64_t first, UsePiece *use, void *user,
                          snError *error)
{
    int64_t number = 0;
    snStatus status = SN_OK;
    for (int i = 0; i < c->bake->clipCount && !status; i++) {
        int kept = framesKept(c, i);
        for (int f = 0; f < kept && !status; f++, number++)
            if (number >= first) status = useFrame(c, i, f, use, user, error);
    }
    return status;
}

static int64_t countFrames(const snCheckpoint *c)
{
    int64_t count = 0;
    for (int i = 0; i < c->bake->clipCount; i++)
        count += framesKept(c, i);
    return count;
}

// ---- saving and restoring -------------------------------------------------------------------------

static snStatus handOut(void *user, void *bytes, size_t size, snError *error)
{
    const snCheckpointHook *hook = user;
    return hook->append(hook->user, bytes, size, error);
}

snStatus snCheckpoint_Save(snCheckpoint *c, const snCheckpointHook *hook, snError *error)
{
    snBytes state = snMakeBytes(c->player->context);
    snArchive archive = snMakeSaving(&state);
    snCheckpointHook copy = *hook;
    exchangeBake(c, &archive);
    snStatus status = snBytes_Check(&state, error);
    if (!status) status = useFrames(c, c->sent, handOut, &copy, error);
    if (!status) status = hook->commit(hook->user, state.data, state.size, error);
    if (!status) c->sent = countFrames(c);
    snBytes_Destroy(&state);
    return status;
}

static snStatus takeIn(void *user, void *bytes, size_t size, snError *error)
{
    (void)error;
    snArchive_Take(user, bytes, size);
    return SN_OK;
}

// A place that a bake can be at.
static bool isPlace(const snCheckpoint *c)
{
    const snBakePlace *place = c->place;
    if (place->clip == c->bake->clipCount) return place->step == 0 && place->keeps == 0;
    const snBakedClip *clip = &c->bake->clips[place->clip];
    return place->step > 0 && place->step % c->substeps == 0 &&
           place->step / c->substeps < clip->clipFrames && (place->keeps || clip->loops);
}

snStatus snCheckpoint_Restore(snCheckpoint *c, const snCheckpointHook *hook, snError *error)
{
    snArchive state = snMakeRestoring(hook->state, hook->stateSize);
    snArchive frames = snMakeRestoring(hook->frames, hook->framesSize);
    exchangeBake(c, &state);
    if (!snArchive_IsWhole(&state) || !isPlace(c))
        return snFail(error, SN_ERROR_FORMAT,
                      "the checkpoint does not fit this bake: start without it");
    useFrames(c, 0, takeIn, &frames, error);
    if (!snArchive_IsWhole(&frames))
        return snFail(error, SN_ERROR_FORMAT,
                      "the frames of the checkpoint are not those of its state: start without it");
    c->sent = countFrames(c);
    return SN_OK;
}
