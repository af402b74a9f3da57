#include "render/programs.h"

#include "core/error.h"
#include "shader_texts.h" // made from shaders/ by CMakeLists.txt

#include <stdio.h>

typedef struct Source {
    const char *name;
    const char *vertex, *fragment;
    const char *defines; // in front of both
} Source;

#define CUT_OUT "#define CUT_OUT\n"

static const Source sources[SN_PROGRAM_COUNT] = {
    [SN_PROGRAM_DEPTH] = {"depth", snShader_depth_vert, snShader_depth_frag, ""},
    [SN_PROGRAM_DEPTH_CUT] = {"depth with holes", snShader_depth_vert, snShader_depth_frag,
                              CUT_OUT},
    [SN_PROGRAM_SURFACE] = {"surface", snShader_surface_vert, snShader_surface_frag, ""},
    [SN_PROGRAM_SURFACE_CUT] = {"surface with holes", snShader_surface_vert, snShader_surface_frag,
                                CUT_OUT},
    [SN_PROGRAM_GROUND] = {"ground", snShader_ground_vert, snShader_ground_frag, ""},
    [SN_PROGRAM_GROUND_SHADOW] = {"ground_shadow", snShader_screen_vert,
                                  snShader_ground_shadow_frag, ""},
    [SN_PROGRAM_GROUND_AMBIENT] = {"ground_ambient", snShader_screen_vert,
                                   snShader_ground_ambient_frag, ""},
    [SN_PROGRAM_BLUR] = {"blur", snShader_screen_vert, snShader_blur_frag, ""},
    [SN_PROGRAM_OCCLUSION] = {"occlusion", snShader_screen_vert, snShader_occlusion_frag, ""},
    [SN_PROGRAM_OCCLUSION_BLUR] = {"occlusion_blur", snShader_screen_vert,
                                   snShader_occlusion_blur_frag, ""},
    [SN_PROGRAM_LINE] = {"line", snShader_line_vert, snShader_line_frag, ""},
    [SN_PROGRAM_POINT] = {"point", snShader_point_vert, snShader_point_frag, ""},
};

static const char *const samplerNames[SN_UNIT_COUNT] = {
    [SN_UNIT_SHADOW_MAP] = "shadowMap",         [SN_UNIT_SHADOW_DEPTH] = "shadowDepth",
    [SN_UNIT_OCCLUSION_MAP] = "occlusionMap",   [SN_UNIT_GROUND_SHADOW] = "groundShadow",
    [SN_UNIT_GROUND_AMBIENT] = "groundAmbient", [SN_UNIT_HEIGHT_MAP] = "heightMap",
    [SN_UNIT_DEPTH_MAP] = "depthMap",           [SN_UNIT_SOURCE] = "source",
    [SN_UNIT_BASE_COLOR] = "baseColor",
};

static GLuint compile(const snGl *gl, GLenum kind, const char *defines, const char *text,
                      char *message, GLsizei size)
{
    GLuint shader = gl->CreateShader(kind);
    const char *parts[3] = {snShader_common_glsl, defines, text};
    gl->ShaderSource(shader, 3, parts, NULL);
    gl->CompileShader(shader);
    GLint good = 0;
    gl->GetShaderiv(shader, GL_COMPILE_STATUS, &good);
    if (good) return shader;
    gl->GetShaderInfoLog(shader, size, NULL, message);
    gl->DeleteShader(shader);
    return 0;
}

static void bindInputs(const snGl *gl, GLuint program)
{
    GLuint block = gl->GetUniformBlockIndex(program, "Frame");
    if (block != GL_INVALID_INDEX) gl->UniformBlockBinding(program, block, 0);
    gl->UseProgram(program);
    for (int unit = 0; unit < SN_UNIT_COUNT; unit++)
        gl->Uniform1i(gl->GetUniformLocation(program, samplerNames[unit]), unit); // -1 is ignored
}

static GLuint link(const snGl *gl, const Source *source, char *message, GLsizei size)
{
    GLuint vertex = compile(gl, GL_VERTEX_SHADER, source->defines, source->vertex, message, size);
    GLuint fragment = 0, program = 0;
    if (vertex)
        fragment =
            compile(gl, GL_FRAGMENT_SHADER, source->defines, source->fragment, message, size);
    if (vertex && fragment) {
        program = gl->CreateProgram();
        gl->AttachShader(program, vertex);
        gl->AttachShader(program, fragment);
        gl->LinkProgram(program);
        GLint good = 0;
        gl->GetProgramiv(program, GL_LINK_STATUS, &good);
        if (good) {
            bindInputs(gl, program);
        } else {
            gl->GetProgramInfoLog(program, size, NULL, message);
            gl->DeleteProgram(program);
            program = 0;
        }
    }
    gl->DeleteShader(vertex); // 0 is ignored
    gl->DeleteShader(fragment);
    return program;
}

snStatus snPrograms_Make(const snGl *gl, GLuint programs[SN_PROGRAM_COUNT], snError *error)
{
    for (int i = 0; i < SN_PROGRAM_COUNT; i++) {
        char message[320] = "";
        programs[i] = link(gl, &sources[i], message, (GLsizei)sizeof message);
        if (!programs[i])
            return snFail(error, SN_ERROR_UNSUPPORTED,
                          "the OpenGL driver does not compile the shader %s: %s", sources[i].name,
                          message);
    }
    return SN_OK;
}

void snPrograms_Destroy(const snGl *gl, GLuint programs[SN_PROGRAM_COUNT])
{
    for (int i = 0; i < SN_PROGRAM_COUNT; i++) {
        gl->DeleteProgram(programs[i]);
        programs[i] = 0;
    }
}

void snProgram_Set1(const snGl *gl, GLuint program, const char *name, float x)
{
    gl->Uniform1f(gl->GetUniformLocation(program, name), x);
}

void snProgram_Set2(const snGl *gl, GLuint program, const char *name, float x, float y)
{
    gl->Uniform2f(gl->GetUniformLocation(program, name), x, y);
}

void snProgram_Set4(const snGl *gl, GLuint program, const char *name, float x, float y, float z,
                    float w)
{
    gl->Uniform4f(gl->GetUniformLocation(program, name), x, y, z, w);
}

void snProgram_SetMatrix(const snGl *gl, GLuint program, const char *name, const float m[16])
{
    gl->UniformMatrix4fv(gl->GetUniformLocation(program, name), 1, GL_FALSE, m);
}
