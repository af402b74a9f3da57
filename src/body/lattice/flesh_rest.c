// What moves a character from within, for those that sleep: its clip, its travel, the strength of a skeleton that gives way.
//
// The clip stands still in a step where no joint that feels it turns by 1e-7 or goes by as much of the character's height: two
// degrees in an hour. A skeleton without any strength feels its clip nowhere but at joints that go with their
// parents as the clip has them (flesh_bones.c), whatever else the clip plays on.
#include "body/lattice/flesh_body_parts.h"

#define STILL 1e-7

static double timeOf(const snFleshBody *b, int64_t ticks)
{
    return (double)ticks * b->solid.body.step;
}

// Neither joints nor a hand draw a skeleton anywhere.
static bool isSlack(const snFleshBody *b, double time)
{
    if (!b->bones) return false;
    const snStrength *strength = &b->bones->def.strength;
    snStrengthKey key = snStrength_At(strength, time);
    return key.strength == 0 && key.hand * strength->hand == 0;
}

// What is outside of the body moves nothing of it; parts that no flesh carries are drawn by the whole pose.
static bool feels(const snFleshBody *b, int joint, bool slack)
{
    if (!slack) return true;
    for (int p = 0; p < b->character->partCount; p++)
        if (!b->flesh->carried[p]) return true;
    return b->bones->inside[joint] && b->bones->links->rowOf[joint] < 0;
}

static bool moves(const snFleshBody *b, const snTransform *from, const snTransform *to)
{
    snQuat p = from->rotation, q = to->rotation;
    double cosine = fabs(p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w);
    double far = STILL * b->flesh->height;
    return 1 - cosine > 0.5 * STILL * STILL + 1e-15 ||
           snDistance(from->translation, to->translation) > far ||
           snDistance(from->scale, to->scale) > STILL;
}

static bool clipMoves(const snFleshBody *b, int64_t end, bool slack)
{
    snPose now = b->ahead[0], then = b->ahead[1];
    bool any = false;
    if (b->def.clip < 0 || (b->given && b->given[0] != 0)) return false;
    snFleshBody_SampleClip(b, b->clock->ticks, &now);
    snFleshBody_SampleClip(b, end, &then);
    for (int j = 0; j < b->character->skeleton.jointCount && !any; j++)
        any = feels(b, j, slack) && moves(b, &now.local[j], &then.local[j]);
    for (int m = 0; m < b->character->morphCount && !any; m++)
        any = fabs(now.morphs[m] - then.morphs[m]) > STILL;
    return any;
}

static bool strengthChanges(const snFleshBody *b, int64_t end)
{
    if (!b->bones) return false;
    const snStrength *strength = &b->bones->def.strength;
    snStrengthKey now = snStrength_At(strength, timeOf(b, b->clock->ticks));
    snStrengthKey then = snStrength_At(strength, timeOf(b, end));
    return now.strength != then.strength || now.hand != then.hand;
}

bool snFleshBody_Stirs(const snSolidBody *solid, int ticks)
{
    const snFleshBody *b = (const snFleshBody *)solid;
    int64_t end = b->clock->ticks + ticks;
    bool slack = isSlack(b, timeOf(b, end));
    bool travels = !slack && snLengthSquared(b->def.travel) > 0;
    bool posed = b->given && b->given[0] > 1;
    return travels || posed || strengthChanges(b, end) || clipMoves(b, end, slack);
}

// Where a hand was last is where the clip has it at that time: who wakes does not feel all of what the clip did in between as a blow.
void snFleshBody_Pass(snSolidBody *solid, int ticks)
{
    snFleshBody *b = snFleshBody_Of(solid);
    bool timeless = b->def.clip < 0 && snLengthSquared(b->def.travel) == 0 &&
                    !(b->bones && b->bones->def.strength.keyCount);
    if (timeless) return;
    b->clock->ticks += ticks;
    if (!isSlack(b, timeOf(b, b->clock->ticks))) return;
    snFleshBody_ShowClip(b);
    snFleshBones_Want(b);
}
