#include "render/passes.h"

static GLuint use(const snPass *pass, snProgram program)
{
    glUseProgram(pass->programs[program]);
    return pass->programs[program];
}

static void bindTarget(const snTarget *target)
{
    glBindFramebuffer(GL_FRAMEBUFFER, target->framebuffer);
    glViewport(0, 0, target->width, target->height);
}

static void bindTexture(snUnit unit, const snTarget *target)
{
    glActiveTexture(GL_TEXTURE0 + (GLenum)unit);
    glBindTexture(GL_TEXTURE_2D, target->texture);
}

static void drawScreen(const snPass *pass)
{
    glBindVertexArray(pass->emptyArray);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    glBindVertexArray(0);
}

// As seen by the picture, or as it casts shadows.
typedef bool Filter(const snSurfaceDraw *draw);

static bool isOpaque(const snSurfaceDraw *draw)
{
    return draw->opacity * (draw->colors ? 1.0f : draw->color[3]) >= 0.999f;
}

static bool isGlass(const snSurfaceDraw *draw)
{
    return !isOpaque(draw) && draw->opacity > 0.0f;
}

static bool castsShadow(const snSurfaceDraw *draw)
{
    return draw->castsShadow && draw->opacity > 0.0f;
}

static void drawMesh(const snGpuMesh *mesh)
{
    glActiveTexture(GL_TEXTURE0 + (GLenum)SN_UNIT_BASE_COLOR);
    glBindTexture(GL_TEXTURE_2D, mesh->texture);
    snGpuMesh_DrawTriangles(mesh);
}

// Clears a depth map and draws the surfaces that pass the filter into it.
static void drawDepth(const snPass *pass, const snTarget *target, const float matrix[16],
                      Filter *filter)
{
    bindTarget(target);
    glDepthMask(GL_TRUE);
    glEnable(GL_DEPTH_TEST);
    glDepthFunc(GL_LEQUAL);
    glClear(GL_DEPTH_BUFFER_BIT);
    for (int i = 0; i < pass->scene->surfaceCount; i++) {
        const snSurfaceDraw *draw = &pass->scene->surfaces[i];
        if (!filter(draw)) continue;
        GLuint program = use(pass, draw->cutOut ? SN_PROGRAM_DEPTH_CUT : SN_PROGRAM_DEPTH);
        snProgram_SetMatrix(program, "clipFromPosition", matrix);
        drawMesh(&pass->gpu->surfaces[i]);
    }
}

void snPass_ShadowMap(const snPass *pass)
{
    float matrix[16];
    snFrame_ClipFromUnit(pass->frame->block.shadowFromWorld, matrix);
    drawDepth(pass, &pass->targets->shadow, matrix, castsShadow);
    bindTexture(SN_UNIT_SHADOW_MAP, &pass->targets->shadow);
    bindTexture(SN_UNIT_SHADOW_DEPTH, &pass->targets->shadow);
}

// Blurs pair[0] in both directions; the result is again in pair[0].
static void blur(const snPass *pass, const snTarget pair[2])
{
    GLuint program = use(pass, SN_PROGRAM_BLUR);
    for (int direction = 0; direction < 2; direction++) {
        const snTarget *from = &pair[direction], *to = &pair[1 - direction];
        bindTarget(to);
        bindTexture(SN_UNIT_SOURCE, from);
        snProgram_Set2(program, "stepSize", direction ? 0.0f : 1.0f / (float)from->width,
                       direction ? 1.0f / (float)from->height : 0.0f);
        drawScreen(pass);
    }
}

void snPass_Ground(const snPass *pass)
{
    if (!pass->frame->ground) return;
    const snTargets *targets = pass->targets;
    float matrix[16];
    snFrame_ClipFromUnit(pass->frame->block.heightFromWorld, matrix);
    drawDepth(pass, &targets->underside, matrix, castsShadow);
    glDisable(GL_DEPTH_TEST);

    GLuint program = use(pass, SN_PROGRAM_GROUND_SHADOW);
    snProgram_Set2(program, "depthScale", (float)SN_SHADOW_SPAN, (float)SN_SHADOW_SPAN);
    bindTarget(&targets->groundShadow[0]);
    drawScreen(pass);
    blur(pass, targets->groundShadow);

    use(pass, SN_PROGRAM_GROUND_AMBIENT);
    bindTexture(SN_UNIT_HEIGHT_MAP, &targets->underside);
    bindTarget(&targets->groundAmbient[0]);
    drawScreen(pass);
    blur(pass, targets->groundAmbient);
    blur(pass, targets->groundAmbient);
    bindTexture(SN_UNIT_GROUND_SHADOW, &targets->groundShadow[0]);
    bindTexture(SN_UNIT_GROUND_AMBIENT, &targets->groundAmbient[0]);
}

