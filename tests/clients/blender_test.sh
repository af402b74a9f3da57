#!/bin/sh
# Blender plays the soft clips and the point caches, and agrees with them: blender.py.
. "$(dirname "$0")/../cli/lib.sh"
"$SOURCE/tools/clients.sh" present blender 2>"$work/why" || skip "$(cat "$work/why")"
code=0
blender --background --factory-startup --python-exit-code 1 --python "$(dirname "$0")/blender.py" -- "$BAKED" \
    >"$work/log" 2>&1 || code=$?
grep -e '^ *sinew:' "$work/log" | sed 's/^ *sinew: //'
[ "$code" = 0 ] || {
    tail -n 30 "$work/log"
    fail "blender: exit code $code"
}
finish
