#!/bin/sh
# make demo: generates the demo character, gives it flesh, and takes pictures of it.
set -eu
cd "$(dirname "$0")/.."
sinew=build/sinew
make_demo=build/tools/make-demo
mkdir -p out
rm -f out/character.glb out/demo.glb out/demo.pc2 out/demo.png

$make_demo out/character.glb
begin=$(date +%s%N)
$sinew bake out/character.glb -o out/demo.glb -o out/demo.pc2
end=$(date +%s%N)

# A machine without a working EGL gets everything but the pictures.
made="out/demo.glb (for any glTF viewer), out/demo.pc2 (a point cache)"
if $sinew render out/demo.glb -o out/demo.png 2>out/render.log; then
    made="$made and out/demo.png (a film strip)"
elif grep -q -i egl out/render.log; then
    cat out/render.log >&2
    made="$made; no film strip, because there is no working EGL here"
else
    cat out/render.log >&2
    exit 1
fi
rm -f out/render.log

echo "Made $made."
