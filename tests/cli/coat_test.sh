#!/bin/sh
# sinew coat: from captures and skeleton files to bodies, documents that are read again, wrong input.
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1

cat >arm.json <<'END'
{"joints": [{"name": "shoulder", "at": [0, 1, 0]}, {"name": "elbow", "at": [0.3, 1, 0]}, {"name": "hand", "at": [0.6, 1, 0]}],
 "bones": [["shoulder", "elbow"], ["elbow", "hand"]]}
END
cat >arm.bvh <<'END'
HIERARCHY
ROOT shoulder
{
	OFFSET 0 0 0
	CHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation
	JOINT elbow
	{
		OFFSET 10 0 0
		CHANNELS 3 Zrotation Yrotation Xrotation
		End Site
		{
			OFFSET 10 0 0
		}
	}
}
MOTION
Frames: 2
Frame Time: 0.5
0 0 0 0 0 0 0 0 0
0 5 0 0 0 0 45 0 0
END
run 0 coat --help
grep -q -e '--median' stdout || fail "the help does not tell of --median"
run 2 coat
run 2 coat arm.bvh -o arm.glb
run 2 coat arm.bvh --spline cubic
run 1 coat missing.bvh
run 0 coat arm.bvh -o arm.coat.json
grep -q '2 links in 1 chain' stdout || fail "the arm has other links"
run 0 coat arm.coat.json -o again.json
cmp -s arm.coat.json again.json || fail "a document coated again is another"
cp arm.coat.json kept.json
run 2 coat arm.coat.json -o ./arm.coat.json
cmp -s arm.coat.json kept.json || fail "a document is written over itself"
run 1 coat arm.bvh --median 100
grep -q 'ends at 0.5 s' stderr || fail "a pose behind the end: $(cat stderr)"
run 0 coat arm.bvh --median 0.5 -o bent.json
grep -q '"median"' bent.json || fail "the median pose is not written"
run 0 coat arm.json --along 5 --round 6 -o five.json
grep -q '"along": 5' five.json || fail "--along is not heard"
sed 's/"young"/"yuong"/' arm.coat.json >wrong.json
run 1 coat wrong.json
grep -q 'young' stderr || fail "a wrong key gets no suggestion"
echo '{"joints": [{"name": "a", "ray": {"origin": [0,0,0], "direction": [1,0,0]}}], "bones": []}' >ray.json
run 1 coat ray.json
grep -q "joints\[0\].ray" stderr || fail "a ray without a surface is not named"
if "$SINEW" coat arm.bvh --picture arm.png >/dev/null 2>&1; then
    [ -s arm.png ] || fail "no picture was written"
fi
# Both or none.
run 1 coat arm.bvh -o both.coat.json --picture missing/arm.png
[ ! -e both.coat.json ] || fail "a body is left though its picture failed"
run 2 coat arm.bvh --pitch 200

# In a scene.
cat >scene.json <<'END'
{"sinew": "scene", "version": 1, "duration": "0.5 s",
 "bodies": [{"name": "arm", "coat": {"file": "arm.coat.json"}, "place": [0, 0.4, 0]}],
 "colliders": [{"kind": "floor", "friction": 0.5}]}
END
run 0 run scene.json
run 1 coat scene.json
grep -q 'it is a scene' stderr || fail "what is no coat: $(cat stderr)"
sed 's/arm.coat.json/wrong.json/' scene.json >wrong-scene.json
run 1 run wrong-scene.json
grep -q 'bodies\[0\].coat.file' stderr || fail "the path in the scene is not named"
sed 's/"coat": {/"coat": {"postur": 3, /' scene.json >typo.json
run 1 run typo.json
grep -q 'posture' stderr || fail "no suggestion for postur"
# Nails, skittles and an octopus fall, and are nowhere deeper in anything than some millimetres.
for name in nails skittles octopus; do
    run 0 run "$SOURCE/examples/scenes/$name.json"
    grep -q -E 'deepest in anything: ([0-4](\.[0-9]+)?|[0-9.]+e-[0-9]+) mm' stdout || fail "$name: $(grep deepest stdout)"
done
finish
