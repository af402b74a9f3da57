#!/bin/sh
# Scenes from the command: the same bytes for any number of threads, the table against closed forms,
# frames, files whole or not at all, errors with paths, interrupts.
. "$(dirname "$0")/lib.sh"
cd "$work"
cat >fall.json <<'END'
{"sinew": "scene", "version": 1, "step": 0.01, "duration": 0.5, "frameRate": 20,
 "bodies": [{"name": "block", "box": {"size": [0.3, 0.2, 0.2], "cells": [2, 1, 1]}, "quadrature": 1,
             "place": [0, 3, 0], "velocity": [1, 0, 0]},
            {"name": "ball, \"soft\"", "box": {"size": [0.2, 0.2, 0.2], "cells": [2, 2, 2]}, "quadrature": 1,
             "scheme": "maccracken-joy", "place": [0, 0.3, 0]}],
 "colliders": [{"kind": "floor"}],
 "probes": [{"name": "top", "body": "block", "point": [0, 0.1, 0]}],
 "outputs": {"cache": "kept/fall.pc2", "csv": "kept/fall.csv"}}
END
mkdir kept

# Where nothing is said, the scene says where results go.
run 0 run fall.json -j1
[ -s kept/fall.block.pc2 ] && [ -s kept/fall.csv ] || fail "the scene's outputs are not there: $(ls -R)"
grep -q '2 bodies' stdout || fail "the summary: $(cat stdout)"
grep -q 'real time' stdout || fail "the speed is not told"
run 0 run fall.json -j2 -o two.pc2 --csv two.csv
cmp kept/fall.csv two.csv || fail "one and two threads give different tables"
cmp kept/fall.block.pc2 two.block.pc2 || fail "one and two threads give different surfaces"

# Columns by name: v = g t, centre along x, the momentum of both directions.
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    function off(a, b) { return a > b ? a - b : b - a }
    { t = $1; rows++
      if (off($at["block.momentum.y"], -12 * 9.81 * t) > 1e-6) bad = bad " fall at " t
      if (off($at["block.center.x"], t) > 1e-9) bad = bad " drift at " t
      if (off($at["block.kinetic"], 6 * (1 + (9.81 * t) ^ 2)) > 1e-5) bad = bad " energy at " t
      if (off($at["block.volume"], 0.012) > 1e-9) bad = bad " volume at " t
      if (off($at["top.y"] - $at["block.center.y"], 0.1) > 1e-6) bad = bad " probe at " t }
    END { if (rows != 11 || bad) { print rows " rows:" bad; exit 1 } }' two.csv >awk.out ||
    fail "the table is not what falling gives: $(cat awk.out)"
head -n 1 two.csv | grep -q 'ball_ _soft_.volume' || fail "names in the table: $(head -n 1 two.csv)"

# A row for every step; frames by number.
run 0 run fall.json --every-step --csv steps.csv -o all.obj
[ "$(wc -l <steps.csv)" = 52 ] || fail "51 rows were expected for 50 steps"
[ -s all.0011.obj ] && [ ! -e all.0012.obj ] || fail "frames are not numbered from 1 to 11"
run 0 run fall.json --frames 3:5 -o some.obj --csv some.csv
[ -s some.0003.obj ] && [ ! -e some.0004.obj ] || fail "three frames were expected: $(ls)"
cmp some.0001.obj all.0003.obj || fail "frame 3 is not the first that is kept"
[ "$(cut -d, -f1 some.csv | tr '\n' ' ')" = "$(cut -d, -f1 kept/fall.csv | sed -n '1p;4,6p' | tr '\n' ' ')" ] ||
    fail "the table has other rows than the frames asked for: $(cut -d, -f1 some.csv)"
sed 's|kept/fall.pc2|kept/fall.fbx|' fall.json >ending.json
run 1 run ending.json
grep -q 'ending.json: outputs.cache: .*end in .glb' stderr || fail "an ending in a scene: $(cat stderr)"
grep -q -e '--help' stderr && fail "a scene's mistake is told as wrong usage"
run 2 run fall.json --frames 99: -o none.obj
run 2 run fall.json --frames five -o none.obj

