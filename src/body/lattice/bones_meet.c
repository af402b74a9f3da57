// How bodies whose bones give way yield to those of other models (solid_meet.c). B is the inverse of the matrix of flesh and links
// (bones.h) as the last step had it. Links turn, so a column is of three ways, one for an impulse along each axis: over all vertices,
// those on bones as links carry them, and over the links' own unknowns.
#include "body/lattice/bones_parts.h"

#include <string.h>

static size_t wayOf(const snBones *b)
{
    return 3 * (size_t)(b->model->vertexCount + b->rows);
}

size_t snBones_YieldSize(const snBones *b)
{
    return 3 * wayOf(b);
}

static void writeWay(const snBones *b, const double *load, const double *rows, double *way)
{
    int vertices = b->model->vertexCount;
    for (int v = 0; v < vertices; v++)
        for (int c = 0; c < 3; c++)
            way[3 * v + c] = load[4 * v + c];
    for (int r = 0; r < b->rows; r++)
        for (int c = 0; c < 3; c++)
            way[3 * (vertices + r) + c] = rows[4 * r + c];
}

void snBones_YieldColumn(snBones *b, const snBonesEnd *end, snBonesRoom *room, double *column)
{
    for (int c = 0; c < 3; c++) {
        memset(room->load, 0, (size_t)b->model->vertexCount * 4 * sizeof *room->load);
        for (int k = 0; k < end->count; k++)
            room->load[4 * end->vertex[k] + c] += end->weight[k];
        snBones_Load(b, room->load, room->rows);
        snBones_Solve(b, room->load, room->rows);
        snBones_Carry(b, room->rows, room->load);
        writeWay(b, room->load, room->rows, column + (size_t)c * wayOf(b));
    }
}

snMat3 snBones_YieldRow(const snBones *b, const snBonesEnd *end, const double *column)
{
    snVec3 out[3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    for (int c = 0; c < 3; c++)
        for (int k = 0; k < end->count; k++) {
            const double *u = column + (size_t)c * wayOf(b) + 3 * (size_t)end->vertex[k];
            out[c] = snMulAdd(out[c], end->weight[k], snVec(u[0], u[1], u[2]));
        }
    return (snMat3){out[0], out[1], out[2]};
}

// Adds an impulse's way to those before it.
void snBones_AddYield(const snBones *b, const double *column, snVec3 impulse, snBonesRoom *room)
{
    const double share[3] = {impulse.x, impulse.y, impulse.z};
    int vertices = b->model->vertexCount;
    for (int c = 0; c < 3; c++) {
        const double *way = column + (size_t)c * wayOf(b);
        for (int v = 0; v < vertices; v++)
            for (int k = 0; k < 3; k++)
                room->load[4 * v + k] += share[c] * way[3 * v + k];
        for (int r = 0; r < b->rows; r++)
            for (int k = 0; k < 3; k++)
                room->rows[4 * r + k] += share[c] * way[3 * (vertices + r) + k];
    }
}

void snBones_Yield(snBones *b, snLatticeState *state, const snBonesRoom *room, double time)
{
    for (int v = 0; v < b->model->freeCount; v++) {
        snVec3 u = snRow(room->load, v);
        snSetRow(state->velocity, v, snAdd(snRow(state->velocity, v), u));
        snSetRow(state->position, v, snMulAdd(snRow(state->position, v), time, u));
    }
    snBones_AddVelocity(b, state, room->rows);
    if (time > 0) snBones_Move(b, state, room->rows, time);
}
