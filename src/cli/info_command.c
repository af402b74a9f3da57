// sinew info: what is in a character file.
#include "asset/json_write.h"
#include "character/paint.h"
#include "cli/cli.h"
#include "cli/length.h"
#include "cli/options.h"
#include "cli/text.h"
#include "core/core.h"

#include <stdio.h>

static const snOption options[] = {
    {"json", 0, NULL, "print for programs"},
    {"quiet", 'q', NULL, "say nothing but errors: only check that the file can be read"},
    {"help", 'h', NULL, "this text"},
    {0},
};

static void printHelp(void)
{
    printf("Usage: sinew info [OPTIONS] FILE\n\n"
           "Says what is in a character file (.glb, .gltf, .obj) or a recording (.bvh): meshes,\n"
           "skins, joints, clips, size, painted maps.\n\n");
    snPrintOptions(options);
    printf("\nExample:\n  sinew info fox.glb\n");
}

#define MOST_MAPS 64

// What can serve as a painted map.
static void printMaps(const snCharacter *c)
{
    snAttribute maps[MOST_MAPS];
    int count = snCharacter_ListPaint(c, maps, MOST_MAPS);
    for (int i = 0; i < count; i++)
        printf("  map %s: %d %s per vertex\n", snPlain(maps[i].name).text, maps[i].width,
               snPlural(maps[i].width, "number", "numbers"));
}

static void writeMaps(const snCharacter *c, snJsonWriter *w)
{
    snAttribute maps[MOST_MAPS];
    int count = snCharacter_ListPaint(c, maps, MOST_MAPS);
    snJsonWriter_Key(w, "maps");
    snJsonWriter_BeginArray(w);
    for (int i = 0; i < count; i++) {
        snJsonWriter_BeginObject(w);
        snJsonWriter_PutString(w, "name", maps[i].name);
        snJsonWriter_PutInt(w, "channels", maps[i].width);
        snJsonWriter_EndObject(w);
    }
    snJsonWriter_EndArray(w);
}

static void printText(const char *path, const snCharacter *c, const snSize *measured)
{
    snVec3 size = snSub(measured->box.upper, measured->box.lower);
    printf("%s: %d %s, %d %s, %d %s, %d %s\n", snPlain(path).text, c->vertexCount,
           snPlural(c->vertexCount, "vertex", "vertices"), c->triangleCount,
           snPlural(c->triangleCount, "triangle", "triangles"), c->partCount,
           snPlural(c->partCount, "part", "parts"), c->materialCount,
           snPlural(c->materialCount, "material", "materials"));
    printf("size at rest: %.4g x %.4g x %.4g (width, height, depth)\n", size.x, size.y, size.z);
    if (c->partCount) snPrintSize(measured);
    for (int p = 0; p < c->partCount; p++) {
        const snPart *part = &c->parts[p];
        printf("  part %-20s %6d %s, %6d %s, %s", snPlain(part->name).text, part->vertexCount,
               snPlural(part->vertexCount, "vertex", "vertices"), part->triangleCount,
               snPlural(part->triangleCount, "triangle", "triangles"),
               part->skin >= 0 ? "skinned" : "rigid");
        if (part->targetCount)
            printf(", %d %s", part->targetCount,
                   snPlural(part->targetCount, "morph target", "morph targets"));
        printf("\n");
    }
    printMaps(c);
    if (!c->partCount)
        printf("  skeleton: %d %s\n", c->skeleton.jointCount,
               snPlural(c->skeleton.jointCount, "joint", "joints"));
    for (int s = 0; s < c->skinCount; s++)
        printf("  skin %d: %d %s\n", s, c->skins[s].jointCount,
               snPlural(c->skins[s].jointCount, "joint", "joints"));
    for (int k = 0; k < c->clipCount; k++)
        printf("  clip %d \"%s\": %.3f s, %d %s\n", k, snPlain(c->clips[k].name).text,
               c->clips[k].duration, c->clips[k].channelCount,
               snPlural(c->clips[k].channelCount, "channel", "channels"));
    if (!c->partCount)
        printf("no surface: give it to a bare one as `sinew bake SURFACE --skeleton %s`\n",
               snPlain(path).text);
    else if (!c->skinCount)
        printf("no skin: `sinew rig` gives it a skeleton and skin weights\n");
    if (!c->clipCount) printf("no clips: there is nothing to bake\n");
}

