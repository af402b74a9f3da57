#!/bin/sh
# The demo from end to end: baked bytes do not depend on the number of threads, the input stays as it
# was, files are replaced whole.
. "$(dirname "$0")/lib.sh"

"$MAKE_DEMO" "$work/demo.glb" >"$work/make-demo.log"
before=$(cksum <"$work/demo.glb")
for threads in 1 2; do
    run 0 bake "$work/demo.glb" --clip walk --clip 2 --threads $threads -o "$work/soft-$threads.glb" -o "$work/soft-$threads.pc2"
done
for kind in glb body.pc2 face.pc2; do
    cmp "$work/soft-1.$kind" "$work/soft-2.$kind" || fail "one and two threads give different .$kind bytes"
    [ -s "$work/soft-1.$kind" ] || fail "no .$kind was written"
done
[ "$(cksum <"$work/demo.glb")" = "$before" ] || fail "the input was changed"
[ "$(head -c 11 "$work/soft-1.body.pc2")" = POINTCACHE2 ] || fail "the point cache does not begin as one"

# A clip is compared with what was baked from it, whichever of the two is named.
for name in walk walk.soft; do
    run 0 render "$work/soft-1.glb" --compare --clip $name -n 1 -s 64x48 -o "$work/$name.png"
done
cmp "$work/walk.png" "$work/walk.soft.png" || fail "walk and walk.soft are compared otherwise"

finish
