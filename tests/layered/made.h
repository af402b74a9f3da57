// A small figure made by script, and documents compared as bytes: for the tests of this folder.
#ifndef SN_TESTS_LAYERED_MADE_H
#define SN_TESTS_LAYERED_MADE_H

#include "layered/fields.h"
#include "layered/figure.h"
#include "layered/file.h"
#include "layered/operations.h"
#include "layered/script.h"
#include "tests/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Everything that a document can have.
#define FIGURE                                                                                     \
    "settings title=\"a figure\" loop=yes duration=2 integrator=rk4 tolerance=0.01 pace=0.5\n"     \
    "joint add root parent=none at=0,0.1,0 turn=y:20\n"                                            \
    "joint add spine at=0,0.3,0\n"                                                                 \
    "joint add shoulder.l at=0.1,0.25,0 kind=ball axis=1,0,0\n"                                    \
    "joint set shoulder.l low=-30,-80,-80 high=90,80,80\n"                                         \
    "joint add elbow.l at=0.3,0,0 kind=hinge axis=0,1,0 limited=yes low=-150 high=0\n"             \
    "joint add hand.l at=0.25,0,0 kind=fixed\n"                                                    \
    "joint add top parent=spine at=0,0.5,0 kind=fixed size=1cm\n"                                  \
    "joint add bottom parent=root at=0,-0.1,0 kind=fixed size=1cm\n"                               \
    "muscle add trunk joint=spine at=0,0.1,0 shape=superellipsoid size=0.15,0.3,0.1 e1=0.8\n"      \
    "muscle set trunk taper=keys(0:0,1:0.3) twist=poly(shoulder.l.y:0,0.2,0.001)\n"                \
    "muscle add hip joint=root size=0.12\n"                                                        \
    "muscle add biceps.l joint=shoulder.l shape=cylinder at=0.15,0,0 size=4cm,12cm,4cm "           \
    "turn=z:90\n"                                                                                  \
    "muscle bulge biceps.l at=4cm,0,0 width=5cm height=map(elbow.l:-120:0.03,0:0)\n"               \
    "mirror left=.l right=.r\n"                                                                    \
    "skin create bottom=bottom top=top rows=8 columns=10\n"                                        \
    "skin attach\n"                                                                                \
    "skin fat near=0,0.4,0.1 radius=5cm amount=1cm\n"                                              \
    "skin paint stiffness=3e4 mass=1.5 near=0,0.5,0 radius=0.1\n"                                  \
    "skin mark spot.l at=0.05,0.5,0.1 turn=z:20 size=2cm,1cm,3cm edge=0.3 color=0,0.1,0\n"         \
    "skin set stiffness=keys(0:1,1:2)\nmirror left=.l right=.r\n"                                  \
    "pose reach hand.l to=0.3,0.8,0.3\n"                                                           \
    "posture keep up time=0 tension=0.5\n"                                                         \
    "pose reset\n"                                                                                 \
    "posture keep down time=1 bias=-0.25\n"

static inline void runScript(snEditor *editor, const char *text)
{
    snError error = {0};
    snScriptReport report;
    if (!CHECK(snScript_Run(editor, text, strlen(text), &report, &error) == SN_OK))
        printf("%s\n", error.message);
}

static inline snEditor makeEditor(const char *script)
{
    snEditor editor;
    snContext context = snDefaultContext();
    CHECK(snEditor_Make(&editor, &context, NULL) == SN_OK);
    runScript(&editor, script);
    return editor;
}

// A character of examples/characters, by its script; what the script reports.
static inline snEditor makeExample(const char *name, snScriptReport *report)
{
    char path[400];
    size_t size;
    snEditor editor;
    snError error = {0};
    snContext context = snDefaultContext();
    snprintf(path, sizeof path, "%s/examples/characters/%s.txt", SN_SOURCE_DIR, name);
    unsigned char *text = snTest_ReadFile(path, &size);
    CHECK(snEditor_Make(&editor, &context, NULL) == SN_OK);
    if (!CHECK(text && snScript_Run(&editor, (char *)text, size, report, &error) == SN_OK))
        printf("%s: %s\n", name, error.message);
    free(text);
    return editor;
}

static inline snBytes written(const snEditor *editor)
{
    snContext context = snDefaultContext();
    snBytes bytes = snMakeBytes(&context);
    snLayered_Write(&editor->layered, &bytes);
    CHECK(!bytes.failed);
    return bytes;
}

static inline bool isSame(const snBytes *a, const snBytes *b)
{
    return a->size == b->size && !memcmp(a->data, b->data, a->size);
}

#endif
