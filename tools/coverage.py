#!/usr/bin/env python3
# What tools/coverage.sh prints: reads the counters of all object files through gcov, and adds up lines and branches by room.
#     tools/coverage.py BUILD OUT [--goal]     --goal: fails where a room is below its goal
# OUT/files.csv has every file, OUT/untaken.txt every branch that no test took, with its line. An object file counts a header's
# and a kernel's lines anew: here a line is one line, and a branch is taken if it is in any of them.
import csv
import json
import os
import re
import subprocess
import sys
from collections import defaultdict

build, out = os.path.abspath(sys.argv[1]), sys.argv[2]
root = os.getcwd()
GOAL = {"asset": 90, "numerics": 90, "body": 90}

# file -> line -> [times run, [times each branch was taken]]
files = defaultdict(dict)


def add(document):
    for source in document["files"]:
        path = os.path.relpath(os.path.join(document["current_working_directory"], source["file"]), root)
        if not path.startswith(("src/", "include/")) or path.startswith(("src/render/", "src/cli/")):
            continue
        lines = files[path]
        for line in source["lines"]:
            known = lines.setdefault(line["line_number"], [0, []])
            known[0] += line["count"]
            branches = [b["count"] for b in line["branches"] if not b["throw"]]
            known[1].extend([0] * (len(branches) - len(known[1])))
            for i, count in enumerate(branches):
                known[1][i] += count


def read_counters():
    names = [os.path.join(d, f) for d, _, found in os.walk(build) for f in sorted(found) if f.endswith(".gcno")]  # also of what no test linked
    for first in range(0, len(names), 50):
        text = subprocess.run(["gcov", "--json-format", "--stdout", "--branch-probabilities"] + names[first:first + 50],
                              cwd=build, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False).stdout
        for line in text.splitlines():
            add(json.loads(line))


def rooms_of(path):
    part = path.split("/")
    if part[0] == "include":
        return ["include", "all"]
    if part[1] == "body" and len(part) > 3:
        return ["body/" + part[2], "body", "all"]
    return [part[1], "all"]


def main():
    read_counters()
    os.makedirs(out, exist_ok=True)
    totals = defaultdict(lambda: [0, 0, 0, 0])
    with open(os.path.join(out, "files.csv"), "w", newline="") as table, open(os.path.join(out, "untaken.txt"), "w") as untaken:
        rows = csv.writer(table)
        rows.writerow(["file", "lines", "run", "branches", "taken"])
        for path in sorted(files):
            text = open(path, encoding="utf-8").read().split("\n")
            row = [0, 0, 0, 0]
            for number, (count, branches) in sorted(files[path].items()):
                code = text[number - 1] if number <= len(text) else ""
                if not re.search(r"\w", code):
                    branches = []  # the compiler's own, on a brace
                taken = sum(1 for b in branches if b)
                for k, n in enumerate((1, count > 0, len(branches), taken)):
                    row[k] += n
                if taken < len(branches):
                    untaken.write(f"{path}:{number}: {len(branches) - taken} of {len(branches)}, run {count} times: {code.strip()}\n")
            rows.writerow([path] + row)
            for room in rooms_of(path):
                totals[room] = [a + b for a, b in zip(totals[room], row)]
    share = lambda part, whole: f"{100 * part / whole:.1f} %" if whole else "-"
    print(f"{'room':16} {'lines':>18} {'branches':>18}")
    missed = sorted(set(GOAL) - set(totals))
    for room, (lines, run, branches, taken) in sorted(totals.items()):
        goal = ""
        if room in GOAL:
            reached = branches and 100 * taken >= GOAL[room] * branches
            goal = f"   goal {GOAL[room]} %: " + ("reached" if reached else "not yet")
            missed += [] if reached else [room]
        print(f"{room:16} {lines:8} {share(run, lines):>9} {branches:8} {share(taken, branches):>9}{goal}")
    return missed


missed = main()
if missed and "--goal" in sys.argv[3:]:
    sys.exit("tools/coverage.py: below the goal for branches: " + ", ".join(missed))
