#!/bin/sh
# No example is missing in the gallery: every file of examples/ is linked there, and in the same section stand its own picture and a command
# that draws it. Programs have a document of the same world, which is compared. All commands of the page are run.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
page=$SOURCE/docs/scenes-gallery.md
failed=0
complain() {
    echo "docs/scenes-gallery.md: $*"
    failed=1
}

# entry FILE PICTURE COMMAND: one section has the link, the picture and a line that begins with the command.
entry() {
    [ -e "$SOURCE/docs/pictures/$2.png" ] || complain "there is no docs/pictures/$2.png"
    awk -v link="](../$1)" -v picture="](pictures/$2.png)" -v command="$3" '
        function close_section() { if (linked && shown && drawn) whole = 1; any += linked; linked = shown = drawn = 0 }
        /^## / { close_section() }
        index($0, link) { linked = 1 }
        index($0, picture) { shown = 1 }
        index($0, command) == 1 { drawn = 1 }
        END { close_section(); if (!whole) print any ? "its picture " picture " and the command \"" command "\" do not stand with" : "there is no link to"; exit !whole }
    ' "$page" >"$work/why" || complain "$(cat "$work/why") $1"
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for file in "$SOURCE"/examples/scenes/* "$SOURCE"/examples/characters/* "$SOURCE"/examples/c/*; do
    [ -f "$file" ] || continue
    name=${file#"$SOURCE"/}
    base=$(basename "$name")
    case "$name" in
    */read_file.h) ;; # of programs
    *.coat.json) entry "$name" "coat-${base%.coat.json}" "sinew coat $name " ;;
    *.bvh) entry "$name" coat-jump "sinew coat $name " ;;
    *.obj) entry "$name" "${base%.obj}" "sinew render $name " ;;
    *.txt) entry "$name" "character-${base%.txt}-skin" "sinew build $name --picture" ;;
    examples/c/*.json) entry "$name" "program-${base%.json}" "sinew run $name --picture" ;;
    *.json) entry "$name" "scene-${base%.json}" "sinew run $name --picture" ;;
    examples/c/*.c)
        base=${base%.c}
        if [ -e "${file%.c}.json" ]; then drawn="sinew run ${name%.c}.json --picture"; else drawn="sinew render "; fi
        entry "$name" "program-$base" "$drawn"
        grep -qF "$base.c" "$SOURCE/docs/programmers.md" || complain "$name is not in docs/programmers.md"
        ;;
    *) complain "nobody knows how $name is drawn" ;;
    esac
done

# The scenes that stand in programs, and what was added behind them in the documents: the mouse, cameras, titles.
for name in goal grab; do
    sed -n '/^static const char scene/,/;$/p' "$SOURCE/examples/c/$name.c" | grep -o '".*"' | sed 's/^"//; s/"$//; s/\\"/"/g' | tr -d ' \n' | sed 's/}$//' >"$work/text"
    [ -s "$work/text" ] || complain "examples/c/$name.c has no scene"
    case "$(tr -d ' \n' <"$SOURCE/examples/c/$name.json")" in
    "$(cat "$work/text")",*) ;;
    *) complain "examples/c/$name.json is not what $name.c builds" ;;
    esac
done
# What drop.c defines, as text: it comes to the same bits.
sed 's/return snWorld_Build(world, &scene, NULL, context, error);/(void)world; size_t size; char *text; snStatus status = snWorld_WriteScene(\&scene, \&text, \&size, context, error); fputs(text, stdout); exit(status);/
    s/#include <stdio.h>/#include <stdio.h>\n#include <stdlib.h>/' "$SOURCE/examples/c/drop.c" >"$work/drop.c"
"${CC:-cc}" -std=c11 -w -I"$SOURCE/include" "$work/drop.c" -L"$BUILD" -lsinew -Wl,-rpath,"$BUILD" -o "$work/drop"
"$work/drop" | sed 's/"duration": 10,/"duration": 2,/' >"$work/drop.json"
"$SINEW" run "$work/drop.json" --json | grep '"hash"' >"$work/defined"
"$SINEW" run "$SOURCE/examples/c/drop.json" --json | grep '"hash"' >"$work/written"
cmp -s "$work/defined" "$work/written" || complain "examples/c/drop.json is not what drop.c builds"

# Nothing else is there but what scenes are made of, which is made anew.
others=$(cd "$SOURCE" && find examples -type f ! -path 'examples/scenes/*' ! -path 'examples/characters/*' ! -path 'examples/c/*' ! -path 'examples/*/made/*')
[ -z "$others" ] || complain "no page speaks of $others"
[ $failed -eq 0 ] || exit 1
rm -rf "$work"
exec "$here/commands_test.sh" docs/scenes-gallery.md
