#!/bin/sh
# Help, version, and wrong usage.
. "$(dirname "$0")/lib.sh"

run 0 --version
grep -q -E '^sinew [0-9]+\.[0-9]+\.[0-9]+$' "$work/stdout" || fail "--version prints: $(cat "$work/stdout")"
version=$(sed -n 's/^## \([0-9.]*\).*/\1/p' "$SOURCE/CHANGELOG.md" | head -n 1)
[ "$(cat "$work/stdout")" = "sinew $version" ] || fail "--version prints $(cat "$work/stdout"), CHANGELOG.md begins with $version"
run 0 --help
cp "$work/stdout" "$work/help"
for word in bake run rig render info; do
    grep -q "^ *$word " "$work/help" || fail "--help does not name $word"
    run 0 $word --help
    grep -q '^Usage: ' "$work/stdout" || fail "$word --help does not show the usage"
    run 2 $word --no-such-option
    grep -q -e '--no-such-option' "$work/stderr" || fail "$word does not name the wrong option"
    run 2 $word
done
run 2
run 2 no-such-command
grep -q 'no-such-command' "$work/stderr" || fail "the wrong command is not named"
run 2 bake in.glb -o out.unknown
[ ! -e out.unknown ] || fail "a file of unknown kind was written"
run 2 bake in.glb -o twice.glb -o twice.glb
run 2 render a.glb b.glb -o strip.png
run 2 info a.glb b.glb
run 2 render a.glb --from 2 --to 1 -o strip.png

# The input is never an output, whatever its name.
"$MAKE_DEMO" "$work/demo.glb" >"$work/make-demo.log"
before=$(cksum <"$work/demo.glb")
ln -s demo.glb "$work/link.glb"
for name in demo.glb ./demo.glb link.glb; do
    run 2 bake "$work/demo.glb" -o "$work/$name"
done
[ "$(cksum <"$work/demo.glb")" = "$before" ] || fail "the input was changed"

# What cannot be printed is an error; a missing folder is one before the work begins.
code=0
"$SINEW" info "$work/demo.glb" >/dev/full 2>"$work/stderr" || code=$?
[ "$code" = 1 ] || fail "a full standard output gives code $code"
run 1 bake "$work/demo.glb" -o "$work/missing/soft.glb"
grep -q 'folder' "$work/stderr" || fail "the missing folder is not named"
run 1 render "$work/demo.glb" -o "$work/missing/x.png"
grep -q 'folder' "$work/stderr" || fail "the missing folder of a picture is not named"

# What is not in the file to draw.
run 1 render "$work/demo.glb" --clip wlk -o "$work/x.png"
grep -q 'did you mean "walk"' "$work/stderr" || fail "a mistyped clip: $(cat "$work/stderr")"
run 1 render "$work/demo.glb" --clip walk --from 300 -o "$work/x.png"
grep -q 'walk ends at' "$work/stderr" || fail "behind the end: $(cat "$work/stderr")"
run 1 render "$work/demo.glb" --compare -o "$work/x.png"
grep -q -e '--simulate' "$work/stderr" || fail "nothing to compare with: $(cat "$work/stderr")"
run 2 render "$work/demo.glb" -s 8192x8192 -n 64 -o "$work/x.png"
grep -q 'million pixels' "$work/stderr" || fail "a picture without end: $(cat "$work/stderr")"

finish
