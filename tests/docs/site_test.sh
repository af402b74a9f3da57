#!/bin/sh
# Every picture of the documents is one that `make gallery` makes; the documents become a site, and every link in them
# leads somewhere.
set -eu
cd "$SOURCE"
tools/gallery.sh --list | sort >/tmp/gallery.made.$$
find docs/pictures -name '*.png' | sed 's|.*/||; s|\.png$||' | sort >/tmp/gallery.there.$$
different=0
diff /tmp/gallery.made.$$ /tmp/gallery.there.$$ || different=1
rm -f /tmp/gallery.made.$$ /tmp/gallery.there.$$
[ $different -eq 0 ] || { echo "pictures that are made (<) and pictures that are there (>) differ"; exit 1; }

# docs/papers.md names tests that there are.
ctest --test-dir "$BUILD" -N | sed -n 's/.*#[0-9]*: //p' >/tmp/papers.$$
missing=$(grep -o '`[a-z]*/[a-z_/]*`' docs/papers.md | tr -d '`' | sort -u | grep -vxF -f /tmp/papers.$$ || true)
rm -f /tmp/papers.$$
[ -z "$missing" ] || { echo "docs/papers.md names tests that are not there: $missing"; exit 1; }

# And single cases of them.
failed=0
for name in $(grep -o '`[a-z][a-z]*[A-Z][A-Za-z]*`' docs/papers.md | tr -d '`' | sort -u); do
    grep -rqF "RUN($name)" tests --include='*.c' || { echo "docs/papers.md names the case $name, which no test runs"; failed=1; }
done

# And examples: files of scenes and characters, parts of the benchmarks.
for name in $(grep -o '`[a-z-]*\.\(json\|txt\)`' docs/papers.md | tr -d '`' | sort -u); do
    [ -e "examples/scenes/$name" ] || [ -e "examples/characters/$name" ] ||
        { echo "docs/papers.md names $name, which is no example"; failed=1; }
done
for name in $(grep -o 'make bench ONLY=[a-z0-9/]*' docs/papers.md | sed 's/.*=//' | sort -u); do
    grep -qF "{\"$name" bench/main.c || { echo "docs/papers.md names the figure $name, which is not there"; failed=1; }
done
# Rows have a test or a figure, and something that shows them.
awk -F'|' '/^## Theory/ { exit } /^\| / && !/^\| feature/ && NF == 5 && ($4 ~ /^ *$/ || $3 $4 ~ /^ *$/) { print "docs/papers.md: nothing shows:" $2; bad = 1 }
    END { exit bad }' docs/papers.md || failed=1
[ $failed -eq 0 ] || exit 1

command -v cmark-gfm >/dev/null || { echo "skipped: cmark-gfm is not here"; exit 77; }
SITE=$(mktemp -d) && export SITE
trap 'rm -rf "$SITE"' EXIT
"$SOURCE/tools/site/site.sh"
[ -s "$SITE/index.html" ] && grep -q 'href="docs/getting-started.html"' "$SITE/index.html"
