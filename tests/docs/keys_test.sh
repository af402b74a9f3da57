#!/bin/sh
# Every key that a table of the documents' formats has is written by some test or example: in JSON as "key":, in scripts of characters as key=.
set -eu
cd "$SOURCE"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# What tests and examples say, one key in a line.
find tests examples -name '*.c' -o -name '*.h' -o -name '*.sh' -o -name '*.json' -o -name '*.txt' | LC_ALL=C sort | xargs cat >"$work/all"
grep -oE '\\?"[A-Za-z]+([-][a-z]+)*\\?": ?' "$work/all" | tr -d '\\": ' >"$work/written"
grep -oE '[a-z]+[-a-z0-9]*=' "$work/all" | tr -d '=' >>"$work/written"
LC_ALL=C sort -u -o "$work/written" "$work/written"

failed=0 count=0
for page in scene rig-file character-file coat-file; do
    # First cells of rows of tables whose header begins with "key"; code within them.
    awk -F'|' '/^\| *(key|shape|kind) *\|/ { on = 1; next } !/^\|/ { on = 0 } on && $2 ~ /`/ { print $2 }' "docs/$page.md" |
        grep -oE '`[A-Za-z][-A-Za-z]*`' | tr -d '`' | LC_ALL=C sort -u >"$work/keys"
    [ -s "$work/keys" ] || { echo "docs/$page.md has no table of keys"; failed=1; }
    while IFS= read -r key; do
        count=$((count + 1))
        grep -qx -- "$key" "$work/written" && continue
        grep -qE "\"$key\\\\?\"" "$work/all" && continue
        echo "docs/$page.md: no test or example writes \"$key\""
        failed=1
    done <"$work/keys"
done
echo "$count keys"
exit "$failed"
