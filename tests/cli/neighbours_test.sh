#!/bin/sh
# Files that a .gltf names beside itself: what is read and what is refused.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/gltf.sh"
cd "$work" || exit 1

# Neighbours of a .gltf: read from its own folder and below, from nowhere else.
mkdir -p model/parts
(cd model && tetrahedron_bytes >parts/data.bin && cp parts/data.bin "my data.bin")
tetrahedron_bytes >outside.bin
with_uri() { # URI: a character whose buffer lies there
    gltf_without_clip | sed "s|\"uri\": \"data:[^\"]*\"|\"uri\": \"$1\"|"
}
for uri in parts/data.bin './parts/data.bin' 'my%20data.bin' 'my data.bin'; do
    with_uri "$uri" >model/model.gltf
    run 0 info model/model.gltf
done
(cd model && ln -s parts/data.bin inside.bin && ln -s ../outside.bin leaves.bin && ln -s .. up)
with_uri inside.bin >model/model.gltf
run 0 info model/model.gltf
for uri in leaves.bin up/outside.bin ../outside.bin parts/../../outside.bin %2e%2e/outside.bin \
    parts/%2E%2E/%2e%2e/outside.bin "$PWD/outside.bin" "file://$PWD/outside.bin" http://localhost/x.bin \
    c:data.bin missing.bin parts; do
    with_uri "$uri" >model/model.gltf
    run 1 info model/model.gltf
    grep -q '^sinew: model/model.gltf: buffers\[0\].uri: ' stderr || fail "$uri: the message does not name its place"
done

# What is read is not written over: the .bin of a dump beside the .gltf, by any name that leads there; one of the same name in
# another folder is another file.
mkdir other
gltf_with_clip | sed 's|"uri": "data:[^"]*"|"uri": "my%20data.bin"|' >model/model.gltf
run 1 bake model/model.gltf --cells 600 -o 'model/my data.json'
grep -q 'my data.bin is read; choose another name' stderr || fail "data of a .gltf would be replaced: $(cat stderr)"
run 1 bake model/model.gltf --cells 600 -o 'other/../model/my data.json'
run 0 bake model/model.gltf --cells 600 --no-loop -o 'other/my data.json'
[ -s 'other/my data.bin' ] || fail "the dump is not there"
grep -q 'times at joint [0-9]' stdout || fail "a joint without a name is not called by its number: $(cat stdout)"

finish
