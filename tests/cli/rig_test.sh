#!/bin/sh
# sinew rig, rig documents, and options about parts: round trips, and clear errors for bad ones.
. "$(dirname "$0")/lib.sh"

"$MAKE_DEMO" "$work/demo.glb" >"$work/make-demo.log"
demo="$work/demo.glb"

# says PATTERN: what was printed on either stream has it.
says() {
    grep -q -e "$1" "$work/stdout" "$work/stderr" || {
        fail "expected \"$1\", got:"
        cat "$work/stdout" "$work/stderr"
    }
}

run 0 rig "$demo" --cells 500 -o "$work/demo.rig.json"
says 'each a chain of lattice edges'
says 'the body .*springs hold it' # a head that is drawn to its bone, in few cells
says 'ear_L_1 .* free'
says '^[0-9]* % of the mass is on vertices that follow no bone'
run 0 rig "$demo" --cells 500 --json
says '"missingBoneEdges": 0'
says '"pointsOutside": 0'

# What was written builds the same flesh, to the bit, and is written the same again.
run 0 bake "$demo" --cells 500 --clip walk -q -o "$work/a.pc2"
run 0 bake "$demo" --rig "$work/demo.rig.json" --clip walk -q -o "$work/b.pc2"
cmp "$work/a.body.pc2" "$work/b.body.pc2" || fail "the rig document gives another motion"
run 0 rig "$demo" --rig "$work/demo.rig.json" -q -o "$work/again.rig.json"
cmp "$work/demo.rig.json" "$work/again.rig.json" || fail "the rig document changes when written again"

# Parts by word, name and pattern; the command line wins over the document.
run 0 rig "$demo" --cells 500 --rig "$work/demo.rig.json" --wobble ear=6Hz --wobble tail_1=3 --held 'horn*' \
    --material chest=fat --stiffness spine=2 --twist neck=20Hz:0.5 --hold tail=1Hz --drag tail=4
says 'ear_R_1  *\(5\.9\|6\.0\)'
says 'tail_1  *\(2\.9\|3\.0\)'
says 'chest  *fat'
says 'neck .*20 Hz within'
run 0 rig "$demo" --cells 300 --feel cartoon --wobble 5 --hold bony=0 --hold hard=0
says 'the body  *\(4\.9\|5\.0\)'
run 0 rig "$demo" --cells 300 --material jelly --hold bony=0 --hold hard=0
says 'the body  *1\.[56]'
for option in '--solver linear' '--solver blended --method cg' '--material-model green' '--motion full --gravity 9.81' \
    '--gravity-change 9.81' '--spacing 0.3'; do
    # shellcheck disable=SC2086 # words of one option
    run 0 bake "$demo" --cells 300 --clip walk -q $option -o "$work/c.pc2"
done

# Wrong usage.
for option in --wobble=0 --wobble=ear=x --wobble=200 --wobble==3 --material=gold --material=ear=gold --twist=1:x \
    --twist=-1 --feel=sad --solver=magic --method=lu --motion=none --material-model=wood --details=9 --stiffness=2 \
    --hold=3 --drag=x --free= --spacing=0 --gravity-change=-1; do
    run 2 bake "$demo" -o "$work/no.glb" "$option"
done
run 2 bake "$demo" -o "$work/no.glb" --material horn=hron
says 'did you mean horn?'
run 2 rig "$demo" -o "$work/no.txt"
run 2 rig "$demo" --picture "$work/no.jpg"
run 2 rig "$demo" --sway
run 2 rig "$demo" --rig "$work/demo.rig.json" -o "$work/demo.rig.json"
[ ! -e "$work/no.glb" ] || fail "an output was written"

# Parts and documents that do not fit the character.
run 1 bake "$demo" -o "$work/no.glb" --wobble eer=6
says 'demo.glb: .*"eer", did you mean "ear"?'
run 1 bake "$demo" -o "$work/no.glb" --spacing 1000
says 'spacing of 1000 is too coarse'
run 1 bake "$demo" -o "$work/no.glb" --free nothing_like_this
says 'joints are: root, spine'
run 1 bake "$demo" -o "$work/no.glb" --rig "$work/missing.json"
says 'missing.json'
echo '{"sinew":"rig","version":1,"parts":{"ear":{"wobbel":3}}}' >"$work/bad.json"
run 1 bake "$demo" -o "$work/no.glb" --rig "$work/bad.json"
says 'bad.json: parts.ear: .*wobbel.* did you mean "wobble"?'
echo '{"sinew":"rig","version":1,"lattice":{"vertices":[[0,0,0],[1,0,0],[0,1,0],[0,0,1]],"cells":[[0,2,1,3]]}}' >"$work/bad.json"
run 1 bake "$demo" -o "$work/no.glb" --rig "$work/bad.json"
says 'bad.json: lattice.cells\[0\]: flat or inverted'
echo '{"sinew":"rig","version":1,"lattice":{"vertices":[[0,0,0],[1,0,0],[0,1,0],[0,0,1]],"cells":[[0,1,2,3]]}}' >"$work/bad.json"
run 1 bake "$demo" -o "$work/no.glb" --rig "$work/bad.json"
says 'bad.json: lattice: the bone of joint "[a-z_A-Z0-9]*" has no vertex at its head'

