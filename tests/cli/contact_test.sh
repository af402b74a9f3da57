#!/bin/sh
# Floors and props from the command: what is visible stays above the floor, loops close, sidecars and
# threads give the same bytes, names that are not there are refused.
. "$(dirname "$0")/lib.sh"
cd "$work"
make_tube tube.glb

task="bake tube.glb --cells 150 --clip 0"
run 0 $task --floor 0.2 --self --friction 0.3 -j1 -o a.pc2 --sidecar a.sinew.json
grep -q 'floor at 0.2' stdout || fail "the floor is not told: $(cat stdout)"
run 0 $task --floor 0.2 --self --friction 0.3 -j2 -o b.pc2 --no-sidecar
cmp a.pc2 b.pc2 || fail "one and two threads give different bytes"
run 0 bake tube.glb --with a.sinew.json -o c.pc2 --no-sidecar
cmp a.pc2 c.pc2 || fail "the sidecar gives different bytes"
# Heights of all vertices of all frames, little-endian floats behind 32 bytes.
od -An -v -tf4 -w12 -j32 a.pc2 | awk '$2 < 0.2 - 1e-5 { bad++ } END { exit bad > 0 }' ||
    fail "vertices are below the floor"
run 0 $task -o d.pc2 --no-sidecar
od -An -v -tf4 -w12 -j32 d.pc2 | awk '$2 < 0.2 - 1e-5 { bad++ } END { exit bad == 0 }' ||
    fail "nothing would be below the floor anyway"

run 2 $task --floor high -o e.pc2
grep -q 'auto' stderr || fail "it is not said what a floor may be"
run 1 $task --collider wall -o e.pc2 --no-sidecar
grep -q 'collider "wall"' stderr || fail "the collider that is not there is not named"
run 1 $task --collider '*' -o e.pc2 --no-sidecar
grep -q 'none is left' stderr || fail "all meshes as colliders: $(cat stderr)"
run 1 $task --floor auto --solver linear -o e.pc2 --no-sidecar
grep -q 'projective' stderr || fail "it is not said which solvers know contact"
# Before anything is made of it.
run 1 $task --self --details 1 -o e.pc2 --no-sidecar
grep -q 'details' stderr || fail "contact with details: $(cat stderr)"
# Gravity acts in full motion alone; elsewhere it is said, and changes nothing.
run 0 $task --gravity 981 -o g.pc2 --no-sidecar
grep -q -e '--motion full' stderr || fail "gravity is left out silently: $(cat stderr)"
cmp d.pc2 g.pc2 || fail "gravity acts in secondary motion"

finish
