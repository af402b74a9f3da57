#!/bin/sh
# sinew rig on a surface without a skin: proposed and given skeletons, wrong files, and the whole way
# to a bake.
. "$(dirname "$0")/lib.sh"
"$SINEW" rig --help >/dev/null 2>&1 || skip "this program has no command rig"
run 0 rig --help
grep -q -e '--skeleton-out' "$work/stdout" || fail "rig knows nothing of skeletons"
cd "$work" || exit 1

# A beam of 1 x 1 x 6.
cat >beam.obj <<'END'
v -0.5 -0.5 -3
v 0.5 -0.5 -3
v 0.5 0.5 -3
v -0.5 0.5 -3
v -0.5 -0.5 3
v 0.5 -0.5 3
v 0.5 0.5 3
v -0.5 0.5 3
f 4 3 2 1
f 5 6 7 8
f 1 2 6 5
f 2 3 7 6
f 3 4 8 7
f 4 1 5 8
END
run 0 info beam.obj
grep -q 'sinew rig' stdout || fail "info does not say what gives it a skin"
"$MAKE_DEMO" --bare bare.glb >make-demo.log
run 1 bake bare.glb -o wrong.glb
grep -q 'sinew rig' stderr || fail "bake does not say what gives it a skin"
run 2 rig beam.obj
run 2 rig beam.obj -o beam.obj
run 2 rig beam.obj -o beam.fbx
run 2 rig beam.obj --skeleton-out skeleton.glb
run 0 rig beam.obj --skeleton-out skeleton.json
[ -s skeleton.json ] || fail "no skeleton was written"
grep -q '"body"' skeleton.json || fail "the skeleton has no body"
run 0 rig beam.obj --skeleton skeleton.json --sway -o beam.glb
run 0 info beam.glb --json
grep -q 'test-sway' stdout || fail "the clip is missing"
run 2 rig beam.obj --skeleton skeleton.json --skeleton-out skeleton.json
run 0 rig beam.obj --json -o again.glb
grep -q '"proposed": true' stdout || fail "the summary does not say what was done"
run 0 rig beam.obj -j1 -o one.glb
cmp -s again.glb one.glb || fail "one thread gives another character"
run 0 bake beam.glb -q -o soft.glb
run 0 info soft.glb
grep -q 'test-sway.soft' stdout || fail "the soft clip is missing"

# Mistakes name their file and place, and write nothing.
printf '{"joints": [{"name": "a", "at": [0,0,0]}], "bones": [["a", "b"]]}' >wrong.json
run 1 rig beam.obj --skeleton wrong.json -o wrong.glb
grep -q 'wrong.json: bones\[0\]\[1\]: there is no joint' stderr || fail "the mistake is not named"
printf '{"joints": [{"name": "a", "at": [0,0,0]}, {"name": "b", "at": [0,0,1]}], "bones": []}' >apart.json
run 1 rig beam.obj --skeleton apart.json -o wrong.glb
grep -q "joint 'b' is not connected" stderr || fail "the lone joint is not named"
printf '{"joints": [{"name": "a", "at": [0,0,0]}, {"name": "far", "at": [0,50,0]}], "bones": [["a", "far"]]}' >far.json
run 1 rig beam.obj --skeleton far.json -o wrong.glb
grep -q "far.json: joints\[1\]: joint 'far' is outside the surface by 49.5 times its height" stderr ||
    fail "the joint far outside is not named"
printf '{"joints": [{"name": "a", "at": [0,0,0]}, {"name": "tip", "at": [0,0,3.01]}], "bones": [["a", "tip"]]}' >near.json
run 0 rig beam.obj --skeleton near.json -o near.glb
grep -q '^1 joint is outside' stdout || fail "the joint a little outside is not counted: $(cat stdout)"
run 1 rig beam.obj --skeleton missing.json -o wrong.glb
grep -q 'missing.json' stderr || fail "the missing file is not named"
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' >sheet.obj
run 1 rig sheet.obj -o wrong.glb
grep -q 'sheet.obj: the surface encloses no volume' stderr || fail "the sheet is not told"
[ ! -e wrong.glb ] || fail "a file was written in spite of an error"
finish
