// What the files of the search share among themselves.
#ifndef SN_BODY_LATTICE_SEARCH_PARTS_H
#define SN_BODY_LATTICE_SEARCH_PARTS_H

#include "body/lattice/bones.h"
#include "body/lattice/contact_dual.h"
#include "body/lattice/passes.h"
#include "body/lattice/search.h"

// The search of all lanes of a batch, or of some bodies of one lane. Each lane goes its own way: its own
// products, its own halved steps, and its own end.
typedef struct Search {
    int bodyCount;
    snSearchBody *bodies;
    snContactDual *dual; // of their contacts, where those are exact, or NULL
    const snVectorKernels *kernels;
    int lanes;
    bool touches;
    bool newton;
    bool averaged; // some body keeps its energy (average.h)
    int moves;     // since the last look at what else it depends on
    double begun;  // slope of the first of them
    double slope;  // along the last direction, where something touches
    unsigned char
        wanted[SN_MAX_LANES]; // lanes that are searched for, and those of them that still move
    unsigned char moving[SN_MAX_LANES];
    double value[SN_MAX_LANES]; // of the objective, by lane
    // L-BFGS.
    int count;                             // pairs kept
    int slot[SN_MEMORY];                   // their places, oldest first
    double rho[SN_MEMORY][SN_MAX_LANES];   // 1 / (s . y) by place and lane; 0: no pair
    double alpha[SN_MEMORY][SN_MAX_LANES]; // scratch
} Search;

static inline int snSearch_Size(const snSearchBody *body)
{
    return body->unknowns * body->state->width;
}

static inline int snSearch_BonesSize(const snSearchBody *body)
{
    return body->bones ? body->bones->rows * 4 : 0;
}

// A planar world: no z. The matrix is the same for x, y and z, so what has none gets none.
static inline void snSearch_Flatten(const snSearchBody *body, int count, double *x)
{
    for (int k = 2; k < 4 * count && body->drive->planar; k += 4)
        x[k] = 0;
}

// What elastic energy is multiplied by in the objective: h² with the damping of stiffness.
static inline double snSearch_Scale(const snSearchBody *body)
{
    double h = body->model->def.step;
    return h * (h + body->model->def.stiffnessDamping) * body->state->stiffness;
}

// search_objective.c. The energy that damping of its rate counts from, before the search begins; the objective and its gradient where the
// unknowns are; and that a move has gone down: halved until it has, or its lane stops. `end`: it was the last.
void snSearch_BeginEnergy(snSearchBody *body);
void snSearch_Evaluate(Search *search, snPassKind kind, const unsigned char *active, double *value);
void snSearch_Descend(Search *search, bool end);
// The first two parts of one body's alone, to its `flesh` and `squares`.
void snSearch_EvaluateBody(snSearchBody *body, snPassKind kind, const unsigned char *active);

// first_guess.c. Before a search: what could be left strained by going on begins without moving within itself, if that is lower. After it: what
// is higher than that is put there, and wanted again; false: nothing is.
void snSearch_BeginStill(Search *search);
bool snSearch_StandStill(Search *search);

#endif
