#include "bake/soft_parts.h"

#include "core/error.h"

snSoftDef snDefaultSoftDef(void)
{
    return (snSoftDef){.tolerance = 0.005, .mostTargets = 64, .enough = 4096};
}

// ---- which meshes -----------------------------------------------------------------------------------

static bool startsMesh(const snSoftWork *w, int part)
{
    const snCharacter *c = w->bake->character;
    const snPart *own = &c->parts[part];
    if (!w->bake->flesh->carried[part]) return false;
    for (int p = 0; p < part; p++) { // a mesh on several nodes: those with one skin move alike
        const snPart *other = &c->parts[p];
        if (other->mesh == own->mesh && w->bake->flesh->carried[p] &&
            (other->node == own->node || (own->skin >= 0 && other->skin == own->skin)))
            return false;
    }
    return true;
}

static snStatus findMeshes(snSoftWork *w, snError *error)
{
    const snCharacter *c = w->bake->character;
    int vertex = 0;
    w->meshes = SN_NEW(&w->arena, snSoftMeshWork, c->partCount);
    if (!w->meshes) return snFailMemory(error);
    for (int p = 0; p < c->partCount; p++) {
        const snPart *part = &c->parts[p];
        if (startsMesh(w, p))
            w->meshes[w->meshCount++] =
                (snSoftMeshWork){.mesh = part->mesh,
                                 .node = c->skeleton.joints[part->node].fileNode,
                                 .firstPart = p,
                                 .firstVertex = vertex,
                                 .existing = part->targetCount,
                                 .firstMorph = part->firstMorph,
                                 .fitted = {.allocator = w->arena.allocator}};
        snSoftMeshWork *mesh = w->meshCount ? &w->meshes[w->meshCount - 1] : NULL;
        if (mesh && mesh->firstPart + mesh->partCount == p && part->mesh == mesh->mesh &&
            part->node == c->parts[mesh->firstPart].node) {
            mesh->partCount++;
            mesh->vertexCount += part->vertexCount;
            mesh->triangleCount += part->triangleCount;
            mesh->primitiveCount = part->primitivesOfMesh;
            mesh->hasNormals |= part->normals != NULL;
        }
        vertex += part->vertexCount;
    }
    return SN_OK;
}

static snStatus allocate(snSoftWork *w, snError *error)
{
    const snCharacter *c = w->bake->character;
    int clips = w->bake->clipCount;
    w->firstFrame = SN_NEW(&w->arena, int, clips);
    w->firstMiddle = SN_NEW(&w->arena, int, clips);
    w->dense = SN_NEW(&w->arena, bool, clips);
    if (!w->firstFrame || !w->firstMiddle || !w->dense) return snFailMemory(error);
    for (int i = 0; i < clips; i++) {
        w->firstFrame[i] = w->frameCount;
        w->firstMiddle[i] = w->middleCount;
        w->frameCount += w->bake->clips[i].frameCount;
        if (w->bake->clips[i].hasMiddles) w->middleCount += w->bake->clips[i].frameCount - 1;
    }
    size_t samples = (size_t)w->frameCount + (size_t)w->middleCount;
    w->morphs = SN_NEW(&w->arena, double, samples *(size_t)c->morphCount);
    w->skins = SN_NEW(&w->arena, snAffine *, c->skinCount);
    bool good = w->morphs && w->skins;
    for (int i = 0; i < c->skinCount && good; i++)
        good = (w->skins[i] = SN_NEW(&w->arena, snAffine, c->skins[i].jointCount)) != NULL;
    for (int i = 0; i < w->meshCount && good; i++) {
        snSoftMeshWork *mesh = &w->meshes[i];
        mesh->thinning = 1;
        if (w->def && w->def->enough > 0)
            mesh->thinning += (mesh->vertexCount - 1) / w->def->enough;
        mesh->matrix = SN_NEW(&w->arena, float, 9 * (size_t)mesh->vertexCount);
        mesh->offset = SN_NEW(&w->arena, float, 3 * (size_t)mesh->vertexCount);
        mesh->wanted = SN_NEW(&w->arena, float, 3 * (size_t)mesh->vertexCount);
        if (mesh->existing) mesh->shift = SN_NEW(&w->arena, float, 3 * (size_t)mesh->vertexCount);
        good = (mesh->shift || !mesh->existing) && mesh->matrix && mesh->offset && mesh->wanted;
    }
    if (!good) return snFailMemory(error);
    snSoft_Thin(w, false);
    return snPose_Make(&w->pose, &c->skeleton, c->morphCount, &w->arena, error);
}

snStatus snSoft_Begin(snSoftWork *w, snError *error)
{
    w->kernels = snChooseSoftKernels();
    snStatus status = findMeshes(w, error);
    return status ? status : allocate(w, error);
}

static void report(const snSoftWork *w, snSoftReport *out)
{
    double worst = 0;
    out->meshCount = w->meshCount;
    for (int m = 0; m < w->meshCount; m++) {
        const snSoftMeshWork *mesh = &w->meshes[m];
        int targets = snSoft_CountTargets(mesh);
        out->targetCount += targets;
        if (targets > out->mostTargets) out->mostTargets = targets;
        if (mesh->keyError > worst) worst = mesh->keyError;
        for (int i = 0; i < w->bake->clipCount; i++)
            if (!w->dense[i] && mesh->betweenErrors[i] > worst) worst = mesh->betweenErrors[i];
    }
    for (int i = 0; i < w->bake->clipCount; i++)
        out->denseClips += w->dense[i];
    out->error = worst / w->bake->flesh->height;
}

snStatus snSoft_Write(const snBake *bake, const snSoftDef *def, const snGltfSource *original,
                      snBytes *out, snSoftReport *told, const snContext *context, snError *error)
{
    snSoftWork w = {.bake = bake, .def = def, .context = context, .arena = snMakeArena(context)};
    *told = (snSoftReport){0};
    snStatus status = SN_OK;
    if (def->mostTargets < 1 || def->mostTargets > SN_MOST_COMPONENTS)
        status = snFail(error, SN_ERROR_ARGUMENT, "%d morph targets per mesh; 1 to %d are possible",
                        def->mostTargets, SN_MOST_COMPONENTS);
    if (!status) status = snSoft_Begin(&w, error);
    if (!status) status = snSoft_FindComponents(&w, error);
    if (!status) status = snSoft_ChooseTargets(&w, error);
    if (!status) status = snSoft_FitNormals(&w, error);
    if (!status) status = snSoft_FindRanges(&w, error);
    if (!status) report(&w, told);
    if (!status) status = snSoft_Describe(&w, original, out, error);
    for (int m = 0; m < w.meshCount; m++)
        snArena_Destroy(&w.meshes[m].fitted);
    snArena_Destroy(&w.arena);
    return status;
}
