#!/bin/sh
# What bake writes passes the Khronos validator: no errors at all for the demo, and for characters of
# others none that they did not have before.
. "$(dirname "$0")/lib.sh"

# check INPUT: bakes it and validates the result against it. A coarse lattice will do: it
# makes other numbers, not another file.
check() {
    run 0 bake "$1" --cells 500 -o "$work/soft.glb"
    run 0 bake "$1" --cells 500 --clip 0 --as bones --bones 4 -o "$work/bones.glb"
    for name in soft bones; do
        code=0
        "$SOURCE/tools/validate.sh" --baseline "$1" "$work/$name.glb" || code=$?
        [ "$code" != 77 ] || skip "the validator is not to be had here"
        [ "$code" = 0 ] || fail "$1: the baked file is not valid ($name)"
    done
}

"$MAKE_DEMO" "$work/demo.glb" >"$work/make-demo.log"
code=0
"$SOURCE/tools/validate.sh" "$work/demo.glb" || code=$?
[ "$code" != 77 ] || skip "the validator is not to be had here"
[ "$code" = 0 ] || fail "the demo character itself is not valid"
check "$work/demo.glb"
names="Fox CesiumMan RiggedSimple"
[ -z "${SINEW_WHOLE:-}" ] || names="$names Cow RiggedFigure"
for name in $names; do
    if [ -f "$ASSETS/$name.glb" ]; then
        check "$ASSETS/$name.glb"
    else
        echo "no $name.glb here: left out"
    fi
done

finish