void snPass_Occlusion(const snPass *pass)
{
    const snTargets *targets = pass->targets;
    drawDepth(pass, &targets->early, pass->frame->block.clipFromWorld, isOpaque);
    glDisable(GL_DEPTH_TEST);
    bindTexture(SN_UNIT_DEPTH_MAP, &targets->early);
    use(pass, SN_PROGRAM_OCCLUSION);
    bindTarget(&targets->occlusion[0]);
    drawScreen(pass);
    use(pass, SN_PROGRAM_OCCLUSION_BLUR);
    bindTexture(SN_UNIT_SOURCE, &targets->occlusion[0]);
    bindTarget(&targets->occlusion[1]);
    drawScreen(pass);
    bindTexture(SN_UNIT_OCCLUSION_MAP, &targets->occlusion[1]);
}

static void setCulling(bool doubleSided)
{
    if (doubleSided)
        glDisable(GL_CULL_FACE);
    else
        glEnable(GL_CULL_FACE);
}

static GLuint useSurface(const snPass *pass, const snSurfaceDraw *draw)
{
    return use(pass, draw->cutOut ? SN_PROGRAM_SURFACE_CUT : SN_PROGRAM_SURFACE);
}

static void drawOpaque(const snPass *pass)
{
    glDisable(GL_BLEND);
    for (int i = 0; i < pass->scene->surfaceCount; i++) {
        const snSurfaceDraw *draw = &pass->scene->surfaces[i];
        if (!isOpaque(draw)) continue;
        setCulling(draw->doubleSided);
        GLuint program = useSurface(pass, draw);
        snProgram_Set4(program, "material", 1.0f, draw->gloss, 0.0f, 1.0f);
        drawMesh(&pass->gpu->surfaces[i]);
    }
    // Bones lie inside what casts shadows, so shadows and occlusion are not for them.
    GLuint program = use(pass, SN_PROGRAM_SURFACE);
    snProgram_Set4(program, "material", 1.0f, 0.15f, 0.0f, 0.0f);
    setCulling(false);
    for (int i = 0; i < pass->scene->boneCount; i++)
        drawMesh(&pass->gpu->bones[i]);
}

static void drawGround(const snPass *pass)
{
    if (!pass->frame->ground) return;
    glDisable(GL_BLEND);
    glDisable(GL_CULL_FACE);
    use(pass, SN_PROGRAM_GROUND);
    glBindVertexArray(pass->emptyArray);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    glBindVertexArray(0);
}

// Premultiplied colours over what is there.
static void beginBlending(void)
{
    glEnable(GL_BLEND);
    glBlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    glDisable(GL_CULL_FACE);
    glDepthMask(GL_FALSE);
}

static void endBlending(void)
{
    glDisable(GL_BLEND);
    glDepthMask(GL_TRUE);
    glDepthFunc(GL_LEQUAL);
}

// Depths are shifted a little towards the eye so that lattice edges that lie in a surface win.
static void drawLines(const snPass *pass, bool onTop, float strength)
{
    GLuint program = use(pass, SN_PROGRAM_LINE);
    snProgram_Set1(program, "strength", strength);
    for (int i = 0; i < pass->scene->lineCount; i++) {
        const snLineDraw *draw = &pass->scene->lines[i];
        if (onTop && !draw->onTop) continue;
        float width = fminf(fmaxf(draw->width, 0.0f), 256.0f) * (float)pass->targets->scale;
        snProgram_Set2(program, "widthAndBias", width, 2e-5f);
        snGpuMesh_DrawInstances(&pass->gpu->lines[i]);
    }
}

static void drawPoints(const snPass *pass, bool onTop, float strength)
{
    GLuint program = use(pass, SN_PROGRAM_POINT);
    snProgram_Set1(program, "strength", strength);
    for (int i = 0; i < pass->scene->pointCount; i++) {
        const snPointDraw *draw = &pass->scene->points[i];
        if (onTop && !draw->onTop) continue;
        float radius = fminf(fmaxf(draw->radius, 0.5f), 512.0f) * (float)pass->targets->scale;
        snProgram_Set2(program, "radiusAndBias", radius, 4e-5f);
        snGpuMesh_DrawInstances(&pass->gpu->points[i]);
    }
}