static void writeJson(const char *path, const snCharacter *c, const snSize *size, const snCli *cli)
{
    const snBox box = size->box;
    snBytes bytes = snMakeBytes(&cli->context);
    snJsonWriter w = snMakeJsonWriter(&bytes, true);
    double lower[3] = {box.lower.x, box.lower.y, box.lower.z};
    double upper[3] = {box.upper.x, box.upper.y, box.upper.z};
    snJsonWriter_BeginObject(&w);
    snJsonWriter_PutString(&w, "file", path);
    snJsonWriter_PutInt(&w, "vertices", c->vertexCount);
    snJsonWriter_PutInt(&w, "triangles", c->triangleCount);
    snJsonWriter_PutInt(&w, "nodes", c->skeleton.jointCount);
    snJsonWriter_PutInt(&w, "materials", c->materialCount);
    snJsonWriter_PutDoubles(&w, "lower", lower, 3);
    snJsonWriter_PutDoubles(&w, "upper", upper, 3);
    snJsonWriter_PutDouble(&w, "height", size->height);
    snJsonWriter_PutDouble(&w, "metresPerUnit", size->unit);
    snJsonWriter_Key(&w, "parts");
    snJsonWriter_BeginArray(&w);
    for (int p = 0; p < c->partCount; p++) {
        snJsonWriter_BeginObject(&w);
        snJsonWriter_PutString(&w, "name", c->parts[p].name);
        snJsonWriter_PutInt(&w, "vertices", c->parts[p].vertexCount);
        snJsonWriter_PutInt(&w, "triangles", c->parts[p].triangleCount);
        snJsonWriter_PutBool(&w, "skinned", c->parts[p].skin >= 0);
        snJsonWriter_PutInt(&w, "morphTargets", c->parts[p].targetCount);
        snJsonWriter_EndObject(&w);
    }
    snJsonWriter_EndArray(&w);
    writeMaps(c, &w);
    snJsonWriter_Key(&w, "skins");
    snJsonWriter_BeginArray(&w);
    for (int s = 0; s < c->skinCount; s++)
        snJsonWriter_Int(&w, c->skins[s].jointCount);
    snJsonWriter_EndArray(&w);
    snJsonWriter_Key(&w, "clips");
    snJsonWriter_BeginArray(&w);
    for (int k = 0; k < c->clipCount; k++) {
        snJsonWriter_BeginObject(&w);
        snJsonWriter_PutString(&w, "name", c->clips[k].name);
        snJsonWriter_PutDouble(&w, "duration", c->clips[k].duration);
        snJsonWriter_PutInt(&w, "channels", c->clips[k].channelCount);
        snJsonWriter_EndObject(&w);
    }
    snJsonWriter_EndArray(&w);
    snJsonWriter_EndObject(&w);
    snPrintJson(&bytes);
    snBytes_Destroy(&bytes);
}

static int inform(const char *path, const snCli *cli)
{
    snError error = {0};
    snLoaded loaded;
    snSize size;
    snStatus status = snLoaded_Read(&loaded, path, cli, &error);
    if (status) return snCli_Fail(&error);
    status = snMeasureSize(&size, &loaded.character, &cli->context, &error);
    if (status) snError_Prefix(&error, "%s", path);
    if (!status && cli->json)
        writeJson(path, &loaded.character, &size, cli);
    else if (!status && !cli->quiet)
        printText(path, &loaded.character, &size);
    snLoaded_Free(&loaded);
    return status ? snCli_Fail(&error) : SN_EXIT_DONE;
}

int snCommand_Info(int count, char **arguments)
{
    snCli cli = {.threads = 1};
    snError error = {0};
    const char *path = NULL;
    static const snOptionUse use = {"info", "file", options, printHelp, NULL, NULL};
    int code = snOptionUse_ReadInput(&use, NULL, &path, &cli, count, arguments);
    if (code >= 0) return code;
    if (snCli_Begin(&cli, &error)) return snCli_Fail(&error);
    code = inform(path, &cli);
    snCli_End(&cli);
    return code;
}
