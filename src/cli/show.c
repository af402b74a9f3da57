#include "cli/show.h"

#include "character/bony.h"
#include "core/array.h"
#include "core/error.h"
#include "core/svd.h"
#include "render/color.h"
#include "render/decode.h"
#include "render/strip.h"

#include <stdlib.h>
#include <string.h>

#define STRAIN_LOW 0.7f // of the colour bar
#define STRAIN_HIGH 1.3f
#define MOST_TEXTURE_BYTES ((size_t)1 << 29) // of all together: two of the largest

// ---- textures -----------------------------------------------------------------------------------

// Decodes one texture. One that cannot be had is left out: a picture without it is still of use.
static void readTexture(snShow *show, int number, size_t *total, const snContext *context)
{
    const snTexture *source = &show->character->images[number];
    snImage *image = &show->textures[number];
    snError error;
    snStatus status;
    if (!source->bytes)
        status = snFail(&error, SN_ERROR_UNSUPPORTED, "it is in a file of its own, %s, not read",
                        source->uri ? source->uri : "without a name");
    else
        status = snImage_Decode(image, source->bytes, source->size, &error);
    size_t size = 4 * (size_t)image->width * (size_t)image->height;
    if (!status && size > MOST_TEXTURE_BYTES - *total) {
        snImage_Destroy(image);
        status = snFail(&error, SN_ERROR_MEMORY, "all textures together are too large");
    }
    if (status)
        snLog(context, SN_LOG_WARNING, "texture %d \"%s\" is left out: %s", number, source->name,
              error.message);
    else
        *total += size;
}

// The base colour texture of a part as a number in the file; -1: none.
static int textureOf(const snCharacter *c, const snPart *part)
{
    const snTexture *image = part->material >= 0 ? c->materials[part->material].image : NULL;
    return image && part->uv ? (int)(image - c->images) : -1;
}

static snStatus readTextures(snShow *show, const snContext *context, snError *error)
{
    const snCharacter *c = show->character;
    unsigned char *wanted = SN_NEW(&show->arena, unsigned char, c->imageCount);
    show->textures = SN_NEW(&show->arena, snImage, c->imageCount);
    if (!wanted || !show->textures) return snFailMemory(error);
    for (int p = 0; p < c->partCount; p++)
        if (textureOf(c, &c->parts[p]) >= 0) wanted[textureOf(c, &c->parts[p])] = 1;
    size_t total = 0;
    for (int i = 0; i < c->imageCount; i++)
        if (wanted[i]) readTexture(show, i, &total, context);
    return SN_OK;
}

// ---- shots --------------------------------------------------------------------------------------

static snStatus makeShots(snShow *show, int count, const unsigned char *used, snPose *pose,
                          snError *error)
{
    const snCharacter *c = show->character;
    show->shots = SN_NEW(&show->arena, snShot, count);
    if (!show->shots || !used) return snFailMemory(error);
    show->shotCount = count;
    show->bounds = show->latticeBounds = snEmptyBox();
    snStatus status = snPose_Make(pose, &c->skeleton, c->morphCount, &show->arena, error);
    if (status) return status;
    snPose_Globals(pose, &c->skeleton);
    show->boneCount = snSkeleton_Bones(&c->skeleton, used, pose->global, NULL);
    show->surfaces = SN_NEW(&show->arena, snSurfaceDraw, c->partCount);
    show->colors = SN_NEW(&show->arena, float, (size_t)c->vertexCount * 4);
    if (!show->surfaces || !show->colors) return snFailMemory(error);
    for (int i = 0; i < count; i++) {
        show->shots[i].positions = SN_NEW(&show->arena, snVec3f, c->vertexCount);
        show->shots[i].heads = SN_NEW(&show->arena, snVec3f, show->boneCount);
        show->shots[i].tails = SN_NEW(&show->arena, snVec3f, show->boneCount);
        show->shots[i].mirrored = SN_NEW(&show->arena, unsigned char, c->partCount);
        if (!show->shots[i].positions || !show->shots[i].heads || !show->shots[i].tails ||
            !show->shots[i].mirrored)
            return snFailMemory(error);
    }
    return SN_OK;
}

