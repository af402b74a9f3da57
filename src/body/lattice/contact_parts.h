// What the files of contact share among themselves.
#ifndef SN_BODY_LATTICE_CONTACT_PARTS_H
#define SN_BODY_LATTICE_CONTACT_PARTS_H

#include "body/lattice/contact.h"
#include "body/lattice/row.h"

static inline snVec3 snSamplePlace(const snLatticeContacts *c, int s, const double *position)
{
    int first = c->start[s];
    return snRowPlace(c->start[s + 1] - first, c->vertex + first, c->weight + first, position);
}

// What is drawn beyond the lattice, at the step's begin (0) or end (1).
static inline snVec3 snSampleOffset(const snLatticeContacts *c, int s, int end)
{
    return c->offset[end] ? c->offset[end][s] : snVec(0, 0, 0);
}

// Where a sample is drawn at the step's begin.
static inline snVec3 snSampleBegin(const snLatticeContacts *c, int s)
{
    return snAdd(snSamplePlace(c, s, c->state->position), snSampleOffset(c, s, 0));
}

// How far what is drawn goes in the step beyond the lattice.
static inline snVec3 snSampleCarried(const snLatticeContacts *c, int s)
{
    return snSub(snSampleOffset(c, s, 1), snSampleOffset(c, s, 0));
}

// Σ w y over both sides, the other's at `other`: [vertices * 4] of its body.
static inline snVec3 snRecordPlace(const snLatticeContacts *c, const snContactRecord *r,
                                   const double *position, const double *other)
{
    snVec3 own = snSamplePlace(c, r->sample, position);
    if (!r->otherCount) return own;
    return snAdd(own, snRowPlace(r->otherCount, r->otherVertex, r->otherWeight, other));
}

static inline snVec3 snAlongSurface(snVec3 v, snVec3 normal)
{
    return snMulAdd(v, -snDot(v, normal), normal);
}

// What friction remembers of something that a sample touches, as the present rung has it. Kept is what the base
// would have: of the same forces f and, along the surface, k t / h².
typedef struct snFriction {
    double force; // normal, times h²
    snVec3 slip;  // t
} snFriction;

static inline double snSlipScale(const snLatticeContacts *c, int sample)
{
    double own = c->stiffness[sample];
    return own > 0 ? c->rung->squared * (c->base.stiffness[sample] / own) : 1;
}

static inline snFriction snLatticeContacts_Friction(const snLatticeContacts *c, int sample, int who)
{
    const snSampleMemory *memory = snLatticeContacts_Memory(c, sample, who);
    if (!memory) return (snFriction){0, {0, 0, 0}};
    return (snFriction){memory->force * c->rung->squared,
                        snScale(snSlipScale(c, sample), memory->slip)};
}

// k of all samples for a model's matrix, with what they give in the mean.
snStatus snContactRung_Find(snContactRung *rung, const snLatticeContacts *c, snArena *scratch,
                            const snContext *context, snError *error);

void snContactRungs_Destroy(struct snContactRungs *rungs); // accepts NULL

// A place of its own for what a sample touches at a gap: a free one, or that of what is farthest; NULL: all
// are nearer. While they are gathered a record's `bound` is its gap.
snContactRecord *snLatticeContacts_Take(snLatticeContacts *c, int sample, double gap);

// Whether a sample counts that is near something: late ones must be nearer.
bool snLatticeContacts_Counts(const snLatticeContacts *c, int sample, int who,
                              const snTouch *touch);

// Of what is inside when a step begins: where its contact begins in it; and at the step's end.
void snLatticeContacts_LimitExit(snLatticeContacts *c, snContactRecord *r, snVec3 move);
void snLatticeContacts_FollowPlans(snLatticeContacts *c);

// Whether a step is so fast that what touches must be looked for more than once.
static inline bool snLatticeContacts_IsFast(const snLatticeContacts *c)
{
    return c->sway > 0;
}

// Where and how fast a sample that comes in is to be at the step's end, with a restitution e, where the collider
// that it touches goes by `move`.
void snLatticeContacts_FindBounce(const snLatticeContacts *c, snContactRecord *r, double e,
                                  snVec3 move);

#endif
