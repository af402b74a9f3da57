#!/bin/sh
# The Khronos glTF validator: tools/validate.sh [--baseline INPUT.glb] FILE...
# Installs it with npm into build/validate the first time. Exit code 0: no errors; 1: errors;
# 77, which CTest counts as skipped: there is no Node.js or npm here, or it cannot be fetched.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
home=${SINEW_VALIDATOR:-$here/../build/validate}

skip() {
    echo "validate: skipped: $*" >&2
    exit 77
}

# Installed beside its place and moved there, so that tests may do it at the same time.
install_validator() {
    command -v npm >/dev/null 2>&1 || skip "npm is not installed"
    mkdir -p "$(dirname "$home")"
    fresh=$(mktemp -d "$home.XXXXXX")
    trap 'rm -rf "$fresh"' EXIT
    cp "$here/validate/package.json" "$fresh/"
    npm install --prefix "$fresh" --no-package-lock --no-audit --no-fund --ignore-scripts \
        --fetch-retries 1 >"$fresh/npm.log" 2>&1 || {
        tail -n 3 "$fresh/npm.log" >&2
        skip "npm cannot fetch gltf-validator"
    }
    # The old one, of another version, goes; whoever comes second finds the first one's and uses it.
    if [ -e "$home" ] && ! is_current; then rm -rf "$home"; fi
    mv -T "$fresh" "$home" 2>/dev/null || is_current
    rm -rf "$fresh"
    trap - EXIT
}

is_current() {
    [ -d "$home/node_modules/gltf-validator" ] && cmp -s "$here/validate/package.json" "$home/package.json"
}

command -v node >/dev/null 2>&1 || skip "node is not installed"
is_current || install_validator
home=$(cd "$home" && pwd)
SINEW_VALIDATOR=$home exec node "$here/validate/validate.mjs" "$@"
