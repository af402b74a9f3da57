#!/bin/sh
# What the library needs and Debian does not package for wasm32-wasi, from Debian's own source packages: AMD and Qhull as
# static libraries, jsmn's header. Once; they stay in build-wasm/deps. Beside them start.o, what programs begin with.
set -eu
cd "$(dirname "$0")/../.."
deps=$PWD/build-wasm/deps
mkdir -p "$deps"
[ "$deps/start.o" -nt tools/wasm/start.c ] || clang-14 --target=wasm32-wasi -O2 -c tools/wasm/start.c -o "$deps/start.o"
[ -e "$deps/.done" ] && exit 0
rm -rf "$deps/include" "$deps/lib" "$deps/apt" "$deps/source" "$deps/objects"
mkdir -p "$deps/include" "$deps/lib" "$deps/apt/lists/partial" "$deps/apt/parts" "$deps/source"

# The lists of sources that this machine has, as lists of source packages.
for list in /etc/apt/sources.list.d/*.sources; do
    [ -e "$list" ] && sed 's/^Types:.*/Types: deb-src/' "$list" >"$deps/apt/parts/$(basename "$list")"
done
cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null |
    sed -n 's/^deb /deb-src /p' >"$deps/apt/parts/sources.list" || true
apt="apt-get -q -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts=$deps/apt/parts -o Dir::State::Lists=$deps/apt/lists -o APT::Sandbox::User=root"
cd "$deps/source"
echo "sinew: fetching the sources of AMD and Qhull"
if ! { $apt update && $apt source --download-only suitesparse qhull; } >"$deps/log" 2>&1; then
    tail -n 5 "$deps/log" >&2
    echo "sinew: the source packages suitesparse and qhull could not be fetched" >&2
    exit 1
fi
for archive in *.orig.tar.*; do tar xf "$archive"; done

compile() { # LIBRARY FLAGS FILES...
    library=$1 flags=$2
    shift 2
    mkdir -p "$deps/objects/$library"
    for file in "$@"; do
        # shellcheck disable=SC2086 # several flags
        clang-14 --target=wasm32-wasi -O2 -ffp-contract=off -fno-math-errno -w -isystem "$OLDPWD/tools/wasm/include" $flags \
            -c "$file" -o "$deps/objects/$library/$(basename "$file" .c).o"
    done
    llvm-ar-14 rcs "$deps/lib/lib$library.a" "$deps/objects/$library"/*.o
}
suite=$(echo SuiteSparse-*/ suitesparse-*/ | tr ' ' '\n' | grep -v '\*' | head -n 1)
hull=$(echo qhull-*/ | head -n 1)
compile suitesparseconfig "-I${suite}SuiteSparse_config -DNTIMER" "${suite}SuiteSparse_config/SuiteSparse_config.c"
compile amd "-I${suite}SuiteSparse_config -I${suite}AMD/Include -DDINT" "${suite}"AMD/Source/amd_*.c
compile qhull_r "-I${hull}src" "${hull}"src/libqhull_r/*.c
cp "${suite}"AMD/Include/amd.h "${suite}"SuiteSparse_config/SuiteSparse_config.h "$deps/include"
mkdir -p "$deps/include/libqhull_r"
cp "${hull}"src/libqhull_r/*.h "$deps/include/libqhull_r"
cp "$(find /usr/include -name jsmn.h | head -n 1)" "$deps/include"
rm -rf "$deps/source" "$deps/apt" "$deps/objects"
touch "$deps/.done"
