#!/bin/sh
# Every function, type, field and constant of the public headers says what it is; and the check finds what does not.
set -eu
here=$(dirname "$0")
failed=0
for header in "$SOURCE"/include/sinew/*.h; do
    awk -f "$here/headers.awk" "$header" || failed=1
done
[ $failed -eq 0 ] || { echo "these have no comment"; exit 1; }

bad=$(mktemp)
trap 'rm -f "$bad"' EXIT
cat >"$bad" <<'END'
// Of a thing.
typedef struct snThing {
    int said; // how many
    int unsaid;
} snThing;

int snThing_Unsaid(const snThing *thing);

// Both.
int snThing_First(const snThing *thing);
int snThing_Second(const snThing *thing,
                   int number);
END
found=$(awk -f "$here/headers.awk" "$bad" || true)
[ "$(echo "$found" | wc -l)" = 2 ] && echo "$found" | grep -q 'int unsaid' && echo "$found" | grep -q snThing_Unsaid ||
    { echo "the check does not find what has no comment, but: $found"; exit 1; }
echo "ok"