// What the pose tells besides the surface: bones, and which parts it turns inside out.
static snStatus keepPose(snShow *show, snShot *shot, const unsigned char *used, const snPose *pose,
                         snError *error)
{
    const snCharacter *c = show->character;
    snArenaMark mark = snArena_Mark(&show->arena);
    snBone *bones = SN_NEW(&show->arena, snBone, show->boneCount);
    if (!bones) return snFailMemory(error);
    snSkeleton_Bones(&c->skeleton, used, pose->global, bones);
    for (int b = 0; b < show->boneCount; b++) {
        shot->heads[b] = snToF(bones[b].head);
        shot->tails[b] = snToF(bones[b].tail);
    }
    snArena_Rewind(&show->arena, mark);
    for (int p = 0; p < c->partCount; p++)
        shot->mirrored[p] = snCharacter_IsMirrored(c, pose, &c->parts[p]);
    return SN_OK;
}

static void extendBounds(snShow *show, const snShot *shot)
{
    for (int v = 0; v < show->character->vertexCount; v++)
        show->bounds = snBoxAdd(show->bounds, snFromF(shot->positions[v]));
    for (int b = 0; b < show->boneCount && !show->character->partCount; b++) {
        show->bounds = snBoxAdd(show->bounds, snFromF(shot->heads[b]));
        show->bounds = snBoxAdd(show->bounds, snFromF(shot->tails[b]));
    }
    for (int v = 0; shot->lattice && v < show->flesh->lattice.vertexCount; v++)
        show->latticeBounds = snBoxAdd(show->latticeBounds, snFromF(shot->lattice[v]));
}

snStatus snShow_MakeRig(snShow *show, const snCharacter *character, const snClip *clip,
                        int shotCount, const double *times, const snContext *context,
                        snError *error)
{
    *show = (snShow){.arena = snMakeArena(context), .character = character};
    unsigned char *used = snCharacter_BonyJoints(show->character, &show->arena);
    snPose pose;
    snStatus status = makeShots(show, shotCount, used, &pose, error);
    for (int i = 0; i < shotCount && !status; i++) {
        snShot *shot = &show->shots[i];
        shot->time = times[i];
        if (clip) {
            snCharacter_Pose(character, clip, clip->start + times[i], &pose);
        } else if (character->morphCount) {
            memcpy(pose.morphs, character->restMorphs,
                   (size_t)character->morphCount * sizeof(double));
        }
        snCharacter_Surface(character, &pose, &context->tasks, shot->positions, NULL);
        status = keepPose(show, shot, used, &pose, error);
        extendBounds(show, shot);
    }
    if (!status) status = readTextures(show, context, error);
    if (status) snShow_Destroy(show);
    return status;
}

static snStatus findEdges(snShow *show, snError *error)
{
    const snLattice *l = &show->flesh->lattice;
    int count = 0, distinct = 0;
    show->edges = SN_NEW(&show->arena, int, (size_t)l->cellCount * 24);
    if (!show->edges) return snFailMemory(error);
    for (int c = 0; c < l->cellCount; c++) {
        const snCellShape *shape = snCellShape_Of(snLattice_Kind(l, c));
        for (int e = 0; e < shape->edges; e++, count++) {
            int a = snLattice_Corners(l, c)[shape->edge[e][0]];
            int b = snLattice_Corners(l, c)[shape->edge[e][1]];
            show->edges[2 * count] = a < b ? a : b;
            show->edges[2 * count + 1] = a < b ? b : a;
        }
    }
    qsort(show->edges, (size_t)count, 2 * sizeof(int), snComparePairs);
    for (int i = 0; i < count; i++)
        if (!distinct || snComparePairs(show->edges + 2 * (distinct - 1), show->edges + 2 * i))
            memmove(show->edges + 2 * distinct++, show->edges + 2 * i, 2 * sizeof(int));
    show->edgeCount = distinct;
    show->linePoints = SN_NEW(&show->arena, snVec3f, (size_t)distinct * 2);
    show->lineColors = SN_NEW(&show->arena, float, (size_t)distinct * 4);
    show->vertexStretch = SN_NEW(&show->arena, double, (size_t)l->vertexCount * 2);
    bool good = show->linePoints && show->lineColors && show->vertexStretch;
    return good ? SN_OK : snFailMemory(error);
}

