#!/bin/sh
# What a user of the library does: install, and build a program by pkg-config and by CMake.
#     SINEW_BUILD=build tests/install/install_test.sh
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=${SINEW_BUILD:-$here/../../build}
cmake=${CMAKE:-cmake} cc=${CC:-cc} flags=${CFLAGS:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

step() { echo "-- $*"; }
expect() { # expect FILE TEXT
    grep -q "$2" "$1" || {
        echo "FAILED: expected \"$2\", got:"
        cat "$1"
        exit 1
    }
}

step "install, then move the folder: nothing in it may know where it was"
DESTDIR="" "$cmake" --install "$build" --prefix "$work/first" >"$work/install.log"
mv "$work/first" "$work/prefix"
prefix=$work/prefix
if grep -rqI -e "$work" -e "$here" "$prefix/include" "$prefix"/lib*; then
    echo "FAILED: an installed file names the folder that it was built or installed in:"
    grep -rlI -e "$work" -e "$here" "$prefix/include" "$prefix"/lib*
    exit 1
fi

step "the program runs from its new place"
"$prefix/bin/sinew" --version >"$work/version"
expect "$work/version" '[0-9]\.[0-9]'

if command -v pkg-config >/dev/null 2>&1; then
    PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name sinew.pc)")
    export PKG_CONFIG_PATH
    step "pkg-config: $(pkg-config --static --cflags --libs sinew)"
    for static in "" --static; do # a static library needs the same either way
        # shellcheck disable=SC2046,SC2086 # words are wanted
        $cc $flags "$here/user/main.c" $(pkg-config $static --cflags --libs sinew) -o "$work/user"
        "$work/user" >"$work/out"
        expect "$work/out" "^sinew 0\."
    done
    step "every object of the library finds what it needs"
    # shellcheck disable=SC2046,SC2086
    $cc $flags "$here/user/main.c" $(pkg-config --cflags sinew) -Wl,--whole-archive \
        "$(find "$prefix" -name libsinew.a)" -Wl,--no-whole-archive \
        $(pkg-config --static --libs sinew) -o "$work/user-whole"
    "$work/user-whole" >"$work/out"
    expect "$work/out" "^sinew 0\."
    if command -v g++ >/dev/null 2>&1; then
        step "C++"
        # shellcheck disable=SC2046,SC2086
        g++ -std=c++11 -Wall -Wextra -Wpedantic -Werror $flags "$here/user/main.cpp" \
            $(pkg-config --static --cflags --libs sinew) -o "$work/user-cpp"
        "$work/user-cpp" >"$work/out"
        expect "$work/out" "^sinew 0\."
    fi
else
    step "no pkg-config here: that part is skipped"
fi

step "CMake: find_package(sinew)"
"$cmake" -S "$here/user" -B "$work/user-build" -DCMAKE_PREFIX_PATH="$prefix" \
    -DCMAKE_C_COMPILER="$cc" -DCMAKE_C_FLAGS="$flags" >"$work/configure.log" 2>&1 || {
    cat "$work/configure.log"
    exit 1
}
"$cmake" --build "$work/user-build" >"$work/build.log" 2>&1 || {
    cat "$work/build.log"
    exit 1
}
"$work/user-build/user" >"$work/out"
expect "$work/out" "^sinew 0\."
echo "ok"
