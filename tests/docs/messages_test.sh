#!/bin/sh
# Messages in docs/troubleshooting.md are what the program prints: every piece of them between … stands in its strings.
set -eu
cd "$SOURCE"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# All code in one line, strings that stand side by side made one, and quotes in them plain.
find src -name '*.[ch]' -exec cat {} + | tr -d '\n' | sed -e 's/" *"//g' -e 's/\\"/"/g' >"$work/code"
awk -F'|' '/^## Where no message tells/ { exit } /^\| `/ { print $2 }' docs/troubleshooting.md >"$work/rows"
awk -F'|' 'on && /^\| `(nothing|…)/ { print $2 } /^## For programmers/ { on = 1 }' docs/troubleshooting.md >>"$work/rows"
grep -o '`[^`]*`' "$work/rows" | tr -d '`' | sed 's/…/\n/g' | sed 's/^ *//; s/ *$//' | awk 'length > 5' >"$work/pieces"
failed=0
while IFS= read -r piece; do
    grep -qF -- "$piece" "$work/code" || { echo "no message has: $piece"; failed=1; }
done <"$work/pieces"
[ "$(wc -l <"$work/pieces")" -gt 40 ] || { echo "hardly a message was found"; failed=1; }
[ $failed -eq 0 ] && echo "ok: $(wc -l <"$work/pieces") pieces of messages"
