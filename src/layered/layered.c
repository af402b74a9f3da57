#include "layered/layered.h"

#include "core/error.h"
#include "core/suggest.h"

#include <string.h>

static const size_t rowSizes[SN_TABLE_COUNT] = {
    [SN_TABLE_SETTINGS] = sizeof(snLayeredSettings),
    [SN_TABLE_JOINTS] = sizeof(snLayeredJoint),
    [SN_TABLE_MUSCLES] = sizeof(snLayeredMuscle),
    [SN_TABLE_SKIN] = sizeof(snLayeredSkin),
    [SN_TABLE_POINTS] = sizeof(snLayeredPoint),
    [SN_TABLE_TRIANGLES] = sizeof(snLayeredTriangle),
    [SN_TABLE_MARKS] = sizeof(snLayeredMark),
    [SN_TABLE_POSTURES] = sizeof(snLayeredPosture),
    [SN_TABLE_POSTURED] = sizeof(snLayeredPostured),
};

static const char *const nouns[SN_TABLE_COUNT] = {
    [SN_TABLE_SETTINGS] = "setting",
    [SN_TABLE_JOINTS] = "joint",
    [SN_TABLE_MUSCLES] = "muscle",
    [SN_TABLE_SKIN] = "skin",
    [SN_TABLE_POINTS] = "point",
    [SN_TABLE_TRIANGLES] = "triangle",
    [SN_TABLE_MARKS] = "mark",
    [SN_TABLE_POSTURES] = "posture",
    [SN_TABLE_POSTURED] = "joint of a posture",
};

// Rows are compared and kept as bytes: none of them may be padding.
_Static_assert(sizeof(snDriven) == 4 * sizeof(int) + (1 + 2 * SN_DRIVEN_POINTS) * sizeof(double),
               "padding");
_Static_assert(sizeof(snLayeredSettings) == SN_NAME_SIZE + 8 * sizeof(int) + 9 * sizeof(double),
               "padding");
_Static_assert(sizeof(snLayeredJoint) == SN_NAME_SIZE + 4 * sizeof(int) + 23 * sizeof(double),
               "padding");
_Static_assert(sizeof(snLayeredMuscle) == SN_NAME_SIZE + 6 * sizeof(int) + 15 * sizeof(double) +
                                              5 * sizeof(snDriven) +
                                              SN_WARP_BULGES * sizeof(snLayeredBulge),
               "padding");
_Static_assert(sizeof(snLayeredBulge) == 7 * sizeof(double) + sizeof(snDriven), "padding");
_Static_assert(sizeof(snLayeredSkin) == 6 * sizeof(int) + 7 * sizeof(double) + sizeof(snDriven),
               "padding");
_Static_assert(sizeof(snLayeredMark) == SN_NAME_SIZE + 14 * sizeof(double), "padding");
_Static_assert(sizeof(snLayeredPoint) == 2 * sizeof(int) + 24 * sizeof(double), "padding");

size_t snTable_RowSize(snTable table)
{
    return rowSizes[table];
}

static void defaultSettings(snLayeredSettings *s)
{
    s->current = -1;
    s->frameRate = 24;
    s->gravity = snVec(0, -9.81, 0);
    s->tolerance = 1e-3;
    s->step = 1.0 / 240;
    s->designRows = s->designColumns = 16;
    s->finalRows = s->finalColumns = 32;
    s->pace = 1;
    s->correction = 0.005;
}

static void defaultJoint(snLayeredJoint *j)
{
    j->parent = -1;
    j->rotation = snIdentityQuat();
    j->size = 0.02;
    j->axis = snVec(1, 0, 0);
    j->low = snVec(-180, -120, -120);
    j->high = snVec(180, 120, 120);
}

