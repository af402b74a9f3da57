// How a character moves as a body of a world: what a skeleton gives to a step.
//
// In a step that ends at t the clip is sampled at t, joints are turned beyond it where points are held
// (flesh_reach.c), and the lattice's rig p' and the skinned surface s' follow. A vertex of the surface is drawn at
//
//     s + Σ w_a (x_a - p_a) = o + Σ w_a x_a,    o = s - Σ w_a p_a,
//
// linear in the lattice's vertices x as everything that a world does to a body asks for, with an offset o that only the
// pose knows. At rest it is zero.
#include "body/lattice/flesh_body_parts.h"

#include "core/error.h"

#include <string.h>

double snFleshBody_Time(const snFleshBody *b, int64_t ticks)
{
    const snCharacter *c = b->character;
    double time = b->def.start + b->def.speed * ((double)ticks * b->solid.body.step);
    double duration = b->def.clip >= 0 ? c->clips[b->def.clip].duration : 0;
    if (b->def.loop && duration > 0) time -= duration * floor(time / duration);
    return time;
}

static snVec3 travelled(const snFleshBody *b, int64_t ticks)
{
    double time = (double)ticks * b->solid.body.step;
    return snScale(time, snMulMV(b->clock->heading, b->def.travel));
}

snAffine snFleshBody_Place(const snFleshBody *b, int64_t ticks)
{
    snAffine place = b->clock->place;
    place.origin = snAdd(place.origin, travelled(b, ticks));
    return place;
}

static void placePose(snFleshBody *b, const snAffine *place)
{
    for (int j = 0; j < b->character->skeleton.jointCount; j++)
        b->pose.global[j] = snMulAA(*place, b->pose.global[j]);
}

// From the pose in the world to the rig, and what is drawn beyond the lattice.
static void carryRig(snFleshBody *b)
{
    b->drive = snFlesh_Drive(b->flesh, &b->pose, &b->driver);
    if (b->bones) b->drive.shape = b->bones->active > 0 ? b->bones->shape : NULL;
}

static void carryPose(snFleshBody *b)
{
    const snCharacter *c = b->character;
    carryRig(b);
    b->solid.drawn.stale = false;
    snCharacter_Surface(c, &b->pose, &b->solid.context.tasks, b->skinned, NULL);
    for (int v = 0; v < c->vertexCount; v++)
        b->solid.drawn.offset[1][v] =
            snSub(snFromF(b->skinned[v]), snSolidBody_SurfaceRow(&b->solid, v, b->drive.rig));
}

// A pose of the program's: frames, and turns in parents for what reaches.
static void takeGiven(snFleshBody *b)
{
    const snSkeleton *s = &b->character->skeleton;
    memcpy(b->pose.global, b->given + 1, (size_t)s->jointCount * sizeof *b->pose.global);
    for (int j = 0; j < s->jointCount; j++) {
        int p = s->joints[j].parent;
        snAffine local = b->pose.global[j];
        if (p >= 0) local = snMulAA(snInverseAffine(b->pose.global[p]), local);
        b->pose.local[j] = snTransform_FromAffine(local);
    }
}

void snFleshBody_SampleClip(const snFleshBody *b, int64_t ticks, snPose *pose)
{
    const snCharacter *c = b->character;
    const snClip *clip = b->def.clip >= 0 ? &c->clips[b->def.clip] : NULL;
    snCharacter_Pose(c, clip, clip ? clip->start + snFleshBody_Time(b, ticks) : 0, pose);
}

static void sampleClip(snFleshBody *b, int64_t ticks)
{
    if (b->given && b->given[0] != 0) {
        takeGiven(b);
        return;
    }
    snFleshBody_SampleClip(b, ticks, &b->pose);
}

static void keepOffsets(const snFleshBody *b)
{
    const snSolidDrawn *drawn = &b->solid.drawn;
    memcpy(drawn->offset[0], drawn->offset[1],
           (size_t)b->character->vertexCount * sizeof *drawn->offset[0]);
}

static void pose(snSolidBody *solid)
{
    snFleshBody *b = snFleshBody_Of(solid);
    int64_t end = b->clock->ticks + (solid->step.ticks > 0 ? solid->step.ticks : 1);
    snAffine place = snFleshBody_Place(b, end);
    bool unseen = snSolidBody_IsOnRig(solid) && !solid->body.covered;
    if (!unseen) snSolidBody_Show(solid);
    if (!unseen) keepOffsets(b);
    sampleClip(b, end);
    if (b->given && b->given[0] != 0) b->given[0] = 1;
    snFleshBody_Reach(b, &place);
    placePose(b, &place);
    b->clock->ticks = end;
    if (b->bones) snFleshBones_Aim(b);
    if (unseen)
        carryRig(b), solid->drawn.stale = true;
    else
        carryPose(b);
}

static void show(snSolidBody *solid)
{
    snFleshBody *b = snFleshBody_Of(solid);
    carryPose(b);
    keepOffsets(b);
}

// Links that give way are elsewhere than the first guess had them.
static void found(snSolidBody *solid)
{
    snFleshBody *b = snFleshBody_Of(solid);
    if (!b->bones) return;
    snFleshBones_Show(b);
    carryPose(b);
}

