# shellcheck shell=sh
# Shared by the tests of the command. They get SINEW (the program), MAKE_DEMO (the demo's generator),
# SOURCE (the project's folder) and ASSETS (characters that others made, perhaps absent) from CTest.
set -eu
: "${SINEW:?the program to test}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

finish() {
    if [ "$failures" -gt 0 ]; then
        echo "$failures checks failed"
        exit 1
    fi
    echo "ok"
    exit 0
}

skip() {
    echo "skipped: $*"
    exit 77
}

# run EXPECTED-CODE ARGUMENTS...: runs the program; its output is in $work/stdout and $work/stderr.
run() {
    expected=$1
    shift
    code=0
    "$SINEW" "$@" >"$work/stdout" 2>"$work/stderr" </dev/null || code=$?
    if grep -q -e 'Sanitizer' -e 'runtime error' "$work/stderr"; then
        fail "sinew $*: a sanitizer found something:"
        cat "$work/stderr"
    elif [ "$code" != "$expected" ]; then
        fail "sinew $*: exit code $code, expected $expected"
        cat "$work/stderr"
    fi
}