snStatus snShow_MakeBaked(snShow *show, const snBake *bake, int clip, int shotCount,
                          const int *frames, const snContext *context, snError *error)
{
    *show =
        (snShow){.arena = snMakeArena(context), .character = bake->character, .flesh = bake->flesh};
    const snBakedClip *baked = &bake->clips[clip];
    const snClip *source = &bake->character->clips[baked->clip];
    unsigned char *used = snCharacter_BonyJoints(show->character, &show->arena);
    snPose pose;
    snStatus status = makeShots(show, shotCount, used, &pose, error);
    for (int i = 0; i < shotCount && !status; i++) {
        snShot *shot = &show->shots[i];
        size_t frame = (size_t)frames[i], vertices = (size_t)bake->vertexCount;
        const snVec3f *surface = snBake_Surface(bake, clip, frames[i], false);
        shot->time = frames[i] * baked->frameTime;
        memcpy(shot->positions, surface, vertices * sizeof(snVec3f));
        shot->lattice = baked->lattice + frame * (size_t)bake->flesh->lattice.vertexCount;
        snCharacter_Pose(bake->character, source, source->start + shot->time, &pose);
        status = keepPose(show, shot, used, &pose, error);
        extendBounds(show, shot);
    }
    if (!status) status = findEdges(show, error);
    if (!status) status = readTextures(show, context, error);
    if (status) snShow_Destroy(show);
    return status;
}

void snShow_Destroy(snShow *show)
{
    for (int i = 0; show->textures && i < show->character->imageCount; i++)
        snImage_Destroy(&show->textures[i]);
    show->textures = NULL;
    snArena_Destroy(&show->arena);
}

// ---- colours --------------------------------------------------------------------------------------

static void ownColors(const snShow *show)
{
    const snCharacter *c = show->character;
    float *out = show->colors;
    for (int p = 0; p < c->partCount; p++) {
        const snPart *part = &c->parts[p];
        static const float skin[4] = {0.62f, 0.5f, 0.42f, 1}; // where the file says nothing
        const float *base = part->material >= 0 ? c->materials[part->material].color : skin;
        for (int v = 0; v < part->vertexCount; v++, out += 4)
            for (int k = 0; k < 4; k++)
                out[k] = base[k] * (part->colors ? part->colors[v * 4 + k] : 1);
    }
}

static void regionColors(const snShow *show)
{
    const snWeightRows *skin = &show->flesh->skin;
    for (int v = 0; v < show->character->vertexCount; v++) {
        float *out = show->colors + v * 4;
        out[0] = out[1] = out[2] = 0;
        out[3] = 1;
        for (int k = skin->start[v]; k < skin->start[v + 1]; k++) {
            float color[4];
            snPalette_At(skin->column[k], color);
            for (int i = 0; i < 3; i++)
                out[i] += (float)skin->weight[k] * color[i];
        }
    }
}

// The stretch of a lattice cell from its rest shape to now that is farthest from 1: the largest or
// the smallest singular value of its deformation gradient.
static double cellStretch(const snLattice *l, const snShot *shot, int cell)
{
    const int *c = snLattice_Corners(l, cell);
    const int *n = snCellShape_Of(snLattice_Kind(l, cell))->neighbour[0];
    snVec3 r0 = l->rest[c[0]], p0 = snFromF(shot->lattice[c[0]]), rest[3], now[3], s;
    snMat3 u, v;
    for (int k = 0; k < 3; k++) {
        rest[k] = snSub(l->rest[c[n[k]]], r0);
        now[k] = snSub(snFromF(shot->lattice[c[n[k]]]), p0);
    }
    snMat3 f =
        snMulMM((snMat3){now[0], now[1], now[2]}, snInverse3((snMat3){rest[0], rest[1], rest[2]}));
    snSvd3(f, &u, &s, &v);
    return 1 - fabs(s.z) > s.x - 1 ? fabs(s.z) : s.x;
}

// Averaged over the cells around each lattice vertex, then carried to the surface like everything
// else.
static void strainColors(const snShow *show, const snShot *shot)
{
    const snLattice *l = &show->flesh->lattice;
    const snEmbedding *phi = &show->flesh->embedding;
    double *mean = show->vertexStretch, *weight = show->vertexStretch + l->vertexCount;
    memset(mean, 0, (size_t)l->vertexCount * 2 * sizeof(double));
    for (int c = 0; c < l->cellCount; c++) {
        double stretch = cellStretch(l, shot, c), volume = snLattice_Volume(l, c);
        for (int k = 0; k < (int)snLattice_Kind(l, c); k++) {
            mean[snLattice_Corners(l, c)[k]] += volume * stretch;
            weight[snLattice_Corners(l, c)[k]] += volume;
        }
    }
    for (int p = 0; p < show->character->vertexCount; p++) {
        double stretch = 1;
        for (int k = 0; k < phi->width; k++) {
            int v = phi->vertex[p * phi->width + k];
            stretch += phi->weight[p * phi->width + k] * (mean[v] / weight[v] - 1);
        }
        float t = ((float)stretch - STRAIN_LOW) / (STRAIN_HIGH - STRAIN_LOW);
        snColorMap_At(SN_COLORS_DIVERGING, t, show->colors + p * 4);
    }
}

