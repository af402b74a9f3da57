#!/bin/sh
# three.js in headless Chromium plays the soft clips, and agrees with the point caches: three.mjs.
. "$(dirname "$0")/../cli/lib.sh"
"$SOURCE/tools/clients.sh" present node chromium three 2>"$work/why" || skip "$(cat "$work/why")"
node "$(dirname "$0")/three.mjs" "$BAKED" || fail "three.js"
finish
