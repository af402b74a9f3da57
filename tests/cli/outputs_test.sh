#!/bin/sh
# Outputs of every kind in one bake: which files appear, that they agree, and that nothing is written
# when one of them cannot be.
. "$(dirname "$0")/lib.sh"

"$MAKE_DEMO" "$work/demo.glb" >"$work/make-demo.log"
mkdir "$work/out"
bake() {
    expected=$1
    shift
    run "$expected" bake "$work/demo.glb" --clip walk --fps 10 --cells 300 "$@"
}

bake 0 -o "$work/out/a.glb" -o "$work/out/a.pc2" -o "$work/out/a.mdd" -o "$work/out/a.usda" -o "$work/out/a.json" \
    -o "$work/out/a.obj" -o "$work/out/b.##.obj"
for name in a.glb a.usda a.json a.bin a.0001.obj a.0012.obj b.01.obj b.12.obj; do
    [ -s "$work/out/$name" ] || fail "$name was not written"
done
[ "$(find "$work/out" -name 'a.*.obj' | wc -l)" = 12 ] || fail "there are not 12 frames"
cmp "$work/out/a.0007.obj" "$work/out/b.07.obj" || fail "frames differ by their names"
find "$work/out" -name '*.part*' -o -name '*.old*' | grep . && fail "temporary files are left"

# One cache per mesh; the dump says how many meshes and vertices there are.
meshes=$(grep -c '"positionsOffset"' "$work/out/a.json")
for kind in pc2 mdd; do
    [ "$(find "$work/out" -name "a*.$kind" | wc -l)" = "$meshes" ] || fail "not a .$kind per mesh ($meshes)"
done
[ "$meshes" -gt 1 ] && [ -e "$work/out/a.pc2" ] && fail "several meshes in one cache"
[ "$(wc -c <"$work/out/a.bin")" = "$(sed -n 's/.*"binaryBytes": \([0-9]*\).*/\1/p' "$work/out/a.json")" ] ||
    fail "the binary file is not as long as its document says"
vertices=$(grep -c '^v ' "$work/out/a.0001.obj")
[ "$vertices" = "$(sed -n 's/.*"vertices": \([0-9]*\).*/\1/p' "$work/out/a.json" | awk '{s += $1} END {print s}')" ] ||
    fail "OBJ and dump have different vertices"
head -c 9 "$work/out/a.usda" | grep -q '^#usda 1.0' || fail "the scene does not begin as one"

# Older files are replaced; when one output fails, all older files stay and no new one appears.
before=$(cat "$work"/out/* | cksum)
rm -rf "$work/out/b".*
mkdir "$work/out/b.05.obj"
before=$(cksum "$work/out"/a*)
bake 1 --wobble 9 -o "$work/out/a.glb" -o "$work/out/a.pc2" -o "$work/out/b.##.obj"
grep -q 'b.05.obj' "$work/stderr" || fail "the folder in the way is not named: $(cat "$work/stderr")"
[ "$(cksum "$work/out"/a*)" = "$before" ] || fail "older files were changed by a bake that failed"
[ "$(find "$work/out" -name 'b*' | wc -l)" = 1 ] || fail "a failed bake left files"

# What is read is not written; nothing is written twice; names of documents are not outputs.
cp "$work/demo.glb" "$work/a.0003.obj"
bake 2 -o "$work/x.obj" -o "$work/./x.obj"
grep -q 'twice' "$work/stderr" || fail "the same output twice is not told"
bake 1 -o "$work/x.obj" -o "$work/x.####.obj"
grep -q 'same files' "$work/stderr" || fail "outputs that meet are not told"
bake 2 -o "$work/x.rig.json"
run 0 rig "$work/demo.glb" --cells 300 -o "$work/demo.rig.json"
ln -s demo.rig.json "$work/link.json"
run 2 bake "$work/demo.glb" --rig "$work/demo.rig.json" -o "$work/link.json"
bake 1 -o "$work/nowhere/x.pc2"
grep -q 'folder' "$work/stderr" || fail "the missing folder is not named"

# A limit to the size of files is met as a full disk is: it is told, and nothing half-written stays.
mkdir "$work/small"
code=0
(
    ulimit -f 100
    exec "$SINEW" bake "$work/demo.glb" --clip walk --fps 10 --cells 100 -q -o "$work/small/x.pc2" 2>"$work/stderr"
) || code=$?
if [ "$code" != 1 ] || ! grep -q 'cannot be written' "$work/stderr"; then
    fail "a file beyond the limit: exit code $code, $(cat "$work/stderr")"
fi
[ -z "$(ls -A "$work/small")" ] || fail "a file beyond the limit left $(ls -A "$work/small")"

# Time: a range in seconds and in frames, loops that are forced and forbidden, wrong values.
bake 0 --from 0.2s --to 5f -o "$work/part.obj"
[ "$(find "$work" -maxdepth 1 -name 'part.*.obj' | wc -l)" = 4 ] || fail "frames 2 to 5 are not four"
for k in 1 2 3 4; do
    cmp "$work/part.000$k.obj" "$work/out/a.000$((k + 2)).obj" || fail "the range is not part of the whole"
done
bake 0 --loop --json -o "$work/loop.pc2"
grep -q '"loops": true' "$work/stdout" || fail "--loop makes no loop"
bake 0 --no-loop --preroll auto --json -o "$work/loop.pc2"
grep -q '"loops": false' "$work/stdout" || fail "--no-loop makes one"
bake 0 --as bones --bones 3 --tolerance 0.0005 --json -o "$work/bones.glb"
grep -q '"jiggleBones": [123],' "$work/stdout" || fail "--as bones makes none: $(cat "$work/stdout")"
run 0 info "$work/bones.glb"
grep -q '"walk.soft"' "$work/stdout" || fail "the file with bones has no soft clip"
for option in '--as ghosts' '--bones 0' '--from 2 --to 1' '--from x' '--to -1' '--preroll never' '--from 3ff'; do
    # shellcheck disable=SC2086 # words of one option
    bake 2 $option -o "$work/wrong.pc2"
done
bake 1 --from 100 -o "$work/wrong.pc2"

finish
