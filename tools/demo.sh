#!/bin/sh
# make demo: generates the demo character, gives it flesh, and takes pictures of it.
set -eu
cd "$(dirname "$0")/.."
sinew=build/sinew
make_demo=build/tools/make-demo
mkdir -p out
rm -f out/character.glb out/demo.glb out/demo.*.pc2 out/demo.png

$make_demo out/character.glb
echo "baking all of its clips ..."
$sinew bake out/character.glb --json -o out/demo.glb -o out/demo.pc2 >out/demo.json

# A machine without a working EGL gets everything but the pictures.
picture="and out/demo.png, a film strip"
if ! $sinew render out/demo.glb --clip shake.soft --from 0.5 --to 1.38 -o out/demo.png >out/render.log 2>&1; then
    cat out/render.log >&2
    grep -q -i egl out/render.log || exit 1
    picture="but no film strip, for want of a working EGL"
fi
rm -f out/render.log

number() { sed -n "s/.*\"$1\": *\([0-9.eE+-]*\).*/\1/p" out/demo.json | head -n 1; }
echo
echo "Made out/demo.glb, which plays in any glTF viewer, out/demo.body.pc2 and out/demo.face.pc2, point caches, $picture."
awk -v motion="$(number simulatedSeconds)" -v bake="$(number bakeSeconds)" \
    -v build="$(number buildSeconds)" 'BEGIN {
    printf "Took %.1f s to build its flesh, and %.1f s for %.1f s of motion: ", build, bake, motion
    printf "%.1f times as fast as real time.\n", motion / bake }'
echo "Try next: $sinew bake out/character.glb --clip hop --wobble 2 -o out/wobbly.glb, or a .glb of your own."
