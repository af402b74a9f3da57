#!/bin/sh
# Makes sure that what the build needs is on this machine. Installs missing Debian or Ubuntu
# packages when it may (root, or sudo without a question), else says exactly what to install.
#     tools/setup.sh build | test | check
set -eu
build="gcc libc6-dev cmake ninja-build pkg-config libsuitesparse-dev libmetis-dev libqhull-dev libjsmn-dev libegl-dev libgles-dev libegl1 libegl-mesa0 libgl1-mesa-dri libpng-dev"
test="nodejs npm"
check="clang clang-format"
case "${1:-build}" in
build) wanted="$build" ;;
test) wanted="$build $test" ;;
check) wanted="$build $test $check" ;;
*) echo "usage: tools/setup.sh build|test|check" >&2; exit 2 ;;
esac

if ! command -v dpkg-query >/dev/null 2>&1; then
    echo "sinew: this is not a Debian or Ubuntu system: install the equivalents of: $wanted" >&2
    exit 0 # the build itself will name what it cannot find
fi
have() { dpkg-query -W -f '${Status}' "$1" 2>/dev/null | grep -q 'install ok installed'; }
missing=""
for package in $wanted; do
    case "$package" in # a program that came another way will do
    gcc|cmake|clang|clang-format|npm) command -v "$package" >/dev/null 2>&1 && continue ;;
    nodejs) command -v node >/dev/null 2>&1 && continue ;;
    ninja-build) command -v ninja >/dev/null 2>&1 && continue ;;
    esac
    have "$package" || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" = 0 ]; then sudo=""
elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then sudo="sudo"
else
    echo "sinew: packages are missing. Install them with:" >&2
    echo "    sudo apt-get install$missing" >&2
    exit 1
fi
echo "sinew: installing$missing"
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! { $sudo apt-get update -q && $sudo apt-get install -qy --no-install-recommends $missing; } >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    echo "sinew: installing failed. Install by hand: apt-get install$missing" >&2
    exit 1
fi
