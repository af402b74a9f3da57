#!/bin/sh
# Interrupted in the middle, a bake leaves no half files, and goes on later to the same bytes.
. "$(dirname "$0")/lib.sh"

make_tube "$work/tube.glb"
cd "$work"
mkdir whole stopped
task="bake tube.glb --chain 0,0=twice --clip 0 --cells 300 --steps 3000"

# Background jobs of a shell ignore Ctrl-C, unless they are told not to.
reset=""
env --default-signal=INT true 2>/dev/null && reset="env --default-signal=INT"

# stop SIGNAL CODE: begins a bake, or goes on, and stops it a moment after it began to simulate.
stop() {
    : >stderr # what the last one said is not for this one
    # shellcheck disable=SC2086
    $reset "$SINEW" $task --resume --progress -o stopped/a.glb -o stopped/a.pc2 >stdout 2>stderr </dev/null &
    job=$!
    tries=0
    until grep -q 'baking' stderr || [ $tries -gt 600 ]; do
        sleep 0.1
        tries=$((tries + 1))
    done
    sleep 0.2
    kill -"$1" $job
    code=0
    wait $job || code=$?
    [ $code = "$2" ] || fail "stopped by $1, the exit code is $code: $(cat stderr)"
    grep -q 'interrupted at .* --resume goes on' stderr || fail "nothing is said: $(cat stderr)"
    [ "$(ls -A stopped | tr '\n' ' ')" = ".a.glb.sinew-checkpoint .a.glb.sinew-frames " ] ||
        fail "there are other files: $(ls -A stopped)"
}

# shellcheck disable=SC2086
run 0 $task -o whole/a.glb -o whole/a.pc2
run 0 bake tube.glb --clip 0 --cells 100 --steps 20 --resume -o whole/b.pc2
grep -q 'nothing to resume' stderr || fail "it is not said that there is nothing to resume"
stop TERM 143
grep -q 'nothing to resume' stderr || fail "it is not said that there is nothing to resume"
if [ -n "$reset" ]; then stop INT 130; else stop HUP 129; fi
grep -q 'going on with the bake' stderr || fail "it is not said that it goes on"
# shellcheck disable=SC2086
run 1 $task --fps 25 --resume -o stopped/a.glb
grep -q 'that one had "fps": 30, this has "fps": 25' stderr || fail "it is not said what differs: $(cat stderr)"
# shellcheck disable=SC2086
run 0 $task --resume -o stopped/a.glb -o stopped/a.pc2
for file in a.glb a.pc2; do
    cmp whole/$file stopped/$file || fail "$file differs from that of a bake that was not interrupted"
done
sed 's/stopped/whole/' stopped/a.sinew.json | cmp - whole/a.sinew.json || fail "the sidecar differs"
[ "$(ls -A stopped | wc -l)" = 3 ] || fail "something is left: $(ls -A stopped)"

finish
