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

# make_tube FILE.glb: a small character that is baked in a moment: a tube with ten joints that sways.
make_tube() {
    awk 'BEGIN {
        n = 12; m = 40; turn = 6.283185307 / n
        for (k = 0; k <= m; k++) for (i = 0; i < n; i++) {
            r = 0.3 * (1 + 0.4 * sin(0.3 * k))
            printf "v %f %f %f\n", r * cos(turn * i), 4 * k / m, r * sin(turn * i)
        }
        printf "v 0 0 0\nv 0 4 0\n"
        for (k = 0; k < m; k++) for (i = 0; i < n; i++) {
            a = k * n + i + 1; b = k * n + (i + 1) % n + 1
            printf "f %d %d %d %d\n", a, a + n, b + n, b
        }
        c = (m + 1) * n + 1
        for (i = 0; i < n; i++) {
            printf "f %d %d %d\n", c, i + 1, (i + 1) % n + 1
            printf "f %d %d %d\n", c + 1, m * n + (i + 1) % n + 1, m * n + i + 1
        }
    }' >"$work/tube.obj"
    "$SINEW" rig "$work/tube.obj" --sway -o "$1" >"$work/tube.log"
}
