#include "character/size.h"

#include "core/error.h"

#define PERSON 1.7 // m
#define GRAVITY 9.81

static snStatus fitBoxes(snSize *size, const snCharacter *c, const snContext *context,
                         snError *error)
{
    snArena arena = snMakeArena(context);
    snVec3f *positions = SN_NEW(&arena, snVec3f, c->vertexCount);
    unsigned char *isBody = SN_NEW(&arena, unsigned char, c->partCount);
    snPose pose;
    snStatus status = positions && isBody
                          ? snPose_Make(&pose, &c->skeleton, c->morphCount, &arena, error)
                          : snFailMemory(error);
    if (!status) status = snCharacter_FindBody(c, isBody, &arena, error);
    if (!status) {
        for (int k = 0; k < c->morphCount; k++)
            pose.morphs[k] = c->restMorphs[k];
        snPose_Globals(&pose, &c->skeleton);
        snCharacter_Surface(c, &pose, &context->tasks, positions, NULL);
        for (int p = 0, first = 0; p < c->partCount; first += c->parts[p++].vertexCount) {
            for (int v = 0; v < c->parts[p].vertexCount; v++) {
                snVec3 at = snFromF(positions[first + v]);
                size->box = snBoxAdd(size->box, at);
                if (isBody[p]) size->body = snBoxAdd(size->body, at);
            }
        }
        for (int j = 0; j < c->skeleton.jointCount && !c->partCount; j++)
            size->box = snBoxAdd(size->box, pose.global[j].origin);
    }
    snArena_Destroy(&arena);
    return status;
}

// A person's height in the middle: the borders are the geometric means of neighbouring units'.
static void recognise(snSize *size)
{
    static const struct {
        double unit;
        const char *name;
    } units[] = {{1, "metres"}, {0.01, "centimetres"}, {0.001, "millimetres"}};
    double best = 0;
    for (int i = 0; i < 3; i++) {
        double metres = size->height * units[i].unit;
        double near = metres < PERSON ? metres / PERSON : PERSON / metres;
        if (!(near > best)) continue;
        best = near;
        size->unit = units[i].unit;
        size->units = units[i].name;
    }
}

snStatus snMeasureSize(snSize *size, const snCharacter *character, const snContext *context,
                       snError *error)
{
    *size = (snSize){.box = snEmptyBox(), .body = snEmptyBox(), .unit = 1, .units = "metres"};
    snStatus status = fitBoxes(size, character, context, error);
    if (status) return status;
    if (!character->partCount) size->body = size->box;
    snVec3 extent = snSub(size->body.upper, size->body.lower);
    double longest = fmax(extent.x, fmax(extent.y, extent.z));
    if (!(longest >= 0) || !isfinite(longest))
        return snFail(error, SN_ERROR_GEOMETRY, "the character has no size");
    size->height = extent.y < 0.05 * longest ? longest : extent.y;
    recognise(size);
    return SN_OK;
}

bool snSize_IsLikely(const snSize *size)
{
    return !size->units[0] || size->unit == 1;
}

void snSize_SetHeight(snSize *size, double metres)
{
    if (!(size->height > 0)) return;
    size->unit = metres / size->height;
    size->units = "";
}

double snSize_Gravity(const snSize *size)
{
    return GRAVITY / size->unit;
}

double snSize_Pace(const snSize *size)
{
    double metres = size->height * size->unit;
    double pace = metres > 0 ? sqrt(PERSON / metres) : 1;
    return pace < 0.4 ? 0.4 : pace > 2.5 ? 2.5 : pace;
}
