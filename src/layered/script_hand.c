#include "layered/script_parts.h"

#include "core/error.h"
#include "core/suggest.h"
#include "layered/tool.h"

#include <string.h>

// What a hand does, as a line: taken at one place, let go at another.
//
//     drag pose eye=0,1,4 at=0.3,0.6,0 to=0.2,0.8,0      a mouse: rays from the eye through both places
//     drag pose at=0.3,0.6,0 to=0.2,0.8,0 to-turn=y:30   a controller: where its tip was and is
//
// A move goes there in one: drags do not depend on the way, and brushes are spread over it.

#define STROKES 8 // places of a brush between both

static snStatus findAction(snCall *call, snDragAction *action)
{
    const char *names[SN_DRAG_ACTIONS];
    for (int i = 0; i < SN_DRAG_ACTIONS; i++) {
        names[i] = snDragAction_Name((snDragAction)i);
        if (strcmp(call->name, names[i])) continue;
        *action = (snDragAction)i;
        return SN_OK;
    }
    return snFail(call->error, SN_ERROR_ARGUMENT, "\"%.40s\" is nothing that a hand does%s",
                  call->name,
                  snHint_Of("", snSuggest(call->name, names, SN_DRAG_ACTIONS), "").text);
}

static snTool toolAt(const snCall *call, snVec3 place, snQuat turn)
{
    const snExtra *extra = &call->extra;
    return snCall_Has(call, "eye") ? snToolRay(extra->eye, snSub(place, extra->eye))
                                   : snToolPose(place, turn);
}

static snQuat lastTurn(const snCall *call)
{
    return snCall_Has(call, "to-turn") ? call->extra.toTurn : call->extra.turn;
}

static snDragDef describe(const snCall *call, snDragAction action)
{
    const snExtra *extra = &call->extra;
    snDragDef def = {.action = action,
                     .shape = extra->shape,
                     .aims = extra->aim + 1,
                     .childrenStay = extra->children,
                     .hanging = (snHanging)extra->hanging,
                     .radius = extra->radius,
                     .rate = snCall_Has(call, "amount") ? extra->amount / extra->held : 0,
                     .skin = snDefaultSkinMakeDef()};
    def.depth = snDistance(extra->eye, extra->at);
    def.skin.rows = extra->rows;
    def.skin.columns = extra->columns;
    return def;
}

// From the first place to the last.
static snStatus lead(snCall *call, snDrag *drag)
{
    const snExtra *extra = &call->extra;
    bool moves = snCall_Has(call, "to");
    int count = moves ? STROKES : 1;
    snStatus status = SN_OK;
    for (int i = 1; i <= count && !status; i++) {
        snVec3 place = moves ? snLerp(extra->at, extra->to, (double)i / count) : extra->at;
        status = snDrag_Move(drag, toolAt(call, place, lastTurn(call)), extra->held / count,
                             call->error);
    }
    return status;
}

// A joint that another clause of a pose holds: taken, and led to its place.
static snStatus addGrip(snCall *call, snDrag *drag)
{
    const snExtra *extra = &call->extra;
    snTool tool = toolAt(call, extra->at, extra->turn);
    snToolPick pick;
    int grip;
    snStatus status =
        snEditor_Pick(call->editor, tool, SN_PICK_JOINTS, extra->reach, &pick, call->error);
    if (!status) status = snDrag_Grip(drag, pick, extra->aim + 1, tool, &grip, call->error);
    snVec3 to = snCall_Has(call, "to") ? extra->to : extra->at;
    if (!status)
        status = snDrag_MoveGrip(drag, grip, toolAt(call, to, lastTurn(call)), 0, call->error);
    return status;
}

static void noteGrips(snCall *call, const snDrag *drag)
{
    for (int i = 0; i < drag->gripCount && drag->def.action == SN_DRAG_POSE; i++)
        snCall_NoteReach(call, &drag->grips[i].reach);
}

// The first clause begins the drag, the last one ends it.
snStatus snCall_Drag(snCall *call)
{
    snDragAction action = SN_DRAG_MOVE;
    snDrag *drag = &call->drag;
    snStatus status = findAction(call, &action);
    if (!(call->extra.held > 0)) call->extra.held = 1;
    if (!status && !snCall_Has(call, "at"))
        status = snFail(call->error, SN_ERROR_ARGUMENT, "at is missing: where the hand is");
    if (!status && call->clauseCount && action != SN_DRAG_POSE)
        status = snFail(call->error, SN_ERROR_ARGUMENT, "only poses have several hands");
    if (!status && !call->clauseCount) {
        snDragDef def = describe(call, action);
        snTool tool = toolAt(call, call->extra.at, call->extra.turn);
        status = snDrag_Take(drag, call->editor, &def, tool, call->extra.reach, call->error);
        if (status) return status;
        call->dragging = true;
        status = lead(call, drag);
    } else if (!status) {
        status = addGrip(call, drag);
    }
    if (!call->dragging || (!status && call->more)) return status;
    call->dragging = false;
    snStatus ended = snDrag_End(drag, !status, status ? NULL : call->error);
    if (!status && !ended) noteGrips(call, drag);
    return status ? status : ended;
}
