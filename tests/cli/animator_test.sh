#!/bin/sh
# What animators ask for: painted maps, chains of clips, keys over time.
. "$(dirname "$0")/lib.sh"
"$MAKE_DEMO" "$work/demo.glb" >/dev/null 2>&1 || fail "the demo could not be made"
demo=$work/demo.glb
says() { # TEXT: was it printed?
    grep -qF -- "$1" "$work/stdout" "$work/stderr" || fail "nothing said: $1"
}

# Maps: what is not there is refused with a list.
run 1 bake "$demo" --mask _NOTHING --cells 200 -o "$work/x.glb"
says 'no map "_NOTHING"'
run 2 bake "$demo" --softness-map COLOR_0=3 -o "$work/x.glb"
run 2 bake "$demo" --softness-map =1..4 -o "$work/x.glb"
run 2 bake "$demo" --softness-map COLOR_0=0..4 -o "$work/x.glb"
run 2 bake "$demo" --mask "" -o "$work/x.glb"

# Colours behind the positions of an OBJ file: the left half is held.
awk 'BEGIN { n = 5
    for (f = 0; f < 6; f++) for (i = 0; i < n; i++) for (j = 0; j < n; j++) {
        a = int(f / 2); p[a] = f % 2; p[(a + 1) % 3] = i / (n - 1); p[(a + 2) % 3] = j / (n - 1)
        printf "v %g %g %g %g 0 0\n", p[0], p[1], p[2], p[0] < 0.4 ? 0 : 1 }
    for (f = 0; f < 6; f++) for (i = 0; i < n - 1; i++) for (j = 0; j < n - 1; j++) {
        q = f * n * n + i * n + j + 1
        if (f % 2) printf "f %d %d %d %d\n", q, q + n, q + n + 1, q + 1
        else printf "f %d %d %d %d\n", q, q + 1, q + n + 1, q + n } }' >"$work/block.obj"
run 0 info "$work/block.obj"
says "map COLOR_0: 4 numbers"
run 0 bake "$work/block.obj" --motion full --anchor bottom --cells 200 --fps 10 --steps 40 --mask COLOR_0.r -o "$work/b.####.obj"
awk 'FNR == NR { if ($1 == "v") { n++; x[n] = $2; y[n] = $3; z[n] = $4 } next }
    $1 == "v" { k++; if (x[k] < 0.4) { d = ($2 - x[k])^2 + ($3 - y[k])^2 + ($4 - z[k])^2; if (d > 0) bad++ }
        else if (($3 - y[k])^2 > 1e-8) moved++ }
    END { exit !(k == n && !bad && moved) }' "$work/block.obj" "$work/b.0010.obj" ||
    fail "the masked half did not stay, or the other did not move"
# What gravity alone moves is seen sagging from where it begins.
cmp -s "$work/b.0001.obj" "$work/b.0010.obj" && fail "a toy stands still"
run 0 bake "$work/block.obj" --motion full --anchor bottom --cells 200 --fps 10 --steps 40 --preroll auto -o "$work/p.####.obj"
says "of pre-roll"

# Chains: one clip more, and its soft twin; nothing else is baked.
run 0 bake "$demo" --chain walk,hop --cells 200 --fps 10 --steps 40 -o "$work/chain.glb" -o "$work/chain.pc2"
says "walk+hop "
run 0 info "$work/chain.glb"
says '"walk+hop"'
says '"walk+hop.soft"'
says '"walk":'
if grep -q '"walk.soft"' "$work/stdout"; then fail "clips of the chain were baked by themselves"; fi
run 0 bake "$demo" --with "$work/chain.sinew.json" -o "$work/again.glb"
cmp -s "$work/chain.glb" "$work/again.glb" || fail "the sidecar does not repeat the chain"
run 0 bake "$demo" --chain hop,hop=Twice --blend 0 --clip walk --cells 200 --fps 10 --steps 40 -o "$work/two.glb"
says "Twice "
says "walk "
run 1 bake "$demo" --chain walk,hopp --cells 200 --fps 10 --steps 40 -o "$work/x.glb"
says 'did you mean "hop"'
run 1 bake "$demo" --chain walk, --cells 200 --fps 10 --steps 40 -o "$work/x.glb"
run 2 bake "$demo" --chain "" -o "$work/x.glb"
run 2 bake "$demo" --chain =x -o "$work/x.glb"
run 2 bake "$demo" --chain walk,hop --blend soon -o "$work/x.glb"

# Keys: off is the rig alone, the same factor all the time is no change, and mistakes are told.
short="--clip hop --cells 200 --fps 10 --steps 40"
# shellcheck disable=SC2086 # several words
run 0 bake "$demo" $short --key amount=0@0s -o "$work/off.glb"
says "0 morph targets"
# shellcheck disable=SC2086
run 0 bake "$demo" $short --key stiffness=1@0s,4@2f,1@0.5:smooth --key hop:amount.ear=0@0s -o "$work/keyed.glb"
for wrong in amount amount= amount=1 amount=1@ amount=1@x amount=-1@0s stiffness=0@0s stiffness.ear=1@0s \
    speed=1@0s :amount=1@0s amount.=1@0s "amount=1@0s," amount=11@0s; do
    run 2 bake "$demo" --key "$wrong" -o "$work/x.glb"
done
run 1 bake "$demo" --cells 200 --key amount=1@1s,0@0.5s -o "$work/x.glb"
run 1 bake "$demo" --cells 200 --key amount.nose=1@0s -o "$work/x.glb"
run 1 bake "$demo" --cells 200 --key jog:amount=1@0s -o "$work/x.glb"
says 'no clip "jog"'
run 1 bake "$demo" --cells 200 --details 1 --clip hop --key stiffness=2@0s -o "$work/x.glb"
says "levels of detail"
if [ -e "$work/x.glb" ]; then fail "a refused bake wrote a file"; fi
finish
