#!/bin/sh
# make golden: the golden hashes of every example (tests/golden) by GCC and Clang, without optimisation and with -O2, on 1, 2 and 8
# threads. Each variant is built once, in build-golden.
#     tools/golden.sh [VARIANT...]     such as gcc-O0 clang-O2; all four where none is named
set -eu
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- gcc-O0 gcc-O2 clang-O0 clang-O2
failed=""
for variant in "$@"; do
    build=build-golden/$variant
    level=-${variant#*-}
    cmake -S . -B "$build" -G Ninja --log-level=WARNING -DCMAKE_BUILD_TYPE=None -DCMAKE_C_COMPILER="${variant%-*}" \
        -DCMAKE_C_FLAGS="$level" -DSINEW_KERNEL_SPEED="$level" -DSINEW_BENCH=OFF >/dev/null
    ninja --quiet -C "$build" golden
    echo "$variant"
    "$build/tests/golden/golden" ${ONLY:+--only "$ONLY"} --threads "${THREADS:-1,2,8}" || failed="$failed $variant"
done
[ -z "$failed" ] || { echo "other bits with$failed" >&2; exit 1; }
