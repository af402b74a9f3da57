#!/bin/sh
# Runs the libFuzzer targets over the seeds of tests/hostile, one after another: tools/fuzz.sh [SECONDS]
# (60 each). They are in build-fuzz (`make fuzz` builds them), or where SINEW_FUZZ_BUILD says. What breaks
# one is left in out/fuzz/, with what was found on the way. Exit code 1 when something broke.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
build=${SINEW_FUZZ_BUILD:-$here/build-fuzz}
out=$here/out/fuzz
seconds=${1:-60}
failed=""
mkdir -p "$out"
"$build/tests/hostile/hostile" --corpus "$out/seeds"
for target in "$build"/tests/hostile/fuzz_*; do
    format=${target##*/fuzz_}
    mkdir -p "$out/$format"
    echo "==== $format ===="
    # Ten seconds and 2 GiB, as for mutants.
    "$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=65536 -print_final_stats=1 \
        -artifact_prefix="$out/$format-" "$out/$format" "$out/seeds/$format" >"$out/$format.log" 2>&1 ||
        failed="$failed $format"
    grep -e 'ERROR' -e 'not sound' -e 'without a word' -e 'runtime error' "$out/$format.log" || true
    sed -n 's/^stat::number_of_executed_units: */  inputs tried: /p' "$out/$format.log"
done
[ -z "$failed" ] || echo "broken:$failed; see out/fuzz/"
[ -z "$failed" ]
