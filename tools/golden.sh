#!/bin/sh
# make golden: the golden hashes of every example (tests/golden) by GCC and Clang, without optimisation and with -O2, on 1, 2 and 8
# threads. Each variant is built once, in build-golden. Without optimisation examples take ten times as long: there all are compared after the steps
# that make test asks for on 2 threads, and after the first ones (STEPS) on 1 and 8, with what the release build makes of these.
#     tools/golden.sh [VARIANT...]     such as gcc-O0 clang-O2; all four where none is named
set -eu
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- gcc-O0 gcc-O2 clang-O0 clang-O2
steps=${STEPS:-2}
first=build-golden/first-$steps.txt
failed=""

compare() { # VARIANT
    golden=build-golden/$1/tests/golden/golden
    case "$1" in
    *-O0)
        "$golden" ${ONLY:+--only "$ONLY"} --threads 2 &&
            "$golden" ${ONLY:+--only "$ONLY"} --most "$steps" --file "$first" --threads 1,8
        ;;
    *) "$golden" ${ONLY:+--only "$ONLY"} --whole --threads "${THREADS:-1,2,8}" ;;
    esac
}

for variant in "$@"; do
    build=build-golden/$variant
    level=-${variant#*-}
    cmake -S . -B "$build" -G Ninja --log-level=WARNING -DCMAKE_BUILD_TYPE=None -DCMAKE_C_COMPILER="${variant%-*}" \
        -DCMAKE_C_FLAGS="$level" -DSINEW_KERNEL_SPEED="$level" -DSINEW_BENCH=OFF >/dev/null
    ninja --quiet -C "$build" golden
done
case "$*" in *-O0*)
    ninja --quiet -C build golden
    build/tests/golden/golden --threads 1 --most "$steps" --file "$first" --write >/dev/null
    ;;
esac
for variant in "$@"; do
    echo "$variant"
    compare "$variant" || failed="$failed $variant"
done
[ -z "$failed" ] || { echo "other bits with$failed" >&2; exit 1; }
