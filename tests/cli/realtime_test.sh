#!/bin/sh
# Runs in real time: as long as the clock, frames at their times whatever the steps are, recordings that give the same bytes
# on any number of threads, and broken ones refused.
. "$(dirname "$0")/lib.sh"
cd "$work"
# Steps that are far too short for any machine: longer ones must be taken.
cat >quick.json <<'END_SCENE'
{"sinew": "scene", "version": 1, "step": 0.00025, "duration": 0.12, "frameRate": 100, "stepLengths": [1, 3, 7, 16],
 "bodies": [{"name": "block", "box": {"size": [0.3, 0.2, 0.2], "cells": [3, 2, 2]}, "place": [0, 3, 0], "velocity": [1, 0, 0]},
            {"name": "low", "box": {"size": [0.2, 0.2, 0.2], "cells": [2, 2, 2]}, "place": [0, 0.11, 0]}],
 "colliders": [{"kind": "floor"}],
 "throws": [{"body": "low", "time": 0.05, "velocity": [0, 1, 0]}]}
END_SCENE

# Exit code 3 where even the longest steps were too short.
code=0
"$SINEW" run quick.json --realtime --record quick.steps --csv quick.csv -o quick.pc2 -o quick.obj >stdout 2>stderr || code=$?
[ "$code" = 0 ] || [ "$code" = 3 ] || fail "a run in real time ends with code $code: $(cat stderr)"
grep -q 'steps by their ticks:.* [37]: \|steps by their ticks:.* 16: ' stdout || fail "no longer steps: $(cat stdout)"
[ "$code" = 0 ] && word='kept up' || word='could not keep up'
grep -q "$word" stdout || fail "how well it kept up is not told: $(cat stdout)"
[ -s quick.steps ] && [ "$(wc -c <quick.steps)" -lt 20000 ] || fail "the recording: $(ls -l)"

# Frames at their times, and on straight ways in between: the block flies on at its speed.
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    function off(a, b) { return a > b ? a - b : b - a }
    { if (off($1, rows * 0.01) > 1e-12) bad = bad " time " $1
      if (off($at["block.center.x"], $1) > 1e-7) bad = bad " place at " $1
      if (off($at["block.momentum.y"], -12 * 9.81 * $1) > 1e-5) bad = bad " fall at " $1
      rows++ }
    END { if (rows != 13 || bad) { print rows " rows:" bad; exit 1 } }' quick.csv >awk.out ||
    fail "the table in real time: $(cat awk.out)"

for frame in 02 07 13; do
    awk -v t="0.$((${frame#0} - 1))" 'BEGIN { t = substr(t, 3) / 100 } /^v / { off = $2 - (t - 0.15); exit }
        END { if (off > 1e-5 || off < -1e-5) { print "off by " off; exit 1 } }' quick.00$frame.obj >awk.out ||
        fail "the surface of frame $frame: $(cat awk.out)"
done

# Played again: the same bytes.
for threads in 1 2; do
    run 0 run quick.json --replay quick.steps -j $threads --csv again.csv -o again.pc2
    cmp quick.csv again.csv || fail "played on $threads threads the table differs"
    cmp quick.block.pc2 again.block.pc2 || fail "played on $threads threads the surfaces differ"
done
run 0 run quick.json --replay quick.steps --frames 1:6 --csv part.csv
head -n 7 quick.csv | cmp - part.csv || fail "a part of a recording is not a part of the run"

# Without the clock: a recording of equal steps.
run 0 run quick.json --record even.steps --csv even.csv
run 0 run quick.json --replay even.steps --csv even2.csv
cmp even.csv even2.csv || fail "equal steps are not the same again"
[ "$(wc -c <even.steps)" -lt 100 ] || fail "a recording of equal steps is $(wc -c <even.steps) bytes"

# It lasts as long as the clock says.
sed 's/"step": 0.00025/"step": 0.01/; s/"stepLengths": .*$//' quick.json >calm.json
code=0
"$SINEW" run calm.json --realtime --json >stdout 2>stderr || code=$?
[ "$code" = 0 ] || [ "$code" = 3 ] || fail "a calm run ends with code $code: $(cat stderr)"
awk -F'[:,]' '/"runSeconds"/ { if ($2 < 0.1) exit 1 }' stdout || fail "it did not wait: $(cat stdout)"
grep -q '"largestLag"' stdout || fail "no pace in the JSON: $(cat stdout)"

# What cannot be played.
head -c 50 quick.steps >cut.steps
run 1 run quick.json --replay cut.steps
grep -q 'cut.steps: the recording is cut off' stderr || fail "cut off: $(cat stderr)"
run 1 run quick.json --replay quick.json
grep -q 'not a recording' stderr || fail "no recording: $(cat stderr)"
run 1 run calm.json --replay quick.steps
grep -q 'quick.steps: the recording has steps of' stderr || fail "other steps: $(cat stderr)"
sed 's/0.11, 0/0.12, 0/' quick.json >other.json
run 1 run other.json --replay quick.steps
grep -q 'begins with another world' stderr || fail "another scene: $(cat stderr)"
sed 's/"time": 0.05/"time": 0.06/' quick.json >later.json
run 1 run later.json --replay quick.steps --csv later.csv
grep -q 'ends after' stderr || fail "another end: $(cat stderr)"
[ ! -e later.csv ] || fail "a run that went elsewhere wrote its table"
sed 's/"duration": 0.12/"duration": 0.3/' quick.json >longer.json
run 1 run longer.json --replay quick.steps
grep -q 'before the run' stderr || fail "too short a recording: $(cat stderr)"
run 1 run quick.json --replay none.steps
run 2 run quick.json --replay quick.steps --realtime
run 2 run quick.json --replay quick.steps --record more.steps
run 2 run quick.json --record quick.json
sed 's/\[1, 3, 7, 16\]/[1, 3, 3]/' quick.json >wrong.json
run 1 run wrong.json
grep -q 'stepLengths\[2\]' stderr || fail "wrong lengths: $(cat stderr)"
finish
