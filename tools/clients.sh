#!/bin/sh
# Programs of others that read what bake writes, for `make test-clients`:
#     tools/clients.sh install              three.js and Playwright, with npm, into build/clients (SINEW_CLIENTS)
#     tools/clients.sh present [NAME...]    exit code 0 when those named are here: node, npm, chromium, blender, three;
#                                           without names all but three.js, which is fetched in a moment
# Chromium and Blender are packages of the system: tools/setup.sh clients.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
home=${SINEW_CLIENTS:-$here/../build/clients}

is_current() {
    [ -d "$home/node_modules/three" ] && [ -d "$home/node_modules/playwright-core" ] &&
        cmp -s "$here/clients/package.json" "$home/package.json"
}

case "${1:-}" in
present)
    shift
    [ $# -gt 0 ] || set -- node npm chromium blender
    for program in "$@"; do
        if [ "$program" = three ]; then
            is_current && continue
        elif command -v "$program" >/dev/null 2>&1; then
            continue
        fi
        echo "clients: $program is not installed; \`make test-clients\` does it where it may" >&2
        exit 1
    done
    ;;
install)
    is_current && exit 0
    command -v npm >/dev/null 2>&1 || {
        echo "clients: npm is not installed, so there is no three.js" >&2
        exit 1
    }
    rm -rf "$home"
    mkdir -p "$home"
    cp "$here/clients/package.json" "$home/"
    # The browser is the system's: no scripts that fetch another.
    if ! npm install --prefix "$home" --no-package-lock --no-audit --no-fund --ignore-scripts --fetch-retries 1 \
        >"$home/npm.log" 2>&1; then
        rm "$home/package.json"
        tail -n 3 "$home/npm.log" >&2
        echo "clients: npm cannot fetch three.js and Playwright" >&2
        exit 1
    fi
    ;;
*)
    echo "usage: tools/clients.sh install|present" >&2
    exit 2
    ;;
esac