static bool hasGlass(const snScene *scene)
{
    for (int i = 0; i < scene->surfaceCount; i++)
        if (isGlass(&scene->surfaces[i])) return true;
    return false;
}

// The nearest layer only: depth first, then colour where depth is equal. Marks the stencil, so that
// lines in front of the glass can be drawn once more over it.
static void drawGlass(const snPass *pass)
{
    glEnable(GL_STENCIL_TEST);
    glStencilFunc(GL_ALWAYS, 1, 0xff);
    glStencilOp(GL_KEEP, GL_KEEP, GL_REPLACE);
    for (int i = 0; i < pass->scene->surfaceCount; i++) {
        const snSurfaceDraw *draw = &pass->scene->surfaces[i];
        if (!isGlass(draw)) continue;
        setCulling(draw->doubleSided);
        GLuint program = useSurface(pass, draw);
        snProgram_Set4(program, "material", draw->opacity, draw->gloss, 1.0f, 0.0f);
        glColorMask(GL_FALSE, GL_FALSE, GL_FALSE, GL_FALSE);
        glDepthFunc(GL_LEQUAL);
        drawMesh(&pass->gpu->surfaces[i]);
        glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
        glEnable(GL_BLEND);
        glBlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
        glDepthFunc(GL_EQUAL);
        drawMesh(&pass->gpu->surfaces[i]);
        endBlending();
    }
    beginBlending();
    glStencilFunc(GL_EQUAL, 1, 0xff);
    glStencilOp(GL_KEEP, GL_KEEP, GL_KEEP);
    drawLines(pass, false, 1.0f);
    drawPoints(pass, false, 1.0f);
    endBlending();
    glDisable(GL_STENCIL_TEST);
}

// Skeletons that shine through opaque surfaces. Mapped to the nearest part of the depth range, they
// hide each other but nothing hides them; half see-through, they look dimmed where something is in
// front, and blend with themselves, unchanged, where nothing is.
static void drawBonesOnTop(const snPass *pass)
{
    GLuint program = use(pass, SN_PROGRAM_SURFACE);
    glDepthRangef(0.0f, 0.05f);
    setCulling(false);
    for (int i = 0; i < pass->scene->boneCount; i++) {
        if (!pass->scene->bones[i].onTop) continue;
        glColorMask(GL_FALSE, GL_FALSE, GL_FALSE, GL_FALSE);
        drawMesh(&pass->gpu->bones[i]);
        glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
        snProgram_Set4(program, "material", 0.55f, 0.15f, 0.0f, 0.0f);
        glEnable(GL_BLEND);
        glBlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
        glDepthFunc(GL_EQUAL);
        drawMesh(&pass->gpu->bones[i]);
        endBlending();
    }
    glDepthRangef(0.0f, 1.0f);
}

// What is behind something, dimmed.
static void drawHidden(const snPass *pass)
{
    beginBlending();
    glDepthFunc(GL_GREATER);
    drawLines(pass, true, 0.35f);
    drawPoints(pass, true, 0.45f);
    endBlending();
}

void snPass_Picture(const snPass *pass)
{
    glBindFramebuffer(GL_FRAMEBUFFER, pass->targets->picture);
    const snTargets *targets = pass->targets;
    glViewport(0, 0, targets->scale * targets->width, targets->scale * targets->height);
    glEnable(GL_DEPTH_TEST);
    glDepthFunc(GL_LEQUAL);
    glDepthMask(GL_TRUE);
    const float *c = pass->frame->block.background;
    glClearColor(c[0] * c[3], c[1] * c[3], c[2] * c[3], c[3]);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
    drawOpaque(pass);
    drawGround(pass); // after opaque things, so that it is not computed behind them
    beginBlending();
    drawLines(pass, false, 1.0f);
    drawPoints(pass, false, 1.0f);
    endBlending();
    drawHidden(pass);
    if (hasGlass(pass->scene)) drawGlass(pass);
    drawBonesOnTop(pass);
    glDisable(GL_DEPTH_TEST);
    glDisable(GL_CULL_FACE);
}