// ---- drawing --------------------------------------------------------------------------------------

// Whether the surface is coloured by a measurement instead of its own look.
static bool isMeasured(const snShow *show)
{
    return show->flesh && (show->overlays & (SN_OVERLAY_STRAIN | SN_OVERLAY_REGIONS));
}

static void describeLook(const snShow *show, const snPart *part, snSurfaceDraw *draw)
{
    const snCharacter *c = show->character;
    const snMaterialLook *look = part->material >= 0 ? &c->materials[part->material] : NULL;
    int texture = textureOf(c, part);
    draw->doubleSided = look && look->doubleSided;
    if (texture < 0 || isMeasured(show)) return;
    draw->uv = part->uv;
    draw->texture = &show->textures[texture];
    draw->cutOut = look->color[3] < 1; // all that a look says of materials that are not opaque
}

static void describeSurfaces(snShow *show, const snShot *shot)
{
    const snCharacter *c = show->character;
    bool glass = show->overlays & (SN_OVERLAY_SKELETON | SN_OVERLAY_LATTICE);
    int first = 0;
    for (int p = 0; p < c->partCount; p++) {
        const snPart *part = &c->parts[p];
        snSurfaceDraw *draw = &show->surfaces[p];
        *draw = snDefaultSurfaceDraw();
        draw->vertexCount = part->vertexCount;
        draw->triangleCount = part->triangleCount;
        draw->positions = shot->positions + first;
        draw->triangles = part->triangles;
        draw->colors = show->colors + (size_t)first * 4;
        draw->mirrored = shot->mirrored[p];
        describeLook(show, part, draw);
        if (glass) draw->opacity = 0.35f;
        first += part->vertexCount;
    }
}

static snLineDraw describeLattice(snShow *show, const snShot *shot)
{
    const snLattice *l = &show->flesh->lattice;
    snLineDraw lines = snDefaultLineDraw();
    for (int e = 0; e < show->edgeCount; e++) {
        int a = show->edges[2 * e], b = show->edges[2 * e + 1];
        bool bone = l->joint[a] >= 0 && l->joint[b] >= 0;
        float thin[4] = {0.05f, 0.15f, 0.35f, 0.55f}, strong[4] = {0.8f, 0.1f, 0.05f, 1};
        show->linePoints[2 * e] = shot->lattice[a];
        show->linePoints[2 * e + 1] = shot->lattice[b];
        memcpy(show->lineColors + 4 * e, bone ? strong : thin, sizeof thin);
    }
    lines.count = show->edgeCount;
    lines.points = show->linePoints;
    lines.colors = show->lineColors;
    lines.width = 1.3f;
    return lines;
}

snStatus snShow_Draw(snShow *show, int number, snRenderer *renderer, const snCamera *camera,
                     snImage *image, snError *error)
{
    const snShot *shot = &show->shots[number];
    snScene scene = snDefaultScene();
    snBoneDraw bones = snDefaultBoneDraw();
    snLineDraw lattice;
    if (show->flesh && (show->overlays & SN_OVERLAY_STRAIN))
        strainColors(show, shot);
    else if (show->flesh && (show->overlays & SN_OVERLAY_REGIONS))
        regionColors(show);
    else
        ownColors(show);
    describeSurfaces(show, shot);
    scene.surfaces = show->surfaces;
    scene.surfaceCount = show->character->partCount;
    scene.bounds = show->bounds;
    scene.groundHeight = show->bounds.lower.y;
    if (show->overlays & SN_OVERLAY_SKELETON) {
        bones.count = show->boneCount;
        bones.heads = shot->heads;
        bones.tails = shot->tails;
        scene.bones = &bones;
        scene.boneCount = 1;
    }
    if (shot->lattice && (show->overlays & SN_OVERLAY_LATTICE)) {
        scene.bounds = snBoxUnion(show->bounds, show->latticeBounds);
        lattice = describeLattice(show, shot);
        scene.lines = &lattice;
        scene.lineCount = 1;
    }
    snStatus status = snRenderer_Draw(renderer, &scene, camera, image, error);
    if (!status && show->flesh && (show->overlays & SN_OVERLAY_STRAIN)) {
        snColorBarDef bar = snDefaultColorBarDef();
        bar.map = SN_COLORS_DIVERGING;
        bar.low = STRAIN_LOW;
        bar.high = STRAIN_HIGH;
        bar.title = "stretch";
        snImage_ColorBar(image, &bar);
    }
    return status;
}
