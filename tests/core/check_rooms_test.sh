#!/bin/sh
# tools/check-rooms.sh itself: good trees pass, and every kind of bad line is found.
#     check_rooms_test.sh ROOT_OF_THE_SOURCES
set -eu
check="$1/tools/check-rooms.sh"
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
failed=0

# expect CODE FILE LINE: a tree with that line in that file gives that exit code.
expect() {
    rm -rf "$tree/src" "$tree/include"
    mkdir -p "$tree/src" "$tree/include/sinew" "$(dirname "$tree/$2")"
    printf '// first line\n%s\n' "$3" >"$tree/$2"
    code=0
    output=$("$check" "$tree") || code=$?
    if [ "$code" != "$1" ]; then
        echo "exit code $code instead of $1 for '$3' in $2: $output"
        failed=1
    elif [ "$code" = 1 ] && ! echo "$output" | grep -qF "$2:2:$3"; then
        echo "the line is not shown for '$3' in $2: $output"
        failed=1
    fi
}

expect 0 src/core/a.c '#include "core/vec.h"'
expect 0 src/body/lattice/a.c '#include "numerics/sparse.h"'
expect 0 src/body/lattice/a.c '#include "body/lattice/lattice.h"'
expect 0 src/render/a.c '#include "platform/clock.h"'
expect 0 src/cli/a.c '#include "bake/bake.h"'
expect 0 src/platform/a.c '#include "core/error.h"'
expect 0 src/platform/a.c '#include <sys/stat.h>'
expect 0 src/render/a.c '#include "shader_texts.h"'
expect 0 src/core/a.c '#include "sinew/base.h"'
expect 0 src/core/a.c '// #include "cli/options.h"'
expect 0 include/sinew/a.h '#include "sinew/base.h"'
expect 0 include/sinew/a.h '#include <stddef.h>'

expect 1 src/core/a.c '#include "numerics/sparse.h"'
expect 1 src/core/a.c '  #  include "numerics/sparse.h"'
expect 1 src/character/a.c '#include "platform/clock.h"'
expect 1 src/bake/a.h '#include "platform/files.h"'
expect 1 src/platform/a.c '#include "geometry/mesh.h"'
expect 1 src/render/a.c '#include "cli/options.h"'
expect 1 src/body/lattice/a.c '#include "bake/bake.h"'
expect 1 src/geometry/a.c '#include "../body/body.h"'
expect 1 src/geometry/a.c '#include <core/vec.h>'
expect 1 src/geometry/a.c '#include "tests/test.h"'
expect 1 src/attic/a.c '#include <math.h>'
expect 1 src/geometry/a.c '#include SOMETHING'
expect 1 include/sinew/a.h '#include "core/vec.h"'
expect 1 include/sinew/a.h '#include <core/vec.h>'
expect 1 include/sinew/a.h '#include "jsmn.h"'

# left CODE FILE: a repository with that file in it.
left() {
    rm -rf "$tree/src" "$tree/include" "$tree/.git"
    mkdir -p "$tree/src" "$tree/include" "$(dirname "$tree/$2")"
    : >"$tree/$2"
    git -C "$tree" init -q
    git -C "$tree" add -f "$2"
    code=0
    "$check" "$tree" >/dev/null || code=$?
    if [ "$code" != "$1" ]; then
        echo "exit code $code instead of $1 for a repository with $2"
        failed=1
    fi
    rm -f "$tree/$2"
}
if command -v git >/dev/null; then
    left 0 README.md
    left 0 tests/core/a.txt
    left 1 step.c.gcov
    left 1 tests/platform/.part168-0
    left 1 run.log
    left 1 notes
fi

[ $failed = 0 ] && echo "all trees were judged rightly"
exit $failed
