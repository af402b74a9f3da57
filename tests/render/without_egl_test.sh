#!/bin/sh
# On a machine without EGL the program starts, says why it cannot draw, and does everything else.
# Files that are no libraries take the place of EGL and OpenGL ES: the loader finds them first.
. "$(dirname "$0")/../cli/lib.sh"

mkdir "$work/libraries"
for name in libEGL.so.1 libEGL.so libGLESv2.so.2 libGLESv2.so; do
    echo "not a library" >"$work/libraries/$name"
done
export LD_LIBRARY_PATH="$work/libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"

"$MAKE_DEMO" "$work/character.glb" >/dev/null || fail "make-demo does not run"
run 0 info "$work/character.glb"
grep -q 'walk' "$work/stdout" || fail "info does not name the clip"
run 0 bake "$work/character.glb" --clip walk --cells 200 -o "$work/soft.glb"
[ -s "$work/soft.glb" ] || fail "bake writes nothing"
run 1 render "$work/soft.glb" -o "$work/picture.png"
grep -q 'no EGL for pictures (.*libEGL.so.1.*): install libegl1, ' "$work/stderr" ||
    fail "render does not say what to install: $(cat "$work/stderr")"
[ ! -e "$work/picture.png" ] || fail "a picture was written"

finish
