#include "contact/solve.h"

#define DIVERGED 1e3 // times what the first sweep moved

static double sweep(const snContactSystem *system)
{
    double moved = 0;
    for (int r = 0; r < system->count; r++) {
        snContactRow *row = &system->rows[r], before = *row;
        snVec3 by = snContactRow_Take(row, system->between(system->context, r));
        if (snIsFinite3(by) && snLengthSquared(by) > 0)
            moved = fmax(moved, system->act(system->context, r, by));
        else if (!snIsFinite3(by))
            *row = before;
    }
    return moved;
}

bool snContactSystem_Solve(const snContactSystem *system, int sweeps, double settled)
{
    double first = 0, moved = INFINITY;
    for (int k = 0; k < sweeps && moved > settled; k++) {
        moved = sweep(system);
        if (!k) first = moved;
        if (!(moved <= DIVERGED * first)) return false;
    }
    return moved <= first;
}
