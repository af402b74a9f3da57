// The functions of EGL and OpenGL ES 3 that are used here, loaded when a renderer is made instead of
// linked, so that the program starts and does everything but pictures on a machine without them.
// The system's headers give types and constants; a call reads gl->BindTexture(...).
#ifndef SN_RENDER_GL_H
#define SN_RENDER_GL_H

#include "sinew/base.h"

// Without prototypes the compiler rejects a call that would have to be linked.
#define EGL_EGL_PROTOTYPES 0
#define GL_GLES_PROTOTYPES 0
#include <EGL/egl.h>
#include <GLES3/gl3.h>

// X(name without egl, type)
#define SN_EGL_FUNCTIONS(X)                                                                        \
    X(BindAPI, PFNEGLBINDAPIPROC)                                                                  \
    X(ChooseConfig, PFNEGLCHOOSECONFIGPROC)                                                        \
    X(CreateContext, PFNEGLCREATECONTEXTPROC)                                                      \
    X(DestroyContext, PFNEGLDESTROYCONTEXTPROC)                                                    \
    X(GetCurrentContext, PFNEGLGETCURRENTCONTEXTPROC)                                              \
    X(GetCurrentDisplay, PFNEGLGETCURRENTDISPLAYPROC)                                              \
    X(GetCurrentSurface, PFNEGLGETCURRENTSURFACEPROC)                                              \
    X(GetDisplay, PFNEGLGETDISPLAYPROC)                                                            \
    X(GetError, PFNEGLGETERRORPROC)                                                                \
    X(GetProcAddress, PFNEGLGETPROCADDRESSPROC)                                                    \
    X(Initialize, PFNEGLINITIALIZEPROC)                                                            \
    X(MakeCurrent, PFNEGLMAKECURRENTPROC)                                                          \
    X(QueryAPI, PFNEGLQUERYAPIPROC)                                                                \
    X(QueryString, PFNEGLQUERYSTRINGPROC)

