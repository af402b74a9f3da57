#!/bin/sh
# make coverage: what the tests that ran have covered, by room: lines, and branches. Branches that compilers make by themselves (of sizes
# they unroll for, of functions that never return) are left out, and so are assertions. The goal for asset, numerics and body is 90 %.
set -eu
cd "$(dirname "$0")/.."
mkdir -p out/coverage
gcovr --root . --filter src/ --filter include/ --exclude-unreachable-branches --exclude-throw-branches \
    --exclude-lines-by-pattern '.*SN_ASSERT.*' --gcov-ignore-parse-errors -j "$(nproc)" \
    --csv out/coverage/files.csv --html-details out/coverage/index.html build-coverage >/dev/null
awk -F, '
    NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
    {
        split($column["filename"], part, "/")
        room = part[1] == "include" ? "include" : part[2]
        if (room == "body") room = part[4] == "" ? room : room "/" part[3]
        n = split(room == "all" ? "all" : room " all" (room ~ /^body\// ? " body" : ""), name, " ")
        for (i = 1; i <= n; i++) {
            lines[name[i]] += $column["line_total"]; linesRun[name[i]] += $column["line_covered"]
            branches[name[i]] += $column["branch_total"]; branchesRun[name[i]] += $column["branch_covered"]
        }
    }
    function share(run, total) { return total ? sprintf("%.1f %%", 100 * run / total) : "-" }
    END {
        printf "%-16s %18s %18s\n", "room", "lines", "branches"
        for (room in lines)
            printf "%-16s %8d %9s %8d %9s\n", room, lines[room], share(linesRun[room], lines[room]), branches[room], \
                share(branchesRun[room], branches[room]) | "sort"
    }' out/coverage/files.csv
echo "Every line: out/coverage/index.html"
