# shellcheck shell=sh
# Small glTF files with embedded buffers: a tetrahedron, with or without a skin, without clips.

# Four corners (float), four faces (unsigned short), joints (4 bytes per corner) and weights (4
# floats per corner): 48 + 24 + 16 + 64 bytes.
tetrahedron_bytes() {
    o='\000\000\000\000' i='\000\000\200\077' # 0.0f and 1.0f, little-endian
    printf "$o$o$o$i$o$o$o$i$o$o$o$i"
    printf '\000\000\002\000\001\000\000\000\001\000\003\000'
    printf '\000\000\003\000\002\000\001\000\002\000\003\000'
    printf "$o$o$o$o"
    printf "$i$o$o$o$i$o$o$o$i$o$o$o$i$o$o$o"
}

# gltf_document NODES-AND-SKINS EXTRA-ATTRIBUTES
gltf_document() {
    cat <<END
{"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
 $1
 "meshes": [{"primitives": [{"attributes": {"POSITION": 0$2}, "indices": 1}]}],
 "accessors": [
  {"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 1]},
  {"bufferView": 1, "componentType": 5123, "count": 12, "type": "SCALAR"},
  {"bufferView": 2, "componentType": 5121, "count": 4, "type": "VEC4"},
  {"bufferView": 3, "componentType": 5126, "count": 4, "type": "VEC4"}],
 "bufferViews": [
  {"buffer": 0, "byteOffset": 0, "byteLength": 48},
  {"buffer": 0, "byteOffset": 48, "byteLength": 24},
  {"buffer": 0, "byteOffset": 72, "byteLength": 16},
  {"buffer": 0, "byteOffset": 88, "byteLength": 64}],
 "buffers": [{"byteLength": 152,
  "uri": "data:application/octet-stream;base64,$(tetrahedron_bytes | base64 -w 0)"}]}
END
}

gltf_without_mesh() {
    echo '{"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"name": "bare"}]}'
}

gltf_without_skin() {
    gltf_document '"nodes": [{"name": "body", "mesh": 0}],' ''
}

gltf_without_clip() {
    gltf_document '"nodes": [{"name": "root", "children": [1, 2]}, {"name": "body", "mesh": 0, "skin": 0},
  {"name": "bone", "children": [3]}, {"name": "tip", "translation": [0, 1, 0]}],
 "skins": [{"joints": [2, 3]}],' ', "JOINTS_0": 2, "WEIGHTS_0": 3'
}

# Joints without names, and a clip that moves the first; times and places are numbers of the tetrahedron itself.
gltf_with_clip() {
    gltf_document '"nodes": [{"children": [1, 2]}, {"name": "body", "mesh": 0, "skin": 0}, {"children": [3]},
  {"translation": [0, 1, 0]}],
 "skins": [{"joints": [2, 3]}],
 "animations": [{"name": "move", "samplers": [{"input": 4, "output": 5}],
  "channels": [{"sampler": 0, "target": {"node": 2, "path": "translation"}}]}],' ', "JOINTS_0": 2, "WEIGHTS_0": 3' |
        sed -e 's|"byteOffset": 88, "byteLength": 64}|&, {"buffer": 0, "byteOffset": 8, "byteLength": 8}|' \
            -e 's|{"bufferView": 3, "componentType": 5126, "count": 4, "type": "VEC4"}|&,\
  {"bufferView": 4, "componentType": 5126, "count": 2, "type": "SCALAR", "min": [0], "max": [1]},\
  {"bufferView": 0, "componentType": 5126, "count": 2, "type": "VEC3"}|'
}
