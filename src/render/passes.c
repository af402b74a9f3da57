#include "render/passes.h"

static GLuint use(const snPass *pass, snProgram program)
{
    pass->gl->UseProgram(pass->programs[program]);
    return pass->programs[program];
}

static void bindTarget(const snGl *gl, const snTarget *target)
{
    gl->BindFramebuffer(GL_FRAMEBUFFER, target->framebuffer);
    gl->Viewport(0, 0, target->width, target->height);
}

static void bindTexture(const snGl *gl, snUnit unit, const snTarget *target)
{
    gl->ActiveTexture(GL_TEXTURE0 + (GLenum)unit);
    gl->BindTexture(GL_TEXTURE_2D, target->texture);
}

static void drawScreen(const snPass *pass)
{
    const snGl *gl = pass->gl;
    gl->BindVertexArray(pass->emptyArray);
    gl->DrawArrays(GL_TRIANGLES, 0, 3);
    gl->BindVertexArray(0);
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

static void drawMesh(const snGl *gl, const snGpuMesh *mesh)
{
    gl->ActiveTexture(GL_TEXTURE0 + (GLenum)SN_UNIT_BASE_COLOR);
    gl->BindTexture(GL_TEXTURE_2D, mesh->texture);
    snGpuMesh_DrawTriangles(gl, mesh);
}

// Clears a depth map and draws the surfaces that pass the filter into it.
static void drawDepth(const snPass *pass, const snTarget *target, const float matrix[16],
                      Filter *filter)
{
    const snGl *gl = pass->gl;
    bindTarget(gl, target);
    gl->DepthMask(GL_TRUE);
    gl->Enable(GL_DEPTH_TEST);
    gl->DepthFunc(GL_LEQUAL);
    gl->Clear(GL_DEPTH_BUFFER_BIT);
    for (int i = 0; i < pass->scene->surfaceCount; i++) {
        const snSurfaceDraw *draw = &pass->scene->surfaces[i];
        if (!filter(draw)) continue;
        GLuint program = use(pass, draw->cutOut ? SN_PROGRAM_DEPTH_CUT : SN_PROGRAM_DEPTH);
        snProgram_SetMatrix(gl, program, "clipFromPosition", matrix);
        drawMesh(gl, &pass->gpu->surfaces[i]);
    }
}

void snPass_ShadowMap(const snPass *pass)
{
    const snGl *gl = pass->gl;
    float matrix[16];
    snFrame_ClipFromUnit(pass->frame->block.shadowFromWorld, matrix);
    drawDepth(pass, &pass->targets->shadow, matrix, castsShadow);
    bindTexture(gl, SN_UNIT_SHADOW_MAP, &pass->targets->shadow);
    bindTexture(gl, SN_UNIT_SHADOW_DEPTH, &pass->targets->shadow);
}

// Blurs pair[0] in both directions; the result is again in pair[0].
static void blur(const snPass *pass, const snTarget pair[2])
{
    const snGl *gl = pass->gl;
    GLuint program = use(pass, SN_PROGRAM_BLUR);
    for (int direction = 0; direction < 2; direction++) {
        const snTarget *from = &pair[direction], *to = &pair[1 - direction];
        bindTarget(gl, to);
        bindTexture(gl, SN_UNIT_SOURCE, from);
        snProgram_Set2(gl, program, "stepSize", direction ? 0.0f : 1.0f / (float)from->width,
                       direction ? 1.0f / (float)from->height : 0.0f);
        drawScreen(pass);
    }
}

void snPass_Ground(const snPass *pass)
{
    const snGl *gl = pass->gl;
    if (!pass->frame->ground) return;
    const snTargets *targets = pass->targets;
    float matrix[16];
    snFrame_ClipFromUnit(pass->frame->block.heightFromWorld, matrix);
    drawDepth(pass, &targets->underside, matrix, castsShadow);
    gl->Disable(GL_DEPTH_TEST);

    GLuint program = use(pass, SN_PROGRAM_GROUND_SHADOW);
    snProgram_Set2(gl, program, "depthScale", (float)SN_SHADOW_SPAN, (float)SN_SHADOW_SPAN);
    bindTarget(gl, &targets->groundShadow[0]);
    drawScreen(pass);
    blur(pass, targets->groundShadow);

    use(pass, SN_PROGRAM_GROUND_AMBIENT);
    bindTexture(gl, SN_UNIT_HEIGHT_MAP, &targets->underside);
    bindTarget(gl, &targets->groundAmbient[0]);
    drawScreen(pass);
    blur(pass, targets->groundAmbient);
    blur(pass, targets->groundAmbient);
    bindTexture(gl, SN_UNIT_GROUND_SHADOW, &targets->groundShadow[0]);
    bindTexture(gl, SN_UNIT_GROUND_AMBIENT, &targets->groundAmbient[0]);
}

void snPass_Occlusion(const snPass *pass)
{
    const snGl *gl = pass->gl;
    const snTargets *targets = pass->targets;
    drawDepth(pass, &targets->early, pass->frame->block.clipFromWorld, isOpaque);
    gl->Disable(GL_DEPTH_TEST);
    bindTexture(gl, SN_UNIT_DEPTH_MAP, &targets->early);
    use(pass, SN_PROGRAM_OCCLUSION);
    bindTarget(gl, &targets->occlusion[0]);
    drawScreen(pass);
    use(pass, SN_PROGRAM_OCCLUSION_BLUR);
    bindTexture(gl, SN_UNIT_SOURCE, &targets->occlusion[0]);
    bindTarget(gl, &targets->occlusion[1]);
    drawScreen(pass);
    bindTexture(gl, SN_UNIT_OCCLUSION_MAP, &targets->occlusion[1]);
}

static void setCulling(const snGl *gl, bool doubleSided)
{
    if (doubleSided)
        gl->Disable(GL_CULL_FACE);
    else
        gl->Enable(GL_CULL_FACE);
}

static GLuint useSurface(const snPass *pass, const snSurfaceDraw *draw)
{
    return use(pass, draw->cutOut ? SN_PROGRAM_SURFACE_CUT : SN_PROGRAM_SURFACE);
}

static void drawOpaque(const snPass *pass)
{
    const snGl *gl = pass->gl;
    gl->Disable(GL_BLEND);
    for (int i = 0; i < pass->scene->surfaceCount; i++) {
        const snSurfaceDraw *draw = &pass->scene->surfaces[i];
        if (!isOpaque(draw)) continue;
        setCulling(gl, draw->doubleSided);
        GLuint program = useSurface(pass, draw);
        snProgram_Set4(gl, program, "material", 1.0f, draw->gloss, 0.0f, 1.0f);
        drawMesh(gl, &pass->gpu->surfaces[i]);
    }
    // Bones lie inside what casts shadows, so shadows and occlusion are not for them.
    GLuint program = use(pass, SN_PROGRAM_SURFACE);
    snProgram_Set4(gl, program, "material", 1.0f, 0.15f, 0.0f, 0.0f);
    setCulling(gl, false);
    for (int i = 0; i < pass->scene->boneCount; i++)
        drawMesh(gl, &pass->gpu->bones[i]);
}

static void drawGround(const snPass *pass)
{
    const snGl *gl = pass->gl;
    if (!pass->frame->ground) return;
    gl->Disable(GL_BLEND);
    gl->Disable(GL_CULL_FACE);
    use(pass, SN_PROGRAM_GROUND);
    gl->BindVertexArray(pass->emptyArray);
    gl->DrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    gl->BindVertexArray(0);
}

// Premultiplied colours over what is there.
static void beginBlending(const snGl *gl)
{
    gl->Enable(GL_BLEND);
    gl->BlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    gl->Disable(GL_CULL_FACE);
    gl->DepthMask(GL_FALSE);
}

static void endBlending(const snGl *gl)
{
    gl->Disable(GL_BLEND);
    gl->DepthMask(GL_TRUE);
    gl->DepthFunc(GL_LEQUAL);
}

// Depths are shifted a little towards the eye so that lattice edges that lie in a surface win.
static void drawLines(const snPass *pass, bool onTop, float strength)
{
    const snGl *gl = pass->gl;
    GLuint program = use(pass, SN_PROGRAM_LINE);
    snProgram_Set1(gl, program, "strength", strength);
    for (int i = 0; i < pass->scene->lineCount; i++) {
        const snLineDraw *draw = &pass->scene->lines[i];
        if (onTop && !draw->onTop) continue;
        float width = fminf(fmaxf(draw->width, 0.0f), 256.0f) * (float)pass->targets->scale;
        snProgram_Set2(gl, program, "widthAndBias", width, 2e-5f);
        snGpuMesh_DrawInstances(gl, &pass->gpu->lines[i]);
    }
}

static void drawPoints(const snPass *pass, bool onTop, float strength)
{
    const snGl *gl = pass->gl;
    GLuint program = use(pass, SN_PROGRAM_POINT);
    snProgram_Set1(gl, program, "strength", strength);
    for (int i = 0; i < pass->scene->pointCount; i++) {
        const snPointDraw *draw = &pass->scene->points[i];
        if (onTop && !draw->onTop) continue;
        float radius = fminf(fmaxf(draw->radius, 0.5f), 512.0f) * (float)pass->targets->scale;
        snProgram_Set2(gl, program, "radiusAndBias", radius, 4e-5f);
        snGpuMesh_DrawInstances(gl, &pass->gpu->points[i]);
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
    const snGl *gl = pass->gl;
    gl->Enable(GL_STENCIL_TEST);
    gl->StencilFunc(GL_ALWAYS, 1, 0xff);
    gl->StencilOp(GL_KEEP, GL_KEEP, GL_REPLACE);
    for (int i = 0; i < pass->scene->surfaceCount; i++) {
        const snSurfaceDraw *draw = &pass->scene->surfaces[i];
        if (!isGlass(draw)) continue;
        setCulling(gl, draw->doubleSided);
        GLuint program = useSurface(pass, draw);
        snProgram_Set4(gl, program, "material", draw->opacity, draw->gloss, 1.0f, 0.0f);
        gl->ColorMask(GL_FALSE, GL_FALSE, GL_FALSE, GL_FALSE);
        gl->DepthFunc(GL_LEQUAL);
        drawMesh(gl, &pass->gpu->surfaces[i]);
        gl->ColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
        gl->Enable(GL_BLEND);
        gl->BlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
        gl->DepthFunc(GL_EQUAL);
        drawMesh(gl, &pass->gpu->surfaces[i]);
        endBlending(gl);
    }
    beginBlending(gl);
    gl->StencilFunc(GL_EQUAL, 1, 0xff);
    gl->StencilOp(GL_KEEP, GL_KEEP, GL_KEEP);
    drawLines(pass, false, 1.0f);
    drawPoints(pass, false, 1.0f);
    endBlending(gl);
    gl->Disable(GL_STENCIL_TEST);
}

// Skeletons that shine through opaque surfaces. Mapped to the nearest part of the depth range, they
// hide each other but nothing hides them; half see-through, they look dimmed where something is in
// front, and blend with themselves, unchanged, where nothing is.
static void drawBonesOnTop(const snPass *pass)
{
    const snGl *gl = pass->gl;
    GLuint program = use(pass, SN_PROGRAM_SURFACE);
    gl->DepthRangef(0.0f, 0.05f);
    setCulling(gl, false);
    for (int i = 0; i < pass->scene->boneCount; i++) {
        if (!pass->scene->bones[i].onTop) continue;
        gl->ColorMask(GL_FALSE, GL_FALSE, GL_FALSE, GL_FALSE);
        drawMesh(gl, &pass->gpu->bones[i]);
        gl->ColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
        snProgram_Set4(gl, program, "material", 0.55f, 0.15f, 0.0f, 0.0f);
        gl->Enable(GL_BLEND);
        gl->BlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
        gl->DepthFunc(GL_EQUAL);
        drawMesh(gl, &pass->gpu->bones[i]);
        endBlending(gl);
    }
    gl->DepthRangef(0.0f, 1.0f);
}

// What is behind something, dimmed.
static void drawHidden(const snPass *pass)
{
    const snGl *gl = pass->gl;
    beginBlending(gl);
    gl->DepthFunc(GL_GREATER);
    drawLines(pass, true, 0.35f);
    drawPoints(pass, true, 0.45f);
    endBlending(gl);
}

void snPass_Picture(const snPass *pass)
{
    const snGl *gl = pass->gl;
    gl->BindFramebuffer(GL_FRAMEBUFFER, pass->targets->picture);
    const snTargets *targets = pass->targets;
    gl->Viewport(0, 0, targets->scale * targets->width, targets->scale * targets->height);
    gl->Enable(GL_DEPTH_TEST);
    gl->DepthFunc(GL_LEQUAL);
    gl->DepthMask(GL_TRUE);
    const float *c = pass->frame->block.background;
    gl->ClearColor(c[0] * c[3], c[1] * c[3], c[2] * c[3], c[3]);
    gl->Clear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
    drawOpaque(pass);
    drawGround(pass); // after opaque things, so that it is not computed behind them
    beginBlending(gl);
    drawLines(pass, false, 1.0f);
    drawPoints(pass, false, 1.0f);
    endBlending(gl);
    drawHidden(pass);
    if (hasGlass(pass->scene)) drawGlass(pass);
    drawBonesOnTop(pass);
    gl->Disable(GL_DEPTH_TEST);
    gl->Disable(GL_CULL_FACE);
}