# Bodies of every model in one .glb, to be validated where that can be done; the same bytes for any number of threads.
make_tube tube.glb
cp "$SOURCE/examples/scenes/ball.coat.json" .
cat >all.json <<'END'
{"sinew": "scene", "version": 1, "step": 0.01, "duration": 0.4, "frameRate": 20,
 "bodies": [{"name": "lattice", "sphere": {"radius": 0.2}, "contact": false, "spin": [0, 0, "90deg"]},
            {"name": "poly", "poly": {"order": 2}, "box": {"size": [0.2, 0.2, 0.2]}, "place": [1, 0.3, 0], "color": "#204080"},
            {"name": "coat", "coat": {"file": "ball.coat.json"}, "place": [2, 0.3, 0]},
            {"name": "tube", "character": {"file": "tube.glb"}},
            {"name": "skin", "skin": {"over": "lattice", "cell": "6 cm"}}],
 "colliders": [{"kind": "floor"},
               {"kind": "box", "name": "door", "size": [0.1, 0.4, 0.3],
                "keys": [{"time": 0, "place": [4, 1, 0]}, {"time": 0.4, "place": [4, 2, 0], "rotation": {"axis": [0, 1, 0], "angle": 90}}]},
               {"kind": "sphere", "name": "moon", "radius": 0.2, "place": [6, 1, 0]},
               {"kind": "sphere", "name": "unseen", "radius": 0.2, "place": [8, 1, 0], "hidden": true},
               {"kind": "container", "name": "room", "size": [20, 20, 20]}]}
END
run 0 run all.json -j1 -o one.glb --json
sed -n 's/.*"error": *\([0-9.e-]*\).*/\1/p' stdout >told
awk '{ if ($1 > 0.002) exit 1 } END { if (NR != 1) exit 1 }' told || fail "the error of surfaces in .glb: $(cat stdout)"
run 0 run all.json -j2 -o two.glb
cmp one.glb two.glb || fail "one and two threads give different .glb"
grep -q 'morph targets' stdout || fail "the summary does not tell of targets: $(cat stdout)"
run 0 info one.glb
grep -q '9 meshes' stdout || grep -q '9 parts' stdout || fail "five bodies and four colliders were expected: $(cat stdout)"
grep -q -a '"door"' one.glb && grep -q -a '"moon"' one.glb && ! grep -q -a '"unseen"' one.glb || fail "colliders in the .glb"
validated=0
"$SOURCE/tools/validate.sh" one.glb >valid.txt 2>&1 || validated=$?
[ "$validated" = 0 ] || [ "$validated" = 77 ] || fail "the validator: $(cat valid.txt)"
# What a character's skin passes by is there too, by its own name.
cat >beak.txt <<'END'
joint add low parent=none at=0,0,0
joint add high at=0,0.3,0
muscle add belly joint=low at=0,0.15,0 size=0.1
muscle add beak joint=high at=0,0,0.1 size=0.03 bare=yes
skin create bottom=low top=high rows=6 columns=8 way=rays
skin attach
END
run 0 build beak.txt -o beak.character.json
cat >beak.json <<'END'
{"sinew": "scene", "version": 1, "step": 0.01, "duration": 0.1, "frameRate": 20, "bodies": [{"name": "bird", "layered": {"file": "beak.character.json"}}]}
END
run 0 run beak.json -o beak.glb
grep -q -a '"bird.beak"' beak.glb || fail "the bare muscle is not in the .glb"
run 3 run all.json -o rough.glb --max-targets 1
grep -q -e '--max-targets' stdout || fail "too few targets are not told: $(cat stdout)"
run 2 run all.json -o none.glb --tolerance 2
run 2 run fall.json --csv fall.json

# Nothing that the scene reads is written over, whatever it is called.
cat >reads.json <<'END'
{"sinew": "scene", "version": 1, "duration": 0.05, "bodies": [{"name": "a", "lattice": "shape.json",
 "material": {"young": {"file": "young.csv"}}}]}
