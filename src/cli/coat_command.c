// sinew coat: a body of flesh round a skeleton, from a motion capture, a character or a skeleton file.
#include "body/coat/coat_file.h"
#include "body/coat/coat_skeleton.h"
#include "character/bony.h"
#include "character/instrument.h"
#include "character/size.h"
#include "cli/cli.h"
#include "cli/coat_picture.h"
#include "cli/file_kind.h"
#include "cli/filming.h"
#include "cli/options.h"
#include "cli/skeleton_file.h"
#include "cli/text.h"
#include "cli/view_options.h"

#include <stdio.h>
#include <string.h>

#define LARGEST_DOCUMENT ((size_t)256 << 20) // bytes
#define PERSON 1.7                           // m, of motion captures whose units tell nothing

static const snOption options[] = {
    {"output", 'o', "FILE", "where to write the body: .json, to be edited and coated again"},
    {"picture", 'p', "FILE", "a .png: the body, or a film strip of its motion"},
    {"frames", 'n', "COUNT", "panels of the strip (8)"},
    {"size", 0, "WxH", "pixels of a panel (400x420; 720x720 of one alone)"},
    {"height", 0, "METRES", "how tall the skeleton is (told by its numbers; of captures 1.7)"},
    {"thickness", 't', "FACTOR", "of all flesh (1)"},
    {"along", 0, "COUNT", "control points along each link (4)"},
    {"round", 0, "COUNT", "control points round each section (8)"},
    {"spacing", 0, "RADII", "between elements at joints: wider bends farther (0.3)"},
    {"spline", 0, "KIND", "of the skin: b, beta, kochanek-bartels (b)"},
    {"median", 0, "SECONDS", "put flesh on in the pose that the motion has then (at rest)"},
    {"elements", 0, NULL, "show the deformable elements inside a glass skin"},
    SN_VIEW_OPTIONS,
    {"quiet", 'q', NULL, "say nothing but errors"},
    {"help", 'h', NULL, "this text"},
    {0},
};

typedef struct Request {
    const char *input, *output, *picture;
    int frames;
    double height, median; // below 0: not given
    bool elements;
    snCamera camera;
    int size[2]; // of pictures; 0: by what is made
    snCoatDef def;
} Request;

// What is coated: a skeleton in metres, and motion where there is one.
typedef struct Source {
    snArena arena;
    bool loaded; // `character` is to be freed
    snLoaded character;
    const snClip *clip; // or NULL
    double unit;
    bool document; // a coat document was read
    snCoatFile file;
    snSkeleton skeleton;
    snCoatPlan plan;
} Source;

static void printHelp(void)
{
    printf(
        "Usage: sinew coat [OPTIONS] FILE [-o BODY.json] [--picture BODY.png]\n\n"
        "Puts flesh round a skeleton: of a motion capture (.bvh), a character (.glb, .gltf), a "
        "skeleton\nfile as `sinew rig` has them, or a body that was written before (.json).\n\n");
    snPrintOptions(options);
    printf("\nExamples:\n"
           "  sinew coat jump.bvh -o jumper.json --picture jumper.png\n"
           "  sinew coat jumper.json --picture edited.png\n");
}

// ---- options ------------------------------------------------------------------------------------------

static bool readSpline(Request *r, const snOptionReader *reader)
{
    int kind = snOptionReader_Word(reader, snSplineWords, SN_SPLINE_KINDS);
    if (kind >= 0) r->def.spline = snDefaultSplineShape((snSplineKind)kind);
    return kind >= 0;
}

static const snOptionField fields[] = {
    SN_PATH_FIELD("output", Request, output, ".json", "bodies"),
    SN_PATH_FIELD("picture", Request, picture, SN_PICTURES, "pictures"),
    SN_INT_FIELD("frames", Request, frames, 1, SN_MOST_PANELS),
    SN_NUMBER_FIELD("height", Request, height, 0.01, 1000, "m"),
    SN_SIZE_FIELD("size", Request, size),
    SN_NUMBER_FIELD("thickness", Request, def.thickness, 0.01, 100, NULL),
    SN_INT_FIELD("along", Request, def.along, 2, 100),
    SN_INT_FIELD("round", Request, def.round, 3, 100),
    SN_NUMBER_FIELD("spacing", Request, def.spacing, 0, 10, NULL),
    SN_NUMBER_FIELD("median", Request, median, 0, 1e6, "s"),
    SN_FLAG_FIELD("elements", Request, elements),
    {0},
};

static bool takeOption(void *request, const snOptionReader *reader, int which)
{
    Request *r = request;
    (void)which;
    if (!strcmp(reader->name, "spline")) return readSpline(r, reader);
    return snViewOptions_Take(&r->camera, reader) > 0;
}

static const snOptionUse use = {"coat", "file", options, printHelp, fields, takeOption};

// ---- what is coated -------------------------------------------------------------------------------------

