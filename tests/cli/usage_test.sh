#!/bin/sh
# Help, version, and wrong usage.
. "$(dirname "$0")/lib.sh"

run 0 --version
grep -q -E '^sinew [0-9]+\.[0-9]+\.[0-9]+$' "$work/stdout" || fail "--version prints: $(cat "$work/stdout")"
run 0 --help
cp "$work/stdout" "$work/help"
for word in bake render info; do
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

finish
