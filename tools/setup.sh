#!/bin/sh
# Makes sure that what the build needs is on this machine. Installs missing Debian or Ubuntu
# packages when it may (root, or sudo without a question), else says exactly what to install.
#     tools/setup.sh build      the program, the library, the demo, the benchmarks
#     tools/setup.sh test       and what the tests use
#     tools/setup.sh bench      and what the benchmarks measure against besides
#     tools/setup.sh clients    and programs of others that tests try results with: large
#     tools/setup.sh check      and what .ci/run uses
#     tools/setup.sh coverage   and what the coverage report uses
#     tools/setup.sh valgrind   and Valgrind
#     tools/setup.sh docs       what makes pages of the documents
#     tools/setup.sh wasm       what compiles for browsers
# The Makefile calls it once and keeps a stamp in build/.
set -eu

build="gcc libc6-dev cmake ninja-build pkg-config
    libsuitesparse-dev libqhull-dev libjsmn-dev
    libegl-dev libgles-dev libegl1 libegl-mesa0 libgl1-mesa-dri libpng-dev libjpeg-dev"
test="g++ nodejs npm cmark-gfm" # tests skip what they lack of these, so they are not insisted on
bench="g++ libbullet-dev" # benchmarks leave out what they lack of these
clients="nodejs npm chromium blender python3-numpy"
check="clang clang-format-14" # clang-format by number: versions format differently
required="$build"
optional=""
case "${1:-build}" in
build) ;;
test) optional="$test" ;;
bench) optional="$bench" ;;
clients) required="$build" optional="$clients" ;;
check) required="$build $test $check" ;;
coverage) required="$build python3" optional="$test" ;;
valgrind) required="$build valgrind" optional="$test" ;;
docs) required="$build cmark-gfm" ;;
wasm) required="$build clang-14 llvm-14 lld-14 wasi-libc libclang-rt-14-dev-wasm32 nodejs" ;;
*)
    echo "usage: tools/setup.sh build|test|bench|clients|check|coverage|valgrind|docs|wasm" >&2
    exit 2
    ;;
esac

# The program that a package brings, so that one which came another way will do.
program_of() {
    case "$1" in
    gcc) echo cc ;;
    nodejs) echo node ;;
    ninja-build) echo ninja ;;
    cmake | pkg-config | g++ | npm | clang | clang-format-14 | python3 | valgrind | cmark-gfm | chromium | blender) echo "$1" ;;
    esac
}

has_package() {
    status=$(dpkg-query -W -f '${Status}' "$1" 2>/dev/null) && [ "$status" = "install ok installed" ]
}

missing_of() {
    for package in "$@"; do
        program=$(program_of "$package")
        if [ -n "$program" ] && command -v "$program" >/dev/null 2>&1; then continue; fi
        has_package "$package" || printf ' %s' "$package"
    done
}

# Installs the packages named, as root or through sudo; quiet unless it fails.
install_packages() {
    echo "sinew: installing$(printf ' %s' "$@")"
    log=$(mktemp)
    # One `sh -c`, so that sudo is asked once and the environment reaches apt-get.
    command='apt-get update -q && apt-get install -qy --no-install-recommends "$@"'
    if $sudo env DEBIAN_FRONTEND=noninteractive sh -c "$command" sh "$@" >"$log" 2>&1; then
        rm -f "$log"
        return 0
    fi
    tail -n 20 "$log" >&2
    rm -f "$log"
    return 1
}

check_cmake() {
    version=$(cmake --version 2>/dev/null | sed -n '1s/.*version \([0-9]*\.[0-9]*\).*/\1/p')
    major=${version%%.*} minor=${version#*.}
    if [ -n "$version" ] && [ "$((major * 1000 + minor))" -ge 3025 ]; then return 0; fi
    echo "sinew: CMake 3.25 or later is needed, and this is ${version:-no CMake at all}." >&2
    echo "Debian 12 and Ubuntu 24.04 have it; on Ubuntu 22.04 install a newer one beside it:" >&2
    echo "    sudo apt-get install -y python3-pip && sudo python3 -m pip install 'cmake>=3.25'" >&2
    echo "then run make again." >&2
    return 1
}

if ! command -v dpkg-query >/dev/null 2>&1 || ! command -v apt-get >/dev/null 2>&1; then
    cat >&2 <<'END'
sinew: this is neither Debian nor Ubuntu, so nothing is installed for you. Needed are a C17 compiler,
CMake 3.25 or later, Ninja, pkg-config, SuiteSparse (AMD; CHOLMOD for benchmarks and tests),
Qhull, jsmn (jsmn.h), libpng, libjpeg, EGL and OpenGL ES (Mesa), each with its headers; for all tests
also a C++ compiler, Node.js and npm; for all benchmarks Bullet. The build names what it cannot find.
END
    exit 0
fi

missing=$(missing_of $required)
extra=$(missing_of $optional)
if [ -n "$missing$extra" ]; then
    if [ "$(id -u)" = 0 ]; then
        sudo=""
    elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
        sudo="sudo"
    elif [ -n "$missing" ]; then
        echo "sinew: packages are missing. Install them with:" >&2
        echo "    sudo apt-get install --no-install-recommends$missing$extra" >&2
        echo "then run make again." >&2
        exit 1
    else
        echo "sinew: some tests or benchmarks will be skipped. To run them too:" >&2
        echo "    sudo apt-get install --no-install-recommends$extra" >&2
        extra=""
    fi
fi
if [ -n "$missing" ] && ! install_packages $missing; then
    echo "sinew: installing failed. Try it by hand:" >&2
    echo "    sudo apt-get update && sudo apt-get install --no-install-recommends$missing" >&2
    exit 1
fi
if [ -n "$extra" ] && ! install_packages $extra; then
    echo "sinew: going on without$extra: some tests or benchmarks will be skipped." >&2
fi
check_cmake