// Rotations of the median pose in the rigid skeleton.
static snStatus findMedian(const Request *r, Source *s, snCoatDef *def, snError *error)
{
    const snCharacter *c = &s->character.character;
    int n = c->skeleton.jointCount;
    snPose pose;
    if (r->median < 0) return SN_OK;
    if (!s->clip)
        return snFail(error, SN_ERROR_ARGUMENT, "there is no motion to take --median from");
    if (r->median > s->clip->duration)
        return snFail(error, SN_ERROR_ARGUMENT, "--median is %g s; the motion ends at %.3g s",
                      r->median, s->clip->duration);
    snStatus status = snPose_Make(&pose, &c->skeleton, c->morphCount, &s->arena, error);
    snQuat *turns = SN_NEW(&s->arena, snQuat, n);
    if (!status && !turns) status = snFailMemory(error);
    if (status) return status;
    snClip_Sample(s->clip, s->clip->start + r->median, &pose);
    snPose_Globals(&pose, &c->skeleton);
    snRigidFrames(pose.global, n, s->unit, pose.global);
    for (int j = 0; j < n; j++) {
        int parent = c->skeleton.joints[j].parent;
        snMat3 turn = pose.global[j].linear;
        if (parent >= 0) turn = snMulMM(snTranspose(pose.global[parent].linear), turn);
        turns[j] = snQuatFromMat(turn);
    }
    def->median = turns;
    return SN_OK;
}

static snStatus readCharacter(const Request *r, Source *s, const snCli *cli, snError *error)
{
    snSize size;
    snCoatDef def = r->def;
    snStatus status = snLoaded_Read(&s->character, r->input, cli, error);
    if (status) return status;
    s->loaded = true;
    const snCharacter *c = &s->character.character;
    s->clip = c->clipCount ? &c->clips[0] : NULL;
    status = snMeasureSize(&size, c, &cli->context, error);
    if (!status) {
        double height = size.height * size.unit;
        bool capture = snPath_HasExtension(r->input, ".bvh");
        if (r->height > 0)
            snSize_SetHeight(&size, r->height);
        else if (capture && !(height > 0.5 && height < 3))
            snSize_SetHeight(&size, PERSON);
        s->unit = size.unit;
        status = snRigidSkeleton(&s->skeleton, &c->skeleton, s->unit, &s->arena, error);
    }
    if (c->skinCount) def.used = snCharacter_BonyJoints(c, &s->arena);
    if (!status && c->skinCount && !def.used) status = snFailMemory(error);
    if (!status) status = findMedian(r, s, &def, error);
    if (!status) status = snCoatPlan_Propose(&s->plan, &s->skeleton, &def, &s->arena, error);
    if (status) snError_Prefix(error, "%s", r->input);
    return status;
}

static snStatus readPlan(const Request *r, Source *s, const snFileContent *file, const snCli *cli,
                         snError *error)
{
    snRigPlan rig = snMakeRigPlan(&cli->context);
    snStatus status = snSkeletonFile_Read(&rig, (const char *)file->bytes, file->size, NULL, error);
    if (!status) status = snRigPlan_Skeleton(&s->skeleton, &rig, NULL, &s->arena, error);
    if (!status) status = snCoatPlan_Propose(&s->plan, &s->skeleton, &r->def, &s->arena, error);
    snRigPlan_Destroy(&rig);
    return status;
}

static snStatus readDocument(const Request *r, Source *s, const snCli *cli, snError *error)
{
    static const snFileWant want = {"a coat document or a skeleton file", 1, {SN_KIND_COAT}};
    snFileContent file;
    snStatus status = snFile_Read(&cli->context, r->input, LARGEST_DOCUMENT, &file, error);
    if (status) return status;
    s->unit = 1;
    status = snFileWant_Check(&want, r->input, &file, &cli->context, error);
    if (status) {
        snFile_Release(&cli->context, &file);
        return status;
    }
    if (snCoatFile_Is((const char *)file.bytes, file.size, &cli->context)) {
        status =
            snCoatFile_Read(&s->file, (const char *)file.bytes, file.size, &cli->context, error);
        s->document = !status;
        if (!status) s->plan = s->file.plan;
    } else {
        status = readPlan(r, s, &file, cli, error);
    }
    if (status) snError_Prefix(error, "%s", r->input);
    snFile_Release(&cli->context, &file);
    return status;
}

// ---- what comes out ---------------------------------------------------------------------------------------

static snStatus writeBody(const Request *r, const snCoating *coating, snFileBatch *batch,
                          snError *error)
{
    snBytes bytes = snMakeBytes(batch->context);
    snStatus status = snCoatFile_Write(&coating->plan, &bytes, error);
    if (!status) status = snFileBatch_Write(batch, r->output, bytes.data, bytes.size, error);
    snBytes_Destroy(&bytes);
    return status;
}

