#!/bin/sh
# Layered characters from the command: built, undone to the byte, written, read again, cached; errors with line and word.
. "$(dirname "$0")/lib.sh"
cd "$work"

run 0 build "$SOURCE/examples/characters/penguin.txt" -o penguin.character.json --undo
grep -q '13 joints, 7 muscles' stdout || fail "the summary: $(cat stdout)"
grep -q 'the same bytes' stdout || fail "undo: $(cat stdout)"
run 0 build penguin.character.json -o again.character.json
cmp penguin.character.json again.character.json || fail "reading and writing changes bytes"
run 0 build "$SOURCE/examples/characters/penguin.txt" --json
grep -q '"muscles": 7' stdout || fail "JSON: $(cat stdout)"

cat >ball.txt <<'END'
settings duration=0.1
joint add low parent=none at=0,-0.11,0 kind=fixed size=4cm
joint add high at=0,0.22,0 kind=fixed size=4cm
muscle add ball joint=low at=0,0.11,0 size=0.1
skin create bottom=low top=high rows=6 columns=8
skin attach
posture keep a time=0
posture keep b time=0.1
END
run 0 build ball.txt --cache ball.pc2 --cache ball.usda --cache ball.glb -o ball.character.json
[ -s ball.skin.pc2 ] || [ -s ball.pc2 ] || fail "the cache is not there: $(ls)"
grep -q 'slid by' stdout || fail "what the skin did: $(cat stdout)"
# The skeleton alone: its postures play, and nothing is simulated.
if "$SINEW" build ball.txt --muscles --picture muscles.png >stdout 2>stderr; then
    [ -s muscles.png ] || fail "no picture of the muscles"
    ! grep -q 'simulated' stdout || fail "a skin is simulated that nobody sees: $(cat stdout)"
fi
run 0 info ball.glb
grep -q 'part skin' stdout || fail "the skin as .glb: $(cat stdout)"
run 2 build ball.txt --cache ball.fbx
grep -q 'end in .glb, .pc2, .mdd, .obj, .usda or .json' stderr || fail "what caches may be: $(cat stderr)"
run 2 build ball.txt --shrinking
run 1 build ball.character.json --shrinking --picture none.png
grep -q 'no skin shrinks there' stderr || fail "$(cat stderr)"
# What fails leaves nothing behind.
printf 'joint add a\nmuscle add m\n' >bare.txt
run 1 build bare.txt -o bare.character.json --cache bare.pc2
[ ! -e bare.character.json ] || fail "a character is left of a failure"
# All outputs appear together or not at all: one that cannot be written keeps the others away, and older ones stay.
mkdir -p none/taken.pc2 # a folder of the cache's name
echo old >none/kept.character.json
run 1 build ball.txt -o none/kept.character.json --cache none/taken.pc2
run 1 build ball.txt -o none/other.character.json --cache none/x.pc2 --realtime --record missing/steps
run 1 build ball.txt -o none/other.character.json --cache none/x.pc2 --picture missing/x.png
[ "$(ls none)" = "$(printf 'kept.character.json\ntaken.pc2')" ] || fail "left of failures: $(ls none)"
[ "$(cat none/kept.character.json)" = old ] || fail "an older character is lost"
# A hand as a line: a mouse moves the joint at the top, and lays fat.
printf 'drag move eye=0,0.11,5 at=0,0.11,0 to=0,0.13,0\ndrag fat at=0,0,0.2 radius=5cm amount=1cm\n' >hand.txt
run 0 build hand.txt --start ball.character.json -o hand.character.json --undo
grep -q '"fat": \[' hand.character.json || fail "no fat was laid"
echo 'joint rename high name=top' >more.txt
run 0 build more.txt --start ball.character.json -o more.character.json --undo
grep -q '"name": "top"' more.character.json || fail "a script on top of a character"

printf 'joint add a\njoint add b prent=a\n' >bad.txt
run 1 build bad.txt
grep -q 'bad.txt: line 2: "joint add" takes no prent; did you mean parent?' stderr || fail "$(cat stderr)"
sed 's/"sphere"/"spere"/; s/"kind": "fixed"/"kind": "fixd"/' ball.character.json >broken.json
run 1 build broken.json
grep -q 'broken.json: joints\[0\].kind: is "fixd"' stderr || fail "$(cat stderr)"
printf 'joint add a\njoint add b at=0,1,0\npose reach b to=9,9,9\n' >far.txt
run 3 build far.txt
grep -q 'could not reach' stdout || fail "$(cat stdout)"
run 2 build
run 2 build ball.txt -o ball.txt
run 2 build ball.txt --picture x.jpg
run 0 build --operations
grep -q '^skin fat' stdout || fail "the list of operations"
finish
