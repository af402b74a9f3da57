#!/bin/sh
# make nightly: everything that is too long for make test, one after another; what fails does not keep the others from running. Says at the end how
# each went and how long it took; what they printed is in out/nightly.
#     tools/nightly.sh [TARGET...]     of make, such as stress tsan; all where none is named
set -eu
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- test golden stress failing hostile asan tsan valgrind coverage wasm
mkdir -p out/nightly
summary=out/nightly/summary.txt
failed=0
: >"$summary"
for target in "$@"; do
    begin=$(date +%s)
    echo "$target ..."
    if make "$target" ONLY= ALL=1 >"out/nightly/$target.txt" 2>&1; then how=passed; else how=FAILED failed=$((failed + 1)); fi
    printf '%-10s %s  %6d s\n' "$target" "$how" $(($(date +%s) - begin)) | tee -a "$summary"
    [ "$how" = passed ] || tail -n 20 "out/nightly/$target.txt"
done
echo
cat "$summary"
[ "$failed" = 0 ] || { echo "$failed of $# failed; see out/nightly" >&2; exit 1; }