// The frames of all panels: of the clip, or one at rest.
static snStatus poseShots(const Request *r, Source *s, snCoatFilm *film, snError *error)
{
    const snSkeleton *own = s->clip ? &s->character.character.skeleton : s->plan.skeleton;
    int n = own->jointCount, morphs = s->clip ? s->character.character.morphCount : 0;
    film->shotCount = s->clip ? r->frames : 1;
    snAffine *frames = SN_NEW(&s->arena, snAffine, (size_t)film->shotCount * (size_t)n);
    double *times = SN_NEW(&s->arena, double, film->shotCount);
    snPose pose;
    snStatus status = snPose_Make(&pose, own, morphs, &s->arena, error);
    if (!status && (!frames || !times)) status = snFailMemory(error);
    if (status) return status;
    for (int k = 0; k < film->shotCount; k++) {
        if (s->clip) {
            times[k] = s->clip->duration * k / film->shotCount;
            snPose_SetRest(&pose, own);
            snClip_Sample(s->clip, s->clip->start + times[k], &pose);
            snPose_Globals(&pose, own);
        }
        snRigidFrames(pose.global, n, s->unit, frames + (size_t)k * (size_t)n);
    }
    film->frames = frames;
    film->times = s->clip ? times : NULL;
    return SN_OK;
}

static snStatus writePicture(const Request *r, Source *s, const snCoating *coating,
                             snFileBatch *batch, const snCli *cli, snError *error)
{
    snCoatFilm film = {.coating = coating, .elements = r->elements, .camera = r->camera};
    snStatus status = poseShots(r, s, &film, error);
    film.width = r->size[0] ? r->size[0] : film.shotCount > 1 ? 400 : 720;
    film.height = r->size[0] ? r->size[1] : film.shotCount > 1 ? 420 : 720;
    if (!status) status = snCoatFilm_Write(&film, r->picture, batch, cli, error);
    return status;
}

static snStatus writeOutputs(const Request *r, Source *s, const snCoating *coating,
                             const snCli *cli, snError *error)
{
    snFileBatch batch = snMakeFileBatch(&cli->context);
    snStatus status = r->output ? writeBody(r, coating, &batch, error) : SN_OK;
    if (!status && r->picture) status = writePicture(r, s, coating, &batch, cli, error);
    return snFileBatch_End(&batch, status, error);
}

static void printSummary(const Request *r, const snCoating *c)
{
    int bare = 0, chains = c->skin.tubeCount;
    double mass = 0;
    for (int k = 0; k < c->plan.linkCount; k++)
        bare += c->plan.links[k].bare;
    for (int j = 0; j < c->plan.skeleton->jointCount; j++)
        mass += c->jointMass[j];
    printf("%s: %d %s in %d %s, %d %s of flesh (%d within others), %d control points, skin of %d "
           "triangles, %.3g kg\n",
           snPlain(r->input).text, c->plan.linkCount, snPlural(c->plan.linkCount, "link", "links"),
           chains, snPlural(chains, "chain", "chains"), c->elementCount,
           snPlural(c->elementCount, "element", "elements"), bare, c->controlCount,
           c->skin.triangleCount, mass);
}

static snStatus coat(const Request *r, Source *s, const snCli *cli, snError *error)
{
    snCoating *coating = NULL;
    bool document = snPath_HasExtension(r->input, ".json");
    snStatus status = document ? readDocument(r, s, cli, error) : readCharacter(r, s, cli, error);
    const char *outputs[2] = {r->output, r->picture};
    if (!status) status = snCli_Probe(outputs, 2, cli, error);
    if (status) return status;
    status = snCoating_Build(&coating, &s->plan, &cli->context, error);
    if (status) snError_Prefix(error, "%s", r->input);
    if (!status) status = writeOutputs(r, s, coating, cli, error);
    if (!status && !cli->quiet) printSummary(r, coating);
    snCoating_Destroy(coating);
    return status;
}

int snCommand_Coat(int count, char **arguments)
{
    Request request = {.frames = 8,
                       .height = -1,
                       .median = -1,
                       .camera = snDefaultCamera(),
                       .def = snDefaultCoatDef()};
    snCli cli = {0};
    snError error = {0};
    int code = snOptionUse_ReadInput(&use, &request, &request.input, &cli, count, arguments);
    const char *outputs[2] = {request.output, request.picture};
    if (code < 0) code = snFilming_CheckSize("coat", request.frames, request.size);
    if (code < 0)
        code = snCli_CheckOutputs("coat", &(snOutputCheck){2, 1, outputs, &request.input});
    if (code >= 0) return code;
    if (snCli_Begin(&cli, &error)) return snCli_Fail(&error);
    snInterrupt_Begin();
    Source source = {.arena = snMakeArena(&cli.context)};
    snStatus status = coat(&request, &source, &cli, &error);
    if (source.loaded) snLoaded_Free(&source.character);
    if (source.document) snCoatFile_Destroy(&source.file);
    snArena_Destroy(&source.arena);
    snCli_End(&cli);
    snInterrupt_End();
    return status ? snCli_Fail(&error) : SN_EXIT_DONE;
}
