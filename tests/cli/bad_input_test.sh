#!/bin/sh
# Every input that cannot be baked: a clear error that names the file, exit code 1, and no output.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/gltf.sh"

# refuses NAME PATTERN: baking $work/NAME fails; the message names it and matches the pattern.
refuses() {
    for kind in glb pc2; do
        rm -rf "$work/out"
        mkdir "$work/out"
        run 1 bake "$work/$1" -o "$work/out/soft.$kind"
        grep -q "^sinew: .*$1: " "$work/stderr" || {
            fail "$1: the message does not name the file:"
            cat "$work/stderr"
        }
        grep -E -i -q "$2" "$work/stderr" || {
            fail "$1: expected a message about \"$2\", got:"
            cat "$work/stderr"
        }
        [ -z "$(ls -A "$work/out")" ] || fail "$1: left behind: $(ls -A "$work/out")"
    done
}

refuses missing.glb 'no such file|not (found|there)|does not exist|cannot open'

mkdir "$work/folder.glb"
refuses folder.glb 'director|folder'

: >"$work/empty.glb"
refuses empty.glb 'empty'

"$MAKE_DEMO" "$work/demo.glb" >"$work/make-demo.log"
size=$(wc -c <"$work/demo.glb")
for part in 11 19 200 $((size / 2)) $((size - 1)); do
    head -c "$part" "$work/demo.glb" >"$work/short.glb"
    refuses short.glb 'truncated|short|ends|length|bytes|size'
done

head -c 4096 /dev/zero >"$work/zeros.glb"
refuses zeros.glb 'glTF|glb|magic|JSON'

gltf_without_mesh >"$work/no-mesh.gltf"
refuses no-mesh.gltf 'mesh'
gltf_without_skin >"$work/no-skin.gltf"
refuses no-skin.gltf 'skin'
gltf_without_clip >"$work/no-clip.gltf"
refuses no-clip.gltf 'clip|animation'

finish
