// What contacts need to take steps on the rungs of a ladder (ladder.h). The springs of friction, k (contact.c), are
// found for every rung when a ladder is set: a few numbers each. S⁻¹ among the vertices that samples hang on is
// dense, and most of it is never asked for: there is room for some rungs at a time, and a column of it is found by
// a third of a back-substitution in the step that first needs it. So a change of rung costs what touches at
// the time, nothing is allocated in a step, and what is found does not depend on when it was.
#ifndef SN_BODY_LATTICE_CONTACT_RUNG_H
#define SN_BODY_LATTICE_CONTACT_RUNG_H

#include "body/lattice/contact.h"
#include "core/tasks.h"

// To find columns with, on as many threads as there are.
typedef struct snGreenScratch {
    int *wanted; // [skin], numbers of columns
    double *rows, *solve;
    size_t rowSize, solveSize;
} snGreenScratch;
snStatus snGreenScratch_Make(snGreenScratch *work, const snLatticeContacts *contacts,
                             snArena *arena, const snContext *context, snError *error);

snStatus snContactGreen_Alloc(snContactGreen *green, const snLatticeContacts *contacts,
                              snArena *arena, snError *error);
// The first `count` of the wanted columns, of green->model.
void snContactGreen_Find(snContactGreen *green, const snLatticeContacts *contacts,
                         const snGreenScratch *work, int count, const snTasks *tasks);

typedef struct snContactRungs {
    snArena arena; // owns everything
    int count;
    snContactRung *rungs; // [count]
    int greenCount;
    snContactGreen *greens; // [greenCount]
    int64_t clock;          // changes of rung
    snGreenScratch work;
    int wantedCount;
    unsigned char *asked; // [skin]
} snContactRungs;

// A column that the present step needs, by a vertex of the model's; and all that were asked for.
void snContactRungs_Ask(const snLatticeContacts *contacts, int vertex);
void snContactRungs_Find(snLatticeContacts *contacts);

#endif
