#!/bin/sh
# The sidecar: a bake by it gives the same bytes, edits act, the command line overrules it, and what is
# wrong in it is named. Also --dry-run, which writes nothing.
. "$(dirname "$0")/lib.sh"

make_tube "$work/tube.glb"
cd "$work"
few="--cells 150 --fps 10 --steps 40"

# edit FROM TO: a copy of the sidecar, edited.sinew.json, with the first text replaced.
edit() {
    sed "s/$1/$2/" first.sinew.json >edited.sinew.json
    cmp -s first.sinew.json edited.sinew.json && fail "there is no $1 to edit"
    return 0
}

# frames: of the summary in stdout.
frames() {
    sed -n 's/.*"frames": \([0-9]*\),.*/\1/p' stdout | head -n 1
}

# ---- the same again ----
# shellcheck disable=SC2086
run 0 bake tube.glb $few --chain 0,0=twice --clip 0 --wobble spine_6=6 --material spine_3=fat --feel subtle \
    --height 1.7m --twist 9 --preroll 3f --loop-tolerance 0.002 --anchor bottom --floor 0.1 -o first.glb -o first.pc2
run 0 bake tube.glb --with first.sinew.json -o second.glb -o second.pc2 --threads 1
for kind in glb pc2; do
    cmp first.$kind second.$kind || fail "the same sidecar gives other bytes in .$kind"
done
sed 's/"second\./"first./' second.sinew.json | cmp - first.sinew.json || fail "the sidecar itself differs"
grep -q '"--anchor=bottom"' first.sinew.json || fail "an option that no section holds is not kept"

# Without -o: the outputs of the sidecar, over themselves.
cp first.glb before.glb
run 0 bake tube.glb --with first.sinew.json
cmp first.glb before.glb || fail "baked in place, the bytes differ"
sed 's/"second\./"first./' second.sinew.json | cmp - first.sinew.json || fail "the sidecar in place differs"

# ---- edits ----
edit '"fps": 10' '"fps": 5'
run 0 bake tube.glb --with edited.sinew.json --json -o edited.glb
half=$(frames)
run 0 bake tube.glb --with edited.sinew.json --fps 10 --json -o edited.glb
[ "$(frames)" -gt "$half" ] || fail "the command line does not overrule the sidecar"
cmp -s first.glb edited.glb || fail "overruled back to what it was, it is not the same"
edit '"wobble": 4.8[0-9]*' '"wobble": 2'
run 0 bake tube.glb --with edited.sinew.json -o edited.glb
cmp -s first.glb edited.glb && fail "another wobble changes nothing"
edit '"material": "fat"' '"material": "jelly"'
run 0 bake tube.glb --with edited.sinew.json -o edited.glb
edit '"cells": 150,' '"cells": 400,'
run 0 bake tube.glb --with edited.sinew.json --json -o edited.glb
[ "$(sed -n 's/.*"cells": \([0-9]*\),.*/\1/p' stdout)" -gt 280 ] || fail "more cells are not made"
edit '"solver": "projective"' '"solver": "newton"'
run 0 bake tube.glb --with edited.sinew.json -o edited.glb
cmp -s first.glb edited.glb && fail "another solver changes nothing"
edit '"tolerance": 0.005' '"tolerance": 0.05'
run 0 bake tube.glb --with edited.sinew.json --clip twice --json -o edited.glb
[ "$(grep -c '"loopGap"' stdout)" = 1 ] || fail "clips of the command line do not replace those of the sidecar"

# ---- what is wrong with them ----
# refuses FROM TO MESSAGE: a sidecar with this in place of that is refused by a message that says so.
refuses() {
    edit "$1" "$2"
    run 1 bake tube.glb --with edited.sinew.json -o edited.glb
    grep -q "edited.sinew.json: $3" stderr || fail "$2: it is not said that $3, but: $(cat stderr)"
}
refuses '"fps": 10' '"fsp": 10' 'time: there is nothing called "fsp"; did you mean "fps"?'
refuses '"iterations": 3' '"iterations": 3000' 'solver.iterations: it is 3000; it must be from 1 to 100'
refuses '"material": "fat"' '"material": "fatt"' 'rig.parts.spine_3.material: '
refuses '"spine_3": {' '"spin": {' 'rig.parts.spin: '
edit '"--anchor=bottom"' '"--anchro=bottom"'
run 2 bake tube.glb --with edited.sinew.json -o edited.glb
grep -q 'did you mean --anchor' stderr && grep -q 'stands in edited.sinew.json: options\[1\]' stderr ||
    fail "no place of an option: $(cat stderr)"
run 1 bake tube.glb --with missing.sinew.json -o edited.glb
edit '"hash": "[0-9a-f]*"' '"hash": "00"'
run 0 bake tube.glb --with edited.sinew.json -o edited.glb
grep -q 'warning: tube.glb is not the file that edited.sinew.json was made from' stderr || fail "another file is no warning"
cmp first.glb edited.glb || fail "a warning changes the result"

for path in ..\\/first.glb \\/nowhere\\/first.glb a\\/..\\/..\\/first.glb; do
    edit '"first.glb"' "\"$path\""
    run 2 bake tube.glb --with edited.sinew.json
    grep -q 'outputs\[0\]: .* is in another folder' stderr || fail "$path is written to: $(cat stderr)"
done
edit '"first.glb"' "\"$(pwd | sed 's/\//\\\//g')\/first.glb\"" # absolute, but beside the sidecar
run 0 bake tube.glb --with edited.sinew.json

# ---- where it goes ----
# shellcheck disable=SC2086
run 0 bake tube.glb $few --clip 0 --no-sidecar -o plain.glb
[ -e plain.sinew.json ] && fail "--no-sidecar writes one"
# shellcheck disable=SC2086
run 0 bake tube.glb $few --clip 0 --sidecar elsewhere.json -o plain.####.obj --to 0.2s
[ -s elsewhere.json ] && [ ! -e plain.sinew.json ] || fail "--sidecar does not place it"
run 0 bake tube.glb --with elsewhere.json -o plain.####.obj
[ -s plain.sinew.json ] || fail "the signs of a sequence are in the sidecar's name"
run 2 bake tube.glb --rig first.sinew.json -o first.glb # would be overwritten
run 0 bake tube.glb --rig first.sinew.json --no-sidecar --fps 10 --steps 40 --clip 0 --to 0.1s -o rigged.pc2
run 2 bake tube.glb --sidecar demo.txt -o a.glb
run 1 bake tube.glb --sidecar nowhere/a.json -o a.glb

# ---- a dry run ----
mkdir dry
# shellcheck disable=SC2086
run 0 bake tube.glb $few --dry-run -o dry/a.glb -o dry/a.pc2
grep -q 'would write dry/a.pc2' stdout && grep -q 'cells' stdout || fail "a dry run says too little"
# shellcheck disable=SC2086
run 0 bake tube.glb $few --dry-run --json -o dry/a.glb
grep -q '"bakeSeconds"' stdout || fail "a dry run for programs says too little"
[ -z "$(ls -A dry)" ] || fail "a dry run writes"

finish