END
echo '{"vertices": [[0,0,0],[1,0,0],[1,1,0],[0,1,0],[0,0,1],[1,0,1],[1,1,1],[0,1,1]], "cells": [[0,1,2,3,4,5,6,7]]}' >shape.json
printf '1000\n1000\n1000\n1000\n2000\n2000\n2000\n2000\n' >young.csv
cp young.csv young.kept
run 0 run reads.json --csv good.csv
run 2 run reads.json --csv ./young.csv
grep -q 'young.csv is read' stderr || fail "a file that is read: $(cat stderr)"
run 2 run reads.json -o kept/../shape.json
ln -s young.csv link.csv
run 2 run reads.json --csv link.csv
cmp young.csv young.kept || fail "a file that is read was written"

# Tables that would not fit are refused at once.
sed 's/"duration": 0.5/"duration": 9e4/; s/"step": 0.01/"step": 1e-3/; s/"frameRate": 20/"frameRate": 5/' fall.json >endless.json
run 1 run endless.json --csv endless.csv --every-step
grep -q 'rows takes' stderr || fail "a table without end: $(cat stderr)"

# Nothing is written by a dry run; JSON for programs.
run 0 run fall.json --dry-run -o dry.pc2 --csv dry.csv
grep -q 'would write' stdout || fail "the dry run does not say what it would write"
[ ! -e dry.csv ] && [ ! -e dry.block.pc2 ] || fail "a dry run wrote something"
run 0 run fall.json --json -o j.pc2
grep -q '"hash"' stdout || fail "no hash in the JSON"

# What is wrong is named by its file and path, and nothing is left behind.
sed 's/"velocity"/"velocty"/' fall.json >wrong.json
run 1 run wrong.json -o wrong.pc2
grep -q 'wrong.json: bodies\[0\]: .*did you mean "velocity"' stderr || fail "the wrong key: $(cat stderr)"
sed 's/"box": {[^}]*}/"mesh": {"file": "..\/secret.obj"}/' fall.json >climb.json
run 1 run climb.json -o climb.pc2
grep -q 'climb.json: bodies\[0\].mesh.file: ' stderr || fail "a path that climbs out: $(cat stderr)"
sed 's/kept\/fall.pc2/..\/fall.pc2/' fall.json >out.json
run 1 run out.json
grep -q 'outputs.cache' stderr || fail "an output that climbs out: $(cat stderr)"
run 1 run fall.json -o missing/a.pc2
run 1 run none.json
[ ! -e wrong.block.pc2 ] || fail "a failed run wrote something"

# Points that contradict each other: done, but degraded.
sed 's/"probes"/"attachments": [{"body": "block", "vertex": 0, "at": [0, 0, 0]}, {"body": "block", "vertex": 0, "at": [1, 0, 0]}], "probes"/' fall.json >torn.json
run 3 run torn.json --csv torn.csv
grep -q 'contradict' stdout || fail "the contradiction is not told: $(cat stdout)"

# Scripts: what came of goals is told, in words and as JSON; recorded lengths of steps give the same end.
cat >acts.json <<'END'
{"sinew": "scene", "version": 1, "step": 0.01, "duration": 1,
 "bodies": [{"name": "block", "box": {"size": [0.3, 0.2, 0.2], "cells": [2, 1, 1]}, "quadrature": 1, "place": [0, 3, 0]}],
 "points": [{"name": "tip", "body": "block", "point": [0.15, 0, 0]}, {"name": "peg", "place": [0.5, 3, 0]}],
 "scripts": [{"name": "actor", "goals": [
   {"do": "disconnect", "point": "tip", "onFail": "continue"},
   {"name": "hang", "do": "grab", "point": "tip", "target": "peg", "time": 0.3},
   {"do": "wait", "until": {"near": ["tip", "peg"], "distance": 0}, "limit": 0.2}]}]}