// X(name without gl, type)
#define SN_GL_FUNCTIONS(X)                                                                         \
    X(ActiveTexture, PFNGLACTIVETEXTUREPROC)                                                       \
    X(AttachShader, PFNGLATTACHSHADERPROC)                                                         \
    X(BindBuffer, PFNGLBINDBUFFERPROC)                                                             \
    X(BindBufferBase, PFNGLBINDBUFFERBASEPROC)                                                     \
    X(BindFramebuffer, PFNGLBINDFRAMEBUFFERPROC)                                                   \
    X(BindRenderbuffer, PFNGLBINDRENDERBUFFERPROC)                                                 \
    X(BindSampler, PFNGLBINDSAMPLERPROC)                                                           \
    X(BindTexture, PFNGLBINDTEXTUREPROC)                                                           \
    X(BindVertexArray, PFNGLBINDVERTEXARRAYPROC)                                                   \
    X(BlendFunc, PFNGLBLENDFUNCPROC)                                                               \
    X(BlitFramebuffer, PFNGLBLITFRAMEBUFFERPROC)                                                   \
    X(BufferData, PFNGLBUFFERDATAPROC)                                                             \
    X(BufferSubData, PFNGLBUFFERSUBDATAPROC)                                                       \
    X(CheckFramebufferStatus, PFNGLCHECKFRAMEBUFFERSTATUSPROC)                                     \
    X(Clear, PFNGLCLEARPROC)                                                                       \
    X(ClearColor, PFNGLCLEARCOLORPROC)                                                             \
    X(ColorMask, PFNGLCOLORMASKPROC)                                                               \
    X(CompileShader, PFNGLCOMPILESHADERPROC)                                                       \
    X(CreateProgram, PFNGLCREATEPROGRAMPROC)                                                       \
    X(CreateShader, PFNGLCREATESHADERPROC)                                                         \
    X(DeleteBuffers, PFNGLDELETEBUFFERSPROC)                                                       \
    X(DeleteFramebuffers, PFNGLDELETEFRAMEBUFFERSPROC)                                             \
    X(DeleteProgram, PFNGLDELETEPROGRAMPROC)                                                       \
    X(DeleteRenderbuffers, PFNGLDELETERENDERBUFFERSPROC)                                           \
    X(DeleteSamplers, PFNGLDELETESAMPLERSPROC)                                                     \
    X(DeleteShader, PFNGLDELETESHADERPROC)                                                         \
    X(DeleteTextures, PFNGLDELETETEXTURESPROC)                                                     \
    X(DeleteVertexArrays, PFNGLDELETEVERTEXARRAYSPROC)                                             \
    X(DepthFunc, PFNGLDEPTHFUNCPROC)                                                               \
    X(DepthMask, PFNGLDEPTHMASKPROC)                                                               \
    X(DepthRangef, PFNGLDEPTHRANGEFPROC)                                                           \
    X(Disable, PFNGLDISABLEPROC)                                                                   \
    X(DrawArrays, PFNGLDRAWARRAYSPROC)                                                             \
    X(DrawArraysInstanced, PFNGLDRAWARRAYSINSTANCEDPROC)                                           \
    X(DrawBuffers, PFNGLDRAWBUFFERSPROC)                                                           \
    X(DrawElements, PFNGLDRAWELEMENTSPROC)                                                         \
    X(Enable, PFNGLENABLEPROC)                                                                     \
    X(EnableVertexAttribArray, PFNGLENABLEVERTEXATTRIBARRAYPROC)                                   \
    X(FramebufferRenderbuffer, PFNGLFRAMEBUFFERRENDERBUFFERPROC)                                   \
    X(FramebufferTexture2D, PFNGLFRAMEBUFFERTEXTURE2DPROC)                                         \
    X(GenBuffers, PFNGLGENBUFFERSPROC)                                                             \
    X(GenFramebuffers, PFNGLGENFRAMEBUFFERSPROC)                                                   \
    X(GenRenderbuffers, PFNGLGENRENDERBUFFERSPROC)                                                 \
    X(GenSamplers, PFNGLGENSAMPLERSPROC)                                                           \
    X(GenTextures, PFNGLGENTEXTURESPROC)                                                           \
    X(GenVertexArrays, PFNGLGENVERTEXARRAYSPROC)                                                   \
    X(GenerateMipmap, PFNGLGENERATEMIPMAPPROC)                                                     \
    X(GetError, PFNGLGETERRORPROC)                                                                 \
    X(GetIntegerv, PFNGLGETINTEGERVPROC)                                                           \
    X(GetProgramInfoLog, PFNGLGETPROGRAMINFOLOGPROC)                                               \
    X(GetProgramiv, PFNGLGETPROGRAMIVPROC)                                                         \
    X(GetShaderInfoLog, PFNGLGETSHADERINFOLOGPROC)                                                 \
    X(GetShaderiv, PFNGLGETSHADERIVPROC)                                                           \
    X(GetString, PFNGLGETSTRINGPROC)                                                               \
    X(GetUniformBlockIndex, PFNGLGETUNIFORMBLOCKINDEXPROC)                                         \
    X(GetUniformLocation, PFNGLGETUNIFORMLOCATIONPROC)                                             \
    X(LinkProgram, PFNGLLINKPROGRAMPROC)                                                           \
    X(PixelStorei, PFNGLPIXELSTOREIPROC)                                                           \
    X(ReadBuffer, PFNGLREADBUFFERPROC)                                                             \
    X(ReadPixels, PFNGLREADPIXELSPROC)                                                             \
    X(RenderbufferStorageMultisample, PFNGLRENDERBUFFERSTORAGEMULTISAMPLEPROC)                     \
    X(SamplerParameteri, PFNGLSAMPLERPARAMETERIPROC)                                               \
    X(ShaderSource, PFNGLSHADERSOURCEPROC)                                                         \
    X(StencilFunc, PFNGLSTENCILFUNCPROC)                                                           \
    X(StencilOp, PFNGLSTENCILOPPROC)                                                               \
    X(TexImage2D, PFNGLTEXIMAGE2DPROC)                                                             \
    X(TexParameteri, PFNGLTEXPARAMETERIPROC)                                                       \
    X(TexStorage2D, PFNGLTEXSTORAGE2DPROC)                                                         \
    X(Uniform1f, PFNGLUNIFORM1FPROC)                                                               \
    X(Uniform1i, PFNGLUNIFORM1IPROC)                                                               \
    X(Uniform2f, PFNGLUNIFORM2FPROC)                                                               \
    X(Uniform4f, PFNGLUNIFORM4FPROC)                                                               \
    X(UniformBlockBinding, PFNGLUNIFORMBLOCKBINDINGPROC)                                           \
    X(UniformMatrix4fv, PFNGLUNIFORMMATRIX4FVPROC)                                                 \
    X(UseProgram, PFNGLUSEPROGRAMPROC)                                                             \
    X(VertexAttribDivisor, PFNGLVERTEXATTRIBDIVISORPROC)                                           \
    X(VertexAttribPointer, PFNGLVERTEXATTRIBPOINTERPROC)                                           \
    X(Viewport, PFNGLVIEWPORTPROC)

#define SN_DECLARE_FUNCTION(name, type) type name;

// Both are filled once and const from then on.
typedef struct snEgl {
    SN_EGL_FUNCTIONS(SN_DECLARE_FUNCTION)
} snEgl;

typedef struct snGl {
    SN_GL_FUNCTIONS(SN_DECLARE_FUNCTION)
} snGl;

#undef SN_DECLARE_FUNCTION

// Both give SN_ERROR_UNSUPPORTED where the library or a function of it is missing, with what to
// install. `library` is a file name as for dlopen; NULL is the system's.
snStatus snEgl_Load(snEgl *egl, const char *library, snError *error);
// Asks EGL for each function, and `library` (libGLESv2) for what EGL does not know.
snStatus snGl_Load(snGl *gl, const snEgl *egl, const char *library, snError *error);

#endif
