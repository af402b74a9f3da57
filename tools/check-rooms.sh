#!/bin/sh
# Checks that every room of src/ includes only rooms that stand above it, and that the public
# headers include only each other and system headers; and that nothing lies about that a program left
# there (counters of coverage, logs, files half written). Prints what is at fault; exit code 1.
#     tools/check-rooms.sh [FOLDER OF A SOURCE TREE]
set -eu
cd "${1:-$(dirname "$0")/..}"
if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
    left=$(git ls-files | grep -E '\.(gcov|gcda|gcno|log|orig|rej|o|tmp)$|(^|/)\.part|~$' || true)
    strangers=$(git ls-files | grep -vE '/|^(\.clang-format|\.gitignore|[A-Za-z]+\.(md|txt|json)|LICENSE|Makefile)$' || true)
    if [ -n "$left$strangers" ]; then
        printf '%s\n' "$left" "$strangers" | LC_ALL=C sort -u | grep .
        echo "    does not belong to the project"
        exit 1
    fi
fi
find src include -type f \( -name '*.[ch]' -o -name '*.cpp' -o -name '*.inc' \) | LC_ALL=C sort |
    {
        while IFS= read -r file; do
            # /dev/null makes grep print the file's name.
            grep -nE '^[[:space:]]*#[[:space:]]*include' "$file" /dev/null || true
        done
    } | awk '
BEGIN {
    count = split("core numerics geometry skeleton character asset constraint contact body layered world control scene bake api platform render cli", order, " ")
    for (i = 1; i <= count; i++) rank[order[i]] = i
}

function complain(why) {
    print $0 "\n    " why
    bad++
}

# What an include line names: sets name and quoted.
function parse(line) {
    name = line
    sub(/^[^"<]*/, "", name)
    quoted = substr(name, 1, 1) == "\""
    name = substr(name, 2)
    sub(/[">].*/, "", name)
    return name != ""
}

function checkPublic(first) {
    if (first in rank) complain("a public header shows the room " first)
    else if (quoted && first != "sinew") complain("public headers include only \"sinew/...\" and system headers")
}

function checkRoom(room, first) {
    if (!(first in rank)) {
        if (first == "tests" || first == "bench" || first == "tools") complain("src/ uses " first "/")
        return
    }
    if (!quoted) complain("rooms are included with quotation marks")
    if (rank[first] > rank[room]) complain(room " stands above " first " and may not use it")
    else if (room == "platform" && first != "platform" && first != "core") complain("platform may use only core")
}

{
    file = $0; sub(/:.*/, "", file)
    line = $0; sub(/^[^:]*:[0-9]+:/, "", line)
    if (!parse(line)) { complain("cannot tell what is included"); next }
    if (name ~ /(^|\/)\.\.(\/|$)/) { complain("includes are named from src/ or include/, without .."); next }
    slash = index(name, "/")
    first = slash ? substr(name, 1, slash - 1) : ""
    split(file, part, "/")
    if (part[1] == "include") checkPublic(first)
    else if (part[2] in rank) checkRoom(part[2], first)
    else complain("src/" part[2] " is not a known room")
}

END {
    if (bad) print bad " includes at fault"
    exit bad ? 1 : 0
}'
