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

static GLuint compile(GLenum kind, const char *defines, const char *text, char *message,
                      GLsizei size)
{
    GLuint shader = glCreateShader(kind);
    const char *parts[3] = {snShader_common_glsl, defines, text};
    glShaderSource(shader, 3, parts, NULL);
    glCompileShader(shader);
    GLint good = 0;
    glGetShaderiv(shader, GL_COMPILE_STATUS, &good);
    if (good) return shader;
    glGetShaderInfoLog(shader, size, NULL, message);
    glDeleteShader(shader);
    return 0;
}

static void bindInputs(GLuint program)
{
    GLuint block = glGetUniformBlockIndex(program, "Frame");
    if (block != GL_INVALID_INDEX) glUniformBlockBinding(program, block, 0);
    glUseProgram(program);
    for (int unit = 0; unit < SN_UNIT_COUNT; unit++)
        glUniform1i(glGetUniformLocation(program, samplerNames[unit]), unit); // -1 is ignored
}

static GLuint link(const Source *source, char *message, GLsizei size)
{
    GLuint vertex = compile(GL_VERTEX_SHADER, source->defines, source->vertex, message, size);
    GLuint fragment = 0, program = 0;
    if (vertex)
        fragment = compile(GL_FRAGMENT_SHADER, source->defines, source->fragment, message, size);
    if (vertex && fragment) {
        program = glCreateProgram();
        glAttachShader(program, vertex);
        glAttachShader(program, fragment);
        glLinkProgram(program);
        GLint good = 0;
        glGetProgramiv(program, GL_LINK_STATUS, &good);
        if (good) {
            bindInputs(program);
        } else {
            glGetProgramInfoLog(program, size, NULL, message);
            glDeleteProgram(program);
            program = 0;
        }
    }
    glDeleteShader(vertex); // 0 is ignored
    glDeleteShader(fragment);
    return program;
}

snStatus snPrograms_Make(GLuint programs[SN_PROGRAM_COUNT], snError *error)
{
    for (int i = 0; i < SN_PROGRAM_COUNT; i++) {
        char message[320] = "";
        programs[i] = link(&sources[i], message, (GLsizei)sizeof message);
        if (!programs[i])
            return snFail(error, SN_ERROR_UNSUPPORTED,
                          "the OpenGL driver does not compile the shader %s: %s", sources[i].name,
                          message);
    }
    return SN_OK;
}

void snPrograms_Destroy(GLuint programs[SN_PROGRAM_COUNT])
{
    for (int i = 0; i < SN_PROGRAM_COUNT; i++) {
        glDeleteProgram(programs[i]);
        programs[i] = 0;
    }
}

void snProgram_Set1(GLuint program, const char *name, float x)
{
    glUniform1f(glGetUniformLocation(program, name), x);
}

void snProgram_Set2(GLuint program, const char *name, float x, float y)
{
    glUniform2f(glGetUniformLocation(program, name), x, y);
}

void snProgram_Set4(GLuint program, const char *name, float x, float y, float z, float w)
{
    glUniform4f(glGetUniformLocation(program, name), x, y, z, w);
}

void snProgram_SetMatrix(GLuint program, const char *name, const float m[16])
{
    glUniformMatrix4fv(glGetUniformLocation(program, name), 1, GL_FALSE, m);
}
