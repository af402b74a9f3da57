#!/bin/sh
# make coverage: builds with counters, runs the tests that exercise the library, and prints lines and branches by room.
#     tools/coverage.sh [REGEX]     only tests whose name matches
# The goal for asset, numerics and body is 90 % of the branches: where all tests are run, below it this fails.
#
# How it is compiled (CMakePresets.json): with -O1, as tests take too long at -O0, but without early inlining, threaded jumps,
# branches turned into minima and conditions joined into one: so every && and ?: is a branch of its own as at -O0, and a
# function that is inlined at ten places is counted once.
#
# What is not counted, and why:
# - assertions: NDEBUG, as in what is shipped; a branch of an assertion is never taken by its meaning.
# - branches that compilers make by themselves, on lines without code of ours.
# - copies: a kernel is compiled for every instruction set and a header in every file that includes it. A line is counted once, and
#   a branch as taken if it is in one of them. Functions that kernels must inline for constant arguments are not inlined here
#   (SN_ALWAYS_INLINE in core/simd.h).
#
# What is not run, as it only repeats what others cover, for long: golden hashes, stress, hostile mutants, the command and its
# failing calls, the long examples, films and pictures, the site, installing. Of rooms outside of the library nothing is said.
set -eu
cd "$(dirname "$0")/.."
begun=$(date +%s)
jobs=$(nproc)
since() { echo "$(($(date +%s) - begun)) s"; }

cmake --preset coverage --log-level=WARNING >/dev/null
ninja -C build-coverage
echo "built: $(since)"
find build-coverage -name '*.gcda' -delete
left_out='^(golden|stress|hostile|failing|clients|render|cli|scenes|docs|demo|install|bench)/'
failed=0
ctest --test-dir build-coverage --parallel "$jobs" --timeout 300 --output-on-failure ${1:+-R "$1"} -E "$left_out" || failed=$?
echo "tests: $(since)"
goal=
[ $# -gt 0 ] || goal=--goal
tools/coverage.py build-coverage out/coverage $goal || failed=$?
echo "Branches that no test took: out/coverage/untaken.txt. Total time: $(since)"
exit "$failed"