END
run 3 run acts.json
grep -q '0.300 s  actor: grab "hang": done' stdout || fail "the goal is not told: $(cat stdout)"
grep -q 'disconnect (goal 0): failed, there is nothing to let go' stdout || fail "the reason is not told: $(cat stdout)"
grep -q 'warning: a script stopped at a goal that failed: actor: wait (goal 2): its time ran out' stdout ||
    fail "the script's end is not told: $(cat stdout)"
run 3 run acts.json --json -j2
grep -q '"reason": *"its time ran out"' stdout || fail "the reason is not in the JSON: $(cat stdout)"
grep -q '"failedGoal": *2' stdout || fail "the goal that failed is not in the JSON: $(cat stdout)"
grep '"hash"' stdout >acts.hash
run 3 run acts.json --json -j1
grep '"hash"' stdout | cmp - acts.hash || fail "one and two threads end differently"
run 3 run acts.json --realtime --record acts.steps
run 3 run acts.json --replay acts.steps
sed 's/"limit": 0.2/"limit": 0.2, "onFail": "continue"/' acts.json >handled.json
run 0 run handled.json
sed 's/"time": 0.3/"time": -0.3/' acts.json >wrong.json
run 1 run wrong.json
grep -q 'wrong.json: scripts\[0\].goals\[1\].time: ' stderr || fail "a negative time: $(cat stderr)"

# An interrupt leaves no half files.
sed 's/"duration": 0.5/"duration": 5000/' fall.json >long.json
"$SINEW" run long.json --csv long.csv >long.out 2>&1 &
sleep 1
kill -TERM $!
code=0
wait $! || code=$?
[ "$code" = 143 ] || fail "an interrupted run ends with code $code"
[ ! -e long.csv ] || fail "an interrupted run left a table"
[ -z "$(find . -name '.part*' -o -name '*.part*')" ] || fail "an interrupted run left $(find . -name '*part*')"

# All outputs or none, films too: an encoder of a few lines stands for ffmpeg, and one that fails.
mkdir -p good bad films
printf '#!/bin/sh\nfor last; do :; done\ncat >"$last"\n' >good/ffmpeg
printf '#!/bin/sh\nexit 1\n' >bad/ffmpeg
chmod +x good/ffmpeg bad/ffmpeg
plain_path=$PATH
if "$SINEW" render -q "$SOURCE/examples/scenes/ring.obj" -n 1 -s 16x16 -o x.png 2>/dev/null; then
    PATH=$work/bad:$plain_path
    run 1 run "$SOURCE/examples/scenes/drop.json" --frames 1:3 -o films/d.pc2 --csv films/d.csv --record films/d.steps --picture films/d.mp4
    [ -z "$(ls -A films)" ] || fail "left of a film that failed: $(ls -A films)"
    PATH=$work/good:$plain_path
    run 0 run "$SOURCE/examples/scenes/drop.json" --frames 1:3 -o films/d.pc2 --csv films/d.csv --record films/d.steps --picture films/d.mp4
    [ "$(find films -type f -size +0 | wc -l)" = 4 ] || fail "not all outputs are there: $(ls -A films)"
    [ "$(wc -c <films/d.mp4)" = $((3 * 960 * 540 * 4)) ] || fail "the film has other frames: $(wc -c <films/d.mp4)"
    PATH=$plain_path
fi
# Pictures of any size; none that no machine could hold.
if "$SINEW" run -q "$SOURCE/examples/scenes/drop.json" --frames 1:2 --picture small.png --size 64x48 >/dev/null 2>&1; then
    width=$(od -An -j16 -N4 -tu1 small.png | awk '{ print $3 * 256 + $4 }')
    [ "$width" -ge 128 ] && [ "$width" -lt 200 ] || fail "two panels of 64 pixels are $width wide"
fi
run 2 run "$SOURCE/examples/scenes/drop.json" --picture huge.png --size 8192x8192
grep -q 'million pixels' stderr || fail "huge pictures are not refused"
run 2 run "$SOURCE/examples/scenes/drop.json" --picture odd.png --size 640
grep -q 'write it as 640x480' stderr || fail "a size is not explained"

finish
