// Points of bodies that are held to each other, and with them all points of these bodies that are held to places:
// one set of constraints (constraint/constraint.h) over the unknowns of several bodies of one lane, which are
// searched together (search.h). Springs between points are part of the search's objective, as those to places are
// (pull.h). What holds one end pulls at the other, so momentum is kept to rounding.
//
// In a step:
//     snTies_Clear(ties);
//     snTies_Add(ties, &tie);                  // as often as wanted, in an order that is always the same
//     snTies_SetRung(ties, i, rung);           // of every body
//     snTies_Begin(ties);                      // once first guesses are there: points go to their places
// and the search calls the rest. Nothing is remembered from step to step but what saves work.
#ifndef SN_BODY_LATTICE_TIE_H
#define SN_BODY_LATTICE_TIE_H

#include "body/lattice/step.h"
#include "constraint/normal.h"

#define SN_TIE_WORLD (-1) // in the place of a body: a place that does not give way

typedef struct snTieEnd {
    int body; // number among the ties' bodies, or SN_TIE_WORLD
    int count;
    int vertex[SN_POINT_TERMS]; // the model's numbers
    double weight[SN_POINT_TERMS];
} snTieEnd;

// With p = the first end less the second, which is 0 for the world.
typedef struct snTie {
    snTieEnd end[2];
    bool hard;
    snVec3 target;       // of hard ones: p at the step's end
    double stiffness;    // of springs: ½ K |p - x|² - b . (p - x) as in pull.h, K ...
    snVec3 origin, push; // ... x, b
    snVec3 rest[2];      // where the ends rest, in their bodies' frames: snTies_Add
} snTie;

typedef struct snTieBody {
    const snLatticeModel *model;
    snLatticeState *state;
    const snLatticeModel *rung, *known; // of the step, and of what the constraints were made for
    uint64_t acting;                    // snActive_Hash, of what they were made for
    int first;                          // unknown among those of all
    struct snLatticeContacts
        *contacts; // by snLatticeIsland_Tie: those that snTies_ProjectPulled is for
} snTieBody;

typedef struct snTies {
    snArena arena;
    int bodyCount;
    snTieBody *bodies;
    int size;      // unknowns of all bodies
    double extent; // m, of the largest of them at rest
    int capacity;
    int count;
    snTie *list;          // [capacity], of the step
    int knownCount;       // hard ones that the constraints were made from
    snTie *known;         // [capacity]
    int *handle;          // [capacity]
    snConstraintSet *set; // of hard ones
    snConstraintNormal *normal;
    int conflicts;                 // hard ones of the step that contradict others
    int64_t columnsSeen, rowsSeen; // of the set's counters, by who reports them
    // Scratch.
    double *rows;          // [size * 4]
    double *sum, *packed;  // [size]
    int *terms;            // [size]
    unsigned char *listed; // [size]
    double *correct, *solve;
    double *wide; // [most unknowns of a body * 4]
} snTies;

typedef struct snTiesDef {
    int bodyCount;
    const snLatticeModel *const *
        models; // these must outlive the ties; none has details. Known vertices are where rigs have them
    snLatticeState *const *states; // of one lane
    int capacity;                  // ties at a time, places that hold points among them
} snTiesDef;

snStatus snTies_Make(snTies **ties, const snTiesDef *def, const snContext *context, snError *error);
void snTies_Destroy(snTies *ties); // accepts NULL

void snTies_Clear(snTies *ties);
bool snTies_Add(snTies *ties, const snTie *tie); // false: there are too many
void snTies_SetRung(snTies *ties, int body, const snLatticeModel *rung);

// Brings the constraints up to date and the first guesses in state->next to where they meet them. Where ties or rungs
// are others than in the step before, each costs a back-substitution. False: something is not finite.
bool snTies_Begin(snTies *ties);

// state->direction of all bodies to what keeps the constraints, nearest in the norm of their matrices; and gradients to
// what is left of them without the forces that hold.
void snTies_Project(snTies *ties);
void snTies_ProjectGradients(snTies *ties);
// The same for contacts->pulled of all bodies: what forces move them by, to what they move them by with the ties.
void snTies_ProjectPulled(snTies *ties);

// The springs' part of the objective at state->next, its gradient added to state->gradient (false: not wanted), and
// dᵀ C d of its second derivatives C along state->direction.
double snTies_AddTerms(const snTies *ties, bool gradient);
double snTies_Curvature(const snTies *ties);

// Of bodies whose functions come and go (space_levels.h): vertices that ties read and write are listed for the search,
// and at the step's end the springs' gradient is added to what pulled.
void snTies_ListVertices(const snTies *ties);
void snTies_AddLoads(const snTies *ties);

#endif
