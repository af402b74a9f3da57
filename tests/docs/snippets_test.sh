#!/bin/sh
# Every piece of C in the documents compiles as it stands, with what it takes for granted declared in snippets/PAGE.h. Lines that begin
# with "static" stand outside of functions.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0 count=0

compile() {
    "${CC:-cc}" -std=c11 -fsyntax-only -Werror=implicit-function-declaration \
        -Werror=incompatible-pointer-types -Werror=int-conversion -I"$SOURCE/include" -I"$SOURCE/src" -I"$BUILD" -I"$BUILD/include" "$1"
}

# wrap PAGE.h PIECE
wrap() {
    echo "#include \"$1\""
    grep '^static ' "$2" || true
    echo 'snStatus piece(void);'
    echo 'snStatus piece(void) {'
    grep -v '^static ' "$2"
    echo 'return 0; }'
}

for page in "$SOURCE"/docs/*.md "$SOURCE"/docs/*/*.md "$SOURCE"/README.md; do
    grep -q '^ *```c$' "$page" || continue
    name=$(basename "$page" .md)
    rm -f "$work"/piece.*
    awk -v to="$work/piece." '/^ *```c$/ { on = 1; n++; next } /^ *```/ { on = 0 } on { print > (to n) }' "$page"
    [ -e "$here/snippets/$name.h" ] || { echo "$name.md has C, and there is no snippets/$name.h"; failed=1; continue; }
    for piece in "$work"/piece.*; do
        wrap "$here/snippets/$name.h" "$piece" >"$work/piece.c"
        compile "$work/piece.c" 2>"$work/log" ||
            { cat "$work/log"; echo "$name.md: piece ${piece##*.} does not compile"; failed=1; }
        rm -f "$work/piece.c"
        count=$((count + 1))
    done
done
[ $count -ge 6 ] || { echo "only $count pieces were found"; failed=1; }

# And the check finds what is wrong.
echo 'snWorld_NoSuchThing(world);' >"$work/wrong"
wrap "$here/snippets/programmers.h" "$work/wrong" >"$work/wrong.c"
compile "$work/wrong.c" 2>/dev/null && { echo "a function that there is not compiles"; failed=1; }
[ $failed -eq 0 ] && echo "ok: $count pieces of C compile"
