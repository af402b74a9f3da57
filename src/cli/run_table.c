#include "cli/run_table.h"

#include "asset/json_number.h"

#include <string.h>

// A name as part of a field, without what would end it.
static void putName(snBytes *csv, const char *name)
{
    for (; *name; name++)
        snBytes_AppendByte(csv, strchr(",\"\n\r", *name) ? '_' : (uint8_t)*name);
}

static void putHead(snBytes *csv, const char *name, const char *measure)
{
    snBytes_AppendByte(csv, ',');
    putName(csv, name);
    snBytes_AppendByte(csv, '.');
    snBytes_AppendText(csv, measure);
}

static void putNumber(snBytes *csv, int column, double value)
{
    char text[SN_NUMBER_CHARS] = "nan";
    if (isfinite(value)) snFormatDouble(text, value);
    if (column) snBytes_AppendByte(csv, ',');
    snBytes_AppendText(csv, text);
}

#define MEASURES 14

void snRunTable_Head(snBytes *csv, const snSceneFile *scene)
{
    static const char *const measures[MEASURES] = {
        "kinetic",    "elastic",   "potential", "momentum.x", "momentum.y",
        "momentum.z", "angular.x", "angular.y", "angular.z",  "volume",
        "center.x",   "center.y",  "center.z",  "deepest"};
    static const char *const axes[] = {"x", "y", "z"};
    snBytes_AppendText(csv, "time");
    for (int i = 0; i < scene->bodyCount; i++)
        for (int k = 0; k < MEASURES; k++)
            putHead(csv, scene->bodies[i].solid.name, measures[k]);
    for (int i = 0; i < scene->probeCount; i++)
        for (int k = 0; k < 3; k++)
            putHead(csv, scene->probes[i].name, axes[k]);
    snBytes_AppendByte(csv, '\n');
}

int snRunTable_Columns(const snStage *stage)
{
    return 1 + MEASURES * stage->world->bodies.count + 3 * stage->probeCount;
}

static double *putVector(double *row, snVec3 v)
{
    *row++ = v.x;
    *row++ = v.y;
    *row++ = v.z;
    return row;
}

void snRunTable_Measure(const snStage *stage, double *row)
{
    snWorld *world = stage->world;
    double time = snWorld_Time(world);
    *row++ = time;
    for (int i = 0; i < world->bodies.count; i++) {
        snBodyMeasure m;
        snBody_Measure(world->bodies.data[i], &m);
        *row++ = m.kinetic;
        *row++ = m.elastic;
        *row++ = -m.mass * snDot(snWorld_Gravity(world, time), m.center);
        row = putVector(row, m.momentum);
        row = putVector(row, m.angularMomentum);
        *row++ = m.volume;
        row = putVector(row, m.center);
        *row++ = world->tales.data[i].lastDeepest;
    }
    for (int i = 0; i < stage->probeCount; i++)
        row = putVector(
            row, snBody_Place(world->bodies.data[stage->probeBody[i]], stage->probePoint[i]));
}

void snRunTable_Row(snBytes *csv, int columns, const double *row)
{
    for (int i = 0; i < columns; i++)
        putNumber(csv, i, row[i]);
    snBytes_AppendByte(csv, '\n');
}
