#include "layered/tool.h"

#include "core/error.h"

// What a tool does to the skin: brushes that act as they go, a band that is led to a muscle, a skin from joint to joint; and clicks.

#define FAR 1e6
#define SMOOTH_RATE 10.0 // 1/s, where none is given: a second of it is ten rounds

// ---- brushes ----------------------------------------------------------------------------------------

// Clockwise about its own axis, as the hand sees it, adds.
static double signOf(const snDrag *drag, snTool tool)
{
    if (tool.isRay) return 1;
    snQuat turn = snMulQQ(snConjugate(drag->grips->first.rotation), tool.rotation);
    return turn.z * turn.w > 0 ? -1 : 1; // about +z, which points back at the hand
}

static snStatus smooth(snDrag *drag, snBrush brush, double seconds, snError *error)
{
    double amount = (drag->def.rate > 0 ? drag->def.rate : SMOOTH_RATE) * seconds;
    if (!(amount > 0)) return SN_OK;
    return snEdit_Smooth(drag->editor, brush, amount < 1 ? amount : 1, error);
}

snStatus snDrag_Stroke(snDrag *drag, snTool tool, double seconds, snError *error)
{
    int count;
    snToolPick pick;
    snEditor *editor = drag->editor;
    snStatus status = snEditor_Pick(editor, tool, SN_PICK_POINTS, FAR, &pick, error);
    if (status || pick.kind != SN_PICKED_POINT) return status;
    snBrush brush = {pick.place, drag->def.radius};
    switch (drag->def.action) {
    case SN_DRAG_FAT:
        return snEdit_AddFat(editor, brush, signOf(drag, tool) * drag->def.rate * seconds, error);
    case SN_DRAG_TIE:
        return snEdit_Attach(editor, brush, FAR, &count, error);
    case SN_DRAG_UNTIE:
        return snEdit_Detach(editor, brush, &count, error);
    default:
        return smooth(drag, brush, seconds, error);
    }
}

// ---- a band, a skin ---------------------------------------------------------------------------------

// Bands are tied with the figure at rest; the muscle is picked as it stands now. Its place in its own undeformed frame is the
// same in both.
static snStatus attach(snDrag *drag, snTool tool, snError *error)
{
    snToolPick pick;
    snFigure figure;
    snStatus status = snEditor_Pick(drag->editor, tool, SN_PICK_MUSCLES, FAR, &pick, error);
    if (status || pick.kind != SN_PICKED_MUSCLE) return status;
    status = snFigure_Build(&figure, &drag->editor->layered, error);
    if (status) return status;
    snVec3 foot = snMuscle_Source(&figure.muscles[pick.row], pick.place);
    snFigure_SetRest(&figure);
    foot = snMuscle_Place(&figure.muscles[pick.row], foot);
    snFigure_Destroy(&figure);
    return snEdit_AttachPoint(drag->editor, drag->grips->pick.row, pick.row, foot, error);
}

// Only which joint it would end at: making one takes longer than hands like to wait.
static snStatus findTop(snDrag *drag, snTool tool, snError *error)
{
    snToolPick pick;
    snStatus status = snEditor_Pick(drag->editor, tool, SN_PICK_JOINTS, FAR, &pick, error);
    bool other = pick.kind == SN_PICKED_JOINT && pick.row != drag->grips->pick.row;
    drag->top = !status && other ? pick.row : -1;
    return status;
}

snStatus snDrag_MakeSkin(snDrag *drag, snError *error)
{
    snSkinMakeDef def = snDefaultSkinMakeDef();
    if (drag->top < 0)
        return snFail(error, SN_ERROR_ARGUMENT,
                      "a skin is dragged from its bottom joint to its top one");
    if (drag->def.skin.rows || drag->def.skin.columns) def = drag->def.skin;
    def.bottom = drag->grips->pick.row;
    def.top = drag->top;
    return snEdit_CreateSkin(drag->editor, &def, error);
}

// ---- clicks -----------------------------------------------------------------------------------------

static snStatus selectJoint(snDrag *drag, snError *error)
{
    const snToolPick *pick = &drag->grips->pick;
    return snEdit_SelectJoint(drag->editor, pick->kind == SN_PICKED_JOINT ? pick->row : -1, error);
}

static snStatus takeAway(snDrag *drag, snError *error)
{
    const snToolPick *pick = &drag->grips->pick;
    return pick->kind == SN_PICKED_JOINT
               ? snEdit_DeleteJoint(drag->editor, pick->row, drag->def.hanging, error)
               : snEdit_DeleteMuscle(drag->editor, pick->row, error);
}

snStatus snDrag_Act(snDrag *drag, snTool tool, snError *error)
{
    switch (drag->def.action) {
    case SN_DRAG_ATTACH:
        return attach(drag, tool, error);
    case SN_DRAG_SKIN:
        return findTop(drag, tool, error);
    case SN_DRAG_SELECT:
        return selectJoint(drag, error);
    case SN_DRAG_DELETE:
        return takeAway(drag, error);
    case SN_DRAG_DOUBLE:
        return snEdit_DoubleSkin(drag->editor, error);
    case SN_DRAG_HALVE:
        return snEdit_HalveSkin(drag->editor, error);
    default:
        return SN_OK;
    }
}