// In secondary motion the artist's pose has its gravity already (drive.c).
static void drive(snSolidBody *solid, snLatticeDrive *out)
{
    const snFleshBody *b = snFleshBody_Of(solid);
    snVec3 g = solid->step.gravity;
    bool full = solid->model->def.motion == SN_MOTION_FULL;
    out->rig = b->drive.rig;
    out->joints = b->drive.joints;
    out->acceleration = b->drive.acceleration;
    out->shape = b->drive.shape;
    out->share = b->drive.share;
    if (b->bones) b->bones->links->rig = b->driver.rig;
    out->bones = b->bones ? b->bones->links : NULL;
    if (!full) g = snVec(0, 0, 0);
    if (g.x == 0 && g.y == 0 && g.z == 0 && !solid->acts) return;
    for (int k = 0; k < 4 * solid->model->vertexCount; k += 4) {
        const double *more = b->drive.acceleration ? b->drive.acceleration + k : NULL;
        solid->acceleration[k] = g.x + (more ? more[0] : 0);
        solid->acceleration[k + 1] = g.y + (more ? more[1] : 0);
        solid->acceleration[k + 2] = g.z + (more ? more[2] : 0);
    }
    for (int i = 0; i < solid->model->vertexCount && solid->acts; i++)
        snSetRow(solid->acceleration, i, snAdd(snRow(solid->acceleration, i), solid->fields[i]));
    out->acceleration = solid->acceleration;
}

void snFleshBody_ShowClip(snFleshBody *b)
{
    snAffine now = snFleshBody_Place(b, b->clock->ticks);
    sampleClip(b, b->clock->ticks);
    placePose(b, &now);
}

// In the pose of its present time, flesh on the rig; what it reached for is forgotten.
static void put(snSolidBody *solid, const snAffine *place)
{
    snFleshBody *b = snFleshBody_Of(solid);
    b->clock->place = *place;
    b->clock->heading = snIdentity3();
    b->clock->rate = 0;
    memset(b->turns, 0, (size_t)b->character->skeleton.jointCount * sizeof *b->turns);
    memset(b->aims, 0, (size_t)solid->body.mostPoints * sizeof *b->aims);
    snFleshBody_ShowClip(b);
    if (b->bones) snFleshBones_Put(b);
    carryPose(b);
    keepOffsets(b);
    snLatticeState_SetShape(solid->model, solid->state, b->drive.shape);
    snLatticeState_Start(solid->model, solid->state, b->drive.rig, NULL);
}

// Where it stands, and is at the end of steps to come.
static void standAt(snFleshBody *b, snAffine now)
{
    now.origin = snSub(now.origin, travelled(b, b->clock->ticks));
    b->clock->place = now;
}

static void go(snSolidBody *solid, const snAffine *place, snAffine *stands)
{
    snFleshBody *b = snFleshBody_Of(solid);
    *stands = snFleshBody_Place(b, b->clock->ticks);
    if (place) standAt(b, *place);
}

static bool setPose(snSolidBody *solid, int joints, const snAffine *frames)
{
    snFleshBody *b = snFleshBody_Of(solid);
    if (!b->given || joints != b->character->skeleton.jointCount) return false;
    size_t size = (size_t)joints * sizeof *frames;
    if (b->given[0] != 0 && !memcmp(b->given + 1, frames, size)) return true;
    b->given[0] = 2;
    memcpy(b->given + 1, frames, size);
    return true;
}

static void carry(snSolidBody *solid, const snAffine *motion)
{
    snFleshBody *b = snFleshBody_Of(solid);
    snAffine now = snMulAA(*motion, snFleshBody_Place(b, b->clock->ticks));
    b->clock->heading = snMulMM(motion->linear, b->clock->heading);
    standAt(b, now);
    for (int k = 0; k < 2; k++) // what is drawn beyond the lattice is a difference of places
        for (int v = 0; v < b->character->vertexCount; v++)
            solid->drawn.offset[k][v] = snMulMV(motion->linear, solid->drawn.offset[k][v]);
    for (int i = 0; i < solid->body.mostPoints; i++)
        b->aims[i].soft = snMulMV(motion->linear, b->aims[i].soft);
    placePose(b, motion);
    if (b->bones) snFleshBones_Carry(b, motion);
}

// The pose is found again from what is saved; all else of it is.
static void restored(snSolidBody *solid)
{
    snFleshBody *b = snFleshBody_Of(solid);
    snAffine now = snFleshBody_Place(b, b->clock->ticks);
    sampleClip(b, b->clock->ticks);
    snFleshBody_ShowTurns(b);
    placePose(b, &now);
    if (b->bones) snFleshBones_Show(b);
}

static void forget(snSolidBody *solid, int point)
{
    snFleshBody_Of(solid)->aims[point] = (snFleshAim){0};
}

static void destroy(snSolidBody *solid)
{
    snFleshBody_DestroyReach(snFleshBody_Of(solid)); // the flesh is the caller's
    snFleshBones_Destroy(snFleshBody_Of(solid)->bones);
}

const snSolidLead snFleshLead = {.pose = pose,
                                 .drive = drive,
                                 .found = found,
                                 .show = show,
                                 .put = put,
                                 .carry = carry,
                                 .go = go,
                                 .setPose = setPose,
                                 .stirs = snFleshBody_Stirs,
                                 .pass = snFleshBody_Pass,
                                 .restored = restored,
                                 .beyond = snFleshBody_Beyond,
                                 .forget = forget,
                                 .rows = snFleshBody_Rows,
                                 .controls = snFleshBody_Controls,
                                 .destroy = destroy};

const snPose *snFleshBody_Pose(const snBody *body)
{
    return &((const snFleshBody *)body)->pose;
}
