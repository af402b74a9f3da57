// What the pieces of docs/building-characters.md speak of without saying where it comes from.
#include "layered/editor.h"
#include "layered/tool.h"

static snEditor *editor;
static snError error;
static snView view;
static double x, y, x2, y2, seconds;
