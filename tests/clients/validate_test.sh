#!/bin/sh
# The Khronos validator finds no errors in what was baked (bake_test.sh) that the input did not have.
. "$(dirname "$0")/../cli/lib.sh"
for input in "$BAKED"/*.in.glb; do
    name=$(basename "$input" .in.glb)
    code=0
    "$SOURCE/tools/validate.sh" --baseline "$input" "$BAKED/$name.glb" >"$work/report" || code=$?
    [ "$code" != 77 ] || skip "the validator is not to be had here"
    head -n 1 "$work/report" | sed "s|^.*/||"
    [ "$code" = 0 ] || {
        fail "$name: new errors"
        cat "$work/report"
    }
done
finish
