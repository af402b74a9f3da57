// G among the contacts that push (contact_dual.h), and its factor.
//
// A record has a place in G from when it first pushes in a step. Its column of S⁻¹Φᵀ is found once: by a
// back-substitution, which is quick in a space of few functions (space.h); or from columns of S⁻¹ among the vertices
// that samples hang on, a table that is kept where it is not too large (contact_rung.h). An entry of G is then a
// row times a column. Columns of samples are solved for three at a time, and kept from step to step for as long as S stays the same.
// While the contacts that push first in a step are those of the step before, as at rest, their
// part of G and its factor are kept.
#ifndef SN_BODY_LATTICE_CONTACT_PUSH_H
#define SN_BODY_LATTICE_CONTACT_PUSH_H

#include "body/lattice/contact.h"
#include "body/lattice/contact_factor.h"

#define SN_MOST_SKIN 4000   // vertices that samples may hang on for S⁻¹ among them to be kept
#define SN_MOST_PUSHING 600 // records that can push at a time: dense matrices of that many rows
#define SN_COLUMN_BYTES ((size_t)24 << 20) // of the columns that a body keeps

typedef struct snDualEntry {
    snLatticeContacts *contacts;
    snContactRecord *record;
} snDualEntry;

// What a row of G was made of.
typedef struct snDualKey {
    const snLatticeContacts *contacts;
    const snLatticeModel *rung;
    int ladder;      // which of those that were set
    uint64_t acting; // its functions (active.h)
    int sample;
    snVec3 normal;
} snDualKey;

typedef struct snContactPush {
    int most;               // records that can push at a time
    int count;              // of those that push
    int *numbers;           // [most], of their entries, ascending
    int placeCount;         // taken
    int *entryOf;           // [most], by place
    int *placeOf;           // [capacity], by entry, or -1
    double *matrix;         // [most²], G by places
    double *give;           // [most], C by places
    snContactFactor factor; // of G + C among some places
    bool updated;           // the factor was changed since it was made
    int lastCount;          // of the first places of the last step
    snDualKey *last;        // [most]
    int *some;              // [most], scratch
    int64_t columns;        // of S⁻¹Φᵀ that were solved for so far
} snContactPush;

snStatus snContactPush_Make(snContactPush *push, int capacity, snArena *arena, snError *error);

// S⁻¹ among the vertices that samples hang on, and the rows of `others` (NULL: none), where it is kept.
snStatus snContactGreen_Make(snLatticeContacts *contacts, const snContactSamples *others,
                             snArena *scratch, const snContext *context, snError *error);

// At a step's begin: no entry has a place.
void snContactPush_Reset(snContactPush *push, int entries, int bodies,
                         snLatticeContacts *const *contacts);

// Places, and the factor of G + C, for the entries in `numbers`. False where it is not positive.
bool snContactPush_Factorise(snContactPush *push, const snDualEntry *entries);
// (G + C) x = x among them, in the order of `numbers`.
void snContactPush_Solve(snContactPush *push, double *x);

// ---- rows ---------------------------------------------------------------------------------------

typedef struct snDualRow {
    snLatticeContacts *of;
    int count;
    const int *vertex;
    const double *weight;
} snDualRow;

// The sides of a record: its sample and what that touches.
static inline int snDualEntry_Rows(const snDualEntry *entry, snDualRow rows[2])
{
    snLatticeContacts *c = entry->contacts;
    const snContactRecord *r = entry->record;
    int first = c->start[r->sample];
    rows[0] = (snDualRow){c, c->start[r->sample + 1] - first, c->vertex + first, c->weight + first};
    rows[1] = (snDualRow){r->other ? r->other : c, r->otherCount, r->otherVertex, r->otherWeight};
    return r->otherCount ? 2 : 1;
}

// What forces move bodies by, P S⁻¹ of what is in contacts->load, to contacts->moved: P leaves points that are held, and tied to
// each other, where they are. Of tied bodies all must be among them.
void snLatticeContacts_GiveWay(int count, snLatticeContacts *const *contacts);

#endif
