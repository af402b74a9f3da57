#include "cli/contact_options.h"

#include "asset/quantity.h"
#include "character/rules.h"
#include "core/error.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define NEAR_ZERO 0.02 // of the height: a floor that is found this near to 0 is meant to be there
#define LISTED 12      // meshes that an error names

// ---- options ------------------------------------------------------------------------------------

static int takeFloor(snContactOptions *o, const snOptionReader *reader)
{
    double value;
    bool bare, good = snParseQuantity(reader->value, SN_QUANTITY_LENGTH, &value, &bare);
    o->autoFloor = !strcmp(reader->value, "auto");
    o->floor = true;
    if (good && fabs(value) <= 1e9) {
        o->height = value;
        o->inMetres = !bare;
        return 1;
    }
    if (o->autoFloor) return 1;
    snCli_Usage(reader->command,
                "--floor is \"%s\"; it must be auto, a height such as 0.1m or -5cm, or a number in "
                "the file's units",
                reader->value);
    return -1;
}

int snContactOptions_Take(snContactOptions *o, const snOptionReader *reader)
{
    const char *name = reader->name;
    if (!name) return 0;
    if (!strcmp(name, "floor")) return takeFloor(o, reader);
    if (!strcmp(name, "self")) return o->self = true, 1;
    if (!strcmp(name, "friction")) {
        o->hasFriction = true;
        return snOptionReader_Number(reader, 0, 100, NULL, &o->friction) ? 1 : -1;
    }
    if (strcmp(name, "collider") != 0) return 0;
    if (o->propCount == SN_MOST_PROPS) {
        snCli_Usage(reader->command, "more than %d colliders; a pattern with * names several",
                    SN_MOST_PROPS);
        return -1;
    }
    o->props[o->propCount++] = reader->value;
    return 1;
}

bool snContactOptions_Any(const snContactOptions *o)
{
    return o->floor || o->self || o->propCount > 0;
}

// ---- props --------------------------------------------------------------------------------------

static snStatus failUnknown(const char *name, const snCharacter *c, snError *error)
{
    char list[256] = "";
    size_t used = 0;
    int listed = 0;
    for (int p = 0; p < c->partCount && listed < LISTED && used < sizeof list - 80; p++) {
        bool again = p > 0 && c->parts[p].mesh == c->parts[p - 1].mesh;
        if (again || !c->parts[p].name[0]) continue;
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%.60s", listed ? ", " : "",
                                 c->parts[p].name);
        listed++;
    }
    return snFail(error, SN_ERROR_ARGUMENT,
                  "no mesh or node is named or matched by the collider \"%.60s\"; meshes are: %s",
                  name, listed ? list : "all without names");
}

snStatus snContactOptions_Mark(const snContactOptions *o, snCharacter *c, snError *error)
{
    int left = 0;
    for (int i = 0; i < o->propCount; i++) {
        bool any = false;
        for (int p = 0; p < c->partCount; p++) {
            snPart *part = &c->parts[p];
            if (!snNameMatches(o->props[i], part->name) &&
                !snNameMatches(o->props[i], c->skeleton.joints[part->node].name))
                continue;
            part->prop = any = true;
        }
        if (!any) return failUnknown(o->props[i], c, error);
    }
    for (int p = 0; p < c->partCount; p++)
        left += !c->parts[p].prop && c->parts[p].triangleCount > 0;
    if (o->propCount && !left)
        return snFail(error, SN_ERROR_ARGUMENT,
                      "every mesh is a collider: none is left to be the body");
    return SN_OK;
}

// ---- the floor ----------------------------------------------------------------------------------

// The lowest point of the body in the first poses of the clips; 0 where it is near that.
static snStatus findFloor(const snContactJob *job, double *height, const snCli *cli, snError *error)
{
    const snCharacter *c = job->flesh->character;
    snArena arena = snMakeArena(&cli->context);
    snVec3f *surface = SN_NEW(&arena, snVec3f, c->vertexCount);
    snPose pose;
    double lowest = INFINITY;
    snStatus status = snPose_Make(&pose, &c->skeleton, c->morphCount, &arena, error);
    if (!status && !surface) status = snFailMemory(error);
    for (int i = 0; i < job->clipCount && !status; i++) {
        const snClip *clip = &c->clips[job->clips[i]];
        snCharacter_Pose(c, clip, clip->start, &pose);
        snCharacter_Surface(c, &pose, &cli->context.tasks, surface, NULL);
        for (int p = 0, v = 0; p < c->partCount; p++)
            for (int end = v + c->parts[p].vertexCount; v < end; v++)
                if (job->flesh->carried[p] && (double)surface[v].y < lowest)
                    lowest = (double)surface[v].y;
    }
    snArena_Destroy(&arena);
    if (status) return status;
    *height = fabs(lowest) < NEAR_ZERO * job->flesh->height ? 0 : lowest;
    return isfinite(lowest) ? SN_OK
                            : snFail(error, SN_ERROR_GEOMETRY,
                                     "no height for the floor was found; give one with --floor");
}

snStatus snContactOptions_Make(const snContactOptions *o, const snContactJob *job,
                               snFleshContacts **contacts, double *height, const snCli *cli,
                               snError *error)
{
    snFleshContactsDef def = {.floor = o->floor,
                              .height = o->inMetres ? o->height / job->size->unit : o->height,
                              .self = o->self,
                              .friction = o->hasFriction ? o->friction : -1};
    snStatus status = SN_OK;
    *contacts = NULL;
    if (!snContactOptions_Any(o)) return SN_OK;
    if (o->autoFloor) status = findFloor(job, &def.height, cli, error);
    *height = def.height;
    if (status) return status;
    return snFleshContacts_Make(contacts, job->flesh, &def, &cli->context, error);
}
