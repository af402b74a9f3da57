# shellcheck shell=sh
# The files that commands in the documents speak of, made small: characters, toys, props, captures.

# The demo with clips of other names: names of the same length are put in place of its own.
make_characters() {
    "$MAKE_DEMO" --coarse out/character.glb >/dev/null
    "$SINEW" bake -q out/character.glb --cells 200 --clip shake -o out/demo.glb
    LC_ALL=C sed -e 's/"hop"/"Run"/' -e 's/"walk"/"Walk"/' out/character.glb >fox.glb
    LC_ALL=C sed -e 's/"walk"/"Jump"/' out/character.glb >hero.glb
    cp out/character.glb cow.glb
    cp out/character.glb person.glb
    "$SINEW" rig -q fox.glb --cells 200 -o fox.rig.json
    "$MAKE_DEMO" --bare bare.glb >/dev/null
    "$SINEW" rig -q bare.glb --skeleton-out bare-skeleton.json -o rigged.glb
}

# block NAME X0 X1 Y0 Y1 Z0 Z1 FIRST: an object of an OBJ file, a box with sides of 4 x 4 quads.
block() {
    awk -v name="$1" -v x0="$2" -v x1="$3" -v y0="$4" -v y1="$5" -v z0="$6" -v z1="$7" -v first="$8" 'BEGIN {
        n = 5; print "o", name
        for (f = 0; f < 6; f++) for (i = 0; i < n; i++) for (j = 0; j < n; j++) {
            a = int(f / 2); p[a] = f % 2; p[(a + 1) % 3] = i / (n - 1); p[(a + 2) % 3] = j / (n - 1)
            printf "v %g %g %g\n", x0 + (x1 - x0) * p[0], y0 + (y1 - y0) * p[1], z0 + (z1 - z0) * p[2] }
        for (f = 0; f < 6; f++) for (i = 0; i < n - 1; i++) for (j = 0; j < n - 1; j++) {
            q = first + f * n * n + i * n + j
            if (f % 2) printf "f %d %d %d %d\n", q, q + n, q + n + 1, q + 1
            else printf "f %d %d %d %d\n", q, q + 1, q + n + 1, q + n } }'
}

make_props() {
    block jelly -0.2 0.2 -0.2 0.2 -0.2 0.2 1 >jelly.obj
    { block Sleeper -0.3 0.3 0.05 0.35 -0.2 0.2 1; block Mattress.1 -1 1 -0.4 0 -1 1 151; } >bed.obj
    awk '$1 == "v" || $1 == "f"' jelly.obj >spot.obj
    block body -0.15 0.15 0 1.7 -0.1 0.1 1 >body.obj
}

# A bone that nods: a capture as walk.bvh and jump.bvh.
make_captures() {
    cat >walk.bvh <<'END'
HIERARCHY
ROOT hip
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT chest
  {
    OFFSET 0 15 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    JOINT head
    {
      OFFSET 0 12 0
      CHANNELS 3 Zrotation Xrotation Yrotation
      End Site
      {
        OFFSET 0 8 0
      }
    }
  }
}
MOTION
Frames: 4
Frame Time: 0.1
0 0 0 0 0 0 0 0 0 0 0 0
0 1 0 0 0 0 0 20 0 0 10 0
0 2 0 0 0 0 0 40 0 0 20 0
0 1 0 0 0 0 0 20 0 0 10 0
END
    cp walk.bvh jump.bvh
}

# word NUMBER: its four bytes, the lowest first.
word() {
    # shellcheck disable=SC2059 # the format is made of the number
    printf "$(printf '\\%03o\\%03o\\%03o\\%03o' $(($1 % 256)) $(($1 / 256 % 256)) $(($1 / 65536 % 256)) $(($1 / 16777216)))"
}

# A tetrahedron without a skin whose node goes up and down: bouncing-ball.glb.
make_ball() {
    o='\000\000\000\000' i='\000\000\200\077' # 0.0f and 1.0f
    h='\000\000\000\077'                      # 0.5f
    {
        printf "$o$o$o$i$o$o$o$i$o$o$o$i"
        printf '\000\000\002\000\001\000\000\000\001\000\003\000'
        printf '\000\000\003\000\002\000\001\000\002\000\003\000'
        printf "$o$h$i$o$o$o$o$i$o$o$o$o"
    } >ball.bin
    cat >ball.json <<'END'
{"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"name": "ball", "mesh": 0}],
 "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
 "animations": [{"name": "bounce", "samplers": [{"input": 2, "output": 3}],
  "channels": [{"sampler": 0, "target": {"node": 0, "path": "translation"}}]}],
 "accessors": [
  {"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 1]},
  {"bufferView": 1, "componentType": 5123, "count": 12, "type": "SCALAR"},
  {"bufferView": 2, "componentType": 5126, "count": 3, "type": "SCALAR", "min": [0], "max": [1]},
  {"bufferView": 3, "componentType": 5126, "count": 3, "type": "VEC3"}],
 "bufferViews": [{"buffer": 0, "byteOffset": 0, "byteLength": 48}, {"buffer": 0, "byteOffset": 48, "byteLength": 24},
  {"buffer": 0, "byteOffset": 72, "byteLength": 12}, {"buffer": 0, "byteOffset": 84, "byteLength": 36}],
 "buffers": [{"byteLength": 120}]}
END
    while [ $(($(wc -c <ball.json) % 4)) -ne 0 ]; do printf ' ' >>ball.json; done
    json=$(wc -c <ball.json)
    {
        printf 'glTF'
        word 2
        word $((12 + 8 + json + 8 + 120))
        word "$json"
        printf 'JSON'
        cat ball.json
        word 120
        printf 'BIN\000'
        cat ball.bin
    } >bouncing-ball.glb
    rm ball.bin ball.json
}
