#!/bin/sh
# make strips: bakes every character there is, with no options, and draws film strips of the results:
# out/strips/NAME-CLIP.png, the rig alone above, with flesh below. Of characters with many clips the first
# three are drawn, of one clip all of it; CLIPS=8 draws more.
#     tools/strips.sh [FILE ...]      (the demo and ../shared/assets otherwise)
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build}
sinew=$build/sinew
out=${OUT:-out/strips}
clips=${CLIPS:-3}
mkdir -p "$out"

# Names of the soft clips of a baked file, one in a line.
soft_clips() {
    "$sinew" info --json "$1" | sed -n 's/.*"name": *"\(.*\.soft\)".*/\1/p' | head -n "$clips"
}

draw() { # FILE NAME
    soft_clips "$1" | while IFS= read -r clip; do
        name=$(printf '%s' "${clip%.soft}" | tr -c 'A-Za-z0-9_\n-' '_')
        "$sinew" render -q "$1" --clip "$clip" --compare -n 8 -s 360x270 -o "$out/$2-$name.png"
        echo "  $out/$2-$name.png"
    done
}

bake() { # FILE NAME OPTIONS
    file=$1 name=$2
    shift 2
    echo "$name"
    code=0
    "$sinew" bake "$@" "$file" -o "$out/$name.glb" >"$out/$name.txt" 2>&1 || code=$?
    if [ $code -ne 0 ] && [ $code -ne 3 ]; then
        sed 's/^/  /' "$out/$name.txt"
        return
    fi
    draw "$out/$name.glb" "$name"
}

if [ $# -gt 0 ]; then
    for file in "$@"; do
        name=$(basename "$file")
        bake "$file" "${name%.*}"
    done
    exit
fi
"$build/tools/make-demo" "$out/character.glb" >/dev/null
bake "$out/character.glb" demo
assets=../shared/assets
if [ ! -d "$assets" ]; then
    echo "no characters of others: $assets is not there"
    exit
fi
for file in "$assets"/*.glb; do
    name=$(basename "$file" .glb)
    bake "$file" "$name"
done
# Surfaces without a skeleton get one, and a clip that sways it.
for file in "$assets"/*.obj; do
    name=$(basename "$file" .obj)
    "$sinew" rig -q --sway "$file" -o "$out/$name-rigged.glb" && bake "$out/$name-rigged.glb" "$name"
done
