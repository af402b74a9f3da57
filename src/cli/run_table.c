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

static void putNumber(snBytes *csv, double value)
{
    char text[SN_NUMBER_CHARS] = "nan";
    if (isfinite(value)) snFormatDouble(text, value);
    snBytes_AppendByte(csv, ',');
    snBytes_AppendText(csv, text);
}

static void putVector(snBytes *csv, snVec3 v)
{
    putNumber(csv, v.x);
    putNumber(csv, v.y);
    putNumber(csv, v.z);
}

void snRunTable_Head(snBytes *csv, const snSceneFile *scene)
{
    static const char *const measures[] = {"kinetic",    "elastic",    "potential", "momentum.x",
                                           "momentum.y", "momentum.z", "angular.x", "angular.y",
                                           "angular.z",  "volume",     "center.x",  "center.y",
                                           "center.z",   "deepest"};
    static const char *const axes[] = {"x", "y", "z"};
    snBytes_AppendText(csv, "time");
    for (int i = 0; i < scene->bodyCount; i++)
        for (size_t k = 0; k < sizeof measures / sizeof *measures; k++)
            putHead(csv, scene->bodies[i].solid.name, measures[k]);
    for (int i = 0; i < scene->probeCount; i++)
        for (int k = 0; k < 3; k++)
            putHead(csv, scene->probes[i].name, axes[k]);
    snBytes_AppendByte(csv, '\n');
}

void snRunTable_Row(snBytes *csv, const snStage *stage)
{
    snWorld *world = stage->world;
    double time = snWorld_Time(world);
    char text[SN_NUMBER_CHARS];
    snFormatDouble(text, time);
    snBytes_AppendText(csv, text);
    for (int i = 0; i < world->bodies.count; i++) {
        snBodyMeasure m;
        snBody_Measure(world->bodies.data[i], &m);
        putNumber(csv, m.kinetic);
        putNumber(csv, m.elastic);
        putNumber(csv, -m.mass * snDot(snWorld_Gravity(world, time), m.center));
        putVector(csv, m.momentum);
        putVector(csv, m.angularMomentum);
        putNumber(csv, m.volume);
        putVector(csv, m.center);
        putNumber(csv, world->tales.data[i].lastDeepest);
    }
    for (int i = 0; i < stage->probeCount; i++)
        putVector(csv, snBody_Place(world->bodies.data[stage->probeBody[i]], stage->probePoint[i]));
    snBytes_AppendByte(csv, '\n');
}
