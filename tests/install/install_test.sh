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
# What is missing here is told at the end, with the code of a test that was skipped: what could be tested was.
missing=
lacks() { # lacks WHAT: that part is not tested
    step "no $1 here: that part is left out"
    missing="$missing $1"
}
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

libraries=$(dirname "$(find "$prefix" -name libsinew.a)")
export LD_LIBRARY_PATH="$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"

step "the shared library exports what the public headers declare, and has no process-wide state"
nm -D --defined-only "$libraries/libsinew.so" | awk '{print $3}' | sort >"$work/exported"
if grep -qv '^sn[A-Z]' "$work/exported" || ! grep -qx snWorld_Step "$work/exported"; then
    echo "FAILED: the shared library exports"
    grep -v '^sn[A-Z]' "$work/exported"
    exit 1
fi
while read -r name; do
    grep -rq "\b$name(" "$prefix/include" || {
        echo "FAILED: $name is exported and in no public header"
        exit 1
    }
done <"$work/exported"
step "and every function that they declare is exported"
cat "$prefix"/include/sinew/*.h | sed 's|//.*||; /^typedef/d' | grep -oE '\bsn[A-Z][A-Za-z0-9_]*\(' | tr -d '(' | LC_ALL=C sort -u >"$work/declared"
[ "$(wc -l <"$work/declared")" -gt 50 ] || {
    echo "FAILED: only $(wc -l <"$work/declared") functions are found in the headers"
    exit 1
}
while read -r name; do
    grep -qx "$name" "$work/exported" || {
        echo "FAILED: $name is declared and not exported"
        exit 1
    }
done <"$work/declared"
step "every function is called by a test of the interface or an example"
while read -r name; do
    grep -qw "$name" "$here"/../api/*.[ch] "$here"/../../examples/c/*.c || {
        echo "FAILED: $name is called nowhere in tests/api and examples/c"
        exit 1
    }
done <"$work/exported"
abi=$(sed -n 's/^#define SN_ABI_VERSION //p' "$prefix/include/sinew/base.h")
objdump -p "$libraries/libsinew.so" | grep -q "SONAME *libsinew\.so\.$abi\$" || {
    echo "FAILED: the shared library is not called by its ABI version, $abi"
    exit 1
}
# Sections that can be written while running; what the compiler and its instruments put there begins with _.
case "$flags" in
*sanitize* | *coverage*) ;;
*)
    objdump -t "$libraries/libsinew.so" | awk '/ \.(data|bss)\t/ && $NF !~ /^(_|\.|completed)/' >"$work/written"
    if [ -s "$work/written" ]; then
        echo "FAILED: variables of the whole process:"
        cat "$work/written"
        exit 1
    fi
    ;;
esac

examples=$(cd "$here/../../examples/c" && pwd)
# prints PROGRAM ARGUMENTS...: all that it says is what tests/install/printed has of it, the hash of a state too.
prints() {
    name=$(basename "$1")
    "$@" >"$work/out"
    diff "$here/printed/$name.txt" "$work/out" || {
        echo "FAILED: $name prints something else (>) than tests/install/printed/$name.txt (<). Where results are meant to be others, write it anew"
        exit 1
    }
}
runExamples() { # runExamples FOLDER: where the programs are
    if [ -x "$build/tools/make-demo" ]; then
        [ -f "$work/demo.glb" ] || "$build/tools/make-demo" "$work/demo.glb" >/dev/null
        prints "$1/step" "$work/demo.glb" shake
        prints "$1/surfaces" "$work/demo.glb"
    else
        lacks make-demo
    fi
    prints "$1/drop"
    prints "$1/grab"
    prints "$1/goal"
}

if command -v pkg-config >/dev/null 2>&1; then
    PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name sinew.pc)")
    export PKG_CONFIG_PATH
    step "pkg-config: $(pkg-config --static --cflags --libs sinew)"
    # The shared library needs nothing else; the static one, named by its path, what --static says.
    # shellcheck disable=SC2046,SC2086 # words are wanted
    $cc $flags "$here/user/main.c" $(pkg-config --cflags --libs sinew) -o "$work/user"
    "$work/user" >"$work/out"
    expect "$work/out" "^sinew 0\."
    # shellcheck disable=SC2046,SC2086
    $cc $flags "$here/user/main.c" $(pkg-config --cflags sinew) "$libraries/libsinew.a" \
        $(pkg-config --static --libs sinew) -o "$work/user"
    "$work/user" >"$work/out"
    expect "$work/out" "^sinew 0\."
    step "the examples, by pkg-config"
    mkdir "$work/examples"
    for source in "$examples"/*.c; do
        name=$(basename "$source" .c)
        [ "$(wc -l <"$source")" -lt 100 ] || {
            echo "FAILED: $name.c has 100 lines or more"
            exit 1
        }
        # shellcheck disable=SC2046,SC2086
        $cc -std=c11 -Wall -Wextra -Wpedantic -Werror $flags "$source" \
            $(pkg-config --cflags --libs sinew) -lm -o "$work/examples/$name"
    done
    runExamples "$work/examples"
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
    lacks pkg-config
fi

step "every header by itself, as C and as C++"
command -v g++ >/dev/null 2>&1 || lacks g++
for header in "$prefix"/include/sinew/*.h; do
    name=sinew/$(basename "$header")
    for standard in c99 c11 c++11 c++20; do
        compiler=$cc language=c
        case $standard in c++*) compiler=g++ language=c++ ;; esac
        command -v "$compiler" >/dev/null 2>&1 || continue
        echo "#include <$name>" | $compiler -std=$standard -Wall -Wextra -Wpedantic -Werror -fsyntax-only \
            -I"$prefix/include" -x $language - || {
            echo "FAILED: $name by itself is no $standard"
            exit 1
        }
    done
done

step "CMake: find_package(sinew)"
"$cmake" -S "$here/user" -B "$work/user-build" -DCMAKE_PREFIX_PATH="$prefix" \
    -DCMAKE_C_COMPILER="$cc" -DCMAKE_C_FLAGS="$flags" -DEXAMPLES="$examples" \
    >"$work/configure.log" 2>&1 || {
    cat "$work/configure.log"
    exit 1
}
"$cmake" --build "$work/user-build" >"$work/build.log" 2>&1 || {
    cat "$work/build.log"
    exit 1
}
"$work/user-build/user" >"$work/out"
expect "$work/out" "^sinew 0\."
"$work/user-build/user-shared" >"$work/out"
expect "$work/out" "^sinew 0\."
step "the examples, by CMake"
runExamples "$work/user-build"
if [ -n "$missing" ]; then
    echo "passed as far as it went; missing here:$missing"
    exit 77
fi
echo "ok"