static void defaultMuscle(snLayeredMuscle *m)
{
    snDriven none = {.joint = -1};
    m->joint = -1;
    m->rotation = snIdentityQuat();
    m->size = snVec(0.1, 0.1, 0.1);
    m->e1 = m->e2 = 1;
    m->color = snVec(0.62, 0.24, 0.19);
    m->axis = 1;
    m->taper[0] = m->taper[1] = m->twist = m->bend = m->bendAround = none;
    for (int i = 0; i < SN_WARP_BULGES; i++)
        m->bulges[i].height = none;
}

static void defaultPoint(snLayeredPoint *p)
{
    p->mass = 2;
    p->elasticity = snVec(200, 200, 200);
    p->metric = snVec(1, 0, 1);
    p->damping = 20;
    p->viscosity = 5e-4;
    p->stiffness = 2e4;
    p->bandDamping = 20;
    p->muscle = p->joint = -1;
    p->color = snVec(0.8, 0.5, 0.38);
}

void snTable_Default(snTable table, void *row)
{
    memset(row, 0, rowSizes[table]);
    if (table == SN_TABLE_SETTINGS) defaultSettings(row);
    if (table == SN_TABLE_JOINTS) defaultJoint(row);
    if (table == SN_TABLE_MUSCLES) defaultMuscle(row);
    if (table == SN_TABLE_POINTS) defaultPoint(row);
    if (table == SN_TABLE_MARKS) {
        snLayeredMark *mark = row;
        mark->rotation = snIdentityQuat();
        mark->size = snVec(0.02, 0.02, 0.02);
        mark->edge = 0.1;
    }
    if (table == SN_TABLE_SKIN) {
        snLayeredSkin *skin = row;
        skin->rows = skin->columns = 16;
        skin->bottom = skin->top = -1;
        skin->color = snVec(0.8, 0.5, 0.38);
        skin->friction = 0.3;
        skin->stiffness = (snDriven){.joint = -1, .value = 1};
    }
}

snStatus snLayered_Make(snLayered *layered, const snContext *context, snError *error)
{
    *layered = (snLayered){.context = *context};
    snRows *rows = &layered->tables[SN_TABLE_SETTINGS];
    rows->data = context->allocator.allocate(context->allocator.user, sizeof(snLayeredSettings));
    if (!rows->data) return snFailMemory(error);
    rows->count = rows->capacity = 1;
    snTable_Default(SN_TABLE_SETTINGS, rows->data);
    return SN_OK;
}

void snLayered_Destroy(snLayered *layered)
{
    const snAllocator *allocator = &layered->context.allocator;
    for (int t = 0; t < SN_TABLE_COUNT; t++)
        if (layered->tables[t].data) allocator->release(allocator->user, layered->tables[t].data);
    *layered = (snLayered){0};
}

// Names stand first in the rows that have one.
const char *snLayered_Name(const snLayered *layered, snTable table, int row)
{
    return (const char *)layered->tables[table].data + (size_t)row * rowSizes[table];
}

int snLayered_Find(const snLayered *layered, snTable table, const char *name)
{
    for (int i = 0; i < layered->tables[table].count; i++)
        if (!strcmp(snLayered_Name(layered, table, i), name)) return i;
    return -1;
}

typedef struct TableOf {
    const snLayered *layered;
    snTable table;
} TableOf;

static const char *nameAt(const void *user, int i)
{
    const TableOf *of = user;
    return snLayered_Name(of->layered, of->table, i);
}

snStatus snLayered_Need(const snLayered *layered, snTable table, const char *name, int *row,
                        snError *error)
{
    *row = snLayered_Find(layered, table, name);
    if (*row >= 0) return SN_OK;
    const TableOf of = {layered, table};
    const char *guess =
        snNames_Suggest(&(snNames){layered->tables[table].count, nameAt, &of}, name);
    return snFail(error, SN_ERROR_ARGUMENT, "there is no %s called \"%.40s\"%s", nouns[table], name,
                  snHint_Of("\"", guess, "\"").text);
}

snStatus snLayered_NeedSkin(const snLayered *layered, snError *error)
{
    if (snLayered_Skin(layered)) return SN_OK;
    return snFail(error, SN_ERROR_ARGUMENT, "there is no skin; create one first");
}
