#include "bake/sequence.h"

#include "core/error.h"
#include "core/text.h"

#include <stdio.h>
#include <string.h>

#define MOST_NAME_CHARS 100

static bool isSafe(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
}

char *snSafeName(const char *text, snArena *arena)
{
    char name[MOST_NAME_CHARS + 1];
    int n = 0;
    for (; *text && n < MOST_NAME_CHARS; text++) {
        bool later = ((unsigned char)*text & 0xC0) == 0x80; // a letter beyond ASCII is one '_'
        if (!later) name[n++] = isSafe(*text) ? *text : '_';
    }
    if (n > 0 && (name[0] == '.' || name[0] == '-')) name[0] = '_';
    return n ? snArena_CopyString(arena, name, (size_t)n) : snArena_CopyString(arena, "mesh", 4);
}

static bool isTaken(const snSequenceMesh *meshes, int count, const char *name)
{
    for (int m = 0; m < count; m++)
        if (snSameLetters(meshes[m].name, name)) return true; // as file systems may see it
    return false;
}

const char *snSequence_NameMesh(const snSequenceMesh *meshes, int number, const char *title,
                                snArena *arena)
{
    char *safe = snSafeName(title, arena);
    if (!safe || !isTaken(meshes, number, safe)) return safe;
    char *numbered = SN_NEW(arena, char, MOST_NAME_CHARS + 16);
    for (int k = 2; numbered; k++) {
        snprintf(numbered, MOST_NAME_CHARS + 16, "%s.%d", safe, k);
        if (!isTaken(meshes, number, numbered)) break;
    }
    return numbered;
}

static bool continues(const snCharacter *c, int part)
{
    return part > 0 && c->parts[part].mesh == c->parts[part - 1].mesh &&
           c->parts[part].node == c->parts[part - 1].node &&
           c->parts[part].primitive > c->parts[part - 1].primitive;
}

// Triangles and texture coordinates of the parts `first` to `end`, as one mesh.
static snStatus joinParts(const snCharacter *c, int first, int end, snSequenceMesh *mesh,
                          snArena *arena, snError *error)
{
    bool hasUv = false;
    for (int p = first; p < end; p++) {
        mesh->vertexCount += c->parts[p].vertexCount;
        mesh->triangleCount += c->parts[p].triangleCount;
        hasUv |= c->parts[p].uv != NULL;
    }
    int *triangles = SN_NEW(arena, int, 3 * (size_t)mesh->triangleCount);
    float *uv = hasUv ? SN_NEW(arena, float, 2 * (size_t)mesh->vertexCount) : NULL;
    if (!triangles || (hasUv && !uv)) return snFailMemory(error);
    mesh->triangles = triangles;
    mesh->uv = uv;
    int vertex = 0;
    for (int p = first; p < end; p++) {
        const snPart *part = &c->parts[p];
        for (int k = 0; k < 3 * part->triangleCount; k++)
            *triangles++ = vertex + part->triangles[k];
        if (part->uv) memcpy(uv + 2 * vertex, part->uv, 2 * (size_t)part->vertexCount * sizeof *uv);
        vertex += part->vertexCount;
    }
    return SN_OK;
}

snStatus snSequence_FromCharacter(snSequence *sequence, const snCharacter *c, const char *name,
                                  snArena *arena, snError *error)
{
    snSequenceMesh *meshes = SN_NEW(arena, snSequenceMesh, c->partCount);
    *sequence = (snSequence){.vertexCount = c->vertexCount, .meshes = meshes};
    sequence->name = snSafeName(name, arena);
    if (!meshes || !sequence->name) return snFailMemory(error);
    snStatus status = SN_OK;
    int vertex = 0;
    for (int p = 0, end; p < c->partCount && !status; p = end) {
        for (end = p + 1; end < c->partCount && continues(c, end);)
            end++;
        int number = sequence->meshCount++;
        snSequenceMesh *mesh = &meshes[number];
        const char *title =
            *c->parts[p].name ? c->parts[p].name : c->skeleton.joints[c->parts[p].node].name;
        mesh->title = title;
        mesh->firstVertex = vertex;
        mesh->name = snSequence_NameMesh(meshes, number, title, arena);
        status = mesh->name ? joinParts(c, p, end, mesh, arena, error) : snFailMemory(error);
        vertex += mesh->vertexCount;
    }
    return status;
}

// The surface of a frame of all clips.
static const snVec3f *fetchFrame(void *user, int frame)
{
    const snBake *bake = user;
    int clip = 0;
    for (; frame >= bake->clips[clip].frameCount; clip++)
        frame -= bake->clips[clip].frameCount;
    return snBake_Surface(bake, clip, frame, false);
}

snStatus snSequence_AddBake(snSequence *sequence, const snBake *bake, snArena *arena,
                            snError *error)
{
    int frames = 0;
    for (int i = 0; i < bake->clipCount; i++)
        frames += bake->clips[i].frameCount;
    snSequenceClip *clips = SN_NEW(arena, snSequenceClip, bake->clipCount);
    double *times = SN_NEW(arena, double, frames);
    if (!clips || !times) return snFailMemory(error);
    sequence->clipCount = bake->clipCount;
    sequence->clips = clips;
    sequence->frameRate = bake->frameRate;
    sequence->times = times;
    sequence->fetch = fetchFrame;
    sequence->user = (void *)bake; // it is only read
    double time = 0;
    for (int i = 0; i < bake->clipCount; i++) {
        const snBakedClip *clip = &bake->clips[i];
        clips[i] = (snSequenceClip){.name = bake->character->clips[clip->clip].name,
                                    .firstFrame = sequence->frameCount,
                                    .frameCount = clip->frameCount,
                                    .start = clip->start,
                                    .frameTime = clip->frameTime,
                                    .loops = clip->loops};
        for (int k = 0; k < clip->frameCount; k++, sequence->frameCount++)
            times[sequence->frameCount] = time + k * clip->frameTime;
        time += clip->frameCount * (clip->frameTime > 0 ? clip->frameTime : 1 / bake->frameRate);
    }
    return SN_OK;
}
