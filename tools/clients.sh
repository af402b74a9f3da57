#!/bin/sh
# Programs of others that read what bake writes, for `make test-clients`:
#     tools/clients.sh install    three.js and Playwright, with npm, into build/clients (SINEW_CLIENTS)
#     tools/clients.sh present    exit code 0 when all of them are here, Chromium and Blender too
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
    for program in node blender chromium; do
        command -v "$program" >/dev/null 2>&1 || {
            echo "clients: $program is not installed" >&2
            exit 1
        }
    done
    is_current || {
        echo "clients: three.js and Playwright are not installed; \`make test-clients\` does it" >&2
        exit 1
    }
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
