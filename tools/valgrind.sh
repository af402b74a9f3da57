#!/bin/sh
# make valgrind: tests of the release build under Valgrind's memcheck, by a pattern of their names: no bad access, no leak.
#     tools/valgrind.sh '^core/|^asset/json'
set -eu
cd "$(dirname "$0")/.."
failed=0 count=0
export OMP_THREAD_LIMIT=1 # threads of the library that ours is compared with (CHOLMOD) are never joined
# Commands of tests as CTest has them; scripts are left out.
ctest --test-dir build -N -V -R "$1" | sed -n 's/^[0-9]*: Test command: //p' | tr -d '"' >build/valgrind.txt
while read -r command; do
    case "$command" in *.sh*) continue ;; esac
    count=$((count + 1))
    # shellcheck disable=SC2086 # a program and its arguments
    if (cd "$(dirname "${command%% *}")" && valgrind --quiet --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite,possible \
        $command >valgrind.log 2>&1); then
        echo "ok     ${command##*/}"
    else
        failed=$((failed + 1))
        echo "FAILED ${command##*/}"
        grep -A 12 '^==' "$(dirname "${command%% *}")/valgrind.log" | head -n 40
    fi
done <build/valgrind.txt
echo "$count programs under Valgrind, $failed failed"
[ "$count" -gt 0 ] && [ "$failed" = 0 ]
