// A control's state, and what is told of it.
#include "control/control.h"
#include "core/error.h"
#include "core/hash.h"

#include <string.h>

const char *snGoalReason_Text(snGoalReason reason)
{
    static const char *const texts[SN_REASONS] = {"done",
                                                  "the target is out of reach",
                                                  "its time ran out",
                                                  "the point is held already",
                                                  "the points did not come near enough",
                                                  "there is nothing to let go",
                                                  "a body could not be computed",
                                                  "no attachment is left"};
    return reason >= 0 && reason < SN_REASONS ? texts[reason] : "?";
}

const char *snGoalKind_Name(snGoalKind kind)
{
    static const char *const names[SN_GOAL_KINDS] = {
        "chase", "connect", "grab", "disconnect", "move", "strike", "wait", "switch", "repeat"};
    return kind >= 0 && kind < SN_GOAL_KINDS ? names[kind] : "?";
}

const snGoalState *snControl_Goal(const snControl *control, int script, int goal)
{
    return &control->goals[control->scripts[script].first + goal];
}

bool snControl_Runs(const snControl *control)
{
    bool runs = false;
    for (int s = 0; s < control->scriptCount; s++)
        runs |= control->scriptStates[s].phase == SN_SCRIPT_RUNS;
    return runs;
}

size_t snControl_SaveSize(const snControl *control)
{
    return control->blockSize;
}

void snControl_Save(const snControl *control, void *bytes)
{
    memcpy(bytes, control->block, control->blockSize);
}

snStatus snControl_Restore(snControl *control, const void *bytes, size_t size, snError *error)
{
    if (size != control->blockSize)
        return snFail(error, SN_ERROR_FORMAT,
                      "%zu bytes are not the state of these scripts, of %zu", size,
                      control->blockSize);
    memcpy(control->block, bytes, size);
    return SN_OK;
}

uint64_t snControl_Hash(const snControl *control)
{
    return snHash(SN_HASH_BEGIN, control->block, control->blockSize);
}
