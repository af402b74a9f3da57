#include "pile.h"

#include <stdio.h>

#define ROW 3       // nails end to end, and side by side
#define LENGTH 0.95 // m, from one to the next
#define BESIDE 0.36
#define LAYER 0.32
#define LOWEST 0.2

snPileDef snDefaultPileDef(void)
{
    return (snPileDef){100, 4};
}

// Layers lie across each other, each a little aside, and no two nails alike.
static void putNail(int i, snBytes *bytes)
{
    static const char *const colors[] = {"#c8402c", "#4c9a4c", "#d8b030", "#3f74b5", "#8a5aa8"};
    int layer = i / (ROW * ROW), k = i % (ROW * ROW);
    double along = LENGTH * (k % ROW - 1) + 0.4 + 0.03 * (layer % 3);
    double beside = BESIDE * (k / ROW - 1) + 0.03 * (layer * 7 % 4), up = LOWEST + LAYER * layer;
    bool across = layer % 2;
    char line[256];
    snprintf(line, sizeof line,
             "%s  {\"name\": \"nail %d\", \"coat\": {\"file\": \"nail.coat.json\"}, "
             "\"place\": [%.2f, %.2f, %.2f], "
             "\"rotation\": {\"axis\": [%d, 0, %d], \"angle\": \"%d deg\"}, \"color\": \"%s\"}",
             i ? ",\n" : "", i, across ? beside : along, up, across ? -along : beside, across,
             !across, 90 + 4 * (i * 5 % 3 - 1), colors[i * 2 % 5]);
    snBytes_AppendText(bytes, line);
}

void snPile_WriteScene(const snPileDef *def, snBytes *bytes)
{
    char head[256];
    snprintf(head, sizeof head,
             "{\n \"sinew\": \"scene\",\n \"version\": 1,\n \"title\": \"A pile of %d nails\",\n"
             " \"stepsPerSecond\": 120,\n \"duration\": \"%g s\",\n \"bodies\": [\n",
             def->bodies, def->seconds);
    snBytes_AppendText(bytes, head);
    for (int i = 0; i < def->bodies; i++)
        putNail(i, bytes);
    snBytes_AppendText(bytes, "\n ],\n"
                              " \"colliders\": [{\"kind\": \"floor\", \"friction\": 0.6}],\n"
                              " \"camera\": {\"yaw\": 20, \"pitch\": 14, \"panels\": 8}\n}\n");
}
