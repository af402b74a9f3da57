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
gltf_with_clip | sed 's|{"children": \[1, 2\]}|{"name": "root", "scale": [0, 0, 0], "children": [1, 2]}|' >"$work/no-size.gltf"
refuses no-size.gltf 'node "root" has scale 0'

# Files of another kind: it is said what they are.
says() { # TEXT: was it said?
    grep -q "$1" "$work/stderr" || fail "expected \"$1\": $(cat "$work/stderr")"
}
echo '{"sinew": "scene", "version": 1, "bodies": []}' >"$work/scene.json"
run 1 run "$work/demo.glb"
says 'it is a glTF file, not a scene'
run 1 run "$work/empty.glb"
says 'it is empty'
run 1 bake "$work/demo.glb" --with "$work/demo.glb" -o "$work/x.glb"
says 'it is a glTF file, not the sidecar'
run 1 build "$work/demo.glb"
says 'it is a glTF file, not a script'
run 1 build "$work/scene.json"
says 'it is a scene'

# A mesh that no clip moves is baked, and said to be still; vertices without weights are told apart from wrong sums.
gltf_with_clip | sed 's|, "skin": 0}|}|; s|"skins": \[[^]]*\]}\],||' >"$work/loose.gltf"
run 3 bake "$work/loose.gltf" -o "$work/loose.pc2" --no-sidecar
grep -q 'sinew rig' "$work/stdout" || fail "a mesh that nothing moves: $(cat "$work/stdout")"
gltf_without_clip | sed 's|{"bufferView": 3, |{|' >"$work/weightless.gltf"
run 0 info "$work/weightless.gltf"
says 'weights of 4 of 4 vertices are all 0'

finish
