#!/bin/sh
# Bakes what the clients are given into the folder $BAKED: the demo character, and every character of
# others that is here, all with no options but the outputs. Static surfaces get a skeleton first. Two are
# baked as jiggle bones besides. Each becomes
# NAME.in.glb (what was baked), NAME.glb, NAME*.pc2, NAME*.mdd, NAME.json (the dump) and NAME.summary.json.
. "$(dirname "$0")/../cli/lib.sh"
rm -rf "$BAKED"
mkdir -p "$BAKED"

# bake NAME INPUT [OPTIONS...]
bake() {
    name=$1 input=$2 code=0
    shift 2
    cp "$input" "$BAKED/$name.in.glb"
    chmod u+w "$BAKED/$name.in.glb"
    "$SINEW" bake "$BAKED/$name.in.glb" "$@" --json -o "$BAKED/$name.glb" -o "$BAKED/$name.pc2" -o "$BAKED/$name.mdd" \
        -o "$BAKED/$name.json" >"$BAKED/$name.summary.json" 2>"$work/stderr" || code=$?
    case $code in
    0) echo "$name: baked" ;;
    3) echo "$name: baked, with warnings" ;;
    *)
        fail "$name: exit code $code: $(cat "$work/stderr")"
        rm -f "$BAKED/$name".*
        ;;
    esac
}

"$MAKE_DEMO" "$work/demo.glb" >"$work/make-demo.log"
bake demo "$work/demo.glb"
[ -d "$ASSETS" ] || echo "no characters of others here: the demo alone"
for path in "$ASSETS"/*.glb; do
    if [ -f "$path" ]; then bake "$(basename "$path" .glb)" "$path"; fi
done
bake demo-bones "$work/demo.glb" --clip shake --as bones
if [ -f "$ASSETS/Fox.glb" ]; then bake Fox-bones "$ASSETS/Fox.glb" --as bones; fi
for path in "$ASSETS"/*.obj; do
    [ -f "$path" ] || continue
    name=$(basename "$path" .obj)
    run 0 rig "$path" --sway -o "$work/$name.glb"
    bake "$name" "$work/$name.glb"
done
finish
