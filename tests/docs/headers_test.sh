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
    // What is above.
    int above;
    int below;
    int longer; // one that goes on
                // in the next line
    int after;
} snThing;

int snThing_Unsaid(const snThing *thing);

// The first alone.
int snThing_First(const snThing *thing);
int snThing_Second(const snThing *thing,
                   int number);

// Both of these:
int snThing_Third(const snThing *thing);
int snThing_Fourth(const snThing *thing);

int snThing_Fifth(const snThing *thing);
END
wanted='int unsaid|int below|int after|snThing_Unsaid|snThing_Second|snThing_Fifth'
found=$(awk -f "$here/headers.awk" "$bad" || true)
[ "$(echo "$found" | wc -l)" = 6 ] && [ "$(echo "$found" | grep -cE "$wanted")" = 6 ] ||
    { echo "the check does not find what has no comment, but: $found"; exit 1; }

# The shared library is called by its ABI version wherever it is named.
abi=$(sed -n 's/^#define SN_ABI_VERSION //p' "$SOURCE/include/sinew/base.h")
others=$(grep -ohE 'libsinew\.so\.[0-9]+' "$SOURCE"/include/sinew/*.h "$SOURCE"/README.md "$SOURCE"/docs/*.md | grep -vx "libsinew.so.$abi" || true)
[ -z "$others" ] || { echo "the ABI version is $abi, but the library is called $others"; exit 1; }
echo "ok"
