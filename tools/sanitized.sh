#!/bin/sh
# Runs a command with the sanitizers set to end the program at their first finding:
#     tools/sanitized.sh ctest --test-dir build-asan
set -eu
here=$(cd "$(dirname "$0")" && pwd)
# Code 99, so that no test takes a finding for the error it expects.
export ASAN_OPTIONS="exitcode=99:detect_leaks=1:detect_stack_use_after_return=1:strict_string_checks=1"
export UBSAN_OPTIONS="exitcode=99:print_stacktrace=1:halt_on_error=1"
export LSAN_OPTIONS="exitcode=99:suppressions=$here/lsan.supp:print_suppressions=0"
export TSAN_OPTIONS="exitcode=99:halt_on_error=1:second_deadlock_stack=1:suppressions=$here/tsan.supp"
# The thread sanitizer of GCC 12 cannot place its shadow memory where recent kernels put programs:
# without random addresses it can, and the others do not mind.
if command -v setarch >/dev/null 2>&1 && setarch -R true 2>/dev/null; then
    exec setarch -R "$@"
fi
exec "$@"