# A box of one hexahedron around everything: its bones are no edges, which only a relaxed file may.
box='"vertices":[[-3,-3,-3],[3,-3,-3],[3,3,-3],[-3,3,-3],[-3,-3,3],[3,-3,3],[3,3,3],[-3,3,3]],"cells":[[0,1,2,3,4,5,6,7]]'
echo '{"sinew":"rig","version":1,"lattice":{"strict":false,'"$box"'}}' >"$work/box.json"
run 0 rig "$demo" --rig "$work/box.json"
says '8 vertices, 1 cell,'
sed 's/"vertices":\[/&[0,0,0],/; s/\[0,1,2,3,4,5,6,7\]/[1,2,3,4,5,6,7,8]/' "$work/box.json" >"$work/bad.json"
run 1 rig "$demo" --rig "$work/bad.json"
says 'bad.json: lattice.vertices\[0\]: it is a corner of no cell'

# Whatever stands in the document and is found late is told by the document and the path in it; what the command line says
# is not its fault.
echo '{"sinew":"rig","version":1,"parts":{"ear":{"wobble":6},"eer":{"wobble":6}}}' >"$work/bad.json"
for command in "bake $demo -o $work/no.glb" "rig $demo"; do
    # shellcheck disable=SC2086 # words
    run 1 $command --rig "$work/bad.json"
    says '^sinew: [^ ]*bad.json: parts.eer: no joint that carries skin .*"eer", did you mean "ear"?'
done
echo '{"sinew":"rig","version":1,"defaults":{"spacing":1000},"parts":{"ear":{"wobble":6}}}' >"$work/bad.json"
run 1 rig "$demo" --rig "$work/bad.json"
says '^sinew: [^ ]*bad.json: defaults.spacing: a lattice spacing of 1000 is too coarse'
run 1 rig "$demo" --rig "$work/bad.json" --spacing 2000
says '^sinew: [^ ]*demo.glb: a lattice spacing of 2000 is too coarse'
run 1 rig "$demo" --rig "$work/bad.json" --cells 300 --free nothing
says '^sinew: [^ ]*demo.glb: no joint that carries skin'
run 1 rig "$demo" --rig "$work/box.json" --details 1
says '^sinew: [^ ]*box.json: lattice.cells\[0\]: it has 8 corners; details need'
sed 's/"strict":false,//; s/\([[,]\)\(-*\)3\([],]\)/\1\29\3/g' "$work/box.json" >"$work/bad.json"
run 1 rig "$demo" --rig "$work/bad.json"
says '^sinew: [^ ]*bad.json: lattice'
sed 's/"strict":false,/&"joints":{},/' "$work/box.json" >"$work/none.json"
run 0 rig "$demo" --rig "$work/none.json"
says 'no vertex of the lattice is on one'
sed 's/"strict":false,/"joints":{},/' "$work/box.json" >"$work/bad.json"
run 1 rig "$demo" --rig "$work/bad.json"
says 'bad.json: lattice.joints: no vertex is on a bone'
echo '{"sinew":"rig","version":1,"parts":{"ear":{"wobble":6},"ear":{"wobble":7}}}' >"$work/bad.json"
run 1 rig "$demo" --rig "$work/bad.json"
says 'bad.json: parts: "ear" is there twice'

# So few cells that little can move: said, with a number that is enough.
run 0 rig "$demo" --cells 20 --json
says 'warning: .* lattice cells are few'
enough=$(sed -n 's/.*about \([0-9]*\) cells would free.*/\1/p' "$work/stderr")
run 0 rig "$demo" --cells "$enough" --json
! grep -q 'are few' "$work/stderr" || fail "$enough cells are few again"
awk '/"freeShare"/ { exit !($2 + 0 > 0.6) }' "$work/stdout" || fail "$enough cells do not free most of the flesh"

# Names cannot talk to the terminal.
. "$(dirname "$0")/gltf.sh"
gltf_without_clip | sed 's/"bone"/"bo\\u001b[31mne"/; s/"body"/"bo\\ndy\\u009b"/' >"$work/names.gltf"
run 0 info "$work/names.gltf"
says 'part bo\\ndy\\u009b '
run 0 info "$work/names.gltf" --json
says '"name": "bo\\ndy\\u009b"'
run 1 rig "$work/names.gltf" --wobble none=3
says 'joints are: bo\\x1b\[31mne'

# A free leg with its hoof: the hoof alone is of horn (1000 times as stiff), not the leg that ends in it.
run 0 rig "$demo" --cells 500 --free leg_FL_upper --json
awk -F '[][, ]+' '/"name"/ { joint = $3 } /"stiffness": \[/ { firmest[joint] = $4 }
    END { exit !(firmest["\"leg_FL_upper\""] * 20 < firmest["\"hoof_FL\""]) }' "$work/stdout" ||
    fail "a free leg is as firm as its hoof"
[ ! -e "$work/no.glb" ] || fail "an output was written"

finish
