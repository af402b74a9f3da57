#!/bin/sh
# Options that no other test calls: each does what its help says, seen in the bytes that are written, the summary or the sidecar.
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1

# differ A B WHAT: both are there, and not the same.
differ() {
    [ -s "$1" ] && [ -s "$2" ] || fail "$3: $1 or $2 was not written"
    if cmp -s "$1" "$2"; then fail "$3 changes nothing"; fi
}

# ---- bake ----
make_tube tube.glb
# bake_as NAME OPTIONS...: a few frames of few cells.
bake_as() {
    name=$1
    shift
    run 0 bake tube.glb --cells 60 --to 0.3s --no-loop "$@" -o "$name.pc2"
}
# keeps NAME KEY VALUE: the sidecar tells of it, and a bake by the sidecar gives the same bytes.
keeps() {
    grep -q "\"$2\": $3" "$1.sinew.json" || fail "the sidecar does not keep $2: $(grep "\"$2\"" "$1.sinew.json")"
    run 0 bake tube.glb --with "$1.sinew.json" --no-sidecar -o again.pc2
    cmp -s "$1.pc2" again.pc2 || fail "$2: by its sidecar the bake is another"
}
bake_as plain
bake_as damped --damping 20
differ plain.pc2 damped.pc2 "bake --damping"
keeps damped damping 20
bake_as searched --iterations 9
differ plain.pc2 searched.pc2 "bake --iterations"
keeps searched iterations 9
bake_as turned --matrix turned
bake_as scalar --matrix scalar
differ turned.pc2 scalar.pc2 "bake --matrix"
keeps turned matrix '"turned"'
run 2 bake tube.glb --matrix round -o none.pc2
bake_as single --precision single
bake_as double --precision double
differ single.pc2 double.pc2 "bake --precision"
keeps single precision '"single"'
# To rounding they are the same: floats of both files differ in their last bytes alone.
cmp -l single.pc2 double.pc2 | awk '($1 - 1) % 4 == 3 { n++ } END { exit n > 0 }' || fail "bake --precision single is far off"

# A root that is elsewhere within a frame: flesh is carried along, or feels it.
cat >jump.bvh <<'END'
HIERARCHY
ROOT root
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT spine
  {
    OFFSET 0 2 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    End Site
    {
      OFFSET 0 1.8 0
    }
  }
}
MOTION
Frames: 8
Frame Time: 0.033333
0 0 0 0 0 0 0 0 0
0 0 0 0 0 0 0 0 0
0 0 0 0 0 0 0 0 0
9 0 0 0 0 0 0 0 0
9 0 0 0 0 0 0 0 0
9 0 0 0 0 0 0 0 0
9 0 0 0 0 0 0 0 0
9 0 0 0 0 0 0 0 0
END
for carry in "" --no-carry; do
    # shellcheck disable=SC2086 # no option, or one
    run 3 bake tube.obj --skeleton jump.bvh --skeleton-scale 1 --skeleton-offset 0,0.1,0 --cells 60 --no-loop $carry -o "jump$carry.pc2"
    cp stdout "jump$carry.txt"
done
grep -q 'carried' jump.txt || fail "a jump is not told of: $(cat jump.txt)"
grep -q 'carried' jump--no-carry.txt && fail "--no-carry carries: $(cat jump--no-carry.txt)"
differ jump.pc2 jump--no-carry.pc2 "bake --no-carry"

# ---- rig ----
run 0 rig tube.glb --cells 60 -o plain.rig.json
run 0 rig tube.glb --cells 60 --damping 20 -o damped.rig.json
grep -q '"damping": 20' damped.rig.json || fail "rig --damping is not in the document"
differ plain.rig.json damped.rig.json "rig --damping"
run 0 bake tube.glb --rig damped.rig.json --to 0.3s --no-loop -o ruled.pc2
cmp -s damped.pc2 ruled.pc2 || fail "the damping of a rig document is another one than bake's"

# ---- run: a quarter of a second simulated in one of the clock ----
cat >fall.json <<'END'
{"sinew": "scene", "version": 1, "duration": "0.6 s", "bodies": [{"name": "b", "box": {"size": [1, 1, 1], "cells": [1, 1, 1]}}]}
END
began=$(date +%s)
run 0 run fall.json --realtime --pace 0.25
took=$(($(date +%s) - began)) # of 2.4 s
[ "$took" -ge 2 ] || fail "run --pace 0.25: 0.6 s took $took s"

# ---- coat ----
echo '{"joints": [{"name": "a", "at": [0, 1, 0]}, {"name": "b", "at": [0.3, 1, 0]}, {"name": "c", "at": [0.6, 1, 0]}], "bones": [["a", "b"], ["b", "c"]]}' >arm.json
run 0 coat arm.json -o thin.coat.json
run 0 coat arm.json --thickness 2 -o thick.coat.json
thin=$(grep -m 1 '"width"' thin.coat.json | tr -dc '0-9., ' | cut -d, -f1)
thick=$(grep -m 1 '"width"' thick.coat.json | tr -dc '0-9., ' | cut -d, -f1)
awk -v a="$thin" -v b="$thick" 'BEGIN { exit !(a > 0 && b > 1.9 * a && b < 2.1 * a) }' || fail "coat --thickness 2: $thick of $thin"

# ---- build ----
cat >ball.txt <<'END'
settings duration=0.1
joint add low parent=none at=0,-0.11,0 kind=fixed size=4cm
joint add high at=0,0.22,0 kind=fixed size=4cm
muscle add ball joint=low at=0,0.11,0 size=0.1 color=0.8,0.1,0.1
skin create bottom=low top=high rows=6 columns=8
skin attach
posture keep a time=0
posture keep b time=0.1
END
run 0 build ball.txt --smooth 0 --cache coarse.pc2
run 0 build ball.txt --smooth 2 --cache fine.pc2
[ "$(wc -c <fine.pc2)" -gt $((4 * $(wc -c <coarse.pc2))) ] || fail "build --smooth 2: $(wc -c <fine.pc2) bytes, without $(wc -c <coarse.pc2)"
run 2 build ball.txt --smooth 9 --cache none.pc2
if "$SINEW" build ball.txt --picture plain.png --panels 1 --size 64x48 >/dev/null 2>&1; then
    run 0 build ball.txt --picture glass.png --panels 1 --size 64x48 --glass
    differ plain.png glass.png "build --glass"
    run 0 build ball.txt --picture above.png --panels 1 --size 64x48 --view 30,60
    differ plain.png above.png "build --view"
fi
run 2 build ball.txt --picture none.png --view sideways
finish
