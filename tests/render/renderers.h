// A renderer, or none on a machine without EGL: the test is skipped then.
#ifndef SN_TESTS_RENDER_RENDERERS_H
#define SN_TESTS_RENDER_RENDERERS_H

#include "render/render.h"
#include "tests/test.h"

static inline bool makeRenderer(snRenderer **renderer, int size)
{
    snRendererDef def = snDefaultRendererDef();
    snError error;
    def.width = def.height = size;
    snStatus status = snRenderer_Make(renderer, &def, &error);
    if (status == SN_ERROR_UNSUPPORTED) snTest_Skip(error.message);
    return CHECK(status == SN_OK);
}

#endif
