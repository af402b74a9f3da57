#!/bin/sh
# No example is missing in the gallery: every file of examples/ is linked there, every scene and every character has a command
# that draws it, and the strips that it shows are there. All commands of the page are run.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
page=$SOURCE/docs/scenes-gallery.md
failed=0
complain() {
    echo "docs/scenes-gallery.md: $*"
    failed=1
}
for file in "$SOURCE"/examples/scenes/* "$SOURCE"/examples/characters/*; do
    [ -f "$file" ] || continue
    name=${file#"$SOURCE"/}
    grep -qF "](../$name)" "$page" || complain "$name is not linked"
    case "$name" in
    *.coat.json | *.bvh) grep -q "^sinew coat $name .*--picture" "$page" || complain "no command draws $name" ;;
    *.json) grep -q "^sinew run $name .*--picture" "$page" || complain "no command runs $name" ;;
    *.txt) grep -q "^sinew build $name .*--picture" "$page" || complain "no command builds $name" ;;
    esac
done
for file in "$SOURCE"/examples/c/*; do
    grep -qF "$(basename "$file")" "$SOURCE/docs/programmers.md" || complain "examples/c/$(basename "$file") is not in docs/programmers.md"
done
# Nothing else is there but what scenes are made of, which is made anew.
others=$(cd "$SOURCE" && find examples -type f ! -path 'examples/scenes/*' ! -path 'examples/characters/*' ! -path 'examples/c/*' ! -path 'examples/*/made/*')
[ -z "$others" ] || complain "no page speaks of $others"
[ $failed -eq 0 ] || exit 1
exec "$here/commands_test.sh" docs/scenes-gallery.md
