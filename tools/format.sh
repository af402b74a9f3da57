#!/bin/sh
# Writes every tracked C file in the project's format, or with --check says which are not.
set -eu
cd "$(dirname "$0")/.."
tool=$(command -v clang-format-14 || command -v clang-format) || {
    echo "tools/format.sh: clang-format is missing (Debian package clang-format-14)" >&2
    exit 1
}
"$tool" --version | grep -q 'version 14\.' ||
    echo "tools/format.sh: this is not clang-format 14, others may format differently" >&2
case "${1:-}" in
--check) set -- --dry-run -Werror ;;
*) set -- -i ;;
esac
git ls-files -z --cached --others --exclude-standard -- '*.c' '*.h' '*.cpp' |
    xargs -0 -r sh -c 'for f; do [ ! -e "$f" ] || printf "%s\0" "$f"; done' sh |
    xargs -0 -r "$tool" "$@"
